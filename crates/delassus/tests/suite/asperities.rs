//! The multi-level interface, method (16), from scenes: between solids and between bodies, against closed forms,
//! quadratures and finely integrated motions. References M1 and M2, and others of the same kinds.

use crate::common::run::{field, finish, read, refused, start};
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::simulation::{Options, Simulation};

/// A block of height 0.1 m above a floor by the size of its asperities, its top pushed down to 2.25 times that.
const CRUSH: &str = r#"
dimension = 2
gravity = [0, 0]
[time]
step = 0.05
end = 1
[analysis]
scheme = "quasi_static"
[mesh.block]
kind = "block"
size = [0.05, 0.1]
cells = [2, 3]
[material.steel]
young = 2e11
density = 7800
[solid.block]
position = [0, 5e-4]
[support.top]
on = "block/top"
x = 0
y = "-1.125e-3*t"
[contact.foot]
slave = "block/bottom"
obstacle.half_space = {}
asperities = { size = 5e-4, stiffness = 1e15, exponent = 2 }
[observe.foot]
on = "block/bottom"
"#;

/// Crush of asperities in series with a bar of stiffness `s` by area, pushed by `u`.
fn crushed(u: f64, s: f64, (k, m, a): (f64, f64, f64)) -> f64 {
    let (mut low, mut high) = (0.0, a.min(u));
    if s * (u - high) >= k * high.powf(m) {
        return high;
    }
    for _ in 0..200 {
        let x = 0.5 * (low + high);
        if k * x.powf(m) < s * (u - x) {
            low = x;
        } else {
            high = x;
        }
    }
    low
}

/// E(u − x)/H = κ x^m while x < a, then x = a and λ = E(u − a)/H − κ a^m; by both paths, with multipliers of each
/// kind, in the plane, about an axis and in space, and a stiff κ.   reference M1, closed form
#[test]
fn a_block_crushes_its_asperities_as_the_closed_form_says() {
    let space = [
        "dimension=3",
        "gravity=[0,0,0]",
        "mesh.block.size=[0.05,0.05,0.1]",
        "mesh.block.cells=[1,1,2]",
        "solid.block.position=[0,0,5e-4]",
        "support.top={on='block/top',x=0,y=0,z='-1.125e-3*t'}",
    ];
    let around = ["solid.block.hypothesis=axisymmetric"];
    let settings: [(&[&str], usize); 6] = [
        (&[], 1),
        (&["analysis.path=condensed"], 1),
        (&["contact.foot.multipliers=p0"], 1),
        (&["contact.foot.collocation=nodes", "contact.foot.friction=0.3"], 1),
        (&around, 1),
        (&space, 2),
    ];
    let a = 5e-4;
    for (k, m) in [(1e15, 2.0), (1e12, 1.0), (5e13, 2.0), (1e19, 3.3), (1e8, 1.0)] {
        let law = format!("contact.foot.asperities={{size={a},stiffness={k:e},exponent={m:?}}}");
        for (changes, up) in settings {
            let mut all = vec![law.as_str()];
            all.extend(changes);
            let mut run = start(CRUSH, &all);
            while !run.is_over() {
                run.step().unwrap_or_else(|e| panic!("{all:?}: {e}"));
                let u = 1.125e-3 * run.time();
                let x = crushed(u, 2e12, (k, m, a));
                let moved = -field(&mut run, "probes/foot/displacement")[up];
                assert!((moved - x).abs() <= 1e-9 * a, "{all:?}: {moved} m, not {x} m of {u} m");
                let (r, p) = (2e12 * (u - x), k * x.powf(m));
                let scale = 1e-9 * 2e12 * u;
                for (name, expected) in [("pressure", r), ("asperity_pressure", p), ("substrate_pressure", r - p)] {
                    for found in field(&mut run, &format!("contacts/{name}")) {
                        assert!(
                            (found - expected).abs() <= scale.max(1e-9 * p),
                            "{all:?} {name}: {found}, not {expected}"
                        );
                    }
                }
                // What presses is stored: E u²/2 of the bar, κ x^(m+1)/(m+1) of the layer.
                let area = field(&mut run, "contacts/area").iter().sum::<f64>();
                let stored = area * (0.5 * 2e12 * (u - x).powi(2) + k * x.powf(m + 1.0) / (m + 1.0));
                let found = field(&mut run, "energy/strain")[0];
                if changes != around {
                    assert!((found - stored).abs() <= 1e-9 * stored, "{all:?}: {found} J, not {stored} J");
                }
            }
            assert_eq!(run.totals().flagged, 0, "{all:?}");
        }
    }
}

