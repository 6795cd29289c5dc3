//! The step of contact dynamics: subsystems, reduction, solve, energy ledger.
