//! Forces and tangents of a sweep of cells
//!
//! Everything is sized at compile time by the kind of cell: D dimension, M and S components
//! of gradients and strains, N nodes, Q quadrature points. Nothing is allocated.

use super::batch::{Batch, Cell};
use super::error::Fault;
use super::isotropic;
use super::locking::{Barred, cube_root, dot};
use super::point::{self, Moduli};
use super::spec::Rules;
use super::tangent::{self, Blocks};
use super::{Energies, Motion, Sink, SolidError};
use crate::element::NODES_MAX;
use crate::material::hooke_tangent;
use crate::material::tensor::Frame;
use std::ops::Range;

/// Largest number of unknowns of a cell.
const DOFS_MAX: usize = 3 * NODES_MAX;

/// What a sweep reads and writes; histories are those of the sweep's cells.
pub(crate) struct Sweep<'a> {
    pub rules: &'a Rules,
    pub motion: Motion<'a>,
    pub old: &'a [f64],
    pub new: &'a mut [f64],
    pub tangent: Option<[f64; 2]>,
}

/// A cell and its nodes' motion.
pub(crate) struct Local<'a, const D: usize, const N: usize, const Q: usize> {
    pub cell: &'a Cell<D, N, Q>,
    pub hoop: Option<&'a [[f64; Q]; N]>,
    pub u: [[f64; D]; N],
    /// Zero unless viscous.
    pub v: [[f64; D]; N],
}

/// The points of a cell after the material has answered.
pub(crate) struct Answer<const M: usize, const S: usize, const Q: usize> {
    /// Gradients `F` (finite) or `h` (small), as they are, zz found in plane stress.
    pub f: [[f64; M]; Q],
    /// First Piola–Kirchhoff (or small-strain) stresses that work with them.
    pub piola: [[f64; M]; Q],
    /// Stresses of the law.
    pub stress: [[f64; S]; Q],
    pub energies: Energies,
    /// The remedy, point by point.
    pub barred: Option<[Barred<M>; Q]>,
    /// Mean of the remedy's pressures.
    pub pressure: f64,
}

impl Sweep<'_> {
    pub fn run<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &mut self,
        batch: &Batch<D, N, Q>,
        part: Range<usize>,
        sink: &mut Sink<'_>,
    ) -> Result<Energies, SolidError>
    where
        F: Frame<M, S>,
    {
        let size = self.rules.history * Q;
        let dofs = D * N;
        let mut energies = Energies::default();
        let mut force = [0.0; DOFS_MAX];
        let mut matrix = [0.0; DOFS_MAX * DOFS_MAX];
        let mut moduli = [[[0.0; S]; S]; Q];
        let fast = isotropic::applies(self.rules, !batch.hoops.is_empty());
        for (rank, index) in (part.start..part.end).enumerate() {
            let local = Local::gather(batch, index - batch.first, self.rules, self.motion);
            let variables = rank * size..(rank + 1) * size;
            let (old, new) = (&self.old[variables.clone()], &mut self.new[variables]);
            let kept = if fast { None } else { self.tangent.map(|_| &mut moduli) };
            let answer = local.respond::<F, M, S>(self.rules, old, new, kept).map_err(|f| f.at(index))?;
            local.force(&answer.piola, &mut force);
            check(&answer.energies, &force[..dofs]).map_err(|f| f.at(index))?;
            energies += answer.energies;
            let mut len = 0;
            if let Some(coefficients) = self.tangent {
                let k = if fast {
                    isotropic::stiffness::<F, D, M, S, N, Q>(self.rules, &local, &answer, coefficients[0])
                } else {
                    local.tangent::<F, M, S>(self.rules, &answer, &moduli, coefficients)
                };
                tangent::write(&k, &mut matrix);
                len = dofs * dofs;
            }
            sink(index, &force[..dofs], &matrix[..len]);
        }
        Ok(energies)
    }
}

fn check(energies: &Energies, force: &[f64]) -> Result<(), Fault> {
    // A sum of absolute values is finite only where all its terms are.
    let sum =
        force.iter().fold((energies.strain + energies.plastic + energies.viscous_power).abs(), |s, x| s + x.abs());
    if sum.is_finite() { Ok(()) } else { Err(Fault::NonFinite) }
}

