//! Observed flows against closed forms, and the flow down a slope against the momentum theorem.

use delassus::record::{Header, Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};
use std::path::PathBuf;

const HEAD: &str = "dimension = 2\nmaterial.m.density = 3\nperiodic.x = 1\n";

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse(text, "flow.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Steps to the end; what the frame has of the flow `f` is then read by name.
fn end(text: &str) -> impl Fn(&str) -> Vec<f64> {
    let mut simulation = simulation(text);
    while !simulation.is_over() {
        simulation.step().expect("the step is made");
    }
    read(&mut simulation)
}

fn read(simulation: &mut Simulation) -> impl Fn(&str) -> Vec<f64> + use<> {
    let mut frame = simulation.header().frame();
    simulation.fill(&mut frame).expect("filled");
    let header: Header = simulation.header().clone();
    move |name| {
        let i = header.position(&format!("flow/f/{name}")).unwrap_or_else(|| panic!("no field {name}"));
        frame.columns[i].to_f64()
    }
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance, "{found:?} instead of {expected:?}");
    }
}

/// Discs in free fall, all with the same velocity along x: that velocity in every slice that
/// holds matter, all the area in the slices, no force, the acceleration of gravity. Closed form.
#[test]
fn grains_that_move_together_have_one_velocity() {
    let text = format!(
        "{HEAD}gravity = [0, -2]\ntime = {{ step = 1e-3, end = 0.01, record = 0.01 }}\nlaw.friction = 0.3\n\
         [[generate]]\nkind = 'grid'\nshape.disc.radius = 0.04\ncount = [5, 4]\nspacing = [0.2, 0.1]\n\
         position = [0.1, 0.5]\nvelocity = [0.7, 0]\n\
         [body.floor]\nshape.half_plane = {{}}\n[observe.f]\nkind = 'flow'\ntop = 1.2\n"
    );
    let found = end(&text);
    let (velocity, fraction) = (found("velocity"), found("fraction"));
    assert_eq!(velocity.len(), 12);
    for (v, phi) in velocity.iter().zip(&fraction) {
        near(&[*v], &[if *phi > 0.0 { 0.7 } else { 0.0 }], 1e-14);
    }
    let area = 20.0 * std::f64::consts::PI * 0.04f64.powi(2);
    near(&[fraction.iter().sum::<f64>() * 0.1], &[area], 1e-14);
    near(&found("acceleration"), &[0.0, -2.0], 1e-11);
    near(&found("force"), &[0.0, 0.0], 0.0);
    near(&[found("coordination")[0], found("stress_ratio")[0], found("force_mean")[0]], &[0.0; 3], 0.0);
    assert_eq!(found("steps"), [10.0]);
    // Falling by g t² / 2 from a mean height of 0.65, seen after each step of Moreau's scheme.
    let fallen: f64 = (1..=10).map(|k| f64::from(k * k) * 1e-6).sum::<f64>() / 10.0;
    near(&found("thickness"), &[2.0 * (0.65 - fallen)], 1e-12);
    near(&found("solid_fraction"), &[area / (2.0 * (0.65 - fallen))], 1e-12);
}

/// One disc inside a slice gives it its velocity; one whose centre is on the edge of two gives
/// each a half: v = (2·1 + 1·½)/(1 + ½) in the middle slice. Closed form, at the start.
#[test]
fn a_grain_counts_where_its_area_is() {
    let disc = |name: &str, y: f64, v: f64| {
        format!("[body.{name}]\nshape.disc.radius = 0.05\nposition = [0.5, {y}]\nvelocity = [{v}, 0]\n")
    };
    let text = format!(
        "{HEAD}time = {{ step = 1e-3, end = 0.01 }}\nlaw.friction = 0.3\n[observe.f]\nkind = 'flow'\n\
         slices = 3\nbottom = 0.1\ntop = 0.7\n{}{}",
        disc("a", 0.36, 2.0),
        disc("b", 0.5, 1.0)
    );
    let found = read(&mut simulation(&text));
    near(&found("height"), &[0.2, 0.4, 0.6], 1e-15);
    near(&found("velocity"), &[0.0, 2.5 / 1.5, 1.0], 1e-14);
    let area = std::f64::consts::PI * 0.05f64.powi(2);
    near(&found("fraction"), &[0.0, 1.5 * area / 0.2, 0.5 * area / 0.2], 1e-14);
    assert_eq!(found("steps"), [0.0]);
}

/// A column of three discs at rest: the contacts carry 3w, 2w, w, so f/⟨f⟩ = 1.5, 1, 0.5; the
/// floor carries the weight; the discs have 2, 2 and 1 neighbours. Closed form.
#[test]
fn a_column_at_rest_carries_its_weight() {
    let text = format!(
        "{HEAD}gravity = [0, -10]\ntime = {{ step = 1e-3, end = 0.05, record = 0.05 }}\nlaw.friction = 0.3\n\
         [[generate]]\nkind = 'grid'\nshape.disc.radius = 0.1\ncount = [1, 3]\nspacing = [0.2, 0.2]\nposition = [0.5, 0.1]\n\
         [body.floor]\nshape.half_plane = {{}}\n\
         [observe.f]\nkind = 'flow'\nfloor = 'floor'\ntop = 0.6\nslices = 3\nclasses = 4\n"
    );
    let found = end(&text);
    let area = std::f64::consts::PI * 0.01;
    let weight = 3.0 * area * 10.0;
    near(&found("force"), &[0.0, 3.0 * weight], 1e-7 * weight);
    near(&found("force_mean"), &[2.0 * weight], 1e-7 * weight);
    near(&found("coordination"), &[5.0 / 3.0], 1e-15);
    near(&found("force_distribution"), &[2.0 / 3.0 / 1.25, 1.0 / 3.0 / 1.25, 0.0, 0.0], 1e-12);
    near(&found("fraction"), &[area / 0.2; 3], 1e-9);
    near(&found("solid_fraction"), &[area / 0.2], 1e-9);
    near(&found("velocity"), &[0.0; 3], 1e-9);
}

