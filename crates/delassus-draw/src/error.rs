//! Why a picture was refused.

/// Why a picture was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A coordinate is not a number.
    #[error("a coordinate of {what} is not finite: it cannot be drawn")]
    NotFinite {
        /// What has it.
        what: String,
    },
    /// Too small or too large a page.
    #[error("a page of {width} × {height} cannot be drawn: sides are between 1 and {}", crate::picture::LARGEST)]
    PageSize {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
    /// Too many pixels.
    #[error(
        "{width} × {height} pixels are too many: at most {} million, choose a smaller size or resolution",
        crate::raster::LARGEST / 1_000_000
    )]
    TooManyPixels {
        /// Width.
        width: u64,
        /// Height.
        height: u64,
    },
    /// Frames of an animation differ in size.
    #[error("frame {frame} has {got:?} pixels, the first one {expected:?}")]
    FrameSize {
        /// Which one.
        frame: usize,
        /// Its size.
        got: (u32, u32),
        /// That of the first.
        expected: (u32, u32),
    },
    /// An animation larger than its format can hold.
    #[error("GIF holds at most 65535 pixels a side, not {width} × {height}")]
    GifSize {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// The encoder of PNG failed.
    #[error("PNG: {0}")]
    Png(#[from] png::EncodingError),
    /// The encoder of GIF failed.
    #[error("GIF: {0}")]
    Gif(#[from] gif::EncodingError),
    /// A film could not be written.
    #[error("video: {0}")]
    Film(#[from] std::io::Error),
    /// Too small or too large a video.
    #[error("a video has sides of 16 to 65535 pixels, not {width} × {height}")]
    VideoSize {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// The encoder refused the video.
    #[error("AV1: {0}")]
    Refused(#[from] rav1e::InvalidConfig),
    /// The encoder failed.
    #[error("AV1: {0}")]
    Encoder(#[from] rav1e::EncoderStatus),
    /// The container could not be written.
    #[error("MP4: {0}")]
    Container(#[from] mp4_atom::Error),
}
