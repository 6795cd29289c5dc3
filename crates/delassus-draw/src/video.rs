//! Rasters one after the other as compressed video: AV1 in MP4, which browsers and players show.
//!
//! Each raster is one frame, however long it is shown: the container says for how long. Colours are of half resolution
//! (4:2:0), as in nearly all video, by BT.601 in limited range like those of `Film`; the encoder works without looking
//! ahead, so that frames leave it in order. Nothing depends on the number of threads.

use crate::film::PLANES;
use crate::{Error, Raster, film};
use mp4_atom::{Atom, Av01, Av1c, Codec, Encode, FixedPoint, Ftyp, Hdlr, Mdhd, Mdia, Minf, Moov, Mvhd, Stbl, Stco};
use mp4_atom::{
    Dinf, Dref, DrefEntry, FourCC, Stsc, StscEntry, Stsd, Stss, Stsz, StszSamples, Stts, SttsEntry, Tkhd, Trak, Url,
};
use mp4_atom::{Visual, Vmhd};
use rav1e::color::{ColorDescription, ColorPrimaries, MatrixCoefficients, TransferCharacteristics};
use rav1e::prelude::{ChromaSampling, Config, Context, EncoderConfig, EncoderStatus, FrameType, PixelRange, Rational};
use std::io::Write;

/// Hundredths of a second, in which durations are told.
const TICKS: u32 = 100;
/// Fineness, 0 best to 255: lines and small text stay sharp.
const QUANTISER: usize = 60;
/// Fastest of the encoder's settings: pictures of few colours gain little from slower ones.
const SPEED: u8 = 10;
/// Most frames between two that can be jumped to.
const JUMP: u64 = 100;

/// A video at its making.
pub struct Video<W: Write> {
    out: W,
    encoder: Context<u8>,
    size: (u32, u32),
    durations: Vec<u16>,
    samples: Vec<Sample>,
    planes: [Vec<u8>; 3],
}

struct Sample {
    bytes: Vec<u8>,
    key: bool,
}

impl<W: Write> Video<W> {
    /// Starts one.
    ///
    /// # Errors
    /// [`Error::VideoSize`], [`Error::Encoder`].
    pub fn new(out: W, size: (u32, u32)) -> Result<Self, Error> {
        let most = u32::from(u16::MAX);
        if size.0 > most || size.1 > most || size.0 < 16 || size.1 < 16 {
            return Err(Error::VideoSize { width: size.0, height: size.1 });
        }
        let settings = EncoderConfig {
            width: size.0 as usize,
            height: size.1 as usize,
            time_base: Rational::new(1, u64::from(TICKS)),
            chroma_sampling: ChromaSampling::Cs420,
            pixel_range: PixelRange::Limited,
            color_description: Some(ColorDescription {
                color_primaries: ColorPrimaries::BT709,
                transfer_characteristics: TransferCharacteristics::SRGB,
                matrix_coefficients: MatrixCoefficients::BT601,
            }),
            quantizer: QUANTISER,
            low_latency: true,
            max_key_frame_interval: JUMP,
            ..EncoderConfig::with_speed_preset(SPEED)
        };
        let encoder = Config::new().with_encoder_config(settings).new_context()?;
        Ok(Self { out, encoder, size, durations: vec![], samples: vec![], planes: [vec![], vec![], vec![]] })
    }

    /// Adds a frame, shown for some hundredths of a second.
    ///
    /// # Errors
    /// [`Error::FrameSize`], [`Error::Encoder`].
    pub fn push(&mut self, raster: &Raster, hundredths: u16) -> Result<(), Error> {
        let got = (raster.width, raster.height);
        if got != self.size {
            return Err(Error::FrameSize { frame: self.durations.len(), got, expected: self.size });
        }
        let (w, h) = (self.size.0 as usize, self.size.1 as usize);
        let pixel = |x: usize, y: usize| &raster.pixels[4 * (y * w + x)..4 * (y * w + x) + 4];
        self.planes.iter_mut().for_each(Vec::clear);
        self.planes[0].extend(raster.pixels.chunks_exact(4).map(|p| film::component(p, PLANES[0])));
        for y in (0..h).step_by(2) {
            for x in (0..w).step_by(2) {
                // Where a side is odd the last pixel counts twice.
                let (right, below) = ((x + 1).min(w - 1), (y + 1).min(h - 1));
                let four = [pixel(x, y), pixel(right, y), pixel(x, below), pixel(right, below)];
                let mean: [u8; 3] =
                    std::array::from_fn(|k| ((four.iter().map(|p| u16::from(p[k])).sum::<u16>() + 2) / 4) as u8);
                (1..3).for_each(|k| self.planes[k].push(film::component(&mean, PLANES[k])));
            }
        }
        let mut frame = self.encoder.new_frame();
        for (k, plane) in self.planes.iter().enumerate() {
            frame.planes[k].copy_from_raw_u8(plane, if k == 0 { w } else { w.div_ceil(2) }, 1);
        }
        self.encoder.send_frame(frame)?;
        self.durations.push(hundredths.max(1));
        self.receive()
    }

