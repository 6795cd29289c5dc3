//! One step of the simplex: how far, which variable leaves, and the move.

use super::{At, FEASIBLE, PIVOT, Simplex};

pub(super) enum Step {
    /// The entering variable goes to its other bound.
    Flip(f64),
    /// The variable at this place leaves, to its upper bound or not.
    Pivot {
        place: usize,
        length: f64,
        to_upper: bool,
    },
    None,
}

impl Step {
    /// How far; `None` without end.
    pub(super) fn length(&self) -> Option<f64> {
        match *self {
            Self::Flip(length) | Self::Pivot { length, .. } => Some(length),
            Self::None => None,
        }
    }
}

/// Entries of a direction that are round-off.
const ZERO: f64 = 1e-14;

impl Simplex {
    /// `w = B⁻¹ a_q`, and where it is not zero.
    pub(super) fn bring(&mut self, q: usize) {
        self.w.fill(0.0);
        for &(r, a) in self.columns.column(q) {
            self.w[r as usize] = a;
        }
        self.factor.solve(&mut self.w);
        self.moving.clear();
        for (place, w) in self.w.iter_mut().enumerate() {
            if w.abs() > ZERO {
                self.moving.push(place as u32);
            } else {
                *w = 0.0;
            }
        }
    }

    /// Room of a basic variable that changes at `rate`, and whether it ends at its upper bound.
    #[inline]
    fn room(&self, j: usize, rate: f64, search: bool) -> Option<(f64, bool)> {
        let (x, l, u) = (self.x[j], self.lower[j], self.upper[j]);
        if rate < 0.0 {
            if search && x > u + FEASIBLE {
                return Some((x - u, true));
            }
            if search && x < l - FEASIBLE {
                return None;
            }
            l.is_finite().then_some((x - l, false))
        } else {
            if search && x < l - FEASIBLE {
                return Some((l - x, false));
            }
            if search && x > u + FEASIBLE {
                return None;
            }
            u.is_finite().then_some((u - x, true))
        }
    }

    /// Harris' ratio test: among the places that block within the tolerance, the largest pivot.
    pub(super) fn blocking(&self, q: usize, sense: f64, search: bool) -> Step {
        let mut limit = f64::INFINITY;
        for &place in &self.moving {
            let (place, j) = (place as usize, self.basis[place as usize]);
            let rate = -sense * self.w[place];
            if rate.abs() > PIVOT
                && let Some((room, _)) = self.room(j as usize, rate, search)
            {
                limit = limit.min((room.max(0.0) + FEASIBLE) / rate.abs());
            }
        }
        let own = self.upper[q] - self.lower[q];
        if own.is_finite() && own <= limit {
            return Step::Flip(own);
        }
        let mut best: Option<(usize, f64, bool)> = None;
        let mut size = 0.0;
        for &place in &self.moving {
            let (place, j) = (place as usize, self.basis[place as usize]);
            let rate = -sense * self.w[place];
            if rate.abs() > PIVOT.max(size)
                && let Some((room, to_upper)) = self.room(j as usize, rate, search)
                && room.max(0.0) / rate.abs() <= limit
            {
                size = rate.abs();
                best = Some((place, room.max(0.0) / rate.abs(), to_upper));
            }
        }
        match best {
            Some((place, length, to_upper)) => Step::Pivot { place, length, to_upper },
            None => Step::None,
        }
    }

    /// Moves, and changes the basis.
    pub(super) fn take(&mut self, q: usize, sense: f64, length: f64, step: Step) {
        // The vertex with the bounds as given goes its own way, to the bound as given.
        let own = sense
            * match step {
                Step::Pivot { place, to_upper, .. } => {
                    let out = self.basis[place] as usize;
                    (self.exact[out] - self.given[usize::from(to_upper)][out]) / (sense * self.w[place])
                }
                _ => self.given[1][q] - self.given[0][q],
            };
        for &place in &self.moving {
            let (j, w) = (self.basis[place as usize] as usize, self.w[place as usize]);
            self.x[j] -= sense * length * w;
            self.exact[j] -= own * w;
        }
        self.x[q] += sense * length;
        self.exact[q] += own;
        match step {
            Step::Pivot { place, to_upper, .. } => {
                let out = self.basis[place] as usize;
                (self.at[out], self.x[out]) =
                    if to_upper { (At::Upper, self.upper[out]) } else { (At::Lower, self.lower[out]) };
                self.exact[out] = self.given[usize::from(to_upper)][out];
                self.basis[place] = q as u32;
                self.at[q] = At::Basis;
                if !self.factor.replace(place, self.w[place]) {
                    self.refresh();
                }
            }
            _ => {
                (self.at[q], self.x[q]) =
                    if self.at[q] == At::Lower { (At::Upper, self.upper[q]) } else { (At::Lower, self.lower[q]) };
            }
        }
    }
}
