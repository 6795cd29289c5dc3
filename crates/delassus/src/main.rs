//! The `delassus` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    delassus::command_line(std::env::args_os())
}
