//! Bodies of the plane from a scene and a frame.

use super::args::{DrawArgs, ForceChoice};
use super::cell::Cell;
use super::snapshot::Snapshot;
use super::solids;
use delassus_contact::{Collider, Pose, Shape2, Vector};
use delassus_draw::colour::FILLS;
use delassus_draw::plane::{Body, Contact, Figure, Outline, Role};
use delassus_draw::{Colour, Forces, Head, Point, Rect};
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
) -> Figure {
    let mut figure = Figure::new(head);
    figure.bodies = bodies(setup, snapshot, args);
    let images = Cell::new(&setup.model).images(&figure.bodies);
    figure.bodies.extend(images);
    figure.contacts = snapshot
        .contacts
        .iter()
        .map(|c| Contact {
            point: [c.point[0], c.point[1]],
            normal: [c.normal[0], c.normal[1]],
            bodies: c.bodies,
            force: [c.force[0], c.force[1]],
            status: c.status,
        })
        .collect();
    let gravity = setup.model.gravity();
    figure.style.gravity = (gravity.norm() > 0.0).then(|| [gravity.x, gravity.y]);
    let rect = |[x, y, right, top]: [f64; 4]| Rect { min: [x, y], max: [right, top] };
    (figure.style.window, figure.style.zoom) = (args.window.map(rect), args.zoom.map(rect));
    figure.style.forces = forces.map(|choice| match choice {
        ForceChoice::Network => Forces::Network,
        ForceChoice::Lines => Forces::Lines,
        ForceChoice::Auto => {
            let free = || figure.bodies.iter().filter(|b| b.role == Role::Free);
            if 2 * free().filter(|b| b.is_round()).count() > free().count() { Forces::Network } else { Forces::Lines }
        }
    });
    walls(setup, snapshot, &mut figure);
    figure.style.cell = cell(setup, &figure.bounds());
    figure
}

/// Fills of the materials: their own, else one for each that a free body has.
pub fn fills(
    palette: &[Colour],
    materials: usize,
    given: &[Option<String>],
    free: impl Iterator<Item = u16>,
) -> Vec<Option<Colour>> {
    let mut fills: Vec<Option<Colour>> =
        (0..materials).map(|m| given.get(m).and_then(|c| c.as_deref()).and_then(Colour::parse)).collect();
    let mut used: Vec<u16> = vec![];
    for material in free {
        if !used.contains(&material) {
            used.push(material);
        }
    }
    used.sort_unstable();
    for (i, material) in used.iter().enumerate() {
        if let Some(fill) = fills.get_mut(*material as usize) {
            fill.get_or_insert(palette[i % palette.len()]);
        }
    }
    fills
}

fn bodies(setup: &Setup<2>, snapshot: &Snapshot, args: &DrawArgs) -> Vec<Body> {
    let model = &setup.model;
    let dynamic = |body: u32| model.bodies()[body as usize].is_dynamic();
    let free = model.colliders().iter().filter(|c| dynamic(c.body)).map(|c| c.material);
    let free = free.chain(setup.skins.iter().copied());
    let fills = fills(&FILLS, setup.materials.len(), &setup.colours, free);
    let given = |m: u16| setup.colours.get(m as usize).and_then(|c| c.as_deref()).and_then(Colour::parse);
    let mut all: Vec<Body> = (0..model.bodies().len())
        .map(|i| {
            let body = &model.bodies()[i];
            let named = args.names && body.is_dynamic();
            Body {
                name: body.name.clone(),
                label: named.then(|| body.name.clone()),
                role: if body.is_dynamic() { Role::Free } else { Role::Fixed },
                colour: None,
                centre: [snapshot.position[2 * i], snapshot.position[2 * i + 1]],
                angle: snapshot.orientation[i],
                outlines: vec![],
            }
        })
        .collect();
    for collider in model.colliders().iter().chain(&setup.decor) {
        let body = &mut all[collider.body as usize];
        let own = given(collider.material);
        let usual = fills.get(collider.material as usize).copied().flatten();
        body.colour = body.colour.or(if body.role == Role::Free { usual } else { own });
        let pose = Pose::planar(body.centre[0], body.centre[1], body.angle);
        body.outlines.extend(outline(collider, &pose));
    }
    for (k, (name, (points, cells))) in solids::outlines_of(setup.solids.as_ref(), &snapshot.displacement).into_iter().enumerate() {
        let [x, y, _] = solids::middle(&points);
        let polygon = |c: &Vec<u32>| c.iter().map(|n| [points[*n as usize][0], points[*n as usize][1]]).collect();
        all.push(Body {
            label: args.names.then(|| name.clone()),
            name,
            role: Role::Free,
            colour: fills.get(usize::from(setup.skins[k])).copied().flatten(),
            centre: [x, y],
            angle: 0.0,
            outlines: cells.iter().map(|c| Outline::Polygon(polygon(c))).collect(),
        });
    }
    all
}

/// The shape of a collider in space; walls need to know what else is seen.
fn outline(collider: &Collider<2>, body: &Pose<2>) -> Option<Outline> {
    let pose = body.then(&collider.offset);
    let at = |x: &Vector<2>| -> Point { pose.point(x).into() };
    let along = |x: f64| at(&Vector::<2>::new(x, 0.0));
    Some(match &collider.shape {
        Shape2::Point => Outline::Point(along(0.0)),
        Shape2::Disc { radius } => Outline::Disc { centre: along(0.0), radius: *radius },
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
fn walls(setup: &Setup<2>, snapshot: &Snapshot, figure: &mut Figure) {
    let seen = figure.bounds();
    let reach = 0.75 * seen.width().max(seen.height());
    for collider in setup.model.colliders().iter().chain(&setup.decor) {
        let Shape2::Wall(wall) = &collider.shape else { continue };
        let body = &mut figure.bodies[collider.body as usize];
        let pose = Pose::planar(body.centre[0], body.centre[1], body.angle).then(&collider.offset);
        let centre = pose.local(&Vector::<2>::from(seen.centre()));
        let (low, high) = (centre.add_scalar(-reach), centre.add_scalar(reach));
        let surface = wall.surface(snapshot.time, &low, &high, WALL);
        for k in 0..surface.len() {
            let points = surface.polygon(k).iter().map(|&i| pose.point(&surface.points[i as usize]).into());
            body.outlines.push(Outline::Line(points.collect()));
        }
    }
    // Walls reach beyond what they were cut for: they do not widen the picture.
    if figure.style.window.is_none() {
        figure.style.window = Some(seen);
    }
}

/// Edges of the periodic cell.
fn cell(setup: &Setup<2>, seen: &Rect) -> Vec<[Point; 2]> {
    let periodic = &setup.model.detection().periodic;
    let mut lines = vec![];
    for k in 0..2 {
        let Some(period) = periodic.period[k] else { continue };
        for x in [periodic.origin[k], periodic.origin[k] + period] {
            let end = |y: f64| if k == 0 { [x, y] } else { [y, x] };
            lines.push([end(seen.min[1 - k]), end(seen.max[1 - k])]);
        }
    }
    lines
}
