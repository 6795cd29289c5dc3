//! A shape on a body.

use crate::{Dim, Offset, Pose, Shape, Space};

/// A shape carried by a body. A compound body has several.
#[derive(Clone, Debug)]
pub struct Collider<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// The body that carries it.
    pub body: u32,
    /// The shape.
    pub shape: <Dim<D> as Space<D>>::Shape,
    /// Where the shape is in the body.
    pub offset: Offset<D>,
    /// Index of its material; laws are given by pairs of materials.
    pub material: u16,
    /// Colliders of the same group other than 0 do not meet.
    pub group: u16,
    /// Whether its body is fixed or has an imposed motion: two such never meet.
    pub fixed: bool,
}

impl<const D: usize> Collider<D>
where
    Dim<D>: Space<D>,
{
    /// A collider at the origin of a moving body, material 0, no group.
    pub fn new(body: u32, shape: <Dim<D> as Space<D>>::Shape) -> Self {
        Self { body, shape, offset: Offset::none(), material: 0, group: 0, fixed: false }
    }

    /// On a fixed body.
    pub fn fixed(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// At a place of the body.
    pub fn at(mut self, offset: Pose<D>) -> Self {
        self.offset = offset.into();
        self
    }

    /// Of a material.
    pub fn material(mut self, material: u16) -> Self {
        self.material = material;
        self
    }

    /// In a group.
    pub fn group(mut self, group: u16) -> Self {
        self.group = group;
        self
    }

    /// Whether contacts with `other` are looked for.
    pub fn may_meet(&self, other: &Self) -> bool {
        self.body != other.body
            && !(self.fixed && other.fixed)
            && !(self.group != 0 && self.group == other.group)
            && !(self.shape.is_unbounded() && other.shape.is_unbounded())
    }
}
