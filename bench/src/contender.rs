//! What this program runs as a child process: reading alone, the baselines of reading, and counting cuts.
//!
//! `posetta` has no command that only reads (`info` counts, `check` decides), so the library's `formats::read_runs` is called
//! here, as the program calls it: detection on the first bytes, a buffer of 64 KiB, no limit.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use clap::ValueEnum;
use posetta_base::Budget;
use posetta_formats::shiviz::Expression;
use posetta_formats::{self as formats, Format, ReadOptions, Run};
use posetta_trace::count_cuts;

/// What to do with a file.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    job: Job,
    file: PathBuf,
    /// The format, instead of finding it out.
    #[arg(long)]
    from: Option<String>,
    /// The expression that cuts a log, instead of finding it out.
    #[arg(long)]
    regex: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Job {
    /// Read a run with the library.
    Read,
    /// Read all runs of a file with the library, one after the other.
    Runs,
    /// Count line feeds.
    Lines,
    /// Parse each line as JSON.
    Json,
    /// Read a run with the library and count its cuts.
    Cuts,
    /// Read and hash every file of a directory, with two threads.
    Hash,
}

const BUFFER: usize = 1 << 16;

/// Bytes for counting cuts.
const MEMORY: u64 = 4_000_000_000;

/// Does it and prints what was found.
pub fn run(args: &Args) -> Result<(), String> {
    let problem = |e: &dyn std::fmt::Display| format!("{}: {e}", args.file.display());
    if let Job::Hash = args.job {
        println!("files {}", hash_files(&args.file).map_err(|e| problem(&e))?);
        return Ok(());
    }
    let file = File::open(&args.file).map_err(|e| problem(&e))?;
    match args.job {
        Job::Read | Job::Cuts => {
            let mut reader = BufReader::with_capacity(BUFFER, file);
            let format = match &args.from {
                Some(name) => Format::from_name(name).ok_or_else(|| format!("there is no format `{name}`"))?,
                None => {
                    let extension = Path::new(&args.file).extension().and_then(|e| e.to_str());
                    let start = reader.fill_buf().map_err(|e| problem(&e))?;
                    let found = formats::detect(start, extension).map_err(|foreign| problem(&foreign.what()))?;
                    found.ok_or_else(|| problem(&"not a format that is known"))?
                }
            };
            let expression = args.regex.as_deref().map(Expression::new).transpose().map_err(|e| problem(&e))?;
            let options = ReadOptions::default().expression(expression);
            let runs = formats::read_runs(format, reader, &options, &Budget::unlimited()).map_err(|e| problem(&e))?;
            let [Run { trace, .. }] = &runs[..] else { return Err(problem(&format!("{} runs", runs.len()))) };
            let busy = trace.processes().filter(|&p| !trace.chain(p).is_empty()).count();
            match args.job {
                Job::Cuts => {
                    let cuts = count_cuts(trace, &Budget::with_memory(MEMORY)).map_err(|e| problem(&e))?;
                    println!("cuts {cuts}");
                }
                _ => println!("events {} processes {busy}", trace.len()),
            }
            // The end of the process gives memory back faster.
            std::mem::forget(runs);
        }
        Job::Hash => {}
        Job::Runs => {
            let reader = BufReader::with_capacity(BUFFER, file);
            let name = args.from.as_deref().unwrap_or_default();
            let format = Format::from_name(name).ok_or_else(|| format!("there is no format `{name}`"))?;
            let opened = formats::open_runs(format, reader, &ReadOptions::default(), &Budget::unlimited());
            let (mut runs, mut events) = (0, 0);
            for run in opened.map_err(|e| problem(&e))? {
                events += run.map_err(|e| problem(&e))?.trace.len();
                runs += 1;
            }
            println!("runs {runs} events {events}");
        }
        Job::Lines => println!("lines {}", count_lines(file).map_err(|e| problem(&e))?),
        Job::Json => println!("values {}", count_values(file).map_err(|e| problem(&e))?),
    }
    Ok(())
}

/// Reads and hashes files side by side, as little as anybody can do who wants to know whether they have changed.
fn hash_files(directory: &Path) -> std::io::Result<usize> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let next = AtomicUsize::new(0);
    let worker = || -> std::io::Result<usize> {
        let (mut buffer, mut bits) = (vec![0; 1 << 17], 0);
        while let Some(path) = paths.get(next.fetch_add(1, Relaxed)) {
            let (mut file, mut hasher) = (File::open(path)?, blake3::Hasher::new());
            loop {
                match file.read(&mut buffer)? {
                    0 => break,
                    n => drop(hasher.update(&buffer[..n])),
                }
            }
            bits |= usize::from(hasher.finalize().as_bytes()[0]);
        }
        Ok(bits)
    };
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(worker);
        let own = worker();
        [own, other.join().unwrap_or(Ok(0))]
    });
    // Looked at, so that nobody leaves it out.
    let bits: std::io::Result<usize> = both.into_iter().sum();
    Ok(paths.len() + usize::from(bits? == usize::MAX))
}

/// How many line feeds a file has.
pub fn count_lines(mut file: File) -> std::io::Result<u64> {
    let (mut buffer, mut lines) = (vec![0; BUFFER], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(lines),
            n => lines += memchr::memchr_iter(b'\n', &buffer[..n]).count() as u64,
        }
    }
}

fn count_values(file: File) -> std::io::Result<u64> {
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let (mut line, mut values) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        let value: serde_json::Value = serde_json::from_slice(&line)?;
        // Otherwise the parse might be left out as unused.
        std::hint::black_box(&value);
        values += 1;
        line.clear();
    }
    Ok(values)
}

/// The arguments with which this program does a job on a file.
pub fn arguments(job: &str, file: &Path, from: Option<&str>) -> Vec<String> {
    let mut args = vec!["contender".to_owned(), job.to_owned(), file.display().to_string()];
    args.extend(from.into_iter().flat_map(|name| ["--from".to_owned(), name.to_owned()]));
    args
}
