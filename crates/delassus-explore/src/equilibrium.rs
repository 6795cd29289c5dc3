//! Questions about all equilibria at once
//!
//! ```text
//!     { S : S_α ∈ C_α,  Gᵀ S + f = 0 }                                        method §4
//! ```
//!
//! is convex: a polyhedron in the plane, an intersection of cones in space. Its shadow on one
//! contact is what that reaction can be.

use crate::plane::Listed;
use crate::simplex::{Columns, Simplex};
use crate::{Error, Limit, Statics};
use delassus_friction::algebra::Vector;
use delassus_friction::{Law, Problem};

/// Counts that say how far the balance determines the reactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// Equations of balance.
    pub equations: usize,
    /// Independent ones.
    pub rank: usize,
    /// Components of reactions that the laws leave free.
    pub unknowns: usize,
}

impl Census {
    /// Counts.
    pub fn new<const D: usize>(statics: &Statics<D>) -> Self {
        let scales = statics.row_scales();
        let mut columns = Columns::new(statics.equations());
        for (block, law) in statics.laws().iter().enumerate() {
            let components = if *law == Law::Frictionless { 1 } else { D };
            for k in 0..components {
                let list: Vec<(u32, f64)> = statics
                    .column(block)
                    .iter()
                    .map(|(row, g)| (*row, g[k] * scales[*row as usize]))
                    .filter(|e| e.1 != 0.0)
                    .collect();
                columns.push(&list);
            }
        }
        let (unknowns, equations) = (columns.len(), columns.rows);
        let free = vec![f64::INFINITY; unknowns];
        let simplex = Simplex::new(columns, vec![0.0; equations], free.iter().map(|x| -x).collect(), free);
        Self { equations, rank: simplex.rank(), unknowns }
    }

    /// Dimension of the space of solutions of the balance alone.
    pub fn dimension(&self) -> usize {
        self.unknowns - self.rank
    }
}

/// What the reaction of one contact can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction<const D: usize> {
    /// The contact.
    pub contact: usize,
    /// In the plane the vertices of the exact polygon, counter-clockwise in (normal, tangent):
    /// one for a point, two for a segment. In space points of the set.
    pub vertices: Vec<Vector<D>>,
    /// In space the vertices of a polytope that contains the set.
    pub outer: Vec<Vector<D>>,
    /// Largest distance from the set to the hull of `vertices`; zero in the plane unless a gap was allowed.
    pub gap: f64,
    /// Directions in which the set goes on for ever; in the plane the extreme ones.
    pub rays: Vec<Vector<D>>,
}

impl<const D: usize> Reaction<D> {
    /// Largest distance between two possible reactions; infinite without bounds.
    pub fn width(&self) -> f64 {
        if self.rays.is_empty() { crate::diameter(&self.vertices) } else { f64::INFINITY }
    }

    /// Least and largest value of a component among the vertices; the rays may go beyond.
    pub fn range(&self, component: usize) -> [f64; 2] {
        let values = self.vertices.iter().map(|v| v[component]);
        let mut range = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
        for ray in &self.rays {
            if ray[component] > 0.0 {
                range[1] = f64::INFINITY;
            } else if ray[component] < 0.0 {
                range[0] = f64::NEG_INFINITY;
            }
        }
        range
    }
}

/// What each reaction can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Bounds<const D: usize> {
    /// No percussions balance the loads within the laws.
    Empty,
    /// The contacts asked for, in their order.
    Reactions(Vec<Reaction<D>>),
}

/// Settings of [`Equilibrium::bounds`].
#[derive(Clone, Debug, PartialEq)]
pub struct BoundsSettings {
    /// The contacts; all when `None`.
    pub contacts: Option<Vec<usize>>,
    /// Distance between inner and outer hull at which to stop, relative to the size of the set. By
    /// default none in the plane, where the sets are exact, and 0.02 in space.
    pub gap: Option<f64>,
    /// In space: most programs for one contact.
    pub directions: usize,
}

impl Default for BoundsSettings {
    fn default() -> Self {
        Self { contacts: None, gap: None, directions: 60 }
    }
}

