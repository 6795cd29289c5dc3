//! Means of a recorded flow over a window of time, for `info` and `draw`.

use super::draw::rounded;
use delassus_record::{Error, Run};
use serde_json::json;

/// Names of the recorded flows.
pub fn names(run: &Run) -> Vec<String> {
    let fields = run.header().fields.iter();
    let name = |field: &str| Some(field.strip_prefix("flow/")?.strip_suffix("/steps")?.to_owned());
    fields.filter_map(|f| name(&f.name)).collect()
}

/// Means of a flow over the frames of a window.
pub struct Means {
    name: String,
    window: [f64; 2],
    steps: f64,
    /// Middles of the slices \[m\].
    pub height: Vec<f64>,
    /// Mean velocity in the slices \[m/s\]; none where there is no grain.
    pub velocity: Vec<Option<f64>>,
    fraction: Vec<f64>,
    thickness: f64,
    solid_fraction: f64,
    stress_ratio: f64,
    balance_ratio: f64,
    acceleration: f64,
    coordination: f64,
    force_mean: f64,
    distribution: Vec<f64>,
}

impl Means {
    /// Over the frames after `from` up to `to` \[s\]; `None` if there is none.
    pub fn new(run: &Run, name: &str, from: f64, to: f64) -> Result<Option<Self>, Error> {
        let series = |what: &str| run.series(&format!("flow/{name}/{what}")).map(|c| c.to_f64());
        let slack = 1e-9 * (1.0 + to.abs());
        let times = run.times();
        let frames: Vec<usize> =
            (0..run.frames()).filter(|&k| times[k] > from + slack && times[k] <= to + slack).collect();
        let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return Ok(None) };
        let steps = series("steps")?;
        // The first frame has no step, and counts only if it is alone.
        let weight = |k: usize| if frames.len() == 1 { steps[k].max(1.0) } else { steps[k] };
        let total: f64 = frames.iter().map(|&k| weight(k)).sum();
        let width = |x: &[f64]| x.len() / run.frames();
        let mean = |x: &[f64], i: usize| {
            let w = width(x);
            frames.iter().map(|&k| weight(k) * x[w * k + i]).sum::<f64>() / total
        };
        let one = |what: &str| series(what).map(|x| mean(&x, 0));
        let all = |what: &str| series(what).map(|x| (0..width(&x)).map(|i| mean(&x, i)).collect::<Vec<f64>>());
        let (velocity, fraction) = (series("velocity")?, series("fraction")?);
        let flux: Vec<f64> = velocity.iter().zip(&fraction).map(|(v, f)| v * f).collect();
        let fraction: Vec<f64> = all("fraction")?;
        let speed = |i: usize| (fraction[i] > 0.0).then(|| mean(&flux, i) / fraction[i]);
        let force = all("force")?;
        let normal = force.last().copied().unwrap_or(0.0);
        Ok(Some(Self {
            name: name.into(),
            window: [first.checked_sub(1).map_or(times[first], |k| times[k]), times[last]],
            steps: frames.iter().map(|&k| steps[k]).sum(),
            velocity: (0..fraction.len()).map(speed).collect(),
            height: all("height")?,
            thickness: one("thickness")?,
            solid_fraction: one("solid_fraction")?,
            stress_ratio: if normal == 0.0 { 0.0 } else { -force[0] / normal },
            balance_ratio: one("balance_ratio")?,
            acceleration: one("acceleration")?,
            coordination: one("coordination")?,
            force_mean: one("force_mean")?,
            distribution: all("force_distribution")?,
            fraction,
        }))
    }

    /// The share of forces above so many means.
    fn above(&self, means: f64) -> f64 {
        let class = 5.0 / self.distribution.len() as f64;
        let below = |(i, p): (usize, &f64)| p * (means - i as f64 * class).clamp(0.0, class);
        1.0 - self.distribution.iter().enumerate().map(below).sum::<f64>()
    }

    /// For people.
    pub fn text(&self) -> Vec<String> {
        let [from, to] = self.window.map(rounded);
        let percent = |x: f64| format!("{:.1} %", 100.0 * self.above(x).clamp(0.0, 1.0));
        let mut lines = vec![
            format!("flow      {}: means from {from} s to {to} s, {} steps", self.name, self.steps),
            format!(
                "  stress ratio   {:.4} on the floor; tan θ − ⟨a⟩/(g cos θ) = {:.4} with ⟨a⟩ = {:.2e} m/s²",
                self.stress_ratio, self.balance_ratio, self.acceleration
            ),
            format!("  layer          {:.4} m thick, solid fraction {:.3}", self.thickness, self.solid_fraction),
            format!("  contacts       {:.3} neighbours that carry a force for each grain", self.coordination),
            format!(
                "  forces         mean {:.3e} N; {} above the mean, {} above twice, {} above three times",
                self.force_mean,
                percent(1.0),
                percent(2.0),
                percent(3.0)
            ),
            "  height [m]  velocity [m/s]  solid fraction".into(),
        ];
        let largest = self.velocity.iter().flatten().fold(0.0, |a: f64, v| a.max(v.abs()));
        for i in (0..self.height.len()).rev() {
            let [speed, bar] = match self.velocity[i] {
                Some(v) => [format!("{v:.4}"), "#".repeat((24.0 * v.abs() / largest.max(1e-300)).round() as usize)],
                None => ["–".into(), String::new()],
            };
            lines.push(
                format!("  {:>10.4} {speed:>15} {:>15.3}  {bar}", self.height[i], self.fraction[i]).trim_end().into(),
            );
        }
        lines
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        json!({
            "name": self.name,
            "from": self.window[0],
            "to": self.window[1],
            "steps": self.steps,
            "stress_ratio": self.stress_ratio,
            "balance_ratio": self.balance_ratio,
            "acceleration": self.acceleration,
            "thickness": self.thickness,
            "solid_fraction": self.solid_fraction,
            "coordination": self.coordination,
            "force_mean": self.force_mean,
            "force_distribution": self.distribution,
            "height": self.height,
            "velocity": self.velocity,
            "fraction": self.fraction,
        })
    }
}
