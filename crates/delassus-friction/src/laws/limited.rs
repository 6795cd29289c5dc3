//! A two-sided constraint whose percussion is bounded, component by component
//!
//! ```text
//! C = { |S_k| ≤ l_k },     −U ∈ N_C(S)
//! ```
//!
//! A component holds (`U_k = 0`), or yields at its limit against the motion. With
//! infinite limits it is the bilateral law; with finite ones a motor of limited torque
//! or the dry friction of a joint. The one-contact problem is a quadratic program in a
//! box of at most six components: coordinates in turn, each exactly, then the free
//! ones together.

use super::iterate::bilateral;
use crate::algebra::{Matrix, Vector};

/// Most components of a contact space.
pub const COMPONENTS: usize = 6;

/// Projection on the box.
#[inline]
pub fn project<const D: usize>(limit: &[f64; COMPONENTS], x: &Vector<D>) -> Vector<D> {
    Vector::from_fn(|k, _| x[k].clamp(-limit[k], limit[k]))
}

/// Solution of the one-contact problem.
pub fn solve_one<const D: usize>(
    limit: &[f64; COMPONENTS],
    w: &Matrix<D>,
    q: &Vector<D>,
    guess: &Vector<D>,
) -> Vector<D> {
    if (0..D).all(|k| limit[k].is_infinite()) {
        return bilateral(w, q, guess);
    }
    let mut s = project(limit, guess);
    let tiny = 1e-14 * w.trace();
    for _ in 0..60 {
        let before = s;
        for k in 0..D {
            if w[(k, k)] > tiny {
                let u = (w.row(k) * s)[0] + q[k];
                s[k] = (s[k] - u / w[(k, k)]).clamp(-limit[k], limit[k]);
            }
        }
        if (s - before).norm() <= 1e-15 * s.norm() {
            return s;
        }
        s = free_together(limit, w, q, &s);
    }
    s
}

/// The components strictly inside their limits solved at once; kept if they stay inside.
fn free_together<const D: usize>(limit: &[f64; COMPONENTS], w: &Matrix<D>, q: &Vector<D>, s: &Vector<D>) -> Vector<D> {
    let held = |k: usize| s[k].abs() >= limit[k];
    let (mut m, mut rhs) = (*w, *q);
    for k in (0..D).filter(|k| held(*k)) {
        for i in 0..D {
            if i != k && !held(i) {
                rhs[i] += w[(i, k)] * s[k];
            }
            m[(i, k)] = 0.0;
            m[(k, i)] = 0.0;
        }
        m[(k, k)] = w.trace().max(f64::MIN_POSITIVE);
        rhs[k] = -m[(k, k)] * s[k];
    }
    let next = bilateral(&m, &rhs, s);
    let inside = (0..D).all(|k| held(k) || next[k].abs() <= limit[k]);
    if inside && next.iter().all(|x| x.is_finite()) { project(limit, &next) } else { *s }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;

    /// Reference: the natural map vanishes; a limited component yields, the others hold.
    #[test]
    fn held_and_yielding_components() {
        let w = Matrix::<3>::new(2.0, 0.5, 0.1, 0.5, 1.0, 0.2, 0.1, 0.2, 3.0);
        let q = Vector::<3>::new(1.0, -2.0, 4.0);
        for limit in [[f64::INFINITY, 0.3, f64::INFINITY, 0.0, 0.0, 0.0], [0.1, 0.1, 0.1, 0.0, 0.0, 0.0], [5.0; 6]] {
            let law = Law::Limited { limit };
            let s = law.solve_one(&w, &q, &Vector::zeros());
            let u = w * s + q;
            assert!(law.residual(&u, &s, 1.0).norm() < 1e-13, "{limit:?}: {s} {u}");
        }
    }

    /// A component without inertia behind it is left alone.
    #[test]
    fn an_empty_row_carries_nothing() {
        let mut w = Matrix::<3>::identity();
        w[(2, 2)] = 0.0;
        let law = Law::Limited { limit: [0.5, f64::INFINITY, f64::INFINITY, 0.0, 0.0, 0.0] };
        let s = law.solve_one(&w, &Vector::<3>::new(-2.0, 1.0, 0.0), &Vector::zeros());
        assert!((s - Vector::<3>::new(0.5, -1.0, 0.0)).norm() < 1e-14);
    }
}
