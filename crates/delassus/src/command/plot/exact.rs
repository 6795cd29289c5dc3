//! Closed forms to compare runs with.
//!
//! Two equal bars that fly towards each other at `v₀`, each `g₀` from the middle: they touch at
//! `t_c = g₀/v₀`, stay together while a wave goes to the free ends and back, `2L/c` with
//! `c = √(E/ρ)`, under the force `E S v₀/c`, and leave with the velocities exchanged. The energy
//! `ρ S L v₀²` does not change. \[Zammali05, annexe 1\], with the sign of (5.13) corrected.

use super::args::Exact;
use crate::command::runs::scene_of;
use delassus_draw::{Colour, Curve, Point, Stroke};
use delassus_record::Run;

/// Two bars.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TwoBars {
    young: f64,
    density: f64,
    length: f64,
    section: f64,
    speed: f64,
    gap: f64,
}

/// Parameters of the scene, in the order of the fields of [`TwoBars`].
const PARAMETERS: [&str; 6] = ["young", "density", "length", "section", "speed", "gap"];

impl TwoBars {
    /// From the parameters of the scene of a run.
    fn of(run: &Run) -> Result<Self, String> {
        let scene = scene_of(run, None).map_err(|e| format!("{}: {e}", run.path().display()))?;
        let value = |name: &str| {
            let found = scene.description.parameters.get(name).copied().filter(|x| *x > 0.0);
            found.ok_or_else(|| {
                let file = run.path().display();
                let all = PARAMETERS.join(", ");
                format!(
                    "--exact two-bars needs the positive parameters {all} in the scene of {file}: '{name}' is missing"
                )
            })
        };
        let [young, density, length] = [value("young")?, value("density")?, value("length")?];
        let [section, speed, gap] = [value("section")?, value("speed")?, value("gap")?];
        Ok(Self { young, density, length, section, speed, gap: 0.5 * gap })
    }

    /// Displacement, velocity, contact force and energy at the end of one bar, which moves
    /// in the direction of `sign`, up to a time.
    fn curves(&self, sign: f64, end: f64) -> [Vec<Point>; 4] {
        let wave = (self.young / self.density).sqrt();
        let touch = self.gap / self.speed;
        let leave = touch + 2.0 * self.length / wave;
        let force = self.young * self.section * self.speed / wave;
        let energy = self.density * self.section * self.length * self.speed * self.speed;
        let v = sign * self.speed;
        let displacement = |t: f64| v * (t.min(touch) - (t - leave).max(0.0));
        let mut curves: [Vec<Point>; 4] = Default::default();
        let mut phase = |from: f64, to: f64, velocity: f64, force: f64| {
            if from < end {
                for t in [from, to.min(end)] {
                    for (curve, y) in curves.iter_mut().zip([displacement(t), velocity, force, energy]) {
                        curve.push([t, y]);
                    }
                }
            }
        };
        phase(0.0, touch, v, 0.0);
        phase(touch, leave, 0.0, force);
        phase(leave, f64::INFINITY, -v, 0.0);
        curves
    }
}

/// The closed form in the four panels; `first` is the velocity at the start.
pub fn curves(problem: Exact, run: &Run, first: f64, end: f64) -> Result<Vec<Curve>, String> {
    let Exact::TwoBars = problem;
    let stroke = Stroke::new(Colour::hex(0x1F_2933), 1.1).faded(0.75);
    let all = TwoBars::of(run)?.curves(if first < 0.0 { -1.0 } else { 1.0 }, end);
    Ok(all.into_iter().map(|points| Curve { name: "exact".into(), stroke: stroke.clone(), points }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: B1, impulse = force × duration = change of momentum 2 ρ S L v₀.
    #[test]
    fn the_impulse_turns_the_momentum() {
        let bars = TwoBars { young: 2e11, density: 7800.0, length: 1.0, section: 0.04, speed: 10.0, gap: 5e-4 };
        let [displacement, velocity, force, energy] = bars.curves(1.0, 1e-3);
        let (touch, leave) = (force[2][0], force[3][0]);
        assert!((touch - 5e-5).abs() < 1e-15 && (leave - 4.449_683_531_626_3e-4).abs() < 1e-12);
        assert!((force[2][1] * (leave - touch) / 6240.0 - 1.0).abs() < 1e-12);
        assert!((force[2][1] / 15_798_734.126_505_2 - 1.0).abs() < 1e-12);
        assert!((energy[0][1] / 31_200.0 - 1.0).abs() < 1e-12);
        assert_eq!([velocity[0][1], velocity[2][1], velocity[4][1]], [10.0, 0.0, -10.0]);
        assert!((displacement[3][1] - 5e-4).abs() < 1e-15);
        // A run that ends in contact has no third phase.
        assert_eq!(bars.curves(-1.0, 1e-4)[0].len(), 4);
    }
}
