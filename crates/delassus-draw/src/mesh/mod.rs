//! Deformed meshes under a field in colours, with a colour bar
//!
//! Colours are interpolated between nodes, pixel by pixel, behind the edges of the cells; in
//! space the nearest face of each pixel is shown, lit from the eye.

mod bar;
mod section;
mod shading;

use crate::chart::Quantity;
use crate::colour::{FIXED, INK, SOFT};
use crate::error::Error;
use crate::key;
use crate::page::{self, Columns, Head, Page};
use crate::path::{Path, Point, Rect};
use crate::picture::{Item, Layer, Picture, Stroke};
use crate::space::{Camera, Eye, Lens, Point3};
use crate::symbol::{self, Signs, Symbol};
use crate::view::View;
use shading::{Corner, Screen};

/// Rigid obstacles of the plane.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// All points against a normal.
    HalfPlane {
        /// A point of the line.
        point: Point,
        /// Out of the matter.
        normal: Point,
    },
    /// A disc.
    Disc {
        /// Its centre.
        centre: Point,
        /// Its radius.
        radius: f64,
    },
    /// A polygon.
    Polygon(Vec<Point>),
    /// A capsule.
    Capsule {
        /// Its ends.
        ends: [Point; 2],
        /// Its radius.
        radius: f64,
    },
}

/// A mesh and a field on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Title and size.
    pub head: Head,
    /// Nodes where they are \[m\]; z = 0 in the plane.
    pub points: Vec<Point3>,
    /// Outlines of the cells of the plane, of the faces of the boundary in space; in the plane the first hide the
    /// others.
    pub faces: Vec<Vec<u32>>,
    /// Outlines of cells that others lie over: drawn again over the colours.
    pub outlined: Vec<Vec<u32>>,
    /// The field at the nodes.
    pub values: Vec<f64>,
    /// What it is.
    pub quantity: Quantity,
    /// Lowest and highest value of the colours; those of the field if none.
    pub range: Option<[f64; 2]>,
    /// Whether edges of cells are drawn.
    pub edges: bool,
    /// Obstacles of the plane.
    pub obstacles: Vec<Obstacle>,
    /// Part of the plane to show.
    pub window: Option<Rect>,
    /// The eye; in the plane there is none.
    pub eye: Option<Eye>,
    /// What the eye looks at; everything if none.
    pub lens: Option<Lens>,
    /// Springs, loads, supports; z = 0 in the plane.
    pub symbols: Vec<Symbol<3>>,
    /// Pixels of the colours for each unit of the page.
    pub pixels: f64,
}

/// Width of the column of the colour bar.
const BAR: f64 = 96.0;
/// Share of the size that is left free around.
const ROOM: f64 = 0.06;

impl Figure {
    /// A mesh without faces.
    pub fn new(head: Head, quantity: Quantity) -> Self {
        Self {
            head,
            points: vec![],
            faces: vec![],
            outlined: vec![],
            values: vec![],
            quantity,
            range: None,
            edges: true,
            obstacles: vec![],
            window: None,
            eye: None,
            lens: None,
            symbols: vec![],
            pixels: 2.0,
        }
    }

    /// Rectangle around the nodes, in the plane.
    pub fn bounds(&self) -> Rect {
        let mut bounds = Rect::EMPTY;
        self.points.iter().for_each(|p| bounds.include([p[0], p[1]], 0.0));
        let room = ROOM * bounds.width().max(bounds.height());
        if bounds.is_empty() { Rect::new(-1.0, -1.0, 2.0, 2.0) } else { bounds.grown(room) }
    }

