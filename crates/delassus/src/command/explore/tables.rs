//! What `explore` prints.

use super::answer::{Answer, friction as coefficient};
use super::subject::Subject;
use crate::command::explore_args::ExploreArgs;
use crate::command::output::Output;
use crate::command::text::{Side, Table, widest};
use delassus_explore::{
    Census, Continuum, LeastFriction, Network, Outcome, Procedure, Range, Reaction, Samples, Spread, Statics, Status,
    area, common_friction, coverage as measure, distance, extent, faces,
};
use delassus_friction::Problem;
use delassus_friction::algebra::Vector;
use delassus_friction::solver::ContactStatus;

/// Rows of the table of contacts; beyond, the widest.
const ROWS: usize = 60;
const WIDEST: usize = 20;

/// Five digits, short.
pub fn short(value: f64) -> String {
    match value {
        x if !x.is_finite() => if x > 0.0 {
            "∞"
        } else if x < 0.0 {
            "−∞"
        } else {
            "-"
        }
        .into(),
        0.0 => "0".into(),
        x if (1e-3..1e5).contains(&x.abs()) => {
            let digits = (4 - x.abs().log10().floor() as i32).clamp(0, 7) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
        }
        x => format!("{x:.3e}"),
    }
}

pub fn census<const C: usize>(census: &Census, statics: &Statics<C>) -> String {
    format!(
        "{} contacts: {} equations of balance of rank {}, {} unknowns; undetermined in {} {}",
        statics.contacts(),
        census.equations,
        census.rank,
        census.unknowns,
        census.dimension(),
        if census.dimension() == 1 { "dimension" } else { "dimensions" }
    )
}

pub fn stable<const C: usize>(network: &Network<C>, subject: &Subject) -> String {
    let margin = short(network.margin * subject.factor);
    let more = if network.capped { ", and farther with larger forces" } else { "" };
    let idle = match network.idle.len() {
        0 => String::new(),
        1 => format!("; contact {} bears nothing in any equilibrium", network.idle[0]),
        n => format!("; {n} contacts bear nothing in any equilibrium"),
    };
    let who = if network.idle.is_empty() { "every contact" } else { "every other contact" };
    format!("most stable network: {who} stays {margin} {} from the edge of its cone{more}{idle}", subject.unit)
}

/// Why the set is empty, as far as that is seen.
pub fn empty<const C: usize>(subject: &Subject, statics: &Statics<C>) -> String {
    let mut text = String::from("no equilibrium: no reactions within the cones balance the loads");
    if let Some(equation) = statics.unsupported() {
        let body = subject.equations.get(equation).and_then(|b| subject.bodies.get(*b as usize));
        text.push_str(&match body {
            Some(name) => format!(" ({name} is held by no contact)"),
            None => format!(" (no contact enters equation {equation})"),
        });
    }
    text
}

/// `shape` in words.
fn shape<const C: usize>(reaction: &Reaction<C>) -> String {
    match (reaction.rays.is_empty(), reaction.vertices.len()) {
        (false, _) => "unbounded".into(),
        (_, 1) => "point".into(),
        (_, 2) if C == 2 => "segment".into(),
        (_, n) if C == 2 && reaction.gap == 0.0 => format!("{n}-gon"),
        (_, n) if C == 2 => format!("{n}-gon, gap {}", short(reaction.gap / reaction.width())),
        (_, n) => format!("{n} points, gap {}", short(reaction.gap / reaction.width().max(f64::MIN_POSITIVE))),
    }
}

pub fn kinds<const C: usize>(list: &[Reaction<C>], seconds: f64) -> String {
    let count = |test: &dyn Fn(&Reaction<C>) -> bool| list.iter().filter(|r| test(r)).count();
    let unbounded = count(&|r| !r.rays.is_empty());
    let points = count(&|r| r.rays.is_empty() && r.vertices.len() == 1);
    let segments = count(&|r| r.rays.is_empty() && r.vertices.len() == 2);
    let rest = list.len() - unbounded - points - segments;
    let body = if C == 2 { "polygons" } else { "bodies between two hulls" };
    format!("reactions: {rest} {body}, {segments} segments, {points} determined, {unbounded} unbounded; {seconds:.2} s")
}

