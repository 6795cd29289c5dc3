//! Periodic cells that are sheared or under pressure.

use crate::common::*;
use delassus_contact::{Periodic, Shape2, Shape3, Vector};
use delassus_rigid::{
    BodySpec, Cell, Held, Interaction, Interactions, Kind, Ledger, Mass, ModelParts, Profile, RigidModel, Sheared,
    StepSettings,
};
use rand::{Rng, SeedableRng, rngs::StdRng};

const LENGTHS: [f64; 2] = [1.0, 1.2];

fn rate(value: f64) -> Profile {
    Profile::expression(&format!("{value}")).expect("a number")
}

/// Adds the bodies of a cell of the plane, sheared and under pressure where these are given; they are the last.
fn in_cell(parts: &mut ModelParts<2>, lengths: [f64; 2], shear: Option<(f64, f64)>, pressure: Option<f64>) {
    parts.detection.periodic = Periodic::new(lengths.map(Some), [0.0; 2]);
    let mut cell = Cell::default();
    if let Some((gamma, offset)) = shear {
        let body = parts.bodies.len() as u32;
        parts.bodies.push(BodySpec::fixed("shear").at([offset, 0.0].into()));
        cell.shear = Some(Sheared { body, flow: 0, gradient: 1, rate: rate(gamma) });
    }
    if let Some(p) = pressure {
        let body = parts.bodies.len() as u32;
        parts.bodies.push(BodySpec::fixed("cell").at(lengths.into()));
        cell.held = Some(Held { body, mass: 2.0, pressure: [None, Some(rate(p))], damping: 0.0 });
    }
    parts.cell = Some(cell);
}

/// Discs at random places, with the velocity of the flow and a little more.
fn gas(count: usize, gamma: f64) -> ModelParts<2> {
    let mut rng = StdRng::seed_from_u64(7);
    let mut parts = ModelParts::new(Vector::<2>::zeros());
    parts.interactions = Interactions::single(Interaction { restitution: 0.5, ..Interaction::coulomb(0.3) });
    let side = (count as f64).sqrt().ceil() as usize;
    for i in 0..count {
        let cell = [(i % side) as f64, (i / side) as f64];
        let step = [LENGTHS[0] / side as f64, LENGTHS[1] / side as f64];
        let x: [f64; 2] = std::array::from_fn(|k| (cell[k] + 0.5 + rng.random_range(-0.02..0.02)) * step[k]);
        let radius = rng.random_range(0.40..0.475) * step[0];
        let own: [f64; 2] = std::array::from_fn(|_| rng.random_range(-0.2..0.2));
        let body = BodySpec::dynamic(format!("disc {i}"), Mass::disc(radius * radius, radius));
        let body = body.at(x.into()).moving([own[0] + gamma * x[1], own[1]].into());
        parts.bodies.push(body.shape(Shape2::disc(radius).expect("a radius")));
    }
    parts
}

fn exact(h: f64) -> StepSettings {
    StepSettings { tolerance: 1e-11, ..settings(h) }
}

/// Grains of a square lattice in affine flow pass their neighbours at a gap of 1e-6 of their size, those across the face
/// of the cell too: nobody touches, and all go straight, while the displacement passes two periods.
#[test]
fn a_lattice_flows_as_the_cell_does() {
    let (n, gamma, radius) = (4, 0.5, 0.05);
    let a = 2.0 * radius * (1.0 + 1e-6);
    let length = a * f64::from(n);
    let mut parts = ModelParts::new(Vector::<2>::zeros());
    parts.interactions = Interactions::single(Interaction::coulomb(0.5));
    // Rows a little apart along x: neighbours of a row do not touch either.
    for i in 0..n * n {
        let x = [f64::from(i % n) * a, (f64::from(i / n) + 0.25) * a];
        let body = BodySpec::dynamic(format!("disc {i}"), Mass::disc(1.0, radius));
        parts
            .bodies
            .push(body.at(x.into()).moving([gamma * x[1], 0.0].into()).shape(Shape2::disc(radius).expect("ok")));
    }
    let start: Vec<[f64; 2]> = parts.bodies.iter().map(|b| [b.pose.position.x, b.pose.position.y]).collect();
    in_cell(&mut parts, [length; 2], Some((gamma, 0.0)), None);
    parts.detection.margin = 0.2 * a;
    let mut sim = sim2(parts, exact(1e-2));
    let mut seen = 0;
    for _ in 0..500 {
        let report = sim.step().expect("nothing happens");
        assert_eq!(report.contacts, 0, "at {}", report.time);
        seen += report.candidates;
    }
    let t = sim.state().time;
    for (i, x) in start.iter().enumerate() {
        let q = &sim.state().q[3 * i..];
        assert!((q[0] - x[0] - gamma * x[1] * t).abs() < 1e-12 && (q[1] - x[1]).abs() < 1e-15);
    }
    let offset = sim.state().q[3 * start.len()];
    assert!((offset - gamma * length * t).abs() < 1e-12 && offset > 2.0 * length);
    assert!(seen > 500 * 16, "neighbours were looked at");
}

