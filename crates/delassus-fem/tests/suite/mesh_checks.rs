//! Meshes: facets, validation, repair, groups, transformations

#![allow(clippy::unwrap_used)]

use delassus_fem::mesh::generate::{Ball, BallPart, Cuboid, Disc, DiscPart, Rectangle};
use delassus_fem::mesh::{CellKind, CellRef, Mesh, MeshError};

fn unit(kind: CellKind) -> Mesh {
    match kind.dim() {
        2 => Rectangle::new([0.0; 2], [1.0; 2], [2, 2], kind).mesh().unwrap(),
        _ => Cuboid::new([0.0; 3], [1.0; 3], [2, 2, 2], kind).mesh().unwrap(),
    }
}

const SOLID: [CellKind; 7] =
    [CellKind::Tri3, CellKind::Tri6, CellKind::Quad4, CellKind::Quad8, CellKind::Tet4, CellKind::Tet10, CellKind::Hex8];

/// Outward vector whose length is the facet's measure, for straight facets.
fn area_vector(mesh: &Mesh, nodes: &[u32]) -> [f64; 3] {
    let p: Vec<[f64; 3]> = nodes.iter().map(|&n| mesh.points[n as usize]).collect();
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]].map(|c| 0.5 * c)
    };
    match (mesh.dim, nodes.len()) {
        (2, _) => {
            let t = sub(p[1], p[0]);
            [t[1], -t[0], 0.0]
        }
        (_, 4) => cross(sub(p[2], p[0]), sub(p[3], p[1])),
        _ => cross(sub(p[1], p[0]), sub(p[2], p[0])),
    }
}

/// Divergence theorem on straight cells: ∮ n = 0 and ∮ x·n = dim |Ω|; both need every
/// facet once, and outwards.
#[test]
fn the_boundary_is_closed_and_looks_outwards() {
    let mut meshes: Vec<Mesh> = SOLID.into_iter().map(unit).collect();
    meshes.push(Disc::new(1.0, DiscPart::Lower, 4, CellKind::Tri3).mesh().unwrap());
    meshes.push(Ball::new(1.0, BallPart::Lower, 3, CellKind::Tet4).mesh().unwrap());
    for mesh in meshes {
        let (mut sum, mut flux) = ([0.0; 3], 0.0);
        for facet in mesh.boundary() {
            let corners = &facet.nodes()[..facet.kind.corners()];
            let a = area_vector(&mesh, corners);
            let mid: [f64; 3] = [0, 1, 2]
                .map(|k| corners.iter().map(|&n| mesh.points[n as usize][k]).sum::<f64>() / corners.len() as f64);
            (0..3).for_each(|k| sum[k] += a[k]);
            flux += (0..3).map(|k| mid[k] * a[k]).sum::<f64>();
        }
        assert!(sum.iter().all(|s| s.abs() < 1e-12));
        assert!((flux - mesh.dim as f64 * mesh.measure()).abs() < 1e-12);
    }
}

/// Cells of boundary groups are those facets, with the same orientation.
#[test]
fn groups_of_the_boundary_are_oriented() {
    for kind in SOLID {
        let mesh = unit(kind);
        for facet in mesh.boundary() {
            let found = mesh.group("boundary").unwrap().cells.iter().any(|&c| mesh.cell(c) == facet.nodes());
            assert!(found, "{kind} {facet:?}");
        }
    }
}

/// Every cell turned over is repaired, and its boundary with it.
#[test]
fn orientation_is_repaired() {
    for kind in SOLID {
        let good = unit(kind);
        let mut bad = good.clone();
        // A mirrored mesh whose cells were not turned over.
        bad.map(|p| [-p[0], p[1], p[2]]);
        let message = bad.validate().unwrap_err().to_string();
        let count = good.volume_cells().count();
        assert!(message.contains(&format!("{kind} 0 is inverted")), "{message}");
        assert!(message.contains(&format!("{} other elements", count - 1)), "{message}");
        let repair = bad.repair_orientation();
        assert_eq!((repair.cells, repair.facets), (count, good.boundary().len()));
        bad.validate().unwrap();
        assert!((bad.measure() - 1.0).abs() < 1e-13);
        assert_eq!(bad.repair_orientation(), Default::default());
    }
}

/// An element turned inside out is named with its number, nodes and place.
#[test]
fn an_inverted_element_is_named() {
    let mut mesh = Rectangle::new([0.0; 2], [4.0, 1.0], [4, 1], CellKind::Quad4).mesh().unwrap();
    // The lower node between cells 1 and 2 goes far into cell 2: that one folds.
    mesh.points[2] = [3.2, 0.9, 0.0];
    let MeshError::BadCell(bad) = mesh.validate().unwrap_err() else { panic!() };
    assert_eq!((bad.kind, bad.number, bad.nodes.as_slice(), bad.others), (CellKind::Quad4, 2, &[2, 3, 8, 7][..], 0));
    assert!(bad.quality < 0.0 && bad.centre[0] > 2.0 && bad.centre[0] < 3.5);
    let text = bad.to_string();
    assert!(text.contains("Quad4 2 is inverted") && text.contains("[2, 3, 8, 7]"), "{text}");
}

