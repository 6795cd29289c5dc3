//! Files of meshes: those Gmsh and VTK wrote, round trips, and files that are wrong
//!
//! `tests/data/meshes/*.msh` were written by Gmsh 4.15, `*.vtk` and `*.vtu` by VTK 9.7:
//! see `generate.py` beside them.

#![allow(clippy::unwrap_used)]

use delassus_fem::mesh::generate::{Ball, BallPart, Disc, DiscPart, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh, MeshError, MeshFormat, Place};
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/meshes").join(name)
}

fn read(name: &str) -> Mesh {
    Mesh::read(data(name)).unwrap_or_else(|e| panic!("{e}"))
}

fn all_files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(data("")).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "msh" || e == "vtk" || e == "vtu"));
    files.sort();
    assert_eq!(files.len(), 41);
    let name = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|p| (name(p), std::fs::read(p).unwrap())).collect()
}

const ENCODINGS: [&str; 4] = ["v2_txt", "v2_bin", "v4_txt", "v4_bin"];

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// A plate 2 × 1, half triangles, half quadrangles: measures of every physical group, in
/// both versions and encodings, linear and quadratic.
#[test]
fn gmsh_plate_with_physical_groups() {
    for (stem, tri, quad, line) in [
        ("plate", CellKind::Tri3, CellKind::Quad4, CellKind::Seg2),
        ("plate2", CellKind::Tri6, CellKind::Quad8, CellKind::Seg3),
    ] {
        for encoding in ENCODINGS {
            let mesh = read(&format!("{stem}_{encoding}.msh"));
            mesh.validate().unwrap();
            assert_eq!(mesh.dim, 2);
            assert!(near(mesh.measure(), 2.0));
            let expected =
                [("bottom", 2.0), ("left side", 1.0), ("curve 42", 1.0), ("soft", 1.0), ("hard", 1.0), ("all", 2.0)];
            for (name, measure) in expected {
                assert!(near(mesh.group_measure(name).unwrap(), measure), "{stem} {encoding} {name}");
            }
            assert_eq!(mesh.groups.len(), 7);
            let kinds = |name: &str| mesh.group(name).unwrap().cells.iter().map(|&c| mesh.kind(c)).collect::<Vec<_>>();
            assert!(kinds("soft").iter().all(|&k| k == tri) && kinds("hard").iter().all(|&k| k == quad));
            assert!(kinds("bottom").iter().all(|&k| k == line));
            let probe = &mesh.group("probe").unwrap().nodes;
            assert_eq!(probe.len(), 1);
            assert_eq!(mesh.points[probe[0] as usize], [1.0, 1.0, 0.0]);
        }
    }
}

/// A box 1 × 2 × 3 of tetrahedra. With the middle nodes of a Tet10 in the wrong order the
/// Jacobian would change sign.
#[test]
fn gmsh_volumes() {
    for (stem, kind, floor, volume, name) in [
        ("tets", CellKind::Tet4, 2.0, 6.0, "floor"),
        ("tets2", CellKind::Tet10, 2.0, 6.0, "floor"),
        ("hexes", CellKind::Hex8, 1.0, 1.0, "top"),
    ] {
        for encoding in ENCODINGS {
            let mesh = read(&format!("{stem}_{encoding}.msh"));
            let mut repaired = mesh.clone();
            repaired.repair_orientation();
            repaired.validate().unwrap();
            assert_eq!(mesh.dim, 3);
            assert!(mesh.volume_cells().all(|c| mesh.kind(c) == kind));
            assert!(near(repaired.group_measure("solid").unwrap(), volume), "{stem} {encoding}");
            assert!(near(mesh.group_measure(name).unwrap(), floor));
            if kind == CellKind::Tet10 {
                for cell in mesh.volume_cells() {
                    let n = mesh.cell(cell);
                    for (e, [i, j]) in kind.edges().iter().enumerate() {
                        let [a, b, m] = [n[*i as usize], n[*j as usize], n[4 + e]].map(|n| mesh.points[n as usize]);
                        assert!((0..3).all(|k| near(m[k], 0.5 * (a[k] + b[k]))));
                    }
                }
            }
        }
    }
}

