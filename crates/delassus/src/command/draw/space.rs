//! Bodies of space from a scene and a frame.

use super::args::{DrawArgs, ForceChoice};
use super::bodies::{self, Scenery};
use super::frame;
use super::snapshot::Snapshot;
use delassus_contact::{Collider, Pose, Shape3, Surface, Vector};
use delassus_draw::Head;
use delassus_draw::colour::SOLIDS;
use delassus_draw::space::{Eye, Figure, Point3, Solid};
use delassus_scene::Setup;

/// Points of a full circle, and of a wall along each axis.
const RESOLUTION: [usize; 2] = [48, 40];

/// The figure of a frame, without its overlay.
pub fn figure(
    setup: &Setup<3>,
    snapshot: &Snapshot,
    head: Head,
    args: &DrawArgs,
    forces: Option<ForceChoice>,
) -> Result<Figure, String> {
    frame::only_in_the_plane(args)?;
    let scenery = Scenery { setup, snapshot, names: args.names };
    let mut figure = Figure::new(head);
    let extent = extent(setup, snapshot);
    let shape = |collider: &Collider<3>, body: &Pose<3>| Some(solid(collider, body, extent, snapshot.time));
    figure.bodies = scenery.bodies(&SOLIDS, shape, |(points, faces)| vec![Solid::Mesh { points, faces }]);
    figure.contacts = scenery.contacts();
    let gravity = setup.model.gravity();
    let up = if gravity.norm() > 0.0 { (-gravity / gravity.norm()).into() } else { [0.0, 0.0, 1.0] };
    let usual = Eye::default();
    let [around, above] = args.view.unwrap_or([usual.around, usual.above]);
    figure.eye = Eye { around, above, parallel: args.parallel, up };
    if !args.no_symbols {
        figure.symbols = scenery.symbols();
    }
    figure.forces = forces.map(|choice| bodies::forces(choice, &figure.bodies));
    figure.section = args.section;
    figure.glass = frame::glass(&figure.bodies, args)?;
    Ok(match args.mirror {
        Some((axis, at)) => figure.mirrored(axis, at),
        None => figure,
    })
}

/// Half size at which walls are cut: all free bodies fit.
fn extent(setup: &Setup<3>, snapshot: &Snapshot) -> f64 {
    let free = (0..setup.model.bodies().len()).filter(|b| setup.is_free(*b) && snapshot.shows(*b));
    let reach = free.map(|i| snapshot.position[3 * i..3 * i + 3].iter().fold(0.0f64, |m, x| m.max(x.abs())));
    let reach = reach.fold(0.0, f64::max);
    if reach > 0.0 { 1.5 * reach } else { 1.0 }
}

fn solid(collider: &Collider<3>, body: &Pose<3>, extent: f64, time: f64) -> Solid {
    let pose = body.then(&collider.offset.pose());
    let at = |x: &Vector<3>| -> Point3 { pose.point(x).into() };
    let mesh = |surface: &Surface<3>| Solid::Mesh {
        points: surface.points.iter().map(at).collect(),
        faces: (0..surface.len()).map(|k| surface.polygon(k).to_vec()).collect(),
    };
    match &collider.shape {
        // A particle has no size: it is drawn with one that is seen.
        Shape3::Point => Solid::Sphere { centre: at(&Vector::zeros()), radius: 0.01 * extent },
        Shape3::Sphere { radius } => Solid::Sphere { centre: at(&Vector::zeros()), radius: *radius },
        Shape3::HalfSpace { normal } => {
            Solid::HalfSpace { point: at(&Vector::zeros()), normal: (pose.rotation * normal).into() }
        }
        Shape3::Wall(wall) => {
            let (low, high) = (Vector::repeat(-extent), Vector::repeat(extent));
            mesh(&wall.surface(time, &low, &high, RESOLUTION[1]))
        }
        other => mesh(&other.surface(RESOLUTION[0], extent)),
    }
}
