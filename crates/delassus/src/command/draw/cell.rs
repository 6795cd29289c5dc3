//! The periodic cell: bodies leave it for ever, pictures show it.

use super::snapshot::Snapshot;
use delassus_contact::Dim;
use delassus_draw::Role;
use delassus_draw::plane::Body;
use delassus_rigid::{Kinematics, RigidModel};
use delassus_scene::Built;

/// Corner and periods along the axes.
pub struct Cell {
    corner: Vec<f64>,
    period: Vec<Option<f64>>,
    free: Vec<bool>,
}

impl Cell {
    /// That of a scene.
    pub fn of(built: &Built) -> Self {
        match built {
            Built::Plane(setup) => Self::new(&setup.model),
            Built::Space(setup) => Self::new(&setup.model),
        }
    }

    /// That of a model.
    pub fn new<const D: usize>(model: &RigidModel<D>) -> Self
    where
        Dim<D>: Kinematics<D>,
    {
        let periodic = &model.detection().periodic;
        Self {
            corner: periodic.origin.to_vec(),
            period: periodic.period.to_vec(),
            free: model.bodies().iter().map(|b| b.is_dynamic()).collect(),
        }
    }

    /// The image of a point in the cell.
    pub fn enter(&self, point: &mut [f64]) {
        for ((x, corner), period) in point.iter_mut().zip(&self.corner).zip(&self.period) {
            if let Some(period) = period {
                *x -= ((*x - corner) / period).floor() * period;
            }
        }
    }

    /// The images in the cell of all free bodies and contacts.
    pub fn gather(&self, snapshot: &mut Snapshot) {
        if self.period.iter().all(Option::is_none) {
            return;
        }
        let bodies = snapshot.position.chunks_exact_mut(self.corner.len()).zip(&self.free);
        bodies.filter(|(_, free)| **free).for_each(|(x, _)| self.enter(x));
        snapshot.contacts.iter_mut().for_each(|c| self.enter(&mut c.point));
    }

    /// The images of bodies of the plane that reach into the cell from outside.
    pub fn images(&self, bodies: &[Body]) -> Vec<Body> {
        let mut all = vec![];
        for (k, period) in self.period.iter().enumerate() {
            let Some(period) = period else { continue };
            let (low, high) = (self.corner[k], self.corner[k] + period);
            // Along the second axis the images along the first have images too: the corners.
            let first = all.clone();
            for body in bodies.iter().chain(&first).filter(|b| b.role == Role::Free) {
                let (x, r) = (body.centre[k], body.radius());
                let mut move_by = |by: f64| {
                    let mut shift = [0.0; 2];
                    shift[k] = by;
                    all.push(body.moved(shift));
                };
                if x - r < low {
                    move_by(*period);
                }
                if x + r > high {
                    move_by(-period);
                }
            }
        }
        all
    }
}
