//! From poses and nodes to contacts
//!
//! ```text
//! place shapes and skins  →  pairs of boxes (broad)  →  manifold of each (narrow)  →  frames, keys
//! ```
//!
//! The contacts are a function of the poses, the nodes, the time and, for the tangents in space,
//! the previous contacts; not of the history of the detector.

use crate::broad::{Broad, Pair};
use crate::meeting::{Meeting, Search, Shape, Skins};
use crate::narrow::{HALF, Narrow, Scope};
use crate::pass::{changes_places, through_shapes};
use crate::shapes::{self, Shapes};
use crate::skin::{Skin, SkinSpec};
use crate::sweep::Sweep;
use crate::{
    Aabb, Collider, Contact, ContactKey, ContactSet, Crossing, DetectorSettings, Dim, Ends, Error, Flight, Frames,
    Placement, Shape as _, Space, Touch, Vector,
};
use std::sync::Arc;

/// Finds the contacts of a collection of colliders.
pub struct Detector<const D: usize>
where
    Dim<D>: Space<D>,
{
    colliders: Arc<[Collider<D>]>,
    settings: DetectorSettings<D>,
    /// Fattening of the boxes.
    fat: f64,
    reuse: Reuse,
    /// Boxes of the skins.
    boxes: Vec<Aabb<D>>,
    broad: Broad<D>,
    shapes: Shapes<D>,
    narrow: Narrow<D>,
    sweep: Sweep<D>,
    /// Skins of deformable solids; their numbers follow those of the colliders.
    skins: Skins<D>,
}

