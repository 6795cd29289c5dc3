//! Joints: two-sided constraints solved with the contacts
//!
//! Each joint is a list of scalar constraints on the relative velocity of its first body
//! with respect to the second, along directions fixed in the second:
//!
//! ```text
//!     translation   d·( v_a(x) − v_b(x) )          rotation   e·( ω_a − ω_b )
//! ```
//!
//! packed into blocks of the contact space. Components of a block that are not used get a
//! compliance and no velocity, hence no percussion. Limits are unilateral contacts, motors
//! and friction two-sided constraints of limited percussion. A motor with gains is one with a compliance: its
//! percussion follows from the velocity and the place that the step leads to, so that any gain is stable.

use crate::error::{finite, not_negative};
use crate::{Error, Kinematics, Profile};
use delassus_contact::{Dim, Pose, Rotation, Vector};

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// A point; in the plane the same as a hinge.
    Ball,
    /// A point and all rotations but one.
    Hinge,
    /// All but the translation along an axis.
    Slider,
    /// Everything.
    Fixed,
    /// The distance of two points.
    Distance,
}

/// Imposes the free motion of a hinge or a slider, or pulls towards it.
#[derive(Clone, Debug)]
pub struct Motor {
    /// Angle \[rad\] or displacement \[m\] to follow; only its rate counts where there are no gains.
    pub profile: Profile,
    /// Largest torque \[N·m\] or force \[N\]; infinite for none.
    pub limit: f64,
    /// Of a controller `p (target − value) + d (rate of the target − rate)`: p \[N·m/rad, N/m\] and
    /// d \[N·m·s/rad, N·s/m\]. Without them the rate of the target is imposed.
    pub gains: Option<[f64; 2]>,
}

/// A joint between two bodies, described in the world at the start.
#[derive(Clone, Debug)]
pub struct Joint<const D: usize> {
    /// Name, for messages.
    pub name: String,
    /// What it holds.
    pub kind: JointKind,
    /// Bodies; `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// The point of the joint \[m\].
    pub anchor: Vector<D>,
    /// The point on the second body, for a distance \[m\].
    pub second_anchor: Vector<D>,
    /// Axis of a hinge (in space) or a slider.
    pub axis: Vector<D>,
    /// Range of the angle, the displacement or the distance; replaces a fixed distance.
    pub limits: Option<[f64; 2]>,
    /// Imposes the free motion.
    pub motor: Option<Motor>,
    /// Dry friction of the free motion: largest torque \[N·m\] or force \[N\].
    pub friction: f64,
}

impl<const D: usize> Joint<D> {
    /// A joint of this kind at a point, axis along the first coordinate, nothing else.
    pub fn new(kind: JointKind, bodies: [Option<u32>; 2], anchor: Vector<D>) -> Self {
        let mut axis = Vector::zeros();
        axis[0] = 1.0;
        let name = format!("{kind:?} joint").to_lowercase();
        Self { name, kind, bodies, anchor, second_anchor: anchor, axis, limits: None, motor: None, friction: 0.0 }
    }

    /// A rod of fixed length between two points.
    pub fn distance(bodies: [Option<u32>; 2], first: Vector<D>, second: Vector<D>) -> Self {
        Self { second_anchor: second, ..Self::new(JointKind::Distance, bodies, first) }
    }

    /// With this axis.
    pub fn about(mut self, axis: Vector<D>) -> Self {
        self.axis = axis;
        self
    }

    /// With a motor.
    pub fn driven(mut self, profile: Profile, limit: f64) -> Self {
        self.motor = Some(Motor { profile, limit, gains: None });
        self
    }

    /// With limits.
    pub fn limited(mut self, low: f64, high: f64) -> Self {
        self.limits = Some([low, high]);
        self
    }

    pub(crate) fn validate(&self, bodies: usize) -> Result<(), Error> {
        let owner = &self.name;
        for &body in self.bodies.iter().flatten() {
            if body as usize >= bodies {
                return Err(Error::NoSuchBody { owner: owner.clone(), body, bodies });
            }
        }
        finite(owner, "anchor", self.anchor.as_slice())?;
        finite(owner, "second anchor", self.second_anchor.as_slice())?;
        finite(owner, "axis", self.axis.as_slice())?;
        crate::error::positive(owner, "length of the axis", self.axis.norm())?;
        not_negative(owner, "friction", self.friction)?;
        if let Some([low, high]) = self.limits {
            finite(owner, "limit", &[low, high])?;
            if low > high {
                return Err(Error::Number {
                    owner: owner.clone(),
                    what: "lower limit",
                    value: low,
                    expected: "at most the upper one",
                });
            }
        }
        if self.kind == JointKind::Distance {
            crate::error::positive(owner, "distance", (self.anchor - self.second_anchor).norm())?;
        }
        if let Some(motor) = &self.motor {
            motor.profile.validate(owner)?;
            for (what, gain) in
                ["stiffness of the motor", "damping of the motor"].into_iter().zip(motor.gains.into_iter().flatten())
            {
                not_negative(owner, what, gain)?;
            }
            if motor.gains.is_some_and(|g| g == [0.0; 2]) {
                let (what, expected) = ("stiffness and damping of the motor", "one of them positive");
                return Err(Error::Number { owner: owner.clone(), what, value: 0.0, expected });
            }
            if !(motor.limit >= 0.0) {
                return Err(Error::Number {
                    owner: owner.clone(),
                    what: "limit of the motor",
                    value: motor.limit,
                    expected: "a number, not negative (infinite for none)",
                });
            }
        }
        let free = matches!(self.kind, JointKind::Hinge | JointKind::Slider)
            || (D == 2 && self.kind == JointKind::Ball)
            || (self.kind == JointKind::Distance && self.motor.is_none() && self.friction == 0.0);
        if !free && (self.motor.is_some() || self.limits.is_some() || self.friction > 0.0) {
            return Err(Error::Number {
                owner: owner.clone(),
                what: "motor, limit or friction",
                value: 1.0,
                expected: "one only on a hinge or a slider (limits also on a distance)",
            });
        }
        Ok(())
    }
}

