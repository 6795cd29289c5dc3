//! What the world asks of its parts.

use crate::saddle::Assembled;
use crate::{Compliance, Error, Launch, Ledger, Momenta, Rows, State};
use delassus_contact::skin::Stencil;
use delassus_contact::{Contact, Flight, Pose, Rotation};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

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
    /// Percussion of its damper over its velocity \[N·s²/m\], for the energy balance.
    pub damping: f64,
    /// Distance from where the constraint holds, for drift and correction; unilateral links: the gap.
    pub gap: Vector<C>,
}

/// Lengths of what a part brings into the world, or where it begins there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Of [`State::q`].
    pub coordinates: usize,
    /// Of [`State::u`].
    pub dofs: usize,
    /// Of [`State::links`].
    pub links: usize,
    /// Bodies: independent groups of `A`.
    pub bodies: usize,
}

impl std::ops::Add for Sizes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            coordinates: self.coordinates + other.coordinates,
            dofs: self.dofs + other.dofs,
            links: self.links + other.links,
            bodies: self.bodies + other.bodies,
        }
    }
}

/// Where the surfaces of a part are; what a part does not have is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surfaces<'a, const D: usize> {
    /// Poses of the bodies at `q_m`.
    pub poses: &'a [Pose<D>],
    /// Turns from the axes a body was described in to those of its pose.
    pub frames: &'a [Rotation<D>],
    /// The nodes of solids.
    pub nodes: Nodes<'a>,
}

/// Nodes of solids, flat; degrees of freedom begin with their displacements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nodes<'a> {
    /// Reference positions.
    pub reference: &'a [f64],
    /// Positions at which contacts are looked for.
    pub positions: &'a [f64],
    /// Displacements at the beginning of the step.
    pub before: &'a [f64],
    /// Displacements at the end are `base + slope x`, `x` the unknowns of the step.
    pub base: &'a [f64],
    /// See `base` \[s\].
    pub slope: f64,
    /// When they are there, after the beginning of the step \[s\].
    pub lead: f64,
}

/// How a part applies `A⁻¹`.
pub enum Operator<'a> {
    /// Diagonal, `width` degrees of freedom for each body; `1/A_kk`, zero where the motion is imposed.
    Bodies {
        /// The diagonal.
        inverse: &'a [f64],
        /// Degrees of freedom of a body.
        width: usize,
    },
    /// Diagonal, one body.
    Lumped {
        /// The diagonal.
        inverse: &'a [f64],
    },
    /// By columns of the inverse, see [`Subsystem::touch`].
    Columns(&'a Compliance),
}

/// What a part needs to know to account for a step.
pub struct Account<'a> {
    /// The state at the beginning.
    pub state: &'a State,
    /// Unknowns at the end, those of the part.
    pub u: &'a [f64],
    /// Generalised percussions of contacts and links on the part: normal, then tangential; none in a world of bodies
    /// alone.
    pub percussion: [&'a [f64]; 2],
    /// Length of the step \[s\].
    pub h: f64,
}

/// Rigid bodies, deformable solids, or several of them made one: a part of the world.
///
/// The world calls the methods in the order in which they stand here. `D` is the dimension of space,
/// `C` the number of components of a contact. Vectors of unknowns are those of the part alone; the
/// [`State`] is that of the world, in which the part begins at the sizes told by [`Subsystem::place`].
pub trait Subsystem<const D: usize, const C: usize>: Send {
    /// What it brings.
    fn sizes(&self) -> Sizes;

    /// Where it begins in the world.
    fn place(&mut self, first: Sizes);

    /// The state is not the one committed last: what was kept of it is void.
    fn forget(&mut self) {}

    /// Equal parts in which a step must be made to be stable, from the state alone.
    fn parts(&mut self, state: &State, h: f64) -> Result<usize, Error> {
        let _ = (state, h);
        Ok(1)
    }

    /// What messages call one of its bodies.
    fn body_name(&self, body: usize) -> Option<&str> {
        let _ = body;
        None
    }

    /// What messages call the link that keeps its percussion in this slot.
    fn link_name(&self, slot: u32) -> Option<&str> {
        let _ = slot;
        None
    }

    /// Whether forces act that a caller may change at any time.
    fn is_pushed(&self) -> bool {
        false
    }

