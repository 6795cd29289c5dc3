//! From the words of a command line to the exit code.

use super::args::{Action, Cli};
use super::{
    ask, certify, compare, draw, explore, import, inspect, output, plot, resume, run, scene, shell, solve, sweep, view,
};
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

static CALLED: OnceLock<String> = OnceLock::new();

/// The command as it was called, for what it advises: where it is not on the path, as after `cargo run`, its name alone
/// would not be found.
pub fn called() -> &'static str {
    CALLED.get().map_or("delassus", String::as_str)
}

/// A program as one would type it from here.
fn typed(word: &OsString) -> String {
    let path = Path::new(word);
    if path.components().count() < 2 {
        return "delassus".into();
    }
    let here = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(PathBuf::from));
    let name = here.as_deref().unwrap_or(path).display().to_string();
    if name.contains(char::is_whitespace) { format!("'{name}'") } else { name }
}

/// Does what the command `delassus` does with these words, the first being its name; the exit code.
pub fn command_line(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    if let Some(name) = words.first() {
        CALLED.get_or_init(|| typed(name));
    }
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe is no reason to complain.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    super::quiet_panics();
    let code = act(cli.action);
    if output::is_lost() { ExitCode::from(2) } else { code }
}

fn act(action: Option<Action>) -> ExitCode {
    match action {
        Some(Action::New(args)) => scene::new(&args),
        Some(Action::Import(args)) => import::run(&args),
        Some(Action::Check(args)) => scene::check(&args),
        Some(Action::Run(args)) => run::run(&args),
        Some(Action::Resume(args)) => resume::run(&args),
        Some(Action::Sweep(args)) => sweep::run(&args),
        Some(Action::Info(args)) => inspect::info(&args),
        Some(Action::Export(args)) => inspect::export(&args),
        Some(Action::View(args)) => view::run(&args),
        Some(Action::Playground(args)) => view::playground(&args),
        Some(Action::Draw(args)) => draw::run(&args),
        Some(Action::Plot(args)) => plot::run(&args),
        Some(Action::Schema(args)) => scene::schema(&args),
        Some(Action::Explore(mut args)) => explore::run(&mut args),
        Some(Action::Ask(args)) => ask::run(&args),
        Some(Action::Solve(args)) => solve::run(&args),
        Some(Action::Compare(args)) => compare::run(&args),
        Some(Action::Certify(args)) => certify::run(&args),
        Some(Action::Completions(args)) => shell::completions(&args),
        Some(Action::Man(args)) => shell::man(&args),
        None => {
            let _ = Cli::command().print_help();
            ExitCode::SUCCESS
        }
    }
}
