//! Contacts between bodies: the one detector, and the laws between materials.

use crate::parts::Parts;
use crate::{BodyLaw, Error, Interactions};
use delassus_contact::{Contact, ContactSet, Detector, Dim, Placement, Pose, Space, Vector};

/// Gap that counts as closed, relative to the coordinates: round-off and solver tolerance
/// summed over many steps. Without it a face at rest would lose and find its corners in turn.
const CLOSED: f64 = 1e-9;

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
    /// Contacts at time `t`, sorted by key.
    pub(crate) fn find<const C: usize>(
        &mut self,
        parts: &Parts<D, C>,
        t: f64,
        (previous, found): (&ContactSet<D>, &mut ContactSet<D>),
    ) -> Result<(), Error> {
        found.contacts.clear();
        found.touches.clear();
        let Some(detector) = &mut self.detector else { return Ok(()) };
        let poses = parts.poses();
        let nodes = parts.with_nodes().map_or(&[][..], |(p, _)| p.surfaces().nodes.positions);
        detector.detect(&Placement { poses, nodes, t }, previous, found)?;
        self.align(parts, found);
        Ok(())
    }

    /// Whether a contact takes part in the step; `poses` are those of the rigid bodies, which come first.
    pub(crate) fn is_active(&self, poses: &[Pose<D>], contact: &Contact<D>, memory: &[f64; crate::MEMORY]) -> bool {
        // A gap that round-off cannot tell from zero is closed.
        let mut size = contact.points[0].amax();
        for (body, collider) in contact.bodies.into_iter().zip(contact.key.colliders) {
            size = match poses.get(body as usize) {
                Some(pose) => size.max(pose.position.amax()),
                None => size.max(self.extent(collider)),
            };
        }
        contact.gap <= CLOSED * size || self.law_of(contact).is_some_and(|(law, _)| law.reaches(contact.gap, memory))
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

    /// Turns the first tangent of anisotropic contacts to the axis of the material.
    fn align<const C: usize>(&self, parts: &Parts<D, C>, found: &mut ContactSet<D>) {
        if D != 3 || !self.laws.has_axes() {
            return;
        }
        for contact in &mut found.contacts {
            let Some((law, swapped)) = self.law_of(contact) else { continue };
            let Some(axis) = law.material_axis() else { continue };
            let body = contact.bodies[usize::from(swapped)];
            let (part, first) = parts.of_body(body);
            let (surfaces, b) = (part.surfaces(), body as usize - first.bodies);
            let Some(pose) = surfaces.poses.get(b) else { continue };
            let axis = Vector::<D>::from_fn(|k, _| axis[k]);
            let world = pose.rotation * (surfaces.frames[b] * axis);
            let n: Vector<D> = contact.frame.column(0).into_owned();
            let flat = world - n * n.dot(&world);
            // Along the normal the axis says nothing: the tangents stay.
            if flat.norm() <= 1e-9 * world.norm() {
                continue;
            }
            let t = flat / flat.norm();
            contact.frame.set_column(1, &t);
            for i in 0..D {
                let (j, k) = ((i + 1) % D, (i + 2) % D);
                contact.frame[(i, 2 % D)] = n[j] * t[k] - n[k] * t[j];
            }
        }
    }
}
