//! Rigid bodies as a [`Subsystem`]: `A` diagonal, one group per body.

mod contacts;
mod links;
mod loads;

use crate::joint::{MOST, Scalar};
use crate::model::placed;
use crate::{Error, Kinematics, RigidModel};
use delassus_contact::{Contact, ContactSet, Detector, Dim, Placement, Pose, Vector};
use delassus_dynamics::{
    After, Error as StepError, Link, MEMORY, Meeting, Mobility, Momenta, Posed, Rows, State, Subsystem, Works,
};
use delassus_friction::Root;
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

    /// `1/A_kk`; zero where the motion is imposed.
    pub fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    fn dofs_of(body: usize) -> std::ops::Range<usize> {
        Self::DOFS * body..Self::DOFS * (body + 1)
    }

    fn coordinates_of(body: usize) -> std::ops::Range<usize> {
        Self::COORDINATES * body..Self::COORDINATES * (body + 1)
    }
    fn is_dynamic(&self, body: Option<u32>) -> bool {
        body.is_some_and(|b| self.model.bodies[b as usize].is_dynamic())
    }
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
        self.detector.detect(&Placement::rigid(&self.poses, self.t_m), previous, found)?;
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
        let columns = [self.side(contact, 0), self.side(contact, 1)];
        let along = contact.frame.transpose() * contact.wall_velocity;
        let mut w = [Block::<C>::from_fn(|k, _| if k < D { along[k] } else { 0.0 }); 2];
        (0..2).for_each(|side| self.add_imposed(contact.bodies[side], &columns[side], &mut w));
        rows.begin(w);
        (0..2).for_each(|side| self.push_columns(contact.bodies[side], &columns[side], rows));
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

    fn root(&self, rows: &Rows<C>, compliance: &[Block<C>]) -> Option<Root<C>> {
        rows.root(&self.inverse, Self::DOFS, self.model.bodies.len(), compliance)
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
            let (_, length, _) = loads::spring_line(model, spring, spring.bodies.map(pose));
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
