//! The step of contact dynamics \[Moreau00\]
//!
//! ```text
//!     A u_f = A u_i + h F(t_m, q_m, u_i) + Σ_α G_αᵀ S_α                        method (5)
//!     law_α( ρ U_N⁻ + U_N⁺ , τ U_T⁻ + U_T⁺ , S_α )   where g_α(q_m) ≤ 0       method (6)
//!     q_m = q_i + ½ h u_i,     q_f = q_m + ½ h u_f                             method (7)
//! ```
//!
//! The crate sees the step whole and knows neither bodies nor elements: a
//! [`Subsystem`] says what `A⁻¹ x`, the free velocity and the contact rows are.
//!
//! Four kinds of data: the system with its laws ([`Interactions`]) does not change
//! while stepping; [`State`] is exactly what a restart needs; the scratch lives in
//! [`Simulation`] and is never saved; [`Report`] is what a step tells.

mod assembly;
mod clock;
mod commit;
mod correction;
mod error;
mod failure;
pub mod interaction;
mod ledger;
mod pose;
mod posing;
mod report;
mod rest;
mod rows;
mod settings;
mod solve;
mod state;
mod step;
mod subsystem;
mod view;
mod workspace;

pub use assembly::Mobility;
pub use error::{Error, Failure};
pub use interaction::{
    Adhesion, After, BodyLaw, Friction, Interaction, InteractionError, Interactions, Meeting, Posed,
};
pub use ledger::{Ledger, Momenta, Works};
pub use pose::Coming;
pub use report::{Corrected, Event, Report, Timings};
pub use rows::{Rows, Side};
pub use settings::{AUTO_WORK, Correction, Policy, StepSettings};
pub use state::{ContactState, LINK, MEMORY, State};
pub use step::Simulation;
pub use subsystem::{Link, LinkKind, Subsystem};
pub use view::{ContactStatus, ContactView};
