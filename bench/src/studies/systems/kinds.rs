//! Row 15: seventeen models of many kinds, each with the questions that can be asked, beside SPIN on the same model.
//!
//! Where SPIN cannot be asked a question (CTL), it looks at all states.

use super::nets::{self, Net, Parts};
use super::shapes::{Peer, Shape, beside_spin};
use crate::lab::Lab;
use crate::study::{Sheet, Study};

/// The row.
pub const STUDY: Study = Study {
    id: "systems-kinds",
    row: 15,
    title: "models of many kinds: rings, trees, stars, odometers, large counts, large weights, buffers, no bound",
    target: "at most twice the CPU time of SPIN's verifier, or so many seconds",
    run,
};

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let mut all = Vec::new();
    for kind in kinds(lab.quick) {
        kind.asked(&mut all);
    }
    beside_spin(lab, times, STUDY.id, all)
}

/// A model, with conditions on its states: ours and in Promela.
struct Kind {
    name: &'static str,
    model: Model,
    /// Can be so, or cannot: nobody has to know beforehand.
    goal: (String, String),
    /// Always so.
    always: (String, String),
    /// Asked as "again and again".
    again: (String, String),
    /// Whether there are infinitely many states.
    endless: bool,
}

enum Model {
    Net(Net),
    Parts(Parts),
}

impl Model {
    fn system(&self) -> String {
        match self {
            Self::Net(net) => net.system(),
            Self::Parts(parts) => parts.system(),
        }
    }

    fn promela(&self, formula: &str) -> String {
        match self {
            Self::Net(net) => net.promela(formula),
            Self::Parts(parts) => parts.promela(formula),
        }
    }
}

impl Kind {
    /// The questions.
    fn asked(&self, all: &mut Vec<Shape>) {
        let text = self.model.system();
        let mut add = |args: &[&str], peer: Peer, formula: String| {
            let promela = (!self.endless).then(|| self.model.promela(&formula));
            let args = args.iter().map(|&arg| arg.to_owned()).collect();
            let text = text.clone();
            all.push(Shape { name: self.name, text, args, answer: "", promela, peer, most: 1.0 });
        };
        let (goal, always, again) = (&self.goal, &self.always, &self.again);
        if !self.endless {
            add(&[], Peer::States, String::new());
        }
        add(&["--deadlock"], Peer::Deadlock, String::new());
        add(&["--invariant", &format!("!({})", goal.0)], Peer::Formula, format!("ltl p {{ [] !({}) }}", goal.1));
        add(&["--invariant", &always.0], Peer::Formula, format!("ltl p {{ [] ({}) }}", always.1));
        add(&["--ctl", &format!("AG EF ({})", again.0)], Peer::Looks, String::new());
        add(&["--ltl", &format!("G F ({})", again.0)], Peer::Formula, format!("ltl p {{ [] <> ({}) }}", again.1));
        add(&["--ltl", &format!("F G ({})", always.0)], Peer::Formula, format!("ltl p {{ <> [] ({}) }}", always.1));
    }
}

/// A condition in both languages.
fn both(ours: impl Into<String>, theirs: impl Into<String>) -> (String, String) {
    (ours.into(), theirs.into())
}

fn place(net: &Net, place: &str, rest: &str) -> (String, String) {
    let number = net.places.iter().position(|(name, _)| name == place).unwrap_or(0);
    both(format!("{place} {rest}"), format!("p{number} {rest}"))
}

/// The sum of two places.
fn sum(net: &Net, a: &str, b: &str, rest: &str) -> (String, String) {
    let number = |place: &str| net.places.iter().position(|(name, _)| name == place).unwrap_or(0);
    both(format!("{a} + {b} {rest}"), format!("p{} + p{} {rest}", number(a), number(b)))
}

fn state(part: usize, number: u32) -> (String, String) {
    both(format!("C{part} == \"s{number}\""), format!("c[{part}] == {number}"))
}

fn not((ours, theirs): (String, String)) -> (String, String) {
    both(format!("!({ours})"), format!("!({theirs})"))
}

fn and((a, b): (String, String), (c, d): (String, String)) -> (String, String) {
    both(format!("{a} && {c}"), format!("{b} && {d}"))
}

