//! Beams: points, a section, a material.

use super::super::forces::Fault;
use super::parts::Substance;
use super::{inconsistent, spatial};
use crate::description as says;
use crate::diagnostic::Problem;
use delassus_fem::element::beam::{Section, Theory};
use delassus_fem::material::Material;
use delassus_fem::model::{Beam, BeamSpec};
use std::collections::BTreeMap;

/// Names of the groups that every beam has.
const GROUPS: [&str; 3] = ["start", "end", "all"];

/// Names of the groups of a beam.
pub(super) fn groups(beam: &Beam) -> impl Iterator<Item = &str> {
    GROUPS.into_iter().chain(beam.groups.keys().map(String::as_str))
}

/// Nodes of a group of a beam.
pub(super) fn nodes(beam: &Beam, group: &str) -> Option<Vec<u32>> {
    let (first, last) = (beam.first as u32, (beam.first + beam.count - 1) as u32);
    match group {
        "start" => Some(vec![first]),
        "end" => Some(vec![last]),
        "all" => Some((first..last + 1).collect()),
        _ => beam.groups.get(group).map(|nodes| nodes.iter().map(|n| first + n).collect()),
    }
}

/// A beam as the model wants it.
pub(super) fn spec(beam: &says::Beam, name: &str, substance: &Substance, dimension: usize) -> Result<BeamSpec, Fault> {
    let Material::Elastic { young, poisson } = substance.law else {
        return Err(("material", inconsistent("beams are elastic: give them a material of `behaviour = \"elastic\"`")));
    };
    if dimension == 2 && beam.up.is_some() {
        return Err(("up", inconsistent("`up` is for space: in the plane the height of a section lies in it")));
    }
    let points = points(beam, name, dimension)?;
    let mut section = section(&beam.section, name, [young, poisson, substance.density])?;
    if let Some(kappa) = beam.section.shear_correction {
        section.correction = [kappa; 2];
    }
    section.theory = match beam.theory {
        Some(says::BeamTheory::Bernoulli) => Theory::Bernoulli,
        None | Some(says::BeamTheory::Timoshenko) => Theory::Timoshenko,
    };
    Ok(BeamSpec {
        groups: select(&beam.group, &points, dimension)?,
        offset: offset(&beam.section, dimension),
        rayleigh: beam.rayleigh.as_ref().map_or([0.0; 2], |r| [r[0], r[1]]),
        name: name.to_owned(),
        points,
        section,
        velocity: beam.velocity.as_ref().map_or(Ok([0.0; 3]), |v| spatial("velocity", v, dimension))?,
        up: beam.up.as_ref().map_or(Ok([0.0, 0.0, 1.0]), |up| spatial("up", up, 3))?,
    })
}

/// How far the skin of a section is from the axis, where that is one number.
fn offset(section: &says::CrossSection, dimension: usize) -> Option<f64> {
    let round = section.radius.or(section.diameter.map(|d| 0.5 * d));
    round.or(section.height.filter(|_| dimension == 2).map(|h| 0.5 * h))
}

/// Groups of nodes by place.
fn select(
    says: &BTreeMap<String, says::Selection>,
    points: &[[f64; 3]],
    dimension: usize,
) -> Result<BTreeMap<String, Vec<u32>>, Fault> {
    let mut all = BTreeMap::new();
    for (name, selection) in says {
        let refuse = |what: &str| ("group", inconsistent(format!("the group `{name}` {what}")));
        if GROUPS.contains(&name.as_str()) {
            return Err(refuse("is one that every beam has: give it another name"));
        }
        let nodes: Vec<u32> = match (&selection.near, &selection.min, &selection.max) {
            _ if selection.facets => return Err(refuse("cannot have facets: it is of a beam")),
            (Some(near), None, None) => {
                let near = spatial("group", near, dimension)?;
                let square = |p: &[f64; 3]| (0..3).map(|k| (p[k] - near[k]).powi(2)).sum::<f64>();
                let nearest =
                    (0..points.len()).min_by(|a, b| f64::total_cmp(&square(&points[*a]), &square(&points[*b])));
                nearest.into_iter().map(|n| n as u32).collect()
            }
            (None, Some(min), Some(max)) => {
                let (min, max) = (spatial("group", min, dimension)?, spatial("group", max, dimension)?);
                let inside = |p: &[f64; 3]| (0..dimension).all(|k| min[k] <= p[k] && p[k] <= max[k]);
                points.iter().zip(0..).filter(|(p, _)| inside(p)).map(|(_, n)| n).collect()
            }
            _ => return Err(refuse("needs `near`, or both `min` and `max`")),
        };
        if nodes.is_empty() {
            return Err(refuse("has no nodes"));
        }
        all.insert(name.clone(), nodes);
    }
    Ok(all)
}

fn points(beam: &says::Beam, name: &str, dimension: usize) -> Result<Vec<[f64; 3]>, Fault> {
    let missing = |key: &str| Problem::MissingKey { parent: format!("beam.{name}"), key: key.into() };
    match (&beam.points, &beam.from, &beam.to) {
        (Some(points), None, None) if beam.cells.is_none() => {
            points.iter().map(|p| spatial("points", p, dimension)).collect()
        }
        (Some(_), ..) => Err(("points", inconsistent("a beam has `points`, or `from`, `to` and `cells`, not both"))),
        (None, None, None) => Err(("section", missing("points"))),
        (None, None, Some(_)) => Err(("to", missing("from"))),
        (None, Some(_), None) => Err(("from", missing("to"))),
        (None, Some(from), Some(to)) => {
            let (a, b) = (spatial("from", from, dimension)?, spatial("to", to, dimension)?);
            let cells = beam.cells.unwrap_or(1);
            let at = |i: u32| f64::from(i) / f64::from(cells);
            Ok((0..=cells).map(|i| std::array::from_fn(|k| a[k] + at(i) * (b[k] - a[k]))).collect())
        }
    }
}

fn section(says: &says::CrossSection, name: &str, [young, poisson, density]: [f64; 3]) -> Result<Section, Fault> {
    let radius = match (says.radius, says.diameter) {
        (Some(_), Some(_)) => return Err(("section", inconsistent("a section has `radius` or `diameter`, not both"))),
        (radius, diameter) => radius.or(diameter.map(|d| 0.5 * d)),
    };
    match (says.width, says.height, radius, says.wall) {
        (Some(width), Some(height), None, None) => Ok(Section::rectangle(young, poisson, density, [height, width])),
        (None, None, Some(radius), wall) => match wall.unwrap_or(radius) {
            wall if wall <= radius => Ok(Section::tube(young, poisson, density, [radius, wall])),
            wall => {
                let what = format!("the wall of `{name}`, {wall} m, is thicker than the radius, {radius} m");
                Err(("section", inconsistent(what)))
            }
        },
        _ => {
            let what = format!(
                "the section of `{name}` needs `width` and `height`, or `radius` alone, or `diameter`; a tube also `wall`"
            );
            Err(("section", inconsistent(what)))
        }
    }
}
