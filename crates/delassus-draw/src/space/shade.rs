//! Pixels from what is seen: light from above, shadows, thin edges, floors with a grid.

use super::Point3;
use super::body::{Body, Solid};
use super::buffer::{Buffer, NONE};
use super::camera::{Camera, Eye};
use super::section::Section;
use super::sight::{Sight, Sights};
use crate::body::Role;
use crate::colour::{Colour, FIXED, INK, SOLIDS, WHITE};
use crate::path::Rect;
use crate::raster::Raster;
use crate::vector::{add, cross, dot, norm, scaled, sub, unit};
use crate::{Error, label};

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;
/// Pixels along each side of the map of shadows.
const SHADOWS: f64 = 1400.0;
/// How far floors reach, in radii of what stands on them: they fade from the first to the second.
const FADE: [f64; 2] = [1.15, 1.9];

/// Opacity of bodies that one sees through.
const GLASS: f64 = 0.24;
/// Between the strokes of a section, along x, in units of the page.
const HATCH: f64 = 5.5;

/// Width of the border over which floors fade, in units of the page.
const BORDER: f64 = 36.0;

/// A floor: a half-space turned towards the eye.
struct Floor {
    point: Point3,
    normal: Point3,
    axes: [Point3; 2],
    body: usize,
}

/// What light falls on.
pub struct Stage<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// The eye.
    pub camera: &'a Camera,
    /// The vertical.
    pub up: Point3,
    /// Centre and radius of everything bounded.
    pub reach: (Point3, f64),
    /// Shapes that are not drawn as they are.
    pub sights: &'a Sights,
    /// Bodies paler, for lines over them.
    pub pale: bool,
    /// Bodies that one sees through, by index.
    pub glass: &'a [usize],
}