fn kinds(quick: bool) -> Vec<Kind> {
    let size = |full: usize, tiny: usize| if quick { tiny } else { full };
    let of = |name, model, goal, always, again| Kind { name, model, goal, always, again, endless: false };
    let parts = |name, parts: Parts, goal, always, again| of(name, Model::Parts(parts), goal, always, again);
    let mut all = vec![
        parts(
            "odometer",
            odometer(size(6, 2)),
            and(state(0, 3), state(1, 7)),
            not(and(state(0, 9), state(0, 8))),
            state(1, 5),
        ),
        parts(
            "star",
            star(size(16, 4), 6),
            and(state(0, 6), and(state(1, 1), state(2, 1))),
            not(and(state(0, 0), state(1, 1))),
            state(0, 0),
        ),
        parts("tree", tree(size(5, 2)), state(0, 3), not(and(state(0, 0), state(1, 2))), state(0, 0)),
        parts(
            "token ring",
            ring(size(9, 3)),
            and(state(0, 2), state(1, 2)),
            not(and(state(0, 3), state(1, 3))),
            state(0, 3),
        ),
        parts(
            "lock step",
            lock_step(size(300, 5)),
            and(state(1, 1), state(2, 1)),
            not(and(state(1, 1), state(3, 1))),
            state(1, 1),
        ),
        parts(
            "toggles",
            toggles(size(18, 4)),
            and(state(0, 1), state(1, 1)),
            not(and(state(0, 0), state(0, 1))),
            state(0, 0),
        ),
    ];
    let nets = [("wide round", round(size(200, 5), 3), ("at0 == 3", "at7"), "at0")];
    for (name, net, (goal, never), again) in nets {
        let goal = place(&net, goal.split(' ').next().unwrap_or_default(), "== 3");
        let (always, again) = (place(&net, if quick { "at1" } else { never }, "<= 3"), place(&net, again, "> 0"));
        all.push(of(name, Model::Net(net), goal, always, again));
    }
    let many = size(1_000, 10) as u32;
    let two = two_stores(many);
    let conditions = (
        sum(&two, "a", "c", &format!("== {}", 2 * many)),
        place(&two, "a", &format!("<= {many}")),
        place(&two, "b", "== 0"),
    );
    all.push(of("two stores", Model::Net(two), conditions.0, conditions.1, conditions.2));
    let change = changes(size(30_000, 100) as u32);
    let conditions =
        (place(&change, "fives", "== 17"), place(&change, "sevens", "< 1000000"), place(&change, "ones", "> 6"));
    all.push(of("change", Model::Net(change), conditions.0, conditions.1, conditions.2));
    let bank = nets::resources(size(9, 3), size(5, 3), 2);
    let conditions = (
        and(place(&bank, "both0", "> 0"), place(&bank, "both1", "> 0")),
        place(&bank, "r0", "<= 2"),
        place(&bank, "idle0", "> 0"),
    );
    all.push(of("resources", Model::Net(bank), conditions.0, conditions.1, conditions.2));
    let line = nets::line(size(5, 2), size(9, 2) as u32);
    let conditions = (
        and(place(&line, "full0", "== 2"), place(&line, "room1", "== 0")),
        place(&line, "full1", "<= 9"),
        place(&line, "full0", "> 0"),
    );
    all.push(of("line", Model::Net(line), conditions.0, conditions.1, conditions.2));
    let bath = nets::bath(size(15, 3) as u32, size(8, 2) as u32, size(10, 2) as u32);
    let conditions = (place(&bath, "swims", "== 5"), place(&bath, "bags", "<= 10"), place(&bath, "out", "> 0"));
    all.push(of("bath", Model::Net(bath), conditions.0, conditions.1, conditions.2));
    let slots = nets::slots(size(6, 3));
    let conditions = (
        and(place(&slots, "sent0", "> 0"), place(&slots, "sent1", "> 0")),
        place(&slots, "full0", "<= 1"),
        place(&slots, "idle0", "> 0"),
    );
    all.push(of("slots", Model::Net(slots), conditions.0, conditions.1, conditions.2));
    let window = nets::window(size(9, 3), size(6, 2) as u32);
    let conditions = (
        and(place(&window, "link0", "> 0"), place(&window, "back1", "> 0")),
        place(&window, "credit", "<= 6"),
        place(&window, "link0", "> 0"),
    );
    all.push(of("sliding window", Model::Net(window), conditions.0, conditions.1, conditions.2));
    let readers = nets::readers(size(9, 3));
    let conditions = (
        and(place(&readers, "reads0", "> 0"), place(&readers, "asks1", "> 0")),
        not(and(place(&readers, "reads0", "> 0"), place(&readers, "writes1", "> 0"))),
        place(&readers, "idle0", "> 0"),
    );
    all.push(of("readers, writers", Model::Net(readers), conditions.0, conditions.1, conditions.2));
    let endless = |name, net: Net, goal: (String, String), always, again| Kind {
        name,
        model: Model::Net(net),
        goal,
        always,
        again,
        endless: true,
    };
    let growing = growing();
    let conditions =
        (place(&growing, "heap", ">= 50"), place(&growing, "dead", "== 0"), place(&growing, "ready", "> 0"));
    all.push(endless("no bound, a dead part", growing, conditions.0, conditions.1, conditions.2));
    let queue = queue();
    let conditions = (place(&queue, "serves", "> 1"), place(&queue, "serves", "<= 1"), place(&queue, "free", "> 0"));
    all.push(endless("no bound, a bounded part", queue, conditions.0, conditions.1, conditions.2));
    all
}

