//! The contacts of any pair of solids of space.

use super::V;
use super::cylinder::{self, Cylinder, Other};
use super::face::Faces;
use super::hull::{Hull, both};
use super::mesh::{Joint, TriMesh};
use super::redundant::remove_redundant;
use super::round::{Round, round_hull, round_round};
use super::sat;
use super::solids::{Kind, Solid3};
use crate::hit::Hit;
use crate::space::Query;
use crate::{Aabb, Error, Solid, WallPoint};
use parry3d_f64::query::epa::EPA;

/// Memory of the narrow phase in space.
#[derive(Default)]
pub struct Scratch3 {
    faces: Faces,
    epa: EPA,
    triangles: Vec<u32>,
}

/// Appends the contacts of `a` and `b` moved by the shift of the query.
pub(crate) fn collide(
    a: &Solid3,
    b: &Solid3,
    at: &Query<3>,
    scratch: &mut Scratch3,
    out: &mut Vec<Hit<3>>,
) -> Result<(), Error> {
    // The more general shape second: half of the cases.
    if rank(&a.kind) <= rank(&b.kind) {
        return ordered(a, b, at, scratch, out);
    }
    let from = out.len();
    ordered(b, a, &at.reversed(), scratch, out)?;
    for h in &mut out[from..] {
        *h = h.swapped();
        h.points[0] += at.shift;
        h.points[1] += at.shift;
    }
    Ok(())
}

fn rank(kind: &Kind) -> u8 {
    match kind {
        Kind::Round => 0,
        Kind::Hull(_) => 1,
        Kind::Cylinder { .. } => 2,
        Kind::Mesh(_) => 3,
        Kind::HalfSpace => 4,
        Kind::Cavity => 5,
        Kind::Wall(_) => 6,
    }
}

fn ordered(a: &Solid3, b: &Solid3, at: &Query<3>, scratch: &mut Scratch3, out: &mut Vec<Hit<3>>) -> Result<(), Error> {
    match (&a.kind, &b.kind) {
        (Kind::Round, Kind::Round) => round_round(&round(a, V::zeros()), &round(b, at.shift), at.margin, out),
        (_, Kind::Wall(_)) => return wall(a, b, at, out),
        (_, Kind::Cavity) => cavity(a, b, at, out),
        (_, Kind::HalfSpace) => half_space(a, b, at, out),
        (Kind::Mesh(l), Kind::Mesh(m)) => super::meshes::collide((a, l), (b, m), at, out),
        (_, Kind::Mesh(m)) => mesh(a, b, m, at, scratch, out),
        (Kind::Round, Kind::Hull(_)) => {
            if let Some(h) = hull(b, at.shift) {
                round_hull(&round(a, V::zeros()), &h, at.margin, out);
            }
        }
        (Kind::Hull(_), Kind::Hull(_)) => {
            if let (Some(g), Some(h)) = (hull(a, V::zeros()), hull(b, at.shift)) {
                sat::collide(&g, &h, at.margin, &mut scratch.faces, out);
            }
        }
        (Kind::Round, Kind::Cylinder { half }) if a.vertices.len() == 1 => {
            let from = out.len();
            cylinder::sphere(&cylinder_of(b, *half, at.shift), &round(a, V::zeros()), at.margin, out);
            out[from..].iter_mut().for_each(|h| *h = h.swapped());
        }
        (_, Kind::Cylinder { .. }) => {
            if let (Some(x), Some(y)) = (other(a, V::zeros()), other(b, at.shift)) {
                cylinder::collide(&x, &y, at.margin, (&mut scratch.faces, &mut scratch.epa), out);
            }
        }
        _ => {}
    }
    Ok(())
}

fn round(s: &Solid3, shift: V) -> Round {
    let last = s.vertices.len() - 1;
    Round { ends: (s.vertices[0] + shift, s.vertices[last] + shift), radius: s.radius }
}

pub(super) fn hull(s: &Solid3, shift: V) -> Option<Hull<'_>> {
    match &s.kind {
        Kind::Hull(t) => Some(Hull {
            vertices: &s.vertices,
            normals: s.normals(),
            topology: t,
            levels: s.levels(),
            shift,
            size: s.size(),
        }),
        _ => None,
    }
}

pub(super) fn cylinder_of(s: &Solid3, half: f64, shift: V) -> Cylinder<'_> {
    let centre = s.pose().position + shift;
    Cylinder { centre, axis: s.normals()[0], half, radius: s.radius, rim: &s.vertices, shift }
}

fn other(s: &Solid3, shift: V) -> Option<Other<'_>> {
    match &s.kind {
        Kind::Round => Some(Other::Round(round(s, shift))),
        Kind::Hull(_) => hull(s, shift).map(Other::Hull),
        Kind::Cylinder { half } => Some(Other::Cylinder(cylinder_of(s, *half, shift))),
        _ => None,
    }
}

