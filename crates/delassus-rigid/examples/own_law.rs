//! A law of one's own: friction that weakens as two surfaces wear.
//!
//! `cargo run -p delassus-rigid --example own_law`
//!
//! The coefficient falls from `fresh` to `worn` over a sliding distance; the distance is an
//! internal variable of the contact, kept in the state and hence in every restart.

use delassus_contact::Shape2;
use delassus_rigid::{
    After, BodyLaw, BodySpec, Interactions, MEMORY, Mass, Meeting, ModelParts, RigidModel, StepLaw, StepSettings,
    simulate,
};

#[derive(Debug)]
struct Wearing {
    fresh: f64,
    worn: f64,
    distance: f64,
}

impl BodyLaw for Wearing {
    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        let wear = (-meeting.memory[0] / self.distance).exp();
        StepLaw::coulomb(self.worn + (self.fresh - self.worn) * wear, meeting)
    }

    fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        let slip = 0.5 * (meeting.before[1] + after.velocity[1]);
        memory[0] = meeting.memory[0] + meeting.h * slip.abs();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut parts = ModelParts::<2>::new([0.0, -9.81].into());
    parts.bodies.push(BodySpec::fixed("floor").shape(Shape2::half_plane([0.0, 1.0])?));
    let block = BodySpec::dynamic("block", Mass::point(1.0)).moving([3.0, 0.0].into());
    parts.bodies.push(block.shape(Shape2::Point));
    parts.interactions = Interactions::new(1);
    parts.interactions.set(0, 0, Wearing { fresh: 0.6, worn: 0.2, distance: 0.3 });
    let model = RigidModel::new(parts)?;
    let state = model.initial_state();
    let mut run = simulate(model, state, StepSettings::with_step(1e-3))?;
    println!("  t [s]   v [m/s]   slid [m]");
    for _ in 0..16 {
        for _ in 0..100 {
            run.step()?;
        }
        let state = run.state();
        println!("{:7.2} {:9.4} {:10.4}", state.time, state.u[3], state.contacts[0].memory[0]);
    }
    Ok(())
}
