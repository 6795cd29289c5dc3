//! A robot: links joined in a tree.

use super::frame::Frame;

/// A shape of a link.
#[derive(Clone, Debug)]
pub enum Geometry {
    Box([f64; 3]),
    /// Radius, length along z.
    Cylinder(f64, f64),
    Sphere(f64),
    /// File and scale.
    Mesh(String, f64),
}

/// Mass, centre and inertia.
#[derive(Clone, Debug)]
pub struct Inertial {
    pub origin: Frame,
    pub mass: f64,
    pub tensor: [[f64; 3]; 3],
}

#[derive(Clone, Debug)]
pub struct Link {
    pub name: String,
    pub inertial: Option<Inertial>,
    pub shapes: Vec<(Frame, Geometry)>,
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Hinge,
    Slider,
    Fixed,
}

#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub kind: Kind,
    /// Places among the links.
    pub parent: usize,
    pub child: usize,
    pub origin: Frame,
    pub axis: [f64; 3],
    pub limits: Option<[f64; 2]>,
    pub effort: Option<f64>,
    pub friction: f64,
}

#[derive(Clone, Debug)]
pub struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
}
