//! A problem by bodies, laid out for sweeps
//!
//! ```text
//!     U_α = b_α + R_α y,      S_α ← law_α(W_αα, U_α − W_αα S_α),      y ← y + R_αᵀ ΔS_α        [Moreau00 (33)]
//! ```
//!
//! A body turns and is pushed the same way wherever it is touched: its translations enter every contact by the frame
//! and one number, `T = ± a F`. What a visit reads lies side by side, divisions are done beforehand, and there is no
//! law to look up: Coulomb's and frictionless contacts without compliance. Kinds of contact are told apart by the
//! numbers of the root alone: the plane, space, and in each of them discs and balls, whose block of `W` is diagonal and
//! whose one-contact solve is a closed form. Everything else is swept as before. Many contacts are cut into parts that share no body,
//! see [`tree`], and threads sweep those at once.

mod ball;
mod disc;
mod plane;
mod space;
mod tree;

use super::nlgs::Rest;
use crate::algebra::Vector;
use crate::problem::RootSide;
use crate::{Law, Problem, Root};
use ball::Balls;
use disc::Disc;
use plane::Plane;
use space::Space;
use tree::{Node, Tree};

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
    /// `trace W_αα / D`: what turns percussions into velocities.
    fn weight(&self) -> f64;
}

/// What the contacts of a problem are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    None,
    Plane,
    Discs,
    Balls,
    Space,
}

/// The contacts and the running velocities; scratch that is used again, whatever comes next.
#[derive(Default)]
pub(super) struct Lean {
    kind: Kind,
    plane: Vec<Plane>,
    discs: Vec<Disc>,
    balls: Balls,
    space: Vec<Space>,
    y: Vec<f64>,
    tree: Tree,
}

/// What a sweep needs beside the contacts.
pub(super) struct Visit<'a, const D: usize> {
    /// Percussions.
    pub s: &'a mut [Vector<D>],
    /// Sweeps that open contacts rest for.
    pub rest: &'a mut [Rest],
    /// How they are made.
    pub manner: Manner<'a>,
}

/// How visits are made.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    /// Order of the visits; none: by parts, each by index.
    pub order: Option<&'a [u32]>,
    /// Whether contacts may rest.
    pub rests: bool,
    /// Relative accuracy of the one-contact solves.
    pub accuracy: f64,
}

