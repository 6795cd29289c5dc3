//! Gmsh's MSH files, versions 2 and 4.1, text and binary
//!
//! Layout: \[Geuzaine09\] and the reference manual of Gmsh, section "MSH file format".
//! Physical groups become groups of the mesh; one without a name is called after its
//! dimension and number, such as `curve 42`.

mod v2;
mod v4;
mod write;

use super::input::{Input, shown};
use super::read::{Draft, kinds_in_words};
use super::{CellKind, Mesh, MeshError};
use std::collections::{BTreeMap, HashMap};

/// What the sections share.
#[derive(Default)]
struct File {
    draft: Draft,
    /// Physical names by dimension and number.
    names: HashMap<(usize, i64), String>,
    /// Sets of cells by dimension and physical number.
    physical: BTreeMap<(usize, i64), Vec<super::CellRef>>,
    tags: Tags,
    has_nodes: bool,
    has_elements: bool,
}

/// From the file's numbers of nodes to ours.
#[derive(Default)]
enum Tags {
    /// One more than ours.
    #[default]
    Consecutive,
    /// Anything.
    Sparse(HashMap<u64, u32>),
}

impl Tags {
    fn new(tags: &[u64]) -> Result<Tags, u64> {
        if (1u64..).zip(tags).all(|(i, &t)| i == t) {
            return Ok(Tags::Consecutive);
        }
        let mut map = HashMap::with_capacity(tags.len());
        for (i, &tag) in tags.iter().enumerate() {
            if map.insert(tag, i as u32).is_some() {
                return Err(tag);
            }
        }
        Ok(Tags::Sparse(map))
    }

    fn find(&self, tag: u64, count: usize) -> Option<u32> {
        match self {
            Tags::Consecutive => (1..=count as u64).contains(&tag).then(|| (tag - 1) as u32),
            Tags::Sparse(map) => map.get(&tag).copied(),
        }
    }
}

/// Reads a file.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let mut input = Input::new(name, bytes);
    input.skip_past("$MeshFormat")?;
    let version = header(&mut input)?;
    let mut file = File::default();
    let mut entities = v4::Entities::default();
    // Binary sections are between words: these are read, and placed, as text.
    let binary = input.binary;
    while !input.is_done() {
        let start = input.at();
        let section = input.word("a section")?;
        let Some(title) = section.strip_prefix('$') else {
            return Err(input.fail(start, shown(section.as_bytes()), "a section such as `$Nodes`"));
        };
        match (title, version) {
            ("PhysicalNames", _) => physical_names(&mut input, &mut file)?,
            ("PartitionedEntities", _) => {
                return Err(input.fail(start, "a partitioned mesh", "one that is saved without partitions"));
            }
            ("Entities", 4) => {
                begin_data(&mut input, binary);
                entities = v4::entities(&mut input)?;
            }
            ("Nodes", 2) => v2::nodes(&mut input, &mut file)?,
            ("Nodes", _) => {
                begin_data(&mut input, binary);
                v4::nodes(&mut input, &mut file)?;
            }
            ("Elements", 2) => v2::elements(&mut input, &mut file)?,
            ("Elements", _) => {
                begin_data(&mut input, binary);
                v4::elements(&mut input, &mut file, &entities)?;
            }
            _ => {
                input.skip_past(&format!("$End{title}"))?;
                continue;
            }
        }
        input.literal(&format!("$End{title}"))?;
    }
    for (there, section) in [(file.has_nodes, "$Nodes"), (file.has_elements, "$Elements")] {
        if !there {
            return Err(input.fail(bytes.len(), "the end of the file", format!("a section `{section}`")));
        }
    }
    Ok(file.finish())
}

/// Binary data start on the line after the section's title.
fn begin_data(input: &mut Input<'_>, binary: bool) {
    if binary {
        input.line();
    }
}

