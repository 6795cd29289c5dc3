//! From one model to the next: bodies by name, contacts by the bodies and shapes they are of
//!
//! Positions, velocities, percussions and internal variables keep their bits wherever body and shape are the same.

use delassus_contact::{ContactKey, Dim, Pose};
use delassus_dynamics::LINK;
use delassus_rigid::{Body, ContactState, Kinematics, RigidModel, State};
use delassus_scene::{Laboratory, Stood};
use std::collections::{HashMap, HashSet};

/// What is packed.
pub struct Packing<'a, const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    /// The model.
    pub model: &'a RigidModel<D>,
    /// The state.
    pub state: &'a State,
    /// Who is there, names of springs.
    pub lab: &'a Laboratory,
}

/// A state that belongs to names.
#[derive(Clone, Debug, Default)]
pub struct Luggage {
    /// Names of the bodies, in order.
    pub names: Vec<String>,
    /// Whether each is there.
    pub present: Vec<bool>,
    q: Vec<f64>,
    u: Vec<f64>,
    /// Centre and principal axes of each in its own axes.
    frames: Vec<f64>,
    /// Bodies and ordinals of the shapes of each contact.
    contacts: Vec<([u32; 2], [u32; 2], ContactState)>,
    joints: HashMap<String, (Vec<f64>, Vec<[f64; LINK]>)>,
    springs: HashMap<String, (Vec<f64>, [f64; LINK])>,
    /// Deformable solids: their coordinates, velocities and links are the last ones.
    solids: (Vec<f64>, Vec<f64>, Vec<[f64; LINK]>),
    /// Contacts of their skins, and of surfaces that meet in pairs.
    skins: Vec<(Skinned, ContactState)>,
}

/// Whose contact it is where a skin takes part; skins are numbered on from the colliders.
#[derive(Clone, Copy, Debug)]
enum Skinned {
    /// A shape of a body, and a skin.
    Body((u32, u32), u32),
    /// Two skins.
    Skins(u32, u32),
    /// Two surfaces that know each other by names of their own.
    Surfaces,
}

impl Luggage {
    /// How joints and springs hold, as text that keeps every bit.
    pub fn holds(&self) -> String {
        let bits = |x: &[f64]| x.iter().map(|x| format!("{:016x}", x.to_bits())).collect::<Vec<_>>().join(",");
        let joints = self.joints.iter().map(|(n, (x, _))| format!("j{n}\u{1f}{}", bits(x)));
        let springs = self.springs.iter().map(|(n, (x, _))| format!("s{n}\u{1f}{}", bits(x)));
        let mut all: Vec<String> = joints.chain(springs).collect();
        all.sort();
        all.join("\u{1e}")
    }

    /// Back from [`Luggage::holds`].
    pub fn read_holds(&mut self, text: &str) {
        for item in text.split('\u{1e}') {
            let Some((name, bits)) = item.split_once('\u{1f}') else { continue };
            let number = |x: &str| u64::from_str_radix(x, 16).map(f64::from_bits);
            let Ok(numbers) = bits.split(',').map(number).collect::<Result<Vec<f64>, _>>() else { continue };
            match (name.strip_prefix('j'), name.strip_prefix('s')) {
                (Some(name), _) => drop(self.joints.entry(name.into()).and_modify(|j| j.0 = numbers)),
                (_, Some(name)) => drop(self.springs.entry(name.into()).and_modify(|s| s.0 = numbers)),
                _ => {}
            }
        }
    }
}

/// What of the luggage is taken over.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Bodies that are where they were.
    pub bodies: HashSet<String>,
    /// Joints that hold as they did.
    pub joints: Vec<String>,
    /// Springs that hold as they did.
    pub springs: Vec<String>,
    /// Time \[s\] and steps to go on from.
    pub clock: (f64, u64),
}

