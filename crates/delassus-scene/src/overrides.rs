//! Overrides `key=value`, as given by `--set`
//!
//! ```text
//! law.friction=0.5      h=1e-4 (short for time.step)      body.box.mass=2
//! law.0.friction=0.3    load.push.force=[0,"5*t"]         mu=0.3 (a parameter)
//! seed=4 (of every random generator)
//! ```
//!
//! The value is TOML; a bare word is a string. Items of an array are found by index or by
//! `name`. A key that is not in the file is added, and judged like the others; a *named
//! item* (a body, a material) that is not in the file is an error, never a new item.

use crate::diagnostic::{Diagnostics, Problem};
use crate::source::{Sources, Span};
use crate::tree::{Entry, Node, Path, Value, item, parse_value};

/// Tables whose keys are names given by the author of the scene.
const NAMED: [(&str, &str); 23] = [
    ("body", "body"),
    ("material", "material"),
    ("parameters", "parameter"),
    ("joint", "joint"),
    ("load", "load"),
    ("spring", "spring"),
    ("fluid", "fluid"),
    ("absorbing", "absorbing boundary"),
    ("observe", "probe"),
    ("mesh", "mesh"),
    ("solid", "solid"),
    ("beam", "beam"),
    ("arlequin", "superposition"),
    ("tie", "tie"),
    ("support", "support"),
    ("mass", "mass"),
    ("contact", "contact"),
    ("variant", "variant"),
    ("stage", "stage"),
    ("when", "event"),
    ("servo", "servo"),
    ("feeder", "feeder"),
    ("sink", "sink"),
];

/// Short names of overrides.
const SHORT: [(&str, &[&str]); 2] = [("h", &["time", "step"]), ("tolerance", &["solver", "tolerance"])];

/// Applies the overrides in order.
pub fn apply(root: &mut Node, overrides: &[String], sources: &mut Sources, diagnostics: &mut Diagnostics) {
    for text in overrides {
        let origin = format!("--set {text}");
        let source = sources.add(origin, text.clone());
        if let Err(found) = apply_one(root, text, source, sources) {
            diagnostics.extend(found);
        }
    }
}

fn apply_one(root: &mut Node, text: &str, source: usize, sources: &Sources) -> Result<(), Diagnostics> {
    let whole = Span::new(source, 0..text.len());
    let refuse = |problem| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(sources, Some(whole), problem).help("for example law.friction=0.5");
        Err(diagnostics)
    };
    let Some(equal) = text.find('=') else { return refuse(Problem::Override { text: text.to_owned() }) };
    let steps = expand(root, split(&text[..equal]));
    if steps.iter().any(String::is_empty) {
        return refuse(Problem::Override { text: text.to_owned() });
    }
    let value = value(&text[equal + 1..], source, sources, equal + 1)?;
    let key = Span::new(source, 0..equal);
    if steps == ["seed"] && root.get("seed").is_none() {
        return set_seeds(root, Setter { sources, key }, &value);
    }
    Setter { sources, key }.set(root, &steps, &Path::default(), value)
}

/// Kinds of generators that draw lots.
const RANDOM: [&str; 3] = ["deposit", "grid", "glued_floor"];

/// Sets the seed of every generator that draws lots; where none does, the key is one nobody knows.
fn set_seeds(root: &mut Node, setter: Setter, value: &Node) -> Result<(), Diagnostics> {
    let draws = |node: &Node| node.get("kind").and_then(Node::text).is_some_and(|kind| RANDOM.contains(&kind));
    let found: Vec<Vec<String>> = match root.get("generate").map(|n| &n.value) {
        Some(Value::Array(items)) => {
            let which = items.iter().enumerate().filter(|(_, item)| draws(item));
            which.map(|(i, _)| vec!["generate".to_owned(), i.to_string(), "seed".to_owned()]).collect()
        }
        Some(Value::Table(_)) => vec![vec!["generate".to_owned(), "seed".to_owned()]],
        _ => vec![],
    };
    if found.is_empty() {
        return setter.set(root, &["seed".to_owned()], &Path::default(), value.clone());
    }
    found.iter().try_for_each(|steps| setter.set(root, steps, &Path::default(), value.clone()))
}

/// The keys of a path; a key in quotes may hold a point.
fn split(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut quoted = false;
    for c in path.trim().chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => steps.push(String::new()),
            c => steps.last_mut().expect("one step at least").push(c),
        }
    }
    steps.iter().map(|s| s.trim().to_owned()).collect()
}

/// Short names and names of parameters in full.
fn expand(root: &Node, steps: Vec<String>) -> Vec<String> {
    if steps.len() != 1 || root.get(&steps[0]).is_some() {
        return steps;
    }
    if root.get("parameters").is_some_and(|p| p.get(&steps[0]).is_some()) {
        return vec!["parameters".to_owned(), steps[0].clone()];
    }
    match SHORT.iter().find(|(short, _)| *short == steps[0]) {
        Some((_, full)) => full.iter().map(|s| (*s).to_owned()).collect(),
        None => steps,
    }
}

/// A TOML value, or a bare word as a string.
fn value(text: &str, source: usize, sources: &Sources, offset: usize) -> Result<Node, Diagnostics> {
    let word = text.trim();
    let bare = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '=')
        && !["true", "false", "inf", "nan"].contains(&word);
    if bare && !word.contains(['"', '[', '{']) {
        let span = Span::new(source, offset..offset + text.len());
        return Ok(Node { value: Value::String(word.to_owned()), span });
    }
    parse_value(text, source, sources, offset)
}

