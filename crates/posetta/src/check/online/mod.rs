//! Every order of a run while it happens: a linear property, decided event by event.
//!
//! [`Online`] is fed with [`Arrival`]s, each after its causes, and with the [`Frontier`], which says what events that have not
//! come will come after. It follows all orders of what has come, as intervals of cuts ([`configs`]), and answers
//!
//! - **violated** as soon as some order of what has come cannot be repaired: however that order goes on, it is bad;
//! - **holds** as soon as every order of every run that this may become is good;
//! - at any time, whether the property holds on what has come, were it the whole run: the verdict of
//!   [`check`](crate::check::check) on it.
//!
//! What events look like to the property is [`sight`]'s business, [`modes`] are automaton states with values, [`Outlook`] knows
//! what can still become of them, and [`window`] holds the events that are not settled: those that some later event need not come
//! after. Configurations that no later event can meet and events that are settled are let go, so memory is bounded when processes
//! keep hearing of each other.

mod configs;
mod modes;
mod sight;
mod window;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use self::configs::{Came, Config, Configs, Follow};
use self::modes::{Exact, Mixed, MixedMoves, Mode};
use self::sight::{Sight, UNSEEN};
use self::window::Window;
use crate::base::{Budget, Claim, Diagnostic, Failure, Kind, Number, OverBudget, Span, Value};
use crate::compile::{Automaton, Normal, Obligations, Outlook, Watch};
use crate::logic::{Atom, Atoms, Condition, Formula, Property, Slot, Term, View, for_each_number};
use crate::trace::{Arrival, Frontier};

const WHAT: &str = "following the orders of what has come";

/// What is certain about a run that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: what comes decides.
    Open,
    /// The property will hold, whatever comes.
    Holds,
    /// The property will be violated, whatever comes.
    Violated,
}

/// What was taken for granted about a variable before its first value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assumed {
    Nothing,
    Number,
    Text,
}

/// What is known about a variable of the property.
struct Variable {
    /// Where it must be a number, and why.
    number: Option<(Span, &'static str)>,
    /// Where it is mentioned first.
    span: Span,
    assumed: Assumed,
    declared: bool,
    assigned: bool,
}

/// A linear property on a run that is not over.
pub struct Online {
    property: Property,
    atoms: Atoms,
    variables: Vec<Variable>,
    view: View,
    modes: Exact,
    mixed: MixedMoves,
    window: Window,
    configs: Configs,
    standing: Standing,
    events: u64,
    /// Whether events that nobody sees change nothing: after the first position, and there.
    skips: (bool, bool),
    since_sweep: usize,
    pause: usize,
    /// How much was remembered after the last time that something was forgotten.
    remembered: usize,
    clock: Vec<u32>,
    claim: Claim,
    budget: Budget,
    names: Names,
}

/// Names that have come, as far as messages need them.
#[derive(Default)]
struct Names {
    wanted_events: BTreeSet<String>,
    wanted_processes: BTreeSet<String>,
    variables: BTreeSet<String>,
}

/// So many names of other variables are remembered, to be suggested.
const SUGGESTIONS: usize = 256;

impl Online {
    /// A property at the start of a run. `initial` are the declared values, `processes` all processes, if they are declared.
    ///
    /// # Errors
    /// When the property is not linear or does not fit the declared values, or when the budget is spent.
    pub fn new(
        property: &Property,
        initial: &[(String, Value)],
        processes: Option<&[String]>,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let mut atoms = Atoms::default();
        let (view, bad): (View, Box<dyn Automaton>) = match &property.formula {
            Formula::Ltl(view, formula) => {
                let formula = formula.map_atoms(&mut |atom| atoms.add(atom));
                (*view, Box::new(Obligations::new(Normal::new(&formula, true))))
            }
            Formula::Monitor(view, monitor) => {
                (*view, Box::new(Watch::new(&monitor.map_atoms(&mut |atom| atoms.add(atom)))))
            }
            Formula::Ctl(_) => {
                return Err(Failure::Invalid(vec![
                    property
                        .mistake(Kind::Unsupported, property.span, "a property of cuts cannot be followed")
                        .label("expected a property of single orders: LTL, a pattern or a monitor")
                        .help("decide it with `check` once the run is over"),
                ]));
            }
        };
        let outlook = Outlook::new(&atoms, view, bad, |name| processes.is_none_or(|all| all.contains(name)), budget)?;
        let skips = (outlook.skips_unseen(), false);
        let sight = Sight::new(&atoms);
        let mut online = Self {
            property: property.clone(),
            variables: variables(property, &atoms),
            view,
            modes: Exact::new(outlook, sight, budget.clone()),
            mixed: MixedMoves::default(),
            window: Window::default(),
            configs: Configs::default(),
            standing: Standing::Open,
            events: 0,
            skips,
            since_sweep: 0,
            pause: 0,
            remembered: 0,
            clock: Vec::new(),
            claim: budget.claim(0, WHAT)?,
            budget: budget.clone(),
            names: Names::default(),
            atoms,
        };
        for atom in online.atoms.atoms() {
            match atom {
                Atom::Event(name) => drop(online.names.wanted_events.insert(name.clone())),
                Atom::Process(name) => drop(online.names.wanted_processes.insert(name.clone())),
                Atom::State(_) | Atom::On(_) => {}
            }
        }
        for name in processes.into_iter().flatten() {
            online.names.wanted_processes.remove(name);
        }
        online.start(initial)?;
        Ok(online)
    }

