//! Reading a run, finished, being written, or cut short by a crash.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hdf5_pure::{Dataset, File};

use crate::error::Error;
use crate::field::{Extent, Header, Kind};
use crate::frame::{Column, Frame, Plan, no_field};
use crate::journal::{self, Scan};
use crate::layout::{Layout, identity};
use crate::open::{open_sets, read_header, read_rows};

/// How often a run that is being written is looked at again.
const ATTEMPTS: u64 = 6;

/// What had to be done to open a run that did not end properly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Frames read from the journal, because the HDF5 file does not hold them yet.
    pub journal_frames: usize,
    /// Bytes of an incomplete frame at the end of the journal.
    pub dropped_bytes: u64,
    /// Rows in the HDF5 file after its last complete frame.
    pub loose_rows: u64,
}

/// A run on disk.
#[derive(Debug)]
pub struct Run {
    path: PathBuf,
    header: Header,
    generation: u64,
    version: u64,
    bytes: u64,
    plan: Plan,
    layout: Layout,
    sets: Vec<Dataset>,
    /// Frames in the HDF5 file; later ones are in the journal.
    stored: usize,
    times: Vec<f64>,
    steps: Vec<u64>,
    /// First row and rows of each frame in the HDF5 file, per ragged group.
    spans: Vec<Vec<(u64, u64)>>,
    journal: Scan,
    recovery: Recovery,
}

