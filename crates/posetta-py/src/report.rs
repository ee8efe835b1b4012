//! Checks of runs, and what became of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget};
use posetta_check::{Engine, Options};
use posetta_tell::checked::{Outcome, Shape};
use posetta_tell::decided::{Readers, Wanted, answered};
use posetta_tell::json::Schema;
use posetta_tell::report::{Report as Document, Subject, Summary, Title};
use posetta_tell::{Named, Paint, Problem, Word, is_file, svg, text, warning_json};
use pyo3::exceptions::{PyAssertionError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::Value;

use crate::errors::{self, PAPER, bad_argument, invalid};
use crate::run::{Event, Reading, Recorded, Run, Source, warned};
use crate::spec::{asked, place_of};
use crate::values::loads;
use crate::work::{self, Limits};

/// What became of one property: the answer, or why there is none.
type Slot = std::result::Result<Outcome, Vec<Diagnostic>>;

/// All that is known of one run.
struct Checked {
    /// As reports call it, and the file that it is in.
    name: String,
    file: String,
    /// `None` if it could not be read.
    run: Option<Arc<Recorded>>,
    properties: Arc<Vec<Named>>,
    slots: Vec<Slot>,
    unreadable: Vec<Diagnostic>,
}

impl Checked {
    fn shape(&self) -> Option<Shape> {
        self.run.as_ref().map(|run| run.shape())
    }

    fn run_warnings(&self) -> &[Diagnostic] {
        self.run.as_ref().map_or(&[], |run| &run.warnings)
    }

    /// Mistakes: the run cannot be read, or a property does not fit it.
    fn errors(&self) -> Vec<Problem> {
        let about = |property: Option<&Named>, diagnostic: &Diagnostic| Problem {
            trace: Some(self.name.clone()).filter(|_| diagnostic.kind != Kind::NotAssigned),
            file: property.map_or(&self.file, |own| &own.file).clone(),
            property: property.map(|own| own.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        let unreadable = self.unreadable.iter().map(|diagnostic| about(None, diagnostic));
        let slots = self.properties.iter().zip(&self.slots);
        let unfit = slots.flat_map(|(own, slot)| slot.as_ref().err().into_iter().flatten().map(move |d| (own, d)));
        unreadable.chain(unfit.map(|(own, d)| about(Some(own), d))).collect()
    }

    /// As people read it.
    fn subject(&self) -> Subject<'_> {
        let facts = self.shape().map(Shape::facts).unwrap_or_default();
        let mut subject = Subject::new(Title::Name(self.name.clone()), facts);
        subject.file = is_file(&self.file).then(|| self.file.clone());
        let answers = self.properties.iter().zip(&self.slots);
        subject.answers.extend(
            answers
                .filter_map(|(own, slot)| slot.as_ref().ok().map(|outcome| outcome.answer(self.shape(), own, false))),
        );
        subject
    }

    fn document(&self) -> Document<'_> {
        let (properties, errors) = (self.properties.len(), self.errors().len());
        let runs = Some(usize::from(self.unreadable.is_empty()));
        let summary = Some(Summary { properties, runs, errors });
        Document { subjects: vec![self.subject()], summary, ..Document::default() }
    }

    fn entry(&self, place: usize) -> Option<Value> {
        let (own, outcome) = (&self.properties[place], self.slots[place].as_ref().ok()?);
        let warnings = self.run_warnings().iter().chain(&outcome.warnings);
        let warnings = warnings.map(|warning| warning_json(warning, false)).collect();
        Some(outcome.to_json(&self.name, self.shape(), own, warnings))
    }

    fn to_json(&self) -> String {
        let results = (0..self.slots.len()).filter_map(|place| self.entry(place)).collect();
        let errors = self.errors().iter().map(Problem::to_json).collect();
        Schema::Check.lists(&[("results", results), ("errors", errors)], &[])
    }

    fn words(&self) -> impl Iterator<Item = Word> {
        self.slots.iter().filter_map(|slot| slot.as_ref().ok()).map(|outcome| outcome.word)
    }
}

/// How runs are checked.
#[derive(Clone)]
struct Checking {
    properties: Arc<Vec<Named>>,
    options: Options,
    parts: bool,
}

impl Checking {
    fn new(py: Python<'_>, spec: &Bound<'_, PyAny>, keywords: &Keywords<'_>) -> PyResult<Self> {
        let engine = match keywords.engine {
            "auto" => Engine::Auto,
            "explicit" => Engine::Explicit,
            "symbolic" => Engine::Symbolic,
            "cuts" => Engine::Cuts,
            "diagrams" => Engine::Diagrams,
            "paper" => Engine::Paper,
            "por" => Engine::Por,
            "ist" => Engine::Ist,
            other => {
                let known = "auto, explicit, symbolic, cuts, diagrams, paper, por, ist";
                return Err(bad_argument(format!("engine={other:?}: one of {known} is expected")));
            }
        };
        let options = Options::default()
            .engine(engine)
            .witness_always(keywords.witness)
            .counts(keywords.counts)
            .verdict_only(keywords.verdict_only)
            .vacuity(!keywords.verdict_only)
            .explain(!keywords.verdict_only)
            .threads(keywords.threads.max(1));
        Ok(Self { properties: asked(py, spec)?, options, parts: keywords.parts })
    }

    /// Decides the properties on a run.
    fn check(&self, run: &Arc<Recorded>, budget: &Budget) -> Checked {
        let slots = self.properties.iter().map(|own| self.decide(run, own, budget)).collect();
        Checked {
            name: run.name.clone(),
            file: run.file.clone(),
            run: Some(Arc::clone(run)),
            properties: Arc::clone(&self.properties),
            slots,
            unreadable: Vec::new(),
        }
    }

    fn decide(&self, run: &Arc<Recorded>, own: &Named, budget: &Budget) -> Slot {
        let started = Instant::now();
        let wanted = Wanted {
            options: &self.options,
            readers: Readers { people: Some(PAPER.room_for_lanes()), programs: true, witness: true },
            parts: self.parts,
            drawn: None,
            seconds: &|| started.elapsed().as_secs_f64(),
        };
        match answered(Arc::clone(&run.trace), own, wanted, budget) {
            Ok(outcome) => Ok(outcome),
            Err(Error::OverBudget(over)) => {
                Ok(Outcome::unknown(own, over, budget.stop_handle().explored(), started.elapsed().as_secs_f64()))
            }
            Err(error) => Err(error.diagnostics().to_vec()),
        }
    }

    /// A run that could not be read has mistakes; one that a limit kept from being read has answers that are open.
    fn unread(&self, name: &str, error: &Error, seconds: f64) -> Checked {
        let (mut slots, mut unreadable) = (Vec::new(), Vec::new());
        match error {
            Error::OverBudget(over) => slots.extend(self.properties.iter().map(|own| Ok(unknown(own, *over, seconds)))),
            error => unreadable.extend_from_slice(error.diagnostics()),
        }
        let (name, file) = (name.to_owned(), name.to_owned());
        Checked { name, file, run: None, properties: Arc::clone(&self.properties), slots, unreadable }
    }
}

fn unknown(own: &Named, over: OverBudget, seconds: f64) -> Outcome {
    Outcome::unknown(own, over, 0, seconds)
}

/// What a check may be told.
struct Keywords<'a> {
    engine: &'a str,
    witness: bool,
    parts: bool,
    counts: bool,
    verdict_only: bool,
    threads: usize,
}

