//! Meshes for the tests.
#![allow(dead_code)]

use delassus_arlequin::{Layer, Overlap};
use delassus_fem::mesh::{CellKind, Mesh};

/// A box of cells, its inner nodes moved at random by a share of a cell, from `lo` to `hi`.
pub fn grid<const D: usize>(kind: CellKind, lo: [f64; D], hi: [f64; D], n: [usize; D], shake: f64) -> Mesh {
    let count: [usize; D] = n.map(|n| n + 1);
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    let mut points = vec![];
    for i in 0..count.iter().product() {
        let mut rest = i;
        let mut x = [0.0; 3];
        for k in 0..D {
            let at = rest % count[k];
            rest /= count[k];
            let inner = if at == 0 || at == n[k] { 0.0 } else { shake * random() };
            x[k] = lo[k] + (hi[k] - lo[k]) * (at as f64 + inner) / n[k] as f64;
        }
        points.push(x);
    }
    let mut mesh = Mesh::new(D, points);
    for c in 0..n.iter().product() {
        let mut rest: usize = c;
        let base: [usize; D] = std::array::from_fn(|k| {
            let at = rest % n[k];
            rest /= n[k];
            at
        });
        let node = |offset: [usize; 3]| {
            let mut stride = 1;
            (0..D).fold(0, |i, k| {
                let i = i + (base[k] + offset[k]) * stride;
                stride *= count[k];
                i
            }) as u32
        };
        let quad = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]].map(node);
        match kind {
            CellKind::Quad4 => {
                mesh.push_cell(kind, &quad);
            }
            CellKind::Tri3 => {
                mesh.push_cell(kind, &[quad[0], quad[1], quad[2]]);
                mesh.push_cell(kind, &[quad[0], quad[2], quad[3]]);
            }
            _ => {
                let top = [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]].map(node);
                let h = [quad[0], quad[1], quad[2], quad[3], top[0], top[1], top[2], top[3]];
                if kind == CellKind::Hex8 {
                    mesh.push_cell(kind, &h);
                } else {
                    for t in [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]] {
                        mesh.push_cell(kind, &t.map(|i| h[i]));
                    }
                }
            }
        }
    }
    mesh
}

pub fn overlap<'a, const D: usize>(a: &'a Mesh, b: &'a Mesh) -> Overlap<'a, D> {
    Overlap::new(Layer::new(a, None).expect("coarse"), Layer::new(b, None).expect("fine")).expect("overlap")
}
