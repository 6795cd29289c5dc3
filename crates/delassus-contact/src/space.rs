//! What differs between the plane and space, as one trait.

use crate::hit::Hit;
use crate::plane::{Shape2, Solid2};
use crate::solid::{Defect, Scratch3, Shape3, Solid3};
use crate::{Aabb, Dim, Error, Pose, Ridge, Rotation, Sight, Vector};

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

/// A shape, in the frame of its collider.
pub trait Shape: Clone + std::fmt::Debug + Send + Sync {
    /// Its kind, as written in scenes and messages.
    fn name(&self) -> &'static str;
    /// Refuses numbers that make no sense.
    fn check(&self) -> Result<(), Error>;
    /// Whether it extends to infinity.
    fn is_unbounded(&self) -> bool;
    /// Whether only fixed bodies may carry it.
    fn must_be_fixed(&self) -> bool {
        false
    }
    /// What keeps its surface from bounding a volume.
    fn defect(&self) -> Option<Defect> {
        None
    }
    /// Radius of the ball around the collider's origin that holds it.
    fn bounding_radius(&self) -> f64;
    /// Half of the least thickness: how deep another body may be and still be pushed out where it came
    /// in \[m\]. Infinite where nothing is on the other side; zero where it is not known.
    fn thickness(&self) -> f64;
    /// Whether it is made of surfaces that are seen one by one, as meshes are.
    fn is_surface(&self) -> bool {
        false
    }
    /// Whether it changes with time.
    fn changes(&self) -> bool {
        false
    }
    /// Whether turning about the collider's origin does not move it.
    fn is_round(&self) -> bool;
}

/// A shape with its place in the world.
pub trait Solid<const D: usize>: Clone + std::fmt::Debug + Send + Sync {
    /// Moves it to the pose of its body.
    fn place(&mut self, body: &Pose<D>);
    /// The box around it.
    fn aabb(&self) -> Aabb<D>;
    /// Centre and radius of a disc, sphere or point.
    fn ball(&self) -> Option<(Vector<D>, f64)>;
    /// Normal and a point of the face of a half-space.
    fn face(&self) -> Option<(Vector<D>, Vector<D>)>;
    /// The closest place to `p`; none where a wall or a mesh is far beyond `reach`. Chains are seen from both sides.
    fn sight(&self, p: &Vector<D>, t: f64, reach: f64) -> Result<Option<Sight<D>>, Error>;
    /// Corners (centres of balls, ends of capsules) and the radius around them; none of unbounded shapes.
    fn corners(&self) -> (&[Vector<D>], f64);
    /// Whether the corners have an inside behind them.
    fn is_solid(&self) -> bool;
    /// Whether a point may touch it at several places, as chains and meshes.
    fn has_parts(&self) -> bool;
    /// Edge `i` of a polyhedron, while there is one.
    fn ridge(&self, _: usize) -> Option<Ridge<D>> {
        None
    }
}

/// What differs between the plane and space. Implemented by `Dim<2>` and `Dim<3>`.
pub trait Space<const D: usize>: Sized {
    /// Shapes of this space.
    type Shape: Shape;
    /// A shape with its place in the world.
    type Solid: Solid<D>;
    /// Memory of the narrow phase.
    type Scratch: Default + Send + Sync;

    /// Whether a shape extends to infinity.
    fn is_unbounded(shape: &Self::Shape) -> bool {
        shape.is_unbounded()
    }
    /// Radius of the ball around the collider's origin that holds the shape.
    fn bounding_radius(shape: &Self::Shape) -> f64 {
        shape.bounding_radius()
    }
    /// Checks a shape and prepares it for detection.
    fn solid(shape: &Self::Shape, offset: &Pose<D>) -> Result<Self::Solid, Error>;
    /// Appends the contacts of a pair.
    fn collide(
        pair: [&Self::Solid; 2],
        query: &Query<D>,
        scratch: &mut Self::Scratch,
        out: &mut Vec<Hit<D>>,
    ) -> Result<(), Error>;
    /// The frame of a contact, its tangents carried from `old` where there is one.
    fn frame(n: &Vector<D>, old: Option<&Rotation<D>>) -> Rotation<D>;

    /// A frame turned by a rotation vector of the world; in the plane its third component counts.
    fn turned(frame: &Rotation<D>, by: &[f64; 3]) -> Rotation<D>;

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
}

impl Space<2> for Dim<2> {
    type Shape = Shape2;
    type Solid = Solid2;
    type Scratch = ();

    fn solid(shape: &Shape2, offset: &Pose<2>) -> Result<Solid2, Error> {
        Solid2::new(shape, offset)
    }
    fn collide([a, b]: [&Solid2; 2], query: &Query<2>, _: &mut (), out: &mut Vec<Hit<2>>) -> Result<(), Error> {
        crate::plane::collide(a, b, query, out)
    }
    fn frame(n: &Vector<2>, _: Option<&Rotation<2>>) -> Rotation<2> {
        crate::frame::frame2(n)
    }
    fn turned(frame: &Rotation<2>, by: &[f64; 3]) -> Rotation<2> {
        let (s, c) = libm::sincos(by[2]);
        Rotation::<2>::new(c, -s, s, c) * frame
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
}

impl Space<3> for Dim<3> {
    type Shape = Shape3;
    type Solid = Solid3;
    type Scratch = Scratch3;

    fn solid(shape: &Shape3, offset: &Pose<3>) -> Result<Solid3, Error> {
        Solid3::new(shape, offset)
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
    fn turned(frame: &Rotation<3>, by: &[f64; 3]) -> Rotation<3> {
        let by = Vector::<3>::from(*by);
        by.try_normalize(0.0).map_or(*frame, |axis| crate::pose::rotation3(&axis, by.norm()) * frame)
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
}
