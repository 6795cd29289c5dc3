//! A scene: read, overridden, judged.

use crate::description::Description;
use crate::diagnostic::{Diagnostics, Problem, Severity};
use crate::files::Files;
use crate::formula::{self, Parameters};
use crate::source::Sources;
use crate::stages::{self, Base, Cast, Standing, Whole};
use crate::tree::{self, Node, Path};
use crate::{include, overrides, repeat, schema, validate};
use serde::Deserialize;
use std::sync::Arc;

/// A scene whose every key is understood.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What it says.
    pub description: Description,
    /// Its text, as given.
    pub text: String,
    /// The overrides, as given.
    pub overrides: Vec<String>,
    /// Meshes and other files that it names.
    pub files: Files,
    pub(crate) sources: Sources,
    pub(crate) tree: Node,
    pub(crate) parameters: Parameters,
    /// The tree before parameters were put in.
    pub(crate) raw: Node,
    /// Who is there, and since when.
    pub(crate) cast: Cast,
    /// What it goes on with.
    pub(crate) standing: Option<Arc<Standing>>,
    /// The stages after the first, each the whole scene as it is then.
    pub(crate) stages: Vec<(String, Scene)>,
    /// The tree as given, with its stages.
    pub(crate) given: Option<Arc<Node>>,
}

impl Scene {
    /// Reads a scene file.
    pub fn load(path: impl AsRef<std::path::Path>, overrides: &[String]) -> Result<Self, Diagnostics> {
        let path = path.as_ref();
        let origin = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| unreadable(&origin, e.to_string()))?;
        let folder = path.parent().unwrap_or(std::path::Path::new(""));
        Self::parse_in(as_text(&bytes, &origin)?, &origin, folder, overrides)
    }

    /// Reads a text whose files, included ones too, are in a folder.
    pub fn parse_in(
        text: &str,
        origin: &str,
        folder: &std::path::Path,
        overrides: &[String],
    ) -> Result<Self, Diagnostics> {
        let mut scene = Self::parse_over(text, origin, overrides, (None, Some(folder)))?;
        scene.keep_files(&Files::of_folder(folder));
        Ok(scene)
    }

    /// Reads the bytes of a file; `origin` is what messages call it.
    pub fn from_bytes(bytes: &[u8], origin: &str, overrides: &[String]) -> Result<Self, Diagnostics> {
        Self::parse(as_text(bytes, origin)?, origin, overrides)
    }

    /// Reads a text; `origin` is what messages call it.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Self, Diagnostics> {
        Self::parse_over(text, origin, overrides, (None, None))
    }

    /// Reads a text that may go on with another run, whose scene is `base`, and include files of a folder.
    pub(crate) fn parse_over(
        text: &str,
        origin: &str,
        overrides: &[String],
        (base, folder): (Option<Base<'_>>, Option<&std::path::Path>),
    ) -> Result<Self, Diagnostics> {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        sources.add(origin, text);
        let mut tree = tree::parse(text, 0, &sources, &mut diagnostics);
        let included = include::expand(&mut tree, folder, &mut sources, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        // A run keeps the whole, not the names of files that may change.
        let text = if included { crate::write::text(&tree) } else { text.to_owned() };
        if let Some(base) = base {
            stages::lay_over(&mut tree, base, &mut sources);
        }
        unroll(&mut tree, overrides, &sources, &mut diagnostics);
        overrides::apply(&mut tree, overrides, &mut sources, &mut diagnostics);
        let whole = Whole { text, overrides: overrides.to_vec(), sources };
        let read = stages::read(tree, whole);
        if !diagnostics.has_errors() {
            return read;
        }
        // All mistakes at once.
        if let Err(more) = read {
            diagnostics.extend(more);
        }
        Err(diagnostics)
    }

    /// A scene from its tree: parameters put in, judged by the schema.
    pub(crate) fn finish(raw: Node, whole: &Whole, cast: Cast, started: f64) -> Result<Self, Diagnostics> {
        let (mut diagnostics, sources) = (Diagnostics::default(), &whole.sources);
        let mut tree = raw.clone();
        let parameters = formula::expand(&mut tree, sources, &mut diagnostics).with_start(started);
        validate::validate(&tree, schema::internal(), sources, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let description = Description::deserialize(&tree).map_err(|refused| {
            let problem = Problem::Inconsistent { what: refused.message };
            diagnostics.error(sources, refused.span, problem);
            diagnostics
        })?;
        Ok(Self {
            description,
            text: whole.text.clone(),
            overrides: whole.overrides.clone(),
            files: Files::default(),
            sources: sources.clone(),
            tree,
            parameters,
            raw,
            cast,
            standing: None,
            stages: vec![],
            given: None,
        })
    }

    /// Variants of the scene: name, label, what each changes.
    pub fn variants(&self) -> Vec<(String, String, Vec<String>)> {
        let items = self.description.variant.items.iter().enumerate();
        items
            .map(|(i, (key, variant))| {
                let name = key.clone().or_else(|| variant.name.clone()).unwrap_or_else(|| i.to_string());
                (name.clone(), variant.label.clone().unwrap_or(name), variant.set.clone())
            })
            .collect()
    }

    /// The scene with a variant applied, then its own overrides again.
    ///
    /// # Errors
    /// There is no such variant, or it is not valid.
    pub fn with_variant(&self, name: &str) -> Result<Self, Diagnostics> {
        let all = self.variants();
        let Some((_, _, set)) = all.iter().find(|v| v.0 == name) else {
            let mut diagnostics = Diagnostics::default();
            let problem = Problem::UnknownName { kind: "variant", name: name.to_owned() };
            let diagnostic = diagnostics.push(Severity::Error, None, problem);
            diagnostic.accepted(name, all.iter().map(|v| v.0.as_str()));
            return Err(diagnostics);
        };
        let overrides: Vec<String> = set.iter().chain(&self.overrides).cloned().collect();
        let origin = self.sources.iter().next().map_or(String::new(), |s| s.origin.clone());
        let mut scene = Self::parse(&self.text, &origin, &overrides)?;
        scene.keep_files(&self.files);
        Ok(scene)
    }

    /// Files are read from there, in all stages.
    pub fn keep_files(&mut self, files: &Files) {
        self.files.clone_from(files);
        self.stages.iter_mut().for_each(|(_, stage)| stage.files.clone_from(files));
    }

    /// The place of `path` in the file.
    pub(crate) fn place(&self, path: &Path) -> Option<crate::source::Place> {
        self.sources.place(self.tree.locate(path))
    }

    /// Adds an error at the place of `path`.
    pub(crate) fn error<'a>(
        &self,
        diagnostics: &'a mut Diagnostics,
        path: &Path,
        problem: Problem,
    ) -> &'a mut crate::Diagnostic {
        diagnostics.error(&self.sources, Some(self.tree.locate(path)), problem)
    }

    /// Adds a warning at the place of `path`.
    pub(crate) fn warning<'a>(
        &self,
        diagnostics: &'a mut Diagnostics,
        path: &Path,
        problem: Problem,
    ) -> &'a mut crate::Diagnostic {
        diagnostics.warning(&self.sources, Some(self.tree.locate(path)), problem)
    }
}

