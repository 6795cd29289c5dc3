//! VTK XML PolyData (`.vtp`), UnstructuredGrid (`.vtu`) and the collection of a time series (`.pvd`).
//!
//! Arrays follow the XML as raw bytes, each behind its length (`header_type="UInt64"`,
//! little-endian), as the VTK file formats describe. Written by hand: it is a page, and
//! no crate of the field is kept up.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::error::Error;
use crate::field::Kind;
use crate::frame::Column;

/// A named array of `width` numbers per point or cell.
pub(crate) struct Array {
    pub name: String,
    pub width: usize,
    pub data: Column,
}

/// Points, and cells of one, two or more vertices.
#[derive(Default)]
pub(crate) struct PolyData {
    pub points: Vec<f64>,
    /// Vertices, lines, polygons: connectivity and end of each cell.
    pub cells: [(Vec<i32>, Vec<i32>); 3],
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
    pub time: f64,
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::F64 => "Float64",
        Kind::F32 => "Float32",
        Kind::U64 => "UInt64",
        Kind::U32 => "UInt32",
        Kind::I32 => "Int32",
        Kind::U8 => "UInt8",
    }
}

/// The XML and the bytes behind it.
#[derive(Default)]
struct Document {
    xml: String,
    raw: Vec<u8>,
}

impl Document {
    fn array(&mut self, name: &str, width: usize, data: &Column) {
        let (kind, offset) = (type_name(data.kind()), self.raw.len());
        let _ = writeln!(
            self.xml,
            r#"<DataArray type="{kind}" Name="{}" NumberOfComponents="{width}" format="appended" offset="{offset}"/>"#,
            escaped(name)
        );
        self.raw.extend_from_slice(&((data.len() * data.kind().bytes()) as u64).to_le_bytes());
        data.encode(&mut self.raw);
    }

    fn section(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.xml, "<{name}>");
        fill(self);
        let _ = writeln!(self.xml, "</{name}>");
    }
}

impl PolyData {
    /// Adds a cell; one vertex makes a point, two a line, more a polygon.
    pub fn cell(&mut self, vertices: impl ExactSizeIterator<Item = i32>) {
        let (connectivity, ends) = &mut self.cells[vertices.len().clamp(1, 3) - 1];
        connectivity.extend(vertices);
        ends.push(connectivity.len() as i32);
    }

    /// Writes the file.
    pub fn write(self, path: &Path) -> Result<u64, Error> {
        let mut document = Document::default();
        let [verts, lines, polys] = &self.cells;
        let _ = writeln!(
            document.xml,
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n\
             <FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:?}\
             </DataArray></FieldData>\n\
             <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" \
             NumberOfPolys=\"{}\">",
            self.time,
            self.points.len() / 3,
            verts.1.len(),
            lines.1.len(),
            polys.1.len()
        );
        document.section("PointData", |d| self.point_data.iter().for_each(|a| d.array(&a.name, a.width, &a.data)));
        document.section("CellData", |d| self.cell_data.iter().for_each(|a| d.array(&a.name, a.width, &a.data)));
        document.section("Points", |d| d.array("Points", 3, &Column::F64(self.points)));
        for (name, (connectivity, ends)) in ["Verts", "Lines", "Polys"].into_iter().zip(self.cells) {
            document.section(name, |d| {
                d.array("connectivity", 1, &Column::I32(connectivity));
                d.array("offsets", 1, &Column::I32(ends));
            });
        }
        document.xml.push_str("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
        let file = [document.xml.as_bytes(), &document.raw, b"\n</AppendedData>\n</VTKFile>\n"].concat();
        write_file(path, &file)
    }
}

/// Points, and cells of VTK's kinds.
#[derive(Default)]
pub(crate) struct Grid {
    pub points: Vec<f64>,
    /// Nodes of the cells, one after the other.
    pub connectivity: Vec<i32>,
    /// End of each cell there.
    pub ends: Vec<i32>,
    /// VTK's number of the kind of each cell.
    pub kinds: Vec<u8>,
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
    pub time: f64,
}

impl Grid {
    /// Writes the file.
    pub fn write(self, path: &Path) -> Result<u64, Error> {
        let mut document = Document::default();
        let _ = writeln!(
            document.xml,
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <UnstructuredGrid>\n\
             <FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:?}\
             </DataArray></FieldData>\n\
             <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
            self.time,
            self.points.len() / 3,
            self.kinds.len()
        );
        document.section("PointData", |d| self.point_data.iter().for_each(|a| d.array(&a.name, a.width, &a.data)));
        document.section("CellData", |d| self.cell_data.iter().for_each(|a| d.array(&a.name, a.width, &a.data)));
        document.section("Points", |d| d.array("Points", 3, &Column::F64(self.points)));
        document.section("Cells", |d| {
            d.array("connectivity", 1, &Column::I32(self.connectivity));
            d.array("offsets", 1, &Column::I32(self.ends));
            d.array("types", 1, &Column::U8(self.kinds));
        });
        document.xml.push_str("</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
        let file = [document.xml.as_bytes(), &document.raw, b"\n</AppendedData>\n</VTKFile>\n"].concat();
        write_file(path, &file)
    }
}

/// Writes the time series that ParaView opens.
pub(crate) fn write_collection(path: &Path, files: &[(f64, String)]) -> Result<u64, Error> {
    let mut xml =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (time, file) in files {
        let _ = writeln!(xml, "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{}\"/>", escaped(file));
    }
    xml.push_str("</Collection>\n</VTKFile>\n");
    write_file(path, xml.as_bytes())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<u64, Error> {
    let write = || std::fs::File::create(path)?.write_all(bytes);
    write().map_err(Error::io("write", path))?;
    Ok(bytes.len() as u64)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
