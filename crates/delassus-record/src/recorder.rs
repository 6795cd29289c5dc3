//! Writing a run: a bounded queue, and a thread that fills the journal and the HDF5 file.
//!
//! ```text
//! caller   frame → record (one copy) → queue → …        waits only when no buffer is free
//! writer   record → hash → journal → pending rows → (block complete) HDF5 → journal cleared
//! ```
//!
//! The buffers go round: a warm [`Recorder::write`] allocates nothing. When the disk is
//! slower than the computation the caller waits, and [`Stats`] says how long.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::create;
use crate::error::Error;
use crate::field::Header;
use crate::frame::{Frame, Plan};
use crate::journal::Journal;
use crate::store::Store;
use crate::watch::Watched;
use crate::writer::{Message, Shared, Writer};

/// How a run is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Deflate level, 0 (none) to 9. Level 1 takes most of what there is to gain from
    /// floating-point numbers at a quarter of the time of level 3.
    pub level: u32,
    /// Frames that may wait for the writer.
    pub queue: usize,
    /// Replace an existing run.
    pub overwrite: bool,
    /// Survive loss of power too, not only the death of the process (`fsync` per frame).
    pub durable: bool,
    /// Longest time before a frame is seen by other readers of the HDF5 file.
    pub refresh: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { level: 1, queue: 8, overwrite: false, durable: false, refresh: Duration::from_secs(10) }
    }
}

impl Options {
    fn validate(&self) -> Result<(), Error> {
        let refuse = |option, value, expected| Err(Error::Option { option, value, expected });
        if self.level > 9 {
            return refuse("level", u64::from(self.level), "0 to 9");
        }
        if !(1..=65536).contains(&self.queue) {
            return refuse("queue", self.queue as u64, "1 to 65536 frames");
        }
        if self.refresh.is_zero() {
            return refuse("refresh", 0, "more than 0 seconds");
        }
        Ok(())
    }
}

/// What recording has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Frames handed over.
    pub frames: u64,
    /// Frames safe on disk.
    pub written: u64,
    /// Bytes of the frames before compression.
    pub raw_bytes: u64,
    /// How often the caller found the queue full.
    pub waits: u64,
    /// How long the caller waited for it.
    pub waited: Duration,
    /// How long the writer worked on frames, compression included.
    pub busy: Duration,
    /// How often the HDF5 file was visited.
    pub folds: u64,
}

/// A run being written.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    header: Arc<Header>,
    plan: Plan,
    queue: Option<SyncSender<Message>>,
    free: Receiver<Vec<u8>>,
    unborn: usize,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    first: u64,
    stats: Stats,
}

impl Recorder {
    /// Creates the file and starts the writer.
    ///
    /// # Errors
    /// The header or an option makes no sense, the file exists (unless `overwrite`), is
    /// being written by another process, or cannot be created.
    pub fn create(path: impl AsRef<Path>, header: &Header, options: &Options) -> Result<Self, Error> {
        let path = path.as_ref();
        options.validate()?;
        header.validate()?;
        let (store, journal) = create::create(path, header, options)?;
        Self::start(path, header.clone(), (store, journal), options)
    }

    /// Goes on with a run after frame `frame` (from 0); later frames are dropped.
    ///
    /// # Errors
    /// The run cannot be read, has no such frame, or is being written by another process.
    pub fn resume(path: impl AsRef<Path>, frame: usize, options: &Options) -> Result<Self, Error> {
        options.validate()?;
        let path = path.as_ref();
        let (header, store, journal) = create::resume(path, (Some(frame), None), options)?;
        Self::start(path, header, (store, journal), options)
    }

    /// The same with another header: what was said of the run has changed, its fields have not.
    ///
    /// # Errors
    /// As [`Recorder::resume`]; the header is not valid or has other fields.
    pub fn resume_as(path: impl AsRef<Path>, frame: usize, header: &Header, options: &Options) -> Result<Self, Error> {
        options.validate()?;
        header.validate()?;
        let path = path.as_ref();
        let (header, store, journal) = create::resume(path, (Some(frame), Some(header)), options)?;
        Self::start(path, header, (store, journal), options)
    }

