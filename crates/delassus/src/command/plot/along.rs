//! What contact does along a surface, at the end of several runs; fields of nodes along an axis.

use super::args::Axis;
use super::{Labelled, curve};
use crate::command::draw::{nodal_field, rounded};
use delassus_draw::{Panel, Quantity, line_style};
use delassus_record::Run;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Nodes nearer to each other along the axis, over its length, are one place.
const SAME: f64 = 1e-9;

/// Contact pressure and gap at the points of surfaces, against their place along an axis.
pub fn panels(runs: &[Labelled], axis: Axis) -> Result<Vec<Panel>, String> {
    let name = AXES[axis as usize];
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
        return Err(format!("--along {}: {file} has dimension {dim}", AXES[axis]));
    }
    let mut all: Vec<[f64; 3]> =
        (0..gap.len()).filter(|i| area[*i] > 0.0).map(|i| [point[dim * i + axis], pressure[i], gap[i]]).collect();
    if all.is_empty() {
        return Err(format!("{file} has no contact between surfaces in its last frame: --along needs [contact.NAME]"));
    }
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(all)
}

/// Fields of nodes against their places at the start, at the frames nearest to some times (the last by default): a
/// panel for each run and field, a line for each solid and time.
pub fn fields(runs: &[Labelled], axis: Axis, names: &[String], at: &[f64]) -> Result<Vec<Panel>, String> {
    let mut all = vec![];
    for Labelled { run, label, .. } in runs {
        let times = run.times();
        let nearest = |t: &f64| (0..times.len()).min_by(|a, b| (times[*a] - t).abs().total_cmp(&(times[*b] - t).abs()));
        let frames: Vec<usize> =
            if at.is_empty() { vec![times.len() - 1] } else { at.iter().filter_map(nearest).collect() };
        for name in names {
            let title = match (runs.len() > 1, names.len() > 1) {
                (false, _) => String::new(),
                (true, false) => label.clone(),
                (true, true) => format!("{label}: {name}"),
            };
            let x = Quantity::new(AXES[axis as usize], "m");
            let mut panel = Panel { title, x, y: Quantity::new(name.clone(), "1"), curves: vec![] };
            for (k, frame) in frames.iter().enumerate() {
                let legend = format!("t = {} s", rounded(times[*frame]));
                let (lines, quantity) = lines(run, *frame, name, axis as usize)?;
                panel.y = quantity;
                let curves = lines.iter().map(|[x, y]| curve(&legend, line_style(k), x, y));
                panel.curves.extend(curves);
            }
            all.push(panel);
        }
    }
    Ok(all)
}

/// Places and values of a line.
type Line = [Vec<f64>; 2];

/// Of each solid places and values; the mean where several nodes have the same place.
fn lines(run: &Run, frame: usize, name: &str, axis: usize) -> Result<(Vec<Line>, Quantity), String> {
    let header = run.header();
    let (values, quantity) = nodal_field(header, &run.read_frame(frame).map_err(|e| e.to_string())?, name)?;
    if axis >= header.dimension {
        return Err(format!("--along {}: {} has dimension {}", AXES[axis], run.path().display(), header.dimension));
    }
    // Shapes of bodies come first.
    let (mut first, mut parts) = (values.len(), vec![]);
    for part in header.geometry.iter().rev() {
        let Some(begin) = first.checked_sub(part.len()).filter(|_| first > 0) else { break };
        parts.push((part, begin));
        first = begin;
    }
    parts.reverse();
    let lines = parts.iter().map(|(part, begin)| {
        let mut nodes: Vec<[f64; 2]> =
            part.points().zip(&values[*begin..]).map(|(x, value)| [x[axis], *value]).collect();
        nodes.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let wide = nodes.last().map_or(0.0, |last| last[0] - nodes[0][0]);
        let places = nodes.chunk_by(|a, b| b[0] - a[0] <= SAME * wide);
        let mean = |place: &[[f64; 2]], k: usize| place.iter().map(|p| p[k]).sum::<f64>() / place.len() as f64;
        let points: Vec<[f64; 2]> = places.map(|p| [mean(p, 0), mean(p, 1)]).collect();
        [0, 1].map(|k| points.iter().map(|p| p[k]).collect())
    });
    Ok((lines.collect(), quantity))
}
