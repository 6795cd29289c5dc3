//! Three numbers.

/// A point or a vector of space.
pub type Point3 = [f64; 3];

pub fn add(a: Point3, b: Point3) -> Point3 {
    std::array::from_fn(|k| a[k] + b[k])
}

pub fn sub(a: Point3, b: Point3) -> Point3 {
    std::array::from_fn(|k| a[k] - b[k])
}

pub fn scaled(a: Point3, s: f64) -> Point3 {
    a.map(|x| s * x)
}

pub fn dot(a: Point3, b: Point3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Point3, b: Point3) -> Point3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm(a: Point3) -> f64 {
    dot(a, a).sqrt()
}

/// Of length one; zero stays zero.
pub fn unit(a: Point3) -> Point3 {
    let length = norm(a);
    if length > 0.0 { scaled(a, 1.0 / length) } else { a }
}
