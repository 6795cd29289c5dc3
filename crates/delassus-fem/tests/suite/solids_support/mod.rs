//! Small meshes and dense assembly for the tests of solids
#![allow(dead_code)]

use delassus_fem::element;
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::{Block, CellKind, CellRef, Mesh};
use delassus_fem::solid::{Energies, Hypothesis, Motion, Solid, SolidError};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

pub const PLANE: [CellKind; 4] = [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8];
pub const SPACE: [CellKind; 3] = [CellKind::Tet4, CellKind::Tet10, CellKind::Hex8];
pub const ALL: [CellKind; 7] =
    [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8, CellKind::Tet4, CellKind::Tet10, CellKind::Hex8];

pub fn hypotheses(kind: CellKind) -> Vec<Hypothesis> {
    if element::dimension(kind) == 3 {
        vec![Hypothesis::Space]
    } else {
        vec![
            Hypothesis::PlaneStrain { thickness: 0.7 },
            Hypothesis::PlaneStress { thickness: 0.7 },
            Hypothesis::Axisymmetric,
        ]
    }
}

pub fn j2(kinematic: f64) -> Material {
    let isotropic = Hardening::Table(vec![(0.0, 1.0), (0.02, 1.3), (0.1, 1.5)]);
    Material::J2(J2 { young: 100.0, poisson: 0.3, yield_stress: 1.0, isotropic, kinematic })
}

pub fn materials(kinematics: Kinematics) -> Vec<Material> {
    let (young, poisson) = (100.0, 0.3);
    match kinematics {
        Kinematics::Small => vec![Material::Elastic { young, poisson }, j2(0.0), j2(5.0)],
        Kinematics::Finite => vec![
            Material::StVenantKirchhoff { young, poisson },
            Material::NeoHookean { young, poisson },
            j2(0.0),
            j2(5.0),
        ],
    }
}

/// Pairs of corners whose middles complete a quadratic cell, in VTK's order.
fn edges(kind: CellKind) -> &'static [(usize, usize)] {
    match kind {
        CellKind::Tri6 => &[(0, 1), (1, 2), (2, 0)],
        CellKind::Quad8 => &[(0, 1), (1, 2), (2, 3), (3, 0)],
        CellKind::Tet10 => &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
        CellKind::Seg3 => &[(0, 1)],
        _ => &[],
    }
}

/// `n` cells a side on the unit square or cube, corners moved by `place`, edges straight.
/// The boundary is in a second block, of facets.
pub fn grid(kind: CellKind, n: usize, place: &dyn Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    grid_of(kind, [n; 3], place)
}

/// The same with other numbers of cells along each side.
pub fn grid_of(kind: CellKind, n: [usize; 3], place: &dyn Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    let dim = element::dimension(kind);
    let mut builder = Builder { points: Vec::new(), nodes: BTreeMap::new(), n, place };
    let mut cells = Vec::new();
    let layers = if dim == 3 { n[2] } else { 1 };
    for z in 0..layers {
        for y in 0..n[1] {
            for x in 0..n[0] {
                let corner = |d: [usize; 3]| [x + d[0], y + d[1], if dim == 3 { z + d[2] } else { 0 }];
                for corners in split(kind) {
                    let corners: Vec<_> = corners.iter().map(|&d| corner(d)).collect();
                    builder.push(kind, &corners, &mut cells);
                }
            }
        }
    }
    let mesh =
        Mesh { dim, points: builder.points, blocks: vec![Block { kind, nodes: cells }], groups: BTreeMap::new() };
    with_boundary(mesh, kind)
}

struct Builder<'a> {
    points: Vec<[f64; 3]>,
    /// Keyed by the sum of the lattice positions of the ends of an edge, or twice a corner's.
    nodes: BTreeMap<[usize; 3], u32>,
    n: [usize; 3],
    place: &'a dyn Fn([f64; 3]) -> [f64; 3],
}