impl Stage<'_> {
    /// The rectangle of the page as pixels, `zoom` per unit.
    ///
    /// # Errors
    /// [`Error::TooManyPixels`].
    pub fn raster(&self, rect: &Rect, zoom: f64) -> Result<Raster, Error> {
        let fine = zoom * SAMPLES as f64;
        let (w, h) = ((rect.width() * fine).max(1.0), (rect.height() * fine).max(1.0));
        if w * h > crate::raster::LARGEST as f64 {
            return Err(Error::TooManyPixels { width: w as u64, height: h as u64 });
        }
        let mut buffer = Buffer::new(rect, fine);
        let solid = self.without(|body| self.glass.contains(&body));
        buffer.draw_with(self.bodies, self.camera, &solid);
        let light =
            unit(add(scaled(self.up, 1.0), add(scaled(self.camera.axes[0], -0.55), scaled(self.camera.axes[2], 0.75))));
        let shadow = Shadow::new(self.bodies, &solid, (light, self.camera.cut), self.reach);
        let floors = self.floors();
        let mut colours = vec![[255u8; 3]; buffer.width * buffer.height];
        for y in 0..buffer.height {
            for x in 0..buffer.width {
                let i = y * buffer.width + x;
                let page = buffer.page(x, y);
                let border =
                    (0..2).map(|k| (page[k] - rect.min[k]).min(rect.max[k] - page[k])).fold(f64::MAX, f64::min);
                let floor = self.floor_at(&floors, page, buffer.depth[i], fine);
                let colour = match floor {
                    Some((p, normal, base, depth)) => {
                        // A floor hides what is below it: its edge is not one of a body.
                        buffer.put(i, depth, NONE - 1, normal);
                        // No hard end at the border of the picture.
                        let inside = (border / BORDER).clamp(0.0, 1.0);
                        self.lit(base, normal, shadow.light(p, normal), light, 0.35).mix(WHITE, 1.0 - inside)
                    }
                    None if buffer.body[i] == NONE => WHITE,
                    None => {
                        let p = self.camera.point(page, buffer.depth[i]);
                        let normal = buffer.normal[i].map(f64::from);
                        let body = &self.bodies[buffer.body[i] as usize];
                        let fill = body.fill(SOLIDS[0], FIXED.mix(WHITE, 0.35));
                        let base = if self.pale { fill.mix(WHITE, 0.45) } else { fill };
                        if buffer.cap[i] {
                            colours[i] = hatched(base, page);
                            continue;
                        }
                        // What is fixed is a background: its shades are weaker.
                        let depth = if body.role == Role::Free { 1.0 } else { 0.7 };
                        self.lit(base, normal, shadow.light(p, normal), light, depth)
                    }
                };
                colours[i] = [colour.0, colour.1, colour.2];
            }
        }
        edges(&buffer, &mut colours);
        if !self.glass.is_empty() {
            self.glaze(&buffer, light, rect, &mut colours);
        }
        average(&buffer, &colours)
    }

    /// The shapes as they are seen, some bodies left out.
    fn without(&self, left_out: impl Fn(usize) -> bool) -> Sights {
        let mut sights = self.sights.clone();
        for (i, body) in self.bodies.iter().enumerate().filter(|(i, _)| left_out(*i)) {
            sights.extend((0..body.shapes.len()).map(|k| ((i, k), Sight::Edges)));
        }
        sights
    }

    /// Bodies that one sees through, over what is behind them: a tint, and their edges.
    fn glaze(&self, behind: &Buffer, light: Point3, rect: &Rect, colours: &mut [[u8; 3]]) {
        let mut buffer = Buffer::new(rect, behind.zoom);
        let mut glass = self.without(|body| !self.glass.contains(&body));
        // Vessels that would show their edges alone are shown as glass.
        glass.retain(|(body, _), _| !self.glass.contains(body));
        buffer.draw_with(self.bodies, self.camera, &glass);
        let mut tint = vec![[255u8; 3]; colours.len()];
        for (i, tint) in tint.iter_mut().enumerate().filter(|(i, _)| buffer.body[*i] != NONE) {
            let fill = self.bodies[buffer.body[i] as usize].fill(SOLIDS[0], FIXED);
            let colour = self.lit(fill, buffer.normal[i].map(f64::from), 1.0, light, 1.0);
            *tint = [colour.0, colour.1, colour.2];
        }
        let plain = tint.clone();
        edges(&buffer, &mut tint);
        for i in (0..colours.len()).filter(|i| buffer.depth[*i] > behind.depth[*i]) {
            let [under, over] = [colours[i], tint[i]].map(|c| Colour(c[0], c[1], c[2]));
            let mixed = under.mix(over, if tint[i] == plain[i] { GLASS } else { 0.75 });
            colours[i] = [mixed.0, mixed.1, mixed.2];
        }
    }

    /// The colour of a surface under the light; `depth` is how strong shades are.
    fn lit(&self, base: Colour, normal: Point3, light: f64, direction: Point3, depth: f64) -> Colour {
        let sky = 0.71 + 0.10 * dot(normal, self.up);
        let sun = 0.30 * dot(normal, direction).max(0.0) * light;
        let level = 1.0 - depth * (1.0 - (sky + sun)).clamp(-0.03, 1.0);
        let shade = |c: u8| (f64::from(c) * level).round().clamp(0.0, 255.0) as u8;
        Colour(shade(base.0), shade(base.1), shade(base.2))
    }

    fn floors(&self) -> Vec<Floor> {
        let mut found = vec![];
        for (body, b) in self.bodies.iter().enumerate() {
            for solid in &b.shapes {
                let Solid::HalfSpace { point, normal } = solid else { continue };
                let seed = if normal[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
                let u = unit(sub(seed, scaled(*normal, dot(seed, *normal))));
                found.push(Floor { point: *point, normal: *normal, axes: [u, cross(*normal, u)], body });
            }
        }
        found
    }

    /// The floor seen at a place of the page nearer than `depth`: point, normal, colour, depth.
    fn floor_at(
        &self,
        floors: &[Floor],
        page: [f64; 2],
        depth: f64,
        zoom: f64,
    ) -> Option<(Point3, Point3, Colour, f64)> {
        let (centre, radius) = self.reach;
        let (from, along) = self.camera.sight(page);
        let mut best: Option<(Point3, Point3, Colour, f64)> = None;
        for floor in floors {
            let falling = dot(along, floor.normal);
            // From below, and edge on, it is not seen.
            if falling > -1e-6 {
                continue;
            }
            let s = dot(sub(floor.point, from), floor.normal) / falling;
            let p = add(from, scaled(along, s));
            let here = self.camera.depth(self.camera.local(p)[2]);
            if s <= 0.0 && self.camera.distance.is_some() || here <= best.map_or(depth, |b| b.3) {
                continue;
            }
            // Floors that cut each other make a room: what is behind another is not seen.
            let hidden = floors.iter().any(|f| dot(sub(p, f.point), f.normal) < -1e-9 * radius && f.body != floor.body);
            let foot = sub(centre, scaled(floor.normal, dot(sub(centre, floor.point), floor.normal)));
            let away = norm(sub(p, foot)) / radius.max(1e-300);
            let cut = self.camera.cut.is_some_and(|cut| cut.removes(p));
            if hidden || cut || away > FADE[1] {
                continue;
            }
            let fade = ((away - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
            let pixel = self.camera.distance.map_or(1.0, |d| 1.0 / (here * d)) / (self.camera.scale * zoom);
            let base = grid(floor, p, radius, pixel).mix(WHITE, fade * fade * (3.0 - 2.0 * fade));
            best = Some((p, floor.normal, base, here));
        }
        best
    }
}

/// The inside of a body that a section shows: its colour, with strokes.
fn hatched(base: Colour, page: [f64; 2]) -> [u8; 3] {
    let along = (page[0] + page[1]).rem_euclid(HATCH);
    let mixed = base.mix(INK, if along < 0.9 { 0.42 } else { 0.06 });
    [mixed.0, mixed.1, mixed.2]
}

/// Pale, with lines at round distances.
fn grid(floor: &Floor, p: Point3, radius: f64, pixel: f64) -> Colour {
    let step = label::round_down(0.5 * radius);
    let from = sub(p, floor.point);
    let mut line: f64 = 0.0;
    for axis in floor.axes {
        let x = dot(from, axis) / step;
        let distance = (x - x.round()).abs() * step;
        line = line.max(1.0 - (distance / (1.6 * pixel)).min(1.0));
    }
    Colour::hex(0xF4_F5F6).mix(Colour::hex(0xC4_CBD1), line)
}

/// What the light sees.
struct Shadow {
    camera: Camera,
    buffer: Buffer,
    bias: f64,
}

impl Shadow {
    fn new(bodies: &[Body], sights: &Sights, (light, cut): (Point3, Option<Section>), reach: (Point3, f64)) -> Self {
        let rect = Rect::new(0.0, 0.0, SHADOWS, SHADOWS);
        // An eye above its own vertical: any axis across the light will do.
        let across = if light[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let up = unit(sub(across, scaled(light, dot(across, light))));
        let eye = Eye { around: 0.0, above: 0.0, parallel: true, up };
        let mut camera = Camera::fit(&eye, &[reach], &rect);
        camera.axes = [cross(up, light), up, light];
        camera.cut = cut;
        let mut buffer = Buffer::new(&rect, 1.0);
        // What one sees through lets the light through.
        let through = sights.keys().map(|k| (*k, Sight::Edges)).collect();
        buffer.draw_with(bodies, &camera, &through);
        Self { camera, buffer, bias: 3.0 / camera.scale }
    }

    /// The part of the light that reaches a point, 0 to 1: a mean over near pixels.
    fn light(&self, p: Point3, normal: Point3) -> f64 {
        let raised = add(p, scaled(normal, self.bias));
        let (page, depth) = self.camera.project(raised);
        let at = self.buffer.pixel(page);
        let mut lit = 0;
        for dy in -2..=2 {
            for dx in -2..=2 {
                let (x, y) = (at[0].round() as i64 + dx, at[1].round() as i64 + dy);
                let inside = (0..self.buffer.width as i64).contains(&x) && (0..self.buffer.height as i64).contains(&y);
                let free = !inside || {
                    let i = y as usize * self.buffer.width + x as usize;
                    self.buffer.depth[i] <= depth + self.bias
                };
                lit += u32::from(free);
            }
        }
        f64::from(lit) / 25.0
    }
}

/// Darkens pixels between two bodies, and where a surface bends.
fn edges(buffer: &Buffer, colours: &mut [[u8; 3]]) {
    let (w, h) = (buffer.width, buffer.height);
    let turned = |i: usize, j: usize| {
        let (a, b) = (buffer.normal[i], buffer.normal[j]);
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0.82
    };
    let strength = |i: usize, j: usize| {
        let (a, b) = (buffer.body[i], buffer.body[j]);
        let solid = |k: u32| k < NONE - 1;
        match (solid(a), solid(b)) {
            (true, true) if a != b => 0.6,
            (true, false) | (false, true) => 0.6,
            (true, true) if turned(i, j) => 0.35,
            _ => 0.0,
        }
    };
    let mut dark = vec![0.0f32; w * h];
    for y in 0..h {
        for x in 0..w {
            let i = y * w + x;
            let right = if x + 1 < w { strength(i, i + 1) } else { 0.0 };
            let below = if y + 1 < h { strength(i, i + w) } else { 0.0 };
            for (s, j) in [(right, i + 1), (below, i + w)] {
                if s > 0.0 {
                    dark[i] = dark[i].max(s);
                    dark[j] = dark[j].max(s);
                }
            }
        }
    }
    for (colour, dark) in colours.iter_mut().zip(dark) {
        if dark > 0.0 {
            let mixed = Colour(colour[0], colour[1], colour[2]).mix(INK, f64::from(dark));
            *colour = [mixed.0, mixed.1, mixed.2];
        }
    }
}

/// Means over the samples of each pixel.
fn average(buffer: &Buffer, colours: &[[u8; 3]]) -> Result<Raster, Error> {
    let (w, h) = ((buffer.width / SAMPLES).max(1), (buffer.height / SAMPLES).max(1));
    let mut raster = Raster::new(w as u32, h as u32)?;
    for (i, pixel) in raster.pixels.chunks_exact_mut(4).enumerate() {
        let (x, y) = ((i % w) * SAMPLES, (i / w) * SAMPLES);
        let mut sum = [0u32; 3];
        let mut count = 0;
        for dy in 0..SAMPLES.min(buffer.height) {
            for dx in 0..SAMPLES.min(buffer.width) {
                let c = colours[(y + dy) * buffer.width + x + dx];
                (0..3).for_each(|k| sum[k] += u32::from(c[k]));
                count += 1;
            }
        }
        (0..3).for_each(|k| pixel[k] = ((sum[k] + count / 2) / count) as u8);
        pixel[3] = 255;
    }
    Ok(raster)
}