/// `version file-type data-size`, and in binary files the number one: 2 or 4.
fn header(input: &mut Input<'_>) -> Result<u8, MeshError> {
    input.skip_space();
    let start = input.at();
    let version = match input.word("a version")? {
        "2" | "2.0" | "2.1" | "2.2" => 2,
        "4.1" => 4,
        other => return Err(input.fail(start, format!("version {}", shown(other.as_bytes())), "2.2 or 4.1")),
    };
    let file_type: u8 = input.parsed("0 (text) or 1 (binary)")?;
    let at = input.at();
    let size: u8 = input.parsed("a size of data, 4 or 8")?;
    match (file_type, size) {
        (0, _) => {}
        (1, 8) | (1, 4) => {
            input.line();
            input.binary = true;
            input.size_bytes = size.into();
            let one = input.take(4, "the number one in four bytes")?;
            input.big_endian = match one {
                [1, 0, 0, 0] => false,
                [0, 0, 0, 1] => true,
                other => return Err(input.fail(input.at() - 4, format!("{other:?}"), "the number one in four bytes")),
            };
        }
        _ => return Err(input.fail(at, format!("file type {file_type}, size {size}"), "type 0 or 1, size 4 or 8")),
    }
    input.literal("$EndMeshFormat")?;
    Ok(version)
}

/// Text in binary files too.
fn physical_names(input: &mut Input<'_>, file: &mut File) -> Result<(), MeshError> {
    let count: u64 = input.parsed("a number of physical names")?;
    let count = input.bounded(input.at(), count, 6, "physical names")?;
    for _ in 0..count {
        input.skip_space();
        let start = input.at();
        let dim: usize = input.parsed("a dimension")?;
        let tag: i64 = input.parsed("a physical number")?;
        let line = input.line().trim_ascii();
        let name =
            line.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).and_then(|l| std::str::from_utf8(l).ok());
        match name {
            Some(name) if dim <= 3 && !name.is_empty() => file.names.insert((dim, tag), name.into()),
            _ => return Err(input.fail(start, shown(line), "a dimension, a number and a name in double quotes")),
        };
    }
    Ok(())
}

/// The kind of a Gmsh number, or the error that says what is read.
fn kind(input: &Input<'_>, at: usize, number: i64) -> Result<CellKind, MeshError> {
    u64::try_from(number).ok().and_then(CellKind::from_gmsh).ok_or_else(|| {
        let found = match number {
            6 => "elements of type 6 (prism)".into(),
            7 => "elements of type 7 (pyramid)".into(),
            10 => "elements of type 10 (nine-node quadrangle; Mesh.SecondOrderIncomplete = 1 gives eight)".into(),
            12 => "elements of type 12 (27-node hexahedron)".into(),
            17 => "elements of type 17 (20-node hexahedron)".into(),
            n => format!("elements of type {n}"),
        };
        input.fail(at, found, kinds_in_words(CellKind::gmsh_type))
    })
}

/// The nodes of one element, in our order.
fn cell_nodes(
    input: &mut Input<'_>,
    file: &File,
    kind: CellKind,
    mut next: impl FnMut(&mut Input<'_>) -> Result<u64, MeshError>,
) -> Result<[u32; 10], MeshError> {
    let mut nodes = [0; 10];
    let count = file.draft.mesh.points.len();
    for &place in &kind.gmsh_order()[..kind.nodes()] {
        if !input.binary {
            input.skip_space();
        }
        let start = input.at();
        let tag = next(input)?;
        nodes[place as usize] = file
            .tags
            .find(tag, count)
            .ok_or_else(|| input.fail(start, format!("node {tag}"), format!("one of the {count} nodes of the file")))?;
    }
    Ok(nodes)
}

impl File {
    /// Takes the nodes' numbers.
    fn set_tags(&mut self, input: &Input<'_>, start: usize, tags: &[u64]) -> Result<(), MeshError> {
        self.tags =
            Tags::new(tags).map_err(|tag| input.fail(start, format!("node {tag} twice"), "numbers that differ"))?;
        self.has_nodes = true;
        Ok(())
    }

    fn finish(mut self) -> Mesh {
        for ((dim, tag), cells) in self.physical {
            let name = self.names.get(&(dim, tag)).cloned();
            let name = name.unwrap_or_else(|| format!("{} {tag}", ["point", "curve", "surface", "volume"][dim]));
            self.draft.sets.entry((dim, name)).or_default().extend(cells);
        }
        self.draft.finish()
    }
}
