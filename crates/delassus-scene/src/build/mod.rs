//! From the description to a model that can be stepped.

mod bodies;
mod cell;
mod fluids;
mod forces;
mod laws;
mod model;
mod observe;
mod place;
mod prepare;
mod sane;
mod servo;
mod shape;
mod skin;
mod solids;
mod start;
mod watch;

pub(crate) use forces::each;
pub use observe::{Flow, Probe, Worn};
pub use solids::{Appearance, Following, Patch, SolidProbe, SolidSetup, SolidSize, Superposed, Target};
pub use watch::{EventSetup, FeederSetup, Laboratory, SinkSetup, Variable, Watched, Watching};

use crate::check::Check;
use crate::description::{Dimension, OnFailure, Solver, SweepForm, Time};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Collider, Dim, Pose};
use delassus_rigid::{Correction, Form, Kinematics, Policy, RigidModel, State, StepSettings};
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
    /// Bodies that are not there yet, and move when a feeder or a stage brings them.
    pub later: usize,
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
        self.free + self.fixed + self.moved + self.later
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
    /// Deformable solids.
    pub solids: Option<SolidSetup>,
    /// Materials of the skins of the solids, by part: places among `materials`.
    pub skins: Vec<u16>,
    /// Points to record.
    pub probes: Vec<Probe>,
    /// Flows to record.
    pub flows: Vec<Flow>,
    /// Rubbing pairs to record.
    pub worn: Vec<Worn>,
    /// What else is observed, events, sinks, feeders.
    pub lab: Laboratory,
    /// Numbers of bodies and contacts.
    pub size: Size,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl<const D: usize> Setup<D>
where
    Dim<D>: Kinematics<D>,
{
    /// Whether a body moves freely, once it is there.
    pub fn is_free(&self, body: usize) -> bool {
        let later = self.lab.later.get(body).is_some_and(|l| *l);
        later || self.model.bodies().get(body).is_some_and(|b| b.is_dynamic())
    }
}

/// A scene built, in the plane or in space.
#[derive(Clone, Debug)]
pub enum Built {
    /// In the plane.
    Plane(Box<Setup<2>>),
    /// In space.
    Space(Box<Setup<3>>),
}

impl Built {
    /// The deformable solids.
    pub fn solids(&self) -> Option<&SolidSetup> {
        match self {
            Self::Plane(setup) => setup.solids.as_ref(),
            Self::Space(setup) => setup.solids.as_ref(),
        }
    }

    /// Bodies that move freely, of those that are there; solids and beams.
    pub fn moving(&self, there: impl Fn(usize) -> bool) -> usize {
        let free = match self {
            Self::Plane(s) => (0..s.model.bodies().len()).filter(|b| s.is_free(*b) && there(*b)).count(),
            Self::Space(s) => (0..s.model.bodies().len()).filter(|b| s.is_free(*b) && there(*b)).count(),
        };
        free + self.solids().map_or(0, |s| s.model.parts.len() + s.model.beams.len())
    }

    /// Whether there are solids and no bodies.
    pub fn is_of_solids(&self) -> bool {
        let bodies = match self {
            Self::Plane(setup) => setup.model.bodies().len(),
            Self::Space(setup) => setup.model.bodies().len(),
        };
        bodies == 0 && self.solids().is_some()
    }
}

impl Scene {
    /// Builds the model, the state and the settings; every error is reported.
    pub fn build(&self) -> Result<Built, Diagnostics> {
        Ok(match self.description.dimension {
            Dimension::Plane => Built::Plane(Box::new(self.setup::<2>()?)),
            Dimension::Space => Built::Space(Box::new(self.setup::<3>()?)),
        })
    }

