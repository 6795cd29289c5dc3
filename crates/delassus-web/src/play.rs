//! A scene that runs in memory.

use delassus::scene::{Diagnostics, Scene, Severity};
use delassus::simulation::{Error, Options, Simulation};
use delassus::view::cast;
use delassus_view::{Cast, Memory};
use serde_json::{Value, json};

/// Bytes of frames that are kept; then every second one is left out.
const KEPT: usize = 256 << 20;

/// A scene on its way, and the frames of it.
pub struct Play {
    simulation: Simulation,
    /// The frames.
    pub film: Memory,
    /// Who plays.
    pub cast: Cast,
    /// Frames recorded for one that is kept.
    thinned: u64,
    recorded: u64,
    /// Steps that factors took part in: their last bits are those of the machine.
    factored: u64,
}

impl Play {
    /// Builds the scene and stands at its start; what is wrong is told as by [`check`].
    ///
    /// # Errors
    /// The scene is refused.
    pub fn new(text: &str) -> Result<Self, Value> {
        let refused = |d: &Diagnostics| told(d);
        let scene = Scene::parse(text, "scene", &[]).map_err(|d| refused(&d))?;
        let built = scene.build().map_err(|d| refused(&d))?;
        let simulation = Simulation::new(&scene, &Options { threads: Some(1), ..Options::default() });
        let simulation = simulation.map_err(|error| match &error {
            Error::Scene(diagnostics) => refused(diagnostics),
            other => json!([{ "severity": "error", "message": other.to_string(), "help": [] }]),
        })?;
        let film = Memory { header: simulation.header().clone(), frames: vec![] };
        let mut play = Self { simulation, film, cast: cast(&built), thinned: 1, recorded: 0, factored: 0 };
        play.record().map_err(|m| json!([{ "severity": "error", "message": m, "help": [] }]))?;
        Ok(play)
    }

    fn record(&mut self) -> Result<(), String> {
        self.recorded += 1;
        if !(self.recorded - 1).is_multiple_of(self.thinned) && !self.simulation.is_over() {
            return Ok(());
        }
        let mut frame = self.film.header.frame();
        self.simulation.fill(&mut frame).map_err(|e| e.to_string())?;
        self.film.frames.push(frame);
        let rows = self.film.frames.last().map_or(0, |f| f.columns.iter().map(|c| c.len() * 8).sum::<usize>());
        if self.film.frames.len().saturating_mul(rows) > KEPT {
            let mut kept = 0;
            self.film.frames.retain(|_| {
                kept += 1;
                kept % 2 == 1
            });
            self.thinned *= 2;
        }
        Ok(())
    }

    /// Makes at most so many steps, and tells how it stands.
    ///
    /// # Errors
    /// A step cannot be made; frames until then are kept.
    pub fn advance(&mut self, steps: u32) -> Result<Value, String> {
        for _ in 0..steps {
            if self.simulation.is_over() {
                break;
            }
            let before = self.simulation.totals().handed_over;
            self.simulation.step().map_err(|e| e.to_string())?;
            let solids = self.film.header.position("nodes/displacement").is_some();
            let by_factors = solids || self.simulation.whole_report().at_rest > 0;
            self.factored += u64::from(by_factors || self.simulation.totals().handed_over > before);
            if self.simulation.is_due() {
                self.record()?;
            }
        }
        Ok(self.status())
    }

    /// How it stands: step, time, certificate.
    pub fn status(&self) -> Value {
        let (report, totals) = (self.simulation.report(), self.simulation.totals());
        json!({
            "step": self.simulation.steps(),
            "steps": self.simulation.clock().steps,
            "time": self.simulation.time(),
            "over": self.simulation.is_over(),
            "contacts": report.contacts,
            "residual": report.residual,
            "worst": totals.worst_residual,
            "flagged": totals.flagged,
            "factored": self.factored,
            "frames": self.film.frames.len(),
        })
    }

    /// The hash of the state: equal hashes, equal bits.
    pub fn hash(&self) -> String {
        self.simulation.state().hash_hex()
    }

    /// The simulation.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.simulation
    }
}

/// What is wrong with a scene: severity, line, column, length, message, help; empty if nothing is.
pub fn check(text: &str) -> Value {
    let built = Scene::parse(text, "scene", &[]).and_then(|scene| scene.build());
    match built {
        Ok(built) => {
            use delassus::scene::Built;
            let warnings = match &built {
                Built::Plane(setup) => &setup.warnings,
                Built::Space(setup) => &setup.warnings,
            };
            told(warnings)
        }
        Err(diagnostics) => told(&diagnostics),
    }
}

fn told(diagnostics: &Diagnostics) -> Value {
    let one = |d: &delassus::scene::Diagnostic| {
        let place = d.place.as_ref();
        json!({
            "severity": if d.severity == Severity::Error { "error" } else { "warning" },
            "message": d.problem.to_string(),
            "help": d.help,
            "line": place.map(|p| p.line),
            "column": place.map(|p| p.column),
            "length": place.map(|p| p.length),
        })
    };
    diagnostics.items.iter().map(one).collect()
}

/// Names, first sentences and texts of the scenes that come with the program.
pub fn gallery() -> Value {
    let one = |e: &delassus::scene::Example| json!({ "name": e.name, "about": e.summary(), "text": e.text });
    delassus::scene::gallery().iter().map(one).collect()
}
