//! Houses of cards
//!
//! ```text
//!        /\            leaning cards: capsules, so that edge meets edge with a clear normal
//!       ====           flat cards: boxes on the rounded tops of two neighbouring pairs
//!      /\  /\
//! ```
//!
//! r half thickness, L length between the rounded ends, θ lean: the tops of a pair touch
//! at x = ±r, its feet are at ±(r + L sin θ), and pairs repeat every p = 4 r + 2 L sin θ,
//! feet touching. Flat cards are short of p by r/2, so the tops stay under their faces.

use super::{Made, only};
use crate::description::{Body, CardHouse, Dimension, Shape};
use crate::diagnostic::Problem;
use std::f64::consts::FRAC_PI_2;

pub fn make(house: &CardHouse, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    only(dimension, Dimension::Plane, "the generator `card_house`")?;
    let (total, thickness) = (house.card[0], house.card[1]);
    let radius = 0.5 * thickness;
    let length = total - thickness;
    if !(length > 0.0) {
        let what = format!("a card of length {total} must be longer than its thickness {thickness}");
        return Err(Problem::Inconsistent { what });
    }
    let (sin, cos) = libm::sincos(house.lean);
    let pitch = 4.0 * radius + 2.0 * length * sin;
    let storey = 2.0 * radius + length * cos + thickness;
    let mut bodies = Vec::new();
    for level in 0..house.levels {
        let pairs = house.levels - level;
        let base = f64::from(level) * storey;
        let first = -0.5 * pitch * f64::from(pairs - 1);
        for k in 0..pairs {
            let x = first + f64::from(k) * pitch;
            for (side, name) in [(-1.0, "left"), (1.0, "right")] {
                let body = Body {
                    shape: Some(Shape::Capsule { length, radius }),
                    position: Some(vec![x + side * (radius + 0.5 * length * sin), base + radius + 0.5 * length * cos]),
                    angle: Some(FRAC_PI_2 + side * house.lean),
                    ..Body::default()
                };
                bodies.push(Made::new(format!("{level}-{k}-{name}"), body));
            }
        }
        for k in 1..pairs {
            let body = Body {
                shape: Some(Shape::Box { size: vec![pitch - 0.5 * radius, thickness] }),
                position: Some(vec![first + (f64::from(k) - 0.5) * pitch, base + storey - radius]),
                ..Body::default()
            };
            bodies.push(Made::new(format!("{level}-{}-flat", k - 1), body));
        }
    }
    Ok(bodies)
}
