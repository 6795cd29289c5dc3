//! What a run records: named fields of numbers, and the header that describes them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::constant::Constant;
use crate::error::Error;
use crate::frame::{Column, Frame};

/// Type of the numbers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// 64-bit floating point.
    F64,
    /// 32-bit floating point.
    F32,
    /// 64-bit unsigned integer.
    U64,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    I32,
    /// 8-bit unsigned integer.
    U8,
}

impl Kind {
    /// Bytes of one number.
    pub fn bytes(self) -> usize {
        match self {
            Self::F64 | Self::U64 => 8,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::U8 => 1,
        }
    }

    /// Name, as in numpy.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "float64",
            Self::F32 => "float32",
            Self::U64 => "uint64",
            Self::U32 => "uint32",
            Self::I32 => "int32",
            Self::U8 => "uint8",
        }
    }
}

/// How many items a field has in a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// The same number in every frame, for example one per body.
    Fixed(usize),
    /// A number that changes from frame to frame, shared by the fields of one group,
    /// for example `contacts`.
    Ragged(String),
    /// One item per frame: a time series.
    Scalar,
}

/// One named quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Path in the file, for example `bodies/position`.
    pub name: String,
    /// Type of the numbers.
    pub kind: Kind,
    /// Numbers per item.
    pub width: usize,
    /// Items per frame.
    pub extent: Extent,
    /// Unit, for example `m/s`; `1` if there is none.
    pub unit: String,
    /// One line for the reader of the file.
    pub about: String,
}

impl Field {
    /// A field with the unit `1` and no description.
    pub fn new(name: impl Into<String>, kind: Kind, width: usize, extent: Extent) -> Self {
        Self { name: name.into(), kind, width, extent, unit: "1".into(), about: String::new() }
    }

    /// The same with a unit and a description.
    #[must_use]
    pub fn with(mut self, unit: impl Into<String>, about: impl Into<String>) -> Self {
        (self.unit, self.about) = (unit.into(), about.into());
        self
    }

    /// How a component is written behind the name: `.x`, `.y`, `.z` of vectors, `.xy` of tensors, `.w` to `.z` of
    /// quaternions, numbers of anything else.
    pub fn component(&self, k: usize) -> String {
        const AXES: [&str; 3] = ["x", "y", "z"];
        let last = self.name.rsplit('/').next().unwrap_or_default();
        let tensor = ["stress", "strain", "fabric"].contains(&last);
        match self.width {
            1 => String::new(),
            2 | 3 if k < 3 => format!(".{}", AXES[k]),
            // By rows in space of two or three dimensions; half of it where it is symmetric.
            4 if tensor && k < 4 => format!(".{}{}", AXES[k / 2], AXES[k % 2]),
            6 if tensor && k < 6 => format!(".{}", ["xx", "yy", "zz", "xy", "yz", "zx"][k]),
            9 if tensor && k < 9 => format!(".{}{}", AXES[k / 3], AXES[k % 3]),
            4 if last == "orientation" && k < 4 => format!(".{}", ["w", "x", "y", "z"][k]),
            _ => format!(".{k}"),
        }
    }

    /// The component that is written so, with or without its dot, or by its number from 0.
    pub fn component_named(&self, text: &str) -> Option<usize> {
        let text = text.trim_start_matches('.');
        let named = (0..self.width).find(|k| self.component(*k).trim_start_matches('.') == text && !text.is_empty());
        named.or_else(|| text.parse().ok().filter(|k| *k < self.width))
    }

    /// Bytes of one item.
    pub fn item_bytes(&self) -> usize {
        self.width * self.kind.bytes()
    }
}

/// Points and polygons. A polygon of one vertex is a point, of two a line, of more a face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Vertices \[m\]; z = 0 in the plane.
    pub points: Vec<[f64; 3]>,
    /// Vertex indices of each polygon.
    pub polygons: Vec<Vec<u32>>,
}

/// Shape of one body in its own frame (centre of mass at the origin), for pictures. Shapes that differ by their size
/// alone, as balls do, share an outline.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyGeometry {
    /// Name shown to the user.
    pub name: Arc<str>,
    /// Index of the body that carries it.
    pub body: u32,
    /// Material, empty if there is none.
    pub material: Arc<str>,
    /// Its outline.
    pub outline: Arc<Outline>,
    /// By which the points of the outline are multiplied.
    pub scale: f64,
}

impl BodyGeometry {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.outline.points.len()
    }

    /// Whether it has no vertices.
    pub fn is_empty(&self) -> bool {
        self.outline.points.is_empty()
    }

    /// A vertex \[m\].
    pub fn point(&self, i: usize) -> [f64; 3] {
        self.outline.points[i].map(|x| self.scale * x)
    }

    /// Vertices \[m\]; z = 0 in the plane.
    pub fn points(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        (0..self.len()).map(|i| self.point(i))
    }

    /// Vertex indices of each polygon.
    pub fn polygons(&self) -> &[Vec<u32>] {
        &self.outline.polygons
    }
}

