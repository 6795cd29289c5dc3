//! Rows of joints, motors, limits and implicit springs.

use super::RigidSystem;
use crate::Kinematics;
use crate::joint::{MOST, Scalar};
use delassus_contact::{Dim, Pose};
use delassus_dynamics::{Link, LinkKind, Rows};
use delassus_friction::Law;
use delassus_friction::algebra::Vector as Block;

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    /// One row of a scalar constraint on a body: coefficients of its velocities.
    pub(super) fn scalar_row(&self, pose: &Pose<D>, scalar: &Scalar<D>, side: usize) -> [f64; 6] {
        let sign = [1.0, -1.0][side];
        let mut row = [0.0; 6];
        match scalar {
            Scalar::Translation { d, at } => {
                (0..D).for_each(|k| row[k] = sign * d[k]);
                let turn = Dim::<D>::lever_row(pose, &(at[side] - pose.position), d);
                (0..Self::DOFS - D).for_each(|k| row[D + k] = sign * turn[k]);
            }
            Scalar::Rotation { axis } => {
                let turn = Dim::<D>::spin_row(pose, axis);
                (0..Self::DOFS - D).for_each(|k| row[D + k] = sign * turn[k]);
            }
        }
        row
    }

    /// Appends a block made of scalar constraints; returns an inverse mass for its padding.
    pub(super) fn scalar_block(
        &self,
        bodies: [Option<u32>; 2],
        scalars: &[(Scalar<D>, f64)],
        rows: &mut Rows<C>,
    ) -> f64 {
        let mut columns = [[Block::<C>::zeros(); 6]; 2];
        let (mut w, mut scale) = ([Block::<C>::zeros(); 2], 0.0f64);
        for side in 0..2 {
            let Some(b) = bodies[side] else { continue };
            let b = b as usize;
            for (c, (scalar, _)) in scalars.iter().enumerate() {
                let row = self.scalar_row(&self.poses[b], scalar, side);
                for k in 0..Self::DOFS {
                    columns[side][k][c] = row[k];
                }
                if !self.is_dynamic(bodies[side]) {
                    let [before, after] = self.imposed(b);
                    for k in 0..Self::DOFS {
                        w[0][c] += row[k] * before[k];
                        w[1][c] += row[k] * after[k];
                    }
                }
            }
            scale = scale.max(self.inverse[Self::DOFS * b]);
        }
        rows.begin(w);
        for side in 0..2 {
            if self.is_dynamic(bodies[side])
                && let Some(b) = bodies[side]
            {
                for k in 0..Self::DOFS {
                    rows.push(b, (Self::DOFS * b as usize + k) as u32, columns[side][k]);
                }
            }
        }
        if scale > 0.0 { scale } else { 1.0 }
    }

    pub(super) fn joint_links(&self, i: usize, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
        let linked = &self.model.joints[i];
        let bodies = linked.joint.bodies;
        if !self.is_dynamic(bodies[0]) && !self.is_dynamic(bodies[1]) {
            return;
        }
        let pose = |b: Option<u32>| b.map_or(&self.world, |b| &self.poses[b as usize]);
        let geometry = linked.geometry(bodies.map(pose));
        let mut scalars = [(Scalar::Rotation { axis: [0.0; 3] }, 0.0); MOST];
        let count = linked.locked(&geometry, &mut scalars);
        let mut slot = linked.slot;
        for chunk in scalars[..count].chunks(C) {
            let pad = self.scalar_block(bodies, chunk, rows);
            links.push(Link {
                kind: LinkKind::Joint,
                slot,
                law: Law::Bilateral,
                shift: Block::zeros(),
                compliance: Block::from_fn(|k, _| if k < chunk.len() { 0.0 } else { pad }),
                damping: 0.0,
                gap: Block::from_fn(|k, _| chunk.get(k).map_or(0.0, |c| c.1)),
            });
            slot += 1;
        }
        let free = linked.free(&geometry);
        self.drives(i, free, slot, (rows, links));
        let Some(limits) = linked.joint.limits else { return };
        for (k, limit) in limits.into_iter().enumerate() {
            let sign = [1.0, -1.0][k];
            let gap = sign * (free.1 - limit);
            if gap > 0.0 {
                continue;
            }
            let scalar = match free.0 {
                Scalar::Translation { d, at } => Scalar::Translation { d: d * sign, at },
                Scalar::Rotation { axis } => Scalar::Rotation { axis: axis.map(|x| sign * x) },
            };
            let pad = self.scalar_block(bodies, &[(scalar, gap)], rows);
            links.push(self.single(LinkKind::Limit, slot + 2 + k as u32, Law::Frictionless, (0.0, gap, pad)));
        }
    }

    /// Motor and friction of the free motion.
    pub(super) fn drives(
        &self,
        i: usize,
        free: (Scalar<D>, f64),
        slot: u32,
        (rows, links): (&mut Rows<C>, &mut Vec<Link<C>>),
    ) {
        let (joint, h) = (&self.model.joints[i].joint, self.h);
        let limited = |limit: f64| match limit {
            f64::INFINITY => Law::Bilateral,
            _ => Law::Limited { limit: std::array::from_fn(|k| if k == 0 { limit * h } else { 0.0 }) },
        };
        if let Some(motor) = &joint.motor {
            let end = self.t_m + 0.5 * h;
            let rate = motor.profile.rate(end);
            let pad = self.scalar_block(joint.bodies, &[free], rows);
            // S = −h (p (g_i + h U − target) + d (U − rate)), where g_i = g_m − ½ h U⁻ is the value at the start: backward
            // Euler, which damps gains that the step does not resolve. The end of the step, g_m + ½ h U, would ring.
            let (shift, compliance) = match motor.gains {
                None => (-rate, 0.0),
                Some([p, d]) => {
                    let stiffness = h * h * p + h * d;
                    let mut away = free.1 - 0.5 * h * self.rate_before(joint.bodies, &free.0) - motor.profile.at(end);
                    if let Scalar::Rotation { .. } = free.0 {
                        // The angle is known up to full turns.
                        away -= std::f64::consts::TAU * (away / std::f64::consts::TAU).round();
                    }
                    (h * (p * away - d * rate) / stiffness, 1.0 / stiffness)
                }
            };
            let mut link = self.single(LinkKind::Motor, slot, limited(motor.limit), (shift, 0.0, pad));
            link.compliance[0] = compliance;
            links.push(link);
        }
        if joint.friction > 0.0 {
            let pad = self.scalar_block(joint.bodies, &[free], rows);
            links.push(self.single(LinkKind::Friction, slot + 1, limited(joint.friction), (0.0, 0.0, pad)));
        }
    }

    /// What a scalar constraint speaks of, at the velocities before the step.
    fn rate_before(&self, bodies: [Option<u32>; 2], scalar: &Scalar<D>) -> f64 {
        let side = |(side, b): (usize, &Option<u32>)| {
            let b = b.as_ref().map(|b| *b as usize)?;
            let row = self.scalar_row(&self.poses[b], scalar, side);
            Some((0..Self::DOFS).map(|k| row[k] * self.u_i[Self::DOFS * b + k]).sum::<f64>())
        };
        bodies.iter().enumerate().filter_map(side).sum()
    }

    /// A link of one component.
    pub(super) fn single(&self, kind: LinkKind, slot: u32, law: Law, (shift, gap, pad): (f64, f64, f64)) -> Link<C> {
        let first = |x: f64, rest: f64| Block::from_fn(|k, _| if k == 0 { x } else { rest });
        let (shift, compliance, gap) = (first(shift, 0.0), first(0.0, pad), first(gap, 0.0));
        Link { kind, slot, law, shift, compliance, damping: 0.0, gap }
    }

    /// Implicit springs: `S = −h (k (g_m + ½ h U) + c U)` as a two-sided row with compliance.
    pub(super) fn spring_links(&self, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
        let h = self.h;
        for (i, spring) in self.model.springs.iter().enumerate().filter(|(_, s)| s.implicit) {
            let stiffness = 0.5 * h * h * spring.stiffness + h * spring.damping;
            if stiffness <= 0.0 || !spring.bodies.iter().any(|b| self.is_dynamic(*b)) {
                continue;
            }
            let (d, length, at) = self.spring_geometry(i);
            let pad = self.scalar_block(spring.bodies, &[(Scalar::Translation { d, at }, 0.0)], rows);
            let shift = h * spring.stiffness * (length - spring.rest_length) / stiffness;
            let slot = self.model.slots + i as u32;
            let mut link = self.single(LinkKind::Spring, slot, Law::Bilateral, (shift, 0.0, pad));
            link.compliance[0] = 1.0 / stiffness;
            link.damping = h * spring.damping;
            links.push(link);
        }
    }
}
