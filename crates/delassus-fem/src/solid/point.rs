//! One quadrature point: from displacement gradient to stress
//!
//! In plane stress the strain across the plane is an unknown of the point, the root of
//! `S_zz = 0`; the tangent is condensed on the rest. The root is unique where the energy is
//! convex in that strain; Newton's steps are kept inside a bracket.

use super::error::Fault;
use super::spec::Rules;
use crate::material::Point;
use crate::material::tensor::Frame;

/// Tangent `∂stress/∂strain`.
pub(crate) type Moduli<const S: usize> = [[f64; S]; S];

const ZZ: usize = 2;
const NEWTON_MAX: usize = 60;

/// Strain conjugate to the law's stress.
#[inline]
pub(crate) fn strain<F: Frame<M, S>, const M: usize, const S: usize>(finite: bool, h: &[f64; M]) -> [f64; S] {
    if finite { F::green_strain(h) } else { F::small_strain(h) }
}

/// Stress at the gradient `h`, whose zz component is found in plane stress.
#[inline]
pub(crate) fn respond<F: Frame<M, S>, const M: usize, const S: usize>(
    rules: &Rules,
    h: &mut [f64; M],
    old: &[f64],
    new: &mut [f64],
    tangent: Option<&mut Moduli<S>>,
) -> Result<Point<S>, Fault> {
    if rules.plane_stress {
        return free_thickness::<F, M, S>(rules, h, old, new, tangent);
    }
    let e = strain::<F, M, S>(rules.finite, h);
    rules.law.respond::<F, M, S>(&e, old, new, tangent).map_err(|_| Fault::Strain)
}

fn free_thickness<F: Frame<M, S>, const M: usize, const S: usize>(
    rules: &Rules,
    h: &mut [f64; M],
    old: &[f64],
    new: &mut [f64],
    tangent: Option<&mut Moduli<S>>,
) -> Result<Point<S>, Fault> {
    let law = rules.law_history;
    let zz = F::DIAGONAL[ZZ];
    let mut moduli = [[0.0; S]; S];
    let (mut low, mut high) = (if rules.finite { -1.0 } else { f64::NEG_INFINITY }, f64::INFINITY);
    h[zz] = old[law];
    for _ in 0..NEWTON_MAX {
        let e = strain::<F, M, S>(rules.finite, h);
        let point = rules
            .law
            .respond::<F, M, S>(&e, &old[..law], &mut new[..law], Some(&mut moduli))
            .map_err(|_| Fault::Strain)?;
        let slope = moduli[ZZ][ZZ] * if rules.finite { 1.0 + h[zz] } else { 1.0 };
        let residual = point.stress[ZZ];
        if residual > 0.0 {
            high = h[zz];
        } else {
            low = h[zz];
        }
        let mut step = -residual / slope;
        if !step.is_finite() {
            return Err(Fault::Thickness);
        }
        let size = e.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // Below the rounding of stresses (of the unit stretch in finite strain), a step says no more.
        if step.abs() <= 1e-14 * size + if rules.finite { 32.0 * f64::EPSILON } else { 0.0 } {
            new[law] = h[zz];
            return Ok(condense(point, &moduli, tangent));
        }
        if !(h[zz] + step > low && h[zz] + step < high) {
            step = 0.5 * (if residual > 0.0 { low } else { high } - h[zz]);
            if !step.is_finite() {
                return Err(Fault::Thickness);
            }
        }
        h[zz] += step;
    }
    Err(Fault::Thickness)
}

fn condense<const S: usize>(mut point: Point<S>, moduli: &Moduli<S>, tangent: Option<&mut Moduli<S>>) -> Point<S> {
    point.stress[ZZ] = 0.0;
    if let Some(out) = tangent {
        for v in 0..S {
            for w in 0..S {
                out[v][w] = moduli[v][w] - moduli[v][ZZ] * moduli[ZZ][w] / moduli[ZZ][ZZ];
            }
        }
    }
    point
}
