//! What bodies in flight would cross unseen
//!
//! ```text
//! half thickness s = s_i + s_j;   the pair may be missed at q_m where its motion in the step exceeds s
//! τ ← τ + (g − δ/2)/V   until g ≤ δ,     V ≥ speed of any two of their points
//! ```
//!
//! Conservative advancement \[Mirtich95\] on the distances of the narrow phase itself: what stops is
//! what will be a contact, for every pair of shapes. A body that slides or rests is near all the time;
//! only a touch that closes by a share of the thickness before the end counts. Walls given by
//! expressions have no thickness that could be known: they are thin where the path of the body leaves
//! them again.

use crate::broad::Broad;
use crate::shapes::{Memory, Shapes};
use crate::space::Query;
use crate::{Aabb, Collider, Dim, Error, Hit, Periodic, Pose, Shape, Solid, Space, Vector};

/// A body that nothing touches, over a short time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight<const D: usize> {
    /// Where it begins.
    pub pose: Pose<D>,
    /// Velocity of the origin of the pose \[m/s\].
    pub velocity: Vector<D>,
    /// Angular velocity in the world \[rad/s\]; in the plane the third component.
    pub spin: [f64; 3],
}

impl<const D: usize> Flight<D>
where
    Dim<D>: Space<D>,
{
    /// Where it is after `dt`.
    pub fn at(&self, dt: f64) -> Pose<D> {
        let rotation = <Dim<D> as Space<D>>::turned(&self.pose.rotation, &self.spin.map(|w| w * dt));
        Pose { position: self.pose.position + self.velocity * dt, rotation }
    }

    fn spin_rate(&self) -> f64 {
        self.spin.iter().map(|w| w * w).sum::<f64>().sqrt()
    }

    /// Velocity of the point at `lever` from the origin of the pose.
    fn velocity_at(&self, lever: &Vector<D>) -> Vector<D> {
        let l: [f64; 3] = std::array::from_fn(|k| if k < D { lever[k] } else { 0.0 });
        let w = self.spin;
        let turn = [w[1] * l[2] - w[2] * l[1], w[2] * l[0] - w[0] * l[2], w[0] * l[1] - w[1] * l[0]];
        Vector::from_fn(|k, _| self.velocity[k] + turn[k])
    }
}

/// Two bodies that are about to meet too fast to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The bodies.
    pub bodies: [u32; 2],
    /// When, after the beginning of the flight \[s\].
    pub time: f64,
    /// Their distance then \[m\].
    pub gap: f64,
    /// Speed at which it closes \[m/s\].
    pub closing: f64,
    /// Half of the thickness of both \[m\].
    pub thickness: f64,
    /// Bound on the speed of their points \[m/s\].
    pub speed: f64,
}

/// Distance at which two bodies meet, in half thicknesses: also how deep the step of the impact looks.
pub const NEAR: f64 = 1e-3;
/// Half thicknesses by which a touch must close in the rest of the step to count.
pub const HARD: f64 = 0.1;
/// Half thicknesses after which bodies that slide are looked at again.
const AGAIN: f64 = 0.25;
/// Most places of a flight that are looked at.
const MOST: f64 = 1e4;
/// Places of a path at which an analytic wall is looked at, at least; bodies look once in every half thickness.
const SAMPLES: f64 = 96.0;
/// Cosine between the directions out of a wall, where a path enters and where it leaves, above which it only grazes.
const GRAZES: f64 = 0.985;

/// Sizes that do not change, and scratch.
pub(crate) struct Sweep<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Body of each collider.
    bodies: Vec<u32>,
    /// Half thickness of each collider; infinite where nothing can be on the other side.
    thickness: Vec<f64>,
    /// Motion up to which nothing of it can be missed.
    slow: Vec<f64>,
    /// Distance of the farthest point that turns with the body.
    reach: Vec<f64>,
    /// Whether it is a wall given by an expression.
    wall: Vec<bool>,
    /// Motion of each collider over the flight.
    travel: Vec<f64>,
    boxes: Vec<Aabb<D>>,
    broad: Broad<D>,
    memory: Memory<D>,
}

