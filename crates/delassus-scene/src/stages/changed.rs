//! A scene and what becomes of it: its stages, and what events, feeders, sinks and `--set` change.

use super::judge;
use super::lay::release;
use super::{Base, Cast, Change, FIRST, Standing, Whole, matches};
use crate::diagnostic::Diagnostics;
use crate::overrides;
use crate::scene::Scene;
use crate::source::Sources;
use crate::tree::{Node, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Scene {
    /// Reads a text that goes on with another run.
    ///
    /// # Errors
    /// As [`Scene::parse`].
    pub fn continuing(
        text: &str,
        origin: &std::path::Path,
        overrides: &[String],
        base: Base<'_>,
    ) -> Result<Self, Diagnostics> {
        let scene = Self::parse_over(text, &origin.display().to_string(), overrides, (Some(base), origin.parent()))?;
        judge::started(&scene)?;
        Ok(scene)
    }

    /// What `[start]` asks for in a text, before anything else of it is judged: file, time, frame.
    pub fn asks_for(text: &str) -> Option<(String, Option<f64>, Option<u32>)> {
        let tree = crate::tree::parse(text, 0, &Sources::default(), &mut Diagnostics::default());
        let start = tree.get("start")?;
        let number = |key: &str| match start.get(key).map(|n| &n.value) {
            Some(Value::Float(x)) => Some(*x),
            Some(Value::Integer(i)) => Some(*i as f64),
            _ => None,
        };
        let frame = number("frame").filter(|f| *f >= 0.0).map(|f| f as u32);
        Some((start.get("from")?.text()?.to_owned(), number("time"), frame))
    }

    /// The stages after the first: name, and the whole scene as it is then.
    pub fn stages(&self) -> &[(String, Scene)] {
        &self.stages
    }

    /// Judges the stages after the first, but for where their bodies will be.
    ///
    /// # Errors
    /// Whatever cannot be built.
    pub fn check_stages(&self) -> Result<(), Diagnostics> {
        judge::staged(self)?;
        self.stages.iter().try_for_each(|(_, stage)| stage.build_alone().map(drop))
    }

    /// The scene of a stage, 0 being the first.
    pub fn stage(&self, index: usize) -> &Scene {
        index.checked_sub(1).and_then(|i| self.stages.get(i)).map_or(self, |s| &s.1)
    }

    /// The name of a stage.
    pub fn stage_name(&self, index: usize) -> &str {
        index.checked_sub(1).and_then(|i| self.stages.get(i)).map_or(FIRST, |s| &s.0)
    }

    /// The whole scene as one text that reads back to it, where it was laid over another.
    pub fn whole_text(&self) -> String {
        let laid = self.tree.get("start").is_some_and(|s| s.get("went_on").is_some());
        self.given.as_ref().filter(|_| laid).map_or_else(|| self.text.clone(), |given| crate::write::text(given))
    }

    /// The same scene, gone on with from where bodies stand.
    #[must_use]
    pub fn standing(mut self, standing: Standing) -> Self {
        self.parameters = self.parameters.clone().with_start(standing.time);
        self.standing = Some(Arc::new(standing));
        self
    }

    /// The same scene with the start of its stage at a time \[s\].
    pub fn begun(&self, time: f64) -> Result<Self, Diagnostics> {
        self.again(self.raw.clone(), self.cast.clone(), time)
    }

    /// The scene after what an event does.
    ///
    /// # Errors
    /// A name that nobody has, or a value that is not accepted.
    pub fn changed(&self, change: &Change, started: f64) -> Result<Self, Diagnostics> {
        let (mut raw, mut cast, mut sources) = (self.raw.clone(), self.cast.clone(), self.sources.clone());
        let mut diagnostics = Diagnostics::default();
        overrides::apply(&mut raw, &change.set, &mut sources, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        release(&mut raw, &change.release, None, &sources, &mut diagnostics)?;
        cast.gone.extend(change.remove.iter().cloned());
        Self { sources, ..self.clone() }.again(raw, cast, started)
    }

    /// The scene and all its stages with values changed, as after `--set`.
    ///
    /// # Errors
    /// A name that nobody has, or a value that is not accepted.
    pub fn with_set(&self, set: &[String]) -> Result<Self, Diagnostics> {
        let change = Change { set: set.to_vec(), ..Change::default() };
        let mut scene = self.changed(&change, 0.0)?;
        for (name, stage) in &self.stages {
            scene.stages.push((name.clone(), stage.changed(&change, 0.0)?));
        }
        scene.given.clone_from(&self.given);
        Ok(scene)
    }

    /// The scene in which some bodies of feeders have entered, and others have gone through sinks.
    pub fn with_entered(&self, entered: BTreeSet<String>, gone: &[String], started: f64) -> Result<Self, Diagnostics> {
        let mut cast = self.cast.clone();
        cast.gone.retain(|g| !entered.contains(g));
        for name in gone {
            if !cast.gone.contains(name) {
                cast.gone.push(name.clone());
            }
        }
        cast.entered = Arc::new(entered);
        self.again(self.raw.clone(), cast, started)
    }

    /// Whether a body was taken away for good.
    pub fn is_gone(&self, name: &str) -> bool {
        self.cast.gone.iter().any(|pattern| matches(pattern, name))
    }

    /// The same scene, whose bodies may overlap at the start.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.description.initial.overlaps = crate::description::Overlaps::Accept;
        self
    }

    /// Steps and frames of the scene, of its stage alone; `step` where it gives none.
    pub fn clock(&self, step: f64) -> crate::Clock {
        crate::Clock::new(&self.description.time, self.description.time.step.unwrap_or(step))
    }

    /// The scene of a stage without the bodies that events and sinks took away in the stage before.
    #[must_use]
    pub fn without(mut self, names: &[String], present: &[bool], before: &Self) -> Self {
        let expected = crate::build::who(before);
        for ((name, there), expected) in names.iter().zip(present).zip(expected) {
            let named =
                self.tree.get("body").is_some_and(|b| b.get(name).is_some()) && before.cast.later.contains(name);
            let fed = self.description.feeder.items.iter().flat_map(|(_, f)| f.bodies.iter()).any(|p| matches(p, name));
            match (expected, *there, fed) {
                (_, true, true) => {
                    let mut entered = (*self.cast.entered).clone();
                    entered.insert(name.clone());
                    self.cast.entered = Arc::new(entered);
                }
                (true, false, false) if !named => self.cast.gone.push(name.clone()),
                _ => {}
            }
        }
        self
    }

    fn again(&self, raw: Node, cast: Cast, started: f64) -> Result<Self, Diagnostics> {
        let whole = Whole { text: self.text.clone(), overrides: self.overrides.clone(), sources: self.sources.clone() };
        let mut scene = Self::finish(raw, &whole, cast, started)?;
        scene.files.clone_from(&self.files);
        Ok(scene)
    }
}
