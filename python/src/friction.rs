//! One step alone: problems, their solutions, FCLIB files.

use crate::errors::{of_fclib, of_friction, raise, shielded, values};
use crate::exit::{attached, detached};
use crate::pool::with_threads;
use delassus::friction::algebra::{BlockMatrix, Csr, Vector};
use delassus::friction::fclib::{self, File, Global, Info, Local};
use delassus::friction::solver::{Control, Progress};
use delassus::friction::{AnyProblem, Certificate, Error, Law, Settings, SolverKind};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two looks for Ctrl-C.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// A sparse matrix: shape, starts of rows, columns, values.
type Sparse<'py> = ((usize, usize), PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f64>);

/// Percussions, relative velocities, velocities of bodies, and the rest as JSON.
type Solved<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>, String);

/// A problem of one step.
#[pyclass(frozen, module = "delassus._core")]
pub struct Problem {
    problem: AnyProblem,
    /// As FCLIB has it, unless the laws are others than that format knows.
    file: Option<File>,
}

fn matrix((shape, start, column, value): &Sparse<'_>) -> PyResult<Csr> {
    let whole = |x: &PyReadonlyArray1<'_, i64>| -> PyResult<Vec<usize>> {
        x.as_slice()?
            .iter()
            .map(|i| usize::try_from(*i).map_err(|_| PyValueError::new_err("a sparse matrix has a negative index")))
            .collect()
    };
    let value = value.as_slice()?.to_vec();
    Ok(Csr { rows: shape.0, columns: shape.1, start: whole(start)?, column: whole(column)?, value })
}

fn known<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|e| of_friction(py, &e))
}

/// Relative residual and its parts, whatever the form.
fn certify(problem: &AnyProblem, r: &[f64]) -> Result<Certificate, Error> {
    fn of<const D: usize>(problem: &delassus::friction::Problem<D>, r: &[f64]) -> Result<Certificate, Error> {
        if r.len() != D * problem.len() {
            return Err(Error::Shape {
                what: "length of the percussions",
                expected: D * problem.len(),
                found: r.len(),
            });
        }
        let s: Vec<Vector<D>> = r.chunks_exact(D).map(Vector::from_column_slice).collect();
        Ok(Certificate::new(problem, &s))
    }
    match problem {
        AnyProblem::Local2(p) => of(p, r),
        AnyProblem::Local3(p) => of(p, r),
        AnyProblem::Local5(p) => of(p, r),
        AnyProblem::Global2(p) => of(&p.condense()?, r),
        AnyProblem::Global3(p) => of(&p.condense()?, r),
        AnyProblem::Global5(p) => of(&p.condense()?, r),
    }
}

/// A local problem with laws that FCLIB does not know.
fn with_laws(py: Python<'_>, w: &Csr, q: &[f64], laws: Vec<Law>, dimension: usize) -> PyResult<AnyProblem> {
    fn of<const D: usize>(w: &Csr, q: &[f64], laws: Vec<Law>) -> Result<delassus::friction::Problem<D>, Error> {
        let blocks = BlockMatrix::from_csr(laws.len(), &w.start, &w.column, &w.value);
        delassus::friction::Problem::new(blocks, q.chunks_exact(D).map(Vector::from_column_slice).collect(), laws)
    }
    Ok(match dimension {
        2 => AnyProblem::Local2(known(py, of(w, q, laws))?),
        3 => AnyProblem::Local3(known(py, of(w, q, laws))?),
        5 => AnyProblem::Local5(known(py, of(w, q, laws))?),
        _ => return Err(PyValueError::new_err(format!("contacts of {dimension} components: expected 2, 3 or 5"))),
    })
}

impl Problem {
    /// The problem of one step, for explorations.
    pub fn any(&self) -> &AnyProblem {
        &self.problem
    }

    fn of_file(py: Python<'_>, file: File) -> PyResult<Self> {
        Ok(Self { problem: known(py, AnyProblem::from_fclib(&file))?, file: Some(file) })
    }
}

