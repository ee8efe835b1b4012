//! Flavours of PSL: what it borrows from a hardware description language, and the literals of these.
//!
//! A vector is an unsigned number, so a literal of bits is that number. Where some bit is neither 0 nor 1 it is the string that a waveform has for
//! such a value.

use crate::lex::Token;
use posetta_base::Number;

/// The hardware description language whose words and precedence PSL has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Posetta's own, and of all others the words that mean nothing else.
    #[default]
    Any,
    /// VHDL: names are the same in capitals, `--` begins a comment, `"0101"` is a number.
    Vhdl,
    /// Verilog and SystemVerilog, whose assertions are read as well.
    Verilog,
}

impl Flavour {
    /// The flavour with this name.
    #[must_use]
    pub fn called(name: &str) -> Option<Self> {
        match name {
            "vhdl" => Some(Self::Vhdl),
            "verilog" | "systemverilog" | "sv" => Some(Self::Verilog),
            _ => None,
        }
    }

    /// The flavour that a file is written in, by the end of its name.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "vhd" | "vhdl" => Some(Self::Vhdl),
            "v" | "sv" | "vh" | "svh" | "sva" => Some(Self::Verilog),
            _ => None,
        }
    }
}

/// A literal and its length; or what is wrong with it, what to write instead, and its length.
type Literal = Result<(Token, usize), (&'static str, &'static str, usize)>;

/// A bit, as a waveform has it: `0`, `1`, `x` or `z`. VHDL's nine values are read as these.
fn bit(c: char) -> Option<char> {
    match c.to_ascii_lowercase() {
        '0' | 'l' => Some('0'),
        '1' | 'h' => Some('1'),
        'x' | 'u' | 'w' | '-' => Some('x'),
        'z' | '?' => Some('z'),
        _ => None,
    }
}

/// `'1'`, `'X'`, and SystemVerilog's `'0`.
pub(super) fn characters(rest: &str) -> Option<Literal> {
    let inside = rest.strip_prefix('\'')?;
    let mut chars = inside.chars();
    let first = chars.next()?;
    if chars.next() == Some('\'') {
        let bit = bit(first)?;
        return Some(Ok((of_bits(&bit.to_string()), 2 + first.len_utf8())));
    }
    let ends = !inside[first.len_utf8()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    match first {
        '0' if ends => Some(Ok((Token::Number(Number::ZERO), 2))),
        '1' | 'x' | 'z' | 'X' | 'Z' if ends => {
            Some(Err(("this literal is as wide as what it stands beside", "write the number: 4'b1111 or 15", 2)))
        }
        _ => None,
    }
}

/// `4'b0010`, `'hFF`, `16#FF#`.
pub(super) fn based(rest: &str) -> Option<Literal> {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '?';
    let width = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'_').count();
    if let Some(inside) = rest[width..].strip_prefix('#').filter(|_| width > 0) {
        let digits = inside.find(|c| !is_digit(c)).unwrap_or(inside.len());
        if digits == 0 || !inside[digits..].starts_with('#') {
            return None;
        }
        let length = width + digits + 2;
        let base = rest[..width].replace('_', "").parse().ok().filter(|base| (2..=16).contains(base));
        let value = base.and_then(|base| number(&inside[..digits], base));
        let wrong = (
            "this is not a number of that base",
            "a based number of VHDL is written 16#1F#, its base from 2 to 16",
            length,
        );
        return Some(value.map(|value| (Token::Number(value), length)).ok_or(wrong));
    }
    let behind = rest[width..].strip_prefix('\'')?;
    let signed = usize::from(behind.starts_with(['s', 'S']));
    let base = match behind[signed..].chars().next()?.to_ascii_lowercase() {
        'b' => 2,
        'o' => 8,
        'd' => 10,
        'h' => 16,
        _ => return None,
    };
    let at = width + 1 + signed + 1;
    let inside = rest[at..].trim_start_matches(' ');
    let at = rest.len() - inside.len();
    let digits = inside.find(|c| !is_digit(c)).unwrap_or(inside.len());
    let (text, length) = (&inside[..digits], at + digits);
    let wrong = |message| Some(Err((message, "as in 4'b0010, 8'h1F or 16'd300", length.max(1))));
    if digits == 0 {
        return wrong("a literal without digits");
    }
    if signed == 1 {
        return Some(Err((
            "signed literals are not read: vectors are unsigned numbers",
            "write the number, as in 15 for -1 of 4 bits",
            length,
        )));
    }
    let token = match number(text, base) {
        Some(value) => Token::Number(value),
        None => match unknown_digits(text, base) {
            Some(bits) => of_bits(&bits),
            None => return wrong("these are not digits of that base"),
        },
    };
    // A digit that the width cuts off would be another number.
    if let (Token::Number(value), Ok(width)) = (&token, rest[..width].replace('_', "").parse::<u32>())
        && width < 64
        && value.as_i64().is_none_or(|value| value >> width != 0)
    {
        return wrong("this number does not fit its width");
    }
    Some(Ok((token, length)))
}