macro_rules! each {
    ($self:ident, $rows:ident, $y:ident => $do:expr, $none:expr) => {{
        let Self { kind, plane, discs, balls, space, y: $y, .. } = $self;
        match kind {
            Kind::None => $none,
            Kind::Plane => {
                let $rows = plane;
                $do
            }
            Kind::Discs => {
                let $rows = discs;
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

    /// Takes the contacts of a problem, where it is wanted and all of them are of one kind; cuts them into parts where
    /// the order of visits is free.
    pub fn fit<const D: usize>(&mut self, problem: &Problem<D>, wanted: bool, cut: bool) {
        self.kind = Kind::None;
        let Some(root) = problem.root().filter(|root| wanted && simple(problem, root)) else { return };
        self.y.clear();
        self.y.resize(root.width() * root.bodies(), 0.0);
        self.tree.fit(root.sides(), root.bodies(), cut);
        let given = Given { problem, root, tree: &self.tree };
        self.kind = match (D, root.width()) {
            (2, 3) if given.fill(&mut self.discs, Disc::new) => Kind::Discs,
            (2, 3) if given.fill(&mut self.plane, Plane::new) => Kind::Plane,
            (3, 6) if self.balls.fit(&given) => Kind::Balls,
            (3, 6) if given.fill(&mut self.space, Space::new) => Kind::Space,
            _ => Kind::None,
        };
    }

    /// Whether threads have parts to sweep.
    pub fn is_cut(&self) -> bool {
        self.is_used() && self.tree.is_cut()
    }

    /// How many threads they keep busy.
    #[cfg(feature = "parallel")]
    pub fn parts(&self) -> usize {
        self.tree.nodes.len().div_ceil(2)
    }

    /// The contacts in the order in which they are laid out.
    pub fn order(&self) -> &[u32] {
        &self.tree.order
    }

    /// Percussions onto their cones.
    pub fn project<const D: usize>(&mut self, s: &mut [Vector<D>]) {
        each!(self, rows, _y => project(rows, s), ());
    }

    /// The running velocities of percussions.
    pub fn gather<const D: usize>(&mut self, s: &[Vector<D>]) {
        let width = self.width();
        let base = std::mem::take(&mut self.tree.base);
        each!(self, rows, y => gather(rows, s, y, (&base, width)), ());
        self.tree.base = base;
    }

    /// One sweep; returns the square of the change in velocity units.
    pub fn sweep<const D: usize>(&mut self, visit: Visit<D>) -> f64 {
        // Borrowed apart from the rows.
        let tree = std::mem::take(&mut self.tree);
        let change = each!(self, rows, y => match visit.manner.order {
            Some(order) => sweep(rows, y, visit, order.iter().map(|i| *i as usize)),
            None => by_parts(&tree.nodes, 0, rows, y, visit),
        }, 0.0);
        self.tree = tree;
        change
    }

    /// The residual of method (4) [m/s] for the running velocities.
    pub fn residual<const D: usize>(&mut self, s: &[Vector<D>]) -> f64 {
        let width = self.width();
        let base = std::mem::take(&mut self.tree.base);
        let found = each!(self, rows, y => residual(rows, s, y, (&base, width)), f64::INFINITY);
        self.tree.base = base;
        found
    }

    /// Unknowns of a body.
    fn width(&self) -> usize {
        if matches!(self.kind, Kind::Plane | Kind::Discs) { 3 } else { 6 }
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

/// A problem and where its contacts are put.
struct Given<'a, const D: usize> {
    problem: &'a Problem<D>,
    root: &'a Root<D>,
    tree: &'a Tree,
}

impl<const D: usize> Given<'_, D> {
    /// All contacts in their order; false where one is not of the kind.
    fn fill<R>(&self, rows: &mut Vec<R>, row: impl Fn(&Self, usize) -> Option<R>) -> bool {
        rows.clear();
        for place in 0..self.problem.len() {
            let Some(row) = row(self, place) else { return false };
            rows.push(row);
        }
        true
    }

    /// The contact at a place.
    fn contact(&self, place: usize) -> usize {
        self.tree.order[place] as usize
    }

    /// The first unknowns of its bodies, in those of its part. Without a second body it is the first again: what is
    /// added there is zero.
    fn at(&self, place: usize) -> [u32; 2] {
        let [first, second] = &self.root.sides()[self.contact(place)];
        let at = |side: &Option<RootSide>| {
            let body = side.as_ref().or(first.as_ref()).map_or(0, |s| s.body);
            (self.tree.place[body as usize] - self.tree.base[place]) * self.root.width() as u32
        };
        [at(first), at(second)]
    }
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

fn gather<const D: usize, R: Row<D>>(rows: &[R], s: &[Vector<D>], y: &mut [f64], (base, width): (&[u32], usize)) {
    y.fill(0.0);
    for ((row, s), base) in rows.iter().zip(s).zip(base) {
        row.push(s, &mut y[*base as usize * width..]);
    }
}

/// A part: its halves, at once where there are threads, then what lies between.
fn by_parts<const D: usize, R: Row<D> + Send>(
    nodes: &[Node],
    node: usize,
    rows: &mut [R],
    y: &mut [f64],
    visit: Visit<D>,
) -> f64 {
    let Some([a, b]) = nodes[node].halves.map(|h| h.map(|k| k as usize)) else {
        let count = rows.len();
        return sweep(rows, y, visit, 0..count);
    };
    let (in_a, in_b) = (nodes[a].contacts, nodes[b].contacts);
    let Visit { s, rest, manner } = visit;
    let width = y.len() / nodes[node].bodies;
    let changes = {
        let (rows_a, rows_b) = rows[..in_a + in_b].split_at_mut(in_a);
        let (s_a, s_b) = s[..in_a + in_b].split_at_mut(in_a);
        let (rest_a, rest_b) = rest[..in_a + in_b].split_at_mut(in_a);
        let (y_a, y_b) = y.split_at_mut(width * nodes[a].bodies);
        both(
            || by_parts(nodes, a, rows_a, y_a, Visit { s: s_a, rest: rest_a, manner }),
            || by_parts(nodes, b, rows_b, y_b, Visit { s: s_b, rest: rest_b, manner }),
        )
    };
    let (rows, s, rest) = (&mut rows[in_a + in_b..], &mut s[in_a + in_b..], &mut rest[in_a + in_b..]);
    let count = rows.len();
    changes.0 + changes.1 + sweep(rows, y, Visit { s, rest, manner }, 0..count)
}

/// Two things at once, where there are threads in whose pool one runs.
#[cfg(feature = "parallel")]
fn both(a: impl FnOnce() -> f64 + Send, b: impl FnOnce() -> f64 + Send) -> (f64, f64) {
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1 {
        rayon::join(a, b)
    } else {
        (a(), b())
    }
}

#[cfg(not(feature = "parallel"))]
fn both(a: impl FnOnce() -> f64, b: impl FnOnce() -> f64) -> (f64, f64) {
    (a(), b())
}

fn sweep<const D: usize, R: Row<D>>(
    rows: &mut [R],
    y: &mut [f64],
    Visit { s, rest, manner }: Visit<D>,
    order: impl Iterator<Item = usize>,
) -> f64 {
    let mut sum = 0.0;
    for i in order {
        if rest[i].is_on() {
            continue;
        }
        let row = &mut rows[i];
        let old = s[i];
        let new = row.solve(&row.velocity(y), &old, manner.accuracy);
        if manner.rests {
            rest[i].next(&old, &new);
        }
        let change = new - old;
        if change.amax() != 0.0 {
            row.push(&change, y);
            sum += change.norm_squared() * (row.weight() * row.weight());
        }
        s[i] = new;
    }
    sum
}

fn project<const D: usize, R: Row<D>>(rows: &[R], s: &mut [Vector<D>]) {
    for (row, s) in rows.iter().zip(s) {
        *s = crate::laws::coulomb::project(row.mu(), s);
    }
}

fn residual<const D: usize, R: Row<D>>(rows: &[R], s: &[Vector<D>], y: &[f64], (base, width): (&[u32], usize)) -> f64 {
    let (mut error, mut size) = (0.0, 0.0);
    for ((row, s), base) in rows.iter().zip(s).zip(base) {
        let (u, mu) = (row.velocity(&y[*base as usize * width..]), row.mu());
        let scaled = s * row.weight();
        let mut x = scaled - u;
        x[0] -= mu * crate::laws::coulomb::tangent_norm(&u);
        error += (scaled - crate::laws::coulomb::project(mu, &x)).norm_squared();
        size += scaled.norm_squared();
    }
    error.sqrt().max(f64::EPSILON * size.sqrt())
}

#[cfg(test)]
mod tests;
