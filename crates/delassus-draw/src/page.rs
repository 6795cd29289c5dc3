//! Where things are on the page: title, the drawing between its columns, the legend.

use crate::colour::SOFT;
use crate::font::Weight;
use crate::key::{self, Key};
use crate::path::{Point, Rect};
use crate::picture::{Layer, Picture, Text};
use crate::reactions::Reactions;

/// What stands above a picture, and its size.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Title; may be empty.
    pub title: String,
    /// A smaller line below; may be empty.
    pub subtitle: String,
    /// Width of the page.
    pub width: f64,
    /// Height of the page; chosen by the content if none.
    pub height: Option<f64>,
}

impl Head {
    /// A page of the usual width.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), subtitle: String::new(), width: 960.0, height: None }
    }

    fn space(&self) -> f64 {
        match (self.title.is_empty(), self.subtitle.is_empty()) {
            (true, true) => 0.0,
            (false, false) => 48.0,
            _ => 30.0,
        }
    }
}

/// Around the page.
const MARGIN: f64 = 18.0;
/// Between columns, and above the legend.
const GAP: f64 = 12.0;
/// Least height of an inset.
const INSET: f64 = 170.0;
/// Width of a column of insets.
pub const COLUMN: f64 = 240.0;

/// Widths of the columns beside the drawing, and the least height they need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Columns {
    /// At the left; 0 for none.
    pub left: f64,
    /// At the right; 0 for none.
    pub right: f64,
    /// Insets in the fuller column.
    pub rows: usize,
    /// Of an enlarged part, between the drawing and the right column; 0 for none.
    pub zoom: f64,
    /// Height that this part wants.
    pub least: f64,
}

/// A page laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The drawing.
    pub main: Rect,
    /// The column at its left.
    pub left: Rect,
    /// The enlarged part at its right.
    pub zoom: Rect,
    /// The column at its right.
    pub right: Rect,
    height: f64,
}

impl Page {
    /// For a drawing of given proportions (width over height) and a legend of some height.
    pub fn new(head: &Head, aspect: f64, columns: Columns, legend: f64) -> Self {
        let beside = |width: f64| if width > 0.0 { width + GAP } else { 0.0 };
        let x = MARGIN + beside(columns.left);
        let taken = beside(columns.left) + beside(columns.zoom) + beside(columns.right);
        let width = (head.width - 2.0 * MARGIN - taken).max(40.0);
        let top = MARGIN + head.space();
        let below = MARGIN + if legend > 0.0 { legend + GAP } else { 0.0 };
        let natural = (width / aspect).clamp(0.28 * width, 0.8 * width).max(columns.rows as f64 * INSET);
        let natural = natural.max(if columns.least > 0.0 { columns.least + 2.0 * GAP } else { 0.0 });
        let height = head.height.map_or(natural, |h| (h - top - below).max(40.0));
        let main = Rect::new(x, top, width, height);
        let left = Rect::new(MARGIN, top, columns.left, height);
        // A scale bar stands below the enlarged part.
        let zoom = Rect::new(main.max[0] + GAP, top, columns.zoom, (height - 2.0 * GAP).max(20.0));
        let right = Rect::new(main.max[0] + GAP + beside(columns.zoom), top, columns.right, height);
        Self { main, left, zoom, right, height: head.height.unwrap_or(top + height + below) }
    }

    /// The page with its title, its legend and what is drawn.
    pub fn picture(&self, head: &Head, keys: &[Key], drawn: Layer) -> Picture {
        let mut picture = Picture::new(head.width, self.height);
        picture.description = match head.subtitle.is_empty() {
            true => head.title.clone(),
            false => format!("{}, {}", head.title, head.subtitle),
        };
        let mut y = MARGIN;
        if !head.title.is_empty() {
            y += 14.0;
            let mut title = Text::new(&head.title, [MARGIN, y], 16.0);
            title.weight = Weight::SemiBold;
            picture.layer.text(title);
        }
        if !head.subtitle.is_empty() {
            let at = if head.title.is_empty() { y + 11.0 } else { y + 18.0 };
            picture.layer.text(Text::new(&head.subtitle, [MARGIN, at], 11.5).coloured(SOFT));
        }
        picture.layer.items.extend(drawn.items);
        let at = [MARGIN, self.main.max[1] + GAP];
        let height = key::height(keys, legend_width(head));
        picture.legend = (keys.to_vec(), if height > 0.0 { height + GAP } else { 0.0 });
        picture.layer.group("legend", None, key::draw(keys, at, legend_width(head)));
        picture
    }
}

