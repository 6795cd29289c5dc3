//! Rest and sleep. The references: weights; the run that does not sleep, to the bit.

use crate::common::*;
use delassus_contact::{Shape2, Shape3};
use delassus_rigid::{
    BodySpec, ContactView, Interaction, Joint, JointKind, Load, Mass, ModelParts, Report, State, StepSettings, World,
};

/// What a step tells, without clocks and without who sleeps.
fn told(report: &Report) -> Report {
    let mut told = report.clone();
    (told.asleep, told.timings) = (0, Default::default());
    told
}

fn seen<const D: usize>(view: &ContactView<'_, D>) -> String {
    format!("{:?}", view)
}

/// Two worlds, one of which sleeps, step by step; who sleeps at the end of each, and the larger of the two when it changed.
fn compare<const D: usize, const C: usize>(mut sleeps: World<D, C>, mut wakes: World<D, C>, steps: usize) -> Vec<usize>
where
    delassus_contact::Dim<D>: delassus_rigid::Kinematics<D>,
{
    let mut asleep = vec![];
    for i in 0..steps {
        let (a, b) = (sleeps.step().expect("converges"), wakes.step().expect("converges"));
        assert_eq!(told(a), told(b), "step {i}");
        assert_eq!(b.asleep, 0);
        asleep.push(a.asleep);
        assert_eq!(sleeps.state().hash(), wakes.state().hash(), "step {i}");
        assert!(sleeps.contacts().map(|c| seen(&c)).eq(wakes.contacts().map(|c| seen(&c))), "step {i}");
    }
    asleep
}

fn both<const D: usize, const C: usize>(
    make: impl Fn(StepSettings) -> World<D, C>,
    settings: StepSettings,
    steps: usize,
) -> Vec<usize>
where
    delassus_contact::Dim<D>: delassus_rigid::Kinematics<D>,
{
    let awake = StepSettings { sleep: false, ..settings.clone() };
    compare(make(settings), make(awake), steps)
}

/// `n` cubes of 0.1 m and 1 kg one on the other, in so many columns.
fn columns(columns: usize, n: usize) -> ModelParts<3> {
    let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::coulomb(0.5));
    for i in 0..columns * n {
        let at = [0.3 * (i / n) as f64, 0.0, 0.05 + 0.1 * (i % n) as f64];
        let cube = BodySpec::dynamic(format!("{i}"), Mass::cuboid(1.0, [0.1; 3])).at(at.into());
        parts.bodies.push(cube.shape(Shape3::cuboid([0.1; 3]).expect("sides")));
    }
    parts
}

/// Whatever the tolerance, a stack is at rest to the bit from the first step on, its percussions are those of the step before
/// to the bit from the second on, and the floor carries all weights: closed form.
#[test]
fn a_stack_rests_at_any_tolerance() {
    for tolerance in [1e-10, 1e-6, 1e-3, 1e-2] {
        for sleep in [true, false] {
            let mut sim = sim3(columns(1, 10), StepSettings { tolerance, sleep, ..settings(1e-3) });
            let start = sim.state().q.clone();
            let mut last: Option<State> = None;
            for i in 0..20 {
                let report = sim.step().expect("converges").clone();
                assert!(i == 0 || report.iterations == 0, "{tolerance}: {} in step {i}", report.iterations);
                assert_eq!(report.at_rest, 10, "{tolerance}");
                assert!(sim.state().u.iter().all(|u| *u == 0.0), "{tolerance}: step {i}");
                assert_eq!(sim.state().q, start);
                if let Some(last) = last {
                    assert_eq!(last.contacts, sim.state().contacts, "{tolerance}: step {i}");
                }
                last = Some(sim.state().clone());
            }
            assert_eq!(sim.report().asleep, if sleep { 10 } else { 0 });
            for level in 0..10u32 {
                let under = |c: &ContactView<'_, 3>| {
                    c.contact.bodies == [level, level + 1] || c.contact.bodies == [level + 1, level]
                };
                let weight: f64 = sim.contacts().filter(under).map(|c| c.percussion[0]).sum();
                let expected = 1e-3 * G * f64::from(10 - level);
                assert!((weight - expected).abs() < 1e-12, "{weight} for {expected}");
            }
        }
    }
}

/// Three columns sleep; a ball thrown at the first wakes it in the step in which it arrives, and never the others.
#[test]
fn a_ball_wakes_what_it_hits() {
    let make = |settings| {
        let mut parts = columns(3, 4);
        let ball = BodySpec::dynamic("ball", Mass::ball(0.5, 0.04)).at([-0.4, 0.01, 0.35].into());
        parts.bodies.push(ball.moving([3.0, 0.0, 0.0].into()).shape(Shape3::sphere(0.04).expect("a radius")));
        sim3(parts, settings)
    };
    let asleep = both(make, StepSettings { tolerance: 1e-6, ..settings(1e-3) }, 600);
    assert_eq!(asleep[5], 12, "all columns");
    let woken = asleep.iter().skip(5).position(|n| *n < 12).expect("the ball arrives") + 5;
    // 0.31 m at 3 m/s.
    assert!((100..108).contains(&woken) && asleep[woken] == 8, "step {woken}: {}", asleep[woken]);
    assert!(asleep[woken..woken + 20].iter().all(|n| *n == 8), "the others sleep on");
}

