//! `delassus solve`.

use super::args::SolveArgs;
use super::files::{Input, collect, common_folder, label};
use super::output::{Output, complain, warn};
use super::progress::Watch;
use super::text::{self, Side, Table};
use super::{Effort, Loaded, Timed, Verdict, attempt, explain, load};
use delassus_friction::fclib;
use delassus_friction::solver::Event;
use delassus_friction::solver::Order;
use delassus_friction::{ContactError, Parts, Settings, SolverKind, Status};
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One solved file: what `--json` prints, and what the table is made of.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Path of the file.
    pub file: String,
    /// Number of contacts.
    pub contacts: usize,
    /// Components per contact.
    pub dimension: usize,
    /// Degrees of freedom of a global problem.
    pub dofs: Option<usize>,
    /// Estimated rank deficiency of W.
    pub rank_deficiency: Option<usize>,
    /// The solver asked for.
    pub solver: SolverKind,
    /// Iterations over all solvers involved.
    pub iterations: usize,
    /// Best time [s]: solving with all setup, without reading the file.
    pub time_s: f64,
    /// Relative residual.
    pub residual: f64,
    /// Residual in velocity units [m/s].
    pub absolute: f64,
    /// Full error of FCLIB and Siconos.
    pub fclib_error: f64,
    /// How it ended.
    pub status: Status,
    /// What the residual is made of.
    pub parts: Parts,
    /// The worst contacts.
    pub worst: Vec<ContactError>,
    /// What was done, in order.
    pub log: Vec<Event>,
    /// What is odd about the problem, or stopped the solver.
    pub warnings: Vec<String>,
    /// Percussions r [N·s], contact by contact, normal first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solution: Option<Vec<f64>>,
    /// Whether the time limit stopped it.
    #[serde(skip)]
    pub timed_out: bool,
}

/// A file that could not be treated.
#[derive(Serialize)]
struct Refusal<'a> {
    file: &'a str,
    status: &'static str,
    error: &'a str,
}

/// Solves every file; the worst outcome is the exit code.
pub fn run(args: &SolveArgs) -> ExitCode {
    let (inputs, errors) = collect(&args.files);
    errors.iter().for_each(|e| complain(e));
    let mut verdict = if errors.is_empty() { Verdict::Solved } else { Verdict::BadInput };
    let mut sink = Sink::new(args, &inputs);
    let targets = match args.write.as_deref().map(|folder| targets(folder, &inputs)).transpose() {
        Ok(targets) => targets,
        Err(message) => {
            complain(&message);
            return Verdict::BadInput.into();
        }
    };
    let settings = settings(args);
    let mut watch = Watch::new(inputs.iter().map(|i| i.bytes).sum(), inputs.len() > 1, args.quiet);
    sink.open();
    for (k, input) in inputs.iter().enumerate() {
        watch.name(&label(input, &sink.common));
        let target = targets.as_ref().map(|t| t[k].as_path());
        let outcome = one(input, args, &settings, target, &mut watch);
        watch.advance(input.bytes);
        verdict = verdict.max(watch.aside(|| sink.accept(input, outcome)));
        if sink.out.closed() && args.write.is_none() {
            break; // nobody reads
        }
    }
    watch.finish();
    sink.close();
    verdict.into()
}

fn settings(args: &SolveArgs) -> Settings {
    let sweeps = matches!(args.solver, SolverKind::Auto | SolverKind::Nlgs | SolverKind::NlgsAnderson);
    if args.threads > 1 && !sweeps && !args.quiet {
        warn(&format!("--threads: {} runs on one thread", args.solver));
    }
    let order = if args.threads > 1 && sweeps { Order::Coloured { threads: args.threads } } else { Order::default() };
    Settings {
        solver: args.solver,
        tolerance: args.tol,
        max_iterations: args.max_iterations,
        order,
        existence: args.explain,
    }
}

/// Reads, solves and writes one file.
fn one(
    input: &Input,
    args: &SolveArgs,
    settings: &Settings,
    target: Option<&Path>,
    watch: &mut Watch,
) -> Result<Report, String> {
    let Loaded { mut file, problem } = load(input)?;
    let effort = Effort { repeat: args.repeat, limit: args.time_limit };
    let named = |error| format!("{}: {error}", input.path.display());
    let Timed { answer, seconds } = attempt(&problem, settings, &effort, watch).map_err(named)?;
    if let Some(target) = target {
        let (r, u, v) = (answer.r.clone(), Some(answer.u.clone()), answer.v.clone());
        file.solution = Some(fclib::Solution { v, u, r, l: None });
        write(&file, target)?;
    }
    let mut warnings = problem.warnings();
    let solution = answer.solution;
    let timed_out = solution.status == Status::Interrupted && watch.timed_out();
    if timed_out {
        warnings.push("stopped by the time limit".into());
    }
    Ok(Report {
        file: input.path.display().to_string(),
        contacts: problem.contacts(),
        dimension: problem.dimension(),
        dofs: problem.dofs(),
        rank_deficiency: problem.rank_hint(),
        solver: solution.solver,
        iterations: solution.iterations,
        time_s: seconds,
        residual: solution.certificate.relative,
        absolute: solution.certificate.absolute,
        fclib_error: solution.certificate.fclib_error,
        status: solution.status,
        parts: solution.certificate.parts,
        worst: solution.certificate.worst,
        log: solution.log,
        warnings,
        solution: args.with_solution.then_some(answer.r),
        timed_out,
    })
}

