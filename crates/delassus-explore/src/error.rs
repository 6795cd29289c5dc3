//! Why a question about the set of solutions makes no sense, or found no answer.

/// Why nothing could be said.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A contact that does not exist.
    #[error("contact {contact} does not exist: there are {count} contacts, numbered from 0")]
    NoSuchContact {
        /// The contact asked for.
        contact: usize,
        /// How many there are.
        count: usize,
    },
    /// Nothing to explore.
    #[error(
        "no contact is closed, so no reaction is in question: run the scene, then explore a later time with RUN.h5@TIME"
    )]
    NoContact,
    /// Sizes that disagree.
    #[error("{what}: found {found}, expected {expected}")]
    Size {
        /// What disagrees.
        what: &'static str,
        /// Size expected.
        expected: usize,
        /// Size found.
        found: usize,
    },
    /// A number that is not finite.
    #[error("{what} is not finite at index {index}")]
    NonFinite {
        /// The offending item.
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// A law whose set of reactions has no bounds programs here.
    #[error("contact {contact}: bounds are known for {accepted}, not for the {law} law")]
    Law {
        /// The contact.
        contact: usize,
        /// Its law.
        law: &'static str,
        /// What is treated.
        accepted: &'static str,
    },
    /// A setting out of its range.
    #[error("{name} = {value}: expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// An optimisation ended without an answer.
    #[error("the program for contact {contact} ended without an answer ({reason}): the data may be badly scaled")]
    Program {
        /// The contact.
        contact: usize,
        /// What the solver said.
        reason: String,
    },
    /// The search for one solution ended without an answer.
    #[error("the search for an equilibrium ended without an answer ({reason}): the data may be badly scaled")]
    Search {
        /// What the solver said.
        reason: String,
    },
    /// The problem itself is refused.
    #[error("{0}")]
    Problem(#[from] delassus_friction::Error),
    /// A file could not be written.
    #[error("cannot write {path}: {reason}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}
