//! `posetta test` and `posetta collect`: a [`Receiver`] with a file behind it.
//!
//! `test` runs a command beside it and then checks the file by [`check::run`](crate::check::run), as `posetta check` would; what was
//! lost on the way is a mistake in that report, because a verdict about what is left would say too much.

mod command;
mod environment;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use posetta_base::{Diagnostic, Kind};
use posetta_formats::Format;
use posetta_receive::{Counts, Receiver, Refusal};
use posetta_tell::page::fit;

use crate::amounts::counted;
use crate::args::{CollectArgs, Form, ReceiveArgs, TestArgs};
use crate::conform::Model;
use crate::files::Output;
use crate::inputs::Input;
use crate::problem::{Problem, system_error};
use crate::properties::{self, Source};
use crate::{carets, check, exit, output, paint, signals};

/// The file of a directory that keeps what was received.
const FILE: &str = "spans.otlp";

/// When nothing has come for so long after the command, nothing will: it is longer than SDKs keep spans to themselves.
const QUIET: Duration = Duration::from_millis(400);

/// The same while somebody still has a connection, and so may have more to send.
const IDLE: Duration = Duration::from_millis(1000);

/// How often it is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// What mistakes are about that stand in no file.
const RECEIVER: &str = "-";

/// That the command stands where runs stand elsewhere.
pub const NO_COMMAND: &str = "the command goes behind --\n\n  for example: posetta test --spec checks.props -- pytest";

/// What was received, for [`check`].
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// The file with all spans, if there are any.
    input: Option<Input>,
    /// What went wrong on the way.
    pub problems: Vec<Problem>,
}

impl Received {
    /// What there is to check: every trace is a run, or with `join` all of them are one.
    pub fn inputs(&self, join: bool) -> Vec<Input> {
        let input = self.input.iter().cloned();
        if join && self.input.is_some() { vec![Input::Joined(input.collect())] } else { input.collect() }
    }
}

/// What a command sent, and the file of it if that is to go afterwards.
type Sent = (Received, Option<Output>);

/// Runs `posetta test` and answers with the exit status.
pub fn test(mut args: TestArgs, sources: &[Source]) -> u8 {
    args.check.input.from = Some(Format::OtlpProto);
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    if sources.iter().any(|source| matches!(source, Source::Spec(path, _) | Source::Monitor(path, _) if is_stdin(path)))
    {
        let problem = mistake(Kind::Input, "standard input is the command's: name a file of properties");
        output::note(&carets::error(&problem, paint::stderr()));
        return 2;
    }
    let sent = match is_in_order(&args, sources) {
        true => run_command(&args),
        // The check says what is wrong, before anybody waits for the command.
        false => Ok(Some((Received::default(), None))),
    };
    let (received, _file) = match sent {
        Ok(Some(sent)) => sent,
        // Interrupted: the command has failed, and its status is that of the process.
        Ok(None) => return exit::INTERRUPTED,
        Err(problem) => (Received { input: None, problems: vec![*problem] }, None),
    };
    args.check.received = Some(received);
    // The limits are those of the check, not of the command.
    check::run(&args.check, sources, Instant::now())
}

/// Whether the properties, and the model, can be read. A command may take long.
fn is_in_order(args: &TestArgs, sources: &[Source]) -> bool {
    let check = &args.check;
    let properties = properties::read_chosen(sources, &check.root, &check.properties.only).is_ok();
    let model = check.model.as_deref().map(|path| Model::read(path, check.system.as_deref(), &[], &check.root));
    properties && model.is_none_or(|model| model.is_ok())
}

