//! Method of multipliers on the velocities of the bodies
//!
//! ```text
//!     y = A^½ (u − u_free),    v = H y + b',    û = v + Σ|v_k| n,    H = Eᵀ R,  H Hᵀ = Eᵀ W E
//! ```
//!
//! Percussions `p` in normal form are the multipliers of `û ∈ K*`, method (3) and (10). Whatever the rank of `H`, the
//! matrices met here are `1 + κ Hᵀ J H`: one block for each body and each pair of bodies in contact, however
//! many contacts they share, and regular. Redundant contacts, which make `W` singular, do no harm.
//!
//! 1. **Alternating directions** with one factorisation, `J = 1`, over-relaxed and accelerated \[Walker11\]. The state is
//!    one field `ζ`: percussions are its projection on `K`, velocities `(p − ζ)/κ` that on `−K*` \[Eckstein92\].
//!
//!    ```text
//!        p = P_K(ζ),  w = (p − ζ)/κ,   (1 + κ HᵀH) y = Hᵀ(p + κ (w − b' − s n)),   ζ⁺ = p − κ (ω û + (1 − ω) w),  s = |w_T|
//!    ```
//! 2. **Newton steps**, `J = P_K'`, for the last decades: the shift frozen, the augmented Lagrangian
//!
//!    ```text
//!        Φ(y) = ½|y|² + |P_K(p_k − κ (H y + b' + s n))|² / 2κ
//!    ```
//!
//!    is convex and minimised by damped steps; then `p_{k+1} = P_K(…)`, `s = |v_T|`: proximal points on the dual \[Rockafellar76\].
//!
//! Each phase is left when its slope predicts that it will not arrive; the best point is kept.

use super::anderson::Anderson;
use super::normal::{Axes, project, project_only, shift};
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::{Analysis, BlockMatrix, ContactRows, Frontal, Matrix, Vector, body_graph, vectorised};
use crate::{Error, Problem, Root, certificate};
use nalgebra::SMatrix;
use serde::{Deserialize, Serialize};

/// Degrees of freedom of a body in the plane and in space.
const PLANE: usize = 3;
const SPACE: usize = 6;
/// Nanoseconds of a multiply–add in the factorisation of small fronts, of an alternation for a contact, and of a sweep for
/// a contact; the last two in the plane and in space.
const PER_OPERATION: f64 = 0.3;
const PER_CONTACT: [f64; 2] = [40.0, 70.0];
const SWEEP: [f64; 2] = [35.0, 130.0];
/// Memory of the acceleration.
const MEMORY: usize = 6;
/// Over-relaxation.
const RELAX: f64 = 1.6;
/// Iterations between two looks at the certificate.
const LOOK: usize = 8;
/// Iterations over which a phase must lower the residual by the factor [`PROGRESS`].
const WINDOW: usize = 80;
const PROGRESS: f64 = 0.5;
/// Inner residual asked for, relative to the change of the multipliers.
const INNER: f64 = 0.1;
/// The same, relative to the tolerance: no more is needed.
const FLOOR: f64 = 0.01;
/// Newton steps that count as quick, and as slow.
const QUICK: usize = 3;
const SLOW: usize = 8;
/// Newton steps after which an inner problem is left as it is.
const INNER_LIMIT: usize = 12;
/// Halvings of a Newton step.
const HALVINGS: usize = 8;
/// Bounds of κ.
const KAPPA: (f64, f64) = (1.0, 1e7);

/// Settings of [`Multipliers`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MultipliersSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Iterations after which to give up; a Newton step counts for five.
    pub max_iterations: usize,
    /// κ of the alternating directions, relative to the inverse of the blocks of `W`.
    pub kappa: f64,
    /// Most alternating directions.
    pub alternations: usize,
    /// Whether Newton steps follow them where a factorisation costs more than two alternations.
    pub newton: bool,
}

/// Iterations that a Newton step counts for.
const NEWTON: usize = 5;

impl Default for MultipliersSettings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1200, kappa: 10.0, alternations: 400, newton: true }
    }
}

/// Solver and scratch.
pub struct Multipliers<const D: usize> {
    settings: MultipliersSettings,
    core: Core<D>,
}

