//! Scene files: TOML with diagnostics that point at the line, generators.
