//! A plane that opens the scene: what lies before it is not drawn, what it cuts shows its inside.

use super::Point3;
use super::camera::Camera;
use crate::vector::{dot, scaled, sub};
use std::collections::BTreeMap;

/// The side that is kept: `normal · x ≤ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Unit vector towards what is taken away.
    pub normal: Point3,
    /// Where the plane is along it \[m\].
    pub offset: f64,
}

impl Section {
    /// Across an axis at a coordinate; what is on the side of the eye is taken away.
    pub fn across(axis: usize, at: f64, towards: Point3) -> Self {
        let sign = if towards[axis] < 0.0 { -1.0 } else { 1.0 };
        let mut normal = [0.0; 3];
        normal[axis] = sign;
        Self { normal, offset: sign * at }
    }

    /// Distance before the plane; negative where things are kept.
    pub fn before(&self, p: Point3) -> f64 {
        dot(self.normal, p) - self.offset
    }

    /// Whether a point is taken away.
    pub fn removes(&self, p: Point3) -> bool {
        self.before(p) > 0.0
    }

    /// Whether points lie on both sides.
    pub(super) fn crosses(&self, points: &[Point3]) -> bool {
        points.iter().any(|p| self.removes(*p)) && points.iter().any(|p| !self.removes(*p))
    }

    /// Where a line of sight, in space, meets the plane from before it.
    pub(super) fn met(&self, (from, along): (Point3, Point3)) -> Option<Point3> {
        let falling = dot(self.normal, along);
        let share = -self.before(from) / falling;
        (falling < -1e-9 && share.is_finite()).then(|| sub(from, scaled(along, -share)))
    }

    /// Depth of the plane at a point of the page.
    pub(super) fn depth(&self, camera: &Camera, page: [f64; 2]) -> Option<f64> {
        self.met(camera.sight(page)).map(|p| camera.depth(camera.local(p)[2]))
    }
}

/// Whether every edge has two faces: only then has a mesh an inside.
pub(super) fn is_closed(faces: &[Vec<u32>]) -> bool {
    let mut meeting: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for face in faces {
        for i in 0..face.len() {
            let (a, b) = (face[i], face[(i + 1) % face.len()]);
            *meeting.entry((a.min(b), a.max(b))).or_default() += 1;
        }
    }
    meeting.values().all(|n| *n == 2)
}
