//! `KEY=VALUES`: what changes from member to member.

use serde::Serialize;

/// Most members of a sweep.
pub const MOST: usize = 100_000;

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// Key of the scene, or `variant`.
    pub key: String,
    /// Values as `--set` reads them.
    pub values: Vec<String>,
}

impl Axis {
    /// Reads `KEY=VALUES`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refuse = |why: String| Err(format!("--over {text}: {why}"));
        let Some((key, values)) = text.split_once('=') else {
            return refuse("expected KEY=VALUES, for instance law.friction=0.1:0.9:9".into());
        };
        let (key, values) = (key.trim().to_owned(), values.trim());
        if key.is_empty() || values.is_empty() {
            return refuse("expected KEY=VALUES, for instance seed=1..5".into());
        }
        let values = match (range(values), spaced(values)) {
            (Some(found), _) | (None, Some(found)) => match found {
                Ok(values) => values,
                Err(why) => return refuse(why),
            },
            _ => match listed(values) {
                Some(values) => values,
                None => return refuse("an empty value, or brackets that do not close".into()),
            },
        };
        if let Some(twice) = values.iter().enumerate().find(|(i, v)| values[..*i].contains(v)) {
            return refuse(format!("the value {} is given twice", twice.1));
        }
        Ok(Self { key, values })
    }

    /// The values as numbers, if all are.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        self.values.iter().map(|v| v.parse::<f64>().ok().filter(|x| x.is_finite())).collect()
    }
}

/// The shortest text of a number that is right to twelve digits: 0.3, not 0.30000000000000004.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.12e}").parse().unwrap_or(x);
    // Exponents, not two hundred zeros; `{:?}` keeps the point that makes a TOML float.
    format!("{rounded:?}")
}

/// `a..b`, whole numbers.
fn range(text: &str) -> Option<Result<Vec<String>, String>> {
    let (a, b) = text.split_once("..")?;
    let (Ok(a), Ok(b)) = (a.trim().parse::<i64>(), b.trim().parse::<i64>()) else {
        return Some(Err("'..' is between two whole numbers, as in 1..5".into()));
    };
    Some(match b.checked_sub(a) {
        Some(n) if n < 0 => Err(format!("{a} is beyond {b}: give the smaller number first")),
        Some(n) if (n as u64) < MOST as u64 => Ok((a..=b).map(|i| i.to_string()).collect()),
        _ => Err(format!("more than {MOST} values")),
    })
}

/// `a:b:n` and `a:b:n:log`.
fn spaced(text: &str) -> Option<Result<Vec<String>, String>> {
    if text.contains(['"', '\'', '[', '{', ',']) || !text.contains(':') {
        return None;
    }
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let (a, b, n, log) = match parts.as_slice() {
        [a, b, n] => (a, b, n, false),
        [a, b, n, "log"] => (a, b, n, true),
        _ => return Some(Err("expected FROM:TO:COUNT or FROM:TO:COUNT:log".into())),
    };
    let number = |t: &str| t.parse::<f64>().ok().filter(|x| x.is_finite());
    let (Some(a), Some(b)) = (number(a), number(b)) else {
        return Some(Err("FROM and TO must be numbers in FROM:TO:COUNT".into()));
    };
    let n = match n.parse::<usize>() {
        Ok(n) if (2..=MOST).contains(&n) => n,
        _ => return Some(Err(format!("COUNT must be a whole number from 2 to {MOST} in FROM:TO:COUNT"))),
    };
    if log && !(a > 0.0 && b > 0.0) {
        return Some(Err("ratios are between positive numbers".into()));
    }
    let at = |k: usize| {
        let t = k as f64 / (n - 1) as f64;
        match k {
            0 => a,
            _ if k == n - 1 => b,
            _ if log => (a.ln() * (1.0 - t) + b.ln() * t).exp(),
            _ => a * (1.0 - t) + b * t,
        }
    };
    Some(Ok((0..n).map(|k| short(at(k))).collect()))
}

/// Values between commas that are not in brackets or quotes.
fn listed(text: &str) -> Option<Vec<String>> {
    let (mut values, mut depth, mut quote) = (vec![String::new()], 0i32, None);
    for c in text.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            (',', None) if depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        values.last_mut().expect("one at least").push(c);
    }
    let values: Vec<String> = values.iter().map(|v| v.trim().to_owned()).collect();
    (depth == 0 && quote.is_none() && values.iter().all(|v| !v.is_empty())).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Axis::parse(text).unwrap_or_else(|e| panic!("{e}")).values
    }

    #[test]
    fn values_are_read_as_people_write_them() {
        assert_eq!(values("law.friction=0.1:0.9:9")[2], "0.3");
        assert_eq!(values("law.friction=0.1:0.9:9").len(), 9);
        assert_eq!(values("a=1e-4:1e-1:4:log"), ["0.0001", "0.001", "0.01", "0.1"]);
        assert_eq!(values("seed=1..3"), ["1", "2", "3"]);
        assert_eq!(values("v=-2..0"), ["-2", "-1", "0"]);
        assert_eq!(values("variant=a, b"), ["a", "b"]);
        assert_eq!(values("f=[1,0],[\"2*t, 3\",0]"), ["[1,0]", "[\"2*t, 3\",0]"]);
        assert_eq!(values("f=\"a:b\""), ["\"a:b\""]);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (text, part) in [
            ("law.friction", "expected KEY=VALUES"),
            ("=1..2", "expected KEY=VALUES"),
            ("a=5..1", "smaller number first"),
            ("a=1..1000000000", "more than"),
            ("a=0.5..2", "whole numbers"),
            ("a=1:2", "FROM:TO:COUNT"),
            ("a=1:2:1", "from 2"),
            ("a=x:2:4", "must be numbers"),
            ("a=0:1:3:log", "positive"),
            ("a=[1,2", "brackets"),
            ("a=1,,2", "empty value"),
            ("a=1,1", "twice"),
        ] {
            let error = Axis::parse(text).expect_err(text);
            assert!(error.contains(part) && error.contains("--over"), "{text}: {error}");
        }
    }
}
