//! Sleep: islands at rest that cost nothing until something touches them
//!
//! An island that was at rest, is so again and keeps its percussions to the bit would do the same in every step
//! to come: its state is that of the step before, nothing that acts on it depends on time, and the step is a
//! function of both. So it is not done. Its contacts stay among those of the step, its certificate among those of
//! the islands, and a run that sleeps has the bits of one that does not.
//!
//! A contact that takes part in the step and joins a body that is awake to one that sleeps wakes the island before
//! the step is solved. A step of another length, another state, and whoever asks for the problem of the
//! next step wake all. Where everything sleeps and nothing else moves, a step is the last one again.

use crate::apart::Ended;
use crate::islands::NONE;
use crate::{Bodies, Error, Operator, Report, World};
use delassus_contact::{Dim, Shape, Space};

/// Who sleeps. Not part of the state: a restart finds all awake, and the same bits.
#[derive(Default)]
pub(crate) struct Sleep {
    /// Bodies on which nothing acts but what the state tells; none where a law may change with time.
    steady: Vec<bool>,
    /// Those of them that stand for ever.
    fixed: Vec<bool>,
    /// First body of the island of each sleeping body; [`NONE`] awake.
    island: Vec<u32>,
    /// How the islands of these first bodies ended; none before the first fell asleep.
    ended: Vec<Ended>,
    woken: Vec<bool>,
    /// Sleeping bodies.
    count: usize,
    /// Bodies that can move, and whether there are others that do.
    free: usize,
    driven: bool,
    /// Length of the steps that were slept through \[s\].
    h: f64,
    /// The next step is the last one again.
    all: bool,
}

impl Sleep {
    /// Everybody awake.
    pub fn wake_all(&mut self) {
        self.all = false;
        if self.count > 0 {
            self.island.fill(NONE);
            self.count = 0;
        }
    }

    /// Before a step of length `h`: percussions are of its length.
    pub fn expect(&mut self, h: f64) {
        self.all = false;
        if h != self.h {
            self.wake_all();
        }
    }

