//! From the description to a model that can be stepped.

mod bodies;
mod forces;
mod laws;
mod model;
mod observe;
mod place;
mod prepare;
mod shape;
mod skin;
mod solids;
mod start;

pub use observe::{Flow, Probe};
pub use solids::{SolidProbe, SolidSetup, SolidSize};

use crate::check::Check;
use crate::description::{Dimension, OnFailure, Solver, Time};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Collider, Dim, Pose};
use delassus_fem::subsystem::DeformableSpec;
use delassus_rigid::{Correction, Kinematics, Policy, RigidModel, State, StepSettings};
use place::Turns;
use prepare::{Prepared, prepare};
use shape::Shapes;

/// Numbers of bodies and contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Bodies moved by forces.
    pub free: usize,
    /// Bodies that never move.
    pub fixed: usize,
    /// Bodies with imposed motion.
    pub moved: usize,
    /// Shapes of all bodies.
    pub colliders: usize,
    /// Contacts at the start.
    pub contacts: usize,
    /// Deepest penetration at the start \[m\].
    pub deepest: f64,
}

impl Size {
    /// All bodies.
    pub fn bodies(&self) -> usize {
        self.free + self.fixed + self.moved
    }
}

/// Steps and frames of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Time step \[s\].
    pub step: f64,
    /// Duration \[s\].
    pub end: f64,
    /// Number of steps.
    pub steps: u64,
    /// A frame is recorded every so many steps.
    pub every: u64,
}

impl Clock {
    /// Steps of length `step` over the times of a scene; their number is rounded to the nearest.
    pub(crate) fn new(time: &Time, step: f64) -> Self {
        let whole = |x: f64| x.round().clamp(1.0, 9e15) as u64;
        let record = time.record.unwrap_or(time.end / 100.0);
        Self { step, end: time.end, steps: whole(time.end / step), every: whole(record / step) }
    }

    /// Number of frames, the start included.
    pub fn frames(&self) -> u64 {
        1 + self.steps.div_ceil(self.every)
    }
}

/// A scene built in one dimension: everything a run needs.
#[derive(Clone, Debug)]
pub struct Setup<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    /// Title.
    pub title: String,
    /// The model.
    pub model: RigidModel<D>,
    /// The state at the start.
    pub state: State,
    /// Settings of the step.
    pub settings: StepSettings,
    /// Steps and frames.
    pub clock: Clock,
    /// Threads asked for.
    pub threads: usize,
    /// Names of the materials, by index.
    pub materials: Vec<String>,
    /// Colours of the materials, by index, where given.
    pub colours: Vec<Option<String>>,
    /// Shapes of bodies that touch nothing, for pictures; placed as [`RigidModel::colliders`] are.
    pub decor: Vec<Collider<D>>,
    /// Deformable solids among the bodies.
    pub solids: Vec<DeformableSpec>,
    /// Points to record.
    pub probes: Vec<Probe>,
    /// Flows to record.
    pub flows: Vec<Flow>,
    /// Numbers of bodies and contacts.
    pub size: Size,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// A scene built, in the plane or in space.
#[derive(Clone, Debug)]
pub enum Built {
    /// In the plane.
    Plane(Box<Setup<2>>),
    /// In space.
    Space(Box<Setup<3>>),
    /// Deformable solids.
    Solids(Box<SolidSetup>),
}

impl Scene {
    /// Builds the model, the state and the settings; every error is reported.
    pub fn build(&self) -> Result<Built, Diagnostics> {
        if !self.description.solid.items.is_empty() && !self.has_bodies() {
            return Ok(Built::Solids(Box::new(solids::build(self)?)));
        }
        Ok(match self.description.dimension {
            Dimension::Plane => Built::Plane(Box::new(self.setup::<2>()?)),
            Dimension::Space => Built::Space(Box::new(self.setup::<3>()?)),
        })
    }

