//! A run that is watched while it is computed: pause, steps, pushes
//!
//! A push is an imposed force that acts for a while, a load like any other. It is written beside the run at once, as the
//! table that adds it to the scene: with these at its end, the scene does the same to the last bit. At its end the run
//! itself holds that scene.

use super::output::warn;
use super::{names, view};
use crate::simulation::{Options, Simulation};
use delassus_scene::Scene;
use delassus_view::serve::{Live, Server, Show};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks of a run that is paused.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long the first step waits for a page that looks.
const OPENING: Duration = Duration::from_secs(5);

/// What the page sees and asks for.
#[derive(Debug)]
struct Desk {
    step: u64,
    steps: u64,
    time: f64,
    paused: bool,
    /// Frames to compute before the next pause.
    ahead: u64,
    over: bool,
    wishes: Vec<Push>,
    pushes: u64,
    refused: Option<String>,
    /// Not faster than the clock on the wall.
    real: bool,
    /// Whether a page has looked.
    seen: bool,
    since: Instant,
}

impl Default for Desk {
    fn default() -> Self {
        let (step, steps, pushes, ahead, time) = (0, 0, 0, 0, 0.0);
        let (paused, over, seen, refused, wishes) = (false, false, false, None, vec![]);
        // Who watches wants to see it, and to push: at full speed a small scene would be over before.
        Self {
            step,
            steps,
            time,
            paused,
            ahead,
            over,
            wishes,
            pushes,
            refused,
            real: true,
            seen,
            since: Instant::now(),
        }
    }
}

/// A force on a body for a while.
#[derive(Clone, Debug)]
struct Push {
    body: usize,
    force: Vec<f64>,
    seconds: f64,
}

#[derive(Debug, Default)]
struct Shared(Mutex<Desk>);

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live for Shared {
    fn status(&self) -> Value {
        let mut desk = self.desk();
        desk.seen = true;
        json!({
            "step": desk.step, "steps": desk.steps, "time": desk.time, "paused": desk.paused, "over": desk.over,
            "pushes": desk.pushes, "refused": desk.refused, "real": desk.real,
        })
    }

    fn order(&self, order: &Value) -> Result<(), String> {
        let mut desk = self.desk();
        if let Some(paused) = order["pause"].as_bool() {
            desk.paused = paused;
        } else if let Some(real) = order["real"].as_bool() {
            desk.real = real;
        } else if let Some(frames) = order["step"].as_u64() {
            (desk.paused, desk.ahead) = (true, desk.ahead.saturating_add(frames).min(1000));
        } else if order["push"].is_object() {
            let push = &order["push"];
            let force: Option<Vec<f64>> =
                push["force"].as_array().map(|f| f.iter().filter_map(Value::as_f64).collect());
            let (body, seconds) = (push["body"].as_u64(), push["for"].as_f64());
            match (body, force, seconds) {
                (Some(body), Some(force), Some(seconds)) if seconds > 0.0 => {
                    desk.wishes.push(Push { body: body as usize, force, seconds });
                }
                _ => return Err("a push is {body, force: [N, …], for: s}".into()),
            }
        } else {
            return Err("an order is {pause: true or false}, {real: true or false}, {step: frames} or {push: …}".into());
        }
        Ok(())
    }
}

/// The page, and what it asks of the run.
pub struct Stage {
    shared: Arc<Shared>,
    scene: Mutex<Scene>,
    options: Options,
    /// Where pushes are written.
    beside: PathBuf,
    /// When the run was where, since when it keeps to the clock.
    since: Mutex<Option<(Instant, f64)>>,
    _server: Server,
}

