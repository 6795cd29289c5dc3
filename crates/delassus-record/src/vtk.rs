//! Export of a run to VTK files that ParaView opens as time series.
//!
//! ```text
//! DIR/bodies.pvd     bodies_000000.vtp …    the shapes, moved by position and orientation
//! DIR/solids.pvd     solids_000000.vtu …    deformed meshes, every field `nodes/*` at the nodes
//! DIR/contacts.pvd   contacts_000000.vtp …  one point per contact: force, gap, status …
//! ```
//!
//! Every field `bodies/*` becomes cell data of the shapes of its body, every ragged field
//! `contacts/*` point data. Plane runs lie in z = 0, their vectors get a third component.

use std::path::Path;

use crate::error::Error;
use crate::field::{BodyGeometry, Extent, Field, Kind};
use crate::frame::Column;
use crate::run::Run;
use delassus_vtk::{Array, Grid, PolyData, Scalar, Timed, collection};

/// What to export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VtkOptions {
    /// Every how many frames (1: all).
    pub every: usize,
}

impl Default for VtkOptions {
    fn default() -> Self {
        Self { every: 1 }
    }
}

/// What was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Frames.
    pub frames: usize,
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Exports a run into a directory, which is made if it is missing.
///
/// # Errors
/// The run cannot be read, or a file not be written.
pub fn export_vtk(run: &Run, directory: impl AsRef<Path>, options: &VtkOptions) -> Result<Exported, Error> {
    if options.every == 0 {
        return Err(Error::Option { option: "every", value: 0, expected: "at least 1" });
    }
    let directory = directory.as_ref();
    std::fs::create_dir_all(directory).map_err(Error::io("create", directory))?;
    let mut done = Exported::default();
    let has = |name: &str| run.header().position(name).is_some();
    type Part = fn(&Run, usize) -> Result<Vec<u8>, Error>;
    let mut parts: Vec<(&str, &str, Part)> = Vec::new();
    if has("bodies/position") {
        parts.push(("bodies", "vtp", |run, frame| Ok(bodies(run, frame)?.to_bytes())));
    }
    if has("nodes/displacement") {
        parts.push(("solids", "vtu", |run, frame| Ok(solids(run, frame)?.to_bytes())));
    }
    if has("contacts/point") {
        parts.push(("contacts", "vtp", |run, frame| Ok(contacts(run, frame)?.to_bytes())));
    }
    for (name, extension, part) in parts {
        let mut files = Vec::new();
        for frame in (0..run.frames()).step_by(options.every) {
            let file = format!("{name}_{frame:06}.{extension}");
            done.bytes += write(&directory.join(&file), &part(run, frame)?)?;
            files.push(Timed { time: run.times()[frame], file });
        }
        done.bytes += write(&directory.join(format!("{name}.pvd")), collection(&files).as_bytes())?;
        done.files += files.len() + 1;
        done.frames = files.len();
    }
    Ok(done)
}

fn write(path: &Path, bytes: &[u8]) -> Result<u64, Error> {
    std::fs::write(path, bytes).map_err(Error::io("write", path))?;
    Ok(bytes.len() as u64)
}

fn array(name: &str, width: usize, column: &Column) -> Array {
    let scalar = match column.kind() {
        Kind::F64 => Scalar::Float64,
        Kind::F32 => Scalar::Float32,
        Kind::U64 => Scalar::UInt64,
        Kind::U32 => Scalar::UInt32,
        Kind::I32 => Scalar::Int32,
        Kind::U8 => Scalar::UInt8,
    };
    let mut bytes = Vec::new();
    column.encode(&mut bytes);
    Array { name: name.into(), width, scalar, bytes }
}

/// The fields below a prefix, with their short names.
fn fields<'a>(run: &'a Run, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Field)> {
    run.header().fields.iter().filter_map(move |f| Some((f.name.strip_prefix(prefix)?.strip_prefix('/')?, f)))
}

