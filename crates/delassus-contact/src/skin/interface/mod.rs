//! Two sides that may touch, and the contact points between them
//!
//! ```text
//! x ─▶ master: boxes, normals ─▶ slave facets ─partition─▶ collocation points ─pairing─▶ points
//! ```
//!
//! Weights are those of the reference configuration, as the virtual power of thesis (3.83)
//! is. The order of the points is that of their names.

mod collocate;
mod opposite;
mod weights;

use super::carrier::Carried;
use super::contact_point::ContactPoint;
use super::frame::set_tangents;
use super::master::MasterSurface;
use super::partition::PartitionScratch;
use super::quadrature::Rules;
use super::surface::NONE;
use super::{Collocation, ContactError, Multipliers, Obstacle, PairSettings, Surface};
use crate::{Dim, Space, Vector};

/// What the slave surface may touch.
// A model has few of them: no need to box the surface.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Master<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Another surface.
    Surface(Surface),
    /// Itself.
    Itself,
    /// A rigid obstacle.
    Obstacle(Obstacle<D>),
}

#[derive(Clone, Debug)]
enum Side<const D: usize>
where
    Dim<D>: Space<D>,
{
    Surface(Box<MasterSurface<D>>),
    Obstacle(Obstacle<D>),
}

/// A slave surface, its master, and the contact points between them.
#[derive(Clone, Debug)]
pub struct Interface<const D: usize>
where
    Dim<D>: Space<D>,
{
    slave: Surface,
    master: Side<D>,
    of_itself: bool,
    /// Rank in the master of each slave node; empty where the surfaces share none.
    shared: Vec<u32>,
    settings: PairSettings,
    rules: Rules,
    /// Linear multipliers: that of each slave node, [`NONE`] for nodes on edges.
    multiplier_of: Vec<u32>,
    /// Number of linear multipliers.
    linear: usize,
    /// The mesh of the multipliers, where it is not the slave's.
    carrier: Option<Carried<D>>,
    points: Vec<ContactPoint<D>>,
    unpaired: usize,
    scratch: Scratch<D>,
}

#[derive(Clone, Debug, Default)]
struct Scratch<const D: usize> {
    partition: PartitionScratch<D>,
    own: Vec<bool>,
    weights: Vec<f64>,
    normals: Vec<Vector<D>>,
}

/// Where everything is.
#[derive(Clone, Copy)]
struct Now<'a, const D: usize> {
    x: &'a [f64],
    reference: &'a [f64],
    v: &'a [f64],
    t: f64,
    /// Mean velocity of the master surface.
    mean: Vector<D>,
}

