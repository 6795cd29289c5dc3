//! What is observed, with the names of bodies resolved.

use super::forces::{Fault, Labelled, Names, each, rigid};
use super::place::vector;
use super::prepare::Prepared;
use crate::description::{self as says, Observe};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::stages::matches;
use delassus_contact::{Dim, Vector};
use delassus_dynamics::Rubbing;
use delassus_rigid::Kinematics;
use std::sync::Arc;

/// A named point of a body, to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Name.
    pub name: String,
    /// Index of the body.
    pub body: u32,
    /// The point in the axes the body was described in \[m\]; the last is zero in the plane.
    pub point: [f64; 3],
}

/// A flow of the free bodies along x, to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name.
    pub name: String,
    /// Index of the body that carries it; `None`: all that are not free.
    pub floor: Option<u32>,
    /// Number of slices.
    pub slices: usize,
    /// Heights of the lowest and of the highest slice \[m\].
    pub heights: [f64; 2],
    /// Classes of the distribution of forces.
    pub classes: usize,
    /// Horizontal area of the periodic cell, a length in the plane \[m² or m\].
    pub area: f64,
}

impl Labelled for Observe {
    fn label(&self) -> Option<&String> {
        match self {
            Self::Point(probe) => probe.name.as_ref(),
            Self::Flow(flow) => flow.name.as_ref(),
            Self::Wear(wear) => wear.name.as_ref(),
            Self::Force(x) => x.name.as_ref(),
            Self::Joint(x) => x.name.as_ref(),
            Self::Region(x) => x.name.as_ref(),
            Self::Cell(x) => x.name.as_ref(),
            Self::Group(x) => x.name.as_ref(),
            Self::Distance(x) => x.name.as_ref(),
            Self::Formula(x) => x.name.as_ref(),
        }
    }
}

/// A pair whose rubbing is to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Worn {
    /// Name.
    pub name: String,
    /// Who rubs on whom: numbers of bodies, solids coming after the rigid ones, or of a pair of surfaces.
    pub of: Rubbing,
    /// Archard's coefficient \[m²/N\].
    pub coefficient: Option<f64>,
}

/// The rubbing pairs of a scene.
pub(crate) fn worn<const D: usize>(scene: &Scene, prepared: &Prepared<D>, diagnostics: &mut Diagnostics) -> Vec<Worn>
where
    Dim<D>: Kinematics<D>,
{
    let bodies = prepared.items.iter().map(|item| item.name.clone());
    let bodies: Vec<String> = bodies.chain(each("solid", &scene.description.solid).map(|s| s.1)).collect();
    let pairs: Vec<String> = each("contact", &scene.description.contact).map(|c| c.1).collect();
    let find = |kind: &'static str, all: &[String], name: &str| {
        let found = all.iter().position(|n| n == name).map(|i| i as u32);
        found.ok_or_else(|| Problem::UnknownName { kind, name: name.to_owned() })
    };
    let mut all = vec![];
    for (path, name, observe) in each("observe", &scene.description.observe) {
        let Observe::Wear(says) = observe else { continue };
        let found: Result<Rubbing, Fault> = match (&says.between, &says.contact) {
            (Some(names), None) => {
                let find = |pattern: &String| {
                    let all = (0..).zip(&bodies).filter(|b| matches(pattern, b.1));
                    let set: Arc<[u32]> = all.map(|b| b.0).collect();
                    let unknown = || ("between", Problem::UnknownName { kind: "body", name: pattern.clone() });
                    if set.is_empty() { Err(unknown()) } else { Ok(set) }
                };
                find(&names[0]).and_then(|a| Ok(Rubbing::Bodies(a, names.get(1).map(find).transpose()?)))
            }
            (None, Some(pair)) => find("contact", &pairs, pair).map(Rubbing::Pair).map_err(|p| ("contact", p)),
            _ => {
                let what = "wear is observed `between` bodies, or of one `contact`".to_owned();
                Err(("kind", Problem::Inconsistent { what }))
            }
        };
        match found {
            Ok(of) => all.push(Worn { name, of, coefficient: says.coefficient }),
            Err((key, problem)) => {
                let asked = match &problem {
                    Problem::UnknownName { name, .. } => Some(name.clone()),
                    _ => None,
                };
                let told = scene.error(diagnostics, &path.at(key), problem);
                if let Some(asked) = asked {
                    let known = if key == "contact" { &pairs } else { &bodies };
                    told.accepted(&asked, known.iter().map(String::as_str));
                }
            }
        }
    }
    all
}

