//! The operators of a model: mass, damping, internal and external forces, tangent
//!
//! Elements of all parts are numbered one after the other; discrete elements follow.

mod explicit;
mod matrices;

use crate::algebra::{AlgebraError, Assembler, Cholesky, Imposed, Kkt, Pattern, SymmetricMatrix, Target};
use crate::linear_element::{LinearElement, beams};
use crate::model::{DiscreteKind, LoadKind, Model};
use crate::resistance::Resistance;
use crate::solid::{Energies, FrequencyBounds, Motion, Pressure, SolidError};
use crate::subsystem::Ties;
use std::sync::Arc;

/// Internal variables of a cell kept on the stack.
const HISTORY: usize = 256;

/// Why forces could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StructureError {
    /// An element refused the motion.
    #[error("part '{part}': {reason}")]
    Solid {
        /// The part.
        part: String,
        /// Why.
        reason: SolidError,
    },
    /// Two supports hold the same degree of freedom.
    #[error("two supports hold component {component} of node {node}")]
    HeldTwice {
        /// The node, in the numbering of the model.
        node: u32,
        /// The component.
        component: usize,
    },
    /// The matrices.
    #[error("{0}")]
    Algebra(#[from] AlgebraError),
}

/// Displacements and velocities.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Displacements.
    pub u: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Internal variables at the beginning of the step.
    pub history: &'a [f64],
}

/// A model with its matrices.
pub struct Structure {
    model: Arc<Model>,
    assembler: Assembler,
    pattern: Arc<Pattern>,
    /// First element and first internal variable of each part; the ends at the end.
    elements: Vec<usize>,
    histories: Vec<usize>,
    imposed: Imposed,
    supports: Vec<(usize, usize)>,
    mass: SymmetricMatrix,
    lumped: Vec<f64>,
    damping: Option<SymmetricMatrix>,
    tangent: SymmetricMatrix,
    mass_factor: Option<Cholesky>,
    beams: Vec<LinearElement>,
    fluids: Resistance,
    linear: bool,
    /// Factors of the tangent at hand, where it never changes otherwise.
    tangent_for: Option<[f64; 2]>,
    /// By part, once asked for; nothing where the moduli change.
    frequencies: Vec<Option<FrequencyBounds>>,
    /// Which degrees of freedom are held.
    held: Vec<bool>,
    /// Factors of the tangent by degree of freedom, where parts have their own: of `∂F/∂u`, of `∂F/∂v`.
    factors: Option<[Vec<f64>; 2]>,
}

impl Structure {
    /// Matrices of a model.
    pub fn new(model: Arc<Model>) -> Result<Self, StructureError> {
        let (mut lists, elements) = element_dofs(&model);
        let cells = lists.len();
        lists.extend(model.discrete.iter().map(|d| d.dofs().collect::<Vec<u32>>()));
        let beams = beams(&model);
        lists.extend(beams.iter().map(|b| b.dofs.clone()));
        let pattern = Arc::new(Pattern::new(model.dofs(), lists.iter().map(Vec::as_slice))?);
        let assembler = Assembler::new(&pattern, lists[..cells].iter().map(Vec::as_slice))?;
        let mut histories = vec![0];
        for part in &model.parts {
            histories.push(histories[histories.len() - 1] + part.solid.history_len());
        }
        let supports: Vec<(usize, usize)> =
            model.supports.iter().enumerate().flat_map(|(k, s)| s.dofs.iter().map(move |d| (*d as usize, k))).collect();
        let dofs: Vec<u32> = supports.iter().map(|s| s.0 as u32).collect();
        let imposed = Imposed::new(&pattern, &dofs).map_err(|e| match e {
            AlgebraError::RepeatedDof { dof, .. } => {
                StructureError::HeldTwice { node: dof / model.dim as u32, component: dof as usize % model.dim }
            }
            other => other.into(),
        })?;
        let zero = SymmetricMatrix::zero(pattern.clone());
        let mut held = vec![false; model.dofs()];
        dofs.iter().for_each(|dof| held[*dof as usize] = true);
        let mut out = Self {
            assembler,
            elements,
            histories,
            imposed,
            supports,
            mass: zero.clone(),
            lumped: vec![0.0; model.dofs()],
            damping: None,
            tangent: zero,
            mass_factor: None,
            beams,
            fluids: Resistance::new(&model, &[]),
            linear: model.parts.iter().all(|p| p.solid.spec().is_linear()),
            tangent_for: None,
            frequencies: vec![],
            held,
            factors: None,
            pattern,
            model,
        };
        out.masses()?;
        out.fluids = Resistance::new(&out.model, &out.lumped);
        out.linear &= out.fluids.is_empty();
        out.dampings()?;
        Ok(out)
    }

