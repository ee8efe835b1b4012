//! Decides temporal properties over every order in which a distributed run could have happened.
//!
//! A distributed run is a partial order of events, a [`Trace`]. One total order of it is what a single observer could have seen; a
//! *cut* is a set of events closed under causes. Linear properties (LTL, PSL, M2L, monitors) speak about all orders, branching ones
//! (CTL) about the graph of cuts. [`fn@check`] decides both, and shows an order that fails.
//!
//! ```
//! use posetta::{Budget, Error, Format, Options, Property, Verdict};
//!
//! fn failing_order() -> Result<Vec<String>, Error> {
//!     let budget = Budget::unlimited();
//!     let run = "A: enter=1 -> c0=1 -> c0=0\nB: c1=1 -> c1=0\n";
//!     let trace = posetta::read(Format::Text, run.as_bytes(), &budget)?;
//!     let property = Property::ltl("G !(c0 == 1 && c1 == 1)")?;
//!     let answer = posetta::check(&trace, &property, &Options::default(), &budget)?;
//!     Ok(match answer.verdict {
//!         Verdict::Violated(order) => order.into_iter().map(|event| trace.label(event)).collect(),
//!         _ => Vec::new(),
//!     })
//! }
//! assert_eq!(failing_order().unwrap(), ["A.1", "A.2", "B.1", "A.3", "B.2"]);
//! ```
//!
//! Where to go from here:
//!
//! | to | look at |
//! | --- | --- |
//! | read and write runs, in many formats | [`formats`], [`read`] |
//! | build a run in the program, and look at it | [`trace`] |
//! | write properties | [`logic`], [`Property`] |
//! | decide them over all orders, and learn why one fails | [`mod@check`] |
//! | follow a run over all its orders while it goes on | [`check::Online`] |
//! | watch a stream of records in its one order | [`monitor`] |
//! | read a model and verify it | [`model`], [`verify`] |
//! | compare two models | [`refine`] |
//! | decide formulas of M2L on strings | [`m2l`] |
//!
//! Everything that can fail returns [`Error`], or [`Mistakes`] or [`OverBudget`], which `?` turns into one. Everything that can take
//! long takes a [`Budget`]. A limit that is reached while a property is decided is no error but an answer, `Unknown`.
//!
//! The library reads bytes and returns data. It never touches the terminal, files, the clock or the environment.
//! The crates below this one (`posetta-check` and others) hold what it is made of. They change without notice; this one does not.

#[doc(inline)]
pub use posetta_base::{
    Budget, Diagnostic, Error, Limit, Mistakes, Natural, OverBudget, Stop, Value, Verdict, Witness,
};
#[doc(inline)]
pub use posetta_check::{Answer, Options, check};
#[doc(inline)]
pub use posetta_formats::{Format, read};
#[doc(inline)]
pub use posetta_logic::Property;
#[doc(inline)]
pub use posetta_trace::Trace;

pub mod diagnostics {
    //! What is wrong with an input, and where.
    //!
    //! ```
    //! use posetta::{Property, diagnostics::Kind};
    //!
    //! let mistakes = Property::ltl("G (x == )").unwrap_err();
    //! assert_eq!(mistakes[0].kind, Kind::Syntax);
    //! assert_eq!(mistakes[0].place.as_ref().unwrap().column, 9);
    //! ```

    #[doc(inline)]
    pub use posetta_base::{About, Diagnostic, Error, Kind, Located, Mistakes, Place, Span, Subject};
}

pub mod trace {
    //! Runs as data: events on processes, what they assign, and which came before which.
    //!
    //! A [`Trace`] is read by [`formats`](crate::formats), or made by a [`Builder`]:
    //!
    //! ```
    //! use posetta::{Budget, Error, trace::{Builder, count_linearisations}};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let budget = Budget::unlimited();
    //!     let mut builder = Builder::new();
    //!     let (alice, bob) = (builder.process("alice")?, builder.process("bob")?);
    //!     let (sent, one) = (builder.variable("sent")?, builder.integer(1)?);
    //!     builder.event(alice, 1)?;
    //!     builder.name("send")?;
    //!     builder.id("m1", 1)?;
    //!     builder.assign(sent, one)?;
    //!     builder.event(bob, 2)?;
    //!     builder.event(bob, 3)?;
    //!     builder.name("receive")?;
    //!     builder.cause("m1", 1)?;
    //!     let trace = builder.finish(false, &budget)?;
    //!     assert_eq!(count_linearisations(&trace, &budget)?, 2); // bob's first event may come before or after the message is sent
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_base::{EventId, Natural, Number, ProcessId, Value, ValueId, VarId};
    #[doc(inline)]
    pub use posetta_trace::{
        Assignment, Builder, Trace, Whereabouts, complete, count_cuts, count_linearisations, reduced_edges, width,
    };
}

