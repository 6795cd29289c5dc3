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
        self.columns().iter().find_map(|(name, x)| {
            // Without a branch for each number: the state is large and almost always fine.
            let bad = |x: &[f64]| x.iter().fold(false, |bad, x| bad | !x.is_finite());
            let chunk = x.chunks(1024).position(bad)?;
            x.iter().skip(1024 * chunk).position(|x| !x.is_finite()).map(|i| (*name, 1024 * chunk + i))
        })
    }
}
