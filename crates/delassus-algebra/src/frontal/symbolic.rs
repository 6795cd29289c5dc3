//! Analysis on the graph of blocks: fill-reducing order, elimination tree,
//! fronts (supernodes), and where each block of `W` goes.

use crate::BlockMatrix;
use std::ops::Range;

/// Fronts smaller than this many blocks are merged with their parent at little cost.
const SMALL_FRONT: usize = 4;

/// One dense front: `pivots` consecutive blocks are eliminated, `rows` updated.
pub(super) struct Front {
    pub first: usize,
    pub pivots: usize,
    /// Later blocks, in elimination order, coupled with the pivots.
    pub rows: Vec<u32>,
    pub entries: Range<usize>,
    pub children: Vec<Child>,
}

/// A child front and the place of its rows in the parent's front.
pub(super) struct Child {
    pub front: usize,
    pub place: Vec<u32>,
}

/// A stored block of `W` and its place in its front.
pub(super) struct Entry {
    pub block: usize,
    pub row: u32,
    pub to_row: u32,
    pub to_column: u32,
}

pub(super) struct Symbolic {
    /// `order[p]` is the block eliminated in place `p`.
    pub order: Vec<u32>,
    pub fronts: Vec<Front>,
    pub entries: Vec<Entry>,
    /// Largest size of the update stack, in blocks.
    pub stack: usize,
}

impl Symbolic {
    pub fn new<const D: usize>(w: &BlockMatrix<D>) -> Self {
        let graph = symmetric_graph(w);
        let mut order = minimum_degree(&graph);
        let (parent, _) = elimination_tree(&graph, &order);
        order = postorder(&parent).into_iter().map(|p| order[p]).collect();
        let (parent, structure) = elimination_tree(&graph, &order);
        let mut fronts = supernodes(&parent, structure);
        let entries = place_entries(w, &order, &mut fronts);
        let stack = link(&mut fronts);
        Self { order, fronts, entries, stack }
    }
}

fn symmetric_graph<const D: usize>(w: &BlockMatrix<D>) -> Vec<Vec<u32>> {
    let mut graph: Vec<Vec<u32>> = (0..w.len()).map(|i| w.columns(i).to_vec()).collect();
    for i in 0..w.len() {
        for &j in w.columns(i) {
            graph[j as usize].push(i as u32);
        }
    }
    for list in &mut graph {
        list.sort_unstable();
        list.dedup();
    }
    graph
}

pub(crate) fn minimum_degree(graph: &[Vec<u32>]) -> Vec<u32> {
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::sparse::{SymbolicSparseColMatRef, linalg::amd};
    let n = graph.len();
    let mut start = vec![0usize];
    let mut index = vec![];
    for list in graph {
        index.extend(list.iter().map(|j| *j as usize));
        start.push(index.len());
    }
    let mut perm = vec![0usize; n];
    let mut inverse = vec![0usize; n];
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &start, None, &index);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, index.len()));
    let done = amd::order(&mut perm, &mut inverse, pattern, Default::default(), MemStack::new(&mut memory));
    match done {
        Ok(_) => perm.into_iter().map(|p| p as u32).collect(),
        // Any order is correct; only the fill suffers.
        Err(_) => (0..n as u32).collect(),
    }
}

/// Parents and column structures (blocks after the diagonal) for this order.
fn elimination_tree(graph: &[Vec<u32>], order: &[u32]) -> (Vec<Option<usize>>, Vec<Vec<u32>>) {
    let n = order.len();
    let mut place = vec![0u32; n];
    for (p, &i) in order.iter().enumerate() {
        place[i as usize] = p as u32;
    }
    let mut parent = vec![None; n];
    let mut children: Vec<Vec<usize>> = vec![vec![]; n];
    let mut structure: Vec<Vec<u32>> = vec![vec![]; n];
    let mut seen = vec![usize::MAX; n];
    for p in 0..n {
        let mut rows = vec![];
        seen[p] = p;
        let mut add = |q: u32| {
            if q as usize > p && seen[q as usize] != p {
                seen[q as usize] = p;
                rows.push(q);
            }
        };
        graph[order[p] as usize].iter().for_each(|j| add(place[*j as usize]));
        for c in &children[p] {
            structure[*c].iter().for_each(|q| add(*q));
        }
        rows.sort_unstable();
        if let Some(&q) = rows.first() {
            parent[p] = Some(q as usize);
            children[q as usize].push(p);
        }
        structure[p] = rows;
    }
    (parent, structure)
}

