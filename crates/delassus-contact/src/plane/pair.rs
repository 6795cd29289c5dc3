//! The contacts of any pair of solids of the plane.

use super::convex::{Core, collide as convex};
use super::solid::{Kind, Solid2};
use super::{V, cross};
use crate::hit::Hit;
use crate::space::Query;
use crate::{Aabb, Error};

/// Appends the contacts of `a` and `b` moved by `shift`, with gap up to `margin`.
pub(crate) fn collide(a: &Solid2, b: &Solid2, at: &Query<2>, out: &mut Vec<Hit<2>>) -> Result<(), Error> {
    let from = out.len();
    match (&a.kind, &b.kind) {
        (Kind::Convex, Kind::Convex) => {
            convex(&core(a, V::zeros()), &core(b, at.shift), at.margin, out);
        }
        (Kind::HalfPlane | Kind::Cavity | Kind::Wall(_), Kind::HalfPlane | Kind::Cavity | Kind::Wall(_)) => {}
        (_, Kind::Cavity) => cavity(a, b, at, out),
        (Kind::Cavity, _) => swapped(a, b, at, out, from, cavity),
        (_, Kind::HalfPlane) => half_plane(a, b, at, out),
        (Kind::HalfPlane, _) => swapped(a, b, at, out, from, half_plane),
        (_, Kind::Wall(_)) => wall(a, b, at, out)?,
        (Kind::Wall(_), _) => {
            wall(b, a, &at.reversed(), out)?;
            swap_back(out, from, &at.shift);
        }
        (_, Kind::Chain { .. }) => chain(a, b, at, out),
        (Kind::Chain { .. }, _) => swapped(a, b, at, out, from, chain),
    }
    Ok(())
}

type Narrow = fn(&Solid2, &Solid2, &Query<2>, &mut Vec<Hit<2>>);

fn swapped(a: &Solid2, b: &Solid2, at: &Query<2>, out: &mut Vec<Hit<2>>, from: usize, f: Narrow) {
    f(b, a, &at.reversed(), out);
    swap_back(out, from, &at.shift);
}

fn swap_back(out: &mut [Hit<2>], from: usize, shift: &V) {
    for h in &mut out[from..] {
        *h = h.swapped();
        h.points[0] += shift;
        h.points[1] += shift;
    }
}

fn core(s: &Solid2, shift: V) -> Core<'_> {
    Core { vertices: &s.vertices, normals: &s.normals, radius: s.radius, shift }
}

/// Vertices of `a` against the half-plane `b`.
fn half_plane(a: &Solid2, b: &Solid2, at: &Query<2>, out: &mut Vec<Hit<2>>) {
    let n = b.normals[0];
    let origin = b.vertices[0] + at.shift;
    for (i, v) in a.vertices.iter().enumerate() {
        let height = n.dot(&(v - origin));
        let gap = height - a.radius;
        if gap <= at.margin {
            let points = [v - n * a.radius, v - n * height];
            out.push(Hit { features: [i as u32, 0], points, normal: n, gap, rate: 0.0 });
        }
    }
}

/// Vertices of `a` in the cavity `b`: a convex solid touches it nowhere else.
fn cavity(a: &Solid2, b: &Solid2, at: &Query<2>, out: &mut Vec<Hit<2>>) {
    out.extend(Hit::in_cavity(&a.vertices, a.radius, (b.vertices[0] + at.shift, b.radius), at.margin));
}

/// Features of the middle of edges, above those of vertices.
const EDGE: u32 = 1 << 16;

/// Vertices of `a`, and the middle of its edges, against the wall `b`.
fn wall(a: &Solid2, b: &Solid2, at: &Query<2>, out: &mut Vec<Hit<2>>) -> Result<(), Error> {
    let Kind::Wall(w) = &b.kind else { return Ok(()) };
    for (i, v) in a.vertices.iter().enumerate() {
        let Some(c) = w.closest(&b.pose, at.t, &(v - at.shift), a.radius + at.margin)? else { continue };
        let gap = c.gap - a.radius;
        if gap <= at.margin {
            let points = [v - c.normal * a.radius, c.at + at.shift];
            out.push(Hit { features: [i as u32, 0], points, normal: c.normal, gap, rate: c.rate });
        }
    }
    let edges = match (&a.kind, a.vertices.len()) {
        (Kind::Chain { .. }, _) => a.normals.len(),
        (_, n) => {
            if n > 2 {
                n
            } else {
                n - 1
            }
        }
    };
    for i in 0..edges {
        let moved = ends(a, i).map(|v| v - at.shift);
        let mut k = 0;
        w.along_edge(&b.pose, at.t, moved, a.radius + at.margin, &mut |v, c| {
            let gap = c.gap - a.radius;
            if gap <= at.margin {
                let points = [v + at.shift - c.normal * a.radius, c.at + at.shift];
                out.push(Hit { features: [EDGE | i as u32, k], points, normal: c.normal, gap, rate: c.rate });
                k += 1;
            }
        })?;
    }
    Ok(())
}

