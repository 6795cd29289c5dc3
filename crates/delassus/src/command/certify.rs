//! `delassus certify`: judges percussions stored in files.

use super::args::CertifyArgs;
use super::files::{Input, collect, common_folder, label};
use super::output::{Output, complain};
use super::text::{self, Side, Table};
use super::{Loaded, Verdict, guarded, load};
use delassus_friction::algebra::Vector;
use delassus_friction::{AnyProblem, Certificate, Error, Problem};
use serde::Serialize;
use std::process::ExitCode;

/// One judgement.
#[derive(Serialize)]
struct Judgement {
    file: String,
    item: String,
    accepted: bool,
    #[serde(flatten)]
    certificate: Certificate,
}

/// Judges every stored answer; the worst outcome is the exit code.
pub fn run(args: &CertifyArgs) -> ExitCode {
    let (inputs, errors) = collect(&args.files);
    errors.iter().for_each(|e| complain(e));
    let mut verdict = if errors.is_empty() { Verdict::Solved } else { Verdict::BadInput };
    let common = common_folder(&inputs);
    let labels: Vec<String> = inputs.iter().map(|i| label(i, &common)).collect();
    let table = Table::new(vec![
        (text::widest(labels.iter().map(String::as_str)).max(4), Side::Left),
        (9, Side::Left),
        (8, Side::Right),
        (14, Side::Right),
        (11, Side::Right),
        (8, Side::Left),
    ]);
    let mut out = Output::default();
    if !args.json {
        out.line(&table.row(&["file", "item", "residual", "absolute [m/s]", "fclib error", "verdict"]));
        out.line(&table.rule());
    }
    let mut all = Vec::new();
    for (input, label) in inputs.iter().zip(&labels) {
        match judge(input, args) {
            Ok(judgements) => {
                for judgement in judgements {
                    if !args.json {
                        out.line(&table.row(&row(label, &judgement)));
                    }
                    verdict = verdict.max(if judgement.accepted { Verdict::Solved } else { Verdict::NotSolved });
                    all.push(judgement);
                }
            }
            Err(message) => {
                complain(&message);
                verdict = Verdict::BadInput;
            }
        }
    }
    if args.json {
        let text = serde_json::to_string_pretty(&all).expect("judgements hold only strings, numbers and lists");
        out.line(&text);
    }
    verdict.into()
}

fn judge(input: &Input, args: &CertifyArgs) -> Result<Vec<Judgement>, String> {
    let Loaded { file, problem } = load(input)?;
    let mut items: Vec<(String, &[f64])> = Vec::new();
    items.extend(file.solution.as_ref().map(|s| ("solution".into(), s.r.as_slice())));
    if !args.solution {
        items.extend(file.guesses.iter().enumerate().map(|(k, g)| (format!("guess {}", k + 1), g.r.as_slice())));
    }
    let path = input.path.display().to_string();
    if items.is_empty() {
        let wanted = if args.solution { "a group 'solution'" } else { "a group 'solution' or 'guesses'" };
        return Err(format!("{path}: nothing to judge, expected {wanted}"));
    }
    let certify = |(item, r): (String, &[f64])| {
        let certificate = guarded(|| certificate(&problem, r))
            .and_then(|c| c.map_err(|error| error.to_string()))
            .map_err(|error| format!("{path}: {item}: {error}"))?;
        Ok(Judgement { file: path.clone(), item, accepted: certificate.relative <= args.tol, certificate })
    };
    items.into_iter().map(certify).collect()
}

/// Global problems are judged on their condensation.
fn certificate(problem: &AnyProblem, r: &[f64]) -> Result<Certificate, Error> {
    Ok(match problem {
        AnyProblem::Local2(p) => local(p, r),
        AnyProblem::Local3(p) => local(p, r),
        AnyProblem::Local5(p) => local(p, r),
        AnyProblem::Global2(p) => local(&p.condense()?, r),
        AnyProblem::Global3(p) => local(&p.condense()?, r),
        AnyProblem::Global5(p) => local(&p.condense()?, r),
    })
}

/// The reader has checked the length of `r`.
fn local<const D: usize>(problem: &Problem<D>, r: &[f64]) -> Certificate {
    let s: Vec<Vector<D>> = r.chunks_exact(D).map(Vector::from_column_slice).collect();
    Certificate::new(problem, &s)
}

fn row(label: &str, judgement: &Judgement) -> [String; 6] {
    let c = &judgement.certificate;
    [
        label.into(),
        judgement.item.clone(),
        text::small(c.relative),
        text::small(c.absolute),
        text::small(c.fclib_error),
        if judgement.accepted { "accepted".into() } else { format!("refused (worst contacts {})", text::worst(c)) },
    ]
}
