//! Local form: block-sparse `W`, `b`, one law per contact, method (8).

use super::Root;
use super::scratch::Scratch;
use crate::algebra::{BlockMatrix, Matrix, Vector};
use crate::{Error, Law};

/// Asymmetry of `W` above which a caller should warn.
pub const ASYMMETRY_WARNING: f64 = 1e-8;

/// Most contacts for which the rank is computed.
const RANK_LIMIT: usize = 600;

/// Find `S` with `U = W S + b` and the law of every contact. Immutable once built.
/// A time loop may [`Problem::refill`] one.
#[derive(Clone, Debug, Default)]
pub struct Problem<const D: usize> {
    w: BlockMatrix<D>,
    b: Vec<Vector<D>>,
    laws: Vec<Law>,
    rho: Vec<f64>,
    b_norm: f64,
    asymmetry: f64,
    root: Option<Root<D>>,
    /// Only the diagonal blocks of `W` are there; the rest is in the root.
    by_bodies: bool,
    /// Products cost less through the root.
    light: bool,
    spare: Root<D>,
    scratch: Scratch,
}

impl<const D: usize> Problem<D> {
    /// Validates sizes, finiteness and laws. An asymmetric `W` is accepted and
    /// solved as given; [`Problem::asymmetry`] tells how much.
    pub fn new(w: BlockMatrix<D>, b: Vec<Vector<D>>, laws: Vec<Law>) -> Result<Self, Error> {
        let asymmetry = w.asymmetry();
        let mut problem = Self { w, b, laws, asymmetry, ..Self::default() };
        problem.examine()?;
        Ok(problem)
    }

    /// Replaces `W`, `b` and the laws in place: a time loop allocates nothing once its
    /// sizes have been met. `W` must be symmetric by construction; that is not measured.
    /// After an error the problem is empty.
    pub fn refill(
        &mut self,
        fill: impl FnOnce(&mut BlockMatrix<D>, &mut Vec<Vector<D>>, &mut Vec<Law>),
    ) -> Result<(), Error> {
        self.clear();
        fill(&mut self.w, &mut self.b, &mut self.laws);
        self.asymmetry = 0.0;
        let verdict = self.examine();
        if verdict.is_err() {
            self.clear();
        }
        verdict
    }

    /// As [`Problem::refill`], from the root of `W` alone: nothing but its diagonal blocks is
    /// assembled, and products go through the bodies. Gauss–Seidel by a sequential, shuffled or
    /// symmetric order takes such a problem; the other solvers refuse it.
    pub fn refill_by_bodies(
        &mut self,
        fill: impl FnOnce(&mut Root<D>, &mut Vec<Vector<D>>, &mut Vec<Law>),
    ) -> Result<(), Error> {
        self.clear();
        let mut root = std::mem::take(&mut self.spare);
        fill(&mut root, &mut self.b, &mut self.laws);
        for i in 0..root.sides().len() {
            self.w.begin_row(root.diagonal(i));
        }
        self.root = Some(root);
        (self.asymmetry, self.by_bodies, self.light) = (0.0, true, true);
        let verdict = self.examine();
        if verdict.is_err() {
            self.clear();
        }
        verdict
    }

    /// The root, where `W` has its diagonal blocks alone.
    pub fn by_bodies(&self) -> Option<&Root<D>> {
        self.root.as_ref().filter(|_| self.by_bodies)
    }

    fn clear(&mut self) {
        self.w.clear();
        self.b.clear();
        self.laws.clear();
        (self.by_bodies, self.light) = (false, false);
        if let Some(root) = self.root.take() {
            self.spare = root;
        }
    }

    /// Checks the data and derives the scales.
    fn examine(&mut self) -> Result<(), Error> {
        let n = self.w.len();
        if self.b.len() != n {
            return Err(Error::Size { what: "b", expected: n, found: self.b.len() });
        }
        if self.laws.len() != n {
            return Err(Error::Size { what: "laws", expected: n, found: self.laws.len() });
        }
        if let Some((row, column)) = self.w.first_non_finite() {
            return Err(Error::NonFiniteBlock { row, column });
        }
        check_finite("b", &self.b)?;
        for (contact, law) in self.laws.iter().enumerate() {
            law.validate::<D>().map_err(|source| Error::Law { contact, source })?;
        }
        scales(&self.w, &mut self.rho);
        self.b_norm = norm(&self.b);
        Ok(())
    }

