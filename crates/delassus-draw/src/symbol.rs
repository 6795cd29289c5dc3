//! Signs of mechanics over a scene: joints, springs, loads, supports.
//!
//! Signs have a size of the page, whatever the scale of the scene: they tell what is there, not how large it is.
//! Those of the plane are the usual ones of textbooks; in space the same ones stand at the projected points.

use crate::colour::{BLUE, Colour, FIXED, INK, WHITE};
use crate::key::Key;
use crate::label;
use crate::path::{Path, Piece, Point};
use crate::picture::{Layer, Stroke};
use crate::vector::{norm, sub};

/// Okabe and Ito's green, darker: loads.
pub const LOAD: Colour = Colour::hex(0x00_7F5C);

/// Radius of a pin.
const PIN: f64 = 4.0;
/// Half width and height of the triangle of a support.
const FOOT: [f64; 2] = [6.5, 10.0];
/// Supports and arrows on meshes nearer than this to one of their kind are left out.
const APART: f64 = 14.0;
/// Shortest and longest arrow of a load.
const ARROW: [f64; 2] = [16.0, 52.0];

/// What a spring is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rod {
    /// It pulls and pushes.
    Spring,
    /// It resists motion.
    Damper,
    /// A fixed distance.
    Stiff,
}

/// A sign at a place of the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbol<const D: usize> {
    /// A joint that turns.
    Hinge {
        /// Where.
        at: [f64; D],
        /// Its axis, in space.
        axis: Option<[f64; D]>,
        /// Held by the world.
        ground: bool,
        /// With a motor.
        driven: bool,
    },
    /// A joint that turns about every axis.
    Ball {
        /// Where.
        at: [f64; D],
        /// Held by the world.
        ground: bool,
    },
    /// A joint that slides.
    Slider {
        /// Where.
        at: [f64; D],
        /// Along which direction.
        axis: [f64; D],
        /// Held by the world.
        ground: bool,
        /// With a motor.
        driven: bool,
    },
    /// A joint that does not move.
    Weld {
        /// Where.
        at: [f64; D],
        /// Held by the world.
        ground: bool,
    },
    /// A spring, a damper or a rod between two points.
    Rod {
        /// Its ends.
        ends: [[f64; D]; 2],
        /// What it is.
        kind: Rod,
        /// Ends held by the world.
        ground: [bool; 2],
    },
    /// A force.
    Load {
        /// Where it acts.
        at: [f64; D],
        /// The force \[N\].
        force: [f64; D],
        /// The arrow ends there: it pushes.
        onto: bool,
    },
    /// A torque.
    Torque {
        /// Where it acts.
        at: [f64; D],
        /// Its axis in space; none in the plane.
        axis: Option<[f64; D]>,
        /// Along the axis; in the plane against the clock \[N·m\].
        moment: f64,
    },
    /// A node that is held.
    Support {
        /// Where.
        at: [f64; D],
        /// From which side.
        side: [f64; D],
        /// In every direction, not in one.
        full: bool,
        /// Its displacement is imposed.
        moved: bool,
    },
}

/// Signs on the page: `at` places a point, `turn` a direction, y down.
pub(crate) struct Signs<'a, const D: usize> {
    pub symbols: &'a [Symbol<D>],
    pub at: &'a dyn Fn([f64; D]) -> Point,
    pub turn: &'a dyn Fn([f64; D]) -> Point,
    /// Magnitude of the longest arrow \[N\]; that of these loads if none.
    pub reference: Option<f64>,
}