    /// Enters the configurations at the empty cut.
    fn start(&mut self, initial: &[(String, Value)]) -> Result<(), Failure> {
        let declared: FxHashMap<&str, &Value> = initial.iter().map(|(name, value)| (&name[..], value)).collect();
        let (zero, empty) = (Value::Number(Number::ZERO), Value::Text(String::new()));
        let mut values: Vec<Value> = Vec::new();
        let mut mistakes = Vec::new();
        for (i, name) in self.atoms.variables().iter().enumerate() {
            let variable = &mut self.variables[i];
            if let Some(value) = declared.get(&name[..]) {
                variable.declared = true;
                if let (Value::Text(_), Some((span, why))) = (value, variable.number) {
                    mistakes.push(is_text(&self.property, span, why, &format!("it is {value} at the start")));
                }
                values.push((*value).clone());
                continue;
            }
            let alike = variable.number.is_some() || self.modes.sight.are_alike(Slot(i as u32), &zero, &empty)?;
            let text = compared_with_text(&self.atoms, Slot(i as u32));
            variable.assumed = match (alike, text) {
                (true, _) => Assumed::Nothing,
                (false, true) => Assumed::Text,
                (false, false) => Assumed::Number,
            };
            values.push(if variable.assumed == Assumed::Text { empty.clone() } else { zero.clone() });
        }
        if !mistakes.is_empty() {
            return Err(Failure::Invalid(mistakes));
        }
        let state = self.modes.sight.initial(|i| values[i].clone())?;
        let letter = self.modes.sight.letter(&state, None)?;
        let start = self.modes.outlook.start();
        let states = match self.view {
            View::States => self.modes.outlook.step(start, &letter, &self.budget)?,
            View::Events => vec![start],
        };
        self.skips.1 = self.view == View::States || self.modes.outlook.skips_first(&letter);
        for automaton_state in states {
            let mode = self.modes.mode(automaton_state, state.clone())?;
            self.configs.put(&Config { t: Vec::new(), w: Vec::new(), mode });
        }
        Ok(())
    }

