//! Collision meshes of a robot: where their files are, seen from the scene, and the convex pieces they are cut into.

use super::ImportArgs;
use super::robot::{Geometry, Robot};
use delassus_contact::Pieces;
use delassus_scene::{Files, read_mesh};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Names in a robot are relative to its file, those in a scene to the scene.
pub fn place(robot: &mut Robot, file: &Path, output: &Path, told: &mut Vec<String>) {
    let from = folder(file);
    for (_, shape) in robot.links.iter_mut().flat_map(|l| &mut l.shapes) {
        if let Geometry::Mesh(name, _) = shape {
            let found = found(&from, name);
            if !found.is_file() {
                told.push(format!(
                    "there is no mesh {name} beside the robot or above: the scene waits for {}",
                    found.display()
                ));
            }
            *name = seen_from(&folder(output), &found).to_string_lossy().into_owned();
        }
    }
}

fn folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Packages of ROS keep robots and meshes in folders side by side: names may be relative to a folder above.
fn found(from: &Path, name: &str) -> PathBuf {
    let above = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
    let mut candidates = above.ancestors().take(4).map(|folder| folder.join(name));
    candidates.find(|path| path.is_file()).unwrap_or_else(|| from.join(name))
}

/// A path relative to a folder.
fn seen_from(folder: &Path, path: &Path) -> PathBuf {
    let (Ok(folder), Ok(path)) = (folder.canonicalize(), path.canonicalize()) else { return path.to_path_buf() };
    let common = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

/// Puts convex pieces in the place of meshes that are not convex; how many there are.
pub fn cut(robot: &mut Robot, args: &ImportArgs, output: &Path) -> Result<usize, String> {
    let files = Files::of_folder(folder(output));
    let settings = Pieces { most: args.pieces.into(), concavity: args.concavity, ..Pieces::default() };
    let mut known: HashMap<String, Vec<Vec<[f64; 3]>>> = HashMap::new();
    let mut count = 0;
    for link in &mut robot.links {
        let mut shapes = vec![];
        for (frame, shape) in link.shapes.drain(..) {
            let Geometry::Mesh(file, scale) = &shape else {
                shapes.push((frame, shape));
                continue;
            };
            let pieces = match known.get(file) {
                Some(pieces) => pieces,
                None => known.entry(file.clone()).or_insert(pieces(&files, file, &settings)?),
            };
            if pieces.len() < 2 {
                shapes.push((frame, shape));
                continue;
            }
            count += pieces.len();
            for piece in pieces {
                shapes.push((frame, Geometry::Piece(piece.iter().map(|p| p.map(|x| x * scale)).collect())));
            }
        }
        link.shapes = shapes;
    }
    Ok(count)
}

/// The corners of each piece, in the units of the file.
fn pieces(files: &Files, file: &str, settings: &Pieces) -> Result<Vec<Vec<[f64; 3]>>, String> {
    let surface = read_mesh(files, file, 1.0).map_err(|e| e.to_string())?;
    let pieces = settings.cut(&surface.points, &surface.triangles).map_err(|e| format!("the mesh {file}: {e}"))?;
    Ok(pieces.iter().map(|p| p.vertices().iter().map(|v| (*v).into()).collect()).collect())
}
