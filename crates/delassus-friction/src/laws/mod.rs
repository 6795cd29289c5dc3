//! Contact laws. A law is a closed convex set `C` of percussions and a shift
//! `φ(U_T) ≥ 0` of the normal velocity:
//!
//! ```text
//! Û = U + φ(U_T) n,       −Û ∈ N_C(S)                      method (3), [Moreau86]
//! ```
//!
//! For a cone `C = { S_T ∈ S_N·D }` with section `D`, `φ` is the support
//! function of `D` at `−U_T`: Coulomb's `μ|U_T|` when `D` is a disc, and the law
//! of maximal dissipation for any convex section. Everything a solver needs is
//! the exact projection on `C`, the shift, and the exact one-contact solve.
//!
//! Every law is *prospective* [Moreau00 (20)(21)]: at a closed contact `U_N ≥ 0`, and
//! `U_N > 0 ⇒ S = 0`.

pub mod coulomb;
mod directional;
mod elliptic;
mod iterate;
mod limited;
mod polyhedral;
mod rolling;
mod tresca;

use crate::algebra::{Matrix, Vector};
pub use limited::COMPONENTS;
pub use polyhedral::Section;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The law of one contact. Coefficients are plain numbers; sections are given
/// in the tangent axes `(t1, t2)` of the contact frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Unilateral contact without friction.
    Frictionless,
    /// Coulomb friction, circular cone of coefficient `mu`.
    Coulomb {
        /// Friction coefficient.
        mu: f64,
    },
    /// Orthotropic Coulomb friction: elliptic cone (3D contact spaces).
    Elliptic {
        /// Coefficients along the principal axes of the section.
        mu: [f64; 2],
        /// Angle from `t1` to the first principal axis, in radians.
        angle: f64,
    },
    /// Coulomb friction with a convex polygonal section (3D contact spaces).
    Polyhedral(Arc<Section>),
    /// Coulomb friction with another coefficient each way (contact spaces of the plane).
    Directional {
        /// Coefficients against motion along the tangent, and against motion the other way.
        mu: [f64; 2],
    },
    /// Given threshold: `|S_T| ≤ threshold` while the contact is closed.
    Tresca {
        /// Largest tangential percussion [N·s].
        threshold: f64,
    },
    /// Two-sided constraint `U = 0`.
    Bilateral,
    /// Two-sided constraint that yields: `|S_k| ≤ limit_k`, component by component.
    Limited {
        /// Largest percussion of each component [N·s or N·m·s]; infinite where it holds whatever comes.
        limit: [f64; COMPONENTS],
    },
    /// Friction with resistance to rolling: components `(n, t1, t2, roll1, roll2)` in
    /// space, `(n, t, roll)` in the plane.
    Rolling {
        /// Friction coefficient.
        mu: f64,
        /// Rolling coefficient \[m\].
        mu_r: f64,
    },
    /// Friction with resistance to spinning: components `(n, t1, t2, spin)`.
    Torsional {
        /// Friction coefficient.
        mu: f64,
        /// Torsional coefficient \[m\].
        mu_s: f64,
    },
    /// Friction with resistance to rolling and to spinning: components `(n, t1, t2, roll1, roll2, spin)`.
    RollingTorsional {
        /// Friction coefficient.
        mu: f64,
        /// Rolling coefficient \[m\].
        mu_r: f64,
        /// Torsional coefficient \[m\].
        mu_s: f64,
    },
}

impl Law {
    /// Coulomb friction, or [`Law::Frictionless`] when `mu` is zero.
    pub fn coulomb(mu: f64) -> Self {
        if mu == 0.0 { Law::Frictionless } else { Law::Coulomb { mu } }
    }

    /// Coulomb's law with a circular cone, or no friction: what sweeps by bodies have a form of their own for.
    pub fn is_plain(&self) -> bool {
        matches!(self, Law::Coulomb { .. } | Law::Frictionless)
    }

    /// Exact projection on the set `C` of admissible percussions.
    #[inline]
    pub fn project<const D: usize>(&self, x: &Vector<D>) -> Vector<D> {
        match self {
            Law::Frictionless => coulomb::project(0.0, x),
            Law::Coulomb { mu } => coulomb::project(*mu, x),
            Law::Elliptic { mu, angle } => elliptic::project(*mu, *angle, x),
            Law::Polyhedral(section) => polyhedral::project(section, x),
            Law::Directional { mu } => directional::project(*mu, x),
            Law::Tresca { threshold } => tresca::project(*threshold, x),
            Law::Bilateral => *x,
            Law::Limited { limit } => limited::project(limit, x),
            Law::Rolling { mu, mu_r } => rolling::project(&rolling::groups::<D>(*mu, *mu_r, 0.0), x),
            Law::Torsional { mu, mu_s } => rolling::project(&rolling::groups::<D>(*mu, *mu_s, 0.0), x),
            Law::RollingTorsional { mu, mu_r, mu_s } => rolling::project(&rolling::groups::<D>(*mu, *mu_r, *mu_s), x),
        }
    }

    /// The shift `φ(U_T)` of the normal velocity, method (3).
    #[inline]
    pub fn shift<const D: usize>(&self, u: &Vector<D>) -> f64 {
        match self {
            Law::Frictionless | Law::Tresca { .. } | Law::Bilateral | Law::Limited { .. } => 0.0,
            Law::Coulomb { mu } => mu * coulomb::tangent_norm(u),
            Law::Elliptic { mu, angle } => elliptic::shift(*mu, *angle, u),
            Law::Polyhedral(section) => polyhedral::shift(section, u),
            Law::Directional { mu } => directional::shift(*mu, u),
            Law::Rolling { mu, mu_r } => rolling::shift(&rolling::groups::<D>(*mu, *mu_r, 0.0), u),
            Law::Torsional { mu, mu_s } => rolling::shift(&rolling::groups::<D>(*mu, *mu_s, 0.0), u),
            Law::RollingTorsional { mu, mu_r, mu_s } => rolling::shift(&rolling::groups::<D>(*mu, *mu_r, *mu_s), u),
        }
    }

