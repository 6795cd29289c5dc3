//! Solids: cells with a kinematics and a material
//!
//! ```text
//! f_a = Σ_q w_q P(F_q) ∇N_a,     F = 1 + Σ_a u_a ⊗ ∇N_a,     K = ∂f/∂u
//! ```
//!
//! Total Lagrangian: gradients and weights belong to the reference shape and are computed
//! once. A [`Solid`] is immutable; internal variables belong to the caller's state, and
//! forces and tangents go to the caller, cell by cell.

mod batch;
mod conserving;
mod deformed;
mod error;
mod facets;
mod factors;
mod fields;
mod isotropic;
mod kernel;
mod locking;
mod mass;
mod point;
mod response;
mod spec;
mod stability;
mod stiffness;
mod tangent;

pub use deformed::FrequencyBounds;
pub use error::SolidError;
pub use facets::{Facets, Pressure};
pub use factors::Factors;
pub use fields::CellFields;
pub use spec::{Hypothesis, Locking, SolidSpec};

use crate::element;
use crate::material::tensor::{Plane, Space};
use crate::mesh::{CellKind, CellRef, Mesh};
use batch::{AnyBatch, Geometry, with_batch};
use spec::Rules;
use std::ops::Range;

/// Displacements and velocities of all nodes.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Displacements \[m\].
    pub u: &'a [f64],
    /// Velocities \[m/s\]; may be empty where nothing is viscous.
    pub v: &'a [f64],
}

/// Energies of the cells evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Recoverable elastic energy \[J\].
    pub strain: f64,
    /// Plastic work since the virgin state \[J\], what hardening stores included.
    pub plastic: f64,
    /// Power of viscous stresses \[W\], not negative.
    pub viscous_power: f64,
}

impl std::ops::AddAssign for Energies {
    fn add_assign(&mut self, other: Self) {
        self.strain += other.strain;
        self.plastic += other.plastic;
        self.viscous_power += other.viscous_power;
    }
}

/// Receives `(cell, vector, matrix)`; see each caller for which are empty.
pub type Sink<'a> = dyn FnMut(usize, &[f64], &[f64]) + 'a;

/// Cells of one material, immutable.
#[derive(Clone, Debug)]
pub struct Solid {
    spec: SolidSpec,
    rules: Rules,
    points: Vec<[f64; 3]>,
    batches: Vec<AnyBatch>,
    /// Start of the internal variables of each cell, and their end.
    histories: Vec<usize>,
    cells: usize,
    /// Shares of what another model has a part of.
    factors: Option<Factors>,
}

impl Solid {
    /// The solid made of `cells` of a mesh.
    ///
    /// # Errors
    /// A parameter out of range, a cell that is missing, of the wrong dimension, inverted or
    /// flat: each is named.
    pub fn new(mesh: &Mesh, cells: &[CellRef], spec: SolidSpec) -> Result<Self, SolidError> {
        let rules = spec.rules()?;
        let dim = spec.hypothesis.dim();
        if mesh.dim != dim {
            let hypothesis = spec.hypothesis.name();
            return Err(SolidError::Dimension { hypothesis, expected: dim, dim: mesh.dim });
        }
        let mut batches: Vec<AnyBatch> = Vec::new();
        let mut histories = vec![0];
        for (cell, &at) in cells.iter().enumerate() {
            let (kind, nodes) = cell_nodes(mesh, cell, at)?;
            if batches.last().is_none_or(|b| b.kind() != kind) {
                batches.push(AnyBatch::empty(kind, cell, spec.hypothesis).ok_or(SolidError::Kind {
                    cell,
                    kind,
                    dim,
                    accepted: if dim == 2 { "Tri3, Tri6, Quad4, Quad8" } else { "Tet4, Tet10, Hex8" },
                })?);
            }
            let batch = batches.last_mut().expect("just pushed");
            batch.push(&Geometry { cell, kind, nodes, points: &mesh.points, hypothesis: spec.hypothesis })?;
            histories.push(histories[cell] + rules.history * batch.points());
        }
        Ok(Self { spec, rules, points: mesh.points.clone(), batches, histories, cells: cells.len(), factors: None })
    }

    /// Dimension: 2 or 3.
    pub fn dim(&self) -> usize {
        self.spec.hypothesis.dim()
    }

