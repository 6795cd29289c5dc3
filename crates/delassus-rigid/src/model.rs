//! The model: everything that does not change while stepping.

use crate::error::finite;
use crate::joint::{JointView, Linked};
use crate::{
    BodySpec, Cell, Error, Fluid, Interactions, Joint, Kind, Kinematics, Load, Mass, Motion, Servo, Spring, State,
};
use delassus_contact::{Collider, DetectorSettings, Dim, Offset, Pose, Rotation, Vector};
use std::sync::Arc;

/// A model as it is described; [`RigidModel::new`] checks it.
#[derive(Clone, Debug)]
pub struct ModelParts<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    /// Gravity \[m/s²\].
    pub gravity: Vector<D>,
    /// Bodies.
    pub bodies: Vec<BodySpec<D>>,
    /// Laws by pairs of materials.
    pub interactions: Interactions,
    /// Joints.
    pub joints: Vec<Joint<D>>,
    /// Forces given by expressions.
    pub loads: Vec<Load<D>>,
    /// Springs and dampers.
    pub springs: Vec<Spring<D>>,
    /// Fluids around bodies.
    pub fluids: Vec<Fluid<D>>,
    /// Walls that hold a pressure.
    pub servos: Vec<Servo<D>>,
    /// What moves the images of a periodic cell.
    pub cell: Option<Cell<D>>,
    /// Detection: periodic directions, margin.
    pub detection: DetectorSettings<D>,
    /// Time of the start \[s\].
    pub time: f64,
}

impl<const D: usize> ModelParts<D>
where
    Dim<D>: Kinematics<D>,
{
    /// Nothing but gravity.
    pub fn new(gravity: Vector<D>) -> Self {
        Self {
            gravity,
            bodies: vec![],
            interactions: Interactions::default(),
            joints: vec![],
            loads: vec![],
            springs: vec![],
            fluids: vec![],
            servos: vec![],
            cell: None,
            detection: DetectorSettings::default(),
            time: 0.0,
        }
    }
}

/// A body of a model.
#[derive(Clone, Debug)]
pub struct Body<const D: usize> {
    /// Name.
    pub name: Arc<str>,
    /// Mass \[kg\]; zero where the motion is imposed.
    pub mass: f64,
    /// Mass that gravity pulls \[kg\]: less what a fluid carries.
    pub weight: f64,
    /// Mass without that of the fluid that moves with it \[kg\].
    solid_mass: f64,
    /// Principal moments \[kg·m²\]; in the plane the first.
    pub inertia: [f64; 3],
    /// Centre of mass and principal axes in the axes the body was described in.
    pub frame: Offset<D>,
    /// Imposed motion; `None` where the body obeys mechanics.
    pub motion: Option<Box<Motion<D>>>,
    /// Where the body was described to start.
    pub start: Offset<D>,
    /// Velocities at the start, of the centre of mass and of turning; none at rest.
    moving: Option<Box<(Vector<D>, [f64; 3])>>,
}

impl<const D: usize> Body<D> {
    /// Obeys mechanics?
    pub fn is_dynamic(&self) -> bool {
        self.motion.is_none()
    }
}

/// Bodies, laws, loads and joints, checked.
#[derive(Clone, Debug)]
pub struct RigidModel<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    pub(crate) gravity: Vector<D>,
    pub(crate) bodies: Vec<Body<D>>,
    pub(crate) colliders: Arc<[Collider<D>]>,
    pub(crate) interactions: Interactions,
    pub(crate) joints: Vec<Linked<D>>,
    pub(crate) loads: Vec<Load<D>>,
    pub(crate) springs: Vec<Spring<D>>,
    pub(crate) fluids: Vec<Fluid<D>>,
    pub(crate) servos: Vec<Servo<D>>,
    pub(crate) cell: Option<Cell<D>>,
    pub(crate) detection: DetectorSettings<D>,
    pub(crate) applied: Arc<crate::Applied>,
    pub(crate) slots: u32,
    pub(crate) components: usize,
    time: f64,
}

