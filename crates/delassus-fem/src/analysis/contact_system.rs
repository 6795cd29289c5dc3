//! The linear system of the contact unknowns \[Zammali05\] (3.95)
//!
//! ```text
//!     | J + A_u + B_u   Bᵀ | | δy |     | R_y |
//!     | B              −C  | | δm | = − | R_m |        m = (−λ, Λ) by multiplier
//! ```
//!
//! Statuses are frozen: the equations of an active point say `d = 0`, those of an open one
//! `λ = 0`; a sticking point says `v_τ = 0`, a sliding one `Λ = P(Λ + h v_τ)`. With `s` the
//! frozen threshold every term is symmetric.

use super::points::Points;
use super::report::Status;
use crate::algebra::{AlgebraError, Imposed, Kkt, Pattern, SymmetricMatrix};
use crate::{ContactSettings, Formalism};
use std::sync::Arc;

/// How gap and slip depend on the unknowns of the step.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// `∂d/∂y` is this times the rows.
    pub normal: f64,
    /// `∂v_τ/∂y` is this times the rows.
    pub tangential: f64,
}

/// Gap (or normal velocity) and slip velocity at a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// `d`.
    pub normal: f64,
    /// `v_τ`.
    pub slip: [f64; 2],
}

/// Which unknowns a pairing couples.
#[derive(Clone, Default, PartialEq)]
pub struct Layout {
    width: usize,
    projected: bool,
    /// Columns of the rows of each multiplier: sorted degrees of freedom.
    columns: Vec<Vec<u32>>,
    /// Degrees of freedom that contact couples with each other, by point; none where it does not.
    lists: Vec<Vec<u32>>,
    /// Rows that share a point.
    coupled: Vec<Vec<u32>>,
}

/// Empties the lists and makes them `count`, keeping their memory.
fn empty(lists: &mut Vec<Vec<u32>>, count: usize) {
    lists.iter_mut().for_each(Vec::clear);
    lists.resize_with(count, Vec::new);
}

