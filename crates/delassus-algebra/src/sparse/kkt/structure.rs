//! Structure of the combined matrix and its order of elimination

use crate::sparse::pattern::Lists;
use crate::sparse::{AlgebraError, Pattern, ordering};

/// Lower triangle of K, B and C together: dofs first, then constraints.
pub(super) fn combined(k: &Pattern, constraints: &Lists, c: &Pattern) -> Result<Pattern, AlgebraError> {
    let n = k.size();
    let by_dof = constraints.transposed(n);
    let mut rows = Vec::with_capacity(k.entries() + constraints.items.len() + c.entries());
    let mut start = vec![0];
    for j in 0..n {
        rows.extend_from_slice(k.column(j));
        let first = rows.len();
        rows.extend(by_dof.of(j).iter().map(|r| n as u32 + r));
        // Lists are increasing: a constraint that names a dof twice is twice in a row.
        let mut kept = first;
        for r in first..rows.len() {
            if kept == first || rows[kept - 1] != rows[r] {
                rows[kept] = rows[r];
                kept += 1;
            }
        }
        rows.truncate(kept);
        start.push(rows.len());
    }
    for j in 0..c.size() {
        rows.extend(c.column(j).iter().map(|r| n as u32 + r));
        start.push(rows.len());
    }
    Pattern::from_parts(start, rows)
}

/// Dissection of the dofs, with those of a constraint as neighbours; then each constraint
/// right after the last dof that it names.
pub(super) fn order(k: &Pattern, constraints: &Lists) -> Vec<u32> {
    let n = k.size();
    let order = ordering::dissection(&with_cliques(k.graph(), constraints));
    let mut place = vec![0usize; n];
    order.iter().enumerate().for_each(|(p, i)| place[*i as usize] = p);
    let mut after: Vec<(usize, u32)> = (0..constraints.len())
        .map(|r| {
            let last = constraints.of(r).iter().map(|i| place[*i as usize]).max();
            (last.unwrap_or(n), (n + r) as u32)
        })
        .collect();
    after.sort_unstable();
    let mut after = after.into_iter().peekable();
    let mut out = Vec::with_capacity(n + constraints.len());
    for (p, i) in order.into_iter().enumerate() {
        out.push(i);
        while let Some((_, constraint)) = after.next_if(|(last, _)| *last == p) {
            out.push(constraint);
        }
    }
    out.extend(after.map(|(_, constraint)| constraint));
    out
}

fn with_cliques(graph: Lists, constraints: &Lists) -> Lists {
    let n = graph.len();
    let by_dof = constraints.transposed(n);
    let mut out = Lists { start: vec![0], items: Vec::with_capacity(graph.items.len()) };
    for j in 0..n {
        let first = out.items.len();
        out.items.extend_from_slice(graph.of(j));
        let mut more: Vec<u32> =
            by_dof.of(j).iter().flat_map(|r| constraints.of(*r as usize)).copied().filter(|i| *i != j as u32).collect();
        if !more.is_empty() {
            more.extend_from_slice(&out.items[first..]);
            more.sort_unstable();
            more.dedup();
            out.items.truncate(first);
            out.items.extend(more);
        }
        out.start.push(out.items.len());
    }
    out
}
