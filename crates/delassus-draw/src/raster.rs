//! A page as pixels, and pixels as PNG.

use crate::colour::Colour;
use crate::font;
use crate::path::{Path, Piece, Point, Rect};
use crate::picture::{Anchor, Fill, Item, Layer, Picture, Stroke, Text};
use crate::{Error, colour};
use tiny_skia::{
    FillRule, FilterQuality, LineCap, LineJoin, Mask, Paint, PathBuilder, Pattern, Pixmap, Rect as SkRect, SpreadMode,
    StrokeDash, Transform,
};

/// Most pixels of a raster.
pub const LARGEST: u64 = 200_000_000;

/// Opaque or translucent pixels, rows from the top, red green blue and opacity (not
/// multiplied in).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes a pixel.
    pub pixels: Vec<u8>,
}

impl Raster {
    /// Transparent pixels.
    ///
    /// # Errors
    /// [`Error::TooManyPixels`].
    pub fn new(width: u32, height: u32) -> Result<Self, Error> {
        let (w, h) = (u64::from(width), u64::from(height));
        if w * h > LARGEST {
            return Err(Error::TooManyPixels { width: w, height: h });
        }
        Ok(Self { width, height, pixels: vec![0; (w * h * 4) as usize] })
    }

    /// A pixel, red green blue and opacity.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let i = 4 * (y as usize * self.width as usize + x as usize);
        [self.pixels[i], self.pixels[i + 1], self.pixels[i + 2], self.pixels[i + 3]]
    }

    /// The bytes of a PNG file; `scale` pixels are 1/96 inch.
    ///
    /// # Errors
    /// [`Error::Png`].
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, Error> {
        let opaque = self.pixels.chunks_exact(4).all(|p| p[3] == 255);
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let per_metre = (scale * 96.0 / 0.0254).round() as u32;
        let unit = png::Unit::Meter;
        encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit }));
        let mut writer = encoder.write_header()?;
        match opaque {
            true => {
                let rgb: Vec<u8> = self.pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
                writer.write_image_data(&rgb)?;
            }
            false => writer.write_image_data(&self.pixels)?,
        }
        writer.finish()?;
        Ok(bytes)
    }
}

impl Picture {
    /// The page with `scale` pixels for each unit of length.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::PageSize`], [`Error::TooManyPixels`].
    pub fn to_raster(&self, scale: f64) -> Result<Raster, Error> {
        self.validate()?;
        let side = |length: f64| (length * scale).round().max(1.0);
        let (w, h) = (side(self.width), side(self.height));
        let too_many = || Error::TooManyPixels { width: w as u64, height: h as u64 };
        if !(w * h <= LARGEST as f64) {
            return Err(too_many());
        }
        let mut pixmap = Pixmap::new(w as u32, h as u32).ok_or_else(too_many)?;
        pixmap.fill(sk_colour(self.background, 1.0));
        let transform = Transform::from_scale(scale as f32, scale as f32);
        Painter { pixmap: &mut pixmap, transform }.layer(&self.layer, None);
        let mut pixels = pixmap.take();
        // The background is opaque: premultiplied or not is the same.
        pixels.chunks_exact_mut(4).for_each(|p| p[3] = 255);
        Ok(Raster { width: w as u32, height: h as u32, pixels })
    }

    /// The page as a PNG file with `scale` pixels for each unit of length.
    ///
    /// # Errors
    /// As [`Picture::to_raster`], and [`Error::Png`].
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, Error> {
        self.to_raster(scale)?.to_png(scale)
    }
}

struct Painter<'a> {
    pixmap: &'a mut Pixmap,
    transform: Transform,
}

