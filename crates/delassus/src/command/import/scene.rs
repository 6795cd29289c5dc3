//! A robot as the text of a scene.

use super::ImportArgs;
use super::frame::Frame;
use super::robot::{Geometry, Joint, Kind, Link, Robot, World};
use std::fmt::Write;

/// What carries a link: itself, or a link with mass that it is fixed to.
struct Tree<'a> {
    robot: &'a Robot,
    /// Place of each link in the world.
    frames: Vec<Frame>,
    carrier: Vec<usize>,
    root: usize,
}

impl<'a> Tree<'a> {
    fn new(robot: &'a Robot, base: [f64; 3]) -> Result<Self, String> {
        let count = robot.links.len();
        let is_root = |l: &usize| robot.joints.iter().all(|j| j.child != *l);
        let root = (0..count).find(is_root).ok_or("a robot needs a link without parent")?;
        let (mut frames, mut carrier) = (vec![None; count], vec![0; count]);
        frames[root] = Some(Frame { at: base, ..Frame::IDENTITY });
        carrier[root] = root;
        // From the root outwards; what is left is a loop.
        let mut open = vec![root];
        while let Some(parent) = open.pop() {
            for joint in robot.joints.iter().filter(|j| j.parent == parent) {
                let frame: Frame = frames[parent].expect("its parent was placed");
                frames[joint.child] = Some(frame.then(&joint.origin));
                let own = robot.links[joint.child].inertial.is_some();
                carrier[joint.child] = if own || joint.kind != Kind::Fixed { joint.child } else { carrier[parent] };
                open.push(joint.child);
            }
        }
        let lost = frames.iter().position(Option::is_none);
        if let Some(link) = lost {
            return Err(format!("the link '{}' is in a loop", robot.links[link].name));
        }
        Ok(Self { robot, frames: frames.into_iter().flatten().collect(), carrier, root })
    }

    /// Whether a link is a body of its own that mechanics moves.
    fn is_moving(&self, link: usize, free: bool) -> bool {
        self.carrier[link] == link && (link != self.root || free)
    }
}

/// Numbers that people read, right to twelve digits.
fn list(x: &[f64]) -> String {
    let short = |x: &f64| {
        let rounded: f64 = format!("{x:.12e}").parse().unwrap_or(*x);
        format!("{:?}", if rounded.abs() < 1e-12 { 0.0 } else { rounded })
    };
    format!("[{}]", x.iter().map(short).collect::<Vec<_>>().join(", "))
}

fn rotation(frame: &Frame) -> String {
    match frame.axis_angle() {
        Some((axis, angle)) => format!("{{ axis = {}, angle = {angle:?} }}", list(&axis)),
        None => String::new(),
    }
}

/// The text.
pub fn write(robot: &Robot, args: &ImportArgs, told: &mut Vec<String>) -> Result<String, String> {
    let (tree, world) = (Tree::new(robot, args.base)?, &robot.world);
    let mut out = String::new();
    let _ = write!(
        out,
        "# {} links and {} joints, imported.\n#\n# Motors hold the position of the start with the effort of their joints; `drive` is an expression of t.\n\
         title = {:?}\ndimension = 3\n{}\n[time]\nstep = {:?}\nend = 2.0\nrecord = {:?}\n\n[law]\nfriction = {:?}\n",
        robot.links.len(),
        robot.joints.len(),
        robot.name,
        if world.gravity == World::default().gravity {
            String::new()
        } else {
            format!("gravity = {}\n", list(&world.gravity))
        },
        world.step,
        // A whole number of steps.
        format!("{:.9}", (0.02 / world.step).round().max(1.0) * world.step).parse().unwrap_or(world.step),
        world.friction
    );
    for (i, link) in robot.links.iter().enumerate().filter(|(i, _)| tree.carrier[*i] == *i) {
        body(&mut out, &tree, i, link, args.free, told)?;
    }
    for j in &robot.joints {
        joint(&mut out, &tree, j, args.free, told);
    }
    Ok(out)
}

