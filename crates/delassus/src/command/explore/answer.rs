//! What was found, and where it is written.

use super::subject::Subject;
use super::tables;
use crate::command::explore_args::ExploreArgs;
use crate::command::output::Output;
use crate::command::{Verdict, scene};
use delassus_explore::{Error, Exploration, Network, Reaction, Samples, Statics};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

/// Everything found.
#[derive(Default)]
pub struct Answer<const C: usize> {
    pub reactions: Option<Vec<Reaction<C>>>,
    pub samples: Option<Samples<C>>,
    /// By name; the most stable one first, where there is one.
    pub networks: Vec<(String, Network<C>)>,
    /// One solution.
    pub forces: Option<Vec<Vector<C>>>,
}

/// The coefficient of a law that has one.
pub fn friction(law: &Law) -> f64 {
    match law {
        Law::Coulomb { mu }
        | Law::Rolling { mu, .. }
        | Law::Torsional { mu, .. }
        | Law::RollingTorsional { mu, .. } => *mu,
        Law::Elliptic { mu, .. } | Law::Directional { mu } => mu[0].max(mu[1]),
        Law::Polyhedral(section) => section.vertices().iter().map(|v| v[0].hypot(v[1])).fold(0.0, f64::max),
        _ => 0.0,
    }
}

impl<const C: usize> Answer<C> {
    /// The solution that stands for all: the most stable one, else the first sample.
    pub fn choose_forces(&mut self) {
        let stable = self.networks.first().map(|n| n.1.percussions.clone());
        let sample = self.samples.as_ref().filter(|s| !s.is_empty()).map(|s| s.get(0).to_vec());
        self.forces = stable.or(sample);
    }

    pub fn write(
        &self,
        subject: &Subject,
        statics: &Statics<C>,
        args: &ExploreArgs,
        out: &mut Output,
    ) -> Result<(), Error> {
        if let Some(path) = &args.csv {
            let text = tables::csv(subject, statics, self);
            if scene::write(path, &text) == Verdict::BadInput {
                let reason = "see above".into();
                return Err(Error::Write { path: path.display().to_string(), reason });
            }
        }
        let Some(path) = &args.output else { return Ok(()) };
        let n = statics.contacts();
        Exploration {
            source: subject.name.clone(),
            unit: subject.unit,
            factor: subject.factor,
            places: subject.places.as_ref(),
            friction: statics.laws()[..n].iter().map(friction).collect(),
            forces: self.forces.as_deref(),
            samples: self.samples.as_ref(),
            reactions: self.reactions.as_deref(),
            networks: self.networks.iter().map(|(name, n)| (name.clone(), n.percussions.clone())).collect(),
        }
        .write(path)?;
        let size = std::fs::metadata(path).map(|m| m.len()).unwrap_or(0);
        out.line(&format!("{}: written, {}", path.display(), crate::command::bytes(size)));
        Ok(())
    }
}