#[pymethods]
impl Problem {
    /// `U = W S + b`.
    #[staticmethod]
    #[pyo3(signature = (w, b, mu, mu_r, dimension, laws))]
    #[allow(clippy::too_many_arguments, reason = "the matrix, the vectors and the laws of the local form")]
    fn local(
        py: Python<'_>,
        w: Sparse<'_>,
        b: PyReadonlyArray1<'_, f64>,
        mu: PyReadonlyArray1<'_, f64>,
        mu_r: Option<PyReadonlyArray1<'_, f64>>,
        dimension: usize,
        laws: Option<String>,
    ) -> PyResult<Self> {
        shielded(py, || {
            let (w, q, mu) = (matrix(&w)?, b.as_slice()?.to_vec(), mu.as_slice()?.to_vec());
            let mut mu_r = mu_r.map(|x| x.as_slice().map(<[f64]>::to_vec)).transpose()?;
            if laws.is_some() && dimension == 5 {
                mu_r = Some(vec![0.0; mu.len()]); // the laws say it; the file only checks shapes
            }
            let space_dim = if mu_r.is_some() { dimension.div_ceil(2) } else { dimension };
            let problem = fclib::Problem::Local(Local { w, q, equality: None });
            let file = File { space_dim, info: None, problem, mu, mu_r, guesses: vec![], solution: None };
            file.validate("problem").map_err(|e| of_fclib(py, &e))?;
            let Some(laws) = laws else { return Self::of_file(py, file) };
            let mut laws: Vec<Law> = serde_json::from_str(&laws)
                .map_err(|e| raise(py, "ProblemError", format!("the laws cannot be understood: {e}"), None))?;
            for law in &mut laws {
                if let Law::Limited { limit } = law {
                    // JSON has no infinity.
                    limit.iter_mut().filter(|l| **l == f64::MAX).for_each(|l| *l = f64::INFINITY);
                }
            }
            if laws.len() != file.mu.len() {
                let (expected, found) = (file.mu.len(), laws.len());
                return Err(of_friction(py, &Error::Size { what: "laws", expected, found }));
            }
            let fclib::Problem::Local(local) = &file.problem else { unreachable!("made so above") };
            Ok(Self { problem: with_laws(py, &local.w, &local.q, laws, dimension)?, file: None })
        })
    }

    /// `M v = f + H S`, `U = Hᵀ v + w`.
    #[staticmethod]
    #[pyo3(signature = (m, h, f, w, mu, mu_r, dimension))]
    #[allow(clippy::too_many_arguments, reason = "the matrices and vectors of the global form")]
    fn global_form(
        py: Python<'_>,
        m: Sparse<'_>,
        h: Sparse<'_>,
        f: PyReadonlyArray1<'_, f64>,
        w: PyReadonlyArray1<'_, f64>,
        mu: PyReadonlyArray1<'_, f64>,
        mu_r: Option<PyReadonlyArray1<'_, f64>>,
        dimension: usize,
    ) -> PyResult<Self> {
        shielded(py, || {
            let (f, w, mu) = (f.as_slice()?.to_vec(), w.as_slice()?.to_vec(), mu.as_slice()?.to_vec());
            let mu_r = mu_r.map(|x| x.as_slice().map(<[f64]>::to_vec)).transpose()?;
            let space_dim = if mu_r.is_some() { dimension.div_ceil(2) } else { dimension };
            let problem = fclib::Problem::Global(Global { m: matrix(&m)?, h: matrix(&h)?, f, w, equality: None });
            let file = File { space_dim, info: None, problem, mu, mu_r, guesses: vec![], solution: None };
            file.validate("problem").map_err(|e| of_fclib(py, &e))?;
            Self::of_file(py, file)
        })
    }

