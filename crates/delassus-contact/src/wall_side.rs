//! Walls that meet the middle of an edge or of a face
//!
//! A wall that bulges into the admissible region touches the side of a body between its vertices:
//! where f, along the edge or over the face, has a maximum inside. It is looked for from samples,
//! then by Newton's method on ∇f along the side, and its distance to the wall is that of
//! [`Wall::closest`]. At a gap of zero the point of largest f is the deepest one; apart from that
//! the two differ by the order of the gap.
//!
//! Bulges narrower than an eighth of an edge, and all but one over a face, can be missed.

use crate::{Error, Pose, Vector, Wall, WallPoint};

/// Parts of an edge whose ends are looked at.
const PARTS: usize = 8;
/// Most iterations.
const ITERATIONS: usize = 60;
/// A slope of f along a side below this share of |∇f| is that of a wall that lies along it.
const FLAT: f64 = 1e-9;

impl<const D: usize> Wall<D> {
    /// The points strictly inside the edge `ends` (world) where f is largest along it, each with
    /// the wall nearest to it within `reach`.
    pub(crate) fn along_edge(
        &self,
        pose: &Pose<D>,
        t: f64,
        ends: [Vector<D>; 2],
        reach: f64,
        each: &mut dyn FnMut(Vector<D>, WallPoint<D>),
    ) -> Result<(), Error> {
        let [a, b] = ends.map(|p| pose.local(&p));
        let edge = b - a;
        if [a, b].iter().all(|p| self.is_far(t, p, reach + edge.norm())) {
            return Ok(());
        }
        // Slope of f along the edge, none where it is that of round-off.
        let slope = |s: f64| {
            let (_, g) = self.evaluate(t, &(a + edge * s));
            let along = g.dot(&edge);
            if along.abs() > FLAT * g.norm() * edge.norm() { along } else { 0.0 }
        };
        let mut before = slope(0.0);
        for k in 1..=PARTS {
            let (low, high) = ((k - 1) as f64 / PARTS as f64, k as f64 / PARTS as f64);
            let after = slope(high);
            // Rising, then falling; a sample on the summit itself belongs to the part before it.
            if before > 0.0 && after <= 0.0 && (after < 0.0 || (k < PARTS && slope(high + 0.5 / PARTS as f64) < 0.0)) {
                let s = summit(slope, [low, high], [before, after]);
                let p = ends[0] + (ends[1] - ends[0]) * s;
                if let Some(found) = self.closest(pose, t, &p, reach)? {
                    each(p, found);
                }
            }
            before = after;
        }
        Ok(())
    }
}

/// The zero of a slope that falls from positive to not positive, by bisection and regula falsi in turns.
fn summit(slope: impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2], [mut below, mut above]: [f64; 2]) -> f64 {
    for k in 0..ITERATIONS {
        let middle = if k % 2 == 0 { low + (high - low) * below / (below - above) } else { 0.5 * (low + high) };
        let value = slope(middle);
        match value {
            v if v > 0.0 => (low, below) = (middle, v),
            v if v < 0.0 => (high, above) = (middle, v),
            _ => return middle,
        }
        if high - low <= 4.0 * f64::EPSILON {
            break;
        }
    }
    0.5 * (low + high)
}

impl Wall<3> {
    /// The point strictly inside a plane convex polygon (world, its corners by number) where f is largest over it, with
    /// the wall nearest to it within `reach`.
    pub(crate) fn over_face(
        &self,
        pose: &Pose<3>,
        t: f64,
        (count, corner): (usize, &dyn Fn(usize) -> Vector<3>),
        reach: f64,
    ) -> Result<Option<(Vector<3>, WallPoint<3>)>, Error> {
        let corner = |i: usize| corner(i % count);
        let centre: Vector<3> = (0..count).map(corner).sum::<Vector<3>>() / count as f64;
        let size = (0..count).map(|i| (corner(i) - centre).norm()).fold(0.0, f64::max);
        if self.is_far(t, &pose.local(&centre), reach + size) {
            return Ok(None);
        }
        let one = (corner(1) - corner(0)).normalize();
        let normal = one.cross(&(corner(2) - corner(0))).normalize();
        let axes = [one, normal.cross(&one)];
        let at = |p: &Vector<3>| {
            let (f, g) = self.evaluate(t, &pose.local(p));
            let world = pose.rotation * g;
            (f, Vector::<2>::new(world.dot(&axes[0]), world.dot(&axes[1])), g.norm())
        };
        let value = |p: &Vector<3>| at(p).0;
        // Halfway to every corner and to the middle of every edge.
        let samples = (0..count).flat_map(|i| [corner(i), (corner(i) + corner(i + 1)) * 0.5]);
        let samples = samples.map(|c| (c + centre) * 0.5);
        let mut p = samples.fold(centre, |best, c| if value(&c) > value(&best) { c } else { best });
        let left = |i: usize, p: &Vector<3>| (corner(i + 1) - corner(i)).cross(&(p - corner(i))).dot(&normal) > 0.0;
        let inside = |p: &Vector<3>| (0..count).all(|i| left(i, p));
        let move_by = |p: &Vector<3>, d: Vector<2>| p + axes[0] * d.x + axes[1] * d.y;
        for _ in 0..ITERATIONS {
            let (f, slope, steep) = at(&p);
            if slope.norm() <= FLAT * steep {
                return match bulges(&at, &move_by, &p, size) {
                    true => Ok(self.closest(pose, t, &p, reach)?.map(|found| (p, found))),
                    false => Ok(None),
                };
            }
            let mut step = ascent(&at, &move_by, &p, size).unwrap_or(slope * (0.1 * size / slope.norm()));
            step *= (0.25 * size / step.norm()).min(1.0);
            // A step that goes down was too long.
            while value(&move_by(&p, step)) < f && step.norm() > 1e-12 * size {
                step *= 0.5;
            }
            p = move_by(&p, step);
            // The summit is beyond the face: its edges and vertices see to it.
            if !inside(&p) || !f.is_finite() {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// f, its slope in the face and |∇f|.
type At<'a> = dyn Fn(&Vector<3>) -> (f64, Vector<2>, f64) + 'a;
/// A point moved in the face.
type Move<'a> = dyn Fn(&Vector<3>, Vector<2>) -> Vector<3> + 'a;

/// Second derivatives of f in the face, by central differences of its gradient.
fn curvature(at: &At, move_by: &Move, p: &Vector<3>, size: f64) -> nalgebra::Matrix2<f64> {
    let d = 1e-5 * size;
    let column = |e: Vector<2>| (at(&move_by(p, e * d)).1 - at(&move_by(p, -e * d)).1) / (2.0 * d);
    let h = nalgebra::Matrix2::from_columns(&[column(Vector::<2>::x()), column(Vector::<2>::y())]);
    (h + h.transpose()) * 0.5
}

/// Newton's step where f is concave.
fn ascent(at: &At, move_by: &Move, p: &Vector<3>, size: f64) -> Option<Vector<2>> {
    let h = curvature(at, move_by, p, size);
    let concave = h.trace() < 0.0 && h.determinant() > 0.0;
    concave.then(|| h.try_inverse().map(|inverse| -inverse * at(p).1)).flatten()
}

/// Whether f falls off in all directions of the face: a bulge, not a wall that lies along it.
fn bulges(at: &At, move_by: &Move, p: &Vector<3>, size: f64) -> bool {
    let (bend, flat) = (curvature(at, move_by, p, size), FLAT * at(p).2 / size);
    bend.trace() < -flat && bend.determinant() > flat * flat
}
