//! What runs of ten protocols look like in a log, and what one wants to know about them.
//!
//! A simulation takes rounds, as many as make about the wanted number of events. P0 is whoever is special. Every message has
//! two events. Properties have one name in all protocols: `safety`, `response`, `sum`, `exclusion`, `precedence`, `agreement`,
//! `events` and `past`.

use super::property::{Property, all, sum};
use super::run::{Id, Run, to};

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Processes.
    pub n: usize,
    /// Rounds of the protocol, of which there is one at least.
    pub rounds: usize,
}

/// A protocol.
pub struct Protocol {
    /// Its name in the table.
    pub name: &'static str,
    /// About how many events a round has with so many processes.
    round: fn(usize) -> usize,
    /// Values that are not 0 at the start.
    pub initial: fn(usize) -> Vec<(String, i64)>,
    /// Writes a run.
    pub simulate: fn(&mut Run, Size),
    /// Asks.
    pub properties: fn(Size) -> Vec<Property>,
}

impl Protocol {
    /// The rounds for so many events.
    pub fn size(&self, n: usize, events: u64) -> Size {
        let events = usize::try_from(events).unwrap_or(usize::MAX);
        Size { n, rounds: (events / (self.round)(n)).max(3) }
    }
}

/// Every protocol.
pub const ALL: [Protocol; 10] = [
    Protocol { name: "gossip", round: |n| 2 * n + 1, initial: zero, simulate: gossip, properties: of_gossip },
    Protocol { name: "barrier", round: |n| 2 * n - 1, initial: zero, simulate: barrier, properties: of_barrier },
    Protocol { name: "broadcast", round: |n| n, initial: zero, simulate: broadcast, properties: of_broadcast },
    Protocol { name: "pipeline", round: |n| 2 * n, initial: zero, simulate: pipeline, properties: of_pipeline },
    Protocol { name: "lock server", round: |_| 5, initial: zero, simulate: locks, properties: of_locks },
    Protocol {
        name: "client-server",
        round: |n| 3 * (n - 1),
        initial: zero,
        simulate: clients,
        properties: of_clients,
    },
    Protocol { name: "tokens", round: |_| 2, initial: one_each, simulate: tokens, properties: of_tokens },
    Protocol { name: "sharded store", round: |_| 3, initial: zero, simulate: shards, properties: of_shards },
    Protocol {
        name: "consensus",
        round: |n| n + 1,
        initial: first_leads,
        simulate: consensus,
        properties: of_consensus,
    },
    Protocol { name: "saga", round: |_| 7, initial: zero, simulate: saga, properties: of_saga },
];

fn zero(_: usize) -> Vec<(String, i64)> {
    Vec::new()
}

fn set(name: &str, value: usize) -> (String, i64) {
    (name.to_owned(), value as i64)
}

fn at(name: &str, i: usize, value: usize) -> (String, i64) {
    to(name, i, value as i64)
}

fn both(name: &str, formula: String) -> Property {
    Property::both(name, formula)
}

fn events(formula: &str) -> Property {
    Property::over_events("events", formula.to_owned())
}

fn past(formula: String) -> Property {
    Property::ltl("past", formula)
}

/// Messages that arrive in any order.
struct Post<T> {
    under_way: Vec<(T, Id)>,
}

impl<T> Post<T> {
    fn new() -> Self {
        Self { under_way: Vec::new() }
    }

    fn send(&mut self, what: T, sent: Id) {
        self.under_way.push((what, sent));
    }

    /// One of them, if there are more than so many.
    fn deliver(&mut self, run: &mut Run, more_than: usize) -> Option<(T, Id)> {
        let some = self.under_way.len() > more_than;
        some.then(|| self.under_way.swap_remove(run.below(self.under_way.len())))
    }
}

