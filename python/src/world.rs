//! A scene in motion, held by Python.

use crate::errors::{of_diagnostics, of_simulation, raise, shielded};
use crate::exit::detached;
use crate::forked::Owned;
use crate::inner::Inner;
use crate::law::PyLaw;
use crate::pool::with_threads;
use crate::report::{Report, ledger};
use crate::run::{array, fields};
use crate::state::State;
use delassus::dynamics::BodyLaw;
use delassus::record::{Extent, Options as RecordOptions, Recorder};
use delassus::scene;
use delassus::simulation::{self, Error, Options, Simulation, Totals};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A scene in motion.
#[pyclass(frozen, module = "delassus._core")]
pub struct World {
    inner: Mutex<Inner>,
    threads: Option<usize>,
    pub origin: String,
}

impl World {
    /// The inside, unless another thread is at it.
    pub fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        const BROKEN: &str = "a defect of the program left this world unusable: build it again";
        let refuse = |message: &str| raise(py, "WorldError", message.into(), None);
        let inner = self.inner.try_lock().map_err(|error| {
            refuse(match error {
                TryLockError::WouldBlock => {
                    "this world is in a step, made by another thread or asking a law that now uses it: one at a time"
                }
                TryLockError::Poisoned(_) => BROKEN,
            })
        })?;
        if inner.broken { Err(refuse(BROKEN)) } else { Ok(inner) }
    }

    /// As [`World::lock`], for what needs a world that can go on.
    pub fn sound(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        let inner = self.lock(py)?;
        if let Some(reason) = &inner.failed {
            let message = format!(
                "this world stopped in a step that could not be made ({reason}): give it a state, or reset() it"
            );
            return Err(raise(py, "WorldError", message, None));
        }
        Ok(inner)
    }
}

