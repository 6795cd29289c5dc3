//! The contact problem of the coming step with the balance of the bodies, taken out of the engine.

use crate::{StepError, World};
use delassus_contact::{Contact, Dim, Space};
use delassus_dynamics::Operator;
use delassus_friction::Problem;
use delassus_friction::algebra::Vector;
use std::any::Any;

/// What the step will solve, for contacts of `C` components; blocks are the contacts, then the joints.
#[derive(Clone, Debug)]
pub struct StepBlocks<const C: usize> {
    /// `W`, `b` and the laws.
    pub problem: Problem<C>,
    /// Percussions of the last step.
    pub start: Vec<Vector<C>>,
    /// `(block, equation, coefficients)`: the entries of `Gᵀ` on the bodies that move freely; none with solids.
    pub balance: Vec<(usize, usize, Vector<C>)>,
    /// `A u_free` by equation: momentum before the step and percussions of the loads \[N·s, N·m·s\].
    pub load: Vec<f64>,
    /// `A` by equation \[kg, kg·m²\].
    pub inertia: Vec<f64>,
    /// The degree of freedom of each equation.
    pub dofs: Vec<u32>,
}

/// [`StepBlocks`] for the contact space of a model.
#[derive(Clone, Debug)]
pub enum AnyBlocks {
    /// Normal and tangent.
    Two(StepBlocks<2>),
    /// Space, or plane with rolling.
    Three(StepBlocks<3>),
    /// Space with spinning.
    Four(StepBlocks<4>),
    /// Space with rolling.
    Five(StepBlocks<5>),
    /// Space with rolling and spinning.
    Six(StepBlocks<6>),
}

/// The coming step in dimension `D`.
#[derive(Clone, Debug)]
pub struct NextBlocks<const D: usize> {
    /// Contacts that take part.
    pub contacts: Vec<Contact<D>>,
    /// The body of each equation of balance.
    pub body: Vec<u32>,
    /// The problem.
    pub blocks: AnyBlocks,
    /// Length of the step \[s\].
    pub h: f64,
}

impl AnyBlocks {
    /// The variant of a contact space.
    fn new<const C: usize>(blocks: StepBlocks<C>) -> Self {
        fn is<const C: usize>(blocks: Box<dyn Any>) -> StepBlocks<C> {
            *blocks.downcast().expect("the components were compared")
        }
        let blocks: Box<dyn Any> = Box::new(blocks);
        match C {
            2 => Self::Two(is(blocks)),
            3 => Self::Three(is(blocks)),
            4 => Self::Four(is(blocks)),
            5 => Self::Five(is(blocks)),
            _ => Self::Six(is(blocks)),
        }
    }
}

pub(crate) fn blocks<const D: usize, const C: usize>(world: &mut World<D, C>) -> Result<NextBlocks<D>, StepError>
where
    Dim<D>: Space<D>,
{
    // Solids have no balance of forces alone: then the problem says everything.
    let mut bodies = None;
    for (k, operator) in world.operators().enumerate() {
        match operator {
            Operator::Bodies { inverse, width } if k == 0 => bodies = Some((inverse.to_vec(), width)),
            _ => bodies = None,
        }
    }
    let (inverse, dofs) = bodies.unwrap_or_default();
    let next = world.next_step()?;
    // Bodies whose motion is given have no balance to keep.
    let mut equation = vec![usize::MAX; inverse.len()];
    let (mut body, mut load, mut inertia, mut of) = (vec![], vec![], vec![], vec![]);
    for (d, inverse) in inverse.iter().enumerate().filter(|x| *x.1 > 0.0) {
        equation[d] = load.len();
        load.push(next.free[d] / inverse);
        inertia.push(1.0 / inverse);
        of.push(d as u32);
        body.push((d / dofs) as u32);
    }
    let mut balance = vec![];
    for block in 0..next.rows.len() {
        for side in next.rows.sides(block) {
            for k in side.range() {
                let row = equation.get(next.rows.dofs()[k] as usize).copied().unwrap_or(usize::MAX);
                if row != usize::MAX {
                    balance.push((block, row, next.rows.columns()[k]));
                }
            }
        }
    }
    let blocks =
        StepBlocks { problem: next.problem.clone(), start: next.start.to_vec(), balance, load, inertia, dofs: of };
    Ok(NextBlocks { contacts: next.contacts, body, blocks: AnyBlocks::new(blocks), h: next.h })
}
