//! Anderson acceleration of a fixed-point map `x ↦ g(x)` on percussions \[Walker11\]
//!
//! ```text
//!     x⁺ = g_k − Σ γ_j Δg_j,     γ = argmin ‖f_k − Σ γ_j Δf_j‖,   f = g − x
//! ```
//!
//! Norms are taken in velocity units (`S/ρ`), so that light and heavy bodies
//! count alike. The memory is dropped whenever the defect grows.

use crate::algebra::Vector;

/// Defects growing by more than this factor drop the memory.
const GROWTH: f64 = 1.5;

/// Other steps in memory whose products are formed in the one pass over the fields; a longer memory takes a pass each.
const FEW: usize = 4;

/// How the defect and the value changed in one step.
#[derive(Clone, Default)]
struct Step<const D: usize> {
    f: Vec<Vector<D>>,
    g: Vec<Vector<D>>,
}

pub(super) struct Anderson<const D: usize> {
    memory: usize,
    /// Whether what is zero stays so.
    holds: bool,
    stored: usize,
    next: usize,
    last: Step<D>,
    steps: Vec<Step<D>>,
    gram: Vec<f64>,
    last_norm: f64,
    system: Vec<f64>,
    gamma: Vec<f64>,
}

impl<const D: usize> Anderson<D> {
    pub fn new(n: usize, memory: usize) -> Self {
        let step = Step { f: vec![Vector::zeros(); n], g: vec![Vector::zeros(); n] };
        Self {
            memory,
            holds: false,
            stored: 0,
            next: 0,
            steps: vec![step.clone(); memory],
            last: step,
            gram: vec![0.0; memory * memory],
            last_norm: f64::INFINITY,
            system: vec![0.0; memory * memory],
            gamma: vec![0.0; memory],
        }
    }

    /// Another number of contacts.
    pub fn fit(&mut self, n: usize) {
        for step in self.steps.iter_mut().chain([&mut self.last]) {
            step.f.resize(n, Vector::zeros());
            step.g.resize(n, Vector::zeros());
        }
        self.reset();
    }

    /// Uses at most so many of the last steps from here on.
    pub fn limit(&mut self, memory: usize, holds: bool) {
        self.memory = memory.min(self.steps.len());
        self.holds = holds;
        self.reset();
    }

    pub fn reset(&mut self) {
        self.stored = 0;
        self.next = 0;
        self.last_norm = f64::INFINITY;
    }

    /// `x`: argument of the map, `g`: its value, replaced by the next argument.
    pub fn step(&mut self, x: &[Vector<D>], g: &mut [Vector<D>], weight: &[f64]) {
        let (memory, first, slot) = (self.memory, self.last_norm.is_infinite(), self.next);
        let mut new = std::mem::take(&mut self.steps[slot]);
        let mut others = [0; FEW];
        let mut few = 0;
        for j in (0..self.stored).filter(|j| *j != slot).take(FEW) {
            others[few] = j;
            few += 1;
        }
        let now = Now { x, g, weight };
        let norm = match few {
            0 => self.note::<0>(&now, &mut new, slot, &others),
            1 => self.note::<1>(&now, &mut new, slot, &others),
            2 => self.note::<2>(&now, &mut new, slot, &others),
            3 => self.note::<3>(&now, &mut new, slot, &others),
            _ => self.note::<FEW>(&now, &mut new, slot, &others),
        };
        for j in (0..self.stored).filter(|j| *j != slot && !others[..few].contains(j)) {
            self.set(slot, j, dot(&new.f, &self.steps[j].f));
            self.gamma[j] = dot(&self.steps[j].f, &self.last.f);
        }
        self.steps[slot] = new;
        let grew = norm > GROWTH * self.last_norm;
        self.last_norm = norm;
        if first || grew {
            self.stored = 0;
            self.next = 0;
            return;
        }
        self.next = (slot + 1) % memory;
        self.stored = (self.stored + 1).min(memory);
        if !self.least_squares() {
            self.reset();
            return;
        }
        match self.stored {
            1 => self.combine::<1>(g),
            2 => self.combine::<2>(g),
            3 => self.combine::<3>(g),
            4 => self.combine::<4>(g),
            _ => {
                self.combine::<5>(g);
                for (step, c) in self.steps.iter().zip(&self.gamma).take(self.stored).skip(5) {
                    g.iter_mut().zip(&step.g).for_each(|(g, d)| *g -= d * *c);
                }
            }
        }
    }

