//! Loads: forces given by expressions, springs and dampers.

use crate::Error;
use crate::error::{finite, not_negative};
use delassus_contact::{Expression, Vector};

/// Names the expressions of a load may use: time, place and velocity of the centre of mass,
/// in the plane also the angle and the spin.
pub fn load_variables(dimension: usize) -> &'static [&'static str] {
    match dimension {
        2 => &["t", "x", "y", "vx", "vy", "angle", "spin"],
        _ => &["t", "x", "y", "z", "vx", "vy", "vz"],
    }
}

/// A force and a torque on a body, in the world, at its centre of mass.
#[derive(Clone, Debug)]
pub struct Load<const D: usize> {
    /// The body.
    pub body: u32,
    /// Force along each axis \[N\].
    pub force: Vec<Expression>,
    /// Torque \[N·m\]: one expression in the plane, three in space; none for none.
    pub torque: Vec<Expression>,
}

impl<const D: usize> Load<D> {
    /// Whether it depends on time.
    pub fn changes(&self) -> bool {
        self.force.iter().chain(&self.torque).any(|e| e.uses(0))
    }

    /// Parses the expressions; empty texts are zero.
    pub fn parse(body: u32, force: [&str; D], torque: &[&str]) -> Result<Self, Error> {
        let owner = format!("load on body {body}");
        let parse = |text: &&str| {
            let text = if text.trim().is_empty() { "0" } else { text };
            Expression::parse(text, load_variables(D))
                .map_err(|source| Error::Expression { owner: owner.clone(), source })
        };
        let count = if D == 2 { 1 } else { 3 };
        if !torque.is_empty() && torque.len() != count {
            return Err(Error::Number {
                owner,
                what: "number of torque components",
                value: torque.len() as f64,
                expected: "one in the plane, three in space",
            });
        }
        Ok(Self {
            body,
            force: force.iter().map(parse).collect::<Result<_, _>>()?,
            torque: torque.iter().map(parse).collect::<Result<_, _>>()?,
        })
    }
}

/// A wall that holds a pressure: pressed along a direction by pressure times area.
#[derive(Clone, Debug)]
pub struct Servo<const D: usize> {
    /// The wall.
    pub body: u32,
    /// Direction of the push, a unit vector.
    pub direction: Vector<D>,
    /// Pressure \[Pa\].
    pub pressure: crate::Profile,
    /// Area \[m²\], or width of the area where it reaches between two bodies \[m\].
    pub area: f64,
    /// Two bodies, the axis along which they are apart, and what of the distance of their origins is theirs \[m\].
    pub between: Option<([u32; 2], usize, f64)>,
    /// Force against the velocity along the direction \[N·s/m\].
    pub damping: f64,
}

/// A spring and a damper between two points.
#[derive(Clone, Debug)]
pub struct Spring<const D: usize> {
    /// Bodies; `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// Attachments in the axes of the bodies \[m\].
    pub anchors: [Vector<D>; 2],
    /// Stiffness \[N/m\].
    pub stiffness: f64,
    /// Damping \[N·s/m\].
    pub damping: f64,
    /// Length at which it does not pull \[m\].
    pub rest_length: f64,
    /// Taken implicitly, method (9): for stiff springs.
    pub implicit: bool,
}

impl<const D: usize> Spring<D> {
    pub(crate) fn validate(&self, owner: &str) -> Result<(), Error> {
        not_negative(owner, "stiffness", self.stiffness)?;
        not_negative(owner, "damping", self.damping)?;
        not_negative(owner, "rest length", self.rest_length)?;
        self.anchors.iter().try_for_each(|a| finite(owner, "attachment", a.as_slice()))
    }
}
