//! VTK, PyVista and meshio read what is written.

mod python;

use delassus_vtk::{Array, Grid, PolyData};
use python::python;
use std::path::PathBuf;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

/// A unit square of two triangles and a quadrangle beside it, with fields.
fn grid() -> Grid {
    let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0]];
    let mut grid = Grid { points: points.iter().flat_map(|p| [p[0], p[1], 0.0]).collect(), ..Grid::default() };
    grid.time = Some(0.25);
    grid.push(5, [0, 1, 2]);
    grid.push(5, [0, 2, 3]);
    grid.push(9, [1, 4, 5, 2]);
    grid.point_data.push(Array::f64("velocity", 3, &(0..18).map(f64::from).collect::<Vec<_>>()));
    grid.cell_data.push(Array::i32("solid", 1, &[7, 8, 9]));
    grid.cell_data.push(Array::u8("group:a&b", 1, vec![1, 0, 1]));
    grid
}

/// Areas by PyVista: ½, ½ and 2; fields by name, with their types.
#[test]
fn pyvista_reads_a_grid() {
    let script = r#"
import sys, numpy as np, pyvista as pv
m = pv.read(sys.argv[1])
assert isinstance(m, pv.UnstructuredGrid) and m.n_points == 6 and m.n_cells == 3
areas = m.compute_cell_sizes()["Area"]
assert np.allclose(areas, [0.5, 0.5, 2.0], rtol=0, atol=1e-15), areas
assert (m.point_data["velocity"] == np.arange(18.0).reshape(6, 3)).all()
assert list(m.cell_data["solid"]) == [7, 8, 9] and m.cell_data["solid"].dtype == np.int32
assert list(m.cell_data["group:a&b"]) == [1, 0, 1] and m.cell_data["group:a&b"].dtype == np.uint8
assert m.field_data["TimeValue"][0] == 0.25
print("read")
"#;
    assert_eq!(python(script, &[&file("grid.vtu", &grid().to_bytes())]).trim(), "read");
}

/// A reader that shares no code with VTK.
#[test]
fn meshio_reads_a_grid() {
    let script = r#"
import sys, numpy as np, meshio
m = meshio.read(sys.argv[1])
cells = {c.type: c.data.tolist() for c in m.cells}
assert cells == {"triangle": [[0, 1, 2], [0, 2, 3]], "quad": [[1, 4, 5, 2]]}, cells
assert m.points.shape == (6, 3) and (m.point_data["velocity"] == np.arange(18.0).reshape(6, 3)).all()
assert [list(d) for d in m.cell_data["solid"]] == [[7, 8], [9]]
print("read")
"#;
    assert_eq!(python(script, &[&file("meshio.vtu", &grid().to_bytes())]).trim(), "read");
}

/// Vertices, lines and polygons, and data on cells in that order.
#[test]
fn pyvista_reads_shapes() {
    let mut data = PolyData { points: grid().points, ..PolyData::default() };
    data.push([0, 1, 2, 3].into_iter());
    data.push([4, 5].into_iter());
    data.push([5].into_iter());
    data.cell_data.push(Array::i32("id", 1, &[5, 4, 3]));
    let script = r#"
import sys, pyvista as pv
m = pv.read(sys.argv[1])
assert isinstance(m, pv.PolyData) and (m.n_verts, m.n_lines, m.n_cells) == (1, 1, 3)
assert m.compute_cell_sizes()["Area"].tolist() == [0, 0, 1] and m.compute_cell_sizes()["Length"].tolist() == [0, 1, 0]
assert list(m.cell_data["id"]) == [5, 4, 3]
print("read")
"#;
    assert_eq!(python(script, &[&file("shapes.vtp", &data.to_bytes())]).trim(), "read");
}
