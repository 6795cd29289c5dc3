//! What is wrong with a scene, where, and what would be accepted
//!
//! ```text
//! error: unknown key `frction`
//!   --> stack.toml:12:1
//!    |
//! 12 | frction = 0.5
//!    | ^^^^^^^
//!    = help: did you mean `friction`?
//!    = help: accepted here: between, friction, restitution, …
//! ```

use crate::source::{Place, Sources, Span};
use std::fmt;
use thiserror::Error;

/// What can be wrong.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not TOML.
    #[error("not valid TOML: {message}")]
    Syntax {
        /// In the words of the parser.
        message: String,
    },
    /// A number that has no value here (too large).
    #[error("the number {number} cannot be represented")]
    Number {
        /// As written.
        number: String,
    },
    /// A number that is infinite or not a number.
    #[error("`{key}` is {value}, which is not a finite number")]
    NonFinite {
        /// The key.
        key: String,
        /// The value.
        value: f64,
    },
    /// A key that means nothing here.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// A word that means nothing here.
    #[error("`{value}` is not a value of `{key}`")]
    UnknownChoice {
        /// The key.
        key: String,
        /// The word.
        value: String,
    },
    /// A key that must be given.
    #[error("`{parent}` needs the key `{key}`")]
    MissingKey {
        /// The table.
        parent: String,
        /// The key.
        key: String,
    },
    /// A value of another type.
    #[error("`{key}` must be {expected}, found {found}")]
    WrongType {
        /// The key.
        key: String,
        /// What is accepted.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A number outside its bounds.
    #[error("`{key}` = {value} must be {bound}")]
    OutOfRange {
        /// The key.
        key: String,
        /// The number.
        value: f64,
        /// The bound, in words.
        bound: String,
    },
    /// An array of another length.
    #[error("`{key}` must have {expected}, found {found}")]
    WrongLength {
        /// The key.
        key: String,
        /// The accepted lengths, in words.
        expected: String,
        /// The number of items.
        found: usize,
    },
    /// Several keys of which one is wanted.
    #[error("`{key}` needs exactly one of the accepted keys, found {found}")]
    NotOne {
        /// The table.
        key: String,
        /// The keys found, in words.
        found: String,
    },
    /// A name nobody has.
    #[error("there is no {kind} named `{name}`")]
    UnknownName {
        /// Material, body …
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A name two items have.
    #[error("two {kind} have the name `{name}`")]
    DuplicateName {
        /// Bodies, materials …
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An expression that cannot be read.
    #[error("the expression `{text}` cannot be read: {message}")]
    Expression {
        /// The expression.
        text: String,
        /// Why.
        message: String,
    },
    /// An expression without a finite value at the start.
    #[error("the expression `{text}` is {value} {at}")]
    ExpressionValue {
        /// The expression.
        text: String,
        /// Its value.
        value: f64,
        /// Where it was evaluated, in words.
        at: String,
    },
    /// Parameters that need each other.
    #[error("the parameters {names} are defined by each other")]
    Circular {
        /// The names.
        names: String,
    },
    /// Keys that contradict each other, or a value that makes no sense here.
    #[error("{what}")]
    Inconsistent {
        /// What contradicts what.
        what: String,
    },
    /// A shape that cannot be built.
    #[error("the shape of {body} is not valid: {message}")]
    Shape {
        /// The body, in words.
        body: String,
        /// Why.
        message: String,
    },
    /// A mesh file that cannot be read.
    #[error("the mesh `{file}` cannot be used: {message}")]
    Mesh {
        /// The path as written.
        file: String,
        /// Why.
        message: String,
    },
    /// A scene file that cannot be read.
    #[error("cannot read the scene `{file}`: {message}")]
    Unreadable {
        /// The path.
        file: String,
        /// Why.
        message: String,
    },
    /// An override that is not `key=value`.
    #[error("the override `{text}` is not of the form key=value")]
    Override {
        /// The override.
        text: String,
    },
    /// Two materials can meet and no law says what happens.
    #[error("bodies of materials `{first}` and `{second}` can meet, and no law is given between them")]
    NoLaw {
        /// A material.
        first: String,
        /// The other one.
        second: String,
    },
    /// Two bodies start inside each other.
    #[error("`{first}` and `{second}` overlap at the start by {depth:.3e} m")]
    Overlap {
        /// A body.
        first: String,
        /// The other one.
        second: String,
        /// Depth \[m\].
        depth: f64,
    },
    /// More overlaps than are listed.
    #[error("{count} more pairs of bodies overlap at the start")]
    MoreOverlaps {
        /// How many.
        count: usize,
    },
    /// A generator that found no room.
    #[error("`{generator}` placed {placed} of {wanted} bodies: the region is full")]
    NoRoom {
        /// The generator.
        generator: String,
        /// Bodies placed.
        placed: usize,
        /// Bodies asked for.
        wanted: usize,
    },
    /// Something declared and never used.
    #[error("the {kind} `{name}` is not used")]
    Unused {
        /// Material, parameter …
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The model refused what the scene says.
    #[error("the model cannot be built: {message}")]
    Model {
        /// In the words of the model.
        message: String,
    },
}

/// How serious it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The scene can be run.
    Warning,
    /// The scene cannot be run.
    Error,
}

/// One problem, its place, and help.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// How serious.
    pub severity: Severity,
    /// What is wrong.
    pub problem: Problem,
    /// Where, when it has a place.
    pub place: Option<Place>,
    /// What would be accepted, one line each.
    pub help: Vec<String>,
}

/// Everything found wrong, in the order found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// The problems.
    pub items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds an error.
    pub fn error(&mut self, sources: &Sources, span: Option<Span>, problem: Problem) -> &mut Diagnostic {
        self.push(Severity::Error, span.and_then(|s| sources.place(s)), problem)
    }

    /// Adds a warning.
    pub fn warning(&mut self, sources: &Sources, span: Option<Span>, problem: Problem) -> &mut Diagnostic {
        self.push(Severity::Warning, span.and_then(|s| sources.place(s)), problem)
    }

    /// Adds a problem.
    pub fn push(&mut self, severity: Severity, place: Option<Place>, problem: Problem) -> &mut Diagnostic {
        self.items.push(Diagnostic { severity, problem, place, help: Vec::new() });
        self.items.last_mut().expect("just pushed")
    }

    /// Whether nothing is wrong but bodies that overlap.
    pub fn only_overlaps(&self) -> bool {
        let overlap = |p: &Problem| matches!(p, Problem::Overlap { .. } | Problem::MoreOverlaps { .. });
        self.items.iter().filter(|d| d.severity == Severity::Error).all(|d| overlap(&d.problem))
    }

    /// Whether the scene cannot be run.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|d| d.severity == Severity::Error)
    }

    /// Appends those of another step.
    pub fn extend(&mut self, other: Diagnostics) {
        self.items.extend(other.items);
    }

    /// `value` when nothing is an error, `self` otherwise.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }
}