fn body(
    out: &mut String,
    tree: &Tree,
    i: usize,
    link: &Link,
    free: bool,
    told: &mut Vec<String>,
) -> Result<(), String> {
    let moving = tree.is_moving(i, free);
    let mut frame = tree.frames[i];
    let mut matter = String::new();
    match (&link.inertial, moving) {
        (Some(inertial), true) => {
            let (moments, axes) = Frame::principal(inertial.tensor);
            if moments.iter().any(|m| !(*m > 0.0)) {
                return Err(format!("the inertia of the link '{}' is not positive", link.name));
            }
            frame = frame.then(&inertial.origin).then(&axes);
            matter = format!("mass = {:?}\ninertia = {}\n", inertial.mass, list(&moments));
        }
        (None, true) => {
            return Err(format!("the link '{}' moves and has no mass: give it <inertial>", link.name));
        }
        _ => matter.push_str("fixed = true\n"),
    }
    let _ = write!(out, "\n[body.{:?}]\n{matter}position = {}\n", link.name, list(&frame.at));
    let turn = rotation(&frame);
    if !turn.is_empty() {
        let _ = writeln!(out, "rotation = {turn}");
    }
    if !link.group.is_empty() {
        let _ = writeln!(out, "group = {:?}", link.group);
    }
    let inside = frame.inverse();
    let mut parts = 0;
    for (k, carried) in tree.robot.links.iter().enumerate().filter(|(k, _)| tree.carrier[*k] == i) {
        for (place, shape) in &carried.shapes {
            parts += 1;
            let at = inside.then(&tree.frames[k]).then(place);
            let _ = write!(out, "\n[[body.{:?}.parts]]\n{}position = {}\n", link.name, geometry(shape), list(&at.at));
            let turn = rotation(&at);
            if !turn.is_empty() {
                let _ = writeln!(out, "rotation = {turn}");
            }
        }
    }
    if parts == 0 {
        told.push(format!("the link '{}' has no collision shape: it is a point that touches nothing", link.name));
        let _ = writeln!(out, "shape.sphere = {{ radius = 1e-3 }}\ncontact = false");
    }
    Ok(())
}

fn geometry(shape: &Geometry) -> String {
    match shape {
        Geometry::Box(size) => format!("shape.box = {{ size = {} }}\n", list(size)),
        Geometry::Cylinder(radius, length) => {
            format!("shape.cylinder = {{ length = {length:?}, radius = {radius:?} }}\n")
        }
        Geometry::Capsule(radius, length) => {
            format!("shape.capsule = {{ length = {length:?}, radius = {radius:?} }}\n")
        }
        Geometry::Plane => "shape.half_space = {}\n".into(),
        Geometry::Sphere(radius) => format!("shape.sphere = {{ radius = {radius:?} }}\n"),
        Geometry::Mesh(file, scale) => {
            format!("shape.mesh = {{ file = {file:?}, scale = {scale:?}, convex = true }}\n")
        }
        Geometry::Piece(points) => {
            let points: Vec<String> = points.iter().map(|p| list(p)).collect();
            format!("shape.polyhedron = {{ points = [{}] }}\n", points.join(", "))
        }
    }
}

fn joint(out: &mut String, tree: &Tree, j: &Joint, free: bool, told: &mut Vec<String>) {
    let (child, parent) = (tree.carrier[j.child], tree.carrier[j.parent]);
    // Links that are one body are not joined; neither are two fixed ones.
    if child == parent || !(tree.is_moving(child, free) || tree.is_moving(parent, free)) {
        return;
    }
    let kind = match j.kind {
        Kind::Hinge => "hinge",
        Kind::Slider => "slider",
        Kind::Ball => "ball",
        Kind::Fixed => "fixed",
        Kind::Free => return,
    };
    let names = [child, parent].map(|l| tree.robot.links[l].name.as_str());
    let frame = tree.frames[j.child];
    // Angles are those of the first body with respect to the second.
    let _ = write!(
        out,
        "\n[joint.{:?}]\nkind = {kind:?}\nbodies = {names:?}\nat = {}\n",
        j.name,
        list(&frame.point(j.point))
    );
    if !matches!(j.kind, Kind::Hinge | Kind::Slider) {
        return;
    }
    let _ = writeln!(out, "axis = {}", list(&frame.direction(j.axis)));
    if let Some(limits) = j.limits {
        if limits[0] <= 0.0 && limits[1] >= 0.0 {
            let _ = writeln!(out, "limits = {}", list(&limits));
        } else {
            told.push(format!("the start of the joint '{}' is outside its limits, which are left out", j.name));
        }
    }
    motor(out, j, told);
    if j.friction > 0.0 {
        let _ = writeln!(out, "friction = {:?}", j.friction);
    }
}

/// The motor that holds the start, with the gains it is given; a damper is one that holds a speed of zero.
fn motor(out: &mut String, j: &Joint, told: &mut Vec<String>) {
    match (j.gains, j.effort) {
        (Some([stiffness, damping]), _) => {
            let target = if stiffness > 0.0 { "drive = \"0\"" } else { "speed = 0.0" };
            let damping = damping + j.damping;
            let _ = writeln!(out, "{target}\nstiffness = {stiffness:?}\ndamping = {damping:?}");
        }
        (None, Some(_)) => {
            let _ = writeln!(out, "drive = \"0\"");
            if j.damping > 0.0 {
                told.push(format!("the damping of the joint '{}' is left out: its motor imposes the motion", j.name));
            }
        }
        (None, None) if j.damping > 0.0 => {
            let _ = writeln!(out, "speed = 0.0\ndamping = {:?}", j.damping);
        }
        (None, None) => {}
    }
    if let Some(effort) = j.effort {
        let _ = writeln!(out, "limit = {effort:?}");
    }
}
