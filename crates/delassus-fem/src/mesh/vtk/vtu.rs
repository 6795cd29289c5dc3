//! XML unstructured grids
//!
//! ```text
//! <VTKFile type="UnstructuredGrid" byte_order=… header_type=…> <UnstructuredGrid>
//!   <Piece NumberOfPoints=… NumberOfCells=…>
//!     <PointData> <CellData> <Points> <Cells>: <DataArray type= Name= format= offset=>
//!   <AppendedData encoding="raw" or "base64">_…
//! ```

use super::super::input::{Input, shown};
use super::super::read::Draft;
use super::super::{Mesh, MeshError};
use super::scalar::Scalar;
use super::xml::{Tag, next_tag};
use super::{Cells, GROUP, base64, points};

/// Where an array's numbers are.
enum Source<'a> {
    Ascii(&'a [u8]),
    Inline(&'a [u8]),
    Appended(usize),
}

struct Array<'a> {
    at: usize,
    name: String,
    scalar: Scalar,
    source: Source<'a>,
}

#[derive(Default)]
struct Piece<'a> {
    points: u64,
    cells: u64,
    coordinates: Option<Array<'a>>,
    /// connectivity, offsets, types.
    topology: [Option<Array<'a>>; 3],
    point_groups: Vec<Array<'a>>,
    cell_groups: Vec<Array<'a>>,
}

/// What is said about all arrays.
struct Layout<'a> {
    big_endian: bool,
    header_bytes: usize,
    /// The appended data and whether they are base64.
    appended: Option<(&'a [u8], bool)>,
}

pub(in super::super) fn read(file: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let mut input = Input::new(file, bytes);
    let mut layout = Layout { big_endian: false, header_bytes: 4, appended: None };
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut section = "";
    let mut has_grid = false;
    while let Some(tag) = next_tag(&mut input, bytes)? {
        match tag.name {
            "VTKFile" => head(&input, &tag, &mut layout)?,
            "UnstructuredGrid" => has_grid = true,
            "Piece" => pieces.push(Piece {
                points: tag.number(&input, "NumberOfPoints")?,
                cells: tag.number(&input, "NumberOfCells")?,
                ..Piece::default()
            }),
            "PointData" | "CellData" | "Points" | "Cells" => section = if tag.empty { "" } else { tag.name },
            "/PointData" | "/CellData" | "/Points" | "/Cells" => section = "",
            "DataArray" if !section.is_empty() => {
                let array = array(&mut input, bytes, &tag)?;
                let piece = pieces.last_mut().ok_or_else(|| input.fail(tag.at, "<DataArray>", "<Piece> before it"))?;
                piece.take(section, array);
            }
            "AppendedData" => {
                input.skip_past("_")?;
                layout.appended = Some((&bytes[input.at()..], tag.get("encoding") == Some("base64")));
                break;
            }
            _ => {}
        }
    }
    if !has_grid || pieces.is_empty() {
        return Err(input.fail(bytes.len(), "the end of the file", "an <UnstructuredGrid> with a <Piece>"));
    }
    let mut draft = Draft::default();
    pieces.iter().try_for_each(|piece| layout.put(&input, piece, &mut draft))?;
    Ok(draft.finish())
}

fn head(input: &Input<'_>, tag: &Tag<'_>, layout: &mut Layout<'_>) -> Result<(), MeshError> {
    let refuse = |what: &str, value: &str, expected: &str| {
        Err(input.fail(tag.at, format!("{what} {}", shown(value.as_bytes())), expected))
    };
    match tag.get("type") {
        Some("UnstructuredGrid") => {}
        other => return refuse("a file of type", other.unwrap_or(""), "`UnstructuredGrid`"),
    }
    layout.big_endian = match tag.get("byte_order") {
        None | Some("LittleEndian") => false,
        Some("BigEndian") => true,
        Some(other) => return refuse("byte order", other, "`LittleEndian` or `BigEndian`"),
    };
    layout.header_bytes = match tag.get("header_type") {
        None | Some("UInt32") => 4,
        Some("UInt64") => 8,
        Some(other) => return refuse("header type", other, "`UInt32` or `UInt64`"),
    };
    match tag.get("compressor") {
        None => Ok(()),
        Some(other) => {
            refuse("data compressed by", other, "data that are not compressed (in ParaView: Compressor Type None)")
        }
    }
}

