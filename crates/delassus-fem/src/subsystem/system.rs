//! Deformable solids as a [`Subsystem`].

use super::Deformables;
use delassus_contact::{Contact, ContactSet, Dim, Space, Vector};
use delassus_dynamics::{
    After, BodyLaw, Error, MEMORY, Meeting, Mobility, Momenta, Posed, Rows, State, Subsystem, Works,
};
use delassus_friction::algebra::{BlockMatrix, Matrix};

impl<const D: usize> Deformables<D> {
    /// `A` and the free velocities; columns of `A⁻¹` where contacts are.
    pub fn release(&mut self) -> Result<(), Error> {
        for k in 0..self.solids.len() {
            self.solids[k].linearise()?;
        }
        self.gather_free();
        Ok(())
    }

    /// True when some solid was linearised again about the velocities `u`.
    pub fn release_again(&mut self, u: &[f64]) -> Result<bool, Error> {
        let mut again = false;
        for k in 0..self.solids.len() {
            let range = self.dofs_of(k);
            again |= self.solids[k].relinearise(&u[range])?;
        }
        if again {
            self.gather_free();
        }
        Ok(again)
    }

    fn gather_free(&mut self) {
        for k in 0..self.solids.len() {
            let range = self.dofs_of(k);
            self.free[range].copy_from_slice(self.solids[k].free());
        }
        self.prepare();
    }

    /// Free velocities of all solids.
    pub fn free(&self) -> &[f64] {
        &self.free
    }

    /// `x ← A⁻¹ x`.
    pub fn solve_all(&self, x: &mut [f64]) {
        for (k, solid) in self.solids.iter().enumerate() {
            solid.solve_in_place(&mut x[self.dofs_of(k)]);
        }
    }

    /// `q_f` of all solids.
    pub fn commit_all(&mut self, u: &[f64], q: &mut [f64]) -> Result<(), Error> {
        for k in 0..self.solids.len() {
            let (dofs, coordinates) = (self.dofs_of(k), self.coordinates_of(k));
            self.solids[k].commit(&u[dofs], &mut q[coordinates])?;
        }
        Ok(())
    }

    /// Kinetic energy.
    pub fn kinetic_energy(&self, u: &[f64]) -> f64 {
        self.solids.iter().enumerate().map(|(k, s)| s.kinetic(&u[self.dofs_of(k)])).sum()
    }

    /// Strain energy and potential of gravity.
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        self.solids.iter().enumerate().map(|(k, s)| s.potential(&q[self.coordinates_of(k)])).sum()
    }

    /// Adds the works over the step on the mean velocities.
    pub fn add_works(&self, mean: &[f64], works: &mut Works) {
        for (k, solid) in self.solids.iter().enumerate() {
            let own = solid.works(&mean[self.dofs_of(k)]);
            works.external += own.external;
            works.conservative += own.conservative;
        }
    }

    /// Adds the momenta.
    pub fn add_momenta(&self, q: &[f64], u: &[f64], momenta: &mut Momenta) {
        for (k, solid) in self.solids.iter().enumerate() {
            solid.add_momenta(&q[self.coordinates_of(k)], &u[self.dofs_of(k)], momenta);
        }
    }

    /// Moves the configuration.
    pub fn displace_all(&self, delta: &[f64], q: &mut [f64]) {
        for (k, solid) in self.solids.iter().enumerate() {
            solid.displace(&delta[self.dofs_of(k)], &mut q[self.coordinates_of(k)]);
        }
    }

    /// `Σ_a Σ_b c_a (A⁻¹)_ab c_bᵀ` for the columns of two contacts on one solid.
    pub fn couple(&self, solid: usize, mine: (&[u32], &[Vector<D>]), theirs: (&[u32], &[Vector<D>])) -> Matrix<D> {
        let mut block = Matrix::<D>::zeros();
        for (a, c) in mine.0.iter().zip(mine.1) {
            let mut row = Vector::<D>::zeros();
            for (b, d) in theirs.0.iter().zip(theirs.1) {
                row += d * self.mobility(solid, a - self.offsets.dofs, b - self.offsets.dofs);
            }
            block += c * row.transpose();
        }
        block
    }

    fn law_of(&self, contact: &Contact<D>) -> Option<&dyn BodyLaw> {
        self.law_between(self.materials_of(contact))
    }

    fn materials_of(&self, contact: &Contact<D>) -> [u16; 2] {
        contact.key.colliders.map(|c| self.skins[(c - self.offsets.colliders) as usize].material())
    }
}

