//! The tags of an XML file, as far as VTU needs them
//!
//! Not a general parser: VTU files may hold raw bytes, which no XML parser accepts.

use super::super::MeshError;
use super::super::input::{Input, find, shown};

/// An opening or closing tag.
pub(super) struct Tag<'a> {
    /// Its name, with a leading `/` when it closes.
    pub name: &'a str,
    /// Place in the file.
    pub at: usize,
    /// Ends in `/>`.
    pub empty: bool,
    attributes: Vec<(&'a str, String)>,
}

impl Tag<'_> {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_str())
    }

    /// An attribute that must be there, as a number.
    pub fn number<T: std::str::FromStr>(&self, input: &Input<'_>, name: &str) -> Result<T, MeshError> {
        let value = self.get(name).unwrap_or("nothing");
        let expected = || format!("a number as `{name}` of <{}>", self.name);
        value.trim().parse().map_err(|_| input.fail(self.at, shown(value.as_bytes()), expected()))
    }
}

/// The next tag; `None` at the end. Comments and declarations are passed over.
pub(super) fn next_tag<'a>(input: &mut Input<'a>, bytes: &'a [u8]) -> Result<Option<Tag<'a>>, MeshError> {
    loop {
        let Some(start) = find(&bytes[input.at()..], b"<").map(|i| i + input.at()) else { return Ok(None) };
        input.seek(start);
        let rest = &bytes[start..];
        if rest.starts_with(b"<!--") {
            input.skip_past("-->")?;
        } else if rest.starts_with(b"<?") || rest.starts_with(b"<!") {
            input.skip_past(">")?;
        } else {
            input.skip_past(">")?;
            let inside = &bytes[start + 1..input.at() - 1];
            return tag(input, start, inside).map(Some);
        }
    }
}

fn tag<'a>(input: &Input<'_>, at: usize, inside: &'a [u8]) -> Result<Tag<'a>, MeshError> {
    let bad = || input.fail(at, shown(inside), "a tag with attributes in quotes");
    let text = std::str::from_utf8(inside).map_err(|_| bad())?;
    let (text, empty) = text.strip_suffix('/').map_or((text, false), |t| (t, true));
    let (name, mut rest) = text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_ascii();
        if rest.is_empty() {
            return Ok(Tag { name, at, empty, attributes });
        }
        let (key, after) = rest.split_once('=').ok_or_else(bad)?;
        let after = after.trim_ascii_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(bad)?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(bad)?;
        attributes.push((key.trim_ascii(), unescape(value)));
        rest = after;
    }
}

fn unescape(text: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_string(), |t, (from, to)| t.replace(from, to))
}

/// Text that may stand between quotes.
pub(super) fn escape(text: &str) -> String {
    let named = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")];
    named.iter().fold(text.to_string(), |t, (from, to)| t.replace(from, to))
}
