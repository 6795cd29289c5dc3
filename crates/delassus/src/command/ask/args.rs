//! Arguments of `ask`.

use crate::command::args::positive;
use crate::command::scene_args::SceneArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const ASK: &str = "\
Examples:
  delassus ask safety arch_standing --picture arch.svg   what it bears, and how it would fall
  delassus ask safety wall.toml --load push              multiples of [load.push]
  delassus ask collapse arch_spreading --moved right     a support's way before it falls
  delassus ask grasp gripper.toml --body box             forces that a held body bears
  delassus ask repose heap.h5                            slopes of a heap
  delassus ask restitution bouncing_ball --body ball     velocity after an impact over before

Exit codes: 0 answered, 1 no equilibrium, no impact or no heap to speak of, 2 bad input.";

const SAFETY: &str = "\
Exact programs over all equilibria, with the contacts of the start: the least friction that
holds, the largest horizontal acceleration both ways, the largest multiple of a load. Beyond the
multiple there is no equilibrium; the mechanism is the motion that proves it. With friction the
mechanism dilates, and the multiple bounds that of Coulomb's law from above; below it
equilibrium is possible.";

const COLLAPSE: &str = "\
Runs the scene, whose supports move slowly by [body.NAME.motion], and asks at every recorded
time whether the contacts that are closed can carry the loads at rest. The answer is between two
recorded times: a smaller time.record narrows it.";

/// Arguments of `ask`.
#[derive(Debug, Args)]
#[command(after_help = ASK)]
pub struct AskArgs {
    /// The question.
    #[command(subcommand)]
    pub question: Question,
}

/// The questions.
#[derive(Debug, Subcommand)]
pub enum Question {
    /// Factor of safety: friction, horizontal acceleration, load; the mechanism drawn.
    Safety(SafetyArgs),
    /// Displacement of a support at which a structure loses its last equilibrium.
    Collapse(CollapseArgs),
    /// Forces and torques that a held body can bear: the exact set.
    Grasp(GraspArgs),
    /// Angle of repose of a heap.
    Repose(ReposeArgs),
    /// Coefficient of restitution of a body or an assembly.
    Restitution(RestitutionArgs),
}

/// Arguments of `ask safety`.
#[derive(Debug, Args)]
#[command(after_help = SAFETY)]
pub struct SafetyArgs {
    /// Scene file, or name of a scene of the gallery.
    #[arg(value_name = "SCENE")]
    pub scene_name: String,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Multiply this load, [load.NAME] (repeatable); horizontal accelerations by default.
    #[arg(long, value_name = "NAME")]
    pub load: Vec<String>,
    /// Draw the mechanism of the first limit, .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Leave out the least friction, the slowest of the questions for large structures.
    #[arg(long)]
    pub no_friction: bool,
    /// Print an object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ask collapse`.
#[derive(Debug, Args)]
#[command(after_help = COLLAPSE)]
pub struct CollapseArgs {
    /// Scene file, or name of a scene of the gallery.
    #[arg(value_name = "SCENE")]
    pub scene_name: String,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The body whose displacement is told.
    #[arg(long, value_name = "BODY")]
    pub moved: String,
    /// Contacts with a wider gap are open [m]; by default 1e-4 of the size of the structure.
    #[arg(long, value_name = "GAP", value_parser = positive, allow_negative_numbers = true)]
    pub open: Option<f64>,
    /// Draw the structure at its last equilibrium with the forces there, .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Print an object instead of text.
    #[arg(long)]
    pub json: bool,
    /// No progress.
    #[arg(long, short)]
    pub quiet: bool,
}

const GRASP: &str = "\
Examples:
  delassus ask grasp gripper.h5@0.5 --body box
                                          the forces and torques that the fingers bear on the box
  delassus ask grasp hand.toml --body part --csv set.csv

In the plane the set is an exact polygon, in space it lies between two hulls.";

/// Arguments of `ask grasp`.
#[derive(Debug, Args)]
#[command(after_help = GRASP)]
pub struct GraspArgs {
    /// Scene file or name of the gallery, at its start; a run, RUN@TIME at a time.
    #[arg(value_name = "SCENE|RUN[@TIME]")]
    pub source: String,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The held body.
    #[arg(long, value_name = "BODY")]
    pub body: String,
    /// In space: distance between inner and outer hull, relative to the size of the set.
    #[arg(long, value_name = "GAP", default_value = "0.01", value_parser = positive, allow_negative_numbers = true)]
    pub gap: f64,
    /// Write the vertices of the set of forces to this file; '-' for standard output.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Print an object instead of text.
    #[arg(long)]
    pub json: bool,
}

const REPOSE: &str = "\
Examples:
  delassus ask repose heap.h5
                                       of the last frame: each flank, their mean, how they differ
  delassus ask repose heap.h5@2 --json";

/// Arguments of `ask repose`.
#[derive(Debug, Args)]
#[command(after_help = REPOSE)]
pub struct ReposeArgs {
    /// A run, RUN@TIME at a time (the last frame by default); or a scene, at its start.
    #[arg(value_name = "RUN[@TIME]|SCENE")]
    pub source: String,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Print an object instead of text.
    #[arg(long)]
    pub json: bool,
}

const RESTITUTION: &str = "\
Examples:
  delassus ask restitution bouncing_ball --body ball
  delassus ask restitution cradle --body striker --against 'ball*'

The bodies must fly freely before and after the shock.";

/// Arguments of `ask restitution`.
#[derive(Debug, Args)]
#[command(after_help = RESTITUTION)]
pub struct RestitutionArgs {
    /// Scene file, or name of a scene of the gallery.
    #[arg(value_name = "SCENE")]
    pub scene_name: String,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The body, or bodies of an assembly, separated by commas; NAME* for all that begin so.
    #[arg(long, value_name = "BODY", value_delimiter = ',', required = true)]
    pub body: Vec<String>,
    /// What they strike, if it is not at rest: bodies separated by commas.
    #[arg(long, value_name = "BODY", value_delimiter = ',')]
    pub against: Vec<String>,
    /// Print an object instead of text.
    #[arg(long)]
    pub json: bool,
}
