//! `sweep`: a scene over many values of its keys, every combination a run of its own.

mod args;
mod axis;
mod figure;
mod measure;
mod member;
mod plan;
mod table;

pub use args::SweepArgs;

use super::output::{Output, complain, warn};
use super::run::{INTERRUPTED, interruptible};
use super::{Verdict, guarded};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use member::{Outcome, Status, outcome};
use plan::{Plan, write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Failures told one by one.
const TOLD: usize = 10;

/// Sweeps.
pub fn run(args: &SweepArgs) -> ExitCode {
    match guarded(|| swept(args)).unwrap_or_else(Err) {
        Ok(code) => code,
        Err(message) => {
            // An empty message was told where it arose.
            if !message.is_empty() {
                complain(&message);
            }
            Verdict::BadInput.into()
        }
    }
}

fn swept(args: &SweepArgs) -> Result<ExitCode, String> {
    let plan = Plan::new(args)?;
    admissible(&plan)?;
    plan.open(args.overwrite)?;
    let mut out = Output::default();
    if args.plan {
        out.line(&format!("{}: {} members", plan.folder.join("plan.json").display(), plan.members.len()));
        return Ok(ExitCode::SUCCESS);
    }
    if args.overwrite {
        forget(&plan);
    }
    let outcomes = all(&plan, args);
    let written = tell(&plan, &outcomes, args, &mut out);
    let count = |s: Status| outcomes.iter().filter(|o| o.status == s).count();
    written?;
    Ok(if count(Status::Pending) > 0 {
        ExitCode::from(INTERRUPTED)
    } else if count(Status::Failed) + count(Status::Flagged) > 0 {
        Verdict::NotSolved.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// A sweep of which no member can be read is a mistake in what was asked, told before anything is run.
fn admissible(plan: &Plan) -> Result<(), String> {
    let mut first = None;
    for member in &plan.members {
        match plan.scene_of(member) {
            Ok(_) => return Ok(()),
            Err(why) => first = first.or(Some(format!("{}\n{why}", plan.words(member)))),
        }
    }
    Err(format!("no member of the sweep is a scene; the first, {}", first.unwrap_or_default()))
}

/// What an earlier sweep found out about these members.
fn forget(plan: &Plan) {
    for member in &plan.members {
        for end in ["json", "h5"] {
            let _ = std::fs::remove_file(plan.file(member, end));
        }
    }
}

/// Runs the members, as many at once as asked for; each has a thread of its own.
fn all(plan: &Plan, args: &SweepArgs) -> Vec<Outcome> {
    let count = plan.members.len();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.jobs.unwrap_or(cores).clamp(1, count);
    let stop = interruptible();
    let target = if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    let style = ProgressStyle::with_template("[{bar:24}] {pos}/{len} members, {msg}about {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; count]);
    let work = || {
        // Loops over bodies stay on the thread of their member.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= count || stop.load(Ordering::Relaxed) {
                return;
            }
            let one = || outcome(plan, &plan.members[k], args);
            let outcome = match &pool {
                Ok(pool) => pool.install(one),
                Err(_) => one(),
            };
            if outcome.status == Status::Failed {
                let n = failed.fetch_add(1, Ordering::Relaxed) + 1;
                bar.set_message(format!("{n} failed, "));
            }
            found.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[k] = Some(outcome);
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    bar.finish_and_clear();
    let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let none = || Outcome::pending(plan.measures.len());
    found.into_iter().map(|o| o.unwrap_or_else(none)).collect()
}

/// The table, the figure, what failed.
fn tell(plan: &Plan, outcomes: &[Outcome], args: &SweepArgs, out: &mut Output) -> Result<(), String> {
    if !args.quiet {
        table::show(plan, outcomes, out);
    }
    let failures = || plan.members.iter().zip(outcomes).filter(|(_, o)| o.status == Status::Failed);
    for (member, outcome) in failures().take(TOLD) {
        complain(&format!("{}: {}", plan.words(member), outcome.message.trim().trim_start_matches("error: ")));
    }
    if failures().count() > TOLD {
        complain(&format!("{} members failed; table.csv says why", failures().count()));
    }
    let flagged = outcomes.iter().filter(|o| o.status == Status::Flagged).count();
    if flagged > 0 {
        warn(&format!("{flagged} members have steps above the tolerance; table.csv counts them"));
    }
    write(&plan.folder.join("table.csv"), table::csv(plan, outcomes).as_bytes())?;
    write(&plan.folder.join("table.h5"), &table::hdf5(plan, outcomes)?)?;
    let mut files = "table.csv, table.h5".to_owned();
    if let Some(picture) = figure::picture(plan, outcomes, args) {
        let picture = picture.map_err(|e| e.to_string())?;
        write(&plan.folder.join("figure.svg"), picture.to_svg().map_err(|e| e.to_string())?.as_bytes())?;
        write(&plan.folder.join("figure.png"), &picture.to_png(2.0).map_err(|e| e.to_string())?)?;
        files += ", figure.svg, figure.png";
    }
    let left = outcomes.iter().filter(|o| o.status == Status::Pending).count();
    let folder = plan.folder.display();
    if !args.quiet {
        out.line(&format!("{folder}: {} of {} members; {files}", outcomes.len() - left, outcomes.len()));
    }
    if left > 0 {
        warn(&format!("{left} members are left: the same command goes on"));
    }
    Ok(())
}
