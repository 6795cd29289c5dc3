//! Pictures side by side: small multiples with one legend.

use crate::font::Weight;
use crate::key;
use crate::page::Head;
use crate::path::{Path, Piece, Point, Rect};
use crate::picture::{Item, Layer, Picture, Text};

/// Around the page.
const MARGIN: f64 = 18.0;

/// Pictures of one size in rows, under a common title. The legend of the first stands below all of them: they must
/// have the same.
pub fn grid(head: &Head, panels: Vec<Picture>, columns: usize) -> Picture {
    let columns = columns.max(1);
    let width = panels.iter().map(|p| p.width).fold(1.0, f64::max);
    let height = panels.iter().map(|p| p.height - p.legend.1).fold(1.0, f64::max);
    let keys = panels.first().map(|p| p.legend.0.clone()).unwrap_or_default();
    let room = width * columns as f64 - 2.0 * MARGIN;
    let legend = key::height(&keys, room);
    let rows = panels.len().div_ceil(columns);
    let top = if head.title.is_empty() { 0.0 } else { 32.0 };
    let mut page = Picture::new(
        width * columns as f64,
        top + height * rows as f64 + legend + if legend > 0.0 { MARGIN } else { 0.0 },
    );
    page.description.clone_from(&head.title);
    if !head.title.is_empty() {
        let mut title = Text::new(&head.title, [MARGIN, MARGIN + 12.0], 16.0);
        title.weight = Weight::SemiBold;
        page.layer.text(title);
    }
    for (i, panel) in panels.into_iter().enumerate() {
        let by = [(i % columns) as f64 * width, top + (i / columns) as f64 * height];
        if i == 0 && head.title.is_empty() {
            page.description.clone_from(&panel.description);
        }
        let own = panel.layer.items.into_iter().filter(|i| !matches!(i, Item::Group { name: "legend", .. }));
        page.layer.items.extend(own.map(|item| item.moved(by)));
    }
    let at = [MARGIN, top + height * rows as f64];
    page.layer.group("legend", None, key::draw(&keys, at, room));
    page
}

impl Layer {
    /// The same elsewhere on the page.
    pub fn moved(self, by: Point) -> Self {
        Self { items: self.items.into_iter().map(|i| i.moved(by)).collect() }
    }
}

impl Item {
    fn moved(self, by: Point) -> Self {
        let to = |p: Point| [p[0] + by[0], p[1] + by[1]];
        let frame = |r: Rect| Rect { min: to(r.min), max: to(r.max) };
        match self {
            Self::Path { path, fill, stroke, name } => Self::Path { path: path.moved(by), fill, stroke, name },
            Self::Dots { points, radius, fill } => {
                Self::Dots { points: points.into_iter().map(to).collect(), radius, fill }
            }
            Self::Text(text) => Self::Text(Text { at: to(text.at), ..text }),
            Self::Image { raster, at } => Self::Image { raster, at: frame(at) },
            Self::Group { name, clip, layer } => Self::Group { name, clip: clip.map(frame), layer: layer.moved(by) },
        }
    }
}

impl Path {
    fn moved(mut self, by: Point) -> Self {
        let to = |p: &mut Point| *p = [p[0] + by[0], p[1] + by[1]];
        for piece in &mut self.pieces {
            match piece {
                Piece::Move(p) | Piece::Line(p) | Piece::Circle(p, _) => to(p),
                Piece::Cubic(a, b, c) => [a, b, c].into_iter().for_each(to),
                Piece::Close => {}
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::INK;
    use crate::key::Key;

    /// Five panels in rows of two: three rows; each dot is in its own cell, the legend below all.
    #[test]
    fn panels_stand_in_rows() {
        let panel = || {
            let mut p = Picture::new(100.0, 80.0);
            p.legend = (vec![Key::Words("one".into())], 20.0);
            p.layer.dots(vec![[50.0, 30.0]], 1.0, INK);
            let mut legend = Layer::default();
            legend.text(Text::new("one", [10.0, 70.0], 10.0));
            p.layer.group("legend", None, legend);
            p
        };
        let page = grid(&Head::new(""), (0..5).map(|_| panel()).collect(), 2);
        assert_eq!((page.width, page.height), (200.0, 3.0 * 60.0 + 22.0 + MARGIN));
        let dots: Vec<Point> = page
            .layer
            .items
            .iter()
            .filter_map(|i| if let Item::Dots { points, .. } = i { Some(points[0]) } else { None })
            .collect();
        assert_eq!(dots, [[50.0, 30.0], [150.0, 30.0], [50.0, 90.0], [150.0, 90.0], [50.0, 150.0]]);
        let texts: Vec<Point> = page
            .layer
            .items
            .iter()
            .filter_map(|i| match i {
                Item::Group { layer, .. } => match &layer.items[0] {
                    Item::Text(t) => Some(t.at),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert!(texts.len() == 1 && texts[0][1] > 180.0, "{texts:?}");
    }
}