impl Layout {
    /// The couplings of the points of a pairing.
    pub fn fill(&mut self, points: &Points, settings: &ContactSettings, friction: bool) {
        self.width = match (settings.formalism.has_multipliers(), friction) {
            (false, _) => 0,
            (true, true) => points.dim(),
            (true, false) => 1,
        };
        self.projected = settings.projected;
        let fills = settings.formalism.stabilisation() != [0.0; 2]
            || !settings.formalism.has_multipliers()
            || (friction && points.dim() == 3);
        let width = self.width as u32;
        empty(&mut self.columns, if width > 0 { points.multipliers() } else { 0 });
        empty(&mut self.lists, if fills { points.len() } else { 0 });
        empty(&mut self.coupled, if width > 0 { points.len() } else { 0 });
        for (j, list) in self.lists.iter_mut().enumerate() {
            points.dofs(j, list);
        }
        for (j, rows) in self.coupled.iter_mut().enumerate() {
            rows.extend(points.basis(j).iter().flat_map(|(m, _)| (0..width).map(move |k| width * m + k)));
            let dim = points.dim() as u32;
            for (m, _) in points.basis(j) {
                let dofs = points.columns(j).flat_map(|(n, _)| (0..dim).map(move |k| dim * n + k));
                self.columns[*m as usize].extend(dofs);
            }
        }
        for list in &mut self.columns {
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Matrix and right side on a pairing.
pub struct ContactSystem {
    layout: Layout,
    width: usize,
    /// Held degrees of freedom, in the pattern that contact may have enlarged.
    imposed: Imposed,
    /// `Σ ω ψ d` and `Σ ω ψ` over the active points of each multiplier: scratch.
    means: [Vec<f64>; 2],
    matrix: SymmetricMatrix,
    /// Place of each entry of the structure's matrices.
    places: Vec<u32>,
    first: Vec<usize>,
    b: Vec<f64>,
    c: SymmetricMatrix,
    kkt: Kkt,
}

/// What a Newton iteration needs to know of the contact.
pub struct Frozen<'a> {
    /// The points.
    pub points: &'a Points,
    /// Their statuses.
    pub status: &'a [Status],
    /// In the plane, the senses in which they slide: frozen, since Newton has no slope to turn them.
    pub sense: &'a [f64],
    /// Their friction thresholds \[Pa\].
    pub threshold: &'a [f64],
    /// Their gaps and slips.
    pub measure: &'a [Measure],
    /// Multipliers `(−λ, Λ)`.
    pub multipliers: &'a [f64],
    /// Scales.
    pub measures: Measures,
    /// Formalism and parameters.
    pub settings: &'a ContactSettings,
    /// Stiffness per area that makes equations comparable.
    pub scale: f64,
}

impl Frozen<'_> {
    fn width(&self) -> usize {
        self.multipliers.len().checked_div(self.points.multipliers()).unwrap_or(1).max(1)
    }

    /// `−λ` at a point.
    pub fn lambda(&self, j: usize) -> f64 {
        -self.points.interpolate(j, self.multipliers, self.width(), 0)
    }

    /// `Λ` at a point.
    pub fn semi(&self, j: usize) -> [f64; 2] {
        let width = self.width();
        let component = |k: usize| if k < width { self.points.interpolate(j, self.multipliers, width, k) } else { 0.0 };
        [component(1), component(2)]
    }

    /// `h_τ` and `ρ_τ` of a point: the slip velocity that weighs as much as the whole semi-multiplier.
    pub fn rho_t(&self, j: usize) -> f64 {
        match self.settings.formalism {
            Formalism::Augmented { tangential, .. } if tangential > 0.0 => tangential,
            // Without a threshold there is no friction, and nothing to weigh.
            _ if self.threshold[j] <= 0.0 => 1.0,
            _ => self.settings.rho_t.unwrap_or(self.scale / (self.measures.tangential * self.threshold[j])),
        }
    }

    /// `ρ_n`.
    pub fn rho_n(&self) -> f64 {
        match self.settings.formalism {
            Formalism::Augmented { normal, .. } => normal,
            _ => self.settings.rho_n.unwrap_or(self.scale / self.measures.normal),
        }
    }

    fn h_n(&self) -> f64 {
        self.settings.h_n.unwrap_or(self.scale)
    }

    /// Pressure and friction stress on the slave side at a point, without the projected stabilisation.
    pub fn stress(&self, j: usize) -> [f64; 3] {
        let (m, s) = (&self.measure[j], self.threshold[j]);
        if self.status[j] == Status::Open {
            return [0.0; 3];
        }
        let [kappa, kappa_t] = self.settings.formalism.stabilisation();
        let normal = match self.settings.formalism {
            Formalism::Penalty { normal, .. } => -normal * m.normal,
            _ if self.settings.projected => self.lambda(j),
            _ => self.lambda(j) - kappa * m.normal,
        };
        let friction = match (self.settings.formalism, self.status[j]) {
            _ if self.points.friction[j] == 0.0 => [0.0; 2],
            (Formalism::Penalty { tangential, .. }, Status::Stick) => m.slip.map(|v| tangential * v),
            _ if self.points.dim() == 2 && self.status[j] == Status::Slip => [s * self.sense[j], 0.0],
            (Formalism::Penalty { .. }, _) => direction(m.slip).map(|e| s * e),
            (_, Status::Stick) => {
                let semi = self.semi(j);
                std::array::from_fn(|k| s * (semi[k] + kappa_t * m.slip[k]))
            }
            _ => direction(self.shifted(j)).map(|e| s * e),
        };
        [normal, -friction[0], -friction[1]]
    }

    /// `Λ + h v_τ`.
    pub fn shifted(&self, j: usize) -> [f64; 2] {
        let (semi, h) = (self.semi(j), self.rho_t(j));
        std::array::from_fn(|k| semi[k] + h * self.measure[j].slip[k])
    }
}

fn direction(x: [f64; 2]) -> [f64; 2] {
    let norm = x[0].hypot(x[1]);
    if norm > 0.0 { x.map(|x| x / norm) } else { [0.0; 2] }
}

/// `(I − θ e eᵀ)/|z|` on the first `n` components.
fn slope(z: [f64; 2], theta: f64, n: usize) -> [[f64; 2]; 2] {
    let norm = z[0].hypot(z[1]).max(f64::MIN_POSITIVE);
    let e = z.map(|x| x / norm);
    let mut out = [[0.0; 2]; 2];
    for i in 0..n {
        for k in 0..n {
            out[i][k] = (f64::from(u8::from(i == k)) - theta * e[i] * e[k]) / norm;
        }
    }
    out
}

impl ContactSystem {
    /// Analyses the pattern of a pairing.
    pub fn new(structure: &crate::structure::Structure, layout: Layout) -> Result<Self, AlgebraError> {
        let Layout { width, projected, columns, lists, coupled } = &layout;
        let (width, count) = (*width, columns.len());
        let mut more = lists.clone();
        if *projected {
            more.extend(columns.iter().filter(|c| !c.is_empty()).cloned());
        }
        let pattern = match more.is_empty() {
            true => structure.pattern().clone(),
            false => Arc::new(structure.pattern_with(&more)?),
        };
        let rows = columns.iter().flat_map(|c| std::iter::repeat_n(c.as_slice(), width));
        let c_pattern = Arc::new(Pattern::new(width * count, coupled.iter().map(Vec::as_slice))?);
        let mut first = vec![0];
        for list in columns {
            first.push(first[first.len() - 1] + width * list.len());
        }
        Ok(Self {
            width,
            imposed: Imposed::new(&pattern, structure.imposed().dofs())?,
            means: [vec![0.0; count], vec![0.0; count]],
            places: structure.places(&pattern)?,
            b: vec![0.0; first[count]],
            kkt: Kkt::new(&pattern, rows, &c_pattern)?,
            c: SymmetricMatrix::zero(c_pattern),
            matrix: SymmetricMatrix::zero(pattern),
            first,
            layout,
        })
    }

