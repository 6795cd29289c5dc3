//! The contact problem of the coming step, whatever the dimension.

use delassus_rigid::{AnyBlocks, NextBlocks};

/// Contacts as flat columns, and the problem.
#[derive(Clone, Debug)]
pub struct NextStep {
    /// 2 or 3.
    pub dimension: usize,
    /// Middle of the nearest points of each contact \[m\].
    pub position: Vec<f64>,
    /// Frame of each contact by rows: normal towards the first body, tangents.
    pub frame: Vec<f64>,
    /// Gap of each contact, negative in penetration \[m\].
    pub gap: Vec<f64>,
    /// Bodies of each contact.
    pub bodies: Vec<[i64; 2]>,
    /// The body of each equation of balance.
    pub body: Vec<u32>,
    /// The problem.
    pub blocks: AnyBlocks,
    /// Length of the step \[s\].
    pub h: f64,
}

impl NextStep {
    pub(super) fn new<const D: usize>(step: NextBlocks<D>) -> Self {
        let contacts = &step.contacts;
        Self {
            dimension: D,
            position: contacts
                .iter()
                .flat_map(|c| ((c.points[0] + c.points[1]) * 0.5).iter().copied().collect::<Vec<_>>())
                .collect(),
            // Columns of the frame, one after the other, are its rows in the file.
            frame: contacts.iter().flat_map(|c| c.frame.iter().copied().collect::<Vec<_>>()).collect(),
            gap: contacts.iter().map(|c| c.gap).collect(),
            bodies: contacts.iter().map(|c| c.bodies.map(i64::from)).collect(),
            body: step.body,
            blocks: step.blocks,
            h: step.h,
        }
    }
}
