//! A model in motion: scheme × formalism
//!
//! [`Analysis::step`] is loop a of \[Zammali05\] fig. 3.2: predict, decide where contact is
//! possible, solve (nested loops, condensed problem, or explicitly), commit, balance energies.
//! A step that does not converge is made again in halves.

mod balance;
mod commit;
mod condensed;
mod contact_system;
mod error;
mod explicit;
mod implicit;
mod nested;
mod points;
mod report;
mod rows;
mod settings;
mod state;
mod view;

pub use contact_system::Measure;
pub use error::Error;
pub use points::Points;
pub use report::{Counts, Ledger, Report, Status};
pub use settings::{Linear, Loops, Path, Predicted, Settings, SettingsError};
pub use state::State;
pub use view::ContactView;

use crate::model::AnyInterface;
use crate::structure::Structure;
use crate::{Model, SchemeError};
use balance::Balance;
use condensed::Condensed;
use explicit::Explicit;
use nested::Nested;
use std::sync::Arc;

/// A stable step this much shorter than that of the reference mesh is still the same.
const NO_FINER: f64 = 0.999;
/// Parts of an explicit step beyond which the mesh is beyond repair.
const MOST_PARTS: f64 = 1e4;

/// A model in motion.
pub struct Analysis {
    structure: Structure,
    settings: Settings,
    state: State,
    report: Report,
    log: Vec<String>,
    h: f64,
    /// Reference positions.
    x: Vec<f64>,
    interfaces: Vec<AnyInterface>,
    friction: Vec<f64>,
    points: Points,
    ws: Workspace,
}

/// Scratch; never saved.
#[derive(Default)]
struct Workspace {
    balance: Balance,
    nested: Nested,
    condensed: Condensed,
    explicit: Explicit,
    positions: Vec<f64>,
    /// The points of the pairing before.
    spare: Points,
    history: Vec<f64>,
    /// Contact forces of the step: normal, tangential.
    contact: [Vec<f64>; 2],
    /// Pressure and friction stress of the points, and their statuses.
    stress: Vec<[f64; 3]>,
    status: Vec<Status>,
    inverse: Vec<f64>,
    internal: Vec<f64>,
    external: Vec<f64>,
    motion: explicit::Motion,
    rounds: implicit::Rounds,
    works: commit::Works,
    momentum: Vec<f64>,
    /// Stored and plastic energy of the state.
    stored: Option<[f64; 2]>,
    law_residual: f64,
    /// Stability limit of the reference mesh, by elements.
    whole_limit: f64,
}

impl Analysis {
    /// Checks model and settings, and stands at the start.
    pub fn new(model: Model, settings: Settings) -> Result<Self, Error> {
        model.validate()?;
        settings.validate(&model)?;
        let interfaces = model.interfaces()?;
        let friction = model.contacts.iter().map(|c| c.friction).collect();
        let structure = Structure::new(Arc::new(model))?;
        let model = structure.model().clone();
        let n = model.dofs();
        let state = State {
            u: vec![0.0; n],
            v: model.velocities(),
            a: vec![0.0; n],
            history: structure.initial_history(),
            contact: [vec![0.0; n], vec![0.0; n]],
            ..State::default()
        };
        let mut analysis = Self {
            x: model.positions(),
            structure,
            state,
            report: Report::default(),
            log: vec![],
            h: 0.0,
            interfaces,
            friction,
            points: Points::default(),
            ws: Workspace::default(),
            settings,
        };
        analysis.choose_step()?;
        analysis.start()?;
        Ok(analysis)
    }

