//! A tree as TOML, for scenes that were laid over others.

use crate::tree::{Entry, Node, Value};

/// One line for each key of the first two levels, deeper tables inside lines.
pub fn text(root: &Node) -> String {
    let mut out = String::new();
    let (tables, plain): (Vec<&Entry>, Vec<&Entry>) =
        root.entries().iter().partition(|e| matches!(e.node.value, Value::Table(_)));
    for entry in plain {
        out.push_str(&format!("{} = {}\n", key(&entry.key), value(&entry.node)));
    }
    for entry in tables {
        out.push_str(&format!("\n[{}]\n", key(&entry.key)));
        for item in entry.node.entries() {
            out.push_str(&format!("{} = {}\n", key(&item.key), value(&item.node)));
        }
    }
    out
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { string(name) }
}

fn string(text: &str) -> String {
    // What JSON escapes, TOML reads; it wants one character more escaped.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn value(node: &Node) -> String {
    match &node.value {
        Value::Boolean(b) => b.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::Float(x) if x.is_nan() => "nan".into(),
        Value::Float(x) if x.is_infinite() => if *x > 0.0 { "inf" } else { "-inf" }.into(),
        Value::Float(x) => format!("{x:?}"),
        Value::String(s) => string(s),
        Value::Datetime(s) => s.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::Table(entries) => {
            let item = |e: &Entry| format!("{} = {}", key(&e.key), value(&e.node));
            format!("{{ {} }}", entries.iter().map(item).collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::source::Sources;
    use crate::tree::parse;

    /// Without places, which are others.
    fn plain(node: &Node) -> String {
        value(node)
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = "a = 1\nb = \"x\\\"\\n\"\n[body.\"p q\"]\nshape.disc = { radius = 1e-3 }\n[[law]]\nfriction = 0.1\n";
        let read = |text: &str| {
            let mut sources = Sources::default();
            sources.add("a", text);
            parse(text, 0, &sources, &mut Diagnostics::default())
        };
        let first = read(text);
        let second = read(&super::text(&first));
        assert_eq!(plain(&first).len(), plain(&second).len());
        assert_eq!(
            second.get("body").and_then(|b| b.get("p q")).map(plain),
            first.get("body").and_then(|b| b.get("p q")).map(plain)
        );
        assert_eq!(second.get("b").and_then(Node::text), Some("x\"\n"));
    }
}
