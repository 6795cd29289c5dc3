//! Matrix-free form: `A⁻¹` by body and the contact rows, nothing bigger [Moreau00 §6.2]
//!
//! ```text
//!     U_α = w_α + Σ_{a ∈ α} G_αa v_a,      v_a ← v_a + A_a⁻¹ G_αaᵀ ΔS_α
//! ```
//!
//! Gauss–Seidel keeps the velocities of the bodies as its running state: a sweep
//! costs the same for every contact, however many share a body. `N` is the number of
//! degrees of freedom of a body: 3 in the plane, 6 in space.

use crate::algebra::{BlockMatrix, Matrix, Vector};
use crate::solver::{Control, Monitor, NlgsSettings, Outcome, Progress, Stop};
use crate::{Error, Law, Problem, certificate};
use nalgebra::{SMatrix, SVector};

/// One contact: its bodies (`None` for an obstacle) and their blocks of `G`.
#[derive(Clone, Debug)]
pub struct ContactRows<const D: usize, const N: usize> {
    /// The bodies and the blocks of `G` on their velocities.
    pub sides: [Option<(u32, SMatrix<f64, D, N>)>; 2],
    /// Imposed relative velocity [m/s].
    pub w: Vector<D>,
}

/// The one-step problem by bodies.
#[derive(Clone, Debug)]
pub struct BodyProblem<const D: usize, const N: usize> {
    inverse: Vec<SMatrix<f64, N, N>>,
    free: Vec<SVector<f64, N>>,
    contacts: Vec<ContactRows<D, N>>,
    laws: Vec<Law>,
    /// `A_a⁻¹ G_αaᵀ` and the diagonal block of `W`, once per contact.
    lift: Vec<[SMatrix<f64, N, D>; 2]>,
    diagonal: Vec<Matrix<D>>,
}

impl<const D: usize, const N: usize> BodyProblem<D, N> {
    /// `inverse`: `A⁻¹` of each body; `free`: their velocities without contact.
    pub fn new(
        inverse: Vec<SMatrix<f64, N, N>>,
        free: Vec<SVector<f64, N>>,
        contacts: Vec<ContactRows<D, N>>,
        laws: Vec<Law>,
    ) -> Result<Self, Error> {
        let shape = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
        };
        shape("free velocities (one per body)", inverse.len(), free.len())?;
        shape("laws (one per contact)", contacts.len(), laws.len())?;
        for (contact, law) in laws.iter().enumerate() {
            law.validate::<D>().map_err(|source| Error::Law { contact, source })?;
        }
        let mut lift = vec![[SMatrix::zeros(); 2]; contacts.len()];
        let mut diagonal = vec![Matrix::zeros(); contacts.len()];
        for (i, c) in contacts.iter().enumerate() {
            for (k, side) in c.sides.iter().enumerate() {
                let Some((body, g)) = side else { continue };
                let body = *body as usize;
                if body >= inverse.len() {
                    return Err(Error::Shape {
                        what: "body of a contact (index below)",
                        expected: inverse.len(),
                        found: body,
                    });
                }
                lift[i][k] = inverse[body] * g.transpose();
                diagonal[i] += g * lift[i][k];
            }
            if !diagonal[i].iter().chain(c.w.iter()).all(|x| x.is_finite()) {
                return Err(Error::NonFiniteBlock { row: i, column: i });
            }
        }
        Ok(Self { inverse, free, contacts, laws, lift, diagonal })
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// True when there is no contact.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// The local form (8), for the solvers that need `W`.
    pub fn assemble(&self) -> Result<Problem<D>, Error> {
        let mut by_body: Vec<Vec<(u32, usize)>> = vec![vec![]; self.inverse.len()];
        let mut b = vec![];
        for (i, c) in self.contacts.iter().enumerate() {
            b.push(self.relative(i, &self.free));
            for (k, side) in c.sides.iter().enumerate() {
                if let Some((body, _)) = side {
                    by_body[*body as usize].push((i as u32, k));
                }
            }
        }
        let mut triplets = vec![];
        for list in &by_body {
            for &(i, k) in list {
                let Some((_, g)) = &self.contacts[i as usize].sides[k] else { continue };
                for &(j, l) in list {
                    triplets.push((i, j, g * self.lift[j as usize][l]));
                }
            }
        }
        Problem::new(BlockMatrix::from_triplets(self.len(), &mut triplets), b, self.laws.clone())
    }

