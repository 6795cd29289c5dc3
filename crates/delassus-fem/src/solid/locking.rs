//! Mean dilatation: one value of the volume change per cell
//!
//! ```text
//! small    h̄ = h + ⅓ (θ − tr h) 1,            θ = mean of tr h
//! finite   F̄ = (θ/J)^⅓ F,                     θ = mean of J
//! ```
//!
//! Both come from the energy `Φ(F, θ) = ψ(F̄)` with θ a function of all displacements of the
//! cell, hence forces that derive from an energy and symmetric tangents:
//!
//! ```text
//! f = Σ w (s P̄ + (p̂ J/θ − p) F⁻ᵀ),   s = (θ/J)^⅓,  p = θ Φ_θ = ⅓ P̄ : F̄,  p̂ its mean,
//! K = Σ w (Φ_FF + Φ̂_θ θ_FF) + c tᵀ + t cᵀ + κ t tᵀ,
//! t = ∂θ/∂u,  c = Σ w Φ_Fθ,  κ = Σ w Φ_θθ,  Φ̂_θ the mean of Φ_θ
//! ```
//!
//! In a single quadratic cell of space or of revolution, the conformal fields
//! `x (c·x) − ½ c |x|²` have neither deviator nor mean dilatation, hence no stiffness; two
//! cells side by side stop them.
//!
//! The three-field form of \[Simo85\] with constant pressure and dilatation, condensed. The
//! F-bar with the Jacobian of the centre was not taken: its tangent is not symmetric.

use crate::material::tensor::Frame;

/// The remedy at one quadrature point. In small strain, F is the identity and θ = J = 1.
pub(crate) struct Barred<const M: usize> {
    pub f: [f64; M],
    /// `F⁻ᵀ`.
    pub inverse: [f64; M],
    pub jacobian: f64,
    /// `(θ/J)^⅓`.
    pub scale: f64,
    pub theta: f64,
    /// `P̄`, at `F̄`.
    pub piola: [f64; M],
    /// Whether geometry counts.
    pub finite: bool,
}

/// Second derivatives of Φ.
pub(crate) struct Curvature<const M: usize> {
    pub local: [[f64; M]; M],
    pub mixed: [f64; M],
    pub theta: f64,
}

#[inline]
pub(crate) fn dot<const M: usize>(a: &[f64; M], b: &[f64; M]) -> f64 {
    let mut sum = 0.0;
    for m in 0..M {
        sum += a[m] * b[m];
    }
    sum
}

/// Cube root; near 1, where ratios of volumes are, four terms of its series and one step of
/// Halley's method (error³) are several times faster than the library's.
#[inline]
pub(crate) fn cube_root(x: f64) -> f64 {
    let d = x - 1.0;
    if !(d.abs() < 0.05) {
        return x.cbrt();
    }
    let y = 1.0 + d * (1.0 / 3.0 + d * (-1.0 / 9.0 + d * (5.0 / 81.0)));
    let cube = y * y * y;
    y * (cube + 2.0 * x) / (2.0 * cube + x)
}

impl<const M: usize> Barred<M> {
    /// Small strain.
    pub fn unit<F: Frame<M, S>, const S: usize>() -> Self {
        let (f, inverse) = (F::IDENTITY, F::IDENTITY);
        Self { f, inverse, jacobian: 1.0, scale: 1.0, theta: 1.0, piola: [0.0; M], finite: false }
    }

    /// Second derivatives, from `moduli = ∂P̄/∂F̄` and the mean pressure; the geometric parts only
    /// in finite strain.
    pub fn curvature<F: Frame<M, S>, const S: usize>(&self, moduli: &[[f64; M]; M], mean: f64) -> Curvature<M> {
        let Self { f, inverse, scale, theta, piola, .. } = self;
        let (s, third) = (*scale, 1.0 / 3.0);
        let along: [f64; M] = std::array::from_fn(|m| dot(&moduli[m], f));
        let both = dot(&along, f);
        let mut local = [[0.0; M]; M];
        for m in 0..M {
            for n in 0..M {
                let outer = both / 9.0 * inverse[m] * inverse[n];
                local[m][n] = s * s * (moduli[m][n] - third * (inverse[m] * along[n] + along[m] * inverse[n]) + outer);
            }
        }
        let project = |x: &[f64; M], m: usize| s * (x[m] - third * dot(f, x) * inverse[m]);
        let mut mixed: [f64; M] = std::array::from_fn(|m| s * third / theta * project(&along, m));
        let mut curve = (s * third / theta).powi(2) * both;
        if self.finite {
            let work = dot(piola, f);
            for m in 0..M {
                mixed[m] += third / theta * project(piola, m);
            }
            curve -= 2.0 * s * work / (9.0 * theta * theta);
            let mean = mean * self.jacobian / theta;
            for m in 0..M {
                let (i, p) = F::CELLS[m];
                for n in 0..M {
                    let (k, q) = F::CELLS[n];
                    // F⁻¹_pk F⁻¹_qi, from the transpose.
                    let at = |i, j| F::cell(i, j).map_or(0.0, |c| inverse[c]);
                    let cross = at(k, p) * at(i, q);
                    let pair = inverse[m] * inverse[n];
                    local[m][n] +=
                        s * third * (work * (third * pair + cross) - inverse[m] * piola[n] - piola[m] * inverse[n])
                            + mean * (pair - cross);
                }
            }
        }
        Curvature { local, mixed, theta: curve }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the library's root, on both sides of the switch: two units in the last place.
    #[test]
    fn cube_roots() {
        for i in 0..400 {
            let x = 0.9 + 0.0005 * f64::from(i);
            assert!((cube_root(x) - x.cbrt()).abs() <= 4.0 * f64::EPSILON, "{x}");
        }
    }
}
