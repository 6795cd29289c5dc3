//! Shared by the tests.
#![allow(dead_code)]

use delassus_contact::{Shape2, Shape3, Vector};
use delassus_rigid::{
    BodySpec, Interaction, Interactions, Mass, ModelParts, RigidModel, StepSettings, World, world_of,
};
use std::sync::Arc;

pub type Sim2 = World<2, 2>;
pub type Sim3 = World<3, 3>;

pub const G: f64 = 9.81;

/// Steps of length `h`, tolerance well below what the tests compare.
pub fn settings(h: f64) -> StepSettings {
    StepSettings { tolerance: 1e-12, ..StepSettings::with_step(h) }
}

pub fn sim2(parts: ModelParts<2>, settings: StepSettings) -> Sim2 {
    let model = Arc::new(RigidModel::new(parts).expect("a valid model"));
    let state = model.initial_state();
    World::new(world_of(model).expect("plain contacts"), state, settings).expect("valid settings")
}

pub fn sim3(parts: ModelParts<3>, settings: StepSettings) -> Sim3 {
    let model = Arc::new(RigidModel::new(parts).expect("a valid model"));
    let state = model.initial_state();
    World::new(world_of(model).expect("plain contacts"), state, settings).expect("valid settings")
}

/// Gravity `g` turned by `angle`, so that a slope is the horizontal floor.
pub fn slope(g: f64, angle: f64) -> Vector<2> {
    Vector::<2>::new(g * angle.sin(), -g * angle.cos())
}

/// A floor `y ≤ 0` (body 0) and one law.
pub fn floor2(gravity: Vector<2>, law: Interaction) -> ModelParts<2> {
    let mut parts = ModelParts::new(gravity);
    parts.bodies.push(BodySpec::fixed("floor").shape(Shape2::half_plane([0.0, 1.0]).expect("a normal")));
    parts.interactions = Interactions::single(law);
    parts
}

/// A floor `z ≤ 0` (body 0) and one law.
pub fn floor3(gravity: Vector<3>, law: Interaction) -> ModelParts<3> {
    let mut parts = ModelParts::new(gravity);
    parts.bodies.push(BodySpec::fixed("floor").shape(Shape3::half_space([0.0, 0.0, 1.0]).expect("a normal")));
    parts.interactions = Interactions::single(law);
    parts
}

/// A particle of unit mass.
pub fn particle2(position: [f64; 2], velocity: [f64; 2]) -> BodySpec<2> {
    BodySpec::dynamic("particle", Mass::point(1.0)).at(position.into()).moving(velocity.into()).shape(Shape2::Point)
}