pub fn friction<const C: usize>(least: LeastFriction, statics: &Statics<C>) -> String {
    match (least, common_friction(statics)) {
        (LeastFriction::None, _) => "least friction: none is needed".into(),
        (LeastFriction::Frictionless, _) => "least friction: no contact has friction to change".into(),
        (LeastFriction::Impossible, _) => "least friction: even a thousand times the friction would not hold".into(),
        (LeastFriction::Undecided(f), _) => {
            format!(
                "least friction: {f} times the given friction does not hold; with more, the programs find no answer"
            )
        }
        (LeastFriction::Factor(f), Some(mu)) => {
            format!("least friction: equilibrium needs a coefficient of {:.9} (given: {mu})", f * mu)
        }
        (LeastFriction::Factor(f), None) => {
            format!("least friction: equilibrium needs {f:.9} times the given coefficients")
        }
    }
}

/// How much of the exact sets the samples fill, and how far they stand out.
pub fn coverage<const C: usize>(samples: &Samples<C>, reactions: &[Reaction<C>], out: &mut Output) {
    let still = samples.only_at_rest();
    if still.is_empty() {
        return out.line("no sample is at rest: nothing to compare with the exact sets");
    }
    if C != 2 {
        let ratios = reactions.iter().filter(|r| r.width() > 0.0 && r.width().is_finite());
        let ratios: Vec<f64> = ratios.map(|r| extent(&still.cloud(r.contact)) / r.width()).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
        return out.line(&format!("samples reach {:.1} % of the exact widths on average", 100.0 * mean));
    }
    let plane = to_plane(&still);
    let exact: Vec<Reaction<2>> = reactions.iter().map(flat).collect();
    let mut worst = 0.0f64;
    for reaction in exact.iter().filter(|r| r.rays.is_empty()) {
        let size = reaction.vertices.iter().map(|v| v.norm()).fold(f64::MIN_POSITIVE, f64::max);
        for s in plane.cloud(reaction.contact) {
            worst = worst.max(distance(&s, &reaction.vertices) / size);
        }
    }
    out.line(&format!("samples leave their exact sets by at most {worst:.0e} of the reaction"));
    let table = Table::new(vec![(8, Side::Right), (14, Side::Right), (14, Side::Right)]);
    out.line(&table.row(&["samples", "mean coverage", "least coverage"]));
    for c in measure(&plane, &exact) {
        let percent = |x: f64| format!("{:.2} %", 100.0 * x);
        out.line(&table.row(&[c.samples.to_string(), percent(c.mean), percent(c.least)]));
    }
}

/// Contacts named as those at the edge of their cones most often.
const OFTEN: usize = 3;

/// How often samples lie on the faces of the set.
pub fn ghosts<const C: usize>(samples: &Samples<C>, statics: &Statics<C>, out: &mut Output) {
    if samples.is_empty() {
        return;
    }
    let found = faces(samples, &statics.laws()[..statics.contacts()]);
    let most: Vec<String> =
        found.most(OFTEN).iter().map(|(i, share)| format!("contact {i} in {:.1} %", 100.0 * share)).collect();
    out.line(&format!(
        "ghost edges: {:.2} contacts of a sample at the edge of their cones on average, {:.1} % of the samples on a face{}{}",
        found.mean,
        100.0 * found.any,
        if most.is_empty() { "" } else { "; most often " },
        most.join(", ")
    ));
}

fn to_plane<const C: usize>(samples: &Samples<C>) -> Samples<2> {
    samples.map(|v| Vector::<2>::new(v[0], v[1]))
}

fn flat<const C: usize>(r: &Reaction<C>) -> Reaction<2> {
    let plane = |list: &[Vector<C>]| list.iter().map(|v| Vector::<2>::new(v[0], v[1])).collect();
    Reaction { contact: r.contact, vertices: plane(&r.vertices), outer: vec![], gap: r.gap, rays: plane(&r.rays) }
}