/// A mass above a floor by 1.5 times the size of its asperities.
const MASS: &str = r#"
dimension = 2
gravity = [0, 0]
[time]
step = 1e-6
end = 4e-3
[body.mass]
shape.disc.radius = 0.01
mass = 0.882
position = [0, 0.0115]
velocity = [0, -0.5]
[body.floor]
shape.half_plane = {}
[law]
asperities = { size = 1e-3, stiffness = 5e9, exponent = 2 }
"#;

/// How a mass went through the layer: largest crush, time in it, largest force.
struct Passage {
    crush: f64,
    time: f64,
    force: f64,
}

fn passage(run: &mut Simulation, a: f64, (height, radius): (&str, f64)) -> Passage {
    let mut seen = Passage { crush: 0.0, time: 0.0, force: 0.0 };
    let (mut entry, mut before) = (None, [0.0; 2]);
    while !run.is_over() {
        run.step().unwrap_or_else(|e| panic!("{e}"));
        let y = field(run, height)[1];
        let x = a - (y - radius);
        seen.crush = seen.crush.max(x);
        let force = field(run, "contacts/asperities").iter().sum::<f64>();
        seen.force = seen.force.max(force);
        // Between two steps by a line.
        let crossed = |from: [f64; 2], to: [f64; 2]| from[0] + (to[0] - from[0]) * from[1] / (from[1] - to[1]);
        let now = [run.time(), x];
        if before[0] > 0.0 && before[1] <= 0.0 && x > 0.0 && entry.is_none() {
            entry = Some(crossed(before, now));
        }
        if before[1] > 0.0 && x <= 0.0 {
            seen.time = crossed(before, now) - entry.unwrap_or(0.0);
        }
        before = now;
    }
    assert_eq!(run.totals().flagged, 0);
    seen
}

/// Largest crush, time of contact, largest force and rebound, within two steps of order one.   reference M2, quadrature
#[test]
fn a_mass_goes_through_asperities_and_back() {
    // M, κ S, m, v0: largest crush, time of contact, largest force.
    let through = [
        (0.882, 5e9, 2.0, 0.5, 0.00040442992496637773, 0.002268337614583883, 817.8178210415496),
        (0.882, 5e9, 2.0, 1.0, 0.000641992488339048, 0.0018003807578047461, 2060.7717754188134),
        (1.0, 1e6, 1.0, 0.5, 0.0005, 0.003141592653589793, 500.0),
    ];
    for (mass, k, m, v0, crush, time, force) in through {
        for h in [4e-6, 1e-6] {
            let changes = [
                format!("body.mass.mass={mass}"),
                format!("body.mass.velocity=[0,-{v0}]"),
                format!("law.asperities={{size=1e-3,stiffness={k:e},exponent={m:?}}}"),
                format!("time={{step={h:e},end={}}}", time + 2e-3 / v0),
            ];
            let mut run = start(MASS, &changes.each_ref().map(String::as_str));
            let seen = passage(&mut run, 1e-3, ("bodies/position", 0.01));
            assert!((seen.crush - crush).abs() <= v0 * 2.0 * h, "{changes:?}: {} m", seen.crush);
            assert!((seen.time - time).abs() <= 2.0 * h, "{changes:?}: {} s", seen.time);
            assert!((seen.force - force).abs() <= force * 4.0 * h / time, "{changes:?}: {} N", seen.force);
            // Elastic, to round-off whatever the step.
            let v = field(&mut run, "bodies/velocity")[1];
            assert!((v - v0).abs() <= 1e-9 * v0, "{changes:?}: {v} m/s");
        }
    }
    // To the substrate: what the layer stored, or all of it where the substrate is elastic.
    for (v0, h) in [(2.0, 1e-6), (500.0, 1e-8)] {
        for (e, back) in [(0.0, 1.9440394783993478), (1.0, v0)] {
            let end = 1e-3 / v0 + 3e-3 / back;
            let changes = [
                format!("body.mass.velocity=[0,-{v0:?}]"),
                format!("law.restitution={e:?}"),
                format!("time={{step={h:e},end={end}}}"),
            ];
            let run = finish(MASS, &changes.each_ref().map(String::as_str));
            let mut run = run;
            let v = field(&mut run, "bodies/velocity")[1];
            // To round-off of the energy that was stopped.
            assert!((v - back).abs() <= 1e-9 * v0, "{changes:?}: {v} m/s, not {back}");
        }
    }
}

