//! MJCF, the files of MuJoCo: bodies in bodies, joints, geoms, actuators; messages give the line.
//!
//! Angles are in degrees unless the compiler says radians. Values that an element does not give come from its class,
//! then from the classes around it. Bodies without `<inertial>` have the mass of their geoms.

use super::frame::Frame;
use super::robot::{Geometry, Inertial, Joint, Kind, Link, Robot, World};
use super::xml::{at, parsed};
use roxmltree::{Document, Node};
use std::collections::HashMap;

/// Friction of a shape and time step \[s\] where the file says nothing, as MuJoCo has them.
const FRICTION: f64 = 1.0;
const STEP: f64 = 2e-3;

/// Density of geoms where nothing is given [kg/m³].
const DENSITY: f64 = 1000.0;

struct Reader<'a, 'd> {
    /// Degrees to radians.
    angle: f64,
    /// Folder of the meshes.
    meshes: String,
    /// Files and scales by name.
    assets: HashMap<String, (String, f64)>,
    /// Values of classes: by class, tag and key.
    classes: HashMap<(String, String, String), String>,
    robot: Robot,
    told: &'a mut Vec<String>,
    actuators: Vec<Node<'a, 'd>>,
    /// Coefficients of friction of the shapes that touch.
    rubs: Vec<f64>,
}

