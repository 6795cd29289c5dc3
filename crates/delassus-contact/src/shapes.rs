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
    /// Centres and radii of the discs and spheres, apart: most scenes need nothing else.
    balls: Vec<Option<(Vector<D>, f64)>>,
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
        if !c.offset.is_finite() {
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
            solids.push(<Dim<D> as Space<D>>::solid(&c.shape, &c.offset)?);
        }
        let bodies = colliders.iter().map(|c| c.body).collect();
        Ok(Self { solids, bodies, balls: vec![None; colliders.len()] })
    }

    /// Moves all solids; `boxes` gets those around them, grown.
    pub fn place(&mut self, poses: &[Pose<D>], (boxes, grown): (&mut [Aabb<D>], f64)) -> Result<(), Error> {
        if let Some(body) = poses.iter().position(|p| !p.is_finite()) {
            return Err(Error::PoseNotFinite { body });
        }
        let Self { solids, bodies, balls } = self;
        if let Some((collider, &body)) = bodies.iter().enumerate().find(|(_, b)| **b as usize >= poses.len()) {
            return Err(Error::MissingPose { collider, body, poses: poses.len() });
        }
        let rows = solids.chunks_mut(MANY).zip(balls.chunks_mut(MANY)).zip(boxes.chunks_mut(MANY));
        each(bodies.chunks(MANY).zip(rows), |(bodies, ((solids, balls), boxes))| {
            for (((body, solid), ball), aabb) in bodies.iter().zip(solids).zip(balls).zip(boxes) {
                solid.place(&poses[*body as usize]);
                (*ball, *aabb) = (solid.ball(), solid.aabb().grown(grown));
            }
        });
        Ok(())
    }

    /// Moves one solid.
    pub fn put(&mut self, i: usize, pose: &Pose<D>) {
        self.solids[i].place(pose);
        self.balls[i] = self.solids[i].ball();
    }

    /// The box around all that have an end.
    pub fn around(&self) -> Aabb<D> {
        let boxes = self.solids.iter().map(Solid::aabb).filter(Aabb::is_finite);
        boxes.fold(Aabb::empty(), |all, b| all.join(&b))
    }

    /// The contacts of two of them, sorted by features.
    #[inline]
    pub fn meet<'m>(
        &self,
        [i, j]: [usize; 2],
        boxes: &[Aabb<D>],
        query: &Query<D>,
        memory: &'m mut Memory<D>,
    ) -> Result<&'m [Hit<D>], Error> {
        let Self { solids, balls, .. } = self;
        let Memory { hits, scratch } = memory;
        hits.clear();
        if let (Some((p, r)), Some((q, s))) = (&balls[i], &balls[j]) {
            let centre = q + query.shift;
            let reach = r + s + query.margin;
            if (p - centre).norm_squared() <= reach * reach * NEAR {
                hits.extend(Some(Hit::of_balls(p, *r, &centre, *s)).filter(|h| h.gap <= query.margin));
            }
        } else if boxes[i].meets(&boxes[j].moved(&query.shift)) {
            <Dim<D> as Space<D>>::collide([&solids[i], &solids[j]], query, scratch, hits)?;
            hits.sort_unstable_by_key(|h| h.features);
        }
        Ok(hits)
    }
}
