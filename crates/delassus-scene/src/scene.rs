//! A scene: read, overridden, judged.

use crate::description::Description;
use crate::diagnostic::{Diagnostics, Problem, Severity};
use crate::formula::{self, Parameters};
use crate::source::Sources;
use crate::tree::{self, Node, Path};
use crate::{overrides, schema, validate};
use serde::Deserialize;
use std::path::PathBuf;

/// A scene whose every key is understood.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What it says.
    pub description: Description,
    /// Its text, as given.
    pub text: String,
    /// The overrides, as given.
    pub overrides: Vec<String>,
    /// Folder that paths of meshes are relative to.
    pub folder: PathBuf,
    pub(crate) sources: Sources,
    pub(crate) tree: Node,
    pub(crate) parameters: Parameters,
}

impl Scene {
    /// Reads a scene file.
    pub fn load(path: impl AsRef<std::path::Path>, overrides: &[String]) -> Result<Self, Diagnostics> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|e| {
            let mut diagnostics = Diagnostics::default();
            let problem = Problem::Unreadable { file: path.display().to_string(), message: e.to_string() };
            diagnostics.push(Severity::Error, None, problem);
            diagnostics
        })?;
        let mut scene = Self::parse(&text, &path.display().to_string(), overrides)?;
        scene.folder = path.parent().map(PathBuf::from).unwrap_or_default();
        Ok(scene)
    }

    /// Reads a text; `origin` is what messages call it.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Self, Diagnostics> {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        sources.add(origin, text);
        let mut tree = tree::parse(text, 0, &sources, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        overrides::apply(&mut tree, overrides, &mut sources, &mut diagnostics);
        let parameters = formula::expand(&mut tree, &sources, &mut diagnostics);
        validate::validate(&tree, schema::internal(), &sources, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let description = Description::deserialize(&tree).map_err(|refused| {
            let problem = Problem::Inconsistent { what: refused.message };
            diagnostics.error(&sources, refused.span, problem);
            diagnostics
        })?;
        let (text, overrides, folder) = (text.to_owned(), overrides.to_vec(), PathBuf::new());
        Ok(Self { description, text, overrides, folder, sources, tree, parameters })
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
        scene.folder.clone_from(&self.folder);
        Ok(scene)
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
