//! Cylinders: closed forms against planes and spheres, GJK and EPA against the rest
//!
//! The normal of a cylinder and a hull, a capsule or another cylinder is that of
//! parry's closest points; the manifold is then made of the faces that look at each
//! other: the cap (by eight fixed points of its rim and the deepest one), a straight
//! line of the side, or the one closest point.

use super::V;
use super::face::{Faces, Polygon, corners};
use super::hull::{Hull, edge_feature, face_feature, vertex_feature};
use super::round::Round;
use super::solids::RIM;
use crate::hit::Hit;
use parry3d_f64::math::{Pose, Vector as ParryVector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;

/// A cylinder in the world.
#[derive(Clone, Copy)]
pub(super) struct Cylinder<'a> {
    pub centre: V,
    pub axis: V,
    pub half: f64,
    pub radius: f64,
    /// Fixed points of the upper rim, then of the lower one.
    pub rim: &'a [V],
    pub shift: V,
}

/// Names of the features of a cylinder.
const RIM_POINT: u32 = 1 << 8;
const SIDE: u32 = 1 << 9;
const ANYWHERE: u32 = 1 << 10;

impl Cylinder<'_> {
    fn support(&self, d: &V) -> V {
        let along = d.dot(&self.axis);
        let radial = d - self.axis * along;
        let r = radial.norm();
        let side = if r > 1e-15 * d.norm() { radial * (self.radius / r) } else { V::zeros() };
        self.centre + self.axis * self.half.copysign(along) + side
    }

    /// The closest point of the surface to `p`: point, outward normal, signed distance.
    pub fn closest(&self, p: &V) -> (V, V, f64) {
        let d = p - self.centre;
        let z = d.dot(&self.axis);
        let radial = d - self.axis * z;
        let r = radial.norm();
        let out = if r > 0.0 { radial / r } else { self.axis.cross(&V::new(0.36, 0.48, 0.8)).normalize() };
        let cap = self.axis * 1f64.copysign(z);
        let (dz, dr) = (z.abs() - self.half, r - self.radius);
        if dz > 0.0 && dr > 0.0 {
            let q = self.centre + cap * self.half + out * self.radius;
            let n = p - q;
            (q, n.normalize(), n.norm())
        } else if dz > dr {
            (p - cap * dz, cap, dz)
        } else {
            (p - out * dr, out, dr)
        }
    }
}

/// A cylinder `a` against a sphere `b`.
pub(super) fn sphere(a: &Cylinder, b: &Round, margin: f64, out: &mut Vec<Hit<3>>) {
    let (q, n, distance) = a.closest(&b.ends.0);
    let gap = distance - b.radius;
    if gap <= margin {
        let points = [q, b.ends.0 - n * b.radius];
        out.push(Hit { features: [ANYWHERE, 0], points, normal: -n, gap, rate: 0.0 });
    }
}

/// A cylinder against a half-space: rim points, the deepest point of each rim.
pub(super) fn half_space(a: &Cylinder, at: (&V, &V), margin: f64, out: &mut Vec<Hit<3>>) {
    let (origin, n) = at;
    let mut push = |p: V, feature: u32| {
        let gap = n.dot(&(p - origin));
        if gap <= margin {
            out.push(Hit { features: [feature, 0], points: [p, p - n * gap], normal: *n, gap, rate: 0.0 });
        }
    };
    let tilt = a.axis.cross(n).norm();
    for cap in 0..2usize {
        let outward = if cap == 0 { a.axis } else { -a.axis };
        let centre = a.centre + outward * a.half;
        let flat = outward.dot(n) < 0.0 && tilt < 0.15;
        if flat {
            for i in 0..RIM {
                push(a.rim[cap * RIM + i] + a.shift, (cap * RIM + i) as u32);
            }
        }
        // The deepest point of the rim; on a flat cap every point is.
        if tilt > 1e-9 {
            let radial = n - a.axis * n.dot(&a.axis);
            push(centre - radial * (a.radius / radial.norm()), RIM_POINT | cap as u32);
        }
    }
}

