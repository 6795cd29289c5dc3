//! Least thickness of a circular arch by lines of thrust, on its own: no rigid bodies, no contact solver.
//!
//! By convexity there is an equilibrium iff there is a symmetric one. Of that, the force through the crown is
//! horizontal: two unknowns, its size H and its moment M about the centre of the circle. At a joint at the angle φ
//! from the crown, with the weight W of the part between and its moment S,
//!
//! ```text
//!     N = H cos φ + W sin φ,     T = W cos φ − H sin φ,     r N = M + S,
//! ```
//!
//! r being where the force crosses the joint: inner ≤ r ≤ outer and |T| ≤ μ N are linear in H and M.

use std::f64::consts::PI;

/// Where the weight is.
#[derive(Clone, Copy, PartialEq)]
pub enum Weight {
    /// In blocks with straight sides, as they are.
    Blocks,
    /// Uniform along the circle of radius 1 [Heyman66]: published formulas assume it.
    Line,
}

/// An arch of equal voussoirs, of mean radius 1.
#[derive(Clone, Copy)]
pub struct Arch {
    pub blocks: u32,
    /// Angle of embrace [rad].
    pub angle: f64,
    pub friction: f64,
    pub weight: Weight,
}

impl Arch {
    /// A half circle.
    pub fn half(blocks: u32, friction: f64, weight: Weight) -> Self {
        Self { blocks, angle: PI, friction, weight }
    }

    /// The least thickness over radius; nothing where 1 is not enough.
    pub fn least_thickness(&self) -> Option<f64> {
        let (mut low, mut high) = (1e-3, 1.0);
        if !self.stands(high) {
            // Thicker arches may need more friction: the first that stands among many.
            high = (1..500).map(|k| f64::from(k) * 2e-3).find(|t| self.stands(*t))?;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.stands(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// The least friction for a thickness that stands with the given one.
    pub fn least_friction(&self, thickness: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.friction);
        for _ in 0..40 {
            let friction = 0.5 * (low + high);
            if (Self { friction, ..*self }).stands(thickness) { high = friction } else { low = friction }
        }
        high
    }

    /// Whether there is an equilibrium.
    pub fn stands(&self, thickness: f64) -> bool {
        let (inner, outer) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness);
        let step = self.angle / f64::from(self.blocks);
        let odd = self.blocks % 2 == 1;
        // A crown joint, or half a block down to the first joint.
        let first = if odd { 0.5 * step } else { 0.0 };
        let (mut weight, mut moment) = (0.0, 0.0);
        let mut add = |from: f64, to: f64| {
            let [more, lever] = match self.weight {
                Weight::Line => [to - from, from.cos() - to.cos()],
                Weight::Blocks if from == 0.0 && odd => polygon(&crown(inner, outer, to)),
                Weight::Blocks => polygon(&voussoir(inner, outer, from, to)),
            };
            weight += more;
            moment += lever;
            [weight, moment]
        };
        let mut part = if odd { add(0.0, first) } else { [0.0; 2] };
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut above: Vec<[f64; 2]> = vec![]; // M ≤ a + b H
        let mut below: Vec<[f64; 2]> = vec![]; // M ≥ a + b H
        for k in 0..=(self.blocks / 2) {
            let joint = first + f64::from(k) * step;
            if k > 0 {
                part = add(joint - step, joint);
            }
            let [weight, moment] = part;
            let (sin, cos) = joint.sin_cos();
            below.push([inner * weight * sin - moment, inner * cos]);
            above.push([outer * weight * sin - moment, outer * cos]);
            // |W cos − H sin| ≤ μ (H cos + W sin)
            low = f64::max(low, weight * (cos - self.friction * sin) / (sin + self.friction * cos));
            let loss = sin - self.friction * cos;
            if loss > 0.0 {
                high = f64::min(high, weight * (cos + self.friction * sin) / loss);
            }
        }
        for [a, b] in &above {
            for [c, d] in &below {
                // c + d H ≤ a + b H
                let (slope, room) = (d - b, a - c);
                if slope > 0.0 {
                    high = f64::min(high, room / slope);
                } else if slope < 0.0 {
                    low = f64::max(low, room / slope);
                } else if room < 0.0 {
                    return false;
                }
            }
        }
        low <= high
    }
}

/// Corners, x to the side and y upwards, of the block between two angles from the crown.
fn voussoir(inner: f64, outer: f64, from: f64, to: f64) -> [[f64; 2]; 4] {
    let at = |r: f64, a: f64| [r * a.sin(), r * a.cos()];
    [at(inner, from), at(outer, from), at(outer, to), at(inner, to)]
}

/// Half of the block at the crown.
fn crown(inner: f64, outer: f64, to: f64) -> [[f64; 2]; 4] {
    let (sin, cos) = to.sin_cos();
    [[0.0, inner * cos], [0.0, outer * cos], [outer * sin, outer * cos], [inner * sin, inner * cos]]
}

/// Area and first moment about y of a polygon.
fn polygon(corners: &[[f64; 2]; 4]) -> [f64; 2] {
    let (mut area, mut first) = (0.0, 0.0);
    for k in 0..4 {
        let ([x, y], [u, v]) = (corners[k], corners[(k + 1) % 4]);
        let cross = x * v - u * y;
        area += cross / 2.0;
        first += cross * (x + u) / 6.0;
    }
    [area.abs(), first.abs()]
}
