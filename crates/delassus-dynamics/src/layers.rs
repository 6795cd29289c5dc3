//! Blocks with a layer of asperities, as laws of the one-step problem
//!
//! ```text
//!     0 ≤ R ⟂ U_N − (base − x(R))/slope ≥ 0,     x(R) = the crush at which the layer gives R, at most that of the substrate
//! ```
//!
//! is unilateral contact with a compliance that is not linear, for the whole normal percussion `R = P + λ`: the
//! cone of friction is that of `R`, and every solver and both paths know the law. Newton's method: tangents of
//! the curve, each a compliance and a shift, until the true curve holds within the certificate. The next tangent
//! touches the curve at the percussion found where the curve is above the tangent: far below the solution this
//! halves the logarithm of the distance in each round, where the crush found would overshoot.

use crate::solve::Verdict;
use crate::workspace::Workspace;
use crate::{Crush, Ledger, World};
use delassus_contact::{Dim, Space};
use delassus_friction::{Law, Status};

/// Tangents in one solve of the blocks.
const LIMIT: usize = 60;
/// Tangents after which the next ones touch at the crush found: from above that goes one way.
const PATIENT: usize = 12;
/// How much further than asked tangents go: the last one is quadratic and costs little.
const FURTHER: f64 = 1e-3;
/// A curve is never taken as flatter than this share of its force over the size of the asperities.
const FLAT: f64 = 1e-2;
/// Nor as softer than this share of its slope at full crush: blocks without compliance would be lost beside it.
const SOFT: f64 = 1e-6;
/// Percussion below that of the substrate, or crush relative to the size, that is round-off.
const ROUND: f64 = 1e-12;

/// Along the normal both ways, nothing along the surface: dampers that pull.
const BOTH_WAYS: Law = Law::Limited { limit: [f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0] };

impl<const D: usize, const C: usize> Workspace<D, C> {
    /// By how much residuals are relative to more than `b`: to the speeds at which layers are met, of which nothing is
    /// left in `b` where the tangents already hold.
    pub fn slack(&self) -> f64 {
        let speed = self.layers.iter().map(|l| l.speed * l.speed).sum::<f64>().sqrt();
        let scale = self.problem.b_norm();
        if speed > scale && scale > 0.0 { speed / scale } else { 1.0 }
    }
}

/// Where a block is on its law.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Branch {
    /// Before the asperities, or on crushed ones.
    Held,
    /// On the tangent at a crush.
    Pressed(f64),
    /// The same, where dampers pull.
    Pulled(f64),
    /// On the substrate.
    Stopped,
}

/// The layer of a block.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// The block.
    pub block: u32,
    /// What the layer does in the step.
    pub crush: Crush,
    /// The law of the block where it presses.
    law: Law,
    /// What the law of the substrate adds to `G x` along the normal.
    plain: f64,
    /// Crush where `G x` is zero.
    base: f64,
    branch: Branch,
    /// Crush at the end of the step \[m\].
    pub x: f64,
    /// Percussions of springs and dampers, known when the step is.
    pub parts: [f64; 2],
    /// What the law of the substrate speaks of at the beginning of the step \[m/s\]: residuals are no smaller than
    /// round-off of that, however little is left of them where a layer is grazed.
    pub speed: f64,
    /// Their works, where the part computes those of all contacts \[J\].
    pub work: [f64; 2],
}

impl Layer {
    /// `plain` is what the law of the block adds to `G x`, `moved` the part of it that is motion; `start` a
    /// percussion to begin with.
    pub fn new(block: usize, crush: Crush, [plain, moved, speed]: [f64; 3], law: &Law, start: f64) -> Self {
        let base = crush.reach - crush.slope * moved;
        let branch = Branch::Held;
        let mut layer = Self {
            block: block as u32,
            crush,
            law: law.clone(),
            plain,
            base,
            branch,
            x: base,
            parts: [0.0; 2],
            speed: speed.abs(),
            work: [0.0; 2],
        };
        if start > layer.held_by() {
            layer.branch = layer.at_force(start, 0.5 * crush.asperities.size);
        } else if layer.floor().is_none() {
            layer.branch = Branch::Pressed(crush.reach);
        }
        layer
    }

    /// Crush at the substrate.
    fn stop(&self) -> Option<f64> {
        self.crush.closed.then_some(self.base + self.crush.slope * self.plain)
    }

    fn floor(&self) -> Option<f64> {
        let floor = self.crush.floor()?;
        Some(self.stop().map_or(floor, |stop| floor.min(stop)))
    }

