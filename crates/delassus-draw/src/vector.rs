//! Vectors of the plane and of space.

pub fn add<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|k| a[k] + b[k])
}

pub fn sub<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|k| a[k] - b[k])
}

pub fn scaled<const D: usize>(a: [f64; D], s: f64) -> [f64; D] {
    a.map(|x| s * x)
}

pub fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn norm<const D: usize>(a: [f64; D]) -> f64 {
    dot(a, a).sqrt()
}

/// Of length one; zero stays zero.
pub fn unit<const D: usize>(a: [f64; D]) -> [f64; D] {
    let length = norm(a);
    if length > 0.0 { scaled(a, 1.0 / length) } else { a }
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
