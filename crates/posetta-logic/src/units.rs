//! PSL files and hardware sources: verification units, and PSL in the comments of VHDL and Verilog.
//!
//! A unit is a list of statements that end with `;`: declarations (`sequence`, `property`, `default clock`) and directives (`assert`, `assume`, `cover` …).
//! Declarations become [`Definitions`], so they are put in as trees. Of a source in an HDL everything but its PSL is blanked out first; lines and
//! columns stay what they are.

mod assertions;
mod cut;
mod inside;
mod scopes;
mod unread;
mod visible;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use assertions::{Brackets, Item};
use cut::{beside, guess, next_word, statements, without_units};
use inside::inside;
use scopes::{Scope, Scopes, rounds};
use visible::{Visible, visible};

use super::flavour::Flavour;
use super::lex::Token;
use super::monitor::Guard;
use super::parse::{ClockExpr, Definition, Definitions, Dialect, Expander, Frame, MOST_NODES, Parser, ROOT, Reader};
use super::property::{Formula, Property, Quantifier, Remark, Severity, View};
use super::psl::{Clock, Psl, PslUnary, Sere, SereOp, Suffix, Times};
use posetta_base::{Diagnostic, Kind, Located, Mistakes, Place, Span};

/// Whether a file of this name holds PSL units, or the source of a design with PSL in it.
#[must_use]
pub fn is_unit_file(name: &str) -> bool {
    Flavour::of_file(name).is_some() || name.to_ascii_lowercase().ends_with(".psl")
}

/// What a directive asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Assert,
    Assume,
    Restrict { strong: bool },
    Cover,
}

impl Directive {
    fn called(word: &str) -> Option<Self> {
        Some(match word {
            "assert" => Self::Assert,
            "assume" | "assume_guarantee" => Self::Assume,
            "restrict" | "restrict_guarantee" => Self::Restrict { strong: false },
            "restrict!" | "restrict_guarantee!" => Self::Restrict { strong: true },
            "cover" => Self::Cover,
            _ => return None,
        })
    }

    /// What a property is called before its label. An assumption that fails must not look like a mistake of the design.
    fn prefix(self) -> &'static str {
        match self {
            Self::Assert => "",
            Self::Assume => "assume ",
            Self::Restrict { .. } => "restrict ",
            Self::Cover => "cover ",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Assert => "assert",
            _ => self.prefix().trim_end(),
        }
    }
}

/// What a file of units, or a source, holds.
#[derive(Clone, Debug, Default)]
pub struct Directives {
    /// The directives that could be read, in the order in which they stand.
    pub properties: Vec<Property>,
    /// What is wrong with the others. Everything that they could share with those that were read (declarations, clocks) is fine.
    pub unread: Vec<Located>,
}

