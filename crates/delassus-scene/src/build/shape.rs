//! Shapes of the description as shapes of the contact geometry.

use crate::description::{Heights, Shape};
use crate::diagnostic::Problem;
use crate::files::Files;
use crate::formula::Parameters;
use crate::mesh;
use delassus_contact::{Dim, Error, Shape2, Shape3, Space};

/// What a shape needs from the scene.
pub struct Context<'a> {
    /// Meshes.
    pub files: &'a Files,
    /// Values of parameters.
    pub parameters: &'a Parameters,
    /// The body, in words, for messages.
    pub body: &'a str,
}

impl Context<'_> {
    fn refuse(&self, error: Error) -> Problem {
        Problem::Shape { body: self.body.to_owned(), message: error.to_string() }
    }

    fn wrong_dimension(&self, shape: &Shape, there: &str) -> Problem {
        let what = format!("the shape `{}` of {} exists in {there} only", word(shape), self.body);
        Problem::Inconsistent { what }
    }

    /// An array of exactly `N` numbers.
    fn array<const N: usize>(&self, key: &str, values: &[f64]) -> Result<[f64; N], Problem> {
        values.try_into().map_err(|_| Problem::WrongLength {
            key: format!("{key} of {}", self.body),
            expected: format!("{N} items"),
            found: values.len(),
        })
    }

    fn points<const N: usize>(&self, values: &[Vec<f64>]) -> Result<Vec<[f64; N]>, Problem> {
        values.iter().map(|v| self.array("points", v)).collect()
    }

    /// The text of a wall with the parameters put in.
    fn wall(&self, text: &str, variables: &[&str]) -> Result<String, Problem> {
        Ok(self.parameters.expression(text, variables)?.text().to_owned())
    }
}

