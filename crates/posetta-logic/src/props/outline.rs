//! The heads of all items of a property file and of the files it imports. Formulas are left for later, because a
//! definition may stand behind its use.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::items::{Item, closing, items};
use super::{ENOUGH, Load, NoFile, unmentioned, view_named, word_span};
use crate::atom::Spot;
use crate::each::{Domain, Each};
use crate::lex::Token;
use crate::library::LibraryFile;
use crate::monitor::text::Sketch;
use crate::parse::{
    Definition, Definitions, Dialect, Expr, Index, Mistake, Name, Parser, Piece, ROOT, fail, is_reserved,
};
use crate::pattern::{PATTERNS, Pattern};
use crate::property::{Quantifier, View};
use crate::suggest::nearest;
use posetta_base::{Diagnostic, Kind, Located, Place, Span};

/// Files inside files and blocks inside blocks are read recursively; nobody needs more.
const DEEPEST: usize = 50;

/// The items of a file, or of the block of a `foreach`.
pub(super) struct Block {
    /// Its place among the blocks of the definitions.
    pub(super) id: usize,
    pub(super) text: Arc<str>,
    pub(super) file: Arc<str>,
    /// The definitions that stand directly in it.
    pub(super) definitions: Vec<usize>,
    pub(super) heads: Vec<Head>,
}

/// The logic of a property, and the positions that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    Ltl(View),
    Ctl,
    Psl(View),
    M2l(View),
}

impl Logic {
    /// In which atoms are written, too.
    pub(super) fn dialect(self) -> Dialect {
        match self {
            Self::Ltl(_) | Self::M2l(_) => Dialect::Ltl,
            Self::Ctl => Dialect::Ctl,
            Self::Psl(_) => Dialect::PSL,
        }
    }
}

/// An item that is not a definition.
pub(super) enum Head {
    Property {
        /// From its first word to the next item.
        item: Span,
        name: Vec<Piece>,
        name_span: Span,
        quantifier: Quantifier,
        /// The loop over values that it is the body of.
        each: Option<Arc<Each>>,
        /// `None`: what follows is the use of a definition that says it.
        logic: Option<Logic>,
        body: Span,
        /// The formula, once it was asked for; in a loop it is asked for in every round.
        parsed: OnceCell<Result<Expr, Diagnostic>>,
    },
    Monitor {
        name: Vec<Piece>,
        name_span: Span,
        quantifier: Quantifier,
        view: View,
        /// From its first word to its closing brace.
        span: Span,
        sketch: Sketch,
    },
    Foreach {
        variable: String,
        from: Index,
        to: Index,
        span: Span,
        block: Block,
    },
    /// A loop over the values that a run has: one property has an instance for each.
    ForeachValue(Arc<Each>, Block),
    Import(Block),
    /// Names of events that need not come.
    Events(Vec<(Name, Span)>),
}

/// How a definition that is a whole property asks.
pub(super) struct Whole {
    pub(super) quantifier: Quantifier,
    /// Its own loop over values, and whether the attribute of that is a word, which may be a parameter.
    pub(super) each: Option<(Arc<Each>, bool)>,
    pub(super) logic: Logic,
}

/// Everything but the formulas.
pub(super) struct Outline {
    pub(super) definitions: Definitions,
    /// By definition.
    pub(super) wholes: FxHashMap<usize, Rc<Whole>>,
    pub(super) mistakes: Vec<Located>,
    pub(super) root: Block,
}

impl Outline {
    pub(super) fn read(file: &str, source: &str, load: &mut Load<'_>) -> Self {
        let mut reader = OutlineReader {
            definitions: Definitions::default(),
            wholes: FxHashMap::default(),
            mistakes: Vec::new(),
            seen: FxHashSet::default(),
            library: FxHashSet::default(),
            loops: Vec::new(),
            each: None,
            depth: 0,
            load,
        };
        reader.seen.insert(file.to_owned());
        let root = reader.file(&Arc::from(file), &Arc::from(source));
        Self { definitions: reader.definitions, wholes: reader.wholes, mistakes: reader.mistakes, root }
    }
}

