//! What stands around a place of a source: its design unit, and the loops, conditions and processes in which it stands.
//!
//! A directive is asked of every cycle of every run. Where the source asks for it only sometimes (under a condition, in a loop, in a
//! process), that has to be known, or another question would be answered. A source is cut into words for this and no further: what opens
//! and closes blocks is all that counts.

use super::assertions::{Brackets, solid};
use super::cut::next_word;
use posetta_base::Span;

/// Something that holds statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// `module … endmodule`, `architecture … end`, `vunit … { … }`: with a default clock of its own. Where its name stands.
    Unit(Span),
    /// The same, with arguments that are put in where it is used.
    Checker,
    /// A loop of `generate`, or of a process: what stands in its head.
    Loop(Span),
    /// A branch of `if` or `case`.
    Condition,
    /// `always @(…)`: what stands behind the `@`.
    Process(Option<Span>),
    /// `initial`
    Initial,
    /// A function, a task, `final`.
    Routine,
}

/// A scope and where it is. Scopes are nested, and stand in the order in which they begin.
#[derive(Clone, Copy, Debug)]
struct Region {
    scope: Scope,
    span: Span,
    parent: Option<usize>,
}

/// The scopes of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes(Vec<Region>);

impl Scopes {
    /// The scopes around a place by their numbers, the outermost first.
    /// With their beginnings.
    pub(super) fn around(&self, place: usize) -> Vec<(usize, usize, Scope)> {
        let mut at = self.0.partition_point(|region| region.span.start <= place).checked_sub(1);
        let mut found = Vec::new();
        while let Some(number) = at {
            let region = self.0[number];
            if place < region.span.end {
                found.push((number, region.span.start, region.scope));
            }
            at = region.parent;
        }
        found.reverse();
        found
    }

    /// The same with more of them. Of two, one holds the other, or they have nothing in common.
    pub(super) fn with(self, more: impl IntoIterator<Item = (Scope, Span)>) -> Self {
        let own = self.0.into_iter().map(|region| (region.scope, region.span));
        let mut all: Vec<(Scope, Span)> = own.chain(more).collect();
        all.sort_by_key(|(_, span)| (span.start, std::cmp::Reverse(span.end)));
        let (mut regions, mut open): (Vec<Region>, Vec<usize>) = (Vec::with_capacity(all.len()), Vec::new());
        for (number, (scope, span)) in all.into_iter().enumerate() {
            open.retain(|&outer| span.start < regions[outer].span.end);
            regions.push(Region { scope, span, parent: open.last().copied() });
            open.push(number);
        }
        Self(regions)
    }

    /// What begins here.
    pub(super) fn beginning(&self, start: usize) -> Option<(Scope, Span)> {
        let number = self.0.binary_search_by_key(&start, |region| region.span.start).ok()?;
        Some((self.0[number].scope, self.0[number].span))
    }

    /// Where the names of units stand, with the numbers of these.
    pub(super) fn units(&self) -> impl Iterator<Item = (usize, Span)> {
        self.0.iter().enumerate().filter_map(|(number, region)| match region.scope {
            Scope::Unit(name) => Some((number, name)),
            _ => None,
        })
    }

    fn open(&mut self, scope: Scope, start: usize, parent: Option<usize>) -> usize {
        self.0.push(Region { scope, span: Span::new(start, usize::MAX), parent });
        self.0.len() - 1
    }

    fn close(&mut self, number: usize, end: usize) {
        self.0[number].span = Span::new(self.0[number].span.start, end);
    }
}

/// What ends something that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// One of these words.
    Words(&'static [&'static str]),
    /// The next statement: it stands before one. `if` may be followed by `else`.
    Statement { is_if: bool },
}

struct Open {
    end: End,
    region: Option<usize>,
}

/// The scopes of a source in SystemVerilog, without comments and strings.
pub(super) fn of_verilog(bare: &str, brackets: &Brackets) -> Scopes {
    Verilog { bare, brackets, scopes: Scopes::default(), open: Vec::new(), before: "", endless: Vec::new() }.read()
}

