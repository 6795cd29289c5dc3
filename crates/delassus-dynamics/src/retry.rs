//! Steps that are made in parts: because it was asked for, stability needs it, or the whole did not converge.

use crate::{Error, Event, Failure, Ledger, Policy, Report, Timings, World};
use delassus_contact::{Dim, Space};
use delassus_friction::Status;

/// What the parts of a step come to: works and iterations add up, the worst residual and the deepest penetration of
/// a part are those of the step.
pub(crate) struct Whole {
    begin: (u64, f64),
    parts: usize,
    energy: Ledger,
    status: Status,
    /// Relative, absolute, and of the balance.
    residual: [f64; 3],
    deepest: f64,
    iterations: usize,
    timings: Timings,
}

impl Whole {
    /// Of a step that begins with this number and at this time.
    pub fn new(begin: (u64, f64)) -> Self {
        let (residual, timings) = ([0.0; 3], Timings::default());
        let (energy, status) = (Ledger::default(), Status::Converged);
        Self { begin, parts: 0, energy, status, residual, deepest: 0.0, iterations: 0, timings }
    }

    /// Takes in the next part.
    pub fn follow(&mut self, part: &Report) {
        self.parts += 1;
        self.energy.follow(&part.energy);
        if self.status == Status::Converged {
            self.status = part.status;
        }
        for (mine, theirs) in self.residual.iter_mut().zip([part.residual, part.absolute, part.balance]) {
            *mine = mine.max(theirs);
        }
        self.deepest = self.deepest.max(part.max_penetration);
        self.iterations += part.iterations;
        self.timings.add(&part.timings);
    }
}

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
        let mut whole = Whole::new((backup.step, backup.time));
        let mut ok = true;
        for _ in 0..parts {
            match self.advance(h / parts as f64, true) {
                Ok(None) => whole.follow(&self.report),
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
            self.finish_parts(whole, h);
            self.report.events.push(Event::Retried { parts });
        }
        self.ws.backup = backup;
        Ok(ok)
    }

    /// Parts that the next step of length `h` is made in unless something comes between: those asked for, or that
    /// stability needs.
    pub(crate) fn parts_of_step(&mut self, h: f64) -> Result<usize, Error> {
        Ok(self.settings.substeps.max(self.parts.substeps(&self.state, h)?))
    }

    /// A step in equal parts: nothing failed.
    pub(crate) fn substeps(&mut self, h: f64, parts: usize) -> Result<(), Error> {
        let mut whole = Whole::new((self.state.step, self.state.time));
        for _ in 0..parts {
            self.part(h / parts as f64)?;
            whole.follow(&self.report);
        }
        self.finish_parts(whole, h);
        Ok(())
    }

    /// A step, or an equal part of one, by the policy where it does not converge.
    pub(crate) fn part(&mut self, h: f64) -> Result<(), Error> {
        if self.in_flights(h, false)? {
            return Ok(());
        }
        let failed = match self.advance(h, true) {
            Ok(None) => return Ok(()),
            Err(Error::Thrown) => {
                self.in_flights(h, true)?;
                return Ok(());
            }
            Ok(Some(failure)) => Ok(failure),
            Err(e) if e.may_pass_in_parts() => Err(e),
            Err(e) => return Err(e),
        };
        self.make_again(h, failed)
    }

    /// The report and the clock of a step of length `h` whose parts are done.
    pub(crate) fn finish_parts(&mut self, whole: Whole, h: f64) {
        let Whole { begin: (step, time), parts, energy, status, residual, deepest, iterations, timings } = whole;
        let report = &mut self.report;
        (report.h, report.parts, report.step, report.energy, report.status) = (h, parts, step, energy, status);
        [report.residual, report.absolute, report.balance] = residual;
        (report.max_penetration, report.iterations, report.timings) = (deepest, iterations, timings);
        (self.state.step, self.state.time) = (step + 1, crate::clock::after(time, h));
        self.report.time = self.state.time;
    }
}
