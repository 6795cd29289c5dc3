//! Where the time of a step goes.

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