fn bodies(run: &Run, frame: usize) -> Result<PolyData, Error> {
    let (header, d) = (run.header(), run.header().dimension);
    let position = numbers(run, frame, "bodies/position", d)?;
    let orientation = match header.position("bodies/orientation") {
        Some(_) => numbers(run, frame, "bodies/orientation", if d == 2 { 1 } else { 4 })?,
        None => Vec::new(),
    };
    let count = position.len() / d;
    let mut data = PolyData { time: Some(run.times()[frame]), ..PolyData::default() };
    // VTK counts cells by kind: vertices, then lines, then polygons.
    let mut owners: [Vec<&BodyGeometry>; 3] = Default::default();
    for shape in header.geometry.iter().filter(|g| (g.body as usize) < count) {
        let (body, first) = (shape.body as usize, data.points.len() / 3);
        for point in shape.points() {
            let turned = rotate(orientation.get(body * (orientation.len() / count)..), d, point);
            let at = |i: usize| if i < d { position[body * d + i] } else { 0.0 };
            data.points.extend((0..3).map(|i| turned[i] + at(i)));
        }
        for polygon in shape.polygons() {
            data.push(polygon.iter().map(|&v| first + v as usize));
            owners[polygon.len().clamp(1, 3) - 1].push(shape);
        }
    }
    let owners: Vec<&BodyGeometry> = owners.concat();
    let mut materials: Vec<&str> = header.geometry.iter().map(|g| &*g.material).collect();
    materials.sort_unstable();
    materials.dedup();
    let material = |g: &&BodyGeometry| materials.binary_search(&&*g.material).unwrap_or(0) as i32;
    let own = |name: &str, data: Vec<i32>| Array::i32(name, 1, &data);
    data.cell_data.push(own("id", owners.iter().map(|g| g.body as i32).collect()));
    data.cell_data.push(own("material", owners.iter().map(material).collect()));
    for (name, field) in fields(run, "bodies").filter(|(_, f)| f.extent == Extent::Fixed(count)) {
        let (width, column) = padded(run, frame, field)?;
        let pick = |g: &BodyGeometry| g.body as usize * width..(g.body as usize + 1) * width;
        data.cell_data.push(array(name, width, &gathered(&column, owners.iter().map(|g| pick(g)))));
    }
    Ok(data)
}

/// VTK's number of a cell by its nodes and the dimension of space.
fn cell_kind(nodes: usize, d: usize) -> Option<u8> {
    match (d, nodes) {
        (_, 1) => Some(1),
        (_, 2) => Some(3),
        (2, 3) => Some(5),
        (2, 4) => Some(9),
        (2, 6) => Some(22),
        (2, 8) => Some(23),
        (3, 4) => Some(10),
        (3, 8) => Some(12),
        (3, 10) => Some(24),
        _ => None,
    }
}

/// Deformed meshes; the geometry of such a run holds nodes at rest and cells.
fn solids(run: &Run, frame: usize) -> Result<Grid, Error> {
    let (header, d) = (run.header(), run.header().dimension);
    let displacement = numbers(run, frame, "nodes/displacement", d)?;
    let mut grid = Grid { time: Some(run.times()[frame]), ..Grid::default() };
    let (mut part, mut owners) = (Vec::new(), Vec::new());
    // Among rigid bodies, solids come after them.
    let bodies = match header.fields.iter().find(|f| f.name == "bodies/position").map(|f| &f.extent) {
        Some(Extent::Fixed(count)) => *count,
        _ => 0,
    };
    for shape in header.geometry.iter().filter(|g| g.body as usize >= bodies) {
        let first = grid.points.len() / 3;
        for (i, point) in shape.points().enumerate() {
            let at = |k: usize| if k < d { displacement.get(d * (first + i) + k).copied().unwrap_or(0.0) } else { 0.0 };
            grid.points.extend((0..3).map(|k| point[k] + at(k)));
            part.push(shape.body as i32);
        }
        for cell in shape.polygons() {
            let Some(kind) = cell_kind(cell.len(), d) else {
                let reason = format!("no cell of dimension {d} has {} nodes", cell.len());
                return Err(Error::Header { name: shape.name.to_string(), reason });
            };
            grid.push(kind, cell.iter().map(|n| first + *n as usize));
            owners.push(shape.body as i32);
        }
    }
    let count = grid.points.len() / 3;
    grid.cell_data.push(Array::i32("solid", 1, &owners));
    grid.point_data.push(Array::i32("solid", 1, &part));
    for (name, field) in fields(run, "nodes").filter(|(_, f)| f.extent == Extent::Fixed(count)) {
        let (width, column) = padded(run, frame, field)?;
        grid.point_data.push(array(name, width, &column));
    }
    Ok(grid)
}

