//! A straight line of beams, and what its sections do.
//!
//! ```text
//! U(y) = u(s) + θ(s) × ρ,     y = x(s) + ρ,  ρ across the axis
//! ```
//!
//! Fields u and θ are those of the element: linear in traction and torsion, cubic and quadratic in bending, tied by
//! a constant shear.

use crate::Error;
use delassus_fem::element::beam::{Section, fields, slopes};
use delassus_fem::mesh::{CellKind, Mesh};
use nalgebra::{Matrix3, Vector3};

/// Nodes this far from the axis, over the length, are beside it.
const STRAIGHT: f64 = 1e-9;

/// A straight line of Timoshenko elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// 2 or 3.
    pub dim: usize,
    /// Places of the nodes along the axis, rising \[m\].
    pub stations: Vec<f64>,
    pub(crate) origin: Vector3<f64>,
    /// Along the axis, and the local y and z.
    pub(crate) axes: [Vector3<f64>; 3],
    /// Φ of the elements in both planes of bending.
    shear: Vec<[f64; 2]>,
    /// Radius of gyration \[m\].
    pub gyration: f64,
}

/// Displacement and rotation of a section.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    pub(crate) shift: Vector3<f64>,
    pub(crate) turn: Vector3<f64>,
}

/// One function of a line at a section: its node and component, the motion and its derivative along the axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub(crate) node: u32,
    pub(crate) component: usize,
    pub(crate) motion: Motion,
    pub(crate) slope: Motion,
}

/// A displacement at a point and its gradient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) value: Vector3<f64>,
    pub(crate) gradient: Matrix3<f64>,
}

impl Local {
    /// `v · w + ℓ² ∇v : ∇w`.
    pub(crate) fn product(&self, other: &Local, squared: f64) -> f64 {
        self.value.dot(&other.value) + squared * self.gradient.dot(&other.gradient)
    }
}

impl Line {
    /// Along points in order, with `up` near the local y axis (unused in the plane).
    ///
    /// # Errors
    /// Points that are not on one straight line, or turn back on it.
    pub fn new(dim: usize, points: &[[f64; 3]], section: &Section, up: [f64; 3]) -> Result<Self, Error> {
        let at: Vec<Vector3<f64>> = points.iter().map(|p| Vector3::from(*p)).collect();
        let (Some(first), Some(last)) = (at.first(), at.last()) else { return Err(Error::NoCells) };
        let length = (last - first).norm();
        let x = (last - first) / length;
        for (node, p) in at.iter().enumerate() {
            let off = (p - first - x * x.dot(&(p - first))).norm() / length;
            if !(off <= STRAIGHT) {
                return Err(Error::Bent { node, off });
            }
        }
        let up = if dim == 2 { Vector3::new(-x[1], x[0], 0.0) } else { Vector3::from(up) };
        let z = x.cross(&up).normalize();
        let axes = [x, z.cross(&x), z];
        let stations: Vec<f64> = at.iter().map(|p| x.dot(&(p - first))).collect();
        if let Some(node) = stations.windows(2).position(|s| !(s[1] > s[0])) {
            return Err(Error::Bent { node: node + 1, off: 0.0 });
        }
        let [about_y, about_z] = section.inertia;
        let [along_y, along_z] = section.correction;
        let shear = stations.windows(2).map(|s| {
            let l = s[1] - s[0];
            [section.shear_ratio(l, about_z, along_y), section.shear_ratio(l, about_y, along_z)]
        });
        let shear = shear.collect();
        Ok(Self { dim, stations, origin: *first, axes, shear, gyration: (about_z / section.area).sqrt() })
    }

    /// Direction of the axis.
    pub fn axis(&self) -> [f64; 3] {
        self.axes[0].into()
    }

    /// Place of a point along the axis.
    pub(crate) fn station(&self, x: &Vector3<f64>) -> f64 {
        self.axes[0].dot(&(x - self.origin))
    }

    /// The same line with stations from another's origin, which must be on it.
    ///
    /// # Errors
    /// Another axis.
    pub(crate) fn on(&self, other: &Line) -> Result<Self, Error> {
        let length = self.stations[self.stations.len() - 1];
        let ends = [self.origin, self.origin + self.axes[0] * length];
        let off = ends.map(|p| (p - other.origin - other.axes[0] * other.station(&p)).norm() / length);
        if off[0].max(off[1]) > STRAIGHT || self.axes[0].dot(&other.axes[0]) < 0.0 {
            return Err(Error::Beside { off: off[0].max(off[1]) });
        }
        let shift = other.station(&self.origin);
        let stations = self.stations.iter().map(|s| s + shift).collect();
        Ok(Self { stations, origin: self.origin - self.axes[0] * shift, ..self.clone() })
    }

