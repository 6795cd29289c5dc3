//! Islands: bodies that contacts and links join
//!
//! Obstacles join nothing. Islands are numbered by their first body, blocks keep their order within one: what an
//! island is does not depend on what else there is.

use crate::Rows;

/// No body, no island.
pub(crate) const NONE: u32 = u32::MAX;

/// The blocks and bodies of a step, island by island.
#[derive(Default)]
pub(crate) struct Partition {
    parent: Vec<u32>,
    /// Island of each body; [`NONE`] where no block sees it.
    island: Vec<u32>,
    /// Place of each body among those of its island.
    local: Vec<u32>,
    blocks: Lists,
    bodies: Lists,
}

/// Lists one after the other, and where they begin.
#[derive(Default)]
struct Lists {
    start: Vec<u32>,
    entry: Vec<u32>,
}

impl Lists {
    /// Sorts `0 .. count` by the list `of` each; [`NONE`] is left out. A counting sort: the order within a list is kept.
    fn sort(&mut self, lists: usize, count: usize, of: impl Fn(usize) -> u32) {
        self.start.clear();
        self.start.resize(lists + 2, 0);
        let of = |i: &usize| of(*i) as usize;
        let listed = || (0..count).filter(|i| of(i) != NONE as usize);
        listed().for_each(|i| self.start[of(&i) + 2] += 1);
        for k in 0..lists {
            self.start[k + 2] += self.start[k + 1];
        }
        self.entry.clear();
        self.entry.resize(self.start[lists + 1] as usize, 0);
        for i in listed() {
            let at = &mut self.start[of(&i) + 1];
            self.entry[*at as usize] = i as u32;
            *at += 1;
        }
    }

    fn list(&self, k: usize) -> &[u32] {
        &self.entry[self.start[k] as usize..self.start[k + 1] as usize]
    }
}

impl Partition {
    /// The islands of the blocks of `rows`, among so many bodies.
    pub fn divide<const C: usize>(&mut self, rows: &Rows<C>, bodies: usize) {
        self.unite(rows, bodies);
        self.island.clear();
        self.island.resize(bodies, NONE);
        self.local.clear();
        self.local.resize(bodies, 0);
        let mut count = 0;
        for g in 0..bodies {
            if self.parent[g] == NONE {
                continue;
            }
            let root = self.find(g as u32) as usize;
            // The smallest of an island is its root, and comes first.
            if root == g {
                self.island[g] = count;
                count += 1;
            }
            self.island[g] = self.island[root];
        }
        // What moves nothing stands alone, together.
        let first = |i: usize| rows.sides(i).next().map(|s| self.island[s.group as usize]);
        let idle = (0..rows.len()).any(|i| first(i).is_none());
        let lists = count as usize + usize::from(idle);
        self.blocks.sort(lists, rows.len(), |i| first(i).unwrap_or(count));
        self.bodies.sort(lists, bodies, |g| self.island[g]);
        for k in 0..lists {
            for (place, &g) in self.bodies.list(k).iter().enumerate() {
                self.local[g as usize] = place as u32;
            }
        }
    }

    /// Union–find over the bodies that blocks see; the smallest is the root.
    fn unite<const C: usize>(&mut self, rows: &Rows<C>, bodies: usize) {
        self.parent.clear();
        self.parent.resize(bodies, NONE);
        for i in 0..rows.len() {
            let mut first = NONE;
            for g in rows.sides(i).map(|s| s.group) {
                if self.parent[g as usize] == NONE {
                    self.parent[g as usize] = g;
                }
                let root = self.find(g);
                if first != NONE {
                    self.parent[root.max(first) as usize] = root.min(first);
                }
                first = root.min(first);
            }
        }
    }

    fn find(&mut self, mut g: u32) -> u32 {
        while self.parent[g as usize] != g {
            self.parent[g as usize] = self.parent[self.parent[g as usize] as usize];
            g = self.parent[g as usize];
        }
        g
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.blocks.start.len().saturating_sub(2)
    }

    /// Blocks of an island.
    pub fn blocks(&self, k: usize) -> &[u32] {
        self.blocks.list(k)
    }

    /// Bodies of an island.
    pub fn bodies(&self, k: usize) -> &[u32] {
        self.bodies.list(k)
    }

    /// Island of a body.
    pub fn of_body(&self, body: u32) -> Option<usize> {
        self.island.get(body as usize).filter(|k| **k != NONE).map(|k| *k as usize)
    }

    /// Place of a body among those of its island.
    pub fn place(&self, body: u32) -> u32 {
        self.local[body as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_friction::algebra::Vector;

    /// Reference: chains written down by hand; a block on an obstacle joins nothing, and one without bodies stands alone.
    #[test]
    fn islands_are_what_blocks_join() {
        let mut rows = Rows::<2>::default();
        let pairs: [&[u32]; 7] = [&[5], &[1, 3], &[4], &[3, 0], &[], &[5, 2], &[1]];
        for sides in pairs {
            rows.begin([Vector::zeros(); 2]);
            for &g in sides {
                rows.push(g, g, Vector::<2>::new(1.0, 0.0));
            }
        }
        let mut partition = Partition::default();
        partition.divide(&rows, 8);
        let islands: Vec<_> = (0..partition.len()).map(|k| (partition.bodies(k), partition.blocks(k))).collect();
        let expected: [(&[u32], &[u32]); 4] = [(&[0, 1, 3], &[1, 3, 6]), (&[2, 5], &[0, 5]), (&[4], &[2]), (&[], &[4])];
        assert_eq!(islands, expected);
        assert_eq!([0, 1, 3, 5].map(|b| partition.place(b)), [0, 1, 2, 1]);
        assert_eq!((partition.of_body(6), partition.of_body(5)), (None, Some(1)));
        partition.divide(&Rows::<2>::default(), 8);
        assert_eq!(partition.len(), 0);
    }
}
