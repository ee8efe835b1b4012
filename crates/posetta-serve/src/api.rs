//! What can be asked. Paths are fixed, but for the number of a job; everything else is JSON in the body, so nothing has to be decoded.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /`, and the parts of the page | [`page`] |
//! | `GET /api/about` | the folder's name, the version, the limits |
//! | `GET /api/files` | the files of the folder |
//! | `POST /api/read` `{"path"}` | a text of the folder |
//! | `POST /api/drop`: a line `{"name"}`, then a file | its number |
//! | `POST /api/language` | what an editor wants to know |
//! | `POST /api/jobs` | [`Ask`]: lines of JSON while it is worked on |
//! | `POST /api/jobs/N/cancel` | |
//! | `POST /api/jobs/N/share` | the same once more, as a page of its own |
//! | `GET /api/jobs/N/output` | the answer |

use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use posetta_door::body::{self, Bodies, whole};
use posetta_door::{Answer, Host};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use crate::command::{Ask, Form};
use crate::guard::{Guard, Want};
use crate::jobs::{Jobs, Kept};
use crate::lines::Pieces;
use crate::scratch::Drops;
use crate::{Config, Premises, Refused, TEXT, page, path};

/// So many requests with texts may be held at a time.
const TEXTS: usize = 16;

/// A dropped file may take so many times as long as another request.
const LARGER: u32 = 6;

/// So many requests are worked on at a time in threads of their own; others wait. There are no more of them than connections.
const ASIDE: usize = 8;

/// So many of them may be what an editor asks, which can take long for a text that is made for it. More wait a little, because whoever types
/// fast leaves questions behind that are still being answered, and are refused then: old questions must not pile up.
const LANGUAGE: usize = 4;
const LANGUAGE_WAIT: Duration = Duration::from_secs(1);

/// So much of an answer is read at a time.
const PIECE: usize = 1 << 18;

/// What all connections share.
pub struct Desk {
    config: Config,
    guard: Guard,
    premises: Arc<dyn Premises>,
    texts: Arc<Bodies>,
    files: Arc<Bodies>,
    drops: Arc<Drops>,
    jobs: Arc<Jobs>,
    aside: Arc<Semaphore>,
    languages: Arc<Semaphore>,
}

/// Why a request has no answer.
type Failure = (StatusCode, String);

fn failure<T>(status: StatusCode, why: impl Into<String>) -> Result<T, Failure> {
    Err((status, why.into()))
}

impl From<Refused> for Failure {
    fn from(Refused(why): Refused) -> Self {
        (StatusCode::UNPROCESSABLE_ENTITY, why)
    }
}

impl Desk {
    pub fn new(config: Config, address: SocketAddr, premises: Arc<dyn Premises>) -> Self {
        let limits = &config.limits;
        Self {
            guard: Guard::new(address, config.token.as_deref()),
            texts: Bodies::new(TEXT * TEXTS, limits.patience),
            files: Bodies::new(limits.body.saturating_mul(2), limits.patience.saturating_mul(LARGER)),
            drops: Arc::new(Drops::new(&config.scratch, limits.body)),
            jobs: Arc::new(Jobs::new(config.clone())),
            aside: Arc::new(Semaphore::new(ASIDE)),
            languages: Arc::new(Semaphore::new(LANGUAGE)),
            premises,
            config,
        }
    }

    pub fn jobs(&self) -> Arc<Jobs> {
        Arc::clone(&self.jobs)
    }

    async fn respond(self: &Arc<Self>, request: Request<Incoming>) -> Result<Response<Answer>, Failure> {
        let path = request.uri().path().to_owned();
        let part = page::part(&path);
        let want = if part.is_some() { Want::Page } else { Want::Answers };
        self.guard.check(&request, want).map_err(|(status, why)| (status, why.to_owned()))?;
        let method = request.method().clone();
        if let Some(part) = part {
            return if method == Method::GET { Ok(part.response()) } else { wrong_method() };
        }
        let names: Vec<&str> = path.split('/').skip(1).collect();
        match (&method, &names[..]) {
            (&Method::GET, ["api", "about"]) => Ok(json_response(&self.about())),
            (&Method::GET, ["api", "files"]) => {
                let premises = Arc::clone(&self.premises);
                Ok(json_response(&self.aside(move || listed(&*premises)).await?))
            }
            (&Method::POST, ["api", "read"]) => self.read(request).await,
            (&Method::POST, ["api", "drop"]) => self.take_file(request).await,
            (&Method::POST, ["api", "language"]) => self.language(request).await,
            (&Method::POST, ["api", "jobs"]) => self.ask(request).await,
            (_, ["api", "jobs", number, what]) => {
                let Some(number) = number.parse().ok() else { return not_found() };
                match (&method, *what) {
                    (&Method::POST, "cancel") => Ok(json_response(&json!({ "cancelled": self.jobs.cancel(number) }))),
                    (&Method::POST, "share") => self.share(number),
                    (&Method::GET, "output") => self.output(number),
                    (_, "cancel" | "share" | "output") => wrong_method(),
                    _ => not_found(),
                }
            }
            (_, ["api", "about" | "files" | "read" | "drop" | "language" | "jobs"]) => wrong_method(),
            _ => not_found(),
        }
    }

