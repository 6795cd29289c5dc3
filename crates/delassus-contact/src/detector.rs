//! From poses to contacts
//!
//! ```text
//! place every solid  →  pairs of boxes (broad)  →  manifold of each (narrow)  →  frames, keys
//! ```
//!
//! The contacts are a function of the poses, the time and, for the tangents in space,
//! the previous contacts; not of the history of the detector.

use crate::broad::Broad;
use crate::error::positive;
use crate::hit::Hit;
use crate::space::Query;
use crate::{Aabb, Collider, Contact, ContactKey, ContactSet, Dim, Error, Pose, Space, Vector};

/// A box repeated along some axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic<const D: usize> {
    /// Period along each axis, where there is one \[m\].
    pub period: [Option<f64>; D],
    /// Lower corner of the box of reference \[m\].
    pub origin: [f64; D],
}

impl<const D: usize> Default for Periodic<D> {
    fn default() -> Self {
        Self { period: [None; D], origin: [0.0; D] }
    }
}

impl<const D: usize> Periodic<D> {
    /// The translation of an image.
    pub fn translation(&self, image: &[i32; D]) -> Vector<D> {
        Vector::from_fn(|k, _| self.period[k].map_or(0.0, |p| f64::from(image[k]) * p))
    }
}

/// Settings of a detector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectorSettings<const D: usize> {
    /// Contacts with a gap up to this are listed \[m\].
    pub margin: f64,
    /// Fattening of the boxes, for the reuse of the list of pairs \[m\]; `None`: from the sizes.
    pub skin: Option<f64>,
    /// Periodic directions.
    pub periodic: Periodic<D>,
}

impl<const D: usize> Default for DetectorSettings<D> {
    fn default() -> Self {
        Self { margin: 1e-9, skin: None, periodic: Periodic::default() }
    }
}

impl<const D: usize> DetectorSettings<D> {
    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), Error> {
        if !(self.margin >= 0.0 && self.margin.is_finite()) {
            return Err(Error::NotPositive { what: "detection margin", value: self.margin });
        }
        if let Some(skin) = self.skin
            && !(skin >= 0.0 && skin.is_finite())
        {
            return Err(Error::NotPositive { what: "detection skin", value: skin });
        }
        crate::error::finite("origin of the periodic box", &self.periodic.origin)?;
        self.periodic.period.iter().flatten().try_for_each(|&p| positive("period", p))
    }
}

/// Two colliders that overlap at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The colliders.
    pub colliders: [u32; 2],
    /// Their bodies.
    pub bodies: [u32; 2],
    /// How deep \[m\].
    pub depth: f64,
}

/// Finds the contacts of a collection of colliders.
pub struct Detector<const D: usize>
where
    Dim<D>: Space<D>,
{
    colliders: Vec<Collider<D>>,
    settings: DetectorSettings<D>,
    skin: f64,
    solids: Vec<<Dim<D> as Space<D>>::Solid>,
    boxes: Vec<Aabb<D>>,
    /// Centres and radii of the discs and spheres, apart: most scenes need nothing else.
    balls: Vec<Option<(Vector<D>, f64)>>,
    broad: Broad<D>,
    hits: Vec<Hit<D>>,
    scratch: <Dim<D> as Space<D>>::Scratch,
}

