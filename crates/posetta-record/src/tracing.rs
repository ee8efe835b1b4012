//! A layer for the [`tracing`](https://docs.rs/tracing) crate: a program that already logs with it records a run.
//!
//! An event belongs to the process of the nearest span around it that has a field `posetta.process`; without one, to the
//! process that its thread is [bound](bind) to; without one, if [`Layer::threads`] was asked for, to a process called like
//! its thread. Other events are not recorded.
//!
//! | field | becomes |
//! | --- | --- |
//! | `posetta.process = "A"` | on a span: the process of what happens inside it; on an event: its process |
//! | `posetta.name = "sent"` | the name of the event. Without it the message is; without one, the name that `tracing` gives |
//! | `posetta.receive = %stamp` | a cause: the event with this [`Stamp`]; several are separated by spaces |
//! | `set.x = 1` | an assignment to the variable x |
//! | any other | an attribute |
//!
//! Numbers, booleans and strings stay what they are; what is given with `?` or `%` becomes a string. [`last_stamp`] is the
//! stamp of the event that the thread recorded last, to be sent along with a message.
//!
//! A span with a process that is opened inside another process happens after what that process did before: a task that is
//! spawned knows its parent. Spans themselves are no events, because a span of an asynchronous task is entered and left many
//! times; [`Layer::spans`] makes opening and closing them events, `open NAME` and `close NAME`.
//!
//! ```
//! use posetta_record::{Recorder, tracing::{last_stamp, layer}};
//! use tracing_subscriber::prelude::*;
//!
//! let recorder = Recorder::in_memory();
//! let subscriber = tracing_subscriber::registry().with(layer(&recorder));
//! tracing::subscriber::with_default(subscriber, || {
//!     let sent = tracing::info_span!("client", posetta.process = "client").in_scope(|| {
//!         tracing::info!(set.asked = 1, id = 7, "request");
//!         last_stamp().unwrap()
//!     });
//!     tracing::info_span!("server", posetta.process = "server").in_scope(|| {
//!         tracing::info!(posetta.receive = %sent, "request");
//!     });
//! });
//! assert_eq!(
//!     recorder.take_text(),
//!     r#"{"posetta":1}
//! {"process":"client","name":"request","set":{"asked":1},"attrs":{"id":7}}
//! {"process":"server","name":"request","after":["client.1"]}
//! "#
//! );
//! ```

use std::cell::RefCell;
use std::fmt;

use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use crate::{Problem, Process, Recorder, Stamp, Value};

/// Records `tracing` events as events of a run. See the [module](self).
#[must_use = "a layer is added to a subscriber"]
pub struct Layer {
    recorder: Recorder,
    spans: bool,
    threads: bool,
}

/// A layer that records with a recorder.
pub fn layer(recorder: &Recorder) -> Layer {
    Layer { recorder: recorder.clone(), spans: false, threads: false }
}

impl Layer {
    /// Records the opening and the closing of spans, too.
    pub fn spans(mut self) -> Self {
        self.spans = true;
        self
    }

    /// Takes threads that have a name as processes, where nothing else says whose an event is.
    pub fn threads(mut self) -> Self {
        self.threads = true;
        self
    }
}

thread_local! {
    static BOUND: RefCell<Vec<Process>> = const { RefCell::new(Vec::new()) };
    static LAST: RefCell<Option<Stamp>> = const { RefCell::new(None) };
}

/// Makes events of this thread events of a process, as long as the answer lives and no span says otherwise.
pub fn bind(process: &Process) -> Bound {
    let _ = BOUND.try_with(|bound| bound.borrow_mut().push(process.clone()));
    Bound { not_send: std::marker::PhantomData }
}

/// A thread that is [bound](bind) to a process.
#[must_use = "the thread is bound as long as this lives"]
pub struct Bound {
    /// It ends where it began.
    not_send: std::marker::PhantomData<*const ()>,
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = self.not_send;
        let _ = BOUND.try_with(|bound| bound.borrow_mut().pop());
    }
}

/// The stamp of the event that a layer recorded last on this thread.
#[must_use]
pub fn last_stamp() -> Option<Stamp> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// What a span with a process keeps.
struct Here {
    process: Process,
    /// What the process that opened the span did before, until an event of the span has come after it.
    opened_after: Option<Stamp>,
}

/// The process that the closing of a span belongs to.
struct Opened(Process);