    /// Does something that may take a while without keeping everybody waiting. Whoever goes away meanwhile leaves its place when it is
    /// done, and not before.
    async fn aside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
        let place = Arc::clone(&self.aside).acquire_owned().await;
        aside(move || {
            let done = work();
            drop(place);
            done
        })
        .await
    }

    fn about(&self) -> Value {
        let limits = &self.config.limits;
        json!({
            "folder": self.config.name,
            "version": self.config.version,
            "limits": { "body": limits.body, "text": TEXT, "jobs": limits.jobs, "seconds": limits.time.as_secs(), "memory": limits.memory },
        })
    }

    /// The body of a request as JSON.
    async fn json(&self, request: Request<Incoming>) -> Result<Value, Failure> {
        let body = gather(&self.texts, request, TEXT).await?;
        match serde_json::from_slice(&body.bytes) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => failure(StatusCode::BAD_REQUEST, "the request is no JSON object"),
        }
    }

    async fn read(&self, request: Request<Incoming>) -> Result<Response<Answer>, Failure> {
        let asked = self.json(request).await?;
        let premises = Arc::clone(&self.premises);
        let text = self.aside(move || read_text(&*premises, asked["path"].as_str().unwrap_or_default())).await??;
        Ok(json_response(&json!({ "text": text })))
    }

    async fn take_file(&self, request: Request<Incoming>) -> Result<Response<Answer>, Failure> {
        // A name is short.
        let body = gather(&self.files, request, self.config.limits.body.saturating_add(1 << 12)).await?;
        let drops = Arc::clone(&self.drops);
        let kept = self.aside(move || {
            let end = body.bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
            let head = serde_json::from_slice::<Value>(&body.bytes[..end]).unwrap_or_default();
            let Some(name) = head["name"].as_str() else {
                return failure(StatusCode::BAD_REQUEST, "a dropped file begins with a line that names it");
            };
            drops.keep(name, &body.bytes[end + 1..]).map_err(|error| {
                (StatusCode::INSUFFICIENT_STORAGE, format!("the dropped file cannot be kept: {error}"))
            })
        });
        let kept = kept.await??;
        Ok(json_response(&json!({ "dropped": kept.number, "name": kept.name, "size": kept.size })))
    }

    async fn language(&self, request: Request<Incoming>) -> Result<Response<Answer>, Failure> {
        let question = self.json(request).await?;
        // Who goes away meanwhile does not wait any longer.
        let place = tokio::time::timeout(LANGUAGE_WAIT, Arc::clone(&self.languages).acquire_owned()).await;
        let Ok(Ok(place)) = place else {
            return failure(StatusCode::SERVICE_UNAVAILABLE, "too many questions at the same time: ask again");
        };
        let premises = Arc::clone(&self.premises);
        let answered = self.aside(move || {
            let answered = premises.language(&question);
            drop(place);
            answered
        });
        Ok(json_response(&answered.await??))
    }

    async fn ask(self: &Arc<Self>, request: Request<Incoming>) -> Result<Response<Answer>, Failure> {
        let asked = self.json(request).await?;
        let desk = Arc::clone(self);
        let ask = self.aside(move || Ask::read(&asked, &desk.drops, &*desk.premises)).await??;
        self.begin(ask, Form::Json)
    }

    fn share(&self, number: u64) -> Result<Response<Answer>, Failure> {
        match self.jobs.asked(number) {
            Some(ask) => self.begin(ask, Form::Html),
            None => failure(StatusCode::NOT_FOUND, "that answer is not kept any more: run the check again"),
        }
    }

    fn begin(&self, ask: Ask, form: Form) -> Result<Response<Answer>, Failure> {
        match self.jobs.begin(ask, form) {
            Some(lines) => Ok(with_type(lines, "application/x-ndjson")),
            None => failure(StatusCode::SERVICE_UNAVAILABLE, "too many checks wait already: cancel some of them"),
        }
    }

    fn output(&self, number: u64) -> Result<Response<Answer>, Failure> {
        let Some(kept) = self.jobs.answer(number) else {
            return failure(StatusCode::NOT_FOUND, "that answer is not kept any more: run the check again");
        };
        let opened = std::fs::File::open(kept.file());
        let file = opened.map_err(|error| (StatusCode::NOT_FOUND, format!("the answer cannot be read: {error}")))?;
        Ok(in_pieces(file, &kept))
    }
}

