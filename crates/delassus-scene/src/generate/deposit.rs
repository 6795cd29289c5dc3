//! Grains of random size in a box, without overlap
//!
//! *Lattice*: cells of the largest diameter, filled from the bottom, each grain moved at
//! random in its cell. *Random*: anywhere, largest first, tested against the neighbours in
//! a grid of cells. *Packed*: [`super::packed`]. *Relaxed*: [`super::relaxed`]. Grains that are not round are placed by
//! the circle or sphere around them.

use super::distribution::Sampler;
use super::grain::Former;
use super::{Made, of_length, only, packed, random, relaxed};
use crate::description::{Arrangement, Body, Deposit, Dimension, Grain};
use crate::diagnostic::Problem;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Room left between grains of a lattice, as a part of the largest diameter.
const ROOM: f64 = 0.02;
/// Places tried for one grain.
const TRIALS: usize = 4000;

pub fn make(deposit: &Deposit, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let min = of_length("region.min", &deposit.region.min, dimension)?;
    let max = of_length("region.max", &deposit.region.max, dimension)?;
    if min.iter().zip(max).any(|(a, b)| !(a < b)) {
        return Err(Problem::Inconsistent {
            what: format!("`region.min` = {min:?} must be below `region.max` = {max:?}"),
        });
    }
    let former = Former::new(deposit.grain, deposit.vertices.as_ref(), dimension)?;
    let sampler = Sampler::new(&deposit.radius, dimension)?;
    let mut rng = random(deposit.seed);
    let mut radii = radii(deposit, &sampler, [min, max], &mut rng)?;
    let places = match deposit.arrangement {
        Arrangement::Lattice => lattice(&radii, sampler.max(), [min, max], &mut rng),
        Arrangement::Random => {
            radii.sort_by(|a, b| b.total_cmp(a));
            anywhere(&radii, [min, max], &mut rng)
        }
        Arrangement::Relaxed => relaxed::places(&radii, [min, max], &mut rng)?,
        Arrangement::Packed => {
            only(dimension, Dimension::Plane, "the arrangement `packed`")?;
            if deposit.grain == Grain::Polygon {
                let what = "the arrangement `packed` is for discs; polygons take `lattice` or `random`".to_owned();
                return Err(Problem::Inconsistent { what });
            }
            packed::places(&radii, [min, max], &mut rng)
        }
    };
    if places.len() < radii.len() {
        let (placed, wanted) = (places.len(), radii.len());
        return Err(Problem::NoRoom { generator: "deposit".into(), placed, wanted });
    }
    let width = (radii.len() - 1).to_string().len();
    let bodies = radii.iter().zip(places).enumerate().map(|(i, (radius, place))| {
        let body = Body {
            shape: Some(former.shape(*radius, &mut rng)),
            position: Some(place),
            velocity: deposit.velocity.clone(),
            ..Body::default()
        };
        Made::new(format!("{i:0width$}"), body)
    });
    Ok(bodies.collect())
}

/// As many radii as asked for, or as fill a part of the region.
fn radii(
    deposit: &Deposit,
    sampler: &Sampler,
    [min, max]: [&Vec<f64>; 2],
    rng: &mut ChaCha8Rng,
) -> Result<Vec<f64>, Problem> {
    let refuse = |what: &str| Err(Problem::Inconsistent { what: what.to_owned() });
    let fraction = match (deposit.count, deposit.fraction) {
        (Some(count), None) => return Ok((0..count).map(|_| sampler.sample(rng)).collect()),
        (None, Some(fraction)) => fraction,
        _ => return refuse("`deposit` needs `count` or `fraction`, one of them"),
    };
    let volume = match deposit.grain {
        Grain::Disc => |r: f64| std::f64::consts::PI * r * r,
        Grain::Sphere => |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r,
        _ => return refuse("`fraction` is for discs and spheres; polygons and polyhedra take `count`"),
    };
    let wanted = fraction * max.iter().zip(min).map(|(b, a)| b - a).product::<f64>();
    let (mut all, mut filled) = (vec![], 0.0);
    loop {
        let radius = sampler.sample(rng);
        // As near as whole grains come.
        if filled + 0.5 * volume(radius) > wanted && !all.is_empty() {
            return Ok(all);
        }
        filled += volume(radius);
        all.push(radius);
        if all.len() > 10_000_000 {
            return refuse("`fraction` makes more than 10,000,000 grains");
        }
    }
}

