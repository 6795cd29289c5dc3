//! A layer of asperities on the surfaces: the multi-level interface \[Zammali05 §4.1\]
//!
//! ```text
//!     R_n = P_n + λ,    P_n = κ x₊^m + c x₊^m' ẋ,    x = a − g,    0 ≤ λ ⟂ g ≥ 0              method (16)
//! ```
//!
//! `x` is the crush, `a` the size of the asperities. They act beside the macroscopic law `λ` of the substrate,
//! and friction is bounded by `μ R_n`. Over a step the crush ends at `x⁺`, the only unknown, and the layer gives
//! the percussion
//!
//! ```text
//!     F(x⁺) = h P + c (X(x⁺) − X(x⁻)),    X' = x₊^m'        a growing function: damping never makes energy
//!     P = κ (x⁺)^m                                          where schemes take forces at the end of the step
//!     P = (Ψ(x⁺) − Ψ(x⁻))/(x⁺ − x⁻),      Ψ' = κ x₊^m       where percussions act on the mean velocity, by which
//!                                                           this mean force keeps the energy to round-off
//! ```
//!
//! Laws on velocities stop at the substrate by a step too late: the layer then counts from where they did, until it
//! is free again, so that it gives back `Ψ(a)` and no more. Release is
//! elastic, along the same curve, or plastic: crushed asperities stay so, the surfaces part at the largest crush
//! `x_p` as at a substrate, and `F` acts beyond it only.
//!
//! Memory of a contact: `[energy stored, x_p, depth in the substrate, 0]`.

use super::{InteractionError, Meeting};
use crate::{MEMORY, Measure};
use serde::{Deserialize, Serialize};

/// How asperities let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Along the curve of loading.
    #[default]
    Elastic,
    /// They stay crushed: as a substrate does.
    Plastic,
}

/// Asperities between two surfaces: a force at each contact of bodies, a pressure between surfaces of solids.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asperities {
    /// Size `a`: the gap at which they touch \[m\]; zero: none.
    pub size: f64,
    /// κ \[N/m^m, Pa/m^m\].
    pub stiffness: f64,
    /// m, at least 1.
    #[serde(default = "one")]
    pub exponent: f64,
    /// c \[N·s/m^(1+m'), Pa·s/m^(1+m')\].
    #[serde(default)]
    pub damping: f64,
    /// m', not negative.
    #[serde(default = "one")]
    pub damping_exponent: f64,
    /// How they let go.
    #[serde(default)]
    pub release: Release,
}

fn one() -> f64 {
    1.0
}

/// Lengthening, relative to a crush, below which a mean is summed and not a difference.
const SHORT: f64 = 0.1;
/// Crush, relative to the size, that is round-off.
const ROUND: f64 = 1e-9;
/// How far beyond its size a layer is looked for: it is entered and left within a step.
const AROUND: f64 = 1.25;
/// Points and weights of Gauss and Legendre on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.04691007703066802, 0.11846344252809454),
    (0.23076534494715845, 0.23931433524968324),
    (0.5, 0.28444444444444444),
    (0.7692346550528415, 0.23931433524968324),
    (0.9530899229693319, 0.11846344252809454),
];

impl Asperities {
    pub(super) fn fault(&self) -> Option<InteractionError> {
        let refuse = |name, value, expected| Some(InteractionError::Coefficient { name, value, expected });
        let positive = [("asperities.size", self.size), ("asperities.damping", self.damping)];
        if let Some((name, value)) = positive.iter().find(|(_, x)| !(x.is_finite() && *x >= 0.0)) {
            return refuse(name, *value, "a finite number, not negative");
        }
        if !(self.stiffness.is_finite() && self.stiffness > 0.0) {
            return refuse("asperities.stiffness", self.stiffness, "a finite number above 0");
        }
        if !(self.exponent.is_finite() && self.exponent >= 1.0) {
            return refuse("asperities.exponent", self.exponent, "a finite number, 1 or more");
        }
        if !(self.damping_exponent.is_finite() && self.damping_exponent >= 0.0) {
            return refuse("asperities.damping_exponent", self.damping_exponent, "a finite number, 0 or more");
        }
        let most = self.pressure(self.size)[0];
        if !most.is_finite() || (self.size > 0.0 && most == 0.0) {
            return refuse("asperities.stiffness", self.stiffness, "a force at full crush that numbers can hold");
        }
        None
    }

    /// Gap up to which a contact takes part \[m\].
    pub(super) fn range(&self) -> f64 {
        AROUND * self.size
    }

