//! `plot`: recorded series against time, several runs in one figure.

mod along;
mod args;
mod compare;
mod exact;
mod multiples;
pub(super) mod series;
mod table;
mod variants;

pub use args::PlotArgs;
pub(super) use table::quoted;

use super::output::{Output, complain};
use super::{Verdict, bytes, guarded, names, runs, scene};
use delassus_draw::{Chart, Curve, Head, Panel, Point, Quantity, Scale, Stroke, line_style};
use delassus_record::Run;
use series::Series;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A run and its name in the legend.
pub(super) struct Labelled {
    run: Run,
    label: String,
    /// Whether a run that was asked for here came to its end with every step certified.
    certified: bool,
}

/// Plots.
pub fn run(args: &PlotArgs) -> ExitCode {
    let result = guarded(|| plot(args)).unwrap_or_else(Err);
    match result {
        Ok((message, verdict)) => {
            if !args.quiet && !message.is_empty() {
                Output::default().line(&message);
            }
            verdict.into()
        }
        Err(message) => {
            complain(&message);
            Verdict::BadInput.into()
        }
    }
}

fn plot(args: &PlotArgs) -> Result<(String, Verdict), String> {
    let (runs, names) = opened(args)?;
    let verdict = if runs.iter().all(|r| r.certified) { Verdict::Solved } else { Verdict::NotSolved };
    if args.list {
        return Ok((listed(&runs), verdict));
    }
    if let (Some(from), Some(to)) = (args.from, args.to)
        && !(from < to)
    {
        return Err(format!("--from {from} is not before --to {to}"));
    }
    let mut panels = match (args.compare, args.along) {
        (true, _) if !names.is_empty() => {
            return Err(format!("--compare chooses its own series: leave out '{}', or --compare", names[0]));
        }
        (_, Some(axis)) if !names.is_empty() => along::fields(&runs, axis, &names, &args.at)?,
        (_, Some(_)) if !args.at.is_empty() => return Err("--at is for fields of nodes: name one".into()),
        (_, Some(axis)) => along::panels(&runs, axis)?,
        (true, _) => compare::panels(&runs, args)?,
        (false, _) if names.is_empty() => {
            let file = runs[0].run.path().display();
            return Err(format!("nothing to plot: name a series; 'delassus plot {file} --list' lists them"));
        }
        (false, _) => grouped(&runs, &names)?,
    };
    window(&mut panels, args);
    if let Some(name) = &args.against {
        against(&mut panels, &runs, name)?;
    }
    let mut told = vec![];
    if let Some(path) = &args.csv {
        names::spare(path, runs.iter().map(|r| r.run.path().to_path_buf()).collect::<Vec<_>>().iter())?;
        if scene::write(path, &table::text(&panels)) != Verdict::Solved {
            return Err(format!("{} was not written", path.display()));
        }
        if path != Path::new("-") {
            told.push(format!("{}: {} curves", path.display(), panels.iter().map(|p| p.curves.len()).sum::<usize>()));
        }
    }
    if args.output.is_some() || args.csv.is_none() {
        if args.log {
            panels.iter_mut().for_each(logarithmic);
        }
        if args.multiples || (runs.len() > multiples::MANY && !args.together) {
            panels = multiples::apart(panels, &runs.iter().map(|r| r.label.clone()).collect::<Vec<_>>());
        }
        told.push(draw(panels, &runs, args)?);
    }
    Ok((told.join("\n"), verdict))
}

/// Whether an argument names a scene: a file, or one of the gallery.
fn is_scene(text: &str) -> bool {
    text.ends_with(".toml") || delassus_scene::example(text).is_ok()
}

