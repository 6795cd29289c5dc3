//! What differs between the plane and space, as one trait.

use crate::hit::Hit;
use crate::plane::{Shape2, Solid2};
use crate::solid::{Scratch3, Shape3, Solid3};
use crate::{Aabb, Dim, Error, Pose, Ridge, Rotation, Sight, Vector, Wall};

/// What a pair is asked.
#[derive(Clone, Copy, Debug)]
pub struct Query<const D: usize> {
    /// Translation of the second shape.
    pub shift: Vector<D>,
    /// Contacts with a larger gap are left out \[m\].
    pub margin: f64,
    /// Time, for analytic walls \[s\].
    pub t: f64,
}

impl<const D: usize> Query<D> {
    /// For the pair in the other order, seen from the frame of the second.
    pub(crate) fn reversed(&self) -> Self {
        Self { shift: -self.shift, ..*self }
    }
}

/// What differs between the plane and space. Implemented by `Dim<2>` and `Dim<3>`.
pub trait Space<const D: usize>: Sized {
    /// Shapes of this space.
    type Shape: Clone + std::fmt::Debug + Send + Sync;
    /// A shape with its place in the world.
    type Solid: Clone + std::fmt::Debug + Send + Sync;
    /// Memory of the narrow phase.
    type Scratch: Default + Send + Sync;

    /// Name of a shape.
    fn name(shape: &Self::Shape) -> &'static str;
    /// Whether a shape extends to infinity.
    fn is_unbounded(shape: &Self::Shape) -> bool;
    /// Whether only fixed bodies may carry it.
    fn must_be_fixed(shape: &Self::Shape) -> bool;
    /// Radius of the ball around the collider's origin that holds the shape.
    fn bounding_radius(shape: &Self::Shape) -> f64;
    /// Checks a shape and prepares it for detection.
    fn solid(shape: &Self::Shape, offset: &Pose<D>) -> Result<Self::Solid, Error>;
    /// Moves a solid to the pose of its body.
    fn place(solid: &mut Self::Solid, body: &Pose<D>);
    /// The box around a placed solid.
    fn aabb(solid: &Self::Solid) -> Aabb<D>;
    /// Centre and radius of a placed disc, sphere or point.
    fn ball(solid: &Self::Solid) -> Option<(Vector<D>, f64)>;
    /// Appends the contacts of a pair.
    fn collide(
        pair: [&Self::Solid; 2],
        query: &Query<D>,
        scratch: &mut Self::Scratch,
        out: &mut Vec<Hit<D>>,
    ) -> Result<(), Error>;
    /// The frame of a contact, its tangents carried from `old` where there is one.
    fn frame(n: &Vector<D>, old: Option<&Rotation<D>>) -> Rotation<D>;

    /// The closest place of a placed solid to `p`; none where a wall or a mesh is far beyond `reach`.
    fn sight(solid: &Self::Solid, p: &Vector<D>, t: f64, reach: f64) -> Result<Option<Sight<D>>, Error>;
    /// Corners of a placed solid (centres of balls, ends of capsules) and the radius around them.
    fn corners(solid: &Self::Solid) -> (&[Vector<D>], f64);
    /// Whether the corners have an inside behind them.
    fn is_solid(solid: &Self::Solid) -> bool;
    /// Whether a point may touch it at several places, as chains and meshes.
    fn has_parts(solid: &Self::Solid) -> bool;
    /// Edge `i` of a placed polyhedron, while there is one.
    fn ridge(solid: &Self::Solid, i: usize) -> Option<Ridge<D>>;

    /// A particle without size.
    fn point() -> Self::Shape;
    /// A ball (disc).
    fn ball_shape(radius: f64) -> Result<Self::Shape, Error>;
    /// Everything but a ball (disc).
    fn cavity(radius: f64) -> Result<Self::Shape, Error>;
    /// A box (rectangle) of given sides.
    fn cuboid(sides: [f64; D]) -> Result<Self::Shape, Error>;
    /// A capsule, and the rotation that lays its axis along a unit vector.
    fn capsule(half_length: f64, radius: f64, axis: &Vector<D>) -> Result<(Self::Shape, Rotation<D>), Error>;
    /// Everything on the side of the origin opposite to `normal`.
    fn half_space(normal: [f64; D]) -> Result<Self::Shape, Error>;
    /// An analytic wall.
    fn wall(wall: Wall<D>) -> Self::Shape;
}

impl Space<2> for Dim<2> {
    type Shape = Shape2;
    type Solid = Solid2;
    type Scratch = ();

