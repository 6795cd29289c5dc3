//! The blocks of a step and their laws: contacts, links, multipliers of surfaces.

use crate::islands::NONE;
use crate::layers::Layer;
use crate::meetings::{ahead, closed_gap, ends, meeting};
use crate::parts::Parts;
use crate::rest::OUTSIDE;
use crate::subsystem::Nodes;
use crate::weak::WeakBlocks;
use crate::workspace::Workspace;
use crate::{
    Bodies, Bond, Error, Formalism, LinkKind, Measure, Meeting, Path, Predicted, Rows, State, StepLaw, Subsystem, World,
};
use delassus_contact::{Dim, Space};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// A predicted gap this far below zero, relative to the largest displacement, is a contact; nearer to
/// zero it is round-off, and the surfaces that merely graze meet in the next step.
const GRAZING: f64 = 1e-12;

/// The law of a spring of the stabilisation: pulls and pushes along the normal.
const SPRING: Law = Law::Limited { limit: [f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0] };

fn wide<const C: usize>(x: &[f64; COMPONENTS]) -> Vector<C> {
    Vector::<C>::from_fn(|k, _| x[k])
}

/// A percussion of the law, from the last step's: its bits are kept where only round-off takes it out of the set.
fn admissible<const C: usize>(law: &Law, start: Vector<C>) -> Vector<C> {
    let inside = law.project(&start);
    if (inside - start).norm() <= OUTSIDE * start.norm() { start } else { inside }
}

