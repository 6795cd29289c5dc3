//! Beams: a line of Timoshenko elements
//!
//! Their nodes follow those of the parts before them; rotations (one in the plane, three in
//! space) follow after the displacements of all nodes.

use super::ModelError;
use crate::element::beam::Section;

/// What makes a line of beams.
#[derive(Clone, Debug)]
pub struct BeamSpec {
    /// Its name.
    pub name: String,
    /// Its nodes, in order \[m\].
    pub points: Vec<[f64; 3]>,
    /// Section and material.
    pub section: Section,
    /// Direction of the local y axis; unused in the plane.
    pub up: [f64; 3],
    /// Initial velocity \[m/s\].
    pub velocity: [f64; 3],
}

/// A line of beams in a model.
#[derive(Clone, Debug)]
pub struct Beam {
    /// Its name.
    pub name: String,
    /// Number of its first node in the model.
    pub first: usize,
    /// Number of its nodes.
    pub count: usize,
    /// Rank of its first rotation among those of the model.
    pub rotation: usize,
    /// Section and material.
    pub section: Section,
    /// Direction of the local y axis; unused in the plane.
    pub up: [f64; 3],
    /// Stiffness and mass of each element, rows one after the other.
    pub(crate) elements: Vec<[Vec<f64>; 2]>,
}

impl Beam {
    pub(super) fn new(spec: &BeamSpec, first: usize, rotation: usize, dim: usize) -> Result<Self, ModelError> {
        let refuse = |reason| ModelError::Beam { name: spec.name.clone(), reason };
        if spec.points.len() < 2 {
            return Err(ModelError::Value {
                what: "number of points",
                name: spec.name.clone(),
                value: spec.points.len() as f64,
                expected: "two or more",
            });
        }
        let mut elements = vec![];
        for ends in spec.points.windows(2) {
            let (a, b) = (ends[0], ends[1]);
            // Matrices are symmetric: columns are rows.
            elements.push(if dim == 2 {
                let (k, m) = spec.section.plane([a[0], a[1]], [b[0], b[1]]).map_err(refuse)?;
                [k.as_slice().to_vec(), m.as_slice().to_vec()]
            } else {
                let (k, m) = spec.section.space(a, b, spec.up).map_err(refuse)?;
                [k.as_slice().to_vec(), m.as_slice().to_vec()]
            });
        }
        Ok(Self {
            name: spec.name.clone(),
            first,
            count: spec.points.len(),
            rotation,
            section: spec.section,
            up: spec.up,
            elements,
        })
    }

    /// Takes a share of inertia and strain, one for each element.
    pub fn weigh(&mut self, inertia: &[f64], strain: &[f64]) {
        for (([k, m], inertia), strain) in self.elements.iter_mut().zip(inertia).zip(strain) {
            k.iter_mut().for_each(|k| *k *= strain);
            m.iter_mut().for_each(|m| *m *= inertia);
        }
    }

    /// Rotations of a node.
    pub(super) fn turns(dim: usize) -> usize {
        if dim == 2 { 1 } else { 3 }
    }

    /// Degrees of freedom of an element in a model of `nodes` nodes.
    pub fn dofs(&self, element: usize, dim: usize, nodes: usize) -> Vec<u32> {
        let turns = Self::turns(dim);
        (element..element + 2)
            .flat_map(|i| {
                let move_ = (0..dim).map(move |k| dim * (self.first + i) + k);
                let turn = (0..turns).map(move |k| dim * nodes + self.rotation + turns * i + k);
                move_.chain(turn).map(|d| d as u32).collect::<Vec<u32>>()
            })
            .collect()
    }
}
