//! Rigid bodies as a [`Subsystem`]: `A` diagonal, one group per body.

mod cell;
mod contacts;
mod fluids;
mod links;
mod loads;

use crate::joint::{MOST, Scalar};
use crate::model::placed;
use crate::{Body, Error, Kinematics, RigidModel};
use delassus_contact::skin::Stencil;
use delassus_contact::threads::{MANY, each, sum};
use delassus_contact::{Contact, Detector, Dim, Flight, Pose, Rotation, Vector};
use delassus_dynamics::{
    Account, Bodies, Error as StepError, Launch, Ledger, Link, Momenta, Operator, Rows, Sizes, State, Subsystem,
    Surfaces,
};
use delassus_friction::algebra::Vector as Block;
use std::ops::Range;
use std::sync::Arc;

/// Bodies, joints and obstacles in motion; contacts of `C` components.
pub struct RigidSystem<const D: usize, const C: usize>
where
    Dim<D>: Kinematics<D>,
{
    pub(crate) model: Arc<RigidModel<D>>,
    /// From the axes bodies were described in to the principal ones; none where no law has axes.
    frames: Vec<Rotation<D>>,
    /// Bodies whose motion is imposed.
    held: Vec<u32>,
    /// Those that do not move freely, ascending, and their velocities at the beginning and the end of the step.
    walls: Vec<u32>,
    imposed: Vec<[[f64; 6]; 2]>,
    /// What the loops over bodies need of them, side by side.
    inertias: Vec<Inertia>,
    /// `1/A_kk`; zero where the motion is imposed.
    pub(crate) inverse: Vec<f64>,
    /// The same of the masses alone; none where there are no fluids.
    light: Vec<f64>,
    resistance: fluids::Resistance,
    /// Configuration and poses at `q_m`.
    q_m: Vec<f64>,
    pub(crate) poses: Vec<Pose<D>>,
    pub(crate) t_m: f64,
    pub(crate) h: f64,
    u_free: Vec<f64>,
    /// Velocities before the step; none where there are no joints.
    u_i: Vec<f64>,
    /// Generalised forces: loads, dampers, those with a potential beside the weights. None where there are no such.
    load: Vec<f64>,
    drag: Vec<f64>,
    conservative: Vec<f64>,
    world: Pose<D>,
}

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    pub(crate) const DOFS: usize = <Dim<D> as Kinematics<D>>::DOFS;
    const COORDINATES: usize = <Dim<D> as Kinematics<D>>::COORDINATES;

    /// A system for a model whose laws need contacts of `C` components.
    pub fn new(model: Arc<RigidModel<D>>) -> Result<Self, Error> {
        if model.components() != C {
            return Err(Error::Components { needed: model.components(), asked: C });
        }
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
        let (axes, fluids) = (model.interactions.has_axes(), !model.fluids.is_empty());
        let pressed = model.cell.as_ref().is_some_and(|c| c.held.is_some());
        let loaded = pressed || !(model.loads.is_empty() && model.springs.is_empty() && model.servos.is_empty());
        let loads = if loaded { dofs.clone() } else { vec![] };
        let mut system = Self {
            frames: model.bodies.iter().filter(|_| axes).map(|b| b.frame.rotation().transpose()).collect(),
            inertias: model.bodies.iter().map(Inertia::of).collect(),
            held: (0..n as u32).filter(|i| is_held(&model, *i as usize)).collect(),
            imposed: vec![[[0.0; 6]; 2]; model.bodies.iter().filter(|b| !b.is_dynamic()).count()],
            walls: (0..n as u32).filter(|i| !model.bodies[*i as usize].is_dynamic()).collect(),
            light: if fluids { inverse.clone() } else { vec![] },
            resistance: fluids::Resistance::default(),
            inverse,
            q_m: vec![0.0; Self::COORDINATES * n],
            poses: vec![Pose::identity(); n],
            t_m: 0.0,
            h: 0.0,
            u_free: dofs,
            u_i: vec![],
            load: loads.clone(),
            drag: loads,
            conservative: vec![],
            world: Pose::identity(),
            model,
        };
        system.free_cell();
        Ok(system)
    }

    /// The detector and the laws of a model.
    pub fn bodies(model: &RigidModel<D>) -> Result<Bodies<D>, Error> {
        Ok(Bodies {
            detector: Some(Detector::of_shared(model.colliders.clone(), vec![], &[], model.detection)?),
            materials: model.colliders.iter().map(|c| c.material).collect(),
            laws: model.interactions.clone(),
        })
    }

    pub(crate) fn dofs_of(body: usize) -> std::ops::Range<usize> {
        Self::DOFS * body..Self::DOFS * (body + 1)
    }

    fn coordinates_of(body: usize) -> std::ops::Range<usize> {
        Self::COORDINATES * body..Self::COORDINATES * (body + 1)
    }

    /// Generalised force without gyroscopic terms.
    fn force(&self, k: usize) -> f64 {
        at(&self.load, k) + at(&self.drag, k) + self.potential(k)
    }

    /// The part of it that has a potential.
    #[inline]
    fn potential(&self, k: usize) -> f64 {
        let (body, axis) = (&self.inertias[k / Self::DOFS], k % Self::DOFS);
        let weight = if axis < D && body.dynamic { body.weight * self.model.gravity[axis] } else { 0.0 };
        if self.conservative.is_empty() { weight } else { weight + self.conservative[k] }
    }

    /// Velocities of a body that does not move freely, at the beginning and the end of the step.
    #[inline]
    fn imposed(&self, body: usize) -> [&[f64]; 2] {
        let wall = self.walls.binary_search(&(body as u32)).expect("the body does not move freely");
        self.imposed[wall].each_ref().map(|u| &u[..Self::DOFS])
    }

    /// The free velocity of a body.
    fn free_body(&self, i: usize, (state, h): (&State, f64), predicted: &[f64], free: &mut [f64]) {
        let (body, range) = (&self.inertias[i], Self::dofs_of(i));
        if !body.dynamic {
            free.copy_from_slice(self.imposed(i)[1]);
            return;
        }
        let at = range.start;
        for k in 0..D {
            free[k] = match self.is_resisted(at + k) {
                true => self.resisted(at + k, body.mass, state.u[at + k], h),
                false => state.u[at + k] + h * self.inverse[at + k] * self.force(at + k),
            };
        }
        let turn = at + D..at + Self::DOFS;
        let part = |x: &[f64]| std::array::from_fn(|k| x[turn.clone()].get(k).copied().unwrap_or(0.0));
        let torque = std::array::from_fn(|k| if k < Self::DOFS - D { self.force(turn.start + k) } else { 0.0 });
        let spin = Dim::<D>::free_rotation(&body.moments, &state.u[range], (&torque, &part(predicted)), h);
        free[D..].copy_from_slice(&spin[..Self::DOFS - D]);
    }

    fn add_momenta(&self, i: usize, state: &State, momenta: &mut Momenta) {
        let (body, pose) = (&self.inertias[i], self.model.centre_pose(state, i));
        let u = &state.u[Self::dofs_of(i)];
        let p = Vector::<D>::from_fn(|k, _| body.mass * u[k]);
        (0..D).for_each(|k| momenta.linear[k] += p[k]);
        let mut own = [0.0; 6];
        for k in D..Self::DOFS {
            own[k] = if self.inverse[Self::DOFS * i + k] > 0.0 { body.moments[k - D] * u[k] } else { 0.0 };
        }
        let (turn, orbit) = (Dim::<D>::spin(&pose, &own[..Self::DOFS]), Dim::<D>::moment(&pose.position, &p));
        (0..3).for_each(|k| momenta.angular[k] += turn[k] + orbit[k]);
    }

    /// Works on a body: external, viscous, numerical.
    fn account_body(&self, i: usize, step: &Account<'_>, works: &mut [f64; 3]) {
        let h = step.h;
        for k in Self::dofs_of(i).filter(|k| self.inverse[*k] > 0.0) {
            let (before, force) = (step.state.u[k], self.potential(k));
            let mean = 0.5 * (before + step.u[k]);
            works[0] += h * at(&self.load, k) * mean;
            works[1] -= h * at(&self.drag, k) * mean;
            works[2] += h * force * mean;
            if self.is_resisted(k) {
                works[1] += self.taken(k, step.u[k], mean, h);
                continue;
            }
            // Gyroscopic terms work on the mean velocity what they do not in the continuous motion.
            works[2] += ((self.u_free[k] - before) / self.inverse[k] - h * self.force(k)) * mean;
        }
    }

    /// Those at the end.
    fn imposed_mut(&mut self, body: usize) -> &mut [f64] {
        let wall = self.walls.binary_search(&(body as u32)).expect("the body does not move freely");
        &mut self.imposed[wall][1][..Self::DOFS]
    }

    fn is_dynamic(&self, body: Option<u32>) -> bool {
        body.is_some_and(|b| self.inertias[b as usize].dynamic)
    }
}

