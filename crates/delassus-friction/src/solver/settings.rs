//! The names of the solvers and the settings they share.

use super::Order;
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Every solver, by the name the command line uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverKind {
    /// Chooses, watches, hands over.
    #[default]
    Auto,
    /// Nonlinear Gauss–Seidel.
    Nlgs,
    /// Nonlinear Gauss–Seidel with Anderson acceleration.
    NlgsAnderson,
    /// Nonsmooth Newton on Alart and Curnier's function.
    NewtonAc,
    /// Nonsmooth Newton on the natural map.
    NewtonNm,
    /// Nonsmooth Newton on the Fischer–Burmeister function of the cone.
    NewtonFb,
    /// Proximal points around the nonsmooth Newton method.
    Proximal,
    /// Method of multipliers, with Newton steps on the velocities of the bodies.
    Multipliers,
    /// Convex programs parametrised by `s`, fixed point on `s` \[Cadoux09\].
    ConvexFixedPoint,
    /// Convex programs parametrised by `s`, nonsmooth Newton on `s` \[Cadoux09\].
    ConvexNewton,
    /// Alternating directions with adaptive penalty and over-relaxation.
    Admm,
    /// Accelerated projected gradient with `s`-updates.
    Apg,
    /// Primal-dual interior point.
    Ipm,
}

impl SolverKind {
    /// All of them, in the order of the documentation.
    pub const ALL: [SolverKind; 13] = [
        Self::Auto,
        Self::Nlgs,
        Self::NlgsAnderson,
        Self::NewtonAc,
        Self::NewtonNm,
        Self::NewtonFb,
        Self::Proximal,
        Self::Multipliers,
        Self::ConvexFixedPoint,
        Self::ConvexNewton,
        Self::Admm,
        Self::Apg,
        Self::Ipm,
    ];

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Nlgs => "nlgs",
            Self::NlgsAnderson => "nlgs-anderson",
            Self::NewtonAc => "newton-ac",
            Self::NewtonNm => "newton-nm",
            Self::NewtonFb => "newton-fb",
            Self::Proximal => "proximal",
            Self::Multipliers => "multipliers",
            Self::ConvexFixedPoint => "convex-fixed-point",
            Self::ConvexNewton => "convex-newton",
            Self::Admm => "admm",
            Self::Apg => "apg",
            Self::Ipm => "ipm",
        }
    }
}

impl fmt::Display for SolverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SolverKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        if let Some(kind) = Self::ALL.into_iter().find(|k| k.name() == name) {
            return Ok(kind);
        }
        let nearest = Self::ALL.into_iter().map(|k| (distance(name, k.name()), k.name())).min();
        Err(Error::UnknownSolver {
            name: name.into(),
            expected: Self::ALL.map(Self::name).join(", "),
            suggestion: nearest.filter(|(d, n)| 2 * *d <= n.len()).map(|(_, n)| n),
        })
    }
}

/// Edit distance, for suggestions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

/// What every solver understands. The settings of one solver alone live beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which solver.
    pub solver: SolverKind,
    /// Relative residual to reach, see [`crate::Certificate`].
    pub tolerance: f64,
    /// Limit on iterations; `None` takes the solver's own default.
    pub max_iterations: Option<usize>,
    /// Order of Gauss–Seidel sweeps.
    pub order: Order,
    /// After a failure of `auto`, ask whether a solution exists at all, method §8.8: a conic program.
    pub existence: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solver: SolverKind::Auto,
            tolerance: 1e-8,
            max_iterations: None,
            order: Order::Sequential,
            existence: false,
        }
    }
}

impl Settings {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), Error> {
        if self.tolerance.is_finite() && self.tolerance > 0.0 {
            return Ok(());
        }
        Err(Error::Setting { name: "tolerance", value: self.tolerance, expected: "a positive finite number" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_typos_are_corrected() {
        for kind in SolverKind::ALL {
            assert_eq!(kind.name().parse::<SolverKind>(), Ok(kind));
        }
        let error = "nlsg".parse::<SolverKind>().expect_err("not a name").to_string();
        assert!(error.contains("did you mean 'nlgs'"), "{error}");
    }
}
