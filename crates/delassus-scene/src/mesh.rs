//! Surfaces from STL and OBJ files.

use crate::diagnostic::Problem;
use crate::files::Files;
use std::io::Cursor;
use std::path::Path;

/// Points and triangles of a file.
pub struct Surface {
    /// Points \[m\].
    pub points: Vec<[f64; 3]>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a file by its extension; `file` is the path as written in the scene.
pub fn read(files: &Files, file: &str, scale: f64) -> Result<Surface, Problem> {
    let refuse = |message: String| Problem::Mesh { file: file.to_owned(), message };
    let extension = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut surface = match extension.as_str() {
        "stl" => files.bytes(file).and_then(|bytes| stl(&bytes)).map_err(refuse)?,
        "obj" => files.bytes(file).and_then(|bytes| obj(&bytes)).map_err(refuse)?,
        other => return Err(refuse(format!("the extension `{other}` is unknown; stl and obj are accepted"))),
    };
    if surface.triangles.is_empty() {
        return Err(refuse("it has no triangles".to_owned()));
    }
    if let Some(i) = surface.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        return Err(refuse(format!("its point {i} is not finite")));
    }
    surface.points.iter_mut().flatten().for_each(|x| *x *= scale);
    Ok(surface)
}

fn stl(bytes: &[u8]) -> Result<Surface, String> {
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let points = mesh.vertices.iter().map(|v| std::array::from_fn(|i| f64::from(v[i]))).collect();
    let index = |i: usize| u32::try_from(i).map_err(|_| "it has more than 2³² points".to_owned());
    let triangles = mesh.faces.iter().map(|f| {
        let [a, b, c] = f.vertices;
        Ok([index(a)?, index(b)?, index(c)?])
    });
    Ok(Surface { points, triangles: triangles.collect::<Result<_, String>>()? })
}

fn obj(bytes: &[u8]) -> Result<Surface, String> {
    let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
    // Materials are for pictures; without them the surface is the same.
    let (models, _) =
        tobj::load_obj_buf(&mut Cursor::new(bytes), &options, |_| Ok(Default::default())).map_err(|e| e.to_string())?;
    let mut surface = Surface { points: Vec::new(), triangles: Vec::new() };
    for model in models {
        let first = u32::try_from(surface.points.len()).map_err(|_| "it has more than 2³² points".to_owned())?;
        let (points, _) = model.mesh.positions.as_chunks::<3>();
        surface.points.extend(points.iter().map(|p| p.map(f64::from)));
        let (triangles, _) = model.mesh.indices.as_chunks::<3>();
        surface.triangles.extend(triangles.iter().map(|t| t.map(|i| i + first)));
    }
    Ok(surface)
}
