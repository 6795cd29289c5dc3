//! Expressions of named variables: walls, loads, motions
//!
//! ```text
//! whole   = all { or all }                     all     = test { and test }
//! test    = not test | sum [ (<|<=|>|>=|==|!=) sum ]
//! sum     = product { (+|-) product }          product = unary { (*|/|%) unary }
//! unary   = (+|-) unary | power                power   = atom [ (^|**) unary ]
//! atom    = number | variable | pi | e | function ( whole {, whole} ) | ( whole )
//! ```
//!
//! What is true is 1, what is not is 0; any other number than 0 counts as true, nothing that is undefined does.
//!
//! Parsed once into a tape of operations in postfix order; evaluation walks the tape
//! with a stack on the machine stack and allocates nothing. Derivatives are exact, by
//! dual numbers carried along the same tape, also through `abs`, `min`, `max` (one-sided
//! at the kink). Rejected: exmex, whose errors carry no position and whose evaluation
//! allocates beyond 32 nodes, which symbolic derivatives of a wall soon pass.

mod parser;

use parser::Parser;
use std::fmt;

/// Deepest nesting of an expression.
const DEPTH: usize = 64;

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The text.
    pub text: String,
    /// Byte position of the fault.
    pub position: usize,
    /// What was found and what would be accepted.
    pub message: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expression '{}', at character {}: {}", self.text, self.position + 1, self.message)
    }
}

impl std::error::Error for ExpressionError {}

/// Functions of one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unary {
    Neg,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Abs,
    Sign,
    Floor,
    Ceil,
    Step,
    Not,
}

/// Functions of two arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Min,
    Max,
    Atan2,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
    And,
    Or,
}

const UNARY: [(&str, Unary); 19] = [
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("tan", Unary::Tan),
    ("asin", Unary::Asin),
    ("acos", Unary::Acos),
    ("atan", Unary::Atan),
    ("sinh", Unary::Sinh),
    ("cosh", Unary::Cosh),
    ("tanh", Unary::Tanh),
    ("exp", Unary::Exp),
    ("ln", Unary::Ln),
    ("log", Unary::Ln),
    ("log10", Unary::Log10),
    ("sqrt", Unary::Sqrt),
    ("abs", Unary::Abs),
    ("sign", Unary::Sign),
    ("floor", Unary::Floor),
    ("ceil", Unary::Ceil),
    ("step", Unary::Step),
];

const BINARY: [(&str, Binary); 5] =
    [("min", Binary::Min), ("max", Binary::Max), ("atan2", Binary::Atan2), ("pow", Binary::Pow), ("mod", Binary::Rem)];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Number(f64),
    Variable(usize),
    Unary(Unary),
    Binary(Binary),
}

/// A value and its derivative along one direction.
type Dual = (f64, f64);

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    tape: Vec<Op>,
}

impl Expression {
    /// Parses `text`, in which the names of `variables` may occur.
    pub fn parse(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        let mut parser = Parser::new(text, variables);
        parser.condition()?;
        parser.skip();
        if parser.at < text.len() {
            return Err(parser.error("expected an operator or the end".into()));
        }
        let (mut height, mut highest) = (0usize, 0);
        for op in &parser.tape {
            match op {
                Op::Number(_) | Op::Variable(_) => height += 1,
                Op::Binary(_) => height -= 1,
                Op::Unary(_) => {}
            }
            highest = highest.max(height);
        }
        if highest > DEPTH {
            return Err(parser.error(format!("nested deeper than {DEPTH}")));
        }
        let tape = std::mem::take(&mut parser.tape);
        Ok(Self { text: text.to_owned(), tape })
    }