enum Core<const D: usize> {
    Plane(Bodies<D, PLANE>),
    Space(Bodies<D, SPACE>),
}

impl<const D: usize> Multipliers<D> {
    /// Needs a root of `W` with bodies of the plane or of space, and laws that have a normal form.
    pub fn new(problem: &Problem<D>, settings: MultipliersSettings) -> Result<Self, Error> {
        let refuse = |reason| Error::Unsupported { solver: "multipliers", reason };
        let root = problem.root().ok_or(refuse("a problem without its bodies: W alone is not enough"))?;
        let axes = Axes::new(problem, "multipliers")?;
        let stiff = |i: usize| axes.bilateral[i] || root.compliance()[i].amax() == 0.0;
        if !(0..problem.len()).all(stiff) {
            return Err(refuse("contacts with a compliance of their own"));
        }
        let core = match root.width() {
            PLANE => Core::Plane(Bodies::new(root, axes)),
            SPACE => Core::Space(Bodies::new(root, axes)),
            _ => return Err(refuse("bodies that are neither of the plane nor of space")),
        };
        Ok(Self { settings, core })
    }

    /// Sweeps that an alternation costs: counted in operations, so that it is the same on every machine.
    pub fn cost_in_sweeps(&self) -> f64 {
        match &self.core {
            Core::Plane(b) => b.alternation() / (SWEEP[0] * b.rows.len() as f64),
            Core::Space(b) => b.alternation() / (SWEEP[1] * b.rows.len() as f64),
        }
    }

    /// Alternations that a Newton step costs, counted likewise.
    pub fn newton_in_alternations(&self) -> f64 {
        match &self.core {
            Core::Plane(b) => b.newton_step() / b.alternation(),
            Core::Space(b) => b.newton_step() / b.alternation(),
        }
    }

    /// Leaves Newton steps out that cost more than this many alternations; whether any are left.
    pub fn spare_newton(&mut self, most: f64) -> bool {
        self.settings.newton &= self.newton_in_alternations() <= most;
        self.settings.newton
    }

    /// Improves `s`, and never leaves it worse.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        match &mut self.core {
            Core::Plane(b) => b.run(problem, &self.settings, s, monitor),
            Core::Space(b) => b.run(problem, &self.settings, s, monitor),
        }
    }
}

struct Bodies<const D: usize, const N: usize> {
    axes: Axes<D>,
    compliance: Vec<Vector<D>>,
    rows: Vec<ContactRows<D, N>>,
    analysis: Analysis,
    k: BlockMatrix<N>,
    unit: Vec<Matrix<N>>,
    lu: Frontal<N>,
    y: Vec<Vector<N>>,
    f: Vec<Vector<N>>,
    trial: Vec<Vector<N>>,
    direction: Vec<Vector<N>>,
    centre: Vec<Vector<D>>,
    p: Vec<Vector<D>>,
    zeta: Vec<Vector<D>>,
    shift: Vec<f64>,
    s: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
    weight: Vec<f64>,
    anderson: Anderson<D>,
}

impl<const D: usize, const N: usize> Bodies<D, N> {
    fn new(root: &Root<D>, axes: Axes<D>) -> Self {
        let n = root.sides().len();
        let mut pairs = root.sides().iter().map(|s| s.map(|s| s.map(|s| s.body)));
        let k = body_graph::<N>(root.bodies(), &mut pairs);
        let mut rows = Vec::with_capacity(n);
        for (i, sides) in root.sides().iter().enumerate() {
            let e = axes.scale(i).transpose();
            let h = sides.map(|s| match s {
                Some(s) => e * SMatrix::<f64, D, N>::from_columns(root.columns(&s)),
                None => SMatrix::zeros(),
            });
            rows.push(ContactRows::new(sides.map(|s| s.map(|s| s.body)), &h, &k));
        }
        let compliance = (0..n)
            .map(|i| Vector::from_fn(|k, _| root.compliance()[i][k] * axes.scale(i).column(k).norm_squared()))
            .collect();
        let analysis = Analysis::new(&k);
        let bodies = || vec![Vector::zeros(); root.bodies()];
        let field = || vec![Vector::zeros(); n];
        Self {
            axes,
            compliance,
            rows,
            lu: Frontal::with_analysis(&analysis),
            analysis,
            k,
            unit: vec![Matrix::identity(); root.bodies()],
            y: bodies(),
            f: bodies(),
            trial: bodies(),
            direction: bodies(),
            centre: field(),
            p: field(),
            zeta: field(),
            shift: vec![0.0; n],
            s: field(),
            u: field(),
            weight: vec![1.0; n],
            anderson: Anderson::new(n, MEMORY),
        }
    }

