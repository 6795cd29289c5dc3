//! The HDF5 side of a recorder: pending frames, folded into the file block by block.
//!
//! A fold appends to each dataset the rows it lacks, fields first and `frames/time` last.
//! It is idempotent: after a crash in its middle the same fold, fed by the journal,
//! finds the rows already there and appends the rest. No row is ever taken back.

use std::path::{Path, PathBuf};

use hdf5_pure::{Dataset, File, FileAccessProperties, FileLocking, SyncPolicy};

use crate::error::Error;
use crate::field::{Extent, Header};
use crate::frame::Plan;
use crate::layout::{Layout, Set};

/// An HDF5 run open for appending.
pub(crate) struct Store {
    path: PathBuf,
    file: File,
    sets: Vec<Dataset>,
    layout: Layout,
    plan: Plan,
    extents: Vec<Rows>,
    /// Bytes to append to each dataset.
    pending: Vec<Vec<u8>>,
    /// Frames in the file.
    folded: u64,
    /// Frames in the file and pending.
    frames: u64,
    /// Rows of each ragged group in the file, and with the pending ones.
    group_folded: Vec<u64>,
    group_rows: Vec<u64>,
}

/// How the rows of a dataset grow with the frames.
#[derive(Clone, Copy)]
enum Rows {
    PerFrame(u64),
    Group(usize),
}

impl Store {
    /// Opens a run for appending after its last complete frame.
    pub fn open(path: &Path, (header, version): (&Header, u64), durable: bool) -> Result<Self, Error> {
        let policy = if durable { SyncPolicy::Always } else { SyncPolicy::OnClose };
        // No lock on the HDF5 file, so that it can be read with h5py at any time; the
        // journal is locked against a second writer. Appends publish their length last.
        let access = FileAccessProperties::new().with_locking(FileLocking::Disabled).with_sync_policy(policy);
        let file = File::open_rw_with_options(path, access).map_err(Error::hdf5("open", path))?;
        let layout = Layout::new(header, version);
        let open = |set: &Set| file.dataset(&set.path).map_err(Error::hdf5("open", path));
        let sets: Vec<Dataset> = layout.sets.iter().map(open).collect::<Result<_, _>>()?;
        let (pending, groups) = (vec![Vec::new(); sets.len()], header.groups());
        let with_sets = header.fields.iter().zip(&layout.sets);
        let mut extents: Vec<Rows> = with_sets.map(|(f, set)| rows_of(&f.extent, set, &groups)).collect();
        extents.resize(sets.len(), Rows::PerFrame(1));
        let plan = Plan::new(header);
        let group_rows = vec![0; groups.len()];
        let path = path.to_path_buf();
        let mut store = Self {
            path,
            file,
            sets,
            layout,
            plan,
            extents,
            pending,
            folded: 0,
            frames: 0,
            group_folded: Vec::new(),
            group_rows,
        };
        store.find_end(header.fields.len())?;
        Ok(store)
    }

