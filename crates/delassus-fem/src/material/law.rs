//! One point of material: strain and old variables in, stress and new variables out

use super::j2::Flow;
use super::logarithmic;
use super::tensor::Frame;

/// A material with its kinematics, ready for use.
#[derive(Clone, Debug)]
pub(crate) enum Law {
    Hooke { lambda: f64, mu: f64 },
    NeoHookean { lambda: f64, mu: f64 },
    J2(Flow),
    LogarithmicJ2(Flow),
}

/// What a point answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<const S: usize> {
    pub stress: [f64; S],
    /// Recoverable energy [J/m³].
    pub elastic: f64,
    /// Plastic work since the start [J/m³].
    pub plastic: f64,
}

/// The strain cannot be: `det C ≤ 0`, or not a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impossible;

impl Law {
    /// Number of internal variables.
    pub fn history(&self, gradients: usize, strains: usize) -> usize {
        match self {
            Self::Hooke { .. } | Self::NeoHookean { .. } => 0,
            Self::J2(_) => strains + 1,
            Self::LogarithmicJ2(flow) => gradients + 1 + if flow.kinematic > 0.0 { strains } else { 0 },
        }
    }

    /// Internal variables of the virgin material.
    pub fn virgin<F: Frame<M, S>, const M: usize, const S: usize>(&self, out: &mut [f64]) {
        out.fill(0.0);
        if let Self::LogarithmicJ2(_) = self {
            out[..M].copy_from_slice(&F::IDENTITY);
        }
    }

    /// Accumulated plastic strain α.
    pub fn accumulated<const M: usize, const S: usize>(&self, history: &[f64]) -> f64 {
        match self {
            Self::Hooke { .. } | Self::NeoHookean { .. } => 0.0,
            Self::J2(_) => history[S],
            Self::LogarithmicJ2(_) => history[M],
        }
    }

    /// Stress and energies at `strain`; the tangent `∂stress/∂strain` where asked.
    #[inline]
    pub fn respond<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        strain: &[f64; S],
        old: &[f64],
        new: &mut [f64],
        tangent: Option<&mut [[f64; S]; S]>,
    ) -> Result<Point<S>, Impossible> {
        match self {
            Self::Hooke { lambda, mu } => Ok(hooke(*lambda, *mu, strain, tangent)),
            Self::NeoHookean { lambda, mu } => neo_hookean::<F, M, S>(*lambda, *mu, strain, tangent),
            Self::J2(flow) => Ok(small_j2(flow, strain, old, new, tangent)),
            Self::LogarithmicJ2(flow) => logarithmic::respond::<F, M, S>(flow, strain, old, new, tangent),
        }
    }
}

#[inline]
fn hooke<const S: usize>(lambda: f64, mu: f64, e: &[f64; S], tangent: Option<&mut [[f64; S]; S]>) -> Point<S> {
    let pressure = lambda * (e[0] + e[1] + e[2]);
    let mut stress = [0.0; S];
    let mut elastic = 0.0;
    for v in 0..S {
        stress[v] = if v < 3 { pressure + 2.0 * mu * e[v] } else { mu * e[v] };
        elastic += 0.5 * stress[v] * e[v];
    }
    if let Some(t) = tangent {
        *t = hooke_tangent(lambda, mu);
    }
    Point { stress, elastic, plastic: 0.0 }
}

/// Hooke's matrix, shears in engineering form.
pub(crate) fn hooke_tangent<const S: usize>(lambda: f64, mu: f64) -> [[f64; S]; S] {
    std::array::from_fn(|v| {
        std::array::from_fn(|w| {
            let volume = if v < 3 && w < 3 { lambda } else { 0.0 };
            volume
                + if v != w {
                    0.0
                } else if v < 3 {
                    2.0 * mu
                } else {
                    mu
                }
        })
    })
}

/// `S = μ(1 − C⁻¹) + λ ln J C⁻¹`.
fn neo_hookean<F: Frame<M, S>, const M: usize, const S: usize>(
    lambda: f64,
    mu: f64,
    e: &[f64; S],
    tangent: Option<&mut [[f64; S]; S]>,
) -> Result<Point<S>, Impossible> {
    let c: [f64; S] = std::array::from_fn(|v| if v < 3 { 1.0 + 2.0 * e[v] } else { e[v] });
    let (inverse, determinant) = F::symmetric_inverse(&c);
    if !(determinant > 0.0 && determinant.is_finite()) {
        return Err(Impossible);
    }
    let log_j = 0.5 * determinant.ln();
    let factor = lambda * log_j - mu;
    let stress = std::array::from_fn(|v| factor * inverse[v] + if v < 3 { mu } else { 0.0 });
    let elastic = mu * (e[0] + e[1] + e[2]) - mu * log_j + 0.5 * lambda * log_j * log_j;
    if let Some(t) = tangent {
        let at = |i: usize, j: usize| F::voigt(i, j).map_or(0.0, |v| inverse[v]);
        for v in 0..S {
            let (i, j) = F::PAIRS[v];
            for w in 0..S {
                let (k, l) = F::PAIRS[w];
                let cross = at(i, k) * at(j, l) + at(i, l) * at(j, k);
                t[v][w] = lambda * inverse[v] * inverse[w] - factor * cross;
            }
        }
    }
    Ok(Point { stress, elastic, plastic: 0.0 })
}

#[inline]
fn small_j2<const S: usize>(
    flow: &Flow,
    strain: &[f64; S],
    old: &[f64],
    new: &mut [f64],
    tangent: Option<&mut [[f64; S]; S]>,
) -> Point<S> {
    let (old, new) = (&old[..=S], &mut new[..=S]);
    let mut back: [f64; S] = std::array::from_fn(|v| old[v]);
    let trial = std::array::from_fn(|v| strain[v] - back[v]);
    let mut alpha = old[S];
    let ret = flow.return_map(&trial, &back, alpha);
    if let Some(t) = tangent {
        flow.tangent(ret.flow.as_ref(), t);
    }
    if let Some(p) = &ret.flow {
        alpha += p.alpha;
        for v in 0..S {
            back[v] += p.strain[v];
        }
    }
    new[..S].copy_from_slice(&back);
    new[S] = alpha;
    Point { stress: ret.stress, elastic: ret.elastic, plastic: flow.work(alpha, &back) }
}
