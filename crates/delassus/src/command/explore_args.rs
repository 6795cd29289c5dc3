//! Arguments of `explore`.

use super::args::{count, finite, positive};
use super::draw::window;
use super::scene_args::SceneArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXPLORE: &str = "\
Examples:
  delassus explore ladder                       what each reaction can be, exactly
  delassus explore discs_28 --samples 10000     and how well sampling finds it
  delassus explore discs_28 --exact --samples 3000 --picture discs.svg --inset 30,44,12
                                                clouds and polygons drawn at the contacts
  delassus explore discs_28 --contact 48        one contact: vertices, extreme networks
  delassus explore wedged_bar                   every motion the step admits
  delassus explore slope.h5@6 --motion --samples 200
                                                a run at t = 6 s: spread by stick and slip,
                                                with and without warm start
  delassus explore slope@6 --motion --samples 40 --procedure shuffle --picture fan.svg --fan
      --zoom 0.10,0.04,0.20,0.14 --profile 12 --average-from 3
                                                runs a scene to t = 6 s, explores its step, draws
                                                the flow, its profile and fans of sampled forces
  delassus explore packing.h5 --at-rest --gap 0.01
                                                a settled packing, whatever still rolls in it
  delassus explore tower.hdf5 -o tower_set.h5 --csv tower.csv

At rest the reactions are those in their cones that balance the loads. In the plane each
reaction ranges over a polygon, computed exactly by linear programs; in space over a convex
set, caught between an inner and an outer hull by conic programs. Sampling repeats the step
from random forces (random) or from zero with the contacts in random order (shuffle); every
sample kept is certified to the tolerance. The same seed gives the same samples for any
number of threads.

Exit codes: 0 answered (an empty set is an answer), 1 samples were rejected or a program
failed, 2 bad input.";

/// Moreau's procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lot {
    /// Random initial forces.
    Random,
    /// Zero initial forces, contacts swept in random order.
    Shuffle,
}

/// Arguments of `explore`.
#[derive(Debug, Args)]
#[command(after_help = EXPLORE)]
pub struct ExploreArgs {
    /// Scene file or name of the gallery, at its start, or with @TIME after a run to that time,
    /// kept in NAME.run.h5; run file, RUN@TIME for the frame nearest to a time (the last by
    /// default); or an FCLIB problem.
    #[arg(value_name = "SCENE[@TIME]|RUN@TIME|PROBLEM")]
    pub source: String,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Bound every reaction; done by default when nothing else is asked. Given by name, exactly in
    /// the plane for any number of contacts.
    #[arg(long)]
    pub exact: bool,
    /// Only this contact, from 0 (repeatable): its vertices and its extreme networks.
    #[arg(long, value_name = "K")]
    pub contact: Vec<usize>,
    /// Solve N times and keep the certified solutions.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub samples: Option<usize>,
    /// What the samples draw by lot.
    #[arg(long, value_enum, default_value = "random")]
    pub procedure: Lot,
    /// Seed of the draws.
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub seed: u64,
    /// Repeat the step as it is, in motion: spread of the forces by stick and slip, with and
    /// without warm start.
    #[arg(long)]
    pub motion: bool,
    /// Leave the velocities out: what the contacts can bear of the loads, as if all stood still. For packings in which
    /// some grain goes on rolling.
    #[arg(long, conflicts_with = "motion")]
    pub at_rest: bool,
    /// Relative residual that a sample must reach.
    #[arg(long, value_name = "TOL", default_value = "1e-8", value_parser = positive, allow_negative_numbers = true)]
    pub tol: f64,
    /// Sweeps after which a sample is rejected.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = count, allow_negative_numbers = true)]
    pub max_sweeps: usize,
    /// Stop at this distance between inner and outer hull, relative to the size of the set; by
    /// default 0 (exact) in the plane up to 300 contacts, 0.05 beyond, and 0.02 in space.
    #[arg(long, value_name = "GAP", value_parser = positive, allow_negative_numbers = true)]
    pub gap: Option<f64>,
    /// In space: most conic programs for one contact.
    #[arg(long, value_name = "N", default_value = "60", value_parser = count, allow_negative_numbers = true)]
    pub directions: usize,
    /// Look for the smallest friction also where there are more than 300 contacts.
    #[arg(long)]
    pub least_friction: bool,
    /// Write everything to this HDF5 file, for 'delassus draw' and further work.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the bodies with the sets and samples at their contacts, .svg or .png; what was found
    /// goes to the same name with .h5 (.set.h5 beside a run of that name) unless --output says
    /// otherwise.
    #[arg(long, value_name = "FILE", value_parser = picture)]
    pub picture: Option<PathBuf>,
    /// With --picture: enlarge the sets of these contacts.
    #[arg(long, value_name = "K", value_delimiter = ',', requires = "picture")]
    pub inset: Vec<usize>,
    /// With --picture: sampled reactions as segments from the contact instead of dots.
    #[arg(long, requires = "picture")]
    pub fan: bool,
    /// With --picture: mean velocity along x in N slices of the height, beside the flow.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "12", value_parser = count, requires = "picture")]
    pub profile: Option<usize>,
    /// With --profile: average over the frames from this time [s].
    #[arg(long, value_name = "T", requires = "profile", value_parser = finite, allow_negative_numbers = true)]
    pub average_from: Option<f64>,
    /// With --picture: part of the plane to show again, larger [m]: left,bottom,right,top.
    #[arg(long, value_name = "X,Y,X,Y", value_parser = window, allow_hyphen_values = true, requires = "picture")]
    pub zoom: Option<[f64; 4]>,
    /// Write one line per contact to this file; '-' for standard output.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Threads; all by default. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// No progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Refused before the work, not after it.
fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg" | "png") => Ok(path),
        _ => Err("expected a file that ends in .svg or .png".into()),
    }
}
