//! Contacts between rigid shapes and skins.

use super::Corners;
use delassus_contact::{Aabb, Collider, Contact, ContactKey, ContactSet, Dim, Error, Hit, Pose, Query, Space, Vector};
use delassus_fem::contact::Stencil;
use delassus_fem::subsystem::{Deformables, Offsets, Skin, Touch};

/// How deep a corner is looked for, and how far points are moved to tell faces apart at corners, in
/// sizes of facets.
const REACH: f64 = 0.5;
const INSET: f64 = 0.05;
/// Marks the key of a corner of the rigid shape.
const CORNER: u32 = 1 << 31;

/// A rigid shape that may meet skins.
struct Shape<const D: usize>
where
    Dim<D>: Space<D>,
{
    body: u32,
    /// Place in the body of each corner, and the radius around them.
    corners: Vec<Vector<D>>,
    radius: f64,
    /// Whether corners must press into the shape.
    solid: bool,
    placed: <Dim<D> as Space<D>>::Solid,
}

/// Finds the contacts between rigid shapes and skins.
pub(super) struct Cross<const D: usize>
where
    Dim<D>: Space<D>,
{
    shapes: Vec<Shape<D>>,
    point: <Dim<D> as Space<D>>::Solid,
    hits: Vec<Hit<D>>,
    scratch: <Dim<D> as Space<D>>::Scratch,
    offsets: Offsets,
    found: Vec<(Contact<D>, Touch)>,
}

/// What a search needs to know.
struct Now<'a, const D: usize> {
    solids: &'a Deformables<D>,
    previous: &'a ContactSet<D>,
    t: f64,
}

impl<const D: usize> Cross<D>
where
    Dim<D>: Corners<D>,
{
    pub fn new(colliders: &[Collider<D>], offsets: Offsets) -> Result<Self, Error> {
        let mut shapes = vec![];
        for c in colliders {
            let (corners, radius) = Dim::<D>::corners(&c.shape);
            shapes.push(Shape {
                body: c.body,
                corners: corners.iter().map(|p| c.offset.point(p)).collect(),
                radius,
                solid: Dim::<D>::is_solid(&c.shape),
                placed: Dim::<D>::solid(&c.shape, &c.offset)?,
            });
        }
        let point = Dim::<D>::solid(&Dim::<D>::point(), &Pose::identity())?;
        Ok(Self { shapes, point, hits: vec![], scratch: Default::default(), offsets, found: vec![] })
    }

    /// Appends the contacts at `poses` and time `t`, unsorted, and tells the solids where they touch.
    pub fn find(
        &mut self,
        poses: &[Pose<D>],
        t: f64,
        solids: &mut Deformables<D>,
        (previous, found): (&ContactSet<D>, &mut Vec<Contact<D>>),
    ) -> Result<(), Error> {
        self.found.clear();
        let now = Now { solids, previous, t };
        for c in 0..self.shapes.len() {
            let pose = &poses[self.shapes[c].body as usize];
            Dim::<D>::place(&mut self.shapes[c].placed, pose);
            let bounds = Dim::<D>::aabb(&self.shapes[c].placed).grown(now.solids.margin());
            for s in 0..now.solids.skins().len() {
                if now.solids.skins()[s].bounds().meets(&bounds) {
                    self.nodes(&now, [c, s], &bounds)?;
                    self.corners(&now, [c, s], pose)?;
                }
            }
        }
        for (contact, touch) in self.found.drain(..) {
            found.push(contact);
            solids.add_touch(touch);
        }
        Ok(())
    }

    /// Nodes of the skin in or on the shape.
    fn nodes(&mut self, now: &Now<'_, D>, pair: [usize; 2], bounds: &Aabb<D>) -> Result<(), Error> {
        let skin = &now.solids.skins()[pair[1]];
        for (rank, &node) in skin.nodes().iter().enumerate() {
            let p = now.solids.position(node);
            if !(0..D).all(|k| bounds.min[k] <= p[k] && p[k] <= bounds.max[k]) {
                continue;
            }
            self.seen(now, pair[0], &p, now.solids.margin())?;
            let normal = skin.normal(rank);
            let mut shift = 0.0;
            if self.hits.iter().any(|h| !skin.faces(rank, &-h.normal)) {
                // At a corner of the shape the nearest face may be one the skin does not look at:
                // seen from a little inside the solid, it is the one it does.
                shift = INSET * skin.size();
                self.seen(now, pair[0], &(p - normal * shift), now.solids.margin() + shift)?;
            }
            let mut k = 0;
            for i in 0..self.hits.len() {
                let h = self.hits[i];
                let gap = h.gap - shift * normal.dot(&h.normal);
                if gap <= now.solids.margin() && skin.faces(rank, &-h.normal) {
                    let hit = Hit { features: [k, node], points: [p; 2], gap, ..h };
                    self.push(now, pair, hit, skin.node(rank));
                    k += 1;
                }
            }
        }
        Ok(())
    }

    /// Corners of the shape in or on the skin.
    fn corners(&mut self, now: &Now<'_, D>, pair: [usize; 2], pose: &Pose<D>) -> Result<(), Error> {
        let skin: &Skin<D> = &now.solids.skins()[pair[1]];
        let radius = self.shapes[pair[0]].radius;
        let margin = now.solids.margin();
        let near = skin.bounds().grown(radius + margin);
        for k in 0..self.shapes[pair[0]].corners.len() {
            let p = pose.point(&self.shapes[pair[0]].corners[k]);
            if !(0..D).all(|k| near.min[k] <= p[k] && p[k] <= near.max[k]) {
                continue;
            }
            let Some(foot) = skin.nearest(&p, &Vector::zeros(), radius + margin + REACH * skin.size()) else {
                continue;
            };
            let gap = foot.gap - radius;
            // A foot at a node is the contact of that node.
            if gap > margin || foot.is_node() {
                continue;
            }
            if self.shapes[pair[0]].solid {
                let step = INSET * skin.size();
                self.seen(now, pair[0], &(p + foot.normal * step), 0.1 * step)?;
                if self.hits.is_empty() {
                    continue;
                }
            }
            let features = [CORNER | k as u32, 0];
            let hit = Hit { features, points: [foot.place; 2], normal: foot.normal, gap, rate: 0.0 };
            self.push(now, pair, hit, foot.stencil);
        }
        Ok(())
    }

    /// What a point sees of a shape.
    fn seen(&mut self, now: &Now<'_, D>, shape: usize, p: &Vector<D>, margin: f64) -> Result<(), Error> {
        self.hits.clear();
        Dim::<D>::place(&mut self.point, &Pose::at(*p));
        let query = Query { shift: Vector::zeros(), margin, t: now.t };
        Dim::<D>::collide([&self.shapes[shape].placed, &self.point], &query, &mut self.scratch, &mut self.hits)
    }

    fn push(&mut self, now: &Now<'_, D>, [c, s]: [usize; 2], hit: Hit<D>, stencil: Stencil) {
        let colliders = [c as u32, self.offsets.colliders + s as u32];
        let key = ContactKey { colliders, image: [0; 3], features: hit.features };
        let contact = Contact {
            key,
            bodies: [self.shapes[c].body, self.offsets.bodies + now.solids.skins()[s].body()],
            // One point for both: action and reaction have no moment.
            points: hit.points,
            shift: Vector::zeros(),
            frame: Dim::<D>::frame(&hit.normal, now.previous.get(&key).map(|c| &c.frame)),
            gap: hit.gap,
            wall_velocity: hit.normal * hit.rate,
        };
        self.found.push((contact, Touch { key, sides: [Stencil::default(), stencil] }));
    }
}
