//! Tangents of isotropic elasticity without the fourth-order tensor
//!
//! ```text
//! Hooke                 λ g_a g_bᵀ + μ g_b g_aᵀ + μ (g_a·g_b) 1
//! neo-Hookean           λ y_a y_bᵀ + (μ − λ ln J) y_b y_aᵀ + μ (g_a·g_b) 1            y = F⁻ᵀ g
//! St Venant–Kirchhoff   λ z_a z_bᵀ + μ z_b z_aᵀ + μ (g_a·g_b) F Fᵀ + (g_a·S g_b) 1    z = F g
//! ```
//!
//! for nodes a, b, with `g = ∇N`. Every coefficient is a sum over the quadrature points, which
//! are contiguous: three to five times faster than through `∂P/∂F`.

use super::kernel::{Answer, Local};
use super::spec::Rules;
use super::tangent::{self, Blocks};
use crate::material::Law;
use crate::material::tensor::Frame;

/// Vectors of all nodes at all points.
type Vectors<const D: usize, const N: usize, const Q: usize> = [[[f64; Q]; D]; N];

/// Whether this path applies: no remedy, hoop, viscosity or free thickness, except for the
/// linear law, whose plane stress is a change of λ.
#[inline]
pub(crate) fn applies(rules: &Rules, hoop: bool) -> bool {
    let law = match rules.law {
        Law::Hooke { .. } => !(rules.finite && rules.plane_stress),
        Law::NeoHookean { .. } => !rules.plane_stress,
        Law::J2(_) | Law::LogarithmicJ2(_) => false,
    };
    law && !rules.bar && !hoop && rules.viscous_time == 0.0
}

/// The tangent times `scale`.
pub(crate) fn stiffness<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
    rules: &Rules,
    local: &Local<'_, D, N, Q>,
    answer: &Answer<M, S, Q>,
    scale: f64,
) -> Blocks<D, N>
where
    F: Frame<M, S>,
{
    let (lambda, mu) = (rules.lambda, rules.mu);
    let weights = local.cell.weights.map(|w| scale * w);
    let g = &local.cell.gradients;
    let mut k = [[[[0.0; D]; D]; N]; N];
    match rules.law {
        Law::NeoHookean { .. } => {
            let mut shears = [0.0; Q];
            let mut inverses = [[0.0; M]; Q];
            for q in 0..Q {
                let j = F::determinant(&answer.f[q]);
                inverses[q] = F::inverse_transpose(&answer.f[q], j);
                shears[q] = weights[q] * (mu - lambda * j.ln());
            }
            let y = map(&inverses, g);
            add_products(&mut k, &weighted(&weights.map(|w| lambda * w), &y), &y, |m, k| {
                for i in 0..D {
                    for j in 0..D {
                        k[i][j] += m[i][j];
                    }
                }
            });
            add_products(&mut k, &weighted(&shears, &y), &y, |m, k| {
                for i in 0..D {
                    for j in 0..D {
                        k[i][j] += m[j][i];
                    }
                }
            });
            add_laplacian(&mut k, &weights.map(|w| mu * w), g);
        }
        _ if rules.finite => {
            let z = map(&answer.f, g);
            add_products(&mut k, &weighted(&weights, &z), &z, |m, k| {
                for i in 0..D {
                    for j in 0..D {
                        k[i][j] += lambda * m[i][j] + mu * m[j][i];
                    }
                }
            });
            let stresses: [[f64; M]; Q] = std::array::from_fn(|q| F::full(&answer.stress[q]));
            let left: [[f64; M]; Q] =
                std::array::from_fn(|q| F::product(&answer.f[q], &F::transpose(&answer.f[q])).map(|x| mu * x));
            add_turned_laplacian(&mut k, &weights, g, (&map(&stresses, g), &left));
        }
        _ => add_products(&mut k, &weighted(&weights, g), g, |m, k| {
            let mut trace = 0.0;
            for i in 0..D {
                trace += m[i][i];
            }
            for i in 0..D {
                for j in 0..D {
                    k[i][j] += lambda * m[i][j] + mu * m[j][i];
                }
                k[i][i] += mu * trace;
            }
        }),
    }
    tangent::mirror(&mut k);
    k
}

