//! The arguments, and a help text that teaches.

use super::ask::AskArgs;
use super::draw::DrawArgs;
use super::explore_args::ExploreArgs;
use super::import::ImportArgs;
use super::plot::PlotArgs;
use super::scene_args::{CheckArgs, ExportArgs, InfoArgs, NewArgs, ResumeArgs, RunArgs, SchemaArgs};
use super::sweep::SweepArgs;
use clap::{Args, Parser, Subcommand};
use delassus_friction::SolverKind;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  delassus run                                  list the gallery of scenes
  delassus run card_house                       run one of them, into card_house.h5
  delassus new wall.toml --from brick_wall      a scene of your own
  delassus view wall.h5                         play it in the browser
  delassus resume wall.h5                       go on after Ctrl-C or a crash
  delassus sweep wall.toml --over law.friction=0.1:0.9:9 --measure max:energy/kinetic
  delassus export wall.h5 --vtk wall_vtk        for ParaView
  delassus explore ladder                       what each reaction can be, exactly
  delassus ask safety arch_standing             factor of safety, and how it would fall
  delassus draw wall.h5 --forces                a picture, wall.svg; --animate for a GIF
  delassus plot wall.h5 energy                  curves against time, wall_plot.svg
  delassus solve problems/ --tol 1e-12          FCLIB problems, every *.hdf5 below a folder
  delassus solve tower.hdf5 --explain           what was done, and why
  delassus compare problems/ --solvers auto,nlgs,newton-ac
  delassus certify tower.hdf5                   judge the solution stored in a file

Exit codes: 0 all solved, 1 something did not converge, 2 bad input.";

const SOLVE: &str = "\
Examples:
  delassus solve tower.hdf5
  delassus solve problems/ more.hdf5 --tol 1e-10 --repeat 5
  delassus solve problems/ --json > results.json
  delassus solve tower.hdf5 --solver nlgs --threads 4 --max-iterations 5000
  delassus solve problems/ --write solved/       FCLIB files with their solution

The residual is the natural map of Coulomb's law divided by the norm of the free
velocities: it does not depend on units, and the same function judges every solver.
'fclib error' is the full error of FCLIB and Siconos on the same answer.

Exit codes: 0 all solved, 1 something did not converge, 2 bad input (the other
files are solved nevertheless).";

const COMPARE: &str = "\
Examples:
  delassus compare problems/ --solvers auto,nlgs,newton-ac,ipm
  delassus compare problems/ --solvers convex-fixed-point,convex-newton --curves --out convex
  delassus compare problems/ --tol 1e-4 --time-limit 2 --repeat 5
  delassus compare problems/ --solvers auto --out after --against before.csv

Writes PREFIX.csv (one line per file and solver) and the performance profile of
Dolan and More as PREFIX.svg and PREFIX.png: for each solver, the fraction of the
files it solves within a factor of the best time on each file.

Exit codes: 0 every file was solved by some solver, 1 some were not, 2 bad input.";

const CERTIFY: &str = "\
Examples:
  delassus certify tower.hdf5
  delassus certify solved/ --solution --tol 1e-10

Judges the percussions r stored in the groups 'solution' and 'guesses'. Exit codes:
0 all within the tolerance, 1 some are not, 2 bad input or nothing to judge.";

const COMPLETIONS: &str = "\
Examples:
  delassus completions bash > ~/.local/share/bash-completion/completions/delassus
  delassus completions zsh > ~/.zfunc/_delassus
  delassus completions fish > ~/.config/fish/completions/delassus.fish";

const MAN: &str = "\
Examples:
  delassus man ~/.local/share/man/man1      then: man delassus, man delassus-run";