impl<const D: usize> Detector<D>
where
    Dim<D>: Space<D>,
{
    /// Checks the colliders and prepares their shapes.
    pub fn new(colliders: Vec<Collider<D>>, settings: DetectorSettings<D>) -> Result<Self, Error> {
        Self::with_skins(colliders, vec![], &[], settings)
    }

    /// Checks colliders and skins. `reference` holds the positions of all nodes at rest. In keys of
    /// contacts the skins are numbered after the colliders.
    pub fn with_skins(
        colliders: Vec<Collider<D>>,
        skins: Vec<SkinSpec>,
        reference: &[f64],
        settings: DetectorSettings<D>,
    ) -> Result<Self, Error> {
        Self::of_shared(colliders.into(), skins, reference, settings)
    }

    /// The same, of colliders that a model holds too.
    pub fn of_shared(
        colliders: Arc<[Collider<D>]>,
        skins: Vec<SkinSpec>,
        reference: &[f64],
        settings: DetectorSettings<D>,
    ) -> Result<Self, Error> {
        settings.validate()?;
        if let (Some(axis), false) = (settings.periodic.period.iter().position(Option::is_some), skins.is_empty()) {
            return Err(Error::PeriodicSkin { axis });
        }
        let skins = Skins::new(skins, reference)?;
        let shapes = Shapes::new(&colliders)?;
        let fat = settings.skin.unwrap_or_else(|| default_fattening(&colliders, &skins.list));
        let boxes = vec![Aabb::empty(); skins.list.len()];
        let sweep = Sweep::new(&colliders);
        Ok(Self {
            colliders,
            settings,
            fat,
            reuse: Reuse::default(),
            boxes,
            broad: Broad::default(),
            shapes,
            narrow: Narrow::default(),
            sweep,
            skins,
        })
    }

    /// The colliders.
    pub fn colliders(&self) -> &[Collider<D>] {
        &self.colliders
    }

    /// The skins, where they were placed last.
    pub fn skins(&self) -> &[Skin<D>] {
        &self.skins.list
    }

    /// The material of a collider or, numbered after them, of a skin.
    pub fn material(&self, collider: u32) -> Option<u16> {
        let i = collider as usize;
        let skin = || self.skins.list.get(i - self.colliders.len()).map(Skin::material);
        self.colliders.get(i).map_or_else(skin, |c| Some(c.material))
    }

    /// The settings.
    pub fn settings(&self) -> &DetectorSettings<D> {
        &self.settings
    }

    /// How many times the list of pairs was built; tells how well it is reused.
    pub fn builds(&self) -> usize {
        self.broad.builds
    }

    /// Lists in `out` the contacts at a placement, sorted by key, and the nodes they touch.
    ///
    /// `previous` gives the tangents of the contacts that persist.
    pub fn detect(
        &mut self,
        at: &Placement<D>,
        previous: &dyn Frames<D>,
        out: &mut ContactSet<D>,
    ) -> Result<(), Error> {
        self.find(at, previous, None, out)
    }

    /// As [`Detector::detect`], where rigid bodies that are `still` are where they were when the contacts `last` were
    /// found: those of two such are taken from there.
    pub fn detect_moving(
        &mut self,
        at: &Placement<D>,
        (previous, last): (&dyn Frames<D>, &ContactSet<D>),
        still: &dyn Fn(u32) -> bool,
        out: &mut ContactSet<D>,
    ) -> Result<(), Error> {
        self.find(at, previous, Some((last, still)), out)
    }

    /// The contacts; of bodies that are still, by the function, those that were found last.
    fn find(
        &mut self,
        at: &Placement<D>,
        previous: &dyn Frames<D>,
        asleep: Option<(&ContactSet<D>, &dyn Fn(u32) -> bool)>,
        out: &mut ContactSet<D>,
    ) -> Result<(), Error> {
        self.place(at)?;
        let Self { colliders, settings, fat, reuse, boxes, broad, shapes, narrow, skins, .. } = self;
        let rigid = colliders.len();
        let grown = HALF * settings.margin;
        let box_of = |i: usize| match i.checked_sub(rigid) {
            Some(skin) => boxes[skin],
            None => shapes.aabb(i).grown(grown),
        };
        let fat = if settings.skin.is_some() { *fat } else { *fat * reuse.stretch };
        // Balls nearer than that may meet while the list holds: along each axis both move by less than the fat.
        let reach = settings.margin + 2.0 * (D as f64).sqrt() * fat;
        let may_meet = |i: u32, j: u32, shift: &Vector<D>| {
            let two = [i as usize, j as usize];
            may_meet(colliders, &skins.list, two) && (two[1] >= rigid || shapes.are_near(two, shift, reach))
        };
        let builds = broad.builds;
        broad.pairs((rigid + boxes.len(), &box_of), fat, &settings.periodic, &may_meet)?;
        reuse.follow(broad.builds > builds);
        let pairs = broad.last();
        let search = Search { x: at.nodes, margin: settings.margin, t: at.t };
        // Skins come after the colliders.
        let (at_once, one_by_one): (&[Pair], &[Pair]) = match skins.list.is_empty() && asleep.is_none() {
            true => (pairs, &[]),
            false => (&[], pairs),
        };
        let scope = Scope { colliders, shapes, settings, t: at.t, previous };
        out.touches.clear();
        narrow.meet(&scope, at_once, &mut out.contacts)?;
        let mut last = asleep.iter().flat_map(|(last, _)| &last.contacts).peekable();
        for pair in one_by_one {
            let (i, j) = (pair.i as usize, pair.j as usize);
            if j < rigid && asleep.is_some_and(|(_, still)| still(colliders[i].body) && still(colliders[j].body)) {
                let (own, of) = (([pair.i, pair.j], pair.image), |c: &Contact<D>| (c.key.colliders, c.key.image));
                while last.next_if(|c| of(c) < own).is_some() {}
                out.contacts.extend(std::iter::from_fn(|| last.next_if(|c| of(c) == own)).cloned());
                continue;
            }
            if j < rigid {
                narrow.append(&scope, std::slice::from_ref(pair), &mut out.contacts)?;
                continue;
            }
            if !box_of(i).meets(&box_of(j)) {
                continue;
            }
            match i.checked_sub(rigid) {
                Some(first) => skins.meet_skin([first, j - rigid], &search),
                None => {
                    let shape = Shape { solid: &shapes.solids[i], scratch: narrow.scratch() };
                    skins.meet_shape(j - rigid, shape, &search)?;
                }
            }
            let bodies = [i, j].map(|k| body_of(colliders, &skins.list, k));
            push_meetings(&skins.found, ([pair.i, pair.j], bodies), previous, out);
        }
        if !skins.list.is_empty() {
            self.detect_itself(&search, previous, out);
            out.contacts.sort_unstable_by_key(|c| c.key);
            out.touches.sort_unstable_by_key(|t| t.key);
        }
        Ok(())
    }

    /// The first two bodies that would cross within `dt` without being seen at its middle, of those that move by
    /// more than a share of their half thickness, and the part of `dt` that was looked at: all of it, unless a body
    /// would meet its own image.
    ///
    /// `flights` are those of the bodies; contacts of the next step are found by [`Detector::detect`] as ever.
    pub fn first_crossing(
        &mut self,
        flights: &[Flight<D>],
        (t, dt, share): (f64, f64, f64),
    ) -> Result<(Option<Crossing>, f64), Error> {
        let Self { colliders, settings, shapes, sweep, .. } = self;
        let flight = |b: u32| (flights[b as usize].pose.position, flights[b as usize].velocity);
        settings.periodic.follow(flight)?;
        sweep.measure(colliders, flights, dt);
        let looked = sweep.longest(shapes, &settings.periodic, dt);
        if looked < dt {
            sweep.measure(colliders, flights, looked);
        }
        Ok((sweep.first((colliders, shapes), flights, &settings.periodic, (t, looked, share))?, looked))
    }

    /// The bodies of a skin and of what it would pass through unseen between the two ends of a step, if there are such.
    pub fn skin_passes(&mut self, [before, after]: [&Ends<'_, D>; 2], t: f64) -> Result<Option<[u32; 2]>, Error> {
        let Self { colliders, shapes, skins, .. } = self;
        let bounds = |skin: &Skin<D>, x: &Ends<'_, D>| {
            let at = |n: &u32| Vector::<D>::from_column_slice(&x.nodes[D * *n as usize..][..D]);
            skin.nodes().iter().fold(Aabb::empty(), |b, n| b.with(&at(n)))
        };
        for (k, skin) in skins.list.iter().enumerate() {
            if let Some(i) = through_shapes(skin, (colliders, &mut shapes.solids), [before, after], t)? {
                return Ok(Some([skin.body(), colliders[i].body]));
            }
            let mine = [before, after].map(|x| bounds(skin, x));
            for other in skins.list[k + 1..].iter().filter(|o| o.group() == 0 || o.group() != skin.group()) {
                let theirs = [before, after].map(|x| bounds(other, x));
                if changes_places([&mine[0], &theirs[0]], [&mine[1], &theirs[1]]) {
                    return Ok(Some([skin.body(), other.body()]));
                }
            }
        }
        Ok(None)
    }

    /// Motion of a node below which no skin can pass anything \[m\]; infinite without skins.
    pub fn least_thickness(&self) -> f64 {
        let skins = self.skins.list.iter().map(|s| 0.5 * s.bounds().extent().min());
        let own = if self.skins.list.len() > 1 { skins.fold(f64::INFINITY, f64::min) } else { f64::INFINITY };
        let shapes = self.colliders.iter().filter(|c| !c.shape.is_unbounded()).map(|c| c.shape.thickness());
        if self.skins.list.is_empty() { f64::INFINITY } else { shapes.fold(own, f64::min) }
    }

    /// Whether a body of these velocities, and rates of turning, moves in `dt` by more than a share of its half
    /// thickness: if none does, [`Detector::first_crossing`] has nothing to find.
    pub fn is_fast(&self, speeds: impl Fn(u32) -> [f64; 2], dt: f64, share: f64) -> bool {
        let periodic = &self.settings.periodic;
        let images = periodic.lengths.into_iter().chain(periodic.shear.and_then(|s| s.body));
        let images = images.map(|b| speeds(b)[0]).sum::<f64>();
        self.sweep.is_fast(|b| [speeds(b)[0] + images, speeds(b)[1]], (dt, share))
    }

    /// Appends the contacts of skins with themselves.
    fn detect_itself(&mut self, search: &Search<D>, previous: &dyn Frames<D>, out: &mut ContactSet<D>) {
        for s in 0..self.skins.list.len() {
            if !self.skins.list[s].touches_itself() {
                continue;
            }
            self.skins.meet_itself(s, search);
            let (number, body) = ((self.colliders.len() + s) as u32, self.skins.list[s].body());
            push_meetings(&self.skins.found, ([number; 2], [body; 2]), previous, out);
        }
    }

    /// Pairs of materials that may meet for which `has_law` is false, each with a pair of
    /// colliders as an example; smaller material first.
    pub fn pairs_without(&self, has_law: &dyn Fn(u16, u16) -> bool) -> Vec<([u16; 2], [u32; 2])> {
        pairs_without(&self.colliders, &self.skins.list, has_law)
    }

    /// Moves all solids; boxes are grown by half the margin so that they meet within it.
    fn place(&mut self, at: &Placement<D>) -> Result<(), Error> {
        let grown = HALF * self.settings.margin;
        self.shapes.place(at.poses)?;
        self.settings.periodic.follow(|b| (at.poses[b as usize].position, Vector::zeros()))?;
        self.skins.place(at.nodes)?;
        for (b, skin) in self.boxes.iter_mut().zip(&self.skins.list) {
            *b = skin.aabb().grown(grown);
        }
        Ok(())
    }
}

