//! URDF: links, joints, limits, collision shapes; messages give the line.

use super::frame::Frame;
use super::robot::{Geometry, Inertial, Joint, Kind, Link, Robot, World};
use super::xml::{at, parsed};
use roxmltree::{Document, Node};

/// Reads a file; `told` gets what a scene has no word for. The error begins with `:LINE:`.
pub fn read(text: &str, told: &mut Vec<String>) -> Result<Robot, String> {
    let document = Document::parse(text).map_err(|e| format!(": {e}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        return Err(at(root, "expected <robot> as the outermost element"));
    }
    let mut robot = Robot {
        name: root.attribute("name").unwrap_or("robot").into(),
        links: vec![],
        joints: vec![],
        world: World::default(),
    };
    for node in root.children().filter(|n| n.has_tag_name("link")) {
        let mut link = link(node)?;
        link.group.clone_from(&robot.name);
        if robot.links.iter().any(|l| l.name == link.name) {
            return Err(at(node, &format!("the link '{}' is there twice", link.name)));
        }
        robot.links.push(link);
    }
    for node in root.children().filter(|n| n.has_tag_name("joint")) {
        let joint = joint(node, &robot, told)?;
        if let Some(other) = robot.joints.iter().find(|j| j.child == joint.child) {
            let name = &robot.links[joint.child].name;
            return Err(at(
                node,
                &format!("the link '{name}' is the child of '{}' already: robots are trees", other.name),
            ));
        }
        robot.joints.push(joint);
    }
    let roots = (0..robot.links.len()).filter(|l| robot.joints.iter().all(|j| j.child != *l)).count();
    if roots != 1 {
        return Err(at(root, &format!("{roots} links have no parent, expected one: the base of a tree")));
    }
    Ok(robot)
}

fn name(node: Node) -> Result<String, String> {
    let tag = node.tag_name().name();
    node.attribute("name")
        .filter(|n| !n.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| at(node, &format!("<{tag}> needs a name")))
}

fn numbers<const N: usize>(node: Node, key: &str, usual: Option<[f64; N]>) -> Result<[f64; N], String> {
    let Some(text) = node.attribute(key) else {
        return usual.ok_or_else(|| at(node, &format!("<{}> needs '{key}'", node.tag_name().name())));
    };
    parsed(node, key, text)
}

fn number(node: Node, key: &str, usual: Option<f64>) -> Result<f64, String> {
    numbers::<1>(node, key, usual.map(|x| [x])).map(|[x]| x)
}

fn positive(node: Node, key: &str) -> Result<f64, String> {
    let x = number(node, key, None)?;
    if x > 0.0 { Ok(x) } else { Err(at(node, &format!("{key}=\"{x}\" must be positive"))) }
}

fn origin(node: Node) -> Result<Frame, String> {
    match node.children().find(|n| n.has_tag_name("origin")) {
        Some(o) => Ok(Frame::new(numbers(o, "xyz", Some([0.0; 3]))?, numbers(o, "rpy", Some([0.0; 3]))?)),
        None => Ok(Frame::IDENTITY),
    }
}

fn link(node: Node) -> Result<Link, String> {
    let mut made = Link::named(&name(node)?);
    if let Some(inertial) = node.children().find(|n| n.has_tag_name("inertial")) {
        let mass = inertial.children().find(|n| n.has_tag_name("mass"));
        let mass = number(mass.ok_or_else(|| at(inertial, "<inertial> needs <mass>"))?, "value", None)?;
        let tensor = inertial.children().find(|n| n.has_tag_name("inertia"));
        let tensor = tensor.ok_or_else(|| at(inertial, "<inertial> needs <inertia>"))?;
        let of = |key: &str, usual: Option<f64>| number(tensor, key, usual);
        let (xy, xz, yz) = (of("ixy", Some(0.0))?, of("ixz", Some(0.0))?, of("iyz", Some(0.0))?);
        let tensor = [[of("ixx", None)?, xy, xz], [xy, of("iyy", None)?, yz], [xz, yz, of("izz", None)?]];
        if mass < 0.0 {
            return Err(at(inertial, "the mass is negative"));
        }
        if mass > 0.0 {
            made.inertial = Some(Inertial { origin: origin(inertial)?, mass, tensor });
        }
    }
    for collision in node.children().filter(|n| n.has_tag_name("collision")) {
        let geometry = child_of(collision, "geometry")?;
        let shape = geometry.children().find(Node::is_element).ok_or_else(|| at(geometry, "<geometry> is empty"))?;
        let shape = match shape.tag_name().name() {
            "box" => {
                let size = numbers::<3>(shape, "size", None)?;
                if size.iter().any(|s| !(*s > 0.0)) {
                    return Err(at(shape, "sizes of a box must be positive"));
                }
                Geometry::Box(size)
            }
            "cylinder" => Geometry::Cylinder(positive(shape, "radius")?, positive(shape, "length")?),
            "sphere" => Geometry::Sphere(positive(shape, "radius")?),
            "mesh" => mesh(shape)?,
            other => return Err(at(shape, &format!("<{other}> is no shape: box, cylinder, sphere, mesh"))),
        };
        made.shapes.push((origin(collision)?, shape));
    }
    Ok(made)
}

fn child_of<'a, 'b>(node: Node<'a, 'b>, tag: &str) -> Result<Node<'a, 'b>, String> {
    let found = node.children().find(|n| n.has_tag_name(tag));
    found.ok_or_else(|| at(node, &format!("<{}> needs <{tag}>", node.tag_name().name())))
}

fn mesh(node: Node) -> Result<Geometry, String> {
    let file = node.attribute("filename").ok_or_else(|| at(node, "<mesh> needs 'filename'"))?;
    let scale = numbers::<3>(node, "scale", Some([1.0; 3]))?;
    if scale.iter().any(|s| *s != scale[0] || !(*s > 0.0)) {
        return Err(at(node, "a mesh is scaled by one positive number in all directions"));
    }
    // package://NAME/path is relative to a folder that only other programs know.
    let path = file.strip_prefix("package://").and_then(|p| p.split_once('/')).map_or(file, |p| p.1);
    Ok(Geometry::Mesh(path.trim_start_matches("file://").to_owned(), scale[0]))
}

fn joint(node: Node, robot: &Robot, told: &mut Vec<String>) -> Result<Joint, String> {
    let name = name(node)?;
    let word = node.attribute("type").unwrap_or_default();
    let kind = match word {
        "revolute" | "continuous" => Kind::Hinge,
        "prismatic" => Kind::Slider,
        "fixed" => Kind::Fixed,
        other => {
            let what =
                format!("type=\"{other}\" of the joint '{name}': revolute, continuous, prismatic and fixed are read");
            return Err(at(node, &what));
        }
    };
    let end = |tag: &str| -> Result<usize, String> {
        let found = child_of(node, tag)?;
        let wanted = found.attribute("link").unwrap_or_default();
        let place = robot.links.iter().position(|l| l.name == wanted);
        place.ok_or_else(|| at(found, &format!("there is no link '{wanted}'")))
    };
    let mut made = Joint {
        kind,
        parent: end("parent")?,
        child: end("child")?,
        origin: origin(node)?,
        point: [0.0; 3],
        axis: [1.0, 0.0, 0.0],
        limits: None,
        effort: None,
        friction: 0.0,
        gains: None,
        damping: 0.0,
        name,
    };
    if made.parent == made.child {
        return Err(at(node, &format!("the joint '{}' joins a link to itself", made.name)));
    }
    if let Some(axis) = node.children().find(|n| n.has_tag_name("axis")) {
        made.axis = numbers(axis, "xyz", None)?;
        let size = made.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(size > 0.0) {
            return Err(at(axis, "the axis has no length"));
        }
        made.axis = made.axis.map(|x| x / size);
    }
    if let Some(limit) = node.children().find(|n| n.has_tag_name("limit")) {
        let range = [number(limit, "lower", Some(0.0))?, number(limit, "upper", Some(0.0))?];
        if word != "continuous" && kind != Kind::Fixed {
            if !(range[0] < range[1]) {
                return Err(at(limit, &format!("lower = {} is not below upper = {}", range[0], range[1])));
            }
            made.limits = Some(range);
        }
        made.effort = Some(number(limit, "effort", Some(0.0))?).filter(|e| *e > 0.0);
    } else if matches!(word, "revolute" | "prismatic") {
        return Err(at(node, &format!("the joint '{}' needs <limit>", made.name)));
    }
    if let Some(dynamics) = node.children().find(|n| n.has_tag_name("dynamics")) {
        made.friction = number(dynamics, "friction", Some(0.0))?.max(0.0);
        made.damping = number(dynamics, "damping", Some(0.0))?.max(0.0);
    }
    if node.children().any(|n| n.has_tag_name("mimic")) {
        told.push(format!("the joint '{}' does not mimic another: give it a drive of its own", made.name));
    }
    Ok(made)
}