pub fn motion(rows: &[(Procedure, Spread)], subject: &Subject, out: &mut Output) {
    let Some((_, first)) = rows.first() else { return };
    out.line(&format!(
        "spread of the forces, relative to their mean of {} {}; the motion is determined to {:.0e}",
        short(first.mean * subject.factor),
        subject.unit,
        rows.iter().map(|r| r.1.motion).fold(0.0, f64::max)
    ));
    let sides = [(34, Side::Left), (9, Side::Left), (9, Side::Right), (12, Side::Right), (12, Side::Right)];
    let table = Table::new(sides.to_vec());
    out.line(&table.row(&["start", "contacts", "number", "mean spread", "largest"]));
    for (procedure, spread) in rows {
        let name = match procedure {
            Procedure::Random => "random forces",
            Procedure::Shuffle => "zero, shuffled order",
            Procedure::Warm => "last step's forces, shuffled order",
        };
        for (status, word) in [(Status::Stick, "sticking"), (Status::Slip, "slipping"), (Status::Open, "open")] {
            let (count, mean, most) = spread.of(status);
            let percent = |x: f64| format!("{:.4} %", 100.0 * x);
            out.line(&table.row(&[name, word, &count.to_string(), &percent(mean), &percent(most)]));
        }
    }
}

/// Where the gap that was asked for was not reached; `None` where it was everywhere.
pub fn missed<const C: usize>(list: &[Reaction<C>], gap: f64, directions: usize) -> Option<String> {
    // In the plane relative to the largest reaction, in space to the width: what the programs aim at.
    let size = |r: &Reaction<C>| match C {
        2 => r.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max),
        _ => r.width(),
    };
    let left = |r: &Reaction<C>| r.gap / size(r);
    let mut open: Vec<&Reaction<C>> =
        list.iter().filter(|r| r.rays.is_empty() && r.width() > 0.0 && left(r) > gap * (1.0 + 1e-9)).collect();
    open.sort_by(|a, b| left(b).total_cmp(&left(a)));
    let worst = open.first()?;
    Some(format!(
        "--gap {gap} was not reached at {} of {} contacts with {directions} programs each, the worst {} at contact {}; \
         a larger --directions goes on",
        open.len(),
        list.len(),
        short(left(worst)),
        worst.contact
    ))
}

/// A set of motions that differ, and where it ends.
fn continuum<const C: usize>(c: &Continuum, problem: &Problem<C>, subject: &Subject, out: &mut Output) {
    let count = |s: &[ContactStatus]| c.status.iter().filter(|x| s.contains(x)).count();
    let slip = count(&[ContactStatus::SlipForward, ContactStatus::SlipBackward]);
    out.line(&format!(
        "  a continuum of {} ({} open, {} sticking, {slip} slipping):",
        if c.motions == 1 { "1 dimension".into() } else { format!("{} dimensions", c.motions) },
        count(&[ContactStatus::TakeOff]),
        count(&[ContactStatus::Stick]),
    ));
    let (force, speed) = (1e-9 * problem.b_norm() * subject.factor, 1e-9 * problem.b_norm());
    let span = |r: &Range, factor: f64, tiny: f64| {
        let [low, high] = r.map(|x| if (x * factor).abs() <= tiny { 0.0 } else { x * factor });
        if high - low <= tiny { short(low) } else { format!("{} … {}", short(low), short(high)) }
    };
    for (i, (s, u)) in c.reactions.iter().zip(&c.velocities).enumerate() {
        let tiny = force * problem.rho(i);
        out.line(&format!(
            "    contact {i}: normal reaction {}, tangential {} {}; normal velocity {}, tangential {} m/s",
            span(&s[0], subject.factor, tiny),
            span(&s[1], subject.factor, tiny),
            subject.unit,
            span(&u[0], 1.0, speed),
            span(&u[1], 1.0, speed),
        ));
    }
    if c.motions > 1 || c.points.is_empty() {
        return;
    }
    let end = |s: &Vec<Vector<2>>| {
        let largest = |list: &mut dyn Iterator<Item = f64>| short(list.fold(0.0, f64::max));
        let wide: Vec<Vector<C>> = s.iter().map(|s| Vector::from_fn(|k, _| if k < 2 { s[k] } else { 0.0 })).collect();
        let mut v = problem.zero();
        problem.velocities(&wide, &mut v);
        let scale = |x: f64| if x <= speed { 0.0 } else { x };
        format!(
            "velocities up to {} m/s with reactions up to {} {}",
            largest(&mut v.iter().map(|v| scale(v.norm()))),
            largest(&mut s.iter().map(|s| s.norm() * subject.factor)),
            subject.unit
        )
    };
    let more = if c.points.len() < 2 { ", and on without bound" } else { "" };
    out.line(&format!("    its ends: {}{more}", c.points.iter().map(end).collect::<Vec<_>>().join("; ")));
}

