//! Deformed solids under a field in colours.

use super::args::{DrawArgs, Zoom};
use super::frame;
use super::source::Stage;
use super::{head, rounded};
use delassus_contact::{Shape2, Vector};
use delassus_draw::mesh::{Figure, Obstacle};
use delassus_draw::space::Eye;
use delassus_draw::{Quantity, Rect};
use delassus_fem::Model;
use delassus_fem::model::{Against, ContactPair};
use delassus_record::{BodyGeometry, Extent, Field, Frame, Header};
use delassus_scene::diagnostic::nearest;
use delassus_scene::{Built, SolidSetup};
use std::collections::HashMap;

/// What does not change from frame to frame of an animation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed {
    /// What is seen of the plane.
    pub window: Option<Rect>,
    /// Ends of the colours.
    pub range: Option<[f64; 2]>,
}

/// The solids of a scene that is drawn by their field: without bodies always, with them where a field is
/// asked for.
pub fn drawn<'a>(built: &'a Built, args: &DrawArgs) -> Option<&'a SolidSetup> {
    built.solids().filter(|_| built.is_of_solids() || args.field.is_some())
}

/// The figure of a frame.
pub fn figure(setup: &SolidSetup, stage: &Stage, k: usize, fixed: Fixed, args: &DrawArgs) -> Result<Figure, String> {
    refuse(args)?;
    let (header, frame) = (&stage.header, stage.frame(k)?);
    let dim = header.dimension;
    let (values, quantity) = nodal_field(header, &frame, args.field.as_deref().unwrap_or("von_mises"))?;
    let displacement = column(header, &frame, "nodes/displacement")?;
    let mut head = head(args, &header.title);
    // Shapes of bodies come first.
    let solids = setup.model.parts.len() + setup.model.beams.len();
    let meshes = &header.geometry[header.geometry.len().saturating_sub(solids)..];
    let plural = if solids == 1 { "solid" } else { "solids" };
    head.subtitle = format!("t = {} s  ·  {solids} {plural}", short(frame.time));
    if args.warp != 1.0 {
        head.subtitle.push_str(&format!("  ·  displacements × {}", args.warp));
    }
    let mut figure = Figure::new(head, quantity);
    let shown = Shown::new(&setup.model, &args.only)?;
    let (mut values, mut covered) = (values, vec![]);
    for (k, part) in meshes.iter().enumerate() {
        let first = figure.points.len() as u32;
        for (i, x) in part.points().enumerate() {
            let at = dim * (first as usize + i);
            let u = |j: usize| if j < dim { displacement.get(at + j).copied().unwrap_or(0.0) } else { 0.0 };
            figure.points.push(std::array::from_fn(|j| x[j] + args.warp * u(j)));
        }
        let numbered = |faces: Vec<Vec<u32>>| faces.into_iter().map(|f| f.into_iter().map(|n| first + n).collect());
        if !shown.names[k] {
            let nodes = first as usize..figure.points.len().min(values.len());
            values[nodes].fill(f64::NAN);
            continue;
        }
        let whole = |cells: &[Vec<u32>]| if dim == 2 { outlines(cells) } else { boundary(cells) };
        if !shown.lower[k] {
            figure.faces.extend(numbered(whole(part.polygons())));
            continue;
        }
        // Of a model that lies under another the cells are outlined, in space where the other is.
        let [under, alone] = Shown::parted(&setup.model, k, part.polygons());
        figure.outlined.extend(numbered(whole(&under)));
        covered.extend(numbered(whole(if dim == 2 { part.polygons() } else { &alone })));
    }
    figure.faces.extend(covered);
    if !args.no_symbols {
        let place = |n: usize| figure.points.get(n).copied().unwrap_or_default();
        figure.symbols = super::symbols::of_solids(&setup.model, frame.time, &place);
    }
    figure.values = values;
    figure.edges = !args.no_edges;
    figure.range = args.range.or(fixed.range);
    figure.pixels = args.scale.unwrap_or(2.0).max(1.0);
    match dim {
        2 => {
            let rect = |[x, y, right, top]: [f64; 4]| Rect { min: [x, y], max: [right, top] };
            frame::only_in_space(args)?;
            let target = args.target.map(frame::at::<2>).transpose()?;
            let asked = args.window.map(rect).or(fixed.window);
            figure.obstacles = setup.model.contacts.iter().filter_map(|c| obstacle(c, frame.time)).collect();
            let shapes = &header.geometry[..header.geometry.len() - meshes.len()];
            figure.obstacles.extend(bodies(header, &frame, shapes)?);
            figure = mirrored(figure, args)?;
            let all = asked.unwrap_or_else(|| figure.bounds());
            figure.window = Some(frame::window(all, target, args));
        }
        _ => {
            let usual = Eye::default();
            let [around, above] = args.view.unwrap_or([usual.around, usual.above]);
            figure.eye = Some(Eye { around, above, parallel: args.parallel, ..usual });
            figure.lens = frame::lens(args.target.map(frame::at::<3>).transpose()?, args);
            if let Some(section) = args.section {
                figure.open(section, &cells(meshes));
            }
            figure = mirrored(figure, args)?;
        }
    }
    Ok(figure)
}