/// Reads a file; `told` gets what a scene has no word for. The error begins with `:LINE:`.
pub fn read(text: &str, told: &mut Vec<String>) -> Result<Robot, String> {
    let document = Document::parse(text).map_err(|e| format!(": {e}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "mujoco" {
        return Err(at(root, "expected <mujoco> as the outermost element"));
    }
    let inside = |tag: &str| root.children().filter(|n| n.is_element()).filter(move |n| n.has_tag_name(tag)).collect();
    let (compilers, defaults): (Vec<Node>, Vec<Node>) = (inside("compiler"), inside("default"));
    let (assets, worlds): (Vec<Node>, Vec<Node>) = (inside("asset"), inside("worldbody"));
    let actuators: Vec<Node> =
        inside("actuator").iter().flat_map(|n: &Node| n.children()).filter(Node::is_element).collect();
    if let Some(include) = document.descendants().find(|n| n.has_tag_name("include")) {
        return Err(at(include, "<include> is not followed: put the parts into one file"));
    }
    let said = |key: &str| compilers.iter().find_map(|c| c.attribute(key));
    if let Some(sequence) = said("eulerseq").filter(|s| *s != "xyz") {
        return Err(format!(": eulerseq=\"{sequence}\": angles are read in the order xyz"));
    }
    let angle = match said("angle") {
        Some("radian") => 1.0,
        _ => std::f64::consts::PI / 180.0,
    };
    let name = root.attribute("model").unwrap_or("robot").to_owned();
    let robot = Robot { name, links: vec![Link::named("world")], joints: vec![], world: World::default() };
    let meshes = said("meshdir").unwrap_or("").to_owned();
    let (assets_by_name, classes, rubs) = (HashMap::new(), HashMap::new(), vec![]);
    let mut reader = Reader { angle, meshes, assets: assets_by_name, classes, robot, told, actuators, rubs };
    defaults.iter().for_each(|d| reader.class(*d, None));
    for mesh in assets.iter().flat_map(|a| a.children()).filter(|n| n.has_tag_name("mesh")) {
        reader.asset(mesh)?;
    }
    for world in worlds {
        reader.inside(world, 0, "main")?;
    }
    reader.drive()?;
    reader.world(&inside("option"))?;
    Ok(reader.robot)
}

impl<'a, 'd> Reader<'a, 'd> {
    /// Values of a class, with those around it.
    fn class(&mut self, node: Node, around: Option<&str>) {
        let name = node.attribute("class").unwrap_or("main").to_owned();
        if let Some(around) = around {
            let inherited: Vec<_> = self.classes.iter().filter(|(k, _)| k.0 == around).collect();
            let inherited: Vec<_> =
                inherited.into_iter().map(|((_, t, k), v)| ((name.clone(), t.clone(), k.clone()), v.clone())).collect();
            self.classes.extend(inherited);
        }
        for element in node.children().filter(|n| n.is_element() && !n.has_tag_name("default")) {
            for a in element.attributes() {
                let key = (name.clone(), element.tag_name().name().to_owned(), a.name().to_owned());
                self.classes.insert(key, a.value().to_owned());
            }
        }
        node.children().filter(|n| n.has_tag_name("default")).for_each(|d| self.class(d, Some(&name)));
    }

    /// A value of an element, or of its class.
    fn value(&self, node: Node, class: &str, key: &str) -> Option<String> {
        let class = node.attribute("class").unwrap_or(class).to_owned();
        let usual = || self.classes.get(&(class, node.tag_name().name().to_owned(), key.to_owned())).cloned();
        node.attribute(key).map(str::to_owned).or_else(usual)
    }

    fn numbers<const N: usize>(&self, node: Node, class: &str, key: &str) -> Result<Option<[f64; N]>, String> {
        self.value(node, class, key).map(|text| parsed(node, key, &text)).transpose()
    }

    fn number(&self, node: Node, class: &str, key: &str) -> Result<Option<f64>, String> {
        Ok(self.numbers::<1>(node, class, key)?.map(|[x]| x))
    }

    fn asset(&mut self, node: Node) -> Result<(), String> {
        let Some(file) = node.attribute("file") else {
            return Err(at(node, "<mesh> needs 'file': meshes of vertices are not read"));
        };
        let stem = file.rsplit('/').next().unwrap_or(file).rsplit_once('.').map_or(file, |p| p.0);
        let scale = self.numbers::<3>(node, "main", "scale")?.unwrap_or([1.0; 3]);
        if scale.iter().any(|s| *s != scale[0] || !(*s > 0.0)) {
            return Err(at(node, "a mesh is scaled by one positive number in all directions"));
        }
        let path = if self.meshes.is_empty() { file.to_owned() } else { format!("{}/{file}", self.meshes) };
        self.assets.insert(node.attribute("name").unwrap_or(stem).to_owned(), (path, scale[0]));
        Ok(())
    }

    /// Geoms and bodies inside a body.
    fn inside(&mut self, node: Node, link: usize, class: &str) -> Result<(), String> {
        let class = node.attribute("childclass").unwrap_or(class);
        let mut matter = vec![];
        for geom in node.children().filter(|n| n.has_tag_name("geom")) {
            let made = self.geom(geom, class)?;
            let zero = |key: &str| self.value(geom, class, key).as_deref() == Some("0");
            // What only is seen has a mass too.
            if !(zero("contype") && zero("conaffinity")) {
                self.robot.links[link].shapes.push(made.clone());
                self.rubs.push(self.rub(geom, class)?);
            }
            matter.push((geom, made));
        }
        if link > 0 {
            self.robot.links[link].inertial = match node.children().find(|n| n.has_tag_name("inertial")) {
                Some(inertial) => Some(self.inertial(inertial, class)?),
                None => self.of_geoms(&matter, class)?,
            };
        }
        for body in node.children().filter(|n| n.has_tag_name("body")) {
            let name = body.attribute("name").map_or_else(|| format!("body {}", self.robot.links.len()), str::to_owned);
            if self.robot.links.iter().any(|l| l.name == name) {
                return Err(at(body, &format!("the body '{name}' is there twice")));
            }
            self.robot.links.push(Link::named(&name));
            let child = self.robot.links.len() - 1;
            let class = body.attribute("childclass").unwrap_or(class);
            let joint = self.joint(body, [link, child], class)?;
            // What hangs together does not touch itself; what is free touches the rest.
            self.robot.links[child].group = match (joint.kind, link) {
                (Kind::Free, _) => name,
                (_, 0) => self.robot.name.clone(),
                _ => self.robot.links[link].group.clone(),
            };
            self.robot.joints.push(joint);
            self.inside(body, child, class)?;
        }
        Ok(())
    }

    /// The first of the coefficients of a shape: that of sliding.
    fn rub(&self, geom: Node, class: &str) -> Result<f64, String> {
        let Some(text) = self.value(geom, class, "friction") else { return Ok(FRICTION) };
        let first = text.split_whitespace().next().and_then(|t| t.parse::<f64>().ok());
        let found = first.filter(|x| *x >= 0.0 && x.is_finite());
        found.ok_or_else(|| at(geom, &format!("friction=\"{text}\": expected numbers, not negative")))
    }

    /// Step, gravity, friction. Of two shapes the larger coefficient counts, which one law of all pairs cannot say.
    fn world(&mut self, options: &[Node]) -> Result<(), String> {
        let mut world = World { step: STEP, friction: FRICTION, ..World::default() };
        for option in options {
            if let Some(text) = option.attribute("timestep") {
                let [step] = parsed(*option, "timestep", text)?;
                world.step = step;
            }
            if let Some(text) = option.attribute("gravity") {
                world.gravity = parsed(*option, "gravity", text)?;
            }
        }
        if !(world.step > 0.0) {
            return Err(format!(": timestep=\"{}\": expected a positive number", world.step));
        }
        let least = self.rubs.iter().copied().fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            world.friction = self.rubs.iter().copied().fold(0.0, f64::max);
        }
        if least < world.friction {
            self.told.push(format!(
                "shapes have frictions of {least} to {}: the scene has one law with the largest; [[law]] with 'between' \
                 gives each pair of materials its own",
                world.friction
            ));
        }
        self.robot.world = world;
        Ok(())
    }

    fn frame(&self, node: Node, class: &str) -> Result<Frame, String> {
        let place = self.numbers(node, class, "pos")?.unwrap_or([0.0; 3]);
        let mut frame = Frame { at: place, ..Frame::IDENTITY };
        if let Some(q) = self.numbers::<4>(node, class, "quat")? {
            frame.turn = Frame::of_quaternion(q).ok_or_else(|| at(node, "the quaternion has no length"))?.turn;
        } else if let Some([x, y, z, angle]) = self.numbers::<4>(node, class, "axisangle")? {
            let (half, size) = (0.5 * angle * self.angle, (x * x + y * y + z * z).sqrt());
            let s = half.sin() / size;
            let q = [half.cos(), s * x, s * y, s * z];
            frame.turn = Frame::of_quaternion(q).ok_or_else(|| at(node, "the axis has no length"))?.turn;
        } else if let Some(euler) = self.numbers::<3>(node, class, "euler")? {
            // About the axes that turn with the body: x, then y, then z.
            let about = |k: usize| {
                let mut angles = [0.0; 3];
                angles[k] = euler[k] * self.angle;
                Frame::new([0.0; 3], angles)
            };
            frame.turn = about(0).then(&about(1)).then(&about(2)).turn;
        } else if let Some(key) = ["xyaxes", "zaxis"].into_iter().find(|k| self.value(node, class, k).is_some()) {
            return Err(at(node, &format!("'{key}' is not read: give 'quat', 'axisangle' or 'euler'")));
        }
        Ok(frame)
    }

    fn geom(&self, node: Node, class: &str) -> Result<(Frame, Geometry), String> {
        let mut frame = self.frame(node, class)?;
        let kind = self.value(node, class, "type");
        let kind = kind.as_deref().unwrap_or(if node.attribute("mesh").is_some() { "mesh" } else { "sphere" });
        let mut sizes = match self.value(node, class, "size") {
            Some(text) => {
                let all = text.split_whitespace().map(|t| t.parse::<f64>().ok().filter(|x| *x >= 0.0)).collect();
                let all: Option<Vec<f64>> = all;
                all.ok_or_else(|| at(node, &format!("size=\"{text}\": expected numbers, not negative")))?
            }
            None => vec![],
        };
        if let Some(ends) = self.numbers::<6>(node, class, "fromto")? {
            let half;
            (frame, half) = Frame::between([ends[0], ends[1], ends[2]], [ends[3], ends[4], ends[5]]);
            sizes.truncate(1);
            sizes.push(half);
        }
        let size = |k: usize| -> Result<f64, String> {
            let found = sizes.get(k).copied().filter(|s| *s > 0.0);
            found.ok_or_else(|| at(node, &format!("a {kind} needs positive sizes, {} or more", k + 1)))
        };
        let shape = match kind {
            "sphere" => Geometry::Sphere(size(0)?),
            "box" => Geometry::Box([2.0 * size(0)?, 2.0 * size(1)?, 2.0 * size(2)?]),
            "capsule" => Geometry::Capsule(size(0)?, 2.0 * size(1)?),
            "cylinder" => Geometry::Cylinder(size(0)?, 2.0 * size(1)?),
            "plane" => Geometry::Plane,
            "mesh" => {
                let name = self.value(node, class, "mesh").unwrap_or_default();
                let found = self.assets.get(&name);
                let (file, scale) = found.ok_or_else(|| at(node, &format!("there is no mesh '{name}'")))?;
                Geometry::Mesh(file.clone(), *scale)
            }
            other => {
                let what = format!("type=\"{other}\": sphere, box, capsule, cylinder, plane and mesh are read");
                return Err(at(node, &what));
            }
        };
        Ok((frame, shape))
    }

    fn inertial(&self, node: Node, class: &str) -> Result<Inertial, String> {
        let mass = self.number(node, class, "mass")?.ok_or_else(|| at(node, "<inertial> needs 'mass'"))?;
        if !(mass > 0.0) {
            return Err(at(node, "the mass is not positive"));
        }
        let tensor =
            match (self.numbers::<3>(node, class, "diaginertia")?, self.numbers::<6>(node, class, "fullinertia")?) {
                (Some([x, y, z]), _) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
                (None, Some([x, y, z, xy, xz, yz])) => [[x, xy, xz], [xy, y, yz], [xz, yz, z]],
                (None, None) => return Err(at(node, "<inertial> needs 'diaginertia' or 'fullinertia'")),
            };
        Ok(Inertial { origin: self.frame(node, class)?, mass, tensor })
    }

    /// Mass and inertia of the shapes of a body.
    fn of_geoms(&self, geoms: &[(Node, (Frame, Geometry))], class: &str) -> Result<Option<Inertial>, String> {
        let mut all = vec![];
        for (node, (frame, shape)) in geoms {
            let given = self.number(*node, class, "mass")?;
            let density = self.number(*node, class, "density")?.unwrap_or(DENSITY);
            let Some((volume, moments)) = shape.solid() else {
                let what = "the mass of a body with a mesh or a plane is not computed: give it <inertial>";
                return Err(at(*node, what));
            };
            let mass = given.unwrap_or(density * volume);
            if mass > 0.0 {
                all.push((*frame, mass, moments.map(|m| m * mass / volume)));
            }
        }
        Ok(Inertial::sum(&all))
    }

    fn joint(&mut self, body: Node, [parent, child]: [usize; 2], class: &str) -> Result<Joint, String> {
        let joints: Vec<Node> =
            body.children().filter(|n| n.has_tag_name("joint") || n.has_tag_name("freejoint")).collect();
        let name = self.robot.links[child].name.clone();
        let mut made = Joint {
            name: format!("{name} joint"),
            kind: Kind::Fixed,
            parent,
            child,
            origin: self.frame(body, class)?,
            point: [0.0; 3],
            axis: [0.0, 0.0, 1.0],
            limits: None,
            effort: None,
            friction: 0.0,
            gains: None,
            damping: 0.0,
        };
        let Some(node) = joints.first().copied() else { return Ok(made) };
        if joints.len() > 1 {
            let what = format!("the body '{name}' has {} joints: put a body with a mass between them", joints.len());
            return Err(at(joints[1], &what));
        }
        let word = self.value(node, class, "type").unwrap_or_else(|| "hinge".into());
        made.kind = match word.as_str() {
            _ if node.has_tag_name("freejoint") => Kind::Free,
            "free" => Kind::Free,
            "hinge" => Kind::Hinge,
            "slide" => Kind::Slider,
            "ball" => Kind::Ball,
            other => return Err(at(node, &format!("type=\"{other}\": hinge, slide, ball and free are read"))),
        };
        if made.kind == Kind::Free && parent != 0 {
            return Err(at(node, "a free joint is for bodies of the world"));
        }
        made.name = node.attribute("name").map_or(made.name, str::to_owned);
        made.point = self.numbers(node, class, "pos")?.unwrap_or([0.0; 3]);
        if let Some(axis) = self.numbers::<3>(node, class, "axis")? {
            let size = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(size > 0.0) {
                return Err(at(node, "the axis has no length"));
            }
            made.axis = axis.map(|x| x / size);
        }
        let unit = if made.kind == Kind::Hinge { self.angle } else { 1.0 };
        let off = self.value(node, class, "limited").as_deref() == Some("false");
        if let Some(range) = self.numbers::<2>(node, class, "range")?.filter(|_| !off && made.kind != Kind::Ball) {
            if !(range[0] < range[1]) {
                return Err(at(
                    node,
                    &format!("range=\"{} {}\": the first is not below the second", range[0], range[1]),
                ));
            }
            made.limits = Some(range.map(|x| x * unit));
        }
        let not_negative = |x: Option<f64>| x.unwrap_or(0.0).max(0.0);
        made.friction = not_negative(self.number(node, class, "frictionloss")?);
        made.damping = not_negative(self.number(node, class, "damping")?);
        for key in ["stiffness", "armature"] {
            if self.number(node, class, key)?.is_some_and(|x| x != 0.0) {
                self.told.push(format!("the {key} of the joint '{}' is left out", made.name));
            }
        }
        Ok(made)
    }

    /// Actuators of joints.
    fn drive(&mut self) -> Result<(), String> {
        for node in self.actuators.clone() {
            let Some(name) = node.attribute("joint") else {
                let what = format!("<{}> without 'joint' is left out", node.tag_name().name());
                self.told.push(what);
                continue;
            };
            let found = self.robot.joints.iter().position(|j| j.name == name);
            let joint = found.ok_or_else(|| at(node, &format!("there is no joint '{name}'")))?;
            let of = |key: &str| self.number(node, "main", key);
            let range = |key: &str| -> Result<Option<f64>, String> {
                let found = self.numbers::<2>(node, "main", key)?;
                Ok(found.map(|r| r[0].abs().max(r[1].abs())).filter(|r| *r > 0.0))
            };
            let force = range("forcerange")?;
            let (effort, gains) = match node.tag_name().name() {
                "motor" => {
                    let gear = self.value(node, "main", "gear");
                    let gear = gear.and_then(|g| g.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(1.0);
                    (force.or(range("ctrlrange")?.map(|c| c * gear.abs())), None)
                }
                "position" => (force, Some([of("kp")?.unwrap_or(1.0), of("kv")?.unwrap_or(0.0)])),
                "velocity" => (force, Some([0.0, of("kv")?.unwrap_or(1.0)])),
                other => {
                    self.told.push(format!("the actuator <{other}> of the joint '{name}' is left out"));
                    continue;
                }
            };
            let made = &mut self.robot.joints[joint];
            if gains.is_none() && effort.is_none() {
                self.told.push(format!("the motor of the joint '{name}' has no range: it is left out"));
            }
            (made.effort, made.gains) = (effort, gains);
        }
        Ok(())
    }
}
