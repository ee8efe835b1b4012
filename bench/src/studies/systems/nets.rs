//! Nets and systems of components, made once and written in each language that somebody reads: as a system, in Promela as one process that does
//! whatever step can be done, and nets in PNML. So all have the same states.

use std::fmt::Write;

/// How many tokens go to or come from which places.
type Arcs = Vec<(usize, u32)>;

/// Places with their tokens, and transitions: what they take and put.
#[derive(Default)]
pub struct Net {
    pub places: Vec<(String, u32)>,
    pub transitions: Vec<(String, Arcs, Arcs)>,
}

impl Net {
    pub fn place(&mut self, name: impl Into<String>, tokens: u32) -> usize {
        self.places.push((name.into(), tokens));
        self.places.len() - 1
    }

    /// One token each.
    pub fn transition(&mut self, name: impl Into<String>, takes: &[usize], puts: &[usize]) {
        let one = |places: &[usize]| places.iter().map(|&p| (p, 1)).collect::<Vec<_>>();
        self.weighted(name, &one(takes), &one(puts));
    }

    pub fn weighted(&mut self, name: impl Into<String>, takes: &[(usize, u32)], puts: &[(usize, u32)]) {
        self.transitions.push((name.into(), takes.to_vec(), puts.to_vec()));
    }

    /// As a component of a system.
    pub fn system(&self) -> String {
        let mut text = "component Net { net {\n".to_owned();
        for (name, tokens) in &self.places {
            let _ = writeln!(text, "  {name} = {tokens}");
        }
        for (name, takes, puts) in &self.transitions {
            let names = |list: &Arcs| {
                let one = |&(p, n): &(usize, u32)| match (n, &self.places[p].0) {
                    (1, name) => name.clone(),
                    (n, name) => format!("{n} {name}"),
                };
                list.iter().map(one).collect::<Vec<_>>().join(", ")
            };
            let _ = writeln!(text, "  {name}: {} -> {}", names(takes), names(puts));
        }
        text + "} }\n"
    }

    /// With a formula over places `p0`, `p1` and so on, or none.
    pub fn promela(&self, formula: &str) -> String {
        let kind = if self.places.iter().any(|(_, tokens)| *tokens > 100) { "int" } else { "byte" };
        let mut text = String::new();
        for (place, (_, tokens)) in self.places.iter().enumerate() {
            let _ = writeln!(text, "{kind} p{place} = {tokens};");
        }
        text += "active proctype Net() {\n  do\n";
        for (_, takes, puts) in &self.transitions {
            let ready: Vec<String> = takes.iter().map(|(p, n)| format!("p{p} >= {n}")).collect();
            let moves = takes.iter().map(|(p, n)| format!("p{p} = p{p} - {n}"));
            let moves = moves.chain(puts.iter().map(|(p, n)| format!("p{p} = p{p} + {n}")));
            let ready = if ready.is_empty() { "true".to_owned() } else { ready.join(" && ") };
            let _ = writeln!(text, "  :: d_step {{ {ready} -> {} }}", moves.collect::<Vec<_>>().join("; "));
        }
        text + "  od\n}\n" + formula + "\n"
    }

    pub fn pnml(&self, id: &str) -> String {
        let mut text = format!(
            "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"{id}\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"page\">\n"
        );
        for (name, tokens) in &self.places {
            let _ =
                writeln!(text, "<place id=\"{name}\"><initialMarking><text>{tokens}</text></initialMarking></place>");
        }
        let mut arcs = 0;
        for (name, takes, puts) in &self.transitions {
            let _ = writeln!(text, "<transition id=\"{name}\"/>");
            for (list, comes) in [(takes, true), (puts, false)] {
                for (place, n) in list {
                    let place = &self.places[*place].0;
                    let (from, to) = if comes { (place, name) } else { (name, place) };
                    arcs += 1;
                    let _ = writeln!(
                        text,
                        "<arc id=\"a{arcs}\" source=\"{from}\" target=\"{to}\"><inscription><text>{n}</text></inscription></arc>"
                    );
                }
            }
        }
        text + "</page></net></pnml>\n"
    }
}