    /// Appends whether nothing acts on each of its bodies but what the state tells: no load or motion that depends on
    /// time, no spring, no joint.
    fn steady(&self, out: &mut Vec<bool>) {
        out.resize(out.len() + self.sizes().bodies, false);
    }

    /// Appends the motions of its rigid bodies over `dt`, if nothing touched them.
    fn flights(&self, launch: Launch<'_>, dt: f64, out: &mut Vec<Flight<D>>) {
        let _ = (launch, dt, out);
    }

    /// `q_m` and everything that follows from it; `t_m` is `state.time + h/2`.
    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error>;

    /// Where its surfaces are, for the one detector.
    fn surfaces(&self) -> Surfaces<'_, D>;

    /// Adds its side of the block of rows begun last: columns where it moves freely, imposed
    /// velocities where it does not. `nodes` are those of a deformable side.
    fn side_rows(&self, contact: &Contact<D>, side: usize, nodes: Option<&Stencil>, rows: &mut Rows<C>);

    /// Adds `c e_k` of the degree of freedom `dof` to the block begun last, imposed or not.
    fn dof_row(&self, dof: u32, column: Vector<C>, rows: &mut Rows<C>) {
        let _ = (dof, column, rows);
    }

    /// Appends the blocks of the links that act in this step, and their laws.
    fn links(&self, h: f64, rows: &mut Rows<C>, links: &mut Vec<Link<C>>) {
        let _ = (h, rows, links);
    }

    /// `A` and the free velocity, method (5) without percussions; with `balanced`, until the free motion
    /// is in balance.
    ///
    /// `predicted` are the generalised percussions of the last step on this configuration: for
    /// terms that depend on the velocity at the end, such as gyroscopic ones.
    fn linearise(&mut self, state: &State, h: f64, predicted: &[f64], balanced: bool) -> Result<(), Error>;

    /// The free velocity.
    fn u_free(&self) -> &[f64];

    /// `x ← A⁻¹ x`.
    fn solve_in_place(&self, x: &mut [f64]);

    /// Prepares the columns of `A⁻¹` of these degrees of freedom.
    fn touch(&mut self, dofs: &[u32]) -> Result<(), Error> {
        let _ = dofs;
        Ok(())
    }

    /// How `A⁻¹` is applied.
    fn operator(&self) -> Operator<'_>;

    /// Whether the step must be solved again: a part that is not linear looks at the velocities
    /// `u` of its end under the generalised percussions `reaction` and, while it is not balanced,
    /// linearises about them.
    fn relinearise(&mut self, u: &[f64], reaction: &[f64]) -> Result<bool, Error> {
        let _ = (u, reaction);
        Ok(false)
    }

    /// The part as a sparse matrix and a residual, for the nested loops.
    fn assembled(&mut self) -> Option<&mut dyn Assembled> {
        None
    }

    /// Whether its scheme spreads a percussion over two steps, or does not know velocities: then
    /// [`Subsystem::account`] adds the works of contacts on it too.
    fn blends(&self) -> bool {
        false
    }

    /// Works of the step and what it dissipates, from its own stresses and loads; energies at the end
    /// are added by [`Subsystem::energies`]. Called before [`Subsystem::commit`].
    fn account(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), Error>;

    /// `q_f` and `u_f` into the state; not the clock. Velocities of obstacles are those of `t_f`.
    fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), Error>;

    /// Adds kinetic energy and potentials of a state.
    fn energies(&self, state: &State, ledger: &mut Ledger);

    /// Adds linear and angular momentum, about the origin.
    fn momenta(&self, state: &State, momenta: &mut Momenta);

    /// Moves the configuration by `δ`, given as a velocity times a unit of time: the optional correction.
    fn displace(&self, delta: &[f64], state: &mut State);

    /// Brings [`Link::gap`] to the configuration of `state`; the largest defect of the joints \[m\]
    /// (angles times a length of the body).
    fn joint_gaps(&self, state: &State, links: &mut [Link<C>]) -> f64 {
        let _ = (state, links);
        0.0
    }

    /// Relative residual of its balance and Newton iterations of the last step.
    fn balance(&self) -> (f64, usize) {
        (0.0, 0)
    }
}
