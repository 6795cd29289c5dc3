//! The step of contact dynamics \[Moreau00\]
//!
//! ```text
//!     A u_f = A u_i + h F(t_m, q_m, u_i) + Σ_α G_αᵀ S_α                        method (5)
//!     law_α( ρ U_N⁻ + U_N⁺ , τ U_T⁻ + U_T⁺ , S_α )   where g_α(q_m) ≤ 0       method (6)
//!     q_m = q_i + ½ h u_i,     q_f = q_m + ½ h u_f                             method (7)
//! ```
//!
//! The crate sees the step whole and knows neither bodies nor elements: a [`World`] is made of parts, and
//! a [`Subsystem`] says what `A⁻¹ x`, the free velocity and the rows of a point of its surface are.
//!
//! Four kinds of data: parts and laws ([`Interactions`], [`Weak`]) do not change while stepping; [`State`]
//! is exactly what a restart needs; the scratch is never saved; [`Report`] is what a step tells.

mod apart;
mod assembly;
mod blocks;
mod bodies;
mod budget;
mod clock;
mod commit;
mod compliance;
mod correction;
mod drag;
mod error;
mod failure;
mod flight;
mod formalism;
pub mod interaction;
mod islands;
mod layers;
mod ledger;
mod meetings;
mod method;
mod next;
mod parts;
mod paths;
mod patience;
mod report;
mod rest;
mod retry;
mod rows;
mod saddle;
mod settings;
mod sleep;
mod solve;
mod state;
mod subsystem;
mod view;
mod watch;
mod weak;
mod wear;
mod workspace;
mod world;

pub use assembly::Mobility;
pub use bodies::Bodies;
pub use compliance::Compliance;
pub use drag::Drag;
pub use error::{Error, Failure};
pub use flight::Launch;
pub use formalism::{ContactSettings, Formalism, FormalismError};
pub use interaction::{
    Adhesion, After, Asperities, AtRest, BodyLaw, Bond, Crush, Friction, Interaction, InteractionError, Interactions,
    Meeting, Polygon, Release, StepLaw,
};
pub use ledger::{Ledger, Momenta, WORKS};
pub use method::{ContactMethod, Loops, Measure, Path, Predicted};
pub use next::NextStep;
pub use report::{Corrected, Event, Report, Timings};
pub use rows::{Rows, Side};
pub use saddle::{Assembled, Counts, TiedRows};
pub use settings::{AUTO_WORK, Correction, Form, Policy, StepSettings};
pub use state::{ContactState, LINK, MEMORY, State};
pub use subsystem::{Account, Link, LinkKind, Nodes, Operator, Sizes, Subsystem, Surfaces};
pub use view::{ContactStatus, ContactView, LAWS, PointView};
pub use weak::{ObstacleMotion, Weak};
pub use wear::{Rubbing, Wear};
pub use world::{World, WorldParts};
