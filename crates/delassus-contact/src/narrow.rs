//! Narrow phase of shapes: pairs in, contacts out, in the order of the pairs
//!
//! Many pairs are cut into pieces for threads. A piece finds its points first, then writes its contacts to their place.

use crate::broad::Pair;
use crate::contact::first_of;
use crate::hit::Hit;
use crate::shapes::{Memory, Shapes};
use crate::space::Query;
use crate::threads::{self, MANY, each};
use crate::{Collider, Contact, ContactKey, DetectorSettings, Dim, Error, Frames, Rotation, Space, Vector};
use std::cmp::Ordering;

/// A little more than half, against round-off of the sums.
pub(crate) const HALF: f64 = 0.500_001;

/// What pairs are asked about.
pub(crate) struct Scope<'a, const D: usize>
where
    Dim<D>: Space<D>,
{
    pub colliders: &'a [Collider<D>],
    pub shapes: &'a Shapes<D>,
    pub settings: &'a DetectorSettings<D>,
    /// Time, for analytic walls.
    pub t: f64,
    /// Contacts whose tangents are carried on.
    pub previous: &'a dyn Frames<D>,
}

/// Memory of the narrow phase.
pub(crate) struct Narrow<const D: usize>
where
    Dim<D>: Space<D>,
{
    memory: Memory<D>,
    pieces: Vec<Piece<D>>,
}

/// What a thread finds in some of the pairs.
struct Piece<const D: usize>
where
    Dim<D>: Space<D>,
{
    memory: Memory<D>,
    /// Number of the pair among those of the piece, and the point.
    hits: Vec<(u32, Hit<D>)>,
    done: Result<(), Error>,
}

impl<const D: usize> Default for Narrow<D>
where
    Dim<D>: Space<D>,
{
    fn default() -> Self {
        Self { memory: Memory::default(), pieces: vec![] }
    }
}

impl<const D: usize> Narrow<D>
where
    Dim<D>: Space<D>,
{
    /// Memory for shapes that meet skins.
    pub fn scratch(&mut self) -> &mut <Dim<D> as Space<D>>::Scratch {
        &mut self.memory.scratch
    }

    /// The contacts of the pairs, in place of what was in `out`.
    pub fn meet(&mut self, scope: &Scope<D>, pairs: &[Pair], out: &mut Vec<Contact<D>>) -> Result<(), Error> {
        if !threads::share(pairs.len()) {
            out.clear();
            return self.append(scope, pairs, out);
        }
        let pieces = pairs.chunks(MANY);
        let empty = || Piece { memory: Memory::default(), hits: vec![], done: Ok(()) };
        self.pieces.resize_with(pieces.len().max(self.pieces.len()), empty);
        each(pieces.clone().zip(&mut self.pieces), |(pairs, piece)| piece.find(scope, pairs));
        let mut total = 0;
        for piece in &mut self.pieces[..pieces.len()] {
            if let Err(e) = std::mem::replace(&mut piece.done, Ok(())) {
                out.clear();
                return Err(e);
            }
            total += piece.hits.len();
        }
        // What was there is written over: only what is more is made first.
        out.resize(total, blank());
        let mut rest = &mut out[..];
        let places = self.pieces.iter().map(|piece| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(piece.hits.len());
            rest = others;
            own
        });
        let places: Vec<_> = pieces.zip(&self.pieces).zip(places).collect();
        each(places.into_iter(), |((pairs, piece), out)| piece.write(scope, pairs, out));
        Ok(())
    }

    /// Appends the contacts of the pairs.
    pub fn append(&mut self, scope: &Scope<D>, pairs: &[Pair], out: &mut Vec<Contact<D>>) -> Result<(), Error> {
        let mut old = Old::new(scope, pairs);
        for pair in pairs {
            let query = scope.query(pair);
            let two = [pair.i as usize, pair.j as usize];
            for h in scope.shapes.meet(two, scope.grown(), &query, &mut self.memory)? {
                out.push(scope.contact(pair, h, &query.shift, &mut old));
            }
        }
        Ok(())
    }
}

impl<const D: usize> Piece<D>
where
    Dim<D>: Space<D>,
{
    fn find(&mut self, scope: &Scope<D>, pairs: &[Pair]) {
        let Self { memory, hits, done } = self;
        hits.clear();
        for (k, pair) in pairs.iter().enumerate() {
            let two = [pair.i as usize, pair.j as usize];
            match scope.shapes.meet(two, scope.grown(), &scope.query(pair), memory) {
                Ok(found) => hits.extend(found.iter().map(|h| (k as u32, *h))),
                Err(e) => {
                    *done = Err(e);
                    return;
                }
            }
        }
    }

    fn write(&self, scope: &Scope<D>, pairs: &[Pair], out: &mut [Contact<D>]) {
        let mut old = Old::new(scope, pairs);
        for ((k, h), contact) in self.hits.iter().zip(out) {
            let pair = &pairs[*k as usize];
            *contact = scope.contact(pair, h, &scope.query(pair).shift, &mut old);
        }
    }
}

/// The contacts of before, walked along.
struct Old<'a, const D: usize> {
    all: &'a dyn Frames<D>,
    at: usize,
    count: usize,
}

impl<'a, const D: usize> Old<'a, D> {
    /// From the first of the pairs on.
    fn new(scope: &Scope<'a, D>, pairs: &[Pair]) -> Self
    where
        Dim<D>: Space<D>,
    {
        let all = scope.previous;
        let before = |p: &Pair, k: &ContactKey| (k.colliders[0], k.colliders[1], k.image) < (p.i, p.j, p.image);
        let at = pairs.first().map_or(0, |p| first_of(all, |k| before(p, k)));
        Self { all, at, count: all.count() }
    }

    fn frame(&mut self, key: &ContactKey) -> Option<Rotation<D>> {
        while self.at < self.count {
            match self.all.key(self.at).cmp(key) {
                Ordering::Less => self.at += 1,
                Ordering::Equal => return Some(self.all.frame(self.at)),
                Ordering::Greater => break,
            }
        }
        None
    }
}

impl<const D: usize> Scope<'_, D>
where
    Dim<D>: Space<D>,
{
    /// By which boxes are grown so that they meet within the margin.
    #[inline]
    fn grown(&self) -> f64 {
        HALF * self.settings.margin
    }

    #[inline]
    fn query(&self, pair: &Pair) -> Query<D> {
        let image: [i32; D] = std::array::from_fn(|k| pair.image[k]);
        let shift = self.settings.periodic.translation(&image);
        Query { shift, margin: self.settings.margin, t: self.t }
    }

    #[inline]
    fn contact(&self, pair: &Pair, h: &Hit<D>, shift: &Vector<D>, old: &mut Old<'_, D>) -> Contact<D> {
        let key = ContactKey { colliders: [pair.i, pair.j], image: pair.image, features: h.features };
        Contact {
            key,
            bodies: [pair.i, pair.j].map(|k| self.colliders[k as usize].body),
            points: h.points,
            shift: *shift,
            frame: <Dim<D> as Space<D>>::frame(&h.normal, old.frame(&key).as_ref()),
            gap: h.gap,
            wall_velocity: h.normal * h.rate,
        }
    }
}

/// A contact that is not written yet.
fn blank<const D: usize>() -> Contact<D> {
    Contact {
        key: ContactKey::default(),
        bodies: [0; 2],
        points: [Vector::zeros(); 2],
        shift: Vector::zeros(),
        frame: Rotation::zeros(),
        gap: 0.0,
        wall_velocity: Vector::zeros(),
    }
}
