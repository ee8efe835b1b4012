//! The `posetta` program: files, flags, colours, limits, reports and exit codes around the library.
//!
//! Start at [`args`] for what can be asked and at [`check`] for how it is answered.

mod across;
mod amounts;
mod args;
mod baseline;
mod board;
mod cache;
mod carets;
mod check;
mod conform;
mod convert;
mod deny;
mod exit;
mod explain;
mod files;
mod follow;
mod gallery;
mod r#gen;
mod info;
mod init;
mod inputs;
mod limited;
mod limits;
mod lsp;
mod m2l;
mod man;
mod mapping;
mod memory;
mod monitor;
mod order_file;
mod output;
mod paint;
mod places;
mod pool;
mod problem;
mod progress;
mod properties;
mod read;
mod receive;
mod refine;
mod replay;
mod report_human;
mod report_json;
mod reports;
mod sampling;
mod serve;
mod shard;
mod show;
mod signals;
mod stream;
mod tied;
mod unsaved;
mod verify;

use std::time::Instant;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use posetta_files::{models, root};

use crate::args::{Cli, Command, Given, Later};

fn main() {
    let started = Instant::now();
    memory::make_do();
    if !signals::listen() {
        limits::no_room();
    }
    exit::with(run(started));
}

/// Does what the arguments ask for, and answers with the exit status.
fn run(started: Instant) -> u8 {
    let mut command = paint::of_help(Cli::command());
    let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    // The end of the process gives it all back; piece by piece that takes a while.
    std::mem::forget(command);
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&if lacks_witness(&error) { no_order() } else { error }),
    };
    paint::set(cli.terminal);
    deny::set(cli.deny);
    unsaved::set(cli.unsaved);
    if let Err(error) = files::confine(&cli.confine) {
        output::note(&format!("error: --confine: {error}\n"));
        return 2;
    }
    if cli.tied && !tied::tie() {
        limits::no_room();
    }
    let of = |command: &str, given: Given<'_>| given.sources(matches.subcommand_matches(command));
    match cli.command {
        Command::Check(Later(args)) => {
            let (branching, automata) = (Some(&args.branching), Some(&args.automata));
            let sources = of("check", Given { properties: &args.properties, branching, automata });
            if sources.is_empty() && args.model.is_none() {
                return usage(&no_property("check"));
            }
            if args.automata.some && !sources.iter().any(properties::Source::has_quantifier) {
                let message = "--some is for --ltl, --psl and --m2l formulas, and there is none: a file of properties \
                               says `some` itself, and a CTL formula speaks of some orders with E";
                return usage(&missing("check", message));
            }
            match args.follow {
                true => follow::run(&args, &sources, started),
                false => check::run(&args, &sources, started),
            }
        }
        Command::Test(Later(args)) => {
            let check = &args.check;
            let (branching, automata) = (Some(&check.branching), Some(&check.automata));
            let sources = of("test", Given { properties: &check.properties, branching, automata });
            if sources.is_empty() && check.model.is_none() {
                return usage(&no_property("test"));
            }
            if args.command.is_empty() || !check.runs.is_empty() {
                return usage(&missing("test", receive::NO_COMMAND));
            }
            receive::test(args, &sources)
        }
        Command::Collect(Later(args)) => receive::collect(&args),
        Command::Serve(Later(args)) => serve::run(&args),
        Command::Monitor(Later(args)) => {
            let automata = Some(&args.automata);
            let sources = of("monitor", Given { properties: &args.properties, branching: None, automata });
            if sources.is_empty() {
                return usage(&no_property("monitor"));
            }
            monitor::run(&args, &sources, started)
        }
        Command::Verify(Later(args)) => {
            let branching = Some(&args.branching);
            let sources = of("verify", Given { properties: &args.properties, branching, automata: None });
            verify::run(&args, &sources, started)
        }
        Command::M2l(Later(args)) => m2l::run(&args, started),
        Command::Refine(Later(args)) => refine::run(&args, started),
        Command::Init(Later(args)) => init::run(&args, started),
        Command::Lsp(Later(args)) => lsp::run(&args),
        Command::Man { directory } => man::run(&directory),
        Command::Info(Later(args)) => info::run(&args, started),
        Command::Replay(Later(args))
            if args.ltl.is_none()
                && args.ctl.is_none()
                && args.psl.is_none()
                && args.m2l.is_none()
                && args.spec.is_none()
                && args.monitor.is_none() =>
        {
            usage(&no_property("replay"))
        }
        Command::Replay(Later(args)) => replay::run(&args, started),
        Command::Show(Later(args)) => {
            let (branching, automata) = (Some(&args.branching), Some(&args.automata));
            let sources = of("show", Given { properties: &args.properties, branching, automata });
            show::run(&args, &sources, started)
        }
        Command::Convert(Later(args)) => convert::run(&args, started),
        Command::Gen(Later(args)) => r#gen::run(&args),
        Command::Explain(Later(args)) => {
            let (branching, automata) = (Some(&args.branching), Some(&args.automata));
            let sources = of("explain", Given { properties: &args.properties, branching, automata });
            if sources.is_empty() && args.property_and_run.is_empty() && args.library.is_none() {
                return usage(&no_property("explain"));
            }
            explain::run(&args, sources, started)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "posetta", &mut script);
            if output::print(&String::from_utf8_lossy(&script)) { 0 } else { 2 }
        }
    }
}

/// Help and version are answers; anything else about the arguments is a mistake in them. A closed pipe is neither.
fn usage(error: &clap::Error) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            0
        }
        _ => {
            output::note(&paint::usage(error));
            2
        }
    }
}

fn no_property(command: &str) -> clap::Error {
    let (verb, flags) = match command {
        "explain" => ("explain", "--ltl, --ctl, --psl or --m2l"),
        "monitor" => ("watch", "--ltl, --psl or --m2l"),
        _ => ("check", "--ltl, --ctl, --psl or --m2l"),
    };
    let message = format!(
        "no property to {verb}: give a formula with {flags}, or a file of properties with --spec\n\n  \
                   for example: --ltl 'G !(c0 == 1 && c1 == 1)'"
    );
    missing(command, &message)
}

/// Whether all that is wrong is that `replay` has no order.
fn lacks_witness(error: &clap::Error) -> bool {
    matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::Strings(missing))
        if error.kind() == ErrorKind::MissingRequiredArgument && matches!(&missing[..], [one] if one.starts_with("--witness ")))
}

fn no_order() -> clap::Error {
    let message = "no order to replay: give one with --witness, as a report of `check --json` or as a file with one event id per \
                   line\n\n  \
                   posetta check run.trace --ltl 'G c0+c1 < 2' --json > report.json\n  \
                   posetta replay run.trace --ltl 'G c0+c1 < 2' --witness report.json";
    missing("replay", message)
}

/// What a command lacks, and how to give it.
fn missing(command: &str, message: &str) -> clap::Error {
    let mut root = paint::of_help(Cli::command());
    root.build();
    match root.find_subcommand_mut(command) {
        Some(command) => command.error(ErrorKind::MissingRequiredArgument, message),
        None => root.error(ErrorKind::MissingRequiredArgument, message),
    }
}
