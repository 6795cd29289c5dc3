//! In which order contacts are visited.

use crate::Problem;
use serde::{Deserialize, Serialize};

/// The order in which a sweep visits the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By index.
    #[default]
    Sequential,
    /// A new random permutation each sweep, reproducible from the seed.
    Shuffled {
        /// Seed of the permutations.
        seed: u64,
    },
    /// Forward, then backward.
    Symmetric,
    /// By colours of the contact graph; contacts of one colour are independent
    /// and may be shared among threads without changing a bit of the result. Problems given by bodies are swept by
    /// index, in parts that threads share.
    Coloured {
        /// Threads to use; any number gives the same bits.
        threads: usize,
    },
}

impl Order {
    /// The order for a problem: without `W` there is no graph to colour, and sweeps by bodies have parts for threads.
    pub(super) fn of<const D: usize>(self, problem: &Problem<D>) -> Self {
        match self {
            Self::Coloured { .. } if problem.by_bodies().is_some() => Self::Sequential,
            other => other,
        }
    }
}

/// Fisher–Yates with splitmix64: the sequence is part of the format of results,
/// so it must not change with a dependency.
pub(super) fn shuffle(order: &mut [u32], state: &mut u64) {
    for i in (1..order.len()).rev() {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        order.swap(i, (z % (i as u64 + 1)) as usize);
    }
}

/// Greedy colouring in index order: contacts grouped by colour, and the bounds of the groups.
pub(super) fn colour<const D: usize>(problem: &Problem<D>) -> (Vec<u32>, Vec<usize>) {
    let n = problem.len();
    let mut colour = vec![u32::MAX; n];
    let mut used: Vec<usize> = vec![];
    let mut neighbours: Vec<Vec<u32>> = vec![vec![]; n];
    for i in 0..n {
        for &j in problem.w().columns(i) {
            neighbours[j as usize].push(i as u32);
        }
    }
    for i in 0..n {
        for &j in problem.w().columns(i).iter().chain(&neighbours[i]) {
            if let Some(mark) = used.get_mut(colour[j as usize] as usize) {
                *mark = i + 1;
            }
        }
        let c = used.iter().position(|mark| *mark != i + 1).unwrap_or(used.len());
        if c == used.len() {
            used.push(0);
        }
        colour[i] = c as u32;
    }
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|i| (colour[*i as usize], *i));
    let mut bounds = vec![0];
    for c in 0..used.len() {
        bounds.push(order.partition_point(|i| colour[*i as usize] <= c as u32));
    }
    (order, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffle_is_a_permutation_and_reproducible() {
        let (mut a, mut b): (Vec<u32>, Vec<u32>) = ((0..100).collect(), (0..100).collect());
        let (mut s, mut t) = (5, 5);
        shuffle(&mut a, &mut s);
        shuffle(&mut b, &mut t);
        assert_eq!(a, b);
        assert_ne!(a, (0..100).collect::<Vec<u32>>());
        a.sort_unstable();
        assert_eq!(a, (0..100).collect::<Vec<u32>>());
    }
}
