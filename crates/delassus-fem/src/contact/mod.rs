//! Where surfaces meet: pairing, collocation points, frames
