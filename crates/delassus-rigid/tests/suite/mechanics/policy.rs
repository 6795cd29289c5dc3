//! Steps that do not converge: flagged, retried or refused; never silent.

use super::invariants::heap;
use crate::common::*;
use delassus_friction::fclib::File;
use delassus_friction::{AnyProblem, SolverKind, Status};
use delassus_rigid::{Event, Interaction, Policy, StepError, StepSettings};

/// Two sweeps cannot solve a heap.
fn poor(on_failure: Policy) -> StepSettings {
    StepSettings {
        sweeps: 2,
        solver: SolverKind::Nlgs,
        max_iterations: Some(2),
        on_failure,
        tolerance: 1e-10,
        ..settings(1e-3)
    }
}

#[test]
fn stop_is_an_error_that_names_the_worst_contacts_and_leaves_the_problem() {
    let folder = std::env::temp_dir().join(format!("delassus-policy-{}", std::process::id()));
    let settings = StepSettings { failures: Some(folder.clone()), ..poor(Policy::Stop) };
    let mut sim = sim2(heap(24, Interaction::coulomb(0.3)), settings);
    let error = (0..1000).find_map(|_| sim.step().err()).expect("two sweeps do not suffice");
    let StepError::NotConverged(failure) = error else { panic!("{error}") };
    assert!(!failure.worst.is_empty() && failure.residual > failure.tolerance);
    let path = failure.file.expect("a file");
    let file = File::read(&path).expect("an FCLIB file");
    let problem = AnyProblem::from_fclib(&file).expect("a problem");
    assert!(problem.contacts() > 0);
    std::fs::remove_dir_all(folder).expect("ours");
}

/// `auto` would solve these steps without the sweeps before it; a limit of one iteration ends it, and the step says why.
#[test]
fn the_work_of_auto_is_limited() {
    let settings =
        StepSettings { solver: SolverKind::Auto, sweeps: 0, max_iterations: Some(1), ..poor(Policy::Accept) };
    let mut sim = sim2(heap(24, Interaction::coulomb(0.3)), settings);
    let mut limited = 0;
    for _ in 0..600 {
        let report = sim.step().expect("accepted");
        for event in &report.events {
            let Event::NotConverged(failure) = event else { continue };
            assert_eq!(failure.status, Status::IterationLimit);
            limited += 1;
        }
    }
    assert!(limited > 0, "the limit was never met");
}

#[test]
fn accept_goes_on_and_says_so() {
    let mut sim = sim2(heap(24, Interaction::coulomb(0.3)), poor(Policy::Accept));
    let mut flagged = 0;
    for _ in 0..600 {
        let report = sim.step().expect("accepted");
        assert_eq!(report.residual > 1e-10, !report.converged());
        flagged += usize::from(report.events.iter().any(|e| matches!(e, Event::NotConverged(_))));
        assert!(report.energy.closing.abs() < 1e-9);
    }
    assert!(flagged > 50, "{flagged}");
}

#[test]
fn retry_divides_the_step_and_keeps_the_clock() {
    // Enough for most steps, not for all.
    let settings =
        StepSettings { tolerance: 1e-6, max_iterations: Some(42), ..poor(Policy::Retry { divide: 2, times: 2 }) };
    let mut sim = sim2(heap(24, Interaction::coulomb(0.3)), settings);
    let (mut retried, mut failed) = (0, 0);
    for i in 0..400u64 {
        let report = sim.step().expect("accepted");
        assert_eq!(report.step, i);
        retried += usize::from(report.events.iter().any(|e| matches!(e, Event::Retried { .. })));
        failed += usize::from(report.events.iter().any(|e| matches!(e, Event::NotConverged(_))));
        assert!((sim.state().time - 1e-3 * (i + 1) as f64).abs() < 1e-12);
        assert_eq!(sim.state().step, i + 1);
    }
    assert!(retried > 0 && failed > 0, "{retried} {failed}");
}

/// A step in two parts is two steps of half the length, to the bit.
#[test]
fn parts_are_steps_of_their_own() {
    let of = |h: f64, substeps| StepSettings { substeps, tolerance: 1e-8, ..settings(h) };
    let mut parts = sim2(heap(24, Interaction::coulomb(0.3)), of(1e-3, 2));
    let mut steps = sim2(heap(24, Interaction::coulomb(0.3)), of(5e-4, 1));
    for i in 0..300u64 {
        // Where exact rest is tried goes by the number of the step.
        steps.set_state(parts.state().clone()).expect("of the same model");
        let (mut works, mut worst, mut iterations) = (0.0, 0.0f64, 0);
        for _ in 0..2 {
            let report = steps.step().expect("solved");
            (works, iterations) = (works + report.energy.friction, iterations + report.iterations);
            worst = worst.max(report.residual);
        }
        let report = parts.step().expect("solved");
        assert_eq!((report.step, report.parts, report.h), (i, 2, 1e-3));
        assert_eq!((report.residual, report.iterations), (worst, iterations), "step {i}");
        assert!((report.energy.friction - works).abs() <= 1e-12 * works.abs());
        let (a, b) = (parts.state(), steps.state());
        assert_eq!((&a.q, &a.u, &a.contacts), (&b.q, &b.u, &b.contacts), "step {i}");
        assert!((a.time - b.time).abs() < 1e-12);
    }
}

/// Where a part is accepted above the tolerance, so is the step, whatever the later parts are.
#[test]
fn the_worst_part_is_that_of_the_step() {
    let settings = StepSettings { substeps: 3, ..poor(Policy::Accept) };
    let mut sim = sim2(heap(24, Interaction::coulomb(0.3)), settings);
    let mut mixed = 0;
    for _ in 0..600 {
        let report = sim.step().expect("accepted");
        let failures = report.events.iter().filter_map(|e| if let Event::NotConverged(f) = e { Some(f) } else { None });
        let worst = failures.clone().map(|f| f.residual).fold(0.0, f64::max);
        assert_eq!(worst > 0.0, !report.converged());
        assert!(report.residual >= worst && (report.residual > 1e-10) == (worst > 0.0));
        mixed += usize::from((1..3).contains(&failures.count()));
    }
    assert!(mixed > 10, "{mixed} steps with good and bad parts");
}

/// Plain sweeps asked for by name, and those that large steps get between accelerated sweeps and another
/// solver, end at the same certificate as everything else.
#[test]
fn plain_sweeps_solve_a_heap() {
    let named = StepSettings { solver: SolverKind::Nlgs, on_failure: Policy::Stop, tolerance: 1e-8, ..settings(1e-3) };
    let large = StepSettings { solver: SolverKind::Auto, sweeps: 5, hand_over: 0, ..named.clone() };
    for (settings, more) in [(named, false), (large, true)] {
        let mut sim = sim2(heap(24, Interaction::coulomb(0.3)), settings);
        let mut handed_over = 0;
        for _ in 0..400 {
            let report = sim.step().expect("solved");
            assert!(report.residual <= 1e-8 && report.converged());
            handed_over += report.events.len();
        }
        assert_eq!(handed_over > 0, more);
    }
}

/// A settled heap asked for a step of a different kind: bad settings are refused by name.
#[test]
fn settings_are_checked() {
    let bad = [
        StepSettings { h: -1.0, ..Default::default() },
        StepSettings { tolerance: f64::NAN, ..Default::default() },
        StepSettings { substeps: 0, ..Default::default() },
        StepSettings { on_failure: Policy::Retry { divide: 1, times: 1 }, ..Default::default() },
    ];
    for settings in bad {
        assert!(matches!(settings.validate(), Err(StepError::Setting { .. })));
    }
}