pub fn outcomes<const C: usize>(
    found: &[Outcome<C>],
    continua: &[Continuum],
    problem: &Problem<C>,
    complete: bool,
    subject: &Subject,
    out: &mut Output,
) {
    let how = if complete { "all statuses enumerated" } else { "among the samples" };
    if !continua.is_empty() {
        let sets = if continua.len() == 1 { "1 continuum".into() } else { format!("{} continua", continua.len()) };
        out.line(&format!("infinitely many motions ({how}): {sets}, {} isolated", found.len()));
        continua.iter().take(ROWS).for_each(|c| continuum(c, problem, subject, out));
    }
    match found.len() {
        _ if !continua.is_empty() => {}
        0 => return out.line(&format!("this step has no solution ({how})")),
        1 => out.line(&format!("one motion ({how}):")),
        n => out.line(&format!("{n} distinct motions ({how}):")),
    }
    let scale = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
    for outcome in found.iter().take(ROWS) {
        let fastest = outcome.velocities.iter().map(|u| u.norm()).fold(0.0, f64::max);
        let largest = outcome.percussions.iter().map(|s| s.norm()).fold(0.0, f64::max) * subject.factor;
        out.line(&format!(
            "  {}: relative velocities up to {} m/s, one of its solutions has reactions up to {} {}, residual {:.0e}",
            outcome.name(scale),
            short(fastest),
            short(largest),
            subject.unit,
            outcome.residual
        ));
    }
}

/// `a–b`, by name where names are known.
fn pair(subject: &Subject, contact: usize) -> String {
    let Some(places) = &subject.places else { return String::new() };
    let name = |b: i64| {
        let known = usize::try_from(b).ok().and_then(|b| subject.bodies.get(b));
        known.filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| b.to_string())
    };
    places.bodies[contact].map(name).join(" – ")
}

pub fn contacts<const C: usize>(
    subject: &Subject,
    statics: &Statics<C>,
    answer: &Answer<C>,
    args: &ExploreArgs,
    out: &mut Output,
) {
    let Some(reactions) = &answer.reactions else { return };
    let mut order: Vec<&Reaction<C>> = reactions.iter().collect();
    if order.len() > ROWS {
        order.sort_by(|a, b| b.width().total_cmp(&a.width()).then(a.contact.cmp(&b.contact)));
        order.truncate(WIDEST);
    }
    let scaled = |x: f64| short(x * subject.factor);
    let span = |r: &Reaction<C>, k: usize| {
        // Round-off of the programs is not shown.
        let tiny = 1e-9 * r.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let [low, high] = r.range(k).map(|x| if x.abs() <= tiny { 0.0 } else { x });
        if high - low <= tiny { scaled(low) } else { format!("{} … {}", scaled(low), scaled(high)) }
    };
    let cells: Vec<[String; 6]> = order
        .iter()
        .map(|r| {
            let (i, law) = (r.contact, &statics.laws()[r.contact]);
            let name = pair(subject, i);
            [
                i.to_string(),
                name,
                short(coefficient(law)),
                span(r, 0),
                span(r, 1),
                format!("{}  {}", scaled(r.width()), shape(r)),
            ]
        })
        .collect();
    let unit = subject.unit;
    let head = [
        "contact".into(),
        "bodies".into(),
        "μ".into(),
        format!("normal [{unit}]"),
        format!("tangential [{unit}]"),
        "width, shape".into(),
    ];
    let columns = (0..6).map(|k| {
        let width = widest(cells.iter().map(|c| c[k].as_str()).chain([head[k].as_str()]));
        (width, if k == 1 || k == 5 { Side::Left } else { Side::Right })
    });
    let table = Table::new(columns.collect());
    out.line("");
    out.line(&table.row(&head));
    out.line(&table.rule());
    cells.iter().for_each(|c| out.line(&table.row(c)));
    if reactions.len() > order.len() {
        out.line(&format!("… the widest {} of {}; --csv writes all", order.len(), reactions.len()));
    }
    if !args.contact.is_empty() {
        reactions.iter().for_each(|r| detail(r, subject, out));
    }
}