impl<'a, const D: usize, const N: usize, const Q: usize> Local<'a, D, N, Q> {
    #[inline]
    pub fn gather(batch: &'a Batch<D, N, Q>, rank: usize, rules: &Rules, motion: Motion<'_>) -> Self {
        let cell = &batch.cells[rank];
        let pick = |x: &[f64]| cell.nodes.map(|n| std::array::from_fn(|i| x[D * n as usize + i]));
        let v = if rules.viscous_time > 0.0 { pick(motion.v) } else { [[0.0; D]; N] };
        Self { cell, hoop: batch.hoops.get(rank), u: pick(motion.u), v }
    }

    /// Gradients of a field at all points.
    #[inline]
    pub fn gradients<const M: usize>(&self, field: &[[f64; D]; N]) -> [[f64; M]; Q] {
        let mut lanes = [[0.0; Q]; M];
        for a in 0..N {
            for i in 0..D {
                for k in 0..D {
                    for q in 0..Q {
                        lanes[i * D + k][q] += field[a][i] * self.cell.gradients[a][k][q];
                    }
                }
            }
        }
        if let Some(hoop) = self.hoop {
            for a in 0..N {
                for q in 0..Q {
                    lanes[M - 1][q] += field[a][0] * hoop[a][q];
                }
            }
        }
        std::array::from_fn(|q| std::array::from_fn(|m| lanes[m][q]))
    }

    /// `f_a = Σ w P ∇N_a`, row-major into `out`.
    #[inline]
    pub fn force<const M: usize>(&self, piola: &[[f64; M]; Q], out: &mut [f64]) {
        let mut lanes = [[0.0; Q]; M];
        for q in 0..Q {
            for m in 0..M {
                lanes[m][q] = self.cell.weights[q] * piola[q][m];
            }
        }
        for a in 0..N {
            for i in 0..D {
                let mut sums = [0.0; Q];
                for k in 0..D {
                    for q in 0..Q {
                        sums[q] += lanes[i * D + k][q] * self.cell.gradients[a][k][q];
                    }
                }
                if i == 0
                    && let Some(hoop) = self.hoop
                {
                    for q in 0..Q {
                        sums[q] += lanes[M - 1][q] * hoop[a][q];
                    }
                }
                out[D * a + i] = sums.iter().sum();
            }
        }
    }

