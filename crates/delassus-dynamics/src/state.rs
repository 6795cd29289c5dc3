//! The state: exactly what a restart needs
//!
//! Percussions belong to it \[Moreau03\]: they select among the solutions of the next step.
//! With them go the frames of the contacts, which the next frames continue, and the
//! internal variables of laws that remember.

use delassus_contact::{Contact, ContactKey, Frames, Rotation};
use delassus_friction::laws::COMPONENTS;

/// Internal variables a law may keep at a contact.
pub const MEMORY: usize = 4;

/// Percussion of one link (a block of a joint).
pub const LINK: usize = COMPONENTS;

/// What a contact carries from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactState {
    /// Identity.
    pub key: ContactKey,
    /// Normal of the last frame; in the plane the third component is zero.
    pub normal: [f64; 3],
    /// First tangent of the last frame.
    pub tangent: [f64; 3],
    /// Percussion of the last step, in that frame, normal first \[N·s\].
    pub percussion: [f64; COMPONENTS],
    /// Internal variables of its law.
    pub memory: [f64; MEMORY],
}

/// Configuration, velocities, percussions, clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Number of the next step.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Configuration; the layout is the subsystem's.
    pub q: Vec<f64>,
    /// Velocities; the layout is the subsystem's.
    pub u: Vec<f64>,
    /// Contacts, sorted by key.
    pub contacts: Vec<ContactState>,
    /// Percussions of the links (joints), in the order of the subsystem.
    pub links: Vec<[f64; LINK]>,
}

impl State {
    /// At rest in a configuration.
    pub fn at_rest(q: Vec<f64>, dofs: usize) -> Self {
        Self { q, u: vec![0.0; dofs], ..Self::default() }
    }

    /// A hash of every bit, for tests of reproducibility.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut numbers = |x: &[f64]| {
            for v in x {
                hasher.update(&v.to_bits().to_le_bytes());
            }
        };
        numbers(&[self.time]);
        numbers(&self.q);
        numbers(&self.u);
        for c in &self.contacts {
            numbers(&c.normal);
            numbers(&c.tangent);
            // A sixth component that is not there leaves the hash as it was.
            numbers(&c.percussion[..5]);
            numbers(if c.percussion[5] == 0.0 { &[] } else { &c.percussion[5..] });
            numbers(&c.memory);
        }
        self.links.iter().for_each(|l| numbers(if l[5] == 0.0 { &l[..5] } else { l }));
        hasher.update(&self.step.to_le_bytes());
        for c in &self.contacts {
            for id in c.key.colliders.iter().chain(&c.key.features) {
                hasher.update(&id.to_le_bytes());
            }
            for image in c.key.image {
                hasher.update(&image.to_le_bytes());
            }
        }
        *hasher.finalize().as_bytes()
    }

    /// [`State::hash`] in hexadecimal digits.
    pub fn hash_hex(&self) -> String {
        self.hash().iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The contacts as flat columns: `(colliders and features ×4, image ×3, numbers)`, the
    /// numbers being normal, tangent, percussion and memory, [`State::NUMBERS`] per contact.
    pub fn contact_columns(&self) -> (Vec<u32>, Vec<i32>, Vec<f64>) {
        let (mut ids, mut images, mut numbers) = (vec![], vec![], vec![]);
        for c in &self.contacts {
            ids.extend(c.key.colliders.iter().chain(&c.key.features));
            images.extend(c.key.image);
            numbers.extend(c.normal.iter().chain(&c.tangent).chain(&c.percussion).chain(&c.memory));
        }
        (ids, images, numbers)
    }

    /// Numbers per contact in [`State::contact_columns`].
    pub const NUMBERS: usize = 6 + COMPONENTS + MEMORY;

    /// The contacts from [`State::contact_columns`]; `None` when the lengths disagree.
    pub fn contacts_from_columns(ids: &[u32], images: &[i32], numbers: &[f64]) -> Option<Vec<ContactState>> {
        let n = ids.len() / 4;
        if ids.len() != 4 * n || images.len() != 3 * n || numbers.len() != Self::NUMBERS * n {
            return None;
        }
        let contacts = (0..n)
            .map(|i| {
                let (id, image, x) = (&ids[4 * i..], &images[3 * i..], &numbers[Self::NUMBERS * i..]);
                let image = [image[0], image[1], image[2]];
                ContactState {
                    key: ContactKey { colliders: [id[0], id[1]], features: [id[2], id[3]], image },
                    normal: std::array::from_fn(|k| x[k]),
                    tangent: std::array::from_fn(|k| x[3 + k]),
                    percussion: std::array::from_fn(|k| x[6 + k]),
                    memory: std::array::from_fn(|k| x[6 + COMPONENTS + k]),
                }
            })
            .collect();
        Some(contacts)
    }
}

/// Read at every step, so that a restart sees the same bits.
impl<const D: usize> Frames<D> for State {
    fn count(&self) -> usize {
        self.contacts.len()
    }

    fn key(&self, i: usize) -> &ContactKey {
        &self.contacts[i].key
    }

    fn frame(&self, i: usize) -> Rotation<D> {
        let (n, t) = (self.contacts[i].normal, self.contacts[i].tangent);
        let second = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]];
        let axes = [n, t, second];
        Rotation::<D>::from_fn(|i, k| axes[k][i])
    }
}

impl ContactState {
    /// The part a contact of this step begins with.
    pub(crate) fn new<const D: usize>(contact: &Contact<D>) -> Self {
        let axis = |k: usize| std::array::from_fn(|i| if i < D { contact.frame[(i, k)] } else { 0.0 });
        Self { key: contact.key, normal: axis(0), tangent: axis(1), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_round_trip_and_the_hash_sees_every_field() {
        let mut state = State { time: 1.5, step: 7, q: vec![1.0], u: vec![-0.0], ..Default::default() };
        let key = ContactKey { colliders: [1, 2], features: [3, 4], image: [-1, 0, 70_000] };
        state.contacts.push(ContactState { key, percussion: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ..Default::default() });
        let (a, b, c) = state.contact_columns();
        assert_eq!(State::contacts_from_columns(&a, &b, &c).as_deref(), Some(&state.contacts[..]));
        assert_eq!(State::contacts_from_columns(&a[1..], &b, &c), None);
        let hash = state.hash();
        let mut other = state.clone();
        other.u[0] = 0.0;
        assert_ne!(other.hash(), hash);
        other = state.clone();
        other.contacts[0].key.image[2] = 2;
        assert_ne!(other.hash(), hash);
    }
}
