//! The references of the seeds for particles (P) and impacts (I).

mod impacts;
mod particles;
mod tables;
