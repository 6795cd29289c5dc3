//! Scratch of a step: sized once, never saved.

use crate::apart::{Ended, Island};
use crate::blocks::Bonded;
use crate::budget::Budget;
use crate::islands::Partition;
use crate::layers::Layer;
use crate::rest::Rest;
use crate::saddle::Nested;
use crate::subsystem::Link;
use crate::weak::WeakBlocks;
use crate::{ContactState, Meeting, Mobility, Rows, State};
use delassus_contact::{ContactSet, Flight};
use delassus_friction::algebra::Vector;
use delassus_friction::solver::Nlgs;
use delassus_friction::{Law, Problem};

/// Buffers, named by use. *Blocks* are the active contacts, then the links, then those of surfaces.
pub(crate) struct Workspace<const D: usize, const C: usize> {
    /// Contacts at `q_m`.
    pub found: ContactSet<D>,
    /// What each contact found carries: from the last step, then for the next.
    pub kept: Vec<ContactState>,
    /// Those of the step before, where something sleeps.
    pub last: ContactSet<D>,
    /// Contacts that take part.
    pub active: Vec<u32>,
    /// Contacts of what sleeps, which would take part.
    pub dormant: Vec<u32>,
    /// Both, in order: contact, and block or [`crate::islands::NONE`].
    pub took: Vec<[u32; 2]>,
    /// Whether the percussion an active contact starts from has the bits of the last step's.
    pub carried: Vec<bool>,
    /// Blocks of surfaces on the present pairing, and on the one before.
    pub weak: WeakBlocks<D>,
    /// See above.
    pub weak_before: WeakBlocks<D>,
    /// Where surfaces were paired in this step.
    pub places: crate::paths::Places,
    /// What each of them carries from the last step.
    pub weak_kept: Vec<ContactState>,
    /// Those that take part, and whether they are expected to touch.
    pub weak_active: Vec<(u32, bool)>,
    /// The gaps by which that was decided.
    pub predicted: Vec<f64>,
    /// Positions of nodes at a pairing.
    pub positions: Vec<f64>,
    /// Motions of the bodies if nothing touched them.
    pub flights: Vec<Flight<D>>,
    /// A skin and what it would pass through.
    pub passing: Option<[u32; 2]>,
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
    /// Springs beside the laws of blocks: the last blocks of the rows.
    pub bonds: Vec<Bonded<C>>,
    /// Layers of asperities, by block.
    pub layers: Vec<Layer>,
    /// Residual of their curves at the last tangents.
    pub bent: f64,
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
    /// Free velocities, where a part has nodes.
    pub free: Vec<f64>,
    /// Free velocities with the offsets' part.
    pub loaded: Vec<f64>,
    /// Velocities after the step.
    pub u_f: Vec<f64>,
    /// Generalised percussions.
    pub force: Vec<f64>,
    /// Those of contacts and links, offsets taken away, where a part has nodes.
    pub reaction: Vec<f64>,
    /// The same, normal and tangential.
    pub percussion: [Vec<f64>; 2],
    /// Degrees of freedom of all blocks, ascending; scratch of the parts.
    pub touched: Vec<u32>,
    /// See above.
    pub scratch: Vec<u32>,
    /// Whether a part has nodes.
    pub has_nodes: bool,
    /// Whether the parts are linearised in this step.
    pub linearised: bool,
    /// The nested loops.
    pub nested: Nested<C>,
    /// Scratch of the reduction.
    pub mobility: Mobility<C>,
    /// The fast path.
    pub nlgs: Option<Nlgs<C>>,
    /// Plain sweeps of large problems.
    pub plain: Option<Nlgs<C>>,
    /// The test of equilibrium.
    pub rest: Rest<C>,
    /// The islands of the step, solved apart.
    pub partition: Partition,
    /// How each of them ended; none where all blocks were solved as one problem.
    pub ended: Vec<Ended>,
    /// What residual each of them may have.
    pub budget: Budget,
    /// One of them.
    pub island: Island<C>,
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
            found: ContactSet::default(),
            kept: vec![],
            last: ContactSet::default(),
            active: vec![],
            dormant: vec![],
            took: vec![],
            carried: vec![],
            weak: WeakBlocks::default(),
            weak_before: WeakBlocks::default(),
            places: Default::default(),
            weak_kept: vec![],
            bonds: vec![],
            weak_active: vec![],
            predicted: vec![],
            layers: vec![],
            bent: 0.0,
            positions: vec![],
            flights: vec![],
            passing: None,
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
            free: vec![],
            loaded: vec![],
            u_f: vec![],
            force: vec![],
            reaction: vec![],
            percussion: Default::default(),
            touched: vec![],
            scratch: vec![],
            has_nodes: false,
            linearised: false,
            nested: Nested::default(),
            mobility: Mobility::default(),
            nlgs: None,
            plain: None,
            rest: Rest::default(),
            partition: Partition::default(),
            ended: vec![],
            budget: Budget::default(),
            island: Island::default(),
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

