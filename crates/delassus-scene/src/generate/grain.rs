//! The form of one grain: round, or random and convex.

use crate::description::{Dimension, Grain, Shape};
use crate::diagnostic::Problem;
use crate::generate::only;
use rand::Rng;
use std::f64::consts::{PI, TAU};

/// Draws grains of a form.
pub struct Former {
    grain: Grain,
    vertices: [u32; 2],
}

impl Former {
    /// Checks that the form exists in this dimension.
    pub fn new(grain: Grain, vertices: Option<&Vec<u32>>, dimension: Dimension) -> Result<Self, Problem> {
        let (wanted, least, usual) = match grain {
            Grain::Disc => (Dimension::Plane, 0, [0, 0]),
            Grain::Sphere => (Dimension::Space, 0, [0, 0]),
            Grain::Polygon => (Dimension::Plane, 3, [4, 8]),
            Grain::Polyhedron => (Dimension::Space, 4, [8, 16]),
        };
        only(dimension, wanted, &format!("the grain `{}`", word(grain)))?;
        let vertices = vertices.map_or(usual, |v| [v[0], v[1]]);
        if vertices[0] > vertices[1] || vertices[0] < least {
            let what = format!("`vertices` = {vertices:?} must be increasing and at least {least}");
            return Err(Problem::Inconsistent { what });
        }
        Ok(Self { grain, vertices })
    }

    /// A grain inside the circle or sphere of this radius, all its vertices on it.
    pub fn shape(&self, radius: f64, random: &mut impl Rng) -> Shape {
        match self.grain {
            Grain::Disc => Shape::Disc { radius },
            Grain::Sphere => Shape::Sphere { radius },
            Grain::Polygon => Shape::Polygon { points: polygon(self.count(random), radius, random) },
            Grain::Polyhedron => Shape::Polyhedron { points: polyhedron(self.count(random), radius, random) },
        }
    }

    fn count(&self, random: &mut impl Rng) -> u32 {
        random.random_range(self.vertices[0]..=self.vertices[1])
    }
}

fn word(grain: Grain) -> &'static str {
    match grain {
        Grain::Disc => "disc",
        Grain::Sphere => "sphere",
        Grain::Polygon => "polygon",
        Grain::Polyhedron => "polyhedron",
    }
}

/// Vertices on a circle at uneven angles; no side is shorter than a third of the even one.
fn polygon(count: u32, radius: f64, random: &mut impl Rng) -> Vec<Vec<f64>> {
    let start = TAU * random.random::<f64>();
    (0..count)
        .map(|k| {
            let uneven = 0.66 * (random.random::<f64>() - 0.5);
            let angle = start + TAU * (f64::from(k) + uneven) / f64::from(count);
            vec![radius * libm::cos(angle), radius * libm::sin(angle)]
        })
        .collect()
}

/// Vertices on a sphere along a spiral, each moved at random, turned as a whole.
fn polyhedron(count: u32, radius: f64, random: &mut impl Rng) -> Vec<Vec<f64>> {
    let golden = PI * (3.0 - 5f64.sqrt());
    let turn = TAU * random.random::<f64>();
    let tilt = libm::acos(2.0 * random.random::<f64>() - 1.0);
    let spread = 0.5 / f64::from(count);
    (0..count)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count) + spread * (random.random::<f64>() - 0.5);
            let angle = turn + golden * f64::from(k) + 0.3 * (random.random::<f64>() - 0.5);
            let across = (1.0 - z * z).max(0.0).sqrt();
            let (x, y) = (across * libm::cos(angle), across * libm::sin(angle));
            vec![
                radius * (x * libm::cos(tilt) + z * libm::sin(tilt)),
                radius * y,
                radius * (z * libm::cos(tilt) - x * libm::sin(tilt)),
            ]
        })
        .collect()
}
