//! Frames, on disk or in memory, and what the page asks of them.

use crate::Error;
use crate::pack::Pack;
use delassus_record::{BodyGeometry, Column, Extent, Frame, Header, Outline, Run};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Frames that can be shown one by one.
pub trait Film {
    /// What does not change.
    fn header(&self) -> &Header;
    /// Time of each frame \[s\].
    fn times(&self) -> Vec<f64>;
    /// Step of each frame.
    fn steps(&self) -> Vec<u64>;
    /// One field of one frame.
    fn column(&self, frame: usize, field: &str) -> Result<Column, Error>;
    /// One item of a field of one frame.
    fn item(&self, frame: usize, field: &str, item: usize) -> Result<Column, Error>;
    /// One number, or one item, of each frame, one after the other.
    fn series(&self, field: &str) -> Result<Column, Error>;
    /// A whole frame, compared with its hash where there is one.
    fn frame(&self, frame: usize) -> Result<Frame, Error>;
}

impl Film for Run {
    fn header(&self) -> &Header {
        Run::header(self)
    }

    fn times(&self) -> Vec<f64> {
        Run::times(self).to_vec()
    }

    fn steps(&self) -> Vec<u64> {
        Run::steps(self).to_vec()
    }

    fn column(&self, frame: usize, field: &str) -> Result<Column, Error> {
        Ok(self.read(frame, field)?)
    }

    fn item(&self, frame: usize, field: &str, item: usize) -> Result<Column, Error> {
        Ok(self.read_item(frame, field, item)?)
    }

    fn series(&self, field: &str) -> Result<Column, Error> {
        Ok(Run::series(self, field)?)
    }

    fn frame(&self, frame: usize) -> Result<Frame, Error> {
        Ok(self.read_frame(frame)?)
    }
}

/// Frames that are kept in memory.
#[derive(Debug)]
pub struct Memory {
    /// What does not change.
    pub header: Header,
    /// The frames.
    pub frames: Vec<Frame>,
}

impl Memory {
    fn at(&self, frame: usize, field: &str) -> Result<(&Column, usize), Error> {
        let i = self.header.position(field).ok_or_else(|| Error::NoField(field.into()))?;
        let kept = self.frames.get(frame).ok_or(Error::NoFrame { frame, frames: self.frames.len() })?;
        Ok((&kept.columns[i], self.header.fields[i].width))
    }
}

impl Film for Memory {
    fn header(&self) -> &Header {
        &self.header
    }

    fn times(&self) -> Vec<f64> {
        self.frames.iter().map(|f| f.time).collect()
    }

    fn steps(&self) -> Vec<u64> {
        self.frames.iter().map(|f| f.step).collect()
    }

    fn column(&self, frame: usize, field: &str) -> Result<Column, Error> {
        Ok(self.at(frame, field)?.0.clone())
    }

    fn item(&self, frame: usize, field: &str, item: usize) -> Result<Column, Error> {
        let (column, width) = self.at(frame, field)?;
        let numbers: Vec<f64> = numbers(column).skip(width.saturating_mul(item)).take(width).collect();
        if numbers.len() == width { Ok(Column::F64(numbers)) } else { Err(Error::NoItem { field: field.into(), item }) }
    }

    fn series(&self, field: &str) -> Result<Column, Error> {
        let mut all = vec![];
        for frame in 0..self.frames.len() {
            all.extend(numbers(self.at(frame, field)?.0));
        }
        Ok(Column::F64(all))
    }

    fn frame(&self, frame: usize) -> Result<Frame, Error> {
        self.frames.get(frame).cloned().ok_or(Error::NoFrame { frame, frames: self.frames.len() })
    }
}

/// The numbers of a column, whatever their type.
pub fn numbers(column: &Column) -> Box<dyn Iterator<Item = f64> + '_> {
    match column {
        Column::F64(v) => Box::new(v.iter().copied()),
        Column::F32(v) => Box::new(v.iter().map(|x| f64::from(*x))),
        Column::U64(v) => Box::new(v.iter().map(|x| *x as f64)),
        Column::U32(v) => Box::new(v.iter().map(|x| f64::from(*x))),
        Column::I32(v) => Box::new(v.iter().map(|x| f64::from(*x))),
        Column::U8(v) => Box::new(v.iter().map(|x| f64::from(*x))),
    }
}

/// What the page needs to know before the first frame: names, times, fields.
pub fn meta(film: &dyn Film) -> Value {
    let header = film.header();
    let mut names: Vec<String> = vec![];
    for shape in &header.geometry {
        let body = shape.body as usize;
        if names.len() <= body {
            names.resize(body + 1, String::new());
        }
        names[body] = shape.name.to_string();
    }
    json!({
        "title": header.title,
        "program": header.program,
        "dimension": header.dimension,
        "overrides": header.overrides,
        "scene": header.scene,
        "fields": header.fields,
        "names": names,
        "times": film.times(),
        "steps": film.steps(),
    })
}

