//! The operators of a model: mass, damping, internal and external forces, tangent
//!
//! Elements of all parts are numbered one after the other; discrete elements follow.

use crate::algebra::{AlgebraError, Assembler, Cholesky, Imposed, Kkt, Pattern, SolveScratch, SymmetricMatrix, Target};
use crate::linear_element::{LinearElement, beams};
use crate::material::Kinematics;
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

    /// The lumped mass in the place of the consistent one, where `lumped` says so.
    pub fn lump(&mut self, lumped: &[bool]) {
        let pattern = self.pattern.clone();
        let start = pattern.column_starts();
        for j in (0..lumped.len()).filter(|j| lumped[*j]) {
            self.mass.values_mut()[start[j]..start[j + 1]].fill(0.0);
            self.mass.values_mut()[pattern.diagonal(j)] = self.lumped[j];
        }
        self.mass_factor = None;
    }

    /// The tangent of the last [`Structure::internal`] that asked for it.
    pub fn tangent(&self) -> &SymmetricMatrix {
        &self.tangent
    }

    /// Whether the tangent never changes.
    pub fn is_linear(&self) -> bool {
        self.linear
    }

    /// `x ← M⁻¹ x`, with the lumped or the consistent mass; zero where the motion is imposed.
    pub fn solve_mass(&mut self, x: &mut [f64], lumped: bool) -> Result<(), StructureError> {
        for dof in self.imposed.dofs() {
            x[*dof as usize] = 0.0;
        }
        if lumped {
            x.iter_mut().zip(&self.lumped).for_each(|(x, m)| *x = if *m > 0.0 { *x / m } else { 0.0 });
            return Ok(());
        }
        if self.mass_factor.is_none() {
            let mut mass = self.mass.clone();
            let diagonal = mass.diagonal().fold(0.0, f64::max);
            mass.impose(&self.imposed, diagonal);
            let mut factor = Cholesky::new(&self.pattern)?;
            factor.refactor(&mass)?;
            self.mass_factor = Some(factor);
        }
        if let Some(factor) = &self.mass_factor {
            factor.solve_in_place(x, &mut SolveScratch::default())?;
        }
        Ok(())
    }

    /// `x ← M⁻¹ (x − Bᵀ Υ)`, of accelerations that keep to the rows of `ties`.
    pub(crate) fn solve_mass_tied(&self, x: &mut [f64], lumped: bool, ties: &Ties) -> Result<(), StructureError> {
        self.imposed.dofs().iter().for_each(|dof| x[*dof as usize] = 0.0);
        self.tied_mass(lumped, ties)?.solve(x, &mut vec![0.0; ties.len()])?;
        Ok(())
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

    /// Weights of parts whose loads in volume are shared otherwise than their inertia.
    pub(crate) fn reweigh(&self, gravity: [f64; 3], weight: &mut [f64]) -> Result<(), StructureError> {
        let dim = self.model.dim;
        for part in &self.model.parts {
            let shared = part.solid.factors().is_some_and(|f| f.load != f.inertia);
            if !shared {
                continue;
            }
            let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
            let mut add = |cell: usize, f: &dyn Fn(usize) -> f64| {
                for (a, node) in part.solid.connectivity(cell).iter().enumerate() {
                    let at = dim * (part.first + *node as usize);
                    (0..dim).for_each(|k| weight[at + k] += f(dim * a + k));
                }
            };
            let (cells, load) = (0..part.solid.cells(), gravity.map(|g| g * part.solid.spec().density));
            part.solid.volume_load(cells.clone(), &mut |_| load, &mut |c, f, _| add(c, &|i| f[i])).map_err(named)?;
            // What the mass had brought.
            let masses = &mut |c: usize, _: &[f64], m: &[f64]| {
                let n = (m.len() as f64).sqrt() as usize;
                add(c, &|i| -(0..n).map(|j| m[n * i + j] * gravity[j % dim]).sum::<f64>());
            };
            part.solid.mass(cells, false, masses).map_err(named)?;
        }
        Ok(())
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

    fn masses(&mut self) -> Result<(), StructureError> {
        let model = self.model.clone();
        for (part, &first) in model.parts.iter().zip(&self.elements) {
            let dim = model.dim;
            let (mass, lumped, scatter) = (&mut self.mass, &mut self.lumped, self.assembler.scatter());
            let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
            part.solid
                .mass(0..part.solid.cells(), false, &mut |cell, _, m| mass.add_element(scatter, first + cell, m))
                .map_err(named)?;
            part.solid
                .mass(0..part.solid.cells(), true, &mut |cell, m, _| {
                    for (node, m) in part.solid.connectivity(cell).iter().zip(m.chunks(dim)) {
                        let at = dim * (part.first + *node as usize);
                        lumped[at..at + dim].iter_mut().zip(m).for_each(|(a, b)| *a += b);
                    }
                })
                .map_err(named)?;
        }
        for beam in &self.beams {
            beam.add_mass(&mut self.mass)?;
            beam.lump(&mut self.lumped);
        }
        for d in &model.discrete {
            if let DiscreteKind::Mass { mass } = d.kind {
                self.mass.add(d.a, d.a, mass)?;
                self.lumped[d.a as usize] += mass;
            }
        }
        Ok(())
    }

    /// Rayleigh damping on the initial stiffness, and dampers.
    fn dampings(&mut self) -> Result<(), StructureError> {
        let model = self.model.clone();
        let mut damping = SymmetricMatrix::zero(self.pattern.clone());
        let mut any = false;
        let zero = vec![0.0; model.dofs()];
        for (k, part) in model.parts.iter().enumerate() {
            let [alpha, beta] = part.rayleigh;
            if alpha == 0.0 && beta == 0.0 {
                continue;
            }
            any = true;
            let (first, scatter) = (self.elements[k], self.assembler.scatter());
            let range = part.range();
            let history = part.solid.initial_history();
            let mut scratch = history.clone();
            let mut scaled = vec![];
            let mut add = |cell: usize, m: &[f64], factor: f64| {
                scaled.clear();
                scaled.extend(m.iter().map(|x| factor * x));
                damping.add_element(scatter, first + cell, &scaled);
            };
            part.solid
                .mass(0..part.solid.cells(), false, &mut |cell, _, m| add(cell, m, alpha))
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
            let motion = Motion { u: &zero[range.clone()], v: &zero[range] };
            part.solid
                .evaluate(0..part.solid.cells(), motion, &history, &mut scratch, Some([1.0, 0.0]), &mut |cell, _, k| {
                    add(cell, k, beta)
                })
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
        }
        for beam in &self.beams {
            any |= beam.add_damping(&mut damping)?;
        }
        for dashpot in &model.dashpots {
            any = true;
            dashpot.add(&mut damping)?;
        }
        for d in &model.discrete {
            if let DiscreteKind::Damper { coefficient } = d.kind {
                any = true;
                add_pair(&mut damping, d.a, d.b, coefficient)?;
            }
        }
        self.damping = any.then_some(damping);
        Ok(())
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

    /// Longest stable step of central differences, by bounds on elements of some parts and beams; what sets it.
    pub fn critical_step(&self, u: &[f64], of: &dyn Fn(usize) -> bool) -> Result<(f64, String), StructureError> {
        let mut best = (f64::INFINITY, "no element".to_owned());
        for (_, part) in self.model.parts.iter().enumerate().filter(|(p, _)| of(*p)) {
            let (step, cell) = part
                .solid
                .critical_step(&u[part.range()])
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
            if step < best.0 {
                best = (step, format!("element {cell} of part '{}'", part.name));
            }
        }
        for (k, beam) in self.beams.iter().enumerate() {
            let step = beam.critical_step();
            if step < best.0 {
                best = (step, format!("element {k} of the beams"));
            }
        }
        for d in &self.model.discrete {
            if let DiscreteKind::Spring { stiffness, .. } = d.kind {
                let m = |i: u32| 1.0 / self.lumped[i as usize];
                let omega2 = stiffness * (m(d.a) + d.b.map_or(0.0, m));
                if omega2.is_finite() && 2.0 / omega2.sqrt() < best.0 {
                    best = (2.0 / omega2.sqrt(), format!("the spring at degree of freedom {}", d.a));
                }
            }
        }
        Ok(best)
    }

    /// Longest stable step of central differences in the configuration `u`, `whole` being that of
    /// the reference shape, or a longer one that serves as well: at least `same(it)`.
    ///
    /// Cells that cannot shorten the step below `same` of the shortest found so far cost a bound
    /// instead of an eigenvalue.
    pub fn deformed_step(&mut self, u: &[f64], whole: f64, same: &dyn Fn(f64) -> f64) -> Result<f64, StructureError> {
        let model = self.model.clone();
        if self.frequencies.is_empty() {
            for part in &model.parts {
                let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
                self.frequencies.push(part.solid.frequency_bounds().map_err(named)?);
            }
        }
        let mut limit = whole;
        for (part, bounds) in model.parts.iter().zip(&mut self.frequencies) {
            let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
            let (solid, u) = (&part.solid, &u[part.range()]);
            limit = match bounds {
                Some(bounds) if !solid.is_viscous() => {
                    let enough = |omega2: f64| (2.0 / same(2.0 / omega2.sqrt())).powi(2);
                    let omega2 = solid.deformed_frequency(u, bounds, (2.0 / limit).powi(2), &enough).map_err(named)?;
                    limit.min(2.0 / omega2.sqrt())
                }
                _ if !matches!(solid.spec().kinematics, Kinematics::Finite) => limit,
                _ => limit.min(solid.critical_step(u).map_err(named)?.0),
            };
        }
        Ok(limit)
    }

    /// Internal forces and internal variables of an explicit step, in one pass.
    pub fn step_explicit(
        &mut self,
        at: At<'_>,
        new_history: &mut [f64],
        force: &mut [f64],
    ) -> Result<Energies, StructureError> {
        force.fill(0.0);
        let model = self.model.clone();
        let scatter = self.assembler.scatter();
        let mut total = Energies::default();
        for (p, part) in model.parts.iter().enumerate() {
            let (range, h) = (part.range(), self.histories[p]..self.histories[p + 1]);
            let motion = Motion { u: &at.u[range.clone()], v: &at.v[range] };
            let first = self.elements[p];
            let mut add = |cell: usize, f: &[f64], _: &[f64]| {
                scatter.dofs(first + cell).iter().zip(f).for_each(|(dof, f)| force[*dof as usize] += f);
            };
            let (old, new) = (&at.history[h.clone()], &mut new_history[h]);
            total += part
                .solid
                .evaluate(0..part.solid.cells(), motion, old, new, None, &mut add)
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
        }
        for beam in &self.beams {
            beam.add_force(at.u, force);
            total.strain += beam.energy(at.u);
        }
        for d in &model.discrete {
            if let DiscreteKind::Spring { stiffness, rest } = d.kind {
                let f = stiffness * (d.across(at.u) - rest);
                total.strain += 0.5 * f * (d.across(at.u) - rest);
                force[d.a as usize] += f;
                if let Some(b) = d.b {
                    force[b as usize] -= f;
                }
            }
        }
        if let Some(c) = &self.damping {
            c.mul_add(at.v, force);
        }
        self.fluids.add_force(at.v, force);
        Ok(total)
    }

    /// Longest stable step `2 factor/ω` of the assembled model, at least `bound`: power iteration
    /// on the lumped mass and the present tangent, with a margin of one per cent.
    pub fn stable_step(&mut self, factor: f64, bound: f64) -> Result<f64, StructureError> {
        let n = self.model.dofs();
        let (zero, history) = (vec![0.0; n], self.initial_history());
        let mut force = vec![0.0; n];
        self.internal(At { u: &zero, v: &zero, history: &history }, Some([1.0, 0.0]), &mut force)?;
        let held: std::collections::BTreeSet<u32> = self.imposed.dofs().iter().copied().collect();
        let inverse: Vec<f64> = (0..n)
            .map(|i| if self.lumped[i] > 0.0 && !held.contains(&(i as u32)) { self.lumped[i].recip() } else { 0.0 })
            .collect();
        // High frequencies alternate in sign from node to node; a slow drift of phase reaches all of them.
        let mut x: Vec<f64> =
            (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } + 0.37 * (i as f64 * 0.7).sin()).collect();
        let mut omega2 = 0.0f64;
        for _ in 0..300 {
            let mut y = vec![0.0; n];
            self.tangent.mul_add(&x, &mut y);
            y.iter_mut().zip(&inverse).for_each(|(y, m)| *y *= m);
            let top: f64 = x.iter().zip(&y).zip(&self.lumped).map(|((x, y), m)| x * y * m).sum();
            let bottom: f64 = x.iter().zip(&self.lumped).map(|(x, m)| x * x * m).sum();
            if bottom > 0.0 {
                omega2 = omega2.max(top / bottom);
            }
            let norm = y.iter().map(|y| y * y).sum::<f64>().sqrt();
            if !(norm > 0.0) {
                break;
            }
            x = y.into_iter().map(|y| y / norm).collect();
        }
        Ok((2.0 * factor / (1.01 * omega2).sqrt()).max(bound))
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