/// A file that the scene reads, kept whole: a run goes on wherever it is, and with the file it was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Its name in the scene.
    pub name: String,
    /// Its contents.
    pub bytes: Arc<[u8]>,
}

/// Everything that does not change during a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Title of the run.
    pub title: String,
    /// Text of the scene file as given.
    pub scene: String,
    /// Parameters changed on the command line, `key=value`.
    pub overrides: Vec<String>,
    /// Name and version of the program.
    pub program: String,
    /// 2 or 3.
    pub dimension: usize,
    /// What is recorded, in the order of the columns of a frame.
    pub fields: Vec<Field>,
    /// Shapes of the bodies.
    pub geometry: Vec<BodyGeometry>,
    /// Tables that do not change.
    pub constants: Vec<Constant>,
    /// Files that the scene reads.
    pub files: Vec<KeptFile>,
    /// Anything else.
    pub attributes: BTreeMap<String, String>,
}

impl Header {
    /// An empty header of dimension 2 or 3.
    pub fn new(title: impl Into<String>, dimension: usize) -> Self {
        let (title, program) = (title.into(), concat!("delassus ", env!("CARGO_PKG_VERSION")).to_owned());
        Self {
            title,
            program,
            dimension,
            scene: String::new(),
            overrides: Vec::new(),
            fields: Vec::new(),
            geometry: Vec::new(),
            constants: Vec::new(),
            files: Vec::new(),
            attributes: BTreeMap::new(),
        }
    }

    /// Index of a field, and of its column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }

    /// Names of the items of a field, in order; none where they have no names.
    pub fn item_names(&self, field: &str) -> Vec<&str> {
        let group = field.split('/').next().unwrap_or_default();
        if let Some(names) = self.constant(&format!("{group}/name")).and_then(Constant::strings) {
            return names.iter().map(|n| &**n).collect();
        }
        // Runs of earlier versions know them by their shapes.
        let shapes = self.geometry.iter().filter(|_| group == "bodies");
        let count = shapes.clone().map(|g| g.body as usize + 1).max().unwrap_or(0);
        let mut names = vec![""; count];
        shapes.for_each(|g| names[g.body as usize] = &g.name);
        names
    }

    /// A table that does not change, for example `bodies/mass`.
    pub fn constant(&self, name: &str) -> Option<&Constant> {
        self.constants.iter().find(|c| c.name == name)
    }

    /// Names of the ragged groups, in order of first appearance.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for field in &self.fields {
            match &field.extent {
                Extent::Ragged(group) if !groups.contains(&group.as_str()) => groups.push(group),
                _ => {}
            }
        }
        groups
    }

    /// A frame with one empty column of the right type per field.
    pub fn frame(&self) -> Frame {
        Frame { step: 0, time: 0.0, columns: self.fields.iter().map(|f| Column::new(f.kind)).collect() }
    }

    /// Bytes of one frame before compression, with `rows` items in every ragged group.
    pub fn frame_bytes(&self, rows: usize) -> usize {
        let items = |f: &Field| match f.extent {
            Extent::Fixed(n) => n,
            Extent::Ragged(_) => rows,
            Extent::Scalar => 1,
        };
        self.fields.iter().map(|f| items(f).saturating_mul(f.item_bytes())).fold(0, usize::saturating_add)
    }

    /// Checks names, widths and geometry.
    ///
    /// # Errors
    /// [`Error::Header`] names the first offending item.
    pub fn validate(&self) -> Result<(), Error> {
        let refuse = |name: &str, reason: String| Err(Error::Header { name: name.into(), reason });
        if !matches!(self.dimension, 2 | 3) {
            return refuse("dimension", format!("{} is neither 2 nor 3", self.dimension));
        }
        let mut names = HashSet::new();
        for field in &self.fields {
            check_field(field)?;
            if !names.insert(field.name.as_str()) {
                return refuse(&field.name, "given twice".into());
            }
        }
        for name in &names {
            let inside = names.iter().find(|n| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
            if let Some(inside) = inside {
                return refuse(name, format!("is also a group, of '{inside}'"));
            }
        }
        let mut names = HashSet::new();
        for constant in &self.constants {
            constant.check()?;
            if !names.insert(constant.name.as_str()) {
                return refuse(&constant.name, "given twice".into());
            }
        }
        let mut seen = HashSet::new();
        self.geometry.iter().try_for_each(|g| check_geometry(g, seen.insert(Arc::as_ptr(&g.outline))))
    }
}

/// Names that h5py and a file system can carry: letters, digits, `_`, `-`, `.`.
pub(crate) fn is_word(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
        && !word.trim_matches('.').is_empty()
}

