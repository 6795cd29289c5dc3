//! A box of rock cut into convex blocks: Voronoi cells, sets of joints, or both
//!
//! ```text
//! cell of seed i    { x : |x − s_i| ≤ |x − s_j| for all j }
//! joint set         n·x = n·x₀ + offset + (k + scatter) spacing,   k integer, x₀ the middle of the box
//! ```
//!
//! The blocks fill the box without gap or overlap.

use super::{Made, of_length, random};
use crate::description::{Blocks, Body, Dimension, JointSet, Shape};
use crate::diagnostic::Problem;
use delassus_arlequin::{HalfSpace, Polytope, Vector};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Corners within this part of the size of the box are one.
const THIN: f64 = 1e-9;
/// Blocks that a scene may be cut into.
const MOST: usize = 1_000_000;

pub fn make(blocks: &Blocks, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let min = of_length("region.min", &blocks.region.min, dimension)?;
    let max = of_length("region.max", &blocks.region.max, dimension)?;
    if min.iter().zip(max).any(|(a, b)| !(a < b)) {
        let what = format!("`region.min` = {min:?} must be below `region.max` = {max:?}");
        return Err(Problem::Inconsistent { what });
    }
    if blocks.cells.is_none() && blocks.joints.is_empty() {
        let what = "`blocks` are cut by `cells`, a number of Voronoi cells, or by `joints`, sets of planes".to_owned();
        return Err(Problem::Inconsistent { what });
    }
    match dimension {
        Dimension::Plane => cut::<2>(blocks, [min, max]),
        Dimension::Space => cut::<3>(blocks, [min, max]),
    }
}

fn cut<const D: usize>(blocks: &Blocks, [min, max]: [&Vec<f64>; 2]) -> Result<Vec<Made>, Problem> {
    let corner = |x: &Vec<f64>| Vector::<D>::from_fn(|k, _| x[k]);
    let (min, max) = (corner(min), corner(max));
    let thin = THIN * (max - min).norm();
    let mut rng = random(blocks.seed);
    let mut pieces = match blocks.cells {
        Some(count) => cells(count as usize, [min, max], thin, &mut rng),
        None => vec![whole([min, max])],
    };
    for set in &blocks.joints {
        pieces = split(pieces, set, [min, max], thin, &mut rng)?;
    }
    let width = pieces.len().saturating_sub(1).to_string().len();
    Ok(pieces.iter().enumerate().map(|(i, p)| Made::new(format!("{i:0width$}"), body(p, thin))).collect())
}

/// The box, face by face.
fn whole<const D: usize>([min, max]: [Vector<D>; 2]) -> Polytope<D> {
    let at = |bits: [bool; 3]| Vector::<D>::from_fn(|k, _| if bits[k] { max[k] } else { min[k] });
    // Around each face: its axis is held, the two others go in turn.
    let face = |axis: usize, high: bool| {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        [[false, false], [true, false], [true, true], [false, true]].map(|[p, q]| {
            let mut bits = [false; 3];
            (bits[axis], bits[a], bits[b]) = (high, p, q);
            at(bits)
        })
    };
    match D {
        2 => Polytope::new(vec![face(2, false).to_vec()]),
        _ => Polytope::new((0..6).map(|k| face(k / 2, k % 2 == 1).to_vec()).collect()),
    }
}

/// The Voronoi cells of random points.
fn cells<const D: usize>(count: usize, edges: [Vector<D>; 2], thin: f64, rng: &mut ChaCha8Rng) -> Vec<Polytope<D>> {
    let [min, max] = edges;
    let seeds: Vec<Vector<D>> =
        (0..count).map(|_| Vector::from_fn(|k, _| min[k] + (max[k] - min[k]) * rng.random::<f64>())).collect();
    let mut order: Vec<usize> = (0..count).collect();
    let mut all = vec![];
    for s in &seeds {
        let mut cell = whole(edges);
        // Nearest first: what is farther than twice the farthest corner cannot cut.
        order.sort_by(|a, b| (seeds[*a] - s).norm_squared().total_cmp(&(seeds[*b] - s).norm_squared()));
        for other in order.iter().skip(1).map(|j| seeds[*j]) {
            let apart = other - s;
            let distance = apart.norm();
            let reach = cell.corners().map(|x| (x - s).norm()).fold(0.0, f64::max);
            if distance > 2.0 * reach {
                break;
            }
            if distance > 0.0 {
                let normal = apart / distance;
                cell.clip(&HalfSpace::new(normal, normal.dot(&((s + other) * 0.5))), thin);
            }
        }
        all.push(cell);
    }
    all
}

/// Every piece along the planes of a set.
fn split<const D: usize>(
    mut pieces: Vec<Polytope<D>>,
    set: &JointSet,
    [min, max]: [Vector<D>; 2],
    thin: f64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Polytope<D>>, Problem> {
    let given = of_length("normal", &set.normal, if D == 2 { Dimension::Plane } else { Dimension::Space })?;
    let normal = Vector::<D>::from_fn(|k, _| given[k]);
    if !(normal.norm() > 0.0) {
        return Err(Problem::Inconsistent { what: "the normal of a joint set must not be zero".into() });
    }
    let normal = normal.normalize();
    let middle = normal.dot(&((min + max) * 0.5)) + set.offset;
    let reach = 0.5 * (max - min).dot(&normal.abs()) + set.offset.abs();
    let most = (reach / set.spacing).ceil();
    if most * 2.0 + 1.0 > MOST as f64 {
        let what = format!("a joint set of spacing {} makes more than {MOST} planes", set.spacing);
        return Err(Problem::Inconsistent { what });
    }
    for k in -(most as i64)..=(most as i64) {
        let moved = set.scatter * (2.0 * rng.random::<f64>() - 1.0);
        let at = middle + (k as f64 + moved) * set.spacing;
        let mut next = Vec::with_capacity(pieces.len());
        for mut below in pieces {
            let mut above = below.clone();
            let sides =
                [below.clip(&HalfSpace::new(normal, at), thin), above.clip(&HalfSpace::new(-normal, -at), thin)];
            next.extend([below, above].into_iter().zip(sides).filter(|(_, left)| *left).map(|(p, _)| p));
        }
        pieces = next;
        if pieces.len() > MOST {
            return Err(Problem::Inconsistent { what: format!("more than {MOST} blocks") });
        }
    }
    Ok(pieces)
}

/// A body with its origin in the middle of the corners.
fn body<const D: usize>(piece: &Polytope<D>, thin: f64) -> Body {
    let mut corners: Vec<Vector<D>> = vec![];
    for x in piece.corners() {
        if corners.iter().all(|y| (x - y).norm() > 4.0 * thin) {
            corners.push(*x);
        }
    }
    let middle = corners.iter().sum::<Vector<D>>() / corners.len().max(1) as f64;
    let points = corners.iter().map(|x| (x - middle).iter().copied().collect()).collect();
    let shape = if D == 2 { Shape::Polygon { points } } else { Shape::Polyhedron { points } };
    Body { shape: Some(shape), position: Some(middle.iter().copied().collect()), ..Body::default() }
}