/// Two colliders in flight.
struct Pair<const D: usize> {
    colliders: [usize; 2],
    flights: [Flight<D>; 2],
    shift: Vector<D>,
    thickness: f64,
    /// Whether one is a surface.
    surface: bool,
    /// Whether the step is being cut already.
    cut: bool,
    /// Bound on the relative speed of their points.
    speed: f64,
    /// Time at the beginning.
    t: f64,
}

impl<const D: usize> Sweep<D>
where
    Dim<D>: Space<D>,
{
    pub fn new(colliders: &[Collider<D>]) -> Self {
        let reach = |c: &Collider<D>| {
            let own = if c.shape.is_round() { 0.0 } else { c.shape.bounding_radius() };
            c.offset.position.norm() + own
        };
        let thickness: Vec<f64> = colliders.iter().map(|c| c.shape.thickness()).collect();
        let least = thickness.iter().copied().fold(f64::INFINITY, f64::min);
        // Only surfaces of a mesh are seen: against it the thickness of the other counts.
        let slow = colliders.iter().zip(&thickness).map(|(c, s)| if c.shape.is_surface() { least } else { *s });
        Self {
            bodies: colliders.iter().map(|c| c.body).collect(),
            slow: slow.collect(),
            thickness,
            reach: colliders.iter().map(reach).collect(),
            wall: colliders.iter().map(|c| c.shape.is_unbounded() && c.shape.thickness() == 0.0).collect(),
            travel: vec![],
            boxes: vec![],
            broad: Broad::default(),
            memory: Memory::default(),
        }
    }

    /// The longest part of `dt` in which no body moves so far along a period that it meets its image.
    pub fn longest(&self, shapes: &Shapes<D>, periodic: &Periodic<D>, dt: f64) -> f64 {
        let mut share = 1.0f64;
        for (solid, travel) in shapes.solids.iter().zip(&self.travel).filter(|(_, t)| t.is_finite()) {
            for (k, period) in periodic.period.iter().enumerate().filter_map(|(k, p)| Some((k, (*p)?))) {
                let free = period - solid.aabb().extent()[k];
                if *travel > 0.25 * free && free > 0.0 {
                    share = share.min(0.25 * free / travel);
                }
            }
        }
        share * dt
    }

    /// Whether some collider moves by more than a share of its half thickness: nothing else can be missed.
    pub fn is_fast(&self, speeds: impl Fn(u32) -> [f64; 2], (dt, share): (f64, f64)) -> bool {
        self.bodies.iter().enumerate().any(|(i, body)| self.motion(i, speeds(*body), dt) > share * self.slow[i])
    }

    /// Bound on the motion of the points of a collider; `speed` of its body and rate of its turning.
    fn motion(&self, collider: usize, [speed, spin]: [f64; 2], dt: f64) -> f64 {
        (speed + if spin > 0.0 { spin * self.reach[collider] } else { 0.0 }) * dt
    }

    /// Notes how far the colliders move.
    pub fn measure(&mut self, colliders: &[Collider<D>], flights: &[Flight<D>], dt: f64) {
        // Most runs never come here.
        self.travel.resize(colliders.len(), 0.0);
        self.boxes.resize(colliders.len(), Aabb::empty());
        for (i, c) in colliders.iter().enumerate() {
            let f = &flights[c.body as usize];
            self.travel[i] = self.motion(i, [f.velocity.norm(), f.spin_rate()], dt);
        }
    }

    /// The first crossing within `dt` of a pair that moves by more than a share of its half thickness;
    /// [`Sweep::measure`] came before.
    pub fn first(
        &mut self,
        (colliders, shapes): (&[Collider<D>], &mut Shapes<D>),
        flights: &[Flight<D>],
        periodic: &Periodic<D>,
        (t, dt, share): (f64, f64, f64),
    ) -> Result<Option<Crossing>, Error> {
        let images = match periodic.moves() {
            true => periodic.speed(&shapes.around()),
            false => 0.0,
        };
        for (i, c) in colliders.iter().enumerate() {
            let f = &flights[c.body as usize];
            shapes.solids[i].place(&f.pose);
            let (start, turned) = (shapes.solids[i].aabb(), f.spin_rate() > 0.0);
            let straight = start.join(&start.moved(&(f.velocity * dt)));
            let turn = self.travel[i] - f.velocity.norm() * dt;
            self.boxes[i] = if turned && turn.is_finite() { straight.grown(turn) } else { straight };
            // What images move beyond their bodies.
            if images > 0.0 && self.boxes[i].is_finite() {
                self.boxes[i] = self.boxes[i].grown(images * dt);
            }
        }
        let Self { thickness, slow, reach, wall, travel, boxes, broad, memory, .. } = self;
        let quick = |i: u32| travel[i as usize] + images * dt > share * slow[i as usize];
        let may_meet = |i: u32, j: u32, _: &Vector<D>| {
            (quick(i) || quick(j)) && colliders[i as usize].may_meet(&colliders[j as usize])
        };
        let mut first: Option<Crossing> = None;
        for pair in broad.pairs((boxes.len(), &|i| boxes[i]), 0.0, periodic, &may_meet)? {
            let two = [pair.i as usize, pair.j as usize];
            let image: [i32; D] = std::array::from_fn(|k| pair.image[k]);
            let mut flights = two.map(|i| flights[colliders[i].body as usize]);
            flights[1].velocity += periodic.velocity(&image);
            let turning = |k: usize| match flights[k].spin_rate() {
                w if w > 0.0 => w * reach[two[k]],
                _ => 0.0,
            };
            let pair = Pair {
                colliders: two,
                flights,
                shift: periodic.translation(&image),
                cut: share < 1.0,
                surface: two.iter().any(|&i| colliders[i].shape.is_surface()),
                thickness: together(two.map(|i| (thickness[i], colliders[i].shape.is_surface()))),
                speed: (flights[0].velocity - flights[1].velocity).norm() + turning(0) + turning(1),
                t,
            };
            let until = first.as_ref().map_or(dt, |c| c.time);
            if !(pair.speed * dt > share * pair.thickness) {
                continue;
            }
            let found = match two.iter().any(|&i| wall[i]) {
                true => pair.through_wall(&mut (shapes, memory), until)?,
                false => pair.advance(&mut (shapes, memory), until)?,
            };
            let bodies = two.map(|i| colliders[i].body);
            first = found.map(|c| Crossing { bodies, ..c }).or(first);
        }
        Ok(first)
    }
}

