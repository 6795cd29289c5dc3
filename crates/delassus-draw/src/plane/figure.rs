//! A scene of the plane on a page: bodies, lines of force, sets of reactions, insets, the
//! profile of a flow.

use super::body::{self, Body, Role};
use crate::Error;
use crate::colour::{FAINT, SOFT};
use crate::force::{self, Forces, Line, Status, Widths};
use crate::key::{self, Key};
use crate::label;
use crate::overlay::{self, Overlay};
use crate::page::{self, Columns, Head, Page};
use crate::path::{Path, Point, Rect};
use crate::picture::{Layer, Picture, Stroke};
use crate::profile::{self, Slice};
use crate::reactions::Reactions;
use crate::view::{View, solid};

/// A contact between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Where they touch.
    pub point: Point,
    /// Unit vector towards the first.
    pub normal: Point,
    /// The bodies, by index.
    pub bodies: [usize; 2],
    /// Force on the first [N].
    pub force: Point,
    /// Its state.
    pub status: Status,
}

/// What is drawn, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// What is seen of the plane; everything if none.
    pub window: Option<Rect>,
    /// Lines of force; none are drawn if none.
    pub forces: Option<Forces>,
    /// Magnitude of the full width [N]; that of this picture if none.
    pub reference: Option<f64>,
    /// A radius in every disc, to see it turn.
    pub marks: bool,
    /// Direction of gravity, drawn where it is not down.
    pub gravity: Option<Point>,
    /// Lines between the periodic images.
    pub cell: Vec<[Point; 2]>,
}

/// A scene of the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Title and size.
    pub head: Head,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Their contacts.
    pub contacts: Vec<Contact>,
    /// Sets of reactions.
    pub overlay: Overlay,
    /// Profile of velocities; empty for none.
    pub profile: Vec<Slice>,
    /// What is drawn.
    pub style: Style,
}

/// Width of the column of the profile.
const PROFILE: f64 = 190.0;
/// Limits of the full width of a force.
const FULL: (f64, f64) = (1.6, 14.0);

impl Figure {
    /// An empty scene.
    pub fn new(head: Head) -> Self {
        Self {
            head,
            bodies: vec![],
            contacts: vec![],
            overlay: Overlay::default(),
            profile: vec![],
            style: Style { marks: true, ..Style::default() },
        }
    }

    /// What holds every bounded body, or the given window.
    pub fn bounds(&self) -> Rect {
        if let Some(window) = self.style.window {
            return window;
        }
        let mut bounds = Rect::EMPTY;
        self.bodies.iter().flat_map(|b| &b.outlines).for_each(|o| o.include_in(&mut bounds));
        let content = solid(&bounds);
        let size = content.width().max(content.height());
        // A body alone is seen with its surroundings.
        let room = if self.bodies.iter().filter(|b| b.radius() > 0.0).count() > 1 { 0.04 } else { 0.3 };
        self.with_floors(&content, size).grown(room * size)
    }

    /// Floors and walls not far from the bodies belong into the picture.
    fn with_floors(&self, content: &Rect, size: f64) -> Rect {
        let mut bounds = *content;
        for outline in self.bodies.iter().flat_map(|b| &b.outlines) {
            let body::Outline::HalfPlane { point: p, normal: n } = outline else { continue };
            let height = |c: &Point| (c[0] - p[0]) * n[0] + (c[1] - p[1]) * n[1];
            let (foot, gap) = content
                .corners()
                .iter()
                .map(|c| (*c, height(c)))
                .fold(([0.0; 2], f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best });
            if gap > 0.0 && gap < 0.3 * size {
                bounds.include([foot[0] - gap * n[0], foot[1] - gap * n[1]], 0.0);
            }
        }
        bounds
    }

    /// The page.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a window without size.
    pub fn picture(&self) -> Result<Picture, Error> {
        let bounds = self.bounds();
        if !(bounds.width() > 0.0 && bounds.height() > 0.0 && bounds.width() + bounds.height() < 1e300) {
            return Err(Error::NotFinite { what: "the window".into() });
        }
        let aspect = bounds.width() / bounds.height();
        let columns = self.columns();
        let mut page = Page::new(&self.head, aspect, columns, 0.0);
        // The legend depends on the scale, the scale on the room the legend leaves.
        for _ in 0..2 {
            let view = View::fit(&bounds, page.main);
            let legend = key::height(&self.keys(&view), page::legend_width(&self.head));
            page = Page::new(&self.head, aspect, columns, legend);
        }
        let view = View::fit(&bounds, page.main);
        let mut drawn = Layer::default();
        drawn.group("scene", Some(view.rect), self.scene(&view));
        if !self.profile.is_empty() {
            profile::draw(&self.profile, &view, &page.left, &mut drawn);
        }
        let at: Vec<Point> = self.overlay.chosen().map(|set| view.at(set.at)).collect();
        let chosen: Vec<&Reactions> = self.overlay.chosen().collect();
        overlay::insets(&chosen, &at, &page, &mut drawn);
        Ok(page.picture(&self.head, &self.keys(&view), drawn))
    }

