//! Events, sinks, feeders and stages: what they remember from step to step
//!
//! Conditions are looked at when a step is made; what follows from them waits in the memory until the next step
//! begins. A frame holds the memory, so that a run that goes on from it does what the uninterrupted one does.

use delassus_scene::{EventSetup, FeederSetup, SinkSetup};

/// Of one event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Remembered {
    /// How often it happened.
    pub times: f64,
    /// Time since which its condition holds; negative where it does not.
    pub since: f64,
    /// Whether what it does is still to be done.
    pub waits: bool,
}

/// Everything that is remembered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Number of the stage.
    pub stage: usize,
    /// Step and time at which it began.
    pub began: (u64, f64),
    /// Whether the run is over.
    pub stopped: bool,
    /// Whether the next stage is to begin.
    pub next: bool,
    /// Of the events.
    pub events: Vec<Remembered>,
    /// Bodies taken by each sink, and the time of the last.
    pub sinks: Vec<[f64; 2]>,
    /// Entries of each feeder so far.
    pub feeders: Vec<f64>,
}

/// Numbers beside those of events, sinks and feeders.
const ALONE: usize = 5;

impl Memory {
    /// Nothing yet.
    pub fn new(events: usize, sinks: usize, feeders: usize) -> Self {
        let never = Remembered { since: -1.0, ..Remembered::default() };
        Self {
            events: vec![never; events],
            sinks: vec![[0.0; 2]; sinks],
            feeders: vec![0.0; feeders],
            ..Self::default()
        }
    }

    /// Whether the model is to be changed before the next step.
    pub fn waits(&self) -> bool {
        self.next || self.events.iter().any(|e| e.waits)
    }

    /// In the order of [`Memory::set`].
    pub fn numbers(&self) -> Vec<f64> {
        let flag = |b: bool| f64::from(u8::from(b));
        let mut all = vec![self.stage as f64, self.began.0 as f64, self.began.1, flag(self.stopped), flag(self.next)];
        all.extend(self.events.iter().flat_map(|e| [e.times, e.since, flag(e.waits)]));
        all.extend(self.sinks.iter().flatten());
        all.extend(&self.feeders);
        all
    }

    /// Back from the record; `None` if there are too few or too many numbers.
    pub fn set(&mut self, x: &[f64]) -> Option<()> {
        let [events, sinks, feeders] = [self.events.len(), self.sinks.len(), self.feeders.len()];
        if x.len() != ALONE + 3 * events + 2 * sinks + feeders {
            return None;
        }
        self.stage = x[0] as usize;
        self.began = (x[1] as u64, x[2]);
        (self.stopped, self.next) = (x[3] != 0.0, x[4] != 0.0);
        let (mine, rest) = x[ALONE..].split_at(3 * events);
        for (event, x) in self.events.iter_mut().zip(mine.chunks_exact(3)) {
            *event = Remembered { times: x[0], since: x[1], waits: x[2] != 0.0 };
        }
        let (mine, rest) = rest.split_at(2 * sinks);
        self.sinks.iter_mut().zip(mine.chunks_exact(2)).for_each(|(sink, x)| *sink = [x[0], x[1]]);
        self.feeders.copy_from_slice(rest);
        Some(())
    }

    /// Looks at the conditions after a step; true if one of them happened.
    pub fn look(&mut self, events: &[EventSetup], stage: &str, time: f64, values: &[f64]) -> bool {
        let mut happened = false;
        for (event, memory) in events.iter().zip(&mut self.events) {
            let meant =
                event.stage.as_deref().is_none_or(|s| s == stage) && time >= self.began.1 + event.after - slack(time);
            let value = event.condition.value(values);
            if !meant || value == 0.0 || value.is_nan() {
                memory.since = -1.0;
                continue;
            }
            let fresh = memory.since < 0.0;
            if fresh {
                memory.since = time;
            }
            // Once in a row.
            let spent = memory.times > 0.0 && !event.again;
            if spent || time < memory.since + event.lasting - slack(time) {
                continue;
            }
            memory.times += 1.0;
            memory.waits = true;
            if event.again {
                memory.since = f64::MAX;
            }
            self.stopped |= event.stop;
            happened = true;
        }
        happened
    }

    /// The bodies that sinks take.
    pub fn drained(
        &self,
        sinks: &[SinkSetup],
        place: &dyn Fn(usize) -> Option<[f64; 3]>,
        bodies: usize,
    ) -> Vec<[usize; 2]> {
        let mut all = vec![];
        if sinks.is_empty() {
            return all;
        }
        for body in 0..bodies {
            let Some(x) = place(body) else { continue };
            let inside = |s: &SinkSetup| (0..3).all(|k| s.corners[0][k] <= x[k] && x[k] <= s.corners[1][k]);
            if let Some(sink) = sinks.iter().position(inside) {
                all.push([sink, body]);
            }
        }
        all
    }

    /// Entries of a feeder that are due.
    pub fn due(&self, feeder: &FeederSetup, number: usize, time: f64) -> bool {
        time >= feeder.from + self.feeders[number] * feeder.every - slack(time)
    }
}

/// Round-off of times.
fn slack(time: f64) -> f64 {
    1e-9 * (1.0 + time.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(condition: &str, lasting: f64, again: bool) -> EventSetup {
        EventSetup {
            name: "e".into(),
            condition: delassus_contact::Expression::parse(condition, &["t", "x"]).expect("valid"),
            lasting,
            after: 0.0,
            stage: None,
            again,
            stop: false,
            next: false,
            change: Default::default(),
        }
    }

    fn times(event: EventSetup, x: &[f64]) -> Vec<usize> {
        let mut memory = Memory::new(1, 0, 0);
        let events = [event];
        (0..x.len())
            .filter(|&i| {
                let t = 0.1 * i as f64;
                // Every step goes through the record.
                let mut again = Memory::new(1, 0, 0);
                again.set(&memory.numbers()).expect("as many");
                assert_eq!(again, memory);
                memory = again;
                memory.look(&events, "start", t, &[t, x[i]])
            })
            .collect()
    }

    #[test]
    fn conditions_must_hold_without_interruption_and_happen_once_in_a_row() {
        let x = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0];
        assert_eq!(times(event("x > 0", 0.0, false), &x), [1]);
        assert_eq!(times(event("x > 0", 0.2, false), &x), [6]);
        assert_eq!(times(event("x > 0", 0.0, true), &x), [1, 4, 9]);
        assert_eq!(times(event("x > 0", 0.1, true), &x), [2, 5]);
    }
}
