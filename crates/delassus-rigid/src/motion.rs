//! Imposed motions
//!
//! A profile gives a displacement as a function of time. Contacts are detected with the
//! obstacle at its place at `t_m`; its velocity enters as `w` of method (1), at `t_i` before
//! the step and at `t_f` after it.

use crate::Error;
use crate::error::finite;
use delassus_contact::Expression;
use std::sync::{Arc, Mutex, PoisonError};

/// A displacement \[m\] or an angle \[rad\] as a function of time.
#[derive(Clone, Debug)]
pub enum Profile {
    /// `v t`.
    Velocity(f64),
    /// `A sin(2π f t + φ) − A sin φ`: no displacement at the start.
    Harmonic {
        /// Amplitude.
        amplitude: f64,
        /// Frequency \[Hz\].
        frequency: f64,
        /// Phase \[rad\].
        phase: f64,
    },
    /// Straight lines between points of increasing times; constant outside.
    Table {
        /// Times \[s\].
        times: Vec<f64>,
        /// Values at these times.
        values: Vec<f64>,
    },
    /// An expression of `t`.
    Expression(Expression),
    /// As the caller steers it, step by step.
    Steered(Arc<Steer>),
}

/// A straight line in time that a caller may change between two steps.
///
/// It is no part of the state: who goes back in time sets it again.
#[derive(Debug, Default)]
pub struct Steer(Mutex<Line>);

/// `value + rate (t − time)`.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    time: f64,
    value: f64,
    rate: f64,
}

impl Steer {
    /// From now on: this value at this time, and this rate.
    pub fn set(&self, time: f64, value: f64, rate: f64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Line { time, value, rate };
    }

    /// The value at a time.
    pub fn at(&self, t: f64) -> f64 {
        let line = self.line();
        line.value + line.rate * (t - line.time)
    }

    /// Its rate.
    pub fn rate(&self) -> f64 {
        self.line().rate
    }

    fn line(&self) -> Line {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Profile {
    /// No motion.
    pub const REST: Profile = Profile::Velocity(0.0);

    /// An expression of `t`.
    pub fn expression(text: &str) -> Result<Self, delassus_contact::ExpressionError> {
        Ok(Profile::Expression(Expression::parse(text, &["t"])?))
    }

    /// The value at a time.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Profile::Velocity(v) => v * t,
            Profile::Harmonic { amplitude, frequency, phase } => {
                amplitude * (libm::sin(std::f64::consts::TAU * frequency * t + phase) - libm::sin(*phase))
            }
            Profile::Table { times, values } => {
                let k = times.partition_point(|x| *x <= t);
                match (k.checked_sub(1), times.get(k)) {
                    (None, _) => values.first().copied().unwrap_or(0.0),
                    (Some(i), None) => values[i],
                    (Some(i), Some(end)) => values[i] + (values[k] - values[i]) * (t - times[i]) / (end - times[i]),
                }
            }
            Profile::Expression(e) => e.value(&[t]),
            Profile::Steered(steer) => steer.at(t),
        }
    }

    /// The rate at a time, from the right where there is a kink.
    pub fn rate(&self, t: f64) -> f64 {
        match self {
            Profile::Velocity(v) => *v,
            Profile::Harmonic { amplitude, frequency, phase } => {
                let omega = std::f64::consts::TAU * frequency;
                amplitude * omega * libm::cos(omega * t + phase)
            }
            Profile::Table { times, values } => {
                let k = times.partition_point(|x| *x <= t);
                match k.checked_sub(1) {
                    Some(i) if k < times.len() => (values[k] - values[i]) / (times[k] - times[i]),
                    _ => 0.0,
                }
            }
            Profile::Expression(e) => e.partial(0, &[t]),
            Profile::Steered(steer) => steer.rate(),
        }
    }

    pub(crate) fn validate(&self, owner: &str) -> Result<(), Error> {
        match self {
            Profile::Velocity(v) => finite(owner, "imposed velocity", &[*v]),
            Profile::Harmonic { amplitude, frequency, phase } => {
                finite(owner, "harmonic motion", &[*amplitude, *frequency, *phase])
            }
            Profile::Table { times, values } => {
                finite(owner, "table of a motion", times)?;
                finite(owner, "table of a motion", values)?;
                let bad = |what, value, expected| Err(Error::Number { owner: owner.into(), what, value, expected });
                if times.len() != values.len() || times.is_empty() {
                    return bad("length of a table", values.len() as f64, "as many values as times, at least one");
                }
                match times.windows(2).find(|w| w[1] <= w[0]) {
                    Some(w) => bad("time in a table", w[1], "increasing times"),
                    None => Ok(()),
                }
            }
            Profile::Expression(_) | Profile::Steered(_) => match self.at(0.0) {
                value if value.is_finite() => Ok(()),
                value => Err(Error::NotFinite { owner: owner.into(), what: "imposed motion", value, time: 0.0 }),
            },
        }
    }
}

/// The imposed motion of a body: a translation and a rotation about an axis through the
/// place of its origin at the start.
#[derive(Clone, Debug)]
pub struct Motion<const D: usize> {
    /// Displacement along each axis.
    pub translation: [Profile; D],
    /// Angle.
    pub rotation: Profile,
    /// Axis of the rotation in the world; the plane ignores it.
    pub axis: [f64; 3],
    /// Time from which displacements are counted \[s\]: a motion that begins while the body is where it is. Without it
    /// the profiles give the displacement from where the body was described.
    pub since: Option<f64>,
}

impl<const D: usize> Motion<D> {
    /// What a profile of it has gone through at a time.
    pub(crate) fn gone(&self, profile: &Profile, t: f64) -> f64 {
        profile.at(t) - self.since.map_or(0.0, |t| profile.at(t))
    }

    /// Velocity of the origin and angular velocity in the world.
    pub fn velocity_at(&self, t: f64) -> ([f64; D], [f64; 3]) {
        let rate = self.rotation.rate(t);
        let norm = self.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let spin = if D == 2 { [0.0, 0.0, rate] } else { self.axis.map(|x| rate * x / norm) };
        (std::array::from_fn(|k| self.translation[k].rate(t)), spin)
    }

    /// At rest.
    pub fn rest() -> Self {
        Self { translation: [Profile::REST; D], rotation: Profile::REST, axis: [0.0, 0.0, 1.0], since: None }
    }

    /// Whether it stands still for ever.
    pub fn is_rest(&self) -> bool {
        let still = |profile: &Profile| matches!(profile, Profile::Velocity(v) if *v == 0.0);
        self.translation.iter().chain([&self.rotation]).all(still)
    }

    /// Constant velocity.
    pub fn velocity(v: [f64; D]) -> Self {
        Self { translation: v.map(Profile::Velocity), ..Self::rest() }
    }

    /// One axis follows a profile.
    pub fn along(axis: usize, profile: Profile) -> Self {
        let mut motion = Self::rest();
        motion.translation[axis] = profile;
        motion
    }

    /// Rotation about `axis` follows a profile.
    pub fn turning(axis: [f64; 3], profile: Profile) -> Self {
        Self { rotation: profile, axis, ..Self::rest() }
    }

    pub(crate) fn validate(&self, owner: &str) -> Result<(), Error> {
        self.translation.iter().try_for_each(|p| p.validate(owner))?;
        self.rotation.validate(owner)?;
        let norm = self.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        crate::error::positive(owner, "length of the axis of rotation", norm)
    }
}
