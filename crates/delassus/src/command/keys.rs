//! What a key of a scene takes, in words: the schema, read aloud.

use delassus_scene::diagnostic::nearest;
use serde_json::Value;

/// Columns of descriptions.
const WIDTH: usize = 96;
/// Alternatives that are named where a value is described.
const NAMED: usize = 8;
/// Keys of a table that are named there.
const SHORT: usize = 5;

/// The schema of scenes.
pub struct Keys {
    root: Value,
}

impl Keys {
    /// Of the scenes of this program.
    pub fn new() -> Result<Self, String> {
        let root = serde_json::from_str(&delassus_scene::schema()).map_err(|e| e.to_string())?;
        Ok(Self { root })
    }

    /// The page of a key such as `law`, `generate.blocks`, `observe.force`, `body.shape.box`.
    pub fn page(&self, key: &str) -> Result<String, String> {
        let mut node = &self.root;
        let mut about = "A scene.";
        let mut walked = String::new();
        let mut commons: Vec<&Value> = vec![];
        for step in key.split('.') {
            let leaves = self.leaves(node);
            let beside = self.commons(node);
            let chosen = leaves.iter().find(|l| kind(l) == Some(step)).copied();
            let of_all = || leaves.iter().chain(&beside).find_map(|l| l.get("properties")?.get(step));
            let found = chosen.or_else(of_all);
            commons = if chosen.is_some() { beside } else { vec![] };
            let Some(next) = found else { return Err(self.unknown(step, &walked, &leaves)) };
            about = next.get("description").and_then(Value::as_str).unwrap_or(about);
            node = next;
            walked = if walked.is_empty() { step.into() } else { format!("{walked}.{step}") };
        }
        Ok(self.text(&walked, about, (node, &commons)))
    }

    fn unknown(&self, step: &str, walked: &str, leaves: &[&Value]) -> String {
        let mut names: Vec<&str> = leaves.iter().filter_map(|l| kind(l)).collect();
        names.extend(leaves.iter().filter(|l| kind(l).is_none()).flat_map(|l| properties(l)).map(|p| p.0.as_str()));
        names.dedup();
        let near = nearest(step, &names).map(|n| format!("; did you mean '{n}'?")).unwrap_or_else(|| ".".into());
        let place = if walked.is_empty() { "a scene".into() } else { format!("'{walked}'") };
        match names.is_empty() {
            true => format!("{place} has no keys of its own"),
            false => format!("{place} has no key '{step}'{near} There are: {}", names.join(", ")),
        }
    }

    /// The definition behind a reference.
    fn resolved<'a>(&'a self, node: &'a Value) -> &'a Value {
        let name = node.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
        match name.and_then(|n| self.root.get("$defs")?.get(n)) {
            Some(definition) => self.resolved(definition),
            None => node,
        }
    }

    /// What a value may be: alternatives, items of lists and of tables by name.
    fn leaves<'a>(&'a self, node: &'a Value) -> Vec<&'a Value> {
        let node = self.resolved(node);
        let inner: Vec<&Value> = match ["oneOf", "anyOf"].iter().find_map(|k| node.get(k)?.as_array()) {
            Some(list) => list.iter().collect(),
            None => match node.get("items").into_iter().chain(node.get("additionalProperties")).find(|n| n.is_object())
            {
                Some(inner) => vec![inner],
                None => return vec![node],
            },
        };
        let mut all: Vec<&Value> = vec![];
        for leaf in inner.into_iter().flat_map(|n| self.leaves(n)) {
            if !all.iter().any(|known| std::ptr::eq(*known, leaf)) {
                all.push(leaf);
            }
        }
        all
    }

    /// Tables whose keys stand beside those of the alternatives.
    fn commons<'a>(&'a self, node: &'a Value) -> Vec<&'a Value> {
        let node = self.resolved(node);
        let Some(list) = ["oneOf", "anyOf"].iter().find_map(|k| node.get(k)?.as_array()) else {
            let inner = node.get("items").into_iter().chain(node.get("additionalProperties"));
            return inner.filter(|n| n.is_object()).flat_map(|n| self.commons(n)).collect();
        };
        let mut all: Vec<&Value> = vec![];
        let own = node.get("properties").is_some().then_some(node);
        for common in own.into_iter().chain(list.iter().flat_map(|n| self.commons(n))) {
            if !all.iter().any(|known| std::ptr::eq(*known, common)) {
                all.push(common);
            }
        }
        all
    }

    /// The page of a value; `commons` have keys beside those of the kind that it is.
    fn text(&self, key: &str, about: &str, (node, commons): (&Value, &[&Value])) -> String {
        let leaves: Vec<&Value> = self.leaves(node);
        let tables: Vec<&Value> = leaves.iter().copied().filter(|l| l.get("properties").is_some()).collect();
        let mut lines = wrapped(&format!("{key}: {about}"), 0);
        lines.push(String::new());
        if tables.is_empty() {
            lines.extend(wrapped(&self.value(node), 2));
            for leaf in leaves.iter().filter(|l| l.get("const").is_some()) {
                let value = leaf.get("const").map(Value::to_string).unwrap_or_default();
                lines.extend(wrapped(&format!("{value}: {}", described(leaf)), 2));
            }
        }
        let many = tables.iter().filter(|t| kind(t).is_some()).count() > 1;
        // Of tables of one key each, one is given.
        let alternatives = tables.len() > 1 && tables.iter().all(|t| properties(t).count() == 1 && kind(t).is_none());
        if alternatives {
            lines.push("  one of".to_owned());
        }
        for table in tables {
            match kind(table).filter(|_| many) {
                Some(kind) => lines.extend(wrapped(&format!("kind = \"{kind}\": {}", described(table)), 2)),
                None => self.keys_of(table, &mut lines, alternatives),
            }
        }
        for common in commons.iter().copied().chain(self.commons(node)) {
            lines.extend([String::new(), "  and, as every kind,".to_owned()]);
            self.keys_of(common, &mut lines, false);
        }
        if many {
            lines.push(String::new());
            lines.push(format!("Keys of each: delassus schema {key}.KIND"));
        }
        lines.join("\n")
    }

