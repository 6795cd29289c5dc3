//! The blocks of a step and their laws.

use crate::{Error, LinkKind, Meeting, Simulation, Subsystem};
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

impl<S: Subsystem<D, C>, const D: usize, const C: usize> Simulation<S, D, C> {
    /// The blocks of the step and their velocities before it.
    pub(crate) fn list_blocks(&mut self, h: f64) {
        let (ws, system) = (&mut self.ws, &self.system);
        ws.active.clear();
        ws.rows.clear();
        ws.links.clear();
        for (i, contact) in ws.found.contacts.iter().enumerate() {
            if system.is_active(contact, &ws.kept[i].memory) {
                ws.active.push(i as u32);
                system.contact_rows(contact, &mut ws.rows);
            }
        }
        system.links(h, &mut ws.rows, &mut ws.links);
        ws.u_i.clear();
        ws.u_i.extend_from_slice(&self.state.u);
        ws.before.clear();
        ws.before.extend((0..ws.rows.len()).map(|i| ws.rows.times(i, &ws.u_i) + ws.rows.w()[i][0]));
    }

    /// What the laws add, and the percussions to start from.
    pub(crate) fn pose_laws(&mut self, h: f64) -> Result<(), Error> {
        let (ws, system, state) = (&mut self.ws, &self.system, &self.state);
        let wide = |x: &[f64; COMPONENTS]| Vector::<C>::from_fn(|k, _| x[k]);
        for list in [&mut ws.offset, &mut ws.fixed, &mut ws.compliance, &mut ws.s] {
            list.clear();
        }
        ws.laws.clear();
        ws.meetings.clear();
        ws.restitution.clear();
        for (i, &c) in ws.active.iter().enumerate() {
            let (contact, kept) = (&ws.found.contacts[c as usize], &ws.kept[c as usize]);
            let meeting = Meeting {
                gap: contact.gap,
                before: std::array::from_fn(|k| if k < C { ws.before[i][k] } else { 0.0 }),
                components: C,
                space: D,
                time: state.time + 0.5 * h,
                step: state.step,
                h,
                memory: kept.memory,
            };
            let posed = system.law(contact, &meeting)?;
            let [rho, tau] = posed.restitution;
            let weight = |k: usize| {
                if k == 0 {
                    rho
                } else if k < D {
                    tau
                } else {
                    0.0
                }
            };
            let offset = wide(&posed.offset);
            ws.fixed
                .push(wide(&posed.shift) + Vector::from_fn(|k, _| ws.rows.w()[i][1][k] + weight(k) * ws.before[i][k]));
            ws.compliance.push(wide(&posed.compliance));
            let start = if self.settings.warm_start { wide(&kept.percussion) + offset } else { Vector::zeros() };
            ws.s.push(posed.law.project(&start));
            ws.offset.push(offset);
            ws.laws.push(posed.law);
            ws.restitution.push(posed.restitution);
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
            ws.s.push(link.law.project(&if self.settings.warm_start { start } else { Vector::zeros() }));
            ws.laws.push(link.law.clone());
        }
        Ok(())
    }
}
