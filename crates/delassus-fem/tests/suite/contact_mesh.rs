//! Surfaces of generated solids: orientation, areas, and the gap of a ball on a block.

use delassus_contact::Vector;
use delassus_fem::contact::{
    Collocation, ContactError, Interface, Master, Multipliers, Obstacle, PairSettings, Surface,
};
use delassus_fem::mesh::generate::{Ball, BallPart, Cuboid, Disc, DiscPart, Rectangle};
use delassus_fem::mesh::{Block, CellKind, CellRef, Mesh};

/// Positions of several meshes, one after the other.
fn positions<const D: usize>(meshes: &[&Mesh]) -> Vec<f64> {
    meshes.iter().flat_map(|m| &m.points).flat_map(|p| p[..D].to_vec()).collect()
}

fn surface(mesh: &Mesh, group: &str, offset: usize) -> Surface {
    mesh.surface(&mesh.group(group).expect("a group").cells, offset as u32).expect("outward")
}

/// Reverses the order of the nodes of every third boundary cell, as a file may have them.
fn shuffled(mesh: &Mesh) -> Mesh {
    let mut m = mesh.clone();
    for block in &mut m.blocks {
        let order: &[usize] = match (block.kind, mesh.dim) {
            (CellKind::Seg2, 2) => &[1, 0],
            (CellKind::Seg3, 2) => &[1, 0, 2],
            (CellKind::Tri3, 3) => &[0, 2, 1],
            (CellKind::Tri6, 3) => &[0, 2, 1, 5, 4, 3],
            (CellKind::Quad4, 3) => &[0, 3, 2, 1],
            _ => continue,
        };
        for cell in block.nodes.chunks_exact_mut(order.len()).step_by(3) {
            let old = cell.to_vec();
            cell.iter_mut().zip(order).for_each(|(n, &k)| *n = old[k]);
        }
    }
    m
}

/// Facets as sets of nodes with their orientation: rotated to begin with the smallest corner.
fn facets(s: &Surface) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = (0..s.len())
        .map(|f| {
            let mut corners = s.facet(f)[..s.edges(f)].to_vec();
            let first = (0..corners.len()).min_by_key(|&k| corners[k]).expect("corners");
            corners.rotate_left(if s.dim() == 2 { 0 } else { first });
            corners
        })
        .collect();
    all.sort_unstable();
    all
}

/// The surfaces of solids are closed, the same whatever the order of nodes in the file, and
/// the same as the boundary that the mesh finds from its solid cells.
#[test]
fn surfaces_are_outward_and_closed() {
    let mut meshes = vec![];
    for kind in [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8] {
        meshes.push(Disc::new(1.0, DiscPart::Full, 4, kind).mesh().expect("a disc"));
        meshes.push(Rectangle::new([0.0; 2], [2.0, 1.0], [4, 3], kind).mesh().expect("a rectangle"));
    }
    for kind in [CellKind::Hex8, CellKind::Tet4, CellKind::Tet10] {
        meshes.push(Ball::new(1.0, BallPart::Full, 3, kind).mesh().expect("a ball"));
        meshes.push(Cuboid::new([0.0; 3], [2.0, 1.0, 1.0], [3, 2, 2], kind).mesh().expect("a block"));
    }
    for mesh in meshes {
        let s = surface(&shuffled(&mesh), "boundary", 0);
        assert!((0..s.nodes().len()).all(|r| !s.on_border(r)));
        let direct = mesh.skin(0).expect("the boundary");
        assert_eq!(facets(&s), facets(&direct));
    }
}

/// A disc above a block, each as slave and as master: gaps are those of the circle, to the
/// order h² of its polygon; the gap is smallest under the foot, where a node is.
#[test]
fn disc_over_a_block() {
    let (radius, height) = (0.5, 0.02);
    let mut errors = vec![];
    for cells in [4, 8, 16] {
        let mut disc = Disc::new(radius, DiscPart::Lower, cells, CellKind::Quad4);
        disc.centre = [0.0, radius + height];
        let disc = disc.mesh().expect("a disc");
        let block = Rectangle::new([-1.0, -0.5], [1.0, 0.0], [50, 3], CellKind::Tri3).mesh().expect("a block");
        let x = positions::<2>(&[&disc, &block]);
        let (arc, top) = (surface(&disc, "arc", 0), surface(&block, "top", disc.points.len()));
        let s = PairSettings { collocation: Collocation::Nodes, ..PairSettings::new(0.1) };
        let v = vec![0.0; x.len()];
        let mut over = Interface::<2>::new(arc.clone(), Master::Surface(top.clone()), s).expect("valid");
        over.pair(&x, &x, &v, 0.0).expect("paired");
        let lowest = over.points().iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        assert!((lowest - height).abs() < 1e-14);
        assert!(over.points().iter().all(|p| p.normal() == Vector::<2>::new(0.0, 1.0)));
        let mut under = Interface::<2>::new(top, Master::Surface(arc), s).expect("valid");
        under.pair(&x, &x, &v, 0.0).expect("paired");
        assert!(under.points().len() > 10);
        let error = |p: &delassus_fem::contact::ContactPoint<2>| {
            let r = p.slave.apply::<2>(&x) - Vector::<2>::new(0.0, radius + height);
            (p.gap - (r.norm() - radius)).abs()
        };
        errors.push(under.points().iter().map(error).fold(0.0, f64::max));
    }
    assert!((errors[0] / errors[2]).log2() > 2.0 * 1.8, "{errors:?}");
}

