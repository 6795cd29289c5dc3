//! The nested algorithm: \[Zammali05\] fig. 3.2
//!
//! ```text
//! a  time                                                     Analysis::step
//! b    pairing: points, normals, gaps                         Nested::solve
//! c      friction threshold s = μ λ (a sequence of Tresca laws)   Nested::thresholds
//! d        statuses: open, stick, slip (active set)               Nested::statuses
//! e          Newton on (y, λ, Λ)                                  Nested::newton
//! ```
//!
//! Departure: which points may touch is decided on a predicted gap, method §8.1. A set of
//! statuses that comes back has only its worst point changed; where that does not end the
//! cycle, points decide by packets, one for each multiplier (loop d of the thesis admits both).

use super::balance::Balance;
use super::contact_system::{ContactSystem, Frozen, Layout, Measure, Measures};
use super::points::Points;
use super::report::{Counts, Status};
use super::{Error, Settings};
use crate::structure::Structure;
use crate::{ContactSettings, Formalism, Prediction};

/// Sets of statuses remembered to see that one comes back.
const REMEMBERED: usize = 8;
/// Cycles broken point by point before points decide in packets.
const MOST_CYCLES: usize = 5;

/// Unknowns and scratch of the contact of a step.
#[derive(Default)]
pub struct Nested {
    system: Option<ContactSystem>,
    /// Multipliers `(−λ, Λ)`.
    pub multipliers: Vec<f64>,
    /// Statuses of the points.
    pub status: Vec<Status>,
    /// Points that may touch (`S_u`).
    pub candidate: Vec<bool>,
    threshold: Vec<f64>,
    /// Senses of sliding in the plane.
    sense: Vec<f64>,
    /// Gaps (or normal velocities) and slips.
    pub measure: Vec<Measure>,
    equations: Vec<f64>,
    rhs: Vec<f64>,
    /// Sets of statuses, the first `remembered` of them in use.
    seen: Vec<Vec<Status>>,
    remembered: usize,
    next: Vec<Status>,
    next_sense: Vec<f64>,
    /// A number for each point: scratch.
    values: Vec<f64>,
    force: Vec<f64>,
    layout: Layout,
    /// Residuals of the last Newton solve.
    pub residuals: Vec<f64>,
    /// Relative residual of the balance.
    pub balance: f64,
    scale: f64,
    /// Whether the points of a multiplier share their contact.
    in_packets: bool,
}

/// What the loops work on.
pub struct Problem<'a> {
    /// Matrices.
    pub structure: &'a mut Structure,
    /// Unknowns of the solids.
    pub balance: &'a mut Balance,
    /// The points of the present pairing.
    pub points: &'a Points,
    /// Settings.
    pub settings: &'a Settings,
    /// Internal variables at the beginning.
    pub history: &'a [f64],
    /// Displacements at the beginning.
    pub u_before: &'a [f64],
    /// Step.
    pub h: f64,
    /// Iterations so far.
    pub counts: &'a mut Counts,
    /// Lines that tell the loops.
    pub log: &'a mut Vec<String>,
}

impl Problem<'_> {
    fn contact(&self) -> &ContactSettings {
        &self.settings.contact
    }

    /// How gap and slip depend on the unknowns.
    pub fn measures(&self) -> Measures {
        let [c_u, c_v, _] = self.balance.prediction.c;
        match self.settings.scheme.is_in_velocities() {
            true => Measures { normal: c_v, tangential: c_v },
            false => Measures { normal: c_u, tangential: c_u / self.h },
        }
    }

    /// Gap (or normal velocity) and slip of a point at the present motion.
    pub fn measure(&self, j: usize) -> Measure {
        let points = self.points;
        if self.settings.scheme.is_in_velocities() {
            let v = points.velocity(j, &self.balance.v);
            return Measure { normal: v[0], slip: [v[1], v[2]] };
        }
        let (after, before) = (points.jump(j, &self.balance.u), points.jump(j, self.u_before));
        let wall = points.local(j, &points.wall[j]);
        let slip = std::array::from_fn(|k| (after[1 + k] - before[1 + k]) / self.h - wall[1 + k]);
        Measure { normal: points.gap_at(j, &self.balance.u), slip }
    }

    fn tell(&mut self, line: impl FnOnce() -> String) {
        if self.settings.log {
            self.log.push(line());
        }
    }
}