/// Of a world: what says how a law sees a contact.
struct Seen<'a, const D: usize, const C: usize>
where
    Dim<D>: Space<D>,
{
    bodies: &'a Bodies<D>,
    parts: &'a Parts<D, C>,
    state: &'a State,
    stores: bool,
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// The blocks of contacts and links, and their velocities before the step.
    pub(crate) fn list_blocks(&mut self, h: f64) {
        let Self { ws, parts, bodies, state, sleep, .. } = self;
        ws.active.clear();
        ws.dormant.clear();
        ws.took.clear();
        ws.rows.clear();
        ws.links.clear();
        let poses = parts.poses();
        if sleep.count() > 0 {
            for (contact, kept) in ws.found.contacts.iter().zip(&ws.kept) {
                if bodies.is_active(poses, contact, &kept.memory) {
                    sleep.touch(contact.bodies);
                }
            }
            sleep.rouse();
        }
        for (i, contact) in ws.found.contacts.iter().enumerate() {
            if !bodies.is_active(poses, contact, &ws.kept[i].memory) {
                continue;
            }
            if contact.bodies.iter().any(|b| sleep.is_asleep(*b)) {
                ws.dormant.push(i as u32);
                ws.took.push([i as u32, NONE]);
                continue;
            }
            let touch = ws.found.touch(&contact.key);
            let along = contact.frame.transpose() * contact.wall_velocity;
            ws.rows.begin([Vector::<C>::from_fn(|k, _| if k < D { along[k] } else { 0.0 }); 2]);
            for side in 0..2 {
                let (part, _) = parts.of_body(contact.bodies[side]);
                part.side_rows(contact, side, touch.map(|t| &t.sides[side]), &mut ws.rows);
            }
            ws.took.push([i as u32, ws.active.len() as u32]);
            ws.active.push(i as u32);
        }
        parts.iter().for_each(|p| p.links(h, &mut ws.rows, &mut ws.links));
        ws.u_i.clear();
        ws.u_i.extend_from_slice(&state.u);
        ws.before.clear();
        ws.before.extend((0..ws.rows.len()).map(|i| ws.rows.times(i, &ws.u_i) + ws.rows.w()[i][0]));
        ws.mark_touched();
    }

    /// The blocks of surfaces that may touch, after those of contacts and links. In later rounds of a step only
    /// what pressed in the one before holds its springs.
    pub(crate) fn list_weak(&mut self, later: bool) {
        if self.weak.is_empty() {
            return;
        }
        let ws = &mut self.ws;
        let first = ws.active.len() + ws.links.len();
        ws.rows.truncate(first);
        ws.before.truncate(first);
        ws.weak_active.clear();
        ws.predicted.clear();
        let Some((part, begin)) = self.parts.with_nodes() else { return };
        let nodes = part.surfaces().nodes;
        let free = &ws.free[begin.dofs..];
        let end = |d: usize| nodes.base[d] + nodes.slope * free[d];
        let round = GRAZING * (0..nodes.base.len()).map(|d| end(d).abs()).fold(0.0, f64::max);
        // Surfaces that lie on each other touch, whatever round-off says of their places.
        let near = closed_gap(&nodes);
        // Of the interface at hand: whether its blocks touch by nomination.
        let mut nominated = (usize::MAX, false);
        for b in (0..ws.weak.len()).filter(|b| ws.weak.weight[*b] > 0.0) {
            if b >= ws.weak.own() {
                let presses = |m: &u32| match ws.weak_active.binary_search_by_key(m, |a| a.0) {
                    Ok(k) if later => ws.weak_kept[ws.weak_active[k].0 as usize].percussion[0] > 0.0,
                    Ok(k) => ws.weak_active[k].1,
                    Err(_) => false,
                };
                if !ws.weak.held_by(b).iter().any(presses) {
                    continue;
                }
                ws.weak_active.push((b as u32, true));
                ws.predicted.push(0.0);
                begin_rows(&mut ws.rows, &ws.weak, b, part);
                continue;
            }
            let predicted = match (self.method.measure, self.method.predicted, self.method.inertia) {
                _ if self.method.given => ws.weak.gap[b],
                // Without inertia a part may be held by contact alone: no free step to look at.
                (_, _, false) => ws.weak.gap_at(b, |d| nodes.before[d]) - near,
                (Measure::Velocity, Predicted::Midpoint, _) => ws.weak.gap[b],
                _ => ws.weak.gap_at(b, end) + round,
            };
            let kept = &ws.weak_kept[b];
            let law = &self.weak[ws.weak.owner(b).0].law;
            // Surfaces that hold together are met before they move apart.
            let reaches =
                law.reaches(predicted, &kept.memory) || (law.pulls() && ws.weak.gap_at(b, |d| nodes.before[d]) <= near);
            if (self.method.measure == Measure::Velocity || self.method.given) && !reaches {
                continue;
            }
            // What carried a force is in contact whatever round-off says of its gap.
            let owner = ws.weak.owner(b).0;
            if nominated.0 != owner {
                let carries = ws.weak.blocks(owner).any(|b| ws.weak_kept[b].percussion[0] > 0.0);
                nominated = (owner, self.weak[owner].interface.settings().nominated && !carries && !later);
            }
            let touches = reaches || kept.percussion[0] != 0.0 || nominated.1;
            ws.weak_active.push((b as u32, touches));
            ws.predicted.push(predicted);
            begin_rows(&mut ws.rows, &ws.weak, b, part);
        }
        // A step on gaps that touches nothing is the free one.
        if self.method.measure == Measure::Gap && self.method.inertia && ws.weak_active.iter().all(|a| !a.1) {
            ws.weak_active.clear();
            ws.predicted.clear();
            ws.rows.truncate(first);
        }
        let (rows, u_i) = (&ws.rows, &ws.u_i);
        ws.before.extend((first..rows.len()).map(|i| rows.times(i, u_i) + rows.w()[i][0]));
        ws.mark_touched();
    }

    /// A contact of the step as its law sees it.
    fn met(ws: &Workspace<D, C>, seen: &Seen<'_, D, C>, i: usize, h: f64) -> Meeting {
        let mut meeting = Self::meeting_at(ws, seen, ws.active[i] as usize, (&ws.before[i], h));
        if ws.has_nodes && seen.stores {
            ends(&mut meeting, &ws.rows, i, (seen.parts, &ws.u_i));
        }
        meeting
    }

    /// A contact that was found, with a velocity before the step.
    fn meeting_at(ws: &Workspace<D, C>, seen: &Seen<'_, D, C>, c: usize, (before, h): (&Vector<C>, f64)) -> Meeting {
        let (contact, kept) = (&ws.found.contacts[c], &ws.kept[c]);
        let mut meeting = meeting::<D, C>(seen.state, contact.gap, before, kept.memory, h);
        meeting.touching = seen.bodies.is_closed(seen.parts.poses(), contact);
        meeting.closed = meeting.touching;
        (meeting.mirrored, meeting.facing) = seen.bodies.facing(seen.parts, contact);
        meeting
    }

    /// The law of a contact that was found and sleeps; it does not depend on time.
    pub(crate) fn law_asleep(&self, c: usize) -> Option<Law> {
        let Self { ws, bodies, parts, state, stores, .. } = self;
        let (law, _) = bodies.law_of(&ws.found.contacts[c])?;
        let seen = Seen { bodies, parts, state, stores: *stores };
        Some(law.step_law(&Self::meeting_at(ws, &seen, c, (&Vector::zeros(), self.report.part))).law)
    }

    /// Shows their contacts to the laws that look ahead.
    fn foresee(&self, h: f64) {
        for law in self.bodies.laws.looking_ahead() {
            let one = |i: &usize| {
                let contact = &self.ws.found.contacts[self.ws.active[*i] as usize];
                let own = self.bodies.law_of(contact).map(|(own, _)| std::ptr::from_ref(own).cast::<()>());
                own == Some(std::sync::Arc::as_ptr(law).cast::<()>())
            };
            let Self { ws, bodies, state, parts, stores, .. } = self;
            let seen = Seen { bodies, parts, state, stores: *stores };
            let own = (0..ws.active.len()).filter(one);
            law.foresee(&own.map(|i| Self::met(ws, &seen, i, h)).collect::<Vec<Meeting>>());
        }
    }

    /// What the laws add, and the percussions to start from.
    pub(crate) fn list_laws(&mut self, h: f64) -> Result<(), Error> {
        self.foresee(h);
        let Self { ws, bodies, state, settings, parts, stores, .. } = self;
        let warm = settings.warm_start;
        let own = ws.active.len() + ws.links.len() + ws.weak_active.len();
        ws.rows.truncate(own);
        ws.before.truncate(own);
        ws.bonds.clear();
        ws.layers.clear();
        let seen = Seen { bodies, parts, state, stores: *stores };
        for list in [&mut ws.offset, &mut ws.fixed, &mut ws.compliance, &mut ws.s] {
            list.clear();
        }
        ws.laws.clear();
        ws.meetings.clear();
        ws.carried.clear();
        ws.restitution.clear();
        for (i, &c) in ws.active.iter().enumerate() {
            let (contact, kept) = (&ws.found.contacts[c as usize], &ws.kept[c as usize]);
            let meeting = Self::met(ws, &seen, i, h);
            let Some((law, _)) = bodies.law_of(contact) else {
                let materials = contact.key.colliders.map(|c| bodies.materials[c as usize]);
                return Err(Error::NoLaw { bodies: contact.bodies, materials, time: meeting.time });
            };
            let stated = law.step_law(&meeting);
            let [rho, tau] = stated.restitution;
            let weight = |k: usize| {
                if k == 0 {
                    rho
                } else if k < D {
                    tau
                } else {
                    0.0
                }
            };
            let offset = wide(&stated.offset);
            ws.fixed
                .push(wide(&stated.shift) + Vector::from_fn(|k, _| ws.rows.w()[i][1][k] + weight(k) * ws.before[i][k]));
            ws.compliance.push(wide(&stated.compliance));
            let mut start = if warm { wide(&kept.percussion) + offset } else { Vector::zeros() };
            if let Some(bond) = &stated.bond {
                let bonded = Bonded::new(i, bond, &meeting, ws.rows.w()[i][1]);
                start -= bonded.start;
                ws.bonds.push(bonded);
            }
            if let Some(crush) = stated.crush {
                let fixed = [ws.fixed[i][0], ws.rows.w()[i][1][0], ws.before[i][0]];
                ws.layers.push(Layer::new(i, crush, fixed, &stated.law, start[0]));
            }
            let begin = admissible(&stated.law, start);
            ws.carried.push(begin == wide::<C>(&kept.percussion));
            ws.s.push(begin);
            ws.offset.push(offset);
            ws.laws.push(stated.law);
            ws.restitution.push(stated.restitution);
            ws.meetings.push(meeting);
        }
        // Joints hold the mean velocity: `G(q_m)(q_f − q_i) = 0`, of order two and without work.
        // The first step holds the end velocity instead, which removes what does not fit at the start.
        let mean = if state.step == 0 { 0.0 } else { 1.0 };
        for (link, i) in ws.links.iter().zip(ws.active.len()..) {
            let weight = if link.kind == LinkKind::Joint { mean } else { 0.0 };
            ws.fixed.push(ws.rows.w()[i][1] + link.shift + ws.before[i] * weight);
            ws.compliance.push(link.compliance);
            ws.offset.push(Vector::zeros());
            let start = wide(&state.links[link.slot as usize]);
            ws.s.push(admissible(&link.law, if warm { start } else { Vector::zeros() }));
            ws.laws.push(link.law.clone());
        }
        self.list_weak_laws(h);
        self.list_bonds();
        self.state_layers();
        Ok(())
    }

    /// What acts beside the laws: blocks of their own, with the same rows.
    fn list_bonds(&mut self) {
        let ws = &mut self.ws;
        for bonded in &ws.bonds {
            ws.rows.repeat(bonded.block as usize);
            ws.before.push(ws.before[bonded.block as usize]);
            ws.fixed.push(bonded.fixed);
            ws.compliance.push(bonded.compliance);
            ws.s.push(bonded.start);
            ws.offset.push(Vector::zeros());
            ws.laws.push(bonded.law.clone());
            ws.restitution.push([0.0; 2]);
        }
    }

    /// The laws of the blocks of surfaces.
    fn list_weak_laws(&mut self, h: f64) {
        let Self { ws, parts, weak, state, settings, method, .. } = self;
        let Some((part, _)) = parts.with_nodes() else { return };
        let (nodes, measure, formalism) = (part.surfaces().nodes, method.measure, &method.contact.formalism);
        let first = ws.active.len() + ws.links.len();
        let round = closed_gap(&nodes);
        for (k, i) in (first..ws.rows.len()).enumerate() {
            let b = ws.weak_active[k].0 as usize;
            let kept = &ws.weak_kept[b];
            let mut meeting = meeting::<D, C>(state, ws.weak.gap[b], &ws.before[i], kept.memory, h);
            meeting.measure = measure;
            meeting.at_end = measure == Measure::Gap;
            ahead(&mut meeting, &ws.weak, b, &nodes);
            meeting.touching = meeting.gap <= round;
            meeting.closed = ws.predicted[k] <= 0.0;
            meeting.facing = ws.weak.facing[b];
            let mut stated = weak[ws.weak.owner(b).0].law.step_law(&meeting);
            per_area(&mut stated, ws.weak.weight[b]);
            if b >= ws.weak.own() {
                stated = StepLaw::new(SPRING);
            }
            if matches!(formalism, Formalism::Penalty { tangential: 0.0, .. }) {
                stated.law = Law::Frictionless;
            }
            if let (true, Formalism::Penalty { normal, tangential }) = (method.given, formalism) {
                // Percussions that are known act like loads.
                let scale = h * ws.weak.weight[b];
                let slip = Vector::<C>::from_fn(|k, _| if k > 0 && k < D { ws.before[i][k] } else { 0.0 });
                let pressure = normal * (-ws.weak.gap[b]).max(0.0) * scale;
                let trial = slip * (-tangential * scale);
                let size = trial.norm().max(f64::MIN_POSITIVE);
                let limit = match stated.law {
                    Law::Coulomb { mu } => mu * pressure,
                    Law::Tresca { threshold } if pressure > 0.0 => threshold,
                    _ => 0.0,
                };
                let mut given = trial * (limit / size).min(1.0);
                given[0] = pressure;
                stated.law = Law::Limited { limit: [0.0; COMPONENTS] };
                stated.offset = std::array::from_fn(|k| if k < C { -given[k] } else { 0.0 });
            }
            let [normal, tangential] = match method.given {
                true => [0.0; 2],
                false => ws.weak.compliance(b, &method.contact, (measure, nodes.slope, h)),
            };
            let own = Vector::<C>::from_fn(|k, _| if k == 0 { normal } else { tangential });
            let offset = wide(&stated.offset);
            let fixed = match measure {
                Measure::Velocity => {
                    let [rho, tau] = stated.restitution;
                    let weight = |k: usize| if k == 0 { rho } else { tau };
                    Vector::from_fn(|k, _| ws.rows.w()[i][1][k] + weight(k) * ws.before[i][k])
                }
                Measure::Gap => {
                    stated.restitution = [0.0; 2];
                    // Imposed nodes move too.
                    let wall = ws.weak.wall[b];
                    let moved = ws.rows.w()[i][1] + Vector::from_fn(|k, _| if k < D { wall[k] } else { 0.0 });
                    gap_shift(&ws.weak, b, &nodes, h) + moved
                }
            };
            let mut start = if settings.warm_start { wide(&kept.percussion) + offset } else { Vector::zeros() };
            if let Some(bond) = &stated.bond {
                // Without what restitution adds.
                let moved = if measure == Measure::Velocity { ws.rows.w()[i][1] } else { fixed };
                let bonded = Bonded::new(i, bond, &meeting, moved);
                start -= bonded.start;
                ws.bonds.push(bonded);
            }
            let fixed = wide(&stated.shift) + fixed;
            if let Some(crush) = stated.crush {
                let moved = if measure == Measure::Velocity { ws.rows.w()[i][1][0] } else { fixed[0] };
                let speed = if measure == Measure::Velocity { ws.before[i][0] } else { meeting.start / nodes.slope };
                ws.layers.push(Layer::new(i, crush, [fixed[0], moved, speed], &stated.law, start[0]));
            }
            ws.fixed.push(fixed);
            ws.compliance.push(wide(&stated.compliance) + own);
            ws.s.push(stated.law.project(&start));
            ws.offset.push(offset);
            ws.laws.push(stated.law);
            ws.restitution.push(stated.restitution);
            ws.meetings.push(meeting);
        }
    }

    /// Whether the nested loops can solve the blocks of this step.
    pub(crate) fn may_nest(&mut self) -> bool {
        self.method.path == Path::Nested
            && !self.ws.rows.is_empty()
            && self.ws.links.is_empty()
            && self.ws.bonds.is_empty()
            && crate::saddle::knows(&self.ws.laws)
            && self.parts.assembled().is_some()
            && {
                let range = self.parts.assembled_range();
                self.ws.rows.dofs().iter().all(|d| range.contains(&(*d as usize)))
            }
    }
}

