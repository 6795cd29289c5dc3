//! The figure of a sweep: means along one key, bars from the least to the largest of the repetitions.

use super::args::SweepArgs;
use super::member::Outcome;
use super::plan::Plan;
use super::table::unit;
use delassus_draw::{Chart, Curve, Head, Panel, Picture, Point, Quantity, Stroke, line_style};

/// Which axis is what.
struct Roles {
    along: usize,
    /// Positions of the values along the abscissa.
    x: Vec<f64>,
    spread: Option<usize>,
}

fn roles(plan: &Plan, args: &SweepArgs) -> Roles {
    let find = |key: &str| plan.axes.iter().position(|a| a.key == key);
    let asked = args.spread.as_deref().and_then(find);
    let along = args.along.as_deref().and_then(find).unwrap_or_else(|| {
        let is_seed = |i: &usize| Some(*i) == asked || plan.axes[*i].key.rsplit('.').next() == Some("seed");
        let several = |i: &usize| plan.axes[*i].values.len() > 1;
        let all = || (0..plan.axes.len()).filter(|i| !is_seed(i) && several(i));
        all().find(|i| plan.axes[*i].numbers().is_some()).or_else(|| all().next()).unwrap_or(0)
    });
    let seeds = (0..plan.axes.len()).find(|i| plan.axes[*i].key.rsplit('.').next() == Some("seed"));
    let spread = asked.or(seeds).filter(|i| *i != along);
    let count = plan.axes[along].values.len();
    let x = plan.axes[along].numbers().unwrap_or_else(|| (1..=count).map(|i| i as f64).collect());
    Roles { along, x, spread }
}

/// One panel for each measure; none where nothing was measured.
pub fn picture(plan: &Plan, outcomes: &[Outcome], args: &SweepArgs) -> Option<Result<Picture, delassus_draw::Error>> {
    let roles = roles(plan, args);
    let axis = &plan.axes[roles.along];
    let name = match axis.numbers() {
        Some(_) => axis.key.clone(),
        None => {
            let named = axis.values.iter().enumerate().map(|(i, v)| format!("{} = {v}", i + 1));
            format!("{}: {}", axis.key, named.collect::<Vec<_>>().join(", "))
        }
    };
    let panels: Vec<Panel> = (0..plan.measures.len())
        .map(|k| {
            let unit = unit(outcomes, k);
            let y = Quantity::new(plan.measures[k].name.clone(), if unit.is_empty() { "1" } else { unit });
            Panel {
                title: String::new(),
                x: wide(Quantity::new(name.clone(), "1"), &roles.x),
                y,
                curves: curves(plan, outcomes, &roles, k),
            }
        })
        .collect();
    if panels.iter().all(|p| p.curves.is_empty()) {
        return None;
    }
    let mut head = Head::new(plan.base.description.title.clone());
    if let Some(spread) = roles.spread {
        let axis = &plan.axes[spread];
        head.subtitle =
            format!("means of {} values of {}, bars from the least to the largest", axis.values.len(), axis.key);
    }
    Some(Chart { head, panels }.picture())
}

/// A line of means for each combination of the other axes, and its bars.
fn curves(plan: &Plan, outcomes: &[Outcome], roles: &Roles, measure: usize) -> Vec<Curve> {
    let others: Vec<usize> = (0..plan.axes.len()).filter(|i| *i != roles.along && Some(*i) != roles.spread).collect();
    let mut groups: Vec<(Vec<usize>, Vec<Vec<f64>>)> = vec![];
    for (member, outcome) in plan.members.iter().zip(outcomes) {
        let key: Vec<usize> = others.iter().map(|i| member.at[*i]).collect();
        let value = outcome.values[measure];
        let at = groups.iter().position(|g| g.0 == key).unwrap_or_else(|| {
            groups.push((key, vec![vec![]; roles.x.len()]));
            groups.len() - 1
        });
        if value.is_finite() {
            groups[at].1[member.at[roles.along]].push(value);
        }
    }
    let half = bar_half_width(&roles.x);
    let mut all = vec![];
    for (g, (key, values)) in groups.iter().enumerate() {
        let stroke = line_style(g);
        let words =
            others.iter().zip(key).map(|(i, v)| format!("{} = {}", plan.axes[*i].key, plan.axes[*i].values[*v]));
        let name = words.collect::<Vec<_>>().join(", ");
        let mut order: Vec<usize> = (0..roles.x.len()).filter(|i| !values[*i].is_empty()).collect();
        order.sort_by(|a, b| roles.x[*a].total_cmp(&roles.x[*b]));
        if order.is_empty() {
            continue;
        }
        let mean = |i: usize| values[i].iter().sum::<f64>() / values[i].len() as f64;
        let points = order.iter().map(|i| [roles.x[*i], mean(*i)]).collect();
        all.push(Curve { name, stroke: stroke.clone(), points });
        let bars: Vec<Point> = order.iter().flat_map(|i| bar(roles.x[*i], half, &values[*i])).collect();
        let thin = Stroke { width: 1.0, dash: vec![], ..stroke };
        // Without a name: no entry of the legend.
        all.push(Curve { name: String::new(), stroke: thin, points: bars });
    }
    all
}

/// An axis on which the outermost bars are whole.
fn wide(axis: Quantity, x: &[f64]) -> Quantity {
    let half = 2.0 * bar_half_width(x);
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    if high > low { axis.between(low - half, high + half) } else { axis }
}

fn bar_half_width(x: &[f64]) -> f64 {
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    (0.008 * (high - low)).max(1e-12 * high.abs())
}

/// A bar with caps from the least to the largest; a cross where there is one value.
fn bar(x: f64, half: f64, values: &[f64]) -> Vec<Point> {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let none = [f64::NAN, f64::NAN];
    let cap = |y: f64| [[x - half, y], [x + half, y], none];
    let mut points: Vec<Point> = cap(low).into();
    if high > low {
        points.extend(cap(high));
        points.extend([[x, low], [x, high], none]);
    }
    points
}
