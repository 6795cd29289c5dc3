//! What is seen through each pixel: the nearest body, its depth, its normal.

use super::Point3;
use super::body::{Body, Solid, Triangle, triangles};
use super::camera::Camera;
use super::section::is_closed;
use super::sight::{Sight, Sights};
use crate::path::{Point, Rect};
use crate::vector::{add, dot, scaled, sub, unit};
use std::collections::HashMap;

/// No body.
pub const NONE: u32 = u32::MAX;

/// Pixels over a rectangle of the page.
pub struct Buffer {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Depth of what is seen, as of [`Camera`].
    pub depth: Vec<f64>,
    /// Index of the body.
    pub body: Vec<u32>,
    /// Normal of its surface, in space.
    pub normal: Vec<[f32; 3]>,
    /// Whether that surface is one of a section.
    pub cap: Vec<bool>,
    origin: Point,
    /// Pixels per unit of the page.
    pub zoom: f64,
}

impl Buffer {
    /// Over a rectangle of the page, with `zoom` pixels per unit.
    pub fn new(rect: &Rect, zoom: f64) -> Self {
        let side = |length: f64| ((length * zoom).round() as usize).max(1);
        let (width, height) = (side(rect.width()), side(rect.height()));
        let n = width * height;
        Self {
            width,
            height,
            depth: vec![f64::NEG_INFINITY; n],
            body: vec![NONE; n],
            normal: vec![[0.0; 3]; n],
            cap: vec![false; n],
            origin: rect.min,
            zoom,
        }
    }

    /// The page at the middle of a pixel.
    pub fn page(&self, x: usize, y: usize) -> Point {
        [self.origin[0] + (x as f64 + 0.5) / self.zoom, self.origin[1] + (y as f64 + 0.5) / self.zoom]
    }

    /// The pixel that shows a point of the page, in fractions.
    pub fn pixel(&self, p: Point) -> Point {
        [(p[0] - self.origin[0]) * self.zoom - 0.5, (p[1] - self.origin[1]) * self.zoom - 0.5]
    }

    /// Range of pixels whose middles are between two coordinates.
    fn span(&self, low: f64, high: f64, length: usize) -> std::ops::Range<usize> {
        let first = low.ceil().max(0.0).min(length as f64) as usize;
        let last = (high.floor() + 1.0).max(0.0).min(length as f64) as usize;
        first..last.max(first)
    }

    /// Keeps what is nearer than what was seen before.
    pub fn put(&mut self, i: usize, depth: f64, body: u32, normal: Point3) {
        if depth > self.depth[i] {
            self.depth[i] = depth;
            self.body[i] = body;
            self.normal[i] = normal.map(|x| x as f32);
            self.cap[i] = false;
        }
    }

    /// The inside of a body on the plane that opens the scene.
    fn put_cap(&mut self, i: usize, camera: &Camera, body: u32) {
        let Some(cut) = camera.cut else { return };
        let page = self.page(i % self.width, i / self.width);
        if let Some(depth) = cut.depth(camera, page).filter(|d| *d > self.depth[i]) {
            self.put(i, depth, body, cut.normal);
            self.cap[i] = true;
        }
    }

    /// Draws all bodies but half-spaces.
    pub fn draw(&mut self, bodies: &[Body], camera: &Camera) {
        self.draw_with(bodies, camera, &Sights::new());
    }

    /// The same, some shapes as `sights` says.
    pub fn draw_with(&mut self, bodies: &[Body], camera: &Camera, sights: &Sights) {
        for (i, body) in bodies.iter().enumerate() {
            for (k, solid) in body.shapes.iter().enumerate() {
                self.solid(solid, camera, i as u32, sights.get(&(i, k)).copied().unwrap_or_default());
            }
        }
    }

    /// Draws one shape.
    pub fn solid(&mut self, solid: &Solid, camera: &Camera, body: u32, sight: Sight) {
        match solid {
            _ if sight == Sight::Edges => {}
            Solid::Sphere { centre, radius } => self.sphere(camera, (*centre, *radius), body),
            Solid::Mesh { points, faces } => {
                let crossed = camera.cut.is_some_and(|cut| cut.crosses(points));
                // Behind the plane a line of sight leaves a closed body once more than it enters iff it starts inside.
                let mut leaving = (crossed && sight == Sight::Solid && is_closed(faces)).then(HashMap::new);
                for t in triangles(points, faces) {
                    self.triangle(camera, &t, (body, sight == Sight::Inside), leaving.as_mut());
                }
                for (i, _) in leaving.into_iter().flatten().filter(|(_, n)| *n == 1) {
                    self.put_cap(i, camera, body);
                }
            }
            Solid::HalfSpace { .. } => {}
        }
    }