    /// Force of the springs at a crush, and its slope.
    fn pressure(&self, x: f64) -> [f64; 2] {
        let (k, m) = (self.stiffness, self.exponent);
        match x.min(self.size) {
            x if x <= 0.0 => [0.0; 2],
            // Level beyond the substrate, not at it.
            seen if x > self.size * (1.0 + ROUND) => [k * seen.powf(m), 0.0],
            x => [k * x.powf(m), k * m * x.powf(m - 1.0)],
        }
    }

    /// Its integral.
    pub fn work(&self, x: f64) -> f64 {
        let whole = |x: f64| self.stiffness * x.powf(self.exponent + 1.0) / (self.exponent + 1.0);
        match x {
            x if x <= 0.0 => 0.0,
            x if x >= self.size => whole(self.size) + self.pressure(x)[0] * (x - self.size),
            x => whole(x),
        }
    }

    /// Integral of the factor of damping, and that factor.
    fn swept(&self, x: f64) -> [f64; 2] {
        let m = self.damping_exponent;
        match x {
            x if x <= 0.0 => [0.0; 2],
            x if x >= self.size => {
                let most = self.size.powf(m);
                [most * self.size / (m + 1.0) + most * (x - self.size), most]
            }
            x => [x.powf(m + 1.0) / (m + 1.0), x.powf(m)],
        }
    }

    /// Mean force between two crushes, and its slope in the second.
    fn mean(&self, from: f64, x: f64) -> [f64; 2] {
        let (d, size) = (x - from, x.abs().max(from.abs()));
        let (low, high) = (x.min(from), x.max(from));
        let kinks = low < self.size && high > self.size && d.abs() > 1e-4 * size;
        if (low <= 0.0 && d != 0.0) || kinks || d.abs() > SHORT * size {
            let mean = (self.work(x) - self.work(from)) / d;
            return [mean, (self.pressure(x)[0] - mean) / d];
        }
        let mut out = [0.0; 2];
        for (s, w) in GAUSS {
            let [p, slope] = self.pressure(from + s * d);
            out[0] += w * p;
            out[1] += w * s * slope;
        }
        out
    }
}

/// A layer of asperities in one step, as the law of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crush {
    /// The layer.
    pub asperities: Asperities,
    /// Length of the step \[s\].
    pub h: f64,
    /// Area \[m²\]; one at a contact of bodies.
    pub area: f64,
    /// Whether the force is the mean of the step, or that of its end.
    mean: bool,
    /// Crush at the beginning of the step \[m\].
    from: f64,
    /// Largest crush so far, where it stays.
    crushed: f64,
    /// How deep the surfaces were let into the substrate \[m\].
    sunk: f64,
    /// Whether they stay so: a substrate that throws back gives back what its depth took.
    sinks: bool,
    /// Crush at the end of the step were the velocity (or gap) of the law zero: it is `reach − slope V` \[m\].
    pub reach: f64,
    /// See `reach` \[s\].
    pub slope: f64,
    /// Whether the substrate may be touched in the step.
    pub closed: bool,
}

impl Crush {
    /// The layer as a contact meets it.
    pub(super) fn new(asperities: &Asperities, meeting: &Meeting, restitution: f64) -> Self {
        let plastic = asperities.release == Release::Plastic;
        let sunk = meeting.memory[2];
        Self {
            asperities: *asperities,
            h: meeting.h,
            area: 1.0,
            mean: !meeting.at_end,
            sinks: meeting.measure == Measure::Velocity && restitution == 0.0,
            from: asperities.size - meeting.start - sunk,
            crushed: if plastic { meeting.memory[1] } else { 0.0 },
            sunk,
            reach: asperities.size - meeting.ahead[0] - sunk,
            slope: meeting.slope,
            closed: meeting.closed || meeting.measure == Measure::Gap,
        }
    }

    /// Whether asperities stay crushed.
    pub fn stays(&self) -> bool {
        self.asperities.release == Release::Plastic
    }

