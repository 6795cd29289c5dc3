//! Boxes around facets, in a binary tree
//!
//! Built once by halving along the widest axis; then only the boxes follow the motion, as
//! neighbours on a surface stay neighbours. Order of visits and ties depend on numbers
//! alone, never on addresses or threads.

use delassus_contact::Vector;

/// Facets in a leaf.
const LEAF: usize = 4;
/// Deeper than any tree of 2³² leaves halved in equal parts.
const DEPTH: usize = 64;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds<const D: usize> {
    pub lo: Vector<D>,
    pub hi: Vector<D>,
}

impl<const D: usize> Bounds<D> {
    pub fn empty() -> Self {
        Self { lo: Vector::repeat(f64::INFINITY), hi: Vector::repeat(f64::NEG_INFINITY) }
    }

    pub fn of(points: &[Vector<D>]) -> Self {
        points.iter().fold(Self::empty(), |b, p| b.with(p))
    }

    pub fn with(&self, p: &Vector<D>) -> Self {
        Self { lo: self.lo.inf(p), hi: self.hi.sup(p) }
    }

    pub fn joined(&self, o: &Self) -> Self {
        Self { lo: self.lo.inf(&o.lo), hi: self.hi.sup(&o.hi) }
    }

    pub fn inflated(&self, by: f64) -> Self {
        Self { lo: self.lo.add_scalar(-by), hi: self.hi.add_scalar(by) }
    }

    pub fn overlaps(&self, o: &Self) -> bool {
        (0..D).all(|k| self.lo[k] <= o.hi[k] && o.lo[k] <= self.hi[k])
    }

    pub fn distance_squared(&self, p: &Vector<D>) -> f64 {
        (0..D).map(|k| (self.lo[k] - p[k]).max(p[k] - self.hi[k]).max(0.0)).map(|d| d * d).sum()
    }
}

#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    bounds: Bounds<D>,
    /// Inner nodes: the right child (the left one follows). Leaves: the first item.
    next: u32,
    /// Items of a leaf; zero for inner nodes.
    count: u32,
}

/// The tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh<const D: usize> {
    nodes: Vec<Node<D>>,
    items: Vec<u32>,
}

impl<const D: usize> Bvh<D> {
    /// Takes the boxes of all facets: builds at the first call, then only moves.
    pub fn update(&mut self, boxes: &[Bounds<D>]) {
        if self.items.len() != boxes.len() {
            self.items = (0..boxes.len() as u32).collect();
            self.nodes.clear();
            self.build(boxes, 0, boxes.len());
        }
        for i in (0..self.nodes.len()).rev() {
            let Node { next, count, .. } = self.nodes[i];
            let (first, end) = (next as usize, (next + count) as usize);
            self.nodes[i].bounds = if count > 0 {
                self.items[first..end].iter().fold(Bounds::empty(), |b, &f| b.joined(&boxes[f as usize]))
            } else {
                self.nodes[i + 1].bounds.joined(&self.nodes[first].bounds)
            };
        }
    }

    fn build(&mut self, boxes: &[Bounds<D>], first: usize, end: usize) {
        let at = self.nodes.len();
        let count = if end - first <= LEAF { (end - first) as u32 } else { 0 };
        self.nodes.push(Node { bounds: Bounds::empty(), next: first as u32, count });
        if count > 0 {
            return;
        }
        let centre = |f: u32| boxes[f as usize].lo + boxes[f as usize].hi;
        let spread = self.items[first..end].iter().fold(Bounds::empty(), |b, &f| b.with(&centre(f)));
        let extent = spread.hi - spread.lo;
        let axis = (0..D).fold(0, |a, k| if extent[k] > extent[a] { k } else { a });
        let by = |a: &u32, b: &u32| centre(*a)[axis].total_cmp(&centre(*b)[axis]).then(a.cmp(b));
        self.items[first..end].sort_unstable_by(by);
        let half = first + (end - first) / 2;
        self.build(boxes, first, half);
        self.nodes[at].next = self.nodes.len() as u32;
        self.build(boxes, half, end);
    }

    /// Visits facets whose box is nearer than the squared distance `reach`, which the visitor
    /// may shorten; nearer halves first.
    pub fn nearest(&self, p: &Vector<D>, mut reach: f64, mut visit: impl FnMut(u32, &mut f64)) {
        let (mut stack, mut top) = ([0u32; DEPTH], usize::from(!self.nodes.is_empty()));
        while top > 0 {
            top -= 1;
            let i = stack[top] as usize;
            let node = &self.nodes[i];
            if !(node.bounds.distance_squared(p) <= reach) {
                continue;
            }
            let next = node.next as usize;
            if node.count > 0 {
                self.items[next..next + node.count as usize].iter().for_each(|&f| visit(f, &mut reach));
                continue;
            }
            let left = self.nodes[i + 1].bounds.distance_squared(p);
            let near_left = left <= self.nodes[next].bounds.distance_squared(p);
            let (near, far) = if near_left { (i + 1, next) } else { (next, i + 1) };
            stack[top] = far as u32;
            stack[top + 1] = near as u32;
            top += 2;
        }
    }

    /// Visits the facets of leaves whose boxes overlap `bounds`.
    pub fn overlapping(&self, bounds: &Bounds<D>, mut visit: impl FnMut(u32)) {
        let (mut stack, mut top) = ([0u32; DEPTH], usize::from(!self.nodes.is_empty()));
        while top > 0 {
            top -= 1;
            let i = stack[top] as usize;
            let node = &self.nodes[i];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            let next = node.next as usize;
            if node.count > 0 {
                self.items[next..next + node.count as usize].iter().for_each(|&f| visit(f));
                continue;
            }
            stack[top] = next as u32;
            stack[top + 1] = i as u32 + 1;
            top += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    /// The nearest of random points, against trying them all; also after they moved.
    #[test]
    fn nearest_agrees_with_brute_force() {
        let mut rng = StdRng::seed_from_u64(3);
        let mut draw = || Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0));
        let mut tree = Bvh::<3>::default();
        for _ in 0..3 {
            let points: Vec<_> = (0..257).map(|_| draw()).collect();
            let boxes: Vec<_> = points.iter().map(|p| Bounds::of(&[*p])).collect();
            tree.update(&boxes);
            for _ in 0..100 {
                let q = draw();
                let mut found = (f64::INFINITY, 0);
                tree.nearest(&q, f64::INFINITY, |f, reach| {
                    let d = (points[f as usize] - q).norm_squared();
                    if d < found.0 {
                        found = (d, f);
                        *reach = d;
                    }
                });
                let all = points.iter().map(|p| (p - q).norm_squared()).fold(f64::INFINITY, f64::min);
                assert_eq!(found.0, all);
                let near = Bounds::of(&[q]).inflated(0.2);
                let mut inside: Vec<u32> = vec![];
                tree.overlapping(&near, |f| inside.extend(boxes[f as usize].overlaps(&near).then_some(f)));
                inside.sort_unstable();
                let expected: Vec<u32> = (0..257).filter(|&f| (points[f as usize] - q).amax() <= 0.2).collect();
                assert_eq!(inside, expected);
            }
        }
    }
}
