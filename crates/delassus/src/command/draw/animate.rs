//! Frames of a run as an animated GIF.

use super::args::DrawArgs;
use super::snapshot::Snapshot;
use super::source::Stage;
use super::{decorated, head, paint, plane, solids, space, subtitle};
use crate::command::bytes;
use delassus_draw::space::{Point3, Sight, Sights};
use delassus_draw::{Animation, Body, Palette, Picture, Raster, Rect, Role, Shape};
use delassus_scene::Built;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Frames looked at for the window, the widths of the forces and the palette.
const SAMPLES: usize = 12;
/// Fastest frames that viewers show [1/s].
const FASTEST: f64 = 50.0;

/// Which frames are shown, and for how many hundredths of a second.
fn schedule(times: &[f64], fps: f64, speed: f64) -> Vec<(usize, u16)> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return vec![] };
    let interval = 1.0 / fps.min(FASTEST);
    let count = ((last - first) / speed / interval).round().max(0.0) as usize;
    let mut shown: Vec<(usize, u16)> = vec![];
    let mut told = 0;
    for i in 0..=count {
        let time = first + i as f64 * interval * speed;
        let after = times.partition_point(|t| *t < time).min(times.len() - 1);
        let nearest = if after > 0 && time - times[after - 1] < times[after] - time { after - 1 } else { after };
        // Rounded ends, not rounded lengths: the whole lasts as long as it should.
        let end = ((i + 1) as f64 * interval * 100.0).round() as u64;
        let length = (end - told).min(u64::from(u16::MAX)) as u16;
        told = end;
        match shown.last_mut() {
            Some((frame, hundredths)) if *frame == nearest => *hundredths = hundredths.saturating_add(length),
            _ => shown.push((nearest, length)),
        }
    }
    // A pause before it starts again.
    if let Some((_, hundredths)) = shown.last_mut() {
        *hundredths = hundredths.saturating_add(80);
    }
    shown
}

/// What must not change from frame to frame.
struct Fixed {
    window: Option<Rect>,
    seen: Vec<(Point3, f64)>,
    sights: Sights,
    reference: Option<f64>,
    range: Option<[f64; 2]>,
}

fn page(stage: &Stage, frame: usize, fixed: &Fixed, args: &DrawArgs) -> Result<Picture, String> {
    if let Some(setup) = solids::drawn(&stage.built, args) {
        let fixed = solids::Fixed { window: fixed.window, range: fixed.range };
        let figure = solids::figure(setup, stage, frame, fixed, args)?;
        return figure.picture().map_err(|e| e.to_string());
    }
    let snapshot = stage.snapshot(frame)?;
    let mut head = head(args, &stage.header.title);
    head.subtitle = subtitle(stage, &snapshot, args);
    let picture = match &stage.built {
        Built::Plane(setup) => {
            let mut figure = plane::figure(setup, &snapshot, head, args, args.forces);
            let shown = decorated((stage, frame, &snapshot), &mut figure.bodies, args, fixed.range)?;
            (figure.style.traces, figure.style.legend) = (shown.traces, shown.legend);
            figure.style.window = fixed.window.or(figure.style.window);
            figure.style.reference = fixed.reference;
            figure.picture()
        }
        Built::Space(setup) => {
            let mut figure = space::figure(setup, &snapshot, head, args, args.forces);
            let shown = decorated((stage, frame, &snapshot), &mut figure.bodies, args, fixed.range)?;
            (figure.traces, figure.legend) = (shown.traces, shown.legend);
            figure.seen.clone_from(&fixed.seen);
            figure.sights = Some(fixed.sights.clone());
            figure.reference = fixed.reference;
            figure.pixels = args.scale.unwrap_or(1.0);
            figure.picture()
        }
    };
    picture.map_err(|e| e.to_string())
}

/// The window that holds all frames, and the widths that suit them.
fn survey(stage: &Stage, frames: &[usize], args: &DrawArgs) -> Result<Fixed, String> {
    let (mut window, mut seen, mut sights) = (None::<Rect>, vec![], Sights::new());
    let mut magnitudes: Vec<f64> = vec![];
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    if let Some(setup) = solids::drawn(&stage.built, args) {
        for &k in frames {
            let figure = solids::figure(setup, stage, k, solids::Fixed::default(), args)?;
            let (here, [low, high]) = (figure.bounds(), figure.extremes());
            range = [range[0].min(low), range[1].max(high)];
            window = Some(window.map_or(here, |w| w.union(&here)));
        }
        return Ok(Fixed { window, seen, sights, reference: None, range: Some(range) });
    }
    for &k in frames {
        let snapshot = stage.snapshot(k)?;
        magnitudes.extend(snapshot.contacts.iter().map(|c| c.force.iter().map(|f| f * f).sum::<f64>().sqrt()));
        match &stage.built {
            Built::Plane(setup) => {
                let mut figure = plane::figure(setup, &snapshot, head(args, ""), args, args.forces);
                widen(&mut range, coloured(stage, k, &snapshot, &figure.bodies, args)?);
                figure.bodies = gathered(figure.bodies);
                let here = figure.bounds();
                window = Some(window.map_or(here, |w| w.union(&here)));
            }
            Built::Space(setup) => {
                let mut figure = space::figure(setup, &snapshot, head(args, ""), args, args.forces);
                widen(&mut range, coloured(stage, k, &snapshot, &figure.bodies, args)?);
                let all = std::mem::take(&mut figure.bodies);
                figure.bodies = gathered(all.clone());
                seen.extend(figure.spheres());
                figure.bodies = all;
                for (shape, sight) in figure.find_sights() {
                    let kept: &mut Sight = sights.entry(shape).or_default();
                    *kept = sight.max(*kept);
                }
            }
        }
    }
    magnitudes.retain(|m| *m > 0.0);
    magnitudes.sort_by(f64::total_cmp);
    let reference = magnitudes.get((magnitudes.len() * 99 / 100).min(magnitudes.len().saturating_sub(1))).copied();
    let range = (range[0] <= range[1]).then_some(range);
    Ok(Fixed { window, seen, sights, reference, range })
}

