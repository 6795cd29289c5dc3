//! Sampled solutions against the exact sets.

use crate::common::{discs, number, references};
use delassus_explore::{
    Bounds, BoundsSettings, Equilibrium, Procedure, Reaction, SamplingSettings, Spread, Status, coverage, distance,
    sample,
};

fn twenty_eight() -> (delassus_friction::Problem<2>, Vec<Reaction<2>>) {
    let references = references();
    let system = discs(&references["drop_roll_28"], number(&references["drop_roll_28"]["mu"]));
    match system.statics().bounds(&BoundsSettings::default(), &|_| {}).expect("answered") {
        Bounds::Reactions(list) => (system.problem(), list),
        Bounds::Empty => panic!("empty"),
    }
}

/// S5: every sample of both procedures lies in the exact polygons.
#[test]
fn samples_lie_in_the_polygons() {
    let (problem, exact) = twenty_eight();
    for procedure in [Procedure::Random, Procedure::Shuffle] {
        let settings = SamplingSettings { samples: 300, procedure, seed: 3, ..Default::default() };
        let begin = std::time::Instant::now();
        let samples = sample(&problem, None, &settings, &|_| {}).expect("solved");
        println!(
            "{procedure:?}: {} accepted, {} rejected, {} at rest, {:.0} sweeps each, {:.2} ms each",
            samples.len(),
            samples.rejected,
            samples.at_rest(),
            samples.sweeps as f64 / 300.0,
            begin.elapsed().as_secs_f64() / 0.3
        );
        assert_eq!((samples.len(), samples.at_rest()), (300, 300));
        assert!(samples.residuals.iter().all(|r| *r <= settings.tolerance));
        for reaction in &exact {
            let size = reaction.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
            for s in samples.cloud(reaction.contact) {
                let out = distance(&s, &reaction.vertices);
                assert!(out <= 1e-5 * size, "{procedure:?}, contact {}: {out} of {size}", reaction.contact);
            }
        }
    }
}

/// The sampled hulls grow towards the exact polygons and never beyond.
#[test]
fn coverage_grows_with_the_samples() {
    let references = references();
    let system = discs(&references["stacks"]["pyramid6_mu0.5"], 0.5);
    let Bounds::Reactions(exact) = system.statics().bounds(&BoundsSettings::default(), &|_| {}).expect("answered")
    else {
        panic!("empty")
    };
    let settings = SamplingSettings { samples: 3000, seed: 1, ..Default::default() };
    let samples = sample(&system.problem(), None, &settings, &|_| {}).expect("solved");
    let table = coverage(&samples, &exact);
    println!("{} of {} at rest: {table:?}", samples.at_rest(), samples.len());
    assert!(table.windows(2).all(|w| w[0].mean <= w[1].mean && w[0].least <= w[1].least), "{table:?}");
    let last = table.last().expect("samples");
    assert!(last.samples == samples.at_rest() && last.mean > 0.8 && last.mean <= 1.0 + 1e-4, "{last:?}");
}

/// The same seed gives the same bits with one thread and with three; another seed does not.
#[test]
fn samples_do_not_depend_on_threads() {
    let (problem, _) = twenty_eight();
    for procedure in [Procedure::Random, Procedure::Shuffle] {
        let settings = SamplingSettings { samples: 20, procedure, seed: 5, ..Default::default() };
        let with = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let settings = SamplingSettings { seed, ..settings.clone() };
            pool.install(|| sample(&problem, None, &settings, &|_| {})).expect("solved")
        };
        assert_eq!(with(1, 5), with(3, 5));
        assert_ne!(with(1, 5), with(1, 6));
    }
}

/// Bounds have the same bits with one thread and with three.
#[test]
fn bounds_do_not_depend_on_threads() {
    let references = references();
    let statics = discs(&references["drop_roll_28"], 0.3).statics();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| statics.bounds(&BoundsSettings::default(), &|_| {})).expect("answered")
    };
    assert_eq!(with(1), with(3));
}

/// A sample that does not reach the tolerance is counted, not kept.
#[test]
fn samples_without_a_certificate_are_rejected() {
    let (problem, _) = twenty_eight();
    let settings = SamplingSettings { samples: 10, max_sweeps: 1, tolerance: 1e-13, ..Default::default() };
    let samples = sample(&problem, None, &settings, &|_| {}).expect("answered");
    assert_eq!(samples.len() + samples.rejected, 10);
    assert!(samples.rejected > 0 && samples.residuals.iter().all(|r| *r <= 1e-13));
}

/// Moreau 2003, §5, in small: blocks side by side, one pushed until it slides. The forces of the
/// sliding one are determined, those of the sticking one are not, and those of a warm start
/// stay where they were.
#[test]
fn sliding_contacts_are_determined() {
    let references = references();
    let mut system = discs(&references["stacks"]["box_2_1_mu0.3"], 0.3);
    // Beside the stack: a block on two feet, pushed with twice what friction holds.
    let body = system.mass.len();
    system.mass.push([1.0, 1.0]);
    system.load.push([0.6, -1.0, 0.0]);
    let centre = delassus_friction::algebra::Vector::<2>::new(10.0, 0.0);
    for foot in [-1.0, 1.0] {
        let point = centre + delassus_friction::algebra::Vector::<2>::new(foot, 0.0);
        system.touch([Some((body, centre)), None], point, delassus_friction::algebra::Vector::<2>::new(0.0, 1.0), 0.3);
    }
    let problem = system.problem();
    let spread = |procedure, start: Option<&[_]>| {
        let settings = SamplingSettings { samples: 200, procedure, seed: 2, ..Default::default() };
        let samples = sample(&problem, start, &settings, &|_| {}).expect("solved");
        (Spread::new(&problem, &samples, settings.tolerance), samples.get(0).to_vec())
    };
    let (free, one) = spread(Procedure::Random, None);
    let (stick, slip) = (free.of(Status::Stick), free.of(Status::Slip));
    assert_eq!(slip.0, 2, "{:?}", free.status);
    assert!(stick.2 > 0.1 && slip.2 < 1e-6, "{stick:?} {slip:?}");
    let (warm, _) = spread(Procedure::Warm, Some(&one));
    assert!(warm.of(Status::Stick).2 < 1e-6, "{:?}", warm.of(Status::Stick));
    assert!(free.motion < 1e-6);
}
