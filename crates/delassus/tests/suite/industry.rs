//! The industrial cases of Zammali 2005, section 5.4: rods in fluids, wear, tubes as beams, stops with gaps. References N1
//! to N3 and others of their kinds, by closed forms.

#[allow(dead_code)] // What other tests use of it.
use crate::common::Folder;
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};
use std::f64::consts::PI;

fn start(text: &str, overrides: &[&str]) -> Simulation {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    let scene = Scene::parse(text, "industry.toml", &overrides).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A recorded field of the present state.
fn field(simulation: &mut Simulation, name: &str) -> Vec<f64> {
    let mut frame = simulation.header().frame();
    simulation.fill(&mut frame).expect("filled");
    let position = simulation.header().position(name).unwrap_or_else(|| panic!("'{name}' is recorded"));
    frame.columns[position].f64().expect("numbers").to_vec()
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time * (1.0 - 1e-9) {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    assert_eq!(simulation.totals().flagged, 0);
}

/// Fall in a fluid with dry friction: z = (v∞²/a) ln cosh(a t/v∞), v = v∞ tanh(a t/v∞).
struct Drop {
    mass: f64,
    buoyancy: f64,
    drag: f64,
    friction: f64,
    added: f64,
}

impl Drop {
    fn at(&self, t: f64) -> [f64; 2] {
        let pull = self.mass * 9.81 * (1.0 - self.buoyancy) - self.friction;
        let (a, limit) = (pull / (self.mass + self.added), (pull / self.drag).sqrt());
        [limit * limit / a * (a * t / limit).cosh().ln(), limit * (a * t / limit).tanh()]
    }
}

const DROP: &str = "dimension = 2\n[time]\nstep = 1e-3\nend = 2\n[law]\nfriction = 0.3\n[parameters]\nN = 0\n\
    [body.wall]\nshape.half_plane = { normal = [1, 0] }\n[body.rod]\nshape.point = {}\n\
    [load.press]\nbody = 'rod'\nforce = ['-N', '0']\n";

/// Reference N1 and drops of other masses, drags and frictions: the place to the square of the step, which halving
/// it shows; and nothing is left of the energy.
#[test]
fn a_rod_falls_in_a_fluid_as_the_closed_form_says() {
    let n1 = |friction| Drop { mass: 120.0, buoyancy: 0.15, drag: 95.0, friction, added: 0.0 };
    let cases = [
        n1(0.0),
        n1(60.0),
        n1(300.0),
        Drop { mass: 47.0, buoyancy: 0.11, drag: 8.0, friction: 33.0, added: 0.0 },
        Drop { mass: 3.5, buoyancy: 0.4, drag: 700.0, friction: 5.0, added: 2.0 },
    ];
    assert!((cases[1].at(1.0)[0] - 2.2797076464097388).abs() < 1e-12, "reference N1");
    for case in &cases {
        let body = format!("mass = {}\n", case.mass);
        let fluid = format!(
            "[fluid.water]\nbody = 'rod'\ndrag = {}\nbuoyancy = {}\nadded_mass = {}\n",
            case.drag, case.buoyancy, case.added
        );
        let text = format!("{}{fluid}", DROP.replace("shape.point = {}\n", &format!("shape.point = {{}}\n{body}")));
        let press = format!("N={}", case.friction / 0.3);
        let error = |h: f64| {
            let mut drop = start(&text, &[&press, &format!("h={h}")]);
            run_to(&mut drop, 1.0);
            let (place, speed) = (field(&mut drop, "bodies/position"), field(&mut drop, "bodies/velocity"));
            let [z, v] = case.at(1.0);
            // Two steps of time are the tolerance of the reference.
            assert!((place[3] + z).abs() < 2.0 * h * v, "{} {z}", place[3]);
            assert!((speed[3] + v).abs() < 2.0 * h * 9.81);
            let energy = &drop.totals().energy;
            assert!(energy.closing.abs() < 1e-10 * case.mass * 9.81 * z, "{energy:?}");
            (place[3] + z).abs()
        };
        let [coarse, fine] = [error(2e-3), error(1e-3)];
        assert!(fine < 0.3 * coarse, "second order: {coarse} {fine}");
    }
}

/// A body in water that flows up at its limit speed hangs: the drag is that of the relative velocity; along the axes
/// each on its own. A fluid of a third of the density carries a third of the weight.
#[test]
fn fluids_flow_carry_and_resist_by_axes() {
    let text = "dimension = 3\n[time]\nstep = 1e-3\nend = 1\n[material.steel]\ndensity = 6000\n[law]\n\
        [body.ball]\nshape.sphere.radius = 0.1\n[fluid.water]\nbody = 'ball'\ndensity = 2000\n";
    let mut ball = start(text, &[]);
    run_to(&mut ball, 0.5);
    assert!((field(&mut ball, "bodies/velocity")[2] + 9.81 * 2.0 / 3.0 * 0.5).abs() < 1e-12);
    let mass = 6000.0 * 4.0 / 3.0 * PI * 1e-3;
    let limit = (mass * 9.81 / 50.0).sqrt();
    let hangs = text.replace("density = 2000", &format!("drag = [0, 7, 50]\nflow = [3, 0, {limit}]"));
    let mut ball = start(&hangs.replace("radius = 0.1\n", "radius = 0.1\nvelocity = [1, 2, 0]\n"), &[]);
    run_to(&mut ball, 0.5);
    let v = field(&mut ball, "bodies/velocity");
    // Along y, 1/v grows by K t/m, by Kahan's rule exactly.
    let y = 1.0 / (0.5 + 7.0 * 0.5 / mass);
    assert!((v[0] - 1.0).abs() < 1e-14 && (v[1] - y).abs() < 1e-12 && v[2].abs() < 1e-9, "{v:?}");
}

/// The scene: the drop is that of the closed form; what cards rub adds up to what friction takes, which is F z up to
/// the step; and the sums go on from a frame to the same bits.
#[test]
fn wear_of_the_guide_cards_adds_up() {
    let text = example("control_rod_drop").expect("in the gallery").text;
    let folder = Folder::new("wear");
    let path = folder.path("drop.h5");
    let mut drop = start(text, &[]);
    let mut recorder = Recorder::create(&path, drop.header(), &RecordOptions::default()).expect("a run file");
    let mut frame = drop.header().frame();
    while !drop.is_over() {
        if drop.is_due() {
            drop.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
        }
        drop.step().expect("a step");
    }
    recorder.finish().expect("closed");
    let law = Drop { mass: 120.0, buoyancy: 0.15, drag: 95.0, friction: 60.0, added: 0.0 };
    let [z, v] = law.at(1.42);
    assert!((field(&mut drop, "bodies/position")[1] - (5.55 - z)).abs() < 1e-5);
    let names: Vec<String> = (1..7).map(|k| format!("wear/card_{k}/friction")).collect();
    let cards: f64 = names.iter().map(|n| field(&mut drop, n)[0]).sum();
    let all = field(&mut drop, "wear/all/friction")[0];
    assert!((cards - all).abs() < 1e-9 * all && (all + drop.totals().energy.friction).abs() < 1e-9 * all);
    assert!((all - 60.0 * z).abs() < 60.0 * v * 1e-3, "{all} {}", 60.0 * z);
    let sliding = field(&mut drop, "wear/all/sliding")[0];
    assert!((0.3 * sliding - all).abs() < 1e-6 * all, "all of them slide");
    assert!((field(&mut drop, "wear/all/impulse")[0] - 200.0 * 1.42).abs() < 1e-3);
    let volume = field(&mut drop, "wear/card_3/volume")[0];
    assert!((volume - 1e-14 * field(&mut drop, "wear/card_3/sliding")[0]).abs() < 1e-12 * volume);

    let run = Run::open(&path).expect("a run");
    let mut again = start(text, &[]);
    again.restore(&run, 60).expect("a frame");
    while !again.is_over() {
        again.step().expect("a step");
    }
    for name in names.iter().map(String::as_str).chain(["wear/all/impulse"]) {
        assert_eq!(field(&mut again, name), field(&mut drop, name), "{name}");
    }
}

/// A rodlet of the reference N2: tube of 9.7 mm, wall 0.47 mm, in water that it carries with it, between two pins.
fn rodlet(extra: &str) -> String {
    format!(
        "dimension = 2\ngravity = [0, 0]\n[parameters]\nL = 0.5\nV1 = 1\ngap = 0.0008\nmode = 1\nod = 0.0097\n\
         wall = 0.00047\n[time]\nstep = 2e-6\nend = 0.02\n[material.steel]\nyoung = 195e9\npoisson = 0.3\ndensity = 7900\n\
         [beam.rod]\nfrom = [0, 0]\nto = ['=L', 0]\ncells = 20\nsection = {{ diameter = '=od', wall = '=wall' }}\n\
         theory = 'bernoulli'\nstart.velocity = ['0', '-V1*sin(mode*pi*x/L)']\n[beam.rod.group.middle]\nnear = ['=L/2', 0]\n\
         [beam.rod.group.side]\nnear = ['=L/2/mode', 0]\n\
         [fluid.water]\non = 'rod/all'\nadded_mass = '=1000*pi*od^2/4'\n\
         [support.pins]\non = ['rod/start', 'rod/end']\nx = 0\ny = 0\n[observe.middle]\non = 'rod/middle'\n\
         [observe.side]\non = 'rod/side'\n{extra}"
    )
}

/// Angular frequency of a mode of a pinned tube in water.
fn frequency(od: f64, wall: f64, length: f64, mode: f64) -> f64 {
    let id = od - 2.0 * wall;
    let (area, inertia) = (PI / 4.0 * (od * od - id * id), PI / 64.0 * (od.powi(4) - id.powi(4)));
    (mode * PI / length).powi(2) * (195e9 * inertia / (7900.0 * area + 1000.0 * PI * od * od / 4.0)).sqrt()
}

/// Reference N2: the first frequencies of the rodlet, 78.5464, 314.186 and 706.918 Hz, within 0.1 %, and one of another
/// tube; with shear, Timoshenko's are lower by (nπr/L)² (1 + E/κG)/2 to first order.
#[test]
fn frequencies_of_a_rodlet_between_pins() {
    let f = |n| frequency(0.0097, 0.00047, 0.5, n) / (2.0 * PI);
    let exact = [78.54644275545445, 314.1857710218178, 706.91798479909];
    (0..3).for_each(|k| assert!((f(1.0 + k as f64) / exact[k] - 1.0).abs() < 1e-12, "reference N2"));
    // Time of the third passage through the axis: one period after the first.
    let measured = |overrides: &[&str]| {
        let mut rod = start(&rodlet(""), overrides);
        let (mut before, mut crossings) = (0.0, vec![0.0]);
        while crossings.len() < 3 {
            rod.step().unwrap_or_else(|e| panic!("{e}"));
            let now = field(&mut rod, "probes/side/displacement")[1];
            if before * now < 0.0 {
                let h = rod.clock().step;
                crossings.push(rod.time() - h * now / (now - before));
            }
            before = now;
        }
        1.0 / crossings[2]
    };
    for (mode, exact) in [("mode=1", exact[0]), ("mode=2", exact[1]), ("mode=3", exact[2])] {
        let found = measured(&[mode]);
        assert!((found / exact - 1.0).abs() < 1e-3, "{mode}: {found} {exact}");
    }
    let other = frequency(0.012, 0.001, 0.8, 1.0) / (2.0 * PI);
    let found = measured(&["od=0.012", "wall=0.001", "L=0.8"]);
    assert!((found / other - 1.0).abs() < 1e-3, "{found} {other}");
}

/// Reference N2: the rodlet thrown at a stop 0.8 mm under its middle meets it at asin(ω g/V)/ω with V cos(ω t), within
/// 0.5 %, or never where V/ω is less than the gap. Other gaps and speeds.
#[test]
fn a_rodlet_meets_its_stop_when_the_first_mode_says() {
    let stop = "[contact.stop]\nslave = 'rod/middle'\nobstacle.half_space = { point = [0, '=-gap - od/2'] }\n";
    let omega = frequency(0.0097, 0.00047, 0.5, 1.0);
    assert!(((omega * 0.0008f64).asin() / omega - 0.0008223935448165068).abs() < 1e-15, "reference N2");
    for (speed, gap) in [(0.1, 0.0008), (0.5, 0.0008), (1.0, 0.0008), (2.0, 0.0021), (0.7, 0.0003)] {
        let overrides = [format!("V1={speed}"), format!("gap={gap}")];
        let mut rod = start(&rodlet(stop), &overrides.each_ref().map(String::as_str));
        let ratio = omega * gap / speed;
        if ratio > 1.0 {
            run_to(&mut rod, 0.02);
            assert_eq!(field(&mut rod, "probes/middle/contact_force")[1], 0.0);
            continue;
        }
        let (t, v) = (ratio.asin() / omega, -speed * (1.0 - ratio * ratio).sqrt());
        let mut before = 0.0;
        loop {
            let now = field(&mut rod, "probes/middle/velocity")[1];
            if field(&mut rod, "probes/middle/contact_force")[1] > 0.0 {
                break;
            }
            before = now;
            rod.step().unwrap_or_else(|e| panic!("{e}"));
        }
        assert!((rod.time() / t - 1.0).abs() < 5e-3, "{} {t}", rod.time());
        assert!((before / v - 1.0).abs() < 5e-3, "{before} {v}");
    }
}

/// Reference N3, and other tubes: a cantilever of Timoshenko with Cowper's κ, to round-off, at default settings.
#[test]
fn a_tube_bends_with_cowper_s_shear() {
    let tip = |od: f64, wall: f64, nu: f64, length: f64| {
        let text = format!(
            "dimension = 3\ngravity = [0, 0, 0]\n[time]\nstep = 1\nend = 1\n[analysis]\nscheme = 'quasi_static'\n\
             [material.zircaloy]\nyoung = 99e9\npoisson = {nu}\ndensity = 6500\n[beam.tube]\nfrom = [0, 0, 0]\n\
             to = [{length}, 0, 0]\ncells = 3\nsection = {{ diameter = {od}, wall = {wall} }}\n\
             [support.clamp]\non = 'tube/start'\nx = 0\ny = 0\nz = 0\nrotation = 0\n\
             [load.tip]\non = 'tube/end'\nforce = [0, 0, '10*t']\n[observe.tip]\non = 'tube/end'\n"
        );
        let mut tube = start(&text, &[]);
        run_to(&mut tube, 1.0);
        field(&mut tube, "probes/tip/displacement")[2]
    };
    let exact = |od: f64, wall: f64, nu: f64, length: f64| {
        let (id, m) = (od - 2.0 * wall, 1.0 - 2.0 * wall / od);
        let (area, inertia) = (PI / 4.0 * (od * od - id * id), PI / 64.0 * (od.powi(4) - id.powi(4)));
        let ring = (1.0 + m * m).powi(2);
        let kappa = 6.0 * (1.0 + nu) * ring / ((7.0 + 6.0 * nu) * ring + (20.0 + 12.0 * nu) * m * m);
        10.0 * length.powi(3) / (3.0 * 99e9 * inertia) + 10.0 * length * 2.0 * (1.0 + nu) / (kappa * 99e9 * area)
    };
    assert!((exact(0.0095, 0.00057, 0.37, 0.05) / 2.7900053310842713e-5 - 1.0).abs() < 1e-12, "reference N3");
    for (od, wall, nu, length) in [(0.0095, 0.00057, 0.37, 0.05), (0.02, 0.01, 0.3, 0.06), (0.0122, 0.002, 0.25, 0.1)] {
        let (found, exact) = (tip(od, wall, nu, length), exact(od, wall, nu, length));
        assert!((found / exact - 1.0).abs() < 1e-9, "{found} {exact}");
    }
}

/// A rod that falls along a wall, pressed onto it by its lateral load, is the rigid one of N1: drag and friction of a
/// flexible rod, the wear of a pair of surfaces, the weight without what the water carries.
#[test]
fn a_flexible_rod_falls_like_the_rigid_one() {
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 1\n[material.steel]\nyoung = 2e11\npoisson = 0.3\n\
        density = 8000\n[beam.rod]\nfrom = [0.01, 0]\nto = [0.01, 2]\ncells = 8\nsection = { width = 1, height = 0.02 }\n\
        [fluid.water]\non = 'rod/all'\ndrag = 95\nbuoyancy = 0.15\n\
        [load.press]\non = 'rod/all'\nforce = [-200, 0]\n\
        [contact.wall]\nslave = 'rod/all'\nfriction = 0.3\nobstacle.half_space = { normal = [1, 0] }\n\
        [observe.rod]\non = 'rod/all'\n[observe.rub]\nkind = 'wear'\ncontact = 'wall'\n";
    let law = Drop { mass: 320.0, buoyancy: 0.15, drag: 95.0, friction: 60.0, added: 0.0 };
    let mut rod = start(text, &[]);
    run_to(&mut rod, 1.0);
    let (place, speed) = (field(&mut rod, "probes/rod/displacement"), field(&mut rod, "probes/rod/velocity"));
    let [z, v] = law.at(1.0);
    // Of first order: the scheme takes all forces at the end of the step.
    assert!((place[1] + z).abs() < 2e-3 * v && (speed[1] + v).abs() < 2e-3 * 9.81, "{place:?} {z} {speed:?} {v}");
    let rubbed = field(&mut rod, "wear/rub/friction")[0];
    assert!((rubbed - 60.0 * z).abs() < 60.0 * v * 2e-3, "{rubbed} {}", 60.0 * z);
    assert!((rubbed + rod.totals().energy.friction).abs() < 1e-9 * rubbed);
    let energy = &rod.totals().energy;
    let viscous = (0..1000).map(|i| law.at((f64::from(i) + 0.5) * 1e-3)[1].powi(3) * 95.0 * 1e-3).sum::<f64>();
    // Of first order in the step, as the motion is.
    assert!((energy.viscous / viscous - 1.0).abs() < 5e-3, "{} {viscous}", energy.viscous);
}

/// A strip held sideways into which a burst of waves runs, and an absorbing end; what is left of the amplitude.
fn echo(overrides: &[&str]) -> f64 {
    let text = example("absorbing_bar").expect("in the gallery").text;
    let mut bar = start(text, &[overrides, &["periods=10", "time.end=5e-4"]].concat());
    while !bar.is_over() {
        bar.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let energy = &bar.totals().energy;
    assert!(energy.closing.abs() < 1e-12 * energy.external, "{energy:?}");
    // The trapezoidal rule keeps all but what dashpots take.
    assert!((energy.external - energy.viscous - energy.total()).abs() < 1e-9 * energy.external, "{energy:?}");
    (energy.total() / energy.external).sqrt()
}

/// Dashpots reflect nothing that the mesh resolves. What is left has a closed form: of linear elements, q = (ω h/c)²,
/// with the end row (1 − q/3) u_N − (1 + q/6) u_(N−1) + i √q u_N = 0,  |R| = (1 − s)/(1 + s),  s = √(1 − q/12); ω is that of the
/// trapezoidal rule, 2/Δt tan(ω Δt/2). Bursts of ten periods are not of one frequency: within 6 %.
#[test]
fn dashpots_reflect_what_the_mesh_does_not_resolve() {
    let c = (2e11f64 * 0.7 / (7800.0 * 1.3 * 0.4)).sqrt();
    for (cells, frequency, h) in [(170, 5e4, 5e-7), (100, 5e4, 5e-7), (100, 8e4, 4e-7)] {
        let omega = 2.0 / h * (PI * frequency * h).tan();
        let q = (omega / c / f64::from(cells)).powi(2);
        let s = (1.0 - q / 12.0).sqrt();
        let exact = (1.0 - s) / (1.0 + s);
        let found = echo(&[&format!("N={cells}"), &format!("f={frequency}"), &format!("h={h}")]);
        assert!((found / exact - 1.0).abs() < 0.06, "{cells} cells, {frequency} Hz: {found} {exact}");
    }
}

/// A layer alone sends back what a wave loses in it twice: exp(−2 ∫ (ω/c) sin(atan(a/ω)) dx) with the damping of each
/// depth, where the layer is long beside the wave; bursts of ten periods are not of one frequency: within 5 %.
#[test]
fn a_layer_takes_what_its_damping_says() {
    let (c, omega) = ((2e11f64 * 0.7 / (7800.0 * 1.3 * 0.4)).sqrt(), 2.0 * PI * 5e4);
    let layer = ["absorbing.end.dashpots=false", "absorbing.end.layer=0.4", "absorbing.end.frequency=5e4"];
    for reflection in [0.3, 0.1] {
        let most = 3.0 * c * (1.0f64 / reflection).ln() / 0.8;
        let share = |i: i32| (f64::from(i) + 0.5) / 1000.0;
        let lost: f64 = (0..1000).map(|i| omega / c * (most * share(i).powi(2) / omega).atan().sin() * 0.4e-3).sum();
        let exact = (-2.0 * lost).exp();
        let target = format!("absorbing.end.reflection={reflection}");
        let found = echo(&[layer[0], layer[1], layer[2], &target]);
        assert!((found / exact - 1.0).abs() < 0.05, "{reflection}: {found} {exact}");
    }
}

/// Energy that dashpots send back of a P wave that meets them at an angle: amplitudes A of P and B of S such that
/// σ n + ρ (c_p n⊗n + c_s (1 − n⊗n)) v = 0.
fn oblique(angle: f64, poisson: f64) -> f64 {
    let cs = ((1.0 - 2.0 * poisson) / (2.0 * (1.0 - poisson))).sqrt();
    let (mu, lambda) = (cs * cs, 1.0 - 2.0 * cs * cs);
    let (s, k) = (angle.sin(), angle.cos());
    let (t, l) = (s * cs, (1.0 - s * s * cs * cs).sqrt());
    // Rows of the balance for a wave of polarisation p along d at speed c, over iωρ.
    let rows = |p: [f64; 2], d: [f64; 2], c: f64| {
        let div = (p[0] * d[0] + p[1] * d[1]) / c;
        [p[0] - lambda * div - 2.0 * mu * p[0] * d[0] / c, cs * p[1] - mu * (p[0] * d[1] + p[1] * d[0]) / c]
    };
    let (i, a, b) = (rows([k, s], [k, s], 1.0), rows([-k, s], [-k, s], 1.0), rows([t, l], [-l, t], cs));
    let det = a[0] * b[1] - a[1] * b[0];
    let (pa, pb) = ((-i[0] * b[1] + i[1] * b[0]) / det, (-a[0] * i[1] + a[1] * i[0]) / det);
    pa * pa + pb * pb * cs * l / k
}

/// Against the angle: packets of P waves, made as gradients, run at both ends of a strip whose sides are tied to each
/// other, so that it is a part of a plane. What is left of the energy is that of the closed form over the angles
/// of the packet, whose waves (kx, ky) have the energy k² exp(−(kx − k0)² w²/2).
#[test]
fn dashpots_reflect_at_an_angle_as_plane_waves_do() {
    let (ky, side, length, width) = (2.0 * PI, 18, 8.0, 1.5);
    // At 45° little comes back, and the mesh, (k h)²/48 in amplitude, is seen beside it.
    for (degrees, within) in [(45.0f64, 0.25), (60.0, 0.1)] {
        let angle = degrees.to_radians();
        let (k, k0) = (ky / angle.sin(), ky / angle.tan());
        let (mut exact, mut whole) = (0.0, 0.0);
        for kx in (-400..=400).map(|i| k0 + f64::from(i) / (100.0 * width)).filter(|kx| *kx > 0.0) {
            let energy = (kx * kx + ky * ky) * (-(kx - k0).powi(2) * width * width / 2.0).exp();
            exact += energy * oblique(ky.atan2(kx), 0.25);
            whole += energy;
        }
        exact /= whole;
        let text = format!(
            "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 0.03\nend = 18\n[material.unit]\nyoung = '=5/6'\n\
             poisson = 0.25\ndensity = 1\n[parameters]\nm = {m}\nw = {width}\nkx = {k0}\nky = {ky}\n\
             [mesh.strip]\nkind = 'block'\nsize = [{length}, 1]\ncells = [{cells}, {side}]\n[solid.strip]\n\
             start.velocity = ['exp(-((x-m)/w)^2)*({c}*sin(kx*x+ky*y) + 2*(x-m)/(w^2*{k})*cos(kx*x+ky*y))', \
             'exp(-((x-m)/w)^2)*{s}*sin(kx*x+ky*y)']\n\
             [spring.x]\non = ['strip/bottom', 'strip/top']\naxis = 'x'\nstiffness = 1e7\n\
             [spring.y]\non = ['strip/bottom', 'strip/top']\naxis = 'y'\nstiffness = 1e7\n\
             [absorbing.ends]\non = ['strip/left', 'strip/right']\n[analysis]\nscheme = 'newmark'\n",
            cells = (length * f64::from(side)) as u32,
            m = 0.5 * length,
            c = angle.cos(),
            s = angle.sin(),
        );
        let mut strip = start(&text, &[]);
        let first = strip.totals().energy.total();
        while !strip.is_over() {
            strip.step().unwrap_or_else(|e| panic!("{e}"));
        }
        let left = strip.totals().energy.total() / first;
        assert!((left / exact - 1.0).abs() < within, "{degrees}: {left} {exact}");
    }
}

/// A wave along a beam leaves it through its end; so does twist.
#[test]
fn waves_along_a_beam_leave_it() {
    let text = "dimension = 3\ngravity = [0, 0, 0]\n[time]\nstep = 1e-6\nend = 3e-4\n[material.steel]\nyoung = 2e11\n        poisson = 0.3\ndensity = 7800\n[beam.bar]\nfrom = [0, 0, 0]\nto = [1, 0, 0]\ncells = 200\n        section = { radius = 0.01 }\nstart.velocity = ['exp(-((x - 0.5)/0.05)^2)', '0', '0']\n        [absorbing.ends]\non = ['bar/start', 'bar/end']\n[analysis]\nscheme = 'newmark'\n";
    let mut bar = start(text, &[]);
    let first = bar.totals().energy.total();
    while !bar.is_over() {
        bar.step().unwrap_or_else(|e| panic!("{e}"));
    }
    // At k h of 0.2, the most of the pulse, |R| is below 1e-3.
    assert!(bar.totals().energy.total() < 1e-6 * first, "{}", bar.totals().energy.total() / first);
}
