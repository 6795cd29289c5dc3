//! What bodies of the plane and of space have in common.

use crate::colour::Colour;

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Forces.
    Free,
    /// Nothing, or a given motion.
    Fixed,
}

/// A shape of a body, where it is.
pub trait Shape<const D: usize> {
    /// Largest distance of its points to `from`; none where it has no size or no end.
    fn reach(&self, from: [f64; D]) -> Option<f64>;

    /// A disc or a sphere around this point.
    fn is_round(&self, centre: [f64; D]) -> bool;

    /// Whether it ends somewhere.
    fn is_bounded(&self) -> bool;
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<const D: usize, S> {
    /// Shown by viewers that can.
    pub name: String,
    /// Written at its centre.
    pub label: Option<String>,
    /// What moves it.
    pub role: Role,
    /// Instead of the usual one.
    pub colour: Option<Colour>,
    /// Centre of mass.
    pub centre: [f64; D],
    /// Its shapes.
    pub shapes: Vec<S>,
}

impl<const D: usize, S: Shape<D>> Body<D, S> {
    /// Largest distance of its points to its centre; 0 without any.
    pub fn radius(&self) -> f64 {
        self.shapes.iter().filter_map(|s| s.reach(self.centre)).fold(0.0, f64::max)
    }

    /// One disc or sphere around its centre, and nothing else.
    pub fn is_round(&self) -> bool {
        matches!(self.shapes.as_slice(), [only] if only.is_round(self.centre))
    }

    /// Whether it ends somewhere.
    pub fn is_bounded(&self) -> bool {
        self.shapes.iter().all(S::is_bounded)
    }

    /// Its colour, among those of free and of fixed bodies.
    pub(crate) fn fill(&self, free: Colour, fixed: Colour) -> Colour {
        self.colour.unwrap_or(match self.role {
            Role::Free => free,
            Role::Fixed => fixed,
        })
    }
}

/// Median radius of the free bodies, else of the bounded ones \[m\].
pub(crate) fn typical_radius<const D: usize, S: Shape<D>>(bodies: &[Body<D, S>]) -> Option<f64> {
    let median = |free: bool| {
        let of = bodies.iter().filter(|b| b.is_bounded() && (!free || b.role == Role::Free));
        let mut radii: Vec<f64> = of.map(Body::radius).filter(|r| *r > 0.0).collect();
        radii.sort_by(f64::total_cmp);
        radii.get(radii.len() / 2).copied()
    };
    median(true).or_else(|| median(false))
}
