//! Recursive descent over the grammar of [`Expression`](super::Expression), into a postfix tape.

use super::{BINARY, Binary, DEPTH, ExpressionError, Op, UNARY, Unary};

pub(super) struct Parser<'a> {
    text: &'a str,
    pub at: usize,
    variables: &'a [&'a str],
    pub tape: Vec<Op>,
    depth: usize,
}

/// Part of a name.
fn word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, variables: &'a [&'a str]) -> Self {
        Self { text, at: 0, variables, tape: vec![], depth: 0 }
    }

    pub fn error(&self, message: String) -> ExpressionError {
        ExpressionError { text: self.text.to_owned(), position: self.at, message }
    }

    pub fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, symbol: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }

    /// A word that is not the beginning of a longer one.
    fn eat_word(&mut self, word: &str) -> bool {
        self.skip();
        let rest = &self.text[self.at..];
        let found = rest.strip_prefix(word).is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if found {
            self.at += word.len();
        }
        found
    }

    /// `a or b`, `a and b`, `not a`: 1 where true, 0 where not.
    pub fn condition(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(format!("nested deeper than {DEPTH}")));
        }
        self.conjunction()?;
        while self.eat_word("or") {
            self.conjunction()?;
            self.tape.push(Op::Binary(Binary::Or));
        }
        self.depth -= 1;
        Ok(())
    }

    fn conjunction(&mut self) -> Result<(), ExpressionError> {
        self.comparison()?;
        while self.eat_word("and") {
            self.comparison()?;
            self.tape.push(Op::Binary(Binary::And));
        }
        Ok(())
    }

    fn comparison(&mut self) -> Result<(), ExpressionError> {
        if self.eat_word("not") {
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(self.error(format!("nested deeper than {DEPTH}")));
            }
            self.comparison()?;
            self.depth -= 1;
            self.tape.push(Op::Unary(Unary::Not));
            return Ok(());
        }
        self.sum()?;
        let symbols = [
            ("<=", Binary::LessEqual),
            (">=", Binary::GreaterEqual),
            ("==", Binary::Equal),
            ("!=", Binary::Unequal),
            ("<", Binary::Less),
            (">", Binary::Greater),
        ];
        if let Some(&(_, op)) = symbols.iter().find(|(symbol, _)| self.eat(symbol)) {
            self.sum()?;
            self.tape.push(Op::Binary(op));
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(format!("nested deeper than {DEPTH}")));
        }
        self.product()?;
        loop {
            let op = if self.eat("+") {
                Binary::Add
            } else if self.eat("-") {
                Binary::Sub
            } else {
                self.depth -= 1;
                return Ok(());
            };
            self.product()?;
            self.tape.push(Op::Binary(op));
        }
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        self.unary()?;
        loop {
            let op = if self.eat("*") {
                Binary::Mul
            } else if self.eat("/") {
                Binary::Div
            } else if self.eat("%") {
                Binary::Rem
            } else {
                return Ok(());
            };
            self.unary()?;
            self.tape.push(Op::Binary(op));
        }
    }

    fn unary(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(format!("nested deeper than {DEPTH}")));
        }
        if self.eat("-") {
            self.unary()?;
            self.tape.push(Op::Unary(Unary::Neg));
        } else if self.eat("+") {
            self.unary()?;
        } else {
            self.atom()?;
            if self.eat("**") || self.eat("^") {
                self.unary()?;
                self.tape.push(Op::Binary(Binary::Pow));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        self.skip();
        let rest = &self.text[self.at..];
        match rest.chars().next() {
            None => Err(self.error("the expression ends too early".into())),
            Some('(') => {
                self.at += 1;
                self.condition()?;
                self.close()
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(self.error(format!("unexpected '{c}'"))),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if self.eat(")") { Ok(()) } else { Err(self.error("expected ')'".into())) }
    }

    fn number(&mut self) -> Result<(), ExpressionError> {
        let rest = &self.text.as_bytes()[self.at..];
        let digits = |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut n = digits(0);
        if rest.get(n) == Some(&b'.') {
            n += 1 + digits(n + 1);
        }
        if matches!(rest.get(n), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(n + 1), Some(b'+' | b'-')));
            let exponent = digits((n + 1 + sign).min(rest.len()));
            if exponent > 0 {
                n += 1 + sign + exponent;
            }
        }
        let value: f64 = self.text[self.at..self.at + n].parse().map_err(|_| self.error("not a number".into()))?;
        if !value.is_finite() {
            return Err(self.error("the number is too large".into()));
        }
        self.tape.push(Op::Number(value));
        self.at += n;
        Ok(())
    }

    fn name(&mut self) -> Result<(), ExpressionError> {
        let rest = &self.text[self.at..];
        let mut end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        // Names of observed quantities have parts, `grip.force.x`, which may have a hyphen where a variable says so.
        let long = |v: &&&str| rest.strip_prefix(**v).is_some_and(|r| !r.starts_with(word) && !r.starts_with('.'));
        if let Some(v) = self.variables.iter().filter(|v| v.contains('.')).find(long) {
            end = v.len();
        } else if rest[end..].starts_with('.') {
            end = rest.find(|c: char| !word(c) && c != '.').unwrap_or(rest.len());
        }
        let name = &rest[..end];
        if let Some(i) = self.variables.iter().position(|v| *v == name) {
            self.tape.push(Op::Variable(i));
            self.at += end;
        } else if let Some(&(_, u)) = UNARY.iter().find(|f| f.0 == name) {
            self.at += end;
            self.open(name)?;
            self.condition()?;
            self.close()?;
            self.tape.push(Op::Unary(u));
        } else if let Some(&(_, b)) = BINARY.iter().find(|f| f.0 == name) {
            self.at += end;
            self.open(name)?;
            self.condition()?;
            if !self.eat(",") {
                return Err(self.error(format!("'{name}' takes two arguments: expected ','")));
            }
            self.condition()?;
            self.close()?;
            self.tape.push(Op::Binary(b));
        } else if name == "pi" || name == "π" {
            self.tape.push(Op::Number(std::f64::consts::PI));
            self.at += end;
        } else if name == "e" {
            self.tape.push(Op::Number(std::f64::consts::E));
            self.at += end;
        } else {
            return Err(self.unknown(name));
        }
        Ok(())
    }

    fn open(&mut self, name: &str) -> Result<(), ExpressionError> {
        if self.eat("(") { Ok(()) } else { Err(self.error(format!("'{name}' is a function: expected '('"))) }
    }

    fn unknown(&self, name: &str) -> ExpressionError {
        let functions: Vec<_> = UNARY.iter().map(|f| f.0).chain(BINARY.iter().map(|f| f.0)).collect();
        self.error(format!(
            "unknown name '{name}'; variables: {}; constants: pi, e; functions: {}",
            self.variables.join(", "),
            functions.join(", ")
        ))
    }
}
