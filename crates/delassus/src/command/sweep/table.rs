//! The table of a sweep: CSV, HDF5, and on the screen.

use super::member::{Outcome, Status};
use super::plan::Plan;
use crate::command::output::Output;
use crate::command::plot::quoted;
use crate::command::text::{Side, Table, widest};
use hdf5_pure::{AttrValue, FileBuilder};

/// Rows shown.
const ROWS: usize = 40;

/// The unit of a measure, from the first member that has it.
pub fn unit(outcomes: &[Outcome], k: usize) -> &str {
    outcomes.iter().map(|o| o.units[k].as_str()).find(|u| !u.is_empty()).unwrap_or("")
}

fn head(plan: &Plan, outcomes: &[Outcome]) -> Vec<String> {
    let keys = plan.axes.iter().map(|a| a.key.clone());
    let measures = plan.measures.iter().enumerate().map(|(k, m)| match unit(outcomes, k) {
        "" | "1" => m.name.clone(),
        unit => format!("{} [{unit}]", m.name),
    });
    keys.chain(measures).collect()
}

/// One line per member, numbers in the shortest form that reads back to the same bits.
pub fn csv(plan: &Plan, outcomes: &[Outcome]) -> String {
    let number = |x: f64| if x.is_nan() { String::new() } else { format!("{x:?}") };
    let more = ["status", "reached [s]", "steps above the tolerance", "run", "message"].map(str::to_owned);
    let mut rows = vec![head(plan, outcomes).into_iter().chain(more).collect::<Vec<_>>()];
    for (member, outcome) in plan.members.iter().zip(outcomes) {
        let mut row: Vec<String> = plan.axes.iter().zip(&member.at).map(|(a, i)| a.values[*i].clone()).collect();
        row.extend(outcome.values.iter().map(|x| number(*x)));
        let message = if outcome.status == Status::Failed { outcome.reason() } else { "" };
        let run = plan.file(member, "h5");
        let run = if run.is_file() { format!("{}.h5", member.name) } else { String::new() };
        row.extend([
            outcome.status.word().into(),
            number(outcome.reached),
            number(outcome.flagged),
            run,
            message.into(),
        ]);
        rows.push(row);
    }
    rows.iter().map(|row| row.iter().map(|c| quoted(c)).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// Columns by name: `over/KEY`, `measure/NAME`, `status`.
pub fn hdf5(plan: &Plan, outcomes: &[Outcome]) -> Result<Vec<u8>, String> {
    let say = |e: &dyn std::fmt::Display| format!("table.h5: {e}");
    let n = outcomes.len() as u64;
    let mut file = FileBuilder::new();
    for (name, text) in [("format", "delassus-sweep"), ("scene", &plan.scene)] {
        file.set_attr(name, AttrValue::VarLenString(text.to_owned()));
    }
    file.set_attr("version", AttrValue::U64(1));
    let mut over = file.create_group("over");
    for (k, axis) in plan.axes.iter().enumerate() {
        let name = axis.key.replace('/', "_");
        match axis.numbers() {
            Some(numbers) => {
                let data: Vec<f64> = plan.members.iter().map(|m| numbers[m.at[k]]).collect();
                over.create_dataset(&name).with_f64_data(&data).with_shape(&[n]);
            }
            None => {
                let data: Vec<&str> = plan.members.iter().map(|m| axis.values[m.at[k]].as_str()).collect();
                over.create_dataset(&name).with_strings(&data).map_err(|e| say(&e))?;
            }
        }
    }
    file.add_group(over.finish());
    let mut measures = file.create_group("measure");
    for (k, measure) in plan.measures.iter().enumerate() {
        let data: Vec<f64> = outcomes.iter().map(|o| o.values[k]).collect();
        // A slash would be a group inside.
        let set = measures.create_dataset(&measure.name.replace('/', "_")).with_f64_data(&data).with_shape(&[n]);
        set.set_attr("unit", AttrValue::VarLenString(unit(outcomes, k).to_owned()));
        set.set_attr("measure", AttrValue::VarLenString(measure.text.clone()));
    }
    file.add_group(measures.finish());
    let status: Vec<&str> = outcomes.iter().map(|o| o.status.word()).collect();
    file.create_dataset("status").with_strings(&status).map_err(|e| say(&e))?;
    let names: Vec<&str> = plan.members.iter().map(|m| m.name.as_str()).collect();
    file.create_dataset("name").with_strings(&names).map_err(|e| say(&e))?;
    for (name, get) in
        [("reached", (|o: &Outcome| o.reached) as fn(&Outcome) -> f64), ("flagged", |o: &Outcome| o.flagged)]
    {
        let data: Vec<f64> = outcomes.iter().map(get).collect();
        file.create_dataset(name).with_f64_data(&data).with_shape(&[n]);
    }
    file.finish().map_err(|e| say(&e))
}

/// On the screen.
pub fn show(plan: &Plan, outcomes: &[Outcome], out: &mut Output) {
    let number = |x: &f64| {
        if x.is_nan() {
            "–".to_owned()
        } else {
            format!("{x:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    let short = |x: &f64| {
        let plain = *x == 0.0 || (1e-3..1e6).contains(&x.abs());
        if plain || x.is_nan() { number(x) } else { format!("{x:.4e}") }
    };
    let mut rows = vec![head(plan, outcomes).into_iter().chain(["status".into()]).collect::<Vec<String>>()];
    for (member, outcome) in plan.members.iter().zip(outcomes).take(ROWS) {
        let mut row: Vec<String> = plan.axes.iter().zip(&member.at).map(|(a, i)| a.values[*i].clone()).collect();
        row.extend(outcome.values.iter().map(short));
        row.push(outcome.status.word().into());
        rows.push(row);
    }
    let last = rows[0].len() - 1;
    let columns = (0..=last).map(|k| {
        let side = if k == last { Side::Left } else { Side::Right };
        (widest(rows.iter().map(|r| r[k].as_str())), side)
    });
    let table = Table::new(columns.collect());
    for (i, row) in rows.iter().enumerate() {
        out.line(&table.row(row));
        if i == 0 {
            out.line(&table.rule());
        }
    }
    if outcomes.len() > ROWS {
        out.line(&format!("… the first {ROWS} of {}; table.csv has all", outcomes.len()));
    }
}