/// Text and binary say the same, to the 16 digits that Gmsh writes.
#[test]
fn encodings_agree() {
    for stem in ["plate", "plate2", "tets", "tets2", "hexes"] {
        for version in ["v2", "v4"] {
            let (text, binary) =
                (read(&format!("{stem}_{version}_txt.msh")), read(&format!("{stem}_{version}_bin.msh")));
            for (a, b) in text.points.iter().zip(&binary.points) {
                assert!((0..3).all(|k| (a[k] - b[k]).abs() <= 1e-15 * b[k].abs().max(1.0)));
            }
            assert_eq!(text.points.len(), binary.points.len());
            let sizes = |m: &Mesh| {
                m.groups.iter().map(|(n, g)| (n.clone(), g.cells.len(), g.nodes.clone())).collect::<Vec<_>>()
            };
            assert_eq!(sizes(&text), sizes(&binary));
        }
    }
}

/// All files of one grid are equal: old and new VTK, text, base64, raw; groups of VTU.
#[test]
fn vtk_files_agree() {
    for (stem, dim, measure) in [("mixed", 2, 2.0), ("bricks", 3, 2.0)] {
        let reference = read(&format!("{stem}_ascii_32.vtu"));
        reference.validate().unwrap();
        assert!(reference.dim == dim && near(reference.measure(), measure));
        for name in ["base64_32.vtu", "base64_64.vtu", "raw_32.vtu", "raw_64.vtu", "appended64_64.vtu"] {
            assert_eq!(read(&format!("{stem}_{name}")), reference, "{name}");
        }
        for name in ["old_txt.vtk", "old_bin.vtk", "new_txt.vtk", "new_bin.vtk"] {
            let mesh = Mesh { groups: reference.groups.clone(), ..read(&format!("{stem}_{name}")) };
            assert_eq!(mesh, reference, "{name}");
        }
    }
    let mesh = read("mixed_raw_64.vtu");
    assert_eq!(mesh.group_measure("left").unwrap(), 1.0);
    assert_eq!((mesh.group("probe").unwrap().nodes.as_slice(), mesh.groups.len()), (&[5][..], 2));
    let message = Mesh::read(data("mixed_zlib_32.vtu")).unwrap_err().to_string();
    assert!(message.contains("compressed") && message.contains("mixed_zlib_32.vtu, line 2"), "{message}");
}

fn samples() -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for kind in [CellKind::Tri3, CellKind::Tri6, CellKind::Quad4, CellKind::Quad8] {
        meshes.push(Disc { centre: [0.1, 1e-7], ..Disc::new(0.3, DiscPart::LowerRight, 2, kind) }.mesh().unwrap());
    }
    for kind in [CellKind::Tet4, CellKind::Tet10, CellKind::Hex8] {
        meshes.push(Ball::new(1.0 / 3.0, BallPart::Octant, 2, kind).mesh().unwrap());
    }
    meshes
}

/// Written and read again: the same mesh, to the last bit.
#[test]
fn vtu_round_trip() {
    for mesh in samples() {
        assert_eq!(Mesh::from_bytes("memory", &mesh.to_vtu()).unwrap(), mesh);
    }
    let mut odd = Rectangle::new([0.0; 2], [1.0; 2], [1, 1], CellKind::Quad4).mesh().unwrap();
    let group = odd.groups.remove("left").unwrap();
    odd.groups.insert("a <b> & \"c\"".into(), group);
    assert_eq!(Mesh::from_bytes("memory", &odd.to_vtu()).unwrap(), odd);
}

/// The same through Gmsh's format, where groups of nodes become points.
#[test]
fn gmsh_round_trip() {
    for mesh in samples() {
        let back = Mesh::from_bytes("memory", mesh.to_gmsh().as_bytes()).unwrap();
        assert_eq!(back.points, mesh.points);
        assert_eq!(back.measure(), mesh.measure());
        assert_eq!(back.groups.keys().collect::<Vec<_>>(), mesh.groups.keys().collect::<Vec<_>>());
        for (name, group) in &mesh.groups {
            let other = back.group(name).unwrap();
            assert_eq!((&other.nodes, other.dim), (&group.nodes, group.dim));
            let cells = |m: &Mesh, cells: &[_]| {
                let mut all: Vec<Vec<u32>> = cells.iter().map(|&c| m.cell(c).to_vec()).collect();
                all.sort();
                all
            };
            if !group.cells.is_empty() {
                assert_eq!(cells(&back, &other.cells), cells(&mesh, &group.cells));
            }
        }
        // What was read is written again the same way.
        let again = Mesh::from_bytes("memory", back.to_gmsh().as_bytes()).unwrap();
        assert_eq!(again, Mesh::from_bytes("memory", again.to_gmsh().as_bytes()).unwrap());
    }
}

