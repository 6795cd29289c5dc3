//! Places and rotations in space, as files of robots give them.

type Matrix = [[f64; 3]; 3];

/// A rotation, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub turn: Matrix,
    pub at: [f64; 3],
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

impl Frame {
    pub const IDENTITY: Self = Self { turn: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], at: [0.0; 3] };

    /// Roll, pitch and yaw about the fixed axes x, y, z.
    pub fn new(at: [f64; 3], [r, p, y]: [f64; 3]) -> Self {
        let about = |k: usize, angle: f64| -> Matrix {
            let (s, c) = angle.sin_cos();
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let mut m = Self::IDENTITY.turn;
            (m[i][i], m[i][j], m[j][i], m[j][j]) = (c, -s, s, c);
            m
        };
        Self { turn: product(&about(2, y), &product(&about(1, p), &about(0, r))), at }
    }

    /// Of a quaternion (w, x, y, z) of any length; `None` for zero.
    pub fn of_quaternion(q: [f64; 4]) -> Option<Self> {
        let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        let [w, x, y, z] = q.map(|c| c / size);
        let turn = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Some(Self { turn, at: [0.0; 3] })
    }

    /// In the middle of two points with z along their line, and half their distance.
    pub fn between(a: [f64; 3], b: [f64; 3]) -> (Self, f64) {
        let d: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        // From z to d by the shortest way: w = |d| + d_z, v = z × d.
        let turned = Self::of_quaternion([length + d[2], -d[1], d[0], 0.0]);
        // Against z it is half a turn.
        let half = || Self::new([0.0; 3], [std::f64::consts::PI, 0.0, 0.0]);
        let turn = turned.unwrap_or_else(|| if d[2] < 0.0 { half() } else { Self::IDENTITY }).turn;
        (Self { turn, at: std::array::from_fn(|k| 0.5 * (a[k] + b[k])) }, 0.5 * length)
    }

    /// This, then another inside it.
    pub fn then(&self, inner: &Self) -> Self {
        Self { turn: product(&self.turn, &inner.turn), at: self.point(inner.at) }
    }

    /// A direction in the outer axes.
    pub fn direction(&self, v: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|k| self.turn[i][k] * v[k]).sum())
    }

    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let turned = self.direction(p);
        std::array::from_fn(|i| turned[i] + self.at[i])
    }

    /// What undoes it.
    pub fn inverse(&self) -> Self {
        let turn: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| self.turn[j][i]));
        let back = Self { turn, at: [0.0; 3] };
        Self { turn, at: back.direction(self.at).map(|x| -x) }
    }

    /// Axis and angle; `None` for no rotation.
    pub fn axis_angle(&self) -> Option<([f64; 3], f64)> {
        let m = &self.turn;
        let skew = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
        let sine = 0.5 * skew.iter().map(|x| x * x).sum::<f64>().sqrt();
        let angle = sine.atan2(0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0));
        if angle.abs() < 1e-12 {
            return None;
        }
        if sine > 1e-6 {
            return Some((skew.map(|x| 0.5 * x / sine), angle));
        }
        // Half a turn: the column of largest diagonal of (R + 1)/2 is along the axis.
        let k = (0..3).fold(0, |a, b| if m[b][b] > m[a][a] { b } else { a });
        let column: [f64; 3] = std::array::from_fn(|i| m[i][k] + f64::from(u8::from(i == k)));
        let size = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        Some((column.map(|x| x / size), angle))
    }

    /// Principal moments of a tensor of inertia, and their axes as a rotation: Jacobi's rotations.
    pub fn principal(mut a: Matrix) -> ([f64; 3], Self) {
        let mut axes = Self::IDENTITY.turn;
        for _ in 0..60 {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                if a[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                let mut turn = Self::IDENTITY.turn;
                (turn[p][p], turn[p][q], turn[q][p], turn[q][q]) = (c, s, -s, c);
                let back: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| turn[j][i]));
                a = product(&back, &product(&a, &turn));
                axes = product(&axes, &turn);
            }
        }
        ([a[0][0], a[1][1], a[2][2]], Self { turn: axes, at: [0.0; 3] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_go_there_and_back() {
        let f = Frame::new([1.0, 2.0, 3.0], [0.3, -0.7, 2.0]);
        let back = f.then(&f.inverse());
        for i in 0..3 {
            assert!(back.at[i].abs() < 1e-12);
            (0..3).for_each(|j| assert!((back.turn[i][j] - f64::from(u8::from(i == j))).abs() < 1e-12));
        }
        // Yaw alone is about z; half a turn too.
        for angle in [0.5, std::f64::consts::PI] {
            let (axis, found) = Frame::new([0.0; 3], [0.0, 0.0, angle]).axis_angle().expect("a rotation");
            assert!((axis[2].abs() - 1.0).abs() < 1e-9 && (found - angle).abs() < 1e-9);
        }
        assert_eq!(Frame::IDENTITY.axis_angle(), None);
    }

    #[test]
    fn segments_have_z_along_them() {
        for b in [[1.0, 2.0, 2.0], [0.0, 0.0, -4.0], [0.0, 0.0, 1.0], [-3.0, 1.0, 0.0]] {
            let (frame, half) = Frame::between([1.0, 1.0, 1.0], b);
            let end = frame.point([0.0, 0.0, half]);
            (0..3).for_each(|k| assert!((end[k] - b[k]).abs() < 1e-12, "{end:?} {b:?}"));
        }
        let q = Frame::of_quaternion([2.0, 0.0, 0.0, 2.0]).expect("a length");
        let yaw = Frame::new([0.0; 3], [0.0, 0.0, std::f64::consts::FRAC_PI_2]);
        (0..9).for_each(|k| assert!((q.turn[k / 3][k % 3] - yaw.turn[k / 3][k % 3]).abs() < 1e-12));
    }

    /// R diag(1, 2, 3) Rᵀ has these moments, and its axes give it back.
    #[test]
    fn principal_axes_diagonalise() {
        let f = Frame::new([0.0; 3], [0.4, 1.1, -0.6]);
        let diagonal = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
        let tensor = product(&f.turn, &product(&diagonal, &f.inverse().turn));
        let (moments, axes) = Frame::principal(tensor);
        let mut sorted = moments;
        sorted.sort_by(f64::total_cmp);
        (0..3).for_each(|k| assert!((sorted[k] - (k + 1) as f64).abs() < 1e-12));
        let d: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { moments[i] } else { 0.0 }));
        let again = product(&axes.turn, &product(&d, &axes.inverse().turn));
        (0..9).for_each(|k| assert!((again[k / 3][k % 3] - tensor[k / 3][k % 3]).abs() < 1e-12));
    }
}
