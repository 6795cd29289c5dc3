//! Beams: points, a section, a material.

use super::super::forces::Fault;
use super::parts::Substance;
use super::{inconsistent, spatial};
use crate::description as says;
use crate::diagnostic::Problem;
use delassus_fem::element::beam::Section;
use delassus_fem::material::Material;
use delassus_fem::model::{Beam, BeamSpec};
use std::f64::consts::PI;

/// Names of the groups of a beam.
pub(super) const GROUPS: [&str; 3] = ["start", "end", "all"];

/// Nodes of a group of a beam.
pub(super) fn nodes(beam: &Beam, group: &str) -> Option<std::ops::Range<u32>> {
    let (first, last) = (beam.first as u32, (beam.first + beam.count - 1) as u32);
    match group {
        "start" => Some(first..first + 1),
        "end" => Some(last..last + 1),
        "all" => Some(first..last + 1),
        _ => None,
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
    let zero = || Ok([0.0; 3]);
    Ok(BeamSpec {
        name: name.to_owned(),
        points: points(beam, name, dimension)?,
        section: section(&beam.section, name, [young, poisson, substance.density])?,
        up: beam.up.as_ref().map_or(Ok([0.0, 0.0, 1.0]), |up| spatial("up", up, 3))?,
        velocity: beam.velocity.as_ref().map_or_else(zero, |v| spatial("velocity", v, dimension))?,
    })
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
    match (says.width, says.height, says.radius) {
        (Some(width), Some(height), None) => Ok(Section::rectangle(young, poisson, density, [height, width])),
        (None, None, Some(radius)) => Ok(circle(radius, [young, poisson, density])),
        _ => {
            let what = format!("the section of `{name}` needs `width` and `height`, or `radius` alone");
            Err(("section", inconsistent(what)))
        }
    }
}

/// A full circle; κ = 9/10 is to it what 5/6 is to a rectangle: the energy of Jourawski's shear.
fn circle(radius: f64, [young, poisson, density]: [f64; 3]) -> Section {
    let inertia = PI * radius.powi(4) / 4.0;
    Section {
        young,
        shear: young / (2.0 * (1.0 + poisson)),
        density,
        area: PI * radius * radius,
        inertia: [inertia; 2],
        torsion: 2.0 * inertia,
        correction: [0.9; 2],
    }
}