struct OutlineReader<'l> {
    definitions: Definitions,
    wholes: FxHashMap<usize, Rc<Whole>>,
    mistakes: Vec<Located>,
    /// The files that were read, by name.
    seen: FxHashSet<String>,
    /// Those of the library that were. A file on disk may have the name of one.
    library: FxHashSet<&'static str>,
    /// The variables of the loops around the item in hand.
    loops: Vec<String>,
    /// The loop over values around it.
    each: Option<Arc<Each>>,
    depth: usize,
    load: &'l mut Load<'l>,
}

/// A part of a file: where the items of one block stand.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    file: &'a Arc<str>,
    text: &'a Arc<str>,
    block: usize,
}

impl Stretch<'_> {
    fn mistake(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, message).at(Place::in_text(self.text, span))
    }
}

impl OutlineReader<'_> {
    fn file(&mut self, file: &Arc<str>, text: &Arc<str>) -> Block {
        let whole = Span::new(0, text.len());
        self.block(Stretch { file, text, block: ROOT }, whole, false)
    }

    fn block(&mut self, here: Stretch<'_>, span: Span, in_block: bool) -> Block {
        let (text, file) = (Arc::clone(here.text), Arc::clone(here.file));
        let mut block = Block { id: here.block, text, file, definitions: Vec::new(), heads: Vec::new() };
        for item in items(here.text, span, in_block) {
            let read = match item.word {
                None => nothing(here, item.span),
                Some("property") => self.property(here, item.span).map(|head| block.heads.push(head)),
                Some("monitor") => self.monitor(here, item).map(|head| block.heads.push(head)),
                Some("event") => events(here, item.span).map(|names| block.heads.push(Head::Events(names))),
                Some("let") => self.definition(here, item.span).map(|id| block.definitions.push(id)),
                Some("import") => self.import(here, item.span).map(|head| block.heads.extend(head)),
                Some(_) => self.foreach(here, item).map(|head| block.heads.push(head)),
            };
            if let Err(mistake) = read {
                self.mistakes.push(Located { file: Arc::clone(here.file), diagnostic: *mistake });
            }
            if self.mistakes.len() >= ENOUGH {
                break;
            }
        }
        block
    }

    /// `property NAME = LOGIC …`, or a pattern in place of the logic.
    fn property(&mut self, here: Stretch<'_>, item: Span) -> Result<Head, Mistake> {
        let span = item;
        let mut parser = Parser::new(here.text, span, Dialect::Ltl)?;
        parser.advance()?;
        let Some((name, name_span)) = self.name(&mut parser)? else {
            return fail(parser.expected("a name").label("expected `NAME = ltl …`"));
        };
        if parser.token != Token::Sign("=") {
            return fail(parser.expected("`=`").label("expected `= ltl …`"));
        }
        parser.advance()?;
        let (each, span) = match self.inline_loop(here, &mut parser, span)? {
            Some((each, _, inside)) => (Some(each), inside),
            None => (None, span),
        };
        let quantifier = quantifier(&mut parser)?;
        let (logic, start) = match by_definition(here, &parser, span.end)? {
            true => (None, parser.span.start),
            false => logic(here, &mut parser, span.end).map(|(logic, start)| (Some(logic), start))?,
        };
        match (quantifier, logic) {
            (Some((word, at)), Some(Logic::Ctl)) => return fail(asks_twice(here, word, at)),
            (Some((_, at)), None) => {
                let word = &here.text[at.start..at.end];
                let mistake = here.mistake(Kind::Syntax, at, format!("`{word}` stands before a logic or a pattern"));
                let help =
                    "a definition that is a whole property says itself whether it asks for some order or every one";
                return fail(mistake.label("expected nothing, or a logic behind it").help(help));
            }
            _ => {}
        }
        let quantifier = quantifier.map_or(Quantifier::Every, |(quantifier, _)| quantifier);
        let rest = &here.text[start..span.end];
        let body = Span::new(start, start + rest.trim_end().len());
        Ok(Head::Property { item, name, name_span, quantifier, each, logic, body, parsed: OnceCell::new() })
    }

    /// `foreach k in values(ATTRIBUTE) {`, if it stands there: the loop, and the inside of its block, where the parser goes on.
    fn inline_loop<'t>(
        &mut self,
        here: Stretch<'t>,
        parser: &mut Parser<'t>,
        span: Span,
    ) -> Result<Option<(Arc<Each>, bool, Span)>, Mistake> {
        if !matches!(&parser.token, Token::Name(word) if word == "foreach") {
            return Ok(None);
        }
        let start = parser.span.start;
        parser.advance()?;
        let variables = loop_variables(parser)?;
        if !matches!(&parser.token, Token::Name(word) if word == "in") {
            return fail(parser.expected("`in`").help(LIKE_VALUES));
        }
        parser.advance()?;
        let Some((domain, of, is_word)) = domain(here, parser)? else {
            return fail(parser.expected("`values(…)` or `processes`").help(LIKE_VALUES));
        };
        let each = self.loop_over(here, variables, (domain, of), Span::new(start, parser.last_end))?;
        if parser.token != Token::Sign("{") {
            return fail(parser.expected("`{`").help(LIKE_VALUES));
        }
        let open = parser.span.start;
        let Some(close) = closing(&here.text[..span.end], open) else {
            let mistake = here.mistake(Kind::Syntax, parser.span, "this block does not end");
            return fail(mistake.label("expected a `}` for it"));
        };
        nothing(here, Span::new(close + 1, span.end))?;
        let inside = Span::new(open + 1, close);
        *parser = Parser::new(here.text, inside, Dialect::Ltl)?;
        Ok(Some((each, is_word, inside)))
    }

    /// A loop over values, unless it stands in another one.
    fn loop_over(
        &self,
        here: Stretch<'_>,
        variables: Vec<(String, Span)>,
        (domain, of): (Domain, Span),
        span: Span,
    ) -> Result<Arc<Each>, Mistake> {
        if let Some(outer) = &self.each {
            let message = "a loop over values cannot stand in another one";
            let mistake = here.mistake(Kind::Unsupported, span, message).label(format!("`{outer}` is around it"));
            return fail(mistake);
        }
        for (variable, span) in &variables {
            if self.loops.contains(variable) {
                let message = format!("a loop around this one has the variable `{variable}` too");
                return fail(here.mistake(Kind::Definition, *span, message));
            }
        }
        let mut variables = variables.into_iter();
        let (variable, _) = variables.next().unwrap_or_default();
        let second = match variables.next() {
            Some((second, span)) if second == variable => {
                let message = format!("both values are called `{second}`");
                return fail(here.mistake(Kind::Definition, span, message).label("expected another name"));
            }
            Some((_, span)) if domain == Domain::Processes => {
                let mistake = here.mistake(Kind::Unsupported, span, "there are pairs of values, not of processes");
                return fail(mistake.label("expected one variable").help(LIKE_PAIRS));
            }
            second => second.map(|(second, _)| second),
        };
        Ok(Arc::new(Each { variable, second, domain, spot: Spot(of) }))
    }

    /// `monitor NAME over VIEW { … }`, perhaps behind `some` or `every`
    fn monitor(&mut self, here: Stretch<'_>, item: Item) -> Result<Head, Mistake> {
        const LIKE: &str = "as in `monitor mutex over events { … }`";
        let mut parser = Parser::new(here.text, item.span, Dialect::Ltl)?;
        let quantifier = quantifier(&mut parser)?.map_or(Quantifier::Every, |(quantifier, _)| quantifier);
        let word = parser.span;
        parser.advance()?;
        let Some((name, name_span)) = self.name(&mut parser)? else {
            return fail(parser.error(word, "this monitor has no name").label("expected a name behind it").help(LIKE));
        };
        let mut view = View::Events;
        if matches!(&parser.token, Token::Name(word) if word == "over") {
            parser.advance()?;
            view = self::view(&parser)?;
            parser.advance()?;
        }
        let head = Span::new(item.span.start, parser.last_end);
        let inside = self.inside(here, &parser, item, LIKE)?;
        let sketch = Sketch::read(here.text, head, inside)?;
        let span = Span::new(item.span.start, inside.end + 1);
        Ok(Head::Monitor { name, name_span, quantifier, view, span, sketch })
    }

    /// The name of a property, if one is there. In loops it tells the rounds apart.
    fn name(&self, parser: &mut Parser<'_>) -> Result<Option<(Vec<Piece>, Span)>, Mistake> {
        let start = parser.span;
        let mut name = match parser.token.clone() {
            Token::Name(_) => parser.pieces()?,
            Token::Text(name) => {
                parser.advance()?;
                vec![Piece::Text(name)]
            }
            _ => return Ok(None),
        };
        let span = Span::new(start.start, parser.last_end);
        let missing: Vec<Piece> = unmentioned(&name, &self.loops)
            .into_iter()
            .map(|variable| Piece::Index(Index::Word(variable.clone(), span)))
            .collect();
        name.extend(missing);
        Ok(Some((name, span)))
    }

    /// The inside of the block of an item whose head has been read.
    fn inside(&self, here: Stretch<'_>, parser: &Parser<'_>, item: Item, like: &str) -> Result<Span, Mistake> {
        let Some(inside) = item.block else {
            return fail(match parser.token {
                Token::Sign("{") => {
                    here.mistake(Kind::Syntax, parser.span, "this block does not end").label("expected a `}` for it")
                }
                _ => parser.expected("`{`").help(like),
            });
        };
        if parser.token != Token::End {
            return fail(parser.expected("`{`").help(like));
        }
        Ok(inside)
    }

    /// `let NAME = …` or `let NAME(PARAMETER, …) = …`
    fn definition(&mut self, here: Stretch<'_>, span: Span) -> Result<usize, Mistake> {
        let mut parser = Parser::new(here.text, span, Dialect::Ltl)?;
        parser.advance()?;
        let (name, name_span) = new_word(&mut parser, "definition")?;
        self.named(here, span, parser, &name, name_span).inspect_err(|mistake| {
            let mistake = Located { file: Arc::clone(here.file), diagnostic: (**mistake).clone() };
            self.definitions.add_broken(here.block, name, mistake);
        })
    }

    /// A definition from behind its name.
    fn named<'t>(
        &mut self,
        here: Stretch<'t>,
        span: Span,
        mut parser: Parser<'t>,
        name: &str,
        name_span: Span,
    ) -> Result<usize, Mistake> {
        if Pattern::named(name).is_some() {
            return fail(
                here.mistake(Kind::Definition, name_span, format!("`{name}` is a pattern"))
                    .label("expected another name"),
            );
        }
        self.not_a_loop_variable(here, name, name_span)?;
        let mut params: Vec<String> = Vec::new();
        if parser.token == Token::Sign("(") {
            parser.advance()?;
            while parser.token != Token::Sign(")") {
                let (param, param_span) = new_word(&mut parser, "parameter")?;
                self.not_a_loop_variable(here, &param, param_span)?;
                if params.contains(&param) {
                    return fail(here.mistake(
                        Kind::Definition,
                        param_span,
                        format!("two parameters are called `{param}`"),
                    ));
                }
                params.push(param);
                match parser.token {
                    Token::Sign(",") => drop(parser.advance()?),
                    Token::Sign(")") => {}
                    _ => return fail(parser.expected("`,` or `)`")),
                }
            }
            parser.advance()?;
        }
        if parser.token != Token::Sign("=") {
            return fail(parser.expected("`=`").label("expected `= FORMULA`"));
        }
        parser.advance()?;
        let (whole, start, end) = match self.whole(here, &mut parser, span)? {
            Some((whole, inside)) => (Some(whole), inside.start, inside.end),
            None => (None, parser.span.start, span.end),
        };
        let rest = &here.text[start..end];
        let body = Span::new(start, start + rest.trim_end().len());
        let definition = Definition {
            item: span,
            name: name.to_owned(),
            name_span,
            params,
            body,
            is_whole: whole.is_some(),
            is_endpoint: false,
            text: Arc::clone(here.text),
            file: Arc::clone(here.file),
            block: here.block,
        };
        match self.definitions.add(definition) {
            Ok(id) => {
                self.wholes.extend(whole.map(|whole| (id, Rc::new(whole))));
                Ok(id)
            }
            Err(first) => {
                let line = Place::in_text(&first.text, first.name_span).line;
                let place = if first.file == *here.file {
                    format!("line {line}")
                } else {
                    format!("line {line} of `{}`", first.file)
                };
                let message = format!("two definitions are called `{}`", first.name);
                fail(here.mistake(Kind::Definition, name_span, message).label(format!("the first one is in {place}")))
            }
        }
    }

    /// What stands before the formula of a definition, if that is a whole property, and the rest.
    fn whole<'t>(
        &mut self,
        here: Stretch<'t>,
        parser: &mut Parser<'t>,
        span: Span,
    ) -> Result<Option<(Whole, Span)>, Mistake> {
        const WORDS: [&str; 7] = ["ltl", "ctl", "psl", "m2l", "some", "every", "foreach"];
        match &parser.token {
            Token::Name(word) if WORDS.contains(&word.as_str()) => {}
            _ => return Ok(None),
        }
        // A variable may be called so; then an operator follows, or nothing. A definition has its parenthesis right behind it.
        let behind = Parser::new(here.text, Span::new(parser.span.end, span.end), Dialect::PSL)?;
        let is_operand = match behind.token {
            Token::End => false,
            Token::Sign(sign) => ["(", "{", "!", "-"].contains(&sign) && behind.span.start > parser.span.end,
            _ => true,
        };
        if !is_operand {
            return Ok(None);
        }
        let (each, span) = match self.inline_loop(here, parser, span)? {
            Some((each, is_word, inside)) => (Some((each, is_word)), inside),
            None => (None, span),
        };
        let at = parser.span;
        let quantifier = quantifier(parser)?;
        let (logic, start) = logic(here, parser, span.end)?;
        match (quantifier, logic) {
            (Some((word, at)), Logic::Ctl) => return fail(asks_twice(here, word, at)),
            (_, Logic::M2l(_)) => {
                let mistake = here.mistake(Kind::Unsupported, at, "a definition cannot be a formula of M2L");
                let help = "M2L has `pred` and `macro` of its own; a definition may stand in its backquotes";
                return fail(mistake.label("expected `ltl`, `ctl`, `psl` or a pattern").help(help));
            }
            _ => {}
        }
        let quantifier = quantifier.map_or(Quantifier::Every, |(quantifier, _)| quantifier);
        Ok(Some((Whole { quantifier, each, logic }, Span::new(start, span.end))))
    }

    /// A name that had two meanings would hide one of them.
    fn not_a_loop_variable(&self, here: Stretch<'_>, name: &str, span: Span) -> Result<(), Mistake> {
        if !self.loops.iter().any(|variable| variable == name) {
            return Ok(());
        }
        let message = format!("`{name}` is the variable of a loop around this");
        fail(here.mistake(Kind::Definition, span, message).label("expected another name"))
    }

    /// `import "FILE"`. A file that was read before adds nothing.
    fn import(&mut self, here: Stretch<'_>, span: Span) -> Result<Option<Head>, Mistake> {
        let mut parser = Parser::new(here.text, span, Dialect::Ltl)?;
        parser.advance()?;
        let path_span = parser.span;
        let Token::Text(path) = parser.token.clone() else {
            return fail(
                parser.expected("a file").label("expected a path in double quotes, as in `import \"more.props\"`"),
            );
        };
        parser.advance()?;
        if parser.token != Token::End {
            return fail(parser.expected("the end of the line").label("an import is one path"));
        }
        if here.block != ROOT {
            return fail(
                here.mistake(Kind::Syntax, word_span(span.start, "import"), "an import cannot stand in a loop")
                    .label("expected `property`, `monitor`, `event`, `let` or `foreach`"),
            );
        }
        if self.depth >= DEEPEST {
            return fail(here.mistake(
                Kind::Nesting,
                path_span,
                format!("more than {DEEPEST} files import each other in a row"),
            ));
        }
        let refused = |NoFile { why, help }| {
            let mut mistake = here.mistake(Kind::Input, path_span, format!("cannot import `{path}`: {why}"));
            mistake.help = help;
            Box::new(mistake)
        };
        let (name, text) = match LibraryFile::wanted(&path) {
            // Nothing on disk is looked at, so that no file can pass for one of the library.
            Some(found) => {
                let file = found.map_err(refused)?;
                if !self.library.insert(file.name) {
                    return Ok(None);
                }
                (file.called(), file.text.to_owned())
            }
            None => {
                let (name, text) = (self.load)(here.file, &path).map_err(refused)?;
                if !self.seen.insert(name.clone()) {
                    return Ok(None);
                }
                (name, text)
            }
        };
        self.depth += 1;
        let block = self.file(&Arc::from(name), &Arc::from(text));
        self.depth -= 1;
        Ok(Some(Head::Import(block)))
    }

    /// `foreach VARIABLE in FIRST..LAST { … }`
    fn foreach(&mut self, here: Stretch<'_>, item: Item) -> Result<Head, Mistake> {
        const LIKE: &str = "as in `foreach i in 0..9 { … }`: 0 and 9 belong to it";
        let mut parser = Parser::new(here.text, item.span, Dialect::Ltl)?;
        parser.advance()?;
        let mut variables = loop_variables(&mut parser)?;
        if !matches!(&parser.token, Token::Name(word) if word == "in") {
            return fail(parser.expected("`in`").help(LIKE));
        }
        parser.advance()?;
        if let Some((domain, of, _)) = domain(here, &mut parser)? {
            let each = self.loop_over(here, variables, (domain, of), Span::new(item.span.start, parser.last_end))?;
            let inside = self.inside(here, &parser, item, LIKE_VALUES)?;
            let block = self.definitions.open_scope(here.block);
            self.each = Some(Arc::clone(&each));
            let block = self.block(Stretch { block, ..here }, inside, true);
            self.each = None;
            return Ok(Head::ForeachValue(each, block));
        }
        let (variable, variable_span) = variables.remove(0);
        if let Some((_, span)) = variables.first() {
            let mistake = here.mistake(Kind::Syntax, *span, "a loop over numbers has one variable");
            return fail(mistake.label("expected `in`").help(LIKE_PAIRS));
        }
        let from = parser.index()?;
        for _ in 0..2 {
            if parser.token != Token::Sign(".") {
                return fail(parser.expected("`..`").help(LIKE));
            }
            parser.advance()?;
        }
        let to = parser.index()?;
        let span = Span::new(item.span.start, parser.last_end);
        let inside = self.inside(here, &parser, item, LIKE)?;
        if self.loops.contains(&variable) {
            return fail(here.mistake(
                Kind::Definition,
                variable_span,
                format!("a loop around this one has the variable `{variable}` too"),
            ));
        }
        if self.loops.len() >= DEEPEST {
            return fail(here.mistake(Kind::Nesting, span, format!("more than {DEEPEST} loops inside each other")));
        }
        let block = self.definitions.open_block(here.block, &variable);
        self.loops.push(variable.clone());
        let block = self.block(Stretch { block, ..here }, inside, true);
        self.loops.pop();
        Ok(Head::Foreach { variable, from, to, span, block })
    }
}