struct Verilog<'a> {
    bare: &'a str,
    brackets: &'a Brackets,
    scopes: Scopes,
    open: Vec<Open>,
    /// The word before.
    before: &'a str,
    /// What nothing ends any more.
    endless: Vec<&'static str>,
}

impl<'a> Verilog<'a> {
    fn read(mut self) -> Scopes {
        let bare = self.bare;
        let mut at = 0;
        while let Some(c) = bare[at..].chars().next() {
            at = match c {
                '(' | '[' | '{' => self.brackets.close(at).map_or(at + 1, |close| close + 1),
                ';' => {
                    self.statement_ends(at + 1);
                    self.before = "";
                    at + 1
                }
                // A macro, and a name with odd characters.
                '`' => next_word(bare, at).map_or(bare.len(), |(word, start)| start + word.len()),
                '\\' => at + bare[at..].find(char::is_whitespace).unwrap_or(bare.len() - at),
                c if c.is_alphabetic() || c == '_' => match next_word(bare, at) {
                    Some((word, start)) => {
                        let next = self.word(word, start);
                        self.before = word;
                        next
                    }
                    None => bare.len(),
                },
                c => at + c.len_utf8(),
            };
        }
        for open in std::mem::take(&mut self.open) {
            self.close(&open, bare.len());
        }
        self.scopes
    }

    fn close(&mut self, open: &Open, at: usize) {
        if let Some(region) = open.region {
            self.scopes.close(region, at);
        }
    }

    fn push(&mut self, scope: Option<Scope>, start: usize, end: End) {
        let parent = self.open.iter().rev().find_map(|open| open.region);
        let region = scope.map(|scope| self.scopes.open(scope, start, parent));
        self.open.push(Open { end, region });
    }

    /// What stood before a statement ends with it. Where `else` follows, only down to its `if`, and nothing where that is
    /// the one of an assertion.
    fn statement_ends(&mut self, at: usize) {
        let follows = next_word(self.bare, at).filter(|(_, start)| self.bare[at..*start].trim().is_empty());
        let has_else = follows.is_some_and(|(word, _)| word == "else");
        let prefixes = self.open.iter().rev().take_while(|open| matches!(open.end, End::Statement { .. }));
        let ended = match has_else {
            false => prefixes.count(),
            true => {
                prefixes.map(|open| open.end).position(|end| end == End::Statement { is_if: true }).map_or(0, |n| n + 1)
            }
        };
        for _ in 0..ended {
            if let Some(open) = self.open.pop() {
                self.close(&open, at);
            }
        }
    }