    fn start(path: &Path, header: Header, files: (Store, Journal), options: &Options) -> Result<Self, Error> {
        let (queue, receiver) = sync_channel(options.queue);
        let (giver, free) = sync_channel(options.queue);
        let shared = Arc::new(Shared::new(files.0.frames()));
        let first = files.0.frames();
        let writer = Writer::new((files.0, files.1, Watched::new(path)?), options, Arc::clone(&shared));
        let spawned = std::thread::Builder::new().name("recorder".into()).spawn(move || writer.run(&receiver, &giver));
        let thread = spawned.map_err(Error::io("start the writer of", path))?;
        Ok(Self {
            path: path.to_path_buf(),
            plan: Plan::new(&header),
            header: Arc::new(header),
            queue: Some(queue),
            free,
            unborn: options.queue,
            shared,
            thread: Some(thread),
            first,
            stats: Stats::default(),
        })
    }

    /// The header of the run.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Frames in the run, those in the queue included.
    pub fn frames(&self) -> usize {
        (self.first + self.stats.frames) as usize
    }

    /// Whether the writer is still at work.
    ///
    /// # Errors
    /// [`Error::Stopped`] with the reason, as the next [`Recorder::write`] would have it.
    pub fn check(&self) -> Result<(), Error> {
        match self.shared.error() {
            Some(_) => Err(self.shared.stopped(&self.path)),
            None => Ok(()),
        }
    }

    /// Hands one frame over. Returns as soon as it is copied; waits if the queue is full.
    ///
    /// # Errors
    /// The frame does not fit the header or is not finite (nothing is recorded, the
    /// recorder goes on), or the writer has stopped ([`Error::Stopped`]).
    pub fn write(&mut self, frame: &Frame) -> Result<(), Error> {
        let mut buffer = self.buffer()?;
        if let Err(error) = self.plan.encode(&self.header, frame, &mut buffer) {
            self.unborn += 1;
            return Err(error);
        }
        let bytes = buffer.len() as u64;
        let queue = self.queue.as_ref().ok_or_else(|| self.shared.stopped(&self.path))?;
        queue.send(Message::Frame(buffer)).map_err(|_| self.shared.stopped(&self.path))?;
        self.stats.frames += 1;
        self.stats.raw_bytes += bytes;
        Ok(())
    }

    /// A buffer that the writer gave back, a new one at the start, or the next one it frees.
    fn buffer(&mut self) -> Result<Vec<u8>, Error> {
        match self.free.try_recv() {
            Ok(buffer) => return Ok(buffer),
            Err(TryRecvError::Disconnected) => return Err(self.shared.stopped(&self.path)),
            Err(TryRecvError::Empty) => {}
        }
        if self.unborn > 0 {
            self.unborn -= 1;
            return Ok(Vec::new());
        }
        let begin = Instant::now();
        let buffer = self.free.recv().map_err(|_| self.shared.stopped(&self.path))?;
        self.stats.waits += 1;
        self.stats.waited += begin.elapsed();
        Ok(buffer)
    }

    /// Waits until every frame handed over is in the HDF5 file, for other readers.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the writer could not.
    pub fn checkpoint(&mut self) -> Result<(), Error> {
        let (done, wait) = sync_channel(1);
        let queue = self.queue.as_ref().ok_or_else(|| self.shared.stopped(&self.path))?;
        queue.send(Message::Checkpoint(done)).map_err(|_| self.shared.stopped(&self.path))?;
        wait.recv().map_err(|_| self.shared.stopped(&self.path))
    }

    /// What recording has cost so far.
    pub fn stats(&self) -> Stats {
        let mut stats = self.stats;
        self.shared.fill(&mut stats);
        stats.written -= self.first;
        stats
    }

    /// Writes what is left, closes the file, removes the journal.
    ///
    /// # Errors
    /// [`Error::Stopped`] with the reason; all frames counted there stay readable.
    pub fn finish(mut self) -> Result<Stats, Error> {
        self.join();
        match self.shared.error() {
            Some(_) => Err(self.shared.stopped(&self.path)),
            None => Ok(self.stats()),
        }
    }

    fn join(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the writer is reported as a stop: the shared error stays empty
            // only after a clean end.
            if thread.join().is_err() {
                self.shared.fail(Error::Hdf5 {
                    action: "write",
                    path: self.path.clone(),
                    reason: "the writer thread panicked".into(),
                });
            }
        }
    }
}

impl Drop for Recorder {
    /// Like [`Recorder::finish`], without the report.
    fn drop(&mut self) {
        self.join();
    }
}