impl Stage {
    /// Serves the page of a run that begins.
    pub fn open(run: &Path, (scene, options): (&Scene, &Options), open: bool) -> Result<Self, String> {
        let shared = Arc::new(Shared::default());
        let show = Show {
            runs: vec![run.into()],
            told: Box::new(view::told),
            live: Some(shared.clone()),
            files: vec![],
            port: 0,
        };
        let _server = view::started(show, "", open)?;
        let beside = names::ending(names::plain(run), "pushes.toml");
        // Those of an earlier run of this name are not of this one.
        let _ = std::fs::remove_file(&beside);
        Ok(Self {
            shared,
            scene: Mutex::new(scene.clone()),
            options: options.clone(),
            beside,
            since: Mutex::default(),
            _server,
        })
    }

    /// Before a step: tells, waits, pushes. False if the run is to look again.
    pub fn turn(&self, simulation: &mut Simulation) -> bool {
        let wishes = {
            let mut desk = self.shared.desk();
            (desk.step, desk.steps, desk.time) = (simulation.steps(), simulation.clock().steps, simulation.time());
            let real = desk.real && !desk.paused;
            let early = !desk.seen && desk.since.elapsed() < OPENING;
            if early || (desk.paused && desk.ahead == 0) || self.is_ahead(simulation.time(), real && !early) {
                drop(desk);
                std::thread::sleep(PATIENCE);
                return false;
            }
            // A step of the page ends with a frame.
            if desk.ahead > 0 && (simulation.steps() + 1).is_multiple_of(simulation.clock().every) {
                desk.ahead -= 1;
            }
            std::mem::take(&mut desk.wishes)
        };
        for push in wishes {
            let done = self.push(simulation, &push);
            let mut desk = self.shared.desk();
            match done {
                Ok(()) => (desk.pushes, desk.refused) = (desk.pushes + 1, None),
                Err(message) => {
                    warn(&format!("the push is left out: {message}"));
                    desk.refused = Some(message);
                }
            }
        }
        true
    }

    /// Whether a run that keeps to the clock has to wait for it.
    fn is_ahead(&self, time: f64, real: bool) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if !real {
            *since = None;
            return false;
        }
        let (begin, start) = *since.get_or_insert_with(|| (Instant::now(), time));
        time - start > begin.elapsed().as_secs_f64()
    }

    /// The last step is made.
    pub fn end(&self, simulation: &Simulation) {
        let mut desk = self.shared.desk();
        (desk.step, desk.time, desk.over) = (simulation.steps(), simulation.time(), true);
    }

    /// The text of the scene with all pushes in it, where there are some.
    pub fn pushed(&self) -> Option<String> {
        let scene = self.scene.lock().unwrap_or_else(PoisonError::into_inner);
        (self.shared.desk().pushes > 0).then(|| scene.text.clone())
    }

    /// Stays until Ctrl-C: the page may still be looked at.
    pub fn stay(stop: &AtomicBool) {
        warn("the page stays until Ctrl-C");
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn push(&self, simulation: &mut Simulation, push: &Push) -> Result<(), String> {
        let names = simulation.names();
        let name = names.get(push.body).ok_or_else(|| format!("there is no body {}", push.body))?;
        let mut scene = self.scene.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.shared.desk().pushes + 1;
        let (from, to) = (simulation.time(), simulation.time() + push.seconds);
        // One while it acts, zero before and after.
        let force: Vec<String> =
            push.force.iter().map(|f| format!("\"{f:?}*0.5*(sign(t-{from:?})-sign(t-{to:?}))\"")).collect();
        let table = format!("\n[load.push_{number}]\nbody = {name:?}\nforce = [{}]\n", force.join(", "));
        let text = format!("{}{table}", scene.text);
        let mut next = Scene::parse(&text, "scene", &scene.overrides).map_err(|d| d.to_string())?;
        next.files.clone_from(&scene.files);
        simulation.go_on_as(&next, &self.options).map_err(|e| e.to_string())?;
        *scene = next;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.beside);
        let written = file.and_then(|mut f| f.write_all(table.as_bytes()));
        written.map_err(|e| format!("cannot write {}: {e}", self.beside.display()))
    }
}