/// Reads the directives of a file as properties.
///
/// # Errors
/// With all mistakes, if there is one outside of the directives, or if none of them can be read.
pub fn read_units(file: &str, source: &str, flavour: Option<Flavour>) -> Result<Directives, Mistakes<Located>> {
    let of_hdl = Flavour::of_file(file);
    let mut seen = match of_hdl {
        Some(hdl) => visible(source, hdl),
        None => Visible { psl: source.to_owned(), ..Visible::default() },
    };
    let of_verilog = of_hdl == Some(Flavour::Verilog);
    let skipped = if of_verilog { assertions::skipped(&seen.bare) } else { assertions::Skipped::default() };
    let mut warnings = unread::skipped(source, &seen, &skipped);
    for text in [&mut seen.psl, &mut seen.code, &mut seen.bare] {
        *text = assertions::compiled(text, &skipped);
    }
    let flavour = flavour.or(of_hdl).unwrap_or_else(|| guess(&seen.psl));
    let (psl, units, mut mistakes) = without_units(seen.psl, flavour);
    let bodies: Vec<Span> = units.iter().map(|(_, span)| *span).collect();
    let within = inside(psl, &bodies, flavour);
    warnings.extend(unread::hdl(source, &within.unread));
    let spans = statements(&within.text);
    let (mut items, mut text) = (Vec::new(), within.text);
    let scopes = match of_hdl {
        Some(Flavour::Verilog) => {
            let brackets = Brackets::of(&seen.bare);
            let (found, unread) = assertions::items(&seen.bare, &brackets, &skipped.asserting);
            warnings.extend(unread::statements(source, &seen.bare, &unread));
            text = beside(&seen.code, text, &found);
            items = found;
            scopes::of_verilog(&seen.bare, &brackets)
        }
        Some(_) => {
            let mut outside = seen.bare.to_ascii_lowercase().into_bytes();
            seen.units.iter().for_each(|unit| visible::blank(&mut outside, *unit));
            scopes::of_vhdl(&visible::text(outside))
        }
        None => Scopes::default(),
    };
    let scopes = scopes.with(units.iter().map(|&(name, span)| (Scope::Unit(name), span)).chain(within.scopes));
    warnings.extend(unread::prose(source, &seen.prose));
    let file: Arc<str> = file.into();
    let mut reader = Units {
        scopes,
        text: text.as_str().into(),
        source: source.into(),
        file,
        flavour,
        definitions: Definitions::default(),
        clocks: HashMap::new(),
        disables: HashMap::new(),
        inherited: HashMap::new(),
        unclocked: Vec::new(),
        properties: Vec::new(),
        left: MOST_NODES,
    };
    let mut unread = Vec::new();
    // Declarations may stand behind what uses them.
    for round in [Round::Declarations, Round::Defaults, Round::Directives] {
        let (mut spans, mut items) = (spans.iter().peekable(), items.iter().peekable());
        // In the order of the text.
        loop {
            let assertion_first = match (spans.peek(), items.peek()) {
                (None, None) => break,
                (span, item) => span.is_none_or(|span| item.is_some_and(|item| item.span().start < span.start)),
            };
            let read = match assertion_first {
                true => items.next().map_or(Ok(()), |&item| reader.assertion(item, round)),
                false => spans.next().map_or(Ok(()), |&span| reader.statement(span, round)),
            };
            match read {
                Ok(()) => {}
                Err(mistake) if round == Round::Directives => unread.push(*mistake),
                Err(mistake) => mistakes.push(*mistake),
            }
        }
    }
    warnings.extend(unread::unclocked(source, &reader.unclocked));
    // What is there is not read: that is all there is to say of the file.
    if reader.properties.is_empty() {
        mistakes.append(&mut warnings);
    }
    // Whoever asks for one property of the file has to know, too.
    for property in &mut reader.properties {
        property.warnings.extend(warnings.iter().cloned());
    }
    let located = |all: Vec<Diagnostic>| -> Vec<Located> {
        all.into_iter().map(|d| Located { file: Arc::clone(&reader.file), diagnostic: as_written(source, d) }).collect()
    };
    if mistakes.is_empty() && !reader.properties.is_empty() {
        return Ok(Directives { unread: located(unread), properties: reader.properties });
    }
    mistakes.append(&mut unread);
    mistakes.sort_by_key(|d| d.place.as_ref().map(|place| (place.line, place.column)));
    // What cannot be cut into words is met in each round.
    mistakes.dedup();
    mistakes.truncate(20);
    match mistakes.is_empty() {
        true => Ok(Directives::default()),
        false => Err(located(mistakes).into()),
    }
}

/// With the line as it is written, not with blanks for what is not read.
fn as_written(source: &str, mut diagnostic: Diagnostic) -> Diagnostic {
    if let Some(place) = &mut diagnostic.place {
        let line = usize::try_from(place.line).unwrap_or(0).saturating_sub(1);
        let start = source.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
        let rest = source[start..].lines().next().unwrap_or_default();
        let column = usize::try_from(place.column).unwrap_or(1).saturating_sub(1);
        let at = start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
        let shown = Place::in_text(source, Span::new(at, at));
        (place.text, place.skipped) = (shown.text, shown.skipped);
    }
    diagnostic
}

struct Units {
    /// The units of the file, and what is around its statements.
    scopes: Scopes,
    /// What is read: the source with blanks.
    text: Arc<str>,
    /// What messages show.
    source: Arc<str>,
    file: Arc<str>,
    flavour: Flavour,
    definitions: Definitions,
    /// The default clock of a unit, and where it stands; that of no unit is for all.
    clocks: HashMap<Option<usize>, (Clock, Span)>,
    /// `default disable iff (b)`: where b stands.
    disables: HashMap<Option<usize>, Span>,
    /// Of which units a unit has the default clock, if it has none.
    inherited: HashMap<usize, Vec<usize>>,
    /// Assertions of SystemVerilog without a clock.
    unclocked: Vec<Span>,
    properties: Vec<Property>,
    left: u64,
}

/// What is read of a file at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Declarations,
    /// Default clocks, and what units inherit.
    Defaults,
    Directives,
}

/// What is around a directive.
#[derive(Debug, Default)]
struct Around {
    /// Its units, the innermost first.
    units: Vec<usize>,
    /// Variables of loops with their first and last values.
    loops: Vec<(String, i64, i64)>,
    /// It stands in `always @(…)`: what stands there.
    process: Option<Span>,
    /// Behind `initial`.
    once: bool,
}

/// What a directive says of its formula beside the formula itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// PSL: of the first position.
    Once,
    /// SystemVerilog, behind `initial`: of the first position, if a disabling condition leaves it.
    First,
    /// SystemVerilog: of every position at which a disabling condition leaves it.
    Always,
}

type Read<T = ()> = Result<T, Box<Diagnostic>>;

