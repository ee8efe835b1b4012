//! Words of formulas and property files.
//!
//! A variable is one word: `ident` followed directly by any of `.ident` and `[int]`, or `$"any name"`. Which identifiers
//! are operators depends on the logic and is decided by the parser. `//` comments to the end of the line.

use super::flavour::{Flavour, based, bits, characters};
use posetta_base::{Diagnostic, Kind, Number, ParseNumberError, Place, Span};

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// An identifier, perhaps with a path: a variable or a word of the logic.
    Name(String),
    /// `$"…"`: always a variable.
    Quoted(String),
    /// `$k`: the value that an instance of a property is about.
    Key(String),
    Number(Number),
    Text(String),
    /// Punctuation, in its canonical spelling.
    Sign(&'static str),
    End,
}

impl Token {
    /// How an error message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Quoted(name) => format!("`$\"{name}\"`"),
            Self::Key(name) => format!("`${name}`"),
            Self::Number(n) => format!("`{n}`"),
            Self::Text(t) => format!("the string \"{t}\""),
            Self::Sign(s) => format!("`{s}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Longest first. The second column is the canonical spelling.
const SIGNS: [(&str, &str); 30] = [
    ("<->", "<->"),
    ("<=>", "<->"),
    ("&&", "&&"),
    ("||", "||"),
    ("->", "->"),
    ("=>", "->"),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&", "&&"),
    ("|", "||"),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("!", "!"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    (",", ","),
    (".", "."),
    (";", ";"),
    ("%", "%"),
    ("{", "{"),
    ("}", "}"),
];

/// What PSL has beside these, and what it tells apart: in a SERE `&` is not `&&` and `|` is not `||`. Longest first.
const PSL_SIGNS: [(&str, &str); 23] = [
    ("===", "=="),
    ("!==", "!="),
    ("#-#", "#-#"),
    ("#=#", "#=#"),
    ("|->", "|->"),
    ("|=>", "|=>"),
    ("[->", "[->"),
    ("[*", "[*"),
    ("[+", "[+"),
    ("[=", "[="),
    ("..", ".."),
    ("##", "##"),
    ("/=", "!="),
    ("~^", "~^"),
    ("^~", "~^"),
    ("^", "^"),
    ("~", "~"),
    ("@", "@"),
    ("&&", "&&"),
    ("||", "||"),
    ("&", "&"),
    ("|", "|"),
    (":", ":"),
];

/// The words of PSL that a `!` right behind them, and a `_` behind that, make other words.
const WITH_MARKS: [&str; 10] =
    ["next", "X", "eventually", "until", "before", "next_a", "next_e", "next_event", "next_event_a", "next_event_e"];

/// Whether a name can be written without `$"…"`, reserved words aside.
pub(super) fn is_plain_name(name: &str) -> bool {
    let mut lexer = Lexer { source: name, at: 0, end: name.len(), paths: |_: &str| true, psl: None, literals: None };
    matches!(lexer.next(), Ok((Token::Name(n), _)) if n == name)
}

/// Cuts a stretch of a source into words. `paths` says which identifiers may be followed by `.ident` and `[int]`: not
/// the words of the logic, after which a bracket has its own meaning.
pub(super) struct Lexer<'a, F> {
    pub(super) source: &'a str,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) paths: F,
    /// Whose signs, words and literals it reads beside its own, if it reads PSL.
    pub(super) psl: Option<Flavour>,
    /// Whose literals it reads, if it does not read PSL.
    pub(super) literals: Option<Flavour>,
}

impl<F: Fn(&str) -> bool> Lexer<'_, F> {
    fn rest(&self) -> &str {
        &self.source[self.at..self.end]
    }

    fn error(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, message).at(Place::in_text(self.source, span))
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            // Some editors put a byte order mark before the first line.
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            self.at += blank;
            let rest = self.rest();
            if self.psl == Some(Flavour::Verilog) && rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            let of_vhdl = self.psl == Some(Flavour::Vhdl) && rest.starts_with("--");
            if !(of_vhdl || rest.starts_with("//")) {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// The next word and its span.
    pub(super) fn next(&mut self) -> Result<(Token, Span), Diagnostic> {
        self.skip_blank();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Ok((Token::End, Span::new(self.end, self.end)));
        };
        let token = if let Some(found) = self.literal(start) {
            found?
        } else if first.is_alphabetic() || first == '_' {
            self.name()
        } else if first.is_ascii_digit() {
            self.number()?
        } else if first == '"' {
            Token::Text(self.string()?)
        } else if self.rest().starts_with("$\"") {
            self.at += 1;
            Token::Quoted(self.string()?)
        } else if let Some(rest) = self.rest().strip_prefix('$').filter(|rest| Self::ident_len(rest) > 0) {
            let name = rest[..Self::ident_len(rest)].to_owned();
            self.at += 1 + name.len();
            Token::Key(name)
        } else if let Some((sign, canonical)) = self.sign() {
            self.at += sign.len();
            Token::Sign(canonical)
        } else {
            let span = Span::new(start, start + first.len_utf8());
            let error = self.error(Kind::Syntax, span, format!("the character {first:?} has no meaning here"));
            let of_hdl = self.psl.is_some();
            return Err(match first {
                '`' if of_hdl => error.help("macros of Verilog are not known here: write what it stands for"),
                '?' if of_hdl => error.help("`a ? b : c` is written `if (a) b else c`, or `(a -> b) && (a || c)`"),
                '#' if of_hdl => error.help("a delay is written `##1` or `##[1:3]`"),
                '\'' if of_hdl && Self::ident_len(&self.rest()[1..]) > 0 => error.help(
                    "attributes of VHDL are not known here: `s'event` of a signal is changed(s), a rising edge rose(s)",
                ),
                ':' if self.rest().starts_with(":=") => error.help("values are compared by `==`"),
                '~' => error.help("write `!`"),
                '^' => error.help("write `!(a <-> b)` for one of two truth values"),
                '#' => error.help("delays such as `##1` belong to PSL: write `psl` (on the command line --psl)"),
                '?' => error.help("`a ? b : c` is written `(a -> b) && (a || c)`"),
                '$' => error.label("an odd variable name is written $\"name\""),
                '\'' => error.label("strings are written in double quotes"),
                _ => error,
            });
        };
        Ok((token, Span::new(start, self.at)))
    }

    /// A literal of an HDL: `'1'`, `4'b0010`, `X"1F"`, `16#1F#`, and in VHDL `"0010"`. Nothing else begins so.
    fn literal(&mut self, start: usize) -> Option<Result<Token, Diagnostic>> {
        let flavour = self.psl.or(self.literals)?;
        let rest = self.rest();
        let found = characters(rest).or_else(|| based(rest)).or_else(|| bits(rest, flavour))?;
        Some(match found {
            Ok((token, length)) => {
                self.at += length;
                Ok(token)
            }
            Err((message, help, length)) => {
                let span = Span::new(start, start + length);
                Err(self.error(Kind::Syntax, span, message).help(help))
            }
        })
    }

    fn sign(&self) -> Option<(&'static str, &'static str)> {
        let rest = self.rest().as_bytes();
        // Most signs differ in their first byte, which is compared faster than strings are.
        let here =
            |(sign, _): &&(&str, &str)| sign.as_bytes().first() == rest.first() && rest.starts_with(sign.as_bytes());
        let of_psl = if self.psl.is_some() { PSL_SIGNS.iter().find(here) } else { None };
        // An upper bound of a repetition; before a quote it begins a name.
        let dollar = (self.psl.is_some() && self.rest().starts_with('$')).then_some(("$", "$"));
        of_psl.or_else(|| SIGNS.iter().find(here)).copied().or(dollar)
    }

    /// The marks of `next!`, `until!_` and their like.
    fn marks(&mut self, word: &str) {
        if self.psl.is_none() || !WITH_MARKS.contains(&word) {
            return;
        }
        let Some(rest) = self.rest().strip_prefix('!').filter(|rest| !rest.starts_with('=')) else { return };
        let with_tail = matches!(word, "until" | "before") && rest.starts_with('_') && Self::ident_len(rest) == 1;
        self.at += if with_tail { 2 } else { 1 };
    }

    fn ident_len(text: &str) -> usize {
        let starts = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !starts {
            return 0;
        }
        text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        self.at += Self::ident_len(self.rest());
        let word = &self.source[start..self.at];
        let takes_path = match self.psl {
            Some(Flavour::Vhdl) => (self.paths)(&word.to_lowercase()),
            _ => (self.paths)(word),
        };
        if takes_path {
            loop {
                let rest = self.rest();
                if let Some(after) = rest.strip_prefix('.') {
                    match Self::ident_len(after) {
                        0 => break,
                        n => self.at += 1 + n,
                    }
                } else if let Some(after) = rest.strip_prefix('[') {
                    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                    if digits == 0 || !after[digits..].starts_with(']') {
                        break;
                    }
                    self.at += digits + 2;
                } else {
                    break;
                }
            }
        }
        let word = &self.source[start..self.at];
        // Names of VHDL are the same in capitals.
        let small = if self.psl == Some(Flavour::Vhdl) { word.to_lowercase() } else { word.to_owned() };
        let end = self.at;
        self.marks(&small);
        Token::Name(small + &self.source[end..self.at])
    }

    fn number(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        let rest = self.rest();
        let whole = rest.bytes().take_while(u8::is_ascii_digit).count();
        let fraction = rest[whole..].strip_prefix('.').map_or(0, |f| f.bytes().take_while(u8::is_ascii_digit).count());
        self.at += whole + if fraction > 0 { fraction + 1 } else { 0 };
        // HDLs group digits: 1_000.
        while let Some(more) = self.rest().strip_prefix('_').filter(|_| self.psl.is_some()) {
            match more.bytes().take_while(u8::is_ascii_digit).count() {
                0 => break,
                digits => self.at += 1 + digits,
            }
        }
        let span = Span::new(start, self.at);
        match self.source[start..self.at].replace('_', "").parse() {
            Ok(number) => Ok(Token::Number(number)),
            Err(ParseNumberError::TooLong) => Err(self
                .error(Kind::Digits, span, "a number with more than 10,000 digits")
                .label(format!("this one has {}", whole + fraction))),
            Err(ParseNumberError::Malformed) => Err(self.error(Kind::Syntax, span, "this is not a number")),
        }
    }

    /// The string that starts with the quote here.
    fn string(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.source[self.at..self.end].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(text);
                }
                '\n' => break,
                '\\' => {
                    let at = self.at + offset;
                    let escaped = chars.next().map(|(_, c)| c);
                    text.push(match escaped {
                        Some(c @ ('"' | '\\' | '/')) => c,
                        Some('n') => '\n',
                        Some('r') => '\r',
                        Some('t') => '\t',
                        Some('u') => {
                            let code: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                            let plain = code.len() == 4 && code.bytes().all(|b| b.is_ascii_hexdigit());
                            let hex = u32::from_str_radix(&code, 16).ok().filter(|_| plain);
                            hex.and_then(char::from_u32).ok_or_else(|| {
                                self.error(Kind::Syntax, Span::new(at, at + 6), "not a character code")
                                    .label("expected four hexadecimal digits of a character")
                            })?
                        }
                        _ => {
                            return Err(self
                                .error(Kind::Syntax, Span::new(at, at + 2), "unknown escape in a string")
                                .label(r#"expected \" \\ \/ \n \r \t or \u and four digits"#));
                        }
                    });
                }
                c => text.push(c),
            }
        }
        Err(self
            .error(Kind::Syntax, Span::new(start, start + 1), "this string does not end")
            .label("expected a closing `\"` on the same line"))
    }
}
