//! What `check` foresees of a run: contacts once it is packed, the longest step, memory, time.

use super::bytes;
use crate::simulation::{Options, Simulation};
use delassus_contact::{Dim, Shape, Space};
use delassus_rigid::{Kinematics, unstable};
use delassus_scene::{Built, Scene, Setup};
use std::time::{Duration, Instant};

/// Time for the steps that are tried.
const TRIAL: Duration = Duration::from_millis(300);
/// Most of them.
const STEPS: u64 = 50;
/// A step that no explicit force allows.
const LONG: f64 = 1e6;

/// Lines of the forecast of a scene that can be built.
pub fn lines(scene: &Scene) -> Vec<String> {
    let (mut lines, packed) = match scene.build() {
        Ok(Built::Plane(setup)) => of_bodies(&setup),
        Ok(Built::Space(setup)) => of_bodies(&setup),
        Err(_) => (vec![], 0),
    };
    lines.extend(pace(scene, packed));
    lines
}

/// Contacts, critical step and memory of the rigid bodies; the contacts of a packing.
fn of_bodies<const D: usize>(setup: &Setup<D>) -> (Vec<String>, usize)
where
    Dim<D>: Kinematics<D>,
{
    if setup.size.free == 0 || setup.solids.is_some() {
        return (vec![], 0);
    }
    let contacts = packed(setup).max(setup.size.contacts);
    let mut lines = vec![format!("packed    about {contacts} contacts where every body rests on others")];
    lines.push(match unstable(&setup.model, &setup.state, LONG) {
        Ok(Some(found)) => format!("limit     steps below {:.2e} s, for explicit springs and forces", found.limit),
        _ => "limit     none for the step: contacts, joints and springs are implicit".into(),
    });
    lines.push(format!("memory    about {}", bytes(memory::<D>(setup, contacts))));
    (lines, contacts)
}

/// Contacts of a packing: a ball has 2 D neighbours, half of which are its own; flat faces meet in several points.
fn packed<const D: usize>(setup: &Setup<D>) -> usize
where
    Dim<D>: Kinematics<D>,
{
    let each = |c: &delassus_contact::Collider<D>| match (c.shape.is_round(), D) {
        (true, _) => D,
        (false, 2) => 4,
        (false, _) => 8,
    };
    let free = |body: u32| setup.model.bodies()[body as usize].is_dynamic();
    setup.model.colliders().iter().filter(|c| free(c.body)).map(each).sum()
}

/// Bodies with their shapes and boxes; contacts with their rows, frames, states and blocks of the operator.
fn memory<const D: usize>(setup: &Setup<D>, contacts: usize) -> u64
where
    Dim<D>: Kinematics<D> + Space<D>,
{
    let (c, dofs) = (setup.model.components(), <Dim<D> as Kinematics<D>>::DOFS);
    // A contact shares a body with as many others as two bodies have.
    let neighbours = 2 * (contacts * 2 / setup.size.free.max(1)).max(1);
    let rows = 2 * 8 * c * dofs;
    let blocks = 8 * c * c * (1 + neighbours);
    let state = 600 + 8 * 12 * c;
    (setup.size.colliders * 1000 + setup.size.bodies() * 60 * dofs + contacts * (rows + blocks + state)) as u64
}

/// How long the run takes at the pace of its first steps, and with the contacts of a packing.
fn pace(scene: &Scene, packed: usize) -> Option<String> {
    let mut simulation = Simulation::new(scene, &Options::default()).ok()?;
    let steps = simulation.clock().steps;
    let begin = Instant::now();
    let (mut took, mut contacts) = (vec![], 0);
    while (took.len() as u64) < STEPS.min(steps) && begin.elapsed() < TRIAL && !simulation.is_over() {
        let before = Instant::now();
        match simulation.step() {
            Ok(progress) => contacts = progress.contacts,
            Err(error) => return Some(format!("time      step {} cannot be made: {error}", took.len() + 1)),
        }
        took.push(before.elapsed().as_secs_f64());
    }
    Some(foretold(took, steps as f64, [contacts, packed]))
}

/// One step may take longer than all others together: both paces are told then. Sweeps take as long as there are
/// contacts, and more of them where these lean on one another: a packing takes that much longer than what still falls.
fn foretold(mut took: Vec<f64>, steps: f64, [contacts, packed]: [usize; 2]) -> String {
    let made = took.len();
    took.sort_unstable_by(f64::total_cmp);
    let mean = |took: &[f64]| took.iter().sum::<f64>() / took.len().max(1) as f64;
    let [most, all] = [mean(&took[..made - made / 10]), mean(&took)].map(|pace| pace * steps);
    let word = if made == 1 { "step" } else { "steps" };
    let slow = match all > 2.0 * most.max(1.0) {
        true => format!(", {} if every tenth goes on to be as slow as there", duration(all)),
        false => String::new(),
    };
    let touch = if contacts == 1 { "contact" } else { "contacts" };
    let later = match contacts {
        0 if packed > 0 => "; more once bodies touch".to_owned(),
        _ if packed > 2 * contacts => {
            format!("; about {} once {packed} are packed", duration(most * packed as f64 / contacts.max(1) as f64))
        }
        _ => String::new(),
    };
    format!(
        "time      about {} at the pace of the first {made} {word}{slow}, with {contacts} {touch}{later}",
        duration(most)
    )
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".into(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}
