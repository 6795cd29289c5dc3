//! What there is to say of a superposition, in numbers and in words.

use crate::{Condition, Made, Mediator, Product, Profile, Superposition};
use std::f64::consts::PI;
use std::fmt;

/// Rows whose singular values differ by more make multipliers lose half of their digits.
const ILL: f64 = 1e8;

/// A superposition as it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its name.
    pub name: String,
    /// Whose functions the multipliers are.
    pub mediator: Mediator,
    /// The product that glues.
    pub product: Product,
    /// Weights of inertia, strain and load.
    pub weights: [Profile; 3],
    /// Measures and counts.
    pub made: Made,
    /// Wave numbers above which the coarse and the fine mesh carry no wave \[rad/m\].
    pub cut_off: [f64; 2],
    /// Of the rows, where it was asked for.
    pub condition: Option<Condition>,
    /// What deserves attention.
    pub warnings: Vec<Warning>,
}

/// What deserves attention.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Method §8.6: a constant stress does not pass.
    Patch,
    /// Multipliers are almost the same.
    IllConditioned {
        /// Ratio of the singular values.
        number: f64,
        /// Rows that make up the weakest combination.
        rows: Vec<usize>,
    },
    /// Multipliers that others or supports make superfluous.
    Redundant {
        /// By others.
        dependent: usize,
        /// By supports.
        held: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Patch => f.write_str(
                "with the coarse mediator and constant weights a constant stress does not pass exactly: take linear or \
                 cubic weights, or the fine mediator",
            ),
            Warning::IllConditioned { number, rows } => write!(
                f,
                "the multipliers are almost dependent (condition {number:.1e}, rows {rows:?}): take a zone that ends with \
                 cells of the mediator, or the H1 product"
            ),
            Warning::Redundant { dependent, held } => {
                write!(f, "{dependent} multipliers follow from others and {held} from supports: they are left out")
            }
        }
    }
}

impl Superposition {
    /// What was made, with the condition of its rows where that is known.
    pub fn report(&self, made: &Made, condition: Option<Condition>) -> Report {
        let weights = [self.weights.inertia, self.weights.strain, self.weights.load];
        let mut warnings = vec![];
        if self.mediator == Mediator::Coarse && matches!(self.weights.strain, Profile::Constant(_)) {
            warnings.push(Warning::Patch);
        }
        if let Some(c) = &condition {
            if c.number() > ILL {
                warnings.push(Warning::IllConditioned { number: c.number(), rows: c.weakest.clone() });
            }
            if !(c.dependent.is_empty() && c.held.is_empty()) {
                warnings.push(Warning::Redundant { dependent: c.dependent.len(), held: c.held.len() });
            }
        }
        Report {
            name: self.name.clone(),
            mediator: self.mediator,
            product: self.product,
            weights,
            cut_off: made.sizes.map(|h| PI / h),
            made: made.clone(),
            condition,
            warnings,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, made, .. } = self;
        let mediator = if self.mediator == Mediator::Coarse { "coarse" } else { "fine" };
        let product = match self.product {
            Product::L2 => "L2".to_owned(),
            Product::H1 { length } => format!("H1 with length {length}"),
        };
        writeln!(
            f,
            "`{name}`: overlap {:.4e}, glued on {:.4e}, {:.1} % of the fine model covered",
            made.overlap,
            made.zone,
            100.0 * made.covered
        )?;
        let [a, b, c] = self.weights.map(Profile::name);
        writeln!(f, "weights {a} (inertia), {b} (strain), {c} (load); {mediator} mediator, {product}")?;
        write!(f, "{} multipliers", made.multipliers)?;
        if made.faint > 0 {
            write!(f, ", {} left out whose support is faint", made.faint)?;
        }
        if let Some(c) = &self.condition {
            write!(f, ", condition {:.1e}", c.number())?;
        }
        writeln!(f)?;
        let [coarse, fine] = self.cut_off;
        if coarse < fine {
            writeln!(
                f,
                "the coarse mesh carries wave numbers up to {coarse:.4e} rad/m, the fine one up to {fine:.4e}: a conservative \
                 junction reflects what lies between; HHT in the gluing zone damps it",
            )?;
        }
        if made.crossing > 0.0 {
            writeln!(
                f,
                "{:.0} % of the fine cells lie in more than one coarse cell: a constant stress passes up to the error of \
                 the meshes, and exactly where coarse cells are made of fine ones",
                100.0 * made.crossing
            )?;
        }
        self.warnings.iter().try_for_each(|w| writeln!(f, "warning: {w}"))
    }
}
