//! Models: verified, compared, and formulas of M2L.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Budget, Error, OverBudget, Verdict};
use posetta_files::models::{Kind, parse};
use posetta_files::root::{Root, RootArgs};
use posetta_files::text::text;
use posetta_logic::m2l::read_program;
use posetta_model::smv;
use posetta_model::system::{Demand, Spec, System};
use posetta_tell::refined::{self, Refined, Side};
use posetta_tell::report::{Report, Subject, Title, When};
use posetta_tell::verified::asked_of_system::Wanted;
use posetta_tell::verified::system::{Asked, DemandKind};
use posetta_tell::verified::{asked_of_model, fds, system};
use posetta_tell::{Named, Problem, Word, svg};
use posetta_verify::{Step, fds as of_fds, refine as refining, system as of_system};
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;

use crate::errors::{PAPER, bad_argument, invalid, limit, of};
use crate::spec::{asked, roots};
use crate::values::loads;
use crate::work::{Limits, here, long};

/// A model: a system of components (`.sys`, `.aut`, `.pnml`), or one in SMV.
///
/// >>> from posetta import Model, verify
/// >>> door = Model.parse("component Door { lts { init shut; shut -open-> ajar -close-> shut } }", kind="sys")
/// >>> verify(door, "G (open -> F close)").verdict
/// 'holds'
#[pyclass(frozen, module = "posetta")]
pub struct Model {
    file: String,
    read: Read,
}

enum Read {
    /// Properties are tied to a model in SMV while it is read, so it is kept as its text.
    Smv(String),
    System(&'static str, Arc<System>),
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Sys => "sys",
        Kind::Aut => "aut",
        Kind::Pnml => "pnml",
    }
}

impl Model {
    fn new(
        py: Python<'_>,
        path: &Path,
        text: &str,
        kind: Option<Kind>,
        system: Option<&str>,
        roots: &RootArgs,
    ) -> PyResult<Self> {
        let file = path.display().to_string();
        let read = long(py, Limits::NONE, |_| match kind {
            Some(kind) => {
                let wanted = system.map(|name| (name, "`system=`"));
                parse(kind, path, text, wanted, roots).map(|read| Read::System(word(kind), Arc::new(read)))
            }
            None => match smv::read(text) {
                Ok(_) => Ok(Read::Smv(text.to_owned())),
                Err(mistakes) => Err(mistakes.into_iter().map(|d| Problem::in_text(&file, d)).collect()),
            },
        })?;
        Ok(Self { read: read.map_err(|problems: Vec<Problem>| invalid(py, &problems))?, file })
    }

    fn side(&self) -> PyResult<Side> {
        match &self.read {
            Read::System(_, system) => Ok(Side { file: self.file.clone(), system: (**system).clone() }),
            Read::Smv(_) => Err(bad_argument("systems of components are compared, and this model is in SMV")),
        }
    }
}

#[pymethods]
impl Model {
    /// Reads a file. Of one with several systems, `system` names one; what it imports lies in its directory, or in `root`.
    #[staticmethod]
    #[pyo3(signature = (path, *, system=None, root=None))]
    fn read(py: Python<'_>, path: PathBuf, system: Option<&str>, root: Option<PathBuf>) -> PyResult<Self> {
        let roots = roots(root.as_deref())?;
        let file = path.display().to_string();
        let text = here(py, || text(&path))?.map_err(|d| of(py, &file, &Error::from(d)))?;
        let kind = Kind::of(&path, &text);
        let is_smv = path.extension().is_some_and(|own| own.eq_ignore_ascii_case("smv"));
        if kind.is_none() && !is_smv {
            return Err(bad_argument(format!(
                "`{file}` does not look like a model: .sys, .aut, .pnml and .smv are read"
            )));
        }
        Self::new(py, &path, &text, kind, system, &roots)
    }

    /// The model of a text: `kind` is `sys`, `aut`, `pnml` or `smv`.
    #[staticmethod]
    #[pyo3(signature = (text, *, kind, system=None, name="model"))]
    fn parse(py: Python<'_>, text: &str, kind: &str, system: Option<&str>, name: &str) -> PyResult<Self> {
        let kind = match kind {
            "sys" => Some(Kind::Sys),
            "aut" => Some(Kind::Aut),
            "pnml" => Some(Kind::Pnml),
            "smv" => None,
            _ => return Err(bad_argument(format!("kind={kind:?}: \"sys\", \"aut\", \"pnml\" or \"smv\" is expected"))),
        };
        Self::new(py, Path::new(name), text, kind, system, &roots(None)?)
    }

