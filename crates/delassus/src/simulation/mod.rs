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

mod bodies;
mod coming;
mod fields;
mod flow;
mod geometry;
mod sums;
mod totals;

use bodies::{Bodies, Engine};
pub use coming::Coming;
use delassus_record::{Frame, Header, Run};
use delassus_rigid::{Report, State, StepError};
use delassus_scene::{Built, Clock, Diagnostics, Scene};
use std::path::PathBuf;
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
    /// The run cannot be read or written.
    #[error("{0}")]
    Record(#[from] delassus_record::Error),
    /// The frame of a run does not belong to the scene.
    #[error("frame {frame} does not fit the scene: {reason}")]
    Frame {
        /// The frame.
        frame: usize,
        /// What contradicts what.
        reason: String,
    },
}

/// What a caller may change in a scene before it runs.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder for the contact problems of steps that do not converge.
    pub failures: Option<PathBuf>,
    /// Threads, instead of those of the scene.
    pub threads: Option<usize>,
}

/// A scene in motion.
pub struct Simulation {
    engine: Box<dyn Engine>,
    clock: Clock,
    header: Header,
    totals: Totals,
}

impl Simulation {
    /// Builds the scene and stands at its start.
    pub fn new(scene: &Scene, options: &Options) -> Result<Self, Error> {
        let (engine, clock): (Box<dyn Engine>, _) = match scene.build()? {
            Built::Plane(setup) => {
                let clock = setup.clock;
                (Box::new(Bodies::new(*setup, options)?), clock)
            }
            Built::Space(setup) => {
                let clock = setup.clock;
                (Box::new(Bodies::new(*setup, options)?), clock)
            }
        };
        let mut header = engine.header();
        header.scene.clone_from(&scene.text);
        header.overrides.clone_from(&scene.overrides);
        header.program = format!("delassus {}", env!("CARGO_PKG_VERSION"));
        header.attributes.insert("folder".into(), scene.folder.display().to_string());
        Ok(Self { engine, clock, header, totals: Totals::default() })
    }

    /// Makes one step.
    pub fn step(&mut self) -> Result<&Report, Error> {
        // Means are over the steps since the last frame.
        if self.is_due() {
            self.engine.begin();
        }
        let report = self.engine.step()?;
        self.totals.follow(report);
        Ok(report)
    }

    /// The contact problem of the coming step; nothing moves.
    pub fn pose(&mut self) -> Result<Coming, Error> {
        Ok(self.engine.pose()?)
    }

    /// Steps and frames of the run.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The state.
    pub fn state(&self) -> &State {
        self.engine.state()
    }

    /// The report of the last step.
    pub fn report(&self) -> &Report {
        self.engine.report()
    }

    /// Sums and extremes since the start.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Names of the bodies, by index.
    pub fn names(&self) -> Vec<String> {
        self.engine.names()
    }

    /// True when the last step is made.
    pub fn is_over(&self) -> bool {
        self.state().step >= self.clock.steps
    }

    /// Whether the present state belongs into the record.
    pub fn is_due(&self) -> bool {
        self.state().step.is_multiple_of(self.clock.every) || self.is_over()
    }

    /// The header of the record.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Writes the present state into a frame of [`Simulation::header`].
    pub fn fill(&mut self, frame: &mut Frame) {
        let state = self.engine.state();
        (frame.step, frame.time) = (state.step, state.time);
        frame.clear();
        self.engine.fill(&self.totals, frame);
    }

    /// Goes to a recorded frame.
    pub fn restore(&mut self, run: &Run, frame: usize) -> Result<(), Error> {
        let (state, totals) = fields::read(run, frame, self.engine.dimension())?;
        self.engine.set_state(state)?;
        self.engine.resume(run, frame)?;
        self.totals = totals;
        Ok(())
    }
}
