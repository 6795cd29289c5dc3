//! The world as runs step, record, restore and hand it on.

use super::super::carry::{self, Kept, Luggage};
use super::super::events::Memory;
use super::super::fields::{self, Look};
use super::super::flow::{self, FlowMeter};
use super::super::geometry::{Drawn, geometry};
use super::super::solids::SolidLook;
use super::super::{Controls, Engine, Error, NextStep, Now, Progress, Totals, tables, wear};
use super::Scene;
use delassus_contact::Dim;
use delassus_dynamics::Wear;
use delassus_fem::Solids;
use delassus_record::{Frame, Header, Run as Record};
use delassus_rigid::{Kinematics, Report, State, simulate};
use delassus_scene::{Laboratory, Stood};
use std::sync::Arc;

impl<const D: usize> Engine for Scene<D>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    fn step(&mut self) -> Result<(), Error> {
        self.adapt()?;
        self.run.step()?;
        if !(self.flows.is_empty() && self.lab.events.is_empty()) {
            self.run.contacts(&mut self.contacts);
            for flow in &mut self.flows {
                flow.follow(&self.model, self.run.state(), &self.contacts, self.run.report());
            }
        }
        self.totals.follow(self.run.report());
        self.look_out();
        Ok(())
    }

    fn lab(&self) -> (&Laboratory, &Memory) {
        (&self.lab, &self.memory)
    }

    fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn enter_stage(&mut self, name: &str) {
        self.stage = name.to_owned();
    }

    fn pack(&self) -> Luggage {
        carry::pack(&carry::Packing { model: &self.model, state: self.run.state(), lab: &self.lab })
    }

    fn unpack(&mut self, luggage: &Luggage, kept: &Kept) -> Result<(), Error> {
        let mut model = (*self.model).clone();
        let state = carry::unpack(&mut model, self.run.state(), luggage, &self.lab, kept);
        self.model = Arc::new(model);
        self.run = match (&mut self.solids, &self.recipe) {
            (Some(look), Some(recipe)) => {
                let solids = Solids::<D>::new((**look.model()).clone(), recipe.solids.clone())?;
                recipe.world(&self.model, solids, state)?
            }
            _ => simulate(self.model.clone(), state, self.settings.clone())?,
        };
        self.run.set_wear(wear::start(&self.worn));
        self.totals.energy = self.run.energies();
        Ok(())
    }

    fn succeed(&mut self, old: &mut dyn Engine) {
        let (totals, memory, wear, flows) = old.heritage();
        let brought = self.run.energies().total() - totals.energy.total();
        let now = self.run.energies();
        self.totals = totals;
        self.totals.energy.correction += brought;
        (self.totals.energy.kinetic, self.totals.energy.potential) = (now.kinetic, now.potential);
        self.totals.energy.strain = now.strain;
        self.memory = memory;
        self.run.set_wear(wear);
        for (meter, numbers) in self.flows.iter_mut().zip(flows) {
            // The same slices and classes: the scene observes what it did.
            let _ = meter.resume(&numbers);
        }
    }

    fn heritage(&mut self) -> (Totals, Memory, Vec<Wear>, Vec<Vec<f64>>) {
        let flows = self.flows.iter().map(FlowMeter::kept_numbers).collect();
        (self.totals, self.memory.clone(), self.run.wear().to_vec(), flows)
    }

    fn set_origin(&mut self, origin: &[f64]) {
        self.origin.q.clear();
        self.origin.q.extend(origin);
    }

    fn origin(&self) -> &[f64] {
        &self.origin.q
    }

    fn places(&self) -> Vec<Option<[f64; 3]>> {
        let free = |b: usize| self.lab.present[b] && self.model.bodies()[b].is_dynamic();
        let place = |b: usize| {
            let x = self.model.centre_pose(self.run.state(), b).position;
            std::array::from_fn(|k| if k < D { x[k] } else { 0.0 })
        };
        (0..self.model.bodies().len()).map(|b| free(b).then(|| place(b))).collect()
    }

    fn stands(&self) -> Vec<Stood> {
        let state = self.run.state();
        let bodies = self.model.bodies().iter().enumerate();
        bodies.map(|(i, body)| carry::stood(&self.model.pose(state, i), body)).collect()
    }

    fn begin(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.begin(self.run.state()));
    }

    fn restore(&mut self, run: &Record, frame: usize) -> Result<(), Error> {
        let (mut state, totals) = fields::read(run, frame, D)?;
        if let Some(solids) = &mut self.solids {
            solids.read(run, frame, &mut state)?;
        }
        match (&mut self.solids, &self.recipe) {
            (Some(look), Some(recipe)) if look.patches().is_some() => {
                // The model of that frame may be another one.
                if let Some(patches) = look.patches() {
                    let solids = Solids::<D>::new(patches.model_at(patches.stands())?, recipe.solids.clone())?;
                    look.remake(&solids);
                    self.run = recipe.world(&self.model, solids, state)?;
                }
            }
            _ => self.run.set_state(state)?,
        }
        for meter in &mut self.flows {
            let name = flow::kept(meter.flow());
            let column = run.read(frame, &name)?;
            column.f64().and_then(|x| meter.resume(x)).ok_or_else(|| Error::Frame {
                frame,
                reason: format!("'{name}' is not what the observed flow needs"),
            })?;
        }
        self.run.set_wear(wear::read(&self.worn, run, frame)?);
        self.totals = totals;
        if run.header().position(fields::MEMORY_OF).is_some() {
            let column = run.read(frame, fields::MEMORY_OF)?;
            column.f64().and_then(|x| self.memory.set(x)).ok_or_else(|| Error::Frame {
                frame,
                reason: format!("'{}' is not what the events of the scene need", fields::MEMORY_OF),
            })?;
        }
        Ok(())
    }

    fn adopt(&mut self, state: State, totals: Totals) -> Result<(), Error> {
        if self.solids.is_some() || !self.flows.is_empty() || !self.worn.is_empty() {
            let reason = "a scene with solids, observed flows or wear cannot be changed while it runs".into();
            return Err(Error::Frame { frame: 0, reason });
        }
        self.run.set_state(state)?;
        self.totals = totals;
        Ok(())
    }

    fn restore_places(&mut self, run: &Record, frame: usize) -> Result<(), Error> {
        let (mut state, _) = fields::read(run, frame, D)?;
        if let Some(solids) = &mut self.solids {
            solids.read(run, frame, &mut state)?;
        }
        let mut own = self.run.state().clone();
        if (state.q.len(), state.u.len()) != (own.q.len(), own.u.len()) {
            return Err(Error::Frame { frame, reason: "other bodies than those of the scene".into() });
        }
        (own.q, own.u, own.time, own.step) = (state.q, state.u, state.time, state.step);
        own.contacts.clear();
        Ok(self.run.set_state(own)?)
    }

    fn now(&self) -> Now<'_> {
        let state = self.run.state();
        Now { step: state.step, time: state.time, velocities: &state.u, hash: state.hash() }
    }

    fn state(&self) -> &State {
        self.run.state()
    }

    fn set_state(&mut self, state: State, totals: Totals) -> Result<(), Error> {
        self.run.set_state(state)?;
        self.totals = totals;
        Ok(())
    }

    fn controls(&self) -> &Controls {
        &self.controls
    }

    fn whole_report(&self) -> &Report {
        self.run.report()
    }

    fn progress(&self) -> Progress<'_> {
        let report = self.run.report();
        let residual = report.residual.max(report.balance);
        let (contacts, by_bodies, timings) = (report.contacts, report.by_bodies, report.timings);
        Progress { contacts, residual, by_bodies, timings, events: &report.events }
    }

    fn totals(&self) -> &Totals {
        &self.totals
    }

    fn header(&self) -> Header {
        let mut header = Header::new(self.title.clone(), D);
        header.fields = self.table.fields();
        header.geometry = geometry(&self.model, self.run.state(), &self.decor, &self.materials);
        header.constants = tables::tables(&self.model, (&self.decor, &self.volumes), &self.materials, &self.lab);
        if let Some(solids) = &self.solids {
            header.geometry.extend(solids.geometry());
            if self.model.bodies().is_empty() {
                header.attributes.insert("model".into(), "solids".into());
            }
            header.attributes.insert("scheme".into(), solids.scheme().into());
            header.attributes.insert("formalism".into(), solids.formalism().into());
        }
        header
    }

    fn log(&self) -> &[String] {
        self.run.log()
    }

    fn names(&self) -> Vec<String> {
        let bodies = self.model.bodies().iter().map(|b| b.name.to_string());
        bodies.chain(self.solids.iter().flat_map(SolidLook::names)).collect()
    }

    fn fill(&mut self, frame: &mut Frame) -> Result<(), Error> {
        self.run.contacts(&mut self.contacts);
        self.run.points(&mut self.points);
        self.observe();
        self.watch();
        if let Some(solids) = &mut self.solids {
            solids.look(self.run.state())?;
        }
        let look = Look {
            state: self.run.state(),
            report: self.run.report(),
            bodies: self.model.bodies().len(),
            contacts: &self.contacts,
            points: &self.points,
            totals: &self.totals,
            probes: &self.seen,
            wear: self.run.wear(),
            flows: &self.flows,
            solids: self.solids.as_ref(),
            joints: &self.joints,
            watched: &self.watched,
            present: &self.lab.present,
            memory: &self.memory,
        };
        self.table.fill(&look, frame);
        Ok(())
    }

    fn next_step(&mut self) -> Result<NextStep, Error> {
        Ok(NextStep::new(self.run.next_step()?))
    }
}
