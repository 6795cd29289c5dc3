//! The step on a part that is simple enough for closed forms: masses on a line above a floor
//!
//! ```text
//!     m ẍ = −m g − k x + S,     0 ≤ x ⟂ S ≥ 0
//! ```
//!
//! A unilateral link stands for the floor; masses of one part may rest on each other.
#![allow(clippy::unwrap_used)]

use delassus_contact::Contact;
use delassus_contact::skin::Stencil;
use delassus_dynamics::{
    Account, Bodies, ContactMethod, Error, Event, Ledger, Link, LinkKind, Momenta, Operator, Policy, Rows, Sizes,
    State, StepSettings, Subsystem, Surfaces, World, WorldParts,
};
use delassus_friction::Law;
use delassus_friction::SolverKind;
use delassus_friction::algebra::Vector;

const G: f64 = 10.0;

/// Masses on a line, each above the next, the first above the floor.
struct Stack {
    mass: Vec<f64>,
    inverse: Vec<f64>,
    first: Sizes,
    free: Vec<f64>,
    u_i: Vec<f64>,
    x_m: Vec<f64>,
    /// Says no to this many linearisations.
    refusals: usize,
}

impl Stack {
    fn new(mass: Vec<f64>) -> Self {
        let n = mass.len();
        let inverse = mass.iter().map(|m| 1.0 / m).collect();
        Self {
            mass,
            inverse,
            first: Sizes::default(),
            free: vec![0.0; n],
            u_i: vec![0.0; n],
            x_m: vec![0.0; n],
            refusals: 0,
        }
    }
}

impl Subsystem<2, 2> for Stack {
    fn sizes(&self) -> Sizes {
        let n = self.mass.len();
        Sizes { coordinates: n, dofs: n, links: n, bodies: n }
    }

    fn place(&mut self, first: Sizes) {
        self.first = first;
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error> {
        let n = self.mass.len();
        self.u_i.copy_from_slice(&state.u[self.first.dofs..][..n]);
        for i in 0..n {
            self.x_m[i] = state.q[self.first.coordinates + i] + 0.5 * h * self.u_i[i];
        }
        Ok(())
    }

    fn surfaces(&self) -> Surfaces<'_, 2> {
        Surfaces::default()
    }

    fn side_rows(&self, _: &Contact<2>, _: usize, _: Option<&Stencil>, _: &mut Rows<2>) {}

    fn links(&self, _: f64, rows: &mut Rows<2>, links: &mut Vec<Link<2>>) {
        for i in 0..self.mass.len() {
            let gap = self.x_m[i] - if i > 0 { self.x_m[i - 1] } else { 0.0 };
            if gap > 0.0 {
                continue;
            }
            rows.begin([Vector::zeros(); 2]);
            let at = |i: usize| ((self.first.bodies + i) as u32, (self.first.dofs + i) as u32);
            let (group, dof) = at(i);
            rows.push(group, dof, Vector::<2>::new(1.0, 0.0));
            if i > 0 {
                let (group, dof) = at(i - 1);
                rows.push(group, dof, Vector::<2>::new(-1.0, 0.0));
            }
            links.push(Link {
                kind: LinkKind::Limit,
                slot: (self.first.links + i) as u32,
                law: Law::Frictionless,
                shift: Vector::zeros(),
                compliance: Vector::<2>::new(0.0, 1.0),
                damping: 0.0,
                gap: Vector::<2>::new(gap, 0.0),
            });
        }
    }

    fn linearise(&mut self, _: &State, h: f64, _: &[f64], _: bool) -> Result<(), Error> {
        if self.refusals > 0 {
            self.refusals -= 1;
            return Err(Error::NotBalanced { part: "stack".into(), residual: 1.0, tolerance: 1e-9, iterations: 1 });
        }
        self.free.iter_mut().zip(&self.u_i).for_each(|(f, u)| *f = u - h * G);
        Ok(())
    }

