//! Walls of bricks, towers of planks, rows of dominoes.

use super::{Made, of_length, only};
use crate::description::{AxisAngle, Body, BrickWall, Dimension, Dominoes, OneOrMany, Shape, Spin, Tower};
use crate::diagnostic::Problem;

/// Courses of bricks, every second one moved by half a brick, with half bricks at its ends.
pub fn wall(wall: &BrickWall, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let brick = of_length("brick", &wall.brick, dimension)?;
    let (length, height) = (brick[0], brick[1]);
    let pitch = length + wall.joint;
    let half = 0.5 * (length - wall.joint);
    if !(half > 0.0) {
        let what = format!("`joint` = {} must be shorter than a brick of {length}", wall.joint);
        return Err(Problem::Inconsistent { what });
    }
    let left = -0.5 * (f64::from(wall.columns) * pitch - wall.joint);
    let mut bodies = Vec::new();
    for row in 0..wall.rows {
        let y = (f64::from(row) + 0.5) * height;
        let mut add = |column: u32, x: f64, length: f64| {
            let (size, position) = match dimension {
                Dimension::Plane => (vec![length, height], vec![x, y]),
                Dimension::Space => (vec![length, brick[2], height], vec![x, 0.0, y]),
            };
            let body = Body { shape: Some(Shape::Box { size }), position: Some(position), ..Body::default() };
            bodies.push(Made::new(format!("{row}-{column}"), body));
        };
        if row % 2 == 0 {
            (0..wall.columns).for_each(|c| add(c, left + f64::from(c) * pitch + 0.5 * length, length));
        } else {
            add(0, left + 0.5 * half, half);
            (1..wall.columns).for_each(|c| add(c, left + f64::from(c) * pitch - 0.5 * wall.joint, length));
            add(wall.columns, -left - 0.5 * half, half);
        }
    }
    Ok(bodies)
}

/// Levels of parallel planks, each turned by a right angle.
pub fn tower(tower: &Tower, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    only(dimension, Dimension::Space, "the generator `tower`")?;
    let [length, width, height] = [tower.plank[0], tower.plank[1], tower.plank[2]];
    let planks = tower.per_level;
    let gap = (length - f64::from(planks) * width) / f64::from(planks - 1);
    if !(gap >= 0.0) {
        let what = format!("{planks} planks of width {width} do not fit side by side on a length of {length}");
        return Err(Problem::Inconsistent { what });
    }
    let mut bodies = Vec::new();
    for level in 0..tower.levels {
        for k in 0..planks {
            let across = -0.5 * (length - width) + f64::from(k) * (width + gap);
            let z = (f64::from(level) + 0.5) * height;
            let (size, position) = match level % 2 {
                0 => (vec![length, width, height], vec![0.0, across, z]),
                _ => (vec![width, length, height], vec![across, 0.0, z]),
            };
            let body = Body { shape: Some(Shape::Box { size }), position: Some(position), ..Body::default() };
            bodies.push(Made::new(format!("{level}-{k}"), body));
        }
    }
    Ok(bodies)
}

/// Dominoes upright along x; the first may be thrown at the second.
pub fn dominoes(row: &Dominoes, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let size = of_length("size", &row.size, dimension)?;
    if !(row.spacing > size[0]) {
        let what = format!("`spacing` = {} must be greater than the thickness {}", row.spacing, size[0]);
        return Err(Problem::Inconsistent { what });
    }
    let height = size[dimension.number() - 1];
    let make = |i: u32| {
        let x = f64::from(i) * row.spacing;
        let thrown = i == 0 && row.push != 0.0;
        // A turn about the foot on the side of the second: the centre moves too.
        let (arm, rise) = (0.5 * size[0], 0.5 * height);
        let body = match dimension {
            Dimension::Plane => Body {
                shape: Some(Shape::Box { size: size.clone() }),
                position: Some(vec![x, rise]),
                velocity: thrown.then(|| vec![row.push * rise, row.push * arm]),
                spin: thrown.then_some(Spin::Plane(-row.push)),
                ..Body::default()
            },
            Dimension::Space => Body {
                shape: Some(Shape::Box { size: size.clone() }),
                position: Some(vec![x, 0.0, rise]),
                velocity: thrown.then(|| vec![row.push * rise, 0.0, row.push * arm]),
                spin: thrown.then(|| Spin::Space(vec![0.0, row.push, 0.0])),
                ..Body::default()
            },
        };
        Made::new(i.to_string(), body)
    };
    Ok((0..row.count).map(make).collect())
}

/// A turn about y, for parts of vessels in space.
pub fn about_y(angle: f64) -> OneOrMany<AxisAngle> {
    OneOrMany(vec![AxisAngle { axis: vec![0.0, 1.0, 0.0], angle }])
}
