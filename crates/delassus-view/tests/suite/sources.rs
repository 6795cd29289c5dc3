//! The sources of the pages, and their hash.

use std::path::{Path, PathBuf};

fn viewer() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer")
}

/// Where the hash of the sources of the embedded pages is kept.
pub fn stamp() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sources.blake3")
}

/// BLAKE3 of names and contents of everything that the pages are built from, in the order of the names.
pub fn hash() -> std::io::Result<String> {
    let mut files: Vec<PathBuf> =
        ["index.html", "build.mjs", "package-lock.json", "tsconfig.json"].map(|f| viewer().join(f)).into();
    for entry in std::fs::read_dir(viewer().join("src"))? {
        files.push(entry?.path());
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let contents = std::fs::read(&file)?;
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        hasher.update(name.as_bytes()).update(&[0]).update(&(contents.len() as u64).to_le_bytes()).update(&contents);
    }
    Ok(hasher.finalize().to_hex().to_string())
}
