//! Contact of surfaces: borders, corners, self-contact, bad input.

use delassus_contact::Vector;
use delassus_contact::skin::FacetKind;
use delassus_contact::skin::{
    Collocation, ContactError, Interface, Master, Motion, Multipliers, Obstacle, PairSettings, Pairing, Surface,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::f64::consts::PI;

fn line(x: &mut Vec<f64>, points: &[[f64; 2]]) -> Surface {
    let first = (x.len() / 2) as u32;
    x.extend(points.iter().flatten());
    let facets: Vec<u32> = (0..points.len() as u32 - 1).flat_map(|i| [first + i, first + i + 1]).collect();
    Surface::new(2, &[(FacetKind::Seg2, &facets)]).expect("a line")
}

fn nodes(search: f64) -> PairSettings {
    PairSettings { collocation: Collocation::Nodes, ..PairSettings::new(search) }
}

fn pair(slave: Surface, master: Master<2>, s: PairSettings, x: &[f64]) -> Interface<2> {
    let mut i = Interface::new(slave, master, s).expect("valid");
    i.pair(x, x, &vec![0.0; x.len()], 0.0).expect("paired");
    i
}

/// A slave half over the edge of its master: nodes beyond stay unpaired; with the partition
/// exactly the covered length remains.
#[test]
fn points_beyond_the_border_are_unpaired() {
    let mut x = vec![];
    let slave = line(&mut x, &[[0.0, 0.1], [0.4, 0.1], [0.8, 0.1], [1.2, 0.1], [1.6, 0.1]]);
    let master = line(&mut x, &[[1.0, 0.0], [0.3, 0.0], [0.0, 0.0]]);
    let i = pair(slave.clone(), Master::Surface(master.clone()), nodes(0.5), &x);
    assert_eq!((i.points().len(), i.unpaired()), (3, 2));
    for collocation in [Collocation::Gauss { points: 2 }, Collocation::Simpson] {
        for pairing in [Pairing::Proximity, Pairing::Direction([0.0, -1.0, 0.0])] {
            for smooth_normals in [false, true] {
                let s = PairSettings { collocation, pairing, smooth_normals, ..PairSettings::new(0.5) };
                let i = pair(slave.clone(), Master::Surface(master.clone()), s, &x);
                let covered: f64 = i.points().iter().map(|p| p.weight).sum();
                assert!((covered - 1.0).abs() < 1e-13 && i.unpaired() > 0, "{covered}");
            }
        }
    }
    // A little beyond the border counts, as much as the settings say; by every pairing.
    for beyond in [0.5e-2, 2e-2] {
        let mut y = x.clone();
        y[4] = 1.0 + 0.7 * beyond;
        for pairing in [Pairing::Proximity, Pairing::Direction([0.0, -1.0, 0.0])] {
            for smooth_normals in [false, true] {
                let s = PairSettings { pairing, smooth_normals, ..nodes(0.5) };
                let i = pair(slave.clone(), Master::Surface(master.clone()), s, &y);
                assert_eq!(i.points().len(), if beyond < 1e-2 { 3 } else { 2 }, "{pairing:?} {smooth_normals}");
                assert!(i.points().iter().all(|p| (p.gap - 0.1).abs() < 1e-14));
            }
        }
    }
    // Farther than the search distance: nothing.
    let i = pair(slave, Master::Surface(master), PairSettings::new(0.05), &x);
    assert_eq!((i.points().len(), i.unpaired() > 0), (0, true));
}

/// A square master: over a corner the distance is Euclidean and the normal in the cone; just
/// inside, the nearest side counts. The distance is continuous all around.
#[test]
fn corners_have_cones_of_normals() {
    let mut x = vec![];
    let first = 0u32;
    x.extend([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let square: Vec<u32> = (0..4).flat_map(|k| [first + k, first + (k + 1) % 4]).collect();
    let master = Surface::new(2, &[(FacetKind::Seg2, &square)]).expect("a square");
    // A slave facet whose normal points along (−1, −1).
    let slave = line(&mut x, &[[1.3, 1.4], [1.4, 1.3]]);
    let i = pair(slave.clone(), Master::Surface(master.clone()), nodes(2.0), &x);
    let p = &i.points()[0];
    assert!((p.gap - 0.5).abs() < 1e-15 && (p.normal() - Vector::<2>::new(0.6, 0.8)).norm() < 1e-15);
    let mut inside = x.clone();
    inside[8..].copy_from_slice(&[0.9, 0.95, 0.95, 0.9]);
    let i = pair(slave, Master::Surface(master), nodes(2.0), &inside);
    let p = &i.points()[0];
    assert!((p.gap + 0.05).abs() < 1e-15 && (p.normal() - Vector::<2>::new(0.0, 1.0)).norm() < 1e-15);
}

/// A point in a box of space sees the same as the obstacle "box": signed distance in closed
/// form at random points, faces, edges and corners alike.
#[test]
fn a_cube_of_facets_is_the_box() {
    let mut rng = StdRng::seed_from_u64(5);
    let corner = |k: u32| [0, 1, 2].map(|a| if k >> a & 1 == 1 { 0.5 } else { -0.5 });
    let quads: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<u32> = quads.iter().flat_map(|q| [q[0], q[1], q[2], q[0], q[2], q[3]]).collect();
    let obstacle = Obstacle::<3>::cuboid([0.0; 3], [1.0; 3]).expect("valid");
    for (kind, facets) in [(FacetKind::Quad4, quads.concat()), (FacetKind::Tri3, triangles)] {
        let master = Surface::new(3, &[(kind, &facets)]).expect("a cube");
        let mut x: Vec<f64> = (0..8).flat_map(corner).collect();
        x.extend([0.0; 9]);
        let slave = Surface::new(3, &[(FacetKind::Tri3, &[8, 9, 10])]).expect("a triangle");
        let s = PairSettings { collocation: Collocation::Nodes, ..PairSettings::new(3.0) };
        let mut i = Interface::<3>::new(slave, Master::Surface(master), s).expect("valid");
        let v = vec![0.0; x.len()];
        for _ in 0..2000 {
            let p = Vector::<3>::from_fn(|_, _| rng.random_range(-0.8..0.8));
            let expected = obstacle.sight(&p, 0.0, 1.0).expect("defined").expect("near");
            // A facet looking at the box, so that no side is hidden from the point.
            let (n, size) = (-expected.normal, 1e-3);
            let a = n.cross(&Vector::<3>::new(0.3, 0.5, 0.8)).normalize() * size;
            let b = n.cross(&a);
            for (k, q) in [p, p + a, p + b].iter().enumerate() {
                x[24 + 3 * k..27 + 3 * k].copy_from_slice(q.as_slice());
            }
            i.pair(&x, &x, &v, 0.0).expect("paired");
            let point = i.points().iter().find(|q| q.key.slave == 8).expect("paired");
            assert!((point.gap - expected.gap).abs() < 1e-13, "{kind:?} {p}: {} {}", point.gap, expected.gap);
            assert!((point.normal() - expected.normal).norm() < 1e-9);
        }
    }
}

/// A strip folded back on itself, 0.1 apart: the two legs see each other, neighbours around
/// the fold do not; each covered length counts once, or once per side.
#[test]
fn a_folded_strip_meets_itself() {
    // Traversed so that the normals of the legs face each other across the slit.
    let mut points: Vec<[f64; 2]> = (0..=10).map(|i| [1.0 - 0.1 * f64::from(i), 0.1]).collect();
    points.extend((1..4).map(|i| PI * f64::from(i) / 4.0).map(|a| [-0.05 * a.sin(), 0.05 + 0.05 * a.cos()]));
    points.extend((0..=9).map(|i| [f64::from(i) / 9.0, 0.0]));
    // Solid around a slit: the legs look at each other. Reversed, solid between the legs: they
    // look away, and the thickness of that body must not be taken for a penetration.
    let mut x = vec![];
    let body = line(&mut x, &points);
    for collocation in [Collocation::Nodes, Collocation::Gauss { points: 2 }] {
        let s = PairSettings { collocation, both_sides: true, ..PairSettings::new(0.15) };
        assert!(pair(body.clone(), Master::Itself, s, &x).points().is_empty());
    }
    points.reverse();
    let mut x = vec![];
    let strip = line(&mut x, &points);
    let upper = Vector::<2>::new(0.0, -1.0);
    for (both_sides, collocation) in [
        (false, Collocation::Gauss { points: 2 }),
        (true, Collocation::Gauss { points: 2 }),
        (true, Collocation::Nodes),
    ] {
        let s = PairSettings { both_sides, collocation, ..PairSettings::new(0.15) };
        let i = pair(strip.clone(), Master::Itself, s, &x);
        assert!(!i.points().is_empty());
        let legs: Vec<_> = i.points().iter().filter(|p| p.slave.apply::<2>(&x)[0] > 0.2).collect();
        for p in &legs {
            assert!((p.gap - 0.1).abs() < 1e-14, "{p:?}");
            assert!((p.normal().dot(&upper).abs() - 1.0).abs() < 1e-14);
            assert!((i64::from(p.slave_facet) - i64::from(p.master_facet)).abs() > 3);
            if !both_sides {
                assert!(p.master_facet < p.slave_facet);
            }
        }
        if collocation != Collocation::Nodes {
            let covered: f64 = legs.iter().map(|p| p.weight).sum();
            // Facets straddling x = 0.2 may keep some points on either side.
            let sides = if both_sides { 2.0 } else { 1.0 };
            assert!((covered - 0.8 * sides).abs() < 0.12 * sides, "{covered}");
        }
    }
}

/// Numbers that are not finite are refused by name, in any vector.
#[test]
fn what_is_not_finite_is_refused() {
    let mut x = vec![];
    let slave = line(&mut x, &[[0.0, 0.1], [1.0, 0.1]]);
    let master = line(&mut x, &[[1.0, 0.0], [0.0, 0.0]]);
    let mut i = Interface::<2>::new(slave, Master::Surface(master), PairSettings::new(0.5)).expect("valid");
    let v = vec![0.0; 8];
    for bad in [f64::NAN, f64::INFINITY] {
        let mut y = x.clone();
        y[5] = bad;
        for (a, b, c) in [(&y, &x, &v), (&x, &y, &v), (&x, &x, &y)] {
            assert!(matches!(i.pair(a, b, c, 0.0), Err(ContactError::NotFinite { node: 2, .. })));
        }
    }
    assert_eq!(i.pair(&x[..6], &x, &v, 0.0), Err(ContactError::Length { what: "position", got: 6, needed: 8 }));
    for s in
        [PairSettings::new(f64::NAN), PairSettings::new(0.0), PairSettings { border: -1.0, ..PairSettings::new(1.0) }]
    {
        assert!(s.validate(2).is_err());
    }
    let zero = PairSettings { pairing: Pairing::Direction([0.0; 3]), ..PairSettings::new(1.0) };
    assert!(zero.validate(2).is_err());
    assert!(PairSettings { axisymmetric: true, ..PairSettings::new(1.0) }.validate(3).is_err());
    assert!(Obstacle::ball([0.0; 2], -1.0).is_err());
    assert!(Obstacle::half_space([0.0; 2], [0.0; 2]).is_err());
}

/// A slave facet without reference area is named; a collapsed master facet is passed over.
#[test]
fn degenerate_facets() {
    let mut x = vec![];
    let slave = line(&mut x, &[[0.0, 0.1], [1.0, 0.1], [1.0, 0.1]]);
    let master = line(&mut x, &[[1.0, 0.0], [0.5, 0.0], [0.5, 0.0], [0.0, 0.0]]);
    let mut i = Interface::<2>::new(slave.clone(), Master::Surface(master.clone()), nodes(0.5)).expect("valid");
    let v = vec![0.0; x.len()];
    let error = i.pair(&x, &x, &v, 0.0);
    assert_eq!(error, Err(ContactError::Degenerate { facet: 1, nodes: vec![1, 2] }));
    let mut reference = x.clone();
    reference[4] = 2.0;
    for smooth_normals in [false, true] {
        for collocation in [Collocation::Nodes, Collocation::Gauss { points: 3 }, Collocation::Simpson] {
            let s = PairSettings { smooth_normals, collocation, ..PairSettings::new(0.5) };
            let mut i = Interface::<2>::new(slave.clone(), Master::Surface(master.clone()), s).expect("valid");
            i.pair(&x, &reference, &v, 0.0).expect("paired");
            assert!(i.points().iter().all(|p| (p.gap - 0.1).abs() < 1e-14 && p.master_facet != 1));
        }
    }
}

/// Random rubbish of finite numbers: no panic, nothing that is not finite comes out.
#[test]
fn random_positions_never_give_what_is_not_finite() {
    let mut rng = StdRng::seed_from_u64(11);
    let kinds = [FacetKind::Tri3, FacetKind::Quad4, FacetKind::Tri6, FacetKind::Quad8];
    let facets: [&[u32]; 4] = [
        &[0, 1, 2, 0, 2, 3],
        &[0, 1, 2, 3, 1, 4, 5, 2],
        &[0, 1, 2, 3, 4, 5, 0, 2, 6, 5, 7, 8],
        &[0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 9, 2, 10, 11, 12, 5],
    ];
    for _ in 0..300 {
        let x: Vec<f64> =
            (0..78).map(|_| rng.random_range(-1.0..1.0)).map(|v: f64| if v > 0.9 { 0.0 } else { v }).collect();
        let flat: Vec<f64> = x.iter().enumerate().map(|(k, v)| if k % 3 == 2 { 0.0 } else { *v }).collect();
        let v: Vec<f64> = x.iter().rev().copied().collect();
        for k in 0..4 {
            let slave = Surface::new(3, &[(kinds[k], facets[k])]).expect("valid");
            for j in 0..4 {
                let shifted: Vec<u32> = facets[j].iter().map(|n| n + 13).collect();
                let master = Surface::new(3, &[(kinds[j], &shifted)]).expect("valid");
                let collocation =
                    [Collocation::Nodes, Collocation::Gauss { points: 2 }, Collocation::Simpson][(k + j) % 3];
                for pairing in [Pairing::Proximity, Pairing::Velocity, Pairing::Direction([0.1, 0.2, -1.0])] {
                    let s = PairSettings { collocation, pairing, smooth_normals: j % 2 == 0, ..PairSettings::new(1.0) };
                    let mut i = Interface::<3>::new(slave.clone(), Master::Surface(master.clone()), s).expect("valid");
                    for positions in [&x, &flat] {
                        if i.pair(positions, &x, &v, 0.0).is_err() {
                            continue;
                        }
                        for p in i.points() {
                            let numbers = [p.gap, p.weight, p.frame.norm(), p.jump(&v).norm()];
                            assert!(numbers.iter().all(|n| n.is_finite()), "{p:?}");
                            assert!((p.frame.norm_squared() - 3.0).abs() < 1e-9);
                        }
                    }
                }
            }
        }
    }
}

/// Two sheets of one surface of space, face to face: each part counts once, at its height;
/// with both sides, twice. Keys are unique.
#[test]
fn sheets_of_one_surface_meet() {
    let mut x: Vec<f64> = vec![];
    let mut quads: Vec<u32> = vec![];
    for (n, z, up) in [(4u32, 0.0, true), (3, 0.05, false)] {
        let first = (x.len() / 3) as u32;
        for k in 0..(n + 1) * (n + 1) {
            x.extend([f64::from(k % (n + 1)) / f64::from(n), f64::from(k / (n + 1)) / f64::from(n), z]);
        }
        let id = |i: u32, j: u32| first + j * (n + 1) + i;
        for (i, j) in (0..n * n).map(|c| (c % n, c / n)) {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
            quads.extend(if up { [a, b, c, d] } else { [a, d, c, b] });
        }
    }
    let surface = Surface::new(3, &[(FacetKind::Quad4, &quads)]).expect("two sheets");
    for both_sides in [false, true] {
        let s = PairSettings { both_sides, ..PairSettings::new(0.2) };
        let mut i = Interface::<3>::new(surface.clone(), Master::Itself, s).expect("valid");
        i.pair(&x, &x, &vec![0.0; x.len()], 0.0).expect("paired");
        let area: f64 = i.points().iter().map(|p| p.weight).sum();
        assert!((area - if both_sides { 2.0 } else { 1.0 }).abs() < 1e-13, "{area}");
        assert!(i.points().iter().all(|p| (p.gap - 0.05).abs() < 1e-14));
        let mut keys: Vec<_> = i.points().iter().map(|p| p.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), i.points().len());
    }
}

/// Two surfaces of one body that meet in a corner, solid outside the angle: facets that share
/// a node never face each other (the point would be its own opposite); those further do.
#[test]
fn surfaces_that_share_nodes() {
    let mut x = vec![];
    line(&mut x, &[[0.0, 0.3], [0.0, 0.2], [0.0, 0.1], [0.0, 0.0], [0.1, 0.02], [0.2, 0.04], [0.3, 0.06]]);
    let side = |n: &[u32]| Surface::new(2, &[(FacetKind::Seg2, n)]).expect("a line");
    let hollow = (side(&[3, 2, 2, 1, 1, 0]), side(&[6, 5, 5, 4, 4, 3]));
    // The same angle full: no point is in front of the other side.
    let full = (side(&[0, 1, 1, 2, 2, 3]), side(&[3, 4, 4, 5, 5, 6]));
    for collocation in [Collocation::Nodes, Collocation::Gauss { points: 2 }, Collocation::Simpson] {
        let s = PairSettings { collocation, ..PairSettings::new(0.5) };
        let i = pair(hollow.0.clone(), Master::Surface(hollow.1.clone()), s, &x);
        assert!(!i.points().is_empty());
        for p in i.points() {
            assert!(p.slave.indices().iter().all(|n| !p.master.indices().contains(n)));
            assert!(p.gap > 0.0);
        }
        let i = pair(full.0.clone(), Master::Surface(full.1.clone()), s, &x);
        assert!(i.points().is_empty(), "{collocation:?} {:?}", i.points()[0]);
    }
}

/// In space the tangents of neighbouring points agree, also where normals lie along an axis.
#[test]
fn tangents_vary_smoothly_over_a_ball() {
    for axis in 0..3 {
        let mut centre = [0.0; 3];
        centre[axis] = -1.02;
        let ball = Obstacle::ball(centre, 1.0).expect("valid");
        let mut x = vec![];
        let n = 10u32;
        for k in 0..(n + 1) * (n + 1) {
            let (a, b) = (f64::from(k % (n + 1)) * 0.06 - 0.3, f64::from(k / (n + 1)) * 0.06 - 0.3);
            let mut p = [0.0; 3];
            (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (a, b);
            x.extend(p);
        }
        let id = |i: u32, j: u32| j * (n + 1) + i;
        let quads: Vec<u32> = (0..n * n)
            .map(|c| (c % n, c / n))
            .flat_map(|(i, j)| [id(i, j), id(i, j + 1), id(i + 1, j + 1), id(i + 1, j)])
            .collect();
        let slave = Surface::new(3, &[(FacetKind::Quad4, &quads)]).expect("a sheet");
        let s = PairSettings { collocation: Collocation::Nodes, ..PairSettings::new(1.0) };
        let mut i = Interface::<3>::new(slave, Master::Obstacle(ball), s).expect("valid");
        i.pair(&x, &x, &vec![0.0; x.len()], 0.0).expect("paired");
        assert_eq!(i.points().len(), 121);
        for w in i.points().windows(2).filter(|w| w[1].key.slave % (n + 1) != 0) {
            // Neighbours are 0.06 apart on a ball of radius one.
            assert!((w[0].frame - w[1].frame).norm() < 0.15, "axis {axis}");
        }
        let mut bad = Motion::default();
        bad.pose.position[0] = f64::NAN;
        let refused = i.obstacle_mut().expect("a ball").move_to(bad);
        assert!(matches!(refused, Err(ContactError::Setting { .. })));
    }
}

/// Two pairings at the same place give the same points, to the last bit and without regard
/// to what was paired before.
#[test]
fn pairing_has_no_memory() {
    let mut x = vec![];
    let slave = line(&mut x, &[[0.0, 0.1], [0.4, 0.12], [1.0, 0.1]]);
    let master = line(&mut x, &[[1.1, 0.0], [0.5, 0.01], [-0.1, 0.0]]);
    let v = vec![0.0; x.len()];
    let s = PairSettings { smooth_normals: true, multipliers: Multipliers::P0, ..PairSettings::new(0.5) };
    let mut a = Interface::<2>::new(slave.clone(), Master::Surface(master.clone()), s).expect("valid");
    let mut b = Interface::<2>::new(slave, Master::Surface(master), s).expect("valid");
    let moved: Vec<f64> = x.iter().map(|v| v * 1.1 + 0.01).collect();
    a.pair(&moved, &x, &v, 0.0).expect("paired");
    a.pair(&x, &x, &v, 0.0).expect("paired");
    b.pair(&x, &x, &v, 0.0).expect("paired");
    assert_eq!(a.points(), b.points());
    let mut keys: Vec<_> = a.points().iter().map(|p| p.key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), a.points().len());
}

/// However deep a point is in an obstacle, it stays paired; in front, only within the search.
#[test]
fn deep_penetration_of_an_obstacle_is_seen() {
    for pairing in [Pairing::Proximity, Pairing::Direction([0.0, -1.0, 0.0])] {
        let mut x = vec![];
        let slave = line(&mut x, &[[0.0, -5.0], [1.0, -5.0]]);
        let ground = || Obstacle::half_space([0.0; 2], [0.0, 1.0]).expect("valid");
        let i = pair(slave.clone(), Master::Obstacle(ground()), PairSettings { pairing, ..nodes(0.1) }, &x);
        assert!(i.points().len() == 2 && i.points().iter().all(|p| (p.gap + 5.0).abs() < 1e-14));
        x.iter_mut().skip(1).step_by(2).for_each(|y| *y = 0.2);
        let i = pair(slave, Master::Obstacle(ground()), PairSettings { pairing, ..nodes(0.1) }, &x);
        assert_eq!((i.points().len(), i.unpaired()), (0, 2));
    }
}
