//! Functions of time: imposed displacements, factors of loads

use delassus_contact::{Expression, ExpressionError};

/// A function of time.
#[derive(Clone, Debug)]
pub enum Function {
    /// The same value always.
    Constant(f64),
    /// Straight lines between points of increasing times; constant outside.
    Table(Vec<(f64, f64)>),
    /// An expression of `t`.
    Expression(Expression),
}

impl Function {
    /// Parses an expression of `t`.
    pub fn expression(text: &str) -> Result<Self, ExpressionError> {
        Ok(Function::Expression(Expression::parse(text, &["t"])?))
    }

    /// A line from 0 at time 0 to `value` at time `end`, then constant.
    pub fn ramp(value: f64, end: f64) -> Self {
        Function::Table(vec![(0.0, 0.0), (end, value)])
    }

    /// The value at a time.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Function::Constant(c) => *c,
            Function::Expression(e) => e.value(&[t]),
            Function::Table(points) => {
                let k = points.partition_point(|p| p.0 <= t);
                match (k.checked_sub(1).map(|i| points[i]), points.get(k)) {
                    (None, first) => first.map_or(0.0, |p| p.1),
                    (Some(last), None) => last.1,
                    (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (t - a.0) / (b.0 - a.0),
                }
            }
        }
    }

    /// The rate at a time, from the right where there is a kink.
    pub fn rate(&self, t: f64) -> f64 {
        match self {
            Function::Constant(_) => 0.0,
            Function::Expression(e) => e.partial(0, &[t]),
            Function::Table(points) => {
                let k = points.partition_point(|p| p.0 <= t);
                match k.checked_sub(1) {
                    Some(i) if k < points.len() => (points[k].1 - points[i].1) / (points[k].0 - points[i].0),
                    _ => 0.0,
                }
            }
        }
    }

    /// Whether the times of a table increase and its numbers are finite.
    pub fn is_valid(&self) -> bool {
        match self {
            Function::Constant(c) => c.is_finite(),
            Function::Expression(_) => true,
            Function::Table(points) => {
                !points.is_empty()
                    && points.iter().all(|p| p.0.is_finite() && p.1.is_finite())
                    && points.windows(2).all(|w| w[0].0 < w[1].0)
            }
        }
    }
}

impl From<f64> for Function {
    fn from(value: f64) -> Self {
        Function::Constant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: the points themselves, the middle of a line, constancy outside.
    #[test]
    fn a_table_is_piecewise_linear() {
        let f = Function::Table(vec![(1.0, 2.0), (3.0, 6.0)]);
        for (t, y) in [(0.0, 2.0), (1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (9.0, 6.0)] {
            assert_eq!(f.at(t), y);
        }
        assert!(!Function::Table(vec![(1.0, 0.0), (1.0, 1.0)]).is_valid());
        assert_eq!(Function::ramp(4.0, 2.0).at(1.0), 2.0);
        assert_eq!([f.rate(0.0), f.rate(1.0), f.rate(3.0)], [0.0, 2.0, 0.0]);
    }
}
