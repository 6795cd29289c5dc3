//! Steps of many worlds in one call.

use crate::exit::detached;
use crate::friction::PATIENCE;
use crate::inner::{Inner, Stop};
use crate::pool::with_threads;
use crate::world::World;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::time::Instant;

/// Steps of many worlds between two looks for Ctrl-C, at first.
const FEW: u64 = 16;

/// Steps of many worlds at once, each by one thread; an error ends only its own world.
#[pyfunction]
pub fn step_together(
    py: Python<'_>,
    worlds: Vec<Py<World>>,
    steps: u64,
    threads: Option<usize>,
) -> PyResult<Vec<Option<Bound<'_, PyAny>>>> {
    let mut guards = worlds.iter().map(|w| w.get().sound(py)).collect::<PyResult<Vec<_>>>()?;
    let mut inners: Vec<&mut Inner> = guards.iter_mut().map(|g| &mut **g).collect();
    let mut stops: Vec<Option<Stop>> = inners.iter().map(|_| None).collect();
    let (mut left, mut few) = (steps, FEW);
    while left > 0 {
        let (now, begin) = (few.min(left), Instant::now());
        let all = || {
            inners.par_iter_mut().zip(&mut stops).filter(|(_, stop)| stop.is_none()).for_each(|(inner, stop)| {
                *stop = inner.advance(now, false, false).1;
            });
        };
        detached(py, || with_threads(threads, all));
        left -= now;
        if begin.elapsed() < PATIENCE / 2 {
            few = few.saturating_mul(2);
        }
        py.check_signals()?;
    }
    let exception = |stop: Option<Stop>| stop.map(|stop| stop.raised(py).into_value(py).into_bound(py).into_any());
    Ok(stops.into_iter().map(exception).collect())
}
