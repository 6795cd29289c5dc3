//! What each reaction of the coming step can be, exactly, in the plane.

use delassus::explore::{Bounds, BoundsSettings, Equilibrium, Statics};
use delassus::friction::Law;
use delassus::rigid::{AnyBlocks, StepBlocks};
use delassus::simulation::NextStep;
use delassus_view::{Explored, Possible};

/// Contacts that are bounded while the user waits.
const MOST: usize = 400;

/// The polygon of possible reactions \[N\] of each contact of the coming step, from `time` on.
///
/// # Errors
/// The question has no meaning here; the text says why.
pub fn possible(next: NextStep, time: f64) -> Result<Explored, String> {
    let AnyBlocks::Two(StepBlocks { problem, balance, load, .. }) = next.blocks else {
        return Err("exact sets in the browser are for scenes of the plane without rolling resistance; the command \
                    `delassus explore` does the others"
            .into());
    };
    let count = next.bodies.len();
    if count == 0 {
        return Err("nothing touches now".into());
    }
    if count > MOST {
        return Err(format!(
            "{count} contacts, at most {MOST} are explored here; the command `delassus explore` does more"
        ));
    }
    let statics = match load.is_empty() {
        true => Statics::from_problem(&problem),
        false => Statics::new(problem.laws().to_vec(), count, load, balance),
    };
    let statics = statics.map_err(|e| e.to_string())?;
    let bounds = Equilibrium::bounds(&statics, &BoundsSettings::default(), &|_| {}).map_err(|e| e.to_string())?;
    let Bounds::Reactions(reactions) = bounds else {
        return Err("no equilibrium exists: no reactions allowed by the laws hold the bodies at rest".into());
    };
    let one = |r: &delassus::explore::Reaction<2>| {
        let (place, frame) = (&next.position[2 * r.contact..][..2], &next.frame[4 * r.contact..][..4]);
        Possible {
            bodies: next.bodies[r.contact].map(|b| u32::try_from(b).ok()),
            point: place.to_vec(),
            axes: frame.chunks(2).map(<[f64]>::to_vec).collect(),
            friction: match problem.laws()[r.contact] {
                Law::Coulomb { mu } => mu,
                _ => 0.0,
            },
            vertices: r.vertices.iter().map(|v| vec![v[0] / next.h, v[1] / next.h]).collect(),
            unbounded: !r.rays.is_empty(),
            samples: vec![],
        }
    };
    let contacts = reactions.iter().map(one).collect();
    Ok(Explored { source: format!("the step from t = {time} s"), quantity: "force [N]".into(), time, contacts })
}
