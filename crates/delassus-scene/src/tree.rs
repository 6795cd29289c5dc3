//! A TOML document as a tree whose every key and value knows its span
//!
//! serde's internally tagged and untagged enums buffer what they read and lose the place
//! of an error. The tree keeps it: validation walks the tree, and an error found much
//! later (an unknown material, an overlap) looks its place up by path.

use crate::diagnostic::{Diagnostics, Problem};
use crate::source::{Sources, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it is written.
    pub span: Span,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent, `inf` or `nan`.
    Float(f64),
    /// A text.
    String(String),
    /// A date or a time, which no key of a scene takes.
    Datetime(String),
    /// `[a, b]` or `[[name]]`.
    Array(Vec<Node>),
    /// `{ a = 1 }` or `[name]`, in the order of the file.
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is written.
    pub span: Span,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// An empty table.
    pub fn table(span: Span) -> Self {
        Self { value: Value::Table(Vec::new()), span }
    }

    /// The entries of a table; none for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The entry of a table.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|e| e.key == key)
    }

    /// The value of a key of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|e| &e.node)
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    /// What the value is, in the words of TOML.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Boolean(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::Datetime(_) => "a date",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// The span of the value at `path`, or of the deepest part of the path that exists.
    /// Items of an array are found by index or by the value of their `name`.
    pub fn locate(&self, path: &Path) -> Span {
        let mut node = self;
        let mut span = self.span;
        for step in &path.0 {
            let next = match &node.value {
                Value::Table(entries) => entries.iter().find(|e| &e.key == step).map(|e| (&e.node, e.span)),
                Value::Array(items) => item(items, step).map(|i| (&items[i], items[i].span)),
                _ => None,
            };
            let Some((found, key)) = next else { return span };
            node = found;
            // A table written by a header has the header as span; other values their text.
            span = if matches!(found.value, Value::Table(_)) { key } else { found.span };
        }
        span
    }
}

/// The index of an item of an array by number or by `name`.
pub fn item(items: &[Node], step: &str) -> Option<usize> {
    if let Some(i) = items.iter().position(|n| n.get("name").and_then(Node::text) == Some(step)) {
        return Some(i);
    }
    step.parse::<usize>().ok().filter(|&i| i < items.len())
}

/// The way to a value: keys, and indices of array items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<String>);

impl Path {
    /// From keys.
    pub fn of(steps: &[&str]) -> Self {
        Self(steps.iter().map(|s| (*s).to_owned()).collect())
    }

    /// One step further.
    pub fn at(&self, step: impl ToString) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.to_string());
        Self(steps)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// Parses a document; all syntax errors are reported together.
pub fn parse(text: &str, source: usize, sources: &Sources, diagnostics: &mut Diagnostics) -> Node {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().map(|r| Span::new(source, r));
        diagnostics.error(sources, span, Problem::Syntax { message: error.message().to_owned() });
    }
    let mut converter = Converter { source, sources, diagnostics };
    let span = Span::new(source, 0..0);
    Node { value: converter.table(table.get_ref()), span }
}

/// Parses one value, as after `=`.
pub fn parse_value(text: &str, source: usize, sources: &Sources, offset: usize) -> Result<Node, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let (value, errors) = DeValue::parse_recoverable(text);
    for error in errors {
        let span = error.span().map(|r| Span::new(source, r.start + offset..r.end + offset));
        diagnostics.error(sources, span, Problem::Syntax { message: error.message().to_owned() });
    }
    let mut node = Converter { source, sources, diagnostics: &mut diagnostics }.node(&value);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    shift(&mut node, offset as u32);
    Ok(node)
}

fn shift(node: &mut Node, by: u32) {
    let move_by = |s: &mut Span| *s = Span { source: s.source, start: s.start + by, end: s.end + by };
    move_by(&mut node.span);
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|n| shift(n, by)),
        Value::Table(entries) => {
            for e in entries {
                move_by(&mut e.span);
                shift(&mut e.node, by);
            }
        }
        _ => {}
    }
}

struct Converter<'a> {
    source: usize,
    sources: &'a Sources,
    diagnostics: &'a mut Diagnostics,
}

impl Converter<'_> {
    fn node(&mut self, value: &Spanned<DeValue<'_>>) -> Node {
        let span = Span::new(self.source, value.span());
        let value = match value.get_ref() {
            DeValue::String(s) => Value::String(s.to_string()),
            DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
                Ok(i) => Value::Integer(i),
                Err(_) => self.refuse(span, i.to_string()),
            },
            DeValue::Float(x) => match x.as_str().parse::<f64>() {
                Ok(x) => Value::Float(x),
                Err(_) => self.refuse(span, x.to_string()),
            },
            DeValue::Boolean(b) => Value::Boolean(*b),
            DeValue::Datetime(d) => Value::Datetime(d.to_string()),
            DeValue::Array(items) => Value::Array(items.iter().map(|v| self.node(v)).collect()),
            DeValue::Table(table) => self.table(table),
        };
        Node { value, span }
    }

    fn refuse(&mut self, span: Span, number: String) -> Value {
        self.diagnostics.error(self.sources, Some(span), Problem::Number { number });
        Value::Integer(0)
    }

    fn table(&mut self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                span: Span::new(self.source, key.span()),
                node: self.node(value),
            })
            .collect();
        entries.sort_by_key(|e| e.span.start);
        Value::Table(entries)
    }
}
