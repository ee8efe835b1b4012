//! Protocols in which many processes share something, with fairness: what they wait for comes, or it does not and a
//! cycle shows why. In SMV as NuSMV reads it.

use super::kinds::{all, each, pairs};

/// A lock with tickets: who comes takes a number and waits until it is served.
pub fn ticket(n: u64) -> String {
    let (top, size) = (n - 1, n + 1);
    let takes = all(0..n, " | ", |i| format!("(who = {i} & p{i}.s = idle & next(p{i}.s) = wait)"));
    let gives = all(0..n, " | ", |i| format!("(who = {i} & p{i}.s = crit)"));
    format!(
        "MODULE customer(run, serving, ticket)
VAR s : {{idle, wait, crit}}; mine : 0..{n};
ASSIGN
  init(s) := idle; init(mine) := 0;
  next(s) := case !run : s; s = idle : {{idle, wait}}; s = wait & mine = serving : crit; s = crit : idle; TRUE : s; esac;
  next(mine) := case run & s = idle & next(s) = wait : ticket; TRUE : mine; esac;
FAIRNESS run
MODULE main
VAR
  who : 0..{top}; ticket : 0..{n}; serving : 0..{n};
{}ASSIGN
  init(ticket) := 0; init(serving) := 0;
  next(ticket) := case {takes} : (ticket + 1) mod {size}; TRUE : ticket; esac;
  next(serving) := case {gives} : (serving + 1) mod {size}; TRUE : serving; esac;
INVARSPEC {}
CTLSPEC AG (p0.s = wait -> AF p0.s = crit)
CTLSPEC AG EF ({})
LTLSPEC G (p{top}.s = wait -> F p{top}.s = crit)
LTLSPEC G F p0.s = crit
",
        each(0..n, |i| format!("  p{i} : customer(who = {i}, serving, ticket);\n")),
        pairs(n, |i, j| format!("!(p{i}.s = crit & p{j}.s = crit)")),
        all(0..n, " & ", |i| format!("p{i}.s = idle")),
    )
}

/// Caches that ask a directory for a line, one at a time; it chooses whom it hears, and may never hear one.
pub fn directory(n: u64) -> String {
    let asked = each(0..n, |i| format!(" c{i}.want != none : {{{i}, {n}}};"));
    let kinds = each(0..n, |i| format!(" req = {i} & c{i}.want = wr : wr; req = {i} & c{i}.want = rd : rd;"));
    format!(
        "MODULE cache(me, kind, grant)
VAR s : {{inv, shd, exc, mdf}}; want : {{none, rd, wr}};
ASSIGN
  init(s) := inv; init(want) := none;
  next(want) := case want = none & s = inv : {{none, rd, wr}}; want = none & s = shd : {{none, wr}}; grant & me : none;
    TRUE : want; esac;
  next(s) := case grant & me & kind = wr : mdf; grant & me & kind = rd : shd; grant & !me & kind = wr : inv;
    grant & !me & kind = rd & s in {{exc, mdf}} : shd; s = exc & want = none : {{exc, mdf}};
    s = shd & want = none : {{shd, inv}}; TRUE : s; esac;
MODULE main
VAR
  req : 0..{n}; kind : {{rd, wr}}; grant : boolean; mem : boolean;
{}ASSIGN
  init(req) := {n}; init(kind) := rd; init(grant) := FALSE; init(mem) := TRUE;
  next(req) := case grant : {n}; req != {n} : req;{asked} TRUE : {n}; esac;
  next(kind) := case req = {n} : kind;{kinds} TRUE : kind; esac;
  next(grant) := case grant : FALSE; req != {n} : {{TRUE, FALSE}}; TRUE : FALSE; esac;
  next(mem) := !({});
FAIRNESS grant
INVARSPEC {}
CTLSPEC AG (c0.want = wr -> EF c0.s = mdf)
CTLSPEC AG (c0.want = wr -> AF c0.s = mdf)
CTLSPEC AG EF ({})
LTLSPEC G (c1.want = rd -> F c1.want = none)
LTLSPEC G F grant
",
        each(0..n, |i| format!("  c{i} : cache(req = {i}, kind, grant);\n")),
        all(0..n, " | ", |i| format!("c{i}.s = mdf")),
        pairs(n, |i, j| {
            let alone = |i: u64, j: u64| format!("!(c{i}.s in {{exc, mdf}} & c{j}.s != inv)");
            format!("{} & {}", alone(i, j), alone(j, i))
        }),
        all(0..n, " & ", |i| format!("c{i}.s = shd")),
    )
}