impl Nested {
    /// A new pairing: the linear system is analysed again if it has other couplings; multipliers and statuses are kept where they fit.
    pub fn pair(&mut self, problem: &Problem<'_>, kept: &[f64]) -> Result<(), Error> {
        let points = problem.points;
        let friction = points.friction.iter().any(|mu| *mu > 0.0);
        self.layout.fill(points, problem.contact(), friction);
        let system = match self.system.take() {
            Some(system) if *system.layout() == self.layout => system,
            _ => ContactSystem::new(problem.structure, self.layout.clone())?,
        };
        let (width, dim) = (system.width(), points.dim());
        self.multipliers.clear();
        self.multipliers.resize(width * points.multipliers(), 0.0);
        if width > 0 && kept.len() == dim * points.multipliers() {
            for m in 0..points.multipliers() {
                (0..width).for_each(|k| self.multipliers[width * m + k] = kept[dim * m + k]);
            }
        }
        self.equations.resize(self.multipliers.len(), 0.0);
        self.system = Some(system);
        self.status.resize(points.len(), Status::Open);
        self.threshold.resize(points.len(), 0.0);
        self.sense.resize(points.len(), 0.0);
        self.measure.resize(points.len(), Measure::default());
        self.candidate.resize(points.len(), false);
        self.scale = stiffness_per_area(problem);
        Ok(())
    }

    /// Multipliers with all components of the space, for the state.
    pub fn keep(&self, points: &Points, out: &mut Vec<f64>) {
        let dim = points.dim();
        let width = self.system.as_ref().map_or(0, ContactSystem::width);
        out.clear();
        out.resize(dim * points.multipliers(), 0.0);
        for m in 0..points.multipliers() {
            (0..width).for_each(|k| out[dim * m + k] = self.multipliers[width * m + k]);
        }
    }

    /// Marks the points that may touch, from predicted gaps.
    pub fn nominate(&mut self, problem: &Problem<'_>, gaps: impl Fn(usize) -> f64) {
        for j in 0..problem.points.len() {
            self.candidate[j] = !problem.settings.scheme.is_in_velocities() || gaps(j) <= 0.0;
            self.status[j] = match gaps(j) <= 0.0 {
                true => Status::Stick,
                false => Status::Open,
            };
        }
    }

    /// Pressure and friction stress at a point.
    pub fn stress(&self, problem: &Problem<'_>, j: usize) -> [f64; 3] {
        self.frozen(problem).stress(j)
    }

    /// Residual of the laws at the points, method (4), relative to what gaps and pressures could be.
    pub fn law_residual(&self, problem: &Problem<'_>) -> f64 {
        let (at, measures, rho) = (self.frozen(problem), problem.measures(), self.scale);
        let (mut errors, mut size) = (0.0, 0.0);
        for j in (0..problem.points.len()).filter(|j| self.candidate[*j]) {
            let (m, s) = (&self.measure[j], at.stress(j));
            let u = [m.normal / measures.normal, m.slip[0] / measures.tangential, m.slip[1] / measures.tangential];
            let mu = problem.points.friction[j];
            let law = delassus_friction::Law::coulomb(mu);
            let vector = |x: [f64; 3]| delassus_friction::algebra::Vector::<3>::new(x[0], x[1], x[2]);
            let e = law.residual(&vector(u), &vector(s), rho * measures.normal);
            errors += e.norm_squared();
            size += (rho * measures.normal * vector(u)).norm_squared() + vector(s).norm_squared();
        }
        if size > 0.0 { (errors / size).sqrt() } else { 0.0 }
    }

