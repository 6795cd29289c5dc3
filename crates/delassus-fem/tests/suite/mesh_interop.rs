//! Meshes go through another program and come back: meshio reads ours and writes its own.

use crate::python::python;
use delassus_fem::mesh::Mesh;
use std::path::PathBuf;

fn plate() -> Mesh {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/meshes/plate_v4_bin.msh");
    Mesh::read(source).expect("read")
}

/// Same points and same cells in every format that meshio writes.
#[test]
fn meshio_and_back() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("meshio");
    std::fs::create_dir_all(&folder).expect("made");
    let mesh = plate();
    let ours = folder.join("ours.vtu");
    mesh.write(&ours).expect("written");
    let script = r#"
import sys, meshio
from pathlib import Path
ours = Path(sys.argv[1])
mesh = meshio.read(ours)
mesh = meshio.Mesh(mesh.points, mesh.cells)
write = lambda name, **options: meshio.write(ours.parent / name, mesh, **options)
write("ascii.vtu", binary=False)
write("base64.vtu", binary=True, compression=None)
write("ascii.vtk", file_format="vtk42", binary=False)
write("binary.vtk", file_format="vtk51", binary=True)
write("text.msh", file_format="gmsh22", binary=False)
write("binary.msh", file_format="gmsh22", binary=True)
"#;
    python(script, &[&ours]);
    let cells = |mesh: &Mesh| mesh.blocks.iter().map(|b| (b.kind, b.nodes.clone())).collect::<Vec<_>>();
    // Bytes return exactly; as text, meshio writes at least eleven decimals.
    for (name, rounding) in [
        ("ascii.vtu", 1e-11),
        ("base64.vtu", 0.0),
        ("ascii.vtk", 1e-11),
        ("binary.vtk", 0.0),
        ("text.msh", 1e-11),
        ("binary.msh", 0.0),
    ] {
        let back = Mesh::read(folder.join(name)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(back.points.len(), mesh.points.len(), "{name}");
        for (x, y) in back.points.as_flattened().iter().zip(mesh.points.as_flattened()) {
            assert!((x - y).abs() <= rounding, "{name}: {x} for {y}");
        }
        assert_eq!(cells(&back), cells(&mesh), "{name}");
    }
}
