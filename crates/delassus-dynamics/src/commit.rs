//! Stage 7: the state, the energies, what the step has to tell.

use crate::solve::Verdict;
use crate::subsystem::Account;
use crate::{After, ContactState, Error, Event, Failure, LINK, Ledger, LinkKind, Measure, Operator, World};
use delassus_contact::{ContactKey, Dim, NumberOf, Space};
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

fn narrow<const C: usize>(x: &Vector<C>) -> [f64; COMPONENTS] {
    std::array::from_fn(|k| if k < C { x[k] } else { 0.0 })
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// Fills the report from the verdict; describes a failure.
    pub(crate) fn judge(&mut self, verdict: &Verdict, h: f64) -> Option<Failure> {
        let (report, ws) = (&mut self.report, &self.ws);
        (report.step, report.h, report.status) = (self.state.step, h, verdict.status);
        report.part = h;
        report.residual = verdict.residual;
        report.absolute = verdict.residual * ws.scale();
        report.iterations = verdict.sweeps + verdict.more;
        if verdict.status == delassus_friction::Status::Converged {
            if verdict.more > 0 || std::mem::take(&mut report.handed_over) {
                report.events.push(Event::HandedOver { sweeps: verdict.sweeps, iterations: verdict.more });
            }
            return None;
        }
        report.handed_over = false;
        Some(Failure {
            step: self.state.step,
            time: self.state.time,
            h,
            residual: verdict.residual,
            tolerance: self.settings.tolerance,
            iterations: report.iterations,
            status: verdict.status,
            worst: verdict.worst.iter().map(|b| self.key(*b)).collect(),
            names: verdict.worst.iter().map(|b| self.block_name(*b)).collect(),
            file: None,
        })
    }

    /// The name of a block.
    fn key(&self, block: usize) -> ContactKey {
        let ws = &self.ws;
        if let Some(&c) = ws.active.get(block) {
            return ws.found.contacts[c as usize].key;
        }
        if let Some(bond) = block.checked_sub(ws.rows.len() - ws.bonds.len()) {
            return self.key(ws.bonds[bond].block as usize);
        }
        match ws.links.get(block - ws.active.len()) {
            Some(link) => {
                ContactKey { colliders: [u32::MAX, u32::MAX], features: [link.slot, 0], ..Default::default() }
            }
            None => ws.weak.key(ws.weak_active[block - ws.active.len() - ws.links.len()].0 as usize),
        }
    }

    /// What messages call a body.
    pub(crate) fn body_name(&self, body: u32) -> String {
        let (part, first) = self.parts.of_body(body);
        part.body_name(body as usize - first.bodies).map_or_else(|| format!("body {body}"), str::to_owned)
    }

    /// An error of the contact geometry with the names of bodies.
    pub(crate) fn in_words(&self, error: Error) -> Error {
        let Error::Contact(e) = error else { return error };
        let colliders = self.bodies.detector.as_ref().map_or(&[][..], |d| d.colliders());
        let name = |number: NumberOf| match number {
            NumberOf::Collider(i) => colliders.get(i).map(|c| self.body_name(c.body)),
            NumberOf::Body(b) => Some(self.body_name(b as u32)),
        };
        Error::ContactOf { message: e.with_name(&name) }
    }

    /// What messages call the body of a degree of freedom.
    pub(crate) fn owner(&self, dof: usize) -> Option<String> {
        let (range, part) = self.parts.ranges().find(|(range, _)| range.contains(&dof))?;
        let Operator::Bodies { width, .. } = part.operator() else { return None };
        part.body_name((dof - range.start) / width).map(str::to_owned)
    }

    /// What messages call a block: two bodies, a joint, a pair of surfaces.
    fn block_name(&self, block: usize) -> String {
        let ws = &self.ws;
        if let Some(&c) = ws.active.get(block) {
            let [a, b] = ws.found.contacts[c as usize].bodies.map(|b| self.body_name(b));
            return format!("`{a}` and `{b}`");
        }
        match ws.links.get(block - ws.active.len()) {
            Some(link) => {
                let name = self.parts.iter().find_map(|p| p.link_name(link.slot));
                name.map_or_else(|| format!("joint or spring {}", link.slot), |n| format!("`{n}`"))
            }
            None => {
                let b = ws.weak_active[block - ws.active.len() - ws.links.len()].0 as usize;
                format!("the contact `{}`", self.weak[ws.weak.owner(b).0].name)
            }
        }
    }

    /// 7: the state, and what the step has to tell.
    pub(crate) fn commit(&mut self, h: f64) -> Result<(), Error> {
        if let Some(index) = self.ws.u_f.iter().position(|x| !x.is_finite()) {
            return Err(Error::NonFinite { what: "velocity", owner: self.owner(index), index, time: self.state.time });
        }
        let before = self.present;
        let mut ledger = Ledger::default();
        self.split_layers();
        self.account(h, &mut ledger)?;
        self.keep_percussions();
        self.parts.commit(&self.ws.u_f, h, &mut self.state)?;
        self.works(&mut ledger);
        self.rub();
        let moved = self.energies_of_state();
        // What inner forces worked beyond the loss of potential.
        ledger.numerical += moved.stored() - before.stored();
        self.report.corrected = match self.settings.correction {
            Some(c) => Some(crate::correction::correct(&self.parts, &mut self.ws, (c, h), &mut self.state)?),
            None => None,
        };
        let mut end = moved;
        if self.report.corrected.is_some() {
            self.parts.forget();
            end = self.energies_of_state();
        }
        self.present = end;
        (ledger.kinetic, ledger.potential, ledger.strain) = (moved.kinetic, end.potential, end.strain);
        ledger.correction = end.stored() - moved.stored();
        ledger.closing = ledger.total() - before.total() - ledger.works();
        self.state.time = crate::clock::after(self.state.time, h);
        self.state.step += 1;
        self.tell(ledger);
        self.doze(h);
        self.report.asleep = self.sleep.count();
        match self.watch.follow(&ledger) {
            Some([made, hand]) => Err(Error::EnergyFromNothing { made, hand, time: self.state.time }),
            None => Ok(()),
        }
    }

    /// The report of what was committed.
    fn tell(&mut self, ledger: Ledger) {
        let mut links = std::mem::take(&mut self.ws.links);
        self.report.joint_drift = self.parts.iter().map(|p| p.joint_gaps(&self.state, &mut links)).fold(0.0, f64::max);
        self.ws.links = links;
        let (report, ws) = (&mut self.report, &self.ws);
        report.energy = ledger;
        report.time = self.state.time;
        report.momenta = self.parts.momenta(&self.state);
        let own = ws.weak_active.iter().filter(|a| (a.0 as usize) < ws.weak.own()).count();
        report.contacts = ws.took.len() + own;
        (report.candidates, report.links) = (ws.found.contacts.len(), ws.links.len());
        report.max_penetration = ws.found.contacts.iter().fold(0.0, |m: f64, c| m.max(-c.gap));
        let first = ws.active.len() + ws.links.len();
        if let Some((part, begin)) = self.parts.with_nodes().filter(|_| !ws.weak_active.is_empty()) {
            let nodes = part.surfaces().nodes;
            let end = |d: usize| nodes.base[d] + nodes.slope * ws.u_f[begin.dofs + d];
            for (b, _) in &ws.weak_active {
                report.max_penetration = report.max_penetration.max(-ws.weak.gap_at(*b as usize, end));
            }
        }
        report.approach = 0.0;
        for i in (first..ws.rows.len()).filter(|i| ws.s[*i][0] > 0.0) {
            let v = ws.rows.times(i, &self.state.u) + ws.rows.w()[i][1];
            report.approach = report.approach.max(v[0].abs());
        }
        (report.balance, report.newton) = self.parts.balance();
        report.balance = report.balance.max(ws.nested.balance);
        report.loops = ws.nested.counts;
    }

    /// Works that the parts compute themselves.
    fn account(&mut self, h: f64, ledger: &mut Ledger) -> Result<(), Error> {
        let ws = &mut self.ws;
        // Bodies do not ask.
        for force in ws.percussion.iter_mut().filter(|_| ws.has_nodes) {
            force.clear();
            force.resize(ws.u_f.len(), 0.0);
        }
        if ws.has_nodes {
            for i in 0..ws.rows.len() {
                let mut normal = ws.s[i] - ws.offset[i];
                let mut tangential = normal;
                tangential[0] = 0.0;
                (1..C).for_each(|k| normal[k] = 0.0);
                ws.rows.add_transposed(i, &normal, &mut ws.percussion[0]);
                ws.rows.add_transposed(i, &tangential, &mut ws.percussion[1]);
            }
        }
        let [normal, tangential] = &ws.percussion;
        let step = Account { state: &self.state, u: &ws.u_f, percussion: [normal, tangential], h };
        self.parts.account(&step, ledger)
    }

    /// Works of contacts and links over the step, where percussions act whole on the mean velocity.
    fn works(&mut self, ledger: &mut Ledger) {
        let (ws, blended) = (&self.ws, self.parts.blended());
        let own = |i: usize, u: &[f64]| ws.rows.times_outside(i, u, &blended);
        let shared = |i: usize| !blended.is_empty() && ws.rows.meets(i, &blended);
        let links = ws.active.len()..ws.active.len() + ws.links.len();
        for i in (0..ws.rows.len()).filter(|i| !links.contains(i)) {
            let obstacle = if shared(i) { [Vector::zeros(); 2] } else { ws.rows.w()[i] };
            // Bodies end a step with the velocities that were solved for; solids may not.
            let (before, after) = match ws.has_nodes {
                false => (ws.before[i], ws.after[i]),
                true => (own(i, &ws.u_i) + obstacle[0], own(i, &self.state.u) + obstacle[1]),
            };
            // Percussions that are known come as offsets.
            let (s, o) = match self.method.given && i >= links.end {
                true => (ws.s[i] - ws.offset[i], Vector::zeros()),
                false => (ws.s[i], ws.offset[i]),
            };
            let mean = (before + after) * 0.5;
            // Of asperities apart: what is left is the substrate's.
            let mut s_law = s;
            s_law[0] -= self.layer_works(i, mean[0], ledger);
            let work = s_law.dot(&mean);
            if i >= ws.rows.len() - ws.bonds.len() {
                ledger.adhesion += work;
            } else {
                // Friction works on the velocity its law speaks of; the jump from the one before is shock.
                let tau = ws.restitution[i - if i >= links.end { ws.links.len() } else { 0 }][1];
                let slip = (after + before * tau) / (1.0 + tau);
                let friction = s.dot(&slip) - s[0] * slip[0];
                let back = 0.5 * s_law[0] * after[0].max(0.0);
                ledger.friction += friction;
                ledger.restitution += back;
                ledger.shock += work - friction - back;
            }
            ledger.adhesion -= o.dot(&mean);
            ledger.external -= (s - o).dot(&((obstacle[0] + obstacle[1]) * 0.5));
        }
        // What the part has counted as work of contact and of friction.
        for [normal, tangential] in ws.bonds.iter().map(|b| b.work) {
            ledger.adhesion += normal + tangential;
            ledger.shock -= normal;
            ledger.friction -= tangential;
        }
        for layer in &ws.layers {
            let [springs, drag] = layer.work;
            layer.account(layer.work, ledger);
            ledger.shock -= springs + drag;
        }
        for (link, i) in ws.links.iter().zip(links) {
            let work = ws.s[i].dot(&((ws.before[i] + ws.after[i]) * 0.5));
            *match link.kind {
                LinkKind::Joint | LinkKind::Spring => &mut ledger.numerical,
                LinkKind::Motor => &mut ledger.motors,
                LinkKind::Friction => &mut ledger.friction,
                LinkKind::Limit => &mut ledger.shock,
            } += work;
            // What the damper of an implicit spring takes is no work of the scheme.
            let drag = link.damping * ws.after[i][0] * 0.5 * (ws.before[i][0] + ws.after[i][0]);
            ledger.viscous += drag;
            ledger.numerical += drag;
            let obstacle = (ws.rows.w()[i][0] + ws.rows.w()[i][1]) * 0.5;
            ledger.external -= ws.s[i].dot(&obstacle);
        }
    }

    /// Percussions and internal variables into the state.
    fn keep_percussions(&mut self) {
        let Self { ws, state, bodies, weak, parts, method, stores, .. } = self;
        let mut dormant = ws.dormant.iter().peekable();
        for (c, kept) in ws.kept.iter_mut().enumerate() {
            if dormant.next_if(|d| **d as usize == c).is_none() {
                kept.percussion = [0.0; COMPONENTS];
            }
        }
        for kept in &mut ws.weak_kept {
            kept.percussion = [0.0; COMPONENTS];
        }
        // What takes no part stores nothing.
        if *stores {
            ws.kept.iter_mut().filter(|k| bodies.stores(k.key.colliders)).for_each(|k| k.memory[0] = 0.0);
            let stores = |k: &ContactState| weak.get(k.key.colliders[1] as usize).is_some_and(|w| w.law.stores());
            ws.weak_kept.iter_mut().filter(|k| stores(k)).for_each(|k| k.memory[0] = 0.0);
        }
        for (i, &c) in ws.active.iter().enumerate() {
            let percussion = narrow(&ws.total(i));
            let kept = &mut ws.kept[c as usize];
            kept.percussion = percussion;
            let (meeting, velocity) = (&ws.meetings[i], narrow(&ws.after[i]));
            let after = After {
                velocity,
                percussion,
                gap: meeting.gap + 0.5 * meeting.h * velocity[0],
                slip: std::array::from_fn(|k| match k + 1 < D {
                    true => 0.5 * meeting.h * (meeting.before[k + 1] + velocity[k + 1]),
                    false => 0.0,
                }),
            };
            if let Some((law, _)) = bodies.law_of(&ws.found.contacts[c as usize]) {
                law.remember(&ws.meetings[i], &after, &mut kept.memory);
            }
        }
        for layer in ws.layers.iter().filter(|l| (l.block as usize) < ws.active.len()) {
            ws.kept[ws.active[layer.block as usize] as usize].memory = layer.memory();
        }
        let first = ws.active.len() + ws.links.len();
        for (k, &(b, _)) in ws.weak_active.iter().enumerate() {
            let (i, h) = (first + k, ws.meetings[ws.active.len() + k].h);
            let percussion = narrow(&ws.total(i));
            if b as usize >= ws.weak.own() {
                ws.weak_kept[b as usize].percussion = percussion;
                continue;
            }
            let Some((part, begin)) = parts.with_nodes() else { continue };
            let nodes = part.surfaces().nodes;
            let end = |d: usize| nodes.base[d] + nodes.slope * ws.u_f[begin.dofs + d];
            let (block, wall) = (b as usize, ws.weak.wall[b as usize]);
            let slip = ws.weak.times(block, |d| end(d) - nodes.before[d]) - wall * h;
            let moved = if method.measure == Measure::Velocity { wall[0] * (h - nodes.lead) } else { 0.0 };
            let after = After {
                velocity: narrow(&ws.after[i]),
                percussion,
                gap: ws.weak.gap_at(block, end) - moved,
                slip: std::array::from_fn(|k| if k + 1 < D { slip[k + 1] } else { 0.0 }),
            };
            if let Ok(bond) = ws.bonds.binary_search_by_key(&(i as u32), |b| b.block) {
                let pulls = ws.s[ws.rows.len() - ws.bonds.len() + bond];
                let moved = ws.weak.times(block, |d| end(d) - nodes.before[d]);
                let work = |k: usize| 0.5 * (ws.bonds[bond].before[k] + pulls[k]) * moved[k] / h;
                let blended = ws.rows.meets(i, &parts.blended());
                let works = if blended { [work(0), (1..D).map(work).sum()] } else { [0.0; 2] };
                ws.bonds[bond].work = works;
            }
            if let Ok(layer) = ws.layers.binary_search_by_key(&(i as u32), |l| l.block) {
                let layer = &mut ws.layers[layer];
                let moved = ws.weak.times(block, |d| end(d) - nodes.before[d]);
                // As the part counts the works of contacts: between those of both ends.
                let [springs, drag] = layer.parts;
                let blended = ws.rows.meets(i, &parts.blended());
                let works = [0.5 * (layer.crush.before() + springs), drag].map(|p| p * moved[0] / h);
                // What stays crushed does not work while it is left.
                let left = layer.crush.stays() && moved[0] >= 0.0;
                layer.work = if blended && !left { works } else { [0.0; 2] };
                ws.weak_kept[block].memory = layer.memory();
            }
            let kept = &mut ws.weak_kept[block];
            kept.percussion = percussion;
            weak[ws.weak.owner(b as usize).0].law.remember(&ws.meetings[ws.active.len() + k], &after, &mut kept.memory);
        }
        state.contacts.clone_from(&ws.kept);
        // What carries nothing is not kept.
        let carries = |c: &&ContactState| c.percussion != [0.0; COMPONENTS] || c.memory != [0.0; crate::MEMORY];
        state.contacts.extend(ws.weak_kept.iter().filter(carries));
        state.links.fill([0.0; LINK]);
        for (link, i) in ws.links.iter().zip(ws.active.len()..) {
            state.links[link.slot as usize] = narrow(&ws.s[i]);
        }
    }
}
