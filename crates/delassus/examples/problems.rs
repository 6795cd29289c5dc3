//! Writes the problems of `examples/problems`: one step of four small scenes, and two contacts alone.
//!
//!     cargo run --release --example problems -- examples/problems
//!
//! incline   a brick slides down a plane, four contacts, W singular     local 3D
//! tower     ten blocks are pushed from the side, twenty contacts       local 2D
//! pyramid   fourteen spheres at rest, 45 contacts                      global 3D
//! ball      a ball rolls down a plane with resistance to rolling       local rolling 3D
//! repelling one contact that repels Newton's method on s               local 2D
//! continuum one contact that may slide at any speed up to 3 m/s        local 2D
//!
//! A contact between bodies 1 and 2 at p, with the axis e of its frame, has the row
//! [e, (p − c₁) × e | −e, −(p − c₂) × e] in G, method (1); free velocities are u + h g.

use delassus::friction::fclib::{File, Global, Info, Local, Problem, matrix_from};
use std::path::Path;

type V3 = [f64; 3];

/// Time step [s] and gravity [m/s²].
const H: f64 = 0.01;
const G: f64 = 9.81;

/// A rigid body with principal axes along the coordinates; without, the ground.
struct Body {
    centre: V3,
    mass: f64,
    inertia: V3,
}

struct Contact {
    point: V3,
    /// (n, t1, t2), n towards body `one`.
    frame: [V3; 3],
    one: usize,
    two: Option<usize>,
}

struct Scene {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    /// Free velocity (v, ω) of each body [m/s, rad/s].
    free: Vec<[f64; 6]>,
}

/// Which of the rows (translations along n, t1, t2; rotations about them) a contact has.
const PLANE: &[usize] = &[0, 1];
const SPACE: &[usize] = &[0, 1, 2];
const ROLLING: &[usize] = &[0, 1, 2, 4, 5];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "examples/problems".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let local = |name: &str, scene: &Scene, rows: &[usize], mu: f64| scene.local(name, rows, mu);
    local("A brick slides down an incline", &incline(), SPACE, 0.4)?.write(&folder.join("incline.hdf5"))?;
    local("A tower of blocks is pushed", &tower(), PLANE, 0.6)?.write(&folder.join("tower.hdf5"))?;
    pyramid().global("A pyramid of spheres at rest", SPACE, 0.3)?.write(&folder.join("pyramid.hdf5"))?;
    let mut ball = local("A ball rolls down an incline", &ball(), ROLLING, 0.5)?;
    ball.mu_r = Some(vec![0.01]);
    ball.write(&folder.join("ball.hdf5"))?;
    // F' > 1 where the iteration on s begins: a fixed point takes 14 programs.
    single("A contact that sticks, far from where s begins", [1.88, -2.5, 3.36], [-0.16, -0.63], 7.0)?
        .write(&folder.join("repelling.hdf5"))?;
    // W_NN = μ W_NT and q_N = 0: U_T = 3 − r_N for every r_N from 0 to 3.
    single("A contact that slides at any speed", [4.0, 3.0, 3.0], [0.0, 3.0], 4.0 / 3.0)?
        .write(&folder.join("continuum.hdf5"))?;
    Ok(())
}

/// One contact of the plane by W = (nn, nt, tt) and q.
fn single(title: &str, [nn, nt, tt]: [f64; 3], q: [f64; 2], mu: f64) -> Result<File, Box<dyn std::error::Error>> {
    let w = matrix_from((2, 2), &[(0, 0, nn), (0, 1, nt), (1, 0, nt), (1, 1, tt)])?;
    let contact = Contact { point: [0.0; 3], frame: UPRIGHT, one: 0, two: None };
    let scene = Scene { bodies: vec![], contacts: vec![contact], free: vec![] };
    Ok(scene.file(title, PLANE, mu, Problem::Local(Local { w, q: q.to_vec(), equality: None })))
}