/// How long lists of pairs last.
struct Reuse {
    /// Steps since the last list was built.
    steps: u32,
    /// By which the fattening is multiplied: more where lists do not last.
    stretch: f64,
}

/// Steps that a list should last, at least and at most.
const LASTS: [u32; 2] = [6, 40];
/// Most that boxes are fattened beyond what is usual.
const STRETCH: f64 = 4.0;

impl Default for Reuse {
    fn default() -> Self {
        Self { steps: 0, stretch: 1.0 }
    }
}

impl Reuse {
    /// After a step, in which the list was built or not.
    fn follow(&mut self, built: bool) {
        self.steps += 1;
        if !built {
            return;
        }
        if self.steps < LASTS[0] {
            self.stretch = (1.5 * self.stretch).min(STRETCH);
        } else if self.steps > LASTS[1] {
            self.stretch = (self.stretch / 1.5).max(1.0);
        }
        self.steps = 0;
    }
}

/// Pairs of materials that may meet for which `has_law` is false, each with an example.
fn pairs_without<const D: usize>(
    colliders: &[Collider<D>],
    skins: &[Skin<D>],
    has_law: &dyn Fn(u16, u16) -> bool,
) -> Vec<([u16; 2], [u32; 2])>
where
    Dim<D>: Space<D>,
{
    // One collider of each kind that matters for meeting stands for all of them.
    let mut kinds: Vec<usize> = vec![];
    let mut count = std::collections::BTreeMap::new();
    for (i, c) in colliders.iter().enumerate() {
        let kind = (c.material, c.group, c.fixed, c.shape.is_unbounded());
        // Two of a kind, on different bodies, are needed to meet each other.
        let seen = count.entry(kind).or_insert_with(Vec::new);
        if seen.len() < 2 && !seen.contains(&c.body) {
            seen.push(c.body);
            kinds.push(i);
        }
    }
    // Skins are few.
    let rigid = colliders.len();
    kinds.extend(rigid..rigid + skins.len());
    let material = |i: usize| colliders.get(i).map_or_else(|| skins[i - rigid].material(), |c| c.material);
    let materials = |pair: [usize; 2]| {
        let [a, b] = pair.map(material);
        [a.min(b), a.max(b)]
    };
    let mut found = std::collections::BTreeMap::new();
    for (k, &i) in kinds.iter().enumerate() {
        for &j in &kinds[k + 1..] {
            let m = materials([i, j]);
            if may_meet(colliders, skins, [i, j]) && !has_law(m[0], m[1]) {
                found.entry(m).or_insert([i as u32, j as u32]);
            }
        }
    }
    for i in kinds.iter().copied().filter(|&i| i >= rigid && skins[i - rigid].touches_itself()) {
        let m = materials([i, i]);
        if !has_law(m[0], m[1]) {
            found.entry(m).or_insert([i as u32; 2]);
        }
    }
    found.into_iter().collect()
}

