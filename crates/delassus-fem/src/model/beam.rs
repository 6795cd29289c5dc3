//! Beams: a line of Timoshenko elements
//!
//! Their nodes follow those of the parts before them; rotations (one in the plane, three in
//! space) follow after the displacements of all nodes.

use super::ModelError;
use crate::element::beam::{BeamError, Section};
use std::collections::BTreeMap;

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
    /// Rayleigh damping: of the mass \[1/s\], of the stiffness \[s\].
    pub rayleigh: [f64; 2],
    /// How far its skin is from its axis \[m\], where that is one number.
    pub offset: Option<f64>,
    /// Groups of its nodes beside those that every beam has, numbered from its start.
    pub groups: BTreeMap<String, Vec<u32>>,
}

impl BeamSpec {
    /// At rest, without damping, upright along the third axis.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 3]>, section: Section) -> Self {
        Self {
            name: name.into(),
            points,
            section,
            up: [0.0, 0.0, 1.0],
            velocity: [0.0; 3],
            rayleigh: [0.0; 2],
            offset: None,
            groups: BTreeMap::new(),
        }
    }
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
    /// Rayleigh damping.
    pub rayleigh: [f64; 2],
    /// Distance of the skin from the axis \[m\].
    pub offset: Option<f64>,
    /// Section and material.
    pub section: Section,
    /// Groups of its nodes, numbered from its start.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Direction of the local y axis; unused in the plane.
    pub up: [f64; 3],
    /// Share of the inertia that each element has.
    shares: Vec<f64>,
    /// Masses of the fluid that each element carries, where there is one.
    pub(crate) carried: Vec<Vec<f64>>,
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
        if let Some(value) = spec.rayleigh.iter().find(|x| !(**x >= 0.0 && x.is_finite())) {
            let (what, name) = ("rayleigh damping", spec.name.clone());
            return Err(ModelError::Value { what, name, value: *value, expected: "zero or more" });
        }
        let made = spec.points.windows(2).map(|ends| element(&spec.section, [ends[0], ends[1]], spec.up, dim));
        let elements = made.collect::<Result<_, _>>().map_err(refuse)?;
        Ok(Self {
            name: spec.name.clone(),
            first,
            count: spec.points.len(),
            rotation,
            rayleigh: spec.rayleigh,
            offset: spec.offset,
            section: spec.section,
            groups: spec.groups.clone(),
            up: spec.up,
            shares: vec![1.0; spec.points.len() - 1],
            carried: vec![],
            elements,
        })
    }

    /// Takes a share of inertia and strain, one for each element.
    pub fn weigh(&mut self, inertia: &[f64], strain: &[f64]) {
        for (([k, m], inertia), strain) in self.elements.iter_mut().zip(inertia).zip(strain) {
            k.iter_mut().for_each(|k| *k *= strain);
            m.iter_mut().for_each(|m| *m *= inertia);
        }
        self.shares.iter_mut().zip(inertia).for_each(|(share, inertia)| *share *= inertia);
        for (carried, inertia) in self.carried.iter_mut().zip(inertia) {
            carried.iter_mut().for_each(|m| *m *= inertia);
        }
    }

    /// Lets the beam, at these places, carry a fluid across its axis \[kg/m\].
    pub(super) fn carry(&mut self, points: &[[f64; 3]], line: f64, dim: usize) -> Result<(), ModelError> {
        let refuse = |reason| ModelError::Beam { name: self.name.clone(), reason };
        let section = self.section.carrying(line);
        let made = points.windows(2).map(|ends| element(&section, [ends[0], ends[1]], self.up, dim));
        let mut made = made.map(|e| e.map(|[_, mass]| mass)).collect::<Result<Vec<_>, _>>().map_err(refuse)?;
        made.iter_mut().zip(&self.shares).for_each(|(m, share)| m.iter_mut().for_each(|m| *m *= share));
        match self.carried.is_empty() {
            true => self.carried = made,
            false => {
                let pairs = self.carried.iter_mut().zip(made);
                pairs.for_each(|(a, b)| a.iter_mut().zip(b).for_each(|(a, b)| *a += b));
            }
        }
        Ok(())
    }

    /// Rotations of a node.
    pub(crate) fn turns(dim: usize) -> usize {
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

/// Stiffness and mass between two places; the matrices are symmetric: columns are rows.
fn element(section: &Section, [a, b]: [[f64; 3]; 2], up: [f64; 3], dim: usize) -> Result<[Vec<f64>; 2], BeamError> {
    Ok(match dim {
        2 => {
            let (k, m) = section.plane([a[0], a[1]], [b[0], b[1]])?;
            [k.as_slice().to_vec(), m.as_slice().to_vec()]
        }
        _ => {
            let (k, m) = section.space(a, b, up)?;
            [k.as_slice().to_vec(), m.as_slice().to_vec()]
        }
    })
}