    /// Takes the present step into `new` and the products of it with itself, with `K` others and with the defect; returns
    /// the norm of the defect.
    fn note<const K: usize>(&mut self, now: &Now<D>, new: &mut Step<D>, slot: usize, others: &[usize]) -> f64 {
        let n = now.x.len();
        let (x, g, weight) = (now.x, &now.g[..n], &now.weight[..n]);
        let (new_f, new_g) = (&mut new.f[..n], &mut new.g[..n]);
        let (last_f, last_g) = (&mut self.last.f[..n], &mut self.last.g[..n]);
        let kept: [&[Vector<D>]; K] = std::array::from_fn(|k| &self.steps[others[k]].f[..n]);
        let zero = Vector::<D>::zeros();
        let (mut ff, mut dd, mut df, mut with, mut along) = (zero, zero, zero, [zero; K], [zero; K]);
        for i in 0..n {
            let f = (g[i] - x[i]) * weight[i];
            let d = f - last_f[i];
            new_g[i] = g[i] - last_g[i];
            (new_f[i], last_f[i], last_g[i]) = (d, f, g[i]);
            ff += f.component_mul(&f);
            dd += d.component_mul(&d);
            df += d.component_mul(&f);
            for k in 0..K {
                with[k] += kept[k][i].component_mul(&d);
                along[k] += kept[k][i].component_mul(&f);
            }
        }
        self.set(slot, slot, dd.sum());
        self.gamma[slot] = df.sum();
        for k in 0..K {
            self.set(slot, others[k], with[k].sum());
            self.gamma[others[k]] = along[k].sum();
        }
        ff.sum().sqrt()
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        self.gram[i * self.memory + j] = value;
        self.gram[j * self.memory + i] = value;
    }

    /// `g ← g − Σ γ_j Δg_j` for the first `K` steps.
    fn combine<const K: usize>(&self, g: &mut [Vector<D>]) {
        let steps: [&[Vector<D>]; K] = std::array::from_fn(|k| &self.steps[k].g[..g.len()]);
        for (i, g) in g.iter_mut().enumerate() {
            if self.holds && g[0] == 0.0 {
                continue;
            }
            for k in 0..K {
                *g -= steps[k][i] * self.gamma[k];
            }
        }
    }

    /// The coefficients from the products with the defect: regularised normal equations by Cholesky; false when they are degenerate.
    fn least_squares(&mut self) -> bool {
        let (m, k) = (self.memory, self.stored);
        let largest = (0..k).map(|j| self.gram[j * m + j]).fold(0.0, f64::max);
        for i in 0..k {
            for j in 0..=i {
                let mut a = self.gram[i * m + j];
                if i == j {
                    a += 1e-12 * largest;
                }
                for l in 0..j {
                    a -= self.system[i * m + l] * self.system[j * m + l];
                }
                self.system[i * m + j] = if i == j {
                    if !(a > 0.0) {
                        return false;
                    }
                    a.sqrt()
                } else {
                    a / self.system[j * m + j]
                };
            }
        }
        for i in 0..k {
            for l in 0..i {
                self.gamma[i] -= self.system[i * m + l] * self.gamma[l];
            }
            self.gamma[i] /= self.system[i * m + i];
        }
        for i in (0..k).rev() {
            for l in i + 1..k {
                self.gamma[i] -= self.system[l * m + i] * self.gamma[l];
            }
            self.gamma[i] /= self.system[i * m + i];
        }
        self.gamma[..k].iter().all(|g| g.is_finite())
    }
}

/// Argument and value of the map, and what turns percussions into velocities.
struct Now<'a, const D: usize> {
    x: &'a [Vector<D>],
    g: &'a [Vector<D>],
    weight: &'a [f64],
}

fn dot<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
