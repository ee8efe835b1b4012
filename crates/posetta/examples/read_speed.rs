//! How fast a run is read, and how much memory it takes: `cargo run --release --example read_speed -- FILE [EXPR]`.
//!
//! The format is detected; an expression says that it is a log. Memory is the process's peak, where the system tells it (Linux).

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use posetta::base::Budget;
use posetta::formats::shiviz::Expression;
use posetta::formats::{self, Format, ReadOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("expected the name of a file")?;
    let file = File::open(&path)?;
    let bytes = file.metadata()?.len() as f64;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let extension = Path::new(&path).extension().and_then(|e| e.to_str());
    let expression = std::env::args().nth(2).map(|e| Expression::new(&e)).transpose()?;
    let format = match expression {
        Some(_) => Format::Shiviz,
        None => formats::detect(reader.fill_buf()?, extension).ok_or("not a format that is known")?,
    };
    let options = ReadOptions { expression, ..ReadOptions::default() };
    let before = peak();
    let start = Instant::now();
    let runs = formats::read_runs(format, reader, &options, &Budget::unlimited())?;
    let seconds = start.elapsed().as_secs_f64();
    let events: usize = runs.iter().map(|run| run.trace.len()).sum();
    println!("{events} events, {} in {seconds:.3} s: {:.0} MB/s", format.name(), bytes / seconds / 1e6);
    if let (Some(before), Some(after)) = (before, peak()) {
        println!("{:.1} bytes an event at the peak", (after - before) / events.max(1) as f64);
    }
    Ok(())
}

/// The most memory that was resident at once, in bytes.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
}
