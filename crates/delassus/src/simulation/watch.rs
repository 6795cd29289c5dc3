//! Quantities that are watched after every step
//!
//! ```text
//! force    F = Σ S / h                      over the contacts of `on` with `from`
//! stress   σ = 1/V Σ_i Σ_c F_ci ⊗ (x_i − x_c)   internal moments of the bodies inside, compression positive
//! fabric   1/N Σ_c n ⊗ n                    contacts that carry a force, of bodies inside
//! ```

use super::geometry::Drawn;
use delassus_contact::{Dim, Vector};
use delassus_rigid::{AnyContact, Kinematics, Report, RigidModel, State};
use delassus_scene::{Watched, Watching};

/// What a watched quantity is computed from.
pub struct Scenery<'a, const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    /// The model.
    pub model: &'a RigidModel<D>,
    /// Who is there.
    pub present: &'a [bool],
    /// Volumes of the bodies.
    pub volumes: &'a [f64],
    /// The state.
    pub state: &'a State,
    /// Contacts of the last step.
    pub contacts: &'a [AnyContact<D>],
    /// Its report.
    pub report: &'a Report,
    /// The state at the start of the run.
    pub origin: &'a State,
}

impl<const D: usize> Scenery<'_, D>
where
    Dim<D>: Kinematics<D>,
{
    fn is_free(&self, body: u32) -> bool {
        self.model.bodies().get(body as usize).is_some_and(|b| b.is_dynamic())
    }
}

/// Volumes of the bodies, of colliders and of what only is drawn.
pub fn volumes<const D: usize>(model: &RigidModel<D>, decor: &[delassus_contact::Collider<D>]) -> Vec<f64>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    let mut volumes = vec![0.0; model.bodies().len()];
    for c in model.colliders().iter().chain(decor) {
        volumes[c.body as usize] += Dim::<D>::volume(&c.shape);
    }
    volumes
}