/// A dimension in which scenes can be built.
pub trait Shapes<const D: usize>: Space<D> {
    /// The shape, checked.
    fn shape(shape: &Shape, context: &Context<'_>) -> Result<Self::Shape, Problem>;
}

impl Shapes<2> for Dim<2> {
    fn shape(shape: &Shape, context: &Context<'_>) -> Result<Shape2, Problem> {
        let made = match shape {
            Shape::Point {} => Ok(Shape2::Point),
            Shape::Disc { radius } => Shape2::disc(*radius),
            Shape::Capsule { length, radius } => Shape2::capsule(0.5 * length, *radius),
            Shape::Segment { from, to } => Shape2::segment(context.array("from", from)?, context.array("to", to)?),
            Shape::Box { size } => {
                let [width, height] = context.array("size", size)?;
                Shape2::rectangle(width, height)
            }
            Shape::Polygon { points } => Shape2::polygon(&context.points(points)?),
            Shape::RegularPolygon { sides, radius } => Shape2::polygon(&regular(*sides, *radius)),
            Shape::Polyline { points, closed } => Shape2::polyline(&context.points(points)?, *closed),
            Shape::HalfPlane { normal } => {
                Shape2::half_plane(context.array("normal", normal.as_deref().unwrap_or(&[0.0, 1.0]))?)
            }
            Shape::Wall { inside } => Shape2::wall(&context.wall(inside, &["t", "x", "y"])?),
            Shape::Sphere { .. }
            | Shape::Cylinder { .. }
            | Shape::HalfSpace { .. }
            | Shape::Polyhedron { .. }
            | Shape::Mesh { .. }
            | Shape::Surface { .. }
            | Shape::HeightField { .. } => return Err(context.wrong_dimension(shape, "space (dimension = 3)")),
        };
        made.map_err(|e| context.refuse(e))
    }
}

impl Shapes<3> for Dim<3> {
    fn shape(shape: &Shape, context: &Context<'_>) -> Result<Shape3, Problem> {
        let made = match shape {
            Shape::Point {} => Ok(Shape3::Point),
            Shape::Sphere { radius } => Shape3::sphere(*radius),
            Shape::Capsule { length, radius } => Shape3::capsule(0.5 * length, *radius),
            Shape::Cylinder { length, radius } => Shape3::cylinder(0.5 * length, *radius),
            Shape::Box { size } => Shape3::cuboid(context.array("size", size)?),
            Shape::HalfSpace { normal } => {
                Shape3::half_space(context.array("normal", normal.as_deref().unwrap_or(&[0.0, 0.0, 1.0]))?)
            }
            Shape::Polyhedron { points } => Shape3::polyhedron(&context.points(points)?),
            Shape::Mesh { file, scale, convex } => return surface(file, *scale, *convex, context),
            Shape::Surface { points, triangles } => {
                let corner = |t: &Vec<u32>| <[u32; 3]>::try_from(t.as_slice());
                let corners: Result<Vec<_>, _> = triangles.iter().map(corner).collect();
                let expected = "3 items each".to_owned();
                let corners =
                    corners.map_err(|_| Problem::WrongLength { key: "triangles".into(), expected, found: 0 })?;
                Shape3::mesh(&context.points(points)?, &corners)
            }
            Shape::HeightField { size, heights, cells } => {
                let (n, values) = grid(size, heights, cells.as_deref(), context)?;
                Shape3::height_field(context.array("size", size)?, n, &values)
            }
            Shape::Wall { inside } => Shape3::wall(&context.wall(inside, &["t", "x", "y", "z"])?),
            Shape::Disc { .. }
            | Shape::Segment { .. }
            | Shape::Polygon { .. }
            | Shape::RegularPolygon { .. }
            | Shape::Polyline { .. }
            | Shape::HalfPlane { .. } => return Err(context.wrong_dimension(shape, "the plane (dimension = 2)")),
        };
        made.map_err(|e| context.refuse(e))
    }
}

fn regular(sides: u32, radius: f64) -> Vec<[f64; 2]> {
    let step = std::f64::consts::TAU / f64::from(sides);
    let start = -std::f64::consts::FRAC_PI_2 + 0.5 * step;
    (0..sides)
        .map(|k| {
            let (sin, cos) = libm::sincos(start + f64::from(k) * step);
            [radius * cos, radius * sin]
        })
        .collect()
}

fn surface(file: &str, scale: f64, convex: bool, context: &Context<'_>) -> Result<Shape3, Problem> {
    let surface = mesh::read(context.files, file, scale)?;
    let made =
        if convex { Shape3::polyhedron(&surface.points) } else { Shape3::mesh(&surface.points, &surface.triangles) };
    made.map_err(|e| Problem::Mesh { file: file.to_owned(), message: e.to_string() })
}

/// Numbers of points along x and y, and the heights, x fastest.
fn grid(
    size: &[f64],
    heights: &Heights,
    cells: Option<&[u32]>,
    context: &Context<'_>,
) -> Result<([usize; 2], Vec<f64>), Problem> {
    match heights {
        Heights::Values(rows) => {
            let width = rows.first().map_or(0, Vec::len);
            if let Some(row) = rows.iter().find(|r| r.len() != width) {
                let expected = format!("rows of {width} values, as the first");
                return Err(Problem::WrongLength { key: "heights".into(), expected, found: row.len() });
            }
            Ok(([width, rows.len()], rows.concat()))
        }
        Heights::Formula(formula) => {
            let Some(&[across, along]) = cells else {
                return Err(Problem::MissingKey { parent: "height_field".into(), key: "cells".into() });
            };
            let n = [across as usize + 1, along as usize + 1];
            let text = formula.text();
            let expression = context.parameters.expression(&text, &["x", "y"])?;
            let mut values = Vec::with_capacity(n[0] * n[1]);
            for j in 0..n[1] {
                for i in 0..n[0] {
                    let x = size[0] * (i as f64 / f64::from(across) - 0.5);
                    let y = size[1] * (j as f64 / f64::from(along) - 0.5);
                    let value = expression.value(&[x, y]);
                    if !value.is_finite() {
                        let at = format!("at x = {x}, y = {y}");
                        return Err(Problem::ExpressionValue { text, value, at });
                    }
                    values.push(value);
                }
            }
            Ok((n, values))
        }
    }
}

/// The word that names a shape in a scene.
pub fn word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Point {} => "point",
        Shape::Disc { .. } => "disc",
        Shape::Sphere { .. } => "sphere",
        Shape::Capsule { .. } => "capsule",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Segment { .. } => "segment",
        Shape::Box { .. } => "box",
        Shape::Polygon { .. } => "polygon",
        Shape::RegularPolygon { .. } => "regular_polygon",
        Shape::Polyline { .. } => "polyline",
        Shape::HalfPlane { .. } => "half_plane",
        Shape::HalfSpace { .. } => "half_space",
        Shape::Polyhedron { .. } => "polyhedron",
        Shape::Mesh { .. } => "mesh",
        Shape::Surface { .. } => "surface",
        Shape::HeightField { .. } => "height_field",
        Shape::Wall { .. } => "wall",
    }
}

/// Whether a body of this shape cannot move freely.
pub fn is_obstacle(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Segment { .. }
            | Shape::Polyline { .. }
            | Shape::HalfPlane { .. }
            | Shape::HalfSpace { .. }
            | Shape::HeightField { .. }
            | Shape::Wall { .. }
    )
}
