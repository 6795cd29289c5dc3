//! `explore`: how much of a force is decided by physics, and how much by the solver.

mod answer;
mod run_first;
pub(super) mod subject;
mod tables;

use super::draw::{self, DrawArgs};
use super::explore_args::{ExploreArgs, Lot};
use super::output::{Output, complain, warn};
use super::{Verdict, guarded, names};
use answer::Answer;
use delassus_explore::{
    Bounds, BoundsSettings, Census, Equilibrium, Error, Listed, Network, Origin, Procedure, Samples, SamplingSettings,
    Spread, Statics, least_friction, outcomes, sample,
};
use delassus_friction::algebra::Vector;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use subject::{AnyQuestion, Question, Subject};

/// Contacts up to which the smallest friction is looked for unasked.
const SMALL: usize = 300;
/// Gap of larger ones, unless they are asked for exactly.
const LARGE_GAP: f64 = 0.05;
/// Most numbers that samples may hold.
const NUMBERS: usize = 500_000_000;
/// Samples of `--motion` unless a number is given.
const MOTION: usize = 200;

/// Explores a scene, a run or a problem, and draws what was found if a picture is asked for.
pub fn run(args: &mut ExploreArgs) -> ExitCode {
    if let Err(message) = name_output(args) {
        complain(&message);
        return Verdict::BadInput.into();
    }
    let before = match run_first::run_to_time(args) {
        Ok(verdict) => verdict,
        Err(code) => return code,
    };
    let subject = match subject::load(&args.source, &args.scene, args.at_rest) {
        Ok(subject) => subject,
        Err(verdict) => return verdict.into(),
    };
    let found = match explore(&subject, args) {
        ExitCode::SUCCESS => before.into(),
        other => other,
    };
    match (&args.picture, &args.output) {
        // A picture that cannot be made must not hide what was found.
        (Some(picture), Some(file)) if found != ExitCode::from(Verdict::BadInput) => {
            let drawn = draw::run(&drawing(args, subject.places.is_some(), file, picture));
            if drawn == ExitCode::SUCCESS { found } else { drawn }
        }
        _ => found,
    }
}

/// What goes with a picture is kept beside it; what is explored must not be written over.
fn name_output(args: &mut ExploreArgs) -> Result<(), String> {
    let source = subject::split(&args.source).0.to_owned();
    let same = |path: &Path| names::same(path, Path::new(&source));
    if let (Some(picture), None) = (&args.picture, &args.output) {
        let beside = |end| names::ending(names::plain(picture), end);
        args.output = Some(if same(&beside("h5")) { beside("set.h5") } else { beside("h5") });
    }
    match args.output.as_deref().filter(|path| same(path)) {
        Some(path) => Err(format!("--output {} would replace what is explored: give another name", path.display())),
        None => Ok(()),
    }
}

/// What is asked of `draw`. A bare problem has no bodies: its sets are drawn alone.
fn drawing(args: &ExploreArgs, bodies: bool, file: &Path, picture: &Path) -> DrawArgs {
    let of = match bodies {
        true => DrawArgs { explore: Some(file.into()), scene: args.scene.clone(), ..DrawArgs::of(&args.source) },
        false => DrawArgs::of(file.to_string_lossy()),
    };
    DrawArgs {
        output: Some(picture.into()),
        contact: args.inset.clone(),
        fan: args.fan,
        profile: args.profile,
        average_from: args.average_from,
        zoom: args.zoom.map(draw::Zoom::Part),
        quiet: args.quiet,
        ..of
    }
}

fn explore(subject: &Subject, args: &ExploreArgs) -> ExitCode {
    let work = || match &subject.question {
        AnyQuestion::Two(q) => Explorer { subject, q, args }.go(),
        AnyQuestion::Three(q) => Explorer { subject, q, args }.go(),
        AnyQuestion::Four(q) => Explorer { subject, q, args }.go(),
        AnyQuestion::Five(q) => Explorer { subject, q, args }.go(),
        AnyQuestion::Six(q) => Explorer { subject, q, args }.go(),
    };
    let result = match args.threads {
        Some(n) => match rayon::ThreadPoolBuilder::new().num_threads(n).build() {
            Ok(pool) => pool.install(|| guarded(work)),
            Err(error) => Err(format!("{n} threads cannot be started: {error}")),
        },
        None => guarded(work),
    };
    match result {
        Ok(Ok(verdict)) => verdict.into(),
        Ok(Err(error)) => {
            complain(&error.to_string());
            match error {
                Error::Program { .. } | Error::Search { .. } => Verdict::NotSolved.into(),
                _ => Verdict::BadInput.into(),
            }
        }
        Err(message) => {
            complain(&message);
            Verdict::BadInput.into()
        }
    }
}