pub mod formats {
    //! Runs as bytes: native text and JSON lines, logs with vector clocks, graphs, diagrams, tables, waveforms and
    //! what other checkers write; records of any shape with a [`Mapping`].
    //!
    //! [`read`] takes one run, [`read_runs`] all that a file has, with warnings; [`detect`] finds the format. [`write`](fn@write) says what the
    //! format left out.
    //!
    //! ```
    //! use posetta::{Budget, formats::{self, Format}};
    //!
    //! fn main() -> Result<(), Box<dyn std::error::Error>> {
    //!     let budget = Budget::unlimited();
    //!     let bytes = b"{\"process\":\"a\",\"name\":\"send\",\"set\":{\"x\":1}}\n";
    //!     let format = formats::detect(bytes, Some("jsonl"))?.expect("it is one of ours");
    //!     let trace = formats::read(format, &bytes[..], &budget)?;
    //!     let mut out = Vec::new();
    //!     formats::write(Format::Text, &trace, &mut out, &budget)?;
    //!     assert_eq!(String::from_utf8(out)?, "a: send x=1\n");
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_formats::shiviz::{Delimiter, Expression};
    #[doc(inline)]
    pub use posetta_formats::waves::{Edge, Moment, Sampling, Unknown};
    #[doc(inline)]
    pub use posetta_formats::{
        Foreign, Format, Lost, Mapping, Packing, Part, ReadOptions, Run, Unpacked, WriteError, detect, read,
        read_joined, read_runs, records, write, write_runs,
    };
}

pub mod logic {
    //! Properties: LTL, CTL, PSL, M2L, patterns and monitors.
    //!
    //! A formula is a [`Property`] of its own, or one of a property file:
    //!
    //! ```
    //! use posetta::{Error, logic::{Property, View, read_props}};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let safe = Property::ltl("G !(c0 == 1 && c1 == 1)")?;
    //!     let answered = Property::ltl_over(View::Events, "G (event(req) -> F event(ack))")?;
    //!     assert!(safe.formula.view() == Some(View::States) && answered.formula.view() == Some(View::Events));
    //!     let file = read_props("property safe = ltl G x < 2\nproperty reach = ctl EF x == 1\n")?;
    //!     assert_eq!(file[1].name.as_deref(), Some("reach"));
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_logic::{
        Ctl, Domain, Each, Formula, LIBRARY, LibraryDefinition, LibraryFile, Load, Ltl, M2l, Monitor, NoFile, Property,
        Psl, Quantifier, View, is_hoa, read_hoa, read_props, read_props_with, write_hoa,
    };
}

pub mod check {
    //! Runs against properties, over all orders.
    //!
    //! [`check`](fn@check) decides one property on one run; a [`Question`] does the same in stages. Every witness has been replayed by
    //! definition, by code that knows no engine.
    //!
    //! The properties of a file on a run, verdicts first:
    //!
    //! ```
    //! use posetta::check::{Options, Question, Runs};
    //! use posetta::{Budget, Error, Format, logic::read_props};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let budget = Budget::with_memory(1 << 30);
    //!     let trace = posetta::read(Format::Text, "A: x=1 -> x=0\nB: y=1\n".as_bytes(), &budget)?;
    //!     let properties = read_props("property apart = ltl G !(x == 1 && y == 1)\nproperty end = ltl F (y == 1)\n")?;
    //!     let mut decided = Vec::new();
    //!     for property in &properties {
    //!         let question = Question::new(&trace, property, Options::default().threads(2))?;
    //!         let answer = question.decide(&budget)?;
    //!         decided.push((question, answer));
    //!     }
    //!     let mut told = Vec::new();
    //!     for (question, mut answer) in decided {
    //!         question.complete(&mut answer, &budget);
    //!         let some = answer.runs() == Some(Runs::Some);
    //!         let name = question.property().name.as_deref().unwrap_or("property");
    //!         told.push(format!("{name}: {}{}", answer.verdict.word(), if some { " in some orders" } else { "" }));
    //!     }
    //!     assert_eq!(told, ["apart: violated in some orders", "end: holds"]);
    //!     Ok(())
    //! }
    //! ```
    //!
    //! With [`Options::explain`] a violation comes with the failing order that is closest to the recorded one, the two events whose
    //! exchange makes the difference, and the edges that would rule it out:
    //!
    //! ```
    //! use posetta::{Budget, Error, Format, Options, Property};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let budget = Budget::unlimited();
    //!     let trace = posetta::read(Format::Text, "A: x=1 -> x=0\nB: y=1\n".as_bytes(), &budget)?;
    //!     let property = Property::ltl("G !(x == 1 && y == 1)")?;
    //!     let options = Options::default().explain(true);
    //!     let answer = posetta::check(&trace, &property, &options, &budget)?;
    //!     let edges = answer.why().and_then(|why| why.missing_edges.clone()).expect("some orders satisfy it");
    //!     let edges: Vec<_> = edges.iter().map(|&(a, b)| (trace.label(a), trace.label(b))).collect();
    //!     assert_eq!(edges, [("A.2".to_owned(), "B.1".to_owned())]);
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_base::{Verdict, Witness};
    #[doc(inline)]
    pub use posetta_check::{
        Answer, BranchingAnswer, Counted, Culprit, Engine, Explanation, Found, Instances, LinearAnswer, Moment,
        Observed, Online, Options, Order, Plan, Proof, Prospect, Question, Replayed, Runs, Search, Stats, Vacuity, Why,
        check,
    };
    #[doc(inline)]
    pub use posetta_trace::{Arrival, Assigned, Feed, Frontier, Heard};
}