    /// `sys`, `aut`, `pnml` or `smv`.
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.read {
            Read::Smv(_) => "smv",
            Read::System(kind, _) => kind,
        }
    }

    /// The names of the actions of a system of components.
    #[getter]
    fn actions(&self) -> Vec<String> {
        match &self.read {
            Read::Smv(_) => Vec::new(),
            Read::System(_, system) => system.actions.iter().map(|action| action.name.to_string()).collect(),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Model {}>", self.file)
    }
}

/// What became of questions about models and formulas.
#[pyclass(frozen, module = "posetta")]
pub struct Decision {
    words: Vec<Word>,
    json: String,
    text: String,
    svg: String,
}

#[pymethods]
impl Decision {
    /// The verdict of all together: `violated` if one is, else `unknown` if one is, else `holds`.
    #[getter]
    fn verdict(&self) -> &'static str {
        let found = [Word::Violated, Word::Unknown].into_iter().find(|word| self.words.contains(word));
        found.unwrap_or(Word::Holds).text()
    }

    /// Every verdict.
    #[getter]
    fn verdicts(&self) -> Vec<&'static str> {
        self.words.iter().map(|word| word.text()).collect()
    }

    /// Whether everything holds.
    #[getter]
    fn ok(&self) -> bool {
        self.words.iter().all(|&word| word == Word::Holds)
    }

    /// Raises an `AssertionError` with the explanation if not everything holds.
    fn assert_holds(&self) -> PyResult<()> {
        if self.ok() { Ok(()) } else { Err(PyAssertionError::new_err(format!("\n{}", self.text))) }
    }

    /// The report as the program prints it with `--json`.
    fn to_json(&self) -> &str {
        &self.json
    }

    /// The same as dictionaries and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.json)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn _repr_html_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<Decision {}>", self.verdict())
    }
}

impl Decision {
    fn of(report: &Report<'_>, words: Vec<Word>, json: String) -> Self {
        Self { words, json, text: posetta_tell::text::report(report, PAPER), svg: svg::drawing(report, None).to_svg() }
    }
}

/// What can go wrong.
enum Stopped {
    Mistakes(Vec<Problem>),
    Over(OverBudget),
    Failed(String, Error),
}

impl Stopped {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Mistakes(problems) => invalid(py, &problems),
            Self::Over(over) => limit(py, over),
            Self::Failed(file, error) => of(py, &file, &error),
        }
    }
}

/// Verifies a model: its own properties, and `spec`.
///
/// `deadlock` and `livelock` ask for these, `reach` and `invariant` for conditions on states (systems of components). `only_given` leaves out the
/// properties that a model in SMV states. Past `timeout` or `memory` an answer is `unknown`.
///
/// >>> from posetta import Model, verify
/// >>> counter = Model.parse("MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 3;\n", kind="smv")
/// >>> verify(counter, "G (x < 2)").verdict
/// 'violated'
#[pyfunction]
#[pyo3(signature = (model, spec=None, *, deadlock=false, livelock=false, reach=Vec::new(), invariant=Vec::new(), only_given=false, timeout=None, memory=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn verify(
    py: Python<'_>,
    model: &Model,
    spec: Option<&Bound<'_, PyAny>>,
    deadlock: bool,
    livelock: bool,
    reach: Vec<String>,
    invariant: Vec<String>,
    only_given: bool,
    timeout: Option<&Bound<'_, PyAny>>,
    memory: Option<u64>,
) -> PyResult<Decision> {
    let given = spec.map_or_else(|| Ok(Arc::default()), |spec| asked(py, spec))?;
    let limits = Limits::new(timeout, memory)?;
    let decided = match &model.read {
        Read::Smv(text) => {
            if livelock || !reach.is_empty() || !invariant.is_empty() {
                return Err(bad_argument("livelock=, reach= and invariant= are for systems of components"));
            }
            long(py, limits, |budget| of_smv(&model.file, text, &given, deadlock, only_given, budget))?
        }
        Read::System(kind, system) => {
            let wanted =
                Wanted { given: &given, reach: &reach, invariant: &invariant, deadlock, livelock, ..Wanted::default() };
            long(py, limits, |budget| of_components(&model.file, kind, system, wanted, budget))?
        }
    };
    decided.map_err(|stopped| stopped.raised(py))
}