    /// Percussion up to which the floor holds.
    fn held_by(&self) -> f64 {
        match (self.floor(), self.stop()) {
            (Some(floor), Some(stop)) if floor >= stop => f64::INFINITY,
            (Some(floor), _) => self.crush.force(floor)[0].max(0.0),
            (None, _) => f64::NEG_INFINITY,
        }
    }

    /// The branch on which a percussion presses; `x` is a guess of the crush.
    fn at_force(&self, r: f64, x: f64) -> Branch {
        match self.stop() {
            Some(stop) if r >= self.crush.force(stop)[0] * (1.0 - ROUND) => Branch::Stopped,
            _ => self.at_crush(self.crush.crush(r, x).unwrap_or(x.max(self.crush.asperities.size))),
        }
    }

    /// The branch at a crush.
    fn at_crush(&self, x: f64) -> Branch {
        // Where the curve begins it has no slope.
        let least = self.floor().map_or(x, |floor| floor + ROUND * self.crush.asperities.size);
        match self.stop() {
            Some(stop) if x >= stop => Branch::Stopped,
            _ => Branch::Pressed(x.max(least)),
        }
    }

    /// The law of this round: what it adds to `G x`, its compliance, and on which cone.
    pub fn stated(&self) -> (f64, f64, &Law) {
        let slope = self.crush.slope;
        let at = |x: f64| -(self.base - x) / slope;
        match self.branch {
            Branch::Stopped => (self.plain, 0.0, &self.law),
            Branch::Held => (self.floor().map_or(self.plain, at), 0.0, &self.law),
            Branch::Pressed(x) | Branch::Pulled(x) => {
                let [force, steep] = self.tangent(x);
                let law = if matches!(self.branch, Branch::Pulled(_)) { &BOTH_WAYS } else { &self.law };
                (at(x) - force / (steep * slope), 1.0 / (steep * slope), law)
            }
        }
    }

    /// How far the law is from the percussion `r` and the crush found \[m/s\]: zero where it presses and holds, at least
    /// zero where it is open.
    fn miss(&self, r: f64) -> f64 {
        let (x, floor, stop) = (self.x, self.floor(), self.stop());
        let known = match (floor, stop) {
            (Some(floor), _) if r <= self.held_by() && (x <= floor || self.held_by() > 0.0) => floor,
            (_, Some(stop)) if r >= self.crush.force(stop)[0] * (1.0 - ROUND) => stop,
            (Some(floor), _) if x <= floor => self.crush.crush(r, floor).unwrap_or(floor + self.crush.asperities.size),
            // As a length of the tangent: where the curve is level no crush follows from its force.
            _ => {
                let [force, steep] = self.tangent(x);
                x + (r - force) / steep
            }
        };
        let far = stop.map_or(known, |stop| known.min(stop)) - x;
        // Where a layer is grazed nothing else is left to compare with.
        if far.abs() <= ROUND * self.crush.asperities.size {
            return 0.0;
        }
        // A layer that acts whatever its end is never just open.
        (if floor.is_none() { -far.abs() } else { far }) / self.crush.slope
    }

    /// Force and slope at a crush.
    fn tangent(&self, x: f64) -> [f64; 2] {
        let [force, steep] = self.crush.force(x);
        let least = (FLAT * force.abs() / self.crush.asperities.size).max(SOFT * self.crush.steepest());
        [force, steep.max(least)]
    }

    /// The branch of the next round.
    fn advance(&mut self, r: f64, patient: bool) {
        let (x, crush, floor, stop) = (self.x, &self.crush, self.floor(), self.stop());
        self.branch = match (self.branch, floor, stop) {
            (Branch::Stopped, _, Some(stop)) => {
                let [force, _] = crush.force(stop);
                let lies = r >= force * (1.0 - ROUND) || floor.is_some_and(|f| f >= stop);
                if lies { Branch::Stopped } else { Branch::Pressed(stop) }
            }
            (Branch::Held, Some(_), _) if r <= self.held_by() => Branch::Held,
            (Branch::Held, _, _) => self.at_force(r, x),
            (_, _, Some(stop)) if x > stop => Branch::Stopped,
            (_, Some(floor), _) if x <= floor && r <= 0.0 => Branch::Held,
            (_, Some(floor), _) if r <= self.held_by() => match x > floor {
                true => self.at_crush(x),
                false => Branch::Held,
            },
            _ => {
                let [force, _] = crush.force(x);
                let next = if force >= r && patient { crush.crush(r, x).unwrap_or(x) } else { x };
                match r <= 0.0 && force < 0.0 {
                    true => Branch::Pulled(if r < 0.0 { next } else { x }),
                    false => self.at_crush(if r > 0.0 { next } else { x }),
                }
            }
        };
    }
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// Puts the present tangents of all layers among the laws of the blocks.
    pub(crate) fn state_layers(&mut self) {
        let ws = &mut self.ws;
        for layer in &ws.layers {
            let i = layer.block as usize;
            let (fixed, compliance, law) = layer.stated();
            (ws.fixed[i][0], ws.compliance[i][0]) = (fixed, compliance);
            if ws.laws[i] != *law {
                ws.laws[i] = law.clone();
                // A percussion of the other law is no start for this one.
                ws.s[i] = law.project(&ws.s[i]);
            }
        }
    }

