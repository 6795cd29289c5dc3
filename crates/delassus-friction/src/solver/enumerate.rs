//! All isolated solutions of a small plane problem, by enumeration of statuses
//!
//! Each contact takes off, sticks or slips either way: `4ⁿ` linear systems, each
//! checked against the inequalities of Coulomb's law [Moreau03 §2]. Meant for a handful
//! of contacts: to show that a step has no solution, one, or several.

use crate::algebra::Vector;
use crate::{Error, Law, Problem};

/// Most contacts that are enumerated.
pub const ENUMERATION_LIMIT: usize = 8;

/// What one contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactStatus {
    /// `S = 0`, `U_N ≥ 0`.
    TakeOff,
    /// `U = 0`, `|S_T| ≤ μ S_N`.
    Stick,
    /// `U_N = 0`, `U_T ≥ 0`, `S_T = −μ S_N`.
    SlipForward,
    /// `U_N = 0`, `U_T ≤ 0`, `S_T = μ S_N`.
    SlipBackward,
}

const STATUSES: [ContactStatus; 4] =
    [ContactStatus::TakeOff, ContactStatus::Stick, ContactStatus::SlipForward, ContactStatus::SlipBackward];

/// One solution found.
#[derive(Clone, Debug)]
pub struct Enumerated {
    /// The statuses it was found with.
    pub status: Vec<ContactStatus>,
    /// The percussions.
    pub s: Vec<Vector<2>>,
}

/// The isolated solutions, and the statuses that leave a family of candidates (their linear
/// system is singular but consistent; the inequalities of the law are not looked at).
pub struct Enumeration {
    /// Distinct isolated solutions.
    pub isolated: Vec<Enumerated>,
    /// Sets of statuses with a singular consistent system.
    pub families: Vec<Vec<ContactStatus>>,
}

/// Enumerates; Coulomb and frictionless laws only.
pub fn enumerate(problem: &Problem<2>) -> Result<Enumeration, Error> {
    let n = problem.len();
    let unsupported = |reason| Error::Unsupported { solver: "enumerate", reason };
    if n > ENUMERATION_LIMIT {
        return Err(unsupported("more than 8 contacts"));
    }
    let coefficient = |law: &Law| match law {
        Law::Frictionless => Ok(0.0),
        Law::Coulomb { mu } => Ok(*mu),
        _ => Err(unsupported("laws other than Coulomb's")),
    };
    let mu = problem.laws().iter().map(coefficient).collect::<Result<Vec<f64>, Error>>()?;
    let mut out = Enumeration { isolated: vec![], families: vec![] };
    for code in 0..4usize.pow(n as u32) {
        let status: Vec<ContactStatus> = (0..n).map(|i| STATUSES[code >> (2 * i) & 3]).collect();
        match candidate(problem, &mu, &status) {
            Candidate::One(s) if admissible(problem, &mu, &status, &s) => keep(&mut out.isolated, status, s),
            Candidate::Family => out.families.push(status),
            _ => {}
        }
    }
    Ok(out)
}

enum Candidate {
    None,
    One(Vec<Vector<2>>),
    Family,
}

/// Solves the equations of the statuses: two rows per contact, in the unknowns `S`.
fn candidate(problem: &Problem<2>, mu: &[f64], status: &[ContactStatus]) -> Candidate {
    let n = status.len();
    let mut rows = vec![vec![0.0; 2 * n + 1]; 2 * n];
    for i in 0..n {
        let velocity = |r: usize| {
            let mut row = vec![0.0; 2 * n + 1];
            for (j, b) in problem.w().row(i).chain([(i, problem.w().diagonal(i))]) {
                row[2 * j] += b[(r, 0)];
                row[2 * j + 1] += b[(r, 1)];
            }
            row[2 * n] = -problem.b()[i][r];
            row
        };
        match status[i] {
            ContactStatus::TakeOff => {
                rows[2 * i][2 * i] = 1.0;
                rows[2 * i + 1][2 * i + 1] = 1.0;
            }
            ContactStatus::Stick => {
                rows[2 * i] = velocity(0);
                rows[2 * i + 1] = velocity(1);
            }
            slip => {
                rows[2 * i] = velocity(0);
                let sign = if slip == ContactStatus::SlipForward { 1.0 } else { -1.0 };
                rows[2 * i + 1][2 * i] = sign * mu[i];
                rows[2 * i + 1][2 * i + 1] = 1.0;
            }
        }
    }
    eliminate(rows)
}

/// Gauss–Jordan with full pivoting on normalised rows.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Candidate {
    let n = rows.len();
    for row in &mut rows {
        let size = row[..n].iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if size > 0.0 {
            row.iter_mut().for_each(|x| *x /= size);
        }
    }
    let right = rows.iter().fold(1e-300f64, |m, r| m.max(r[n].abs()));
    let mut column: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let (mut p, mut c) = (k, k);
        for i in k..n {
            for j in k..n {
                if rows[i][column[j]].abs() > rows[p][column[c]].abs() {
                    (p, c) = (i, j);
                }
            }
        }
        rows.swap(k, p);
        column.swap(k, c);
        let pivot = rows[k][column[k]];
        if pivot.abs() < 1e-12 {
            let consistent = rows[k..].iter().all(|r| r[n].abs() <= 1e-10 * right);
            return if consistent { Candidate::Family } else { Candidate::None };
        }
        let top = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let f = row[column[k]] / pivot;
            if i != k && f != 0.0 {
                row.iter_mut().zip(&top).for_each(|(x, t)| *x -= f * t);
            }
        }
    }
    let mut s = vec![Vector::<2>::zeros(); n / 2];
    for k in 0..n {
        s[column[k] / 2][column[k] % 2] = rows[k][n] / rows[k][column[k]];
    }
    Candidate::One(s)
}

fn admissible(problem: &Problem<2>, mu: &[f64], status: &[ContactStatus], s: &[Vector<2>]) -> bool {
    let mut u = problem.zero();
    problem.velocities(s, &mut u);
    let velocity = 1e-10 * problem.b_norm().max(f64::MIN_POSITIVE);
    (0..s.len()).all(|i| {
        let force = velocity * problem.rho(i);
        match status[i] {
            ContactStatus::TakeOff => u[i][0] >= -velocity,
            ContactStatus::Stick => s[i][1].abs() <= mu[i] * s[i][0] + force,
            ContactStatus::SlipForward => s[i][0] >= -force && u[i][1] >= -velocity,
            ContactStatus::SlipBackward => s[i][0] >= -force && u[i][1] <= velocity,
        }
    })
}

/// Statuses overlap at their limits: the same percussions are kept once.
fn keep(list: &mut Vec<Enumerated>, status: Vec<ContactStatus>, s: Vec<Vector<2>>) {
    let size = |x: &[Vector<2>]| x.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let known = list.iter().any(|e| {
        let difference = e.s.iter().zip(&s).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        difference <= 1e-9 * (size(&s) + size(&e.s))
    });
    if !known {
        list.push(Enumerated { status, s });
    }
}
