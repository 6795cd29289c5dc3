//! `delassus compare`: several solvers on the same files.

use super::args::CompareArgs;
use super::earlier::Earlier;
use super::files::{Input, collect, common_folder, label};
use super::output::{Output, complain, warn};
use super::progress::Watch;
use super::text::{self, Side, Table};
use super::{Effort, Loaded, Timed, Verdict, attempt, curves, load, profile};
use delassus_friction::{AnyProblem, Settings, Solution, SolverKind, Status};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Pixels of the PNG per unit of the page.
const PIXELS: f64 = 2.0;

/// One file under every solver.
struct Entry {
    label: String,
    problem: Size,
    runs: Vec<Run>,
    histories: Vec<Vec<(usize, f64)>>,
}

/// What each solver has to reach, and how hard it is tried.
struct Trial {
    tolerance: f64,
    effort: Effort,
}

struct Size {
    contacts: usize,
    dimension: usize,
    dofs: Option<usize>,
}

/// One solver on one file: its answer and time, or why it cannot treat the file.
enum Run {
    Done { solution: Box<Solution>, seconds: f64, timed_out: bool },
    Refused(String),
}

/// Runs, prints, writes.
pub fn run(args: &CompareArgs) -> ExitCode {
    let mut solvers = args.solvers.clone();
    let mut seen = Vec::new();
    solvers.retain(|s| {
        !seen.contains(s) && {
            seen.push(*s);
            true
        }
    });
    let earlier = match args.against.as_deref().map(Earlier::read).transpose() {
        Ok(earlier) => earlier,
        Err(message) => {
            complain(&message);
            return Verdict::BadInput.into();
        }
    };
    let (inputs, errors) = collect(&args.files);
    errors.iter().for_each(|e| complain(e));
    let mut verdict = if errors.is_empty() { Verdict::Solved } else { Verdict::BadInput };
    let mut out = Output::default();
    let common = common_folder(&inputs);
    let labels: Vec<String> = inputs.iter().map(|i| label(i, &common)).collect();
    let table = table(&labels, &solvers);
    if !inputs.is_empty() {
        out.line(&table.row(&header(&solvers)));
        out.line(&table.rule());
    }
    let mut watch = Watch::new(inputs.iter().map(|i| i.bytes).sum(), true, args.quiet);
    let effort = Effort { repeat: args.repeat, limit: Some(args.time_limit) };
    let trial = Trial { tolerance: args.tol, effort };
    let mut entries = Vec::new();
    for (input, label) in inputs.iter().zip(labels) {
        let loaded = load(input);
        match loaded {
            Ok(Loaded { problem, .. }) => {
                let entry = entry(label, &problem, &solvers, &trial, &mut watch);
                watch.aside(|| report(&entry, args, input, &table, &mut out));
                verdict = verdict.max(outcome(&entry));
                entries.push(entry);
            }
            Err(message) => {
                watch.aside(|| complain(&message));
                verdict = Verdict::BadInput;
            }
        }
        watch.advance(input.bytes);
    }
    watch.finish();
    if entries.is_empty() {
        return Verdict::BadInput.into();
    }
    summary(&entries, &solvers, &table, &mut out);
    if args.outer_table || [SolverKind::ConvexFixedPoint, SolverKind::ConvexNewton].iter().all(|s| solvers.contains(s))
    {
        outer_table(&entries, &solvers, &mut out);
    }
    if let Some(earlier) = &earlier {
        out.line("");
        for (k, solver) in solvers.iter().enumerate() {
            let now = entries.iter().map(|e| (e.label.as_str(), e.runs[k].time()));
            earlier.against(solver.name(), now).iter().for_each(|line| out.line(line));
        }
    }
    match write(args, &solvers, &entries, earlier.as_ref()) {
        Ok(paths) => out.line(&format!("\nwritten: {}", paths.join(", "))),
        Err(message) => {
            complain(&message);
            verdict = Verdict::BadInput;
        }
    }
    verdict.into()
}

