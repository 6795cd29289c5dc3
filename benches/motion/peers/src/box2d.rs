//! Box2D: the plane, single precision, lengths in units of the smallest extent so that it is in its range.

use crate::state::{Engine, Kind, Motion, Setting, Shape, State, drive};
use boxdd::{
    BodyBuilder, BodyId, BodyType, Foundation, FoundationConfig, Position, ShapeDef, SurfaceMaterial, Vec2, World,
    WorldBuilder, shapes,
};
use std::error::Error;

/// Substeps of a step: as its manual has it, and stiff.
const SUBSTEPS: [i32; 2] = [4, 8];
/// No speed of ours is near it [units/s].
const FAST: f32 = 1e6;
/// Half-planes are cut here [m].
const FAR: f64 = 50.0;

struct Scene {
    world: World,
    ids: Vec<BodyId>,
    unit: f64,
    step: f32,
    substeps: i32,
}

impl Engine for Scene {
    fn step(&mut self) -> Result<(), Box<dyn Error>> {
        let completed = self.world.step(self.step, self.substeps)?;
        completed.post_step_error().map_or(Ok(()), |error| Err(error.to_string().into()))
    }

    fn body(&mut self, index: usize) -> Result<[Vec<f64>; 3], Box<dyn Error>> {
        let body = self.world.body(self.ids[index])?;
        let (x, v) = (body.position()?, body.linear_velocity()?);
        let metres = |value: f32| self.unit * f64::from(value);
        Ok([vec![metres(x.x), metres(x.y)], vec![f64::from(body.rotation()?.angle())], vec![metres(v.x), metres(v.y)]])
    }
}

pub fn run(state: &State, setting: Setting, limit: f64) -> Result<Motion, Box<dyn Error>> {
    let scale = 1.0 / state.unit;
    let units = |x: f64| (x * scale) as f32;
    let vector = |x: &[f64]| Vec2::new(units(x[0]), units(x[1]));
    let foundation = Foundation::initialize(FoundationConfig::new(1.0))?;
    let mut builder = WorldBuilder::from(foundation.world_def())
        .gravity(vector(&state.gravity))
        .maximum_linear_speed(FAST)
        .enable_sleep(false);
    let substeps = SUBSTEPS[usize::from(setting == Setting::Stiff)];
    if setting == Setting::Stiff {
        let rate = f64::from(substeps) / state.step;
        builder = builder.contact_hertz((0.25 * rate) as f32).contact_damping_ratio(1.0).contact_speed(FAST);
    }
    let mut world = foundation.create_world(builder.build()?)?;
    let material = SurfaceMaterial::new().with_friction(state.friction as f32)?.with_restitution(0.0)?;
    let mut ids = vec![];
    for body in &state.bodies {
        let kind = match body.kind {
            Kind::Fixed => BodyType::Static,
            Kind::Moving => BodyType::Dynamic,
            Kind::Driven => BodyType::Kinematic,
        };
        let definition = BodyBuilder::from(foundation.body_def())
            .body_type(kind)
            .position(Position::new(units(body.position[0]), units(body.position[1])))
            .angle(body.rotation[0] as f32)
            .linear_velocity(vector(&body.velocity))
            .angular_velocity(body.spin[0] as f32)
            .enable_sleep(false)
            .allow_fast_rotation(true)
            .build()?;
        let id = world.create_body(definition)?;
        // Masses in units of density: they only count relative to each other.
        let definition = ShapeDef::builder().density(body.density as f32 * 1e-3).material(material).build()?;
        let mut owner = world.body(id)?;
        for shape in &body.shapes {
            match shape {
                Shape::HalfSpace => {
                    let thick = 0.1 * FAR;
                    let slab = [[-FAR, -thick], [FAR, -thick], [FAR, 0.0], [-FAR, 0.0]].map(|p| vector(&p));
                    owner.create_polygon(&definition, &shapes::polygon_from_points(slab, 0.0)?)?;
                }
                Shape::Disc { radius } => {
                    owner.create_centered_circle(&definition, units(*radius))?;
                }
                Shape::Capsule { half, radius } => {
                    let ends = [[-half, 0.0], [*half, 0.0]].map(|p| vector(&p));
                    owner.create_capsule(&definition, &shapes::capsule(ends[0], ends[1], units(*radius))?)?;
                }
                Shape::Box { centre, half } => {
                    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                        .map(|s| vector(&[centre[0] + s[0] * half[0], centre[1] + s[1] * half[1]]));
                    owner.create_polygon(&definition, &shapes::polygon_from_points(corners, 0.0)?)?;
                }
                Shape::Polygon { points } => {
                    let points: Vec<Vec2> = points.iter().map(|p| vector(p)).collect();
                    owner.create_polygon(&definition, &shapes::polygon_from_points(points, 0.0)?)?;
                }
                Shape::Sphere { .. } | Shape::Polyhedron { .. } | Shape::Mesh { .. } => {
                    return Err("a shape of space in the plane".into());
                }
            }
        }
        ids.push(id);
    }
    drive(state, limit, &mut Scene { world, ids, unit: state.unit, step: state.step as f32, substeps })
}
