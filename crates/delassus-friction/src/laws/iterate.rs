//! One-contact solves without a closed form.
//!
//! A law `−(U + φ(U_T) n) ∈ N_C(S)` with `s` in place of `φ` is the convex program
//!
//! ```text
//! min ½ S·W S + (q + s n)·S   over C                                      method (10)
//! ```
//!
//! and `s = φ(U_T(s))` is one equation for one number. `s ↦ φ(U_T(s)) − s` is
//! continuous, not negative at zero, and equals `q_N < 0` where the contact has
//! just let go: a bracket, so the root is found even where the fixed point of
//! the natural map circles.

use crate::algebra::{Matrix, Vector, solve_small};

/// Answers closer than this to a fixed point, relatively, are final.
const AT_REST: f64 = 1e-15;

/// The robust fallback: fixed point of the natural map, then the bracketed root in `s`.
///
/// Needs only the projection on `C` and the shift. The answer with the smaller
/// natural map is returned, and the caller's certificate judges it.
pub fn solve_by_projection<const D: usize>(
    w: &Matrix<D>,
    q: &Vector<D>,
    guess: &Vector<D>,
    project: impl Fn(&Vector<D>) -> Vector<D>,
    shift: impl Fn(&Vector<D>) -> f64,
) -> Vector<D> {
    let rho = 1.0 / w.norm().max(f64::MIN_POSITIVE);
    let map = |s: &Vector<D>| {
        let mut u = w * s + q;
        u[0] += shift(&u);
        project(&(s - rho * u))
    };
    let mut s = project(guess);
    for _ in 0..300 {
        let next = map(&s);
        let done = (next - s).norm() <= AT_REST * next.norm();
        s = next;
        if done {
            return s;
        }
    }
    let moves = |s: &Vector<D>| (s - map(s)).norm();
    let bracketed = root_in_shift(w, q, &s, &project, &shift);
    if moves(&bracketed) < moves(&s) { bracketed } else { s }
}

/// `s = φ(U_T(s))` by bisection with a secant trial.
fn root_in_shift<const D: usize>(
    w: &Matrix<D>,
    q: &Vector<D>,
    start: &Vector<D>,
    project: &impl Fn(&Vector<D>) -> Vector<D>,
    shift: &impl Fn(&Vector<D>) -> f64,
) -> Vector<D> {
    let mut s = *start;
    let mut excess = |level: f64| {
        let mut shifted = *q;
        shifted[0] += level;
        s = convex(w, &shifted, &s, project);
        (shift(&(w * s + q)) - level, s)
    };
    let (mut lo, mut f_lo) = (0.0, excess(0.0).0);
    let (mut hi, mut f_hi) = (shift(q) - q[0], q[0]);
    for i in 0..80 {
        let secant = lo + (hi - lo) * f_lo / (f_lo - f_hi);
        let level = if i % 2 == 0 && secant > lo && secant < hi { secant } else { 0.5 * (lo + hi) };
        let f = excess(level).0;
        if f > 0.0 {
            (lo, f_lo) = (level, f);
        } else {
            (hi, f_hi) = (level, f);
        }
        if f == 0.0 || hi - lo <= 4.0 * f64::EPSILON * hi {
            break;
        }
    }
    excess(lo).1
}

/// `min ½ S·W S + q·S` over `C` by accelerated projected gradient, restarted
/// when the step and the momentum disagree \[ODonoghue15\].
fn convex<const D: usize>(
    w: &Matrix<D>,
    q: &Vector<D>,
    start: &Vector<D>,
    project: &impl Fn(&Vector<D>) -> Vector<D>,
) -> Vector<D> {
    let rho = 1.0 / w.norm().max(f64::MIN_POSITIVE);
    let (mut s, mut y, mut theta) = (*start, *start, 1.0f64);
    for _ in 0..2000 {
        let next = project(&(y - rho * (w * y + q)));
        let moved = next - s;
        if (next - y).norm() <= AT_REST * next.norm() {
            return next;
        }
        let ahead = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        if (y - next).dot(&moved) > 0.0 {
            (y, theta) = (next, 1.0);
        } else {
            (y, theta) = (next + moved * ((theta - 1.0) / ahead), ahead);
        }
        s = next;
    }
    s
}

