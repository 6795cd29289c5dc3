//! Runs on disk: one HDF5 file per run, restart, VTK and CSV.
//!
//! A run is a [`Header`] and a sequence of [`Frame`]s: a column of numbers for each named
//! [`Field`], in full precision. The crate knows no bodies and no contacts; whoever owns
//! the state maps it to fields, so that rigid bodies and meshes share the format.
//!
//! ```no_run
//! use delassus_record::{Extent, Field, Header, Kind, Options, Recorder, Run};
//! # fn main() -> Result<(), delassus_record::Error> {
//! let mut header = Header::new("falling disc", 2);
//! header.fields.push(Field::new("bodies/position", Kind::F64, 2, Extent::Fixed(1)).with("m", "centre of mass"));
//! let mut recorder = Recorder::create("run.h5", &header, &Options::default())?;
//! let mut frame = header.frame();
//! for step in 0..100 {
//!     (frame.step, frame.time) = (step, 1e-3 * step as f64);
//!     frame.clear();
//!     frame.columns[0].f64_mut().expect("declared so").extend([0.0, 1.0]);
//!     recorder.write(&frame)?;
//! }
//! recorder.finish()?;
//! let run = Run::open("run.h5")?;
//! assert_eq!(run.read(99, "bodies/position")?.f64(), Some(&[0.0, 1.0][..]));
//! # Ok(()) }
//! ```
//!
//! Crash safety: a frame is complete once its record is in the journal beside the file;
//! [`Run::open`] reads both. The format is described in the book, `run-files.md`.

mod constant;
mod create;
mod csv;
mod error;
mod field;
mod frame;
mod journal;
mod layout;
mod open;
mod recorder;
mod run;
mod store;
mod vtk;
mod watch;
mod writer;

pub use constant::{Constant, Values};
pub use create::recover;
pub use csv::{Series, write_csv};
pub use error::Error;
pub use field::{BodyGeometry, Extent, Field, Header, KeptFile, Kind, Outline};
pub use frame::{Column, Frame};
pub use recorder::{Options, Recorder, Stats};
pub use run::{Recovery, Run};
pub use vtk::{Exported, VtkOptions, export_vtk};