/// Transition systems that synchronise on the actions they share: of each, its arcs between numbered states, beginning in 0.
#[derive(Default)]
pub struct Parts(pub Vec<Vec<(u32, String, u32)>>);

impl Parts {
    pub fn add(&mut self, arcs: impl IntoIterator<Item = (u32, String, u32)>) {
        self.0.push(arcs.into_iter().collect());
    }

    /// Components `C0`, `C1` and so on, with states `s0`, `s1` and so on.
    pub fn system(&self) -> String {
        let mut text = String::new();
        for (part, arcs) in self.0.iter().enumerate() {
            let _ = writeln!(text, "component C{part} {{ lts {{\n  init s0");
            for (from, action, to) in arcs {
                let _ = writeln!(text, "  s{from} -{action}-> s{to}");
            }
            text += "} }\n";
        }
        let names: Vec<String> = (0..self.0.len()).map(|part| format!("C{part}")).collect();
        text + &format!("system All = {}\n", names.join(" || "))
    }

    /// With a formula over the numbers of states, `c[0]`, `c[1]` and so on, or none.
    pub fn promela(&self, formula: &str) -> String {
        let mut actions: Vec<&str> = self.0.iter().flatten().map(|(_, action, _)| action.as_str()).collect();
        actions.sort_unstable();
        actions.dedup();
        let mut text = format!("byte c[{}];\nactive proctype All() {{\n  do\n", self.0.len());
        for action in actions {
            // One step for each choice of arcs.
            let mut ways: Vec<Vec<(usize, u32, u32)>> = vec![Vec::new()];
            for (part, arcs) in self.0.iter().enumerate() {
                let own: Vec<_> = arcs.iter().filter(|(_, a, _)| a == action).collect();
                if !own.is_empty() {
                    let with = |way: &Vec<_>| {
                        let more = |(from, _, to): &&(u32, String, u32)| [&way[..], &[(part, *from, *to)]].concat();
                        own.iter().map(more).collect::<Vec<_>>()
                    };
                    ways = ways.iter().flat_map(with).collect();
                }
            }
            for way in ways {
                let ready: Vec<String> = way.iter().map(|(part, from, _)| format!("c[{part}] == {from}")).collect();
                let moves: Vec<String> = way.iter().map(|(part, _, to)| format!("c[{part}] = {to}")).collect();
                let _ = writeln!(text, "  :: d_step {{ {} -> {} }}", ready.join(" && "), moves.join("; "));
            }
        }
        text + "  od\n}\n" + formula + "\n"
    }
}

/// Many tokens that go from one place to another.
pub fn tokens(count: u32) -> Net {
    let mut net = Net::default();
    let (p, q) = (net.place("p", count), net.place("q", 0));
    net.transition("t", &[p], &[q]);
    net
}

/// Anderson's queue lock: who wants in gets the next slot, and waits until it is free for him.
pub fn queue_lock(n: usize) -> Net {
    let mut net = Net::default();
    let free: Vec<usize> = (0..n).map(|s| net.place(format!("free{s}"), u32::from(s == 0))).collect();
    let taken: Vec<usize> = (0..n).map(|s| net.place(format!("taken{s}"), u32::from(s != 0))).collect();
    let next: Vec<usize> = (0..n).map(|s| net.place(format!("next{s}"), u32::from(s == 0))).collect();
    for i in 0..n {
        let idle = net.place(format!("idle{i}"), 1);
        for s in 0..n {
            let at = ["wants", "waits", "inside", "leaves", "left"].map(|at| net.place(format!("{at}{i}_{s}"), 0));
            let [wants, waits, inside, leaves, left] = at;
            let after = (s + 1) % n;
            net.transition(format!("take{i}_{s}"), &[idle, next[s]], &[wants, next[after]]);
            net.transition(format!("look{i}_{s}"), &[wants], &[waits]);
            net.transition(format!("enter{i}_{s}"), &[waits, free[s]], &[inside, free[s]]);
            net.transition(format!("leave{i}_{s}"), &[inside, free[s]], &[leaves, taken[s]]);
            net.transition(format!("pass{i}_{s}"), &[leaves, taken[after]], &[left, free[after]]);
            net.transition(format!("end{i}_{s}"), &[left], &[idle]);
        }
    }
    net
}

