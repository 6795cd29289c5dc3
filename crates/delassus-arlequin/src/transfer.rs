//! What a state becomes where a fine model is moved over a coarse one, or takes over from it
//!
//! ```text
//!     u(X), v(X)         of nodes          the model that stood at X, patch first, at its shape functions
//!     internal variables of points         the nearest point of the model that stood there, if its law is the same
//!     contact forces     of nodes          to the functions of what stands there now: their sum and moment stay
//! ```
//!
//! Places are those of reference, which both models share. Coarse nodes that were hidden, under the patch and beyond
//! the gluing zone, take the field of the patch: their own had next to no weight. Fields of first degree, and so rigid
//! motions, pass exactly.

use crate::layer::point;
use crate::{Error, Layer, Overlap, Ramp, Superposition, Vector};
use delassus_fem::Model;
use delassus_fem::element::{NODES_MAX, shape, stiffness_rule};
use delassus_fem::mesh::CellKind;
use delassus_fem::model::Part;
use delassus_fem::solid::Hypothesis;

/// A node is at the place of another one when it has all but this of its function.
const SAME: f64 = 1e-6;

/// The state of all solids of a model, as its part of the world keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    /// Displacements \[m\].
    pub displacement: Vec<f64>,
    /// Velocities \[m/s\].
    pub velocity: Vec<f64>,
    /// Internal variables.
    pub history: Vec<f64>,
    /// Normal and tangential contact forces \[N\].
    pub contact: [Vec<f64>; 2],
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Nodes of the model, and which ones stand at their places now; only where some do.
    pub nodes: Vec<(u32, u32)>,
    /// Points of integration that begin as virgin material: none of the same law was there.
    pub virgin: usize,
}

/// Fields at a place: nodes of the model and the values of their functions.
struct Place {
    first: usize,
    count: usize,
    nodes: [u32; NODES_MAX],
    n: [f64; NODES_MAX],
}

impl Place {
    fn find<const D: usize>(part: &Part, layer: &Layer<'_, D>, x: &Vector<D>) -> Option<Self> {
        let cell = layer.cell_at(x)?;
        let located = layer.locate(cell, x);
        let own = layer.nodes(cell);
        let mut nodes = [0; NODES_MAX];
        nodes[..own.len()].copy_from_slice(own);
        let mut n = located.n;
        // A node where another one was takes its values to the bit.
        if let Some(same) = (0..own.len()).find(|i| (n[*i] - 1.0).abs() < SAME) {
            n = [0.0; NODES_MAX];
            n[same] = 1.0;
        }
        Some(Self { first: part.first, count: own.len(), nodes, n })
    }

    fn terms(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let all = self.nodes[..self.count].iter().zip(&self.n);
        all.filter(|(_, n)| **n != 0.0).map(|(node, n)| (self.first + *node as usize, *n))
    }
}

/// Carries the fields of a model to another one with the same parts, in which the fine part of `was` may stand
/// elsewhere and its shares may be others. `was` is the superposition before.
///
/// # Errors
/// A node of the fine part that stands on neither model, meshes that cannot be superposed.
pub fn carry<const D: usize>(
    [old, new]: [&Model; 2],
    was: &Superposition,
    fields: &mut Fields,
) -> Result<Carried, Error> {
    let (coarse, fine, moved) = (&old.parts[was.coarse], &old.parts[was.fine], &new.parts[was.fine]);
    let overlap = Overlap::<D>::new(Layer::new(&coarse.mesh, None)?, Layer::new(&fine.mesh, None)?)?;
    let ramp = Ramp::new(&overlap, was.width);
    let [over, under] = overlap.layers();
    let find = |x: &Vector<D>| Place::find(fine, under, x).or_else(|| Place::find(coarse, over, x));
    let hidden = |x: &Vector<D>| !was.glues(&ramp, x) && under.cell_at(x).is_some();
    let before = fields.clone();
    let mut done = Carried::default();
    let stays = moved.mesh.points == fine.mesh.points;
    let mut take = |node: usize, from: &Place| {
        let arrays = [(&before.displacement, &mut fields.displacement), (&before.velocity, &mut fields.velocity)];
        for (from_array, array) in arrays {
            for k in 0..D {
                array[D * node + k] = from.terms().map(|(i, n)| n * from_array[D * i + k]).sum();
            }
        }
    };
    if !stays {
        for i in 0..moved.mesh.points.len() {
            let x = point::<D>(&moved.mesh, i as u32);
            let place = find(&x).ok_or_else(|| Error::Lost { node: i, place: format!("{:?}", x.as_slice()) })?;
            take(moved.first + i, &place);
        }
    }
    for i in 0..coarse.mesh.points.len() {
        let x = point::<D>(&coarse.mesh, i as u32);
        if let Some(place) = Some(&x).filter(|x| hidden(x)).and_then(|x| Place::find(fine, under, x)) {
            take(coarse.first + i, &place);
        }
    }
    if !stays {
        let now = Layer::<D>::new(&moved.mesh, None)?;
        push(&before, fields, (fine, under), (moved, &now), (coarse, over), &mut done);
    }
    let memories = Memories { old, fine, coarse, under, over };
    for (part, is_fine) in [(moved, true), (coarse, false)] {
        if !(is_fine && stays) {
            memories.recall(part, is_fine, &hidden, (&before.history, &mut fields.history), &mut done);
        }
    }
    Ok(done)
}

