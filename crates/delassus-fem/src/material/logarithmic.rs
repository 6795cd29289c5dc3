//! J2 plasticity in finite strain: multiplicative, logarithmic
//!
//! ```text
//! C̄ = Fᵖ⁻ᵀ C Fᵖ⁻¹,   e = ½ ln C̄,   (T, Δeᵖ) = return(e),   Fᵖ⁻¹ ← Fᵖ⁻¹ exp(−Δeᵖ)      [Simo92]
//! S̄ = T : ∂e/∂(½C̄),  S = Fᵖ⁻¹ S̄ Fᵖ⁻ᵀ
//! ```
//!
//! Variables: `Fᵖ⁻¹`, α, and the plastic strain of kinematic hardening where there is one,
//! in the intermediate configuration, without plastic spin \[Eterovic90\]. Without kinematic
//! hardening everything is coaxial and the update is exact; with it, `e − Δeᵖ` is the
//! elastic strain to second order in the step, and the stress is the exact derivative of
//! the incremental energy.

use super::j2::Flow;
use super::law::{Impossible, Point};
use super::logarithm::{atanh_ratio, first, ln, second};
use super::tensor::Frame;

pub(crate) fn respond<F: Frame<M, S>, const M: usize, const S: usize>(
    flow: &Flow,
    strain: &[f64; S],
    old: &[f64],
    new: &mut [f64],
    tangent: Option<&mut [[f64; S]; S]>,
) -> Result<Point<S>, Impossible> {
    if F::PLANE && tangent.is_none() && flow.kinematic == 0.0 {
        return coaxial_plane(flow, strain, old, new);
    }
    if !F::PLANE
        && tangent.is_none()
        && flow.kinematic == 0.0
        && let Some(point) = coaxial_near::<F, M, S>(flow, strain, old, new)
    {
        return Ok(point);
    }
    general::<F, M, S>(flow, strain, old, new, tangent)
}

/// Without kinematic hardening and with elastic stretches near 1, as in metals, no eigenvector is
/// needed in space either: `½ ln C̄ = atanh R` with `R = (C̄ − 1)(C̄ + 1)⁻¹`, a short series of
/// tensors that commute, and `S̄ = T C̄⁻¹`. `None` where the series would be long.
fn coaxial_near<F: Frame<M, S>, const M: usize, const S: usize>(
    flow: &Flow,
    strain: &[f64; S],
    old: &[f64],
    new: &mut [f64],
) -> Option<Point<S>> {
    let plastic: [f64; M] = std::array::from_fn(|m| old[m]);
    let stretch = F::congruence(&plastic, &right_cauchy(strain));
    let shift = |c: f64| -> [f64; S] { std::array::from_fn(|v| stretch[v] + if v < 3 { c } else { 0.0 }) };
    let ratio = commuting::<F, M, S>(&shift(-1.0), &F::symmetric_inverse(&shift(1.0)).0);
    let square = commuting::<F, M, S>(&ratio, &ratio);
    // The trace of R² bounds the largest eigenvalue: r¹⁰/11 is below rounding.
    if !(square[0] + square[1] + square[2] < 2e-4) {
        return None;
    }
    let mut series = [0.0; S];
    for c in [1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0] {
        series = commuting::<F, M, S>(&square, &series);
        for x in &mut series[..3] {
            *x += c;
        }
    }
    let mut alpha = old[M];
    let ret = flow.return_map(&double_shears(commuting::<F, M, S>(&ratio, &series)), &[0.0; S], alpha);
    let inner = commuting::<F, M, S>(&ret.stress, &F::symmetric_inverse(&stretch).0);
    let stress = F::congruence(&F::transpose(&plastic), &inner);
    new[..=M].copy_from_slice(&old[..=M]);
    if let Some(step) = &ret.flow {
        alpha += step.alpha;
        let shrink = exponential::<F, M, S>(&halve_shears(step.strain.map(|x| -x)));
        new[..M].copy_from_slice(&F::product(&plastic, &shrink));
        new[M] = alpha;
    }
    Some(Point { stress, elastic: ret.elastic, plastic: flow.work(alpha, &[0.0; S]) })
}

/// The product of two symmetric tensors that commute, symmetric too.
#[inline]
fn commuting<F: Frame<M, S>, const M: usize, const S: usize>(a: &[f64; S], b: &[f64; S]) -> [f64; S] {
    let p = F::product(&F::full(a), &F::full(b));
    std::array::from_fn(|v| {
        let (i, j) = F::PAIRS[v];
        F::cell(i, j).map_or(0.0, |m| p[m])
    })
}