pub mod monitor {
    //! A property beside a stream of records, in the one order in which they come.
    //!
    //! A [`Monitor`] is one property. A [`Watcher`] is several, on one stream or on one for each key; it says what has changed, and can be
    //! saved and restored.
    //!
    //! ```
    //! use posetta::monitor::{Completions, Monitor, Prospect, Record, Stream};
    //! use posetta::{Budget, Error, Property, Value};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let budget = Budget::unlimited();
    //!     let property = Property::ltl("G (level < 3)")?;
    //!     let mut monitor = Monitor::new(&property, Stream::States, &[], Completions::default(), &budget)?;
    //!     let mut stream = monitor.begin();
    //!     let mut seen = Vec::new();
    //!     for level in [1, 2, 3] {
    //!         let sets = [("level", Value::from(level))];
    //!         let record = Record::state(&sets);
    //!         seen.push(monitor.read(&mut stream, &record, &budget)?.prospect);
    //!     }
    //!     assert_eq!(seen, [Prospect::Open, Prospect::Open, Prospect::Violated]);
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_monitor::{
        Answered, Answers, AtEnd, Bookmark, Checkpoint, Completions, Counts, Difference, Instance, Monitor, Notice,
        Options, PropertyId, Prospect, Record, Refusal, Restored, Source, State, Stream, StreamId, Tally, Watcher,
    };
}

pub mod model {
    //! Models: fair discrete systems in SMV, and systems of components (`.sys`, `.aut`, Petri nets).
    //!
    //! ```
    //! use posetta::Error;
    //! use posetta::model::{NoFile, read_smv, read_sys};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let counter = read_smv("MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 3;\n")?;
    //!     assert_eq!(counter.vars.len(), 1);
    //!     let text = "component Door { lts { init shut; shut -open-> ajar -close-> shut } }";
    //!     let door = read_sys("door.sys", text, None, &mut |_, _| Err(NoFile::from("nothing is imported")))?;
    //!     let actions: Vec<&str> = door.actions.iter().map(|action| &*action.name).collect();
    //!     assert_eq!(actions, ["open", "close"]);
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_base::{ActionId, ComponentId, VarId};
    #[doc(inline)]
    pub use posetta_logic::{Load, NoFile};
    #[doc(inline)]
    pub use posetta_model::aut::read as read_aut;
    #[doc(inline)]
    pub use posetta_model::fds::{Fds, Spec, Trail};
    #[doc(inline)]
    pub use posetta_model::mcc::read as read_mcc;
    #[doc(inline)]
    pub use posetta_model::pnml::read as read_pnml;
    #[doc(inline)]
    pub use posetta_model::smv::read as read_smv;
    #[doc(inline)]
    pub use posetta_model::sys::read as read_sys;
    #[doc(inline)]
    pub use posetta_model::system::{Action, Component, End, Move, Run, Spec as SystemSpec, System};
}

pub mod verify {
    //! Models against properties. A question is answered step by step, and what is known stays known whatever limit comes later:
    //! [`fds::Question`] for fair discrete systems, [`system::Question`] for systems of components.
    //!
    //! ```
    //! use posetta::verify::fds::{Options, Question};
    //! use posetta::{Budget, Error, Property, Verdict, model};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let mut model = model::read_smv("MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 3;\n")?;
    //!     let specs = [model.bind(&Property::ctl("AG (x < 2)")?)?];
    //!     let budget = Budget::unlimited();
    //!     let mut question = Question::new(&model, &specs, Options::default());
    //!     question.decide(&budget)?;
    //!     let Verdict::Violated(evidence) = &question.answer(0).expect("it is decided").verdict else { panic!("x gets 2") };
    //!     assert_eq!(evidence.trail().states.len(), 3); // 0, 1, 2
    //!     assert!(question.findings().is_some_and(|model| model.deadlock.is_none()));
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_verify::Step;