const LIKE_VALUES: &str = "as in `foreach k in values(order.id) { … }` or `foreach n in processes { … }`";

const LIKE_PAIRS: &str = "as in `foreach a, b in values(message.id) { … }`: once for every two values";

/// The variable of a loop, or two for pairs of values.
fn loop_variables(parser: &mut Parser<'_>) -> Result<Vec<(String, Span)>, Mistake> {
    let mut variables = vec![new_word(parser, "loop variable")?];
    if parser.token == Token::Sign(",") {
        parser.advance()?;
        variables.push(new_word(parser, "loop variable")?);
    }
    Ok(variables)
}

/// `values(ATTRIBUTE)` or `processes`, if it stands there, the place of what it names, and whether that is a word and not in quotes.
fn domain(here: Stretch<'_>, parser: &mut Parser<'_>) -> Result<Option<(Domain, Span, bool)>, Mistake> {
    match &parser.token {
        // An index may begin with a word, too.
        Token::Name(word) if word == "values" && here.text[parser.span.end..].trim_start().starts_with('(') => {}
        Token::Name(word) if word == "processes" => {
            let span = parser.span;
            parser.advance()?;
            return Ok(Some((Domain::Processes, span, false)));
        }
        _ => return Ok(None),
    }
    parser.advance()?;
    parser.advance()?;
    let (attribute, is_word) = match parser.token.clone() {
        Token::Name(name) => (name, true),
        Token::Quoted(name) => (name, false),
        _ => return fail(parser.expected("the name of an attribute").help(LIKE_VALUES)),
    };
    let span = parser.span;
    parser.advance()?;
    if parser.token != Token::Sign(")") {
        let help = "a name with other characters is written $\"name\"";
        return fail(parser.expected("`)`").help(help));
    }
    parser.advance()?;
    Ok(Some((Domain::Values(attribute), span, is_word)))
}