fn right_cauchy<const S: usize>(strain: &[f64; S]) -> [f64; S] {
    std::array::from_fn(|v| if v < 3 { 1.0 + 2.0 * strain[v] } else { strain[v] })
}

/// In the plane and without kinematic hardening no eigenvector is needed:
/// `ln C̄ = ½ ln det C̄ 1 + atanh(r)/(r m) dev C̄`, with m the mean stretch, and `S̄ = T C̄⁻¹`.
#[inline]
fn coaxial_plane<const S: usize>(
    flow: &Flow,
    strain: &[f64; S],
    old: &[f64],
    new: &mut [f64],
) -> Result<Point<S>, Impossible> {
    let (old, new) = (&old[..6], &mut new[..6]);
    let p = [old[0], old[1], old[2], old[3], old[4]];
    let c = right_cauchy(strain);
    // C̄ = pᵀ C p.
    let left =
        [c[0] * p[0] + c[3] * p[2], c[0] * p[1] + c[3] * p[3], c[3] * p[0] + c[1] * p[2], c[3] * p[1] + c[1] * p[3]];
    let (xx, yy) = (p[0] * left[0] + p[2] * left[2], p[1] * left[1] + p[3] * left[3]);
    let (xy, zz) = (p[0] * left[1] + p[2] * left[3], p[4] * p[4] * c[2]);
    let determinant = xx * yy - xy * xy;
    if !(determinant > 0.0 && xx > 0.0 && zz > 0.0 && determinant.is_finite() && zz.is_finite()) {
        return Err(Impossible);
    }
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let scale = atanh_ratio((half * half + xy * xy) / (mean * mean)) / mean;
    let log_area = 0.25 * ln(determinant);
    let mut trial = [0.0; S];
    trial[0] = log_area + 0.5 * scale * half;
    trial[1] = log_area - 0.5 * scale * half;
    trial[2] = 0.5 * ln(zz);
    trial[3] = scale * xy;
    let mut alpha = old[5];
    let ret = flow.return_map(&trial, &[0.0; S], alpha);
    let t = &ret.stress;
    let s = [(t[0] * yy - t[3] * xy) / determinant, (t[1] * xx - t[3] * xy) / determinant, t[2] / zz];
    let s_xy = (t[3] * xx - t[0] * xy) / determinant;
    // S = p S̄ pᵀ.
    let m =
        [p[0] * s[0] + p[1] * s_xy, p[0] * s_xy + p[1] * s[1], p[2] * s[0] + p[3] * s_xy, p[2] * s_xy + p[3] * s[1]];
    let mut stress = [0.0; S];
    stress[0] = m[0] * p[0] + m[1] * p[1];
    stress[1] = m[2] * p[2] + m[3] * p[3];
    stress[2] = p[4] * p[4] * s[2];
    stress[3] = m[0] * p[2] + m[1] * p[3];
    new.copy_from_slice(old);
    if let Some(step) = &ret.flow {
        alpha += step.alpha;
        let e = exponential_plane([-step.strain[0], -step.strain[1], -step.strain[2], -0.5 * step.strain[3]]);
        new[0] = p[0] * e[0] + p[1] * e[3];
        new[1] = p[0] * e[3] + p[1] * e[1];
        new[2] = p[2] * e[0] + p[3] * e[3];
        new[3] = p[2] * e[3] + p[3] * e[1];
        new[4] = p[4] * e[2];
        new[5] = alpha;
    }
    Ok(Point { stress, elastic: ret.elastic, plastic: flow.work(alpha, &[0.0; S]) })
}

/// Exponential of `[xx, yy, zz, xy]`, plain shear, without trace. The series serve the small
/// increments of explicit steps.
#[inline]
fn exponential_plane(e: [f64; 4]) -> [f64; 4] {
    let (mean, half) = (0.5 * (e[0] + e[1]), 0.5 * (e[0] - e[1]));
    let square = half * half + e[3] * e[3];
    let (cosh, ratio) = if square < 0.01 {
        let x = square;
        (
            1.0 + x / 2.0 * (1.0 + x / 12.0 * (1.0 + x / 30.0 * (1.0 + x / 56.0 * (1.0 + x / 90.0)))),
            1.0 + x / 6.0 * (1.0 + x / 20.0 * (1.0 + x / 42.0 * (1.0 + x / 72.0 * (1.0 + x / 110.0)))),
        )
    } else {
        let radius = square.sqrt();
        (radius.cosh(), radius.sinh() / radius)
    };
    let scale = mean.exp();
    [scale * (cosh + ratio * half), scale * (cosh - ratio * half), 1.0 / (scale * scale), scale * ratio * e[3]]
}

