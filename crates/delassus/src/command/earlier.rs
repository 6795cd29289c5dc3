//! An earlier comparison beside the one at hand: its times, read back from its CSV.

use std::collections::HashMap;
use std::path::Path;

/// Columns after the name of the file, in the order in which `compare` writes them.
const COLUMNS: usize = 10;
/// Places of solver, status and time among them.
const SOLVER: usize = 3;
const STATUS: usize = 4;
const TIME: usize = 5;

/// Times of an earlier comparison [s].
pub struct Earlier {
    /// What it is called: the name of its file.
    name: String,
    /// Solvers in the order in which they were met.
    solvers: Vec<String>,
    /// By file and solver, where it converged.
    times: HashMap<(String, String), f64>,
}

impl Earlier {
    /// Reads the CSV that `compare` wrote; the message names the line that is none of its.
    pub fn read(path: &Path) -> Result<Self, String> {
        let refuse = |what: String| format!("--against: {}: {what}", path.display());
        let text = std::fs::read_to_string(path).map_err(|e| refuse(e.to_string()))?;
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let mut earlier = Self { name, solvers: vec![], times: HashMap::new() };
        for (number, line) in text.lines().enumerate().skip(1) {
            let bad = |what: &str| refuse(format!("line {}: {what}", number + 1));
            let mut fields: Vec<&str> = line.rsplitn(COLUMNS + 1, ',').collect();
            fields.reverse();
            let [file, rest @ ..] = &fields[..] else { return Err(bad("is empty")) };
            if rest.len() != COLUMNS {
                return Err(bad("expected a line of the CSV that 'delassus compare' writes"));
            }
            let solver = rest[SOLVER].to_string();
            if !earlier.solvers.contains(&solver) {
                earlier.solvers.push(solver.clone());
            }
            if rest[STATUS] != "converged" {
                continue;
            }
            let time = rest[TIME].parse().ok().filter(|t: &f64| *t >= 0.0 && t.is_finite());
            let time = time.ok_or_else(|| bad(&format!("'{}' is no time in seconds", rest[TIME])))?;
            earlier.times.insert((unquoted(file), solver), time);
        }
        if earlier.solvers.is_empty() {
            return Err(refuse("no solver in it; expected the CSV that 'delassus compare' writes".into()));
        }
        Ok(earlier)
    }

    /// Its solvers, as the profile calls them.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.solvers.iter().map(|s| format!("{s} ({})", self.name))
    }

    /// Its times on a file, solver by solver.
    pub fn times<'a>(&'a self, file: &'a str) -> impl Iterator<Item = Option<f64>> + 'a {
        self.solvers.iter().map(move |s| self.times.get(&(file.to_string(), s.clone())).copied())
    }

    /// One line for a solver of both: on the files that it solves in both, the sums and the mean of the ratios. `now` gives
    /// files and times.
    pub fn against<'a>(&self, solver: &str, now: impl Iterator<Item = (&'a str, Option<f64>)>) -> Option<String> {
        if !self.solvers.iter().any(|s| s == solver) {
            return None;
        }
        let (mut files, mut sums, mut logarithm, mut won, mut lost) = (0, [0.0; 2], 0.0, 0, 0);
        for (file, time) in now {
            let before = self.times.get(&(file.to_string(), solver.to_string())).copied();
            match (time, before) {
                (Some(time), Some(before)) => {
                    files += 1;
                    (sums[0], sums[1]) = (sums[0] + time, sums[1] + before);
                    logarithm += (time.max(f64::MIN_POSITIVE) / before.max(f64::MIN_POSITIVE)).ln();
                }
                (Some(_), None) => won += 1,
                (None, Some(_)) => lost += 1,
                (None, None) => {}
            }
        }
        let mut line = format!("{solver} against {}: {files} files solved by both", self.name);
        if files > 0 {
            let mean = (logarithm / f64::from(files)).exp();
            line += &format!(" in {:.3e} s and {:.3e} s, mean ratio {mean:.3}", sums[0], sums[1]);
        }
        Some(line + &format!("; {won} only now, {lost} only then"))
    }
}

/// The field as it was before it was quoted [RFC 4180].
fn unquoted(field: &str) -> String {
    match field.strip_prefix('"').and_then(|f| f.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "file,contacts,dimension,dofs,solver,status,time_s,iterations,residual,absolute,fclib_error\n";

    fn read(body: &str) -> Result<Earlier, String> {
        let path = std::env::temp_dir().join(format!("delassus-earlier-{}-{}.csv", std::process::id(), body.len()));
        std::fs::write(&path, format!("{HEAD}{body}")).expect("written");
        let found = Earlier::read(&path);
        std::fs::remove_file(path).expect("ours");
        found
    }

    /// Two files, by hand: one is twice as fast as before, the other is solved only now.
    #[test]
    fn ratios_are_those_of_files_that_both_solve() {
        let earlier = read(
            "\"a, \"\"b\"\"\",3,3,,auto,converged,2e0,5,1e-9,1e-9,1e-9\nc,3,3,9,auto,iteration_limit,1e0,5,1e-3,1e-3,1e-3\n",
        )
        .expect("a comparison");
        assert_eq!(earlier.times("a, \"b\"").collect::<Vec<_>>(), [Some(2.0)]);
        let line = earlier.against("auto", [("a, \"b\"", Some(1.0)), ("c", Some(1.0))].into_iter()).expect("in both");
        assert!(
            line.contains("1 files solved by both in 1.000e0 s and 2.000e0 s, mean ratio 0.500; 1 only now, 0"),
            "{line}"
        );
        assert!(earlier.against("ipm", std::iter::empty()).is_none());
    }

    #[test]
    fn what_is_no_comparison_is_named() {
        for (body, why) in [("", "no solver"), ("a,b\n", "line 2"), ("a,3,3,,auto,converged,soon,5,1,1,1\n", "'soon'")]
        {
            let message = read(body).err().expect("refused");
            assert!(message.contains(why) && message.contains("--against"), "{message}");
        }
    }
}
