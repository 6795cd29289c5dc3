//! Isotropic hardening: the yield stress `σ_y(α)` against accumulated plastic strain

use super::MaterialError;
use serde::{Deserialize, Serialize};

/// How the yield stress grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Hardening {
    /// `σ_y + modulus α`; zero is perfect plasticity.
    Linear {
        /// Slope against plastic strain \[Pa\] (see [`Hardening::from_tangent`]).
        modulus: f64,
    },
    /// Points `(α, σ)` joined by segments, constant after the last; `(0, σ_y)` is understood.
    Table(Vec<(f64, f64)>),
}

impl Hardening {
    /// The linear hardening whose uniaxial curve has slope `tangent` after yield:
    /// `modulus = E Eₜ/(E − Eₜ)`.
    ///
    /// # Errors
    /// A slope outside `[0, young[`.
    pub fn from_tangent(young: f64, tangent: f64) -> Result<Self, MaterialError> {
        if !(young.is_finite() && tangent >= 0.0 && tangent < young) {
            return Err(MaterialError::Tangent { tangent, young });
        }
        Ok(Self::Linear { modulus: young * tangent / (young - tangent) })
    }

    pub(crate) fn validate(&self, yield_stress: f64) -> Result<(), MaterialError> {
        match self {
            Self::Linear { modulus } => super::error::non_negative("modulus", *modulus),
            Self::Table(points) => {
                let mut last = (0.0, yield_stress);
                for (index, &(alpha, stress)) in points.iter().enumerate() {
                    let first = index == 0 && alpha == 0.0 && stress == yield_stress;
                    let grows = alpha > last.0 && stress >= last.1;
                    if !(first || grows) || !alpha.is_finite() || !stress.is_finite() {
                        return Err(MaterialError::Table { index, alpha, stress, yield_stress });
                    }
                    last = (alpha, stress);
                }
                Ok(())
            }
        }
    }
}

/// A piece of the curve: from `alpha`, `stress + slope (α − alpha)`; `work = ∫₀ σ_y` up to there.
#[derive(Clone, Copy, Debug)]
struct Piece {
    alpha: f64,
    stress: f64,
    slope: f64,
    work: f64,
}

/// The curve as pieces, the last without end.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    first: Piece,
    others: Vec<Piece>,
}

impl Curve {
    /// The hardening is valid.
    pub fn new(hardening: &Hardening, yield_stress: f64) -> Self {
        let start = Piece { alpha: 0.0, stress: yield_stress, slope: 0.0, work: 0.0 };
        match hardening {
            Hardening::Linear { modulus } => Self { first: Piece { slope: *modulus, ..start }, others: Vec::new() },
            Hardening::Table(points) => {
                let mut pieces = vec![start];
                for &(alpha, stress) in points.iter().filter(|p| p.0 > 0.0) {
                    let last = pieces.last_mut().expect("the start is there");
                    let length = alpha - last.alpha;
                    last.slope = (stress - last.stress) / length;
                    let work = last.work + 0.5 * length * (last.stress + stress);
                    pieces.push(Piece { alpha, stress, slope: 0.0, work });
                }
                Self { first: pieces[0], others: pieces[1..].to_vec() }
            }
        }
    }

    /// The piece that holds `alpha`, and how many of the others begin before it.
    fn piece(&self, alpha: f64) -> (Piece, usize) {
        let rank = self.others.partition_point(|p| p.alpha <= alpha);
        (if rank == 0 { self.first } else { self.others[rank - 1] }, rank)
    }

    /// `σ_y(α)`.
    #[inline]
    pub fn stress(&self, alpha: f64) -> f64 {
        let p = if self.others.is_empty() { self.first } else { self.piece(alpha).0 };
        p.stress + p.slope * (alpha - p.alpha)
    }

    /// `∫₀^α σ_y`, the plastic work of the isotropic part.
    #[inline]
    pub fn work(&self, alpha: f64) -> f64 {
        let p = if self.others.is_empty() { self.first } else { self.piece(alpha).0 };
        let t = alpha - p.alpha;
        p.work + t * (p.stress + 0.5 * p.slope * t)
    }

    /// The root Δα ≥ 0 of `trial − stiffness Δα = σ_y(α + Δα)`, and the slope there.
    /// Exact: the left side decreases, the right side does not, piece after piece.
    #[inline]
    pub fn advance(&self, alpha: f64, trial: f64, stiffness: f64) -> (f64, f64) {
        let (mut p, mut rank) = if self.others.is_empty() { (self.first, 0) } else { self.piece(alpha) };
        loop {
            let step = (trial - p.stress - p.slope * (alpha - p.alpha)) / (stiffness + p.slope);
            match self.others.get(rank) {
                Some(next) if alpha + step > next.alpha => p = *next,
                _ => return (step, p.slope),
            }
            rank += 1;
        }
    }
}
