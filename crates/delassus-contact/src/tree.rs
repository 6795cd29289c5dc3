//! A binary tree of boxes: the facets of a skin, the triangles of a mesh
//!
//! Built once by halving along the widest axis; then only the boxes follow the motion, as
//! neighbours on a surface stay neighbours. Order of visits and ties depend on numbers
//! alone, never on addresses or threads.

use crate::{Aabb, Vector};

/// Items in a leaf.
const LEAF: usize = 4;
/// Deeper than any tree of 2³² leaves halved in equal parts.
const DEPTH: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node<const D: usize> {
    bounds: Aabb<D>,
    /// Inner nodes: the right child (the left one follows). Leaves: the first item.
    next: u32,
    /// Items of a leaf; zero for inner nodes.
    count: u32,
}

/// The tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree<const D: usize> {
    nodes: Vec<Node<D>>,
    items: Vec<u32>,
}

impl<const D: usize> Tree<D> {
    /// Takes the boxes of all items: builds at the first call, then only moves.
    pub fn update(&mut self, boxes: &[Aabb<D>]) {
        if self.items.len() != boxes.len() {
            self.items = (0..boxes.len() as u32).collect();
            self.nodes.clear();
            self.build(boxes, 0, boxes.len());
        }
        for i in (0..self.nodes.len()).rev() {
            let Node { next, count, .. } = self.nodes[i];
            let (first, end) = (next as usize, (next + count) as usize);
            self.nodes[i].bounds = if count > 0 {
                self.items[first..end].iter().fold(Aabb::empty(), |b, &f| b.join(&boxes[f as usize]))
            } else {
                self.nodes[i + 1].bounds.join(&self.nodes[first].bounds)
            };
        }
    }

    /// The box around all items.
    pub fn bounds(&self) -> Aabb<D> {
        self.nodes.first().map_or_else(Aabb::empty, |n| n.bounds)
    }

    fn build(&mut self, boxes: &[Aabb<D>], first: usize, end: usize) {
        let at = self.nodes.len();
        let count = if end - first <= LEAF { (end - first) as u32 } else { 0 };
        self.nodes.push(Node { bounds: Aabb::empty(), next: first as u32, count });
        if count > 0 {
            return;
        }
        let centre = |f: u32| boxes[f as usize].min + boxes[f as usize].max;
        let spread = self.items[first..end].iter().fold(Aabb::empty(), |b, &f| b.with(&centre(f)));
        let extent = spread.max - spread.min;
        let axis = (0..D).fold(0, |a, k| if extent[k] > extent[a] { k } else { a });
        let by = |a: &u32, b: &u32| centre(*a)[axis].total_cmp(&centre(*b)[axis]).then(a.cmp(b));
        self.items[first..end].sort_unstable_by(by);
        let half = first + (end - first) / 2;
        self.build(boxes, first, half);
        self.nodes[at].next = self.nodes.len() as u32;
        self.build(boxes, half, end);
    }

    /// Visits items whose box is nearer than the squared distance `reach`, which the visitor
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

    /// Visits the items of leaves whose boxes meet `bounds`: some of them may not.
    pub fn overlapping(&self, bounds: &Aabb<D>, mut visit: impl FnMut(u32)) {
        let (mut stack, mut top) = ([0u32; DEPTH], usize::from(!self.nodes.is_empty()));
        while top > 0 {
            top -= 1;
            let i = stack[top] as usize;
            let node = &self.nodes[i];
            if !node.bounds.meets(bounds) {
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
        let mut tree = Tree::<3>::default();
        for _ in 0..3 {
            let points: Vec<_> = (0..257).map(|_| draw()).collect();
            let boxes: Vec<_> = points.iter().map(|p| Aabb::of_points(&[*p], 0.0)).collect();
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
                let near = Aabb::of_points(&[q], 0.2);
                let mut inside: Vec<u32> = vec![];
                tree.overlapping(&near, |f| inside.extend(boxes[f as usize].meets(&near).then_some(f)));
                inside.sort_unstable();
                let expected: Vec<u32> = (0..257).filter(|&f| (points[f as usize] - q).amax() <= 0.2).collect();
                assert_eq!(inside, expected);
            }
        }
    }
}
