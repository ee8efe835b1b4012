//! The machine and the build that the figures belong to.

use std::fmt::Write;
use std::fs;
use std::thread;

use crate::lab::Lab;

/// The head of a report.
pub fn header(lab: &Lab, times: u32) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<10}{value}");
    };
    line("posetta", format!("{}, built by {}{}", env!("CARGO_PKG_VERSION"), env!("BENCH_RUSTC"), build()));
    match &lab.program {
        Ok(path) => line("program", path.display().to_string()),
        Err(reason) => line("program", format!("absent: {reason}")),
    }
    line("processor", format!("{}, {} cores", processor(), cores()));
    line("system", format!("{} {}", std::env::consts::OS, read("/proc/sys/kernel/osrelease")));
    line("load", format!("{} (1, 5, 15 minutes) at the start", load()));
    line(
        "runs",
        format!("{times} of each contender, interleaved; {} events where the target names no size", lab.events),
    );
    if lab.quick {
        line("note", "--quick: the inputs are too small for figures".to_owned());
    }
    text
}

/// A build without optimisation says nothing about speed.
fn build() -> &'static str {
    if cfg!(debug_assertions) { " WITHOUT OPTIMISATION: the figures mean nothing" } else { "" }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|l| l.strip_prefix("model name")).and_then(|l| l.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

fn load() -> String {
    let text = read("/proc/loadavg");
    let three: Vec<&str> = text.split_whitespace().take(3).collect();
    if three.is_empty() { "unknown".to_owned() } else { three.join(" ") }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).map(|t| t.trim().to_owned()).unwrap_or_default()
}