/// Shapes, memory.
type Placed<'a, const D: usize> = (&'a mut Shapes<D>, &'a mut Memory<D>);

/// Half thickness of two shapes; against a surface only that of the other is seen.
fn together(two: [(f64, bool); 2]) -> f64 {
    match two {
        [(_, true), (other, false)] | [(other, false), (_, true)] => other,
        [(one, _), (other, _)] => one + other,
    }
}

impl<const D: usize> Pair<D>
where
    Dim<D>: Space<D>,
{
    /// The contacts at `tau` with gaps up to `margin`.
    fn look<'s>(&self, (shapes, memory): &'s mut Placed<'_, D>, tau: f64, margin: f64) -> Result<&'s [Hit<D>], Error> {
        for (&i, flight) in self.colliders.iter().zip(&self.flights) {
            shapes.put(i, &flight.at(tau));
        }
        shapes.meet(self.colliders, 0.5 * margin, &Query { shift: self.shift, margin, t: self.t + tau }, memory)
    }

    /// Speed at which a contact closes.
    fn closing(&self, hit: &Hit<D>, tau: f64) -> f64 {
        let side = |k: usize| {
            let shift = if k == 0 { Vector::zeros() } else { self.shift };
            let centre = self.flights[k].pose.position + self.flights[k].velocity * tau;
            self.flights[k].velocity_at(&(hit.points[k] - shift - centre))
        };
        -hit.normal.dot(&(side(0) - side(1))) - hit.rate
    }

    /// From gap to gap, until it is closed.
    fn advance(&self, placed: &mut Placed<'_, D>, until: f64) -> Result<Option<Crossing>, Error> {
        // Without a thickness a touch cannot be told from a miss: any one counts.
        let near = NEAR * if self.thickness > 0.0 { self.thickness } else { self.speed * until };
        let least = (until / MOST).max(0.25 * near / self.speed);
        let mut tau = 0.0;
        while tau < until {
            let left = until - tau;
            // Surfaces have many places to look at: only those nearby.
            let ahead = if self.surface { (self.speed * left).min(0.5 * self.thickness) } else { self.speed * left };
            let hits = self.look(placed, tau, ahead + near)?;
            let mut gap = ahead + near;
            let mut worst: Option<Crossing> = None;
            let mut slides = false;
            for hit in hits {
                if hit.gap > near {
                    gap = gap.min(hit.gap);
                    continue;
                }
                let closing = self.closing(hit, tau);
                if closing * left > HARD * self.thickness && worst.as_ref().is_none_or(|w| closing > w.closing) {
                    worst = Some(self.crossing(tau, hit.gap, closing));
                }
                slides = true;
            }
            if worst.is_some() {
                return Ok(worst);
            }
            let far = (gap - 0.5 * near) / self.speed;
            let again = if slides { AGAIN * self.thickness / self.speed } else { f64::INFINITY };
            tau += far.min(again).max(least);
        }
        Ok(None)
    }

    fn crossing(&self, time: f64, gap: f64, closing: f64) -> Crossing {
        Crossing { bodies: [0; 2], time, gap, closing, thickness: self.thickness, speed: self.speed }
    }

    /// Where the path enters a wall that it leaves again.
    fn through_wall(&self, placed: &mut Placed<'_, D>, until: f64) -> Result<Option<Crossing>, Error> {
        // Speed of closing, and the direction out of the wall.
        let mut inside = |tau: f64| -> Result<Option<(f64, Vector<D>)>, Error> {
            let hits = match self.look(placed, tau, 0.0) {
                Ok(hits) => hits,
                // In the middle of a wall its function may have no slope.
                Err(Error::WallUndefined { .. }) => return Ok(Some((0.0, Vector::zeros()))),
                Err(e) => return Err(e),
            };
            let deepest = hits.iter().filter(|h| h.gap < 0.0).min_by(|a, b| a.gap.total_cmp(&b.gap));
            Ok(deepest.map(|h| (self.closing(h, tau), h.normal)))
        };
        if inside(0.0)?.is_some() {
            return Ok(None);
        }
        // Beyond the end too: past its middle a wall would push to the other side.
        let far = 2.0 * self.speed * until;
        let samples = match self.thickness > 0.0 {
            true => (far / self.thickness).clamp(SAMPLES, MOST),
            false => SAMPLES,
        } as usize;
        let step = 2.0 * until / samples as f64;
        let (mut enters, mut leaves) = (None, None);
        let mut sides = [Vector::<D>::zeros(); 2];
        for k in 1..=samples {
            match (enters, inside(k as f64 * step)?) {
                (None, Some((closing, normal))) if closing > 0.0 => {
                    (enters, sides) = (Some(k), [normal; 2]);
                }
                (Some(_), Some((_, normal))) => sides[1] = normal,
                // Out where it came in: what slides on a round wall grazes it.
                (Some(_), None) if sides[0].dot(&sides[1]) > GRAZES => enters = None,
                (Some(_), None) => {
                    leaves = Some(k);
                    break;
                }
                _ => {}
            }
        }
        // A step that is cut has shown that the wall is thin.
        let (Some(first), Some(last)) = (enters, leaves.or(self.cut.then_some(samples))) else { return Ok(None) };
        let thickness = 0.5 * (last - first) as f64 * step * self.speed;
        let (mut before, mut after) = ((first - 1) as f64 * step, first as f64 * step);
        let mut closing = self.speed;
        while (after - before) * self.speed > NEAR * thickness {
            let middle = 0.5 * (before + after);
            if !(before < middle && middle < after) {
                break;
            }
            match inside(middle)? {
                Some((speed, _)) => (after, closing) = (middle, speed),
                None => before = middle,
            }
        }
        let found = Crossing { thickness, ..self.crossing(before, (after - before) * self.speed, closing) };
        Ok((before < until && closing > 0.0).then_some(found))
    }
}
