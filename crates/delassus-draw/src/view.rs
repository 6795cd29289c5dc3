//! From the plane to the page: one scale, y up becomes y down.

use crate::path::{Point, Rect};

/// A window of the plane shown in a rectangle of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is seen of the plane; of the same proportions as `rect`.
    pub window: Rect,
    /// Where it is on the page.
    pub rect: Rect,
    /// Units of the page per unit of the plane.
    pub scale: f64,
}

impl View {
    /// Shows all of `content`, centred, and as much around it as `rect` has room for.
    pub fn fit(content: &Rect, rect: Rect) -> Self {
        let content = solid(content);
        let scale = (rect.width() / content.width()).min(rect.height() / content.height());
        let (c, w, h) = (content.centre(), rect.width() / scale, rect.height() / scale);
        Self { window: Rect::new(c[0] - 0.5 * w, c[1] - 0.5 * h, w, h), rect, scale }
    }

    /// A point of the plane on the page.
    pub fn at(&self, p: Point) -> Point {
        [
            self.rect.min[0] + (p[0] - self.window.min[0]) * self.scale,
            self.rect.max[1] - (p[1] - self.window.min[1]) * self.scale,
        ]
    }

    /// A direction of the plane on the page, without the scale.
    pub fn turn(v: Point) -> Point {
        [v[0], -v[1]]
    }
}

/// A rectangle with an area: points and segments get room around them.
pub fn solid(content: &Rect) -> Rect {
    if content.is_empty() {
        return Rect::new(-1.0, -1.0, 2.0, 2.0);
    }
    let largest = content.width().max(content.height());
    let least = if largest > 0.0 { 0.08 * largest } else { content.min[0].abs().max(content.min[1].abs()).max(1.0) };
    let mut grown = *content;
    for k in 0..2 {
        let lack = 0.5 * (least - (grown.max[k] - grown.min[k])).max(0.0);
        (grown.min[k], grown.max[k]) = (grown.min[k] - lack, grown.max[k] + lack);
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 4 × 1 in a page of 100 × 50: the scale is 25, and there is one unit of
    /// the plane to see above and below.
    #[test]
    fn fits_and_keeps_proportions() {
        let view = View::fit(&Rect::new(0.0, 0.0, 4.0, 1.0), Rect::new(10.0, 20.0, 100.0, 50.0));
        assert!((view.scale - 25.0).abs() < 1e-12);
        assert_eq!(view.at([0.0, 0.0]), [10.0, 57.5]);
        assert_eq!(view.at([4.0, 1.0]), [110.0, 32.5]);
        assert!((view.window.height() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_point_has_room() {
        let view = View::fit(&Rect { min: [3.0, 4.0], max: [3.0, 4.0] }, Rect::new(0.0, 0.0, 10.0, 10.0));
        assert_eq!(view.at([3.0, 4.0]), [5.0, 5.0]);
        assert!(view.scale.is_finite() && view.scale > 0.0);
    }
}
