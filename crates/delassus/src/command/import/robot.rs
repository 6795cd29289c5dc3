//! A robot: links joined in a tree.

use super::frame::Frame;

/// A shape of a link.
#[derive(Clone, Debug)]
pub enum Geometry {
    Box([f64; 3]),
    /// Radius, length along z.
    Cylinder(f64, f64),
    Sphere(f64),
    /// Radius, length of the axis along z.
    Capsule(f64, f64),
    /// The half-space below z = 0.
    Plane,
    /// File and scale.
    Mesh(String, f64),
    /// The corners of a convex piece of a mesh.
    Piece(Vec<[f64; 3]>),
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
    /// Links of one group do not touch each other; empty for none.
    pub group: String,
    pub inertial: Option<Inertial>,
    pub shapes: Vec<(Frame, Geometry)>,
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Hinge,
    Slider,
    Ball,
    Fixed,
    /// Everything.
    Free,
}

#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub kind: Kind,
    /// Places among the links.
    pub parent: usize,
    pub child: usize,
    pub origin: Frame,
    /// Where it is in the axes of the child.
    pub point: [f64; 3],
    pub axis: [f64; 3],
    pub limits: Option<[f64; 2]>,
    pub effort: Option<f64>,
    pub friction: f64,
    /// Of a controller of its position: stiffness and damping.
    pub gains: Option<[f64; 2]>,
    /// Torque or force for a speed.
    pub damping: f64,
}

#[derive(Clone, Debug)]
pub struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    pub world: World,
}

/// What the file says of everything.
#[derive(Clone, Debug)]
pub struct World {
    /// Coefficient of friction of all contacts.
    pub friction: f64,
    /// Time step \[s\].
    pub step: f64,
    pub gravity: [f64; 3],
}

impl Default for World {
    /// Where the file says nothing.
    fn default() -> Self {
        Self { friction: 0.5, step: 1e-3, gravity: [0.0, 0.0, -9.81] }
    }
}

impl Link {
    /// Without anything.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), group: String::new(), inertial: None, shapes: vec![] }
    }
}

impl Geometry {
    /// Volume, and moments of inertia for a density of one; `None` where they are not known.
    pub fn solid(&self) -> Option<(f64, [f64; 3])> {
        use std::f64::consts::PI;
        match *self {
            Self::Box([a, b, c]) => {
                let v = a * b * c;
                Some((v, [b * b + c * c, a * a + c * c, a * a + b * b].map(|m| v * m / 12.0)))
            }
            Self::Sphere(r) => {
                let v = 4.0 / 3.0 * PI * r.powi(3);
                Some((v, [0.4 * v * r * r; 3]))
            }
            Self::Cylinder(r, l) => {
                let v = PI * r * r * l;
                let across = v * (3.0 * r * r + l * l) / 12.0;
                Some((v, [across, across, 0.5 * v * r * r]))
            }
            Self::Capsule(r, l) => {
                let (tube, ball) = (PI * r * r * l, 4.0 / 3.0 * PI * r.powi(3));
                // Two half balls, 3/8 r beyond the ends of the axis.
                let ends = ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
                let across = tube * (3.0 * r * r + l * l) / 12.0 + ends;
                Some((tube + ball, [across, across, 0.5 * tube * r * r + 0.4 * ball * r * r]))
            }
            Self::Mesh(..) | Self::Piece(_) | Self::Plane => None,
        }
    }
}

impl Inertial {
    /// Of several solids: frames, masses, moments in these frames.
    pub fn sum(solids: &[(Frame, f64, [f64; 3])]) -> Option<Self> {
        let mass: f64 = solids.iter().map(|s| s.1).sum();
        if !(mass > 0.0) {
            return None;
        }
        let centre: [f64; 3] = std::array::from_fn(|k| solids.iter().map(|s| s.1 * s.0.at[k]).sum::<f64>() / mass);
        let mut tensor = [[0.0; 3]; 3];
        for (frame, m, moments) in solids {
            let d: [f64; 3] = std::array::from_fn(|k| frame.at[k] - centre[k]);
            let square: f64 = d.iter().map(|x| x * x).sum();
            for (i, row) in tensor.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let own: f64 = (0..3).map(|k| frame.turn[i][k] * moments[k] * frame.turn[j][k]).sum();
                    let same = f64::from(u8::from(i == j));
                    *entry += own + m * (same * square - d[i] * d[j]);
                }
            }
        }
        Some(Self { origin: Frame { at: centre, ..Frame::IDENTITY }, mass, tensor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cylinder and two half balls by the integral over slices; a box cut in two is the box.
    #[test]
    fn solids_have_the_moments_of_their_slices() {
        let (r, l): (f64, f64) = (0.3, 0.8);
        let (volume, moments) = Geometry::Capsule(r, l).solid().expect("known");
        let (mut v, mut across, n) = (0.0, 0.0, 200_000);
        let dz = (l + 2.0 * r) / n as f64;
        for i in 0..n {
            let z = -0.5 * l - r + (i as f64 + 0.5) * dz;
            let beyond = (z.abs() - 0.5 * l).max(0.0);
            let area = std::f64::consts::PI * (r * r - beyond * beyond);
            v += area * dz;
            across += area * (area / std::f64::consts::PI / 4.0 + z * z) * dz;
        }
        assert!((v / volume - 1.0).abs() < 1e-6 && (across / moments[0] - 1.0).abs() < 1e-6);
        let (half, m) = Geometry::Box([0.5, 0.4, 0.2]).solid().expect("known");
        let part = |x: f64| (Frame { at: [x, 0.0, 0.0], ..Frame::IDENTITY }, half, m);
        let both = Inertial::sum(&[part(-0.25), part(0.25)]).expect("a mass");
        let (_, whole) = Geometry::Box([1.0, 0.4, 0.2]).solid().expect("known");
        (0..3).for_each(|k| assert!((both.tensor[k][k] - whole[k]).abs() < 1e-12));
    }
}
