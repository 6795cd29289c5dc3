//! A warm step allocates nothing. Reference: a counting allocator.

#[path = "../../delassus-friction/tests/counting/mod.rs"]
mod counting;

#[path = "references/common/mod.rs"]
mod common;

use common::*;
use counting::allocations;
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
    let (mut counts, mut steps) = ([0usize; 2], [0usize; 2]);
    // Sizes met so far, and how many steps the buffers, which change places, need to grow.
    let (mut largest, mut growing) = ([0usize; 2], [0usize; 2]);
    for i in 0..3500 {
        let before = allocations();
        let plain = plane.step().expect("converges");
        let first = (plain.events.is_empty(), plain.candidates);
        let middle = allocations();
        let plain = space.step().expect("converges");
        let second = (plain.events.is_empty(), plain.candidates);
        let after = allocations();
        for (k, (spent, (quiet, size))) in [(middle - before, first), (after - middle, second)].into_iter().enumerate()
        {
            growing[k] = if size > largest[k] { 3 } else { growing[k].saturating_sub(1) };
            largest[k] = largest[k].max(size);
            // A step handed over to another solver may allocate, and says so.
            if i >= 1000 && quiet && growing[k] == 0 {
                counts[k] += spent;
                steps[k] += 1;
            }
        }
    }
    assert!(plane.report().contacts > 20 && space.report().contacts > 20);
    assert!(steps[0] > 400 && steps[1] > 400, "{steps:?}");
    assert_eq!(counts, [0, 0]);
}
