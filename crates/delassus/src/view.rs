//! What a scene tells the viewer beyond the numbers of its run: who is free, of what, tied to whom.

use delassus_contact::{Dim, Vector};
use delassus_fem::model::Model;
use delassus_rigid::{Kinematics, Load};
use delassus_scene::{Built, Setup};
use delassus_view::{Cast, Pull, Rod, Role, Tie};

/// The cast of a scene.
pub fn cast(built: &Built) -> Cast {
    match built {
        Built::Plane(setup) => of(setup),
        Built::Space(setup) => of(setup),
    }
}

/// Times at which a load is asked how large it is.
const ASKED: usize = 400;

/// A load over the run; without forces where it depends on where the body is, or how fast.
fn pull<const D: usize>(load: &Load<D>, end: f64) -> Pull {
    let at = |t: f64, rest: f64| -> Vec<f64> {
        let mut known = [rest; 7];
        known[0] = t;
        load.force.iter().map(|f| f.value(&known)).collect()
    };
    let times: Vec<f64> = (0..=ASKED).map(|k| end * k as f64 / ASKED as f64).collect();
    let same = times.iter().all(|t| at(*t, 0.0) == at(*t, 0.7));
    let times = if same { times } else { vec![] };
    Pull { body: load.body, forces: times.iter().map(|t| at(*t, 0.0)).collect(), times }
}

fn of<const D: usize>(setup: &Setup<D>) -> Cast
where
    Dim<D>: Kinematics<D>,
{
    let model = &setup.model;
    let mut cast = Cast {
        materials: setup.materials.clone(),
        colours: setup.colours.clone(),
        laws: laws(setup),
        gravity: model.gravity().iter().copied().collect(),
        tolerance: setup.settings.tolerance,
        loads: model.loads().iter().map(|l| pull(l, setup.clock.end)).collect(),
        ..Cast::default()
    };
    for (i, body) in model.bodies().iter().enumerate() {
        cast.names.push(body.name.to_string());
        cast.masses.push(body.mass);
        cast.roles.push(match &body.motion {
            _ if setup.is_free(i) => Role::Free,
            None => Role::Free,
            Some(motion) if motion.is_rest() => Role::Fixed,
            Some(_) => Role::Moved,
        });
    }
    if let Some(solids) = &setup.solids {
        let names = solids.model.parts.iter().map(|p| &p.name).chain(solids.model.beams.iter().map(|b| &b.name));
        for name in names {
            cast.names.push(name.clone());
            cast.roles.push(Role::Solid);
            cast.masses.push(0.0);
        }
        cast.supports = supports(&solids.model);
    }
    let list = |v: &Vector<D>| v.iter().copied().collect::<Vec<f64>>();
    cast.joints = model
        .joints()
        .map(|(joint, anchors)| Tie {
            name: joint.name.clone(),
            kind: format!("{:?}", joint.kind).to_lowercase(),
            bodies: joint.bodies,
            anchors: [list(&anchors[0]), list(&anchors[1])],
        })
        .collect();
    cast.springs = model
        .springs()
        .iter()
        .map(|spring| {
            // From the axes of the description to the principal axes.
            let inner = |side: usize| match spring.bodies[side] {
                None => list(&spring.anchors[side]),
                Some(b) => {
                    let frame = &model.bodies()[b as usize].frame;
                    list(&(frame.rotation().transpose() * (spring.anchors[side] - frame.position)))
                }
            };
            Rod { bodies: spring.bodies, anchors: [inner(0), inner(1)], rest_length: spring.rest_length }
        })
        .collect();
    let periodic = &model.detection().periodic;
    if periodic.period.iter().any(Option::is_some) {
        // The page knows cells that stay: along axes that move, bodies are where they went.
        let stays = |k: usize| periodic.lengths.is_none() && periodic.shear.is_none_or(|s| s.gradient != k);
        let period = |k: usize| periodic.period[k].filter(|_| stays(k));
        cast.cell = periodic.origin.iter().enumerate().map(|(k, corner)| (*corner, period(k))).collect();
    }
    cast
}

/// The law of every pair of materials that has one.
fn laws<const D: usize>(setup: &Setup<D>) -> Vec<([usize; 2], String)>
where
    Dim<D>: Kinematics<D>,
{
    let (count, table) = (setup.materials.len() as u16, setup.model.interactions());
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
    let law = |(a, b): (u16, u16)| {
        let (law, _) = table.get(a, b)?;
        Some(([usize::from(a), usize::from(b)], format!("{law:?}")))
    };
    pairs.filter_map(law).collect()
}

/// Nodes that something holds.
fn supports(model: &Model) -> Vec<u32> {
    let dofs = model.supports.iter().flat_map(|s| s.dofs.iter());
    let mut nodes: Vec<u32> =
        dofs.map(|d| (*d as usize / model.dim) as u32).filter(|n| (*n as usize) < model.nodes()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
