//! Lines of force: their width is the magnitude.

use crate::colour::{BLUE, Colour, INK, VERMILLION, WHITE};
use crate::key::Key;
use crate::label;
use crate::path::{Path, Point};
use crate::picture::{Layer, Stroke};

/// How forces are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forces {
    /// From centre to centre through the contact, the width is the magnitude: the network
    /// that carries an assembly of grains.
    #[default]
    Network,
    /// A segment along the force through the contact, its length is the magnitude.
    Lines,
}

/// State of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Without force.
    Open,
    /// Inside its cone.
    Sticking,
    /// On the edge of its cone, with a relative velocity.
    Slipping,
}

impl Status {
    /// Its colour; in grey, slipping contacts have an open dot.
    pub fn colour(self) -> Colour {
        match self {
            Self::Open | Self::Sticking => BLUE,
            Self::Slipping => VERMILLION,
        }
    }
}

/// One force on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where the bodies touch.
    pub contact: Point,
    /// The line that carries it, through the contact.
    pub points: Vec<Point>,
    /// Its magnitude \[N\].
    pub magnitude: f64,
    /// State of the contact.
    pub status: Status,
    /// 1 is opaque.
    pub opacity: f64,
}

/// What magnitudes become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Widths {
    /// Magnitude of the full width \[N\].
    pub reference: f64,
    /// The full width.
    pub full: f64,
}

/// Thinnest line that is still seen.
const THIN: f64 = 0.3;
/// Below this part of the reference nothing is drawn: it would be dust.
const NEGLIGIBLE: f64 = 1e-6;

impl Widths {
    /// Width of a line.
    pub fn of(&self, magnitude: f64) -> f64 {
        // Forces far above the reference would cover the picture.
        (self.full * magnitude / self.reference).clamp(THIN, 2.0 * self.full)
    }

    /// The reference of some magnitudes: nearly the largest, so that one shock does not
    /// hide the others.
    pub fn reference(magnitudes: impl Iterator<Item = f64>) -> f64 {
        let mut all: Vec<f64> = magnitudes.filter(|m| m.is_finite() && *m > 0.0).collect();
        all.sort_by(f64::total_cmp);
        match all.len() {
            0 => 1.0,
            n => all[((n - 1) as f64 * 0.99).round() as usize],
        }
    }
}

/// Entries of the legend: two magnitudes, the states that occur. `length` is that of the
/// line of the reference, where lengths are magnitudes.
pub fn keys(states: &[Status], widths: &Widths, length: Option<f64>) -> Vec<Key> {
    let any = |status: Status| states.contains(&status);
    if !any(Status::Sticking) && !any(Status::Slipping) {
        return vec![Key::Words("no contact force".into())];
    }
    let colour = if any(Status::Sticking) { BLUE } else { VERMILLION };
    let large = label::round_down(widths.reference);
    let mut keys = vec![Key::Words("contact force".into())];
    for f in [large, label::round_down(large / 4.0)] {
        let long = length.map_or(26.0, |l| l * f / widths.reference);
        keys.push(Key::Line(Stroke::new(colour, widths.of(f)), long, label::force(f)));
    }
    if any(Status::Slipping) {
        if any(Status::Sticking) {
            keys.push(Key::Dot { colour: INK, full: true, text: "sticking".into() });
        }
        keys.push(Key::Dot { colour: VERMILLION, full: false, text: "slipping".into() });
    }
    keys
}

/// Draws lines, small forces first, and a dot at each contact.
pub fn draw(lines: &[Line], widths: &Widths, dots: f64) -> Layer {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&i, &j| lines[i].magnitude.total_cmp(&lines[j].magnitude).then(i.cmp(&j)));
    let mut layer = Layer::default();
    let strong = |line: &&Line| line.magnitude > NEGLIGIBLE * widths.reference;
    for line in order.iter().map(|&i| &lines[i]).filter(strong) {
        let stroke = Stroke::new(line.status.colour(), widths.of(line.magnitude)).faded(0.85 * line.opacity);
        layer.stroke(Path::polyline(&line.points), stroke);
    }
    let at = |status: Status| lines.iter().filter(strong).filter(move |l| l.status == status).map(|l| l.contact);
    layer.dots(at(Status::Sticking).collect(), dots, INK);
    layer.dots(at(Status::Slipping).collect(), dots, VERMILLION);
    layer.dots(at(Status::Slipping).collect(), 0.6 * dots, WHITE);
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_is_proportional_until_it_covers_the_picture() {
        let widths = Widths { reference: 10.0, full: 6.0 };
        assert_eq!(widths.of(5.0), 3.0);
        assert_eq!(widths.of(1e-9), THIN);
        assert_eq!(widths.of(1e9), 12.0);
    }

    /// One shock among a hundred contacts does not set the scale.
    #[test]
    fn reference_is_nearly_the_largest() {
        let many = (0..200).map(|i| if i == 7 { 1e6 } else { 1.0 });
        assert_eq!(Widths::reference(many), 1.0);
        assert_eq!(Widths::reference([3.0, 4.0].into_iter()), 4.0);
        assert_eq!(Widths::reference([f64::NAN, 0.0].into_iter()), 1.0);
    }
}
