//! Materials: energy, stress, tangent