impl<const D: usize> RigidModel<D>
where
    Dim<D>: Kinematics<D>,
{
    /// Checks everything: numbers, references, laws of all pairs that can meet.
    pub fn new(parts: ModelParts<D>) -> Result<Self, Error> {
        finite("model", "gravity", parts.gravity.as_slice())?;
        let components = parts.interactions.components(D);
        parts.interactions.validate(D, components)?;
        let (mut bodies, mut colliders) = (Vec::with_capacity(parts.bodies.len()), vec![]);
        for spec in parts.bodies {
            let body = build(&spec)?;
            let inner = inverse(&body.frame.pose());
            for s in spec.shapes {
                colliders.push(Collider {
                    body: bodies.len() as u32,
                    shape: s.shape,
                    offset: inner.then(&s.offset.pose()).into(),
                    material: s.material,
                    group: s.group,
                    fixed: !body.is_dynamic(),
                });
            }
            bodies.push(body);
        }
        let mut detection = parts.detection;
        detection.margin = detection.margin.max(parts.interactions.range());
        let mut model = Self {
            gravity: parts.gravity,
            bodies,
            colliders: colliders.into(),
            interactions: parts.interactions,
            joints: vec![],
            loads: parts.loads,
            springs: parts.springs,
            fluids: parts.fluids,
            servos: parts.servos,
            cell: parts.cell,
            detection,
            applied: Arc::default(),
            slots: 0,
            components,
            time: parts.time,
        };
        if let Some(cell) = &model.cell {
            cell.install(&model.bodies, &mut model.detection)?;
        }
        model.check_references()?;
        model.immerse()?;
        model.check_laws()?;
        model.link(parts.joints)?;
        Ok(model)
    }

    fn check_references(&self) -> Result<(), Error> {
        let bodies = self.bodies.len();
        for (i, load) in self.loads.iter().enumerate() {
            let owner = || format!("load {i}");
            if load.body as usize >= bodies {
                return Err(Error::NoSuchBody { owner: owner(), body: load.body, bodies });
            }
        }
        for (i, spring) in self.springs.iter().enumerate() {
            let owner = format!("spring {i}");
            spring.validate(&owner)?;
            if let Some(&body) = spring.bodies.iter().flatten().find(|b| **b as usize >= bodies) {
                return Err(Error::NoSuchBody { owner, body, bodies });
            }
        }
        Ok(())
    }

    /// What fluids carry is taken from the weights.
    fn immerse(&mut self) -> Result<(), Error> {
        let bodies = self.bodies.len();
        for (i, fluid) in self.fluids.iter().enumerate() {
            let owner = format!("fluid {i}");
            fluid.validate(&owner)?;
            match self.bodies.get_mut(fluid.body as usize) {
                Some(body) => {
                    body.weight -= fluid.buoyancy * body.solid_mass;
                    body.mass += fluid.added_mass;
                }
                None => return Err(Error::NoSuchBody { owner, body: fluid.body, bodies }),
            }
        }
        Ok(())
    }

    /// Every pair of materials that can meet has a law.
    fn check_laws(&self) -> Result<(), Error> {
        self.detection.validate()?;
        Collider::check(&self.colliders)?;
        match Collider::pairs_without(&self.colliders, &|a, b| self.interactions.has(a, b)).first() {
            None => Ok(()),
            Some((materials, pair)) => Err(Error::NoLaw {
                materials: *materials,
                bodies: pair.map(|c| self.bodies[self.colliders[c as usize].body as usize].name.to_string()),
            }),
        }
    }

    fn link(&mut self, joints: Vec<Joint<D>>) -> Result<(), Error> {
        let state = self.initial_state();
        for joint in joints {
            joint.validate(self.bodies.len())?;
            let pose = |b: Option<u32>| b.map_or_else(Pose::identity, |b| self.centre_pose(&state, b as usize));
            let linked = Linked::new(joint.clone(), joint.bodies.map(pose), self.slots);
            self.slots += linked.slots(self.components);
            self.joints.push(linked);
        }
        Ok(())
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body<D>] {
        &self.bodies
    }

    /// The colliders, placed in the principal axes of their bodies.
    pub fn colliders(&self) -> &Arc<[Collider<D>]> {
        &self.colliders
    }

    /// The laws.
    pub fn interactions(&self) -> &Interactions {
        &self.interactions
    }

    /// The joints, and their points in the principal axes of their bodies.
    pub fn joints(&self) -> impl Iterator<Item = (&Joint<D>, [Vector<D>; 2])> {
        self.joints.iter().map(|l| (&l.joint, l.anchors()))
    }

    /// The springs.
    pub fn springs(&self) -> &[Spring<D>] {
        &self.springs
    }

    /// The loads.
    pub fn loads(&self) -> &[Load<D>] {
        &self.loads
    }

    /// The walls that hold a pressure.
    pub fn servos(&self) -> &[Servo<D>] {
        &self.servos
    }

    /// What a wall that holds a pressure pushes with \[N\], where the centres and axes of bodies are.
    pub fn servo_push(&self, servo: &Servo<D>, time: f64, pose: &dyn Fn(u32) -> Pose<D>) -> f64 {
        let origin = |b: u32| pose(b).point(&inverse(&self.bodies[b as usize].frame.pose()).position);
        let area = servo.between.map_or(servo.area, |([a, b], axis, own)| {
            servo.area * ((origin(b)[axis] - origin(a)[axis]).abs() - own).max(0.0)
        });
        servo.pressure.at(time) * area
    }

    /// Gravity \[m/s²\].
    pub fn gravity(&self) -> &Vector<D> {
        &self.gravity
    }

    /// What moves the images of the periodic cell.
    pub fn cell(&self) -> Option<&Cell<D>> {
        self.cell.as_ref()
    }

    /// The periodic cell of a state.
    pub fn periodic(&self, state: &State) -> delassus_contact::Periodic<D> {
        self.periodic_with(|b| self.centre_pose(state, b as usize).position)
    }

    /// The periodic cell where its bodies are at these places.
    pub fn periodic_with(&self, at: impl Fn(u32) -> Vector<D>) -> delassus_contact::Periodic<D> {
        let mut periodic = self.detection.periodic;
        if let Some(place) = periodic.lengths.map(&at) {
            periodic.period.iter_mut().enumerate().for_each(|(k, p)| *p = p.map(|_| place[k]));
        }
        if let Some(shear) = &mut periodic.shear
            && let Some(place) = shear.body.map(at)
        {
            shear.offset = place[shear.flow];
        }
        periodic
    }

    /// Settings of the detection.
    pub fn detection(&self) -> &DetectorSettings<D> {
        &self.detection
    }

    /// Components of a contact, 2 to 6.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The state at the start.
    pub fn initial_state(&self) -> State {
        let (n, c) = (<Dim<D> as Kinematics<D>>::DOFS, <Dim<D> as Kinematics<D>>::COORDINATES);
        let mut state = State::at_rest(vec![0.0; c * self.bodies.len()], n * self.bodies.len());
        state.time = self.time;
        for (i, body) in self.bodies.iter().enumerate() {
            let start = match &body.motion {
                Some(motion) => placed(body, motion, self.time),
                None => body.start.pose(),
            };
            let pose = start.then(&body.frame.pose());
            Dim::<D>::coordinates(&pose, &mut state.q[c * i..c * (i + 1)]);
            let u = &mut state.u[n * i..n * (i + 1)];
            let (velocity, spin) = match &body.motion {
                Some(motion) => motion.velocity_at(self.time),
                None => body.moving.as_ref().map_or(([0.0; D], [0.0; 3]), |m| (m.0.into(), m.1)),
            };
            u[..D].copy_from_slice(&velocity);
            u[D..].copy_from_slice(&Dim::<D>::rotational(&pose, &spin)[..n - D]);
        }
        if let Some(shear) = self.cell.as_ref().and_then(|c| c.shear.as_ref()) {
            let length = self.detection.periodic.period[shear.gradient].unwrap_or(0.0);
            state.u[n * shear.body as usize + shear.flow] = shear.rate.at(self.time) * length;
        }
        state
    }

    /// Where the joints hold their bodies, by name.
    pub fn joint_holds(&self) -> impl Iterator<Item = (&str, Vec<f64>)> {
        self.joints.iter().map(|l| (l.joint.name.as_str(), l.holds()))
    }

    /// Lets a joint hold its bodies as [`RigidModel::joint_holds`] says; false if the numbers are not those of a joint.
    pub fn hold_joint(&mut self, name: &str, holds: &[f64]) -> bool {
        self.joints.iter_mut().find(|l| l.joint.name == name).is_some_and(|l| l.hold(holds))
    }

    /// Where the springs hold their bodies, and their lengths at rest, in order.
    pub fn spring_holds(&self) -> impl Iterator<Item = Vec<f64>> {
        let numbers = |s: &Spring<D>| s.anchors.iter().flatten().copied().chain([s.rest_length]).collect();
        self.springs.iter().map(numbers)
    }

    /// Lets a spring hold its bodies as [`RigidModel::spring_holds`] says; false if the numbers are not those of one.
    pub fn hold_spring(&mut self, spring: usize, holds: &[f64]) -> bool {
        match self.springs.get_mut(spring) {
            Some(s) if holds.len() == 2 * D + 1 => {
                s.anchors = [0, 1].map(|k| Vector::from_column_slice(&holds[D * k..D * (k + 1)]));
                s.rest_length = holds[2 * D];
                true
            }
            _ => false,
        }
    }

    /// Number of a joint.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|l| l.joint.name == name)
    }

    /// The joints: names, and where the percussions of each are in [`State::links`].
    pub fn joint_slots(&self) -> impl Iterator<Item = (&str, std::ops::Range<usize>)> {
        let range = |l: &Linked<D>| l.slot as usize..(l.slot + l.slots(self.components)) as usize;
        self.joints.iter().map(move |l| (l.joint.name.as_str(), range(l)))
    }

    /// Where the percussions of springs begin in [`State::links`].
    pub fn spring_slots(&self) -> usize {
        self.slots as usize
    }

    /// Where a joint is, in the world: its point on the second body, the directions its percussions are along.
    pub fn joint_view(&self, state: &State, joint: usize) -> Option<JointView<D>> {
        let linked = self.joints.get(joint)?;
        let pose = |b: Option<u32>| b.map_or_else(Pose::identity, |b| self.centre_pose(state, b as usize));
        let poses = linked.joint.bodies.map(pose);
        Some(linked.view([&poses[0], &poses[1]], self.components))
    }

    /// Pose of the centre of mass and principal axes of a body.
    pub fn centre_pose(&self, state: &State, body: usize) -> Pose<D> {
        let c = <Dim<D> as Kinematics<D>>::COORDINATES;
        Dim::<D>::pose(&state.q[c * body..c * (body + 1)])
    }

    /// Pose of a body in the axes it was described in.
    pub fn pose(&self, state: &State, body: usize) -> Pose<D> {
        self.centre_pose(state, body).then(&inverse(&self.bodies[body].frame.pose()))
    }

    /// Velocity of the centre of mass, and angular velocity in the world.
    pub fn velocity(&self, state: &State, body: usize) -> (Vector<D>, [f64; 3]) {
        let n = <Dim<D> as Kinematics<D>>::DOFS;
        let u = &state.u[n * body..n * (body + 1)];
        (Vector::from_column_slice(&u[..D]), Dim::<D>::spin(&self.centre_pose(state, body), u))
    }
}

