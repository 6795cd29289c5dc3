//! Rasters one after the other, uncompressed: YUV4MPEG2, which every encoder of video reads.
//!
//! Full resolution of colour (4:4:4), 8 bits, BT.601 in limited range: what readers take where nothing else is said.

use crate::{Error, Raster};
use std::io::Write;

/// A stream of frames at a constant rate.
pub struct Film<W: Write> {
    out: W,
    size: (u32, u32),
    frames: usize,
    planes: Vec<u8>,
}

impl<W: Write> Film<W> {
    /// Starts one of `rate` frames per second.
    ///
    /// # Errors
    /// [`Error::Film`].
    pub fn new(mut out: W, size: (u32, u32), rate: u32) -> Result<Self, Error> {
        writeln!(out, "YUV4MPEG2 W{} H{} F{rate}:1 Ip A1:1 C444", size.0, size.1)?;
        Ok(Self { out, size, frames: 0, planes: vec![] })
    }

    /// Adds a frame, shown for some intervals.
    ///
    /// # Errors
    /// [`Error::FrameSize`], [`Error::Film`].
    pub fn push(&mut self, raster: &Raster, intervals: u32) -> Result<(), Error> {
        let got = (raster.width, raster.height);
        if got != self.size {
            return Err(Error::FrameSize { frame: self.frames, got, expected: self.size });
        }
        self.planes.clear();
        for weights in PLANES {
            self.planes.extend(raster.pixels.chunks_exact(4).map(|p| component(p, weights)));
        }
        for _ in 0..intervals {
            self.out.write_all(b"FRAME\n")?;
            self.out.write_all(&self.planes)?;
            self.frames += 1;
        }
        Ok(())
    }

    /// Frames so far, each interval counted.
    pub fn frames(&self) -> usize {
        self.frames
    }
}

/// Offset and weights of red, green and blue, for Y, Cb and Cr: BT.601, in 255ths.
pub(crate) const PLANES: [[f64; 4]; 3] =
    [[16.0, 65.481, 128.553, 24.966], [128.0, -37.797, -74.203, 112.0], [128.0, 112.0, -93.786, -18.214]];

pub(crate) fn component(p: &[u8], [offset, r, g, b]: [f64; 4]) -> u8 {
    let sum = r * f64::from(p[0]) + g * f64::from(p[1]) + b * f64::from(p[2]);
    (offset + sum / 255.0).round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values of BT.601: white is (235, 128, 128), black (16, 128, 128), red (81, 90, 240).
    #[test]
    fn colours_are_those_of_the_standard() {
        let cases = [([255, 255, 255], [235, 128, 128]), ([0, 0, 0], [16, 128, 128]), ([255, 0, 0], [81, 90, 240])];
        for (rgb, yuv) in cases {
            assert_eq!(PLANES.map(|w| component(&rgb, w)), yuv);
        }
    }

    /// A header, and for each interval a word and three planes.
    #[test]
    fn a_film_has_its_bytes() {
        let mut raster = Raster::new(4, 2).expect("small");
        raster.pixels.fill(255);
        let mut bytes = vec![];
        let mut film = Film::new(&mut bytes, (4, 2), 25).expect("begun");
        film.push(&raster, 3).expect("written");
        assert_eq!(film.frames(), 3);
        assert!(film.push(&Raster::new(2, 2).expect("small"), 1).is_err());
        let header = b"YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C444\n";
        assert_eq!(&bytes[..header.len()], header);
        assert_eq!(bytes.len(), header.len() + 3 * (6 + 3 * 8));
        assert_eq!(&bytes[header.len()..header.len() + 8], b"FRAME\n\xEB\xEB");
    }
}