impl<const D: usize> Collider<D>
where
    Dim<D>: Space<D>,
{
    /// Refuses colliders that no detector takes.
    pub fn check(all: &[Self]) -> Result<(), Error> {
        shapes::check(all)
    }

    /// As [`Detector::pairs_without`], of colliders alone and without a detector.
    pub fn pairs_without(all: &[Self], has_law: &dyn Fn(u16, u16) -> bool) -> Vec<([u16; 2], [u32; 2])> {
        pairs_without(all, &[], has_law)
    }
}

/// Whether contacts of two colliders or skins are looked for, smaller number first.
fn may_meet<const D: usize>(colliders: &[Collider<D>], skins: &[Skin<D>], [i, j]: [usize; 2]) -> bool
where
    Dim<D>: Space<D>,
{
    let Some(second) = j.checked_sub(colliders.len()) else { return colliders[i].may_meet(&colliders[j]) };
    let group = i.checked_sub(colliders.len()).map_or_else(|| colliders[i].group, |first| skins[first].group());
    group == 0 || group != skins[second].group()
}

/// The body of a collider or skin.
fn body_of<const D: usize>(colliders: &[Collider<D>], skins: &[Skin<D>], i: usize) -> u32
where
    Dim<D>: Space<D>,
{
    colliders.get(i).map_or_else(|| skins[i - colliders.len()].body(), |c| c.body)
}

