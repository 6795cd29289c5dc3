//! Surfaces of shapes, for pictures and files
//!
//! In the plane closed or open polylines, in space polygons counter-clockwise from
//! outside; in the frame of the collider. `resolution` is the number of points of a full
//! circle, `extent` the half size at which unbounded shapes are cut.

use crate::plane::Shape2;
use crate::solid::{Polyhedron, Shape3};
use crate::{Vector, Wall};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Points and polygons.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface<const D: usize> {
    /// The points.
    pub points: Vec<Vector<D>>,
    /// Whether polygons close on their first point; false for segments and open polylines.
    pub closed: bool,
    loops: Vec<u32>,
    starts: Vec<u32>,
}

impl<const D: usize> Surface<D> {
    fn new(closed: bool) -> Self {
        Self { points: vec![], closed, loops: vec![], starts: vec![0] }
    }

    /// Number of polygons.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none, as for a point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points of a polygon.
    pub fn polygon(&self, i: usize) -> &[u32] {
        &self.loops[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    fn push(&mut self, polygon: impl IntoIterator<Item = u32>) {
        self.loops.extend(polygon);
        self.starts.push(self.loops.len() as u32);
    }

    fn one(points: Vec<Vector<D>>, closed: bool) -> Self {
        let mut s = Self::new(closed);
        s.push(0..points.len() as u32);
        s.points = points;
        s
    }
}

impl Shape2 {
    /// Its outline; walls give their line at t = 0, see [`Wall::surface`].
    pub fn surface(&self, resolution: usize, extent: f64) -> Surface<2> {
        let n = resolution.max(4);
        let arc = |from: f64, steps: usize, sweep: f64, r: f64, x: f64| {
            (0..=steps).map(move |i| from + sweep * i as f64 / steps as f64).map(move |a| {
                let (s, c) = a.sin_cos();
                Vector::<2>::new(x + r * c, r * s)
            })
        };
        match self {
            Self::Point => Surface { points: vec![Vector::zeros()], ..Surface::new(false) },
            Self::Disc { radius } | Self::Cavity { radius } => {
                Surface::one(arc(0.0, n, TAU, *radius, 0.0).take(n).collect(), true)
            }
            Self::Capsule { half_length: l, radius: r } => {
                let half = n.div_ceil(2);
                let ends = arc(-FRAC_PI_2, half, PI, *r, *l).chain(arc(FRAC_PI_2, half, PI, *r, -l));
                Surface::one(ends.collect(), true)
            }
            Self::Segment { a, b } => Surface::one(vec![*a, *b], false),
            Self::Box { half: h } => {
                let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
                Surface::one(corners.iter().map(|c| Vector::<2>::from(*c).component_mul(h)).collect(), true)
            }
            Self::Polygon(p) => Surface::one(p.vertices().to_vec(), true),
            Self::Polyline { points, closed } => Surface::one(points.clone(), *closed),
            Self::HalfPlane { normal: m } => {
                let t = Vector::<2>::new(-m.y, m.x) * extent;
                let depth = m * (0.2 * extent);
                Surface::one(vec![t, -t, -t - depth, t - depth], true)
            }
            Self::Wall(w) => w.surface(0.0, &Vector::repeat(-extent), &Vector::repeat(extent), n),
        }
    }
}

impl Shape3 {
    /// Its surface; walls give theirs at t = 0, see [`Wall::surface`].
    pub fn surface(&self, resolution: usize, extent: f64) -> Surface<3> {
        let n = resolution.max(4);
        match self {
            Self::Point => Surface { points: vec![Vector::zeros()], ..Surface::new(false) },
            Self::Sphere { radius } | Self::Cavity { radius } => revolved(&arc_profile(*radius, 0.0, n), n),
            Self::Capsule { half_length, radius } => revolved(&arc_profile(*radius, *half_length, n), n),
            Self::Cylinder { half_height: h, radius: r } => revolved(&[(0.0, -h), (*r, -h), (*r, *h), (0.0, *h)], n),
            Self::Box { half } => of_polyhedron(&Polyhedron::cuboid(half)),
            Self::Polyhedron(p) => of_polyhedron(p),
            Self::Mesh(m) | Self::HeightField(m) => {
                let mut s = Surface::new(true);
                s.points = m.points().to_vec();
                m.triangles().iter().for_each(|t| s.push(*t));
                s
            }
            Self::HalfSpace { normal } => {
                let f = crate::frame::frame3(normal);
                let (a, b): (Vector<3>, Vector<3>) = (f.column(1) * extent, f.column(2) * extent);
                Surface::one(vec![-a - b, a - b, a + b, -a + b], true)
            }
            Self::Wall(w) => w.surface(0.0, &Vector::repeat(-extent), &Vector::repeat(extent), n),
        }
    }
}

fn of_polyhedron(p: &Polyhedron) -> Surface<3> {
    let mut s = Surface::new(true);
    s.points = p.vertices().to_vec();
    (0..p.topology().faces()).for_each(|f| s.push(p.topology().face(f).iter().copied()));
    s
}

/// Profile `(r, z)` of a sphere cut at its equator and drawn apart by `half`.
fn arc_profile(radius: f64, half: f64, n: usize) -> Vec<(f64, f64)> {
    let steps = n.div_ceil(4);
    let at = |i: usize| FRAC_PI_2 * i as f64 / steps as f64;
    let lower = (0..=steps).map(|i| (radius * at(i).sin(), -half - radius * at(i).cos()));
    let upper = (0..=steps).map(|i| (radius * at(i).cos(), half + radius * at(i).sin()));
    let skip = usize::from(half == 0.0);
    lower.chain(upper.skip(skip)).collect()
}

/// A profile from the lower pole to the upper one, revolved around z.
fn revolved(profile: &[(f64, f64)], n: usize) -> Surface<3> {
    let mut s = Surface::new(true);
    let last = profile.len() - 1;
    s.points.push(Vector::<3>::new(0.0, 0.0, profile[0].1));
    for &(r, z) in &profile[1..last] {
        s.points
            .extend((0..n).map(|i| TAU * i as f64 / n as f64).map(|a| Vector::<3>::new(r * a.cos(), r * a.sin(), z)));
    }
    s.points.push(Vector::<3>::new(0.0, 0.0, profile[last].1));
    let (n, top) = (n as u32, s.points.len() as u32 - 1);
    let ring = |k: u32, i: u32| 1 + k * n + i % n;
    let rings = last as u32 - 1;
    for i in 0..n {
        s.push([0, ring(0, i + 1), ring(0, i)]);
        for k in 0..rings - 1 {
            s.push([ring(k, i), ring(k, i + 1), ring(k + 1, i + 1), ring(k + 1, i)]);
        }
        s.push([ring(rings - 1, i), ring(rings - 1, i + 1), top]);
    }
    s
}

impl<const D: usize> Wall<D> {
    /// The line or surface f(t, x) = 0 inside a box, by linear interpolation on simplices
    /// of a grid of `n` cells along each axis; in the frame of the wall.
    pub fn surface(&self, t: f64, min: &Vector<D>, max: &Vector<D>, n: usize) -> Surface<D> {
        let mut s = Surface::new(D == 3);
        let n = n.clamp(1, 512);
        let mut cell = [0usize; D];
        loop {
            self.cut_cell(t, (min, max, n), &cell, &mut s);
            let mut k = 0;
            while k < D {
                cell[k] += 1;
                if cell[k] < n {
                    break;
                }
                cell[k] = 0;
                k += 1;
            }
            if k == D {
                return s;
            }
        }
    }

    /// Cuts the simplices of one cell: one for each order in which the axes are walked.
    fn cut_cell(&self, t: f64, grid: (&Vector<D>, &Vector<D>, usize), cell: &[usize; D], s: &mut Surface<D>) {
        let (min, max, n) = grid;
        let corner = |steps: &[usize; D]| {
            Vector::<D>::from_fn(|k, _| min[k] + (max[k] - min[k]) * (cell[k] + steps[k]) as f64 / n as f64)
        };
        let orders: &[&[usize]] = if D == 2 {
            &[&[0, 1], &[1, 0]]
        } else {
            &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]]
        };
        for order in orders {
            let mut steps = [0; D];
            let mut simplex = [(Vector::<D>::zeros(), 0.0); 4];
            for i in 0..=D {
                if i > 0 {
                    steps[order[i - 1]] = 1;
                }
                let x = corner(&steps);
                simplex[i] = (x, self.evaluate(t, &x).0);
            }
            cut(&simplex[..=D], s);
        }
    }
}