    /// Percussions of springs and of dampers at a crush, and the slope of their sum.
    pub fn parts(&self, x: f64) -> ([f64; 2], f64) {
        let a = &self.asperities;
        let scale = self.h * self.area;
        let from = self.from.max(if self.stays() { self.crushed } else { f64::NEG_INFINITY });
        let [p, slope] = match (self.mean, self.stays()) {
            (false, _) => a.pressure(x),
            (true, false) => a.mean(self.from, x),
            // The way to what is crushed already is free.
            (true, true) if self.from < self.crushed && x > self.crushed => {
                let (d, work) = (x - self.from, a.work(x) - a.work(self.crushed));
                [work / d, (a.pressure(x)[0] - work / d) / d]
            }
            (true, true) => a.mean(from, x.max(from)),
        };
        if a.damping == 0.0 {
            return ([scale * p, 0.0], scale * slope);
        }
        let [swept, factor] = a.swept(x);
        let drag = a.damping * self.area * (swept - a.swept(from)[0]);
        ([scale * p, drag], scale * slope + a.damping * self.area * factor)
    }

    /// Percussion of the layer at a crush, and its slope.
    pub fn force(&self, x: f64) -> [f64; 2] {
        let ([p, drag], slope) = self.parts(x);
        [p + drag, slope]
    }

    /// Slope of the springs at full crush.
    pub fn steepest(&self) -> f64 {
        let a = &self.asperities;
        self.h * self.area * a.stiffness * a.exponent * a.size.powf(a.exponent - 1.0)
    }

    /// The crush up to which nothing resists, or at which crushed asperities hold; none where the layer acts
    /// from the beginning of the step on, whatever its end.
    pub fn floor(&self) -> Option<f64> {
        match (self.stays(), self.mean) {
            (true, false) => Some(self.crushed),
            // Laws on velocities stop where surfaces that touch no longer approach.
            (true, true) => Some(self.crushed.max(self.reach)),
            (false, mean) => (self.from <= 0.0 || !(mean || self.asperities.damping > 0.0)).then_some(0.0),
        }
    }

    /// The crush beyond the floor at which the layer gives a percussion, from a guess on; none where no crush does.
    pub fn crush(&self, force: f64, guess: f64) -> Option<f64> {
        let floor = self.floor();
        let at = |x: f64| self.force(x)[0] - force;
        let guess = guess.max(floor.unwrap_or(f64::NEG_INFINITY));
        let (mut low, mut high) = (guess, guess);
        let mut stride = 1e-3 * self.asperities.size;
        while at(high) < 0.0 {
            (low, high) = (high, high + stride);
            stride *= 2.0;
            if stride > 1e9 * self.asperities.size {
                return None;
            }
        }
        while at(low) > 0.0 {
            if floor.is_some_and(|f| low <= f) {
                return floor;
            }
            high = low;
            low = floor.map_or(low - stride, |f| (low - stride).max(f));
            stride *= 2.0;
            if stride > 1e9 * self.asperities.size {
                return None;
            }
        }
        let mut x = 0.5 * (low + high);
        for _ in 0..200 {
            let [f, slope] = self.force(x);
            let miss = f - force;
            if miss > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let next = if slope > 0.0 { x - miss / slope } else { low };
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            let done = (next - x).abs() <= 2.0 * f64::EPSILON * next.abs();
            x = next;
            if done || high <= low {
                break;
            }
        }
        Some(x)
    }

    /// What a percussion `force` at the crush `x` is made of: springs and dampers; the rest is the substrate's.
    pub fn split(&self, force: f64, x: f64) -> [f64; 2] {
        let ([springs, drag], _) = self.parts(x);
        match self.stays() {
            // Held at less than it takes to crush on.
            true if force < springs + drag => [force.max(0.0), 0.0],
            true => [springs, drag],
            false if self.floor().is_some_and(|f| x <= f) => [0.0; 2],
            false => [springs, drag],
        }
    }

    /// Percussion of the springs were the crush that of the beginning all along.
    pub fn before(&self) -> f64 {
        let held = self.stays() && self.from < self.crushed - ROUND * self.asperities.size;
        if held { 0.0 } else { self.h * self.area * self.asperities.pressure(self.from)[0] }
    }

    /// What a contact remembers of a step that ends at the crush `x`, on the substrate or not.
    pub fn memory(&self, x: f64, stopped: bool) -> [f64; MEMORY] {
        let (plastic, a) = (self.stays(), self.asperities.size);
        let deeper = if self.sinks && stopped { (x - a).max(0.0) } else { 0.0 };
        let sunk = if x > 0.0 { self.sunk + deeper } else { 0.0 };
        let x = x - deeper;
        let stored = if plastic { 0.0 } else { self.area * self.asperities.work(x) };
        [stored, if plastic { self.crushed.max(x.min(a)) } else { 0.0 }, sunk, 0.0]
    }
}