    fn run(
        &mut self,
        problem: &Problem<D>,
        settings: &MultipliersSettings,
        s: &mut [Vector<D>],
        monitor: &mut dyn Monitor,
    ) -> Outcome {
        self.start(s);
        let best = self.certify(problem, f64::INFINITY, s);
        let mut course = Course { best, done: 0, tolerance: settings.tolerance, monitor, asked: false };
        self.alternate(problem, settings, s, &mut course);
        if (settings.newton || self.newton_is_cheap()) && !course.ended() {
            self.newton(problem, settings, s, &mut course);
        }
        let stop = match course {
            Course { best, tolerance, .. } if best <= tolerance => Stop::Tolerance,
            Course { asked: true, .. } => Stop::Asked,
            Course { done, .. } if done >= settings.max_iterations => Stop::Iterations,
            _ => Stop::Stalled,
        };
        Outcome { stop, iterations: course.done }
    }

    /// Nanoseconds of an alternation.
    fn alternation(&self) -> f64 {
        PER_CONTACT[usize::from(N > PLANE)] * self.rows.len() as f64 + self.analysis.entries(N)
    }

    /// Nanoseconds of the factorisation of a Newton step.
    fn newton_step(&self) -> f64 {
        PER_OPERATION * self.analysis.work(N)
    }

    /// Chains and rows of bodies have small fronts.
    fn newton_is_cheap(&self) -> bool {
        self.newton_step() <= 2.0 * self.alternation()
    }

    /// `p` from percussions.
    fn start(&mut self, s: &[Vector<D>]) {
        self.axes.read_percussions(s, &mut self.p);
        for (i, p) in self.p.iter_mut().enumerate() {
            if !self.axes.bilateral[i] {
                *p = project_only(p);
            }
        }
    }

    /// `y = Hᵀ p`.
    fn gather(&mut self) {
        self.y.fill(Vector::zeros());
        for (row, p) in self.rows.iter().zip(&self.p) {
            row.push(p, &mut self.y);
        }
    }

    /// Residual of the law at `p`; keeps its percussions when they beat `best`.
    fn certify(&mut self, problem: &Problem<D>, best: f64, s: &mut [Vector<D>]) -> f64 {
        self.axes.to_percussions(&self.p, &mut self.s);
        problem.velocities(&self.s, &mut self.u);
        let residual = certificate::relative(problem, &self.s, &self.u);
        if residual < best {
            s.copy_from_slice(&self.s);
        }
        residual
    }

    /// Phase 1.
    fn alternate(
        &mut self,
        problem: &Problem<D>,
        settings: &MultipliersSettings,
        s: &mut [Vector<D>],
        course: &mut Course,
    ) {
        let kappa = settings.kappa;
        self.assemble(|_| None, kappa);
        if self.lu.factorise(&self.k, None, &self.unit).is_err() {
            return;
        }
        self.gather();
        for (i, row) in self.rows.iter().enumerate() {
            let mut v = self.axes.b[i] + row.times(&self.y);
            v[0] += self.slip(i, &v);
            self.zeta[i] = self.p[i] - v * kappa;
        }
        self.anderson.reset();
        let (mut mark, mut since) = (course.best, 0);
        for iteration in 1..=settings.alternations {
            self.centre.copy_from_slice(&self.zeta);
            self.pass(kappa);
            if iteration % LOOK == 0 {
                // The percussions of the point this iteration began with.
                let residual = self.certify(problem, course.best, s);
                if course.note("multipliers", LOOK, residual) {
                    return;
                }
                if course.best < PROGRESS * mark {
                    (mark, since) = (course.best, iteration);
                }
                if iteration - since >= WINDOW {
                    return;
                }
            }
            self.anderson.step(&self.centre, &mut self.zeta, &self.weight);
        }
    }

