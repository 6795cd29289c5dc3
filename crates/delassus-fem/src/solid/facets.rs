//! Loads on the boundary
//!
//! ```text
//! f_a = ∫ N_a t dA                       dead traction, per reference area
//! f_a = −∫ p N_a n dA                    pressure, on the reference or on the moving surface
//! ```
//!
//! Facets are turned outwards by the cell that they bound.

use super::{Hypothesis, Sink, Solid, SolidError, cell_nodes};
use crate::element::{self, NODES_MAX};
use crate::mesh::{CellKind, CellRef, Mesh};
use std::collections::HashMap;
use std::ops::Range;

const DOFS_MAX: usize = 3 * NODES_MAX;

/// A part of the boundary of a solid.
#[derive(Clone, Debug)]
pub struct Facets {
    hypothesis: Hypothesis,
    points: Vec<[f64; 3]>,
    facets: Vec<Facet>,
}

#[derive(Clone, Debug)]
struct Facet {
    kind: CellKind,
    nodes: Vec<u32>,
    /// +1 where the facet's own normal points outwards, else −1.
    sign: f64,
}

/// A pressure \[Pa\], positive in compression.
#[derive(Clone, Copy, Debug)]
pub struct Pressure<'a> {
    /// Its value.
    pub value: f64,
    /// Displacements of the surface that it follows; `None`: it stays on the reference one.
    pub follows: Option<&'a [f64]>,
}

impl Solid {
    /// Facets of a mesh (segments in the plane, triangles and quadrangles in space) that bound
    /// this solid.
    ///
    /// # Errors
    /// Names the facet that is missing, or on no cell of the solid.
    pub fn facets(&self, mesh: &Mesh, facets: &[CellRef]) -> Result<Facets, SolidError> {
        let dim = self.dim();
        let mut owners: HashMap<u32, Vec<u32>> = HashMap::new();
        for cell in 0..self.cells() {
            for &node in self.connectivity(cell) {
                owners.entry(node).or_default().push(cell as u32);
            }
        }
        let mut list = Vec::with_capacity(facets.len());
        for (facet, &at) in facets.iter().enumerate() {
            let (kind, nodes) = cell_nodes(mesh, facet, at)?;
            if element::dimension(kind) + 1 != dim {
                let accepted = if dim == 2 { "facets Seg2, Seg3" } else { "facets Tri3, Tri6, Quad4, Quad8" };
                return Err(SolidError::Kind { cell: facet, kind, dim, accepted });
            }
            let owner = owners.get(&nodes[0]).into_iter().flatten().find(|&&cell| {
                let own = self.connectivity(cell as usize);
                nodes.iter().all(|n| own.contains(n))
            });
            let Some(&owner) = owner else {
                return Err(SolidError::Facet { facet, nodes: nodes.to_vec() });
            };
            let mut item = Facet { kind, nodes: nodes.to_vec(), sign: 1.0 };
            item.sign = self.outwards(&item, owner as usize);
            list.push(item);
        }
        Ok(Facets { hypothesis: self.spec.hypothesis, points: self.points.clone(), facets: list })
    }

    fn outwards(&self, facet: &Facet, owner: usize) -> f64 {
        let centre = |nodes: &[u32]| {
            let mut c = [0.0; 3];
            for &n in nodes {
                for k in 0..3 {
                    c[k] += self.points[n as usize][k] / nodes.len() as f64;
                }
            }
            c
        };
        let (here, inside) = (centre(&facet.nodes), centre(self.connectivity(owner)));
        let middle = if element::corner_kind(facet.kind) == CellKind::Tri3 { [1.0 / 3.0; 3] } else { [0.0; 3] };
        let normal = Patch::new(facet, &self.points, None, self.dim()).at(middle).normal;
        let outwards: f64 = (0..3).map(|k| normal[k] * (here[k] - inside[k])).sum();
        if outwards < 0.0 { -1.0 } else { 1.0 }
    }
}

/// A facet where it is.
struct Patch<'a> {
    facet: &'a Facet,
    positions: [[f64; 3]; NODES_MAX],
    dim: usize,
}

