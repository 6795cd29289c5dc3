//! Two sides that may touch, and the contact points between them
//!
//! ```text
//! x ─▶ master: boxes, normals ─▶ slave facets ─partition─▶ collocation points ─pairing─▶ points
//! ```
//!
//! Weights are those of the reference configuration, as the virtual power of thesis (3.83)
//! is. The order of the points depends on the numbering alone.

use super::facet::{self, FACET_NODES, Patch, Shape, Xi, centre, corner_count, domain, linear, node_places, shape};
use super::frame::{reference_axis, tangent_frame};
use super::master::{Hit, Itself, MasterSurface, Query};
use super::partition::{Cell, PartitionScratch};
use super::point::{ContactPoint, PointKey, Stencil};
use super::quadrature::Rules;
use super::surface::NONE;
use super::{Collocation, ContactError, Multipliers, Obstacle, PairSettings, Pairing, Surface};
use crate::mesh::CellKind;
use delassus_contact::Vector;

/// What the slave surface may touch.
#[derive(Clone, Debug)]
pub enum Master<const D: usize> {
    /// Another surface.
    Surface(Surface),
    /// Itself.
    Itself,
    /// A rigid obstacle.
    Obstacle(Obstacle<D>),
}

#[derive(Clone, Debug)]
enum Side<const D: usize> {
    Surface(Box<MasterSurface<D>>),
    Obstacle(Obstacle<D>),
}

/// A slave surface, its master, and the contact points between them.
#[derive(Clone, Debug)]
pub struct Interface<const D: usize> {
    slave: Surface,
    master: Side<D>,
    of_itself: bool,
    settings: PairSettings,
    rules: Rules,
    /// Linear multipliers: that of each slave node, [`NONE`] for nodes on edges.
    multiplier_of: Vec<u32>,
    multiplier_nodes: Vec<u32>,
    axis: Option<usize>,
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
    axis: usize,
}

