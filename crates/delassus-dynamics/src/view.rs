//! The contacts of the last step, for records and pictures.

use crate::{Simulation, Subsystem};
use delassus_contact::Contact;
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// How a contact ended the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactStatus {
    /// No percussion.
    Open = 0,
    /// Percussion without slip.
    Stick = 1,
    /// Percussion with slip.
    Slip = 2,
}

/// A contact of the last step, for records and pictures.
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'a, const D: usize> {
    /// Geometry at `q_m`.
    pub contact: &'a Contact<D>,
    /// Percussion in its frame, normal first \[N·s\].
    pub percussion: [f64; COMPONENTS],
    /// Relative velocity after the step, in its frame \[m/s\].
    pub velocity: [f64; COMPONENTS],
    /// Internal variables of its law.
    pub memory: [f64; crate::MEMORY],
    /// How it ended.
    pub status: ContactStatus,
}

impl<S: Subsystem<D, C>, const D: usize, const C: usize> Simulation<S, D, C> {
    /// The contacts that took part in the last step.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactView<'_, D>> + '_ {
        let ws = &self.ws;
        let narrow = |x: &Vector<C>| std::array::from_fn(|k| if k < C { x[k] } else { 0.0 });
        // Slip below what the residual can tell from none is none.
        let level = 10.0 * self.report.absolute.max(1e-12 * ws.problem.b_norm());
        ws.active.iter().enumerate().map(move |(i, &c)| {
            let v = &ws.after[i];
            let slip = (1..C).map(|k| v[k] * v[k]).sum::<f64>().sqrt();
            let status = match ws.s[i].amax() {
                0.0 => ContactStatus::Open,
                _ if slip <= level => ContactStatus::Stick,
                _ => ContactStatus::Slip,
            };
            ContactView {
                contact: &ws.found.contacts[c as usize],
                percussion: ws.kept[c as usize].percussion,
                velocity: narrow(v),
                memory: ws.kept[c as usize].memory,
                status,
            }
        })
    }

    /// All contacts detected in the last step, open ones included.
    pub fn detected(&self) -> &[Contact<D>] {
        &self.ws.found.contacts
    }
}
