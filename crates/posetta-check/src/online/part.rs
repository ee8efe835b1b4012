//! One part of what is bad about a run: all orders of what has come, against one automaton.

use super::configs::{Came, Config, Configs, Follow};
use super::modes::{Exact, Mixed, MixedMoves, Mode, Modes};
use super::sight::{Sight, UNSEEN};
use super::window::Window;
use super::{Culprit, WHAT};
use posetta_base::{Budget, Claim, OverBudget, Value};
use posetta_compile::{Outlook, Prospect};
use posetta_logic::{Atoms, View};
use posetta_trace::{Arrival, Frontier};

/// The orders of what has come, and what becomes of them.
pub(super) struct Part {
    atoms: Atoms,
    view: View,
    modes: Exact,
    mixed: MixedMoves,
    window: Window,
    configs: Configs,
    prospect: Prospect,
    culprits: Vec<Culprit>,
    doomed_at_start: bool,
    events: u64,
    /// Whether events that nobody sees change nothing: after the first position, and there.
    skips: (bool, bool),
    /// What has been done since the last sweep, and what that cost.
    work: u64,
    sweep_cost: u64,
    /// How much was remembered after the last time that something was forgotten.
    remembered: usize,
    clock: Vec<u32>,
    claim: Claim,
    budget: Budget,
}

impl Part {
    /// Nothing has come. `initial` are the values of the variables.
    pub(super) fn new(
        atoms: Atoms,
        view: View,
        outlook: Outlook,
        initial: &dyn Fn(&str) -> Value,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let skips_unseen = outlook.skips_unseen();
        let mut modes = Exact::new(outlook, Sight::new(&atoms), budget.clone());
        let state = modes.sight.initial(|i| initial(&atoms.variables()[i]))?;
        let letter = modes.sight.letter(&state, &state, None)?;
        let start = modes.outlook.start();
        let states = match view {
            View::States => modes.outlook.step(start, &letter, budget)?,
            View::Events => vec![start],
        };
        let skips = (skips_unseen, view == View::States || modes.outlook.skips_first(&letter));
        let mut configs = Configs::default();
        for automaton_state in states {
            let mode = modes.mode(automaton_state, state.clone())?;
            if modes.prospect(mode) != Prospect::Holds {
                configs.put_first(mode);
            }
        }
        let doomed_at_start = configs.modes().any(|mode| modes.is_doomed(mode));
        Ok(Self {
            atoms,
            view,
            modes,
            mixed: MixedMoves::default(),
            window: Window::default(),
            configs,
            prospect: Prospect::Open,
            culprits: Vec::new(),
            doomed_at_start,
            events: 0,
            skips,
            work: 0,
            sweep_cost: 0,
            remembered: 0,
            clock: Vec::new(),
            claim: budget.claim(0, WHAT)?,
            budget: budget.clone(),
        })
    }

    pub(super) fn arrive(&mut self, event: &Arrival<'_>, frontier: &Frontier) -> Result<(), OverBudget> {
        self.events += 1;
        if self.prospect != Prospect::Open {
            return Ok(());
        }
        let class = self.modes.sight.class(event, &self.atoms)?;
        let is_first = || event.clock.iter().map(|&c| u64::from(c)).sum::<u64>() == 1;
        let skipped = class == UNSEEN && self.skips.0 && (self.skips.1 || !is_first());
        let mut came = Came::ToAnEnd;
        if !skipped {
            let width = self.window.width();
            let chain = self.window.chain(event.process);
            if self.window.width() > width {
                self.configs.widen();
            }
            self.window.push(chain, class, event.clock, event.line, &mut self.clock);
            let mut follow = Follow::new(&self.window, &mut self.modes, &mut self.configs, false, &self.budget)?;
            came = follow.arrive(chain)?;
            if came == Came::ToTheGoal {
                let origin = |&(chain, position): &(usize, u32)| {
                    let (process, place, line) = self.window.origin(chain, position);
                    Culprit { process, place, line }
                };
                self.culprits = follow.way.iter().map(origin).collect();
            }
            self.work += follow.work + 1;
            self.sweep_if_worth_it(frontier)?;
        }
        if self.events == 1 && self.doomed_at_start {
            came = Came::ToTheGoal;
        }
        if came == Came::ToTheGoal {
            self.prospect = Prospect::Violated;
            return Ok(());
        }
        self.judge(frontier)
    }

    /// The frontier has moved without an event.
    pub(super) fn hear(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        if self.prospect != Prospect::Open {
            return Ok(());
        }
        self.work += 1;
        self.sweep_if_worth_it(frontier)?;
        self.judge(frontier)
    }

    /// Whether it is certain that the property will hold.
    fn judge(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        if self.events == 0 {
            return Ok(());
        }
        if frontier.sources().next().is_none() {
            self.prospect = if self.satisfied() { Prospect::Holds } else { Prospect::Violated };
        } else if self.modes.outlook.can_be_saved() && !self.is_bad_ahead(frontier)? {
            self.prospect = Prospect::Holds;
        }
        Ok(())
    }