/// The same law between a solid and an obstacle, by every scheme and both paths: a stiff block is a mass.
/// Reference: M2's quadrature with the mass of the block; the two paths.
#[test]
fn a_stiff_block_is_a_mass_by_every_scheme() {
    let text = r#"
dimension = 2
gravity = [0, 0]
[time]
step = 4e-6
end = 4.5e-3
[mesh.block]
kind = "block"
size = [0.01, 0.01]
cells = [1, 1]
[material.steel]
young = 1e12
density = 8820
[solid.block]
position = [0, 1.5e-3]
velocity = [0, -0.5]
[contact.foot]
slave = "block/bottom"
obstacle.half_space = {}
asperities = { size = 1e-3, stiffness = 5e13, exponent = 2 }
[observe.foot]
on = "block/bottom"
"#;
    // 0.882 kg over 0.01 m² here: the same force by mass as 0.882 kg with S = 1e-4 m² at κ/100.
    let explicit = ["time={step=1e-6,end=4.5e-3}", "material.steel.young=1e10"];
    let schemes: [(&str, &[&str], f64); 8] = [
        ("analysis={scheme='theta',theta=0.5}", &[], 0.02),
        ("analysis={scheme='theta',theta=1.0}", &[], 0.02),
        ("analysis={scheme='moreau_jean'}", &[], 1e-3),
        ("analysis={scheme='energy_momentum'}", &[], 1e-3),
        ("analysis={scheme='newmark'}", &[], 1e-3),
        ("analysis={scheme='hht',alpha=-0.1}", &[], 5e-3),
        ("analysis={scheme='central_differences'}", &explicit, 0.02),
        ("analysis={scheme='semi_explicit'}", &explicit, 0.02),
    ];
    let (mass, k) = (0.882f64, 5e13 * 0.01);
    let crush = (3.0 * mass * 0.25 / (2.0 * k)).cbrt();
    for (scheme, changes, loss) in schemes {
        let mut all = vec![scheme];
        all.extend(changes);
        let mut run = start(text, &all);
        let mut most = 0.0f64;
        let mut closing = 0.0f64;
        while !run.is_over() {
            run.step().unwrap_or_else(|e| panic!("{scheme}: {e}"));
            most = most.max(-0.5e-3 - field(&mut run, "probes/foot/displacement")[1]);
            closing = closing.max(field(&mut run, "work/closing")[0].abs());
        }
        assert_eq!(run.totals().flagged, 0, "{scheme}");
        assert!((most - crush).abs() <= 0.02 * crush, "{scheme}: {most} m, not {crush} m");
        let v = field(&mut run, "probes/foot/velocity")[1];
        assert!((v - 0.5).abs() <= 2.0 * loss * 0.5, "{scheme}: leaves at {v} m/s");
        assert!(closing <= 1e-9 * 0.11, "{scheme}: {closing} J");
        if !changes.is_empty() {
            continue;
        }
        let path = scheme.replace('}', ",path='condensed'}");
        let mut other = finish(text, &[&path]);
        let w = field(&mut other, "probes/foot/velocity")[1];
        assert!((v - w).abs() <= 1e-8 * 0.5, "{scheme}: {v} and {w} m/s by the two paths");
    }
}