fn of_smv(
    file: &str,
    text: &str,
    given: &[Named],
    asks_deadlock: bool,
    only_given: bool,
    budget: &Budget,
) -> Result<Decision, Stopped> {
    let in_file = |mistakes: posetta_base::Mistakes| {
        Stopped::Mistakes(mistakes.into_iter().map(|d| Problem::in_text(file, d)).collect())
    };
    let mut model = smv::read(text).map_err(in_file)?;
    let (specs, asked) = asked_of_model::questions(file, &mut model, given, only_given).map_err(Stopped::Mistakes)?;
    let mut known = fds::Verified { file: file.to_owned(), asks_deadlock, only_given, ..fds::Verified::default() };
    let model = Arc::new(model);
    known.listen(&model, &specs, asked);
    let mut question = of_fds::Question::new(&model, &specs, of_fds::Options::default().explore(true));
    let mut last = Instant::now();
    loop {
        match question.advance(budget).map_err(|error| Stopped::Failed(file.to_owned(), error))? {
            Some(Step::Explored) => known.findings = question.findings().cloned(),
            Some(Step::Answered(place)) => {
                let Some(answer) = question.answer(place).cloned() else { continue };
                let seconds = std::mem::replace(&mut last, Instant::now()).elapsed().as_secs_f64();
                let turns = asked_of_model::turns(&model, &specs[place], &answer);
                known.slots[place] = Some(fds::Outcome { answer, seconds, turns });
            }
            None => break,
        }
    }
    known.over = question.over();
    let warnings = known.remarks().iter().map(|remark| remark.to_warning_json(false)).collect();
    let mut words = known.words();
    words.extend(known.over.map(|_| Word::Unknown));
    Ok(Decision::of(&known.report(false, When::Auto), words, known.to_json(When::Auto, warnings)))
}

fn of_components(
    file: &str,
    kind: &'static str,
    components: &Arc<System>,
    wanted: Wanted<'_>,
    budget: &Budget,
) -> Result<Decision, Stopped> {
    let (mut specs, mut asked) = wanted.questions(components, &[]).map_err(Stopped::Mistakes)?;
    let explores = specs.is_empty();
    if explores {
        (specs, asked) =
            (vec![Spec::plain("no deadlock", Demand::NoDeadlock)], vec![Asked::plain(DemandKind::NoDeadlock)]);
    }
    let mut known = system::Verified { file: file.to_owned(), kind, explores, ..system::Verified::default() };
    known.listen(Arc::clone(components), asked);
    let mut question = of_system::Question::new(components, &specs, of_system::Options::default().explore(explores));
    let mut last = Instant::now();
    loop {
        match question.advance(budget) {
            Ok(Some(Step::Explored)) => known.findings = question.findings().cloned(),
            Ok(Some(Step::Answered(place))) => {
                let Some(answer) = question.answer(place).cloned() else { continue };
                let seconds = std::mem::replace(&mut last, Instant::now()).elapsed().as_secs_f64();
                known.slots[place] = Some(system::Outcome { answer, seconds });
            }
            Ok(None) => break,
            Err(Error::OverBudget(over)) => {
                known.over = Some(over);
                break;
            }
            Err(error) => return Err(Stopped::Failed(file.to_owned(), error)),
        }
    }
    known.over = known.over.or(question.over());
    let warnings = known.remarks().iter().map(|remark| remark.to_warning_json(false)).collect();
    let is_open = known.over.is_some() || (known.explores && known.word(0).0 == Word::Unknown);
    let mut words = known.words();
    words.extend(is_open.then_some(Word::Unknown));
    Ok(Decision::of(&known.report(false, When::Auto), words, known.to_json(When::Auto, warnings)))
}

