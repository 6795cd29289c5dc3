//! The functions whose zeros are Coulomb's law in normal form, and their
//! generalised derivatives. `û = v + Σ|v_k| n`.

use super::cone;
use super::normal::{group_norm, groups, project, shift};
use crate::algebra::{Matrix, Vector};
use serde::{Deserialize, Serialize};

/// The three functions of the nonsmooth Newton solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// Normal complementarity, then friction on the disc of the predicted normal percussion.
    AlartCurnier,
    /// `y − P_K(y − û)`.
    #[default]
    NaturalMap,
    /// `y + û − (y² + û²)^½` in the cone's algebra.
    FischerBurmeister,
}

/// Derivatives by `y` and by `v`.
pub(super) struct Linearised<const D: usize> {
    pub by_y: Matrix<D>,
    pub by_v: Matrix<D>,
}

/// `∂û/∂v`; at zero slip the shift's subgradient 0 is taken.
fn shift_derivative<const D: usize>(v: &Vector<D>) -> Matrix<D> {
    let (ranges, count) = groups::<D>();
    let mut d = Matrix::identity();
    for range in &ranges[..count] {
        let t = group_norm(v, *range);
        if t > 0.0 {
            for k in range.0..range.1 {
                d[(0, k)] = v[k] / t;
            }
        }
    }
    d
}

fn shifted<const D: usize>(v: &Vector<D>) -> Vector<D> {
    let mut u = *v;
    u[0] += shift(v);
    u
}

impl Function {
    /// `F(y, v)`.
    pub(super) fn value<const D: usize>(self, y: &Vector<D>, v: &Vector<D>) -> Vector<D> {
        match self {
            Function::NaturalMap => y - project(&(y - shifted(v))).0,
            Function::AlartCurnier => alart_curnier(y, v).0,
            Function::FischerBurmeister => {
                let u = shifted(v);
                y + u - root(&(cone::product(y, y) + cone::product(&u, &u)))
            }
        }
    }

    /// One element of the generalised Jacobian.
    pub(super) fn linearise<const D: usize>(self, y: &Vector<D>, v: &Vector<D>) -> Linearised<D> {
        match self {
            Function::NaturalMap => {
                let j = project(&(y - shifted(v))).1;
                Linearised { by_y: Matrix::identity() - j, by_v: j * shift_derivative(v) }
            }
            Function::AlartCurnier => alart_curnier(y, v).1,
            Function::FischerBurmeister => fischer_burmeister(y, v),
        }
    }
}

fn alart_curnier<const D: usize>(y: &Vector<D>, v: &Vector<D>) -> (Vector<D>, Linearised<D>) {
    let (ranges, count) = groups::<D>();
    let x = y - v;
    let radius = x[0].max(0.0);
    let closed = x[0] > 0.0;
    let mut f = *y;
    let (mut by_y, mut by_v) = (Matrix::identity(), Matrix::zeros());
    if closed {
        f[0] = v[0];
        by_y[(0, 0)] = 0.0;
        by_v[(0, 0)] = 1.0;
    }
    for range in &ranges[..count] {
        let t = group_norm(&x, *range);
        let sticks = t <= radius;
        for k in range.0..range.1 {
            if sticks {
                f[k] = v[k];
                by_y[(k, k)] = 0.0;
                by_v[(k, k)] = 1.0;
            } else if closed {
                let unit = x[k] / t;
                f[k] = y[k] - radius * unit;
                by_y[(k, 0)] -= unit;
                by_v[(k, 0)] += unit;
                for l in range.0..range.1 {
                    let d = radius / t * (f64::from(u8::from(k == l)) - unit * x[l] / t);
                    by_y[(k, l)] -= d;
                    by_v[(k, l)] += d;
                }
            }
        }
    }
    (f, Linearised { by_y, by_v })
}

/// Square root in the cone's algebra, by its spectral decomposition.
fn root<const D: usize>(a: &Vector<D>) -> Vector<D> {
    let t = group_norm(a, (1, D));
    let (low, high) = ((a[0] - t).max(0.0).sqrt(), (a[0] + t).max(0.0).sqrt());
    let mut r = if t > 0.0 { a * (0.5 * (high - low) / t) } else { Vector::zeros() };
    r[0] = 0.5 * (high + low);
    r
}

/// `I − L_w⁻¹ L_y` and `I − L_w⁻¹ L_u`, `w = (y² + û²)^½`; `w` is pushed off the
/// boundary by a relative 1e-8, which selects an element of the Jacobian there.
fn fischer_burmeister<const D: usize>(y: &Vector<D>, v: &Vector<D>) -> Linearised<D> {
    let u = shifted(v);
    let mut w = root(&(cone::product(y, y) + cone::product(&u, &u)));
    w[0] += 1e-8 * w[0] + f64::MIN_POSITIVE;
    let derivative = |a: &Vector<D>| {
        let mut m = Matrix::identity();
        for k in 0..D {
            let mut e = Vector::zeros();
            e[k] = 1.0;
            let column = cone::divide(&w, &cone::product(a, &e));
            for r in 0..D {
                m[(r, k)] -= column[r];
            }
        }
        m
    };
    Linearised { by_y: derivative(y), by_v: derivative(&u) * shift_derivative(v) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    fn differences<const D: usize>(function: Function) {
        let mut rng = StdRng::seed_from_u64(11);
        for _ in 0..300 {
            let y = Vector::<D>::from_fn(|_, _| rng.random_range(-1.0..1.0));
            let v = Vector::<D>::from_fn(|_, _| rng.random_range(-1.0..1.0));
            let l = function.linearise(&y, &v);
            let h = 1e-6;
            for k in 0..D {
                let mut d = Vector::<D>::zeros();
                d[k] = h;
                let by_y = (function.value(&(y + d), &v) - function.value(&(y - d), &v)) / (2.0 * h);
                let by_v = (function.value(&y, &(v + d)) - function.value(&y, &(v - d))) / (2.0 * h);
                assert!((by_y - l.by_y.column(k)).norm() < 1e-4, "{function:?} by y, {y} {v}");
                assert!((by_v - l.by_v.column(k)).norm() < 1e-4, "{function:?} by v, {y} {v}");
            }
        }
    }

    /// Reference: central differences at random points (kinks are null sets).
    #[test]
    fn derivatives_agree_with_differences() {
        for function in [Function::NaturalMap, Function::AlartCurnier, Function::FischerBurmeister] {
            differences::<2>(function);
            differences::<3>(function);
        }
        differences::<5>(Function::NaturalMap);
        differences::<5>(Function::AlartCurnier);
    }

    /// Reference: Coulomb's three cases written out; every function vanishes there
    /// and nowhere nearby.
    #[test]
    fn zeros_are_take_off_stick_and_slip() {
        let pairs = [
            (Vector::<3>::zeros(), Vector::<3>::new(0.3, 2.0, -1.0)),
            (Vector::<3>::new(2.0, 0.5, -1.0), Vector::<3>::zeros()),
            (Vector::<3>::new(1.0, -0.6, 0.8), Vector::<3>::new(0.0, 3.0, -4.0)),
        ];
        for function in [Function::NaturalMap, Function::AlartCurnier, Function::FischerBurmeister] {
            for (y, v) in pairs {
                assert!(function.value(&y, &v).norm() < 1e-14, "{function:?} {y} {v}");
                let off = Vector::<3>::new(0.1, 0.02, -0.1);
                assert!(function.value(&(y - off), &(v - off)).norm() > 1e-3);
            }
        }
    }
}
