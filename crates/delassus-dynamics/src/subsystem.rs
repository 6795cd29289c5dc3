//! What the step asks of a mechanical system.

use crate::{Error, Ledger, Meeting, Momenta, Posed, Rows, State, Works};
use delassus_contact::{Contact, ContactSet};
use delassus_friction::algebra::{BlockMatrix, Vector};
use delassus_friction::{Law, Root};

/// What a link is, for the energy balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Holds two bodies together, on the mean velocity of the step.
    Joint,
    /// Imposes a relative velocity.
    Motor,
    /// Resists with a limited percussion.
    Friction,
    /// Stops on one side.
    Limit,
    /// A spring taken implicitly.
    Spring,
}

/// A block of rows that is there at every step: a joint, its motor, its limits.
#[derive(Clone, Debug)]
pub struct Link<const C: usize> {
    /// What it is.
    pub kind: LinkKind,
    /// Where its percussion is kept in [`State::links`].
    pub slot: u32,
    /// Its law.
    pub law: Law,
    /// Added to the relative velocity the law speaks of [m/s].
    pub shift: Vector<C>,
    /// Compliance added to the diagonal of `W` \[1/kg\]: stiff springs, method (9).
    pub compliance: Vector<C>,
    /// Distance from where the constraint holds, for drift and correction; unilateral links: the gap.
    pub gap: Vector<C>,
}

/// Rigid bodies, a deformable solid, or several of them made one.
///
/// The step calls the methods in the order in which they stand here. `D` is the dimension
/// of space, `C` the number of components of a contact.
pub trait Subsystem<const D: usize, const C: usize> {
    /// Length of [`State::q`].
    fn coordinates(&self) -> usize;

    /// Length of [`State::u`].
    fn dofs(&self) -> usize;

    /// Length of [`State::links`].
    fn link_slots(&self) -> usize {
        0
    }

    /// `q_m` and everything that follows from it; `t_m` is `state.time + h/2`.
    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error>;

    /// The contacts at `q_m`, sorted by key. Frames continue those of `previous`.
    fn detect(&mut self, previous: &ContactSet<D>, found: &mut ContactSet<D>) -> Result<(), Error>;

    /// Whether a contact takes part in the step; by default a closed one does, method (6).
    fn is_active(&self, contact: &Contact<D>, memory: &[f64; crate::MEMORY]) -> bool {
        let _ = memory;
        contact.gap <= 0.0
    }

    /// Factorises `A` and computes the free velocity, method (5) without percussions.
    ///
    /// `predicted` are the generalised percussions of the last step on this configuration: for
    /// terms that depend on the velocity at the end, such as gyroscopic ones.
    fn linearise(&mut self, state: &State, h: f64, predicted: &[f64]) -> Result<(), Error>;

    /// Whether the step must be solved again: a system that is not linear looks at the velocities
    /// `u` of its end and, while it is not balanced, linearises about them.
    fn relinearise(&mut self, u: &[f64]) -> Result<bool, Error> {
        let _ = u;
        Ok(false)
    }

    /// The free velocity.
    fn u_free(&self) -> &[f64];

    /// `x ← A⁻¹ x`.
    fn solve_in_place(&self, x: &mut [f64]);

    /// Appends the block of rows of a contact, with its imposed velocities.
    fn contact_rows(&self, contact: &Contact<D>, rows: &mut Rows<C>);

    /// Appends the blocks of the links that act in this step, and their laws.
    fn links(&self, h: f64, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
        let _ = (h, rows, links);
    }

    /// The law of a contact in this step.
    fn law(&self, contact: &Contact<D>, meeting: &Meeting) -> Result<Posed, Error>;

    /// `W ← G A⁻¹ Gᵀ`; `scratch` is the caller's. Where `A` falls into small pieces the
    /// subsystem uses them, see [`crate::Mobility`].
    fn reduce(&self, rows: &Rows<C>, scratch: &mut crate::Mobility<C>, w: &mut BlockMatrix<C>) {
        scratch.reduce_dense(rows, self.dofs(), &|x| self.solve_in_place(x), w);
    }

    /// A root of `W`, compliances included, where the solvers may eliminate by bodies.
    fn root(&self, rows: &Rows<C>, compliance: &[Vector<C>]) -> Option<Root<C>> {
        let _ = (rows, compliance);
        None
    }

    /// Whether a group of `A` is at rest when its degrees of freedom in contact are: not so for
    /// solids, whose inside may vibrate.
    fn rests(&self, group: u32) -> bool {
        let _ = group;
        true
    }

    /// Internal variables of a contact at the end of the step.
    fn remember(
        &self,
        contact: &Contact<D>,
        meeting: &Meeting,
        after: &crate::After,
        memory: &mut [f64; crate::MEMORY],
    ) {
        let _ = (contact, meeting, after, memory);
    }

    /// `q_f` and `u_f` into the state; not the clock. Velocities of obstacles are those of `t_f`.
    fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), Error>;

    /// `½ uᵀ A u`.
    fn kinetic(&self, u: &[f64]) -> f64;

    /// Potential energy of gravity and springs.
    fn potential(&self, state: &State) -> f64;

    /// Work of the loads over the step, `mean` being `½ (u_i + u_f)`.
    fn works(&self, mean: &[f64], h: f64) -> Works;

    /// Linear and angular momentum, about the origin.
    fn momenta(&self, state: &State) -> Momenta;

    /// Moves the configuration by `δ`, given as a velocity times a unit of time: the optional correction.
    fn displace(&self, delta: &[f64], state: &mut State);

    /// Brings [`Link::gap`] to the configuration of `state`, for the correction.
    fn refresh_gaps(&self, state: &State, links: &mut [Link<C>]) {
        let _ = (state, links);
    }

    /// Largest defect of the joints \[m\] (angles times a length of the body).
    fn joint_drift(&self, state: &State) -> f64 {
        let _ = state;
        0.0
    }

    /// Something of the subsystem that belongs into the energy balance of a step; see [`Ledger`].
    fn complete(&self, ledger: &mut Ledger) {
        let _ = ledger;
    }
}
