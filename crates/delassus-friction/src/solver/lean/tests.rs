//! References: the operator of the problem itself, its certificate, and the laws' own one-contact solves.

use super::*;
use crate::algebra::Matrix;
use crate::certificate;
use rand::{Rng, SeedableRng, rngs::StdRng};

fn unit(rng: &mut StdRng) -> [f64; 3] {
    let v: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
    let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / size)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A right-handed frame with its first axis anywhere, or in the plane.
fn axes(rng: &mut StdRng, plane: bool) -> [[f64; 3]; 3] {
    if plane {
        let (s, c) = rng.random_range(0.0..6.3f64).sin_cos();
        return [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]];
    }
    let n = unit(rng);
    let side = cross(n, unit(rng));
    let size = side.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t = side.map(|x| x / size);
    [n, t, cross(n, t)]
}

/// Bodies of any inertia, or balls, that touch at random; every fifth contact with an obstacle.
fn problem<const D: usize>(balls: bool, seed: u64) -> Problem<D> {
    sized(balls, seed, 12, 40)
}

fn sized<const D: usize>(balls: bool, seed: u64, bodies: usize, contacts: usize) -> Problem<D> {
    let mut rng = StdRng::seed_from_u64(seed);
    let (width, plane) = (if D == 2 { 3 } else { 6 }, D == 2);
    let weight: Vec<[f64; 4]> = (0..bodies)
        .map(|_| {
            let mut w: [f64; 4] = std::array::from_fn(|_| rng.random_range(0.5..3.0));
            if balls {
                w[3] = w[1];
                w[2] = w[1];
            }
            w
        })
        .collect();
    let own: Vec<_> = (0..bodies).map(|_| axes(&mut rng, plane)).collect();
    let radius: Vec<f64> = (0..bodies).map(|_| rng.random_range(0.5..2.0)).collect();
    let mut problem = Problem::default();
    problem
        .refill_by_bodies(|root, b, laws| {
            root.clear(width, bodies);
            for i in 0..contacts {
                let mut frame = axes(&mut rng, plane);
                if i % 3 == 0 {
                    // Frames turn either way.
                    frame[1] = frame[1].map(|x| -x);
                }
                root.begin(Vector::zeros());
                let (first, second) = (i % bodies, (i * 5 + 1 + i / bodies) % bodies);
                let touched = [Some(first), (i % 5 != 0 && second != first).then_some(second)];
                for (body, sign) in touched.into_iter().zip([1.0, -1.0]) {
                    let Some(body) = body else { continue };
                    let lever = match balls {
                        true => frame[0].map(|x| -sign * radius[body] * x),
                        false => unit(&mut rng).map(|x| radius[body] * x),
                    };
                    let columns: Vec<Vector<D>> = (0..width)
                        .map(|j| {
                            Vector::from_fn(|k, _| match (j, plane) {
                                (2, true) => sign * cross(lever, frame[k])[2] * weight[body][1],
                                (j, _) if j < 3 => sign * frame[k][j] * weight[body][0],
                                (j, _) => {
                                    let moment = cross(lever, frame[k]);
                                    let axis = own[body][j - 3];
                                    let along: f64 = (0..3).map(|c| axis[c] * moment[c]).sum();
                                    sign * along * weight[body][j - 2]
                                }
                            })
                        })
                        .collect();
                    assert!(root.push(body as u32, columns.into_iter()));
                }
                b.push(Vector::from_fn(|_, _| rng.random_range(-1.0..0.6)));
                laws.push(Law::coulomb(if i % 7 == 0 { 0.0 } else { 0.1 * (i % 6 + 1) as f64 }));
            }
        })
        .expect("a problem");
    problem
}

fn percussions<const D: usize>(problem: &Problem<D>, seed: u64) -> Vec<Vector<D>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let draw = |law: &Law| law.project(&Vector::from_fn(|_, _| rng.random_range(-0.5..1.0)));
    problem.laws().iter().map(draw).collect()
}