/// Before the first item, and behind a block, only blanks and comments may stand.
fn nothing(here: Stretch<'_>, span: Span) -> Result<(), Mistake> {
    let parser = Parser::new(here.text, span, Dialect::Ltl)?;
    if parser.token == Token::End {
        return Ok(());
    }
    fail(
        parser
            .error(parser.span, format!("expected a property, found {}", parser.token.describe()))
            .label("expected `property NAME = ltl …`, at the start of a line"),
    )
}

/// `event NAME, …`: the names of events that a run need not have.
fn events(here: Stretch<'_>, span: Span) -> Result<Vec<(Name, Span)>, Mistake> {
    const LIKE: &str = "as in `event error, \"odd name\"`: names of events that a run need not have";
    let mut parser = Parser::new(here.text, span, Dialect::Ltl)?;
    parser.advance()?;
    let mut names = Vec::new();
    loop {
        let start = parser.span;
        let name = match parser.token.clone() {
            Token::Name(_) => Name::Word(parser.pieces()?),
            Token::Quoted(name) | Token::Text(name) => {
                parser.advance()?;
                Name::Given(name)
            }
            Token::Number(n) => {
                parser.advance()?;
                Name::Given(n.to_string())
            }
            _ => return fail(parser.expected("the name of an event").help(LIKE)),
        };
        names.push((name, Span::new(start.start, parser.last_end)));
        match parser.token {
            Token::End => return Ok(names),
            Token::Sign(",") => drop(parser.advance()?),
            _ => return fail(parser.expected("`,` or the end of the line").help(LIKE)),
        }
    }
}

