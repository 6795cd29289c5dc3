//! A scene of the plane while it is put on the page.

use super::body::{self, Role};
use super::figure::{Contact, Figure};
use crate::Error;
use crate::colour::{FAINT, INK, SOFT, WHITE};
use crate::force::{self, Forces, Line, Status, Widths};
use crate::key::{self, Key};
use crate::label;
use crate::overlay;
use crate::page::{self, Columns, Page};
use crate::path::{Path, Point, Rect};
use crate::picture::{Layer, Picture, Stroke, Text};
use crate::profile;
use crate::reactions::Reactions;
use crate::view::View;

/// Width of the column of the profile.
const PROFILE: f64 = 190.0;
/// Part of the page that an enlarged part takes.
const ZOOM: f64 = 0.4;
/// Limits of the full width of a force.
const FULL: (f64, f64) = (1.6, 14.0);

/// What is computed once.
pub struct Draft<'a> {
    figure: &'a Figure,
    bounds: Rect,
    /// Typical radius of a body \[m\].
    typical: f64,
    /// Magnitude of the full width \[N\].
    reference: f64,
    /// Scale of the enlarged part, once the page is laid out.
    magnified: Option<f64>,
}

impl<'a> Draft<'a> {
    /// Of a figure in a window.
    pub fn new(figure: &'a Figure, bounds: Rect) -> Self {
        let found = || Widths::reference(figure.contacts.iter().map(|c| c.force[0].hypot(c.force[1])));
        Self {
            figure,
            bounds,
            typical: figure.typical_radius().unwrap_or(0.05 * bounds.width()),
            reference: figure.style.reference.unwrap_or_else(found),
            magnified: None,
        }
    }

    /// The page.
    pub fn picture(mut self) -> Result<Picture, Error> {
        let head = &self.figure.head;
        let aspect = self.bounds.width() / self.bounds.height();
        let columns = self.columns();
        let mut page = Page::new(head, aspect, columns, 0.0);
        // The legend depends on the scale, the scale on the room the legend leaves.
        for _ in 0..2 {
            let view = View::fit(&self.bounds, page.main);
            self.magnified = self.zoom(&page).map(|zoom| zoom.scale);
            let legend = key::height(&self.keys(&view), page::legend_width(head));
            page = Page::new(head, aspect, columns, legend);
        }
        let view = View::fit(&self.bounds, page.main);
        let zoom = self.zoom(&page);
        self.magnified = zoom.map(|zoom| zoom.scale);
        let mut drawn = Layer::default();
        drawn.group("scene", Some(view.rect), self.scene(&view, zoom.is_none()));
        if !self.figure.profile.is_empty() {
            profile::draw(&self.figure.profile, &view, &page.left, &mut drawn);
        }
        let shown = match zoom {
            Some(zoom) => {
                self.enlarge(&view, &zoom, &mut drawn);
                zoom
            }
            None => view,
        };
        let chosen: Vec<&Reactions> = self.figure.overlay.chosen().collect();
        let at: Vec<Point> = chosen.iter().map(|set| shown.at(set.at)).collect();
        overlay::insets(&chosen, &at, &page, &mut drawn);
        Ok(page.picture(head, &self.keys(&view), drawn))
    }

    fn columns(&self) -> Columns {
        let profile = if self.figure.profile.is_empty() { 0.0 } else { PROFILE };
        let mut columns = overlay::columns(self.figure.overlay.insets.len(), profile);
        if let Some(zoom) = self.figure.style.zoom {
            columns.zoom = ZOOM * self.figure.head.width;
            columns.least = (columns.zoom * zoom.height() / zoom.width()).min(columns.zoom);
        }
        columns
    }

    /// The enlarged part, in the middle of its column.
    fn zoom(&self, page: &Page) -> Option<View> {
        let window = self.figure.style.zoom?;
        let column = page.zoom;
        let scale = (column.width() / window.width()).min(column.height() / window.height());
        let (w, h) = (scale * window.width(), scale * window.height());
        let rect = Rect::new(column.min[0] + 0.5 * (column.width() - w), column.centre()[1] - 0.5 * h, w, h);
        Some(View { window, rect, scale })
    }

    /// A part of the scene again, in a frame, with lines from where it is.
    fn enlarge(&self, view: &View, zoom: &View, drawn: &mut Layer) {
        let source = Rect {
            min: view.at([zoom.window.min[0], zoom.window.max[1]]),
            max: view.at([zoom.window.max[0], zoom.window.min[1]]),
        };
        let [_, _, to, _] = source.corners();
        for (a, b) in [([to[0], source.min[1]], zoom.rect.min), (to, [zoom.rect.min[0], zoom.rect.max[1]])] {
            drawn.stroke(Path::segment(a, b), Stroke::new(SOFT, 0.6).dashed(3.0, 3.0));
        }
        drawn.stroke(Path::rect(&source), Stroke::new(INK, 0.9));
        drawn.fill(Path::rect(&zoom.rect), WHITE);
        drawn.group("zoom", Some(zoom.rect), self.scene(zoom, true));
        drawn.stroke(Path::rect(&zoom.rect), Stroke::new(INK, 0.9));
        let metres = label::round_down(0.3 * zoom.rect.width() / zoom.scale);
        let (x, y) = (zoom.rect.min[0], zoom.rect.max[1] + 12.0);
        drawn.stroke(Path::segment([x, y], [x + metres * zoom.scale, y]), Stroke::new(INK, 1.2));
        let text = Text::new(label::length(metres), [x + metres * zoom.scale + 6.0, y + 4.0], 11.0);
        drawn.text(text.coloured(SOFT));
    }