fn check_field(field: &Field) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::Header { name: field.name.clone(), reason });
    if !field.name.split('/').all(is_word) {
        return refuse("names are words of letters, digits, '_', '-', '.' joined by '/'".into());
    }
    if ["frames", "geometry", "files", "model"].iter().any(|g| field.name.split('/').next() == Some(g)) {
        return refuse("'frames', 'geometry', 'files' and 'model' are reserved".into());
    }
    if !(1..=4096).contains(&field.width) {
        return refuse(format!("width {} is not in 1..=4096", field.width));
    }
    match &field.extent {
        Extent::Ragged(group) if !is_word(group) || ["step", "time", "hash"].contains(&group.as_str()) => {
            refuse(format!("'{group}' cannot name a ragged group"))
        }
        Extent::Fixed(n) if *n > u32::MAX as usize => refuse(format!("{n} items per frame are too many")),
        _ => Ok(()),
    }
}

/// Checks a shape; its outline only where it is `new`.
fn check_geometry(shape: &BodyGeometry, new: bool) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::Header { name: shape.name.to_string(), reason });
    if !(shape.scale > 0.0 && shape.scale.is_finite()) {
        return refuse(format!("its scale is {}", shape.scale));
    }
    if !new {
        return Ok(());
    }
    let Outline { points, polygons } = &*shape.outline;
    if polygons.is_empty() {
        return refuse("a shape needs at least one polygon".into());
    }
    if let Some(i) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        return refuse(format!("point {i} is {:?}", points[i]));
    }
    for (i, polygon) in polygons.iter().enumerate() {
        if polygon.is_empty() || polygon.iter().any(|&v| v as usize >= points.len()) {
            return refuse(format!("polygon {i} = {polygon:?} over {} points", points.len()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(fields: Vec<Field>) -> bool {
        let header = Header { fields, ..Header::new("t", 3) };
        matches!(header.validate(), Err(Error::Header { .. }))
    }

    #[test]
    fn names_that_would_collide_in_the_file_are_refused() {
        let f = |name: &str| Field::new(name, Kind::F64, 1, Extent::Scalar);
        assert!(!refused(vec![f("a/b"), f("a/c"), f("ab")]));
        for bad in ["", "a//b", "/a", "a b", "..", "frames/x", "geometry/x", "files/x", "model/x", "é"] {
            assert!(refused(vec![f(bad)]), "{bad}");
        }
        assert!(refused(vec![f("a"), f("a/b")]));
        assert!(refused(vec![f("a"), f("a")]));
        assert!(refused(vec![Field::new("a", Kind::F64, 0, Extent::Scalar)]));
        assert!(refused(vec![Field::new("a", Kind::F64, 1, Extent::Ragged("time".into()))]));
    }

    /// Components are called as in the conditions of scenes, and found by that name or their number.
    #[test]
    fn components_have_the_names_of_what_they_are() {
        let names = |name: &str, width| {
            let field = Field::new(name, Kind::F64, width, Extent::Scalar);
            (0..width)
                .for_each(|k| assert_eq!(field.component_named(&field.component(k)), Some(k).filter(|_| width > 1)));
            (0..width).map(|k| field.component(k)).collect::<String>()
        };
        assert_eq!(names("energy/kinetic", 1), "");
        assert_eq!(names("observe/a/force", 3), ".x.y.z");
        assert_eq!(names("observe/a/stress", 4), ".xx.xy.yx.yy");
        assert_eq!(names("observe/a/fabric", 9), ".xx.xy.xz.yx.yy.yz.zx.zy.zz");
        assert_eq!(names("nodes/stress", 6), ".xx.yy.zz.xy.yz.zx");
        assert_eq!(names("bodies/orientation", 4), ".w.x.y.z");
        assert_eq!(names("restart/memory", 4), ".0.1.2.3");
        let stress = Field::new("observe/a/stress", Kind::F64, 4, Extent::Scalar);
        assert_eq!(
            [stress.component_named("3"), stress.component_named("4"), stress.component_named("z")],
            [Some(3), None, None]
        );
    }

    #[test]
    fn geometry_must_be_finite_and_point_at_its_vertices() {
        let shape = |x: f64, v: u32| BodyGeometry {
            name: "g".into(),
            body: 0,
            material: "".into(),
            outline: Arc::new(Outline { points: vec![[x, 0.0, 0.0]], polygons: vec![vec![v]] }),
            scale: 1.0,
        };
        let check = |g| Header { geometry: vec![g], ..Header::new("t", 2) }.validate().is_ok();
        assert!(check(shape(0.0, 0)));
        assert!(!check(shape(f64::NAN, 0)));
        assert!(!check(shape(0.0, 1)));
        assert!(!check(BodyGeometry { scale: 0.0, ..shape(0.0, 0) }));
    }
}