impl Painter<'_> {
    fn layer(&mut self, layer: &Layer, mask: Option<&Mask>) {
        for item in &layer.items {
            self.item(item, mask);
        }
    }

    fn item(&mut self, item: &Item, mask: Option<&Mask>) {
        match item {
            Item::Path { path, fill, stroke, .. } => self.path(path, *fill, stroke.as_ref(), mask),
            Item::Dots { points, radius, fill } => {
                let pieces = points.iter().map(|&p| Piece::Circle(p, *radius)).collect();
                self.path(&Path { pieces }, Some(*fill), None, mask);
            }
            Item::Text(text) => self.text(text, mask),
            Item::Image { raster, at } => self.image(raster, at, mask),
            Item::Group { clip, layer, .. } => match clip.map(|c| self.window(&c)) {
                // Windows do not nest in our pages: the inner one counts.
                Some(Some(window)) => self.layer(layer, Some(&window)),
                Some(None) => {}
                None => self.layer(layer, mask),
            },
        }
    }

    fn window(&self, clip: &Rect) -> Option<Mask> {
        let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height())?;
        let rect = SkRect::from_ltrb(clip.min[0] as f32, clip.min[1] as f32, clip.max[0] as f32, clip.max[1] as f32)?;
        mask.fill_path(&PathBuilder::from_rect(rect), FillRule::Winding, true, self.transform);
        Some(mask)
    }

    fn path(&mut self, path: &Path, fill: Option<Fill>, stroke: Option<&Stroke>, mask: Option<&Mask>) {
        let Some(outline) = sk_path(path, [0.0; 2], false) else { return };
        if let Some(fill) = fill {
            let paint = paint(fill.colour, fill.opacity);
            self.pixmap.fill_path(&outline, &paint, FillRule::Winding, self.transform, mask);
        }
        if let Some(stroke) = stroke.filter(|s| s.width > 0.0) {
            self.pixmap.stroke_path(
                &outline,
                &paint(stroke.colour, stroke.opacity),
                &sk_stroke(stroke),
                self.transform,
                mask,
            );
        }
    }

    fn text(&mut self, text: &Text, mask: Option<&Mask>) {
        let outline = font::outline(&text.text, text.size, text.weight);
        let shift = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * text.width(),
            Anchor::End => -text.width(),
        };
        let Some(outline) = sk_path(&outline, [shift, 0.0], text.upright) else { return };
        let at = self.transform.pre_translate(text.at[0] as f32, text.at[1] as f32);
        if text.halo {
            let halo = sk_stroke(&Stroke::new(colour::WHITE, 0.25 * text.size));
            self.pixmap.stroke_path(&outline, &paint(colour::WHITE, 1.0), &halo, at, mask);
        }
        self.pixmap.fill_path(&outline, &paint(text.colour, 1.0), FillRule::Winding, at, mask);
    }

    fn image(&mut self, raster: &Raster, at: &Rect, mask: Option<&Mask>) {
        let Some(mut source) = Pixmap::new(raster.width, raster.height) else { return };
        for (to, from) in source.data_mut().chunks_exact_mut(4).zip(raster.pixels.chunks_exact(4)) {
            let alpha = u32::from(from[3]);
            for k in 0..3 {
                to[k] = ((u32::from(from[k]) * alpha + 127) / 255) as u8;
            }
            to[3] = from[3];
        }
        let (sx, sy) = (at.width() / f64::from(raster.width), at.height() / f64::from(raster.height));
        let placed = Transform::from_row(sx as f32, 0.0, 0.0, sy as f32, at.min[0] as f32, at.min[1] as f32);
        let quality = FilterQuality::Bilinear;
        let shader = Pattern::new(source.as_ref(), SpreadMode::Pad, quality, 1.0, placed);
        let paint = Paint { shader, anti_alias: true, ..Paint::default() };
        let corners = (at.min[0] as f32, at.min[1] as f32, at.max[0] as f32, at.max[1] as f32);
        if let Some(rect) = SkRect::from_ltrb(corners.0, corners.1, corners.2, corners.3) {
            self.pixmap.fill_rect(rect, &paint, self.transform, mask);
        }
    }
}

fn sk_colour(colour: Colour, opacity: f64) -> tiny_skia::Color {
    let alpha = (opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
    tiny_skia::Color::from_rgba8(colour.0, colour.1, colour.2, alpha)
}

fn paint(colour: Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(sk_colour(colour, opacity));
    paint
}

fn sk_stroke(stroke: &Stroke) -> tiny_skia::Stroke {
    let dash = (!stroke.dash.is_empty()).then(|| stroke.dash.iter().map(|d| *d as f32).collect());
    tiny_skia::Stroke {
        width: stroke.width as f32,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: dash.and_then(|dash| StrokeDash::new(dash, 0.0)),
        ..tiny_skia::Stroke::default()
    }
}

/// Shifted, then perhaps turned to be read from bottom to top.
fn sk_path(path: &Path, shift: Point, upright: bool) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let at = |p: &Point| {
        let (x, y) = (p[0] + shift[0], p[1] + shift[1]);
        if upright { (y as f32, -x as f32) } else { (x as f32, y as f32) }
    };
    for piece in &path.pieces {
        match piece {
            Piece::Move(p) => builder.move_to(at(p).0, at(p).1),
            Piece::Line(p) => builder.line_to(at(p).0, at(p).1),
            Piece::Cubic(a, b, c) => {
                let (a, b, c) = (at(a), at(b), at(c));
                builder.cubic_to(a.0, a.1, b.0, b.1, c.0, c.1);
            }
            Piece::Close => builder.close(),
            Piece::Circle(c, r) => builder.push_circle(at(c).0, at(c).1, *r as f32),
        }
    }
    builder.finish()
}
