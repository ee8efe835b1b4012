//! The assertions of SystemVerilog in its sources: where they stand.
//!
//! Only concurrent ones say something about a sequence of states. They are found by their words, and [`super::scopes`] knows what stands
//! around them. What else could be taken for an assertion is told apart ([`Unread`]), so that nobody believes that it was checked.

use std::collections::{BTreeSet, HashMap};

use super::cut::next_word;
use super::visible::blank;
use posetta_base::Span;

/// Something that a source says about its assertions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// `label: assert property (body) action;`
    Directive { label: Option<Span>, word: Span, body: Span, action: Span },
    /// `property name (a, b); body; endproperty`; what stands before the body is the head.
    Declaration { head: Span, body: Span },
    /// `let name(a, b) = body;`
    Let { head: Span, body: Span },
    /// `default clocking @(posedge clk); endclocking`: what stands behind the `@`.
    Clock(Span),
    /// `default disable iff (b);`
    Disable(Span),
    /// What should be a concurrent assertion, and does not end.
    Endless(Span),
}

impl Item {
    /// From its first to its last character.
    pub(super) fn span(self) -> Span {
        match self {
            Self::Directive { label, word, action, .. } => Span::new(label.unwrap_or(word).start, action.end),
            Self::Declaration { head, body } | Self::Let { head, body } => head.to(body),
            Self::Clock(span) | Self::Disable(span) | Self::Endless(span) => span,
        }
    }
}

/// What is not read, though it may assert something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unread {
    /// `assert (x);`, `assert #0 (x);`, `assert final (x);`, `expect (…)`.
    Statement,
    /// `` `ASSERT(name, p) ``
    Macro,
    /// `bind`
    Bind,
}

/// Which bracket closes which.
#[derive(Clone, Debug, Default)]
pub(super) struct Brackets(HashMap<usize, usize>);

impl Brackets {
    pub(super) fn of(bare: &str) -> Self {
        let (mut open, mut found) = (Vec::new(), HashMap::new());
        for (at, c) in bare.char_indices() {
            match c {
                '(' | '[' | '{' => open.push(at),
                ')' | ']' | '}' => found.extend(open.pop().map(|from| (from, at))),
                _ => {}
            }
        }
        Self(found)
    }

    /// Where the one closes that opens here.
    pub(super) fn close(&self, open: usize) -> Option<usize> {
        self.0.get(&open).copied()
    }
}

/// The place of the first character that is not blank.
pub(super) fn solid(text: &str, from: usize) -> usize {
    from + (text[from..].len() - text[from..].trim_start().len())
}

/// The word that ends here, if one does.
fn word_before(text: &str, end: usize) -> Option<Span> {
    let text = text[..end].trim_end();
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    (start < text.len()).then(|| Span::new(start, text.len()))
}

/// What a source without comments and strings says, and what of it is not read.
/// `asserting` are the macros of the file that stand for assertions.
pub(super) fn items(bare: &str, brackets: &Brackets, asserting: &BTreeSet<String>) -> (Vec<Item>, Vec<(Span, Unread)>) {
    let (mut items, mut unread) = (Vec::new(), Vec::new());
    let mut clocks: Vec<(&str, Span)> = Vec::new();
    // What nothing ends any more.
    let mut endless: Vec<&str> = Vec::new();
    let mut from = 0;
    while let Some((word, start)) = next_word(bare, from) {
        from = start + word.len();
        let span = Span::new(start, from);
        if bare[..start].ends_with('`') {
            let is_call = bare[solid(bare, from)..].starts_with('(');
            if asserting.contains(word) || is_call && names_assertion(word) {
                unread.push((span, Unread::Macro));
            }
            continue;
        }
        let found = match word {
            "assert" | "assume" | "cover" | "restrict" => match directive(bare, brackets, span) {
                Found::Item(item, end) => Some((item, end)),
                Found::Statement => {
                    unread.push((span, Unread::Statement));
                    None
                }
                Found::Nothing => None,
            },
            "expect" if bare[solid(bare, from)..].starts_with('(') => {
                unread.push((span, Unread::Statement));
                None
            }
            "bind" if word_before(bare, start).is_none_or(|before| before.end < start && is_start(bare, start)) => {
                unread.push((span, Unread::Bind));
                None
            }
            "let" if is_start(bare, start) => named(bare, from),
            "property" | "sequence" => {
                let last = if word == "property" { "endproperty" } else { "endsequence" };
                match endless.contains(&last) {
                    true => None,
                    false => {
                        let found = declaration(bare, last, start);
                        endless.extend(found.is_none().then_some(last));
                        found
                    }
                }
            }
            "clocking" => {
                let end = bare[from..].find(';').map_or(bare.len(), |at| from + at);
                let head = &bare[from..end];
                let is_default =
                    word_before(bare, start).is_some_and(|before| &bare[before.start..before.end] == "default");
                let named = next_word(bare, from).filter(|(_, at)| *at < end && !bare[from..*at].contains('@'));
                let clock = match (head.find('@'), named) {
                    (Some(at), named) => {
                        let clock = Span::new(from + at + 1, end);
                        clocks.extend(named.map(|(name, _)| (name, clock)));
                        Some(clock)
                    }
                    (None, Some((name, _))) => clocks.iter().find(|(known, _)| *known == name).map(|(_, clock)| *clock),
                    (None, None) => None,
                };
                match (is_default, clock) {
                    (true, Some(clock)) => Some((Item::Clock(clock), end)),
                    // The clock of a block that stands elsewhere.
                    (true, None) => Some((Item::Clock(Span::new(from, end)), end)),
                    (false, _) => None,
                }
            }
            "default" => disable(bare, brackets, from),
            _ => None,
        };
        if let Some((item, end)) = found {
            items.push(item);
            from = end.max(from);
        }
    }
    (items, unread)
}

