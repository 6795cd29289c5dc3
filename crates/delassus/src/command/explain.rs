//! What happened, in words.

use super::solve::Report;
use super::text;
use delassus_friction::Status;
use delassus_friction::solver::Event;
use std::fmt::Write;

/// The story of one file: what was done and why, what the residual is made of, and
/// after a failure what it means and what to try.
pub fn report(label: &str, report: &Report, tolerance: f64) -> String {
    let mut out = String::new();
    let rank = match report.rank_deficiency {
        Some(0) => ", W of full rank".into(),
        Some(n) => format!(", rank deficiency of W about {n}"),
        None => String::new(),
    };
    // Writing into a String cannot fail.
    let _ = writeln!(out, "{label}: {}{rank}", text::size(report.contacts, report.dimension, report.dofs));
    for warning in &report.warnings {
        let _ = writeln!(out, "  note: {warning}");
    }
    steps(&mut out, &report.log);
    verdict(&mut out, report, tolerance);
    parts(&mut out, report);
    if report.status != Status::Converged {
        advice(&mut out, report);
    }
    out
}

fn steps(out: &mut String, log: &[Event]) {
    for (k, event) in log.iter().enumerate() {
        let Event { solver, iterations, residual, reason } = event;
        let _ = writeln!(
            out,
            "  {}. {solver}, {iterations} iteration{}, residual {}",
            k + 1,
            if *iterations == 1 { "" } else { "s" },
            text::small(*residual)
        );
        if !reason.is_empty() {
            let _ = writeln!(out, "     {reason}");
        }
    }
}

fn verdict(out: &mut String, report: &Report, tolerance: f64) {
    let sign = if report.residual <= tolerance { "≤" } else { ">" };
    let _ = writeln!(
        out,
        "  {} after {}: residual {} {sign} {} (absolute {} m/s, FCLIB error {})",
        text::status(report.status, report.timed_out),
        text::time(report.time_s),
        text::small(report.residual),
        text::small(tolerance),
        text::small(report.absolute),
        text::small(report.fclib_error),
    );
}

fn parts(out: &mut String, report: &Report) {
    let p = &report.parts;
    let worst: Vec<String> =
        report.worst.iter().map(|w| format!("{} ({} m/s)", w.contact, text::small(w.error))).collect();
    let _ = writeln!(
        out,
        "  contacts approach each other at most at {} m/s after the step",
        text::small(p.normal_velocity)
    );
    let _ = writeln!(out, "  percussions leave their admissible sets by at most {} N·s", text::small(p.cone));
    let _ = writeln!(out, "  percussion times modified velocity is at most {} J", text::small(p.complementarity));
    let _ = writeln!(out, "  friction opposes slip within {} rad", text::small(p.misalignment));
    if !worst.is_empty() {
        let _ = writeln!(out, "  worst contacts (from 0): {}", worst.join(", "));
    }
}

fn advice(out: &mut String, report: &Report) {
    let (means, tries) = match report.status {
        Status::Converged => return,
        Status::IterationLimit => (
            "the limit on iterations came before the tolerance; the answer is usable to the residual shown",
            "--max-iterations with a larger number, or --solver auto",
        ),
        Status::Stalled => (
            "no further progress was possible; the answer is usable to the residual shown",
            "another --solver, or a larger --tol: rounding in W and b may forbid the one asked for",
        ),
        Status::Breakdown => (
            "the linear algebra or the iterates broke down; the answer may be useless",
            "--solver auto or nlgs; look for entries of W that differ by many orders of magnitude",
        ),
        Status::Interrupted => {
            ("the solver was stopped; the best answer so far is kept", "a longer --time-limit, or --solver auto")
        }
        Status::MayHaveNoSolution => (
            "no velocity opens every contact enough, so that existence is not guaranteed: \
             the step may have no solution",
            "a smaller step, smaller friction coefficients, or look at how the worst contacts are wedged",
        ),
    };
    let _ = writeln!(out, "  meaning: {means}");
    let _ = writeln!(out, "  to try:  {tries}");
}
