//! Skins of blocks, for several tests.
#![allow(dead_code)]

use delassus_contact::skin::{FacetKind, SkinSpec, Surface};
use delassus_contact::{Contact, ContactSet, Detector, Dim, Placement, Pose, Space};
use std::collections::BTreeMap;

/// Nodes and skins of several blocks.
#[derive(Default)]
pub struct Blocks {
    pub x: Vec<f64>,
    pub skins: Vec<SkinSpec>,
}

impl Blocks {
    /// A rectangle, counter-clockwise, of `n` facets along each side.
    pub fn rectangle(&mut self, low: [f64; 2], size: [f64; 2], n: [usize; 2]) {
        let first = (self.x.len() / 2) as u32;
        let sides = [(0, [0.0, 0.0], [1.0, 0.0]), (1, [1.0, 0.0], [0.0, 1.0])];
        let back = [(0, [1.0, 1.0], [-1.0, 0.0]), (1, [0.0, 1.0], [0.0, -1.0])];
        for (axis, from, along) in sides.into_iter().chain(back) {
            for i in 0..n[axis] {
                let s = i as f64 / n[axis] as f64;
                self.x.extend((0..2).map(|k| low[k] + size[k] * (from[k] + s * along[k])));
            }
        }
        let count = (self.x.len() / 2) as u32 - first;
        let facets: Vec<u32> = (0..count).flat_map(|i| [first + i, first + (i + 1) % count]).collect();
        let surface = Surface::new(2, &[(FacetKind::Seg2, &facets)]).expect("a ring");
        self.skins.push(SkinSpec::new(100 + self.skins.len() as u32, surface));
    }

    /// A box of quadrangles, `n` along each side.
    pub fn cuboid(&mut self, low: [f64; 3], size: [f64; 3], n: [usize; 3]) {
        let mut number = BTreeMap::new();
        let mut facets = vec![];
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [0, n[axis]] {
                for i in 0..n[u] {
                    for j in 0..n[v] {
                        let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
                        if side == 0 {
                            corners.reverse();
                        }
                        for [a, b] in corners {
                            let mut at = [0; 3];
                            (at[axis], at[u], at[v]) = (side, i + a, j + b);
                            facets.push(*number.entry(at).or_insert_with(|| {
                                self.x.extend((0..3).map(|k| low[k] + size[k] * at[k] as f64 / n[k] as f64));
                                (self.x.len() / 3 - 1) as u32
                            }));
                        }
                    }
                }
            }
        }
        let surface = Surface::new(3, &[(FacetKind::Quad4, &facets)]).expect("a box");
        self.skins.push(SkinSpec::new(100 + self.skins.len() as u32, surface));
    }

    /// Turns and moves the nodes from `first` on around the origin.
    pub fn place<const D: usize>(&mut self, first: usize, pose: &Pose<D>) {
        for p in self.x[D * first..].chunks_exact_mut(D) {
            let moved = pose.point(&delassus_contact::Vector::<D>::from_column_slice(p));
            p.copy_from_slice(moved.as_slice());
        }
    }
}

/// The contacts at a placement.
pub fn contacts<const D: usize>(detector: &mut Detector<D>, poses: &[Pose<D>], x: &[f64]) -> ContactSet<D>
where
    Dim<D>: Space<D>,
{
    let mut set = ContactSet::default();
    let at = Placement { poses, nodes: x, t: 0.0 };
    detector.detect(&at, &ContactSet::default(), &mut set).expect("detected");
    check(&set, x);
    set
}

/// Sorted keys that name one contact each, a touch for every deformable side, shares that add up to
/// one and give the place.
pub fn check<const D: usize>(set: &ContactSet<D>, x: &[f64]) {
    assert!(set.contacts.windows(2).all(|w| w[0].key < w[1].key));
    assert!(set.touches.windows(2).all(|w| w[0].key < w[1].key));
    for t in &set.touches {
        let c = set.get(&t.key).expect("its contact");
        for (side, point) in t.sides.iter().zip(&c.points).filter(|(s, _)| !s.indices().is_empty()) {
            assert!((side.values().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((side.apply::<D>(x) - point).norm() < 1e-9, "{c:?}");
        }
    }
}

/// The normal, towards the first body.
pub fn normal<const D: usize>(c: &Contact<D>) -> [f64; D] {
    std::array::from_fn(|k| c.frame[(k, 0)])
}
