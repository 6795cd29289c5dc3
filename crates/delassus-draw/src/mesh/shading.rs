//! Triangles of interpolated colour, pixel by pixel.

use crate::colour::{INK, ramp};
use crate::error::Error;
use crate::path::{Point, Rect};
use crate::raster::Raster;

/// A corner of a face: place on the page, depth (larger is nearer), value between 0 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    pub page: Point,
    pub depth: f64,
    pub value: f64,
}

/// Colours over a rectangle of the page.
pub struct Screen {
    raster: Raster,
    depth: Vec<f64>,
    origin: Point,
    zoom: f64,
}

/// Share of the light that does not depend on the direction.
const AMBIENT: f64 = 0.55;
/// Depth by which edges stand out, relative to that of their face.
const LIFT: f64 = 2e-3;

impl Screen {
    /// Transparent pixels, `zoom` for each unit of the page.
    pub fn new(rect: &Rect, zoom: f64) -> Result<Self, Error> {
        let side = |length: f64| (length * zoom).round().clamp(1.0, 1e6) as u32;
        let raster = Raster::new(side(rect.width()), side(rect.height()))?;
        let depth = vec![f64::NEG_INFINITY; raster.width as usize * raster.height as usize];
        Ok(Self { raster, depth, origin: rect.min, zoom })
    }

    /// The pixels.
    pub fn raster(self) -> Raster {
        self.raster
    }

    /// Draws a polygon as triangles around its middle; `lit` by the angle to the eye.
    pub fn face(&mut self, corners: &[Corner], lit: bool, edges: bool) {
        let n = corners.len();
        if n < 3 || corners.iter().any(|c| !(c.page[0].is_finite() && c.page[1].is_finite() && c.value.is_finite())) {
            return;
        }
        let mean = |f: fn(&Corner) -> f64| corners.iter().map(f).sum::<f64>() / n as f64;
        let middle = Corner {
            page: [mean(|c| c.page[0]), mean(|c| c.page[1])],
            depth: mean(|c| c.depth),
            value: mean(|c| c.value),
        };
        let light = if lit { light(corners, &middle) } else { 1.0 };
        for i in 0..n {
            self.triangle([corners[i], corners[(i + 1) % n], middle], light);
        }
        if edges {
            (0..n).for_each(|i| self.edge(corners[i], corners[(i + 1) % n]));
        }
    }

    fn pixel(&self, p: Point) -> Point {
        [(p[0] - self.origin[0]) * self.zoom - 0.5, (p[1] - self.origin[1]) * self.zoom - 0.5]
    }

    fn triangle(&mut self, corners: [Corner; 3], light: f64) {
        let [a, b, c] = corners.map(|c| self.pixel(c.page));
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area.abs() < 1e-12 {
            return;
        }
        let range = |k: usize, limit: u32| {
            let low = a[k].min(b[k]).min(c[k]).ceil().max(0.0);
            let high = a[k].max(b[k]).max(c[k]).floor().min(f64::from(limit) - 1.0);
            (low as i64, high as i64)
        };
        let ((x0, x1), (y0, y1)) = (range(0, self.raster.width), range(1, self.raster.height));
        for y in y0..=y1 {
            for x in x0..=x1 {
                let p = [x as f64, y as f64];
                let weight =
                    |q: Point, r: Point| ((r[0] - q[0]) * (p[1] - q[1]) - (r[1] - q[1]) * (p[0] - q[0])) / area;
                let w = [weight(b, c), weight(c, a), weight(a, b)];
                // A hair outside counts: neighbours leave no seam.
                if w.iter().any(|w| *w < -1e-9) {
                    continue;
                }
                let blend = |f: fn(&Corner) -> f64| (0..3).map(|i| w[i] * f(&corners[i])).sum::<f64>();
                let depth = blend(|c| c.depth);
                let at = y as usize * self.raster.width as usize + x as usize;
                if depth > self.depth[at] || self.depth[at] == f64::NEG_INFINITY {
                    self.depth[at] = depth;
                    let colour = ramp(blend(|c| c.value));
                    let shade = |v: u8| (f64::from(v) * light).round().clamp(0.0, 255.0) as u8;
                    let rgba = [shade(colour.0), shade(colour.1), shade(colour.2), 255];
                    self.raster.pixels[4 * at..4 * at + 4].copy_from_slice(&rgba);
                }
            }
        }
    }

    /// A line on top of its own face, hidden by nearer ones.
    fn edge(&mut self, a: Corner, b: Corner) {
        let (p, q) = (self.pixel(a.page), self.pixel(b.page));
        let steps = (p[0] - q[0]).abs().max((p[1] - q[1]).abs()).ceil().clamp(1.0, 1e5) as usize;
        for i in 0..=steps {
            let t = i as f64 / steps as f64;
            let (x, y) = ((p[0] + t * (q[0] - p[0])).round(), (p[1] + t * (q[1] - p[1])).round());
            if x < 0.0 || y < 0.0 || x >= f64::from(self.raster.width) || y >= f64::from(self.raster.height) {
                continue;
            }
            let depth = a.depth + t * (b.depth - a.depth);
            let depth = depth + LIFT * depth.abs();
            let at = y as usize * self.raster.width as usize + x as usize;
            if depth >= self.depth[at] {
                for (k, ink) in [INK.0, INK.1, INK.2].into_iter().enumerate() {
                    let under = f64::from(self.raster.pixels[4 * at + k]);
                    self.raster.pixels[4 * at + k] = (0.55 * under + 0.45 * f64::from(ink)).round() as u8;
                }
            }
        }
    }
}

/// Light of a face that is turned away: the page sees less of it for its depth.
fn light(corners: &[Corner], middle: &Corner) -> f64 {
    let (mut normal, scale) = ([0.0; 3], corners.iter().map(|c| c.depth.abs()).fold(1e-300, f64::max));
    let extent = corners.iter().map(|c| (c.page[0] - middle.page[0]).hypot(c.page[1] - middle.page[1]));
    let extent = extent.fold(1e-300, f64::max);
    let deep = corners.iter().map(|c| (c.depth - middle.depth).abs()).fold(0.0, f64::max);
    // Depths are in other units than the page: the slope is what one is to the other.
    let unit = if deep > 1e-12 * scale { extent / deep } else { 0.0 };
    for i in 0..corners.len() {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        let point =
            |c: Corner| [c.page[0] - middle.page[0], c.page[1] - middle.page[1], (c.depth - middle.depth) * unit];
        let (p, q) = (point(a), point(b));
        normal[0] += p[1] * q[2] - p[2] * q[1];
        normal[1] += p[2] * q[0] - p[0] * q[2];
        normal[2] += p[0] * q[1] - p[1] * q[0];
    }
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { AMBIENT + (1.0 - AMBIENT) * (normal[2] / length).abs() } else { 1.0 }
}