/// Without size there are no asperities: the same bits, of bodies and of solids.
#[test]
fn asperities_without_size_change_no_bit() {
    let body = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.6\n[body.floor]\nshape.half_plane = {}\n[body.ball]\n\
                shape.disc.radius = 0.1\nposition = [0, 0.3]\nvelocity = [1, 0]\n[law]\nfriction = 0.3\nrestitution = 0.5\n";
    let without = finish(body, &[]).state().hash_hex();
    let with = finish(body, &["law.asperities={size=0,stiffness=1e13,exponent=2}"]).state().hash_hex();
    assert_eq!(with, without);
    for path in ["nested", "condensed"] {
        for scheme in ["quasi_static", "theta", "newmark"] {
            let analysis = format!("analysis={{scheme='{scheme}',path='{path}'}}");
            let common =
                ["support.top={on='block/top',x='1e-4*t',y='-1.125e-3*t'}", "contact.foot.friction=0.2", &analysis];
            let state = |layer: &str| {
                let mut changes = common.to_vec();
                changes.push(layer);
                finish(CRUSH, &changes).state().hash_hex()
            };
            let none = CRUSH.replace("asperities = {", "# {");
            let plain = finish(&none, &common).state().hash_hex();
            assert_eq!(state("contact.foot.asperities={size=0,stiffness=1e15}"), plain, "{scheme} {path}");
        }
    }
}

