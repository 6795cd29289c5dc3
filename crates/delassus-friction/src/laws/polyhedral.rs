//! Coulomb friction over a convex polygon
//!
//! ```text
//! C = cone{ r_i },   r_i = (1, v_i),      φ(U_T) = max_i −U_T·v_i                [Moreau86]
//! ```
//!
//! Everything is an enumeration of the faces, edges and apex of `C`. Each case
//! is judged by the *signs* of its own multipliers, which are first-order in the
//! data; choosing by distance was rejected, as it cannot tell apart points that
//! differ by the square root of the round-off.
//!
//! Edge `i` runs from `v_i` to `v_{i+1}` with unit outward normal `m_i`;
//! `ν_i = (−m_i·v_i, m_i)` is normal to the face of `C` above it. One contact:
//! stick `U = 0`; slip on a face `U = −κ (0, m_i)`; slip on an edge of `C`
//! `S = t r_i`, `U_N = 0`, `−U_T` in the normal cone of the polygon at `v_i`.

use super::LawError;
use super::elliptic::{narrow, widen};
use crate::algebra::{Matrix, Vector, solve_small};
use serde::{Deserialize, Serialize};

/// A convex polygon of the tangent plane that contains the origin: the section
/// of a friction cone at `S_N = 1`, counter-clockwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vertices")]
pub struct Section {
    vertices: Vec<[f64; 2]>,
}

/// What is read from a file, before it is checked.
#[derive(Deserialize)]
struct Vertices {
    vertices: Vec<[f64; 2]>,
}

impl TryFrom<Vertices> for Section {
    type Error = LawError;
    fn try_from(read: Vertices) -> Result<Self, LawError> {
        Section::new(read.vertices)
    }
}

impl Section {
    /// Checks the polygon; clockwise input is reversed.
    ///
    /// The origin may lie on the boundary (no friction in some directions).
    pub fn new(mut vertices: Vec<[f64; 2]>) -> Result<Self, LawError> {
        let refuse = |reason: String| Err(LawError::Section { reason });
        let k = vertices.len();
        if k < 3 {
            return refuse(format!("{k} vertices"));
        }
        if let Some(i) = vertices.iter().position(|v| !(v[0].is_finite() && v[1].is_finite())) {
            return refuse(format!("vertex {i} is not finite"));
        }
        let area: f64 = (0..k).map(|i| cross(vertices[i], vertices[(i + 1) % k])).sum();
        if area < 0.0 {
            vertices.reverse();
        }
        let edge = |i: usize| sub(vertices[(i + 1) % k], vertices[i % k]);
        let size = vertices.iter().map(|v| v[0].hypot(v[1])).fold(0.0, f64::max);
        let mut turned = 0.0;
        for (i, &v) in vertices.iter().enumerate() {
            let (e, f) = (edge(i), edge(i + 1));
            let (a, b) = (e[0].hypot(e[1]), f[0].hypot(f[1]));
            if a <= 1e-12 * size {
                return refuse(format!("vertices {i} and {} coincide", (i + 1) % k));
            }
            if cross(e, f) < -1e-12 * a * b || (cross(e, f) <= 1e-12 * a * b && dot(e, f) < 0.0) {
                return refuse(format!("not convex at vertex {}", (i + 1) % k));
            }
            if cross(e, v) > 1e-12 * a * size {
                return refuse(format!("the origin is outside edge {i}"));
            }
            turned += cross(e, f).atan2(dot(e, f));
        }
        if turned > 1.5 * std::f64::consts::TAU {
            return refuse("the boundary turns more than once".into());
        }
        Ok(Section { vertices })
    }

    /// The regular `k`-gon inscribed in the disc of radius `mu`, first vertex on
    /// `t1`: friction is never overestimated, and by at most `1 − cos(π/k)` under.
    pub fn regular(mu: f64, k: usize) -> Result<Self, LawError> {
        let corner = |i: usize| {
            let (s, c) = (std::f64::consts::TAU * i as f64 / k as f64).sin_cos();
            [mu * c, mu * s]
        };
        Section::new((0..k).map(corner).collect())
    }

    /// The section of coefficients multiplied by a positive number.
    pub fn scaled(&self, factor: f64) -> Self {
        Section { vertices: self.vertices.iter().map(|v| [v[0] * factor, v[1] * factor]).collect() }
    }

