//! `completions` and `man`: what shells and `man` know of the command, from the same arguments.

use super::Verdict;
use super::args::{Cli, CompletionsArgs, ManArgs};
use super::output::{Output, complain};
use clap::CommandFactory;
use std::process::ExitCode;

/// Prints completions.
pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut text = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "delassus", &mut text);
    Output::default().put(&String::from_utf8_lossy(&text));
    ExitCode::SUCCESS
}

/// Writes the pages.
pub fn man(args: &ManArgs) -> ExitCode {
    let folder = args.folder.display();
    let made = std::fs::create_dir_all(&args.folder);
    match made.and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder)) {
        Ok(()) => {
            Output::default().line(&format!("{folder}: delassus.1 and a page for each command"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&format!("cannot write to {folder}: {error}"));
            Verdict::BadInput.into()
        }
    }
}
