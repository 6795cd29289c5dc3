//! Statistics of what a run observed: extremes, mean over time, spread, last value.

use super::plot::series::{Series, find};
use delassus_record::{Extent, Run};
use serde_json::{Value, json};

/// Groups of the record that hold observations.
const GROUPS: [&str; 4] = ["observe", "probes", "wear", "sinks"];

/// One number of each frame, summed up.
pub struct Observed {
    name: String,
    unit: String,
    least: f64,
    most: f64,
    mean: f64,
    deviation: f64,
    last: f64,
}

impl Observed {
    /// Means are over time, by trapezoids; of a single frame its value.
    fn new(series: Series, times: &[f64]) -> Option<Self> {
        let Series { name, unit, values } = series;
        let last = *values.last()?;
        let (least, most) = values.iter().fold((last, last), |(a, b), x| (a.min(*x), b.max(*x)));
        let mean = mean(times, &values, |x| x).unwrap_or(last);
        let deviation = self::mean(times, &values, |x| (x - mean).powi(2)).map_or(0.0, f64::sqrt);
        Some(Self { name, unit, least, most, mean, deviation, last })
    }

    fn line(&self, width: usize) -> String {
        let Self { name, unit, least, most, mean, deviation, last } = self;
        format!("  {name:width$} {least:>11.4e} {mean:>11.4e} {most:>11.4e} {deviation:>10.3e} {last:>11.4e} {unit}")
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let Self { name, unit, least, most, mean, deviation, last } = self;
        json!({
            "name": name, "unit": unit, "least": least, "most": most, "mean": mean, "deviation": deviation, "last": last,
        })
    }
}

fn mean(times: &[f64], values: &[f64], of: impl Fn(f64) -> f64) -> Option<f64> {
    let span = times.last()? - times.first()?;
    let steps = times.windows(2).zip(values.windows(2));
    let sum: f64 = steps.map(|(t, x)| 0.5 * (t[1] - t[0]) * (of(x[0]) + of(x[1]))).sum();
    (span > 0.0).then_some(sum / span)
}

/// All observed series of a run.
pub fn all(run: &Run) -> Result<Vec<Observed>, String> {
    let mut all = vec![];
    for field in run.header().fields.iter().filter(|f| f.extent == Extent::Scalar) {
        if field.name.split_once('/').is_some_and(|(group, _)| GROUPS.contains(&group)) {
            all.extend(find(run, &field.name)?.into_iter().filter_map(|s| Observed::new(s, run.times())));
        }
    }
    Ok(all)
}

/// A table of them.
pub fn text(all: &[Observed]) -> Vec<String> {
    if all.is_empty() {
        return vec![];
    }
    let width = all.iter().map(|o| o.name.chars().count()).max().unwrap_or(0).max(8);
    let head = format!("{:12} {:>11} {:>11} {:>11} {:>10} {:>11}", "", "least", "mean", "most", "deviation", "last");
    let head = format!("observed{}{}", " ".repeat(width + 2 - 8), &head[12..]);
    std::iter::once(head).chain(all.iter().map(|o| o.line(width))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x = t on [0, 2] in unequal steps: mean 1, deviation about 1/√3 by trapezoids, extremes 0 and 2.
    #[test]
    fn means_are_over_time() {
        let times: Vec<f64> = (0..=100).map(|k| 2.0 * (k as f64 / 100.0).powi(2)).collect();
        let series = Series { name: "a".into(), unit: "m".into(), values: times.clone() };
        let found = Observed::new(series, &times).expect("frames");
        assert!((found.mean - 1.0).abs() < 1e-12 && (found.deviation - 3f64.sqrt().recip()).abs() < 1e-3);
        assert_eq!((found.least, found.most, found.last), (0.0, 2.0, 2.0));
        let one = Observed::new(Series { name: "a".into(), unit: "m".into(), values: vec![3.0] }, &[1.0]);
        assert_eq!(one.map(|o| (o.mean, o.deviation)), Some((3.0, 0.0)));
    }
}
