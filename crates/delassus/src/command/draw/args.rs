//! Arguments of `draw`.

use crate::command::args::{count, finite, positive};
use crate::command::scene_args::SceneArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const DRAW: &str = "\
Examples:
  delassus draw card_house                       the start of a scene, into card_house.svg
  delassus draw arch_standing --until 1 --forces run it silently to 1 s, draw the forces
  delassus draw hopper.h5 -o hopper.png          the last frame of a run
  delassus draw hopper.h5@1.5 --forces network   the frame nearest to t = 1.5 s
  delassus draw hopper.h5 --animate --fps 20     hopper.gif, in the time of the run
  delassus draw hopper.h5 -o hopper.mp4          the same as video (AV1)
  delassus draw box_stack --until 1 --view 60,20 in space, seen from 60 degrees, 20 above
  delassus draw pile.h5 --explore pile_set.h5 --contact 12,31
                                                 what each contact may carry, two enlarged
  delassus draw pile_set.h5 --contact 3          the sets alone, with axes in newtons
  delassus draw pile.h5 --explore pile_set.h5 --network most_stable
  delassus draw flow.h5 --profile 12 --average-from 2
                                                 mean velocities in slices beside the flow
  delassus draw hopper.h5 --colour-by speed --arrows --animate
                                                 bodies in colours by what they do
  delassus draw taylor_bar.h5 --field plastic_strain
                                                 a deformed solid, a field in colours
  delassus draw mu01.h5 mu03.h5 mu05.h5 --labels 0.1,0.3,0.5 -o friction.svg
                                                 variants side by side, with one scale
  delassus draw heap.h5@2 --turntable --section y=0 -o heap.gif
                                                 in space, opened by a plane, seen all around

Forces are lines: 'network' from centre to centre through each contact, the width is the
magnitude; 'lines' along the force, the length is the magnitude. By default discs and
spheres get a network, other shapes lines. Blue contacts stick, vermillion ones slip, with
an open dot. Colours are told apart by everyone and in grey print; the same picture has
the same bytes on every machine.
Exit codes: 0 drawn, 1 the scene could not be run to the time asked for, 2 bad input.";

/// Factor of displacements unless another is given.
const WARP: f64 = 1.0;
/// Frames per second unless another number is given.
const FPS: f64 = 25.0;
/// Speed of animations unless another is given.
const SPEED: f64 = 1.0;