/// Names and frames the contacts of a pair with a deformable side.
fn push_meetings<const D: usize>(
    found: &[Meeting<D>],
    (colliders, bodies): ([u32; 2], [u32; 2]),
    previous: &dyn Frames<D>,
    out: &mut ContactSet<D>,
) where
    Dim<D>: Space<D>,
{
    for Meeting { hit, sides } in found {
        let key = ContactKey { colliders, image: [0; 3], features: hit.features };
        out.touches.push(Touch { key, sides: *sides });
        out.contacts.push(Contact {
            key,
            bodies,
            points: hit.points,
            shift: Vector::zeros(),
            frame: <Dim<D> as Space<D>>::frame(&hit.normal, previous.find(&key).as_ref()),
            gap: hit.gap,
            wall_velocity: hit.normal * hit.rate,
        });
    }
}

/// A tenth of the median radius of the moving shapes, or of the size of facets where there are none.
fn default_fattening<const D: usize>(colliders: &[Collider<D>], skins: &[Skin<D>]) -> f64
where
    Dim<D>: Space<D>,
{
    let mut radii: Vec<f64> =
        colliders.iter().filter(|c| !c.fixed).map(|c| c.shape.bounding_radius()).filter(|r| r.is_finite()).collect();
    if radii.is_empty() {
        radii.extend(skins.iter().map(Skin::size));
    }
    if radii.is_empty() {
        return 0.0;
    }
    let middle = radii.len() / 2;
    let (_, median, _) = radii.select_nth_unstable_by(middle, f64::total_cmp);
    0.1 * *median
}