    /// The section seen from the other side of the contact: `t2` reversed.
    pub fn mirrored(&self) -> Self {
        Section { vertices: self.vertices.iter().rev().map(|v| [v[0], -v[1]]).collect() }
    }

    /// Distance of a percussion of the cone to its nearest face; negative outside.
    pub fn depth(&self, s: &Vector<3>) -> f64 {
        (0..self.vertices.len()).map(|i| -self.face(i).dot(s)).fold(f64::INFINITY, f64::min)
    }

    /// The vertices, counter-clockwise.
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    fn vertex(&self, i: usize) -> [f64; 2] {
        self.vertices[i % self.vertices.len()]
    }

    /// Outward unit normal of edge `i`.
    fn normal(&self, i: usize) -> [f64; 2] {
        let e = sub(self.vertex(i + 1), self.vertex(i));
        let l = e[0].hypot(e[1]);
        [e[1] / l, -e[0] / l]
    }

    /// Unit outward normal of the face of the cone above edge `i`.
    fn face(&self, i: usize) -> Vector<3> {
        let m = self.normal(i);
        let h = dot(m, self.vertex(i));
        let l = h.hypot(1.0);
        Vector::<3>::new(-h / l, m[0] / l, m[1] / l)
    }

    /// The ray `(1, v_i)`.
    fn ray(&self, i: usize) -> Vector<3> {
        let v = self.vertex(i);
        Vector::<3>::new(1.0, v[0], v[1])
    }

    /// Coordinates of a point of face `i`'s plane along the edge: signed lengths
    /// from either end, scaled by the height; both are `≥ 0` inside the face.
    fn span(&self, i: usize, p: &Vector<3>) -> [f64; 2] {
        let (v, w) = (self.vertex(i), self.vertex(i + 1));
        let m = self.normal(i);
        let e = [-m[1], m[0]];
        let t = [p[1], p[2]];
        let along = |v: [f64; 2]| dot(sub(t, [p[0] * v[0], p[0] * v[1]]), e);
        [along(v), -along(w)]
    }
}

fn sub(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Keeps the candidate whose largest sign violation is smallest.
struct Best {
    point: Vector<3>,
    violation: f64,
}

impl Best {
    fn offer(&mut self, point: Vector<3>, violation: f64) {
        if violation < self.violation {
            *self = Best { point, violation };
        }
    }
}

/// The shift `max_i −U_T·v_i`.
#[inline]
pub fn shift<const D: usize>(section: &Section, u: &Vector<D>) -> f64 {
    let u = widen(u);
    let support = section.vertices.iter().map(|v| -(u[1] * v[0] + u[2] * v[1]));
    support.fold(0.0, f64::max)
}

/// Euclidean projection on the polyhedral cone.
pub fn project<const D: usize>(section: &Section, x: &Vector<D>) -> Vector<D> {
    narrow(&project_space(section, &widen(x)))
}

fn project_space(section: &Section, x: &Vector<3>) -> Vector<3> {
    let k = section.vertices.len();
    let (mut outside, mut support) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut best = Best { point: Vector::zeros(), violation: f64::INFINITY };
    for i in 0..k {
        // Face i: the multiplier is the distance to its plane.
        let nu = section.face(i);
        let depth = nu.dot(x);
        let p = x - nu * depth;
        let [a, b] = section.span(i, &p);
        best.offer(p, (-depth).max(-a).max(-b));
        outside = outside.max(depth);
        // Edge i: the remainder must not climb towards either neighbour.
        let r = section.ray(i);
        let height = x.dot(&r) / r.norm();
        let p = r * (height / r.norm());
        let rest = x - p;
        let climb = |j: usize| rest.dot(&(section.ray(j) - r).normalize());
        best.offer(p, climb(i + 1).max(climb(i + k - 1)).max(-height));
        support = support.max(height);
    }
    best.offer(*x, outside);
    best.offer(Vector::zeros(), support);
    // Round-off may leave a point slightly under the apex.
    if best.point[0] >= 0.0 { best.point } else { Vector::zeros() }
}

/// Exact solution of the one-contact problem.
pub fn solve_one<const D: usize>(section: &Section, w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    if q[0] >= 0.0 || w[(0, 0)] <= 0.0 {
        return Vector::zeros();
    }
    let w = Matrix::<3>::from_fn(|i, j| if i < D && j < D { w[(i, j)] } else { 0.0 });
    let contact = OneContact { section, rho: 1.0 / w.norm(), w, q: widen(q) };
    narrow(&contact.solve())
}

/// `U = W S + q` with the law of `section`; velocities are compared with
/// percussions through `rho`.
struct OneContact<'a> {
    section: &'a Section,
    w: Matrix<3>,
    q: Vector<3>,
    rho: f64,
}

