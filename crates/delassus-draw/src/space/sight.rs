//! Vessels: what is fixed and hides what is free is drawn so that one sees through.

use super::Point3;
use super::body::{Body, Solid};
use super::buffer::{Buffer, NONE};
use super::camera::Camera;
use crate::colour::SOFT;
use crate::path::{Path, Rect};
use crate::picture::{Layer, Stroke};
use crate::vector::{cross, dot, sub, unit};
use std::collections::BTreeMap;

/// How a shape is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// As it is.
    #[default]
    Solid,
    /// Only the sides that look away from the eye: the inside of a vessel.
    Inside,
    /// Only its edges, as thin lines.
    Edges,
}

/// Body and shape, by index, of those that are not drawn as they are.
pub type Sights = BTreeMap<(usize, usize), Sight>;

/// Part of the free bodies that a fixed one may hide.
const HIDDEN: f64 = 0.3;
/// Width in pixels of the picture in which this is counted.
const COARSE: f64 = 240.0;

/// Finds the fixed shapes that hide too much.
pub fn find(bodies: &[Body], free: impl Fn(&Body) -> bool, camera: &Camera, rect: &Rect) -> Sights {
    let zoom = COARSE / rect.width();
    let mut seen = Buffer::new(rect, zoom);
    let only: Vec<Body> = bodies.iter().filter(|b| free(b)).cloned().collect();
    seen.draw(&only, camera);
    let covered = seen.body.iter().filter(|b| **b != NONE).count();
    let mut sights = Sights::new();
    if covered == 0 {
        return sights;
    }
    let hides = |solid: &Solid, sight: Sight| {
        let mut alone = Buffer::new(rect, zoom);
        alone.solid(solid, camera, 0, sight);
        let hidden = |i: &usize| seen.body[*i] != NONE && alone.depth[*i] > seen.depth[*i];
        (0..seen.body.len()).filter(hidden).count() as f64 > HIDDEN * covered as f64
    };
    for (i, body) in bodies.iter().enumerate().filter(|(_, b)| !free(b)) {
        for (k, solid) in body.shapes.iter().enumerate().filter(|(_, s)| matches!(s, Solid::Mesh { .. })) {
            if hides(solid, Sight::Solid) {
                let sight = if hides(solid, Sight::Inside) { Sight::Edges } else { Sight::Inside };
                sights.insert((i, k), sight);
            }
        }
    }
    sights
}

/// Faces that meet at less than this angle have no edge between them: cos 32°.
const FLAT: f64 = 0.848;

/// The edges of a mesh: where faces meet at an angle, and where one ends.
pub fn edges(solid: &Solid, camera: &Camera, layer: &mut Layer) {
    let Solid::Mesh { points, faces } = solid else { return };
    let mut meeting: BTreeMap<(u32, u32), Vec<Point3>> = BTreeMap::new();
    for face in faces.iter().filter(|f| f.len() > 2) {
        let at = |i: usize| points[face[i] as usize];
        let normal = unit(cross(sub(at(1), at(0)), sub(at(2), at(0))));
        for i in 0..face.len() {
            let (a, b) = (face[i], face[(i + 1) % face.len()]);
            meeting.entry((a.min(b), a.max(b))).or_default().push(normal);
        }
    }
    let mut path = Path::default();
    for ((a, b), normals) in meeting {
        if normals.len() != 2 || dot(normals[0], normals[1]) < FLAT {
            let end = |i: u32| camera.project(points[i as usize]).0;
            path.extend(Path::segment(end(a), end(b)));
        }
    }
    layer.stroke(path, Stroke::new(SOFT, 0.6).faded(0.55));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Role;
    use crate::space::camera::Eye;

    fn cuboid(centre: Point3, half: Point3) -> Solid {
        let corner = |i: i32| {
            let side = [i & 1, i >> 1 & 1, i >> 2];
            std::array::from_fn(|k| centre[k] + half[k] * f64::from(2 * side[k] - 1))
        };
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Solid::Mesh { points: (0..8).map(corner).collect(), faces: faces.map(|f| f.to_vec()).to_vec() }
    }

    /// A ball in a closed box, before one wall and behind another: the box shows its
    /// inside, the near wall its edges, the far wall itself.
    #[test]
    fn a_ball_is_seen_in_its_vessel() {
        let body = |role, shapes| Body { name: "b".into(), label: None, role, colour: None, centre: [0.0; 3], shapes };
        let ball = Solid::Sphere { centre: [0.0; 3], radius: 1.0 };
        let walls = vec![
            cuboid([0.0; 3], [2.0; 3]),
            cuboid([0.0, -3.0, 0.0], [2.0, 0.2, 2.0]),
            cuboid([0.0, 3.0, 0.0], [2.0, 0.2, 2.0]),
        ];
        let bodies = [body(Role::Free, vec![ball]), body(Role::Fixed, walls)];
        let rect = Rect::new(0.0, 0.0, 300.0, 300.0);
        let eye = Eye { around: 0.0, above: 10.0, ..Eye::default() };
        let camera = Camera::fit(&eye, &[([0.0; 3], 4.0)], &rect);
        let sights = find(&bodies, |b| b.role == Role::Free, &camera, &rect);
        assert_eq!(sights, Sights::from([((1, 0), Sight::Inside), ((1, 1), Sight::Edges)]));
    }

    /// A cube has twelve edges.
    #[test]
    fn edges_of_a_cube() {
        let camera = Camera::fit(&Eye::default(), &[([0.0; 3], 2.0)], &Rect::new(0.0, 0.0, 100.0, 100.0));
        let mut layer = Layer::default();
        edges(&cuboid([0.0; 3], [1.0; 3]), &camera, &mut layer);
        let crate::picture::Item::Path { path, .. } = &layer.items[0] else { panic!("a path") };
        assert_eq!(path.pieces.len(), 24);
    }
}