#[test]
fn degenerate_elements_are_named() {
    for kind in SOLID {
        let mut flat = unit(kind);
        flat.map(|p| [p[0], 0.0, p[2]]);
        let text = flat.validate().unwrap_err().to_string();
        assert!(text.contains("degenerate") && text.contains(kind.name()), "{text}");
    }
    // A middle node too near a corner (beyond the quarter point) folds the edge.
    let mut mesh = Mesh::new(
        2,
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]],
    );
    mesh.push_cell(CellKind::Tri6, &[0, 1, 2, 3, 4, 5]);
    assert!(mesh.validate().unwrap_err().to_string().contains("Tri6 0 is inverted"));
    mesh.points[3][0] = 0.3;
    mesh.validate().unwrap();
}

/// The scaled Jacobian: 1 for regular cells, sin of the angle for a sheared square.
#[test]
fn quality_of_known_shapes() {
    let quality = |points: Vec<[f64; 3]>, dim, kind: CellKind| {
        let mut mesh = Mesh::new(dim, points);
        let nodes: Vec<u32> = (0..kind.nodes() as u32).collect();
        mesh.push_cell(kind, &nodes);
        mesh.cell_quality(mesh.volume_cells().next().unwrap())
    };
    let h = 0.75f64.sqrt();
    assert!((quality(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.5, h, 0.0]], 2, CellKind::Tri3) - 1.0).abs() < 1e-14);
    let tet = vec![[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];
    assert!((quality(tet, 3, CellKind::Tet4) - 1.0).abs() < 1e-14);
    let shear = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0 + h, 0.5, 0.0], [h, 0.5, 0.0]];
    assert!((quality(shear, 2, CellKind::Quad4) - 0.5).abs() < 1e-14);
}

