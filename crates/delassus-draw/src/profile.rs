//! The profile of velocities beside a flow: means over slices of its height.

use crate::axes::Axes;
use crate::colour::{BLUE, WHITE};
use crate::font::Weight;
use crate::path::{Path, Point, Rect};
use crate::picture::{Fill, Layer, Stroke, Text};
use crate::view::View;

/// Mean velocity in one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Lower and upper height \[m\].
    pub heights: [f64; 2],
    /// Mean velocity \[m/s\]; none where no grain has its centre in the slice.
    pub velocity: Option<f64>,
}

/// Means of `(height, velocity)` over `count` equal slices between the lowest and the
/// highest. Heights that are not numbers are left out.
pub fn slices(samples: &[(f64, f64)], count: usize) -> Vec<Slice> {
    let good = |s: &&(f64, f64)| s.0.is_finite() && s.1.is_finite();
    let low = samples.iter().filter(good).map(|s| s.0).fold(f64::INFINITY, f64::min);
    let high = samples.iter().filter(good).map(|s| s.0).fold(f64::NEG_INFINITY, f64::max);
    if !(high > low) || count == 0 {
        return vec![];
    }
    let thickness = (high - low) / count as f64;
    let mut sums = vec![(0.0, 0usize); count];
    for (height, velocity) in samples.iter().filter(good) {
        let i = (((height - low) / thickness) as usize).min(count - 1);
        sums[i].0 += velocity;
        sums[i].1 += 1;
    }
    let slice = |(i, (sum, n)): (usize, &(f64, usize))| Slice {
        heights: [low + i as f64 * thickness, low + (i + 1) as f64 * thickness],
        velocity: (*n > 0).then(|| sum / *n as f64),
    };
    sums.iter().enumerate().map(slice).collect()
}

/// Draws it in a column left of the flow, at the heights of the flow.
pub fn draw(slices: &[Slice], view: &View, column: &Rect, layer: &mut Layer) {
    let known: Vec<(f64, &Slice)> = slices.iter().filter_map(|s| s.velocity.map(|v| (v, s))).collect();
    let (Some(first), Some(last)) = (slices.first(), slices.last()) else { return };
    let low = known.iter().map(|k| k.0).fold(0.0, f64::min);
    let high = known.iter().map(|k| k.0).fold(0.0, f64::max);
    let room = 0.06 * (high - low).max(1e-12);
    let (top, bottom) = (view.at([0.0, last.heights[1]])[1], view.at([0.0, first.heights[0]])[1]);
    let [left, _, right, _] = Axes::MARGINS;
    let rect = Rect { min: [column.min[0] + left, top], max: [column.max[0] - right, bottom] };
    let min = [if low < 0.0 { low - room } else { 0.0 }, first.heights[0]];
    let axes = Axes::linear(rect, Rect { min, max: [high + room, last.heights[1]] });
    axes.draw("mean velocity [m/s]", "height [m]", layer);
    let mut line: Vec<Point> = vec![];
    for (velocity, slice) in &known {
        let [lower, upper] = slice.heights.map(|h| axes.at([0.0, h])[1]);
        let (zero, end) = (axes.at([0.0, 0.0])[0], axes.at([*velocity, 0.0])[0]);
        let bar = Rect { min: [zero.min(end), upper + 0.5], max: [zero.max(end), lower - 0.5] };
        layer.fill(Path::rect(&bar), Fill { colour: BLUE, opacity: 0.18 });
        line.push([end, 0.5 * (lower + upper)]);
    }
    layer.stroke(Path::polyline(&line), Stroke::new(BLUE, 1.4));
    for p in line {
        layer.outlined(Path::circle(p, 2.4), WHITE, Stroke::new(BLUE, 1.2));
    }
    let mut title = Text::new("velocity profile", [rect.min[0], top - 8.0], 11.0);
    title.weight = Weight::SemiBold;
    layer.text(title);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// v = 2 y on a uniform column: the means are those of the middles, 2 y_mid.
    #[test]
    fn linear_profile_has_the_velocity_of_the_middle() {
        let samples: Vec<(f64, f64)> = (0..=1200).map(|i| f64::from(i) / 1200.0).map(|y| (y, 2.0 * y)).collect();
        let found = slices(&samples, 12);
        assert_eq!(found.len(), 12);
        for slice in &found {
            let middle = 0.5 * (slice.heights[0] + slice.heights[1]);
            // A hundred points in a slice: half a spacing, 1/2400, either way.
            assert!((slice.velocity.unwrap() - 2.0 * middle).abs() < 2.0 / 2400.0 + 1e-12);
        }
    }

    #[test]
    fn an_empty_slice_has_no_velocity() {
        let found = slices(&[(0.0, 1.0), (1.0, 2.0), (f64::NAN, 7.0)], 3);
        assert_eq!(found.iter().map(|s| s.velocity).collect::<Vec<_>>(), [Some(1.0), None, Some(2.0)]);
        assert!(slices(&[(1.0, 1.0)], 4).is_empty());
    }
}
