//! A scene of the plane on a page: bodies, lines of force, sets of reactions, insets, the
//! profile of a flow.

use super::body::{self, Body};
use super::draft::Draft;
use crate::Error;
use crate::force::Forces;
use crate::key::Key;
use crate::mirror::Mirror;
use crate::overlay::Overlay;
use crate::page::Head;
use crate::path::{Point, Rect};
use crate::picture::Picture;
use crate::profile::Slice;
use crate::symbol::Symbol;
use crate::trace::Trace;
use crate::view::solid;

/// A contact in the plane.
pub type Contact = crate::network::Contact<2>;

/// What is drawn, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// What is seen of the plane; everything if none.
    pub window: Option<Rect>,
    /// Lines of force; none are drawn if none.
    pub forces: Option<Forces>,
    /// Magnitude of the full width \[N\]; that of this picture if none.
    pub reference: Option<f64>,
    /// A radius in every disc, to see it turn.
    pub marks: bool,
    /// Direction of gravity, drawn where it is not down.
    pub gravity: Option<Point>,
    /// Lines between the periodic images.
    pub cell: Vec<[Point; 2]>,
    /// Lines over the bodies: arrows, trails.
    pub traces: Vec<Trace<2>>,
    /// Joints, springs, loads, supports.
    pub symbols: Vec<Symbol<2>>,
    /// More entries of the legend.
    pub legend: Vec<Key>,
    /// Bodies that one sees through, by index.
    pub glass: Vec<usize>,
    /// A part of the plane shown again, larger, beside the picture; the sets of reactions
    /// are then drawn there only.
    pub zoom: Option<Rect>,
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
        self.bodies.iter().flat_map(|b| &b.shapes).for_each(|o| o.include_in(&mut bounds));
        self.style.symbols.iter().flat_map(Symbol::places).for_each(|p| bounds.include(p, 0.0));
        let content = solid(&bounds);
        let size = content.width().max(content.height());
        // A body alone is seen with its surroundings.
        let room = if self.bodies.iter().filter(|b| b.radius() > 0.0).count() > 1 { 0.04 } else { 0.3 };
        self.with_floors(&content, size).grown(room * size)
    }

    /// The same with its image in a mirror across an axis; a window that was given stays what it is.
    pub fn mirrored(mut self, axis: usize, at: f64, window: Option<Rect>) -> Self {
        let mirror = Mirror { axis, at };
        let seen = self.bounds();
        let corners = seen.corners().map(|c| mirror.point(c));
        let first = self.bodies.len();
        self.bodies.extend(mirror.bodies(&self.bodies, |outline| mirror.outline(outline)));
        self.contacts.extend(mirror.contacts(&self.contacts, first));
        self.style.symbols.extend(mirror.symbols(&self.style.symbols));
        self.style.glass.extend(self.style.glass.clone().iter().map(|b| b + first));
        let mut both = seen;
        corners.iter().for_each(|c| both.include(*c, 0.0));
        self.style.window = window.or(Some(both));
        self
    }

    /// Floors and walls not far from the bodies belong into the picture.
    fn with_floors(&self, content: &Rect, size: f64) -> Rect {
        let mut bounds = *content;
        for outline in self.bodies.iter().flat_map(|b| &b.shapes) {
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
        for window in [Some(bounds), self.style.zoom].into_iter().flatten() {
            let size = window.width() + window.height();
            if !(window.width() > 0.0 && window.height() > 0.0 && size < 1e300) {
                return Err(Error::NotFinite { what: "the window".into() });
            }
        }
        Draft::new(self, bounds).picture()
    }
}