impl Host for Desk {
    // An answer may be large, and no browser asks for it without encryption.
    const HTTP2: bool = false;

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Answer> {
        let mut response = self.respond(request).await.unwrap_or_else(|(status, why)| {
            let mut response = json_response(&json!({ "error": why }));
            *response.status_mut() = status;
            response
        });
        page::protect(response.headers_mut());
        response
    }

    fn opened(self: Arc<Self>) -> impl Send {}
}

fn not_found<T>() -> Result<T, Failure> {
    failure(StatusCode::NOT_FOUND, "there is nothing here")
}

fn wrong_method<T>() -> Result<T, Failure> {
    failure(StatusCode::METHOD_NOT_ALLOWED, "that cannot be done here")
}

/// Does something that may take a while without keeping everybody waiting.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.or_else(|_| failure(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong in the server"))
}

async fn gather(bodies: &Arc<Bodies>, request: Request<Incoming>, most: usize) -> Result<body::Body, Failure> {
    bodies.gather(request.into_body(), most).await.map_err(|refused| match refused {
        body::Refused::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, format!("more than {most} bytes are not taken")),
        body::Refused::CutOff(_) => (StatusCode::BAD_REQUEST, "the request is not complete".to_owned()),
        body::Refused::Busy => (StatusCode::SERVICE_UNAVAILABLE, "too much at the same time".to_owned()),
        body::Refused::Slow => (StatusCode::REQUEST_TIMEOUT, "the request took too long".to_owned()),
    })
}

fn listed(premises: &dyn Premises) -> Value {
    let listing = premises.files();
    let files = listing.files.iter();
    let files: Vec<Value> =
        files.map(|file| json!({ "path": file.path, "kind": file.kind, "size": file.size })).collect();
    json!({ "files": files, "cut": listing.cut })
}

/// A text that is shown in an editor.
fn read_text(premises: &dyn Premises, path: &str) -> Result<String, Refused> {
    if !path::is_plain(path) {
        return Err(Refused("a path is relative, and no name in it begins with a dot".to_owned()));
    }
    let (file, mut bytes) = (premises.open(path)?, Vec::new());
    let read = file.take(TEXT as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Refused(format!("the file cannot be read: {error}")))?;
    if bytes.len() > TEXT {
        return Err(Refused(format!("the file is larger than {} MiB", TEXT >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Refused("the file is no text in UTF-8".to_owned()))
}

fn with_type(body: Answer, kind: &'static str) -> Response<Answer> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn json_response(value: &Value) -> Response<Answer> {
    with_type(whole(value.to_string()), "application/json")
}

/// A file as an answer, read while it is sent.
fn in_pieces(mut file: std::fs::File, kept: &Kept) -> Response<Answer> {
    let (send, receive) = mpsc::channel(4);
    drop(tokio::spawn(async move {
        // Reading has a thread for a moment; whoever takes the pieces slowly holds none.
        loop {
            let read = aside(move || {
                let mut piece = vec![0; PIECE];
                let read = file.read(&mut piece).unwrap_or(0);
                piece.truncate(read);
                (file, piece)
            });
            let Ok((again, piece)) = read.await else { return };
            if piece.is_empty() || send.send(Bytes::from(piece)).await.is_err() {
                return;
            }
            file = again;
        }
    }));
    let kind = match kept.form {
        Form::Json => "application/json",
        Form::Html => "text/html; charset=utf-8",
    };
    let mut response = with_type(Pieces::answer(receive, ()), kind);
    // It is for saving: a page made of somebody's file is not shown with the rights of this one.
    response.headers_mut().insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    response
}