    /// Lowest and highest value.
    pub fn extremes(&self) -> [f64; 2] {
        let finite = || self.values.iter().copied().filter(|x| x.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        if low <= high { [low, high] } else { [0.0, 1.0] }
    }

    /// The page.
    pub fn picture(&self) -> Result<Picture, Error> {
        if let Some(i) = self.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(Error::NotFinite { what: format!("node {i}") });
        }
        let columns = Columns { right: BAR, ..Columns::default() };
        let keys = symbol::keys(&self.symbols, None);
        let legend = key::height(&keys, page::legend_width(&self.head));
        let mut layer = Layer::default();
        let (low, high) = self.colours();
        let page = match &self.eye {
            None => {
                let window = self.window.unwrap_or_else(|| self.bounds());
                let page = Page::new(&self.head, window.width() / window.height(), columns, legend);
                let view = View::fit(&window, page.main.grown(-symbol::room(&self.symbols)));
                let view = View::fit(&window.grown(symbol::room(&self.symbols) / view.scale), page.main);
                let mut inside = Layer::default();
                self.obstacles.iter().for_each(|o| o.draw(&view, &mut inside));
                let at = |p: &Point3| (view.at([p[0], p[1]]), 0.0);
                self.faces_on(&page, &at, [low, high], &mut inside)?;
                let (at, turn) = (|p: Point3| view.at([p[0], p[1]]), |v: Point3| View::turn([v[0], v[1]]));
                let signs = Signs { symbols: &self.symbols, at: &at, turn: &turn, reference: None };
                inside.group("symbols", None, signs.draw());
                layer.group("mesh", Some(page.main), inside);
                page
            }
            Some(eye) => {
                let spheres: Vec<(Point3, f64)> = self.points.iter().map(|p| (*p, 0.0)).collect();
                let page = Page::new(&self.head, Camera::aspect(eye, &spheres), columns, legend);
                let mut camera = Camera::fit(eye, &spheres, &page.main.grown(-8.0 - symbol::room(&self.symbols)));
                if let Some(lens) = self.lens {
                    camera = camera.looking(lens.target, lens.zoom, &page.main);
                }
                let mut inside = Layer::default();
                self.faces_on(&page, &|p| camera.project(*p), [low, high], &mut inside)?;
                inside.group("symbols", None, crate::space::signs(&self.symbols, &camera));
                layer.group("mesh", Some(page.main), inside);
                page
            }
        };
        bar::draw(&page.right, &self.quantity, [low, high], &mut layer);
        let picture = page.picture(&self.head, &keys, layer);
        picture.validate()?;
        Ok(picture)
    }

    /// Ends of the colours; a constant field gets some room, so that it has a colour.
    fn colours(&self) -> (f64, f64) {
        let [low, high] = self.range.unwrap_or_else(|| self.extremes());
        // What differs by round-off alone has one colour, in the middle.
        let room = 0.5 * bar::UNIFORM * low.abs().max(high.abs());
        if high - low > 2.0 * room { (low, high) } else { (low - room.max(1e-300), high + room.max(1e-300)) }
    }

    fn faces_on(
        &self,
        page: &Page,
        at: &dyn Fn(&Point3) -> (Point, f64),
        [low, high]: [f64; 2],
        layer: &mut Layer,
    ) -> Result<(), Error> {
        let mut screen = Screen::new(&page.main, self.pixels)?;
        let seen: Vec<(Point, f64)> = self.points.iter().map(at).collect();
        let lit = self.eye.is_some();
        for face in &self.faces {
            let corner = |n: &u32| {
                let (page, depth) = seen[*n as usize];
                Corner { page, depth, value: (self.values[*n as usize] - low) / (high - low) }
            };
            let corners: Vec<Corner> = face.iter().map(corner).collect();
            screen.face(&corners, lit, lit && self.edges);
        }
        layer.items.push(Item::Image { raster: screen.raster(), at: page.main });
        let mut edges = |faces: &[Vec<u32>], stroke: Stroke| {
            let mut path = Path::default();
            for face in faces.iter().filter(|_| self.edges) {
                path.extend(Path::polygon(&face.iter().map(|n| seen[*n as usize].0).collect::<Vec<_>>()));
            }
            if !path.pieces.is_empty() {
                layer.stroke(path, stroke);
            }
        };
        if !lit {
            edges(&self.faces, Stroke::new(INK, 0.35).faded(0.55));
        }
        if lit {
            // Beams have no face to shade.
            let beams: Vec<Vec<u32>> = self.faces.iter().filter(|f| f.len() == 2).cloned().collect();
            edges(&beams, Stroke::new(INK, 1.6));
        }
        edges(&self.outlined, Stroke::new(INK, if lit { 0.5 } else { 1.1 }).faded(0.75));
        Ok(())
    }
}

