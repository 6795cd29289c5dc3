//! The documents name what is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Texts between single backquotes, blocks left out.
fn quoted(text: &str) -> Vec<&str> {
    let mut inside_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside_block = !inside_block;
        } else if !inside_block {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    found
}

/// A word with a slash that starts at the root of the repository, or a name of the tree.
fn is_path(word: &str) -> bool {
    let roots = ["crates/", "benches/", "book/", "scripts/", "examples/", "fuzz/", ".ci/"];
    roots.iter().any(|r| word.starts_with(r)) && !word.contains(['*', ' ', '<'])
}

#[test]
fn paths_of_architecture_exist() {
    let text = read("ARCHITECTURE.md");
    let paths: BTreeSet<&str> = quoted(&text).into_iter().filter(|w| is_path(w)).collect();
    assert!(paths.len() > 10, "only {paths:?}");
    let gone: Vec<_> = paths.iter().filter(|p| !root().join(p).exists()).collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md names what does not exist: {gone:?}");
}

/// Every crate of the workspace is described, and every module file of it.
#[test]
fn crates_are_described() {
    let text = read("ARCHITECTURE.md");
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/ exists") {
        let name = entry.expect("readable").file_name();
        let name = name.to_str().expect("UTF-8");
        assert!(text.contains(&format!("`crates/{name}`")), "crates/{name} is not described in ARCHITECTURE.md");
    }
}

/// Each dependency has its reason.
#[test]
fn dependencies_have_reasons() {
    let (manifest, text) = (read("Cargo.toml"), read("ARCHITECTURE.md"));
    let section = manifest.split("[workspace.dependencies]").nth(1).expect("the section exists");
    let section = section.split("\n[").next().expect("split gives one part at least");
    for line in section.lines().filter(|l| !l.trim_start().starts_with('#')) {
        let Some((name, _)) = line.split_once('=') else { continue };
        assert!(text.contains(&format!("`{}`", name.trim())), "{} has no reason in ARCHITECTURE.md", name.trim());
    }
}

/// The chapter on validation names tests and scenes that are there, and every line of its tables names one.
#[test]
fn validation_names_what_exists() {
    let text = read("book/src/validation.md");
    let mut wrong = vec![];
    for line in text.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| claim")) {
        let names: Vec<&str> =
            quoted(line).into_iter().filter(|w| w.contains("::") || w.starts_with("delassus ")).collect();
        if names.is_empty() {
            wrong.push(format!("nothing shows: {line}"));
        }
        wrong.extend(names.into_iter().filter(|name| !is_shown(name)).map(str::to_owned));
    }
    assert!(wrong.is_empty(), "book/src/validation.md: {wrong:#?}");
}

/// Whether a test `crate/file::name`, or the scene of a command, exists.
fn is_shown(name: &str) -> bool {
    let Some((place, test)) = name.split_once("::") else {
        return name.split(' ').skip(2).any(|word| root().join(format!("scenes/{word}.toml")).exists());
    };
    let Some((krate, file)) = place.split_once('/') else { return false };
    ["tests/suite", "tests", "src"].iter().any(|folder| {
        let source = root().join(format!("crates/{krate}/{folder}/{file}.rs"));
        std::fs::read_to_string(source).is_ok_and(|text| text.contains(&format!("fn {test}(")))
    })
}

/// Links between the documents lead somewhere.
#[test]
fn links_of_documents_exist() {
    let mut documents: Vec<PathBuf> = "README ARCHITECTURE NOTATION REFERENCES CHANGELOG CONTRIBUTING"
        .split(' ')
        .map(|n| root().join(format!("{n}.md")))
        .collect();
    let book = std::fs::read_dir(root().join("book/src")).expect("the book exists");
    documents.extend(book.map(|e| e.expect("readable").path()).filter(|p| p.extension().is_some_and(|e| e == "md")));
    for document in documents {
        let text = std::fs::read_to_string(&document).expect("readable");
        let folder = document.parent().expect("below the root");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(folder.join(target).exists(), "{}: link to {target}", document.display());
        }
    }
}

/// A key in brackets resolves in REFERENCES.md.
#[test]
fn references_resolve() {
    let known = read("REFERENCES.md");
    let mut sources = Vec::new();
    collect(&root().join("crates"), &mut sources);
    collect(&root().join("book"), &mut sources);
    let mut unknown = BTreeSet::new();
    for source in sources {
        let text = std::fs::read_to_string(&source).expect("readable");
        for key in text.split('[').skip(1).filter_map(|rest| rest.split([']', ' ', ',', '`']).next()) {
            // Surnames and two digits: [Moreau86], [AlartCurnier91].
            let stem = key.trim_end_matches(|c: char| c.is_ascii_digit());
            let digits = key.len() - stem.len();
            let name = stem.len() > 3 && stem.starts_with(|c: char| c.is_ascii_uppercase());
            let is_key = digits == 2 && name && stem.chars().all(char::is_alphabetic);
            if is_key && !known.contains(&format!("`[{key}]`")) {
                unknown.insert(format!("[{key}] in {}", source.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "not in REFERENCES.md: {unknown:#?}");
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "md") {
            found.push(path);
        }
    }
}