#[pymethods]
impl World {
    /// From a file, or from a text whose files are in `folder`.
    #[new]
    #[pyo3(signature = (path, text, origin, folder, overrides, variant, threads, steered, laws, failures, files))]
    #[allow(clippy::too_many_arguments, reason = "what the package passes on")]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        text: Option<String>,
        origin: String,
        folder: Option<PathBuf>,
        overrides: Vec<String>,
        variant: Option<String>,
        threads: Option<usize>,
        steered: Vec<String>,
        laws: Vec<(String, String, Py<PyAny>)>,
        failures: Option<PathBuf>,
        files: Vec<(String, Vec<u8>)>,
    ) -> PyResult<Self> {
        shielded(py, || {
            let laws: Vec<([String; 2], Arc<PyLaw>)> =
                laws.into_iter().map(|(a, b, f)| ([a, b], Arc::new(PyLaw::new(f)))).collect();
            let shared = |(names, law): &([String; 2], Arc<PyLaw>)| (names.clone(), law.clone() as Arc<dyn BodyLaw>);
            let options =
                Options { failures, threads, steered, laws: laws.iter().map(shared).collect(), ..Options::default() };
            let folder = folder.unwrap_or_default();
            let scene = match path {
                Some(path) => simulation::load(path, &overrides),
                None => simulation::read(&text.unwrap_or_default(), &origin, &folder, &overrides),
            };
            let mut scene = scene.map_err(|e| of_simulation(py, &e))?;
            if let Some(variant) = variant {
                scene = scene.with_variant(&variant).map_err(|d| of_diagnostics(py, &d))?;
            }
            let files = scene.files.clone().with(files.into_iter().map(|(name, content)| (name, content.into())));
            scene.keep_files(&files);
            let built = detached(py, || with_threads(threads, || Simulation::new(&scene, &options)));
            let simulation = built.map_err(|e| of_simulation(py, &e))?;
            let frame = simulation.header().frame();
            let before = (delassus::dynamics::State::default(), Totals::default());
            let laws = laws.into_iter().map(|(_, law)| law).collect();
            let inner = Inner {
                simulation,
                scene,
                laws,
                before,
                frame,
                looked: false,
                recorder: None,
                failed: None,
                broken: false,
            };
            Ok(Self { inner: Mutex::new(inner), threads, origin })
        })
    }

    /// Makes steps without the GIL, fewer where an event of the scene ends the run and is heeded; how many were made.
    fn step(&self, py: Python<'_>, steps: u64, heed: bool) -> PyResult<u64> {
        let mut guard = self.sound(py)?;
        let inner: &mut Inner = &mut guard;
        let (made, stop) = detached(py, || with_threads(self.threads, || inner.advance(steps, true, heed)));
        stop.map_or(Ok(made), |stop| Err(stop.raised(py)))
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.time())
    }

    #[getter]
    fn steps_made(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.lock(py)?.simulation.steps())
    }

    /// Step [s], end [s], steps, steps between frames.
    #[getter]
    fn clock(&self, py: Python<'_>) -> PyResult<(f64, f64, u64, u64)> {
        let inner = self.lock(py)?;
        let clock = inner.simulation.clock();
        Ok((clock.step, clock.end, clock.steps, clock.every))
    }

    /// Whether an event of the scene ended the run before its time.
    #[getter]
    fn stopped(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.lock(py)?.simulation.was_stopped())
    }

    #[getter]
    fn failed(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.lock(py)?.failed.clone())
    }

    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.lock(py)?.simulation.names())
    }

    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.lock(py)?.simulation.header().title.clone())
    }

    #[getter]
    fn dimension(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.simulation.header().dimension)
    }

    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<(String, Vec<String>)> {
        let inner = self.lock(py)?;
        Ok((inner.scene.text.clone(), inner.scene.overrides.clone()))
    }

    /// Rigid bodies.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> PyResult<usize> {
        let inner = self.lock(py)?;
        let header = inner.simulation.header();
        Ok(match header.position("bodies/position").map(|k| &header.fields[k].extent) {
            Some(Extent::Fixed(n)) => *n,
            _ => 0,
        })
    }

    /// Gravity as the scene gives it [m/s²]; none where it does not say.
    #[getter]
    fn gravity(&self, py: Python<'_>) -> PyResult<Option<Vec<f64>>> {
        Ok(self.lock(py)?.scene.description.gravity.clone())
    }

    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.lock(py)?.simulation.warnings().items.iter().map(|d| d.problem.to_string()).collect())
    }

    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<State> {
        let inner = self.lock(py)?;
        Ok(State { inner: inner.simulation.whole_state().clone(), totals: *inner.simulation.totals() })
    }

    fn set_state(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        shielded(py, || {
            let mut inner = self.lock(py)?;
            inner.simulation.set_state(state.inner.clone(), state.totals).map_err(|e| {
                let message = format!("this state does not belong to this world: {e}");
                raise(py, "WorldError", message, None)
            })?;
            (inner.failed, inner.looked) = (None, false);
            Ok(())
        })
    }

    /// Lengths of q and u.
    #[getter]
    fn sizes(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        let inner = self.lock(py)?;
        let state = inner.simulation.whole_state();
        Ok((state.q.len(), state.u.len()))
    }

    /// Copies q and u into arrays that the caller keeps; false where they have another length by now.
    fn read_into(&self, py: Python<'_>, q: &Bound<'_, PyArray1<f64>>, u: &Bound<'_, PyArray1<f64>>) -> PyResult<bool> {
        let inner = self.lock(py)?;
        let state = inner.simulation.whole_state();
        let (mut into_q, mut into_u) = (q.try_readwrite()?, u.try_readwrite()?);
        let (into_q, into_u) = (into_q.as_slice_mut()?, into_u.as_slice_mut()?);
        let fits = into_q.len() == state.q.len() && into_u.len() == state.u.len();
        if fits {
            into_q.copy_from_slice(&state.q);
            into_u.copy_from_slice(&state.u);
        }
        Ok(fits)
    }

    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        Ok(Report(self.lock(py)?.simulation.whole_report().clone()))
    }

    /// Energies at present, works since the start, worst residual, deepest penetration, counts.
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock(py)?;
        let totals = *inner.simulation.totals();
        let out = ledger(py, &totals.energy)?;
        out.set_item("worst_residual", totals.worst_residual)?;
        out.set_item("worst_balance", totals.worst_balance)?;
        out.set_item("deepest", totals.deepest)?;
        out.set_item("flagged", totals.flagged)?;
        out.set_item("retried", totals.retried)?;
        out.set_item("handed_over", totals.handed_over)?;
        Ok(out)
    }

    /// What can be asked for by [`World::field`].
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        Ok(fields(py, self.lock(py)?.simulation.header()))
    }

    /// The numbers of recorded fields at present, by name.
    fn read_fields<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        shielded(py, || {
            let mut guard = self.lock(py)?;
            let inner = &mut *guard;
            detached(py, || inner.look()).map_err(|e| of_simulation(py, &e))?;
            let Inner { simulation, frame, .. } = inner;
            let one = |name: &String| {
                let place = simulation.header().position(name).ok_or_else(|| {
                    let known: Vec<_> = simulation.header().fields.iter().map(|f| f.name.clone()).collect();
                    let message = format!("there is no field '{name}': expected one of {}", known.join(", "));
                    raise(py, "WorldError", message, None)
                })?;
                Ok(array(py, frame.columns[place].clone()))
            };
            names.iter().map(one).collect()
        })
    }

    /// Forces and torques until they are changed; flat, an empty array for none.
    fn set_forces(&self, py: Python<'_>, forces: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let inner = self.lock(py)?;
        let mut applied = inner.simulation.controls().applied.forces();
        applied.clear();
        applied.extend_from_slice(forces.as_slice()?);
        Ok(())
    }

    /// Straight lines from values at a time; numbers along the axes and the angle for a body, one for a motor.
    fn steer(&self, py: Python<'_>, name: &str, time: f64, values: Vec<f64>, rates: Vec<f64>) -> PyResult<()> {
        let inner = self.lock(py)?;
        let controls = inner.simulation.controls();
        let refuse = |message: String| raise(py, "WorldError", message, None);
        let steers = match (controls.bodies.get(name), controls.joints.get(name)) {
            (Some(list), _) => list.clone(),
            (_, Some(one)) => vec![one.clone()],
            _ => return Err(refuse(format!("'{name}' was not named in steered when the world was built"))),
        };
        if values.len() != steers.len() || rates.len() != steers.len() {
            return Err(refuse(format!("'{name}' is steered by {} numbers, not {}", steers.len(), values.len())));
        }
        if let Some(bad) = values.iter().chain(&rates).find(|x| !x.is_finite()) {
            return Err(refuse(format!("'{name}' cannot be steered by {bad}: expected finite numbers")));
        }
        for ((steer, value), rate) in steers.iter().zip(values).zip(rates) {
            steer.set(time, value, rate);
        }
        Ok(())
    }

    /// The contact problem of the coming step; nothing moves.
    fn next_step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        shielded(py, || {
            let mut guard = self.sound(py)?;
            let inner = &mut *guard;
            let next = detached(py, || inner.next_step());
            if let Some(error) = inner.laws.iter().find_map(|law| law.take_error()) {
                return Err(error);
            }
            crate::step::columns(py, next.map_err(|e| of_simulation(py, &e))?)
        })
    }

    /// Records from now on, every so many steps, the present state first.
    fn record(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        shielded(py, || {
            let mut inner = self.sound(py)?;
            if inner.recorder.as_mut().is_some_and(|r| r.get().is_some()) {
                return Err(raise(py, "WorldError", "this world is being recorded already".into(), None));
            }
            let options = RecordOptions { overwrite, ..Default::default() };
            let made = Recorder::create(&path, inner.simulation.header(), &options).map_err(Error::from);
            inner.recorder = Some(Owned::new(made.map_err(|e| of_simulation(py, &e))?));
            inner.record().map_err(|e| of_simulation(py, &e))
        })
    }

    /// One frame of how it stands, into a file of its own; a record that is being made goes on.
    fn snapshot(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        shielded(py, || {
            let mut guard = self.lock(py)?;
            let inner = &mut *guard;
            let made = Recorder::create(&path, inner.simulation.header(), &RecordOptions::default());
            let write = || -> Result<(), Error> {
                let mut recorder = made?;
                inner.look()?;
                recorder.write(&inner.frame)?;
                recorder.finish()?;
                Ok(())
            };
            write().map_err(|e| of_simulation(py, &e))
        })
    }

    /// Ends the record; frames written.
    fn end_record(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let mut inner = self.lock(py)?;
        let Some(recorder) = inner.recorder.take().and_then(Owned::take) else { return Ok(None) };
        let done = detached(py, || recorder.finish()).map_err(|e| of_simulation(py, &Error::from(e)))?;
        Ok(Some(done.frames))
    }
}

/// Names and first sentences of the scenes that come with the program.
#[pyfunction]
pub fn gallery() -> Vec<(&'static str, String)> {
    scene::gallery().iter().map(|e| (e.name, e.summary())).collect()
}

/// The text of a scene of the gallery; the error is the nearest name.
#[pyfunction]
pub fn example(name: &str) -> (Option<&'static str>, Option<&'static str>) {
    match scene::example(name) {
        Ok(example) => (Some(example.text), None),
        Err(nearest) => (None, nearest),
    }
}
