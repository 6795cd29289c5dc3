//! Frames of a run as an animated GIF, or as video.

use super::args::DrawArgs;
use super::frame::{Crowd, target};
use super::snapshot::Snapshot;
use super::source::Stage;
use super::{Format, decorated, head, paint, plane, solids, space, subtitle};
use crate::command::bytes;
use delassus_draw::space::{Point3, Sight, Sights};
use delassus_draw::{Animation, Body, Film, Palette, Picture, Raster, Rect, Role, Shape, Video};
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
pub struct Fixed {
    window: Option<Rect>,
    seen: Vec<(Point3, f64)>,
    /// Found in each picture if none.
    pub sights: Option<Sights>,
    reference: Option<f64>,
    range: Option<[f64; 2]>,
    /// Height of the page.
    pub height: Option<f64>,
    /// Where the body that is followed was at first.
    start: Option<Point3>,
}

impl Fixed {
    /// What serves two scenes.
    pub fn joined(mut self, other: Self) -> Self {
        self.window = match (self.window, other.window) {
            (Some(a), Some(b)) => Some(a.union(&b)),
            (a, b) => a.or(b),
        };
        self.seen.extend(other.seen);
        self.reference = match (self.reference, other.reference) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        self.range = match (self.range, other.range) {
            (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
            (a, b) => a.or(b),
        };
        self
    }
}

/// The page of a frame, the eye turned by an angle \[degrees\].
pub fn page(stage: &Stage, (frame, turned): (usize, f64), fixed: &Fixed, args: &DrawArgs) -> Result<Picture, String> {
    if let Some(setup) = solids::drawn(&stage.built, args) {
        let solids_fixed = solids::Fixed { window: fixed.window, range: fixed.range };
        let mut figure = solids::figure(setup, stage, frame, solids_fixed, args)?;
        figure.eye.iter_mut().for_each(|eye| eye.around += turned);
        figure.head.height = fixed.height.or(figure.head.height);
        return figure.picture().map_err(|e| e.to_string());
    }
    let snapshot = stage.snapshot(frame)?;
    let mut head = head(args, &stage.header.title);
    head.subtitle = subtitle(stage, &snapshot, args);
    head.height = fixed.height.or(head.height);
    let picture = match &stage.built {
        Built::Plane(setup) => {
            let mut figure = plane::figure(setup, &snapshot, head, args, args.forces)?;
            let shown = decorated((stage, frame, &snapshot), &mut figure.bodies, args, fixed.range)?;
            (figure.style.traces, figure.style.legend) = (shown.traces, shown.legend);
            let all = fixed.window.unwrap_or_else(|| figure.bounds());
            figure.style.window = Some(super::frame::window(all, target(setup, &snapshot, args)?, args));
            figure.style.reference = fixed.reference;
            figure.picture()
        }
        Built::Space(setup) => {
            let mut figure = space::figure(setup, &snapshot, head, args, args.forces)?;
            let shown = decorated((stage, frame, &snapshot), &mut figure.bodies, args, fixed.range)?;
            (figure.traces, figure.legend) = (shown.traces, shown.legend);
            let here = target(setup, &snapshot, args)?;
            // The eye goes with a body that it follows.
            let gone: Point3 = match (here, fixed.start, &args.follow) {
                (Some(here), Some(start), Some(_)) => std::array::from_fn(|k| here[k] - start[k]),
                _ => [0.0; 3],
            };
            let moved = |(c, r): &(Point3, f64)| (std::array::from_fn(|k| c[k] + gone[k]), *r);
            figure.seen = fixed.seen.iter().map(moved).collect();
            figure.lens = super::frame::lens(here, args);
            figure.eye.around += turned;
            // What hides depends on where the eye is.
            figure.sights = fixed.sights.clone().filter(|_| args.turntable.is_none());
            figure.reference = fixed.reference;
            figure.pixels = args.scale.unwrap_or(if super::is_animation(args) { 1.0 } else { 2.0 });
            figure.picture()
        }
    };
    picture.map_err(|e| e.to_string())
}

/// The window that holds all frames, and the widths that suit them.
pub fn survey(stage: &Stage, frames: &[usize], args: &DrawArgs) -> Result<Fixed, String> {
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
        return Ok(Fixed {
            window,
            seen,
            sights: Some(sights),
            reference: None,
            range: Some(range),
            height: None,
            start: None,
        });
    }
    let crowds = Crowds::new(stage, frames)?;
    let mut start = None;
    for (i, &k) in frames.iter().enumerate() {
        // A body that is followed is seen as at first.
        let counts = i == 0 || args.follow.is_none();
        let snapshot = stage.snapshot(k)?;
        magnitudes.extend(snapshot.contacts.iter().map(|c| c.force.iter().map(|f| f * f).sum::<f64>().sqrt()));
        match &stage.built {
            Built::Plane(setup) => {
                let mut figure = plane::figure(setup, &snapshot, head(args, ""), args, args.forces)?;
                widen(&mut range, coloured(stage, k, &snapshot, &figure.bodies, args)?);
                figure.bodies.retain(|b| b.role == Role::Fixed || crowds.hold(&b.centre));
                // Lines of walls reach as far as they were cut.
                if args.window.is_none() && figure.style.window.take().is_some() && args.mirror.is_none() {
                    let fixed = figure.bodies.iter_mut().filter(|b| b.role == Role::Fixed);
                    fixed.for_each(|b| b.shapes.retain(|s| !matches!(s, delassus_draw::plane::Outline::Line(_))));
                }
                let here = figure.bounds();
                if counts {
                    window = Some(window.map_or(here, |w| w.union(&here)));
                }
            }
            Built::Space(setup) => {
                let mut figure = space::figure(setup, &snapshot, head(args, ""), args, args.forces)?;
                widen(&mut range, coloured(stage, k, &snapshot, &figure.bodies, args)?);
                let all = figure.bodies.clone();
                figure.bodies.retain(|b| b.role == Role::Fixed || crowds.hold(&b.centre));
                if counts {
                    seen.extend(figure.spheres());
                }
                start = start.or(target(setup, &snapshot, args)?);
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
    if args.turntable.is_some() {
        let up = match &stage.built {
            Built::Space(setup) => (*setup.model.gravity()).into(),
            Built::Plane(_) => [0.0; 3],
        };
        seen = around(&seen, up);
    }
    Ok(Fixed { window, seen, sights: Some(sights), reference, range, height: None, start })
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

/// What the free bodies keep to over the frames, in the plane or in space.
enum Crowds {
    Plane(Option<Crowd<2>>),
    Space(Option<Crowd<3>>),
}

impl Crowds {
    fn new(stage: &Stage, frames: &[usize]) -> Result<Self, String> {
        fn places<const D: usize>(
            stage: &Stage,
            frames: &[usize],
            free: impl Fn(usize) -> bool,
        ) -> Result<Vec<[f64; D]>, String> {
            let mut all = vec![];
            for &k in frames {
                let snapshot = stage.snapshot(k)?;
                let bodies = snapshot.position.chunks_exact(D).enumerate();
                let counted = bodies.filter(|(b, _)| free(*b) && snapshot.shows(*b));
                all.extend(counted.map(|(_, x)| std::array::from_fn(|i| x[i])));
            }
            Ok(all)
        }
        Ok(match &stage.built {
            Built::Plane(setup) => {
                let free = |b: usize| setup.is_free(b);
                Self::Plane(Crowd::new(&places::<2>(stage, frames, free)?))
            }
            Built::Space(setup) => {
                let free = |b: usize| setup.is_free(b);
                Self::Space(Crowd::new(&places::<3>(stage, frames, free)?))
            }
        })
    }

    /// Whether a body there counts for the frame.
    fn hold(&self, centre: &[f64]) -> bool {
        match self {
            Self::Plane(Some(crowd)) => crowd.holds([centre[0], centre[1]]),
            Self::Space(Some(crowd)) => crowd.holds([centre[0], centre[1], centre[2]]),
            _ => true,
        }
    }
}

/// Spheres on two rings that hold others however they turn about the vertical through their middle.
fn around(spheres: &[(Point3, f64)], gravity: Point3) -> Vec<(Point3, f64)> {
    const RING: usize = 24;
    let size = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    let up: Point3 = if size > 0.0 { gravity.map(|g| -g / size) } else { [0.0, 0.0, 1.0] };
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (c, r) in spheres {
        (0..3).for_each(|k| (low[k], high[k]) = (low[k].min(c[k] - r), high[k].max(c[k] + r)));
    }
    let middle: Point3 = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let dot = |a: &Point3, b: &Point3| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let (mut bottom, mut top, mut wide) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
    for (c, r) in spheres {
        let d: Point3 = std::array::from_fn(|k| c[k] - middle[k]);
        let height = dot(&d, &up);
        wide = wide.max((dot(&d, &d) - height * height).max(0.0).sqrt() + r);
        (bottom, top) = (bottom.min(height - r), top.max(height + r));
    }
    if !(bottom <= top) {
        return spheres.to_vec();
    }
    let first = super::across(up);
    let second: Point3 = std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        up[i] * first[j] - up[j] * first[i]
    });
    let point = |i: usize, h: f64| {
        let (s, c) = (i as f64 / RING as f64 * std::f64::consts::TAU).sin_cos();
        let at = std::array::from_fn(|k| middle[k] + wide * (c * first[k] + s * second[k]) + h * up[k]);
        (at, 0.0)
    };
    [bottom, top].into_iter().flat_map(|h| (0..RING).map(move |i| (i, h))).map(|(i, h)| point(i, h)).collect()
}

/// Seconds that the eye takes around one state.
const AROUND: f64 = 6.0;

/// Frames, the angle of the eye, and for how many hundredths of a second each is shown.
fn scenes(stage: &Stage, args: &DrawArgs) -> Result<Vec<(usize, f64, u16)>, String> {
    let times = stage.times();
    let whole = args.turntable.unwrap_or(0.0);
    if !super::is_film(args) {
        let frame = stage.choose(args)?;
        let each = (100.0 / args.fps.min(FASTEST)).round().max(2.0) as u16;
        let count = (100.0 * AROUND / f64::from(each)).round() as usize;
        return Ok((0..count).map(|i| (frame, whole * i as f64 / count as f64, each)).collect());
    }
    let shown = schedule(&times, args.fps, args.speed);
    let last = shown.len().saturating_sub(1).max(1) as f64;
    Ok(shown.into_iter().enumerate().map(|(i, (k, h))| (k, whole * i as f64 / last, h)).collect())
}

/// Writes the animation, and says so.
pub fn animate(stage: &Stage, args: &DrawArgs, path: &Path, format: Format) -> Result<String, String> {
    let shown = scenes(stage, args)?;
    if shown.is_empty() {
        return Err(format!("{} has no frame yet: nothing to draw", stage.name));
    }
    let spread = |n: usize| -> Vec<(usize, f64)> {
        let n = n.min(shown.len());
        let one = |i: usize| shown[i * (shown.len() - 1) / (n - 1).max(1)];
        (0..n).map(one).map(|(k, angle, _)| (k, angle)).collect()
    };
    let mut frames: Vec<usize> = spread(SAMPLES).into_iter().map(|s| s.0).collect();
    frames.dedup();
    let mut fixed = survey(stage, &frames, args)?;
    // The page keeps its height, whatever is seen.
    fixed.height = Some(page(stage, (shown[0].0, shown[0].1), &fixed, args)?.height);
    let scale = args.scale.unwrap_or(1.0);
    let raster = |at: (usize, f64)| -> Result<Raster, String> {
        page(stage, at, &fixed, args)?.to_raster(scale).map_err(|e| e.to_string())
    };
    let first = raster((shown[0].0, shown[0].1))?;
    let size = (first.width, first.height);
    let target = if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(shown.len() as u64), target);
    let style = ProgressStyle::with_template("[{bar:24}] {pos} of {len} frames, about {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    let write = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    let mut out = BufWriter::new(File::create(path).map_err(write)?);
    if format == Format::Video {
        let mut video = Video::new(&mut out, size).map_err(|e| e.to_string())?;
        for &(frame, angle, hundredths) in &shown {
            video.push(&raster((frame, angle))?, hundredths).map_err(|e| e.to_string())?;
            bar.inc(1);
        }
        video.finish().map_err(|e| e.to_string())?;
    } else if format == Format::Film {
        let rate = args.fps.min(FASTEST).round().max(1.0);
        let mut film = Film::new(&mut out, size, rate as u32).map_err(|e| e.to_string())?;
        let mut until = 0.0;
        for &(frame, angle, hundredths) in &shown {
            // Rounded ends, as of the frames of a GIF; each is seen.
            until += f64::from(hundredths) / 100.0;
            let intervals = ((until * rate).round() as usize).saturating_sub(film.frames()).max(1);
            film.push(&raster((frame, angle))?, intervals as u32).map_err(|e| e.to_string())?;
            bar.inc(1);
        }
    } else {
        let samples = spread(4).into_iter().map(raster).collect::<Result<Vec<_>, _>>()?;
        let mut animation = Animation::new(&mut out, size, Palette::new(&samples)).map_err(|e| e.to_string())?;
        for &(frame, angle, hundredths) in &shown {
            animation.push(&raster((frame, angle))?, hundredths).map_err(|e| e.to_string())?;
            bar.inc(1);
        }
    }
    out.flush().map_err(write)?;
    bar.finish_and_clear();
    let length: f64 = shown.iter().map(|s| f64::from(s.2) / 100.0).sum();
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