impl Builder<'_> {
    fn push(&mut self, kind: CellKind, corners: &[[usize; 3]], cells: &mut Vec<u32>) {
        for &c in corners {
            cells.push(self.node(c, c));
        }
        for &(i, j) in edges(kind) {
            cells.push(self.node(corners[i], corners[j]));
        }
    }

    fn node(&mut self, a: [usize; 3], b: [usize; 3]) -> u32 {
        let at = |c: [usize; 3]| (self.place)(std::array::from_fn(|k| c[k] as f64 / self.n[k] as f64));
        let (p, q) = (at(a), at(b));
        *self.nodes.entry(std::array::from_fn(|k| a[k] + b[k])).or_insert_with(|| {
            self.points.push(std::array::from_fn(|k| 0.5 * (p[k] + q[k])));
            self.points.len() as u32 - 1
        })
    }
}

/// Corners of the cells that fill a square or a cube.
fn split(kind: CellKind) -> Vec<Vec<[usize; 3]>> {
    let square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
    match element::corner_kind(kind) {
        CellKind::Quad4 => vec![square.to_vec()],
        CellKind::Tri3 => vec![vec![square[0], square[1], square[2]], vec![square[0], square[2], square[3]]],
        CellKind::Hex8 => {
            let top = square.map(|c| [c[0], c[1], 1]);
            vec![[square, top].concat()]
        }
        _ => {
            // Kuhn: paths from (0,0,0) to (1,1,1), one axis at a time.
            let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];
            let path = |order: &[usize; 3]| {
                let mut at = [0, 0, 0];
                let mut corners = vec![at];
                for &k in order {
                    at[k] = 1;
                    corners.push(at);
                }
                corners
            };
            let mut all: Vec<_> = orders.iter().map(path).collect();
            // Odd permutations are left-handed.
            for tet in &mut all[3..] {
                tet.swap(1, 2);
            }
            all
        }
    }
}