/// P0 makes versions, and whoever knows one tells somebody. In the end P0 tells everybody.
fn gossip(run: &mut Run, Size { n, rounds }: Size) {
    let mut known = vec![0; n];
    let mut post = Post::new();
    let merge = |run: &mut Run, known: &mut [usize], ((whom, version), sent): ((usize, usize), Id)| {
        known[whom] = known[whom].max(version);
        run.event(whom, "merge", &[at("v", whom, known[whom])], &[sent]);
    };
    for round in 1..=rounds {
        known[0] = round;
        run.event(0, "make", &[at("v", 0, round)], &[]);
        for _ in 0..n {
            let i = run.below(n);
            let whom = (i + 1 + run.below(n - 1)) % n;
            let sent = run.event(i, "push", &[], &[]);
            post.send((whom, known[i]), sent);
            while let Some(message) = post.deliver(run, n / 2) {
                merge(run, &mut known, message);
            }
        }
    }
    while let Some(message) = post.deliver(run, 0) {
        merge(run, &mut known, message);
    }
    let sent = run.event(0, "push", &[], &[]);
    (1..n).for_each(|whom| merge(run, &mut known, ((whom, rounds), sent)));
}

fn of_gossip(Size { n, rounds }: Size) -> Vec<Property> {
    let last = n - 1;
    vec![
        both("safety", format!("G ({})", all(1..n, " && ", |i| format!("v{i} <= v0")))).holds(),
        both("response", format!("G (v0 >= 2 -> F v{last} >= 2)")).holds(),
        both("sum", format!("G ({} <= {})", sum("v", 0..n), n * rounds - 1)).violated(),
        both("exclusion", format!("G !(v1 >= 2 && v2 == 0 && v3 == 0 && v{last} >= 2)")),
        Property::precedence("precedence", &format!("v{last} >= 1"), "v0 >= 1").holds(),
        both("agreement", format!("F G ({})", all(1..n, " && ", |i| format!("v{i} == v0")))).holds(),
        events("G (event(merge) -> O event(push))").holds(),
        past(format!("G (v{last} == 3 -> O (v0 == 3))")).holds(),
    ]
}

/// Everybody arrives, P0 lets all of them go.
fn barrier(run: &mut Run, Size { n, rounds }: Size) {
    for round in 1..=rounds {
        let arrived: Vec<Id> =
            (1..n).map(|i| run.event(i, "arrive", &[at("ph", i, round), at("in", i, 1)], &[])).collect();
        let released = run.event(0, "release", &[set("round", round)], &arrived);
        for i in 1..n {
            run.event(i, "go", &[at("in", i, 0)], &[released]);
        }
    }
}

fn of_barrier(Size { n, rounds }: Size) -> Vec<Property> {
    let within = all(1..n, " && ", |i| format!("ph{i} - round <= 1 && round - ph{i} <= 0"));
    vec![
        both("safety", format!("G ({within})")).holds(),
        both("response", all(1..n, " && ", |i| format!("G (in{i} == 1 -> F in{i} == 0)"))).holds(),
        both("sum", format!("G ({} <= {})", sum("in", 1..n), n - 2)).violated(),
        both("exclusion", format!("G !({})", all(1..n - 1, " || ", |i| format!("ph{i} == 3 && ph{} == 1", i + 1))))
            .holds(),
        Property::precedence("precedence", "ph3 == 2", "round == 1").holds(),
        both("agreement", format!("F ({} && round == {rounds})", all(1..n, " && ", |i| format!("in{i} == 0")))).holds(),
        events("G (on(round == 2) -> F on(in1 == 0)) && G (event(go) -> O event(release))").holds(),
        past(format!("G (round >= 1 -> O ({}))", all(1..n, " && ", |i| format!("in{i} == 1")))).holds(),
    ]
}

/// P0 numbers its messages, and everybody delivers them in order, each at its own pace.
fn broadcast(run: &mut Run, Size { n, rounds }: Size) {
    let sent: Vec<Id> = (1..=rounds).map(|k| run.event(0, "cast", &[set("sent", k)], &[])).collect();
    let mut next = vec![0; n];
    let mut busy: Vec<usize> = (1..n).collect();
    while !busy.is_empty() {
        let place = run.below(busy.len());
        let i = busy[place];
        run.event(i, "deliver", &[at("y", i, next[i] + 1)], &[sent[next[i]]]);
        next[i] += 1;
        if next[i] == rounds {
            busy.swap_remove(place);
        }
    }
}

