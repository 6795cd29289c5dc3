//! The thread that owns the files.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::journal::Journal;
use crate::recorder::{Options, Stats};
use crate::store::Store;
use crate::watch::Watched;

/// A block this large is folded even if it is short of frames.
const LARGE_BLOCK: usize = 16 << 20;

/// What the caller asks for.
pub(crate) enum Message {
    /// One record.
    Frame(Vec<u8>),
    /// Fold, then answer.
    Checkpoint(SyncSender<()>),
}

/// What both sides see.
#[derive(Debug)]
pub(crate) struct Shared {
    written: AtomicU64,
    folds: AtomicU64,
    busy_ns: AtomicU64,
    error: Mutex<Option<Arc<Error>>>,
}

impl Shared {
    pub fn new(frames: u64) -> Self {
        let zero = || AtomicU64::new(0);
        Self { written: AtomicU64::new(frames), folds: zero(), busy_ns: zero(), error: Mutex::new(None) }
    }

    pub fn fill(&self, stats: &mut Stats) {
        stats.written = self.written.load(Ordering::Acquire);
        stats.folds = self.folds.load(Ordering::Relaxed);
        stats.busy = Duration::from_nanos(self.busy_ns.load(Ordering::Relaxed));
    }

    pub fn error(&self) -> Option<Arc<Error>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn fail(&self, error: Error) {
        let mut slot = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(Arc::new(error));
    }

    /// The error a caller gets once the writer is gone.
    pub fn stopped(&self, path: &Path) -> Error {
        let reason = || "the writer thread ended unexpectedly".to_owned();
        let unknown = || Arc::new(Error::Hdf5 { action: "write", path: path.to_path_buf(), reason: reason() });
        let source = self.error().unwrap_or_else(unknown);
        Error::Stopped { frames: self.written.load(Ordering::Acquire) as usize, source }
    }
}

/// The owner of the journal and the HDF5 file.
pub(crate) struct Writer {
    store: Store,
    journal: Journal,
    watched: Watched,
    shared: Arc<Shared>,
    durable: bool,
    refresh: Duration,
    /// When the oldest pending frame came.
    oldest: Option<Instant>,
}

impl Writer {
    pub fn new(files: (Store, Journal, Watched), options: &Options, shared: Arc<Shared>) -> Self {
        let (store, journal, watched) = files;
        Self { store, journal, watched, shared, durable: options.durable, refresh: options.refresh, oldest: None }
    }

    /// Serves until the caller hangs up or something fails.
    pub fn run(mut self, queue: &Receiver<Message>, free: &SyncSender<Vec<u8>>) {
        let served = self.serve(queue, free).and_then(|()| self.fold()).and_then(|()| self.watched.check());
        if let Err(error) = served {
            // The journal keeps what the HDF5 file did not take.
            self.shared.fail(error);
            return;
        }
        let Self { store, journal, shared, .. } = self;
        if let Err(error) = store.close().and_then(|()| journal.remove()) {
            shared.fail(error);
        }
    }

    fn serve(&mut self, queue: &Receiver<Message>, free: &SyncSender<Vec<u8>>) -> Result<(), Error> {
        loop {
            let patience = self.oldest.map_or(self.refresh, |t| self.refresh.saturating_sub(t.elapsed()));
            match queue.recv_timeout(patience) {
                Ok(Message::Frame(record)) => {
                    let begin = Instant::now();
                    self.take(&record)?;
                    self.count(begin);
                    // Nobody waits for the buffer once the caller is gone.
                    let _ = free.send(record);
                }
                Ok(Message::Checkpoint(done)) => {
                    self.fold()?;
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.watched.check()?;
                    self.fold()?;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn take(&mut self, record: &[u8]) -> Result<(), Error> {
        self.watched.check()?;
        let hash: [u8; 32] = blake3::hash(record).into();
        self.journal.append(self.store.frames(), record, &hash)?;
        if self.durable {
            self.journal.sync()?;
        }
        self.store.push(record, &hash)?;
        self.shared.written.store(self.store.frames(), Ordering::Release);
        let oldest = *self.oldest.get_or_insert_with(Instant::now);
        let complete = self.store.waiting() >= self.store.until_aligned();
        if complete || self.store.waiting_bytes() >= LARGE_BLOCK || oldest.elapsed() >= self.refresh {
            self.fold()?;
        }
        Ok(())
    }

    fn fold(&mut self) -> Result<(), Error> {
        self.oldest = None;
        if self.store.waiting() == 0 {
            return Ok(());
        }
        self.store.fold()?;
        self.shared.folds.fetch_add(1, Ordering::Relaxed);
        self.journal.clear()
    }

    fn count(&self, begin: Instant) {
        self.shared.busy_ns.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }
}
