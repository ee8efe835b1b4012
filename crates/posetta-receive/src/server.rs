//! Connections: one thread serves all of them, and closes those that keep it waiting.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::export::Desk;
use crate::{Counts, LARGEST_BODY, Limits, Refusal, grpc, http};

/// How HTTP/2 begins.
const PREFACE: &[u8; 4] = b"PRI ";

/// How long to wait when the system refuses a connection, or has sent less than tells the protocol.
const A_LITTLE: Duration = Duration::from_millis(10);

/// Headers of one request, in bytes.
const HEADERS: usize = 32 << 10;

/// Requests at a time on one connection of HTTP/2.
const STREAMS: u32 = 64;

/// The body of an answer.
pub(crate) type Answer = UnsyncBoxBody<Bytes, Infallible>;

/// An answer of these bytes.
pub(crate) fn whole(bytes: &[u8]) -> Answer {
    Full::new(Bytes::copy_from_slice(bytes)).boxed_unsync()
}

/// The same with headers after them.
pub(crate) fn with_trailers(bytes: &[u8], trailers: HeaderMap) -> Answer {
    let trailers = std::future::ready(Some(Ok(trailers)));
    Full::new(Bytes::copy_from_slice(bytes)).with_trailers(trailers).boxed_unsync()
}

/// A receiver at work in a thread of its own.
pub struct Receiver<W> {
    desk: Arc<Desk<W>>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl<W: Write + Send + 'static> Receiver<W> {
    /// Begins to receive, and writes what comes to `out`.
    ///
    /// # Errors
    /// When the system refuses what that takes.
    pub fn start(listener: TcpListener, limits: Limits, out: W) -> io::Result<Self> {
        let limits = Limits { body: limits.body.min(LARGEST_BODY), ..limits };
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let desk = Arc::new(Desk::new(limits, out));
        let (stop, stopped) = oneshot::channel::<()>();
        let theirs = Arc::clone(&desk);
        let thread = std::thread::Builder::new().name("receiver".to_owned()).spawn(move || {
            runtime.block_on(async {
                drop(tokio::spawn(accept(listener, theirs)));
                let _ = stopped.await;
            });
            // What is under way is dropped where it is; it waits for nobody.
            runtime.shutdown_background();
        })?;
        Ok(Self { desk, address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it receives.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What has come so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.desk.counts().clone()
    }

    /// Stops. Answers with what has come, and with the output if everything that was taken is in it.
    #[must_use]
    pub fn finish(mut self) -> (Counts, Option<W>) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let out = self.desk.close();
        (self.counts(), out)
    }
}

async fn accept<W: Write + Send + 'static>(listener: TcpListener, desk: Arc<Desk<W>>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let places = Arc::new(Semaphore::new(desk.limits.connections.max(1)));
    loop {
        // Whoever comes when all places are taken waits with the system.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(connection(stream, Arc::clone(&desk), place))),
            // Too many open files, or a connection that is gone already.
            Err(_) => tokio::time::sleep(A_LITTLE).await,
        }
    }
}

/// Counts a connection for as long as it is open.
struct Open<W>(Arc<Desk<W>>);

impl<W> Open<W> {
    fn new(desk: Arc<Desk<W>>) -> Self {
        {
            let mut counts = desk.counts();
            counts.connections += 1;
            counts.open += 1;
            counts.changes += 1;
        }
        Self(desk)
    }
}

impl<W> Drop for Open<W> {
    fn drop(&mut self) {
        let mut counts = self.0.counts();
        counts.open -= 1;
        counts.changes += 1;
    }
}

/// Counts a request for as long as it is under way. One that is dropped before it is answered was cut off.
struct UnderWay<W> {
    desk: Arc<Desk<W>>,
    is_answered: bool,
}

impl<W> UnderWay<W> {
    fn new(desk: Arc<Desk<W>>) -> Self {
        {
            let mut counts = desk.counts();
            counts.under_way += 1;
            counts.changes += 1;
        }
        Self { desk, is_answered: false }
    }
}

impl<W> Drop for UnderWay<W> {
    fn drop(&mut self) {
        let mut counts = self.desk.counts();
        counts.under_way -= 1;
        counts.changes += 1;
        if !self.is_answered {
            counts.refuse(Refusal::CutOff, "it was still under way");
        }
    }
}

async fn connection<W: Write + Send + 'static>(stream: TcpStream, desk: Arc<Desk<W>>, _place: OwnedSemaphorePermit) {
    let _open = Open::new(Arc::clone(&desk));
    let patience = desk.limits.patience;
    // An answer is small, and whoever waits for it may be about to end.
    let _ = stream.set_nodelay(true);
    let Ok(Some(is_http2)) = tokio::time::timeout(patience, speaks_http2(&stream)).await else { return };
    let service = service_fn(move |request: Request<Incoming>| {
        let desk = Arc::clone(&desk);
        async move {
            let mut under_way = UnderWay::new(Arc::clone(&desk));
            let response: Response<Answer> = match grpc::is_call(&request) {
                true => grpc::answer(&desk, request).await,
                false => http::answer(&desk, request).await,
            };
            under_way.is_answered = true;
            Ok::<_, Infallible>(response)
        }
    });
    let io = TokioIo::new(stream);
    // What goes wrong with a connection was counted where it cost a request.
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