/// Whether every observable trace of one system is a trace of another; with `equivalent`, in both directions.
///
/// >>> from posetta import Model, refine
/// >>> eager = Model.parse('des (0, 3, 2)\n(0, "ask", 1)\n(1, "get", 0)\n(0, "get", 0)\n', kind="aut", name="eager")
/// >>> polite = Model.parse('des (0, 2, 2)\n(0, "ask", 1)\n(1, "get", 0)\n', kind="aut", name="polite")
/// >>> refine(polite, eager).ok, refine(eager, polite).ok
/// (True, False)
#[pyfunction]
#[pyo3(signature = (implementation, specification, *, equivalent=false, timeout=None, memory=None))]
pub fn refine(
    py: Python<'_>,
    implementation: &Model,
    specification: &Model,
    equivalent: bool,
    timeout: Option<&Bound<'_, PyAny>>,
    memory: Option<u64>,
) -> PyResult<Decision> {
    let (implementation, specification) = (implementation.side()?, specification.side()?);
    let decided = long(py, Limits::new(timeout, memory)?, |budget| {
        let mut found = Refined { implementation, specification, equivalent, lacking: None, stats: Vec::new() };
        for turned in [false, true].into_iter().take(1 + usize::from(equivalent)) {
            let (left, right) = match turned {
                false => (&found.implementation, &found.specification),
                true => (&found.specification, &found.implementation),
            };
            let started = Instant::now();
            let answer = refining::refine(&left.system, &right.system, refining::Engine::Auto, budget)
                .map_err(|error| Stopped::Failed(right.file.clone(), error))?;
            found.stats.push((answer.stats, started.elapsed().as_secs_f64()));
            match answer.verdict {
                Verdict::Holds => {}
                Verdict::Violated(lacking) => {
                    found.lacking = Some((lacking, turned));
                    break;
                }
                Verdict::Unknown(over) => return Err(Stopped::Over(over)),
            }
        }
        Ok(Decision::of(&found.report(false), vec![found.word()], found.to_json()))
    })?;
    match decided {
        Err(Stopped::Over(over) | Stopped::Failed(_, Error::OverBudget(over))) => {
            let text = posetta_tell::text::stopped(over, PAPER);
            Ok(Decision { words: vec![Word::Unknown], json: refined::limit(over), text, svg: String::new() })
        }
        decided => decided.map_err(|stopped| stopped.raised(py)),
    }
}

/// Decides a formula of M2L, MONA's logic of strings: a text, or a `pathlib.Path` to a file.
///
/// >>> from posetta import m2l
/// >>> m2l("m2l-str; var2 P; ex1 p: p in P;").to_dict()["results"][0]["answer"]
/// 'neither'
#[pyfunction]
#[pyo3(signature = (formula, *, root=None, timeout=None, memory=None))]
pub fn m2l(
    py: Python<'_>,
    formula: &Bound<'_, PyAny>,
    root: Option<PathBuf>,
    timeout: Option<&Bound<'_, PyAny>>,
    memory: Option<u64>,
) -> PyResult<Decision> {
    let (path, written) = match formula.extract::<String>() {
        Ok(written) => (PathBuf::from("formula"), written),
        Err(_) => {
            let path: PathBuf = formula.extract()?;
            let file = path.display().to_string();
            let written = here(py, || text(&path))?.map_err(|d| of(py, &file, &Error::from(d)))?;
            (path, written)
        }
    };
    let roots = roots(root.as_deref())?;
    let decided = long(py, Limits::new(timeout, memory)?, |budget| {
        let file = path.display().to_string();
        let mut root = Root::of(&roots, &path);
        let program = read_program(&file, &written, &mut |from, asked| root.load(from, asked)).map_err(|mistakes| {
            Stopped::Mistakes(mistakes.into_iter().map(|m| Problem::in_text(&m.file, m.diagnostic)).collect())
        })?;
        let started = Instant::now();
        let mut findings = Vec::new();
        let found =
            posetta_tell::m2l::decided(&program, posetta_compile::m2l::Engine::Auto, budget, |place, decision| {
                findings.push(posetta_tell::m2l::Finding::new(
                    &program,
                    place,
                    decision,
                    started.elapsed().as_secs_f64(),
                ));
            });
        let over = found.err();
        let mut words: Vec<Word> = findings.iter().map(posetta_tell::m2l::Finding::word).collect();
        words.extend(over.map(|_| Word::Unknown));
        let mut subject = Subject::new(Title::Name(file), Vec::new());
        subject.answers.extend(findings.iter().map(|finding| finding.answer(false)));
        let report = Report { subjects: vec![subject], stopped: over, ..Report::default() };
        let mut decision = Decision::of(&report, words, posetta_tell::m2l::to_json(&findings, Vec::new(), over));
        decision.text = posetta_tell::m2l::text(&findings, false, PAPER);
        Ok(decision)
    })?;
    decided.map_err(|stopped: Stopped| stopped.raised(py))
}
