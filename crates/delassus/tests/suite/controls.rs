//! What a caller takes over from a scene: forces, imposed motions, motors, laws, states.

use delassus::rigid::{BodyLaw, Meeting, StepLaw};
use delassus::scene::Scene;
use delassus::simulation::{Error, Options, Simulation};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const BLOCK: &str = r#"
dimension = 2
[time]
step = 1e-3
end = 1.0
[material.stone]
density = 2000.0
[body.floor]
shape.box.size = [8.0, 0.2]
position = [0, -0.1]
fixed = true
material = "stone"
[body.block]
shape.box.size = [0.2, 0.1]
mass = 2.0
position = [0, 0.05]
velocity = [2.0, 0]
material = "stone"
[[law]]
between = ["stone", "stone"]
friction = 0.3
"#;

fn start(options: &Options) -> Result<Simulation, Error> {
    Simulation::new(&Scene::parse(BLOCK, "block", &[]).expect("valid"), options)
}

fn steps(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        simulation.step().expect("made");
    }
}

/// Velocity of the block along the floor.
fn speed(simulation: &Simulation) -> f64 {
    simulation.whole_state().u[3]
}

/// Closed form while it slides: a = F/m − μ g; the work of the force is in the ledger.
#[test]
fn applied_forces_accelerate_and_work() {
    let mut run = start(&Options::default()).expect("builds");
    run.controls().applied.forces().extend([0.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    steps(&mut run, 100);
    assert!((speed(&run) - (2.0 + 0.1 * (1.5 - 0.3 * 9.81))).abs() < 1e-9, "{}", speed(&run));
    let (moved, work) = (run.whole_state().q[3], run.totals().energy.external);
    assert!((work - 3.0 * moved).abs() < 1e-6, "{work} J over {moved} m");
}

/// A floor that runs away at 2 m/s: the block does not slip, and keeps its speed.
#[test]
fn steered_bodies_move_as_they_are_told() {
    let mut run = start(&Options { steered: vec!["floor".into()], ..Options::default() }).expect("builds");
    run.controls().bodies["floor"][0].set(0.0, 0.0, 2.0);
    steps(&mut run, 100);
    assert!((speed(&run) - 2.0).abs() < 1e-9);
    assert!((run.whole_state().q[0] - 0.2).abs() < 1e-12);
    for name in ["block", "nobody"] {
        let refused = start(&Options { steered: vec![name.into()], ..Options::default() });
        assert!(matches!(refused, Err(Error::Control { .. })), "{name}");
    }
}

#[derive(Debug, Default)]
struct Constant {
    seen: Mutex<Vec<Meeting>>,
    asked: AtomicUsize,
}

impl BodyLaw for Constant {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn foresee(&self, meetings: &[Meeting]) {
        *self.seen.lock().expect("whole") = meetings.to_vec();
        self.asked.store(0, Ordering::Relaxed);
    }

    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        // Contacts are asked for in the order in which they were foreseen.
        let next = self.asked.fetch_add(1, Ordering::Relaxed);
        assert_eq!(self.seen.lock().expect("whole")[next], *meeting);
        StepLaw::coulomb(0.3, meeting)
    }
}

/// A law of the caller's with the same coefficient gives the same bits.
#[test]
fn laws_of_the_caller_foresee_their_contacts() {
    let law: Arc<dyn BodyLaw> = Arc::new(Constant::default());
    let stone = || String::from("stone");
    let options = Options { laws: vec![([stone(), stone()], law)], ..Options::default() };
    let (mut own, mut given) = (start(&Options::default()).expect("builds"), start(&options).expect("builds"));
    steps(&mut own, 200);
    steps(&mut given, 200);
    assert_eq!(own.state().hash, given.state().hash);
}

/// n + m steps equal n steps, keep, go back, m steps, to the last bit.
#[test]
fn states_are_given_back() {
    let mut run = start(&Options::default()).expect("builds");
    steps(&mut run, 50);
    let (kept, totals) = (run.whole_state().clone(), *run.totals());
    steps(&mut run, 50);
    let (end, energy) = (run.state().hash, run.totals().energy);
    run.set_state(kept.clone(), totals).expect("its own");
    steps(&mut run, 50);
    assert_eq!((run.state().hash, run.totals().energy), (end, energy));
    let mut short = kept;
    short.q.pop();
    assert!(run.set_state(short, totals).is_err());
    assert_eq!(run.state().hash, end);
}