/// The fields of an event or a span.
#[derive(Default)]
struct Fields {
    process: Option<String>,
    name: Option<String>,
    message: Option<String>,
    receive: String,
    set: Vec<(&'static str, Value<'static>)>,
    attrs: Vec<(&'static str, Value<'static>)>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value<'static>) {
        let text = |value| match value {
            Value::Text(text) => text.into_owned(),
            Value::Bool(b) => b.to_string(),
            Value::Integer(n) => n.to_string(),
            Value::Float(x) => x.to_string(),
        };
        match field.name() {
            "posetta.process" => self.process = Some(text(value)),
            "posetta.name" => self.name = Some(text(value)),
            "posetta.receive" => self.receive = text(value),
            "message" => self.message = Some(text(value)),
            name => match name.strip_prefix("set.") {
                Some(variable) => self.set.push((variable, value)),
                None => self.attrs.push((name, value)),
            },
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        self.put(field, value.into());
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.put(field, i128::try_from(value).map_or_else(|_| value.to_string().into(), Value::from));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.to_owned().into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }
}

impl Layer {
    /// The process of what happens in a scope, from the innermost span outwards, and what it has to come after.
    fn process_in<'a, S>(&self, scope: impl Iterator<Item = SpanRef<'a, S>>) -> Option<(Process, Option<Stamp>)>
    where
        S: for<'l> LookupSpan<'l> + 'a,
    {
        for span in scope {
            if let Some(here) = span.extensions_mut().get_mut::<Here>() {
                return Some((here.process.clone(), here.opened_after.take()));
            }
        }
        Some((self.process_of_thread()?, None))
    }

    /// The process that the innermost span with one belongs to, else that of the thread.
    fn process_around<'a, S>(&self, mut scope: impl Iterator<Item = SpanRef<'a, S>>) -> Option<Process>
    where
        S: for<'l> LookupSpan<'l> + 'a,
    {
        let here = scope.find_map(|span| span.extensions().get::<Here>().map(|here| here.process.clone()));
        here.or_else(|| self.process_of_thread())
    }

    fn process_of_thread(&self) -> Option<Process> {
        match BOUND.try_with(|bound| bound.borrow().last().cloned()).ok().flatten() {
            Some(process) => Some(process),
            None if self.threads => Some(self.recorder.process(std::thread::current().name()?)),
            None => None,
        }
    }

    fn record(&self, process: &Process, name: &str, fields: &Fields, after: Option<&Stamp>) {
        let mut event = process.event(name);
        for (variable, value) in &fields.set {
            event.put(variable, value);
        }
        for (attribute, value) in &fields.attrs {
            event = event.attr(attribute, value);
        }
        for text in fields.receive.split_whitespace() {
            match text.parse() {
                Ok(stamp) => event = event.after(&stamp),
                Err(error) => process.problem(Problem::BadStamp { text: shortened(text), error }),
            }
        }
        if let Some(after) = after {
            event = event.after(after);
        }
        let stamp = event.stamp();
        let _ = LAST.try_with(|last| last.replace(Some(stamp)));
    }
}

/// Enough of a text to recognise it.
fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> tracing_subscriber::Layer<S> for Layer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, ctx: Context<'_, S>) {
        let Some(span) = ctx.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(name) = &fields.process {
            let process = self.recorder.process(name);
            let around = span.parent().into_iter().flat_map(|parent| parent.scope());
            let opened_after = self
                .process_around(around)
                .filter(|parent| parent.name() != process.name())
                .and_then(|parent| parent.last());
            span.extensions_mut().insert(Here { process, opened_after });
        }
        if self.spans
            && let Some((process, after)) = self.process_in(span.scope())
        {
            self.record(&process, &format!("open {}", span.name()), &fields, after.as_ref());
            span.extensions_mut().insert(Opened(process));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, ctx: Context<'_, S>) {
        let Some(span) = ctx.span(id) else { return };
        let mut fields = Fields::default();
        values.record(&mut fields);
        if let Some(name) = fields.process {
            let here = Here { process: self.recorder.process(&name), opened_after: None };
            span.extensions_mut().replace(here);
        }
    }

    fn on_event(&self, event: &Event<'_>, ctx: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let found = match &fields.process {
            Some(name) => Some((self.recorder.process(name), None)),
            None => self.process_in(ctx.event_scope(event).into_iter().flatten()),
        };
        let Some((process, after)) = found else { return };
        let name = fields.name.as_deref().or(fields.message.as_deref()).unwrap_or(event.metadata().name());
        self.record(&process, name, &fields, after.as_ref());
    }

    fn on_close(&self, id: Id, ctx: Context<'_, S>) {
        let Some(span) = ctx.span(&id) else { return };
        let opened = span.extensions_mut().remove::<Opened>();
        if let Some(Opened(process)) = opened {
            self.record(&process, &format!("close {}", span.name()), &Fields::default(), None);
        }
    }
}