impl<const D: usize> Interface<D> {
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
        let (multiplier_of, multiplier_nodes) = corner_numbers(&slave);
        let scratch = Scratch { own: vec![false; slave.nodes().len()], ..Scratch::default() };
        let (axis, points, unpaired) = (None, vec![], 0);
        Ok(Self {
            slave,
            master,
            of_itself,
            settings,
            rules,
            multiplier_of,
            multiplier_nodes,
            axis,
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

    /// The obstacle, to be moved before pairing.
    pub fn obstacle_mut(&mut self) -> Option<&mut Obstacle<D>> {
        match &mut self.master {
            Side::Surface(_) => None,
            Side::Obstacle(o) => Some(o),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &PairSettings {
        &self.settings
    }

    /// The contact points of the last pairing.
    pub fn points(&self) -> &[ContactPoint<D>] {
        &self.points
    }

    /// Collocation points that found no opposite: too far, or beyond a border.
    pub fn unpaired(&self) -> usize {
        self.unpaired
    }

    /// Number of multipliers.
    pub fn multipliers(&self) -> usize {
        match self.settings.multipliers {
            Multipliers::P1 => self.multiplier_nodes.len(),
            Multipliers::P0 => self.slave.len(),
        }
    }

    /// Node of a linear multiplier; none for constants by facet.
    pub fn multiplier_node(&self, multiplier: usize) -> Option<u32> {
        match self.settings.multipliers {
            Multipliers::P1 => self.multiplier_nodes.get(multiplier).copied(),
            Multipliers::P0 => None,
        }
    }

    /// Gaps at new positions, pairing and normals as they are.
    pub fn update_gaps(&mut self, x: &[f64]) -> Result<(), ContactError> {
        self.check("position", x)?;
        self.points.iter_mut().for_each(|p| p.gap = p.gap_at(x));
        Ok(())
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
        let axis = *self.axis.get_or_insert_with(|| reference_axis::<D>(&self.slave, reference));
        let mut mean = Vector::zeros();
        if let Side::Surface(m) = &mut self.master {
            m.update(x);
            let nodes = m.surface.nodes();
            for &i in nodes {
                mean += Vector::<D>::from_column_slice(&v[D * i as usize..][..D]) / nodes.len() as f64;
            }
        }
        let now = Now { x, reference, v, t, mean, axis };
        self.points.clear();
        self.unpaired = 0;
        match (self.settings.collocation, self.settings.multipliers) {
            (Collocation::Nodes, Multipliers::P1) => self.pair_nodes(&now),
            (Collocation::Nodes, Multipliers::P0) => self.pair_facet_nodes(&now),
            _ => (0..self.slave.len()).try_for_each(|f| self.pair_facet(&now, f)),
        }
    }

    /// One point per node; its weight is gathered from the facets around.
    fn pair_nodes(&mut self, now: &Now<D>) -> Result<(), ContactError> {
        let count = self.slave.nodes().len();
        let mut weights = std::mem::take(&mut self.scratch.weights);
        let mut normals = std::mem::take(&mut self.scratch.normals);
        weights.clear();
        weights.resize(count, 0.0);
        normals.clear();
        normals.resize(count, Vector::zeros());
        for f in 0..self.slave.len() {
            let share = self.nodal_weights(now, f)?;
            let patch = Patch::<D>::gather(self.slave.kind(f), self.slave.facet(f), now.x);
            for (k, &r) in self.slave.ranks(f).iter().enumerate() {
                weights[r as usize] += share[k];
                normals[r as usize] += patch.area_normal(node_places(patch.kind)[k]);
            }
        }
        for r in 0..count {
            let f = self.slave.around(r)[0] as usize;
            let n = normals[r];
            let normal = if n.norm() > 0.0 { n.normalize() } else { n };
            self.pair_node(now, NodeOf { rank: r, facet: f, index: 0, weight: weights[r], normal })?;
        }
        (self.scratch.weights, self.scratch.normals) = (weights, normals);
        Ok(())
    }

    /// One point per node and facet: constants by facet jump at nodes.
    fn pair_facet_nodes(&mut self, now: &Now<D>) -> Result<(), ContactError> {
        for f in 0..self.slave.len() {
            let share = self.nodal_weights(now, f)?;
            let patch = Patch::<D>::gather(self.slave.kind(f), self.slave.facet(f), now.x);
            for k in 0..patch.len() {
                let rank = self.slave.ranks(f)[k] as usize;
                let index = self.slave.around(rank).iter().position(|&g| g as usize == f).unwrap_or(0) as u32;
                let normal = patch.normal(node_places(patch.kind)[k]).unwrap_or_else(Vector::zeros);
                self.pair_node(now, NodeOf { rank, facet: f, index, weight: share[k], normal })?;
            }
        }
        Ok(())
    }

    fn pair_node(&mut self, now: &Now<D>, node: NodeOf<D>) -> Result<(), ContactError> {
        let i = self.slave.nodes()[node.rank];
        let ranks = self.slave.ranks(node.facet);
        let local = ranks.iter().position(|&r| r as usize == node.rank).expect("the facet is around the node");
        let xi = node_places(self.slave.kind(node.facet))[local];
        if self.of_itself {
            let own = &mut self.scratch.own;
            for &g in self.slave.around(node.rank) {
                self.slave.ranks(g as usize).iter().for_each(|&r| own[r as usize] = true);
            }
        }
        let slave = Stencil::new(&[i], &[1.0]);
        let found = self.opposite(now, &slave, &node.normal, None);
        if self.of_itself {
            let own = &mut self.scratch.own;
            for &g in self.slave.around(node.rank) {
                self.slave.ranks(g as usize).iter().for_each(|&r| own[r as usize] = false);
            }
        }
        let key = PointKey { slave: i, master: NONE, index: node.index };
        match found? {
            Some(hit) => {
                self.push(now, Slave { key, facet: node.facet, xi, stencil: slave, weight: node.weight }, &hit)
            }
            None => self.unpaired += 1,
        }
        Ok(())
    }

    /// The points of one facet.
    fn pair_facet(&mut self, now: &Now<D>, f: usize) -> Result<(), ContactError> {
        if self.of_itself {
            self.slave.ranks(f).iter().for_each(|&r| self.scratch.own[r as usize] = true);
        }
        let mut partition = std::mem::take(&mut self.scratch.partition);
        let result = self.pair_cells(now, f, &mut partition);
        self.scratch.partition = partition;
        if self.of_itself {
            self.slave.ranks(f).iter().for_each(|&r| self.scratch.own[r as usize] = false);
        }
        result
    }

    fn pair_cells(&mut self, now: &Now<D>, f: usize, parts: &mut PartitionScratch<D>) -> Result<(), ContactError> {
        let (kind, first) = (self.slave.kind(f), self.points.len());
        let reference = self.reference_patch(now, f)?;
        let patch = Patch::<D>::gather(kind, self.slave.facet(f), now.x);
        let cut = self.cut(now, &patch, f, parts);
        for c in 0..parts.cells.len() {
            let mut cell = parts.cells[c];
            if cut && D == 2 {
                // Between two cuts all points face one facet: that of the middle.
                let (xi, _) = cell.place(([0.0; 2], 1.0));
                let (stencil, normal) = self.slave_at(f, &patch, xi);
                cell.master = match self.opposite(now, &stencil, &normal, None)? {
                    Some(hit) => hit.facet,
                    None => {
                        self.unpaired += self.rules.segment.points.len();
                        continue;
                    }
                };
            }
            self.pair_cell(now, &CellOf { facet: f, patch: &patch, reference: &reference, cell, first })?;
        }
        Ok(())
    }

    /// Fills the parts of a facet; returns whether it was cut.
    fn cut(&self, now: &Now<D>, patch: &Patch<D>, f: usize, parts: &mut PartitionScratch<D>) -> bool {
        if let (Side::Surface(m), true) = (&self.master, self.settings.partition) {
            let (stencil, normal) = self.slave_at(f, patch, centre(patch.kind));
            let q = self.query(now, &stencil, &normal);
            if D == 2 {
                parts.cut_segment(m, patch, &q, self.settings.smooth_normals);
            } else {
                parts.cut_facet(m, patch, &q);
            }
            return true;
        }
        parts.cells.clear();
        parts.cells.push(Cell::whole(domain(patch.kind)));
        false
    }

    fn pair_cell(&mut self, now: &Now<D>, of: &CellOf<D>) -> Result<(), ContactError> {
        let (f, master) = (of.facet, of.cell.master);
        for k in 0..self.rules.of(of.cell.domain).points.len() {
            let (xi, w) = of.cell.place(self.rules.of(of.cell.domain).points[k]);
            let weight = w * self.measure(of.reference, xi);
            let (stencil, normal) = self.slave_at(f, of.patch, xi);
            let hint = (master != NONE).then_some(master);
            let Some(hit) = self.opposite(now, &stencil, &normal, hint)? else {
                self.unpaired += 1;
                continue;
            };
            if self.of_itself && !self.settings.both_sides && hit.facet as usize > f {
                continue;
            }
            let index = self.points[of.first..].iter().filter(|p| p.key.master == master).count() as u32;
            let key = PointKey { slave: f as u32, master, index };
            self.push(now, Slave { key, facet: f, xi, stencil, weight }, &hit);
        }
        Ok(())
    }

    /// Stencil and outward normal of a place of a slave facet.
    fn slave_at(&self, f: usize, patch: &Patch<D>, xi: Xi) -> (Stencil, Vector<D>) {
        let s = shape(patch.kind, xi);
        (Stencil::new(self.slave.facet(f), &s.n), patch.normal(xi).unwrap_or_else(Vector::zeros))
    }

    fn query<'a>(&'a self, now: &Now<'a, D>, slave: &Stencil, normal: &Vector<D>) -> Query<'a, D> {
        let x = slave.apply::<D>(now.x);
        let direction = match self.settings.pairing {
            Pairing::Proximity => None,
            Pairing::Direction(d) => Some(Vector::<D>::from_column_slice(&d[..D]).normalize()),
            Pairing::Velocity => self.along_velocity(now, slave, &x, normal),
        };
        let itself = self.of_itself.then(|| Itself {
            own: &self.scratch.own,
            rest: now.reference,
            x: slave.apply::<D>(now.reference),
        });
        Query { x, normal: *normal, direction, reach: self.settings.search, border: self.settings.border, itself }
    }

    /// Unit relative velocity turned outwards; none at rest and where it grazes the surface
    /// (less than 6° off), along which nothing would be met.
    fn along_velocity(&self, now: &Now<D>, slave: &Stencil, x: &Vector<D>, normal: &Vector<D>) -> Option<Vector<D>> {
        let other = match &self.master {
            Side::Surface(_) => now.mean,
            Side::Obstacle(o) => o.velocity_at(x),
        };
        let v = slave.apply::<D>(now.v) - other;
        let d = v / v.norm();
        let out = d.dot(normal);
        (out.abs() > 0.1).then(|| d * out.signum())
    }

    fn opposite(
        &self,
        now: &Now<D>,
        slave: &Stencil,
        normal: &Vector<D>,
        hint: Option<u32>,
    ) -> Result<Option<Hit<D>>, ContactError> {
        let q = self.query(now, slave, normal);
        match &self.master {
            Side::Surface(m) => Ok(m.find(&q, hint)),
            Side::Obstacle(o) => {
                let sight = match &q.direction {
                    Some(d) => o.along(&q.x, d, now.t, q.reach)?,
                    None => o.sight(&q.x, now.t, q.reach)?,
                };
                let sight = sight.filter(|s| s.gap.abs() <= q.reach);
                Ok(sight.map(|s| Hit {
                    facet: NONE,
                    xi: [0.0; 2],
                    normal: s.normal,
                    gap: s.gap,
                    foot: s.foot,
                    velocity: s.velocity,
                }))
            }
        }
    }

    fn push(&mut self, now: &Now<D>, slave: Slave, hit: &Hit<D>) {
        let master = match &self.master {
            Side::Surface(m) => {
                let f = hit.facet as usize;
                Stencil::new(m.surface.facet(f), &shape(m.surface.kind(f), hit.xi).n)
            }
            Side::Obstacle(_) => Stencil::default(),
        };
        self.points.push(ContactPoint {
            key: slave.key,
            slave_facet: slave.facet as u32,
            slave_place: slave.xi,
            master_facet: hit.facet,
            master_place: hit.xi,
            slave: slave.stencil,
            master,
            multiplier: self.multiplier_at(slave.facet, slave.xi),
            weight: slave.weight,
            frame: tangent_frame(&hit.normal, now.axis),
            gap: hit.gap,
            foot: hit.foot,
            obstacle_velocity: hit.velocity,
        });
    }

    /// Multipliers at a place of a slave facet, those that vanish there left out.
    fn multiplier_at(&self, f: usize, xi: Xi) -> Stencil {
        if self.settings.multipliers == Multipliers::P0 {
            return Stencil::new(&[f as u32], &[1.0]);
        }
        let kind = self.slave.kind(f);
        let psi = shape(linear(kind), xi).n;
        let (mut count, mut index, mut value) = (0, [0; FACET_NODES], [0.0; FACET_NODES]);
        for (k, &r) in self.slave.ranks(f)[..corner_count(kind)].iter().enumerate() {
            if psi[k] != 0.0 {
                (index[count], value[count]) = (self.multiplier_of[r as usize], psi[k]);
                count += 1;
            }
        }
        Stencil::new(&index[..count], &value)
    }

    fn reference_patch(&self, now: &Now<D>, f: usize) -> Result<Patch<D>, ContactError> {
        let patch = Patch::<D>::gather(self.slave.kind(f), self.slave.facet(f), now.reference);
        match patch.normal(centre(patch.kind)) {
            Some(_) => Ok(patch),
            None => Err(ContactError::Degenerate { facet: f, nodes: self.slave.facet(f).to_vec() }),
        }
    }

    /// Area per unit of the facet's coordinates.
    fn measure(&self, reference: &Patch<D>, xi: Xi) -> f64 {
        let jacobian = reference.area_normal(xi).norm();
        if D == 3 {
            jacobian
        } else if self.settings.axisymmetric {
            jacobian * std::f64::consts::TAU * reference.point(xi)[0]
        } else {
            jacobian * self.settings.thickness
        }
    }

    /// Shares of a facet's area at its nodes: ∫ B_k, with positive B_k that add up to one.
    fn nodal_weights(&self, now: &Now<D>, f: usize) -> Result<[f64; FACET_NODES], ContactError> {
        let patch = self.reference_patch(now, f)?;
        let mut weights = [0.0; FACET_NODES];
        for &(xi, w) in &self.rules.of(domain(patch.kind)).points {
            let area = w * self.measure(&patch, xi);
            let b = nodal_basis(patch.kind, &shape(linear(patch.kind), xi));
            for k in 0..patch.len() {
                weights[k] += area * b[k];
            }
        }
        Ok(weights)
    }

    fn check(&self, what: &'static str, values: &[f64]) -> Result<(), ContactError> {
        for s in [Some(&self.slave), self.master()].into_iter().flatten() {
            let last = *s.nodes().last().expect("a surface has nodes") as usize;
            if values.len() < D * (last + 1) {
                return Err(ContactError::Length { what, got: values.len(), needed: D * (last + 1) });
            }
            for &node in s.nodes() {
                if let Some(&value) = values[D * node as usize..][..D].iter().find(|v| !v.is_finite()) {
                    return Err(ContactError::NotFinite { what, node, value });
                }
            }
        }
        Ok(())
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

/// A slave point before it is paired.
struct Slave {
    key: PointKey,
    facet: usize,
    xi: Xi,
    stencil: Stencil,
    weight: f64,
}

/// A slave node before it is paired.
struct NodeOf<const D: usize> {
    rank: usize,
    facet: usize,
    index: u32,
    weight: f64,
    normal: Vector<D>,
}

/// A part of a slave facet.
struct CellOf<'a, const D: usize> {
    facet: usize,
    patch: &'a Patch<D>,
    reference: &'a Patch<D>,
    cell: Cell,
    /// First point of the facet.
    first: usize,
}

/// Corners take a share of their linear function, nodes on edges the rest from both ends:
/// (1/6, 2/3, 1/6) on segments, (1/12, 1/4) on triangles, (1/12, 1/6) on quadrangles.
/// Rejected: ∫ N_k, which vanishes or is negative at corners of quadratic facets.
fn nodal_basis(kind: CellKind, s: &Shape) -> [f64; FACET_NODES] {
    let corners = corner_count(kind);
    let (corner, edge) = match kind {
        CellKind::Seg3 => (1.0 / 3.0, 2.0 / 3.0),
        CellKind::Tri6 => (1.0 / 4.0, 3.0 / 8.0),
        CellKind::Quad8 => (1.0 / 3.0, 1.0 / 3.0),
        _ => return s.n,
    };
    let mut b = [0.0; FACET_NODES];
    for k in 0..corners {
        b[k] = corner * s.n[k];
    }
    let edges = facet::node_count(kind).unwrap_or(corners) - corners;
    for e in 0..edges {
        b[corners + e] = edge * (s.n[e] + s.n[(e + 1) % corners]);
    }
    b
}

/// Numbers the corner nodes of a surface: per node its number, and the nodes.
fn corner_numbers(surface: &Surface) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![NONE; surface.nodes().len()];
    for f in 0..surface.len() {
        for &r in &surface.ranks(f)[..corner_count(surface.kind(f))] {
            number[r as usize] = 0;
        }
    }
    let mut nodes = vec![];
    for (r, n) in number.iter_mut().enumerate() {
        if *n == 0 {
            *n = nodes.len() as u32;
            nodes.push(surface.nodes()[r]);
        }
    }
    (number, nodes)
}

fn check_dimension<const D: usize>(what: &'static str, surface: &Surface) -> Result<(), ContactError> {
    if surface.dim() == D {
        return Ok(());
    }
    let expected = if D == 2 { "2, that of the interface" } else { "3, that of the interface" };
    Err(ContactError::Dimension { what, got: surface.dim(), expected })
}
