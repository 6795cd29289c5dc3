//! Ghost edges: samples that lie on the faces of the set
//!
//! The set of solutions at rest is bounded by the edges of the cones. Points drawn without
//! preference would lie on such a face with probability zero; Gauss–Seidel puts many of its limits
//! there, on faces that depend on the procedure, and their shadows are the lines seen inside the
//! clouds \[Moreau03 §4\].

use crate::Samples;
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

/// Distance to the edge of a cone that counts as none, relative to the reaction: samples are
/// solved to less.
const ON: f64 = 1e-6;

/// How often samples lie on the faces of the set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faces {
    /// Contacts at the edge of their cone in a sample, on average.
    pub mean: f64,
    /// Share of the samples that lie on a face.
    pub any: f64,
    /// By contact, the share of the samples in which it is at the edge of its cone.
    pub share: Vec<f64>,
}

impl Faces {
    /// The contacts most often at the edge of their cones, with the share of the samples.
    pub fn most(&self, count: usize) -> Vec<(usize, f64)> {
        let mut list: Vec<(usize, f64)> = self.share.iter().copied().enumerate().filter(|f| f.1 > 0.0).collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        list.truncate(count);
        list
    }
}

/// Counts the faces that the samples lie on.
pub fn faces<const D: usize>(samples: &Samples<D>, laws: &[Law]) -> Faces {
    let mut share = vec![0.0; laws.len()];
    let (mut mean, mut any) = (0.0, 0.0);
    let each = 1.0 / samples.len().max(1) as f64;
    for k in 0..samples.len() {
        let on = samples.get(k).iter().zip(laws).enumerate().filter(|(_, (s, law))| is_on_edge(s, law));
        let on: Vec<usize> = on.map(|f| f.0).collect();
        on.iter().for_each(|i| share[*i] += each);
        mean += each * on.len() as f64;
        any += if on.is_empty() { 0.0 } else { each };
    }
    Faces { mean, any, share }
}

fn is_on_edge<const D: usize>(s: &Vector<D>, law: &Law) -> bool {
    match law {
        Law::Coulomb { mu } => mu * s[0] - s.rows(1, D - 1).norm() <= ON * s.norm(),
        Law::Polyhedral(section) if D >= 3 => section.depth(&Vector::<3>::from_fn(|k, _| s[k])) <= ON * s.norm(),
        Law::Directional { mu } => (mu[0] * s[0] + s[1]).min(mu[1] * s[0] - s[1]) <= ON * s.norm(),
        Law::Frictionless => s[0] == 0.0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three samples of two contacts, counted by hand: inside and on the left edge; on the right
    /// edge and open; inside and inside.
    #[test]
    fn counted_by_hand() {
        let v = |n: f64, t: f64| Vector::<2>::new(n, t);
        let laws = [Law::coulomb(0.5), Law::coulomb(0.2)];
        let list = [v(1.0, 0.1), v(1.0, -0.2), v(2.0, 1.0), v(0.0, 0.0), v(1.0, 0.4), v(1.0, 0.0)];
        let found = faces(&Samples::from_percussions(list.to_vec(), 2), &laws);
        assert!((found.mean - 1.0).abs() < 1e-15 && (found.any - 2.0 / 3.0).abs() < 1e-15, "{found:?}");
        assert_eq!(found.most(5), [(1, 2.0 / 3.0), (0, 1.0 / 3.0)]);
        assert_eq!(faces(&Samples::<2>::default(), &laws).mean, 0.0);
    }
}