/// With its other half, where that is asked for.
fn mirrored(figure: Figure, args: &DrawArgs) -> Result<Figure, String> {
    match args.mirror {
        Some((2, _)) if figure.eye.is_none() => Err("--mirror: the plane has the axes x and y".into()),
        Some((axis, at)) => Ok(figure.mirrored(axis, at)),
        None => Ok(figure),
    }
}

/// The cells of all solids, numbered through.
fn cells(meshes: &[BodyGeometry]) -> Vec<Vec<u32>> {
    let (mut first, mut all) = (0, vec![]);
    for part in meshes {
        all.extend(part.polygons().iter().map(|c| c.iter().map(|n| first + n).collect::<Vec<u32>>()));
        first += part.points().count() as u32;
    }
    all
}

/// Which solids are drawn, and which of them lie under a finer one.
struct Shown {
    names: Vec<bool>,
    lower: Vec<bool>,
}

impl Shown {
    fn new(model: &Model, only: &[String]) -> Result<Self, String> {
        let all: Vec<&str> =
            model.parts.iter().map(|p| p.name.as_str()).chain(model.beams.iter().map(|b| b.name.as_str())).collect();
        if let Some(missing) = only.iter().find(|n| !all.contains(&n.as_str())) {
            let hint = nearest(missing, &all).map(|n| format!("; did you mean '{n}'?")).unwrap_or_default();
            return Err(format!("--only {missing}: no such solid{hint} There are: {}", all.join(", ")));
        }
        let drawn = |name: &str| only.is_empty() || only.iter().any(|n| n == name);
        let names: Vec<bool> = all.iter().map(|n| drawn(n)).collect();
        let mut lower = vec![false; all.len()];
        for tie in &model.ties {
            // Parts that share with each other, the coarser ones below.
            let mut tied = vec![false; model.parts.len()];
            for (dof, _) in tie.rows.iter().flat_map(|r| &r.terms) {
                let node = *dof as usize / model.dim;
                let owner = model.parts.iter().position(|p| (p.first..p.first + p.mesh.points.len()).contains(&node));
                owner.iter().for_each(|p| tied[*p] = names[*p] && model.parts[*p].solid.factors().is_some());
            }
            let size = |p: usize| model.parts[p].mesh.measure() / model.parts[p].solid.cells().max(1) as f64;
            let tied: Vec<usize> = (0..tied.len()).filter(|p| tied[*p]).collect();
            let finest = tied.iter().copied().min_by(|a, b| size(*a).total_cmp(&size(*b)));
            tied.iter().filter(|p| Some(**p) != finest).for_each(|p| lower[*p] = true);
        }
        Ok(Self { names, lower })
    }

