//! Joints, springs, loads and supports of a scene at one time.

use super::bodies::Scenery;
use delassus_contact::{Dim, Vector};
use delassus_draw::{Rod, Symbol};
use delassus_dynamics::State;
use delassus_fem::Model;
use delassus_fem::model::{DiscreteKind, Load, LoadKind, Support};
use delassus_fem::solid::Pressure;
use delassus_rigid::{JointKind, Kinematics, Spring};

impl<const D: usize> Scenery<'_, D>
where
    Dim<D>: Kinematics<D>,
{
    /// The signs of everything that holds or pushes rigid bodies.
    pub fn symbols(&self) -> Vec<Symbol<D>> {
        let there = |bodies: &[Option<u32>]| bodies.iter().flatten().all(|b| self.snapshot.shows(*b as usize));
        let mut all = vec![];
        let state = self.state();
        for (i, (joint, anchors)) in self.setup.model.joints().enumerate() {
            if !there(&joint.bodies) {
                continue;
            }
            let place = |side: usize| self.world(joint.bodies[side], &anchors[side]);
            let (at, ground) = (place(1), joint.bodies.iter().any(Option::is_none));
            let driven = joint.motor.is_some();
            let view = self.setup.model.joint_view(&state, i);
            let axis = || view.as_ref().map_or([0.0; D], |v| v.free.force.into());
            all.push(match joint.kind {
                JointKind::Ball if D == 3 => Symbol::Ball { at, ground },
                JointKind::Ball | JointKind::Hinge => {
                    let turns = view.as_ref().map(|v| std::array::from_fn(|k| v.free.torque[k]));
                    Symbol::Hinge { at, axis: turns.filter(|_| D == 3), ground, driven }
                }
                JointKind::Slider => Symbol::Slider { at, axis: axis(), ground, driven },
                JointKind::Fixed => Symbol::Weld { at, ground },
                JointKind::Distance => {
                    Symbol::Rod { ends: [place(0), at], kind: Rod::Stiff, ground: joint.bodies.map(|b| b.is_none()) }
                }
            });
        }
        let springs = self.setup.model.springs().iter().filter(|s| there(&s.bodies));
        all.extend(springs.map(|spring| self.spring(spring)));
        self.loads(&mut all);
        let model = &self.setup.model;
        for servo in model.servos().iter().filter(|s| self.snapshot.shows(s.body as usize)) {
            let push = model.servo_push(servo, self.snapshot.time, &|b| self.pose(b as usize));
            let force: [f64; D] = (servo.direction * push).into();
            if is_some(&force) {
                all.push(Symbol::Load { at: self.pose(servo.body as usize).position.into(), force, onto: true });
            }
        }
        all
    }

    /// Positions alone: what joints ask for.
    fn state(&self) -> State {
        let mut state = self.setup.state.clone();
        let (width, turns) = (Dim::<D>::COORDINATES, Dim::<D>::COORDINATES - D);
        for body in 0..self.setup.model.bodies().len() {
            let q = &mut state.q[width * body..width * (body + 1)];
            q[..D].copy_from_slice(&self.snapshot.position[D * body..D * (body + 1)]);
            q[D..].copy_from_slice(&self.snapshot.orientation[turns * body..turns * (body + 1)]);
        }
        state
    }

    /// A point of a body, or of the world.
    fn world(&self, body: Option<u32>, local: &Vector<D>) -> [f64; D] {
        body.map_or(*local, |b| self.pose(b as usize).point(local)).into()
    }

    fn spring(&self, spring: &Spring<D>) -> Symbol<D> {
        let end = |side: usize| match spring.bodies[side] {
            None => spring.anchors[side].into(),
            Some(b) => {
                // From the axes of the description to the principal axes.
                let frame = &self.setup.model.bodies()[b as usize].frame;
                let inner = frame.rotation().transpose() * (spring.anchors[side] - frame.position);
                self.world(Some(b), &inner)
            }
        };
        let kind = if spring.stiffness > 0.0 { Rod::Spring } else { Rod::Damper };
        Symbol::Rod { ends: [end(0), end(1)], kind, ground: spring.bodies.map(|b| b.is_none()) }
    }

    /// Forces and torques given by expressions, as they are at this time.
    fn loads(&self, all: &mut Vec<Symbol<D>>) {
        let snapshot = self.snapshot;
        for load in self.setup.model.loads() {
            let b = load.body as usize;
            if !snapshot.shows(b) {
                continue;
            }
            let mut x = [0.0; 7];
            x[0] = snapshot.time;
            x[1..=D].copy_from_slice(&snapshot.position[D * b..D * (b + 1)]);
            x[D + 1..=2 * D].copy_from_slice(&snapshot.velocity[D * b..D * (b + 1)]);
            if D == 2 {
                let spin = snapshot.spin.get(b).copied().unwrap_or(0.0);
                (x[5], x[6]) = (snapshot.orientation[b], spin);
            }
            let at = self.pose(b).position.into();
            let force: [f64; D] = std::array::from_fn(|k| load.force.get(k).map_or(0.0, |e| e.value(&x)));
            if is_some(&force) {
                all.push(Symbol::Load { at, force, onto: false });
            }
            let torque: Vec<f64> = load.torque.iter().map(|e| e.value(&x)).collect();
            if is_some(&torque) {
                let size = torque.iter().map(|t| t * t).sum::<f64>().sqrt();
                let axis = (D == 3).then(|| std::array::from_fn(|k| torque[k] / size));
                all.push(Symbol::Torque { at, axis, moment: if D == 2 { torque[0] } else { size } });
            }
        }
    }
}

