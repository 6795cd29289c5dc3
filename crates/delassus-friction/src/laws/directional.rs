//! Coulomb friction of the plane with another coefficient each way: a ratchet
//!
//! ```text
//! C = { −μ₀ S_N ≤ S_T ≤ μ₁ S_N },      φ(U_T) = max(μ₀ U_T, −μ₁ U_T)             [Moreau86]
//! ```
//!
//! `μ₀` resists motion along the tangent, `μ₁` motion against it. The cone over an interval is the
//! polygonal cone of the plane; one contact is Coulomb's by cases, see [`super::coulomb`].

use crate::algebra::Vector;

/// The shift `max(μ₀ U_T, −μ₁ U_T)`.
#[inline]
pub fn shift<const D: usize>(mu: [f64; 2], u: &Vector<D>) -> f64 {
    if D > 1 { (mu[0] * u[1]).max(-mu[1] * u[1]) } else { 0.0 }
}

/// Euclidean projection; components beyond the second are zero.
#[inline]
pub fn project<const D: usize>(mu: [f64; 2], x: &Vector<D>) -> Vector<D> {
    let mut p = Vector::zeros();
    let (n, t) = (x[0], if D > 1 { x[1] } else { 0.0 });
    // The coefficient of the side the point is on, and its sign.
    let (mu, sign) = if t > 0.0 { (mu[1], 1.0) } else { (mu[0], -1.0) };
    let t = t.abs();
    let (height, across) = if n >= 0.0 && t <= mu * n {
        (n, t)
    } else if mu * t <= -n {
        (0.0, 0.0)
    } else {
        let height = (n + mu * t) / (1.0 + mu * mu);
        (height, mu * height)
    };
    p[0] = height;
    if D > 1 {
        p[1] = sign * across;
    }
    p
}