/// The shapes: outlines once each, then which body carries which, and how large.
///
/// Inner faces of meshes of volumes are left out; cells with nodes on their edges become polygons of their corners.
pub fn geometry(header: &Header) -> Vec<u8> {
    let mut pack = Pack::new();
    let (mut known, mut outlines): (HashMap<*const Outline, u32>, Vec<&Outline>) = (HashMap::new(), vec![]);
    let mut materials: Vec<Arc<str>> = vec![];
    let mut shapes: Vec<u32> = vec![];
    let nodes = header.fields.iter().find(|f| f.name == "nodes/displacement");
    let nodes = nodes.map_or(0, |f| if let Extent::Fixed(n) = f.extent { n } else { 0 });
    // Shapes of solids come last, and their points are the nodes, one after the other.
    let mut first = header.geometry.len();
    let mut points = 0;
    while points < nodes && first > 0 {
        first -= 1;
        points += header.geometry[first].len();
    }
    let solids = if points == nodes { first } else { header.geometry.len() };
    for shape in &header.geometry {
        let outline = *known.entry(Arc::as_ptr(&shape.outline)).or_insert_with(|| {
            outlines.push(&shape.outline);
            outlines.len() as u32 - 1
        });
        let material = materials.iter().position(|m| *m == shape.material).unwrap_or_else(|| {
            materials.push(shape.material.clone());
            materials.len() - 1
        });
        shapes.extend([shape.body, outline, material as u32]);
    }
    let cut: Vec<Vec<Vec<u32>>> = outlines.iter().map(|o| faces(o, header.dimension)).collect();
    let counts = |f: &dyn Fn(usize) -> usize| Column::U32((0..outlines.len()).map(|i| f(i) as u32).collect());
    pack.exact("shapes", 3, &Column::U32(shapes));
    pack.singles("scales", 1, header.geometry.iter().map(|g: &BodyGeometry| g.scale));
    pack.exact("outline_points", 1, &counts(&|i| outlines[i].points.len()));
    pack.exact("outline_polygons", 1, &counts(&|i| cut[i].len()));
    let places: Vec<f64> = outlines.iter().flat_map(|o| o.points.iter().flatten().copied()).collect();
    pack.singles("points", 3, places.into_iter());
    pack.exact("sizes", 1, &Column::U32(cut.iter().flatten().map(|p| p.len() as u32).collect()));
    pack.exact("vertices", 1, &Column::U32(cut.iter().flatten().flatten().copied().collect()));
    pack.tell("materials", materials.iter().map(|m| m.to_string()).collect::<Vec<_>>());
    pack.tell("solids", solids);
    pack.finish()
}

/// Corners around a cell of the plane, by the number of its nodes, in VTK's order; `None` where they are in order.
fn around(nodes: usize) -> Option<&'static [usize]> {
    match nodes {
        6 => Some(&[0, 3, 1, 4, 2, 5]),
        8 | 9 => Some(&[0, 4, 1, 5, 2, 6, 3, 7]),
        _ => None,
    }
}

/// Faces of a cell of space, by the number of its nodes, in VTK's order.
fn sides(nodes: usize) -> &'static [&'static [usize]] {
    const TETRAHEDRON: &[&[usize]] = &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]];
    const HEXAHEDRON: &[&[usize]] =
        &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
    match nodes {
        4 | 10 => TETRAHEDRON,
        8 | 20 | 27 => HEXAHEDRON,
        _ => &[],
    }
}

/// The polygons of an outline as the page draws them.
fn faces(outline: &Outline, dimension: usize) -> Vec<Vec<u32>> {
    if dimension == 2 || !is_volume(outline) {
        let flat = |cell: &Vec<u32>| match around(cell.len()).filter(|_| dimension == 2 && is_mesh(outline)) {
            Some(order) => order.iter().map(|i| cell[*i]).collect(),
            None => cell.clone(),
        };
        return outline.polygons.iter().map(flat).collect();
    }
    let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut all: Vec<Option<Vec<u32>>> = vec![];
    for cell in &outline.polygons {
        for side in sides(cell.len()) {
            let face: Vec<u32> = side.iter().map(|i| cell[*i]).collect();
            let mut key = face.clone();
            key.sort_unstable();
            match seen.remove(&key) {
                // Met from both sides: inside.
                Some(other) => all[other] = None,
                None => {
                    seen.insert(key, all.len());
                    all.push(Some(face));
                }
            }
        }
    }
    all.into_iter().flatten().collect()
}

