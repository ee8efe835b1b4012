//! Systems of components and Petri nets against what is asked about them.
//!
//! [`decide`] reads the system, ties the properties to it, adds the questions that flags ask, and lets the library decide; each answer is put on the
//! [`Board`] as soon as it is known. What is on it is said by `posetta_tell::verified`; [`graph`] draws observation graphs.

mod graph;

use std::sync::Arc;
use std::time::Instant;

use posetta_base::{ActionId, Budget, Diagnostic, Error, Kind};
use posetta_model::system::{Demand, Spec, System};
use posetta_tell::Word;
use posetta_tell::verified::asked_of_system::{ContestSet, Wanted, mark_named};
use posetta_tell::verified::system::{Asked, DemandKind, Outcome, Verified, places};
use posetta_verify::Step;
use posetta_verify::system::{Engine, Options, Question, observation_graph};

use super::board::{Fillable, Filling};
use super::{Boards, Telling, useless};
use crate::args::{Form, SystemEngineName, VerifyArgs};
use crate::files;
use crate::limited::locked;
use crate::problem::{Problem, system_error};
use crate::properties::Named;
use crate::{models, output, progress};

/// What is known, and where it goes.
pub(super) struct Board {
    pub(super) report: Filling<Verified>,
    /// The observation graph goes to standard output.
    graph: Option<String>,
    /// Standard output is for the graph alone.
    aside: bool,
}

impl Board {
    pub(super) fn new(args: &VerifyArgs, kind: models::Kind) -> Self {
        let kind = match kind {
            models::Kind::Sys => "sys",
            models::Kind::Aut => "aut",
            models::Kind::Pnml => "pnml",
        };
        let (file, asks_bound) = (args.model.display().to_string(), args.bound);
        let report = Filling::new(Verified { file, kind, asks_bound, ..Verified::default() });
        let aside =
            args.report.stdout() == Form::Human && args.graph.as_ref().is_some_and(|path| path.as_os_str() == "-");
        Self { report, graph: None, aside }
    }
}

/// Tells what is known, and answers with the exit status.
pub(super) fn deliver(board: &Board, telling: &Telling) -> u8 {
    let report = &board.report.known;
    let remarks = report.remarks();
    let told = report.report(telling.stats, telling.witness);
    let forms = (|witness, warnings| report.to_json(witness, warnings), || report.picture());
    let beside = (&remarks[..], &report.problems[..], report.stopped());
    let status = telling.tell(told, forms, beside, (board.aside, report.exit_status()));
    let written = board.graph.as_ref().filter(|_| board.aside).is_none_or(|graph| output::print(graph));
    if written { status } else { 2 }
}

/// What the work tells the board.
struct Telltale<'a>(&'a Boards);

impl Telltale<'_> {
    fn change(&self, change: impl FnOnce(&mut Board)) {
        if let Some(board) = locked(&self.0.system).as_mut() {
            change(board);
        }
    }

    /// Notes what is known.
    fn tell(&self, tell: impl FnOnce(&mut Verified)) {
        self.change(|board| tell(&mut board.report.known));
    }

    /// Notes what is being done.
    fn begin(&self, what: &'static str) {
        self.change(|board| board.report.doing = what);
    }
}

/// Fills the board.
pub(super) fn decide(
    args: &VerifyArgs,
    (kind, text): (models::Kind, &str),
    given: &[Named],
    sets: &[ContestSet],
    boards: &Boards,
    budget: &Budget,
) {
    let board = Telltale(boards);
    if let Err(stopped) = decided(args, (kind, text), (given, sets), &board, budget) {
        board.tell(|report| match stopped {
            Stopped::Mistakes(problems) => report.problems = problems,
            Stopped::Failed(error) => match error.into_diagnostics() {
                Err(over) => report.over = Some(over),
                Ok(all) => report.problems = all.into_iter().map(|d| Problem::in_text(&report.file, d)).collect(),
            },
        });
    }
    board.change(|board| board.report.done = true);
}

/// Why not everything is known.
enum Stopped {
    Mistakes(Vec<Problem>),
    Failed(Error),
}

impl From<Vec<Problem>> for Stopped {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Mistakes(problems)
    }
}

impl From<Error> for Stopped {
    fn from(failure: Error) -> Self {
        Self::Failed(failure)
    }
}

