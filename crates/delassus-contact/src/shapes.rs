//! The shapes of a detector: placed in the world, and their contacts pair by pair.

use crate::hit::Hit;
use crate::space::Query;
use crate::threads::{MANY, each};
use crate::{Aabb, Collider, Dim, Error, Pose, Shape, Solid, Space, Vector};

/// Room for the round-off of a squared distance.
const NEAR: f64 = 1.0 + 1e-12;

/// Placed colliders, with the memory of their narrow phase.
pub(crate) struct Shapes<const D: usize>
where
    Dim<D>: Space<D>,
{
    pub solids: Vec<<Dim<D> as Space<D>>::Solid>,
    /// Their bodies, side by side.
    bodies: Vec<u32>,
    /// Discs and spheres, apart: most scenes need nothing else.
    balls: Vec<Ball<D>>,
}

/// A disc or sphere, side by side with what is none.
#[derive(Clone, Copy)]
struct Ball<const D: usize> {
    centre: Vector<D>,
    /// Not a number for all other shapes.
    radius: f64,
}

impl<const D: usize> Ball<D> {
    fn none() -> Self {
        Self { centre: Vector::zeros(), radius: f64::NAN }
    }

    fn of(solid: &impl Solid<D>) -> Self {
        solid.ball().map_or_else(Self::none, |(centre, radius)| Self { centre, radius })
    }
}

/// Memory of the narrow phase.
pub(crate) struct Memory<const D: usize>
where
    Dim<D>: Space<D>,
{
    hits: Vec<Hit<D>>,
    pub scratch: <Dim<D> as Space<D>>::Scratch,
}

impl<const D: usize> Default for Memory<D>
where
    Dim<D>: Space<D>,
{
    fn default() -> Self {
        Self { hits: Vec::with_capacity(64), scratch: Default::default() }
    }
}

/// Checks colliders.
pub(crate) fn check<const D: usize>(colliders: &[Collider<D>]) -> Result<(), Error>
where
    Dim<D>: Space<D>,
{
    for (i, c) in colliders.iter().enumerate() {
        if !c.offset.pose().is_finite() {
            return Err(Error::NotFinite { what: "offset of a collider", value: f64::NAN });
        }
        if c.shape.must_be_fixed() && !c.fixed {
            return Err(Error::MustBeFixed { collider: i, what: c.shape.name() });
        }
        c.shape.check()?;
    }
    Ok(())
}

impl<const D: usize> Shapes<D>
where
    Dim<D>: Space<D>,
{
    /// Checks the colliders and prepares their shapes.
    pub fn new(colliders: &[Collider<D>]) -> Result<Self, Error> {
        check(colliders)?;
        let mut solids = Vec::with_capacity(colliders.len());
        for c in colliders {
            solids.push(<Dim<D> as Space<D>>::solid(&c.shape, &c.offset.pose())?);
        }
        let bodies = colliders.iter().map(|c| c.body).collect();
        Ok(Self { solids, bodies, balls: vec![Ball::none(); colliders.len()] })
    }

    /// Moves all solids.
    pub fn place(&mut self, poses: &[Pose<D>]) -> Result<(), Error> {
        if let Some(body) = poses.iter().position(|p| !p.is_finite()) {
            return Err(Error::PoseNotFinite { body });
        }
        let Self { solids, bodies, balls } = self;
        if let Some((collider, &body)) = bodies.iter().enumerate().find(|(_, b)| **b as usize >= poses.len()) {
            return Err(Error::MissingPose { collider, body, poses: poses.len() });
        }
        let rows = solids.chunks_mut(MANY).zip(balls.chunks_mut(MANY));
        each(bodies.chunks(MANY).zip(rows), |(bodies, (solids, balls))| {
            for ((body, solid), ball) in bodies.iter().zip(solids).zip(balls) {
                solid.place(&poses[*body as usize]);
                *ball = Ball::of(solid);
            }
        });
        Ok(())
    }

    /// Moves one solid.
    pub fn put(&mut self, i: usize, pose: &Pose<D>) {
        self.solids[i].place(pose);
        self.balls[i] = Ball::of(&self.solids[i]);
    }

    /// The box around all that have an end.
    pub fn around(&self) -> Aabb<D> {
        let boxes = self.solids.iter().map(Solid::aabb).filter(Aabb::is_finite);
        boxes.fold(Aabb::empty(), |all, b| all.join(&b))
    }

    /// The box around one of them.
    #[inline]
    pub fn aabb(&self, i: usize) -> Aabb<D> {
        let Ball { centre, radius } = &self.balls[i];
        match radius.is_nan() {
            true => self.solids[i].aabb(),
            false => Aabb { min: centre.add_scalar(-radius), max: centre.add_scalar(*radius) },
        }
    }

    /// Whether two of them, the second moved, may come within a gap; true of what is no disc or sphere.
    #[inline]
    pub fn are_near(&self, [i, j]: [usize; 2], shift: &Vector<D>, gap: f64) -> bool {
        let (a, b) = (&self.balls[i], &self.balls[j]);
        let reach = a.radius + b.radius + gap;
        reach.is_nan() || (a.centre - b.centre - shift).norm_squared() <= reach * reach * NEAR
    }

    /// Whether the boxes of two of them meet, and the face of a half-space is near a disc or sphere.
    #[inline]
    fn may_touch(&self, [i, j]: [usize; 2], grown: f64, query: &Query<D>) -> bool {
        for (ball, other, shift) in [(i, j, query.shift), (j, i, -query.shift)] {
            let Ball { centre, radius } = &self.balls[ball];
            if let (false, Some((normal, origin))) = (radius.is_nan(), self.solids[other].face()) {
                // As a contact would be refused.
                return normal.dot(&(centre - (origin + shift))) - radius <= query.margin;
            }
        }
        self.aabb(i).grown(grown).meets(&self.aabb(j).grown(grown).moved(&query.shift))
    }

    /// The contacts of two of them, sorted by features.
    #[inline]
    pub fn meet<'m>(
        &self,
        [i, j]: [usize; 2],
        grown: f64,
        query: &Query<D>,
        memory: &'m mut Memory<D>,
    ) -> Result<&'m [Hit<D>], Error> {
        let Self { solids, balls, .. } = self;
        let Memory { hits, scratch } = memory;
        hits.clear();
        let (a, b) = (&balls[i], &balls[j]);
        let reach = a.radius + b.radius + query.margin;
        if !reach.is_nan() {
            let centre = b.centre + query.shift;
            if (a.centre - centre).norm_squared() <= reach * reach * NEAR {
                let hit = Hit::of_balls(&a.centre, a.radius, &centre, b.radius);
                hits.extend(Some(hit).filter(|h| h.gap <= query.margin));
            }
        } else if self.may_touch([i, j], grown, query) {
            <Dim<D> as Space<D>>::collide([&solids[i], &solids[j]], query, scratch, hits)?;
            hits.sort_unstable_by_key(|h| h.features);
        }
        Ok(hits)
    }
}