    /// An event has come, all its causes before it; `frontier` has learnt of it.
    ///
    /// # Errors
    /// With the mistakes of type that it brings, or when the budget is spent. Nothing can be asked after that.
    pub fn arrive(&mut self, event: &Arrival<'_>, frontier: &Frontier) -> Result<(), Failure> {
        self.events += 1;
        self.look_at(event)?;
        if self.standing != Standing::Open {
            return Ok(());
        }
        let class = self.modes.sight.class(event, &self.atoms)?;
        let first = event.clock.iter().map(|&c| u64::from(c)).sum::<u64>() == 1;
        let skipped = class == UNSEEN && self.skips.0 && (self.skips.1 || !first);
        let mut came = Came::ToAnEnd;
        if !skipped {
            let width = self.window.width();
            let chain = self.window.chain(event.process);
            if self.window.width() > width {
                self.configs.widen();
            }
            self.window.push(chain, class, event.clock, &mut self.clock);
            let mut follow = Follow::new(&self.window, &mut self.modes, &mut self.configs, false, &self.budget);
            came = follow.arrive(chain)?;
            self.since_sweep += 1;
            if self.since_sweep >= self.pause {
                self.sweep(frontier)?;
            }
        }
        if self.events == 1 && self.configs.iter().any(|(_, _, mode)| self.modes.is_doomed(mode)) {
            came = Came::ToTheGoal;
        }
        if came == Came::ToTheGoal {
            self.standing = Standing::Violated;
            return Ok(());
        }
        self.judge(frontier)
    }

    /// The frontier has moved without an event: a process has given a sign of life, or has ended.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn hear(&mut self, frontier: &Frontier) -> Result<(), Failure> {
        if self.standing != Standing::Open {
            return Ok(());
        }
        self.since_sweep += 1;
        if self.since_sweep >= self.pause {
            self.sweep(frontier)?;
        }
        self.judge(frontier)
    }

    /// Whether it is certain that the property will hold.
    fn judge(&mut self, frontier: &Frontier) -> Result<(), Failure> {
        if self.events == 0 {
            return Ok(());
        }
        if frontier.sources().next().is_none() {
            self.standing = if self.satisfied() { Standing::Holds } else { Standing::Violated };
        } else if self.modes.outlook.can_be_saved() && !self.is_bad_ahead(frontier)? {
            self.standing = Standing::Holds;
        }
        Ok(())
    }

