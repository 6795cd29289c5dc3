//! The eye: perspective or parallel.
//!
//! Coordinates of the eye are right, up and towards it, from the point it looks at. A
//! depth is what is linear on the page and larger when nearer: the coordinate towards the
//! eye in parallel projection, the inverse of the distance along the axis in perspective.

use super::Point3;
use super::section::Section;
use crate::path::{Point, Rect};
use crate::vector::{add, cross, dot, norm, scaled, sub, unit};

/// Where the eye is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Angle around the vertical \[degrees\]; 0 looks along −y from the front, x to the right.
    pub around: f64,
    /// Angle above the ground \[degrees\].
    pub above: f64,
    /// Parallel projection.
    pub parallel: bool,
    /// The vertical.
    pub up: Point3,
}

impl Default for Eye {
    fn default() -> Self {
        Self { around: 30.0, above: 22.0, parallel: false, up: [0.0, 0.0, 1.0] }
    }
}

/// Distance of the eye in radii of what it looks at.
const AWAY: f64 = 5.5;

/// A projection onto a rectangle of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Right, up, towards the eye.
    pub axes: [Point3; 3],
    /// What it looks at.
    pub target: Point3,
    /// Distance of the eye; none in parallel projection.
    pub distance: Option<f64>,
    /// Units of the page per metre at the target.
    pub scale: f64,
    /// The target on the page.
    pub centre: Point,
    /// What opens the scene.
    pub cut: Option<Section>,
}

impl Camera {
    /// Sees all spheres `(centre, radius)` in the rectangle.
    pub fn fit(eye: &Eye, spheres: &[(Point3, f64)], rect: &Rect) -> Self {
        let mut camera = Self::unscaled(eye, spheres);
        let seen = camera.bounds(spheres);
        let (w, h) = (seen.width().max(1e-300), seen.height().max(1e-300));
        let scale = (rect.width() / w).min(rect.height() / h);
        let (middle, centre) = (seen.centre(), rect.centre());
        camera.scale = scale;
        camera.centre = [centre[0] - scale * middle[0], centre[1] - scale * middle[1]];
        camera
    }

    /// Proportions, width over height, of what is seen.
    pub fn aspect(eye: &Eye, spheres: &[(Point3, f64)]) -> f64 {
        let seen = Self::unscaled(eye, spheres).bounds(spheres);
        seen.width().max(1e-300) / seen.height().max(1e-300)
    }

