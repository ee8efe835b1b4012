//! `posetta serve`: a [`Server`] of one folder, whose checks are processes of this program.

mod folder;
mod language;
mod scratch;

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use posetta_base::{Diagnostic, Kind};
use posetta_serve::{Config, Limits, Server};

use self::folder::Served;
use self::scratch::Scratch;
use crate::args::ServeArgs;
use crate::problem::{Problem, system_error};
use crate::{carets, memory, output, paint, signals};

/// How often signals are looked at.
const PERIOD: Duration = Duration::from_millis(20);

/// So many connections, if nothing is said: browsers have a few each.
const CONNECTIONS: usize = 64;

/// The bytes of a token: more than anybody can try.
const TOKEN: usize = 24;

/// Runs the command and answers with the exit status.
pub fn run(args: &ServeArgs) -> u8 {
    match serve(args) {
        Ok(()) => 0,
        Err(problem) => {
            output::note(&carets::error(&problem, paint::stderr()));
            2
        }
    }
}

fn serve(args: &ServeArgs) -> Result<(), Box<Problem>> {
    let named = args.directory.display().to_string();
    let served = Served::new(&args.directory)
        .map_err(|error| mistake(format!("cannot serve `{named}`: {}", system_error(&error))))?;
    let failed = |what: &str, error: &io::Error| mistake(format!("cannot {what}: {}", system_error(error)));
    let program = std::env::current_exe().map_err(|error| failed("find this program", &error))?;
    let scratch = Scratch::new().map_err(|error| failed("make a temporary directory", &error))?;
    let is_local = args.listen.ip().is_loopback();
    let token = match args.token || !is_local {
        true => {
            Some(token().ok_or_else(|| mistake("cannot make a token: the system has no random numbers".to_owned()))?)
        }
        false => None,
    };
    let name = served.real().file_name().map_or(named, |name| name.to_string_lossy().into_owned());
    let config = Config {
        folder: served.real().to_owned(),
        name,
        program,
        scratch: scratch.place().to_owned(),
        token: token.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        limits: limits(args),
    };
    // From here on an interruption is the ordinary end.
    signals::watched();
    signals::was_ordinary();
    let listening = TcpListener::bind(args.listen);
    let server = listening.and_then(|listener| Server::start(listener, config, Arc::new(served)));
    let server = server.map_err(|error| cannot_listen(args.listen, &error))?;
    if !is_local {
        output::note(
            "note: other machines can reach this server, and whoever has the token can use it; nothing is encrypted\n",
        );
    }
    output::print(&format!(
        "serving `{}` at {}\n",
        args.directory.display(),
        address(server.address(), token.as_deref())
    ));
    while !signals::asked() {
        thread::sleep(PERIOD);
    }
    drop(server);
    drop(scratch);
    Ok(())
}

fn limits(args: &ServeArgs) -> Limits {
    let jobs = args.jobs.get();
    Limits {
        connections: args.door.connections(CONNECTIONS),
        patience: args.door.client_timeout,
        body: usize::try_from(args.max_body).unwrap_or(usize::MAX),
        jobs,
        time: args.timeout,
        memory: args.memory.unwrap_or_else(|| memory::default_limit() / jobs as u64),
    }
}

/// What is opened in a browser. What is behind `#` stays in the browser.
fn address(listened: SocketAddr, token: Option<&str>) -> String {
    let reached = match listened.ip() {
        ip if ip.is_unspecified() && listened.is_ipv6() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), listened.port()),
        ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), listened.port()),
        _ => listened,
    };
    let token = token.map_or_else(String::new, |token| format!("#token={token}"));
    format!("http://{reached}/{token}")
}

/// A text that nobody guesses.
fn token() -> Option<String> {
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn mistake(message: String) -> Box<Problem> {
    Box::new(Problem::in_text("-", Diagnostic::new(Kind::Input, message)))
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Box<Problem> {
    let mut problem = mistake(format!("cannot listen at {address}: {}", system_error(error)));
    if error.kind() == io::ErrorKind::AddrInUse {
        problem.diagnostic = problem.diagnostic.help("port 0 is one that is free: --listen 127.0.0.1:0");
    }
    problem
}
