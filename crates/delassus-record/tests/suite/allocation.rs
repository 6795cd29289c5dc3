//! A warm `write` allocates nothing on the side of the caller.
#![allow(clippy::unwrap_used)]

use crate::common::{Place, fill_with, header};
use crate::counting::allocations;
use delassus_record::{Options, Recorder};

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
        let before = allocations();
        recorder.write(&frame).unwrap();
        let made = allocations() - before;
        assert!(k < 50 || made == 0, "{made} allocations in frame {k}");
    }
    recorder.finish().unwrap();
}
