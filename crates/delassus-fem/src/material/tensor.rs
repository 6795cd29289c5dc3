//! Second-order tensors of the plane (with the third axis apart) and of space
//!
//! Gradients are `[xx, xy, yx, yy, zz]` in the plane and row-major in space; symmetric
//! tensors `[xx, yy, zz, xy]` and `[xx, yy, zz, xy, yz, zx]`, strains with engineering
//! shears. The zz component is the hoop of revolution solids and the free thickness of
//! plane stress.

/// The tensors of one dimension: `M` gradient components, `S` symmetric ones.
pub(crate) trait Frame<const M: usize, const S: usize> {
    /// Row and column of each gradient component.
    const CELLS: [(usize, usize); M];
    /// Row and column of each symmetric component.
    const PAIRS: [(usize, usize); S];
    /// Places of xx, yy, zz in a gradient.
    const DIAGONAL: [usize; 3];
    /// The unit gradient.
    const IDENTITY: [f64; M];

    /// Place of a gradient component, where it exists.
    fn cell(i: usize, j: usize) -> Option<usize>;
    /// Place of a symmetric component, where it exists.
    fn voigt(i: usize, j: usize) -> Option<usize>;
    /// `sym h`.
    fn small_strain(h: &[f64; M]) -> [f64; S];
    /// `sym h + ½ hᵀh`.
    fn green_strain(h: &[f64; M]) -> [f64; S];
    fn determinant(f: &[f64; M]) -> f64;
    /// `f⁻ᵀ`, of determinant given.
    fn inverse_transpose(f: &[f64; M], determinant: f64) -> [f64; M];
    /// Inverse and determinant of a symmetric tensor (plain shears).
    fn symmetric_inverse(c: &[f64; S]) -> ([f64; S], f64);
    /// A symmetric tensor (plain shears) as a gradient.
    fn full(s: &[f64; S]) -> [f64; M];
    fn product(a: &[f64; M], b: &[f64; M]) -> [f64; M];
    /// `aᵀ s a`, plain shears.
    fn congruence(a: &[f64; M], s: &[f64; S]) -> [f64; S];
    fn transpose(a: &[f64; M]) -> [f64; M];
    /// Eigenvalues, and eigenvectors as columns.
    fn eigen(c: &[f64; S]) -> ([f64; 3], [f64; M]);
    /// Whether in-plane closed forms apply.
    const PLANE: bool;

    /// `B` with `δE = B δf`, engineering shears: `δE = sym(fᵀ δf)`.
    fn pull(f: &[f64; M]) -> [[f64; M]; S] {
        let mut b = [[0.0; M]; S];
        for v in 0..S {
            let (p, q) = Self::PAIRS[v];
            for i in 0..3 {
                if let (Some(ip), Some(iq)) = (Self::cell(i, p), Self::cell(i, q)) {
                    b[v][iq] += f[ip];
                    if p != q {
                        b[v][ip] += f[iq];
                    }
                }
            }
        }
        b
    }

    /// An upper triangular `f` with `½ (fᵀf − 1) = e`, engineering shears.
    fn stretch(e: &[f64; S]) -> [f64; M] {
        let c = |i: usize, j: usize| Self::voigt(i, j).map_or(0.0, |v| if i == j { 1.0 + 2.0 * e[v] } else { e[v] });
        let mut r = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in i..3 {
                let rest = c(i, j) - (0..i).map(|k| r[k][i] * r[k][j]).sum::<f64>();
                r[i][j] = if i == j { rest.sqrt() } else { rest / r[i][i] };
            }
        }
        std::array::from_fn(|m| r[Self::CELLS[m].0][Self::CELLS[m].1])
    }

    /// `Z` with `(gᵀ e g) = Z e`, engineering shears on both sides.
    fn congruence_matrix(g: &[f64; M]) -> [[f64; S]; S] {
        let mut z = [[0.0; S]; S];
        let at = |i: usize, j: usize| Self::cell(i, j).map_or(0.0, |m| g[m]);
        for v in 0..S {
            let (i, j) = Self::PAIRS[v];
            for w in 0..S {
                let (k, l) = Self::PAIRS[w];
                let both = at(k, i) * at(l, j) + at(l, i) * at(k, j);
                z[v][w] = if i == j { 0.5 } else { 1.0 } * both;
            }
        }
        z
    }
}

