//! The model: what does not change while stepping
//!
//! Parts share one numbering of nodes: node `i` of a part is node `first + i` of the model.
//! Its displacements are `dim (first + i) ..`; rotations of beams follow after all of them.

mod absorbing;
mod beam;
mod contact;
mod discrete;
mod error;
mod fluid;
mod load;
mod part;
mod tie;

pub use absorbing::{Dashpot, Layer, speeds};
pub use beam::{Beam, BeamSpec};
pub use contact::{Against, ContactPair};
pub use discrete::{Discrete, DiscreteKind};
pub use error::ModelError;
pub use fluid::Fluid;
pub use load::{Load, LoadKind, Support};
pub use part::{Part, PartSpec};
pub use tie::{Glued, Tie, TieRow};

use crate::contact::Surface;
use crate::solid::Facets;
use delassus_dynamics::BodyLaw;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Solids, what acts on them and where they meet.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// 2 or 3.
    pub dim: usize,
    /// Deformable parts.
    pub parts: Vec<Part>,
    /// Beams.
    pub beams: Vec<Beam>,
    /// Springs, dampers, point masses.
    pub discrete: Vec<Discrete>,
    /// Imposed displacements.
    pub supports: Vec<Support>,
    /// Forces.
    pub loads: Vec<Load>,
    /// Rows that hold whatever touches.
    pub ties: Vec<Tie>,
    /// Constant damping of absorbing boundaries and layers.
    pub dashpots: Vec<Dashpot>,
    /// Fluids around nodes.
    pub fluids: Vec<Fluid>,
    /// Contacts.
    pub contacts: Vec<ContactPair>,
    /// Laws of contacts by name, instead of Coulomb's with their `friction`; bounds, tractions and stiffnesses
    /// are per area.
    pub laws: BTreeMap<String, Arc<dyn BodyLaw>>,
    /// Acceleration of gravity.
    pub gravity: [f64; 3],
    /// Places, initial velocities and initial displacements of all nodes.
    nodes: Vec<[[f64; 3]; 3]>,
    rotations: usize,
    /// Initial rotations and their rates, where there are any.
    turning: Vec<[f64; 2]>,
}

impl Model {
    /// An empty model of dimension 2 or 3.
    pub fn new(dim: usize) -> Self {
        Self { dim, ..Self::default() }
    }

    /// Adds a part; its number.
    pub fn add(&mut self, spec: PartSpec) -> Result<usize, ModelError> {
        let part = Part::new(spec, self.nodes.len(), self.dim)?;
        self.nodes.extend(part.mesh.points.iter().map(|p| [*p, part.velocity, [0.0; 3]]));
        self.parts.push(part);
        Ok(self.parts.len() - 1)
    }

    /// Makes a part anew, moved by a vector \[m\] and without what it had shared with others; ties stay as they are.
    pub fn remake(&mut self, part: usize, by: [f64; 3]) -> Result<(), ModelError> {
        let mut mesh = self.parts[part].mesh.clone();
        if by != [0.0; 3] {
            Arc::make_mut(&mut mesh).translate(by);
        }
        let made = self.parts[part].remade(mesh)?;
        for (node, place) in self.nodes[made.first..].iter_mut().zip(&made.mesh.points) {
            node[0] = *place;
        }
        self.parts[part] = made;
        Ok(())
    }

