//! Generated meshes: measures against closed forms with their order, topology, groups

#![allow(clippy::unwrap_used)]

use delassus_fem::mesh::generate::{Ball, BallPart, Cuboid, Cylinder, Disc, DiscPart, Grading, Rectangle, Tube};
use delassus_fem::mesh::{CellKind, Mesh, MeshError};
use std::collections::BTreeSet;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const PLANE: [CellKind; 4] = [CellKind::Quad4, CellKind::Quad8, CellKind::Tri3, CellKind::Tri6];
const SPACE: [CellKind; 3] = [CellKind::Hex8, CellKind::Tet4, CellKind::Tet10];

/// V − E + F − C of the corners of the cells that fill the mesh.
fn euler(mesh: &Mesh) -> i64 {
    let mut parts: [BTreeSet<Vec<u32>>; 4] = Default::default();
    let sorted = |mut v: Vec<u32>| {
        v.sort_unstable();
        v
    };
    for cell in mesh.volume_cells() {
        let (kind, nodes) = (mesh.kind(cell), mesh.cell(cell));
        parts[0].extend(nodes[..kind.corners()].iter().map(|&n| vec![n]));
        for e in kind.edges() {
            parts[1].insert(sorted(e.iter().map(|&i| nodes[i as usize]).collect()));
        }
        for (facet, local) in kind.facets() {
            let corners = &local[..facet.corners()];
            parts[mesh.dim - 1].insert(sorted(corners.iter().map(|&i| nodes[i as usize]).collect()));
        }
        parts[mesh.dim].insert(sorted(nodes.to_vec()));
    }
    (0..4).map(|d| if d % 2 == 0 { parts[d].len() as i64 } else { -(parts[d].len() as i64) }).sum()
}

/// Sound, of the given topology, and with a group `boundary` that is the whole boundary.
fn check(mesh: &Mesh, expected: i64) {
    mesh.validate().unwrap();
    assert_eq!(euler(mesh), expected);
    assert_eq!(mesh.group("boundary").unwrap().cells.len(), mesh.boundary().len());
}

/// Orders of convergence of an error that each refinement should divide by 2^p.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

/// The order of geometric errors: 2 for straight edges, 4 for parabolas with their middle
/// on a circle (chord and sagitta expanded in the angle).
fn order_of(kind: CellKind) -> f64 {
    if kind.quadratic() == Some(kind) { 4.0 } else { 2.0 }
}

/// Area π R² of the disc and its parts, length of the arc, at the order of the edges.
#[test]
fn discs_converge_to_the_circle() {
    let parts = [(DiscPart::Full, 1.0), (DiscPart::Lower, 0.5), (DiscPart::Right, 0.5), (DiscPart::LowerRight, 0.25)];
    for kind in PLANE {
        for (part, share) in parts {
            let (mut area, mut arc) = (vec![], vec![]);
            for n in [2, 4, 8] {
                let mesh = Disc { centre: [3.0, -2.0], ..Disc::new(0.7, part, n, kind) }.mesh().unwrap();
                check(&mesh, 1);
                assert!(mesh.volume_cells().all(|c| mesh.cell_quality(c) > 0.3));
                area.push((mesh.measure() - share * PI * 0.49).abs());
                arc.push((mesh.group_measure("arc").unwrap() - share * TAU * 0.7).abs());
            }
            for p in orders(&area).into_iter().chain(orders(&arc)) {
                assert!((p - order_of(kind)).abs() < 0.1, "{kind} {part:?} order {p}");
            }
        }
    }
}

#[test]
fn disc_groups_are_where_they_should_be() {
    let mesh = Disc::new(2.0, DiscPart::LowerRight, 6, CellKind::Quad4).mesh().unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(near(mesh.group_measure("axis").unwrap(), 2.0) && near(mesh.group_measure("top").unwrap(), 2.0));
    let at = |name: &str| mesh.points[mesh.group(name).unwrap().nodes[0] as usize];
    assert!(near(at("foot")[1], -2.0) && near(at("foot")[0], 0.0) && near(at("centre")[1], 0.0));
    assert!(mesh.group("axis").unwrap().nodes.iter().all(|&n| mesh.points[n as usize][0].abs() < 1e-12));
}

