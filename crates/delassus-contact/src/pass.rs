//! Skins of deformable solids that would pass through something in one step
//!
//! A node passes a shape if its way, as the shape sees it, begins and ends outside and is inside in between, or
//! changes sides of a chain. A skin passes another if their boxes change places along an axis, facing each other
//! along all others before and after.

use crate::skin::Skin;
use crate::{Aabb, Collider, Dim, Error, Pose, Shape as _, Solid, Space, Vector};

/// Where everything is at one end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a, const D: usize> {
    /// Poses of the bodies.
    pub poses: &'a [Pose<D>],
    /// Positions of the nodes, flat.
    pub nodes: &'a [f64],
}

/// Most places of a way that are looked at.
const MOST: f64 = 64.0;

/// The first collider that a node of the skin passes; `solids` are placed at the beginning.
pub(crate) fn through_shapes<const D: usize>(
    skin: &Skin<D>,
    (colliders, solids): (&[Collider<D>], &mut [<Dim<D> as Space<D>>::Solid]),
    [before, after]: [&Ends<'_, D>; 2],
    t: f64,
) -> Result<Option<usize>, Error>
where
    Dim<D>: Space<D>,
{
    let at = |x: &Ends<'_, D>, n: u32| Vector::<D>::from_column_slice(&x.nodes[D * n as usize..][..D]);
    for (i, c) in colliders.iter().enumerate() {
        let thickness = c.shape.thickness();
        if c.shape.is_unbounded() || (c.group != 0 && c.group == skin.group()) {
            continue;
        }
        let (start, end) = (before.poses[c.body as usize], after.poses[c.body as usize]);
        solids[i].place(&start);
        let bounds = solids[i].aabb();
        for &n in skin.nodes() {
            // As the shape sees it.
            let (from, to) = (at(before, n), start.point(&end.local(&at(after, n))));
            let length = (to - from).norm();
            if length <= thickness || !Aabb::of_points(&[from, to], 0.0).meets(&bounds) {
                continue;
            }
            if passes(&solids[i], [from, to], (length, thickness), t)? {
                return Ok(Some(i));
            }
        }
    }
    Ok(None)
}

fn passes<const D: usize, S: Solid<D>>(
    solid: &S,
    [from, to]: [Vector<D>; 2],
    (length, thickness): (f64, f64),
    t: f64,
) -> Result<bool, Error> {
    let places = if thickness > 0.0 { (2.0 * length / thickness).ceil().clamp(2.0, MOST) } else { MOST };
    let (step, mut last) = (length / places, None);
    for k in 0..=places as usize {
        let p = from + (to - from) * (k as f64 / places);
        let Some(sight) = solid.sight(&p, t, 2.0 * length)? else { return Ok(false) };
        let (outside, ends) = (sight.gap > 0.0, k == 0 || k == places as usize);
        if ends && !outside {
            return Ok(false);
        }
        if !ends && !outside {
            // Does it come out again?
            let end = solid.sight(&to, t, 2.0 * length)?;
            return Ok(end.is_some_and(|s| s.gap > 0.0));
        }
        let turned = |old: &(Vector<D>, f64)| old.0.dot(&sight.normal) < -0.5 && old.1 < step && sight.gap < step;
        if last.as_ref().is_some_and(turned) {
            return Ok(true);
        }
        last = Some((sight.normal, sight.gap));
    }
    Ok(false)
}

/// Whether two skins change places.
pub(crate) fn changes_places<const D: usize>(before: [&Aabb<D>; 2], after: [&Aabb<D>; 2]) -> bool {
    let faces = |[a, b]: [&Aabb<D>; 2], k: usize| a.min[k] <= b.max[k] && b.min[k] <= a.max[k];
    (0..D).any(|k| {
        let swapped = (before[0].max[k] < before[1].min[k] && after[0].min[k] > after[1].max[k])
            || (before[0].min[k] > before[1].max[k] && after[0].max[k] < after[1].min[k]);
        swapped && (0..D).filter(|j| *j != k).all(|j| faces(before, j) && faces(after, j))
    })
}
