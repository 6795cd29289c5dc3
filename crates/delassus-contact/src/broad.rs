//! Broad phase: pairs of boxes that may meet, in linear time
//!
//! A hashed uniform grid. Each box is entered in every cell it covers; a pair is
//! reported by the one cell that holds the lower corner of its intersection, so each
//! pair comes once. Boxes that cover many cells (floors, drums) and unbounded ones are
//! compared with all others directly; they are few. Along periodic axes a box is also
//! entered as ghosts, one for each image that reaches the cell of reference.
//!
//! Reuse: the list is built from boxes fattened by a skin and serves until some box
//! leaves its fat one. The caller filters it exactly, so that the contacts do not
//! depend on when it was built.
//!
//! Rejected: parry's BVH, which took 4.4 ms for the pairs of 10,000 balls at every step; a step
//! that reuses its list takes 1.3 ms, contacts included (tests/suite/speed.rs).

use crate::{Aabb, Error, Periodic, Vector};

/// A pair that may meet: colliders `i < j` and the image of `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub i: u32,
    pub j: u32,
    pub image: [i32; 3],
}

/// More cells than this make a box large.
const LARGE: i64 = 64;
/// Periods from the box of reference that are counted: differences of two must fit.
const MOST_PERIODS: f64 = 1e9;

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
    large: bool,
    aabb: Aabb<D>,
}

/// The pairs of the last build and the memory for the next.
#[derive(Clone, Debug)]
pub(crate) struct Broad<const D: usize> {
    /// Fat boxes of the last build.
    fat: Vec<Aabb<D>>,
    pairs: Vec<Pair>,
    ghosts: Vec<Ghost<D>>,
    entries: Vec<Entry<D>>,
    starts: Vec<u32>,
    extents: Vec<f64>,
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
            entries: vec![],
            starts: vec![],
            extents: vec![],
            built: Periodic::default(),
            most: [0.0; D],
            builds: 0,
        }
    }
}

impl<const D: usize> Broad<D> {
    /// The pairs whose boxes may meet, sorted; `may_meet(i, j)` says which are of interest.
    pub fn pairs(
        &mut self,
        boxes: &[Aabb<D>],
        skin: f64,
        periodic: &Periodic<D>,
        may_meet: &dyn Fn(u32, u32) -> bool,
    ) -> Result<&[Pair], Error> {
        // Images that have moved since take as much of the fat.
        let drift = periodic.drift(&self.built, &self.most);
        let holds = |f: &Aabb<D>, b: &Aabb<D>| if drift > 0.0 { f.contains(&b.grown(drift)) } else { f.contains(b) };
        let valid = self.fat.len() == boxes.len() && self.fat.iter().zip(boxes).all(|(f, b)| holds(f, b));
        if !valid {
            // Emptied first: a build that fails must not leave an older list behind.
            self.fat.clear();
            self.pairs.clear();
            self.enter_all(boxes, skin, periodic)?;
            self.build(may_meet);
            (self.built, self.most) = (*periodic, self.span());
            self.fat.extend(boxes.iter().map(|b| b.grown(skin)));
            self.builds += 1;
        }
        Ok(&self.pairs)
    }