/// Vertices and unbounded directions of one contact.
fn detail<const C: usize>(reaction: &Reaction<C>, subject: &Subject, out: &mut Output) {
    let point = |v: &Vector<C>, factor: f64| {
        let list: Vec<String> = v.iter().map(|x| format!("{:.10e}", x * factor)).collect();
        format!("  ({})", list.join(", "))
    };
    out.line(&format!("contact {}: vertices (normal, tangential) [{}]", reaction.contact, subject.unit));
    reaction.vertices.iter().for_each(|v| out.line(&point(v, subject.factor)));
    if !reaction.rays.is_empty() {
        out.line("  and on for ever along");
        reaction.rays.iter().for_each(|r| out.line(&point(&(r / r.norm()), 1.0)));
    }
}

/// One line per contact.
pub fn csv<const C: usize>(subject: &Subject, statics: &Statics<C>, answer: &Answer<C>) -> String {
    let axes = ["n", "t1", "t2", "r1", "r2"];
    let mut head: Vec<String> = vec!["contact".into()];
    if let Some(places) = &subject.places {
        head.extend(["body_1".into(), "body_2".into()]);
        head.extend(["x", "y", "z"][..places.dimension].iter().map(|a| format!("{a} [m]")));
    }
    head.push("friction".into());
    head.extend(axes[..C].iter().map(|a| format!("force_{a} [{}]", subject.unit)));
    for a in &axes[..C] {
        head.extend([format!("least_{a} [{}]", subject.unit), format!("largest_{a} [{}]", subject.unit)]);
    }
    head.extend([
        format!("width [{}]", subject.unit),
        "area".into(),
        "gap".into(),
        "vertices".into(),
        "unbounded".into(),
    ]);
    head.push(format!("sampled_width [{}]", subject.unit));
    let mut text = head.join(",") + "\n";
    let number = |x: f64| if x.is_nan() { String::new() } else { format!("{x:?}") };
    for i in 0..statics.contacts() {
        let mut row = vec![i.to_string()];
        if let Some(places) = &subject.places {
            row.extend(places.bodies[i].map(|b| b.to_string()));
            let d = places.dimension;
            row.extend(places.position[d * i..d * (i + 1)].iter().map(|x| number(*x)));
        }
        row.push(number(coefficient(&statics.laws()[i])));
        let force = answer.forces.as_ref().map(|f| f[i]);
        row.extend((0..C).map(|k| number(force.map_or(f64::NAN, |f| f[k] * subject.factor))));
        let reaction = answer.reactions.iter().flatten().find(|r| r.contact == i);
        for k in 0..C {
            let range = reaction.map_or([f64::NAN; 2], |r| r.range(k));
            row.extend(range.map(|x| number(x * subject.factor)));
        }
        match reaction {
            Some(r) => {
                let flat = if C == 2 { area(&flat(r).vertices) * subject.factor.powi(2) } else { f64::NAN };
                row.extend([number(r.width() * subject.factor), number(flat), number(r.gap * subject.factor)]);
                row.extend([r.vertices.len().to_string(), u8::from(!r.rays.is_empty()).to_string()]);
            }
            None => row.extend(std::iter::repeat_n(String::new(), 5)),
        }
        let sampled = answer.samples.as_ref().map_or(f64::NAN, |s| extent(&s.cloud(i)) * subject.factor);
        row.push(number(sampled));
        text.push_str(&(row.join(",") + "\n"));
    }
    text
}
