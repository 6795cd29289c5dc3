//! Arguments of the commands about scenes and runs.

use super::args::{count, positive};
use clap::Args;
use std::path::PathBuf;

const NEW: &str = "\
Examples:
  delassus new                          a commented scene, scene.toml
  delassus new wall.toml --from brick_wall
  delassus new --from box_stack -       to standard output

'delassus run' without arguments lists the scenes of the gallery.";

const CHECK: &str = "\
Examples:
  delassus check wall.toml
  delassus check wall.toml --set law.friction=0.3 --set time.step=5e-4

Says how many bodies, contacts and frames there will be, names pairs that overlap or
that may meet without a law, and points at the line of every mistake.
Exit codes: 0 can be run, 2 bad input.";

const RUN: &str = "\
Examples:
  delassus run                          lists the gallery
  delassus run card_house               a scene of the gallery, into card_house.h5
  delassus run wall.toml -o a.h5 --set law.friction=0.3 --set time.end=4
  delassus run wall.toml --no-record    for timing
  delassus run wall.toml --view         watch it in the browser while it is computed
  delassus run dominoes --keep 976,980
                                  the problems of these steps, for 'delassus solve' and 'compare'
  delassus run two_bars --variant newmark -o newmark.h5
  delassus run hertz --log hertz.log
                                    pairings, thresholds, statuses, Newton residuals of each step

Ctrl-C stops cleanly and leaves a run that 'delassus resume' continues, with the same
bits as if it had not been stopped. A step above the tolerance is never silent: it is
flagged, made again in smaller steps or ends the run, as solver.on_failure says, and its
contact problem is left beside the run as an FCLIB file for 'delassus solve'.
Exit codes: 0 every step certified, 1 some were not, 2 bad input, 130 interrupted.";

const RESUME: &str = "\
Examples:
  delassus resume wall.h5               after Ctrl-C or a crash
  delassus resume wall.h5 --end 10      go on beyond the end of the scene
  delassus resume wall.h5 --frame 40    from frame 40; later frames are dropped
  delassus resume wall.h5 --end 10 --set law.friction=0.2
                                        with another value from here on

What may change: laws, gravity, loads, joints, springs, fluids, servos, solver, detection, time,
and of a body `motion` and `fixed`. For other bodies, give a scene [start] from = \"wall.h5\"
and run it.";

const INFO: &str = "\
Examples:
  delassus info wall.h5
  delassus info wall.h5 --json
  delassus info wall.h5 --verify        compare every frame with its hash
  delassus info slope.h5 --average-from 4
                                        velocity profile, stress ratio, contacts of a flow";

const EXPORT: &str = "\
Examples:
  delassus export wall.h5 --vtk wall_vtk          bodies.pvd and contacts.pvd for ParaView
  delassus export wall.h5 --csv wall.csv          energies, residuals, counts
  delassus export wall.h5 --csv - --body keystone --body 3
  delassus export wall.h5 --csv - --field energy/kinetic
  delassus export slope.h5 --csv - --field flow/slope/velocity
  delassus export wall.h5 --scene wall.toml       the scene the run was made from";

/// Arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = NEW)]
pub struct NewArgs {
    /// File to write; '-' for standard output.
    #[arg(value_name = "FILE", default_value = "scene.toml")]
    pub file: PathBuf,
    /// Scene of the gallery to start from.
    #[arg(long, value_name = "NAME", default_value = "box_stack")]
    pub from: String,
}

/// A scene and what is changed in it.
#[derive(Clone, Debug, Default, Args)]
pub struct SceneArgs {
    /// Change a value of the scene: law.friction=0.5, time.end=2, body.box.velocity=[1, 0].
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// A variant of the scene, given there as [variant.NAME].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK)]
pub struct CheckArgs {
    /// Scene file, or name of a scene of the gallery.
    #[arg(required = true, value_name = "SCENE")]
    pub scenes: Vec<String>,
    #[command(flatten)]
    pub scene: SceneArgs,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN)]
pub struct RunArgs {
    /// Scene file, or name of a scene of the gallery; none lists the gallery.
    #[arg(value_name = "SCENE")]
    pub scene_name: Option<String>,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The run file; by default the name of the scene with .h5, in this folder.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing run.
    #[arg(long)]
    pub overwrite: bool,
    /// Record nothing.
    #[arg(long, conflicts_with_all = ["output", "overwrite"])]
    pub no_record: bool,
    /// Threads; by default all for detection and solids, and those of the scene for sweeps. The result does not depend
    /// on it.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Deformable solids: write what the loops of each step did to this file.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Leave the contact problems of these steps, counted from 0, as FCLIB files in SCENE.failures.
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub keep: Vec<u64>,
    /// Show the run in the browser while it is computed: pause, step, push bodies.
    #[arg(long, conflicts_with = "no_record")]
    pub view: bool,
    /// With --view: only print the address.
    #[arg(long, requires = "view")]
    pub no_open: bool,
    /// No progress and no summary.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
#[command(after_help = RESUME)]
pub struct ResumeArgs {
    /// The run file.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Frame to go on from, counted from 0; the last by default.
    #[arg(long, value_name = "K")]
    pub frame: Option<usize>,
    /// New end of the run [s].
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub end: Option<f64>,
    /// Change a value from here on: law.friction=0.5, gravity=[0, 0], joint.arm.speed=0.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Threads; by default all for detection and solids, and those of the scene for sweeps. The result does not depend
    /// on it.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// No progress and no summary.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `info`.
#[derive(Debug, Args)]
#[command(after_help = INFO)]
pub struct InfoArgs {
    /// The run file.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Print an object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Compare every frame with its stored hash.
    #[arg(long)]
    pub verify: bool,
    /// Average observed flows from this time on [s]; by default over the second half of the run.
    #[arg(long, value_name = "T", value_parser = super::args::finite, allow_negative_numbers = true)]
    pub average_from: Option<f64>,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = EXPORT)]
pub struct ExportArgs {
    /// The run file.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Write VTK files for ParaView into this folder.
    #[arg(long, value_name = "DIR")]
    pub vtk: Option<PathBuf>,
    /// With --vtk: every N-th frame.
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, allow_negative_numbers = true)]
    pub every: usize,
    /// Write time series to this file; '-' for standard output.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// With --csv: only these fields; all scalars by default.
    #[arg(long, value_name = "NAME", requires = "csv")]
    pub field: Vec<String>,
    /// With --csv: position, orientation, velocity and spin of a body, by name or index.
    #[arg(long, value_name = "NAME", requires = "csv")]
    pub body: Vec<String>,
    /// Write the scene the run was made from to this file; '-' for standard output.
    #[arg(long, value_name = "FILE")]
    pub scene: Option<PathBuf>,
}

const SCHEMA: &str = "\
Examples:
  delassus schema generate              what [[generate]] makes
  delassus schema generate.KIND         the keys of one kind, such as blocks
  delassus schema observe.force
  delassus schema body.shape            shapes; law, joint, when, stage, periodic, … likewise
  delassus schema -o scene.schema.json  the whole schema, for completion in editors";

/// Arguments of `schema`.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA)]
pub struct SchemaArgs {
    /// A key of scenes, with its parents: what it takes, in words, instead of the schema.
    #[arg(value_name = "KEY", conflicts_with = "output")]
    pub key: Option<String>,
    /// File to write; standard output by default.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