    fn setup<const D: usize>(&self) -> Result<Setup<D>, Diagnostics>
    where
        Dim<D>: Shapes<D> + Turns<D> + Kinematics<D>,
    {
        self.check_keys()?;
        let (prepared, mut diagnostics) = prepare::<D>(self)?;
        sane::check_places(self, &prepared, &mut diagnostics);
        let solids = solids::build::<D>(self, &mut diagnostics);
        let (probes, flows) = observe::observed(self, &prepared, &mut diagnostics);
        let worn = observe::worn(self, &prepared, &mut diagnostics);
        let lab = watch::build(self, &prepared, &probes, &mut diagnostics);
        let Some(model) = model::model(self, &prepared, &mut diagnostics) else { return Err(diagnostics) };
        let skins = self.skins(&prepared, solids.as_ref(), &mut diagnostics);
        let state = model.initial_state();
        for patch in solids.iter().flat_map(|s| &s.patches) {
            let Some(Target::Body(name)) = patch.follow.as_ref().map(|f| &f.target) else { continue };
            if model.bodies().iter().all(|b| *b.name != **name) {
                let path = Path::of(&["arlequin"]).at(&patch.name).at("follow").at("body");
                let known: Vec<&str> = model.bodies().iter().map(|b| &*b.name).collect();
                let problem = Problem::UnknownName { kind: "body", name: name.clone() };
                self.error(&mut diagnostics, &path, problem).accepted(name, known);
            }
        }
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let size = start::judge(self, &prepared, &start::Start { model: &model, state: &state }, &mut diagnostics);
        let step = solids.as_ref().and_then(|s| s.settings.step).or(self.description.time.step).unwrap_or_default();
        let clock = Clock::new(&self.description.time, step);
        self.check_times(&clock, solids.as_ref(), &mut diagnostics);
        self.check_stability((&model, &state), clock.step, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        Ok(Setup {
            title: self.description.title.clone(),
            settings: self.step_settings(solids.as_ref(), clock.step),
            clock,
            threads: self.description.solver.threads as usize,
            colours: prepared.materials.items.iter().map(|m| m.colour.clone()).collect(),
            decor: decor(&prepared, &model),
            materials: prepared.materials.names,
            model,
            state,
            solids,
            skins,
            probes,
            worn,
            lab,
            flows,
            size,
            warnings: diagnostics,
        })
    }

    /// Settings of the step: those of `solver`; solids alone are judged by `analysis.tolerance` and cut back as
    /// `analysis.cutbacks` says, unless `solver` is given.
    fn step_settings(&self, solids: Option<&SolidSetup>, h: f64) -> StepSettings {
        let solver = settings(&self.description.solver, h);
        match solids {
            Some(solids) if !self.has_bodies() && self.tree.get("solver").is_none() => solids.settings.step_settings(h),
            _ => solver,
        }
    }

    /// Materials of the skins; every pair that may meet has a law, and one that nodes know.
    fn skins<const D: usize>(
        &self,
        prepared: &Prepared<D>,
        solids: Option<&SolidSetup>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<u16>
    where
        Dim<D>: Kinematics<D>,
    {
        let Some(solids) = solids else { return vec![] };
        let of = |name: &String| prepared.materials.lookup(name).unwrap_or(0);
        let skins: Vec<u16> = solids.materials.iter().map(of).collect();
        let laws = &prepared.laws;
        if laws.components(D) != D {
            let what =
                "nodes of solids have no rotation: rolling and torsional laws are for scenes of rigid bodies alone";
            self.error(diagnostics, &Path::of(&["law"]), Problem::Inconsistent { what: what.into() });
        }
        if !solids.meet {
            return skins;
        }
        let bodies: Vec<u16> = prepared.made.iter().flat_map(|m| m.pieces.iter().map(|p| p.material)).collect();
        let mut others: Vec<u16> = bodies.iter().chain(&skins).copied().collect();
        others.sort_unstable();
        others.dedup();
        for ((part, &skin), &itself) in solids.model.parts.iter().zip(&skins).zip(&solids.itself) {
            // Another solid, a body or a fold of the same material.
            let meets_its_like = itself || bodies.contains(&skin) || skins.iter().filter(|s| **s == skin).count() > 1;
            for &other in &others {
                let what = match laws.get(skin, other) {
                    None if other == skin && !meets_its_like => continue,
                    None => {
                        let names = [skin, other].map(|m| prepared.materials.names[m as usize].as_str());
                        format!(
                            "no law between `{}` and `{}`: give [law], or [[law]] with `between`",
                            names[0], names[1]
                        )
                    }
                    Some(_) => continue,
                };
                let path = Path::of(&["solid"]).at(&part.name);
                self.error(diagnostics, &path, Problem::Inconsistent { what });
                break;
            }
        }
        skins
    }

    /// Whether rigid bodies are described.
    pub(crate) fn has_bodies(&self) -> bool {
        !self.description.body.items.is_empty() || !self.description.generate.0.is_empty()
    }

    /// Whether deformable solids or beams are described.
    pub fn has_solids(&self) -> bool {
        !self.description.solid.items.is_empty() || !self.description.beam.items.is_empty()
    }

    /// What is for deformable solids only is refused where there are none; rigid bodies need a time step.
    fn check_keys(&self) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        if !self.has_solids() {
            for key in ["mesh", "arlequin", "tie", "support", "mass", "absorbing", "contact", "analysis"]
                .iter()
                .filter(|k| self.tree.get(k).is_some())
            {
                let what = format!("`{key}` is for deformable solids, and the scene has none: give [solid.NAME]");
                self.error(&mut diagnostics, &Path::of(&[key]), Problem::Inconsistent { what });
            }
            if self.description.time.step.is_none() {
                let problem = Problem::MissingKey { parent: "time".into(), key: "step".into() };
                self.error(&mut diagnostics, &Path::of(&["time"]), problem);
            }
        }
        self.check_memory(&mut diagnostics);
        diagnostics.into_result(())
    }

    /// A stage is judged without knowing where bodies will be: they may overlap as described.
    pub(crate) fn build_alone(&self) -> Result<Built, Diagnostics> {
        let mut alone = self.clone();
        alone.description.initial.overlaps = crate::description::Overlaps::Accept;
        alone.build()
    }

    /// Builds the scene and says what it holds: bodies, contacts at the start, size of the run.
    pub fn check(&self) -> Result<Check, Diagnostics> {
        let of = |s: SolidSetup| (s.size, s.superpositions);
        // Bodies of later stages are judged where they enter.
        self.check_stages()?;
        let (solids, dimension, size, clock, warnings) = match self.build()? {
            Built::Plane(s) => (s.solids.map(of), 2, s.size, s.clock, s.warnings),
            Built::Space(s) => (s.solids.map(of), 3, s.size, s.clock, s.warnings),
        };
        let (solids, superpositions) = solids.map_or((None, vec![]), |(size, text)| (Some(size), text));
        // Position, orientation, velocity and spin of a body; key, frame, gap, force of two or three contacts a body.
        let per_body = if dimension == 2 { 6 * 8 + 2 * 120 } else { 13 * 8 + 3 * 180 };
        // Five vectors, two tensors and two scalars of a node, internal variables, ten numbers of a contact point.
        let nodal = solids.map_or(0, |s| 8 * (s.nodes * (5 * dimension + 14) + s.history + 20 * s.facets) as u64);
        let frame = nodal + size.bodies() as u64 * per_body;
        // As long as every stage goes on until its end.
        let later: Vec<Clock> = self.stages.iter().map(|(_, stage)| stage.clock(clock.step)).collect();
        let frames = clock.frames() + later.iter().map(|c| c.frames() - 1).sum::<u64>();
        Ok(Check {
            title: self.description.title.clone(),
            dimension,
            size,
            solids,
            superpositions,
            steps: clock.steps + later.iter().map(|c| c.steps).sum::<u64>(),
            step: clock.step,
            frames,
            bytes: frames.saturating_mul(frame),
            warnings,
        })
    }
}

/// Who is there, in the order of the bodies.
pub(crate) fn who(scene: &Scene) -> Vec<bool> {
    bodies::items(scene, &mut Diagnostics::default()).iter().map(|i| i.present).collect()
}

/// Names of all bodies, in their order.
pub(crate) fn names(scene: &Scene) -> Vec<String> {
    bodies::items(scene, &mut Diagnostics::default()).into_iter().map(|i| i.name).collect()
}

/// Shapes of bodies with `contact = false`, in the principal axes of the model.
fn decor<const D: usize>(prepared: &Prepared<D>, model: &RigidModel<D>) -> Vec<Collider<D>>
where
    Dim<D>: Kinematics<D>,
{
    let mut all = Vec::new();
    let bodies = prepared.items.iter().zip(&prepared.made).zip(model.bodies()).enumerate();
    for (i, ((item, made), body)) in bodies.filter(|(_, ((item, _), _))| !item.touches()) {
        let rotation = body.frame.rotation().transpose();
        let inner = Pose { position: -(rotation * body.frame.position), rotation };
        all.extend(made.pieces.iter().map(|piece| Collider {
            body: i as u32,
            shape: piece.shape.clone(),
            offset: inner.then(&piece.offset.pose()).into(),
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
        substeps: solver.substeps as usize,
        on_failure: match solver.on_failure {
            OnFailure::Accept => Policy::Accept,
            OnFailure::Retry => Policy::Retry { divide: 2, times: solver.retries.min(16) as usize },
            OnFailure::Stop => Policy::Stop,
        },
        correction: solver.correction.then(Correction::default),
        sleep: solver.sleep,
        form: match solver.form {
            SweepForm::Auto => Form::Auto,
            SweepForm::Assembled => Form::Assembled,
            SweepForm::Bodies => Form::Bodies,
        },
        ..StepSettings::with_step(h)
    }
}
