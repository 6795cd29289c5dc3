//! From names to time series of a run.

use delassus_record::{Column, Error, Extent, Field, Run};
use delassus_scene::diagnostic::nearest;

/// A time series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its full name, with item and component.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// One number for each frame.
    pub values: Vec<f64>,
}

/// The sum of the recorded energies.
pub const ENERGY: &str = "energy/total";
/// The sum of the normal contact forces.
pub const FORCE: &str = "contact/force";

/// `name[item].component` taken apart.
struct Wanted<'a> {
    name: &'a str,
    item: Option<&'a str>,
    component: Option<&'a str>,
}

/// Whether a text may name a component: a number, or up to two axes.
fn is_component(text: &str) -> bool {
    let axes = (1..=2).contains(&text.len()) && text.chars().all(|c| "wxyz".contains(c));
    axes || text.parse::<usize>().is_ok()
}

fn parsed(text: &str) -> Wanted<'_> {
    let (rest, component) = match text.rsplit_once('.') {
        Some((rest, last)) if is_component(last) => (rest, Some(last)),
        _ => (text, None),
    };
    match rest.strip_suffix(']').and_then(|r| r.split_once('[')) {
        Some((name, item)) => Wanted { name, item: Some(item), component },
        None => Wanted { name: rest, item: None, component },
    }
}

/// Energies that add up.
fn energies(run: &Run) -> impl Iterator<Item = &Field> {
    run.header().fields.iter().filter(|f| f.name.starts_with("energy/") && f.width == 1 && f.extent == Extent::Scalar)
}

/// Forces of the contact pairs of deformable solids.
fn pair_forces(run: &Run) -> impl Iterator<Item = &Field> {
    let is_one = |f: &&Field| f.name.starts_with("contact/") && f.name.ends_with("/normal_force");
    run.header().fields.iter().filter(is_one)
}

/// Whether the run has contacts one by one.
fn has_contacts(run: &Run) -> bool {
    ["contacts/force", "contacts/normal"].iter().all(|f| run.header().position(f).is_some())
}

fn has_force(run: &Run) -> bool {
    pair_forces(run).next().is_some() || has_contacts(run)
}

/// What can be plotted: name, unit, meaning.
pub fn list(run: &Run) -> Vec<[String; 3]> {
    let mut all: Vec<[String; 3]> = vec![];
    for f in &run.header().fields {
        let item = match f.extent {
            Extent::Scalar => "",
            Extent::Fixed(_) if !f.name.starts_with("restart/") => "[ITEM]",
            _ => continue,
        };
        let name = |k| format!("{}{item}{}", f.name, f.component(k));
        all.extend((0..f.width.min(9)).map(|k| [name(k), f.unit.clone(), f.about.clone()]));
    }
    if energies(run).count() > 1 {
        all.push([ENERGY.into(), "J".into(), "sum of the energies".into()]);
    }
    if has_force(run) {
        all.push([FORCE.into(), "N".into(), "sum of the normal contact forces".into()]);
    }
    all
}

/// The series that a name means: a field, its last parts, or a group of fields.
pub fn find(run: &Run, text: &str) -> Result<Vec<Series>, String> {
    match text {
        ENERGY => return total_energy(run).map(|s| vec![s]),
        FORCE if has_force(run) => return contact_force(run).map(|s| vec![s]),
        _ => {}
    }
    let wanted = parsed(text);
    let fields = &run.header().fields;
    if let Some(field) = fields.iter().find(|f| f.name == wanted.name) {
        return of_field(run, field, &wanted);
    }
    let plain = |f: &&Field| f.extent == Extent::Scalar && wanted.item.is_none();
    let inside = format!("/{}/", wanted.name);
    let tail = format!("/{}", wanted.name);
    let mut found: Vec<&Field> = fields.iter().filter(plain).filter(|f| f.name.ends_with(&tail)).collect();
    if found.is_empty() {
        found = fields.iter().filter(plain).filter(|f| format!("/{}", f.name).contains(&inside)).collect();
    }
    if found.is_empty() && wanted.item.is_some() {
        let with = fields.iter().filter(|f| matches!(f.extent, Extent::Fixed(_)) && f.name.ends_with(&tail));
        found = with.collect();
    }
    if found.is_empty() {
        return Err(unknown(run, text));
    }
    let mut all = vec![];
    for field in found {
        // A group may have fields without the component asked for.
        if wanted.component.is_none_or(|k| field.component_named(k).is_some()) {
            all.extend(of_field(run, field, &wanted)?);
        }
    }
    match all.is_empty() {
        true => Err(format!("'{text}': no field of that name has such a component in {}", run.path().display())),
        false => Ok(all),
    }
}

