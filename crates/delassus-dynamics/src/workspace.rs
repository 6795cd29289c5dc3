//! Scratch of a step: sized once, never saved.

use crate::rest::Rest;
use crate::subsystem::Link;
use crate::{ContactState, Meeting, Mobility, Rows, State};
use delassus_contact::ContactSet;
use delassus_friction::algebra::Vector;
use delassus_friction::solver::Nlgs;
use delassus_friction::{Law, Problem};

/// Buffers, named by use. *Blocks* are the active contacts, then the links.
pub(crate) struct Workspace<const D: usize, const C: usize> {
    /// Contacts of the last step, for their frames.
    pub previous: ContactSet<D>,
    /// Contacts at `q_m`.
    pub found: ContactSet<D>,
    /// What each contact found carries: from the last step, then for the next.
    pub kept: Vec<ContactState>,
    /// Contacts that take part.
    pub active: Vec<u32>,
    /// What the laws of the active contacts saw.
    pub meetings: Vec<Meeting>,
    /// Links that take part.
    pub links: Vec<Link<C>>,
    /// Rows of `G` by block.
    pub rows: Rows<C>,
    /// Relative velocity before the step.
    pub before: Vec<Vector<C>>,
    /// Restitution of the active contacts.
    pub restitution: Vec<[f64; 2]>,
    /// Offsets of the percussions.
    pub offset: Vec<Vector<C>>,
    /// Part of the velocity in the laws that does not move: `w`, shift, restitution.
    pub fixed: Vec<Vector<C>>,
    /// Added to the diagonal of `W`.
    pub compliance: Vec<Vector<C>>,
    /// Laws, on their way into the problem.
    pub laws: Vec<Law>,
    /// The one-step problem.
    pub problem: Problem<C>,
    /// Percussions the laws speak of.
    pub s: Vec<Vector<C>>,
    /// Velocities the laws speak of, `W s + b`.
    pub u: Vec<Vector<C>>,
    /// Relative velocity after the step.
    pub after: Vec<Vector<C>>,
    /// Velocities before the step.
    pub u_i: Vec<f64>,
    /// Free velocities with the offsets' part.
    pub loaded: Vec<f64>,
    /// Velocities after the step.
    pub u_f: Vec<f64>,
    /// Generalised percussions.
    pub force: Vec<f64>,
    /// Scratch of the reduction.
    pub mobility: Mobility<C>,
    /// The fast path.
    pub nlgs: Option<Nlgs<C>>,
    /// Plain sweeps of large problems.
    pub plain: Option<Nlgs<C>>,
    /// The test of equilibrium.
    pub rest: Rest<C>,
    /// The state before a step that is made again.
    pub backup: State,
    /// The problem of the position correction and its unknowns.
    pub lift: Problem<C>,
    /// Its unknowns.
    pub lift_s: Vec<Vector<C>>,
    /// Its solver.
    pub lift_nlgs: Option<Nlgs<C>>,
}

impl<const D: usize, const C: usize> Default for Workspace<D, C> {
    fn default() -> Self {
        Self {
            previous: ContactSet::default(),
            found: ContactSet::default(),
            kept: vec![],
            active: vec![],
            meetings: vec![],
            links: vec![],
            rows: Rows::default(),
            before: vec![],
            restitution: vec![],
            offset: vec![],
            fixed: vec![],
            compliance: vec![],
            laws: vec![],
            problem: Problem::default(),
            s: vec![],
            u: vec![],
            after: vec![],
            u_i: vec![],
            loaded: vec![],
            u_f: vec![],
            force: vec![],
            mobility: Mobility::default(),
            nlgs: None,
            plain: None,
            rest: Rest::default(),
            backup: State::default(),
            lift: Problem::default(),
            lift_s: vec![],
            lift_nlgs: None,
        }
    }
}

impl<const D: usize, const C: usize> Workspace<D, C> {
    /// What contacts carry over: both lists are sorted by key.
    pub fn carry_over(&mut self, state: &State) {
        self.kept.clear();
        let mut old = state.contacts.iter().peekable();
        for contact in &self.found.contacts {
            let mut new = ContactState::new(contact);
            while old.next_if(|o| o.key < contact.key).is_some() {}
            if let Some(o) = old.next_if(|o| o.key == contact.key) {
                (new.percussion, new.memory) = (o.percussion, o.memory);
            }
            self.kept.push(new);
        }
    }

    /// `r ← Gᵀ x` over all blocks.
    pub fn gather(rows: &Rows<C>, x: &[Vector<C>], force: &mut Vec<f64>, dofs: usize) {
        force.clear();
        force.resize(dofs, 0.0);
        for (i, x) in x.iter().enumerate() {
            rows.add_transposed(i, x, force);
        }
    }
}