/// Contact, impact and dry friction: laws solved exactly, every step with a certificate.
#[derive(Debug, Parser)]
#[command(name = "delassus", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Write a commented scene to start from.
    New(NewArgs),
    /// Make a scene from a robot, URDF or MuJoCo's XML.
    Import(ImportArgs),
    /// Say what a scene holds, and what is wrong with it.
    Check(CheckArgs),
    /// Run a scene; without arguments list the gallery.
    Run(RunArgs),
    /// Continue a run that was stopped, or beyond its end.
    Resume(ResumeArgs),
    /// Run a scene over many values of its keys: one table, one figure with spread.
    Sweep(SweepArgs),
    /// Say what a run holds.
    Info(InfoArgs),
    /// Take a run to ParaView (VTK) or to a table (CSV).
    Export(ExportArgs),
    /// Play a run in the browser, or write it as one page to send.
    View(super::view::ViewArgs),
    /// Edit and run scenes in the browser, with the engine in the page.
    Playground(super::view::PlaygroundArgs),
    /// Draw a scene, a run, its forces, as SVG, PNG or an animation.
    Draw(Box<DrawArgs>),
    /// Plot recorded series against time; compare runs.
    Plot(Box<PlotArgs>),
    /// Say what a key of scenes takes; without one print the JSON Schema, for editors.
    Schema(SchemaArgs),
    /// What the reactions can be: the whole set of solutions, exact and sampled.
    Explore(ExploreArgs),
    /// Questions of engineers: factor of safety, supports that move, grasp, angle of repose, restitution.
    Ask(AskArgs),
    /// Solve FCLIB problems and certify the answers.
    Solve(SolveArgs),
    /// Run several solvers on the same files; draw the performance profile.
    Compare(CompareArgs),
    /// Judge the solutions stored in files.
    Certify(CertifyArgs),
    /// Print completions for a shell: bash, zsh, fish, elvish or powershell.
    Completions(CompletionsArgs),
    /// Write the manual pages, one for each command.
    Man(ManArgs),
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = MAN)]
pub struct ManArgs {
    /// Folder to write to; it is made.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Arguments of `solve`.
#[derive(Debug, Args)]
#[command(after_help = SOLVE)]
pub struct SolveArgs {
    /// FCLIB files (HDF5), or folders searched for *.hdf5.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// auto, nlgs, nlgs-anderson, newton-ac, newton-nm, newton-fb, proximal, multipliers,
    /// convex-fixed-point, convex-newton, admm, apg or ipm.
    #[arg(long, value_name = "S", default_value = "auto")]
    pub solver: SolverKind,
    /// Relative residual to reach.
    #[arg(long, value_name = "TOL", default_value = "1e-8", value_parser = positive, allow_negative_numbers = true)]
    pub tol: f64,
    /// Solve each problem N times; the best time is reported.
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, allow_negative_numbers = true)]
    pub repeat: usize,
    /// Threads; more than one sweeps Gauss-Seidel by colours. The result does not
    /// depend on the number of threads.
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, allow_negative_numbers = true)]
    pub threads: usize,
    /// Limit on the iterations of the solver; its own default otherwise.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub max_iterations: Option<usize>,
    /// Stop a solve after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: Option<Duration>,
    /// Print an array of objects instead of the table.
    #[arg(long)]
    pub json: bool,
    /// With --json: include the percussions r.
    #[arg(long, requires = "json")]
    pub with_solution: bool,
    /// Write each problem with its solution into this folder, as FCLIB files.
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
    /// Say what was done and why, what the residual is made of, and what to try.
    #[arg(long, conflicts_with = "json")]
    pub explain: bool,
    /// No progress and no warnings on the error stream.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE)]
pub struct CompareArgs {
    /// FCLIB files (HDF5), or folders searched for *.hdf5.
    #[arg(required = true, value_name = "DIR")]
    pub files: Vec<PathBuf>,
    /// Solvers to compare, separated by commas.
    #[arg(long, value_name = "A,B,C", default_value = "auto,nlgs,newton-ac,ipm", value_delimiter = ',')]
    pub solvers: Vec<SolverKind>,
    /// Relative residual to reach.
    #[arg(long, value_name = "TOL", default_value = "1e-8", value_parser = positive, allow_negative_numbers = true)]
    pub tol: f64,
    /// Stop a solve after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: Duration,
    /// Solve each problem N times; the best time counts.
    #[arg(long, value_name = "N", default_value = "3", value_parser = count, allow_negative_numbers = true)]
    pub repeat: usize,
    /// Beginning of the names of the files written.
    #[arg(long, value_name = "PREFIX", default_value = "delassus-compare")]
    pub out: PathBuf,
    /// The CSV of an earlier comparison: its solvers join the profile, and times of the same are compared.
    #[arg(long, value_name = "CSV")]
    pub against: Option<PathBuf>,
    /// Print the outer iterations of each solver (done anyway when both
    /// convex-fixed-point and convex-newton run).
    #[arg(long)]
    pub outer_table: bool,
    /// Draw residual against iterations, a panel for each file (the first 12), as
    /// PREFIX.curves.svg and PREFIX.curves.png.
    #[arg(long)]
    pub curves: bool,
    /// No progress and no warnings on the error stream.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `certify`.
#[derive(Debug, Args)]
#[command(after_help = CERTIFY)]
pub struct CertifyArgs {
    /// FCLIB files (HDF5), or folders searched for *.hdf5.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Judge the solution only, not the guesses.
    #[arg(long)]
    pub solution: bool,
    /// Relative residual to accept.
    #[arg(long, value_name = "TOL", default_value = "1e-8", value_parser = positive, allow_negative_numbers = true)]
    pub tol: f64,
    /// Print an array of objects instead of the table.
    #[arg(long)]
    pub json: bool,
}

/// Parses a number of seconds.
pub fn finite(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| "expected a number of seconds such as 1.5".into())
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        _ => Err("expected a positive number such as 1e-8".into()),
    }
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("expected a whole number, 1 or more".into()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = positive(text).map_err(|_| "expected a positive number of seconds such as 2.5")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "expected a number of seconds below 1e19".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    /// The help lists the solvers by hand; a new one must be added to it.
    #[test]
    fn help_names_every_solver() {
        let mut cli = Cli::command();
        let help = cli.find_subcommand_mut("solve").expect("solve exists").render_help().to_string();
        for kind in SolverKind::ALL {
            assert!(help.contains(kind.name()), "{kind} is missing from\n{help}");
        }
    }
}
