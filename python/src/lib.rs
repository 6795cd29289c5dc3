//! The engine as a Python module, `delassus._core`
//!
//! Bindings alone: arrays in, arrays out, the GIL released around the numerics, errors as exceptions of
//! `delassus.errors` that carry their values. What users see is the package in `python/delassus`.

mod errors;
mod exit;
mod explore;
mod forked;
mod friction;
mod inner;
mod law;
mod pool;
mod report;
mod run;
mod state;
mod step;
mod together;
mod world;

use exit::detached;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// The engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::command;
    #[pymodule_export]
    use super::explore::{explore_problem, explore_world};
    #[pymodule_export]
    use super::friction::{Problem, solver_names};
    #[pymodule_export]
    use super::report::Report;
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::together::step_together;
    #[pymodule_export]
    use super::world::{World, example, gallery};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::pool::remember_home();
        // NumPy's interface is asked for here and not by the first array, where Ctrl-C could come between.
        let array = numpy::PyArray1::<f64>::zeros(module.py(), 0, false);
        numpy::PyArrayMethods::try_readonly(&array)?;
        let leave = wrap_pyfunction!(super::exit::leave, module)?;
        module.py().import("atexit")?.call_method1("register", (leave,))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Does what the command `delassus` does with these words; the exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let name = OsString::from("delassus");
    let code = detached(py, || delassus::command_line(std::iter::once(name).chain(words)));
    (0..=u8::MAX).find(|c| ExitCode::from(*c) == code).unwrap_or(2)
}
