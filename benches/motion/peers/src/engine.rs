//! Rapier, of either dimension.

use super::adapt;
use super::rapier::parry::bounding_volume::BoundingVolume;
use super::rapier::parry::query;
use super::rapier::prelude::*;
use crate::state::{Engine, Kind, Motion, Setting, State, drive};
use std::error::Error;

/// Substeps of a stiff step; four otherwise.
const SUBSTEPS: usize = 8;

struct Scene {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

impl Engine for Scene {
    fn step(&mut self) -> Result<(), Box<dyn Error>> {
        self.world.step();
        Ok(())
    }

    fn body(&mut self, index: usize) -> Result<[Vec<f64>; 3], Box<dyn Error>> {
        Ok(adapt::place(&self.world.bodies[self.handles[index]]))
    }
}

pub fn run(state: &State, setting: Setting, limit: f64) -> Result<Motion, Box<dyn Error>> {
    let mut world = PhysicsWorld::new();
    world.gravity = adapt::vector(&state.gravity);
    world.integration_parameters = parameters(state, setting);
    let mut handles = vec![];
    for body in &state.bodies {
        let builder = match body.kind {
            Kind::Fixed => RigidBodyBuilder::fixed(),
            Kind::Moving => RigidBodyBuilder::dynamic(),
            Kind::Driven => RigidBodyBuilder::kinematic_velocity_based(),
        };
        // Every step is solved: nothing sleeps.
        let builder = builder
            .pose(adapt::pose(&body.position, &body.rotation))
            .linvel(adapt::vector(&body.velocity))
            .angvel(adapt::spin(body))
            .can_sleep(false);
        let handle = world.insert_body(builder);
        for part in &body.shapes {
            let (shape, offset) = adapt::shape(part)?;
            let collider = ColliderBuilder::new(shape)
                .position(offset)
                .density(body.density)
                .friction(state.friction)
                .restitution(0.0);
            world.insert_collider(collider, Some(handle));
        }
        handles.push(handle);
    }
    drive(state, limit, &mut Scene { world, handles })
}

fn parameters(state: &State, setting: Setting) -> IntegrationParameters {
    let mut parameters = IntegrationParameters {
        dt: state.step,
        min_ccd_dt: state.step / 100.0,
        length_unit: state.unit,
        normalized_max_linear_velocity: Real::MAX,
        ..IntegrationParameters::default()
    };
    if setting == Setting::Stiff {
        // A quarter of the rate of the substeps, beyond which the springs are not resolved.
        let softness = SpringCoefficients::new(0.25 * SUBSTEPS as f64 / state.step, 1.0);
        parameters.num_solver_iterations = SUBSTEPS;
        parameters.contact_softness = softness;
        parameters.static_contact_softness = softness;
        parameters.normalized_max_corrective_velocity = Real::MAX;
        parameters.contact_recycling = false;
    }
    adapt::friction(&mut parameters, setting);
    parameters
}

/// The deepest penetration of any two shapes of two bodies, over all frames [m].
pub fn depth(state: &State, motion: &Motion) -> Result<f64, Box<dyn Error>> {
    let mut shapes = vec![];
    for (k, body) in state.bodies.iter().enumerate() {
        for part in &body.shapes {
            let (shape, offset) = adapt::shape(part)?;
            shapes.push((k, shape, offset));
        }
    }
    let moving = |k: usize| state.bodies[k].kind == Kind::Moving;
    let mut deepest = 0.0f64;
    for (positions, rotations) in motion.position.iter().zip(&motion.rotation) {
        let poses: Vec<Pose> =
            shapes.iter().map(|(k, _, offset)| adapt::pose(&positions[*k], &rotations[*k]) * *offset).collect();
        let boxes: Vec<_> = shapes.iter().zip(&poses).map(|((_, shape, _), pose)| shape.compute_aabb(pose)).collect();
        // Sweep along x.
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by(|a, b| boxes[*a].mins.x.total_cmp(&boxes[*b].mins.x));
        for (i, &a) in order.iter().enumerate() {
            for &b in order[i + 1..].iter().take_while(|b| boxes[**b].mins.x <= boxes[a].maxs.x) {
                let (one, two) = (shapes[a].0, shapes[b].0);
                if one == two || !(moving(one) || moving(two)) || !boxes[a].intersects(&boxes[b]) {
                    continue;
                }
                if let Some(contact) = query::contact(&poses[a], &*shapes[a].1, &poses[b], &*shapes[b].1, 0.0)? {
                    deepest = deepest.max(-contact.dist);
                }
            }
        }
    }
    Ok(deepest)
}
