//! Every scene of the gallery runs as the command runs it, and so does every command that a scene prints.
//!
//! Commands stand in comments on a line of their own, `delassus run NAME …`, or in quotes; options for
//! `delassus run NAME` stand anywhere: `--set KEY=VALUE --set …` is one combination. What the text around says
//! to be refused must be.

#[allow(dead_code)] // What other tests use of it.
use crate::common::Folder;
use delassus::scene::{Built, Example, Scene, gallery};

/// Steps of a whole scene, and of one of its variations.
const STEPS: [u64; 2] = [20, 5];

/// `--set time.end=…` for a scene with these changes to make so many steps; none where it is refused.
fn shortened(example: &Example, changes: &[String], variant: Option<&str>, steps: u64) -> Option<String> {
    let scene = Scene::parse(example.text, example.name, changes).ok()?;
    let scene = variant.map_or(Ok(scene.clone()), |name| scene.with_variant(name)).ok()?;
    let clock = match scene.build().ok()? {
        Built::Plane(setup) => setup.clock,
        Built::Space(setup) => setup.clock,
    };
    Some(format!("time.end={:e}", clock.step * clock.steps.min(steps) as f64))
}

/// The same for the stages after the first.
fn later(example: &Example) -> Vec<String> {
    let scene = Scene::parse(example.text, example.name, &[]).expect("read");
    let ends = scene.stages().iter().map(|(name, _)| format!("stage.{name}.time.end=0.02"));
    ends.flat_map(|end| ["--set".to_owned(), end]).collect()
}

#[test]
fn every_scene_runs_as_the_command_runs_it() {
    let folder = Folder::new("gallery-scenes");
    for example in gallery() {
        let end = shortened(example, &[], None, STEPS[0]).unwrap_or_else(|| panic!("{} is refused", example.name));
        let stages = later(example);
        let mut words = vec!["run", example.name, "--no-record", "--set", &end];
        words.extend(stages.iter().map(String::as_str));
        let run = folder.run(&words);
        assert_eq!(run.code, 0, "{}\n{}{}", example.name, run.out, run.err);
        assert!(run.out.contains(" 0 steps above the tolerance"), "{}\n{}", example.name, run.out);
    }
}

#[test]
fn every_variant_runs_as_the_command_runs_it() {
    let folder = Folder::new("gallery-variants");
    for example in gallery() {
        let scene = Scene::parse(example.text, example.name, &[]).expect("read");
        for (name, ..) in scene.variants() {
            let end = shortened(example, &[], Some(&name), STEPS[1]).unwrap_or_else(|| panic!("{name} is refused"));
            let run = folder.run(&["run", example.name, "--variant", &name, "--no-record", "--set", &end]);
            assert_eq!(run.code, 0, "{} {name}\n{}{}", example.name, run.out, run.err);
        }
    }
}

