//! VTK's XML files \[Schroeder06\]: PolyData (`.vtp`), UnstructuredGrid (`.vtu`) and the collection of
//! a time series (`.pvd`).
//!
//! Arrays follow the XML as raw bytes, each behind its length (`header_type="UInt64"`, little-endian).
//! Written by hand: it is a page, and no crate of the field is kept up.
//!
//! ```
//! use delassus_vtk::{Array, Grid};
//! let mut triangle = Grid { points: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], ..Grid::default() };
//! triangle.push(5, [0, 1, 2]);
//! triangle.point_data.push(Array::f64("temperature", 1, &[20.0, 21.0, 19.0]));
//! assert!(triangle.to_bytes().starts_with(b"<?xml"));
//! ```

mod document;

use document::{Document, escaped};
use std::fmt::Write as _;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// 64-bit floating point.
    Float64,
    /// 32-bit floating point.
    Float32,
    /// 64-bit signed.
    Int64,
    /// 32-bit signed.
    Int32,
    /// 64-bit unsigned.
    UInt64,
    /// 32-bit unsigned.
    UInt32,
    /// A byte.
    UInt8,
}

/// A named array of `width` numbers per point or cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Numbers per point or cell.
    pub width: usize,
    /// What the bytes are.
    pub scalar: Scalar,
    /// The numbers, little-endian.
    pub bytes: Vec<u8>,
}

impl Array {
    /// Of 64-bit numbers.
    pub fn f64(name: &str, width: usize, values: &[f64]) -> Self {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        Self { name: name.into(), width, scalar: Scalar::Float64, bytes }
    }

    /// Of 32-bit integers.
    pub fn i32(name: &str, width: usize, values: &[i32]) -> Self {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        Self { name: name.into(), width, scalar: Scalar::Int32, bytes }
    }

    /// Of bytes.
    pub fn u8(name: &str, width: usize, values: Vec<u8>) -> Self {
        Self { name: name.into(), width, scalar: Scalar::UInt8, bytes: values }
    }

    /// Of 64-bit integers, one for each cell or node of a cell.
    fn i64(name: &str, values: &[i64]) -> Self {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        Self { name: name.into(), width: 1, scalar: Scalar::Int64, bytes }
    }
}

/// Nodes of cells, one cell after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    connectivity: Vec<i64>,
    /// End of each cell there.
    ends: Vec<i64>,
}

impl Cells {
    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a cell.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = usize>) {
        self.connectivity.extend(nodes.into_iter().map(|n| n as i64));
        self.ends.push(self.connectivity.len() as i64);
    }

    fn arrays(&self) -> [Array; 2] {
        [Array::i64("connectivity", &self.connectivity), Array::i64("offsets", &self.ends)]
    }
}

/// Points, and cells of one, two or more vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolyData {
    /// Coordinates, three by three.
    pub points: Vec<f64>,
    /// Vertices, lines, polygons.
    pub cells: [Cells; 3],
    /// Arrays on the points.
    pub point_data: Vec<Array>,
    /// Arrays on the cells: vertices, then lines, then polygons.
    pub cell_data: Vec<Array>,
    /// Time \[s\].
    pub time: Option<f64>,
}

impl PolyData {
    /// Adds a cell; one vertex makes a point, two a line, more a polygon.
    pub fn push(&mut self, vertices: impl ExactSizeIterator<Item = usize>) {
        self.cells[vertices.len().clamp(1, 3) - 1].push(vertices);
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let [verts, lines, polys] = self.cells.each_ref().map(Cells::len);
        let piece = format!(
            "NumberOfPoints=\"{}\" NumberOfVerts=\"{verts}\" NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" \
             NumberOfPolys=\"{polys}\"",
            self.points.len() / 3
        );
        let mut document = Document::new("PolyData", self.time, &piece);
        document.section("PointData", &self.point_data);
        document.section("CellData", &self.cell_data);
        document.section("Points", &[Array::f64("Points", 3, &self.points)]);
        for (name, cells) in ["Verts", "Lines", "Polys"].into_iter().zip(&self.cells) {
            document.section(name, &cells.arrays());
        }
        document.finish()
    }
}

