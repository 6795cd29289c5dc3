//! The reference systems of `data/indeterminacy.json` as statics and as one-step problems.
#![allow(dead_code)]

use delassus_explore::Statics;
use delassus_friction::algebra::{BlockMatrix, Vector};
use delassus_friction::{Law, Problem};
use serde_json::Value;

pub fn references() -> Value {
    serde_json::from_str(include_str!("../../data/indeterminacy.json")).expect("JSON")
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

pub fn pair(value: &Value) -> Vector<2> {
    Vector::<2>::new(number(&value[0]), number(&value[1]))
}

/// Reference vertices, (tangent, normal) there, (normal, tangent) here.
pub fn vertices(contact: &Value) -> Vec<Vector<2>> {
    let list = contact["vertices_TN"].as_array().expect("vertices");
    list.iter().map(pair).map(|v| Vector::<2>::new(v[1], v[0])).collect()
}

/// A plane system: bodies with mass and moment of inertia, contacts with blocks of `G`.
#[derive(Default)]
pub struct System {
    pub mass: Vec<[f64; 2]>,
    /// Given forces and torque on each body.
    pub load: Vec<[f64; 3]>,
    /// By contact: bodies and rows of `G` on `(v_x, v_y, ω)`, normal then tangent.
    pub contacts: Vec<Vec<(usize, [[f64; 3]; 2])>>,
    pub laws: Vec<Law>,
}

impl System {
    /// A contact at `point`, normal towards the first body; `None` for an obstacle.
    pub fn touch(&mut self, bodies: [Option<(usize, Vector<2>)>; 2], point: Vector<2>, normal: Vector<2>, mu: f64) {
        let tangent = Vector::<2>::new(normal[1], -normal[0]);
        let mut sides = vec![];
        for (body, sign) in bodies.into_iter().zip([1.0, -1.0]) {
            if let Some((body, centre)) = body {
                let arm = point - centre;
                let row = |d: &Vector<2>| [sign * d[0], sign * d[1], sign * arm.perp(d)];
                sides.push((body, [row(&normal), row(&tangent)]));
            }
        }
        self.contacts.push(sides);
        self.laws.push(Law::coulomb(mu));
    }

    pub fn statics(&self) -> Statics<2> {
        let mut entries = vec![];
        for (k, sides) in self.contacts.iter().enumerate() {
            for (body, [n, t]) in sides {
                entries.extend((0..3).map(|d| (k, 3 * body + d, Vector::<2>::new(n[d], t[d]))));
            }
        }
        let load = self.load.iter().flatten().copied().collect();
        Statics::new(self.laws.clone(), self.laws.len(), load, entries).expect("valid")
    }

    /// One step of length 1 from rest: `W = G M⁻¹ Gᵀ`, `b = G M⁻¹ f`.
    pub fn problem(&self) -> Problem<2> {
        let inverse = |body: usize, d: usize| 1.0 / self.mass[body][usize::from(d == 2)];
        let mut triplets = vec![];
        let mut b = vec![];
        for (i, a) in self.contacts.iter().enumerate() {
            let mut free = Vector::<2>::zeros();
            for (body, rows) in a {
                for d in 0..3 {
                    free += Vector::<2>::new(rows[0][d], rows[1][d]) * inverse(*body, d) * self.load[*body][d];
                }
            }
            b.push(free);
            for (j, c) in self.contacts.iter().enumerate() {
                let mut w = delassus_friction::algebra::Matrix::<2>::zeros();
                let mut any = false;
                for (body, g) in a {
                    for (other, k) in c.iter().filter(|s| s.0 == *body) {
                        any = true;
                        for d in 0..3 {
                            let (g, k) = (Vector::<2>::new(g[0][d], g[1][d]), Vector::<2>::new(k[0][d], k[1][d]));
                            w += g * k.transpose() * inverse(*other, d);
                        }
                    }
                }
                if any {
                    triplets.push((i as u32, j as u32, w));
                }
            }
        }
        Problem::new(BlockMatrix::from_triplets(self.laws.len(), &mut triplets), b, self.laws.clone()).expect("valid")
    }
}

/// Discs of the reference: radii from `discs_x_y_r`, 1 in the small stacks; weights given.
pub fn discs(reference: &Value, mu: f64) -> System {
    let weights: Vec<f64> = reference["weights"].as_array().expect("weights").iter().map(number).collect();
    let radius = |body: usize| match reference["discs_x_y_r"].get(body) {
        Some(disc) => number(&disc[2]),
        None => 1.0,
    };
    let mut system = System {
        load: weights.iter().map(|w| [0.0, -w, 0.0]).collect(),
        mass: (0..weights.len()).map(|b| [weights[b], 0.5 * weights[b] * radius(b).powi(2)]).collect(),
        ..Default::default()
    };
    for contact in reference["contacts"].as_array().expect("contacts") {
        let (point, normal) = (pair(&contact["point"]), pair(&contact["normal"]));
        let side = |k: usize, sign: f64| {
            let body = contact["contact"][k].as_u64()? as usize;
            Some((body, point + normal * (sign * radius(body))))
        };
        system.touch([side(0, 1.0), side(1, -1.0)], point, normal, mu);
    }
    system
}

/// A symmetric bar of weight `w` and half length 1 between walls at `beta` from the vertical,
/// converging upwards.
pub fn wedged_bar(beta: f64, mu: f64, weight: f64) -> System {
    let mut system =
        System { mass: vec![[weight, weight / 3.0]], load: vec![[0.0, -weight, 0.0]], ..Default::default() };
    let bar = Some((0, Vector::<2>::zeros()));
    for side in [-1.0, 1.0] {
        let normal = Vector::<2>::new(-side * beta.cos(), -beta.sin());
        system.touch([bar, None], Vector::<2>::new(side, 0.0), normal, mu);
    }
    system
}

/// A ladder of length 2 and weight 1 at `theta` from the floor, which is contact 0.
pub fn ladder(theta: f64, mu_floor: f64, mu_wall: f64) -> System {
    let mut system = System { mass: vec![[1.0, 1.0 / 3.0]], load: vec![[0.0, -1.0, 0.0]], ..Default::default() };
    let end = Vector::<2>::new(theta.cos(), theta.sin());
    let body = Some((0, Vector::<2>::zeros()));
    system.touch([body, None], Vector::<2>::new(end[0], -end[1]), Vector::<2>::new(0.0, 1.0), mu_floor);
    system.touch([body, None], Vector::<2>::new(-end[0], end[1]), Vector::<2>::new(1.0, 0.0), mu_wall);
    system
}
