//! Resistance of a fluid, quadratic in the velocity relative to it
//!
//! ```text
//! F = −K |v| v                   one coefficient: the same in all directions
//! F_k = −K_k |v_k| v_k           one for each axis: axes do not see each other (slender bodies)
//! ```
//!
//! Shared by bodies and by nodes of solids.

/// Coefficients of a quadratic resistance \[kg/m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drag {
    /// `F = −K |v| v`.
    Isotropic(f64),
    /// `F_k = −K_k |v_k| v_k` along the axes of the world.
    Axes([f64; 3]),
}

impl Drag {
    /// The coefficients.
    pub fn coefficients(&self) -> &[f64] {
        match self {
            Self::Isotropic(k) => std::slice::from_ref(k),
            Self::Axes(k) => k,
        }
    }

    /// `c_k` with `F_k = −c_k v_k` \[kg/s\].
    pub fn rates(&self, v: &[f64]) -> [f64; 3] {
        match self {
            Self::Isotropic(k) => [k * v.iter().map(|x| x * x).sum::<f64>().sqrt(); 3],
            Self::Axes(k) => std::array::from_fn(|i| v.get(i).map_or(0.0, |v| k[i] * v.abs())),
        }
    }

    /// `−∂F_i/∂v_j` \[kg/s\]: symmetric, not negative.
    pub fn slope(&self, v: &[f64], i: usize, j: usize) -> f64 {
        match self {
            Self::Isotropic(k) => {
                let speed = v.iter().map(|x| x * x).sum::<f64>().sqrt();
                let along = if speed > 0.0 { v[i] * v[j] / speed } else { 0.0 };
                k * (along + if i == j { speed } else { 0.0 })
            }
            Self::Axes(k) if i == j => 2.0 * k[i] * v[i].abs(),
            Self::Axes(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slope against differences of the force: central, second order.
    #[test]
    fn slopes_are_those_of_the_force() {
        let v = [0.7, -1.3, 0.4];
        for drag in [Drag::Isotropic(2.5), Drag::Axes([1.0, 2.0, 0.5])] {
            for i in 0..3 {
                for j in 0..3 {
                    let at = |d: f64| {
                        let mut v = v;
                        v[j] += d;
                        drag.rates(&v)[i] * v[i]
                    };
                    let e = 1e-5;
                    let slope = (at(e) - at(-e)) / (2.0 * e);
                    assert!((slope - drag.slope(&v, i, j)).abs() < 1e-9, "{drag:?} {i} {j}");
                }
            }
        }
        assert_eq!(Drag::Isotropic(2.0).slope(&[0.0; 3], 0, 0), 0.0);
    }
}
