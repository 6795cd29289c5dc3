//! Which members a sweep has, and whether a folder holds the same sweep.

use super::args::SweepArgs;
use super::axis::{Axis, MOST};
use super::measure::Measure;
use crate::command::scene_args::SceneArgs;
use crate::command::{names, scene};
use crate::simulation;
use delassus_scene::Scene;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Name of its files.
    pub name: String,
    /// Its value on each axis, by index.
    pub at: Vec<usize>,
    /// What it changes in the scene.
    pub set: Vec<String>,
    /// Its variant.
    pub variant: Option<String>,
}

/// A sweep.
pub struct Plan {
    /// The scene as named.
    pub scene: String,
    /// The scene without the changes of members.
    pub base: Scene,
    /// Where everything goes.
    pub folder: PathBuf,
    pub axes: Vec<Axis>,
    pub measures: Vec<Measure>,
    pub members: Vec<Member>,
}

impl Plan {
    /// From the arguments; messages name what is wrong.
    pub fn new(args: &SweepArgs) -> Result<Self, String> {
        let axes = args.over.iter().map(|o| Axis::parse(o)).collect::<Result<Vec<_>, _>>()?;
        let measures = args.measure.iter().map(|m| Measure::parse(m)).collect::<Result<Vec<_>, _>>()?;
        if let Some(twice) = axes.iter().enumerate().find(|(i, a)| axes[..*i].iter().any(|b| b.key == a.key)) {
            return Err(format!("--over {} is given twice", twice.1.key));
        }
        if let Some(twice) = measures.iter().enumerate().find(|(i, m)| measures[..*i].iter().any(|o| o.name == m.name))
        {
            return Err(format!(
                "--measure {} is given twice: name one of them, as NAME={}",
                twice.1.name, twice.1.text
            ));
        }
        for key in args.along.iter().chain(&args.spread) {
            if !axes.iter().any(|a| a.key == *key) {
                let keys: Vec<&str> = axes.iter().map(|a| a.key.as_str()).collect();
                return Err(format!("'{key}' is not swept over; --over has {}", keys.join(", ")));
            }
        }
        if args.scene.variant.is_some() && axes.iter().any(|a| a.key == "variant") {
            return Err("--variant and --over variant: which is meant?".into());
        }
        if args.scene_name == "-" {
            return Err("members read the scene again: give a file or a scene of the gallery".into());
        }
        let base = scene::load(&args.scene_name, &args.scene).map_err(|_| String::new())?;
        let folder = args.output.clone().unwrap_or_else(|| format!("{}_sweep", names::stem(&args.scene_name)).into());
        let mut plan = Self { scene: args.scene_name.clone(), base, folder, axes, measures, members: vec![] };
        plan.members = plan.combinations(&args.scene)?;
        Ok(plan)
    }

    /// Every combination, the last axis fastest.
    fn combinations(&self, args: &SceneArgs) -> Result<Vec<Member>, String> {
        let count = self.axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.values.len()).filter(|n| *n <= MOST));
        let count = count.ok_or_else(|| format!("more than {MOST} combinations: leave out some values"))?;
        let mut members: Vec<Member> = vec![];
        for k in 0..count {
            let (mut at, mut rest) = (vec![0; self.axes.len()], k);
            for (i, axis) in self.axes.iter().enumerate().rev() {
                at[i] = rest % axis.values.len();
                rest /= axis.values.len();
            }
            let mut member = Member { name: String::new(), set: args.set.clone(), variant: args.variant.clone(), at };
            let mut words = vec![];
            for (axis, i) in self.axes.iter().zip(&member.at) {
                let value = &axis.values[*i];
                match axis.key.as_str() {
                    "variant" => member.variant = Some(value.clone()),
                    key => member.set.push(format!("{key}={value}")),
                }
                words.push(format!("{}={value}", axis.key.rsplit('.').next().unwrap_or(&axis.key)));
            }
            member.name = file_name(&words.join(","), &self.words(&member));
            members.push(member);
        }
        Ok(members)
    }

    /// `law.friction=0.1, seed=3`.
    pub fn words(&self, member: &Member) -> String {
        let pairs = self.axes.iter().zip(&member.at).map(|(a, i)| format!("{}={}", a.key, a.values[*i]));
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// The scene of a member; the error is what is told.
    pub fn scene_of(&self, member: &Member) -> Result<Scene, String> {
        let origin =
            if Path::new(&self.scene).is_file() { self.scene.clone() } else { format!("gallery/{}.toml", self.scene) };
        let files = &self.base.files;
        let read = simulation::read(&self.base.text, &origin, files.folder(), &member.set);
        let mut scene = read.map_err(|e| e.to_string())?;
        scene.keep_files(files);
        match &member.variant {
            Some(variant) => scene.with_variant(variant).map_err(|diagnostics| diagnostics.to_string()),
            None => Ok(scene),
        }
    }

    /// The file of a member.
    pub fn file(&self, member: &Member, end: &str) -> PathBuf {
        names::ending(self.folder.join(&member.name), end)
    }

    /// The plan as data: what another machine needs to run the members.
    pub fn json(&self) -> Value {
        let members: Vec<Value> = self
            .members
            .iter()
            .map(|m| json!({ "name": m.name, "set": m.set, "variant": m.variant, "run": format!("{}.h5", m.name) }))
            .collect();
        json!({
            "format": "delassus-sweep",
            "version": 1,
            "scene": self.scene,
            "text": self.base.text,
            "over": self.axes,
            "measures": self.measures.iter().map(|m| &m.text).collect::<Vec<_>>(),
            "members": members,
        })
    }

    /// Makes the folder and its plan; one that holds a sweep of another scene is refused.
    pub fn open(&self, overwrite: bool) -> Result<(), String> {
        let (folder, path) = (self.folder.display(), self.folder.join("plan.json"));
        let say = |e: std::io::Error| format!("{}: {e}", path.display());
        if self.folder.exists() && !self.folder.is_dir() {
            return Err(format!("{folder} is a file: give a folder with --output"));
        }
        if let Ok(text) = std::fs::read_to_string(&path) {
            let old: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
            if old["text"] != json!(self.base.text) && !overwrite {
                return Err(format!(
                    "{folder} holds a sweep of another scene, or of this one before it was changed: give another \
                     --output, or --overwrite"
                ));
            }
        } else if self.folder.is_dir() && !overwrite {
            let mut inside = std::fs::read_dir(&self.folder).map_err(say)?;
            if inside.next().is_some() {
                return Err(format!("{folder} is not empty and holds no sweep: give another --output, or --overwrite"));
            }
        }
        std::fs::create_dir_all(&self.folder).map_err(say)?;
        write(&path, (serde_json::to_string_pretty(&self.json()).expect("a plan is finite") + "\n").as_bytes())
    }
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let draft = names::ending(path, "part");
    let say = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    std::fs::write(&draft, bytes).map_err(say)?;
    std::fs::rename(&draft, path).map_err(say)
}

/// Readable, safe on every file system, and different where the members are.
fn file_name(words: &str, whole: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "=.,+-_".contains(c);
    if words.len() <= 80 && words.chars().all(safe) {
        return words.to_owned();
    }
    let kept: String = words.chars().filter(|c| safe(*c)).take(60).collect();
    let hash = blake3::hash(whole.as_bytes()).to_hex();
    format!("{kept}-{}", &hash[..10])
}
