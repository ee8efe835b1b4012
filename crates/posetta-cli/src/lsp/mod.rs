//! `posetta lsp`: the room `language`, behind the language server protocol.
//!
//! A thread reads messages ([`frames`]) into a queue of limited length and size ([`Room`]); the main thread answers them in their order ([`server`]), so an answer never waits for
//! a lock. What is cancelled while it waits in the queue is not worked on. Mistakes are published when the queue is empty: while somebody types
//! quickly, texts that are out of date are not looked at.

mod files;
mod frames;
mod room;
mod server;
mod uri;

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use serde_json::{Value, json};

use self::frames::{Broken, Incoming, read};
use self::room::Room;
use self::server::{Reply, Server};
use crate::args::LspArgs;
use crate::output;

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
    let room = Arc::new(Room::default());
    let theirs = Arc::clone(&room);
    // What is in it has its place in the room.
    let (send, receive) = mpsc::channel();
    let reader = thread::Builder::new().name("messages".to_owned()).spawn(move || {
        let mut input = BufReader::new(std::io::stdin());
        loop {
            let message = read(&mut input, |length| theirs.take(length));
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
    serve(&mut Server::new(args), &receive, &room)
}

fn serve(server: &mut Server<'_>, incoming: &Receiver<Incoming>, room: &Room) -> u8 {
    let mut queue: VecDeque<Value> = VecDeque::new();
    // How long those in the queue were.
    let mut lengths: VecDeque<u64> = VecDeque::new();
    let mut end: Option<Incoming> = None;
    loop {
        // Everything that is there, so that what is cancelled is seen before it is worked on.
        while end.is_none() {
            let next = match queue.is_empty() && !server.has_work() {
                true => incoming.recv().map_err(|_| TryRecvError::Disconnected),
                false => incoming.try_recv(),
            };
            match next {
                Ok(Incoming::Message(message, length)) => {
                    queue.push_back(message);
                    lengths.push_back(length);
                }
                Ok(Incoming::Refused(code, why, length)) => {
                    length.inspect(|&length| room.leave(length));
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
            Some(message) => {
                let replies = server.message(message, &mut queue);
                room.leave(lengths.pop_front().unwrap_or(0));
                replies
            }
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