impl Obstacle {
    fn draw(&self, view: &View, layer: &mut Layer) {
        let path = match self {
            Self::HalfPlane { point, normal } => {
                let length = normal[0].hypot(normal[1]).max(1e-300);
                let n = normal.map(|x| x / length);
                let far = 4.0 * (view.window.width() + view.window.height());
                let middle = view.window.centre();
                let along = (middle[0] - point[0]) * -n[1] + (middle[1] - point[1]) * n[0];
                let foot = [point[0] - along * n[1], point[1] + along * n[0]];
                let corner = |t: f64, d: f64| view.at([foot[0] - t * n[1] - d * n[0], foot[1] + t * n[0] - d * n[1]]);
                Path::polygon(&[corner(-far, 0.0), corner(far, 0.0), corner(far, far), corner(-far, far)])
            }
            Self::Disc { centre, radius } => Path::circle(view.at(*centre), radius * view.scale),
            Self::Polygon(points) => Path::polygon(&points.iter().map(|p| view.at(*p)).collect::<Vec<_>>()),
            Self::Capsule { ends, radius } => Path::capsule(view.at(ends[0]), view.at(ends[1]), radius * view.scale),
        };
        layer.outlined(path, FIXED, Stroke::new(SOFT, 0.8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::ramp;

    fn square() -> Figure {
        let mut figure = Figure::new(Head::new("t"), Quantity::new("von Mises stress", "Pa"));
        figure.points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        figure.faces = vec![vec![0, 1, 2, 3]];
        figure.values = vec![0.0, 1e6, 1e6, 0.0];
        figure
    }

    /// A field linear in x: the middle of the square has the middle colour of the ramp.
    #[test]
    fn colours_are_interpolated() {
        let picture = square().picture().expect("drawn");
        let Item::Group { layer, .. } = &picture.layer.items[1] else { panic!("title, then the mesh") };
        let Item::Image { raster, .. } = &layer.items[0] else { panic!("the colours are first") };
        let middle = raster.pixel(raster.width / 2, raster.height / 2);
        let expected = ramp(0.5);
        for (found, wanted) in middle.iter().zip([expected.0, expected.1, expected.2, 255]) {
            assert!(found.abs_diff(wanted) <= 2, "{middle:?} instead of {expected:?}");
        }
        let svg = picture.to_svg().expect("written");
        assert!(svg.contains("von Mises stress [MPa]"), "the bar has its unit");
    }

    #[test]
    fn a_constant_field_and_a_missing_one_are_drawn() {
        for values in [vec![3.0; 4], vec![f64::NAN; 4], vec![0.0; 4]] {
            let figure = Figure { values, ..square() };
            assert!(figure.picture().and_then(|p| p.to_svg()).is_ok());
        }
        let broken = Figure { points: vec![[f64::NAN; 3]; 4], ..square() };
        assert!(matches!(broken.picture(), Err(Error::NotFinite { .. })));
    }

    /// Superposed: the first face hides the second, whose outline is drawn over it.
    #[test]
    fn a_superposed_mesh_is_seen_through_its_outline() {
        let mut figure = square();
        figure.points.extend(square().points);
        figure.faces = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        figure.values = vec![1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let strokes = |figure: &Figure| {
            let picture = figure.picture().expect("drawn");
            let Item::Group { layer, .. } = &picture.layer.items[1] else { panic!("title, then the mesh") };
            let Item::Image { raster, .. } = &layer.items[0] else { panic!("the colours are first") };
            let middle = raster.pixel(raster.width / 2, raster.height / 2);
            assert!(middle[0] > 200 && middle[1] > 180, "the first face is yellow: {middle:?}");
            layer.items.len()
        };
        let before = strokes(&figure);
        figure.outlined = vec![vec![4, 5, 6, 7]];
        assert_eq!(strokes(&figure), before + 1);
        figure.edges = false;
        assert_eq!(strokes(&figure), before - 1);
    }

    /// Of two faces at the same place of the page the nearer one is seen.
    #[test]
    fn the_nearer_face_hides_the_other() {
        let mut figure = square();
        figure.eye = Some(Eye { around: 0.0, above: 90.0, parallel: true, ..Eye::default() });
        let lifted: Vec<Point3> = figure.points.iter().map(|p| [p[0], p[1], 1.0]).collect();
        figure.points.extend(lifted);
        figure.faces = vec![vec![4, 5, 6, 7], vec![0, 1, 2, 3]];
        figure.values = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        figure.edges = false;
        let picture = figure.picture().expect("drawn");
        let Item::Group { layer, .. } = &picture.layer.items[1] else { panic!("title, then the mesh") };
        let Item::Image { raster, .. } = &layer.items[0] else { panic!("the colours are first") };
        let middle = raster.pixel(raster.width / 2, raster.height / 2);
        assert!(middle[0] > 200 && middle[1] > 180, "the upper face is yellow: {middle:?}");
    }
}
