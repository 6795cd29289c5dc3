//! Rigid bodies as a [`Subsystem`]: `A` diagonal, one group per body.

use crate::joint::{MOST, Scalar};
use crate::model::placed;
use crate::{Error, Kinematics, RigidModel};
use delassus_contact::{Contact, ContactSet, Detector, Dim, Pose, Vector};
use delassus_dynamics::{
    After, Error as StepError, Link, LinkKind, MEMORY, Meeting, Mobility, Momenta, Posed, Rows, State, Subsystem, Works,
};
use delassus_friction::Law;
use delassus_friction::algebra::{BlockMatrix, Vector as Block};
use std::sync::Arc;

/// Gap that counts as closed, relative to the coordinates: round-off and solver tolerance
/// summed over many steps. Without it a face at rest would lose and find its corners in turn.
const CLOSED: f64 = 1e-9;

/// Bodies, joints and obstacles in motion; contacts of `C` components.
pub struct RigidSystem<const D: usize, const C: usize>
where
    Dim<D>: Kinematics<D>,
{
    model: Arc<RigidModel<D>>,
    detector: Detector<D>,
    /// `1/A_kk`; zero where the motion is imposed.
    inverse: Vec<f64>,
    /// Configuration and poses at `q_m`.
    q_m: Vec<f64>,
    poses: Vec<Pose<D>>,
    t_m: f64,
    h: f64,
    /// Velocities of imposed bodies at the end of the step; zero elsewhere.
    imposed: Vec<f64>,
    u_free: Vec<f64>,
    u_i: Vec<f64>,
    /// Generalised forces without and with a potential.
    load: Vec<f64>,
    conservative: Vec<f64>,
    world: Pose<D>,
}

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    const DOFS: usize = <Dim<D> as Kinematics<D>>::DOFS;
    const COORDINATES: usize = <Dim<D> as Kinematics<D>>::COORDINATES;

    /// A system for a model whose laws need contacts of `C` components.
    pub fn new(model: Arc<RigidModel<D>>) -> Result<Self, Error> {
        if model.components() != C {
            return Err(Error::Components { needed: model.components(), asked: C });
        }
        let detector = Detector::new(model.colliders.clone(), model.detection)?;
        let n = model.bodies.len();
        let mut inverse = vec![0.0; Self::DOFS * n];
        for (body, inverse) in model.bodies.iter().zip(inverse.chunks_mut(Self::DOFS)) {
            if body.is_dynamic() {
                inverse[..D].fill(1.0 / body.mass);
                for (x, moment) in inverse[D..].iter_mut().zip(body.inertia) {
                    *x = 1.0 / moment;
                }
            }
        }
        let dofs = vec![0.0; Self::DOFS * n];
        Ok(Self {
            detector,
            inverse,
            q_m: vec![0.0; Self::COORDINATES * n],
            poses: vec![Pose::identity(); n],
            t_m: 0.0,
            h: 0.0,
            imposed: dofs.clone(),
            u_free: dofs.clone(),
            u_i: dofs.clone(),
            load: dofs.clone(),
            conservative: dofs,
            world: Pose::identity(),
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<RigidModel<D>> {
        &self.model
    }

    /// Poses of the principal axes at `q_m` of the last step.
    pub fn poses(&self) -> &[Pose<D>] {
        &self.poses
    }

    fn dofs_of(body: usize) -> std::ops::Range<usize> {
        Self::DOFS * body..Self::DOFS * (body + 1)
    }

    fn coordinates_of(body: usize) -> std::ops::Range<usize> {
        Self::COORDINATES * body..Self::COORDINATES * (body + 1)
    }

    /// Velocity of an imposed body at the end of the step, in its axes at `q_m`.
    fn impose(&mut self, body: usize, end: f64) -> Result<(), Error> {
        let b = &self.model.bodies[body];
        let Some(motion) = &b.motion else { return Ok(()) };
        let (velocity, spin) = motion.velocity_at(end);
        let u = &mut self.imposed[Self::dofs_of(body)];
        u[..D].copy_from_slice(&velocity);
        u[D..].copy_from_slice(&Dim::<D>::rotational(&self.poses[body], &spin)[..Self::DOFS - D]);
        match u.iter().find(|x| !x.is_finite()) {
            Some(&value) => Err(Error::NotFinite { owner: b.name.clone(), what: "imposed velocity", value, time: end }),
            None => Ok(()),
        }
    }

    /// Force `f` at `x` on a body, into a field of generalised forces.
    fn apply(pose: &Pose<D>, f: &Vector<D>, x: &Vector<D>, out: &mut [f64]) {
        for k in 0..D {
            out[k] += f[k];
        }
        let turn = Dim::<D>::lever_row(pose, &(x - pose.position), f);
        for (o, t) in out[D..].iter_mut().zip(turn) {
            *o += t;
        }
    }

    fn gather_loads(&mut self, state: &State) -> Result<(), Error> {
        self.load.fill(0.0);
        self.conservative.fill(0.0);
        for (i, body) in self.model.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            for k in 0..D {
                self.conservative[Self::DOFS * i + k] = body.mass * self.model.gravity[k];
            }
        }
        self.expressions(state)?;
        self.explicit_springs(state);
        Ok(())
    }

    fn expressions(&mut self, state: &State) -> Result<(), Error> {
        for load in &self.model.loads {
            let body = load.body as usize;
            let (u, pose) = (&state.u[Self::dofs_of(body)], &self.poses[body]);
            let mut x = [0.0; 7];
            x[0] = self.t_m;
            x[1..=D].copy_from_slice(pose.position.as_slice());
            x[D + 1..=2 * D].copy_from_slice(&u[..D]);
            if D == 2 {
                (x[5], x[6]) = (self.q_m[Self::COORDINATES * body + 2], u[2]);
            }
            let owner = || format!("load on '{}'", self.model.bodies[body].name);
            let value = |e: &delassus_contact::Expression, what| match e.value(&x) {
                value if value.is_finite() => Ok(value),
                value => Err(Error::NotFinite { owner: owner(), what, value, time: self.t_m }),
            };
            let at = Self::dofs_of(body).start;
            for (k, e) in load.force.iter().enumerate() {
                self.load[at + k] += value(e, "force")?;
            }
            let mut torque = [0.0; 3];
            for (k, e) in load.torque.iter().enumerate() {
                torque[if D == 2 { 2 } else { k }] = value(e, "torque")?;
            }
            for (k, t) in Dim::<D>::spin_row(pose, &torque).iter().enumerate().take(Self::DOFS - D) {
                self.load[at + D + k] += t;
            }
        }
        Ok(())
    }

    fn explicit_springs(&mut self, state: &State) {
        for i in 0..self.model.springs.len() {
            if self.model.springs[i].implicit {
                continue;
            }
            let (e, length, points) = self.spring_geometry(i);
            let spring = &self.model.springs[i];
            let mut rate = 0.0;
            for (k, body) in spring.bodies.iter().enumerate() {
                if let Some(b) = body {
                    let b = *b as usize;
                    let u = if self.model.bodies[b].is_dynamic() { &state.u } else { &self.imposed };
                    let lever = points[k] - self.poses[b].position;
                    let v = Dim::<D>::velocity(&self.poses[b], &u[Self::dofs_of(b)], &lever);
                    rate += [1.0, -1.0][k] * v.dot(&e);
                }
            }
            let pull = -spring.stiffness * (length - spring.rest_length);
            let drag = -spring.damping * rate;
            for k in 0..2 {
                let Some(b) = spring.bodies[k] else { continue };
                let (b, sign) = (b as usize, [1.0, -1.0][k]);
                let range = Self::dofs_of(b);
                Self::apply(&self.poses[b], &(e * (sign * pull)), &points[k], &mut self.conservative[range.clone()]);
                Self::apply(&self.poses[b], &(e * (sign * drag)), &points[k], &mut self.load[range]);
            }
        }
    }

    /// Direction from the second end to the first, length, ends.
    fn spring_geometry(&self, i: usize) -> (Vector<D>, f64, [Vector<D>; 2]) {
        let spring = &self.model.springs[i];
        let pose = |b: Option<u32>| b.map_or(self.world, |b| self.poses[b as usize]);
        spring_line(&self.model, spring, spring.bodies.map(pose))
    }

    fn is_dynamic(&self, body: Option<u32>) -> bool {
        body.is_some_and(|b| self.model.bodies[b as usize].is_dynamic())
    }

    /// One row of a scalar constraint on a body: coefficients of its velocities.
    fn scalar_row(&self, pose: &Pose<D>, scalar: &Scalar<D>, side: usize) -> [f64; 6] {
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
    fn scalar_block(&self, bodies: [Option<u32>; 2], scalars: &[(Scalar<D>, f64)], rows: &mut Rows<C>) -> f64 {
        let mut columns = [[Block::<C>::zeros(); 6]; 2];
        let (mut w, mut scale) = ([Block::<C>::zeros(); 2], 0.0f64);
        for side in 0..2 {
            let Some(b) = bodies[side] else { continue };
            let b = b as usize;
            for (c, (scalar, _)) in scalars.iter().enumerate() {
                let row = self.scalar_row(&self.poses[b], scalar, side);
                for k in 0..Self::DOFS {
                    columns[side][k][c] = row[k];
                    if !self.is_dynamic(bodies[side]) {
                        w[0][c] += row[k] * self.u_i[Self::DOFS * b + k];
                        w[1][c] += row[k] * self.imposed[Self::DOFS * b + k];
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

    fn joint_links(&self, i: usize, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
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
    fn drives(&self, i: usize, free: (Scalar<D>, f64), slot: u32, (rows, links): (&mut Rows<C>, &mut Vec<Link<C>>)) {
        let (joint, h) = (&self.model.joints[i].joint, self.h);
        let limited = |limit: f64| match limit {
            f64::INFINITY => Law::Bilateral,
            _ => Law::Limited { limit: std::array::from_fn(|k| if k == 0 { limit * h } else { 0.0 }) },
        };
        if let Some(motor) = &joint.motor {
            let from = self.t_m - 0.5 * h;
            let target = motor.profile.rate(from + h);
            let pad = self.scalar_block(joint.bodies, &[free], rows);
            links.push(self.single(LinkKind::Motor, slot, limited(motor.limit), (-target, 0.0, pad)));
        }
        if joint.friction > 0.0 {
            let pad = self.scalar_block(joint.bodies, &[free], rows);
            links.push(self.single(LinkKind::Friction, slot + 1, limited(joint.friction), (0.0, 0.0, pad)));
        }
    }

    /// A link of one component.
    fn single(&self, kind: LinkKind, slot: u32, law: Law, (shift, gap, pad): (f64, f64, f64)) -> Link<C> {
        let first = |x: f64, rest: f64| Block::from_fn(|k, _| if k == 0 { x } else { rest });
        Link { kind, slot, law, shift: first(shift, 0.0), compliance: first(0.0, pad), gap: first(gap, 0.0) }
    }

    /// Implicit springs: `S = −h (k (g_m + ½ h U) + c U)` as a two-sided row with compliance.
    fn spring_links(&self, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
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
            links.push(link);
        }
    }

    /// Rows of one side of a contact.
    #[inline]
    fn side(&self, contact: &Contact<D>, side: usize, point: &Vector<D>) -> [Block<C>; 6] {
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
    /// (five); in the plane its normal.
    fn spin_axis(&self, contact: &Contact<D>, c: usize) -> [f64; 3] {
        if D == 2 {
            return [0.0, 0.0, 1.0];
        }
        let column = if C == 4 { 0 } else { c - 2 };
        std::array::from_fn(|k| contact.frame[(k % D, column % D)])
    }

    fn law_of(&self, contact: &Contact<D>) -> Option<(&dyn delassus_dynamics::BodyLaw, bool)> {
        let material = |k: usize| self.model.colliders[contact.key.colliders[k] as usize].material;
        self.model.interactions.get(material(0), material(1))
    }

    /// Turns the first tangent of anisotropic contacts to the axis of the material.
    fn align(&self, found: &mut ContactSet<D>) {
        if D != 3 || !self.model.interactions.has_axes() {
            return;
        }
        for contact in &mut found.contacts {
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

/// Direction from the second end of a spring to the first, length, ends.
fn spring_line<const D: usize>(
    model: &RigidModel<D>,
    spring: &crate::Spring<D>,
    poses: [Pose<D>; 2],
) -> (Vector<D>, f64, [Vector<D>; 2])
where
    Dim<D>: Kinematics<D>,
{
    let end = |k: usize| match spring.bodies[k] {
        Some(b) => {
            let frame = &model.bodies[b as usize].frame;
            poses[k].point(&(frame.rotation.transpose() * (spring.anchors[k] - frame.position)))
        }
        None => spring.anchors[k],
    };
    let points = [end(0), end(1)];
    let apart = points[0] - points[1];
    let length = apart.norm();
    let e = if length > 0.0 { apart / length } else { Vector::zeros() };
    (e, length, points)
}

impl<const D: usize, const C: usize> Subsystem<D, C> for RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    fn coordinates(&self) -> usize {
        self.q_m.len()
    }

    fn dofs(&self) -> usize {
        self.u_free.len()
    }

    fn link_slots(&self) -> usize {
        self.model.slots as usize + self.model.springs.len()
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), StepError> {
        (self.t_m, self.h) = (state.time + 0.5 * h, h);
        self.q_m.copy_from_slice(&state.q);
        self.u_i.copy_from_slice(&state.u);
        let model = self.model.clone();
        for (i, body) in model.bodies.iter().enumerate() {
            let q = &mut self.q_m[Self::coordinates_of(i)];
            match &body.motion {
                None => {
                    Dim::<D>::advance(q, &state.u[Self::dofs_of(i)], 0.5 * h);
                    self.poses[i] = Dim::<D>::pose(q);
                }
                Some(motion) => {
                    self.poses[i] = placed(body, motion, self.t_m);
                    Dim::<D>::coordinates(&self.poses[i], q);
                    self.impose(i, state.time + h)?;
                }
            }
        }
        Ok(())
    }

    fn detect(&mut self, previous: &ContactSet<D>, found: &mut ContactSet<D>) -> Result<(), StepError> {
        self.detector.detect(&self.poses, self.t_m, previous, found)?;
        self.align(found);
        Ok(())
    }

    fn is_active(&self, contact: &Contact<D>, memory: &[f64; MEMORY]) -> bool {
        // A gap that round-off cannot tell from zero is closed.
        let size = contact.bodies.iter().map(|b| self.poses[*b as usize].position.amax());
        let size = size.fold(contact.points[0].amax(), f64::max);
        contact.gap <= CLOSED * size || self.law_of(contact).is_some_and(|(law, _)| law.reaches(contact.gap, memory))
    }

    fn linearise(&mut self, state: &State, h: f64, predicted: &[f64]) -> Result<(), StepError> {
        self.gather_loads(state)?;
        for (i, body) in self.model.bodies.iter().enumerate() {
            let range = Self::dofs_of(i);
            if !body.is_dynamic() {
                self.u_free[range.clone()].copy_from_slice(&self.imposed[range]);
                continue;
            }
            let at = range.start;
            for k in at..at + D {
                self.u_free[k] = state.u[k] + h * self.inverse[k] * (self.load[k] + self.conservative[k]);
            }
            let turn = at + D..at + Self::DOFS;
            let part = |x: &[f64]| std::array::from_fn(|k| x[turn.clone()].get(k).copied().unwrap_or(0.0));
            let (own, held): ([f64; 3], [f64; 3]) = (part(&self.load), part(&self.conservative));
            let torque = std::array::from_fn(|k| own[k] + held[k]);
            let spin = Dim::<D>::free_rotation(&body.inertia, &state.u[range], (&torque, &part(predicted)), h);
            self.u_free[at + D..at + Self::DOFS].copy_from_slice(&spin[..Self::DOFS - D]);
        }
        Ok(())
    }

    fn u_free(&self) -> &[f64] {
        &self.u_free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.inverse).for_each(|(x, i)| *x *= i);
    }

    fn contact_rows(&self, contact: &Contact<D>, rows: &mut Rows<C>) {
        // One point for both bodies: action and reaction have no moment.
        let point = (contact.points[0] + contact.points[1]) * 0.5;
        let columns = [self.side(contact, 0, &point), self.side(contact, 1, &point)];
        let along = contact.frame.transpose() * contact.wall_velocity;
        let mut w = [Block::<C>::from_fn(|k, _| if k < D { along[k] } else { 0.0 }); 2];
        for side in 0..2 {
            if !self.is_dynamic(Some(contact.bodies[side])) {
                let at = Self::DOFS * contact.bodies[side] as usize;
                for k in 0..Self::DOFS {
                    w[0] += columns[side][k] * self.u_i[at + k];
                    w[1] += columns[side][k] * self.imposed[at + k];
                }
            }
        }
        rows.begin(w);
        for side in 0..2 {
            let body = contact.bodies[side];
            if self.is_dynamic(Some(body)) {
                for k in 0..Self::DOFS {
                    rows.push(body, (Self::DOFS * body as usize + k) as u32, columns[side][k]);
                }
            }
        }
    }

    fn links(&self, _: f64, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
        (0..self.model.joints.len()).for_each(|i| self.joint_links(i, rows, links));
        self.spring_links(rows, links);
    }

    fn law(&self, contact: &Contact<D>, meeting: &Meeting) -> Result<Posed, StepError> {
        match self.law_of(contact) {
            Some((law, _)) => Ok(law.pose(meeting)),
            None => Err(StepError::NoLaw {
                bodies: contact.bodies,
                materials: contact.key.colliders.map(|c| self.model.colliders[c as usize].material),
                time: meeting.time,
            }),
        }
    }

    fn reduce(&self, rows: &Rows<C>, scratch: &mut Mobility<C>, w: &mut BlockMatrix<C>) {
        scratch.reduce_diagonal(rows, &self.inverse, self.model.bodies.len(), w);
    }

    fn remember(&self, contact: &Contact<D>, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        if let Some((law, _)) = self.law_of(contact) {
            law.remember(meeting, after, memory);
        }
    }

    fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), StepError> {
        state.u.copy_from_slice(u);
        for (i, body) in self.model.bodies.iter().enumerate() {
            let range = Self::coordinates_of(i);
            let q = &mut state.q[range.clone()];
            match &body.motion {
                None => {
                    q.copy_from_slice(&self.q_m[range]);
                    Dim::<D>::advance(q, &u[Self::dofs_of(i)], 0.5 * h);
                }
                Some(motion) => Dim::<D>::coordinates(&placed(body, motion, state.time + h), q),
            }
        }
        Ok(())
    }

    fn kinetic(&self, u: &[f64]) -> f64 {
        let energy = |(u, inverse): (&f64, &f64)| if *inverse > 0.0 { 0.5 * u * u / inverse } else { 0.0 };
        u.iter().zip(&self.inverse).map(energy).sum()
    }

    fn potential(&self, state: &State) -> f64 {
        let model = &self.model;
        let mut energy = 0.0;
        for (i, body) in model.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            let q = &state.q[Self::coordinates_of(i)];
            energy -= (0..D).map(|k| body.mass * model.gravity[k] * q[k]).sum::<f64>();
        }
        for spring in &model.springs {
            let pose = |b: Option<u32>| b.map_or(self.world, |b| model.centre_pose(state, b as usize));
            let (_, length, _) = spring_line(model, spring, spring.bodies.map(pose));
            energy += 0.5 * spring.stiffness * (length - spring.rest_length).powi(2);
        }
        energy
    }

    fn works(&self, mean: &[f64], h: f64) -> Works {
        let mut works = Works::default();
        for k in 0..mean.len() {
            if self.inverse[k] > 0.0 {
                let force = self.load[k] + self.conservative[k];
                works.external += h * self.load[k] * mean[k];
                works.conservative += h * self.conservative[k] * mean[k];
                works.gyroscopic += ((self.u_free[k] - self.u_i[k]) / self.inverse[k] - h * force) * mean[k];
            }
        }
        works
    }

    fn momenta(&self, state: &State) -> Momenta {
        let mut momenta = Momenta::default();
        for (i, body) in self.model.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            let pose = self.model.centre_pose(state, i);
            let u = &state.u[Self::dofs_of(i)];
            let p = Vector::<D>::from_fn(|k, _| body.mass * u[k]);
            (0..D).for_each(|k| momenta.linear[k] += p[k]);
            let mut own = [0.0; 6];
            for k in D..Self::DOFS {
                own[k] = if self.inverse[Self::DOFS * i + k] > 0.0 { body.inertia[k - D] * u[k] } else { 0.0 };
            }
            let (turn, orbit) = (Dim::<D>::spin(&pose, &own[..Self::DOFS]), Dim::<D>::moment(&pose.position, &p));
            (0..3).for_each(|k| momenta.angular[k] += turn[k] + orbit[k]);
        }
        momenta
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        for (i, _) in self.model.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            Dim::<D>::advance(&mut state.q[Self::coordinates_of(i)], &delta[Self::dofs_of(i)], 1.0);
        }
    }

    fn refresh_gaps(&self, state: &State, links: &mut [Link<C>]) {
        let mut scalars = [(Scalar::Rotation { axis: [0.0; 3] }, 0.0); MOST];
        for linked in &self.model.joints {
            let pose = |b: Option<u32>| b.map_or(self.world, |b| self.model.centre_pose(state, b as usize));
            let poses = linked.joint.bodies.map(pose);
            let geometry = linked.geometry([&poses[0], &poses[1]]);
            let count = linked.locked(&geometry, &mut scalars);
            let slots = linked.slot..linked.slot + count.div_ceil(C) as u32;
            for link in links.iter_mut().filter(|l| slots.contains(&l.slot)) {
                let chunk = &scalars[..count][C * (link.slot - linked.slot) as usize..];
                link.gap = Block::from_fn(|k, _| chunk.get(k).map_or(0.0, |c| c.1));
            }
        }
    }

    fn joint_drift(&self, state: &State) -> f64 {
        let mut worst = 0.0f64;
        let mut scalars = [(Scalar::Rotation { axis: [0.0; 3] }, 0.0); MOST];
        for linked in &self.model.joints {
            let pose = |b: Option<u32>| b.map_or(self.world, |b| self.model.centre_pose(state, b as usize));
            let poses = linked.joint.bodies.map(pose);
            let count = linked.locked(&linked.geometry([&poses[0], &poses[1]]), &mut scalars);
            worst = scalars[..count].iter().fold(worst, |m, s| m.max(s.1.abs()));
        }
        worst
    }
}