fn entry(label: String, problem: &AnyProblem, solvers: &[SolverKind], trial: &Trial, watch: &mut Watch) -> Entry {
    let mut histories = vec![];
    let mut one = |solver: &SolverKind| {
        watch.name(&format!("{label}, {solver}"));
        let settings = Settings { solver: *solver, tolerance: trial.tolerance, ..Settings::default() };
        match attempt(problem, &settings, &trial.effort, watch) {
            Ok(Timed { answer, seconds }) => {
                let mut history = watch.history().to_vec();
                history.push((answer.solution.iterations, answer.solution.certificate.relative));
                histories.push(history);
                Run::Done { solution: Box::new(answer.solution), seconds, timed_out: watch.timed_out() }
            }
            Err(message) => {
                histories.push(vec![]);
                Run::Refused(message)
            }
        }
    };
    let runs = solvers.iter().map(&mut one).collect();
    let problem = Size { contacts: problem.contacts(), dimension: problem.dimension(), dofs: problem.dofs() };
    Entry { label, problem, runs, histories }
}

fn report(entry: &Entry, args: &CompareArgs, input: &Input, table: &Table, out: &mut Output) {
    if !args.quiet {
        for run in &entry.runs {
            if let Run::Refused(message) = run {
                warn(&format!("{}: {message}", input.path.display()));
            }
        }
    }
    let mut cells =
        vec![entry.label.clone(), text::size(entry.problem.contacts, entry.problem.dimension, entry.problem.dofs)];
    cells.extend(entry.runs.iter().map(cell));
    out.line(&table.row(&cells));
}

/// Solved by one of them is solved.
fn outcome(entry: &Entry) -> Verdict {
    if entry.runs.iter().any(|r| r.time().is_some()) { Verdict::Solved } else { Verdict::NotSolved }
}

impl Run {
    /// The time, where it converged.
    fn time(&self) -> Option<f64> {
        match self {
            Run::Done { solution, seconds, .. } if solution.converged() => Some(*seconds),
            _ => None,
        }
    }
}

fn cell(run: &Run) -> String {
    match run {
        Run::Done { solution, seconds, .. } if solution.converged() => text::time(*seconds),
        Run::Done { solution, timed_out, .. } => match solution.status {
            Status::MayHaveNoSolution => "no solution?".into(),
            Status::IterationLimit => "iterations".into(),
            status => text::status(status, *timed_out).into(),
        },
        Run::Refused(_) => "refused".into(),
    }
}

fn table(labels: &[String], solvers: &[SolverKind]) -> Table {
    let mut columns = vec![(text::widest(labels.iter().map(String::as_str)).max(10), Side::Left), (18, Side::Left)];
    columns.extend(solvers.iter().map(|s| (s.name().len().max(12), Side::Right)));
    Table::new(columns)
}

fn header(solvers: &[SolverKind]) -> Vec<String> {
    let mut cells = vec!["file".to_string(), "size".to_string()];
    cells.extend(solvers.iter().map(|s| s.to_string()));
    cells
}

fn summary(entries: &[Entry], solvers: &[SolverKind], table: &Table, out: &mut Output) {
    let column = |k: usize| entries.iter().map(move |e| e.runs[k].time());
    let best = |e: &Entry| e.runs.iter().filter_map(Run::time).fold(f64::INFINITY, f64::min);
    let mut solved = vec!["solved".to_string(), format!("of {}", entries.len())];
    let mut fastest = vec!["fastest".to_string(), String::new()];
    for k in 0..solvers.len() {
        solved.push(column(k).flatten().count().to_string());
        fastest.push(entries.iter().filter(|e| e.runs[k].time().is_some_and(|t| t <= best(e))).count().to_string());
    }
    out.line(&table.rule());
    out.line(&table.row(&solved));
    out.line(&table.row(&fastest));
}

/// Outer iterations, file by file, with the totals where all of them converge: the
/// fixed point on s against Newton on s.
fn outer_table(entries: &[Entry], solvers: &[SolverKind], out: &mut Output) {
    let convex = [SolverKind::ConvexFixedPoint, SolverKind::ConvexNewton];
    let both = convex.iter().all(|s| solvers.contains(s));
    let shown: Vec<usize> = (0..solvers.len()).filter(|k| !both || convex.contains(&solvers[*k])).collect();
    let mut columns = vec![(text::widest(entries.iter().map(|e| e.label.as_str())).max(10), Side::Left)];
    columns.extend(shown.iter().map(|k| (solvers[*k].name().len().max(12), Side::Right)));
    let table = Table::new(columns);
    let mut header = vec!["outer iterations".to_string()];
    header.extend(shown.iter().map(|k| solvers[*k].to_string()));
    out.line("");
    out.line(&table.row(&header));
    out.line(&table.rule());
    let mut totals = vec![0; shown.len()];
    let mut files = 0;
    for entry in entries {
        let counts: Vec<Option<usize>> = shown.iter().map(|k| outer(&entry.runs[*k])).collect();
        let mut cells = vec![entry.label.clone()];
        cells
            .extend(shown.iter().zip(&counts).map(|(k, n)| n.map_or_else(|| cell(&entry.runs[*k]), |n| n.to_string())));
        out.line(&table.row(&cells));
        if let Some(counts) = counts.into_iter().collect::<Option<Vec<_>>>() {
            files += 1;
            totals.iter_mut().zip(counts).for_each(|(t, n)| *t += n);
        }
    }
    out.line(&table.rule());
    let mut cells = vec![format!("total ({files} files all solve)")];
    cells.extend(totals.iter().map(ToString::to_string));
    out.line(&table.row(&cells));
}

