//! Going on with runs of earlier versions: what they record, and nothing else.

use super::{Error, Simulation};
use delassus_record::{Frame, Run};

/// A frame of all fields, and where those of the run are in it.
pub(super) struct Like {
    whole: Frame,
    places: Vec<usize>,
}

impl Simulation {
    /// Records from now on the fields of a run, which may be of an earlier version and have fewer.
    ///
    /// # Errors
    /// The run has a field that is not recorded any more, or not in that form.
    pub fn record_like(&mut self, run: &Run) -> Result<(), Error> {
        let wanted = &run.header().fields;
        if self.header.fields == *wanted {
            return Ok(());
        }
        let same = |field: &delassus_record::Field| {
            let (name, form) = (&field.name, (field.kind, field.width, &field.extent));
            self.header.fields.iter().position(|f| f.name == *name && (f.kind, f.width, &f.extent) == form)
        };
        let mut places = vec![];
        for field in wanted {
            places.push(same(field).ok_or_else(|| Error::Frame {
                frame: run.frames().saturating_sub(1),
                reason: format!("the run, of {}, records '{}' otherwise", run.header().program, field.name),
            })?);
        }
        self.like = Some(Like { whole: self.header.frame(), places });
        self.header.fields.clone_from(wanted);
        Ok(())
    }

    /// Fills a cleared frame with what is recorded.
    pub(super) fn fill_like(&mut self, frame: &mut Frame) -> Result<(), Error> {
        let Some(like) = &mut self.like else { return self.engine.fill(frame) };
        like.whole.clear();
        self.engine.fill(&mut like.whole)?;
        for (column, place) in frame.columns.iter_mut().zip(&like.places) {
            column.clone_from(&like.whole.columns[*place]);
        }
        Ok(())
    }
}