/// A word that is about to get a meaning.
fn new_word(parser: &mut Parser<'_>, what: &str) -> Result<(String, Span), Mistake> {
    let span = parser.span;
    match parser.token.clone() {
        Token::Name(name) if name.contains(['.', '[']) => {
            fail(parser.error(span, format!("the name of a {what} is one word")).label("expected a name"))
        }
        Token::Name(name) if is_reserved(&name) => fail(
            parser
                .error(span, format!("`{name}` is a word of the logics"))
                .label(format!("expected the name of a {what}")),
        ),
        Token::Name(name) => {
            parser.advance()?;
            Ok((name, span))
        }
        _ => fail(parser.expected(&format!("the name of a {what}"))),
    }
}

/// `some` or `every` before a logic, a pattern or a monitor, if one of them is there.
fn quantifier(parser: &mut Parser<'_>) -> Result<Option<(Quantifier, Span)>, Mistake> {
    let found = match &parser.token {
        Token::Name(word) if word == "some" => Quantifier::Some,
        Token::Name(word) if word == "every" => Quantifier::Every,
        _ => return Ok(None),
    };
    let span = parser.span;
    parser.advance()?;
    Ok(Some((found, span)))
}

/// CTL says itself which orders it is about.
fn asks_twice(here: Stretch<'_>, quantifier: Quantifier, span: Span) -> Diagnostic {
    let (word, instead) = match quantifier {
        Quantifier::Some => ("some", "`EF`, `EG` and `E[… U …]` ask for some order"),
        Quantifier::Every => ("every", "`AF`, `AG` and `A[… U …]` ask for every order"),
    };
    here.mistake(
        Kind::Unsupported,
        span,
        format!("`{word}` is for properties of single orders, and CTL is about all of them"),
    )
    .label("expected `ctl`")
    .help(format!("in CTL, {instead}"))
}

