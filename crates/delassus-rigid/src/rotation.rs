//! Unit quaternions `(w, i, j, k)` and the exponential of rotations.

use nalgebra::{Matrix3, Vector3};

/// A unit quaternion.
pub type Quaternion = [f64; 4];

/// Rotation by the vector `r`: angle `|r|` about its direction.
pub fn exp(r: &Vector3<f64>) -> Quaternion {
    let angle2 = r.norm_squared();
    let half = 0.5 * angle2.sqrt();
    // sin(x/2)/x by its series where the quotient would lose digits.
    let s = if half < 1e-4 { 0.5 - angle2 / 48.0 } else { libm::sin(half) / (2.0 * half) };
    [libm::cos(half), s * r[0], s * r[1], s * r[2]]
}

/// `a ∘ b`.
pub fn product(a: &Quaternion, b: &Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Brought back to length one: removes round-off, not drift, as the steps are exact.
pub fn normalised(q: &Quaternion) -> Quaternion {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    // A norm that is one to the last digit is left alone: a body at rest keeps its bits.
    if (norm - 1.0).abs() <= 2.0 * f64::EPSILON { *q } else { q.map(|x| x / norm) }
}

/// The rotation matrix.
pub fn matrix(q: &Quaternion) -> Matrix3<f64> {
    let [w, x, y, z] = *q;
    Matrix3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
}

/// The quaternion of a rotation matrix, from its largest component.
pub fn quaternion(m: &Matrix3<f64>) -> Quaternion {
    let trace = m.trace();
    let squares =
        [1.0 + trace, 1.0 + 2.0 * m[(0, 0)] - trace, 1.0 + 2.0 * m[(1, 1)] - trace, 1.0 + 2.0 * m[(2, 2)] - trace];
    let k = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let r = 0.5 * squares[k].max(0.0).sqrt();
    let f = 0.25 / r;
    let (d01, d02, d12) = (m[(1, 0)] - m[(0, 1)], m[(0, 2)] - m[(2, 0)], m[(2, 1)] - m[(1, 2)]);
    let (s01, s02, s12) = (m[(1, 0)] + m[(0, 1)], m[(0, 2)] + m[(2, 0)], m[(2, 1)] + m[(1, 2)]);
    normalised(&match k {
        0 => [r, f * d12, f * d02, f * d01],
        1 => [f * d12, r, f * s01, f * s02],
        2 => [f * d02, f * s01, r, f * s12],
        _ => [f * d01, f * s02, f * s12, r],
    })
}

/// `exp(r) x`, Rodrigues' formula.
pub fn rotate(r: &Vector3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let angle2 = r.norm_squared();
    let angle = angle2.sqrt();
    let (a, b) = if angle < 1e-4 {
        (1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0)
    } else {
        (libm::sin(angle) / angle, 2.0 * libm::sin(0.5 * angle).powi(2) / angle2)
    };
    let c = r.cross(x);
    x + c * a + r.cross(&c) * b
}

#[cfg(test)]
mod tests {
    use super::*;

    /// References: the matrix of the quaternion, composition, and the way back.
    #[test]
    fn exponential_product_and_matrix_agree() {
        for r in [Vector3::new(0.3, -1.2, 0.7), Vector3::new(1e-6, 2e-6, -1e-6), Vector3::new(3.0, 0.4, 0.0)] {
            let (q, x) = (exp(&r), Vector3::new(1.0, 2.0, -0.5));
            assert!((matrix(&q) * x - rotate(&r, &x)).norm() < 1e-14);
            let p = exp(&Vector3::new(-0.2, 0.1, 0.9));
            assert!((matrix(&product(&q, &p)) - matrix(&q) * matrix(&p)).norm() < 1e-14);
            let back = quaternion(&matrix(&q));
            let same = (0..4).map(|k| back[k] * q[k]).sum::<f64>().abs();
            assert!((same - 1.0).abs() < 1e-15);
        }
    }
}