/// Four cells of a factory with so many cards each (Ciardo and Tilgner 1996).
pub fn kanban(cards: u32) -> Net {
    let mut net = Net::default();
    let cells = [1, 2, 3, 4].map(|i| {
        let cell = ["work", "again", "done"].map(|at| net.place(format!("{at}{i}"), 0));
        (cell, net.place(format!("card{i}"), cards))
    });
    for (i, ([work, again, finished], _)) in cells.iter().enumerate() {
        net.transition(format!("redo{i}"), &[*work], &[*again]);
        net.transition(format!("back{i}"), &[*again], &[*work]);
        net.transition(format!("ok{i}"), &[*work], &[*finished]);
    }
    let [([w1, _, d1], c1), ([w2, _, d2], c2), ([w3, _, d3], c3), ([w4, _, d4], c4)] = cells;
    net.transition("begin", &[c1], &[w1]);
    net.transition("split", &[d1, c2, c3], &[c1, w2, w3]);
    net.transition("join", &[d2, d3, c4], &[c2, c3, w4]);
    net.transition("end", &[d4], &[c4]);
    net
}

/// Philosophers who take one fork after the other, in any order: 3ⁿ states, two of them stuck.
pub fn philosophers(n: usize) -> Net {
    let mut net = Net::default();
    let forks: Vec<usize> = (0..n).map(|i| net.place(format!("fork{i}"), 1)).collect();
    for i in 0..n {
        let (left, right) = (forks[i], forks[(i + 1) % n]);
        let thinks = net.place(format!("thinks{i}"), 1);
        let at = ["first", "second", "eats"].map(|at| net.place(format!("{at}{i}"), 0));
        net.transition(format!("left{i}"), &[thinks, left], &[at[0]]);
        net.transition(format!("right{i}"), &[thinks, right], &[at[1]]);
        net.transition(format!("also_right{i}"), &[at[0], right], &[at[2]]);
        net.transition(format!("also_left{i}"), &[at[1], left], &[at[2]]);
        net.transition(format!("end{i}"), &[at[2]], &[thinks, left, right]);
    }
    net
}

/// Three kinds of pallets that share machines and are joined in pairs (after the flexible manufacturing system of Ciardo and Trivedi 1993).
pub fn factory(pallets: u32) -> Net {
    let mut net = Net::default();
    let machines = [("m1", 3), ("m2", 1), ("m3", 2)].map(|(name, n)| net.place(name, n));
    let lanes: Vec<[usize; 5]> = (0..3)
        .map(|i| {
            let rest = ["waits", "works", "done", "ships"].map(|at| net.place(format!("{at}{i}"), 0));
            let free = net.place(format!("pallet{i}"), pallets);
            [free, rest[0], rest[1], rest[2], rest[3]]
        })
        .collect();
    for (i, ([free, waits, works, finished, ships], machine)) in lanes.iter().zip(machines).enumerate() {
        net.transition(format!("load{i}"), &[*free], &[*waits]);
        net.transition(format!("start{i}"), &[*waits, machine], &[*works]);
        net.transition(format!("stop{i}"), &[*works], &[*finished, machine]);
        net.transition(format!("ship{i}"), &[*finished], &[*ships]);
        net.transition(format!("back{i}"), &[*ships], &[*free]);
    }
    let joined = net.place("joined", 0);
    net.transition("join", &[lanes[0][3], lanes[1][3]], &[joined]);
    net.transition("split", &[joined], &[lanes[0][0], lanes[1][0]]);
    net
}

