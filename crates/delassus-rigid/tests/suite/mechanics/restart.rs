//! `n + m` steps equal `n` steps, save, load, `m` steps, bit for bit.

use super::invariants::heap;
use crate::common::*;
use delassus_contact::Shape3;
use delassus_rigid::{
    Adhesion, BodySpec, Friction, Interaction, Joint, JointKind, Mass, ModelParts, RigidModel, State, StepSettings,
    simulate,
};

/// Restarts after every `every` steps through the flat columns of the state.
fn check<const D: usize>(parts: ModelParts<D>, settings: StepSettings, steps: usize)
where
    delassus_contact::Dim<D>: delassus_rigid::Kinematics<D>,
{
    let start = || {
        let model = RigidModel::new(parts.clone()).expect("a model");
        let state = model.initial_state();
        simulate(model, state, settings.clone()).expect("a run")
    };
    let mut whole = start();
    let mut cut = start();
    for i in 0..steps {
        whole.step().expect("converges");
        cut.step().expect("converges");
        if i % 37 == 5 || i < 3 {
            let state = through_columns(cut.state());
            cut = start();
            cut.set_state(state).expect("belongs to the model");
        }
        assert_eq!(whole.state().hash(), cut.state().hash(), "step {i}");
    }
}

fn through_columns(state: &State) -> State {
    let (ids, images, numbers) = state.contact_columns();
    State {
        contacts: State::contacts_from_columns(&ids, &images, &numbers).expect("columns"),
        ..State { contacts: vec![], ..state.clone() }
    }
}

#[test]
fn a_heap_in_the_plane() {
    let law = Interaction::coulomb(0.4).with_restitution(0.2, 0.0);
    check(heap(24, law), StepSettings { tolerance: 1e-8, ..settings(1e-3) }, 600);
}

fn boxes(law: Interaction) -> ModelParts<3> {
    let mut parts = floor3([0.5, 0.0, -G].into(), law);
    for i in 0..6 {
        let at = [0.03 * f64::from(i % 2), 0.01 * f64::from(i), 0.06 + 0.11 * f64::from(i)];
        let shape = if i % 3 == 2 { Shape3::sphere(0.05) } else { Shape3::cuboid([0.12, 0.1, 0.1]) };
        parts.bodies.push(BodySpec::homogeneous(format!("{i}"), 800.0).at(at.into()).shape(shape.expect("a shape")));
    }
    parts
}

#[test]
fn boxes_and_balls_in_space() {
    check(boxes(Interaction::coulomb(0.3)), StepSettings { tolerance: 1e-8, ..settings(1e-3) }, 400);
}

#[test]
fn rolling_friction() {
    let law = Interaction::new(Friction::Rolling { mu: 0.4, mu_r: 0.002 });
    check(boxes(law), StepSettings { tolerance: 1e-7, ..settings(1e-3) }, 120);
}

#[test]
fn adhesion_with_damage() {
    let mut law = Interaction::coulomb(0.3);
    law.adhesion = Some(Adhesion {
        normal_stiffness: 1e4,
        tangential_stiffness: 1e4,
        energy: 1e-3,
        viscosity: 1e-4,
        intensity: 1.0,
        rebond: true,
    });
    check(boxes(law), StepSettings { tolerance: 1e-7, ..settings(5e-4) }, 300);
}

#[test]
fn joints() {
    let mut parts = boxes(Interaction::coulomb(0.3));
    let arm = BodySpec::dynamic("arm", Mass::principal(1.0, [0.01, 0.01, 0.002])).at([0.5, 0.5, 1.0].into());
    parts.bodies.push(arm.spinning([1.0, 2.0, 0.5]));
    let anchor = [0.5, 0.5, 1.2].into();
    parts.joints.push(Joint::new(JointKind::Hinge, [Some(7), None], anchor).about([0.0, 1.0, 0.0].into()));
    check(parts, StepSettings { tolerance: 1e-8, ..settings(1e-3) }, 200);
}
