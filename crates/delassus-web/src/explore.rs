//! What each reaction of the coming step can be, exactly, in the plane.

use delassus::explore::{Bounds, BoundsSettings, Equilibrium, Statics};
use delassus::rigid::{AnyBlocks, StepBlocks};
use delassus::simulation::NextStep;
use serde_json::{Value, json};

/// Contacts that are bounded while the user waits.
const MOST: usize = 400;

/// Place, normal and polygon of possible reactions \[N\] of each contact; a message where there is no answer.
///
/// # Errors
/// The question has no meaning here; the text says why.
pub fn possible(next: NextStep) -> Result<Value, String> {
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
        let polygon: Vec<[f64; 2]> = r.vertices.iter().map(|v| [v[0] / next.h, v[1] / next.h]).collect();
        json!({
            "contact": r.contact, "bodies": next.bodies[r.contact], "point": place, "frame": frame,
            "polygon": polygon, "bounded": r.rays.is_empty(),
        })
    };
    Ok(reactions.iter().map(one).collect())
}