fn decided(
    args: &VerifyArgs,
    (kind, text): (models::Kind, &str),
    (given, sets): (&[Named], &[ContestSet]),
    board: &Telltale<'_>,
    budget: &Budget,
) -> Result<(), Stopped> {
    let problems = meaningless(args, given.is_empty() && sets.is_empty());
    if !problems.is_empty() {
        return Err(problems.into());
    }
    let wanted = args.system.as_deref().map(|name| (name, "--system"));
    let system = Arc::new(models::parse(kind, &args.model, text, wanted, &args.root)?);
    if args.bound && places(&system) == 0 {
        let help = "only nets have places; transition systems have one state each";
        return Err(vec![useless("--bound", "counts tokens, and this system has no places", help)].into());
    }
    let observe = observed_besides(args, &system)?;
    let wanted = Wanted {
        given,
        sets,
        only: &args.properties.only,
        reach: &args.reach,
        invariant: &args.invariant,
        deadlock: args.deadlock,
        livelock: args.livelock,
    };
    let (mut specs, mut asked) = wanted.questions(&system, &observe)?;
    let explores = specs.is_empty() && !args.bound && args.graph.is_none();
    if explores {
        (specs, asked) =
            (vec![Spec::plain("no deadlock", Demand::NoDeadlock)], vec![Asked::plain(DemandKind::NoDeadlock)]);
    }
    let observed = graph_actions(&system, &specs, &observe);
    board.tell(|report| {
        report.explores = explores;
        report.listen(Arc::clone(&system), asked);
    });
    board.begin("verifying");
    let engine = engine(args);
    let options = Options::default().engine(engine).observe(observe).explore(explores || args.bound);
    let (counts, mut open, mut last) = (options.explore, specs.len(), Instant::now());
    let mut question = Question::new(&system, &specs, options);
    loop {
        if open == 0 && counts {
            board.begin("counting the states");
        }
        match question.advance(budget)? {
            Some(Step::Answered(place)) => {
                open -= 1;
                let Some(answer) = question.answer(place).cloned() else { continue };
                let seconds = std::mem::replace(&mut last, Instant::now()).elapsed().as_secs_f64();
                let word = Word::from(&answer.verdict);
                let (mut name, mut file) = (String::new(), String::new());
                board.tell(|report| {
                    report.slots[place] = Some(Outcome { answer, seconds });
                    (name, file) = (report.asked[place].name.clone(), report.file.clone());
                });
                progress::decided(&file, &name, word);
            }
            Some(Step::Explored) => board.tell(|report| report.findings = question.findings().cloned()),
            None => break,
        }
    }
    if let Some(over) = question.over() {
        return Err(Error::OverBudget(over).into());
    }
    if let Some(path) = &args.graph {
        board.begin("making an observation graph");
        let by = if engine == Engine::Modular { engine } else { Engine::Sog };
        let made = observation_graph(&system, &observed, by, budget)?;
        let drawn = graph::dot(&system, &observed, &made);
        if path.as_os_str() == "-" {
            board.change(|board| board.graph = Some(drawn));
        } else if let Err(error) = files::write(path, &drawn) {
            let message = format!("cannot write `{}`: {}", path.display(), system_error(&error));
            return Err(vec![Problem::in_text("--graph", Diagnostic::new(Kind::Input, message))].into());
        }
    }
    Ok(())
}

fn engine(args: &VerifyArgs) -> Engine {
    match args.engine.unwrap_or_default() {
        SystemEngineName::Auto => Engine::Auto,
        SystemEngineName::Explicit => Engine::Explicit,
        SystemEngineName::Sog => Engine::Sog,
        SystemEngineName::Modular => Engine::Modular,
    }
}

/// Flags that mean nothing for a system, or nothing together.
fn meaningless(args: &VerifyArgs, no_property: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    if args.only_given {
        let help = "leave it out: properties are given with --ltl, --ctl and --spec";
        problems.push(useless("--only-given", "is for SMV; a system of components states no properties", help));
    }
    if args.no_explore {
        let help = "leave it out: the states of a system of components are counted only where nothing is asked";
        problems.push(useless("--no-explore", "is for SMV", help));
    }
    if !args.observe.is_empty() && no_property && !args.livelock && args.graph.is_none() {
        let help = "give a formula, or ask with --livelock or --graph";
        problems.push(useless("--observe", "changes nothing: no question is about actions", help));
    }
    if args.graph.is_some() && args.engine == Some(SystemEngineName::Explicit) {
        let help = "choose --engine sog or --engine modular";
        problems.push(useless("--graph", "is not made state by state", help));
    }
    let form = args.report.stdout();
    if form != Form::Human && args.graph.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        let what = if form == Form::Json { "--json" } else { "the report" };
        let message = format!("- and {what} both want standard output");
        problems.push(useless("--graph", &message, "write the graph to a file"));
    }
    problems
}

/// What `--observe` names. A name may have commas of its own.
fn observed_besides(args: &VerifyArgs, system: &System) -> Result<Vec<ActionId>, Vec<Problem>> {
    let mut names: Vec<String> = Vec::new();
    for list in &args.observe {
        match system.find_action(list) {
            Some(_) => names.push(list.clone()),
            None => names.extend(list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())),
        }
    }
    system.find_actions(&names).map_err(|all| all.into_iter().map(|d| Problem::in_text("--observe", d)).collect())
}

/// What an observation graph shows: what formulas name and what is observed besides; without either all that is not internal.
fn graph_actions(system: &System, specs: &[Spec], besides: &[ActionId]) -> Vec<ActionId> {
    let mut observed = vec![false; system.actions.len()];
    besides.iter().for_each(|a| observed[a.index()] = true);
    for spec in specs {
        if let Demand::Actions(formula) = &spec.demand {
            mark_named(formula, &mut observed);
        }
    }
    if !observed.contains(&true) {
        system.actions.iter().zip(&mut observed).for_each(|(action, seen)| *seen = !action.internal);
    }
    system.action_ids().filter(|a| observed[a.index()]).collect()
}