fn of_broadcast(Size { n, rounds }: Size) -> Vec<Property> {
    let last = n - 1;
    let wide = rounds / 2 + 1;
    vec![
        both("safety", format!("G ({})", all(1..n, " && ", |i| format!("y{i} <= sent")))).holds(),
        both("response", all(1..n, " && ", |i| format!("G (sent == 2 -> F y{i} == 2)"))).holds(),
        both("sum", format!("G ({} <= {})", sum("y", 1..n), (n - 1) * rounds)).holds(),
        both("exclusion", format!("G !(y1 - y{last} >= {wide} && y2 - y{last} >= {wide})")).violated(),
        Property::precedence("precedence", "y3 >= 2", "sent >= 2").holds(),
        both("agreement", format!("F G ({})", all(1..n, " && ", |i| format!("y{i} == sent")))).holds(),
        events("G (on(y3 == 2) -> O on(sent == 2)) && G (on(sent == 2) -> F on(y3 == 2))").holds(),
        past(format!("G (y{last} == 3 -> O (y{last} == 2 && sent >= 3))")).holds(),
    ]
}

/// Items pass through all stages, and a stage has one at a time.
fn pipeline(run: &mut Run, Size { n, rounds }: Size) {
    for item in 1..=rounds {
        let mut before: Vec<Id> = Vec::new();
        for stage in 0..n {
            run.event(stage, "take", &[at("busy", stage, 1)], &before);
            before = vec![run.event(stage, "give", &[at("busy", stage, 0), at("done", stage, item)], &[])];
        }
    }
}

fn of_pipeline(Size { n, rounds }: Size) -> Vec<Property> {
    let last = n - 1;
    let at_once = n.min(rounds);
    vec![
        both("safety", format!("G ({})", all(1..n, " && ", |i| format!("done{i} <= done{}", i - 1)))).holds(),
        both("response", format!("G (done0 == 3 -> F done{last} == 3)")).holds(),
        both("sum", format!("G ({} <= {at_once})", sum("busy", 0..n))).holds(),
        both(
            "exclusion",
            format!("G !({})", all(0..n, " && ", |i| format!("busy{i} == {}", usize::from(i < at_once)))),
        )
        .violated(),
        Property::precedence("precedence", &format!("busy{last} == 1"), "done0 >= 1").holds(),
        both("agreement", format!("F G ({})", all(0..n, " && ", |i| format!("done{i} == {rounds}")))).holds(),
        events(&format!("G (on(done{last} == 3) -> O on(done0 == 3))")).holds(),
        past("G (busy3 == 1 -> O (busy2 == 1))".to_owned()).holds(),
    ]
}

/// P0 gives the lock to one client at a time.
fn locks(run: &mut Run, Size { n, rounds }: Size) {
    let mut waiting: Vec<(usize, Id)> = Vec::new();
    let mut asks: Vec<usize> = (0..rounds).map(|k| 1 + k % (n - 1)).collect();
    asks.reverse();
    for _ in 0..rounds {
        // Some are always waiting, nobody twice.
        while waiting.len() < 3.min(n - 1) {
            let Some(i) = asks.pop() else { break };
            waiting.push((i, run.event(i, "want", &[at("want", i, 1)], &[])));
        }
        let (i, wanted) = waiting.swap_remove(run.below(waiting.len()));
        let granted = run.event(0, "grant", &[set("owner", i)], &[wanted]);
        run.event(i, "enter", &[at("want", i, 0), at("crit", i, 1)], &[granted]);
        let left = run.event(i, "leave", &[at("crit", i, 0)], &[]);
        run.event(0, "free", &[set("owner", 0)], &[left]);
    }
}

