//! The XML and the bytes behind it.

use crate::{Array, Scalar};
use std::fmt::Write as _;

impl Scalar {
    fn name(self) -> &'static str {
        match self {
            Scalar::Float64 => "Float64",
            Scalar::Float32 => "Float32",
            Scalar::Int64 => "Int64",
            Scalar::Int32 => "Int32",
            Scalar::UInt64 => "UInt64",
            Scalar::UInt32 => "UInt32",
            Scalar::UInt8 => "UInt8",
        }
    }
}

pub(crate) struct Document {
    kind: &'static str,
    xml: String,
    raw: Vec<u8>,
}

impl Document {
    /// A file with one piece of these attributes.
    pub fn new(kind: &'static str, time: Option<f64>, piece: &str) -> Self {
        let mut xml = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<{kind}>\n"
        );
        if let Some(time) = time {
            let _ = writeln!(
                xml,
                "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
                 {time:?}</DataArray></FieldData>"
            );
        }
        let _ = writeln!(xml, "<Piece {piece}>");
        Self { kind, xml, raw: Vec::new() }
    }

    /// A section with its arrays.
    pub fn section(&mut self, name: &str, arrays: &[Array]) {
        let _ = writeln!(self.xml, "<{name}>");
        for Array { name, width, scalar, bytes } in arrays {
            let (kind, name, offset) = (scalar.name(), escaped(name), self.raw.len());
            let _ = writeln!(
                self.xml,
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" \
                 format=\"appended\" offset=\"{offset}\"/>"
            );
            self.raw.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            self.raw.extend_from_slice(bytes);
        }
        let _ = writeln!(self.xml, "</{name}>");
    }

    pub fn finish(self) -> Vec<u8> {
        let close = format!("</Piece>\n</{}>\n<AppendedData encoding=\"raw\">\n_", self.kind);
        [self.xml.as_bytes(), close.as_bytes(), &self.raw, b"\n</AppendedData>\n</VTKFile>\n"].concat()
    }
}

/// Text that may stand between quotes.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
