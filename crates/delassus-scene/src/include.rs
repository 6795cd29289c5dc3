//! Other files put under a scene
//!
//! ```text
//! include = ["materials.toml", "walls.toml"]        the first under the second, both under the scene
//! ```
//!
//! Tables are joined key by key, lists of tables (`[[law]]`, `[[generate]]`) one after the other; of everything else
//! the scene's own counts. Files are found from the folder of the file that names them, and may include others.

use crate::diagnostic::{Diagnostics, Problem};
use crate::source::{Sources, Span};
use crate::stages::{take, whole};
use crate::tree::{self, Entry, Node, Value};
use std::path::{Component, Path, PathBuf};

/// Most files of a scene.
const MOST: usize = 100;

/// Puts what a tree includes under it; true where it includes something.
pub(crate) fn expand(tree: &mut Node, folder: Option<&Path>, sources: &mut Sources, told: &mut Diagnostics) -> bool {
    let mut reader = Reader { sources, told, open: vec![], read: 0 };
    reader.expand(tree, folder)
}

struct Reader<'a> {
    sources: &'a mut Sources,
    told: &'a mut Diagnostics,
    /// Files that are being read, one inside the other.
    open: Vec<PathBuf>,
    read: usize,
}

impl Reader<'_> {
    fn refuse(&mut self, span: Span, what: String) {
        self.told.error(self.sources, Some(span), Problem::Inconsistent { what });
    }

    fn expand(&mut self, tree: &mut Node, folder: Option<&Path>) -> bool {
        let Some(Entry { node, .. }) = take(tree, "include") else { return false };
        let names: Vec<(String, Span)> = match &node.value {
            Value::String(name) => vec![(name.clone(), node.span)],
            Value::Array(items) if items.iter().all(|i| i.text().is_some()) => {
                items.iter().filter_map(|i| Some((i.text()?.to_owned(), i.span))).collect()
            }
            _ => {
                let (key, expected) = ("include".to_owned(), "names of files, [\"walls.toml\"]".to_owned());
                let problem = Problem::WrongType { key, expected, found: node.kind().to_owned() };
                self.told.error(self.sources, Some(node.span), problem);
                return true;
            }
        };
        let mut below = Node::table(tree.span);
        for (name, span) in names {
            let Some(folder) = folder else {
                let what = format!("`{name}` is looked for in the folder of a scene file: this text has none");
                self.refuse(span, what);
                continue;
            };
            if let Some(found) = self.file(&folder.join(&name), span) {
                lay(&mut below, found, "");
            }
        }
        let over = std::mem::replace(tree, Node::table(tree.span));
        lay(&mut below, over, "");
        *tree = below;
        true
    }

    /// The tree of a file, with what it includes.
    fn file(&mut self, path: &Path, span: Span) -> Option<Node> {
        let (plain, shown) = (plain(path), path.display().to_string());
        if self.open.contains(&plain) {
            self.refuse(span, format!("`{shown}` includes itself"));
            return None;
        }
        self.read += 1;
        if self.read > MOST {
            self.refuse(span, format!("more than {MOST} files are included"));
            return None;
        }
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) => {
                let problem = Problem::Unreadable { file: shown, message: e.to_string() };
                self.told.error(self.sources, Some(span), problem);
                return None;
            }
        };
        let source = self.sources.add(shown, text.clone());
        let mut tree = tree::parse(&text, source, self.sources, self.told);
        self.open.push(plain);
        self.expand(&mut tree, path.parent());
        self.open.pop();
        Some(tree)
    }
}

/// A path without `.` and `x/..`, to tell files apart.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Lays a tree over another: tables key by key, lists of tables one after the other.
pub(crate) fn lay(node: &mut Node, over: Node, key: &str) {
    let tables = |items: &[Node]| !items.is_empty() && items.iter().all(|i| matches!(i.value, Value::Table(_)));
    match (&mut node.value, over.value) {
        (Value::Table(entries), Value::Table(more)) if !whole(key) => {
            for entry in more {
                match entries.iter_mut().find(|e| e.key == entry.key) {
                    Some(known) => {
                        known.span = entry.span;
                        lay(&mut known.node, entry.node, &entry.key);
                    }
                    None => entries.push(entry),
                }
            }
        }
        (Value::Array(items), Value::Array(more)) if tables(items) && tables(&more) => items.extend(more),
        (_, value) => *node = Node { value, span: over.span },
    }
}