    /// Wraps every fat box and lists its ghosts.
    fn enter_all(&mut self, boxes: &[Aabb<D>], skin: f64, periodic: &Periodic<D>) -> Result<(), Error> {
        self.ghosts.clear();
        // How far real boxes may stick out of the cell of reference.
        let mut reach = Vector::<D>::zeros();
        for b in boxes.iter().filter(|b| b.is_finite()) {
            reach = reach.sup(&(b.grown(skin).extent() * 0.5));
        }
        for (c, b) in boxes.iter().enumerate() {
            if !b.is_finite() {
                let ghost = Ghost { collider: c as u32, image: [0; D], real: true, large: true, aabb: *b };
                self.ghosts.push(ghost);
                continue;
            }
            self.enter(c, &b.grown(skin), &reach, periodic)?;
        }
        Ok(())
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
            self.ghosts.push(Ghost { collider: c as u32, image: total, real, large: false, aabb });
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

    fn build(&mut self, may_meet: &dyn Fn(u32, u32) -> bool) {
        let cell = self.cell_size();
        self.fill(cell);
        self.pairs.clear();
        let mut pairs = std::mem::take(&mut self.pairs);
        for bucket in self.starts.windows(2) {
            let run = &self.entries[bucket[0] as usize..bucket[1] as usize];
            for (k, a) in run.iter().enumerate() {
                for b in &run[k + 1..] {
                    if a.cell == b.cell && self.owns(a, b, cell) {
                        self.join(a.ghost, b.ghost, may_meet, &mut pairs);
                    }
                }
            }
        }
        self.join_large(may_meet, &mut pairs);
        pairs.sort_unstable();
        self.pairs = pairs;
    }

    /// Twice the median extent: most boxes then cover few cells.
    fn cell_size(&mut self) -> f64 {
        self.extents.clear();
        self.extents.extend(self.ghosts.iter().filter(|g| g.real && !g.large).map(|g| g.aabb.extent().max()));
        if self.extents.is_empty() {
            return 1.0;
        }
        let middle = self.extents.len() / 2;
        let (_, median, _) = self.extents.select_nth_unstable_by(middle, f64::total_cmp);
        let largest = self.ghosts.iter().filter(|g| !g.large).fold(0.0f64, |m, g| m.max(g.aabb.max.amax()));
        // Cells must stay countable in i32, whatever the coordinates.
        (1.5 * *median).max(largest.abs() * 1e-9).max(f64::MIN_POSITIVE * 1e10)
    }

    /// Enters the boxes in the buckets of their cells: counted first, so that the entries are held once.
    fn fill(&mut self, cell: f64) {
        let mut total = 0;
        for g in self.ghosts.iter_mut().filter(|g| !g.large) {
            let (low, high) = range(&g.aabb, cell);
            let count = (0..D).fold(1i64, |n, k| n.saturating_mul(i64::from(high[k]) - i64::from(low[k]) + 1));
            g.large = count > LARGE;
            total += if g.large { 0 } else { count as usize };
        }
        let buckets = (total * 2).next_power_of_two().max(16);
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        let small = |g: &&Ghost<D>| !g.large;
        for g in self.ghosts.iter().filter(small) {
            cells(&g.aabb, cell, |at| self.starts[hash(at, buckets)] += 1);
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        // Each bucket is filled from its end; then its start is what `starts` says.
        self.entries.clear();
        self.entries.resize(total, Entry { cell: [0; D], ghost: 0 });
        for (g, ghost) in self.ghosts.iter().enumerate().rev().filter(|(_, g)| small(g)) {
            cells(&ghost.aabb, cell, |at| {
                let start = &mut self.starts[hash(at, buckets)];
                *start -= 1;
                self.entries[*start as usize] = Entry { cell: *at, ghost: g as u32 };
            });
        }
    }

    /// Whether this cell holds the lower corner of the intersection of the two boxes.
    #[inline]
    fn owns(&self, a: &Entry<D>, b: &Entry<D>, cell: f64) -> bool {
        let (x, y) = (&self.ghosts[a.ghost as usize].aabb, &self.ghosts[b.ghost as usize].aabb);
        x.meets(y) && (0..D).all(|k| index(x.min[k].max(y.min[k]), cell) == a.cell[k])
    }

    /// Records the pair of two ghosts, if one of them is the real one of the smaller index.
    fn join(&self, a: u32, b: u32, may_meet: &dyn Fn(u32, u32) -> bool, pairs: &mut Vec<Pair>) {
        let (mut a, mut b) = (&self.ghosts[a as usize], &self.ghosts[b as usize]);
        if a.collider > b.collider {
            std::mem::swap(&mut a, &mut b);
        }
        if a.collider == b.collider || !a.real || !may_meet(a.collider, b.collider) {
            return;
        }
        // Each is below 1e9 periods from the cell of reference: see `MOST_PERIODS`.
        let mut image = [0; 3];
        (0..D).for_each(|k| image[k] = b.image[k] - a.image[k]);
        pairs.push(Pair { i: a.collider, j: b.collider, image });
    }

    /// Large and unbounded boxes against all.
    fn join_large(&self, may_meet: &dyn Fn(u32, u32) -> bool, pairs: &mut Vec<Pair>) {
        for (i, g) in self.ghosts.iter().enumerate().filter(|(_, g)| g.large) {
            for (j, h) in self.ghosts.iter().enumerate() {
                if (h.large && j <= i) || !g.aabb.meets(&h.aabb) {
                    continue;
                }
                if g.aabb.is_finite() && h.aabb.is_finite() {
                    self.join(i as u32, j as u32, may_meet, pairs);
                } else if g.real && h.real && may_meet(g.collider, h.collider) {
                    // An unbounded shape is taken as it is: it has no images.
                    let (i, j) = (g.collider.min(h.collider), g.collider.max(h.collider));
                    pairs.push(Pair { i, j, image: [0; 3] });
                }
            }
        }
    }
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

/// Cells of the lower and of the upper corner.
#[inline]
fn range<const D: usize>(b: &Aabb<D>, cell: f64) -> ([i32; D], [i32; D]) {
    (std::array::from_fn(|k| index(b.min[k], cell)), std::array::from_fn(|k| index(b.max[k], cell)))
}

/// Visits the cells of a box.
#[inline]
fn cells<const D: usize>(b: &Aabb<D>, cell: f64, mut visit: impl FnMut(&[i32; D])) {
    let (low, high) = range(b, cell);
    let mut at = low;
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
fn index(x: f64, cell: f64) -> i32 {
    (x / cell).floor() as i32
}

#[inline]
fn hash<const D: usize>(cell: &[i32; D], buckets: usize) -> usize {
    let mut h = 0u64;
    for &c in cell {
        h = (h ^ u64::from(c as u32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h ^= h >> 29;
    }
    h as usize & (buckets - 1)
}
