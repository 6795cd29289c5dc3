//! Sets of reactions in space against closed forms.

use delassus_explore::{Bounds, BoundsSettings, Census, Equilibrium, LeastFriction, Reaction, Statics, least_friction};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

/// One body of weight 1 along −z, touched at points with frames of columns n, t1, t2.
fn body(contacts: &[([f64; 3], [[f64; 3]; 3])], mu: f64) -> Statics<3> {
    let mut entries = vec![];
    for (k, (point, frame)) in contacts.iter().enumerate() {
        let arm = Vector::<3>::from(*point);
        let axes = frame.map(Vector::<3>::from);
        for d in 0..3 {
            entries.push((k, d, Vector::<3>::from_fn(|a, _| axes[a][d])));
            entries.push((k, 3 + d, Vector::<3>::from_fn(|a, _| arm.cross(&axes[a])[d])));
        }
    }
    let load = vec![0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
    Statics::new(vec![Law::coulomb(mu); contacts.len()], contacts.len(), load, entries).expect("valid")
}

fn bounds(statics: &Statics<3>, gap: f64) -> Vec<Reaction<3>> {
    let settings = BoundsSettings { gap: Some(gap), directions: 120, ..Default::default() };
    match statics.bounds(&settings, &|_| {}).expect("answered") {
        Bounds::Reactions(list) => list,
        Bounds::Empty => panic!("empty"),
    }
}

const UP: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// S2 in space: the ladder has the same segment as in the plane, because a force across it
/// would turn it.
#[test]
fn ladder_in_space_has_the_segment_of_the_plane() {
    let (s, c) = 60f64.to_radians().sin_cos();
    let floor = ([c, 0.0, -s], UP);
    let wall = ([-c, 0.0, s], [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]);
    let statics = body(&[floor, wall], 0.3);
    let sets = bounds(&statics, 0.01);
    // Wall: normal and upward friction of the references, closed form.
    let ends = [[0.31224970731588964, -0.040832357719631965], [0.24605683978846696, 0.07381705193654009]];
    for end in ends {
        let wanted = Vector::<3>::new(end[0], end[1], 0.0);
        assert!(sets[1].vertices.iter().any(|v| (v - wanted).norm() < 1e-6), "{:?}", sets[1].vertices);
    }
    let width = (ends[0][0] - ends[1][0]).hypot(ends[0][1] - ends[1][1]);
    assert!((sets[1].width() - width).abs() < 1e-6 && sets[1].gap <= 0.01 * width + 1e-6);
    assert!(sets[1].vertices.iter().all(|v| v[2].abs() < 1e-6));
    assert_eq!(Census::new(&statics), Census { equations: 6, rank: 5, unknowns: 6 });
}

/// A square table on four feet: each foot carries between nothing and half the weight, and
/// needs no friction; between inner and outer hull there is no more than the stated gap.
#[test]
fn table_on_four_feet() {
    let feet = [[1.0, 1.0, -0.5], [1.0, -1.0, -0.5], [-1.0, -1.0, -0.5], [-1.0, 1.0, -0.5]];
    let statics = body(&feet.map(|p| (p, UP)), 0.4);
    assert_eq!(least_friction(&statics, 1e-6).expect("answered"), LeastFriction::None);
    for set in bounds(&statics, 0.03) {
        let [low, high] = set.range(0);
        assert!(low.abs() < 1e-6 && (high - 0.5).abs() < 1e-6, "{low} {high}");
        assert!(set.gap <= 0.03 * set.width());
        assert!(set.vertices.iter().all(|v| v[1].hypot(v[2]) <= 0.4 * v[0] + 1e-6));
        let reach = |d: &Vector<3>, list: &[Vector<3>]| list.iter().map(|v| v.dot(d)).fold(f64::MIN, f64::max);
        for k in 0..40 {
            let a = f64::from(k);
            let d = Vector::<3>::new((0.9 * a).sin(), (1.7 * a).cos(), (2.3 * a).sin()).normalize();
            let (inner, outer) = (reach(&d, &set.vertices), reach(&d, &set.outer));
            assert!(inner <= outer + 1e-6 && outer - inner <= set.gap + 1e-6, "{inner} {outer} {}", set.gap);
        }
    }
    let stable = statics.most_stable().expect("answered").expect("not empty");
    // A quarter each, straight up: μ/4 over √(1 + μ²).
    assert!((stable.margin - 0.1 / 0.4f64.hypot(1.0)).abs() < 1e-6, "{}", stable.margin);
}

/// A block pinched between two walls has no bound on its thrust; pulled from one wall it falls.
#[test]
fn pinched_block_is_unbounded_and_a_hanging_one_impossible() {
    let left = ([-1.0, 0.0, 0.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let right = ([1.0, 0.0, 0.0], [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]);
    let sets = bounds(&body(&[left, right], 0.5), 0.05);
    for set in sets {
        assert_eq!(set.rays.len(), 1);
        assert!((set.rays[0] - Vector::<3>::new(1.0, 0.0, 0.0)).norm() < 1e-3, "{:?}", set.rays);
        assert_eq!(set.width(), f64::INFINITY);
    }
    let hanging = body(&[left], 0.5);
    assert_eq!(hanging.bounds(&BoundsSettings::default(), &|_| {}), Ok(Bounds::Empty));
    // In the limit of infinite friction it would hold: no factor does.
    let least = least_friction(&hanging, 1e-3).expect("answered");
    assert!(matches!(least, LeastFriction::Impossible | LeastFriction::Undecided(_)), "{least:?}");
}
