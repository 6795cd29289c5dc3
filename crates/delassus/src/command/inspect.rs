//! `info` and `export`: what a run holds, and how to take it elsewhere.

use super::draw::rounded;
use super::flow::{self, Means};
use super::output::{Output, complain};
use super::run::balance;
use super::scene_args::{ExportArgs, InfoArgs};
use super::{Verdict, bytes, names, observed, runs, scene};
use delassus_record::{Error, Extent, Run, Series, VtkOptions, export_vtk, write_csv};
use serde_json::json;
use std::process::ExitCode;

fn refused(error: &impl std::fmt::Display) -> ExitCode {
    complain(&error.to_string());
    Verdict::BadInput.into()
}

/// Says what a run holds.
pub fn info(args: &InfoArgs) -> ExitCode {
    // Means of flows are over many frames; the rest is read from the last one, which has its hash.
    let open = if args.verify || args.average_from.is_some() { runs::verified } else { runs::open };
    let run = match open(&args.run) {
        Ok(run) => run,
        Err(message) => return refused(&message),
    };
    let flows = match flows(&run, args.average_from) {
        Ok(flows) => flows,
        Err(code) => return code,
    };
    let seen = match observed::all(&run) {
        Ok(seen) => seen,
        Err(message) => return refused(&message),
    };
    let text = match args.json {
        true => Ok(as_json(&run, &flows, &seen)),
        false => as_text(&run, args.verify, &flows, &seen),
    };
    match text {
        Ok(text) => {
            Output::default().line(&text);
            ExitCode::SUCCESS
        }
        Err(error) => refused(&error),
    }
}

/// The observed flows, averaged from a time on.
fn flows(run: &Run, from: Option<f64>) -> Result<Vec<Means>, ExitCode> {
    let names = flow::names(run);
    let Some(&end) = run.times().last() else { return Ok(vec![]) };
    if from.is_some() && names.is_empty() {
        complain(&format!(
            "{}: no flow was observed; give the scene [observe.NAME] with kind = \"flow\"",
            run.path().display()
        ));
        return Err(Verdict::BadInput.into());
    }
    let from = from.unwrap_or(0.5 * end);
    let mut all = vec![];
    for name in names {
        match Means::new(run, &name, from, end).map_err(|error| refused(&error))? {
            Some(means) => all.push(means),
            None if run.frames() > 1 => {
                complain(&format!("--average-from {from}: the last frame is at {} s", rounded(end)));
                return Err(Verdict::BadInput.into());
            }
            None => {}
        }
    }
    Ok(all)
}

fn bodies(run: &Run) -> usize {
    let field = run.header().fields.iter().find(|f| f.name == "bodies/position");
    match field.map(|f| &f.extent) {
        Some(Extent::Fixed(n)) => *n,
        _ => 0,
    }
}

/// Whether it is a run of deformable solids.
fn is_of_solids(run: &Run) -> bool {
    run.header().attributes.get("model").map(String::as_str) == Some("solids")
}

fn as_text(run: &Run, verified: bool, flows: &[Means], seen: &[observed::Observed]) -> Result<String, Error> {
    let (header, frames) = (run.header(), run.frames());
    let mut lines = vec![format!("{} ({}D, {})", header.title, header.dimension, header.program)];
    let (first, end) = (run.times().first().copied().unwrap_or(0.0), run.times().last().copied().unwrap_or(0.0));
    let steps = run.steps().last().copied().unwrap_or(0);
    lines.push(format!("frames    {frames}, from {} s to {} s, step {steps}", rounded(first), rounded(end)));
    let size = run.file_bytes();
    let each = |n: usize| size as f64 / (n.max(1) * frames.max(1)) as f64;
    match is_of_solids(run) {
        false => {
            let n = bodies(run);
            lines.push(format!("bodies    {n}; {} on disk, {:.0} bytes per body and frame", bytes(size), each(n)));
        }
        true => {
            let nodes: usize = header.geometry.iter().map(|g| g.len()).sum();
            let cells: usize = header.geometry.iter().map(|g| g.polygons().len()).sum();
            let solids = header.geometry.len();
            let of = format!("{solids} of {cells} cells and {nodes} nodes");
            lines.push(format!("solids    {of}; {} on disk, {:.0} bytes per node and frame", bytes(size), each(nodes)));
            let word = |key: &str| header.attributes.get(key).map_or("", String::as_str);
            lines.push(format!("analysis  scheme {}, formalism {}", word("scheme"), word("formalism")));
        }
    }
    if frames > 0 && header.position("worst/residual").is_some() {
        let frame = run.read_frame(frames - 1)?;
        let last = |name: &str| runs::value(run, &frame, name);
        lines.push(format!(
            "steps     residual at most {:.1e}, {}penetration at most {:.1e} m, {} above the tolerance",
            last("worst/residual"),
            balance(last("worst/balance")),
            last("worst/penetration"),
            last("count/flagged")
        ));
        let strain = match header.position("energy/strain") {
            Some(_) => format!(" strain {:.4e} J,", last("energy/strain")),
            None => String::new(),
        };
        lines.push(format!(
            "energy    kinetic {:.4e} J, potential {:.4e} J,{} balance closes to {:.1e} J",
            last("energy/kinetic"),
            last("energy/potential"),
            strain,
            last("work/closing")
        ));
    }
    if frames > 0 {
        lines.extend(worn(run)?);
    }
    if !header.overrides.is_empty() {
        lines.push(format!("changed   {}", header.overrides.join(", ")));
    }
    let recovery = run.recovery();
    if recovery.journal_frames > 0 || recovery.dropped_bytes > 0 {
        lines.push(format!(
            "recovered {} frames from the journal, {} bytes of an incomplete frame dropped",
            recovery.journal_frames, recovery.dropped_bytes
        ));
    }
    if verified {
        lines.push("verified  every frame agrees with its hash".into());
    }
    lines.extend(flows.iter().flat_map(Means::text));
    lines.extend(observed::text(seen));
    lines.push("fields".into());
    for f in &header.fields {
        let items = match &f.extent {
            Extent::Fixed(n) => format!("{n} × {}", f.width),
            Extent::Ragged(group) => format!("{group} × {}", f.width),
            Extent::Scalar => format!("{}", f.width),
        };
        lines.push(format!("  {:22} {:>14} {:8} {}", f.name, items, f.unit, f.about));
    }
    Ok(lines.join("\n"))
}

