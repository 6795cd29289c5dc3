//! What can be wrong with shapes, colliders and poses.

use crate::expression::ExpressionError;

/// Errors of the contact geometry; each carries the value at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A length that must be finite and positive.
    #[error("{what} must be finite and positive, not {value}")]
    NotPositive {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must be finite.
    #[error("{what} is not finite: {value}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Too few points for the shape.
    #[error("{what} needs at least {needed} distinct points, got {got}")]
    TooFewPoints {
        /// Which shape.
        what: &'static str,
        /// How many are needed.
        needed: usize,
        /// How many distinct points were given.
        got: usize,
    },
    /// A polygon that is not convex.
    #[error("the polygon is not convex at vertex {vertex}")]
    NotConvex {
        /// The vertex where it turns the wrong way.
        vertex: usize,
    },
    /// Points without area or volume.
    #[error("{what} is degenerate: its measure is {measure}")]
    Degenerate {
        /// Which shape.
        what: &'static str,
        /// Area or volume found.
        measure: f64,
    },
    /// Two consecutive points coincide.
    #[error("{what}: points {first} and {second} coincide")]
    Coincident {
        /// Which shape.
        what: &'static str,
        /// Index of the first.
        first: usize,
        /// Index of the second.
        second: usize,
    },
    /// A triangle refers to a point that does not exist.
    #[error("triangle {triangle} refers to point {index}, but there are {points} points")]
    BadIndex {
        /// The triangle.
        triangle: usize,
        /// The index at fault.
        index: u32,
        /// Number of points.
        points: usize,
    },
    /// A mesh without orientation or thickness has no mass.
    #[error("{what} has no finite mass: give the mass and inertia of the body")]
    NoMass {
        /// Which shape.
        what: &'static str,
    },
    /// A grid of heights of the wrong size.
    #[error("a height field of {nx} × {ny} points needs {needed} heights, got {got}")]
    BadGrid {
        /// Points along x.
        nx: usize,
        /// Points along y.
        ny: usize,
        /// Number needed.
        needed: usize,
        /// Number given.
        got: usize,
    },
    /// An expression that does not parse.
    #[error("{0}")]
    Expression(#[from] ExpressionError),
    /// The wall's function gave no number, or has no gradient, where it is needed.
    #[error("the wall '{wall}' gives f = {value}, |grad f| = {gradient} at t = {t}, x = {at:?}")]
    WallUndefined {
        /// Its expression.
        wall: String,
        /// Value of f.
        value: f64,
        /// Norm of the gradient.
        gradient: f64,
        /// Time.
        t: f64,
        /// Place, in the frame of the wall.
        at: Vec<f64>,
    },
    /// A collider refers to a body that has no pose.
    #[error("collider {collider} is on body {body}, but {poses} poses were given")]
    MissingPose {
        /// The collider.
        collider: usize,
        /// Its body.
        body: u32,
        /// Number of poses.
        poses: usize,
    },
    /// A pose that holds a number that is not finite.
    #[error("the pose of body {body} is not finite")]
    PoseNotFinite {
        /// The body.
        body: usize,
    },
    /// A shape that only a fixed body may carry.
    #[error("collider {collider}: {what} can only be on a fixed body")]
    MustBeFixed {
        /// The collider.
        collider: usize,
        /// Which shape.
        what: &'static str,
    },
    /// The skin of a deformable solid.
    #[error("skin {skin}: {reason}")]
    Skin {
        /// The skin.
        skin: usize,
        /// Why.
        reason: Box<crate::skin::ContactError>,
    },
    /// Two skins with a node in common, which would touch there for ever.
    #[error("skins {} and {} share node {node}: make them one skin that may touch itself", skins[0], skins[1])]
    SharedNode {
        /// The skins.
        skins: [usize; 2],
        /// The node.
        node: u32,
    },
    /// Skins have no periodic images.
    #[error("deformable skins have no periodic images: remove the period along axis {axis}")]
    PeriodicSkin {
        /// The periodic axis.
        axis: usize,
    },
    /// A body drifted out of what can be counted.
    #[error("collider {collider} is {periods:.0} periods from the periodic box; at most 1e9 are counted")]
    ImageOverflow {
        /// The collider.
        collider: usize,
        /// Number of periods.
        periods: f64,
    },
    /// A sheared box is periodic along the flow and its gradient.
    #[error("a sheared box is periodic along both axes of the shear: axis {axis} has no period")]
    ShearedOpen {
        /// The axis.
        axis: usize,
    },
    /// A box is sheared across its images.
    #[error("images along axis {axis} are displaced along another axis")]
    ShearedAlong {
        /// The axis.
        axis: usize,
    },
    /// A body is larger than its periodic box.
    #[error("collider {collider} spans {size} along axis {axis}, the periodic box only {period}")]
    LargerThanPeriod {
        /// The collider.
        collider: usize,
        /// The axis.
        axis: usize,
        /// Its extent.
        size: f64,
        /// The period.
        period: f64,
    },
}

impl Error {
    /// The collider it speaks of.
    fn collider(&self) -> Option<usize> {
        match self {
            Self::MissingPose { collider, .. }
            | Self::MustBeFixed { collider, .. }
            | Self::ImageOverflow { collider, .. }
            | Self::LargerThanPeriod { collider, .. } => Some(*collider),
            _ => None,
        }
    }

    /// Its words, with the name of the body that carries the collider, or is at the pose, it speaks of.
    pub fn with_name(&self, name: &dyn Fn(NumberOf) -> Option<String>) -> String {
        let text = self.to_string();
        let (number, body) = match (self.collider(), self) {
            (Some(i), _) => (format!("collider {i}"), name(NumberOf::Collider(i))),
            (None, Self::PoseNotFinite { body }) => (format!("body {body}"), name(NumberOf::Body(*body))),
            _ => return text,
        };
        body.map_or(text.clone(), |b| text.replacen(&number, &format!("`{b}`"), 1))
    }
}

/// What a message counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberOf {
    /// A collider.
    Collider(usize),
    /// A body.
    Body(usize),
}

/// Refuses numbers that are not finite and positive.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(Error::NotPositive { what, value }) }
}

/// Refuses numbers that are not finite.
pub(crate) fn finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(Error::NotFinite { what, value }),
    }
}