/// The momentum of grains in a sheared cell is that of the start; what the shear works is what is lost.
#[test]
fn contacts_with_images_conserve_momentum() {
    let mut parts = gas(60, 0.8);
    let before: [f64; 2] = std::array::from_fn(|k| {
        let momentum = |b: &BodySpec<2>| match &b.kind {
            Kind::Dynamic(mass) => mass.mass * b.velocity[k],
            _ => 0.0,
        };
        parts.bodies.iter().map(momentum).sum()
    });
    in_cell(&mut parts, LENGTHS, Some((0.8, 0.0)), Some(10.0));
    let mut sim = sim2(parts, exact(2e-3));
    let (mut contacts, mut whole) = (0, Ledger::default());
    let first = sim.energies();
    for _ in 0..500 {
        let report = sim.step().expect("converges");
        contacts += report.contacts;
        whole.follow(&report.energy);
        assert!((report.momenta.linear[0] - before[0]).abs() < 1e-12, "{:?}", report.momenta);
        assert!((report.momenta.linear[1] - before[1]).abs() < 1e-12);
    }
    assert!(contacts > 400, "{contacts}");
    let after = sim.energies();
    assert!((after.kinetic - first.kinetic - whole.works()).abs() < 1e-10, "{whole:?}");
    assert!(whole.contact() < 0.0);
}

/// Which image of a grain moves does not matter under constant shear: others are where the cell puts them.
#[test]
fn images_of_grains_move_alike() {
    let gamma = 0.8;
    let run = |shift: &dyn Fn(usize) -> [i32; 2], offset: f64| -> Vec<[f64; 3]> {
        let mut parts = gas(49, gamma);
        let shifts: Vec<[i32; 2]> = (0..49).map(shift).collect();
        for (body, n) in parts.bodies.iter_mut().zip(&shifts) {
            let n = n.map(f64::from);
            body.pose.position += Vector::<2>::new(n[0] * LENGTHS[0] + n[1] * offset, n[1] * LENGTHS[1]);
            body.velocity.x += n[1] * gamma * LENGTHS[1];
        }
        in_cell(&mut parts, LENGTHS, Some((gamma, offset)), None);
        let mut sim = sim2(parts, exact(2e-3));
        let mut contacts = 0;
        for _ in 0..250 {
            contacts += sim.step().expect("converges").contacts;
        }
        assert!(contacts > 60, "{contacts}");
        let moved = sim.state().q[3 * 49];
        let back = |(b, n): (usize, &[i32; 2])| {
            let (q, n) = (&sim.state().q[3 * b..], n.map(f64::from));
            [q[0] - n[0] * LENGTHS[0] - n[1] * moved, q[1] - n[1] * LENGTHS[1], q[2]]
        };
        shifts.iter().enumerate().map(back).collect()
    };
    let base = run(&|_| [0, 0], 0.0);
    let same = |other: &[[f64; 3]], what: &str| {
        for (a, b) in base.iter().zip(other) {
            (0..3).for_each(|k| assert!((a[k] - b[k]).abs() < 1e-7, "{what}: {a:?} {b:?}"));
        }
    };
    same(&run(&|b| [b as i32 % 5 - 2, b as i32 % 3 - 1], 0.0), "other images");
    // A displacement of one period, of minus three: the same cell.
    same(&run(&|_| [0, 0], LENGTHS[0]), "one period");
    same(&run(&|b| [0, b as i32 % 2], -3.0 * LENGTHS[0]), "minus three periods");
}

