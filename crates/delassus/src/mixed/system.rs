//! Rigid bodies and deformable solids as one [`Subsystem`].

use super::MixedError;
use delassus_contact::skin::SkinSpec;
use delassus_contact::{Contact, ContactSet, Detector, DetectorSettings, Dim, Placement};
use delassus_dynamics::{
    After, BodyLaw, Error, Link, MEMORY, Meeting, Mobility, Momenta, Posed, Rows, Side, State, Subsystem, Works,
};
use delassus_fem::subsystem::{DeformableError, DeformableSpec, Deformables, Offsets};
use delassus_friction::Root;
use delassus_friction::algebra::{BlockMatrix, Matrix, Vector as Block};
use delassus_rigid::{Kinematics, RigidModel, RigidSystem};
use std::cell::RefCell;
use std::sync::Arc;

/// Rigid bodies, joints, obstacles and deformable solids.
pub struct MixedSystem<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    rigid: RigidSystem<D, D>,
    solids: Deformables<D>,
    detector: Detector<D>,
    offsets: Offsets,
    /// Coordinates of the rigid bodies.
    coordinates: usize,
    free: Vec<f64>,
    t_m: f64,
    /// The state of the rigid bodies alone.
    part: RefCell<State>,
}

impl<const D: usize> MixedSystem<D>
where
    Dim<D>: Kinematics<D>,
{
    /// Puts the solids among the bodies of a model. Gravity and laws are those of the model.
    pub fn new(model: Arc<RigidModel<D>>, mut specs: Vec<DeformableSpec>) -> Result<Self, MixedError> {
        if model.detection().periodic.period.iter().any(Option::is_some) {
            return Err(MixedError::Periodic);
        }
        for spec in &mut specs {
            spec.model.gravity = std::array::from_fn(|k| if k < D { model.gravity()[k] } else { 0.0 });
        }
        let dofs = <Dim<D> as Kinematics<D>>::DOFS * model.bodies().len();
        let offsets = Offsets {
            colliders: model.colliders().len() as u32,
            bodies: model.bodies().len() as u32,
            dofs: dofs as u32,
        };
        let mut solids = Deformables::new(specs, model.interactions().clone(), offsets)?;
        solids.widen_margin(model.detection().margin);
        check_laws(&model, &solids)?;
        let skins = solids
            .skins()
            .iter()
            .map(|s| SkinSpec::new(offsets.bodies + s.body(), s.facets().clone()).material(s.material()));
        let settings = DetectorSettings { margin: solids.margin(), ..*model.detection() };
        let colliders = model.colliders().to_vec();
        let detector = Detector::with_skins(colliders, skins.collect(), solids.positions(), settings)?;
        let rigid = RigidSystem::new(model)?;
        let coordinates = rigid.coordinates();
        let free = vec![0.0; dofs + Subsystem::dofs(&solids)];
        Ok(Self { rigid, solids, detector, offsets, coordinates, free, t_m: 0.0, part: RefCell::default() })
    }

    /// The rigid bodies.
    pub fn rigid(&self) -> &RigidSystem<D, D> {
        &self.rigid
    }

    /// The solids.
    pub fn solids(&self) -> &Deformables<D> {
        &self.solids
    }

    /// Where the numbers of the solids begin.
    pub fn offsets(&self) -> Offsets {
        self.offsets
    }

    /// The state at the start.
    pub fn initial_state(&self) -> State {
        let mut state = self.rigid.model().initial_state();
        let solids = self.solids.initial_state();
        state.q.extend(solids.q);
        state.u.extend(solids.u);
        state
    }

    /// Coordinates and velocities of the solids in a state.
    pub fn solid_part<'a>(&self, state: &'a State) -> (&'a [f64], &'a [f64]) {
        (&state.q[self.coordinates..], &state.u[self.offsets.dofs as usize..])
    }

    /// Lets `f` see the state of the rigid bodies alone.
    fn with_rigid<R>(&self, state: &State, f: impl FnOnce(&RigidSystem<D, D>, &mut State) -> R) -> R {
        let mut part = self.part.borrow_mut();
        copy(state, &mut part, [self.coordinates, self.offsets.dofs as usize]);
        f(&self.rigid, &mut part)
    }

    fn is_rigid(&self, contact: &Contact<D>) -> bool {
        contact.key.colliders[1] < self.offsets.colliders
    }

    fn materials(&self, contact: &Contact<D>) -> [u16; 2] {
        contact.key.colliders.map(|c| match c.checked_sub(self.offsets.colliders) {
            Some(skin) => self.solids.skins()[skin as usize].material(),
            None => self.rigid.model().colliders()[c as usize].material,
        })
    }

    fn law_of(&self, contact: &Contact<D>) -> Option<&dyn BodyLaw> {
        self.solids.law_between(self.materials(contact))
    }

    fn couple(&self, rows: &Rows<D>, mine: &Side, theirs: &Side) -> Matrix<D> {
        let of = |s: &Side| (&rows.dofs()[s.range()], &rows.columns()[s.range()]);
        if let Some(solid) = mine.group.checked_sub(self.offsets.bodies) {
            return self.solids.couple(solid as usize, of(mine), of(theirs));
        }
        let inverse = self.rigid.inverse();
        let pairs = mine.range().zip(theirs.range());
        pairs.map(|(a, b)| rows.columns()[a] * (rows.columns()[b] * inverse[rows.dofs()[a] as usize]).transpose()).sum()
    }

    fn has_solids(&self, rows: &Rows<D>) -> bool {
        (0..rows.len()).any(|i| rows.sides(i).any(|s| s.group >= self.offsets.bodies))
    }
}

