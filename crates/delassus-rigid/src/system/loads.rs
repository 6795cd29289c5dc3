//! Loads of a step: gravity, expressions, explicit springs, and the motion of obstacles.

use super::RigidSystem;
use crate::{Error, Kinematics, RigidModel, Spring};
use delassus_contact::{Dim, Pose, Vector};
use delassus_dynamics::State;

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    /// Velocity of an imposed body at the end of the step, in its axes at `q_m`.
    pub(super) fn impose(&mut self, body: usize, end: f64) -> Result<(), Error> {
        let b = &self.model.bodies[body];
        let Some(motion) = &b.motion else { return Ok(()) };
        let (velocity, spin) = motion.velocity_at(end);
        let turn = Dim::<D>::rotational(&self.poses[body], &spin);
        let wall = self.walls.binary_search(&(body as u32)).expect("the body does not move freely");
        let u = &mut self.imposed[wall][1][..Self::DOFS];
        u[..D].copy_from_slice(&velocity);
        u[D..].copy_from_slice(&turn[..Self::DOFS - D]);
        match u.iter().find(|x| !x.is_finite()) {
            Some(&value) => {
                Err(Error::NotFinite { owner: b.name.to_string(), what: "imposed velocity", value, time: end })
            }
            None => Ok(()),
        }
    }

    /// Force `f` at `x` on a body, into a field of generalised forces.
    pub(crate) fn apply(pose: &Pose<D>, f: &Vector<D>, x: &Vector<D>, out: &mut [f64]) {
        for k in 0..D {
            out[k] += f[k];
        }
        let turn = Dim::<D>::lever_row(pose, &(x - pose.position), f);
        for (o, t) in out[D..].iter_mut().zip(turn) {
            *o += t;
        }
    }

    pub(super) fn gather_loads(&mut self, state: &State) -> Result<(), Error> {
        self.load.fill(0.0);
        self.drag.fill(0.0);
        self.conservative.fill(0.0);
        self.expressions(state)?;
        self.applied()?;
        self.explicit_springs(state);
        self.servos(state)?;
        self.press_cell(state)
    }

    /// Walls that hold a pressure: `p A` along the push, `A` as wide as the bodies beside it leave.
    fn servos(&mut self, state: &State) -> Result<(), Error> {
        let model = self.model.clone();
        for servo in &model.servos {
            let body = servo.body as usize;
            let push = model.servo_push(servo, self.t_m, &|b| self.poses[b as usize]);
            if !push.is_finite() {
                let owner = format!("servo on '{}'", model.bodies[body].name);
                return Err(Error::NotFinite { owner, what: "pressure", value: push, time: self.t_m });
            }
            let at = Self::dofs_of(body).start;
            let speed: f64 = (0..D).map(|k| state.u[at + k] * servo.direction[k]).sum();
            for k in 0..D {
                self.load[at + k] += push * servo.direction[k];
                self.drag[at + k] -= servo.damping * speed * servo.direction[k];
            }
        }
        Ok(())
    }

    /// What the caller applies from outside.
    fn applied(&mut self) -> Result<(), Error> {
        let forces = self.model.applied.forces();
        if forces.is_empty() {
            return Ok(());
        }
        self.load.resize(self.u_free.len(), 0.0);
        for (body, f) in forces.chunks_exact(Self::DOFS).enumerate().take(self.poses.len()) {
            if let Some(&value) = f.iter().find(|x| !x.is_finite()) {
                let owner = self.model.bodies[body].name.to_string();
                return Err(Error::NotFinite { owner, what: "applied force", value, time: self.t_m });
            }
            if !self.inertias[body].dynamic {
                continue;
            }
            let at = Self::dofs_of(body).start;
            let torque = std::array::from_fn(|k| match D {
                2 => [0.0, 0.0, f[2]][k],
                _ => f[D + k],
            });
            f[..D].iter().enumerate().for_each(|(k, f)| self.load[at + k] += f);
            let turn = Dim::<D>::spin_row(&self.poses[body], &torque);
            turn.iter().take(Self::DOFS - D).enumerate().for_each(|(k, t)| self.load[at + D + k] += t);
        }
        Ok(())
    }

    /// The values of [`crate::load_variables`] for a body.
    pub(crate) fn load_values(&self, body: usize, state: &State) -> [f64; 7] {
        let u = &state.u[Self::dofs_of(body)];
        let mut x = [0.0; 7];
        x[0] = self.t_m;
        x[1..=D].copy_from_slice(self.poses[body].position.as_slice());
        x[D + 1..=2 * D].copy_from_slice(&u[..D]);
        if D == 2 {
            (x[5], x[6]) = (self.q_m[Self::COORDINATES * body + 2], u[2]);
        }
        x
    }

    pub(super) fn expressions(&mut self, state: &State) -> Result<(), Error> {
        for (i, load) in self.model.loads.iter().enumerate() {
            let body = load.body as usize;
            let (x, pose) = (self.load_values(body, state), &self.poses[body]);
            self.check_load(i, &x)?;
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

    pub(super) fn explicit_springs(&mut self, state: &State) {
        for i in 0..self.model.springs.len() {
            if self.model.springs[i].implicit {
                continue;
            }
            self.conservative.resize(self.u_free.len(), 0.0);
            let (e, length, points) = self.spring_geometry(i);
            let spring = &self.model.springs[i];
            let mut rate = 0.0;
            for (k, body) in spring.bodies.iter().enumerate() {
                if let Some(b) = body {
                    let b = *b as usize;
                    let u = match self.model.bodies[b].is_dynamic() {
                        true => &state.u[Self::dofs_of(b)],
                        false => self.imposed(b)[1],
                    };
                    let lever = points[k] - self.poses[b].position;
                    let v = Dim::<D>::velocity(&self.poses[b], u, &lever);
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
                Self::apply(&self.poses[b], &(e * (sign * drag)), &points[k], &mut self.drag[range]);
            }
        }
    }

    /// Direction from the second end to the first, length, ends.
    pub(crate) fn spring_geometry(&self, i: usize) -> (Vector<D>, f64, [Vector<D>; 2]) {
        let spring = &self.model.springs[i];
        let pose = |b: Option<u32>| b.map_or(self.world, |b| self.poses[b as usize]);
        spring_line(&self.model, spring, spring.bodies.map(pose))
    }
}

/// Direction from the second end of a spring to the first, length, ends.
pub(super) fn spring_line<const D: usize>(
    model: &RigidModel<D>,
    spring: &Spring<D>,
    poses: [Pose<D>; 2],
) -> (Vector<D>, f64, [Vector<D>; 2])
where
    Dim<D>: Kinematics<D>,
{
    let end = |k: usize| match spring.bodies[k] {
        Some(b) => {
            let frame = &model.bodies[b as usize].frame;
            poses[k].point(&(frame.rotation().transpose() * (spring.anchors[k] - frame.position)))
        }
        None => spring.anchors[k],
    };
    let points = [end(0), end(1)];
    let apart = points[0] - points[1];
    let length = apart.norm();
    let e = if length > 0.0 { apart / length } else { Vector::zeros() };
    (e, length, points)
}
