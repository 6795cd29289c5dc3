//! Making the files of a run, and opening them again to go on.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::field::Header;
use crate::journal::{self, Journal};
use crate::layout::{Layout, VERSION, identity};
use crate::recorder::{Options, Stats};
use crate::run::{Recovery, Run};
use crate::store::Store;

/// Makes an empty run.
pub(crate) fn create(path: &Path, header: &Header, options: &Options) -> Result<(Store, Journal), Error> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|f| !f.exists()) {
        return Err(Error::NoFolder { path: path.to_path_buf(), folder: folder.to_path_buf() });
    }
    for file in [path.to_path_buf(), journal::path_of(path)] {
        // Devices and pipes cannot hold a run, and must not be replaced by one.
        match std::fs::metadata(&file) {
            Ok(there) if there.is_dir() => return Err(Error::NotAFile { path: file, what: "a folder" }),
            Ok(there) if !there.is_file() => return Err(Error::NotAFile { path: file, what: "no ordinary file" }),
            _ => {}
        }
        if !options.overwrite && file.exists() {
            return Err(Error::Exists { path: file });
        }
    }
    let mut journal = Journal::lock(path)?;
    let made = (|| {
        // Before the file appears, so that old records cannot be taken for its own.
        journal.start(&identity(header, 0))?;
        write_skeleton(path, path, header, (options.level, 0))?;
        Store::open(path, (header, VERSION), options.durable)
    })();
    match made {
        Ok(store) => Ok((store, journal)),
        Err(error) => {
            let _ = journal.remove();
            Err(error)
        }
    }
}

/// Writes the file without frames beside its place, then moves it there.
fn write_skeleton(path: &Path, name: &Path, header: &Header, (level, generation): (u32, u64)) -> Result<(), Error> {
    let bytes =
        Layout::new(header, VERSION).skeleton(header, level, generation).map_err(Error::hdf5("describe", name))?;
    let part = part_of(path);
    let write = || {
        let mut file = std::fs::File::create(&part)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&part);
        Error::io("create", name)(error)
    })
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Opens a run to go on after `frame` (`None`: after the last one, if any).
/// With another header, of the same fields, if one is given.
pub(crate) fn resume(
    path: &Path,
    (frame, other): (Option<usize>, Option<&Header>),
    options: &Options,
) -> Result<(Header, Store, Journal), Error> {
    if !path.exists() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Error::io("open", path)(missing));
    }
    let had_journal = journal::path_of(path).exists();
    let mut journal = Journal::lock(path)?;
    let opened = open_or_cut(path, (frame, other), options, &mut journal);
    match opened {
        Ok((header, store)) => Ok((header, store, journal)),
        Err(error) => {
            if !had_journal {
                let _ = journal.remove();
            }
            Err(error)
        }
    }
}

fn open_or_cut(
    path: &Path,
    (frame, other): (Option<usize>, Option<&Header>),
    options: &Options,
    journal: &mut Journal,
) -> Result<(Header, Store), Error> {
    let run = Run::open(path)?;
    let keep = match frame {
        Some(frame) if frame >= run.frames() => {
            return Err(Error::NoFrame { path: path.to_path_buf(), frame, frames: run.frames() });
        }
        Some(frame) => frame + 1,
        None => run.frames(),
    };
    let header = other.unwrap_or(run.header()).clone();
    if header.fields != run.header().fields {
        let reason = "a run goes on with the fields it has".to_owned();
        return Err(Error::Header { name: "fields".into(), reason });
    }
    if keep == run.frames() && other.is_none() {
        let mut store = Store::open(path, (&header, run.version()), options.durable)?;
        run.replay(|record, hash| store.push(record, hash))?;
        if store.is_consistent()? {
            store.fold()?;
            journal.start(&identity(&header, run.generation()))?;
            return Ok((header, store));
        }
    }
    cut(&run, &header, keep, options)?;
    journal.start(&identity(&header, run.generation() + 1))?;
    drop(run);
    let store = Store::open(path, (&header, VERSION), options.durable)?;
    Ok((header, store))
}

/// Replaces a run by its first `keep` frames. HDF5 rows cannot be taken back in place, so
/// they are copied; the new generation makes the old journal void at the instant of the
/// renaming.
fn cut(run: &Run, header: &Header, keep: usize, options: &Options) -> Result<(), Error> {
    let path = run.path();
    let part = part_of(path);
    let fresh = (|| {
        // Moved within its own name: the temporary of the temporary.
        write_skeleton(&part, path, header, (options.level, run.generation() + 1))?;
        let mut store = Store::open(&part, (header, VERSION), false)?;
        for frame in 0..keep {
            let (record, hash) = run.record(frame)?;
            store.push(&record, &hash)?;
            if store.waiting() >= store.until_aligned() {
                store.fold()?;
            }
        }
        store.fold()?;
        store.close()?;
        std::fs::rename(&part, path).map_err(Error::io("replace", path))
    })();
    fresh.inspect_err(|_| {
        let _ = std::fs::remove_file(&part);
    })
}

/// Moves the frames of a leftover journal into the HDF5 file, so that the run is one file
/// again. Does nothing to a run that ended properly.
///
/// # Errors
/// The run cannot be read, or is being written by another process.
pub fn recover(path: impl AsRef<Path>) -> Result<(Recovery, Stats), Error> {
    let path = path.as_ref();
    let recovery = Run::open(path)?.recovery().clone();
    let (_, store, journal) = resume(path, (None, None), &Options::default())?;
    let stats = Stats { written: store.frames(), ..Stats::default() };
    store.close()?;
    journal.remove()?;
    Ok((recovery, stats))
}
