//! Exactly what a restart needs, as an immutable value that can be pickled.

use crate::errors::raise;
use delassus::dynamics::{LINK, State as Inner};
use delassus::simulation::Totals;
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArrayLike1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Steps beyond which their number has no room to grow, and times no digits.
const LAST_STEP: u64 = 1 << 53;

/// Columns of [`State`]: step, time, q, u, keys, images, numbers of contacts, links, totals.
type Parts<'py> = (
    u64,
    f64,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// Configuration, velocities, percussions by contact, clock, and the sums of the run so far.
#[pyclass(frozen, eq, module = "delassus._core")]
#[derive(PartialEq)]
pub struct State {
    pub inner: Inner,
    pub totals: Totals,
}

#[pymethods]
impl State {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the columns of a state")]
    fn new(
        py: Python<'_>,
        step: u64,
        time: f64,
        q: PyReadonlyArray1<'_, f64>,
        u: PyReadonlyArray1<'_, f64>,
        keys: PyReadonlyArray1<'_, u32>,
        images: PyReadonlyArray1<'_, i32>,
        numbers: PyReadonlyArray1<'_, f64>,
        links: PyReadonlyArray1<'_, f64>,
        totals: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let refuse = |what: &str| raise(py, "WorldError", format!("this is no state: {what}"), None);
        let contacts = Inner::contacts_from_columns(keys.as_slice()?, images.as_slice()?, numbers.as_slice()?)
            .ok_or_else(|| refuse("the columns of the contacts disagree"))?;
        let links = links.as_slice()?.chunks_exact(LINK);
        if !links.remainder().is_empty() {
            return Err(refuse("the percussions of the links are incomplete"));
        }
        let links = links.map(|l| std::array::from_fn(|k| l[k])).collect();
        let totals = Totals::of_numbers(totals.as_slice()?).ok_or_else(|| refuse("its sums are incomplete"))?;
        if step > LAST_STEP {
            return Err(refuse("no run has so many steps"));
        }
        let (q, u) = (q.as_slice()?.to_vec(), u.as_slice()?.to_vec());
        if !time.is_finite() || q.iter().chain(&u).any(|x| !x.is_finite()) {
            return Err(refuse("it is not finite"));
        }
        Ok(Self { inner: Inner { step, time, q, u, contacts, links }, totals })
    }

    /// Everything, column by column.
    fn parts<'py>(&self, py: Python<'py>) -> Parts<'py> {
        let s = &self.inner;
        let (keys, images, numbers) = s.contact_columns();
        let links: Vec<f64> = s.links.iter().flatten().copied().collect();
        (
            s.step,
            s.time,
            s.q.clone().into_pyarray(py),
            s.u.clone().into_pyarray(py),
            keys.into_pyarray(py),
            images.into_pyarray(py),
            numbers.into_pyarray(py),
            links.into_pyarray(py),
            self.totals.to_numbers().into_pyarray(py),
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, Parts<'py>) {
        (slf.get_type().into_any(), slf.get().parts(slf.py()))
    }

    #[getter]
    fn time(&self) -> f64 {
        self.inner.time
    }

    #[getter]
    fn step(&self) -> u64 {
        self.inner.step
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.q.clone().into_pyarray(py)
    }

    #[getter]
    fn u<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.u.clone().into_pyarray(py)
    }

    /// The same with other configuration or velocities; percussions are kept.
    #[pyo3(signature = (q=None, u=None))]
    fn replace(
        &self,
        py: Python<'_>,
        q: Option<PyArrayLike1<'_, f64, AllowTypeChange>>,
        u: Option<PyArrayLike1<'_, f64, AllowTypeChange>>,
    ) -> PyResult<Self> {
        let mut inner = self.inner.clone();
        for (name, new, old) in [("q", q, &mut inner.q), ("u", u, &mut inner.u)] {
            let Some(new) = new else { continue };
            let new: Vec<f64> = new.as_array().iter().copied().collect();
            let complain = |message: String| raise(py, "WorldError", message, None);
            if new.len() != old.len() {
                return Err(complain(format!("{name} has {} numbers, expected {}", new.len(), old.len())));
            }
            if let Some(k) = new.iter().position(|x| !x.is_finite()) {
                return Err(complain(format!("{name}[{k}] is {}, expected a finite number", new[k])));
            }
            old.copy_from_slice(&new);
        }
        Ok(Self { inner, totals: self.totals })
    }

    /// A hash of every bit.
    #[getter]
    fn hash(&self) -> String {
        self.inner.hash_hex()
    }

    fn __repr__(&self) -> String {
        let s = &self.inner;
        format!(
            "<State step={} time={} dofs={} contacts={} hash={}>",
            s.step,
            s.time,
            s.u.len(),
            s.contacts.len(),
            &s.hash_hex()[..8]
        )
    }
}