    /// Cells that share with another model, and the others; in the plane all of them are outlined.
    fn parted(model: &Model, part: usize, cells: &[Vec<u32>]) -> [Vec<Vec<u32>>; 2] {
        if model.dim == 2 {
            return [cells.to_vec(), vec![]];
        }
        let factors = model.parts[part].solid.factors();
        let shares = |cell: usize| factors.is_some_and(|f| f.strain[cell].iter().any(|x| *x < 1.0 - 1e-9));
        let (mut under, mut alone) = (vec![], vec![]);
        for (cell, nodes) in cells.iter().enumerate() {
            if shares(cell) { under.push(nodes.clone()) } else { alone.push(nodes.clone()) }
        }
        [under, alone]
    }
}

/// Times of impacts are short: as many digits as they need.
fn short(time: f64) -> String {
    if time != 0.0 && time.abs() < 1e-3 { format!("{time:.4e}") } else { rounded(time) }
}

/// What is for rigid bodies only.
fn refuse(args: &DrawArgs) -> Result<(), String> {
    let given = [
        ("--forces", args.forces.is_some()),
        ("--explore", args.explore.is_some()),
        ("--profile", args.profile.is_some()),
        ("--zoom of a part", matches!(args.zoom, Some(Zoom::Part(_)))),
        ("--names", args.names),
        ("--follow", args.follow.is_some()),
        ("--transparent", !args.transparent.is_empty()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            Err(format!("{option} is for rigid bodies; deformable solids have --field, --warp, --range"))
        }
        None => Ok(()),
    }
}

fn column(header: &Header, frame: &Frame, name: &str) -> Result<Vec<f64>, String> {
    let found = header.position(name).and_then(|i| frame.columns.get(i));
    found.map(|c| c.to_f64()).ok_or_else(|| format!("the run has no field '{name}': it cannot be drawn"))
}

/// The nodal field asked for: a component, or the magnitude of a vector.
pub fn nodal_field(header: &Header, frame: &Frame, asked: &str) -> Result<(Vec<f64>, Quantity), String> {
    let (name, component) = match asked.rsplit_once('.') {
        Some((name, c)) => (name, Some(c)),
        None => (asked, None),
    };
    let nodal =
        || header.fields.iter().filter(|f| f.name.starts_with("nodes/") && matches!(f.extent, Extent::Fixed(_)));
    let short = |f: &Field| f.name["nodes/".len()..].to_owned();
    let Some(field) = nodal().find(|f| short(f) == name || f.name == name) else {
        let names: Vec<String> = nodal().map(short).collect();
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = nearest(name, &words).map(|n| format!("; did you mean '{n}'?")).unwrap_or_default();
        return Err(format!("'{asked}': no such field at the nodes{hint} There are: {}", words.join(", ")));
    };
    let all = column(header, frame, &field.name)?;
    let words = short(field).replace('_', " ").replace("von mises", "von Mises stress");
    let labels: &[&str] = if field.width == 6 { &["xx", "yy", "zz", "xy", "yz", "zx"] } else { &["x", "y", "z"] };
    let labels = &labels[..field.width.min(labels.len())];
    let items = all.chunks_exact(field.width);
    match (component, field.width) {
        (None, 1) => Ok((all, Quantity::new(words, &field.unit))),
        (None, 2 | 3) => {
            let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            Ok((items.map(norm).collect(), Quantity::new(words, &field.unit)))
        }
        (Some(c), width) if width > 1 && labels.contains(&c) => {
            let k = labels.iter().position(|l| *l == c).unwrap_or(0);
            Ok((items.map(|v| v[k]).collect(), Quantity::new(format!("{words} {c}"), &field.unit)))
        }
        (_, 1) => Err(format!("'{asked}': {name} has no components")),
        _ => Err(format!("'{asked}': say which component, one of {name}.{}", labels.join(&format!(", {name}.")))),
    }
}