/// Stations around a ring that carries slots, each full or empty.
pub fn slots(n: usize) -> Net {
    let mut net = Net::default();
    let at: Vec<[usize; 2]> = (0..n)
        .map(|i| [net.place(format!("empty{i}"), u32::from(i % 2 == 0)), net.place(format!("full{i}"), 0)])
        .collect();
    let room: Vec<usize> = (0..n).map(|i| net.place(format!("room{i}"), u32::from(i % 2 == 1))).collect();
    for i in 0..n {
        let after = (i + 1) % n;
        let idle = net.place(format!("idle{i}"), 1);
        let [wants, sent] = ["wants", "sent"].map(|name| net.place(format!("{name}{i}"), 0));
        net.transition(format!("pass_empty{i}"), &[at[i][0], room[after]], &[room[i], at[after][0]]);
        net.transition(format!("pass_full{i}"), &[at[i][1], room[after]], &[room[i], at[after][1]]);
        net.transition(format!("ask{i}"), &[idle], &[wants]);
        net.transition(format!("put{i}"), &[wants, at[i][0]], &[sent, at[i][1]]);
        net.transition(format!("get{i}"), &[sent, at[i][1]], &[idle, at[i][0]]);
    }
    net
}

/// Guests of a bath: they need a bag and a cabin to change, keep the bag while they swim, and need a cabin again.
pub fn bath(guests: u32, cabins: u32, bags: u32) -> Net {
    let mut net = Net::default();
    let (cabin, bag) = (net.place("cabins", cabins), net.place("bags", bags));
    let out = net.place("out", guests);
    let at = ["entered", "dressing", "changing", "bagged", "swims", "returns", "dressed", "leaves"];
    let at = at.map(|name| net.place(name, 0));
    let [entered, dressing, changing, bagged, swims, returns, dressed, leaves] = at;
    net.transition("enter", &[out], &[entered]);
    net.transition("get_bag", &[entered, bag], &[dressing]);
    net.transition("get_cabin", &[dressing, cabin], &[changing]);
    net.transition("change", &[changing], &[bagged]);
    net.transition("free_cabin", &[bagged], &[swims, cabin]);
    net.transition("come_back", &[swims], &[returns]);
    net.transition("cabin_again", &[returns, cabin], &[dressed]);
    net.transition("give_bag", &[dressed], &[leaves, bag]);
    net.transition("go", &[leaves], &[out, cabin]);
    net
}

/// Processes that need two of some resources, one after the other, each its own way round: some get stuck.
pub fn resources(processes: usize, kinds: usize, of_each: u32) -> Net {
    let mut net = Net::default();
    let free: Vec<usize> = (0..kinds).map(|r| net.place(format!("r{r}"), of_each)).collect();
    for i in 0..processes {
        let (first, second) = (free[i % kinds], free[(i % kinds + 1 + i % (kinds - 1)) % kinds]);
        let idle = net.place(format!("idle{i}"), 1);
        let [one, both] = ["one", "both"].map(|name| net.place(format!("{name}{i}"), 0));
        net.transition(format!("first{i}"), &[idle, first], &[one]);
        net.transition(format!("second{i}"), &[one, second], &[both]);
        net.transition(format!("give{i}"), &[both], &[idle, first, second]);
    }
    net
}

/// Goods go through buffers of a size, one after the other.
pub fn line(buffers: usize, size: u32) -> Net {
    let mut net = Net::default();
    let ends: Vec<[usize; 2]> =
        (0..buffers).map(|i| [net.place(format!("full{i}"), 0), net.place(format!("room{i}"), size)]).collect();
    net.transition("make", &[ends[0][1]], &[ends[0][0]]);
    for i in 1..buffers {
        net.transition(format!("move{i}"), &[ends[i - 1][0], ends[i][1]], &[ends[i - 1][1], ends[i][0]]);
    }
    net.transition("use", &[ends[buffers - 1][0]], &[ends[buffers - 1][1]]);
    net
}

