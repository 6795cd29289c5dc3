//! Rows of contacts.

use super::RigidSystem;
use crate::Kinematics;
use delassus_contact::{Contact, Dim, Vector};
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

    /// Axis of a component beyond space: spin about `n` (four), rolling about `t1`, `t2`
    /// (five), then spin (six); in the plane its normal.
    pub(super) fn spin_axis(&self, contact: &Contact<D>, c: usize) -> [f64; 3] {
        if D == 2 {
            return [0.0, 0.0, 1.0];
        }
        let column = if C == 4 || c == 5 { 0 } else { c - 2 };
        std::array::from_fn(|k| contact.frame[(k % D, column % D)])
    }
}