/// Faces of a cell: corners, then middles.
fn faces(kind: CellKind) -> (CellKind, Vec<Vec<usize>>) {
    let v = |x: &[&[usize]]| x.iter().map(|f| f.to_vec()).collect();
    match kind {
        CellKind::Tri3 => (CellKind::Seg2, v(&[&[0, 1], &[1, 2], &[2, 0]])),
        CellKind::Tri6 => (CellKind::Seg3, v(&[&[0, 1, 3], &[1, 2, 4], &[2, 0, 5]])),
        CellKind::Quad4 => (CellKind::Seg2, v(&[&[0, 1], &[1, 2], &[2, 3], &[3, 0]])),
        CellKind::Quad8 => (CellKind::Seg3, v(&[&[0, 1, 4], &[1, 2, 5], &[2, 3, 6], &[3, 0, 7]])),
        CellKind::Tet4 => (CellKind::Tri3, v(&[&[0, 1, 2], &[0, 1, 3], &[1, 2, 3], &[0, 2, 3]])),
        CellKind::Tet10 => {
            (CellKind::Tri6, v(&[&[0, 1, 2, 4, 5, 6], &[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[0, 2, 3, 6, 9, 7]]))
        }
        _ => (
            CellKind::Quad4,
            v(&[&[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]),
        ),
    }
}

fn with_boundary(mut mesh: Mesh, kind: CellKind) -> Mesh {
    let (facet, faces) = faces(kind);
    let mut seen: BTreeMap<Vec<u32>, Vec<Vec<u32>>> = BTreeMap::new();
    for cell in mesh.blocks[0].nodes.chunks(element::nodes(kind)) {
        for face in &faces {
            let nodes: Vec<u32> = face.iter().map(|&a| cell[a]).collect();
            let mut key = nodes.clone();
            key.sort_unstable();
            seen.entry(key).or_default().push(nodes);
        }
    }
    let nodes = seen.into_values().filter(|f| f.len() == 1).flatten().flatten().collect();
    mesh.blocks.push(Block { kind: facet, nodes });
    mesh
}

pub fn cells(mesh: &Mesh) -> Vec<CellRef> {
    refs(mesh, 0)
}

pub fn refs(mesh: &Mesh, block: u32) -> Vec<CellRef> {
    let b = &mesh.blocks[block as usize];
    (0..(b.nodes.len() / element::nodes(b.kind)) as u32).map(|index| CellRef { block, index }).collect()
}

/// A distortion that keeps radii positive and bends no edge of the boundary out of its line.
pub fn distort(x: [f64; 3]) -> [f64; 3] {
    let bump = |a: f64, b: f64| a * (1.0 - a) * (1.0 + b) * 0.3;
    [x[0] + bump(x[0], x[1] + x[2]) + 0.5, x[1] - bump(x[1], x[0] - x[2]), x[2] + bump(x[2], x[0] * x[1])]
}

pub fn boundary_nodes(mesh: &Mesh) -> Vec<u32> {
    let mut nodes = mesh.blocks[1].nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Displacements `u(X)` of all nodes.
pub fn interpolate(mesh: &Mesh, u: &dyn Fn([f64; 3]) -> [f64; 3]) -> Vec<f64> {
    mesh.points.iter().flat_map(|&x| u(x)[..mesh.dim].to_vec()).collect()
}

/// Forces, tangent, energies and new variables, dense.
pub struct Assembly {
    pub force: DVector<f64>,
    pub matrix: DMatrix<f64>,
    pub energies: Energies,
    pub history: Vec<f64>,
}

pub fn assemble(solid: &Solid, motion: Motion, history: &[f64], tangent: Option<[f64; 2]>) -> Assembly {
    try_assemble(solid, motion, history, tangent).expect("a possible motion")
}

pub fn try_assemble(
    solid: &Solid,
    motion: Motion,
    history: &[f64],
    tangent: Option<[f64; 2]>,
) -> Result<Assembly, SolidError> {
    let (dim, n) = (solid.dim(), solid.dim() * solid.node_count());
    let mut force = DVector::zeros(n);
    let mut matrix = if tangent.is_some() { DMatrix::zeros(n, n) } else { DMatrix::zeros(0, 0) };
    let mut new = vec![f64::NAN; solid.history_len()];
    let mut sink = |cell: usize, f: &[f64], k: &[f64]| {
        let dofs: Vec<usize> =
            solid.connectivity(cell).iter().flat_map(|&a| (0..dim).map(move |i| dim * a as usize + i)).collect();
        for (r, &i) in dofs.iter().enumerate() {
            force[i] += f[r];
            if !k.is_empty() {
                for (c, &j) in dofs.iter().enumerate() {
                    matrix[(i, j)] += k[r * dofs.len() + c];
                }
            }
        }
    };
    let energies = solid.evaluate(0..solid.cells(), motion, history, &mut new, tangent, &mut sink)?;
    Ok(Assembly { force, matrix, energies, history: new })
}

/// Newton's method with step halving for `f(u) = load`, some displacements imposed; returns the
/// last assembly and the relative residuals.
pub fn equilibrium(
    solid: &Solid,
    u: &mut [f64],
    history: &[f64],
    imposed: &BTreeMap<usize, f64>,
    load: &DVector<f64>,
) -> (Assembly, Vec<f64>) {
    for (&i, &x) in imposed {
        u[i] = x;
    }
    let free: Vec<usize> = (0..u.len()).filter(|i| !imposed.contains_key(i)).collect();
    let residual = |a: &Assembly| DVector::from_iterator(free.len(), free.iter().map(|&i| load[i] - a.force[i]));
    let mut a = assemble(solid, Motion { u, v: &[] }, history, Some([1.0, 0.0]));
    let mut norms: Vec<f64> = Vec::new();
    for _ in 0..40 {
        let r = residual(&a);
        norms.push(r.amax() / a.force.amax().max(load.amax()).max(f64::MIN_POSITIVE));
        // At rounding, residuals no longer fall.
        let last = norms[norms.len() - 1];
        let stalled = last < 1e-7 && norms.len() > 1 && last > 0.1 * norms[norms.len() - 2];
        if free.is_empty() || last < 1e-13 || stalled {
            return (a, norms);
        }
        let k = DMatrix::from_fn(free.len(), free.len(), |r, c| a.matrix[(free[r], free[c])]);
        let step = k.lu().solve(&r).expect("a regular tangent");
        let start = u.to_vec();
        let mut length = 1.0;
        a = loop {
            for (r, &i) in free.iter().enumerate() {
                u[i] = start[i] + length * step[r];
            }
            match try_assemble(solid, Motion { u, v: &[] }, history, Some([1.0, 0.0])) {
                Ok(next) if length < 0.02 || residual(&next).norm() < r.norm() || last < 1e-6 => break next,
                Err(e) if length < 0.02 => panic!("{e}"),
                _ => length *= 0.5,
            }
        };
    }
    panic!("Newton did not converge: {norms:?}");
}
