//! Tangents of a cell through `∂P/∂F`, for every material and remedy

use super::error::Fault;
use super::kernel::{Answer, Local};
use super::locking::Barred;
use super::point::Moduli;
use super::response::{green_rate, viscous_stress};
use super::spec::Rules;
use super::tangent::{self, Blocks};
use crate::material::hooke_tangent;
use crate::material::tensor::Frame;

impl<const D: usize, const N: usize, const Q: usize> Local<'_, D, N, Q> {
    /// `c₀ ∂f/∂u + c₁ ∂f/∂v`.
    pub fn tangent<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        answer: &Answer<M, S, Q>,
        moduli: &[Moduli<S>; Q],
        [c0, c1]: [f64; 2],
    ) -> Blocks<D, N> {
        let mut k = [[[[0.0; D]; D]; N]; N];
        let here = (self.cell, self.hoop);
        let hooke = hooke_tangent::<S>(rules.lambda, rules.mu);
        let viscous = rules.viscous_time > 0.0;
        let symmetric = !(rules.finite && viscous);
        let mut mean = Mean { gradient: [[0.0; D]; N], mixed: [[0.0; D]; N], curvature: 0.0 };
        let rates = if viscous { self.gradients(&self.v) } else { [[0.0; M]; Q] };
        for q in 0..Q {
            let mut law = moduli[q];
            if viscous && !rules.finite {
                add_scaled(&mut law, c0, &hooke, c1 * rules.viscous_time);
            } else {
                law.iter_mut().flatten().for_each(|x| *x *= c0);
            }
            let mut a = if rules.finite {
                let barred = answer.f[q].map(|x| answer.scales[q] * x);
                let end = answer.end.as_ref().map(|end| &end[q]);
                lagrangian::<F, M, S>((&barred, end), &law, &answer.stress[q].map(|s| c0 * s))
            } else {
                spread::<F, M, S>(&law)
            };
            if rules.bar {
                let barred = if rules.finite { answer.barred::<F>(q, c0) } else { Barred::unit::<F, S>() };
                a = self.bar_tangent::<F, M, S>((&barred, c0 * answer.pressure), q, &a, &mut mean);
            }
            if viscous && rules.finite {
                let f = (&answer.f[q], &rates[q]);
                add_viscous_moduli::<F, M, S>(rules, &hooke, f, [c0, c1], &mut a);
            }
            if !symmetric {
                a = std::array::from_fn(|m| std::array::from_fn(|n| a[n][m]));
            }
            tangent::add_point(&mut k, here, q, &a, symmetric);
        }
        if rules.bar {
            mean.add_to(&mut k);
        }
        if symmetric {
            tangent::mirror(&mut k);
        }
        k
    }

    /// Hooke's stiffness of the cell in its present shape, without remedy (which only softens).
    pub fn hooke_here<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
    ) -> Result<Blocks<D, N>, Fault> {
        let mut k = [[[[0.0; D]; D]; N]; N];
        let hooke = hooke_tangent::<S>(rules.lambda, rules.mu);
        let h = self.gradients::<M>(&self.u);
        for q in 0..Q {
            let mut b = F::pull(&F::IDENTITY);
            let mut jacobian = 1.0;
            if rules.finite {
                let f: [f64; M] = std::array::from_fn(|m| h[q][m] + F::IDENTITY[m]);
                jacobian = F::determinant(&f);
                if !(jacobian > 0.0) {
                    return Err(Fault::Jacobian(jacobian));
                }
                b = push::<F, M, S>(&F::inverse_transpose(&f, jacobian));
            }
            let mut a = sandwich(&b, &hooke, &b);
            a.iter_mut().flatten().for_each(|x| *x *= jacobian);
            tangent::add_point(&mut k, (self.cell, self.hoop), q, &a, true);
        }
        tangent::mirror(&mut k);
        Ok(k)
    }

    /// The local part of the remedy's tangent; what couples the points goes to `mean`.
    fn bar_tangent<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        (barred, pressure): (&Barred<M>, f64),
        q: usize,
        moduli: &[[f64; M]; M],
        mean: &mut Mean<D, N>,
    ) -> [[f64; M]; M] {
        let here = (self.cell, self.hoop);
        let w = self.cell.weights[q];
        tangent::add_vector(&mut mean.gradient, here, q, &barred.inverse, w * barred.jacobian / self.cell.volume);
        let curvature = barred.curvature::<F, S>(moduli, pressure);
        tangent::add_vector(&mut mean.mixed, here, q, &curvature.mixed, w);
        mean.curvature += w * curvature.theta;
        curvature.local
    }
}

impl<const M: usize, const S: usize, const Q: usize> Answer<M, S, Q> {
    /// The remedy at a point of finite strain, stresses times `scale`.
    fn barred<F: Frame<M, S>>(&self, q: usize, scale: f64) -> Barred<M> {
        let f = self.f[q];
        let jacobian = F::determinant(&f);
        let stretched = f.map(|x| scale * self.scales[q] * x);
        Barred {
            f,
            inverse: F::inverse_transpose(&f, jacobian),
            jacobian,
            scale: self.scales[q],
            theta: self.theta,
            piola: F::product(&stretched, &F::full(&self.stress[q])),
            finite: true,
        }
    }
}