/// H2: half a ball, graded towards the foot by e^2.5: nodes in all and radii of the arc's nodes
/// around the edge of contact, for three refinements that are nested.
#[test]
fn graded_quarter_disc_has_the_nodes_of_the_hertz_reference() {
    for (n, nodes, radii) in [
        (16, 553, [0.010734111666691337, 0.013087549236423508]),
        (32, 2129, [0.010734111666691337, 0.011868377028562435]),
        (64, 8353, [0.010197299644661872, 0.010734111666691337]),
    ] {
        let disc = Disc {
            refine_foot: 2.5f64.exp(),
            refine_arc: 3.0,
            ..Disc::new(0.05, DiscPart::LowerRight, n, CellKind::Quad4)
        };
        let mesh = disc.mesh().unwrap();
        check(&mesh, 1);
        assert_eq!(mesh.points.len(), nodes);
        let mut arc: Vec<f64> = mesh.group("arc").unwrap().nodes.iter().map(|&n| mesh.points[n as usize][0]).collect();
        arc.sort_by(f64::total_cmp);
        let i = arc.partition_point(|&x| x < radii[0] - 1e-9);
        assert!((arc[i] - radii[0]).abs() < 1e-15 && (arc[i + 1] - radii[1]).abs() < 1e-15, "{:?}", &arc[i..i + 2]);
    }
}

/// 4/3 π R³ and 4 π R².
#[test]
fn balls_converge_to_the_sphere() {
    let parts = [(BallPart::Full, 1.0), (BallPart::Lower, 0.5), (BallPart::Quarter, 0.25), (BallPart::Octant, 0.125)];
    for kind in SPACE {
        for (part, share) in parts {
            let (mut volume, mut area) = (vec![], vec![]);
            for n in [2, 4, 8] {
                if n == 8 && part != BallPart::Octant {
                    continue;
                }
                let mesh = Ball { centre: [1.0, 2.0, 3.0], ..Ball::new(0.5, part, n, kind) }.mesh().unwrap();
                mesh.validate().unwrap();
                assert_eq!(euler(&mesh), 1);
                assert_eq!(mesh.group("boundary").unwrap().cells.len(), mesh.boundary().len());
                volume.push((mesh.measure() - share * PI / 6.0).abs());
                area.push((mesh.group_measure("sphere").unwrap() - share * PI).abs());
            }
            let (v, a) = (orders(&volume), orders(&area));
            // The mean over the sphere of a parabola's error has the order of its edges.
            for p in v.iter().chain(&a) {
                assert!(*p > order_of(kind) - 0.35, "{kind} {part:?} volume {v:?} area {a:?}");
            }
        }
    }
}

/// The first cell at the foot spans the angle π/4 (ρ^(1/n) − 1) / (ρ − 1).
#[test]
fn graded_ball_is_sound_and_finer_at_the_foot() {
    let ball = Ball { refine_foot: 4.0, refine_sphere: 2.0, ..Ball::new(1.0, BallPart::Octant, 6, CellKind::Hex8) };
    let mesh = ball.mesh().unwrap();
    mesh.validate().unwrap();
    let foot = mesh.points[mesh.group("foot").unwrap().nodes[0] as usize];
    let distance = |p: &[f64; 3]| (0..3).map(|k| (p[k] - foot[k]).powi(2)).sum::<f64>().sqrt();
    let nearest = mesh.points.iter().map(distance).filter(|d| *d > 1e-9).fold(f64::INFINITY, f64::min);
    let angle = PI / 4.0 * (4f64.powf(1.0 / 6.0) - 1.0) / 3.0;
    assert!((nearest - 2.0 * (0.5 * angle).sin()).abs() < 1e-12);
}

/// π (b² − a²) θ / 2π, and times h.
#[test]
fn rings_and_tubes_converge() {
    for kind in PLANE {
        let mut errors = vec![];
        for n in [8, 16, 32] {
            let mesh = Tube::ring(1.0, 2.0, [n / 4, n], kind).mesh().unwrap();
            mesh.validate().unwrap();
            assert_eq!(euler(&mesh), 0);
            errors.push((mesh.measure() - 3.0 * PI).abs());
            assert!(mesh.group("start").is_err());
        }
        for p in orders(&errors) {
            assert!((p - order_of(kind)).abs() < 0.1, "{kind} {p}");
        }
    }
    for kind in SPACE {
        let mut errors = vec![];
        for n in [8, 16] {
            let tube = Tube {
                angles: [0.3, 0.3 + FRAC_PI_2],
                height: Some(3.0),
                cells: [2, n, 3],
                ..Tube::ring(1.0, 2.0, [1, 1], kind)
            };
            let mesh = tube.mesh().unwrap();
            check(&mesh, 1);
            errors.push((mesh.measure() - 9.0 * PI / 4.0).abs());
            assert!((mesh.group_measure("start").unwrap() - 3.0).abs() < 1e-12);
            assert!((mesh.group_measure("end").unwrap() - 3.0).abs() < 1e-12);
            let (bottom, top) = (mesh.group_measure("bottom").unwrap(), mesh.group_measure("top").unwrap());
            assert!((bottom - top).abs() < 1e-12 && (bottom - 0.75 * PI).abs() < 0.02);
        }
        assert!(orders(&errors)[0] > order_of(kind) - 0.2, "{kind} {:?}", orders(&errors));
    }
    let closed = Tube { height: Some(1.0), cells: [1, 6, 1], ..Tube::ring(1.0, 2.0, [1, 1], CellKind::Hex8) };
    assert_eq!(euler(&closed.mesh().unwrap()), 0);
}

