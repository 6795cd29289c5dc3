//! A warm step allocates nothing. Reference: a counting allocator.

#[path = "references/common/mod.rs"]
mod common;

use common::*;
use delassus_contact::{Shape2, Shape3};
use delassus_rigid::{BodySpec, Interaction, StepSettings};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code)]
// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, so that no other thread allocates meanwhile.
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
    // Warm: the largest sizes have been met.
    let (mut counts, mut steps) = ([0usize; 2], [0usize; 2]);
    for i in 0..3500 {
        let before = COUNT.load(Ordering::Relaxed);
        let quiet = [plane.step().expect("converges").events.is_empty(), true];
        let middle = COUNT.load(Ordering::Relaxed);
        let quiet = [quiet[0], space.step().expect("converges").events.is_empty()];
        let after = COUNT.load(Ordering::Relaxed);
        // A step handed over to another solver may allocate, and says so.
        for (k, spent) in [middle - before, after - middle].into_iter().enumerate() {
            if i >= 3000 && quiet[k] {
                counts[k] += spent;
                if spent > 0 { println!("step {i} system {k}: {spent}, contacts {}", space.report().contacts); }
                steps[k] += 1;
            }
        }
    }
    assert!(plane.report().contacts > 20 && space.report().contacts > 20);
    assert!(steps[0] > 400 && steps[1] > 400, "{steps:?}");
    assert_eq!(counts, [0, 0]);
}