/// A direction in which a joint acts on its first body.
#[derive(Clone, Copy, Debug)]
pub struct Direction<const D: usize> {
    /// Of the force; zero for a torque.
    pub force: Vector<D>,
    /// Of the torque.
    pub torque: [f64; 3],
    /// Where the force acts \[m\].
    pub at: Vector<D>,
}

/// A joint at a configuration, to read its percussions.
#[derive(Clone, Debug)]
pub struct JointView<const D: usize> {
    /// What is held, one for each percussion of its blocks.
    pub held: Vec<Direction<D>>,
    /// What is free: motor, friction and limits act along it.
    pub free: Direction<D>,
    /// Angle \[rad\], displacement or distance \[m\].
    pub value: f64,
    /// First of its places in the percussions of the links.
    first: usize,
    blocks: usize,
    components: usize,
    /// Its point \[m\].
    pub at: Vector<D>,
}

impl<const D: usize> JointView<D> {
    /// Percussion on the first body \[N·s\], its moment about the point of the joint, and the part of motor, friction
    /// and limits along the free motion.
    pub fn percussion(&self, links: &[[f64; delassus_dynamics::LINK]]) -> (Vector<D>, [f64; 3], f64)
    where
        Dim<D>: Kinematics<D>,
    {
        let (mut force, mut torque) = (Vector::<D>::zeros(), [0.0; 3]);
        let mut add = |d: &Direction<D>, s: f64| {
            let (f, arm) = (d.force * s, d.at - self.at);
            force += f;
            let moment = Dim::<D>::moment(&arm, &f);
            (0..3).for_each(|k| torque[k] += d.torque[k] * s + moment[k]);
        };
        let at = |slot: usize| links.get(self.first + slot);
        for (i, direction) in self.held.iter().enumerate() {
            add(direction, at(i / self.components).map_or(0.0, |s| s[i % self.components]));
        }
        let one = |k: usize| at(self.blocks + k).map_or(0.0, |s| s[0]);
        // The second limit pushes the other way.
        let drive = one(0) + one(1) + one(2) - one(3);
        add(&self.free, drive);
        (force, torque, drive)
    }
}

/// One scalar constraint at a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<const D: usize> {
    /// Along `d`, at points of the two bodies.
    Translation { d: Vector<D>, at: [Vector<D>; 2] },
    /// About `axis`.
    Rotation { axis: [f64; 3] },
}

/// A joint in the axes of its bodies.
#[derive(Clone, Debug)]
pub(crate) struct Linked<const D: usize> {
    pub joint: Joint<D>,
    /// Points in the bodies.
    anchors: [Vector<D>; 2],
    /// Frames in the bodies; they coincide at the start.
    frames: [Rotation<D>; 2],
    length: f64,
    /// First slot of its percussions.
    pub slot: u32,
}

/// Geometry of a joint at a configuration.
pub(crate) struct JointGeometry<const D: usize> {
    points: [Vector<D>; 2],
    frames: [Rotation<D>; 2],
}

/// Most scalar constraints of a joint.
pub(crate) const MOST: usize = 6;

