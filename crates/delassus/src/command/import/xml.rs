//! What readers of robots share: messages with their line, numbers, frames.

use roxmltree::Node;

/// A message that begins with `:LINE:`.
pub fn at(node: Node, what: &str) -> String {
    let place = node.document().text_pos_at(node.range().start);
    format!(":{}: {what}", place.row)
}

/// Finite numbers of a text.
pub fn parsed<const N: usize>(node: Node, key: &str, text: &str) -> Result<[f64; N], String> {
    let all: Option<Vec<f64>> =
        text.split_whitespace().map(|t| t.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    all.and_then(|v| v.try_into().ok()).ok_or_else(|| {
        at(node, &format!("{key}=\"{text}\": expected {N} finite number{}", if N == 1 { "" } else { "s" }))
    })
}