impl Units {
    fn mistake(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, message).at(Place::in_text(&self.source, span))
    }

    /// One statement in the round that it is for.
    fn statement(&mut self, span: Span, round: Round) -> Read {
        let text = Arc::clone(&self.text);
        let mut parser = Parser::new(&text, span, Dialect::Psl(self.flavour))?;
        let Token::Name(word) = parser.token.clone() else {
            let mistake = self.mistake(Kind::Syntax, parser.span, "a statement begins with a word");
            let mistake = mistake.label("expected `assert`, `assume`, `cover`, `property` …");
            return Err(Box::new(match parser.token {
                Token::Sign("%") => mistake
                    .help("macros such as `%for` are not put in: write each directive, or `forall i in {0:3}: f`"),
                _ => mistake,
            }));
        };
        let its_round = match word.as_str() {
            "default" | "inherit" => Round::Defaults,
            "sequence" | "property" | "endpoint" => Round::Declarations,
            _ => Round::Directives,
        };
        if its_round != round {
            return Ok(());
        }
        match word.as_str() {
            "default" => self.default_clock(&mut parser),
            "inherit" => self.inherit(&mut parser),
            "sequence" | "property" | "endpoint" => self.declaration(&mut parser, span, None),
            "fairness" | "strong" => Err(Box::new(
                self.mistake(
                    Kind::Unsupported,
                    parser.span,
                    "fairness is a demand on models, and this is asked of runs",
                )
                .label("expected `assert`, `assume` or `cover`")
                .help("a model says it itself (JUSTICE, COMPASSION); of a run ask `assert always eventually! b`"),
            )),
            _ => self.directive(&mut parser, span),
        }
    }

    /// `inherit a, b`: what units of this file declare is known everywhere in it, and a default clock is taken from there.
    fn inherit(&mut self, parser: &mut Parser<'_>) -> Read {
        let own = self.scopes.around(parser.span.start).last().map(|around| around.0);
        loop {
            parser.advance()?;
            let Token::Name(name) = &parser.token else {
                return Err(Box::new(parser.expected("the name of a unit")));
            };
            let text = &self.source;
            let mut units = self.scopes.units();
            let Some((unit, _)) = units.find(|(_, at)| text[at.start..at.end].eq_ignore_ascii_case(name)) else {
                let message = format!("no unit of this file is called `{name}`");
                return Err(Box::new(
                    self.mistake(Kind::Unsupported, parser.span, message)
                        .label("expected a unit of this file")
                        .help("units are read file by file: write both into one file"),
                ));
            };
            drop(units);
            if let Some(own) = own {
                self.inherited.entry(own).or_default().push(unit);
            }
            parser.advance()?;
            match parser.token {
                Token::Sign(",") => {}
                Token::End => return Ok(()),
                _ => return Err(Box::new(parser.expected("`;`"))),
            }
        }
    }

    /// What is around a directive. Refuses what would make it another question.
    fn around(&self, at: Span, is_comment: bool) -> Read<Around> {
        let mut found = Around::default();
        let mut in_process = false;
        let refuse = |message: &str, label: &str, help: &str| {
            Err(Box::new(self.mistake(Kind::Unsupported, at, message).label(label).help(help)))
        };
        for (number, start, scope) in self.scopes.around(at.start) {
            match scope {
                Scope::Unit(_) => {
                    found.units.insert(0, number);
                    found.loops.clear();
                }
                Scope::Checker => {
                    return refuse(
                        "this assertion is about the arguments of a checker, which are not put in",
                        "it stands in a `checker`",
                        "write it into a module, with the names that the signals have there",
                    );
                }
                // Comments are about the design, wherever in a process they stand.
                Scope::Process(_) | Scope::Initial | Scope::Routine if is_comment => in_process = true,
                Scope::Process(event) => {
                    (in_process, found.process) = (true, event);
                    if event.is_none() {
                        return refuse(
                            "this assertion stands in a process without a clock",
                            "expected it outside",
                            "write it outside of the process, with its clock: `assert property (@(posedge clk) …)`",
                        );
                    }
                }
                Scope::Initial => {
                    (in_process, found.once) = (true, true);
                    let before = &self.source[start..at.start];
                    if before.contains(['#', '@']) || before.contains("wait") {
                        return refuse(
                            "when this assertion is reached is not known",
                            "something is waited for before it",
                            "write it outside of `initial`; what must have come before is an antecedent: `assert property (a |-> …)`",
                        );
                    }
                }
                Scope::Routine => {
                    return refuse(
                        "when this assertion is reached is not known",
                        "it stands in a function, a task or a process of its own",
                        "write it outside: `assert property (@(posedge clk) …)`",
                    );
                }
                Scope::Loop(_) | Scope::Condition if in_process && is_comment => {}
                Scope::Loop(_) | Scope::Condition if in_process => {
                    return refuse(
                        "this assertion is asked only where its process reaches it",
                        "it stands under a condition, or in a loop",
                        "write it outside of the process, with the condition before it: `assert property (condition |-> …)`",
                    );
                }
                Scope::Condition => {
                    return refuse(
                        "whether this is asked depends on the parameters of the design",
                        "it stands in a branch of `if` or `case`",
                        "write it outside of the branch, or the branch into a file of its own",
                    );
                }
                Scope::Loop(head) => match rounds(&self.source[head.start..head.end]) {
                    Some(rounds) => found.loops.push(rounds),
                    None => {
                        return refuse(
                            "how often this is asked depends on the parameters of the design",
                            "the loop around it does not go from number to number, one by one",
                            "write numbers, as in `for (genvar i = 0; i < 4; i++)`; or in the formula `forall i in {0:3}: f`",
                        );
                    }
                },
            }
        }
        Ok(found)
    }

    /// The default clock where these units are around, the innermost first.
    fn default_of(&self, units: &[usize]) -> Option<Clock> {
        let mut wanted: Vec<usize> = units.to_vec();
        let mut seen: BTreeSet<usize> = wanted.iter().copied().collect();
        let mut next = 0;
        while let Some(&unit) = wanted.get(next) {
            if let Some((clock, _)) = self.clocks.get(&Some(unit)) {
                return Some(clock.clone());
            }
            let more = self.inherited.get(&unit).into_iter().flatten().copied();
            wanted.extend(more.filter(|&unit| seen.insert(unit)));
            next += 1;
        }
        self.clocks.get(&None).map(|(clock, _)| clock.clone())
    }

    /// `default clock is rising_edge(clk)`, `default clock = (posedge clk)`.
    fn default_clock(&mut self, parser: &mut Parser<'_>) -> Read {
        parser.advance()?;
        let is_clock = matches!(&parser.token, Token::Name(word) if word == "clock" || word == "clocking");
        if !is_clock {
            return Err(Box::new(parser.expected("`clock`").help("as in `default clock is rising_edge(clk);`")));
        }
        parser.advance()?;
        parser.advance()?;
        self.clock_of(parser)
    }

    /// The clock that the parser is at is the default one.
    fn clock_of(&mut self, parser: &mut Parser<'_>) -> Read {
        let clock = parser.edge_of(parser.span.start)?;
        if parser.token != Token::End {
            return Err(Box::new(parser.expected("`;`")));
        }
        let at = clock.span;
        let clock = self.spelled(&clock)?;
        let unit = self.unit_of(at.start);
        match self.clocks.insert(unit, (clock, at)) {
            None => Ok(()),
            Some((_, first)) => {
                let line = Place::in_text(&self.source, first).line;
                let mistake = self.mistake(Kind::Definition, at, "a second default clock");
                Err(Box::new(mistake.label(format!("there is one in line {line}")).help(
                    "a unit, a module or a file has one default clock; a property with another has it itself: `f @ (posedge clk)`",
                )))
            }
        }
    }

    /// The unit in which something stands.
    fn unit_of(&self, at: usize) -> Option<usize> {
        let around = self.scopes.around(at).into_iter().rev();
        around.filter(|(.., scope)| matches!(scope, Scope::Unit(_) | Scope::Checker)).map(|(number, ..)| number).next()
    }

    fn spelled(&mut self, clock: &ClockExpr) -> Read<Clock> {
        let frame = Frame::at_home(&self.text, &self.file);
        let mut expander = Expander::new(&mut self.definitions, Dialect::Psl(self.flavour), self.left);
        let signal = expander.clock_name(clock, &frame).map_err(|e| Box::new(e.diagnostic))?;
        Ok(Clock { signal, edge: clock.edge })
    }

    /// What a source in SystemVerilog says, in the round that it is for.
    fn assertion(&mut self, item: Item, round: Round) -> Read {
        let text = Arc::clone(&self.text);
        let parser = |span| Parser::new(&text, span, Dialect::Psl(self.flavour));
        match item {
            Item::Declaration { head, body } | Item::Let { head, body } if round == Round::Declarations => {
                let mut parser = parser(head)?;
                self.declaration(&mut parser, head.to(body), Some(body))
            }
            Item::Clock(span) if round == Round::Defaults => {
                let mut parser = parser(span)?;
                self.clock_of(&mut parser)
            }
            Item::Disable(span) if round == Round::Defaults => {
                let unit = self.unit_of(span.start);
                match self.disables.insert(unit, span) {
                    None => Ok(()),
                    Some(first) => {
                        let line = Place::in_text(&self.source, first).line;
                        let mistake = self.mistake(Kind::Definition, span, "a second `default disable iff`");
                        Err(Box::new(mistake.label(format!("there is one in line {line}"))))
                    }
                }
            }
            Item::Directive { label, word, body, action } if round == Round::Directives => {
                let called = |span: Span| &text[span.start..span.end];
                let Some(directive) = Directive::called(called(word)) else { return Ok(()) };
                let around = self.around(label.unwrap_or(word), false)?;
                let label = label.map(|span| called(span).to_owned());
                let asked = if around.once { Asked::First } else { Asked::Always };
                let remark = self.action(action);
                self.add(directive, label, body, asked, remark, &around)
            }
            Item::Endless(span) if round == Round::Directives => {
                let mistake = self.mistake(Kind::Syntax, span, "this assertion does not end");
                Err(Box::new(mistake.label("expected `(` behind it, and the `)` that closes it")))
            }
            _ => Ok(()),
        }
    }

    /// What is said where an assertion fails: `else $error("…")`.
    fn action(&self, span: Span) -> Option<Remark> {
        let text = &self.text[span.start..span.end];
        let (_, task) = text.split_once("else")?.1.split_once('$')?;
        let severity = match next_word(task, 0)? {
            ("info", 0) => Severity::Note,
            ("warning", 0) => Severity::Warning,
            ("error", 0) => Severity::Error,
            ("fatal", 0) => Severity::Failure,
            _ => return None,
        };
        let message = task.split_once('"').and_then(|(_, rest)| rest.split_once('"')).map(|(said, _)| said.to_owned());
        Some(Remark { message, severity: Some(severity) })
    }

    /// `sequence s (a, b) is {…}`, `property p (boolean a; const n) = …`. In SystemVerilog its body stands elsewhere.
    fn declaration(&mut self, parser: &mut Parser<'_>, span: Span, apart: Option<Span>) -> Read {
        let is_endpoint = matches!(&parser.token, Token::Name(word) if word == "endpoint");
        parser.advance()?;
        let name_span = parser.span;
        let Token::Name(name) = parser.token.clone() else {
            return Err(Box::new(parser.expected("a name").help("as in `property p (a, n) = always a -> next[n] b;`")));
        };
        parser.advance()?;
        let mut params = Vec::new();
        if parser.token == Token::Sign("(") {
            parser.advance()?;
            let mut last = None;
            loop {
                match (&parser.token, last.take()) {
                    (Token::Name(word), _) => last = Some(word.clone()),
                    // The width of a vector.
                    (Token::Sign("["), Some(word)) => {
                        let open = parser.span;
                        while !matches!(parser.token, Token::Sign("]") | Token::End) {
                            parser.advance()?;
                        }
                        if parser.token == Token::End {
                            return Err(Box::new(self.mistake(Kind::Syntax, open, "this bracket does not close")));
                        }
                        last = Some(word);
                    }
                    (Token::Sign("," | ";"), Some(word)) => params.push(word),
                    (Token::Sign(")"), Some(word)) => {
                        params.push(word);
                        break;
                    }
                    (Token::Sign(")"), None) if params.is_empty() => break,
                    _ => return Err(Box::new(parser.expected("a parameter").help("as in (boolean a, b; const n)"))),
                }
                parser.advance()?;
            }
            parser.advance()?;
        }
        let is_word = matches!(&parser.token, Token::Name(word) if word == "is");
        let body = match apart {
            Some(body) if parser.token == Token::End => body,
            Some(_) => return Err(Box::new(parser.expected("`;`"))),
            None if is_word || parser.token == Token::Sign("=") => Span::new(parser.span.end, span.end),
            None => return Err(Box::new(parser.expected("`is` or `=`"))),
        };
        let definition = Definition {
            item: span,
            name: name.clone(),
            name_span,
            params,
            body,
            is_whole: false,
            is_endpoint,
            text: Arc::clone(&self.text),
            file: Arc::clone(&self.file),
            block: ROOT,
        };
        let first = self.definitions.add(definition).err().map(|first| first.name_span);
        match first {
            None => Ok(()),
            Some(first) => {
                let line = Place::in_text(&self.source, first).line;
                let mistake = self.mistake(Kind::Definition, name_span, format!("`{name}` is declared twice"));
                Err(Box::new(mistake.label(format!("it is declared in line {line} as well"))))
            }
        }
    }

    /// `[label:] assert f [report "…"] [severity …]`
    fn directive(&mut self, parser: &mut Parser<'_>, span: Span) -> Read {
        let (mut label, mut at) = (None, parser.span);
        let mut word = match &parser.token {
            Token::Name(word) => word.clone(),
            _ => String::new(),
        };
        if Directive::called(&word).is_none() {
            parser.advance()?;
            if parser.token == Token::Sign(":") {
                label = Some(word);
                parser.advance()?;
                at = parser.span;
                word = match &parser.token {
                    Token::Name(word) => word.clone(),
                    _ => String::new(),
                };
            }
        }
        let strong = self.text[at.end.min(span.end)..span.end].starts_with('!') && word.starts_with("restrict");
        let Some(directive) = Directive::called(&if strong { format!("{word}!") } else { word.clone() }) else {
            let message = match word.as_str() {
                "" => "a statement begins with a word".to_owned(),
                word => format!("`{word}` is not a directive of PSL"),
            };
            let help = match (word.as_str(), parser.token == Token::Sign("%")) {
                ("", true) => "macros such as `%for` are not put in: write each directive, or `forall i in {0:3}: f`",
                ("fairness" | "strong", _) => {
                    "a model says it itself (JUSTICE, COMPASSION); of a run ask `assert always eventually! b`"
                }
                ("sequence" | "property" | "endpoint", _) => "declarations have no label",
                _ => {
                    "declarations are `sequence`, `property` and `default clock`; statements of the HDL itself are not read"
                }
            };
            let mistake = self.mistake(Kind::Syntax, at, message);
            return Err(Box::new(mistake.label("expected `assert`, `assume`, `restrict` or `cover`").help(help)));
        };
        let mut from = at.end + usize::from(strong);
        let mut asked = Asked::Once;
        // SystemVerilog: `assert property (f)`.
        if let Some((second, start)) = next_word(&self.text[..span.end], from)
            && second == "property"
            && self.text[from..start].trim().is_empty()
        {
            from = start + second.len();
            asked = Asked::Always;
        }
        let body = self.body(Span::new(from, span.end));
        let remark = self.remark(Span::new(body.end, span.end))?;
        let around = self.around(Span::new(span.start, at.end), true)?;
        self.add(directive, label, body, asked, remark, &around)
    }

    /// One property for each round of the loops around a directive.
    fn add(
        &mut self,
        directive: Directive,
        label: Option<String>,
        body: Span,
        asked: Asked,
        remark: Option<Remark>,
        around: &Around,
    ) -> Read {
        let remark = remark.map(Arc::new);
        let mut values: Vec<(String, i64)> =
            around.loops.iter().map(|(name, first, _)| (name.clone(), *first)).collect();
        if around.loops.iter().any(|(_, first, last)| first > last) {
            return Ok(());
        }
        loop {
            let property = self.property(directive, label.clone(), body, asked, around, &values)?;
            self.properties.push(Property { remark: remark.clone(), ..property });
            // The next round: the innermost loop goes on first.
            let mut at = values.len();
            loop {
                let Some(inner) = at.checked_sub(1) else { return Ok(()) };
                at = inner;
                let (_, first, last) = around.loops[at];
                if values[at].1 < last {
                    values[at].1 += 1;
                    break;
                }
                values[at].1 = first;
            }
        }
    }

    /// The formula of a directive: what stands before `report` or `severity`. Strings are none of it, and literals such as X"4" are.
    fn body(&self, span: Span) -> Span {
        let text = &self.text[..span.end];
        let (mut depth, mut quoted, mut at) = (0_i64, false, span.start);
        while let Some(c) = text[at..].chars().next() {
            let begins = !quoted && (c.is_alphanumeric() || c == '_');
            let word = if begins { next_word(text, at) } else { None };
            match (c, word) {
                (_, Some((word, _))) => {
                    if depth == 0 && ["report", "severity"].iter().any(|end| word.eq_ignore_ascii_case(end)) {
                        return Span::new(span.start, at);
                    }
                    at += word.len();
                    continue;
                }
                ('"', None) => quoted = !quoted,
                ('(' | '{' | '[', None) if !quoted => depth += 1,
                (')' | '}' | ']', None) if !quoted => depth -= 1,
                _ => {}
            }
            at += c.len_utf8();
        }
        span
    }

    /// `report "…" severity …` behind a formula: either, both, or nothing.
    fn remark(&self, span: Span) -> Read<Option<Remark>> {
        let mut remark = Remark::default();
        let mut from = span.start;
        loop {
            let rest = &self.text[from..span.end];
            let start = from + (rest.len() - rest.trim_start().len());
            let Some(c) = self.text[start..span.end].chars().next() else { break };
            let (word, end) = match next_word(&self.text[..span.end], start) {
                Some((word, at)) if at == start => (word.to_ascii_lowercase(), start + word.len()),
                _ => (String::new(), start + c.len_utf8()),
            };
            from = match word.as_str() {
                "report" if remark.message.is_none() => {
                    let (message, end) = self.string(Span::new(end, span.end))?;
                    remark.message = Some(message);
                    end
                }
                "severity" if remark.severity.is_none() => {
                    let (severity, end) = self.severity(Span::new(end, span.end))?;
                    remark.severity = Some(severity);
                    end
                }
                _ => {
                    let mistake = self.mistake(Kind::Syntax, Span::new(start, end), "this does not end a directive");
                    let label = "expected `;`, or once each `report \"…\"` and `severity error`";
                    return Err(Box::new(mistake.label(label)));
                }
            };
        }
        Ok((remark != Remark::default()).then_some(remark))
    }

    /// A string, in which a quote is written twice as in VHDL, and where it ends.
    fn string(&self, span: Span) -> Read<(String, usize)> {
        let rest = &self.text[span.start..span.end];
        let start = span.start + (rest.len() - rest.trim_start().len());
        let mut parts = self.text[start..span.end].char_indices().peekable();
        let mut said = String::new();
        let opens = matches!(parts.next(), Some((_, '"')));
        while let (true, Some((at, c))) = (opens, parts.next()) {
            match (c, parts.peek()) {
                ('"', Some((_, '"'))) => {
                    parts.next();
                    said.push('"');
                }
                ('"', _) => return Ok((said, start + at + 1)),
                _ => said.push(c),
            }
        }
        let mistake = self.mistake(Kind::Syntax, Span::new(start, span.end.max(start)), "a report is a string");
        Err(Box::new(mistake.label("expected a string").help("as in `report \"granted twice\"`")))
    }

    /// A word of [`Severity`], and where it ends.
    fn severity(&self, span: Span) -> Read<(Severity, usize)> {
        let found = next_word(&self.text[..span.end], span.start);
        let (word, start) = found.unwrap_or(("", span.end));
        let end = start + word.len();
        let known = Severity::ALL.into_iter().find(|severity| word.eq_ignore_ascii_case(severity.word()));
        let blank = self.text[span.start..start].trim().is_empty();
        known.filter(|_| blank).map(|severity| (severity, end)).ok_or_else(|| {
            let message =
                if end > start { format!("`{word}` is not a severity") } else { "the severity is missing".to_owned() };
            let mistake = self.mistake(Kind::Syntax, Span::new(start, end), message);
            Box::new(mistake.label("expected `note`, `warning`, `error` or `failure`"))
        })
    }

    fn property(
        &mut self,
        directive: Directive,
        label: Option<String>,
        body: Span,
        asked: Asked,
        around: &Around,
        values: &[(String, i64)],
    ) -> Read<Property> {
        let text = Arc::clone(&self.text);
        // PSL's optional branching extension is CTL.
        let branching = next_word(&text[..body.end], body.start).is_some_and(|(word, start)| {
            let behind = text[start + word.len()..body.end].trim_start();
            let quantified = matches!(word, "AG" | "AF" | "AX" | "EG" | "EF" | "EX");
            text[body.start..start].chars().all(|c| c.is_whitespace() || c == '(')
                && (quantified || (matches!(word, "A" | "E") && behind.starts_with('[')))
        });
        let dialect = if branching { Dialect::Ctl } else { Dialect::Psl(self.flavour) };
        let flavour = self.flavour;
        let expr = Parser::new(&text, body, dialect).and_then(|parser| parser.with_literals(flavour).whole())?;
        let units = around.units.iter().map(|&unit| Some(unit)).chain([None]);
        let disable = units.filter_map(|unit| self.disables.get(&unit).copied()).next();
        let disable = disable.filter(|_| asked != Asked::Once);
        let disable = disable.map(|span| Parser::new(&text, span, dialect).and_then(Parser::whole)).transpose()?;
        // A process has its clock before that of its module.
        let of_process = around.process.map(|span| self.clock_of_process(span));
        let default = match &of_process {
            Some(clock) => clock.clone(),
            None => self.default_of(&around.units),
        };
        let frame = Frame::in_block(&self.text, &self.file, ROOT, values);
        let mut expander = Expander::new(&mut self.definitions, dialect, self.left);
        let expanded = expander.formula(&expr, &frame);
        let disable = disable.map(|disable| expander.formula(&disable, &frame)).transpose();
        self.left = expander.left;
        let unfolded = expander.unfolded;
        let warnings = std::mem::take(&mut expander.warnings).into_iter().map(|w| w.diagnostic).collect();
        let expanded = expanded.map_err(|e| Box::new(e.diagnostic))?;
        let disable = disable.map_err(|e| Box::new(e.diagnostic))?;
        let mut reader = Reader::new(&text).by_default(default.filter(|_| !branching));
        let disable = disable.map(|disable| (reader.psl(&disable), disable.span));
        if let Some((other, span)) = &disable
            && !matches!(other, Psl::Bool(_))
        {
            let mistake = self.mistake(Kind::Syntax, *span, "a property is disabled by a boolean");
            return Err(Box::new(mistake.label("expected a boolean")));
        }
        // A property that says itself when it is disabled does not have the default.
        let expanded = match directive {
            Directive::Cover if expanded.has_ended() => expanded.eventually(),
            _ => expanded,
        };
        let of_psl = |reader: &mut Reader<'_>| match (reader.psl(&expanded), disable) {
            (f @ Psl::Abort(..), _) => f,
            (f, Some((Psl::Bool(b), _))) => Psl::Abort(Box::new(f), b),
            (f, _) => f,
        };
        let (formula, quantifier) = match directive {
            _ if branching => (Formula::Ctl(reader.ctl(&expanded)), Quantifier::Every),
            Directive::Cover => (Formula::Psl(View::States, covered(of_psl(&mut reader))), Quantifier::Some),
            Directive::Restrict { strong } => {
                let formula = match reader.psl(&expanded) {
                    Psl::Sere { sere, strong: false } => Psl::Sere { sere, strong },
                    f => f,
                };
                (Formula::Psl(View::States, formula), Quantifier::Every)
            }
            Directive::Assert | Directive::Assume => {
                let formula = match (asked, of_psl(&mut reader)) {
                    (Asked::Always, f) if !matches!(f, Psl::Unary(PslUnary::Globally, _)) => {
                        Psl::Unary(PslUnary::Globally, Box::new(f))
                    }
                    (_, f) => f,
                };
                (Formula::Psl(View::States, formula), Quantifier::Every)
            }
        };
        let clock = reader.take_clock();
        if let Some(of_process) = &of_process
            && (clock.is_none() || of_process.as_ref().is_some_and(|own| clock.as_ref() != Some(own)))
        {
            let mistake = self.mistake(Kind::Unsupported, expr.span, "the clock of this assertion is not known");
            return Err(Box::new(
                mistake
                    .label("its process waits for something else")
                    .help("write it outside of the process, with its clock: `assert property (@(posedge clk) …)`"),
            ));
        }
        if clock.is_none() && asked != Asked::Once {
            self.unclocked.push(expr.span);
        }
        let triggers = reader.take_triggers(View::States);
        let formula = reader.finish(formula).map_err(|all| {
            let first = all.into_iter().next();
            Box::new(first.unwrap_or_else(|| self.mistake(Kind::Syntax, body, "this is no formula")))
        })?;
        let line = Place::in_text(&self.source, expr.span).line;
        let own = label.unwrap_or_else(|| match directive {
            Directive::Assert => format!("{} in line {line}", directive.word()),
            _ => format!("in line {line}"),
        });
        let rounds: String = values.iter().map(|(_, value)| format!("[{value}]")).collect();
        let name = self.unused(format!("{}{own}{rounds}", directive.prefix()));
        let written = Property::written(Arc::clone(&self.source), expr.span, formula);
        let file = Some(Arc::clone(&self.file));
        Ok(Property { name: Some(name), quantifier, file, warnings, unfolded, triggers, clock, ..written })
    }

    /// The clock of `always @(posedge clk)`; `None` if it waits for more than that.
    fn clock_of_process(&mut self, span: Span) -> Option<Clock> {
        let source = Arc::clone(&self.source);
        let mut parser = Parser::new(&source, span, Dialect::Psl(self.flavour)).ok()?;
        let clock = parser.edge_of(span.start).ok().filter(|_| parser.token == Token::End)?;
        self.spelled(&clock).ok()
    }

    /// Two directives of one line are told apart.
    fn unused(&self, name: String) -> String {
        let taken = |name: &str| self.properties.iter().any(|p| p.name.as_deref() == Some(name));
        if !taken(&name) {
            return name;
        }
        (2..).map(|n| format!("{name} #{n}")).find(|other| !taken(other)).unwrap_or(name)
    }
}