/// Boxes on a slope: below the angle of friction T/N = tan θ, beyond it T/N = μ and
/// a = g (sin θ − μ cos θ), so that tan θ − a/(g cos θ) = μ too. Closed forms.
#[test]
fn the_stress_ratio_is_that_of_coulomb() {
    for (theta, mu, ratio) in [(0.2f64, 0.5, 0.2f64.tan()), (0.5, 0.3, 0.3)] {
        let text = format!(
            "{HEAD}gravity = [{}, {}]\ntime = {{ step = 1e-3, end = 0.1, record = 0.1 }}\nlaw.friction = {mu}\n\
             [[generate]]\nkind = 'grid'\nshape.box.size = [0.2, 0.1]\ncount = [3, 1]\nspacing = [0.3, 1]\n\
             position = [0.2, 0.05]\n[body.floor]\nshape.half_plane = {{}}\n\
             [observe.f]\nkind = 'flow'\ntop = 0.1\n",
            9.81 * theta.sin(),
            -9.81 * theta.cos()
        );
        let found = end(&text);
        // The tolerance of the scene is 1e-8, relative.
        near(&found("stress_ratio"), &[ratio], 1e-7);
        near(&found("balance_ratio"), &[ratio], 1e-7);
        near(&[found("force")[1]], &[3.0 * 3.0 * 0.02 * 9.81 * theta.cos()], 1e-7);
    }
}

/// The same bits after a restart in the middle of an interval.
#[test]
fn an_interrupted_interval_goes_on() {
    let text = example("slope").expect("in the gallery").text;
    let set = ["N=40", "time.record=0.01"].map(str::to_owned);
    let scene = Scene::parse(text, "slope", &set).unwrap_or_else(|e| panic!("{e}"));
    let start = || Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut whole = start();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("flow_restart.h5");
    let options = RecordOptions { overwrite: true, ..Default::default() };
    let mut recorder = Recorder::create(&path, whole.header(), &options).expect("a run file");
    let mut frame = whole.header().frame();
    for step in 1..=220u64 {
        whole.step().expect("the step is made");
        if step == 200 || step == 207 || step == 220 {
            whole.fill(&mut frame).expect("a frame");
            recorder.write(&frame).expect("recorded");
        }
    }
    recorder.finish().expect("closed");
    let run = Run::open(&path).expect("a run");
    for from in [0, 1] {
        let mut again = start();
        again.restore(&run, from).unwrap_or_else(|e| panic!("{e}"));
        while again.state().step < 220 {
            again.step().expect("the step is made");
        }
        let mut other = again.header().frame();
        again.fill(&mut other).expect("a frame");
        assert_eq!(other.hash(again.header()).expect("a frame"), frame.hash(whole.header()).expect("a frame"));
    }
}

/// Polygons down a slope of 26.5°: ΣT/ΣN = tan θ − ⟨a⟩/(g cos θ) to 2 %, ΣN = M g cos θ to 1 %, a
/// velocity that grows with height in each of 12 slices, and less in the upper half than in the
/// lower. Reference G1, with half the period and half the time.
#[test]
fn the_flow_down_a_slope_balances() {
    let text = example("slope").expect("in the gallery").text;
    let set = ["N=250", "L=0.25", "time.record=2"].map(str::to_owned);
    let scene = Scene::parse(text, "slope", &set).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    while simulation.state().time < 4.0 - 1e-9 {
        simulation.step().expect("the step is made");
    }
    assert_eq!(simulation.totals().flagged, 0);
    let mut frame = simulation.header().frame();
    simulation.fill(&mut frame).expect("filled");
    let found = |name: &str| {
        let i = simulation.header().position(&format!("flow/slope/{name}")).expect("a field of the flow");
        frame.columns[i].to_f64()
    };
    assert_eq!(found("steps"), [4000.0]);
    let [ratio, balance] = ["stress_ratio", "balance_ratio"].map(|n| found(n)[0]);
    assert!((ratio - balance).abs() < 0.02 * balance, "{ratio} instead of {balance}");
    // ΣN from the mass in the layer: density 2000, volume fraction times cell.
    let mass = 2000.0 * found("solid_fraction")[0] * found("thickness")[0] * 0.25;
    let weight = mass * 9.81 * 26.5f64.to_radians().cos();
    assert!((found("force")[1] - weight).abs() < 0.01 * weight, "{} instead of {weight}", found("force")[1]);
    let v = found("velocity");
    assert_eq!(v.len(), 12);
    assert!(v.windows(2).all(|w| w[0] < w[1]), "{v:?}");
    assert!(v[5] - v[0] > v[11] - v[6], "{v:?}");
    // A dense flow: between the loose 0.6 and the 0.85 of polygons at rest.
    assert!((0.6..0.85).contains(&found("solid_fraction")[0]), "{}", found("solid_fraction")[0]);
    let p = found("force_distribution");
    let (mass, mean) =
        p.iter().enumerate().fold((0.0, 0.0), |(m, f), (i, p)| (m + 0.2 * p, f + 0.2 * p * (0.1 + 0.2 * i as f64)));
    // What is beyond five means is left out, so that both are below one.
    assert!(mass > 0.9 && mass <= 1.0 && mean < 1.0, "{mass} {mean}");
}
