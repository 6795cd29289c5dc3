//! Run files, read as they are asked for.

use crate::errors::{of_record, raise, shielded, values};
use crate::exit::detached;
use delassus::record::{Column, Extent, Run as Inner};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A run on disk.
#[pyclass(frozen, module = "delassus._core")]
pub struct Run {
    inner: Mutex<Option<Inner>>,
}

/// The numbers of a column, in their own type.
pub fn array<'py>(py: Python<'py>, column: Column) -> Bound<'py, PyAny> {
    match column {
        Column::F64(x) => x.into_pyarray(py).into_any(),
        Column::F32(x) => x.into_pyarray(py).into_any(),
        Column::U64(x) => x.into_pyarray(py).into_any(),
        Column::U32(x) => x.into_pyarray(py).into_any(),
        Column::I32(x) => x.into_pyarray(py).into_any(),
        Column::U8(x) => x.into_pyarray(py).into_any(),
    }
}

/// What a header says of its fields.
pub fn fields<'py>(py: Python<'py>, header: &delassus::record::Header) -> Vec<Bound<'py, PyDict>> {
    let one = |f: &delassus::record::Field| {
        let (kind, group, items) = match &f.extent {
            Extent::Fixed(n) => ("fixed", None, Some(*n)),
            Extent::Ragged(group) => ("ragged", Some(group.clone()), None),
            Extent::Scalar => ("scalar", None, None),
        };
        let (name, dtype, unit, about) = (f.name.clone(), f.kind.name(), f.unit.clone(), f.about.clone());
        values!(py; name = name, dtype = dtype, width = f.width, extent = kind, group = group, items = items,
            unit = unit, about = about)
    };
    header.fields.iter().map(one).collect()
}

impl Run {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Inner) -> Result<T, delassus::record::Error> + Send,
    ) -> PyResult<T> {
        shielded(py, || {
            let found = detached(py, || {
                let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
                inner.as_ref().map(read)
            });
            match found {
                Some(result) => result.map_err(|e| of_record(py, &e)),
                None => {
                    Err(raise(py, "RunError", "this run is closed: open it again with delassus.Run(path)".into(), None))
                }
            }
        })
    }
}

#[pymethods]
impl Run {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        shielded(py, || {
            let inner = detached(py, || Inner::open(&path)).map_err(|e| of_record(py, &e))?;
            Ok(Self { inner: Mutex::new(Some(inner)) })
        })
    }

    fn close(&self, py: Python<'_>) {
        detached(py, || *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = None);
    }

    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        detached(py, || self.inner.lock().unwrap_or_else(PoisonError::into_inner).is_none())
    }

    /// Title, dimension, scene, overrides, fields and the rest of the header.
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let header = self.with(py, |run| Ok(run.header().clone()))?;
        let bodies: Vec<_> = header
            .geometry
            .iter()
            .map(|g| {
                let points: Vec<[f64; 3]> = (0..g.len()).map(|i| g.point(i)).collect();
                let (name, material) = (g.name.to_string(), g.material.to_string());
                let polygons = g.outline.polygons.clone();
                values!(py; name = name, body = g.body, material = material, points = points, polygons = polygons)
            })
            .collect();
        let attributes = header.attributes.clone();
        Ok(values!(py; title = header.title.clone(), dimension = header.dimension, scene = header.scene.clone(),
            overrides = header.overrides.clone(), program = header.program.clone(), fields = fields(py, &header),
            bodies = bodies, attributes = attributes))
    }

    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.with(py, |run| Ok(run.times().to_vec()))?.into_pyarray(py).into_any())
    }

    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.with(py, |run| Ok(run.steps().to_vec()))?.into_pyarray(py).into_any())
    }

    /// Whether another process is writing it.
    #[getter]
    fn growing(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |run| Ok(run.is_growing()))
    }

    fn read<'py>(&self, py: Python<'py>, frame: usize, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(array(py, self.with(py, |run| run.read(frame, name))?))
    }

    fn series<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(array(py, self.with(py, |run| run.series(name))?))
    }

    fn items(&self, py: Python<'_>, frame: usize, name: &str) -> PyResult<usize> {
        self.with(py, |run| run.items(frame, name))
    }

    /// Compares every frame with its hash.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Inner::verify)
    }
}