/// Forces of the nodes of the fine part to what stands at their places now.
fn push<const D: usize>(
    before: &Fields,
    fields: &mut Fields,
    (fine, _): (&Part, &Layer<'_, D>),
    (moved, now): (&Part, &Layer<'_, D>),
    (coarse, over): (&Part, &Layer<'_, D>),
    done: &mut Carried,
) {
    for force in &mut fields.contact {
        force[fine.range()].fill(0.0);
    }
    for i in 0..fine.mesh.points.len() {
        let x = point::<D>(&fine.mesh, i as u32);
        let node = fine.first + i;
        let there = Place::find(moved, now, &x);
        if let Some(place) = &there
            && let Some((same, _)) = place.terms().find(|(_, n)| *n == 1.0)
        {
            done.nodes.push((node as u32, same as u32));
        }
        let acts = before.contact.iter().any(|f| f[D * node..D * (node + 1)].iter().any(|f| *f != 0.0));
        let Some(place) = Some(there).filter(|_| acts).and_then(|p| p.or_else(|| Place::find(coarse, over, &x))) else {
            continue;
        };
        for (old, new) in before.contact.iter().zip(&mut fields.contact) {
            for (to, n) in place.terms() {
                (0..D).for_each(|k| new[D * to + k] += n * old[D * node + k]);
            }
        }
    }
}

/// Where internal variables come from.
struct Memories<'a, const D: usize> {
    old: &'a Model,
    fine: &'a Part,
    coarse: &'a Part,
    under: &'a Layer<'a, D>,
    over: &'a Layer<'a, D>,
}

impl<const D: usize> Memories<'_, D> {
    /// Internal variables of a part of the new model.
    fn recall(
        &self,
        part: &Part,
        is_fine: bool,
        hidden: &dyn Fn(&Vector<D>) -> bool,
        (before, after): (&[f64], &mut [f64]),
        done: &mut Carried,
    ) {
        if part.solid.history_len() == 0 {
            return;
        }
        let first = self.first(if is_fine { self.fine } else { self.coarse });
        let virgin = part.solid.initial_history();
        for cell in 0..part.solid.cells() {
            let places = places::<D>(part, cell);
            let own = part.solid.history_range(cell..cell + 1);
            let width = own.len() / places.len().max(1);
            for (q, x) in places.iter().enumerate() {
                let at = own.start + q * width..own.start + (q + 1) * width;
                if !is_fine && !hidden(x) {
                    continue;
                }
                let from = self.nearest(part, x, is_fine);
                match from {
                    Some(from) => after[first + at.start..first + at.end].copy_from_slice(&before[from..from + width]),
                    None if is_fine => {
                        after[first + at.start..first + at.end].copy_from_slice(&virgin[at]);
                        done.virgin += 1;
                    }
                    // Of another law: what the coarse model knew itself.
                    None => {}
                }
            }
        }
    }

    /// The first internal variable of the nearest point of a model of the same law.
    fn nearest(&self, part: &Part, x: &Vector<D>, is_fine: bool) -> Option<usize> {
        let sources = [(self.fine, self.under), (self.coarse, self.over)];
        for (source, layer) in sources.into_iter().take(1 + usize::from(is_fine)) {
            let Some(cell) = layer.cell_at(x) else { continue };
            let (a, b) = (source.solid.spec(), part.solid.spec());
            if (&a.material, a.kinematics, a.hypothesis) != (&b.material, b.kinematics, b.hypothesis) {
                return None;
            }
            let places = places::<D>(source, cell as usize);
            let all = source.solid.history_range(cell as usize..cell as usize + 1);
            let width = all.len() / places.len().max(1);
            let off = |q: &usize| (places[*q] - x).norm_squared();
            let best = (0..places.len()).min_by(|a, b| off(a).total_cmp(&off(b)))?;
            return Some(self.first(source) + all.start + best * width);
        }
        None
    }

    /// Where the internal variables of a part begin.
    fn first(&self, part: &Part) -> usize {
        let before = self.old.parts.iter().take_while(|p| p.first != part.first);
        before.map(|p| p.solid.history_len()).sum()
    }
}

/// Points of integration of a cell.
fn places<const D: usize>(part: &Part, cell: usize) -> Vec<Vector<D>> {
    let kind: CellKind = part.solid.kind(cell);
    let round = part.solid.spec().hypothesis == Hypothesis::Axisymmetric;
    let nodes = part.solid.connectivity(cell);
    let mut n = [0.0; NODES_MAX];
    let at = |xi: &[f64; 3]| {
        shape(kind, *xi, &mut n);
        nodes.iter().zip(&n).map(|(node, n)| point::<D>(&part.mesh, *node) * *n).sum()
    };
    stiffness_rule(kind, round).points.iter().map(at).collect()
}