/// Arguments of `draw`.
#[derive(Clone, Debug, Args)]
#[command(after_help = DRAW)]
pub struct DrawArgs {
    /// A scene (file or name of the gallery), a run, or an exploration; with @TIME at that time [s].
    #[arg(value_name = "SCENE|RUN[@TIME]")]
    pub source: String,
    /// More of them: each in a panel of its own, with one scale and one legend.
    #[arg(value_name = "SCENE|RUN[@TIME]", conflicts_with_all = ["explore", "contact", "network", "profile", "animate", "turntable", "follow"])]
    pub others: Vec<String>,
    /// Several panels: their names, instead of those of the files.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "others")]
    pub labels: Vec<String>,
    /// Several panels: how many in a row; chosen by their number if not said.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, requires = "others")]
    pub columns: Option<usize>,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The picture, .svg or .png, or the animation, .gif, .mp4 or .y4m (uncompressed, for other encoders); by default
    /// NAME.svg in this folder.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Frame of a run, counted from 0; the last by default.
    #[arg(long, value_name = "K", conflicts_with = "time")]
    pub frame: Option<usize>,
    /// The frame of a run nearest to this time [s].
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// Run a scene silently to this time [s] before drawing.
    #[arg(long, value_name = "T", value_parser = positive, conflicts_with_all = ["frame", "time"])]
    pub until: Option<f64>,
    /// Draw the contact forces: network or lines; chosen by the shapes if not said.
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "auto")]
    pub forces: Option<ForceChoice>,
    /// Draw the sets of possible reactions that 'delassus explore' wrote to this file.
    #[arg(long, value_name = "FILE")]
    pub explore: Option<PathBuf>,
    /// Enlarge the sets of these contacts, counted from 0 as in the exploration.
    #[arg(long, value_name = "K", value_delimiter = ',')]
    pub contact: Vec<usize>,
    /// Draw this network of forces of the exploration: solution, most_stable, ...
    #[arg(long, value_name = "NAME", requires = "explore", conflicts_with_all = ["contact", "fan"])]
    pub network: Option<String>,
    /// Draw sampled reactions as segments from the contact instead of dots.
    #[arg(long)]
    pub fan: bool,
    /// Mean velocity along x in N slices of the height, beside the flow (plane only); from every
    /// step where the run observed a flow in as many slices, else from the frames.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "12", value_parser = count, allow_negative_numbers = true)]
    pub profile: Option<usize>,
    /// With --profile: average over the frames from this time [s] to the one drawn.
    #[arg(long, value_name = "T", requires = "profile", value_parser = finite, allow_negative_numbers = true)]
    pub average_from: Option<f64>,
    /// Part of the plane to show [m]: left,bottom,right,top.
    #[arg(long, value_name = "X,Y,X,Y", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<[f64; 4]>,
    /// A factor: everything so many times larger; or a part of the plane [m], left,bottom,right,top, shown again,
    /// larger, beside the picture.
    #[arg(long, value_name = "F|X,Y,X,Y", value_parser = zoom, allow_hyphen_values = true)]
    pub zoom: Option<Zoom>,
    /// The point in the middle of the picture [m]: x,y or x,y,z; goes with --zoom.
    #[arg(long, value_name = "X,Y[,Z]", value_parser = place, allow_hyphen_values = true)]
    pub target: Option<Place>,
    /// Keep this body in the middle of the picture, of every frame of an animation.
    #[arg(long, value_name = "BODY", conflicts_with_all = ["target", "window"])]
    pub follow: Option<String>,
    /// The other half too: the image in a plane across an axis, such as x or x=0.1 [m].
    #[arg(long, value_name = "AXIS[=AT]", value_parser = across, allow_hyphen_values = true)]
    pub mirror: Option<(usize, f64)>,
    /// In space: open the scene by a plane across an axis, such as y=0 [m]; what is before it is taken away.
    #[arg(long, value_name = "AXIS=AT", value_parser = across, allow_hyphen_values = true)]
    pub section: Option<(usize, f64)>,
    /// Bodies that one sees through, by their names; 'fixed' for all that do not move by themselves.
    #[arg(long, value_name = "BODY", value_delimiter = ',')]
    pub transparent: Vec<String>,
    /// Colour bodies by speed, size, force (the sum of what their contacts carry), or a recorded field of them, such as
    /// velocity.x; --range sets the ends of the colours.
    #[arg(long, value_name = "WHAT", visible_alias = "color-by")]
    pub colour_by: Option<String>,
    /// Arrows along the velocities of the bodies.
    #[arg(long)]
    pub arrows: bool,
    /// Where the bodies were in the last N frames (animations and runs).
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub trails: Option<usize>,
    /// No signs of joints, springs, loads and supports.
    #[arg(long)]
    pub no_symbols: bool,
    /// Deformable solids: the field in colours: von_mises (by default), displacement, velocity.x, stress.yy,
    /// plastic_strain, ...
    #[arg(long, value_name = "NAME")]
    pub field: Option<String>,
    /// Deformable solids: only those of these names, as where models are superposed.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Deformable solids: factor of the displacements.
    #[arg(long, value_name = "F", default_value_t = WARP, value_parser = factor, allow_negative_numbers = true)]
    pub warp: f64,
    /// Lowest and highest value of the colours.
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub range: Option<[f64; 2]>,
    /// Deformable solids: no edges of cells.
    #[arg(long)]
    pub no_edges: bool,
    /// Size of the page in units of 1/96 inch: width, or WIDTHxHEIGHT.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<(f64, Option<f64>)>,
    /// Pixels per unit of the page in PNG (2 by default) and in animations (1).
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    pub scale: Option<f64>,
    /// In space: angles of the eye around the vertical and above the ground [degrees].
    #[arg(long, value_name = "AROUND,ABOVE", value_parser = view, allow_hyphen_values = true)]
    pub view: Option<[f64; 2]>,
    /// In space: the eye goes around by this angle [degrees], once if not said, about one state in six seconds;
    /// with --animate while the run goes on.
    #[arg(long, value_name = "ANGLE", num_args = 0..=1, default_missing_value = "360", value_parser = finite, allow_negative_numbers = true)]
    pub turntable: Option<f64>,
    /// In space: parallel projection instead of perspective.
    #[arg(long)]
    pub parallel: bool,
    /// Write the names of the bodies.
    #[arg(long)]
    pub names: bool,
    /// Title instead of that of the scene; '' for none.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Draw all frames, as an animated GIF or as the video that the output names: .mp4, or .y4m.
    #[arg(long, conflicts_with_all = ["frame", "time", "profile", "explore"])]
    pub animate: bool,
    /// Frames per second of the animation; at most 50.
    #[arg(long, value_name = "F", default_value_t = FPS, value_parser = positive, allow_negative_numbers = true)]
    pub fps: f64,
    /// Speed of the animation: 1 is the time of the run, 0.1 ten times slower.
    #[arg(long, value_name = "S", default_value_t = SPEED, value_parser = positive, allow_negative_numbers = true)]
    pub speed: f64,
    /// No progress and no messages.
    #[arg(long, short)]
    pub quiet: bool,
}