fn of_locks(Size { n, .. }: Size) -> Vec<Property> {
    let critical: Vec<String> = (1..n).map(|i| format!("crit{i} == 1")).collect();
    vec![
        both("safety", format!("G ({})", all(1..n, " && ", |i| format!("(crit{i} == 1 -> owner == {i})")))).holds(),
        both("response", all(1..n, " && ", |i| format!("G (want{i} == 1 -> F crit{i} == 1)"))).holds(),
        both("sum", format!("G ({} <= 1)", sum("crit", 1..n))).holds(),
        Property::mutex("exclusion", &critical).holds(),
        Property::precedence("precedence", "crit3 == 1", "owner == 3").holds(),
        both("agreement", format!("F G (owner == 0 && {})", all(1..n, " && ", |i| format!("want{i} == 0")))).holds(),
        events("G (event(enter) -> !event(free) S event(grant)) && G (event(grant) -> F event(free))").holds(),
        past("G (crit3 == 1 -> (owner == 3 S want3 == 1))".to_owned()).holds(),
    ]
}

/// Clients ask again and again, P0 answers in any order.
fn clients(run: &mut Run, Size { n, rounds }: Size) {
    let mut served = 0;
    for round in 1..=rounds {
        let mut post = Post::new();
        for i in 1..n {
            let asked = run.event(i, "request", &[at("req", i, round), at("wait", i, 1)], &[]);
            post.send(i, asked);
        }
        while let Some((i, asked)) = post.deliver(run, 0) {
            served += 1;
            let answered = run.event(0, "serve", &[set("served", served)], &[asked]);
            run.event(i, "reply", &[at("ack", i, round), at("wait", i, 0)], &[answered]);
        }
    }
}

fn of_clients(Size { n, rounds }: Size) -> Vec<Property> {
    vec![
        both("safety", format!("G ({})", all(1..n, " && ", |i| format!("ack{i} <= req{i}")))).holds(),
        both("response", all(1..n, " && ", |i| format!("G (wait{i} == 1 -> F wait{i} == 0)"))).holds(),
        both("sum", format!("G ({} - served <= 0)", sum("ack", 1..n))).holds(),
        both("exclusion", format!("G !({})", all(1..n, " && ", |i| format!("wait{i} == 1")))).violated(),
        Property::precedence("precedence", "ack3 >= 1", "served >= 1").holds(),
        both(
            "agreement",
            format!("F G ({} && served == {})", all(1..n, " && ", |i| format!("ack{i} == {rounds}")), (n - 1) * rounds),
        )
        .holds(),
        events("G (event(request) -> F event(reply)) && G (event(reply) -> O event(serve))").holds(),
        past("G (ack3 == 2 -> O (wait3 == 1 && ack3 == 1))".to_owned()).holds(),
    ]
}

fn one_each(n: usize) -> Vec<(String, i64)> {
    (0..n).map(|i| to("t", i, 1)).collect()
}

/// Everybody begins with a token; who has one sends it to somebody.
fn tokens(run: &mut Run, Size { n, rounds }: Size) {
    let mut held = vec![1; n];
    let mut post = Post::new();
    let receive = |run: &mut Run, held: &mut [usize], (whom, sent): (usize, Id)| {
        held[whom] += 1;
        run.event(whom, "receive", &[at("t", whom, held[whom])], &[sent]);
    };
    let mut sent = 0;
    while sent < rounds {
        let i = run.below(n);
        if held[i] > 0 {
            held[i] -= 1;
            let id = run.event(i, "send", &[at("t", i, held[i])], &[]);
            post.send((i + 1 + run.below(n - 1)) % n, id);
            sent += 1;
        }
        while let Some(message) = post.deliver(run, n / 2) {
            receive(run, &mut held, message);
        }
    }
    while let Some(message) = post.deliver(run, 0) {
        receive(run, &mut held, message);
    }
}