/// One point of a facet: `normal` has the length of the surface element.
struct Spot {
    shape: [f64; NODES_MAX],
    gradients: [[f64; 3]; NODES_MAX],
    position: [f64; 3],
    tangents: [[f64; 3]; 2],
    normal: [f64; 3],
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl<'a> Patch<'a> {
    fn new(facet: &'a Facet, points: &[[f64; 3]], u: Option<&[f64]>, dim: usize) -> Self {
        let mut positions = [[0.0; 3]; NODES_MAX];
        for (a, &n) in facet.nodes.iter().enumerate() {
            positions[a] = points[n as usize];
            if let Some(u) = u {
                for k in 0..dim {
                    positions[a][k] += u[dim * n as usize + k];
                }
            }
        }
        Self { facet, positions, dim }
    }

    fn at(&self, xi: [f64; 3]) -> Spot {
        let mut spot = Spot {
            shape: [0.0; NODES_MAX],
            gradients: [[0.0; 3]; NODES_MAX],
            position: [0.0; 3],
            // In the plane the second tangent is the third axis.
            tangents: [[0.0; 3], if self.dim == 2 { [0.0, 0.0, 1.0] } else { [0.0; 3] }],
            normal: [0.0; 3],
        };
        element::shape(self.facet.kind, xi, &mut spot.shape);
        element::shape_gradients(self.facet.kind, xi, &mut spot.gradients);
        for a in 0..self.facet.nodes.len() {
            for k in 0..3 {
                spot.position[k] += spot.shape[a] * self.positions[a][k];
                for d in 0..self.dim - 1 {
                    spot.tangents[d][k] += spot.gradients[a][d] * self.positions[a][k];
                }
            }
        }
        spot.normal = cross(spot.tangents[0], spot.tangents[1]).map(|x| self.facet.sign * x);
        spot
    }
}

impl Facets {
    /// Number of facets.
    pub fn len(&self) -> usize {
        self.facets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty()
    }

    /// Nodes of a facet.
    pub fn connectivity(&self, facet: usize) -> &[u32] {
        &self.facets[facet].nodes
    }

    /// Forces of a dead traction, given per reference area \[Pa\] at a reference position:
    /// `sink(facet, f_e, &[])`.
    ///
    /// # Errors
    /// A range beyond the last facet, a traction that is not finite.
    pub fn traction(
        &self,
        range: Range<usize>,
        traction: &mut dyn FnMut([f64; 3]) -> [f64; 3],
        sink: &mut Sink<'_>,
    ) -> Result<(), SolidError> {
        self.check(&range)?;
        let dim = self.hypothesis.dim();
        for index in range {
            let facet = &self.facets[index];
            let patch = Patch::new(facet, &self.points, None, dim);
            let rule = element::mass_rule(facet.kind);
            let mut force = [0.0; DOFS_MAX];
            for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
                let spot = patch.at(xi);
                let area = spot.normal.iter().map(|x| x * x).sum::<f64>().sqrt();
                let w = weight * area * self.hypothesis.extent(spot.position[0]);
                let t = traction(spot.position);
                for a in 0..facet.nodes.len() {
                    for k in 0..dim {
                        force[dim * a + k] += w * spot.shape[a] * t[k];
                    }
                }
            }
            finite(index, &force)?;
            sink(index, &force[..dim * facet.nodes.len()], &[]);
        }
        Ok(())
    }

