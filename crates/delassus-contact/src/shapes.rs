//! The shapes of a detector: placed in the world, and their contacts pair by pair.

use crate::hit::Hit;
use crate::space::Query;
use crate::{Aabb, Collider, Dim, Error, Pose, Shape, Solid, Space, Vector};

/// Room for the round-off of a squared distance.
const NEAR: f64 = 1.0 + 1e-12;

/// Placed colliders, with the memory of their narrow phase.
pub(crate) struct Shapes<const D: usize>
where
    Dim<D>: Space<D>,
{
    pub solids: Vec<<Dim<D> as Space<D>>::Solid>,
    /// Centres and radii of the discs and spheres, apart: most scenes need nothing else.
    balls: Vec<Option<(Vector<D>, f64)>>,
    hits: Vec<Hit<D>>,
    pub scratch: <Dim<D> as Space<D>>::Scratch,
}

impl<const D: usize> Shapes<D>
where
    Dim<D>: Space<D>,
{
    /// Checks the colliders and prepares their shapes.
    pub fn new(colliders: &[Collider<D>]) -> Result<Self, Error> {
        let mut solids = Vec::with_capacity(colliders.len());
        for (i, c) in colliders.iter().enumerate() {
            if !c.offset.is_finite() {
                return Err(Error::NotFinite { what: "offset of a collider", value: f64::NAN });
            }
            if c.shape.must_be_fixed() && !c.fixed {
                return Err(Error::MustBeFixed { collider: i, what: c.shape.name() });
            }
            solids.push(<Dim<D> as Space<D>>::solid(&c.shape, &c.offset)?);
        }
        let (balls, hits) = (vec![None; colliders.len()], Vec::with_capacity(64));
        Ok(Self { solids, balls, hits, scratch: Default::default() })
    }

    /// Moves all solids; `boxes` gets those around them, grown.
    pub fn place(
        &mut self,
        colliders: &[Collider<D>],
        poses: &[Pose<D>],
        (boxes, grown): (&mut [Aabb<D>], f64),
    ) -> Result<(), Error> {
        if let Some(body) = poses.iter().position(|p| !p.is_finite()) {
            return Err(Error::PoseNotFinite { body });
        }
        for (i, c) in colliders.iter().enumerate() {
            let Some(pose) = poses.get(c.body as usize) else {
                return Err(Error::MissingPose { collider: i, body: c.body, poses: poses.len() });
            };
            self.put(i, pose);
            boxes[i] = self.solids[i].aabb().grown(grown);
        }
        Ok(())
    }

    /// Moves one solid.
    pub fn put(&mut self, i: usize, pose: &Pose<D>) {
        self.solids[i].place(pose);
        self.balls[i] = self.solids[i].ball();
    }

    /// The contacts of two of them, sorted by features.
    #[inline]
    pub fn meet(&mut self, [i, j]: [usize; 2], boxes: &[Aabb<D>], query: &Query<D>) -> Result<&[Hit<D>], Error> {
        let Self { solids, balls, hits, scratch } = self;
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