#[test]
fn cylinders_converge() {
    for kind in SPACE {
        let mut errors = vec![];
        for n in [2, 4, 8] {
            let section = Disc::new(0.5, DiscPart::LowerRight, n, kind);
            let mesh = Cylinder { section, height: 2.0, cells: 3, grading: Grading::Geometric(2.0) }.mesh().unwrap();
            mesh.validate().unwrap();
            assert_eq!(euler(&mesh), 1);
            errors.push((mesh.measure() - PI / 8.0).abs());
            assert!((mesh.group_measure("left").unwrap() - 1.0).abs() < 1e-12);
        }
        for p in orders(&errors) {
            assert!(p > order_of(kind) - 0.2, "{kind} {p}");
        }
    }
}

/// Straight sides: exact to round-off, whatever the kind and the grading.
#[test]
fn boxes_are_exact() {
    for kind in PLANE {
        let grading = [Grading::BothEnds(3.0), Grading::Geometric(0.2)];
        let mesh = Rectangle { grading, ..Rectangle::new([-1.0, 0.5], [2.0, 2.5], [5, 4], kind) }.mesh().unwrap();
        check(&mesh, 1);
        assert!((mesh.measure() - 6.0).abs() < 1e-13);
        for (side, length) in [("left", 2.0), ("right", 2.0), ("bottom", 3.0), ("top", 3.0), ("boundary", 10.0)] {
            assert!((mesh.group_measure(side).unwrap() - length).abs() < 1e-13, "{kind} {side}");
        }
    }
    for kind in SPACE {
        let grading = [Grading::Middle(2.0), Grading::Uniform, Grading::Geometric(3.0)];
        let mesh = Cuboid { grading, ..Cuboid::new([0.0; 3], [1.0, 2.0, 3.0], [3, 2, 4], kind) }.mesh().unwrap();
        check(&mesh, 1);
        assert!((mesh.measure() - 6.0).abs() < 1e-13);
        for (side, area) in [
            ("left", 6.0),
            ("right", 6.0),
            ("front", 3.0),
            ("back", 3.0),
            ("bottom", 2.0),
            ("top", 2.0),
            ("boundary", 22.0),
        ] {
            assert!((mesh.group_measure(side).unwrap() - area).abs() < 1e-13, "{kind} {side}");
        }
    }
}

#[test]
fn bad_settings_are_named() {
    let refused = |r: Result<Mesh, MeshError>, what: &str| {
        let message = r.unwrap_err().to_string();
        assert!(message.contains(what) && message.contains("accepted"), "{message}");
    };
    refused(Rectangle::new([0.0; 2], [1.0, 0.0], [1, 1], CellKind::Quad4).mesh(), "rectangle");
    refused(Rectangle::new([0.0; 2], [1.0, f64::NAN], [1, 1], CellKind::Quad4).mesh(), "rectangle");
    refused(Rectangle::new([0.0; 2], [1.0; 2], [1, 0], CellKind::Quad4).mesh(), "cells of a rectangle");
    refused(Rectangle::new([0.0; 2], [1.0; 2], [1, 1], CellKind::Hex8).mesh(), "Hex8");
    refused(Cuboid::new([0.0; 3], [1.0; 3], [usize::MAX, 2, 2], CellKind::Hex8).mesh(), "cells of a box");
    refused(Disc::new(-1.0, DiscPart::Full, 4, CellKind::Quad4).mesh(), "radius");
    refused(Disc { refine_foot: 0.0, ..Disc::new(1.0, DiscPart::Full, 4, CellKind::Quad4) }.mesh(), "ratio");
    refused(Ball::new(f64::INFINITY, BallPart::Full, 4, CellKind::Hex8).mesh(), "radius");
    refused(Tube::ring(2.0, 1.0, [1, 8], CellKind::Quad4).mesh(), "wall");
    refused(Tube::ring(1.0, 2.0, [1, 2], CellKind::Quad4).mesh(), "around");
}
