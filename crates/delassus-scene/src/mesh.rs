//! Surfaces from STL, OBJ and PLY files.

use crate::diagnostic::Problem;
use crate::files::Files;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{PropertyAccess, PropertyAccessResult};
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
///
/// # Errors
/// [`Problem::Mesh`]: no such file, one that is not what its extension says, or one without triangles.
pub fn read(files: &Files, file: &str, scale: f64) -> Result<Surface, Problem> {
    let refuse = |message: String| Problem::Mesh { file: file.to_owned(), message };
    let extension = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut surface = match extension.as_str() {
        "stl" => files.bytes(file).and_then(|bytes| stl(&bytes)).map_err(refuse)?,
        "obj" => files.bytes(file).and_then(|bytes| obj(&bytes)).map_err(refuse)?,
        "ply" => files.bytes(file).and_then(|bytes| ply(&bytes)).map_err(refuse)?,
        other => return Err(refuse(format!("the extension `{other}` is unknown; stl, obj and ply are accepted"))),
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

/// Points of `vertex` and polygons of `face`, cut into triangles about their first point; what else is there is passed over.
fn ply(bytes: &[u8]) -> Result<Surface, String> {
    let parser = Parser::<Row>::new();
    let read = parser.read_ply(&mut Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let list = |name: &str| read.payload.get(name).map(Vec::as_slice).unwrap_or_default();
    let mut surface = Surface { points: Vec::new(), triangles: Vec::new() };
    for (i, row) in list("vertex").iter().enumerate() {
        let [Some(x), Some(y), Some(z)] = row.place else { return Err(format!("its vertex {i} has no x, y, z")) };
        surface.points.push([x, y, z]);
    }
    let points = surface.points.len();
    for (i, row) in list("face").iter().enumerate() {
        let corner = |k: i64| u32::try_from(k).ok().filter(|k| (*k as usize) < points);
        let corners: Option<Vec<u32>> = row.corners.iter().map(|k| corner(*k)).collect();
        let corners = corners.ok_or_else(|| format!("its face {i} names points that are not there"))?;
        let [first, rest @ ..] = &corners[..] else { continue };
        surface.triangles.extend(rest.windows(2).map(|w| [*first, w[0], w[1]]));
    }
    Ok(surface)
}

/// A vertex or a face of a PLY file, whatever the types of its numbers.
#[derive(Default)]
struct Row {
    place: [Option<f64>; 3],
    corners: Vec<i64>,
}

impl Row {
    fn number(&mut self, name: &str, value: f64) -> PropertyAccessResult {
        match ["x", "y", "z"].iter().position(|n| *n == name) {
            Some(k) => {
                self.place[k] = Some(value);
                PropertyAccessResult::Set
            }
            None => PropertyAccessResult::Ignored,
        }
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item = i64>) -> PropertyAccessResult {
        if name != "vertex_indices" && name != "vertex_index" {
            return PropertyAccessResult::Ignored;
        }
        self.corners = values.collect();
        PropertyAccessResult::Set
    }
}

/// Numbers and lists of every type.
macro_rules! rows {
    ($($set:ident $number:ty),*; $($list:ident $item:ty),*) => {
        impl PropertyAccess for Row {
            fn new() -> Self {
                Self::default()
            }
            $(fn $set(&mut self, name: &str, value: $number) -> PropertyAccessResult {
                self.number(name, f64::from(value))
            })*
            $(fn $list(&mut self, name: &str, values: Vec<$item>) -> PropertyAccessResult {
                self.list(name, values.into_iter().map(i64::from))
            })*
        }
    };
}
rows!(
    set_char i8, set_uchar u8, set_short i16, set_ushort u16, set_int i32, set_uint u32, set_float f32, set_double f64;
    set_list_char i8, set_list_uchar u8, set_list_short i16, set_list_ushort u16, set_list_int i32, set_list_uint u32
);

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of quadrilaterals, in ASCII and in both binary forms, is six times two triangles around a volume of one.
    #[test]
    fn a_cube_of_polygons_is_read_in_all_forms() {
        let points: Vec<[f32; 3]> =
            (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { 0.0 })).collect();
        let faces: [[i32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let header = |form: &str| {
            format!(
                "ply\nformat {form} 1.0\ncomment a cube\nelement vertex 8\nproperty float x\nproperty float y\n\
                 property float z\nproperty uchar red\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n"
            )
        };
        let mut ascii = header("ascii").into_bytes();
        points.iter().for_each(|p| ascii.extend(format!("{} {} {} 7\n", p[0], p[1], p[2]).bytes()));
        faces.iter().for_each(|f| ascii.extend(format!("4 {} {} {} {}\n", f[0], f[1], f[2], f[3]).bytes()));
        let binary = |form: &str, number: fn(f32) -> [u8; 4], index: fn(i32) -> [u8; 4]| {
            let mut all = header(form).into_bytes();
            for p in &points {
                p.iter().for_each(|x| all.extend(number(*x)));
                all.push(7);
            }
            for f in &faces {
                all.push(4);
                f.iter().for_each(|i| all.extend(index(*i)));
            }
            all
        };
        let little = binary("binary_little_endian", f32::to_le_bytes, i32::to_le_bytes);
        let big = binary("binary_big_endian", f32::to_be_bytes, i32::to_be_bytes);
        for bytes in [ascii.clone(), little, big] {
            let surface = ply(&bytes).expect("read");
            assert_eq!((surface.points.len(), surface.triangles.len()), (8, 12));
            let volume: f64 = surface
                .triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|i| nalgebra::Vector3::from(surface.points[i as usize]));
                    a.dot(&b.cross(&c)) / 6.0
                })
                .sum();
            assert!((volume - 1.0).abs() < 1e-12, "{volume}");
        }
        let broken = String::from_utf8(ascii).expect("text").replace("4 0 2 3 1", "4 0 2 3 99");
        assert!(ply(broken.as_bytes()).err().expect("refused").contains("face 0"));
        assert!(ply(b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\n").is_err());
    }
}