    /// Loop c: thresholds until they repeat.
    pub fn thresholds(&mut self, problem: &mut Problem<'_>) -> Result<(), Error> {
        let frictional = problem.points.friction.iter().any(|mu| *mu > 0.0);
        self.update_thresholds(problem);
        let limit = problem.settings.loops.thresholds;
        for round in 0..limit {
            problem.counts.thresholds += 1;
            self.statuses(problem)?;
            if !frictional {
                return Ok(());
            }
            let change = self.update_thresholds(problem);
            problem.tell(|| format!("  c threshold {round}: change {change:.2e}"));
            if change <= problem.settings.tolerance.max(1e-12) {
                return Ok(());
            }
        }
        Err(Error::Loop { name: "friction threshold (c)", limit, advice: "loops.thresholds, or a shorter step" })
    }

    /// `s ← μ λ`; the largest relative change.
    fn update_thresholds(&mut self, problem: &Problem<'_>) -> f64 {
        let mut pressure = std::mem::take(&mut self.values);
        let at = self.frozen(problem);
        pressure.clear();
        pressure.extend((0..problem.points.len()).map(|j| at.stress(j)[0].max(0.0)));
        let largest = pressure.iter().zip(&problem.points.friction).map(|(p, mu)| p * mu).fold(0.0, f64::max);
        let mut change = 0.0f64;
        for (j, p) in pressure.iter().enumerate() {
            // What round-off leaves of a pressure is no threshold.
            let s = Some(problem.points.friction[j] * p).filter(|s| *s > 1e-14 * largest).unwrap_or(0.0);
            if largest > 0.0 {
                change = change.max((s - self.threshold[j]).abs() / largest);
            }
            self.threshold[j] = s;
        }
        self.values = pressure;
        change
    }

    /// Loop d: statuses until they repeat.
    fn statuses(&mut self, problem: &mut Problem<'_>) -> Result<(), Error> {
        self.remembered = 0;
        self.in_packets = false;
        let mut cycles = 0;
        let limit = problem.settings.loops.statuses;
        for round in 0..limit {
            problem.counts.statuses += 1;
            self.newton(problem)?;
            let (changed, worst) = self.update_statuses(problem);
            let closed = self.status.iter().filter(|s| **s != Status::Open).count();
            problem.tell(|| format!("    d statuses {round}: {changed} changed, {closed} closed"));
            if changed == 0 {
                return Ok(());
            }
            if self.seen[..self.remembered].contains(&self.status) {
                cycles += 1;
                if cycles > MOST_CYCLES {
                    // Points of a multiplier decide together from now on.
                    self.in_packets = true;
                } else {
                    // Go back and change one point only.
                    let new = self.status[worst];
                    self.status.copy_from_slice(&self.seen[self.remembered - 1]);
                    self.status[worst] = new;
                }
            }
            self.remember();
        }
        Err(Error::Loop { name: "statuses (d)", limit, advice: "loops.statuses, or a shorter step" })
    }

    /// Keeps the present statuses; the oldest are forgotten.
    fn remember(&mut self) {
        self.seen.resize_with(REMEMBERED, Vec::new);
        if self.remembered == REMEMBERED {
            self.seen.rotate_left(1);
            self.remembered -= 1;
        }
        self.seen[self.remembered].clone_from(&self.status);
        self.remembered += 1;
    }