/// Every rigid body and every solid have a law, and one without axes.
fn check_laws<const D: usize>(model: &RigidModel<D>, solids: &Deformables<D>) -> Result<(), MixedError>
where
    Dim<D>: Kinematics<D>,
{
    for skin in solids.skins() {
        for c in model.colliders() {
            let names = || {
                let solid = solids.solids()[skin.body() as usize].name().to_owned();
                (model.bodies()[c.body as usize].name.clone(), solid)
            };
            match solids.law_between([c.material, skin.material()]) {
                None => {
                    let (body, solid) = names();
                    let materials = [c.material, skin.material()];
                    return Err(DeformableError::NoLaw { names: [body, solid], materials }.into());
                }
                Some(law) if law.material_axis().is_some() => {
                    let (body, solid) = names();
                    return Err(MixedError::Axes { body, solid });
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// The first coordinates and velocities of a state, and its links.
fn copy(from: &State, to: &mut State, [q, u]: [usize; 2]) {
    (to.step, to.time) = (from.step, from.time);
    to.q.clear();
    to.q.extend_from_slice(&from.q[..q]);
    to.u.clear();
    to.u.extend_from_slice(&from.u[..u]);
    to.links.clone_from(&from.links);
}

impl<const D: usize> Subsystem<D, D> for MixedSystem<D>
where
    Dim<D>: Kinematics<D>,
{
    fn coordinates(&self) -> usize {
        self.coordinates + Subsystem::coordinates(&self.solids)
    }

    fn dofs(&self) -> usize {
        self.free.len()
    }

    fn link_slots(&self) -> usize {
        self.rigid.link_slots()
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error> {
        let n = self.offsets.dofs as usize;
        self.t_m = state.time + 0.5 * h;
        let part = self.part.get_mut();
        copy(state, part, [self.coordinates, n]);
        self.rigid.predict(part, h)?;
        self.solids.move_to(&state.q[self.coordinates..], &state.u[n..], (state.time, h));
        Ok(())
    }

    fn detect(&mut self, previous: &ContactSet<D>, found: &mut ContactSet<D>) -> Result<(), Error> {
        let at = Placement { poses: self.rigid.poses(), nodes: self.solids.positions(), t: self.t_m };
        self.detector.detect(&at, previous, found)?;
        self.rigid.align(found);
        found.touches.iter().for_each(|t| self.solids.add_touch(*t));
        self.solids.settle_touches();
        Ok(())
    }

    fn is_active(&self, contact: &Contact<D>, memory: &[f64; MEMORY]) -> bool {
        match self.is_rigid(contact) {
            true => self.rigid.is_active(contact, memory),
            false => {
                let reaches = |law: &dyn BodyLaw| law.reaches(contact.gap, memory);
                self.solids.is_closed(contact) || self.law_of(contact).is_some_and(reaches)
            }
        }
    }

    fn linearise(&mut self, state: &State, h: f64, predicted: &[f64]) -> Result<(), Error> {
        let n = self.offsets.dofs as usize;
        let part = self.part.get_mut();
        copy(state, part, [self.coordinates, n]);
        self.rigid.linearise(part, h, &predicted[..n])?;
        self.solids.release()?;
        self.free[..n].copy_from_slice(self.rigid.u_free());
        self.free[n..].copy_from_slice(self.solids.free());
        Ok(())
    }

    fn relinearise(&mut self, u: &[f64]) -> Result<bool, Error> {
        let n = self.offsets.dofs as usize;
        let again = self.solids.release_again(&u[n..])?;
        self.free[n..].copy_from_slice(self.solids.free());
        Ok(again)
    }

    fn u_free(&self) -> &[f64] {
        &self.free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        let (rigid, solids) = x.split_at_mut(self.offsets.dofs as usize);
        self.rigid.solve_in_place(rigid);
        self.solids.solve_all(solids);
    }

    fn contact_rows(&self, contact: &Contact<D>, rows: &mut Rows<D>) {
        if self.is_rigid(contact) {
            return self.rigid.contact_rows(contact, rows);
        }
        if contact.key.colliders[0] >= self.offsets.colliders {
            return self.solids.contact_rows(contact, rows);
        }
        let columns = self.rigid.side(contact, 0);
        let mut w = [contact.frame.transpose() * contact.wall_velocity; 2];
        self.rigid.add_imposed(contact.bodies[0], &columns, &mut w);
        self.solids.add_imposed(contact, 1, &mut w);
        rows.begin(w);
        self.rigid.push_columns(contact.bodies[0], &columns, rows);
        self.solids.push_columns(contact, 1, rows);
    }

    fn links(&self, h: f64, rows: &mut Rows<D>, links: &mut Vec<Link<D>>) {
        self.rigid.links(h, rows, links);
    }

    fn law(&self, contact: &Contact<D>, meeting: &Meeting) -> Result<Posed, Error> {
        if self.is_rigid(contact) {
            return self.rigid.law(contact, meeting);
        }
        match self.law_of(contact) {
            Some(law) => Ok(law.pose(meeting)),
            None => {
                let (bodies, materials) = (contact.bodies, self.materials(contact));
                Err(Error::NoLaw { bodies, materials, time: meeting.time })
            }
        }
    }

    fn reduce(&self, rows: &Rows<D>, scratch: &mut Mobility<D>, w: &mut BlockMatrix<D>) {
        if !self.has_solids(rows) {
            return self.rigid.reduce(rows, scratch, w);
        }
        let groups = self.offsets.bodies as usize + self.solids.solids().len();
        scratch.reduce_groups(rows, groups, w, &|mine, theirs| self.couple(rows, mine, theirs));
    }

    fn root(&self, rows: &Rows<D>, compliance: &[Block<D>]) -> Option<Root<D>> {
        if self.has_solids(rows) { None } else { self.rigid.root(rows, compliance) }
    }

    fn rests(&self, group: u32) -> bool {
        group < self.offsets.bodies
    }

    fn remember(&self, contact: &Contact<D>, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        if self.is_rigid(contact) {
            self.rigid.remember(contact, meeting, after, memory);
        } else if let Some(law) = self.law_of(contact) {
            law.remember(meeting, after, memory);
        }
    }

    fn commit(&mut self, u: &[f64], h: f64, state: &mut State) -> Result<(), Error> {
        let (n, c) = (self.offsets.dofs as usize, self.coordinates);
        let part = self.part.get_mut();
        copy(state, part, [c, n]);
        self.rigid.commit(&u[..n], h, part)?;
        state.q[..c].copy_from_slice(&part.q);
        state.u.copy_from_slice(u);
        state.u[..n].copy_from_slice(&part.u);
        self.solids.commit_all(&u[n..], &mut state.q[c..])
    }

    fn kinetic(&self, u: &[f64]) -> f64 {
        let n = self.offsets.dofs as usize;
        self.rigid.kinetic(&u[..n]) + self.solids.kinetic_energy(&u[n..])
    }

    fn potential(&self, state: &State) -> f64 {
        let rigid = self.with_rigid(state, |rigid, part| rigid.potential(part));
        rigid + self.solids.potential_energy(self.solid_part(state).0)
    }

    fn works(&self, mean: &[f64], h: f64) -> Works {
        let n = self.offsets.dofs as usize;
        let mut works = self.rigid.works(&mean[..n], h);
        self.solids.add_works(&mean[n..], &mut works);
        works
    }

    fn momenta(&self, state: &State) -> Momenta {
        let mut momenta = self.with_rigid(state, |rigid, part| rigid.momenta(part));
        let (q, u) = self.solid_part(state);
        self.solids.add_momenta(q, u, &mut momenta);
        momenta
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        let n = self.offsets.dofs as usize;
        let mut part = self.part.borrow_mut();
        copy(state, &mut part, [self.coordinates, n]);
        self.rigid.displace(&delta[..n], &mut part);
        state.q[..self.coordinates].copy_from_slice(&part.q);
        self.solids.displace_all(&delta[n..], &mut state.q[self.coordinates..]);
    }

    fn refresh_gaps(&self, state: &State, links: &mut [Link<D>]) {
        self.with_rigid(state, |rigid, part| rigid.refresh_gaps(part, links));
    }

    fn joint_drift(&self, state: &State) -> f64 {
        self.with_rigid(state, |rigid, part| rigid.joint_drift(part))
    }
}
