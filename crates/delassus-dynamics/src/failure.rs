//! The file a step that did not converge leaves behind, in FCLIB's layout.

use crate::Error;
use delassus_friction::algebra::{Csr, Vector};
use delassus_friction::fclib::{File, Info, Local, Problem as FileProblem, Solution};
use delassus_friction::{Law, Problem};
use std::path::{Path, PathBuf};

/// Writes `step-<number>.hdf5` into `folder`.
///
/// FCLIB knows Coulomb's law and rolling; the laws it cannot express are counted in the
/// description of the file and stand there with their coefficient of friction, or none, and
/// without their moment of spinning.
pub(crate) fn write<const C: usize>(
    folder: &Path,
    step: u64,
    problem: &Problem<C>,
    s: &[Vector<C>],
) -> Result<PathBuf, Error> {
    let refuse = |message: String| Error::ProblemFile { step, message };
    let path = folder.join(format!("step-{step:08}.hdf5"));
    std::fs::create_dir_all(folder).map_err(|e| refuse(format!("{}: {e}", folder.display())))?;
    file_of(step, problem, s).write(&path).map_err(|e| refuse(e.to_string()))?;
    Ok(path)
}

fn file_of<const C: usize>(step: u64, problem: &Problem<C>, s: &[Vector<C>]) -> File {
    let rolling = C == 6 || problem.laws().iter().any(|l| matches!(l, Law::Rolling { .. }));
    // Spinning comes last.
    let kept = if matches!(C, 4 | 6) { C - 1 } else { C };
    let foreign = problem.laws().iter().filter(|l| !expressible(l)).count();
    let description = match foreign {
        0 => String::new(),
        n => format!("{n} of the laws cannot be expressed here; they stand with their coefficient of friction"),
    };
    let (mu, mu_r): (Vec<f64>, Vec<f64>) = problem.laws().iter().map(coefficients).unzip();
    File {
        space_dim: if rolling { kept.div_ceil(2) } else { kept },
        info: Some(Info { title: format!("step {step}"), description, math_info: String::new() }),
        problem: FileProblem::Local(Local {
            w: sparse(problem, kept),
            q: problem.b().iter().flat_map(|b| b.iter().copied().take(kept)).collect(),
            equality: None,
        }),
        mu,
        mu_r: rolling.then_some(mu_r),
        guesses: vec![Solution {
            r: s.iter().flat_map(|s| s.iter().copied().take(kept)).collect(),
            ..Default::default()
        }],
        solution: None,
    }
}

fn expressible(law: &Law) -> bool {
    matches!(law, Law::Frictionless | Law::Coulomb { .. } | Law::Rolling { .. })
}

fn coefficients(law: &Law) -> (f64, f64) {
    match law {
        Law::Coulomb { mu } => (*mu, 0.0),
        Law::Rolling { mu, mu_r } => (*mu, *mu_r),
        Law::Torsional { mu, .. } => (*mu, 0.0),
        Law::RollingTorsional { mu, mu_r, .. } => (*mu, *mu_r),
        Law::Elliptic { mu, .. } | Law::Directional { mu } => (0.5 * (mu[0] + mu[1]), 0.0),
        _ => (0.0, 0.0),
    }
}

fn sparse<const C: usize>(problem: &Problem<C>, kept: usize) -> Csr {
    let mut triplets = vec![];
    for i in 0..problem.len() {
        for (j, block) in problem.w().row(i).chain([(i, problem.w().diagonal(i))]) {
            for r in 0..kept {
                for c in 0..kept {
                    triplets.push((kept * i + r, kept * j + c, block[(r, c)]));
                }
            }
        }
    }
    Csr::from_triplets(kept * problem.len(), kept * problem.len(), &triplets)
}
