//! A scene of space on a page.

use super::body::{Body, Solid};
use super::camera::{Camera, Eye};
use super::shade::Stage;
use super::sight::{self, Sight, Sights};
use super::vector::{Point3, add, norm, scaled, sub};
use crate::force::{self, Forces, Line, Status, Widths};
use crate::key::{self, Key};
use crate::overlay::{self, Overlay};
use crate::page::{self, Columns, Head, Page};
use crate::path::Point;
use crate::picture::{Anchor, Item, Layer, Picture, Text};
use crate::plane::Role;
use crate::reactions::Reactions;
use crate::{Error, label};

/// A contact between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Where they touch.
    pub point: Point3,
    /// Unit vector towards the first.
    pub normal: Point3,
    /// The bodies, by index.
    pub bodies: [usize; 2],
    /// Force on the first \[N\].
    pub force: Point3,
    /// Its state.
    pub status: Status,
}

/// A scene of space.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Title and size.
    pub head: Head,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Their contacts.
    pub contacts: Vec<Contact>,
    /// Sets of reactions: their `at` and `directions` are filled when the picture is made.
    pub overlay: Overlay,
    /// Places and axes of the sets of reactions.
    pub places: Vec<(Point3, [Point3; 3])>,
    /// Lines of force; none are drawn if none.
    pub forces: Option<Forces>,
    /// Magnitude of the full width \[N\]; that of this picture if none.
    pub reference: Option<f64>,
    /// The eye.
    pub eye: Eye,
    /// What must be seen, as spheres; every bounded body if empty.
    pub seen: Vec<(Point3, f64)>,
    /// Fixed shapes that would hide the free ones; found in this picture if none.
    pub sights: Option<Sights>,
    /// Pixels per unit of the page.
    pub pixels: f64,
}

/// Half length of the line of the reference force, in typical radii.
const LENGTH: f64 = 0.9;

impl Figure {
    /// An empty scene.
    pub fn new(head: Head) -> Self {
        Self {
            head,
            bodies: vec![],
            contacts: vec![],
            overlay: Overlay::default(),
            places: vec![],
            forces: None,
            reference: None,
            eye: Eye::default(),
            seen: vec![],
            sights: None,
            pixels: 2.0,
        }
    }

    /// Spheres that hold every bounded body.
    pub fn spheres(&self) -> Vec<(Point3, f64)> {
        let mut all = vec![];
        for solid in self.bodies.iter().flat_map(|b| &b.solids) {
            match solid {
                Solid::Sphere { centre, radius } => all.push((*centre, *radius)),
                Solid::Mesh { points, .. } => all.extend(points.iter().map(|p| (*p, 0.0))),
                Solid::HalfSpace { .. } => {}
            }
        }
        all
    }

    /// Fixed shapes that would hide the free ones in this picture.
    pub fn find_sights(&self) -> Sights {
        let seen = self.to_see();
        let page = Page::new(&self.head, Camera::aspect(&self.eye, &seen), Columns::default(), 0.0);
        self.sights_of(&self.camera(&seen, &page), &page)
    }

    fn sights_of(&self, camera: &Camera, page: &Page) -> Sights {
        sight::find(&self.bodies, |b| b.role == Role::Free, camera, &page.main)
    }

    fn to_see(&self) -> Vec<(Point3, f64)> {
        let seen = if self.seen.is_empty() { self.spheres() } else { self.seen.clone() };
        if seen.is_empty() { vec![([0.0; 3], 1.0)] } else { seen }
    }

    /// The page.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooManyPixels`].
    pub fn picture(&self) -> Result<Picture, Error> {
        let seen = self.to_see();
        if seen.iter().any(|(c, r)| c.iter().chain([r]).any(|x| !x.is_finite())) {
            return Err(Error::NotFinite { what: "a body".into() });
        }
        let columns: Columns = overlay::columns(self.overlay.insets.len(), 0.0);
        let aspect = Camera::aspect(&self.eye, &seen);
        let mut page = Page::new(&self.head, aspect, columns, 0.0);
        for _ in 0..2 {
            let camera = self.camera(&seen, &page);
            let legend = key::height(&self.keys(&camera, &page), page::legend_width(&self.head));
            page = Page::new(&self.head, aspect, columns, legend);
        }
        let camera = self.camera(&seen, &page);
        let (mut drawn, mut scene) = (Layer::default(), Layer::default());
        let reach = reach(&seen);
        let pale = self.forces.is_some() || !self.overlay.sets.is_empty();
        let sights = self.sights.clone().unwrap_or_else(|| self.sights_of(&camera, &page));
        let stage = Stage { bodies: &self.bodies, camera: &camera, up: self.eye.up, reach, sights: &sights, pale };
        scene.items.push(Item::Image { raster: stage.raster(&page.main, self.pixels)?, at: page.main });
        let mut edges = Layer::default();
        for (&(body, solid), _) in sights.iter().filter(|s| *s.1 == Sight::Edges) {
            if let Some(solid) = self.bodies.get(body).and_then(|b| b.solids.get(solid)) {
                sight::edges(solid, &camera, &mut edges);
            }
        }
        scene.group("edges", None, edges);
        if let Some(forces) = self.forces {
            scene.group("forces", None, self.network(forces, &camera));
        }
        self.labels(&camera, &mut scene);
        let sets = self.projected(&camera);
        let scale = sets.scale(self.typical_radius() * camera.scale);
        for set in &sets.sets {
            set.draw(set.at, scale, sets.cloud, &mut scene);
        }
        drawn.group("scene", Some(page.main), scene);
        let chosen: Vec<&Reactions> = sets.chosen().collect();
        let at: Vec<Point> = chosen.iter().map(|s| s.at).collect();
        overlay::insets(&chosen, &at, &page, &mut drawn);
        Ok(page.picture(&self.head, &self.keys(&camera, &page), drawn))
    }