#[test]
fn files_are_written_by_their_names() {
    let mesh = Rectangle::new([0.0; 2], [1.0; 2], [2, 1], CellKind::Quad4).mesh().unwrap();
    let folder = std::env::temp_dir().join(format!("delassus-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["a.msh", "a.vtu"] {
        mesh.write(folder.join(name)).unwrap();
        assert!(near(Mesh::read(folder.join(name)).unwrap().measure(), 1.0));
    }
    assert!(mesh.write(folder.join("a.stl")).unwrap_err().to_string().contains(".msh or .vtu"));
    assert!(matches!(Mesh::read(folder.join("none.msh")), Err(MeshError::Io { .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Cut at every byte: an error or, where only data that are not read is lost, a mesh;
/// never a panic.
#[test]
fn truncated_files_are_refused() {
    for (name, bytes) in all_files() {
        for end in 0..bytes.len() {
            let result = Mesh::from_bytes(&name, &bytes[..end]);
            let last = bytes.trim_ascii_end().len();
            if name.ends_with(".msh") && end < last {
                assert!(result.is_err(), "{name} cut at {end}");
            }
            if let Err(e) = result {
                assert!(e.to_string().starts_with(&name), "{e}");
            }
        }
    }
}

/// Bytes changed at random: errors or meshes whose numbers are in range; never a panic, and
/// memory in proportion to the file (a huge count would abort this test).
#[test]
fn damaged_files_do_not_panic() {
    use rand::{Rng, SeedableRng};
    let mut rng = rand::rngs::StdRng::seed_from_u64(5);
    for (name, bytes) in all_files() {
        for _ in 0..300 {
            let mut damaged = bytes.clone();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..damaged.len());
                damaged[at] =
                    if rng.random_bool(0.5) { rng.random() } else { b"0123456789-\xff"[rng.random_range(0..12)] };
            }
            if let Ok(mesh) = Mesh::from_bytes(&name, &damaged) {
                let nodes = mesh.points.len() as u32;
                assert!(mesh.blocks.iter().flat_map(|b| &b.nodes).all(|&n| n < nodes));
                assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
                let _ = mesh.validate();
            }
        }
    }
}

const SQUARE: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n\
                      $Elements\n1\n1 3 2 0 1 1 2 3 4\n$EndElements\n";

/// Every message says file, line, what is there and what should be.
#[test]
fn messages_point_at_the_line() {
    let mesh = Mesh::from_bytes("s.msh", SQUARE.as_bytes()).unwrap();
    assert_eq!((mesh.measure(), mesh.dim), (1.0, 2));
    for (from, to, line, found, expected) in [
        ("2.2 0 8", "3.0 0 8", 2, "3.0", "2.2 or 4.1"),
        ("3 1 1 0\n", "3 1 one 0\n", 8, "`one`", "y"),
        ("3 1 1 0\n", "3 1 nan 0\n", 8, "NaN", "finite"),
        ("$Nodes\n4", "$Nodes\n4000000000", 5, "4000000000 nodes", "at most"),
        ("1 2 3 4\n$", "1 2 3 9\n$", 13, "node 9", "one of the 4 nodes"),
        ("1 3 2", "1 6 2", 13, "type 6 (prism)", "5 (Hex8)"),
        ("1 3 2", "1 10 2", 13, "SecondOrderIncomplete", "16 (Quad8)"),
        ("$EndNodes", "$End", 10, "`$End`", "`$EndNodes`"),
        ("2 1 0 0", "1 1 0 0", 5, "node 1 twice", "differ"),
        ("$Elements", "$Else", 15, "end of the file", "`$EndElse`"),
    ] {
        let text = SQUARE.replacen(from, to, 1);
        let MeshError::Read(e) = Mesh::from_bytes("s.msh", text.as_bytes()).unwrap_err() else { panic!("{to}") };
        assert_eq!(e.place, Place::Line(line), "{e}");
        assert!(
            e.to_string().starts_with("s.msh, line ") && e.found.contains(found) && e.expected.contains(expected),
            "{e}"
        );
    }
    let message = Mesh::from_bytes("a.stl", b"solid cube").unwrap_err().to_string();
    assert!(message.contains("`solid cube`") && message.contains("$MeshFormat"), "{message}");
    let mut binary = std::fs::read(data("plate_v4_bin.msh")).unwrap();
    binary.truncate(900);
    let message = Mesh::from_bytes("p.msh", &binary).unwrap_err().to_string();
    assert!(message.contains("p.msh, byte 900: found the end of the file"), "{message}");
}

/// The same of XML: tags that do not close, numbers that are none, letters that are not base64.
#[test]
fn messages_of_vtu_point_at_the_line() {
    let text = "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n\
                <Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n<Points>\n\
                <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n\
                0 0 0 2 0 0 0 2 0\n</DataArray>\n</Points>\n<Cells>\n\
                <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>\n\
                <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>\n\
                <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray>\n\
                </Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    assert_eq!(Mesh::from_bytes("t.vtu", text.as_bytes()).unwrap().measure(), 2.0);
    for (from, to, line, found, expected) in [
        ("</Points>", "</Point>", 8, "XML", "open and close"),
        ("NumberOfCells=\"1\"", "NumberOfCells=\"one\"", 3, "`one`", "NumberOfCells"),
        ("2 0\n<", "2 zero\n<", 5, "`zero`", "a number"),
        ("format=\"ascii\">3<", "format=\"binary\">3*<", 11, "`offsets`", "base64"),
        ("format=\"ascii\">5<", "format=\"appended\" offset=\"0\">5<", 12, "appended", "<AppendedData>"),
        (">5<", ">13<", 10, "type 13", "12 (Hex8)"),
        ("\"types\"", "\"kinds\"", 3, "no such array", "`types`"),
    ] {
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        let MeshError::Read(e) = Mesh::from_bytes("t.vtu", changed.as_bytes()).unwrap_err() else { panic!("{to}") };
        assert_eq!(e.place, Place::Line(line), "{e}");
        assert!(e.found.contains(found) && e.expected.contains(expected), "{e}");
    }
}

/// Numbers of nodes need not be consecutive; one name for two dimensions stays two groups.
#[test]
fn sparse_numbers_and_shared_names() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 7 \"part\"\n2 9 \"part\"\n$EndPhysicalNames\n\
                $Nodes\n3\n100 0 0 0\n7 2 0 0\n5000000 0 2 0\n$EndNodes\n\
                $Elements\n2\n1 1 2 7 1 100 7\n8 2 2 9 1 100 7 5000000\n$EndElements\n";
    let mesh = Mesh::from_bytes("m", text.as_bytes()).unwrap();
    assert_eq!((mesh.group_measure("part").unwrap(), mesh.group_measure("part (dim 1)").unwrap()), (2.0, 2.0));
}

/// Big-endian version 2.2, byte by byte: the four-node square.
#[test]
fn big_endian_binary() {
    let mut file = b"$MeshFormat\n2.2 1 8\n\x00\x00\x00\x01\n$EndMeshFormat\n$Nodes\n4\n".to_vec();
    for (i, [x, y]) in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].iter().enumerate() {
        file.extend((i as i32 + 1).to_be_bytes());
        [*x, *y, 0.0f64].iter().for_each(|c| file.extend(c.to_be_bytes()));
    }
    file.extend(b"\n$EndNodes\n$Elements\n1\n");
    [3i32, 1, 2, 1, 5, 6, 1, 2, 3, 4].iter().for_each(|n| file.extend(n.to_be_bytes()));
    file.extend(b"\n$EndElements\n");
    let mesh = Mesh::from_bytes("be", &file).unwrap();
    assert_eq!((mesh.measure(), mesh.group_measure("surface 5").unwrap()), (1.0, 1.0));
    assert_eq!(MeshFormat::of(&file), Some(MeshFormat::Gmsh));
}
