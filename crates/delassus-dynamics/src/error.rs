//! Why a step could not be made.

use delassus_contact::ContactKey;

/// Errors of a step; non-convergence is one only under [`crate::Policy::Stop`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The contact geometry refused its data.
    #[error("contact detection: {0}")]
    Contact(#[from] delassus_contact::Error),
    /// The same, with the names of bodies.
    #[error("contact detection: {message}")]
    ContactOf {
        /// What was refused.
        message: String,
    },
    /// The one-step problem makes no sense.
    #[error("contact problem: {0}")]
    Friction(#[from] delassus_friction::Error),
    /// A setting is out of its range.
    #[error("setting {name} = {value}: expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A state that does not belong to the system.
    #[error("the state has {found} {what}, the system needs {expected}")]
    StateSize {
        /// Which array.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// NaN or infinity appeared.
    #[error("{what} {index}{} is not finite at t = {time} s", of(owner))]
    NonFinite {
        /// Which quantity.
        what: &'static str,
        /// What it belongs to, where that is known.
        owner: Option<String>,
        /// Its index.
        index: usize,
        /// When.
        time: f64,
    },
    /// Two bodies meet and no law says how.
    #[error(
        "bodies {} and {} meet at t = {time} s but materials {} and {} have no law",
        bodies[0], bodies[1], materials[0], materials[1]
    )]
    NoLaw {
        /// The bodies.
        bodies: [u32; 2],
        /// Their materials.
        materials: [u16; 2],
        /// When.
        time: f64,
    },
    /// The scheme makes energy without bound.
    #[error(
        "at t = {time:.6e} s the scheme has made {made:.2e} J out of nothing, where {hand:.2e} J were at hand: explicit \
         forces are too stiff for the step; make `time.step` shorter, or springs `implicit = true`"
    )]
    EnergyFromNothing {
        /// Energy made \[J\].
        made: f64,
        /// Kinetic energy at the start, potentials freed, works \[J\].
        hand: f64,
        /// When.
        time: f64,
    },
    /// Two bodies without thickness: nothing tells which side of the other one is on.
    #[error(
        "`{}` and `{}` meet at t = {time:.6e} s, and neither has a thickness: no contact can keep them apart. \
         Give the point a radius, or the surface an inside",
        bodies[0], bodies[1]
    )]
    NoThickness {
        /// The bodies.
        bodies: [String; 2],
        /// When.
        time: f64,
    },
    /// Bodies so fast that the step would have to be made in too many parts.
    #[error(
        "`{}` and `{}` are too fast for the step of {h:.3e} s at t = {time:.6e} s: it would take more than {parts} \
         parts to see them meet; make `time.step` shorter",
        bodies[0], bodies[1]
    )]
    TooFast {
        /// The bodies.
        bodies: [String; 2],
        /// When.
        time: f64,
        /// Step \[s\].
        h: f64,
        /// Parts tried.
        parts: usize,
    },
    /// The step throws a body through another: it is made again in parts, and nobody sees this.
    #[error("bodies pass through each other")]
    Thrown,
    /// A linear system could not be solved.
    #[error("linear system: {0}")]
    Algebra(#[from] delassus_algebra::AlgebraError),
    /// Without inertia something is held by nothing.
    #[error(
        "{reason}: without inertia a part that neither supports nor contact hold has no place. {}Support it, add a \
         soft spring, or let it begin in contact",
        open(contact)
    )]
    Unheld {
        /// What the linear system says.
        reason: Box<Error>,
        /// A contact that is open, and by how much \[m\].
        contact: Option<(String, f64)>,
    },
    /// Surfaces could not be paired.
    #[error("pairing of '{name}': {reason}")]
    Pairing {
        /// The pair.
        name: String,
        /// Why.
        reason: Box<delassus_contact::skin::ContactError>,
    },
    /// A part is not in balance after its iterations.
    #[error(
        "the balance of {part} is open by {residual:.1e} (tolerance {tolerance:.1e}) after {iterations} Newton iterations"
    )]
    NotBalanced {
        /// The part.
        part: String,
        /// Residual reached.
        residual: f64,
        /// Residual asked for.
        tolerance: f64,
        /// Iterations made.
        iterations: usize,
    },
    /// A part could not compute its forces at some place.
    #[error("{0}")]
    Forces(Box<dyn std::error::Error + Send + Sync>),
    /// A loop did not settle.
    #[error("the loop on {name} did not settle in {limit} rounds; try {advice}")]
    Loop {
        /// Which loop.
        name: &'static str,
        /// Rounds made.
        limit: usize,
        /// What may help.
        advice: &'static str,
    },
    /// A step failed even in parts.
    #[error("the step of {h:.3e} s at t = {time:.6e} s failed, also in {parts} parts: {reason}")]
    Step {
        /// When.
        time: f64,
        /// Step.
        h: f64,
        /// Parts tried.
        parts: usize,
        /// Why the whole step failed.
        reason: Box<Error>,
    },
    /// The policy asks to stop.
    #[error("{0}")]
    NotConverged(Box<Failure>),
    /// The subsystem's own error.
    #[error("{0}")]
    Subsystem(Box<dyn std::error::Error + Send + Sync>),
    /// The file of a failed step could not be written.
    #[error("the contact problem of step {step} could not be written: {message}")]
    ProblemFile {
        /// The step.
        step: u64,
        /// Why.
        message: String,
    },
}

fn open(contact: &Option<(String, f64)>) -> String {
    match contact {
        Some((name, gap)) => format!(
            "The contact '{name}' is open by {gap:.2e} m, and multipliers alone do not reach across: \
             `nominated = true` in [contact.{name}] with `formalism = \"stabilised\"` holds it until it touches. "
        ),
        None => String::new(),
    }
}

/// Names the owner.
fn of(owner: &Option<String>) -> String {
    owner.as_ref().map_or_else(String::new, |name| format!(" (of `{name}`)"))
}

impl Error {
    /// Whether smaller steps may help.
    pub fn may_pass_in_parts(&self) -> bool {
        matches!(
            self,
            Error::NotBalanced { .. }
                | Error::Loop { .. }
                | Error::Thrown
                | Error::NonFinite { .. }
                | Error::Forces(_)
                | Error::Algebra(_)
        )
    }
}

/// How a solver ended.
fn in_words(status: delassus_friction::Status) -> &'static str {
    use delassus_friction::Status;
    match status {
        Status::Converged => "converged",
        Status::IterationLimit => "the iterations ran out",
        Status::Stalled => "no further progress",
        Status::Breakdown => "the linear algebra broke down",
        Status::Interrupted => "interrupted",
        Status::MayHaveNoSolution => "the step may have no solution",
    }
}

/// A step whose contact problem was not solved to the tolerance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "step {step} (t = {time} s, h = {h} s): relative residual {residual:.2e} above the tolerance {tolerance:.1e} \
     after {iterations} iterations ({}); worst: {}", in_words(*status), names.join(", ")
)]
pub struct Failure {
    /// Step number.
    pub step: u64,
    /// Start of the step \[s\].
    pub time: f64,
    /// Its length \[s\].
    pub h: f64,
    /// Residual reached.
    pub residual: f64,
    /// Residual asked for.
    pub tolerance: f64,
    /// Iterations spent.
    pub iterations: usize,
    /// How the solver ended.
    pub status: delassus_friction::Status,
    /// Contacts with the largest residuals, worst first.
    pub worst: Vec<ContactKey>,
    /// The same, by the names of their bodies, joints or pairs of surfaces.
    pub names: Vec<String>,
    /// Where the problem was written, if it was.
    pub file: Option<std::path::PathBuf>,
}
