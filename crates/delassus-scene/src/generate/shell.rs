//! Barrel vaults and domes of blocks that fit
//!
//! A *vault* is an arch along y, its courses in running bond. A *dome* is cut by meridians and by cones about its
//! axis: each block has eight corners on two spheres, and its six faces are flat, so that neighbours fit exactly.

use super::arch::Ring;
use super::{Made, only};
use crate::description::{Body, Dimension, Dome, Shape, Vault};
use crate::diagnostic::Problem;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

pub fn vault(vault: &Vault, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    only(dimension, Dimension::Space, "the generator `vault`")?;
    let angle = vault.angle.unwrap_or(PI);
    let step = angle / f64::from(vault.courses);
    let start = 0.5 * (PI - angle);
    let mut bodies = vec![];
    for course in 0..vault.courses {
        let from = start + f64::from(course) * step;
        let along = vault.length / f64::from(vault.blocks);
        // Every second course begins and ends with half a block.
        let cuts: Vec<f64> = match course % 2 {
            0 => (0..=vault.blocks).map(|k| f64::from(k) * along).collect(),
            _ => {
                let inner = (0..vault.blocks).map(|k| (f64::from(k) + 0.5) * along);
                std::iter::once(0.0).chain(inner).chain([vault.length]).collect()
            }
        };
        for (k, ends) in cuts.windows(2).enumerate() {
            let ring = Ring::new(vault.radius, vault.thickness, ends[1] - ends[0], dimension)?;
            let mut body = ring.voussoir(from, from + step);
            if let Some(position) = &mut body.position {
                position[1] = 0.5 * (ends[0] + ends[1]) - 0.5 * vault.length;
            }
            bodies.push(Made::new(format!("{course}-{k}"), body));
        }
    }
    if vault.abutments {
        let ring = Ring::new(vault.radius, vault.thickness, vault.length, dimension)?;
        for (name, at, way) in [("right", start, -1.0), ("left", start + angle, 1.0)] {
            bodies.push(Made::new(name, ring.abutment(at, way)));
        }
    }
    Ok(bodies)
}

pub fn dome(dome: &Dome, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    only(dimension, Dimension::Space, "the generator `dome`")?;
    let (inner, outer) = (dome.radius - 0.5 * dome.thickness, dome.radius + 0.5 * dome.thickness);
    let end = dome.angle.unwrap_or(FRAC_PI_2);
    if !(inner > 0.0) {
        let what = format!("`thickness` = {} must be less than twice the radius {}", dome.thickness, dome.radius);
        return Err(Problem::Inconsistent { what });
    }
    if !(dome.oculus < end) {
        let what = format!("`oculus` = {} must be less than the angle of the dome, {end}", dome.oculus);
        return Err(Problem::Inconsistent { what });
    }
    let step = (end - dome.oculus) / f64::from(dome.rings);
    let radii = [inner, outer];
    let mut bodies = vec![];
    for ring in 0..dome.rings {
        let from = dome.oculus + f64::from(ring) * step;
        if from == 0.0 {
            bodies.push(Made::new("key", cap(radii, step, dome.blocks)));
            continue;
        }
        (0..dome.blocks).for_each(|k| {
            bodies.push(Made::new(format!("{ring}-{k}"), stone(radii, [from, from + step], k, dome.blocks)))
        });
    }
    if dome.base {
        let below = [end, end + step.min(0.25)];
        for k in 0..dome.blocks {
            let body = Body { fixed: true, ..stone(radii, below, k, dome.blocks) };
            bodies.push(Made::new(format!("base-{k}"), body));
        }
    }
    Ok(bodies)
}

/// A point at an angle from the axis, on a meridian.
fn place(radius: f64, angle: f64, meridian: f64) -> [f64; 3] {
    let across = radius * libm::sin(angle);
    [across * libm::cos(meridian), across * libm::sin(meridian), radius * libm::cos(angle)]
}

fn stone(radii: [f64; 2], angles: [f64; 2], k: u32, count: u32) -> Body {
    let meridian = |k: u32| TAU * f64::from(k) / f64::from(count);
    let mut corners = vec![];
    for radius in radii {
        for angle in angles {
            corners.extend([k, k + 1].map(|k| place(radius, angle, meridian(k))));
        }
    }
    block(&corners)
}

/// The stone that closes the top.
fn cap(radii: [f64; 2], angle: f64, count: u32) -> Body {
    let around = |radius: f64| (0..count).map(move |k| place(radius, angle, TAU * f64::from(k) / f64::from(count)));
    let corners: Vec<[f64; 3]> = radii.into_iter().flat_map(around).collect();
    block(&corners)
}

fn block(corners: &[[f64; 3]]) -> Body {
    let count = corners.len() as f64;
    let middle: [f64; 3] = std::array::from_fn(|a| corners.iter().map(|c| c[a]).sum::<f64>() / count);
    let points = corners.iter().map(|c| (0..3).map(|a| c[a] - middle[a]).collect()).collect();
    Body { shape: Some(Shape::Polyhedron { points }), position: Some(middle.to_vec()), ..Body::default() }
}