/// `a` (convex or a chain) against the segments of the chain `b`.
fn chain(a: &Solid2, b: &Solid2, at: &Query<2>, out: &mut Vec<Hit<2>>) {
    let from = out.len();
    let segments = b.normals.len();
    if let Kind::Chain { .. } = a.kind {
        for i in 0..a.normals.len() {
            let ends = ends(a, i);
            let normals = [a.normals[i], -a.normals[i]];
            let part = Core { vertices: &ends, normals: &normals, radius: 0.0, shift: V::zeros() };
            for j in 0..segments {
                segment(&part, b, j, at, i as u32, out);
            }
        }
    } else {
        let part = core(a, V::zeros());
        for j in 0..segments {
            segment(&part, b, j, at, 0, out);
        }
    }
    remove_redundant(out, from);
}

fn ends(s: &Solid2, i: usize) -> [V; 2] {
    [s.vertices[i], s.vertices[(i + 1) % s.vertices.len()]]
}

/// A core against segment `j` of a chain, with the normals its neighbours allow.
fn segment(a: &Core, b: &Solid2, j: usize, at: &Query<2>, part: u32, out: &mut Vec<Hit<2>>) {
    let ends = ends(b, j);
    let reach = at.margin + a.radius;
    if !Aabb::of_points(a.vertices, reach).meets(&Aabb::of_points(&ends, 0.0).moved(&at.shift)) {
        return;
    }
    let normals = [b.normals[j], -b.normals[j]];
    let seg = Core { vertices: &ends, normals: &normals, radius: 0.0, shift: at.shift };
    let start = out.len();
    convex(a, &seg, at.margin, out);
    let Some(first) = out.get(start) else { return };
    if !allowed(b, j, &first.normal) {
        // The normal belongs to a neighbour, or to no side at all: only the segment's own is left.
        out.truncate(start);
        let centre: V = a.vertices.iter().sum::<V>() / a.vertices.len() as f64 + a.shift;
        let side = if normals[0].dot(&(centre - ends[0] - at.shift)) >= 0.0 { normals[0] } else { normals[1] };
        super::convex::manifold(a, &seg, &side, at.margin, out);
    }
    for h in &mut out[start..] {
        h.features[1] |= (j as u32) << 2;
        h.features[0] |= part << 12;
    }
}

/// Whether `n`, away from segment `j`, lies between its normal and those of its neighbours.
fn allowed(b: &Solid2, j: usize, n: &V) -> bool {
    let segments = b.normals.len();
    let closed = matches!(b.kind, Kind::Chain { closed: true });
    let normal = b.normals[j];
    let side = if normal.dot(n) >= 0.0 { 1.0 } else { -1.0 };
    let own = normal * side;
    // Leaning forward along the segment concerns the next one, backward the previous one.
    let lean = n.dot(&V::new(-normal.y, normal.x));
    if lean.abs() < 1e-9 {
        return true;
    }
    let neighbour = match (lean > 0.0, closed) {
        (true, _) if j + 1 < segments => j + 1,
        (true, true) => 0,
        (false, _) if j > 0 => j - 1,
        (false, true) => segments - 1,
        _ => return true,
    };
    let other = b.normals[neighbour] * side;
    let turn = cross(&own, &other);
    // Convex joint on this side, and n between the two normals.
    turn * cross(&own, n) > 0.0 && cross(n, &other) * turn >= -1e-9
}

/// Removes repeated points, and points between two others of the same normal.
fn remove_redundant(out: &mut Vec<Hit<2>>, from: usize) {
    let mut i = from;
    while i < out.len() {
        if is_redundant(out, from, i) {
            out.remove(i);
        } else {
            i += 1;
        }
    }
}

fn is_redundant(out: &[Hit<2>], from: usize, i: usize) -> bool {
    let h = out[i];
    let t = super::right(&h.normal);
    let s = t.dot(&h.points[1]);
    let (mut before, mut after) = (false, false);
    for (k, o) in out.iter().enumerate().skip(from) {
        if k == i || h.normal.dot(&o.normal) < 1.0 - 1e-9 {
            continue;
        }
        let size = 1e-9 * (h.points[1].amax() + 1.0);
        let d = t.dot(&o.points[1]) - s;
        if (h.points[1] - o.points[1]).norm() <= size {
            // Of two equal points the earlier stays.
            if k < i {
                return true;
            }
        } else if o.gap <= h.gap + size {
            before |= d < 0.0;
            after |= d > 0.0;
        }
    }
    before && after
}
