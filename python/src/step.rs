//! The contact problem of a step as arrays.

use delassus::friction::Problem;
use delassus::friction::algebra::Vector;
use delassus::rigid::{AnyBlocks, StepBlocks};
use delassus::simulation::NextStep;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Numbers of a list of vectors, one after the other.
pub fn flat<const C: usize>(x: &[Vector<C>]) -> Vec<f64> {
    x.iter().flat_map(|v| v.iter().copied()).collect()
}

/// Everything a caller needs to solve, judge or differentiate the step.
pub fn columns<'py>(py: Python<'py>, next: NextStep) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("dimension", next.dimension)?;
    out.set_item("position", next.position.into_pyarray(py))?;
    out.set_item("frame", next.frame.into_pyarray(py))?;
    let bodies: Vec<i64> = next.bodies.iter().flatten().copied().collect();
    out.set_item("bodies", bodies.into_pyarray(py))?;
    let body: Vec<i64> = next.body.iter().map(|b| i64::from(*b)).collect();
    out.set_item("body", body.into_pyarray(py))?;
    out.set_item("h", next.h)?;
    match next.blocks {
        AnyBlocks::Two(b) => blocks(py, &out, &b)?,
        AnyBlocks::Three(b) => blocks(py, &out, &b)?,
        AnyBlocks::Four(b) => blocks(py, &out, &b)?,
        AnyBlocks::Five(b) => blocks(py, &out, &b)?,
        AnyBlocks::Six(b) => blocks(py, &out, &b)?,
    }
    Ok(out)
}

fn blocks<const C: usize>(py: Python<'_>, out: &Bound<'_, PyDict>, b: &StepBlocks<C>) -> PyResult<()> {
    let array = |x: Vec<f64>| -> Bound<'_, PyArray1<f64>> { x.into_pyarray(py) };
    out.set_item("components", C)?;
    problem(py, out, &b.problem)?;
    out.set_item("start", array(flat(&b.start)))?;
    // Gᵀ as (equation, C·block + component, value).
    let (mut row, mut column, mut value) = (vec![], vec![], vec![]);
    for (block, equation, g) in &b.balance {
        for (k, x) in g.iter().enumerate() {
            row.push(*equation as i64);
            column.push((C * block + k) as i64);
            value.push(*x);
        }
    }
    out.set_item("transposed", (row.into_pyarray(py), column.into_pyarray(py), array(value)))?;
    out.set_item("load", array(b.load.clone()))?;
    out.set_item("inertia", array(b.inertia.clone()))?;
    let dofs: Vec<i64> = b.dofs.iter().map(|d| i64::from(*d)).collect();
    out.set_item("dofs", dofs.into_pyarray(py))
}

/// W by blocks, b, the laws as JSON.
fn problem<const C: usize>(py: Python<'_>, out: &Bound<'_, PyDict>, problem: &Problem<C>) -> PyResult<()> {
    let (mut start, mut column, mut value) = (vec![0], vec![], vec![]);
    for i in 0..problem.len() {
        let mut row: Vec<_> = problem.w().row(i).collect();
        row.push((i, problem.w().diagonal(i)));
        row.sort_by_key(|(j, _)| *j);
        for (j, block) in row {
            column.push(j as i64);
            value.extend((0..C).flat_map(|r| (0..C).map(move |c| block[(r, c)])));
        }
        start.push(column.len() as i64);
    }
    out.set_item("W", (start.into_pyarray(py), column.into_pyarray(py), value.into_pyarray(py)))?;
    out.set_item("b", flat(problem.b()).into_pyarray(py))?;
    let laws = serde_json::to_string(problem.laws()).map_err(|e| PyValueError::new_err(e.to_string()))?;
    out.set_item("laws", laws)
}
