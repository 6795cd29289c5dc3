//! Any bytes read as an FCLIB file give an error or a valid file, and what was read
//! survives being written and read again.
//!
//!     cargo +nightly fuzz run fclib_read fuzz/corpus/fclib_read fuzz/seeds/fclib_read \
//!         -- -max_len=16384

#![no_main]

use delassus_friction::fclib::File;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = File::from_bytes("fuzzed", bytes) {
        let written = file.to_bytes("written").expect("what was read is valid");
        let again = File::from_bytes("written", &written).expect("what was written is valid");
        assert_eq!(file, again);
    }
});