/// Runs the command beside a receiver. Nothing if somebody interrupted it.
fn run_command(args: &TestArgs) -> Result<Option<Sent>, Box<Problem>> {
    let kept = args.save.as_deref().map(file_in).transpose()?;
    let output = kept.as_deref().map_or_else(Output::temporary, Output::create);
    let place = kept.clone().unwrap_or_else(std::env::temp_dir);
    let output = output.map_err(|error| unwritable(&place, &error))?;
    let receiver = start((Ipv4Addr::LOCALHOST, 0).into(), &args.receive, output)?;
    let endpoint = format!("http://{}", receiver.address());
    let changes = environment::changes(&endpoint, |name| std::env::var_os(name));
    output::note(&fit(environment::told(&changes), paint::stderr().width));
    let name = args.command.first().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // A report for programs has standard output to itself.
    let aside = args.check.report.stdout() != Form::Human;
    let ended = command::run(&args.command, &changes, aside)
        .map_err(|error| mistake(Kind::Input, &format!("cannot start `{name}`: {}", system_error(&error))))?;
    if !ended.status.success() {
        exit::command_failed(ended.code());
        output::note(&format!("error: {}\n", ended.told()));
    }
    if ended.interrupted && !ended.status.success() {
        let (counts, output) = receiver.finish();
        let saved = output.zip(kept).filter(|_| counts.spans > 0).and_then(|(output, path)| {
            output.finish().ok()?;
            Some(format!("; they are in `{}`", path.display()))
        });
        let spans = counted(counts.spans, "span was", "spans were");
        output::note(&format!("interrupted: {spans} received and not checked{}\n", saved.unwrap_or_default()));
        return Ok(None);
    }
    drain(&receiver, args.drain);
    let (counts, output) = receiver.finish();
    let mut problems = lost(&counts);
    if counts.spans == 0 {
        problems.push(no_spans(&name, &counts));
        return Ok(Some((Received { input: None, problems }, None)));
    }
    output::remark(&said(&counts));
    // Where something could not be written, a part of a message may be all there is.
    let Some(output) = output else { return Ok(Some((Received { input: None, problems }, None))) };
    let (input, temporary) = match kept {
        None => (Input::Received(output.place().to_owned()), Some(output)),
        Some(path) => {
            output.finish().map_err(|error| unwritable(&path, &error))?;
            (Input::File(path), None)
        }
    };
    Ok(Some((Received { input: Some(input), problems }, temporary)))
}

/// Waits for what is under way, and for exporters that are late: at most so long, and no longer than until nothing happens any more.
fn drain(receiver: &Receiver<Output>, most: Duration) {
    let begun = Instant::now();
    let (mut changes, mut since) = (receiver.counts().changes, begun);
    while begun.elapsed() < most {
        let counts = receiver.counts();
        if counts.changes != changes {
            (changes, since) = (counts.changes, Instant::now());
        }
        // Who has sent nothing may be late.
        let quiet = if counts.open > 0 { IDLE } else { QUIET };
        if counts.spans > 0 && counts.under_way == 0 && since.elapsed() >= quiet {
            return;
        }
        thread::sleep(PERIOD);
    }
}

/// Runs `posetta collect` and answers with the exit status.
pub fn collect(args: &CollectArgs) -> u8 {
    match collected(args) {
        Ok(problems) => {
            output::note(&problems.iter().map(|problem| carets::error(problem, paint::stderr())).collect::<String>());
            if problems.is_empty() { 0 } else { 2 }
        }
        Err(problem) => {
            output::note(&carets::error(&problem, paint::stderr()));
            2
        }
    }
}

/// Receives until it is to end. Answers with what went wrong meanwhile.
fn collected(args: &CollectArgs) -> Result<Vec<Problem>, Box<Problem>> {
    let is_local = args.listen.ip().is_loopback();
    if !is_local && !args.remote {
        let message = format!("{} can be reached from other machines", args.listen);
        return Err(mistake(Kind::Input, &message).help("if they are to send, say --remote; nothing is encrypted"));
    }
    let path = file_in(&args.directory)?;
    if path.exists() {
        let message = format!("`{}` is there already, and a recording is not replaced", path.display());
        return Err(mistake(Kind::Input, &message).help("name another directory"));
    }
    let output = Output::create(&path).map_err(|error| unwritable(&path, &error))?;
    // From here on an interruption is the ordinary end.
    signals::watched();
    signals::was_ordinary();
    let receiver = start(args.listen, &args.receive, output)?;
    if !is_local {
        output::note("note: other machines can send spans here; nothing is encrypted\n");
    }
    output::print(&exports(receiver.address()));
    let begun = Instant::now();
    while !signals::asked() && args.period.is_none_or(|period| begun.elapsed() < period) {
        thread::sleep(PERIOD);
    }
    let (counts, output) = receiver.finish();
    let mut problems = lost(&counts);
    if counts.spans == 0 {
        problems.push(Problem::in_text(RECEIVER, Diagnostic::new(Kind::NoEvents, "no span was received")));
        return Ok(problems);
    }
    if let Some(output) = output {
        output.finish().map_err(|error| unwritable(&path, &error))?;
        output::remark(&format!("{}wrote `{}`\n", said(&counts), path.display()));
    }
    Ok(problems)
}

/// What a shell has to be told so that what it starts sends here.
fn exports(address: SocketAddr) -> String {
    let reached = match address.ip() {
        ip if ip.is_unspecified() && address.is_ipv6() => {
            SocketAddr::new(std::net::Ipv6Addr::LOCALHOST.into(), address.port())
        }
        ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        _ => address,
    };
    let changes = environment::changes(&format!("http://{reached}"), |_| None);
    let set =
        changes.iter().filter_map(|change| Some(format!("export {}={}\n", change.name, change.value.as_deref()?)));
    format!("receiving spans at http://{reached}, over HTTP and gRPC\n\n{}\n", set.collect::<String>())
}

