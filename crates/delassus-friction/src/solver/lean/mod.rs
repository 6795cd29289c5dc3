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
//! whose one-contact solve is a closed form. Four contacts that share no body are visited at once, see [`four`]. Everything
//! else is swept as before. Many contacts are cut into parts that share no body, see [`tree`], and threads sweep those at once.

mod ball;
mod disc;
mod four;
mod plane;
mod space;
mod tree;

use super::nlgs::Rest;
use crate::algebra::Vector;
use crate::problem::RootSide;
use crate::{Law, Problem, Root};
use ball::Balls;
use disc::{Disc, Discs};
use four::{FOUR, Four, Lanes, Tally};
use plane::{Plane, Planes};
use pulp::{Simd, WithSimd};
use space::{Space, Spaces};
use tree::{Node, Tree};

/// Disagreement of a block with the form it is taken for, relative to its size.
const SAME: f64 = 1e-11;

/// One contact, with all that a visit reads.
trait Row<const D: usize>: Sized {
    /// Four of them at once.
    type Four: Four<D, One = Self>;

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

/// Contacts of one kind in their order; the first of each part in fours.
struct Rows<R, F> {
    one: Vec<R>,
    four: Vec<F>,
}

impl<R, F> Default for Rows<R, F> {
    fn default() -> Self {
        Self { one: vec![], four: vec![] }
    }
}

impl<R, F> Rows<R, F> {
    /// Puts the contacts that the parts have in fours side by side.
    fn pair<const D: usize>(&mut self, tree: &Tree)
    where
        R: Row<D, Four = F>,
        F: Four<D, One = R>,
    {
        self.four.clear();
        let one = &self.one;
        self.four.extend(tree.fours.iter().map(|k| F::of(std::array::from_fn(|l| &one[*k as usize + l]))));
    }
}

/// The contacts and the running velocities; scratch that is used again, whatever comes next.
#[derive(Default)]
pub(super) struct Lean {
    kind: Kind,
    plane: Rows<Plane, Planes>,
    discs: Rows<Disc, Discs>,
    balls: Balls,
    space: Rows<Space, Spaces>,
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

    /// Whether all bodies are discs or balls.
    pub fn is_round(&self) -> bool {
        matches!(self.kind, Kind::Discs | Kind::Balls)
    }

    /// Extrapolated percussions onto their cones, where it spares sweeps: in the plane, and of balls, a visit asks for no more
    /// than the sum of velocity and percussion.
    pub fn project<const D: usize>(&self, s: &mut [Vector<D>]) {
        if self.kind == Kind::Space {
            let rows = self.space.one.iter();
            rows.zip(s).for_each(|(row, s)| *s = crate::laws::coulomb::project(Row::<D>::mu(row), s));
        }
    }

    /// The running velocities of percussions.
    pub fn gather<const D: usize>(&mut self, s: &[Vector<D>]) {
        let tree = std::mem::take(&mut self.tree);
        each!(self, rows, y => pulp::Arch::new().dispatch(Gather { rows, s, y, tree: &tree }), ());
        self.tree = tree;
    }

    /// One sweep; returns the square of the change in velocity units.
    pub fn sweep<const D: usize>(&mut self, visit: Visit<D>) -> f64 {
        // Borrowed apart from the rows.
        let tree = std::mem::take(&mut self.tree);
        let change = each!(self, rows, y => {
            let Rows { one, four } = rows;
            match visit.manner.order {
                Some(order) => sweep(one, y, visit, order.iter().map(|i| *i as usize)),
                None => by_parts(&tree.nodes, 0, Part { one, four, y, visit }),
            }
        }, 0.0);
        self.tree = tree;
        change
    }

