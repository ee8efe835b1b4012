//! The door of a server: connections within limits, each request handed to a [`Host`], each body gathered within limits.
//!
//! Whoever comes is not trusted. A door has so many places, and whoever finds none waits with the system; headers and bodies that are
//! too large or too slow end the connection or are refused, and so does somebody who does not take the answer ([`patient`]). One thread
//! serves all of them, so nothing that a host does for a request may take long there.
//!
//! This crate has a network and a clock, and so is no room of the library. Start at [`Door::open`]; [`body`] has what goes in and out.

pub mod body;
mod patient;
mod sites;

pub use body::Answer;
pub use sites::{Refusal, is_of_a_page, one};

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use self::patient::Patient;

/// How HTTP/2 begins.
const PREFACE: &[u8; 4] = b"PRI ";

/// How long to wait when the system refuses a connection, or has sent less than tells the protocol.
const A_LITTLE: Duration = Duration::from_millis(10);

/// Headers of one request, in bytes.
const HEADERS: usize = 32 << 10;

/// Requests at a time on one connection of HTTP/2.
const STREAMS: u32 = 64;

/// So many threads do what would keep everybody waiting.
const ASIDE: usize = 16;

/// What whoever comes may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many connections may be open. Others wait.
    pub connections: usize,
    /// How long somebody may take to send the headers of a request, or its body, or to take the next piece of the answer.
    pub patience: Duration,
}

/// Who answers requests.
pub trait Host: Send + Sync + 'static {
    /// Whether HTTP/2 is spoken. There a stream can be stopped while its connection is alive, which is no matter only where every answer
    /// is shorter than what may be sent without being asked for.
    const HTTP2: bool;

    /// Answers one of them.
    fn answer(self: Arc<Self>, request: Request<Incoming>) -> impl Future<Output = Response<Answer>> + Send;

    /// A connection was opened. What is returned is dropped when it is closed.
    fn opened(self: Arc<Self>) -> impl Send;
}

/// A door that is open, in a thread of its own.
pub struct Door {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Door {
    /// Begins to answer.
    ///
    /// # Errors
    /// When the system refuses what that takes.
    pub fn open<H: Host>(name: &str, listener: TcpListener, limits: Limits, host: Arc<H>) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_io().enable_time().max_blocking_threads(ASIDE).build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(async {
                drop(tokio::spawn(accept(listener, limits, host)));
                let _ = stopped.await;
            });
            // What is under way is dropped where it is; it waits for nobody.
            runtime.shutdown_background();
        })?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes it. Afterwards nothing is under way.
    pub fn close(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.close();
    }
}

async fn accept<H: Host>(listener: TcpListener, limits: Limits, host: Arc<H>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let places = Arc::new(Semaphore::new(limits.connections.max(1)));
    loop {
        // Whoever comes when all places are taken waits with the system.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(connection(stream, limits.patience, Arc::clone(&host), place))),
            // Too many open files, or a connection that is gone already.
            Err(_) => tokio::time::sleep(A_LITTLE).await,
        }
    }
}

async fn connection<H: Host>(stream: TcpStream, patience: Duration, host: Arc<H>, _place: OwnedSemaphorePermit) {
    let _open = Arc::clone(&host).opened();
    // An answer is small, and whoever waits for it may be about to end.
    let _ = stream.set_nodelay(true);
    let Ok(Some(is_http2)) = tokio::time::timeout(patience, speaks_http2(&stream)).await else { return };
    let service = service_fn(move |request: Request<Incoming>| {
        let host = Arc::clone(&host);
        async move { Ok::<_, Infallible>(host.answer(request).await) }
    });
    let io = TokioIo::new(Patient::new(stream, patience));
    // What goes wrong with a connection shows where it costs a request.
    if is_http2 && !H::HTTP2 {
        return;
    }
    if is_http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.timer(TokioTimer::new()).max_concurrent_streams(STREAMS).max_header_list_size(HEADERS as u32);
        builder.keep_alive_interval(Some(patience)).keep_alive_timeout(patience);
        let _ = builder.serve_connection(io, service).await;
    } else {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(HEADERS);
        let _ = builder.serve_connection(io, service).await;
    }
}

/// Which protocol a connection begins with; nothing if it ends before that shows.
async fn speaks_http2(stream: &TcpStream) -> Option<bool> {
    let mut start = [0; PREFACE.len()];
    loop {
        let seen = stream.peek(&mut start).await.ok().filter(|seen| *seen > 0)?;
        match seen {
            seen if start[..seen] != PREFACE[..seen] => return Some(false),
            seen if seen == PREFACE.len() => return Some(true),
            _ => tokio::time::sleep(A_LITTLE).await,
        }
    }
}
