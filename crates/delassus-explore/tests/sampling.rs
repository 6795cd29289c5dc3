//! Sampled solutions against the exact sets.

mod common;

use common::{discs, number, references};
use delassus_explore::{Bounds, BoundsSettings, Equilibrium, Procedure, Reaction, SamplingSettings, distance, sample};

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
        let settings = SamplingSettings { samples: 500, procedure, seed: 3, ..Default::default() };
        let begin = std::time::Instant::now();
        let samples = sample(&problem, None, &settings, &|_| {}).expect("solved");
        println!(
            "{procedure:?}: {} accepted, {} rejected, {} at rest, {:.0} sweeps each, {:.2} ms each",
            samples.len(),
            samples.rejected,
            samples.at_rest(),
            samples.sweeps as f64 / 500.0,
            begin.elapsed().as_secs_f64() * 2.0
        );
        assert_eq!((samples.len(), samples.at_rest()), (500, 500));
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