    fn name(shape: &Shape2) -> &'static str {
        shape.name()
    }
    fn is_unbounded(shape: &Shape2) -> bool {
        shape.is_unbounded()
    }
    fn must_be_fixed(_: &Shape2) -> bool {
        false
    }
    fn bounding_radius(shape: &Shape2) -> f64 {
        shape.bounding_radius()
    }
    fn solid(shape: &Shape2, offset: &Pose<2>) -> Result<Solid2, Error> {
        Solid2::new(shape, offset)
    }
    fn place(solid: &mut Solid2, body: &Pose<2>) {
        solid.place(body);
    }
    fn aabb(solid: &Solid2) -> Aabb<2> {
        solid.aabb()
    }
    fn ball(solid: &Solid2) -> Option<(Vector<2>, f64)> {
        solid.ball()
    }
    fn collide([a, b]: [&Solid2; 2], query: &Query<2>, _: &mut (), out: &mut Vec<Hit<2>>) -> Result<(), Error> {
        crate::plane::collide(a, b, query, out)
    }
    fn frame(n: &Vector<2>, _: Option<&Rotation<2>>) -> Rotation<2> {
        crate::frame::frame2(n)
    }

    fn sight(solid: &Solid2, p: &Vector<2>, t: f64, reach: f64) -> Result<Option<Sight<2>>, Error> {
        solid.sight(p, t, reach)
    }
    fn corners(solid: &Solid2) -> (&[Vector<2>], f64) {
        solid.corners()
    }
    fn is_solid(solid: &Solid2) -> bool {
        solid.is_solid()
    }
    fn has_parts(solid: &Solid2) -> bool {
        solid.has_parts()
    }
    fn ridge(_: &Solid2, _: usize) -> Option<Ridge<2>> {
        None
    }

    fn point() -> Shape2 {
        Shape2::Point
    }
    fn ball_shape(radius: f64) -> Result<Shape2, Error> {
        Shape2::disc(radius)
    }
    fn cavity(radius: f64) -> Result<Shape2, Error> {
        Shape2::cavity(radius)
    }
    fn cuboid(sides: [f64; 2]) -> Result<Shape2, Error> {
        Shape2::rectangle(sides[0], sides[1])
    }
    fn capsule(half_length: f64, radius: f64, axis: &Vector<2>) -> Result<(Shape2, Rotation<2>), Error> {
        let turned = Rotation::<2>::new(axis.x, -axis.y, axis.y, axis.x);
        Ok((Shape2::capsule(half_length, radius)?, turned))
    }
    fn half_space(normal: [f64; 2]) -> Result<Shape2, Error> {
        Shape2::half_plane(normal)
    }
    fn wall(wall: Wall<2>) -> Shape2 {
        Shape2::Wall(wall)
    }
}

impl Space<3> for Dim<3> {
    type Shape = Shape3;
    type Solid = Solid3;
    type Scratch = Scratch3;

    fn name(shape: &Shape3) -> &'static str {
        shape.name()
    }
    fn is_unbounded(shape: &Shape3) -> bool {
        shape.is_unbounded()
    }
    fn must_be_fixed(shape: &Shape3) -> bool {
        shape.must_be_fixed()
    }
    fn bounding_radius(shape: &Shape3) -> f64 {
        shape.bounding_radius()
    }
    fn solid(shape: &Shape3, offset: &Pose<3>) -> Result<Solid3, Error> {
        Solid3::new(shape, offset)
    }
    fn place(solid: &mut Solid3, body: &Pose<3>) {
        solid.place(body);
    }
    fn aabb(solid: &Solid3) -> Aabb<3> {
        solid.aabb()
    }
    fn ball(solid: &Solid3) -> Option<(Vector<3>, f64)> {
        solid.ball()
    }
    fn collide(
        [a, b]: [&Solid3; 2],
        query: &Query<3>,
        scratch: &mut Scratch3,
        out: &mut Vec<Hit<3>>,
    ) -> Result<(), Error> {
        crate::solid::collide(a, b, query, scratch, out)
    }
    fn frame(n: &Vector<3>, old: Option<&Rotation<3>>) -> Rotation<3> {
        match old {
            Some(old) => crate::frame::transport3(old, n),
            None => crate::frame::frame3(n),
        }
    }

    fn sight(solid: &Solid3, p: &Vector<3>, t: f64, reach: f64) -> Result<Option<Sight<3>>, Error> {
        solid.sight(p, t, reach)
    }
    fn corners(solid: &Solid3) -> (&[Vector<3>], f64) {
        solid.corners()
    }
    fn is_solid(solid: &Solid3) -> bool {
        solid.is_solid()
    }
    fn has_parts(solid: &Solid3) -> bool {
        solid.has_parts()
    }
    fn ridge(solid: &Solid3, i: usize) -> Option<Ridge<3>> {
        solid.ridge(i)
    }

    fn point() -> Shape3 {
        Shape3::Point
    }
    fn ball_shape(radius: f64) -> Result<Shape3, Error> {
        Shape3::sphere(radius)
    }
    fn cavity(radius: f64) -> Result<Shape3, Error> {
        Shape3::cavity(radius)
    }
    fn cuboid(sides: [f64; 3]) -> Result<Shape3, Error> {
        Shape3::cuboid(sides)
    }
    fn capsule(half_length: f64, radius: f64, axis: &Vector<3>) -> Result<(Shape3, Rotation<3>), Error> {
        // Columns (t1, t2, n): z along the axis.
        let f = crate::frame::frame3(axis);
        let turned = Rotation::<3>::from_columns(&[f.column(1), f.column(2), f.column(0)]);
        Ok((Shape3::capsule(half_length, radius)?, turned))
    }
    fn half_space(normal: [f64; 3]) -> Result<Shape3, Error> {
        Shape3::half_space(normal)
    }
    fn wall(wall: Wall<3>) -> Shape3 {
        Shape3::Wall(wall)
    }
}
