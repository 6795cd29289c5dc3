//! The material's answer at the points of a cell

use super::Energies;
use super::error::Fault;
use super::kernel::{Answer, Local};
use super::locking::{cube_root, dot};
use super::point::{self, Moduli};
use super::spec::Rules;
use crate::material::tensor::Frame;

impl<const D: usize, const N: usize, const Q: usize> Local<'_, D, N, Q> {
    /// The material's answer at all points.
    #[inline]
    pub fn respond<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        old: &[f64],
        new: &mut [f64],
        moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        let h = self.gradients(&self.u);
        if rules.finite {
            self.respond_finite::<F, M, S>(rules, h, (old, new), moduli)
        } else {
            self.respond_small::<F, M, S>(rules, h, (old, new), moduli)
        }
    }

    #[inline]
    fn respond_small<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        mut h: [[f64; M]; Q],
        (old, new): (&[f64], &mut [f64]),
        mut moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        if rules.bar {
            self.mean_dilatation::<F, M, S>(&mut h);
        }
        let viscous = rules.viscous_time > 0.0;
        let mut rates = [[0.0; M]; Q];
        if viscous {
            rates = self.gradients(&self.v);
            if rules.bar {
                self.mean_dilatation::<F, M, S>(&mut rates);
            }
        }
        let mut energies = Energies::default();
        let mut stress = [[0.0; S]; Q];
        let mut piola = [[0.0; M]; Q];
        for q in 0..Q {
            let w = self.cell.weights[q];
            let at = rules.history * q..rules.history * (q + 1);
            let kept = moduli.as_deref_mut().map(|m| &mut m[q]);
            let point = point::respond::<F, M, S>(rules, &mut h[q], &old[at.clone()], &mut new[at], kept)?;
            stress[q] = point.stress;
            energies.strain += w * point.elastic;
            energies.plastic += w * point.plastic;
            if viscous {
                let rate = F::small_strain(&rates[q]);
                let extra = viscous_stress(rules, &rate);
                for v in 0..S {
                    stress[q][v] += extra[v];
                    energies.viscous_power += w * extra[v] * rate[v];
                }
            }
            piola[q] = F::full(&stress[q]);
        }
        if rules.bar {
            self.mean_pressure::<F, M, S>(&mut piola);
        }
        Ok(Answer { f: h, end: None, piola, stress, energies, scales: [1.0; Q], theta: 1.0, pressure: 0.0 })
    }

    /// `h ← h + ⅓ (mean tr h − tr h) 1`.
    #[inline]
    fn mean_dilatation<F: Frame<M, S>, const M: usize, const S: usize>(&self, h: &mut [[f64; M]; Q]) {
        let trace = |h: &[f64; M]| h[F::DIAGONAL[0]] + h[F::DIAGONAL[1]] + h[F::DIAGONAL[2]];
        let mut mean = 0.0;
        for q in 0..Q {
            mean += self.cell.weights[q] * trace(&h[q]);
        }
        mean /= self.cell.volume;
        for q in 0..Q {
            let shift = (mean - trace(&h[q])) / 3.0;
            for m in F::DIAGONAL {
                h[q][m] += shift;
            }
        }
    }

    /// The transpose of [`Self::mean_dilatation`], which is its own.
    #[inline]
    fn mean_pressure<F: Frame<M, S>, const M: usize, const S: usize>(&self, piola: &mut [[f64; M]; Q]) {
        self.mean_dilatation::<F, M, S>(piola);
    }

    #[inline]
    fn respond_finite<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        mut h: [[f64; M]; Q],
        (old, new): (&[f64], &mut [f64]),
        mut moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        let mut f = h.map(|h| std::array::from_fn(|m| h[m] + F::IDENTITY[m]));
        let mut jacobians = [0.0; Q];
        let mut theta = 0.0;
        for q in 0..Q {
            jacobians[q] = F::determinant(&f[q]);
            if !(jacobians[q] > 0.0 && jacobians[q].is_finite()) {
                return Err(if jacobians[q].is_nan() { Fault::NonFinite } else { Fault::Jacobian(jacobians[q]) });
            }
            theta += self.cell.weights[q] * jacobians[q];
        }
        theta /= self.cell.volume;
        let mut energies = Energies::default();
        let mut stress = [[0.0; S]; Q];
        let mut piola = [[0.0; M]; Q];
        let mut scales = [1.0; Q];
        for q in 0..Q {
            let w = self.cell.weights[q];
            if rules.bar {
                scales[q] = cube_root(theta / jacobians[q]);
                for m in 0..M {
                    h[q][m] += (scales[q] - 1.0) * f[q][m];
                }
            }
            let at = rules.history * q..rules.history * (q + 1);
            let kept = moduli.as_deref_mut().map(|m| &mut m[q]);
            let point = point::respond::<F, M, S>(rules, &mut h[q], &old[at.clone()], &mut new[at], kept)?;
            stress[q] = point.stress;
            energies.strain += w * point.elastic;
            energies.plastic += w * point.plastic;
            if rules.plane_stress {
                f[q][M - 1] = 1.0 + h[q][M - 1];
            }
            let barred: [f64; M] = std::array::from_fn(|m| scales[q] * f[q][m]);
            piola[q] = F::product(&barred, &F::full(&stress[q]));
        }
        let mut answer = Answer { f, end: None, piola, stress, energies, scales, theta, pressure: 0.0 };
        if rules.bar {
            self.apply_mean::<F, M, S>(&mut answer, &jacobians);
        }
        if rules.viscous_time > 0.0 {
            self.add_viscosity::<F, M, S>(rules, &mut answer);
        }
        Ok(answer)
    }

    /// Replaces the stresses `P̄` by those that work with F.
    #[inline]
    fn apply_mean<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        answer: &mut Answer<M, S, Q>,
        jacobians: &[f64; Q],
    ) {
        let mut pressures = [0.0; Q];
        let mut mean = 0.0;
        for q in 0..Q {
            pressures[q] = answer.scales[q] / 3.0 * dot(&answer.piola[q], &answer.f[q]);
            mean += self.cell.weights[q] * pressures[q];
        }
        mean /= self.cell.volume;
        answer.pressure = mean;
        for q in 0..Q {
            let inverse = F::inverse_transpose(&answer.f[q], jacobians[q]);
            let excess = mean * jacobians[q] / answer.theta - pressures[q];
            for m in 0..M {
                answer.piola[q][m] = answer.scales[q] * answer.piola[q][m] + excess * inverse[m];
            }
        }
    }

    /// Viscous stresses of finite strain work with the gradients as they are, without remedy.
    pub(super) fn add_viscosity<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        answer: &mut Answer<M, S, Q>,
    ) {
        let rates = self.gradients::<M>(&self.v);
        for q in 0..Q {
            let rate = green_rate::<F, M, S>(&answer.f[q], &rates[q]);
            let extra = viscous_stress(rules, &rate);
            let more = F::product(&answer.f[q], &F::full(&extra));
            for m in 0..M {
                answer.piola[q][m] += more[m];
            }
            answer.energies.viscous_power += self.cell.weights[q] * (0..S).map(|v| extra[v] * rate[v]).sum::<f64>();
        }
    }
}

/// `τ C₀ : rate`.
#[inline]
pub(crate) fn viscous_stress<const S: usize>(rules: &Rules, rate: &[f64; S]) -> [f64; S] {
    let pressure = rules.lambda * (rate[0] + rate[1] + rate[2]);
    std::array::from_fn(|v| {
        rules.viscous_time * if v < 3 { pressure + 2.0 * rules.mu * rate[v] } else { rules.mu * rate[v] }
    })
}

/// `sym(Fᵀ Ḟ)`.
pub(crate) fn green_rate<F: Frame<M, S>, const M: usize, const S: usize>(f: &[f64; M], rate: &[f64; M]) -> [f64; S] {
    F::small_strain(&F::product(&F::transpose(f), rate))
}