    fn setup<const D: usize>(&self) -> Result<Setup<D>, Diagnostics>
    where
        Dim<D>: Shapes<D> + Turns<D> + Kinematics<D>,
    {
        let step = self.rigid_step()?;
        let (prepared, mut diagnostics) = prepare::<D>(self)?;
        let (probes, flows) = observe::observed(self, &prepared, &mut diagnostics);
        let Some(model) = model::model(self, &prepared, &mut diagnostics) else { return Err(diagnostics) };
        let solids = solids::solids_with_bodies(self, |name| prepared.materials.lookup(name), &mut diagnostics);
        let state = model.initial_state();
        let size = start::judge(self, &prepared, &start::Start { model: &model, state: &state }, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let clock = Clock::new(&self.description.time, step);
        Ok(Setup {
            title: self.description.title.clone(),
            settings: settings(&self.description.solver, clock.step),
            clock,
            threads: self.description.solver.threads as usize,
            colours: prepared.materials.items.iter().map(|m| m.colour.clone()).collect(),
            decor: decor(&prepared, &model),
            materials: prepared.materials.names,
            model,
            state,
            solids,
            probes,
            flows,
            size,
            warnings: diagnostics,
        })
    }

    /// Whether rigid bodies are described.
    pub(crate) fn has_bodies(&self) -> bool {
        !self.description.body.items.is_empty() || !self.description.generate.0.is_empty()
    }

    /// The time step, which rigid bodies need; what is for deformable solids only is refused.
    fn rigid_step(&self) -> Result<f64, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mixed = !self.description.solid.items.is_empty();
        for key in ["mesh", "support", "mass", "contact", "analysis"] {
            let what = match (mixed, key) {
                (true, "mass" | "contact") => format!(
                    "`{key}` is for scenes of deformable solids alone: among rigid bodies, solids meet everything, by the \
                     laws of their materials"
                ),
                (true, _) => continue,
                _ => format!("`{key}` is for deformable solids, and the scene has none: give [solid.NAME]"),
            };
            if self.tree.get(key).is_some() {
                self.error(&mut diagnostics, &Path::of(&[key]), Problem::Inconsistent { what });
            }
        }
        if self.description.time.step.is_none() {
            let problem = Problem::MissingKey { parent: "time".into(), key: "step".into() };
            self.error(&mut diagnostics, &Path::of(&["time"]), problem);
        }
        diagnostics.into_result(self.description.time.step.unwrap_or_default())
    }

    /// Builds the scene and says what it holds: bodies, contacts at the start, size of the run.
    pub fn check(&self) -> Result<Check, Diagnostics> {
        let (solids, dimension, size, clock, warnings) = match self.build()? {
            Built::Plane(s) => (solids::total_size(&s.solids), 2, s.size, s.clock, s.warnings),
            Built::Space(s) => (solids::total_size(&s.solids), 3, s.size, s.clock, s.warnings),
            Built::Solids(s) => (Some(s.size), s.model.dim, Size::default(), s.clock, s.warnings),
        };
        // Position, orientation, velocity and spin of a body; key, frame, gap, force of two or three contacts a body.
        let per_body = if dimension == 2 { 6 * 8 + 2 * 120 } else { 13 * 8 + 3 * 180 };
        // Five vectors, two tensors and two scalars of a node, internal variables, ten numbers of a contact point.
        let nodal = solids.map_or(0, |s| 8 * (s.nodes * (5 * dimension + 14) + s.history + 20 * s.facets) as u64);
        let frame = nodal + size.bodies() as u64 * per_body;
        Ok(Check {
            title: self.description.title.clone(),
            dimension,
            size,
            solids,
            steps: clock.steps,
            step: clock.step,
            frames: clock.frames(),
            bytes: clock.frames().saturating_mul(frame),
            warnings,
        })
    }
}

/// Shapes of bodies with `contact = false`, in the principal axes of the model.
fn decor<const D: usize>(prepared: &Prepared<D>, model: &RigidModel<D>) -> Vec<Collider<D>>
where
    Dim<D>: Kinematics<D>,
{
    let mut all = Vec::new();
    let bodies = prepared.items.iter().zip(&prepared.made).zip(model.bodies()).enumerate();
    for (i, ((item, made), body)) in bodies.filter(|(_, ((item, _), _))| !item.touches()) {
        let rotation = body.frame.rotation.transpose();
        let inner = Pose { position: -(rotation * body.frame.position), rotation };
        all.extend(made.pieces.iter().map(|piece| Collider {
            body: i as u32,
            shape: piece.shape.clone(),
            offset: inner.then(&piece.offset),
            material: piece.material,
            group: made.group,
            fixed: item.role != bodies::Role::Free,
        }));
    }
    all
}

fn settings(solver: &Solver, h: f64) -> StepSettings {
    StepSettings {
        tolerance: solver.tolerance,
        solver: solver.name,
        max_iterations: solver.iterations.map(|n| n as usize),
        on_failure: match solver.on_failure {
            OnFailure::Accept => Policy::Accept,
            OnFailure::Retry => Policy::Retry { divide: 2, times: solver.retries.min(16) as usize },
            OnFailure::Stop => Policy::Stop,
        },
        correction: solver.correction.then(Correction::default),
        ..StepSettings::with_step(h)
    }
}