impl<const D: usize> Signs<'_, D> {
    /// Draws them.
    pub fn draw(&self) -> Layer {
        let mut layer = Layer::default();
        let longest = self.reference.unwrap_or_else(|| largest(self.symbols));
        let mut taken: Vec<(Point, Point)> = vec![];
        // Rods lie below joints, arrows above them.
        for pass in 0..3 {
            for symbol in self.symbols.iter().filter(|s| s.pass() == pass) {
                if let Some(here) = self.spot(symbol) {
                    let near = |(p, d): &(Point, Point)| {
                        norm(sub(*p, here.0)) < APART && p != &here.0 && d[0] * here.1[0] + d[1] * here.1[1] > 0.9
                    };
                    if taken.iter().any(near) {
                        continue;
                    }
                    taken.push(here);
                }
                self.sign(symbol, longest, &mut layer);
            }
        }
        layer
    }

    /// Where a sign that may be one of a crowd stands, and its direction.
    fn spot(&self, symbol: &Symbol<D>) -> Option<(Point, Point)> {
        match symbol {
            Symbol::Support { at, side, .. } => Some(((self.at)(*at), unit((self.turn)(*side)))),
            Symbol::Load { at, force, .. } => Some(((self.at)(*at), unit((self.turn)(*force)))),
            _ => None,
        }
    }

    fn sign(&self, symbol: &Symbol<D>, longest: f64, layer: &mut Layer) {
        match symbol {
            Symbol::Hinge { at, axis, ground, driven } => {
                let p = (self.at)(*at);
                if let Some(axis) = axis {
                    through(p, (self.turn)(*axis), layer);
                }
                if *ground {
                    foot(p, [0.0, 1.0], layer);
                }
                pin(p, WHITE, layer);
                if *driven {
                    turning(p, 9.5, 1.0, INK, layer);
                }
            }
            Symbol::Ball { at, ground } => {
                let p = (self.at)(*at);
                if *ground {
                    foot(p, [0.0, 1.0], layer);
                }
                pin(p, INK, layer);
            }
            Symbol::Slider { at, axis, ground, driven } => {
                slider((self.at)(*at), unit((self.turn)(*axis)), [*ground, *driven], layer);
            }
            Symbol::Weld { at, ground } => weld((self.at)(*at), *ground, layer),
            Symbol::Rod { ends, kind, ground } => rod(ends.map(|e| (self.at)(e)), *kind, *ground, layer),
            Symbol::Load { at, force, onto } => {
                let share = if longest > 0.0 { norm(*force) / longest } else { 0.0 };
                let length = ARROW[0] + (ARROW[1] - ARROW[0]) * share.min(1.0);
                let d = (self.turn)(*force);
                // In space an arrow that points at the eye is short.
                let seen = norm(d) / norm(*force).max(f64::MIN_POSITIVE);
                let (length, d) = (length * seen.max(0.2), unit(d));
                let from = off((self.at)(*at), d, if *onto { -length } else { 0.0 }, 0.0);
                arrow(from, d, length, LOAD, layer);
            }
            Symbol::Torque { at, axis: None, moment } => turning((self.at)(*at), 14.0, -moment.signum(), LOAD, layer),
            Symbol::Torque { at, axis: Some(axis), moment } => {
                let (p, d) = ((self.at)(*at), unit((self.turn)(axis.map(|x| x * moment.signum()))));
                arrow(p, d, 34.0, LOAD, layer);
                arrow(p, d, 27.0, LOAD, layer);
            }
            Symbol::Support { at, side, full, moved } => {
                held((self.at)(*at), unit((self.turn)(*side)), *full, *moved, layer);
            }
        }
    }
}

impl<const D: usize> Symbol<D> {
    fn pass(&self) -> usize {
        match self {
            Self::Rod { .. } | Self::Support { .. } => 0,
            Self::Load { .. } | Self::Torque { .. } => 2,
            _ => 1,
        }
    }

    /// Its places, for what must be seen.
    pub(crate) fn places(&self) -> Vec<[f64; D]> {
        match self {
            Self::Rod { ends, .. } => ends.to_vec(),
            Self::Hinge { at, .. } | Self::Ball { at, .. } | Self::Slider { at, .. } | Self::Weld { at, .. } => {
                vec![*at]
            }
            // On bodies and solids, which are seen.
            Self::Load { .. } | Self::Torque { .. } | Self::Support { .. } => vec![],
        }
    }

