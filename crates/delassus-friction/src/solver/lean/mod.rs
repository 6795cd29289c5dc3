//! A problem by bodies, laid out for sweeps
//!
//! ```text
//!     U_α = b_α + R_α y,      S_α ← law_α(W_αα, U_α − W_αα S_α),      y ← y + R_αᵀ ΔS_α        [Moreau00 (33)]
//! ```
//!
//! A body turns and is pushed the same way wherever it is touched: its translations enter every contact by the frame
//! and one number, `T = ± a F`. What a visit reads lies side by side, divisions are done beforehand, and there is no
//! law to look up: Coulomb's and frictionless contacts without compliance. Three kinds of contact are told apart by
//! the numbers of the root alone: the plane, space, and balls, whose block of `W` is diagonal and whose one-contact
//! solve is a closed form. Everything else is swept as before.

mod ball;
mod plane;
mod space;

use crate::algebra::Vector;
use crate::problem::RootSide;
use crate::{Law, Problem, Root};
use ball::Balls;
use plane::Plane;
use space::Space;

/// Disagreement of a block with the form it is taken for, relative to its size.
const SAME: f64 = 1e-11;

/// One contact, with all that a visit reads.
trait Row<const D: usize> {
    /// `b + R y`.
    fn velocity(&self, y: &[f64]) -> Vector<D>;
    /// `y ← y + Rᵀ ΔS`.
    fn push(&self, change: &Vector<D>, y: &mut [f64]);
    /// The exact solution with the others frozen; `u` is the velocity with `s`.
    fn solve(&mut self, u: &Vector<D>, s: &Vector<D>, accuracy: f64) -> Vector<D>;
    /// Coefficient of friction.
    fn mu(&self) -> f64;
    /// `D / trace W_αα`.
    fn rho(&self) -> f64;
}

/// What the contacts of a problem are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    None,
    Plane,
    Balls,
    Space,
}

/// The contacts and the running velocities; scratch that is used again, whatever comes next.
#[derive(Default)]
pub(super) struct Lean {
    kind: Kind,
    plane: Vec<Plane>,
    balls: Balls,
    space: Vec<Space>,
    y: Vec<f64>,
}

/// What a sweep needs beside the contacts.
pub(super) struct Visit<'a> {
    /// Order of the visits.
    pub order: &'a [u32],
    /// Sweeps that open contacts rest for.
    pub rest: &'a mut [super::nlgs::Rest],
    /// Whether they may.
    pub rests: bool,
    /// Relative accuracy of the one-contact solves.
    pub accuracy: f64,
}

macro_rules! each {
    ($self:ident, $rows:ident, $y:ident => $do:expr, $none:expr) => {{
        let Self { kind, plane, balls, space, y: $y } = $self;
        match kind {
            Kind::None => $none,
            Kind::Plane => {
                let $rows = plane;
                $do
            }
            Kind::Balls => {
                let $rows = &mut balls.rows;
                $do
            }
            Kind::Space => {
                let $rows = space;
                $do
            }
        }
    }};
}

impl Lean {
    /// Whether there are contacts laid out.
    pub fn is_used(&self) -> bool {
        self.kind != Kind::None
    }

    /// Takes the contacts of a problem, where it is wanted and all of them are of one kind.
    pub fn fit<const D: usize>(&mut self, problem: &Problem<D>, wanted: bool) {
        self.kind = Kind::None;
        let Some(root) = problem.root().filter(|root| wanted && simple(problem, root)) else { return };
        self.y.clear();
        self.y.resize(root.width() * (root.bodies() + 1), 0.0);
        self.kind = match (D, root.width()) {
            (2, 3) if fill(&mut self.plane, problem, root, Plane::new) => Kind::Plane,
            (3, 6) if self.balls.fit(problem, root) => Kind::Balls,
            (3, 6) if fill(&mut self.space, problem, root, Space::new) => Kind::Space,
            _ => Kind::None,
        };
    }

    /// The running velocities of percussions.
    pub fn gather<const D: usize>(&mut self, s: &[Vector<D>]) {
        each!(self, rows, y => gather(rows, s, y), ());
    }

    /// One sweep; returns the square of the change in velocity units.
    pub fn sweep<const D: usize>(&mut self, s: &mut [Vector<D>], visit: Visit) -> f64 {
        each!(self, rows, y => sweep(rows, s, y, visit), 0.0)
    }

