//! All bodies of a scene: those of the file, then those of the generators
//!
//! Names are resolved, shapes made, places computed. What is wrong with one body does not
//! hide what is wrong with the next.

use super::laws::Materials;
use super::place::{Turns, vector_or_zero};
use super::shape::{self, Context, Shapes};
use crate::description::{Body, Part};
use crate::diagnostic::{Diagnostics, Problem};
use crate::generate;
use crate::scene::Scene;
use crate::stages::matches;
use crate::tree::Path;
use delassus_contact::{Collider, Dim, Offset, Pose, Space};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// By the forces on it.
    Free,
    /// Not at all.
    Fixed,
    /// As imposed.
    Moved,
}

/// A body with its name and the place that describes it.
pub(crate) struct Item {
    /// Name.
    pub name: String,
    /// What the file or the generator says.
    pub body: Body,
    /// Where the file says it: bodies of one generator share it.
    pub path: Arc<Path>,
    /// How it moves.
    pub role: Role,
    /// Whether it is there: not before its stage, nor after it was taken away.
    pub present: bool,
    /// Its role when it is there: that of one that a feeder or a stage brings later.
    pub part: Role,
    /// Whether its place is the size or the displacement of the periodic cell.
    pub cell: bool,
}

impl Item {
    /// Whether it touches other bodies.
    pub fn touches(&self) -> bool {
        self.present && !self.cell && self.body.contact != Some(false)
    }

    /// Hashes of the description of its place and of its motion.
    pub fn prints(&self) -> [u64; 2] {
        let hash = |text: String| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        };
        let body = &self.body;
        let place = hash(format!("{:?} {:?} {:?}", body.position, body.angle, body.rotation));
        [place, hash(format!("{:?} {:?}", self.role, body.motion))]
    }
}

/// One shape of a body, made.
pub(crate) struct Piece<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Its shape.
    pub shape: <Dim<D> as Space<D>>::Shape,
    /// Its place in the body.
    pub offset: Offset<D>,
    /// Its material.
    pub material: u16,
}

/// A body, made.
pub(crate) struct Made<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Its shapes.
    pub pieces: Vec<Piece<D>>,
    /// Its origin at the start.
    pub pose: Offset<D>,
    /// Group of bodies that never meet, 0 for none.
    pub group: u16,
    /// Time from which its imposed motion is counted, where it began later.
    pub since: Option<f64>,
}

/// Named bodies of the file and of the generators, in this order.
pub(crate) fn items(scene: &Scene, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut items = Vec::new();
    for (i, (key, body)) in scene.description.body.items.iter().enumerate() {
        let path = Path::of(&["body"]).at(key.clone().unwrap_or_else(|| i.to_string()));
        let name = key.clone().or_else(|| body.name.clone()).unwrap_or_else(|| i.to_string());
        let present = !scene.cast.later.contains(&name);
        items.push(item(scene, (name, present), body.clone(), path.into(), diagnostics));
    }
    for (i, generator) in scene.description.generate.0.iter().enumerate() {
        let path = Arc::new(Path::of(&["generate"]).at(i));
        match generate::expand(generator, scene.description.dimension) {
            Ok(made) => {
                items.reserve(made.len());
                let present = scene.cast.generators.is_none_or(|n| i < n);
                for m in made {
                    items.push(item(scene, (m.name, present), m.body, path.clone(), diagnostics));
                }
            }
            Err(problem) => drop(scene.error(diagnostics, &path, problem)),
        }
    }
    items.extend(super::cell::items(scene));
    let mut seen: BTreeMap<&str, ()> = BTreeMap::new();
    for item in &items {
        if seen.insert(&item.name, ()).is_some() {
            let name = item.name.clone();
            scene.error(diagnostics, &item.path, Problem::DuplicateName { kind: "bodies", name });
            break;
        }
    }
    items
}

fn item(
    scene: &Scene,
    (name, announced): (String, bool),
    body: Body,
    path: Arc<Path>,
    diagnostics: &mut Diagnostics,
) -> Item {
    let gone = scene.cast.gone.iter().any(|pattern| matches(pattern, &name));
    let fed = scene.description.feeder.items.iter().flat_map(|(_, f)| f.bodies.iter()).any(|p| matches(p, &name));
    let present = announced && !gone && (!fed || scene.cast.entered.contains(&name));
    if body.fixed && body.motion.is_some() {
        let what = format!("`{name}` has `fixed = true` and a `motion`: one of them is accepted");
        scene.error(diagnostics, &path, Problem::Inconsistent { what });
    }
    let obstacle = shapes(&body).iter().any(|part| shape::is_obstacle(&part.shape));
    let part = match (&body.motion, body.fixed || obstacle) {
        (Some(_), _) => Role::Moved,
        (None, true) => Role::Fixed,
        (None, false) => Role::Free,
    };
    let role = if present { part } else { Role::Fixed };
    Item { name, body, path, role, present, part, cell: false }
}

