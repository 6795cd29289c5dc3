//! Convex hulls of reactions: area, width, distance.

use delassus_friction::algebra::Vector;

/// The convex hull of points in the plane, counter-clockwise, without points inside edges.
pub fn hull(points: &[Vector<2>]) -> Vec<Vector<2>> {
    let mut sorted: Vec<Vector<2>> = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut chain: Vec<Vector<2>> = vec![];
    for pass in 0..2 {
        let bottom = chain.len();
        let mut add = |p: &Vector<2>| {
            while chain.len() >= bottom + 2
                && (chain[chain.len() - 1] - chain[chain.len() - 2]).perp(&(p - chain[chain.len() - 2])) <= 0.0
            {
                chain.pop();
            }
            chain.push(*p);
        };
        if pass == 0 {
            sorted.iter().for_each(&mut add)
        } else {
            sorted.iter().rev().for_each(&mut add)
        }
        chain.pop();
    }
    chain
}

/// Area of a polygon given by its vertices in order.
pub fn area(vertices: &[Vector<2>]) -> f64 {
    let Some(first) = vertices.first() else { return 0.0 };
    // About a vertex: sums of large products would lose a thin polygon far from the origin.
    let n = vertices.len();
    let twice: f64 = (0..n).map(|k| (vertices[k] - first).perp(&(vertices[(k + 1) % n] - first))).sum();
    0.5 * twice.abs()
}

/// Largest distance between two points.
pub fn diameter<const D: usize>(points: &[Vector<D>]) -> f64 {
    let mut largest = 0.0f64;
    for (k, a) in points.iter().enumerate() {
        for b in &points[k + 1..] {
            largest = largest.max((a - b).norm_squared());
        }
    }
    largest.sqrt()
}

/// Distance from a point to the convex hull of points in order (a point, a segment, or a
/// counter-clockwise polygon); zero inside.
pub fn distance(point: &Vector<2>, vertices: &[Vector<2>]) -> f64 {
    let n = vertices.len();
    let to_segment = |a: &Vector<2>, b: &Vector<2>| {
        let d = b - a;
        let t = if d.norm_squared() > 0.0 { ((point - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
        (point - a - d * t).norm()
    };
    match n {
        0 => f64::INFINITY,
        1 => (point - vertices[0]).norm(),
        _ => {
            let inside =
                n > 2 && (0..n).all(|k| (vertices[(k + 1) % n] - vertices[k]).perp(&(point - vertices[k])) >= 0.0);
            if inside {
                return 0.0;
            }
            (0..n).map(|k| to_segment(&vertices[k], &vertices[(k + 1) % n])).fold(f64::INFINITY, f64::min)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_with_points_inside() {
        let p = |x: f64, y: f64| Vector::<2>::new(x, y);
        let square = hull(&[p(0.0, 0.0), p(1.0, 1.0), p(0.5, 0.5), p(1.0, 0.0), p(0.5, 0.0), p(0.0, 1.0)]);
        assert_eq!(square.len(), 4);
        assert_eq!((area(&square), diameter(&square)), (1.0, 2f64.sqrt()));
        assert_eq!(distance(&p(0.3, 0.9), &square), 0.0);
        assert_eq!(distance(&p(2.0, 0.5), &square), 1.0);
        assert_eq!(distance(&p(2.0, 0.0), &[p(0.0, 0.0), p(1.0, 0.0)]), 1.0);
        assert_eq!(area(&hull(&[p(0.0, 0.0), p(1.0, 1.0), p(2.0, 2.0)])), 0.0);
    }
}
