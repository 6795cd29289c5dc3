//! Which law holds between which materials.

use super::{BodyLaw, Interaction, InteractionError};
use std::sync::Arc;

/// Laws by unordered pairs of materials.
#[derive(Clone, Debug, Default)]
pub struct Interactions {
    materials: usize,
    /// `materials × materials`: index of the law plus one, and whether the pair was given in the other order.
    place: Vec<(u32, bool)>,
    laws: Vec<Arc<dyn BodyLaw>>,
}

impl Interactions {
    /// For materials `0 .. materials`.
    pub fn new(materials: usize) -> Self {
        Self { materials, place: vec![(0, false); materials * materials], laws: vec![] }
    }

    /// One law for one material with itself: the shortest table.
    pub fn single(law: Interaction) -> Self {
        let mut table = Self::new(1);
        table.set(0, 0, law);
        table
    }

    /// Sets the law of a pair; an earlier one is replaced. Materials beyond the table enlarge it.
    pub fn set(&mut self, first: u16, second: u16, law: impl BodyLaw + 'static) {
        self.set_shared(first, second, Arc::new(law));
    }

    /// As [`Interactions::set`], for a law shared by several pairs.
    pub fn set_shared(&mut self, first: u16, second: u16, law: Arc<dyn BodyLaw>) {
        let (a, b) = (usize::from(first), usize::from(second));
        self.enlarge(a.max(b) + 1);
        let index = match self.place[a * self.materials + b].0 {
            0 => {
                self.laws.push(law);
                self.laws.len() as u32
            }
            index => {
                self.laws[index as usize - 1] = law;
                index
            }
        };
        self.place[b * self.materials + a] = (index, true);
        self.place[a * self.materials + b] = (index, false);
    }

    fn enlarge(&mut self, materials: usize) {
        if materials <= self.materials {
            return;
        }
        let mut place = vec![(0, false); materials * materials];
        for a in 0..self.materials {
            for b in 0..self.materials {
                place[a * materials + b] = self.place[a * self.materials + b];
            }
        }
        (self.materials, self.place) = (materials, place);
    }

    /// The law of a pair, and whether the pair was given in the other order.
    #[inline]
    pub fn get(&self, first: u16, second: u16) -> Option<(&dyn BodyLaw, bool)> {
        let (a, b) = (usize::from(first), usize::from(second));
        if a >= self.materials || b >= self.materials {
            return None;
        }
        let (index, swapped) = self.place[a * self.materials + b];
        let law = self.laws.get((index as usize).checked_sub(1)?)?;
        Some((law.as_ref(), swapped))
    }

    /// The laws that want to see their contacts together.
    pub(crate) fn looking_ahead(&self) -> impl Iterator<Item = &Arc<dyn BodyLaw>> {
        self.laws.iter().filter(|law| law.looks_ahead())
    }

    /// Whether the pair has a law.
    pub fn has(&self, first: u16, second: u16) -> bool {
        self.get(first, second).is_some()
    }

    /// Whether no law changes with time.
    pub fn are_steady(&self) -> bool {
        self.laws.iter().all(|l| l.is_steady())
    }

    /// Components of the contact space that all laws can share.
    pub fn components(&self, space: usize) -> usize {
        let most = self.laws.iter().map(|l| l.components(space)).max().unwrap_or(space).max(space);
        // Rolling (five) does not contain spinning (four): both make six.
        let has = |count: usize| self.laws.iter().any(|l| l.components(space) == count);
        if space == 3 && has(4) && has(5) { 6 } else { most }
    }

    /// Largest gap at which a law may act \[m\].
    pub fn range(&self) -> f64 {
        self.laws.iter().map(|l| l.range()).fold(0.0, f64::max)
    }

    /// True when contacts of some law store energy.
    pub fn stores(&self) -> bool {
        self.laws.iter().any(|l| l.stores())
    }

    /// True when some law is not isotropic.
    pub fn has_axes(&self) -> bool {
        self.laws.iter().any(|l| l.material_axis().is_some())
    }

    /// Checks every law for contacts of `components` components.
    pub fn validate(&self, space: usize, components: usize) -> Result<(), InteractionError> {
        self.laws.iter().find_map(|l| l.fault(space, components)).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interaction::Friction;

    #[test]
    fn the_table_is_symmetric_and_knows_what_it_lacks() {
        let mut table = Interactions::new(2);
        table.set(1, 3, Interaction::coulomb(0.3));
        assert!(table.has(3, 1) && table.has(1, 3) && !table.has(0, 0) && !table.has(9, 9));
        assert_eq!(table.get(1, 3).map(|x| x.1), Some(false));
        assert_eq!(table.get(3, 1).map(|x| x.1), Some(true));
        assert_eq!(table.components(3), 3);
        table.set(0, 0, Interaction::new(Friction::Rolling { mu: 0.1, mu_r: 0.01 }));
        assert_eq!((table.components(2), table.components(3)), (3, 5));
        assert_eq!(table.validate(3, 5), Ok(()));
        table.set(0, 1, Interaction::new(Friction::Torsional { mu: 0.1, mu_s: 0.01 }));
        assert_eq!(table.components(3), 6);
        assert_eq!((table.validate(3, 6), table.validate(3, 5).is_err()), (Ok(()), true));
        table.set(1, 0, Interaction::new(Friction::Tresca { threshold: 1.0 }));
        assert!(table.validate(3, 5).is_err());
        table.set(1, 0, Interaction::coulomb(0.1));
        assert_eq!(table.validate(3, 5), Ok(()));
        table.set(0, 1, Interaction::coulomb(-0.1));
        assert!(table.validate(3, 5).is_err());
    }
}