/// The parts of a body, `shape` being one.
pub(crate) fn shapes(body: &Body) -> Cow<'_, [Part]> {
    match &body.shape {
        Some(shape) => Cow::Owned(vec![Part::plain(shape.clone())]),
        None => Cow::Borrowed(&body.parts),
    }
}

/// Numbers of groups by name.
#[derive(Default)]
pub(crate) struct Groups(BTreeMap<String, u16>);

impl Groups {
    fn number(&mut self, name: Option<&String>) -> u16 {
        let next = self.0.len() as u16 + 1;
        name.map_or(0, |n| *self.0.entry(n.clone()).or_insert(next))
    }
}

/// Makes one body.
pub(crate) fn make<const D: usize>(
    scene: &Scene,
    item: &Item,
    materials: &mut Materials,
    groups: &mut Groups,
) -> Result<Made<D>, (Path, Problem)>
where
    Dim<D>: Shapes<D> + Turns<D>,
{
    let at = |key: &str| item.path.at(key);
    let body = &item.body;
    if item.cell {
        let pose = pose(body.position.as_ref(), None, &[]).map_err(|p| (at("origin"), p))?;
        return Ok(Made { pieces: vec![], pose: stands(scene, item, pose).0.into(), group: 0, since: None });
    }
    if body.shape.is_some() && !body.parts.is_empty() {
        let what = format!("`{}` has `shape` and `parts`: one of them is accepted", item.name);
        return Err((at("shape"), Problem::Inconsistent { what }));
    }
    let parts = shapes(body);
    if parts.is_empty() {
        let problem = Problem::MissingKey { parent: item.path.to_string(), key: "shape".into() };
        return Err(((*item.path).clone(), problem));
    }
    let own = body.material.as_deref();
    let mut pieces = Vec::with_capacity(parts.len());
    let words = format!("`{}`", item.name);
    let context = Context { files: &scene.files, parameters: &scene.parameters, body: &words };
    for (k, part) in parts.iter().enumerate() {
        let path = if body.shape.is_some() { at("shape") } else { at("parts").at(k) };
        let shape = <Dim<D> as Shapes<D>>::shape(&part.shape, &context).map_err(|p| (path.clone(), p))?;
        let offset = pose(part.position.as_ref(), part.angle, &part.rotation.0).map_err(|p| (path.clone(), p))?;
        let name = part.material.as_deref().or(own);
        let material = materials.find(name, &item.path.to_string()).map_err(|p| (at("material"), p))?;
        pieces.push(Piece { shape, offset: offset.into(), material });
    }
    let pose = pose(body.position.as_ref(), body.angle, &body.rotation.0).map_err(|p| (at("position"), p))?;
    let (pose, since) = stands(scene, item, pose);
    Ok(Made { pieces, pose: pose.into(), group: groups.number(body.group.as_ref()), since })
}

/// Where a body is that was there before: where it stands, unless its place was given anew. An imposed motion that is
/// the same goes on, another begins where the body is.
fn stands<const D: usize>(scene: &Scene, item: &Item, described: Pose<D>) -> (Pose<D>, Option<f64>) {
    let Some(standing) = &scene.standing else { return (described, None) };
    let since = (item.role == Role::Moved).then_some(standing.time);
    let Some(stood) = standing.bodies.get(&item.name).filter(|_| item.present) else { return (described, since) };
    let [place, motion] = item.prints();
    if place != stood.prints[0] {
        return (described, since);
    }
    match item.role {
        _ if item.cell => (read_pose(&stood.pose), None),
        Role::Free => (read_pose(&stood.pose), None),
        _ if motion == stood.prints[1] => (read_pose(&stood.start), stood.since),
        _ => (read_pose(&stood.pose), since),
    }
}

fn read_pose<const D: usize>(x: &[f64; 12]) -> Pose<D> {
    Pose {
        position: delassus_contact::Vector::from_fn(|k, _| x[k]),
        rotation: delassus_contact::Rotation::from_fn(|i, j| x[3 + 3 * i + j]),
    }
}

fn pose<const D: usize>(
    position: Option<&Vec<f64>>,
    angle: Option<f64>,
    turns: &[crate::description::AxisAngle],
) -> Result<Pose<D>, Problem>
where
    Dim<D>: Turns<D>,
{
    let rotation = <Dim<D> as Turns<D>>::rotation(angle, turns)?;
    Ok(Pose { position: vector_or_zero("position", position)?, rotation })
}

/// The colliders of all bodies, about the origins of the file.
pub(crate) fn colliders<const D: usize>(items: &[Item], made: &[Made<D>]) -> Vec<Collider<D>>
where
    Dim<D>: Space<D>,
{
    let mut all = Vec::new();
    for (i, (item, body)) in items.iter().zip(made).enumerate().filter(|(_, (item, _))| item.touches()) {
        for piece in &body.pieces {
            all.push(Collider {
                body: i as u32,
                shape: piece.shape.clone(),
                offset: piece.offset.clone(),
                material: piece.material,
                group: body.group,
                fixed: item.role != Role::Free,
            });
        }
    }
    all
}
