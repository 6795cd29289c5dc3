//! Arches of voussoirs
//!
//! Equal voussoirs between two circles of radii R ∓ t/2, joints along the radii. The
//! abutments continue the ring below the springings, and are fixed.

use super::{Made, in_space};
use crate::description::{Arch, Body, Dimension, Shape};
use crate::diagnostic::Problem;
use std::f64::consts::PI;

pub fn make(arch: &Arch, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let depth = in_space("depth", "arch", arch.depth, dimension)?;
    let angle = arch.angle.unwrap_or(PI);
    let step = angle / f64::from(arch.blocks);
    if step > 0.5 * PI {
        let what = format!("{} voussoirs are too few for an angle of {angle} rad", arch.blocks);
        return Err(Problem::Inconsistent { what });
    }
    let start = 0.5 * (PI - angle);
    let ring = Ring::new(arch.radius, arch.thickness, depth, dimension)?;
    let mut bodies: Vec<Made> = (0..arch.blocks)
        .map(|k| {
            let from = start + f64::from(k) * step;
            Made::new(k.to_string(), ring.voussoir(from, from + step))
        })
        .collect();
    if arch.abutments {
        for (name, at, way) in [("right", start, -1.0), ("left", start + angle, 1.0)] {
            bodies.push(Made::new(name, ring.abutment(at, way)));
        }
    }
    Ok(bodies)
}

/// The room between two cylinders.
pub(super) struct Ring {
    inner: f64,
    outer: f64,
    depth: f64,
    dimension: Dimension,
}

impl Ring {
    pub fn new(radius: f64, thickness: f64, depth: f64, dimension: Dimension) -> Result<Self, Problem> {
        let (inner, outer) = (radius - 0.5 * thickness, radius + 0.5 * thickness);
        if !(inner > 0.0) {
            let what = format!("`thickness` = {thickness} must be less than twice the radius {radius}");
            return Err(Problem::Inconsistent { what });
        }
        Ok(Self { inner, outer, depth, dimension })
    }

    /// The block between two angles; its origin is the middle of the four corners.
    pub fn voussoir(&self, from: f64, to: f64) -> Body {
        let corner = |radius: f64, angle: f64| [radius * libm::cos(angle), radius * libm::sin(angle)];
        let corners =
            [corner(self.inner, from), corner(self.outer, from), corner(self.outer, to), corner(self.inner, to)];
        self.block(corners)
    }

    /// A fixed block beyond the joint at `angle`, wider than the ring.
    pub fn abutment(&self, angle: f64, way: f64) -> Body {
        let thickness = self.outer - self.inner;
        let (cos, sin) = (libm::cos(angle), libm::sin(angle));
        let along = [-way * sin, way * cos];
        let at = |radius: f64, beyond: f64| [radius * cos + beyond * along[0], radius * sin + beyond * along[1]];
        let (low, high) = (self.inner - 0.5 * thickness.min(self.inner), self.outer + 0.5 * thickness);
        let mut corners = [at(low, 0.0), at(high, 0.0), at(high, thickness), at(low, thickness)];
        if way < 0.0 {
            corners.reverse();
        }
        Body { fixed: true, ..self.block(corners) }
    }

    fn block(&self, corners: [[f64; 2]; 4]) -> Body {
        let middle: [f64; 2] = std::array::from_fn(|a| corners.iter().map(|c| c[a]).sum::<f64>() / 4.0);
        let local = corners.map(|c| [c[0] - middle[0], c[1] - middle[1]]);
        match self.dimension {
            Dimension::Plane => Body {
                shape: Some(Shape::Polygon { points: local.iter().map(|c| c.to_vec()).collect() }),
                position: Some(middle.to_vec()),
                ..Body::default()
            },
            Dimension::Space => {
                let half = 0.5 * self.depth;
                let points = [-half, half].iter().flat_map(|y| local.map(|c| vec![c[0], *y, c[1]])).collect();
                Body {
                    shape: Some(Shape::Polyhedron { points }),
                    position: Some(vec![middle[0], 0.0, middle[1]]),
                    ..Body::default()
                }
            }
        }
    }
}
