//! What `check` says of a scene before it is run.

use crate::build::{Size, SolidSize};
use crate::diagnostic::Diagnostics;
use std::fmt;

/// A scene that can be run, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Title.
    pub title: String,
    /// Dimension of space.
    pub dimension: usize,
    /// Bodies, contacts at the start.
    pub size: Size,
    /// Nodes and cells of deformable solids.
    pub solids: Option<SolidSize>,
    /// What there is to say of superposed models.
    pub superpositions: Vec<String>,
    /// Number of steps.
    pub steps: u64,
    /// Their length \[s\].
    pub step: f64,
    /// Number of recorded frames.
    pub frames: u64,
    /// Estimated size of the recorded run, before compression \[bytes\].
    pub bytes: u64,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = &self.size;
        if !self.title.is_empty() {
            writeln!(f, "{}", self.title)?;
        }
        match &self.solids {
            Some(s) if size.bodies() > 0 => {
                let of = roles(size);
                writeln!(f, "bodies    {} ({of}), {} shapes", size.bodies(), size.colliders)?;
                writeln!(f, "solids    {}", solids(s))?;
                writeln!(f, "contacts  {} of bodies at the start, solids on {} facets", size.contacts, s.facets)?;
                writeln!(f, "steps     {}, frames {}", self.steps, self.frames)?;
            }
            Some(s) => {
                writeln!(f, "solids    {}", solids(s))?;
                writeln!(f, "contacts  on {} facets", s.facets)?;
                writeln!(f, "steps     {} of {:.4e} s, frames {}", self.steps, self.step, self.frames)?;
            }
            None => {
                let of = roles(size);
                writeln!(f, "bodies    {} ({of}), {} shapes", size.bodies(), size.colliders)?;
                writeln!(f, "contacts  {} at the start, deepest penetration {:.1e} m", size.contacts, size.deepest)?;
                writeln!(f, "steps     {}, frames {}", self.steps, self.frames)?;
            }
        }
        for text in &self.superpositions {
            let mut lines = text.lines();
            lines.next().into_iter().try_for_each(|line| writeln!(f, "glued     {line}"))?;
            lines.try_for_each(|line| writeln!(f, "          {line}"))?;
        }
        write!(f, "run       about {} before compression", bytes(self.bytes))?;
        if !self.warnings.items.is_empty() {
            write!(f, "\n\n{}", self.warnings)?;
        }
        Ok(())
    }
}

fn solids(s: &SolidSize) -> String {
    let beams = if s.beams > 0 { format!(", beams {}", s.beams) } else { String::new() };
    format!("{}{beams} of {} cells and {} nodes, {} free unknowns", s.parts, s.cells, s.nodes, s.free)
}

fn bytes(count: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// Who of the bodies is what.
fn roles(size: &Size) -> String {
    let later = if size.later > 0 { format!(", {} to come", size.later) } else { String::new() };
    format!("{} free, {} fixed, {} moved{later}", size.free, size.fixed, size.moved)
}