    /// The residual of method (4) [m/s] for the running velocities.
    pub fn residual<const D: usize>(&mut self, s: &[Vector<D>]) -> f64 {
        let width = self.width();
        let base = std::mem::take(&mut self.tree.base);
        let found = each!(self, rows, y => residual(&rows.one, s, y, (&base, width)), f64::INFINITY);
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
    fn fill<R: Row<D>>(&self, rows: &mut Rows<R, R::Four>, row: impl Fn(&Self, usize) -> Option<R>) -> bool {
        rows.one.clear();
        for place in 0..self.problem.len() {
            let Some(row) = row(self, place) else { return false };
            rows.one.push(row);
        }
        rows.pair(self.tree);
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

/// The running velocities of percussions.
struct Gather<'a, const D: usize, R: Row<D>> {
    rows: &'a Rows<R, R::Four>,
    s: &'a [Vector<D>],
    y: &'a mut [f64],
    tree: &'a Tree,
}

impl<const D: usize, R: Row<D>> WithSimd for Gather<'_, D, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows: Rows { one, four }, s, y, tree } = self;
        y.fill(0.0);
        let width = y.len() / tree.nodes[0].bodies.max(1);
        let base = |place: usize| tree.base[place] as usize * width;
        let mut next = 0;
        let mut fours = four.iter().zip(&tree.fours);
        loop {
            let four = fours.next();
            let until = four.map_or(s.len(), |(_, place)| *place as usize);
            for place in next..until {
                one[place].push(&s[place], &mut y[base(place)..]);
            }
            let Some((four, _)) = four else { return };
            for first in (0..FOUR).step_by(Lanes::<S>::COUNT) {
                four.push(simd, first, &mut y[base(until)..], &s[until..until + FOUR]);
            }
            next = until + FOUR;
        }
    }
}

/// What a part holds.
struct Part<'a, const D: usize, R: Row<D>> {
    one: &'a mut [R],
    four: &'a mut [R::Four],
    y: &'a mut [f64],
    visit: Visit<'a, D>,
}

/// A part: its halves, at once where there are threads, then what lies between.
fn by_parts<const D: usize, R: Row<D> + Send>(nodes: &[Node], node: usize, part: Part<D, R>) -> f64 {
    let Some([a, b]) = nodes[node].halves.map(|h| h.map(|k| k as usize)) else { return own(part) };
    let Part { one, four, y, visit: Visit { s, rest, manner } } = part;
    let width = y.len() / nodes[node].bodies;
    let (in_a, in_b) = (nodes[a].contacts, nodes[b].contacts);
    let (one_a, one) = one.split_at_mut(in_a);
    let (one_b, one) = one.split_at_mut(in_b);
    let (s_a, s) = s.split_at_mut(in_a);
    let (s_b, s) = s.split_at_mut(in_b);
    let (rest_a, rest) = rest.split_at_mut(in_a);
    let (rest_b, rest) = rest.split_at_mut(in_b);
    let (four_a, four) = four.split_at_mut(nodes[a].fours);
    let (four_b, four) = four.split_at_mut(nodes[b].fours);
    let changes = {
        let (y_a, y_b) = y.split_at_mut(width * nodes[a].bodies);
        let first = Part { one: one_a, four: four_a, y: y_a, visit: Visit { s: s_a, rest: rest_a, manner } };
        let second = Part { one: one_b, four: four_b, y: y_b, visit: Visit { s: s_b, rest: rest_b, manner } };
        both(|| by_parts(nodes, a, first), || by_parts(nodes, b, second))
    };
    changes.0 + changes.1 + own(Part { one, four, y, visit: Visit { s, rest, manner } })
}

/// The contacts of a part itself: in fours, then the others.
fn own<const D: usize, R: Row<D>>(part: Part<D, R>) -> f64 {
    let Part { one, four, y, visit: Visit { s, rest, manner } } = part;
    let together = four.len() * FOUR;
    let mut sum = 0.0;
    if together > 0 {
        let (s, rest) = (&mut s[..together], &mut rest[..together]);
        sum = pulp::Arch::new().dispatch(Fours { four, y: &mut *y, visit: Visit { s, rest, manner } });
    }
    let (one, s, rest) = (&mut one[together..], &mut s[together..], &mut rest[together..]);
    let count = one.len();
    sum + sweep(one, y, Visit { s, rest, manner }, 0..count)
}

/// A sweep over fours.
struct Fours<'a, const D: usize, F> {
    four: &'a mut [F],
    y: &'a mut [f64],
    visit: Visit<'a, D>,
}

impl<const D: usize, F: Four<D>> WithSimd for Fours<'_, D, F> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { four, y, visit: Visit { s, rest, manner } } = self;
        let mut by = Tally { accuracy: manner.accuracy, sum: [0.0; FOUR] };
        for ((four, s), rest) in four.iter_mut().zip(s.chunks_exact_mut(FOUR)).zip(rest.chunks_exact_mut(FOUR)) {
            // They rest together.
            if rest[0].is_on() {
                continue;
            }
            let open = |s: &[Vector<D>]| s.iter().all(|s| s[0] == 0.0);
            let was = manner.rests && open(s);
            for first in (0..FOUR).step_by(Lanes::<S>::COUNT) {
                four.visit(simd, first, y, s, &mut by);
            }
            if manner.rests {
                rest[0].note(was && open(s));
            }
        }
        (by.sum[0] + by.sum[1]) + (by.sum[2] + by.sum[3])
    }
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