    /// What it was made for.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Components per multiplier.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds the forces of contact to the residual of the balance, and fills that of the contact equations.
    pub fn residual(&mut self, at: &Frozen<'_>, balance: &mut [f64], equations: &mut [f64]) {
        equations.fill(0.0);
        let (points, width) = (at.points, self.width);
        for j in 0..points.len() {
            let weight = points.weight[j];
            let stress = at.stress(j);
            points.add_force(j, &stress.map(|x| -weight * x), balance);
            if width == 0 {
                continue;
            }
            let mut terms = [0.0; 3];
            self.equations(at, j, &mut terms);
            for (m, psi) in points.basis(j) {
                let at = width * *m as usize;
                (0..width).for_each(|k| equations[at + k] += weight * psi * terms[k]);
            }
        }
        if at.settings.projected {
            self.project(at, balance);
        }
        // A multiplier without points is zero.
        for (m, list) in self.layout.columns.iter().enumerate().filter(|(_, list)| list.is_empty()) {
            debug_assert!(list.is_empty());
            (0..width).for_each(|k| equations[width * m + k] = -at.multipliers[width * m + k]);
        }
    }

    /// Terms of the equations of a point, before weight and shape function.
    fn equations(&self, at: &Frozen<'_>, j: usize, terms: &mut [f64; 3]) {
        let (m, s) = (&at.measure[j], at.threshold[j]);
        let (open, epsilon) = (at.status[j] == Status::Open, at.settings.formalism.compliance());
        let mu = -at.lambda(j);
        terms[0] = match open {
            true => -mu / at.h_n(),
            false => (m.normal - epsilon * mu) / at.measures.normal,
        };
        if self.width == 1 {
            return;
        }
        let semi = at.semi(j);
        for k in 0..self.width - 1 {
            terms[1 + k] = match at.status[j] {
                _ if open || s <= 0.0 => -at.scale * semi[k],
                Status::Stick => s * m.slip[k] / at.measures.tangential,
                _ => {
                    let target = if at.points.dim() == 2 { at.sense[j] } else { direction(at.shifted(j))[k] };
                    -s / (at.rho_t(j) * at.measures.tangential) * (semi[k] - target)
                }
            };
        }
    }

    /// The stabilisation on the projected gap (3.93): constant by multiplier.
    fn project(&mut self, at: &Frozen<'_>, balance: &mut [f64]) {
        let kappa = at.settings.formalism.stabilisation()[0];
        self.means(at);
        let [sums, weights] = &self.means;
        for j in (0..at.points.len()).filter(|j| at.status[*j] != Status::Open) {
            let w = at.points.weight[j];
            for (m, psi) in at.points.basis(j) {
                let mean = sums[*m as usize] / weights[*m as usize];
                at.points.add_force(j, &[w * psi * kappa * mean, 0.0, 0.0], balance);
            }
        }
    }

