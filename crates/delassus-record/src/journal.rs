//! The journal of a run being written: the frames that are not yet in the HDF5 file.
//!
//! Compressed chunks pay only when many frames share one, and a frame must be safe as
//! soon as it is written. So every frame is first appended here, raw, and the HDF5 file
//! receives whole blocks of frames; then the journal starts again.
//!
//! ```text
//! journal  =  magic [8] | run identity [32] | record …
//! record   =  mark u32 | frame u64 | length u64 | BLAKE3 of the body [32] | body
//! ```
//!
//! A record counts only if its hash agrees, so a crash at any byte costs at most the
//! record being written. The identity ties a journal to one HDF5 file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::Error;

const MAGIC: &[u8; 8] = b"DLSJRNL1";
const MARK: u32 = 0x4d52_4644;
const PREAMBLE: usize = 40;
const HEAD: usize = 52;

/// Name of the journal of a run.
pub(crate) fn path_of(run: &Path) -> PathBuf {
    let mut name = run.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

/// The journal, open for writing and locked against a second writer.
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    length: u64,
    head: Vec<u8>,
}

impl Journal {
    /// Opens or creates the journal of `run` and takes its lock.
    pub fn lock(run: &Path) -> Result<Self, Error> {
        let path = path_of(run);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open.map_err(Error::io("create", &path))?;
        // A file system without locks is no reason to refuse a run.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::Busy { path: run.to_path_buf() });
        }
        Ok(Self { file, path, length: 0, head: Vec::with_capacity(HEAD) })
    }

    /// Empties the journal and ties it to a file.
    pub fn start(&mut self, identity: &[u8; 32]) -> Result<(), Error> {
        self.set_length(0)?;
        self.write(&[MAGIC, identity.as_slice()].concat())?;
        self.length = PREAMBLE as u64;
        Ok(())
    }

    /// Forgets the records, which are in the HDF5 file now.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.set_length(PREAMBLE as u64)
    }

    /// Appends one frame. If that fails, the journal ends with the frame before.
    pub fn append(&mut self, frame: u64, body: &[u8], hash: &[u8; 32]) -> Result<(), Error> {
        self.head.clear();
        self.head.extend_from_slice(&MARK.to_le_bytes());
        self.head.extend_from_slice(&frame.to_le_bytes());
        self.head.extend_from_slice(&(body.len() as u64).to_le_bytes());
        self.head.extend_from_slice(hash);
        let head = std::mem::take(&mut self.head);
        let written = self.write(&head).and_then(|()| self.write(body));
        self.head = head;
        if let Err(error) = written {
            // The incomplete tail is harmless; removing it frees room on a full disk.
            let _ = self.set_length(self.length);
            return Err(error);
        }
        self.length += (HEAD + body.len()) as u64;
        Ok(())
    }

    /// Forces what was written to the disk, against loss of power.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::io("write", &self.path))
    }

    /// Removes the file: the run is finished.
    pub fn remove(self) -> Result<(), Error> {
        match std::fs::remove_file(&self.path) {
            // Somebody was quicker.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(Error::io("remove", &self.path)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(Error::io("write", &self.path))
    }

    fn set_length(&mut self, length: u64) -> Result<(), Error> {
        let cut = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::Start(length)));
        cut.map_err(Error::io("truncate", &self.path))?;
        self.length = length;
        Ok(())
    }
}

/// Whether somebody is writing the run: the journal is there and locked.
pub(crate) fn is_locked(run: &Path) -> bool {
    let file = File::open(path_of(run));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The complete records of a journal.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub bytes: Vec<u8>,
    /// Index of the first frame.
    pub first: u64,
    /// Body of each frame.
    pub bodies: Vec<Range<usize>>,
    /// Bytes after the last complete record, or of a journal of another run.
    pub dropped: u64,
}

impl Scan {
    /// Reads the journal of `run`, if there is one.
    pub fn read(run: &Path) -> Result<Self, Error> {
        let path = path_of(run);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Self { bytes, ..Self::default() }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(Error::io("read", &path)(e)),
        }
    }

    /// Finds the complete, consecutive records of the file with this identity.
    pub fn index(&mut self, identity: &[u8; 32]) {
        let mut at = 0;
        if self.bytes.starts_with(MAGIC) && self.bytes.get(8..PREAMBLE) == Some(identity.as_slice()) {
            at = PREAMBLE;
            while let Some((frame, body)) = record(&self.bytes, at) {
                if self.bodies.is_empty() {
                    self.first = frame;
                } else if self.first.checked_add(self.bodies.len() as u64) != Some(frame) {
                    break;
                }
                at = body.end;
                self.bodies.push(body);
            }
        }
        self.dropped = (self.bytes.len() - at) as u64;
    }
}

/// The record at `at`, if it is complete and its hash agrees.
fn record(bytes: &[u8], at: usize) -> Option<(u64, Range<usize>)> {
    let head = bytes.get(at..at.checked_add(HEAD)?)?;
    let word = |i: usize| Some(u64::from_le_bytes(head.get(i..i + 8)?.try_into().ok()?));
    if head[..4] != MARK.to_le_bytes() {
        return None;
    }
    let start = at + HEAD;
    let body = start..start.checked_add(usize::try_from(word(12)?).ok()?)?;
    let hash = blake3::hash(bytes.get(body.clone())?);
    (hash.as_bytes() == &head[20..HEAD]).then_some((word(4)?, body))
}