    /// Answers where to go on.
    fn word(&mut self, word: &'a str, start: usize) -> usize {
        let (bare, brackets, before) = (self.bare, self.brackets, self.before);
        let end = start + word.len();
        let head = || {
            let open = solid(bare, end);
            let close = brackets.close(open).filter(|_| bare[open..].starts_with('('));
            close.map(|close| Span::new(open + 1, close))
        };
        let prefix = End::Statement { is_if: false };
        match word {
            "module" | "macromodule" | "program" | "package" => {
                let last: &[&str] = match word {
                    "program" => &["endprogram"],
                    "package" => &["endpackage"],
                    _ => &["endmodule"],
                };
                self.unit(start, end, last);
            }
            "interface" if before != "virtual" => self.unit(start, end, &["endinterface"]),
            "checker" => {
                let name = next_word(bare, end).map_or(end, |(name, at)| at + name.len());
                let open = solid(bare, name);
                let arguments = brackets.close(open).filter(|_| bare[open..].starts_with('('));
                match arguments.is_some_and(|close| !bare[open + 1..close].trim().is_empty()) {
                    true => self.push(Some(Scope::Checker), start, End::Words(&["endchecker"])),
                    false => self.unit(start, end, &["endchecker"]),
                }
            }
            "class" if before != "typedef" => self.push(None, start, End::Words(&["endclass"])),
            "function" if !matches!(before, "extern" | "import" | "export" | "pure" | "virtual" | "context") => {
                self.push(Some(Scope::Routine), start, End::Words(&["endfunction"]));
            }
            "task" if !matches!(before, "extern" | "import" | "export" | "pure" | "virtual" | "context") => {
                self.push(Some(Scope::Routine), start, End::Words(&["endtask"]));
            }
            "generate" => self.push(None, start, End::Words(&["endgenerate"])),
            "begin" => self.push(None, start, End::Words(&["end"])),
            "fork" if !matches!(before, "disable" | "wait") => {
                self.push(Some(Scope::Routine), start, End::Words(&["join", "join_any", "join_none"]));
            }
            "case" | "casex" | "casez" | "randcase" => {
                self.push(Some(Scope::Condition), start, End::Words(&["endcase"]));
            }
            "if" => self.push(Some(Scope::Condition), start, End::Statement { is_if: true }),
            "else" | "while" | "repeat" | "foreach" | "forever" | "do" => {
                self.push(Some(Scope::Condition), start, prefix);
            }
            "for" => self.push(head().map(Scope::Loop), start, prefix),
            "always" | "always_ff" | "always_comb" | "always_latch" => {
                let at = solid(bare, end);
                let event = bare[at..].starts_with('@').then(|| solid(bare, at + 1)).map(|from| {
                    let close = brackets.close(from).filter(|_| bare[from..].starts_with('('));
                    let word = || next_word(bare, from).map_or(from, |(word, start)| start + word.len());
                    Span::new(from, close.map_or_else(word, |close| close + 1))
                });
                self.push(Some(Scope::Process(event)), start, prefix);
            }
            "initial" => self.push(Some(Scope::Initial), start, prefix),
            "final" if !matches!(before, "assert" | "assume" | "cover") => {
                self.push(Some(Scope::Routine), start, prefix);
            }
            // What has words of its own, and nothing that is asked for.
            "property" | "sequence" if !matches!(before, "assert" | "assume" | "cover" | "restrict" | "expect") => {
                return self.jump(end, if word == "property" { "endproperty" } else { "endsequence" });
            }
            "covergroup" => return self.jump(end, "endgroup"),
            "specify" => return self.jump(end, "endspecify"),
            _ => self.end_word(word, end),
        }
        end
    }

    fn unit(&mut self, start: usize, end: usize, last: &'static [&'static str]) {
        let name = next_word(self.bare, end).map_or(Span::new(end, end), |(name, at)| Span::new(at, at + name.len()));
        self.push(Some(Scope::Unit(name)), start, End::Words(last));
    }

    /// Behind the word that ends something.
    fn jump(&mut self, from: usize, last: &'static str) -> usize {
        let found = (!self.endless.contains(&last)).then(|| self.bare[from..].find(last)).flatten();
        if found.is_none() {
            self.endless.push(last);
        }
        found.map_or(from, |at| from + at + last.len())
    }

    /// Closes what a word ends, with all that is open inside.
    fn end_word(&mut self, word: &str, end: usize) {
        let ends = |open: &Open| matches!(open.end, End::Words(words) if words.contains(&word));
        let Some(found) = self.open.iter().rposition(ends) else { return };
        for open in self.open.split_off(found) {
            self.close(&open, end);
        }
        self.statement_ends(end);
    }
}