    /// Reads an FCLIB file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        shielded(py, || {
            let file = detached(py, || File::read(&path)).map_err(|e| of_fclib(py, &e))?;
            Self::of_file(py, file)
        })
    }

    /// Writes an FCLIB file.
    #[pyo3(signature = (path, title, description, r, u, v))]
    #[allow(clippy::too_many_arguments, reason = "what the file keeps")]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        title: String,
        description: String,
        r: Option<Vec<f64>>,
        u: Option<Vec<f64>>,
        v: Option<Vec<f64>>,
    ) -> PyResult<()> {
        shielded(py, || {
            let Some(mut file) = self.file.clone() else {
                let message =
                    "FCLIB files know Coulomb's law with one coefficient and rolling; this problem has other laws";
                return Err(raise(py, "ProblemError", message.into(), None));
            };
            file.info = Some(Info { title, description, math_info: String::new() });
            if let Some(r) = r {
                file.solution = Some(fclib::Solution { v, u, r, l: None });
            }
            detached(py, || file.write(&path)).map_err(|e| of_fclib(py, &e))
        })
    }

    /// Solves from a start or from zero. Settings are JSON.
    #[pyo3(signature = (settings, start, threads))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        settings: &str,
        start: Option<PyReadonlyArray1<'py, f64>>,
        threads: Option<usize>,
    ) -> PyResult<Solved<'py>> {
        shielded(py, || {
            let settings: Settings = serde_json::from_str(settings)
                .map_err(|e| raise(py, "ProblemError", format!("settings: {e}"), None))?;
            let start = start.map(|s| s.as_slice().map(<[f64]>::to_vec)).transpose()?;
            let (mut raised, mut last) = (None, Instant::now());
            let mut watch = |_: &Progress| {
                if last.elapsed() > PATIENCE {
                    last = Instant::now();
                    raised = attached(|py| py.check_signals()).err();
                }
                if raised.is_some() { Control::Stop } else { Control::Continue }
            };
            let solved =
                detached(py, || with_threads(threads, || self.problem.solve(&settings, start.as_deref(), &mut watch)));
            if let Some(error) = raised {
                return Err(error);
            }
            let solved = known(py, solved)?;
            let story = serde_json::to_string(&solved.solution).map_err(|e| PyValueError::new_err(e.to_string()))?;
            let v = solved.v.map(|v| v.into_pyarray(py));
            Ok((solved.r.into_pyarray(py), solved.u.into_pyarray(py), v, story))
        })
    }

    /// Judges percussions; the certificate as JSON.
    fn certify(&self, py: Python<'_>, r: PyReadonlyArray1<'_, f64>) -> PyResult<String> {
        shielded(py, || {
            let r = r.as_slice()?;
            let certificate = known(py, detached(py, || certify(&self.problem, r)))?;
            serde_json::to_string(&certificate).map_err(|e| PyValueError::new_err(e.to_string()))
        })
    }

    #[getter]
    fn contacts(&self) -> usize {
        self.problem.contacts()
    }

    #[getter]
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    #[getter]
    fn dofs(&self) -> Option<usize> {
        self.problem.dofs()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.problem.warnings()
    }

    /// Matrices and vectors, by the names of FCLIB; none for other laws.
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(file) = &self.file else { return Ok(None) };
        let sparse = |m: &Csr| {
            let whole = |x: &[usize]| x.iter().map(|i| *i as i64).collect::<Vec<_>>().into_pyarray(py);
            ((m.rows, m.columns), whole(&m.start), whole(&m.column), m.value.clone().into_pyarray(py))
        };
        let array = |x: &[f64]| x.to_vec().into_pyarray(py);
        let out = match &file.problem {
            fclib::Problem::Local(p) => values!(py; W = sparse(&p.w), q = array(&p.q)),
            fclib::Problem::Global(p) => {
                values!(py; M = sparse(&p.m), H = sparse(&p.h), f = array(&p.f), w = array(&p.w))
            }
        };
        out.set_item("mu", array(&file.mu))?;
        out.set_item("mu_r", file.mu_r.as_deref().map(array))?;
        out.set_item("title", file.info.as_ref().map(|i| i.title.clone()))?;
        out.set_item("r", file.solution.as_ref().map(|s| array(&s.r)))?;
        Ok(Some(out))
    }
}

/// Names of the solvers.
#[pyfunction]
pub fn solver_names() -> Vec<&'static str> {
    SolverKind::ALL.map(SolverKind::name).to_vec()
}