/// Plane, zz apart.
pub(crate) struct Plane;
/// Space.
pub(crate) struct Space;

impl Frame<5, 4> for Plane {
    const CELLS: [(usize, usize); 5] = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)];
    const PAIRS: [(usize, usize); 4] = [(0, 0), (1, 1), (2, 2), (0, 1)];
    const DIAGONAL: [usize; 3] = [0, 3, 4];
    const IDENTITY: [f64; 5] = [1.0, 0.0, 0.0, 1.0, 1.0];
    const PLANE: bool = true;

    #[inline]
    fn cell(i: usize, j: usize) -> Option<usize> {
        match (i, j) {
            (2, 2) => Some(4),
            (0 | 1, 0 | 1) => Some(2 * i + j),
            _ => None,
        }
    }

    #[inline]
    fn voigt(i: usize, j: usize) -> Option<usize> {
        match (i, j) {
            (0, 1) | (1, 0) => Some(3),
            (i, j) if i == j => Some(i),
            _ => None,
        }
    }

    #[inline]
    fn small_strain(h: &[f64; 5]) -> [f64; 4] {
        [h[0], h[3], h[4], h[1] + h[2]]
    }

    #[inline]
    fn green_strain(h: &[f64; 5]) -> [f64; 4] {
        [
            h[0] + 0.5 * (h[0] * h[0] + h[2] * h[2]),
            h[3] + 0.5 * (h[1] * h[1] + h[3] * h[3]),
            h[4] + 0.5 * h[4] * h[4],
            h[1] + h[2] + h[0] * h[1] + h[2] * h[3],
        ]
    }

    #[inline]
    fn determinant(f: &[f64; 5]) -> f64 {
        (f[0] * f[3] - f[1] * f[2]) * f[4]
    }

    #[inline]
    fn inverse_transpose(f: &[f64; 5], determinant: f64) -> [f64; 5] {
        let r = f[4] / determinant;
        [f[3] * r, -f[2] * r, -f[1] * r, f[0] * r, 1.0 / f[4]]
    }

    #[inline]
    fn symmetric_inverse(c: &[f64; 4]) -> ([f64; 4], f64) {
        let d = c[0] * c[1] - c[3] * c[3];
        ([c[1] / d, c[0] / d, 1.0 / c[2], -c[3] / d], d * c[2])
    }

    #[inline]
    fn full(s: &[f64; 4]) -> [f64; 5] {
        [s[0], s[3], s[3], s[1], s[2]]
    }

    #[inline]
    fn product(a: &[f64; 5], b: &[f64; 5]) -> [f64; 5] {
        [
            a[0] * b[0] + a[1] * b[2],
            a[0] * b[1] + a[1] * b[3],
            a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3],
            a[4] * b[4],
        ]
    }

    #[inline]
    fn congruence(a: &[f64; 5], s: &[f64; 4]) -> [f64; 4] {
        let m = Self::product(&Self::full(s), a);
        [a[0] * m[0] + a[2] * m[2], a[1] * m[1] + a[3] * m[3], a[4] * m[4], a[0] * m[1] + a[2] * m[3]]
    }

    #[inline]
    fn transpose(a: &[f64; 5]) -> [f64; 5] {
        [a[0], a[2], a[1], a[3], a[4]]
    }

    fn eigen(c: &[f64; 4]) -> ([f64; 3], [f64; 5]) {
        let (mean, half) = (0.5 * (c[0] + c[1]), 0.5 * (c[0] - c[1]));
        let radius = half.hypot(c[3]);
        if !(radius > 0.0) {
            return ([c[0], c[1], c[2]], Self::IDENTITY);
        }
        let (double_cos, double_sin) = (half / radius, c[3] / radius);
        let (cos, sin) = if double_cos >= 0.0 {
            let cos = (0.5 * (1.0 + double_cos)).sqrt();
            (cos, 0.5 * double_sin / cos)
        } else {
            let sin = (0.5 * (1.0 - double_cos)).sqrt().copysign(c[3]);
            (0.5 * double_sin / sin, sin)
        };
        ([mean + radius, mean - radius, c[2]], [cos, -sin, sin, cos, 1.0])
    }
}