    /// Whether some run that this may become is bad.
    ///
    /// A run into which no new event is mixed before the end reaches it in a mode that is not saved. For the others, see
    /// [`Mixed`]: from where a new event may come on, anything may. With many comparisons of values, what no event has just assigned is then
    /// taken as unknown, so that more runs are considered than may come.
    fn is_bad_ahead(&mut self, frontier: &Frontier) -> Result<bool, OverBudget> {
        if self.configs.at_the_end().next().is_some() {
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
        let mut mixed_configs = Configs::of_width(self.window.width());
        let mut mixed = Mixed::new(&self.modes, &mut self.mixed);
        let mut follow = Follow::new(&self.window, &mut mixed, &mut mixed_configs, true, &self.budget)?;
        for config in self.configs.iter(&self.window) {
            let Some(modes) = self.modes.mixed(config.mode)? else { return Ok(true) };
            for source in sources.iter().filter(|source| source.iter().zip(&config.w).all(|(s, w)| s <= w)) {
                let t: Vec<u32> = config.t.iter().zip(source).map(|(t, s)| *t.max(s)).collect();
                for &mode in &modes {
                    if follow.enter(Config::new(t.clone(), config.w.clone(), mode))? == Came::ToTheGoal {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Lets go of what no later event can meet, if about as much has been done since the last time as that cost.
    fn sweep_if_worth_it(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        if self.work < self.sweep_cost {
            return Ok(());
        }
        let mut counts: Vec<u32> = vec![0; frontier.processes()];
        for process in self.window.processes() {
            counts[process.index()] = frontier.settled(process).unwrap_or(0);
        }
        let mut settled = std::mem::take(&mut self.clock);
        self.window.kept(&counts, &mut settled);
        self.work = 0;
        self.sweep_cost = self.configs.sweep(&settled) + (frontier.processes() * self.window.width()) as u64;
        self.window.let_go(&settled);
        self.clock = settled;
        if self.modes.remembered() > 4096 + 4 * self.remembered {
            self.forget()?;
        }
        let bytes = self.bytes();
        self.claim.shrink_to(bytes);
        self.claim.grow_to(bytes, WHAT)
    }

    fn bytes(&self) -> u64 {
        self.configs.bytes() + self.window.bytes() + self.modes.bytes() + self.mixed.bytes()
    }

    /// Forgets modes, values and classes that nothing here refers to.
    fn forget(&mut self) -> Result<(), OverBudget> {
        let mut old_modes: Vec<Mode> = self.configs.modes().collect();
        let mut old_classes: Vec<u32> = Vec::new();
        self.window.rename_classes(|class| {
            old_classes.push(class);
            class
        });
        for list in [&mut old_classes, &mut old_modes] {
            list.sort_unstable();
            list.dedup();
        }
        let (mut new_classes, mut new_modes) = (old_classes.clone(), old_modes.clone());
        self.modes.forget(&mut new_modes, &mut new_classes)?;
        let renamed = |old: &[u32], new: &[u32], id: u32| new[old.binary_search(&id).expect("it was listed")];
        self.window.rename_classes(|class| renamed(&old_classes, &new_classes, class));
        self.configs.rename_modes(|mode| renamed(&old_modes, &new_modes, mode));
        self.mixed = MixedMoves::default();
        self.remembered = self.modes.remembered();
        Ok(())
    }

    pub(super) fn prospect(&self) -> Prospect {
        self.prospect
    }

    /// Whether nothing that may come is bad. Asked before the first event.
    pub(super) fn is_certain(&self) -> bool {
        self.configs.modes().next().is_none()
    }

    /// The events of a cut that shows the violation: none, if it shows at the start.
    pub(super) fn shown_by(&self) -> &[Culprit] {
        if self.doomed_at_start { &[] } else { &self.culprits }
    }

    /// See [`Online::culprits`](super::Online::culprits).
    pub(super) fn culprits(&self) -> &[Culprit] {
        &self.culprits
    }

    /// Whether no order of what has come is bad, were it the whole run.
    pub(super) fn satisfied(&self) -> bool {
        match self.prospect {
            Prospect::Holds => return true,
            Prospect::Violated => return false,
            Prospect::Open => {}
        }
        if self.events == 0 && self.view == View::Events {
            return !self.modes.outlook.empty_is_bad();
        }
        !self.configs.at_the_end().any(|mode| self.modes.accepts(mode))
    }

    /// Whether a comparison divided by zero, and was therefore false.
    pub(super) fn divides_by_zero(&self) -> bool {
        self.modes.sight.divides_by_zero.get()
    }

    /// How many events and how many configurations are held.
    pub(super) fn held(&self) -> (usize, usize) {
        (self.window.held(), self.configs.len())
    }
}