    /// The pattern of its matrices.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The consistent mass.
    pub fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    /// The lumped mass.
    pub fn lumped(&self) -> &[f64] {
        &self.lumped
    }

    /// Takes from weights what has inertia and no weight: fluids that beams carry.
    pub fn unweigh(&self, gravity: &[f64], lumped: bool, weight: &mut [f64]) {
        self.beams.iter().for_each(|b| b.unweigh(gravity, lumped, weight));
    }

    /// Power that dampers and fluids, at velocities `at`, take on the velocities `v`.
    pub fn viscous_power(&self, at: &[f64], v: &[f64], scratch: &mut Vec<f64>) -> f64 {
        let mut power = self.fluids.power(at, v);
        if let Some(damping) = &self.damping {
            scratch.clear();
            scratch.resize(v.len(), 0.0);
            damping.mul_add(at, scratch);
            power += v.iter().zip(scratch.iter()).map(|(v, f)| v * f).sum::<f64>();
        }
        power
    }

    /// Degrees of freedom held by supports.
    pub fn imposed(&self) -> &Imposed {
        &self.imposed
    }

    /// Whether a degree of freedom is held by a support.
    pub fn is_held(&self, dof: usize) -> bool {
        self.held[dof]
    }

    /// Factors of the tangent by degree of freedom, each the same all over a part; instead of those given with each
    /// call.
    pub fn set_factors(&mut self, c: [&[f64]; 2]) {
        if self.factors.as_ref().is_some_and(|f| f[0] == c[0] && f[1] == c[1]) {
            return;
        }
        self.factors = Some(c.map(<[f64]>::to_vec));
        self.tangent_for = None;
    }

    /// The tangent of the last [`Structure::internal`] that asked for it.
    pub fn tangent(&self) -> &SymmetricMatrix {
        &self.tangent
    }

    /// Whether the tangent never changes.
    pub fn is_linear(&self) -> bool {
        self.linear
    }

    /// `x ← x + d` with `B d = open` and `d M d` least; imposed motions stay.
    pub(crate) fn move_tied(
        &self,
        x: &mut [f64],
        lumped: bool,
        ties: &Ties,
        open: &mut [f64],
    ) -> Result<(), StructureError> {
        let mut d = vec![0.0; x.len()];
        self.tied_mass(lumped, ties)?.solve(&mut d, open)?;
        x.iter_mut().zip(d).for_each(|(x, d)| *x += d);
        Ok(())
    }

    /// The mass, imposed motions held, with the rows of ties.
    fn tied_mass(&self, lumped: bool, ties: &Ties) -> Result<Kkt, StructureError> {
        let mut mass = self.mass.clone();
        if lumped {
            mass.set_zero();
            (0..self.lumped.len()).for_each(|i| mass.values_mut()[self.pattern.diagonal(i)] = self.lumped[i]);
        }
        let diagonal = mass.diagonal().fold(0.0, f64::max);
        mass.impose(&self.imposed, diagonal);
        let mut kkt = ties.saddle(&self.pattern)?;
        kkt.refactor(&mass, ties.values(), ties.compliance())?;
        Ok(kkt)
    }

    /// Accelerations that internal forces alone would give the lumped masses.
    pub fn accelerations(&self, internal: &[f64], a: &mut [f64]) {
        for (i, m) in self.lumped.iter().enumerate() {
            a[i] = if *m > 0.0 { -internal[i] / m } else { 0.0 };
        }
    }

    /// Kinetic energy with the lumped or the consistent mass.
    pub fn kinetic(&self, v: &[f64], lumped: bool) -> f64 {
        0.5 * match lumped {
            true => v.iter().zip(&self.lumped).map(|(v, m)| m * v * v).sum::<f64>(),
            false => self.mass.quadratic_form(v),
        }
    }

