//! How well rows that glue are told apart.
//!
//! ```text
//! σ²  eigenvalues of  B̂ B̂ᵀ,     B̂ the rows of unit length, without the columns of imposed motions
//! ```
//!
//! Where σ is small a combination of multipliers hardly moves anything: the factors of the saddle point lose digits,
//! and multipliers oscillate. Few rows are looked at all together; of many the extremes are found by
//! Lanczos' method on `B̂ B̂ᵀ` and on its inverse, with conjugate gradients.

use std::collections::BTreeMap;

/// Up to this many rows all eigenvalues are computed.
const DENSE: usize = 300;
/// Rows whose share outside of the others is smaller follow from them.
const DEPENDENT: f64 = 1e-10;
/// Steps of Lanczos' method for the extremes of many rows.
const STEPS: usize = 36;

/// Singular values of rows, and which rows say the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// Rows looked at.
    pub rows: usize,
    /// The smallest singular value of rows that are independent.
    pub smallest: f64,
    /// The largest one.
    pub largest: f64,
    /// Rows without a free degree of freedom: supports hold what they would.
    pub held: Vec<usize>,
    /// Rows that follow from those before them.
    pub dependent: Vec<usize>,
    /// Rows with the largest parts in the weakest combination, at most three.
    pub weakest: Vec<usize>,
}

impl Condition {
    /// Of rows given by degrees of freedom and coefficients; `held` tells imposed motions.
    pub fn new(rows: &[Vec<(u32, f64)>], held: &dyn Fn(u32) -> bool) -> Self {
        let mut this = Self { rows: rows.len(), ..Self::default() };
        let (mut kept, mut unit) = (vec![], vec![]);
        for (r, row) in rows.iter().enumerate() {
            let norm = |terms: &mut dyn Iterator<Item = f64>| terms.map(|c| c * c).sum::<f64>().sqrt();
            let whole = norm(&mut row.iter().map(|t| t.1));
            let free: Vec<(u32, f64)> = row.iter().filter(|t| !held(t.0)).copied().collect();
            let length = norm(&mut free.iter().map(|t| t.1));
            if length > DEPENDENT * whole {
                kept.push(r);
                unit.push(free.iter().map(|(d, c)| (*d, c / length)).collect());
            } else {
                this.held.push(r);
            }
        }
        let rows = Rows::new(unit);
        if !kept.is_empty() {
            if kept.len() <= DENSE { this.dense(&rows, &kept) } else { this.sparse(&rows, &kept) }
        }
        this
    }

    /// Ratio of the singular values; infinite if there are none.
    pub fn number(&self) -> f64 {
        self.largest / self.smallest
    }

    fn dense(&mut self, rows: &Rows, kept: &[usize]) {
        let n = kept.len();
        let mut gram = nalgebra::DMatrix::zeros(n, n);
        let mut x = vec![0.0; n];
        for r in 0..n {
            x.fill(0.0);
            x[r] = 1.0;
            gram.column_mut(r).copy_from_slice(&rows.product(&x));
        }
        // Rows in order: what is left of each beside those before.
        let mut independent: Vec<usize> = vec![];
        let mut lower: Vec<Vec<f64>> = vec![];
        for r in 0..n {
            let mut line: Vec<f64> = vec![];
            for (k, s) in independent.iter().enumerate() {
                let dot: f64 = line.iter().zip(&lower[k]).map(|(a, b)| a * b).sum();
                line.push((gram[(r, *s)] - dot) / lower[k][k]);
            }
            let left = gram[(r, r)] - line.iter().map(|x| x * x).sum::<f64>();
            if left > DEPENDENT {
                line.push(left.sqrt());
                lower.push(line);
                independent.push(r);
            } else {
                self.dependent.push(kept[r]);
            }
        }
        let part = nalgebra::DMatrix::from_fn(independent.len(), independent.len(), |i, j| {
            gram[(independent[i], independent[j])]
        });
        let eigen = part.symmetric_eigen();
        let (least, smallest) = eigen.eigenvalues.argmin();
        (self.smallest, self.largest) = (smallest.max(0.0).sqrt(), eigen.eigenvalues.max().sqrt());
        let vector: Vec<f64> = eigen.eigenvectors.column(least).iter().copied().collect();
        self.weakest = heaviest(&vector).into_iter().map(|r| kept[independent[r]]).collect();
    }

    fn sparse(&mut self, rows: &Rows, kept: &[usize]) {
        let n = kept.len();
        // The same start on every machine, with a part along every eigenvector.
        let start: Vec<f64> = (0..n).map(|k| 1.0 + 0.5 * (1.7 * k as f64).sin() + (0.9 * k as f64).cos()).collect();
        self.largest = lanczos(&start, STEPS, |x| rows.product(x)).0.sqrt();
        let (value, y) = lanczos(&start, STEPS / 3, |x| rows.inverse(x));
        self.smallest = value.recip().sqrt();
        self.weakest = heaviest(&y).into_iter().map(|r| kept[r]).collect();
        if self.smallest <= DEPENDENT.sqrt() * self.largest {
            self.dependent.push(self.weakest[0]);
        }
    }
}

