//! A warm `write` allocates nothing on the side of the caller.
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Place, fill_with, header};
use delassus_record::{Options, Recorder};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_write_allocates_nothing() {
    let place = Place::new("allocation");
    let header = header(3, 50);
    let options = Options { queue: 4, ..Options::default() };
    let mut recorder = Recorder::create(place.file("run.h5"), &header, &options).unwrap();
    let mut frame = header.frame();
    for k in 0..200 {
        fill_with(&header, k, 120, &mut frame);
        // A caller that waits for the writer parks its thread, which allocates: here it never does.
        recorder.checkpoint().unwrap();
        let before = COUNT.with(Cell::get);
        recorder.write(&frame).unwrap();
        let made = COUNT.with(Cell::get) - before;
        assert!(k < 50 || made == 0, "{made} allocations in frame {k}");
    }
    recorder.finish().unwrap();
}
