//! What can go wrong with a run on disk. Every variant names the file and what was found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a run could not be written or read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The operating system refused: disk full, no permission, missing directory.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The answer of the operating system.
        source: Arc<std::io::Error>,
    },
    /// The HDF5 library refused.
    #[error("cannot {action} {path}: {reason}")]
    Hdf5 {
        /// What was attempted.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The answer of the library.
        reason: String,
    },
    /// A run of that name is already there.
    #[error("{path} already exists: choose another name, resume it, or allow overwriting")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Something is there that is no file.
    #[error("{path} is {what}: give the name of a file")]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The folder of the run does not exist.
    #[error("the folder {folder} does not exist: make it first, or choose another for {path}")]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The file was taken away under the writer.
    #[error("{path} was {how} while it was written: its frames are lost")]
    Gone {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        how: &'static str,
    },
    /// Another process is writing this run.
    #[error("{path} is being written by another process")]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file exists but is no run.
    #[error("{path} is not a run: {reason}")]
    NotARun {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// The run was written by a newer program.
    #[error("{path} has run format {found}, this program reads up to {known}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Version in the file.
        found: u64,
        /// Newest version known here.
        known: u64,
    },
    /// The contents contradict themselves.
    #[error("{path} is damaged at {item}: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The dataset or attribute.
        item: String,
        /// The contradiction.
        reason: String,
    },
    /// The description of the run is refused.
    #[error("field or header '{name}' refused: {reason}")]
    Header {
        /// The offending item.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A frame does not have the columns of the header.
    #[error("frame has {found} columns, the header has {expected} fields")]
    Columns {
        /// Fields of the header.
        expected: usize,
        /// Columns of the frame.
        found: usize,
    },
    /// A column has the wrong type.
    #[error("column of '{field}' holds {found}, expected {expected}")]
    Kind {
        /// The field.
        field: String,
        /// Type of the field.
        expected: &'static str,
        /// Type of the column.
        found: &'static str,
    },
    /// A column has the wrong length.
    #[error("column of '{field}' has {found} numbers, expected {expected}")]
    Length {
        /// The field.
        field: String,
        /// Numbers expected.
        expected: usize,
        /// Numbers found.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error("'{field}' is {value} at entry {index}, step {step}: not recorded")]
    NonFinite {
        /// The field, or `time`.
        field: String,
        /// Index in the column.
        index: usize,
        /// Step of the frame.
        step: u64,
        /// The value.
        value: f64,
    },
    /// There is no such field.
    #[error("no field '{name}'; the run has {known}")]
    NoField {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// There is no such frame.
    #[error("no frame {frame}: {path} holds {frames} frames, numbered from 0")]
    NoFrame {
        /// The file.
        path: PathBuf,
        /// The frame asked for.
        frame: usize,
        /// Frames in the run.
        frames: usize,
    },
    /// There is no such item in a field.
    #[error("no item {item} in '{field}', which has {items} per frame")]
    NoItem {
        /// The field.
        field: String,
        /// The item asked for.
        item: usize,
        /// Items per frame (0: not fixed).
        items: usize,
    },
    /// The writer has stopped; what it wrote stays readable.
    #[error("recording stopped after {frames} frames, which stay readable: {source}")]
    Stopped {
        /// Complete frames on disk.
        frames: usize,
        /// Why.
        source: Arc<Error>,
    },
    /// A setting makes no sense.
    #[error("option {option} = {value} refused: {expected}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: u64,
        /// What is accepted.
        expected: &'static str,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source: Arc::new(source) }
    }

    pub(crate) fn hdf5(action: &'static str, path: &Path) -> impl Fn(hdf5_pure::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |error| match error {
            hdf5_pure::Error::Io(source) => Self::Io { action, path: path.clone(), source: Arc::new(source) },
            error => Self::Hdf5 { action, path: path.clone(), reason: error.to_string() },
        }
    }

    pub(crate) fn damaged(path: &Path, item: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), item: item.into(), reason: reason.into() }
    }
}