    /// What the blocks of surfaces carry over from the state.
    pub fn keep_weak(&mut self, state: &State) {
        let from = state.contacts.partition_point(|c| c.key.colliders[0] < u32::MAX);
        let mut old = state.contacts[from..].iter().peekable();
        self.weak_kept.clear();
        for b in 0..self.weak.len() {
            let mut new = ContactState { key: self.weak.key(b), ..ContactState::default() };
            while old.next_if(|o| o.key < new.key).is_some() {}
            if let Some(o) = old.next_if(|o| o.key == new.key) {
                (new.percussion, new.memory) = (o.percussion, o.memory);
            }
            self.weak_kept.push(new);
        }
    }

    /// The percussion of a block, with what acts beside its law.
    pub fn total(&self, block: usize) -> Vector<C> {
        let own = self.s[block] - self.offset[block];
        let beside = self.bonds.binary_search_by_key(&(block as u32), |b| b.block);
        beside.map_or(own, |k| own + self.s[self.rows.len() - self.bonds.len() + k])
    }

    /// The layer of a block.
    pub fn layer(&self, block: usize) -> Option<&Layer> {
        self.layers.binary_search_by_key(&(block as u32), |l| l.block).ok().map(|k| &self.layers[k])
    }

    /// The percussions solved for on the pairing before, as those that the next one begins with.
    pub fn keep_solved(&mut self) {
        let first = self.active.len() + self.links.len();
        for kept in &mut self.weak_kept {
            kept.percussion = Default::default();
        }
        for (k, (b, _)) in self.weak_active.iter().enumerate() {
            let s = self.total(first + k);
            // Blocks go by their names: another pairing may have others.
            if let Some(new) = self.weak.find(&self.weak_before.key(*b as usize)) {
                self.weak_kept[new].percussion = std::array::from_fn(|k| if k < C { s[k] } else { 0.0 });
            }
        }
    }

    /// Whether the springs of the step are those whose multipliers press.
    pub fn springs_hold(&self) -> bool {
        let (first, own) = (self.active.len() + self.links.len(), self.weak.own());
        let at = |b: u32| self.weak_active.binary_search_by_key(&b, |a| a.0).ok();
        let presses = |m: &u32| at(*m).is_some_and(|k| self.s[first + k][0] > 0.0);
        (own..self.weak.len())
            .filter(|b| self.weak.weight[*b] > 0.0)
            .all(|b| self.weak.held_by(b).iter().any(presses) == at(b as u32).is_some())
    }

    /// Degrees of freedom of all blocks, where some part wants to know.
    pub fn mark_touched(&mut self) {
        self.touched.clear();
        if !self.has_nodes {
            return;
        }
        self.touched.extend_from_slice(self.rows.dofs());
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// What residuals are relative to \[m/s\].
    pub fn scale(&self) -> f64 {
        if self.ended.is_empty() { self.problem.b_norm() } else { self.budget.scale() }
    }

    /// Relative velocities after the step, and what the blocks did.
    pub fn measure_after(&mut self) {
        self.after.clear();
        self.after.extend((0..self.rows.len()).map(|i| self.rows.times(i, &self.u_f) + self.rows.w()[i][1]));
        self.reaction.clear();
        // Bodies do not ask.
        if !self.has_nodes {
            return;
        }
        self.reaction.resize(self.u_f.len(), 0.0);
        for i in 0..self.rows.len() {
            self.rows.add_transposed(i, &(self.s[i] - self.offset[i]), &mut self.reaction);
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
