//! The partition of facets of space by itself: meshes that match, nearly match, and do not.
//!
//! References: areas of intersections of convex polygons, found here by another way; integrals of shape
//! functions over their own facets.

use delassus_contact::skin::{FacetKind, Interface, Master, PairSettings, PointKey, Surface};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;

const CELLS: usize = 4;
/// Cells of smaller share of their facet are slivers.
const SLIVER: f64 = 1e-12;

type Place = [f64; 2];

/// A square sheet of `n × n` cells of unit size, nodes moved by `place`; all at the height `z`.
fn sheet(x: &mut Vec<f64>, kind: FacetKind, n: usize, (up, z): (bool, f64), place: impl Fn(Place) -> Place) -> Surface {
    let first = (x.len() / 3) as u32;
    for j in 0..=n {
        for i in 0..=n {
            let at = place([i as f64, j as f64]);
            x.extend([at[0], at[1], z]);
        }
    }
    let id = |i: usize, j: usize| first + (j * (n + 1) + i) as u32;
    let mut facets = vec![];
    for j in 0..n {
        for i in 0..n {
            let c = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
            let list: &[[usize; 3]] = &[[0, 1, 2], [0, 2, 3]];
            match kind {
                FacetKind::Quad4 => facets.push(c.to_vec()),
                _ => facets.extend(list.iter().map(|t| t.map(|k| c[k]).to_vec())),
            }
        }
    }
    if !up {
        facets.iter_mut().for_each(|f| f.reverse());
    }
    Surface::new(3, &[(kind, &facets.concat())]).expect("a sheet")
}

fn paired(slave: Surface, master: Surface, x: &[f64]) -> Interface<3> {
    let mut i = Interface::new(slave, Master::Surface(master), PairSettings::new(0.5)).expect("valid");
    i.pair(x, x, &vec![0.0; x.len()], 0.0).expect("paired");
    i
}

/// Area of the intersection of two convex polygons: the polygon of all corners of one inside the other and of
/// all crossings of edges, around their middle.
fn overlap(a: &[Place], b: &[Place]) -> f64 {
    let cross = |o: Place, p: Place, q: Place| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    let edges = |p: &[Place]| -> Vec<[Place; 2]> { (0..p.len()).map(|k| [p[k], p[(k + 1) % p.len()]]).collect() };
    let inside = |p: Place, poly: &[Place]| edges(poly).iter().all(|e| cross(e[0], e[1], p) >= 0.0);
    let mut all: Vec<Place> = a.iter().filter(|p| inside(**p, b)).copied().collect();
    all.extend(b.iter().filter(|p| inside(**p, a)));
    for [p, q] in edges(a) {
        for [r, s] in edges(b) {
            let (d, from, to) = (
                cross([0.0; 2], [q[0] - p[0], q[1] - p[1]], [s[0] - r[0], s[1] - r[1]]),
                cross(r, s, p),
                cross(p, q, r),
            );
            let (t, u) = (-from / cross([0.0; 2], [s[0] - r[0], s[1] - r[1]], [q[0] - p[0], q[1] - p[1]]), to / -d);
            if d != 0.0 && (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
                all.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
            }
        }
    }
    if all.len() < 3 {
        return 0.0;
    }
    let n = all.len() as f64;
    let middle = all.iter().fold([0.0; 2], |m, p| [m[0] + p[0] / n, m[1] + p[1] / n]);
    all.sort_by(|p, q| {
        let angle = |p: &Place| (p[1] - middle[1]).atan2(p[0] - middle[0]);
        angle(p).total_cmp(&angle(q))
    });
    0.5 * (0..all.len()).map(|k| cross(middle, all[k], all[(k + 1) % all.len()])).sum::<f64>()
}

/// Turned by `angle` about the middle of the sheet, then moved.
fn turned(angle: f64, by: Place) -> impl Fn(Place) -> Place {
    let (s, c) = angle.sin_cos();
    let m = CELLS as f64 / 2.0;
    move |p| {
        let (x, y) = (p[0] - m, p[1] - m);
        [m + c * x - s * y + by[0], m + s * x + c * y + by[1]]
    }
}