    /// Elements as a mesh of one dimension.
    pub(crate) fn mesh(&self) -> Mesh {
        segments(&self.stations)
    }

    /// Components of a node: displacements, then rotations.
    pub fn components(&self) -> usize {
        if self.dim == 2 { 3 } else { 6 }
    }

    /// Axis of a component, and whether it is a rotation.
    fn component(&self, k: usize) -> (Vector3<f64>, bool) {
        let turn = k >= self.dim;
        let axis = if self.dim == 2 && turn { 2 } else { k % 3 };
        (Vector3::ith(axis, 1.0), turn)
    }

    /// Functions of the two nodes of an element at a place along the axis.
    pub(crate) fn modes(&self, element: u32, at: f64) -> Vec<Mode> {
        let e = element as usize;
        let l = self.stations[e + 1] - self.stations[e];
        let s = (at - self.stations[e]) / l;
        let [x, y, z] = self.axes;
        let linear = [[1.0 - s, s], [-1.0 / l, 1.0 / l]];
        let planes = self.shear[e].map(|phi| [fields(s, l, phi), slopes(s, l, phi)]);
        let mut modes = Vec::with_capacity(12);
        for n in 0..2 {
            for component in 0..self.components() {
                let (axis, turn) = self.component(component);
                // Parts of the component along the axes of the line; about y, a positive rotation lowers z.
                let (a, b, c) = (x.dot(&axis), y.dot(&axis), z.dot(&axis));
                let k = 2 * n + usize::from(turn);
                let [motion, slope] = [0, 1].map(|d| {
                    let ((wy, ry), (wz, rz)) = (&planes[0][d], &planes[1][d]);
                    let (by_y, by_z) = if turn { (c, -b) } else { (b, c) };
                    let mut motion = Motion {
                        shift: y * (by_y * wy[k]) + z * (by_z * wz[k]),
                        turn: z * (by_y * ry[k]) - y * (by_z * rz[k]),
                    };
                    let straight = x * (a * linear[d][n]);
                    if turn {
                        motion.turn += straight
                    } else {
                        motion.shift += straight
                    }
                    motion
                });
                modes.push(Mode { node: element + n as u32, component, motion, slope });
            }
        }
        modes
    }

    /// Functions of multipliers: straight between nodes, for each component of the sections.
    pub(crate) fn hats(&self, element: u32, at: f64) -> Vec<Mode> {
        let e = element as usize;
        let l = self.stations[e + 1] - self.stations[e];
        let s = (at - self.stations[e]) / l;
        let mut modes = Vec::with_capacity(12);
        for (n, (value, slope)) in [(1.0 - s, -1.0 / l), (s, 1.0 / l)].into_iter().enumerate() {
            for component in 0..self.components() {
                let (axis, turn) = self.component(component);
                let of = |c: f64| match turn {
                    // A rotation moves the section by its radius of gyration: one unit for all multipliers.
                    true => Motion { turn: axis * (c / self.gyration), ..Motion::default() },
                    false => Motion { shift: axis * c, ..Motion::default() },
                };
                modes.push(Mode { node: element + n as u32, component, motion: of(value), slope: of(slope) });
            }
        }
        modes
    }

    /// What a function does at a point of the section.
    pub(crate) fn local(&self, mode: &Mode, y: &Vector3<f64>) -> Local {
        let x = self.axes[0];
        let out = y - self.origin - x * self.station(y);
        let Mode { motion, slope, .. } = mode;
        let along = slope.shift + slope.turn.cross(&out);
        let spin = motion.turn.cross_matrix();
        let across = Matrix3::identity() - x * x.transpose();
        Local { value: motion.shift + motion.turn.cross(&out), gradient: along * x.transpose() + spin * across }
    }
}

/// Segments between places.
pub(crate) fn segments(stations: &[f64]) -> Mesh {
    let mut mesh = Mesh::new(1, stations.iter().map(|s| [*s, 0.0, 0.0]).collect());
    for k in 1..stations.len() as u32 {
        mesh.push_cell(CellKind::Seg2, &[k - 1, k]);
    }
    mesh
}