impl DrawArgs {
    /// What is drawn of a source when nothing else is asked for.
    pub fn of(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            others: vec![],
            labels: vec![],
            columns: None,
            scene: SceneArgs::default(),
            output: None,
            frame: None,
            time: None,
            until: None,
            forces: None,
            explore: None,
            contact: vec![],
            network: None,
            fan: false,
            profile: None,
            average_from: None,
            window: None,
            zoom: None,
            target: None,
            follow: None,
            mirror: None,
            section: None,
            transparent: vec![],
            turntable: None,
            colour_by: None,
            arrows: false,
            trails: None,
            no_symbols: false,
            field: None,
            only: vec![],
            warp: WARP,
            range: None,
            no_edges: false,
            size: None,
            scale: None,
            view: None,
            parallel: false,
            names: false,
            title: None,
            animate: false,
            fps: FPS,
            speed: SPEED,
            quiet: false,
        }
    }
}

/// How forces are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ForceChoice {
    /// By the shapes of the bodies.
    Auto,
    /// From centre to centre, width by magnitude.
    Network,
    /// Along the force, length by magnitude.
    Lines,
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let all: Option<Vec<f64>> =
        text.split(',').map(|t| t.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    all?.try_into().ok()
}

/// Left, bottom, right, top \[m\].
pub fn window(text: &str) -> Result<[f64; 4], String> {
    let found = numbers::<4>(text).filter(|[left, bottom, right, top]| left < right && bottom < top);
    found.ok_or_else(|| "expected left,bottom,right,top in metres such as -1,0,1,2".into())
}

/// What `--zoom` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zoom {
    /// Everything larger.
    Factor(f64),
    /// A part of the plane again, beside the picture.
    Part([f64; 4]),
}

fn zoom(text: &str) -> Result<Zoom, String> {
    let said = "expected a factor such as 3, or left,bottom,right,top in metres such as -1,0,1,2";
    match numbers::<1>(text) {
        Some([f]) if f > 0.0 => Ok(Zoom::Factor(f)),
        _ => window(text).map(Zoom::Part).map_err(|_| said.into()),
    }
}

/// A point of the plane or of space; in the plane the third coordinate is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place(pub [f64; 2], pub Option<f64>);

fn place(text: &str) -> Result<Place, String> {
    let plane = numbers::<2>(text).map(|p| Place(p, None));
    let space = numbers::<3>(text).map(|[x, y, z]| Place([x, y], Some(z)));
    plane.or(space).ok_or_else(|| "expected a point in metres such as 0.1,0.2, in space 0.1,0.2,0.3".into())
}

/// An axis, and where along it.
fn across(text: &str) -> Result<(usize, f64), String> {
    let (axis, at) = text.split_once('=').unwrap_or((text, "0"));
    let axis = ["x", "y", "z"].iter().position(|a| *a == axis.trim());
    let at = at.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    axis.zip(at).ok_or_else(|| "expected an axis and a coordinate in metres such as x=0.1".into())
}

fn factor(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| "expected a number such as 10".into())
}

fn range(text: &str) -> Result<[f64; 2], String> {
    let found = numbers::<2>(text).filter(|[low, high]| low < high);
    found.ok_or_else(|| "expected two rising numbers such as 0,4e8".into())
}

fn view(text: &str) -> Result<[f64; 2], String> {
    let found = numbers::<2>(text).filter(|[_, above]| above.abs() <= 90.0);
    found.ok_or_else(|| "expected two angles in degrees such as 60,20; the second between -90 and 90".into())
}

/// Parses the size of a page.
pub fn size(text: &str) -> Result<(f64, Option<f64>), String> {
    let side = |t: &str| t.parse::<f64>().ok().filter(|x| (200.0..=10_000.0).contains(x));
    let found = match text.split_once('x') {
        None => side(text).map(|w| (w, None)),
        Some((w, h)) => side(w).zip(side(h)).map(|(w, h)| (w, Some(h))),
    };
    found.ok_or_else(|| "expected a width such as 960, or 960x720; sides between 200 and 10000".into())
}