impl<const D: usize> Linked<D>
where
    Dim<D>: Kinematics<D>,
{
    /// `poses`: of the two bodies at the start.
    pub fn new(joint: Joint<D>, poses: [Pose<D>; 2], slot: u32) -> Self {
        let world = Dim::<D>::joint_frame(&joint.axis);
        let local = |p: &Pose<D>, x: &Vector<D>| p.rotation.transpose() * (x - p.position);
        let second = if joint.kind == JointKind::Distance { joint.second_anchor } else { joint.anchor };
        Self {
            anchors: [local(&poses[0], &joint.anchor), local(&poses[1], &second)],
            frames: poses.map(|p| p.rotation.transpose() * world),
            length: (joint.anchor - second).norm(),
            slot,
            joint,
        }
    }

    /// Its points in the bodies.
    pub fn anchors(&self) -> [Vector<D>; 2] {
        self.anchors
    }

    /// Points and frames in the bodies, and the length.
    pub fn holds(&self) -> Vec<f64> {
        let points = self.anchors.iter().flatten().copied();
        points.chain(self.frames.iter().flatten().copied()).chain([self.length]).collect()
    }

    /// Holds the bodies as [`Linked::holds`] says.
    pub fn hold(&mut self, x: &[f64]) -> bool {
        if x.len() != 2 * D + 2 * D * D + 1 {
            return false;
        }
        self.anchors = [0, 1].map(|k| Vector::from_column_slice(&x[D * k..D * (k + 1)]));
        let frames = &x[2 * D..];
        self.frames = [0, 1].map(|k| Rotation::from_column_slice(&frames[D * D * k..D * D * (k + 1)]));
        self.length = x[x.len() - 1];
        true
    }

    /// Directions of the percussions, in their order.
    pub fn view(&self, poses: [&Pose<D>; 2], components: usize) -> JointView<D> {
        let geometry = self.geometry(poses);
        let mut scalars = [(Scalar::Rotation { axis: [0.0; 3] }, 0.0); MOST];
        let count = self.locked(&geometry, &mut scalars);
        let of = |s: &Scalar<D>| match s {
            Scalar::Translation { d, at } => Direction { force: *d, torque: [0.0; 3], at: at[0] },
            Scalar::Rotation { axis } => Direction { force: Vector::zeros(), torque: *axis, at: geometry.points[0] },
        };
        let free = self.free(&geometry);
        JointView {
            held: scalars[..count].iter().map(|s| of(&s.0)).collect(),
            free: of(&free.0),
            value: free.1,
            first: self.slot as usize,
            blocks: count.div_ceil(components),
            components,
            at: geometry.points[0],
        }
    }

    pub fn geometry(&self, poses: [&Pose<D>; 2]) -> JointGeometry<D> {
        JointGeometry {
            points: [poses[0].point(&self.anchors[0]), poses[1].point(&self.anchors[1])],
            frames: [poses[0].rotation * self.frames[0], poses[1].rotation * self.frames[1]],
        }
    }

    /// Slots for blocks of `components`: what holds, motor, friction, two limits.
    pub fn slots(&self, components: usize) -> u32 {
        (self.locked_count().div_ceil(components) + 4) as u32
    }

    fn locked_count(&self) -> usize {
        let rotations = <Dim<D> as Kinematics<D>>::ROTATIONS;
        match self.joint.kind {
            JointKind::Ball => D,
            JointKind::Hinge => D + rotations - 1,
            JointKind::Slider => D - 1 + rotations,
            JointKind::Fixed => D + rotations,
            JointKind::Distance => usize::from(self.joint.limits.is_none()),
        }
    }

    /// The constraints that hold, each with its defect; returns how many.
    pub fn locked(&self, g: &JointGeometry<D>, out: &mut [(Scalar<D>, f64); MOST]) -> usize {
        let rotations = <Dim<D> as Kinematics<D>>::ROTATIONS;
        if self.joint.kind == JointKind::Distance {
            let (scalar, value) = self.free(g);
            out[0] = (scalar, value - self.length);
            return self.locked_count();
        }
        let slider = self.joint.kind == JointKind::Slider;
        let (mut n, apart) = (0, g.points[0] - g.points[1]);
        for k in usize::from(slider)..D {
            let d: Vector<D> = g.frames[1].column(k).into_owned();
            // Directions turn with the second body: both velocities at the point of the first.
            let at = if slider { [g.points[0]; 2] } else { g.points };
            out[n] = (Scalar::Translation { d, at }, apart.dot(&d));
            n += 1;
        }
        let error = Dim::<D>::rotation_error(&g.frames[0], &g.frames[1]);
        let first = match self.joint.kind {
            JointKind::Ball => rotations,
            JointKind::Hinge => 1,
            _ => 0,
        };
        for k in first..rotations {
            out[n] = (Scalar::Rotation { axis: Dim::<D>::rotation_axis(&g.frames[1], k) }, error[k]);
            n += 1;
        }
        n
    }

    /// The free motion: its constraint if it were held, and its value.
    pub fn free(&self, g: &JointGeometry<D>) -> (Scalar<D>, f64) {
        let apart = g.points[0] - g.points[1];
        match self.joint.kind {
            JointKind::Distance => {
                let length = apart.norm();
                let d = if length > 0.0 { apart / length } else { g.frames[1].column(0).into_owned() };
                (Scalar::Translation { d, at: g.points }, length)
            }
            JointKind::Slider => {
                let d: Vector<D> = g.frames[1].column(0).into_owned();
                (Scalar::Translation { d, at: [g.points[0]; 2] }, apart.dot(&d))
            }
            _ => {
                let axis = Dim::<D>::rotation_axis(&g.frames[1], 0);
                (Scalar::Rotation { axis }, Dim::<D>::angle(&g.frames[0], &g.frames[1]))
            }
        }
    }
}
