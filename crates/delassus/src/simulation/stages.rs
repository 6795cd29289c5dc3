//! A run whose model changes: stages, events that change something, feeders and sinks, and runs that go on with others
//!
//! ```text
//! step ─▶ conditions ─▶ memory ─▶ frame ─▶ (next step) the change: scene ⊕ change ─▶ new model ─▶ state by names
//! ```
//!
//! A change is made from a frame that is in the record. A run that goes on makes the changes before its frame again,
//! each from its own frame, and comes to the same model.

use super::carry::{Kept, Luggage};
use super::fields::MEMORY_OF;
use super::{Engine, Error, Options, Simulation, build};
use delassus_record::Run;
use delassus_scene::{Base, Change, Files, Scene, Standing};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Reads a scene file, and the run that it goes on with, if any.
///
/// # Errors
/// The scene is refused, or that run cannot be read.
pub fn load(path: impl AsRef<Path>, overrides: &[String]) -> Result<Scene, Error> {
    let path = path.as_ref();
    match std::fs::read_to_string(path).ok().filter(|text| Scene::asks_for(text).is_some()) {
        Some(text) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            read(&text, &path.display().to_string(), folder, overrides)
        }
        None => Ok(Scene::load(path, overrides)?),
    }
}

/// The same for a text whose files are in a folder; messages name `origin`.
///
/// # Errors
/// As [`load`].
pub fn read(text: &str, origin: &str, folder: &Path, overrides: &[String]) -> Result<Scene, Error> {
    if let Some(asked) = Scene::asks_for(text) {
        return go_on(text, origin, overrides, (folder, asked));
    }
    Ok(Scene::parse_in(text, origin, folder, overrides)?)
}

type Asked = (String, Option<f64>, Option<u32>);

fn go_on(text: &str, origin: &str, overrides: &[String], (folder, asked): (&Path, Asked)) -> Result<Scene, Error> {
    let (name, time, frame) = asked;
    let refuse = |reason: String| Error::Start { scene: origin.to_owned(), reason };
    let file = folder.join(&name);
    let run = Run::open(&file).map_err(|e| refuse(format!("`from = \"{name}\"`: {e}")))?;
    let last = run.frames().checked_sub(1).ok_or_else(|| refuse(format!("{name} has no frame")))?;
    let frame = match (frame, time) {
        (Some(_), Some(_)) => return Err(refuse("`time` and `frame` are given: which is meant?".into())),
        (Some(frame), None) if frame as usize > last => {
            return Err(refuse(format!("`frame = {frame}`: {name} has frames 0 to {last}")));
        }
        (Some(frame), None) => frame as usize,
        (None, Some(time)) => {
            // A frame more would have been due by then.
            let (end, due) = (run.times()[last], run.times()[last] - run.times()[last.saturating_sub(1)]);
            if time > end + due + 1e-9 * (1.0 + time.abs()) {
                return Err(refuse(format!("`time = {time}`: {name} ends at {end} s")));
            }
            let before = run.times().iter().rposition(|t| *t <= time + 1e-9 * (1.0 + time.abs()));
            before.ok_or_else(|| refuse(format!("`time = {time}`: {name} begins at {} s", run.times()[0])))?
        }
        (None, None) => last,
    };
    let old = Simulation::of_frame(&run, frame)?;
    let luggage = old.engine.pack();
    let absent = luggage.names.iter().zip(&luggage.present).filter(|(_, p)| !**p);
    let gone = absent.map(|(n, _)| n.clone()).collect();
    let base = Base { scene: &old.now, gone, name, frame };
    let mut scene = Scene::continuing(text, Path::new(origin), overrides, base)?;
    let kept = run.header().files.iter().map(|f| (f.name.clone(), f.bytes.clone()));
    scene.keep_files(&Files::of_folder(folder).with(kept));
    Ok(scene)
}

/// The scene a run was made from.
///
/// # Errors
/// It is refused.
pub fn scene_of(run: &Run, more: &[String]) -> Result<Scene, Error> {
    let header = run.header();
    let mut overrides = header.overrides.clone();
    overrides.extend(more.iter().cloned());
    let mut scene = Scene::parse(&header.scene, &format!("scene of {}", run.path().display()), &overrides)?;
    let folder = header.attributes.get("folder").map(PathBuf::from).unwrap_or_default();
    scene.keep_files(&Files::of_folder(folder).with(header.files.iter().map(|f| (f.name.clone(), f.bytes.clone()))));
    Ok(scene)
}

/// Prints by name, of the bodies of a scene.
type Prints = HashMap<String, [u64; 2]>;

