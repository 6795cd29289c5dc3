//! Optional correction of positions
//!
//! ```text
//!     min ½ δᵀ A δ    subject to    g + G_N δ ≥ −slop  at contacts,    g + G δ = 0  at joints
//! ```
//!
//! with a share of each defect, solved as a frictionless problem on the `W` of the step.
//! Velocities are not touched; the energy it brings is in the ledger.

use crate::parts::Parts;
use crate::subsystem::LinkKind;
use crate::workspace::Workspace;
use crate::{Corrected, Correction, Error, State};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;
use delassus_friction::solver::{Nlgs, NlgsSettings, Silent};

/// Moves `state`; says what it did.
pub(crate) fn correct<const D: usize, const C: usize>(
    parts: &Parts<D, C>,
    ws: &mut Workspace<D, C>,
    (correction, h): (Correction, f64),
    state: &mut State,
) -> Result<Corrected, Error> {
    let mut report = Corrected::default();
    parts.iter().for_each(|p| {
        p.joint_gaps(state, &mut ws.links);
    });
    let (active, found, links, after) = (&ws.active, &ws.found, &ws.links, &ws.after);
    let source = &ws.problem;
    let mut depth = 0.0f64;
    ws.lift.refill(|w, b, laws| {
        w.clone_from(source.w());
        for (i, &c) in active.iter().enumerate() {
            // The gap at the end of the step, to first order.
            let gap = found.contacts[c as usize].gap + 0.5 * h * after[i][0] + correction.slop;
            depth = depth.max(-gap);
            report.contacts += usize::from(gap < 0.0);
            b.push(Vector::from_fn(|k, _| if k == 0 { (correction.share * gap).min(gap.max(0.0)) } else { 0.0 }));
            laws.push(Law::Frictionless);
        }
        for link in links.iter() {
            let unilateral = link.kind == LinkKind::Limit;
            let holds = matches!(link.kind, LinkKind::Joint);
            b.push(if holds || unilateral { link.gap * correction.share } else { Vector::zeros() });
            let free = Law::Limited { limit: [0.0; COMPONENTS] };
            laws.push(if holds {
                Law::Bilateral
            } else if unilateral {
                Law::Frictionless
            } else {
                free
            });
        }
        // Surfaces are left where they are.
        for _ in active.len() + links.len()..source.len() {
            b.push(Vector::zeros());
            laws.push(Law::Limited { limit: [0.0; COMPONENTS] });
        }
    })?;
    report.before = depth;
    if ws.lift.b_norm() == 0.0 {
        return Ok(report);
    }
    ws.lift_s.clear();
    ws.lift_s.resize(ws.lift.len(), Vector::zeros());
    let own = NlgsSettings { tolerance: 1e-6, max_iterations: 500, acceleration: 5, ..Default::default() };
    let sweeps = match &mut ws.lift_nlgs {
        Some(sweeps) => sweeps,
        none => none.insert(Nlgs::new(&ws.lift, own)?),
    };
    sweeps.fit(&ws.lift);
    sweeps.run(&ws.lift, &mut ws.lift_s, &mut Silent);
    Workspace::<D, C>::gather(&ws.rows, &ws.lift_s, &mut ws.force, ws.u_f.len());
    parts.solve_in_place(&mut ws.force);
    report.displacement = ws.force.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    parts.displace(&ws.force, state);
    Ok(report)
}