fn of_tokens(Size { n, .. }: Size) -> Vec<Property> {
    vec![
        both("safety", format!("G ({})", all(0..n, " && ", |i| format!("t{i} >= 0 && t{i} <= {n}")))).holds(),
        both("response", "G (t3 == 0 -> F t3 >= 1)".to_owned()),
        both("sum", format!("G ({} <= {n})", sum("t", 0..n))).holds(),
        both("exclusion", format!("G !({})", all(0..n, " && ", |i| format!("t{i} == 0")))),
        Property::precedence(
            "precedence",
            "t3 >= 2",
            &format!("t0 == 0 || t1 == 0 || t2 == 0 || {}", all(4..n, " || ", |i| format!("t{i} == 0"))),
        )
        .holds(),
        both("agreement", format!("F G ({} == {n})", sum("t", 0..n))).holds(),
        events("G (event(receive) -> O event(send)) && G (event(send) -> F event(receive))").holds(),
        past("G (t3 == 2 -> O (t3 == 1))".to_owned()).holds(),
    ]
}

/// A fifth of the processes are shards.
fn shards_of(n: usize) -> usize {
    (n / 5).max(2)
}

/// Clients write to shards, one write at a time each, and are told.
fn shards(run: &mut Run, Size { n, rounds }: Size) {
    let shards = shards_of(n);
    let (mut versions, mut done) = (vec![0; n], vec![0; n]);
    let mut idle: Vec<usize> = (shards..n).collect();
    let mut post = Post::new();
    let apply = |run: &mut Run, versions: &mut [usize], done: &mut [usize], (client, sent): (usize, Id)| {
        let shard = run.below(shards);
        versions[shard] += 1;
        let applied = run.event(shard, "apply", &[at("ver", shard, versions[shard])], &[sent]);
        done[client] += 1;
        run.event(client, "ack", &[at("done", client, done[client]), at("open", client, 0)], &[applied]);
        client
    };
    for _ in 0..rounds {
        let place = run.below(idle.len());
        let client = idle.swap_remove(place);
        let sent = run.event(client, "put", &[at("open", client, 1)], &[]);
        post.send(client, sent);
        while let Some(message) = post.deliver(run, (n - shards) / 2) {
            idle.push(apply(run, &mut versions, &mut done, message));
        }
    }
    while let Some(message) = post.deliver(run, 0) {
        apply(run, &mut versions, &mut done, message);
    }
}

fn of_shards(Size { n, rounds }: Size) -> Vec<Property> {
    let shards = shards_of(n);
    let (done, versions, open) = (sum("done", shards..n), sum("ver", 0..shards), sum("open", shards..n));
    vec![
        both("safety", format!("G ({})", all(shards..n, " && ", |i| format!("done{i} <= {versions}")))).holds(),
        both("response", all(shards..n, " && ", |i| format!("G (open{i} == 1 -> F open{i} == 0)"))).holds(),
        both("sum", format!("G ({done} - ({versions}) <= 0)")).holds(),
        both("exclusion", format!("G ({open} <= {})", (n - shards) / 2)),
        Property::precedence("precedence", &format!("done{} >= 1", n - 1), &format!("{versions} >= 1")).holds(),
        both("agreement", format!("F G ({done} == {rounds} && {versions} == {rounds})")).holds(),
        events("G (event(ack) -> O event(apply)) && G (event(put) -> F event(ack))").holds(),
        past(format!("G (done{} == 1 -> O (open{} == 1))", n - 1, n - 1)).holds(),
    ]
}

fn first_leads(_: usize) -> Vec<(String, i64)> {
    vec![to("lead", 0, 1)]
}

/// The leader appends, more than half of all have to have an entry before it is committed. In the middle P1 takes over.
fn consensus(run: &mut Run, Size { n, rounds }: Size) {
    let mut leader = 0;
    let mut committed = Vec::new();
    for entry in 1..=rounds {
        if entry == rounds / 2 + 1 {
            let stepped = run.event(0, "step down", &[at("lead", 0, 0)], &[]);
            run.event(1, "lead", &[at("lead", 1, 1)], &[stepped]);
            leader = 1;
        }
        let proposed = run.event(leader, "propose", &[at("log", leader, entry)], &[]);
        let mut others: Vec<usize> = (0..n).filter(|&i| i != leader).collect();
        // Who is early is in the majority.
        for k in 0..others.len() {
            let other = k + run.below(others.len() - k);
            others.swap(k, other);
        }
        let mut majority = Vec::new();
        for (k, &i) in others.iter().enumerate() {
            // With the entry comes what is known to be committed.
            let appended = run.event(i, "append", &[at("log", i, entry), at("com", i, entry - 1)], &[proposed]);
            if k < n / 2 {
                majority.push(appended);
            }
        }
        committed = vec![run.event(leader, "commit", &[at("com", leader, entry)], &majority)];
    }
    for i in (0..n).filter(|&i| i != leader) {
        run.event(i, "learn", &[at("com", i, rounds)], &committed);
    }
}

