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
    let mut start = vec![0i32];
    let mut items: Vec<i32> = vec![];
    let mut seen = vec![u32::MAX; leaders.len()];
    for (v, &leader) in leaders.iter().enumerate() {
        seen[v] = v as u32;
        for &i in graph.of(leader as usize) {
            let w = vertex[i as usize];
            if seen[w as usize] != v as u32 {
                seen[w as usize] = v as u32;
                items.push(w as i32);
            }
        }
        start.push(items.len() as i32);
    }
    let order = order_vertices(leaders.len(), &start, &items);
    let mut out = Vec::with_capacity(n);
    for v in order {
        let end = leaders.get(v + 1).map_or(n, |l| *l as usize);
        out.extend(leaders[v]..end as u32);
    }
    out
}

/// Any order is correct; only the fill suffers where the graph is beyond the library's reach.
fn order_vertices(n: usize, start: &[i32], items: &[i32]) -> Vec<usize> {
    let pattern = feral_metis::CscPattern::new(n, start, items);
    let order = pattern.and_then(|p| feral_metis::metis_order(&p).ok()).unwrap_or_default();
    let mut seen = vec![false; n];
    let valid = order.len() == n
        && order.iter().all(|v| seen.get_mut(*v as usize).is_some_and(|s| !std::mem::replace(s, true)));
    if valid { order.into_iter().map(|v| v as usize).collect() } else { (0..n).collect() }
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
    use crate::algebra::Pattern;

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
