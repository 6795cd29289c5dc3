//! Moving, mirroring and putting meshes together

use super::shape::{cross, dot, norm, sub};
use super::{Block, CellRef, Group, Mesh, MeshError};

impl Mesh {
    /// Moves every node. After a map that mirrors, [`Mesh::repair_orientation`] turns the
    /// cells over; one that leaves the plane makes [`Mesh::validate`] refuse a plane mesh.
    pub fn map(&mut self, to: impl Fn([f64; 3]) -> [f64; 3]) {
        self.points.iter_mut().for_each(|p| *p = to(*p));
    }

    /// Adds a vector to every position.
    pub fn translate(&mut self, by: [f64; 3]) {
        self.map(|p| [p[0] + by[0], p[1] + by[1], p[2] + by[2]]);
    }

    /// Turns by an angle \[rad\] about an axis through a point (right-hand rule). In the
    /// plane the axis is `[0, 0, 1]`.
    pub fn rotate(&mut self, through: [f64; 3], axis: [f64; 3], angle: f64) -> Result<(), MeshError> {
        let length = norm(axis);
        if !(length > 0.0 && length.is_finite() && angle.is_finite()) {
            return Err(MeshError::Setting {
                item: "rotation",
                found: format!("axis {axis:?}, angle {angle}"),
                accepted: "an axis that is not zero, a finite angle in radians",
            });
        }
        if self.dim == 2 && (axis[0] != 0.0 || axis[1] != 0.0) {
            return Err(MeshError::Setting {
                item: "axis of rotation",
                found: format!("{axis:?}"),
                accepted: "[0, 0, 1] in the plane",
            });
        }
        let (sin, cos) = angle.sin_cos();
        let e = axis.map(|a| a / length);
        self.map(|p| {
            let r = sub(p, through);
            let (along, side) = (dot(e, r), cross(e, r));
            [0, 1, 2].map(|k| through[k] + cos * r[k] + sin * side[k] + (1.0 - cos) * along * e[k])
        });
        Ok(())
    }

    /// Multiplies each coordinate by a factor; negative ones mirror, and cells are turned
    /// over accordingly.
    pub fn scale(&mut self, by: [f64; 3]) -> Result<(), MeshError> {
        let used = &by[..self.dim.min(3)];
        if !used.iter().all(|f| f.is_finite() && *f != 0.0) {
            return Err(MeshError::Setting {
                item: "scale",
                found: format!("{by:?}"),
                accepted: "finite factors other than 0",
            });
        }
        let mirrors = used.iter().filter(|f| **f < 0.0).count() % 2 == 1;
        let flat = self.dim == 2;
        self.map(|p| [p[0] * by[0], p[1] * by[1], if flat { p[2] } else { p[2] * by[2] }]);
        if mirrors {
            self.flip_all();
        }
        Ok(())
    }

    /// Mirrors in the plane through a point with a normal.
    pub fn mirror(&mut self, through: [f64; 3], normal: [f64; 3]) -> Result<(), MeshError> {
        let length = norm(normal);
        if !(length > 0.0 && length.is_finite()) || (self.dim == 2 && normal[2] != 0.0) {
            return Err(MeshError::Setting {
                item: "normal of the mirror",
                found: format!("{normal:?}"),
                accepted: "a finite vector that is not zero, in the plane for a plane mesh",
            });
        }
        let e = normal.map(|n| n / length);
        self.map(|p| {
            let height = dot(sub(p, through), e);
            [0, 1, 2].map(|k| p[k] - 2.0 * height * e[k])
        });
        self.flip_all();
        Ok(())
    }

    /// Turns over cells and, with them, their boundary.
    fn flip_all(&mut self) {
        let cells: Vec<CellRef> = (self.dim.saturating_sub(1)..=self.dim).flat_map(|d| self.cells_of_dim(d)).collect();
        cells.into_iter().for_each(|c| self.flip(c));
    }

    /// Takes over another mesh, without joining nodes (see [`Mesh::weld`]). Its groups
    /// become `prefix` followed by their name; with an empty prefix, groups of the same
    /// name and dimension are united.
    pub fn merge(&mut self, other: &Mesh, prefix: &str) -> Result<(), MeshError> {
        if other.dim != self.dim {
            return Err(MeshError::OtherDimension { dim: self.dim, other: other.dim });
        }
        let count = self.points.len() + other.points.len();
        if u32::try_from(count).is_err() {
            return Err(MeshError::TooMany { what: "nodes", count });
        }
        for (name, group) in &other.groups {
            let name = format!("{prefix}{name}");
            match self.groups.get(&name) {
                Some(mine) if !prefix.is_empty() || mine.dim != group.dim => {
                    return Err(MeshError::GroupExists { name });
                }
                _ => {}
            }
        }
        let shift = self.points.len() as u32;
        self.points.extend_from_slice(&other.points);
        let places: Vec<(u32, u32)> = other.blocks.iter().map(|b| self.append_block(b, shift)).collect();
        for (name, group) in &other.groups {
            let mine = self
                .groups
                .entry(format!("{prefix}{name}"))
                .or_insert_with(|| Group { dim: group.dim, ..Group::default() });
            mine.nodes.extend(group.nodes.iter().map(|n| n + shift));
            mine.cells.extend(group.cells.iter().map(|c| {
                let (block, first) = places[c.block as usize];
                CellRef { block, index: first + c.index }
            }));
            mine.cells.sort_unstable();
        }
        Ok(())
    }

    /// Appends the cells of a block with shifted nodes: where they went.
    fn append_block(&mut self, block: &Block, shift: u32) -> (u32, u32) {
        let at = self.blocks.iter().position(|b| b.kind == block.kind).unwrap_or_else(|| {
            self.blocks.push(Block { kind: block.kind, nodes: Vec::new() });
            self.blocks.len() - 1
        });
        let first = self.blocks[at].len();
        self.blocks[at].nodes.extend(block.nodes.iter().map(|n| n + shift));
        (at as u32, first as u32)
    }
}
