//! A problem read from a file, whatever its form and contact space.

use super::{GlobalProblem, Problem};
use crate::algebra::{BlockMatrix, Vector};
use crate::fclib::{self, File};
use crate::solver::{GlobalNewton, Monitor, Solution, is_newton, solve_monitored};
use crate::{Error, Law, Settings};

/// One problem of a file: local or global, contacts of 2, 3 or 5 components.
pub enum AnyProblem {
    /// Local, plane.
    Local2(Problem<2>),
    /// Local, space.
    Local3(Problem<3>),
    /// Local, space with rolling.
    Local5(Problem<5>),
    /// Global, plane.
    Global2(GlobalProblem<2>),
    /// Global, space.
    Global3(GlobalProblem<3>),
    /// Global, space with rolling.
    Global5(GlobalProblem<5>),
}

/// Solution of an [`AnyProblem`], flat, contact after contact, normal first.
pub struct AnySolution {
    /// Status, certificate and story.
    pub solution: Solution,
    /// Percussions.
    pub r: Vec<f64>,
    /// Relative velocities.
    pub u: Vec<f64>,
    /// Velocities of the bodies, for global problems.
    pub v: Option<Vec<f64>>,
}

/// Evaluates an expression on the problem inside, local or global.
macro_rules! inside {
    ($any:expr, $p:ident => $e:expr) => {
        match $any {
            AnyProblem::Local2($p) => $e,
            AnyProblem::Local3($p) => $e,
            AnyProblem::Local5($p) => $e,
            AnyProblem::Global2($p) => $e,
            AnyProblem::Global3($p) => $e,
            AnyProblem::Global5($p) => $e,
        }
    };
}

impl AnyProblem {
    /// Takes the problem of a file; its equality constraints are refused by name.
    pub fn from_fclib(file: &File) -> Result<Self, Error> {
        let unsupported = |reason| Err(Error::Unsupported { solver: "this version", reason });
        Ok(match (&file.problem, file.block_size()) {
            (fclib::Problem::Local(p), _) if p.equality.is_some() => {
                return unsupported("equality constraints (V, R, s): remove them or condense them into W");
            }
            (fclib::Problem::Global(p), _) if p.equality.is_some() => {
                return unsupported("equality constraints (G, b): remove them or add them as bilateral contacts");
            }
            (fclib::Problem::Local(p), 2) => Self::Local2(local(p, file)?),
            (fclib::Problem::Local(p), 3) if file.mu_r.is_none() => Self::Local3(local(p, file)?),
            (fclib::Problem::Local(p), 5) => Self::Local5(local(p, file)?),
            (fclib::Problem::Global(p), 2) => Self::Global2(global(p, file)?),
            (fclib::Problem::Global(p), 3) if file.mu_r.is_none() => Self::Global3(global(p, file)?),
            (fclib::Problem::Global(p), 5) => Self::Global5(global(p, file)?),
            _ => return unsupported("contacts of this dimension: 2, 3, and 5 (rolling in space) are known"),
        })
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        inside!(self, p => p.len())
    }