fn square() -> Vec<Place> {
    let n = CELLS as f64;
    vec![[0.0, 0.0], [n, 0.0], [n, n], [0.0, n]]
}

/// Weights of the points of each part of a facet that has one master add up to at least a sliver.
fn check_slivers(i: &Interface<3>) {
    let mut cells = BTreeMap::<(u32, u32), f64>::new();
    for p in i.points() {
        assert!(p.weight > 0.0 && p.gap.abs() < 0.2);
        *cells.entry((p.key.slave, p.key.master)).or_default() += p.weight;
    }
    for (names, area) in cells {
        let facet: f64 = i.points().iter().filter(|p| p.key.slave == names.0).map(|p| p.weight).sum();
        assert!(area > 0.9 * SLIVER * facet, "{names:?}: {area:e}");
    }
}

/// Areas add up to what the sheets share, for shifts and turns from round-off to whole cells. Borders that are
/// nearer than the snap (1e-6 of a cell) coincide: a strip of that width.
#[test]
fn areas_add_up_to_the_overlap() {
    let mut rng = StdRng::seed_from_u64(7);
    for exponent in 0..=16 {
        for kinds in [[FacetKind::Quad4, FacetKind::Quad4], [FacetKind::Tri3, FacetKind::Quad4], [FacetKind::Tri3; 2]] {
            let size = 10f64.powi(-exponent);
            let (angle, by) = (size * rng.random_range(-1.0..1.0), [0, 1].map(|_| size * rng.random_range(-1.0..1.0)));
            let place = turned(angle, by);
            let mut x = vec![];
            let slave = sheet(&mut x, kinds[0], CELLS, (false, 0.1), |p| p);
            let master = sheet(&mut x, kinds[1], CELLS, (true, 0.0), &place);
            let i = paired(slave, master, &x);
            let exact = overlap(&square(), &square().iter().map(|p| place(*p)).collect::<Vec<_>>());
            let found: f64 = i.points().iter().map(|p| p.weight).sum();
            let borders = if size < 5e-3 { 4.0 * CELLS as f64 * 1e-6 } else { 0.0 };
            assert!((found - exact).abs() < 1e-9 + borders, "{kinds:?} {size:e}: {found} {exact}");
            check_slivers(&i);
        }
    }
}

/// A constant pressure passes: `Σ ω N̄_k` is what the master's own facets give, `Σ ω N_i` what the slave's do,
/// with interior nodes moved at random by anything from round-off to a third of a cell. Triangles have exact
/// integrals; so have quadrangles that stay rectangles, below.
#[test]
fn constant_pressure_passes_incompatible_meshes() {
    let mut rng = StdRng::seed_from_u64(11);
    for (n, m) in [(4, 4), (4, 3), (3, 5)] {
        for exponent in 0..=14 {
            let size = 0.3 * 10f64.powi(-exponent);
            let moved: BTreeMap<(i64, i64), Place> = (0..=m as i64)
                .flat_map(|i| (0..=m as i64).map(move |j| (i, j)))
                .map(|key| (key, [0, 1].map(|_| size * rng.random_range(-1.0..1.0))))
                .collect();
            let place = |p: Place| {
                let d = moved[&(p[0] as i64, p[1] as i64)];
                let inner = |k: usize| p[k] > 0.0 && p[k] < m as f64;
                let scale = 1.0 / m as f64;
                [0, 1].map(|k| scale * (p[k] + if inner(0) && inner(1) { d[k] } else { 0.0 }))
            };
            let mut x = vec![];
            let slave = sheet(&mut x, FacetKind::Tri3, n, (false, 0.05), |p| p.map(|c| c / n as f64));
            let master = sheet(&mut x, FacetKind::Tri3, m, (true, 0.0), place);
            check_pressure(slave, master, &x, 1e-11);
        }
    }
}