/// The surface of a ball against the plane below it: Σω of the lower half is 2πR² to the
/// order h² and the gap of the foot is exact; linear elements in both families.
#[test]
fn half_ball_over_a_plane() {
    for kind in [CellKind::Hex8, CellKind::Tet4] {
        let mut errors = vec![];
        for cells in [2, 4, 8] {
            let ball = Ball::new(0.5, BallPart::Lower, cells, kind).mesh().expect("a ball");
            let x = positions::<3>(&[&ball]);
            let plane = Obstacle::half_space([0.0, 0.0, -0.51], [0.0, 0.0, 1.0]);
            let plane = Master::Obstacle(plane.expect("valid"));
            let s = PairSettings { collocation: Collocation::Nodes, ..PairSettings::new(1.0) };
            let mut i = Interface::<3>::new(surface(&ball, "sphere", 0), plane, s).expect("valid");
            i.pair(&x, &x, &vec![0.0; x.len()], 0.0).expect("paired");
            let lowest = i.points().iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
            assert!((lowest - 0.01).abs() < 1e-14);
            errors.push((i.points().iter().map(|p| p.weight).sum::<f64>() - std::f64::consts::FRAC_PI_2).abs());
        }
        assert!((errors[1] / errors[2]).log2() > 1.8, "{kind:?} {errors:?}");
    }
}

/// Two blocks of different cells one upon the other: uniform pressure is in balance in force
/// and moment, and its resultant is pressure times area.
#[test]
fn block_on_block_is_in_balance() {
    let kinds = [CellKind::Hex8, CellKind::Tet4, CellKind::Tet10];
    for upper_kind in kinds {
        for lower_kind in kinds {
            let lower = Cuboid::new([0.0; 3], [1.0, 0.8, 0.5], [3, 4, 2], lower_kind).mesh().expect("a block");
            let upper = Cuboid::new([0.0, 0.0, 0.5], [1.0, 0.8, 1.0], [4, 3, 2], upper_kind).mesh().expect("a block");
            let x = positions::<3>(&[&lower, &upper]);
            let face = |mut m: Mesh, offset: usize| {
                m.group_boundary("face", |c| (c[2] - 0.5).abs() < 1e-9).expect("a face");
                surface(&m, "face", offset)
            };
            let (bottom, top) = (face(upper, lower.points.len()), face(lower.clone(), 0));
            for multipliers in [Multipliers::P1, Multipliers::P0] {
                let s = PairSettings { multipliers, ..PairSettings::new(0.1) };
                let mut i = Interface::<3>::new(bottom.clone(), Master::Surface(top.clone()), s).expect("valid");
                i.pair(&x, &x, &vec![0.0; x.len()], 0.0).expect("paired");
                let (mut force, mut moment, mut up) = (Vector::<3>::zeros(), Vector::<3>::zeros(), 0.0);
                for p in i.points() {
                    for (node, c) in p.coefficients() {
                        let f = p.normal() * (p.weight * c);
                        force += f;
                        moment += Vector::<3>::from_column_slice(&x[3 * node as usize..][..3]).cross(&f);
                        up += if (node as usize) < lower.points.len() { 0.0 } else { f[2] };
                    }
                }
                assert!(force.norm() < 1e-13 && moment.norm() < 1e-13 && (up - 0.8).abs() < 1e-13);
            }
        }
    }
}

/// Boundary cells of a mesh are turned outwards, whatever their order in the file.
#[test]
fn facets_of_a_mesh_are_outward() {
    let square = Mesh {
        dim: 2,
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        blocks: vec![
            Block { kind: CellKind::Quad4, nodes: vec![0, 1, 2, 3] },
            Block { kind: CellKind::Seg2, nodes: vec![0, 1, 2, 1, 2, 3, 0, 3] },
        ],
        ..Mesh::default()
    };
    let cells: Vec<CellRef> = (0..4).map(|index| CellRef { block: 1, index }).collect();
    let s = square.surface(&cells, 10).expect("outward");
    assert_eq!((0..4).map(|f| s.facet(f).to_vec()).collect::<Vec<_>>(), [[10, 11], [11, 12], [12, 13], [13, 10]]);
    let missing = square.surface(&[CellRef { block: 1, index: 9 }], 0);
    assert_eq!(missing, Err(ContactError::MissingCell { block: 1, index: 9 }));
    let tetrahedron = Mesh {
        dim: 3,
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        blocks: vec![
            Block { kind: CellKind::Tet4, nodes: vec![0, 1, 2, 3] },
            Block { kind: CellKind::Tri3, nodes: vec![0, 1, 2, 1, 2, 3, 0, 3, 2, 0, 3, 1] },
        ],
        ..Mesh::default()
    };
    let s = tetrahedron.surface(&cells, 0).expect("closed and consistent");
    assert_eq!(s.facet(0), [0, 2, 1]);
    assert!((0..4).all(|r| !s.on_border(r)));
}