    /// Takes what the encoder has ready.
    fn receive(&mut self) -> Result<(), Error> {
        loop {
            match self.encoder.receive_packet() {
                Ok(packet) => {
                    let bytes = undelimited(&packet.data).to_vec();
                    self.samples.push(Sample { bytes, key: packet.frame_type == FrameType::KEY });
                }
                Err(EncoderStatus::Encoded) => {}
                Err(EncoderStatus::NeedMoreData | EncoderStatus::LimitReached) => return Ok(()),
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Ends it and writes the file.
    ///
    /// # Errors
    /// [`Error::Encoder`], [`Error::Container`], [`Error::Film`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.encoder.flush();
        self.receive()?;
        let mut bytes = vec![];
        let four = FourCC::new;
        let brands = vec![four(b"isom"), four(b"iso6"), four(b"av01"), four(b"mp41")];
        Ftyp { major_brand: four(b"isom"), minor_version: 0x200, compatible_brands: brands }.encode(&mut bytes)?;
        // The table of contents comes first, so that players begin before they have all: its length does not depend
        // on the place it names.
        let mut contents = vec![];
        self.contents(0).encode(&mut contents)?;
        let data: usize = self.samples.iter().map(|s| s.bytes.len()).sum();
        let place = bytes.len() + contents.len() + 8;
        let length = u32::try_from(place + data).map_err(|_| mp4_atom::Error::TooLarge(Moov::KIND))? - place as u32;
        self.contents(place as u32).encode(&mut bytes)?;
        self.out.write_all(&bytes)?;
        self.out.write_all(&(length + 8).to_be_bytes())?;
        self.out.write_all(b"mdat")?;
        for sample in &self.samples {
            self.out.write_all(&sample.bytes)?;
        }
        Ok(())
    }

    fn contents(&self, place: u32) -> Moov {
        let duration = self.durations.iter().map(|d| u64::from(*d)).sum();
        let (width, height) = (self.size.0 as u16, self.size.1 as u16);
        let mut times: Vec<SttsEntry> = vec![];
        for duration in self.durations.iter().map(|d| u32::from(*d)) {
            match times.last_mut() {
                Some(last) if last.sample_delta == duration => last.sample_count += 1,
                _ => times.push(SttsEntry { sample_count: 1, sample_delta: duration }),
            }
        }
        let keys = self.samples.iter().zip(1..).filter(|(s, _)| s.key).map(|(_, k)| k).collect();
        let sizes = self.samples.iter().map(|s| s.bytes.len() as u32).collect();
        let all =
            StscEntry { first_chunk: 1, samples_per_chunk: self.samples.len() as u32, sample_description_index: 1 };
        let codec = Av01 {
            visual: Visual { data_reference_index: 1, width, height, ..Visual::default() },
            av1c: self.described(),
            ..Av01::default()
        };
        let stbl = Stbl {
            stsd: Stsd { codecs: vec![Codec::Av01(codec)] },
            stts: Stts { entries: times },
            stss: Some(Stss { entries: keys }),
            stsc: Stsc { entries: vec![all] },
            stsz: Stsz { samples: StszSamples::Different { sizes } },
            stco: Some(Stco { entries: vec![place] }),
            ..Stbl::default()
        };
        let dref = Dref { entries: vec![DrefEntry::Url(Url::default())] };
        let minf = Minf { vmhd: Some(Vmhd::default()), dinf: Dinf { dref }, stbl, ..Minf::default() };
        let mdia = Mdia {
            mdhd: Mdhd { timescale: TICKS, duration, language: "und".into(), ..Mdhd::default() },
            hdlr: Hdlr { handler: FourCC::new(b"vide"), name: "video".into() },
            minf,
        };
        let tkhd = Tkhd {
            track_id: 1,
            duration,
            enabled: true,
            in_movie: true,
            width: FixedPoint::from(width),
            height: FixedPoint::from(height),
            ..Tkhd::default()
        };
        let mvhd = Mvhd {
            timescale: TICKS,
            duration,
            rate: FixedPoint::from(1),
            volume: FixedPoint::from(1),
            next_track_id: 2,
            ..Mvhd::default()
        };
        Moov { mvhd, trak: vec![Trak { tkhd, mdia, ..Trak::default() }], ..Moov::default() }
    }

    /// What decoders must know before the first frame: four bytes of the encoder, and the header it begins with.
    fn described(&self) -> Av1c {
        let head = self.encoder.container_sequence_header();
        let first = self.samples.first().map_or(&[][..], |s| &s.bytes);
        Av1c {
            seq_profile: head[1] >> 5,
            seq_level_idx_0: head[1] & 31,
            seq_tier_0: head[2] >> 7 == 1,
            chroma_subsampling_x: head[2] >> 3 & 1 == 1,
            chroma_subsampling_y: head[2] >> 2 & 1 == 1,
            config_obus: leading_header(first).to_vec(),
            ..Av1c::default()
        }
    }
}

/// An open unit of an AV1 stream: its kind, and its length with head.
fn unit(bytes: &[u8]) -> Option<(u8, usize)> {
    let head = *bytes.first()?;
    let mut at = 1 + usize::from(head >> 2 & 1);
    if head >> 1 & 1 == 0 {
        return Some((head >> 3 & 15, bytes.len()));
    }
    let mut length = 0usize;
    for k in 0..8 {
        let byte = *bytes.get(at)?;
        at += 1;
        length |= usize::from(byte & 127) << (7 * k);
        if byte & 128 == 0 {
            break;
        }
    }
    let end = at.checked_add(length)?;
    (end <= bytes.len()).then_some((head >> 3 & 15, end))
}

/// Without the mark that begins each frame in a stream, which has no place in MP4.
fn undelimited(bytes: &[u8]) -> &[u8] {
    const DELIMITER: u8 = 2;
    match unit(bytes) {
        Some((DELIMITER, end)) => &bytes[end..],
        _ => bytes,
    }
}

/// The header of the sequence, with which the first frame begins.
fn leading_header(bytes: &[u8]) -> &[u8] {
    const SEQUENCE: u8 = 1;
    match unit(bytes) {
        Some((SEQUENCE, end)) => &bytes[..end],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mp4_atom::{Any, DecodeMaybe};

    fn plain(width: u32, height: u32, colour: [u8; 4]) -> Raster {
        let mut raster = Raster::new(width, height).expect("small");
        raster.pixels.chunks_exact_mut(4).for_each(|p| p.copy_from_slice(&colour));
        raster
    }

    fn video(frames: &[(Raster, u16)]) -> Vec<u8> {
        let mut bytes = vec![];
        let mut video = Video::new(&mut bytes, (frames[0].0.width, frames[0].0.height)).expect("begun");
        frames.iter().for_each(|(raster, hundredths)| video.push(raster, *hundredths).expect("encoded"));
        video.finish().expect("written");
        bytes
    }

    /// Read back by the container's reader: sizes, the sum of the durations, one sample a frame where the table says
    /// it is, a key frame first. Frames of odd sides, too. The same frames make the same bytes.
    #[test]
    fn a_video_has_its_frames_and_its_time() {
        let frames: Vec<(Raster, u16)> =
            [(255, 4), (200, 4), (100, 80)].map(|(grey, time)| (plain(33, 17, [grey, 0, 0, 255]), time)).into();
        let bytes = video(&frames);
        assert_eq!(bytes, video(&frames));
        let mut rest = &bytes[..];
        let (mut contents, mut data) = (None, vec![]);
        while let Some(atom) = Any::decode_maybe(&mut rest).expect("read back") {
            match atom {
                Any::Moov(moov) => contents = Some(moov),
                Any::Mdat(mdat) => data = mdat.data,
                _ => {}
            }
        }
        let moov = contents.expect("a table of contents");
        assert_eq!(moov.mvhd.duration, 88);
        let table = &moov.trak[0].mdia.minf.stbl;
        assert_eq!(table.stts.entries.iter().map(|e| e.sample_count).sum::<u32>(), 3);
        let StszSamples::Different { sizes } = &table.stsz.samples else { panic!("sizes") };
        assert_eq!(sizes.iter().map(|s| *s as usize).sum::<usize>(), data.len());
        let place = table.stco.as_ref().expect("a place").entries[0] as usize;
        assert_eq!(&bytes[place..place + data.len()], &data[..]);
        assert_eq!(table.stss.as_ref().expect("keys").entries[0], 1);
        let Codec::Av01(codec) = &table.stsd.codecs[0] else { panic!("AV1") };
        assert_eq!((codec.visual.width, codec.visual.height), (33, 17));
        assert!(!codec.av1c.config_obus.is_empty() && data.starts_with(&codec.av1c.config_obus));
    }

    /// Sizes that differ, and those no video has.
    #[test]
    fn other_sizes_are_refused() {
        assert!(matches!(Video::new(vec![], (8, 100)), Err(Error::VideoSize { .. })));
        assert!(matches!(Video::new(vec![], (100_000, 100)), Err(Error::VideoSize { .. })));
        let mut video = Video::new(vec![], (32, 32)).expect("begun");
        assert!(matches!(video.push(&plain(32, 16, [0; 4]), 4), Err(Error::FrameSize { .. })));
    }
}
