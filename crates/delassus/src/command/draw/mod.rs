//! `draw`: pictures of scenes, runs and sets of reactions.

mod animate;
mod args;
mod bodies;
mod cell;
pub(super) mod exploration;
mod frame;
mod paint;
mod panels;
mod plane;
mod snapshot;
mod solids;
mod source;
mod space;
mod symbols;

pub use args::{DrawArgs, ForceChoice, Zoom, size, window};
pub use snapshot::Snapshot;
pub use solids::nodal_field;

use super::flow::{self, Means};
use super::output::{Output, complain, warn};
use super::{Verdict, guarded, names};
use cell::Cell;
use delassus_draw::{Body, Cloud, Head, Key, Overlay, Picture, Role, Shape, Slice, Trace, gallery, slices};
use delassus_scene::{Built, Setup};
use exploration::{Exploration, Place, bare};
use source::{Source, Stage};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
    Gif,
    Video,
    Film,
}

impl Format {
    fn moves(self) -> bool {
        matches!(self, Self::Gif | Self::Video | Self::Film)
    }

    fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let known =
            [("svg", Self::Svg), ("png", Self::Png), ("gif", Self::Gif), ("mp4", Self::Video), ("y4m", Self::Film)];
        known.into_iter().find(|f| f.0 == extension).map(|f| f.1)
    }
}

/// Whether several frames are asked for.
fn is_animation(args: &DrawArgs) -> bool {
    args.animate || args.turntable.is_some() || args.output.as_deref().and_then(Format::of).is_some_and(Format::moves)
}

/// Whether all frames are asked for, not one state seen all around.
fn is_film(args: &DrawArgs) -> bool {
    is_animation(args) && (args.animate || args.turntable.is_none())
}

/// Draws.
pub fn run(args: &DrawArgs) -> ExitCode {
    let result = guarded(|| draw(args)).unwrap_or_else(|message| {
        complain(&message);
        Err(Verdict::BadInput)
    });
    match result {
        Ok((message, verdict)) => {
            if !args.quiet {
                Output::default().line(&message);
            }
            verdict.into()
        }
        Err(verdict) => verdict.into(),
    }
}

/// Draws for another command: what was drawn, or why not.
pub fn told(args: &DrawArgs) -> Result<String, String> {
    draw(args).map(|(told, _)| told).map_err(|_| String::new())
}

/// The figure of a state of the plane, without forces.
pub fn plane_figure(
    setup: &Setup<2>,
    snapshot: &Snapshot,
    head: Head,
    args: &DrawArgs,
) -> delassus_draw::plane::Figure {
    plane::figure(setup, snapshot, head, args, None).expect("nothing is named")
}

/// The figure of a state of space, without forces.
pub fn space_figure(
    setup: &Setup<3>,
    snapshot: &Snapshot,
    head: Head,
    args: &DrawArgs,
) -> delassus_draw::space::Figure {
    space::figure(setup, snapshot, head, args, None).expect("nothing is named")
}

/// Writes a picture of another command, and says so.
pub fn save_picture(picture: &Picture, path: &Path, args: &DrawArgs) -> Result<String, String> {
    match Format::of(path) {
        Some(format @ (Format::Svg | Format::Png)) => save(picture, path, format, args),
        _ => Err(format!("{}: pictures are .svg or .png", path.display())),
    }
}

/// A free body of a heap.
pub struct Grain {
    /// Height of its centre, against gravity \[m\].
    pub height: f64,
    /// Where it is across gravity \[m\].
    pub across: [f64; 2],
    /// Radius of the circle or sphere around it \[m\].
    pub radius: f64,
}

/// The free bodies of a scene or a run.
pub struct Heap {
    /// The bodies.
    pub bodies: Vec<Grain>,
    /// Time \[s\].
    pub time: f64,
    /// Largest speed of a free body \[m/s\].
    pub speed: f64,
    /// Size of gravity \[m/s²\].
    pub gravity: f64,
    /// Whether nothing has been computed: the start of a scene.
    pub is_start: bool,
    /// Whether it is of the plane.
    pub plane: bool,
}

