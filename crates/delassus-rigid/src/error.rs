//! What can be wrong with a model of rigid bodies.

use delassus_dynamics::InteractionError;

/// Errors of a model; each names the body, joint or load at fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is out of its range.
    #[error("{owner}: {what} is {value}: expected {expected}")]
    Number {
        /// Body, joint, load or spring.
        owner: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A reference to a body that does not exist.
    #[error("{owner} refers to body {body}, but there are {bodies} bodies")]
    NoSuchBody {
        /// Joint, load or spring.
        owner: String,
        /// The reference.
        body: u32,
        /// Number of bodies.
        bodies: usize,
    },
    /// A periodic cell that cannot move so.
    #[error("periodic cell: {reason}")]
    Cell {
        /// Why.
        reason: String,
    },
    /// Principal moments that no distribution of mass has.
    #[error("{owner}: principal moments {moments:?} violate I1 + I2 ≥ I3")]
    Inertia {
        /// The body.
        owner: String,
        /// The moments \[kg·m²\].
        moments: [f64; 3],
    },
    /// The shape of a collider was refused.
    #[error("{owner}: {source}")]
    Shape {
        /// The body.
        owner: String,
        /// Why.
        source: delassus_contact::Error,
    },
    /// Contact geometry refused the colliders.
    #[error("{0}")]
    Contact(#[from] delassus_contact::Error),
    /// A law was refused.
    #[error("law: {0}")]
    Law(#[from] InteractionError),
    /// Materials that can meet and have no law.
    #[error("materials {} and {} can meet (bodies '{}' and '{}') but have no law", materials[0], materials[1], bodies[0], bodies[1])]
    NoLaw {
        /// The materials.
        materials: [u16; 2],
        /// A pair of bodies that shows it.
        bodies: [String; 2],
    },
    /// The contact space asked for is not that of the laws.
    #[error("the laws need contacts of {needed} components, asked for {asked}")]
    Components {
        /// Components the laws need.
        needed: usize,
        /// Components asked for.
        asked: usize,
    },
    /// An expression did not parse.
    #[error("{owner}: {source}")]
    Expression {
        /// Body or load.
        owner: String,
        /// Why.
        source: delassus_contact::ExpressionError,
    },
    /// A load or a motion gave no number.
    #[error("{owner}: {what} is {value} at t = {time} s")]
    NotFinite {
        /// Body or load.
        owner: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// When.
        time: f64,
    },
    /// A force given by an expression is too stiff for the step.
    #[error(
        "the force on `{body}` is too stiff for the step of {h:.3e} s at t = {time:.6e} s: taken explicitly it needs \
         `time.step` below {limit:.2e}, or a spring with `implicit = true`"
    )]
    Unstable {
        /// The body.
        body: String,
        /// When.
        time: f64,
        /// Step \[s\].
        h: f64,
        /// Steps must be shorter \[s\].
        limit: f64,
    },
    /// A step's error.
    #[error("{0}")]
    Step(#[from] delassus_dynamics::Error),
}

impl From<Error> for delassus_dynamics::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Step(e) => e,
            other => delassus_dynamics::Error::Subsystem(Box::new(other)),
        }
    }
}

/// Refuses what is not finite and positive.
pub(crate) fn positive(owner: &str, what: &'static str, value: f64) -> Result<(), Error> {
    check(value > 0.0 && value.is_finite(), owner, what, (value, "a positive finite number"))
}

/// Refuses what is not finite or negative.
pub(crate) fn not_negative(owner: &str, what: &'static str, value: f64) -> Result<(), Error> {
    check(value >= 0.0 && value.is_finite(), owner, what, (value, "a finite number, not negative"))
}

/// Refuses what is not finite.
pub(crate) fn finite(owner: &str, what: &'static str, values: &[f64]) -> Result<(), Error> {
    values.iter().try_for_each(|&v| check(v.is_finite(), owner, what, (v, "a finite number")))
}

fn check(ok: bool, owner: &str, what: &'static str, (value, expected): (f64, &'static str)) -> Result<(), Error> {
    if ok { Ok(()) } else { Err(Error::Number { owner: owner.into(), what, value, expected }) }
}
