//! A scene in motion, and the record of it
//!
//! ```text
//! Scene ─build─▶ Simulation ─step─▶ Report
//!                    │ fill ▲ restore
//!                    ▼      │
//!                  Frame ─▶ Recorder ─▶ run.h5 ─▶ Run
//! ```
//!
//! A frame holds the whole [`State`]: a run can go on from any of its frames, and the
//! steps that follow have the same bits as those of the uninterrupted run.

mod carry;
mod controls;
mod events;
mod fields;
mod flow;
mod geometry;
mod like;
mod next;
mod patches;
mod solids;
mod stages;
mod sums;
mod tables;
mod totals;
mod watch;
mod wear;
mod world;

use carry::{Kept, Luggage};
pub use controls::Controls;
use delassus_record::{Frame, Header, KeptFile, Run};
use delassus_rigid::{BodyLaw, Event, Report, State, StepError, Timings};
use delassus_scene::{Built, Clock, Diagnostics, Laboratory, Scene, Stood};
use events::Memory;
pub use next::NextStep;
pub use stages::{load, read, scene_of};
use std::path::PathBuf;
use std::sync::Arc;
pub use totals::Totals;

/// Why a simulation could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scene is refused.
    #[error("{0}")]
    Scene(#[from] Diagnostics),
    /// The model is refused.
    #[error("{0}")]
    Model(#[from] delassus_rigid::Error),
    /// A step could not be made.
    #[error("{0}")]
    Step(#[from] StepError),
    /// Deformable solids are refused.
    #[error("{0}")]
    Solids(#[from] delassus_fem::Error),
    /// Stresses could not be computed.
    #[error("stresses of '{solid}': {reason}")]
    Stress {
        /// The solid.
        solid: String,
        /// Why.
        reason: String,
    },
    /// A patch cannot stand where it should.
    #[error("the patch '{name}': {reason}")]
    Patch {
        /// Its name.
        name: String,
        /// Why.
        reason: delassus_arlequin::Error,
    },
    /// The run cannot be read or written.
    #[error("{0}")]
    Record(#[from] delassus_record::Error),
    /// The caller would take over what is not there.
    #[error("'{name}': {reason}")]
    Control {
        /// What was named.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The scene goes on with a run that cannot be used.
    #[error("{scene}: [start] {reason}")]
    Start {
        /// The scene.
        scene: String,
        /// Why.
        reason: String,
    },
    /// A change while the scene runs that is not possible.
    #[error("the change at t = {time} s: {reason}")]
    Change {
        /// When \[s\].
        time: f64,
        /// Why.
        reason: String,
    },
    /// The frame of a run does not belong to the scene.
    #[error("frame {frame} does not fit the scene: {reason}")]
    Frame {
        /// The frame.
        frame: usize,
        /// What contradicts what.
        reason: String,
    },
}

impl Error {
    /// Whether a step failed, rather than the input.
    pub fn is_step(&self) -> bool {
        matches!(self, Self::Step(_))
    }
}

/// Where a simulation stands.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// Steps made.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Velocities, in the order of the model.
    pub velocities: &'a [f64],
    /// Of the whole state: equal hashes, equal bits.
    pub hash: [u8; 32],
}

impl Now<'_> {
    /// The hash in hexadecimal digits.
    pub fn hash_hex(&self) -> String {
        self.hash.iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// How the last step went.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Contacts that took part.
    pub contacts: usize,
    /// Relative residual of the laws.
    pub residual: f64,
    /// Whether the sweeps did without the assembled operator.
    pub by_bodies: bool,
    /// Seconds of the stages; of a step made in parts, those of the last.
    pub timings: Timings,
    /// What was unusual.
    pub events: &'a [Event],
}

/// A simulation, whatever is in motion.
trait Engine: Send {
    /// Makes one step.
    fn step(&mut self) -> Result<(), Error>;
    /// Starts the means of a frame.
    fn begin(&mut self);
    /// Goes to a recorded frame.
    fn restore(&mut self, run: &Run, frame: usize) -> Result<(), Error>;
    /// Goes to a state of another world of the same bodies, with the sums of its run.
    fn adopt(&mut self, state: State, totals: Totals) -> Result<(), Error>;
    /// Where it stands.
    fn now(&self) -> Now<'_>;
    /// The state.
    fn state(&self) -> &State;
    /// Goes to another state; totals are those given.
    fn set_state(&mut self, state: State, totals: Totals) -> Result<(), Error>;
    /// What the caller steers.
    fn controls(&self) -> &Controls;
    /// All that the last step tells.
    fn whole_report(&self) -> &Report;
    /// How the last step went.
    fn progress(&self) -> Progress<'_>;
    /// Sums and extremes since the start.
    fn totals(&self) -> &Totals;
    /// The header of a record: title, fields, shapes.
    fn header(&self) -> Header;
    /// What the loops of the last step did, if it was asked for.
    fn log(&self) -> &[String];
    /// Names of the bodies.
    fn names(&self) -> Vec<String>;
    /// Fills a cleared frame.
    fn fill(&mut self, frame: &mut Frame) -> Result<(), Error>;
    /// The contact problem of the coming step.
    fn next_step(&mut self) -> Result<NextStep, Error>;
    /// What is watched and may happen, and what is remembered of it.
    fn lab(&self) -> (&Laboratory, &Memory);
    /// What is remembered.
    fn memory_mut(&mut self) -> &mut Memory;
    /// The stage that conditions are looked at in.
    fn enter_stage(&mut self, name: &str);
    /// The state by names.
    fn pack(&self) -> Luggage;
    /// Goes on from a state by names.
    fn unpack(&mut self, luggage: &Luggage, kept: &Kept) -> Result<(), Error>;
    /// Takes over sums and memory from the engine before.
    fn succeed(&mut self, old: &mut dyn Engine);
    /// Sums, memory, wear, sums of flows.
    fn heritage(&mut self) -> (Totals, Memory, Vec<delassus_dynamics::Wear>, Vec<Vec<f64>>);
    /// Coordinates at the start of the run.
    fn origin(&self) -> &[f64];
    /// Sets them.
    fn set_origin(&mut self, origin: &[f64]);
    /// Centres of the free bodies that are there.
    fn places(&self) -> Vec<Option<[f64; 3]>>;
    /// Where bodies stand.
    fn stands(&self) -> Vec<Stood>;
    /// Goes to the places and velocities of a frame; contacts and joints carry nothing.
    fn restore_places(&mut self, run: &Run, frame: usize) -> Result<(), Error>;
}

/// A scene, built.
fn build(scene: &Scene, options: &Options) -> Result<(Box<dyn Engine>, Clock, Diagnostics), Error> {
    Ok(match scene.build()? {
        Built::Plane(mut setup) => {
            let (clock, warnings) = (setup.clock, std::mem::take(&mut setup.warnings));
            (Box::new(world::Scene::new(*setup, options)?), clock, warnings)
        }
        Built::Space(mut setup) => {
            let (clock, warnings) = (setup.clock, std::mem::take(&mut setup.warnings));
            (Box::new(world::Scene::new(*setup, options)?), clock, warnings)
        }
    })
}

/// What a caller may change in a scene before it runs.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder for the contact problems of steps that do not converge.
    pub failures: Option<PathBuf>,
    /// Numbers of steps whose contact problem is left there too.
    pub keep: Vec<u64>,
    /// Threads, instead of those of the scene.
    pub threads: Option<usize>,
    /// Deformable solids: keep what the loops of a step did, for [`Simulation::log`].
    pub log: bool,
    /// Bodies with imposed motion and joints with a motor that the caller steers, see [`Simulation::controls`].
    pub steered: Vec<String>,
    /// Laws of the caller's, by the names of two materials.
    pub laws: Vec<([String; 2], Arc<dyn BodyLaw>)>,
}

/// A scene in motion.
pub struct Simulation {
    engine: Box<dyn Engine>,
    clock: Clock,
    /// Of the stage.
    part: Clock,
    header: Header,
    warnings: Diagnostics,
    /// As given, with its stages.
    scene: Scene,
    /// As it is now.
    now: Scene,
    options: Options,
    /// Of a run of an earlier version that goes on.
    like: Option<like::Like>,
}

impl Simulation {
    /// Builds the scene and stands at its start.
    pub fn new(scene: &Scene, options: &Options) -> Result<Self, Error> {
        // Nothing is lost to a mistake that shows after hours.
        scene.check_stages()?;
        match stages::went_on(scene) {
            Some(_) => Self::continued(scene, options),
            None => Self::built(scene, options),
        }
    }

    fn built(scene: &Scene, options: &Options) -> Result<Self, Error> {
        let (engine, part, warnings) = build(scene, options)?;
        let mut header = engine.header();
        header.scene = scene.whole_text();
        header.overrides.clone_from(&scene.overrides);
        header.program = format!("delassus {}", env!("CARGO_PKG_VERSION"));
        let kept = scene.files.read().into_iter().map(|(name, bytes)| KeptFile { name, bytes });
        header.files = kept.collect();
        if !header.files.is_empty() {
            // Where they came from, to tell when they have changed since.
            let folder = std::path::absolute(scene.files.folder()).unwrap_or_else(|_| scene.files.folder().into());
            header.attributes.insert("folder".into(), folder.display().to_string());
        }
        let (scene, options) = (scene.clone(), options.clone());
        let now = scene.clone();
        let mut simulation = Self { engine, clock: part, part, header, warnings, now, scene, options, like: None };
        simulation.tell_clock(part);
        Ok(simulation)
    }

    /// Makes one step.
    pub fn step(&mut self) -> Result<Progress<'_>, Error> {
        // Means are over the steps since the last frame.
        let due = self.is_due();
        self.make_changes()?;
        self.feed_and_drain()?;
        if due {
            self.engine.begin();
        }
        self.engine.step()?;
        let (stage, began) = (self.engine.lab().1.stage, self.engine.lab().1.began.0);
        if self.steps() >= began + self.part.steps && stage < self.scene.stages().len() {
            self.engine.memory_mut().next = true;
        }
        Ok(self.engine.progress())
    }

    /// The contact problem of the coming step; nothing moves.
    pub fn next_step(&mut self) -> Result<NextStep, Error> {
        self.engine.next_step()
    }

    /// What the scene was warned of.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Steps and frames of the run.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Where it stands.
    pub fn state(&self) -> Now<'_> {
        self.engine.now()
    }

    /// The whole state.
    pub fn whole_state(&self) -> &State {
        self.engine.state()
    }

    /// Goes to another state of the same scene, with the totals that belong to it. Sums of observed flows and wear are
    /// not part of a state: they go on from where they are.
    ///
    /// # Errors
    /// The state has other sizes, or is not finite; then nothing changes.
    pub fn set_state(&mut self, state: State, totals: Totals) -> Result<(), Error> {
        self.engine.set_state(state, totals)
    }

    /// What the caller steers.
    pub fn controls(&self) -> &Controls {
        self.engine.controls()
    }

    /// All that the last step tells.
    pub fn whole_report(&self) -> &Report {
        self.engine.whole_report()
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.engine.state().step
    }

    /// The time \[s\].
    pub fn time(&self) -> f64 {
        self.engine.state().time
    }

    /// How the last step went.
    pub fn report(&self) -> Progress<'_> {
        self.engine.progress()
    }

    /// Sums and extremes since the start.
    pub fn totals(&self) -> &Totals {
        self.engine.totals()
    }

    /// What the loops of the last step did, line by line, if [`Options::log`] asked for it; bodies alone
    /// have no such loops.
    pub fn log(&self) -> &[String] {
        self.engine.log()
    }

    /// Names of the bodies, by index.
    pub fn names(&self) -> Vec<String> {
        self.engine.names()
    }

    /// True when the last step is made.
    pub fn is_over(&self) -> bool {
        let memory = self.engine.lab().1;
        let last = memory.stage >= self.scene.stages().len();
        memory.stopped || last && (self.steps() >= memory.began.0 + self.part.steps || self.ends_now())
    }

    /// Whether an event ends the last stage.
    fn ends_now(&self) -> bool {
        let (lab, memory) = self.engine.lab();
        lab.events.iter().zip(&memory.events).any(|(e, m)| m.waits && e.next)
    }

    /// What happened in the last step, by name.
    pub fn happened(&self) -> impl Iterator<Item = &str> {
        let (lab, memory) = self.engine.lab();
        lab.events.iter().zip(&memory.events).filter(|(_, m)| m.waits).map(|(e, _)| e.name.as_str())
    }

    /// Name of the present stage.
    pub fn stage(&self) -> &str {
        self.scene.stage_name(self.engine.lab().1.stage)
    }

    /// Time at which the present stage began \[s\].
    pub fn stage_began(&self) -> f64 {
        self.engine.lab().1.began.1
    }

    /// Goes on where an event stopped the run; it does not stop it again.
    pub fn go_on_after_stop(&mut self) {
        self.engine.memory_mut().stopped = false;
    }

    /// Whether an event, and not the clock, ended the run.
    pub fn was_stopped(&self) -> bool {
        self.is_over() && self.steps() < self.clock.steps
    }

    /// Whether the present state belongs into the record.
    pub fn is_due(&self) -> bool {
        let memory = self.engine.lab().1;
        (self.steps() - memory.began.0.min(self.steps())).is_multiple_of(self.part.every)
            || self.is_over()
            || memory.waits()
    }

    /// The header of the record.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Writes the present state into a frame of [`Simulation::header`].
    ///
    /// # Errors
    /// Stresses cannot be computed.
    pub fn fill(&mut self, frame: &mut Frame) -> Result<(), Error> {
        (frame.step, frame.time) = (self.steps(), self.time());
        frame.clear();
        self.fill_like(frame)
    }

    /// Goes on from here as another scene of the same bodies, such as one with a load more. What was recorded so far
    /// stays what it is, and the steps that follow are those of that scene.
    ///
    /// # Errors
    /// The scene is refused, records something else, or observes what only a whole run can tell.
    pub fn go_on_as(&mut self, scene: &Scene, options: &Options) -> Result<(), Error> {
        let mut next = Self::new(scene, options)?;
        if next.header.fields != self.header.fields {
            let reason = "it records other fields".into();
            return Err(Error::Frame { frame: 0, reason });
        }
        next.engine.adopt(self.engine.state().clone(), *self.engine.totals())?;
        next.header.clone_from(&self.header);
        *self = next;
        Ok(())
    }

    /// Goes to a recorded frame.
    pub fn restore(&mut self, run: &Run, frame: usize) -> Result<(), Error> {
        if self.engine.lab().0.changes || stages::was_set(run) {
            return self.replay(run, frame);
        }
        self.engine.restore(run, frame)
    }
}