/// Points, and cells of VTK's kinds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Coordinates, three by three.
    pub points: Vec<f64>,
    /// Nodes of the cells.
    pub cells: Cells,
    /// VTK's number of the kind of each cell.
    pub kinds: Vec<u8>,
    /// Arrays on the points.
    pub point_data: Vec<Array>,
    /// Arrays on the cells.
    pub cell_data: Vec<Array>,
    /// Time \[s\].
    pub time: Option<f64>,
}

impl Grid {
    /// Adds a cell of VTK's number `kind`.
    pub fn push(&mut self, kind: u8, nodes: impl IntoIterator<Item = usize>) {
        self.cells.push(nodes);
        self.kinds.push(kind);
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let piece = format!("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", self.points.len() / 3, self.kinds.len());
        let mut document = Document::new("UnstructuredGrid", self.time, &piece);
        document.section("PointData", &self.point_data);
        document.section("CellData", &self.cell_data);
        document.section("Points", &[Array::f64("Points", 3, &self.points)]);
        let [connectivity, ends] = self.cells.arrays();
        document.section("Cells", &[connectivity, ends, Array::u8("types", 1, self.kinds.clone())]);
        document.finish()
    }
}

/// A file of a time series, and its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// Time \[s\].
    pub time: f64,
    /// Its file, beside the collection.
    pub file: String,
}

/// The collection that ParaView opens as a time series.
pub fn collection(files: &[Timed]) -> String {
    let mut xml =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for Timed { time, file } in files {
        let _ = writeln!(xml, "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{}\"/>", escaped(file));
    }
    xml.push_str("</Collection>\n</VTKFile>\n");
    xml
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The XML before the raw bytes, closed.
    fn head(bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let end = text.find("\n_").expect("appended data begin with an underscore");
        format!("{}</AppendedData></VTKFile>", &text[..end])
    }

    /// Offsets point at lengths, lengths at the next array: the arrays fill the appended data.
    #[test]
    fn arrays_follow_each_other() {
        let mut data = PolyData { points: vec![0.0; 9], time: Some(0.5), ..PolyData::default() };
        data.push(0..1);
        data.push(0..3);
        data.cell_data.push(Array::i32("a<b>&\"c\"", 1, &[7, 8]));
        let bytes = data.to_bytes();
        let xml = head(&bytes);
        let document = roxmltree::Document::parse(&xml).expect("well-formed");
        let start = bytes.windows(2).position(|w| w == b"\n_").expect("there") + 2;
        let mut next = 0;
        for array in document.descendants().filter(|n| n.attribute("format") == Some("appended")) {
            let offset: usize = array.attribute("offset").expect("given").parse().expect("a number");
            assert_eq!(offset, next);
            let length: [u8; 8] = bytes[start + offset..start + offset + 8].try_into().expect("eight bytes");
            next = offset + 8 + u64::from_le_bytes(length) as usize;
        }
        assert_eq!(&bytes[start + next..], b"\n</AppendedData>\n</VTKFile>\n");
        assert!(document.descendants().any(|n| n.attribute("Name") == Some("a<b>&\"c\"")));
        let piece = document.descendants().find(|n| n.has_tag_name("Piece")).expect("there");
        assert_eq!((piece.attribute("NumberOfVerts"), piece.attribute("NumberOfPolys")), (Some("1"), Some("1")));
    }

    #[test]
    fn a_collection_names_times_and_files() {
        let text = collection(&[Timed { time: 0.25, file: "a & b.vtp".into() }]);
        let document = roxmltree::Document::parse(&text).expect("well-formed");
        let set = document.descendants().find(|n| n.has_tag_name("DataSet")).expect("there");
        assert_eq!((set.attribute("timestep"), set.attribute("file")), (Some("0.25"), Some("a & b.vtp")));
    }
}