    /// Components per contact.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Local2(_) | Self::Global2(_) => 2,
            Self::Local3(_) | Self::Global3(_) => 3,
            Self::Local5(_) | Self::Global5(_) => 5,
        }
    }

    /// Degrees of freedom of a global problem.
    pub fn dofs(&self) -> Option<usize> {
        match self {
            Self::Global2(p) => Some(p.dofs()),
            Self::Global3(p) => Some(p.dofs()),
            Self::Global5(p) => Some(p.dofs()),
            _ => None,
        }
    }

    /// Measured asymmetry of `W`; zero in global form, where it is not formed.
    pub fn asymmetry(&self) -> f64 {
        match self {
            Self::Local2(p) => p.asymmetry(),
            Self::Local3(p) => p.asymmetry(),
            Self::Local5(p) => p.asymmetry(),
            _ => 0.0,
        }
    }

    /// Rank deficiency of `W` (of its condensation, in global form).
    pub fn rank_hint(&self) -> Option<usize> {
        match self {
            Self::Local2(p) => p.rank_deficiency(),
            Self::Local3(p) => p.rank_deficiency(),
            Self::Local5(p) => p.rank_deficiency(),
            Self::Global2(p) => p.condense().ok()?.rank_deficiency(),
            Self::Global3(p) => p.condense().ok()?.rank_deficiency(),
            Self::Global5(p) => p.condense().ok()?.rank_deficiency(),
        }
    }

    /// What a user should know before trusting the data.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Local2(p) => p.warnings(),
            Self::Local3(p) => p.warnings(),
            Self::Local5(p) => p.warnings(),
            _ => vec![],
        }
    }

    /// Solves from `start` (flat percussions) or from zero.
    pub fn solve(
        &self,
        settings: &Settings,
        start: Option<&[f64]>,
        monitor: &mut dyn Monitor,
    ) -> Result<AnySolution, Error> {
        match self {
            Self::Local2(p) => solve_local(p, settings, start, monitor),
            Self::Local3(p) => solve_local(p, settings, start, monitor),
            Self::Local5(p) => solve_local(p, settings, start, monitor),
            Self::Global2(p) => solve_global(p, settings, start, monitor),
            Self::Global3(p) => solve_global(p, settings, start, monitor),
            Self::Global5(p) => solve_global(p, settings, start, monitor),
        }
    }
}

fn laws(file: &File) -> Vec<Law> {
    match &file.mu_r {
        Some(mu_r) => file.mu.iter().zip(mu_r).map(|(&mu, &mu_r)| Law::Rolling { mu, mu_r }).collect(),
        None => file.mu.iter().map(|&mu| Law::coulomb(mu)).collect(),
    }
}

fn blocks<const D: usize>(flat: &[f64]) -> Vec<Vector<D>> {
    flat.chunks_exact(D).map(Vector::from_column_slice).collect()
}

fn flat<const D: usize>(x: &[Vector<D>]) -> Vec<f64> {
    x.iter().flat_map(|v| v.iter().copied()).collect()
}

fn local<const D: usize>(p: &fclib::Local, file: &File) -> Result<Problem<D>, Error> {
    let w = BlockMatrix::from_csr(file.mu.len(), &p.w.start, &p.w.column, &p.w.value);
    Problem::new(w, blocks(&p.q), laws(file))
}

fn global<const D: usize>(p: &fclib::Global, file: &File) -> Result<GlobalProblem<D>, Error> {
    GlobalProblem::new(p.m.clone(), p.h.transpose(), p.f.clone(), blocks(&p.w), laws(file))
}

fn start_from<const D: usize>(n: usize, start: Option<&[f64]>) -> Result<Vec<Vector<D>>, Error> {
    match start {
        None => Ok(vec![Vector::zeros(); n]),
        Some(x) if x.len() == D * n => Ok(blocks(x)),
        Some(x) => Err(Error::Shape { what: "length of the start", expected: D * n, found: x.len() }),
    }
}

fn solve_local<const D: usize>(
    p: &Problem<D>,
    settings: &Settings,
    start: Option<&[f64]>,
    monitor: &mut dyn Monitor,
) -> Result<AnySolution, Error> {
    let mut s = start_from(p.len(), start)?;
    let solution = solve_monitored(p, settings, &mut s, monitor)?;
    let mut u = p.zero();
    p.velocities(&s, &mut u);
    Ok(AnySolution { solution, r: flat(&s), u: flat(&u), v: None })
}

fn solve_global<const D: usize>(
    p: &GlobalProblem<D>,
    settings: &Settings,
    start: Option<&[f64]>,
    monitor: &mut dyn Monitor,
) -> Result<AnySolution, Error> {
    let condensed = p.condense()?;
    let mut s = start_from(p.len(), start)?;
    let solution = if is_newton(settings.solver) {
        GlobalNewton::new(p, &condensed, settings)?.solve(&mut s, monitor)
    } else {
        solve_monitored(&condensed, settings, &mut s, monitor)?
    };
    let mut u = condensed.zero();
    condensed.velocities(&s, &mut u);
    Ok(AnySolution { solution, v: Some(p.velocities(&s)), r: flat(&s), u: flat(&u) })
}