    fn unscaled(eye: &Eye, spheres: &[(Point3, f64)]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (c, r) in spheres {
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(c[k] - r), high[k].max(c[k] + r));
            }
        }
        let target = scaled(add(low, high), 0.5);
        let reach = spheres.iter().map(|(c, r)| norm(sub(*c, target)) + r).fold(0.0, f64::max);
        let axes = Self::axes(eye);
        let distance = (!eye.parallel).then_some(AWAY * reach.max(1e-12));
        Self { axes, target, distance, scale: 1.0, centre: [0.0; 2], cut: None }
    }

    fn axes(eye: &Eye) -> [Point3; 3] {
        let up = unit(eye.up);
        // The front of a scene: −y made level, or another axis when that is the vertical.
        let level = |v: Point3| sub(v, scaled(up, dot(v, up)));
        let front = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]].map(level).into_iter().find(|v| norm(*v) > 0.1);
        let front = unit(front.unwrap_or([0.0, -1.0, 0.0]));
        let side = cross(up, front);
        let (sa, ca) = eye.around.to_radians().sin_cos();
        let (se, ce) = eye.above.to_radians().sin_cos();
        let flat = add(scaled(front, ca), scaled(side, sa));
        let back = add(scaled(flat, ce), scaled(up, se));
        let right = cross(up, flat);
        [right, cross(back, right), back]
    }

    /// A rectangle around what is seen of spheres.
    fn bounds(&self, spheres: &[(Point3, f64)]) -> Rect {
        let mut seen = Rect::EMPTY;
        for (centre, radius) in spheres {
            self.include(*centre, *radius, &mut seen);
        }
        if seen.is_empty() { Rect::new(-1.0, -1.0, 2.0, 2.0) } else { seen }
    }

    /// Grows a rectangle of the page to contain the image of a sphere. Its silhouette is
    /// the cone of angle asin(r / distance): each side is a tangent through the eye.
    pub fn include(&self, centre: Point3, radius: f64, seen: &mut Rect) {
        let [x, y, z] = self.local(centre);
        let (mut low, mut high) = ([0.0; 2], [0.0; 2]);
        for (k, c) in [(0, x), (1, -y)] {
            let side = |s: f64| match self.distance {
                None => c + s * radius,
                Some(d) => {
                    let away = d - z;
                    let beyond = (away * away + c * c - radius * radius).max(1e-300).sqrt();
                    // tan(angle of the axis ± angle of the tangent)
                    let (axis, spread) = (c.atan2(away), (radius / beyond).atan());
                    d * (axis + s * spread).clamp(-1.5, 1.5).tan()
                }
            };
            (low[k], high[k]) = (side(-1.0), side(1.0));
        }
        let page = |p: Point| [self.centre[0] + self.scale * p[0], self.centre[1] + self.scale * p[1]];
        seen.include(page(low), 0.0);
        seen.include(page(high), 0.0);
    }

    /// Coordinates of the eye: right, up, towards it.
    pub fn local(&self, p: Point3) -> Point3 {
        let d = sub(p, self.target);
        self.axes.map(|a| dot(a, d))
    }

    /// Where a point is on the page, and its depth.
    pub fn project(&self, p: Point3) -> (Point, f64) {
        let [x, y, z] = self.local(p);
        let (zoom, depth) = match self.distance {
            None => (self.scale, z),
            Some(d) => {
                // Points behind the eye are pushed before it, far off the page.
                let away = (d - z).max(1e-6 * d);
                (self.scale * d / away, 1.0 / away)
            }
        };
        ([self.centre[0] + zoom * x, self.centre[1] - zoom * y], depth)
    }

    /// A direction on the page, without the scale, y up.
    pub fn turn(&self, v: Point3) -> Point {
        [dot(self.axes[0], v), dot(self.axes[1], v)]
    }

    /// The line of sight through a point of the page, in space.
    pub(super) fn sight(&self, p: Point) -> (Point3, Point3) {
        let (o, d) = self.ray(p);
        (add(self.target, self.space(o)), self.space(d))
    }

    /// A direction given in coordinates of the eye, in space.
    pub(super) fn space(&self, v: Point3) -> Point3 {
        let a = &self.axes;
        std::array::from_fn(|k| v[0] * a[0][k] + v[1] * a[1][k] + v[2] * a[2][k])
    }

    /// The same, `zoom` times larger, with a point in the middle of a rectangle.
    pub(crate) fn looking(mut self, at: Option<Point3>, zoom: f64, rect: &Rect) -> Self {
        let middle = rect.centre();
        let here = at.map_or(middle, |p| self.project(p).0);
        self.centre = std::array::from_fn(|k| middle[k] + zoom * (self.centre[k] - here[k]));
        self.scale *= zoom;
        self
    }

    /// The line of sight through a point of the page: a point of it and its direction away
    /// from the eye, in coordinates of the eye.
    pub fn ray(&self, p: Point) -> (Point3, Point3) {
        let (x, y) = ((p[0] - self.centre[0]) / self.scale, (self.centre[1] - p[1]) / self.scale);
        match self.distance {
            None => ([x, y, 0.0], [0.0, 0.0, -1.0]),
            Some(d) => ([0.0, 0.0, d], unit([x, y, -d])),
        }
    }

    /// The depth of a point given in coordinates of the eye.
    pub fn depth(&self, z: f64) -> f64 {
        self.distance.map_or(z, |d| 1.0 / (d - z))
    }

    /// The point seen at a place of the page at some depth.
    pub fn point(&self, p: Point, depth: f64) -> Point3 {
        let (x, y) = ((p[0] - self.centre[0]) / self.scale, (self.centre[1] - p[1]) / self.scale);
        let (x, y, z) = match self.distance {
            None => (x, y, depth),
            Some(d) => (x / (depth * d), y / (depth * d), d - 1.0 / depth),
        };
        let at = |k: usize| self.target[k] + x * self.axes[0][k] + y * self.axes[1][k] + z * self.axes[2][k];
        [at(0), at(1), at(2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(parallel: bool) -> Camera {
        let eye = Eye { parallel, ..Eye::default() };
        Camera::fit(&eye, &[([0.0; 3], 2.0), ([1.0, 3.0, 0.5], 0.5)], &Rect::new(0.0, 0.0, 400.0, 300.0))
    }

    /// Parallel: a sphere is a circle of radius r·scale. Perspective, on the axis: the
    /// silhouette has the radius d·scale·r / √(d² − r²).
    #[test]
    fn image_of_a_sphere() {
        for parallel in [true, false] {
            let camera = camera(parallel);
            let radius = 0.3;
            let mut seen = Rect::EMPTY;
            camera.include(camera.target, radius, &mut seen);
            let expected = match camera.distance {
                None => radius,
                Some(d) => d * radius / (d * d - radius * radius).sqrt(),
            };
            assert!((0.5 * seen.width() / camera.scale / expected - 1.0).abs() < 1e-12, "{parallel}");
            assert!((0.5 * seen.height() / camera.scale / expected - 1.0).abs() < 1e-12, "{parallel}");
        }
    }

    #[test]
    fn axes_are_orthonormal_and_right_handed() {
        for (around, above) in [(0.0, 0.0), (30.0, 22.0), (200.0, -60.0), (90.0, 90.0)] {
            for up in [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, -2.0, 0.1]] {
                let a = Camera::axes(&Eye { around, above, parallel: true, up });
                for i in 0..3 {
                    for j in 0..3 {
                        assert!((dot(a[i], a[j]) - f64::from(u8::from(i == j))).abs() < 1e-12);
                    }
                }
                assert!((dot(cross(a[0], a[1]), a[2]) - 1.0).abs() < 1e-12);
            }
        }
        // From the front: x to the right, z up.
        let front = Camera::axes(&Eye { around: 0.0, above: 0.0, ..Eye::default() });
        assert_eq!(front[0], [1.0, 0.0, 0.0]);
        assert_eq!(front[1], [0.0, 0.0, 1.0]);
    }

    /// What is projected is found again, and rays go through it.
    #[test]
    fn projection_and_back() {
        for parallel in [true, false] {
            let camera = camera(parallel);
            let p = [0.7, -0.4, 1.1];
            let (page, depth) = camera.project(p);
            let back = camera.point(page, depth);
            assert!(norm(sub(back, p)) < 1e-12, "{back:?}");
            let ((origin, direction), local) = (camera.ray(page), camera.local(p));
            assert!(norm(cross(sub(local, origin), direction)) < 1e-12);
            assert!((camera.depth(local[2]) - depth).abs() < 1e-12);
        }
    }

    #[test]
    fn everything_is_on_the_page() {
        for parallel in [true, false] {
            let camera = camera(parallel);
            let mut seen = Rect::EMPTY;
            camera.include([0.0; 3], 2.0, &mut seen);
            camera.include([1.0, 3.0, 0.5], 0.5, &mut seen);
            let page = Rect::new(0.0, 0.0, 400.0, 300.0).grown(1e-9);
            assert!(page.contains(seen.min) && page.contains(seen.max), "{seen:?}");
        }
    }
}
