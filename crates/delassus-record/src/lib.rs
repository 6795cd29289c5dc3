//! Runs on disk: HDF5, restart, VTK and CSV.