impl<const D: usize> Subsystem<D, D> for Deformables<D>
where
    Dim<D>: Space<D>,
{
    fn coordinates(&self) -> usize {
        self.coordinates[self.solids.len()]
    }

    fn dofs(&self) -> usize {
        self.dofs[self.solids.len()]
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error> {
        self.move_to(&state.q, &state.u, (state.time, h));
        Ok(())
    }

    fn detect(&mut self, previous: &ContactSet<D>, found: &mut ContactSet<D>) -> Result<(), Error> {
        found.contacts.clear();
        self.find_own(previous, &mut found.contacts);
        found.contacts.sort_unstable_by_key(|c| c.key);
        self.settle_touches();
        Ok(())
    }

    fn is_active(&self, contact: &Contact<D>, memory: &[f64; MEMORY]) -> bool {
        self.is_closed(contact) || self.law_of(contact).is_some_and(|law| law.reaches(contact.gap, memory))
    }

    fn linearise(&mut self, _: &State, _: f64, _: &[f64]) -> Result<(), Error> {
        self.release()
    }

    fn relinearise(&mut self, u: &[f64]) -> Result<bool, Error> {
        self.release_again(u)
    }

    fn u_free(&self) -> &[f64] {
        &self.free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        self.solve_all(x);
    }

    fn contact_rows(&self, contact: &Contact<D>, rows: &mut Rows<D>) {
        let mut w = [Vector::zeros(); 2];
        (0..2).for_each(|side| self.add_imposed(contact, side, &mut w));
        rows.begin(w);
        (0..2).for_each(|side| self.push_columns(contact, side, rows));
    }

    fn law(&self, contact: &Contact<D>, meeting: &Meeting) -> Result<Posed, Error> {
        match self.law_of(contact) {
            Some(law) => Ok(law.pose(meeting)),
            None => {
                let (bodies, materials) = (contact.bodies, self.materials_of(contact));
                Err(Error::NoLaw { bodies, materials, time: meeting.time })
            }
        }
    }

    fn reduce(&self, rows: &Rows<D>, scratch: &mut Mobility<D>, w: &mut BlockMatrix<D>) {
        scratch.reduce_groups(rows, self.solids.len(), w, &|side, other| {
            let of = |s: &delassus_dynamics::Side| (&rows.dofs()[s.range()], &rows.columns()[s.range()]);
            self.couple((side.group - self.offsets.bodies) as usize, of(side), of(other))
        });
    }

    fn rests(&self, _: u32) -> bool {
        false
    }

    fn remember(&self, contact: &Contact<D>, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        if let Some(law) = self.law_of(contact) {
            law.remember(meeting, after, memory);
        }
    }

    fn commit(&mut self, u: &[f64], _: f64, state: &mut State) -> Result<(), Error> {
        state.u.copy_from_slice(u);
        self.commit_all(u, &mut state.q)
    }

    fn kinetic(&self, u: &[f64]) -> f64 {
        self.kinetic_energy(u)
    }

    fn potential(&self, state: &State) -> f64 {
        self.potential_energy(&state.q)
    }

    fn works(&self, mean: &[f64], _: f64) -> Works {
        let mut works = Works::default();
        self.add_works(mean, &mut works);
        works
    }

    fn momenta(&self, state: &State) -> Momenta {
        let mut momenta = Momenta::default();
        self.add_momenta(&state.q, &state.u, &mut momenta);
        momenta
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        self.displace_all(delta, &mut state.q);
    }
}
