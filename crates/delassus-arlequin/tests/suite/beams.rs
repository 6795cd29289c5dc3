//! Beams over beams, solids around beams: rows and statics against beam theory.

use delassus_arlequin::{BeamOverlap, Bond, Error, Junction, Layer, Line, Mediator, Product, Profile, Shares};
use delassus_fem::element::beam::Section;
use delassus_fem::element::{mass_rule, stiffness_rule};
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::generate::{Cuboid, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::solid::{Factors, Hypothesis, Motion, Solid, SolidSpec};
use nalgebra::{DMatrix, Vector3};

const LINEAR: Profile = Profile::Linear { floor: 1e-3 };
const PRODUCTS: [Product; 2] = [Product::L2, Product::H1 { length: 0.2 }];

fn points(from: f64, to: f64, n: usize, along: Vector3<f64>) -> Vec<[f64; 3]> {
    (0..=n).map(|k| (along * (from + (to - from) * k as f64 / n as f64)).into()).collect()
}

fn section() -> Section {
    Section::rectangle(1.0, 0.3, 1.0, [0.2, 0.1])
}

/// A saddle of stiffnesses and rows in the making: degrees of freedom of the coarse model, then of the fine one.
struct Statics {
    size: [usize; 2],
    per_node: [usize; 2],
    stiffness: DMatrix<f64>,
    held: Vec<usize>,
    force: DMatrix<f64>,
}

impl Statics {
    fn new(nodes: [usize; 2], per_node: [usize; 2]) -> Self {
        let size = [nodes[0] * per_node[0], nodes[1] * per_node[1]];
        let n = size[0] + size[1];
        Self { size, per_node, stiffness: DMatrix::zeros(n, n), held: vec![], force: DMatrix::zeros(n, 1) }
    }

    fn dof(&self, side: usize, node: usize, component: usize) -> usize {
        side * self.size[0] + node * self.per_node[side] + component
    }

    fn beams(&mut self, side: usize, points: &[[f64; 3]], factors: &Shares) {
        for (e, (p, factor)) in points.windows(2).zip(factors).enumerate() {
            let dofs: Vec<usize> = (0..2 * self.per_node[side]).map(|i| self.dof(side, e, i)).collect();
            let k = match self.per_node[side] {
                3 => {
                    let plane = section().plane([p[0][0], p[0][1]], [p[1][0], p[1][1]]).expect("beam");
                    DMatrix::from_column_slice(6, 6, plane.0.as_slice())
                }
                _ => DMatrix::from_column_slice(
                    12,
                    12,
                    section().space(p[0], p[1], [0.0, 1.0, 0.0]).expect("beam").0.as_slice(),
                ),
            };
            self.add(&dofs, k * *factor);
        }
    }

    fn add(&mut self, dofs: &[usize], k: DMatrix<f64>) {
        for (r, i) in dofs.iter().enumerate() {
            for (c, j) in dofs.iter().enumerate() {
                self.stiffness[(*i, *j)] += k[(r, c)];
            }
        }
    }

    fn solid(&mut self, solid: &Solid) {
        let u = vec![0.0; solid.dim() * solid.node_count()];
        let mut all = vec![];
        let motion = Motion { u: &u, v: &[] };
        let mut sink = |cell: usize, _: &[f64], k: &[f64]| all.push((cell, k.to_vec()));
        let history = solid.initial_history();
        let mut new = history.clone();
        solid.evaluate(0..solid.cells(), motion, &history, &mut new, Some([1.0, 0.0]), &mut sink).expect("at rest");
        for (cell, k) in all {
            let of = |n: &u32| (0..self.per_node[1]).map(|c| self.dof(1, *n as usize, c)).collect::<Vec<_>>();
            let dofs: Vec<usize> = solid.connectivity(cell).iter().flat_map(of).collect();
            self.add(&dofs, DMatrix::from_row_slice(dofs.len(), dofs.len(), &k));
        }
    }

    /// A column for each column of forces.
    fn solve(&self, bond: &Bond) -> DMatrix<f64> {
        let (n, m) = (self.force.nrows(), bond.rows.len());
        let mut a = DMatrix::zeros(n + m, n + m);
        a.view_mut((0, 0), (n, n)).copy_from(&self.stiffness);
        // Multipliers of the size of displacements.
        let scale = self.stiffness.amax() / bond.rows[0].coarse.iter().map(|t| t.2.abs()).fold(0.0, f64::max);
        for (r, row) in bond.rows.iter().enumerate() {
            for (side, terms) in [&row.coarse, &row.fine].into_iter().enumerate() {
                for (node, component, c) in terms {
                    let i = self.dof(side, *node as usize, *component);
                    a[(n + r, i)] += scale * c;
                    a[(i, n + r)] += scale * c;
                }
            }
        }
        let mut b = DMatrix::zeros(n + m, self.force.ncols());
        b.rows_mut(0, n).copy_from(&self.force);
        for d in &self.held {
            a.row_mut(*d).fill(0.0);
            a.column_mut(*d).fill(0.0);
            a[(*d, *d)] = self.stiffness.amax();
            b.row_mut(*d).fill(0.0);
        }
        let x = a.lu().solve(&b).expect("held");
        x.rows(0, n).into_owned()
    }
}

/// Rows are zero on motions that both lines carry: rigid ones, and every field of equilibrium without load, as
/// Timoshenko's elements are exact for them.
#[test]
fn rows_between_beams_vanish_on_fields_of_equilibrium() {
    let s = section();
    let along = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    let up = [0.3, 1.0, 0.1];
    let z = along.cross(&Vector3::from(up)).normalize();
    let y = z.cross(&along);
    let (a, b) = (points(2.0, 5.0, 4, along), points(0.0, 3.0, 7, along));
    let lines = [&a, &b].map(|p| Line::new(3, p, &s, up).expect("straight"));
    let o = BeamOverlap::new(&lines[0], &lines[1]).expect("overlap");
    assert!((o.measure().expect("made") - 1.0).abs() < 1e-14);
    let shear = [s.inertia[1], s.inertia[0]].map(|i| s.young * i / (5.0 / 6.0 * s.shear * s.area));
    // A cubic deflection with its rotation in both planes, traction, torsion, a shift and a turn.
    let motion = |x: f64| {
        let (w, turn) = (x * x * x - 2.0 * x * x, 3.0 * x * x - 4.0 * x);
        let ry = turn + 6.0 * shear[0];
        let rz = turn + 6.0 * shear[1];
        let turned = Vector3::new(0.1, 0.2, 0.3);
        let u = along * (0.3 * x) + y * w + z * w + Vector3::new(1.0, 2.0, 3.0) + turned.cross(&(along * x));
        let t = along * (0.2 * x) + z * ry - y * rz + turned;
        [u, t].concat_array()
    };
    for mediator in [Mediator::Coarse, Mediator::Fine] {
        for product in PRODUCTS {
            let bond = o.glue(mediator, product, &|_| true).expect("rows");
            for row in &bond.rows {
                let sum = |terms: &[(u32, usize, f64)], p: &[[f64; 3]]| -> [f64; 2] {
                    let one = |(n, k, c): &(u32, usize, f64)| c * motion(Vector3::from(p[*n as usize]).dot(&along))[*k];
                    [terms.iter().map(one).sum(), terms.iter().map(|t| one(t).abs()).sum()]
                };
                let ([x, size], [y, _]) = (sum(&row.coarse, &a), sum(&row.fine, &b));
                assert!((x + y).abs() < 1e-12 * size, "{product:?} {:?}: {} of {size}", row.place, x + y);
            }
        }
    }
    let beside = Line::new(3, &points(0.0, 3.0, 3, Vector3::x()), &s, up).expect("straight");
    assert!(matches!(BeamOverlap::new(&lines[0], &beside), Err(Error::Beside { .. })));
    let bent = [[0.0; 3], [1.0, 0.1, 0.0], [2.0, 0.0, 0.0]];
    assert!(matches!(Line::new(3, &bent, &s, up), Err(Error::Bent { node: 1, .. })));
}

trait Concat {
    fn concat_array(self) -> [f64; 6];
}

impl Concat for [Vector3<f64>; 2] {
    fn concat_array(self) -> [f64; 6] {
        std::array::from_fn(|k| self[k / 3][k % 3])
    }
}

/// The bar of \[Zammali05\] §4.2.7, fine ]0, 3[ and coarse ]2, 5[, under a force and a moment at its end. Largest errors
/// of the displacement along it and of the deflection, over the largest displacement.
fn bar(h: [f64; 2], profile: Profile, mediator: Mediator, product: Product) -> [f64; 2] {
    let s = section();
    let (a, b) = (
        points(2.0, 5.0, (3.0 / h[0]).round() as usize, Vector3::x()),
        points(0.0, 3.0, (3.0 / h[1]).round() as usize, Vector3::x()),
    );
    let lines = [&a, &b].map(|p| Line::new(2, p, &s, [0.0; 3]).expect("straight"));
    let o = BeamOverlap::new(&lines[0], &lines[1]).expect("overlap");
    let [fa, fb] = o.factors(profile, None).expect("ramp");
    let mut statics = Statics::new([a.len(), b.len()], [3, 3]);
    statics.beams(0, &a, &fa);
    statics.beams(1, &b, &fb);
    statics.held = (0..3).map(|k| statics.dof(1, 0, k)).collect();
    let (n, ei) = (s.young * s.area, s.young * s.inertia[1]);
    let end = statics.dof(0, a.len() - 1, 0);
    statics.force[end] = n;
    statics.force[end + 2] = ei;
    let u = statics.solve(&o.glue(mediator, product, &|_| true).expect("rows"));
    let mut off = [0.0f64; 2];
    for (side, points) in [&a, &b].into_iter().enumerate() {
        for (node, p) in points.iter().enumerate() {
            off[0] = off[0].max((u[statics.dof(side, node, 0)] - p[0]).abs() / 5.0);
            off[1] = off[1].max((u[statics.dof(side, node, 1)] - 0.5 * p[0] * p[0]).abs() / 12.5);
        }
    }
    off
}

/// Reference A1: `u = F x/(E S)`, exact with the mediator of the fine mesh, constant and linear weights, and not with that
/// of the coarse mesh; bending by `w = M x²/(2 E I)` likewise.
#[test]
fn a_bar_in_tension_and_bending() {
    for profile in [Profile::Constant(0.5), LINEAR, Profile::Cubic { floor: 1e-3 }] {
        for product in PRODUCTS {
            let off = bar([0.25, 0.05], profile, Mediator::Fine, product);
            assert!(off[0] < 1e-11, "{profile:?} {product:?}: {off:?}");
            // One factor for each element: where weights change, bending is exact to the second order only.
            let bent = if matches!(profile, Profile::Constant(_)) { 1e-9 } else { 1e-3 };
            assert!(off[1] < bent, "{profile:?} {product:?}: {off:?}");
        }
    }
    let off = |profile| bar([0.25, 0.05], profile, Mediator::Coarse, Product::L2);
    assert!(off(Profile::Constant(0.5))[0] > 1e-4);
    assert!(off(LINEAR)[0] < off(Profile::Constant(0.5))[0]);
}

/// A solid around a line of beams, with the rows and factors that glue them.
struct Held {
    statics: Statics,
    mesh: Mesh,
    line: Vec<[f64; 3]>,
    bond: Bond,
}

/// Solid ]0, 3[, beams ]2, 5[, held at the face x = 0 so that sections may shrink.
fn held<const D: usize>(mesh: Mesh, beams: usize, profile: Profile, mediator: Mediator, product: Product) -> Held {
    let s = section();
    let hypothesis = if D == 2 { Hypothesis::PlaneStress { thickness: 0.1 } } else { Hypothesis::Space };
    let material = Material::Elastic { young: 1.0, poisson: 0.3 };
    let cells: Vec<_> = mesh.volume_cells().collect();
    let spec = SolidSpec::new(material, 1.0, Kinematics::Small, hypothesis);
    let mut solid = Solid::new(&mesh, &cells, spec).expect("solid");
    let line = points(2.0, 5.0, beams, Vector3::x());
    let extent = |x: &delassus_arlequin::Vector<D>| hypothesis.extent(x[0]);
    let beam = Line::new(D, &line, &s, [0.0, 1.0, 0.0]).expect("straight");
    let junction = Junction::<D>::new(Layer::new(&mesh, None).expect("cells"), beam).expect("overlap");
    let [area, inertia] = junction.section(&extent);
    assert!((area / s.area - 1.0).abs() < 1e-12 && (inertia / s.inertia[1] - 1.0).abs() < 1e-12);
    assert!((junction.length() - 1.0).abs() < 1e-14);
    let (beams, strain) = junction.factors(profile, &|k| stiffness_rule(k, false), None, &extent).expect("ramp");
    let (_, inertia) = junction.factors(profile, &mass_rule, None, &extent).expect("ramp");
    let bond = junction.glue(mediator, product, &|_| true, &extent).expect("rows");
    drop(junction);
    solid.weigh(&Factors { load: inertia.clone(), inertia, strain }).expect("factors");
    let per = if D == 2 { 3 } else { 6 };
    let mut statics = Statics::new([line.len(), mesh.points.len()], [per, D]);
    statics.beams(0, &line, &beams);
    statics.solid(&solid);
    for (n, p) in mesh.points.iter().enumerate().filter(|(_, p)| p[0] == 0.0) {
        statics.held.push(statics.dof(1, n, 0));
        // The middle, and in space the twist about it.
        if p[1].abs() < 1e-12 {
            statics.held.push(statics.dof(1, n, 1));
            if D == 3 && p[2].abs() < 1e-12 {
                statics.held.push(statics.dof(1, n, 2));
            }
        }
    }
    Held { statics, mesh, line, bond }
}

impl Held {
    /// Displacements of the end of the beams under loads there: component and load, component that is read.
    fn ends<const N: usize>(mut self, loads: [(usize, f64, usize); N]) -> [f64; N] {
        let end = self.statics.dof(0, self.line.len() - 1, 0);
        self.statics.force = DMatrix::zeros(self.statics.force.nrows(), N);
        for (case, (component, load, _)) in loads.iter().enumerate() {
            self.statics.force[(end + component, case)] = *load;
        }
        let u = self.statics.solve(&self.bond);
        std::array::from_fn(|case| u[(end + loads[case].2, case)])
    }
}

fn plane(cells: [usize; 2], kind: CellKind) -> Mesh {
    Rectangle::new([0.0, -0.1], [3.0, 0.1], cells, kind).mesh().expect("mesh")
}

/// Rigid motions of beams and solid together give nothing in any row.
#[test]
fn rigid_motions_pass_between_a_solid_and_beams() {
    fn check<const D: usize>(mesh: &Mesh) {
        let turned = if D == 2 { Vector3::new(0.0, 0.0, 0.7) } else { Vector3::new(0.1, -0.4, 0.7) };
        let at = |p: [f64; 3]| Vector3::new(0.3, -0.2, 0.5) + turned.cross(&Vector3::from(p));
        for mediator in [Mediator::Coarse, Mediator::Fine] {
            for product in PRODUCTS {
                let h = held::<D>(mesh.clone(), 5, LINEAR, mediator, product);
                for row in &h.bond.rows {
                    let beam = |k: usize, p: [f64; 3]| match k.checked_sub(D) {
                        Some(turn) => turned[if D == 2 { 2 } else { turn }],
                        None => at(p)[k],
                    };
                    let a: f64 = row.coarse.iter().map(|(n, k, c)| c * beam(*k, h.line[*n as usize])).sum();
                    let b: f64 = row.fine.iter().map(|(n, k, c)| c * at(h.mesh.points[*n as usize])[*k]).sum();
                    let size: f64 = row.coarse.iter().chain(&row.fine).map(|t| t.2.abs()).sum();
                    assert!((a + b).abs() < 1e-13 * size.max(1e-3), "{mediator:?} {product:?}: {}", a + b);
                }
            }
        }
    }
    check::<2>(&plane([7, 2], CellKind::Quad8));
    check::<3>(&Cuboid::new([0.0, -0.1, -0.05], [3.0, 0.1, 0.05], [6, 2, 2], CellKind::Tet4).mesh().expect("mesh"));
}

/// Tension `u = F L/(E S)` and bending `w = M L²/(2 E I)`, and under a force Timoshenko's `F L³/(3 E I) + F L/(κ G S)`
/// (the kind of reference N3). The mediator of sections with linear weights leaves the solid free to shrink across: its
/// error is that of the floor of the weights and of constant weights of elements, and falls with both.
#[test]
fn a_solid_and_beams_stretch_and_bend_as_one_beam() {
    let s = section();
    let (n, ei) = (s.young * s.area, s.young * s.inertia[1]);
    let exact = [5.0, 12.5, 125.0 / 3.0 + 5.0 * ei / (5.0 / 6.0 * s.shear * s.area)];
    let errors = |cells: [usize; 2], beams: usize, profile, mediator| {
        let h = held::<2>(plane(cells, CellKind::Quad8), beams, profile, mediator, Product::L2);
        let got = h.ends([(0, n, 0), (2, ei, 1), (1, ei, 1)]);
        [0, 1, 2].map(|k| got[k] / exact[k] - 1.0)
    };
    let coarse = errors([12, 2], 6, LINEAR, Mediator::Coarse);
    let fine = errors([24, 2], 24, LINEAR, Mediator::Coarse);
    for (k, (coarse, fine)) in coarse.iter().zip(fine).enumerate() {
        // Elements four times as short: sixteen by the order, and what the floor leaves.
        assert!(coarse.abs() < 1e-2 && fine.abs() < coarse.abs() / 8.0 + 1e-5, "{k}: {coarse} {fine}");
    }
    assert!(coarse[0].abs() < 1e-5);
    // Held as the sections are, a solid cannot shrink across: it is too stiff, by less than Poisson's ratio would on
    // all of the overlap, 1/(1 − ν²) on a fifth of the length.
    let stiff = errors([12, 2], 6, LINEAR, Mediator::Fine);
    assert!(stiff.iter().all(|e| (-0.02..-1e-3).contains(e)), "{stiff:?}");
}

/// The same in space: tension and bending in both planes, within the percent of reference N3.
#[test]
fn a_solid_of_space_and_beams_stretch_and_bend_as_one_beam() {
    let s = section();
    let mesh = Cuboid::new([0.0, -0.1, -0.05], [3.0, 0.1, 0.05], [8, 2, 2], CellKind::Tet10).mesh().expect("mesh");
    let h = held::<3>(mesh, 6, LINEAR, Mediator::Coarse, Product::L2);
    let shear = 5.0 / 6.0 * s.shear * s.area;
    let exact = [
        5.0 / (s.young * s.area),
        12.5 / (s.young * s.inertia[1]),
        125.0 / (3.0 * s.young * s.inertia[1]) + 5.0 / shear,
        125.0 / (3.0 * s.young * s.inertia[0]) + 5.0 / shear,
    ];
    for (got, exact) in h.ends([(0, 1.0, 0), (5, 1.0, 1), (1, 1.0, 1), (2, 1.0, 2)]).iter().zip(exact) {
        assert!((got / exact - 1.0).abs() < 0.01, "{got} {exact}");
    }
}