/// `X"1F"`, `B"0010"`, `O"17"`, `D"12"`; in VHDL `"0010"`.
pub(super) fn bits(rest: &str, flavour: Flavour) -> Option<Literal> {
    let (base, at) = match rest.chars().next()? {
        'b' | 'B' => (2, 1),
        'o' | 'O' => (8, 1),
        'd' | 'D' => (10, 1),
        'x' | 'X' => (16, 1),
        '"' if flavour == Flavour::Vhdl => (2, 0),
        _ => return None,
    };
    let inside = rest[at..].strip_prefix('"')?;
    let end = inside.find(['"', '\n']).filter(|&end| inside[end..].starts_with('"'))?;
    let (text, length) = (&inside[..end], at + end + 2);
    if let Some(value) = number(text, base) {
        return Some(Ok((Token::Number(value), length)));
    }
    match unknown_digits(text, base) {
        Some(bits) => Some(Ok((of_bits(&bits), length))),
        // Any other string of VHDL.
        None if at == 0 => None,
        None => Some(Err(("these are not digits of that base", "as in X\"1F\", B\"0010\" or O\"17\"", length))),
    }
}

/// The number that digits stand for; `None` if one is none.
fn number(digits: &str, base: u32) -> Option<Number> {
    let digits = digits.replace('_', "");
    if digits.is_empty() || digits.len() > 10_000 {
        return None;
    }
    let base_number = Number::from(i64::from(base));
    let mut value = Number::ZERO;
    for digit in digits.chars() {
        let digit = Number::from(i64::from(digit.to_digit(base)?));
        value = value.mul(&base_number).ok()?.add(&digit).ok()?;
    }
    Some(value)
}

/// The bits of digits some of which are not known.
fn unknown_digits(digits: &str, base: u32) -> Option<String> {
    let width = match base {
        2 => 1,
        8 => 3,
        16 => 4,
        _ => return None,
    };
    let mut bits = String::new();
    for digit in digits.chars().filter(|&c| c != '_') {
        match digit.to_digit(base) {
            Some(value) => bits.push_str(&format!("{value:0width$b}")),
            None => {
                let unknown = bit(digit).filter(|b| base == 2 || matches!(b, 'x' | 'z'))?;
                bits.extend(std::iter::repeat_n(unknown, width));
            }
        }
    }
    (!bits.is_empty()).then_some(bits)
}

/// Bits as a value: a number, or where some are not known the shortest text from which a waveform's reader gets them back.
fn of_bits(bits: &str) -> Token {
    if let Some(value) = number(bits, 2) {
        return Token::Number(value);
    }
    let first = bits.chars().next().unwrap_or('0');
    let same = bits.chars().take_while(|&b| b == first).count();
    let implied = match (first, bits[same..].chars().next()) {
        ('1', _) => 0,
        ('0', Some('1')) => same,
        _ => same - 1,
    };
    Token::Text(bits[implied..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Token> {
        let found = characters(text).or_else(|| based(text)).or_else(|| bits(text, Flavour::Vhdl))?;
        found.ok().filter(|(_, length)| *length == text.len()).map(|(token, _)| token)
    }

    #[test]
    fn literals_are_numbers_or_what_waveforms_have() {
        for (text, value) in [
            ("'0'", 0),
            ("'1'", 1),
            ("'H'", 1),
            ("'0", 0),
            ("4'b0010", 2),
            ("4'b1_010", 10),
            ("'hFf", 255),
            ("12'o17", 15),
            ("16'd300", 300),
            ("8'h 1F", 31),
            ("16#1F#", 31),
            ("2#1010#", 10),
            ("X\"1f\"", 31),
            ("b\"0101\"", 5),
            ("\"0101\"", 5),
        ] {
            assert_eq!(read(text), Some(Token::Number(Number::from(value))), "{text}");
        }
        for (text, value) in [
            ("'X'", "x"),
            ("'u'", "x"),
            ("'Z'", "z"),
            ("4'bxxxx", "x"),
            ("4'b0x", "0x"),
            ("8'hx1", "x0001"),
            ("\"001-\"", "1x"),
        ] {
            assert_eq!(read(text), Some(Token::Text(value.to_owned())), "{text}");
        }
        for text in ["'1", "4'b", "4'sb1", "2'd4", "4'b2", "99#1#", "'q'", "X\"G\""] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("\"idle\""), None);
    }
}
