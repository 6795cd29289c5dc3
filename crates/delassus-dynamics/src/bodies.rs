//! Contacts between bodies: the one detector, and the laws between materials.

use crate::parts::Parts;
use crate::sleep::Sleep;
use crate::{BodyLaw, Error, Interactions, State};
use delassus_contact::{Contact, ContactSet, Detector, Dim, Placement, Pose, Rotation, Space, Vector};

/// Gap that counts as closed, relative to the coordinates: round-off and solver tolerance
/// summed over many steps. Without it a face at rest would lose and find its corners in turn.
pub(crate) const CLOSED: f64 = 1e-9;

/// What may meet without being named in a pair: colliders and skins.
pub struct Bodies<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Finds the contacts; none where only surfaces named in pairs may meet.
    pub detector: Option<Detector<D>>,
    /// Materials of the colliders and skins of the detector.
    pub materials: Vec<u16>,
    /// Laws by pairs of materials.
    pub laws: Interactions,
}

impl<const D: usize> Default for Bodies<D>
where
    Dim<D>: Space<D>,
{
    fn default() -> Self {
        Self { detector: None, materials: vec![], laws: Interactions::default() }
    }
}

impl<const D: usize> Bodies<D>
where
    Dim<D>: Space<D>,
{
    /// Contacts at time `t`, sorted by key; those of what sleeps are the last ones.
    pub(crate) fn find<const C: usize>(
        &mut self,
        parts: &Parts<D, C>,
        t: f64,
        (previous, last, found): (&State, &ContactSet<D>, &mut ContactSet<D>),
        sleep: &Sleep,
    ) -> Result<(), Error> {
        let Some(detector) = &mut self.detector else {
            found.clear();
            return Ok(());
        };
        let poses = parts.poses();
        let nodes = parts.with_nodes().map_or(&[][..], |(p, _)| p.surfaces().nodes.positions);
        let at = Placement { poses, nodes, t };
        match sleep.count() {
            0 => detector.detect(&at, previous, found)?,
            _ => detector.detect_moving(&at, (previous, last), &|body| sleep.is_still(body), found)?,
        }
        self.align(parts, found);
        Ok(())
    }

    /// Whether a contact takes part in the step; `poses` are those of the rigid bodies, which come first.
    pub(crate) fn is_active(&self, poses: &[Pose<D>], contact: &Contact<D>, memory: &[f64; crate::MEMORY]) -> bool {
        self.is_closed(poses, contact) || self.law_of(contact).is_some_and(|(law, _)| law.reaches(contact.gap, memory))
    }

    /// Whether a contact is closed, up to round-off.
    pub(crate) fn is_closed(&self, poses: &[Pose<D>], contact: &Contact<D>) -> bool {
        // A gap that round-off cannot tell from zero is closed.
        let mut size = contact.points[0].amax();
        for (body, collider) in contact.bodies.into_iter().zip(contact.key.colliders) {
            size = match poses.get(body as usize) {
                Some(pose) => size.max(pose.position.amax()),
                None => size.max(self.extent(collider)),
            };
        }
        contact.gap <= CLOSED * size
    }

    /// Largest coordinate of a skin.
    fn extent(&self, collider: u32) -> f64 {
        let Some(detector) = &self.detector else { return 0.0 };
        let skin = (collider as usize).checked_sub(detector.colliders().len()).and_then(|k| detector.skins().get(k));
        skin.map_or(0.0, |s| s.bounds().min.amax().max(s.bounds().max.amax()))
    }

    /// The law of a contact, and whether its pair of materials was given in the other order.
    pub(crate) fn law_of(&self, contact: &Contact<D>) -> Option<(&dyn BodyLaw, bool)> {
        let [a, b] = contact.key.colliders.map(|c| self.materials[c as usize]);
        self.laws.get(a, b)
    }

    /// Whether contacts of two colliders store energy.
    pub(crate) fn stores(&self, colliders: [u32; 2]) -> bool {
        let [a, b] = colliders.map(|c| self.materials.get(c as usize));
        a.zip(b).and_then(|(a, b)| self.laws.get(*a, *b)).is_some_and(|(law, _)| law.stores())
    }

    /// The axis of a law that is not isotropic, in space, and the side that carries it; solids have no axes of
    /// their own.
    fn axis_of<const C: usize>(&self, parts: &Parts<D, C>, contact: &Contact<D>) -> Option<(Vector<D>, usize)> {
        let (law, swapped) = self.law_of(contact)?;
        let axis = law.material_axis()?;
        let body = contact.bodies[usize::from(swapped)];
        let (part, first) = parts.of_body(body);
        let (surfaces, b) = (part.surfaces(), body as usize - first.bodies);
        let axis = Vector::<D>::from_fn(|k, _| axis[k]);
        let axis = surfaces.poses.get(b).map_or(axis, |pose| pose.rotation * (surfaces.frames[b] * axis));
        Some((axis, usize::from(swapped)))
    }

    /// Whether the first body carries the axis of the law; in the plane, how it faces the tangent.
    pub(crate) fn facing<const C: usize>(&self, parts: &Parts<D, C>, contact: &Contact<D>) -> (bool, f64) {
        if !self.laws.has_axes() {
            return (false, 0.0);
        }
        let Some((axis, side)) = self.axis_of(parts, contact) else { return (false, 0.0) };
        let cosine = contact.frame.column(1).dot(&axis);
        (side == 0, if side == 0 { -cosine } else { cosine })
    }

    /// Turns the first tangent of anisotropic contacts to the axis of the material, so that the other body slides
    /// along the axis where it slides along the tangent.
    fn align<const C: usize>(&self, parts: &Parts<D, C>, found: &mut ContactSet<D>) {
        if D != 3 || !self.laws.has_axes() {
            return;
        }
        for contact in &mut found.contacts {
            if let Some((axis, side)) = self.axis_of(parts, contact) {
                turn(&mut contact.frame, &if side == 0 { -axis } else { axis });
            }
        }
    }
}

/// Turns the tangents of a frame of space until the first is along an axis.
pub(crate) fn turn<const D: usize>(frame: &mut Rotation<D>, axis: &Vector<D>) {
    let n: Vector<D> = frame.column(0).into_owned();
    let flat = axis - n * n.dot(axis);
    // Along the normal the axis says nothing: the tangents stay.
    if D != 3 || flat.norm() <= 1e-9 * axis.norm() {
        return;
    }
    let t = flat / flat.norm();
    frame.set_column(1, &t);
    for i in 0..D {
        let (j, k) = ((i + 1) % D, (i + 2) % D);
        frame[(i, 2 % D)] = n[j] * t[k] - n[k] * t[j];
    }
}