/// Whether the use of a definition stands where a logic could: a word that is neither a logic nor a pattern, with arguments or nothing behind
/// it. What it means is known when all files are read.
fn by_definition(here: Stretch<'_>, parser: &Parser<'_>, end: usize) -> Result<bool, Mistake> {
    let Token::Name(word) = &parser.token else { return Ok(false) };
    let is_known = ["ltl", "ctl", "psl", "m2l"].contains(&word.as_str()) || Pattern::named(word).is_some();
    if is_known || is_reserved(word) || word.contains(['.', '[']) {
        return Ok(false);
    }
    let behind = Parser::new(here.text, Span::new(parser.span.end, end), Dialect::Ltl)?;
    Ok(matches!(behind.token, Token::End | Token::Sign("(")))
}

/// Neither a logic nor a pattern, nor one of the definitions that are whole properties.
pub(super) fn no_logic<'a>(
    mistake: Diagnostic,
    word: Option<&str>,
    definitions: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let known = ["ltl", "ctl", "psl", "m2l"].into_iter().chain(PATTERNS.iter().map(|(_, name, ..)| *name));
    let near = word.and_then(|word| nearest(word, known.chain(definitions)));
    mistake
        .label(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "expected `ltl`, `ctl`, `psl`, `m2l` or a pattern".to_owned(),
        })
        .help("as in `property mutex = ltl G !(a == 1 && b == 1)` or `property mutex = mutex(a == 1, b == 1)`")
}