fn agrees<const D: usize>(problem: &Problem<D>, kind: Kind) {
    let mut lean = Lean::default();
    lean.fit(problem, true, problem.len() >= 200);
    assert_eq!(lean.kind, kind);
    let order: Vec<usize> = lean.order().iter().map(|i| *i as usize).collect();
    let mut by_law = percussions(problem, 3);
    let mut s: Vec<_> = order.iter().map(|i| by_law[*i]).collect();
    let mut u = problem.zero();
    problem.velocities(&by_law, &mut u);
    lean.gather(&s);
    let [wanted, got] = [certificate::relative(problem, &by_law, &u) * problem.b_norm(), lean.residual(&s)];
    assert!((wanted - got).abs() <= 1e-12 * wanted, "residual {got} for {wanted}");
    // A sweep by the operator of the problem.
    for i in order.iter().copied() {
        problem.velocities(&by_law, &mut u);
        let w: &Matrix<D> = problem.w().diagonal(i);
        let q = u[i] - w * by_law[i];
        by_law[i] = problem.laws()[i].solve_one(w, &q, &by_law[i]);
    }
    let mut rest = vec![Default::default(); problem.len()];
    let manner = Manner { order: None, rests: true, accuracy: 0.0 };
    let change = lean.sweep(Visit { s: &mut s, rest: &mut rest, manner });
    assert!(change > 0.0);
    for (got, i) in s.iter().zip(order) {
        assert!((got - by_law[i]).amax() <= 1e-9, "contact {i}: {got} for {}", by_law[i]);
    }
    // The running velocities are those of the percussions.
    let running = lean.y.clone();
    lean.gather(&s);
    assert!(running.iter().zip(&lean.y).all(|(a, b)| (a - b).abs() < 1e-10));
}

#[test]
fn sweeps_are_those_of_the_problem() {
    for seed in 0..5 {
        agrees(&problem::<2>(false, seed), Kind::Plane);
        agrees(&problem::<2>(true, seed), Kind::Discs);
        agrees(&problem::<3>(false, seed), Kind::Space);
        agrees(&problem::<3>(true, seed), Kind::Balls);
    }
}

/// The same where contacts are visited four at once, in one part and in several.
#[test]
fn fours_are_visited_as_one_by_one() {
    for (bodies, contacts) in [(150, 201), (150, 400), (1500, 5000)] {
        let discs = sized::<2>(true, 7, bodies, contacts);
        agrees(&discs, Kind::Discs);
        agrees(&sized::<3>(true, 7, bodies, contacts), Kind::Balls);
        agrees(&sized::<2>(false, 7, bodies, contacts), Kind::Plane);
        agrees(&sized::<3>(false, 7, bodies, contacts), Kind::Space);
        let mut lean = Lean::default();
        lean.fit(&discs, true, true);
        let fours = &lean.tree.fours;
        assert!(fours.len() * 4 > contacts / 2, "{} fours of {contacts} contacts", fours.len());
        assert_eq!(lean.discs.four.len(), lean.tree.nodes[0].fours);
        let root = discs.root().expect("by bodies");
        for place in fours {
            let of_four = &lean.order()[*place as usize..*place as usize + 4];
            let mut touched: Vec<u32> =
                of_four.iter().flat_map(|i| root.sides()[*i as usize].iter().flatten().map(|s| s.body)).collect();
            touched.sort_unstable();
            assert!(touched.windows(2).all(|pair| pair[0] != pair[1]), "{of_four:?} touch {touched:?}");
        }
    }
}

/// Whatever is not of the three kinds is left to the general sweep.
#[test]
fn others_are_refused() {
    let mut lean = Lean::default();
    lean.fit(&problem::<2>(false, 1), false, true);
    assert!(!lean.is_used());
    let mut bilateral = problem::<3>(true, 1);
    let (root, b) = (bilateral.root().expect("by bodies").clone(), bilateral.b().to_vec());
    bilateral
        .refill_by_bodies(|r, to, laws| {
            *r = root;
            to.extend(b);
            laws.resize(to.len(), Law::Bilateral);
        })
        .expect("a problem");
    lean.fit(&bilateral, true, true);
    assert!(!lean.is_used());
}

