//! What a step tells.

use delassus::dynamics::{Event, Ledger, Report as Inner, WORKS};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The account of one step.
#[pyclass(frozen, module = "delassus._core")]
pub struct Report(pub Inner);

/// Energies and works by name.
pub fn ledger<'py>(py: Python<'py>, energy: &Ledger) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, value) in [("kinetic", energy.kinetic), ("potential", energy.potential), ("strain", energy.strain)] {
        out.set_item(name, value)?;
    }
    for ((name, _), value) in WORKS.iter().zip(energy.numbers()) {
        out.set_item(*name, value)?;
    }
    Ok(out)
}

/// A word for a status, as files and commands have it.
pub fn status(status: delassus::friction::Status) -> String {
    serde_json::to_value(status).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

macro_rules! numbers {
    ($($(#[$about:meta])* $name:ident: $ty:ty),* $(,)?) => {
        #[pymethods]
        impl Report {
            $($(#[$about])* #[getter] fn $name(&self) -> $ty { self.0.$name })*

            /// How the solver ended.
            #[getter]
            fn status(&self) -> String {
                status(self.0.status)
            }

            /// True when the laws hold to the tolerance.
            #[getter]
            fn converged(&self) -> bool {
                self.0.converged()
            }

            /// Energies at the end and works of the step [J].
            #[getter]
            fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                ledger(py, &self.0.energy)
            }

            /// Out of the ordinary, in words.
            #[getter]
            fn events(&self) -> Vec<String> {
                self.0.events.iter().map(words).collect()
            }

            /// Seconds of the stages: detect, reduce, solve, commit.
            #[getter]
            fn timings(&self) -> (f64, f64, f64, f64) {
                let t = &self.0.timings;
                (t.detect, t.reduce, t.solve, t.commit)
            }

            fn __repr__(&self) -> String {
                let r = &self.0;
                format!(
                    "<Report step={} time={:.6} contacts={} residual={:.1e} {}>",
                    r.step, r.time, r.contacts, r.residual + 0.0, status(r.status)
                )
            }
        }
    };
}

numbers! {
    /// Number of the step.
    step: u64,
    /// Time at its end [s].
    time: f64,
    /// Its length [s].
    h: f64,
    /// Relative residual of the laws.
    residual: f64,
    /// The same in velocity units [m/s].
    absolute: f64,
    /// Iterations of all solvers.
    iterations: usize,
    /// Contacts that took part.
    contacts: usize,
    /// Contacts detected, open ones included.
    candidates: usize,
    /// Blocks of joints that took part.
    links: usize,
    /// Bodies found exactly at rest.
    at_rest: usize,
    /// Deepest penetration [m].
    max_penetration: f64,
    /// Largest defect of the joints [m].
    joint_drift: f64,
    /// Relative residual of the balance of solids.
    balance: f64,
    /// Parts the step was made in.
    parts: usize,
}

fn words(event: &Event) -> String {
    match event {
        Event::HandedOver { sweeps, iterations } => {
            format!("another solver took over after {sweeps} sweeps, {iterations} iterations")
        }
        Event::Retried { parts } => format!("made again in {parts} smaller steps"),
        Event::Cut { parts, .. } => format!("made in {parts} parts, for fast bodies"),
        Event::NotConverged(failure) => format!("{failure}; accepted and flagged"),
    }
}