/// Nodes around a cell of the plane; middle nodes follow the corners in the file.
pub(super) fn outlines(cells: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let around = |cell: &Vec<u32>| match cell.len() {
        6 => [0, 3, 1, 4, 2, 5].map(|i| cell[i]).to_vec(),
        8 => [0, 4, 1, 5, 2, 6, 3, 7].map(|i| cell[i]).to_vec(),
        _ => cell.clone(),
    };
    cells.iter().map(around).collect()
}

/// Faces of cells in space that have no neighbour, by their corners.
pub(super) fn boundary(cells: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const TET: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]];
    const HEX: [&[usize]; 6] =
        [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
    let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut faces: Vec<Vec<u32>> = vec![];
    for cell in cells {
        // A beam is its own outline.
        if cell.len() == 2 {
            faces.push(cell.clone());
            seen.insert(cell.clone(), 1);
            continue;
        }
        let local: &[&[usize]] = if cell.len() == 8 { &HEX } else { &TET };
        for face in local {
            let nodes: Vec<u32> = face.iter().filter_map(|i| cell.get(*i).copied()).collect();
            let mut key = nodes.clone();
            key.sort_unstable();
            *seen.entry(key).or_default() += 1;
            faces.push(nodes);
        }
    }
    faces.retain(|face| {
        let mut key = face.clone();
        key.sort_unstable();
        seen.get(&key) == Some(&1)
    });
    faces
}

/// An obstacle of the plane where it is.
fn obstacle(pair: &ContactPair, time: f64) -> Option<Obstacle> {
    let Against::Plane(made) = &pair.against else { return None };
    let mut pose = made.motion().pose;
    for (k, f) in pair.motion.iter().take(2).enumerate() {
        pose.position[k] += f.at(time);
    }
    let pose = pose.then(made.offset());
    let at = |x: f64, y: f64| pose.point(&Vector::<2>::new(x, y)).into();
    Some(match made.shape() {
        Shape2::HalfPlane { normal } => {
            Obstacle::HalfPlane { point: at(0.0, 0.0), normal: (pose.rotation * normal).into() }
        }
        Shape2::Disc { radius } => Obstacle::Disc { centre: at(0.0, 0.0), radius: *radius },
        Shape2::Box { half: h } => Obstacle::Polygon(vec![at(-h.x, -h.y), at(h.x, -h.y), at(h.x, h.y), at(-h.x, h.y)]),
        Shape2::Capsule { half_length: l, radius } => {
            Obstacle::Capsule { ends: [at(-l, 0.0), at(*l, 0.0)], radius: *radius }
        }
        _ => return None,
    })
}

/// Places of nodes, and polygons of them.
pub(super) type Outline = (Vec<[f64; 3]>, Vec<Vec<u32>>);

/// Names of the solids, places of their nodes, and cells.
pub(super) fn outlines_of(setup: Option<&SolidSetup>, displacement: &[f64]) -> Vec<(String, Outline)> {
    let Some(model) = setup.map(|s| &s.model) else { return vec![] };
    let dim = model.dim;
    let solid = |part: &delassus_fem::model::Part| {
        let u = |i: usize, k: usize| displacement.get(dim * (part.first + i) + k).copied().unwrap_or(0.0);
        let place = |(i, x): (usize, &[f64; 3])| std::array::from_fn(|k| x[k] + if k < dim { u(i, k) } else { 0.0 });
        let points = part.mesh.points.iter().enumerate().map(place).collect();
        let cells = (0..part.solid.cells()).map(|c| part.solid.connectivity(c).to_vec()).collect::<Vec<_>>();
        let cells = if dim == 2 { outlines(&cells) } else { boundary(&cells) };
        (part.name.clone(), (points, cells))
    };
    let places = model.positions();
    let beam = |beam: &delassus_fem::model::Beam| {
        let at = |n: usize, k: usize| places[dim * n + k] + displacement.get(dim * n + k).copied().unwrap_or(0.0);
        let place = |n: usize| std::array::from_fn(|k| if k < dim { at(n, k) } else { 0.0 });
        let points = (beam.first..beam.first + beam.count).map(place).collect();
        (beam.name.clone(), (points, (1..beam.count as u32).map(|n| vec![n - 1, n]).collect()))
    };
    model.parts.iter().map(solid).chain(model.beams.iter().map(beam)).collect()
}

