//! The time of a run, by steps; and where the time of a step goes.

/// The time one step of length `h` after `time`.
///
/// Steps are counted, not summed: a time that is a whole number of steps is followed by the
/// next, so that round-off does not grow with their number. The count comes from the time
/// itself: a restart counts alike.
pub(crate) fn after(time: f64, h: f64) -> f64 {
    let count = (time / h).round();
    if !(count.abs() < 1e15 && (time - count * h).abs() <= 1e-6 * h) {
        return time + h;
    }
    // 0.3 is 300/1000, and not 300 times the number next to 0.001.
    let rate = (1.0 / h).round();
    if (rate * h - 1.0).abs() <= 2.0 * f64::EPSILON { (count + 1.0) / rate } else { (count + 1.0) * h }
}

/// A stop-watch that stands still where there is no clock.
pub(crate) struct Clock {
    #[cfg(not(target_arch = "wasm32"))]
    last: std::time::Instant,
}

impl Clock {
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new() -> Self {
        Self { last: std::time::Instant::now() }
    }

    #[cfg(target_arch = "wasm32")]
    pub fn new() -> Self {
        Self {}
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub fn lap(&mut self) -> f64 {
        let now = std::time::Instant::now();
        let lap = now - self.last;
        self.last = now;
        lap.as_secs_f64()
    }

    #[cfg(target_arch = "wasm32")]
    pub fn lap(&mut self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::after;

    /// Decimal times are met exactly, whatever the number of steps; the sum of 2,000 steps
    /// of 1 ms is 1.99999999999989.
    #[test]
    fn steps_are_counted() {
        for (h, n, end) in [(1e-3, 2000, 2.0), (1e-4, 3000, 0.3), (5e-4, 1_000_000, 500.0), (0.25, 7, 1.75)] {
            let time = (0..n).fold(0.0, |t, _| after(t, h));
            assert_eq!(time, end, "h = {h}");
        }
        // Not a fraction of a second: within round-off of the product, not of the sum.
        let time = (0..100_000).fold(0.0, |t, _| after(t, 3e-4));
        assert_eq!(time, 100_000.0 * 3e-4);
    }

    /// A step in parts ends where the whole does; a time between two steps is followed by the sum.
    #[test]
    fn parts_and_odd_times() {
        let parts = (0..3).fold(0.7, |t, _| after(t, 1e-2 / 3.0));
        assert!((parts - 0.71).abs() < 1e-15);
        assert_eq!(after(parts, 1e-2), 0.72);
        assert_eq!(after(0.0123, 1e-2), 0.0123 + 1e-2);
    }
}