    /// Internal variables of a body at rest.
    pub fn initial_history(&self) -> Vec<f64> {
        self.model.parts.iter().flat_map(|p| p.solid.initial_history()).collect()
    }

    /// Imposed displacements at a time: degree of freedom and value.
    pub fn held(&self, t: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.supports.iter().map(move |&(dof, k)| (dof, self.model.supports[k].value.at(t)))
    }

    /// The imposed displacement of a degree of freedom at a time; zero where it is free.
    pub fn held_at(&self, dof: usize, t: f64) -> f64 {
        let found = self.supports.iter().find(|s| s.0 == dof);
        found.map_or(0.0, |&(_, k)| self.model.supports[k].value.at(t))
    }

    /// Rates of the imposed displacements at a time: degree of freedom and velocity.
    pub fn held_rates(&self, t: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.supports.iter().map(move |&(dof, k)| (dof, self.model.supports[k].value.rate(t)))
    }

    /// Internal forces into `force`; with `tangent = [c_u, c_v]` also `c_u ∂F/∂u + c_v ∂F/∂v`.
    ///
    /// Constant damping is included. Internal variables are not advanced.
    pub fn internal(&mut self, at: At<'_>, tangent: Option<[f64; 2]>, force: &mut [f64]) -> Result<(), StructureError> {
        self.forces(at, None, tangent, force)
    }

    /// The same with forces of cells that keep energy between the displacements at both `ends` of a step, `at` being
    /// its middle.
    pub fn internal_between(
        &mut self,
        at: At<'_>,
        ends: [&[f64]; 2],
        tangent: Option<[f64; 2]>,
        force: &mut [f64],
    ) -> Result<(), StructureError> {
        self.forces(at, Some(ends), tangent, force)
    }