    /// Whether some run that this may become is bad.
    ///
    /// A run into which no new event is mixed before the end reaches it in a mode that is not saved. For the others, see
    /// [`Mixed`]: from where a new event may come on, anything may. What no event has just assigned is then taken as unknown, so
    /// that more runs are considered than may come.
    fn is_bad_ahead(&mut self, frontier: &Frontier) -> Result<bool, OverBudget> {
        let ends: Vec<u32> = (0..self.window.width()).map(|c| self.window.end(c)).collect();
        if self.configs.iter().any(|(_, w, _)| w == ends) {
            return Ok(true);
        }
        let mut sources: Vec<Vec<u32>> = Vec::new();
        for known in frontier.sources() {
            let mut source = Vec::new();
            self.window.kept(known, &mut source);
            let earlier = |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(a, b)| a <= b);
            if !sources.iter().any(|s| earlier(s, &source)) {
                sources.retain(|s| !earlier(&source, s));
                sources.push(source);
            }
        }
        let mut starts: Vec<(Vec<u32>, Vec<u32>, Mode)> = Vec::new();
        for (t, w, mode) in self.configs.iter() {
            for source in sources.iter().filter(|source| source.iter().zip(w).all(|(s, w)| s <= w)) {
                let t: Vec<u32> = t.iter().zip(source).map(|(t, s)| *t.max(s)).collect();
                starts.push((t, w.to_vec(), mode));
            }
        }
        let mut configs = Configs::of_width(self.window.width());
        for (t, w, mode) in starts {
            let Some(modes) = self.modes.mixed(mode)?.map(<[Mode]>::to_vec) else { return Ok(true) };
            let mut mixed = Mixed::new(&self.modes, &mut self.mixed);
            let mut follow = Follow::new(&self.window, &mut mixed, &mut configs, true, &self.budget);
            for mode in modes {
                if follow.enter(Config { t: t.clone(), w: w.clone(), mode })? == Came::ToTheGoal {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Lets go of what no later event can meet.
    fn sweep(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        self.since_sweep = 0;
        // About as much work as what has been done since the last time.
        self.pause = 1 + frontier.processes() / (self.configs.len() + 1);
        let settled: Vec<u32> = {
            let mut counts: Vec<u32> = Vec::new();
            for process in self.window.processes() {
                if counts.len() <= process.index() {
                    counts.resize(process.index() + 1, 0);
                }
                counts[process.index()] = frontier.settled(process).unwrap_or(0);
            }
            let mut settled = std::mem::take(&mut self.clock);
            self.window.kept(&counts, &mut settled);
            settled
        };
        self.configs.sweep(&settled);
        self.window.let_go(&settled);
        self.clock = settled;
        if self.modes.remembered() > 4096 + 4 * self.remembered {
            self.forget()?;
        }
        self.claim.shrink_to(self.bytes());
        self.claim.grow_to(self.bytes(), WHAT)
    }

    fn bytes(&self) -> u64 {
        self.configs.bytes() + self.window.bytes() + self.modes.bytes() + self.mixed.bytes()
    }

    /// Forgets modes, values and classes that nothing here refers to.
    fn forget(&mut self) -> Result<(), OverBudget> {
        let mut modes: Vec<Mode> = self.configs.modes_mut().map(|m| *m).collect();
        let mut classes: Vec<u32> = Vec::new();
        self.window.rename_classes(|class| {
            classes.push(class);
            class
        });
        let (mut old_classes, mut old_modes) = (classes, modes.clone());
        old_classes.sort_unstable();
        old_classes.dedup();
        old_modes.sort_unstable();
        old_modes.dedup();
        let (mut new_classes, mut new_modes) = (old_classes.clone(), old_modes.clone());
        self.modes.forget(&mut new_modes, &mut new_classes)?;
        let renamed = |old: &[u32], new: &[u32], id: u32| new[old.binary_search(&id).expect("it was listed")];
        self.window.rename_classes(|class| renamed(&old_classes, &new_classes, class));
        modes.iter_mut().for_each(|mode| *mode = renamed(&old_modes, &new_modes, *mode));
        self.configs.modes_mut().zip(modes).for_each(|(mode, renamed)| *mode = renamed);
        self.mixed = MixedMoves::default();
        self.remembered = self.modes.remembered();
        Ok(())
    }

    /// What is certain.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether the property holds on what has come, were it the whole run.
    #[must_use]
    pub fn satisfied(&self) -> bool {
        match self.standing {
            Standing::Holds => return true,
            Standing::Violated => return false,
            Standing::Open => {}
        }
        if self.events == 0 && self.view == View::Events {
            return !self.modes.outlook.empty_is_bad();
        }
        let is_end = |w: &[u32]| w.iter().enumerate().all(|(chain, &w)| w == self.window.end(chain));
        !self.configs.iter().any(|(_, w, mode)| self.modes.accepts(mode) && is_end(w))
    }

    /// Whether verdicts come as early as they are certain. Not for properties with too many atoms or too large an automaton, of
    /// which less is known.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.modes.outlook.is_exact()
    }

    /// How many events and how many configurations are held.
    #[must_use]
    pub fn held(&self) -> (usize, usize) {
        (self.window.held(), self.configs.len())
    }

    /// The run is over. Answers whether the property holds, and things worth knowing.
    ///
    /// # Errors
    /// With the variables that nobody has assigned or declared.
    pub fn finish(self) -> Result<(bool, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        for (name, variable) in self.atoms.variables().iter().zip(&self.variables) {
            if variable.assigned || variable.declared {
                continue;
            }
            let mistake = self.property.mistake(
                Kind::UnknownVariable,
                variable.span,
                format!("no input assigns or declares the variable `{name}`"),
            );
            let names = self.names.variables.iter().map(String::as_str);
            mistakes.push(match crate::logic::nearest(name, names) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake.label("unknown"),
            });
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut warnings = self.property.warnings.clone();
        let never = |sort: &str, name: &str| {
            self.property.mistake(
                Kind::UnknownVariable,
                self.property.span,
                format!("no {sort} of this run is called `{name}`, so `{sort}({name})` is never true"),
            )
        };
        warnings.extend(self.names.wanted_events.iter().map(|name| never("event", name)));
        warnings.extend(self.names.wanted_processes.iter().map(|name| never("process", name)));
        Ok((self.satisfied(), warnings))
    }

    /// Checks the types of what an event assigns, and remembers names.
    fn look_at(&mut self, event: &Arrival<'_>) -> Result<(), Failure> {
        if let Some(name) = event.name
            && !self.names.wanted_events.is_empty()
        {
            self.names.wanted_events.remove(name);
        }
        if !self.names.wanted_processes.is_empty() {
            self.names.wanted_processes.remove(event.process_name);
        }
        for assigned in event.assigned {
            let Some(Slot(slot)) = self.modes.sight.slot(assigned.var.index(), assigned.name, &self.atoms) else {
                if self.names.variables.len() < SUGGESTIONS && !self.names.variables.contains(assigned.name) {
                    self.names.variables.insert(assigned.name.to_owned());
                }
                continue;
            };
            let variable = &mut self.variables[slot as usize];
            variable.assigned = true;
            let text = assigned.value.is_text();
            let here = || {
                let position = event.clock[event.process.index()];
                format!("it is {} after `{}.{position}` (line {})", assigned.value, event.process_name, event.line)
            };
            if let (true, Some((span, why))) = (text, variable.number) {
                return Err(Failure::Invalid(vec![is_text(&self.property, span, why, &here())]));
            }
            if matches!((variable.assumed, text), (Assumed::Number, true) | (Assumed::Text, false)) {
                let (taken, example) = if text { ("0", "\"\"") } else { ("\"\"", "0") };
                let name = assigned.name;
                let message = format!("before its first value `{name}` was taken to be {taken}");
                return Err(Failure::Invalid(vec![
                    self.property.mistake(Kind::Type, variable.span, message).label(here()).help(format!(
                        "declare its initial value in the header: {{\"posetta\":1,\"initial\":{{\"{name}\":{example}}}}}"
                    )),
                ]));
            }
        }
        Ok(())
    }
}

fn is_text(property: &Property, span: Span, why: &str, label: &str) -> Diagnostic {
    property.mistake(Kind::Type, span, why).label(label).help("compare it with `==` or `!=`")
}

/// What the property says about each of its variables.
fn variables(property: &Property, atoms: &Atoms) -> Vec<Variable> {
    let blank = |_: &String| Variable {
        number: None,
        span: property.span,
        assumed: Assumed::Nothing,
        declared: false,
        assigned: false,
    };
    let mut variables: Vec<Variable> = atoms.variables().iter().map(blank).collect();
    let mut met = vec![false; variables.len()];
    property.formula.for_each_atom(|atom| {
        let (Atom::State(condition) | Atom::On(condition)) = atom else { return };
        condition.for_each_var(&mut |var| {
            if let Some(Slot(slot)) = atoms.slot(&var.name)
                && !std::mem::replace(&mut met[slot as usize], true)
            {
                variables[slot as usize].span = var.spot.0;
            }
        });
        for_each_number(condition, &mut |var, why| {
            if let Some(Slot(slot)) = atoms.slot(&var.name) {
                variables[slot as usize].number.get_or_insert((var.spot.0, why));
            }
        });
    });
    variables
}

/// Whether a variable is compared with a string somewhere.
fn compared_with_text(atoms: &Atoms, slot: Slot) -> bool {
    fn within(condition: &Condition<Slot>, slot: Slot) -> bool {
        match condition {
            Condition::True | Condition::False | Condition::Nonzero(_) => false,
            Condition::Compare(_, Term::Var(v), Term::Text(..))
            | Condition::Compare(_, Term::Text(..), Term::Var(v)) => *v == slot,
            Condition::Compare(..) => false,
            Condition::Not(c) => within(c, slot),
            Condition::And(cs) | Condition::Or(cs) => cs.iter().any(|c| within(c, slot)),
            Condition::Implies(a, b) | Condition::Iff(a, b) => within(a, slot) || within(b, slot),
        }
    }
    atoms.atoms().iter().any(|atom| match atom {
        Atom::State(condition) | Atom::On(condition) => within(condition, slot),
        Atom::Event(_) | Atom::Process(_) => false,
    })
}
