//! One contact, its identity, and the set of a step.

use crate::{Rotation, Touch, Vector};

/// The identity of a contact from step to step: two colliders, the features that
/// touch, and the periodic image of the second. Sorted, it gives the order of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ContactKey {
    /// Indices of the colliders, smaller first.
    pub colliders: [u32; 2],
    /// Periodic image of the second collider, in periods along each axis.
    pub image: [i32; 3],
    /// Feature (vertex, edge, face, part) of each; meaningful to the detector only.
    pub features: [u32; 2],
}

impl ContactKey {
    /// Whether two keys speak of the same pair of colliders and image.
    pub fn same_pair(&self, other: &Self) -> bool {
        self.colliders == other.colliders && self.image == other.image
    }
}

/// A possible contact at the configuration of detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<const D: usize> {
    /// Identity.
    pub key: ContactKey,
    /// Bodies of the two colliders; `n` points towards the first.
    pub bodies: [u32; 2],
    /// Witness points on the first and the second body, in the world, the second
    /// already moved by its image.
    pub points: [Vector<D>; 2],
    /// Translation of the periodic image of the second body.
    pub shift: Vector<D>,
    /// Columns `n, t1[, t2]`, right-handed in space; in the plane `t1 = (n_y, −n_x)`.
    pub frame: Rotation<D>,
    /// Distance along `n`, negative in penetration \[m\].
    pub gap: f64,
    /// Part of the relative velocity (first minus second) that comes from the own motion
    /// of an analytic wall, `f(t, x)` with its body at rest, in the world \[m/s\]:
    /// it adds `frameᵀ · wall_velocity` to `w` of method (1). Zero for all other shapes.
    pub wall_velocity: Vector<D>,
}

/// The contacts of a step, sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactSet<const D: usize> {
    /// The contacts.
    pub contacts: Vec<Contact<D>>,
    /// Nodes of those with a deformable side, sorted by key.
    pub touches: Vec<Touch>,
}

/// Contacts of before, sorted by key, whose tangents are carried on.
pub trait Frames<const D: usize>: Sync {
    /// Their number.
    fn count(&self) -> usize;
    /// The key of one of them.
    fn key(&self, i: usize) -> &ContactKey;
    /// Its frame.
    fn frame(&self, i: usize) -> Rotation<D>;

    /// The frame of a key, by bisection.
    fn find(&self, key: &ContactKey) -> Option<Rotation<D>> {
        let i = first_of(self, |k| k < key);
        (i < self.count() && self.key(i) == key).then(|| self.frame(i))
    }
}

/// The first of them for which `before` is false.
pub(crate) fn first_of<const D: usize, F: Frames<D> + ?Sized>(all: &F, before: impl Fn(&ContactKey) -> bool) -> usize {
    let (mut low, mut high) = (0, all.count());
    while low < high {
        let middle = low.midpoint(high);
        match before(all.key(middle)) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

impl<const D: usize> Frames<D> for ContactSet<D> {
    fn count(&self) -> usize {
        self.contacts.len()
    }

    fn key(&self, i: usize) -> &ContactKey {
        &self.contacts[i].key
    }

    fn frame(&self, i: usize) -> Rotation<D> {
        self.contacts[i].frame
    }
}

impl<const D: usize> ContactSet<D> {
    /// The contact of this key, by bisection.
    pub fn get(&self, key: &ContactKey) -> Option<&Contact<D>> {
        self.contacts.binary_search_by(|c| c.key.cmp(key)).ok().map(|i| &self.contacts[i])
    }

    /// The nodes of the contact of this key, by bisection; none where both sides are rigid.
    pub fn touch(&self, key: &ContactKey) -> Option<&Touch> {
        self.touches.binary_search_by(|t| t.key.cmp(key)).ok().map(|i| &self.touches[i])
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.touches.clear();
    }
}
