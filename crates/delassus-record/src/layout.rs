//! Layout of the HDF5 file: which datasets, in what chunks, and the header.
//!
//! Every field is one dataset of rank 1, because that is what can be grown in place and crash-safely. Its element is a
//! whole frame where all frames have as many items, an array type of `n × width` numbers, which h5py shows as
//! `(frames, n, width)`; else one item, of `width` numbers. Up to version 3 it was always one item.
//!
//! ```text
//! bodies/position    (frames) elements of n × 3 float64 frame k: row k
//! contacts/gap       ragged                             frame k: first, count = frames/contacts[k]
//! energy/kinetic     (frames)                           frame k: row k
//! frames/step, frames/hash, frames/<group>, frames/time
//! ```
//!
//! `frames/time` is appended last: its length is the number of complete frames.

use hdf5_pure::{AttrValue, DatasetBuilder, Datatype, FileBuilder, GroupBuilder, MaxExtent};
use serde::{Deserialize, Serialize};

use crate::constant::{self, Constant};
use crate::field::{BodyGeometry, Extent, Field, Header, KeptFile, Kind, Outline};
use std::collections::HashMap;
use std::sync::Arc;

/// Root attribute `format`.
pub(crate) const FORMAT: &str = "delassus-run";
/// Root attribute `version`. Runs of version 1 have no hash of their header and keep no files; up to version 2 every
/// shape has an outline of its own; up to version 3 an element of a fixed field is one item of it, and there are no
/// constants.
pub(crate) const VERSION: u64 = 4;
/// Bytes that make a block of frames worth a visit to the HDF5 file.
const BLOCK_BYTES: usize = 8 << 20;
/// Bytes of a chunk: what one compressed piece holds, and what reading one number costs.
const CHUNK_BYTES: usize = 128 << 10;

/// One dataset.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub path: String,
    pub kind: Kind,
    pub width: usize,
    /// Items of an element; `None` for one, without an axis of its own.
    pub items: Option<usize>,
    pub chunk: u64,
    attributes: Vec<(&'static str, String)>,
}

impl Set {
    pub fn datatype(&self) -> Datatype {
        let mut dimensions: Vec<u32> = self.items.iter().map(|n| *n as u32).collect();
        dimensions.extend((self.width > 1).then_some(self.width as u32));
        match number_type(self.kind) {
            base if dimensions.is_empty() => base,
            base => Datatype::Array { base_type: Box::new(base), dimensions },
        }
    }

    /// Bytes of an element.
    pub fn row_bytes(&self) -> usize {
        self.items.unwrap_or(1) * self.width * self.kind.bytes()
    }

    fn configure(&self, builder: &mut DatasetBuilder, level: u32) {
        builder.with_raw_data(self.datatype(), Vec::new(), 0).with_shape(&[0]);
        builder.with_maxshape(&[MaxExtent::Unlimited]).with_chunks(&[self.chunk]);
        if level > 0 {
            builder.with_shuffle().with_deflate(level);
        } else {
            // Deflate carries its own checksum; plain chunks need one.
            builder.with_fletcher32();
        }
        // Fixed length: each variable-length text would cost a heap of 4 KiB.
        for (name, value) in self.attributes.iter().filter(|(_, value)| !value.is_empty()) {
            builder.set_attr(name, AttrValue::String(value.clone()));
        }
    }
}

/// Numbers in the file.
pub(crate) fn number_type(kind: Kind) -> Datatype {
    match kind {
        Kind::F64 => hdf5_pure::make_f64_type(),
        Kind::F32 => hdf5_pure::make_f32_type(),
        Kind::U64 => hdf5_pure::make_u64_type(),
        Kind::U32 => hdf5_pure::make_u32_type(),
        Kind::I32 => hdf5_pure::make_i32_type(),
        Kind::U8 => hdf5_pure::make_u8_type(),
    }
}

/// All datasets that grow: first the fields in order, then the index of frames.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub sets: Vec<Set>,
    /// Frames per block, a power of two; chunks of fixed fields divide it.
    pub block: usize,
}