fn postorder(parent: &[Option<usize>]) -> Vec<usize> {
    let n = parent.len();
    let mut children: Vec<Vec<usize>> = vec![vec![]; n];
    let mut roots = vec![];
    for p in 0..n {
        match parent[p] {
            Some(q) => children[q].push(p),
            None => roots.push(p),
        }
    }
    let mut out = Vec::with_capacity(n);
    let mut stack: Vec<(usize, usize)> = roots.into_iter().rev().map(|r| (r, 0)).collect();
    while let Some((p, next)) = stack.pop() {
        if next < children[p].len() {
            stack.push((p, next + 1));
            stack.push((children[p][next], 0));
        } else {
            out.push(p);
        }
    }
    out
}

/// Merges chains of columns with (nearly) nested structures into fronts.
fn supernodes(parent: &[Option<usize>], structure: Vec<Vec<u32>>) -> Vec<Front> {
    let mut fronts: Vec<Front> = vec![];
    for (p, rows) in structure.into_iter().enumerate() {
        fronts.push(Front { first: p, pivots: 1, rows, entries: 0..0, children: vec![] });
        // Merge while the front before is a child whose structure costs few explicit zeros.
        while fronts.len() >= 2 {
            let (a, b) = (&fronts[fronts.len() - 2], &fronts[fronts.len() - 1]);
            let child = parent[a.first + a.pivots - 1] == Some(b.first);
            if !child || !worth_merging(a, b) {
                break;
            }
            let b = fronts.pop().expect("two fronts");
            let a = fronts.last_mut().expect("two fronts");
            a.pivots += b.pivots;
            a.rows = b.rows;
        }
    }
    fronts
}

/// `a`'s rows are `b`'s pivots and rows, less some: those become explicit zeros.
fn worth_merging(a: &Front, b: &Front) -> bool {
    let merged = b.pivots + b.rows.len();
    let zeros = (merged - a.rows.len()) * a.pivots;
    let total = (a.pivots + b.pivots) * (a.pivots + merged);
    zeros == 0 || (a.pivots < SMALL_FRONT && zeros * 3 < total) || zeros * 12 < total
}

fn place_entries<const D: usize>(w: &BlockMatrix<D>, order: &[u32], fronts: &mut [Front]) -> Vec<Entry> {
    let n = order.len();
    let mut place = vec![0u32; n];
    for (p, &i) in order.iter().enumerate() {
        place[i as usize] = p as u32;
    }
    let mut owner = vec![0u32; n];
    for (f, front) in fronts.iter().enumerate() {
        owner[front.first..front.first + front.pivots].fill(f as u32);
    }
    let mut by_front: Vec<Vec<Entry>> = fronts.iter().map(|_| vec![]).collect();
    for i in 0..n {
        for (block, j) in w.block_indices(i).zip(w.columns(i)) {
            let (pi, pj) = (place[i], place[*j as usize]);
            let f = owner[pi.min(pj) as usize] as usize;
            let front = &fronts[f];
            by_front[f].push(Entry { block, row: i as u32, to_row: local(front, pi), to_column: local(front, pj) });
        }
    }
    let mut entries = vec![];
    for (front, list) in fronts.iter_mut().zip(by_front) {
        front.entries = entries.len()..entries.len() + list.len();
        entries.extend(list);
    }
    entries
}

/// Block position inside a front of the block eliminated in place `p`.
fn local(front: &Front, p: u32) -> u32 {
    let p = p as usize;
    if p < front.first + front.pivots {
        return (p - front.first) as u32;
    }
    let k = front.rows.partition_point(|r| (*r as usize) < p);
    (front.pivots + k) as u32
}

/// Links children to parents and simulates the stack to size it.
fn link(fronts: &mut [Front]) -> usize {
    let mut owner = vec![0usize; fronts.last().map_or(0, |f| f.first + f.pivots)];
    for (f, front) in fronts.iter().enumerate() {
        owner[front.first..front.first + front.pivots].fill(f);
    }
    let (mut depth, mut largest) = (0, 0);
    for f in 0..fronts.len() {
        let m = fronts[f].rows.len();
        depth -= fronts[f].children.iter().map(|c| c.place.len().pow(2)).sum::<usize>();
        depth += m * m;
        largest = largest.max(depth);
        if let Some(&row) = fronts[f].rows.first() {
            let q = owner[row as usize];
            let place = fronts[f].rows.iter().map(|r| local(&fronts[q], *r)).collect();
            fronts[q].children.push(Child { front: f, place });
        }
    }
    largest
}
