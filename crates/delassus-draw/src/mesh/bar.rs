//! The colour bar.

use crate::chart::Quantity;
use crate::colour::{INK, SOFT, ramp};
use crate::label;
use crate::path::{Path, Rect};
use crate::picture::{Anchor, Layer, Stroke, Text};

/// Steps of colour.
const STEPS: usize = 64;

/// Relative range below which a field is uniform.
pub const UNIFORM: f64 = 1e-6;

/// Draws it into a column of the page.
pub fn draw(column: &Rect, quantity: &Quantity, [low, high]: [f64; 2], layer: &mut Layer) {
    // A field that is zero has no size.
    let largest = Some(low.abs().max(high.abs())).filter(|l| *l > 1e-290).unwrap_or(0.0);
    let (factor, name) = quantity.scaled(largest);
    let height = column.height().min(320.0);
    let top = column.centre()[1] - 0.5 * height;
    let bar = Rect::new(column.min[0] + 26.0, top, 16.0, height);
    for i in (0..STEPS).rev() {
        // Each goes down to the end, under the next: there is no seam.
        let below = (i + 1) as f64 * height / STEPS as f64;
        let rest = Rect::new(bar.min[0], bar.max[1] - below, 16.0, below);
        layer.fill(Path::rect(&rest), ramp((i as f64 + 0.5) / STEPS as f64));
    }
    layer.stroke(Path::rect(&bar), Stroke::new(SOFT, 0.8));
    let (a, b) = (low * factor, high * factor);
    // A uniform field has one number, not several that differ by round-off.
    let uniform = largest == 0.0 || b - a <= 1.01 * UNIFORM * a.abs().max(b.abs());
    let ticks = if uniform { vec![0.5 * (a + b)] } else { label::ticks(a, b, 6) };
    for (tick, words) in ticks.iter().zip(label::told_apart(&ticks)) {
        let y = bar.max[1] - (tick - a) / (b - a) * height;
        layer.stroke(Path::segment([bar.max[0], y], [bar.max[0] + 4.0, y]), Stroke::new(SOFT, 0.8));
        layer.text(Text::new(words, [bar.max[0] + 7.0, y + 3.4], 9.5).coloured(SOFT));
    }
    let mut title = Text::new(name, [bar.min[0] - 7.0, bar.centre()[1]], 10.5).anchored(Anchor::Middle);
    title.upright = true;
    layer.text(title.coloured(INK));
}