/// Checks properties on a run, over every order in which it could have happened.
///
/// `spec` is a `Spec`, a `Property`, a formula of LTL, or several of these. `witness=True` also shows an order for what holds, `parts=True` which
/// parts of a property are true where, `counts=True` at how many global states each part of a CTL property holds. `verdict_only=True` leaves out
/// everything but verdicts. Past `timeout` (seconds) or `memory` (bytes) an answer is `unknown`.
///
/// A property that does not fit the run raises `Invalid`. A violation raises nothing: it is in the report.
///
/// >>> from posetta import Run, check
/// >>> run = Run.read(b"A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n")
/// >>> report = check(run, "G !(c0 == 1 && c1 == 1)")
/// >>> report.verdict, report.ok
/// ('violated', False)
/// >>> result = report.results[0]
/// >>> result.runs, [event.label for event in result.order]
/// ('some', ['A.1', 'B.1', 'A.2', 'B.2'])
/// >>> result.why.missing_edges
/// [('A.2', 'B.1')]
#[pyfunction]
#[pyo3(signature = (run, spec, *, engine="auto", witness=false, parts=false, counts=false, verdict_only=false, threads=1, timeout=None, memory=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn check(
    py: Python<'_>,
    run: &Run,
    spec: &Bound<'_, PyAny>,
    engine: &str,
    witness: bool,
    parts: bool,
    counts: bool,
    verdict_only: bool,
    threads: usize,
    timeout: Option<&Bound<'_, PyAny>>,
    memory: Option<u64>,
) -> PyResult<Report> {
    let keywords = Keywords { engine, witness, parts, counts, verdict_only, threads };
    let (checking, limits) = (Checking::new(py, spec, &keywords)?, Limits::new(timeout, memory)?);
    let checked = work::short(py, limits, |budget| checking.check(&run.0, budget), is_complete)?;
    let errors = checked.errors();
    if !errors.is_empty() {
        return Err(invalid(py, &errors));
    }
    Ok(Report(Arc::new(checked)))
}

