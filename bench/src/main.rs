//! Measures Posetta beside its peers and baselines.
//!
//! A [`Workload`](workload::Workload) is one row of the targets: an input, the contenders that work on it, and what
//! they must answer. Every contender is a process of its own; in each round all of them run, one after the other, so that a
//! noisy machine is noisy for all. [`report`] prints the medians and writes CSV, [`plot`] draws them. A [`Study`](study::Study)
//! is a sheet of another shape: a paper's table, or figures against a size.
//!
//! Start at [`workloads`] and [`studies`], which have one file per row; [`contender`] is what this program itself runs as a child process.

mod check;
mod contender;
mod documents;
mod generate;
mod lab;
mod machine;
mod measure;
mod nusmv;
mod peers;
mod plot;
mod report;
mod search;
mod simulate;
mod sizes;
mod stats;
mod studies;
mod study;
mod traces;
mod workload;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use lab::Lab;

/// Measures Posetta beside its peers and baselines, as whole processes in one run.
#[derive(Debug, Parser)]
#[command(
    name = "posetta-bench",
    version,
    after_help = "\
Examples:
  cargo run --release -p posetta-bench                       everything
  cargo run --release -p posetta-bench -- reading --times 9  the rows whose names begin so
  cargo run --release -p posetta-bench -- table-1            the first paper's table, theirs and ours
  cargo run --release -p posetta-bench -- linear             linear properties beside the same question in CTL
  cargo run --release -p posetta-bench -- cuts --peers       the second paper's table, with NuSMV
  cargo run --release -p posetta-bench -- verify --peers     models, with NuSMV, BuDDy and SPIN
  cargo run --release -p posetta-bench -- systems --peers    systems of components: the third paper's tables, and SPIN
  cargo run --release -p posetta-bench -- --list             what there is, and which peers were found

Exit status: 0 every contender answered rightly; 1 one failed, was too slow to wait for, gave a wrong answer, or took
more configurations than it may; 2 bad usage. How fast they were does not change it.",
    max_term_width = 100
)]
struct Cli {
    /// Names of workloads, or how they begin [default: all]
    names: Vec<String>,

    /// Show the workloads and the peers, and run nothing
    #[arg(long)]
    list: bool,

    /// How many times each contender runs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,

    /// Small inputs, two times each: to see that everything works
    #[arg(long)]
    quick: bool,

    /// Also what takes minutes or gigabytes: ten million events, larger models
    #[arg(long, conflicts_with = "quick")]
    full: bool,

    /// Events of the generated inputs; `cuts` leaves out rows with more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    events: Option<u64>,

    /// Where the table, CSV and plots go [default: bench-results in the target directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Where generated inputs are kept [default: bench-data in the target directory]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// The program to measure, or `none` [default: built with cargo, else the one beside this program]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// Also run peers and methods that take minutes: NuSMV and the second paper's own in `cuts`; give all peers in `verify` and all in `systems-philosophers` the limit, not 10 s
    #[arg(long)]
    peers: bool,

    /// NuSMV [default: POSETTA_BENCH_NUSMV, else in PATH]
    #[arg(long, value_name = "FILE")]
    nusmv: Option<PathBuf>,

    /// Seconds after which who may take long is ended, in `cuts`, `verify` and `systems` [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit: Option<u64>,

    /// Draw the pictures of the tables in bench.md of this directory, and measure nothing
    #[arg(long, value_name = "DOCS")]
    pictures: Option<PathBuf>,

    #[command(subcommand)]
    inner: Option<Inner>,
}

#[derive(Debug, Subcommand)]
enum Inner {
    /// What a workload starts as a child process
    #[command(hide = true)]
    Contender(contender::Args),
    /// What a row of properties starts as a child process
    #[command(hide = true)]
    Search(search::Args),
    /// What the tables of systems start as a child process
    #[command(hide = true)]
    Sizes(sizes::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match &cli.inner {
        Some(Inner::Contender(args)) => contender::run(args).map(|()| true),
        Some(Inner::Search(args)) => search::run(args).map(|()| true),
        Some(Inner::Sizes(args)) => sizes::run(args).map(|()| true),
        None => bench(&cli),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs the chosen workloads. Answers whether every contender did its job.
fn bench(cli: &Cli) -> Result<bool, String> {
    if let Some(docs) = &cli.pictures {
        documents::write(docs)?.iter().for_each(|path| println!("{}", path.display()));
        return Ok(true);
    }
    let chosen = workloads::choose(&cli.names)?;
    if cli.list {
        print!("{}", report::list(&chosen, &peers::look(cli.nusmv.as_deref())));
        return Ok(true);
    }
    let lab = Lab::new(lab::Choices {
        program: cli.program.as_deref(),
        data: cli.data.as_deref(),
        out: cli.out.as_deref(),
        events: cli.events,
        quick: cli.quick,
        full: cli.full,
        peers: cli.peers,
        nusmv: cli.nusmv.as_deref(),
        limit: cli.limit,
    })?;
    let times = if cli.quick { cli.times.min(2) } else { cli.times };
    let header = machine::header(&lab, times) + &report::peers(&peers::look(cli.nusmv.as_deref()));
    print!("{header}");
    let mut rows = Vec::new();
    for workload in chosen.workloads {
        eprintln!("{} …", workload.id);
        rows.push(measure::row(workload, &lab, times)?);
        print!("{}", report::table(&rows[rows.len() - 1]));
    }
    let mut sheets = Vec::new();
    for study in chosen.studies {
        eprintln!("{} …", study.id);
        let sheet = (study.run)(&lab, times).map_err(|e| format!("{}: {e}", study.id))?;
        print!("{}", report::sheet(study, &sheet));
        sheets.push((study, sheet));
    }
    let written = report::write(&lab.out, &header, &rows, &sheets)?;
    println!("\nwritten:");
    for path in written {
        println!("  {}", path.display());
    }
    let failures =
        rows.iter().flat_map(|row| &row.failures).chain(sheets.iter().flat_map(|(_, s)| &s.failures)).count();
    if failures > 0 {
        println!("\n{failures} time(s) a contender did not do its job; see FAILED above");
    }
    Ok(failures == 0)
}
