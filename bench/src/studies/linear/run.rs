//! Runs as JSON lines, written event by event while they are simulated.
//!
//! A file is kept under a name that has everything that decides its content, so a changed simulation needs another
//! [`VERSION`].

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use crate::generate::Random;
use crate::lab::Lab;

/// Part of the names of files: raise it when the same name would get another content.
const VERSION: u32 = 1;

/// An event: its process, and its place there from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(usize, u64);

/// A run that is being written.
pub struct Run {
    out: BufWriter<File>,
    /// How many events each process has so far.
    counts: Vec<u64>,
    /// Where chance comes from.
    pub random: Random,
    /// What went wrong first; simulations need not care.
    problem: Option<io::Error>,
    line: String,
}

impl Run {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.random.below(n as u64)).expect("less than a usize")
    }

    /// An event that has a name, if not an empty one, assigns variables and comes after others.
    pub fn event(&mut self, process: usize, name: &str, set: &[(String, i64)], after: &[Id]) -> Id {
        self.counts[process] += 1;
        self.line.clear();
        let line = &mut self.line;
        let mut write = || -> Result<(), std::fmt::Error> {
            write!(line, "{{\"process\":\"P{process}\"")?;
            if !name.is_empty() {
                write!(line, ",\"name\":\"{name}\"")?;
            }
            list(line, ",\"set\":{", "}", set.iter().map(|(variable, value)| format!("\"{variable}\":{value}")))?;
            list(line, ",\"after\":[", "]", after.iter().map(|Id(p, i)| format!("\"P{p}.{i}\"")))?;
            line.write_str("}\n")
        };
        write().expect("a string takes everything");
        if let Err(problem) = self.out.write_all(self.line.as_bytes()) {
            self.problem.get_or_insert(problem);
        }
        Id(process, self.counts[process])
    }
}

/// Nothing, if there are no items.
fn list(
    line: &mut String,
    open: &str,
    close: &str,
    mut items: impl Iterator<Item = String>,
) -> Result<(), std::fmt::Error> {
    let Some(first) = items.next() else { return Ok(()) };
    write!(line, "{open}{first}")?;
    items.try_for_each(|item| write!(line, ",{item}"))?;
    line.write_str(close)
}

/// An assignment to a variable of one process.
pub fn to(name: &str, i: usize, value: i64) -> (String, i64) {
    (format!("{name}{i}"), value)
}

/// The file of a run, simulated unless it is there. All variables start as 0 unless `initial` says otherwise.
pub fn cached(
    lab: &Lab,
    name: &str,
    processes: usize,
    initial: &[(String, i64)],
    simulate: impl FnOnce(&mut Run),
) -> Result<PathBuf, String> {
    let path = lab.data.join(format!("linear-v{VERSION}-{name}.jsonl"));
    if path.is_file() {
        return Ok(path);
    }
    let partial = lab.data.join(format!("linear-{name}.{}.partial", std::process::id()));
    let write = || -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(&partial)?);
        let mut header = String::new();
        let names = (0..processes).map(|i| format!("\"P{i}\""));
        let values = initial.iter().map(|(variable, value)| format!("\"{variable}\":{value}"));
        list(&mut header, ",\"processes\":[", "]", names)
            .and_then(|()| list(&mut header, ",\"initial\":{", "}", values))
            .expect("a string takes everything");
        writeln!(out, "{{\"posetta\":1{header}}}")?;
        let mut run = Run { out, counts: vec![0; processes], random: Random(1), problem: None, line: String::new() };
        simulate(&mut run);
        run.out.flush()?;
        match run.problem {
            Some(problem) => Err(problem),
            None => fs::rename(&partial, &path),
        }
    };
    write().map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}
