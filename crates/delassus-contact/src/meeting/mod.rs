//! Contacts with a deformable side: pairs of a skin with a shape, another skin, itself
//!
//! ```text
//! skin × shape    nodes in the shape          corners in the skin            edges across edges
//! skin × skin     nodes of the finer          sharp corners of the other     sharp edges across sharp edges
//! skin × itself   nodes against facets that do not adjoin them and are not behind them in the body
//! ```
//!
//! Nodes carry the contacts of flat interfaces. Corners and edges add what nodes miss: shapes and
//! meshes finer than the facets they touch, and edges that cross between their ends.

mod edges;
mod itself;
mod shape;
mod skins;

pub(crate) use edges::{FACE, cross};
pub(crate) use shape::Shape;

use crate::hit::Hit;
use crate::skin::{ContactError, Skin, SkinSpec, Stencil};
use crate::{Aabb, Dim, Error, Pose, Space, Vector};

/// How deep a point is looked for, in sizes of facets.
const REACH: f64 = 0.5;
/// How far points are moved to tell faces apart at corners, in sizes of facets.
const INSET: f64 = 0.05;
/// Marks the key of a corner of a rigid shape.
const CORNER: u32 = 1 << 31;
/// Marks the key of an edge.
const EDGE: u32 = 1 << 30;
/// The side of a contact that is no node.
const FACET: u32 = u32::MAX;

/// A contact with a deformable side, before it is named and framed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting<const D: usize> {
    pub hit: Hit<D>,
    /// Nodes of each side.
    pub sides: [Stencil; 2],
}

/// What a search of contacts is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a, const D: usize> {
    /// Positions of all nodes.
    pub x: &'a [f64],
    /// Contacts with a larger gap are left out \[m\].
    pub margin: f64,
    pub t: f64,
}

impl<const D: usize> Search<'_, D> {
    fn position(&self, node: u32) -> Vector<D> {
        Vector::from_column_slice(&self.x[D * node as usize..][..D])
    }
}

/// The skins of a detector.
pub(crate) struct Skins<const D: usize>
where
    Dim<D>: Space<D>,
{
    pub list: Vec<Skin<D>>,
    reference: Vec<f64>,
    /// The contacts of the pair looked at last.
    pub found: Vec<Meeting<D>>,
    /// A point, to meet chains and meshes.
    point: <Dim<D> as Space<D>>::Solid,
    hits: Vec<Hit<D>>,
    ranks: Vec<u32>,
    facets: Vec<u32>,
    /// By rank: nodes whose facets a node does not meet.
    own: Vec<bool>,
}

impl<const D: usize> Skins<D>
where
    Dim<D>: Space<D>,
{
    /// Checks the skins and measures them at rest.
    pub fn new(specs: Vec<SkinSpec>, reference: &[f64]) -> Result<Self, Error> {
        let mut list: Vec<Skin<D>> = vec![];
        for (i, spec) in specs.into_iter().enumerate() {
            let skin = Skin::new(spec, reference).map_err(|e| failed(i, e))?;
            for (j, other) in list.iter().enumerate() {
                if let Some(&node) = skin.nodes().iter().find(|n| other.nodes().binary_search(n).is_ok()) {
                    return Err(Error::SharedNode { skins: [j, i], node });
                }
            }
            list.push(skin);
        }
        let point = Dim::<D>::solid(&Dim::<D>::point(), &Pose::identity())?;
        let (found, hits, ranks, facets, own) = (vec![], vec![], vec![], vec![], vec![]);
        Ok(Self { list, reference: reference.to_vec(), found, point, hits, ranks, facets, own })
    }

    /// Moves the skins.
    pub fn place(&mut self, x: &[f64]) -> Result<(), Error> {
        for (i, skin) in self.list.iter_mut().enumerate() {
            skin.check("position", x).map_err(|e| failed(i, e))?;
            skin.update(x);
        }
        Ok(())
    }

    /// Ranks of the nodes of a skin in a box, ascending.
    fn gather_nodes(&mut self, skin: usize, bounds: &Aabb<D>, at: &Search<D>) {
        let (skin, ranks) = (&self.list[skin], &mut self.ranks);
        ranks.clear();
        skin.surface.tree.overlapping(bounds, |f| ranks.extend_from_slice(skin.facets().ranks(f as usize)));
        ranks.sort_unstable();
        ranks.dedup();
        ranks.retain(|&r| bounds.holds(&at.position(skin.nodes()[r as usize])));
    }
}

fn failed(skin: usize, reason: ContactError) -> Error {
    Error::Skin { skin, reason: Box::new(reason) }
}