impl Run {
    /// Opens a run for reading. A journal left by a crash is read, not changed.
    ///
    /// # Errors
    /// The file is missing, no run, of a newer format, or damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut attempt = 0;
        loop {
            match Self::open_now(path) {
                // A writer at work may be caught between two writes (about one time in a
                // hundred under full load): look again.
                Err(Error::Hdf5 { .. } | Error::Damaged { .. })
                    if attempt < ATTEMPTS && journal::path_of(path).exists() =>
                {
                    attempt += 1;
                    std::thread::sleep(Duration::from_millis(attempt));
                }
                result => return result,
            }
        }
    }

    fn open_now(path: &Path) -> Result<Self, Error> {
        // The journal first: a live writer moves frames from it to the HDF5 file, so
        // this order can see a frame twice but never miss one.
        let journal = Scan::read(path)?;
        let bytes = std::fs::metadata(path).map_err(Error::io("open", path))?.len();
        let hdf5 = hdf5_pure::is_hdf5(path).map_err(Error::io("read", path))?;
        if !hdf5 {
            let reason = format!("no HDF5 signature in its {bytes} bytes");
            return Err(Error::NotARun { path: path.to_path_buf(), reason });
        }
        let file = File::open_streaming(path).map_err(Error::hdf5("open", path))?;
        let (header, [generation, version]) = read_header(path, &file, bytes)?;
        let layout = Layout::new(&header, version);
        let sets = open_sets(path, &file, &layout)?;
        let plan = Plan::new(&header);
        let mut run = Self {
            path: path.to_path_buf(),
            header,
            generation,
            version,
            bytes,
            plan,
            layout,
            sets,
            stored: 0,
            times: Vec::new(),
            steps: Vec::new(),
            spans: Vec::new(),
            journal,
            recovery: Recovery::default(),
        };
        run.read_index()?;
        run.read_journal();
        Ok(run)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of complete frames.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Time of each frame \[s\].
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Step of each frame.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// What a crash had left to repair.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Whether another process is writing it: more frames may follow.
    pub fn is_growing(&self) -> bool {
        journal::is_locked(&self.path)
    }

    /// Bytes of the HDF5 file and of the journal.
    pub fn file_bytes(&self) -> u64 {
        self.bytes + self.journal.bytes.len() as u64
    }

    /// Bytes a field takes in the HDF5 file, compressed; the sum over the fields is less
    /// than the file, which also holds indices and chunks written twice.
    ///
    /// # Errors
    /// There is no such field, or its index is damaged.
    pub fn field_bytes(&self, name: &str) -> Result<u64, Error> {
        let chunks = self.sets[self.index(name)?].chunks().map_err(Error::hdf5("read", &self.path))?;
        Ok(chunks.iter().map(|c| c.storage_size).fold(0, u64::saturating_add))
    }

    /// Version of the format.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Items of a field in a frame.
    ///
    /// # Errors
    /// There is no such field or frame.
    pub fn items(&self, frame: usize, name: &str) -> Result<usize, Error> {
        let i = self.index(name)?;
        self.check_frame(frame)?;
        Ok(self.rows(frame, i)?.1 as usize * self.layout.sets[i].items.unwrap_or(1))
    }

    /// The numbers of one field in one frame, exactly as they were written.
    ///
    /// # Errors
    /// There is no such field or frame, or the file is damaged there.
    pub fn read(&self, frame: usize, name: &str) -> Result<Column, Error> {
        self.read_field(frame, self.index(name)?)
    }

    /// The numbers of one item of one field in one frame; of a stored frame only what is needed is read.
    ///
    /// # Errors
    /// As [`Run::read`]; [`Error::NoItem`] if the frame has no such item.
    pub fn read_item(&self, frame: usize, name: &str, item: usize) -> Result<Column, Error> {
        let i = self.index(name)?;
        self.check_frame(frame)?;
        let field = &self.header.fields[i];
        let (first, rows) = self.rows(frame, i)?;
        let each = self.layout.sets[i].items.unwrap_or(1) as u64;
        let items = rows.saturating_mul(each);
        if item as u64 >= items {
            return Err(Error::NoItem { field: field.name.clone(), item, items: items as usize });
        }
        if frame >= self.stored {
            let size = field.item_bytes();
            let bytes = self.journal_column(frame, i)?;
            return Ok(Column::decode(field.kind, &bytes[size * item..size * (item + 1)]));
        }
        let (row, at) = (item as u64 / each, (item as u64 % each) as usize * field.item_bytes());
        let bytes = self.read_rows(i, first + row, 1)?;
        Ok(Column::decode(field.kind, &bytes[at..at + field.item_bytes()]))
    }

    /// One whole frame: everything a restart needs. It is compared with its hash.
    ///
    /// # Errors
    /// As [`Run::read`]; [`Error::Damaged`] if the hash differs.
    pub fn read_frame(&self, frame: usize) -> Result<Frame, Error> {
        Ok(self.checked(frame)?.0)
    }

    /// A frame, its record and its hash, which agree.
    fn checked(&self, frame: usize) -> Result<(Frame, Vec<u8>, [u8; 32]), Error> {
        self.check_frame(frame)?;
        let columns = (0..self.header.fields.len()).map(|i| self.read_field(frame, i)).collect::<Result<_, _>>()?;
        let read = Frame { step: self.steps[frame], time: self.times[frame], columns };
        let (mut record, hash) = (Vec::new(), self.hash(frame)?);
        let encoded = self.plan.encode(&self.header, &read, &mut record);
        if encoded.is_err() || blake3::hash(&record).as_bytes() != &hash {
            return Err(Error::damaged(&self.path, format!("frame {frame}"), "its hash differs"));
        }
        Ok((read, record, hash))
    }

    /// The numbers of one field in all frames, one frame after the other.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn series(&self, name: &str) -> Result<Column, Error> {
        let i = self.index(name)?;
        let field = &self.header.fields[i];
        let mut bytes = Vec::new();
        if let Some(last) = self.stored.checked_sub(1) {
            let (first, count) = self.rows(last, i)?;
            bytes = self.read_rows(i, 0, first + count)?;
        }
        for frame in self.stored..self.frames() {
            bytes.extend_from_slice(self.journal_column(frame, i)?);
        }
        Ok(Column::decode(field.kind, &bytes))
    }

    /// The numbers of one item of a fixed field in all frames.
    ///
    /// # Errors
    /// As [`Run::read`]; [`Error::NoItem`] if the field has no such item in every frame.
    pub fn item_series(&self, name: &str, item: usize) -> Result<Column, Error> {
        let field = &self.header.fields[self.index(name)?];
        let items = match field.extent {
            Extent::Fixed(n) => n,
            Extent::Scalar => 1,
            Extent::Ragged(_) => 0,
        };
        if item >= items {
            return Err(Error::NoItem { field: field.name.clone(), item, items });
        }
        let mut bytes = Vec::new();
        self.series(name)?.encode(&mut bytes);
        let (size, stride) = (field.item_bytes(), items * field.item_bytes());
        let picked: Vec<u8> =
            bytes.chunks_exact(stride).flat_map(|frame| &frame[item * size..(item + 1) * size]).copied().collect();
        Ok(Column::decode(field.kind, &picked))
    }

    /// The stored hash of a frame, which is its [`Frame::hash`] unless the file is damaged.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn hash(&self, frame: usize) -> Result<[u8; 32], Error> {
        self.check_frame(frame)?;
        if frame >= self.stored {
            return Ok(blake3::hash(self.journal_record(frame)?).into());
        }
        let i = self.header.fields.len() + 1;
        let bytes = self.read_rows(i, frame as u64, 1)?;
        bytes.try_into().map_err(|_| self.damaged(i, "a hash has 32 bytes"))
    }

    /// Reads every frame and compares it with its hash.
    ///
    /// # Errors
    /// [`Error::Damaged`] names the first frame that differs.
    pub fn verify(&self) -> Result<(), Error> {
        for frame in 0..self.frames() {
            self.record(frame)?;
        }
        Ok(())
    }

    /// The record and the stored hash of a frame.
    pub(crate) fn record(&self, frame: usize) -> Result<(Vec<u8>, [u8; 32]), Error> {
        if frame >= self.stored {
            return Ok((self.journal_record(frame)?.to_vec(), self.hash(frame)?));
        }
        let (_, record, hash) = self.checked(frame)?;
        Ok((record, hash))
    }

    /// Hands over the records that are in the journal only.
    pub(crate) fn replay(&self, mut take: impl FnMut(&[u8], &[u8; 32]) -> Result<(), Error>) -> Result<(), Error> {
        (self.stored..self.frames()).try_for_each(|frame| {
            let record = self.journal_record(frame)?;
            take(record, blake3::hash(record).as_bytes())
        })
    }

    fn index(&self, name: &str) -> Result<usize, Error> {
        self.header.position(name).ok_or_else(|| no_field(&self.header, name))
    }

    fn check_frame(&self, frame: usize) -> Result<(), Error> {
        let frames = self.frames();
        if frame < frames { Ok(()) } else { Err(Error::NoFrame { path: self.path.clone(), frame, frames }) }
    }

    fn read_field(&self, frame: usize, i: usize) -> Result<Column, Error> {
        self.check_frame(frame)?;
        let kind = self.header.fields[i].kind;
        if frame >= self.stored {
            return Ok(Column::decode(kind, self.journal_column(frame, i)?));
        }
        let (first, count) = self.rows(frame, i)?;
        Ok(Column::decode(kind, &self.read_rows(i, first, count)?))
    }

    /// First row and rows of field `i` in a frame.
    fn rows(&self, frame: usize, i: usize) -> Result<(u64, u64), Error> {
        match &self.header.fields[i].extent {
            Extent::Scalar => Ok((frame as u64, 1)),
            Extent::Fixed(_) if self.layout.sets[i].items.is_some() => Ok((frame as u64, 1)),
            Extent::Fixed(n) => Ok((frame as u64 * *n as u64, *n as u64)),
            Extent::Ragged(name) => {
                let group = self.header.groups().iter().position(|g| g == name).unwrap_or(0);
                match frame.checked_sub(self.stored) {
                    None => Ok(self.spans[group][frame]),
                    Some(_) => {
                        let parts = self.plan.parts(self.journal_record(frame)?);
                        let count = parts.and_then(|p| p.rows_of_group(group));
                        Ok((0, count.ok_or_else(|| self.damaged(i, "the journal lacks it"))?))
                    }
                }
            }
        }
    }

    fn journal_record(&self, frame: usize) -> Result<&[u8], Error> {
        let range = self.journal.bodies.get(frame - self.journal.first as usize);
        let record = range.and_then(|r| self.journal.bytes.get(r.clone()));
        record.ok_or_else(|| Error::damaged(&self.path, "journal", format!("frame {frame} is missing")))
    }

    fn journal_column(&self, frame: usize, i: usize) -> Result<&[u8], Error> {
        let record = self.journal_record(frame)?;
        let bytes = self.plan.parts(record).and_then(|parts| {
            // Offsets instead of slices: the parts live shorter than the record.
            let before: usize = self.plan.columns(&parts).take(i).map(<[u8]>::len).sum();
            let length = self.plan.columns(&parts).nth(i)?.len();
            let start = 16 + 8 * self.plan.groups + before;
            record.get(start..start + length)
        });
        bytes.ok_or_else(|| self.damaged(i, "the journal lacks it"))
    }

    fn read_rows(&self, i: usize, first: u64, count: u64) -> Result<Vec<u8>, Error> {
        read_rows(&self.path, (&self.sets[i], &self.layout.sets[i]), (first, count), self.bytes)
    }

    fn damaged(&self, i: usize, reason: &str) -> Error {
        Error::damaged(&self.path, &self.layout.sets[i].path, reason)
    }

    fn length(&self, i: usize) -> Result<u64, Error> {
        let shape = self.sets[i].shape().map_err(Error::hdf5("read", &self.path))?;
        shape.first().copied().ok_or_else(|| self.damaged(i, "has no rows"))
    }

    /// Reads `frames/*` and checks that every dataset is long enough for it.
    fn read_index(&mut self) -> Result<(), Error> {
        let (fields, groups) = (self.header.fields.len(), self.plan.groups);
        let frames = self.length(self.sets.len() - 1)?;
        let times = Column::decode(Kind::F64, &self.read_rows(self.sets.len() - 1, 0, frames)?);
        let steps = Column::decode(Kind::U64, &self.read_rows(fields, 0, frames)?);
        self.times = times.f64().map(<[f64]>::to_vec).unwrap_or_default();
        self.steps = steps.u64().map(<[u64]>::to_vec).unwrap_or_default();
        if let Some(i) = self.times.iter().position(|t| !t.is_finite()) {
            return Err(self.damaged(self.sets.len() - 1, &format!("frame {i} has the time {}", self.times[i])));
        }
        for group in 0..groups {
            let words = Column::decode(Kind::U64, &self.read_rows(fields + 2 + group, 0, frames)?);
            let spans: Vec<(u64, u64)> =
                words.u64().unwrap_or_default().chunks_exact(2).map(|w| (w[0], w[1])).collect();
            let mut end = 0;
            for &(first, count) in &spans {
                if first != end || first.checked_add(count).is_none() {
                    return Err(self.damaged(fields + 2 + group, "rows do not follow each other"));
                }
                end = first + count;
            }
            self.spans.push(spans);
        }
        self.stored = frames as usize;
        for i in 0..self.sets.len() {
            let needed = match frames.checked_sub(1) {
                None => 0,
                Some(_) if i >= fields => frames,
                Some(last) => self.rows(last as usize, i).map(|(first, count)| first + count)?,
            };
            let there = self.length(i)?;
            if there < needed {
                return Err(self.damaged(i, &format!("has {there} rows, {needed} expected")));
            }
            self.recovery.loose_rows += there - needed;
        }
        Ok(())
    }

    /// Adds the frames that are only in the journal.
    fn read_journal(&mut self) {
        self.journal.index(&identity(&self.header, self.generation));
        let (stored, first) = (self.stored as u64, self.journal.first);
        self.recovery.dropped_bytes = self.journal.dropped;
        if first > stored {
            // Of no use without the frames before.
            self.recovery.dropped_bytes = self.journal.bytes.len() as u64;
            return;
        }
        for body in self.journal.bodies.iter().skip((stored - first) as usize) {
            let Some(parts) = self.journal.bytes.get(body.clone()).and_then(|r| self.plan.parts(r)) else { break };
            if !parts.time.is_finite() {
                break;
            }
            self.steps.push(parts.step);
            self.times.push(parts.time);
            self.recovery.journal_frames += 1;
        }
        if self.recovery.journal_frames > 0 {
            // The next fold finds these rows in place.
            self.recovery.loose_rows = 0;
        }
    }
}