/// What the mean dilatation adds: `c tᵀ + t cᵀ + κ t tᵀ`.
struct Mean<const D: usize, const N: usize> {
    /// `t = ∂θ/∂u`.
    gradient: [[f64; D]; N],
    /// `c`.
    mixed: [[f64; D]; N],
    /// `κ`.
    curvature: f64,
}

impl<const D: usize, const N: usize> Mean<D, N> {
    fn add_to(&self, k: &mut Blocks<D, N>) {
        let (t, c) = (&self.gradient, &self.mixed);
        for a in 0..N {
            for b in 0..N {
                for i in 0..D {
                    for j in 0..D {
                        k[a][b][i][j] += c[a][i] * t[b][j] + t[a][i] * c[b][j] + self.curvature * t[a][i] * t[b][j];
                    }
                }
            }
        }
    }
}

fn add_scaled<const S: usize>(a: &mut Moduli<S>, ca: f64, b: &Moduli<S>, cb: f64) {
    for v in 0..S {
        for w in 0..S {
            a[v][w] = ca * a[v][w] + cb * b[v][w];
        }
    }
}

/// `∂P/∂F = Bᵀ C B + δ ⊗ S`; with stresses between the ends of a step the symmetric part of `Bᵀ C B₁`, as matrices are.
fn lagrangian<F: Frame<M, S>, const M: usize, const S: usize>(
    (f, end): (&[f64; M], Option<&[f64; M]>),
    moduli: &Moduli<S>,
    stress: &[f64; S],
) -> [[f64; M]; M] {
    let b = F::pull(f);
    let mut a = sandwich(&b, moduli, &end.map_or(b, F::pull));
    if end.is_some() {
        a = std::array::from_fn(|m| std::array::from_fn(|n| 0.5 * (a[m][n] + a[n][m])));
    }
    add_geometric::<F, M, S>(stress, &mut a);
    a
}

/// `∂σ/∂h` of small strain: each gradient component counts as its strain.
fn spread<F: Frame<M, S>, const M: usize, const S: usize>(moduli: &Moduli<S>) -> [[f64; M]; M] {
    let place: [usize; M] = std::array::from_fn(|m| {
        let (i, j) = F::CELLS[m];
        F::voigt(i, j).expect("every gradient component has its strain")
    });
    std::array::from_fn(|m| std::array::from_fn(|n| moduli[place[m]][place[n]]))
}

fn add_geometric<F: Frame<M, S>, const M: usize, const S: usize>(stress: &[f64; S], a: &mut [[f64; M]; M]) {
    for m in 0..M {
        let (i, p) = F::CELLS[m];
        for n in 0..M {
            let (k, q) = F::CELLS[n];
            if i == k
                && let Some(v) = F::voigt(p, q)
            {
                a[m][n] += stress[v];
            }
        }
    }
}

/// `B` with `sym(δF F⁻¹) = B δF`, engineering shears, from `F⁻ᵀ`.
fn push<F: Frame<M, S>, const M: usize, const S: usize>(inverse: &[f64; M]) -> [[f64; M]; S] {
    let mut b = [[0.0; M]; S];
    for v in 0..S {
        let (i, j) = F::PAIRS[v];
        for p in 0..3 {
            // δF_ip F⁻¹_pj, and its transpose for shears.
            if let (Some(ip), Some(jp)) = (F::cell(i, p), F::cell(j, p)) {
                b[v][ip] += inverse[jp];
                if i != j {
                    b[v][jp] += inverse[ip];
                }
            }
        }
    }
    b
}

/// `leftᵀ moduli right`.
fn sandwich<const M: usize, const S: usize>(
    left: &[[f64; M]; S],
    moduli: &Moduli<S>,
    right: &[[f64; M]; S],
) -> [[f64; M]; M] {
    let mut half = [[0.0; M]; S];
    let mut a = [[0.0; M]; M];
    for v in 0..S {
        for w in 0..S {
            for m in 0..M {
                half[v][m] += moduli[v][w] * right[w][m];
            }
        }
    }
    for v in 0..S {
        for m in 0..M {
            for n in 0..M {
                a[m][n] += left[v][m] * half[v][n];
            }
        }
    }
    a
}

/// The viscous stress `τ C₀ : sym(Fᵀ Ḟ)` differentiated with respect to F (c₀) and Ḟ (c₁).
fn add_viscous_moduli<F: Frame<M, S>, const M: usize, const S: usize>(
    rules: &Rules,
    hooke: &Moduli<S>,
    (f, rate): (&[f64; M], &[f64; M]),
    [c0, c1]: [f64; 2],
    a: &mut [[f64; M]; M],
) {
    let time = rules.viscous_time;
    let (b, db) = (F::pull(f), F::pull(rate));
    let mixed: [[f64; M]; S] = std::array::from_fn(|v| std::array::from_fn(|m| time * (c0 * db[v][m] + c1 * b[v][m])));
    let more = sandwich(&b, hooke, &mixed);
    for m in 0..M {
        for n in 0..M {
            a[m][n] += more[m][n];
        }
    }
    let stress = viscous_stress(rules, &green_rate::<F, M, S>(f, rate));
    add_geometric::<F, M, S>(&stress.map(|s| c0 * s), a);
}
