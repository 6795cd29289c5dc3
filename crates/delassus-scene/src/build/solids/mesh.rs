//! Meshes from their descriptions.

use super::super::forces::Fault;
use super::{inconsistent, spatial};
use crate::description::{self as says, MeshForm, Selection};
use crate::diagnostic::Problem;
use crate::scene::Scene;
use delassus_fem::mesh::generate::{Ball, BallPart, Cuboid, Cylinder, Disc, DiscPart, Grading, Rectangle, Tube};
use delassus_fem::mesh::{CellKind, Mesh, MeshError};

/// Makes a mesh, checks it and adds its groups.
pub(crate) fn mesh(scene: &Scene, name: &str, described: &says::Mesh) -> Result<Mesh, Fault> {
    let dimension = scene.description.dimension.number();
    let kind = kind(described.element, dimension)?;
    let refuse = |e: MeshError| ("kind", invalid(name, &e));
    let mut mesh = match &described.form {
        MeshForm::Block(block) => self::block(block, kind, dimension, name)?,
        MeshForm::Disc(disc) => {
            only(dimension, 2, "disc")?;
            self::disc(disc, kind).mesh().map_err(refuse)?
        }
        MeshForm::Ball(ball) => {
            only(dimension, 3, "ball")?;
            self::ball(ball, kind).mesh().map_err(refuse)?
        }
        MeshForm::Cylinder(cylinder) => {
            only(dimension, 3, "cylinder")?;
            self::cylinder(cylinder, kind).mesh().map_err(refuse)?
        }
        MeshForm::Tube(tube) => self::tube(tube, kind, dimension)?.mesh().map_err(refuse)?,
        MeshForm::File(file) => {
            if described.element.is_some() {
                return Err(("element", inconsistent("the file says what its cells are: leave out `element`")));
            }
            read(scene, file)?
        }
    };
    if mesh.dim != dimension {
        let what = format!("the mesh `{name}` has dimension {}, the scene {dimension}", mesh.dim);
        return Err(("kind", inconsistent(what)));
    }
    for (group, selection) in &described.group {
        select(&mut mesh, group, selection, dimension)?;
    }
    mesh.validate().map_err(|e| ("kind", invalid(name, &e)))?;
    Ok(mesh)
}

fn invalid(name: &str, error: &MeshError) -> Problem {
    Problem::Mesh { file: name.to_owned(), message: error.to_string() }
}

fn only(dimension: usize, wanted: usize, what: &str) -> Result<(), Fault> {
    let there = if wanted == 2 { "the plane (dimension = 2)" } else { "space (dimension = 3)" };
    match dimension == wanted {
        true => Ok(()),
        false => Err(("kind", inconsistent(format!("the mesh `{what}` exists in {there} only")))),
    }
}

fn kind(element: Option<says::Element>, dimension: usize) -> Result<CellKind, Fault> {
    use says::Element::{Hex8, Quad4, Quad8, Tet4, Tet10, Tri3, Tri6};
    let Some(element) = element else { return Ok(if dimension == 2 { CellKind::Quad4 } else { CellKind::Hex8 }) };
    let (kind, dim) = match element {
        Tri3 => (CellKind::Tri3, 2),
        Tri6 => (CellKind::Tri6, 2),
        Quad4 => (CellKind::Quad4, 2),
        Quad8 => (CellKind::Quad8, 2),
        Tet4 => (CellKind::Tet4, 3),
        Tet10 => (CellKind::Tet10, 3),
        Hex8 => (CellKind::Hex8, 3),
    };
    match dim == dimension {
        true => Ok(kind),
        false => {
            let there = if dimension == 2 { "tri3, tri6, quad4 or quad8" } else { "tet4, tet10 or hex8" };
            Err(("element", inconsistent(format!("cells of a scene of dimension {dimension} are {there}"))))
        }
    }
}

fn graded(ratio: f64) -> Grading {
    if ratio == 1.0 { Grading::Uniform } else { Grading::Geometric(ratio) }
}

fn block(block: &says::Block, kind: CellKind, dimension: usize, name: &str) -> Result<Mesh, Fault> {
    let size = spatial("size", &block.size, dimension)?;
    let found = block.cells.len();
    if found != dimension {
        let expected = format!("{dimension} items in a scene of dimension {dimension}");
        return Err(("cells", Problem::WrongLength { key: "cells".into(), expected, found }));
    }
    let ratios = match &block.grading {
        Some(ratios) => spatial("grading", ratios, dimension)?,
        None => [1.0; 3],
    };
    let cells = |k: usize| block.cells[k] as usize;
    let lower = size.map(|s| if block.centred { -0.5 * s } else { 0.0 });
    let upper: [f64; 3] = std::array::from_fn(|k| lower[k] + size[k]);
    let made = match dimension {
        2 => {
            let mut r = Rectangle::new([lower[0], lower[1]], [upper[0], upper[1]], [cells(0), cells(1)], kind);
            r.grading = [graded(ratios[0]), graded(ratios[1])];
            r.mesh()
        }
        _ => {
            let mut c = Cuboid::new(lower, upper, [cells(0), cells(1), cells(2)], kind);
            c.grading = ratios.map(graded);
            c.mesh()
        }
    };
    made.map_err(|e| ("cells", invalid(name, &e)))
}

