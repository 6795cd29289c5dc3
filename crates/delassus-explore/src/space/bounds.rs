//! The questions about equilibrium, answered in space.

use super::conic::{Conic, End, Extra};
use super::sandwich::sandwich;
use crate::equilibrium::{Bounds, BoundsSettings, Equilibrium, Network, Reaction, Tick, margin};
use crate::limit::{Limit, Live, free};
use crate::{Error, Statics};
use delassus_friction::algebra::Vector;
use rayon::prelude::*;

/// Contacts that share one program. Fixed, so that the answer does not depend on threads.
const SHARING: usize = 4;

/// Gap at which a set in space is known well enough.
const GAP: f64 = 0.02;

/// Distance that counts as none, relative to the larger of the loads and the reactions.
const PRECISION: f64 = 1e-7;

fn network<const D: usize>(statics: &Statics<D>, program: &Conic<D>) -> Network<D> {
    let percussions = program.network();
    Network { margin: margin(statics, &percussions, &[]), percussions, capped: program.capped(), idle: vec![] }
}

fn any<const D: usize>(statics: &Statics<D>) -> Result<Option<Network<D>>, Error> {
    if statics.unsupported().is_some() {
        return Ok(None);
    }
    let mut program = Conic::new(statics, Extra::Imbalance)?;
    let found = program.balance()? == End::Solved;
    Ok(found.then(|| Network { capped: false, ..network(statics, &program) }))
}

fn widened<const D: usize>(statics: &Statics<D>) -> Result<Option<Network<D>>, Error> {
    if any(statics)?.is_none() {
        return Ok(None);
    }
    let mut program = Conic::new(statics, Extra::Margin)?;
    match program.widen()? {
        End::Solved => Ok(Some(network(statics, &program))),
        End::Empty => Ok(None),
        End::Unbounded => Err(Error::Search { reason: "a margin without bound".into() }),
    }
}

fn reaction<const D: usize>(
    program: &mut Conic<D>,
    contact: usize,
    settings: &BoundsSettings,
) -> Result<Reaction<D>, Error> {
    let normal = Vector::from_fn(|k, _| f64::from(k == 0));
    if program.support(contact, &normal)? == End::Unbounded {
        let ray = program.reaction(contact);
        let rays = vec![ray / ray.norm().max(f64::MIN_POSITIVE)];
        return Ok(Reaction { contact, vertices: vec![], outer: vec![], gap: f64::INFINITY, rays });
    }
    let size = program.reaction(contact).norm().max(0.1 * program.scale());
    let mut support = |d: &Vector<3>| {
        let direction = Vector::from_fn(|k, _| if k < 3 { d[k] } else { 0.0 });
        match program.support(contact, &direction)? {
            End::Solved => {
                let s = program.reaction(contact);
                Ok((Vector::<3>::from_fn(|k, _| s[k]), program.bound()))
            }
            other => Err(Error::Program { contact, reason: format!("{other:?}") }),
        }
    };
    let found = sandwich(&mut support, (settings.gap.unwrap_or(GAP), settings.directions), PRECISION * size)?;
    let wide =
        |list: Vec<Vector<3>>| list.iter().map(|p| Vector::from_fn(|k, _| if k < 3 { p[k] } else { 0.0 })).collect();
    Ok(Reaction { contact, vertices: wide(found.inner), outer: wide(found.outer), gap: found.gap, rays: vec![] })
}

fn all<const D: usize>(statics: &Statics<D>, settings: &BoundsSettings, tick: Tick) -> Result<Bounds<D>, Error> {
    let list = settings.list(statics)?;
    if any(statics)?.is_none() {
        return Ok(Bounds::Empty);
    }
    let parts: Result<Vec<Vec<Reaction<D>>>, Error> = list
        .par_chunks(SHARING)
        .map(|contacts| {
            tick(0);
            let mut program = Conic::new(statics, Extra::None)?;
            let each = contacts.iter().map(|c| {
                let found = reaction(&mut program, *c, settings);
                tick(1);
                found
            });
            each.collect()
        })
        .collect();
    Ok(Bounds::Reactions(parts?.into_iter().flatten().collect()))
}