    fn columns(&self) -> Columns {
        let profile = if self.profile.is_empty() { 0.0 } else { PROFILE };
        overlay::columns(self.overlay.insets.len(), profile)
    }

    /// Median radius of the free bodies, else of the bounded ones [m].
    fn typical_radius(&self) -> f64 {
        let radii = |free: bool| {
            let of = self.bodies.iter().filter(|b| b.is_bounded() && (!free || b.role == Role::Free));
            let mut radii: Vec<f64> = of.map(Body::radius).filter(|r| *r > 0.0).collect();
            radii.sort_by(f64::total_cmp);
            radii.get(radii.len() / 2).copied()
        };
        radii(true).or_else(|| radii(false)).unwrap_or(0.05 * self.bounds().width())
    }

    fn widths(&self, view: &View) -> Widths {
        let found = || Widths::reference(self.contacts.iter().map(|c| c.force[0].hypot(c.force[1])));
        let (least, most) = FULL;
        let part = if self.style.forces == Some(Forces::Lines) { 0.16 } else { 0.5 };
        let full = (part * self.typical_radius() * view.scale).clamp(least, most);
        Widths { reference: self.style.reference.unwrap_or_else(found), full }
    }

    /// Half length of the line of the reference force [m].
    fn length(&self) -> f64 {
        0.9 * self.typical_radius()
    }

    fn scene(&self, view: &View) -> Layer {
        let mut layer = Layer::default();
        // Lines over the bodies leave no room for marks in them.
        let marks = self.style.marks && self.style.forces.is_none() && self.overlay.sets.is_empty();
        layer.items.extend(body::draw(&self.bodies, view, marks).items);
        for line in &self.style.cell {
            let path = Path::segment(view.at(line[0]), view.at(line[1]));
            layer.stroke(path, Stroke::new(SOFT.mix(FAINT, 0.4), 0.9).dashed(6.0, 4.0));
        }
        if let Some(forces) = self.style.forces {
            let widths = self.widths(view);
            let lines: Vec<Line> = self.contacts.iter().map(|c| self.line(c, forces, &widths, view)).collect();
            let dots = (0.09 * self.typical_radius() * view.scale).clamp(0.5, 2.2);
            layer.group("forces", None, force::draw(&lines, &widths, dots));
        }
        let scale = self.overlay.scale(self.typical_radius() * view.scale);
        for set in &self.overlay.sets {
            set.draw(view.at(set.at), scale, self.overlay.cloud, &mut layer);
        }
        layer
    }

    /// The line that carries the force of a contact.
    fn line(&self, contact: &Contact, forces: Forces, widths: &Widths, view: &View) -> Line {
        let magnitude = contact.force[0].hypot(contact.force[1]);
        let (p, typical) = (contact.point, self.typical_radius());
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
        let Some(body) = self.bodies.get(contact.bodies[side]) else { return short };
        let (c, p) = (body.centre, contact.point);
        let reaches = (c[0] - p[0]).hypot(c[1] - p[1]) <= 1.05 * body.radius();
        if body.role == Role::Free && reaches { c } else { short }
    }

    fn keys(&self, view: &View) -> Vec<Key> {
        let metres = label::round_down(0.22 * view.rect.width() / view.scale);
        let mut keys = vec![Key::Bar(metres * view.scale, label::length(metres))];
        if let Some([x, y]) = self.style.gravity {
            let length = x.hypot(y);
            if length > 0.0 && x.abs() > 1e-6 * length {
                keys.push(Key::Arrow([x / length, -y / length], "gravity".into()));
            }
        }
        if self.style.forces.is_some() {
            let states: Vec<Status> = self.contacts.iter().map(|c| c.status).collect();
            let length = (self.style.forces == Some(Forces::Lines)).then_some(2.0 * self.length() * view.scale);
            keys.extend(force::keys(&states, &self.widths(view), length));
        }
        keys.extend(self.overlay.keys(self.typical_radius() * view.scale));
        keys
    }
}