/// Whether this is what assertions are called, or has one in it.
fn names_assertion(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["assert", "assume", "cover", "restrict"].iter().any(|kind| text.contains(kind))
}

/// Whether a statement begins here.
fn is_start(bare: &str, at: usize) -> bool {
    let before = bare[..at].trim_end();
    let word = |end: usize| word_before(bare, end).map_or(("", 0), |span| (&bare[span.start..span.end], span.start));
    let (last, start) = word(at);
    let ends = |word: &str| word.starts_with("end") || matches!(word, "begin" | "generate");
    // `endproperty : name`
    let named = || bare[..start].trim_end().strip_suffix(':').is_some_and(|rest| ends(word(rest.len()).0));
    before.is_empty() || before.ends_with(';') || !last.is_empty() && (ends(last) || named())
}

enum Found {
    /// And where it ends.
    Item(Item, usize),
    /// An assertion that is no concurrent one.
    Statement,
    Nothing,
}

fn directive(bare: &str, brackets: &Brackets, word: Span) -> Found {
    let behind = solid(bare, word.end);
    let (second, at) = next_word(bare, word.end).unwrap_or(("", bare.len()));
    let is_next = at == behind;
    if bare[behind..].starts_with(['(', '#']) || is_next && second == "final" {
        return Found::Statement;
    }
    if !is_next || !matches!(second, "property" | "sequence") {
        return Found::Nothing;
    }
    let open = solid(bare, at + second.len());
    let end_of = |from: usize| bare[from..].find(';').map_or(bare.len(), |at| from + at);
    let close = if bare[open..].starts_with('(') { brackets.close(open) } else { None };
    let Some(close) = close else {
        let end = at + second.len();
        return Found::Item(Item::Endless(Span::new(word.start, end)), end);
    };
    let mut end = end_of(close);
    // What is done where it holds stands before what is done where it fails.
    if let Some((word, at)) = next_word(bare, end)
        && word == "else"
        && bare[end..at].trim() == ";"
    {
        end = end_of(at);
    }
    let before = bare[..word.start].trim_end();
    let label = before.strip_suffix(':').and_then(|rest| word_before(rest, rest.len()));
    let item = Item::Directive { label, word, body: Span::new(open + 1, close), action: Span::new(close + 1, end) };
    Found::Item(item, close + 1)
}

fn declaration(bare: &str, last: &str, start: usize) -> Option<(Item, usize)> {
    let end = start + bare[start..].find(last)?;
    let head = start + bare[start..end].find(';')?;
    let body = bare[head + 1..end].trim_end().trim_end_matches(';').len();
    Some((Item::Declaration { head: Span::new(start, head), body: Span::new(head + 1, head + 1 + body) }, end))
}

/// `let name(a, b) = body;`, behind its first word.
fn named(bare: &str, from: usize) -> Option<(Item, usize)> {
    let end = from + bare[from..].find(';')?;
    let sign = from + bare[from..end].find('=')?;
    let head = Span::new(from - "let".len(), sign);
    Some((Item::Let { head, body: Span::new(sign + 1, end) }, end))
}