fn standing(engine: &dyn Engine, prints: &Prints, time: f64, fresh: bool) -> Standing {
    let luggage = engine.pack();
    let mut bodies = HashMap::new();
    for ((name, there), mut stood) in luggage.names.into_iter().zip(luggage.present).zip(engine.stands()) {
        if let (true, Some(prints)) = (there, prints.get(&name)) {
            // In another run every motion begins anew.
            stood.prints = if fresh { [prints[0], 0] } else { *prints };
            bodies.insert(name, stood);
        }
    }
    Standing { time, bodies }
}

impl Simulation {
    /// A run where one of its frames stands.
    ///
    /// # Errors
    /// Its scene is refused, or the frame does not belong to it.
    pub fn of_frame(run: &Run, frame: usize) -> Result<Self, Error> {
        let scene = scene_of(run, &[])?;
        let mut simulation = Self::resumed(&scene, &Options::default(), run)?;
        simulation.restore(run, frame)?;
        Ok(simulation)
    }

    /// A scene at the start of a run that was made from it: [`Simulation::restore`] goes on from a frame.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn resumed(scene: &Scene, options: &Options, run: &Run) -> Result<Self, Error> {
        if went_on(scene).is_none() {
            return Self::new(scene, options);
        }
        // Where it began is in its first frame; how joints hold, in the header.
        let (mut alone, _, _) = build(&scene.clone().lenient(), options)?;
        alone.restore_places(run, 0)?;
        let prints = scene.prints();
        let stands = standing(alone.as_ref(), &prints, 0.0, true);
        let mut luggage = alone.pack();
        luggage.read_holds(run.header().attributes.get("holds").map_or("", String::as_str));
        Self::from_luggage(scene.clone().standing(stands), options, (&luggage, &prints), None)
    }

    /// A scene that goes on with another run.
    pub(super) fn continued(scene: &Scene, options: &Options) -> Result<Self, Error> {
        let (name, frame) = went_on(scene).unwrap_or_default();
        let file = scene.files.folder().join(&name);
        let run = Run::open(&file)?;
        let old = Self::of_frame(&run, frame)?;
        let luggage = old.engine.pack();
        let scene_prints = old.now.prints();
        let stands = standing(old.engine.as_ref(), &scene_prints, 0.0, true);
        Self::from_luggage(scene.clone().standing(stands), options, (&luggage, &scene_prints), Some(&old.now))
    }

    fn from_luggage(
        scene: Scene,
        options: &Options,
        (luggage, prints): (&Luggage, &Prints),
        before: Option<&Scene>,
    ) -> Result<Self, Error> {
        let mut simulation = Self::built(&scene, options)?;
        let own = scene.prints();
        let bodies = own.iter().filter(|(n, p)| prints.get(*n).is_some_and(|old| old[0] == p[0]));
        let (joints, springs) = scene.holds_as(before.unwrap_or(&scene));
        let kept = Kept { bodies: bodies.map(|(n, _)| n.clone()).collect(), joints, springs, clock: (0.0, 0) };
        simulation.engine.unpack(luggage, &kept)?;
        let origin = simulation.engine.state().q.clone();
        simulation.engine.set_origin(&origin);
        let holds = simulation.engine.pack().holds();
        simulation.header.attributes.insert("holds".into(), holds);
        Ok(simulation)
    }

    /// Makes the changes that wait; nothing else moves.
    pub(super) fn make_changes(&mut self) -> Result<(), Error> {
        let (lab, memory) = self.engine.lab();
        if !memory.waits() {
            return Ok(());
        }
        let happened = lab.events.iter().zip(&memory.events).filter(|(_, m)| m.waits);
        let (mut next, mut change) = (memory.next, Change::default());
        for (event, _) in happened {
            next |= event.next;
            change.remove.extend(event.change.remove.iter().cloned());
            change.release.extend(event.change.release.iter().cloned());
            change.set.extend(event.change.set.iter().cloned());
        }
        let mut memory = memory.clone();
        memory.next = false;
        memory.events.iter_mut().for_each(|e| e.waits = false);
        let (step, time) = (self.steps(), self.time());
        let mut scene = None;
        if !change.is_empty() {
            scene = Some(self.now.changed(&change, memory.began.1)?);
        }
        if next && memory.stage < self.scene.stages().len() {
            memory.stage += 1;
            memory.began = (step, time);
            // Bodies that are gone stay away, unless the stage names them.
            let absent = self.engine.pack();
            let stage = self.scene.stage(memory.stage).begun(time)?;
            scene = Some(stage.without(&absent.names, &absent.present, self.scene.stage(memory.stage - 1)));
        } else if next {
            memory.stopped = true;
        }
        let before = std::mem::replace(self.engine.memory_mut(), memory);
        match scene {
            // What cannot be done still waits.
            Some(scene) => self.become_scene(scene).inspect_err(|_| *self.engine.memory_mut() = before),
            None => Ok(()),
        }
    }

    /// Changes values from now on, as after `--set`; the header of the record tells so.
    ///
    /// # Errors
    /// A value is refused, or what it would change is settled.
    pub fn set(&mut self, set: &[String]) -> Result<(), Error> {
        let (step, time) = (self.steps(), self.time());
        if !self.now.description.arlequin.items.is_empty() {
            let reason = "values of a run of superposed models stay as they are".to_owned();
            return Err(Error::Change { time, reason });
        }
        self.scene = self.scene.with_set(set)?;
        let change = Change { set: set.to_vec(), ..Change::default() };
        let scene = self.now.changed(&change, self.engine.lab().1.began.1)?;
        self.become_scene(scene)?;
        let mut all = sets(&self.header);
        all.retain(|(at, _)| *at < step);
        all.push((step, set.to_vec()));
        self.header.attributes.insert(SETS.into(), serde_json::json!(all).to_string());
        Ok(())
    }

    /// Goes on with another scene from where everything stands.
    fn become_scene(&mut self, scene: Scene) -> Result<(), Error> {
        let (step, time) = (self.steps(), self.time());
        let (old, own) = (self.now.prints(), scene.prints());
        let scene = scene.standing(standing(self.engine.as_ref(), &old, time, false));
        let (joints, springs) = scene.holds_as(&self.now);
        let bodies = own.iter().filter(|(n, p)| old.get(*n).is_some_and(|o| o[0] == p[0])).map(|(n, _)| n.clone());
        let kept = Kept { bodies: bodies.collect(), joints, springs, clock: (time, step) };
        let (mut engine, part, warnings) = build(&scene, &self.options)?;
        if engine.header().fields != self.header.fields {
            let reason = "what is recorded would not be the same: laws with asperities and observations are those of \
                          the whole run"
                .to_owned();
            return Err(Error::Change { time, reason });
        }
        engine.unpack(&self.engine.pack(), &kept)?;
        engine.succeed(self.engine.as_mut());
        engine.set_origin(self.engine.origin());
        engine.enter_stage(self.scene.stage_name(self.engine.lab().1.stage));
        self.engine = engine;
        self.warnings.extend(warnings);
        self.now = scene;
        self.tell_clock(part);
        Ok(())
    }

    /// The clock of the stage, and of the whole run as far as it is known.
    pub(super) fn tell_clock(&mut self, part: delassus_scene::Clock) {
        let (stage, began) = (self.engine.lab().1.stage, self.engine.lab().1.began);
        let rest: Vec<delassus_scene::Clock> =
            (stage + 1..=self.scene.stages().len()).map(|i| self.scene.stage(i).clock(part.step)).collect();
        // The step may be another than before.
        let (done, gone) = (self.steps() - began.0.min(self.steps()), self.time() - began.1);
        let left = ((part.end - gone) / part.step).round().max(0.0) as u64;
        let part = delassus_scene::Clock { steps: done + left, ..part };
        self.part = part;
        self.clock = part;
        self.clock.steps = began.0 + part.steps + rest.iter().map(|c| c.steps).sum::<u64>();
        self.clock.end = began.1 + part.end + rest.iter().map(|c| c.end).sum::<f64>();
    }

    /// Lets bodies enter and leave.
    pub(super) fn feed_and_drain(&mut self) -> Result<(), Error> {
        let (lab, memory) = self.engine.lab();
        if lab.sinks.is_empty() && lab.feeders.is_empty() {
            return Ok(());
        }
        let time = self.time();
        let places = self.engine.places();
        let drained = memory.drained(&lab.sinks, &|b| places[b], places.len());
        let due: Vec<usize> = (0..lab.feeders.len()).filter(|i| memory.due(&lab.feeders[*i], *i, time)).collect();
        if drained.is_empty() && due.is_empty() {
            return Ok(());
        }
        let names = self.engine.names();
        let fed: BTreeSet<usize> = lab.feeders.iter().flat_map(|f| f.bodies.iter().map(|b| *b as usize)).collect();
        let mut present = lab.present.clone();
        let mut memory = memory.clone();
        let mut gone: Vec<String> = vec![];
        for [sink, body] in &drained {
            present[*body] = false;
            memory.sinks[*sink] = [memory.sinks[*sink][0] + 1.0, time];
            if !(lab.sinks[*sink].again && fed.contains(body)) {
                gone.push(names[*body].clone());
            }
        }
        let entered = |present: &[bool]| fed.iter().filter(|b| present[**b]).map(|b| names[*b].clone()).collect();
        let mut wanted = present.clone();
        for i in due {
            memory.feeders[i] += 1.0;
            let waiting = lab.feeders[i].bodies.iter().map(|b| *b as usize);
            let waiting =
                waiting.filter(|b| !wanted[*b] && !self.now.is_gone(&names[*b]) && !gone.contains(&names[*b]));
            let some: Vec<usize> = waiting.take(lab.feeders[i].count).collect();
            some.into_iter().for_each(|b| wanted[b] = true);
        }
        let began = memory.began.1;
        *self.engine.memory_mut() = memory;
        if wanted != present {
            let scene = self.now.with_entered(entered(&wanted), &gone, began)?;
            match self.become_scene(scene) {
                // A place that is taken: they enter with the next.
                Err(Error::Scene(told)) if told.only_overlaps() => {}
                done => return done,
            }
        }
        if drained.is_empty() {
            return Ok(());
        }
        let scene = self.now.with_entered(entered(&present), &gone, began)?;
        self.become_scene(scene)
    }

    /// Goes to a frame of a run whose model changed on the way.
    pub(super) fn replay(&mut self, run: &Run, frame: usize) -> Result<(), Error> {
        let width = self.engine.lab().1.numbers().len();
        let all = match run.header().position(MEMORY_OF) {
            Some(_) => run.series(MEMORY_OF)?.to_f64(),
            None => vec![],
        };
        if !all.is_empty() && all.len() != width * run.frames() {
            return Err(Error::Frame { frame, reason: format!("'{MEMORY_OF}' is not what the scene needs") });
        }
        let sets = sets(run.header());
        for k in 0..frame {
            let mut memory = self.engine.lab().1.clone();
            let read = all.get(width * k..width * (k + 1)).and_then(|x| memory.set(x));
            let set = sets.iter().find(|(step, _)| *step == run.steps()[k]);
            let waits = read.is_some() && memory.waits();
            if waits || set.is_some() {
                self.restore_frame(run, k)?;
            }
            if let Some((_, set)) = set {
                self.set(set)?;
            }
            if waits {
                self.make_changes()?;
            }
        }
        self.restore_frame(run, frame)
    }

    /// Who is there is told by the frame.
    fn restore_frame(&mut self, run: &Run, frame: usize) -> Result<(), Error> {
        let lab = self.engine.lab().0;
        let there: Vec<bool> = match run.header().position("bodies/present") {
            Some(_) => run.read(frame, "bodies/present")?.to_f64().iter().map(|x| *x != 0.0).collect(),
            None => lab.present.clone(),
        };
        if there.len() != lab.present.len() {
            return Err(Error::Frame { frame, reason: "other bodies than those of the scene".into() });
        }
        if there != lab.present {
            let names = self.engine.names();
            let fed: BTreeSet<usize> = lab.feeders.iter().flat_map(|f| f.bodies.iter().map(|b| *b as usize)).collect();
            let entered = fed.iter().filter(|b| there[**b]).map(|b| names[*b].clone()).collect();
            let lost = |b: &usize| !there[*b] && lab.present[*b] && !fed.contains(b);
            let gone: Vec<String> = (0..there.len()).filter(lost).map(|b| names[b].clone()).collect();
            let began = self.engine.lab().1.began.1;
            self.engine.restore_places(run, frame)?;
            let scene = self.now.with_entered(entered, &gone, began)?.lenient();
            self.become_scene(scene)?;
        }
        self.engine.restore(run, frame)?;
        let (stage, part) = (self.engine.lab().1.stage, self.part);
        self.engine.enter_stage(self.scene.stage_name(stage));
        self.tell_clock(part);
        Ok(())
    }
}

/// Name of the attribute of values that were changed on the way.
const SETS: &str = "set_on_the_way";

/// Steps at which values were changed, and what was said then.
fn sets(header: &delassus_record::Header) -> Vec<(u64, Vec<String>)> {
    header.attributes.get(SETS).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Whether values were changed on the way.
pub(super) fn was_set(run: &Run) -> bool {
    run.header().attributes.contains_key(SETS)
}

/// The run that a scene goes on with, and its frame.
pub(super) fn went_on(scene: &Scene) -> Option<(String, usize)> {
    let start = scene.description.start.as_ref()?;
    Some((start.went_on.clone()?, start.frame.unwrap_or(0) as usize))
}