/// What observed pairs have rubbed, a line for each.
fn worn(run: &Run) -> Result<Vec<String>, Error> {
    let frame = run.read_frame(run.frames() - 1)?;
    let names = run.header().fields.iter().filter_map(|f| f.name.strip_prefix("wear/")?.strip_suffix("/friction"));
    let line = |name: &str| {
        let last = |what: &str| runs::value(run, &frame, &format!("wear/{name}/{what}"));
        let volume = match run.header().position(&format!("wear/{name}/volume")) {
            Some(_) => format!(", worn {:.4e} m3", last("volume")),
            None => String::new(),
        };
        format!(
            "wear      {name}: friction took {:.4e} J, shocks {:.4e} J, sliding {:.4e} J, pressed by {:.4e} N s{volume}",
            last("friction"),
            last("shock"),
            last("sliding"),
            last("impulse")
        )
    };
    Ok(names.map(line).collect())
}

fn as_json(run: &Run, flows: &[Means], seen: &[observed::Observed]) -> String {
    let header = run.header();
    let fields: Vec<_> = header
        .fields
        .iter()
        .map(|f| json!({ "name": f.name, "kind": f.kind.name(), "width": f.width, "unit": f.unit, "about": f.about }))
        .collect();
    let value = json!({
        "title": header.title,
        "program": header.program,
        "dimension": header.dimension,
        "overrides": header.overrides,
        "bodies": bodies(run),
        "frames": run.frames(),
        "times": run.times(),
        "steps": run.steps(),
        "bytes": run.file_bytes(),
        "flows": flows.iter().map(Means::json).collect::<Vec<_>>(),
        "observed": seen.iter().map(observed::Observed::json).collect::<Vec<_>>(),
        "fields": fields,
    });
    serde_json::to_string_pretty(&value).expect("numbers of a run are finite")
}

/// Writes VTK, CSV, the scene.
pub fn export(args: &ExportArgs) -> ExitCode {
    if args.vtk.is_none() && args.csv.is_none() && args.scene.is_none() {
        complain("nothing to export: give --vtk DIR, --csv FILE or --scene FILE");
        return Verdict::BadInput.into();
    }
    for path in args.csv.iter().chain(&args.scene) {
        if let Err(message) = names::spare(path, [&args.run]) {
            return refused(&message);
        }
    }
    let run = match runs::verified(&args.run) {
        Ok(run) => run,
        Err(message) => return refused(&message),
    };
    if let Some(folder) = &args.vtk {
        match export_vtk(&run, folder, &VtkOptions { every: args.every }) {
            Ok(done) => Output::default().line(&format!(
                "{}: {} frames in {} files, {}; open {} and contacts.pvd in ParaView",
                folder.display(),
                done.frames,
                done.files,
                bytes(done.bytes),
                match (is_of_solids(&run), run.header().position("nodes/displacement")) {
                    (true, _) => "solids.pvd",
                    (false, Some(_)) => "bodies.pvd, solids.pvd",
                    (false, None) => "bodies.pvd",
                }
            )),
            Err(error) => return refused(&error),
        }
    }
    if let Some(path) = &args.csv {
        let written = series(&run, args).and_then(|series| {
            let mut text = vec![];
            write_csv(&run, &series, &mut text).map_err(|e| e.to_string())?;
            Ok(text)
        });
        let text = match written {
            Ok(text) => String::from_utf8(text).unwrap_or_default(),
            Err(message) => {
                complain(&message);
                return Verdict::BadInput.into();
            }
        };
        let verdict = scene::write(path, &text);
        if verdict != Verdict::Solved {
            return verdict.into();
        }
    }
    match &args.scene {
        Some(path) => scene::write(path, &run.header().scene).into(),
        None => ExitCode::SUCCESS,
    }
}

/// The series asked for; all scalars when none is.
fn series(run: &Run, args: &ExportArgs) -> Result<Vec<Series>, String> {
    if args.field.is_empty() && args.body.is_empty() {
        return Ok(Series::scalars(run));
    }
    let mut wanted: Vec<Series> = args.field.iter().map(|f| Series { field: f.clone(), item: 0 }).collect();
    for name in &args.body {
        let named = run.header().geometry.iter().find(|g| *g.name == **name).map(|g| g.body as usize);
        let Some(item) = named.or_else(|| name.parse().ok()) else {
            let names: Vec<&str> = run.header().geometry.iter().map(|g| &*g.name).take(20).collect();
            let (file, names) = (run.path().display(), names.join(", "));
            return Err(format!("no body '{name}' in {file}: give an index or a name, such as {names}"));
        };
        let fields = ["position", "orientation", "velocity", "spin"];
        wanted.extend(fields.map(|f| Series { field: format!("bodies/{f}"), item }));
    }
    Ok(wanted)
}
