//! Names of files that are made from other names, and files that must not be written over.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Endings that say what is in a file. Any other dot belongs to the name: a_0.01.toml makes a_0.01.h5.
const ENDINGS: [&str; 10] = ["toml", "h5", "hdf5", "svg", "png", "gif", "mp4", "y4m", "csv", "json"];

/// A path without its ending, if it is one that says what is in the file.
pub fn plain(path: &Path) -> PathBuf {
    match path.extension() {
        Some(end) if ENDINGS.iter().any(|e| end.eq_ignore_ascii_case(e)) => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}

/// The name of a file without its folder and its ending; `-` is a scene from standard input.
pub fn stem(name: &str) -> String {
    let name = if name == "-" { "scene" } else { name };
    let plain = plain(Path::new(name));
    plain.file_name().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned())
}

/// A name with an ending, whatever dots it has.
pub fn ending(plain: impl Into<OsString>, end: &str) -> PathBuf {
    let mut name = plain.into();
    name.push(".");
    name.push(end);
    name.into()
}

/// The file of a scene that is not of the gallery.
pub fn scene_file(name: &str) -> Vec<PathBuf> {
    let path = Path::new(name);
    if path.is_file() { vec![path.to_path_buf()] } else { vec![] }
}

/// Refuses to write over a file that is read, by whatever name or link.
pub fn spare<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), String> {
    match inputs.into_iter().find(|input| same(output, input)) {
        None => Ok(()),
        Some(input) if output == input => Err(format!("{} is read: give another name to write to", input.display())),
        Some(input) => {
            Err(format!("{} is {}, which is read: give another name to write to", output.display(), input.display()))
        }
    }
}

/// Whether two paths lead to one file.
pub fn same(a: &Path, b: &Path) -> bool {
    let canonical = |p: &Path| p.canonicalize().ok();
    match (canonical(a), canonical(b)) {
        (Some(a), Some(b)) => a == b || is_linked(&a, &b),
        _ => false,
    }
}

/// Two names of one file on the disk.
#[cfg(unix)]
fn is_linked(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |p: &Path| p.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| (m.dev(), m.ino()));
    number(a).is_some() && number(a) == number(b)
}

#[cfg(not(unix))]
fn is_linked(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two steps in one name are two runs.
    #[test]
    fn names_keep_their_dots() {
        for (name, expected) in [
            ("a_0.01.toml", "a_0.01"),
            ("folder/a_0.02.toml", "a_0.02"),
            ("a_0.01", "a_0.01"),
            ("card_house", "card_house"),
            ("run.H5", "run"),
            ("v1.2.h5", "v1.2"),
            (".toml", ".toml"),
            ("-", "scene"),
            ("", "scene"),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
        assert_eq!(ending("a_0.01", "h5"), Path::new("a_0.01.h5"));
        assert_eq!(plain(Path::new("b/a_0.01.svg")), Path::new("b/a_0.01"));
    }
}
