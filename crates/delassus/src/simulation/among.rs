//! Deformable solids among rigid bodies: what is recorded of them
//!
//! `nodes/displacement`, `nodes/velocity` and `restart/history` are their part of the state; nodes are
//! those of all solids, one solid after the other.

use super::Error;
use delassus_fem::solid::CellFields;
use delassus_fem::subsystem::DeformableSpec;
use delassus_record::{BodyGeometry, Extent, Field, Kind, Run};
use delassus_rigid::State;

/// The solids of a scene.
pub struct Among {
    specs: Vec<DeformableSpec>,
    materials: Vec<String>,
    stress: CellFields,
    dim: usize,
}

impl Among {
    /// Solids with the names of their materials, in a space of dimension `dim`.
    pub fn new(specs: Vec<DeformableSpec>, materials: &[String], dim: usize) -> Self {
        let named = |s: &DeformableSpec| materials.get(usize::from(s.material)).cloned().unwrap_or_default();
        Self { materials: specs.iter().map(named).collect(), specs, stress: CellFields::default(), dim }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.specs.iter().map(|s| s.name.clone())
    }

    fn nodes(&self) -> usize {
        self.specs.iter().map(|s| s.model.nodes()).sum()
    }

    fn history(spec: &DeformableSpec) -> usize {
        spec.model.parts.iter().map(|p| p.solid.history_len()).sum()
    }

    /// Fields, in the order of [`Among::columns`].
    pub fn fields(&self) -> Vec<Field> {
        if self.is_empty() {
            return vec![];
        }
        let (nodes, d) = (self.nodes(), self.dim);
        let node = |name: &str, width| Field::new(format!("nodes/{name}"), Kind::F64, width, Extent::Fixed(nodes));
        let tensor = "xx, yy, zz, xy, yz, zx";
        let history = self.specs.iter().map(Self::history).sum();
        vec![
            node("displacement", d).with("m", "displacement"),
            node("velocity", d).with("m/s", "velocity"),
            node("stress", 6).with("Pa", format!("Cauchy stress: {tensor}")),
            node("strain", 6).with("1", format!("strain, Green's in finite strain: {tensor}")),
            node("von_mises", 1).with("Pa", "von Mises stress"),
            node("plastic_strain", 1).with("1", "accumulated plastic strain"),
            Field::new("restart/history", Kind::F64, 1, Extent::Fixed(history)).with("1", "internal variables"),
        ]
    }

    /// Meshes at rest; bodies are numbered from `first` on.
    pub fn geometry(&self, first: u32) -> impl Iterator<Item = BodyGeometry> + '_ {
        self.specs.iter().zip(&self.materials).zip(first..).flat_map(|((spec, material), body)| {
            spec.model.parts.iter().map(move |part| BodyGeometry {
                name: spec.name.clone(),
                body,
                material: material.clone(),
                points: part.mesh.points.clone(),
                polygons: (0..part.solid.cells()).map(|c| part.solid.connectivity(c).to_vec()).collect(),
            })
        })
    }

    /// The columns of a state, in the order of [`Among::fields`]; `first` are the coordinates and the
    /// velocities of the rigid bodies.
    pub fn columns(&mut self, state: &State, first: [usize; 2]) -> Result<Vec<Vec<f64>>, Error> {
        let mut out = vec![vec![]; if self.is_empty() { 0 } else { 7 }];
        let [mut q, mut u] = first;
        for spec in &self.specs {
            let (dofs, history) = (spec.model.dofs(), Self::history(spec));
            let (displacement, internal) = state.q[q..q + dofs + history].split_at(dofs);
            out[0].extend(displacement);
            out[1].extend(&state.u[u..u + dofs]);
            out[6].extend(internal);
            (q, u) = (q + dofs + history, u + dofs);
            let mut at = 0;
            for part in &spec.model.parts {
                let own = &internal[at..at + part.solid.history_len()];
                at += own.len();
                let failed = |e: delassus_fem::solid::SolidError| Error::Stress {
                    solid: spec.name.clone(),
                    reason: e.to_string(),
                };
                part.solid.fields(&displacement[part.range()], own, &mut self.stress).map_err(failed)?;
                out[2].extend(self.stress.nodal_stress.iter().flatten());
                out[3].extend(self.stress.nodal_strain.iter().flatten());
                out[4].extend(&self.stress.nodal_von_mises);
                out[5].extend(&self.stress.nodal_plastic_strain);
            }
        }
        Ok(out)
    }

    /// Appends the solids of a frame to the state of the rigid bodies.
    pub fn read(&self, run: &Run, frame: usize, state: &mut State) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let numbers = |name: &str, count: usize| -> Result<Vec<f64>, Error> {
            let column = run.read(frame, name)?;
            let found = column.f64().filter(|x| x.len() == count).map(<[f64]>::to_vec);
            found.ok_or_else(|| Error::Frame { frame, reason: format!("'{name}' does not hold {count} numbers") })
        };
        let dofs = self.dim * self.nodes();
        let displacement = numbers("nodes/displacement", dofs)?;
        state.u.extend(numbers("nodes/velocity", dofs)?);
        let history = numbers("restart/history", self.specs.iter().map(Self::history).sum())?;
        let (mut at, mut kept) = (0, 0);
        for spec in &self.specs {
            let (n, k) = (spec.model.dofs(), Self::history(spec));
            state.q.extend(&displacement[at..at + n]);
            state.q.extend(&history[kept..kept + k]);
            (at, kept) = (at + n, kept + k);
        }
        Ok(())
    }
}