/// The largest multiple of a further load.
fn limit<const D: usize>(statics: &Statics<D>, live: &[f64]) -> Result<Option<Limit<D>>, Error> {
    let Live { statics: grown, block, unit } = Live::new(statics, live)?;
    if grown.unsupported().is_some() {
        return Ok(None);
    }
    let mut program = Conic::new(&grown, Extra::None)?;
    let normal = Vector::from_fn(|k, _| f64::from(k == 0));
    let end = match program.support(block, &normal) {
        Ok(End::Empty) => return Ok(None),
        Ok(end) => end,
        // A program whose answer is not clear is judged by one that always has an answer.
        Err(error) => match any(&grown)? {
            None => return Ok(None),
            Some(_) => return Err(error),
        },
    };
    if end == End::Unbounded {
        return Ok(Some(Limit { largest: f64::INFINITY, network: None, mechanism: vec![] }));
    }
    let largest = unit * program.reaction(block)[0];
    let mut percussions = program.network();
    percussions.remove(block);
    let mechanism = program.mechanism(&grown);
    let found = Network { margin: margin(statics, &percussions, &[]), percussions, capped: false, idle: vec![] };
    Ok(Some(Limit { largest, network: Some(found), mechanism }))
}

/// Forces on some equations that can be balanced.
fn withstood<const D: usize>(
    statics: &Statics<D>,
    rows: &[usize],
    settings: &BoundsSettings,
) -> Result<Option<Reaction<D>>, Error> {
    let (grown, contact) = free(statics, rows)?;
    if any(&grown)?.is_none() {
        return Ok(None);
    }
    let mut program = Conic::new(&grown, Extra::None)?;
    let (mut rays, mut size) = (vec![], 0.1 * program.scale());
    for k in 0..rows.len() {
        for sign in [1.0, -1.0] {
            let direction = Vector::from_fn(|i, _| if i == k { sign } else { 0.0 });
            match program.support(contact, &direction)? {
                End::Solved => size = size.max(program.reaction(contact).norm()),
                _ => rays.push(direction),
            }
        }
    }
    if !rays.is_empty() {
        return Ok(Some(Reaction { contact, vertices: vec![], outer: vec![], gap: f64::INFINITY, rays }));
    }
    let mut support = |d: &Vector<3>| {
        let direction: Vector<D> = Vector::from_fn(|k, _| if k < rows.len().min(3) { d[k] } else { 0.0 });
        if direction.norm() == 0.0 {
            return Ok((Vector::<3>::zeros(), 0.0));
        }
        match program.support(contact, &direction)? {
            End::Solved => {
                let s = program.reaction(contact);
                Ok((Vector::<3>::from_fn(|k, _| if k < rows.len() { s[k] } else { 0.0 }), program.bound()))
            }
            other => Err(Error::Program { contact, reason: format!("{other:?}") }),
        }
    };
    let found = sandwich(&mut support, (settings.gap.unwrap_or(GAP), settings.directions), PRECISION * size)?;
    let wide =
        |list: Vec<Vector<3>>| list.iter().map(|p| Vector::from_fn(|k, _| if k < 3 { p[k] } else { 0.0 })).collect();
    Ok(Some(Reaction { contact, vertices: wide(found.inner), outer: wide(found.outer), gap: found.gap, rays: vec![] }))
}

macro_rules! conic {
    ($($d:literal),*) => {
        $(impl Equilibrium<$d> for Statics<$d> {
            fn any(&self) -> Result<Option<Network<$d>>, Error> {
                any(self)
            }

            fn bounds(&self, settings: &BoundsSettings, tick: Tick) -> Result<Bounds<$d>, Error> {
                all(self, settings, tick)
            }

            fn most_stable(&self) -> Result<Option<Network<$d>>, Error> {
                widened(self)
            }

            fn limit(&self, live: &[f64]) -> Result<Option<Limit<$d>>, Error> {
                limit(self, live)
            }

            fn withstood(&self, rows: &[usize], settings: &BoundsSettings) -> Result<Option<Reaction<$d>>, Error> {
                withstood(self, rows, settings)
            }

            fn extreme(&self, contact: usize, direction: &Vector<$d>) -> Result<Option<Network<$d>>, Error> {
                self.check_contact(contact)?;
                if any(self)?.is_none() {
                    return Ok(None);
                }
                let mut program = Conic::new(self, Extra::None)?;
                let end = program.support(contact, direction)?;
                Ok((end == End::Solved).then(|| network(self, &program)))
            }
        })*
    };
}

conic!(3, 4, 5, 6);