/// Sum of the energies.
pub fn total_energy(run: &Run) -> Result<Series, String> {
    let mut values = vec![0.0; run.frames()];
    let mut any = false;
    for field in energies(run) {
        any = true;
        let column = run.series(&field.name).map_err(|e| e.to_string())?.to_f64();
        values.iter_mut().zip(column).for_each(|(sum, x)| *sum += x);
    }
    match any {
        true => Ok(Series { name: ENERGY.into(), unit: "J".into(), values }),
        false => Err(format!("{} records no energy", run.path().display())),
    }
}

/// Sum of the normal contact forces.
pub fn contact_force(run: &Run) -> Result<Series, String> {
    let say = |e: Error| e.to_string();
    let mut values = vec![0.0; run.frames()];
    let mut any = false;
    for field in pair_forces(run) {
        any = true;
        let column = run.series(&field.name).map_err(say)?.to_f64();
        values.iter_mut().zip(column).for_each(|(sum, x)| *sum += x);
    }
    if !any && has_contacts(run) {
        any = true;
        for (k, sum) in values.iter_mut().enumerate() {
            let force = run.read(k, "contacts/force").map_err(say)?.to_f64();
            let normal = run.read(k, "contacts/normal").map_err(say)?.to_f64();
            *sum = force.iter().zip(&normal).map(|(f, n)| f * n).sum();
        }
    }
    match any {
        true => Ok(Series { name: FORCE.into(), unit: "N".into(), values }),
        false => Err(format!("{} records no contact force", run.path().display())),
    }
}

fn of_field(run: &Run, field: &Field, wanted: &Wanted) -> Result<Vec<Series>, String> {
    let name = &field.name;
    let (item, shown) = match (&field.extent, wanted.item) {
        (Extent::Scalar, None) => (0, String::new()),
        (Extent::Scalar, Some(_)) => return Err(format!("'{name}' has one item in a frame: leave out the brackets")),
        (Extent::Ragged(group), _) => {
            return Err(format!("'{name}' has another number of {group} in every frame: it is no time series"));
        }
        (Extent::Fixed(n), None) => {
            return Err(format!("'{name}' has {n} items: say which, as '{name}[0]' or '{name}[NAME]'"));
        }
        (Extent::Fixed(n), Some(text)) => {
            let named = run.header().item_names(name).iter().position(|n| *n == text);
            let item = named.or_else(|| text.parse().ok()).filter(|i| i < n);
            let item = item.ok_or_else(|| match nearest_item(run, name, text) {
                Some(near) => format!("'{name}' has no item '{text}'; did you mean '{near}'?"),
                None => format!("'{name}' has no item '{text}': give a name of the scene or an index below {n}"),
            })?;
            (item, format!("[{text}]"))
        }
    };
    let component =
        wanted.component.map(|k| field.component_named(k).ok_or(k)).transpose().map_err(|k| match field.width {
            1 => format!("'{name}' is one number: leave out '.{k}'"),
            n => {
                let all = (0..n).map(|k| field.component(k)).collect::<Vec<_>>().join(", ");
                format!("'{name}' has no component '.{k}'; there are {all}")
            }
        })?;
    let column: Column = run.item_series(name, item).map_err(|e| e.to_string())?;
    let numbers = column.to_f64();
    let components = component.map_or(0..field.width, |k| k..k + 1);
    Ok(components
        .map(|k| Series {
            name: format!("{name}{shown}{}", field.component(k)),
            unit: field.unit.clone(),
            values: numbers.iter().skip(k).step_by(field.width).copied().collect(),
        })
        .collect())
}

fn nearest_item<'a>(run: &'a Run, field: &str, text: &str) -> Option<&'a str> {
    nearest(text, &run.header().item_names(field))
}

/// A name nobody has, the nearest that somebody has.
fn unknown(run: &Run, text: &str) -> String {
    let mut names: Vec<String> = list(run).into_iter().map(|[name, ..]| name).collect();
    for i in 0..names.len() {
        let parts: Vec<String> = names[i].split('/').map(str::to_owned).collect();
        names.extend((1..parts.len()).map(|k| parts[..k].join("/")));
        names.extend((1..parts.len()).map(|k| parts[k..].join("/")));
    }
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = match nearest(text, &words) {
        Some(near) => format!("did you mean '{near}'? "),
        None => String::new(),
    };
    let file = run.path().display();
    format!("'{text}' is not recorded in {file}; {hint}'delassus plot {file} --list' lists what is")
}