/// Runs and the names of series, in the order given.
fn opened(args: &PlotArgs) -> Result<(Vec<Labelled>, Vec<String>), String> {
    let is_run = |text: &&String| Path::new(text.as_str()).is_file() || text.ends_with(".h5");
    let (files, names): (Vec<&String>, Vec<&String>) = args.items.iter().partition(is_run);
    if let ([scene, fields @ ..], true) = (args.items.as_slice(), is_scene(&args.items[0])) {
        let each = args.compare || args.along.is_some() || !args.variants.is_empty();
        if !each && fields.is_empty() && !args.list {
            let list = format!("'delassus plot {scene} --list' runs it and lists them");
            return Err(format!("nothing to plot of {scene}: name a series; {list}"));
        }
        let runs = if each { variants::runs(scene, args)? } else { vec![variants::single(scene, args)?] };
        return Ok((relabelled(runs, args)?, fields.to_vec()));
    }
    if !args.set.is_empty() || !args.variants.is_empty() {
        return Err("--set and --variant are for scenes: give one, which is run, instead of runs".into());
    }
    if files.is_empty() {
        return Err(format!(
            "'{}' is no run and no scene: give a file that 'delassus run' wrote or a scene, then what to plot",
            args.items[0]
        ));
    }
    let stem = names::stem;
    let alone = |f: &str| files.iter().filter(|g| stem(g) == stem(f)).count() == 1;
    let mut runs = vec![];
    for file in files.iter().copied() {
        let run = runs::verified(Path::new(file))?;
        if run.frames() == 0 {
            return Err(format!("{file} has no frame yet: nothing to plot"));
        }
        let label = if alone(file) { stem(file) } else { (*file).clone() };
        runs.push(Labelled { run, label, certified: true });
    }
    Ok((relabelled(runs, args)?, names.into_iter().cloned().collect()))
}

/// With the names that were asked for.
fn relabelled(mut runs: Vec<Labelled>, args: &PlotArgs) -> Result<Vec<Labelled>, String> {
    if args.labels.len() > runs.len() {
        return Err(format!("{} labels for {} runs", args.labels.len(), runs.len()));
    }
    runs.iter_mut().zip(&args.labels).for_each(|(run, label)| run.label.clone_from(label));
    Ok(runs)
}

fn listed(runs: &[Labelled]) -> String {
    let mut lines = vec![];
    for Labelled { run, .. } in runs {
        let (end, frames) = (run.times().last().copied().unwrap_or(0.0), run.frames());
        lines.push(format!("{}: {frames} frames to {} s", run.path().display(), super::draw::rounded(end)));
        let all = series::list(run);
        let width = all.iter().map(|[name, ..]| name.len()).max().unwrap_or(0);
        lines.extend(all.iter().map(|[name, unit, about]| format!("  {name:width$}  {unit:8} {about}")));
    }
    lines.join("\n")
}

/// One panel for each unit, in the order in which units appear.
fn grouped(runs: &[Labelled], names: &[String]) -> Result<Vec<Panel>, String> {
    let mut panels: Vec<Panel> = vec![];
    let mut styles: Vec<String> = vec![];
    let several = runs.len() > 1;
    let mut plain = true;
    let mut found: Vec<(&Labelled, Series)> = vec![];
    for name in names {
        for run in runs {
            found.extend(series::find(&run.run, name)?.into_iter().map(|s| (run, s)));
        }
    }
    let first = found.first().map(|f| f.1.name.clone()).unwrap_or_default();
    plain &= found.iter().all(|f| f.1.name == first);
    for (run, series) in found {
        let name = match (several, plain) {
            (true, true) => run.label.clone(),
            (true, false) => format!("{}: {}", run.label, series.name),
            (false, _) => series.name.clone(),
        };
        let style = styles.iter().position(|s| *s == name).unwrap_or_else(|| {
            styles.push(name.clone());
            styles.len() - 1
        });
        let curve = curve(&name, line_style(style), run.run.times(), &series.values);
        match panels.iter_mut().find(|p| p.y.unit == series.unit) {
            Some(panel) if panel.curves.iter().any(|c| c.name == curve.name) => {}
            Some(panel) => {
                if panel.y.name != short(&series.name) {
                    panel.y.name = common(&panel.y.name, &short(&series.name));
                }
                panel.curves.push(curve);
            }
            None => panels.push(Panel {
                title: String::new(),
                x: Quantity::new("time", "s"),
                y: Quantity::new(short(&series.name), series.unit.clone()),
                curves: vec![curve],
            }),
        }
    }
    Ok(panels)
}