/// Writes loops out, by the parameters that the overrides leave; overrides may then name what loops made.
fn unroll(tree: &mut Node, overrides: &[String], sources: &Sources, diagnostics: &mut Diagnostics) {
    if !repeat::is_asked_for(tree) {
        return;
    }
    let (mut trial, mut own) = (tree.clone(), sources.clone());
    overrides::apply(&mut trial, overrides, &mut own, &mut Diagnostics::default());
    // Faults of parameters and overrides are told where they are read for good.
    let parameters = formula::read(&trial, &own, &mut Diagnostics::default());
    repeat::expand(tree, &parameters, sources, diagnostics);
}

/// The text of a file.
fn as_text<'a>(bytes: &'a [u8], origin: &str) -> Result<&'a str, Diagnostics> {
    let what = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it is UTF-16: save it as UTF-8",
        [b'#' | b'[' | b'a'..=b'z', 0, ..] | [0, b'#' | b'[' | b'a'..=b'z', ..] => "it is UTF-16: save it as UTF-8",
        [0x89, b'H', b'D', b'F', ..] => {
            "it is an HDF5 file: 'delassus resume' goes on with a run, 'delassus solve' solves a problem"
        }
        _ => "it is no text in UTF-8",
    };
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| unreadable(origin, what.to_owned()))
}

fn unreadable(file: &str, message: String) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Severity::Error, None, Problem::Unreadable { file: file.to_owned(), message });
    diagnostics
}
