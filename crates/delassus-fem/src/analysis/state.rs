//! The state: exactly what a restart needs.

/// Displacements, velocities, internal variables and multipliers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Displacements.
    pub u: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations that the next step begins with.
    pub a: Vec<f64>,
    /// Internal variables of the materials.
    pub history: Vec<f64>,
    /// Multipliers of all pairs: normal, then tangential components, of each in turn.
    pub multipliers: Vec<f64>,
    /// Normal and tangential contact forces of the last step, for the energy balance.
    pub contact: [Vec<f64>; 2],
}

impl State {
    /// Names and values of the arrays.
    pub fn columns(&self) -> [(&'static str, &[f64]); 7] {
        [
            ("displacement", &self.u),
            ("velocity", &self.v),
            ("acceleration", &self.a),
            ("history", &self.history),
            ("multipliers", &self.multipliers),
            ("contact_normal", &self.contact[0]),
            ("contact_tangential", &self.contact[1]),
        ]
    }

    /// The arrays, to be filled by a restart.
    pub fn columns_mut(&mut self) -> [(&'static str, &mut Vec<f64>); 7] {
        let [normal, tangential] = &mut self.contact;
        [
            ("displacement", &mut self.u),
            ("velocity", &mut self.v),
            ("acceleration", &mut self.a),
            ("history", &mut self.history),
            ("multipliers", &mut self.multipliers),
            ("contact_normal", normal),
            ("contact_tangential", tangential),
        ]
    }

    /// The first number that is not finite: array and place.
    pub fn first_non_finite(&self) -> Option<(&'static str, usize)> {
        self.columns().iter().find_map(|(name, x)| not_finite(x).map(|i| (*name, i)))
    }

    /// The same without the internal variables: those that solids have just made are finite, their
    /// energies and forces being so.
    pub(super) fn motion_not_finite(&self) -> Option<&'static str> {
        let made = |(name, x): &(&'static str, &[f64])| *name != "history" && not_finite(x).is_some();
        self.columns().iter().find(|c| made(c)).map(|c| c.0)
    }
}

/// Place of the first number that is not finite, without a branch for each number.
fn not_finite(x: &[f64]) -> Option<usize> {
    const CHUNK: usize = 1024;
    let chunk = x.chunks(CHUNK).position(|x| x.iter().fold(false, |bad, x| bad | !x.is_finite()))?;
    x.iter().skip(CHUNK * chunk).position(|x| !x.is_finite()).map(|i| CHUNK * chunk + i)
}
