//! Deformable solids in motion.

use super::solid_fields::{self as fields, Sizes};
use super::{Coming, Engine, Error, Now, Options, Progress, Totals};
use delassus_fem::analysis::{Analysis, ContactView, Ledger, Settings, Status};
use delassus_fem::solid::CellFields;
use delassus_record::{BodyGeometry, Frame, Header, Run};
use delassus_rigid::Ledger as Account;
use delassus_scene::{SolidProbe, SolidSetup};

/// A model of deformable solids in motion.
pub struct Solids {
    analysis: Analysis,
    title: String,
    materials: Vec<String>,
    probes: Vec<SolidProbe>,
    totals: Totals,
    ledger: Ledger,
    contacts: Vec<ContactView>,
    stress: Vec<CellFields>,
}

impl Solids {
    /// At the start of the scene.
    pub fn new(setup: SolidSetup, options: &Options) -> Result<Self, Error> {
        let settings = Settings { log: options.log, ..setup.settings };
        let analysis = Analysis::new(setup.model, settings)?;
        let parts = analysis.model().parts.len();
        let mut solids = Self {
            analysis,
            title: setup.title,
            materials: setup.materials,
            probes: setup.probes,
            totals: Totals::default(),
            ledger: Ledger::default(),
            contacts: vec![],
            stress: vec![CellFields::default(); parts],
        };
        solids.ledger = solids.analysis.report().energy;
        solids.totals.energy = account(&solids.ledger);
        Ok(solids)
    }

    /// Contact points and stresses of the present state.
    fn look(&mut self) -> Result<(), Error> {
        self.contacts.clear();
        self.contacts.extend(self.analysis.contact_view());
        let (state, mut first) = (self.analysis.state(), 0);
        for (part, out) in self.analysis.model().parts.iter().zip(&mut self.stress) {
            let history = &state.history[first..first + part.solid.history_len()];
            first += history.len();
            part.solid
                .fields(&state.u[part.range()], history, out)
                .map_err(|e| Error::Stress { solid: part.name.clone(), reason: e.to_string() })?;
        }
        Ok(())
    }

    fn sizes(&self) -> Sizes {
        let model = self.analysis.model();
        Sizes {
            dimension: model.dim,
            nodes: model.nodes(),
            history: self.analysis.state().history.len(),
            pairs: model.contacts.iter().map(|c| c.name.clone()).collect(),
            probes: self.probes.iter().map(|p| p.name.clone()).collect(),
        }
    }
}

/// The same balance in the words of rigid bodies.
fn account(ledger: &Ledger) -> Account {
    Account {
        kinetic: ledger.kinetic,
        potential: ledger.strain,
        external: ledger.external,
        friction: ledger.friction,
        shock: ledger.contact,
        numerical: ledger.numerical - ledger.plastic - ledger.viscous,
        closing: ledger.closing,
        ..Account::default()
    }
}

impl Engine for Solids {
    fn step(&mut self) -> Result<(), Error> {
        let explicit = self.analysis.settings().scheme.is_explicit();
        let report = self.analysis.step()?;
        self.ledger.follow(&report.energy);
        self.totals.energy = account(&self.ledger);
        self.totals.worst_residual = self.totals.worst_residual.max(report.residual.max(report.balance));
        self.totals.deepest = self.totals.deepest.max(report.penetration);
        // Parts of explicit steps follow the stability limit: nothing failed.
        self.totals.retried += u64::from(report.parts > 1 && !explicit);
        self.totals.handed_over += u64::from(report.counts.handed_over > 0);
        Ok(())
    }

    fn begin(&mut self) {}

    fn restore(&mut self, run: &Run, frame: usize) -> Result<(), Error> {
        let kept = fields::read(run, frame, &self.sizes())?;
        self.analysis.set_state(kept.state)?;
        self.ledger = kept.ledger;
        self.totals = kept.totals;
        self.totals.energy = account(&self.ledger);
        Ok(())
    }

    fn time(&self) -> (u64, f64) {
        (self.analysis.state().step, self.analysis.state().time)
    }

    fn now(&self) -> Now<'_> {
        let state = self.analysis.state();
        let mut hasher = blake3::Hasher::new();
        let mut add = |x: f64| {
            hasher.update(&x.to_bits().to_le_bytes());
        };
        add(state.time);
        for (_, column) in state.columns() {
            add(column.len() as f64);
            column.iter().copied().for_each(&mut add);
        }
        Now { step: state.step, time: state.time, velocities: &state.v, hash: hasher.finalize().into() }
    }

    fn progress(&self) -> Progress<'_> {
        let report = self.analysis.report();
        Progress { contacts: report.closed, residual: report.residual.max(report.balance), events: &[] }
    }

    fn totals(&self) -> &Totals {
        &self.totals
    }

    fn header(&self) -> Header {
        let model = self.analysis.model();
        let mut header = Header::new(self.title.clone(), model.dim);
        header.fields = fields::fields(&self.sizes());
        header.geometry = model
            .parts
            .iter()
            .enumerate()
            .map(|(i, part)| BodyGeometry {
                name: part.name.clone(),
                body: i as u32,
                material: self.materials.get(i).cloned().unwrap_or_default(),
                points: part.mesh.points.clone(),
                polygons: (0..part.solid.cells()).map(|c| part.solid.connectivity(c).to_vec()).collect(),
            })
            .collect();
        header.attributes.insert("model".into(), "solids".into());
        header.attributes.insert("scheme".into(), self.analysis.settings().scheme.name().into());
        header.attributes.insert("formalism".into(), self.analysis.settings().contact.formalism.name().into());
        header
    }

    fn log(&self) -> &[String] {
        self.analysis.log()
    }

    fn names(&self) -> Vec<String> {
        self.analysis.model().parts.iter().map(|p| p.name.clone()).collect()
    }

    fn fill(&mut self, frame: &mut Frame) -> Result<(), Error> {
        self.look()?;
        let source = fields::Source {
            state: self.analysis.state(),
            report: self.analysis.report(),
            ledger: &self.ledger,
            totals: &self.totals,
            contacts: &self.contacts,
            stress: &self.stress,
            probes: &self.probes,
        };
        fields::write(&source, &self.sizes(), frame);
        Ok(())
    }

    fn pose(&mut self) -> Result<Coming, Error> {
        Err(Error::RigidOnly { what: "the set of possible reactions" })
    }
}

/// A status as it is recorded.
pub(super) fn number(status: Status) -> u8 {
    match status {
        Status::Open => 0,
        Status::Stick => 1,
        Status::Slip => 2,
    }
}
