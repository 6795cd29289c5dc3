//! Numbers and ticks for people.

/// The largest of 1, 2, 5 times a power of ten that is not above `x`.
pub fn round_down(x: f64) -> f64 {
    if !(x > 0.0) || !x.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(x.log10().floor());
    let lead = x / power;
    // A hair of tolerance: 0.2 must stay 0.2.
    let step = [5.0, 2.0].into_iter().find(|s| lead >= s * (1.0 - 1e-9)).unwrap_or(1.0);
    step * power
}

/// Round values between `low` and `high`, about `count` of them.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let range = high - low;
    if !(range > 0.0) || !range.is_finite() {
        return vec![];
    }
    let rough = range / count.max(1) as f64;
    let lower = round_down(rough);
    // Of the two round steps around the wish, the one nearer in proportion.
    let upper = round_down(2.5 * lower * (1.0 + 1e-9)).max(2.0 * lower);
    let step = if rough / lower > upper / rough { upper } else { lower };
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// Powers of ten between `low` and `high`, about `count` at most; where they are few, also 2 and 5
/// times them, and ordinary ticks within less than one decade.
pub fn logarithmic_ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    if !(low > 0.0 && high > low && high.is_finite()) {
        return vec![];
    }
    let decades = (high / low).log10();
    if decades < 1.0 {
        return ticks(low, high, count);
    }
    let leads: &[f64] = if 3.0 * decades <= count as f64 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = (decades / count.max(1) as f64).ceil().max(1.0) as i32;
    let (first, last) = (low.log10().floor() as i32, high.log10().floor() as i32);
    let powers = (first..=last).filter(|n| n % every == 0);
    let all = powers.flat_map(|n| leads.iter().map(move |lead| lead * 10f64.powi(n)));
    all.filter(|x| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(x)).collect()
}

/// Numbers of ticks with as many digits as tell them apart.
pub fn told_apart(ticks: &[f64]) -> Vec<String> {
    let largest = ticks.iter().fold(0.0f64, |m, t| m.max(t.abs()));
    let gaps = ticks.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|g| *g > 0.0);
    let least = gaps.fold(f64::INFINITY, f64::min);
    let digits = if least.is_finite() && largest > 0.0 { (largest / least).log10().floor() as usize + 2 } else { 4 };
    ticks.iter().map(|t| number(*t, digits.clamp(4, 12))).collect()
}

/// A number with at most `digits` significant digits, a true minus sign, and a power of
/// ten when it is very large or small.
pub fn number(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let exponent = x.abs().log10().floor() as i32;
    let text = if (-4..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trimmed(&format!("{x:.decimals$}"))
    } else {
        let mantissa = trimmed(&format!("{:.1$}", x / 10f64.powi(exponent), digits.saturating_sub(1)));
        let mantissa = if mantissa == "1" { String::new() } else { format!("{mantissa}·") };
        format!("{mantissa}10{}", superscript(exponent))
    };
    text.replace('-', "−")
}

fn trimmed(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text.into(),
    }
}

/// The font has ¹ ² ³ only: other exponents are written with a caret.
fn superscript(n: i32) -> String {
    match n {
        1 => "¹".into(),
        2 => "²".into(),
        3 => "³".into(),
        n => format!("^{n}"),
    }
}

/// A length \[m\] in the unit that keeps it short.
pub fn length(metres: f64) -> String {
    let units = [(1e3, "km"), (1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm")];
    with_unit(metres, &units, "m")
}

/// A force \[N\] in the unit that keeps it short.
pub fn force(newtons: f64) -> String {
    let units = [(1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"), (1e-6, "µN")];
    with_unit(newtons, &units, "N")
}

fn with_unit(x: f64, units: &[(f64, &str)], base: &str) -> String {
    let found = units.iter().find(|(size, _)| x.abs() >= size * (1.0 - 1e-9));
    match found {
        Some((size, name)) if x.abs() < 1e9 => format!("{} {name}", number(x / size, 3)),
        _ => format!("{} {base}", number(x, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_five() {
        for (x, round) in [(1.0, 1.0), (1.9, 1.0), (0.2, 0.2), (49.0, 20.0), (0.051, 0.05), (999.0, 500.0)] {
            assert!((round_down(x) / round - 1.0).abs() < 1e-9, "{x}");
        }
        assert_eq!(round_down(0.0), 1.0);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(-1.1, 1.1, 4), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        for (low, high) in [(0.0, 1e-7), (-3.0, 1e5), (12.0, 13.7)] {
            let found = ticks(low, high, 4);
            assert!((2..=9).contains(&found.len()), "{found:?}");
            assert!(found.iter().all(|t| *t >= low - 1e-9 * (high - low) && *t <= high + 1e-9 * (high - low)));
        }
        assert!(ticks(1.0, 1.0, 4).is_empty() && ticks(0.0, f64::NAN, 4).is_empty());
    }

    /// A narrow range far from zero: no two ticks have the same words.
    #[test]
    fn ticks_are_told_apart() {
        let near = ticks(1_000_000.0, 1_000_005.0, 5);
        let words = told_apart(&near);
        assert!(words.windows(2).all(|w| w[0] != w[1]), "{words:?}");
        assert_eq!(told_apart(&[0.0, 0.5, 1.0]), ["0", "0.5", "1"]);
        assert_eq!(told_apart(&[3.25]), ["3.25"]);
    }

    #[test]
    fn ticks_of_ratios() {
        assert_eq!(logarithmic_ticks(1.0, 130.0, 12), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(logarithmic_ticks(1e-3, 1e3, 7), [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3]);
        assert_eq!(logarithmic_ticks(1e-12, 1.0, 4), [1e-12, 1e-9, 1e-6, 1e-3, 1.0]);
        assert_eq!(logarithmic_ticks(1.0, 2.5, 4), ticks(1.0, 2.5, 4));
        assert!(logarithmic_ticks(0.0, 1.0, 4).is_empty());
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.5, "0.5"),
            (-12.0, "−12"),
            (1234.5678, "1235"),
            (1e7, "10^7"),
            (2e7, "2·10^7"),
            (0.1234, "0.123"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x, 3), text);
        }
        assert_eq!(length(0.02), "2 cm");
        assert_eq!(length(0.005), "5 mm");
        assert_eq!(length(20.0), "20 m");
        assert_eq!(force(2500.0), "2.5 kN");
        assert_eq!(force(0.05), "50 mN");
    }
}
