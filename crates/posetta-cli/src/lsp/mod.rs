//! `posetta lsp`: the room `language`, behind the language server protocol.
//!
//! A thread reads messages ([`frames`]) into a queue; the main thread answers them in their order ([`server`]), so an answer never waits for
//! a lock. What is cancelled while it waits in the queue is not worked on. Mistakes are published when the queue is empty: while somebody types
//! quickly, texts that are out of date are not looked at.

mod files;
mod frames;
mod server;
mod uri;

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use serde_json::{Value, json};

use self::frames::{Broken, Incoming, read};
use self::server::{Reply, Server};
use crate::args::LspArgs;
use crate::output;

/// So many messages wait; then the reader waits.
const WAITING: usize = 1_000;

/// Codes of errors, as the protocol numbers them.
pub mod code {
    pub const PARSE: i64 = -32700;
    pub const INVALID: i64 = -32600;
    pub const UNKNOWN_METHOD: i64 = -32601;
    pub const BAD_PARAMETERS: i64 = -32602;
    pub const NOT_INITIALIZED: i64 = -32002;
    pub const CANCELLED: i64 = -32800;
    pub const FAILED: i64 = -32803;
}

/// Runs the command and answers with the exit status.
pub fn run(args: &LspArgs) -> u8 {
    let (send, receive) = mpsc::sync_channel(WAITING);
    let reader = thread::Builder::new().name("messages".to_owned()).spawn(move || {
        let mut input = BufReader::new(std::io::stdin());
        loop {
            let message = read(&mut input);
            let is_last = matches!(message, Incoming::End | Incoming::Broken(_));
            if send.send(message).is_err() || is_last {
                return;
            }
        }
    });
    if reader.is_err() {
        output::note("error: the system refuses a thread\n");
        return 2;
    }
    serve(&mut Server::new(args), &receive)
}

fn serve(server: &mut Server<'_>, incoming: &Receiver<Incoming>) -> u8 {
    let mut queue: VecDeque<Value> = VecDeque::new();
    let mut end: Option<Incoming> = None;
    loop {
        // Everything that is there, so that what is cancelled is seen before it is worked on.
        while end.is_none() {
            let next = match queue.is_empty() && !server.has_work() {
                true => incoming.recv().map_err(|_| TryRecvError::Disconnected),
                false => incoming.try_recv(),
            };
            match next {
                Ok(Incoming::Message(message)) => queue.push_back(message),
                Ok(Incoming::Refused(code, why)) => {
                    if !send(&failure(Value::Null, code, why)) {
                        return 2;
                    }
                }
                Ok(last) => end = Some(last),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => end = Some(Incoming::End),
            }
        }
        let replies = match queue.pop_front() {
            Some(message) => server.message(message, &mut queue),
            None if server.has_work() => server.work(),
            None => return server.finished(end.as_ref()),
        };
        for reply in replies {
            match reply {
                Reply::Send(message) if send(&message) => {}
                // Nobody listens any more.
                Reply::Send(_) => return 2,
                Reply::Exit(status) => return status,
            }
        }
    }
}

/// An answer that says what went wrong.
fn failure(id: Value, code: i64, message: impl Into<String>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message.into() } })
}

/// Writes a message; `false` if nobody reads it.
fn send(message: &Value) -> bool {
    let body = message.to_string();
    let mut out = output::stdout();
    let head = format!("Content-Length: {}\r\n\r\n", body.len());
    out.write_all(head.as_bytes()).and_then(|()| out.write_all(body.as_bytes())).and_then(|()| out.flush()).is_ok()
}

impl Server<'_> {
    /// The exit status once nothing more comes.
    fn finished(&self, end: Option<&Incoming>) -> u8 {
        match end {
            Some(Incoming::Broken(Broken(why))) => {
                output::note(&format!("error: {why}\n"));
                2
            }
            _ => 1,
        }
    }
}