    /// New statuses; how many changed, and the one that was most wrong.
    fn update_statuses(&mut self, problem: &Problem<'_>) -> (usize, usize) {
        let (mut tests, mut new) = (std::mem::take(&mut self.values), std::mem::take(&mut self.next));
        let mut sense = std::mem::take(&mut self.next_sense);
        sense.clone_from(&self.sense);
        let at = self.frozen(problem);
        let contact = problem.contact();
        let rho_n = at.rho_n();
        new.clear();
        let (mut changed, mut worst) = (0, (0.0, 0));
        tests.clear();
        tests.extend((0..problem.points.len()).map(|j| {
            let lambda = if contact.formalism.has_multipliers() { at.lambda(j) } else { 0.0 };
            lambda - rho_n * self.measure[j].normal
        }));
        if self.in_packets {
            share(problem.points, &mut tests);
        }
        for (j, &test) in tests.iter().enumerate() {
            let m = &self.measure[j];
            let closed =
                self.candidate[j] && test > 0.0 || self.candidate[j] && test == 0.0 && self.status[j] != Status::Open;
            let status = match closed {
                false => Status::Open,
                true if problem.points.friction[j] == 0.0 => Status::Slip,
                true => {
                    let inside = match contact.formalism {
                        Formalism::Penalty { tangential, .. } => {
                            m.slip[0].hypot(m.slip[1]) * tangential <= self.threshold[j]
                        }
                        _ => {
                            let (semi, rho_t) = (at.semi(j), at.rho_t(j));
                            (semi[0] + rho_t * m.slip[0]).hypot(semi[1] + rho_t * m.slip[1]) <= 1.0 + 1e-12
                        }
                    };
                    let z = match contact.formalism.has_multipliers() {
                        true => at.shifted(j)[0],
                        false => m.slip[0],
                    };
                    sense[j] = if z == 0.0 { 0.0 } else { z.signum() };
                    if inside { Status::Stick } else { Status::Slip }
                }
            };
            let before = if problem.points.friction[j] == 0.0 && self.status[j] == Status::Stick {
                Status::Slip
            } else {
                self.status[j]
            };
            let turned = status == Status::Slip && problem.points.friction[j] > 0.0 && sense[j] != self.sense[j];
            if status != before || turned && problem.points.dim() == 2 {
                changed += 1;
                let error = test.abs() * problem.points.weight[j];
                if error > worst.0 || changed == 1 {
                    worst = (error, j);
                }
            }
            new.push(status);
        }
        self.status.copy_from_slice(&new);
        (self.values, self.next) = (tests, new);
        self.next_sense = std::mem::replace(&mut self.sense, sense);
        (changed, worst.1)
    }

    /// Loop e: Newton on the unknowns with frozen statuses and thresholds.
    fn newton(&mut self, problem: &mut Problem<'_>) -> Result<(), Error> {
        self.residuals.clear();
        let (limit, tolerance) = (problem.settings.loops.newton, problem.settings.tolerance);
        for round in 0..=limit {
            problem.balance.evaluate(problem.structure, problem.history, true)?;
            (0..problem.points.len()).for_each(|j| self.measure[j] = problem.measure(j));
            let (balance, laws) = self.residual(problem)?;
            self.residuals.push(balance.max(laws));
            self.balance = balance;
            problem.tell(|| format!("      e newton {round}: balance {balance:.2e}, contact {laws:.2e}"));
            if !balance.is_finite() {
                return Err(Error::NotFinite { what: "balance" });
            }
            if balance <= tolerance.max(problem.balance.round) && laws <= tolerance {
                return Ok(());
            }
            if round == limit {
                break;
            }
            problem.counts.newton += 1;
            self.update(problem)?;
        }
        Err(Error::Newton { iterations: limit, residual: self.residuals.last().copied().unwrap_or(f64::NAN) })
    }