/// A strip of bodies, each touching the next three, 20 obstacles: in parts it has the same residual, parts share no body
/// but for what lies between their halves, and a sweep is one in the order of the parts, for any number of threads.
#[test]
fn parts_are_swept_as_their_order_says() {
    let bodies = 1500usize;
    let mut rng = StdRng::seed_from_u64(8);
    let mut problem = Problem::<2>::default();
    problem
        .refill_by_bodies(|root, b, laws| {
            root.clear(3, bodies);
            let mut contacts: Vec<[Option<u32>; 2]> = vec![];
            for a in 0..bodies as u32 {
                contacts.extend(
                    (1..4).filter(|k| a + k < bodies as u32).map(|k| [Some(a * 7 % 1500), Some((a + k) * 7 % 1500)]),
                );
            }
            contacts.extend((0..20).map(|k| [Some(25 * k), None]));
            for touched in contacts {
                let (sin, cos) = rng.random_range(0.0..6.3f64).sin_cos();
                root.begin(Vector::zeros());
                for (body, sign) in touched.into_iter().zip([1.0, -1.0]) {
                    let Some(body) = body else { continue };
                    let lever = [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)];
                    let columns = [
                        Vector::<2>::new(sign * cos, -sign * sin),
                        Vector::<2>::new(sign * sin, sign * cos),
                        Vector::<2>::new(lever[0], lever[1]),
                    ];
                    assert!(root.push(body, columns.into_iter()));
                }
                b.push(Vector::from_fn(|_, _| rng.random_range(-1.0..0.5)));
                laws.push(Law::coulomb(0.4));
            }
        })
        .expect("a problem");
    let mut lean = Lean::default();
    lean.fit(&problem, true, true);
    assert!(lean.is_cut() && lean.tree.nodes.len() == 7, "{} parts", lean.tree.nodes.len());
    let between: usize = lean
        .tree
        .nodes
        .iter()
        .filter_map(|n| {
            let [a, b] = n.halves?;
            Some(n.contacts - lean.tree.nodes[a as usize].contacts - lean.tree.nodes[b as usize].contacts)
        })
        .sum();
    // A strip is cut across: at most six contacts at each of three cuts, and a few more where it began.
    assert!(between <= 40, "{between} contacts between parts");
    let mut seen: Vec<u32> = lean.order().to_vec();
    seen.sort_unstable();
    assert!(seen.iter().enumerate().all(|(k, i)| k as u32 == *i), "every contact once");
    // By the operator of the problem, in the order of the parts.
    let mut by_law = percussions(&problem, 4);
    let mut laid_out: Vec<_> = lean.order().iter().map(|i| by_law[*i as usize]).collect();
    lean.gather(&laid_out);
    let mut u = problem.zero();
    problem.velocities(&by_law, &mut u);
    let wanted = certificate::relative(&problem, &by_law, &u) * problem.b_norm();
    assert!((lean.residual(&laid_out) - wanted).abs() <= 1e-12 * wanted);
    for i in lean.order().iter().map(|i| *i as usize) {
        problem.velocities(&by_law, &mut u);
        let w = problem.w().diagonal(i);
        by_law[i] = problem.laws()[i].solve_one(w, &(u[i] - w * by_law[i]), &by_law[i]);
    }
    let mut rest = vec![Rest::default(); problem.len()];
    let manner = Manner { order: None, rests: true, accuracy: 0.0 };
    let start = laid_out.clone();
    lean.sweep(Visit { s: &mut laid_out, rest: &mut rest, manner });
    for (i, got) in lean.order().iter().zip(&laid_out) {
        assert!((got - by_law[*i as usize]).amax() <= 1e-9, "contact {i}");
    }
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut again = start.clone();
        lean.gather(&again);
        rest.fill(Rest::default());
        pool.install(|| lean.sweep(Visit { s: &mut again, rest: &mut rest, manner }));
        assert!(again == laid_out, "{threads} threads");
    }
}

/// Of a chain, whose neighbours share a body all along: every contact once, and a body not again within a few visits.
#[test]
fn contacts_that_follow_each_other_share_no_body() {
    let side = |body: usize| Some(RootSide { body: body as u32, first: 0 });
    let n = 1000;
    let sides: Vec<_> = (0..n).map(|i| [side(i), side(i + 1)]).collect();
    let mut tree = super::tree::Tree::default();
    tree.fit(&sides, n + 1, true);
    let mut seen = tree.order.clone();
    seen.sort_unstable();
    assert!(seen.iter().enumerate().all(|(k, i)| k as u32 == *i), "every contact once");
    let near = tree.order.windows(2).filter(|w| w[0].abs_diff(w[1]) == 1).count();
    assert!(near <= n / 20, "{near} neighbours of {n}");
    assert!(tree.fours.len() >= n / 5, "{} fours of {n}", tree.fours.len());
}