impl BoundsSettings {
    pub(crate) fn list<const D: usize>(&self, statics: &Statics<D>) -> Result<Vec<usize>, Error> {
        if let Some(value) = self.gap
            && !(value > 0.0)
        {
            return Err(Error::Setting { name: "gap", value, expected: "a positive number" });
        }
        let list = self.contacts.clone().unwrap_or_else(|| (0..statics.contacts()).collect());
        list.iter().try_for_each(|c| statics.check_contact(*c))?;
        Ok(list)
    }
}

/// One set of percussions in equilibrium, and how far it stays from the edges of the cones.
#[derive(Clone, Debug, PartialEq)]
pub struct Network<const D: usize> {
    /// Percussions of all blocks.
    pub percussions: Vec<Vector<D>>,
    /// Least distance of a contact to the edge of its cone \[N·s\]; of the most stable network, among those that can
    /// keep one.
    pub margin: f64,
    /// Whether a larger margin was possible and not taken: see [`WIDEST`].
    pub capped: bool,
    /// Of the most stable network in the plane: contacts that no equilibrium loads.
    pub idle: Vec<usize>,
}

/// Margins are sought up to this many times the largest load: where reactions have no bound,
/// neither has the margin.
pub const WIDEST: f64 = 1.0;

/// Called with the number of contacts, or samples, finished since the last call; with zero before a piece of work begins, which a
/// panic of the listener ends there.
pub type Tick<'a> = &'a (dyn Fn(usize) + Sync);

/// The questions, in the plane by linear and in space by conic programs.
pub trait Equilibrium<const D: usize> {
    /// One equilibrium, or `None` when there is none.
    fn any(&self) -> Result<Option<Network<D>>, Error>;

    /// What each reaction can be.
    fn bounds(&self, settings: &BoundsSettings, tick: Tick) -> Result<Bounds<D>, Error>;

    /// The equilibrium that stays farthest from the edges of the cones; `None` when there is none.
    fn most_stable(&self) -> Result<Option<Network<D>>, Error>;

    /// The equilibrium with the largest `direction · S` at a contact; `None` when there is no
    /// equilibrium or no bound.
    fn extreme(&self, contact: usize, direction: &Vector<D>) -> Result<Option<Network<D>>, Error>;

    /// The largest multiple of a further load that equilibrium can bear; `None` when it bears none that is not
    /// negative.
    fn limit(&self, live: &[f64]) -> Result<Option<Limit<D>>, Error>;

    /// The percussions on up to `D` equations, in their order, that can be balanced beside the loads: as a
    /// reaction is bounded. `None` when there is no equilibrium whatever they are.
    fn withstood(&self, rows: &[usize], settings: &BoundsSettings) -> Result<Option<Reaction<D>>, Error>;

    /// All solutions of a step by enumeration, where that is known: a few contacts in the plane.
    /// `None` otherwise.
    fn enumerated(&self, problem: &Problem<D>) -> Option<Listed<D>> {
        let _ = problem;
        None
    }
}

/// Least distance to the edges of the cones, but for those of blocks that must lie on theirs.
pub(crate) fn margin<const D: usize>(statics: &Statics<D>, s: &[Vector<D>], bound: &[bool]) -> f64 {
    let mut least = f64::INFINITY;
    for (block, (law, s)) in statics.laws().iter().zip(s).enumerate() {
        if bound.get(block).is_some_and(|b| *b) {
            continue;
        }
        match law {
            Law::Coulomb { mu } => {
                let tangent = s.rows(1, D - 1).norm();
                least = least.min((mu * s[0] - tangent) / mu.hypot(1.0));
            }
            Law::Polyhedral(section) if D >= 3 => {
                least = least.min(section.depth(&Vector::<3>::from_fn(|k, _| s[k])));
            }
            Law::Directional { mu } => {
                for (mu, sign) in [(mu[0], 1.0), (mu[1], -1.0)] {
                    least = least.min((mu * s[0] + sign * s[1]) / mu.hypot(1.0));
                }
            }
            Law::Frictionless => least = least.min(s[0]),
            _ => {}
        }
    }
    if least.is_finite() { least } else { 0.0 }
}