fn general<F: Frame<M, S>, const M: usize, const S: usize>(
    flow: &Flow,
    strain: &[f64; S],
    old: &[f64],
    new: &mut [f64],
    tangent: Option<&mut [[f64; S]; S]>,
) -> Result<Point<S>, Impossible> {
    let plastic: [f64; M] = std::array::from_fn(|m| old[m]);
    let (values, axes) = F::eigen(&F::congruence(&plastic, &right_cauchy(strain)));
    if !values.iter().all(|&x| x > 0.0 && x.is_finite()) {
        return Err(Impossible);
    }
    let mut trial = [0.0; S];
    for k in 0..3 {
        trial[k] = 0.5 * ln(values[k]);
    }
    let mut alpha = old[M];
    let kinematic = flow.kinematic > 0.0;
    // Plain shears for turning, engineering ones for the return.
    let mut back = [0.0; S];
    if kinematic {
        back = double_shears(F::congruence(&axes, &halve_shears(std::array::from_fn(|v| old[M + 1 + v]))));
    }
    let ret = flow.return_map(&trial, &back, alpha);
    let slopes: [f64; S] = std::array::from_fn(|v| first(values[F::PAIRS[v].0], values[F::PAIRS[v].1]));
    let turn = F::congruence_matrix(&F::product(&plastic, &axes));
    let turned: [f64; S] = std::array::from_fn(|v| slopes[v] * ret.stress[v]);
    let stress = std::array::from_fn(|w| (0..S).map(|v| turn[v][w] * turned[v]).sum());
    if let Some(out) = tangent {
        let mut local = [[0.0; S]; S];
        flow.tangent(ret.flow.as_ref(), &mut local);
        for v in 0..S {
            for w in 0..S {
                local[v][w] *= slopes[v] * slopes[w];
            }
        }
        add_curvature::<F, M, S>(&values, &ret.stress, &mut local);
        *out = transform(&turn, &local);
    }
    new[..old.len()].copy_from_slice(old);
    if let Some(step) = &ret.flow {
        alpha += step.alpha;
        new[M] = alpha;
        let shrink = exponential::<F, M, S>(&halve_shears(step.strain.map(|x| -x)));
        let back_to_axes = F::transpose(&axes);
        let update = F::product(&F::product(&axes, &shrink), &back_to_axes);
        new[..M].copy_from_slice(&F::product(&plastic, &update));
        if kinematic {
            for v in 0..S {
                back[v] += step.strain[v];
            }
            new[M + 1..M + 1 + S].copy_from_slice(&double_shears(F::congruence(&back_to_axes, &halve_shears(back))));
        }
    }
    Ok(Point { stress, elastic: ret.elastic, plastic: flow.work(alpha, &back) })
}

/// `2 Σ_ijk T_ij ln[λi, λk, λj] (A_ik B_kj + B_ik A_kj)` added as a matrix between strains.
fn add_curvature<F: Frame<M, S>, const M: usize, const S: usize>(
    values: &[f64; 3],
    stress: &[f64; S],
    local: &mut [[f64; S]; S],
) {
    for i in 0..3 {
        for j in 0..3 {
            // Without kinematic hardening the stress is coaxial: its shears are exactly zero.
            let Some(ij) = F::voigt(i, j).filter(|&v| stress[v] != 0.0) else { continue };
            for k in 0..3 {
                let (Some(ik), Some(kj)) = (F::voigt(i, k), F::voigt(k, j)) else {
                    continue;
                };
                let shears = if i == k { 1.0 } else { 0.5 } * if k == j { 1.0 } else { 0.5 };
                let c = 2.0 * stress[ij] * second(values[i], values[k], values[j]) * shears;
                local[ik][kj] += c;
                local[kj][ik] += c;
            }
        }
    }
}