fn contacts(run: &Run, frame: usize) -> Result<PolyData, Error> {
    let d = run.header().dimension;
    let points = numbers(run, frame, "contacts/point", d)?;
    let mut data = PolyData { time: Some(run.times()[frame]), ..PolyData::default() };
    for (i, point) in points.chunks_exact(d).enumerate() {
        data.points.extend([point[0], point[1], if d == 3 { point[2] } else { 0.0 }]);
        data.push(std::iter::once(i));
    }
    let count = points.len() / d;
    for (name, field) in fields(run, "contacts").filter(|(name, _)| *name != "point") {
        let (width, column) = padded(run, frame, field)?;
        if column.len() == count * width {
            data.point_data.push(array(name, width, &column));
        }
    }
    Ok(data)
}

/// A field of 64-bit numbers of the width expected.
fn numbers(run: &Run, frame: usize, name: &str, width: usize) -> Result<Vec<f64>, Error> {
    let column = run.read(frame, name)?;
    let found = run.header().fields.iter().find(|f| f.name == name).map_or(0, |f| f.width);
    if found != width {
        return Err(Error::Length { field: name.into(), expected: width, found });
    }
    match column {
        Column::F64(numbers) => Ok(numbers),
        other => Err(Error::Kind { field: name.into(), expected: Kind::F64.name(), found: other.kind().name() }),
    }
}

/// A column, with a zero third component for vectors of the plane.
fn padded(run: &Run, frame: usize, field: &Field) -> Result<(usize, Column), Error> {
    match run.read(frame, &field.name)? {
        Column::F64(v) if field.width == 2 && run.header().dimension == 2 => {
            Ok((3, Column::F64(v.chunks_exact(2).flat_map(|p| [p[0], p[1], 0.0]).collect())))
        }
        column => Ok((field.width, column)),
    }
}

fn gathered(column: &Column, ranges: impl Iterator<Item = std::ops::Range<usize>>) -> Column {
    let size = column.kind().bytes();
    let (mut bytes, mut picked) = (Vec::new(), Vec::new());
    column.encode(&mut bytes);
    for range in ranges {
        picked.extend_from_slice(bytes.get(range.start * size..range.end * size).unwrap_or(&[]));
    }
    Column::decode(column.kind(), &picked)
}

/// Turns a point by an angle (plane) or a unit quaternion w, x, y, z:
///
/// ```text
/// p' = p + 2 w (q × p) + 2 q × (q × p)
/// ```
fn rotate(orientation: Option<&[f64]>, d: usize, p: [f64; 3]) -> [f64; 3] {
    match (orientation, d) {
        (Some([angle, ..]), 2) => {
            let (s, c) = angle.sin_cos();
            [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]]
        }
        (Some([w, x, y, z, ..]), 3) => {
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let q = [*x, *y, *z];
            let t = cross(q, p);
            let u = cross(q, t);
            [0, 1, 2].map(|i| p[i] + 2.0 * w * t[i] + 2.0 * u[i])
        }
        _ => p,
    }
}

#[cfg(test)]
mod tests {
    use super::rotate;

    /// A quarter turn takes x to y, in the plane and about z in space. Closed form.
    #[test]
    fn a_quarter_turn_takes_x_to_y() {
        let h = std::f64::consts::FRAC_1_SQRT_2;
        for (orientation, d) in [(vec![std::f64::consts::FRAC_PI_2], 2), (vec![h, 0.0, 0.0, h], 3)] {
            let turned = rotate(Some(&orientation), d, [1.0, 0.0, 0.25]);
            for (found, expected) in turned.iter().zip([0.0, 1.0, 0.25]) {
                assert!((found - expected).abs() < 4.0 * f64::EPSILON, "{d}: {turned:?}");
            }
        }
    }
}