    /// Its entry in the legend, in the order in which entries stand.
    fn entry(&self) -> (usize, &'static str, Symbol<2>) {
        let (at, axis) = ([8.0, 0.0], [1.0, 0.0]);
        let rod = |kind| Symbol::Rod { ends: [[3.0, 0.0], [30.0, 0.0]], kind, ground: [false; 2] };
        match self {
            Self::Hinge { driven: false, .. } => (0, "hinge", hinge(at, false)),
            Self::Hinge { .. } => (1, "driven hinge", hinge([10.0, 0.0], true)),
            Self::Ball { .. } => (2, "ball joint", Symbol::Ball { at, ground: false }),
            Self::Slider { driven, .. } => {
                let name = if *driven { "driven slider" } else { "slider" };
                (
                    3 + usize::from(*driven),
                    name,
                    Symbol::Slider { at: [15.0, 0.0], axis, ground: false, driven: *driven },
                )
            }
            Self::Weld { .. } => (5, "fixed joint", Symbol::Weld { at, ground: false }),
            Self::Rod { kind: Rod::Stiff, .. } => (6, "rod", rod(Rod::Stiff)),
            Self::Rod { kind: Rod::Spring, .. } => (7, "spring", rod(Rod::Spring)),
            Self::Rod { kind: Rod::Damper, .. } => (8, "damper", rod(Rod::Damper)),
            Self::Support { moved: true, full, .. } => {
                (9, "moved", Symbol::Support { at: [8.0, -6.0], side: [0.0, 1.0], full: *full, moved: true })
            }
            Self::Support { full, .. } => {
                let sign = Symbol::Support { at: [8.0, -6.0], side: [0.0, 1.0], full: *full, moved: false };
                if *full { (10, "held", sign) } else { (11, "held across", sign) }
            }
            Self::Load { .. } => (12, "load", Symbol::Load { at: [0.0, 0.0], force: axis, onto: false }),
            Self::Torque { .. } => (13, "torque", Symbol::Torque { at: [10.0, 0.0], axis: None, moment: 1.0 }),
        }
    }
}

impl Symbol<2> {
    /// Its width in the legend.
    pub(crate) fn width(&self) -> f64 {
        match self {
            Self::Rod { .. } | Self::Slider { .. } => 30.0,
            Self::Load { .. } => 26.0,
            Self::Torque { .. } | Self::Hinge { driven: true, .. } => 20.0,
            _ => 16.0,
        }
    }
}

fn hinge(at: Point, driven: bool) -> Symbol<2> {
    Symbol::Hinge { at, axis: None, ground: false, driven }
}

/// The largest force.
fn largest<const D: usize>(symbols: &[Symbol<D>]) -> f64 {
    let force = |s: &Symbol<D>| if let Symbol::Load { force, .. } = s { norm(*force) } else { 0.0 };
    symbols.iter().map(force).fold(0.0, f64::max)
}

/// Room on the page around a solid for signs that stand outside of it.
pub(crate) fn room<const D: usize>(symbols: &[Symbol<D>]) -> f64 {
    let one = |s: &Symbol<D>| match s {
        Symbol::Load { onto: true, .. } => ARROW[1],
        Symbol::Support { .. } => 14.0,
        _ => 0.0,
    };
    symbols.iter().map(one).fold(0.0, f64::max)
}

