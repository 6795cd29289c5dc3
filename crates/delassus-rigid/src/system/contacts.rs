//! Rows and frames of contacts.

use super::RigidSystem;
use crate::Kinematics;
use delassus_contact::{Contact, ContactSet, Dim, Vector};
use delassus_dynamics::{BodyLaw, Rows};
use delassus_friction::algebra::Vector as Block;

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    /// Columns of one side of a contact, one for each velocity of its body.
    #[inline]
    pub fn side(&self, contact: &Contact<D>, side: usize) -> [Block<C>; 6] {
        // One point for both bodies: action and reaction have no moment.
        let point = (contact.points[0] + contact.points[1]) * 0.5;
        let pose = &self.poses[contact.bodies[side] as usize];
        let sign = [1.0, -1.0][side];
        let lever = if side == 0 { point - pose.position } else { point - contact.shift - pose.position };
        let mut columns = [Block::<C>::zeros(); 6];
        for c in 0..D {
            let d: Vector<D> = contact.frame.column(c).into_owned();
            let turn = Dim::<D>::lever_row(pose, &lever, &d);
            for k in 0..D {
                columns[k][c] = sign * d[k];
            }
            for k in 0..Self::DOFS - D {
                columns[D + k][c] = sign * turn[k];
            }
        }
        for c in D..C {
            let turn = Dim::<D>::spin_row(pose, &self.spin_axis(contact, c));
            for k in 0..Self::DOFS - D {
                columns[D + k][c] = sign * turn[k];
            }
        }
        columns
    }

    /// Adds what the imposed motion of a body brings to the velocity at a contact, at the
    /// beginning and the end of the step.
    #[inline]
    pub fn add_imposed(&self, body: u32, columns: &[Block<C>; 6], w: &mut [Block<C>; 2]) {
        if !self.is_dynamic(Some(body)) {
            let at = Self::DOFS * body as usize;
            for k in 0..Self::DOFS {
                w[0] += columns[k] * self.u_i[at + k];
                w[1] += columns[k] * self.imposed[at + k];
            }
        }
    }

    /// Appends the columns of a body to the block begun last, if it moves freely.
    #[inline]
    pub fn push_columns(&self, body: u32, columns: &[Block<C>; 6], rows: &mut Rows<C>) {
        if self.is_dynamic(Some(body)) {
            for k in 0..Self::DOFS {
                rows.push(body, (Self::DOFS * body as usize + k) as u32, columns[k]);
            }
        }
    }

    /// Axis of a component beyond space: spin about `n` (four), rolling about `t1`, `t2`
    /// (five); in the plane its normal.
    pub(super) fn spin_axis(&self, contact: &Contact<D>, c: usize) -> [f64; 3] {
        if D == 2 {
            return [0.0, 0.0, 1.0];
        }
        let column = if C == 4 { 0 } else { c - 2 };
        std::array::from_fn(|k| contact.frame[(k % D, column % D)])
    }

    pub(super) fn law_of(&self, contact: &Contact<D>) -> Option<(&dyn BodyLaw, bool)> {
        let material = |k: usize| self.model.colliders[contact.key.colliders[k] as usize].material;
        self.model.interactions.get(material(0), material(1))
    }

    /// Turns the first tangent of anisotropic contacts of rigid bodies to the axis of the material.
    pub fn align(&self, found: &mut ContactSet<D>) {
        if D != 3 || !self.model.interactions.has_axes() {
            return;
        }
        let rigid = self.model.colliders.len();
        for contact in found.contacts.iter_mut().filter(|c| (c.key.colliders[1] as usize) < rigid) {
            let Some((law, swapped)) = self.law_of(contact) else { continue };
            let Some(axis) = law.material_axis() else { continue };
            let b = contact.bodies[usize::from(swapped)] as usize;
            let axis = Vector::<D>::from_fn(|k, _| axis[k]);
            let world = self.poses[b].rotation * (self.model.bodies[b].frame.rotation.transpose() * axis);
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
