//! Stiffness with constraints
//!
//! ```text
//! K u + Bᵀ λ = f,    B u − C λ = g
//! ```
//!
//! K symmetric, B one row for each constraint, C symmetric (a compliance, or zero).
//!
//! The factor is L D Lᵀ without pivoting. It exists whatever the values when K is positive
//! definite, the rows of B independent, and each constraint eliminated after the dofs it names
//! (the Schur complement −C − B K⁻¹ Bᵀ that it meets is then negative definite). K may also be
//! singular, as that of a body that only constraints hold. Its vanishing pivots are filled by
//! a stiffness δ, one dof each, and the fillings E δ Eᵀ taken out again by the formula of
//! Woodbury:
//!
//! ```text
//! A = P − E δ Eᵀ,    A⁻¹ = P⁻¹ + P⁻¹ E G⁻¹ Eᵀ P⁻¹,    G = δ⁻¹ − Eᵀ P⁻¹ E
//! ```
//!
//! G is singular when, and only when, the whole system is; its dependent column names a dof or
//! a constraint. Everything is scaled to a unit diagonal and rows of B of unit length first,
//! so that thresholds mean the same in any units. Solutions are refined on that system.

mod fillings;
mod structure;

use super::error::{check_finite, check_length};
use super::factor::{Factor, Kind};
use super::pattern::Lists;
use super::{AlgebraError, Pattern, SolveScratch, SymmetricMatrix};
use fillings::{Filling, Fillings};
use structure::{combined, order};

/// A pivot of the scaled matrix below this is filled: the sooner, the less is lost, and
/// nothing is lost by filling too many.
const FILL_BELOW: f64 = 1e-9;
/// The filling δ: of the size of the scaled matrix, and a number that no pivot is by chance.
const FILLING: f64 = 0.986_754_231_1;
/// Scaled pivots of G, and of constraints against the sum that they are left of, below this
/// are rounding.
const LOST: f64 = 1e-12;
/// Largest number of fillings: six for each of eighty bodies.
const MOST_FILLINGS: usize = 512;
/// Backward error at which refinement stops, and above which a solution is refused.
const EXACT: f64 = 4.0 * f64::EPSILON;
const ACCEPTED: f64 = 1e-10;
const MOST_REFINEMENTS: usize = 8;

/// Factor of a stiffness with constraints.
pub struct Kkt {
    dofs: usize,
    /// Stored entries of K and of C.
    entries: (usize, usize),
    /// Of the combined matrix: dofs first, then constraints.
    pattern: Pattern,
    constraints: Lists,
    /// Place of each value of B among the combined values.
    places: Vec<u32>,
    values: Vec<f64>,
    factor: Factor,
    scaling: Vec<f64>,
    norm: f64,
    fillings: Fillings,
    scratch: SolveScratch,
    vectors: Vectors,
    ready: bool,
}

#[derive(Default)]
struct Vectors {
    rhs: Vec<f64>,
    x: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
}

/// How well a system was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refined {
    /// |b − A x| / (|A| |x| + |b|), largest entries, in the scaled system.
    pub backward_error: f64,
    /// Solves after the first.
    pub refinements: usize,
}

