//! Time schemes
//!
//! Every scheme has one vector of unknowns `x` per step, a velocity, in which displacement and
//! acceleration at the end are linear:
//!
//! ```text
//!     u⁺ = û + k_u x,     v⁺ = x,     a⁺ = â + k_a x
//! ```
//!
//! so that a contact law on velocities or on gaps is a row of the same `W`.
//!
//! | scheme | x | forces | source |
//! |---|---|---|---|
//! | Newmark, HHT-α | v⁺ | at the end, weighted | \[Zammali05\] (1.42)–(1.46); \[Hilber77\] |
//! | θ | v⁺ | at the end | method (15) |
//! | Moreau–Jean | v⁺ | at the point θ of the step | method (9); \[Jean99\] |
//! | energy–momentum | v⁺ | between both ends, at the middle | \[Simo92b\], \[Gonzalez00\] |
//! | semi-explicit θ | v⁺ | at the beginning | \[Zammali05\] (3.65)–(3.69) |
//! | central differences | v half a step later | at the end | (1.28)–(1.31), (1.37)–(1.41) |
//! | quasi-static | (u⁺ − u)/h | at the end | |
//!
//! Central differences know the displacements of the end when the step begins; the contact forces there, which
//! velocities and accelerations of the end need, are those that hold the gaps one step later.
//!
//! θ and Moreau–Jean are two integrators: with `A = M + hC + h²θK` the first damps whatever θ, with
//! `A = M + hθC + h²θ²K` the second keeps the energy of linear solids for θ = ½.

use serde::{Deserialize, Serialize};

/// A time scheme.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Scheme {
    /// Explicit, lumped mass; contact by penalty, or implicit by multipliers.
    CentralDifferences,
    /// Implicit.
    Newmark {
        /// β.
        beta: f64,
        /// γ.
        gamma: f64,
    },
    /// Hilber, Hughes and Taylor: internal and external forces weighted between the ends of the step.
    Hht {
        /// α between −1/3 and 0.
        alpha: f64,
    },
    /// Velocity scheme, implicit: contact laws on velocities.
    Theta {
        /// θ.
        theta: f64,
    },
    /// θ-method of Moreau and Jean: contact laws on velocities, forces at the point θ of the step.
    MoreauJean {
        /// θ, ½ to 1.
        theta: f64,
    },
    /// The mean point with stresses that keep energy and angular momentum of hyperelastic solids: contact laws on
    /// velocities.
    EnergyMomentum,
    /// Velocity scheme, internal forces at the beginning of the step, lumped mass.
    SemiExplicit {
        /// θ, at least 1: method §8.2.
        theta: f64,
    },
    /// Without inertia.
    QuasiStatic,
}

/// Why a scheme is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SchemeError {
    /// A parameter out of its range.
    #[error("{scheme}: {name} = {value}, expected {expected}")]
    Parameter {
        /// The scheme.
        scheme: &'static str,
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The step is too long.
    #[error(
        "{scheme}: the step of {step:.3e} s is longer than the stability limit of {limit:.3e} s ({where_from}); take time.step below it or leave it out"
    )]
    Unstable {
        /// The scheme.
        scheme: &'static str,
        /// The step \[s\].
        step: f64,
        /// The longest stable step \[s\].
        limit: f64,
        /// What sets it.
        where_from: String,
    },
}

/// The step in terms of its unknowns; vectors have one entry per degree of freedom.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    /// `û`.
    pub u: Vec<f64>,
    /// `â`.
    pub a: Vec<f64>,
    /// `k_u` \[s\] and `k_a` \[1/s\].
    pub k: [f64; 2],
}

