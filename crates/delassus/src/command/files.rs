//! From arguments to a list of files.

use super::names;
use std::fs;
use std::path::{Path, PathBuf};

/// One file to treat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// Where its copy goes below a target folder: its path below the argument.
    pub relative: PathBuf,
    /// Length in bytes, the weight of its progress.
    pub bytes: u64,
}

/// Expands folders (recursively, sorted); each argument that gives nothing is an
/// error of its own, so that the others are still treated.
pub fn collect(arguments: &[PathBuf]) -> (Vec<Input>, Vec<String>) {
    let (mut inputs, mut errors) = (Vec::<Input>::new(), Vec::new());
    for argument in arguments {
        match expand(argument) {
            Ok(found) => {
                for input in found {
                    if !inputs.iter().any(|i| i.path == input.path) {
                        inputs.push(input);
                    }
                }
            }
            Err(message) => errors.push(message),
        }
    }
    (inputs, errors)
}

fn expand(argument: &Path) -> Result<Vec<Input>, String> {
    let name = argument.display();
    let meta = fs::metadata(argument).map_err(|e| format!("{name}: {e} (expected an FCLIB file or a folder)"))?;
    if !meta.is_dir() {
        let relative = argument.file_name().map(PathBuf::from).unwrap_or_default();
        return Ok(vec![Input { path: argument.into(), relative, bytes: meta.len() }]);
    }
    let mut paths = Vec::new();
    walk(argument, &mut paths).map_err(|e| format!("{name}: {e}"))?;
    if paths.is_empty() {
        return Err(format!("{name}: no file named *.hdf5 in this folder or below it"));
    }
    paths.sort();
    Ok(paths
        .into_iter()
        .map(|path| Input {
            relative: path.strip_prefix(argument).unwrap_or(&path).into(),
            bytes: fs::metadata(&path).map_or(0, |m| m.len()),
            path,
        })
        .collect())
}

/// Links to folders are not followed: they may lead in circles.
fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            walk(&path, paths)?;
        } else if path.extension().is_some_and(|e| e == "hdf5") && path.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}

/// The longest folder that all inputs share; tables leave it out.
pub fn common_folder(inputs: &[Input]) -> PathBuf {
    let mut folders = inputs.iter().map(|i| i.path.parent().unwrap_or(Path::new("")));
    let Some(first) = folders.next() else { return PathBuf::new() };
    folders.fold(first.to_path_buf(), |common, folder| {
        common.components().zip(folder.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    })
}

/// The name in tables.
pub fn label(input: &Input, common: &Path) -> String {
    let short = input.path.strip_prefix(common).unwrap_or(&input.path);
    names::plain(short).display().to_string()
}
