//! The bodies of a periodic cell in a step: columns of contacts with images, pressures, the imposed shear.

use super::RigidSystem;
use crate::{Error, Kinematics};
use delassus_contact::{Contact, Dim};
use delassus_dynamics::{Rows, State};
use delassus_friction::algebra::Vector as Block;

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    /// Lengths move where a pressure is held.
    pub(super) fn free_cell(&mut self) {
        let model = self.model.clone();
        let Some(held) = model.cell.as_ref().and_then(|c| c.held.as_ref()) else { return };
        let inverse = &mut self.inverse[Self::dofs_of(held.body as usize)];
        let axes = held.pressure.iter().enumerate().filter(|(_, p)| p.is_some());
        axes.for_each(|(k, _)| inverse[k] = 1.0 / held.mass);
    }

    /// Velocities of the lengths if no contact acted on them.
    pub(super) fn free_lengths(&mut self, state: &State, h: f64) {
        let Some(held) = self.model.cell.as_ref().and_then(|c| c.held.as_ref()) else { return };
        for k in Self::dofs_of(held.body as usize).filter(|k| self.inverse[*k] > 0.0) {
            self.u_free[k] = state.u[k] + h * self.inverse[k] * self.force(k);
        }
    }

    /// Whether a body is one of the cell.
    pub(super) fn in_cell(&self, body: usize) -> bool {
        self.model.cell.as_ref().is_some_and(|c| c.has(body))
    }

    /// The velocity of the displacement at the end of the step.
    pub(super) fn impose_shear(&mut self, end: f64) -> Result<(), Error> {
        let model = self.model.clone();
        let Some(shear) = model.cell.as_ref().and_then(|c| c.shear.as_ref()) else { return Ok(()) };
        let rate = shear.rate.at(end);
        if !rate.is_finite() {
            let owner = "periodic cell".to_owned();
            return Err(Error::NotFinite { owner, what: "rate of shear", value: rate, time: end });
        }
        self.imposed_mut(shear.body as usize)[shear.flow] = rate * self.cell_length(shear.gradient);
        Ok(())
    }

    /// The length of the cell along an axis at `q_m`.
    fn cell_length(&self, axis: usize) -> f64 {
        let periodic = &self.model.detection.periodic;
        let moving = periodic.lengths.map(|b| self.poses[b as usize].position[axis]);
        moving.or(periodic.period[axis]).unwrap_or(1.0)
    }

    /// Pressures on the faces of the cell.
    pub(super) fn press_cell(&mut self, state: &State) -> Result<(), Error> {
        let model = self.model.clone();
        let Some(held) = model.cell.as_ref().and_then(|c| c.held.as_ref()) else { return Ok(()) };
        let at = Self::dofs_of(held.body as usize).start;
        for (k, pressure) in held.pressure.iter().enumerate().filter_map(|(k, p)| Some((k, p.as_ref()?))) {
            let area: f64 = (0..D).filter(|j| *j != k).map(|j| self.cell_length(j)).product();
            let push = pressure.at(self.t_m) * area;
            if !push.is_finite() {
                let owner = "periodic cell".to_owned();
                return Err(Error::NotFinite { owner, what: "pressure", value: push, time: self.t_m });
            }
            self.load[at + k] -= push;
            self.drag[at + k] -= held.damping * state.u[at + k];
        }
        Ok(())
    }

    /// What a contact with an image of its second body sees of the cell.
    pub(super) fn image_rows(&self, contact: &Contact<D>, rows: &mut Rows<C>) {
        let Some(cell) = &self.model.cell else { return };
        let image = |k: usize| f64::from(contact.key.image[k]);
        let along = |k: usize, n: f64| Block::<C>::from_fn(|c, _| if c < D { -n * contact.frame[(k, c)] } else { 0.0 });
        if let Some(held) = &cell.held {
            let count = |k: usize| held.pressure.get(k).and_then(Option::as_ref).map_or(0.0, |_| image(k));
            if (0..D).any(|k| count(k) != 0.0) {
                let at = Self::dofs_of(held.body as usize).start;
                for k in 0..Self::DOFS {
                    let column = if k < D { along(k, count(k)) } else { Block::zeros() };
                    rows.push(held.body, (at + k) as u32, column);
                }
            }
        }
        if let Some(shear) = &cell.shear
            && image(shear.gradient) != 0.0
        {
            let [before, after] = self.imposed(shear.body as usize).map(|u| u[shear.flow]);
            rows.impose(along(shear.flow, image(shear.gradient)), [before, after]);
        }
    }
}
