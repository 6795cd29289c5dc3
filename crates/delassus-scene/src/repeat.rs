//! Parts of a scene written once and repeated by formula
//!
//! ```text
//! [[repeat]]
//! over = { i = 10, j = "=i + 1" }              i = 0 … 9, j = 0 … i; lists and { from, to, step } are accepted too
//! if = "i + j < 12"                            only where this holds
//! [repeat.body."block_{i}_{j}"]
//! position = ["=0.2*i", "=0.1*j"]
//! ```
//!
//! In formulas `"=…"` the variables stand beside the parameters; `{…}` in a key or a text is replaced by the value of what is
//! in the braces. What is written out in the scene counts more than what is repeated.

use crate::diagnostic::{Diagnostics, Problem};
use crate::formula::{Parameters, is_name, whole};
use crate::include::lay;
use crate::source::{Sources, Span};
use crate::stages::take;
use crate::tree::{Entry, Node, Value};

/// Most repetitions of one scene.
const MOST: usize = 100_000;

/// Whether a tree, or a stage of it, has loops.
pub(crate) fn is_asked_for(tree: &Node) -> bool {
    let stages = tree.get("stage").map(Node::entries).unwrap_or_default();
    tree.get("repeat").is_some() || stages.iter().any(|s| s.node.get("repeat").is_some())
}

/// Replaces `[[repeat]]` of a tree, and of its stages, by what it stands for.
pub(crate) fn expand(tree: &mut Node, parameters: &Parameters, sources: &Sources, told: &mut Diagnostics) {
    let mut loops = Loops { parameters, sources, told, left: MOST };
    loops.table(tree);
    if let Value::Table(entries) = &mut tree.value {
        let stages = entries.iter_mut().filter(|e| e.key == "stage");
        for stage in stages {
            if let Value::Table(entries) = &mut stage.node.value {
                entries.iter_mut().for_each(|e| loops.table(&mut e.node));
            }
        }
    }
}

struct Loops<'a> {
    parameters: &'a Parameters,
    sources: &'a Sources,
    told: &'a mut Diagnostics,
    left: usize,
}

/// One `[[repeat]]`.
struct Body {
    over: Vec<Entry>,
    condition: Option<(String, Span)>,
    tables: Vec<Entry>,
}