/// Digits that are counted through: one steps, and those below begin again.
fn odometer(digits: usize) -> Parts {
    let mut parts = Parts::default();
    for digit in 0..digits {
        let mut arcs: Vec<(u32, String, u32)> = (0..9).map(|n| (n, format!("inc{digit}"), n + 1)).collect();
        arcs.extend((digit + 1..digits).map(|higher| (9, format!("inc{higher}"), 0)));
        arcs.push((9, "reset".to_owned(), 0));
        parts.add(arcs);
    }
    parts
}

/// A hub that lets some of its leaves work at a time.
fn star(leaves: usize, at_once: u32) -> Parts {
    let mut parts = Parts::default();
    let leaf = |i: usize| {
        let [start, stop] = ["start", "stop"].map(|name| format!("{name}{i}"));
        (0..at_once).flat_map(move |n| [(n, start.clone(), n + 1), (n + 1, stop.clone(), n)])
    };
    parts.add((1..=leaves).flat_map(leaf));
    for i in 1..=leaves {
        parts.add([(0, format!("start{i}"), 1), (1, format!("stop{i}"), 0)]);
    }
    parts
}

/// A question that goes down a binary tree, and answers that come up.
fn tree(levels: usize) -> Parts {
    let mut parts = Parts::default();
    let count = (1 << levels) - 1;
    for i in 0..count {
        let (left, right) = (2 * i + 1, 2 * i + 2);
        let mut arcs = vec![(0, format!("ask{i}"), 1)];
        if left < count {
            arcs.extend([(1, format!("ask{left}"), 2), (2, format!("ask{right}"), 3)]);
            arcs.extend([(3, format!("answer{left}"), 4), (3, format!("answer{right}"), 5)]);
            arcs.extend([(4, format!("answer{right}"), 6), (5, format!("answer{left}"), 6)]);
        } else {
            arcs.extend([(1, format!("think{i}"), 2), (2, format!("doubt{i}"), 1), (2, format!("decide{i}"), 6)]);
        }
        arcs.push((6, format!("answer{i}"), 0));
        parts.add(arcs);
    }
    parts
}

/// Stations that hand a token on, and work when they have it.
fn ring(stations: usize) -> Parts {
    let mut parts = Parts::default();
    for i in 0..stations {
        let (get, give) = (format!("token{i}"), format!("token{}", (i + 1) % stations));
        // 0 idle, 1 idle with the token, 2 waits, 3 works.
        let arcs = vec![
            (0, get.clone(), 1),
            (1, give.clone(), 0),
            (0, format!("want{i}"), 2),
            (2, get, 3),
            (3, format!("done{i}"), 1),
        ];
        parts.add(arcs);
    }
    // The last one begins with the token.
    let renumbered = |state: u32| [1, 0, 2, 3][state as usize];
    for (from, _, to) in &mut parts.0[stations - 1] {
        (*from, *to) = (renumbered(*from), renumbered(*to));
    }
    parts
}