    fn forces(
        &mut self,
        at: At<'_>,
        ends: Option<[&[f64]; 2]>,
        tangent: Option<[f64; 2]>,
        force: &mut [f64],
    ) -> Result<(), StructureError> {
        force.fill(0.0);
        // What does not change is not gathered again.
        let asked = tangent;
        let tangent = tangent.filter(|_| !(self.linear && self.tangent_for == asked));
        if tangent.is_some() {
            self.tangent_for = None;
        }
        let Self { model, assembler, elements, histories, tangent: matrix, damping, beams, fluids, factors, .. } = self;
        let factors = factors.as_ref();
        let of = |dof: usize| tangent.map(|t| factors.map_or(t, |f| [f[0][dof], f[1][dof]]));
        let kernel = |e: usize, k_e: &mut [f64], f_e: &mut [f64]| {
            let p = elements.partition_point(|first| *first <= e) - 1;
            let part = &model.parts[p];
            let cell = e - elements[p];
            let range = part.range();
            let motion = Motion { u: &at.u[range.clone()], v: &at.v[range.clone()] };
            let history = &at.history[histories[p]..histories[p + 1]];
            // Internal variables advance only when a step is committed: these are thrown away.
            let mut scratch = [0.0; HISTORY];
            let length = part.solid.history_range(cell..cell + 1).len();
            let mut large = vec![];
            let new: &mut [f64] = match length <= HISTORY {
                true => &mut scratch[..length],
                false => {
                    large.resize(length, 0.0);
                    &mut large
                }
            };
            let mut put = |_: usize, f: &[f64], k: &[f64]| {
                f_e.copy_from_slice(f);
                if tangent.is_some() {
                    k_e.copy_from_slice(k);
                }
            };
            let (cell, solid) = (cell..cell + 1, &part.solid);
            let done = match ends.map(|ends| ends.map(|u| &u[range.clone()])) {
                None => solid.evaluate(cell, motion, history, new, of(range.start), &mut put),
                Some(ends) => solid.evaluate_between(cell, motion, ends, (history, new), tangent, &mut put),
            };
            done.map(|_| ()).map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })
        };
        if tangent.is_some() {
            matrix.set_zero();
        }
        let target = Target { matrix: tangent.is_some().then_some(&mut *matrix), vector: Some(&mut *force) };
        assembler.assemble(target, kernel)?;
        for beam in beams.iter() {
            beam.add_force(at.u, force);
            if let Some([c, _]) = of(beam.dofs[0] as usize) {
                beam.add_matrix(&beam.stiffness, c, matrix)?;
            }
        }
        for d in &model.discrete {
            if let DiscreteKind::Spring { stiffness, rest } = d.kind {
                let f = stiffness * (d.across(at.u) - rest);
                force[d.a as usize] += f;
                if let Some(b) = d.b {
                    force[b as usize] -= f;
                }
                if let Some([c, _]) = of(d.a as usize) {
                    add_pair(matrix, d.a, d.b, c * stiffness)?;
                }
            }
        }
        if let Some(c) = damping {
            c.mul_add(at.v, force);
            match (tangent, factors) {
                (Some(_), Some([_, c_v])) => matrix.add_scaled_columns(c_v, c),
                (Some([_, c_v]), None) => matrix.add_scaled(c_v, c),
                _ => {}
            }
        }
        fluids.add_force(at.v, force);
        if tangent.is_some() {
            fluids.add_tangent(at.v, &|dof| of(dof).map_or(0.0, |t| t[1]), matrix)?;
        }
        if asked.is_some() {
            self.tangent_for = asked;
        }
        Ok(())
    }

    /// Advances the internal variables to the motion at the end of a step; energies of the solids.
    pub fn advance(&self, at: At<'_>, new_history: &mut [f64]) -> Result<Energies, StructureError> {
        let mut total = Energies::default();
        for (p, part) in self.model.parts.iter().enumerate() {
            let (range, h) = (part.range(), self.histories[p]..self.histories[p + 1]);
            let motion = Motion { u: &at.u[range.clone()], v: &at.v[range] };
            let energies = part
                .solid
                .evaluate(
                    0..part.solid.cells(),
                    motion,
                    &at.history[h.clone()],
                    &mut new_history[h],
                    None,
                    &mut |_, _, _| {},
                )
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
            total += energies;
        }
        total.strain += self.beams.iter().map(|b| b.energy(at.u)).sum::<f64>();
        for d in &self.model.discrete {
            if let DiscreteKind::Spring { stiffness, rest } = d.kind {
                total.strain += 0.5 * stiffness * (d.across(at.u) - rest).powi(2);
            }
        }
        Ok(total)
    }

    /// External forces at a time: gravity and loads.
    pub fn external(&self, t: f64, u: &[f64], force: &mut [f64]) -> Result<(), StructureError> {
        force.fill(0.0);
        let dim = self.model.dim;
        for k in 0..dim {
            let g = self.model.gravity[k];
            if g != 0.0 {
                let moving = dim * self.model.nodes();
                (k..moving).step_by(dim).for_each(|i| force[i] += self.lumped[i] * g);
            }
        }
        for load in &self.model.loads {
            let factor = load.factor.at(t);
            match &load.kind {
                LoadKind::Forces(forces) => forces.iter().for_each(|(dof, f)| force[*dof as usize] += factor * f),
                LoadKind::Pressure { part, facets, pressure } => {
                    let part = &self.model.parts[*part];
                    let pressure = Pressure { value: factor * pressure, follows: Some(&u[part.range()]) };
                    facets
                        .pressure(0..facets.len(), pressure, false, &mut |facet, f, _| {
                            for (node, f) in facets.connectivity(facet).iter().zip(f.chunks(dim)) {
                                let at = dim * (part.first + *node as usize);
                                force[at..at + dim].iter_mut().zip(f).for_each(|(a, b)| *a += b);
                            }
                        })
                        .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
                }
            }
        }
        Ok(())
    }
}

/// `k (u_a − u_b)²/2`.
fn add_pair(matrix: &mut SymmetricMatrix, a: u32, b: Option<u32>, k: f64) -> Result<(), AlgebraError> {
    matrix.add(a, a, k)?;
    if let Some(b) = b {
        matrix.add(b, b, k)?;
        matrix.add(a, b, -k)?;
    }
    Ok(())
}

/// Degrees of freedom of every element, and the first element of each part.
fn element_dofs(model: &Model) -> (Vec<Vec<u32>>, Vec<usize>) {
    let (mut lists, mut first) = (vec![], vec![0]);
    for part in &model.parts {
        for cell in 0..part.solid.cells() {
            let nodes = part.solid.connectivity(cell).iter().map(|n| part.first as u32 + n);
            lists.push(nodes.flat_map(|n| (0..model.dim as u32).map(move |k| model.dim as u32 * n + k)).collect());
        }
        first.push(lists.len());
    }
    (lists, first)
}
