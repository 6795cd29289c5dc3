//! Rasters one after the other: GIF with one palette for all frames.
//!
//! One palette, so that what stands still does not flicker; each frame stores only the
//! rectangle that changed.

use crate::{Error, Raster};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;

/// Colours of a palette.
const COLOURS: usize = 256;
/// The quantiser looks at every n-th pixel; 1 is best and slowest.
const SAMPLING: i32 = 7;

/// The colours of an animation.
pub struct Palette {
    colours: Vec<[u8; 3]>,
    known: HashMap<[u8; 3], u8>,
}

impl Palette {
    /// From some frames that show what there will be: their own colours when they are few,
    /// else those that a neural quantiser finds, with the most frequent kept exactly.
    pub fn new(samples: &[Raster]) -> Self {
        let mut counts: HashMap<[u8; 3], u64> = HashMap::new();
        for pixel in samples.iter().flat_map(|r| r.pixels.chunks_exact(4)) {
            *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
        }
        let mut ranked: Vec<([u8; 3], u64)> = counts.into_iter().collect();
        ranked.sort_by_key(|(colour, count)| (u64::MAX - count, *colour));
        let mut colours: Vec<[u8; 3]> = ranked.iter().take(COLOURS).map(|(c, _)| *c).collect();
        if ranked.len() > COLOURS {
            colours.truncate(COLOURS / 4);
            let pixels: Vec<u8> = samples.iter().flat_map(|r| r.pixels.iter().copied()).collect();
            let found = NeuQuant::new(SAMPLING, COLOURS - colours.len(), &pixels).color_map_rgb();
            let kept: BTreeSet<[u8; 3]> = colours.iter().copied().collect();
            let others = found.chunks_exact(3).map(|c| [c[0], c[1], c[2]]);
            colours.extend(others.filter(|c| !kept.contains(c)));
        }
        let known = colours.iter().enumerate().map(|(i, c)| (*c, i as u8)).collect();
        Self { colours, known }
    }

    /// The nearest colour, by squared distance; the first of equals.
    fn index(&mut self, colour: [u8; 3]) -> u8 {
        if let Some(i) = self.known.get(&colour) {
            return *i;
        }
        let distance = |c: &[u8; 3]| (0..3).map(|k| (i32::from(c[k]) - i32::from(colour[k])).pow(2)).sum::<i32>();
        let nearest = self.colours.iter().enumerate().min_by_key(|(_, c)| distance(c));
        let i = nearest.map_or(0, |(i, _)| i as u8);
        self.known.insert(colour, i);
        i
    }
}

/// An animation that repeats for ever.
pub struct Animation<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    size: (u32, u32),
    shown: Vec<u8>,
    frames: usize,
}

impl<W: Write> Animation<W> {
    /// Starts one.
    ///
    /// # Errors
    /// [`Error::GifSize`], [`Error::Gif`].
    pub fn new(out: W, size: (u32, u32), palette: Palette) -> Result<Self, Error> {
        let too_large = |_| Error::GifSize { width: size.0, height: size.1 };
        let (w, h) = (u16::try_from(size.0).map_err(too_large)?, u16::try_from(size.1).map_err(too_large)?);
        let flat: Vec<u8> = palette.colours.iter().flatten().copied().collect();
        let mut encoder = Encoder::new(out, w, h, &flat)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self { encoder, palette, size, shown: vec![], frames: 0 })
    }

    /// Adds a frame shown for `hundredths` of a second.
    ///
    /// # Errors
    /// [`Error::FrameSize`], [`Error::Gif`].
    pub fn push(&mut self, raster: &Raster, hundredths: u16) -> Result<(), Error> {
        let got = (raster.width, raster.height);
        if got != self.size {
            return Err(Error::FrameSize { frame: self.frames, got, expected: self.size });
        }
        let pixels = raster.pixels.chunks_exact(4);
        let indices: Vec<u8> = pixels.map(|p| self.palette.index([p[0], p[1], p[2]])).collect();
        let (x, y, w, h) = self.changed(&indices);
        let row = |y: u32| (y * self.size.0 + x) as usize;
        let buffer: Vec<u8> = (y..y + h).flat_map(|y| &indices[row(y)..row(y) + w as usize]).copied().collect();
        let frame = Frame {
            delay: hundredths,
            dispose: DisposalMethod::Keep,
            left: x as u16,
            top: y as u16,
            width: w as u16,
            height: h as u16,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame)?;
        self.shown = indices;
        self.frames += 1;
        Ok(())
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The rectangle in which pixels differ from those shown; one pixel when none does.
    fn changed(&self, indices: &[u8]) -> (u32, u32, u32, u32) {
        if self.shown.is_empty() {
            return (0, 0, self.size.0, self.size.1);
        }
        let (mut min, mut max) = ([u32::MAX; 2], [0; 2]);
        for (i, (a, b)) in indices.iter().zip(&self.shown).enumerate() {
            if a != b {
                let at = [i as u32 % self.size.0, i as u32 / self.size.0];
                for k in 0..2 {
                    min[k] = min[k].min(at[k]);
                    max[k] = max[k].max(at[k]);
                }
            }
        }
        if min[0] == u32::MAX { (0, 0, 1, 1) } else { (min[0], min[1], max[0] - min[0] + 1, max[1] - min[1] + 1) }
    }
}
