//! Runs of the papers' protocols, as `posetta gen` simulates them, and their linear properties.
//!
//! Runs are kept like every input. The same arguments give the same bytes until the header changes, so that has a
//! [`VERSION`] in their names; properties may be written differently in the next version and are written anew each time.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::generate::{Facts, keep, known};
use crate::lab::Lab;

/// Raised when `posetta gen` writes the same run with other bytes.
const VERSION: u32 = 2;

/// A run to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// What `posetta gen` calls it.
    pub workload: &'static str,
    /// How many processes it has.
    pub processes: u64,
    /// How many events; none where the processes decide it.
    pub events: Option<u64>,
    /// Which one of the runs of this size.
    pub seed: u64,
    /// Whether the protocol has its fault.
    pub faulty: bool,
}

impl Model {
    fn name(self) -> String {
        let Self { workload, processes, events, seed, faulty } = self;
        let events = events.map_or(String::new(), |n| format!("x{n}"));
        format!("gen-v{VERSION}-{workload}-{processes}{events}-seed{seed}{}", if faulty { "-faulty" } else { "" })
    }

    /// The file of the run, simulated unless it is there.
    pub fn run(self, lab: &Lab) -> io::Result<Facts> {
        let name = self.name();
        let path = lab.data.join(format!("{name}.jsonl"));
        let beside = lab.data.join(format!("{name}.facts.json"));
        if let Some(facts) = known(&path, &beside) {
            return Ok(facts);
        }
        let partial = lab.data.join(format!("{name}.{}.partial.jsonl", std::process::id()));
        let mut args = vec!["--seed".to_owned(), self.seed.to_string()];
        args.extend(self.events.into_iter().flat_map(|n| ["--events".to_owned(), n.to_string()]));
        if self.faulty {
            args.push("--faulty".to_owned());
        }
        args.extend(["-o".to_owned(), partial.display().to_string()]);
        self.generate(lab, &args)?;
        let (bytes, lines) = size(File::open(&partial)?)?;
        fs::rename(&partial, &path)?;
        // Its first line is about the run, each other one is an event.
        let events = self.events.unwrap_or(lines.saturating_sub(1));
        let facts = Facts { path, bytes, events, processes: self.processes, lines, extra_bytes: 0 };
        keep(&facts, &beside)?;
        Ok(facts)
    }

    /// Removes the file of the run.
    pub fn forget(self, lab: &Lab) {
        for extension in ["facts.json", "jsonl"] {
            // Left behind it does no harm.
            let _ = fs::remove_file(lab.data.join(format!("{}.{extension}", self.name())));
        }
    }

    /// The file of the properties.
    pub fn properties(self, lab: &Lab) -> io::Result<PathBuf> {
        let path = lab.data.join(format!("gen-{}-{}.props", self.workload, self.processes));
        self.generate(lab, &["--props".to_owned(), "-o".to_owned(), path.display().to_string()])?;
        Ok(path)
    }

    fn generate(self, lab: &Lab, args: &[String]) -> io::Result<()> {
        let program = lab.program.as_ref().map_err(|reason| io::Error::other(reason.as_str()))?;
        let mut command = Command::new(program);
        command.args(["gen", self.workload, "--processes", &self.processes.to_string()]).args(args);
        let output = command.stdin(Stdio::null()).output()?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(format!("posetta gen {}: {}", self.workload, text.lines().next().unwrap_or("it fails"))))
    }
}

/// Bytes and line feeds.
pub fn size(mut file: File) -> io::Result<(u64, u64)> {
    let mut buffer = vec![0; 1 << 16];
    let (mut bytes, mut lines) = (0, 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, lines)),
            n => {
                bytes += n as u64;
                lines += memchr::memchr_iter(b'\n', &buffer[..n]).count() as u64;
            }
        }
    }
}