/// Appends the numbers of a watched quantity, in the order of [`Watching::series`].
pub fn numbers<const D: usize>(watched: &Watched, look: &Scenery<'_, D>, out: &mut Vec<f64>)
where
    Dim<D>: Kinematics<D>,
{
    match &watched.what {
        Watching::Force { on, from, about } => force(look, on, (from.as_deref(), about), out),
        Watching::Joint(name) => joint(look, name, out),
        Watching::Region { corners, bodies } => {
            let volume = (0..D).map(|k| corners[1][k] - corners[0][k]).product();
            let meant = |b: u32| {
                bodies.as_ref().map_or_else(|| look.is_free(b), |list| list.binary_search(&b).is_ok()) && {
                    let x = look.model.centre_pose(look.state, b as usize).position;
                    (0..D).all(|k| corners[0][k] <= x[k] && x[k] <= corners[1][k])
                }
            };
            region(look, volume, &meant, out);
        }
        Watching::Cell => cell(look, out),
        Watching::Group(bodies) => group(look, bodies, out),
        Watching::Distance { bodies, points } => distance(look, bodies, points, out),
        // Of what is known after all others.
        Watching::Formula(_) => out.push(0.0),
    }
}

fn torque_of<const D: usize>(torque: [f64; 3], out: &mut Vec<f64>) {
    if D == 2 { out.push(torque[2]) } else { out.extend(torque) }
}

fn force<const D: usize>(
    look: &Scenery<'_, D>,
    on: &[u32],
    (from, about): (Option<&[u32]>, &Option<[f64; 3]>),
    out: &mut Vec<f64>,
) where
    Dim<D>: Kinematics<D>,
{
    let about = match about {
        Some(p) => Vector::<D>::from_fn(|k, _| p[k]),
        None => look.model.centre_pose(look.state, on[0] as usize).position,
    };
    let (mut sum, mut torque, mut count, mut power) = (Vector::<D>::zeros(), [0.0; 3], 0.0, 0.0);
    let acts = |b: u32, other: u32| {
        let meant = |list: &[u32], b: u32| list.binary_search(&b).is_ok();
        meant(on, b) && from.map_or(!meant(on, other), |f| meant(f, other))
    };
    for c in look.contacts {
        let [a, b] = c.contact.bodies;
        let sign = f64::from(u8::from(acts(a, b))) - f64::from(u8::from(acts(b, a)));
        if sign == 0.0 || c.percussion[..D].iter().all(|x| *x == 0.0) {
            continue;
        }
        let part = if look.report.part > 0.0 { sign / look.report.part } else { 0.0 };
        let f = c.contact.frame * Vector::<D>::from_column_slice(&c.percussion[..D]) * part;
        // Where the step lets it act.
        let middle = (c.contact.points[0] + c.contact.points[1]) * 0.5;
        let at = if sign > 0.0 { middle } else { middle - c.contact.shift };
        let moment = Dim::<D>::moment(&(at - about), &f);
        sum += f;
        (0..3).for_each(|k| torque[k] += moment[k]);
        count += 1.0;
        // As the ledger counts it: rolling and spinning too, at the velocities after the step.
        let slip: f64 = c.percussion.iter().zip(&c.velocity).skip(1).map(|(s, u)| s * u).sum();
        power += slip * part.abs();
    }
    out.extend(sum.iter());
    torque_of::<D>(torque, out);
    out.extend([count, power]);
}

/// Appends force, torque, drive and value of a joint; zeros where it is not there.
pub fn joint<const D: usize>(look: &Scenery<'_, D>, name: &str, out: &mut Vec<f64>)
where
    Dim<D>: Kinematics<D>,
{
    let found = look.model.joint_index(name).and_then(|i| look.model.joint_view(look.state, i));
    let Some(view) = found else {
        let width: usize = Watching::Joint(String::new()).series().iter().map(|s| Watching::width(s.3, D)).sum();
        out.extend(std::iter::repeat_n(0.0, width));
        return;
    };
    let (f, torque, drive) = view.percussion(&look.state.links);
    let rate = if look.report.part > 0.0 { 1.0 / look.report.part } else { 0.0 };
    out.extend((f * rate).iter());
    torque_of::<D>(torque.map(|t| t * rate), out);
    out.extend([drive * rate, view.value]);
}

/// Averages in the periodic cell, its lengths, its displacement.
fn cell<const D: usize>(look: &Scenery<'_, D>, out: &mut Vec<f64>)
where
    Dim<D>: Kinematics<D>,
{
    let periodic = look.model.periodic(look.state);
    let lengths = periodic.period.map(|p| p.unwrap_or(1.0));
    region(look, lengths.iter().product(), &|b| look.is_free(b), out);
    out.extend(lengths);
    out.push(periodic.shear.map_or(0.0, |s| s.offset / lengths[s.gradient]));
}

fn region<const D: usize>(look: &Scenery<'_, D>, volume: f64, meant: &dyn Fn(u32) -> bool, out: &mut Vec<f64>)
where
    Dim<D>: Kinematics<D>,
{
    let centre = |b: usize| look.model.centre_pose(look.state, b).position;
    let inside = |b: u32| look.present[b as usize] && meant(b);
    let (mut stress, mut fabric) = ([0.0; 9], [0.0; 9]);
    let (mut loaded, mut neighbours, mut before) = (0.0, 0.0, None);
    let rate = if look.report.part > 0.0 { 1.0 / look.report.part } else { 0.0 };
    for c in look.contacts.iter().filter(|c| c.percussion[..D].iter().any(|x| *x != 0.0)) {
        let within = c.contact.bodies.map(inside);
        if within == [false; 2] {
            continue;
        }
        let f = c.contact.frame * Vector::<D>::from_column_slice(&c.percussion[..D]) * rate;
        let middle = (c.contact.points[0] + c.contact.points[1]) * 0.5;
        for (k, sign) in [1.0, -1.0].into_iter().enumerate().filter(|(k, _)| within[*k]) {
            let at = if k == 0 { middle } else { middle - c.contact.shift };
            let arm = centre(c.contact.bodies[k] as usize) - at;
            (0..D * D).for_each(|m| stress[m] += sign * f[m / D] * arm[m % D] / volume);
        }
        let n = c.contact.frame.column(0);
        (0..D * D).for_each(|m| fabric[m] += n[m / D] * n[m % D]);
        loaded += 1.0;
        if before.replace(c.contact.key).is_none_or(|k: delassus_contact::ContactKey| !k.same_pair(&c.contact.key)) {
            neighbours += within.iter().filter(|w| **w).count() as f64;
        }
    }
    let members = (0..look.model.bodies().len()).filter(|b| inside(*b as u32));
    let (count, solid) = members.fold((0.0, 0.0), |(n, v), b| (n + 1.0, v + look.volumes[b]));
    out.extend(&stress[..D * D]);
    out.extend(fabric[..D * D].iter().map(|x| if loaded > 0.0 { x / loaded } else { 0.0 }));
    out.extend([solid / volume, if count > 0.0 { neighbours / count } else { 0.0 }, count]);
}

fn group<const D: usize>(look: &Scenery<'_, D>, bodies: &[u32], out: &mut Vec<f64>)
where
    Dim<D>: Kinematics<D>,
{
    let (mut count, mut mass, mut kinetic, mut speed) = (0.0, 0.0, 0.0, 0.0_f64);
    let (mut turns, mut potential) = (0.0, 0.0);
    let (mut at, mut velocity) = (Vector::<D>::zeros(), Vector::<D>::zeros());
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let dofs = <Dim<D> as Kinematics<D>>::DOFS;
    for b in bodies.iter().map(|b| *b as usize).filter(|b| look.present[*b]) {
        let (body, x) = (&look.model.bodies()[b], look.model.centre_pose(look.state, b).position);
        let u = &look.state.u[dofs * b..dofs * (b + 1)];
        let v = Vector::<D>::from_column_slice(&u[..D]);
        // Bodies that are held have no mass: they count alike.
        let m = if body.mass > 0.0 { body.mass } else { 1.0 };
        (count, mass) = (count + 1.0, mass + m);
        (at, velocity) = (at + x * m, velocity + v * m);
        (lowest, highest) = (lowest.min(x[D - 1]), highest.max(x[D - 1]));
        speed = speed.max(v.norm());
        let turning: f64 = u[D..].iter().zip(body.inertia).map(|(w, i)| 0.5 * i * w * w).sum();
        kinetic += 0.5 * body.mass * v.norm_squared() + turning;
        turns += turning;
        potential -= body.weight * look.model.gravity().dot(&x);
    }
    let over = |v: Vector<D>| if mass > 0.0 { v / mass } else { v };
    let some = |x: f64| if count > 0.0 { x } else { 0.0 };
    out.push(count);
    out.extend(over(at).iter());
    out.extend(over(velocity).iter());
    out.extend([some(lowest), some(highest), speed, kinetic, turns, potential]);
}

fn distance<const D: usize>(look: &Scenery<'_, D>, bodies: &[u32; 2], points: &[[f64; 3]; 2], out: &mut Vec<f64>)
where
    Dim<D>: Kinematics<D>,
{
    let local = |k: usize| Vector::<D>::from_fn(|i, _| points[k][i]);
    let place = |b: u32, k: usize| look.model.pose(look.state, b as usize).point(&local(k));
    let other = match bodies[1] {
        u32::MAX => look.model.pose(look.origin, bodies[0] as usize).point(&local(0)),
        b => place(b, 1),
    };
    let apart = place(bodies[0], 0) - other;
    out.extend(apart.iter());
    out.push(apart.norm());
}
