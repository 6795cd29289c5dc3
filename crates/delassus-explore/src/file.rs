//! Explorations on disk: one HDF5 file, for pictures and further work
//!
//! ```text
//!     attributes        format = "delassus-exploration", version, source, unit
//!     contacts/position [n, dim]   contacts/frame [n, dim·dim] (rows: normal, tangents)
//!     contacts/bodies   [n, 2]     contacts/friction [n]
//!     forces [n, D]                one certified solution, normal first
//!     samples [m, n, D]            sample_residual [m]
//!     hull/start [n+1]  hull/vertices [k, D]   hull/unbounded [n]   hull/gap [n]
//!     hull/outer_start  hull/outer             in space
//!     width [n]                    infinite where unbounded
//!     networks/NAME [n, D]         extreme networks asked for
//! ```

use crate::{Error, Reaction, Samples};
use delassus_friction::algebra::Vector;
use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use std::path::Path;

/// Version of the layout.
pub const VERSION: u64 = 1;

/// Where the contacts are; a bare problem does not know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// Dimension of space.
    pub dimension: usize,
    /// Positions, `dimension` numbers each \[m\].
    pub position: Vec<f64>,
    /// Frames by rows: normal, tangents.
    pub frame: Vec<f64>,
    /// Bodies; −1 for none.
    pub bodies: Vec<[i64; 2]>,
}

/// What a file holds. Percussions are multiplied by `factor` on their way into it.
pub struct Exploration<'a, const D: usize> {
    /// Scene, run or problem.
    pub source: String,
    /// Unit of the forces in the file.
    pub unit: &'a str,
    /// From percussions to that unit.
    pub factor: f64,
    /// Where the contacts are.
    pub places: Option<&'a Places>,
    /// Coefficients of friction.
    pub friction: Vec<f64>,
    /// One solution.
    pub forces: Option<&'a [Vector<D>]>,
    /// Samples.
    pub samples: Option<&'a Samples<D>>,
    /// Exact sets, of some contacts or all.
    pub reactions: Option<&'a [Reaction<D>]>,
    /// Extreme networks by name.
    pub networks: Vec<(String, Vec<Vector<D>>)>,
}

impl<const D: usize> Exploration<'_, D> {
    /// Writes the file, replacing one of that name.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let failed = |reason: String| Error::Write { path: path.display().to_string(), reason };
        let bytes = self.build().finish().map_err(|e| failed(e.to_string()))?;
        std::fs::write(path, bytes).map_err(|e| failed(e.to_string()))
    }

    fn flat<'b>(&self, list: impl IntoIterator<Item = &'b Vector<D>>) -> Vec<f64> {
        list.into_iter().flat_map(|v| v.iter().copied()).map(|x| x * self.factor).collect()
    }

    fn build(&self) -> FileBuilder {
        let n = self.friction.len();
        let mut file = FileBuilder::new();
        for (name, text) in [("format", "delassus-exploration"), ("source", &self.source), ("unit", self.unit)] {
            file.set_attr(name, AttrValue::VarLenString(text.to_owned()));
        }
        file.set_attr("version", AttrValue::U64(VERSION));
        let mut contacts = file.create_group("contacts");
        floats(&mut contacts, "friction", &self.friction, &[n]);
        if let Some(places) = self.places {
            let d = places.dimension;
            floats(&mut contacts, "position", &places.position, &[n, d]);
            floats(&mut contacts, "frame", &places.frame, &[n, d * d]);
            let bodies: Vec<i64> = places.bodies.iter().flatten().copied().collect();
            contacts.create_dataset("bodies").with_i64_data(&bodies).with_shape(&[n as u64, 2]);
        }
        file.add_group(contacts.finish());
        if let Some(forces) = self.forces {
            let flat = self.flat(&forces[..n]);
            file.create_dataset("forces").with_f64_data(&flat).with_shape(&[n as u64, D as u64]);
        }
        if let Some(samples) = self.samples.filter(|s| !s.is_empty()) {
            let m = samples.len();
            let all = self.flat((0..m).flat_map(|k| &samples.get(k)[..n]));
            let shape = [m as u64, n as u64, D as u64];
            file.create_dataset("samples").with_f64_data(&all).with_shape(&shape);
            file.create_dataset("sample_residual").with_f64_data(&samples.residuals).with_shape(&[m as u64]);
        }
        if let Some(reactions) = self.reactions {
            self.hull(&mut file, reactions, n);
        }
        if !self.networks.is_empty() {
            let mut group = file.create_group("networks");
            for (name, network) in &self.networks {
                floats(&mut group, name, &self.flat(&network[..n]), &[n, D]);
            }
            file.add_group(group.finish());
        }
        file
    }

    /// Contacts that were not asked for have no vertices, and a width that is not a number.
    fn hull(&self, file: &mut FileBuilder, reactions: &[Reaction<D>], n: usize) {
        let mut by_contact: Vec<Option<&Reaction<D>>> = vec![None; n];
        reactions.iter().for_each(|r| by_contact[r.contact] = Some(r));
        let ragged = |list: &dyn Fn(&Reaction<D>) -> Vec<Vector<D>>| {
            let (mut start, mut flat) = (vec![0i64], vec![]);
            for r in &by_contact {
                flat.extend(self.flat(&r.map(list).unwrap_or_default()));
                start.push((flat.len() / D) as i64);
            }
            (start, flat)
        };
        let number = |value: &dyn Fn(&Reaction<D>) -> f64| -> Vec<f64> {
            by_contact.iter().map(|r| r.map_or(f64::NAN, |r| value(r) * self.factor)).collect()
        };
        let mut group = file.create_group("hull");
        let (start, flat) = ragged(&|r| r.vertices.clone());
        group.create_dataset("start").with_i64_data(&start).with_shape(&[start.len() as u64]);
        floats(&mut group, "vertices", &flat, &[flat.len() / D, D]);
        if D > 2 {
            let (start, flat) = ragged(&|r| r.outer.clone());
            group.create_dataset("outer_start").with_i64_data(&start).with_shape(&[start.len() as u64]);
            floats(&mut group, "outer", &flat, &[flat.len() / D, D]);
        }
        floats(&mut group, "gap", &number(&|r| r.gap), &[n]);
        let unbounded: Vec<u8> = by_contact.iter().map(|r| u8::from(r.is_some_and(|r| !r.rays.is_empty()))).collect();
        group.create_dataset("unbounded").with_u8_data(&unbounded).with_shape(&[n as u64]);
        file.add_group(group.finish());
        let width = number(&|r| r.width());
        file.create_dataset("width").with_f64_data(&width).with_shape(&[n as u64]);
    }
}

fn floats(group: &mut GroupBuilder, name: &str, data: &[f64], shape: &[usize]) {
    let shape: Vec<u64> = shape.iter().map(|x| *x as u64).collect();
    group.create_dataset(name).with_f64_data(data).with_shape(&shape);
}
