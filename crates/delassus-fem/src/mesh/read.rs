//! From files to meshes and back

use super::input::{find, shown};
use super::{CellKind, CellRef, Group, Mesh, MeshError, Place, ReadError, gmsh, vtk};
use std::collections::BTreeMap;
use std::path::Path;

/// Larger files are refused before they are read \[bytes\].
const MAX_FILE: u64 = 1 << 32;

/// What can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Gmsh 2 or 4.1, text or binary.
    Gmsh,
    /// VTK's oldest format, text or binary.
    VtkLegacy,
    /// VTK's XML for unstructured grids.
    Vtu,
}

impl MeshFormat {
    /// The format by the first bytes of a file.
    pub fn of(bytes: &[u8]) -> Option<MeshFormat> {
        let head = bytes[..bytes.len().min(1024)].trim_ascii_start();
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        if find(head, b"$MeshFormat").is_some() {
            Some(MeshFormat::Gmsh)
        } else if head.starts_with(b"# vtk") {
            Some(MeshFormat::VtkLegacy)
        } else if find(head, b"<VTKFile").is_some() {
            Some(MeshFormat::Vtu)
        } else {
            None
        }
    }
}

impl Mesh {
    /// Reads a Gmsh or VTK file; its first bytes say which. Physical names of Gmsh become
    /// groups, as do arrays `group:NAME` that [`Mesh::to_vtu`] writes. A mesh whose points
    /// all have z = 0 and that has no volumes is of dimension 2.
    ///
    /// The cells' shapes are not judged: see [`Mesh::repair_orientation`] and
    /// [`Mesh::validate`].
    pub fn read(path: impl AsRef<Path>) -> Result<Mesh, MeshError> {
        let file = path.as_ref().display().to_string();
        let io = |source| MeshError::Io { file: file.clone(), source };
        let size = std::fs::metadata(&path).map_err(io)?.len();
        if size > MAX_FILE {
            let (place, found) = (Place::Byte(0), format!("{size} bytes"));
            let expected = format!("at most {MAX_FILE}");
            return Err(MeshError::Read(Box::new(ReadError { file, place, found, expected })));
        }
        Mesh::from_bytes(&file, &std::fs::read(&path).map_err(io)?)
    }

    /// Reads a file in memory; the name is for messages.
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
        match MeshFormat::of(bytes) {
            Some(MeshFormat::Gmsh) => gmsh::read(file, bytes),
            Some(MeshFormat::VtkLegacy) => vtk::read_legacy(file, bytes),
            Some(MeshFormat::Vtu) => vtk::read_vtu(file, bytes),
            None => Err(MeshError::Read(Box::new(ReadError {
                file: file.into(),
                place: Place::Byte(0),
                found: shown(bytes.get(..20).unwrap_or(bytes)),
                expected: "`$MeshFormat` (Gmsh), `# vtk` (VTK) or `<VTKFile` (VTU)".into(),
            }))),
        }
    }

    /// Writes a file, in Gmsh's format when the name ends in `.msh`, VTK's when it ends in `.vtu`.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), MeshError> {
        let path = path.as_ref();
        let bytes = match path.extension().and_then(|e| e.to_str()) {
            Some("msh") => self.to_gmsh().into_bytes(),
            Some("vtu") => self.to_vtu(),
            _ => {
                return Err(MeshError::Setting {
                    item: "name of a mesh file",
                    found: path.display().to_string(),
                    accepted: "names that end in .msh or .vtu",
                });
            }
        };
        std::fs::write(path, bytes).map_err(|source| MeshError::Io { file: path.display().to_string(), source })
    }
}

/// A mesh in the making: cells as they come, sets of them by dimension and name.
#[derive(Default)]
pub(super) struct Draft {
    pub mesh: Mesh,
    pub sets: BTreeMap<(usize, String), Vec<CellRef>>,
    pub node_sets: BTreeMap<String, Vec<u32>>,
}

impl Draft {
    /// Finds the dimension and makes groups of the sets. Where one name stands for cells
    /// of several dimensions, the highest keeps it and the others say theirs.
    pub fn finish(self) -> Mesh {
        let Draft { mut mesh, sets, node_sets } = self;
        let flat = mesh.points.iter().all(|p| p[2] == 0.0);
        let solid = mesh.blocks.iter().any(|b| b.kind.dim() == 3);
        mesh.dim = if flat && !solid { 2 } else { 3 };
        for ((dim, name), mut cells) in sets.into_iter().rev() {
            cells.sort_unstable();
            cells.dedup();
            let mut nodes: Vec<u32> = cells.iter().flat_map(|&c| mesh.cell(c)).copied().collect();
            nodes.sort_unstable();
            nodes.dedup();
            let name = if mesh.groups.contains_key(&name) { format!("{name} (dim {dim})") } else { name };
            mesh.groups.insert(name, Group { dim, cells, nodes });
        }
        for (name, nodes) in node_sets {
            mesh.groups.entry(name).or_insert(Group { dim: 0, cells: Vec::new(), nodes });
        }
        mesh
    }
}

/// Kinds that can be read, for messages.
pub(super) fn kinds_in_words(number: impl Fn(CellKind) -> u8) -> String {
    let list: Vec<String> = CellKind::ALL.iter().map(|&k| format!("{} ({k})", number(k))).collect();
    list.join(", ")
}
