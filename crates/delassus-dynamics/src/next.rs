//! The contact problem of the coming step, before it is solved.

use crate::{Error, Rows, World};
use delassus_contact::{Contact, Dim, Space};
use delassus_friction::Problem;
use delassus_friction::algebra::Vector;

/// Stages 1 to 4 of a step: what will be solved. Blocks are the contacts, then the links, then surfaces.
pub struct NextStep<'a, const D: usize, const C: usize> {
    /// `W`, `b` and the laws.
    pub problem: &'a Problem<C>,
    /// Rows of `G`, block by block.
    pub rows: &'a Rows<C>,
    /// The contacts among the blocks, in order.
    pub contacts: Vec<Contact<D>>,
    /// Percussions the solver would start from, those of the last step.
    pub start: &'a [Vector<C>],
    /// Free velocities, with the constant part of the laws' percussions.
    pub free: &'a [f64],
    /// Length of the step \[s\].
    pub h: f64,
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// The problem of the coming step. The state does not change.
    pub fn next_step(&mut self) -> Result<NextStep<'_, D, C>, Error> {
        let h = self.settings.h;
        self.predict(h)?;
        self.detect(h)?;
        self.free(h)?;
        self.list_weak();
        self.list_laws(h)?;
        self.reduce()?;
        let ws = &self.ws;
        Ok(NextStep {
            problem: &ws.problem,
            rows: &ws.rows,
            contacts: ws.active.iter().map(|c| ws.found.contacts[*c as usize]).collect(),
            start: &ws.s,
            free: &ws.loaded,
            h,
        })
    }
}