/// Where what a `cover` asks for is met: at the end of a match. Of an implication, which SystemVerilog covers as well, both sides count,
/// and nothing that a condition disables.
fn covered(formula: Psl) -> Psl {
    fn sere(formula: Psl) -> Result<Sere, Box<Psl>> {
        let chain = |op, parts| Sere::Chain(op, parts);
        match formula {
            Psl::Bool(b) => Ok(Sere::Bool(b)),
            Psl::Sere { sere, .. } => Ok(sere),
            Psl::Suffix(suffix @ (Suffix::Overlapping | Suffix::After), r, f) => match sere(*f) {
                Ok(s) if suffix == Suffix::After => Ok(chain(SereOp::Concat, vec![r, s])),
                Ok(s) => Ok(chain(SereOp::Fusion, vec![r, s])),
                Err(f) => Err(Box::new(Psl::Suffix(suffix, r, f))),
            },
            Psl::Abort(f, b) => match sere(*f) {
                Ok(s) => {
                    let stays = Sere::Repeat(Box::new(Sere::Bool(Guard::Not(Box::new(b)))), Times::ANY);
                    Ok(chain(SereOp::Intersect, vec![stays, s]))
                }
                Err(f) => Err(Box::new(Psl::Abort(f, b))),
            },
            f => Err(Box::new(f)),
        }
    }
    match sere(formula) {
        Ok(sere) => Psl::Eventually(sere),
        Err(f) if matches!(*f, Psl::Eventually(_)) => *f,
        Err(f) => Psl::Unary(PslUnary::Finally, f),
    }
}

#[cfg(test)]
mod tests;