    fn frozen<'a>(&'a self, problem: &'a Problem<'_>) -> Frozen<'a> {
        Frozen {
            points: problem.points,
            status: &self.status,
            sense: &self.sense,
            threshold: &self.threshold,
            measure: &self.measure,
            multipliers: &self.multipliers,
            measures: problem.measures(),
            settings: problem.contact(),
            scale: self.scale,
        }
    }

    /// Right side, and its two parts relative to what they are made of.
    fn residual(&mut self, problem: &mut Problem<'_>) -> Result<(f64, f64), Error> {
        let n = problem.balance.residual.len();
        self.rhs.clear();
        self.rhs.extend_from_slice(&problem.balance.residual);
        let (mut equations, mut force) = (std::mem::take(&mut self.equations), std::mem::take(&mut self.force));
        let mut system = self.system.take().expect("a pairing precedes every solve");
        let at = self.frozen(problem);
        force.clear();
        force.resize(n, 0.0);
        system.residual(&at, &mut force, &mut equations);
        self.system = Some(system);
        self.rhs.iter_mut().zip(&force).for_each(|(r, f)| *r += f);
        for dof in problem.structure.imposed().dofs() {
            self.rhs[*dof as usize] = 0.0;
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = problem.balance.scale.max(norm(&force));
        let balance = if scale > 0.0 { norm(&self.rhs) / scale } else { 0.0 };
        let laws = self.relative(problem, &equations);
        (self.equations, self.force) = (equations, force);
        self.rhs.extend_from_slice(&self.equations);
        Ok((balance, laws))
    }

    /// The equations of contact, compared with what they would be if every point missed by its motion
    /// in the step; those of friction carry the threshold as a factor.
    fn relative(&self, problem: &Problem<'_>, equations: &[f64]) -> f64 {
        let Prediction { c, .. } = &problem.balance.prediction;
        let y = problem.balance.y.iter().map(|y| y.abs()).fold(0.0, f64::max);
        let travel = y.max(problem.u_before.iter().map(|u| u.abs()).fold(0.0, f64::max) / c[0] * 1e-3);
        let weight = problem.points.weight.iter().map(|w| w * w).sum::<f64>().sqrt();
        let threshold = self.threshold.iter().copied().fold(0.0, f64::max);
        let width = self.system.as_ref().map_or(1, |s| s.width().max(1));
        let (mut normal, mut tangential) = (0.0, 0.0);
        for (i, e) in equations.iter().enumerate() {
            *if i % width == 0 { &mut normal } else { &mut tangential } += e * e;
        }
        let size = (travel * weight).max(f64::MIN_POSITIVE);
        let friction = (threshold * size).max(self.scale * weight).max(f64::MIN_POSITIVE);
        (normal.sqrt() / size).max(tangential.sqrt() / friction)
    }

    fn update(&mut self, problem: &mut Problem<'_>) -> Result<(), Error> {
        let n = problem.balance.y.len();
        let mut system = self.system.take().expect("a pairing precedes every solve");
        let mass = problem.balance.prediction.c[2];
        let result = system.factorise(problem.structure, mass, &self.frozen(problem)).and_then(|()| {
            self.rhs.iter_mut().for_each(|r| *r = -*r);
            system.solve(&mut self.rhs)
        });
        self.system = Some(system);
        result?;
        problem.counts.factorisations += 1;
        problem.balance.y.iter_mut().zip(&self.rhs).for_each(|(y, d)| *y += d);
        self.multipliers.iter_mut().zip(&self.rhs[n..]).for_each(|(m, d)| *m += d);
        Ok(())
    }
}

/// Replaces values by the sums over the points that the same multiplier rules.
fn share(points: &Points, values: &mut [f64]) {
    let ruler = |j: usize| points.basis(j).iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |b| b.0 as usize);
    let mut sums = vec![0.0; points.multipliers().max(1)];
    (0..points.len()).for_each(|j| sums[ruler(j)] += points.weight[j] * values[j]);
    (0..points.len()).for_each(|j| values[j] = sums[ruler(j)]);
}

/// Diagonal of the tangent at the points, per area: what makes pressures and gaps comparable.
fn stiffness_per_area(problem: &Problem<'_>) -> f64 {
    let (points, c) = (problem.points, problem.balance.prediction.c);
    let structure = &*problem.structure;
    let (mass, tangent, pattern) = (structure.mass().values(), structure.tangent().values(), structure.pattern());
    let diagonal = |dof: usize| {
        let at = pattern.diagonal(dof);
        c[2] * mass[at] + tangent[at]
    };
    let (mut sum, mut weight) = (0.0, 0.0);
    for j in 0..points.len() {
        weight += points.weight[j];
        sum += points.columns(j).map(|(n, c)| c * c * diagonal(points.dim() * n as usize)).fold(0.0, f64::max);
    }
    let scale = if weight > 0.0 { sum / weight } else { 1.0 };
    if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
}
