//! Parts with schemes of their own
//!
//! Each part has its coefficients of the step, so that `A` is symmetric by blocks; what ties the parts speaks of
//! velocities at the end, which every scheme has as its unknowns.

use super::SolidSettings;
use super::cycle::Cycle;
use crate::model::Model;
use crate::{Prediction, Scheme};
use std::ops::Range;

/// Coefficients by degree of freedom.
#[derive(Default)]
pub struct Mixed {
    /// Degrees of freedom with another scheme than the rest.
    own: Vec<(Range<usize>, Scheme)>,
    rest: Option<Scheme>,
    /// `k_u`, `k_a`.
    pub k: [Vec<f64>; 2],
    /// Weight of internal forces at the end; the rest is taken at the beginning.
    pub internal: Vec<f64>,
    /// Weight of loads at the end.
    pub load: Vec<f64>,
    /// γ: share of the forces of the step in the change of velocity.
    pub gamma: Vec<f64>,
    /// Factors of the tangent: of `∂F/∂u`, of `∂F/∂v`.
    pub tangent: [Vec<f64>; 2],
    /// `h k_a`.
    pub rates: Vec<f64>,
    scratch: Prediction,
}

/// What a step needs of a scheme: weights of internal forces and loads, γ.
fn shares(scheme: Scheme) -> [f64; 3] {
    match scheme {
        // Internal forces of the beginning.
        Scheme::SemiExplicit { .. } => [0.0, 1.0, 1.0],
        Scheme::CentralDifferences => [1.0, 1.0, 0.5],
        _ => [scheme.weight(), scheme.weight(), scheme.newmark().map_or(1.0, |x| x.1)],
    }
}

impl Mixed {
    /// Those of a model; none where one scheme serves all and nothing asks for a matrix.
    pub fn new(model: &Model, settings: &SolidSettings) -> Option<Self> {
        let tied = !model.ties.is_empty() && settings.scheme.is_explicit();
        if settings.schemes.is_empty() && settings.every.is_empty() && !tied {
            return None;
        }
        let own = settings.schemes.iter().flat_map(|(owner, scheme)| {
            let ranges = model.ranges(*owner);
            ranges.into_iter().map(move |range| (range, *scheme))
        });
        let n = model.dofs();
        let zero = || vec![0.0; n];
        Some(Self {
            own: own.collect(),
            rest: Some(settings.scheme),
            k: [zero(), zero()],
            internal: zero(),
            load: zero(),
            gamma: zero(),
            tangent: [zero(), zero()],
            rates: zero(),
            scratch: Prediction::default(),
        })
    }

    /// Degrees of freedom whose mass is lumped.
    pub fn lumped(&self, n: usize) -> Vec<bool> {
        let mut lumped = vec![self.rest.is_some_and(|s| s.is_explicit()); n];
        self.own.iter().for_each(|(range, scheme)| lumped[range.clone()].fill(scheme.is_explicit()));
        lumped
    }

    /// Whether some internal forces are those of the beginning.
    pub fn looks_back(&self) -> bool {
        let back = |s: Scheme| shares(s)[0] != 1.0;
        self.rest.is_some_and(back) || self.own.iter().any(|(_, s)| back(*s))
    }

    /// The step of length `h` from `(u, v, a)`; `x` becomes the unknowns it begins with. Long steps begin where they
    /// began.
    pub fn predict(&mut self, h: f64, now: [&[f64]; 3], cycle: Option<&Cycle>, out: &mut Prediction, x: &mut [f64]) {
        let n = now[0].len();
        let all: Vec<(Range<usize>, Scheme)> =
            self.rest.map(|s| (0..n, s)).into_iter().chain(self.own.iter().cloned()).collect();
        let long = cycle.into_iter().flat_map(|c| &c.ranges).map(|(range, long)| {
            let own = all.iter().rev().find(|(r, _)| r.start <= range.start && range.end <= r.end);
            (range.clone(), own.map_or(Scheme::TRAPEZOIDAL, |o| o.1), *long)
        });
        let all = all.iter().map(|(r, s)| (r.clone(), *s, 0.0)).chain(long);
        for (range, scheme, long) in all {
            let [u, v, a] = match cycle {
                Some(c) if long > 0.0 => [&c.base[0][..], &c.base[1], &c.base[2]],
                _ => now,
            };
            let length = if long > 0.0 { long } else { h };
            let p = &mut self.scratch;
            let r = || range.clone();
            explicit_last(scheme).predict(length, [&u[r()], &v[r()], &a[r()]], p);
            out.u[r()].copy_from_slice(&p.u);
            out.a[r()].copy_from_slice(&p.a);
            for (k, value) in self.k.iter_mut().zip(p.k) {
                k[r()].fill(value);
            }
            let [internal, load, gamma] = shares(scheme);
            self.internal[r()].fill(internal);
            self.load[r()].fill(load);
            self.gamma[r()].fill(gamma);
            for i in r() {
                x[i] = scheme.start(length, v[i], a[i]);
                self.tangent[0][i] = h * internal * p.k[0];
                self.tangent[1][i] = h * internal;
                self.rates[i] = h * p.k[1];
            }
        }
    }
}

/// Central differences with velocities of the end: Newmark's scheme with β = 0.
fn explicit_last(scheme: Scheme) -> Scheme {
    match scheme {
        Scheme::CentralDifferences => Scheme::Newmark { beta: 0.0, gamma: 0.5 },
        other => other,
    }
}
