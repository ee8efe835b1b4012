//! A receiver behind its door: which protocol a request has, and what is counted of connections and requests.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Request, Response};
use posetta_door::{Answer, Door, Host, is_of_a_page};

use crate::export::Desk;
use crate::{Counts, LARGEST_BODY, Limits, Refusal, grpc, http};

/// A receiver at work in a thread of its own.
pub struct Receiver<W> {
    desk: Arc<Desk<W>>,
    door: Door,
}

impl<W: Write + Send + 'static> Receiver<W> {
    /// Begins to receive, and writes what comes to `out`.
    ///
    /// # Errors
    /// When the system refuses what that takes.
    pub fn start(listener: TcpListener, limits: Limits, out: W) -> io::Result<Self> {
        let limits = Limits { body: limits.body.min(LARGEST_BODY), ..limits };
        let desk = Arc::new(Desk::new(limits, out));
        let at_the_door = posetta_door::Limits { connections: limits.connections, patience: limits.patience };
        let door = Door::open("receiver", listener, at_the_door, Arc::clone(&desk))?;
        Ok(Self { desk, door })
    }

    /// Where it receives.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.door.address()
    }

    /// What has come so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.desk.counts().clone()
    }

    /// Stops. Answers with what has come, and with the output if everything that was taken is in it.
    #[must_use]
    pub fn finish(mut self) -> (Counts, Option<W>) {
        self.door.close();
        let out = self.desk.close();
        (self.counts(), out)
    }
}

impl<W: Write + Send + 'static> Host for Desk<W> {
    // For gRPC. Answers are a few bytes.
    const HTTP2: bool = true;

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Answer> {
        let mut under_way = UnderWay::new(Arc::clone(&self));
        // A browser does not speak gRPC.
        let response = match grpc::is_call(&request) && !is_of_a_page(request.headers()) {
            true => grpc::answer(&self, request).await,
            false => http::answer(&self, request).await,
        };
        under_way.is_answered = true;
        response
    }

    fn opened(self: Arc<Self>) -> impl Send {
        Open::new(self)
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