impl<const D: usize> Detector<D>
where
    Dim<D>: Space<D>,
{
    /// Checks the colliders and prepares their shapes.
    pub fn new(colliders: Vec<Collider<D>>, settings: DetectorSettings<D>) -> Result<Self, Error> {
        settings.validate()?;
        let mut solids = Vec::with_capacity(colliders.len());
        for (i, c) in colliders.iter().enumerate() {
            if !c.offset.is_finite() {
                return Err(Error::NotFinite { what: "offset of a collider", value: f64::NAN });
            }
            if <Dim<D> as Space<D>>::must_be_fixed(&c.shape) && !c.fixed {
                return Err(Error::MustBeFixed { collider: i, what: <Dim<D> as Space<D>>::name(&c.shape) });
            }
            solids.push(<Dim<D> as Space<D>>::solid(&c.shape, &c.offset)?);
        }
        let skin = settings.skin.unwrap_or_else(|| default_skin(&colliders));
        let boxes = vec![Aabb::empty(); colliders.len()];
        let balls = vec![None; colliders.len()];
        let (broad, hits) = (Broad::default(), Vec::with_capacity(64));
        Ok(Self { colliders, settings, skin, solids, boxes, balls, broad, hits, scratch: Default::default() })
    }

    /// The colliders.
    pub fn colliders(&self) -> &[Collider<D>] {
        &self.colliders
    }

    /// The settings.
    pub fn settings(&self) -> &DetectorSettings<D> {
        &self.settings
    }

    /// How many times the list of pairs was built; tells how well it is reused.
    pub fn builds(&self) -> usize {
        self.broad.builds
    }

    /// Lists in `out` the contacts at `poses` (one per body) and time `t`, sorted by key.
    ///
    /// `previous` gives the tangents of the contacts that persist.
    pub fn detect(
        &mut self,
        poses: &[Pose<D>],
        t: f64,
        previous: &ContactSet<D>,
        out: &mut ContactSet<D>,
    ) -> Result<(), Error> {
        self.place(poses)?;
        out.clear();
        let Self { colliders, settings, skin, solids, boxes, balls, broad, hits, scratch } = self;
        let may_meet = |i: u32, j: u32| colliders[i as usize].may_meet(&colliders[j as usize]);
        let mut old = previous.contacts.iter().peekable();
        for pair in broad.pairs(boxes, *skin, &settings.periodic, &may_meet)? {
            let (i, j) = (pair.i as usize, pair.j as usize);
            let image: [i32; D] = std::array::from_fn(|k| pair.image[k]);
            let shift = settings.periodic.translation(&image);
            hits.clear();
            if let (Some((p, r)), Some((q, s))) = (&balls[i], &balls[j]) {
                let centre = q + shift;
                let reach = r + s + settings.margin;
                if (p - centre).norm_squared() > reach * reach * NEAR {
                    continue;
                }
                hits.extend(Some(Hit::of_balls(p, *r, &centre, *s)).filter(|h| h.gap <= settings.margin));
            } else {
                if !boxes[i].meets(&boxes[j].moved(&shift)) {
                    continue;
                }
                let query = Query { shift, margin: settings.margin, t };
                <Dim<D> as Space<D>>::collide([&solids[i], &solids[j]], &query, scratch, hits)?;
                hits.sort_unstable_by_key(|h| h.features);
            }
            for h in hits.iter() {
                let key = ContactKey { colliders: [pair.i, pair.j], image: pair.image, features: h.features };
                while old.next_if(|c| c.key < key).is_some() {}
                let frame = old.peek().filter(|c| c.key == key).map(|c| &c.frame);
                out.contacts.push(Contact {
                    key,
                    bodies: [colliders[i].body, colliders[j].body],
                    points: h.points,
                    shift,
                    frame: <Dim<D> as Space<D>>::frame(&h.normal, frame),
                    gap: h.gap,
                    wall_velocity: h.normal * h.rate,
                });
            }
        }
        Ok(())
    }

    /// Pairs of colliders that overlap at these poses, with their depth.
    pub fn overlaps(&mut self, poses: &[Pose<D>], t: f64) -> Result<Vec<Overlap>, Error> {
        let (mut set, mut found): (_, Vec<Overlap>) = (ContactSet::default(), vec![]);
        self.detect(poses, t, &ContactSet::default(), &mut set)?;
        for c in set.contacts.iter().filter(|c| c.gap < 0.0) {
            match found.last_mut().filter(|o| o.colliders == c.key.colliders) {
                Some(o) => o.depth = o.depth.max(-c.gap),
                None => found.push(Overlap { colliders: c.key.colliders, bodies: c.bodies, depth: -c.gap }),
            }
        }
        Ok(found)
    }

    /// Pairs of materials that may meet for which `has_law` is false, each with a pair of
    /// colliders as an example; smaller material first.
    pub fn pairs_without(&self, has_law: &dyn Fn(u16, u16) -> bool) -> Vec<([u16; 2], [u32; 2])> {
        // One collider of each kind that matters for meeting stands for all of them.
        let mut kinds: Vec<usize> = vec![];
        let mut count = std::collections::BTreeMap::new();
        for (i, c) in self.colliders.iter().enumerate() {
            let kind = (c.material, c.group, c.fixed, <Dim<D> as Space<D>>::is_unbounded(&c.shape));
            // Two of a kind, on different bodies, are needed to meet each other.
            let seen = count.entry(kind).or_insert_with(Vec::new);
            if seen.len() < 2 && !seen.contains(&c.body) {
                seen.push(c.body);
                kinds.push(i);
            }
        }
        let mut found = std::collections::BTreeMap::new();
        for (k, &i) in kinds.iter().enumerate() {
            for &j in &kinds[k + 1..] {
                let (a, b) = (&self.colliders[i], &self.colliders[j]);
                let m = [a.material.min(b.material), a.material.max(b.material)];
                if a.may_meet(b) && !has_law(m[0], m[1]) {
                    found.entry(m).or_insert([i as u32, j as u32]);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Moves all solids; boxes are grown by half the margin so that they meet within it.
    fn place(&mut self, poses: &[Pose<D>]) -> Result<(), Error> {
        if let Some(body) = poses.iter().position(|p| !p.is_finite()) {
            return Err(Error::PoseNotFinite { body });
        }
        for (i, c) in self.colliders.iter().enumerate() {
            let Some(pose) = poses.get(c.body as usize) else {
                return Err(Error::MissingPose { collider: i, body: c.body, poses: poses.len() });
            };
            <Dim<D> as Space<D>>::place(&mut self.solids[i], pose);
            self.balls[i] = <Dim<D> as Space<D>>::ball(&self.solids[i]);
            // A little more than half, against round-off of the sums.
            self.boxes[i] = <Dim<D> as Space<D>>::aabb(&self.solids[i]).grown(0.500_001 * self.settings.margin);
        }
        Ok(())
    }
}

/// Room for the round-off of a squared distance.
const NEAR: f64 = 1.0 + 1e-12;

/// A tenth of the median radius of the moving shapes.
fn default_skin<const D: usize>(colliders: &[Collider<D>]) -> f64
where
    Dim<D>: Space<D>,
{
    let mut radii: Vec<f64> = colliders
        .iter()
        .filter(|c| !c.fixed)
        .map(|c| <Dim<D> as Space<D>>::bounding_radius(&c.shape))
        .filter(|r| r.is_finite())
        .collect();
    if radii.is_empty() {
        return 0.0;
    }
    let middle = radii.len() / 2;
    let (_, median, _) = radii.select_nth_unstable_by(middle, f64::total_cmp);
    0.1 * *median
}
