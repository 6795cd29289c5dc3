//! Steps that are made in parts: because stability asks for it, or because the whole did not converge.

use crate::{Error, Event, Failure, Ledger, Policy, World};
use delassus_contact::{Dim, Space};

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// A step that did not converge, or that could not be made: by the policy.
    pub(crate) fn make_again(&mut self, h: f64, failed: Result<Failure, Error>) -> Result<(), Error> {
        let failed = match failed {
            Ok(mut failure) => {
                if self.settings.failures.is_some() && !self.ws.ended.is_empty() {
                    // Islands had problems of their own: the file holds that of the step.
                    self.reduce(crate::Form::Assembled)?;
                }
                failure.file = match &self.settings.failures {
                    Some(folder) => Some(crate::failure::write(folder, failure.step, &self.ws.problem, &self.ws.s)?),
                    None => None,
                };
                if self.settings.on_failure == Policy::Stop {
                    return Err(Error::NotConverged(Box::new(failure)));
                }
                Ok(failure)
            }
            Err(e) => Err(e),
        };
        if let Policy::Retry { divide, times } = self.settings.on_failure {
            for attempt in 1..=times {
                if self.in_parts(h, divide.pow(attempt as u32))? {
                    return Ok(());
                }
            }
        }
        match failed {
            Ok(failure) => {
                if self.settings.on_failure != Policy::Accept {
                    self.advance(h, false)?;
                } else {
                    self.commit(h)?;
                }
                self.report.events.push(Event::NotConverged(Box::new(failure)));
                Ok(())
            }
            Err(e) => match self.settings.on_failure {
                Policy::Retry { divide, times } => {
                    let parts = divide.pow(times as u32);
                    Err(Error::Step { time: self.state.time, h, parts, reason: Box::new(e) })
                }
                _ => Err(e),
            },
        }
    }

    /// The step in `parts` smaller ones; false, and nothing changed, when one of them fails.
    fn in_parts(&mut self, h: f64, parts: usize) -> Result<bool, Error> {
        let mut backup = std::mem::take(&mut self.ws.backup);
        backup.clone_from(&self.state);
        let rubbed = self.wear.clone();
        let mut whole = Ledger::default();
        let mut ok = true;
        for _ in 0..parts {
            match self.advance(h / parts as f64, true) {
                Ok(None) => whole.follow(&self.report.energy),
                Err(e) if !e.may_pass_in_parts() => return Err(e),
                _ => {
                    self.state.clone_from(&backup);
                    self.wear.clone_from(&rubbed);
                    self.parts.forget();
                    self.present = self.energies_of_state();
                    ok = false;
                    break;
                }
            }
        }
        if ok {
            self.finish_parts(whole, (h, parts), (backup.step, backup.time));
            self.report.events.push(Event::Retried { parts });
        }
        self.ws.backup = backup;
        Ok(ok)
    }

    /// A step in as many parts as stability asks for: nothing failed.
    pub(crate) fn substeps(&mut self, h: f64, parts: usize) -> Result<(), Error> {
        let mut whole = Ledger::default();
        let begin = (self.state.step, self.state.time);
        for _ in 0..parts {
            match self.advance(h / parts as f64, true) {
                Ok(None) => {}
                Ok(Some(failure)) => self.make_again(h / parts as f64, Ok(failure))?,
                Err(Error::Thrown) => drop(self.in_flights(h / parts as f64, true)?),
                Err(e) => return Err(e),
            }
            whole.follow(&self.report.energy);
        }
        self.finish_parts(whole, (h, parts), begin);
        Ok(())
    }

    pub(crate) fn finish_parts(&mut self, whole: Ledger, (h, parts): (f64, usize), (step, time): (u64, f64)) {
        self.report.energy = whole;
        (self.report.h, self.report.parts, self.report.step) = (h, parts, step);
        (self.state.step, self.state.time) = (step + 1, crate::clock::after(time, h));
        self.report.time = self.state.time;
    }
}