/// Boxes on a plate that is lifted after a while: what the plate carries never sleeps, what stands beside it does.
#[test]
fn imposed_motion_keeps_awake() {
    use delassus_rigid::{Motion, Profile};
    let make = |settings| {
        let mut parts = columns(2, 2);
        let lift = Profile::expression("0.1*max(t-0.05,0)").expect("a formula");
        let motion = Motion::along(2, lift);
        let plate = BodySpec::imposed("plate", motion).at([1.0, 0.0, 0.05].into());
        parts.bodies.push(plate.shape(Shape3::cuboid([0.3, 0.3, 0.1]).expect("sides")));
        let cube = BodySpec::dynamic("on it", Mass::cuboid(1.0, [0.1; 3])).at([1.0, 0.0, 0.15].into());
        parts.bodies.push(cube.shape(Shape3::cuboid([0.1; 3]).expect("sides")));
        sim3(parts, settings)
    };
    let asleep = both(make, StepSettings { tolerance: 1e-8, ..settings(1e-3) }, 120);
    assert!(asleep[3..].iter().all(|n| *n == 4), "{asleep:?}");
}

/// Loads that depend on time, and joints, keep awake; constant loads do not.
#[test]
fn what_changes_does_not_sleep() {
    let make = |load: &'static str, joint: bool| {
        move |settings| {
            let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.5));
            for i in 0..2 {
                let square = BodySpec::homogeneous(format!("{i}"), 100.0).at([f64::from(i), 0.1].into());
                parts.bodies.push(square.shape(Shape2::rectangle(0.2, 0.2).expect("sides")));
            }
            parts.loads.push(Load::parse(1, [load, "0"], &[]).expect("an expression"));
            if joint {
                parts.joints.push(Joint::new(JointKind::Slider, [Some(1), None], [0.0, 0.1].into()));
            }
            sim2(parts, settings)
        }
    };
    let last = |load, joint| {
        *both(make(load, joint), StepSettings { tolerance: 1e-8, ..settings(1e-3) }, 30).last().expect("steps")
    };
    assert_eq!([last("2", false), last("2 + 0*t", false), last("2", true)], [2, 1, 1]);
}

/// Restarts in the middle of sleep, and a second state set from outside: reference, the run without.
#[test]
fn restarts_find_the_same_bits() {
    let start = || {
        let mut parts = columns(2, 3);
        let ball = BodySpec::dynamic("ball", Mass::ball(0.5, 0.04)).at([-0.2, 0.01, 0.25].into());
        parts.bodies.push(ball.moving([2.0, 0.0, 0.0].into()).shape(Shape3::sphere(0.04).expect("a radius")));
        sim3(parts, StepSettings { tolerance: 1e-5, ..settings(1e-3) })
    };
    let (mut whole, mut cut) = (start(), start());
    for i in 0..250 {
        whole.step().expect("converges");
        cut.step().expect("converges");
        assert_eq!(told(whole.report()), told(cut.report()), "step {i}");
        assert_eq!(whole.state().hash(), cut.state().hash(), "step {i}");
        if i % 7 == 3 {
            let state = cut.state().clone();
            cut = start();
            cut.set_state(state).expect("belongs to the model");
        }
    }
}

/// Discs in flight, one contact each at most, beside a stack: islands do not see each other. Reference: each alone, to the bit.
#[test]
fn islands_are_solved_as_if_alone() {
    let law = || Interaction::coulomb(0.4).with_restitution(0.3, 0.0);
    let shapes = |parts: &mut ModelParts<2>, which: [bool; 2]| {
        if which[0] {
            for i in 0..4 {
                let square =
                    BodySpec::homogeneous(format!("s{i}"), 100.0)
                        .at([0.01 * f64::from(i), 0.1 + 0.2 * f64::from(i)].into());
                parts.bodies.push(square.shape(Shape2::rectangle(0.2, 0.2).expect("sides")));
            }
        }
        if which[1] {
            for i in 0..3 {
                let disc = BodySpec::homogeneous(format!("d{i}"), 100.0).at([
                    2.0 + 0.15 * f64::from(i),
                    0.06 + 0.11 * f64::from(i),
                ]
                .into());
                parts.bodies.push(disc.shape(Shape2::disc(0.05).expect("a radius")).moving([0.3, 0.0].into()));
            }
        }
    };
    let run = |which| {
        let mut parts = floor2([0.0, -G].into(), law());
        shapes(&mut parts, which);
        let mut sim = sim2(parts, StepSettings { tolerance: 1e-5, ..settings(1e-3) });
        (0..300).for_each(|_| drop(sim.step().expect("converges").clone()));
        sim.state().q[3..].to_vec()
    };
    let (stack, discs) = (run([true, false]), run([false, true]));
    assert_eq!(run([true, true]), [stack, discs].concat());
}
