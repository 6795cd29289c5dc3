//! Arguments of `plot`.

use crate::command::args::{finite, positive};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const PLOT: &str = "\
Examples:
  delassus plot wall.h5 --list                     what can be plotted
  delassus plot wall.h5 energy/kinetic energy/potential
  delassus plot wall.h5 energy                     everything below energy/, a panel for each unit
  delassus plot a.h5 b.h5 step/residual --log      two runs in one figure
  delassus plot bars.h5 tip                        an observed point: [observe.tip] of the scene
  delassus plot bars.h5 tip/velocity.x -o v.png    one component
  delassus plot wall.h5 'bodies/position[keystone].y'
  delassus plot a.h5 b.h5 energy --csv energy.csv  the numbers
  delassus plot gripper box/position.y --variant lifts,drops
                                                   a scene or its variants, run if need be
  delassus plot member*.h5 energy/kinetic --multiples
                                                   small multiples: a panel for each run
  delassus plot --compare theta.h5 newmark.h5 --probe tip --exact two-bars
                                                   displacement, velocity, contact force, energy
  delassus plot --compare two_bars --exact two-bars
                                                   the same of all variants of a scene
  delassus plot --along x patch_test -o patch.png  pressure and gap along a surface, all variants
  delassus plot --along x bar_arlequin displacement.x --at 0,1,2
                                                   a field of the nodes at some times

Names may be shortened to their last parts. energy/total is the sum of the energies,
contact/force the sum of the normal contact forces.
Exit codes: 0 drawn, 1 a scene was not run to its end with every step certified, 2 bad input.";

/// Arguments of `plot`.
#[derive(Debug, Args)]
#[command(after_help = PLOT)]
pub struct PlotArgs {
    /// Runs, or a scene that is run first, then what to plot against time.
    #[arg(required = true, value_name = "RUN|SCENE|SERIES")]
    pub items: Vec<String>,
    /// List what can be plotted.
    #[arg(long, conflicts_with_all = ["compare", "csv", "output"])]
    pub list: bool,
    /// Four panels for several runs: displacement, velocity, contact force, energy.
    #[arg(long)]
    pub compare: bool,
    /// Contact pressure and gap at the points of surfaces along this axis, at the end of the runs, or of the variants
    /// of a scene; or a field of the nodes that is named, as displacement.x.
    #[arg(long, value_name = "AXIS", conflicts_with_all = ["compare", "from", "to", "list"])]
    pub along: Option<Axis>,
    /// With --along and a field of the nodes: at these times [s]; the last frame by default.
    #[arg(long, value_name = "T,T", value_delimiter = ',', value_parser = finite, requires = "along")]
    pub at: Vec<f64>,
    /// With --compare: the observed point; the only one of the runs by default.
    #[arg(long, value_name = "NAME", requires = "compare")]
    pub probe: Option<String>,
    /// With --compare: the component of displacement and velocity; by default the one that moves most.
    #[arg(long, value_name = "AXIS", requires = "compare")]
    pub axis: Option<Axis>,
    /// With --compare: add the closed form of this problem.
    #[arg(long, value_name = "PROBLEM", requires = "compare")]
    pub exact: Option<Exact>,
    /// With a scene: change a value of it.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// With a scene: these variants of it; with --compare or --along all of them unless some are named.
    #[arg(long = "variant", value_name = "A,B", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// The picture, .svg or .png; by default RUN_plot.svg or RUN_comparison.svg in this folder.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the numbers to this file; '-' for standard output. No picture unless --output is given.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Name of a run in the legend, in the order of the runs; the name of its file by default.
    #[arg(long = "label", value_name = "TEXT")]
    pub labels: Vec<String>,
    /// The series on the horizontal axis, instead of time.
    #[arg(long, value_name = "SERIES", conflicts_with_all = ["compare", "along", "csv"])]
    pub against: Option<String>,
    /// Plot from this time on [s].
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Plot up to this time [s].
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub to: Option<f64>,
    /// Plot magnitudes on a logarithmic axis; numbers written by --csv stay as they are.
    #[arg(long, conflicts_with = "compare")]
    pub log: bool,
    /// One panel for each run, the others pale behind it; so are more than eight runs unless --together is given.
    #[arg(long, conflicts_with = "together")]
    pub multiples: bool,
    /// All runs in one panel, however many.
    #[arg(long)]
    pub together: bool,
    /// Title instead of that of the run; '' for none.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Size of the page in units of 1/96 inch: width, or WIDTHxHEIGHT.
    #[arg(long, value_name = "SIZE", value_parser = crate::command::draw::size)]
    pub size: Option<(f64, Option<f64>)>,
    /// Pixels per unit of the page in PNG; 2 by default.
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    pub scale: Option<f64>,
    /// No messages.
    #[arg(long, short)]
    pub quiet: bool,
}

/// A component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

/// Problems with a closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Exact {
    /// Two equal elastic bars that meet head on.
    TwoBars,
}
