//! The tree against the schema of the description: every error at once, each with its place
//!
//! One source of truth: the types of [`crate::description`] give the JSON Schema (for
//! editors), and the same schema judges the tree here (for people). Only the part of JSON
//! Schema that those types produce is understood: `$ref`, `type`, `properties`,
//! `required`, `additionalProperties`, `items`, `enum`, `const`, bounds, and alternatives.

use crate::diagnostic::{Diagnostics, Problem, nearest};
use crate::source::{Sources, Span};
use crate::tree::{Node, Path, Value};
use serde_json::{Map, Value as Json};

/// Judges a tree.
pub fn validate(root: &Node, schema: &Json, sources: &Sources, diagnostics: &mut Diagnostics) {
    let mut judge = Judge { schema, sources, diagnostics };
    judge.node(root, schema, &Path::default());
}

/// No quantity of mechanics is larger.
const MOST: f64 = 1e100;

/// Variants of a tagged table, and the keys they share.
type Variants<'p, 'a> = (&'p [&'a Map<String, Json>], Option<&'a Map<String, Json>>);

struct Judge<'a> {
    schema: &'a Json,
    sources: &'a Sources,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Judge<'a> {
    fn node(&mut self, node: &Node, schema: &'a Json, path: &Path) {
        let Some(part) = self.resolve(schema) else { return };
        if let Some(options) = alternatives(part) {
            return self.alternatives(node, part, options, path);
        }
        if let Some(accepted) = part.get("enum").and_then(Json::as_array) {
            return self.choice(node, accepted.iter().collect(), path);
        }
        if let Some(only) = part.get("const") {
            return self.choice(node, vec![only], path);
        }
        match &node.value {
            Value::Table(_) if allows(part, "object") => self.table(node, &[part], path),
            Value::Array(items) if allows(part, "array") => self.array(node, items, part, path),
            Value::String(_) if allows(part, "string") => {}
            Value::Boolean(_) if allows(part, "boolean") => {}
            Value::Integer(i) if allows(part, "integer") => self.bounds(node, *i as f64, part, path),
            Value::Integer(i) if allows(part, "number") => self.bounds(node, *i as f64, part, path),
            Value::Float(x) if allows(part, "number") => self.bounds(node, *x, part, path),
            _ => self.wrong_type(node, words(part), path),
        }
    }

    /// Follows `$ref`.
    fn resolve(&self, schema: &'a Json) -> Option<&'a Map<String, Json>> {
        let part = schema.as_object()?;
        match part.get("$ref").and_then(Json::as_str) {
            Some(reference) if part.get("properties").is_none() => {
                self.resolve(self.schema.pointer(reference.trim_start_matches('#'))?)
            }
            _ => Some(part),
        }
    }

    fn alternatives(&mut self, node: &Node, part: &'a Map<String, Json>, options: &'a [Json], path: &Path) {
        let parts: Vec<&'a Map<String, Json>> = options.iter().filter_map(|o| self.resolve(o)).collect();
        if let Some(tag) = tag(&parts) {
            let outer = part.contains_key("properties").then_some(part);
            return self.internally_tagged(node, (&parts, outer), tag, path);
        }
        let names: Vec<&Json> = parts.iter().flat_map(|p| constants(p)).collect();
        let keyed: Vec<&'a Map<String, Json>> = parts.iter().copied().filter(|p| single_key(p).is_some()).collect();
        if names.len() == parts.len() && !names.is_empty() {
            return self.choice(node, names, path);
        }
        if names.len() + keyed.len() >= parts.len() && keyed.len() > 1 {
            return self.externally_tagged(node, &keyed, &names, path);
        }
        let kind = json_kinds(&node.value);
        match options.iter().zip(&parts).find(|(_, p)| kind.iter().any(|k| allows(p, k) || holds(self, p, k))) {
            Some((option, _)) => self.node(node, option, path),
            None => self.wrong_type(node, either(&parts), path),
        }
    }

    /// `kind = "name"` chooses among tables; without it, the one that does not require it.
    fn internally_tagged(&mut self, node: &Node, (parts, outer): Variants<'_, 'a>, tag: &'a str, path: &Path) {
        if !matches!(node.value, Value::Table(_)) {
            return self.wrong_type(node, "a table".to_owned(), path);
        }
        let names: Vec<&Json> = parts.iter().filter_map(|p| tag_value(p, tag)).collect();
        let Some(entry) = node.entry(tag) else {
            if let Some(usual) = parts.iter().find(|p| !requires(p, tag)) {
                return self.table(node, &[usual], path);
            }
            let problem = Problem::MissingKey { parent: name(path), key: tag.to_owned() };
            let list: Vec<&str> = names.iter().filter_map(|n| n.as_str()).collect();
            let span = node.span;
            self.error(span, problem).help(format!("accepted values of `{tag}`: {}", list.join(", ")));
            return;
        };
        let chosen = entry.node.text().and_then(|t| parts.iter().find(|p| tag_value(p, tag) == Some(&Json::from(t))));
        match chosen {
            None => self.choice(&entry.node, names, &path.at(tag)),
            Some(part) => {
                let mut all = vec![*part];
                all.extend(outer);
                if let Some(inner) = part.get("$ref").and_then(Json::as_str)
                    && let Some(inner) = self.schema.pointer(inner.trim_start_matches('#')).and_then(Json::as_object)
                {
                    all.push(inner);
                }
                self.table(node, &all, path);
            }
        }
    }

    /// `{ name = … }` with exactly one key, or a name alone.
    fn externally_tagged(&mut self, node: &Node, keyed: &[&'a Map<String, Json>], names: &[&Json], path: &Path) {
        let keys: Vec<&str> = keyed.iter().filter_map(|p| single_key(p)).collect();
        let accepted: Vec<&str> = keys.iter().copied().chain(names.iter().filter_map(|n| n.as_str())).collect();
        match &node.value {
            Value::String(text) if names.iter().any(|n| n.as_str() == Some(text)) => {}
            Value::String(text) => {
                let problem = Problem::UnknownChoice { key: name(path), value: text.clone() };
                self.error(node.span, problem).accepted(text, accepted);
            }
            Value::Table(entries) => match entries.as_slice() {
                [entry] => match keyed.iter().find(|p| single_key(p) == Some(&entry.key)) {
                    Some(part) => self.table(node, &[part], path),
                    None => {
                        let problem = Problem::UnknownKey { key: entry.key.clone() };
                        self.error(entry.span, problem).accepted(&entry.key, accepted);
                    }
                },
                _ => {
                    let found = match entries.len() {
                        0 => "none".to_owned(),
                        _ => entries.iter().map(|e| format!("`{}`", e.key)).collect::<Vec<_>>().join(" and "),
                    };
                    let span = node.span;
                    self.error(span, Problem::NotOne { key: name(path), found }).accepted("", accepted);
                }
            },
            _ => self.wrong_type(node, "a table with one key".to_owned(), path),
        }
    }

    fn table(&mut self, node: &Node, parts: &[&'a Map<String, Json>], path: &Path) {
        let property = |key: &str| parts.iter().find_map(|p| p.get("properties")?.get(key));
        let other = parts.iter().find_map(|p| p.get("additionalProperties").filter(|a| a.is_object()));
        let mut meant = Vec::new();
        for entry in node.entries() {
            match property(&entry.key).or(other) {
                Some(schema) => self.node(&entry.node, schema, &path.at(&entry.key)),
                None => {
                    let keys = parts.iter().filter_map(|p| p.get("properties")?.as_object()).flat_map(Map::keys);
                    let keys: Vec<&str> = keys.map(String::as_str).collect();
                    let problem = Problem::UnknownKey { key: entry.key.clone() };
                    meant.extend(nearest(&entry.key, &keys));
                    self.error(entry.span, problem).accepted(&entry.key, keys);
                }
            }
        }
        let required = parts.iter().filter_map(|p| p.get("required")?.as_array()).flatten().filter_map(Json::as_str);
        // A key that is there under a wrong name is not missing too.
        for key in required.filter(|k| node.get(k).is_none() && !meant.contains(k)) {
            let about = property(key).and_then(|p| p.get("description")?.as_str()).map(first_line);
            let span = node.span;
            let diagnostic = self.error(span, Problem::MissingKey { parent: name(path), key: key.to_owned() });
            if let Some(about) = about {
                diagnostic.help(format!("`{key}`: {about}"));
            }
        }
    }

    fn array(&mut self, node: &Node, items: &[Node], part: &'a Map<String, Json>, path: &Path) {
        let bound = |key: &str| part.get(key).and_then(Json::as_u64).map(|n| n as usize);
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if items.len() < least || items.len() > most {
            let expected = match (least, most) {
                (a, b) if a == b => format!("{a} items"),
                (a, usize::MAX) => format!("at least {a} items"),
                (a, b) => format!("{a} to {b} items"),
            };
            let problem = Problem::WrongLength { key: name(path), expected, found: items.len() };
            self.error(node.span, problem);
        }
        let prefix = part.get("prefixItems").and_then(Json::as_array);
        for (i, item) in items.iter().enumerate() {
            if let Some(schema) = prefix.and_then(|p| p.get(i)).or(part.get("items")) {
                self.node(item, schema, &path.at(i));
            }
        }
    }

    fn bounds(&mut self, node: &Node, value: f64, part: &'a Map<String, Json>, path: &Path) {
        if !value.is_finite() {
            self.error(node.span, Problem::NonFinite { key: name(path), value });
            return;
        }
        if value.abs() > MOST {
            let bound = format!("below {MOST:e} in magnitude: products of such numbers overflow");
            self.error(node.span, Problem::OutOfRange { key: name(path), value, bound });
            return;
        }
        let bound = |key: &str| part.get(key).and_then(Json::as_f64);
        let mut limits = Vec::new();
        let mut inside = true;
        let mut limit = |key: &str, words: &str, holds: &dyn Fn(f64) -> bool| {
            if let Some(b) = bound(key) {
                inside &= holds(b);
                limits.push(format!("{words} {b}"));
            }
        };
        limit("minimum", "at least", &|b| value >= b);
        limit("exclusiveMinimum", "greater than", &|b| value > b);
        limit("maximum", "at most", &|b| value <= b);
        limit("exclusiveMaximum", "less than", &|b| value < b);
        if !inside {
            let problem = Problem::OutOfRange { key: name(path), value, bound: limits.join(" and ") };
            self.error(node.span, problem);
        }
    }

    fn choice(&mut self, node: &Node, accepted: Vec<&Json>, path: &Path) {
        let found = match &node.value {
            Value::String(s) => Json::from(s.as_str()),
            Value::Integer(i) => Json::from(*i),
            Value::Boolean(b) => Json::from(*b),
            _ => Json::Null,
        };
        if accepted.iter().any(|a| **a == found) {
            return;
        }
        let words: Vec<String> = accepted.iter().map(|a| a.to_string().trim_matches('"').to_owned()).collect();
        let text = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        let problem = match found {
            Json::Null => Problem::WrongType {
                key: name(path),
                expected: "one of the accepted values".to_owned(),
                found: node.kind().to_owned(),
            },
            _ => Problem::UnknownChoice { key: name(path), value: text.clone() },
        };
        self.error(node.span, problem).accepted(&text, words.iter().map(String::as_str));
    }

    fn wrong_type(&mut self, node: &Node, expected: String, path: &Path) {
        let found = match &node.value {
            Value::String(s) => format!("the string \"{s}\""),
            Value::Integer(i) => format!("the integer {i}"),
            Value::Float(x) => format!("the number {x}"),
            _ => node.kind().to_owned(),
        };
        let problem = Problem::WrongType { key: name(path), expected, found };
        let span = node.span;
        self.error(span, problem);
    }

    fn error(&mut self, span: Span, problem: Problem) -> &mut crate::diagnostic::Diagnostic {
        self.diagnostics.error(self.sources, Some(span), problem)
    }
}

/// The last key of a path that is not an index; the whole file when empty.
fn name(path: &Path) -> String {
    if path.0.is_empty() { "the scene".to_owned() } else { path.to_string() }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn alternatives(part: &Map<String, Json>) -> Option<&[Json]> {
    part.get("oneOf").or(part.get("anyOf")).and_then(Json::as_array).map(Vec::as_slice)
}

/// Whether a schema without alternatives accepts a JSON type.
fn allows(part: &Map<String, Json>, kind: &str) -> bool {
    match part.get("type") {
        Some(Json::String(t)) => t == kind,
        Some(Json::Array(types)) => types.iter().any(|t| t == kind),
        _ => kind == "object" && part.contains_key("properties"),
    }
}

/// Whether one of the alternatives inside a schema accepts a JSON type.
fn holds(judge: &Judge<'_>, part: &Map<String, Json>, kind: &str) -> bool {
    alternatives(part).is_some_and(|options| {
        options.iter().filter_map(|o| judge.schema_part(o)).any(|p| allows(p, kind) || holds(judge, p, kind))
    })
}

impl Judge<'_> {
    fn schema_part<'b>(&'b self, schema: &'b Json) -> Option<&'b Map<String, Json>> {
        let part = schema.as_object()?;
        match part.get("$ref").and_then(Json::as_str) {
            Some(reference) => self.schema_part(self.schema.pointer(reference.trim_start_matches('#'))?),
            None => Some(part),
        }
    }
}

fn json_kinds(value: &Value) -> &'static [&'static str] {
    match value {
        Value::Boolean(_) => &["boolean"],
        Value::Integer(_) => &["integer", "number"],
        Value::Float(_) => &["number"],
        Value::String(_) => &["string"],
        Value::Datetime(_) => &[],
        Value::Array(_) => &["array"],
        Value::Table(_) => &["object"],
    }
}

/// Names of a variant without content.
fn constants(part: &Map<String, Json>) -> Vec<&Json> {
    match (part.get("const"), part.get("enum").and_then(Json::as_array)) {
        (Some(only), _) => vec![only],
        (None, Some(all)) => all.iter().collect(),
        _ => Vec::new(),
    }
}

/// The key of an externally tagged variant.
fn single_key(part: &Map<String, Json>) -> Option<&str> {
    let properties = part.get("properties")?.as_object()?;
    let required = part.get("required")?.as_array()?;
    match (properties.len(), required.as_slice()) {
        (1, [only]) if part.get("additionalProperties") == Some(&Json::Bool(false)) => only.as_str(),
        _ => None,
    }
}

/// The tag shared by internally tagged variants.
fn tag<'a>(parts: &[&'a Map<String, Json>]) -> Option<&'a str> {
    let first = parts.first()?.get("properties")?.as_object()?;
    let tag = first.iter().find(|(_, v)| v.get("const").is_some())?.0;
    parts.iter().all(|p| tag_value(p, tag).is_some()).then_some(tag.as_str())
}

fn tag_value<'a>(part: &'a Map<String, Json>, tag: &str) -> Option<&'a Json> {
    part.get("properties")?.get(tag)?.get("const")
}

fn requires(part: &Map<String, Json>, key: &str) -> bool {
    part.get("required").and_then(Json::as_array).is_some_and(|all| all.iter().any(|k| k == key))
}

/// The accepted types, in words.
fn words(part: &Map<String, Json>) -> String {
    let kinds: Vec<&str> = match part.get("type") {
        Some(Json::String(t)) => vec![t],
        Some(Json::Array(types)) => types.iter().filter_map(Json::as_str).collect(),
        _ => vec!["object"],
    };
    kinds.iter().map(|k| word(k)).collect::<Vec<_>>().join(" or ")
}

fn either(parts: &[&Map<String, Json>]) -> String {
    let mut all: Vec<String> = parts.iter().map(|p| words(p)).collect();
    all.dedup();
    all.join(" or ")
}

fn word(kind: &str) -> &'static str {
    match kind {
        "object" => "a table",
        "array" => "an array",
        "number" => "a number",
        "integer" => "an integer",
        "string" => "a string",
        "boolean" => "true or false",
        _ => "a value",
    }
}