#[test]
fn structural_errors_are_named() {
    let refused = |change: &dyn Fn(&mut Mesh), what: &str| {
        let mut mesh = unit(CellKind::Quad4);
        change(&mut mesh);
        let message = mesh.validate().unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    };
    refused(&|m| m.dim = 1, "dimension 2 or 3, not 1");
    refused(&|m| m.points[3][1] = f64::NAN, "node 3");
    refused(&|m| m.points[3][2] = 1.0, "node 3");
    refused(&|m| m.blocks[0].nodes[5] = 99, "Quad4 1 names node 99: the mesh has nodes 0 to 8");
    refused(&|m| m.blocks[0].nodes[5] = m.blocks[0].nodes[4], "Quad4 1 has node 1 twice");
    refused(&|m| m.blocks[0].nodes.truncate(15), "not a multiple of 4");
    refused(&|m| m.groups.get_mut("left").unwrap().cells[0].index = 77, "group `left` names cell 77");
    refused(&|m| m.groups.get_mut("left").unwrap().nodes[0] = 77, "group `left` names node 77");
    let push = |m: &mut Mesh, kind: CellKind, nodes: &[u32]| {
        m.push_cell(kind, nodes);
    };
    refused(&|m| push(m, CellKind::Quad4, &[0, 1, 4, 3]), "belongs to");
    refused(&|m| push(m, CellKind::Hex8, &[0, 1, 2, 3, 4, 5, 6, 7]), "cannot hold cells Hex8");
    // A linear beside a quadratic element: a middle node hangs.
    let mut mesh = Rectangle::new([0.0; 2], [1.0, 1.0], [1, 1], CellKind::Quad8).mesh().unwrap();
    mesh.points.extend([[2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]);
    let (a, b) = (mesh.points.len() as u32 - 2, mesh.points.len() as u32 - 1);
    mesh.push_cell(CellKind::Quad4, &[1, a, b, 3]);
    assert!(matches!(mesh.validate(), Err(MeshError::NotConforming { .. })));
}

#[test]
fn an_unknown_group_suggests_the_nearest() {
    let message = unit(CellKind::Quad4).group("botom").unwrap_err().to_string();
    assert!(message.contains("did you mean `bottom`?") && message.contains("`left`, `right`, `top`"), "{message}");
    let message = unit(CellKind::Quad4).group("xyzzy").unwrap_err().to_string();
    assert!(!message.contains("mean") && message.contains("`boundary`"), "{message}");
    assert!(Mesh::new(2, vec![]).group("a").unwrap_err().to_string().contains("no groups"));
}

#[test]
fn selections() {
    let mut mesh = Rectangle::new([0.0; 2], [4.0, 2.0], [4, 2], CellKind::Quad4).mesh().unwrap();
    assert_eq!(mesh.nodes_in_ball([4.0, 2.0, 0.0], 1.0), [9, 13, 14]);
    assert_eq!(mesh.nearest_node([3.2, 1.1, 0.0]), Some(8));
    mesh.group_boundary("half", |p| p[1] == 0.0 && p[0] <= 2.0).unwrap();
    assert!((mesh.group_measure("half").unwrap() - 2.0).abs() < 1e-15);
    assert_eq!(mesh.group("half").unwrap().nodes, [0, 1, 2]);
    // Facets that are cells already are used, not doubled.
    assert_eq!(mesh.cells_of_dim(1).count(), mesh.boundary().len());
    let empty = mesh.group_boundary("none", |p| p[1] > 5.0).unwrap_err().to_string();
    assert!(empty.contains("`none`") && empty.contains("12"), "{empty}");
    assert!(matches!(mesh.group_boundary("half", |_| true), Err(MeshError::GroupExists { .. })));
    assert!(mesh.add_node_group("far", vec![400]).is_err());
    let mixed = vec![CellRef { block: 0, index: 0 }, CellRef { block: 1, index: 0 }];
    assert!(mesh.add_group("mixed", mixed).unwrap_err().to_string().contains("one dimension"));
}

/// Measures under maps: unchanged by motions, multiplied by |det|; cells stay upright.
#[test]
fn transformations_keep_or_scale_measures() {
    for kind in SOLID {
        let mut mesh = unit(kind);
        let axis = if mesh.dim == 2 { [0.0, 0.0, 2.0] } else { [1.0, -2.0, 0.5] };
        let normal = if mesh.dim == 2 { [1.0, 2.0, 0.0] } else { [1.0, 2.0, -3.0] };
        mesh.translate([3.0, 4.0, 0.0]);
        mesh.rotate([1.0, 0.0, 0.0], axis, 0.8).unwrap();
        mesh.mirror([0.5, 0.0, 0.0], normal).unwrap();
        mesh.validate().unwrap();
        assert!((mesh.measure() - 1.0).abs() < 1e-13);
        assert_eq!(mesh.repair_orientation(), Default::default());
        mesh.scale([-2.0, 3.0, 0.5]).unwrap();
        mesh.validate().unwrap();
        let factor = if mesh.dim == 2 { 6.0 } else { 3.0 };
        assert!((mesh.measure() - factor).abs() < 1e-12);
        assert_eq!(mesh.repair_orientation(), Default::default());
    }
    let mut mesh = unit(CellKind::Quad4);
    assert!(mesh.rotate([0.0; 3], [1.0, 0.0, 0.0], 1.0).is_err() && mesh.rotate([0.0; 3], [0.0; 3], 1.0).is_err());
    assert!(mesh.mirror([0.0; 3], [0.0; 3]).is_err() && mesh.scale([0.0, 1.0, 1.0]).is_err());
    mesh.rotate([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2).unwrap();
    assert!((mesh.points[0][0] - 1.0).abs() < 1e-15 && (mesh.points[0][1] + 1.0).abs() < 1e-15);
}

#[test]
fn meshes_merge_and_weld() {
    let left = Rectangle::new([0.0; 2], [1.0; 2], [2, 3], CellKind::Quad4).mesh().unwrap();
    let mut right = left.clone();
    right.translate([1.0, 0.0, 0.0]);
    let mut both = left.clone();
    both.merge(&right, "second.").unwrap();
    both.validate().unwrap();
    assert_eq!(both.boundary().len(), 20);
    assert!((both.group_measure("second.right").unwrap() - 1.0).abs() < 1e-15);
    let nodes = &both.group("second.right").unwrap().nodes;
    assert!(nodes.iter().all(|&n| both.points[n as usize][0] == 2.0));
    assert_eq!(both.weld(1e-9), 4);
    assert_eq!((both.boundary().len(), both.points.len()), (14, 20));
    both.validate().unwrap();
    assert!(matches!(both.merge(&right, "second."), Err(MeshError::GroupExists { .. })));
    assert!(both.merge(&unit(CellKind::Hex8), "x").is_err());
    let mut united = left.clone();
    united.merge(&right, "").unwrap();
    assert_eq!(united.group("top").unwrap().cells.len(), 4);
    united.validate().unwrap();
}

/// Tetrahedra cut from hexahedra that are numbered at random still fit together.
#[test]
fn hexahedra_in_any_numbering_are_cut_conformingly() {
    use rand::{SeedableRng, seq::SliceRandom};
    let hexes = Cuboid::new([0.0; 3], [1.0; 3], [3, 3, 3], CellKind::Hex8).mesh().unwrap();
    for seed in 0..5 {
        let mut order: Vec<u32> = (0..hexes.points.len() as u32).collect();
        order.shuffle(&mut rand::rngs::StdRng::seed_from_u64(seed));
        let mut mesh = Mesh::new(3, vec![[0.0; 3]; order.len()]);
        (0..order.len()).for_each(|i| mesh.points[order[i] as usize] = hexes.points[i]);
        for cell in hexes.volume_cells() {
            let nodes: Vec<u32> = hexes.cell(cell).iter().map(|&n| order[n as usize]).collect();
            mesh.push_cell(CellKind::Hex8, &nodes);
        }
        let tets = mesh.simplices();
        tets.validate().unwrap();
        assert_eq!((tets.volume_cells().count(), tets.boundary().len()), (27 * 6, 54 * 2));
        assert!((tets.measure() - 1.0).abs() < 1e-13);
    }
}