/// Least and largest value of the colours in a frame, if bodies are coloured.
fn coloured<const D: usize, S: Shape<D>>(
    stage: &Stage,
    frame: usize,
    snapshot: &Snapshot,
    bodies: &[Body<D, S>],
    args: &DrawArgs,
) -> Result<[f64; 2], String> {
    match &args.colour_by {
        Some(by) => Ok(paint::extremes(&paint::values(by, stage, frame, snapshot, bodies)?, bodies)),
        None => Ok([f64::INFINITY, f64::NEG_INFINITY]),
    }
}

fn widen(range: &mut [f64; 2], [low, high]: [f64; 2]) {
    *range = [range[0].min(low), range[1].max(high)];
}

/// The bodies without those that flew off: a free body farther from the middle of the others than four times what
/// nine tenths of them keep to would make all others small.
fn gathered<const D: usize, S: Shape<D>>(bodies: Vec<Body<D, S>>) -> Vec<Body<D, S>> {
    let free: Vec<&Body<D, S>> = bodies.iter().filter(|b| b.role == Role::Free).collect();
    if free.len() < 20 {
        return bodies;
    }
    let middle: [f64; D] = std::array::from_fn(|k| {
        let mut along: Vec<f64> = free.iter().map(|b| b.centre[k]).collect();
        along.sort_by(f64::total_cmp);
        along[along.len() / 2]
    });
    let far = |b: &Body<D, S>| (0..D).map(|k| (b.centre[k] - middle[k]).powi(2)).sum::<f64>().sqrt();
    let mut all: Vec<f64> = free.iter().map(|b| far(b)).collect();
    all.sort_by(f64::total_cmp);
    let limit = 4.0 * all[all.len() * 9 / 10];
    bodies.into_iter().filter(|b| b.role == Role::Fixed || far(b) <= limit).collect()
}

/// Writes the animation, and says so.
pub fn animate(stage: &Stage, args: &DrawArgs, path: &Path) -> Result<String, String> {
    let shown = schedule(&stage.times(), args.fps, args.speed);
    if shown.is_empty() {
        return Err(format!("{} has no frame yet: nothing to draw", stage.name));
    }
    let spread = |n: usize| -> Vec<usize> {
        let n = n.min(shown.len());
        (0..n).map(|i| shown[i * (shown.len() - 1) / (n - 1).max(1)].0).collect()
    };
    let fixed = survey(stage, &spread(SAMPLES), args)?;
    let scale = args.scale.unwrap_or(1.0);
    let raster = |k: usize| -> Result<Raster, String> {
        page(stage, k, &fixed, args)?.to_raster(scale).map_err(|e| e.to_string())
    };
    let samples = spread(4).into_iter().map(raster).collect::<Result<Vec<_>, _>>()?;
    let size = (samples[0].width, samples[0].height);
    let palette = Palette::new(&samples);
    let target = if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(shown.len() as u64), target);
    let style = ProgressStyle::with_template("[{bar:24}] {pos} of {len} frames, about {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    let write = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    let mut out = BufWriter::new(File::create(path).map_err(write)?);
    let mut animation = Animation::new(&mut out, size, palette).map_err(|e| e.to_string())?;
    for &(frame, hundredths) in &shown {
        animation.push(&raster(frame)?, hundredths).map_err(|e| e.to_string())?;
        bar.inc(1);
    }
    drop(animation);
    out.flush().map_err(write)?;
    bar.finish_and_clear();
    let length: f64 = shown.iter().map(|s| f64::from(s.1) / 100.0).sum();
    let written = std::fs::metadata(path).map_or(0, |m| m.len());
    Ok(format!(
        "{}: {} frames, {} × {}, {length:.1} s, {}",
        path.display(),
        shown.len(),
        size.0,
        size.1,
        bytes(written)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of 2 s recorded every 0.1 s, shown at 25 frames per second: 20 intervals of
    /// 0.1 s, the whole as long as the run and the pause.
    #[test]
    fn lasts_as_long_as_the_run() {
        let times: Vec<f64> = (0..=20).map(|i| 0.1 * f64::from(i)).collect();
        let shown = schedule(&times, 25.0, 1.0);
        assert_eq!(shown.len(), 21);
        let total: u32 = shown.iter().map(|s| u32::from(s.1)).sum();
        assert_eq!(total, 204 + 80);
        assert!(shown.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn twice_as_fast_has_half_the_frames() {
        let times: Vec<f64> = (0..=1000).map(|i| 0.01 * f64::from(i)).collect();
        assert_eq!(schedule(&times, 20.0, 1.0).len(), 201);
        assert_eq!(schedule(&times, 20.0, 2.0).len(), 101);
        assert_eq!(schedule(&[0.0], 20.0, 1.0), [(0, 85)]);
        assert!(schedule(&[], 20.0, 1.0).is_empty());
    }
}