/// `W S = −q`.
///
/// A singular block gets the smallest correction of `guess` that removes what
/// can be removed of `U`; the rest is out of its range and stays in the residual.
pub fn bilateral<const D: usize>(w: &Matrix<D>, q: &Vector<D>, guess: &Vector<D>) -> Vector<D> {
    if let Some(minus) = solve_small(w, q) {
        return -minus;
    }
    let guess = if guess.iter().all(|x| x.is_finite()) { *guess } else { Vector::zeros() };
    let (columns, v) = orthogonal_columns(w);
    let tiny = 1e-13 * columns.norm();
    let mut s = guess;
    // Twice: the second pass removes the round-off of the first.
    for _ in 0..2 {
        let u = w * s + q;
        for j in 0..D {
            let c = columns.column(j);
            let size = c.norm();
            if size > tiny {
                s -= v.column(j) * (c.dot(&u) / size / size);
            }
        }
    }
    s
}

/// One-sided Jacobi rotations: `W V = columns`, `V` orthogonal, the columns
/// orthogonal to one another. Works for any block, symmetric or not.
fn orthogonal_columns<const D: usize>(w: &Matrix<D>) -> (Matrix<D>, Matrix<D>) {
    let (mut a, mut v) = (*w, Matrix::<D>::identity());
    for _ in 0..30 {
        let mut largest = 0.0f64;
        for i in 0..D {
            for j in i + 1..D {
                largest = largest.max(rotate(&mut a, &mut v, i, j));
            }
        }
        if largest <= 1e-15 {
            break;
        }
    }
    (a, v)
}

/// Makes columns `i` and `j` orthogonal; returns the cosine they had.
fn rotate<const D: usize>(a: &mut Matrix<D>, v: &mut Matrix<D>, i: usize, j: usize) -> f64 {
    let (x, y) = (a.column(i).norm_squared(), a.column(j).norm_squared());
    let z = a.column(i).dot(&a.column(j));
    let cosine = z.abs() / (x * y).sqrt().max(f64::MIN_POSITIVE);
    if cosine <= 1e-16 {
        return 0.0;
    }
    let zeta = (y - x) / (2.0 * z);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    for m in [a, v] {
        for k in 0..D {
            let (p, r) = (m[(k, i)], m[(k, j)]);
            m[(k, i)] = c * (p - t * r);
            m[(k, j)] = c * (t * p + r);
        }
    }
    cosine
}

/// `x ≥ 0 ⟂ f + J (x − α) ≥ 0` for three unknowns by its cases, the fullest first; where none
/// holds, each unknown on its own. An infinite `f` has `x = 0`.
pub(super) fn complementarity(alpha: &[f64; 3], f: &[f64; 3], j: &[[f64; 3]; 3]) -> [f64; 3] {
    let alone = |g: usize| if f[g].is_finite() { alpha[g] - f[g] / j[g][g] } else { 0.0 };
    let known = (0..3).filter(|g| f[*g].is_finite());
    let all = known.clone().fold(0u8, |mask, g| mask | 1 << g);
    if all.count_ones() < 2 {
        return [0, 1, 2].map(|g| alone(g).max(0.0));
    }
    // J x = r with r = J α − f.
    let r = [0, 1, 2].map(|g| known.clone().map(|h| j[g][h] * alpha[h]).sum::<f64>() - f[g]);
    for mask in [7u8, 3, 5, 6, 1, 2, 4, 0].into_iter().filter(|m| m & !all == 0) {
        let Some(x) = restricted(mask, &r, j) else { continue };
        let pays = |g: usize| known.clone().map(|h| j[g][h] * x[h]).sum::<f64>() >= r[g];
        if known.clone().all(|g| if mask >> g & 1 == 1 { x[g] >= 0.0 } else { pays(g) }) {
            return x;
        }
    }
    [0, 1, 2].map(|g| alone(g).max(0.0))
}

/// `J x = r` in the rows and unknowns of a set, the others zero.
fn restricted(mask: u8, r: &[f64; 3], j: &[[f64; 3]; 3]) -> Option<[f64; 3]> {
    let mut x = [0.0; 3];
    match mask {
        0 => {}
        7 => {
            let m = Matrix::<3>::from_fn(|a, b| j[a][b]);
            let solved = solve_small(&m, &Vector::<3>::new(r[0], r[1], r[2]))?;
            x = [solved[0], solved[1], solved[2]];
        }
        1 | 2 | 4 => {
            let g = mask.trailing_zeros() as usize;
            x[g] = r[g] / j[g][g];
        }
        _ => {
            let (a, b) = (mask.trailing_zeros() as usize, 2 - (mask >> 2 ^ 1) as usize);
            let det = j[a][a] * j[b][b] - j[a][b] * j[b][a];
            x[a] = (j[b][b] * r[a] - j[a][b] * r[b]) / det;
            x[b] = (j[a][a] * r[b] - j[b][a] * r[a]) / det;
        }
    }
    Some(x)
}