fn disc(disc: &says::Disc, kind: CellKind) -> Disc {
    let part = match disc.part {
        says::DiscPart::Full => DiscPart::Full,
        says::DiscPart::Lower => DiscPart::Lower,
        says::DiscPart::Right => DiscPart::Right,
        says::DiscPart::LowerRight => DiscPart::LowerRight,
    };
    let mut made = Disc::new(disc.radius, part, disc.cells as usize, kind);
    made.layers = disc.layers.unwrap_or(disc.cells) as usize;
    (made.refine_foot, made.refine_arc) = (disc.refine_foot, disc.refine_arc);
    made
}

fn ball(ball: &says::Ball, kind: CellKind) -> Ball {
    let part = match ball.part {
        says::BallPart::Full => BallPart::Full,
        says::BallPart::Lower => BallPart::Lower,
        says::BallPart::Quarter => BallPart::Quarter,
        says::BallPart::Octant => BallPart::Octant,
    };
    let mut made = Ball::new(ball.radius, part, ball.cells as usize, kind);
    made.layers = ball.layers.unwrap_or(ball.cells) as usize;
    (made.refine_foot, made.refine_sphere) = (ball.refine_foot, ball.refine_sphere);
    made
}

fn cylinder(cylinder: &says::Cylinder, kind: CellKind) -> Cylinder {
    let across = cylinder.cells[0] as usize;
    let mut section = Disc::new(cylinder.radius, DiscPart::Full, across, kind);
    section.layers = cylinder.layers.map_or(across, |n| n as usize);
    let cells = cylinder.cells[1] as usize;
    Cylinder { section, height: cylinder.height, cells, grading: graded(cylinder.grading) }
}

fn tube(tube: &says::Tube, kind: CellKind, dimension: usize) -> Result<Tube, Fault> {
    match (dimension, tube.height) {
        (2, Some(_)) => return Err(("height", inconsistent("a ring of the plane has no `height`"))),
        (3, None) => {
            return Err(("kind", Problem::MissingKey { parent: "a tube in space".into(), key: "height".into() }));
        }
        _ => {}
    }
    if tube.cells.len() != dimension {
        let expected = format!("{dimension} items in a scene of dimension {dimension}");
        return Err(("cells", Problem::WrongLength { key: "cells".into(), expected, found: tube.cells.len() }));
    }
    let cells = std::array::from_fn(|k| tube.cells.get(k).map_or(1, |n| *n as usize));
    let angles = tube.angles.as_ref().map_or([0.0, std::f64::consts::TAU], |a| [a[0], a[1]]);
    let grading = graded(tube.grading);
    Ok(Tube { inner: tube.inner, outer: tube.outer, angles, height: tube.height, cells, kind, grading })
}

fn read(scene: &Scene, file: &says::MeshFile) -> Result<Mesh, Fault> {
    let refuse = |message: String| ("file", Problem::Mesh { file: file.file.clone(), message });
    let bytes = scene.files.bytes(&file.file).map_err(refuse)?;
    let mut mesh = Mesh::from_bytes(&file.file, &bytes).map_err(|e| refuse(e.to_string()))?;
    if file.scale != 1.0 {
        mesh.scale([file.scale; 3]).map_err(|e| refuse(e.to_string()))?;
    }
    Ok(mesh)
}

/// Adds a group by place.
fn select(mesh: &mut Mesh, name: &str, selection: &Selection, dimension: usize) -> Result<(), Fault> {
    let refuse = |e: MeshError| ("group", inconsistent(format!("the group `{name}`: {e}")));
    if let Some(near) = &selection.near {
        if selection.min.is_some() || selection.max.is_some() || selection.facets {
            return Err((
                "group",
                inconsistent(format!("the group `{name}` has `near`, or `min` and `max`, not both")),
            ));
        }
        let near = spatial("group", near, dimension)?;
        let node = mesh.nearest_node(near).ok_or_else(|| ("group", inconsistent("the mesh has no nodes")))?;
        return mesh.add_node_group(name, vec![node]).map_err(refuse);
    }
    let (Some(min), Some(max)) = (&selection.min, &selection.max) else {
        return Err(("group", inconsistent(format!("the group `{name}` needs `near`, or both `min` and `max`"))));
    };
    let (min, max) = (spatial("group", min, dimension)?, spatial("group", max, dimension)?);
    let inside = |p: [f64; 3]| (0..dimension).all(|k| min[k] <= p[k] && p[k] <= max[k]);
    match selection.facets {
        true => mesh.group_boundary(name, inside).map_err(refuse),
        false => {
            let nodes = mesh.nodes_where(inside);
            mesh.add_node_group(name, nodes).map_err(refuse)
        }
    }
}
