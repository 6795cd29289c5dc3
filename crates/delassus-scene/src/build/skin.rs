//! Contacts that are open by round-off are closed
//!
//! A box at 0.15 on one at 0.05 of side 0.1 is open by 3·10⁻¹⁷ m, and a step taken to the
//! letter lets it fall first; so would a residual of 10⁻⁹ m/s kept over many steps. Bodies
//! get a skin ε: the law sees the gap g − ε. With ε a 10⁻¹⁰ of the largest body and a 10⁻³
//! of the fall g h² of one step, far below the error of the scheme, an equilibrium in the
//! file is an equilibrium of the run.

use delassus_dynamics::{After, BodyLaw, Interaction, InteractionError, MEMORY, Meeting, StepLaw};

/// A law between bodies with a skin.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    /// The law.
    pub law: Interaction,
    /// Gap up to which bodies touch \[m\].
    pub thickness: f64,
}

impl Skin {
    fn seen(&self, meeting: &Meeting) -> Meeting {
        meeting.nearer(self.thickness)
    }
}

impl BodyLaw for Skin {
    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        self.law.step_law(&self.seen(meeting))
    }

    fn reaches(&self, gap: f64, memory: &[f64; MEMORY]) -> bool {
        self.law.reaches(gap - self.thickness, memory)
    }

    fn range(&self) -> f64 {
        self.law.range() + self.thickness
    }

    fn is_steady(&self) -> bool {
        self.law.is_steady()
    }

    fn pulls(&self) -> bool {
        self.law.pulls()
    }

    fn stores(&self) -> bool {
        self.law.stores()
    }

    fn components(&self, space: usize) -> usize {
        self.law.components(space)
    }

    fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        let after = After { gap: after.gap - self.thickness, ..*after };
        self.law.remember(&self.seen(meeting), &after, memory);
    }

    fn material_axis(&self) -> Option<[f64; 3]> {
        self.law.material_axis()
    }

    fn fault(&self, space: usize, components: usize) -> Option<InteractionError> {
        self.law.fault(space, components)
    }
}
