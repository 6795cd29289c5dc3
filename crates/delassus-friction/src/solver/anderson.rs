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

pub(super) struct Anderson<const D: usize> {
    memory: usize,
    stored: usize,
    next: usize,
    last_f: Vec<Vector<D>>,
    last_g: Vec<Vector<D>>,
    delta_f: Vec<Vec<Vector<D>>>,
    delta_g: Vec<Vec<Vector<D>>>,
    gram: Vec<f64>,
    last_norm: f64,
    system: Vec<f64>,
    gamma: Vec<f64>,
}

impl<const D: usize> Anderson<D> {
    pub fn new(n: usize, memory: usize) -> Self {
        let field = || vec![Vector::zeros(); n];
        Self {
            memory,
            stored: 0,
            next: 0,
            last_f: field(),
            last_g: field(),
            delta_f: (0..memory).map(|_| field()).collect(),
            delta_g: (0..memory).map(|_| field()).collect(),
            gram: vec![0.0; memory * memory],
            last_norm: f64::INFINITY,
            system: vec![0.0; memory * memory],
            gamma: vec![0.0; memory],
        }
    }

    /// Another number of contacts.
    pub fn fit(&mut self, n: usize) {
        for field in self.delta_f.iter_mut().chain(&mut self.delta_g).chain([&mut self.last_f, &mut self.last_g]) {
            field.resize(n, Vector::zeros());
        }
        self.reset();
    }

    /// Uses at most so many of the last steps from here on.
    pub fn limit(&mut self, memory: usize) {
        self.memory = memory.min(self.delta_f.len());
        self.reset();
    }

    pub fn reset(&mut self) {
        self.stored = 0;
        self.next = 0;
        self.last_norm = f64::INFINITY;
    }

    /// `x`: argument of the map, `g`: its value, replaced by the next argument.
    pub fn step(&mut self, x: &[Vector<D>], g: &mut [Vector<D>], weight: &[f64]) {
        let (memory, first) = (self.memory, self.last_norm.is_infinite());
        let slot = self.next;
        let mut norm = 0.0;
        for i in 0..x.len() {
            let f = (g[i] - x[i]) * weight[i];
            norm += f.norm_squared();
            self.delta_f[slot][i] = f - self.last_f[i];
            self.delta_g[slot][i] = g[i] - self.last_g[i];
            self.last_f[i] = f;
            self.last_g[i] = g[i];
        }
        let norm = norm.sqrt();
        let grew = norm > GROWTH * self.last_norm;
        self.last_norm = norm;
        if first || grew {
            self.stored = 0;
            self.next = 0;
            return;
        }
        self.next = (slot + 1) % memory;
        self.stored = (self.stored + 1).min(memory);
        for j in 0..self.stored {
            let d = dot(&self.delta_f[slot], &self.delta_f[j]);
            self.gram[slot * memory + j] = d;
            self.gram[j * memory + slot] = d;
        }
        if !self.least_squares() {
            self.reset();
            return;
        }
        for j in 0..self.stored {
            let c = self.gamma[j];
            for (g, d) in g.iter_mut().zip(&self.delta_g[j]) {
                *g -= c * d;
            }
        }
    }

    /// Regularised normal equations by Cholesky; false when they are degenerate.
    fn least_squares(&mut self) -> bool {
        let (m, k) = (self.memory, self.stored);
        let largest = (0..k).map(|j| self.gram[j * m + j]).fold(0.0, f64::max);
        for i in 0..k {
            self.gamma[i] = dot(&self.delta_f[i], &self.last_f);
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

fn dot<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