/// A window that slides over numbered messages, which can get lost and are sent again. So many are on their way.
pub fn window(numbers: usize, at_once: u32) -> Net {
    let mut net = Net::default();
    let credit = net.place("credit", at_once);
    let mut places = |name: &str, first: u32| -> Vec<usize> {
        (0..numbers).map(|i| net.place(format!("{name}{i}"), if i == 0 { first } else { 0 })).collect()
    };
    let (next, wanted) = (places("next", 1), places("wanted", 1));
    let (link, lost, back) = (places("link", 0), places("lost", 0), places("back", 0));
    for i in 0..numbers {
        let then = (i + 1) % numbers;
        net.transition(format!("send{i}"), &[next[i], credit], &[next[then], link[i]]);
        net.transition(format!("lose{i}"), &[link[i]], &[lost[i]]);
        net.transition(format!("again{i}"), &[lost[i]], &[link[i]]);
        net.transition(format!("take{i}"), &[wanted[i], link[i]], &[wanted[then], back[i]]);
        net.transition(format!("confirm{i}"), &[back[i]], &[credit]);
    }
    net
}

/// Processes that read together and write alone.
pub fn readers(processes: usize) -> Net {
    let (mut net, all) = (Net::default(), processes as u32);
    let free = net.place("free", all);
    for i in 0..processes {
        let [idle, asks, reads, writes] =
            [("idle", 1), ("asks", 0), ("reads", 0), ("writes", 0)].map(|(name, n)| net.place(format!("{name}{i}"), n));
        net.transition(format!("ask{i}"), &[idle], &[asks]);
        net.transition(format!("read{i}"), &[asks, free], &[reads]);
        net.transition(format!("close{i}"), &[reads], &[idle, free]);
        net.weighted(format!("write{i}"), &[(asks, 1), (free, all)], &[(writes, 1)]);
        net.weighted(format!("end{i}"), &[(writes, 1)], &[(idle, 1), (free, all)]);
    }
    net
}

/// Two processes, flags and a turn (Peterson 1981), by states of variables.
pub fn peterson() -> Net {
    let mut net = Net::default();
    let wants: Vec<[usize; 2]> =
        (0..2).map(|i| [net.place(format!("no{i}"), 1), net.place(format!("yes{i}"), 0)]).collect();
    let turn = [net.place("turn0", 1), net.place("turn1", 0)];
    for i in 0..2 {
        let other = 1 - i;
        let idle = net.place(format!("idle{i}"), 1);
        let [asks, waits, inside, leaves] =
            ["asks", "waits", "inside", "leaves"].map(|name| net.place(format!("{name}{i}"), 0));
        net.transition(format!("ask{i}"), &[idle, wants[i][0]], &[asks, wants[i][1]]);
        for (of, place) in turn.iter().enumerate() {
            net.transition(format!("yield{i}_{of}"), &[asks, *place], &[waits, turn[other]]);
        }
        net.transition(format!("alone{i}"), &[waits, wants[other][0]], &[inside, wants[other][0]]);
        net.transition(format!("mine{i}"), &[waits, turn[i]], &[inside, turn[i]]);
        net.transition(format!("leave{i}"), &[inside], &[leaves]);
        net.transition(format!("end{i}"), &[leaves, wants[i][1]], &[idle, wants[i][0]]);
    }
    net
}

/// Cases that go through the tasks of a business process: choices, and branches that meet again.
pub fn process(branches: usize, tasks: usize) -> Net {
    let mut net = Net::default();
    let start = net.place("start", 1);
    let end = net.place("end", 0);
    let forked = net.place("forked", 0);
    net.transition("begin", &[start], &[forked]);
    let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
    for b in 0..branches {
        let mut at = net.place(format!("in{b}"), 0);
        firsts.push(at);
        for t in 0..tasks {
            let next = net.place(format!("at{b}_{t}"), 0);
            for way in ["yes", "no"] {
                let busy = net.place(format!("{way}{b}_{t}"), 0);
                net.transition(format!("choose_{way}{b}_{t}"), &[at], &[busy]);
                net.transition(format!("done_{way}{b}_{t}"), &[busy], &[next]);
            }
            at = next;
        }
        lasts.push(at);
    }
    net.transition("fork", &[forked], &firsts);
    net.transition("join", &lasts, &[end]);
    net
}
