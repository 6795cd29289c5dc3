//! XML unstructured grids
//!
//! ```text
//! <VTKFile type="UnstructuredGrid" byte_order=… header_type=…> <UnstructuredGrid>
//!   <Piece NumberOfPoints=… NumberOfCells=…>
//!     <PointData> <CellData> <Points> <Cells>: <DataArray type= Name= format= offset=>
//!   <AppendedData encoding="raw" or "base64">_…
//! ```
//!
//! Appended data may be raw bytes, which no XML has: the file is XML up to them, and is closed
//! there before it is parsed.

use super::super::input::{Input, find, shown};
use super::super::read::Draft;
use super::super::{Mesh, MeshError};
use super::scalar::Scalar;
use super::{Cells, GROUP, points};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use roxmltree::{Document, Node};
use std::borrow::Cow;

/// What is said about all arrays.
struct Reader<'a> {
    input: Input<'a>,
    big_endian: bool,
    header_bytes: usize,
    appended: Option<Appended<'a>>,
}

struct Appended<'a> {
    data: &'a [u8],
    is_base64: bool,
}

struct Array<'a> {
    /// Place in the file, for messages.
    at: usize,
    name: &'a str,
    scalar: Scalar,
    source: Source<'a>,
}

/// Where an array's numbers are.
enum Source<'a> {
    Ascii(&'a str),
    Base64(&'a str),
    Appended(usize),
}

pub(in super::super) fn read(file: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let input = Input::new(file, bytes);
    let (xml, data) = split(&input, bytes)?;
    let document = Document::parse(&xml).map_err(|error| {
        let line = error.pos().row as usize;
        let (found, expected) = (format!("no well-formed XML ({error})"), "tags that open and close");
        input.fail_on_line(line, found, expected)
    })?;
    let root = document.root_element();
    let mut reader = head(input, root)?;
    let is_base64 = child(root, "AppendedData").and_then(|n| n.attribute("encoding")) == Some("base64");
    reader.appended = data.map(|data| Appended { data, is_base64 });
    let mut draft = Draft::default();
    let pieces = child(root, "UnstructuredGrid").into_iter().flat_map(|grid| children(grid, "Piece"));
    let mut count = 0;
    for piece in pieces {
        reader.put(piece, &mut draft)?;
        count += 1;
    }
    match count {
        0 => {
            let (found, expected) = ("the end of the file", "an <UnstructuredGrid> with a <Piece>");
            Err(reader.input.fail(bytes.len(), found, expected))
        }
        _ => Ok(draft.finish()),
    }
}

/// The file as XML, and what is appended behind its underscore.
fn split<'a>(input: &Input<'_>, bytes: &'a [u8]) -> Result<(Cow<'a, str>, Option<&'a [u8]>), MeshError> {
    let text = |part: &'a [u8]| {
        std::str::from_utf8(part).map_err(|e| {
            let at = e.valid_up_to();
            input.fail(at, shown(&part[at..part.len().min(at + 8)]), "text in UTF-8")
        })
    };
    let Some(start) = find(bytes, b"<AppendedData") else { return Ok((text(bytes)?.into(), None)) };
    let missing = |what: &str| input.fail(start, "<AppendedData", format!("`{what}` after it"));
    let open = start + find(&bytes[start..], b">").ok_or_else(|| missing(">"))? + 1;
    let data = open + find(&bytes[open..], b"_").ok_or_else(|| missing("_"))? + 1;
    let closed = format!("{}</AppendedData></VTKFile>", text(&bytes[..open])?);
    Ok((closed.into(), Some(&bytes[data..])))
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |n| n.has_tag_name(name))
}

fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}

/// Judges `<VTKFile …>`.
fn head<'a>(input: Input<'a>, root: Node<'_, '_>) -> Result<Reader<'a>, MeshError> {
    let at = root.range().start;
    let refuse = |what: &str, value: &str, expected: &str| {
        input.fail(at, format!("{what} {}", shown(value.as_bytes())), expected)
    };
    if root.attribute("type") != Some("UnstructuredGrid") {
        let kind = root.attribute("type").unwrap_or("");
        return Err(refuse("a file of type", kind, "`UnstructuredGrid`"));
    }
    let big_endian = match root.attribute("byte_order") {
        None | Some("LittleEndian") => false,
        Some("BigEndian") => true,
        Some(other) => return Err(refuse("byte order", other, "`LittleEndian` or `BigEndian`")),
    };
    let header_bytes = match root.attribute("header_type") {
        None | Some("UInt32") => 4,
        Some("UInt64") => 8,
        Some(other) => return Err(refuse("header type", other, "`UInt32` or `UInt64`")),
    };
    if let Some(other) = root.attribute("compressor") {
        let accepted = "data that are not compressed (in ParaView: Compressor Type None)";
        return Err(refuse("data compressed by", other, accepted));
    }
    Ok(Reader { input, big_endian, header_bytes, appended: None })
}

