//! Displacement, velocity, contact force and energy of several runs \[Zammali05, chapter 1\].

use super::args::{Axis, PlotArgs};
use super::series::{Series, contact_force, find, total_energy};
use super::{Labelled, curve, exact};
use delassus_draw::{Panel, Quantity, line_style};
use delassus_record::Run;
use delassus_scene::diagnostic::nearest;

/// Names of the observed points of a run.
fn probes(run: &Run) -> Vec<String> {
    let name = |field: &str| Some(field.strip_prefix("probes/")?.strip_suffix("/velocity")?.to_owned());
    run.header().fields.iter().filter_map(|f| name(&f.name)).collect()
}

/// The four panels.
pub fn panels(runs: &[Labelled], args: &PlotArgs) -> Result<Vec<Panel>, String> {
    let probe = chosen(runs, args.probe.as_deref())?;
    let mut motions = vec![];
    for run in runs {
        motions.push((displacement(&run.run, &probe)?, find(&run.run, &format!("probes/{probe}/velocity"))?));
    }
    let axis = axis(&motions, args.axis)?;
    let name = ["x", "y", "z"][axis];
    let panel =
        |title: &str, y: Quantity| Panel { title: title.into(), x: Quantity::new("time", "s"), y, curves: vec![] };
    let mut all = [
        panel("Displacement", Quantity::new(format!("displacement {name} of {probe}"), "m")),
        panel("Velocity", Quantity::new(format!("velocity {name} of {probe}"), "m/s")),
        panel("Contact force", Quantity::new("contact force", "N")),
        panel("Energy", Quantity::new("energy", "J")),
    ];
    for (k, (Labelled { run, label, .. }, (displacement, velocity))) in runs.iter().zip(&motions).enumerate() {
        let (force, energy) = (contact_force(run)?, total_energy(run)?);
        let series = [&displacement[axis], &velocity[axis], &force, &energy];
        for (panel, series) in all.iter_mut().zip(series) {
            panel.curves.push(curve(label, line_style(k), run.times(), &series.values));
        }
    }
    if let Some(problem) = args.exact {
        let end = runs.iter().filter_map(|r| r.run.times().last()).fold(0.0, |a: f64, t| a.max(*t));
        let first = motions.first().and_then(|m| m.1[axis].values.first().copied()).unwrap_or(0.0);
        let curves = exact::curves(problem, &runs[0].run, first, end)?;
        all.iter_mut().zip(curves).for_each(|(panel, curve)| panel.curves.push(curve));
    }
    Ok(all.to_vec())
}

/// The observed point asked for, which every run must have.
fn chosen(runs: &[Labelled], asked: Option<&str>) -> Result<String, String> {
    let first = probes(&runs[0].run);
    let probe = match (asked, first.as_slice()) {
        (Some(name), _) => name.to_owned(),
        (None, [only]) => only.clone(),
        (None, []) => {
            let file = runs[0].run.path().display();
            return Err(format!("{file} observed no point: give the scene [observe.NAME], then run it again"));
        }
        (None, several) => {
            return Err(format!("--probe NAME chooses among the observed points: {}", several.join(", ")));
        }
    };
    for Labelled { run, .. } in runs {
        let names = probes(run);
        if !names.contains(&probe) {
            let words: Vec<&str> = names.iter().map(String::as_str).collect();
            let hint = match (nearest(&probe, &words), words.as_slice()) {
                (Some(near), _) => format!("; did you mean '{near}'?"),
                (None, []) => String::new(),
                (None, all) => format!("; there are: {}", all.join(", ")),
            };
            return Err(format!("no point '{probe}' is observed in {}{hint}", run.path().display()));
        }
    }
    Ok(probe)
}

/// Recorded, or from the positions.
fn displacement(run: &Run, probe: &str) -> Result<Vec<Series>, String> {
    let recorded = format!("probes/{probe}/displacement");
    if run.header().position(&recorded).is_some() {
        return find(run, &recorded);
    }
    let mut all = find(run, &format!("probes/{probe}/position"))?;
    for series in &mut all {
        let start = series.values.first().copied().unwrap_or(0.0);
        series.values.iter_mut().for_each(|x| *x -= start);
    }
    Ok(all)
}

/// The component asked for, or the one that moves most.
fn axis(motions: &[(Vec<Series>, Vec<Series>)], asked: Option<Axis>) -> Result<usize, String> {
    let width = motions.iter().map(|m| m.0.len().min(m.1.len())).min().unwrap_or(0);
    if let Some(axis) = asked {
        return match (axis as usize) < width {
            true => Ok(axis as usize),
            false => Err(format!("--axis {}: the runs have dimension {width}", ["x", "y", "z"][axis as usize])),
        };
    }
    let way = |k: usize| {
        let all = motions.iter().flat_map(|m| &m.0[k].values).filter(|x| x.is_finite());
        all.fold(0.0, |a: f64, x| a.max(x.abs()))
    };
    (0..width).reduce(|a, b| if way(b) > way(a) { b } else { a }).ok_or_else(|| "the runs have no motion".into())
}
