//! `view`: a run as a page, served on loopback or written into one file.

use super::args::count;
use super::output::{Output, complain, warn};
use super::{Verdict, bytes, names, runs};
use crate::view::cast;
use clap::Args;
use delassus_record::Run;
use delassus_view::serve::{Server, Show, start};
use delassus_view::{Cast, Page, html};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VIEW: &str = "\
Examples:
  delassus view wall.h5                 opens a page that plays the run
  delassus view a.h5 b.h5               side by side, at the same time
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

/// Arguments of `playground`.
#[derive(Debug, Args)]
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
                "{}: {e}\n  expected the folder of the playground; 'scripts/viewer engine' builds it",
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

fn write(args: &ViewArgs, page: &Path) -> Result<(), String> {
    let [path] = args.runs.as_slice() else { return Err("--html takes one run".into()) };
    names::spare(page, &args.runs)?;
    if page.exists() && !args.overwrite {
        return Err(format!("{} exists: give another name, or --overwrite", page.display()));
    }
    let run = runs::open(path)?;
    let cast = told(&run).unwrap_or_else(|message| {
        warn(&format!("the scene of the run cannot be built again, bodies are shown without their roles: {message}"));
        Cast::default()
    });
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
