//! `new`, `check`, `schema`: scenes before they run.

use super::keys::Keys;
use super::output::{Output, complain, report};
use super::scene_args::{CheckArgs, NewArgs, SceneArgs, SchemaArgs};
use super::{Verdict, forecast, guarded};
use delassus_scene::{Scene, example, gallery};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// A scene by file name, or by its name in the gallery. Messages are printed.
pub fn load(name: &str, args: &SceneArgs) -> Result<Scene, Verdict> {
    let overrides = args.set.as_slice();
    let refuse = |message: String| {
        complain(&message);
        Err(Verdict::BadInput)
    };
    if let Some(key) = given_twice(overrides) {
        return refuse(format!("--set {key} is given twice: which value is meant?"));
    }
    let path = Path::new(name);
    let result = match example(name) {
        _ if name.is_empty() => {
            return refuse("the name of the scene is empty; 'delassus run' lists the gallery".into());
        }
        _ if name == "-" => {
            let mut bytes = vec![];
            match std::io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => Scene::from_bytes(&bytes, "standard input", overrides),
                Err(error) => return refuse(format!("standard input: {error}")),
            }
        }
        _ if path.exists() && !path.is_dir() => match crate::simulation::load(path, overrides) {
            Ok(scene) => Ok(scene),
            Err(crate::simulation::Error::Scene(diagnostics)) => Err(diagnostics),
            Err(error) => return refuse(error.to_string()),
        },
        Ok(found) => Scene::parse(found.text, &format!("gallery/{name}.toml"), overrides),
        Err(_) if path.exists() => return refuse(format!("{name} is a folder, expected a scene file")),
        Err(nearest) => {
            return refuse(format!("{name}: no such file, and no scene of that name in the gallery{}", hint(nearest)));
        }
    };
    let result = match &args.variant {
        Some(variant) => result.and_then(|scene| scene.with_variant(variant)),
        None => result,
    };
    result.map_err(|diagnostics| {
        report(&diagnostics);
        Verdict::BadInput
    })
}

/// A key that two overrides set.
fn given_twice(overrides: &[String]) -> Option<&str> {
    let key = |text: &'_ String| text.split('=').next().unwrap_or_default().trim().to_owned();
    let twice = overrides.iter().enumerate().find(|(i, text)| overrides[..*i].iter().any(|o| key(o) == key(text)));
    twice.map(|(_, text)| text.split('=').next().unwrap_or_default().trim())
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("; did you mean '{name}'?"),
        None => "; 'delassus run' lists it".into(),
    }
}

/// Lists the gallery.
pub fn list() -> ExitCode {
    let mut out = Output::default();
    let width = gallery().iter().map(|s| s.name.len()).max().unwrap_or(0);
    out.line("Scenes of the gallery, run one with 'delassus run NAME':\n");
    for scene in gallery() {
        out.line(&format!("  {:width$}  {}", scene.name, scene.summary()));
    }
    out.line("\nYour own: 'delassus new scene.toml', then 'delassus check' and 'delassus run'.");
    ExitCode::SUCCESS
}

/// Writes a scene to start from.
pub fn new(args: &NewArgs) -> ExitCode {
    let scene = match example(&args.from) {
        Ok(scene) => scene,
        Err(nearest) => {
            complain(&format!("no scene '{}' in the gallery{}", args.from, hint(nearest)));
            return Verdict::BadInput.into();
        }
    };
    if args.file != Path::new("-") && args.file.exists() {
        complain(&format!("{} already exists: choose another name", args.file.display()));
        return Verdict::BadInput.into();
    }
    let verdict = write(&args.file, scene.text);
    if verdict == Verdict::Solved && args.file != Path::new("-") {
        let file = args.file.display();
        Output::default().line(&format!("{file} written from '{}'; next: delassus run {file}", scene.name));
    }
    verdict.into()
}

/// Says what a scene holds.
pub fn check(args: &CheckArgs) -> ExitCode {
    let mut out = Output::default();
    let mut verdict = Verdict::Solved;
    for name in &args.scenes {
        let scene = match load(name, &args.scene) {
            Ok(scene) => scene,
            Err(worse) => {
                verdict = verdict.max(worse);
                continue;
            }
        };
        match scene.check() {
            Ok(mut check) => {
                let warnings = std::mem::take(&mut check.warnings);
                let foreseen = guarded(|| forecast::lines(&scene)).unwrap_or_default();
                let told = std::iter::once(format!("{name}: {check}")).chain(foreseen).collect::<Vec<_>>().join("\n");
                let warned = if warnings.items.is_empty() { String::new() } else { format!("\n\n{warnings}") };
                out.line(&format!("{told}{warned}\n"));
            }
            Err(diagnostics) => {
                report(&diagnostics);
                verdict = Verdict::BadInput;
            }
        }
    }
    verdict.into()
}

/// Writes the JSON Schema of scenes, or says what one key takes.
pub fn schema(args: &SchemaArgs) -> ExitCode {
    if let Some(key) = &args.key {
        return match Keys::new().and_then(|keys| keys.page(key)) {
            Ok(page) => {
                Output::default().line(&page);
                ExitCode::SUCCESS
            }
            Err(message) => {
                complain(&message);
                Verdict::BadInput.into()
            }
        };
    }
    let text = delassus_scene::schema();
    match &args.output {
        Some(path) => write(path, &text).into(),
        None => {
            Output::default().line(&text);
            ExitCode::SUCCESS
        }
    }
}

/// Writes a text to a file, or to standard output for '-'.
pub fn write(path: &Path, text: &str) -> Verdict {
    if path == Path::new("-") {
        Output::default().put(text);
        return Verdict::Solved;
    }
    match std::fs::write(path, text) {
        Ok(()) => Verdict::Solved,
        Err(error) => {
            complain(&format!("cannot write {}: {error}", path.display()));
            Verdict::BadInput
        }
    }
}