/// Numbers, not all zero.
fn is_some(v: &[f64]) -> bool {
    v.iter().all(|x| x.is_finite()) && v.iter().any(|x| *x != 0.0)
}

/// The signs of solids: supports, loads, springs. `place` is where a node is; z = 0 in the plane.
pub fn of_solids(model: &Model, time: f64, place: &dyn Fn(usize) -> [f64; 3]) -> Vec<Symbol<3>> {
    let mut all = supports(model, time, place);
    model.loads.iter().for_each(|load| push_load(model, load, time, place, &mut all));
    for item in &model.discrete {
        let kind = match item.kind {
            DiscreteKind::Spring { .. } => Rod::Spring,
            DiscreteKind::Damper { .. } => Rod::Damper,
            DiscreteKind::Mass { .. } => continue,
        };
        let Some(a) = node(model, item.a) else { continue };
        match item.b.and_then(|b| node(model, b)) {
            Some(b) => all.push(Symbol::Rod { ends: [place(a), place(b)], kind, ground: [false; 2] }),
            None => {
                // To the ground, along its coordinate, away from the solids.
                let (side, k) = (outwards(model, a, place), item.a as usize % model.dim);
                let reach = 0.12 * extent(model, place);
                let mut end = place(a);
                end[k] += if side[k] < 0.0 { -reach } else { reach };
                all.push(Symbol::Rod { ends: [place(a), end], kind, ground: [false, true] });
            }
        }
    }
    all
}

/// The node of a degree of freedom, unless it is a rotation.
fn node(model: &Model, dof: u32) -> Option<usize> {
    Some(dof as usize / model.dim).filter(|n| *n < model.nodes())
}

/// From the middle of the solid of a node to the node.
fn outwards(model: &Model, n: usize, place: &dyn Fn(usize) -> [f64; 3]) -> [f64; 3] {
    let parts = model.parts.iter().map(|p| p.first..p.first + p.mesh.points.len());
    let beams = model.beams.iter().map(|b| b.first..b.first + b.count);
    let own = parts.chain(beams).find(|r| r.contains(&n)).unwrap_or(0..model.nodes());
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for i in own {
        let x = place(i);
        (0..3).for_each(|k| (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k])));
    }
    let x = place(n);
    std::array::from_fn(|k| x[k] - 0.5 * (low[k] + high[k]))
}