/// Whether a body is where its imposed motion puts it: not so those of a periodic cell.
fn is_held<const D: usize>(model: &RigidModel<D>, body: usize) -> bool
where
    Dim<D>: Kinematics<D>,
{
    !model.bodies[body].is_dynamic() && !model.cell.as_ref().is_some_and(|c| c.has(body))
}

/// Of a body: zero where the motion is imposed.
#[derive(Clone, Copy)]
struct Inertia {
    mass: f64,
    weight: f64,
    moments: [f64; 3],
    dynamic: bool,
}

impl Inertia {
    fn of<const D: usize>(body: &Body<D>) -> Self {
        Self { mass: body.mass, weight: body.weight, moments: body.inertia, dynamic: body.is_dynamic() }
    }
}

/// Zero where there is none.
fn at(x: &[f64], k: usize) -> f64 {
    x.get(k).copied().unwrap_or(0.0)
}

impl<const D: usize, const C: usize> Subsystem<D, C> for RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    fn sizes(&self) -> Sizes {
        Sizes {
            coordinates: self.q_m.len(),
            dofs: self.u_free.len(),
            links: self.model.slots as usize + self.model.springs.len(),
            bodies: self.model.bodies.len(),
        }
    }

    fn place(&mut self, first: Sizes) {
        debug_assert_eq!(first, Sizes::default(), "rigid bodies are the first part of a world");
    }

    fn body_name(&self, body: usize) -> Option<&str> {
        self.model.bodies.get(body).map(|b| &*b.name)
    }

    fn link_name(&self, slot: u32) -> Option<&str> {
        // Springs come after the joints, and have no names.
        let joints = self.model.joints.iter().rev().filter(|_| slot < self.model.slots);
        joints.map(|j| (j.slot, j.joint.name.as_str())).find(|(first, _)| *first <= slot).map(|j| j.1)
    }

    fn is_pushed(&self) -> bool {
        !self.model.applied.forces().is_empty()
    }

    fn steady(&self, out: &mut Vec<bool>) {
        let model = &self.model;
        let from = out.len();
        out.extend(model.bodies.iter().map(|b| b.motion.as_ref().is_none_or(|m| m.is_rest())));
        // What a servo pushes with depends on time and on where others are.
        let servos = model.servos.iter().map(|s| s.body);
        let loads = model.loads.iter().filter(|l| l.changes()).map(|l| l.body).chain(servos);
        let ends = model.springs.iter().map(|s| s.bodies).chain(model.joints.iter().map(|j| j.joint.bodies));
        for body in loads.chain(ends.flatten().flatten()) {
            out[from + body as usize] = false;
        }
        if model.detection.periodic.moves() {
            out[from..].fill(false);
        }
    }

    fn flights(&self, launch: Launch<'_>, dt: f64, out: &mut Vec<Flight<D>>) {
        for (i, body) in self.model.bodies.iter().enumerate() {
            let (u, from) = match launch {
                Launch::State(state) => (&state.u[Self::dofs_of(i)], state.time),
                Launch::Middle(u) => (&u[Self::dofs_of(i)], self.t_m),
            };
            let Some(motion) = body.motion.as_ref().filter(|_| !self.in_cell(i)) else {
                let pose = match launch {
                    Launch::State(state) => Dim::<D>::pose(&state.q[Self::coordinates_of(i)]),
                    Launch::Middle(_) => self.poses[i],
                };
                let velocity = Vector::from_column_slice(&u[..D]);
                out.push(Flight { pose, velocity, spin: Dim::<D>::spin(&pose, u) });
                continue;
            };
            // The mean motion: both ends are where the obstacle will be.
            let (pose, end) = (placed(body, motion, from), placed(body, motion, from + dt));
            let norm = motion.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rate = (motion.rotation.at(from + dt) - motion.rotation.at(from)) / dt;
            let spin = if D == 2 { [0.0, 0.0, rate] } else { motion.axis.map(|x| rate * x / norm) };
            out.push(Flight { pose, velocity: (end.position - pose.position) / dt, spin });
        }
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), StepError> {
        (self.t_m, self.h) = (state.time + 0.5 * h, h);
        let many = Self::COORDINATES * MANY;
        let before = state.u[..self.u_free.len()].chunks(Self::DOFS * MANY).zip(state.q.chunks(many));
        if !self.model.joints.is_empty() {
            self.u_i.clear();
            self.u_i.extend_from_slice(&state.u[..self.u_free.len()]);
        }
        for (wall, imposed) in self.walls.iter().zip(&mut self.imposed) {
            imposed[0][..Self::DOFS].copy_from_slice(&state.u[Self::dofs_of(*wall as usize)]);
        }
        let pieces = self.q_m.chunks_mut(many).zip(self.poses.chunks_mut(MANY));
        each(pieces.zip(before), |((q, poses), (u, start))| {
            q.copy_from_slice(&start[..q.len()]);
            let rows = q.chunks_mut(Self::COORDINATES).zip(u.chunks(Self::DOFS));
            for ((q, u), pose) in rows.zip(poses) {
                Dim::<D>::advance(q, u, 0.5 * h);
                *pose = Dim::<D>::pose(q);
            }
        });
        let model = self.model.clone();
        for k in 0..self.held.len() {
            let i = self.held[k] as usize;
            let body = &model.bodies[i];
            let Some(motion) = &body.motion else { continue };
            self.poses[i] = placed(body, motion, self.t_m);
            Dim::<D>::coordinates(&self.poses[i], &mut self.q_m[Self::coordinates_of(i)]);
            self.impose(i, state.time + h)?;
        }
        self.impose_shear(state.time + h)?;
        Ok(())
    }

    fn surfaces(&self) -> Surfaces<'_, D> {
        Surfaces { poses: &self.poses, frames: &self.frames, ..Surfaces::default() }
    }

    fn side_rows(&self, contact: &Contact<D>, side: usize, _: Option<&Stencil>, rows: &mut Rows<C>) {
        let (body, columns) = (contact.bodies[side], self.side(contact, side));
        let at = Self::DOFS * body as usize;
        if self.is_dynamic(Some(body)) {
            (0..Self::DOFS).for_each(|k| rows.push(body, (at + k) as u32, columns[k]));
        } else {
            let [before, after] = self.imposed(body as usize);
            (0..Self::DOFS).for_each(|k| rows.impose(columns[k], [before[k], after[k]]));
        }
        if side == 1 {
            self.image_rows(contact, rows);
        }
    }

    fn links(&self, _: f64, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
        (0..self.model.joints.len()).for_each(|i| self.joint_links(i, rows, links));
        self.spring_links(rows, links);
    }

    fn linearise(&mut self, state: &State, h: f64, predicted: &[f64], _: bool) -> Result<(), StepError> {
        self.gather_loads(state)?;
        self.surround(state, h);
        let mut u_free = std::mem::take(&mut self.u_free);
        each(u_free.chunks_mut(Self::DOFS * MANY).enumerate(), |(piece, u_free)| {
            for (i, free) in u_free.chunks_mut(Self::DOFS).enumerate() {
                self.free_body(MANY * piece + i, (state, h), predicted, free);
            }
        });
        self.u_free = u_free;
        self.free_lengths(state, h);
        Ok(())
    }

    fn u_free(&self) -> &[f64] {
        &self.u_free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.inverse).for_each(|(x, i)| *x *= i);
    }

    fn operator(&self) -> Operator<'_> {
        Operator::Bodies { inverse: &self.inverse, width: Self::DOFS }
    }

    fn account(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), StepError> {
        let of = |bodies: Range<usize>| {
            let mut works = [0.0; 3];
            bodies.for_each(|i| self.account_body(i, step, &mut works));
            works
        };
        sum(self.inertias.len(), of, |[external, viscous, numerical]| {
            ledger.external += external;
            ledger.viscous += viscous;
            ledger.numerical += numerical;
        });
        Ok(())
    }

    fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), StepError> {
        state.u[..u.len()].copy_from_slice(u);
        let many = Self::COORDINATES * MANY;
        let pieces = state.q[..self.q_m.len()].chunks_mut(many).zip(self.q_m.chunks(many));
        each(pieces.zip(u.chunks(Self::DOFS * MANY)), |((q, middle), u)| {
            q.copy_from_slice(middle);
            for (q, u) in q.chunks_mut(Self::COORDINATES).zip(u.chunks(Self::DOFS)) {
                Dim::<D>::advance(q, u, 0.5 * h);
            }
        });
        for i in self.held.iter().map(|i| *i as usize) {
            let body = &self.model.bodies[i];
            let Some(motion) = &body.motion else { continue };
            Dim::<D>::coordinates(&placed(body, motion, state.time + h), &mut state.q[Self::coordinates_of(i)]);
        }
        Ok(())
    }

    fn energies(&self, state: &State, ledger: &mut Ledger) {
        let energy = |(u, inverse): (&f64, &f64)| if *inverse > 0.0 { 0.5 * u * u / inverse } else { 0.0 };
        let inverse = if self.light.is_empty() { &self.inverse } else { &self.light };
        let kinetic = |bodies: Range<usize>| {
            let dofs = Self::DOFS * bodies.start..Self::DOFS * bodies.end;
            state.u[dofs.clone()].iter().zip(&inverse[dofs]).map(energy).sum::<f64>()
        };
        sum(self.inertias.len(), kinetic, |kinetic| ledger.kinetic += kinetic);
        let model = &self.model;
        let mut energy = 0.0;
        for (i, body) in self.inertias.iter().enumerate().filter(|(_, b)| b.dynamic) {
            let q = &state.q[Self::coordinates_of(i)];
            energy -= (0..D).map(|k| body.weight * model.gravity[k] * q[k]).sum::<f64>();
        }
        for spring in &model.springs {
            let pose = |b: Option<u32>| b.map_or(self.world, |b| model.centre_pose(state, b as usize));
            let (_, length, _) = loads::spring_line(model, spring, spring.bodies.map(pose));
            energy += 0.5 * spring.stiffness * (length - spring.rest_length).powi(2);
        }
        ledger.potential += energy;
    }

    fn momenta(&self, state: &State, momenta: &mut Momenta) {
        let of = |bodies: Range<usize>| {
            let mut sum = Momenta::default();
            bodies.filter(|i| self.inertias[*i].dynamic).for_each(|i| self.add_momenta(i, state, &mut sum));
            sum
        };
        sum(self.inertias.len(), of, |own: Momenta| {
            (0..3).for_each(|k| momenta.linear[k] += own.linear[k]);
            (0..3).for_each(|k| momenta.angular[k] += own.angular[k]);
        });
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        for i in (0..self.model.bodies.len()).filter(|i| !is_held(&self.model, *i)) {
            Dim::<D>::advance(&mut state.q[Self::coordinates_of(i)], &delta[Self::dofs_of(i)], 1.0);
        }
    }

    fn joint_gaps(&self, state: &State, links: &mut [Link<C>]) -> f64 {
        let mut worst = 0.0f64;
        let mut scalars = [(Scalar::Rotation { axis: [0.0; 3] }, 0.0); MOST];
        for linked in &self.model.joints {
            let pose = |b: Option<u32>| b.map_or(self.world, |b| self.model.centre_pose(state, b as usize));
            let poses = linked.joint.bodies.map(pose);
            let geometry = linked.geometry([&poses[0], &poses[1]]);
            let count = linked.locked(&geometry, &mut scalars);
            worst = scalars[..count].iter().fold(worst, |m, s| m.max(s.1.abs()));
            let slots = linked.slot..linked.slot + count.div_ceil(C) as u32;
            for link in links.iter_mut().filter(|l| slots.contains(&l.slot)) {
                let chunk = &scalars[..count][C * (link.slot - linked.slot) as usize..];
                link.gap = Block::from_fn(|k, _| chunk.get(k).map_or(0.0, |c| c.1));
            }
        }
        worst
    }
}
