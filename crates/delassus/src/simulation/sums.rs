//! What a flow adds up between two frames.

/// Sums over the steps since the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Steps.
    pub steps: f64,
    /// Time at the start of the interval \[s\].
    pub since: f64,
    /// Duration of the steps whose forces are known \[s\].
    pub time: f64,
    /// Momentum of the grains at the start \[kg·m/s\].
    pub start: [f64; 3],
    /// Volume times height above the bottom.
    pub moment: f64,
    /// Percussions of the floor on the flow \[N·s\].
    pub impulse: [f64; 3],
    /// Steps with a force.
    pub loaded: f64,
    /// Neighbours of all grains.
    pub neighbours: f64,
    /// Contacts that carry a force.
    pub contacts: f64,
    /// Their forces \[N\].
    pub forces: f64,
    /// Volume in each slice.
    pub volume: Vec<f64>,
    /// Volume times velocity in each slice.
    pub flux: Vec<f64>,
    /// Contacts in each class of force.
    pub classes: Vec<f64>,
}

/// Numbers that do not depend on slices and classes.
const ALONE: usize = 14;

impl Sums {
    /// Nothing yet.
    pub fn new(slices: usize, classes: usize) -> Self {
        Self { volume: vec![0.0; slices], flux: vec![0.0; slices], classes: vec![0.0; classes], ..Self::default() }
    }

    /// In the order of [`Sums::from_numbers`].
    pub fn numbers(&self) -> Vec<f64> {
        let mut all = vec![self.steps, self.since, self.time, self.moment];
        all.extend(self.start);
        all.extend(self.impulse);
        all.extend([self.loaded, self.neighbours, self.contacts, self.forces]);
        [&self.volume, &self.flux, &self.classes].into_iter().for_each(|x| all.extend(x));
        all
    }

    /// Back from the record; `None` if there are too few or too many.
    pub fn from_numbers(x: &[f64], slices: usize, classes: usize) -> Option<Self> {
        if x.len() != ALONE + 2 * slices + classes {
            return None;
        }
        let (alone, rest) = x.split_at(ALONE);
        let (volume, rest) = rest.split_at(slices);
        let (flux, classes) = rest.split_at(slices);
        Some(Self {
            steps: alone[0],
            since: alone[1],
            time: alone[2],
            moment: alone[3],
            start: [alone[4], alone[5], alone[6]],
            impulse: [alone[7], alone[8], alone[9]],
            loaded: alone[10],
            neighbours: alone[11],
            contacts: alone[12],
            forces: alone[13],
            volume: volume.to_vec(),
            flux: flux.to_vec(),
            classes: classes.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_to_the_same_sums() {
        let numbers: Vec<f64> = (0..ALONE + 2 * 3 + 4).map(|i| 1.0 + i as f64).collect();
        let sums = Sums::from_numbers(&numbers, 3, 4).expect("as many as wanted");
        assert_eq!(sums.numbers(), numbers);
        assert_eq!(sums.classes, [21.0, 22.0, 23.0, 24.0]);
        assert!(Sums::from_numbers(&numbers, 4, 4).is_none());
        assert_eq!(Sums::new(3, 4).numbers().len(), numbers.len());
    }
}
