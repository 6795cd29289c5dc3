//! What messages advise exists
//!
//! Every key of a scene that a message of the program names, `table.key`, is one of the schema.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::Path;

/// String literals of a source file, comments and its tests left out.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let (mut found, mut inside, mut escaped, mut text) = (vec![], false, false, String::new());
    for c in code.chars() {
        match (inside, c) {
            (true, _) if escaped => {
                text.push(c);
                escaped = false;
            }
            (true, '\\') => escaped = true,
            (true, '"') => {
                found.push(std::mem::take(&mut text));
                inside = false;
            }
            (true, _) => text.push(c),
            (false, '"') => inside = true,
            _ => {}
        }
    }
    found
}

/// Words of the form `table.key` that begin with one of the tables.
fn keys(text: &str, tables: &[String]) -> Vec<(String, String)> {
    let word = |c: char| c.is_ascii_lowercase() || c == '_' || c == '.';
    let mut out = vec![];
    for token in text.split(|c: char| !word(c)) {
        let mut parts = token.trim_matches('.').split('.');
        let (Some(table), Some(key)) = (parts.next(), parts.next()) else { continue };
        if tables.iter().any(|t| t == table) && !key.is_empty() {
            out.push((table.to_owned(), key.to_owned()));
        }
    }
    out
}

fn sources(folder: &Path, out: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The definition that a property refers to.
fn resolve<'a>(schema: &'a Value, mut value: &'a Value) -> &'a Value {
    loop {
        if let Some(name) = value["$ref"].as_str() {
            value = schema.pointer(name.trim_start_matches('#')).unwrap();
        } else if let Some(one) = value["anyOf"].as_array().and_then(|list| list.first()) {
            value = one;
        } else {
            return value;
        }
    }
}

#[test]
fn keys_that_messages_name_are_in_the_schema() {
    let schema: Value = serde_json::from_str(&delassus::scene::schema()).unwrap();
    // Tables with keys of their own; of those that hold named things, the names are the user's.
    let tables: Vec<(String, Vec<String>)> = schema["properties"]
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(name, value)| {
            let keys = resolve(&schema, value)["properties"].as_object()?;
            Some((name.clone(), keys.keys().cloned().collect()))
        })
        .collect();
    let names: Vec<String> = tables.iter().map(|t| t.0.clone()).collect();
    for expected in ["time", "analysis", "solver"] {
        assert!(names.iter().any(|n| n == expected), "{expected} is not among {names:?}");
    }
    let mut files = vec![];
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let folder = entry.unwrap().path().join("src");
        if folder.is_dir() {
            sources(&folder, &mut files);
        }
    }
    let (mut seen, mut wrong) = (0, vec![]);
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        for text in literals(&source) {
            for (table, key) in keys(&text, &names) {
                seen += 1;
                let known = tables.iter().any(|(name, keys)| *name == table && keys.contains(&key));
                if !known {
                    wrong.push(format!("{}: {table}.{key} in {text:?}", file.display()));
                }
            }
        }
    }
    assert!(seen >= 3, "messages name keys: the search found {seen}");
    assert!(wrong.is_empty(), "messages name keys that no scene has:\n{}", wrong.join("\n"));
}

/// The search itself finds what it should.
#[test]
fn a_key_that_does_not_exist_is_found() {
    let tables = ["analysis".to_owned(), "loops".to_owned()];
    let text = literals("fn f() { // \"no.no\"\n  let a = \"more `analysis.statuses`, or loops.statuses\"; }");
    let found: Vec<_> = text.iter().flat_map(|t| keys(t, &tables)).collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(found, [pair("analysis", "statuses"), pair("loops", "statuses")]);
}