/// Rows and their columns.
struct Rows {
    rows: Vec<Vec<(u32, f64)>>,
    columns: usize,
}

impl Rows {
    fn new(mut rows: Vec<Vec<(u32, f64)>>) -> Self {
        let mut rank: BTreeMap<u32, u32> = BTreeMap::new();
        rank.extend(rows.iter().flatten().map(|t| (t.0, 0)));
        rank.values_mut().enumerate().for_each(|(k, r)| *r = k as u32);
        rows.iter_mut().flatten().for_each(|t| t.0 = rank[&t.0]);
        Self { rows, columns: rank.len() }
    }

    /// `B̂ B̂ᵀ x`.
    fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.columns];
        for (row, x) in self.rows.iter().zip(x) {
            row.iter().for_each(|(d, c)| y[*d as usize] += c * x);
        }
        self.rows.iter().map(|row| row.iter().map(|(d, c)| c * y[*d as usize]).sum()).collect()
    }

    /// `(B̂ B̂ᵀ)⁻¹ b`; the diagonal is 1 already.
    fn inverse(&self, b: &[f64]) -> Vec<f64> {
        let (mut x, mut r) = (vec![0.0; b.len()], b.to_vec());
        let mut p = r.clone();
        let mut rr = dot(&r, &r);
        let goal = 1e-12 * rr;
        for _ in 0..4 * b.len().min(2000) {
            if rr <= goal {
                break;
            }
            let q = self.product(&p);
            let a = rr / dot(&p, &q);
            if !a.is_finite() {
                break;
            }
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += a * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= a * q);
            let next = dot(&r, &r);
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + next / rr * *p);
            rr = next;
        }
        x
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn normalized(mut x: Vec<f64>) -> Vec<f64> {
    let norm = dot(&x, &x).sqrt();
    x.iter_mut().for_each(|x| *x /= norm);
    x
}

/// The largest eigenvalue of a symmetric operator and its vector, as seen from a few steps.
fn lanczos(start: &[f64], steps: usize, apply: impl Fn(&[f64]) -> Vec<f64>) -> (f64, Vec<f64>) {
    let mut basis = vec![normalized(start.to_vec())];
    let mut small = nalgebra::DMatrix::<f64>::zeros(steps, steps);
    let mut made = 0;
    for k in 0..steps {
        let mut y = apply(&basis[k]);
        made = k + 1;
        small[(k, k)] = dot(&y, &basis[k]);
        let size = dot(&y, &y).sqrt();
        // Twice is enough [Parlett98].
        for _ in 0..2 {
            for q in &basis {
                let c = dot(&y, q);
                y.iter_mut().zip(q).for_each(|(y, q)| *y -= c * q);
            }
        }
        let left = dot(&y, &y).sqrt();
        if made == steps || !(left > 1e-12 * size) {
            break;
        }
        (small[(k, k + 1)], small[(k + 1, k)]) = (left, left);
        basis.push(normalized(y));
    }
    let eigen = small.view((0, 0), (made, made)).into_owned().symmetric_eigen();
    let (at, value) = eigen.eigenvalues.argmax();
    let mut vector = vec![0.0; start.len()];
    for (q, c) in basis.iter().zip(eigen.eigenvectors.column(at).iter()) {
        vector.iter_mut().zip(q).for_each(|(v, q)| *v += c * q);
    }
    (value, vector)
}

/// Places of the three largest entries.
fn heaviest(x: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*b].abs().total_cmp(&x[*a].abs()).then(a.cmp(b)));
    order.truncate(3);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows (1, 4, 1) of hats of equal segments: singular values lie between 2 and 6 over the length of a row, and come
    /// near both for many rows (Toeplitz). The few steps for many rows are worth two digits.
    #[test]
    fn singular_values_of_masses() {
        let hats =
            |n: u32| -> Vec<Vec<(u32, f64)>> { (0..n).map(|k| vec![(k, 1.0), (k + 1, 4.0), (k + 2, 1.0)]).collect() };
        let few = Condition::new(&hats(200), &|_| false);
        let many = Condition::new(&hats(DENSE as u32 + 100), &|_| false);
        for c in [&few, &many] {
            assert!((c.number() / 3.0 - 1.0).abs() < 0.02, "{c:?}");
            assert!(c.dependent.is_empty() && c.held.is_empty());
        }
    }

    #[test]
    fn rows_that_say_the_same_are_found() {
        let rows = vec![
            vec![(0, 1.0), (1, -1.0)],
            vec![(1, 1.0), (2, -1.0)],
            vec![(0, 2.0), (2, -2.0)],
            vec![(7, 1.0)],
            vec![(3, 1.0), (4, -1.0)],
        ];
        let c = Condition::new(&rows, &|d| d == 7);
        assert_eq!((c.dependent.as_slice(), c.held.as_slice()), ([2].as_slice(), [3].as_slice()));
        // Two rows at an angle of 120°: singular values √(1 ± ½).
        assert!((c.number() - 3f64.sqrt()).abs() < 1e-12);
    }
}
