//! What a world owns, and its steps.

use crate::errors::{of_defect, of_simulation, said};
use crate::exit::attached;
use crate::forked::Owned;
use crate::friction::PATIENCE;
use crate::law::PyLaw;
use delassus::record::Frame;
use delassus::scene::Scene;
use delassus::simulation::{Error, NextStep, Simulation, Totals};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// What a world owns.
pub struct Inner {
    pub simulation: Simulation,
    pub scene: Scene,
    pub laws: Vec<Arc<PyLaw>>,
    /// Where it stood before the step, where laws of Python may end it.
    pub before: (delassus::dynamics::State, Totals),
    pub frame: Frame,
    /// Whether the frame holds what the last step left, because the coming one was looked at since.
    pub looked: bool,
    pub recorder: Option<Owned>,
    /// Why it cannot go on until it is given a state.
    pub failed: Option<String>,
    /// Whether a defect of the program left it in an unknown state.
    pub broken: bool,
}

/// Why steps ended early.
pub enum Stop {
    Engine(Error),
    Python(PyErr),
    Defect(String),
}

impl Stop {
    /// As what is raised.
    pub fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Engine(error) => of_simulation(py, &error),
            Self::Python(error) => error,
            Self::Defect(said) => of_defect(py, &said),
        }
    }
}

impl Inner {
    /// Makes steps, fewer where an event of the scene ends the run and is heeded; with the number made.
    pub fn advance(&mut self, steps: u64, watch: bool, heed: bool) -> (u64, Option<Stop>) {
        catch_unwind(AssertUnwindSafe(|| self.go_on(steps, watch, heed))).unwrap_or_else(|panic| {
            self.broken = true;
            (0, Some(Stop::Defect(said(&*panic))))
        })
    }

    fn go_on(&mut self, steps: u64, watch: bool, heed: bool) -> (u64, Option<Stop>) {
        let mut last = Instant::now();
        for made in 0..steps {
            if let Err(stop) = self.one() {
                return (made, Some(stop));
            }
            if heed && self.simulation.was_stopped() {
                return (made + 1, None);
            }
            if watch && last.elapsed() > PATIENCE {
                last = Instant::now();
                if let Err(error) = attached(|py| py.check_signals()) {
                    return (made + 1, Some(Stop::Python(error)));
                }
            }
        }
        (steps, None)
    }

    fn one(&mut self) -> Result<(), Stop> {
        if !self.laws.is_empty() {
            self.before.0.clone_from(self.simulation.whole_state());
            self.before.1 = *self.simulation.totals();
        }
        self.looked = false;
        let stepped = self.simulation.step().map(drop);
        if let Some(error) = self.laws.iter().find_map(|law| law.take_error()) {
            let (state, totals) = (self.before.0.clone(), self.before.1);
            if let Err(lost) = self.simulation.set_state(state, totals) {
                self.failed = Some(lost.to_string());
            }
            return Err(Stop::Python(error));
        }
        if let Err(error) = stepped {
            self.failed = Some(error.to_string());
            return Err(Stop::Engine(error));
        }
        if self.recorder.is_some() && self.simulation.is_due() {
            self.record().map_err(Stop::Engine)?;
        }
        Ok(())
    }

    /// A frame into the record, if there is one.
    pub fn record(&mut self) -> Result<(), Error> {
        if self.recorder.as_mut().is_some_and(|r| r.get().is_none()) {
            self.recorder = None; // that of the process from which this one was forked
        }
        let Some(mut own) = self.recorder.take() else { return Ok(()) };
        let written = self.look().and_then(|()| match own.get() {
            Some(recorder) => Ok(recorder.write(&self.frame)?),
            None => Ok(()),
        });
        self.recorder = Some(own);
        written
    }

    /// Fills the frame with how it stands.
    pub fn look(&mut self) -> Result<(), Error> {
        if self.looked { Ok(()) } else { self.simulation.fill(&mut self.frame) }
    }

    /// The contact problem of the coming step; what the last step left can be asked for all the same.
    pub fn next_step(&mut self) -> Result<NextStep, Error> {
        self.look()?;
        self.looked = true;
        self.simulation.next_step()
    }
}
