//! Runs contenders as processes and takes their time and memory.
//!
//! CPU time and peak memory are what the system counts for the one child. The peak of a child is never below that of its
//! parent when it was started, so this program stays small: inputs are written piece by piece and never held.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use wait4::Wait4;

use crate::generate::Facts;
use crate::lab::Lab;
use crate::peers;
use crate::stats::Spread;
use crate::workload::{Contender, Judgement, Role, Workload};

/// One run of one contender.
#[derive(Clone, Debug)]
pub struct Run {
    /// From the start to the end.
    pub wall: Duration,
    /// In user and system mode.
    pub cpu: Duration,
    /// Peak resident memory in bytes.
    pub memory: u64,
    /// What it printed, if that is short: figures that it took itself.
    pub output: String,
}

/// Longer outputs are looked at and dropped.
const SHORT: usize = 1 << 16;

/// Of what is printed so much is looked at. Holding more would show in the peaks of all processes that are started later.
const HELD: u64 = 1 << 22;

/// Seconds of CPU of some runs.
pub fn cpu(runs: &[Run]) -> Option<Spread> {
    Spread::of(runs.iter().map(|run| run.cpu.as_secs_f64()))
}

/// Peak megabytes of some runs.
pub fn memory(runs: &[Run]) -> Option<Spread> {
    Spread::of(runs.iter().map(|run| run.memory as f64 / 1e6))
}

/// The one in the middle, by the clock.
pub fn middle(mut runs: Vec<Run>) -> Option<Run> {
    runs.sort_by_key(|run| run.wall);
    let half = runs.len() / 2;
    runs.into_iter().nth(half)
}

/// Runs contenders in turn, so many times each. `failed` is told what went wrong.
pub fn rounds<const N: usize>(
    contenders: &[Contender; N],
    times: u32,
    lab: &Lab,
    mut failed: impl FnMut(String),
) -> [Vec<Run>; N] {
    let mut all = [const { Vec::new() }; N];
    for _ in 0..times {
        for (contender, runs) in contenders.iter().zip(&mut all) {
            match run(contender, lab) {
                Ok(run) => runs.push(run),
                Err(reason) => failed(reason),
            }
        }
    }
    all
}

/// All runs of one contender.
pub struct Measured {
    /// Its name.
    pub name: &'static str,
    /// Whose it is.
    pub role: Role,
    /// Bytes that each run works through.
    pub bytes: u64,
    /// Whether its peak memory is worth showing.
    pub shows_memory: bool,
    /// In the order of the rounds.
    pub runs: Vec<Run>,
}

impl Measured {
    /// Seconds of CPU.
    pub fn cpu(&self) -> Option<Spread> {
        cpu(&self.runs)
    }

    /// Seconds of the clock.
    pub fn wall(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|r| r.wall.as_secs_f64()))
    }

    /// Peak bytes.
    pub fn memory(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|r| r.memory as f64))
    }

    /// Megabytes of input per second of CPU.
    pub fn rate(&self) -> Option<Spread> {
        let bytes = self.bytes as f64 / 1e6;
        // The system counts in small steps, and a run may be shorter than one.
        self.cpu().map(|cpu| cpu.map(|seconds| bytes / seconds.max(1e-6)))
    }
}