impl Diagnostic {
    /// Adds a line of help.
    pub fn help(&mut self, line: impl Into<String>) -> &mut Self {
        self.help.push(line.into());
        self
    }

    /// Adds the nearest of the accepted words, and the list of them.
    pub fn accepted<'a>(&mut self, found: &str, accepted: impl IntoIterator<Item = &'a str>) -> &mut Self {
        let accepted: Vec<&str> = accepted.into_iter().collect();
        if let Some(near) = nearest(found, &accepted) {
            self.help.push(format!("did you mean `{near}`?"));
        }
        if !accepted.is_empty() {
            self.help.push(format!("accepted here: {}", listed(&accepted)));
        }
        self
    }
}

/// At most this many names are listed.
const LISTED: usize = 40;

fn listed(names: &[&str]) -> String {
    let shown = names[..names.len().min(LISTED)].join(", ");
    if names.len() > LISTED { format!("{shown} … and {} more", names.len() - LISTED) } else { shown }
}

/// The accepted word nearest to what was written, if one is near.
pub fn nearest<'a>(found: &str, accepted: &[&'a str]) -> Option<&'a str> {
    let lower = found.to_lowercase();
    accepted
        .iter()
        .map(|a| (*a, strsim::damerau_levenshtein(&lower, a), strsim::jaro_winkler(&lower, a)))
        .filter(|(a, edits, likeness)| *edits < a.len() && (*edits <= 1 + a.len() / 4 || *likeness > 0.9))
        .min_by(|x, y| x.1.cmp(&y.1).then(y.2.total_cmp(&x.2)))
        .map(|(a, _, _)| a)
}

/// Characters of a line that a message shows.
const LONGEST: usize = 400;

/// What a message shows of a line, and from where how much of that is underlined.
fn excerpt(line: &str, skip: usize, length: usize) -> (String, usize, usize) {
    if line.chars().count() <= LONGEST {
        return (line.to_owned(), skip, length);
    }
    let from = skip.saturating_sub(LONGEST / 2);
    let dots = if from > 0 { "…" } else { "" };
    let shown: String = line.chars().skip(from).take(LONGEST).collect();
    (format!("{dots}{shown}…"), skip - from + usize::from(from > 0), length.min(LONGEST / 2))
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{severity}: {}", self.problem)?;
        let mut gutter = 0;
        if let Some(place) = &self.place {
            gutter = place.line.to_string().len();
            write!(f, "\n{:gutter$}--> {}:{}:{}", "", place.origin, place.line, place.column)?;
            write!(f, "\n{:gutter$} |", "")?;
            let (text, skip, length) = excerpt(&place.text, place.column - 1, place.length);
            write!(f, "\n{} | {text}", place.line)?;
            write!(f, "\n{:gutter$} | {}{}", "", " ".repeat(skip), "^".repeat(length))?;
        }
        for line in &self.help {
            write!(f, "\n{:gutter$} = help: {line}", "")?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.items.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
