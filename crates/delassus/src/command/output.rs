//! Standard output that may be closed at any time, and messages beside it.

use std::cell::RefCell;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something could not be printed, for another reason than a reader that has gone.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether the answer was lost on its way: the exit code must say so.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Standard output; after the reader has gone, writing does nothing.
#[derive(Default)]
pub struct Output {
    closed: bool,
}

impl Output {
    /// Writes a piece of text.
    pub fn put(&mut self, text: &str) {
        if self.closed {
            return;
        }
        let mut out = stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            self.closed = true;
            if error.kind() != ErrorKind::BrokenPipe {
                LOST.store(true, Ordering::Relaxed);
                complain(&format!("standard output: {error}"));
            }
        }
    }

    /// Whether the reader has gone.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) {
        self.put(text);
        self.put("\n");
    }
}

thread_local! {
    /// Messages of this thread, where they are collected instead of shown.
    static COLLECTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Collects the messages of this thread while `work` runs, instead of showing them.
pub fn collected<T>(work: impl FnOnce() -> T) -> (T, String) {
    COLLECTED.set(Some(String::new()));
    let done = work();
    (done, COLLECTED.take().unwrap_or_default())
}

fn show(message: &str) {
    let kept = COLLECTED.with_borrow_mut(|c| c.as_mut().map(|text| *text += &format!("{message}\n")));
    if kept.is_none() {
        // A closed error stream is ignored: `eprintln!` would panic.
        let _ = writeln!(stderr().lock(), "{}", coloured(message));
    }
}

/// The first word of each message in colour, where a terminal shows it and nobody asked for none (no-color.org).
fn coloured(message: &str) -> String {
    if !stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        return message.to_owned();
    }
    let line = |line: &str| {
        for (word, code) in [("error", 31), ("warning", 33)] {
            if let Some(rest) = line.strip_prefix(word).filter(|rest| rest.starts_with(':')) {
                return format!("\x1b[1;{code}m{word}\x1b[0m{rest}");
            }
        }
        line.to_owned()
    };
    message.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// An error, on the error stream.
pub fn complain(message: &str) {
    show(&format!("error: {message}"));
}

/// Diagnostics, which say themselves whether they are errors, on the error stream.
pub fn report(diagnostics: &impl std::fmt::Display) {
    show(&diagnostics.to_string());
}

/// A warning, on the error stream.
pub fn warn(message: &str) {
    show(&format!("warning: {message}"));
}
