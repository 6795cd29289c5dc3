//! Order of elimination: nested dissection of the graph of nodes
//!
//! The dofs of a node have the same neighbours. They are kept together as one vertex, which
//! makes the graph of a solid in space three times smaller, and its supernodes larger. The
//! dissection is that of \[Karypis98\].

use super::pattern::Lists;

/// An order for this graph (neighbours of each dof, increasing, without itself):
/// `order[p]` is the dof eliminated in place `p`.
pub(super) fn dissection(graph: &Lists) -> Vec<u32> {
    let n = graph.len();
    let (vertex, leaders) = compress(graph);
    let mut small = Lists { start: vec![0], items: vec![] };
    let mut seen = vec![u32::MAX; leaders.len()];
    for (v, &leader) in leaders.iter().enumerate() {
        seen[v] = v as u32;
        for &i in graph.of(leader as usize) {
            let w = vertex[i as usize];
            if seen[w as usize] != v as u32 {
                seen[w as usize] = v as u32;
                small.items.push(w);
            }
        }
        small.start.push(small.items.len());
    }
    let mut out = Vec::with_capacity(n);
    for v in order_parts(&small) {
        let end = leaders.get(v as usize + 1).map_or(n as u32, |l| *l);
        out.extend(leaders[v as usize]..end);
    }
    out
}

/// Each connected part on its own: the library's time grows with the number of parts times
/// the size of the graph.
fn order_parts(graph: &Lists) -> Vec<u32> {
    let n = graph.len();
    let mut out = Vec::with_capacity(n);
    let mut local = vec![u32::MAX; n];
    let mut part = vec![];
    for first in 0..n as u32 {
        if local[first as usize] != u32::MAX {
            continue;
        }
        part.clear();
        part.push(first);
        local[first as usize] = 0;
        let mut next = 0;
        while let Some(&v) = part.get(next) {
            next += 1;
            for &w in graph.of(v as usize) {
                if local[w as usize] == u32::MAX {
                    local[w as usize] = 0;
                    part.push(w);
                }
            }
        }
        part.sort_unstable();
        part.iter().enumerate().for_each(|(k, v)| local[*v as usize] = k as u32);
        order_part(graph, &part, &local, &mut out);
    }
    out
}

/// Any order is correct; only the fill suffers where the part is beyond the library's reach.
fn order_part(graph: &Lists, part: &[u32], local: &[u32], out: &mut Vec<u32>) {
    if part.len() < 3 {
        return out.extend(part);
    }
    let mut start = vec![0i32];
    let mut items = vec![];
    for &v in part {
        items.extend(graph.of(v as usize).iter().map(|w| local[*w as usize] as i32));
        start.push(items.len() as i32);
    }
    let order = dissected(&start, &items);
    let mut seen = vec![false; part.len()];
    let once = |v: &i32| seen.get_mut(*v as usize).is_some_and(|s| !std::mem::replace(s, true));
    if order.len() == part.len() && order.iter().all(once) {
        out.extend(order.into_iter().map(|v| part[v as usize]));
    } else {
        out.extend(part);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn dissected(start: &[i32], items: &[i32]) -> Vec<i32> {
    let pattern = feral_metis::CscPattern::new(start.len() - 1, start, items);
    pattern.and_then(|p| feral_metis::metis_order(&p).ok()).unwrap_or_default()
}

/// The library reads a clock, which a browser's engine does not have, and would end there: minimum degree instead.
#[cfg(target_arch = "wasm32")]
fn dissected(start: &[i32], items: &[i32]) -> Vec<i32> {
    let of = |w: &[i32]| items[w[0] as usize..w[1] as usize].iter().map(|i| *i as u32).collect();
    let graph: Vec<Vec<u32>> = start.windows(2).map(of).collect();
    crate::frontal::minimum_degree(&graph).into_iter().map(|i| i as i32).collect()
}

/// Vertex of each dof, and the first dof of each vertex: runs of dofs with the same closed
/// neighbourhood.
fn compress(graph: &Lists) -> (Vec<u32>, Vec<u32>) {
    let mut vertex = Vec::with_capacity(graph.len());
    let mut leaders: Vec<u32> = vec![];
    for j in 0..graph.len() {
        let same = leaders.last().is_some_and(|l| same_closed(graph, *l, j as u32));
        if !same {
            leaders.push(j as u32);
        }
        vertex.push(leaders.len() as u32 - 1);
    }
    (vertex, leaders)
}

fn same_closed(graph: &Lists, a: u32, b: u32) -> bool {
    let (la, lb) = (graph.of(a as usize), graph.of(b as usize));
    // a ∪ N(a) = b ∪ N(b): without a and b the lists agree, and each names the other.
    la.len() == lb.len()
        && la.binary_search(&b).is_ok()
        && la.iter().filter(|i| **i != b).eq(lb.iter().filter(|i| **i != a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Pattern;

    #[test]
    fn dofs_of_a_node_become_one_vertex() {
        let elements: [&[u32]; 2] = [&[0, 1, 2, 3], &[2, 3, 4, 5]];
        let graph = Pattern::new(7, elements.into_iter()).expect("dofs in range").graph();
        assert_eq!(compress(&graph), (vec![0, 0, 1, 1, 2, 2, 3], vec![0, 2, 4, 6]));
    }

    /// A grid of 40 × 40 with isolated dofs at its end: every dof once.
    #[test]
    fn an_order_names_every_dof_once() {
        let cells: Vec<Vec<u32>> = (0..39 * 39)
            .map(|c| {
                let (x, y) = (c % 39, c / 39);
                [x + 40 * y, x + 1 + 40 * y, x + 40 * (y + 1), x + 1 + 40 * (y + 1)]
                    .iter()
                    .flat_map(|v| [2 * v, 2 * v + 1])
                    .collect()
            })
            .collect();
        let n = 2 * 40 * 40 + 5;
        let graph = Pattern::new(n, cells.iter().map(|c| c.as_slice())).expect("dofs in range").graph();
        let mut order = dissection(&graph);
        assert_ne!(order, (0..n as u32).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..n as u32).collect::<Vec<_>>());
    }
}
