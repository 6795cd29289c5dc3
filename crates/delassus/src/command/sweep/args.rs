//! Arguments of `sweep`.

use crate::command::args::count;
use crate::command::scene_args::SceneArgs;
use clap::Args;
use std::path::PathBuf;

const SWEEP: &str = "\
Examples:
  delassus sweep hopper --over law.friction=0.1:0.9:9 --over seed=1..5
      --measure max:bodies/position[0].y
  delassus sweep wall.toml --over load.push.force=[1,0],[2,0]
      --measure fallen=min:bodies/position[top].y
  delassus sweep two_bars --over variant=newmark,moreau --measure max:contact/force
      --measure energy/total@0.5:1
  delassus sweep hopper --over seed=1..20 --measure rate:energy/potential
      again, or after Ctrl-C: goes on

Values of --over KEY=VALUES, KEY as in --set, or 'variant', or 'seed' (of every random generator):
  0.1:0.9:9        nine numbers, evenly spaced, ends included
  1e-4:1e-1:4:log  four numbers, evenly spaced ratios
  1..5             whole numbers, ends included
  a,b,c            these

Measures [NAME=][STATISTIC:]SERIES[@FROM:TO], series as in 'delassus plot RUN --list', in a window of time [s]:
  final (default), first, min, max, mean, std, range, time_min, time_max, rate (of a fitted line)

Every combination is one member: one run of one thread, in its own file of the folder; the table
does not depend on how many run at once. A sweep that was stopped goes on; one with more values
or measures runs what is new. Members that fail are told, the others are not touched; --again
tries them once more.
Exit codes: 0 every member certified, 1 some were not, 2 bad input, 130 interrupted.";

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = SWEEP)]
pub struct SweepArgs {
    /// Scene file, or name of a scene of the gallery.
    #[arg(value_name = "SCENE")]
    pub scene_name: String,
    /// What changes from member to member: KEY=VALUES; several make every combination.
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    pub over: Vec<String>,
    /// A number taken from each run: [NAME=][STATISTIC:]SERIES[@FROM:TO].
    #[arg(long, value_name = "MEASURE")]
    pub measure: Vec<String>,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Folder of the runs, the table and the figure; by default the name of the scene with _sweep.
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Members that run at once; by default one for each core.
    #[arg(long, short, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Key along the abscissa of the figure; by default the first with several numbers, except 'seed'.
    #[arg(long, value_name = "KEY")]
    pub along: Option<String>,
    /// Key whose values are repetitions, for means and spread; by default 'seed'.
    #[arg(long, value_name = "KEY")]
    pub spread: Option<String>,
    /// Remove the run of a member once its measures are taken.
    #[arg(long)]
    pub discard: bool,
    /// Run members that failed once more.
    #[arg(long)]
    pub again: bool,
    /// Forget an earlier sweep in the folder.
    #[arg(long)]
    pub overwrite: bool,
    /// Write the plan and stop: plan.json lists the members for other machines.
    #[arg(long)]
    pub plan: bool,
    /// No progress and no table.
    #[arg(long, short)]
    pub quiet: bool,
}
