//! Rigid bodies, joints and moving obstacles
//!
//! ```text
//!     plane:  q = (x, y, θ)          u = (v_x, v_y, ω)               per body
//!     space:  q = (x, y, z, Q)       u = (v_x, v_y, v_z, Ω)          Q unit quaternion (w, i, j, k)
//! ```
//!
//! Positions are those of the centre of mass, orientations those of the principal axes;
//! `Ω` is the angular velocity in these axes, so that `A` is constant and diagonal
//! [Moreau00 §3.3]. Fixed and imposed bodies have their places in `q` and `u` too; their
//! motion enters the contacts as `w`, method (1).
//!
//! ```
//! use delassus_rigid::{BodySpec, Interaction, Interactions, Mass, ModelParts, RigidModel, StepSettings, simulate};
//! use delassus_contact::Shape2;
//!
//! // A disc dropped on a floor.
//! let mut parts = ModelParts::<2>::new([0.0, -9.81].into());
//! parts.bodies.push(BodySpec::fixed("floor").shape(Shape2::half_plane([0.0, 1.0])?));
//! parts.bodies.push(BodySpec::dynamic("disc", Mass::disc(1.0, 0.1)).at([0.0, 0.5].into()).shape(Shape2::disc(0.1)?));
//! parts.interactions = Interactions::single(Interaction::coulomb(0.3));
//! let model = RigidModel::new(parts)?;
//! let state = model.initial_state();
//! let mut run = simulate(model, state, StepSettings::with_step(1e-3))?;
//! while run.state().time < 1.0 {
//!     run.step()?;
//! }
//! assert!((run.state().q[4] - 0.1).abs() < 5e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod cell;
mod error;
mod fluid;
mod joint;
mod kinematics;
mod load;
mod mass;
mod model;
mod motion;
mod next;
mod rotation;
mod run;
mod stability;
mod steering;
mod system;

pub use body::{BodySpec, Kind, ShapeSpec};
pub use cell::{Cell, Held, Sheared};
pub use delassus_dynamics::{
    Adhesion, After, Asperities, AtRest, BodyLaw, Bond, ContactState, ContactStatus, ContactView, Correction, Drag,
    Error as StepError, Event, Failure, Form, Friction, Interaction, InteractionError, Interactions, Ledger, MEMORY,
    Meeting, Momenta, Policy, Polygon, Report, State, StepLaw, StepSettings, Subsystem, Timings, World,
};
pub use error::Error;
pub use fluid::Fluid;
pub use joint::{Direction, Joint, JointKind, JointView, Motor};
pub use kinematics::Kinematics;
pub use load::{Load, Servo, Spring, load_variables};
pub use mass::Mass;
pub use model::{Body, ModelParts, RigidModel};
pub use motion::{Motion, Profile, Steer};
pub use next::{AnyBlocks, NextBlocks, StepBlocks};
pub use run::{AnyContact, Run, simulate, world_of};
pub use stability::{Explicit, Unstable, unstable};
pub use steering::Applied;
pub use system::RigidSystem;