/// Commitment in two phases, over channels that lose votes.
pub fn commit(n: u64) -> String {
    let every = all(0..n, " & ", |i| format!("p{i}.s = committed"));
    format!(
        "MODULE part(run, ask, decide, lost)
VAR s : {{working, ready, committed, aborted}}; vote : {{none, yes, no}};
ASSIGN
  init(s) := working; init(vote) := none;
  next(s) := case !run : s; s = working & ask : {{ready, aborted}}; s = working : {{working, aborted}};
    s = ready & decide = commit : committed; s = ready & decide = abort : aborted; TRUE : s; esac;
  next(vote) := case run & s = working & next(s) = ready : yes; run & s = working & next(s) = aborted : no;
    vote != none & lost : none; run & vote = none & s = ready : yes; run & vote = none & s = aborted : no;
    TRUE : vote; esac;
FAIRNESS run
FAIRNESS !lost & run
MODULE main
VAR
  who : 0..{n}; lost : boolean; c : {{start, asking, committing, aborting}}; decide : {{none, commit, abort}};
{}ASSIGN
  init(c) := start; init(decide) := none;
  next(c) := case who != {n} : c; c = start : asking; c = asking & ({}) : committing; c = asking & ({}) : aborting;
    c = asking : {{asking, aborting}}; TRUE : c; esac;
  next(decide) := case c = committing : commit; c = aborting : abort; TRUE : decide; esac;
{}FAIRNESS who = {n}
INVARSPEC {}
CTLSPEC AF c in {{committing, aborting}}
CTLSPEC AG (c = committing -> AF ({every}))
CTLSPEC EF ({every})
LTLSPEC F (p0.s = committed | p0.s = aborted)
LTLSPEC G (p0.s = ready -> F p0.s = committed)
",
        each(0..n, |i| format!("  p{i} : part(who = {i}, c = asking, decide, lost); got{i} : boolean;\n")),
        all(0..n, " & ", |i| format!("got{i}")),
        all(0..n, " | ", |i| format!("p{i}.vote = no")),
        each(0..n, |i| {
            format!("  init(got{i}) := FALSE; next(got{i}) := got{i} | (c = asking & p{i}.vote = yes & !lost);\n")
        }),
        pairs(n, |i, j| {
            let apart = |i: u64, j: u64| format!("!(p{i}.s = committed & p{j}.s = aborted)");
            format!("{} & {}", apart(i, j), apart(j, i))
        }),
    )
}

/// A tree of arbiters, so many deep, each of which gives what it has to one of two below; who has it may keep it for
/// long, and at the top someone may be passed over.
pub fn tree(depth: u64) -> String {
    let n = 1_u64 << depth;
    let asks = |k: u64| if k < n { format!("c{k}.req") } else { format!("u{}.req", k - n) };
    let given = |k: u64| if k == 1 { "TRUE".to_owned() } else { format!("c{}.g{}", k / 2, k % 2) };
    "MODULE cell(r0, r1, g)
VAR s : {none, left, right}; last : boolean;
DEFINE req := r0 | r1; g0 := g & s = left; g1 := g & s = right;
ASSIGN
  init(s) := none; init(last) := FALSE;
  next(s) := case s = left & r0 : left; s = right & r1 : right; s != none : none; r0 & (!r1 | last) : left; r1 : right;
    TRUE : none; esac;
  next(last) := case s = left : FALSE; s = right : TRUE; TRUE : last; esac;
MODULE user(g)
VAR s : {idle, ask, use};
DEFINE req := s != idle;
ASSIGN
  init(s) := idle;
  next(s) := case s = idle : {idle, ask}; s = ask & g : use; s = use : {use, idle}; TRUE : s; esac;
FAIRNESS s != use
MODULE main
VAR
"
    .to_owned()
        + &each(1..n, |k| format!("  c{k} : cell({}, {}, {});\n", asks(2 * k), asks(2 * k + 1), given(k)))
        + &each(0..n, |i| format!("  u{i} : user({});\n", given(n + i)))
        + &format!("INVARSPEC {}\n", pairs(n, |i, j| format!("!(u{i}.s = use & u{j}.s = use)")))
        + &format!("CTLSPEC AG (u0.s = ask -> AF u0.s = use)\nCTLSPEC AG EF u{}.s = use\n", n - 1)
        + &format!("LTLSPEC G (u{0}.s = ask -> F u{0}.s = use)\nLTLSPEC G F u1.s = idle\n", n - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::verify::kinds::tests::told;

    #[test]
    fn specifications_are_as_true_as_nusmv_says() {
        for (text, expected) in [(ticket(2), (4, 1)), (directory(3), (5, 1)), (commit(2), (3, 3)), (tree(2), (2, 3))] {
            assert_eq!(told(&text), expected, "{text}");
        }
    }
}
