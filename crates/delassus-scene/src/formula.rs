//! Numbers with a name, `"=expression"` in place of a number, expressions of time
//!
//! ```text
//! [parameters]  w = 20       A = "=1.5*9.81/w^2"        position = [0, "=A/2"]
//! ```
//!
//! Parameters may use each other in any order. `deg` is π/180. A text beginning with `=`
//! is replaced by its value before anything else sees it; an expression of time keeps its
//! text, with the values of the parameters put in.

use crate::diagnostic::{Diagnostics, Problem};
use crate::source::{Sources, Span};
use crate::tree::{Node, Value};
use delassus_contact::Expression;
use std::collections::BTreeMap;

/// Keys whose text is never a number.
const TEXTS: [&str; 7] = ["title", "about", "name", "file", "colour", "if", "set"];

/// Values of the parameters, with `deg`.
#[derive(Clone, Debug)]
pub struct Parameters {
    values: BTreeMap<String, f64>,
    start: Option<Given>,
}

/// Where `start` comes from, where it is no parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    /// The clock of the run.
    Clock,
}

impl Parameters {
    /// Only `deg`.
    pub fn new() -> Self {
        Self { values: BTreeMap::from([("deg".to_owned(), std::f64::consts::PI / 180.0)]), start: None }
    }

    /// The same with `start`, the time at which the stage began, unless a parameter has that name.
    #[must_use]
    pub fn with_start(mut self, time: f64) -> Self {
        if self.start == Some(Given::Clock) || !self.values.contains_key("start") {
            self.values.insert("start".to_owned(), time);
            self.start = Some(Given::Clock);
        }
        self
    }

    /// For a motion that began at another time than the stage: `start` is that time.
    #[must_use]
    pub fn at_start(mut self, since: Option<f64>) -> Self {
        if let (Some(since), Some(Given::Clock)) = (since, self.start) {
            self.values.insert("start".to_owned(), since);
        }
        self
    }

    /// These values alone.
    pub(crate) fn only(values: &[(String, f64)]) -> Self {
        Self { values: values.iter().cloned().collect(), start: None }
    }

    /// The same with more values, which count more.
    #[must_use]
    pub(crate) fn with(&self, values: &[(String, f64)]) -> Self {
        let mut all = self.clone();
        all.values.extend(values.iter().cloned());
        all
    }

    /// The value of an expression of parameters.
    pub fn evaluate(&self, text: &str) -> Result<f64, Problem> {
        let names: Vec<&str> = self.values.keys().map(String::as_str).collect();
        let values: Vec<f64> = self.values.values().copied().collect();
        let value = parse(text, &names)?.value(&values);
        if value.is_finite() {
            return Ok(value);
        }
        Err(Problem::ExpressionValue { text: text.to_owned(), value, at: "for these parameters".to_owned() })
    }

    /// An expression of `variables`, in which parameters may occur.
    pub fn expression(&self, text: &str, variables: &[&str]) -> Result<Expression, Problem> {
        let mut names: Vec<&str> = variables.to_vec();
        names.extend(self.values.keys().map(String::as_str).filter(|k| !variables.contains(k)));
        parse(text, &names)?;
        parse(&self.substitute(text, variables), variables)
    }

    /// The same, where variables have parts, as `tip.position.y`: parameters come after them.
    pub fn expression_of_names(&self, text: &str, variables: &[&str]) -> Result<Expression, Problem> {
        let values: Vec<(&String, &f64)> =
            self.values.iter().filter(|(k, _)| !variables.contains(&k.as_str())).collect();
        let mut names: Vec<&str> = variables.to_vec();
        names.extend(values.iter().map(|v| v.0.as_str()));
        let expression = parse(text, &names)?;
        let constants: Vec<f64> = values.iter().map(|v| *v.1).collect();
        Ok(expression.with_constants(variables.len(), &constants))
    }

    /// The text with the values of the parameters put in; `hidden` names are variables.
    pub(crate) fn substitute(&self, text: &str, hidden: &[&str]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = token(rest);
            let word = &rest[..length];
            match self.values.get(word) {
                Some(value) if !hidden.contains(&word) => out.push_str(&format!("({value})")),
                _ => out.push_str(word),
            }
            rest = &rest[length.max(c.len_utf8())..];
        }
        out
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::new()
    }
}

/// Length in bytes of a number, a name, or one other character.
fn token(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let first = bytes[0];
    if first.is_ascii_alphabetic() || first == b'_' {
        return bytes.iter().take_while(|b| is_name(**b)).count();
    }
    if first.is_ascii_digit() || first == b'.' {
        let mut end = bytes.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let exponent = bytes.get(end).is_some_and(|b| b.eq_ignore_ascii_case(&b'e'));
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if exponent && bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end += 1 + sign;
            end += bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
        }
        return end;
    }
    text.chars().next().map_or(1, char::len_utf8)
}

fn parse(text: &str, names: &[&str]) -> Result<Expression, Problem> {
    Expression::parse(text, names).map_err(|e| Problem::Expression {
        text: text.to_owned(),
        message: format!("at character {}, {}", e.position + 1, e.message),
    })
}

/// Reads `[parameters]`, then replaces every `"=…"` of the tree by its value.
pub fn expand(root: &mut Node, sources: &Sources, diagnostics: &mut Diagnostics) -> Parameters {
    let parameters = read(root, sources, diagnostics);
    replace(root, "", &parameters, &mut |span, problem| {
        diagnostics.error(sources, Some(span), problem);
    });
    parameters
}

