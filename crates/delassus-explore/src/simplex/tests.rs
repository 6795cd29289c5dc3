//! Programs with known answers, and duality on random ones.

use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// max 3x + 2y, x + y ≤ 4, x + 3y ≤ 6, x ≤ 3: 11 at (3, 1).     textbook
#[test]
fn a_textbook_program() {
    let mut columns = Columns::new(2);
    columns.push(&[(0, 1.0), (1, 1.0)]);
    columns.push(&[(0, 1.0), (1, 3.0)]);
    columns.push(&[(0, 1.0)]);
    columns.push(&[(1, 1.0)]);
    let inf = f64::INFINITY;
    let mut s = Simplex::new(columns, vec![4.0, 6.0], vec![0.0; 4], vec![3.0, inf, inf, inf]);
    assert_eq!(s.find(), Found::Vertex);
    assert_eq!(s.maximise(&[(0, 3.0), (1, 2.0)]), End::Optimal);
    assert!((s.solution()[0] - 3.0).abs() < 1e-12 && (s.solution()[1] - 1.0).abs() < 1e-12);
    assert_eq!(s.maximise(&[(2, 1.0)]), End::Optimal);
    assert!((s.solution()[2] - 4.0).abs() < 1e-12);
    assert_eq!(s.rank(), 2);
}

#[test]
fn empty_and_unbounded_sets_are_told_apart() {
    let inf = f64::INFINITY;
    let mut columns = Columns::new(1);
    columns.push(&[(0, 1.0)]);
    columns.push(&[(0, 1.0)]);
    let mut empty = Simplex::new(columns.clone(), vec![-1.0], vec![0.0; 2], vec![inf; 2]);
    assert_eq!(empty.find(), Found::Empty);
    let mut columns = Columns::new(1);
    columns.push(&[(0, 1.0)]);
    columns.push(&[(0, -1.0)]);
    let mut open = Simplex::new(columns, vec![1.0], vec![0.0; 2], vec![inf; 2]);
    assert_eq!(open.find(), Found::Vertex);
    assert_eq!(open.maximise(&[(0, 1.0)]), End::Unbounded);
    assert_eq!(open.maximise(&[(0, -1.0)]), End::Optimal);
    assert!((open.solution()[0] - 1.0).abs() < 1e-12);
}

/// At the optimum the reduced costs have the right signs: weak duality closes the gap.
#[test]
fn random_programs_satisfy_duality() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let inf = f64::INFINITY;
    for case in 0..200 {
        let (m, n) = (rng.random_range(1..12), rng.random_range(12..30));
        let mut columns = Columns::new(m);
        let mut right = vec![0.0; m];
        for _ in 0..n {
            let list: Vec<(u32, f64)> = (0..m as u32).map(|r| (r, rng.random_range(-1.0..1.0))).collect();
            let x: f64 = if rng.random_bool(0.5) { 0.0 } else { rng.random() };
            list.iter().for_each(|(r, a)| right[*r as usize] += a * x);
            columns.push(&list);
        }
        // A dependent row.
        let mut wide = Columns::new(m + 1);
        for j in 0..n {
            let mut list: Vec<_> = columns.column(j).to_vec();
            list.push((m as u32, list[0].1));
            wide.push(&list);
        }
        right.push(right[0]);
        let upper: Vec<f64> = (0..n).map(|_| if rng.random_bool(0.3) { 2.0 } else { inf }).collect();
        let mut s = Simplex::new(wide, right.clone(), vec![0.0; n], upper.clone());
        assert_eq!(s.find(), Found::Vertex, "case {case}");
        assert_eq!(s.rank(), m, "case {case}");
        for _ in 0..10 {
            let cost: Vec<(usize, f64)> = (0..n).map(|j| (j, rng.random_range(-1.0..0.2))).collect();
            if s.maximise(&cost) != End::Optimal {
                continue;
            }
            s.price_rows(false);
            let mut dual: f64 = right.iter().zip(&s.y).map(|(b, y)| -b * y).sum();
            for j in 0..n {
                let d = -cost[j].1 - s.columns.column(j).iter().map(|&(r, a)| s.y[r as usize] * a).sum::<f64>();
                assert!(d > -1e-7 || s.solution()[j] > upper[j] - 1e-7, "case {case}: {d} at {}", s.solution()[j]);
                if d < 0.0 && upper[j].is_finite() {
                    dual -= d * upper[j];
                }
            }
            let primal: f64 = cost.iter().map(|(j, c)| c * s.solution()[*j]).sum();
            assert!((primal - dual).abs() < 1e-7, "case {case}: {primal} {dual}");
        }
    }
}