impl Reader<'_> {
    /// An attribute that must be there, as a number.
    fn number<T: std::str::FromStr>(&self, node: Node<'_, '_>, name: &str) -> Result<T, MeshError> {
        let value = node.attribute(name).unwrap_or("nothing");
        let expected = || format!("a number as `{name}` of <{}>", node.tag_name().name());
        value.trim().parse().map_err(|_| self.input.fail(node.range().start, shown(value.as_bytes()), expected()))
    }

    fn array<'a>(&self, node: Node<'a, 'a>) -> Result<Array<'a>, MeshError> {
        let (at, text) = (node.range().start, node.text().unwrap_or(""));
        let source = match node.attribute("format") {
            None | Some("ascii") => Source::Ascii(text),
            Some("binary") => Source::Base64(text),
            Some("appended") => Source::Appended(self.number(node, "offset")?),
            Some(other) => {
                let found = format!("format {}", shown(other.as_bytes()));
                return Err(self.input.fail(at, found, "`ascii`, `binary` or `appended`"));
            }
        };
        // Strings and bits may stand among the data that are not read.
        let scalar = node.attribute("type").and_then(Scalar::named).unwrap_or(Scalar::Unsigned(1));
        Ok(Array { at, name: node.attribute("Name").unwrap_or(""), scalar, source })
    }

    /// The arrays of a section of a piece.
    fn section<'a>(&self, piece: Node<'a, 'a>, name: &'static str) -> Result<Vec<Array<'a>>, MeshError> {
        let arrays = child(piece, name).into_iter().flat_map(|section| children(section, "DataArray"));
        arrays.map(|node| self.array(node)).collect()
    }

    /// Adds a piece to the mesh.
    fn put(&self, piece: Node<'_, '_>, draft: &mut Draft) -> Result<(), MeshError> {
        let at = piece.range().start;
        let [point_count, cell_count] =
            [self.number::<u64>(piece, "NumberOfPoints")?, self.number(piece, "NumberOfCells")?];
        let missing = |what: &str| self.input.fail(at, "no such array", format!("`{what}` in the piece"));
        let first = draft.mesh.points.len();
        let coordinates = self.section(piece, "Points")?.into_iter().next().ok_or_else(|| missing("Points"))?;
        let x = self.reals(&coordinates)?;
        self.expect_length(&coordinates, x.len(), point_count.saturating_mul(3))?;
        draft.mesh.points.extend(points(&self.input, coordinates.at, &x)?);
        let topology = self.section(piece, "Cells")?;
        let named = |name: &str| topology.iter().find(|a| a.name == name).ok_or_else(|| missing(name));
        let [nodes, ends, types] = [named("connectivity")?, named("offsets")?, named("types")?];
        let (at, connectivity) = (nodes.at, self.wholes(nodes)?);
        let [ends, types] = [self.marks(ends, cell_count)?, self.marks(types, cell_count)?];
        let cells = Cells { at, connectivity, ends, types }.put(&self.input, draft, first)?;
        for array in self.section(piece, "CellData")? {
            let Some(name) = array.name.strip_prefix(GROUP) else { continue };
            let marks = self.marks(&array, cell_count)?;
            for (&cell, _) in cells.iter().zip(&marks).filter(|(_, m)| **m != 0) {
                let dim = draft.mesh.kind(cell).dim();
                draft.sets.entry((dim, name.into())).or_default().push(cell);
            }
        }
        for array in self.section(piece, "PointData")? {
            let Some(name) = array.name.strip_prefix(GROUP) else { continue };
            let marks = self.marks(&array, point_count)?;
            let set = draft.node_sets.entry(name.into()).or_default();
            set.extend((first as u32..).zip(&marks).filter(|(_, m)| **m != 0).map(|(i, _)| i));
        }
        Ok(())
    }

    /// One whole number for each point or cell.
    fn marks(&self, array: &Array<'_>, count: u64) -> Result<Vec<i64>, MeshError> {
        let marks = self.wholes(array)?;
        self.expect_length(array, marks.len(), count)?;
        Ok(marks)
    }

    fn expect_length(&self, array: &Array<'_>, found: usize, expected: u64) -> Result<(), MeshError> {
        if found as u64 == expected {
            return Ok(());
        }
        let found = format!("{found} numbers in array {}", shown(array.name.as_bytes()));
        Err(self.input.fail(array.at, found, expected.to_string()))
    }

    fn reals(&self, array: &Array<'_>) -> Result<Vec<f64>, MeshError> {
        if let Source::Ascii(text) = array.source {
            return self.words(array, text, "a number");
        }
        let bytes = self.payload(array)?;
        Ok(bytes.chunks_exact(array.scalar.size()).map(|b| array.scalar.real(b, self.big_endian)).collect())
    }

    fn wholes(&self, array: &Array<'_>) -> Result<Vec<i64>, MeshError> {
        let expected = "whole numbers";
        if !array.scalar.is_whole() {
            let found = format!("{} as {:?}", shown(array.name.as_bytes()), array.scalar);
            return Err(self.input.fail(array.at, found, expected));
        }
        if let Source::Ascii(text) = array.source {
            return self.words(array, text, "a whole number");
        }
        let bytes = self.payload(array)?;
        let all: Option<Vec<i64>> =
            bytes.chunks_exact(array.scalar.size()).map(|b| array.scalar.whole(b, self.big_endian)).collect();
        all.ok_or_else(|| self.input.fail(array.at, "a number beyond 2⁶³", expected))
    }

    fn words<T: std::str::FromStr>(&self, array: &Array<'_>, text: &str, expected: &str) -> Result<Vec<T>, MeshError> {
        let refuse = |word: &str| {
            let found = format!("{} in array {}", shown(word.as_bytes()), shown(array.name.as_bytes()));
            self.input.fail(array.at, found, expected)
        };
        text.split_ascii_whitespace().map(|word| word.parse().map_err(|_| refuse(word))).collect()
    }

    /// The bytes of an array that is not text, without the length before them.
    fn payload(&self, array: &Array<'_>) -> Result<Vec<u8>, MeshError> {
        let decode = |letters: &[u8]| {
            decoded(letters).map_err(|error| {
                let found = format!("array {} ({error})", shown(array.name.as_bytes()));
                self.input.fail(array.at, found, "base64")
            })
        };
        let whole: Cow<'_, [u8]> = match (&array.source, &self.appended) {
            (Source::Ascii(_), _) => Cow::Borrowed(&[]),
            (Source::Base64(text), _) => decode(text.as_bytes())?.into(),
            (Source::Appended(_), None) => {
                let expected = "<AppendedData> at the end of the file";
                return Err(self.input.fail(array.at, "an appended array", expected));
            }
            (Source::Appended(offset), Some(Appended { data, is_base64 })) => {
                let from = data.get(*offset..).ok_or_else(|| {
                    self.input.fail(array.at, format!("offset {offset}"), format!("at most {}", data.len()))
                })?;
                if *is_base64 { decode(self.base64_extent(from))?.into() } else { from.into() }
            }
        };
        let data = self.length(&whole).and_then(|l| whole.get(self.header_bytes..l.checked_add(self.header_bytes)?));
        data.map(<[u8]>::to_vec).ok_or_else(|| {
            let found = format!("{} bytes in array {}", whole.len(), shown(array.name.as_bytes()));
            self.input.fail(array.at, found, "the length and the data it announces")
        })
    }

    /// The length that an array begins with.
    fn length(&self, bytes: &[u8]) -> Option<usize> {
        let header = bytes.get(..self.header_bytes)?;
        let length = Scalar::Unsigned(self.header_bytes as u8).whole(header, self.big_endian)?;
        usize::try_from(length).ok()
    }

    /// The letters of one array: its length is in the first of them, or they reach to the
    /// end. More than needed is harmless.
    fn base64_extent<'b>(&self, from: &'b [u8]) -> &'b [u8] {
        let stop = from.iter().position(|&c| c == b'<').unwrap_or(from.len());
        let head = self.header_bytes.div_ceil(3) * 4;
        let length = from.get(..head.min(stop)).and_then(|h| decoded(h).ok()).and_then(|h| self.length(&h));
        // The length and the data in one stream, or in two that are padded apart.
        let letters = |bytes: usize| bytes.div_ceil(3).saturating_mul(4);
        let apart = from.get(..head).is_some_and(|h| h.contains(&b'='));
        match length {
            Some(l) if apart => &from[..stop.min(head.saturating_add(letters(l)))],
            Some(l) => &from[..stop.min(letters(l.saturating_add(self.header_bytes)))],
            None => &from[..stop],
        }
    }
}

/// Bytes of base64. A stream that ends in `=` may be followed by another: some writers encode the
/// length apart from the data.
fn decoded(text: &[u8]) -> Result<Vec<u8>, base64::DecodeError> {
    let letters: Vec<u8> = text.iter().copied().filter(|c| !c.is_ascii_whitespace()).collect();
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    let mut rest = letters.as_slice();
    while !rest.is_empty() {
        let end = rest.windows(2).position(|w| w[0] == b'=' && w[1] != b'=').map_or(rest.len(), |i| i + 1);
        BASE64_STANDARD.decode_vec(&rest[..end], &mut bytes)?;
        rest = &rest[end..];
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn streams_may_follow_each_other() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm9v\nYmE=", "fooba"), ("Zg==Zm9v", "ffoo")] {
            assert_eq!(decoded(text.as_bytes()).unwrap(), bytes.as_bytes());
        }
        for bad in ["Zm9*", "Zm9", "Z==="] {
            assert!(decoded(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
