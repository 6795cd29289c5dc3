//! What belongs to the process that made it
//!
//! A recorder writes from a thread of its own, and a forked process has the file, but not the thread. It must neither write
//! nor wait for it.

use delassus::record::Recorder;

/// A recorder that is left alone in forked processes.
pub struct Owned {
    recorder: Option<Recorder>,
    home: u32,
}

impl Owned {
    pub fn new(recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), home: std::process::id() }
    }

    fn at_home(&self) -> bool {
        self.home == std::process::id()
    }

    /// The recorder, in the process that made it.
    pub fn get(&mut self) -> Option<&mut Recorder> {
        if self.at_home() { self.recorder.as_mut() } else { None }
    }

    /// To end it, likewise.
    pub fn take(mut self) -> Option<Recorder> {
        if self.at_home() { self.recorder.take() } else { None }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !self.at_home() {
            // Its end would wait for a thread that is not there.
            std::mem::forget(self.recorder.take());
        }
    }
}
