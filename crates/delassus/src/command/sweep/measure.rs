//! A number taken from a run: `[NAME=][STATISTIC:]SERIES[@FROM:TO]`.

use crate::command::plot::series;
use delassus_record::Run;

/// What is taken from a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statistic {
    Final,
    First,
    Min,
    Max,
    Mean,
    Std,
    Range,
    TimeMin,
    TimeMax,
    Rate,
}

const STATISTICS: [(&str, Statistic); 10] = [
    ("final", Statistic::Final),
    ("first", Statistic::First),
    ("min", Statistic::Min),
    ("max", Statistic::Max),
    ("mean", Statistic::Mean),
    ("std", Statistic::Std),
    ("range", Statistic::Range),
    ("time_min", Statistic::TimeMin),
    ("time_max", Statistic::TimeMax),
    ("rate", Statistic::Rate),
];

/// A measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name in tables.
    pub name: String,
    /// As given, which is what it is known by.
    pub text: String,
    statistic: Statistic,
    series: String,
    window: [f64; 2],
}

impl Measure {
    /// Reads it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refuse = |why: &str| Err(format!("--measure {text}: {why}"));
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) => (Some(name.trim()), rest.trim()),
            None => (None, text.trim()),
        };
        let (rest, window) = match rest.rsplit_once('@') {
            None => (rest, [f64::NEG_INFINITY, f64::INFINITY]),
            Some((rest, times)) => match window(times) {
                Some(window) => (rest, window),
                None => return refuse("expected '@FROM:TO' in seconds, FROM before TO, either may be left out"),
            },
        };
        let (statistic, series) = match rest.split_once(':') {
            None => (Statistic::Final, rest),
            Some((word, series)) => match STATISTICS.iter().find(|s| s.0 == word.trim()) {
                Some((_, statistic)) => (*statistic, series),
                None => {
                    let words: Vec<&str> = STATISTICS.iter().map(|s| s.0).collect();
                    return refuse(&format!("there is no statistic '{word}'; there are {}", words.join(", ")));
                }
            },
        };
        if series.trim().is_empty() || name == Some("") {
            return refuse("expected [NAME=][STATISTIC:]SERIES, for instance max:energy/kinetic");
        }
        let name = name.unwrap_or(text.trim()).to_owned();
        Ok(Self { name, text: text.trim().to_owned(), statistic, series: series.trim().to_owned(), window })
    }

    /// Takes it from a run: the number and its unit.
    pub fn of(&self, run: &Run) -> Result<(f64, String), String> {
        let mut found = series::find(run, &self.series)?;
        if found.len() != 1 {
            let names: Vec<&str> = found.iter().map(|s| s.name.as_str()).collect();
            return Err(format!("'{}' means {} series, give one of: {}", self.series, names.len(), names.join(", ")));
        }
        let series = found.remove(0);
        let inside = |t: &f64| (self.window[0]..=self.window[1]).contains(t);
        let points: Vec<[f64; 2]> =
            run.times().iter().zip(&series.values).filter(|p| inside(p.0)).map(|(t, y)| [*t, *y]).collect();
        let Some(value) = taken(self.statistic, &points) else {
            let end = run.times().last().copied().unwrap_or(0.0);
            return Err(format!("'{}' has too few frames in its window; the run ends at {end} s", self.text));
        };
        if !value.is_finite() {
            return Err(format!("'{}' is not a finite number", self.text));
        }
        let unit = match self.statistic {
            Statistic::TimeMin | Statistic::TimeMax => "s".into(),
            Statistic::Rate if series.unit == "1" => "1/s".into(),
            Statistic::Rate => format!("{}/s", series.unit),
            _ => series.unit,
        };
        Ok((value, unit))
    }
}

/// `FROM:TO`, either may be missing.
fn window(text: &str) -> Option<[f64; 2]> {
    let (from, to) = text.split_once(':')?;
    let number = |t: &str, none: f64| match t.trim() {
        "" => Some(none),
        t => t.parse::<f64>().ok().filter(|x| x.is_finite()),
    };
    let window = [number(from, f64::NEG_INFINITY)?, number(to, f64::INFINITY)?];
    (window[0] < window[1]).then_some(window)
}

/// `None` where there are too few points.
fn taken(statistic: Statistic, points: &[[f64; 2]]) -> Option<f64> {
    let n = points.len() as f64;
    let first = points.first()?;
    let last = points.last()?;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let least = || points.iter().fold(first, |a, p| if p[1] < a[1] { p } else { a });
    let most = || points.iter().fold(first, |a, p| if p[1] > a[1] { p } else { a });
    Some(match statistic {
        Statistic::Final => last[1],
        Statistic::First => first[1],
        Statistic::Min => least()[1],
        Statistic::Max => most()[1],
        Statistic::Mean => mean(1),
        Statistic::Std => (points.iter().map(|p| (p[1] - mean(1)).powi(2)).sum::<f64>() / n).sqrt(),
        Statistic::Range => most()[1] - least()[1],
        Statistic::TimeMin => least()[0],
        Statistic::TimeMax => most()[0],
        Statistic::Rate => {
            let (t, y) = (mean(0), mean(1));
            let spread: f64 = points.iter().map(|p| (p[0] - t).powi(2)).sum();
            if !(spread > 0.0) {
                return None;
            }
            points.iter().map(|p| (p[0] - t) * (p[1] - y)).sum::<f64>() / spread
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_taken_apart() {
        let m = Measure::parse("peak=max:bodies/velocity[box].x@0.5:").expect("a measure");
        assert_eq!((m.name.as_str(), m.series.as_str()), ("peak", "bodies/velocity[box].x"));
        assert_eq!((m.statistic, m.window), (Statistic::Max, [0.5, f64::INFINITY]));
        assert_eq!(Measure::parse("energy/kinetic").expect("a measure").statistic, Statistic::Final);
        for (text, part) in [
            ("most:a", "there is no statistic 'most'"),
            ("max:", "expected"),
            ("a@2", "'@FROM:TO'"),
            ("a@3:2", "FROM before TO"),
            ("=a", "expected"),
        ] {
            let error = Measure::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    /// Of y = 3 + 2 t at t = 0, 1, 2, 3: closed forms.
    #[test]
    fn statistics_of_a_line() {
        let points: Vec<[f64; 2]> = (0..4).map(|i| [f64::from(i), 3.0 + 2.0 * f64::from(i)]).collect();
        let of = |s| taken(s, &points).expect("four points");
        let found = [
            of(Statistic::Final),
            of(Statistic::First),
            of(Statistic::Mean),
            of(Statistic::Range),
            of(Statistic::TimeMax),
            of(Statistic::Rate),
        ];
        assert_eq!(found, [9.0, 3.0, 6.0, 6.0, 3.0, 2.0]);
        assert!((of(Statistic::Std) - 5f64.sqrt()).abs() < 1e-15);
        assert_eq!(taken(Statistic::Rate, &points[..1]), None);
        assert_eq!(taken(Statistic::Final, &[]), None);
    }
}
