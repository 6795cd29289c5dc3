//! Whatever the text, reading a scene gives a scene or diagnostics, never a panic.

use delassus_scene::{Scene, gallery};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

const MUTATIONS: usize = 10_000;

const PIECES: [&str; 24] = [
    "=",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    ",",
    ".",
    "-1",
    "0",
    "1e400",
    "nan",
    "inf",
    "\n",
    "[[body]]\n",
    "[law]\n",
    "é",
    "\"=1/0\"",
    "\"=x\"",
    "true",
    "1979-05-27",
    "99999999999999999999",
    "kind = 'grid'\n",
];

/// Changes a text at one to four places: a deletion, an insertion, a copy of another part.
fn mutate(text: &str, rng: &mut StdRng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..chars.len());
        let end = (at + rng.random_range(1..12)).min(chars.len());
        match rng.random_range(0..4) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let piece = PIECES.choose(rng).expect("not empty");
                drop(chars.splice(at..at, piece.chars()));
            }
            2 => {
                let piece = PIECES.choose(rng).expect("not empty");
                drop(chars.splice(at..end, piece.chars()));
            }
            _ => {
                let from = rng.random_range(0..chars.len());
                let copy: Vec<char> = chars[from..(from + 30).min(chars.len())].to_vec();
                drop(chars.splice(at..at, copy));
            }
        }
        if chars.is_empty() {
            chars.push('x');
        }
    }
    chars.into_iter().collect()
}

#[test]
fn random_mutations_never_panic() {
    let mut rng = StdRng::seed_from_u64(20);
    let mut read = 0;
    for _ in 0..MUTATIONS {
        let example = gallery().choose(&mut rng).expect("not empty");
        let text = mutate(example.text, &mut rng);
        match Scene::parse(&text, "mutated.toml", &[]) {
            Ok(scene) => {
                read += 1;
                // Building a large scene takes a while: the small ones show the same code.
                let large = scene.description.generate.0.len() + scene.description.body.items.len() > 6;
                let many = text.contains("deposit") || text.contains("grid") || text.contains("levels");
                if !large && !many {
                    let _ = scene.check().map_err(|e| e.to_string());
                }
            }
            Err(diagnostics) => {
                assert!(diagnostics.has_errors());
                assert!(!diagnostics.to_string().is_empty());
            }
        }
    }
    // Many mutations fall in comments or numbers: both ways are exercised.
    assert!((MUTATIONS / 10..MUTATIONS * 9 / 10).contains(&read), "{read}");
}

/// Overrides are texts too.
#[test]
fn random_overrides_never_panic() {
    let mut rng = StdRng::seed_from_u64(21);
    let keys =
        ["law.friction=0.5", "h=1e-4", "body.0.mass=2", "generate.0.count=3", "time={}", "solver.name=x", "=", "a.b"];
    for _ in 0..2000 {
        let example = gallery().choose(&mut rng).expect("not empty");
        let set = mutate(keys.choose(&mut rng).expect("not empty"), &mut rng);
        if let Err(diagnostics) = Scene::parse(example.text, "scene.toml", &[set]) {
            assert!(!diagnostics.to_string().is_empty());
        }
    }
}