/// Where an imposed motion puts a body.
pub(crate) fn placed<const D: usize>(body: &Body<D>, motion: &Motion<D>, t: f64) -> Pose<D>
where
    Dim<D>: Kinematics<D>,
{
    let mut pose = body.start.pose();
    for (x, profile) in pose.position.iter_mut().zip(&motion.translation) {
        *x += motion.gone(profile, t);
    }
    let angle = motion.gone(&motion.rotation, t);
    if angle != 0.0 {
        pose.rotation = Dim::<D>::turned(&pose.rotation, &motion.axis, angle);
    }
    pose
}

/// The pose that undoes another.
pub(crate) fn inverse<const D: usize>(pose: &Pose<D>) -> Pose<D> {
    let rotation = pose.rotation.transpose();
    Pose { position: -(rotation * pose.position), rotation }
}

fn build<const D: usize>(spec: &BodySpec<D>) -> Result<Body<D>, Error>
where
    Dim<D>: Kinematics<D>,
{
    let owner = &spec.name;
    finite(owner, "position", spec.pose.position.as_slice())?;
    finite(owner, "rotation", spec.pose.rotation().as_slice())?;
    finite(owner, "velocity", spec.velocity.as_slice())?;
    finite(owner, "spin", &spec.spin)?;
    let moves = spec.velocity != Vector::<D>::zeros() || spec.spin != [0.0; 3];
    let mut body = Body {
        name: spec.name.clone(),
        mass: 0.0,
        weight: 0.0,
        solid_mass: 0.0,
        inertia: [0.0; 3],
        frame: Offset::none(),
        motion: None,
        start: spec.pose.clone(),
        moving: moves.then(|| Box::new((spec.velocity, spec.spin))),
    };
    match &spec.kind {
        Kind::Fixed => body.motion = Some(Box::new(Motion::rest())),
        Kind::Imposed(motion) => {
            motion.validate(owner)?;
            body.motion = Some(motion.clone());
        }
        Kind::Dynamic(mass) => weigh(&mut body, mass)?,
        Kind::Homogeneous { density } => weigh(&mut body, &crate::mass::of_shapes(owner, &spec.shapes, *density)?)?,
    }
    Ok(body)
}

fn weigh<const D: usize>(body: &mut Body<D>, mass: &Mass<D>) -> Result<(), Error> {
    mass.validate(&body.name)?;
    let (moments, axes) = mass.principal_axes();
    (body.mass, body.weight, body.solid_mass) = (mass.mass, mass.mass, mass.mass);
    body.inertia = if D == 2 { [moments[2], 0.0, 0.0] } else { moments };
    let rotation = if D == 2 { Rotation::identity() } else { Rotation::from_fn(|i, j| axes[(i, j)]) };
    body.frame = Pose { position: mass.centre, rotation }.into();
    Ok(())
}
