//! Lines over a scene: where bodies came from, where they go.

use crate::mirror::Mirror;
use crate::path::{Path, Piece, Point};
use crate::picture::{Layer, Stroke};

/// Length of an arrow's head on the page, and half its width.
const HEAD: [f64; 2] = [5.0, 2.6];

/// A line through points of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace<const D: usize> {
    /// Its points.
    pub points: Vec<[f64; D]>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Whether its end has a head.
    pub arrow: bool,
}

impl<const D: usize> Trace<D> {
    /// Its image in a plane across an axis.
    #[must_use]
    pub fn mirrored(&self, axis: usize, at: f64) -> Self {
        let mirror = Mirror { axis, at };
        Self { points: self.points.iter().map(|p| mirror.point(*p)).collect(), ..self.clone() }
    }

    /// On the page.
    pub(crate) fn draw(&self, at: impl Fn([f64; D]) -> Point, layer: &mut Layer) {
        let points: Vec<Point> = self.points.iter().map(|p| at(*p)).collect();
        let mut path = Path::default();
        for (i, p) in points.iter().enumerate() {
            path.pieces.push(if i == 0 { Piece::Move(*p) } else { Piece::Line(*p) });
        }
        if let ([.., before, end], true) = (points.as_slice(), self.arrow) {
            let (x, y) = (end[0] - before[0], end[1] - before[1]);
            let length = x.hypot(y);
            if length > 0.0 {
                let (c, s) = (x / length, y / length);
                let side = |w: f64| [end[0] - HEAD[0] * c - w * s, end[1] - HEAD[0] * s + w * c];
                path.pieces.extend([Piece::Move(side(HEAD[1])), Piece::Line(*end), Piece::Line(side(-HEAD[1]))]);
            }
        }
        if points.len() > 1 {
            layer.stroke(path, self.stroke.clone());
        }
    }
}
