//! What can be seen of contacts.

use super::{Analysis, Status};
use serde::Serialize;

/// A contact point after a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactView {
    /// Pair it belongs to.
    pub pair: u32,
    /// Place \[m\].
    pub position: [f64; 3],
    /// Normal, towards the slave.
    pub normal: [f64; 3],
    /// Gap \[m\].
    pub gap: f64,
    /// Pressure \[Pa\].
    pub pressure: f64,
    /// Friction stress on the slave side, in space \[Pa\].
    pub friction: [f64; 3],
    /// Friction stress over its limit, the semi-multiplier Λ (opposite sign: along the slip).
    pub semi: [f64; 2],
    /// Area \[m²\].
    pub area: f64,
    /// Status.
    pub status: Status,
}

impl Analysis {
    /// The contact points of the last step.
    pub fn contact_view(&self) -> impl Iterator<Item = ContactView> + '_ {
        let points = &self.points;
        (0..points.len()).map(move |j| {
            let stress = self.ws.stress.get(j).copied().unwrap_or_default();
            let limit = points.friction[j] * stress[0];
            let semi = |k: usize| if limit > 0.0 { -stress[k] / limit } else { 0.0 };
            ContactView {
                pair: points.pair[j],
                position: points.position[j],
                normal: points.frame[j][0],
                gap: points.gap_at(j, &self.state.u),
                pressure: stress[0],
                friction: points.global(j, &[0.0, stress[1], stress[2]]),
                semi: [semi(1), semi(2)],
                area: points.weight[j],
                status: self.ws.status.get(j).copied().unwrap_or_default(),
            }
        })
    }
}
