//! Grains anywhere in a box, pushed apart until none overlaps another
//!
//! ```text
//! overlap  o = r_i + r_j + gap − |x_i − x_j| > 0   ─▶   both move by o/2 along their line, and stay in the box
//! ```
//!
//! Sweeps over all pairs in the order of the grains: the same for a seed. Discs come to about 0.8 of the plane and
//! spheres to 0.6 of space; denser ones jam, and are refused.

use super::deposit::{Cells, distance};
use crate::diagnostic::Problem;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Gap that is aimed at, as a part of the smallest radius; half of it is enough.
const GAP: f64 = 1e-4;
/// Most sweeps.
const SWEEPS: usize = 20_000;

/// Centres of all grains.
pub fn places(radii: &[f64], [min, max]: [&Vec<f64>; 2], rng: &mut ChaCha8Rng) -> Result<Vec<Vec<f64>>, Problem> {
    let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = radii.iter().copied().fold(0.0, f64::max);
    if min.iter().zip(max).any(|(a, b)| b - a < 2.0 * largest) {
        let what = format!("the region is narrower than the largest grain, of radius {largest}");
        return Err(Problem::Inconsistent { what });
    }
    let inside = |x: f64, k: usize, r: f64| x.clamp(min[k] + r, max[k] - r);
    let draw = |k: usize, r: f64, rng: &mut ChaCha8Rng| min[k] + r + (max[k] - min[k] - 2.0 * r) * rng.random::<f64>();
    let mut all: Vec<Vec<f64>> = radii.iter().map(|r| (0..min.len()).map(|k| draw(k, *r, rng)).collect()).collect();
    let gap = GAP * least;
    for _ in 0..SWEEPS {
        let mut cells = Cells::new(2.0 * largest + gap, min.len());
        all.iter().enumerate().for_each(|(i, x)| cells.insert(x, i));
        let mut worst: f64 = 0.0;
        for i in 0..all.len() {
            let mut near: Vec<usize> = cells.near(&all[i]).filter(|j| *j < i).collect();
            near.sort_unstable();
            for j in near {
                let apart = distance(&all[i], &all[j]);
                let overlap = radii[i] + radii[j] + gap - apart;
                if overlap <= 0.0 {
                    continue;
                }
                worst = worst.max(overlap);
                for k in 0..min.len() {
                    // Grains in one place part along the first axis.
                    let along = if apart > 0.0 { (all[i][k] - all[j][k]) / apart } else { f64::from(u8::from(k == 0)) };
                    all[i][k] = inside(all[i][k] + 0.5 * overlap * along, k, radii[i]);
                    all[j][k] = inside(all[j][k] - 0.5 * overlap * along, k, radii[j]);
                }
            }
        }
        // What was pushed last may have pushed others: a sweep without an overlap has moved nothing that matters.
        if worst <= 0.5 * gap && is_free(&all, radii, 2.0 * largest) {
            return Ok(all);
        }
    }
    let what = format!(
        "{} grains jam before they are apart: discs come to about 0.8 of the region, spheres to 0.6",
        radii.len()
    );
    Err(Problem::Inconsistent { what })
}

fn is_free(all: &[Vec<f64>], radii: &[f64], size: f64) -> bool {
    let mut cells = Cells::new(size, all.first().map_or(2, Vec::len));
    all.iter().enumerate().for_each(|(i, x)| cells.insert(x, i));
    let apart = |i: usize, j: usize| i == j || distance(&all[i], &all[j]) >= radii[i] + radii[j];
    all.iter().enumerate().all(|(i, x)| cells.near(x).all(|j| apart(i, j)))
}
