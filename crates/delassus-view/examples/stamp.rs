//! Writes the hash of the sources of the pages beside what was built from them; `scripts/viewer` calls it.

#[path = "../tests/suite/sources.rs"]
mod sources;

fn main() -> std::io::Result<()> {
    let hash = sources::hash()?;
    std::fs::write(sources::stamp(), format!("{hash}\n"))
}