impl Layout {
    /// Of a version of the format.
    pub fn new(header: &Header, version: u64) -> Self {
        let bodies = |f: &Field| if let Extent::Fixed(n) = f.extent { n } else { 0 };
        let rows = 2 * header.fields.iter().map(bodies).max().unwrap_or(0).max(4);
        let block = floor_power(BLOCK_BYTES / (header.frame_bytes(rows) + 64)).min(1024);
        let mut sets: Vec<Set> = header.fields.iter().map(|f| field_set(f, block, version)).collect();
        let index = |path: String, kind, width, about: &str| Set {
            path,
            kind,
            width,
            items: None,
            chunk: block as u64,
            attributes: vec![("about", about.to_owned())],
        };
        sets.push(index("frames/step".into(), Kind::U64, 1, "number of the step"));
        sets.push(index("frames/hash".into(), Kind::U8, 32, "BLAKE3 of the frame's record"));
        for group in header.groups() {
            sets.push(index(format!("frames/{group}"), Kind::U64, 2, "first row and number of rows"));
        }
        sets.push(index(
            "frames/time".into(),
            Kind::F64,
            1,
            "time [s]; written last: its length is the number of frames",
        ));
        Self { sets, block }
    }

    /// The file without frames.
    pub fn skeleton(&self, header: &Header, level: u32, generation: u64) -> Result<Vec<u8>, hdf5_pure::Error> {
        let mut builder = FileBuilder::new();
        let mut text = |name: &str, value: String| {
            builder.set_attr(name, AttrValue::VarLenString(value));
        };
        text("format", FORMAT.into());
        text("title", header.title.clone());
        text("program", header.program.clone());
        text("scene", header.scene.clone());
        text("header", described(header));
        text("hash", header_hash(header, generation));
        for (name, value) in [("version", VERSION), ("generation", generation), ("dimension", header.dimension as u64)]
        {
            builder.set_attr(name, AttrValue::U64(value));
        }
        let mut groups: Vec<&str> = Vec::new();
        for set in &self.sets {
            match set.path.split_once('/') {
                None => set.configure(builder.create_dataset(&set.path), level),
                Some((group, _)) if !groups.contains(&group) => groups.push(group),
                Some(_) => {}
            }
        }
        for name in groups {
            let mut group = builder.create_group(name);
            self.fill(&mut group, name, level);
            builder.add_group(group.finish());
        }
        if let Some(group) = geometry_group(&mut builder, &header.geometry) {
            builder.add_group(group.finish());
        }
        if let Some(group) = constant::group(&mut builder, &header.constants)? {
            builder.add_group(group.finish());
        }
        if let Some(group) = file_group(&mut builder, &header.files) {
            builder.add_group(group.finish());
        }
        builder.finish()
    }

    /// Datasets and groups below `path`.
    fn fill(&self, group: &mut GroupBuilder, path: &str, level: u32) {
        let mut inner: Vec<&str> = Vec::new();
        for set in &self.sets {
            let Some(rest) = set.path.strip_prefix(path).and_then(|r| r.strip_prefix('/')) else { continue };
            match rest.split_once('/') {
                None => set.configure(group.create_dataset(rest), level),
                Some((name, _)) if !inner.contains(&name) => inner.push(name),
                Some(_) => {}
            }
        }
        for name in inner {
            let mut child = group.create_group(name);
            self.fill(&mut child, &format!("{path}/{name}"), level);
            group.add_group(child.finish());
        }
    }
}

fn floor_power(n: usize) -> usize {
    if n == 0 { 1 } else { 1 << n.ilog2() }
}

/// Items of an element of a field.
fn whole_frames(field: &Field, version: u64) -> Option<usize> {
    match field.extent {
        // An element of no bytes is none; with no items there is nothing to show.
        Extent::Fixed(n) if n > 0 && version > 3 => Some(n),
        _ => None,
    }
}

fn field_set(field: &Field, block: usize, version: u64) -> Set {
    let fit = CHUNK_BYTES / field.item_bytes();
    let whole = whole_frames(field, version);
    let (chunk, items) = match &field.extent {
        // Four at least, if they come in a block: bytes are shuffled across the frames of a chunk.
        Extent::Fixed(n) if whole.is_some() => (floor_power(fit / n).max(4).min(block), format!("{n} per frame")),
        // Whole frames per chunk, a power of two that divides the block: no chunk is
        // ever rewritten. Frames of more than a megabyte are cut.
        Extent::Fixed(n) if n * field.item_bytes() <= 8 * CHUNK_BYTES => {
            (n * floor_power(fit / (*n).max(1)).min(block), format!("{n} per frame"))
        }
        Extent::Fixed(n) => (floor_power(fit), format!("{n} per frame")),
        // A block ends anywhere in a chunk, which the next block then writes again: small
        // chunks waste little.
        Extent::Ragged(group) => (floor_power(fit / 4).min(4096), format!("frames/{group}")),
        Extent::Scalar => (floor_power(fit).min(block), "1 per frame".into()),
    };
    let attributes = vec![("unit", field.unit.clone()), ("about", field.about.clone()), ("items", items)];
    let (path, chunk) = (field.name.clone(), chunk.max(1) as u64);
    Set { path, kind: field.kind, width: field.width, items: whole, chunk, attributes }
}

