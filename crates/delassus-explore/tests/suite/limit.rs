//! Limits of loads and forces on held bodies, against closed forms.

use delassus_explore::{BoundsSettings, Equilibrium, Statics};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

/// A block of half width `a` and half height `b`, weight 1, on two corners: balance of x, y and moment.
fn block(a: f64, b: f64, mu: f64) -> Statics<2> {
    // Normal up, tangent along x; levers from the centre to the corners.
    let mut entries = vec![];
    for (k, x) in [-a, a].into_iter().enumerate() {
        entries.push((k, 0, Vector::<2>::new(0.0, 1.0)));
        entries.push((k, 1, Vector::<2>::new(1.0, 0.0)));
        entries.push((k, 2, Vector::<2>::new(x, b)));
    }
    Statics::new(vec![Law::coulomb(mu); 2], 2, vec![0.0, -1.0, 0.0], entries).expect("a block")
}

/// A horizontal force at the centre: the block slides at μ or tips at a/b, whichever is less; then it turns about
/// the corner, or moves along the edge of the cone.
#[test]
fn a_block_slides_or_tips() {
    for (a, b, mu) in [(0.5, 1.0, 0.8), (1.0, 0.5, 0.3)] {
        let limit = block(a, b, mu).limit(&[1.0, 0.0, 0.0]).expect("solved").expect("stands");
        let expected = f64::min(mu, a / b);
        assert!((limit.largest - expected).abs() < 1e-9, "{}", limit.largest);
        let v = &limit.mechanism;
        assert!((v[0] - 1.0).abs() < 1e-9, "the load's power is 1: {v:?}");
        if mu > a / b {
            // About the right corner (a, −b): v = ω × lever, clockwise.
            assert!((v[2] + 1.0 / b).abs() < 1e-7 && (v[1] - a / b).abs() < 1e-7, "{v:?}");
        } else {
            assert!(v[2].abs() < 1e-9 && (v[1] - mu).abs() < 1e-9, "{v:?}");
        }
    }
}

/// The mechanism proves the limit: it does not work against any admissible reaction, and the loads do no work in it.
#[test]
fn a_mechanism_is_a_proof() {
    let statics = block(0.5, 1.0, 0.8);
    let limit = statics.limit(&[1.0, 0.3, 0.1]).expect("solved").expect("stands");
    let v = &limit.mechanism;
    for c in 0..2 {
        let mut u = Vector::<2>::zeros();
        statics.column(c).iter().for_each(|(row, g)| u += g * v[*row as usize]);
        assert!(u[0] + 1e-9 >= 0.8 * u[1].abs(), "contact {c}: {u:?}");
    }
    let power: f64 = v.iter().zip(statics.load()).map(|(v, f)| v * f).sum();
    assert!((power + limit.largest).abs() < 1e-9, "{power} {}", limit.largest);
}

/// What cannot stand bears nothing, and what is wedged bears everything.
#[test]
fn without_equilibrium_and_without_bound() {
    let floating = vec![(0, 0, Vector::<2>::new(1.0, 0.0))];
    let statics = Statics::new(vec![Law::coulomb(0.5)], 1, vec![0.0, -1.0, 0.0], floating).expect("a force aside");
    assert_eq!(statics.limit(&[1.0, 0.0, 0.0]).expect("solved"), None);
    let down = block(1.0, 1.0, 0.5).limit(&[0.0, -1.0, 0.0]).expect("solved").expect("stands");
    assert_eq!(down.largest, f64::INFINITY);
    assert!(block(1.0, 1.0, 0.5).limit(&[0.0; 3]).is_err(), "a load of zero has no multiple");
    assert!(block(1.0, 1.0, 0.5).limit(&[1.0]).is_err());
}

/// Two fingers squeeze a weightless part with force F each along x, friction μ: along the fingers' faces it bears
/// 2 μ F, and the fingers hold it against any force along x only as far as F.
#[test]
fn two_fingers_bear_twice_their_friction() {
    let (squeeze, mu) = (3.0, 0.4);
    // Part: equations 0..3; fingers that slide along x, pressed together: equations 3 and 4.
    let mut entries = vec![];
    for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
        // Normal from the finger into the part, tangent y; the finger k at −sign.
        entries.push((k, 0, Vector::<2>::new(sign, 0.0)));
        entries.push((k, 1, Vector::<2>::new(0.0, 1.0)));
        entries.push((k, 2, Vector::<2>::new(0.0, -sign)));
        entries.push((k, 3 + k, Vector::<2>::new(-sign, 0.0)));
    }
    let load = vec![0.0, 0.0, 0.0, squeeze, -squeeze];
    let statics = Statics::new(vec![Law::coulomb(mu); 2], 2, load, entries).expect("a gripper");
    let set = statics.withstood(&[0, 1], &BoundsSettings::default()).expect("solved").expect("holds");
    let (x, y) = (set.range(0), set.range(1));
    assert!((y[1] - 2.0 * mu * squeeze).abs() < 1e-9 && (y[0] + y[1]).abs() < 1e-9, "{y:?}");
    assert!(x.iter().all(|x| x.abs() < 1e-9), "a finger that is pushed gives way: {x:?}");
    let turn = statics.withstood(&[2], &BoundsSettings::default()).expect("solved").expect("holds");
    assert!((turn.range(0)[1] - 2.0 * mu * squeeze).abs() < 1e-9, "levers of 1: {:?}", turn.range(0));
}

/// The same in space: a disc of radius 2 μ F in the plane of the faces.
#[test]
fn two_fingers_in_space_bear_a_disc() {
    let (squeeze, mu) = (3.0, 0.4);
    let mut entries = vec![];
    for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
        entries.push((k, 0, Vector::<3>::new(sign, 0.0, 0.0)));
        entries.push((k, 1, Vector::<3>::new(0.0, 1.0, 0.0)));
        entries.push((k, 2, Vector::<3>::new(0.0, 0.0, 1.0)));
        entries.push((k, 3 + k, Vector::<3>::new(-sign, 0.0, 0.0)));
    }
    let load = vec![0.0, 0.0, 0.0, squeeze, -squeeze];
    let statics = Statics::new(vec![Law::coulomb(mu); 2], 2, load, entries).expect("a gripper");
    let settings = BoundsSettings { gap: Some(0.01), ..BoundsSettings::default() };
    let set = statics.withstood(&[0, 1, 2], &settings).expect("solved").expect("holds");
    let radius = 2.0 * mu * squeeze;
    assert!(set.vertices.iter().all(|v| v.norm() <= radius * (1.0 + 1e-6)));
    assert!(set.outer.iter().all(|v| v.norm() >= radius * (1.0 - 1e-6)));
    assert!(set.gap <= 0.011 * 2.0 * radius, "{}", set.gap);
    let limit = statics.limit(&[0.0, 1.0, 1.0, 0.0, 0.0]).expect("solved").expect("holds");
    assert!((limit.largest - radius / 2f64.sqrt()).abs() < 1e-6 * radius, "{}", limit.largest);
}