/// The scopes of a source in VHDL, without comments and strings, in small letters.
pub(super) fn of_vhdl(bare: &str) -> Scopes {
    let mut scopes = Scopes::default();
    // The unit that is open, and the `generate` statements.
    let (mut unit, mut open): (Option<usize>, Vec<usize>) = (None, Vec::new());
    let (mut from, mut statement, mut before) = (0, 0, "");
    while let Some((word, start)) = next_word(bare, from) {
        // A statement begins behind a `;`, and behind words that hold statements.
        if let Some(at) = bare[from..start].rfind(';') {
            statement = from + at + 1;
        }
        from = start + word.len();
        match word {
            "architecture" | "entity" if before != "end" => {
                let name = next_word(bare, from);
                let then = name.and_then(|(name, at)| next_word(bare, at + name.len()));
                let expected = if word == "entity" { "is" } else { "of" };
                if let (Some((name, at)), Some((then, _))) = (name, then)
                    && then == expected
                {
                    for number in open.drain(..).chain(unit.take()) {
                        scopes.close(number, start);
                    }
                    // What an entity says is for its architectures, too, and so for the whole file.
                    if word == "entity" {
                        before = word;
                        continue;
                    }
                    unit = Some(scopes.open(Scope::Unit(Span::new(at, at + name.len())), start, None));
                }
            }
            "generate" if before == "end" => {
                if let Some(number) = open.pop() {
                    scopes.close(number, start);
                }
            }
            "generate" => {
                let head = &bare[statement..start];
                let head = head.rsplit_once(':').map_or(head, |(_, head)| head).trim_start();
                let at = start - head.len();
                let scope = match next_word(head, 0) {
                    Some(("for", _)) => Some(Scope::Loop(Span::new(at + 3, start))),
                    Some(("if" | "case", _)) => Some(Scope::Condition),
                    // `elsif` and `else` belong to the one that is open.
                    _ => None,
                };
                if let Some(scope) = scope {
                    let parent = open.last().copied().or(unit);
                    open.push(scopes.open(scope, start, parent));
                }
                statement = from;
            }
            "begin" | "is" => statement = from,
            _ => {}
        }
        before = word;
    }
    for number in open.into_iter().chain(unit) {
        scopes.close(number, bare.len());
    }
    scopes
}