fn disable(bare: &str, brackets: &Brackets, from: usize) -> Option<(Item, usize)> {
    let (first, at) = next_word(bare, from)?;
    let (second, then) = next_word(bare, at + first.len())?;
    if (first, second) != ("disable", "iff") {
        return None;
    }
    let open = solid(bare, then + second.len());
    let close = brackets.close(open).filter(|_| bare[open..].starts_with('('))?;
    Some((Item::Disable(Span::new(open + 1, close)), close))
}

/// The parts of a source that are not compiled: branches of `` `ifdef `` whose macro the file does not define, and what macros stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped {
    /// Branches, and the macro that decides.
    pub(super) branches: Vec<(Span, String)>,
    /// Definitions of macros, and the packages before names.
    pub(super) macros: Vec<Span>,
    /// Macros that stand for assertions.
    pub(super) asserting: BTreeSet<String>,
}

/// `` `ifdef ``, `` `ifndef ``, `` `elsif ``, `` `else ``, `` `endif `` and `` `define ``, as a compiler reads them that is told no macros.
pub(super) fn skipped(bare: &str) -> Skipped {
    struct Branch {
        /// Whether what is around it is compiled.
        outside: bool,
        /// Whether this branch is, and whether one before it was.
        active: bool,
        taken: bool,
        start: usize,
        name: String,
    }
    let mut found = Skipped::default();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<Branch> = Vec::new();
    let mut from = 0;
    while let Some(at) = bare[from..].find('`').map(|at| from + at) {
        let Some((word, start)) = next_word(bare, at) else { break };
        from = at + 1;
        if start != at + 1 {
            continue;
        }
        from = start + word.len();
        let name =
            || next_word(bare, start + word.len()).map_or(("", bare.len()), |(name, at)| (name, at + name.len()));
        let active = open.last().is_none_or(|branch| branch.active);
        // Only whole branches of what is compiled around them are told.
        let end = |branch: &Branch, found: &mut Skipped| {
            if branch.outside && !branch.active {
                found.branches.push((Span::new(branch.start, at), branch.name.clone()));
            }
        };
        match word {
            "ifdef" | "ifndef" => {
                let (name, behind) = name();
                let is = active && known.contains(name) == (word == "ifdef");
                from = behind;
                let name =
                    if word == "ifdef" { format!("`{name}` is not defined") } else { format!("`{name}` is defined") };
                open.push(Branch { outside: active, active: is, taken: is, start: behind, name });
            }
            "elsif" | "else" => {
                let (name, behind) = if word == "elsif" { name() } else { ("", from) };
                if let Some(branch) = open.last_mut() {
                    end(branch, &mut found);
                    let is = branch.outside && !branch.taken && (word == "else" || known.contains(name));
                    (branch.active, branch.start) = (is, behind);
                    if word == "elsif" && !branch.taken {
                        branch.name = format!("`{name}` is not defined");
                    } else if branch.taken {
                        branch.name = "a branch before it is compiled".to_owned();
                    }
                    branch.taken |= is;
                }
                from = behind;
            }
            "endif" => {
                if let Some(branch) = open.pop() {
                    end(&branch, &mut found);
                }
            }
            "define" => {
                let mut last = at;
                // It goes on behind a backslash at the end of a line.
                loop {
                    let line = bare[last..].find('\n').map_or(bare.len(), |end| last + end);
                    let goes_on = bare[last..line].trim_end().ends_with('\\') && line < bare.len();
                    last = if goes_on { line + 1 } else { line };
                    if !goes_on {
                        break;
                    }
                }
                if active {
                    let (name, behind) = name();
                    known.insert(name);
                    if names_assertion(&bare[behind.min(last)..last]) {
                        found.asserting.insert(name.to_owned());
                    }
                    found.macros.push(Span::new(at, last));
                }
                from = last;
            }
            "undef" if active => {
                known.remove(name().0);
            }
            _ => {}
        }
    }
    let mut from = 0;
    while let Some(at) = bare[from..].find("::").map(|at| from + at) {
        from = at + 2;
        if let Some(package) = word_before(bare, at).filter(|package| package.end == at) {
            found.macros.push(Span::new(package.start, from));
        }
    }
    for branch in &open {
        if branch.outside && !branch.active {
            found.branches.push((Span::new(branch.start, bare.len()), branch.name.clone()));
        }
    }
    found
}

/// What is compiled of a text: the same with blanks for the rest.
pub(super) fn compiled(text: &str, skipped: &Skipped) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let all = skipped.branches.iter().map(|(span, _)| span).chain(&skipped.macros);
    all.for_each(|span| blank(&mut bytes, *span));
    super::visible::text(bytes)
}
