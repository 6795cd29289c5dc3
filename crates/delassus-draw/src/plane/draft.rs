//! A scene of the plane while it is put on the page.

use super::body::{self, Outline};
use super::figure::Figure;
use crate::Error;
use crate::body::typical_radius;
use crate::colour::{FAINT, INK, SOFT, WHITE};
use crate::force::Line;
use crate::key::{self, Key};
use crate::label;
use crate::network::{self, Network, Proportions};
use crate::overlay;
use crate::page::{self, Columns, Page};
use crate::path::{Path, Point, Rect};
use crate::picture::{Layer, Picture, Stroke, Text};
use crate::profile;
use crate::reactions::Reactions;
use crate::symbol::{self, Signs};
use crate::view::View;

/// Width of the column of the profile.
const PROFILE: f64 = 190.0;
/// Part of the page that an enlarged part takes.
const ZOOM: f64 = 0.4;
/// Sizes of lines of force.
const PROPORTIONS: Proportions = Proportions { width: 0.5, widest: 14.0, stub: 0.35, dot: 0.09, largest_dot: 2.2 };

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
        Self {
            figure,
            bounds,
            typical: typical_radius(&figure.bodies).unwrap_or(0.05 * bounds.width()),
            reference: figure.style.reference.unwrap_or_else(|| network::reference(&figure.contacts)),
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

    /// The forces, if they are drawn.
    fn network(&self) -> Option<Network<'a, 2, Outline>> {
        Some(Network {
            bodies: &self.figure.bodies,
            contacts: &self.figure.contacts,
            forces: self.figure.style.forces?,
            typical: self.typical,
            reference: self.reference,
            proportions: PROPORTIONS,
        })
    }

    fn scene(&self, view: &View, sets: bool) -> Layer {
        let mut layer = Layer::default();
        // Lines over the bodies leave no room for marks in them.
        let marks =
            self.figure.style.marks && self.figure.style.forces.is_none() && self.figure.overlay.sets.is_empty();
        layer.items.extend(body::draw(&self.figure.bodies, view, marks, &self.figure.style.glass).items);
        for line in &self.figure.style.cell {
            let path = Path::segment(view.at(line[0]), view.at(line[1]));
            layer.stroke(path, Stroke::new(SOFT.mix(FAINT, 0.4), 0.9).dashed(6.0, 4.0));
        }
        let turn = |v: Point| View::turn(v);
        let at = |p: Point| view.at(p);
        let signs = Signs { symbols: &self.figure.style.symbols, at: &at, turn: &turn, reference: None };
        layer.group("symbols", None, signs.draw());
        self.figure.style.traces.iter().for_each(|t| t.draw(|p| view.at(p), &mut layer));
        if let Some(network) = self.network() {
            let seen = view.window.grown(3.0 * self.typical);
            let near = network.contacts.iter().filter(|c| seen.contains(c.point));
            let lines: Vec<Line> = near.map(|c| network.line(c, 1.0, |p| view.at(p))).collect();
            layer.group("forces", None, network.draw(&lines, view.scale));
        }
        let scale = self.figure.overlay.scale(self.typical * view.scale);
        for set in self.figure.overlay.sets.iter().filter(|s| sets && view.window.contains(s.at)) {
            set.draw(view.at(set.at), scale, self.figure.overlay.cloud, &mut layer);
        }
        layer
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
        keys.extend(self.network().into_iter().flat_map(|network| network.keys(scale)));
        keys.extend(self.figure.overlay.keys(self.typical * scale));
        keys.extend(symbol::keys(&self.figure.style.symbols, None));
        keys.extend(self.figure.style.legend.iter().cloned());
        keys
    }
}
