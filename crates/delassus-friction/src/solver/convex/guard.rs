//! What keeps Newton on `s` at least as good as the fixed point
//!
//! ```text
//! d = F(s) − s        fixed point  s + d        Newton  s + (I − F')⁻¹ d
//! ```
//!
//! Where `F' > 1` the root that Newton predicts repels: the step leads away from the
//! solution, against `d`, and `|d|` has a minimum there that no line search leaves. The
//! fixed point crosses such a stretch with a growing residual. So a Newton step is tried
//! only along `d` and where the percussions it predicts satisfy the laws better (or after a
//! fixed-point step), and kept only if it lowers the residual as much as the fixed point would. Otherwise the fixed
//! point goes on from where it was, and each rejection doubles the number of its steps
//! before the next trial: `n` of them cost at most `log₂ n` programs more.
//!
//! Fixed-point steps in a row are lengthened, contact by contact, by Aitken's rule where
//! they shrink and by doubling where they do not.

/// A Newton step is kept when it leaves less than this of the residual, or less than the
/// fixed point left last, up to the second number.
const KEPT: (f64, f64) = (0.5, 0.95);

/// Largest factor on a fixed-point step.
const LONGEST: f64 = 1e6;

/// The state of the safeguard.
pub(super) struct Guard {
    /// Residual at the present `s`, and the smallest so far.
    residual: f64,
    least: f64,
    /// What the last fixed-point step left of the residual.
    rate: f64,
    /// Fixed-point steps after the next rejection, and those still to do.
    wait: usize,
    left: usize,
    /// Whether the last step that promised nothing was passed over.
    passed: bool,
    /// The last fixed-point step by contact: `d` where it began, and its factor; 0 if it was no such step.
    gap: Vec<f64>,
    factor: Vec<f64>,
}

impl Guard {
    pub fn new(contacts: usize) -> Self {
        let (gap, factor) = (vec![0.0; contacts], vec![0.0; contacts]);
        Self { residual: f64::INFINITY, least: f64::INFINITY, rate: 0.0, wait: 1, left: 0, passed: false, gap, factor }
    }

    /// Whether a Newton step is due.
    pub fn due(&self) -> bool {
        self.left == 0
    }

    /// Whether a step is tried whose predicted percussions satisfy the laws better or not. What is predicted
    /// where contacts are redundant says little: of two that promise nothing the second is tried.
    pub fn tries(&mut self, better: bool) -> bool {
        self.passed = !(better || self.passed);
        !self.passed
    }

    /// Whether the step to `next` follows the fixed point from `shift` to `target`.
    pub fn along(shift: &[f64], target: &[f64], next: &[f64]) -> bool {
        let product: f64 = (0..shift.len()).map(|i| (next[i] - shift[i]) * (target[i] - shift[i])).sum();
        product > 0.0
    }

    /// Judges the program after a Newton step.
    pub fn keeps(&mut self, residual: f64) -> bool {
        let kept = residual <= self.rate.clamp(KEPT.0, KEPT.1) * self.residual;
        if kept && residual < self.least {
            self.wait = 1;
        } else {
            (self.left, self.wait) = (self.wait, 2 * self.wait);
        }
        if kept {
            self.residual = residual;
            self.least = self.least.min(residual);
            self.factor.fill(0.0);
        }
        kept
    }

    /// Notes the program after a fixed-point step.
    pub fn stepped(&mut self, residual: f64) {
        self.rate = residual / self.residual;
        self.residual = residual;
        self.least = self.least.min(residual);
        self.left = self.left.saturating_sub(1);
    }

    /// The fixed-point step from `shift` towards `target`, lengthened.
    pub fn lengthen(&mut self, shift: &mut [f64], target: &[f64]) {
        for (i, (s, target)) in shift.iter_mut().zip(target).enumerate() {
            let (d, before, last) = (target - *s, self.gap[i], self.factor[i]);
            let factor = if last > 0.0 && d * before > 0.0 {
                let slope = (d / before - 1.0) / last;
                let most = (2.0 * last).min(LONGEST);
                if slope < 0.0 { (-1.0 / slope).clamp(1.0, most) } else { most }
            } else {
                1.0
            };
            (self.gap[i], self.factor[i]) = (d, factor);
            *s = if factor > 1.0 { (*s + factor * d).max(0.0) } else { *target };
        }
    }
}