fn array<'a>(input: &mut Input<'a>, bytes: &'a [u8], tag: &Tag<'_>) -> Result<Array<'a>, MeshError> {
    let kind = tag.get("type").unwrap_or("");
    let name = tag.get("Name").unwrap_or("").to_string();
    let start = input.at();
    let end = if tag.empty {
        start
    } else {
        super::super::input::find(&bytes[start..], b"<").map_or(bytes.len(), |i| start + i)
    };
    let source = match tag.get("format") {
        None | Some("ascii") => Source::Ascii(&bytes[start..end]),
        Some("binary") => Source::Inline(&bytes[start..end]),
        Some("appended") => Source::Appended(tag.number(input, "offset")?),
        Some(other) => {
            return Err(input.fail(
                tag.at,
                format!("format {}", shown(other.as_bytes())),
                "`ascii`, `binary` or `appended`",
            ));
        }
    };
    input.seek(end);
    // Strings and bits may stand among the data that are not read.
    let scalar = Scalar::named(kind).unwrap_or(Scalar::Unsigned(1));
    Ok(Array { at: tag.at, name, scalar, source })
}

impl<'a> Piece<'a> {
    fn take(&mut self, section: &str, array: Array<'a>) {
        match (section, array.name.as_str()) {
            ("Points", _) => self.coordinates = Some(array),
            ("Cells", "connectivity") => self.topology[0] = Some(array),
            ("Cells", "offsets") => self.topology[1] = Some(array),
            ("Cells", "types") => self.topology[2] = Some(array),
            ("PointData", name) if name.starts_with(GROUP) => self.point_groups.push(array),
            ("CellData", name) if name.starts_with(GROUP) => self.cell_groups.push(array),
            _ => {}
        }
    }
}