    /// Judges the layers by their curves at the solution of the tangents, the `round`th; true with new tangents where
    /// these do not hold yet.
    pub(crate) fn bend(&mut self, verdict: &mut Verdict, round: usize) -> bool {
        if self.ws.layers.is_empty() || verdict.status != Status::Converged {
            return false;
        }
        let ws = &mut self.ws;
        for layer in &mut ws.layers {
            let i = layer.block as usize;
            layer.x = layer.base - layer.crush.slope * (ws.after[i][0] - ws.rows.w()[i][1][0]);
            ws.u[i][0] = layer.miss(ws.s[i][0]);
        }
        let (before, tolerance) = (ws.bent, self.settings.tolerance);
        let residual = ws.problem.residual(&ws.s, &ws.u) / ws.slack();
        ws.bent = residual;
        let stalls = residual <= tolerance && round > 0 && residual > 0.3 * before;
        let closed = residual <= (FURTHER * tolerance).max(1e-13) || stalls;
        if self.method.log {
            ws.nested.log.push(format!("  asperities {round}: residual {residual:.2e}"));
        }
        if closed || round + 1 >= LIMIT {
            verdict.residual = residual.max(verdict.residual);
            if !(residual <= tolerance) {
                let error = |i: usize| ws.u[i][0].abs();
                verdict.status = Status::IterationLimit;
                verdict.worst = ws.layers.iter().map(|l| l.block as usize).collect();
                verdict.worst.sort_by(|a, b| error(*b).total_cmp(&error(*a)).then(a.cmp(b)));
                verdict.worst.truncate(8);
            }
            return false;
        }
        for layer in &mut ws.layers {
            layer.advance(ws.s[layer.block as usize][0], round < PATIENT);
        }
        self.state_layers();
        true
    }

    /// Of the layers at the end of the step: percussions of springs and dampers.
    pub(crate) fn split_layers(&mut self) {
        let ws = &mut self.ws;
        for layer in &mut ws.layers {
            let force = ws.s[layer.block as usize][0];
            let [springs, drag] = layer.crush.split(force, layer.x);
            // Off the substrate there is nothing else.
            layer.parts = if layer.branch == Branch::Stopped { [springs, drag] } else { [force - drag, drag] };
        }
    }

    /// Energies of the state: those of the parts, and of crushed asperities.
    pub(crate) fn energies_of_state(&self) -> Ledger {
        let mut ledger = self.parts.energies(&self.state);
        if !self.stores {
            return ledger;
        }
        for contact in &self.state.contacts {
            let [first, second] = contact.key.colliders;
            if first == u32::MAX {
                if self.weak.get(second as usize).is_some_and(|w| w.law.stores()) {
                    ledger.strain += contact.memory[0];
                }
            } else if self.bodies.stores([first, second]) {
                ledger.potential += contact.memory[0];
            }
        }
        ledger
    }

    /// Works of the layer of a block, whose percussions act on the mean relative velocity `mean`: taken out of what
    /// contacts did.
    pub(crate) fn layer_works(&self, block: usize, mean: f64, ledger: &mut Ledger) -> f64 {
        let Some(layer) = self.ws.layer(block) else { return 0.0 };
        let [springs, drag] = layer.parts;
        layer.account([springs * mean, drag * mean], ledger);
        springs + drag
    }
}

impl Layer {
    /// Puts the works of springs and dampers where they belong.
    pub fn account(&self, [springs, drag]: [f64; 2], ledger: &mut Ledger) {
        ledger.viscous -= drag;
        if self.crush.stays() {
            ledger.plastic -= springs;
        } else {
            // With the change of what is stored: what vanishes with the step.
            ledger.numerical += springs;
        }
    }

    /// What a contact remembers of the step.
    pub fn memory(&self) -> [f64; crate::MEMORY] {
        self.crush.memory(self.x, self.branch == Branch::Stopped)
    }
}