/// Entries of the legend: one for each kind of sign, the largest load and torque in figures.
pub(crate) fn keys<const D: usize>(symbols: &[Symbol<D>], reference: Option<f64>) -> Vec<Key> {
    let mut found: Vec<(usize, &'static str, Symbol<2>)> = vec![];
    for symbol in symbols {
        let entry = symbol.entry();
        if found.iter().all(|e| e.0 != entry.0) {
            found.push(entry);
        }
    }
    found.sort_by_key(|e| e.0);
    let moment = |s: &Symbol<D>| if let Symbol::Torque { moment, .. } = s { moment.abs() } else { 0.0 };
    let twist = symbols.iter().map(moment).fold(0.0, f64::max);
    let key = |(_, name, sign): (usize, &str, Symbol<2>)| {
        let text = match &sign {
            Symbol::Load { .. } => {
                format!("{name}, longest {}", label::force(reference.unwrap_or_else(|| largest(symbols))))
            }
            Symbol::Torque { .. } => format!("{name}, largest {} N·m", label::number(twist, 3)),
            _ => name.to_owned(),
        };
        Key::Sign(Box::new(sign), text)
    };
    found.into_iter().map(key).collect()
}

/// Draws one sign of the legend from its left end.
pub(crate) fn draw_one(symbol: &Symbol<2>, [x, y]: Point, layer: &mut Layer) {
    match symbol {
        Symbol::Load { .. } => return arrow([x, y], [1.0, 0.0], 26.0, LOAD, layer),
        Symbol::Torque { .. } => return turning([x + 10.0, y], 8.0, -1.0, LOAD, layer),
        _ => {}
    }
    let place = |p: [f64; 2]| [x + p[0], y + p[1]];
    let signs = Signs { symbols: std::slice::from_ref(symbol), at: &place, turn: &|v| v, reference: Some(1.0) };
    layer.items.extend(signs.draw().items);
}

fn unit(v: Point) -> Point {
    let length = v[0].hypot(v[1]);
    if length > 1e-12 { [v[0] / length, v[1] / length] } else { [0.0, 1.0] }
}

/// `p + s d + t d⟂`.
fn off(p: Point, d: Point, s: f64, t: f64) -> Point {
    [p[0] + s * d[0] - t * d[1], p[1] + s * d[1] + t * d[0]]
}

fn ink(width: f64) -> Stroke {
    Stroke::new(INK, width)
}

fn pin(p: Point, inside: Colour, layer: &mut Layer) {
    layer.outlined(Path::circle(p, PIN), inside, ink(1.5));
}

/// The axis of a hinge in space.
fn through(p: Point, axis: Point, layer: &mut Layer) {
    let length = 13.0 * axis[0].hypot(axis[1]);
    if length > PIN {
        let d = unit(axis);
        layer.stroke(Path::segment(off(p, d, -length, 0.0), off(p, d, length, 0.0)), ink(1.1));
    }
}

/// A line with strokes behind it, across `d`, which points away from what it holds.
fn hatched(p: Point, d: Point, half: f64, layer: &mut Layer) {
    let mut path = Path::segment(off(p, d, 0.0, -half), off(p, d, 0.0, half));
    let count = (half / 2.0).round().max(2.0) as i32;
    for k in 0..count {
        let t = -half + (f64::from(k) + 0.8) * 2.0 * half / f64::from(count);
        path.extend(Path::segment(off(p, d, 0.0, t), off(p, d, 3.6, t - 3.0)));
    }
    layer.stroke(path, ink(1.0));
}

/// A triangle on the ground.
fn foot(p: Point, d: Point, layer: &mut Layer) {
    let base = [off(p, d, FOOT[1], -FOOT[0]), off(p, d, FOOT[1], FOOT[0])];
    layer.outlined(Path::polygon(&[p, base[0], base[1]]), WHITE, ink(1.2));
    hatched(off(p, d, FOOT[1], 0.0), d, 9.5, layer);
}

/// A block between two rails; `[ground, driven]`.
fn slider(p: Point, d: Point, [ground, driven]: [bool; 2], layer: &mut Layer) {
    for side in [-1.0, 1.0] {
        layer.stroke(Path::segment(off(p, d, -15.0, 6.0 * side), off(p, d, 15.0, 6.0 * side)), ink(1.4));
    }
    if ground {
        // The rail that is lower on the page stands on the ground.
        let side = if d[0] >= 0.0 { 1.0 } else { -1.0 };
        let down = [-d[1] * side, d[0] * side];
        hatched(off(p, d, 0.0, 6.0 * side), down, 15.0, layer);
    }
    let corner = |s: f64, t: f64| off(p, d, 8.0 * s, 4.0 * t);
    let block = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    layer.outlined(Path::polygon(&block), WHITE, ink(1.2));
    if driven {
        arrow(off(p, d, -7.0, 0.0), d, 14.0, INK, layer);
    } else {
        layer.fill(Path::circle(p, 1.4), INK);
    }
}

fn weld(p: Point, ground: bool, layer: &mut Layer) {
    if ground {
        hatched([p[0], p[1] + 4.0], [0.0, 1.0], 9.5, layer);
    }
    let r = 4.0;
    let corners = [[p[0] - r, p[1] - r], [p[0] + r, p[1] - r], [p[0] + r, p[1] + r], [p[0] - r, p[1] + r]];
    layer.outlined(Path::polygon(&corners), INK, Stroke::new(WHITE, 0.8));
}

/// A rod, a spring or a damper on the page.
fn rod(ends: [Point; 2], kind: Rod, ground: [bool; 2], layer: &mut Layer) {
    let [a, b] = ends;
    let (length, d) = (norm(sub(b, a)), unit(sub(b, a)));
    for (end, away, held) in [(a, [-d[0], -d[1]], ground[0]), (b, d, ground[1])] {
        if held {
            hatched(end, away, 8.0, layer);
        }
    }
    let at = |s: f64, t: f64| off(a, d, s, t);
    let mut path = Path::default();
    let mut line = |points: &[Point]| path.extend(Path::polyline(points));
    match kind {
        Rod::Spring if length > 12.0 => {
            let lead = (0.16 * length).min(14.0);
            let turns = ((length - 2.0 * lead) / 7.0).round().clamp(3.0, 14.0);
            let step = (length - 2.0 * lead) / turns;
            let mut points = vec![at(0.0, 0.0), at(lead, 0.0)];
            for k in 0..turns as usize {
                let s = lead + k as f64 * step;
                points.extend([at(s + 0.25 * step, 5.0), at(s + 0.75 * step, -5.0)]);
            }
            points.extend([at(length - lead, 0.0), at(length, 0.0)]);
            line(&points);
        }
        Rod::Damper if length > 12.0 => {
            let m = 0.5 * length;
            line(&[at(0.0, 0.0), at(m - 6.0, 0.0)]);
            line(&[at(m + 6.0, -5.0), at(m - 6.0, -5.0), at(m - 6.0, 5.0), at(m + 6.0, 5.0)]);
            line(&[at(m + 1.0, -3.6), at(m + 1.0, 3.6)]);
            line(&[at(m + 1.0, 0.0), at(length, 0.0)]);
        }
        _ => line(&[a, b]),
    }
    let width = if kind == Rod::Stiff { 2.2 } else { 1.3 };
    layer.stroke(path.clone(), Stroke::new(WHITE, width + 2.0).faded(0.7));
    layer.stroke(path, ink(width));
    for (end, held) in [(a, ground[0]), (b, ground[1])] {
        if !held {
            layer.outlined(Path::circle(end, 2.2), WHITE, ink(1.1));
        }
    }
}

/// An arrow from a point.
fn arrow(from: Point, d: Point, length: f64, colour: Colour, layer: &mut Layer) {
    let head = (0.4 * length).min(9.0);
    let tip = off(from, d, length, 0.0);
    let shaft = Path::segment(from, off(tip, d, -0.8 * head, 0.0));
    layer.stroke(shaft.clone(), Stroke::new(WHITE, 4.0).faded(0.7));
    layer.stroke(shaft, Stroke::new(colour, 2.0));
    let wings = [tip, off(tip, d, -head, 0.45 * head), off(tip, d, -head, -0.45 * head)];
    layer.fill(Path::polygon(&wings), colour);
}

/// Three quarters of a circle with a head; `sense` 1 is with the clock on the page.
fn turning(p: Point, radius: f64, sense: f64, colour: Colour, layer: &mut Layer) {
    let angle = |k: f64| sense * (k * 1.5 * std::f64::consts::PI - 2.2);
    let point = |k: f64| [p[0] + radius * angle(k).cos(), p[1] + radius * angle(k).sin()];
    let points: Vec<Point> = (0..=24).map(|k| point(f64::from(k) / 24.0)).collect();
    layer.stroke(Path::polyline(&points), Stroke::new(colour, 1.5));
    let (tip, a) = (points[24], angle(1.0));
    let d = [-a.sin() * sense, a.cos() * sense];
    let wings = [off(tip, d, 4.5, 0.0), off(tip, d, -2.5, 3.4), off(tip, d, -2.5, -3.4)];
    layer.fill(Path::polygon(&wings), colour);
}

/// The triangle of a node that is held: on the ground, on rollers, or moved.
fn held(p: Point, d: Point, full: bool, moved: bool, layer: &mut Layer) {
    let size = [4.6, 8.0];
    let colour = if moved { BLUE } else { INK };
    let base = [off(p, d, size[1], -size[0]), off(p, d, size[1], size[0])];
    let inside = if full { FIXED } else { WHITE };
    layer.outlined(Path::polygon(&[p, base[0], base[1]]), inside, Stroke::new(colour, 1.0));
    let beyond = if full { size[1] } else { size[1] + 2.4 };
    let mut path = Path::segment(off(p, d, beyond, -6.5), off(p, d, beyond, 6.5));
    if full {
        for t in [-4.5, -1.0, 2.5, 6.0] {
            path.pieces.extend([Piece::Move(off(p, d, beyond, t)), Piece::Line(off(p, d, beyond + 2.8, t - 2.4))]);
        }
    }
    layer.stroke(path, Stroke::new(colour, 0.9));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Item;

    fn drawn(symbols: &[Symbol<2>]) -> Layer {
        Signs { symbols, at: &|p| p, turn: &|v| v, reference: None }.draw()
    }

    /// Half the force, half of what an arrow has beyond its least length.
    #[test]
    fn arrows_are_as_long_as_their_forces() {
        let load = |x: f64, f: f64| Symbol::Load { at: [x, 0.0], force: [f, 0.0], onto: false };
        let layer = drawn(&[load(0.0, 10.0), load(300.0, 5.0)]);
        let tips: Vec<f64> = layer
            .items
            .iter()
            .filter_map(|i| match i {
                Item::Path { path, fill: Some(_), .. } => Some(path.bounds().max[0]),
                _ => None,
            })
            .collect();
        assert_eq!(tips, [ARROW[1], 300.0 + 0.5 * (ARROW[0] + ARROW[1])]);
    }

    /// A crowd of supports is thinned, each kind has one entry of the legend.
    #[test]
    fn crowds_are_thinned_and_named_once() {
        let node = |k: i32| Symbol::Support { at: [f64::from(k), 0.0], side: [0.0, 1.0], full: true, moved: false };
        let many: Vec<Symbol<2>> = (0..100).map(node).collect();
        let one = drawn(&many[..1]).items.len();
        assert_eq!(drawn(&many).items.len(), one * (1 + 99 / APART as usize));
        assert_eq!(keys(&many, None).len(), 1);
        assert!(matches!(&keys(&many, None)[0], Key::Sign(_, text) if text == "held"));
    }

    /// A spring of the page goes from end to end, and is as wide as its coils.
    #[test]
    fn springs_reach_their_ends() {
        let spring = Symbol::Rod { ends: [[10.0, 50.0], [110.0, 50.0]], kind: Rod::Spring, ground: [false; 2] };
        let layer = drawn(&[spring]);
        let Item::Path { path, .. } = &layer.items[1] else { panic!("the line") };
        let bounds = path.bounds();
        assert_eq!([bounds.min, bounds.max], [[10.0, 45.0], [110.0, 55.0]]);
    }
}
