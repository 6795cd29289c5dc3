//! Broad phase: pairs of boxes that may meet, in linear time
//!
//! Hashed grids, one for boxes of about the same size: cells are as wide as the widest of them, a box is entered in the
//! cell of its lower corner, and meets those of its own and of the neighbouring cells. Boxes of other sizes have cells
//! 2, 4, 8, … times as wide, where they occur; smaller boxes look for larger ones there. Each pair comes once.
//! Unbounded boxes are compared with all others; they are few. Along periodic axes a box is also
//! entered as ghosts, one for each image that reaches the cell of reference.
//!
//! Reuse: the list is built from boxes fattened by a skin and serves until some box
//! leaves its fat one, or all leave theirs together, as what falls freely does. The caller filters it exactly, so that the contacts do not
//! depend on when it was built.
//!
//! Rejected: parry's BVH, which took 4.4 ms for the pairs of 10,000 balls at every step; a step
//! that reuses its list takes 1.3 ms, contacts included (tests/suite/speed.rs). One grid in which a box is entered in
//! every cell that it covers: four times the entries, and each pair is found in several cells.

use crate::threads::{MANY, each};
use crate::{Aabb, Error, Periodic, Vector};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A pair that may meet: colliders `i < j` and the image of `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub i: u32,
    pub j: u32,
    pub image: [i32; 3],
}

/// Periods from the box of reference that are counted: differences of two must fit.
const MOST_PERIODS: f64 = 1e9;
/// Boxes up to this many times the middle one share its cells.
const ALIKE: f64 = 1.5;
/// Room for the round-off of cells, whose numbers are below 1e9.
const ROOM: f64 = 1.0 + 1e-6;

#[derive(Clone, Copy, Debug)]
struct Entry<const D: usize> {
    cell: [i32; D],
    ghost: u32,
}

/// A box to enter in the grid: a collider moved by `image` periods from its wrapped place.
#[derive(Clone, Copy, Debug)]
struct Ghost<const D: usize> {
    collider: u32,
    /// Image of the ghost, counted from the collider's true place.
    image: [i32; D],
    real: bool,
}

/// The grid of boxes of about one size.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// Width of its cells, and one over it.
    cell: f64,
    inverse: f64,
    /// Where its buckets begin, and their number less one.
    first: usize,
    mask: usize,
    boxes: usize,
}

impl Level {
    #[inline]
    fn index(&self, x: f64) -> i32 {
        (x * self.inverse).floor() as i32
    }

    #[inline]
    fn bucket<const D: usize>(&self, cell: &[i32; D]) -> usize {
        self.first + (hash(cell) & self.mask)
    }
}

/// What is asked of the list: which pairs are of interest, the second moved by a translation.
pub(crate) type MayMeet<'a, const D: usize> = &'a (dyn Fn(u32, u32, &Vector<D>) -> bool + Sync);

/// The pairs of the last build and the memory for the next.
#[derive(Clone, Debug)]
pub(crate) struct Broad<const D: usize> {
    /// Fat boxes of the last build.
    fat: Vec<Aabb<D>>,
    pairs: Vec<Pair>,
    /// Images and their boxes; none where nothing is periodic.
    ghosts: Vec<Ghost<D>>,
    images: Vec<Aabb<D>>,
    /// Colliders without end.
    wide: Vec<u32>,
    /// Grids that have boxes, the finest first.
    levels: Vec<Level>,
    entries: Vec<Entry<D>>,
    starts: Vec<u32>,
    extents: Vec<f64>,
    /// Pairs as they are found, by pieces of the boxes.
    found: Vec<Vec<Pair>>,
    /// The box of the last build, and most periods between the images of it.
    built: Periodic<D>,
    most: [f64; D],
    /// Number of times the list was built.
    pub builds: usize,
}

impl<const D: usize> Default for Broad<D> {
    fn default() -> Self {
        Self {
            fat: vec![],
            pairs: vec![],
            ghosts: vec![],
            images: vec![],
            wide: vec![],
            levels: vec![],
            entries: vec![],
            starts: vec![],
            extents: vec![],
            found: vec![],
            built: Periodic::default(),
            most: [0.0; D],
            builds: 0,
        }
    }
}

impl<const D: usize> Broad<D> {
    /// The pairs of `count` boxes that may meet, sorted; `may_meet(i, j, shift)` says which are of interest.
    pub fn pairs(
        &mut self,
        (count, box_of): (usize, &(dyn Fn(usize) -> Aabb<D> + Sync)),
        skin: f64,
        periodic: &Periodic<D>,
        may_meet: MayMeet<D>,
    ) -> Result<&[Pair], Error> {
        if !self.holds((count, box_of), skin, periodic) {
            // Emptied first: a build that fails must not leave an older list behind.
            self.fat.clear();
            self.pairs.clear();
            self.fat.extend((0..count).map(|i| box_of(i).grown(skin)));
            let entered = self.enter_all(periodic);
            if entered.is_err() {
                self.fat.clear();
            }
            entered?;
            self.build(periodic, may_meet);
            (self.built, self.most) = (*periodic, self.span());
            self.builds += 1;
        }
        Ok(&self.pairs)
    }

    /// The pairs of the last build.
    pub fn last(&self) -> &[Pair] {
        &self.pairs
    }

    /// Whether no box has left its fat one.
    fn holds(
        &self,
        (count, box_of): (usize, &(dyn Fn(usize) -> Aabb<D> + Sync)),
        skin: f64,
        periodic: &Periodic<D>,
    ) -> bool {
        // Images that have moved since take as much of the fat.
        let drift = periodic.drift(&self.built, &self.most);
        let holds = |(f, b): (&Aabb<D>, Aabb<D>)| match drift > 0.0 {
            true => f.contains(&b.grown(drift)),
            false => f.contains(&b),
        };
        if self.fat.len() != count {
            return false;
        }
        let all = |holds: &(dyn Fn((&Aabb<D>, Aabb<D>)) -> bool + Sync)| {
            let left = AtomicBool::new(false);
            each(self.fat.chunks(MANY).enumerate(), |(piece, fat)| {
                let first = MANY * piece;
                if !left.load(Relaxed) && !fat.iter().enumerate().all(|(i, f)| holds((f, box_of(first + i)))) {
                    left.store(true, Relaxed);
                }
            });
            !left.into_inner()
        };
        if all(&holds) {
            return true;
        }
        // Pairs of unbounded boxes are all there; images are where they were.
        let (Some(first), true) = (self.fat.iter().position(Aabb::is_finite), skin > 0.0 && self.ghosts.is_empty())
        else {
            return false;
        };
        let middle = |b: &Aabb<D>| (b.min + b.max) * 0.5;
        let moved = middle(&box_of(first)) - middle(&self.fat[first]);
        all(&|(f, b)| f.moved(&moved).contains(&b))
    }

    /// Notes what has no end; wraps every other fat box, where something is periodic, and lists its ghosts.
    fn enter_all(&mut self, periodic: &Periodic<D>) -> Result<(), Error> {
        self.ghosts.clear();
        self.images.clear();
        self.wide.clear();
        let fat = std::mem::take(&mut self.fat);
        self.wide.extend((0..fat.len() as u32).filter(|c| !fat[*c as usize].is_finite()));
        let mut entered = Ok(());
        if periodic.period.iter().any(Option::is_some) {
            // How far real boxes may stick out of the cell of reference.
            let finite = || fat.iter().enumerate().filter(|(_, b)| b.is_finite());
            let reach = finite().fold(Vector::<D>::zeros(), |r, (_, b)| r.sup(&(b.extent() * 0.5)));
            entered = finite().try_for_each(|(c, b)| self.enter(c, b, &reach, periodic));
        }
        self.fat = fat;
        entered
    }

    /// Most periods between two ghosts, axis by axis.
    fn span(&self) -> [f64; D] {
        std::array::from_fn(|k| {
            let images = self.ghosts.iter().map(|g| g.image[k]);
            let (low, high) = images.fold((0, 0), |(l, h), i| (i.min(l), i.max(h)));
            f64::from(high) - f64::from(low)
        })
    }

    /// The ghosts of a box, along the gradient of a shear first: where they are along the flow depends on it.
    fn enter(&mut self, c: usize, b: &Aabb<D>, reach: &Vector<D>, periodic: &Periodic<D>) -> Result<(), Error> {
        let mut spans = [Span::default(); D];
        for (k, span) in spans.iter_mut().enumerate() {
            *span = Span::new((c, k), b, reach, periodic)?;
        }
        let Some(shear) = &periodic.shear else {
            self.list(c, b, (&spans, true), periodic);
            return Ok(());
        };
        let whole = spans[shear.gradient];
        for along in whole.low..=whole.high {
            let count = whole.wrap + along;
            let moved =
                b.moved(&Vector::from_fn(|k, _| if k == shear.flow { f64::from(count) * shear.offset } else { 0.0 }));
            spans[shear.gradient] = Span { wrap: count, low: 0, high: 0 };
            spans[shear.flow] = Span::new((c, shear.flow), &moved, reach, periodic)?;
            self.list(c, b, (&spans, along == 0), periodic);
        }
        Ok(())
    }

    /// Enters the ghosts of all images of some spans; `own` where the collider's own is among them.
    fn list(&mut self, c: usize, b: &Aabb<D>, (spans, own): (&[Span; D], bool), periodic: &Periodic<D>) {
        let mut image = spans.map(|s| s.low);
        loop {
            let total: [i32; D] = std::array::from_fn(|k| spans[k].wrap + image[k]);
            let aabb = b.moved(&periodic.translation(&total));
            let real = own && image.iter().all(|&m| m == 0);
            self.ghosts.push(Ghost { collider: c as u32, image: total, real });
            self.images.push(aabb);
            let mut k = 0;
            while k < D {
                image[k] += 1;
                if image[k] <= spans[k].high {
                    break;
                }
                image[k] = spans[k].low;
                k += 1;
            }
            if k == D {
                return;
            }
        }
    }

    fn build(&mut self, periodic: &Periodic<D>, may_meet: MayMeet<D>) {
        let mut found = std::mem::take(&mut self.found);
        self.lay_out();
        self.fill();
        let pieces = self.entries.len().div_ceil(MANY);
        found.resize_with(found.len().max(pieces + 1), Vec::new);
        found.iter_mut().for_each(Vec::clear);
        let (rest, wide) = found.split_at_mut(pieces);
        let this = &*self;
        each(rest.iter_mut().zip(this.entries.chunks(MANY)), |(found, entries)| {
            entries.iter().for_each(|e| this.search(e, (periodic, may_meet), found));
        });
        this.join_wide(may_meet, &mut wide[0]);
        self.order(&found);
        self.found = found;
    }

    /// The pairs in order: by their first collider, then each few of the same one by the others.
    fn order(&mut self, found: &[Vec<Pair>]) {
        let all = || found.iter().flatten();
        let n = self.fat.len();
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        all().for_each(|p| self.starts[p.i as usize] += 1);
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.pairs.clear();
        self.pairs.resize(end as usize, Pair { i: 0, j: 0, image: [0; 3] });
        // Each run is filled from its end; then its start is what `starts` says.
        for p in all() {
            let start = &mut self.starts[p.i as usize];
            *start -= 1;
            self.pairs[*start as usize] = *p;
        }
        for run in self.starts.windows(2) {
            self.pairs[run[0] as usize..run[1] as usize].sort_unstable();
        }
    }

    /// The boxes that are entered: those of ghosts, where there are such.
    fn boxes(&self) -> &[Aabb<D>] {
        if self.ghosts.is_empty() { &self.fat } else { &self.images }
    }

    /// The grids that there are boxes for.
    fn lay_out(&mut self) {
        let mut extents = std::mem::take(&mut self.extents);
        extents.clear();
        extents.extend(self.boxes().iter().filter(|b| b.is_finite()).map(|b| b.extent().max()));
        self.levels.clear();
        if !extents.is_empty() {
            let middle = extents.len() / 2;
            let (_, median, _) = extents.select_nth_unstable_by(middle, f64::total_cmp);
            let alike = ALIKE * *median;
            let widest = extents.iter().copied().filter(|e| *e <= alike).fold(0.0, f64::max);
            let finite = self.boxes().iter().filter(|b| b.is_finite());
            let largest = finite.fold(0.0f64, |m, b| m.max(b.max.amax()).max(b.min.amax()));
            // Cells must stay countable in i32, whatever the coordinates.
            let finest = (widest * ROOM).max(largest * 1e-9).max(f64::MIN_POSITIVE * 1e10);
            for extent in &extents {
                let cell = width(finest, *extent);
                match self.levels.iter_mut().find(|l| l.cell == cell) {
                    Some(level) => level.boxes += 1,
                    None => self.levels.push(Level { cell, inverse: 1.0 / cell, boxes: 1, ..Level::default() }),
                }
            }
        }
        self.levels.sort_unstable_by(|a, b| a.cell.total_cmp(&b.cell));
        let mut first = 0;
        for level in &mut self.levels {
            let buckets = level.boxes.next_power_of_two();
            (level.first, level.mask) = (first, buckets - 1);
            first += buckets;
        }
        self.extents = extents;
    }

    /// The grid of a box.
    fn level(&self, aabb: &Aabb<D>) -> usize {
        let extent = aabb.extent().max();
        let finest = self.levels[0].cell;
        if extent * ROOM <= finest {
            return 0;
        }
        let cell = width(finest, extent);
        self.levels.iter().position(|l| l.cell == cell).unwrap_or(0)
    }

    fn cell(level: &Level, aabb: &Aabb<D>) -> [i32; D] {
        std::array::from_fn(|k| level.index(aabb.min[k]))
    }

    /// Enters the boxes in the buckets of their cells: counted first, so that the entries are held once.
    fn fill(&mut self) {
        let (mut starts, mut entries) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.entries));
        let buckets = self.levels.last().map_or(0, |l| l.first + l.mask + 1);
        starts.clear();
        starts.resize(buckets + 1, 0);
        let place = |b: &Aabb<D>| {
            let level = &self.levels[self.level(b)];
            let cell = Self::cell(level, b);
            (level.bucket(&cell), cell)
        };
        let finite = || self.boxes().iter().enumerate().filter(|(_, b)| b.is_finite());
        finite().for_each(|(_, b)| starts[place(b).0] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        entries.clear();
        entries.resize(end as usize, Entry { cell: [0; D], ghost: 0 });
        // Each bucket is filled from its end; then its start is what `starts` says.
        for (ghost, b) in finite() {
            let (bucket, cell) = place(b);
            starts[bucket] -= 1;
            entries[starts[bucket] as usize] = Entry { cell, ghost: ghost as u32 };
        }
        (self.starts, self.entries) = (starts, entries);
    }

    /// The boxes that an entry meets: of its size, in cells that come after its own, and larger ones.
    fn search(&self, entry: &Entry<D>, what: (&Periodic<D>, MayMeet<D>), found: &mut Vec<Pair>) {
        let aabb = &self.boxes()[entry.ghost as usize];
        let own = self.level(aabb);
        let level = &self.levels[own];
        let mut look = |level: &Level, cell: &[i32; D], after: bool| {
            let bucket = level.bucket(cell);
            let run = &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
            for other in run.iter().filter(|o| o.cell == *cell && (!after || o.ghost > entry.ghost)) {
                if aabb.meets(&self.boxes()[other.ghost as usize]) {
                    self.join(entry.ghost, other.ghost, what, found);
                }
            }
        };
        look(level, &entry.cell, true);
        // Of two neighbours one comes after the other, by the last axis in which they differ.
        let (low, high) = (entry.cell.map(|c| c - 1), entry.cell.map(|c| c + 1));
        cells(&low, &high, |cell| {
            if cell.iter().rev().cmp(entry.cell.iter().rev()).is_gt() {
                look(level, cell, false);
            }
        });
        for level in &self.levels[own + 1..] {
            let low: [i32; D] = std::array::from_fn(|k| level.index(aabb.min[k]) - 1);
            let high: [i32; D] = std::array::from_fn(|k| level.index(aabb.max[k]));
            cells(&low, &high, |cell| look(level, cell, false));
        }
    }

    /// Records the pair of two ghosts, if one of them is the real one of the smaller index.
    fn join(&self, a: u32, b: u32, (periodic, may_meet): (&Periodic<D>, MayMeet<D>), found: &mut Vec<Pair>) {
        if self.ghosts.is_empty() {
            let (i, j) = (a.min(b), a.max(b));
            if may_meet(i, j, &Vector::zeros()) {
                found.push(Pair { i, j, image: [0; 3] });
            }
            return;
        }
        let (mut a, mut b) = (&self.ghosts[a as usize], &self.ghosts[b as usize]);
        if a.collider > b.collider {
            std::mem::swap(&mut a, &mut b);
        }
        if a.collider == b.collider || !a.real {
            return;
        }
        // Each is below 1e9 periods from the cell of reference: see `MOST_PERIODS`.
        let between: [i32; D] = std::array::from_fn(|k| b.image[k] - a.image[k]);
        if may_meet(a.collider, b.collider, &periodic.translation(&between)) {
            let mut image = [0; 3];
            image[..D].copy_from_slice(&between);
            found.push(Pair { i: a.collider, j: b.collider, image });
        }
    }

    /// Unbounded boxes against all, as they are: they have no images.
    fn join_wide(&self, may_meet: MayMeet<D>, found: &mut Vec<Pair>) {
        for &w in &self.wide {
            for (c, b) in self.fat.iter().enumerate() {
                let c = c as u32;
                // Of two without end the first looks.
                if c == w || (c < w && !b.is_finite()) || !self.fat[w as usize].meets(b) {
                    continue;
                }
                let (i, j) = (w.min(c), w.max(c));
                if may_meet(i, j, &Vector::zeros()) {
                    found.push(Pair { i, j, image: [0; 3] });
                }
            }
        }
    }
}

/// Width of the cells of boxes of an extent: doubled from the finest until they fit.
fn width(finest: f64, extent: f64) -> f64 {
    let mut cell = finest;
    while extent * ROOM > cell {
        cell *= 2.0;
    }
    cell
}

/// Images of a box along an axis: those from its place in the cell of reference, and that place.
#[derive(Clone, Copy, Default)]
struct Span {
    wrap: i32,
    low: i32,
    high: i32,
}

impl Span {
    fn new<const D: usize>(
        (c, k): (usize, usize),
        b: &Aabb<D>,
        reach: &Vector<D>,
        periodic: &Periodic<D>,
    ) -> Result<Self, Error> {
        let Some(period) = periodic.period[k] else { return Ok(Self::default()) };
        let size = b.max[k] - b.min[k];
        if size > period {
            return Err(Error::LargerThanPeriod { collider: c, axis: k, size, period });
        }
        let centre = 0.5 * (b.min[k] + b.max[k]) - periodic.origin[k];
        let turns = (centre / period).floor();
        if !(turns.abs() <= MOST_PERIODS) {
            return Err(Error::ImageOverflow { collider: c, periods: turns });
        }
        let x = centre - turns * period;
        // Ghosts whose box can meet a real one: centres within reach + size/2 of the cell.
        let far = reach[k] + 0.5 * size;
        let low = -(((x + far) / period).floor() as i32);
        Ok(Self { wrap: -(turns as i32), low, high: ((period + far - x) / period).floor() as i32 })
    }
}

/// Visits the cells between two corners.
#[inline]
fn cells<const D: usize>(low: &[i32; D], high: &[i32; D], mut visit: impl FnMut(&[i32; D])) {
    let mut at = *low;
    'cells: loop {
        visit(&at);
        for k in 0..D {
            at[k] += 1;
            if at[k] <= high[k] {
                continue 'cells;
            }
            at[k] = low[k];
        }
        return;
    }
}

#[inline]
fn hash<const D: usize>(cell: &[i32; D]) -> usize {
    let mut h = 0u64;
    for &c in cell {
        h = (h ^ u64::from(c as u32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h ^= h >> 29;
    }
    h as usize
}
