//! Memory of products that go through the bodies, kept from one to the next.

use std::sync::Mutex;

/// Not part of the problem: a copy starts without.
#[derive(Debug, Default)]
pub(super) struct Scratch(Mutex<Vec<f64>>);

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Scratch {
    /// Another thread at work has its own.
    pub fn with<T>(&self, work: impl FnOnce(&mut Vec<f64>) -> T) -> T {
        match self.0.try_lock() {
            Ok(mut kept) => work(&mut kept),
            Err(_) => work(&mut vec![]),
        }
    }
}