/// Body and ordinal of each collider.
fn ordinals<const D: usize>(model: &RigidModel<D>) -> Vec<(u32, u32)>
where
    Dim<D>: Kinematics<D>,
{
    let mut count = vec![0; model.bodies().len()];
    let next = |body: u32, count: &mut Vec<u32>| {
        count[body as usize] += 1;
        (body, count[body as usize] - 1)
    };
    model.colliders().iter().map(|c| next(c.body, &mut count)).collect()
}

/// Packs a state.
pub fn pack<const D: usize>(from: &Packing<'_, D>) -> Luggage
where
    Dim<D>: Kinematics<D>,
{
    let (model, state) = (from.model, from.state);
    let of = ordinals(model);
    let contact = |c: &ContactState| {
        let [a, b] = c.key.colliders.map(|k| of.get(k as usize).copied());
        let (a, b) = a.zip(b)?;
        Some(([a.0, b.0], [a.1, b.1], *c))
    };
    let skin = |c: &ContactState| {
        let [a, b] = c.key.colliders;
        let beyond = |k: u32| (k as usize).checked_sub(of.len()).map(|k| k as u32);
        match (of.get(a as usize), beyond(a), beyond(b)) {
            _ if a == u32::MAX => Some((Skinned::Surfaces, *c)),
            (Some(first), _, Some(second)) => Some((Skinned::Body(*first, second), *c)),
            (None, Some(first), Some(second)) => Some((Skinned::Skins(first, second), *c)),
            _ => None,
        }
    };
    let (n, c) = (<Dim<D> as Kinematics<D>>::DOFS, <Dim<D> as Kinematics<D>>::COORDINATES);
    let (bodies, held) = (model.bodies().len(), model.spring_slots() + model.springs().len());
    let tail = |x: &[f64], from: usize| x.get(from..).unwrap_or_default().to_vec();
    let links = |range: std::ops::Range<usize>| state.links.get(range).unwrap_or_default().to_vec();
    let joints = model.joint_slots().zip(model.joint_holds());
    let springs = from.lab.springs.iter().zip(model.spring_holds()).enumerate();
    let spring_link = |i: usize| state.links.get(model.spring_slots() + i).copied().unwrap_or([0.0; LINK]);
    Luggage {
        names: model.bodies().iter().map(|b| b.name.to_string()).collect(),
        present: from.lab.present.clone(),
        q: state.q.clone(),
        u: state.u.clone(),
        frames: model.bodies().iter().flat_map(|b| numbers(&b.frame.pose())).collect(),
        contacts: state.contacts.iter().filter_map(contact).collect(),
        joints: joints.map(|((name, slots), (_, holds))| (name.to_owned(), (holds, links(slots)))).collect(),
        springs: springs.map(|(i, (name, holds))| (name.clone(), (holds, spring_link(i)))).collect(),
        solids: (
            tail(&state.q, c * bodies),
            tail(&state.u, n * bodies),
            state.links.get(held..).unwrap_or_default().to_vec(),
        ),
        skins: state.contacts.iter().filter_map(skin).collect(),
    }
}

fn numbers<const D: usize>(pose: &Pose<D>) -> [f64; 12] {
    let mut x = [0.0; 12];
    for i in 0..D {
        x[i] = pose.position[i];
        (0..D).for_each(|j| x[3 + 3 * i + j] = pose.rotation[(i, j)]);
    }
    x
}

/// Where a body stands, for the builder of scenes; prints are filled in there.
pub fn stood<const D: usize>(pose: &Pose<D>, body: &Body<D>) -> Stood {
    let since = body.motion.as_ref().and_then(|m| m.since);
    Stood { pose: numbers(pose), start: numbers(&body.start.pose()), since, prints: [0; 2] }
}

/// The state of another model that begins where the luggage ends.
pub fn unpack<const D: usize>(
    model: &mut RigidModel<D>,
    start: &State,
    luggage: &Luggage,
    lab: &Laboratory,
    kept: &Kept,
) -> State
where
    Dim<D>: Kinematics<D>,
{
    let (n, c) = (<Dim<D> as Kinematics<D>>::DOFS, <Dim<D> as Kinematics<D>>::COORDINATES);
    let mut state = start.clone();
    (state.time, state.step) = kept.clock;
    let old: HashMap<&str, usize> = luggage.names.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    let mut new_of = vec![None; luggage.names.len()];
    for (i, body) in model.bodies().iter().enumerate() {
        let Some(&o) = old.get(&*body.name).filter(|o| luggage.present[**o] && lab.present[i]) else { continue };
        if !kept.bodies.contains(&*body.name) {
            continue;
        }
        new_of[o] = Some(i as u32);
        let same = numbers(&body.frame.pose()) == luggage.frames[12 * o..12 * (o + 1)];
        if same {
            state.q[c * i..c * (i + 1)].copy_from_slice(&luggage.q[c * o..c * (o + 1)]);
        }
        if body.is_dynamic() || model.cell().is_some_and(|c| c.has(i)) {
            state.u[n * i..n * (i + 1)].copy_from_slice(&luggage.u[n * o..n * (o + 1)]);
        }
    }
    state.contacts = contacts(model, luggage, &new_of);
    // Solids are the same in all stages.
    let (q, u, _) = &luggage.solids;
    let bodies = model.bodies().len();
    if state.q.len() == c * bodies + q.len() && state.u.len() == n * bodies + u.len() {
        state.q[c * bodies..].copy_from_slice(q);
        state.u[n * bodies..].copy_from_slice(u);
    }
    let slots: Vec<(String, std::ops::Range<usize>)> =
        model.joint_slots().map(|(name, slots)| (name.to_owned(), slots)).collect();
    state.links.resize(model.spring_slots() + model.springs().len(), [0.0; LINK]);
    for (name, slots) in slots.into_iter().filter(|(name, _)| kept.joints.contains(name)) {
        let Some((holds, links)) = luggage.joints.get(&name) else { continue };
        if model.hold_joint(&name, holds) && links.len() == slots.len() {
            state.links[slots].copy_from_slice(links);
        }
    }
    for (i, name) in lab.springs.iter().enumerate().filter(|(_, name)| kept.springs.contains(name)) {
        let Some((holds, link)) = luggage.springs.get(name) else { continue };
        if model.hold_spring(i, holds) {
            state.links[model.spring_slots() + i] = *link;
        }
    }
    state.links.extend(&luggage.solids.2);
    state
}

/// Contacts of shapes that both models have.
fn contacts<const D: usize>(model: &RigidModel<D>, luggage: &Luggage, new_of: &[Option<u32>]) -> Vec<ContactState>
where
    Dim<D>: Kinematics<D>,
{
    let place: HashMap<(u32, u32), u32> = ordinals(model).into_iter().zip(0..).collect();
    let mut all = vec![];
    for (bodies, shapes, contact) in &luggage.contacts {
        let find = |k: usize| place.get(&(new_of[bodies[k] as usize]?, shapes[k])).copied();
        let (Some(a), Some(b)) = (find(0), find(1)) else { continue };
        let mut contact = *contact;
        let key = &contact.key;
        if a < b {
            contact.key = ContactKey { colliders: [a, b], ..*key };
        } else {
            let features = [key.features[1], key.features[0]];
            contact.key = ContactKey { colliders: [b, a], features, image: key.image.map(|i| -i) };
            contact.normal = contact.normal.map(|x| -x);
            contact.tangent = contact.tangent.map(|x| -x);
            // The third axis of the turned frame is the same: what is along it changes its sign.
            if D == 3 {
                contact.percussion[2] = -contact.percussion[2];
            }
        }
        all.push(contact);
    }
    let beyond = model.colliders().len() as u32;
    for (whose, contact) in &luggage.skins {
        let mut contact = *contact;
        contact.key.colliders = match whose {
            Skinned::Surfaces => contact.key.colliders,
            Skinned::Skins(a, b) => [beyond + a, beyond + b],
            Skinned::Body((body, shape), skin) => {
                let Some(&k) = new_of[*body as usize].and_then(|b| place.get(&(b, *shape))) else { continue };
                [k, beyond + skin]
            }
        };
        all.push(contact);
    }
    all.sort_by_key(|c| c.key);
    all
}
