//! Every dependency has a licence of the list in deny.toml; none comes from elsewhere
//! than the registry. Needs cargo alone, where `cargo deny` may be missing.

use std::path::Path;
use std::process::Command;

#[test]
fn licences_are_allowed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let deny = std::fs::read_to_string(root.join("deny.toml")).expect("deny.toml exists");
    let list = deny.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list `allow`");
    let allowed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    // Of one crate each: { allow = ["LICENCE"], crate = "NAME" }.
    let exceptions: Vec<(&str, &str)> = deny
        .lines()
        .find(|l| l.starts_with("exceptions"))
        .into_iter()
        .flat_map(|line| line.split('{').skip(1))
        .filter_map(|one| Some((one.split('"').nth(1)?, one.split("crate = \"").nth(1)?.split('"').next()?)))
        .collect();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .current_dir(&root)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(packages.len() > 20, "too few packages to be true");
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or(""));
        let mut allowed = allowed.clone();
        allowed.extend(exceptions.iter().filter(|e| Some(e.1) == name.as_str()).map(|e| e.0));
        assert!(accepts(licence, &allowed), "{name}: licence '{licence}' is not in deny.toml");
        let source = package["source"].as_str().unwrap_or("registry+");
        assert!(source.starts_with("registry+") || source.starts_with("sparse+"), "{name}: from {source}");
    }
}

/// An SPDX expression of names, AND, OR and one level of parentheses: all of the
/// conjuncts need one of their alternatives.
fn accepts(licence: &str, allowed: &[&str]) -> bool {
    let licence = licence.replace('/', " OR ").replace(['(', ')'], " ");
    licence.split(" AND ").all(|part| part.split(" OR ").any(|name| allowed.contains(&name.trim())))
}

#[test]
fn expressions_are_understood() {
    let allowed = ["MIT", "Unicode-3.0"];
    assert!(accepts("MIT OR Apache-2.0", &allowed) && accepts("Apache-2.0/MIT", &allowed));
    assert!(accepts("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed));
    assert!(!accepts("MIT AND GPL-3.0", &allowed) && !accepts("", &allowed));
}