impl OneContact<'_> {
    /// The first candidate whose signs are right, else the one with the smallest natural map.
    fn solve(&self) -> Vector<3> {
        let mut best = Best { point: Vector::zeros(), violation: f64::INFINITY };
        let k = self.section.vertices.len();
        let candidates = std::iter::once_with(|| self.stick())
            .chain((0..k).map(|i| self.slip_on_ray(i)))
            .chain((0..k).map(|i| self.slip_on_face(i)));
        for (s, violation) in candidates.flatten() {
            let scale = s.norm() + self.rho * self.q.norm();
            if violation <= 0.0 {
                return s;
            }
            best.offer(s, violation / scale);
        }
        if best.violation <= 1e-14 { best.point } else { self.smallest_residual() }
    }

    /// The candidate with the smallest natural map, each brought back into the cone first.
    fn smallest_residual(&self) -> Vector<3> {
        let mut best = Best { point: Vector::zeros(), violation: self.natural_map(&Vector::zeros()) };
        for i in 0..self.section.vertices.len() {
            for (s, _) in [self.stick(), self.slip_on_ray(i), self.slip_on_face(i)].into_iter().flatten() {
                let s = project_space(self.section, &s);
                best.offer(s, self.natural_map(&s));
            }
        }
        let fallback = super::iterate::solve_by_projection(
            &self.w,
            &self.q,
            &best.point,
            |x| project_space(self.section, x),
            |u| shift(self.section, u),
        );
        best.offer(fallback, self.natural_map(&fallback));
        best.point
    }

    fn natural_map(&self, s: &Vector<3>) -> f64 {
        let mut u = self.w * s + self.q;
        u[0] += shift(self.section, &u);
        (s - project_space(self.section, &(s - self.rho * u))).norm()
    }

    /// `U = 0`, with a shift of the diagonal at round-off when `W` is singular.
    fn stick(&self) -> Option<(Vector<3>, f64)> {
        let s = -solve_small(&self.w, &self.q).or_else(|| {
            let shifted = self.w + Matrix::<3>::identity() * (1e-13 * self.w.norm());
            solve_small(&shifted, &self.q)
        })?;
        let u = self.w * s + self.q;
        let k = self.section.vertices.len();
        let outside = (0..k).map(|i| self.section.face(i).dot(&s)).fold(f64::NEG_INFINITY, f64::max);
        // A singular block may leave velocity: that is a violation of its own.
        let moving = self.rho * u.norm() - 1e-14 * (s.norm() + self.rho * self.q.norm());
        Some((s, outside.max(moving)))
    }

    /// `S = t r_i` with `U_N = 0` and `−U_T` in the normal cone at the vertex.
    fn slip_on_ray(&self, i: usize) -> Option<(Vector<3>, f64)> {
        let k = self.section.vertices.len();
        let r = self.section.ray(i);
        let lift = self.w.row(0).transpose().dot(&r);
        if lift.is_nan() || lift <= 1e-15 * self.w.norm() * r.norm() {
            return None;
        }
        let s = r * (-self.q[0] / lift);
        let u = self.w * s + self.q;
        let gain = |j: usize| -u.dot(&(self.section.ray(j) - r).normalize());
        Some((s, self.rho * gain(i + 1).max(gain(i + k - 1))))
    }

    /// `S = a r_i + b r_{i+1}` and `U = −κ (0, m_i)`: three equations for `a, b, κ`.
    fn slip_on_face(&self, i: usize) -> Option<(Vector<3>, f64)> {
        let (r, e) = (self.section.ray(i), self.section.ray(i + 1) - self.section.ray(i));
        let m = self.section.normal(i);
        let length = e.norm();
        // Columns of comparable size: height, distance along the edge, velocity.
        let (c1, c2) = (self.w * r / r.norm(), self.w * e / length);
        let c3 = Vector::<3>::new(0.0, m[0], m[1]) / self.rho;
        let x = -solve_small(&Matrix::<3>::from_columns(&[c1, c2, c3]), &self.q)?;
        let s = r * (x[0] / r.norm()) + e * (x[1] / length);
        let [a, b] = self.section.span(i, &s);
        Some((s, (-a).max(-b).max(-x[2])))
    }
}
