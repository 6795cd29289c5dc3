//! Solvers compiled once for each number of components, here
//!
//! A generic function is compiled again in every crate that calls it, and the solvers are most of
//! this one. Problems are therefore handed to functions that are not generic; the copy of the
//! percussions that this takes is nothing beside a solve.

use super::{Monitor, Settings, Solution, run};
use crate::algebra::Vector;
use crate::{Error, Problem};
use std::any::Any;

macro_rules! compiled {
    ($($function:ident: $components:literal),*) => {
        $(
            #[inline(never)]
            fn $function(
                problem: &Problem<$components>,
                settings: &Settings,
                s: &mut [Vector<$components>],
                monitor: &mut dyn Monitor,
            ) -> Result<Solution, Error> {
                run(problem, settings, s, monitor)
            }
        )*

        /// Solves a problem of 2 to 6 components, which is all that laws know.
        pub(super) fn solve<const D: usize>(
            problem: &Problem<D>,
            settings: &Settings,
            s: &mut [Vector<D>],
            monitor: &mut dyn Monitor,
        ) -> Result<Solution, Error> {
            let mut copy = s.to_vec();
            let (problem, percussions): (&dyn Any, &mut dyn Any) = (problem, &mut copy);
            let solution = match D {
                $($components => {
                    let same = "types of as many components are the same";
                    let percussions: &mut Vec<Vector<$components>> = percussions.downcast_mut().expect(same);
                    $function(problem.downcast_ref().expect(same), settings, percussions, monitor)
                })*
                _ => {
                    let reason = "contacts of this dimension: 2 to 6 components are known";
                    Err(Error::Unsupported { solver: "this version", reason })
                }
            };
            s.copy_from_slice(&copy);
            solution
        }
    };
}

compiled!(two: 2, three: 3, four: 4, five: 5, six: 6);
