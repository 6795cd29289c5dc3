//! Shape functions and quadratures of the reference cells
//!
//! Reference cells, nodes in the order of VTK: triangles `ξ, η ≥ 0, ξ + η ≤ 1`,
//! tetrahedra likewise, quadrangles and hexahedra `[−1, 1]ᵈ`, segments `[−1, 1]`.
//!
//! A field is `Σ_a N_a(ξ) x_a`; `Σ N_a = 1` and linear fields are reproduced, which is
//! what a patch test rests on.

pub mod beam;
mod quadrature;
mod shape;

pub use quadrature::{Rule, mass_rule, simplex_rule, stiffness_rule};
pub use shape::{NODES_MAX, corner_kind, dimension, node_positions, nodes, shape, shape_gradients};
