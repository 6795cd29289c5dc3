//! Observed points of deformable solids.

use super::super::forces::{Fault, each};
use super::parts::Made;
use super::{inconsistent, places, spatial};
use crate::description::{self as says, Observe};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;

/// Nodes whose mean motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidProbe {
    /// Name.
    pub name: String,
    /// The nodes, in the numbering of the model.
    pub nodes: Vec<u32>,
}

/// The probes of a scene.
pub(crate) fn probes(scene: &Scene, made: &Made, diagnostics: &mut Diagnostics) -> Vec<SolidProbe> {
    let mut all = vec![];
    for (path, name, observe) in each("observe", &scene.description.observe) {
        let found = match observe {
            Observe::Point(probe) if scene.has_bodies() && probe.on.is_none() => continue,
            Observe::Flow(_) if scene.has_bodies() => continue,
            Observe::Wear(_)
            | Observe::Force(_)
            | Observe::Joint(_)
            | Observe::Region(_)
            | Observe::Cell(_)
            | Observe::Group(_)
            | Observe::Formula(_)
            | Observe::Distance(_) => continue,
            Observe::Point(probe) => self::probe(made, name, probe),
            Observe::Flow(_) => Err(("kind", inconsistent("a flow is one of rigid bodies"))),
        };
        match found {
            Ok(probe) => all.push(probe),
            Err((key, problem)) => places::suggest(&made.model, scene.error(diagnostics, &path.at(key), problem)),
        }
    }
    all
}

fn probe(made: &Made, name: String, probe: &says::Probe) -> Result<SolidProbe, Fault> {
    if probe.body.is_some() {
        return Err(("body", inconsistent("`body` is for rigid bodies; here it is `on = \"solid/group\"`")));
    }
    let Some(on) = &probe.on else {
        return Err(("on", Problem::MissingKey { parent: format!("observe.{name}"), key: "on".into() }));
    };
    let model = &made.model;
    let nodes = match &probe.point {
        None => places::nodes(model, "on", std::iter::once(on.as_str()))?,
        Some(point) => {
            let point = spatial("point", point, model.dim)?;
            places::nearest(model, "on", on, point)?.into_iter().collect()
        }
    };
    Ok(SolidProbe { name, nodes })
}
