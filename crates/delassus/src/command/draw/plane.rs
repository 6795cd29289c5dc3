//! Bodies of the plane from a scene and a frame.

use super::args::{DrawArgs, ForceChoice, Zoom};
use super::bodies::{self, Scenery};
use super::cell::Cell;
use super::frame;
use super::snapshot::Snapshot;
use delassus_contact::{Collider, Pose, Shape2, Vector};
use delassus_draw::colour::FILLS;
use delassus_draw::plane::{Figure, Outline};
use delassus_draw::{Head, Point, Rect};
use delassus_scene::Setup;

/// Points of a line f(t, x) = 0 along each axis.
const WALL: usize = 160;

/// The figure of a frame, without its overlay.
pub fn figure(
    setup: &Setup<2>,
    snapshot: &Snapshot,
    head: Head,
    args: &DrawArgs,
    forces: Option<ForceChoice>,
) -> Result<Figure, String> {
    frame::only_in_space(args)?;
    let scenery = Scenery { setup, snapshot, names: args.names };
    let mut figure = Figure::new(head);
    figure.bodies = scenery.bodies(&FILLS, outline, |(points, cells)| {
        let at = |n: &u32| [points[*n as usize][0], points[*n as usize][1]];
        cells.iter().map(|c| Outline::Polygon(c.iter().map(at).collect())).collect()
    });
    let cell = Cell::new(&setup.model, snapshot);
    let images = cell.images(&figure.bodies);
    figure.bodies.extend(images);
    figure.contacts = scenery.contacts();
    let gravity = setup.model.gravity();
    figure.style.gravity = (gravity.norm() > 0.0).then(|| [gravity.x, gravity.y]);
    let rect = |[x, y, right, top]: [f64; 4]| Rect { min: [x, y], max: [right, top] };
    figure.style.window = args.window.map(rect);
    if let Some(Zoom::Part(part)) = args.zoom {
        figure.style.zoom = Some(rect(part));
    }
    figure.style.glass = frame::glass(&figure.bodies, args)?;
    figure.style.forces = forces.map(|choice| bodies::forces(choice, &figure.bodies));
    if !args.no_symbols {
        figure.style.symbols = scenery.symbols();
    }
    walls(&scenery, &mut figure);
    figure.style.cell = cell.edges(&figure.bounds());
    match args.mirror {
        Some((2, _)) => Err("--mirror: the plane has the axes x and y".into()),
        Some((axis, at)) => Ok(figure.mirrored(axis, at, args.window.map(rect))),
        None => Ok(figure),
    }
}

/// The shape of a collider in space; walls need to know what else is seen.
fn outline(collider: &Collider<2>, body: &Pose<2>) -> Option<Outline> {
    let pose = body.then(&collider.offset.pose());
    let at = |x: &Vector<2>| -> Point { pose.point(x).into() };
    let along = |x: f64| at(&Vector::<2>::new(x, 0.0));
    Some(match &collider.shape {
        Shape2::Point => Outline::Point(along(0.0)),
        Shape2::Disc { radius } => {
            // Its mark turns with the body.
            let axis = body.rotation.column(0);
            Outline::Disc { centre: along(0.0), radius: *radius, angle: axis[1].atan2(axis[0]) }
        }
        Shape2::Capsule { half_length: l, radius } => {
            Outline::Capsule { ends: [along(-l), along(*l)], radius: *radius }
        }
        Shape2::HalfPlane { normal } => {
            Outline::HalfPlane { point: along(0.0), normal: (pose.rotation * normal).into() }
        }
        Shape2::Wall(_) => return None,
        other => {
            let surface = other.surface(4, 1.0);
            let points: Vec<Point> = surface.points.iter().map(at).collect();
            if surface.closed && !matches!(other, Shape2::Polyline { .. }) {
                Outline::Polygon(points)
            } else {
                let close = surface.closed.then(|| points[0]);
                Outline::Line(points.into_iter().chain(close).collect())
            }
        }
    })
}

/// Lines f(t, x) = 0, in the window that the other bodies have.
fn walls(scenery: &Scenery<2>, figure: &mut Figure) {
    let seen = figure.bounds();
    let reach = 0.75 * seen.width().max(seen.height());
    let mut cut = false;
    for collider in scenery.setup.model.colliders().iter().chain(&scenery.setup.decor) {
        let Shape2::Wall(wall) = &collider.shape else { continue };
        let body = &mut figure.bodies[collider.body as usize];
        let pose = scenery.pose(collider.body as usize).then(&collider.offset.pose());
        let centre = pose.local(&Vector::<2>::from(seen.centre()));
        let (low, high) = (centre.add_scalar(-reach), centre.add_scalar(reach));
        let surface = wall.surface(scenery.snapshot.time, &low, &high, WALL);
        for k in 0..surface.len() {
            let points = surface.polygon(k).iter().map(|&i| pose.point(&surface.points[i as usize]).into());
            body.shapes.push(Outline::Line(points.collect()));
            cut = true;
        }
    }
    // Walls reach beyond what they were cut for: they do not widen the picture.
    if cut && figure.style.window.is_none() {
        figure.style.window = Some(seen);
    }
}