/// One after the other takes a step, round and round: as many states as components.
fn lock_step(count: usize) -> Parts {
    let mut parts = Parts::default();
    // The first one never has the mark: it begins with a step of its own.
    parts.add((1..count).map(|i| (0, format!("pass{i}"), 0)));
    for i in 1..count {
        let next = if i + 1 < count { i + 1 } else { 1 };
        let get = format!("pass{i}");
        let mut arcs = vec![(0, get.clone(), 1), (1, format!("pass{next}"), 0)];
        if i == count - 1 {
            // It begins with the mark.
            arcs = vec![(1, get, 0), (0, format!("pass{next}"), 1)];
        }
        parts.add(arcs);
    }
    parts
}

/// Nobody has to do with anybody.
fn toggles(count: usize) -> Parts {
    let mut parts = Parts::default();
    (0..count).for_each(|i| parts.add([(0, format!("on{i}"), 1), (1, format!("off{i}"), 0)]));
    parts
}

/// Tokens that go round through many places.
fn round(places: usize, tokens: u32) -> Net {
    let mut net = Net::default();
    let all: Vec<usize> = (0..places).map(|i| net.place(format!("at{i}"), if i == 0 { tokens } else { 0 })).collect();
    for i in 0..places {
        net.transition(format!("go{i}"), &[all[i]], &[all[(i + 1) % places]]);
    }
    net
}

/// Two stores with many goods each, which go to and fro.
fn two_stores(many: u32) -> Net {
    let mut net = Net::default();
    let [a, b, c, d] = [("a", 0), ("b", many), ("c", 0), ("d", many)].map(|(name, n)| net.place(name, n));
    net.transition("fill", &[b], &[a]);
    net.transition("empty", &[a], &[b]);
    net.transition("also_fill", &[d], &[c]);
    net.transition("also_empty", &[c], &[d]);
    net
}

/// Coins that are changed into others.
fn changes(ones: u32) -> Net {
    let mut net = Net::default();
    let [one, five, seven] = [("ones", ones), ("fives", 0), ("sevens", 0)].map(|(name, n)| net.place(name, n));
    net.weighted("to_five", &[(one, 500)], &[(five, 100)]);
    net.weighted("to_seven", &[(one, 70)], &[(seven, 10)]);
    net.weighted("back", &[(five, 1)], &[(one, 5)]);
    net.weighted("across", &[(seven, 5), (five, 1)], &[(one, 40)]);
    net
}

/// A heap that grows, beside a siphon without tokens.
fn growing() -> Net {
    let mut net = Net::default();
    let (ready, busy) = (net.place("ready", 1), net.place("busy", 0));
    let (heap, dead, deader) = (net.place("heap", 0), net.place("dead", 0), net.place("deader", 0));
    net.transition("begin", &[ready], &[busy]);
    net.transition("make", &[busy], &[ready, heap]);
    net.transition("use", &[heap], &[]);
    net.transition("never", &[dead, heap], &[deader]);
    net.transition("nor_this", &[deader], &[dead, heap]);
    net
}

/// Customers come as they like, and one is served at a time.
fn queue() -> Net {
    let mut net = Net::default();
    let (waiting, free, serves) = (net.place("waiting", 0), net.place("free", 1), net.place("serves", 0));
    net.transition("come", &[], &[waiting]);
    net.transition("serve", &[waiting, free], &[serves]);
    net.transition("done", &[serves], &[free]);
    net
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_model::sys;
    use posetta_verify::system::{Options, Question};

    /// Each small one is a system with more than one state, and its questions are read.
    #[test]
    fn the_small_ones_are_systems() {
        for kind in kinds(true) {
            let text = kind.model.system();
            let system = sys::read("kind", &text, None, &mut |_, _| Err("nothing".into()));
            let system = system.unwrap_or_else(|e| panic!("{}: {e:?}\n{text}", kind.name));
            let mut question = Question::new(&system, &[], Options::default().explore(true));
            question.decide(&Budget::unlimited()).expect("no mistakes");
            let states = question.findings().and_then(|f| f.states.as_ref());
            assert_eq!(states.is_none(), kind.endless, "{}", kind.name);
            assert!(states.is_none_or(|states| states.to_u64() > Some(1)), "{}: {states:?}", kind.name);
        }
    }
}
