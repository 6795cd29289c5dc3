//! What keeps a mesh from bounding a volume.

use super::V;
use super::mesh::TriMesh;
use crate::Aabb;
use std::collections::BTreeMap;

/// Why a mesh is no body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Defect {
    /// Edges with one triangle.
    #[error("it is not closed: {edges} edges have one triangle, the first from {} to {}", place(ends[0]), place(ends[1]))]
    Open {
        /// How many.
        edges: usize,
        /// The ends of one.
        ends: [[f64; 3]; 2],
    },
    /// An edge with more than two triangles, or two that go around it the same way.
    #[error(
        "its triangles do not agree at the edge from {} to {}: two must meet there, going around it in opposite ways",
        place(ends[0]), place(ends[1])
    )]
    Torn {
        /// The ends.
        ends: [[f64; 3]; 2],
    },
    /// Triangles clockwise from outside.
    #[error("its triangles look inwards (volume {volume:.3e} m³): reverse them")]
    Inverted {
        /// Volume, negative \[m³\].
        volume: f64,
    },
    /// Triangles that cross each other.
    #[error("its triangles {} and {} cross each other, near {}", triangles[0], triangles[1], place(*at))]
    Crossing {
        /// The triangles.
        triangles: [usize; 2],
        /// Where.
        at: [f64; 3],
    },
}

fn place(x: [f64; 3]) -> String {
    format!("({:.4}, {:.4}, {:.4})", x[0], x[1], x[2])
}

impl TriMesh {
    /// The first of what keeps the mesh from bounding a volume.
    pub fn defect(&self) -> Option<Defect> {
        let ends = |(a, b): (u32, u32)| [a, b].map(|v| self.points()[v as usize].into());
        // By edge, smaller end first: how often it is gone along each way.
        let mut ways: BTreeMap<(u32, u32), [usize; 2]> = BTreeMap::new();
        for t in self.triangles() {
            for i in 0..3 {
                let (a, b) = (t[i], t[(i + 1) % 3]);
                ways.entry((a.min(b), a.max(b))).or_default()[usize::from(a > b)] += 1;
            }
        }
        let open = |w: &[usize; 2]| w[0] + w[1] == 1;
        let edges = ways.values().filter(|w| open(w)).count();
        if let Some((edge, _)) = ways.iter().find(|(_, w)| open(w)) {
            return Some(Defect::Open { edges, ends: ends(*edge) });
        }
        // Bodies that touch along an edge have two of each.
        if let Some((edge, _)) = ways.iter().find(|(_, w)| w[0] != w[1]) {
            return Some(Defect::Torn { ends: ends(*edge) });
        }
        let volume = self.volume();
        if !(volume > 0.0) {
            return Some(Defect::Inverted { volume });
        }
        self.crossing()
    }

    /// Volume that the triangles bound, negative where they look inwards.
    pub fn volume(&self) -> f64 {
        let p = |v: u32| self.points()[v as usize] - self.points()[0];
        self.triangles().iter().map(|t| p(t[0]).dot(&p(t[1]).cross(&p(t[2]))) / 6.0).sum()
    }

    /// An edge that goes through a triangle with which it shares no vertex.
    fn crossing(&self) -> Option<Defect> {
        let mut found = None;
        for (k, t) in self.triangles().iter().enumerate() {
            for i in (0..3).filter(|&i| t[i] < t[(i + 1) % 3]) {
                let ends: [V; 2] = [t[i], t[(i + 1) % 3]].map(|v| self.points()[v as usize]);
                let (way, length) = (ends[1] - ends[0], (ends[1] - ends[0]).norm());
                self.visit(&Aabb::of_points(&ends, 0.0), &mut |o| {
                    let shares = self.triangles()[o].iter().any(|v| *v == t[i] || *v == t[(i + 1) % 3]);
                    if found.is_some() || o == k || shares {
                        return;
                    }
                    // Touching is no crossing.
                    if let Some(s) = self.ray(o, &ends[0], &(way / length))
                        && s > 1e-9 * length
                        && s < (1.0 - 1e-9) * length
                    {
                        let at = (ends[0] + way * (s / length)).into();
                        found = Some(Defect::Crossing { triangles: [k, o], at });
                    }
                });
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }
}
