//! Contacts as their laws see them: where they are at the beginning of a step, and would be at its end.

use crate::bodies::CLOSED;
use crate::parts::Parts;
use crate::subsystem::Nodes;
use crate::weak::WeakBlocks;
use crate::{Measure, Meeting, Rows, State};
use delassus_friction::algebra::Vector;

/// A contact as its law sees it.
pub(crate) fn meeting<const D: usize, const C: usize>(
    state: &State,
    gap: f64,
    before: &Vector<C>,
    memory: [f64; crate::MEMORY],
    h: f64,
) -> Meeting {
    Meeting {
        gap,
        before: std::array::from_fn(|k| if k < C { before[k] } else { 0.0 }),
        components: C,
        space: D,
        time: state.time + 0.5 * h,
        step: state.step,
        h,
        memory,
        // Bodies end a step at `q_m + ½ h u_f`.
        ahead: std::array::from_fn(|k| match k {
            0 => gap,
            k if k < D => 0.5 * h * before[k.min(C - 1)],
            _ => 0.0,
        }),
        slope: 0.5 * h,
        start: gap - 0.5 * h * before[0],
        ..Meeting::default()
    }
}

/// The same with a deformable side, which may be looked for elsewhere than half a step ahead and end a step by
/// another rule than bodies do. What these two rules differ by is taken from the velocity before.
pub(crate) fn ends<const D: usize, const C: usize>(
    meeting: &mut Meeting,
    rows: &Rows<C>,
    block: usize,
    (parts, u_i): (&Parts<D, C>, &[f64]),
) {
    let Some((part, first)) = parts.with_nodes() else { return };
    let nodes = part.surfaces().nodes;
    let (half, solid) = (0.5 * meeting.h, |dof: u32| (dof as usize).checked_sub(first.dofs));
    let columns = || rows.sides(block).flat_map(|s| s.range()).map(|k| (rows.dofs()[k], rows.columns()[k][0]));
    if !columns().any(|(dof, _)| solid(dof).is_some()) {
        return;
    }
    meeting.slope = nodes.slope;
    meeting.at_end = part.blends();
    let (mut start, mut ahead) = (meeting.gap, meeting.gap);
    // Obstacles and imposed nodes.
    let [before, after] = rows.w()[block].map(|w| w[0]);
    start -= nodes.lead * before;
    ahead += (meeting.h - nodes.lead - nodes.slope) * after;
    for (dof, column) in columns() {
        match solid(dof) {
            Some(d) => {
                let there = nodes.positions[d] - nodes.reference[d];
                start += column * (nodes.before[d] - there);
                ahead += column * (nodes.base[d] - there);
            }
            None => {
                start -= column * half * u_i[dof as usize];
                ahead += column * (half - nodes.slope) * u_i[dof as usize];
            }
        }
    }
    (meeting.start, meeting.ahead[0]) = (start, ahead);
}

/// Gap between surfaces that counts as closed.
pub(crate) fn closed_gap(nodes: &Nodes<'_>) -> f64 {
    CLOSED * nodes.reference.iter().fold(0.0f64, |m, x| m.max(x.abs()))
}

/// Where a block of surfaces is at the beginning of the step, and would be at the end.
pub(crate) fn ahead<const D: usize>(meeting: &mut Meeting, weak: &WeakBlocks<D>, b: usize, nodes: &Nodes<'_>) {
    meeting.slope = nodes.slope;
    meeting.start = weak.gap_at(b, |d| nodes.before[d]) + weak.wall[b][0] * nodes.lead;
    if meeting.measure == Measure::Gap {
        // The law speaks of the gap and the slip themselves.
        meeting.gap = weak.gap_at(b, |d| nodes.before[d]);
        meeting.ahead = [0.0; 3];
        return;
    }
    // Obstacles are where they are at the pairing; rows hold their velocities.
    let (wall, slope) = (weak.wall[b], nodes.slope);
    let slip = weak.times(b, |d| nodes.base[d] - nodes.before[d]) - wall * (meeting.h - slope);
    meeting.ahead = std::array::from_fn(|k| match k {
        0 => weak.gap_at(b, |d| nodes.base[d]) - wall[0] * (meeting.h - nodes.lead - slope),
        k if k < D => slip[k.min(D - 1)],
        _ => 0.0,
    });
}