impl Loops<'_> {
    fn error(&mut self, span: Span, problem: Problem) {
        self.told.error(self.sources, Some(span), problem);
    }

    fn wrong(&mut self, key: &str, expected: &str, node: &Node) {
        let problem = Problem::WrongType { key: key.into(), expected: expected.into(), found: node.kind().into() };
        self.error(node.span, problem);
    }

    fn table(&mut self, tree: &mut Node) {
        let Some(repeat) = take(tree, "repeat") else { return };
        let items = match repeat.node.value {
            Value::Array(items) => items,
            _ => vec![repeat.node],
        };
        let mut made = Node::table(tree.span);
        for item in items {
            if let Some(body) = self.read(item) {
                self.unroll(&body, 0, &mut vec![], &mut made);
            }
        }
        let over = std::mem::replace(tree, Node::table(tree.span));
        lay(&mut made, over, "");
        *tree = made;
    }

    fn read(&mut self, mut item: Node) -> Option<Body> {
        if !matches!(item.value, Value::Table(_)) {
            self.wrong("repeat", "a table, [[repeat]]", &item);
            return None;
        }
        let Some(over) = take(&mut item, "over") else {
            self.error(item.span, Problem::MissingKey { parent: "repeat".into(), key: "over".into() });
            return None;
        };
        let Value::Table(over) = over.node.value else {
            self.wrong("repeat.over", "variables, { i = 10 }", &over.node);
            return None;
        };
        if let Some(entry) = over.iter().find(|e| !is_name(&e.key)) {
            let what = format!("`{}` cannot be used in an expression: letters, digits and _ are accepted", entry.key);
            self.error(entry.span, Problem::Inconsistent { what });
            return None;
        }
        let condition = match take(&mut item, "if") {
            None => None,
            Some(entry) => match entry.node.text() {
                Some(text) => Some((text.to_owned(), entry.node.span)),
                None => {
                    self.wrong("repeat.if", "a condition, \"i < j\"", &entry.node);
                    return None;
                }
            },
        };
        let Value::Table(tables) = item.value else { return None };
        Some(Body { over, condition, tables })
    }

    /// The values of the variables from `depth` on, one after the other.
    fn unroll(&mut self, body: &Body, depth: usize, set: &mut Vec<(String, f64)>, out: &mut Node) {
        let Some(entry) = body.over.get(depth) else { return self.once(body, set, out) };
        let known = self.parameters.with(set);
        let values = match self.values(entry, &known) {
            Some(values) => values,
            None => {
                // Told once, not for each turn of the loops around it.
                self.left = 0;
                return;
            }
        };
        for value in values {
            if self.left == 0 {
                return;
            }
            set.push((entry.key.clone(), value));
            self.unroll(body, depth + 1, set, out);
            set.pop();
        }
    }

    fn values(&mut self, entry: &Entry, known: &Parameters) -> Option<Vec<f64>> {
        let key = format!("repeat.over.{}", entry.key);
        let from = |k: &str| entry.node.get(k);
        match &entry.node.value {
            Value::Array(items) => items.iter().map(|n| self.number(n, &key, known)).collect(),
            Value::Table(entries) => {
                if let Some(e) = entries.iter().find(|e| !["from", "to", "step"].contains(&e.key.as_str())) {
                    self.error(e.span, Problem::UnknownKey { key: e.key.clone() });
                    return None;
                }
                let Some(to) = from("to") else {
                    self.error(entry.span, Problem::MissingKey { parent: key, key: "to".into() });
                    return None;
                };
                let to = self.number(to, &key, known)?;
                let or =
                    |own: &mut Self, k: &str, usual: f64| from(k).map_or(Some(usual), |n| own.number(n, &key, known));
                let (first, step) = (or(self, "from", 0.0)?, or(self, "step", 1.0)?);
                let count = (to - first) / step;
                if !(step != 0.0 && count.abs() < MOST as f64) {
                    let what = format!("`{key}` goes from {first} to {to} in steps of {step}: at most {MOST} are made");
                    self.error(entry.span, Problem::Inconsistent { what });
                    return None;
                }
                // The end belongs to it, whatever the last digit of the quotient.
                let count = (count + 1e-9).floor();
                Some((0..).map(f64::from).take_while(|k| *k <= count).map(|k| first + k * step).collect())
            }
            _ => {
                let count = self.number(&entry.node, &key, known)?;
                if !(count >= 0.0 && count.fract() == 0.0 && count <= MOST as f64) {
                    let bound = format!("a whole number from 0 to {MOST}");
                    self.error(entry.node.span, Problem::OutOfRange { key, value: count, bound });
                    return None;
                }
                Some((0..count as u32).map(f64::from).collect())
            }
        }
    }

    fn number(&mut self, node: &Node, key: &str, known: &Parameters) -> Option<f64> {
        match (&node.value, node.text().and_then(|t| t.strip_prefix('='))) {
            (Value::Integer(i), _) => Some(*i as f64),
            (Value::Float(x), _) if x.is_finite() => Some(*x),
            (_, Some(text)) => match known.evaluate(text) {
                Ok(value) => Some(value),
                Err(problem) => {
                    self.error(node.span, problem);
                    None
                }
            },
            _ => {
                self.wrong(key, "a count, a list of numbers, or { from, to, step }", node);
                None
            }
        }
    }

    /// One turn.
    fn once(&mut self, body: &Body, set: &[(String, f64)], out: &mut Node) {
        let known = self.parameters.with(set);
        if let Some((text, span)) = &body.condition {
            match known.evaluate(text) {
                Ok(0.0) => return,
                Ok(_) => {}
                Err(problem) => {
                    self.error(*span, problem);
                    self.left = 0;
                    return;
                }
            }
        }
        self.left -= 1;
        if self.left == 0 {
            let what = format!("more than {MOST} repetitions");
            let span = body.over.first().map_or_else(Span::default, |e| e.span);
            return self.error(span, Problem::Inconsistent { what });
        }
        for entry in &body.tables {
            let mut table = Node::table(out.span);
            if let Value::Table(entries) = &mut table.value {
                entries.push(self.filled(entry, (&known, set)));
            }
            lay(out, table, "");
        }
    }

    fn filled(&mut self, entry: &Entry, known: (&Parameters, &[(String, f64)])) -> Entry {
        let key = self.text(&entry.key, entry.span, known.0);
        Entry { key, span: entry.span, node: self.put(&entry.node, known) }
    }

    /// A value with the variables put in.
    fn put(&mut self, node: &Node, known: (&Parameters, &[(String, f64)])) -> Node {
        let value = match &node.value {
            Value::String(text) => {
                let text = self.text(text, node.span, known.0);
                Value::String(match text.strip_prefix('=') {
                    Some(formula) => format!("={}", Parameters::only(known.1).substitute(formula, &[])),
                    None => text,
                })
            }
            Value::Array(items) => Value::Array(items.iter().map(|n| self.put(n, known)).collect()),
            Value::Table(entries) => Value::Table(entries.iter().map(|e| self.filled(e, known)).collect()),
            other => other.clone(),
        };
        Node { value, span: node.span }
    }

    /// A text with the values of what is in braces.
    fn text(&mut self, text: &str, span: Span, known: &Parameters) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(close) = rest[open..].find('}') else { break };
            out.push_str(&rest[..open]);
            match known.evaluate(&rest[open + 1..open + close]) {
                Ok(value) => match whole(value) {
                    Value::Integer(i) => out.push_str(&i.to_string()),
                    _ => out.push_str(&format!("{value:?}")),
                },
                Err(problem) => {
                    if self.left > 0 {
                        self.error(span, problem);
                    }
                    self.left = self.left.min(1);
                }
            }
            rest = &rest[open + close + 1..];
        }
        out.push_str(rest);
        out
    }
}