fn start(address: SocketAddr, args: &ReceiveArgs, output: Output) -> Result<Receiver<Output>, Box<Problem>> {
    let started = TcpListener::bind(address).and_then(|listener| Receiver::start(listener, args.limits(), output));
    started.map_err(|error| {
        let message = format!("cannot receive at {address}: {}", system_error(&error));
        let problem = mistake(Kind::Input, &message);
        match error.kind() {
            io::ErrorKind::AddrInUse => problem.help("port 0 is one that is free: --listen 127.0.0.1:0"),
            _ => problem,
        }
    })
}

/// The file of a directory, which is made if it is not there.
fn file_in(directory: &Path) -> Result<PathBuf, Box<Problem>> {
    std::fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
    Ok(directory.join(FILE))
}

fn mistake(kind: Kind, message: &str) -> Box<Problem> {
    Box::new(Problem::in_text(RECEIVER, Diagnostic::new(kind, message)))
}

fn unwritable(path: &Path, error: &io::Error) -> Box<Problem> {
    mistake(Kind::Input, &format!("cannot write `{}`: {}", path.display(), system_error(error)))
}

/// Advice on a mistake.
trait Advised {
    fn help(self, advice: &str) -> Self;
}

impl Advised for Box<Problem> {
    fn help(mut self, advice: &str) -> Self {
        self.diagnostic = self.diagnostic.help(advice);
        self
    }
}

fn said(counts: &Counts) -> String {
    let spans = counted(counts.spans, "span", "spans");
    let exports = counted(counts.exports, "export", "exports");
    let others = match counts.others {
        0 => String::new(),
        others => format!("; {} of metrics or logs not used", counted(others, "export", "exports")),
    };
    format!("received {spans} in {exports}{others}\n")
}

/// What was sent and not taken: a verdict about the rest would say too much.
fn lost(counts: &Counts) -> Vec<Problem> {
    let refused = counts.refused.iter().filter(|(refusal, _)| refusal.loses_spans());
    refused
        .map(|(refusal, (times, first))| {
            let exports = counted(*times, "export was lost", "exports were lost");
            let (why, help) = match refusal {
                Refusal::Malformed => ("cannot be read", "the first one"),
                Refusal::TooLarge => ("too large", "--max-body allows more; the first one"),
                Refusal::Unsupported => ("a type or a packing that is not read", "the first one"),
                Refusal::Page => ("sent by a web page", "spans of browsers are not taken; the first one"),
                Refusal::Path => {
                    ("sent to a path that is not /v1/traces", "an endpoint is set without /v1/traces; the first one")
                }
                Refusal::Slow => ("too slow", "--client-timeout allows more; the first one"),
                Refusal::CutOff => ("not complete", "it may have come too late: --drain waits longer; the first one"),
                Refusal::Busy => ("too much at the same time", "--max-body allows more; the first one"),
                Refusal::Full => ("the file would be too large", "--max-total allows more; the first one"),
                Refusal::Unwritten => ("cannot be written", "the first one"),
                Refusal::Method => ("no export", "the first one"),
            };
            let diagnostic = Diagnostic::new(Kind::Incomplete, format!("{exports}: {why}"));
            Problem::in_text(RECEIVER, diagnostic.help(format!("{help}: {first}")))
        })
        .collect()
}

/// That nothing came, and where to look.
fn no_spans(name: &str, counts: &Counts) -> Problem {
    let advice = match counts {
        counts if counts.lost() > 0 => "what it sent was refused; see above",
        Counts { connections: 0, .. } => {
            "nothing connected. Does the command set up a tracer provider with an OTLP exporter? Is the endpoint left to \
             OTEL_EXPORTER_OTLP_ENDPOINT? Is the provider shut down before the process ends? Does a container or a remote \
             machine do the work? An exporter that is late has more time with --drain"
        }
        Counts { exports: 0, others: 1.., .. } => {
            "metrics or logs came, but no traces: does the command set up a tracer provider with an OTLP exporter?"
        }
        Counts { exports: 1.., .. } => "exports came, but none had a span: is every trace sampled away?",
        _ => {
            "something connected, but no export came. Is the endpoint one of TLS (https)? An exporter that is late has more \
             time with --drain"
        }
    };
    let diagnostic = Diagnostic::new(Kind::NoEvents, format!("no span was received from `{name}`"));
    Problem::in_text(RECEIVER, diagnostic.help(advice))
}