/// Width of the rows of the legend.
pub fn legend_width(head: &Head) -> f64 {
    head.width - 2.0 * MARGIN
}

/// Which insets stand at the left and which at the right, from top to bottom, so that the
/// lines to their contacts do not cross: by the side of the contact, then by its height.
pub fn sides(at: &[Point], both: bool) -> [Vec<usize>; 2] {
    let mut by_x: Vec<usize> = (0..at.len()).collect();
    by_x.sort_by(|&i, &j| at[i][0].total_cmp(&at[j][0]).then(i.cmp(&j)));
    let split = if both { at.len() / 2 } else { 0 };
    let mut right = by_x.split_off(split);
    for side in [&mut by_x, &mut right] {
        side.sort_by(|&i, &j| at[i][1].total_cmp(&at[j][1]).then(i.cmp(&j)));
    }
    [by_x, right]
}

/// The rectangles of `count` insets in a column: square at most, spread over its height.
pub fn stacked(column: &Rect, count: usize) -> Vec<Rect> {
    let slot = column.height() / count.max(1) as f64;
    let height = (slot - 4.0).min(column.width());
    let y = |i: usize| column.min[1] + (i as f64 + 0.5) * slot - 0.5 * height;
    (0..count).map(|i| Rect::new(column.min[0], y(i), column.width(), height)).collect()
}

/// A picture of sets alone, in a grid: for problems whose contacts have no place.
pub fn gallery(head: &Head, sets: &[&Reactions], keys: &[Key]) -> Picture {
    let columns = match sets.len() {
        0..=1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    let rows = sets.len().div_ceil(columns).max(1);
    let legend = key::height(keys, legend_width(head));
    let page = Page::new(head, columns as f64 / rows as f64, Columns::default(), legend);
    let (w, h) = (page.main.width() / columns as f64, page.main.height() / rows as f64);
    let mut layer = Layer::default();
    for (i, set) in sets.iter().enumerate() {
        let (x, y) = ((i % columns) as f64, (i / columns) as f64);
        let cell = Rect::new(page.main.min[0] + x * w, page.main.min[1] + y * h, w - 6.0, h - 6.0);
        set.panel(&cell, &mut layer);
    }
    page.picture(head, keys, layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_do_not_overlap() {
        let head = Head { subtitle: "s".into(), ..Head::new("t") };
        let page = Page::new(&head, 2.0, Columns { left: 200.0, right: COLUMN, rows: 2, ..Columns::default() }, 22.0);
        assert!(page.left.max[0] < page.main.min[0] && page.main.max[0] < page.right.min[0]);
        assert!((page.right.max[0] - (head.width - MARGIN)).abs() < 1e-9);
        assert!(page.main.height() >= 2.0 * INSET);
        let fixed = Page::new(&Head { height: Some(500.0), ..head }, 2.0, Columns::default(), 22.0);
        assert_eq!(fixed.height, 500.0);
        assert!(fixed.main.max[1] + GAP + 22.0 + MARGIN <= 500.0 + 1e-9);
    }

    #[test]
    fn insets_go_to_the_side_of_their_contact() {
        let at = [[10.0, 5.0], [90.0, 50.0], [80.0, 7.0], [20.0, 1.0]];
        assert_eq!(sides(&at, true), [vec![3, 0], vec![2, 1]]);
        assert_eq!(sides(&at, false)[0], Vec::<usize>::new());
        assert_eq!(sides(&at, false)[1], [3, 0, 2, 1]);
        let column = Rect::new(0.0, 0.0, 240.0, 400.0);
        let two = stacked(&column, 2);
        assert!(two[0].max[1] <= two[1].min[1] && two[1].max[1] <= 400.0);
    }
}
