//! Stresses that keep energy and angular momentum between the ends of a step
//!
//! ```text
//!     f_a = Σ_q w_q F_m S̄ ∇N_a,     F_m = ½ (F₀ + F₁),     S̄ : (E₁ − E₀) = ψ(E₁) − ψ(E₀)
//! ```
//!
//! `S̄` is symmetric, so that angular momentum is kept \[Simo92b\]; `E₁ − E₀ = sym(F_mᵀ (F₁ − F₀))`, so that the
//! forces work what the energy gains. `S̄` is the mean of the stress over the strains between the ends, by two
//! points of Gauss, and what they miss of the energy is added along `E₁ − E₀` as in \[Gonzalez00\]. Departure: there
//! the stress is that of the mean strain, whose miss is of the second order in `E₁ − E₀` and drowns in round-off where
//! steps are small; that of the mean stress is of the fourth.

use super::Energies;
use super::error::Fault;
use super::kernel::{Answer, Local};
use super::point::{self, Moduli};
use super::spec::Rules;
use crate::material::Point;
use crate::material::tensor::Frame;

/// Points of Gauss of the unit interval; both have the weight ½.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_13, 0.788_675_134_594_812_9];
/// Changes of strain below this have a mean stress that is exact to round-off.
const SMALL: f64 = 1e-4;

/// Stress of a strain, not of a gradient.
fn respond<F: Frame<M, S>, const M: usize, const S: usize>(
    rules: &Rules,
    strain: &[f64; S],
    (old, new): (&[f64], &mut [f64]),
    tangent: Option<&mut Moduli<S>>,
) -> Result<Point<S>, Fault> {
    if rules.plane_stress {
        // Any gradient of this strain: the thickness is found.
        let mut h = F::stretch(strain);
        for m in F::DIAGONAL {
            h[m] -= 1.0;
        }
        return point::respond::<F, M, S>(rules, &mut h, old, new, tangent);
    }
    rules.law.respond::<F, M, S>(strain, old, new, tangent).map_err(|_| Fault::Strain)
}

/// `S̄` between two strains, and twice its derivative with respect to the second.
fn mean<F: Frame<M, S>, const M: usize, const S: usize>(
    rules: &Rules,
    [first, last]: &[[f64; S]; 2],
    (old, new): (&[f64], &mut [f64]),
    mut moduli: Option<&mut Moduli<S>>,
) -> Result<[f64; S], Fault> {
    let change: [f64; S] = std::array::from_fn(|v| last[v] - first[v]);
    let mut stress = [0.0; S];
    if let Some(moduli) = moduli.as_deref_mut() {
        *moduli = [[0.0; S]; S];
    }
    let mut here = [[0.0; S]; S];
    for s in GAUSS {
        let strain = std::array::from_fn(|v| first[v] + s * change[v]);
        let kept = moduli.is_some().then_some(&mut here);
        let point = respond::<F, M, S>(rules, &strain, (old, &mut *new), kept)?;
        for v in 0..S {
            stress[v] += 0.5 * point.stress[v];
        }
        if let Some(moduli) = moduli.as_deref_mut() {
            for v in 0..S {
                for w in 0..S {
                    moduli[v][w] += s * here[v][w];
                }
            }
        }
    }
    if change.iter().any(|x| x.abs() > SMALL) {
        let [before, after] = [first, last].map(|e| respond::<F, M, S>(rules, e, (old, &mut *new), None));
        let gained = after?.elastic - before?.elastic;
        // Shears are twice those of the tensor.
        let along: [f64; S] = std::array::from_fn(|v| if v < 3 { change[v] } else { 0.5 * change[v] });
        let dot = |a: &[f64; S]| (0..S).map(|v| a[v] * change[v]).sum::<f64>();
        let missed = (gained - dot(&stress)) / dot(&along);
        (0..S).for_each(|v| stress[v] += missed * along[v]);
    }
    Ok(stress)
}

impl<const D: usize, const N: usize, const Q: usize> Local<'_, D, N, Q> {
    /// The answer at the middle of a step of finite strain between two `ends`; energies are those of its end.
    pub fn respond_between<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        ends: &[[[f64; D]; N]; 2],
        (old, new): (&[f64], &mut [f64]),
        mut moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        let whole = |h: [f64; M]| -> [f64; M] { std::array::from_fn(|m| h[m] + F::IDENTITY[m]) };
        let f = self.gradients::<M>(&self.u).map(whole);
        let [first, last] = ends.each_ref().map(|u| self.gradients::<M>(u));
        let (mut stress, mut piola) = ([[0.0; S]; Q], [[0.0; M]; Q]);
        for q in 0..Q {
            let jacobian = F::determinant(&whole(last[q]));
            if !(jacobian > 0.0 && jacobian.is_finite()) {
                return Err(if jacobian.is_nan() { Fault::NonFinite } else { Fault::Jacobian(jacobian) });
            }
            let strains = [F::green_strain(&first[q]), F::green_strain(&last[q])];
            let at = rules.history * q..rules.history * (q + 1);
            let kept = moduli.as_deref_mut().map(|m| &mut m[q]);
            stress[q] = mean::<F, M, S>(rules, &strains, (&old[at.clone()], &mut new[at]), kept)?;
            piola[q] = F::product(&f[q], &F::full(&stress[q]));
        }
        let (energies, end) = (Energies::default(), Some(last.map(whole)));
        let mut answer = Answer { f, end, piola, stress, energies, scales: [1.0; Q], theta: 1.0, pressure: 0.0 };
        if rules.viscous_time > 0.0 {
            self.add_viscosity::<F, M, S>(rules, &mut answer);
        }
        Ok(answer)
    }
}