struct Setter<'a> {
    sources: &'a Sources,
    key: Span,
}

impl Setter<'_> {
    fn set(&self, node: &mut Node, steps: &[String], path: &Path, value: Node) -> Result<(), Diagnostics> {
        let Some((step, rest)) = steps.split_first() else {
            *node = value;
            return Ok(());
        };
        let next = path.at(step);
        match &mut node.value {
            Value::Table(entries) => {
                let position = match entries.iter().position(|e| &e.key == step) {
                    Some(i) => i,
                    None => self.add(entries, path, step)?,
                };
                entries[position].span = if rest.is_empty() { self.key } else { entries[position].span };
                self.set(&mut entries[position].node, rest, &next, value)
            }
            Value::Array(items) => {
                let index = match item(items, step) {
                    Some(i) => i,
                    None => return self.set_single(items, steps, path, value),
                };
                self.set(&mut items[index], rest, &next, value)
            }
            _ => self.refuse(Problem::WrongType {
                key: path.to_string(),
                expected: format!("a table, to hold `{step}`"),
                found: node.kind().to_owned(),
            }),
        }
    }

    /// `law.friction` where `law` is an array of one law.
    fn set_single(&self, items: &mut [Node], steps: &[String], path: &Path, value: Node) -> Result<(), Diagnostics> {
        if let [only] = items {
            return self.set(only, steps, &path.at(0), value);
        }
        let names: Vec<String> = (0..items.len()).map(|i| name_of(&items[i], i)).collect();
        let mut diagnostics = Diagnostics::default();
        diagnostics
            .error(self.sources, Some(self.key), Problem::UnknownName { kind: "item", name: steps[0].clone() })
            .accepted(&steps[0], names.iter().map(String::as_str));
        Err(diagnostics)
    }

    /// A key that was absent, as an empty table; named items are never added.
    fn add(&self, entries: &mut Vec<Entry>, path: &Path, step: &str) -> Result<usize, Diagnostics> {
        if let [parent] = path.0.as_slice()
            && let Some((_, kind)) = NAMED.iter().find(|(table, _)| table == parent)
        {
            let mut diagnostics = Diagnostics::default();
            diagnostics
                .error(self.sources, Some(self.key), Problem::UnknownName { kind, name: step.to_owned() })
                .accepted(step, entries.iter().map(|e| e.key.as_str()));
            return Err(diagnostics);
        }
        entries.push(Entry { key: step.to_owned(), span: self.key, node: Node::table(self.key) });
        Ok(entries.len() - 1)
    }

    fn refuse(&self, problem: Problem) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(self.sources, Some(self.key), problem);
        Err(diagnostics)
    }
}

fn name_of(node: &Node, index: usize) -> String {
    node.get("name").and_then(Node::text).map_or_else(|| index.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse;

    fn applied(text: &str, overrides: &[&str]) -> (Node, Diagnostics) {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        sources.add("a.toml", text);
        let mut root = parse(text, 0, &sources, &mut diagnostics);
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        apply(&mut root, &overrides, &mut sources, &mut diagnostics);
        (root, diagnostics)
    }

    fn value_at(root: &Node, path: &[&str]) -> Value {
        let mut node = root;
        for step in path {
            node = match &node.value {
                Value::Array(items) => &items[item(items, step).expect("an item")],
                _ => node.get(step).expect("a key"),
            };
        }
        node.value.clone()
    }

    #[test]
    fn every_form_of_path_is_understood() {
        let text = "[law]\nfriction=0.1\n[parameters]\nmu=1\n[[load]]\nname='push'\nforce=1\n[[load]]\nforce=2";
        let set =
            ["law.friction=0.5", "h=1e-4", "mu=3", "load.push.force=7", "load.1.force=[1,'t']", "solver.name=nlgs"];
        let (root, diagnostics) = applied(text, &set);
        assert_eq!(diagnostics.items, vec![]);
        assert_eq!(value_at(&root, &["law", "friction"]), Value::Float(0.5));
        assert_eq!(value_at(&root, &["time", "step"]), Value::Float(1e-4));
        assert_eq!(value_at(&root, &["parameters", "mu"]), Value::Integer(3));
        assert_eq!(value_at(&root, &["load", "0", "force"]), Value::Integer(7));
        assert!(matches!(value_at(&root, &["load", "1", "force"]), Value::Array(_)));
        assert_eq!(value_at(&root, &["solver", "name"]), Value::String("nlgs".into()));
    }

    #[test]
    fn a_single_law_of_an_array_needs_no_index() {
        let (root, diagnostics) = applied("[[law]]\nfriction=0.1", &["law.friction=0.5"]);
        assert_eq!(diagnostics.items, vec![]);
        assert_eq!(value_at(&root, &["law", "0", "friction"]), Value::Float(0.5));
    }

    #[test]
    fn a_body_is_never_added_by_an_override() {
        let (_, diagnostics) = applied("[body.box]\nmass=1", &["body.bxo.mass=2"]);
        let text = diagnostics.to_string();
        assert!(text.contains("there is no body named `bxo`"), "{text}");
        assert!(text.contains("did you mean `box`?"), "{text}");
        assert!(text.contains("--set body.bxo.mass=2:1:1"), "{text}");
    }
}