/// Two discs in a column: the cell falls by ½ p A/M t² until they touch; then each contact carries p A.
#[test]
fn a_cell_falls_on_its_grains_and_rests_on_them() {
    let (radius, p, gap) = (0.1, 3.0, 0.02);
    let mut parts = ModelParts::new(Vector::<2>::zeros());
    parts.interactions = Interactions::single(Interaction::coulomb(0.5));
    for (i, y) in [radius, 3.0 * radius].into_iter().enumerate() {
        let body = BodySpec::dynamic(format!("disc {i}"), Mass::disc(1.0, radius)).at([0.3, y].into());
        parts.bodies.push(body.shape(Shape2::disc(radius).expect("ok")));
    }
    in_cell(&mut parts, [0.7, 4.0 * radius + gap], None, Some(p));
    let mut sim = sim2(parts, exact(1e-3));
    let fall = (2.0 * gap * 2.0 / (p * 0.7)).sqrt();
    while sim.state().time < 0.9 * fall {
        sim.step().expect("falls");
    }
    let (t, length) = (sim.state().time, sim.state().q[3 * 2 + 1]);
    assert!((length - (4.0 * radius + gap - 0.5 * p * 0.7 / 2.0 * t * t)).abs() < 1e-14);
    let mut report = sim.step().expect("falls").clone();
    for _ in 0..1000 {
        report = sim.step().expect("rests").clone();
    }
    let (length, speed) = (sim.state().q[3 * 2 + 1], sim.state().u[3 * 2 + 1]);
    assert!((length - 4.0 * radius).abs() < 2e-3 * radius && speed.abs() < 1e-12, "{length} {speed}");
    assert_eq!(report.contacts, 2);
    for c in &sim.state().contacts {
        assert!((c.percussion[0] - p * 0.7 * 1e-3).abs() < 1e-9, "{c:?}");
    }
}

/// The same in space, along z, and sheared with it: spheres in columns of a square lattice carry p A each.
#[test]
fn columns_of_spheres_carry_the_pressure() {
    let (radius, p) = (0.05, 40.0);
    let mut parts = ModelParts::new(Vector::<3>::zeros());
    parts.interactions = Interactions::single(Interaction::coulomb(0.0));
    let lengths = [0.3, 0.24, 4.0 * radius];
    for i in 0..8 {
        let x = [0.15 * f64::from(i % 2), 0.12 * f64::from(i / 2 % 2), radius * f64::from(1 + 2 * (i / 4))];
        let body = BodySpec::dynamic(format!("ball {i}"), Mass::ball(1.0, radius)).at(x.into());
        parts.bodies.push(body.shape(Shape3::sphere(radius).expect("ok")));
    }
    parts.detection.periodic = Periodic::new(lengths.map(Some), [0.0; 3]);
    parts.bodies.push(BodySpec::fixed("cell").at(lengths.into()));
    let held = Held { body: 8, mass: 1.0, pressure: [None, None, Some(rate(p))], damping: 0.0 };
    parts.cell = Some(Cell { held: Some(held), shear: None });
    let mut sim = sim3(parts, exact(1e-3));
    for _ in 0..20 {
        sim.step().expect("rests");
    }
    // Both contacts of a column carry the same, the columns together the pressure: how they share it is not determined.
    let contacts = &sim.state().contacts;
    assert_eq!(contacts.len(), 8);
    for two in contacts.chunks(2) {
        assert!(two[0].key.colliders == two[1].key.colliders && two[0].key.image != two[1].key.image);
        assert!((two[0].percussion[0] - two[1].percussion[0]).abs() < 1e-12, "{two:?}");
    }
    let across: f64 = contacts.iter().filter(|c| c.key.image[2] != 0).map(|c| c.percussion[0]).sum();
    assert!((across - p * lengths[0] * lengths[1] * 1e-3).abs() < 1e-9, "{across}");
}

/// What cannot be a cell is told.
#[test]
fn cells_that_cannot_be_are_refused() {
    let refused = |change: &dyn Fn(&mut ModelParts<2>)| -> String {
        let mut parts = gas(9, 0.0);
        in_cell(&mut parts, LENGTHS, Some((1.0, 0.0)), Some(1.0));
        change(&mut parts);
        match RigidModel::new(parts) {
            Ok(_) => panic!("accepted"),
            Err(e) => e.to_string(),
        }
    };
    let held = |parts: &mut ModelParts<2>, change: &dyn Fn(&mut Held<2>)| {
        change(parts.cell.as_mut().and_then(|c| c.held.as_mut()).expect("held"));
    };
    assert!(refused(&|p| held(p, &|h| h.body = 0)).contains("moves freely"));
    assert!(refused(&|p| held(p, &|h| h.body = 99)).contains("does not exist"));
    assert!(refused(&|p| held(p, &|h| h.mass = 0.0)).contains("mass"));
    assert!(refused(&|p| held(p, &|h| h.damping = f64::NAN)).contains("damping"));
    assert!(refused(&|p| held(p, &|h| h.pressure = [Some(rate(1.0)), None])).contains("along the flow"));
    assert!(refused(&|p| held(p, &|h| h.pressure = [None, None])).contains("no pressure"));
    assert!(refused(&|p| p.detection.periodic.period[0] = None).contains("axis 0"));
}
