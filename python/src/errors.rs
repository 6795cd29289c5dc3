//! From the errors of the engine to the exceptions of `delassus.errors`, which carry the values.

use delassus::friction::fclib::{Fault, FclibError};
use delassus::{friction, scene, simulation};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a panic said.
pub fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

/// A defect of the program as an exception that `except Exception` catches, which PyO3's own is not.
pub fn of_defect(py: Python<'_>, said: &str) -> PyErr {
    raise(py, "DefectError", format!("a defect of the program, not of what was asked: {said}"), None)
}

/// Does what may have a defect.
pub fn shielded<R>(py: Python<'_>, work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_defect(py, &said(&*panic))))
}

/// An exception of the class, with attributes.
pub fn raise(py: Python<'_>, class: &str, message: String, values: Option<&Bound<'_, PyDict>>) -> PyErr {
    let made = py
        .import("delassus.errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call((message,), values));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A dictionary of attributes.
macro_rules! values {
    ($py:expr; $($name:ident = $value:expr),* $(,)?) => {{
        let values = pyo3::types::PyDict::new($py);
        $(let _ = pyo3::types::PyDictMethods::set_item(&values, stringify!($name), $value);)*
        values
    }};
}
pub(crate) use values;

/// A problem or a setting that makes no sense.
pub fn of_friction(py: Python<'_>, error: &friction::Error) -> PyErr {
    use friction::Error as E;
    let message = error.to_string();
    let values = match error {
        E::Size { what, expected, found } | E::Shape { what, expected, found } => {
            values!(py; what = *what, expected = *expected, found = *found)
        }
        E::NonFinite { what, contact, component } => {
            values!(py; what = *what, contact = *contact, component = *component)
        }
        E::NonFiniteBlock { row, column } => values!(py; what = "W", row = *row, column = *column),
        E::NonFiniteEntry { what, row, column } => values!(py; what = *what, row = *row, column = *column),
        E::Law { contact, .. } | E::Root { contact } => values!(py; contact = *contact),
        E::SingularInertia { dof } => values!(py; dof = *dof),
        E::Setting { name, value, expected } => values!(py; name = *name, value = *value, expected = *expected),
        E::UnknownSolver { name, expected, suggestion } => {
            values!(py; name = name, expected = expected, suggestion = *suggestion)
        }
        E::Unsupported { solver, reason } => values!(py; solver = *solver, reason = *reason),
    };
    raise(py, "ProblemError", message, Some(&values))
}

/// A file that cannot be read or written.
pub fn of_fclib(py: Python<'_>, error: &FclibError) -> PyErr {
    if let Fault::Io(source) = &error.fault
        && let Some(number) = source.raw_os_error()
    {
        // As open() has it: FileNotFoundError and its kin.
        return PyOSError::new_err((number, source.to_string(), error.file.clone()));
    }
    let values = values!(py; file = &error.file, item = &error.item);
    raise(py, "ProblemError", error.to_string(), Some(&values))
}

/// A scene that is refused.
pub fn of_diagnostics(py: Python<'_>, diagnostics: &scene::Diagnostics) -> PyErr {
    let items = diagnostics.items.iter().map(|d| {
        let place = d.place.as_ref();
        let (file, line, column) = (place.map(|p| p.origin.clone()), place.map(|p| p.line), place.map(|p| p.column));
        let (problem, help) = (d.problem.to_string(), d.help.clone());
        let severity = format!("{:?}", d.severity).to_lowercase();
        values!(py; severity = severity, problem = problem, file = file, line = line, column = column, help = help)
    });
    let values = values!(py; diagnostics = items.collect::<Vec<_>>());
    raise(py, "SceneError", diagnostics.to_string(), Some(&values))
}

/// A simulation that could not start or go on.
pub fn of_simulation(py: Python<'_>, error: &simulation::Error) -> PyErr {
    use simulation::Error as E;
    match error {
        E::Scene(diagnostics) => of_diagnostics(py, diagnostics),
        E::Record(error) => of_record(py, error),
        E::Control { name, reason } => {
            let values = values!(py; name = name, reason = reason);
            raise(py, "SceneError", error.to_string(), Some(&values))
        }
        E::Step(delassus::rigid::StepError::NotConverged(failure)) => {
            let values = values!(py;
                step = failure.step, time = failure.time, residual = failure.residual,
                tolerance = failure.tolerance, iterations = failure.iterations, worst = failure.names.clone(),
                file = failure.file.clone());
            raise(py, "StepError", error.to_string(), Some(&values))
        }
        E::Step(_) | E::Stress { .. } => raise(py, "StepError", error.to_string(), None),
        _ => raise(py, "SceneError", error.to_string(), None),
    }
}

/// A run file that cannot be read or written.
pub fn of_record(py: Python<'_>, error: &delassus::record::Error) -> PyErr {
    raise(py, "RunError", error.to_string(), None)
}