/// What a cylinder can meet through its support points.
pub(super) enum Other<'a> {
    Hull(Hull<'a>),
    Round(Round),
    Cylinder(Cylinder<'a>),
}

impl Other<'_> {
    fn support(&self, d: &V) -> V {
        match self {
            Other::Hull(h) => h.v(h.lowest(&-d).0),
            Other::Round(r) => {
                if d.dot(&(r.ends.1 - r.ends.0)) > 0.0 {
                    r.ends.1
                } else {
                    r.ends.0
                }
            }
            Other::Cylinder(c) => c.support(d),
        }
    }

    fn radius(&self) -> f64 {
        if let Other::Round(r) = self { r.radius } else { 0.0 }
    }

    /// A normal close to that of a face or axis is meant to be it.
    fn snap(&self, n: &V) -> V {
        let near = |m: V| (m.cross(n).norm() < 1e-6).then_some(if m.dot(n) > 0.0 { m } else { -m });
        match self {
            Other::Hull(h) => h.normals.iter().find_map(|m| near(*m)).unwrap_or(*n),
            Other::Cylinder(c) => near(c.axis).unwrap_or(*n),
            Other::Round(_) => *n,
        }
    }

    /// Loads the face that looks along `m`; false if there is only a point.
    fn face(&self, m: &V, polygon: &mut Polygon) -> bool {
        match self {
            Other::Hull(h) => {
                let f = h.facing(m);
                polygon.start(h.normals[f], face_feature(f as u32));
                for &v in h.topology.face(f) {
                    polygon.push(h.v(v), vertex_feature(v), edge_feature(v));
                }
                h.normals[f].dot(m) > 0.5
            }
            Other::Cylinder(c) => {
                let along = c.axis.dot(m);
                let cap = usize::from(along < 0.0);
                polygon.start(c.axis * 1f64.copysign(along), face_feature(cap as u32));
                for i in 0..RIM {
                    let id = (cap * RIM + i) as u32;
                    polygon.push(c.rim[id as usize] + c.shift, vertex_feature(id), edge_feature(id));
                }
                along.abs() > 0.99
            }
            Other::Round(_) => false,
        }
    }

    /// A straight line that looks along `m`: a side of a cylinder, the axis of a capsule.
    fn line(&self, m: &V) -> Option<(V, V)> {
        match self {
            Other::Round(r) if !r.is_sphere() => Some(r.ends),
            Other::Cylinder(c) if c.axis.dot(m).abs() < 0.1 => {
                let radial = (m - c.axis * m.dot(&c.axis)).normalize() * c.radius;
                Some((c.centre + radial - c.axis * c.half, c.centre + radial + c.axis * c.half))
            }
            _ => None,
        }
    }
}

struct Support<'a>(&'a Other<'a>, V);

impl SupportMap for Support<'_> {
    fn local_support_point(&self, d: ParryVector) -> ParryVector {
        let p = self.0.support(&V::new(d.x, d.y, d.z)) - self.1;
        ParryVector::new(p.x, p.y, p.z)
    }
}

/// Closest points of the cores, `None` beyond `reach`: points and normal towards `a`.
fn closest(a: &Other, b: &Other, reach: f64, epa: &mut EPA) -> Option<(V, V, V)> {
    // Around a point of the pair: far from the origin GJK loses digits.
    let origin = a.support(&V::x());
    let (sa, sb) = (Support(a, origin), Support(b, origin));
    let pose = Pose::identity();
    let mut simplex = VoronoiSimplex::new();
    let start = b.support(&V::x()) - origin;
    let direction = if start.norm() > 0.0 { start.normalize() } else { V::x() };
    let direction = ParryVector::new(direction.x, direction.y, direction.z);
    simplex.reset(CsoPoint::from_shapes(&pose, &sa, &sb, direction));
    let v = |p: ParryVector| V::new(p.x, p.y, p.z);
    match closest_points(&pose, &sa, &sb, reach, true, &mut simplex) {
        GJKResult::ClosestPoints(p, q, n) => Some((v(p) + origin, v(q) + origin, -v(n))),
        GJKResult::Intersection => {
            epa.closest_points(&pose, &sa, &sb, &simplex).map(|(p, q, n)| (v(p) + origin, v(q) + origin, -v(n)))
        }
        _ => None,
    }
}