/// Another series on the horizontal axis: the one of the run of each curve, at the same frames.
fn against(panels: &mut [Panel], runs: &[Labelled], name: &str) -> Result<(), String> {
    let mut across = vec![];
    for run in runs {
        let [one] = <[Series; 1]>::try_from(series::find(&run.run, name)?).map_err(|all| {
            let names = all.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", ");
            format!("--against {name} means {names}: name one of them")
        })?;
        across.push(one);
    }
    for panel in panels {
        panel.x = Quantity::new(whole(&across[0].name), across[0].unit.clone());
        // Two places of one body are told apart by their components.
        if let [one] = panel.curves.as_slice()
            && runs.len() == 1
        {
            panel.y.name = whole(&one.name);
        }
        for curve in &mut panel.curves {
            // Curves of several runs begin with their names.
            let own =
                runs.iter().position(|r| curve.name == r.label || curve.name.starts_with(&format!("{}: ", r.label)));
            let (run, x) = (&runs[own.unwrap_or(0)].run, &across[own.unwrap_or(0)].values);
            for point in &mut curve.points {
                let frame = run.times().partition_point(|t| *t < point[0]);
                point[0] = x[frame.min(x.len() - 1)];
            }
        }
    }
    Ok(())
}

/// The last part of a name, without component; of a formula, that of what it computes.
fn short(name: &str) -> String {
    let last = formula(name).unwrap_or(name.rsplit('/').next().unwrap_or(name));
    last.split(['.', '[']).next().unwrap_or(last).replace('_', " ")
}

/// What a formula of the scene computes.
fn formula(name: &str) -> Option<&str> {
    name.strip_prefix("observe/")?.strip_suffix("/value")
}

/// A name without the words that say only where it is in the file.
fn whole(name: &str) -> String {
    if let Some(what) = formula(name) {
        return what.to_owned();
    }
    ["observe/", "probes/", "bodies/"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name).to_owned()
}

/// Names of several curves on one axis.
fn common(a: &str, b: &str) -> String {
    if a.split(", ").any(|part| part == b) || a.len() > 40 { a.to_owned() } else { format!("{a}, {b}") }
}

pub(super) fn curve(name: &str, stroke: Stroke, times: &[f64], values: &[f64]) -> Curve {
    let points: Vec<Point> = times.iter().zip(values).map(|(t, y)| [*t, *y]).collect();
    Curve { name: name.to_owned(), stroke, points }
}

/// Leaves out what is not in the window of time.
fn window(panels: &mut [Panel], args: &PlotArgs) {
    let (from, to) = (args.from.unwrap_or(f64::NEG_INFINITY), args.to.unwrap_or(f64::INFINITY));
    for curve in panels.iter_mut().flat_map(|p| &mut p.curves) {
        curve.points.retain(|p| (from..=to).contains(&p[0]));
    }
}

/// Magnitudes on a logarithmic axis; zeros interrupt the line.
fn logarithmic(panel: &mut Panel) {
    panel.y.scale = Scale::Logarithmic;
    for point in panel.curves.iter_mut().flat_map(|c| &mut c.points) {
        point[1] = point[1].abs();
    }
}

fn draw(panels: Vec<Panel>, runs: &[Labelled], args: &PlotArgs) -> Result<String, String> {
    // Apart from NAME.svg, which is what 'draw' writes.
    let usual = || {
        let stem = names::stem(&runs[0].run.path().to_string_lossy());
        let kind = if args.compare || args.along.is_some() { "comparison" } else { "plot" };
        PathBuf::from(format!("{stem}_{kind}.svg"))
    };
    let path = args.output.clone().unwrap_or_else(usual);
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let svg = match extension.as_deref() {
        Some("svg") => true,
        Some("png") => false,
        _ => return Err(format!("{}: pictures are .svg or .png", path.display())),
    };
    let usual = runs[0].run.header().title.clone();
    let same = runs.iter().all(|r| r.run.header().title == usual);
    let mut head = Head::new(args.title.clone().unwrap_or(if same { usual } else { String::new() }));
    if let Some((width, height)) = args.size {
        (head.width, head.height) = (width, height);
    }
    let count = panels.iter().map(|p| p.curves.len()).sum::<usize>();
    let picture = Chart { head, panels }.picture().map_err(|e| e.to_string())?;
    let written = match svg {
        true => picture.to_svg().map(String::into_bytes),
        false => picture.to_png(args.scale.unwrap_or(2.0)),
    };
    let written = written.map_err(|e| e.to_string())?;
    std::fs::write(&path, &written).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    Ok(format!("{}: {count} curves, {}", path.display(), bytes(written.len() as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a formula computes has the name that the scene gave it; other series that of their last part.
    #[test]
    fn axes_are_named_by_what_they_show() {
        assert_eq!(["observe/sine/value", "observe/cell/stress.xy"].map(short), ["sine", "stress"]);
        assert_eq!(["observe/strain/value", "bodies/position[a].x"].map(whole), ["strain", "position[a].x"]);
    }
}