impl Frame<9, 6> for Space {
    const CELLS: [(usize, usize); 9] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)];
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];
    const DIAGONAL: [usize; 3] = [0, 4, 8];
    const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    const PLANE: bool = false;

    #[inline]
    fn cell(i: usize, j: usize) -> Option<usize> {
        Some(3 * i + j)
    }

    #[inline]
    fn voigt(i: usize, j: usize) -> Option<usize> {
        Some(if i == j { i } else { [0, 3, 5, 4][i + j] })
    }

    #[inline]
    fn small_strain(h: &[f64; 9]) -> [f64; 6] {
        [h[0], h[4], h[8], h[1] + h[3], h[5] + h[7], h[2] + h[6]]
    }

    #[inline]
    fn green_strain(h: &[f64; 9]) -> [f64; 6] {
        let mut e = Self::small_strain(h);
        let dot = |i: usize, j: usize| h[i] * h[j] + h[3 + i] * h[3 + j] + h[6 + i] * h[6 + j];
        for v in 0..6 {
            let (i, j) = Self::PAIRS[v];
            e[v] += if v < 3 { 0.5 } else { 1.0 } * dot(i, j);
        }
        e
    }

    #[inline]
    fn determinant(f: &[f64; 9]) -> f64 {
        f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6])
    }

    #[inline]
    fn inverse_transpose(f: &[f64; 9], determinant: f64) -> [f64; 9] {
        let r = 1.0 / determinant;
        [
            r * (f[4] * f[8] - f[5] * f[7]),
            r * (f[5] * f[6] - f[3] * f[8]),
            r * (f[3] * f[7] - f[4] * f[6]),
            r * (f[2] * f[7] - f[1] * f[8]),
            r * (f[0] * f[8] - f[2] * f[6]),
            r * (f[1] * f[6] - f[0] * f[7]),
            r * (f[1] * f[5] - f[2] * f[4]),
            r * (f[2] * f[3] - f[0] * f[5]),
            r * (f[0] * f[4] - f[1] * f[3]),
        ]
    }

    #[inline]
    fn symmetric_inverse(c: &[f64; 6]) -> ([f64; 6], f64) {
        let full = Self::full(c);
        let determinant = Self::determinant(&full);
        let i = Self::inverse_transpose(&full, determinant);
        ([i[0], i[4], i[8], i[1], i[5], i[2]], determinant)
    }

    #[inline]
    fn full(s: &[f64; 6]) -> [f64; 9] {
        [s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]]
    }

    #[inline]
    fn product(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
        let mut p = [0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                p[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
            }
        }
        p
    }

    #[inline]
    fn congruence(a: &[f64; 9], s: &[f64; 6]) -> [f64; 6] {
        let m = Self::product(&Self::full(s), a);
        let mut c = [0.0; 6];
        for v in 0..6 {
            let (i, j) = Self::PAIRS[v];
            c[v] = a[i] * m[j] + a[3 + i] * m[3 + j] + a[6 + i] * m[6 + j];
        }
        c
    }

    #[inline]
    fn transpose(a: &[f64; 9]) -> [f64; 9] {
        [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]]
    }

    fn eigen(c: &[f64; 6]) -> ([f64; 3], [f64; 9]) {
        super::spectrum::jacobi(Self::full(c))
    }
}
