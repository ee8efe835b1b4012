//! One folder in a browser: its files, a page to look at them, and checks.
//!
//! The page asks with JSON; every check is a child process of the program itself, so that its limits hold, it can be cancelled whatever
//! it is doing, and its answers are those of the program. What the child says while it works goes to the page line by line.
//!
//! Whoever asks is not trusted, and neither is any page in the same browser. [`guard`] lets nobody in who was sent by another site, came
//! by another name (DNS rebinding) or has not the token, where there is one. Nothing in a request is a command or a flag: [`command`]
//! makes the arguments from a few fields. Paths are relative, and [`Premises`] says where they lead. [`Limits`] hold for sizes,
//! connections, time, memory and the number of children.
//!
//! This crate has a network, a clock and processes, and so is no room of the library. Start at [`Server::start`]; [`api`] has what can be
//! asked, [`jobs`] the children, [`page`] what the browser loads.

mod api;
mod command;
mod guard;
mod jobs;
mod lines;
mod page;
mod path;
mod scratch;

pub use path::is_plain;

use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use posetta_door::Door;
use serde_json::Value;

/// What whoever asks may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many connections may be open. Others wait.
    pub connections: usize,
    /// How long somebody may take to send a request.
    pub patience: Duration,
    /// How large a file may be that is dropped on the page; [`DROPS`] times as much is kept.
    pub body: usize,
    /// How many checks may run at a time. Others wait.
    pub jobs: usize,
    /// How long a check may take.
    pub time: Duration,
    /// How much memory a check may take, in bytes.
    pub memory: u64,
}

/// So many files of the largest size may be dropped before the oldest ones go.
pub const DROPS: usize = 8;

/// How large a request may be that is not a dropped file, and a text that is shown in an editor.
pub const TEXT: usize = 4 << 20;

/// How large the answer of a check may be.
pub const OUTPUT: u64 = 1 << 30;

/// What is served, and by whom.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folder, without links. Checks run in it.
    pub folder: PathBuf,
    /// What the page calls it.
    pub name: String,
    /// The program that checks.
    pub program: PathBuf,
    /// A directory of the server's own, where nobody else can look.
    pub scratch: PathBuf,
    /// What whoever asks must know.
    pub token: Option<String>,
    /// The version of the program.
    pub version: String,
    /// What whoever asks may take.
    pub limits: Limits,
}

/// Why something of the folder is not to be had, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// What it is for: `run`, `properties` or `model`.
    pub kind: &'static str,
    /// How large it is, in bytes.
    pub size: u64,
}

/// The files of a folder, and whether there are more than are listed.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// In the order of their paths.
    pub files: Vec<Listed>,
    /// Some were left out.
    pub cut: bool,
}

/// What the program knows about its folder and its languages.
pub trait Premises: Send + Sync + 'static {
    /// The files that the program can do something with.
    fn files(&self) -> Listing;

    /// Opens a regular file of the folder. The path is relative and has no `..`; links may not lead out.
    ///
    /// # Errors
    /// When there is none, or it is outside.
    fn open(&self, path: &str) -> Result<File, Refused>;

    /// What an editor asks about a text: mistakes, completions, what stands under the cursor, the text in its usual form.
    ///
    /// # Errors
    /// When the question makes no sense.
    fn language(&self, question: &Value) -> Result<Value, Refused>;
}

/// A server at work, in a thread of its own. When it is dropped, its children are gone.
pub struct Server {
    door: Door,
    jobs: Arc<jobs::Jobs>,
}

impl Server {
    /// Begins to serve.
    ///
    /// # Errors
    /// When the system refuses what that takes.
    pub fn start(listener: TcpListener, config: Config, premises: Arc<dyn Premises>) -> io::Result<Self> {
        let limits = config.limits;
        let desk = Arc::new(api::Desk::new(config, listener.local_addr()?, premises));
        let jobs = desk.jobs();
        let at_the_door = posetta_door::Limits { connections: limits.connections, patience: limits.patience };
        let door = Door::open("server", listener, at_the_door, desk)?;
        Ok(Self { door, jobs })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.door.address()
    }

    /// How many checks run now.
    #[must_use]
    pub fn running(&self) -> usize {
        self.jobs.running()
    }
}
