//! A convex set between the hull of its points and the planes that support it
//!
//! The vertex of the outer polytope farthest from the inner hull gives the direction of the
//! next program: from its nearest inner point to it. Either a point of the set is found beyond
//! the hull, or the plane cuts the vertex off. The distance that is left is the stated gap.

use super::nearest::nearest;
use crate::Error;
use delassus_friction::algebra::{Matrix, Vector, solve_small};

type V = Vector<3>;

/// A point of the set farthest in a direction, and a bound that no point of the set passes.
type Ask<'a> = &'a mut dyn FnMut(&V) -> Result<(V, f64), Error>;

/// Inner points, outer vertices, and the gap between them.
pub(super) struct Sandwich {
    pub inner: Vec<V>,
    pub outer: Vec<V>,
    pub gap: f64,
}

/// The planes `d·x ≤ value` and the vertices of what they leave.
struct Outer {
    planes: Vec<(V, f64)>,
    vertices: Vec<V>,
    slack: f64,
}

impl Outer {
    /// A box from the six first planes.
    fn new(planes: Vec<(V, f64)>, slack: f64) -> Self {
        let mut outer = Self { planes: vec![], vertices: vec![], slack };
        for (k, plane) in planes.into_iter().enumerate() {
            outer.planes.push(plane);
            if k >= 2 {
                outer.meet(k);
            }
        }
        outer.vertices.clear();
        for k in 2..outer.planes.len() {
            outer.meet(k);
        }
        outer
    }

    /// Adds the vertices of plane `k` with every pair before it that no plane cuts off.
    fn meet(&mut self, k: usize) {
        for i in 0..k {
            for j in 0..i {
                let rows = [self.planes[i], self.planes[j], self.planes[k]];
                let a = Matrix::<3>::from_fn(|r, c| rows[r].0[c]);
                if a.determinant().abs() < 1e-9 {
                    continue;
                }
                let Some(x) = solve_small(&a, &V::new(rows[0].1, rows[1].1, rows[2].1)) else { continue };
                let kept = self.planes.iter().all(|(d, v)| d.dot(&x) <= v + self.slack);
                if kept && self.vertices.iter().all(|v| (v - x).norm() > self.slack) {
                    self.vertices.push(x);
                }
            }
        }
    }

    fn cut(&mut self, direction: V, value: f64) {
        self.vertices.retain(|v| direction.dot(v) <= value + self.slack);
        self.planes.push((direction, value));
        self.meet(self.planes.len() - 1);
    }
}

/// Asks `support` for a point and a bound in each direction until the gap is `relative` to the
/// size of the set, or `most` directions were asked.
pub(super) fn sandwich(support: Ask, (relative, most): (f64, usize), precision: f64) -> Result<Sandwich, Error> {
    let mut inner: Vec<V> = vec![];
    let mut planes = vec![];
    for k in 0..3 {
        for sign in [1.0, -1.0] {
            let d = V::from_fn(|i, _| if i == k { sign } else { 0.0 });
            let (point, bound) = support(&d)?;
            planes.push((d, bound.max(d.dot(&point))));
            inner.push(point);
        }
    }
    let mut outer = Outer::new(planes, precision);
    loop {
        let apart = outer.vertices.iter().map(|v| (v, nearest(&inner, v)));
        let worst = apart.map(|(v, p)| (v - p, p)).max_by(|a, b| a.0.norm().total_cmp(&b.0.norm()));
        let Some((d, _)) = worst else { return Ok(Sandwich { outer: inner.clone(), inner, gap: 0.0 }) };
        let gap = d.norm();
        let size = crate::diameter(&inner);
        if gap <= (relative * size).max(10.0 * precision) || outer.planes.len() >= most {
            inner.sort_by(|a, b| a.as_slice().partial_cmp(b.as_slice()).unwrap_or(std::cmp::Ordering::Equal));
            inner.dedup_by(|a, b| (*a - *b).norm() <= precision);
            return Ok(Sandwich { inner, outer: outer.vertices, gap });
        }
        let d = d / gap;
        let (point, bound) = support(&d)?;
        outer.cut(d, bound.max(d.dot(&point)));
        inner.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball: the gap falls below what is asked, and the ball is between.
    #[test]
    fn a_ball_is_caught() {
        let centre = V::new(1.0, 2.0, 3.0);
        let mut support = |d: &V| Ok((centre + d, d.dot(&centre) + 1.0));
        let s = sandwich(&mut support, (0.05, 200), 1e-9).expect("no error");
        assert!(s.gap <= 0.1 && s.gap > 0.0, "{}", s.gap);
        assert!(s.inner.iter().all(|p| (p - centre).norm() < 1.0 + 1e-9));
        assert!(s.outer.iter().all(|p| (p - centre).norm() > 1.0 - 1e-9 && (p - centre).norm() < 1.1 + 1e-9));
    }

    /// A segment across the axes: flat sets end too.
    #[test]
    fn a_segment_is_caught() {
        let ends = [V::new(0.0, 0.0, 1.0), V::new(1.0, 2.0, 0.5)];
        let mut support = |d: &V| {
            let p = if ends[0].dot(d) > ends[1].dot(d) { ends[0] } else { ends[1] };
            Ok((p, p.dot(d)))
        };
        let s = sandwich(&mut support, (0.01, 200), 1e-9).expect("no error");
        assert_eq!(s.inner.len(), 2);
        assert!(s.gap <= 0.01 * (ends[0] - ends[1]).norm());
    }
}