/// `zᵀ a z`.
fn transform<const S: usize>(z: &[[f64; S]; S], a: &[[f64; S]; S]) -> [[f64; S]; S] {
    let mut half = [[0.0; S]; S];
    let mut out = [[0.0; S]; S];
    for v in 0..S {
        for k in 0..S {
            for w in 0..S {
                half[v][w] += a[v][k] * z[k][w];
            }
        }
    }
    for k in 0..S {
        for v in 0..S {
            for w in 0..S {
                out[v][w] += z[k][v] * half[k][w];
            }
        }
    }
    out
}

/// Exponential of a symmetric tensor, as a gradient; by its series where nine terms do.
fn exponential<F: Frame<M, S>, const M: usize, const S: usize>(e: &[f64; S]) -> [f64; M] {
    let size = e.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if size < 0.01 {
        let mut series = [0.0; S];
        for n in (0..8_i32).rev() {
            series = commuting::<F, M, S>(e, &series).map(|x| x / f64::from(n + 1));
            for x in &mut series[..3] {
                *x += 1.0;
            }
        }
        return F::full(&series);
    }
    let (values, axes) = F::eigen(e);
    let mut diagonal = [0.0; S];
    for k in 0..3 {
        diagonal[k] = values[k].exp();
    }
    F::full(&F::congruence(&F::transpose(&axes), &diagonal))
}

fn halve_shears<const S: usize>(mut e: [f64; S]) -> [f64; S] {
    for x in &mut e[3..] {
        *x *= 0.5;
    }
    e
}

fn double_shears<const S: usize>(mut e: [f64; S]) -> [f64; S] {
    for x in &mut e[3..] {
        *x *= 2.0;
    }
    e
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::tensor::{Plane, Space};
    use crate::material::{Hardening, J2, Material};

    /// The closed form of the plane and the spectral one are two ways to one stress; and the
    /// plane is the space without out-of-plane shears.
    #[test]
    fn three_ways_to_one_stress() {
        let isotropic = Hardening::Linear { modulus: 3.0 };
        let j2 = J2 { young: 100.0, poisson: 0.3, yield_stress: 1.0, isotropic, kinematic: 0.0 };
        let (lambda, mu) = Material::J2(j2.clone()).lame();
        let flow = Flow::new(&j2, lambda, mu);
        let (mut old4, mut old6) = ([1.0, 0.0, 0.0, 1.0, 1.0, 0.0], [0.0; 10]);
        for k in [0, 4, 8] {
            old6[k] = 1.0;
        }
        let mut quick_paths = 0;
        // Elastic, then flowing along four directions, the last far.
        for e in [
            [1e-3, -2e-3, 1e-3, 2e-3],
            [4e-3, -3e-3, -1e-3, 5e-3],
            [0.02, 0.01, -0.03, 0.04],
            [0.1, -0.05, -0.02, -0.3],
            [0.9, -0.2, 0.1, 0.5],
        ] {
            let (mut new, mut other, mut new6, mut near) = (old4, old4, old6, old6);
            let quick = coaxial_plane(&flow, &e, &old4, &mut new).expect("possible");
            let slow = general::<Plane, 5, 4>(&flow, &e, &old4, &mut other, None).expect("possible");
            let wide = [e[0], e[1], e[2], e[3], 0.0, 0.0];
            let space = general::<Space, 9, 6>(&flow, &wide, &old6, &mut new6, None).expect("possible");
            for v in 0..4 {
                assert!((quick.stress[v] - slow.stress[v]).abs() < 1e-12, "{e:?}");
                assert!((quick.stress[v] - space.stress[v]).abs() < 1e-12, "{e:?}");
            }
            for (a, b) in new.iter().zip(&other) {
                assert!((a - b).abs() < 1e-14, "{e:?}");
            }
            assert!((new[5] - new6[9]).abs() < 1e-14);
            assert!((quick.elastic - space.elastic).abs() < 1e-13 && (quick.plastic - space.plastic).abs() < 1e-13);
            if let Some(point) = coaxial_near::<Space, 9, 6>(&flow, &wide, &old6, &mut near) {
                quick_paths += 1;
                assert!((0..6).all(|v| (point.stress[v] - space.stress[v]).abs() < 1e-12), "{e:?}");
                assert!(near.iter().zip(&new6).all(|(a, b)| (a - b).abs() < 1e-14), "{e:?}");
            }
            (old4, old6) = (new, new6);
        }
        assert!(old4[5] > 0.1, "the path must flow");
        assert!(quick_paths >= 2, "near and far are both covered");
    }
}