fn outer(run: &Run) -> Option<usize> {
    match run {
        Run::Done { solution, .. } if solution.converged() => Some(solution.iterations),
        _ => None,
    }
}

/// PREFIX.csv, PREFIX.svg, PREFIX.png.
fn write(
    args: &CompareArgs,
    solvers: &[SolverKind],
    entries: &[Entry],
    earlier: Option<&Earlier>,
) -> Result<Vec<String>, String> {
    let names: Vec<String> = solvers.iter().map(ToString::to_string).collect();
    let all: Vec<String> = names.iter().cloned().chain(earlier.iter().flat_map(|e| e.names())).collect();
    let then = |e: &Entry| earlier.map(|x| x.times(&e.label).collect::<Vec<_>>()).unwrap_or_default();
    let times: Vec<Vec<Option<f64>>> =
        entries.iter().map(|e| e.runs.iter().map(Run::time).chain(then(e)).collect()).collect();
    let title = format!("Performance profile: {} files, residual {:e}", entries.len(), args.tol);
    let picture = profile::picture(&profile::curves(&all, &times), &title).map_err(|e| e.to_string())?;
    let svg = picture.to_svg().map_err(|e| e.to_string())?;
    let png = picture.to_png(PIXELS).map_err(|e| e.to_string())?;
    let mut written = Vec::new();
    let mut files = vec![("csv", csv(solvers, entries).into_bytes()), ("svg", svg.into_bytes()), ("png", png)];
    if args.curves {
        let histories = entries.iter().map(|e| curves::Histories { file: e.label.clone(), runs: e.histories.clone() });
        let picture = curves::picture(&names, &histories.collect::<Vec<_>>(), args.tol).map_err(|e| e.to_string())?;
        files.push(("curves.svg", picture.to_svg().map_err(|e| e.to_string())?.into_bytes()));
        files.push(("curves.png", picture.to_png(PIXELS).map_err(|e| e.to_string())?));
        if entries.len() > curves::PANELS {
            warn(&format!("--curves draws the first {} of {} files", curves::PANELS, entries.len()));
        }
    }
    for (extension, bytes) in files {
        let path = with_suffix(&args.out, extension);
        save(&path, &bytes).map_err(|e| format!("--out: {}: {e}", path.display()))?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

/// `a.b` becomes `a.b.csv`: the prefix is no file name whose extension is replaced.
fn with_suffix(prefix: &Path, extension: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

fn save(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

fn csv(solvers: &[SolverKind], entries: &[Entry]) -> String {
    let mut out =
        String::from("file,contacts,dimension,dofs,solver,status,time_s,iterations,residual,absolute,fclib_error\n");
    for entry in entries {
        let Size { contacts, dimension, dofs } = entry.problem;
        let dofs = dofs.map(|n| n.to_string()).unwrap_or_default();
        for (solver, run) in solvers.iter().zip(&entry.runs) {
            let rest = match run {
                Run::Done { solution, seconds, timed_out } => {
                    let c = &solution.certificate;
                    let status = text::status(solution.status, *timed_out).replace(' ', "_");
                    let numbers = [*seconds, c.relative, c.absolute, c.fclib_error].map(|x| format!("{x:e}"));
                    let [time, relative, absolute, fclib] = numbers;
                    format!("{status},{time},{},{relative},{absolute},{fclib}", solution.iterations)
                }
                Run::Refused(_) => "refused,,,,,".into(),
            };
            out.push_str(&format!("{},{contacts},{dimension},{dofs},{solver},{rest}\n", quoted(&entry.label)));
        }
    }
    out
}

/// A field that may hold anything a file may be called [RFC 4180].
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.into() }
}