/// `ltl`, `ltl over events`, `psl`, `m2l` and so on, `ctl`, or nothing before a pattern; and where the formula starts. The item ends at `end`.
fn logic(here: Stretch<'_>, parser: &mut Parser<'_>, end: usize) -> Result<(Logic, usize), Mistake> {
    let span = parser.span;
    let logic: fn(View) -> Logic = match parser.token.clone() {
        Token::Name(word) if word == "ltl" => Logic::Ltl,
        Token::Name(word) if word == "ctl" => |_| Logic::Ctl,
        Token::Name(word) if word == "psl" => Logic::Psl,
        Token::Name(word) if word == "m2l" => return m2l(here, Span::new(span.end, end)),
        Token::Name(word) if Pattern::named(&word).is_some() => return Ok((Logic::Ltl(View::States), span.start)),
        token => {
            let word = if let Token::Name(word) = &token { Some(word.as_str()) } else { None };
            let mistake = parser.error(span, format!("expected a logic or a pattern, found {}", token.describe()));
            return fail(no_logic(mistake, word, std::iter::empty()));
        }
    };
    parser.advance()?;
    if !matches!(&parser.token, Token::Name(word) if word == "over") {
        return Ok((logic(View::States), parser.span.start));
    }
    let over = parser.span;
    // A variable may be called `over`; then an operator follows.
    let mut ahead = Parser::new(here.text, Span::new(over.end, end), Dialect::Ltl)?;
    if matches!(ahead.token, Token::Sign(_) | Token::End) {
        return Ok((logic(View::States), over.start));
    }
    if logic(View::States) == Logic::Ctl {
        return fail(parser.error(over, "CTL has no views: it speaks of cuts").label("expected a formula"));
    }
    let view = view(&ahead)?;
    ahead.advance()?;
    Ok((logic(view), ahead.span.start))
}

/// The view that a word means.
fn view(parser: &Parser<'_>) -> Result<View, Mistake> {
    let view = match &parser.token {
        Token::Name(word) => view_named(word),
        _ => None,
    };
    view.ok_or_else(|| Box::new(parser.expected("a view").label("expected `states` or `events`")))
}

/// M2L has words of its own, so what follows is not looked at, but for `over VIEW`: no formula begins with a name that nothing declares.
fn m2l(here: Stretch<'_>, rest: Span) -> Result<(Logic, usize), Mistake> {
    let text = &here.text[rest.start..rest.end];
    let start = rest.end - text.trim_start().len();
    let behind = here.text[start..rest.end].strip_prefix("over");
    if !behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(char::is_whitespace)) {
        return Ok((Logic::M2l(View::States), start));
    }
    let parser = Parser::new(here.text, Span::new(start + "over".len(), rest.end), Dialect::Ltl)?;
    let view = view(&parser)?;
    let text = &here.text[parser.span.end..rest.end];
    Ok((Logic::M2l(view), rest.end - text.trim_start().len()))
}
