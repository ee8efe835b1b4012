//! The first part of a dump: which signals there are.

use std::io::BufRead;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::tokens::Tokens;
use crate::waves::{Declarations, MOST_BITS, Signal, SignalKind};
use posetta_base::{Diagnostic, Error, Kind, Number, TimeUnit};
use posetta_logic::nearest;

/// What the declarations say.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) signals: Vec<Signal>,
    pub(super) names: Declarations,
    pub(super) codes: Codes,
    /// What times are counted in, if that is said.
    pub(super) unit: Option<TimeUnit>,
    /// What is added to every time.
    pub(super) zero: Option<Number>,
}

/// The signal of each identifier code. Codes are short words; those of up to eight bytes are packed into a number.
#[derive(Debug, Default)]
pub(super) struct Codes {
    short: FxHashMap<u64, u32>,
    long: FxHashMap<Box<[u8]>, u32>,
}

impl Codes {
    /// Codes have no zero byte in front, so numbers of different codes differ.
    #[inline]
    fn pack(code: &[u8]) -> Option<u64> {
        (code.len() <= 8 && code.first() != Some(&0)).then(|| code.iter().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    #[inline]
    pub(super) fn get(&self, code: &[u8]) -> Option<u32> {
        match Self::pack(code) {
            Some(packed) => self.short.get(&packed).copied(),
            None => self.long.get(code).copied(),
        }
    }

    /// Whether a code begins with this one and goes on.
    pub(super) fn any_longer(&self, code: &[u8]) -> bool {
        let goes_on = |known: &[u8]| known.len() > code.len() && known.starts_with(code);
        let unpacked = |packed: &u64| {
            let bytes = packed.to_be_bytes();
            goes_on(&bytes[packed.leading_zeros() as usize / 8..])
        };
        self.short.keys().any(unpacked) || self.long.keys().any(|known| goes_on(known))
    }

    /// The signal of a code, which is `new` if the code is.
    fn get_or_add(&mut self, code: &[u8], new: u32) -> u32 {
        match Self::pack(code) {
            Some(packed) => *self.short.entry(packed).or_insert(new),
            None => *self.long.entry(code.into()).or_insert(new),
        }
    }

    fn bytes(&self) -> usize {
        self.short.len() * 32 + self.long.len() * 96
    }
}

/// The keywords of this part, for those who mistype them.
const KEYWORDS: [&str; 8] =
    ["$date", "$version", "$comment", "$timescale", "$scope", "$upscope", "$var", "$enddefinitions"];

/// Reads the declarations.
///
/// # Errors
/// With the first mistake, or when the budget is spent.
pub(super) fn read<R: BufRead>(tokens: &mut Tokens<R>) -> Result<Header, Error> {
    let mut header = Header::default();
    loop {
        let Some(word) = tokens.next()? else {
            let expected = "`$enddefinitions $end`, and then values";
            return Err(tokens.cut_off("the declarations", expected).into());
        };
        match tokens.bytes(&word) {
            b"$scope" => {
                let parts = until_end(tokens, "$scope", |_, _| ())?;
                header.names.enter(parts.get(1).map_or("", String::as_str));
            }
            b"$upscope" => {
                // One that leaves nothing changes nothing.
                header.names.leave();
                end(tokens)?;
            }
            b"$var" => header.variable(tokens, word)?,
            b"$enddefinitions" => {
                end(tokens)?;
                return Ok(header);
            }
            b"$timescale" => header.unit = TimeUnit::parse(&until_end(tokens, "$timescale", |_, _| ())?.concat()),
            b"$timezero" => {
                let number = until_end(tokens, "$timezero", |_, _| ())?.concat();
                header.zero = Some(number.parse().map_err(|_| {
                    let mistake = tokens.mistake(Kind::Syntax, 0..1, format!("`{number}` is not a time"));
                    mistake.label("expected a number after `$timezero`")
                })?);
            }
            b"$date" | b"$version" => skip(tokens, "a section", true)?,
            b"$comment" | b"$attrbegin" | b"$attrend" => skip(tokens, "a section", false)?,
            // What a section of others says is theirs; a keyword that is nearly one of ours is a slip.
            bytes if bytes[0] == b'$' && bytes != b"$end" && !is_slip(&tokens.text(&word)) => {
                skip(tokens, "a section", true)?;
            }
            // Behind a section that lacked its `$end` and got it after all.
            b"$end" => {}
            _ => return Err(unexpected(tokens, word).into()),
        }
        tokens.held = header.names.bytes() + header.codes.bytes() + 64 * header.signals.len();
    }
}

fn unexpected<R: BufRead>(tokens: &Tokens<R>, word: Range<usize>) -> Diagnostic {
    let text = tokens.text(&word);
    let mistake = tokens.mistake(Kind::Syntax, word, format!("unexpected `{text}` among the declarations"));
    let mistake = match nearest(&text, KEYWORDS.into_iter()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake.label("expected `$scope`, `$var`, `$upscope` or `$enddefinitions`"),
    };
    match text.as_bytes() {
        [b'#' | b'0' | b'1' | b'b', ..] => mistake.help("values come after `$enddefinitions $end`"),
        _ => mistake,
    }
}

/// Whether a word is nearly a keyword.
fn is_slip(word: &str) -> bool {
    word.starts_with("$dump") || nearest(word, KEYWORDS.into_iter()).is_some()
}

/// Passes over the words of a section. One that `may_lack_end` ends where a declaration begins, as other viewers read it, too.
fn skip<R: BufRead>(tokens: &mut Tokens<R>, section: &str, may_lack_end: bool) -> Result<(), Error> {
    loop {
        let Some(word) = tokens.next()? else { return Err(tokens.cut_off(section, "`$end`").into()) };
        match tokens.bytes(&word) {
            b"$end" => return Ok(()),
            bytes if may_lack_end && is_keyword(bytes) => {
                tokens.unread(&word);
                return Ok(());
            }
            _ => {}
        }
    }
}

/// Passes over the `$end` of a section without words, if it has one.
fn end<R: BufRead>(tokens: &mut Tokens<R>) -> Result<(), Error> {
    if let Some(word) = tokens.next()?
        && tokens.bytes(&word) != b"$end"
    {
        tokens.unread(&word);
    }
    Ok(())
}

/// Whether a declaration begins so.
fn is_keyword(word: &[u8]) -> bool {
    word.starts_with(b"$") && super::FIRST.contains(&word)
}

/// A section has more words than any of its sort.
const MOST_WORDS: usize = 64;

/// The words of a section; `each` sees them where they stand.
fn until_end<R: BufRead>(
    tokens: &mut Tokens<R>,
    section: &str,
    mut each: impl FnMut(&Tokens<R>, &Range<usize>),
) -> Result<Vec<String>, Error> {
    let mut words = Vec::new();
    loop {
        let Some(word) = tokens.next()? else { return Err(tokens.cut_off(section, "`$end`").into()) };
        match tokens.bytes(&word) {
            b"$end" => return Ok(words),
            // Its own `$end` is missing.
            bytes if is_keyword(bytes) => {
                tokens.unread(&word);
                return Ok(words);
            }
            _ if words.len() == MOST_WORDS => {
                let mistake = tokens.mistake(Kind::Syntax, word, format!("`{section}` does not end"));
                return Err(mistake.label("expected `$end`").into());
            }
            _ => {}
        }
        each(tokens, &word);
        words.push(tokens.text(&word));
    }
}

impl Header {
    /// `$var type size code name $end`; the keyword was read.
    fn variable<R: BufRead>(&mut self, tokens: &mut Tokens<R>, keyword: Range<usize>) -> Result<(), Error> {
        let line = tokens.line();
        let mut spans = Vec::new();
        let mut code: Box<[u8]> = Box::default();
        let words = until_end(tokens, "$var", |tokens, word| {
            if spans.len() == 2 {
                code = tokens.bytes(word).into();
            }
            spans.push((tokens.line(), word.clone()));
        })?;
        // The place of a word if it is still on the line at hand; else that of the keyword's line.
        let at = |i: usize| match spans.get(i) {
            Some((of, span)) if *of == tokens.line() => span.clone(),
            _ if line == tokens.line() => keyword.clone(),
            _ => 0..1,
        };
        let [kind, size, _, name @ ..] = &words[..] else {
            let mistake = tokens.mistake(Kind::Syntax, at(0), "a declaration with too few words");
            return Err(mistake.label("expected `$var TYPE SIZE CODE NAME $end`").into());
        };
        if name.is_empty() {
            let mistake = tokens.mistake(Kind::Syntax, at(2), "a signal without a name");
            return Err(mistake.label("expected `$var TYPE SIZE CODE NAME $end`").into());
        }
        let kind = match kind.as_str() {
            "real" | "realtime" | "real_parameter" | "shortreal" => SignalKind::Real,
            "string" => SignalKind::Text,
            "event" => SignalKind::Event,
            _ => SignalKind::Bits,
        };
        let width = match size.parse::<u32>() {
            Ok(width) => width,
            Err(_) => {
                let mistake = tokens.mistake(Kind::Syntax, at(1), format!("`{size}` is not the size of a signal"));
                return Err(mistake.label("expected how many bits it has").into());
            }
        };
        let Ok(new) = u32::try_from(self.signals.len()) else {
            return Err(tokens.mistake(Kind::Input, at(2), "too many signals").into());
        };
        let signal = self.codes.get_or_add(&code, new);
        if width > MOST_BITS {
            let mistake = tokens.mistake(Kind::Input, at(1), format!("a signal with {width} bits"));
            return Err(mistake.label(format!("expected at most {MOST_BITS}")).into());
        }
        // Some simulators write no size where it means nothing; such a signal takes what comes.
        let width = if width == 0 { MOST_BITS } else { width };
        match self.signals.get_mut(signal as usize) {
            Some(known) => known.width = known.width.max(width),
            None => self.signals.push(Signal { kind, width }),
        }
        self.names.declare(&name.concat(), signal);
        Ok(())
    }
}