    /// A table's keys, those it needs first.
    fn keys_of(&self, table: &Value, lines: &mut Vec<String>, alternative: bool) {
        let needed: Vec<&str> =
            table.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut all: Vec<_> = properties(table).collect();
        all.sort_by_key(|p| !needed.contains(&p.0.as_str()));
        for (name, value) in all {
            let mut head = format!("{name} = {}", self.value(value));
            if let Some(default) = value.get("default").filter(|d| !d.is_null() && !d.is_object()) {
                head.push_str(&format!(", {default} by default"));
            } else if needed.contains(&name.as_str()) && !alternative {
                head.push_str(", needed");
            }
            lines.extend(wrapped(&head, 2));
            let own = described(value);
            // An alternative of one key is described as a whole.
            let about = if own.is_empty() { described(table) } else { own };
            lines.extend(wrapped(about, 6));
        }
    }

    /// What a value is, in a few words.
    fn value(&self, node: &Value) -> String {
        let node = self.resolved(node);
        if let Some(constant) = node.get("const") {
            return constant.to_string();
        }
        if let Some(list) = node.get("enum").and_then(Value::as_array) {
            return list.iter().map(Value::to_string).collect::<Vec<_>>().join(" or ");
        }
        if let Some(list) = ["oneOf", "anyOf"].iter().find_map(|k| node.get(k)?.as_array()) {
            // Formulas stand wherever numbers do.
            let words = list.iter().filter(|n| n.get("pattern").and_then(Value::as_str) != Some("^="));
            let mut words: Vec<String> = words.map(|n| self.value(n)).collect();
            words.dedup();
            return match words.len() > NAMED {
                true => format!("{} or others", words[..NAMED].join(" or ")),
                false => words.join(" or "),
            };
        }
        match node.get("type").and_then(Value::as_str) {
            Some("number") => format!("number{}", bounds(node)),
            Some("integer") => format!("whole number{}", bounds(node)),
            Some("string") => "\"text\"".into(),
            Some("boolean") => "true or false".into(),
            Some("array") => format!("[{}, …]", node.get("items").map(|i| self.value(i)).unwrap_or_default()),
            _ => match properties(node).count() {
                1..=SHORT => {
                    format!("{{ {} }}", properties(node).map(|p| p.0.as_str()).collect::<Vec<_>>().join(", "))
                }
                _ => "{ table }".into(),
            },
        }
    }
}

fn properties(node: &Value) -> impl Iterator<Item = (&String, &Value)> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The value of `kind` that chooses a table.
fn kind(table: &Value) -> Option<&str> {
    table.get("properties")?.get("kind")?.get("const")?.as_str()
}

fn described(node: &Value) -> &str {
    node.get("description").and_then(Value::as_str).unwrap_or_default()
}

fn bounds(node: &Value) -> String {
    let signs = [("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")];
    signs.iter().filter_map(|(key, sign)| Some(format!(" {sign} {}", node.get(key)?))).collect()
}

/// Lines of at most [`WIDTH`] columns.
fn wrapped(text: &str, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{:indent$}{word}", "")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key of a scene, every kind and every key of those has a page that says something.
    #[test]
    fn every_key_has_a_page() {
        let keys = Keys::new().expect("a schema");
        let mut pages = 0;
        for (name, _) in properties(&keys.root) {
            let text = keys.page(name).unwrap_or_else(|e| panic!("{e}"));
            assert!(text.lines().count() > 2 && text.lines().all(|l| l.chars().count() <= WIDTH), "{text}");
            for leaf in keys.leaves(&keys.root["properties"][name]) {
                for next in properties(leaf).map(|p| p.0.as_str()).chain(kind(leaf)) {
                    keys.page(&format!("{name}.{next}")).unwrap_or_else(|e| panic!("{name}.{next}: {e}"));
                    pages += 1;
                }
            }
        }
        assert!(pages > 300, "{pages}");
    }

    #[test]
    fn pages_say_what_is_needed_and_what_is_default() {
        let keys = Keys::new().expect("a schema");
        let blocks = keys.page("generate.blocks").expect("a page");
        for part in [
            "region = { max, min }, needed",
            "position = [number",
            "material = ",
            "cells = whole number ≥ 1 ≤ 100000",
            "Voronoi",
            "seed = ",
        ] {
            assert!(blocks.contains(part), "{part}\n{blocks}");
        }
        let law = keys.page("law").expect("a page");
        assert!(law.contains("friction = number ≥ 0, 0.0 by default"), "{law}");
        let observe = keys.page("observe").expect("a page");
        assert!(observe.contains("kind = \"force\"") && observe.contains("delassus schema observe.KIND"), "{observe}");
        assert!(keys.page("generate.position").expect("a page").contains("Place of the generator's origin"));
        let shape = keys.page("body.shape").expect("a page");
        assert!(shape.contains("A disc (plane).") && shape.contains("one of") && !shape.contains("needed"), "{shape}");
        let told = keys.page("genrate").expect_err("no key");
        assert!(told.contains("did you mean 'generate'?"), "{told}");
        let told = keys.page("generate.block").expect_err("no kind");
        assert!(told.contains("did you mean 'blocks'?"), "{told}");
    }
}