impl Scheme {
    /// The trapezoidal rule.
    pub const TRAPEZOIDAL: Scheme = Scheme::Newmark { beta: 0.25, gamma: 0.5 };

    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Scheme::CentralDifferences => "central differences",
            Scheme::Newmark { .. } => "Newmark",
            Scheme::Hht { .. } => "HHT",
            Scheme::Theta { .. } => "theta scheme",
            Scheme::MoreauJean { .. } => "Moreau-Jean scheme",
            Scheme::EnergyMomentum => "energy-momentum scheme",
            Scheme::SemiExplicit { .. } => "semi-explicit theta scheme",
            Scheme::QuasiStatic => "quasi-static",
        }
    }

    /// Internal forces where displacements are known, lumped mass.
    pub fn is_explicit(&self) -> bool {
        matches!(self, Scheme::CentralDifferences | Scheme::SemiExplicit { .. })
    }

    /// Contact laws on velocities (Signorini–Moreau) rather than on gaps.
    pub fn is_in_velocities(&self) -> bool {
        self.inner_point().is_some() || matches!(self, Scheme::Theta { .. } | Scheme::SemiExplicit { .. })
    }

    /// θ of the schemes whose forces are those of the point θ of the step.
    pub fn inner_point(&self) -> Option<f64> {
        match self {
            Scheme::MoreauJean { theta } => Some(*theta),
            Scheme::EnergyMomentum => Some(0.5),
            _ => None,
        }
    }

    /// Spreads the percussions of contact over two steps, or has no velocities.
    pub fn blends(&self) -> bool {
        matches!(self, Scheme::Newmark { .. } | Scheme::Hht { .. } | Scheme::QuasiStatic | Scheme::CentralDifferences)
    }

    /// Has inertia.
    pub fn is_dynamic(&self) -> bool {
        !matches!(self, Scheme::QuasiStatic)
    }

    /// Weight of the forces at the end of the step; the rest is taken at its beginning.
    pub fn weight(&self) -> f64 {
        if let Scheme::Hht { alpha } = self { 1.0 + alpha } else { 1.0 }
    }

    /// γ: share of the forces at the end in the change of velocity; the rest are those of the beginning.
    pub fn share(&self) -> f64 {
        match self {
            Scheme::QuasiStatic | Scheme::CentralDifferences => 0.5,
            _ => self.newmark().map_or(1.0, |x| x.1),
        }
    }

    /// Checks the parameters: linear stability without a limit for implicit schemes but θ < ½.
    pub fn validate(&self) -> Result<(), SchemeError> {
        let refuse = |name, value, expected| Err(SchemeError::Parameter { scheme: self.name(), name, value, expected });
        match *self {
            Scheme::Newmark { gamma, .. } if !(gamma >= 0.5 && gamma.is_finite()) => {
                refuse("gamma", gamma, "at least 0.5 (below, the scheme amplifies every frequency)")
            }
            Scheme::Newmark { beta, gamma } if !(beta >= 0.5 * gamma - 1e-12 && beta.is_finite()) => refuse(
                "beta",
                beta,
                "at least gamma/2 (unconditional stability); central-differences is the explicit scheme",
            ),
            Scheme::Hht { alpha } if !(-1.0 / 3.0 - 1e-12..=0.0).contains(&alpha) => {
                refuse("alpha", alpha, "between -1/3 and 0")
            }
            Scheme::Theta { theta } if !(theta >= 0.0 && theta.is_finite()) => {
                refuse("theta", theta, "zero or more (0.5 and above: stable for every step)")
            }
            Scheme::MoreauJean { theta } if !(0.5..=1.0).contains(&theta) => {
                refuse("theta", theta, "a number from 0.5 to 1: below, high frequencies would grow")
            }
            Scheme::SemiExplicit { theta } if !(theta >= 1.0 && theta.is_finite()) => refuse(
                "theta",
                theta,
                "at least 1: below, the scheme is unstable for every step (its determinant is 1 + (1 - theta) omega^2 h^2)",
            ),
            _ => Ok(()),
        }
    }

    /// Largest stable `ω Δt`; none where every step is stable. Method §8.2, §8.3.
    pub fn stability(&self) -> Option<f64> {
        match *self {
            Scheme::CentralDifferences => Some(2.0),
            Scheme::SemiExplicit { theta } => Some(2.0 / (2.0 * theta - 1.0).sqrt()),
            Scheme::Theta { theta } if theta < 0.5 => Some(2.0 / (1.0 - 2.0 * theta).sqrt()),
            _ => None,
        }
    }

    /// β and γ of the acceleration schemes.
    pub fn newmark(&self) -> Option<(f64, f64)> {
        match *self {
            Scheme::Newmark { beta, gamma } => Some((beta, gamma)),
            Scheme::Hht { alpha } => Some(((1.0 - alpha) * (1.0 - alpha) / 4.0, 0.5 - alpha)),
            _ => None,
        }
    }

    /// The step of length `h` from `(u, v, a)`.
    pub fn predict(&self, h: f64, [u, v, a]: [&[f64]; 3], out: &mut Prediction) {
        let fill = |out: &mut Vec<f64>, f: &dyn Fn(usize) -> f64| {
            out.clear();
            out.extend((0..u.len()).map(f));
        };
        let Prediction { u: base, a: rate, k } = out;
        if let Some((beta, gamma)) = self.newmark() {
            // u⁺ = u + h v + h² ((½ − β) a + β a⁺),  v⁺ = v + h ((1 − γ) a + γ a⁺), a⁺ eliminated.
            let ratio = beta / gamma;
            fill(base, &|i| u[i] + h * (1.0 - ratio) * v[i] + h * h * (0.5 - ratio) * a[i]);
            fill(rate, &|i| -(v[i] / h + (1.0 - gamma) * a[i]) / gamma);
            *k = [ratio * h, 1.0 / (gamma * h)];
            return;
        }
        let theta = match *self {
            Scheme::Theta { theta } | Scheme::SemiExplicit { theta } => Some(theta),
            _ => self.inner_point(),
        };
        match (*self, theta) {
            (_, Some(theta)) => {
                fill(base, &|i| u[i] + h * (1.0 - theta) * v[i]);
                fill(rate, &|i| -v[i] / h);
                *k = [theta * h, 1.0 / h];
            }
            (Scheme::CentralDifferences, _) => {
                fill(base, &|i| u[i] + h * v[i] + 0.5 * h * h * a[i]);
                fill(rate, &|i| -v[i] / h - 0.5 * a[i]);
                *k = [h, 1.0 / h];
            }
            _ => {
                fill(base, &|i| u[i]);
                fill(rate, &|_| 0.0);
                *k = [h, 0.0];
            }
        }
    }

    /// The unknown that the step begins with: no change of acceleration, velocity or place.
    pub fn start(&self, h: f64, v: f64, a: f64) -> f64 {
        match self {
            Scheme::Newmark { .. } | Scheme::Hht { .. } => v + h * a,
            Scheme::QuasiStatic => 0.0,
            _ => v,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix2;

    /// Amplification of one oscillator `ẍ + ω² x = 0` by a linear step, on `(x, h v)`.
    fn amplification(scheme: Scheme, omega: f64) -> Matrix2<f64> {
        let mut out = Matrix2::zeros();
        for k in 0..2 {
            let (x, v) = if k == 0 { (1.0, 0.0) } else { (0.0, 1.0) };
            let mut p = Prediction::default();
            scheme.predict(1.0, [&[x], &[v], &[-omega * omega * x]], &mut p);
            let (w, [k_u, k_a]) = (omega * omega, p.k);
            let y = match scheme {
                // â + k_a y + ω² x = 0
                _ if scheme.is_explicit() => (-w * x - p.a[0]) / k_a,
                // The force at the point θ.
                Scheme::MoreauJean { .. } | Scheme::EnergyMomentum => {
                    let theta = scheme.inner_point().unwrap_or_default();
                    (-p.a[0] - w * (x + theta * (1.0 - theta) * v)) / (k_a + w * theta * theta)
                }
                _ => (-p.a[0] - w * p.u[0]) / (k_a + w * k_u),
            };
            out[(0, k)] = p.u[0] + k_u * y;
            out[(1, k)] = y;
        }
        out
    }

    fn radius(m: &Matrix2<f64>) -> f64 {
        m.complex_eigenvalues().iter().map(|z| z.norm()).fold(0.0, f64::max)
    }

    /// Reference: TH1, eigenvalues of (5.23): complex roots iff |1−θ|Ω < 2, then |λ| = (1+θΩ²)^(−1/2);
    /// stable up to 2/√(1−2θ) for θ < ½ and always above.
    #[test]
    fn theta_scheme_damps_as_its_eigenvalues_say() {
        for theta in [0.0, 0.1, 0.25, 0.4, 0.5, 0.75, 1.0] {
            let scheme = Scheme::Theta { theta };
            for omega in [0.1, 0.5, 1.0, 1.9, 2.5, 3.0, 5.0, 10.0] {
                let m = amplification(scheme, omega);
                let det = 1.0 / (1.0 + theta * omega * omega);
                assert!((m.determinant() - det).abs() < 1e-12 * (1.0 + omega * omega));
                if (1.0 - theta).abs() * omega < 2.0 {
                    assert!((radius(&m) - det.sqrt()).abs() < 1e-7, "θ = {theta}, Ω = {omega}");
                }
                let stable = scheme.stability().is_none_or(|limit| omega <= limit);
                assert_eq!(radius(&m) <= 1.0 + 1e-7, stable, "θ = {theta}, Ω = {omega}");
            }
        }
    }

    /// Reference: TH2: determinant 1 + (1−θ)Ω²; θ = 1 symplectic up to Ω = 2; θ > 1 up to 2/√(2θ−1).
    #[test]
    fn the_semi_explicit_scheme_needs_theta_of_one_at_least() {
        for theta in [0.0, 0.5, 0.9, 1.0, 1.5, 2.0] {
            let scheme = Scheme::SemiExplicit { theta };
            assert_eq!(scheme.validate().is_ok(), theta >= 1.0);
            for omega in [0.1, 0.5, 1.0, 1.1, 1.6, 1.9, 2.1] {
                let m = amplification(scheme, omega);
                assert!((m.determinant() - (1.0 + (1.0 - theta) * omega * omega)).abs() < 1e-12);
                let stable = theta >= 1.0 && scheme.stability().is_none_or(|limit| omega <= limit);
                assert_eq!(radius(&m) <= 1.0 + 1e-7, stable, "θ = {theta}, Ω = {omega}");
            }
        }
        let message = Scheme::SemiExplicit { theta: 0.5 }.validate().unwrap_err().to_string();
        assert!(message.contains("at least 1"), "{message}");
    }

    /// Reference: the trapezoidal rule and central differences have |λ| = 1 up to their limit.
    #[test]
    fn second_order_schemes_do_not_damp() {
        for omega in [0.1, 0.7, 1.9] {
            let midpoint = Scheme::MoreauJean { theta: 0.5 };
            for scheme in [Scheme::TRAPEZOIDAL, Scheme::Hht { alpha: 0.0 }, midpoint, Scheme::EnergyMomentum] {
                assert!((radius(&amplification(scheme, omega)) - 1.0).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for bad in [
            Scheme::Newmark { beta: 0.25, gamma: 0.4 },
            Scheme::Newmark { beta: 0.2, gamma: 0.5 },
            Scheme::Newmark { beta: f64::NAN, gamma: 0.5 },
            Scheme::Hht { alpha: 0.1 },
            Scheme::Hht { alpha: -0.5 },
            Scheme::Theta { theta: -0.1 },
            Scheme::MoreauJean { theta: 0.4 },
        ] {
            assert!(bad.validate().is_err(), "{bad:?}");
        }
    }
}