/// Velocity and crush of a mass on a damped layer, by Runge–Kutta of order four: `M ẍ = −κ x^m − c x^m' ẋ`.
fn damped(mass: f64, v0: f64, [k, m, c, n]: [f64; 4]) -> (f64, f64) {
    let rate = |[x, v]: [f64; 2]| [v, -(k * x.max(0.0).powf(m) + c * x.max(0.0).powf(n) * v) / mass];
    let add = |s: [f64; 2], h: f64, d: [f64; 2]| [s[0] + h * d[0], s[1] + h * d[1]];
    let (mut s, h, mut most) = ([0.0, v0], 1e-8, 0.0f64);
    for _ in 0..10_000_000 {
        let a = rate(s);
        let b = rate(add(s, 0.5 * h, a));
        let c = rate(add(s, 0.5 * h, b));
        let d = rate(add(s, h, c));
        s = std::array::from_fn(|i| s[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        most = most.max(s[0]);
        if s[0] <= 0.0 {
            break;
        }
    }
    (s[1].abs(), most)
}

/// With damping, of the power of the springs, of a lower one and of none: rebound and crush within the order of the
/// step, what is lost in `viscous`.   Runge–Kutta; a damped oscillator
#[test]
fn damping_takes_what_a_fine_integration_says() {
    let v0 = 0.5;
    for [k, m, c, n] in [[5e9, 2.0, 5e9, 2.0], [5e9, 2.0, 4e5, 1.0], [1e6, 1.0, 300.0, 0.0], [1e6, 1.0, 1e6, 1.5]] {
        let (back, crush) = damped(0.882, v0, [k, m, c, n]);
        if n == 0.0 {
            // Half a period of the damped oscillator, to where it is back at zero.
            let (d, w) = (c / (2.0 * 0.882), (k / 0.882f64).sqrt());
            let exact = v0 * (-d * std::f64::consts::PI / (w * w - d * d).sqrt()).exp();
            assert!((back - exact).abs() < 1e-5 * exact, "{back} {exact}");
        }
        let mut errors = vec![];
        for h in [2e-6, 1e-6] {
            let changes = [
                format!(
                    "law.asperities={{size=1e-3,stiffness={k:e},exponent={m:?},damping={c:e},damping_exponent={n:?}}}"
                ),
                format!("time={{step={h:e},end=8e-3}}"),
            ];
            let mut run = start(MASS, &changes.each_ref().map(String::as_str));
            let seen = passage(&mut run, 1e-3, ("bodies/position", 0.01));
            let v = field(&mut run, "bodies/velocity")[1];
            assert!((seen.crush - crush).abs() <= v0 * 2.0 * h, "{changes:?}: {} m, not {crush} m", seen.crush);
            errors.push((v - back).abs());
            assert!((v - back).abs() <= 4.0 * h / 2e-3 * v0, "{changes:?}: {v}, not {back} m/s");
            let lost = 0.5 * 0.882 * (v0 * v0 - v * v);
            let viscous = field(&mut run, "work/viscous")[0];
            assert!((viscous - lost).abs() <= 1e-9 * lost, "{changes:?}: {viscous} J, not {lost} J");
        }
        assert!(errors[1] <= 0.7 * errors[0] + 1e-5 * v0, "{errors:?}");
    }
}

/// Friction is bounded by μ (P + λ): of a block dragged over its asperities, before the substrate and on it, and of
/// a mass that slides and stops after v²/(2 μ g).   closed forms
#[test]
fn friction_is_bounded_by_the_whole_force() {
    let drag = "support.top={on='block/top',x='2e-3*t',y='-1.125e-3*min(1,2*t)*P'}";
    for (share, scheme) in [(0.3, "quasi_static"), (1.0, "quasi_static"), (0.3, "theta"), (1.0, "newmark")] {
        for path in ["nested", "condensed"] {
            let drag = drag.replace('P', &share.to_string());
            let analysis = format!("analysis={{scheme='{scheme}',path='{path}'}}");
            // Hardly any inertia, and no shear to turn the foot.
            let changes = [&drag, &analysis, "contact.foot.friction=0.3", "material.steel.density=1e-3"];
            let mut run = finish(CRUSH, &changes);
            let sum = |run: &mut Simulation, name: &str| field(run, &format!("contact/foot/{name}"))[0];
            let (n, t) = (sum(&mut run, "normal_force"), sum(&mut run, "tangential_force"));
            let (p, s) = (sum(&mut run, "asperity_force"), sum(&mut run, "substrate_force"));
            assert!((t + 0.3 * n).abs() <= 1e-6 * n, "{changes:?}: {t} of {n} N");
            assert!(p > 0.0 && (p + s - n).abs() <= 1e-9 * n && (s > 0.0) == (share == 1.0), "{changes:?}: {p} {s} N");
        }
    }
    // κ a = 2 M g: at rest half way.
    let slide = [
        "gravity=[0,-9.81]",
        "body.mass={shape={point={}},mass=2,position=[0,5e-4],velocity=[0.5,0]}",
        "law={friction=0.25,asperities={size=1e-3,stiffness=39240}}",
        "time={step=1e-4,end=0.3}",
    ];
    let mut run = finish(MASS, &slide);
    let place = field(&mut run, "bodies/position");
    let far = 0.25 / (2.0 * 0.25 * 9.81);
    assert!((place[0] - far).abs() <= 0.5 * 2e-4 && (place[1] - 5e-4).abs() < 1e-9, "{place:?}, not {far} m");
    assert!(field(&mut run, "bodies/velocity")[0].abs() < 1e-9);
}

/// Plastic release: crushed asperities stay crushed, the surfaces part at the largest crush, and what crushing took
/// is dissipated: κ x^(m+1)/(m+1), or all of a blow that the layer stops.   closed forms
#[test]
fn plastic_asperities_stay_crushed() {
    let (k, m, a) = (1e15, 2.0, 5e-4);
    for path in ["nested", "condensed"] {
        let changes = [
            "contact.foot.asperities={size=5e-4,stiffness=1e15,exponent=2,release='plastic'}",
            "support.top={on='block/top',x=0,y='-4e-4*(1-abs(2*t-1))-1e-4*t'}",
            "time.step=0.01",
            &format!("analysis.path={path}"),
        ];
        let mut run = start(CRUSH, &changes);
        let (mut most, mut taken) = (0.0f64, 0.0);
        while !run.is_over() {
            let t = run.time() + 0.01;
            run.step().unwrap_or_else(|e| panic!("{path}: {e}"));
            let u = 4e-4 * (1.0 - (2.0 * t - 1.0).abs()) + 1e-4 * t;
            let before = most;
            most = most.max(crushed(u, 2e12, (k, m, a)));
            // Pressed less than it takes to crush on: elastic on what is crushed.
            let r = (2e12 * (u - most)).max(0.0);
            let n = field(&mut run, "contact/foot/normal_force")[0];
            assert!((n - 0.05 * r).abs() <= 1e-8 * 0.05 * 2e12 * most, "{path} {t}: {n} N, not {}", 0.05 * r);
            taken = 0.05 * k * most.powf(m + 1.0) / (m + 1.0);
            assert!(most >= before);
        }
        let plastic = field(&mut run, "work/plastic")[0];
        assert!((plastic - taken).abs() <= 0.03 * taken, "{path}: {plastic} J, not {taken} J");
        assert_eq!(field(&mut run, "contact/foot/normal_force")[0], 0.0, "{path}: parted");
        let closing = field(&mut run, "work/closing")[0];
        assert!(closing.abs() <= 1e-9 * taken, "{path}: {closing} J");
    }
    // A mass is stopped: all it had is gone.
    let mut run = finish(MASS, &["law.asperities={size=1e-3,stiffness=5e9,exponent=2,release='plastic'}"]);
    let v = field(&mut run, "bodies/velocity")[1];
    let x = 1e-3 - (field(&mut run, "bodies/position")[1] - 0.01);
    assert!(v.abs() <= 1e-12 && (x - 0.00040442992496637773).abs() <= 1e-6, "{v} m/s, {x} m");
    let gone = field(&mut run, "work/plastic")[0] - field(&mut run, "work/shock")[0];
    assert!((gone - 0.5 * 0.882 * 0.25).abs() <= 1e-12, "{gone} J");
}

/// n + m steps equal n steps, save, load, m steps, to the bit, in the layer.
#[test]
fn restarts_in_the_layer() {
    let folder = std::env::temp_dir().join(format!("delassus-{}-asperities", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let pushed = "support.top={on='block/top',x='1e-4*t',y='-8e-4*(1-abs(2*t-1))'}";
    let plastic = "contact.foot.asperities={size=5e-4,stiffness=1e15,exponent=2,damping=1e9,release='plastic'}";
    let damped = "contact.foot.asperities={size=5e-4,stiffness=1e15,exponent=2,damping=1e9}";
    let friction = "contact.foot.friction=0.2";
    let cases: [(&str, Vec<&str>); 5] = [
        (CRUSH, vec![pushed, damped, friction]),
        (CRUSH, vec![pushed, plastic, friction, "analysis.path=condensed"]),
        (CRUSH, vec![pushed, plastic, "analysis.scheme=theta"]),
        (MASS, vec!["time={step=1e-4,end=2e-3}", "body.mass.velocity=[0.1,-2]", "law.friction=0.2"]),
        (MASS, vec!["time={step=1e-4,end=2e-3}", "law.asperities.release=plastic"]),
    ];
    for (i, (text, changes)) in cases.into_iter().enumerate() {
        let path = folder.join(format!("{i}.h5"));
        let scene = read(text, &changes);
        let mut whole = Simulation::new(&scene, &Options::default()).expect("a scene");
        let mut recorder = Recorder::create(&path, whole.header(), &RecordOptions::default()).expect("a run file");
        let mut frame = whole.header().frame();
        for _ in 0..20 {
            whole.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
            whole.step().unwrap_or_else(|e| panic!("{changes:?}: {e}"));
        }
        recorder.finish().expect("closed");
        let run = Run::open(&path).expect("a run");
        for from in [4, 12] {
            let mut again = Simulation::new(&scene, &Options::default()).expect("a scene");
            again.restore(&run, from).expect("restored");
            for _ in from..20 {
                again.step().expect("a step");
            }
            assert_eq!(again.state().hash_hex(), whole.state().hash_hex(), "{changes:?} from {from}");
            let [one, two] = [&again, &whole].map(|r| r.totals().energy);
            assert_eq!(one, two, "{changes:?} from {from}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// A solid on a rigid body: the law between their materials, a force at each contact.   reference: M2's quadrature
#[test]
fn asperities_between_a_solid_and_a_body() {
    let text = r#"
dimension = 2
gravity = [0, 0]
[time]
step = 4e-6
end = 5e-3
[analysis]
scheme = "moreau_jean"
[mesh.block]
kind = "block"
size = [0.01, 0.01]
cells = [1, 1]
[material.steel]
young = 1e12
density = 8820
[material.stone]
[solid.block]
material = "steel"
position = [0, 1.5e-3]
velocity = [0, -0.5]
[body.floor]
shape.half_plane = {}
material = "stone"
[law]
asperities = { size = 1e-3, stiffness = 2.5e11, exponent = 2 }
[observe.foot]
on = "block/bottom"
"#;
    // Two corners.
    let crush = (3.0 * 0.882 * 0.25 / (2.0 * 5e11f64)).cbrt();
    for (scheme, loss) in [("moreau_jean", 1e-3), ("theta", 0.05), ("newmark", 5e-3)] {
        let mut run = start(text, &[&format!("analysis.scheme={scheme}")]);
        let mut most = 0.0f64;
        while !run.is_over() {
            run.step().unwrap_or_else(|e| panic!("{scheme}: {e}"));
            most = most.max(-0.5e-3 - field(&mut run, "probes/foot/displacement")[1]);
        }
        assert_eq!(run.totals().flagged, 0, "{scheme}");
        assert!((most - crush).abs() <= 0.02 * crush, "{scheme}: {most} m, not {crush} m");
        let v = field(&mut run, "probes/foot/velocity")[1];
        assert!((v - 0.5).abs() <= 0.5 * loss, "{scheme}: leaves at {v} m/s");
    }
}

/// What makes no sense is refused, by the key.
#[test]
fn bad_asperities_are_refused() {
    for (layer, told) in [
        ("{size=1e-3}", "stiffness"),
        ("{stiffness=1e9}", "size"),
        ("{size=-1e-3,stiffness=1e9}", "size"),
        ("{size=nan,stiffness=1e9}", "size"),
        ("{size=1e-3,stiffness=-1e9}", "stiffness"),
        ("{size=1e-3,stiffness=0}", "stiffness"),
        ("{size=1e-3,stiffness=nan}", "stiffness"),
        ("{size=1e-3,stiffness=1e9,exponent=0.5}", "exponent"),
        ("{size=1e-3,stiffness=1e9,exponent=inf}", "exponent"),
        ("{size=1e-3,stiffness=1e9,damping=-1}", "damping"),
        ("{size=1e-3,stiffness=1e9,damping_exponent=-1}", "damping_exponent"),
        ("{size=1e-3,stiffness=1e9,release='never'}", "release"),
        ("{size=1e-3,stiffness=1e9,height=1}", "height"),
    ] {
        for (text, key) in [(CRUSH, "contact.foot.asperities"), (MASS, "law.asperities")] {
            let said = refused(text, &[&format!("{key}={layer}")]);
            assert!(said.contains(told), "{key} = {layer}: {said}");
        }
    }
    let said = refused(CRUSH, &["contact.foot.law={cohesion=1e5}"]);
    assert!(said.contains("do not hold together"), "{said}");
    let said = refused(CRUSH, &["analysis.formalism=penalty", "analysis.normal=1e12"]);
    assert!(said.contains("multipliers"), "{said}");
    let said = refused(CRUSH, &["contact.foot.search=1e-4"]);
    assert!(said.contains("search"), "{said}");
}