    fn u_free(&self) -> &[f64] {
        &self.free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.inverse).for_each(|(x, m)| *x *= m);
    }

    fn operator(&self) -> Operator<'_> {
        Operator::Bodies { inverse: &self.inverse, width: 1 }
    }

    fn account(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), Error> {
        for (i, m) in self.mass.iter().enumerate() {
            ledger.numerical -= step.h * m * G * 0.5 * (self.u_i[i] + step.u[i]);
        }
        Ok(())
    }

    fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), Error> {
        for i in 0..u.len() {
            state.q[self.first.coordinates + i] = self.x_m[i] + 0.5 * h * u[i];
            state.u[self.first.dofs + i] = u[i];
        }
        Ok(())
    }

    fn energies(&self, state: &State, ledger: &mut Ledger) {
        for (i, m) in self.mass.iter().enumerate() {
            ledger.kinetic += 0.5 * m * state.u[self.first.dofs + i].powi(2);
            ledger.potential += m * G * state.q[self.first.coordinates + i];
        }
    }

    fn momenta(&self, state: &State, momenta: &mut Momenta) {
        for (i, m) in self.mass.iter().enumerate() {
            momenta.linear[1] += m * state.u[self.first.dofs + i];
        }
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        delta.iter().enumerate().for_each(|(i, d)| state.q[self.first.coordinates + i] += d);
    }
}

fn world(parts: Vec<Stack>, x: Vec<f64>, settings: StepSettings) -> World<2, 2> {
    let state = State::at_rest(x.clone(), x.len());
    let parts: Vec<Box<dyn Subsystem<2, 2>>> = parts.into_iter().map(|p| Box::new(p) as _).collect();
    let parts = WorldParts { parts, bodies: Bodies::default(), weak: vec![], method: ContactMethod::default() };
    World::new(parts, state, settings).unwrap()
}

/// A mass falls from 1 m: closed form until it lands, then at rest exactly, and the shock takes m v²/2.
#[test]
fn a_mass_falls_and_stays() {
    let mut world = world(vec![Stack::new(vec![2.0])], vec![1.0], StepSettings::with_step(1e-3));
    let mut taken = Ledger::default();
    let landing = (2.0f64 / G).sqrt();
    for _ in 0..600 {
        let report = world.step().unwrap();
        taken.follow(&report.energy);
        assert!(report.energy.closing.abs() < 1e-12 && report.residual < 1e-8);
        let t = world.state().time;
        if t < landing - 2e-3 {
            // The trapezoidal positions of a constant acceleration are exact.
            assert!((world.state().q[0] - (1.0 - 0.5 * G * t * t)).abs() < 1e-9);
        }
    }
    assert_eq!(world.state().u[0], 0.0);
    // v = √(2 g h) within a step: m g h = 20 J, the error of the shock is m v g h_step.
    assert!((taken.shock + 20.0).abs() < 2.0 * 4.5 * G * 1e-3, "{taken:?}");
    assert!(taken.restitution == 0.0 && taken.friction == 0.0 && taken.plastic == 0.0);
}

/// `numerical` of a constant force vanishes: gravity is integrated exactly.
#[test]
fn works_of_gravity_are_exact() {
    let mut world = world(vec![Stack::new(vec![1.0, 3.0])], vec![5.0, 6.0], StepSettings::with_step(1e-2));
    for _ in 0..50 {
        assert!(world.step().unwrap().energy.numerical.abs() < 1e-12);
    }
}

/// Two masses in one part and in two parts: the same bits, since they do not touch.
#[test]
fn parts_stand_side_by_side() {
    let settings = || StepSettings::with_step(2e-3);
    let mut one = world(vec![Stack::new(vec![1.0]), Stack::new(vec![4.0])], vec![0.3, 0.7], settings());
    let mut alone = [(1.0, 0.3), (4.0, 0.7)].map(|(m, x)| world(vec![Stack::new(vec![m])], vec![x], settings()));
    for _ in 0..300 {
        one.step().unwrap();
        for (i, world) in alone.iter_mut().enumerate() {
            world.step().unwrap();
            assert_eq!(world.state().q[0].to_bits(), one.state().q[i].to_bits());
            assert_eq!(world.state().u[0].to_bits(), one.state().u[i].to_bits());
        }
    }
}

