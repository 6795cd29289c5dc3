//! The engine as JavaScript sees it: texts of JSON, and packs of bytes.

use crate::{Play, check, gallery, possible};
use delassus_view::{film, forces};
use wasm_bindgen::prelude::wasm_bindgen;

/// What is wrong with a scene, as JSON.
#[wasm_bindgen]
pub fn check_scene(text: &str) -> String {
    check(text).to_string()
}

/// The scenes that come with the program, as JSON.
#[wasm_bindgen]
pub fn scenes() -> String {
    gallery().to_string()
}

/// The JSON Schema of scenes.
#[wasm_bindgen]
pub fn schema() -> String {
    delassus::scene::schema()
}

/// A scene that runs.
#[wasm_bindgen]
pub struct Engine(Play);

#[wasm_bindgen]
impl Engine {
    /// Builds a scene; the error is the JSON of what is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Engine, String> {
        // A defect is told in words; without this it would be 'unreachable'.
        std::panic::set_hook(Box::new(|defect| wasm_bindgen::throw_str(&defect.to_string())));
        Play::new(text).map(Engine).map_err(|told| told.to_string())
    }

    /// Makes steps; how it stands, as JSON.
    pub fn advance(&mut self, steps: u32) -> Result<String, String> {
        self.0.advance(steps).map(|v| v.to_string())
    }

    /// How it stands, as JSON.
    pub fn status(&self) -> String {
        self.0.status().to_string()
    }

    /// The hash of the state.
    pub fn hash(&self) -> String {
        self.0.hash()
    }

    /// What the page needs to know first, as JSON.
    pub fn meta(&self) -> String {
        film::meta(&self.0.film).to_string()
    }

    /// Who plays, as JSON.
    pub fn cast(&self) -> String {
        serde_json::to_string(&self.0.cast).unwrap_or_default()
    }

    /// The shapes.
    pub fn geometry(&self) -> Vec<u8> {
        film::geometry(&self.0.film.header)
    }

    /// Fields of a frame, separated by commas.
    pub fn frame(&self, at: usize, fields: &str) -> Result<Vec<u8>, String> {
        let fields: Vec<&str> = fields.split(',').filter(|f| !f.is_empty()).collect();
        film::frame(&self.0.film, at, &fields).map_err(|e| e.to_string())
    }

    /// A series against time.
    pub fn series(&self, name: &str) -> Result<Vec<u8>, String> {
        film::series(&self.0.film, name).map_err(|e| e.to_string())
    }

    /// One item of a field against time.
    pub fn history(&self, field: &str, item: usize) -> Result<Vec<u8>, String> {
        film::history(&self.0.film, field, item, 400).map_err(|e| e.to_string())
    }

    /// Forces of one body on another against time.
    pub fn pair(&self, a: u32, b: u32) -> Result<Vec<u8>, String> {
        forces::pair(&self.0.film, [a, b], 400).map_err(|e| e.to_string())
    }

    /// Forces of all contacts on a body against time.
    pub fn resultant(&self, body: u32) -> Result<Vec<u8>, String> {
        forces::resultant(&self.0.film, body, 400).map_err(|e| e.to_string())
    }

    /// Every number of one item, as JSON.
    pub fn values(&self, at: usize, group: &str, item: usize) -> Result<String, String> {
        film::values(&self.0.film, at, group, item).map(|v| v.to_string()).map_err(|e| e.to_string())
    }

    /// What each reaction of the coming step can be, as JSON.
    pub fn explore(&mut self) -> Result<String, String> {
        let simulation = self.0.simulation();
        let (time, next) = (simulation.time(), simulation.next_step().map_err(|e| e.to_string())?);
        serde_json::to_string(&possible(next, time)?).map_err(|e| e.to_string())
    }
}