    fn widths(&self, scale: f64) -> Widths {
        let (least, most) = FULL;
        let part = if self.figure.style.forces == Some(Forces::Lines) { 0.16 } else { 0.5 };
        let full = (part * self.typical * scale).clamp(least, most);
        Widths { reference: self.reference, full }
    }

    /// Half length of the line of the reference force \[m\].
    fn length(&self) -> f64 {
        0.9 * self.typical
    }

    fn scene(&self, view: &View, sets: bool) -> Layer {
        let mut layer = Layer::default();
        // Lines over the bodies leave no room for marks in them.
        let marks =
            self.figure.style.marks && self.figure.style.forces.is_none() && self.figure.overlay.sets.is_empty();
        layer.items.extend(body::draw(&self.figure.bodies, view, marks).items);
        for line in &self.figure.style.cell {
            let path = Path::segment(view.at(line[0]), view.at(line[1]));
            layer.stroke(path, Stroke::new(SOFT.mix(FAINT, 0.4), 0.9).dashed(6.0, 4.0));
        }
        if let Some(forces) = self.figure.style.forces {
            let widths = self.widths(view.scale);
            let seen = view.window.grown(3.0 * self.typical);
            let near = self.figure.contacts.iter().filter(|c| seen.contains(c.point));
            let lines: Vec<Line> = near.map(|c| self.line(c, forces, &widths, view)).collect();
            let dots = (0.09 * self.typical * view.scale).clamp(0.5, 2.2);
            layer.group("forces", None, force::draw(&lines, &widths, dots));
        }
        let scale = self.figure.overlay.scale(self.typical * view.scale);
        for set in self.figure.overlay.sets.iter().filter(|s| sets && view.window.contains(s.at)) {
            set.draw(view.at(set.at), scale, self.figure.overlay.cloud, &mut layer);
        }
        layer
    }

    /// The line that carries the force of a contact.
    fn line(&self, contact: &Contact, forces: Forces, widths: &Widths, view: &View) -> Line {
        let magnitude = contact.force[0].hypot(contact.force[1]);
        let (p, typical) = (contact.point, self.typical);
        let along = |v: Point, s: f64| [p[0] + s * v[0], p[1] + s * v[1]];
        let points = match forces {
            Forces::Network => {
                let n = contact.normal;
                [self.end(contact, 0, along(n, 0.35 * typical)), p, self.end(contact, 1, along(n, -0.35 * typical))]
                    .to_vec()
            }
            Forces::Lines => {
                let length = self.length() * (magnitude / widths.reference).min(2.0);
                let unit = contact.force.map(|f| if magnitude > 0.0 { f / magnitude } else { 0.0 });
                vec![along(unit, length), along(unit, -length)]
            }
        };
        let points = points.into_iter().map(|p| view.at(p)).collect();
        Line { contact: view.at(p), points, magnitude, status: contact.status, opacity: 1.0 }
    }

    /// Centre of a free body, when it reaches the contact (a periodic image does not);
    /// else a short piece into the body.
    fn end(&self, contact: &Contact, side: usize, short: Point) -> Point {
        let Some(body) = self.figure.bodies.get(contact.bodies[side]) else { return short };
        let (c, p) = (body.centre, contact.point);
        let reaches = (c[0] - p[0]).hypot(c[1] - p[1]) <= 1.05 * body.radius();
        if body.role == Role::Free && reaches { c } else { short }
    }

    fn keys(&self, view: &View) -> Vec<Key> {
        let metres = label::round_down(0.22 * view.rect.width() / view.scale);
        let mut keys = vec![Key::Bar(metres * view.scale, label::length(metres))];
        if let Some([x, y]) = self.figure.style.gravity {
            let length = x.hypot(y);
            if length > 0.0 && x.abs() > 1e-6 * length {
                keys.push(Key::Arrow([x / length, -y / length], "gravity".into()));
            }
        }
        // Where forces are looked at.
        let scale = self.magnified.unwrap_or(view.scale);
        if self.figure.style.forces.is_some() {
            let states: Vec<Status> = self.figure.contacts.iter().map(|c| c.status).collect();
            let length = (self.figure.style.forces == Some(Forces::Lines)).then_some(2.0 * self.length() * scale);
            keys.extend(force::keys(&states, &self.widths(scale), length));
        }
        keys.extend(self.figure.overlay.keys(self.typical * scale));
        keys
    }
}