fn extent(model: &Model, place: &dyn Fn(usize) -> [f64; 3]) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for i in 0..model.nodes() {
        let x = place(i);
        (0..3).for_each(|k| (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k])));
    }
    (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max)
}

/// A sign for each node that is held: of all coordinates together, or of one of them.
fn supports(model: &Model, time: f64, place: &dyn Fn(usize) -> [f64; 3]) -> Vec<Symbol<3>> {
    let mut held: std::collections::BTreeMap<usize, ([bool; 3], bool)> = std::collections::BTreeMap::new();
    let moves = |s: &Support| s.value.at(time) != 0.0 || s.value.rate(time) != 0.0;
    for support in &model.supports {
        for dof in &support.dofs {
            let Some(n) = node(model, *dof) else { continue };
            let entry = held.entry(n).or_default();
            entry.0[*dof as usize % model.dim] = true;
            entry.1 |= moves(support);
        }
    }
    let sign = |(n, (held, moved)): (&usize, &([bool; 3], bool))| {
        let out = outwards(model, *n, place);
        let full = held[..model.dim].iter().all(|h| *h);
        // Where one coordinate is free the sign stands beside the held one that reaches farthest out.
        let among = |k: usize| if full { k < model.dim } else { held[k] };
        let k = (0..model.dim).filter(|k| among(*k)).max_by(|a, b| out[*a].abs().total_cmp(&out[*b].abs()));
        let k = k.unwrap_or(0);
        let mut side = [0.0; 3];
        side[k] = if out[k] > 0.0 { 1.0 } else { -1.0 };
        Symbol::Support { at: place(*n), side, full, moved: *moved }
    };
    held.iter().map(sign).collect()
}

/// Arrows of one load, each with the sum of its forces: they share it.
fn push_load(model: &Model, load: &Load, time: f64, place: &dyn Fn(usize) -> [f64; 3], all: &mut Vec<Symbol<3>>) {
    let factor = load.factor.at(time);
    match &load.kind {
        LoadKind::Forces(forces) => {
            let mut nodes: std::collections::BTreeMap<usize, [f64; 3]> = std::collections::BTreeMap::new();
            for (dof, f) in forces {
                let Some(n) = node(model, *dof) else { continue };
                nodes.entry(n).or_default()[*dof as usize % model.dim] += f * factor;
            }
            let total = nodes.values().fold([0.0; 3], |s, f| std::array::from_fn(|k| s[k] + f[k]));
            let size = |f: &[f64; 3]| f.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (n, f) in nodes.iter().filter(|(_, f)| is_some(&f[..])) {
                let out = outwards(model, *n, place);
                let onto = (0..3).map(|k| out[k] * f[k]).sum::<f64>() < 0.0;
                let share = size(&total).max(size(f)) / size(f);
                all.push(Symbol::Load { at: place(*n), force: f.map(|x| x * share), onto });
            }
        }
        LoadKind::Pressure { part, facets, pressure } => {
            let (value, mut sum) = (pressure * factor, 0.0);
            let acting = Pressure { value, follows: None };
            // One that is not a number is told by the step, not here.
            let whole = facets.pressure(0..facets.len(), acting, false, &mut |_, force, _| {
                let along = |k: usize| force.iter().skip(k).step_by(model.dim).sum::<f64>();
                sum += (0..model.dim).map(|k| along(k).powi(2)).sum::<f64>().sqrt();
            });
            for facet in (0..facets.len()).filter(|_| whole.is_ok() && sum > 0.0) {
                let [_, normal] = facets.plane(facet);
                let (nodes, first) = (facets.connectivity(facet), model.parts[*part].first);
                let middle = nodes.iter().map(|n| place(first + *n as usize));
                let middle = middle.fold([0.0; 3], |s, x| std::array::from_fn(|k| s[k] + x[k]));
                let at = middle.map(|x| x / nodes.len() as f64);
                all.push(Symbol::Load { at, force: normal.map(|n| -n * value.signum() * sum), onto: value > 0.0 });
            }
        }
    }
}
