//! Where a character of the scene came from: the file, or one `--set`
//!
//! ```text
//! Span { source, start..end in bytes }  ─▶  Place { origin, line, column, text of the line }
//! ```
//!
//! Source 0 is the scene; each override is a source of its own, so that an error in
//! `--set law.friction=abc` points at that text and not at the file.

use std::ops::Range;

/// A range of bytes of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Index of the source.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From the parser's range.
    pub fn new(source: usize, range: Range<usize>) -> Self {
        let clip = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        Self { source: clip(source), start: clip(range.start), end: clip(range.end) }
    }
}

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name, `<text>`, or `--set …`.
    pub origin: String,
    /// The text.
    pub text: String,
}

/// A place a reader finds: 1-based line and column (in characters), and the line itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File name, `<text>`, or `--set …`.
    pub origin: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Number of characters to underline, at least 1.
    pub length: usize,
    /// The line, without its end.
    pub text: String,
}

/// All texts of a scene.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    items: Vec<Source>,
}

impl Sources {
    /// Adds a text and gives its index.
    pub fn add(&mut self, origin: impl Into<String>, text: impl Into<String>) -> usize {
        self.items.push(Source { origin: origin.into(), text: text.into() });
        self.items.len() - 1
    }

    /// Number of texts.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The texts, the scene first.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.items.iter()
    }

    /// Line and column of a span; `None` when the span belongs to no source.
    pub fn place(&self, span: Span) -> Option<Place> {
        let source = self.items.get(span.source as usize)?;
        let text = source.text.as_str();
        let start = boundary(text, span.start as usize);
        let end = boundary(text, span.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let length = text[start..end.min(line_end)].chars().count().max(1);
        let shown = text[line_start..line_end].trim_end_matches('\r').replace('\t', " ");
        Some(Place { origin: source.origin.clone(), line, column, length, text: shown })
    }
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_gives_line_and_column_in_characters() {
        let mut sources = Sources::default();
        sources.add("a.toml", "x = 1\né = \"abc\"\n");
        let start = "x = 1\né = ".len();
        let place = sources.place(Span::new(0, start..start + 5)).expect("in the text");
        assert_eq!((place.line, place.column, place.length), (2, 5, 5));
        assert_eq!(place.text, "é = \"abc\"");
    }

    #[test]
    fn a_span_outside_is_clipped() {
        let mut sources = Sources::default();
        sources.add("a.toml", "x");
        let place = sources.place(Span::new(0, 7..9)).expect("clipped");
        assert_eq!((place.line, place.column, place.length), (1, 2, 1));
        assert_eq!(sources.place(Span::new(3, 0..1)), None);
    }
}