/// The variable of a loop with its smallest and its largest value: `i = 0; i < 4; i++` of Verilog, `i in 0 to 3` of VHDL. `None` if its
/// bounds are no numbers, or it does not go on one by one.
pub(super) fn rounds(head: &str) -> Option<(String, i64, i64)> {
    let head = head.trim();
    if let Some((variable, range)) = head.split_once(" in ") {
        let (low, high) = match (range.split_once(" to "), range.split_once(" downto ")) {
            (Some(range), _) => range,
            (_, Some((high, low))) => (low, high),
            _ => return None,
        };
        return Some((variable.trim().to_owned(), low.trim().parse().ok()?, high.trim().parse().ok()?));
    }
    let parts: Vec<&str> = head.split(';').map(str::trim).collect();
    let [first, until, step] = parts.as_slice() else { return None };
    let (variable, first) = first.split_once('=')?;
    let variable = variable.split_whitespace().next_back()?;
    let first: i64 = first.trim().parse().ok()?;
    let until = until.strip_prefix(variable)?.trim_start();
    let (up, last) =
        match (until.strip_prefix("<="), until.strip_prefix('<'), until.strip_prefix(">="), until.strip_prefix('>')) {
            (Some(last), ..) => (true, last.trim().parse::<i64>().ok()?),
            (_, Some(last), ..) => (true, last.trim().parse::<i64>().ok()?.checked_sub(1)?),
            (.., Some(last), _) => (false, last.trim().parse::<i64>().ok()?),
            (.., Some(last)) => (false, last.trim().parse::<i64>().ok()?.checked_add(1)?),
            _ => return None,
        };
    let step: String = step.chars().filter(|c| !c.is_whitespace()).collect();
    let forms = match up {
        true => [
            format!("{variable}++"),
            format!("++{variable}"),
            format!("{variable}+=1"),
            format!("{variable}={variable}+1"),
        ],
        false => [
            format!("{variable}--"),
            format!("--{variable}"),
            format!("{variable}-=1"),
            format!("{variable}={variable}-1"),
        ],
    };
    let (low, high) = if up { (first, last) } else { (last, first) };
    forms.contains(&step).then(|| (variable.to_owned(), low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands around the word `here`.
    fn around(scopes: &Scopes, text: &str) -> Vec<String> {
        let place = text.find("here").expect("the word");
        let told = |(.., scope): (usize, usize, Scope)| match scope {
            Scope::Unit(name) => format!("unit {}", &text[name.start..name.end]),
            Scope::Loop(head) => format!("loop {}", text[head.start..head.end].trim()),
            Scope::Process(Some(event)) => format!("process {}", &text[event.start..event.end]),
            other => format!("{other:?}"),
        };
        scopes.around(place).into_iter().map(told).collect()
    }

    #[test]
    fn verilog() {
        for (text, expected) in [
            ("module m; wire a; here; endmodule", &["unit m"][..]),
            ("module m; endmodule here", &[]),
            ("module m; if (X) begin a; end here; endmodule", &["unit m"]),
            ("module m; if (X) begin a; end else begin here; end endmodule", &["unit m", "Condition"]),
            ("module m; if (X) a; else b; here; endmodule", &["unit m"]),
            (
                "module m; generate for (i = 0; i < 4; i++) begin : g here; end endgenerate endmodule",
                &["unit m", "loop i = 0; i < 4; i++"],
            ),
            ("module m; for (genvar i = 0; i < 4; i++) a; here; endmodule", &["unit m"]),
            (
                "module m; always @(posedge clk) begin if (a) b <= c; else d <= e; here; end endmodule",
                &["unit m", "process (posedge clk)"],
            ),
            (
                "module m; always @(posedge clk) if (a) b <= c; else here; endmodule",
                &["unit m", "process (posedge clk)", "Condition"],
            ),
            ("module m; always @(posedge clk) if (a) b <= c; else d <= e; here; endmodule", &["unit m"]),
            ("module m; always @(posedge clk) assert (a) b(); else c(); here; endmodule", &["unit m"]),
            (
                "module m; always_comb case (x) 1: a = 1; default: begin here; end endcase endmodule",
                &["unit m", "Process(None)", "Condition"],
            ),
            ("module m; a: assert property (if (x) y else z) else begin c; end here; endmodule", &["unit m"]),
            ("module m; property p; if (a) b else c; endproperty here; endmodule", &["unit m"]),
            ("module m; initial begin fork a; join disable fork; here; end endmodule", &["unit m", "Initial"]),
            ("module m; function int f(int x); return x; endfunction here; endmodule", &["unit m"]),
            ("checker c(a, b); here; endchecker", &["Checker"]),
            ("checker c; here; endchecker", &["unit c"]),
            (
                "class c; virtual interface bus b; extern function void f(); endclass module m; here; endmodule",
                &["unit m"],
            ),
            ("module m; import         function int f(); here; endmodule", &["unit m"]),
            ("module m; `timescale 1ns/1ps \\begin{ a; here; endmodule", &["unit m"]),
        ] {
            assert_eq!(around(&of_verilog(text, &Brackets::of(text)), text), expected, "{text}");
        }
    }

    #[test]
    fn vhdl() {
        for (text, expected) in [
            ("entity e is end entity; architecture a of e is begin here; end;", &["unit a"][..]),
            (
                "architecture a of e is begin g: for i in 0 to 3 generate begin here; end generate; end;",
                &["unit a", "loop i in 0 to 3"],
            ),
            (
                "architecture a of e is begin g: if x generate b; else generate here; end generate; end;",
                &["unit a", "Condition"],
            ),
            (
                "architecture a of e is begin g: if x generate b; end generate; u: entity work.x port map (y); here; end;",
                &["unit a"],
            ),
        ] {
            assert_eq!(around(&of_vhdl(text), text), expected, "{text}");
        }
    }

    #[test]
    fn loops_go_from_number_to_number() {
        let one = |first, last| Some(("i".to_owned(), first, last));
        assert_eq!(rounds("genvar i = 0; i < 4; i++"), one(0, 3));
        assert_eq!(rounds("i = 7; i >= 2; i = i - 1"), one(2, 7));
        assert_eq!(rounds("int i=1; i<=2; i+=1"), one(1, 2));
        assert_eq!(rounds(" i in 3 downto 0 "), one(0, 3));
        for odd in ["i = 0; i < N; i++", "i = 0; i < 4; i += 2", "i in x'range", "i = 0; j < 4; i++", ""] {
            assert_eq!(rounds(odd), None, "{odd}");
        }
    }
}