    /// The residual of method (4) [m/s] for the running velocities.
    pub fn residual<const D: usize>(&mut self, s: &[Vector<D>]) -> f64 {
        each!(self, rows, y => residual(rows, s, y), f64::INFINITY)
    }
}

/// Laws that need no looking up, contacts of one or two bodies, no compliance.
fn simple<const D: usize>(problem: &Problem<D>, root: &Root<D>) -> bool {
    let bodies = |sides: &[Option<RootSide>; 2]| match sides {
        [Some(a), Some(b)] => a.body != b.body,
        [Some(_), None] => true,
        _ => false,
    };
    problem.laws().iter().all(Law::is_plain)
        && root.sides().iter().all(bodies)
        && root.compliance().iter().all(|c| c.amax() == 0.0)
        && (0..problem.len()).all(|i| {
            let w = problem.w().diagonal(i);
            w[(0, 0)] > 1e-12 * w.trace()
        })
}

fn coefficient(law: &Law) -> f64 {
    if let Law::Coulomb { mu } = law { *mu } else { 0.0 }
}

fn fill<const D: usize, R>(
    rows: &mut Vec<R>,
    problem: &Problem<D>,
    root: &Root<D>,
    row: impl Fn(&Problem<D>, &Root<D>, usize) -> Option<R>,
) -> bool {
    rows.clear();
    for i in 0..problem.len() {
        let Some(row) = row(problem, root, i) else { return false };
        rows.push(row);
    }
    true
}

/// The number of a side's body; that of nobody is the first beyond the others, and what is added there is zero.
fn place(side: &Option<RootSide>, bodies: usize, width: usize) -> u32 {
    (side.map_or(bodies, |s| s.body as usize) * width) as u32
}

/// `F` and the numbers `a` of both sides, where the translations of both are `± a F`.
#[allow(clippy::type_complexity)]
fn frame<const D: usize>(root: &Root<D>, i: usize) -> Option<([Vector<D>; D], [f64; 2])> {
    let [first, second] = &root.sides()[i];
    let columns = &root.columns(first.as_ref()?)[..D];
    let a = (columns.iter().map(|c| c.norm_squared()).sum::<f64>() / D as f64).sqrt();
    if !(a > 0.0) {
        return None;
    }
    // Rows of F are the axes of the contact, columns those of space.
    let f: [Vector<D>; D] = std::array::from_fn(|k| Vector::from_fn(|j, _| columns[j][k] / a));
    let Some(second) = second else { return Some((f, [a, 0.0])) };
    let columns = &root.columns(second)[..D];
    let b = (columns.iter().map(|c| c.norm_squared()).sum::<f64>() / D as f64).sqrt();
    let same = (0..D).all(|k| (0..D).all(|j| (columns[j][k] + b * f[k][j]).abs() <= SAME * b));
    same.then_some((f, [a, -b]))
}

fn gather<const D: usize, R: Row<D>>(rows: &[R], s: &[Vector<D>], y: &mut [f64]) {
    y.fill(0.0);
    for (row, s) in rows.iter().zip(s) {
        row.push(s, y);
    }
}

fn sweep<const D: usize, R: Row<D>>(rows: &mut [R], s: &mut [Vector<D>], y: &mut [f64], visit: Visit) -> f64 {
    let mut sum = 0.0;
    for &i in visit.order {
        let i = i as usize;
        if visit.rest[i].is_on() {
            continue;
        }
        let row = &mut rows[i];
        let old = s[i];
        let new = row.solve(&row.velocity(y), &old, visit.accuracy);
        if visit.rests {
            visit.rest[i].next(&old, &new);
        }
        let change = new - old;
        if change.amax() != 0.0 {
            row.push(&change, y);
            sum += change.norm_squared() / (row.rho() * row.rho());
        }
        s[i] = new;
    }
    sum
}

fn residual<const D: usize, R: Row<D>>(rows: &[R], s: &[Vector<D>], y: &[f64]) -> f64 {
    let (mut error, mut size) = (0.0, 0.0);
    for (row, s) in rows.iter().zip(s) {
        let (u, rho, mu) = (row.velocity(y), row.rho(), row.mu());
        let mut x = s / rho - u;
        x[0] -= mu * crate::laws::coulomb::tangent_norm(&u);
        let e = s / rho - crate::laws::coulomb::project(mu, &x);
        error += e.norm_squared();
        size += s.norm_squared() / (rho * rho);
    }
    error.sqrt().max(f64::EPSILON * size.sqrt())
}

#[cfg(test)]
mod tests;