    /// Exact: each line of sight is cut with the sphere.
    fn sphere(&mut self, camera: &Camera, (centre, radius): (Point3, f64), body: u32) {
        let mut seen = Rect::EMPTY;
        camera.include(centre, radius, &mut seen);
        let (low, high) = (self.pixel(seen.min), self.pixel(seen.max));
        let c = camera.local(centre);
        for y in self.span(low[1], high[1], self.height) {
            for x in self.span(low[0], high[0], self.width) {
                let (o, d) = camera.ray(self.page(x, y));
                let from = sub(o, c);
                let b = dot(from, d);
                let discriminant = b * b - dot(from, from) + radius * radius;
                if discriminant < 0.0 {
                    continue;
                }
                let hit = add(o, scaled(d, -b - discriminant.sqrt()));
                if let Some(cut) = camera.cut {
                    let space = |v: Point3| add(camera.target, camera.space(v));
                    if cut.removes(space(hit)) {
                        let out = add(o, scaled(d, -b + discriminant.sqrt()));
                        if !cut.removes(space(out)) {
                            self.put_cap(y * self.width + x, camera, body);
                        }
                        continue;
                    }
                }
                let n = scaled(sub(hit, c), 1.0 / radius);
                let a = &camera.axes;
                let normal = std::array::from_fn(|k| n[0] * a[0][k] + n[1] * a[1][k] + n[2] * a[2][k]);
                self.put(y * self.width + x, camera.depth(hit[2]), body, normal);
            }
        }
    }

    /// By barycentric coordinates: depths are linear on the page. Of an open body only
    /// faces that look away are drawn.
    fn triangle(
        &mut self,
        camera: &Camera,
        t: &Triangle,
        (body, open): (u32, bool),
        mut leaving: Option<&mut HashMap<usize, i32>>,
    ) {
        let projected = t.corners.map(|p| camera.project(p));
        let p = projected.map(|(page, _)| self.pixel(page));
        let area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        // Counter-clockwise from outside is clockwise with y down: area < 0 faces the eye.
        if !(area.abs() > 1e-12) || (open && area < 0.0) {
            return;
        }
        let bound = |k: usize| {
            let all = p.map(|q| q[k]);
            (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (top, bottom)) = (bound(0), bound(1));
        let flip = if area > 0.0 { -1.0 } else { 1.0 };
        for y in self.span(top, bottom, self.height) {
            for x in self.span(left, right, self.width) {
                let (px, py) = (x as f64, y as f64);
                let weight = |a: Point, b: Point| ((b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0])) / area;
                let w = [weight(p[1], p[2]), weight(p[2], p[0]), weight(p[0], p[1])];
                if w.iter().any(|w| *w < 0.0) {
                    continue;
                }
                let depth: f64 = (0..3).map(|k| w[k] * projected[k].1).sum();
                if camera.cut.is_some_and(|cut| cut.removes(camera.point(self.page(x, y), depth))) {
                    continue;
                }
                if let Some(leaving) = &mut leaving {
                    *leaving.entry(y * self.width + x).or_default() += if area > 0.0 { 1 } else { -1 };
                }
                let normal = (0..3).fold([0.0; 3], |sum, k| add(sum, scaled(t.normals[k], flip * w[k])));
                self.put(y * self.width + x, depth, body, unit(normal));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Role;
    use crate::space::camera::Eye;

    fn body(solid: Solid) -> Body {
        Body { name: "b".into(), label: None, role: Role::Free, colour: None, centre: [0.0; 3], shapes: vec![solid] }
    }

    /// A sphere of radius 1 in parallel projection covers π (scale·zoom)² pixels, and its
    /// nearest point has the depth 1.
    #[test]
    fn a_sphere_covers_a_disc() {
        let rect = Rect::new(0.0, 0.0, 200.0, 200.0);
        let eye = Eye { parallel: true, ..Eye::default() };
        let camera = Camera::fit(&eye, &[([0.0; 3], 1.0)], &rect);
        let mut buffer = Buffer::new(&rect, 1.0);
        buffer.draw(&[body(Solid::Sphere { centre: [0.0; 3], radius: 1.0 })], &camera);
        let covered = buffer.body.iter().filter(|b| **b == 0).count() as f64;
        assert!((covered / (std::f64::consts::PI * 1e4) - 1.0).abs() < 2e-3, "{covered}");
        let nearest = buffer.depth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!((nearest - 1.0).abs() < 1e-3, "{nearest}");
    }

    /// Of two crossing rectangles each is seen where it is nearer: a painter could not.
    #[test]
    fn crossing_faces_hide_each_other_in_halves() {
        let rect = Rect::new(0.0, 0.0, 100.0, 100.0);
        let eye = Eye { around: 0.0, above: 0.0, parallel: true, up: [0.0, 0.0, 1.0] };
        let camera = Camera::fit(&eye, &[([0.0; 3], 1.0)], &rect);
        let slanted = |s: f64| {
            let points = vec![[-1.0, -s, -1.0], [1.0, s, -1.0], [1.0, s, 1.0], [-1.0, -s, 1.0]];
            body(Solid::Mesh { points, faces: vec![vec![0, 1, 2, 3]] })
        };
        let mut buffer = Buffer::new(&rect, 1.0);
        buffer.draw(&[slanted(1.0), slanted(-1.0)], &camera);
        let at = |x: usize| buffer.body[50 * buffer.width + x];
        // The eye is at −y: the first is nearer at the left.
        assert_eq!((at(10), at(90)), (0, 1));
    }
}