/// The rows of a block of surfaces.
fn begin_rows<const D: usize, const C: usize>(
    rows: &mut Rows<C>,
    weak: &WeakBlocks<D>,
    b: usize,
    part: &dyn Subsystem<D, C>,
) {
    let wall = Vector::<C>::from_fn(|k, _| if k < D { -weak.wall[b][k] } else { 0.0 });
    rows.begin([wall; 2]);
    for (_, dof, column) in weak.columns(b) {
        let column = Vector::<C>::from_fn(|k, _| if k < D { column[k] } else { 0.0 });
        part.dof_row(*dof, column, rows);
    }
}

/// A spring beside the law of a block, as a block.
#[derive(Clone, Debug)]
pub(crate) struct Bonded<const C: usize> {
    /// The block it stands beside.
    pub block: u32,
    fixed: Vector<C>,
    compliance: Vector<C>,
    law: Law,
    /// What it pulls where nothing moves.
    start: Vector<C>,
    /// What it pulled at the beginning of the step.
    pub before: Vector<C>,
    /// Works along the normal and the tangents, where the part computes those of all contacts \[J\].
    pub work: [f64; 2],
}

impl<const C: usize> Bonded<C> {
    /// `S = −k (start + slope U)` is `U + start/slope + S/(k slope) = 0`; `fixed` is what rows add to `G x`.
    fn new(block: usize, bond: &Bond, meeting: &Meeting, fixed: Vector<C>) -> Self {
        let mut limit = [0.0; COMPONENTS];
        let (mut fixed, mut compliance, mut start, mut before) =
            (fixed, Vector::zeros(), Vector::zeros(), Vector::zeros());
        for k in (0..meeting.space).filter(|k| bond.stiffness[*k] > 0.0) {
            limit[k] = f64::INFINITY;
            compliance[k] = 1.0 / (meeting.slope * bond.stiffness[k]);
            fixed[k] += bond.start[k] / meeting.slope;
            start[k] = -bond.stiffness[k] * bond.start[k];
            before[k] = bond.before[k];
        }
        let law = Law::Limited { limit };
        Self { block: block as u32, fixed, compliance, law, start, before, work: [0.0; 2] }
    }
}

/// Gap and slip at the end of the step are `slope (G x + this)`.
fn gap_shift<const D: usize, const C: usize>(weak: &WeakBlocks<D>, b: usize, nodes: &Nodes<'_>, h: f64) -> Vector<C> {
    let gap = weak.gap_at(b, |d| nodes.base[d]);
    let slip = weak.times(b, |d| nodes.base[d] - nodes.before[d]) - weak.wall[b] * h;
    Vector::from_fn(|k, _| match k {
        0 => gap / nodes.slope,
        k if k < D => slip[k] / nodes.slope,
        _ => 0.0,
    })
}

/// Forces that a law gives by area are those of a multiplier.
fn per_area(stated: &mut StepLaw, area: f64) {
    stated.offset.iter_mut().for_each(|x| *x *= area);
    stated.compliance.iter_mut().for_each(|x| *x /= area);
    if let Some(bond) = &mut stated.bond {
        bond.stiffness.iter_mut().chain(&mut bond.before).for_each(|x| *x *= area);
    }
    if let Some(crush) = &mut stated.crush {
        crush.area = area;
    }
    if let Law::Tresca { threshold } = &mut stated.law {
        *threshold *= area;
    }
}
