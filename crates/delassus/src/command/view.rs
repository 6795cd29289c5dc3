//! `view`: a run as a page, served on loopback or written into one file.

use super::args::count;
use super::draw::exploration::{Exploration, bare};
use super::output::{Output, complain, warn};
use super::{Verdict, bytes, names, runs};
use crate::view::cast;
use clap::Args;
use delassus_record::Run;
use delassus_view::serve::{Server, Show, start};
use delassus_view::{Cast, Explored, Page, Possible, html};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VIEW: &str = "\
Examples:
  delassus view wall.h5                 opens a page that plays the run
  delassus view a.h5 b.h5               side by side, at the same time
  delassus view wall.h5 --explore set.h5
                                        with what 'delassus explore wall.h5@1.5 -o set.h5' found
  delassus view wall.h5 --html wall.html
                                        one file to send; needs neither server nor network

The page is served on this machine alone, at an address with a token; it fetches nothing from
elsewhere, and no other file than the runs can be read through it. Ctrl-C ends it.";

/// Arguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = VIEW)]
pub struct ViewArgs {
    /// Run files.
    #[arg(required = true, value_name = "RUN", num_args = 1..=4)]
    pub runs: Vec<PathBuf>,
    /// A file of 'delassus explore' of the first run: its sets and samples at the contacts.
    #[arg(long, value_name = "FILE")]
    pub explore: Option<PathBuf>,
    /// Write a page with the run inside instead of serving one.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// With --html: most frames.
    #[arg(long, value_name = "N", default_value = "200", value_parser = count, allow_negative_numbers = true)]
    pub frames: usize,
    /// With --html: replace an existing file.
    #[arg(long)]
    pub overwrite: bool,
    /// Port to serve on; any that is free by default.
    #[arg(long, value_name = "PORT", default_value = "0")]
    pub port: u16,
    /// Only print the address.
    #[arg(long)]
    pub no_open: bool,
}

/// What the page of the playground is made of.
const PLAYGROUND: [&str; 6] =
    ["play.html", "play.js", "play.css", "worker.js", "delassus_web.js", "delassus_web_bg.wasm"];

const PLAYGROUND_HELP: &str = "\
Examples:
  scripts/viewer engine                  once, in a checkout: the engine for the browser
  delassus playground                    edit scenes and run them on the page";

/// Arguments of `playground`.
#[derive(Debug, Args)]
#[command(after_help = PLAYGROUND_HELP)]
pub struct PlaygroundArgs {
    /// The folder of the page and its engine, as 'scripts/viewer engine' builds it.
    #[arg(value_name = "DIR", default_value = "target/playground")]
    pub folder: PathBuf,
    /// Port to serve on; any that is free by default.
    #[arg(long, value_name = "PORT", default_value = "0")]
    pub port: u16,
    /// Only print the address.
    #[arg(long)]
    pub no_open: bool,
}

/// Serves the page with the engine in it.
pub fn playground(args: &PlaygroundArgs) -> ExitCode {
    let read = |name: &&str| {
        let path = args.folder.join(name);
        let contents = std::fs::read(&path);
        contents.map(|bytes| ((*name).to_owned(), bytes)).map_err(|e| {
            format!(
                "{}: {e}\n  the engine of the playground is not inside the command: 'scripts/viewer engine' in the sources of \
                 the project builds it into target/playground\n  (it needs node, and 'rustup target add \
                 wasm32-unknown-unknown'); give the folder where it is: delassus playground DIR",
                path.display()
            )
        })
    };
    let files: Result<Vec<_>, String> = PLAYGROUND.iter().map(read).collect();
    ended(files.and_then(|files| {
        let show = Show { runs: vec![], told: Box::new(told), live: None, files, port: args.port };
        started(show, "play.html", !args.no_open).map(Server::wait)
    }))
}

/// Serves, or writes the page.
pub fn run(args: &ViewArgs) -> ExitCode {
    let done = match &args.html {
        Some(page) => write(args, page),
        None => serve(args),
    };
    ended(done)
}

fn ended(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => Verdict::Solved.into(),
        Err(message) => {
            complain(&message);
            Verdict::BadInput.into()
        }
    }
}

