//! Files that a scene reads: from its folder, or kept in the run that was made from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 32;

/// The files of a scene by the names that it gives them. Each is read once; what was read is what a record keeps,
/// so that a run can go on wherever it is, and with the files it was made with.
#[derive(Clone, Debug, Default)]
pub struct Files {
    folder: PathBuf,
    read: Arc<Mutex<BTreeMap<String, Arc<[u8]>>>>,
}

impl Files {
    /// Those of a folder.
    pub fn of_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }

    /// The same, with contents that are known already.
    #[must_use]
    pub fn with(self, kept: impl IntoIterator<Item = (String, Arc<[u8]>)>) -> Self {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).extend(kept);
        self
    }

    /// The folder that names are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was read so far.
    pub fn read(&self) -> Vec<(String, Arc<[u8]>)> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// It is not kept and cannot be read; the message says why.
    pub fn bytes(&self, name: &str) -> Result<Arc<[u8]>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = read.get(name) {
            return Ok(bytes.clone());
        }
        let path = self.folder.join(name);
        let say = |e: std::io::Error| format!("{}: {e}", path.display());
        let size = std::fs::metadata(&path).map_err(say)?.len();
        if size > MAX_BYTES {
            return Err(format!("{} has {size} bytes, at most {MAX_BYTES} are read", path.display()));
        }
        let bytes: Arc<[u8]> = std::fs::read(&path).map_err(say)?.into();
        read.insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    }
}