    fn camera(&self, seen: &[(Point3, f64)], page: &Page) -> Camera {
        // A body alone is seen with its surroundings.
        let alone = self.bodies.iter().filter(|b| b.radius() > 0.0).count() < 2;
        let room = if alone { 0.2 } else { 0.05 } * page.main.width().min(page.main.height());
        Camera::fit(&self.eye, seen, &page.main.grown(-room))
    }

    fn labels(&self, camera: &Camera, layer: &mut Layer) {
        for body in &self.bodies {
            let Some(label) = &body.label else { continue };
            let at = camera.project(body.centre).0;
            let mut text = Text::new(label, [at[0], at[1] + 3.5], 9.5).anchored(Anchor::Middle);
            text.halo = true;
            layer.text(text);
        }
    }

    /// The sets where they are on the page.
    fn projected(&self, camera: &Camera) -> Overlay {
        let mut overlay = self.overlay.clone();
        for (set, (point, axes)) in overlay.sets.iter_mut().zip(&self.places) {
            set.at = camera.project(*point).0;
            set.directions = axes.map(|a| camera.turn(a));
        }
        overlay
    }

    fn typical_radius(&self) -> f64 {
        let mut radii: Vec<f64> =
            self.bodies.iter().filter(|b| b.role == Role::Free).map(Body::radius).filter(|r| *r > 0.0).collect();
        radii.sort_by(f64::total_cmp);
        radii.get(radii.len() / 2).copied().unwrap_or_else(|| 0.1 * reach(&self.spheres()).1.max(1e-12))
    }

    fn widths(&self, camera: &Camera, typical: f64) -> Widths {
        let found = || Widths::reference(self.contacts.iter().map(|c| norm(c.force)));
        let part = if self.forces == Some(Forces::Lines) { 0.16 } else { 0.45 };
        let full = (part * typical * camera.scale).clamp(1.6, 12.0);
        Widths { reference: self.reference.unwrap_or_else(found), full }
    }

    /// Lines from far to near are of one kind: the far ones are paler.
    fn network(&self, forces: Forces, camera: &Camera) -> Layer {
        let typical = self.typical_radius();
        let widths = self.widths(camera, typical);
        let towards: Vec<f64> = self.contacts.iter().map(|c| camera.local(c.point)[2]).collect();
        let far = towards.iter().copied().fold(f64::INFINITY, f64::min);
        let near = towards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lines: Vec<Line> = self
            .contacts
            .iter()
            .zip(&towards)
            .map(|(contact, z)| {
                let magnitude = norm(contact.force);
                let points = self.ends(contact, forces, magnitude / widths.reference, typical);
                Line {
                    contact: camera.project(contact.point).0,
                    points: points.iter().map(|p| camera.project(*p).0).collect(),
                    magnitude,
                    status: contact.status,
                    opacity: 0.45 + 0.55 * ((z - far) / (near - far).max(1e-300)).clamp(0.0, 1.0),
                }
            })
            .collect();
        let dots = (0.07 * typical * camera.scale).clamp(0.5, 2.0);
        force::draw(&lines, &widths, dots)
    }

    fn ends(&self, contact: &Contact, forces: Forces, part: f64, typical: f64) -> Vec<Point3> {
        let p = contact.point;
        match forces {
            Forces::Network => {
                let stub = 0.3 * typical;
                let end = |side: usize, sign: f64| match self.bodies.get(contact.bodies[side]) {
                    Some(b) if b.role == Role::Free && norm(sub(b.centre, p)) <= 1.05 * b.radius() => b.centre,
                    _ => add(p, scaled(contact.normal, sign * stub)),
                };
                vec![end(0, 1.0), p, end(1, -1.0)]
            }
            Forces::Lines => {
                let length = norm(contact.force);
                let v =
                    scaled(contact.force, if length > 0.0 { LENGTH * typical * part.min(2.0) / length } else { 0.0 });
                vec![add(p, v), sub(p, v)]
            }
        }
    }

    fn keys(&self, camera: &Camera, page: &Page) -> Vec<Key> {
        let typical = self.typical_radius();
        let metres = label::round_down(0.2 * page.main.width() / camera.scale);
        let where_ = if camera.distance.is_some() { " at the centre" } else { "" };
        let mut keys = vec![Key::Bar(metres * camera.scale, format!("{}{where_}", label::length(metres)))];
        if let Some(forces) = self.forces {
            let status: Vec<Status> = self.contacts.iter().map(|c| c.status).collect();
            let length = (forces == Forces::Lines).then_some(2.0 * LENGTH * typical * camera.scale);
            keys.extend(force::keys(&status, &self.widths(camera, typical), length));
        }
        keys.extend(self.overlay.keys(typical * camera.scale));
        keys
    }
}

/// Centre and radius of a sphere around spheres.
fn reach(spheres: &[(Point3, f64)]) -> (Point3, f64) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (c, r) in spheres {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(c[k] - r), high[k].max(c[k] + r));
        }
    }
    if !(low[0] <= high[0]) {
        return ([0.0; 3], 1.0);
    }
    let centre = scaled(add(low, high), 0.5);
    let radius = spheres.iter().map(|(c, r)| norm(sub(*c, centre)) + r).fold(0.0, f64::max);
    (centre, radius)
}
