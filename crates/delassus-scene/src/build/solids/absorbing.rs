//! Boundaries and layers that let waves out.

use super::super::forces::{Fault, each};
use super::parts::Made;
use super::{inconsistent, places};
use crate::description as says;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use delassus_fem::Model;
use delassus_fem::model::{Layer, ModelError};

/// Adds them.
pub(crate) fn add(scene: &Scene, made: &mut Made, diagnostics: &mut Diagnostics) {
    for (path, name, says) in each("absorbing", &scene.description.absorbing) {
        if let Err((key, problem)) = absorb(&mut made.model, &name, says) {
            places::suggest(&made.model, scene.error(diagnostics, &path.at(key), problem));
        }
    }
}

fn absorb(model: &mut Model, name: &str, says: &says::Absorbing) -> Result<(), Fault> {
    let layer = layer(name, says)?;
    if layer.is_none() && !says.dashpots {
        return Err((
            "dashpots",
            inconsistent(format!("`{name}` absorbs nothing: give `layer`, or keep the dashpots")),
        ));
    }
    let refused = |e: ModelError| ("on", Problem::Model { message: e.to_string() });
    for text in says.on.iter() {
        if let Some((beam, nodes)) = places::on_beam(model, "on", text)? {
            let (first, last) = (model.beams[beam].first, model.beams[beam].count - 1);
            if layer.is_some() {
                return Err(("layer", inconsistent("a layer is one of cells: beams have dashpots at their ends")));
            }
            for node in nodes.iter().map(|n| *n as usize - first) {
                if node != 0 && node != last {
                    let what = format!("`{text}` is inside a beam: waves leave it at `start` and `end`");
                    return Err(("on", inconsistent(what)));
                }
                model.absorb_node(beam, node);
            }
            continue;
        }
        let at = places::place(model, "on", text)?;
        if says.dashpots {
            model.absorb(at.part, at.group).map_err(refused)?;
        }
        if let Some(layer) = layer
            && model.absorb_layer(at.part, at.group, layer).map_err(refused)? == 0
        {
            let what = format!("no cell of `{text}` has its middle in the layer of {} m", layer.depth);
            return Err(("layer", inconsistent(what)));
        }
    }
    Ok(())
}

fn layer(name: &str, says: &says::Absorbing) -> Result<Option<Layer>, Fault> {
    let Some(depth) = says.layer else {
        let given = [("frequency", says.frequency), ("reflection", says.reflection), ("power", says.power)];
        return match given.iter().find(|g| g.1.is_some()) {
            Some((key, _)) => Err((*key, inconsistent(format!("`{key}` is for a `layer`")))),
            None => Ok(None),
        };
    };
    let Some(frequency) = says.frequency else {
        let parent = format!("the layer of absorbing.{name}");
        return Err(("layer", Problem::MissingKey { parent, key: "frequency".into() }));
    };
    let (reflection, power) = (says.reflection.unwrap_or(1e-3), says.power.unwrap_or(2.0));
    Ok(Some(Layer { depth, frequency, reflection, power }))
}