    /// Tells the solvers a root of `W`, so that they may eliminate by bodies. It is checked
    /// against the diagonal blocks of `W`.
    pub fn set_root(&mut self, root: Root<D>) -> Result<(), Error> {
        root.check(self)?;
        let sides = root.sides().iter().flatten().flatten().count();
        self.light = self.by_bodies || 2 * sides * root.width() < D * self.w.blocks();
        self.root = Some(root);
        Ok(())
    }

    /// The root of `W`, when one was given.
    pub fn root(&self) -> Option<&Root<D>> {
        self.root.as_ref()
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// True when there is no contact: solved by nothing.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// The Delassus operator; its diagonal blocks alone where [`Problem::by_bodies`] holds the rest.
    pub fn w(&self) -> &BlockMatrix<D> {
        &self.w
    }

    /// Free relative velocities [m/s].
    pub fn b(&self) -> &[Vector<D>] {
        &self.b
    }

    /// `‖b‖₂`, the scale of velocities in relative residuals.
    pub fn b_norm(&self) -> f64 {
        self.b_norm
    }

    /// The laws, one per contact.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// `ρ_α = D / trace W_αα` \[kg\]: turns a velocity into a percussion, so that
    /// residuals do not depend on the units of mass.
    pub fn rho(&self, contact: usize) -> f64 {
        self.rho[contact]
    }

    /// Measured asymmetry `‖W − Wᵀ‖/‖W‖`.
    pub fn asymmetry(&self) -> f64 {
        self.asymmetry
    }

    /// What a user should know before trusting the data.
    pub fn warnings(&self) -> Vec<String> {
        let mut out = vec![];
        if self.asymmetry > ASYMMETRY_WARNING {
            out.push(format!("W is not symmetric: ‖W − Wᵀ‖/‖W‖ = {:.1e}; solved as given", self.asymmetry));
        }
        let bad: Vec<usize> = (0..self.len()).filter(|i| indefinite(self.w.diagonal(*i))).collect();
        if let Some(first) = bad.first() {
            out.push(format!(
                "{} diagonal block(s) of W, the first at contact {first}, cannot come from an inertia \
                 (negligible or negative W_NN, or a negative minor): the data may be damaged",
                bad.len()
            ));
        }
        out
    }

    /// Rank deficiency of `W`, by diagonal pivoting on a dense copy of its symmetric
    /// part; `None` above 600 contacts, where that would cost more than solving.
    pub fn rank_deficiency(&self) -> Option<usize> {
        (self.len() <= RANK_LIMIT).then(|| deficiency(&self.w))
    }

    /// Percussions all zero, of the right length.
    pub fn zero(&self) -> Vec<Vector<D>> {
        vec![Vector::zeros(); self.len()]
    }

    /// `U = W S + b`.
    pub fn velocities(&self, s: &[Vector<D>], u: &mut [Vector<D>]) {
        match self.root.as_ref().filter(|_| self.light) {
            None => self.w.apply(s, &self.b, u),
            Some(root) => self.through_bodies(root, s, |i, x| u[i] = self.b[i] + x),
        }
    }

    /// `W x` where it is not assembled, contact by contact.
    fn through_bodies(&self, root: &Root<D>, x: &[Vector<D>], mut put: impl FnMut(usize, Vector<D>)) {
        self.scratch.with(|y| {
            root.gather(x, y);
            for (i, x) in x.iter().enumerate() {
                put(i, root.times(i, y) + root.compliance()[i].component_mul(x));
            }
        });
    }

    /// `W x`, without `b`.
    pub fn product(&self, x: &[Vector<D>], out: &mut [Vector<D>]) {
        match self.by_bodies() {
            Some(root) => self.through_bodies(root, x, |i, y| out[i] = y),
            None => (0..x.len()).for_each(|i| out[i] = self.w.row_times(i, x, self.w.diagonal(i) * x[i])),
        }
    }

    /// The relative residual of [`crate::Certificate`] alone, without allocation; `u = W s + b`.
    pub fn residual(&self, s: &[Vector<D>], u: &[Vector<D>]) -> f64 {
        crate::certificate::relative(self, s, u)
    }

    /// Checks a start vector given by a caller.
    pub(crate) fn check_start(&self, s: &[Vector<D>]) -> Result<(), Error> {
        if s.len() != self.len() {
            return Err(Error::Size { what: "initial percussions", expected: self.len(), found: s.len() });
        }
        check_finite("initial percussions", s)
    }
}

fn check_finite<const D: usize>(what: &'static str, x: &[Vector<D>]) -> Result<(), Error> {
    for (contact, v) in x.iter().enumerate() {
        if let Some(component) = v.iter().position(|c| !c.is_finite()) {
            return Err(Error::NonFinite { what, contact, component });
        }
    }
    Ok(())
}

/// A contact whose block is zero borrows the mean scale, so that it still has a residual.
fn scales<const D: usize>(w: &BlockMatrix<D>, rho: &mut Vec<f64>) {
    let trace = |i: usize| w.diagonal(i).trace() / D as f64;
    let (mut sum, mut count) = (0.0, 0.0);
    for t in (0..w.len()).map(trace).filter(|t| *t > 0.0) {
        sum += t;
        count += 1.0;
    }
    let mean = if count > 0.0 { sum / count } else { 1.0 };
    rho.clear();
    rho.extend((0..w.len()).map(|i| 1.0 / if trace(i) > 1e-12 * mean { trace(i) } else { mean }));
}

/// Euclidean norm of a field on the contacts, safe against overflow of squares.
pub(crate) fn norm<const D: usize>(x: &[Vector<D>]) -> f64 {
    let largest = x.iter().map(|v| v.amax()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    x.iter().map(|v| (v / largest).norm_squared()).sum::<f64>().sqrt() * largest
}

/// No positive normal compliance, or a principal minor clearly negative.
fn indefinite<const D: usize>(w: &Matrix<D>) -> bool {
    let size = w.amax();
    let tiny = 1e-9 * size;
    w[(0, 0)] <= 1e-12 * size
        || (0..D).any(|i| w[(i, i)] < -tiny)
        || (0..D).any(|i| {
            (0..i).any(|j| w[(i, i)] * w[(j, j)] - 0.25 * (w[(i, j)] + w[(j, i)]).powi(2) < -1e-6 * size * size)
        })
}

/// Size minus rank, by Cholesky with diagonal pivoting, relative threshold 1e-10.
fn deficiency<const D: usize>(w: &BlockMatrix<D>) -> usize {
    let n = D * w.len();
    let mut a = vec![0.0; n * n];
    for i in 0..w.len() {
        for (j, b) in w.row(i).chain([(i, w.diagonal(i))]) {
            for r in 0..D {
                for c in 0..D {
                    a[(D * i + r) * n + D * j + c] += 0.5 * b[(r, c)];
                    a[(D * j + c) * n + D * i + r] += 0.5 * b[(r, c)];
                }
            }
        }
    }
    let mut left: Vec<usize> = (0..n).collect();
    let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
    while let Some(k) = (0..left.len()).max_by(|x, y| a[left[*x] * (n + 1)].total_cmp(&a[left[*y] * (n + 1)])) {
        let p = left[k];
        let pivot = a[p * (n + 1)];
        if pivot <= 1e-10 * largest {
            return left.len();
        }
        left.swap_remove(k);
        let row: Vec<f64> = a[p * n..(p + 1) * n].to_vec();
        for &i in &left {
            let f = row[i] / pivot;
            if f != 0.0 {
                for (x, y) in a[i * n..(i + 1) * n].iter_mut().zip(&row) {
                    *x -= f * y;
                }
            }
        }
    }
    0
}