    /// The same with numbers in the place of the variables from `first` on.
    #[must_use]
    pub fn with_constants(mut self, first: usize, values: &[f64]) -> Self {
        for op in &mut self.tape {
            if let Op::Variable(k) = *op
                && let Some(value) = k.checked_sub(first).and_then(|k| values.get(k))
            {
                *op = Op::Number(*value);
            }
        }
        self
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether variable `i` occurs.
    pub fn uses(&self, i: usize) -> bool {
        self.tape.contains(&Op::Variable(i))
    }

    /// The value; `values` in the order of the variables. Not finite where undefined.
    pub fn value(&self, values: &[f64]) -> f64 {
        self.run(values, usize::MAX).0
    }

    /// The partial derivative with respect to variable `i`.
    pub fn partial(&self, i: usize, values: &[f64]) -> f64 {
        self.run(values, i).1
    }

    /// Value and partial derivative with respect to variable `i` (none for an index beyond the last).
    fn run(&self, values: &[f64], i: usize) -> Dual {
        let mut stack = [(0.0, 0.0); DEPTH];
        let mut top = 0;
        for op in &self.tape {
            match *op {
                Op::Number(c) => {
                    stack[top] = (c, 0.0);
                    top += 1;
                }
                Op::Variable(k) => {
                    stack[top] = (values.get(k).copied().unwrap_or(f64::NAN), f64::from(u8::from(k == i)));
                    top += 1;
                }
                Op::Unary(u) => stack[top - 1] = unary(u, stack[top - 1]),
                Op::Binary(b) => {
                    top -= 1;
                    stack[top - 1] = binary(b, stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }
}

/// `factor · d`, zero when `d` is zero even where the factor is infinite.
fn chain(factor: f64, d: f64) -> f64 {
    if d == 0.0 { 0.0 } else { factor * d }
}

fn unary(u: Unary, (x, d): Dual) -> Dual {
    match u {
        Unary::Neg => (-x, -d),
        Unary::Sin => (libm::sin(x), chain(libm::cos(x), d)),
        Unary::Cos => (libm::cos(x), chain(-libm::sin(x), d)),
        Unary::Tan => (libm::tan(x), chain(1.0 + libm::tan(x) * libm::tan(x), d)),
        Unary::Asin => (libm::asin(x), chain(1.0 / (1.0 - x * x).sqrt(), d)),
        Unary::Acos => (libm::acos(x), chain(-1.0 / (1.0 - x * x).sqrt(), d)),
        Unary::Atan => (libm::atan(x), chain(1.0 / (1.0 + x * x), d)),
        Unary::Sinh => (libm::sinh(x), chain(libm::cosh(x), d)),
        Unary::Cosh => (libm::cosh(x), chain(libm::sinh(x), d)),
        Unary::Tanh => (libm::tanh(x), chain(1.0 - libm::tanh(x) * libm::tanh(x), d)),
        Unary::Exp => (libm::exp(x), chain(libm::exp(x), d)),
        Unary::Ln => (libm::log(x), chain(1.0 / x, d)),
        Unary::Log10 => (libm::log10(x), chain(1.0 / (x * std::f64::consts::LN_10), d)),
        Unary::Sqrt => (x.sqrt(), chain(0.5 / x.sqrt(), d)),
        Unary::Abs => (x.abs(), if x < 0.0 { -d } else { d }),
        Unary::Sign => (if x == 0.0 { 0.0 } else { x.signum() }, 0.0),
        Unary::Floor => (x.floor(), 0.0),
        Unary::Ceil => (x.ceil(), 0.0),
        Unary::Step => (f64::from(u8::from(x >= 0.0)), 0.0),
        Unary::Not => (f64::from(u8::from(!truth(x))), 0.0),
    }
}

/// Whether a number counts as true.
fn truth(x: f64) -> bool {
    x != 0.0 && !x.is_nan()
}

fn binary(b: Binary, (x, dx): Dual, (y, dy): Dual) -> Dual {
    let is = |so: bool| (f64::from(u8::from(so)), 0.0);
    match b {
        Binary::Less => is(x < y),
        Binary::LessEqual => is(x <= y),
        Binary::Greater => is(x > y),
        Binary::GreaterEqual => is(x >= y),
        Binary::Equal => is(x == y),
        Binary::Unequal => is(x != y),
        Binary::And => is(truth(x) && truth(y)),
        Binary::Or => is(truth(x) || truth(y)),
        Binary::Add => (x + y, dx + dy),
        Binary::Sub => (x - y, dx - dy),
        Binary::Mul => (x * y, chain(y, dx) + chain(x, dy)),
        Binary::Div => (x / y, chain(1.0 / y, dx) - chain(x / (y * y), dy)),
        Binary::Rem => (x.rem_euclid(y), dx - chain((x / y).floor(), dy)),
        Binary::Pow => power((x, dx), (y, dy)),
        Binary::Min => {
            if x <= y {
                (x, dx)
            } else {
                (y, dy)
            }
        }
        Binary::Max => {
            if x >= y {
                (x, dx)
            } else {
                (y, dy)
            }
        }
        Binary::Atan2 => (libm::atan2(x, y), (chain(y, dx) - chain(x, dy)) / (x * x + y * y)),
    }
}

fn power((x, dx): Dual, (y, dy): Dual) -> Dual {
    // Whole exponents also for negative bases, by repeated multiplication: exact for squares.
    let p = |x: f64, y: f64| if y.fract() == 0.0 && y.abs() <= 64.0 { x.powi(y as i32) } else { libm::pow(x, y) };
    let value = p(x, y);
    let slope = if y == 0.0 { 0.0 } else { y * p(x, y - 1.0) };
    (value, chain(slope, dx) + chain(value * libm::log(x), dy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, t: f64, x: f64) -> f64 {
        Expression::parse(text, &["t", "x"]).expect("valid").value(&[t, x])
    }

    /// Precedence as in mathematics, closed forms by hand.
    #[test]
    fn values() {
        assert_eq!(at("1 + 2*3^2", 0.0, 0.0), 19.0);
        assert_eq!(at("-x^2", 0.0, 3.0), -9.0);
        assert_eq!(at("2^-1", 0.0, 0.0), 0.5);
        assert_eq!(at("2**3**2", 0.0, 0.0), 512.0);
        assert_eq!(at("10 - 4 - 3", 0.0, 0.0), 3.0);
        assert_eq!(at("(t+1)*x/4", 1.0, 6.0), 3.0);
        assert_eq!(at("max(t, x) + min(t, x)", 1.0, 6.0), 7.0);
        assert_eq!(at("mod(-1, 3)", 0.0, 0.0), 2.0);
        assert_eq!(at("1e-3*2E2 + .5", 0.0, 0.0), 0.7);
        assert!((at("sin(pi/6)", 0.0, 0.0) - 0.5).abs() < 1e-15);
        assert!(at("sqrt(x)", 0.0, -1.0).is_nan());
    }

    /// Comparisons bind looser than sums, `not` looser than them, then `and`, then `or`.
    #[test]
    fn conditions() {
        for (text, value) in [
            ("1 + 1 > 1 and x < 2", 1.0),
            ("x < 1 or t >= 2 and not x == 3", 1.0),
            ("not x < 1", 1.0),
            ("(x > 1)*5", 5.0),
            ("sqrt(-1) < 1", 0.0),
            ("not sqrt(-1)", 1.0),
            ("t != 2", 0.0),
        ] {
            assert_eq!(at(text, 2.0, 1.5), value, "{text}");
        }
        let parts = Expression::parse("a.b.x - 2*a.b", &["a.b", "a.b.x"]).expect("names with points");
        assert_eq!(parts.value(&[1.0, 5.0]), 3.0);
        let e = Expression::parse("1 < a.c", &["a.b"]).expect_err("unknown");
        assert!(e.position == 4 && e.message.contains("'a.c'"), "{e}");
    }

    /// Derivatives against central differences (order 2, step 1e-6).
    #[test]
    fn partials_agree_with_differences() {
        for text in [
            "sin(3*t)*cos(x) - x^3/(1+t^2)",
            "sqrt(x^2 + t^2) - 1",
            "exp(-x)*ln(2+t) + tanh(x*t)",
            "atan2(x, 1+t) + abs(x - 5) + max(x, t)^2",
            "x^t + asin(x/9) + acos(t/9) + atan(x)",
            "sinh(x) - cosh(t) + tan(x/3) + log10(x) + x % 7",
        ] {
            let f = Expression::parse(text, &["t", "x"]).expect("valid");
            let v = [0.7, 1.3];
            for i in 0..2 {
                let (mut a, mut b) = (v, v);
                a[i] += 1e-6;
                b[i] -= 1e-6;
                let numeric = (f.value(&a) - f.value(&b)) / 2e-6;
                assert!((f.partial(i, &v) - numeric).abs() < 1e-8 * (1.0 + numeric.abs()), "{text}, {i}");
            }
        }
    }

    #[test]
    fn errors_carry_the_position_and_the_known_names() {
        let e = Expression::parse("1 + zz*x", &["t", "x"]).expect_err("unknown");
        assert_eq!(e.position, 4);
        assert!(e.message.contains("'zz'") && e.message.contains("t, x") && e.message.contains("sin"));
        for (text, position) in [("", 0), ("1 +", 3), ("(1", 2), ("sin x", 4), ("1 $ 2", 2), ("min(1)", 5), ("2 x", 2)]
        {
            assert_eq!(Expression::parse(text, &["x"]).expect_err("invalid").position, position, "{text}");
        }
        assert!(Expression::parse(&"(".repeat(1000), &[]).is_err());
        assert!(Expression::parse(&"-".repeat(100_000), &[]).is_err());
        assert!(Expression::parse("1e999", &[]).is_err());
        assert!(Expression::parse("é+1", &[]).is_err());
    }
}
