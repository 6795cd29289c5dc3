//! Progress on a terminal, and the time limit: the command's
//! [`Monitor`](delassus_friction::solver::Monitor).

use delassus_friction::solver::{Control, Monitor, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Between two updates of the line; the clock is read at each observation.
const PERIOD: Duration = Duration::from_millis(80);

/// A line on the error stream while files are solved; invisible when that is not a
/// terminal. Files weigh as much as their bytes in the estimate of the time left.
pub struct Watch {
    bar: ProgressBar,
    name: String,
    deadline: Option<Instant>,
    next_update: Instant,
    timed_out: bool,
    /// (iteration, residual) of the present solve; hand-overs count on.
    history: Vec<(usize, f64)>,
    counted: usize,
}

impl Watch {
    /// For files of so many bytes together.
    pub fn new(bytes: u64, several: bool, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(bytes.max(1)), target);
        let template =
            if several { "{spinner} [{bar:10}] {wide_msg} about {eta} left" } else { "{spinner} {wide_msg} {elapsed}" };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self {
            bar,
            name: String::new(),
            deadline: None,
            next_update: Instant::now(),
            timed_out: false,
            history: vec![],
            counted: 0,
        }
    }

    /// The next file, or file and solver.
    pub fn name(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.bar.set_message(self.name.clone());
    }

    /// A solve begins.
    pub fn begin(&mut self, limit: Option<Duration>) {
        let now = Instant::now();
        // A limit beyond the clock's range is no limit.
        self.deadline = limit.and_then(|l| now.checked_add(l));
        self.next_update = now + PERIOD;
        self.timed_out = false;
        self.history.clear();
        self.counted = 0;
    }

    /// (iteration, residual) of the last solve, as they were observed.
    pub fn history(&self) -> &[(usize, f64)] {
        &self.history
    }

    /// Whether the last solve was stopped by its time limit.
    pub fn timed_out(&self) -> bool {
        self.timed_out
    }

    /// A part is finished.
    pub fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Runs `print` while the line is out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Monitor for Watch {
    fn observe(&mut self, progress: &Progress) -> Control {
        let now = Instant::now();
        let last = self.history.last().map_or(0, |h| h.0);
        if self.counted + progress.iteration < last {
            self.counted = last;
        }
        self.history.push((self.counted + progress.iteration, progress.residual));
        if now >= self.next_update {
            self.next_update = now + PERIOD;
            self.bar.set_message(format!(
                "{}: {} residual {:.1e} iteration {}",
                self.name, progress.solver, progress.residual, progress.iteration
            ));
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.timed_out = true;
            return Control::Stop;
        }
        Control::Continue
    }
}