/// 0.2 × 0.1 × 0.05 m, 2 kg, on a plane of 30°: tan 30° > 0.4, so it slides.
fn incline() -> Scene {
    let bodies = vec![brick([0.0, 0.0, 0.025], [0.2, 0.1, 0.05], 2.0)];
    let corners = [[-0.1, -0.05, 0.0], [0.1, -0.05, 0.0], [0.1, 0.05, 0.0], [-0.1, 0.05, 0.0]];
    let contacts = corners.map(|point| Contact { point, frame: UPRIGHT, one: 0, two: None }).into();
    let angle = 30f64.to_radians();
    Scene { bodies, contacts, free: vec![[H * G * angle.sin(), 0.0, -H * G * angle.cos(), 0.0, 0.0, 0.0]] }
}

/// Blocks of 0.2 × 0.1 m, 1 kg; the fifth from below is hit at 1 m/s.
fn tower() -> Scene {
    let count = 10;
    let block = |k: usize| brick([0.0, 0.0, 0.05 + 0.1 * k as f64], [0.2, 0.2, 0.1], 1.0);
    let contact =
        |k: usize, x: f64| Contact { point: [x, 0.0, 0.1 * k as f64], frame: UPRIGHT, one: k, two: k.checked_sub(1) };
    let mut free = vec![[0.0, 0.0, -H * G, 0.0, 0.0, 0.0]; count];
    free[4][0] = 1.0;
    Scene {
        bodies: (0..count).map(block).collect(),
        contacts: (0..count).flat_map(|k| [contact(k, -0.1), contact(k, 0.1)]).collect(),
        free,
    }
}

/// Layers of 3 × 3, 2 × 2 and 1 spheres of radius 0.5 m, 1 kg, each in the gap of four.
fn pyramid() -> Scene {
    let mut bodies = Vec::new();
    for layer in 0..3 {
        let (side, shift) = (3 - layer, 0.5 * layer as f64);
        for (i, j) in (0..side * side).map(|k| (k / side, k % side)) {
            let height = 0.5 + layer as f64 / 2f64.sqrt();
            bodies.push(sphere([i as f64 + shift, j as f64 + shift, height]));
        }
    }
    let mut contacts = Vec::new();
    for (one, body) in bodies.iter().enumerate() {
        if body.centre[2] < 0.6 {
            let point = [body.centre[0], body.centre[1], 0.0];
            contacts.push(Contact { point, frame: UPRIGHT, one, two: None });
        }
        for (two, other) in bodies.iter().enumerate().take(one) {
            let d = combine(1.0, body.centre, -1.0, other.centre);
            if dot(d, d) < 1.0 + 1e-9 {
                let point = combine(0.5, body.centre, 0.5, other.centre);
                contacts.push(Contact { point, frame: around(d), one, two: Some(two) });
            }
        }
    }
    let free = vec![[0.0, 0.0, -H * G, 0.0, 0.0, 0.0]; bodies.len()];
    Scene { bodies, contacts, free }
}

/// On a plane of 10°, at rest before the step.
fn ball() -> Scene {
    let angle = 10f64.to_radians();
    let contact = Contact { point: [0.0; 3], frame: UPRIGHT, one: 0, two: None };
    let free = vec![[H * G * angle.sin(), 0.0, -H * G * angle.cos(), 0.0, 0.0, 0.0]];
    Scene { bodies: vec![sphere([0.0, 0.0, 0.5])], contacts: vec![contact], free }
}

