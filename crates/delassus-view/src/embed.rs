//! The page, and the page with a run inside
//!
//! `assets/` is built from `viewer/` by `scripts/viewer`; a test compares the hash of the sources with the one they were
//! built from.

use crate::film::{self, Film};
use crate::{Cast, Error};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use delassus_record::{Extent, Header};
use serde_json::{Value, json};

const INDEX: &str = include_str!("../assets/index.html");
/// The program of the page.
pub(crate) const SCRIPT: &str = include_str!("../assets/view.js");
/// How it looks.
pub(crate) const STYLE: &str = include_str!("../assets/view.css");
/// The policy of a page that holds both: their hashes, and nothing from anywhere.
const POLICY: &str = include_str!("../assets/policy.txt");

/// Fields of a frame that pictures and forces against time need.
const DRAWN: [&str; 11] = [
    "bodies/position",
    "bodies/orientation",
    "bodies/velocity",
    "nodes/displacement",
    "nodes/von_mises",
    "nodes/plastic_strain",
    "contacts/bodies",
    "contacts/point",
    "contacts/normal",
    "contacts/force",
    "contacts/status",
];

/// How much of a run goes into a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Most frames.
    pub frames: usize,
    /// Most bytes of frames, before they are written in letters.
    pub bytes: usize,
}

impl Default for Page {
    fn default() -> Self {
        Self { frames: 200, bytes: 24 << 20 }
    }
}

/// Fields of the frame that the page shows first, in the order in which it asks for them.
const FIRST: [&str; 4] = ["bodies/position", "bodies/orientation", "nodes/displacement", "nodes/von_mises"];

/// The page as the server sends it. What it asks for first comes while its program is still being read; of a run with frames,
/// the first of them, too.
pub(crate) fn index(header: Option<&Header>) -> String {
    let soon = |what: &str| format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"run/0/{what}\">");
    let frame = header.map(|header| {
        let fields: Vec<&str> = FIRST.into_iter().filter(|f| header.position(f).is_some()).collect();
        soon(&format!("frame?at=0&amp;fields={}", fields.join(",")))
    });
    INDEX.replace("<!--soon-->", &(soon("meta") + &soon("geometry") + &frame.unwrap_or_default()))
}

/// A page with a run inside, and the number of its frames.
///
/// Frames are left out evenly where there are more than asked for; numbers of pictures are in single precision, series in
/// full.
///
/// # Errors
/// The run has no frame, or cannot be read.
pub fn html(film: &dyn Film, cast: &Cast, page: &Page) -> Result<(String, usize), Error> {
    let (header, times, steps) = (film.header(), film.times(), film.steps());
    if times.is_empty() {
        return Err(Error::Empty(header.title.clone()));
    }
    let fields: Vec<&str> = DRAWN.into_iter().filter(|f| header.position(f).is_some()).collect();
    let last = film::frame(film, times.len() - 1, &fields)?.len();
    let count = times.len().min(page.frames.max(2)).min((page.bytes / last.max(1)).max(2));
    let chosen: Vec<usize> =
        (0..count).map(|i| if count < 2 { 0 } else { i * (times.len() - 1) / (count - 1) }).collect();
    let letters = |bytes: Vec<u8>| STANDARD.encode(bytes);
    let mut frames = Vec::with_capacity(count);
    for frame in &chosen {
        frames.push(letters(film::frame(film, *frame, &fields)?));
    }
    let mut series = serde_json::Map::new();
    let is_told = |name: &str| !name.starts_with("restart/");
    for field in header.fields.iter().filter(|f| f.extent == Extent::Scalar && is_told(&f.name)) {
        let (all, width): (Vec<f64>, usize) = (film::numbers(&film.series(&field.name)?).collect(), field.width);
        let kept = chosen.iter().flat_map(|i| all[width * i..width * (i + 1)].iter().copied());
        series.insert(field.name.clone(), kept.collect());
    }
    let mut meta = film::meta(film);
    meta["times"] = chosen.iter().map(|i| times[*i]).collect::<Value>();
    meta["steps"] = chosen.iter().map(|i| steps[*i]).collect::<Value>();
    meta["whole"] = times.len().into();
    meta["fields"] = header
        .fields
        .iter()
        .filter(|f| fields.contains(&f.name.as_str()) || series.contains_key(&f.name))
        .map(|f| json!(f))
        .collect();
    let geometry = letters(film::geometry(header));
    let run = json!({ "meta": meta, "cast": cast, "geometry": geometry, "frames": frames, "series": series });
    Ok((whole(&header.title, &run), count))
}

/// One file: style, program and run in the page; nothing is fetched.
fn whole(title: &str, run: &Value) -> String {
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", POLICY.trim());
    // The data may not end its element early; the build sees to it that the program does not.
    let data = run.to_string().replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    INDEX
        .replace("<!--policy-->", &policy)
        .replace("<title>Delassus</title>", &format!("<title>{title} · Delassus</title>"))
        .replace("<link rel=\"stylesheet\" href=\"view.css\">", &format!("<style>{STYLE}</style>"))
        .replace("<!--run-->", &format!("<script type=\"application/json\" id=\"run\">{data}</script>"))
        .replace(
            "<script type=\"module\" src=\"view.js\"></script>",
            &format!("<script type=\"module\">{SCRIPT}</script>"),
        )
}