#[test]
fn every_printed_command_works() {
    let folder = Folder::new("gallery-commands");
    let (mut count, mut failed) = (0, vec![]);
    for example in gallery() {
        for printed in printed(example.text) {
            count += 1;
            let mut words = printed.words;
            if words[0].starts_with("--") {
                words.splice(0..0, ["run".to_owned(), example.name.to_owned()]);
            }
            let what = format!("{}: delassus {}", example.name, words.join(" "));
            let run = folder.run(&short(&folder, example, &words).iter().map(String::as_str).collect::<Vec<_>>());
            match printed.refused {
                true if run.code == 0 => failed.push(format!("{what} is said to be refused\n{}", run.out)),
                false if run.code != 0 => failed.push(format!("{what}\n{}{}", run.out, run.err)),
                _ => {}
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(count >= 25, "{count} commands");
}

/// The arguments for few steps; a run file that is named is made first.
fn short(folder: &Folder, example: &Example, words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    let after = |words: &[String], option: &str| {
        words.iter().zip(words.iter().skip(1)).filter(|w| w.0 == option).map(|w| w.1.clone()).collect::<Vec<_>>()
    };
    let end = |words: &[String]| {
        let variants = after(words, "--variant");
        let variant = variants.first().and_then(|v| v.split(',').next());
        let end = shortened(example, &after(words, "--set"), variant, STEPS[1]);
        let end = end.into_iter().flat_map(|end| ["--set".to_owned(), end]);
        end.chain(later(example)).collect::<Vec<_>>()
    };
    // Another end than that of the scene gives way to the few steps.
    while let Some(i) = words.windows(2).position(|w| w[0] == "--set" && w[1].starts_with("time.end=")) {
        words.drain(i..i + 2);
    }
    let file = format!("{}.h5", example.name);
    match words[0].as_str() {
        "ask" if words[1] == "collapse" => words.extend(end(&words)),
        "info" | "draw" | "plot" if words.contains(&file) => {
            let run = [["run", example.name, "-q", "--overwrite"].map(str::to_owned).to_vec(), end(&[])].concat();
            folder.run(&run.iter().map(String::as_str).collect::<Vec<_>>()).fails(0, &[]);
        }
        "run" | "plot" => words.extend(end(&words)),
        _ => {}
    }
    if words[0] == "run" && !words.contains(&"-o".to_owned()) {
        words.push("--no-record".into());
    }
    // The few steps end before the times that are meant; samples are counted elsewhere.
    let few = [("--average-from", "0"), ("--samples", "100"), ("--from", "0")];
    for i in 1..words.len() {
        if let Some((_, value)) = few.iter().find(|(option, _)| *option == words[i - 1]) {
            words[i] = (*value).to_owned();
        }
    }
    words
}

/// A command as a scene prints it.
#[derive(Debug, PartialEq)]
struct Printed {
    /// Its arguments.
    words: Vec<String>,
    /// Whether the text says that it is refused.
    refused: bool,
}

/// Commands and combinations of options in the comments of a scene.
fn printed(text: &str) -> Vec<Printed> {
    let title = text.lines().map(str::trim).filter_map(|l| l.strip_prefix('#')).map(str::trim);
    let (commands, prose): (Vec<&str>, Vec<&str>) = title.partition(|l| l.starts_with("delassus "));
    let mut found: Vec<Printed> =
        commands.iter().map(|c| Printed { words: split(c)[1..].to_vec(), refused: false }).collect();
    let mut prose = prose.join(" ");
    for quote in ['"', '\'', '`'] {
        while let Some(from) = prose.find(&format!("{quote}delassus ")) {
            let inside = prose[from + 1..].split(quote).next().unwrap_or_default().to_owned();
            found.push(Printed { words: split(&inside)[1..].to_vec(), refused: false });
            prose.replace_range(from..from + 1 + inside.len(), "");
        }
    }
    found.extend(options(&prose));
    found
}

/// Runs of `--set KEY=VALUE`.
fn options(prose: &str) -> Vec<Printed> {
    let mut found = vec![];
    let words = split(prose);
    let mut i = 0;
    while i < words.len() {
        let mut set = vec![];
        while i + 1 < words.len() && words[i].trim_start_matches('(') == "--set" {
            set.extend(["--set".to_owned(), words[i + 1].trim_end_matches(['.', ',', ':', ';', ')']).to_owned()]);
            i += 2;
            // A full stop ends the combination.
            if words[i - 1] != set[set.len() - 1] {
                break;
            }
        }
        i += 1;
        if !set.is_empty() {
            let rest = words[i - 1..].iter().take_while(|w| *w != "--set" && !w.ends_with('.'));
            let refused = rest.clone().chain(words[i - 1..].get(rest.count())).any(|w| w.contains("refuse"));
            found.push(Printed { words: set, refused });
        }
    }
    found
}

/// Words, as a shell splits them; quotes count inside of options only.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        let word = words.last_mut().expect("one word at least");
        match c {
            '"' if word.contains('=') => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => word.push(c),
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// What is read is what was written.
#[test]
fn printed_commands_are_found() {
    let words = |command: &str| command.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let text = "# A (--set mu=0.25) b. Lower: --set a=1\n# --set b=\"=45*deg\".\n#   delassus run x --variant y\n\
                # c 'delassus info\n# x.h5' --set c=2 which is refused. --set d=1.5.\na = \"# --set e=1\"\n";
    let found: Vec<(Vec<String>, bool)> = printed(text).into_iter().map(|p| (p.words, p.refused)).collect();
    let set = |s: &str, refused| (words(s), refused);
    assert_eq!(
        found,
        [
            set("run x --variant y", false),
            set("info x.h5", false),
            set("--set mu=0.25", false),
            set("--set a=1 --set b==45*deg", false),
            set("--set c=2", true),
            set("--set d=1.5", false),
        ]
    );
}
