//! Angle of repose: lines fitted to the surface of a heap.
//!
//! The surface is the highest body of each bin, a typical diameter wide, along the horizontal: left and right of the
//! peak in the plane; by distance from the axis through the centre of mass, in eight sectors, in space. Bins between
//! a tenth and nine tenths of the height count: neither foot nor peak are flanks.

use super::args::ReposeArgs;
use super::{Answer, short};
use crate::command::Verdict;
use crate::command::draw::{self, DrawArgs};
use crate::command::output::warn;
use serde_json::json;

/// Least number of bins of a flank.
const LEAST: usize = 3;
/// Sectors in space.
const SECTORS: usize = 8;
/// Speed above which a heap still flows, relative to that of a fall by a typical diameter.
const FLOWING: f64 = 0.05;

/// Asks.
pub fn ask(args: &ReposeArgs) -> Result<Answer, String> {
    let heap = draw::heap(&DrawArgs { scene: args.scene.clone(), ..DrawArgs::of(&args.source) })?;
    let flanks = flanks(&heap);
    if heap.speed > FLOWING * (2.0 * heap.gravity * 2.0 * typical(&heap)).sqrt() {
        warn(&format!("bodies move by up to {} m/s: the heap is not at rest yet", short(heap.speed)));
    } else if heap.is_start {
        warn("this is the start of the scene, as it is described: run it, and ask the run how it settles");
    }
    let degrees = |x: f64| x.to_degrees();
    if flanks.is_empty() {
        let lines = vec!["no flank: too few bodies between a tenth and nine tenths of the height".to_owned()];
        return Ok(Answer { lines, data: json!({ "flanks": [] }), verdict: Verdict::NotSolved });
    }
    let mean = flanks.iter().map(|f| f.angle).sum::<f64>() / flanks.len() as f64;
    let spread = (flanks.iter().map(|f| (f.angle - mean).powi(2)).sum::<f64>() / flanks.len() as f64).sqrt();
    let mut lines = vec![format!(
        "angle of repose {:.2}°, {} flanks that differ by {:.2}° (standard deviation), at t = {} s",
        degrees(mean),
        flanks.len(),
        degrees(spread),
        draw::rounded(heap.time)
    )];
    for f in &flanks {
        let rough = short(f.rough);
        lines.push(format!(
            "  {:<10} {:.2}°, a line through {} bins, {rough} m from them",
            f.name,
            degrees(f.angle),
            f.bins
        ));
    }
    let each = |f: &Flank| json!({ "name": f.name, "angle": f.angle, "bins": f.bins, "roughness": f.rough });
    let data = json!({ "angle": mean, "deviation": spread, "time": heap.time, "speed": heap.speed, "flanks": flanks.iter().map(each).collect::<Vec<_>>() });
    Ok(Answer { lines, data, verdict: Verdict::Solved })
}

/// The middle one of the radii.
fn typical(heap: &draw::Heap) -> f64 {
    let mut radii: Vec<f64> = heap.bodies.iter().map(|b| b.radius).collect();
    radii.sort_by(f64::total_cmp);
    radii.get(radii.len() / 2).copied().unwrap_or(0.0)
}

struct Flank {
    name: String,
    angle: f64,
    bins: usize,
    /// Standard deviation of the bins from the line \[m\].
    rough: f64,
}

fn flanks(heap: &draw::Heap) -> Vec<Flank> {
    let n = heap.bodies.len();
    if n < LEAST {
        return vec![];
    }
    let width = 2.0 * typical(heap);
    let base = heap.bodies.iter().map(|b| b.height - b.radius).fold(f64::INFINITY, f64::min);
    let middle: [f64; 2] = std::array::from_fn(|k| heap.bodies.iter().map(|b| b.across[k]).sum::<f64>() / n as f64);
    let peak = heap.bodies.iter().fold(&heap.bodies[0], |a, b| if b.height > a.height { b } else { a });
    let mut lists: Vec<(String, Vec<(f64, f64)>)> = vec![];
    if heap.plane {
        for (name, sign) in [("left", -1.0), ("right", 1.0)] {
            let side = heap.bodies.iter().map(|b| (sign * (b.across[0] - peak.across[0]), b.height + b.radius - base));
            lists.push((name.into(), side.filter(|p| p.0 >= 0.0).collect()));
        }
    } else {
        for s in 0..SECTORS {
            let turn = std::f64::consts::TAU / SECTORS as f64;
            let inside = |b: &&draw::Grain| {
                let angle = (b.across[1] - middle[1]).atan2(b.across[0] - middle[0]).rem_euclid(std::f64::consts::TAU);
                (angle / turn) as usize % SECTORS == s
            };
            let far = |b: &draw::Grain| (b.across[0] - middle[0]).hypot(b.across[1] - middle[1]);
            let side = heap.bodies.iter().filter(inside).map(|b| (far(b), b.height + b.radius - base));
            lists.push((format!("sector {}", s + 1), side.collect()));
        }
    }
    let top = peak.height + peak.radius - base;
    lists.into_iter().filter_map(|(name, points)| fitted(name, &points, width, top)).collect()
}

/// A line through the highest points of the bins.
fn fitted(name: String, points: &[(f64, f64)], width: f64, top: f64) -> Option<Flank> {
    let bin = |s: f64| (s / width).round() as i64;
    let mut surface: Vec<(i64, (f64, f64))> = vec![];
    for p in points {
        match surface.iter_mut().find(|(k, _)| *k == bin(p.0)) {
            Some((_, best)) if p.1 > best.1 => *best = *p,
            Some(_) => {}
            None => surface.push((bin(p.0), *p)),
        }
    }
    let kept: Vec<(f64, f64)> =
        surface.into_iter().map(|s| s.1).filter(|p| (0.1 * top..=0.9 * top).contains(&p.1)).collect();
    let n = kept.len() as f64;
    if kept.len() < LEAST {
        return None;
    }
    let (x, y) = (kept.iter().map(|p| p.0).sum::<f64>() / n, kept.iter().map(|p| p.1).sum::<f64>() / n);
    let spread: f64 = kept.iter().map(|p| (p.0 - x).powi(2)).sum();
    if !(spread > 0.0) {
        return None;
    }
    let slope = kept.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    let off = |p: &(f64, f64)| (p.1 - y - slope * (p.0 - x)).powi(2);
    let rough = (kept.iter().map(off).sum::<f64>() / n).sqrt() / slope.hypot(1.0);
    Some(Flank { name, angle: (-slope).atan(), bins: kept.len(), rough })
}