/// The same for rectangles shifted by anything: the master is larger on all sides.
#[test]
fn constant_pressure_passes_shifted_rectangles() {
    for exponent in 1..=16 {
        let size = 10f64.powi(-exponent);
        let mut x = vec![];
        let slave = sheet(&mut x, FacetKind::Quad4, 3, (false, 0.05), |p| p);
        let master = sheet(&mut x, FacetKind::Quad4, 5, (true, 0.0), |p| [p[0] - 1.0 + size, p[1] - 1.0 + 0.37 * size]);
        let i = paired(slave, master, &x);
        check_slivers(&i);
        let mut sums = [BTreeMap::<u32, f64>::new(), BTreeMap::new()];
        for p in i.points() {
            for (side, stencil) in [&p.slave, &p.master].into_iter().enumerate() {
                stencil.iter().for_each(|(k, c)| *sums[side].entry(k).or_default() += p.weight * c);
            }
        }
        // Nodes whose hat lies within the slave: a whole cell; corners of the slave: a quarter.
        let inner = 16 + 2 * 6 + 2;
        assert!((sums[1][&inner] - 1.0).abs() < 1e-11, "{size:e}: {}", sums[1][&inner]);
        assert!((sums[0][&0] - 0.25).abs() < 1e-12 && (sums[0][&5] - 1.0).abs() < 1e-12);
    }
}

fn check_pressure(slave: Surface, master: Surface, x: &[f64], tolerance: f64) {
    let exact = [own_integrals(&slave, x), own_integrals(&master, x)];
    let i = paired(slave, master, x);
    check_slivers(&i);
    let mut sums = [BTreeMap::<u32, f64>::new(), BTreeMap::new()];
    for p in i.points() {
        for (side, stencil) in [&p.slave, &p.master].into_iter().enumerate() {
            stencil.iter().for_each(|(k, c)| *sums[side].entry(k).or_default() += p.weight * c);
        }
    }
    for (sums, exact) in sums.iter().zip(&exact) {
        for (node, value) in exact {
            let found = sums.get(node).copied().unwrap_or(0.0);
            assert!((found - value).abs() < tolerance, "node {node}: {found} {value}");
        }
    }
}

/// ∫ N over triangles: a third of the area at each corner.
fn own_integrals(s: &Surface, x: &[f64]) -> BTreeMap<u32, f64> {
    let mut out = BTreeMap::new();
    for f in 0..s.len() {
        let at = |k: usize| [x[3 * s.facet(f)[k] as usize], x[3 * s.facet(f)[k] as usize + 1]];
        let [a, b, c] = [at(0), at(1), at(2)];
        let area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
        s.facet(f).iter().for_each(|n| *out.entry(*n).or_default() += area / 3.0);
    }
    out
}

/// A contact point keeps its name when the sheets move a little and facets still face the same ones.
#[test]
fn points_keep_their_names() {
    let mut rng = StdRng::seed_from_u64(3);
    let names = |master_cells: usize, by: Place, angle: f64| -> Vec<PointKey> {
        let scale = CELLS as f64 / master_cells as f64;
        let place = turned(angle, by);
        let mut x = vec![];
        let slave = sheet(&mut x, FacetKind::Quad4, CELLS, (false, 0.1), |p| p);
        let master = sheet(&mut x, FacetKind::Quad4, master_cells, (true, 0.0), |p| place(p.map(|c| scale * c)));
        let i = paired(slave, master, &x);
        let names: Vec<PointKey> = i.points().iter().map(|p| p.key).collect();
        assert!(names.windows(2).all(|w| w[0] < w[1]), "sorted, all different");
        names
    };
    // Matching meshes: whatever round-off does, no cells appear.
    let matching = names(CELLS, [0.0; 2], 0.0);
    assert_eq!(matching.len(), CELLS * CELLS * 6);
    for _ in 0..50 {
        let by = [0, 1].map(|_| 2e-7 * rng.random_range(-1.0..1.0));
        assert_eq!(names(CELLS, by, 1e-7 * rng.random_range(-1.0..1.0)), matching);
    }
    // Others: a shift that keeps the pairs of facets, by ten per cent of itself.
    let before = names(3, [0.01, 0.02], 0.0);
    for _ in 0..50 {
        let by = [0.01, 0.02].map(|c| c * (1.0 + 0.1 * rng.random_range(-1.0..1.0)));
        assert_eq!(names(3, by, 0.0), before);
    }
}
