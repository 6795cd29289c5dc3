//! Copies of a shape on a grid.

use super::{Made, of_length, random};
use crate::description::{Body, Dimension, Grid};
use crate::diagnostic::Problem;
use rand::Rng;

/// More bodies than this are surely a mistake.
const MOST: u64 = 10_000_000;

pub fn make(grid: &Grid, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let count = of_length("count", &grid.count, dimension)?;
    let spacing = of_length("spacing", &grid.spacing, dimension)?;
    let total = count.iter().map(|c| u64::from(*c)).product::<u64>();
    if total > MOST {
        return Err(Problem::OutOfRange { key: "count".into(), value: total as f64, bound: format!("at most {MOST}") });
    }
    let mut rng = random(grid.seed);
    let mut bodies = Vec::with_capacity(total as usize);
    for index in 0..total {
        let mut rest = index;
        let mut cell = Vec::with_capacity(count.len());
        for &c in count {
            cell.push(rest % u64::from(c));
            rest /= u64::from(c);
        }
        let mut jitter = || if grid.jitter > 0.0 { grid.jitter * (2.0 * rng.random::<f64>() - 1.0) } else { 0.0 };
        let position = cell.iter().zip(spacing).map(|(&i, s)| i as f64 * s + jitter()).collect();
        let name = cell.iter().map(u64::to_string).collect::<Vec<_>>().join("-");
        let body = Body {
            shape: Some(grid.shape.clone()),
            position: Some(position),
            velocity: grid.velocity.clone(),
            spin: grid.spin.clone(),
            ..Body::default()
        };
        bodies.push(Made::new(name, body));
    }
    Ok(bodies)
}
