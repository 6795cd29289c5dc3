//! Functions of time: imposed displacements, factors of loads

use delassus_contact::{Expression, ExpressionError};

/// A function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Function {
    /// The same value always.
    Constant(f64),
    /// An expression of `t`.
    Expression(Expression),
}

impl Function {
    /// Parses an expression of `t`.
    pub fn expression(text: &str) -> Result<Self, ExpressionError> {
        Ok(Function::Expression(Expression::parse(text, &["t"])?))
    }

    /// The value at a time.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Function::Constant(c) => *c,
            Function::Expression(e) => e.value(&[t]),
        }
    }

    /// The rate at a time.
    pub fn rate(&self, t: f64) -> f64 {
        match self {
            Function::Constant(_) => 0.0,
            Function::Expression(e) => e.partial(0, &[t]),
        }
    }

    /// Whether a constant is finite.
    pub fn is_valid(&self) -> bool {
        match self {
            Function::Constant(c) => c.is_finite(),
            Function::Expression(_) => true,
        }
    }
}

impl From<f64> for Function {
    fn from(value: f64) -> Self {
        Function::Constant(value)
    }
}
