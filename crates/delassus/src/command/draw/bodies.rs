//! Bodies, contacts and forces from a scene and a frame, in the plane and in space.

use super::args::ForceChoice;
use super::snapshot::Snapshot;
use super::solids;
use delassus_contact::{Collider, Dim, Pose};
use delassus_draw::{Body, Colour, Contact, Forces, Role, Shape};
use delassus_rigid::Kinematics;
use delassus_scene::Setup;

/// A scene at one time.
pub struct Scenery<'a, const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    /// The scene.
    pub setup: &'a Setup<D>,
    /// The time.
    pub snapshot: &'a Snapshot,
    /// Names are written at the bodies.
    pub names: bool,
}

impl<const D: usize> Scenery<'_, D>
where
    Dim<D>: Kinematics<D>,
{
    /// Where a body is.
    pub fn pose(&self, body: usize) -> Pose<D> {
        let turns = Dim::<D>::COORDINATES - D;
        let (x, q) = (&self.snapshot.position[D * body..], &self.snapshot.orientation[turns * body..]);
        Dim::<D>::pose(&[&x[..D], &q[..turns]].concat())
    }

    /// All bodies: a shape for each collider that has one by itself, and for each deformable solid those
    /// of its mesh.
    pub fn bodies<S>(
        &self,
        palette: &[Colour],
        shape: impl Fn(&Collider<D>, &Pose<D>) -> Option<S>,
        mesh: impl Fn(solids::Outline) -> Vec<S>,
    ) -> Vec<Body<D, S>> {
        let (setup, model) = (self.setup, &self.setup.model);
        let fills = self.fills(palette);
        let usual = |material: u16| fills.get(usize::from(material)).copied().flatten();
        let mut all: Vec<Body<D, S>> = vec![];
        for (i, body) in model.bodies().iter().enumerate() {
            let free = setup.is_free(i);
            all.push(Body {
                name: body.name.to_string(),
                label: (self.names && free && self.snapshot.shows(i)).then(|| body.name.to_string()),
                role: if free { Role::Free } else { Role::Fixed },
                colour: None,
                centre: self.pose(i).position.into(),
                shapes: vec![],
            });
        }
        let all_shapes = model.colliders().iter().chain(&setup.decor);
        for collider in all_shapes.filter(|c| self.snapshot.shows(c.body as usize)) {
            let body = &mut all[collider.body as usize];
            let own = if body.role == Role::Free { usual(collider.material) } else { self.given(collider.material) };
            body.colour = body.colour.or(own);
            body.shapes.extend(shape(collider, &self.pose(collider.body as usize)));
        }
        let meshes = solids::outlines_of(setup.solids.as_ref(), &self.snapshot.displacement);
        // Beams come last and have no skin.
        let skins = setup.skins.iter().copied().chain(std::iter::repeat(0));
        for ((name, outline), material) in meshes.into_iter().zip(skins) {
            let middle = solids::middle(&outline.0);
            all.push(Body {
                label: self.names.then(|| name.clone()),
                name,
                role: Role::Free,
                colour: usual(material),
                centre: std::array::from_fn(|k| middle[k]),
                shapes: mesh(outline),
            });
        }
        all
    }

    /// The contacts.
    pub fn contacts(&self) -> Vec<Contact<D>> {
        let cut = |x: [f64; 3]| std::array::from_fn(|k| x[k]);
        let contacts = self.snapshot.contacts.iter();
        let contact = contacts.map(|c| Contact {
            point: cut(c.point),
            normal: cut(c.normal),
            bodies: c.bodies,
            force: cut(c.force),
            status: c.status,
        });
        contact.collect()
    }

    /// The colour that a material was given.
    fn given(&self, material: u16) -> Option<Colour> {
        self.setup.colours.get(usize::from(material)).and_then(|c| c.as_deref()).and_then(Colour::parse)
    }

    /// Fills of the materials: their own, else one for each that a free body has.
    fn fills(&self, palette: &[Colour]) -> Vec<Option<Colour>> {
        let (setup, model) = (self.setup, &self.setup.model);
        let free = model.colliders().iter().filter(|c| setup.is_free(c.body as usize));
        let free = free.map(|c| c.material).chain(setup.skins.iter().copied());
        let mut used: Vec<u16> = free.collect();
        used.sort_unstable();
        used.dedup();
        let mut fills: Vec<Option<Colour>> = (0..setup.materials.len()).map(|m| self.given(m as u16)).collect();
        for (i, material) in used.iter().enumerate() {
            if let Some(fill) = fills.get_mut(usize::from(*material)) {
                fill.get_or_insert(palette[i % palette.len()]);
            }
        }
        fills
    }
}

/// How forces are drawn among these bodies.
pub fn forces<const D: usize, S: Shape<D>>(choice: ForceChoice, bodies: &[Body<D, S>]) -> Forces {
    let free = || bodies.iter().filter(|b| b.role == Role::Free);
    match choice {
        ForceChoice::Network => Forces::Network,
        ForceChoice::Lines => Forces::Lines,
        ForceChoice::Auto if 2 * free().filter(|b| b.is_round()).count() > free().count() => Forces::Network,
        ForceChoice::Auto => Forces::Lines,
    }
}