    /// Forces of a pressure: `sink(facet, f_e, k_e)`, with `k_e = ∂f_e/∂u` row-major (not
    /// symmetric) where `tangent` is asked, else empty; zero for a pressure that does not
    /// follow. The thickness of plane stress is the reference one.
    ///
    /// # Errors
    /// A range beyond the last facet, a vector of the wrong length, numbers that are not finite.
    pub fn pressure(
        &self,
        range: Range<usize>,
        pressure: Pressure<'_>,
        tangent: bool,
        sink: &mut Sink<'_>,
    ) -> Result<(), SolidError> {
        self.check(&range)?;
        let dim = self.hypothesis.dim();
        if let Some(u) = pressure.follows {
            super::check_length("displacement", u, dim * self.points.len())?;
        }
        let mut matrix = [0.0; DOFS_MAX * DOFS_MAX];
        for index in range {
            let facet = &self.facets[index];
            let n = dim * facet.nodes.len();
            let patch = Patch::new(facet, &self.points, pressure.follows, dim);
            let rule = element::mass_rule(facet.kind);
            let mut force = [0.0; DOFS_MAX];
            matrix[..n * n].fill(0.0);
            for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
                let spot = patch.at(xi);
                let w = -pressure.value * weight;
                let extent = self.hypothesis.extent(spot.position[0]);
                for a in 0..facet.nodes.len() {
                    for k in 0..dim {
                        force[dim * a + k] += w * extent * spot.shape[a] * spot.normal[k];
                    }
                }
                if tangent && pressure.follows.is_some() {
                    self.add_follower(facet, &spot, w, &mut matrix[..n * n]);
                }
            }
            finite(index, &force)?;
            sink(index, &force[..n], &matrix[..if tangent { n * n } else { 0 }]);
        }
        Ok(())
    }

    /// `∂/∂u_b` of `w extent N_a n`: the normal turns and grows, the circle grows.
    fn add_follower(&self, facet: &Facet, spot: &Spot, w: f64, matrix: &mut [f64]) {
        let dim = self.hypothesis.dim();
        let nodes = facet.nodes.len();
        let extent = self.hypothesis.extent(spot.position[0]);
        let round = self.hypothesis == Hypothesis::Axisymmetric;
        for b in 0..nodes {
            for j in 0..dim {
                let mut unit = [0.0; 3];
                unit[j] = 1.0;
                let first = cross(unit, spot.tangents[1]);
                let second = if dim == 3 { cross(spot.tangents[0], unit) } else { [0.0; 3] };
                let mut turned = [0.0; 3];
                for k in 0..dim {
                    turned[k] =
                        extent * facet.sign * (spot.gradients[b][0] * first[k] + spot.gradients[b][1] * second[k]);
                    if round && j == 0 {
                        turned[k] += std::f64::consts::TAU * spot.shape[b] * spot.normal[k];
                    }
                }
                for a in 0..nodes {
                    for k in 0..dim {
                        matrix[(dim * a + k) * dim * nodes + dim * b + j] += w * spot.shape[a] * turned[k];
                    }
                }
            }
        }
    }

    /// Damping of dashpots, `impedances` along the normal and across it \[Pa·s/m\]: `sink(facet, &[], c_e)`.
    ///
    /// # Errors
    /// Impedances that are not finite.
    pub fn impedance(&self, [along, across]: [f64; 2], sink: &mut Sink<'_>) -> Result<(), SolidError> {
        let dim = self.hypothesis.dim();
        let mut matrix = [0.0; DOFS_MAX * DOFS_MAX];
        for (index, facet) in self.facets.iter().enumerate() {
            let n = dim * facet.nodes.len();
            let patch = Patch::new(facet, &self.points, None, dim);
            let rule = element::mass_rule(facet.kind);
            matrix[..n * n].fill(0.0);
            for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
                let spot = patch.at(xi);
                let area = spot.normal.iter().map(|x| x * x).sum::<f64>().sqrt();
                let (normal, w) =
                    (spot.normal.map(|x| x / area), weight * area * self.hypothesis.extent(spot.position[0]));
                for (i, row) in matrix[..n * n].chunks_exact_mut(n).enumerate() {
                    for (j, x) in row.iter_mut().enumerate() {
                        let (k, l) = (i % dim, j % dim);
                        let both = (along - across) * normal[k] * normal[l] + if k == l { across } else { 0.0 };
                        *x += w * spot.shape[i / dim] * spot.shape[j / dim] * both;
                    }
                }
            }
            finite(index, &matrix[..n * n])?;
            sink(index, &[], &matrix[..n * n]);
        }
        Ok(())
    }

    /// The middle of a facet and its outward unit normal there.
    pub fn plane(&self, facet: usize) -> [[f64; 3]; 2] {
        let facet = &self.facets[facet];
        let middle = if element::corner_kind(facet.kind) == CellKind::Tri3 { [1.0 / 3.0; 3] } else { [0.0; 3] };
        let spot = Patch::new(facet, &self.points, None, self.hypothesis.dim()).at(middle);
        let area = spot.normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        [spot.position, spot.normal.map(|x| x / area)]
    }

    fn check(&self, range: &Range<usize>) -> Result<(), SolidError> {
        if range.start > range.end || range.end > self.len() {
            return Err(SolidError::Range { start: range.start, end: range.end, count: self.len() });
        }
        Ok(())
    }
}

fn finite(cell: usize, force: &[f64]) -> Result<(), SolidError> {
    if force.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(SolidError::NonFinite { cell }) }
}
