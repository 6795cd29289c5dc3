//! Patches: fine models that move over the coarse one, or take over from it when they are needed.

use super::super::forces::{Fault, each};
use super::parts::{Made, index};
use super::{inconsistent, places};
use crate::description as says;
use crate::diagnostic::Problem;
use crate::scene::Scene;
use delassus_arlequin::Superposition;
use delassus_fem::Model;
use delassus_fem::mesh::Mesh;

/// A superposition of the scene.
#[derive(Clone, Debug)]
pub struct Superposed {
    /// As it is asked for.
    pub superposition: Superposition,
    /// As it is before its fine model appears.
    pub hanging: Superposition,
    /// Its tie in the model.
    pub tie: usize,
}

/// A superposition whose fine model moves or appears.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Its name.
    pub name: String,
    /// Its place among the superpositions.
    pub superposed: usize,
    /// What it follows.
    pub follow: Option<Following>,
    /// When it appears.
    pub appear: Option<Appearance>,
}

/// How a patch follows.
#[derive(Clone, Debug)]
pub struct Following {
    /// What.
    pub target: Target,
    /// It moves by whole multiples of this \[m\].
    pub by: f64,
    /// Along these axes.
    pub along: Vec<usize>,
}

/// What a patch follows.
#[derive(Clone, Debug)]
pub enum Target {
    /// The centre of mass of a body.
    Body(String),
    /// The centre of the normal forces on the patch.
    Contact,
}

/// What makes a patch appear.
#[derive(Clone, Copy, Debug)]
pub enum Appearance {
    /// Accumulated plastic strain.
    PlasticStrain(f64),
    /// Von Mises stress \[Pa\].
    VonMises(f64),
    /// Relative error of the coarse model in energy.
    Error(f64),
}

/// The patch that a superposition asks for; none where it neither follows nor appears.
pub(super) fn patch<const D: usize>(
    scene: &Scene,
    says: &says::Arlequin,
    (made_of, inside, size): (&Superposition, bool, f64),
    made: &Made,
) -> Result<Option<Patch>, Fault> {
    let key = if says.follow.is_some() { "follow" } else { "appear" };
    if says.follow.is_none() && says.appear.is_none() {
        return Ok(None);
    }
    let refuse = |what: String| Err((key, inconsistent(what)));
    if says.operation != Some(says::Operation::Zoom) || !inside {
        return refuse(format!("`{key}` is for operation = \"zoom\": the coarse model must stay under the fine one"));
    }
    if says.zone.is_some() {
        return refuse(format!("`{key}` needs the gluing zone along the border: give `depth` instead of `zone`"));
    }
    let description = &scene.description;
    let beams: Vec<&str> = description.beam.items.iter().filter_map(|(name, _)| name.as_deref()).collect();
    let superposed = each("arlequin", &description.arlequin);
    for (_, name, other) in superposed {
        if [&other.coarse, &other.fine].iter().any(|n| beams.contains(&n.as_str())) {
            return refuse(format!("`{key}` does not go with beams in superpositions, as in `{name}`"));
        }
    }
    for (_, name, tie) in each("tie", &description.tie) {
        let ends = [&tie.nodes, &tie.to].map(|p| p.split('/').next().unwrap_or_default().to_owned());
        if ends.contains(&says.fine) {
            return refuse(format!("`{key}` moves or remakes `{}`, which the tie `{name}` holds", says.fine));
        }
    }
    let follow = match &says.follow {
        Some(follow) => Some(following(scene, follow, (says, size), made, D)?),
        None => None,
    };
    let appear = match &says.appear {
        None => None,
        Some(says::Appear { plastic_strain: Some(x), von_mises: None, error: None }) => {
            let plastic = [made_of.coarse, made_of.fine].iter().any(|p| plastic(&made.model, *p));
            if !plastic {
                return Err(("appear", inconsistent("neither model is plastic: take `von_mises` or `error`")));
            }
            Some(Appearance::PlasticStrain(*x))
        }
        Some(says::Appear { plastic_strain: None, von_mises: Some(x), error: None }) => Some(Appearance::VonMises(*x)),
        Some(says::Appear { plastic_strain: None, von_mises: None, error: Some(x) }) => Some(Appearance::Error(*x)),
        Some(_) => return Err(("appear", inconsistent("give one of `plastic_strain`, `von_mises` and `error`"))),
    };
    Ok(Some(Patch { name: made_of.name.clone(), superposed: made.superposed.len(), follow, appear }))
}

fn following(
    scene: &Scene,
    follow: &says::Follow,
    (says, size): (&says::Arlequin, f64),
    made: &Made,
    dimension: usize,
) -> Result<Following, Fault> {
    let target = match (&follow.body, &follow.contact) {
        (Some(body), None) => Target::Body(body.clone()),
        (None, Some(contact)) => {
            let known = each("contact", &scene.description.contact).find(|(_, name, _)| name == contact);
            let Some((_, _, pair)) = known else {
                return Err(("follow", Problem::UnknownName { kind: "contact", name: contact.clone() }));
            };
            let on = places::place(&made.model, "slave", &pair.slave)?.part;
            if made.model.parts[on].name != says.fine {
                let what = format!("the slave of `{contact}` is not on `{}`, which is to follow it", says.fine);
                return Err(("follow", inconsistent(what)));
            }
            Target::Contact
        }
        _ => return Err(("follow", inconsistent("give one of `body` and `contact`"))),
    };
    let mut along: Vec<usize> = match &follow.along {
        Some(axes) => axes.iter().map(|a| index(*a, dimension)).collect::<Result<_, _>>().map_err(|p| ("follow", p))?,
        None => (0..dimension - 1).collect(),
    };
    along.sort_unstable();
    along.dedup();
    if along.is_empty() {
        return Err(("follow", inconsistent("`along` names no axis")));
    }
    Ok(Following { target, by: follow.by.unwrap_or(size), along })
}

fn plastic(model: &Model, part: usize) -> bool {
    model.parts[part].solid.spec().material.is_plastic()
}

impl Patch {
    /// What is worth a warning.
    pub(super) fn notes(&self, of: &Superposition, model: &Model) -> Vec<String> {
        let mut notes = vec![];
        let Some(follow) = &self.follow else { return notes };
        if plastic(model, of.fine) && !plastic(model, of.coarse) {
            notes.push(format!(
                "`{}` is not plastic: it springs back where the plastic patch has gone on",
                model.parts[of.coarse].name
            ));
        }
        for axis in &follow.along {
            let cell = cell_along(&model.parts[of.fine].mesh, *axis);
            let over = follow.by / cell;
            if (over - over.round()).abs() > 1e-6 * over {
                notes.push(format!(
                    "`by` = {:.4e} m is {over:.3} fine cells along {}: fields are interpolated at each move; a whole number \
                     would carry them node by node",
                    follow.by,
                    ["x", "y", "z"][*axis]
                ));
            }
        }
        notes
    }
}

/// Extent of the smallest cell along an axis.
fn cell_along(mesh: &Mesh, axis: usize) -> f64 {
    let extent = |cell| {
        let places = mesh.cell(cell).iter().map(|n| mesh.points[*n as usize][axis]);
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        high - low
    };
    mesh.volume_cells().map(extent).fold(f64::INFINITY, f64::min)
}
