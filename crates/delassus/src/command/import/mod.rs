//! `import`: a robot described for other programs as a scene.

mod frame;
mod meshes;
mod mjcf;
mod robot;
mod scene;
mod urdf;
mod xml;

use super::output::{Output, complain, warn};
use super::{Verdict, guarded, names, scene as scenes};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const IMPORT: &str = "\
Examples:
  delassus import arm.urdf                    arm.toml, a scene to start from
  delassus import arm.urdf -o cell.toml --base 0,0,0.4
  delassus import arm.urdf --gains 400,40
                                       motors pull towards 'drive' with a stiffness and a damping
  delassus import arm.xml                     of MuJoCo (MJCF): bodies, joints, geoms, actuators
  delassus import arm.urdf --pieces 16
                                            meshes that are not convex are cut into convex pieces

Links become bodies, joints become joints with their limits, friction and a motor that holds the
position of the start with the effort of the joint; 'drive' of a joint is an expression of t.
Collision shapes are boxes, cylinders, spheres and meshes (STL, OBJ, PLY): their convex hulls,
or with --pieces the hulls of their pieces, which the scene then holds. Links that are joined do
not touch each other. What a scene has no word for is told.";

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = IMPORT)]
pub struct ImportArgs {
    /// The robot, .urdf, or .xml of MuJoCo.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The scene to write; by default the name of the robot with .toml, in this folder. '-' for standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where the origin of the base is [m].
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true, default_value = "0,0,0")]
    pub base: [f64; 3],
    /// Stiffness [N m/rad, N/m] and damping [N m s/rad, N s/m] of motors that have none: they pull towards 'drive'
    /// instead of imposing it.
    #[arg(long, value_name = "P,D", value_parser = gains)]
    pub gains: Option<[f64; 2]>,
    /// The base moves freely instead of being fixed.
    #[arg(long)]
    pub free: bool,
    /// Cut meshes that are not convex into at most so many convex pieces, instead of taking their hulls.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64), default_value = "1")]
    pub pieces: u8,
    /// Share of the hull of a mesh by which the pieces may be larger than it.
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.01")]
    pub concavity: f64,
}

fn place(text: &str) -> Result<[f64; 3], String> {
    let all: Option<Vec<f64>> =
        text.split(',').map(|t| t.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    all.and_then(|v| v.try_into().ok()).ok_or_else(|| "expected three numbers such as 0,0,0.4".into())
}

fn gains(text: &str) -> Result<[f64; 2], String> {
    let all: Option<Vec<f64>> =
        text.split(',').map(|t| t.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0)).collect();
    let pair: Option<[f64; 2]> = all.and_then(|v| v.try_into().ok());
    pair.filter(|g| *g != [0.0; 2]).ok_or_else(|| "expected two numbers, not negative, such as 400,40".into())
}

fn share(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.trim().parse().ok().filter(|x| (1e-4..=0.5).contains(x));
    value.ok_or_else(|| "expected a number from 0.0001 to 0.5".into())
}

/// Imports.
pub fn run(args: &ImportArgs) -> ExitCode {
    match guarded(|| imported(args)).unwrap_or_else(Err) {
        Ok(verdict) => verdict.into(),
        Err(message) => {
            complain(&message);
            Verdict::BadInput.into()
        }
    }
}

fn imported(args: &ImportArgs) -> Result<Verdict, String> {
    let name = args.file.display();
    let end = args.file.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let read = match end.as_str() {
        "urdf" => urdf::read,
        "xml" | "mjcf" => mjcf::read,
        "usd" | "usda" | "usdc" | "usdz" => {
            return Err(format!("{name}: USD is not read; save the robot as URDF or MJCF, as MuJoCo and Isaac Sim do"));
        }
        _ => return Err(format!("{name}: robots are read from .urdf files and from .xml files of MuJoCo")),
    };
    let text = std::fs::read_to_string(&args.file).map_err(|e| format!("{name}: {e}"))?;
    let mut told = vec![];
    let mut robot = read(&text, &mut told).map_err(|e| format!("{name}{e}"))?;
    for joint in robot.joints.iter_mut().filter(|j| j.effort.is_some() && j.gains.is_none()) {
        joint.gains = args.gains;
    }
    let output = args.output.clone().unwrap_or_else(|| names::ending(names::stem(&stem(&args.file)), "toml"));
    meshes::place(&mut robot, &args.file, &output, &mut told);
    let mut cut = 0;
    if args.pieces > 1 {
        cut = meshes::cut(&mut robot, args, &output).map_err(|e| format!("{name}: {e}"))?;
    }
    let written = scene::write(&robot, args, &mut told).map_err(|e| format!("{name}: {e}"))?;
    told.iter().for_each(|t| warn(&format!("{name}: {t}")));
    names::spare(&output, [&args.file])?;
    if output != Path::new("-") && output.exists() && args.output.is_none() {
        return Err(format!("{} already exists: name another with --output", output.display()));
    }
    // What is written can be run.
    if let Err(diagnostics) = delassus_scene::Scene::parse(&written, &output.display().to_string(), &[]) {
        return Err(format!("{name} makes no valid scene:\n{diagnostics}"));
    }
    let verdict = scenes::write(&output, &written);
    if verdict == Verdict::Solved && output != Path::new("-") {
        let (links, joints, file) = (robot.links.len(), robot.joints.len(), output.display());
        let pieces = if cut > 0 { format!(", {cut} convex pieces of meshes") } else { String::new() };
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (links, joints) = (many(links, "link"), many(joints, "joint"));
        Output::default().line(&format!("{file}: {links}, {joints}{pieces}; next: delassus check {file}"));
    }
    Ok(verdict)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}