/// Whether polygons are cells of a volume: by the nodes that faces of surfaces do not have, or because they share no plane.
fn is_volume(outline: &Outline) -> bool {
    let Some(first) = outline.polygons.first() else { return false };
    if outline.polygons.iter().any(|p| p.len() != first.len()) || sides(first.len()).is_empty() {
        return false;
    }
    outline.polygons.iter().take(8).all(|p| !is_flat(outline, p))
}

/// Whether the polygons share points, as cells do, and are many.
fn is_mesh(outline: &Outline) -> bool {
    outline.polygons.len() > 1 || outline.polygons.first().is_some_and(|p| p.len() > 4 && !is_round(outline))
}

/// Whether the points of the only polygon follow each other around it.
fn is_round(outline: &Outline) -> bool {
    let Some(polygon) = outline.polygons.first() else { return false };
    let at = |i: usize| outline.points[polygon[i % polygon.len()] as usize];
    let side = |i: usize| {
        let ([a, b], c) = ([at(i), at(i + 1)], at(i + 2));
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    (0..polygon.len()).all(|i| side(i) >= 0.0)
}

fn is_flat(outline: &Outline, polygon: &[u32]) -> bool {
    let at = |i: usize| outline.points[polygon[i] as usize];
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let [u, v] = [minus(at(1), at(0)), minus(at(2), at(0))];
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let far = |i: usize| {
        let w = minus(at(i), at(0));
        dot(n, w).abs() / (dot(n, n) * dot(w, w)).sqrt().max(f64::MIN_POSITIVE)
    };
    (3..polygon.len()).all(|i| far(i) < 1e-6)
}

/// Fields of one frame, for pictures.
pub fn frame(film: &dyn Film, frame: usize, fields: &[&str]) -> Result<Vec<u8>, Error> {
    let mut pack = Pack::new();
    pack.tell("frame", frame);
    for (i, name) in fields.iter().enumerate() {
        // Answers are never larger than a frame.
        if fields[..i].contains(name) {
            return Err(Error::Asked { key: "fields", value: (*name).into(), expected: "every field once" });
        }
        let width = width(film.header(), name)?;
        pack.rounded(name, width, &film.column(frame, name)?);
    }
    Ok(pack.finish())
}

/// A series against time, in full precision.
pub fn series(film: &dyn Film, name: &str) -> Result<Vec<u8>, Error> {
    let i = film.header().position(name).ok_or_else(|| Error::NoField(name.into()))?;
    let field = &film.header().fields[i];
    if field.extent != Extent::Scalar {
        return Err(Error::Asked { key: "name", value: name.into(), expected: "a field with one item in each frame" });
    }
    let mut pack = Pack::new();
    pack.exact("values", field.width, &film.series(name)?);
    Ok(pack.finish())
}

/// Frames of which a history is made: all, or evenly many.
pub(crate) fn sampled(frames: usize, most: usize) -> Vec<usize> {
    let count = frames.min(most.max(2));
    (0..count).map(|i| if count < 2 { 0 } else { i * (frames - 1) / (count - 1) }).collect()
}

/// One item of a field against time.
pub fn history(film: &dyn Film, name: &str, item: usize, most: usize) -> Result<Vec<u8>, Error> {
    let width = width(film.header(), name)?;
    let (frames, mut all) = (sampled(film.times().len(), most), vec![]);
    for frame in &frames {
        all.extend(numbers(&film.item(*frame, name, item)?));
    }
    let mut pack = Pack::new();
    pack.exact("frames", 1, &Column::U32(frames.iter().map(|f| *f as u32).collect()));
    pack.exact("values", width, &Column::F64(all));
    Ok(pack.finish())
}

/// Every number of one item of a group, exactly as recorded, from a frame that agrees with its hash.
pub fn values(film: &dyn Film, frame: usize, group: &str, item: usize) -> Result<Value, Error> {
    let (header, read) = (film.header(), film.frame(frame)?);
    let mut out = serde_json::Map::new();
    for (field, column) in header.fields.iter().zip(&read.columns) {
        let Some(name) = field.name.strip_prefix(group).and_then(|n| n.strip_prefix('/')) else { continue };
        if field.extent == Extent::Scalar || name.contains('/') {
            continue;
        }
        let mine: Vec<f64> = numbers(column).skip(field.width.saturating_mul(item)).take(field.width).collect();
        if mine.len() < field.width {
            return Err(Error::NoItem { field: field.name.clone(), item });
        }
        out.insert(name.into(), json!({ "values": mine, "unit": field.unit, "about": field.about }));
    }
    if out.is_empty() {
        return Err(Error::Asked {
            key: "group",
            value: group.into(),
            expected: "a group of fields, as 'bodies' or 'contacts'",
        });
    }
    Ok(Value::Object(out))
}

fn width(header: &Header, name: &str) -> Result<usize, Error> {
    let i = header.position(name).ok_or_else(|| Error::NoField(name.into()))?;
    Ok(header.fields[i].width)
}