fn lattice(radii: &[f64], largest: f64, [min, max]: [&Vec<f64>; 2], rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let axes = min.len();
    let counts: Vec<usize> =
        (0..axes).map(|a| ((max[a] - min[a]) / (2.0 * largest * (1.0 + ROOM))).floor() as usize).collect();
    let cells: usize = counts.iter().fold(1, |a, b| a.saturating_mul(*b));
    let sizes: Vec<f64> = (0..axes).map(|a| (max[a] - min[a]) / counts[a].max(1) as f64).collect();
    // Upwards cells stay tight, so that the grains do not fall from high.
    let up = 2.0 * largest * (1.0 + ROOM);
    let mut places = Vec::new();
    for (index, radius) in radii.iter().enumerate().take(cells) {
        let mut rest = index;
        let place = (0..axes).map(|a| {
            let i = rest % counts[a];
            rest /= counts[a];
            let size = if a + 1 == axes { up } else { sizes[a] };
            let free = (0.5 * size - radius).min(largest).max(0.0) * 0.98;
            min[a] + (i as f64 + 0.5) * size + free * (2.0 * rng.random::<f64>() - 1.0)
        });
        places.push(place.collect());
    }
    places
}

fn anywhere(radii: &[f64], [min, max]: [&Vec<f64>; 2], rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let Some(&largest) = radii.first() else { return Vec::new() };
    let mut cells = Cells::new(2.0 * largest, min.len());
    let mut places: Vec<Vec<f64>> = Vec::new();
    for (i, radius) in radii.iter().enumerate() {
        if min.iter().zip(max).any(|(a, b)| b - a < 2.0 * radius) {
            break;
        }
        let found = (0..TRIALS).find_map(|_| {
            let draw = |(a, b): (&f64, &f64)| a + radius + (b - a - 2.0 * radius) * rng.random::<f64>();
            let place: Vec<f64> = min.iter().zip(max).map(draw).collect();
            let free = cells.near(&place).all(|j| distance(&place, &places[j]) > radius + radii[j]);
            free.then_some(place)
        });
        let Some(place) = found else { break };
        cells.insert(&place, i);
        places.push(place);
    }
    places
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// Points by cell of a grid.
pub(super) struct Cells {
    size: f64,
    axes: usize,
    cells: HashMap<[i64; 3], Vec<usize>>,
}

impl Cells {
    pub fn new(size: f64, axes: usize) -> Self {
        Self { size, axes, cells: HashMap::new() }
    }

    fn cell(&self, place: &[f64]) -> [i64; 3] {
        let mut cell = [0; 3];
        place.iter().zip(&mut cell).for_each(|(x, c)| *c = (x / self.size).floor() as i64);
        cell
    }

    pub fn insert(&mut self, place: &[f64], index: usize) {
        self.cells.entry(self.cell(place)).or_default().push(index);
    }

    /// Points of the cell and of those around it.
    pub fn near(&self, place: &[f64]) -> impl Iterator<Item = usize> + '_ {
        let centre = self.cell(place);
        let deep = if self.axes == 3 { -1..=1 } else { 0..=0 };
        deep.flat_map(move |k| (-1..=1).flat_map(move |j| (-1..=1).map(move |i| [i, j, k])))
            .filter_map(move |d: [i64; 3]| self.cells.get(&std::array::from_fn(|a| centre[a] + d[a])))
            .flatten()
            .copied()
    }
}