/// The free bodies of a scene or a run, by height.
pub fn heap(args: &DrawArgs) -> Result<Heap, String> {
    let Source::Scene(stage) = source::open(args).map_err(|_| String::new())? else {
        return Err("an exploration has no bodies: give a run or a scene".into());
    };
    let snapshot = stage.snapshot(stage.choose(args)?)?;
    let (list, gravity): (Vec<([f64; 3], f64)>, [f64; 3]) = match &stage.built {
        Built::Plane(setup) => {
            let bodies = plane::figure(setup, &snapshot, Head::new(""), args, None)?.bodies;
            let free = bodies.iter().filter(|b| b.role == Role::Free);
            let g = setup.model.gravity();
            (free.map(|b| ([b.centre[0], b.centre[1], 0.0], b.radius())).collect(), [g[0], g[1], 0.0])
        }
        Built::Space(setup) => {
            let bodies = space::figure(setup, &snapshot, Head::new(""), args, None)?.bodies;
            let free = bodies.iter().filter(|b| b.role == Role::Free);
            (free.map(|b| (b.centre, b.radius())).collect(), (*setup.model.gravity()).into())
        }
    };
    let size = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    if !(size > 0.0) {
        return Err("without gravity there is no heap".into());
    }
    let up = gravity.map(|g| -g / size);
    let plane = matches!(stage.built, Built::Plane(_));
    let free: Vec<bool> = match &stage.built {
        Built::Plane(setup) => setup.model.bodies().iter().map(|b| b.is_dynamic()).collect(),
        Built::Space(setup) => setup.model.bodies().iter().map(|b| b.is_dynamic()).collect(),
    };
    // Two directions across; in the plane one.
    let first = if plane { [up[1], -up[0], 0.0] } else { across(up) };
    let second =
        [up[1] * first[2] - up[2] * first[1], up[2] * first[0] - up[0] * first[2], up[0] * first[1] - up[1] * first[0]];
    let dot = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let grain = |(c, radius): &([f64; 3], f64)| Grain {
        height: dot(c, &up),
        across: [dot(c, &first), if plane { 0.0 } else { dot(c, &second) }],
        radius: *radius,
    };
    let width = if plane { 2 } else { 3 };
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let moving = snapshot.velocity.chunks(width).enumerate().filter(|(b, _)| snapshot.shows(*b) && free[*b]);
    Ok(Heap {
        bodies: list.iter().map(grain).collect(),
        time: snapshot.time,
        speed: moving.map(|(_, v)| norm(v)).fold(0.0, f64::max),
        gravity: size,
        is_start: stage.run().is_none() && snapshot.time == 0.0,
        plane,
    })
}

/// A unit vector across another.
fn across(up: [f64; 3]) -> [f64; 3] {
    let k = (0..3).fold(0, |a, b| if up[b].abs() < up[a].abs() { b } else { a });
    let axis: [f64; 3] = std::array::from_fn(|i| f64::from(u8::from(i == k)));
    let along: [f64; 3] = std::array::from_fn(|i| axis[i] - up[k] * up[i]);
    let size = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    along.map(|x| x / size)
}

/// Draws, and says what. Steps above the tolerance on the way are told, and are the verdict.
fn draw(args: &DrawArgs) -> Result<(String, Verdict), Verdict> {
    let refuse = |message: String| {
        complain(&message);
        Verdict::BadInput
    };
    let (path, format) = target(args).map_err(refuse)?;
    if !args.others.is_empty() {
        return panels::draw(args, &path, format);
    }
    let source = source::open(args)?;
    let verdict = match &source {
        Source::Scene(stage) if stage.flagged > 0 => Verdict::NotSolved,
        _ => Verdict::Solved,
    };
    let drawn = match source {
        Source::Exploration(_) if format.moves() => Err("an exploration has no frames to animate".to_string()),
        Source::Exploration(file) => sets_alone(&file, args).and_then(|picture| save(&picture, &path, format, args)),
        Source::Scene(stage) if format.moves() => animate::animate(&stage, args, &path, format),
        Source::Scene(stage) => still(&stage, args).and_then(|(picture, told)| {
            let written = save(&picture, &path, format, args)?;
            Ok(format!("{written}; {told}"))
        }),
    };
    drawn.map(|told| (told, verdict)).map_err(refuse)
}

/// File and format of the picture.
fn target(args: &DrawArgs) -> Result<(PathBuf, Format), String> {
    let Some(path) = &args.output else {
        let (extension, format) = if is_animation(args) { ("gif", Format::Gif) } else { ("svg", Format::Svg) };
        return Ok((names::ending(source::stem(&args.source), extension), format));
    };
    let format = Format::of(path);
    let format = format
        .ok_or_else(|| format!("{}: pictures are .svg or .png, animations .gif, .mp4 or .y4m", path.display()))?;
    if is_animation(args) && !format.moves() {
        return Err(format!("{}: animations are .gif, .mp4 or .y4m", path.display()));
    }
    if format.moves()
        && ((args.frame.is_some() && args.turntable.is_none()) || args.profile.is_some() || args.explore.is_some())
    {
        return Err(format!("{}: --frame, --profile and --explore are for .svg and .png", path.display()));
    }
    Ok((path.clone(), format))
}

