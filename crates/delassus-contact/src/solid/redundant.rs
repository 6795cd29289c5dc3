//! Removes repeated contacts, and those inside the hull of others with the same normal.

use super::V;
use crate::hit::Hit;

/// Cosine beyond which normals are the same.
const SAME: f64 = 1.0 - 1e-9;

/// Removes them from `out[from..]`; `size` is a length of the bodies.
pub(super) fn remove_redundant(out: &mut Vec<Hit<3>>, from: usize, size: f64) {
    let tolerance = 1e-7 * size;
    let mut i = from;
    while i < out.len() {
        // Of equal points the earlier stays.
        let h = out[i];
        let repeated = out[from..i]
            .iter()
            .any(|o| o.normal.dot(&h.normal) > 0.99 && (o.points[1] - h.points[1]).norm() <= tolerance);
        if repeated {
            out.remove(i);
        } else {
            i += 1;
        }
    }
    let mut i = from;
    while i < out.len() {
        if inside(&out[from..], i - from, tolerance) {
            out.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Whether point `i` is not a corner of the hull of the points of its normal.
fn inside(hits: &[Hit<3>], i: usize, tolerance: f64) -> bool {
    let h = &hits[i];
    let frame = crate::frame::frame3(&h.normal);
    let (t1, t2): (V, V) = (frame.column(1).into(), frame.column(2).into());
    let direction = |o: &Hit<3>| {
        let d = o.points[1] - h.points[1];
        (t1.dot(&d), t2.dot(&d))
    };
    let peer = |k: usize, o: &Hit<3>| k != i && o.normal.dot(&h.normal) > SAME && o.gap <= h.gap + tolerance;
    let peers = || hits.iter().enumerate().filter(|(k, o)| peer(*k, o)).map(|(_, o)| direction(o));
    if peers().count() < 2 {
        return false;
    }
    // A corner has a neighbour with all others strictly on its left.
    !peers().any(|(x, y)| {
        peers().all(|(u, v)| {
            let turn = x * v - y * u;
            let sine = tolerance * (x.hypot(y) + u.hypot(v));
            turn > sine || (turn.abs() <= sine && x * u + y * v > 0.0)
        })
    })
}