    /// The material's answer at all points.
    #[inline]
    pub fn respond<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        old: &[f64],
        new: &mut [f64],
        moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        let h = self.gradients(&self.u);
        if rules.finite {
            self.respond_finite::<F, M, S>(rules, h, (old, new), moduli)
        } else {
            self.respond_small::<F, M, S>(rules, h, (old, new), moduli)
        }
    }

    #[inline]
    fn respond_small<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        mut h: [[f64; M]; Q],
        (old, new): (&[f64], &mut [f64]),
        mut moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        if rules.bar {
            self.mean_dilatation::<F, M, S>(&mut h);
        }
        let viscous = rules.viscous_time > 0.0;
        let mut rates = [[0.0; M]; Q];
        if viscous {
            rates = self.gradients(&self.v);
            if rules.bar {
                self.mean_dilatation::<F, M, S>(&mut rates);
            }
        }
        let mut energies = Energies::default();
        let mut stress = [[0.0; S]; Q];
        let mut piola = [[0.0; M]; Q];
        for q in 0..Q {
            let w = self.cell.weights[q];
            let at = rules.history * q..rules.history * (q + 1);
            let kept = moduli.as_deref_mut().map(|m| &mut m[q]);
            let point = point::respond::<F, M, S>(rules, &mut h[q], &old[at.clone()], &mut new[at], kept)?;
            stress[q] = point.stress;
            energies.strain += w * point.elastic;
            energies.plastic += w * point.plastic;
            if viscous {
                let rate = F::small_strain(&rates[q]);
                let extra = viscous_stress(rules, &rate);
                for v in 0..S {
                    stress[q][v] += extra[v];
                    energies.viscous_power += w * extra[v] * rate[v];
                }
            }
            piola[q] = F::full(&stress[q]);
        }
        if rules.bar {
            self.mean_pressure::<F, M, S>(&mut piola);
        }
        Ok(Answer { f: h, piola, stress, energies, barred: None, pressure: 0.0 })
    }

    /// `h ← h + ⅓ (mean tr h − tr h) 1`.
    #[inline]
    fn mean_dilatation<F: Frame<M, S>, const M: usize, const S: usize>(&self, h: &mut [[f64; M]; Q]) {
        let trace = |h: &[f64; M]| h[F::DIAGONAL[0]] + h[F::DIAGONAL[1]] + h[F::DIAGONAL[2]];
        let mut mean = 0.0;
        for q in 0..Q {
            mean += self.cell.weights[q] * trace(&h[q]);
        }
        mean /= self.cell.volume;
        for q in 0..Q {
            let shift = (mean - trace(&h[q])) / 3.0;
            for m in F::DIAGONAL {
                h[q][m] += shift;
            }
        }
    }

    /// The transpose of [`Self::mean_dilatation`], which is its own.
    #[inline]
    fn mean_pressure<F: Frame<M, S>, const M: usize, const S: usize>(&self, piola: &mut [[f64; M]; Q]) {
        self.mean_dilatation::<F, M, S>(piola);
    }

    #[inline]
    fn respond_finite<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        mut h: [[f64; M]; Q],
        (old, new): (&[f64], &mut [f64]),
        mut moduli: Option<&mut [Moduli<S>; Q]>,
    ) -> Result<Answer<M, S, Q>, Fault> {
        let mut f = h.map(|h| std::array::from_fn(|m| h[m] + F::IDENTITY[m]));
        let mut jacobians = [0.0; Q];
        let mut theta = 0.0;
        for q in 0..Q {
            jacobians[q] = F::determinant(&f[q]);
            if !(jacobians[q] > 0.0 && jacobians[q].is_finite()) {
                return Err(if jacobians[q].is_nan() { Fault::NonFinite } else { Fault::Jacobian(jacobians[q]) });
            }
            theta += self.cell.weights[q] * jacobians[q];
        }
        theta /= self.cell.volume;
        let mut energies = Energies::default();
        let mut stress = [[0.0; S]; Q];
        let mut piola = [[0.0; M]; Q];
        let mut scales = [1.0; Q];
        for q in 0..Q {
            let w = self.cell.weights[q];
            if rules.bar {
                scales[q] = cube_root(theta / jacobians[q]);
                for m in 0..M {
                    h[q][m] += (scales[q] - 1.0) * f[q][m];
                }
            }
            let at = rules.history * q..rules.history * (q + 1);
            let kept = moduli.as_deref_mut().map(|m| &mut m[q]);
            let point = point::respond::<F, M, S>(rules, &mut h[q], &old[at.clone()], &mut new[at], kept)?;
            stress[q] = point.stress;
            energies.strain += w * point.elastic;
            energies.plastic += w * point.plastic;
            if rules.plane_stress {
                f[q][M - 1] = 1.0 + h[q][M - 1];
            }
            let barred: [f64; M] = std::array::from_fn(|m| scales[q] * f[q][m]);
            piola[q] = F::product(&barred, &F::full(&stress[q]));
        }
        let mut answer = Answer { f, piola, stress, energies, barred: None, pressure: 0.0 };
        if rules.bar {
            let keep = moduli.is_some();
            self.apply_mean::<F, M, S>(&mut answer, (&jacobians, &scales, theta), keep);
        }
        if rules.viscous_time > 0.0 {
            self.add_viscosity::<F, M, S>(rules, &mut answer);
        }
        Ok(answer)
    }

    /// Replaces the stresses by those that work with F; `keep` what the tangent needs.
    #[inline]
    fn apply_mean<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        answer: &mut Answer<M, S, Q>,
        (jacobians, scales, theta): (&[f64; Q], &[f64; Q], f64),
        keep: bool,
    ) {
        let mut pressures = [0.0; Q];
        let mut mean = 0.0;
        for q in 0..Q {
            pressures[q] = scales[q] / 3.0 * dot(&answer.piola[q], &answer.f[q]);
            mean += self.cell.weights[q] * pressures[q];
        }
        mean /= self.cell.volume;
        answer.pressure = mean;
        let inverses: [[f64; M]; Q] = std::array::from_fn(|q| F::inverse_transpose(&answer.f[q], jacobians[q]));
        if keep {
            answer.barred = Some(std::array::from_fn(|q| Barred {
                f: answer.f[q],
                inverse: inverses[q],
                jacobian: jacobians[q],
                scale: scales[q],
                theta,
                piola: answer.piola[q],
            }));
        }
        for q in 0..Q {
            let excess = mean * jacobians[q] / theta - pressures[q];
            for m in 0..M {
                answer.piola[q][m] = scales[q] * answer.piola[q][m] + excess * inverses[q][m];
            }
        }
    }

    /// Viscous stresses of finite strain work with the gradients as they are, without remedy.
    fn add_viscosity<F: Frame<M, S>, const M: usize, const S: usize>(
        &self,
        rules: &Rules,
        answer: &mut Answer<M, S, Q>,
    ) {
        let rates = self.gradients::<M>(&self.v);
        for q in 0..Q {
            let rate = green_rate::<F, M, S>(&answer.f[q], &rates[q]);
            let extra = viscous_stress(rules, &rate);
            let more = F::product(&answer.f[q], &F::full(&extra));
            for m in 0..M {
                answer.piola[q][m] += more[m];
            }
            answer.energies.viscous_power += self.cell.weights[q] * (0..S).map(|v| extra[v] * rate[v]).sum::<f64>();
        }
    }

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
            let mut a = match &answer.barred {
                Some(b) => {
                    lagrangian::<F, M, S>(&b[q].f.map(|x| b[q].scale * x), &law, &answer.stress[q].map(|s| c0 * s))
                }
                None if rules.finite => lagrangian::<F, M, S>(&answer.f[q], &law, &answer.stress[q].map(|s| c0 * s)),
                None => spread::<F, M, S>(&law),
            };
            if rules.bar {
                a = self.bar_tangent::<F, M, S>(answer, q, (&a, c0), &mut mean);
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
        answer: &Answer<M, S, Q>,
        q: usize,
        (moduli, scale): (&[[f64; M]; M], f64),
        mean: &mut Mean<D, N>,
    ) -> [[f64; M]; M] {
        let here = (self.cell, self.hoop);
        let w = self.cell.weights[q];
        let unit =
            Barred { f: F::IDENTITY, inverse: F::IDENTITY, jacobian: 1.0, scale: 1.0, theta: 1.0, piola: [0.0; M] };
        let curvature = match &answer.barred {
            Some(b) => {
                let scaled = Barred { piola: b[q].piola.map(|x| scale * x), ..b[q] };
                tangent::add_vector(&mut mean.gradient, here, q, &b[q].inverse, w * b[q].jacobian / self.cell.volume);
                scaled.curvature::<F, S>(moduli, scale * answer.pressure, true)
            }
            None => {
                tangent::add_vector(&mut mean.gradient, here, q, &F::IDENTITY, w / self.cell.volume);
                unit.curvature::<F, S>(moduli, 0.0, false)
            }
        };
        tangent::add_vector(&mut mean.mixed, here, q, &curvature.mixed, w);
        mean.curvature += w * curvature.theta;
        curvature.local
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

/// `τ C₀ : rate`.
#[inline]
fn viscous_stress<const S: usize>(rules: &Rules, rate: &[f64; S]) -> [f64; S] {
    let pressure = rules.lambda * (rate[0] + rate[1] + rate[2]);
    std::array::from_fn(|v| {
        rules.viscous_time * if v < 3 { pressure + 2.0 * rules.mu * rate[v] } else { rules.mu * rate[v] }
    })
}

/// `sym(Fᵀ Ḟ)`.
fn green_rate<F: Frame<M, S>, const M: usize, const S: usize>(f: &[f64; M], rate: &[f64; M]) -> [f64; S] {
    F::small_strain(&F::product(&F::transpose(f), rate))
}

fn add_scaled<const S: usize>(a: &mut Moduli<S>, ca: f64, b: &Moduli<S>, cb: f64) {
    for v in 0..S {
        for w in 0..S {
            a[v][w] = ca * a[v][w] + cb * b[v][w];
        }
    }
}

/// `∂P/∂F = Bᵀ C B + δ ⊗ S`.
fn lagrangian<F: Frame<M, S>, const M: usize, const S: usize>(
    f: &[f64; M],
    moduli: &Moduli<S>,
    stress: &[f64; S],
) -> [[f64; M]; M] {
    let b = F::pull(f);
    let mut a = sandwich(&b, moduli, &b);
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