    /// The step given, or a share of the longest stable one.
    fn choose_step(&mut self) -> Result<(), Error> {
        let scheme = self.settings.scheme;
        let limit = match scheme.stability() {
            Some(omega_h) => {
                let (two_over_omega, by) = self.structure.critical_step(&self.state.u)?;
                self.ws.whole_limit = 0.5 * omega_h * two_over_omega;
                Some((0.5 * omega_h * two_over_omega, by))
            }
            None => None,
        };
        self.h = match (self.settings.step, limit) {
            (Some(h), Some((limit, where_from))) if h > limit => {
                // The bound of elements is safe; the model itself may admit more.
                let exact = self.structure.stable_step(0.5 * scheme.stability().unwrap_or(2.0), limit)?;
                if h > exact {
                    return Err(
                        SchemeError::Unstable { scheme: scheme.name(), step: h, limit: exact, where_from }.into()
                    );
                }
                h
            }
            (Some(h), _) => h,
            (None, Some((limit, _))) => self.settings.safety * limit,
            (None, None) => return Err(SettingsError::NoStep { scheme: scheme.name() }.into()),
        };
        if !(self.h > 0.0 && self.h.is_finite()) {
            return Err(SettingsError::Value { name: "step", value: self.h, expected: "a positive number" }.into());
        }
        Ok(())
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        self.structure.model()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Length of a step \[s\].
    pub fn h(&self) -> f64 {
        self.h
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Replaces the state: a restart.
    pub fn set_state(&mut self, state: State) -> Result<(), Error> {
        for ((what, mine), (_, theirs)) in self.state.columns().iter().zip(state.columns()) {
            let fits = mine.len() == theirs.len() || *what == "multipliers";
            if !fits {
                return Err(Error::StateSize { what, expected: mine.len(), found: theirs.len() });
            }
        }
        if let Some((what, _)) = state.first_non_finite() {
            return Err(Error::NotFinite { what });
        }
        self.state = state;
        self.ws.stored = None;
        self.measure_energies()
    }

    /// The account of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What the loops of the last step did, line by line, if asked for.
    pub fn log(&self) -> &[String] {
        &self.log
    }

    /// The contact points of the last step.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Makes one step, in halves where it does not converge.
    pub fn step(&mut self) -> Result<&Report, Error> {
        self.log.clear();
        let h = self.h;
        if self.settings.scheme.is_explicit() {
            return self.step_explicit(h);
        }
        let first = match self.advance(h) {
            Ok(()) => return Ok(&self.report),
            Err(e) if e.may_pass_in_parts() => e,
            Err(e) => return Err(e),
        };
        let backup = self.state.clone();
        for k in 1..=self.settings.cutbacks {
            let parts = 1usize << k;
            if self.in_parts(h, parts)? {
                self.state.step = backup.step + 1;
                (self.report.step, self.report.h, self.report.parts) = (backup.step, h, parts);
                return Ok(&self.report);
            }
            self.state.clone_from(&backup);
            self.ws.stored = None;
        }
        Err(Error::Step { time: self.state.time, h, cutbacks: self.settings.cutbacks, reason: Box::new(first) })
    }

    /// An explicit step, in as many parts as the stability of the deformed mesh asks for.
    fn step_explicit(&mut self, h: f64) -> Result<&Report, Error> {
        let parts = if self.structure.is_linear() { 1 } else { self.explicit_parts(h)? };
        let step = self.state.step;
        if !self.in_parts(h, parts)? {
            let (time, what) = (self.state.time, "the explicit step");
            return Err(Error::Explicit { time, what });
        }
        self.state.step = step + 1;
        (self.report.step, self.report.h, self.report.parts) = (step, h, parts);
        Ok(&self.report)
    }

    /// Their number follows from the state alone, so that a restart makes the same parts.
    ///
    /// A mesh that gets finer may use up half of the margin that `safety` leaves.
    fn explicit_parts(&mut self, h: f64) -> Result<usize, Error> {
        let factor = 0.5 * self.settings.scheme.stability().unwrap_or(2.0);
        let (whole, share) = (self.ws.whole_limit / factor, 0.5 * (1.0 + self.settings.safety) * factor);
        // The first step was accepted whole: so is what is as good.
        let good = NO_FINER * whole;
        let parts = |limit: f64| match limit >= good {
            true => 1.0,
            false => (h / (share * limit) - 1e-6).ceil().clamp(1.0, MOST_PARTS),
        };
        let same = |limit: f64| match parts(limit) {
            1.0 => good.min(h / share),
            p => limit.min(h / (share * p)),
        };
        let limit = self.structure.deformed_step(&self.state.u, whole, &same)?;
        Ok(parts(limit) as usize)
    }

    /// The step in equal parts; false when one of them fails.
    fn in_parts(&mut self, h: f64, parts: usize) -> Result<bool, Error> {
        let mut whole = Ledger::default();
        let mut counts = Counts::default();
        for _ in 0..parts {
            match self.advance(h / parts as f64) {
                Ok(()) => {}
                Err(e) if e.may_pass_in_parts() => return Ok(false),
                Err(e) => return Err(e),
            }
            whole.follow(&self.report.energy);
            counts.add(&self.report.counts);
        }
        self.report.energy = whole;
        self.report.counts = counts;
        Ok(true)
    }

    /// One step of length `h`; on failure the state is as before.
    fn advance(&mut self, h: f64) -> Result<(), Error> {
        self.report.counts = Counts::default();
        self.report.newton.clear();
        match self.settings.scheme.is_explicit() {
            true => self.advance_explicit(h),
            false => self.advance_implicit(h),
        }
    }

    /// Pairs surfaces at displacements `u` and time `t`.
    fn pair(&mut self, u: &[f64], t: f64) -> Result<(), Error> {
        let positions = &mut self.ws.positions;
        positions.clear();
        positions.extend(self.x.iter().zip(u).map(|(x, u)| x + u));
        for interface in &mut self.interfaces {
            interface.pair(positions, &self.x, &self.state.v, t)?;
        }
        self.points.gather(self.structure.model().dim, &self.interfaces, &self.friction, u);
        self.report.counts.pairings += 1;
        Ok(())
    }
}