/// Rigid bodies of the plane around the solids.
fn bodies(header: &Header, frame: &Frame, shapes: &[BodyGeometry]) -> Result<Vec<Obstacle>, String> {
    let (position, angle) = (column(header, frame, "bodies/position")?, column(header, frame, "bodies/orientation")?);
    let placed = |shape: &BodyGeometry| {
        let b = shape.body as usize;
        let (sin, cos) = angle[b].sin_cos();
        let at = |n: &u32| {
            let [x, y, _] = shape.point(*n as usize);
            [position[2 * b] + cos * x - sin * y, position[2 * b + 1] + sin * x + cos * y]
        };
        shape.polygons().iter().map(|p| Obstacle::Polygon(p.iter().map(at).collect())).collect::<Vec<_>>()
    };
    Ok(shapes.iter().flat_map(placed).collect())
}

/// Mean of some places.
pub(super) fn middle(points: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cubes side by side share a face: ten are left.
    #[test]
    fn inner_faces_are_left_out() {
        let cells = [vec![0, 1, 2, 3, 4, 5, 6, 7], vec![1, 8, 9, 2, 5, 10, 11, 6]];
        assert_eq!(boundary(&cells).len(), 10);
        assert_eq!(boundary(&[vec![0, 1, 2, 3]]).len(), 4);
    }
    /// Of two models that share, the one with larger cells lies below, and is the one that is outlined; solids that are
    /// not asked for are not drawn.
    #[test]
    fn the_coarser_of_two_glued_models_lies_below() {
        use delassus_fem::material::{Kinematics, Material};
        use delassus_fem::mesh::CellKind;
        use delassus_fem::mesh::generate::Rectangle;
        use delassus_fem::model::{PartSpec, Tie, TieRow};
        use delassus_fem::solid::{Factors, Hypothesis, SolidSpec};
        let mut model = Model::new(2);
        for (name, cells) in [("fine", 8), ("coarse", 2), ("other", 1)] {
            let mesh = Rectangle::new([0.0; 2], [1.0; 2], [cells; 2], CellKind::Quad4).mesh().expect("mesh");
            let law = Material::Elastic { young: 1.0, poisson: 0.3 };
            let solid = SolidSpec::new(law, 1.0, Kinematics::Small, Hypothesis::PlaneStrain { thickness: 1.0 });
            let spec = PartSpec { name: name.into(), mesh: mesh.into(), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] };
            model.add(spec).expect("part");
        }
        for part in &mut model.parts[..2] {
            let lists = |k: usize| (0..part.solid.cells()).map(|c| vec![0.5; part.solid.points_of(c)[k]]).collect();
            let factors = Factors { inertia: lists(0), strain: lists(1), load: lists(0) };
            part.solid.weigh(&factors).expect("weights");
        }
        let terms = vec![(0, 1.0), (2 * model.parts[1].first as u32, -1.0)];
        model.ties.push(Tie { rows: vec![TieRow { terms, place: None }], ..Tie::default() });
        let shown = Shown::new(&model, &[]).expect("all");
        assert_eq!((shown.names, shown.lower), (vec![true; 3], vec![false, true, false]));
        let shown = Shown::new(&model, &["coarse".into()]).expect("one");
        assert_eq!((shown.names, shown.lower), (vec![false, true, false], vec![false; 3]));
        assert!(Shown::new(&model, &["coars".into()]).is_err_and(|e| e.contains("did you mean 'coarse'?")));
    }
}