/// Whether no limit left anything open.
fn is_complete(checked: &Checked) -> bool {
    let complete =
        |slot: &Slot| slot.as_ref().is_ok_and(|outcome| outcome.over.is_none() && outcome.word != Word::Unknown);
    checked.slots.iter().all(|slot| complete(slot) || slot.is_err())
}

/// What is checked: a run, or where runs come from.
enum Item {
    Run(Arc<Recorded>),
    Source(Source, String),
}

/// Checks properties on many runs, several at once, and answers with a report for each, in their order.
///
/// `runs` are `Run`s, paths, or bytes; a path or bytes with several runs has a report for each. What cannot be read, or does not fit, is in the
/// `errors` of its report, and raises nothing. `jobs` threads work side by side (by default one for each processor). `timeout` and `memory` are
/// for each run. `format` and other options of `Run.read` are for the runs that are read here.
///
/// >>> from posetta import check_all
/// >>> reports = check_all([b"A: x=1\nB: y=1\n", b"A: x=1\nB: y=1\nA.1 -> B.1\n"], "G (y == 1 -> x == 1)")
/// >>> [report.verdict for report in reports]
/// ['violated', 'holds']
#[pyfunction]
#[pyo3(signature = (runs, spec, *, jobs=None, engine="auto", witness=false, verdict_only=false, timeout=None, memory=None, **options))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn check_all(
    py: Python<'_>,
    runs: &Bound<'_, PyAny>,
    spec: &Bound<'_, PyAny>,
    jobs: Option<usize>,
    engine: &str,
    witness: bool,
    verdict_only: bool,
    timeout: Option<&Bound<'_, PyAny>>,
    memory: Option<u64>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Report>> {
    let keywords = Keywords { engine, witness, parts: false, counts: false, verdict_only, threads: 1 };
    let (checking, limits) = (Checking::new(py, spec, &keywords)?, Limits::new(timeout, memory)?);
    let (reading, _, name) = Reading::new(py, options)?;
    if runs.is_instance_of::<PyString>() || runs.cast::<Run>().is_ok() {
        return Err(PyTypeError::new_err("check_all wants several runs or paths: put this one into a list"));
    }
    let mut items = Vec::new();
    for item in runs.try_iter()? {
        let item = item?;
        items.push(match item.cast::<Run>() {
            Ok(run) => Item::Run(Arc::clone(&run.get().0)),
            Err(_) => {
                let source = Source::of(&item)?;
                let called = match (&source, &name) {
                    (Source::Path(path), _) => path.display().to_string(),
                    (_, Some(name)) => name.clone(),
                    (_, None) => "run".to_owned(),
                };
                Item::Source(source, called)
            }
        });
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = jobs.unwrap_or(cores).clamp(1, 256).min(items.len().max(1));
    let checked = work::long(py, Limits::NONE, |all| {
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let worker = || {
            loop {
                let at = next.fetch_add(1, Relaxed);
                let Some(item) = items.get(at) else { return };
                let checked = one(item, &checking, &reading, limits, all);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, checked));
                if all.step(0, "checking").is_err() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(worker);
            }
            worker();
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    })?;
    let mut checked = checked;
    checked.sort_by_key(|(at, _)| *at);
    Ok(checked.into_iter().flat_map(|(_, some)| some).map(|one| Report(Arc::new(one))).collect())
}

/// Reads a source if it is one, and checks its runs, each within the limits of one call. `all` is stopped when everything is.
fn one(item: &Item, checking: &Checking, reading: &Reading, limits: Limits, all: &Budget) -> Vec<Checked> {
    let started = Instant::now();
    let named = match item {
        Item::Run(run) => &run.name,
        Item::Source(_, name) => name,
    };
    let checked = catch_unwind(AssertUnwindSafe(|| limits.apart(all, |budget| some(item, checking, reading, budget))));
    checked.unwrap_or_else(|panic| {
        let error = Error::defect(errors::said(&*panic), "what was asked");
        vec![checking.unread(named, &error, started.elapsed().as_secs_f64())]
    })
}

