//! Several scenes or runs side by side: one scale, one range of colours, one legend.

use super::animate::{self, Fixed};
use super::source::{self, Source, Stage};
use super::{DrawArgs, Format, Verdict, complain, head, save};
use delassus_draw::{Picture, grid};
use std::path::Path;

/// Width of a panel on the page where the page is as wide as usual.
const PANEL: f64 = 320.0;

/// Draws them, and says so.
pub fn draw(args: &DrawArgs, path: &Path, format: Format) -> Result<(String, Verdict), Verdict> {
    let refuse = |message: String| {
        complain(&message);
        Verdict::BadInput
    };
    if format.moves() {
        return Err(refuse(format!("{}: panels stand still, in .svg or .png", path.display())));
    }
    let sources: Vec<&String> = std::iter::once(&args.source).chain(&args.others).collect();
    if !args.labels.is_empty() && args.labels.len() != sources.len() {
        return Err(refuse(format!("--labels has {} names for {} panels", args.labels.len(), sources.len())));
    }
    let columns = args.columns.unwrap_or_else(|| usual(sources.len())).min(sources.len());
    let width = args.size.map_or(PANEL * columns as f64, |s| s.0);
    let mut verdict = Verdict::Solved;
    let mut panels = vec![];
    for (i, source) in sources.iter().enumerate() {
        let name = args.labels.get(i).cloned().unwrap_or_else(|| source::stem(source));
        let own = DrawArgs {
            source: (*source).clone(),
            others: vec![],
            title: Some(name),
            size: Some((width / columns as f64, None)),
            ..args.clone()
        };
        let stage = match source::open(&own)? {
            Source::Scene(stage) => stage,
            Source::Exploration(file) => {
                return Err(refuse(format!("{} has no bodies: panels are of scenes and runs", file.display())));
            }
        };
        if stage.flagged > 0 {
            verdict = Verdict::NotSolved;
        }
        let frame = stage.choose(&own).map_err(refuse)?;
        panels.push((stage, frame, own));
    }
    // One run at several times: the times are their names.
    if args.labels.is_empty() && sources.iter().all(|s| source::stem(s) == source::stem(sources[0])) {
        panels.iter_mut().for_each(|p| p.2.title = Some(String::new()));
    }
    let picture = together(&panels, columns, (args, width)).map_err(refuse)?;
    let told = save(&picture, path, format, args).map_err(refuse)?;
    Ok((format!("{told}; {} panels", panels.len()), verdict))
}

/// Panels in a row.
fn usual(count: usize) -> usize {
    match count {
        0..=3 => count,
        4 => 2,
        5..=9 => 3,
        10..=16 => 4,
        _ => 5,
    }
}

type Panel = (Box<Stage>, usize, DrawArgs);

fn together(panels: &[Panel], columns: usize, (args, width): (&DrawArgs, f64)) -> Result<Picture, String> {
    let plane = |p: &Panel| p.0.header.dimension == 2;
    if panels.iter().any(|p| plane(p) != plane(&panels[0])) {
        return Err("panels are all of the plane or all of space: one scale serves them".into());
    }
    let mut fixed: Option<Fixed> = None;
    for (stage, frame, own) in panels {
        let here = animate::survey(stage, &[*frame], own)?;
        fixed = Some(match fixed {
            Some(before) => before.joined(here),
            None => here,
        });
    }
    let Some(mut fixed) = fixed else { return Err("nothing to draw".into()) };
    // Vessels hide or not, panel by panel.
    fixed.sights = None;
    let mut pages = vec![];
    for (stage, frame, own) in panels {
        let page = animate::page(stage, (*frame, 0.0), &fixed, own)?;
        fixed.height = Some(page.height);
        pages.push(page);
    }
    let mut head = head(args, &panels[0].0.header.title);
    (head.width, head.height) = (width, None);
    let same = panels.iter().all(|p| p.0.header.title == panels[0].0.header.title);
    if !same && args.title.is_none() {
        head.title = String::new();
    }
    Ok(grid(&head, pages, columns))
}
