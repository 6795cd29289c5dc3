//! A contact law written in Python, asked once a step for all its contacts.

use crate::exit::attached;
use delassus::dynamics::{After, BodyLaw, MEMORY, Meeting, StepLaw};
use delassus::friction::Law;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A function of the contacts of a step: see `delassus.World`.
#[derive(Debug)]
pub struct PyLaw {
    function: Py<PyAny>,
    answers: Mutex<VecDeque<StepLaw>>,
    /// What is remembered of the contacts after the step, in the same order; none if the law keeps nothing.
    memories: Mutex<VecDeque<[f64; MEMORY]>>,
    raised: Mutex<Option<PyErr>>,
}

impl PyLaw {
    pub fn new(function: Py<PyAny>) -> Self {
        Self { function, answers: Mutex::default(), memories: Mutex::default(), raised: Mutex::default() }
    }

    /// What the function raised in the last step.
    pub fn take_error(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn ask(&self, py: Python<'_>, meetings: &[Meeting]) -> PyResult<Vec<StepLaw>> {
        let n = meetings.len();
        let column = |f: &dyn Fn(&Meeting) -> f64| meetings.iter().map(f).collect::<Vec<f64>>().into_pyarray(py);
        let before: Vec<Vec<f64>> = meetings.iter().map(|m| m.before[..m.components].to_vec()).collect();
        let seen = PyDict::new(py);
        seen.set_item("gap", column(&|m| m.gap))?;
        seen.set_item("velocity", PyArray2::from_vec2(py, &before).map_err(|e| PyValueError::new_err(e.to_string()))?)?;
        let memory: Vec<Vec<f64>> = meetings.iter().map(|m| m.memory.to_vec()).collect();
        seen.set_item("memory", PyArray2::from_vec2(py, &memory).map_err(|e| PyValueError::new_err(e.to_string()))?)?;
        seen.set_item("closed", meetings.iter().map(|m| m.closed).collect::<Vec<_>>().into_pyarray(py))?;
        seen.set_item("time", meetings.first().map_or(0.0, |m| m.time))?;
        seen.set_item("step", meetings.first().map_or(0.0, |m| m.h))?;
        // The wrapper on the side of Python brings answers into columns.
        let answer = self.function.bind(py).call1((seen,))?;
        let columns = |name: &str, width: usize| -> PyResult<Vec<f64>> {
            let array = answer.get_item(name)?;
            let array = array.cast::<PyArray1<f64>>()?;
            let x = array.readonly().as_slice()?.to_vec();
            match x.len() == n * width && x.iter().all(|x| x.is_finite()) {
                true => Ok(x),
                false => {
                    Err(PyValueError::new_err(format!("a law answered '{name}' with numbers that are not finite")))
                }
            }
        };
        let (mu, restitution) = (columns("mu", 1)?, columns("restitution", 2)?);
        let (cohesion, threshold) = (columns("cohesion", 1)?, columns("threshold", 1)?);
        let memory = if answer.contains("memory")? { columns("memory", MEMORY)? } else { vec![] };
        let memory = memory.chunks_exact(MEMORY).map(|m| std::array::from_fn(|k| m[k]));
        *self.memories.lock().unwrap_or_else(PoisonError::into_inner) = memory.collect();
        Ok((0..n)
            .map(|i| {
                let meeting = &meetings[i];
                let mut law = match threshold[i] {
                    t if t > 0.0 => StepLaw::new(Law::Tresca { threshold: t * meeting.h }),
                    _ => StepLaw::coulomb(mu[i], meeting),
                };
                law.restitution = [restitution[2 * i], restitution[2 * i + 1]];
                law.offset[0] = cohesion[i] * meeting.h;
                law
            })
            .collect())
    }
}

impl BodyLaw for PyLaw {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn foresee(&self, meetings: &[Meeting]) {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let answers = match meetings {
            [] => Ok(vec![]),
            _ => attached(|py| self.ask(py, meetings)),
        };
        let answers = answers.unwrap_or_else(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            vec![]
        });
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner) = answers.into();
    }

    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        // After an exception the step is undone, whatever it does.
        next.unwrap_or_else(|| StepLaw::coulomb(0.0, meeting))
    }

    /// Contacts come in the order of their laws.
    fn remember(&self, _: &Meeting, _: &After, memory: &mut [f64; MEMORY]) {
        if let Some(kept) = self.memories.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
            *memory = kept;
        }
    }

    fn pulls(&self) -> bool {
        true
    }
}