fn some(item: &Item, checking: &Checking, reading: &Reading, budget: &Budget) -> Vec<Checked> {
    let started = Instant::now();
    match item {
        Item::Run(run) => vec![checking.check(run, budget)],
        Item::Source(source, name) => {
            let runs = match reading.open(source, name, budget) {
                Ok(runs) => runs,
                Err(error) => return vec![checking.unread(name, &error, started.elapsed().as_secs_f64())],
            };
            let mut some = Vec::new();
            for run in runs {
                match run {
                    Ok(run) => some.push(checking.check(&Recorded::of(run, name), budget)),
                    // A run that cannot be built is the last one of its file.
                    Err(error) => {
                        some.push(checking.unread(name, &error, started.elapsed().as_secs_f64()));
                        break;
                    }
                }
            }
            some
        }
    }
}

/// What became of the properties on one run.
///
/// >>> from posetta import Run, Spec, check
/// >>> report = check(Run.read(b"A: x=1\n"), Spec.parse("property end = ltl F x == 1"))
/// >>> report["end"].verdict
/// 'holds'
/// >>> print(report)
/// run  1 process, 1 event
///   ✓ end  holds: every possible order satisfies it
/// <BLANKLINE>
/// 1 property on 1 run: 1 holds
/// <BLANKLINE>
#[pyclass(frozen, module = "posetta", sequence)]
pub struct Report(Arc<Checked>);

/// What became of one property on a run.
#[pyclass(frozen, module = "posetta")]
pub struct Result {
    checked: Arc<Checked>,
    place: usize,
}

/// Why a property is violated: what it would have taken for the failing order not to be possible.
#[pyclass(frozen, module = "posetta", get_all)]
pub struct Why {
    /// How many swaps of neighbours the failing order is away from the recorded one.
    exchanges: u64,
    /// Whether no failing order is closer.
    closest: bool,
    /// The labels of the two events whose swap came last.
    swapped: Option<(String, String)>,
    /// Edges that would rule the failure out, as pairs of labels; `None` if they are not known.
    missing_edges: Option<Vec<(String, String)>>,
    /// Whether no fewer edges would do.
    minimum: bool,
    /// The same in words.
    text: Option<String>,
}

#[pymethods]
impl Why {
    fn __repr__(&self) -> String {
        match &self.text {
            Some(text) => format!("<Why {text}>"),
            None => format!("<Why {} swaps>", self.exchanges),
        }
    }
}

fn pair([from, to]: &[String; 2]) -> (String, String) {
    (from.clone(), to.clone())
}

#[pymethods]
impl Report {
    /// What the run is called.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The run, if it could be read.
    #[getter]
    fn run(&self) -> Option<Run> {
        self.0.run.as_ref().map(|run| Run(Arc::clone(run)))
    }

    /// An answer for each property that fits the run.
    #[getter]
    fn results(&self) -> Vec<Result> {
        let places = (0..self.0.slots.len()).filter(|&place| self.0.slots[place].is_ok());
        places.map(|place| Result { checked: Arc::clone(&self.0), place }).collect()
    }

    /// The verdict of all together: `violated` if one property is, else `unknown` if one is, else `holds`. `None` if something is wrong with the
    /// run or a property: then there is no verdict.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        if !self.0.errors().is_empty() {
            return None;
        }
        let has = |word: Word| self.0.words().any(|own| own == word);
        let found = [Word::Violated, Word::Unknown].into_iter().find(|&word| has(word));
        Some(found.unwrap_or(Word::Holds).text())
    }

    /// Whether every property holds, and nothing is wrong.
    #[getter]
    fn ok(&self) -> bool {
        self.0.unreadable.is_empty()
            && self.0.slots.iter().all(|slot| slot.as_ref().is_ok_and(|own| own.word == Word::Holds))
    }

    /// What is wrong with the run, or with a property on it, as in the JSON of reports. Only `check_all` answers with such reports.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for error in self.0.errors() {
            all.append(loads(py, &error.to_json().to_string())?)?;
        }
        Ok(all)
    }

    /// Raises an `AssertionError` with the explanation if not every property holds.
    fn assert_holds(&self, py: Python<'_>) -> PyResult<()> {
        if !self.0.errors().is_empty() {
            return Err(invalid(py, &self.0.errors()));
        }
        if self.ok() { Ok(()) } else { Err(PyAssertionError::new_err(format!("\n{}", self.__str__(py)?))) }
    }

    /// The report as `posetta check --json` prints it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        work::here(py, || self.0.to_json())
    }

    /// The same as dictionaries and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json(py)?)
    }

    /// The report as text; `width` is the number of columns.
    #[pyo3(signature = (*, width=80, ascii=false, color=false))]
    fn text(&self, py: Python<'_>, width: usize, ascii: bool, color: bool) -> PyResult<String> {
        let paint = Paint { colours: color, ascii, width: width.clamp(40, 1000), quiet: false };
        work::here(py, || text::report(&self.0.document(), paint))
    }

    /// The report as a picture (SVG).
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        work::here(py, || svg::drawing(&self.0.document(), None).to_svg())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.svg(py)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, PAPER.width, false, false)
    }

    fn __repr__(&self) -> String {
        let words: Vec<&str> = self.0.words().map(Word::text).collect();
        format!("<Report {}: {}>", self.0.name, words.join(", "))
    }

    fn __len__(&self) -> usize {
        self.results().len()
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Result> {
        let place = match key.cast::<PyString>() {
            Ok(name) => {
                let name = name.to_str()?;
                let is_it = |&place: &usize| self.0.properties[place].name == name && self.0.slots[place].is_ok();
                (0..self.0.slots.len()).find(is_it).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?
            }
            Err(_) => {
                let all = self.results();
                all[place_of(key.extract()?, all.len())?].place
            }
        };
        Ok(Result { checked: Arc::clone(&self.0), place })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, self.results())?.call_method0("__iter__")
    }
}