/// Any pair of which one is a cylinder.
pub(super) fn collide(a: &Other, b: &Other, margin: f64, (faces, epa): (&mut Faces, &mut EPA), out: &mut Vec<Hit<3>>) {
    let rounding = a.radius() + b.radius();
    let Some((p, q, n)) = closest(a, b, margin + rounding, epa) else { return };
    if !(n.norm() > 0.5) || !p.iter().chain(q.iter()).all(|x| x.is_finite()) {
        return;
    }
    let n = b.snap(&a.snap(&n));
    // Supports along the snapped normal: exact where the normal is.
    let core = n.dot(&a.support(&-n)) - n.dot(&b.support(&n));
    let gap = core - rounding;
    if gap > margin {
        return;
    }
    let from = out.len();
    let (fa, fb) = (a.face(&-n, &mut faces.a), b.face(&n, &mut faces.b));
    if fa && fb {
        corners(&n, margin, faces, out);
    } else if let Some(line) = a.line(&-n) {
        line_hits(line, b, &n, (a.radius(), margin), out);
    } else if let Some(line) = b.line(&n) {
        line_hits(line, a, &-n, (b.radius(), margin), out);
        out[from..].iter_mut().for_each(|h| *h = h.swapped());
    }
    let size = (p - q).norm() + a.support(&n).metric_distance(&a.support(&-n));
    if out[from..].iter().fold(f64::INFINITY, |m, h| m.min(h.gap)) > gap + 1e-6 * size {
        let middle = (p + q) * 0.5;
        let points = [middle + n * (0.5 * core - a.radius()), middle - n * (0.5 * core - b.radius())];
        out.push(Hit { features: [ANYWHERE, ANYWHERE], points, normal: n, gap, rate: 0.0 });
    }
}

/// The ends of a line over the face or line of `other`, with normal `n` towards the line.
fn line_hits((u, v): (V, V), other: &Other, n: &V, (radius, margin): (f64, f64), out: &mut Vec<Hit<3>>) {
    let Some((mut lo, mut hi)) = range((u, v), other, n) else { return };
    (lo, hi) = (lo.max(0.0), hi.min(1.0));
    if hi - lo <= 1e-9 {
        return;
    }
    for (end, s) in [(0, lo), (1, hi)] {
        let p = u + (v - u) * s;
        let height = n.dot(&p) - n.dot(&other.support(n));
        let gap = height - radius - other.radius();
        if gap <= margin {
            let points = [p - n * radius, p - n * (height - other.radius())];
            out.push(Hit { features: [SIDE | end, SIDE], points, normal: *n, gap, rate: 0.0 });
        }
    }
}

/// The part of a line over a face or a parallel line, as parameters.
fn range((u, v): (V, V), other: &Other, n: &V) -> Option<(f64, f64)> {
    let d = v - u;
    match other {
        Other::Hull(h) => {
            let f = h.facing(n);
            if h.normals[f].dot(n) < 1.0 - 1e-9 {
                return None;
            }
            let face = h.topology.face(f);
            clip(&u, &d, n, face.iter().map(|&i| h.v(i)), h.v(face[0]))
        }
        Other::Cylinder(c) if c.axis.dot(n).abs() > 1.0 - 1e-9 => {
            // The cap is a disc: a quadratic in the parameter.
            let w = (u - c.centre) - n * n.dot(&(u - c.centre));
            let e = d - n * n.dot(&d);
            let (aa, bb, cc) = (e.norm_squared(), e.dot(&w), w.norm_squared() - c.radius * c.radius);
            let root = bb * bb - aa * cc;
            (root > 0.0 && aa > 0.0).then(|| ((-bb - root.sqrt()) / aa, (-bb + root.sqrt()) / aa))
        }
        _ => {
            let (p, q) = other.line(n)?;
            if (q - p).cross(&d).norm() > 1e-6 * d.norm() * (q - p).norm() {
                return None;
            }
            let at = |x: V| d.dot(&(x - u)) / d.norm_squared();
            Some((at(p).min(at(q)), at(p).max(at(q))))
        }
    }
}

/// Clips the line `u + s d` by the sides of a convex face, counter-clockwise around `n`.
fn clip(u: &V, d: &V, n: &V, face: impl Iterator<Item = V>, first: V) -> Option<(f64, f64)> {
    let (mut lo, mut hi) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut previous: Option<V> = None;
    for p in face.chain(std::iter::once(first)) {
        if let Some(q) = previous {
            let inward = n.cross(&(p - q));
            let (h, slope) = (inward.dot(&(u - q)), inward.dot(d));
            if slope.abs() <= 1e-12 * inward.norm() * d.norm() {
                if h < 0.0 {
                    return None;
                }
            } else if slope > 0.0 {
                lo = lo.max(-h / slope);
            } else {
                hi = hi.min(-h / slope);
            }
        }
        previous = Some(p);
    }
    (lo < hi).then_some((lo, hi))
}
