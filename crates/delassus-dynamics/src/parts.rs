//! The parts of a world, side by side: `A = diag(parts)`.

use crate::subsystem::Account;
use crate::{Error, Ledger, Momenta, Operator, Sizes, State, Subsystem};
use std::ops::Range;

/// The parts and where they begin.
pub(crate) struct Parts<const D: usize, const C: usize> {
    list: Vec<Box<dyn Subsystem<D, C>>>,
    /// Where each begins, and the end.
    first: Vec<Sizes>,
}

impl<const D: usize, const C: usize> Parts<D, C> {
    pub fn new(mut list: Vec<Box<dyn Subsystem<D, C>>>) -> Self {
        let mut first = vec![Sizes::default()];
        for (k, part) in list.iter_mut().enumerate() {
            part.place(first[k]);
            first.push(first[k] + part.sizes());
        }
        Self { list, first }
    }

    /// Lengths of the whole.
    pub fn sizes(&self) -> Sizes {
        self.first[self.list.len()]
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Subsystem<D, C>> {
        self.list.iter().map(|p| &**p)
    }

    /// The part of a world that has one.
    pub fn only(&self) -> Option<&dyn Subsystem<D, C>> {
        if let [one] = &self.list[..] { Some(&**one) } else { None }
    }

    /// Each part with its degrees of freedom.
    pub fn ranges(&self) -> impl Iterator<Item = (Range<usize>, &dyn Subsystem<D, C>)> {
        self.first.windows(2).zip(self.iter()).map(|(w, p)| (w[0].dofs..w[1].dofs, p))
    }

    fn each(
        &mut self,
        mut f: impl FnMut(Range<usize>, &mut dyn Subsystem<D, C>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (w, part) in self.first.windows(2).zip(&mut self.list) {
            f(w[0].dofs..w[1].dofs, &mut **part)?;
        }
        Ok(())
    }

    /// The part of a body, whatever its place among them, and where that part begins.
    pub fn of_body(&self, body: u32) -> (&dyn Subsystem<D, C>, Sizes) {
        let k = self.first[1..].partition_point(|f| f.bodies <= body as usize).min(self.list.len() - 1);
        (&*self.list[k], self.first[k])
    }

    /// Poses of the rigid bodies.
    pub fn poses(&self) -> &[delassus_contact::Pose<D>] {
        self.list.iter().map(|p| p.surfaces().poses).find(|p| !p.is_empty()).unwrap_or_default()
    }

    /// The part with nodes, if there is one, and where it begins.
    pub fn with_nodes(&self) -> Option<(&dyn Subsystem<D, C>, Sizes)> {
        let k = self.list.iter().position(|p| !p.surfaces().nodes.reference.is_empty())?;
        Some((&*self.list[k], self.first[k]))
    }

    /// The only part, as a matrix and a residual.
    pub fn assembled(&mut self) -> Option<&mut dyn crate::saddle::Assembled> {
        match &mut self.list[..] {
            [one] => one.assembled(),
            // Obstacles and imposed bodies have no unknowns of their own.
            [bodies, solids] => match bodies.operator() {
                Operator::Bodies { inverse, .. } if inverse.iter().all(|x| *x == 0.0) => solids.assembled(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Degrees of freedom of the part that [`Parts::assembled`] gives.
    pub fn assembled_range(&self) -> Range<usize> {
        let n = self.list.len();
        self.first[n - 1].dofs..self.first[n].dofs
    }

    pub fn forget(&mut self) {
        self.list.iter_mut().for_each(|p| p.forget());
    }

    pub fn substeps(&mut self, state: &State, h: f64) -> Result<usize, Error> {
        let mut most = 1;
        self.each(|_, p| {
            most = most.max(p.parts(state, h)?);
            Ok(())
        })?;
        Ok(most)
    }

    pub fn predict(&mut self, state: &State, h: f64) -> Result<(), Error> {
        self.each(|_, p| p.predict(state, h))
    }

    pub fn linearise(&mut self, state: &State, h: f64, predicted: &[f64], balanced: bool) -> Result<(), Error> {
        self.each(|range, p| p.linearise(state, h, &predicted[range], balanced))
    }

    /// Free velocities.
    pub fn gather_free(&self, out: &mut Vec<f64>) {
        out.clear();
        self.iter().for_each(|p| out.extend_from_slice(p.u_free()));
    }

    /// The first free velocity that is not finite.
    pub fn free_is_lost(&self) -> Option<usize> {
        self.iter().flat_map(|p| p.u_free()).position(|x| !x.is_finite())
    }

    /// `x ← A⁻¹ x`.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        for (range, part) in self.ranges() {
            part.solve_in_place(&mut x[range]);
        }
    }

    /// Prepares the columns of `A⁻¹` that blocks touch; `dofs` ascending, those of the world.
    pub fn touch(&mut self, dofs: &[u32], scratch: &mut Vec<u32>) -> Result<(), Error> {
        self.each(|range, p| {
            let from = dofs.partition_point(|d| (*d as usize) < range.start);
            let to = dofs.partition_point(|d| (*d as usize) < range.end);
            scratch.clear();
            scratch.extend(dofs[from..to].iter().map(|d| d - range.start as u32));
            p.touch(scratch)
        })
    }

    /// True when some part was linearised again.
    pub fn relinearise(&mut self, u: &[f64], reaction: &[f64]) -> Result<bool, Error> {
        let mut again = false;
        self.each(|range, p| {
            // Bodies alone have none: they do not ask.
            let own = if reaction.is_empty() { 0..0 } else { range.clone() };
            again |= p.relinearise(&u[range], &reaction[own])?;
            Ok(())
        })?;
        Ok(again)
    }

    pub fn account(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), Error> {
        self.each(|range, p| {
            let [normal, tangential] = step.percussion;
            // Bodies alone have none: they do not ask.
            let part = |x: &[f64]| {
                if x.is_empty() { 0..0 } else { range.clone() }
            };
            let own = Account {
                u: &step.u[range.clone()],
                percussion: [&normal[part(normal)], &tangential[part(tangential)]],
                ..*step
            };
            p.account(&own, ledger)
        })
    }

    pub fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), Error> {
        self.each(|range, p| p.commit(&u[range], h, state))
    }

    pub fn energies(&self, state: &State) -> Ledger {
        let mut ledger = Ledger::default();
        self.iter().for_each(|p| p.energies(state, &mut ledger));
        ledger
    }

    pub fn momenta(&self, state: &State) -> Momenta {
        let mut momenta = Momenta::default();
        self.iter().for_each(|p| p.momenta(state, &mut momenta));
        momenta
    }

    pub fn displace(&self, delta: &[f64], state: &mut State) {
        self.ranges().for_each(|(range, p)| p.displace(&delta[range], state));
    }

    /// Degrees of freedom of the part that spreads percussions over several steps.
    pub fn blended(&self) -> Range<usize> {
        self.ranges().find(|(_, p)| p.blends()).map_or(0..0, |(range, _)| range)
    }

    /// Worst residual of a balance, and Newton iterations.
    pub fn balance(&self) -> (f64, usize) {
        self.iter().map(|p| p.balance()).fold((0.0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)))
    }
}
