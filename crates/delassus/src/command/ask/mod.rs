//! `ask`: what engineers want to know of a scene, each a question of its own.

mod args;
mod collapse;
mod grasp;
mod mechanism;
mod repose;
mod restitution;
mod safety;

pub use args::AskArgs;

use super::output::{Output, complain};
use super::{Verdict, guarded};
use args::Question;
use delassus_scene::diagnostic::nearest;
use serde_json::Value;
use std::process::ExitCode;

/// What a question came to: lines for people, the same as data, and whether there was an answer.
struct Answer {
    lines: Vec<String>,
    data: Value,
    verdict: Verdict,
}

/// Asks.
pub fn run(args: &AskArgs) -> ExitCode {
    let (json, result) = match &args.question {
        Question::Safety(a) => (a.json, guarded(|| safety::ask(a))),
        Question::Collapse(a) => (a.json, guarded(|| collapse::ask(a))),
        Question::Grasp(a) => (a.json, guarded(|| grasp::ask(a))),
        Question::Repose(a) => (a.json, guarded(|| repose::ask(a))),
        Question::Restitution(a) => (a.json, guarded(|| restitution::ask(a))),
    };
    match result.unwrap_or_else(Err) {
        Ok(answer) => {
            let data = || serde_json::to_string_pretty(&answer.data).unwrap_or_default();
            Output::default().line(&if json { data() } else { answer.lines.join("\n") });
            answer.verdict.into()
        }
        Err(message) => {
            // An empty message was told where it arose.
            if !message.is_empty() {
                complain(&message);
            }
            Verdict::BadInput.into()
        }
    }
}

/// The index of a body by name.
fn body_index(names: &[String], name: &str) -> Result<usize, String> {
    names.iter().position(|n| n == name).ok_or_else(|| {
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = match nearest(name, &words) {
            Some(near) => format!("; did you mean '{near}'?"),
            None if words.len() <= 20 => format!("; there are: {}", words.join(", ")),
            None => format!("; there are: {}, …", words[..20].join(", ")),
        };
        format!("there is no body '{name}'{hint}")
    })
}

/// Four digits.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if (1e-3..1e5).contains(&a) => {
            let digits = (3 - a.log10().floor() as i32).max(0) as usize;
            format!("{x:.digits$}")
        }
        _ => format!("{x:.3e}"),
    }
}