/// n = z, t1 = x, t2 = y.
const UPRIGHT: [V3; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn brick(centre: V3, [a, b, c]: V3, mass: f64) -> Body {
    let inertia = [b * b + c * c, a * a + c * c, a * a + b * b].map(|x| mass * x / 12.0);
    Body { centre, mass, inertia }
}

fn sphere(centre: V3) -> Body {
    Body { centre, mass: 1.0, inertia: [0.4 * 0.25; 3] }
}

impl Scene {
    /// Non-zero entries (dof, value) of one row of G.
    fn row(&self, contact: &Contact, row: usize) -> Vec<(usize, f64)> {
        let axis = contact.frame[row % 3];
        let mut entries = Vec::new();
        for (body, sign) in [(Some(contact.one), 1.0), (contact.two, -1.0)] {
            let Some(body) = body else { continue };
            let arm = combine(1.0, contact.point, -1.0, self.bodies[body].centre);
            let rows = if row < 3 { [axis, cross(arm, axis)] } else { [[0.0; 3], axis] };
            let values = rows.into_iter().flatten().enumerate();
            entries.extend(values.filter(|(_, x)| *x != 0.0).map(|(k, x)| (6 * body + k, sign * x)));
        }
        entries
    }

    fn rows(&self, rows: &[usize]) -> Vec<Vec<(usize, f64)>> {
        self.contacts.iter().flat_map(|c| rows.iter().map(|r| self.row(c, *r))).collect()
    }

    fn inertia(&self) -> Vec<f64> {
        self.bodies.iter().flat_map(|b| [[b.mass; 3], b.inertia]).flatten().collect()
    }

    /// W = G A⁻¹ Gᵀ, q = G u_free.
    fn local(&self, title: &str, rows: &[usize], mu: f64) -> Result<File, Box<dyn std::error::Error>> {
        let (g, inertia, free) = (self.rows(rows), self.inertia(), self.free.concat());
        let mut triplets = Vec::new();
        for (i, a) in g.iter().enumerate() {
            for (j, b) in g.iter().enumerate() {
                let mut products = Vec::new();
                for (k, x) in a {
                    products.extend(b.iter().filter(|(l, _)| l == k).map(|(_, y)| x * y / inertia[*k]));
                }
                let sum: f64 = products.iter().sum();
                if sum != 0.0 {
                    triplets.push((i, j, sum));
                }
            }
        }
        let w = matrix_from((g.len(), g.len()), &triplets)?;
        let q = g.iter().map(|row| row.iter().map(|(k, x)| x * free[*k]).sum()).collect();
        Ok(self.file(title, rows, mu, Problem::Local(Local { w, q, equality: None })))
    }

    /// M v = f + H r with H = Gᵀ, f = M u_free.
    fn global(&self, title: &str, rows: &[usize], mu: f64) -> Result<File, Box<dyn std::error::Error>> {
        let (g, inertia, free) = (self.rows(rows), self.inertia(), self.free.concat());
        let n = inertia.len();
        let mass: Vec<_> = inertia.iter().enumerate().map(|(k, m)| (k, k, *m)).collect();
        let entries: Vec<_> =
            g.iter().enumerate().flat_map(|(j, row)| row.iter().map(move |(k, x)| (*k, j, *x))).collect();
        let problem = Global {
            m: matrix_from((n, n), &mass)?,
            h: matrix_from((n, g.len()), &entries)?,
            f: inertia.iter().zip(&free).map(|(m, u)| m * u).collect(),
            w: vec![0.0; g.len()],
            equality: None,
        };
        Ok(self.file(title, rows, mu, Problem::Global(problem)))
    }

    fn file(&self, title: &str, rows: &[usize], mu: f64, problem: Problem) -> File {
        let description = "Written by crates/delassus/examples/problems.rs".into();
        File {
            space_dim: rows.iter().filter(|r| **r < 3).count(),
            info: Some(Info { title: title.into(), description, ..Info::default() }),
            problem,
            mu: vec![mu; self.contacts.len()],
            mu_r: None,
            guesses: vec![],
            solution: None,
        }
    }
}

fn combine(a: f64, x: V3, b: f64, y: V3) -> V3 {
    std::array::from_fn(|k| a * x[k] + b * y[k])
}

fn dot(x: V3, y: V3) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn cross(x: V3, y: V3) -> V3 {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

fn unit(x: V3) -> V3 {
    x.map(|c| c / dot(x, x).sqrt())
}

/// A frame with normal along `d`.
fn around(d: V3) -> [V3; 3] {
    let n = unit(d);
    let helper = if n[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t1 = unit(cross(n, helper));
    [n, t1, cross(n, t1)]
}
