//! A scene of space on a page.

use super::Point3;
use super::body::{Body, Solid};
use super::camera::{Camera, Eye};
use super::section::Section;
use super::shade::Stage;
use super::sight::{self, Sight, Sights};
use crate::body::{Role, typical_radius};
use crate::force::{Forces, Line};
use crate::key::{self, Key};
use crate::mirror::Mirror;
use crate::network::{self, Network, Proportions};
use crate::overlay::{self, Overlay};
use crate::page::{self, Columns, Head, Page};
use crate::path::Point;
use crate::picture::{Anchor, Item, Layer, Picture, Text};
use crate::reactions::Reactions;
use crate::symbol::{self, Signs, Symbol};
use crate::trace::Trace;
use crate::vector::{add, norm, scaled, sub};
use crate::{Error, label};

/// A contact in space.
pub type Contact = crate::network::Contact<3>;

/// Where the eye looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// The point in the middle; that of everything if none.
    pub target: Option<Point3>,
    /// How much larger.
    pub zoom: f64,
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
    /// Lines over the bodies: arrows, trails.
    pub traces: Vec<Trace<3>>,
    /// Joints, springs, loads, supports.
    pub symbols: Vec<Symbol<3>>,
    /// More entries of the legend.
    pub legend: Vec<Key>,
    /// A plane across an axis that opens the scene: axis, and where \[m\].
    pub section: Option<(usize, f64)>,
    /// Bodies that one sees through, by index.
    pub glass: Vec<usize>,
    /// What is looked at; everything if none.
    pub lens: Option<Lens>,
    /// Pixels per unit of the page.
    pub pixels: f64,
}

/// Sizes of lines of force.
const PROPORTIONS: Proportions = Proportions { width: 0.45, widest: 12.0, stub: 0.3, dot: 0.07, largest_dot: 2.0 };

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
            traces: vec![],
            symbols: vec![],
            legend: vec![],
            section: None,
            glass: vec![],
            lens: None,
            pixels: 2.0,
        }
    }

    /// Spheres that hold every bounded body.
    pub fn spheres(&self) -> Vec<(Point3, f64)> {
        let mut all = vec![];
        for solid in self.bodies.iter().flat_map(|b| &b.shapes) {
            match solid {
                Solid::Sphere { centre, radius } => all.push((*centre, *radius)),
                Solid::Mesh { points, .. } => all.extend(points.iter().map(|p| (*p, 0.0))),
                Solid::HalfSpace { .. } => {}
            }
        }
        all.extend(self.symbols.iter().flat_map(Symbol::places).map(|p| (p, 0.0)));
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
        let glass = &self.glass;
        let stage =
            Stage { bodies: &self.bodies, camera: &camera, up: self.eye.up, reach, sights: &sights, pale, glass };
        scene.items.push(Item::Image { raster: stage.raster(&page.main, self.pixels)?, at: page.main });
        let mut edges = Layer::default();
        for (&(body, solid), _) in sights.iter().filter(|s| *s.1 == Sight::Edges) {
            if let Some(solid) = self.bodies.get(body).and_then(|b| b.shapes.get(solid)) {
                sight::edges(solid, &camera, &mut edges);
            }
        }
        scene.group("edges", None, edges);
        if let Some(network) = self.network() {
            let shown: Vec<Contact> =
                self.contacts.iter().filter(|c| !camera.cut.is_some_and(|cut| cut.removes(c.point))).cloned().collect();
            let network = Network { contacts: &shown, ..network };
            let lines = by_depth(&network, &camera);
            scene.group("forces", None, network.draw(&lines, camera.scale));
        }
        scene.group("symbols", None, signs(&self.symbols, &camera));
        self.traces.iter().for_each(|t| t.draw(|p| camera.project(p).0, &mut scene));
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
        let mut camera = Camera::fit(&self.eye, seen, &page.main.grown(-room));
        camera.cut = self.section.map(|(axis, at)| Section::across(axis, at, camera.axes[2]));
        match self.lens {
            Some(lens) => camera.looking(lens.target, lens.zoom, &page.main),
            None => camera,
        }
    }

    /// The same with its image in a mirror across an axis.
    pub fn mirrored(mut self, axis: usize, at: f64) -> Self {
        let mirror = Mirror { axis, at };
        let first = self.bodies.len();
        self.bodies.extend(mirror.bodies(&self.bodies, |solid| mirror.solid(solid)));
        self.contacts.extend(mirror.contacts(&self.contacts, first));
        self.symbols.extend(mirror.symbols(&self.symbols));
        self.glass.extend(self.glass.clone().iter().map(|b| b + first));
        self
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
        typical_radius(&self.bodies).unwrap_or_else(|| 0.1 * reach(&self.spheres()).1.max(1e-12))
    }

    /// The forces, if they are drawn.
    fn network(&self) -> Option<Network<'_, 3, Solid>> {
        Some(Network {
            bodies: &self.bodies,
            contacts: &self.contacts,
            forces: self.forces?,
            typical: self.typical_radius(),
            reference: self.reference.unwrap_or_else(|| network::reference(&self.contacts)),
            proportions: PROPORTIONS,
        })
    }

    fn keys(&self, camera: &Camera, page: &Page) -> Vec<Key> {
        let typical = self.typical_radius();
        let metres = label::round_down(0.2 * page.main.width() / camera.scale);
        let where_ = if camera.distance.is_some() { " at the centre" } else { "" };
        let mut keys = vec![Key::Bar(metres * camera.scale, format!("{}{where_}", label::length(metres)))];
        keys.extend(self.network().into_iter().flat_map(|network| network.keys(camera.scale)));
        keys.extend(self.overlay.keys(typical * camera.scale));
        keys.extend(symbol::keys(&self.symbols, None));
        keys.extend(self.legend.iter().cloned());
        keys
    }
}

/// Joints, springs, loads and supports as an eye sees them.
pub(crate) fn signs(symbols: &[Symbol<3>], camera: &Camera) -> Layer {
    let at = |p: Point3| camera.project(p).0;
    // Directions of the eye have y up.
    let turn = |v: Point3| {
        let [x, y] = camera.turn(v);
        [x, -y]
    };
    Signs { symbols, at: &at, turn: &turn, reference: None }.draw()
}

/// Lines of force on the page; of one kind, the far ones are paler.
fn by_depth(network: &Network<'_, 3, Solid>, camera: &Camera) -> Vec<Line> {
    let towards: Vec<f64> = network.contacts.iter().map(|c| camera.local(c.point)[2]).collect();
    let far = towards.iter().copied().fold(f64::INFINITY, f64::min);
    let near = towards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let opacity = |z: f64| 0.45 + 0.55 * ((z - far) / (near - far).max(1e-300)).clamp(0.0, 1.0);
    let contacts = network.contacts.iter().zip(towards);
    contacts.map(|(c, z)| network.line(c, opacity(z), |p| camera.project(p).0)).collect()
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