struct Explorer<'a, const C: usize> {
    subject: &'a Subject,
    q: &'a Question<C>,
    args: &'a ExploreArgs,
}

impl<const C: usize> Explorer<'_, C>
where
    Statics<C>: Equilibrium<C>,
{
    fn go(&self) -> Result<Verdict, Error> {
        let (statics, args) = (&self.q.statics, self.args);
        let mut out = Output::default();
        out.line(&self.subject.name);
        self.check()?;
        let census = Census::new(statics);
        let mut answer = Answer::default();
        let exact = args.exact || !args.contact.is_empty() || (args.samples.is_none() && !args.motion);
        out.line(&tables::census(&census, statics));
        if self.subject.moving && exact {
            warn(
                "bodies move: an equilibrium here is a step that stops them; --motion explores the step as it is, \
                 --at-rest leaves the velocities out",
            );
        }
        let mut verdict = Verdict::Solved;
        if exact {
            verdict = verdict.max(self.bound(&mut answer, &mut out)?);
        }
        if args.motion {
            verdict = verdict.max(self.motion(&mut answer, &mut out)?);
        } else if let Some(n) = args.samples {
            let procedure = match args.procedure {
                Lot::Random => Procedure::Random,
                Lot::Shuffle => Procedure::Shuffle,
            };
            let samples = self.sampled(n, procedure)?;
            verdict = verdict.max(self.tell(&samples, procedure, &mut out));
            if let Some(reactions) = &answer.reactions {
                tables::coverage(&samples, reactions, &mut out);
            }
            tables::ghosts(&samples.only_at_rest(), statics, &mut out);
            answer.samples = Some(samples);
        }
        self.outcomes(&mut answer, &mut out);
        answer.choose_forces();
        tables::contacts(self.subject, statics, &answer, args, &mut out);
        answer.write(self.subject, statics, args, &mut out)?;
        Ok(verdict)
    }

    /// What can be refused before any work.
    fn check(&self) -> Result<(), Error> {
        let count = self.q.statics.contacts();
        if let Some(&contact) = self.args.contact.iter().find(|c| **c >= count) {
            return Err(Error::NoSuchContact { contact, count });
        }
        if count == 0 {
            return Err(Error::NoContact);
        }
        let n = self.args.samples.unwrap_or(0);
        if n.saturating_mul(C * self.q.problem.len()) > NUMBERS {
            let value = n as f64;
            let expected = "so few that samples × contacts × components stays below 5e8 numbers";
            return Err(Error::Setting { name: "samples", value, expected });
        }
        Ok(())
    }

    fn bar(&self, length: usize, what: &'static str) -> ProgressBar {
        let target = if self.args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(length as u64), target);
        let style = ProgressStyle::with_template("[{bar:24}] {pos}/{len} {msg}, about {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.set_message(what);
        bar
    }

    /// The exact sets, the most stable network, the friction needed.
    fn bound(&self, answer: &mut Answer<C>, out: &mut Output) -> Result<Verdict, Error> {
        let (statics, args) = (&self.q.statics, self.args);
        let contacts = (!args.contact.is_empty()).then(|| args.contact.clone());
        let count = contacts.as_ref().map_or(statics.contacts(), Vec::len);
        let gap = args.gap.or((C == 2 && count > SMALL && !args.exact).then_some(LARGE_GAP));
        if let (None, Some(gap)) = (args.gap, gap) {
            out.line(&format!(
                "so many contacts are bounded within {gap} of their size; --exact or --gap changes that"
            ));
        }
        let settings = BoundsSettings { contacts, gap, directions: args.directions };
        let bar = self.bar(count, "reactions bounded");
        let begin = Instant::now();
        let mut verdict = Verdict::Solved;
        let bounds = statics.bounds(&settings, &|n| bar.inc(n as u64));
        bar.finish_and_clear();
        let bounds = bounds?;
        let empty = bounds == Bounds::Empty;
        match bounds {
            Bounds::Empty => out.line(&tables::empty(self.subject, statics)),
            Bounds::Reactions(list) => {
                out.line(&tables::kinds(&list, begin.elapsed().as_secs_f64()));
                if let Some(message) = args.gap.and_then(|gap| tables::missed(&list, gap, args.directions)) {
                    warn(&message);
                    verdict = Verdict::NotSolved;
                }
                answer.reactions = Some(list);
            }
        }
        if statics.contacts() <= SMALL || args.least_friction {
            let precision = if C == 2 { 1e-10 } else { 1e-6 };
            out.line(&tables::friction(least_friction(statics, precision)?, statics));
        } else {
            out.line("least friction: not looked for among so many contacts; --least-friction asks for it");
        }
        if !empty && let Some(stable) = statics.most_stable()? {
            out.line(&tables::stable(&stable, self.subject));
            answer.networks.push(("most_stable".into(), stable));
        }
        for &contact in &args.contact {
            self.extremes(contact, answer)?;
        }
        Ok(verdict)
    }

    fn extremes(&self, contact: usize, answer: &mut Answer<C>) -> Result<(), Error> {
        for (name, k, sign) in [
            ("least_normal", 0, -1.0),
            ("largest_normal", 0, 1.0),
            ("least_tangent", 1, -1.0),
            ("largest_tangent", 1, 1.0),
        ] {
            let direction = Vector::<C>::from_fn(|i, _| if i == k { sign } else { 0.0 });
            if let Some(network) = self.q.statics.extreme(contact, &direction)? {
                answer.networks.push((format!("{name}_{contact}"), network));
            }
        }
        Ok(())
    }

    fn sampled(&self, samples: usize, procedure: Procedure) -> Result<Samples<C>, Error> {
        let args = self.args;
        let settings = SamplingSettings {
            samples,
            procedure,
            seed: args.seed,
            tolerance: args.tol,
            max_sweeps: args.max_sweeps,
            largest: None,
        };
        let bar = self.bar(samples, "solutions");
        let found = sample(&self.q.problem, Some(&self.q.start), &settings, &|n| bar.inc(n as u64));
        bar.finish_and_clear();
        found
    }

    fn tell(&self, samples: &Samples<C>, procedure: Procedure, out: &mut Output) -> Verdict {
        let name = match procedure {
            Procedure::Random => "random initial forces",
            Procedure::Shuffle => "from zero, shuffled order",
            Procedure::Warm => "from the last forces, shuffled order",
        };
        let worst = samples.residuals.iter().copied().fold(0.0, f64::max);
        let total = samples.len() + samples.rejected;
        out.line(&format!(
            "samples: {} of {total} certified ({name}), residual at most {worst:.1e}, {} at rest, {:.0} sweeps each",
            samples.len(),
            samples.at_rest(),
            samples.sweeps as f64 / total.max(1) as f64
        ));
        if samples.rejected == 0 {
            return Verdict::Solved;
        }
        warn(&format!(
            "{} samples did not reach {:.0e} in {} sweeps and were rejected; --max-sweeps or --tol changes that",
            samples.rejected, self.args.tol, self.args.max_sweeps
        ));
        Verdict::NotSolved
    }

    /// The step as it is, many times.
    fn motion(&self, answer: &mut Answer<C>, out: &mut Output) -> Result<Verdict, Error> {
        let n = self.args.samples.unwrap_or(MOTION);
        let mut verdict = Verdict::Solved;
        let mut rows = vec![];
        for procedure in [Procedure::Random, Procedure::Shuffle, Procedure::Warm] {
            let samples = self.sampled(n, procedure)?;
            verdict = verdict.max(self.tell(&samples, procedure, out));
            rows.push((procedure, Spread::new(&self.q.problem, &samples, self.args.tol)));
            let kept = match self.args.procedure {
                Lot::Random => Procedure::Random,
                Lot::Shuffle => Procedure::Shuffle,
            };
            if procedure == kept {
                answer.samples = Some(samples);
            }
        }
        tables::motion(&rows, self.subject, out);
        Ok(verdict)
    }

    /// The distinct motions, from everything that was found.
    fn outcomes(&self, answer: &mut Answer<C>, out: &mut Output) {
        let (problem, statics) = (&self.q.problem, &self.q.statics);
        let mut solutions: Vec<(Origin, Vec<Vector<C>>)> = vec![];
        let listed = statics.enumerated(problem);
        let complete = listed.is_some();
        let Listed { solutions: isolated, continua } = listed.unwrap_or_default();
        solutions.extend(isolated.into_iter().map(|s| (Origin::Enumeration, s)));
        let still: Option<&Network<C>> = answer.networks.first().map(|n| &n.1);
        solutions.extend(still.map(|n| (Origin::Equilibrium, n.percussions.clone())));
        if let Some(samples) = &answer.samples {
            solutions.extend((0..samples.len()).map(|k| (Origin::Sample, samples.get(k).to_vec())));
        }
        if !complete && answer.samples.is_none() {
            return;
        }
        // Programs end at 1e-9 of the loads, which the free velocities of light bodies may exceed.
        let mut found = outcomes(problem, solutions, self.args.tol.max(1e-6));
        found.retain(|o| !continua.iter().any(|c| c.holds(problem, &o.percussions)));
        tables::outcomes(&found, &continua, problem, complete, self.subject, out);
    }
}
