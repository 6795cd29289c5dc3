//! Solids alone in a world of either dimension, as the tests look at them.
#![allow(dead_code, clippy::unwrap_used)]

use delassus_contact::Detector;
use delassus_contact::skin::SkinSpec;
use delassus_dynamics::{
    Bodies, ContactStatus, Error as StepError, Event, Interactions, Ledger, PointView, Report as StepReport, State,
    StepSettings, World, WorldParts,
};
pub use delassus_fem::SolidSettings as Settings;
use delassus_fem::subsystem::Columns;
use delassus_fem::{Error, Function, Model, Solids, world_of};
use std::sync::Arc;

/// A line through 0 at time 0 and `value` at time `end`.
pub fn ramp(value: f64, end: f64) -> Function {
    Function::expression(&format!("({value:?}) * t / {end:?}")).unwrap()
}

pub enum Any {
    Plane(Box<World<2, 2>>),
    Space(Box<World<3, 3>>),
}

macro_rules! any {
    ($any:expr, $w:ident => $e:expr) => {
        match $any {
            Any::Plane($w) => $e,
            Any::Space($w) => $e,
        }
    };
}

/// What the tests ask of a step.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub energy: Ledger,
    pub linear: [f64; 3],
    pub angular: [f64; 3],
    pub residual: f64,
    pub balance: f64,
    pub closed: usize,
    pub sliding: usize,
    pub penetration: f64,
    pub approach: f64,
    pub force: [f64; 3],
    pub newton: usize,
    pub flagged: bool,
}

/// A point of a surface in contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactView {
    pub position: [f64; 3],
    pub pressure: f64,
    /// Along the first tangent.
    pub shear: f64,
    pub status: ContactStatus,
}

pub struct Analysis {
    pub world: Any,
    model: Arc<Model>,
    columns: Columns,
    lumped: Vec<f64>,
    h: f64,
    report: Report,
}

impl Analysis {
    pub fn new(model: Model, settings: Settings) -> Result<Self, Error> {
        fn about<const D: usize>(solids: &Solids<D>) -> (Arc<Model>, Columns, Vec<f64>, f64) {
            (solids.model().clone(), solids.columns().clone(), solids.structure().lumped().to_vec(), solids.step())
        }
        let (world, (model, columns, lumped, h)) = match model.dim {
            2 => {
                let about = about(&Solids::<2>::new(model.clone(), settings.clone())?);
                (Any::Plane(Box::new(world_of::<2>(model, settings)?)), about)
            }
            _ => {
                let about = about(&Solids::<3>::new(model.clone(), settings.clone())?);
                (Any::Space(Box::new(world_of::<3>(model, settings)?)), about)
            }
        };
        let mut analysis = Self { world, model, columns, lumped, h, report: Report::default() };
        analysis.look();
        Ok(analysis)
    }

    fn look(&mut self) {
        fn points<const D: usize>(world: &[PointView<D>], report: &mut Report) {
            for p in world {
                let slides = p.status == ContactStatus::Slip;
                report.closed += usize::from(p.status != ContactStatus::Open);
                report.sliding += usize::from(slides && p.stress.iter().skip(1).any(|s| *s != 0.0));
                let force = p.frame * p.stress * p.area;
                (0..D).for_each(|k| report.force[k] += force[k]);
            }
        }
        let mut report = Report::default();
        let StepReport { energy, momenta, residual, balance, max_penetration, approach, newton, events, loops, .. } =
            any!(&self.world, w => w.report().clone());
        any!(&self.world, w => points(&w.points().collect::<Vec<_>>(), &mut report));
        report.flagged = events.iter().any(|e| matches!(e, Event::NotConverged(_)));
        (report.energy, report.linear, report.angular) = (energy, momenta.linear, momenta.angular);
        (report.residual, report.balance, report.penetration) = (residual, balance, max_penetration);
        (report.approach, report.newton) = (approach, newton + loops.newton);
        self.report = report;
    }

    pub fn step(&mut self) -> Result<&Report, StepError> {
        any!(&mut self.world, w => w.step().map(|_| ()))?;
        self.look();
        Ok(&self.report)
    }

    /// The step alone, nothing looked at.
    pub fn bare_step(&mut self) -> &StepReport {
        any!(&mut self.world, w => w.step().unwrap())
    }

    pub fn report(&self) -> &Report {
        &self.report
    }

    pub fn state(&self) -> &State {
        any!(&self.world, w => w.state())
    }

    pub fn set_state(&mut self, state: State) -> Result<(), StepError> {
        any!(&mut self.world, w => w.set_state(state))
    }

    /// Energy of the present state.
    pub fn state_energy(&self) -> f64 {
        any!(&self.world, w => w.energies().total())
    }

    pub fn log(&self) -> &[String] {
        any!(&self.world, w => w.log())
    }

    pub fn time(&self) -> f64 {
        self.state().time
    }

    pub fn u(&self) -> &[f64] {
        &self.state().q[self.columns.displacement.clone()]
    }

    pub fn v(&self) -> &[f64] {
        &self.state().u
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn lumped(&self) -> &[f64] {
        &self.lumped
    }

    pub fn h(&self) -> f64 {
        self.h
    }

    pub fn contact_view(&self) -> impl Iterator<Item = ContactView> {
        fn views<const D: usize>(world: &World<D, D>) -> Vec<ContactView>
        where
            delassus_contact::Dim<D>: delassus_contact::Space<D>,
        {
            let wide = |p: &PointView<D>| std::array::from_fn(|k| if k < D { p.position[k] } else { 0.0 });
            let view = |p: PointView<D>| ContactView {
                position: wide(&p),
                pressure: p.stress[0],
                shear: p.stress[1],
                status: p.status,
            };
            world.points().map(view).collect()
        }
        any!(&self.world, w => views(w)).into_iter()
    }
}

/// Solids whose skins meet by laws, given by the materials of the parts; `tolerance` is that of the laws.
pub fn meeting(
    model: Model,
    settings: Settings,
    (materials, laws): (&[u16], Interactions),
    tolerance: f64,
) -> Result<World<2, 2>, Error> {
    let method = settings.method();
    let mut solids = Solids::<2>::new(model, settings)?;
    let (q, u) = solids.start()?;
    let mut skins = vec![];
    for (k, part) in solids.model().parts.iter().enumerate() {
        skins.push(SkinSpec::new(k as u32, part.mesh.skin(part.first as u32).unwrap()).material(materials[k]));
    }
    let detector =
        Detector::with_skins(vec![], skins, solids.reference(), Default::default()).map_err(StepError::from)?;
    let bodies = Bodies { detector: Some(detector), materials: materials.to_vec(), laws };
    let step = StepSettings { tolerance, ..StepSettings::with_step(solids.step()) };
    let parts = WorldParts { parts: vec![Box::new(solids)], bodies, weak: vec![], method };
    Ok(World::new(parts, State { q, u, ..State::default() }, step)?)
}
