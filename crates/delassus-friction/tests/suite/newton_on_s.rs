//! Newton on `s` against the fixed point on `s`, in convex programs, method (10) [Cadoux09]
//!
//!     cargo test -p delassus-friction newton_on_s -- --nocapture        prints the tables
//!     delassus compare problems/ --solvers convex-fixed-point,convex-newton --curves
//!
//! The reference is the fixed point itself: Newton must solve what it solves, with no more programs.

use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::solver::{Convex, ConvexSettings, Outer, Silent, Stop};
use delassus_friction::{Certificate, Law, Problem};
use rand::{Rng, SeedableRng, rngs::StdRng};

const TOLERANCE: f64 = 1e-9;

/// Programs used, where the law holds at the end.
fn programs<const D: usize>(problem: &Problem<D>, outer: Outer) -> Option<usize> {
    let settings = ConvexSettings { outer, tolerance: TOLERANCE, ..Default::default() };
    let mut s = problem.zero();
    let outcome = Convex::new(problem, settings).expect("valid").run(problem, &mut s, &mut Silent);
    (outcome.stop == Stop::Tolerance).then(|| {
        assert!(Certificate::new(problem, &s).relative <= TOLERANCE);
        outcome.iterations
    })
}

/// What came of a set of problems.
#[derive(Default)]
struct Tally {
    both: usize,
    fixed: usize,
    newton: usize,
    more: usize,
    only_fixed: usize,
    only_newton: usize,
    neither: usize,
}

impl Tally {
    fn of<const D: usize>(problems: impl Iterator<Item = Problem<D>>) -> Self {
        let mut t = Self::default();
        for problem in problems {
            match (programs(&problem, Outer::FixedPoint), programs(&problem, Outer::Newton)) {
                (Some(f), Some(n)) => {
                    (t.both, t.fixed, t.newton) = (t.both + 1, t.fixed + f, t.newton + n);
                    t.more += usize::from(n > f);
                }
                (Some(_), None) => t.only_fixed += 1,
                (None, Some(_)) => t.only_newton += 1,
                (None, None) => t.neither += 1,
            }
        }
        t
    }

    fn head() {
        println!(
            "{:<22} solved by both: problems  fixed point  Newton   Newton more   only fp  only Newton  neither",
            ""
        );
    }

    fn row(&self, name: &str) {
        let Self { both, fixed, newton, more, only_fixed, only_newton, neither } = self;
        println!(
            "{name:<22} {both:>24} {fixed:>12} {newton:>7} {more:>13} {only_fixed:>9} {only_newton:>12} {neither:>8}"
        );
    }
}

fn one_contact<const D: usize>(w: Matrix<D>, b: Vector<D>, mu: f64) -> Problem<D> {
    let w = BlockMatrix::from_triplets(1, &mut [(0, 0, w)]);
    Problem::new(w, vec![b], vec![Law::coulomb(mu)]).expect("valid")
}

/// Anything a contact can be: axes scaled by 0.1 to 10, friction from 0.01 to 10.
fn any_contact<const D: usize>(seed: u64) -> Problem<D> {
    let mut rng = StdRng::seed_from_u64(seed);
    let scale: Vec<f64> = (0..D).map(|_| 10f64.powf(rng.random_range(-1.0..1.0))).collect();
    let g = Matrix::<D>::from_fn(|r, _| rng.random_range(-1.0..1.0) * scale[r]);
    let b = Vector::<D>::from_fn(|_, _| rng.random_range(-1.0..1.0));
    one_contact(g * g.transpose(), b, 10f64.powf(rng.random_range(-2.0..1.0)))
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// As many degrees of freedom as equations, or more.
    Regular,
    /// Masses over six decades.
    Scaled,
    /// Two thirds of the degrees of freedom that the contacts would need.
    Redundant,
    /// A chain of bodies, each contact between neighbours.
    Chain,
    /// Contacts between bodies drawn by lot: some twice, some with themselves.
    Bodies,
}

const KINDS: [Kind; 5] = [Kind::Regular, Kind::Scaled, Kind::Redundant, Kind::Chain, Kind::Bodies];

