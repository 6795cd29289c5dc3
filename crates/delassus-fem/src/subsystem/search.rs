//! Steps of Newton that go too far
//!
//! ```text
//!     g(a) = δ·(R − r(x + a δ))          δ the step, R the percussions it was made with
//! ```
//!
//! falls from `δᵀ A δ > 0`; on a linear part it is zero at the end of the step. Where forces turn with the
//! motion, as in yielding, a whole step may be thrown back by as much as it came, again and again: the step
//! then ends near the zero of `g`.

use super::solids::Solids;
use crate::structure::StructureError;

/// A step is too long when it is thrown back by more than this share of what drove it.
const BACK: f64 = 0.5;
/// Most evaluations of a step.
const TRIES: usize = 8;

impl<const D: usize> Solids<D> {
    /// Evaluates at `x`, or between where it was evaluated last and there: `x` becomes that place. Whether
    /// the step was whole.
    pub(super) fn approach(&mut self, x: &mut [f64], reaction: &[f64], tangent: bool) -> Result<bool, StructureError> {
        let b = &self.balance;
        if self.is_linear() || !b.knows(&b.x, false) {
            return self.evaluate_at(x, tangent).map(|()| true);
        }
        let [mut from, mut step] = std::mem::take(&mut self.search);
        from.clear();
        from.extend_from_slice(&b.x);
        step.clear();
        step.extend(x.iter().zip(&from).map(|(x, f)| x - f));
        let done = self.search(x, reaction, tangent, [&from, &step]);
        self.search = [from, step];
        done
    }

    fn search(
        &mut self,
        x: &mut [f64],
        reaction: &[f64],
        tangent: bool,
        [from, step]: [&[f64]; 2],
    ) -> Result<bool, StructureError> {
        let first = self.slope(step, reaction);
        if !(first > 0.0) {
            return self.evaluate_at(x, tangent).map(|()| true);
        }
        // Where the zero of g is: below `high`, and above `low`.
        let (mut low, mut high) = ((0.0, first), (1.0, None));
        let mut a = 1.0;
        for rest in (0..TRIES).rev() {
            let whole = a == 1.0;
            let g = match self.evaluate_at(x, tangent) {
                Ok(()) => Some(self.slope(step, reaction)).filter(|g| g.is_finite()),
                Err(e) if rest == 0 => return Err(e),
                Err(_) => None,
            };
            match g {
                Some(g) if rest == 0 || g.abs() <= BACK * first || (g > 0.0 && whole) => break,
                // Round-off says nothing of the step.
                Some(_) if whole && self.is_rounded(reaction) => break,
                Some(g) if g > 0.0 => low = (a, g),
                _ => high = (a, g),
            }
            a = match high.1 {
                Some(g) => {
                    let width = high.0 - low.0;
                    (width * low.1 / (low.1 - g)).clamp(0.1 * width, 0.9 * width) + low.0
                }
                None => 0.5 * (low.0 + high.0),
            };
            for (i, x) in x.iter_mut().enumerate() {
                *x = from[i] + a * step[i];
            }
        }
        Ok(a == 1.0)
    }

    fn slope(&self, step: &[f64], reaction: &[f64]) -> f64 {
        let free = step.iter().enumerate().filter(|(i, _)| !self.structure.is_held(*i));
        free.map(|(i, d)| d * (reaction.get(i).copied().unwrap_or(0.0) - self.balance.residual[i])).sum()
    }
}
