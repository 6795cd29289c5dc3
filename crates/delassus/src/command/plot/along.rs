//! What contact does along a surface, at the end of several runs.

use super::args::Axis;
use super::{Labelled, curve};
use delassus_draw::{Panel, Quantity, line_style};
use delassus_record::Run;

/// Contact pressure and gap at the points of surfaces, against their place along an axis.
pub fn panels(runs: &[Labelled], axis: Axis) -> Result<Vec<Panel>, String> {
    let name = ["x", "y", "z"][axis as usize];
    let panel =
        |title: &str, y: Quantity| Panel { title: title.into(), x: Quantity::new(name, "m"), y, curves: vec![] };
    let mut all = [panel("Contact pressure", Quantity::new("pressure", "Pa")), panel("Gap", Quantity::new("gap", "m"))];
    for (k, Labelled { run, label, .. }) in runs.iter().enumerate() {
        let points = points(run, axis as usize)?;
        let places: Vec<f64> = points.iter().map(|p| p[0]).collect();
        for (column, panel) in all.iter_mut().enumerate() {
            let values: Vec<f64> = points.iter().map(|p| p[1 + column]).collect();
            panel.curves.push(curve(label, line_style(k), &places, &values));
        }
    }
    Ok(all.to_vec())
}

/// Place, pressure, gap of the last frame, in the order of the places.
fn points(run: &Run, axis: usize) -> Result<Vec<[f64; 3]>, String> {
    let (file, last) = (run.path().display(), run.frames() - 1);
    let read = |field: &str| run.read(last, field).map(|c| c.to_f64()).map_err(|e| e.to_string());
    let (point, pressure, gap, area) =
        (read("contacts/point")?, read("contacts/pressure")?, read("contacts/gap")?, read("contacts/area")?);
    let dim = point.len() / gap.len().max(1);
    if axis >= dim && !gap.is_empty() {
        return Err(format!("--along {}: {file} has dimension {dim}", ["x", "y", "z"][axis]));
    }
    let mut all: Vec<[f64; 3]> =
        (0..gap.len()).filter(|i| area[*i] > 0.0).map(|i| [point[dim * i + axis], pressure[i], gap[i]]).collect();
    if all.is_empty() {
        return Err(format!("{file} has no contact between surfaces in its last frame: --along needs [contact.NAME]"));
    }
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(all)
}