impl Layout<'_> {
    /// Adds a piece to the mesh.
    fn put(&self, input: &Input<'_>, piece: &Piece<'_>, draft: &mut Draft) -> Result<(), MeshError> {
        let end = input.at();
        let missing = |what: &str| input.fail(end, "no such array", format!("`{what}` in the piece"));
        let first = draft.mesh.points.len();
        let coordinates = piece.coordinates.as_ref().ok_or_else(|| missing("Points"))?;
        let x = self.reals(input, coordinates)?;
        expect_length(input, coordinates, x.len(), piece.points.saturating_mul(3))?;
        draft.mesh.points.extend(points(input, coordinates.at, &x)?);
        let mut whole: [Vec<i64>; 3] = Default::default();
        for (i, name) in ["connectivity", "offsets", "types"].into_iter().enumerate() {
            let array = piece.topology[i].as_ref().ok_or_else(|| missing(name))?;
            whole[i] = self.wholes(input, array)?;
            if i > 0 {
                expect_length(input, array, whole[i].len(), piece.cells)?;
            }
        }
        let at = piece.topology[0].as_ref().map_or(0, |a| a.at);
        let [connectivity, ends, types] = whole;
        let cells = Cells { at, connectivity, ends, types }.put(input, draft, first)?;
        for array in &piece.cell_groups {
            let marks = self.wholes(input, array)?;
            expect_length(input, array, marks.len(), piece.cells)?;
            for (&cell, _) in cells.iter().zip(&marks).filter(|(_, m)| **m != 0) {
                let dim = draft.mesh.kind(cell).dim();
                draft.sets.entry((dim, array.name[GROUP.len()..].into())).or_default().push(cell);
            }
        }
        for array in &piece.point_groups {
            let marks = self.wholes(input, array)?;
            expect_length(input, array, marks.len(), piece.points)?;
            let set = draft.node_sets.entry(array.name[GROUP.len()..].into()).or_default();
            set.extend((first as u32..).zip(&marks).filter(|(_, m)| **m != 0).map(|(i, _)| i));
        }
        Ok(())
    }

    /// Calls back with the bytes of an array that is not text.
    fn payload<'b>(&'b self, input: &Input<'_>, array: &Array<'b>) -> Result<std::borrow::Cow<'b, [u8]>, MeshError> {
        use std::borrow::Cow;
        let letters = |text: &[u8]| {
            base64::decode(text).map_err(|i| {
                let found = text.get(i..).map_or(String::new(), |t| shown(&t[..t.len().min(8)]));
                input.fail(array.at, format!("{found} in array {}", shown(array.name.as_bytes())), "base64")
            })
        };
        let whole: Cow<'b, [u8]> = match (&array.source, self.appended) {
            (Source::Ascii(_), _) => Cow::Borrowed(&[]),
            (Source::Inline(text), _) => Cow::Owned(letters(text)?),
            (Source::Appended(_), None) => {
                return Err(input.fail(array.at, "an appended array", "<AppendedData> at the end of the file"));
            }
            (Source::Appended(offset), Some((data, encoded))) => {
                let from = data.get(*offset..).ok_or_else(|| {
                    input.fail(array.at, format!("offset {offset}"), format!("at most {}", data.len()))
                })?;
                if encoded { Cow::Owned(letters(self.base64_extent(from))?) } else { Cow::Borrowed(from) }
            }
        };
        let short = || {
            let found = format!("{} bytes in array {}", whole.len(), shown(array.name.as_bytes()));
            input.fail(array.at, found, "the length and the data it announces")
        };
        let header = whole.get(..self.header_bytes).ok_or_else(short)?;
        let length = Scalar::Unsigned(self.header_bytes as u8).whole(header, self.big_endian).ok_or_else(short)?;
        let end = usize::try_from(length).ok().and_then(|l| l.checked_add(self.header_bytes)).ok_or_else(short)?;
        if end > whole.len() {
            return Err(short());
        }
        Ok(match whole {
            Cow::Borrowed(b) => Cow::Borrowed(&b[self.header_bytes..end]),
            Cow::Owned(b) => Cow::Owned(b[self.header_bytes..end].to_vec()),
        })
    }

    /// The letters of one array: its length is in the first of them, or they reach to the
    /// end. More than needed is harmless.
    fn base64_extent<'b>(&self, from: &'b [u8]) -> &'b [u8] {
        let stop = from.iter().position(|&c| c == b'<').unwrap_or(from.len());
        let head = self.header_bytes.div_ceil(3) * 4;
        let length = from
            .get(..head.min(stop))
            .and_then(|h| base64::decode(h).ok())
            .and_then(|h| Scalar::Unsigned(self.header_bytes as u8).whole(h.get(..self.header_bytes)?, self.big_endian))
            .and_then(|l| usize::try_from(l).ok());
        // The length and the data in one stream, or in two that are padded apart.
        let letters = |bytes: usize| bytes.div_ceil(3).saturating_mul(4);
        let apart = from.get(..head).is_some_and(|h| h.contains(&b'='));
        match length {
            Some(l) if apart => &from[..stop.min(head.saturating_add(letters(l)))],
            Some(l) => &from[..stop.min(letters(l.saturating_add(self.header_bytes)))],
            None => &from[..stop],
        }
    }

    fn reals(&self, input: &Input<'_>, array: &Array<'_>) -> Result<Vec<f64>, MeshError> {
        if let Source::Ascii(text) = array.source {
            return words(input, array, text, "a number");
        }
        let bytes = self.payload(input, array)?;
        Ok(bytes.chunks_exact(array.scalar.size()).map(|b| array.scalar.real(b, self.big_endian)).collect())
    }

    fn wholes(&self, input: &Input<'_>, array: &Array<'_>) -> Result<Vec<i64>, MeshError> {
        let expected = "whole numbers";
        if !array.scalar.is_whole() {
            return Err(input.fail(
                array.at,
                format!("{} as {:?}", shown(array.name.as_bytes()), array.scalar),
                expected,
            ));
        }
        if let Source::Ascii(text) = array.source {
            return words(input, array, text, "a whole number");
        }
        let bytes = self.payload(input, array)?;
        let all: Option<Vec<i64>> =
            bytes.chunks_exact(array.scalar.size()).map(|b| array.scalar.whole(b, self.big_endian)).collect();
        all.ok_or_else(|| input.fail(array.at, "a number beyond 2⁶³", expected))
    }
}

fn words<T: std::str::FromStr>(
    input: &Input<'_>,
    array: &Array<'_>,
    text: &[u8],
    expected: &str,
) -> Result<Vec<T>, MeshError> {
    let parse = |w: &[u8]| std::str::from_utf8(w).ok().and_then(|w| w.parse().ok());
    text.split(u8::is_ascii_whitespace)
        .filter(|w| !w.is_empty())
        .map(|w| {
            parse(w).ok_or_else(|| {
                let found = format!("{} in array {}", shown(w), shown(array.name.as_bytes()));
                input.fail(array.at, found, expected)
            })
        })
        .collect()
}

fn expect_length(input: &Input<'_>, array: &Array<'_>, found: usize, expected: u64) -> Result<(), MeshError> {
    if found as u64 == expected {
        return Ok(());
    }
    let found = format!("{found} numbers in array {}", shown(array.name.as_bytes()));
    Err(input.fail(array.at, found, expected.to_string()))
}
