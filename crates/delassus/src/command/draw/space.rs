//! Bodies of space from a scene and a frame.

use super::args::{DrawArgs, ForceChoice};
use super::plane::fills;
use super::snapshot::Snapshot;
use super::solids;
use delassus_contact::{Collider, Dim, Pose, Shape3, Surface, Vector};
use delassus_draw::colour::SOLIDS;
use delassus_draw::plane::Role;
use delassus_draw::space::{Body, Contact, Eye, Figure, Point3, Solid};
use delassus_draw::{Colour, Forces, Head};
use delassus_rigid::Kinematics;
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
) -> Figure {
    let mut figure = Figure::new(head);
    figure.bodies = bodies(setup, snapshot, args);
    figure.contacts = snapshot
        .contacts
        .iter()
        .map(|c| Contact { point: c.point, normal: c.normal, bodies: c.bodies, force: c.force, status: c.status })
        .collect();
    let gravity = setup.model.gravity();
    let up = if gravity.norm() > 0.0 { (-gravity / gravity.norm()).into() } else { [0.0, 0.0, 1.0] };
    let usual = Eye::default();
    let [around, above] = args.view.unwrap_or([usual.around, usual.above]);
    figure.eye = Eye { around, above, parallel: args.parallel, up };
    let round = |b: &&Body| b.is_round();
    let free = || figure.bodies.iter().filter(|b| b.role == Role::Free);
    figure.forces = forces.map(|choice| match choice {
        ForceChoice::Network => Forces::Network,
        ForceChoice::Lines => Forces::Lines,
        ForceChoice::Auto if 2 * free().filter(round).count() > free().count() => Forces::Network,
        ForceChoice::Auto => Forces::Lines,
    });
    figure
}

fn bodies(setup: &Setup<3>, snapshot: &Snapshot, args: &DrawArgs) -> Vec<Body> {
    let model = &setup.model;
    let dynamic = |body: u32| model.bodies()[body as usize].is_dynamic();
    let free = model.colliders().iter().filter(|c| dynamic(c.body)).map(|c| c.material);
    let free = free.chain(setup.skins.iter().copied());
    let fills = fills(&SOLIDS, setup.materials.len(), &setup.colours, free);
    let given = |m: u16| setup.colours.get(m as usize).and_then(|c| c.as_deref()).and_then(Colour::parse);
    let pose = |i: usize| {
        let (p, q) = (&snapshot.position[3 * i..3 * i + 3], &snapshot.orientation[4 * i..4 * i + 4]);
        Dim::<3>::pose(&[p[0], p[1], p[2], q[0], q[1], q[2], q[3]])
    };
    let mut all: Vec<Body> = (0..model.bodies().len())
        .map(|i| {
            let body = &model.bodies()[i];
            Body {
                name: body.name.clone(),
                label: (args.names && body.is_dynamic()).then(|| body.name.clone()),
                role: if body.is_dynamic() { Role::Free } else { Role::Fixed },
                colour: None,
                centre: pose(i).position.into(),
                solids: vec![],
            }
        })
        .collect();
    let extent = extent(setup, snapshot);
    for collider in model.colliders().iter().chain(&setup.decor) {
        let body = &mut all[collider.body as usize];
        let own = given(collider.material);
        let usual = fills.get(collider.material as usize).copied().flatten();
        body.colour = body.colour.or(if body.role == Role::Free { usual } else { own });
        body.solids.push(solid(collider, &pose(collider.body as usize), extent, snapshot.time));
    }
    for (k, (name, (points, faces))) in solids::outlines_of(setup.solids.as_ref(), &snapshot.displacement).into_iter().enumerate() {
        all.push(Body {
            label: args.names.then(|| name.clone()),
            name,
            role: Role::Free,
            colour: fills.get(usize::from(setup.skins[k])).copied().flatten(),
            centre: solids::middle(&points),
            solids: vec![Solid::Mesh { points, faces }],
        });
    }
    all
}

/// Half size at which walls are cut: all free bodies fit.
fn extent(setup: &Setup<3>, snapshot: &Snapshot) -> f64 {
    let free = setup.model.bodies().iter().enumerate().filter(|(_, b)| b.is_dynamic());
    let reach = free.map(|(i, _)| snapshot.position[3 * i..3 * i + 3].iter().fold(0.0f64, |m, x| m.max(x.abs())));
    let reach = reach.fold(0.0, f64::max);
    if reach > 0.0 { 1.5 * reach } else { 1.0 }
}

fn solid(collider: &Collider<3>, body: &Pose<3>, extent: f64, time: f64) -> Solid {
    let pose = body.then(&collider.offset);
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