    /// `Σ ω ψ d` and `Σ ω ψ` over the active points of each multiplier.
    fn means(&mut self, at: &Frozen<'_>) {
        let [sums, weights] = &mut self.means;
        sums.fill(0.0);
        weights.fill(0.0);
        for j in (0..at.points.len()).filter(|j| at.status[*j] != Status::Open) {
            for (m, psi) in at.points.basis(j) {
                sums[*m as usize] += at.points.weight[j] * psi * at.measure[j].normal;
                weights[*m as usize] += at.points.weight[j] * psi;
            }
        }
    }

    /// Factorises with the tangent of the structure.
    pub fn factorise(
        &mut self,
        structure: &crate::structure::Structure,
        mass: f64,
        at: &Frozen<'_>,
    ) -> Result<(), AlgebraError> {
        self.matrix.set_zero();
        let values = self.matrix.values_mut();
        let (k, m) = (structure.tangent().values(), structure.mass().values());
        for (i, place) in self.places.iter().enumerate() {
            values[*place as usize] += k[i] + mass * m[i];
        }
        self.b.fill(0.0);
        self.c.set_zero();
        for j in 0..at.points.len() {
            self.add_point(at, j)?;
        }
        for m in 0..self.layout.columns.len() {
            if self.layout.columns[m].is_empty() {
                for k in 0..self.width {
                    let r = (self.width * m + k) as u32;
                    self.c.add(r, r, 1.0)?;
                }
            }
        }
        if at.settings.projected {
            self.add_projection(at)?;
        }
        self.hold(structure);
        self.kkt.refactor(&self.matrix, &self.b, &self.c)
    }

    /// Rows and columns of held degrees of freedom.
    fn hold(&mut self, structure: &crate::structure::Structure) {
        let imposed = structure.imposed();
        if imposed.dofs().is_empty() {
            return;
        }
        let diagonal = self.matrix.diagonal().fold(0.0, |a: f64, b| a.max(b.abs())).max(f64::MIN_POSITIVE);
        self.matrix.impose(&self.imposed, diagonal);
        for dof in structure.imposed().dofs() {
            for (m, list) in self.layout.columns.iter().enumerate() {
                if let Ok(at) = list.binary_search(dof) {
                    (0..self.width).for_each(|k| self.b[self.first[m] + k * list.len() + at] = 0.0);
                }
            }
        }
    }

    fn add_point(&mut self, at: &Frozen<'_>, j: usize) -> Result<(), AlgebraError> {
        let (points, weight, s) = (at.points, at.points.weight[j], at.threshold[j]);
        let dim = points.dim();
        let active = at.status[j] != Status::Open;
        let epsilon = at.settings.formalism.compliance();
        let [kappa, kappa_t] = at.settings.formalism.stabilisation();
        // Coefficients of the blocks of K: normal and tangential parts.
        let mut stiff = [[0.0; 3]; 3];
        // Coupling of rows to columns, and the block of C.
        let (mut couple, mut compliance) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        if active {
            stiff[0][0] = at.measures.normal
                * match at.settings.formalism {
                    Formalism::Penalty { normal, .. } => normal,
                    _ if at.settings.projected => 0.0,
                    _ => kappa,
                };
            couple[0][0] = 1.0;
            compliance[0][0] = epsilon / at.measures.normal;
        } else {
            compliance[0][0] = 1.0 / at.h_n();
        }
        let n = dim - 1;
        let frictional = points.friction[j] > 0.0;
        let c_t = at.measures.tangential;
        for i in 0..n {
            compliance[1 + i][1 + i] = at.scale;
        }
        if active && frictional && s > 0.0 {
            match (at.settings.formalism, at.status[j]) {
                (Formalism::Penalty { tangential, .. }, Status::Stick) => {
                    (0..n).for_each(|i| stiff[1 + i][1 + i] = tangential * c_t);
                }
                (Formalism::Penalty { .. }, _) if dim == 2 => {}
                (Formalism::Penalty { .. }, _) => {
                    let d = slope(at.measure[j].slip, at.settings.module.theta(), n);
                    fill(&mut stiff, &d, s * c_t, n);
                }
                (_, Status::Stick) => {
                    for i in 0..n {
                        stiff[1 + i][1 + i] = s * kappa_t * c_t;
                        couple[1 + i][1 + i] = s;
                        compliance[1 + i][1 + i] = 0.0;
                    }
                }
                _ if dim == 2 => compliance[1][1] = s / (at.rho_t(j) * c_t),
                _ => {
                    // Inside the ball the slope would make the block indefinite: that of its border is taken.
                    let z = at.shifted(j);
                    let z = z.map(|x| x / z[0].hypot(z[1]).clamp(f64::MIN_POSITIVE, 1.0));
                    let (h, d) = (at.rho_t(j), slope(z, at.settings.module.theta(), n));
                    fill(&mut stiff, &d, s * h * c_t, n);
                    fill(&mut couple, &d, s, n);
                    for i in 0..n {
                        for k in 0..n {
                            let identity = f64::from(u8::from(i == k));
                            compliance[1 + i][1 + k] = s / (h * c_t) * (identity - d[i][k]);
                        }
                    }
                }
            }
        }
        self.add_stiffness(at, j, weight, &stiff)?;
        self.add_rows(at, j, weight, &couple, &compliance)
    }