/// The probes and the flows of a scene.
pub(crate) fn observed<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    diagnostics: &mut Diagnostics,
) -> (Vec<Probe>, Vec<Flow>)
where
    Dim<D>: Kinematics<D>,
{
    let names = Names::new(prepared);
    let (mut probes, mut flows) = (Vec::new(), Vec::new());
    for (path, name, observe) in each("observe", &scene.description.observe) {
        let solids = scene.has_solids();
        let fault = match observe {
            // On a group of solids: theirs.
            Observe::Point(says) if solids && says.on.is_some() => Ok(()),
            Observe::Point(says) => probe(&names, name, says).map(|probe| probes.push(probe)),
            Observe::Wear(_)
            | Observe::Force(_)
            | Observe::Joint(_)
            | Observe::Region(_)
            | Observe::Cell(_)
            | Observe::Group(_)
            | Observe::Formula(_)
            | Observe::Distance(_) => Ok(()),
            Observe::Flow(says) => flow::<D>(scene, &names, name, says).map(|flow| flows.push(flow)),
        };
        if let Err(fault) = fault {
            names.report(scene, &path, fault, diagnostics);
        }
    }
    (probes, flows)
}

fn probe<const D: usize>(names: &Names<D>, name: String, probe: &says::Probe) -> Result<Probe, Fault>
where
    Dim<D>: Kinematics<D>,
{
    let body = names.body(rigid(&format!("observe.{name}"), "body", probe.body.as_ref(), probe.on.is_some())?)?;
    let at = probe.point.as_ref().map_or(Ok(Vector::zeros()), |p| vector::<D>("point", p)).map_err(|p| ("point", p))?;
    let mut point = [0.0; 3];
    point[..D].copy_from_slice(at.as_slice());
    Ok(Probe { name, body, point })
}

fn flow<const D: usize>(scene: &Scene, names: &Names<D>, name: String, flow: &says::Flow) -> Result<Flow, Fault>
where
    Dim<D>: Kinematics<D>,
{
    if !(flow.bottom < flow.top) {
        let what = format!("`top` = {} must be above `bottom` = {}", flow.top, flow.bottom);
        return Err(("top", Problem::Inconsistent { what }));
    }
    let floor = flow.floor.as_deref().map(|floor| names.body(floor)).transpose().map_err(|(_, p)| ("floor", p))?;
    if let Some(free) = floor.filter(|f| names.is_free(*f)) {
        let what = format!("the floor `{}` is a free body: it takes part in the flow", names.name(free));
        return Err(("floor", Problem::Inconsistent { what }));
    }
    let periodic = scene.description.periodic.clone().unwrap_or_default();
    let area = match D {
        2 => periodic.x,
        _ => periodic.x.zip(periodic.y).map(|(x, y)| x * y),
    };
    let Some(area) = area else {
        let axes = if D == 2 { "x" } else { "x and y" };
        let what = format!("a flow is observed in a scene that is periodic along {axes}: give `[periodic]`");
        return Err(("kind", Problem::Inconsistent { what }));
    };
    if scene.description.gravity.as_ref().is_some_and(|g| g.last().is_none_or(|down| !(*down < 0.0))) {
        let what = format!("a flow needs gravity towards its floor: its component {D} must be negative");
        return Err(("kind", Problem::Inconsistent { what }));
    }
    let (slices, classes) = (flow.slices as usize, flow.classes as usize);
    Ok(Flow { name, floor, slices, heights: [flow.bottom, flow.top], classes, area })
}