    /// Adds a rotation at `rate` \[rad/s\] about the centre of mass to the initial velocities of a part.
    pub fn spin(&mut self, part: usize, rate: [f64; 3]) -> Result<(), ModelError> {
        let Part { solid, name, first, .. } = &self.parts[part];
        let (dim, first) = (self.dim, *first);
        let mut mass = vec![0.0; solid.node_count()];
        solid
            .mass(0..solid.cells(), true, &mut |cell, m, _| {
                solid.connectivity(cell).iter().zip(m.chunks(dim)).for_each(|(n, m)| mass[*n as usize] += m[0]);
            })
            .map_err(|reason| ModelError::Solid { part: name.clone(), reason })?;
        let nodes = &mut self.nodes[first..first + mass.len()];
        let whole: f64 = mass.iter().sum();
        let sum = |k: usize| nodes.iter().zip(&mass).map(|(n, m)| m * n[0][k]).sum::<f64>();
        let centre: [f64; 3] = std::array::from_fn(|k| sum(k) / whole);
        for [x, v, _] in nodes {
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                v[k] += rate[a] * (x[b] - centre[b]) - rate[b] * (x[a] - centre[a]);
            }
        }
        Ok(())
    }

    /// Initial displacements of some nodes \[m\] and what is added to their velocities \[m/s\], from their places.
    pub fn disturb(&mut self, nodes: std::ops::Range<usize>, by: &dyn Fn([f64; 3]) -> [[f64; 3]; 2]) {
        for [x, v, u] in &mut self.nodes[nodes] {
            let [displacement, velocity] = by(*x);
            *u = displacement;
            v.iter_mut().zip(velocity).for_each(|(v, d)| *v += d);
        }
    }

    /// Adds a line of beams; its number.
    pub fn add_beam(&mut self, spec: &BeamSpec) -> Result<usize, ModelError> {
        let beam = Beam::new(spec, self.nodes.len(), self.rotations, self.dim)?;
        self.rotations += beam.count * Beam::turns(self.dim);
        self.nodes.extend(spec.points.iter().map(|p| [*p, spec.velocity, [0.0; 3]]));
        self.beams.push(beam);
        Ok(self.beams.len() - 1)
    }

    /// Lets a beam carry a fluid with it across its axis \[kg/m\]: inertia without weight.
    pub fn add_mass(&mut self, beam: usize, line: f64) -> Result<(), ModelError> {
        if !(line >= 0.0 && line.is_finite()) {
            let (what, name) = ("added mass", self.beams[beam].name.clone());
            return Err(ModelError::Value { what, name, value: line, expected: "zero or more" });
        }
        let beam = &mut self.beams[beam];
        let places: Vec<[f64; 3]> = self.nodes[beam.first..beam.first + beam.count].iter().map(|n| n[0]).collect();
        if line > 0.0 { beam.carry(&places, line, self.dim) } else { Ok(()) }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of degrees of freedom: displacements of all nodes, then rotations of beams.
    pub fn dofs(&self) -> usize {
        self.dim * self.nodes.len() + self.rotations
    }

    /// Degrees of freedom of a part or, after all parts, of a beam.
    pub fn ranges(&self, owner: usize) -> Vec<std::ops::Range<usize>> {
        if let Some(part) = self.parts.get(owner) {
            return vec![part.range()];
        }
        let Some(beam) = self.beams.get(owner - self.parts.len()) else { return vec![] };
        let (dim, turns) = (self.dim, Beam::turns(self.dim));
        let first = dim * self.nodes.len() + beam.rotation;
        vec![dim * beam.first..dim * (beam.first + beam.count), first..first + turns * beam.count]
    }

    /// Parts that ties hold together, two or more to a group.
    pub fn glued(&self) -> Vec<Vec<usize>> {
        let mut group: Vec<usize> = (0..self.parts.len()).collect();
        for row in self.ties.iter().flat_map(|t| &t.rows) {
            let owner = |dof: u32| self.parts.iter().position(|p| p.range().contains(&(dof as usize)));
            let mut owners = row.terms.iter().filter_map(|(d, _)| owner(*d));
            let Some(first) = owners.next() else { continue };
            for other in owners {
                let (from, to) = (group[first].max(group[other]), group[first].min(group[other]));
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
        let all = (0..self.parts.len()).map(|g| (0..self.parts.len()).filter(|p| group[*p] == g).collect::<Vec<_>>());
        all.filter(|parts| parts.len() > 1).collect()
    }

    /// Degree of freedom of a rotation of a node of a beam (`k` below 1 in the plane, 3 in space).
    pub fn rotation(&self, beam: usize, node: usize, k: usize) -> u32 {
        (self.dim * self.nodes.len() + self.beams[beam].rotation + Beam::turns(self.dim) * node + k) as u32
    }

    /// Nodes of a group of a part, in the numbering of the model.
    pub fn group_nodes(&self, part: usize, group: &str) -> Result<Vec<u32>, ModelError> {
        let part = &self.parts[part];
        let found = part.mesh.group(group).map_err(|e| ModelError::Mesh { part: part.name.clone(), reason: e })?;
        Ok(found.nodes.iter().map(|n| n + part.first as u32).collect())
    }

    /// The surface made of a group of facets of a part.
    pub fn surface(&self, part: usize, group: &str) -> Result<Surface, ModelError> {
        let part = &self.parts[part];
        let found = part.mesh.group(group).map_err(|e| ModelError::Mesh { part: part.name.clone(), reason: e })?;
        part.mesh
            .surface(&found.cells, part.first as u32)
            .map_err(|e| ModelError::Contact { part: format!("{}/{group}", part.name), reason: e })
    }

    /// Facets of a group of a part, for loads.
    pub fn facets(&self, part: usize, group: &str) -> Result<Facets, ModelError> {
        let part = &self.parts[part];
        let found = part.mesh.group(group).map_err(|e| ModelError::Mesh { part: part.name.clone(), reason: e })?;
        part.solid
            .facets(&part.mesh, &found.cells)
            .map_err(|e| ModelError::Solid { part: part.name.clone(), reason: e })
    }

    /// Nodal forces of a dead traction \[Pa\] on a group of facets of a part.
    pub fn traction(&self, part: usize, group: &str, traction: [f64; 3]) -> Result<LoadKind, ModelError> {
        let facets = self.facets(part, group)?;
        let (first, dim) = (self.parts[part].first as u32, self.dim as u32);
        let mut forces = std::collections::BTreeMap::new();
        facets
            .traction(0..facets.len(), &mut |_| traction, &mut |facet, f, _| {
                for (node, f) in facets.connectivity(facet).iter().zip(f.chunks(dim as usize)) {
                    for (k, f) in f.iter().enumerate() {
                        *forces.entry(dim * (first + node) + k as u32).or_insert(0.0) += f;
                    }
                }
            })
            .map_err(|e| ModelError::Solid { part: self.parts[part].name.clone(), reason: e })?;
        Ok(LoadKind::Forces(forces.into_iter().collect()))
    }

    /// Positions in the reference configuration, flat.
    pub fn positions(&self) -> Vec<f64> {
        self.nodes.iter().flat_map(|n| n[0].into_iter().take(self.dim)).collect()
    }

    /// Turns nodes of a beam with the gradients of the fields that [`Model::disturb`] gave it: of the displacement and of
    /// the velocity, `gradient[i][j] = ∂v_i/∂x_j`.
    pub fn turn_with(&mut self, beam: usize, gradients: &dyn Fn([f64; 3]) -> [[[f64; 3]; 3]; 2]) {
        self.turning.resize(self.rotations, [0.0; 2]);
        for node in 0..self.beams[beam].count {
            let a = self.axis(beam, node);
            let at = self.beams[beam].rotation + Beam::turns(self.dim) * node;
            for (field, gradient) in gradients(self.nodes[self.beams[beam].first + node][0]).iter().enumerate() {
                let along: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| gradient[i][j] * a[j]).sum());
                let turn = |k: usize| a[(k + 1) % 3] * along[(k + 2) % 3] - a[(k + 2) % 3] * along[(k + 1) % 3];
                match self.dim {
                    2 => self.turning[at][field] = turn(2),
                    _ => (0..3).for_each(|k| self.turning[at + k][field] = turn(k)),
                }
            }
        }
    }

    /// Direction of a beam at one of its nodes.
    pub(crate) fn axis(&self, beam: usize, node: usize) -> [f64; 3] {
        let Beam { first, count, .. } = self.beams[beam];
        let (a, b) = (first + node.saturating_sub(1), first + (node + 1).min(count - 1));
        let d: [f64; 3] = std::array::from_fn(|k| self.nodes[b][0][k] - self.nodes[a][0][k]);
        let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        d.map(|x| if length > 0.0 { x / length } else { 0.0 })
    }

    /// Initial displacements, flat.
    pub fn displacements(&self) -> Vec<f64> {
        let moved = self.nodes.iter().flat_map(|n| n[2].into_iter().take(self.dim));
        moved.chain(self.turned(0)).collect()
    }

    /// Initial rotations or their rates.
    fn turned(&self, field: usize) -> impl Iterator<Item = f64> + '_ {
        (0..self.rotations).map(move |k| self.turning.get(k).map_or(0.0, |t| t[field]))
    }

    /// Initial velocities, flat.
    pub fn velocities(&self) -> Vec<f64> {
        let moving = self.nodes.iter().flat_map(|n| n[1].into_iter().take(self.dim));
        moving.chain(self.turned(1)).collect()
    }

    /// Checks what the parts cannot know alone.
    pub fn validate(&self) -> Result<(), ModelError> {
        if self.parts.is_empty() && self.beams.is_empty() {
            return Err(ModelError::Empty);
        }
        let dofs = self.dofs() as u32;
        let check = |what: &'static str, dof: u32| match dof < dofs {
            true => Ok(()),
            false => Err(ModelError::Dof { what, dof, dofs }),
        };
        for support in &self.supports {
            support.dofs.iter().try_for_each(|d| check("support", *d))?;
            if !support.value.is_valid() {
                return Err(ModelError::Function { what: "support" });
            }
        }
        for discrete in &self.discrete {
            discrete.validate()?;
            discrete.dofs().try_for_each(|d| check("spring, damper or mass", d))?;
        }
        for load in &self.loads {
            load.validate(dofs)?;
        }
        self.ties.iter().try_for_each(|t| t.validate(dofs))?;
        self.fluids.iter().try_for_each(|f| f.validate(self.nodes()))?;
        for contact in &self.contacts {
            if contact.motion.iter().any(|f| !f.is_valid()) {
                return Err(ModelError::Function { what: "motion of an obstacle" });
            }
            if !(contact.friction >= 0.0 && contact.friction.is_finite()) {
                return Err(ModelError::Value {
                    what: "coefficient of friction",
                    name: contact.name.clone(),
                    value: contact.friction,
                    expected: "zero or more",
                });
            }
        }
        for (name, law) in &self.laws {
            if !self.contacts.iter().any(|c| c.name == *name) {
                return Err(ModelError::NoContact { name: name.clone() });
            }
            if let Some(reason) = law.fault(self.dim, self.dim) {
                return Err(ModelError::Law { name: name.clone(), reason });
            }
        }
        if self.gravity.iter().any(|g| !g.is_finite()) {
            return Err(ModelError::Value {
                what: "gravity",
                name: "model".into(),
                value: f64::NAN,
                expected: "finite numbers",
            });
        }
        Ok(())
    }
}