    /// Number of nodes of the mesh.
    pub fn node_count(&self) -> usize {
        self.points.len()
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// What the solid is.
    pub fn spec(&self) -> &SolidSpec {
        &self.spec
    }

    /// Kind of a cell.
    pub fn kind(&self, cell: usize) -> CellKind {
        self.batch(cell).kind()
    }

    /// Nodes of a cell.
    pub fn connectivity(&self, cell: usize) -> &[u32] {
        self.batch(cell).nodes(cell)
    }

    /// Whether `dF/dv` may be non-zero.
    pub fn is_viscous(&self) -> bool {
        self.rules.viscous_time > 0.0
    }

    /// Number of internal variables, all cells together.
    pub fn history_len(&self) -> usize {
        self.histories[self.cells]
    }

    /// Place of the internal variables of some cells.
    pub fn history_range(&self, cells: Range<usize>) -> Range<usize> {
        self.histories[cells.start]..self.histories[cells.end]
    }

    /// Internal variables of the virgin material.
    pub fn initial_history(&self) -> Vec<f64> {
        let mut history = vec![0.0; self.history_len()];
        if self.rules.history > 0 {
            for point in history.chunks_exact_mut(self.rules.history) {
                let variables = &mut point[..self.rules.law_history];
                if self.dim() == 2 {
                    self.rules.law.virgin::<Plane, 5, 4>(variables);
                } else {
                    self.rules.law.virgin::<Space, 9, 6>(variables);
                }
            }
        }
        history
    }

    /// Forces `f_e` (and tangents) of a range of cells, given to `sink(cell, f_e, k_e)` in
    /// order. Forces are internal: the balance reads `M a + f = external`.
    ///
    /// `k_e = c₀ ∂f/∂u + c₁ ∂f/∂v` with `tangent = Some([c₀, c₁])`, row-major; empty
    /// otherwise. `history` is that of all cells, `new_history` that of the range.
    ///
    /// # Errors
    /// A cell turned inside out, a strain outside the material's domain, a number that is not
    /// finite: the cell is named. Cells before it have been given to the sink.
    #[allow(clippy::too_many_arguments, reason = "variables before and after are apart: sweeps run in parallel")]
    pub fn evaluate(
        &self,
        cells: Range<usize>,
        motion: Motion<'_>,
        history: &[f64],
        new_history: &mut [f64],
        tangent: Option<[f64; 2]>,
        sink: &mut Sink<'_>,
    ) -> Result<Energies, SolidError> {
        self.sweep(cells, (motion, None), (history, new_history), tangent, sink)
    }

    /// The same with forces that keep energy and angular momentum between the displacements at both `ends` of a
    /// step; `motion` is that of its middle, and tangents are those with respect to it.
    ///
    /// # Errors
    /// As [`Solid::evaluate`].
    #[allow(clippy::too_many_arguments, reason = "as evaluate")]
    pub fn evaluate_between(
        &self,
        cells: Range<usize>,
        motion: Motion<'_>,
        ends: [&[f64]; 2],
        (history, new_history): (&[f64], &mut [f64]),
        tangent: Option<[f64; 2]>,
        sink: &mut Sink<'_>,
    ) -> Result<Energies, SolidError> {
        for u in ends {
            check_length("displacement", u, self.dim() * self.node_count())?;
        }
        self.sweep(cells, (motion, Some(ends)), (history, new_history), tangent, sink)
    }

    fn sweep(
        &self,
        cells: Range<usize>,
        (motion, ends): (Motion<'_>, Option<[&[f64]; 2]>),
        (history, new_history): (&[f64], &mut [f64]),
        tangent: Option<[f64; 2]>,
        sink: &mut Sink<'_>,
    ) -> Result<Energies, SolidError> {
        self.check_range(&cells)?;
        self.check_motion(motion)?;
        let range = self.history_range(cells.clone());
        check_length("history", history, self.history_len())?;
        check_length("new_history", new_history, range.len())?;
        let mut energies = Energies::default();
        for batch in self.overlapping(&cells) {
            let part = batch.first().max(cells.start)..(batch.first() + batch.len()).min(cells.end);
            let variables = self.history_range(part.clone());
            let new = &mut new_history[variables.start - range.start..variables.end - range.start];
            let old = &history[variables];
            let mut sweep = kernel::Sweep { rules: &self.rules, motion, ends, old, new, tangent };
            energies += with_batch!(batch, b =>
                sweep.run::<Plane, 2, 5, 4, _, _>(b, part, sink)?,
                sweep.run::<Space, 3, 9, 6, _, _>(b, part, sink)?);
        }
        Ok(energies)
    }

    fn check_range(&self, cells: &Range<usize>) -> Result<(), SolidError> {
        if cells.start > cells.end || cells.end > self.cells {
            return Err(SolidError::Range { start: cells.start, end: cells.end, count: self.cells });
        }
        Ok(())
    }

    fn check_motion(&self, motion: Motion<'_>) -> Result<(), SolidError> {
        let dofs = self.dim() * self.node_count();
        check_length("displacement", motion.u, dofs)?;
        if self.is_viscous() || !motion.v.is_empty() {
            check_length("velocity", motion.v, dofs)?;
        }
        Ok(())
    }

    fn batch(&self, cell: usize) -> &AnyBatch {
        &self.batches[self.batches.partition_point(|b| b.first() <= cell) - 1]
    }

    fn overlapping(&self, cells: &Range<usize>) -> impl Iterator<Item = &AnyBatch> + use<'_> {
        let Range { start, end } = *cells;
        let skip = self.batches.partition_point(|b| b.first() + b.len() <= start);
        self.batches[skip..].iter().take_while(move |b| b.first() < end)
    }

    fn geometry(&self, cell: usize) -> Geometry<'_> {
        Geometry {
            cell,
            kind: self.kind(cell),
            nodes: self.connectivity(cell),
            points: &self.points,
            hypothesis: self.spec.hypothesis,
        }
    }
}

fn check_length(name: &'static str, vector: &[f64], expected: usize) -> Result<(), SolidError> {
    if vector.len() == expected { Ok(()) } else { Err(SolidError::Length { name, len: vector.len(), expected }) }
}

/// Kind and nodes of a cell of a mesh, both checked.
fn cell_nodes(mesh: &Mesh, cell: usize, at: CellRef) -> Result<(CellKind, &[u32]), SolidError> {
    let missing = SolidError::MissingCell { cell, block: at.block, index: at.index };
    let block = mesh.blocks.get(at.block as usize).ok_or(missing.clone())?;
    let n = element::nodes(block.kind);
    let start = at.index as usize * n;
    let nodes = block.nodes.get(start..start + n).ok_or(missing)?;
    if let Some(&node) = nodes.iter().find(|&&node| node as usize >= mesh.points.len()) {
        return Err(SolidError::MissingNode { cell, node, count: mesh.points.len() });
    }
    Ok((block.kind, nodes))
}
