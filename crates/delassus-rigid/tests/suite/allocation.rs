//! A warm step allocates nothing. Reference: a counting allocator.

use crate::common::*;
use crate::counting::allocations;
use delassus_contact::{Shape2, Shape3};
use delassus_rigid::{BodySpec, Interaction, StepSettings};

#[test]
fn a_warm_step_allocates_nothing() {
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.4));
    for i in 0..30u32 {
        let at = [0.1 * f64::from(i % 5) + 0.01 * f64::from(i / 5), 0.06 + 0.1 * f64::from(i / 5)];
        let shape = if i % 2 == 0 { Shape2::disc(0.045) } else { Shape2::rectangle(0.09, 0.08) }.expect("a shape");
        parts.bodies.push(BodySpec::homogeneous(format!("{i}"), 1000.0).at(at.into()).shape(shape));
    }
    let mut plane = sim2(parts, StepSettings { tolerance: 1e-8, sweeps: 100_000, ..settings(1e-3) });
    let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::coulomb(0.4));
    for i in 0..27u32 {
        let at = [0.11 * f64::from(i % 3), 0.11 * f64::from(i / 3 % 3), 0.055 + 0.11 * f64::from(i / 9)];
        let shape = if i % 2 == 0 { Shape3::sphere(0.05) } else { Shape3::cuboid([0.09; 3]) }.expect("a shape");
        parts.bodies.push(BodySpec::homogeneous(format!("{i}"), 1000.0).at(at.into()).shape(shape));
    }
    let mut space = sim3(parts, StepSettings { tolerance: 1e-6, sweeps: 100_000, ..settings(1e-3) });
    let mut starts = (plane.state().clone(), space.state().clone());
    // Lists of a state that is set would grow while the bodies fall.
    [&mut starts.0, &mut starts.1].into_iter().for_each(|s| s.contacts.reserve(1000));
    let mut run = |measured: bool| {
        let (mut counts, mut steps) = ([0usize; 2], [0usize; 2]);
        for _ in 0..2500 {
            let before = allocations();
            let first = plane.step().expect("converges").events.is_empty();
            let middle = allocations();
            let second = space.step().expect("converges").events.is_empty();
            let after = allocations();
            // A step handed over to another solver may allocate, and says so.
            for (k, (spent, quiet)) in [(middle - before, first), (after - middle, second)].into_iter().enumerate() {
                if quiet {
                    counts[k] += spent;
                    steps[k] += 1;
                }
            }
        }
        assert!(plane.report().contacts > 20 && space.report().contacts > 20);
        if !measured {
            plane.set_state(std::mem::take(&mut starts.0)).expect("its own state");
            space.set_state(std::mem::take(&mut starts.1)).expect("its own state");
        }
        (counts, steps)
    };
    // The motion once, to meet all its sizes; then again, to the same bits.
    run(false);
    let (counts, steps) = run(true);
    assert!(steps[0] > 1000 && steps[1] > 1000, "{steps:?}");
    assert_eq!(counts, [0, 0]);
}