/// `W = G A⁻¹ Gᵀ`, `b = G A⁻¹ f` with 1 to 20 contacts, friction from 0.01 to 2.
fn random<const D: usize>(kind: Kind, seed: u64) -> Problem<D> {
    let mut rng = StdRng::seed_from_u64(seed);
    let n = rng.random_range(1..=20usize);
    let per = 3 * (D - 1);
    let dofs = match kind {
        Kind::Regular => D * n + rng.random_range(0..10),
        Kind::Scaled => D * n,
        Kind::Redundant => (D * n * 2 / 3).max(D),
        Kind::Chain | Kind::Bodies => (n + 1) * per,
    };
    let decades: f64 = if let Kind::Scaled = kind { 3.0 } else { 0.3 };
    let mass: Vec<f64> = (0..dofs).map(|_| 10f64.powf(rng.random_range(-decades..decades))).collect();
    let mut g = vec![];
    for i in 0..n {
        let sides = match kind {
            Kind::Chain => Some([i, i + 1]),
            Kind::Bodies => Some([rng.random_range(0..=n), rng.random_range(0..=n)]),
            _ => None,
        };
        for _ in 0..D {
            let row = (0..dofs).map(|d| {
                let x = rng.random_range(-1.0..1.0);
                if sides.is_none_or(|s| s.contains(&(d / per))) { x } else { 0.0 }
            });
            g.push(row.collect::<Vec<f64>>());
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(&mass).map(|((a, b), m)| a * b / m).sum::<f64>();
    let mut triplets = vec![];
    for i in 0..n {
        for j in 0..n {
            let block = Matrix::<D>::from_fn(|r, c| dot(&g[D * i + r], &g[D * j + c]));
            if block.amax() > 0.0 {
                triplets.push((i as u32, j as u32, block));
            }
        }
    }
    let f: Vec<f64> = mass.iter().map(|m| m * rng.random_range(-1.0..1.0)).collect();
    let b = (0..n).map(|i| Vector::<D>::from_fn(|r, _| dot(&g[D * i + r], &f))).collect();
    let laws = (0..n).map(|_| Law::coulomb(10f64.powf(rng.random_range(-2.0..0.3)))).collect();
    Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, laws).expect("valid")
}

/// Contacts that repel Newton: `s − F(s)` has slope 1 − F' < 0 where the iteration begins, the
/// predicted root lies beyond the next kink of F, and |s − F(s)| has a minimum that is no
/// solution. The contacts stick (`U = 0`, closed form S = −W⁻¹b); the fixed point finds that
/// through growing residuals, in 6, 14, 4 and 3 programs.
#[test]
fn contacts_that_repel_newton_are_solved() {
    let cases = [
        ([2.027644293548331, 2.6344211763882246, 4.265847732040232], [-0.37876784397845586, 0.4787699626790669], 4.59),
        (
            [1.87787528288303, -2.4971312177998954, 3.3605519290570225],
            [-0.16109359375483034, -0.6334024218297594],
            7.02,
        ),
        (
            [0.042816340704502, -0.0968452572806067, 0.29991084002863],
            [-0.16336442394244788, -0.9263096857223028],
            0.725,
        ),
        ([0.002766555992660, 0.009372530241098, 0.0330262103464739], [-0.7571868234116308, 0.983855388247501], 1.276),
    ];
    for (k, ([nn, nt, tt], [bn, bt], mu)) in cases.into_iter().enumerate() {
        let w = Matrix::<2>::new(nn, nt, nt, tt);
        let problem = one_contact(w, Vector::<2>::new(bn, bt), mu);
        let exact = -w.try_inverse().expect("regular") * Vector::<2>::new(bn, bt);
        assert!(exact[1].abs() < mu * exact[0], "it sticks");
        let fixed = programs(&problem, Outer::FixedPoint).expect("the fixed point solves it");
        let newton = programs(&problem, Outer::Newton).expect("so does Newton");
        assert!(newton <= fixed, "case {k}: {newton} programs against {fixed}");
    }
}

/// Single contacts drawn by lot: what the fixed point solves, Newton solves, and hardly ever with
/// more programs. Of 100,000 in the plane the step without a safeguard stalls on 4,200.
#[test]
fn single_contacts() {
    Tally::head();
    let plane = Tally::of((0..20_000).map(any_contact::<2>));
    plane.row("one contact, plane");
    let space = Tally::of((0..2_000).map(any_contact::<3>));
    space.row("one contact, space");
    for t in [plane, space] {
        assert_eq!(t.only_fixed, 0);
        assert!(1000 * t.more <= t.both, "{} need more", t.more);
        assert!(2 * t.newton <= t.fixed);
        assert!(10 * t.neither <= t.only_newton + t.neither, "{} of neither", t.neither);
    }
}

/// 1,000 problems of 1 to 20 contacts, in the plane and in space: well and badly scaled,
/// redundant, chains, bodies. None needs more programs by Newton.
#[test]
fn a_thousand_random_problems() {
    let rows: Vec<(String, Tally)> = std::thread::scope(|scope| {
        let work: Vec<_> = KINDS
            .into_iter()
            .flat_map(|kind| [(kind, 2), (kind, 3)])
            .map(|(kind, d)| {
                let go = move || match d {
                    2 => Tally::of((0..100).map(|seed| random::<2>(kind, seed))),
                    _ => Tally::of((0..100).map(|seed| random::<3>(kind, seed))),
                };
                (format!("{kind:?}, {d}D"), scope.spawn(go))
            })
            .collect();
        work.into_iter().map(|(name, t)| (name, t.join().expect("no panic"))).collect()
    });
    Tally::head();
    for (name, tally) in &rows {
        tally.row(name);
        assert_eq!((tally.more, tally.only_fixed), (0, 0), "{name}");
        assert!(tally.neither <= 1 && 4 * tally.newton <= tally.fixed, "{name}");
    }
}