/// Radius around the vertices: that of spheres and capsules; a cylinder's are on its surface.
fn rounding(s: &Solid3) -> f64 {
    if matches!(s.kind, Kind::Round) { s.radius } else { 0.0 }
}

fn half_space(a: &Solid3, b: &Solid3, at: &Query<3>, out: &mut Vec<Hit<3>>) {
    let (n, origin) = (b.normals()[0], b.vertices[0] + at.shift);
    if let Kind::Cylinder { half } = a.kind {
        cylinder::half_space(&cylinder_of(a, half, V::zeros()), (&origin, &n), at.margin, out);
        return;
    }
    let (radius, from) = (rounding(a), out.len());
    for (i, v) in a.vertices.iter().enumerate() {
        let height = n.dot(&(v - origin));
        let gap = height - radius;
        if gap <= at.margin {
            let points = [v - n * radius, v - n * height];
            out.push(Hit { features: [i as u32, 0], points, normal: n, gap, rate: 0.0 });
        }
    }
    // Faces of a mesh have points inside.
    if let Kind::Mesh(_) = a.kind {
        remove_redundant(out, from, a.aabb().extent().max());
    }
}

/// Vertices of `a` in the cavity `b`: a convex solid touches it nowhere else. A cylinder has the
/// points of its rims.
fn cavity(a: &Solid3, b: &Solid3, at: &Query<3>, out: &mut Vec<Hit<3>>) {
    let radius = rounding(a);
    out.extend(Hit::in_cavity(&a.vertices, radius, (b.vertices[0] + at.shift, b.radius), at.margin));
}

/// Features of the middle of edges and of faces, above those of vertices.
const EDGE: u32 = 1 << 29;
const FACE: u32 = 1 << 30;

