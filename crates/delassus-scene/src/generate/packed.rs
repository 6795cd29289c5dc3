//! Discs that drop and roll to the lowest place they find on those before them
//!
//! ```text
//! drop along a vertical ─▶ first disc touched, i ─▶ roll down on i
//!     until: the floor        rest
//!            a wall           rest, between i and the wall
//!            a disc j         rest if the centre is between those of i and j, else roll on j
//!            level with i     drop again
//! ```
//!
//! Geometry only: each disc is at rest on two supports, which is not yet the equilibrium of
//! the whole, but a dense start without overlap \[Visscher72\].

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Gap kept between discs, as a part of the smallest radius: none starts overlapped by round-off.
const GAP: f64 = 1e-12;
/// Most rolls of one disc.
const ROLLS: usize = 10_000;

/// Centres of the discs that fit under the top of the region.
pub fn places(radii: &[f64], [min, max]: [&Vec<f64>; 2], rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let mut bed = Bed::new(min, max, largest, least * GAP);
    for &radius in radii {
        if max[0] - min[0] < 2.0 * radius + 4.0 * bed.gap {
            break;
        }
        let free = max[0] - min[0] - 2.0 * radius;
        let start = min[0] + radius + free * rng.random::<f64>();
        let Some(place) = bed.settle(start, radius) else { break };
        if place[1] + radius > max[1] {
            break;
        }
        bed.insert(place, radius);
    }
    bed.discs.iter().map(|d| vec![d.x, d.y]).collect()
}

#[derive(Clone, Copy)]
struct Disc {
    x: f64,
    y: f64,
    radius: f64,
}

/// The discs at rest, by columns of the width of the largest.
struct Bed {
    left: f64,
    right: f64,
    floor: f64,
    gap: f64,
    width: f64,
    discs: Vec<Disc>,
    columns: Vec<Vec<usize>>,
}

/// What ends a roll.
enum End {
    Rest([f64; 2]),
    Touch(usize, [f64; 2]),
    Fall([f64; 2]),
}

impl Bed {
    fn new(min: &[f64], max: &[f64], largest: f64, gap: f64) -> Self {
        let width = 2.0 * largest;
        let columns = ((max[0] - min[0]) / width).ceil().max(1.0) as usize + 1;
        let (left, right, floor) = (min[0], max[0], min[1]);
        Self { left, right, floor, gap, width, discs: Vec::new(), columns: vec![Vec::new(); columns] }
    }

    fn column(&self, x: f64) -> usize {
        (((x - self.left) / self.width).floor().max(0.0) as usize).min(self.columns.len() - 1)
    }

    fn insert(&mut self, [x, y]: [f64; 2], radius: f64) {
        let column = self.column(x);
        self.columns[column].push(self.discs.len());
        self.discs.push(Disc { x, y, radius });
    }

    /// Discs that can touch one whose centre is at `x`, the latest first: they are the highest.
    fn near(&self, x: f64) -> impl Iterator<Item = usize> + '_ {
        let column = self.column(x);
        let around = column.saturating_sub(2)..=(column + 2).min(self.columns.len() - 1);
        around.flat_map(|c| self.columns[c].iter().rev().take(12).copied())
    }

    fn settle(&self, start: f64, radius: f64) -> Option<[f64; 2]> {
        let mut place = [start, f64::INFINITY];
        let mut support = None;
        let mut side = 1.0;
        for _ in 0..ROLLS {
            let on = match support {
                Some(on) => on,
                None => match self.drop(place, radius) {
                    End::Touch(on, at) => {
                        place = at;
                        side = if at[0] < self.discs[on].x { -1.0 } else { 1.0 };
                        on
                    }
                    End::Rest(at) | End::Fall(at) => return Some(at),
                },
            };
            match self.roll(on, place, radius, side) {
                End::Rest(at) => return Some(at),
                End::Fall(at) => (place, support) = (at, None),
                End::Touch(other, at) => {
                    let between = side * (self.discs[other].x - at[0]) >= 0.0;
                    if between {
                        return Some(at);
                    }
                    (place, support) = (at, Some(other));
                }
            }
        }
        None
    }

    /// Along the vertical of `place`, from its height downwards.
    fn drop(&self, place: [f64; 2], radius: f64) -> End {
        let mut best = (None, self.floor + radius + self.gap);
        for i in self.near(place[0]) {
            let disc = self.discs[i];
            let reach = disc.radius + radius + self.gap;
            let across = (place[0] - disc.x).abs();
            if across >= reach {
                continue;
            }
            let height = disc.y + (reach * reach - across * across).sqrt();
            if height > best.1 && height <= place[1] + self.gap {
                best = (Some(i), height);
            }
        }
        match best {
            (Some(i), height) => End::Touch(i, [place[0], height]),
            (None, height) => End::Rest([place[0], height]),
        }
    }

    /// Down along the circle around disc `on`, towards `side`.
    fn roll(&self, on: usize, place: [f64; 2], radius: f64, side: f64) -> End {
        let base = self.discs[on];
        let reach = base.radius + radius + self.gap;
        // Angle from the vertical, positive towards `side`; 90° is level with the base.
        let angle_of = |x: f64, y: f64| libm::atan2(side * (x - base.x), y - base.y);
        let at = |angle: f64| [base.x + side * reach * libm::sin(angle), base.y + reach * libm::cos(angle)];
        let now = angle_of(place[0], place[1]);
        let mut end = (std::f64::consts::FRAC_PI_2.max(now), 0u8, on);
        let wall = if side > 0.0 { self.right - radius - self.gap } else { self.left + radius + self.gap };
        let sine = side * (wall - base.x) / reach;
        if sine < 1.0 {
            end = (libm::asin(sine.max(-1.0)).max(now), 1, on);
        }
        let cosine = (self.floor + radius + self.gap - base.y) / reach;
        if cosine > 0.0 && cosine < 1.0 && libm::acos(cosine) < end.0 {
            end = (libm::acos(cosine).max(now), 1, on);
        }
        for j in self.near(base.x + side * reach).chain(self.near(base.x)) {
            let Some(angle) = self.meet(on, j, radius, side) else { continue };
            if j != on && angle > now + 1e-9 && angle < end.0 {
                end = (angle, 2, j);
            }
        }
        match end {
            (angle, 2, j) => End::Touch(j, at(angle)),
            (angle, 1, _) => End::Rest(at(angle)),
            // A hair beyond the level, so that the fall does not meet the base again.
            (angle, _, _) => {
                let [x, y] = at(angle);
                End::Fall([x + side * self.gap, y])
            }
        }
    }

    /// Angle at which a disc that rolls on `on` meets `other`, entering it.
    fn meet(&self, on: usize, other: usize, radius: f64, side: f64) -> Option<f64> {
        let (a, b) = (self.discs[on], self.discs[other]);
        let (p, q) = (a.radius + radius + self.gap, b.radius + radius + self.gap);
        let (dx, dy) = (side * (b.x - a.x), b.y - a.y);
        let d = libm::hypot(dx, dy);
        if !(d > 0.0) || d >= p + q || d <= (p - q).abs() {
            return None;
        }
        let opening = libm::acos(((p * p + d * d - q * q) / (2.0 * p * d)).clamp(-1.0, 1.0));
        // The side of the other disc that comes first.
        Some(libm::atan2(dx, dy) - opening)
    }
}
