//! The point of a convex hull nearest to a given point \[Wolfe76\]
//!
//! A corral of at most four points carries the nearest point of its affine hull; a point beyond
//! the supporting plane enters, and points with negative weights leave.

use delassus_friction::algebra::Vector;

type V = Vector<3>;

/// The nearest point of the hull of `points` to `target`. `points` must not be empty.
pub(super) fn nearest(points: &[V], target: &V) -> V {
    let relative: Vec<V> = points.iter().map(|p| p - target).collect();
    let size = relative.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let first = (0..relative.len()).min_by(|a, b| relative[*a].norm().total_cmp(&relative[*b].norm()));
    let mut corral: Vec<(usize, f64)> = first.map(|k| (k, 1.0)).into_iter().collect();
    let combine = |c: &[(usize, f64)]| c.iter().map(|(k, w)| relative[*k] * *w).sum::<V>();
    let mut x = combine(&corral);
    for _ in 0..100 {
        let entering = (0..relative.len()).min_by(|a, b| relative[*a].dot(&x).total_cmp(&relative[*b].dot(&x)));
        let Some(p) = entering else { break };
        let known = corral.iter().any(|c| c.0 == p);
        if known || relative[p].dot(&x) >= x.norm_squared() - 1e-12 * size * size || corral.len() >= 4 {
            break;
        }
        corral.push((p, 0.0));
        // At most as many rounds as points: each removes one.
        for _ in 0..5 {
            let Some(weights) = affine(&relative, &corral) else {
                corral.pop();
                break;
            };
            if weights.iter().all(|w| *w > 1e-12) {
                corral.iter_mut().zip(&weights).for_each(|(c, w)| c.1 = *w);
                break;
            }
            let step = corral.iter().zip(&weights).filter(|(_, w)| **w <= 1e-12).map(|(c, w)| c.1 / (c.1 - w));
            let t = step.fold(1.0, f64::min);
            corral.iter_mut().zip(&weights).for_each(|(c, w)| c.1 += t * (w - c.1));
            corral.retain(|c| c.1 > 1e-12);
        }
        let total: f64 = corral.iter().map(|c| c.1).sum();
        corral.iter_mut().for_each(|c| c.1 /= total);
        let next = combine(&corral);
        if next.norm() >= x.norm() {
            break;
        }
        x = next;
    }
    target + x
}

/// Weights of the point of the affine hull nearest to the origin; `None` for dependent points.
fn affine(points: &[V], corral: &[(usize, f64)]) -> Option<Vec<f64>> {
    let base = points[corral[0].0];
    let edges: Vec<V> = corral[1..].iter().map(|c| points[c.0] - base).collect();
    let n = edges.len();
    // Normal equations of at most three edges, by elimination with pivoting.
    let mut a = vec![vec![0.0; n + 1]; n];
    for r in 0..n {
        for c in 0..n {
            a[r][c] = edges[r].dot(&edges[c]);
        }
        a[r][n] = -edges[r].dot(&base);
    }
    let size = (0..n).map(|k| a[k][k]).fold(0.0, f64::max);
    for k in 0..n {
        let pivot = (k..n).max_by(|x, y| a[*x][k].abs().total_cmp(&a[*y][k].abs()))?;
        a.swap(k, pivot);
        if a[k][k].abs() <= 1e-14 * size {
            return None;
        }
        let top = a[k].clone();
        for row in a.iter_mut().skip(k + 1) {
            let f = row[k] / top[k];
            row.iter_mut().zip(&top).for_each(|(x, t)| *x -= f * t);
        }
    }
    let mut w = vec![0.0; n];
    for k in (0..n).rev() {
        w[k] = (a[k][n] - (k + 1..n).map(|c| a[k][c] * w[c]).sum::<f64>()) / a[k][k];
    }
    let mut out = vec![1.0 - w.iter().sum::<f64>()];
    out.extend(w);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cube [−1, 1]³: the nearest point is the clamped one.
    #[test]
    fn a_cube_clamps() {
        let corners: Vec<V> = (0..8).map(|k| V::from_fn(|i, _| if k >> i & 1 == 1 { 1.0 } else { -1.0 })).collect();
        for k in 0..200 {
            let a = f64::from(k) * 0.7;
            let p = V::new(2.5 * a.sin(), 1.9 * (1.3 * a).cos(), 3.0 * (0.37 * a).sin());
            let expected = p.map(|x| x.clamp(-1.0, 1.0));
            assert!((nearest(&corners, &p) - expected).norm() < 1e-6, "{p:?}");
        }
    }
}