/// The header as JSON, without the scene and the coordinates of the geometry.
#[derive(Serialize, Deserialize)]
pub(crate) struct Described {
    pub overrides: Vec<String>,
    pub fields: Vec<Field>,
    pub attributes: std::collections::BTreeMap<String, String>,
    pub geometry: Vec<Shape>,
    /// Tables that do not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<constant::Described>,
    /// Names and lengths of the files that are kept.
    #[serde(default)]
    pub files: Vec<(String, usize)>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Shape {
    pub name: String,
    pub body: u32,
    pub material: String,
    /// Of its own outline; none where it has that of an earlier shape.
    pub points: usize,
    pub polygons: usize,
    /// The shape whose outline it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<usize>,
}

/// Each shape, and the earlier one that holds its outline.
fn shared(shapes: &[BodyGeometry]) -> impl Iterator<Item = (&BodyGeometry, Option<usize>)> {
    let mut first = HashMap::new();
    shapes.iter().enumerate().map(move |(i, g)| {
        let holder = *first.entry(Arc::as_ptr(&g.outline)).or_insert(i);
        (g, (holder < i).then_some(holder))
    })
}

/// Outlines, each once.
fn outlines(shapes: &[BodyGeometry]) -> impl Iterator<Item = &Outline> {
    shared(shapes).filter(|(_, like)| like.is_none()).map(|(g, _)| &*g.outline)
}

fn described(header: &Header) -> String {
    let shape = |(g, like): (&BodyGeometry, Option<usize>)| Shape {
        name: g.name.to_string(),
        body: g.body,
        material: g.material.to_string(),
        points: if like.is_none() { g.len() } else { 0 },
        polygons: if like.is_none() { g.polygons().len() } else { 0 },
        like,
    };
    let described = Described {
        overrides: header.overrides.clone(),
        fields: header.fields.clone(),
        attributes: header.attributes.clone(),
        geometry: shared(&header.geometry).map(shape).collect(),
        constants: header.constants.iter().map(constant::Described::new).collect(),
        files: header.files.iter().map(|f| (f.name.clone(), f.bytes.len())).collect(),
    };
    serde_json::to_string_pretty(&described).expect("strings and integers always serialise")
}

/// Points, polygon sizes and vertices of all outlines, one after the other, and the scales of the shapes.
fn geometry_group(builder: &mut FileBuilder, shapes: &[BodyGeometry]) -> Option<GroupBuilder> {
    let points: Vec<u8> =
        outlines(shapes).flat_map(|o| o.points.iter().flatten()).flat_map(|x| x.to_le_bytes()).collect();
    let polygons = || outlines(shapes).flat_map(|o| &o.polygons);
    let scales: Vec<f64> = shapes.iter().map(|g| g.scale).collect();
    let sizes: Vec<u32> = polygons().map(|p| p.len() as u32).collect();
    let vertices: Vec<u32> = polygons().flatten().copied().collect();
    if points.is_empty() || sizes.is_empty() {
        return None;
    }
    let mut group = builder.create_group("geometry");
    let set = Set { path: String::new(), kind: Kind::F64, width: 3, items: None, chunk: 1, attributes: Vec::new() };
    let count = points.len() / 24;
    let mut add = |name: &str, about: &str, data: &mut dyn FnMut(&mut DatasetBuilder)| {
        let builder = group.create_dataset(name);
        data(builder);
        builder.set_attr("about", AttrValue::String(about.into()));
    };
    let mut bytes = Some(points);
    add("points", "vertices [m] in the frame of the body, before the scale of the shape", &mut |b| {
        b.with_raw_data(set.datatype(), bytes.take().unwrap_or_default(), count as u64);
    });
    add("sizes", "vertices per polygon", &mut |b| {
        b.with_u32_data(&sizes);
    });
    add("vertices", "vertex indices, from 0 in each outline", &mut |b| {
        b.with_u32_data(&vertices);
    });
    add("scales", "of each shape: by which the points of its outline are multiplied", &mut |b| {
        b.with_f64_data(&scales);
    });
    Some(group)
}

/// The kept files, one after the other.
fn file_group(builder: &mut FileBuilder, files: &[KeptFile]) -> Option<GroupBuilder> {
    let bytes: Vec<u8> = files.iter().flat_map(|f| f.bytes.iter().copied()).collect();
    if bytes.is_empty() {
        return None;
    }
    let mut group = builder.create_group("files");
    let data = group.create_dataset("bytes");
    data.with_u8_data(&bytes).with_chunks(&[CHUNK_BYTES.min(bytes.len()) as u64]).with_deflate(1);
    data.set_attr("about", AttrValue::String("files that the scene reads, one after the other".into()));
    Some(group)
}

/// Takes the files apart again; `None` if they contradict the description.
pub(crate) fn files(described: Vec<(String, usize)>, mut bytes: &[u8]) -> Option<Vec<KeptFile>> {
    let mut out = Vec::new();
    for (name, length) in described {
        let (mine, rest) = bytes.split_at_checked(length)?;
        bytes = rest;
        out.push(KeptFile { name, bytes: mine.into() });
    }
    bytes.is_empty().then_some(out)
}

/// Rebuilds the shapes from the flat arrays; `None` if they contradict the description.
pub(crate) fn shapes(
    described: Vec<Shape>,
    (mut points, scales): (&[f64], &[f64]),
    mut sizes: &[u32],
    mut vertices: &[u32],
) -> Option<Vec<BodyGeometry>> {
    if scales.len() != described.len() {
        return None;
    }
    let mut out: Vec<BodyGeometry> = Vec::with_capacity(described.len());
    let mut last: Arc<str> = "".into();
    for (shape, &scale) in described.into_iter().zip(scales) {
        if *shape.material != *last {
            last = shape.material.into();
        }
        let (name, body, material) = (shape.name, shape.body, last.clone());
        if let Some(like) = shape.like {
            let outline = out.get(like)?.outline.clone();
            out.push(BodyGeometry { name: name.into(), body, material, outline, scale });
            continue;
        }
        let (mine, rest) = points.split_at_checked(shape.points.checked_mul(3)?)?;
        points = rest;
        let (counts, rest) = sizes.split_at_checked(shape.polygons)?;
        sizes = rest;
        let mut polygons = Vec::with_capacity(counts.len());
        for &count in counts {
            let (polygon, rest) = vertices.split_at_checked(count as usize)?;
            vertices = rest;
            polygons.push(polygon.to_vec());
        }
        let points = mine.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        let outline = Arc::new(Outline { points, polygons });
        out.push(BodyGeometry { name: name.into(), body, material, outline, scale });
    }
    (points.is_empty() && sizes.is_empty() && vertices.is_empty()).then_some(out)
}

/// Ties a journal to one file: same header, same generation.
pub(crate) fn identity(header: &Header, generation: u64) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for text in [&header.title, &header.program, &header.scene, &described(header)] {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.update(&generation.to_le_bytes());
    hasher.finalize().into()
}

/// Of everything in the header: whatever is read back must give it again.
pub(crate) fn header_hash(header: &Header, generation: u64) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&identity(header, generation)).update(&(header.dimension as u64).to_le_bytes());
    for shape in outlines(&header.geometry) {
        shape.points.iter().flatten().for_each(|x| {
            hasher.update(&x.to_bits().to_le_bytes());
        });
        for polygon in &shape.polygons {
            hasher.update(&(polygon.len() as u64).to_le_bytes());
            polygon.iter().for_each(|v| {
                hasher.update(&v.to_le_bytes());
            });
        }
    }
    // Runs of version 2 have no scales.
    header.geometry.iter().filter(|g| g.scale != 1.0).for_each(|g| {
        hasher.update(&g.scale.to_bits().to_le_bytes());
    });
    header.constants.iter().for_each(|c: &Constant| {
        hasher.update(&c.bytes());
    });
    header.files.iter().for_each(|file| {
        hasher.update(&file.bytes);
    });
    hasher.finalize().to_hex().to_string()
}
