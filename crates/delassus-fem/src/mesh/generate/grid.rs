//! Grids: the cells of a box of indices

use super::super::{CellKind, Mesh, MeshError};

/// (n₀+1)(n₁+1) nodes and n₀ n₁ quadrangles, the first index fastest.
pub(super) fn plane(cells: [usize; 2], at: impl Fn(usize, usize) -> [f64; 2]) -> Mesh {
    let [nx, ny] = cells;
    let mut mesh = Mesh::new(2, Vec::with_capacity((nx + 1) * (ny + 1)));
    for j in 0..=ny {
        mesh.points.extend((0..=nx).map(|i| at(i, j)).map(|[x, y]| [x, y, 0.0]));
    }
    let id = |i: usize, j: usize| (j * (nx + 1) + i) as u32;
    for j in 0..ny {
        for i in 0..nx {
            mesh.push_cell(CellKind::Quad4, &[id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    mesh
}

/// The same in space, with hexahedra.
pub(super) fn space(cells: [usize; 3], at: impl Fn(usize, usize, usize) -> [f64; 3]) -> Mesh {
    let [nx, ny, nz] = cells;
    let mut mesh = Mesh::new(3, Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1)));
    for k in 0..=nz {
        for j in 0..=ny {
            mesh.points.extend((0..=nx).map(|i| at(i, j, k)));
        }
    }
    let id = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let face = |k| [id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k)];
                let mut nodes = [0; 8];
                nodes[..4].copy_from_slice(&face(k));
                nodes[4..].copy_from_slice(&face(k + 1));
                mesh.push_cell(CellKind::Hex8, &nodes);
            }
        }
    }
    mesh
}

/// Hexahedra over the quadrangles of a plane mesh, between the given heights.
pub(super) fn extrude(base: &Mesh, heights: &[f64]) -> Result<Mesh, MeshError> {
    let count = base.points.len() * heights.len();
    if u32::try_from(count).is_err() {
        return Err(MeshError::TooMany { what: "nodes", count });
    }
    let layer = base.points.len() as u32;
    let lift = |&z: &f64| base.points.iter().map(move |p| [p[0], p[1], z]);
    let mut mesh = Mesh::new(3, heights.iter().flat_map(lift).collect());
    for k in 0..heights.len() as u32 - 1 {
        for quad in base.blocks.iter().filter(|b| b.kind == CellKind::Quad4).flat_map(|b| b.cells()) {
            let at = |i: usize| quad[i % 4] + layer * (k + u32::from(i >= 4));
            mesh.push_cell(CellKind::Hex8, &std::array::from_fn::<u32, 8, _>(at));
        }
    }
    Ok(mesh)
}