impl Result {
    /// Only properties with an answer have a result.
    fn outcome(&self) -> PyResult<&Outcome> {
        self.checked.slots[self.place].as_ref().map_err(|_| bad_argument("the property does not fit the run"))
    }

    fn named(&self) -> &Named {
        &self.checked.properties[self.place]
    }
}

#[pymethods]
impl Result {
    /// The name of the property.
    #[getter]
    fn name(&self) -> &str {
        &self.named().name
    }

    /// The property.
    #[getter]
    fn property(&self) -> crate::spec::Property {
        crate::spec::Property(Arc::new(self.named().clone()))
    }

    /// `holds`, `violated` or `unknown`.
    #[getter]
    fn verdict(&self) -> PyResult<&'static str> {
        Ok(self.outcome()?.word.text())
    }

    /// Whether it holds.
    #[getter]
    fn ok(&self) -> PyResult<bool> {
        Ok(self.outcome()?.word == Word::Holds)
    }

    /// Which orders satisfy a linear property: `all`, `some`, `none` or `unknown`.
    #[getter]
    fn runs(&self) -> PyResult<Option<&'static str>> {
        Ok(self.outcome()?.runs.map(posetta_tell::json::runs))
    }

    /// What the recorded order does: `holds` or `violated`.
    #[getter]
    fn observed(&self) -> PyResult<Option<&'static str>> {
        Ok(self.outcome()?.observed.map(posetta_tell::json::observed))
    }

    /// The order that shows the verdict: for a violation one that fails, the closest to the recorded one. For CTL it is a path.
    #[getter]
    fn order(&self) -> PyResult<Option<Vec<Event>>> {
        let (Some(run), Some(labels)) = (&self.checked.run, &self.outcome()?.witness) else { return Ok(None) };
        Ok(labels.iter().map(|label| run.trace.find_event(label).map(|id| Event::new(run, id))).collect())
    }

    /// Why it is violated.
    #[getter]
    fn why(&self) -> PyResult<Option<Why>> {
        let outcome = self.outcome()?;
        Ok(outcome.why.as_deref().map(|why| Why {
            exchanges: why.exchanges,
            closest: why.closest,
            swapped: why.swapped.as_ref().map(pair),
            missing_edges: why.missing_edges.as_ref().map(|edges| edges.iter().map(pair).collect()),
            minimum: why.minimum,
            text: outcome.words.as_deref().map(|words| words.text.replace('\u{a0}', " ")),
        }))
    }

    /// The answer in words and lanes, as `posetta check` prints it.
    #[getter]
    fn explanation(&self, py: Python<'_>) -> PyResult<String> {
        let outcome = self.outcome()?;
        work::here(py, || {
            let mut subject = self.checked.subject();
            let answer = outcome.answer(self.checked.shape(), self.named(), false);
            subject.answers = Vec::new();
            text::evidence(&subject, &answer, PAPER)
        })
    }

    /// What is worth knowing about it, as in the JSON of reports.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        warned(py, &self.outcome()?.warnings)
    }

    /// Which limit left it open, as in the JSON of reports.
    #[getter]
    fn limit<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let entry = self.to_dict(py)?.get_item("limit")?;
        Ok((!entry.is_none()).then_some(entry))
    }

    /// What the answer took, as in the JSON of reports.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item("stats")
    }

    /// Its entry in the JSON of reports.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let entry = work::here(py, || self.checked.entry(self.place).unwrap_or_default().to_string())?;
        loads(py, &entry)
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Result {}: {}>", self.name(), self.verdict()?))
    }
}