    pub mod fds {
        //! Fair discrete systems.
        //!
        //! Every call has a budget of its own, so answers can be shown as they come:
        //!
        //! ```
        //! use posetta::verify::{Step, fds::{Options, Question}};
        //! use posetta::{Budget, Error, Property, model};
        //!
        //! fn main() -> Result<(), Error> {
        //!     let mut model = model::read_smv("MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := !x;\n")?;
        //!     let specs = [model.bind(&Property::ltl("G F x")?)?, model.bind(&Property::ltl("F G x")?)?];
        //!     let mut question = Question::new(&model, &specs, Options::default().explore(false));
        //!     let mut words = Vec::new();
        //!     while let Some(step) = question.advance(&Budget::with_memory(1 << 30))? {
        //!         if let Step::Answered(place) = step {
        //!             words.push((place, question.answer(place).expect("it has one now").verdict.word()));
        //!         }
        //!     }
        //!     words.sort_unstable();
        //!     assert_eq!(words, [(0, "holds"), (1, "violated")]);
        //!     assert!(question.over().is_none());
        //!     Ok(())
        //! }
        //! ```

        #[doc(inline)]
        pub use posetta_verify::fds::{Answer, Evidence, Findings, Options, Question};
    }

    pub mod system {
        //! Systems of components, and recorded runs against them.
        //!
        //! ```
        //! use posetta::verify::system::{Options, Outcome, Question, conform};
        //! use posetta::{Budget, Error, Format, Property, Verdict, model};
        //!
        //! fn main() -> Result<(), Error> {
        //!     let budget = Budget::unlimited();
        //!     let polite = model::read_aut("polite", "des (0, 2, 2)\n(0, \"ask\", 1)\n(1, \"get\", 0)\n")?;
        //!     let specs = [polite.bind(&Property::ltl("G (ask -> F get)")?, &[])?];
        //!     let mut question = Question::new(&polite, &specs, Options::default());
        //!     question.decide(&budget)?;
        //!     assert_eq!(question.answer(0).expect("it is decided").verdict, Verdict::Holds);
        //!
        //!     // The run asked twice, which the design never does.
        //!     let trace = posetta::read(Format::Text, "client: ask -> ask -> get\n".as_bytes(), &budget)?;
        //!     let Outcome::Strays(frontiers) = conform(&polite, &trace, &budget)?.outcome else { panic!("it strays") };
        //!     assert_eq!(trace.label(frontiers[0].refused[0].event), "client.2");
        //!     Ok(())
        //! }
        //! ```

        #[doc(inline)]
        pub use posetta_verify::system::{
            Answer, Conformance, Engine, Findings, Frontier, Options, Outcome, Question, Refusal, Stats, conform,
        };
    }
}

pub mod refine {
    //! Two systems: whether every observable trace of one is a trace of the other.
    //!
    //! ```
    //! use posetta::refine::{Engine, refine};
    //! use posetta::{Budget, Error, Verdict, model};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let eager = model::read_aut("eager", "des (0, 3, 2)\n(0, \"ask\", 1)\n(1, \"get\", 0)\n(0, \"get\", 0)\n")?;
    //!     let polite = model::read_aut("polite", "des (0, 2, 2)\n(0, \"ask\", 1)\n(1, \"get\", 0)\n")?;
    //!     let answer = refine(&eager, &polite, Engine::Auto, &Budget::unlimited())?;
    //!     let Verdict::Violated(lacking) = answer.verdict else { panic!("one gets without asking") };
    //!     let trace: Vec<&str> = lacking.trace.iter().map(|&action| &*eager.action(action).name).collect();
    //!     assert_eq!(trace, ["get"]);
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_verify::refine::{Answer, Engine, Lacking, Stats, refine};
}

pub mod m2l {
    //! Monadic second-order logic on strings: whether a formula is valid, and strings that say so.
    //!
    //! ```
    //! use posetta::m2l::{Answer, Engine, decide, read_program};
    //! use posetta::{Budget, Error};
    //!
    //! fn main() -> Result<(), Error> {
    //!     let text = "m2l-str; var2 P; ex1 p: p in P;";
    //!     let program = read_program("example", text, &mut |_, _| Err("nothing is included".into()))?;
    //!     let decided = decide(&program, Engine::Auto, &Budget::unlimited())?;
    //!     assert_eq!(decided[0].answer, Answer::Neither);
    //!     assert_eq!(decided[0].counterexample.as_ref().map(|string| string.length), Some(1));
    //!     Ok(())
    //! }
    //! ```

    #[doc(inline)]
    pub use posetta_compile::m2l::{Answer, Decision, Effort, Engine, Example, decide};
    #[doc(inline)]
    pub use posetta_logic::m2l::{Program, read_program};
}
