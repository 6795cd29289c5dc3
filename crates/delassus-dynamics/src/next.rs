//! The contact problem of the coming step, before it is solved.

use crate::{Error, Form, Rows, World};
use delassus_contact::{Contact, Dim, Space, Vector as Place};
use delassus_friction::Problem;
use delassus_friction::algebra::Vector;

/// Stages 1 to 4 of a step: what will be solved. Blocks are the contacts, then the links, then surfaces.
pub struct NextStep<'a, const D: usize, const C: usize> {
    /// `W`, `b` and the laws.
    pub problem: &'a Problem<C>,
    /// Rows of `G`, block by block.
    pub rows: &'a Rows<C>,
    /// The contacts among the blocks, in order; without links also the blocks of surfaces, at their mean places.
    pub contacts: Vec<Contact<D>>,
    /// Percussions the solver would start from, those of the last step.
    pub start: &'a [Vector<C>],
    /// Free velocities, with the constant part of the laws' percussions.
    pub free: &'a [f64],
    /// Length of the step, or of the first of its equal parts \[s\].
    pub h: f64,
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// The problem of the coming step, or of its first part. The state does not change.
    pub fn next_step(&mut self) -> Result<NextStep<'_, D, C>, Error> {
        let h = self.settings.h / self.parts_of_step(self.settings.h)? as f64;
        self.sleep.wake_all();
        self.predict(h)?;
        self.detect(h)?;
        self.free(h)?;
        self.list_weak(false);
        self.list_laws(h)?;
        self.reduce(Form::Assembled)?;
        let mut contacts: Vec<Contact<D>> =
            self.ws.active.iter().map(|c| self.ws.found.contacts[*c as usize]).collect();
        if self.ws.links.is_empty() {
            contacts.extend(self.ws.weak_active.iter().map(|(b, _)| self.of_surfaces(*b as usize)));
        }
        let ws = &self.ws;
        Ok(NextStep { problem: &ws.problem, rows: &ws.rows, contacts, start: &ws.s, free: &ws.loaded, h })
    }

    /// Leaves the problem of the coming step as a file, where that is asked for.
    pub(crate) fn keep_problem(&mut self) -> Result<(), Error> {
        let step = self.state.step;
        if !self.settings.keep.contains(&step) {
            return Ok(());
        }
        let Some(folder) = self.settings.failures.clone() else { return Ok(()) };
        let next = self.next_step()?;
        crate::failure::write(&folder, step, next.problem, next.start)?;
        Ok(())
    }

    /// A block of surfaces as a contact of the solids.
    fn of_surfaces(&self, block: usize) -> Contact<D> {
        let weak = &self.ws.weak;
        let body = self.parts.with_nodes().map_or(0, |(_, first)| first.bodies as u32);
        let normal =
            weak.normal[block].try_normalize(0.0).unwrap_or_else(|| Place::from_fn(|k, _| f64::from(u8::from(k == 0))));
        Contact {
            key: weak.key(block),
            bodies: [body; 2],
            points: [weak.place[block]; 2],
            shift: Place::zeros(),
            frame: Dim::<D>::frame(&normal, None),
            gap: weak.gap[block],
            wall_velocity: Place::zeros(),
        }
    }
}
