//! The parts of an untrusted HDF5 file: header, datasets, rows. Sizes are compared with
//! the file before anything is read.

use std::collections::HashMap;
use std::path::Path;

use hdf5_pure::{AttrValue, Dataset, File};

use crate::error::Error;
use crate::field::{Extent, Field, Header, Kind};
use crate::frame::Column;
use crate::layout::{Described, FORMAT, Layout, Set, VERSION, files, header_hash, shapes};

/// Reads rows after comparing their size with the file: deflate expands at most 1032-fold,
/// so a few damaged bytes cannot claim terabytes.
pub(crate) fn read_rows(path: &Path, set: (&Dataset, &Set), rows: (u64, u64), file: u64) -> Result<Vec<u8>, Error> {
    let (set, layout) = set;
    let bytes = rows.1.checked_mul(layout.row_bytes() as u64);
    let limit = (64 << 20).max(file.saturating_mul(1100));
    let Some(bytes) = bytes.filter(|b| *b <= limit) else {
        return Err(Error::damaged(path, &layout.path, format!("claims {} rows in a file of {file} bytes", rows.1)));
    };
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let read = set.read_raw_rows(rows.0, rows.1).map_err(Error::hdf5("read", path))?;
    if read.len() as u64 != bytes {
        return Err(Error::damaged(path, &layout.path, format!("{} bytes read, {bytes} expected", read.len())));
    }
    Ok(read)
}

pub(crate) fn open_sets(path: &Path, file: &File, layout: &Layout) -> Result<Vec<Dataset>, Error> {
    // Last first: `frames/time` must be the oldest view when a writer is at work.
    let mut sets = Vec::with_capacity(layout.sets.len());
    for set in layout.sets.iter().rev() {
        let dataset = file.dataset(&set.path).map_err(Error::hdf5("open", path))?;
        let found = dataset.datatype().map_err(Error::hdf5("open", path))?;
        if found != set.datatype() {
            return Err(Error::damaged(
                path,
                &set.path,
                format!("holds {found:?}, expected {} × {}", set.kind.name(), set.width),
            ));
        }
        sets.push(dataset);
    }
    sets.reverse();
    Ok(sets)
}

/// The header, the generation and the version.
pub(crate) fn read_header(path: &Path, file: &File, bytes: u64) -> Result<(Header, [u64; 2]), Error> {
    let attributes = file.root().attrs().map_err(Error::hdf5("read", path))?;
    let text = |name: &str| text_of(path, &attributes, name);
    let number = |name: &str| attributes.get(name).and_then(AttrValue::as_u64);
    match attributes.get("format").and_then(AttrValue::as_str) {
        Some(FORMAT) => {}
        other => {
            let reason = match other {
                Some(other) => format!("its format is {other}, expected {FORMAT}"),
                None => format!("it has no attribute format = {FORMAT}"),
            };
            return Err(Error::NotARun { path: path.to_path_buf(), reason });
        }
    }
    let number = |name: &str| number(name).ok_or_else(|| Error::damaged(path, name, "no such number"));
    let found = number("version")?;
    if !(1..=VERSION).contains(&found) {
        return Err(Error::Version { path: path.to_path_buf(), found, known: VERSION });
    }
    let described: Described =
        serde_json::from_str(&text("header")?).map_err(|e| Error::damaged(path, "header", e.to_string()))?;
    let mut header = Header {
        title: text("title")?,
        scene: text("scene")?,
        program: text("program")?,
        dimension: number("dimension")? as usize,
        overrides: described.overrides,
        fields: described.fields,
        attributes: described.attributes,
        geometry: Vec::new(),
        constants: Vec::new(),
        files: Vec::new(),
    };
    if !described.geometry.is_empty() {
        let column = |field: Field| read_geometry(path, file, &field, bytes);
        let points = column(Field::new("geometry/points", Kind::F64, 3, Extent::Scalar))?;
        let sizes = column(Field::new("geometry/sizes", Kind::U32, 1, Extent::Scalar))?;
        let vertices = column(Field::new("geometry/vertices", Kind::U32, 1, Extent::Scalar))?;
        let (points, sizes) = (points.f64().unwrap_or_default(), sizes.u32().unwrap_or_default());
        let scales = match found {
            1 | 2 => vec![1.0; described.geometry.len()],
            _ => {
                let read = column(Field::new("geometry/scales", Kind::F64, 1, Extent::Scalar))?;
                read.f64().unwrap_or_default().to_vec()
            }
        };
        let shapes = shapes(described.geometry, (points, &scales), sizes, vertices.u32().unwrap_or_default());
        header.geometry = shapes.ok_or_else(|| Error::damaged(path, "geometry", "contradicts its description"))?;
    }
    for constant in described.constants {
        header.constants.push(constant.read(path, file, bytes)?);
    }
    if !described.files.is_empty() {
        let kept = match described.files.iter().any(|f| f.1 > 0) {
            true => file.dataset("files/bytes").and_then(|set| set.read_raw()).map_err(Error::hdf5("read", path))?,
            false => Vec::new(),
        };
        let kept = files(described.files, &kept);
        header.files = kept.ok_or_else(|| Error::damaged(path, "files", "contradict their description"))?;
    }
    header.validate().map_err(|e| Error::damaged(path, "header", e.to_string()))?;
    let generation = number("generation")?;
    if found > 1 && text("hash")? != header_hash(&header, generation) {
        return Err(Error::damaged(path, "header", "its hash differs"));
    }
    Ok((header, [generation, found]))
}

fn read_geometry(path: &Path, file: &File, field: &Field, bytes: u64) -> Result<Column, Error> {
    let set = file.dataset(&field.name).map_err(Error::hdf5("open", path))?;
    let shape = set.shape().map_err(Error::hdf5("open", path))?;
    let rows = shape.first().copied().unwrap_or(0);
    let size = set.element_size().map_err(Error::hdf5("open", path))?;
    if shape.len() != 1 || size != field.item_bytes() as u64 || rows.saturating_mul(size) > bytes {
        return Err(Error::damaged(path, &field.name, format!("{shape:?} items of {size} bytes")));
    }
    Ok(Column::decode(field.kind, &set.read_raw().map_err(Error::hdf5("read", path))?))
}

fn text_of(path: &Path, attributes: &HashMap<String, AttrValue>, name: &str) -> Result<String, Error> {
    let text = attributes.get(name).and_then(AttrValue::as_str);
    text.map(str::to_owned).ok_or_else(|| Error::damaged(path, name, "no such text"))
}
