//! A warm sweep allocates nothing. Reference: a counting allocator.

use crate::counting::allocations;
use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::solver::{Nlgs, NlgsSettings, Silent};
use delassus_friction::{Law, Problem};

#[test]
fn a_warm_solve_allocates_nothing() {
    let n = 200u32;
    let mut triplets = vec![];
    for i in 0..n {
        triplets.push((i, i, Matrix::<3>::identity() * 2.0));
        if i + 1 < n {
            triplets.push((i, i + 1, -Matrix::<3>::identity()));
            triplets.push((i + 1, i, -Matrix::<3>::identity()));
        }
    }
    let b = (0..n).map(|i| Vector::<3>::new(-1.0, f64::from(i % 3), 0.5)).collect();
    let problem =
        Problem::new(BlockMatrix::from_triplets(n as usize, &mut triplets), b, vec![Law::coulomb(0.4); n as usize])
            .expect("valid");
    for acceleration in [0, 5] {
        let settings = NlgsSettings { acceleration, max_iterations: 200, ..Default::default() };
        let mut nlgs = Nlgs::new(&problem, settings).expect("valid");
        let mut s = problem.zero();
        nlgs.run(&problem, &mut s, &mut Silent);
        s.fill(Vector::zeros());
        let before = allocations();
        nlgs.run(&problem, &mut s, &mut Silent);
        assert_eq!(allocations(), before, "acceleration {acceleration}");
    }
}
