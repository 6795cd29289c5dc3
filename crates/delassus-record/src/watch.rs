//! Notices that the file of a run is taken away while it is written. Where a file lives on without a name, its frames
//! would be lost without a word.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A file that must stay where it is.
#[derive(Debug)]
pub(crate) struct Watched {
    path: PathBuf,
    identity: Identity,
}

/// What tells two files of one name apart.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = ();

#[cfg(unix)]
fn identity(file: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}

impl Watched {
    pub fn new(path: &Path) -> Result<Self, Error> {
        let file = std::fs::metadata(path).map_err(Error::io("open", path))?;
        Ok(Self { path: path.to_path_buf(), identity: identity(&file) })
    }

    /// Fails when another file, or none, is there now.
    pub fn check(&self) -> Result<(), Error> {
        let gone = |how| Err(Error::Gone { path: self.path.clone(), how });
        match std::fs::metadata(&self.path) {
            Ok(file) if identity(&file) == self.identity => Ok(()),
            Ok(_) => gone("replaced"),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => gone("removed"),
            // A disk that does not answer is met by the next write.
            Err(_) => Ok(()),
        }
    }
}