/// Vertices of `a`, and the middle of its edges and faces, against the wall `b`. A cylinder has
/// the points of its rims.
fn wall(a: &Solid3, b: &Solid3, at: &Query<3>, out: &mut Vec<Hit<3>>) -> Result<(), Error> {
    let Kind::Wall(w) = &b.kind else { return Ok(()) };
    let (radius, pose) = (rounding(a), b.pose());
    for (i, v) in a.vertices.iter().enumerate() {
        let Some(c) = w.closest(&pose, at.t, &(v - at.shift), radius + at.margin)? else { continue };
        let gap = c.gap - radius;
        if gap <= at.margin {
            let points = [v - c.normal * radius, c.at + at.shift];
            out.push(Hit { features: [i as u32, 0], points, normal: c.normal, gap, rate: c.rate });
        }
    }
    let mut hit = |features: [u32; 2], v: V, c: WallPoint<3>| {
        let gap = c.gap - radius;
        if gap <= at.margin {
            let points = [v + at.shift - c.normal * radius, c.at + at.shift];
            out.push(Hit { features, points, normal: c.normal, gap, rate: c.rate });
        }
    };
    let (vertex, reach) = (|i: u32| a.vertices[i as usize] - at.shift, radius + at.margin);
    let mut edge = |number: usize, ends: [u32; 2]| {
        let mut k = 0;
        w.along_edge(&pose, at.t, ends.map(vertex), reach, &mut |v, c| {
            hit([EDGE | number as u32, k], v, c);
            k += 1;
        })
    };
    match &a.kind {
        Kind::Round if a.vertices.len() == 2 => edge(0, [0, 1])?,
        Kind::Mesh(m) => {
            for (i, e) in m.sharp().iter().enumerate() {
                edge(i, e.vertices)?;
            }
        }
        Kind::Hull(topology) => {
            for (i, e) in topology.edges.iter().enumerate() {
                edge(i, e.vertices)?;
            }
            for f in 0..topology.faces() {
                let face = topology.face(f);
                let corners: (usize, &dyn Fn(usize) -> V) = (face.len(), &|i| vertex(face[i]));
                if let Some((v, c)) = w.over_face(&pose, at.t, corners, reach)? {
                    hit([FACE | f as u32, 0], v, c);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// A convex solid against the triangles near it.
fn mesh(a: &Solid3, b: &Solid3, m: &TriMesh, at: &Query<3>, scratch: &mut Scratch3, out: &mut Vec<Hit<3>>) {
    let from = out.len();
    let mut near = std::mem::take(&mut scratch.triangles);
    near.clear();
    let world = a.aabb().grown(at.margin).moved(&-at.shift);
    m.visit(&into_frame(b, &world), &mut |t| near.push(t as u32));
    near.sort_unstable();
    for &t in &near {
        let start = out.len();
        let vertices = m.triangles()[t as usize].map(|i| b.vertices[i as usize]);
        let n = b.normals()[t as usize];
        let (normals, levels) = ([n, -n], both(&n, &vertices[0]));
        let hull = Hull::triangle(&vertices, &normals, &levels, at.shift);
        let tri = Triangle { hull, joints: &m.joints[t as usize] };
        triangle(a, &tri, at.margin, scratch, out);
        for h in &mut out[start..] {
            h.features[1] |= t << 5;
        }
    }
    scratch.triangles = near;
    remove_redundant(out, from, a.aabb().extent().max());
}

/// A box of the world, as a box in the frame of a solid.
fn into_frame(s: &Solid3, world: &Aabb<3>) -> Aabb<3> {
    let pose = s.pose();
    let centre = pose.local(&((world.min + world.max) * 0.5));
    let half = pose.rotation.transpose().abs() * (world.extent() * 0.5);
    Aabb { min: centre - half, max: centre + half }
}

/// One triangle of a mesh, and how its sides join the neighbours.
struct Triangle<'a> {
    hull: Hull<'a>,
    joints: &'a [Joint; 3],
}

fn triangle(a: &Solid3, t: &Triangle, margin: f64, scratch: &mut Scratch3, out: &mut Vec<Hit<3>>) {
    let (tri, n) = (&t.hull, t.hull.normals[0]);
    let start = out.len();
    match &a.kind {
        Kind::Round if a.vertices.len() == 1 => {
            let ball = round(a, V::zeros());
            // From behind only the plane counts, over the triangle and not deeper than the ball.
            let height = n.dot(&(ball.ends.0 - tri.v(0)));
            if height >= 0.0 {
                round_hull(&ball, tri, margin, out);
                if out.get(start).is_some_and(|h| !allowed(t, &h.normal)) {
                    out.truncate(start);
                }
            } else if height > -ball.radius && tri.over_face(0, &ball.ends.0) {
                let p = ball.ends.0;
                let points = [p - n * ball.radius, p - n * height];
                out.push(Hit { features: [0, 2], points, normal: n, gap: height - ball.radius, rate: 0.0 });
            }
            return;
        }
        Kind::Round => round_hull(&round(a, V::zeros()), tri, margin, out),
        Kind::Hull(_) => {
            if let Some(h) = hull(a, V::zeros()) {
                sat::collide(&h, tri, margin, &mut scratch.faces, out);
            }
        }
        _ => {
            if let Some(x) = other(a, V::zeros()) {
                let y = Other::Hull(*tri);
                cylinder::collide(&x, &y, margin, (&mut scratch.faces, &mut scratch.epa), out);
            }
        }
    }
    if out.get(start).is_some_and(|h| !allowed(t, &h.normal)) {
        out.truncate(start);
        along_normal(a, tri, margin, scratch, out);
    }
    // The narrow phases name both sides of a triangle; here there is one.
    for h in &mut out[start..] {
        h.features[1] &= 31;
    }
}

/// A normal this close to the plane across an edge (sine) is across it.
const ACROSS: f64 = 1e-7;

/// Whether `normal` lies between those of the triangle and of its neighbours.
fn allowed(t: &Triangle, normal: &V) -> bool {
    let (tri, n) = (&t.hull, t.hull.normals[0]);
    let rise = normal.dot(&n);
    if rise <= 1e-9 {
        return false;
    }
    let way = |i: u32| (tri.v((i + 1) % 3) - tri.v(i)).normalize();
    let lean = |i: u32| normal.dot(&way(i).cross(&n));
    let fits = |i: u32| lean(i) <= 1e-9 || lean(i) <= (t.joints[i as usize].turn + 1e-9) * rise;
    // Across the middle of an edge it leans over that one alone, whatever the angles of the triangle.
    let most = (0..3).max_by(|a, b| lean(*a).total_cmp(&lean(*b))).unwrap_or(0);
    if normal.dot(&way(most)).abs() <= ACROSS { fits(most) } else { (0..3).all(fits) }
}

/// Contacts of a convex solid with a triangle's plane, over the triangle.
fn along_normal(a: &Solid3, tri: &Hull, margin: f64, scratch: &mut Scratch3, out: &mut Vec<Hit<3>>) {
    let n = tri.normals[0];
    let lowest = a.vertices.iter().fold(f64::INFINITY, |m, v| m.min(n.dot(v))) - rounding(a);
    let depth = n.dot(&tri.v(0)) - lowest;
    // Deeper than half its size it is on the other side.
    if depth > 0.5 * a.aabb().extent().max() {
        return;
    }
    if let Some(h) = hull(a, V::zeros()) {
        super::face::intersect(&h, tri, &n, margin, &mut scratch.faces, out);
        return;
    }
    let radius = rounding(a);
    for (i, v) in a.vertices.iter().enumerate() {
        let height = n.dot(&(v - tri.v(0)));
        if height - radius <= margin && tri.over_face(0, v) {
            let points = [v - n * radius, v - n * height];
            out.push(Hit { features: [i as u32, 2], points, normal: n, gap: height - radius, rate: 0.0 });
        }
    }
}