/// Writes a picture, and says so.
fn save(picture: &Picture, path: &Path, format: Format, args: &DrawArgs) -> Result<String, String> {
    let scale = args.scale.unwrap_or(2.0);
    let bytes = match format {
        Format::Svg => picture.to_svg().map(String::into_bytes),
        _ => picture.to_png(scale),
    };
    let bytes = bytes.map_err(|e| e.to_string())?;
    std::fs::write(path, &bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    Ok(format!(
        "{}: {:.0} × {:.0}, {}",
        path.display(),
        picture.width,
        picture.height,
        super::bytes(bytes.len() as u64)
    ))
}

fn head(args: &DrawArgs, title: &str) -> Head {
    let mut head = Head::new(args.title.as_deref().unwrap_or(title));
    if let Some((width, height)) = args.size {
        (head.width, head.height) = (width, height);
    }
    head
}

/// The line below the title.
fn subtitle(stage: &Stage, snapshot: &Snapshot, args: &DrawArgs) -> String {
    let bodies = stage.built.moving(|b| snapshot.shows(b));
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut parts = vec![format!("t = {} s", rounded(snapshot.time)), plural(bodies, "body", "bodies")];
    if args.forces.is_some() {
        parts.push(plural(snapshot.loaded(), "contact", "contacts"));
    }
    parts.join("  ·  ")
}

/// Steps add up to times such as 0.30000000000000004.
pub fn rounded(time: f64) -> String {
    let text = format!("{time:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// One frame.
fn still(stage: &Stage, args: &DrawArgs) -> Result<(Picture, String), String> {
    let k = stage.choose(args)?;
    if let Some(setup) = solids::drawn(&stage.built, args) {
        let figure = solids::figure(setup, stage, k, solids::Fixed::default(), args)?;
        let [low, high] = figure.extremes();
        let told = format!("{} from {low:.4e} to {high:.4e} {}", figure.quantity.name, figure.quantity.unit);
        return Ok((figure.picture().map_err(|e| e.to_string())?, told));
    }
    if args.field.is_some() || (args.range.is_some() && args.colour_by.is_none()) {
        return Err("--field is for deformable solids, --range for them and for --colour-by".into());
    }
    let mut snapshot = stage.snapshot(k)?;
    let mut explored = match &args.explore {
        Some(file) => {
            let explored = Exploration::read(file)?;
            explored.check(file, &args.contact)?;
            Some((file.as_path(), explored))
        }
        None if !args.contact.is_empty() => {
            return Err(
                "--contact enlarges sets of reactions: give --explore FILE, which 'delassus explore' writes".into()
            );
        }
        None => None,
    };
    let forces = match (&args.network, &explored) {
        (Some(name), Some((file, found))) => {
            snapshot.contacts = found.network(file, name)?;
            explored = None;
            Some(args.forces.unwrap_or(ForceChoice::Auto))
        }
        _ => args.forces,
    };
    let mut head = head(args, &stage.header.title);
    head.subtitle = subtitle(stage, &snapshot, args);
    if let Some(name) = &args.network {
        head.subtitle.push_str(&format!("  ·  forces: {}", name.replace('_', " ")));
    }
    let told = format!("t = {} s, {} contacts", rounded(snapshot.time), snapshot.loaded());
    let picture = match &stage.built {
        Built::Plane(setup) => {
            let mut figure = plane::figure(setup, &snapshot, head, args, forces)?;
            figure.style.window = Some(frame::window(figure.bounds(), frame::target(setup, &snapshot, args)?, args));
            let shown = decorated((stage, k, &snapshot), &mut figure.bodies, args, None)?;
            (figure.style.traces, figure.style.legend) = (shown.traces, shown.legend);
            if let Some((file, explored)) = &explored {
                let seen = figure.bounds();
                let bodies = figure.bodies.iter().map(|b| Named { name: &b.name, role: b.role }).collect();
                let around = Surroundings { bodies, gravity: setup.model.gravity().as_slice() };
                let (mut overlay, mut places) = overlay(file, explored, &around, args)?;
                let cell = Cell::new(&setup.model, &snapshot);
                places.iter_mut().for_each(|p| _ = cell.enter(&mut p.point));
                overlay.sets.iter_mut().for_each(|set| _ = cell.enter(&mut set.at));
                let outside = places.iter().filter(|p| !seen.contains([p.point[0], p.point[1]])).count();
                if outside > 0 && args.window.is_none() && !args.quiet {
                    let file = file.display();
                    warn(&format!(
                        "{outside} contacts of {file} lie outside the picture: was it made from this scene at this time?"
                    ));
                }
                figure.overlay = overlay;
            }
            if let Some(count) = args.profile {
                figure.profile = profile(stage, k, count, args)?;
            }
            figure.picture()
        }
        Built::Space(setup) => {
            let mut figure = space::figure(setup, &snapshot, head, args, forces)?;
            figure.lens = frame::lens(frame::target(setup, &snapshot, args)?, args);
            let shown = decorated((stage, k, &snapshot), &mut figure.bodies, args, None)?;
            (figure.traces, figure.legend) = (shown.traces, shown.legend);
            if let Some((file, explored)) = &explored {
                let bodies = figure.bodies.iter().map(|b| Named { name: &b.name, role: b.role }).collect();
                let around = Surroundings { bodies, gravity: setup.model.gravity().as_slice() };
                let (overlay, places) = overlay(file, explored, &around, args)?;
                figure.places = places.iter().map(|p| (p.point, p.axes)).collect();
                figure.overlay = overlay;
            }
            figure.picture()
        }
    };
    Ok((picture.map_err(|e| e.to_string())?, told))
}

/// Lines over the bodies, and what the legend says of them and of colours.
struct Shown<const D: usize> {
    traces: Vec<Trace<D>>,
    legend: Vec<Key>,
}

/// Colours the bodies of a frame, and adds arrows and trails, as asked for. Colours go over `range`, else over what
/// the frame has.
fn decorated<const D: usize, S: Shape<D>>(
    (stage, frame, snapshot): (&Stage, usize, &Snapshot),
    bodies: &mut [Body<D, S>],
    args: &DrawArgs,
    range: Option<[f64; 2]>,
) -> Result<Shown<D>, String> {
    let mut shown = Shown { traces: paint::trails(stage, frame, bodies, args)?, legend: vec![] };
    if let Some(by) = &args.colour_by {
        let values = paint::values(by, stage, frame, snapshot, bodies)?;
        let found = || paint::spread(range.unwrap_or_else(|| paint::extremes(&values, bodies)));
        let range = args.range.unwrap_or_else(found);
        shown.legend.extend(paint::paint(&values, range, bodies));
    }
    if args.arrows {
        let (traces, legend) = paint::arrows(snapshot, bodies);
        shown.traces.extend(traces);
        shown.legend.extend(legend);
    }
    if let Some((axis, at)) = args.mirror {
        let images: Vec<_> = shown.traces.iter().map(|t| t.mirrored(axis, at)).collect();
        shown.traces.extend(images);
    }
    Ok(shown)
}

/// Four digits at most.
fn short(x: f64) -> String {
    let text = format!("{x:.4}");
    match x.abs() {
        a if a != 0.0 && !(1e-2..1e5).contains(&a) => format!("{x:.2e}"),
        a if a >= 100.0 => format!("{x:.0}"),
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

/// Name of a body, and what moves it.
#[derive(Clone, Copy)]
struct Named<'a> {
    name: &'a str,
    role: Role,
}

/// What sets of reactions are drawn among.
struct Surroundings<'a> {
    bodies: Vec<Named<'a>>,
    gravity: &'a [f64],
}

/// Sets of reactions at their contacts: on the free body where the other is fixed, else on
/// the upper one, which the lower one holds.
fn overlay(
    file: &Path,
    explored: &Exploration,
    around: &Surroundings,
    args: &DrawArgs,
) -> Result<(Overlay, Vec<Place>), String> {
    let Some(mut places) = explored.places.clone() else { return Err(bare(&file.display())) };
    let nobody = Named { name: "–", role: Role::Fixed };
    let body = |i: Option<usize>| i.and_then(|b| around.bodies.get(b).copied()).unwrap_or(nobody);
    let mut sets = vec![];
    for (k, place) in places.iter_mut().enumerate() {
        let [mut first, mut second] = place.bodies.map(body);
        let falling: f64 = around.gravity.iter().zip(place.axes[0]).map(|(g, n)| g * n).sum();
        let other = if first.role == second.role { falling > 0.0 } else { first.role == Role::Fixed };
        if other {
            std::mem::swap(&mut first, &mut second);
            place.axes = place.axes.map(|a| a.map(|x| -x));
        }
        let directions = place.axes.map(|a| [a[0], a[1]]);
        let label = format!("contact {k}, {} and {}", first.name, second.name);
        sets.push(explored.reactions(k, [place.point[0], place.point[1]], directions, label));
    }
    let cloud = if args.fan { Cloud::Fan } else { Cloud::Dots };
    Ok((Overlay { sets, insets: args.contact.clone(), cloud }, places))
}

/// Sets without bodies, the widest if none is chosen.
fn sets_alone(file: &Path, args: &DrawArgs) -> Result<Picture, String> {
    if args.explore.is_some() || args.forces.is_some() || args.profile.is_some() {
        let name = file.display();
        return Err(format!(
            "{name} holds sets of reactions alone: draw the scene with --explore {name} to see its bodies"
        ));
    }
    let explored = Exploration::read(file)?;
    explored.check(file, &args.contact)?;
    let chosen = if args.contact.is_empty() { explored.widest(9) } else { args.contact.clone() };
    if chosen.is_empty() {
        return Err(format!("{} has no contact: nothing to draw", file.display()));
    }
    let sets: Vec<_> =
        chosen.iter().map(|&k| explored.reactions(k, [0.0; 2], [[0.0; 2]; 3], format!("contact {k}"))).collect();
    let mut head = head(args, "Possible reactions");
    head.subtitle = match explored.source.is_empty() {
        true => format!("{} of {} contacts", chosen.len(), explored.contacts()),
        false => format!("{} of {} contacts of {}", chosen.len(), explored.contacts(), explored.source),
    };
    let all = Overlay { insets: (0..sets.len()).collect(), sets, cloud: Cloud::Dots };
    // Without bodies there is no common scale of forces: the bar is left out.
    let keys = all.keys(1.0).split_off(1);
    Ok(gallery(&head, &all.sets.iter().collect::<Vec<_>>(), &keys))
}

/// The profile that the run averaged over its steps, up to frame `k`, if it has one of so many slices.
fn recorded(stage: &Stage, [first, k]: [usize; 2], count: usize) -> Result<Option<Vec<Slice>>, String> {
    let Some(run) = stage.run() else { return Ok(None) };
    let times = run.times();
    // A frame has the means since the one before.
    let from = if first > 0 { times[first - 1] } else { f64::NEG_INFINITY };
    for name in flow::names(run) {
        let Some(means) = Means::new(run, &name, from, times[k]).map_err(|e| e.to_string())? else { continue };
        if means.height.len() == count && count > 1 {
            let half = 0.5 * (means.height[1] - means.height[0]);
            let slice = |(h, v): (&f64, &Option<f64>)| Slice { heights: [h - half, h + half], velocity: *v };
            return Ok(Some(means.height.iter().zip(&means.velocity).map(slice).collect()));
        }
    }
    Ok(None)
}

/// Mean velocities along x of the free bodies in slices of their height, over the frames
/// from the time asked for to frame `k`.
fn profile(stage: &Stage, k: usize, count: usize, args: &DrawArgs) -> Result<Vec<Slice>, String> {
    let Built::Plane(setup) = &stage.built else {
        return Err("--profile is for scenes of the plane".into());
    };
    let times = stage.times();
    let from = args.average_from.unwrap_or(times[k]);
    let frames: Vec<usize> = (0..=k).filter(|&i| times[i] >= from - 1e-9).collect();
    if frames.is_empty() {
        return Err(format!("--average-from {from}: the frame drawn is at {} s", times[k]));
    }
    if let Some(found) = recorded(stage, [frames[0], k], count)? {
        return Ok(found);
    }
    let mut samples = vec![];
    for i in frames {
        let snapshot = stage.snapshot(i)?;
        for b in (0..setup.model.bodies().len()).filter(|b| setup.is_free(*b) && snapshot.shows(*b)) {
            samples.push((snapshot.position[2 * b + 1], snapshot.velocity[2 * b]));
        }
    }
    let found = slices(&samples, count);
    match found.is_empty() {
        true => Err("--profile needs bodies at different heights".into()),
        false => Ok(found),
    }
}