    /// The natural map `S − P_C(S − ρ Û)` of method (4): zero exactly when the
    /// law holds between `u` and `s`.
    #[inline]
    pub fn residual<const D: usize>(&self, u: &Vector<D>, s: &Vector<D>, rho: f64) -> Vector<D> {
        if let Law::Tresca { threshold } = self {
            return tresca::residual(*threshold, u, s, rho);
        }
        let mut x = s - rho * u;
        x[0] -= rho * self.shift(u);
        s - self.project(&x)
    }

    /// Exact solution `S` of the one-contact problem `U = W S + q` with this law.
    ///
    /// `guess` starts the iterative parts and selects among several solutions
    /// when `W` is singular; the certificate judges the answer.
    #[inline]
    pub fn solve_one<const D: usize>(&self, w: &Matrix<D>, q: &Vector<D>, guess: &Vector<D>) -> Vector<D> {
        self.solve_one_to(w, q, guess, 0.0)
    }

    /// As [`Law::solve_one`], to a relative accuracy where that costs less: early visits of a sweep.
    #[inline]
    pub fn solve_one_to<const D: usize>(
        &self,
        w: &Matrix<D>,
        q: &Vector<D>,
        guess: &Vector<D>,
        accuracy: f64,
    ) -> Vector<D> {
        match self {
            Law::Frictionless => coulomb::frictionless(w, q),
            Law::Coulomb { mu } => coulomb::solve_one_to(*mu, w, q, accuracy),
            Law::Elliptic { mu, angle } => elliptic::solve_one(*mu, *angle, w, q),
            Law::Polyhedral(section) => polyhedral::solve_one(section, w, q),
            Law::Directional { mu } => coulomb::solve_between(*mu, w, q),
            Law::Tresca { threshold } => tresca::solve_one(*threshold, w, q),
            Law::Bilateral => iterate::bilateral(w, q, guess),
            Law::Limited { limit } => limited::solve_one(limit, w, q, guess),
            Law::Rolling { mu, mu_r } => rolling::solve_one(&rolling::groups::<D>(*mu, *mu_r, 0.0), w, q, guess),
            Law::Torsional { mu, mu_s } => rolling::solve_one(&rolling::groups::<D>(*mu, *mu_s, 0.0), w, q, guess),
            Law::RollingTorsional { mu, mu_r, mu_s } => {
                rolling::solve_one(&rolling::groups::<D>(*mu, *mu_r, *mu_s), w, q, guess)
            }
        }
    }

    /// Checks the coefficients, and that the law makes sense in a contact space
    /// of `D` components; the error says what would be accepted.
    pub fn validate<const D: usize>(&self) -> Result<(), LawError> {
        let coefficient = |name: &'static str, value: f64| {
            if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(LawError::Coefficient { name, value }) }
        };
        let dimension = |law: &'static str, wanted: usize| {
            if D == wanted { Ok(()) } else { Err(LawError::Dimension { law, wanted, found: D }) }
        };
        match self {
            Law::Frictionless | Law::Bilateral => Ok(()),
            Law::Coulomb { mu } => coefficient("mu", *mu),
            Law::Tresca { threshold } => coefficient("threshold", *threshold),
            Law::Elliptic { mu, angle } => {
                dimension("elliptic", 3)?;
                coefficient("mu[0]", mu[0])?;
                coefficient("mu[1]", mu[1])?;
                if angle.is_finite() { Ok(()) } else { Err(LawError::Coefficient { name: "angle", value: *angle }) }
            }
            Law::Polyhedral(_) => dimension("polyhedral", 3),
            Law::Directional { mu } => {
                dimension("directional", 2)?;
                coefficient("mu[0]", mu[0])?;
                coefficient("mu[1]", mu[1])
            }
            Law::Limited { limit } => match limit.iter().find(|l| !(**l >= 0.0)) {
                Some(value) => Err(LawError::Coefficient { name: "limit", value: *value }),
                None if D <= COMPONENTS => Ok(()),
                None => dimension("limited", COMPONENTS),
            },
            Law::Rolling { mu, mu_r } => {
                // In the plane the components are (n, t, roll).
                if D != 3 {
                    dimension("rolling", 5)?;
                }
                coefficient("mu", *mu)?;
                coefficient("mu_r", *mu_r)
            }
            Law::Torsional { mu, mu_s } => {
                dimension("torsional", 4)?;
                coefficient("mu", *mu)?;
                coefficient("mu_s", *mu_s)
            }
            Law::RollingTorsional { mu, mu_r, mu_s } => {
                dimension("rolling and torsional", 6)?;
                coefficient("mu", *mu)?;
                coefficient("mu_r", *mu_r)?;
                coefficient("mu_s", *mu_s)
            }
        }
    }
}

/// Why a law was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LawError {
    /// A coefficient is negative or not a number.
    #[error("coefficient {name} is {value}: expected a finite number, not negative")]
    Coefficient {
        /// The coefficient's name.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// The law needs another contact space.
    #[error("the {law} law needs contacts of {wanted} components, these have {found}")]
    Dimension {
        /// The law's name.
        law: &'static str,
        /// Components it needs.
        wanted: usize,
        /// Components of the problem.
        found: usize,
    },
    /// The polygon does not bound a convex set containing the origin.
    #[error(
        "friction section: {reason}; expected at least 3 finite vertices of a convex polygon, counter-clockwise, containing the origin"
    )]
    Section {
        /// What is wrong with it.
        reason: String,
    },
}