impl Kkt {
    /// Structure of K, dofs of each constraint, and structure of C (of the size of the
    /// constraints; [`Pattern::new`] with no list for a diagonal one).
    ///
    /// A constraint that may become inactive stays in the structure: a zero row of B with a
    /// unit diagonal in C gives λ = −g, without a new analysis.
    pub fn new<'a>(
        k: &Pattern,
        constraints: impl Iterator<Item = &'a [u32]>,
        c: &Pattern,
    ) -> Result<Self, AlgebraError> {
        let constraints = Lists::gather(k.size(), constraints)?;
        check_length("structure of C", c.size(), constraints.len())?;
        let pattern = combined(k, &constraints, c)?;
        let order = order(k, &constraints);
        let places = (0..constraints.len())
            .flat_map(|r| constraints.of(r).iter().map(move |i| ((k.size() + r) as u32, *i)))
            .map(|(row, i)| pattern.position(row, i).expect("put in the pattern above") as u32)
            .collect();
        let n = pattern.size();
        Ok(Self {
            dofs: k.size(),
            entries: (k.entries(), c.entries()),
            factor: Factor::new(&pattern, order, Kind::Ldlt)?,
            values: vec![0.0; pattern.entries()],
            pattern,
            constraints,
            places,
            scaling: vec![1.0; n],
            norm: 0.0,
            fillings: Fillings::default(),
            scratch: SolveScratch::default(),
            vectors: Vectors::new(n),
            ready: false,
        })
    }

    /// Number of dofs.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// Number of constraints.
    pub fn constraints(&self) -> usize {
        self.constraints.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.factor.bytes() + 8 * (self.values.len() + self.fillings.columns.len() + 5 * self.pattern.size())
    }

    /// Number of pivots that were filled: motions that constraints alone hold.
    pub fn fillings(&self) -> usize {
        self.fillings.places.len()
    }

    /// Factorises. `b` has one value for each dof of each constraint, in their order; values of
    /// a dof named twice add up.
    pub fn refactor(&mut self, k: &SymmetricMatrix, b: &[f64], c: &SymmetricMatrix) -> Result<(), AlgebraError> {
        self.ready = false;
        check_length("values of B", b.len(), self.places.len())?;
        check_length("size of K", k.size(), self.dofs)?;
        check_length("entries of K", k.values().len(), self.entries.0)?;
        check_length("size of C", c.size(), self.constraints())?;
        check_length("entries of C", c.values().len(), self.entries.1)?;
        check_finite("K", k.values())?;
        check_finite("B", b)?;
        check_finite("C", c.values())?;
        self.combine(k, b, c);
        self.factor.gather(&self.values);
        self.equilibrate();
        self.factorise()?;
        self.refuse_redundant()?;
        self.take_fillings_out()?;
        self.ready = true;
        Ok(())
    }

    /// f, g ← u, λ.
    pub fn solve(&mut self, f: &mut [f64], g: &mut [f64]) -> Result<Refined, AlgebraError> {
        if !self.ready {
            return Err(AlgebraError::NoFactor);
        }
        check_length("right-hand side of the dofs", f.len(), self.dofs)?;
        check_length("right-hand side of the constraints", g.len(), self.constraints())?;
        check_finite("right-hand side of the dofs", f)?;
        check_finite("right-hand side of the constraints", g)?;
        for (p, &i) in self.factor.order.iter().enumerate() {
            let i = i as usize;
            self.vectors.rhs[p] = self.scaling[p] * if i < self.dofs { f[i] } else { g[i - self.dofs] };
        }
        let done = self.refine();
        if !(done.backward_error <= ACCEPTED) {
            return Err(AlgebraError::Inaccurate { backward_error: done.backward_error, accepted: ACCEPTED });
        }
        for (p, &i) in self.factor.order.iter().enumerate() {
            let (i, x) = (i as usize, self.scaling[p] * self.vectors.x[p]);
            *if i < self.dofs { &mut f[i] } else { &mut g[i - self.dofs] } = x;
        }
        check_finite("displacements", f)?;
        check_finite("multipliers", g)?;
        Ok(done)
    }

    fn combine(&mut self, k: &SymmetricMatrix, b: &[f64], c: &SymmetricMatrix) {
        self.values.fill(0.0);
        for j in 0..self.pattern.size() {
            let (from, first, sign) = if j < self.dofs { (k, j, 1.0) } else { (c, j - self.dofs, -1.0) };
            let starts = from.pattern().column_starts();
            let column = &from.values()[starts[first]..starts[first + 1]];
            let to = &mut self.values[self.pattern.diagonal(j)..self.pattern.column_starts()[j + 1]];
            to.iter_mut().zip(column).for_each(|(to, x)| *to = sign * x);
        }
        self.places.iter().zip(b).for_each(|(p, x)| self.values[*p as usize] += x);
    }

    /// Unit diagonal of K, unit rows of B.
    fn equilibrate(&mut self) {
        let Self { factor, scaling, vectors, dofs, .. } = self;
        let is_dof: &dyn Fn(usize) -> bool = &|p| (factor.order[p] as usize) < *dofs;
        // Dofs without stiffness of their own take that of their row, or of the mean.
        let (diagonal, row) = (&mut vectors.x, &mut vectors.residual);
        row.fill(0.0);
        let (mut sum, mut count) = (0.0, 0.0);
        factor.entries_by_column(|i, j, a| match (is_dof(i), is_dof(j)) {
            (true, true) if i == j => {
                diagonal[i] = a.abs();
                (sum, count) = (sum + a.abs(), count + 1.0);
            }
            (true, true) => {
                row[i] = row[i].max(a.abs());
                row[j] = row[j].max(a.abs());
            }
            _ => {}
        });
        let mean = sum / f64::max(count, 1.0);
        for p in (0..scaling.len()).filter(|p| is_dof(*p)) {
            let size = [diagonal[p], row[p], mean].into_iter().find(|x| *x > 0.0).unwrap_or(1.0);
            scaling[p] = size.sqrt().recip();
        }
        row.fill(0.0);
        factor.entries_by_column(|i, j, a| match (is_dof(i), is_dof(j)) {
            (true, false) => row[j] += (a * scaling[i]).powi(2),
            (false, true) => row[i] += (a * scaling[j]).powi(2),
            (false, false) if i == j => row[i] += a.abs(),
            _ => {}
        });
        for p in (0..scaling.len()).filter(|p| !is_dof(*p)) {
            scaling[p] = if row[p] > 0.0 { row[p].sqrt().recip() } else { 1.0 };
        }
        factor.scale(scaling);
        self.norm = factor.norm(row);
    }

    /// Factorises, filling what vanishes until nothing does. The fillings found last time are
    /// there from the start: a body that floats does so for many steps.
    fn factorise(&mut self) -> Result<(), AlgebraError> {
        self.fillings.places.retain(|f| f.left < 1e3 * FILL_BELOW);
        loop {
            self.fill();
            let done = self.factor.ldlt(FILL_BELOW, FILLING);
            self.empty();
            done.map_err(|place| self.name(place))?;
            if !self.find_fillings() {
                return Ok(());
            }
            if self.fillings.places.len() > MOST_FILLINGS {
                return Err(self.name(self.fillings.places[0].place));
            }
        }
    }

    fn fill(&mut self) {
        for f in &mut self.fillings.places {
            let entry = self.factor.diagonal_mut(f.place);
            f.own = *entry;
            *entry += f.delta;
        }
    }

    fn empty(&mut self) {
        for f in &self.fillings.places {
            *self.factor.diagonal_mut(f.place) = f.own;
        }
    }

    /// Whether pivots were replaced that are not filled yet; they are from now on.
    fn find_fillings(&mut self) -> bool {
        let (factor, places, dofs) = (&self.factor, &mut self.fillings.places, self.dofs);
        let known = places.len();
        factor.pivots(|p, d| {
            if let Some(f) = places[..known].iter_mut().find(|f| f.place == p) {
                f.left = (d - f.delta).abs();
            } else if d.abs() == FILLING {
                let sign = if (factor.order[p] as usize) < dofs { 1.0 } else { -1.0 };
                places.push(Filling { place: p, delta: sign * FILLING, own: 0.0, left: 0.0 });
            }
        });
        places.len() > known
    }

    /// A constraint whose pivot is the rounding of a sum that cancels follows from others.
    fn refuse_redundant(&mut self) -> Result<(), AlgebraError> {
        let Self { factor, vectors, dofs, fillings, .. } = self;
        let (sums, pivots) = (&mut vectors.x, &mut vectors.residual);
        factor.pivots(|p, d| pivots[p] = d);
        sums.fill(0.0);
        let is_constraint = |p: usize| factor.order[p] as usize >= *dofs;
        factor.rows(is_constraint, |row, column, l| sums[row] += l * l * pivots[column].abs());
        let lost = |p: &usize| !(pivots[*p].abs() > LOST * sums[*p]) && fillings.places.iter().all(|f| f.place != *p);
        match (0..sums.len()).filter(|p| is_constraint(*p)).find(lost) {
            Some(place) => Err(self.name(place)),
            None => Ok(()),
        }
    }

    fn take_fillings_out(&mut self) -> Result<(), AlgebraError> {
        let Self { factor, fillings, scratch, .. } = self;
        fillings.prepare(factor, scratch)?;
        fillings.factor_small(LOST).map_err(|place| self.name(place))
    }

    /// Solves for `rhs` into `x`, repeating on the residual while that helps.
    fn refine(&mut self) -> Refined {
        let Self { factor, fillings, scratch, vectors, norm, .. } = self;
        let Vectors { rhs, x, residual, step } = vectors;
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, x| if x.abs() <= m { m } else { x.abs() });
        let size = largest(rhs);
        residual.copy_from_slice(rhs);
        x.fill(0.0);
        let mut best = Refined { backward_error: f64::INFINITY, refinements: 0 };
        for refinements in 0..=MOST_REFINEMENTS {
            step.copy_from_slice(residual);
            let (memory, _) = scratch.reserve(factor, 1);
            factor.solve(Kind::Ldlt, step, 1, memory);
            fillings.correct(step);
            x.iter_mut().zip(step.iter()).for_each(|(x, s)| *x += s);
            residual.copy_from_slice(rhs);
            factor.subtract_product(x, residual);
            let scale = *norm * largest(x) + size;
            let backward_error = if scale > 0.0 { largest(residual) / scale } else { 0.0 };
            // Not `<`: a NaN must end here too.
            if !(backward_error < 0.5 * best.backward_error) {
                if !(backward_error <= best.backward_error) {
                    x.iter_mut().zip(step.iter()).for_each(|(x, s)| *x -= s);
                }
                break;
            }
            best = Refined { backward_error, refinements };
            if backward_error <= EXACT {
                break;
            }
        }
        best
    }

    /// What the unknown in this place is, as an error.
    fn name(&self, place: usize) -> AlgebraError {
        let i = self.factor.order[place] as usize;
        if i < self.dofs {
            AlgebraError::Singular { dof: i }
        } else {
            AlgebraError::Redundant { constraint: i - self.dofs }
        }
    }
}

impl Vectors {
    fn new(n: usize) -> Self {
        let zero = vec![0.0; n];
        Self { rhs: zero.clone(), x: zero.clone(), residual: zero.clone(), step: zero }
    }
}
