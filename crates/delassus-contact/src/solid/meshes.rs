//! Two meshes: the vertices of each against the triangles of the other, and sharp edges that cross
//!
//! Faces that lie on each other touch at the corners of what they have in common, which are vertices of one
//! over the other, or crossings of edges. Edges between nearly parallel triangles are not looked at: there the
//! surfaces may sink into each other by the height of an arc of the tessellation.

use super::V;
use super::hull::{Hull, both};
use super::mesh::TriMesh;
use super::redundant::remove_redundant;
use super::solids::Solid3;
use crate::hit::Hit;
use crate::meeting::{FACE, cross};
use crate::space::Query;
use crate::{Aabb, Ridge, Solid};

/// Features of edges and of "some triangle", above those of vertices.
const EDGE: u32 = 1 << 29;
const SURFACE: u32 = 1 << 30;

/// Appends the contacts of the mesh `a` and the mesh `b` moved by the shift of the query.
pub(super) fn collide((a, l): (&Solid3, &TriMesh), (b, m): (&Solid3, &TriMesh), at: &Query<3>, out: &mut Vec<Hit<3>>) {
    let from = out.len();
    let common = a.aabb().grown(at.margin);
    let theirs = b.aabb().moved(&at.shift).grown(at.margin);
    if !common.meets(&theirs) {
        return;
    }
    // Deeper than the thinner of both, the other side is nearer.
    let thin = [l.thickness(), m.thickness()].into_iter().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let depth = if thin.is_finite() { thin } else { 0.25 * a.aabb().extent().min().max(0.0) };
    let near = Aabb { min: common.min.sup(&theirs.min), max: common.max.inf(&theirs.max) }.grown(depth);
    let range = (depth, at.margin);
    vertices((a, l), (b, m), (at.shift, &near, range), |[i, t], p, (n, gap)| {
        let points = [p, p - n * gap];
        out.push(Hit { features: [i, SURFACE | t], points, normal: n, gap, rate: 0.0 });
    });
    let back = near.moved(&-at.shift);
    vertices((b, m), (a, l), (-at.shift, &back, range), |[i, t], q, (n, gap)| {
        let q = q + at.shift;
        out.push(Hit { features: [SURFACE | t, i], points: [q - n * gap, q], normal: -n, gap, rate: 0.0 });
    });
    edges((a, l), (b, m), (at, &near, depth), out);
    remove_redundant(out, from, near.extent().max());
}

/// Visits the vertices of `a` in `near` over the triangles of `b`, moved by `shift`, that face them: not deeper and
/// not higher than `range`. In a corner a vertex lies over several.
fn vertices(
    (a, l): (&Solid3, &TriMesh),
    (b, m): (&Solid3, &TriMesh),
    (shift, near, (depth, margin)): (V, &Aabb<3>, (f64, f64)),
    mut visit: impl FnMut([u32; 2], V, (V, f64)),
) {
    let (mine, theirs) = (a.pose(), b.pose());
    for (i, p) in a.vertices.iter().enumerate().filter(|(_, p)| near.holds(p)) {
        let (outwards, own) = (mine.rotation * l.outwards(i), p - shift);
        let around = Aabb::of_points(&[theirs.local(&own)], depth.max(margin));
        m.visit(&around, &mut |t| {
            let n = b.normals()[t];
            if outwards.dot(&n) >= 0.0 {
                return;
            }
            let vertices = m.triangles()[t].map(|v| b.vertices[v as usize]);
            let gap = n.dot(&(own - vertices[0]));
            let (normals, levels) = ([n, -n], both(&n, &vertices[0]));
            let hull = Hull::triangle(&vertices, &normals, &levels, V::zeros());
            if (-depth..=margin).contains(&gap) && hull.over_face(0, &own) {
                visit([i as u32, t as u32], *p, (n, gap));
            }
        });
    }
}

/// Sharp edges that cross between their ends.
fn edges(
    (a, l): (&Solid3, &TriMesh),
    (b, m): (&Solid3, &TriMesh),
    (at, near, depth): (&Query<3>, &Aabb<3>, f64),
    out: &mut Vec<Hit<3>>,
) {
    let ridge = |s: &Solid3, e: &super::mesh::SharpEdge, shift: V| Ridge {
        ends: e.vertices.map(|v| s.vertices[v as usize] + shift),
        normals: e.triangles.map(|t| s.normals()[t as usize]),
    };
    for (i, e) in l.sharp().iter().enumerate() {
        let mine = ridge(a, e, V::zeros());
        let bounds = Aabb::of_points(&mine.ends, at.margin.max(depth));
        if !bounds.meets(near) {
            continue;
        }
        for (j, f) in m.sharp().iter().enumerate() {
            let other = ridge(b, f, at.shift);
            if !bounds.meets(&Aabb::of_points(&other.ends, 0.0)) {
                continue;
            }
            let Some(c) = cross((&mine, FACE), (&other, FACE)) else { continue };
            if (-depth..=at.margin).contains(&c.gap) {
                let features = [EDGE | i as u32, EDGE | j as u32];
                out.push(Hit { features, points: c.points, normal: c.normal, gap: c.gap, rate: 0.0 });
            }
        }
    }
}
