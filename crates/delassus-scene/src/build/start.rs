//! The start of a run: contacts and overlaps.

use super::Size;
use super::bodies::{Item, Role};
use super::prepare::Prepared;
use crate::description::Overlaps;
use crate::diagnostic::{Diagnostics, Problem, Severity};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Contact, ContactSet, Detector, DetectorSettings, Dim, NumberOf, Placement, Space};
use delassus_rigid::{Kinematics, RigidModel, State};

/// Overlaps listed one by one.
const LISTED: usize = 10;
/// Part of the largest body below which a depth is round-off.
const ROUND_OFF: f64 = 1e-9;

/// Bodies where they start.
pub(crate) struct Start<'a, const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    pub model: &'a RigidModel<D>,
    pub state: &'a State,
}

/// Contacts of the start, and the depth from which one is an overlap \[m\].
struct Overlapping<'a, const D: usize> {
    set: &'a ContactSet<D>,
    depth: f64,
}

/// Counts contacts and reports overlaps at the start.
pub(crate) fn judge<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    start: &Start<'_, D>,
    diagnostics: &mut Diagnostics,
) -> Size
where
    Dim<D>: Kinematics<D>,
{
    let Start { model, state } = *start;
    let colliders = model.colliders();
    let radius = |shape| <Dim<D> as Space<D>>::bounding_radius(shape);
    let largest = colliders.iter().map(|c| radius(&c.shape)).filter(|r| r.is_finite()).fold(0.0, f64::max);
    let depth = scene.description.initial.depth.unwrap_or(ROUND_OFF * largest);
    let settings = DetectorSettings { margin: model.detection().margin.max(depth), ..*model.detection() };
    let poses: Vec<_> = (0..model.bodies().len()).map(|b| model.centre_pose(state, b)).collect();
    let mut set = ContactSet::default();
    let found = Detector::of_shared(colliders.clone(), vec![], &[], settings)
        .and_then(|mut detector| detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set));
    if let Err(e) = found {
        let name = |number: NumberOf| match number {
            NumberOf::Collider(i) => colliders.get(i).map(|c| prepared.items[c.body as usize].name.clone()),
            NumberOf::Body(b) => prepared.items.get(b).map(|item| item.name.clone()),
        };
        scene.error(diagnostics, &Path::of(&["body"]), Problem::Model { message: e.with_name(&name) });
    }
    report(scene, &prepared.items, &Overlapping { set: &set, depth }, diagnostics);
    let later = prepared.items.iter().filter(|i| !i.present && i.part != Role::Fixed).count();
    let count = |role: Role| prepared.items.iter().filter(|i| i.role == role).count();
    Size {
        free: count(Role::Free),
        fixed: count(Role::Fixed) - later,
        later,
        moved: count(Role::Moved),
        colliders: colliders.len(),
        contacts: set.contacts.len(),
        deepest: set.contacts.iter().map(|c| -c.gap).fold(0.0, f64::max),
    }
}

/// Whether a body was there before, and is where it was.
fn stood(scene: &Scene, item: &Item) -> bool {
    let Some(standing) = &scene.standing else { return false };
    standing.bodies.get(&item.name).is_some_and(|stood| item.present && stood.prints[0] == item.prints()[0])
}

/// The deepest overlaps by name, the others by number.
fn report<const D: usize>(
    scene: &Scene,
    items: &[Item],
    overlapping: &Overlapping<'_, D>,
    diagnostics: &mut Diagnostics,
) {
    let Overlapping { set, depth } = *overlapping;
    let mut pairs: Vec<([u32; 2], f64)> = Vec::new();
    // What two bodies came to in the run that goes on is no fault of the start.
    let here: Vec<bool> = items.iter().map(|item| stood(scene, item)).collect();
    let new = |c: &Contact<D>| !c.bodies.iter().all(|b| here[*b as usize]);
    for contact in set.contacts.iter().filter(|c| c.gap < -depth && new(c)) {
        match pairs.iter_mut().rev().take(4).find(|p| p.0 == contact.bodies) {
            Some(pair) => pair.1 = pair.1.max(-contact.gap),
            None => pairs.push((contact.bodies, -contact.gap)),
        }
    }
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let refuse = scene.description.initial.overlaps == Overlaps::Refuse;
    let severity = if refuse { Severity::Error } else { Severity::Warning };
    for (bodies, depth) in pairs.iter().take(LISTED) {
        let two = bodies.map(|b| &items[b as usize]);
        let [first, second] = two.map(|i| i.name.clone());
        // The free one is the one to move.
        let path = if two[0].role == Role::Free { &two[0].path } else { &two[1].path };
        let place = scene.place(&path.at("position"));
        let diagnostic = diagnostics.push(severity, place, Problem::Overlap { first, second, depth: *depth });
        if refuse {
            diagnostic.help("move one of them, or start from it with [initial] overlaps = \"accept\"");
        }
    }
    if pairs.len() > LISTED {
        diagnostics.push(severity, None, Problem::MoreOverlaps { count: pairs.len() - LISTED });
    }
}
