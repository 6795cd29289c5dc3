//! Rigid bodies, joints and moving obstacles.
