//! Vessels and floors: one body of several parts, fixed or turning.

use super::distribution::Sampler;
use super::grain::Former;
use super::masonry::about_y;
use super::{Made, fixed, in_space, of_length, random};
use crate::description::{Body, Container, Dimension, Drum, GluedFloor, Grain, Hopper, Motion, Part, Shape, Spin};
use crate::diagnostic::Problem;
use rand::Rng;
use std::f64::consts::{PI, TAU};

/// A box as part of a vessel; `angle` turns it in the plane x, y or x, z.
fn slab(size: Vec<f64>, position: Vec<f64>, angle: f64) -> Part {
    let space = size.len() == 3;
    let mut part = Part::plain(Shape::Box { size });
    part.position = Some(position);
    if angle != 0.0 {
        // About y, a positive angle turns z towards x: the opposite of the plane's sense.
        (part.angle, part.rotation) = if space { (None, about_y(-angle)) } else { (Some(angle), Default::default()) };
    }
    part
}

/// Grains side by side, their centres a little above or below the line.
pub fn glued_floor(floor: &GluedFloor, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let width = in_space("width", "glued_floor", floor.width, dimension)?;
    let sampler = Sampler::new(&floor.radius, dimension)?;
    let round = if dimension == Dimension::Plane { Grain::Disc } else { Grain::Sphere };
    let former = Former::new(floor.grain.unwrap_or(round), floor.vertices.as_ref(), dimension)?;
    let mut rng = random(floor.seed);
    let mut parts = Vec::new();
    let mut place = |part: Shape, position: Vec<f64>| {
        parts.push(Part { position: Some(position), ..Part::plain(part) });
    };
    let row = |y: Option<f64>, rng: &mut rand_chacha::ChaCha8Rng, place: &mut dyn FnMut(Shape, Vec<f64>)| {
        let mut x = 0.0;
        while x < floor.length {
            let radius = sampler.sample(rng);
            let height = -radius * (0.5 + 0.5 * rng.random::<f64>());
            let grain = former.shape(radius, rng);
            match y {
                None => place(grain, vec![x + radius, height]),
                Some(y) => place(grain, vec![x + radius, y, height]),
            }
            x += 2.0 * radius;
        }
    };
    match dimension {
        Dimension::Plane => row(None, &mut rng, &mut place),
        Dimension::Space => {
            let rows = (width / (2.0 * sampler.max())).ceil().max(1.0) as u32;
            for k in 0..rows {
                row(Some((f64::from(k) + 0.5) * width / f64::from(rows)), &mut rng, &mut place);
            }
        }
    }
    Ok(vec![Made::new("", fixed(parts))])
}

/// A floor and walls; the origin is the middle of the floor.
pub fn container(container: &Container, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let size = of_length("size", &container.size, dimension)?;
    let smallest = size.iter().copied().fold(f64::INFINITY, f64::min);
    let wall = container.thickness.unwrap_or(0.1 * smallest);
    let up = dimension.number() - 1;
    let outer: Vec<f64> = size.iter().map(|s| s + 2.0 * wall).collect();
    let mut parts = Vec::new();
    let mut add = |axis: usize, at: f64| {
        let mut slab_size = outer.clone();
        slab_size[axis] = wall;
        let mut position = vec![0.0; dimension.number()];
        position[up] = 0.5 * size[up];
        position[axis] = at;
        parts.push(slab(slab_size, position, 0.0));
    };
    add(up, -0.5 * wall);
    for axis in 0..up {
        add(axis, -0.5 * (size[axis] + wall));
        add(axis, 0.5 * (size[axis] + wall));
    }
    if container.closed {
        add(up, size[up] + 0.5 * wall);
    }
    Ok(vec![Made::new("", fixed(parts))])
}

/// Two inclined walls down to the outlet, two vertical ones above; flat sides in space.
pub fn hopper(hopper: &Hopper, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let depth = in_space("depth", "hopper", hopper.depth, dimension)?;
    let run = 0.5 * (hopper.width - hopper.outlet);
    if !(run > 0.0) {
        let what = format!("`outlet` = {} must be narrower than `width` = {}", hopper.outlet, hopper.width);
        return Err(Problem::Inconsistent { what });
    }
    let wall = hopper.thickness.unwrap_or(0.05 * hopper.width);
    let rise = run * libm::tan(hopper.slope);
    let along = run / libm::cos(hopper.slope);
    let mut parts = Vec::new();
    let mut add = |size: [f64; 2], at: [f64; 2], angle: f64| {
        let (size, at) = match dimension {
            Dimension::Plane => (size.to_vec(), at.to_vec()),
            Dimension::Space => (vec![size[0], depth + 2.0 * wall, size[1]], vec![at[0], 0.0, at[1]]),
        };
        parts.push(slab(size, at, angle));
    };
    for side in [-1.0, 1.0] {
        // The inner face goes through the outlet's edge; the slab lies outside of it.
        let middle = [0.5 * hopper.outlet + 0.5 * run, 0.5 * rise];
        let out = [0.5 * wall * libm::sin(hopper.slope), -0.5 * wall * libm::cos(hopper.slope)];
        add([along, wall], [side * (middle[0] + out[0]), middle[1] + out[1]], side * hopper.slope);
        let height = hopper.height + wall;
        add([wall, height], [side * 0.5 * (hopper.width + wall), rise + hopper.height - 0.5 * height], 0.0);
    }
    if dimension == Dimension::Space {
        for side in [-1.0, 1.0] {
            let size = vec![hopper.width + 2.0 * wall, wall, rise + hopper.height];
            parts.push(slab(size, vec![0.0, side * 0.5 * (depth + wall), 0.5 * (rise + hopper.height)], 0.0));
        }
    }
    Ok(vec![Made::new("", fixed(parts))])
}

/// Staves around a circle, blades inwards, ends in space.
pub fn drum(drum: &Drum, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let length = in_space("length", "drum", drum.length, dimension)?;
    let wall = 0.1 * drum.radius;
    let side = 2.0 * (drum.radius + wall) * libm::tan(PI / f64::from(drum.staves));
    let mut parts = Vec::new();
    let mut add = |size: [f64; 2], radius: f64, angle: f64| {
        let at = [radius * libm::cos(angle), radius * libm::sin(angle)];
        match dimension {
            Dimension::Plane => parts.push(slab(size.to_vec(), at.to_vec(), angle)),
            Dimension::Space => parts.push(slab(vec![size[0], length, size[1]], vec![at[0], 0.0, at[1]], angle)),
        }
    };
    for k in 0..drum.staves {
        add([wall, side], drum.radius + 0.5 * wall, TAU * f64::from(k) / f64::from(drum.staves));
    }
    for k in 0..drum.blades {
        let reach = 0.2 * drum.radius;
        add([reach, 0.4 * wall], drum.radius - 0.5 * reach, TAU * f64::from(k) / f64::from(drum.blades));
    }
    let spin = match dimension {
        Dimension::Plane => Spin::Plane(drum.speed),
        // Counter-clockwise in x, z is a turn about −y.
        Dimension::Space => Spin::Space(vec![0.0, -drum.speed, 0.0]),
    };
    if dimension == Dimension::Space {
        for end in [-0.5, 0.5] {
            let size = vec![2.0 * (drum.radius + wall), wall, 2.0 * (drum.radius + wall)];
            parts.push(slab(size, vec![0.0, end * (length + wall), 0.0], 0.0));
        }
    }
    let motion = Some(Motion::Constant { velocity: None, spin: Some(spin) });
    Ok(vec![Made::new("", Body { parts, motion: motion.map(Box::new), ..Body::default() })])
}