    fn find_end(&mut self, fields: usize) -> Result<(), Error> {
        self.frames = self.length(self.sets.len() - 1)?;
        self.folded = self.frames;
        for group in 0..self.group_rows.len() {
            let Some(last) = self.frames.checked_sub(1) else { break };
            let span = self.sets[fields + 2 + group].read_raw_rows(last, 1);
            let span = span.map_err(Error::hdf5("read", &self.path))?;
            let word = |i: usize| span.get(8 * i..8 * i + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
            let end = word(0).zip(word(1)).and_then(|(first, count)| first.checked_add(count));
            self.group_rows[group] = end.ok_or_else(|| self.damaged(fields + 2 + group, "has no end"))?;
        }
        self.group_folded = self.group_rows.clone();
        Ok(())
    }

    /// Frames in the file and pending.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames that wait for a fold.
    pub fn waiting(&self) -> u64 {
        self.frames - self.folded
    }

    /// Bytes that wait for a fold.
    pub fn waiting_bytes(&self) -> usize {
        self.pending.iter().map(Vec::len).sum()
    }

    /// Frames after which the next fold leaves no chunk of a fixed field incomplete.
    pub fn until_aligned(&self) -> u64 {
        let block = self.layout.block as u64;
        block - self.folded % block
    }

    /// Takes one record over; nothing is written yet.
    pub fn push(&mut self, record: &[u8], hash: &[u8; 32]) -> Result<(), Error> {
        let fields = self.sets.len() - 3 - self.plan.groups;
        let contradiction = || Error::damaged(&self.path, "journal", "a record contradicts its own counts");
        let parts = self.plan.parts(record).ok_or_else(contradiction)?;
        for (pending, column) in self.pending.iter_mut().zip(self.plan.columns(&parts)) {
            pending.extend_from_slice(column);
        }
        self.pending[fields].extend_from_slice(&parts.step.to_le_bytes());
        self.pending[fields + 1].extend_from_slice(hash);
        for group in 0..self.plan.groups {
            let rows = parts.rows_of_group(group).unwrap_or(0);
            for word in [self.group_rows[group], rows] {
                self.pending[fields + 2 + group].extend_from_slice(&word.to_le_bytes());
            }
            self.group_rows[group] += rows;
        }
        self.pending[fields + 2 + self.plan.groups].extend_from_slice(&parts.time.to_le_bytes());
        self.frames += 1;
        Ok(())
    }

    /// Appends the pending frames to the file.
    pub fn fold(&mut self) -> Result<(), Error> {
        if self.waiting() == 0 {
            return Ok(());
        }
        for i in 0..self.sets.len() {
            let there = self.length(i)?;
            let start = self.expected(i, self.folded, &self.group_folded);
            let rows = self.expected(i, self.frames, &self.group_rows) - start;
            let skip = there.checked_sub(start).filter(|skip| *skip <= rows);
            let skip =
                skip.ok_or_else(|| self.damaged(i, format!("has {there} rows, expected {start} or {rows} more")))?;
            let bytes = &self.pending[i][skip as usize * self.layout.sets[i].row_bytes()..];
            if !bytes.is_empty() {
                self.sets[i].append_raw(bytes).map_err(Error::hdf5("write", &self.path))?;
            }
        }
        self.pending.iter_mut().for_each(Vec::clear);
        self.folded = self.frames;
        self.group_folded.copy_from_slice(&self.group_rows);
        Ok(())
    }

    /// Whether every dataset ends exactly where the frames in the file and pending end,
    /// or before.
    pub fn is_consistent(&self) -> Result<bool, Error> {
        for i in 0..self.sets.len() {
            let there = self.length(i)?;
            let least = self.expected(i, self.folded, &self.group_folded);
            if !(least..=self.expected(i, self.frames, &self.group_rows)).contains(&there) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Closes the file; everything is on the disk afterwards.
    pub fn close(self) -> Result<(), Error> {
        drop(self.sets);
        self.file.close().map_err(Error::hdf5("close", &self.path))
    }

    fn length(&self, i: usize) -> Result<u64, Error> {
        let shape = self.sets[i].shape().map_err(Error::hdf5("read", &self.path))?;
        shape.first().copied().ok_or_else(|| self.damaged(i, "has no rows"))
    }

    fn expected(&self, i: usize, frames: u64, groups: &[u64]) -> u64 {
        match self.extents[i] {
            Rows::PerFrame(n) => n.saturating_mul(frames),
            Rows::Group(g) => groups[g],
        }
    }

    fn damaged(&self, i: usize, reason: impl Into<String>) -> Error {
        Error::damaged(&self.path, &self.layout.sets[i].path, reason)
    }
}

fn rows_of(extent: &Extent, set: &Set, groups: &[&str]) -> Rows {
    match extent {
        Extent::Fixed(_) if set.items.is_some() => Rows::PerFrame(1),
        Extent::Fixed(n) => Rows::PerFrame(*n as u64),
        Extent::Scalar => Rows::PerFrame(1),
        Extent::Ragged(name) => Rows::Group(groups.iter().position(|g| g == name).unwrap_or(0)),
    }
}
