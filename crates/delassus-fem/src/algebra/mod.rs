//! Sparse matrices: patterns known before values, factorisations reused
