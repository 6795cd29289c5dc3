//! The other half of a symmetric scene: its image in a plane across an axis.

use crate::body::Body;
use crate::network::Contact;
use crate::path::Point;
use crate::plane::Outline;
use crate::space::Solid;
use crate::symbol::Symbol;
use std::f64::consts::PI;

/// A plane across an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mirror {
    /// The axis.
    pub axis: usize,
    /// Where, along it \[m\].
    pub at: f64,
}

impl Mirror {
    /// The image of a point.
    pub fn point<const D: usize>(&self, mut p: [f64; D]) -> [f64; D] {
        p[self.axis] = 2.0 * self.at - p[self.axis];
        p
    }

    /// The image of a vector.
    pub fn vector<const D: usize>(&self, mut v: [f64; D]) -> [f64; D] {
        v[self.axis] = -v[self.axis];
        v
    }

    /// Images of bodies; names are written once.
    pub fn bodies<const D: usize, S>(&self, bodies: &[Body<D, S>], shape: impl Fn(&S) -> Option<S>) -> Vec<Body<D, S>> {
        let image = |b: &Body<D, S>| Body {
            name: b.name.clone(),
            label: None,
            role: b.role,
            colour: b.colour,
            centre: self.point(b.centre),
            shapes: b.shapes.iter().filter_map(&shape).collect(),
        };
        bodies.iter().map(image).collect()
    }

    /// Images of contacts, between bodies that are `first` places later.
    pub fn contacts<const D: usize>(&self, contacts: &[Contact<D>], first: usize) -> Vec<Contact<D>> {
        let image = |c: &Contact<D>| Contact {
            point: self.point(c.point),
            normal: self.vector(c.normal),
            bodies: c.bodies.map(|b| b + first),
            force: self.vector(c.force),
            status: c.status,
        };
        contacts.iter().map(image).collect()
    }

    /// The image of a shape of the plane; none for a half-plane that is its own.
    pub fn outline(&self, outline: &Outline) -> Option<Outline> {
        let many = |points: &[Point]| points.iter().map(|p| self.point(*p)).collect();
        Some(match outline {
            Outline::Point(p) => Outline::Point(self.point(*p)),
            Outline::Disc { centre, radius, angle } => {
                let angle = if self.axis == 0 { PI - angle } else { -angle };
                Outline::Disc { centre: self.point(*centre), radius: *radius, angle }
            }
            Outline::Capsule { ends, radius } => {
                Outline::Capsule { ends: ends.map(|e| self.point(e)), radius: *radius }
            }
            Outline::Polygon(points) => Outline::Polygon(many(points)),
            Outline::Line(points) => Outline::Line(many(points)),
            Outline::HalfPlane { normal, .. } if normal[self.axis].abs() < 1e-9 => return None,
            Outline::HalfPlane { point, normal } => {
                Outline::HalfPlane { point: self.point(*point), normal: self.vector(*normal) }
            }
        })
    }

    /// The image of a shape of space; none for a half-space that is its own.
    pub fn solid(&self, solid: &Solid) -> Option<Solid> {
        Some(match solid {
            Solid::Sphere { centre, radius } => Solid::Sphere { centre: self.point(*centre), radius: *radius },
            Solid::Mesh { points, faces } => Solid::Mesh {
                points: points.iter().map(|p| self.point(*p)).collect(),
                // Its faces still look outwards.
                faces: faces.iter().map(|f| f.iter().rev().copied().collect()).collect(),
            },
            Solid::HalfSpace { normal, .. } if normal[self.axis].abs() < 1e-9 => return None,
            Solid::HalfSpace { point, normal } => {
                Solid::HalfSpace { point: self.point(*point), normal: self.vector(*normal) }
            }
        })
    }

    /// Images of signs; supports on the mirror hold the symmetry alone, and have none.
    pub fn symbols<const D: usize>(&self, symbols: &[Symbol<D>]) -> Vec<Symbol<D>> {
        let image = |s: &Symbol<D>| {
            let mut s = s.clone();
            match &mut s {
                Symbol::Hinge { at, axis, .. } => {
                    *at = self.point(*at);
                    *axis = axis.map(|a| self.vector(a));
                }
                Symbol::Ball { at, .. } | Symbol::Weld { at, .. } => *at = self.point(*at),
                Symbol::Slider { at, axis, .. } => (*at, *axis) = (self.point(*at), self.vector(*axis)),
                Symbol::Rod { ends, .. } => *ends = ends.map(|e| self.point(e)),
                Symbol::Load { at, force, .. } => (*at, *force) = (self.point(*at), self.vector(*force)),
                Symbol::Support { at, side, .. } => (*at, *side) = (self.point(*at), self.vector(*side)),
                Symbol::Torque { at, axis, moment } => {
                    // A torque is turned the other way, its axis in the mirror too.
                    *at = self.point(*at);
                    *axis = axis.map(|a| self.vector(a));
                    *moment = -*moment;
                }
            }
            s
        };
        symbols.iter().map(image).collect()
    }

    /// Whether a sign only says that the mirror is one.
    pub fn is_own<const D: usize>(&self, symbol: &Symbol<D>, size: f64) -> bool {
        match symbol {
            Symbol::Support { at, side, full: false, .. } => {
                (at[self.axis] - self.at).abs() <= 1e-6 * size && side[self.axis] != 0.0
            }
            _ => false,
        }
    }
}
