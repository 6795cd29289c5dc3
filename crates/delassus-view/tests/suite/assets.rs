//! The embedded pages are those of the sources. Without node: by the hash of the sources they were built from;
//! `scripts/browser` builds them again and compares the bytes.

use crate::sources;

#[test]
fn embedded_pages_are_built_from_the_sources() {
    let kept = std::fs::read_to_string(sources::stamp()).expect("scripts/viewer writes it");
    let now = sources::hash().expect("viewer/ is there");
    assert_eq!(kept.trim(), now, "viewer/ has changed since the pages were built: run scripts/viewer");
}