impl<const D: usize> Interface<D>
where
    Dim<D>: Space<D>,
{
    /// Checks the surfaces and the settings.
    pub fn new(slave: Surface, master: Master<D>, settings: PairSettings) -> Result<Self, ContactError> {
        settings.validate(D)?;
        let of_itself = matches!(master, Master::Itself);
        check_dimension::<D>("the slave surface", &slave)?;
        let master = match master {
            Master::Surface(s) => {
                check_dimension::<D>("the master surface", &s)?;
                Side::Surface(Box::new(MasterSurface::new(s, settings.smooth_normals)))
            }
            Master::Itself => Side::Surface(Box::new(MasterSurface::new(slave.clone(), settings.smooth_normals))),
            Master::Obstacle(o) => Side::Obstacle(o),
        };
        let rules = Rules::new(settings.collocation)?;
        let (multiplier_of, linear) = corner_numbers(&slave);
        let shared = match &master {
            Side::Surface(m) => shared_nodes(&slave, &m.surface),
            Side::Obstacle(_) => vec![],
        };
        let carrier = slave.carrier().map(Carried::new);
        let (points, unpaired, scratch) = (vec![], 0, Scratch::default());
        Ok(Self {
            slave,
            master,
            of_itself,
            shared,
            settings,
            rules,
            multiplier_of,
            linear,
            carrier,
            points,
            unpaired,
            scratch,
        })
    }

    /// The slave surface.
    pub fn slave(&self) -> &Surface {
        &self.slave
    }

    /// The master surface, unless the master is an obstacle.
    pub fn master(&self) -> Option<&Surface> {
        match &self.master {
            Side::Surface(m) => Some(&m.surface),
            Side::Obstacle(_) => None,
        }
    }

    /// How it pairs and integrates.
    pub fn settings(&self) -> &PairSettings {
        &self.settings
    }

    /// The obstacle, to be moved before pairing.
    pub fn obstacle_mut(&mut self) -> Option<&mut Obstacle<D>> {
        match &mut self.master {
            Side::Surface(_) => None,
            Side::Obstacle(o) => Some(o),
        }
    }

    /// The contact points of the last pairing, sorted by their names, which are all different.
    pub fn points(&self) -> &[ContactPoint<D>] {
        &self.points
    }

    /// The same, for tangents that follow a direction of the surface.
    pub fn points_mut(&mut self) -> &mut [ContactPoint<D>] {
        &mut self.points
    }

    /// Collocation points that found no opposite: too far, or beyond a border.
    pub fn unpaired(&self) -> usize {
        self.unpaired
    }

    /// Number of multipliers.
    pub fn multipliers(&self) -> usize {
        if let Some(carrier) = &self.carrier {
            return carrier.multipliers(self.settings.multipliers);
        }
        match self.settings.multipliers {
            Multipliers::P1 => self.linear,
            Multipliers::P0 => self.slave.len(),
        }
    }

    /// Finds the contact points at positions `x` with velocities `v` at time `t`; areas are
    /// those at `reference`.
    pub fn pair(&mut self, x: &[f64], reference: &[f64], v: &[f64], t: f64) -> Result<(), ContactError> {
        self.check("position", x)?;
        self.check("reference position", reference)?;
        self.check("velocity", v)?;
        if self.settings.axisymmetric {
            self.check_radii(reference)?;
        }
        let mut mean = Vector::zeros();
        match &mut self.master {
            Side::Obstacle(_) => {}
            Side::Surface(m) => {
                m.update(x);
                let nodes = m.surface.nodes();
                for &i in nodes {
                    mean += Vector::<D>::from_column_slice(&v[D * i as usize..][..D]) / nodes.len() as f64;
                }
                self.scratch.own.clear();
                self.scratch.own.resize(nodes.len(), false);
            }
        }
        let now = Now { x, reference, v, t, mean };
        self.points.clear();
        self.unpaired = 0;
        let done = match (self.settings.collocation, self.settings.multipliers) {
            (Collocation::Nodes, Multipliers::P1) => self.pair_nodes(&now),
            (Collocation::Nodes, Multipliers::P0) => self.pair_facet_nodes(&now),
            _ => (0..self.slave.len()).try_for_each(|f| self.pair_facet(&now, f)),
        };
        if done.is_err() {
            self.points.clear();
        }
        if !self.points.is_sorted_by_key(|p| p.key) {
            self.points.sort_unstable_by_key(|p| p.key);
        }
        set_tangents(&mut self.points);
        done
    }

    fn check(&self, what: &'static str, values: &[f64]) -> Result<(), ContactError> {
        let surfaces = [Some(&self.slave), self.master()];
        surfaces.into_iter().flatten().try_for_each(|s| s.check::<D>(what, values))
    }

    fn check_radii(&self, reference: &[f64]) -> Result<(), ContactError> {
        // Nodes on the axis may be a round-off beside it.
        let radius = |&n: &u32| (n, reference[D * n as usize]);
        let largest = self.slave.nodes().iter().map(|n| radius(n).1).fold(0.0, f64::max);
        match self.slave.nodes().iter().map(radius).find(|r| r.1 < -1e-9 * largest) {
            Some((node, radius)) => Err(ContactError::NegativeRadius { node, radius }),
            None => Ok(()),
        }
    }
}

/// Numbers the corner nodes of a surface: per node its number, and how many there are.
pub(super) fn corner_numbers(surface: &Surface) -> (Vec<u32>, usize) {
    let mut number = vec![NONE; surface.nodes().len()];
    for f in 0..surface.len() {
        for &r in &surface.ranks(f)[..surface.kind(f).corners()] {
            number[r as usize] = 0;
        }
    }
    let mut count = 0;
    for n in number.iter_mut().filter(|n| **n == 0) {
        *n = count;
        count += 1;
    }
    (number, count as usize)
}

/// Rank in `master` of each node of `slave`, [`NONE`] where it is not there; empty if none is.
fn shared_nodes(slave: &Surface, master: &Surface) -> Vec<u32> {
    let rank = |n: &u32| master.nodes().binary_search(n).map_or(NONE, |r| r as u32);
    let ranks: Vec<u32> = slave.nodes().iter().map(rank).collect();
    if ranks.iter().all(|&r| r == NONE) { vec![] } else { ranks }
}

fn check_dimension<const D: usize>(what: &'static str, surface: &Surface) -> Result<(), ContactError> {
    if surface.dim() == D {
        return Ok(());
    }
    let expected = if D == 2 { "2, that of the interface" } else { "3, that of the interface" };
    Err(ContactError::Dimension { what, got: surface.dim(), expected })
}
