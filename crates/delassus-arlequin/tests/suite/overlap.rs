//! Overlaps, weights and rows against closed forms, on meshes of every kind.

use delassus_arlequin::{Error, Gluing, Layer, Mediator, Overlap, Product, Profile, Ramp, Sharing, Vector};
use delassus_fem::element::stiffness_rule;
use delassus_fem::mesh::{CellKind, Mesh};

use crate::common::{grid, overlap};

/// The area of the common part of two shifted boxes, and the shares of cells far inside.
#[test]
fn the_common_part_of_two_boxes_has_the_measure_of_the_closed_form() {
    for (a, b) in
        [(CellKind::Quad4, CellKind::Tri3), (CellKind::Tri3, CellKind::Tri3), (CellKind::Tri3, CellKind::Quad4)]
    {
        let (a, b) = (grid(a, [0.0, 0.0], [5.0, 2.0], [5, 2], 0.4), grid(b, [3.1, 0.3], [8.0, 1.7], [17, 9], 0.4));
        let o = overlap::<2>(&a, &b);
        assert!((o.measure() - 1.9 * 1.4).abs() < 1e-12, "{}", o.measure());
        let [_, fine] = o.shares();
        assert!(fine.iter().all(|s| (-1e-12..1.0 + 1e-12).contains(s)));
    }
    for (a, b) in [(CellKind::Hex8, CellKind::Tet4), (CellKind::Tet4, CellKind::Hex8)] {
        let (a, b) = (grid(a, [0.0; 3], [2.0; 3], [2; 3], 0.0), grid(b, [1.3; 3], [2.6; 3], [3; 3], 0.0));
        assert!((overlap::<3>(&a, &b).measure() - 0.7f64.powi(3)).abs() < 1e-13);
    }
}

/// Fields that are the same on both meshes are glued: every row of `u − u` is zero for linear fields, in both
/// products and for both mediators; constants are told apart by the measure of the multiplier.
#[test]
fn rows_vanish_on_fields_that_agree() {
    fn check<const D: usize>(a: &Mesh, b: &Mesh) {
        let o = overlap::<D>(a, b);
        let field = |p: &[f64; 3]| 0.3 + 1.7 * p[0] - 0.6 * p[1] + 0.9 * p[2];
        for mediator in [Mediator::Coarse, Mediator::Fine] {
            for product in [Product::L2, Product::H1 { length: 0.4 }] {
                let g = Gluing::new(&o, mediator, product, &|_| true, &|_| 1.0).expect("rows");
                assert!((g.measure - o.measure()).abs() < 1e-12 * g.measure);
                for row in &g.rows {
                    let sum = |side: &[(u32, f64)], mesh: &Mesh| -> f64 {
                        side.iter().map(|(n, c)| c * field(&mesh.points[*n as usize])).sum()
                    };
                    let size: f64 = row.coarse.iter().map(|(_, c)| c.abs()).sum::<f64>();
                    let left = sum(&row.coarse, a) + sum(&row.fine, b);
                    assert!(left.abs() < 1e-11 * size.max(row.measure), "{left} of {size}");
                    let ones: f64 = row.coarse.iter().map(|(_, c)| c).sum();
                    assert!((ones - row.measure).abs() < 1e-12 * size);
                }
            }
        }
    }
    let a = grid(CellKind::Quad4, [0.0, 0.0], [4.0, 2.0], [4, 2], 0.4);
    check::<2>(&a, &grid(CellKind::Tri3, [1.5, 0.0], [3.5, 1.0], [9, 5], 0.3));
    let a = grid(CellKind::Hex8, [0.0; 3], [2.0; 3], [2; 3], 0.0);
    check::<3>(&a, &grid(CellKind::Tet4, [0.7; 3], [1.6; 3], [3; 3], 0.2));
    let a = grid(CellKind::Hex8, [0.0; 3], [2.0; 3], [2; 3], 0.3);
    check::<3>(&a, &grid(CellKind::Hex8, [0.7; 3], [1.6; 3], [2; 3], 0.2));
}

/// The two models share: factors of strain, summed with the measures of the points, give the whole of the union,
/// whatever the profile; the share of the coarse one is that of the integral of a linear ramp.
#[test]
fn weights_sum_to_the_whole_and_to_the_integral_of_the_ramp() {
    let a = grid(CellKind::Quad4, [2.0, 0.0], [5.0, 1.0], [4, 1], 0.0);
    let b = grid(CellKind::Quad4, [0.0, 0.0], [3.0, 1.0], [13, 3], 0.0);
    let o = overlap::<2>(&a, &b);
    let ramp = Ramp::new(&o, None);
    let floor = 1e-3;
    for profile in [Profile::Constant(0.3), Profile::Linear { floor }, Profile::Cubic { floor }] {
        let sharing = Sharing::new(profile, Some(&ramp)).expect("ramp");
        let factors = sharing.factors(&o, &|k| stiffness_rule(k, false), 1.0);
        let sums = [&o.coarse, &o.fine].map(|layer| {
            let side = usize::from(std::ptr::eq(layer, &o.fine));
            let cells = layer.measures();
            factors[side].iter().zip(cells).map(|(f, m)| m * f.iter().sum::<f64>() / f.len() as f64).sum::<f64>()
        });
        assert!((sums[0] + sums[1] - 5.0).abs() < 1e-12, "{profile:?} {sums:?}");
        let share = if let Profile::Constant(share) = profile { share } else { 0.5 };
        assert!((sums[0] - 2.0 - share).abs() < 1e-9, "{profile:?} {sums:?}");
    }
}

#[test]
fn what_cannot_be_superposed_is_told() {
    let a = grid(CellKind::Quad4, [0.0, 0.0], [1.0, 1.0], [2, 2], 0.0);
    let b = grid(CellKind::Tri3, [1.5, 0.0], [2.5, 1.0], [2, 2], 0.0);
    let apart = Overlap::<2>::new(Layer::new(&a, None).expect("a"), Layer::new(&b, None).expect("b")).err();
    assert!(matches!(apart, Some(Error::Apart { .. })), "{apart:?}");
    let o = overlap::<2>(&a, &a);
    let none = Gluing::new(&o, Mediator::Fine, Product::L2, &|_| false, &|_| 1.0);
    assert_eq!(none, Err(Error::NoZone { overlap: 1.0, cells: 4 }));
    let bad = Gluing::new(&o, Mediator::Fine, Product::H1 { length: -1.0 }, &|_| true, &|_| 1.0);
    assert!(matches!(bad, Err(Error::Value { name: "length", .. })));
    assert!(matches!(Sharing::<2>::new(Profile::Constant(1.0), None), Err(Error::Value { .. })));
    assert!(matches!(Sharing::<2>::new(Profile::Linear { floor: 0.1 }, None), Err(Error::NoRamp("linear"))));
    let _: Vector<2> = o.coarse.centre(0);
}
