//! Divided differences of the logarithm
//!
//! ```text
//! D ln(C)[A]_ij     = ln[λi, λj] A_ij
//! D² ln(C)[A, B]_ij = Σ_k ln[λi, λk, λj] (A_ik B_kj + B_ik A_kj)          eigenbasis of C
//! ```
//!
//! `ln[a, b] = (ln a − ln b)/(a − b)` and so on loses every digit when eigenvalues meet;
//! there, the series of complete symmetric polynomials replaces the quotient.

/// Relative distance below which the series is taken: 16 terms reach 1e-20.
const NEAR: f64 = 0.05;

/// `ln[a, b]`.
pub(crate) fn first(a: f64, b: f64) -> f64 {
    let t = (a - b) / b;
    if t == 0.0 { 1.0 / b } else { t.ln_1p() / (a - b) }
}

/// `ln[a, b, c]`.
pub(crate) fn second(a: f64, b: f64, c: f64) -> f64 {
    let mean = (a + b + c) / 3.0;
    let t = [(a - mean) / mean, (b - mean) / mean, (c - mean) / mean];
    if t.iter().all(|x| x.abs() < NEAR) {
        return second_series(t) / (mean * mean);
    }
    // The widest pair outside the quotient keeps the cancellation below 1/NEAR.
    let (ab, bc, ca) = ((a - b).abs(), (b - c).abs(), (c - a).abs());
    if ca >= ab && ca >= bc {
        (first(a, b) - first(b, c)) / (a - c)
    } else if ab >= bc {
        (first(a, c) - first(c, b)) / (a - b)
    } else {
        (first(b, a) - first(a, c)) / (b - c)
    }
}

/// `Σ_n (−1)^(n+1)/n h_{n−2}(t)`, h the complete symmetric polynomials of three variables,
/// built from those of one and two.
fn second_series(t: [f64; 3]) -> f64 {
    let (mut one, mut two, mut three) = (1.0, 1.0, 1.0);
    let mut sum = -0.5;
    let mut sign = 1.0;
    for n in 3..18 {
        one *= t[0];
        two = one + t[1] * two;
        three = two + t[2] * three;
        sum += sign / f64::from(n) * three;
        sign = -sign;
    }
    sum
}

/// `atanh(r)/r` from `r²`: the series while it is short, as for the stretches of metals.
#[inline]
pub(crate) fn atanh_ratio(r2: f64) -> f64 {
    if r2 < 2e-4 {
        return 1.0 + r2 * (1.0 / 3.0 + r2 * (0.2 + r2 * (1.0 / 7.0 + r2 / 9.0)));
    }
    if r2 < 0.01 {
        let mut sum = 0.0;
        for k in (0..9_i32).rev() {
            sum = sum * r2 + 1.0 / f64::from(2 * k + 1);
        }
        return sum;
    }
    let r = r2.sqrt();
    r.atanh() / r
}

/// `ln x = 2 atanh((x − 1)/(x + 1))` near 1, the library's elsewhere.
#[inline]
pub(crate) fn ln(x: f64) -> f64 {
    let r = (x - 1.0) / (x + 1.0);
    if r.abs() < 0.1 { 2.0 * r * atanh_ratio(r * r) } else { x.ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the integrals `ln[a,b] = ∫ 1/(sa + (1−s)b)` and
    /// `ln[a,b,c] = −∬ 1/(…)²` over the simplex, by a fine midpoint rule; the two sides of
    /// the switch between series and quotient are both covered.
    #[test]
    fn divided_differences_are_hermite_genocchi_integrals() {
        for spread in [0.0, 1e-9, 0.03, 0.08, 0.6] {
            let (a, b, c) = (1.3 * (1.0 + spread), 1.3, 1.3 * (1.0 - 0.7 * spread));
            let n = 400;
            let h = 1.0 / f64::from(n);
            let mut one = 0.0;
            let mut two = 0.0;
            for i in 0..n {
                let s = (f64::from(i) + 0.5) * h;
                one += h / (s * a + (1.0 - s) * b);
                for j in 0..n {
                    // Duffy: (s, (1 − s) t, (1 − s)(1 − t)).
                    let t = (f64::from(j) + 0.5) * h;
                    let x = s * a + (1.0 - s) * (t * b + (1.0 - t) * c);
                    two -= h * h * (1.0 - s) / (x * x);
                }
            }
            // Midpoint: h² f''/24 ≈ 3e-7.
            assert!((first(a, b) - one).abs() < 1e-6, "{spread}");
            for x in [second(a, b, c), second(c, a, b), second(b, c, a), second(b, a, c)] {
                assert!((x - two).abs() < 2e-6, "{spread}: {x} {two}");
            }
        }
    }

    /// Series and quotient agree at the switch.
    #[test]
    fn the_series_meets_the_quotient() {
        let t = [0.049, -0.011, -0.038];
        let (a, b, c) = (1.0 + t[0], 1.0 + t[1], 1.0 + t[2]);
        let quotient = (first(a, b) - first(b, c)) / (a - c);
        assert!((second(a, b, c) - quotient).abs() < 1e-13);
        for at in [2e-4, 0.01] {
            assert!((atanh_ratio(at * (1.0 - 1e-14)) - atanh_ratio(at * (1.0 + 1e-14))).abs() < 1e-15);
        }
        for i in 0..400 {
            let x = 0.7 + 0.002 * f64::from(i);
            assert!((ln(x) - x.ln()).abs() < 1e-15, "{x}");
        }
    }
}
