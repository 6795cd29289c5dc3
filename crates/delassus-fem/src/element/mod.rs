//! Shape functions and quadratures of the reference cells
