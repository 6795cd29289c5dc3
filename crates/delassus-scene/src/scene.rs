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