/// What came out for one workload.
pub struct Row {
    /// Which one.
    pub workload: &'static Workload,
    /// Its input.
    pub facts: Facts,
    /// Its contenders, the first one ours.
    pub measured: Vec<Measured>,
    /// Contenders that could not run, and why; the whole workload if it has no name.
    pub absent: Vec<(&'static str, String)>,
    /// Targets.
    pub judgements: Vec<Judgement>,
    /// Contenders that failed or answered wrongly, and how.
    pub failures: Vec<String>,
}

/// Runs a workload.
pub fn row(workload: &'static Workload, lab: &Lab, times: u32) -> Result<Row, String> {
    let mut row = Row {
        workload,
        facts: Facts::default(),
        measured: Vec::new(),
        absent: Vec::new(),
        judgements: Vec::new(),
        failures: Vec::new(),
    };
    let mut prepared = (workload.prepare)(lab).map_err(|e| format!("{}: {e}", workload.id))?;
    row.facts = prepared.facts.clone();
    row.absent = std::mem::take(&mut prepared.absent);
    let of = |c: &Contender| Measured {
        name: c.name,
        role: c.role,
        bytes: c.bytes,
        shows_memory: c.shows_memory,
        runs: Vec::new(),
    };
    row.measured = prepared.contenders.iter().map(of).collect();
    let count = prepared.contenders.len();
    let mut failed = vec![false; count];
    for round in 0..times as usize {
        // Nobody is always the first after a pause.
        for at in (0..count).map(|i| (round + i) % count) {
            if failed[at] {
                continue;
            }
            let contender = &prepared.contenders[at];
            match run(contender, lab) {
                Ok(run) => row.measured[at].runs.push(run),
                Err(reason) => {
                    failed[at] = true;
                    row.failures.push(format!("{}: {}: {reason}", workload.id, contender.name));
                }
            }
        }
    }
    // Small inputs measure how long a process takes to start.
    if !lab.quick {
        row.judgements = (workload.judge)(&prepared, &row.measured);
    }
    Ok(row)
}

/// A process that has ended, by itself or not.
pub struct Ended {
    /// Its figures; `output` is what it printed, as much of it as is held.
    pub run: Run,
    /// How it ended; nothing if it took too long and was ended.
    pub status: Option<ExitStatus>,
    /// The first line of its complaint.
    complaint: String,
}

impl Ended {
    /// For people: how it ended and what it complained about.
    pub fn why(&self) -> String {
        let status = self.status.map_or_else(|| "too late".to_owned(), |s| s.to_string());
        format!("failed ({status}): {}", self.complaint)
    }
}

/// Runs a contender once and checks its answer.
pub fn run(contender: &Contender, lab: &Lab) -> Result<Run, String> {
    let Contender { program, args, patience, .. } = contender;
    let words = format!("{} {}", program.display(), args.join(" "));
    let ended = watch(program, args, contender.role, *patience, lab)?;
    match ended.status {
        None => return Err(format!("`{words}` was ended after {} s", patience.as_secs())),
        Some(status) if status.code() != Some(contender.status) => return Err(format!("`{words}` {}", ended.why())),
        Some(_) => {}
    }
    let mut run = ended.run;
    (contender.check)(&run.output).map_err(|e| format!("`{words}` answers wrongly: {e}"))?;
    if run.output.len() > SHORT {
        run.output = String::new();
    }
    Ok(run)
}

/// Runs a program to its end, or ends it when patience does.
pub fn watch(program: &Path, args: &[String], role: Role, patience: Duration, lab: &Lab) -> Result<Ended, String> {
    let words = format!("{} {}", program.display(), args.join(" "));
    // Files, because a full pipe would make the contender wait for us.
    let (out, err) = (lab.out.join("contender.stdout"), lab.out.join("contender.stderr"));
    let open = |path| File::create(path).map_err(|e| format!("its output has no place: {e}"));
    let mut command = Command::new(program);
    command.args(args).current_dir(&lab.data).stdin(Stdio::null()).stdout(open(&out)?).stderr(open(&err)?);
    if role == Role::Peer {
        let (name, value) = peers::libraries(program);
        command.env(name, value);
    }
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("`{words}` could not be started: {e}"))?;
    let (done, watch) = mpsc::channel::<()>();
    let pid = child.id();
    let watchdog = thread::spawn(move || {
        let late = watch.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout);
        // If it has just ended by itself there is nobody to end.
        late && end(pid)
    });
    let used = child.wait4();
    let wall = start.elapsed();
    drop(done);
    let late = watchdog.join().unwrap_or(false);
    let used = used.map_err(|e| format!("`{words}` could not be waited for: {e}"))?;
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        // What cannot be read is nothing, which is no right answer.
        let _ = File::open(path).and_then(|file| file.take(HELD).read_to_end(&mut bytes));
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    };
    let (output, stderr) = (read(&out), read(&err));
    for path in [&out, &err] {
        // Left behind they do no harm.
        let _ = fs::remove_file(path);
    }
    let complaint = stderr.lines().find(|l| !l.trim().is_empty()).unwrap_or("it says nothing").to_owned();
    let run = Run { wall, cpu: used.rusage.utime + used.rusage.stime, memory: used.rusage.maxrss, output };
    Ok(Ended { run, status: (!late).then_some(used.status), complaint })
}

/// Ends a process. Its owner waits for it in a call that cannot be broken off, so the id is all there is.
#[cfg(unix)]
fn end(process: u32) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

/// Elsewhere a contender has all the time it wants.
#[cfg(not(unix))]
fn end(_: u32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::lab::Choices;

    #[test]
    fn who_takes_too_long_is_ended_and_who_works_is_measured() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let none = Some(std::path::Path::new("none"));
        let choices =
            Choices { program: none, data: Some(dir.path()), out: Some(dir.path()), quick: true, ..Choices::default() };
        let lab = Lab::new(choices).expect("a lab");
        let shell = |script: &str, patience| Contender {
            name: "shell",
            role: Role::Baseline,
            program: "sh".into(),
            args: vec!["-c".to_owned(), script.to_owned()],
            status: 0,
            check: Box::new(|out| if out == "ok\n" { Ok(()) } else { Err(format!("{out:?}")) }),
            patience: Duration::from_millis(patience),
            shows_memory: true,
            bytes: 0,
        };
        // Far apart, so that a slow machine changes nothing.
        let late = run(&shell("exec sleep 600", 50), &lab).expect_err("it sleeps");
        assert!(late.contains("was ended after"), "{late}");
        let run = |script| run(&shell(script, 60_000), &lab);
        assert!(run("echo ok").is_ok_and(|r| r.memory > 0 && r.wall > Duration::ZERO));
        assert!(run("echo no").is_err_and(|e| e.ends_with("answers wrongly: \"no\\n\"")));
        assert!(run("echo why >&2; exit 7").is_err_and(|e| e.contains("exit status: 7") && e.ends_with("why")));
    }
}