/// Parameters in any order: those whose expression needs only known ones first.
pub(crate) fn read(root: &Node, sources: &Sources, diagnostics: &mut Diagnostics) -> Parameters {
    let mut known = Parameters::new();
    let mut waiting: Vec<(&str, &str, Span)> = Vec::new();
    for entry in root.get("parameters").map(Node::entries).unwrap_or_default() {
        if !is_name(&entry.key) {
            let what = format!("`{}` cannot be used in an expression: letters, digits and _ are accepted", entry.key);
            diagnostics.error(sources, Some(entry.span), Problem::Inconsistent { what });
        }
        match (&entry.node.value, entry.node.text().and_then(|t| t.strip_prefix('='))) {
            (Value::Integer(i), _) => drop(known.values.insert(entry.key.clone(), *i as f64)),
            (Value::Float(x), _) if x.is_finite() => drop(known.values.insert(entry.key.clone(), *x)),
            (_, Some(text)) => waiting.push((&entry.key, text, entry.node.span)),
            _ => {}
        }
    }
    let all: Vec<String> = waiting.iter().map(|w| w.0.to_owned()).collect();
    loop {
        let before = waiting.len();
        waiting.retain(|(name, text, _)| {
            let ready = !names_in(text).any(|n| all.iter().any(|a| a == n) && !known.values.contains_key(n));
            match known.evaluate(text) {
                Ok(value) if ready => drop(known.values.insert((*name).to_owned(), value)),
                _ => return true,
            }
            false
        });
        if waiting.len() == before {
            break;
        }
    }
    report(&waiting, &known, sources, diagnostics);
    known
}

/// Parameters that have no value: a fault of their own, or a circle.
fn report(waiting: &[(&str, &str, Span)], known: &Parameters, sources: &Sources, diagnostics: &mut Diagnostics) {
    let stuck = |text: &str| names_in(text).any(|n| waiting.iter().any(|w| w.0 == n));
    let names: Vec<String> = waiting.iter().filter(|w| stuck(w.1)).map(|w| format!("`{}`", w.0)).collect();
    for (i, (_, text, span)) in waiting.iter().enumerate() {
        if !stuck(text) {
            if let Err(problem) = known.evaluate(text) {
                diagnostics.error(sources, Some(*span), problem);
            }
        } else if waiting[..i].iter().all(|w| !stuck(w.1)) && names.len() == waiting.len() {
            diagnostics.error(sources, Some(*span), Problem::Circular { names: names.join(", ") });
        }
    }
}

/// Names of an expression.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (word, tail) = rest.split_at(token(rest));
            rest = tail;
            if is_name(word) {
                return Some(word);
            }
        }
        None
    })
}

pub(crate) fn is_name(word: &str) -> bool {
    let first = word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    first && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn replace(node: &mut Node, key: &str, parameters: &Parameters, report: &mut dyn FnMut(Span, Problem)) {
    let in_parameters = key == "parameters";
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|n| replace(n, key, parameters, report)),
        Value::Table(entries) => {
            for entry in entries {
                match (in_parameters, parameters.values.get(&entry.key)) {
                    (true, Some(value)) if entry.node.text().is_some() => entry.node.value = Value::Float(*value),
                    // Its fault has been reported; zero keeps the walk going.
                    (true, None) if entry.node.text().is_some_and(|t| t.starts_with('=')) => {
                        entry.node.value = Value::Float(0.0);
                    }
                    (true, _) => {}
                    (false, _) => replace(&mut entry.node, &entry.key, parameters, report),
                }
            }
        }
        Value::String(text) if !TEXTS.contains(&key) => {
            let Some(expression) = text.strip_prefix('=') else { return };
            match parameters.evaluate(expression) {
                Ok(value) => node.value = whole(value),
                Err(problem) => {
                    report(node.span, problem);
                    node.value = Value::Float(1.0);
                }
            }
        }
        _ => {}
    }
}

/// A whole number stays one, so that counts may be computed.
pub(crate) fn whole(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { Value::Integer(value as i64) } else { Value::Float(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_use_each_other_in_any_order() {
        let text = "x = '=2*b'\n[parameters]\na = '=b^2'\nb = '=c+1'\nc = 2\n";
        let mut sources = Sources::default();
        sources.add("a.toml", text);
        let mut diagnostics = Diagnostics::default();
        let mut root = crate::tree::parse(text, 0, &sources, &mut diagnostics);
        let parameters = expand(&mut root, &sources, &mut diagnostics);
        assert_eq!(diagnostics.items, vec![]);
        assert_eq!(parameters.evaluate("a").expect("known"), 9.0);
        assert_eq!(root.get("x").map(|n| n.value.clone()), Some(Value::Integer(6)));
    }

    #[test]
    fn circles_are_named() {
        let text = "[parameters]\na = '=b'\nb = '=a'\n";
        let mut sources = Sources::default();
        sources.add("a.toml", text);
        let mut diagnostics = Diagnostics::default();
        let mut root = crate::tree::parse(text, 0, &sources, &mut diagnostics);
        expand(&mut root, &sources, &mut diagnostics);
        assert!(diagnostics.to_string().contains("the parameters `a`, `b` are defined by each other"));
    }

    #[test]
    fn numbers_keep_their_exponent_when_parameters_are_put_in() {
        let mut parameters = Parameters::new();
        parameters.values.insert("e3".into(), 7.0);
        parameters.values.insert("w".into(), -2.5);
        assert_eq!(parameters.substitute("1e3*sin(w*t)+2.5e-3*e3", &["t"]), "1e3*sin((-2.5)*t)+2.5e-3*(7)");
    }
}