/// `t(q) g_a(q)` for every node; t is D × D in the leading part of a gradient.
#[inline]
fn map<const D: usize, const M: usize, const N: usize, const Q: usize>(
    t: &[[f64; M]; Q],
    g: &Vectors<D, N, Q>,
) -> Vectors<D, N, Q> {
    let mut lanes = [[[0.0; Q]; D]; D];
    for i in 0..D {
        for l in 0..D {
            for q in 0..Q {
                lanes[i][l][q] = t[q][i * D + l];
            }
        }
    }
    let mut out = [[[0.0; Q]; D]; N];
    for a in 0..N {
        for i in 0..D {
            for l in 0..D {
                for q in 0..Q {
                    out[a][i][q] += lanes[i][l][q] * g[a][l][q];
                }
            }
        }
    }
    out
}

#[inline]
fn weighted<const D: usize, const N: usize, const Q: usize>(w: &[f64; Q], x: &Vectors<D, N, Q>) -> Vectors<D, N, Q> {
    let mut out = *x;
    for q in out.iter_mut().flatten() {
        for p in 0..Q {
            q[p] *= w[p];
        }
    }
    out
}

/// Two partial sums: a pair of lanes for the compiler.
#[inline]
fn dot<const Q: usize>(a: &[f64; Q], b: &[f64; Q]) -> f64 {
    let (mut even, mut odd) = (0.0, 0.0);
    let mut q = 0;
    while q + 1 < Q {
        even += a[q] * b[q];
        odd += a[q + 1] * b[q + 1];
        q += 2;
    }
    if q < Q {
        even += a[q] * b[q];
    }
    even + odd
}

/// Calls `add(m, k_ab)` with `m = Σ_q y_a x_bᵀ` for the blocks on and above the diagonal.
#[inline]
fn add_products<const D: usize, const N: usize, const Q: usize>(
    k: &mut Blocks<D, N>,
    y: &Vectors<D, N, Q>,
    x: &Vectors<D, N, Q>,
    add: impl Fn(&[[f64; D]; D], &mut [[f64; D]; D]),
) {
    for a in 0..N {
        for b in a..N {
            let mut m = [[0.0; D]; D];
            for i in 0..D {
                for j in 0..D {
                    m[i][j] = dot(&y[a][i], &x[b][j]);
                }
            }
            add(&m, &mut k[a][b]);
        }
    }
}

/// `Σ_q w g_a·g_b` on the diagonals.
#[inline]
fn add_laplacian<const D: usize, const N: usize, const Q: usize>(
    k: &mut Blocks<D, N>,
    w: &[f64; Q],
    g: &Vectors<D, N, Q>,
) {
    let y = weighted(w, g);
    for a in 0..N {
        for b in a..N {
            let mut sum = 0.0;
            for i in 0..D {
                sum += dot(&y[a][i], &g[b][i]);
            }
            for i in 0..D {
                k[a][b][i][i] += sum;
            }
        }
    }
}

/// `Σ_q w ((g_a·g_b) T + (g_a·S g_b) 1)`, with `s = S g` and T given at the points.
#[inline]
fn add_turned_laplacian<const D: usize, const M: usize, const N: usize, const Q: usize>(
    k: &mut Blocks<D, N>,
    w: &[f64; Q],
    g: &Vectors<D, N, Q>,
    (s, t): (&Vectors<D, N, Q>, &[[f64; M]; Q]),
) {
    let y = weighted(w, g);
    let mut lanes = [[[0.0; Q]; D]; D];
    for i in 0..D {
        for j in 0..D {
            for q in 0..Q {
                lanes[i][j][q] = t[q][i * D + j];
            }
        }
    }
    for a in 0..N {
        for b in a..N {
            let mut product = [0.0; Q];
            let mut sum = 0.0;
            for l in 0..D {
                for q in 0..Q {
                    product[q] += y[a][l][q] * g[b][l][q];
                }
                sum += dot(&y[a][l], &s[b][l]);
            }
            for i in 0..D {
                for j in i..D {
                    let x = dot(&product, &lanes[i][j]);
                    k[a][b][i][j] += x;
                    if i != j {
                        k[a][b][j][i] += x;
                    }
                }
                k[a][b][i][i] += sum;
            }
        }
    }
}