/// A pile of three rests: percussions are the weights above, h Σ m g.
#[test]
fn a_pile_carries_its_weight() {
    let h = 1e-3;
    let mut world = world(vec![Stack::new(vec![1.0, 2.0, 3.0])], vec![0.0; 3], StepSettings::with_step(h));
    for _ in 0..10 {
        world.step().unwrap();
    }
    assert!(world.state().u.iter().all(|u| *u == 0.0));
    for (i, weight) in [6.0, 5.0, 3.0].into_iter().enumerate() {
        assert!((world.state().links[i][0] - h * weight * G).abs() < 1e-12, "{:?}", world.state().links);
    }
}

/// A restart has the bits of the run that was not interrupted.
#[test]
fn a_restart_changes_nothing() {
    let start = || world(vec![Stack::new(vec![1.0, 2.0])], vec![0.1, 0.25], StepSettings::with_step(3e-3));
    let (mut whole, mut first) = (start(), start());
    for _ in 0..60 {
        whole.step().unwrap();
        first.step().unwrap();
    }
    let mut second = start();
    second.set_state(first.state().clone()).unwrap();
    for _ in 0..60 {
        whole.step().unwrap();
        second.step().unwrap();
    }
    assert_eq!(whole.state().hash(), second.state().hash());
}

/// A part that cannot make the step makes it in parts; when it never can, the state is as before and the
/// error says why.
#[test]
fn a_part_that_refuses_is_asked_again_in_parts() {
    let policy = Policy::Retry { divide: 2, times: 2 };
    let settings = StepSettings { on_failure: policy, ..StepSettings::with_step(1e-3) };
    let mut stack = Stack::new(vec![1.0]);
    stack.refusals = 1;
    let mut once = world(vec![stack], vec![1.0], settings.clone());
    let report = once.step().unwrap();
    assert_eq!(report.events, [Event::Retried { parts: 2 }]);
    assert_eq!((report.h, once.state().step), (1e-3, 1));
    let mut stack = Stack::new(vec![1.0]);
    stack.refusals = 100;
    let mut never = world(vec![stack], vec![1.0], settings);
    let before = never.state().clone();
    let error = never.step().unwrap_err();
    assert!(matches!(error, Error::Step { parts: 4, .. }), "{error}");
    assert!(error.to_string().contains("balance of stack"), "{error}");
    assert_eq!(never.state(), &before);
}

/// A step above the tolerance is accepted and flagged, never silent, and leaves its problem as a file.
#[test]
fn a_step_above_the_tolerance_is_flagged_and_kept() {
    let folder = std::env::temp_dir().join(format!("delassus-world-{}", std::process::id()));
    let settings = StepSettings {
        solver: SolverKind::Nlgs,
        max_iterations: Some(1),
        tolerance: 1e-14,
        on_failure: Policy::Accept,
        failures: Some(folder.clone()),
        ..StepSettings::with_step(1e-3)
    };
    // One sweep does not carry a weight through five masses.
    let masses = vec![1.0, 10.0, 1.0, 10.0, 1.0];
    let mut world = world(vec![Stack::new(masses)], vec![0.0; 5], settings);
    let report = world.step().unwrap();
    let Some(Event::NotConverged(failure)) = report.events.last() else { panic!("{report:?}") };
    assert!(failure.residual > 1e-14 && !failure.worst.is_empty());
    let file = failure.file.clone().unwrap();
    assert!(file.exists(), "{}", file.display());
    std::fs::remove_dir_all(folder).unwrap();
}

/// States and settings that make no sense are refused by name.
#[test]
fn refusals_name_what_is_wrong() {
    let mut world = world(vec![Stack::new(vec![1.0])], vec![1.0], StepSettings::default());
    let wrong = |state: State, w: &mut World<2, 2>| w.set_state(state).unwrap_err().to_string();
    assert!(wrong(State::at_rest(vec![1.0, 2.0], 1), &mut world).contains("coordinates"));
    assert!(wrong(State::at_rest(vec![f64::NAN], 1), &mut world).contains("not finite"));
}