    /// Sleeping bodies.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn is_asleep(&self, body: u32) -> bool {
        self.count > 0 && self.island[body as usize] != NONE
    }

    /// Whether a body is where it was in the last step.
    pub fn is_still(&self, body: u32) -> bool {
        self.is_asleep(body) || self.fixed[body as usize]
    }

    /// A contact that takes part: wakes the one side that the other, awake, has come to.
    pub fn touch(&mut self, bodies: [u32; 2]) {
        for [a, b] in [bodies, [bodies[1], bodies[0]]] {
            if self.is_asleep(a) && !self.is_still(b) {
                self.woken[self.island[a as usize] as usize] = true;
            }
        }
    }

    /// Wakes the islands that were touched.
    pub fn rouse(&mut self) {
        for body in 0..self.island.len() {
            let island = self.island[body];
            if island != NONE && self.woken[island as usize] {
                self.island[body] = NONE;
                self.count -= 1;
            }
        }
        self.woken.fill(false);
    }

    /// How the sleeping islands ended their last step.
    pub fn ended(&self) -> impl Iterator<Item = Ended> + '_ {
        let first = self.island.iter().enumerate().filter(|(body, island)| *body as u32 == **island);
        first.map(|(body, _)| self.ended[body])
    }

    /// The sleeping bodies.
    pub fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.island.iter().enumerate().filter(|(_, island)| **island != NONE).map(|(body, _)| body)
    }

    fn lay(&mut self, bodies: &[u32], ended: Ended) {
        let Some(&first) = bodies.first() else { return };
        // Most worlds never sleep.
        self.ended.resize(self.island.len(), Ended::default());
        self.ended[first as usize] = ended;
        bodies.iter().for_each(|b| self.island[*b as usize] = first);
        self.count += bodies.len();
    }
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// Who may sleep: rigid bodies under steady laws and loads, where nothing looks at the whole problem.
    pub(crate) fn prepare_sleep(&mut self) {
        let settings = &self.settings;
        let may = settings.sleep
            && settings.warm_start
            && settings.correction.is_none()
            && self.weak.is_empty()
            && !self.ws.has_nodes
            && self.bodies.laws.are_steady();
        let Some(Operator::Bodies { inverse, width }) = self.parts.only().map(|p| p.operator()).filter(|_| may) else {
            self.sleep = Sleep::default();
            return;
        };
        let mut steady = vec![];
        self.parts.iter().for_each(|p| p.steady(&mut steady));
        changing(&self.bodies).for_each(|body| steady[body as usize] = false);
        let free = |body: usize| inverse[width * body..][..width].iter().any(|x| *x > 0.0);
        let n = steady.len();
        self.sleep = Sleep {
            fixed: (0..n).map(|b| steady[b] && !free(b)).collect(),
            island: vec![NONE; n],
            woken: vec![false; n],
            free: (0..n).filter(|b| free(*b)).count(),
            driven: (0..n).any(|b| !steady[b] && !free(b)),
            steady,
            ..Sleep::default()
        };
    }

    /// At the end of a step: islands that kept everything to the bit, and bodies that nothing moves, fall asleep.
    pub(crate) fn doze(&mut self, h: f64) {
        if self.sleep.steady.is_empty() || h != self.usual || self.parts.iter().any(|p| p.is_pushed()) {
            return;
        }
        self.sleep.h = h;
        for k in 0..self.ws.partition.len() {
            if self.ws.ended.get(k).is_some_and(|e| e.kept) && self.may_sleep(k) {
                let Self { ws, sleep, .. } = self;
                sleep.lay(ws.partition.bodies(k), ws.ended[k]);
            }
        }
        let Some(Operator::Bodies { width, .. }) = self.parts.only().map(|p| p.operator()) else { return };
        let Self { ws, sleep, .. } = self;
        if sleep.count < sleep.free {
            for body in 0..sleep.steady.len() {
                let dofs = width * body..width * (body + 1);
                let rests = || ws.u_i[dofs.clone()].iter().chain(&ws.u_f[dofs.clone()]).all(|u| *u == 0.0);
                let alone = sleep.steady[body] && !sleep.is_still(body as u32);
                if alone && ws.partition.of_body(body as u32).is_none() && rests() {
                    sleep.lay(&[body as u32], Ended { kept: true, ..Ended::default() });
                }
            }
        }
        sleep.all = sleep.count == sleep.free && sleep.count > 0 && !sleep.driven && ws.links.is_empty();
    }

    /// Whether an island that kept its percussions will do so while nothing touches it.
    fn may_sleep(&self, k: usize) -> bool {
        let (ws, sleep) = (&self.ws, &self.sleep);
        let steady = |body: &u32| sleep.steady[*body as usize];
        ws.partition.bodies(k).iter().all(steady)
            && ws.partition.blocks(k).iter().all(|&i| {
                // Links may carry what does not rest; a percussion that was brought back into its set is another one.
                let Some(&c) = ws.active.get(i as usize) else { return false };
                ws.carried[i as usize] && ws.found.contacts[c as usize].bodies.iter().all(steady)
            })
    }

    /// The last step again, where nothing can have changed; false, and nothing done, where something can.
    pub(crate) fn sleeps_through(&mut self, h: f64) -> Result<bool, Error> {
        if self.sleep.count > 0 && self.parts.iter().any(|p| p.is_pushed()) {
            self.sleep.wake_all();
        }
        if !(self.sleep.all && self.usual == self.sleep.h) {
            return Ok(false);
        }
        let mut clock = crate::clock::Clock::new();
        self.rub();
        self.report.step = self.state.step;
        self.state.time = crate::clock::after(self.state.time, h);
        self.state.step += 1;
        let energy = self.report.energy;
        let Report { time, timings, .. } = &mut self.report;
        *time = self.state.time;
        *timings = crate::Timings { commit: clock.lap(), ..Default::default() };
        match self.watch.follow(&energy) {
            Some([made, hand]) => Err(Error::EnergyFromNothing { made, hand, time: self.state.time }),
            None => Ok(true),
        }
    }
}

/// Bodies with a surface that changes with time.
fn changing<const D: usize>(bodies: &Bodies<D>) -> impl Iterator<Item = u32> + '_
where
    Dim<D>: Space<D>,
{
    let colliders = bodies.detector.iter().flat_map(|d| d.colliders());
    colliders.filter(|c| c.shape.changes()).map(|c| c.body)
}