fn of_consensus(Size { n, rounds }: Size) -> Vec<Property> {
    let logs = sum("log", 0..n);
    let last = n - 1;
    vec![
        both("safety", format!("G ({})", all(0..n, " && ", |i| format!("com{i} <= log{i}")))).holds(),
        both("response", format!("G (log1 == 2 -> F com{last} >= 2)")).holds(),
        both("sum", format!("G ({} * com{last} - ({logs}) <= 0)", n / 2 + 1)).holds(),
        Property::mutex("exclusion", &["lead0 == 1".to_owned(), "lead1 == 1".to_owned()]).holds(),
        Property::precedence("precedence", &format!("com{last} >= 1"), "com0 >= 1").holds(),
        both("agreement", format!("F G ({})", all(0..n, " && ", |i| format!("com{i} == {rounds}")))).holds(),
        events(&format!("G (on(com{last} == 2) -> O event(commit)) && G (event(propose) -> F event(commit))")).holds(),
        past(format!("G (com{last} >= 2 -> O (lead0 == 1 && com0 >= 2))")).holds(),
    ]
}

/// A fifth of the processes run sagas.
fn saga(run: &mut Run, Size { n, rounds }: Size) {
    let callers = shards_of(n);
    let (mut held, mut paid) = (vec![0; n], vec![0; n]);
    for k in 0..rounds {
        let caller = k % callers;
        let stock = callers + run.below((n - callers) / 2);
        let bank = callers + (n - callers) / 2 + run.below(n - callers - (n - callers) / 2);
        let begun = run.event(caller, "begin", &[at("open", caller, 1)], &[]);
        held[stock] += 1;
        let reserved = run.event(stock, "reserve", &[at("held", stock, held[stock])], &[begun]);
        let ordered = run.event(caller, "order", &[], &[reserved]);
        let fails = run.below(4) == 0;
        paid[bank] += usize::from(!fails);
        let answer = run.event(bank, if fails { "refuse" } else { "pay" }, &[at("paid", bank, paid[bank])], &[ordered]);
        let told = run.event(caller, if fails { "undo" } else { "ship" }, &[], &[answer]);
        held[stock] -= 1;
        let freed =
            run.event(stock, if fails { "release" } else { "hand out" }, &[at("held", stock, held[stock])], &[told]);
        run.event(caller, "end", &[at("open", caller, 0)], &[freed]);
    }
}

fn of_saga(Size { n, rounds }: Size) -> Vec<Property> {
    let callers = shards_of(n);
    let stocks = callers..callers + (n - callers) / 2;
    let (held, open) = (sum("held", stocks.clone()), sum("open", 0..callers));
    let paid = sum("paid", stocks.end..n);
    vec![
        both("safety", format!("G ({})", all(stocks.clone(), " && ", |i| format!("held{i} >= 0")))).holds(),
        both("response", all(0..callers, " && ", |i| format!("G (open{i} == 1 -> F open{i} == 0)"))).holds(),
        both("sum", format!("G ({held} - ({open}) <= 0)")).holds(),
        both("exclusion", format!("G ({paid} <= {rounds} && {held} <= {callers})")).holds(),
        Property::precedence("precedence", &format!("held{callers} >= 1"), &format!("{open} >= 1")).holds(),
        both("agreement", format!("F G ({held} == 0 && {open} == 0)")).holds(),
        events("G (event(release) -> O event(refuse)) && G (event(refuse) -> F event(release))").holds(),
        past(format!("G (held{callers} >= 1 -> O ({open} >= 1))")).holds(),
    ]
}