    /// Velocities of the bodies under percussions `s`.
    pub fn velocities(&self, s: &[Vector<D>]) -> Vec<SVector<f64, N>> {
        let mut v = self.free.clone();
        for (i, s) in s.iter().enumerate() {
            self.push(i, s, &mut v);
        }
        v
    }

    #[inline]
    fn relative(&self, i: usize, v: &[SVector<f64, N>]) -> Vector<D> {
        let c = &self.contacts[i];
        let mut u = c.w;
        for (body, g) in c.sides.iter().flatten() {
            u += g * v[*body as usize];
        }
        u
    }

    #[inline]
    fn push(&self, i: usize, change: &Vector<D>, v: &mut [SVector<f64, N>]) {
        for (k, side) in self.contacts[i].sides.iter().enumerate() {
            if let Some((body, _)) = side {
                v[*body as usize] += self.lift[i][k] * change;
            }
        }
    }

    /// Gauss–Seidel on running velocities; `v` receives the velocities of the bodies.
    pub fn nlgs(
        &self,
        settings: &NlgsSettings,
        s: &mut [Vector<D>],
        v: &mut Vec<SVector<f64, N>>,
        monitor: &mut dyn Monitor,
    ) -> Result<Outcome, Error> {
        settings.validate()?;
        if s.len() != self.len() {
            return Err(Error::Size { what: "initial percussions", expected: self.len(), found: s.len() });
        }
        v.clone_from(&self.free);
        for (i, s) in s.iter().enumerate() {
            self.push(i, s, v);
        }
        let scale = (0..self.len()).map(|i| self.relative(i, &self.free).norm_squared()).sum::<f64>().sqrt();
        for iteration in 1..=settings.max_iterations {
            for i in 0..self.len() {
                let q = self.relative(i, v) - self.diagonal[i] * s[i];
                let new = self.laws[i].solve_one(&self.diagonal[i], &q, &s[i]);
                let change = (new - s[i]) * settings.relaxation;
                s[i] += change;
                self.push(i, &change, v);
            }
            if iteration % settings.check_every != 0 && iteration != 1 {
                continue;
            }
            // Running sums drift by round-off: refresh them before judging.
            v.clone_from(&self.free);
            for (i, s) in s.iter().enumerate() {
                self.push(i, s, v);
            }
            let residual = self.residual(s, v, scale);
            if residual <= settings.tolerance {
                return Ok(Outcome { stop: Stop::Tolerance, iterations: iteration });
            }
            if !residual.is_finite() {
                return Ok(Outcome { stop: Stop::Breakdown, iterations: iteration });
            }
            if monitor.observe(&Progress { solver: "nlgs-bodies", iteration, residual }) == Control::Stop {
                return Ok(Outcome { stop: Stop::Asked, iterations: iteration });
            }
        }
        Ok(Outcome { stop: Stop::Iterations, iterations: settings.max_iterations })
    }

    /// The relative residual of method (4), as [`crate::Certificate`] defines it.
    fn residual(&self, s: &[Vector<D>], v: &[SVector<f64, N>], scale: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.len() {
            let rho = certificate::scale_of(&self.diagonal[i]);
            sum += (self.laws[i].residual(&self.relative(i, v), &s[i], rho) / rho).norm_squared();
        }
        let scale = if scale > 0.0 { scale } else { 1.0 };
        if sum.is_nan() { f64::INFINITY } else { sum.sqrt() / scale }
    }
}