    /// One iteration on `zeta`; leaves the percussions it began with in `p`.
    fn pass(&mut self, kappa: f64) {
        vectorised(|| self.passed(kappa));
    }

    #[inline(always)]
    fn passed(&mut self, kappa: f64) {
        self.direction.fill(Vector::zeros());
        for (i, row) in self.rows.iter().enumerate() {
            let zeta = &self.zeta[i];
            // What enters as a load, and the velocity it is compared with.
            let (p, load) = if self.axes.bilateral[i] {
                let p: Vector<D> = Vector::from_fn(|k, _| zeta[k] / (1.0 + kappa * self.compliance[i][k]));
                (p, p * 2.0 - zeta - self.axes.b[i] * kappa)
            } else {
                let p = project_only(zeta);
                let w = (p - zeta) / kappa;
                self.shift[i] = shift(&w);
                let mut load = p * 2.0 - zeta - self.axes.b[i] * kappa;
                load[0] -= kappa * self.shift[i];
                (p, load)
            };
            self.p[i] = p;
            row.push(&load, &mut self.direction);
        }
        self.lu.solve(&mut self.direction);
        for (i, row) in self.rows.iter().enumerate() {
            let (zeta, p) = (self.zeta[i], self.p[i]);
            let mut v = self.axes.b[i] + row.times(&self.direction);
            if !self.axes.bilateral[i] {
                v[0] += self.shift[i];
            }
            // κ w = p − ζ.
            self.zeta[i] = p - v * (RELAX * kappa) - (p - zeta) * (1.0 - RELAX);
        }
    }

    fn slip(&self, i: usize, v: &Vector<D>) -> f64 {
        if self.axes.bilateral[i] { 0.0 } else { shift(v) }
    }

    /// Phase 2.
    fn newton(
        &mut self,
        problem: &Problem<D>,
        settings: &MultipliersSettings,
        s: &mut [Vector<D>],
        course: &mut Course,
    ) {
        let mut kappa = 100.0 * settings.kappa;
        let floor = FLOOR * settings.tolerance * self.axes.b_norm;
        self.start(s);
        let (mut mark, mut since) = (course.best, course.done);
        loop {
            self.gather();
            for i in 0..self.rows.len() {
                let v = self.axes.b[i] + self.rows[i].times(&self.y);
                self.shift[i] = self.slip(i, &v);
            }
            self.centre.copy_from_slice(&self.p);
            let (solved, used) = self.inner(kappa, floor);
            let residual = self.certify(problem, course.best, s);
            let worse = !(residual < 3.0 * course.best);
            if course.note("multipliers", NEWTON * used.max(1), residual) || course.done >= settings.max_iterations {
                return;
            }
            if course.best < PROGRESS * mark {
                (mark, since) = (course.best, course.done);
            }
            if course.done - since >= 3 * WINDOW {
                return;
            }
            match used {
                _ if !solved => kappa = (0.2 * kappa).max(KAPPA.0),
                ..=QUICK => kappa = (5.0 * kappa).min(KAPPA.1),
                SLOW.. => kappa = (0.5 * kappa).max(KAPPA.0),
                _ => {}
            }
            if !solved && worse {
                self.start(s);
            }
        }
    }

    /// One inner problem: whether it was solved, and the factorisations used.
    fn inner(&mut self, kappa: f64, floor: f64) -> (bool, usize) {
        let mut y = std::mem::take(&mut self.y);
        let mut merit = self.evaluate(&y, kappa);
        let mut used = 0;
        let solved = loop {
            let moved: f64 = self.p.iter().zip(&self.centre).map(|(p, c)| (p - c).norm_squared()).sum::<f64>().sqrt();
            if merit <= (INNER * moved / kappa).max(floor) {
                break true;
            }
            if used >= INNER_LIMIT {
                break false;
            }
            used += 1;
            match self.step(&mut y, kappa) {
                Some(found) => merit = found,
                None => break false,
            }
        };
        self.y = y;
        (solved, used)
    }

    /// Where the projection of a contact looks from.
    #[inline(always)]
    fn reach(&self, i: usize, y: &[Vector<N>], kappa: f64) -> Vector<D> {
        let v = self.axes.b[i] + self.rows[i].times(y);
        let mut z = self.centre[i] - v * kappa;
        z[0] -= kappa * self.shift[i];
        z
    }