/// Where each answer goes: its path below its argument, below `folder`; all
/// different, and none an input.
fn targets(folder: &Path, inputs: &[Input]) -> Result<Vec<PathBuf>, String> {
    let resolved: HashSet<_> = inputs.iter().filter_map(|i| i.path.canonicalize().ok()).collect();
    let mut seen = HashSet::new();
    let mut targets = Vec::new();
    for input in inputs {
        let target = folder.join(&input.relative);
        if target.canonicalize().is_ok_and(|t| resolved.contains(&t)) {
            return Err(format!("--write: {} is one of the inputs; give another folder", target.display()));
        }
        if !seen.insert(target.clone()) {
            return Err(format!("--write: two inputs would become {}; solve them apart", target.display()));
        }
        targets.push(target);
    }
    Ok(targets)
}

fn write(file: &fclib::File, target: &Path) -> Result<(), String> {
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("--write: {}: {e}", folder.display()))?;
    }
    file.write(target).map_err(|e| format!("--write: {e}"))
}

/// Where reports go: a table or an array, as they come.
struct Sink<'a> {
    args: &'a SolveArgs,
    out: Output,
    table: Table,
    common: PathBuf,
    printed: usize,
    explained: Vec<String>,
}

impl<'a> Sink<'a> {
    fn new(args: &'a SolveArgs, inputs: &[Input]) -> Self {
        let common = common_folder(inputs);
        let labels: Vec<String> = inputs.iter().map(|i| label(i, &common)).collect();
        let file = text::widest(labels.iter().map(String::as_str)).max(4);
        let table = Table::new(vec![
            (file, Side::Left),
            (18, Side::Left),
            (9, Side::Right),
            (18, Side::Left),
            (10, Side::Right),
            (8, Side::Right),
            (8, Side::Right),
            (11, Side::Right),
            (9, Side::Left),
        ]);
        Self { args, out: Output::default(), table, common, printed: 0, explained: vec![] }
    }

    fn open(&mut self) {
        if self.args.json {
            return self.out.put("[");
        }
        let header = ["file", "size", "rank def.", "solver", "iterations", "time", "residual", "fclib error", "status"];
        self.out.line(&self.table.row(&header));
        self.out.line(&self.table.rule());
    }

    /// Prints one outcome; returns what it means for the exit code.
    fn accept(&mut self, input: &Input, outcome: Result<Report, String>) -> Verdict {
        let report = match outcome {
            Ok(report) => report,
            Err(error) => {
                complain(&error);
                let file = input.path.display().to_string();
                self.json(&Refusal { file: &file, status: "bad_input", error: &error });
                return Verdict::BadInput;
            }
        };
        if !self.args.quiet {
            report.warnings.iter().for_each(|w| warn(&format!("{}: {w}", report.file)));
        }
        self.json(&report);
        let label = label(input, &self.common);
        if self.args.explain {
            self.explained.push(explain::report(&label, &report, self.args.tol));
        }
        if !self.args.json {
            self.out.line(&self.table.row(&row(&label, &report)));
        }
        if report.status == Status::Converged { Verdict::Solved } else { Verdict::NotSolved }
    }

    fn json<T: Serialize>(&mut self, object: &T) {
        if !self.args.json {
            return;
        }
        let text = serde_json::to_string(object).expect("reports hold only strings, numbers and lists");
        self.out.put(if self.printed == 0 { "\n" } else { ",\n" });
        self.out.put(&text);
        self.printed += 1;
    }

    fn close(&mut self) {
        if self.args.json {
            self.out.put("\n]\n");
        }
        for text in std::mem::take(&mut self.explained) {
            self.out.line("");
            self.out.put(&text);
        }
    }
}

fn row(label: &str, report: &Report) -> [String; 9] {
    let status = text::status(report.status, report.timed_out);
    let names: Vec<String> = report.worst.iter().map(|w| w.contact.to_string()).collect();
    [
        label.into(),
        text::size(report.contacts, report.dimension, report.dofs),
        report.rank_deficiency.map_or("?".into(), |n| n.to_string()),
        solver_name(report),
        report.iterations.to_string(),
        text::time(report.time_s),
        text::small(report.residual),
        text::small(report.fclib_error),
        match report.status {
            Status::Converged => status.into(),
            _ => format!("{status} (worst contacts {})", names.join(", ")),
        },
    ]
}

/// `auto→ipm`: what was asked for, and who finished.
fn solver_name(report: &Report) -> String {
    match (report.solver, report.log.last()) {
        (SolverKind::Auto, Some(last)) => format!("auto→{}", last.solver),
        (solver, _) => solver.to_string(),
    }
}