    fn add_stiffness(
        &mut self,
        at: &Frozen<'_>,
        j: usize,
        weight: f64,
        stiff: &[[f64; 3]; 3],
    ) -> Result<(), AlgebraError> {
        if stiff.iter().flatten().all(|x| *x == 0.0) {
            return Ok(());
        }
        let (dim, frame) = (at.points.dim(), &at.points.frame[j]);
        let mut block = [[0.0; 3]; 3];
        for a in 0..dim {
            for b in 0..dim {
                for i in 0..dim {
                    for k in 0..dim {
                        block[i][k] += frame[a][i] * stiff[a][b] * frame[b][k];
                    }
                }
            }
        }
        for (node, c) in at.points.columns(j) {
            for (other, e) in at.points.columns(j) {
                for i in 0..dim {
                    for k in 0..dim {
                        let (row, column) = ((dim * node as usize + i) as u32, (dim * other as usize + k) as u32);
                        if row >= column {
                            self.matrix.add(row, column, weight * c * e * block[i][k])?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn add_rows(
        &mut self,
        at: &Frozen<'_>,
        j: usize,
        weight: f64,
        couple: &[[f64; 3]; 3],
        compliance: &[[f64; 3]; 3],
    ) -> Result<(), AlgebraError> {
        let (points, dim, width) = (at.points, at.points.dim(), self.width);
        if width == 0 {
            return Ok(());
        }
        let frame = &points.frame[j];
        for (m, psi) in points.basis(j) {
            let list = &self.layout.columns[*m as usize];
            for k in 0..width {
                let row = &mut self.b[self.first[*m as usize] + k * list.len()..][..list.len()];
                for i in 0..dim {
                    let direction: f64 = (0..dim).map(|a| couple[k][a] * frame[a][i]).sum();
                    if direction == 0.0 {
                        continue;
                    }
                    for (node, c) in points.columns(j) {
                        if let Ok(place) = list.binary_search(&((dim * node as usize + i) as u32)) {
                            row[place] += weight * psi * c * direction;
                        }
                    }
                }
                for (other, phi) in points.basis(j) {
                    for l in 0..width {
                        let (r, q) = ((width * *m as usize + k) as u32, (width * *other as usize + l) as u32);
                        if r >= q {
                            self.c.add(r, q, weight * psi * phi * compliance[k][l])?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn add_projection(&mut self, at: &Frozen<'_>) -> Result<(), AlgebraError> {
        let kappa = at.settings.formalism.stabilisation()[0] * at.measures.normal;
        self.means(at);
        let weights = &self.means[1];
        for m in 0..self.layout.columns.len() {
            if weights[m] == 0.0 {
                continue;
            }
            let list = &self.layout.columns[m];
            let row = &self.b[self.first[m]..][..list.len()];
            for (p, i) in list.iter().enumerate().filter(|(p, _)| row[*p] != 0.0) {
                for (q, k) in list.iter().enumerate().filter(|(_, k)| *k <= i) {
                    self.matrix.add(*i, *k, kappa / weights[m] * row[p] * row[q])?;
                }
            }
        }
        Ok(())
    }

    /// Solves; the right side holds the balance, then the equations of contact.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), AlgebraError> {
        let (f, g) = x.split_at_mut(self.kkt.dofs());
        self.kkt.solve(f, g).map(|_| ())
    }
}

fn fill(block: &mut [[f64; 3]; 3], d: &[[f64; 2]; 2], factor: f64, n: usize) {
    for i in 0..n {
        for k in 0..n {
            block[1 + i][1 + k] = factor * d[i][k];
        }
    }
}
