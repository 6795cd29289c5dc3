//! Shapes of the bodies as points and polygons, for pictures.

use delassus_contact::{Collider, Dim, Pose, Shape2, Shape3, Space, Surface, Vector};
use delassus_record::{BodyGeometry, Outline};
use delassus_rigid::{Kinematics, RigidModel, State};
use std::sync::Arc;

/// Points of a full circle.
const RESOLUTION: usize = 32;

/// A shape that can be drawn.
pub trait Drawn<const D: usize>: Space<D> {
    /// Its surface; unbounded shapes are cut at `extent`.
    fn surface(shape: &Self::Shape, extent: f64) -> Surface<D>;

    /// Its volume, in the plane its area; zero where it has none.
    fn volume(shape: &Self::Shape) -> f64;

    /// Radius of a disc or sphere.
    fn radius(shape: &Self::Shape) -> Option<f64>;

    /// Radius of what is round, then half sides of a box, or half the axis of a capsule or a cylinder as the last;
    /// zeros where there is none.
    fn measures(shape: &Self::Shape) -> [f64; 4];
}

impl Drawn<2> for Dim<2> {
    fn surface(shape: &Shape2, extent: f64) -> Surface<2> {
        shape.surface(RESOLUTION, extent)
    }

    fn volume(shape: &Shape2) -> f64 {
        shape.mass_properties().map_or(0.0, |m| m.mass)
    }

    fn radius(shape: &Shape2) -> Option<f64> {
        if let Shape2::Disc { radius } = shape { Some(*radius) } else { None }
    }

    fn measures(shape: &Shape2) -> [f64; 4] {
        match shape {
            Shape2::Disc { radius } | Shape2::Cavity { radius } => [*radius, 0.0, 0.0, 0.0],
            Shape2::Capsule { half_length, radius } => [*radius, 0.0, *half_length, 0.0],
            Shape2::Box { half } => [0.0, half[0], half[1], 0.0],
            _ => [0.0; 4],
        }
    }
}

impl Drawn<3> for Dim<3> {
    fn surface(shape: &Shape3, extent: f64) -> Surface<3> {
        shape.surface(RESOLUTION, extent)
    }

    fn volume(shape: &Shape3) -> f64 {
        shape.mass_properties().map_or(0.0, |m| m.mass)
    }

    fn radius(shape: &Shape3) -> Option<f64> {
        if let Shape3::Sphere { radius } = shape { Some(*radius) } else { None }
    }

    fn measures(shape: &Shape3) -> [f64; 4] {
        match shape {
            Shape3::Sphere { radius } | Shape3::Cavity { radius } => [*radius, 0.0, 0.0, 0.0],
            Shape3::Capsule { half_length, radius } => [*radius, 0.0, 0.0, *half_length],
            Shape3::Cylinder { half_height, radius } => [*radius, 0.0, 0.0, *half_height],
            Shape3::Box { half } => [0.0, half[0], half[1], half[2]],
            _ => [0.0; 4],
        }
    }
}

/// The shapes of every collider in the principal axes of its body.
///
/// `decor` are shapes that touch nothing. Balls at the centre of their body share one outline.
pub fn geometry<const D: usize>(
    model: &RigidModel<D>,
    state: &State,
    decor: &[Collider<D>],
    materials: &[String],
) -> Vec<BodyGeometry>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    let extent = extent(model, state);
    let colliders = model.colliders().iter().chain(decor);
    let materials: Vec<Arc<str>> = materials.iter().map(|m| m.as_str().into()).collect();
    let mut ball = None;
    colliders
        .map(|c| {
            let (outline, scale) = match Dim::<D>::radius(&c.shape) {
                Some(radius) if c.offset.position == Vector::<D>::zeros() => {
                    let one = || Dim::<D>::ball_shape(1.0).expect("one is a radius");
                    let unit = || Arc::new(outline(&one(), &Pose::identity(), extent));
                    (ball.get_or_insert_with(unit).clone(), radius)
                }
                _ => (Arc::new(outline(&c.shape, &c.offset.pose(), extent)), 1.0),
            };
            BodyGeometry {
                name: model.bodies()[c.body as usize].name.clone(),
                body: c.body,
                material: materials.get(c.material as usize).cloned().unwrap_or_else(|| "".into()),
                outline,
                scale,
            }
        })
        .collect()
}

fn outline<const D: usize>(shape: &<Dim<D> as Space<D>>::Shape, offset: &Pose<D>, extent: f64) -> Outline
where
    Dim<D>: Drawn<D>,
{
    let surface = Dim::<D>::surface(shape, extent);
    Outline { points: surface.points.iter().map(|x| spatial(offset, x)).collect(), polygons: polygons(&surface) }
}

fn spatial<const D: usize>(offset: &Pose<D>, x: &Vector<D>) -> [f64; 3] {
    let x = offset.point(x);
    std::array::from_fn(|k| if k < D { x[k] } else { 0.0 })
}

/// Open lines become their segments; a shape without polygons is its points.
fn polygons<const D: usize>(surface: &Surface<D>) -> Vec<Vec<u32>> {
    if surface.is_empty() {
        return (0..surface.points.len() as u32).map(|i| vec![i]).collect();
    }
    let all = (0..surface.len()).map(|i| surface.polygon(i));
    match surface.closed {
        true => all.map(<[u32]>::to_vec).collect(),
        false => all.flat_map(|p| p.windows(2).map(<[u32]>::to_vec)).collect(),
    }
}

/// Half size at which half-planes and the like are cut: everything bounded fits.
fn extent<const D: usize>(model: &RigidModel<D>, state: &State) -> f64
where
    Dim<D>: Kinematics<D>,
{
    let mut reach: f64 = 0.0;
    for c in model.colliders().iter().filter(|c| !Dim::<D>::is_unbounded(&c.shape)) {
        let centre = model.centre_pose(state, c.body as usize).then(&c.offset.pose()).position;
        reach = reach.max(centre.amax() + Dim::<D>::bounding_radius(&c.shape));
    }
    if reach > 0.0 { 1.5 * reach } else { 1.0 }
}
