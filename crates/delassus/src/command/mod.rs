//! What the subcommands share: one attempt at one file, exit codes, messages.

pub mod args;
pub mod ask;
pub mod certify;
pub mod compare;
mod curves;
pub mod draw;
mod earlier;
mod explain;
pub mod explore;
mod explore_args;
mod files;
mod flow;
mod forecast;
pub mod import;
pub mod inspect;
mod keys;
mod line;
mod live;
mod names;
mod observed;
pub mod output;
pub mod plot;
mod profile;
mod progress;
pub mod resume;
pub mod run;
mod runs;
pub mod scene;
mod scene_args;
pub mod shell;
pub mod solve;
pub mod sweep;
mod text;
pub mod view;

use delassus_friction::fclib::File;
use delassus_friction::{AnyProblem, AnySolution, Settings};
use files::Input;
pub use line::command_line;
use progress::Watch;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The worst thing that happened, which is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Everything was solved.
    Solved,
    /// Something did not converge.
    NotSolved,
    /// Some input made no sense.
    BadInput,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        ExitCode::from(verdict as u8)
    }
}

/// A problem read from a file, and the file for writing it back.
struct Loaded {
    file: File,
    problem: AnyProblem,
}

/// Reads and validates; the message names the file, the item and what was expected.
fn load(input: &Input) -> Result<Loaded, String> {
    let file = File::read(&input.path).map_err(|error| error.to_string())?;
    let built = guarded(|| AnyProblem::from_fclib(&file))?;
    let problem = built.map_err(|error| format!("{}: {error}", input.path.display()))?;
    Ok(Loaded { file, problem })
}

/// How often and how long to solve one problem.
struct Effort {
    repeat: usize,
    limit: Option<Duration>,
}

/// The answer and the best time [s] over the repetitions.
struct Timed {
    answer: AnySolution,
    seconds: f64,
}

/// Solves from zero, several times; the best time counts. An attempt that did not
/// converge is not repeated, nor is one when the time limit is spent.
fn attempt(problem: &AnyProblem, settings: &Settings, effort: &Effort, watch: &mut Watch) -> Result<Timed, String> {
    let begin = Instant::now();
    let mut best: Option<Timed> = None;
    for _ in 0..effort.repeat.max(1) {
        watch.begin(effort.limit);
        let start = Instant::now();
        let answer = guarded(|| problem.solve(settings, None, watch))?.map_err(|error| error.to_string())?;
        let seconds = start.elapsed().as_secs_f64();
        let converged = answer.solution.converged();
        if best.as_ref().is_none_or(|b| seconds < b.seconds) {
            best = Some(Timed { answer, seconds });
        }
        if !converged || effort.limit.is_some_and(|limit| begin.elapsed() > limit) {
            break;
        }
    }
    Ok(best.expect("at least one repetition was made"))
}

/// The frame nearest to a time; `None` when that is more than half a frame beyond the ends.
fn nearest_frame(times: &[f64], time: f64) -> Option<usize> {
    let last = times.len().checked_sub(1)?;
    let (first, end) = (times[0], times[last]);
    let slack = 0.5 * (end - first) / last.max(1) as f64 + 1e-9 * (1.0 + end.abs());
    let distance = |i: &usize| (times[*i] - time).abs();
    let inside = (first - slack..=end + slack).contains(&time);
    (0..=last).min_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|_| inside)
}

/// A number of bytes for people.
fn bytes(count: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let step = (count.max(1).ilog10() / 3).min(4) as usize;
    if step == 0 {
        format!("{count} B")
    } else {
        format!("{:.1} {}", count as f64 / 1000f64.powi(step as i32), units[step])
    }
}

/// One file's defect in a solver must not lose the answers on the others.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        format!("internal error, please report it with the file: {text}")
    })
}

/// Panics are caught and reported by [`guarded`]: no second message, no backtrace.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}