/// The part of f = 0 in a simplex: where its edges change sign.
fn cut<const D: usize>(simplex: &[(Vector<D>, f64)], s: &mut Surface<D>) {
    if simplex.iter().any(|c| !c.1.is_finite()) {
        return;
    }
    let split = |inside: bool| simplex.iter().filter(move |c| (c.1 <= 0.0) == inside);
    let first = s.points.len() as u32;
    for a in split(true) {
        for b in split(false) {
            s.points.push(a.0 + (b.0 - a.0) * (a.1 / (a.1 - b.1)));
        }
    }
    let count = s.points.len() as u32 - first;
    match count {
        0 => {}
        // Two by two corners: the crossings come as (a b, a b'), (a' b, a' b').
        4 => s.push([first, first + 1, first + 3, first + 2]),
        _ => s.push(first..first + count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of a circular wall has the length of the circle, order 2 in the grid.
    #[test]
    fn wall_line_has_the_length_of_the_circle() {
        let wall = Wall::<2>::new("x^2 + y^2 - (1 + t)^2").expect("ok");
        let length = |n: usize| {
            let s = wall.surface(0.5, &Vector::repeat(-2.0), &Vector::repeat(2.0), n);
            (0..s.len())
                .map(|i| s.polygon(i))
                .map(|p| (s.points[p[0] as usize] - s.points[p[1] as usize]).norm())
                .sum::<f64>()
        };
        let error = |n: usize| (length(n) - 1.5 * TAU).abs();
        assert!(error(160) < 1e-2 * TAU && error(160) < 0.3 * error(80));
    }

    /// Every edge of a closed surface is walked once in each direction.
    #[test]
    fn closed_surfaces_are_closed_and_oriented() {
        let shapes =
            [Shape3::sphere(1.0), Shape3::capsule(0.5, 0.2), Shape3::cylinder(1.0, 0.5), Shape3::cuboid([1.0; 3])];
        for shape in shapes {
            let s = shape.expect("ok").surface(12, 1.0);
            let mut edges = std::collections::BTreeSet::new();
            for p in (0..s.len()).map(|i| s.polygon(i)) {
                for i in 0..p.len() {
                    assert!(edges.insert((p[i], p[(i + 1) % p.len()])));
                }
            }
            assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
        }
    }
}