    /// `F` and `p` at `y`; returns `|F|`.
    fn evaluate(&mut self, y: &[Vector<N>], kappa: f64) -> f64 {
        vectorised(|| self.evaluated(y, kappa))
    }

    #[inline(always)]
    fn evaluated(&mut self, y: &[Vector<N>], kappa: f64) -> f64 {
        self.f.copy_from_slice(y);
        for i in 0..self.rows.len() {
            let z = self.reach(i, y, kappa);
            let p = if self.axes.bilateral[i] {
                Vector::from_fn(|k, _| z[k] / (1.0 + kappa * self.compliance[i][k]))
            } else {
                project_only(&z)
            };
            self.p[i] = p;
            self.rows[i].push(&-p, &mut self.f);
        }
        self.f.iter().map(|f| f.norm_squared()).sum::<f64>().sqrt()
    }

    /// `κ Hᵀ J H`; `J = 1` where none is given.
    fn assemble(&mut self, jacobian: impl Fn(usize) -> Option<Matrix<D>>, kappa: f64) {
        vectorised(|| self.assembled(jacobian, kappa));
    }

    #[inline(always)]
    fn assembled(&mut self, jacobian: impl Fn(usize) -> Option<Matrix<D>>, kappa: f64) {
        self.k.fill(0.0);
        for (i, row) in self.rows.iter().enumerate() {
            let j = if self.axes.bilateral[i] {
                Matrix::from_diagonal(&Vector::from_fn(|k, _| kappa / (1.0 + kappa * self.compliance[i][k])))
            } else {
                jacobian(i).unwrap_or_else(Matrix::identity) * kappa
            };
            if j[(0, 0)] == 0.0 {
                continue;
            }
            row.add_product(&j, &mut self.k);
        }
    }

    /// A Newton step damped by the slope of `Φ`; the new `|F|`.
    fn step(&mut self, y: &mut Vec<Vector<N>>, kappa: f64) -> Option<f64> {
        for i in 0..self.rows.len() {
            self.zeta[i] = self.reach(i, y, kappa);
        }
        let zeta = std::mem::take(&mut self.zeta);
        self.assemble(|i| Some(project(&zeta[i]).1), kappa);
        self.zeta = zeta;
        self.lu.factorise(&self.k, None, &self.unit).ok()?;
        self.direction.copy_from_slice(&self.f);
        self.lu.solve(&mut self.direction);
        let slope = dot(&self.f, &self.direction);
        if !(slope > 0.0) {
            return None;
        }
        // Φ falls along the direction while its slope there is positive.
        let (mut low, mut high, mut length) = (0.0, 1.0, 1.0);
        for halving in 0..=HALVINGS {
            let mut trial = std::mem::take(&mut self.trial);
            for i in 0..trial.len() {
                trial[i] = y[i] - self.direction[i] * length;
            }
            let merit = self.evaluate(&trial, kappa);
            self.trial = trial;
            let there = dot(&self.f, &self.direction);
            if there.abs() <= 0.5 * slope || (halving == 0 && there > 0.0) || halving == HALVINGS {
                std::mem::swap(y, &mut self.trial);
                return merit.is_finite().then_some(merit);
            }
            if there < 0.0 {
                high = length
            } else {
                low = length
            }
            length = 0.5 * (low + high);
        }
        None
    }
}

fn dot<const N: usize>(a: &[Vector<N>], b: &[Vector<N>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

/// Where the solve stands.
struct Course<'a> {
    best: f64,
    done: usize,
    tolerance: f64,
    monitor: &'a mut dyn Monitor,
    asked: bool,
}

impl Course<'_> {
    /// Takes note of iterations and their residual; true at the end.
    fn note(&mut self, solver: &'static str, iterations: usize, residual: f64) -> bool {
        self.done += iterations;
        self.best = self.best.min(residual);
        if !self.ended() {
            let progress = Progress { solver, iteration: self.done, residual: self.best };
            self.asked = self.monitor.observe(&progress) == Control::Stop;
        }
        self.ended()
    }

    fn ended(&self) -> bool {
        self.asked || self.best <= self.tolerance
    }
}
