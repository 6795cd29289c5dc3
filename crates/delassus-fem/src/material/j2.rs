//! Return to von Mises' cylinder, radial and exact
//!
//! ```text
//! ξ = dev σ_trial − ⅔ C a,   q = √(3/2) |ξ|,        q − (3G + C) Δα = σ_y(α + Δα)
//! Δeᵖ = 3/2 Δα ξ/q,          σ = σ_trial − 2G Δeᵖ                                   [Simo98]
//! ```
//!
//! a is the plastic strain seen by the linear kinematic hardening C. Strains have
//! engineering shears `2e_ij`, in the order xx, yy, zz, xy\[, yz, zx\].

use super::J2;
use super::hardening::Curve;

/// Moduli and hardening, ready for use.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub bulk: f64,
    pub shear: f64,
    pub kinematic: f64,
    pub curve: Curve,
}

/// Where the return ended.
pub(crate) struct Return<const S: usize> {
    pub stress: [f64; S],
    /// Plastic strain of the step; `None` when elastic.
    pub flow: Option<Plastic<S>>,
    /// Elastic energy [J/m³].
    pub elastic: f64,
}

/// A plastic step.
pub(crate) struct Plastic<const S: usize> {
    pub strain: [f64; S],
    pub alpha: f64,
    /// `ξ/|ξ|`, as a stress.
    direction: [f64; S],
    trial: f64,
    slope: f64,
}

impl Flow {
    pub fn new(j2: &J2, lambda: f64, mu: f64) -> Self {
        Self {
            bulk: lambda + 2.0 / 3.0 * mu,
            shear: mu,
            kinematic: j2.kinematic,
            curve: Curve::new(&j2.isotropic, j2.yield_stress),
        }
    }

    /// From the elastic trial strain, the plastic strain `back` and α before the step.
    #[inline]
    pub fn return_map<const S: usize>(&self, trial: &[f64; S], back: &[f64; S], alpha: f64) -> Return<S> {
        let g = self.shear;
        let volume = trial[0] + trial[1] + trial[2];
        let pressure = self.bulk * volume;
        let mut deviator = [0.0; S];
        let mut xi = [0.0; S];
        for v in 0..S {
            deviator[v] = if v < 3 { 2.0 * g * (trial[v] - volume / 3.0) } else { g * trial[v] };
            xi[v] = deviator[v] - self.kinematic * back[v] * if v < 3 { 2.0 / 3.0 } else { 1.0 / 3.0 };
        }
        let norm = contract(&xi, &xi).sqrt();
        let q = 1.5_f64.sqrt() * norm;
        let mut flow = None;
        if q > self.curve.stress(alpha) {
            let (step, slope) = self.curve.advance(alpha, q, 3.0 * g + self.kinematic);
            let direction = xi.map(|x| x / norm);
            let size = 1.5_f64.sqrt() * step;
            let mut strain = [0.0; S];
            for v in 0..S {
                strain[v] = size * direction[v] * if v < 3 { 1.0 } else { 2.0 };
                deviator[v] -= 2.0 * g * size * direction[v];
            }
            flow = Some(Plastic { strain, alpha: step, direction, trial: q, slope });
        }
        let elastic = 0.5 * pressure * volume + 0.25 / g * contract(&deviator, &deviator);
        for p in &mut deviator[..3] {
            *p += pressure;
        }
        Return { stress: deviator, flow, elastic }
    }

    /// Derivative of the stress with respect to the trial strain.
    pub fn tangent<const S: usize>(&self, flow: Option<&Plastic<S>>, tangent: &mut [[f64; S]; S]) {
        let g = self.shear;
        let (factor, outer) = match flow {
            None => (1.0, 0.0),
            Some(p) => {
                let ratio = p.alpha / p.trial;
                (1.0 - 3.0 * g * ratio, 6.0 * g * g * (1.0 / (3.0 * g + self.kinematic + p.slope) - ratio))
            }
        };
        for v in 0..S {
            for w in 0..S {
                let mut c = 0.0;
                if v < 3 && w < 3 {
                    c += self.bulk - 2.0 / 3.0 * g * factor;
                }
                if v == w {
                    c += if v < 3 { 2.0 } else { 1.0 } * g * factor;
                }
                if let Some(p) = flow {
                    c -= outer * p.direction[v] * p.direction[w];
                }
                tangent[v][w] = c;
            }
        }
    }

    /// Plastic work since the start [J/m³], of both hardenings.
    #[inline]
    pub fn work<const S: usize>(&self, alpha: f64, back: &[f64; S]) -> f64 {
        let mut kinematic = 0.0;
        if self.kinematic > 0.0 {
            for v in 0..S {
                kinematic += back[v] * back[v] * if v < 3 { 1.0 } else { 0.5 };
            }
        }
        self.curve.work(alpha) + self.kinematic / 3.0 * kinematic
    }
}

/// `a : b` of two stresses.
#[inline]
fn contract<const S: usize>(a: &[f64; S], b: &[f64; S]) -> f64 {
    let mut sum = 0.0;
    for v in 0..S {
        sum += a[v] * b[v] * if v < 3 { 1.0 } else { 2.0 };
    }
    sum
}