/// What the scene of a run tells; a run plays without it.
pub fn told(run: &Run) -> Result<Cast, String> {
    let scene = runs::scene_of(run, None).map_err(|e| e.to_string())?;
    Ok(cast(&scene.build().map_err(|e| e.to_string())?))
}

/// Most sampled reactions of a page: a cloud is seen long before.
const CLOUD: usize = 200_000;

/// What was explored, for the page; a scene is explored at its start.
fn explored(path: &Path) -> Result<Explored, String> {
    let found = Exploration::read(path)?;
    let places = found.places.as_ref().ok_or_else(|| bare(&path.display()))?;
    let time = found.source.rsplit_once("at t = ").and_then(|(_, t)| t.trim_end_matches(" s").parse().ok());
    let d = if places.iter().all(|p| p.axes[2] == [0.0; 3]) { 2 } else { 3 };
    let list = |all: Vec<[f64; 3]>| all.iter().map(|x| x[..d].to_vec()).collect::<Vec<_>>();
    let mut quantity = String::new();
    let contacts = places.iter().enumerate().map(|(k, place)| {
        let set = found.reactions(k, [0.0; 2], [[0.0; 2]; 3], String::new());
        let every = (set.samples.len() * places.len()).div_ceil(CLOUD).max(1);
        quantity = set.quantity;
        Possible {
            bodies: place.bodies.map(|b| b.and_then(|b| u32::try_from(b).ok())),
            point: place.point[..d].to_vec(),
            axes: place.axes[..d].iter().map(|a| a[..d].to_vec()).collect(),
            friction: set.friction,
            vertices: list(set.vertices),
            unbounded: set.unbounded,
            samples: list(set.samples.into_iter().step_by(every).collect()),
        }
    });
    let contacts = contacts.collect();
    Ok(Explored { source: found.source, quantity, time: time.unwrap_or(0.0), contacts })
}

fn write(args: &ViewArgs, page: &Path) -> Result<(), String> {
    let [path] = args.runs.as_slice() else { return Err("--html takes one run".into()) };
    names::spare(page, args.runs.iter().chain(&args.explore))?;
    if page.exists() && !args.overwrite {
        return Err(format!("{} exists: give another name, or --overwrite", page.display()));
    }
    let run = runs::open(path)?;
    let mut cast = told(&run).unwrap_or_else(|message| {
        warn(&format!("the scene of the run cannot be built again, bodies are shown without their roles: {message}"));
        Cast::default()
    });
    cast.explored = args.explore.as_deref().map(explored).transpose()?;
    let limits = Page { frames: args.frames, ..Page::default() };
    let (text, frames) = html(&run, &cast, &limits).map_err(|e| e.to_string())?;
    std::fs::write(page, &text).map_err(|e| format!("cannot write {}: {e}", page.display()))?;
    let mut out = Output::default();
    let of = if frames < run.frames() { format!(" of {}", run.frames()) } else { String::new() };
    out.line(&format!("{}: {frames}{of} frames, {}", page.display(), bytes(text.len() as u64)));
    Ok(())
}

fn serve(args: &ViewArgs) -> Result<(), String> {
    // What cannot be opened is said here, and not in a page.
    for path in &args.runs {
        runs::open(path)?;
    }
    let (sets, first) = (args.explore.as_deref().map(explored).transpose()?, args.runs[0].clone());
    let told = move |run: &Run| {
        let mut cast = told(run)?;
        cast.explored = sets.clone().filter(|_| run.path() == first);
        Ok(cast)
    };
    let show = Show { runs: args.runs.clone(), told: Box::new(told), live: None, files: vec![], port: args.port };
    started(show, "", !args.no_open).map(Server::wait)
}

/// Starts to serve, prints the address and opens it.
pub fn started(show: Show, page: &str, open: bool) -> Result<Server, String> {
    let server = start(show).map_err(|e| e.to_string())?;
    let address = format!("{}{page}", server.address);
    Output::default().line(&format!("{address}\nCtrl-C ends it"));
    if open && open::that_detached(&address).is_err() {
        warn("no browser could be opened: open the address yourself");
    }
    Ok(server)
}
