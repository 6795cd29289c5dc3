//! Joining nodes that coincide

use super::Mesh;
use super::shape::{norm, sub};
use std::collections::HashMap;

impl Mesh {
    /// Joins nodes closer than a distance to the lowest-numbered of them and drops the
    /// others; how many went. Cells that become equal are kept: join before making groups
    /// of the boundary.
    pub fn weld(&mut self, within: f64) -> usize {
        let size = 2.0 * within.max(f64::MIN_POSITIVE);
        let place = |p: [f64; 3]| p.map(|c| (c / size).floor() as i64);
        let mut grid: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(self.points.len());
        let mut target: Vec<u32> = (0..self.points.len() as u32).collect();
        for i in 0..self.points.len() {
            let p = self.points[i];
            match self.first_near(&grid, p, place(p), within) {
                Some(j) => target[i] = j,
                None => grid.entry(place(p)).or_default().push(i as u32),
            }
        }
        let before = self.points.len();
        self.renumber(&target);
        self.drop_nodes(|i| target[i] as usize == i);
        before - self.points.len()
    }

    /// The lowest-numbered kept node within a distance.
    fn first_near(&self, grid: &HashMap<[i64; 3], Vec<u32>>, p: [f64; 3], at: [i64; 3], within: f64) -> Option<u32> {
        let around = (0..27).filter_map(|i| {
            let step = [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1];
            grid.get(&[0, 1, 2].map(|k| at[k].saturating_add(step[k])))
        });
        around.flatten().copied().filter(|&j| norm(sub(self.points[j as usize], p)) <= within).min()
    }

    /// Replaces node `i` by `target[i]` everywhere.
    fn renumber(&mut self, target: &[u32]) {
        self.blocks.iter_mut().flat_map(|b| &mut b.nodes).for_each(|n| *n = target[*n as usize]);
        for group in self.groups.values_mut() {
            group.nodes.iter_mut().for_each(|n| *n = target[*n as usize]);
            group.nodes.sort_unstable();
            group.nodes.dedup();
        }
    }

    /// Keeps the nodes of a condition, in their order. No cell or group may use others.
    fn drop_nodes(&mut self, keep: impl Fn(usize) -> bool) {
        let mut target = vec![u32::MAX; self.points.len()];
        let mut kept = 0;
        for i in (0..self.points.len()).filter(|&i| keep(i)) {
            self.points[kept] = self.points[i];
            target[i] = kept as u32;
            kept += 1;
        }
        self.points.truncate(kept);
        self.renumber(&target);
    }
}
