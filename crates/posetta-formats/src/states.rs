//! Formats of state records: what they have in common, whichever they are.
//!
//! A reader implements [`States`]: it is asked for one record after the other. [`read`] makes a run of them (one process, the first
//! record declares values, each further one is an event), [`Stream`] hands them to whoever follows the input while it comes. So both
//! see the same records.

use std::borrow::Cow;

use super::Run;
use super::derived::Derived;
use super::records::{RecordBuffer, RecordKind, Records};
use super::source::READING;
use posetta_base::{Budget, Diagnostic, Error, Kind, Number, Place, Symbol, Value, VarId, When};
use posetta_logic::nearest;
use posetta_trace::{Builder, Timing, shortened};

pub(super) use super::jsonl::STATE_PROCESS;

/// Records and assignments between two looks at how much the run has grown.
const STRIDE: usize = 256;

/// Records of states, one after the other. A variable goes by its place in [`Self::names`].
pub(super) trait States {
    /// Reads what stands before the first record, if that was not done: afterwards the variables are known. `false` at the end of the
    /// input.
    ///
    /// # Errors
    /// As [`Self::advance`].
    fn begin(&mut self) -> Result<bool, Error>;

    /// Reads the next record. `false` at the end of the input.
    ///
    /// # Errors
    /// With the mistakes of one record, after which the next call goes on, or ends if that makes no sense. Or when the budget is spent.
    fn advance(&mut self) -> Result<bool, Error>;

    /// A variable of this name tells streams apart, so that somebody knows what it is. Called before anything is read.
    fn understand(&mut self, _key: &str) {}

    /// The variables.
    fn names(&self) -> &[String];

    /// Further names of variables.
    fn aliases(&self) -> &[(String, u32)] {
        &[]
    }

    /// How the bits of a variable that is a vector are numbered, from left to right.
    fn bits(&self, _variable: u32) -> Option<(i64, i64)> {
        None
    }

    /// Whether a bit that is neither 0 nor 1 can be told from those.
    fn tells_unknown(&self) -> bool {
        true
    }

    /// Whether a variable `a.b.c` may also be called `b.c` or `c` where that means no other.
    fn shortens(&self) -> bool {
        false
    }

    /// The values of only these variables are asked for. A hint: others may come all the same.
    fn only(&mut self, _wanted: Vec<bool>) {}

    /// What the last record assigns, each variable once. The user empties it.
    fn sets(&mut self) -> &mut Vec<(u32, Value)>;

    /// When the last record is, if this is a waveform.
    fn when(&self) -> Option<When> {
        None
    }

    /// The line of the last record or mistake, from 1.
    fn line(&self) -> u64;

    /// Bytes of the input so far.
    fn offset(&self) -> u64;

    /// Why there is no record at all, for a person.
    fn nothing(&self) -> Diagnostic;

    /// What is worth knowing about the input, as far as it was read; each is told once.
    fn warnings(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// Which variables somebody asks for.
struct Chosen {
    /// Those that a name means, by variable; `None` if all.
    only: Option<Vec<bool>>,
    /// Some name means none or several. Then the run knows the names of all variables, so that whoever asks can say what there is.
    unclear: bool,
    /// What is worked out.
    derived: Vec<Derived>,
}

impl Chosen {
    fn new(states: &impl States, wanted: &[String]) -> Self {
        let mut only = vec![false; states.names().len()];
        let mut unclear = false;
        let mut derived: Vec<Derived> = Vec::new();
        for name in wanted {
            match resolve(states.names(), states.aliases(), states.shortens(), name) {
                Ok(of) => only[of as usize] = true,
                Err(_) => match Derived::find(states, name) {
                    Some(Ok(found)) => {
                        only[found.of as usize] = true;
                        derived.push(found);
                    }
                    Some(Err(_)) | None => unclear = true,
                },
            }
        }
        Self { only: Some(only), unclear, derived }
    }

    /// Whether the run has the variable.
    fn has(&self, variable: usize) -> bool {
        self.unclear || self.only.as_ref().is_none_or(|only| only[variable])
    }
}

/// A variable has this value now: what is worked out of it hears that.
fn heard(derived: &mut [Derived], variable: u32, value: &Value) {
    derived.iter_mut().filter(|of| of.of == variable).for_each(|of| of.hear(value));
}

/// Reads a whole run; with `wanted`, only what the variables that these names mean are in it.
///
/// # Errors
/// With every mistake found, when there is no record, or when the budget is spent.
pub(super) fn read(mut states: impl States, wanted: Option<&[String]>, budget: &Budget) -> Result<Run, Error> {
    let mut builder = Builder::new();
    let mut claim = budget.claim(0, READING)?;
    // Of a variable that the run does not have, nothing.
    let mut variables: Vec<Option<VarId>> = Vec::new();
    let mut worked_out: Vec<VarId> = Vec::new();
    let mut process = None;
    let mut work = 0;
    let mut chosen = Chosen { only: None, unclear: false, derived: Vec::new() };
    if let Some(wanted) = wanted
        && states.begin()?
    {
        chosen = Chosen::new(&states, wanted);
        if let Some(only) = &chosen.only {
            states.only(only.clone());
        }
    }
    loop {
        match states.advance() {
            Ok(true) => {}
            Ok(false) => break,
            Err(Error::Invalid(mistakes)) => {
                builder.lose_event();
                // After enough of them the rest is not read.
                let more = mistakes.into_iter().all(|mistake| builder.report(mistake));
                if more {
                    continue;
                }
                break;
            }
            Err(over) => return Err(over),
        }
        let line = states.line();
        let placed = |d: Box<Diagnostic>| Error::from(d.at(Place::line_only(line)));
        let Some(process) = process else {
            for (i, name) in states.names().iter().enumerate() {
                variables.push(if chosen.has(i) { Some(builder.variable(name).map_err(placed)?) } else { None });
            }
            for (name, of) in states.aliases() {
                if let Some(variable) = variables[*of as usize] {
                    builder.alias(name, variable).map_err(placed)?;
                }
            }
            if states.shortens() {
                builder.shorten_names();
            }
            process = Some(builder.process(STATE_PROCESS).map_err(placed)?);
            if let Some(When { time, unit, cycle }) = states.when() {
                builder.tell_timing(Timing { unit, start: time, clocked: cycle.is_some() });
            }
            for (variable, value) in states.sets().drain(..) {
                heard(&mut chosen.derived, variable, &value);
                let Some(variable) = variables[variable as usize] else { continue };
                let value = builder.value(value).map_err(placed)?;
                builder.declare(variable, value);
            }
            for of in &mut chosen.derived {
                let variable = builder.variable(&of.name).map_err(placed)?;
                worked_out.push(variable);
                if let Some(value) = of.tell() {
                    let value = builder.value(value).map_err(placed)?;
                    builder.declare(variable, value);
                }
            }
            continue;
        };
        builder.event(process, line).map_err(placed)?;
        work += 1 + states.sets().len();
        if let Some(When { time, .. }) = states.when() {
            builder.time(time);
        }
        for (variable, value) in states.sets().drain(..) {
            heard(&mut chosen.derived, variable, &value);
            let Some(variable) = variables[variable as usize] else { continue };
            let value = builder.value(value).map_err(placed)?;
            builder.assign(variable, value).map_err(placed)?;
        }
        for (of, &variable) in chosen.derived.iter_mut().zip(&worked_out) {
            if let Some(value) = of.tell() {
                let value = builder.value(value).map_err(placed)?;
                builder.assign(variable, value).map_err(placed)?;
            }
        }
        if work >= STRIDE {
            work = 0;
            claim.grow_to(builder.weight(), READING)?;
        }
    }
    if process.is_none() && !builder.has_mistakes() {
        return Err(states.nothing().into());
    }
    let warnings = states.warnings();
    drop((claim, states));
    builder.mark_state_records();
    Ok(Run { label: None, trace: builder.finish(true, budget)?, warnings })
}

/// State records for whoever follows the input while it comes.
pub(super) struct Stream<S> {
    states: S,
    /// What each variable is called in the buffer; known when the first record is asked for.
    targets: Option<Vec<Vec<Symbol>>>,
    /// What is worked out, and what it is called in the buffer.
    derived: Vec<(Derived, Symbol)>,
    /// Names that are asked for mean nothing here: there is nothing to read for.
    refused: bool,
}

impl<S: States> Stream<S> {
    pub(super) fn new(states: S) -> Self {
        Self { states, targets: None, derived: Vec::new(), refused: false }
    }

    /// Finds the variables in the buffer, under whichever names they are wanted.
    fn targets(&mut self, record: &mut RecordBuffer) -> Result<Vec<Vec<Symbol>>, Error> {
        let names = self.states.names();
        let mut targets = Vec::with_capacity(names.len());
        for name in names {
            targets.push(vec![record.variable(name)?]);
            // Those that nobody wants are not told, but they are there.
            record.note_seen(name)?;
        }
        let wanted: Vec<String> = record.wanted().map(str::to_owned).collect();
        let mut mistakes = Vec::new();
        for name in wanted {
            let symbol = record.variable(&name)?;
            match resolve(names, self.states.aliases(), self.states.shortens(), &name) {
                Ok(of) if !targets[of as usize].contains(&symbol) => {
                    targets[of as usize].push(symbol);
                    record.note_seen(&name)?;
                }
                Ok(_) => {}
                Err(candidates) => match Derived::find(&self.states, &name) {
                    Some(Ok(found)) => {
                        record.note_seen(&name)?;
                        self.derived.push((found, symbol));
                    }
                    Some(Err(inside)) => mistakes.push(no_variable(names, &name, &inside)),
                    None => mistakes.push(no_variable(names, &name, &candidates)),
                },
            }
        }
        if !mistakes.is_empty() {
            return Err(Error::Invalid(mistakes));
        }
        let asked = |symbols: &Vec<Symbol>, name: &String| {
            symbols.iter().any(|&symbol| record.wants(symbol)) || record.is_key_field(name)
        };
        let mut asked: Vec<bool> = targets.iter().zip(names).map(|(symbols, name)| asked(symbols, name)).collect();
        self.derived.iter().for_each(|(found, _)| asked[found.of as usize] = true);
        self.states.only(asked);
        Ok(targets)
    }
}

impl<S: States> Records for Stream<S> {
    fn kind(&self) -> Option<RecordKind> {
        Some(RecordKind::States)
    }

    fn initial(&self) -> &[(String, Value)] {
        &[]
    }

    fn next(&mut self, record: &mut RecordBuffer) -> Result<bool, Error> {
        record.begin();
        if self.refused {
            return Ok(false);
        }
        if self.targets.is_none() {
            if let Some(key) = record.key_field() {
                self.states.understand(key);
            }
            if !self.states.begin()? {
                return Ok(false);
            }
            let found = self.targets(record);
            self.refused = found.is_err();
            self.targets = Some(found?);
        }
        if !self.states.advance()? {
            return Ok(false);
        }
        let Some(targets) = &self.targets else { return Ok(false) };
        for (variable, value) in self.states.sets().drain(..) {
            self.derived.iter_mut().filter(|(of, _)| of.of == variable).for_each(|(of, _)| of.hear(&value));
            if let [more @ .., last] = &targets[variable as usize][..] {
                for &symbol in more {
                    record.assign(symbol, value.clone());
                }
                record.assign(*last, value);
            }
        }
        for (of, symbol) in &mut self.derived {
            if let Some(value) = of.tell() {
                record.assign(*symbol, value);
            }
        }
        Ok(true)
    }

    fn offset(&self) -> u64 {
        self.states.offset()
    }

    fn line(&self) -> u64 {
        self.states.line()
    }

    fn when(&self) -> Option<When> {
        self.states.when()
    }

    fn warnings(&mut self) -> Vec<Diagnostic> {
        self.states.warnings()
    }
}

/// All names are known before the first state, so one that means nothing, or too much, is told at once.
fn no_variable(names: &[String], name: &str, candidates: &[&str]) -> Diagnostic {
    if candidates.is_empty() {
        let mistake =
            Diagnostic::new(Kind::UnknownVariable, format!("no input assigns or declares the variable `{name}`"));
        return match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake,
        };
    }
    let some: Vec<String> = candidates.iter().take(4).map(|name| format!("`{name}`")).collect();
    let more = if candidates.len() > some.len() { " and others" } else { "" };
    let message = format!("`{name}` could be any of {} variables", candidates.len());
    Diagnostic::new(Kind::UnknownVariable, message).help(format!("write more of its name: {}{more}", some.join(", ")))
}

/// The variable that a name means: its own name or an alias, else the only one with a name that ends so. Otherwise all that it
/// could be.
pub(super) fn resolve<'a>(
    names: &'a [String],
    aliases: &'a [(String, u32)],
    shortens: bool,
    name: &str,
) -> Result<u32, Vec<&'a str>> {
    let own = names.iter().zip(0..).map(|(name, i)| (name.as_str(), i));
    let mut all = own.chain(aliases.iter().map(|(name, of)| (name.as_str(), *of)));
    match all.clone().find(|(known, _)| *known == name) {
        Some((_, found)) => Ok(found),
        None if shortens => shortened(&mut all, name),
        None => Err(Vec::new()),
    }
}

/// A number, a truth value or a string, as formats that only have text write them.
pub(super) fn scalar(text: &str) -> Result<Value, TooLong> {
    match text.as_bytes() {
        [digit @ b'0'..=b'9'] => return Ok(Value::Number(Number::from(i64::from(digit - b'0')))),
        [b'-' | b'0'..=b'9', ..] if is_number(text) => {
            return text.parse().map(Value::Number).map_err(|_| TooLong);
        }
        _ if text.eq_ignore_ascii_case("true") => return Ok(Value::Number(Number::ONE)),
        _ if text.eq_ignore_ascii_case("false") => return Ok(Value::Number(Number::ZERO)),
        _ => {}
    }
    Ok(Value::Text(text.to_owned()))
}

/// A number with too many digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Whether a text is a number as JSON writes them.
pub(super) fn is_number(text: &str) -> bool {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let n = digits(exponent);
        return n > 0 && n == exponent.len();
    }
    rest.is_empty()
}

/// A mistake about a number with too many digits.
pub(super) fn too_long(place: Place) -> Diagnostic {
    Diagnostic::new(Kind::Digits, "a number with more than 10,000 digits")
        .at(place)
        .label("expected at most 10,000 digits when it is written without an exponent")
}

/// Some of many names, in quotes.
pub(super) fn some_of(names: &[&str]) -> String {
    let mut shown: Vec<Cow<'_, str>> = names.iter().take(5).map(|name| format!("`{name}`").into()).collect();
    if names.len() > shown.len() {
        shown.push(format!("{} more", names.len() - shown.len()).into());
    }
    match shown.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Format, ReadOptions, records};
    use posetta_trace::Trace;

    /// What each record of a run assigns, the first one included.
    pub(crate) fn states_of(trace: &Trace) -> Vec<String> {
        let one = |name: &str, value: &Value| format!("{name}={value}");
        let declared = trace.variables().filter(|&v| trace.is_declared(v));
        let declared = declared.map(|v| one(trace.variable_name(v), trace.value(trace.initial(v))));
        let mut states = vec![declared.collect::<Vec<_>>().join(" ")];
        for event in trace.linearisation() {
            let sets = trace.assignments(*event).iter();
            let sets = sets.map(|a| one(trace.variable_name(a.var), trace.value(a.value)));
            states.push(sets.collect::<Vec<_>>().join(" "));
        }
        states
    }

    /// What each record of a stream assigns, and its mistakes.
    fn followed(format: Format, bytes: &[u8], mut record: RecordBuffer) -> Vec<String> {
        let options = ReadOptions::default();
        let mut stream = records::open(format, Box::new(bytes), &options, &Budget::unlimited()).unwrap();
        let mut states = Vec::new();
        loop {
            match stream.next(&mut record) {
                Ok(true) => {
                    let sets = record.take().sets.map(|(name, value)| format!("{name}={value}"));
                    states.push(sets.collect::<Vec<_>>().join(" "));
                }
                Ok(false) => break,
                Err(failure) => states.push(failure.to_string()),
            }
        }
        assert_eq!(stream.kind(), Some(RecordKind::States));
        assert!(stream.offset() <= bytes.len() as u64);
        assert!(stream.initial().is_empty() && stream.line() > 0);
        states
    }

    const WAVES: &[u8] = include_bytes!("fst/testdata/small.vcd");

    #[test]
    fn a_stream_has_the_records_of_the_run() {
        let packed = include_bytes!("fst/testdata/small-lz4.fst");
        for (format, bytes) in
            [(Format::Csv, &b"x,y\n1,a\n,\n\n2,\"b\nc\"\n"[..]), (Format::Vcd, WAVES), (Format::Fst, packed)]
        {
            let run = crate::read(format, bytes, &Budget::unlimited()).unwrap();
            assert_eq!(followed(format, bytes, RecordBuffer::all(None)), states_of(&run), "{format:?}");
        }
    }

    #[test]
    fn a_stream_tells_variables_by_the_names_that_are_wanted() {
        let wanted = ["cpu.clk", "top.count", "clk"];
        let mut record = RecordBuffer::of(wanted, None);
        let options = ReadOptions::default();
        let mut stream = records::open(Format::Vcd, Box::new(WAVES), &options, &Budget::unlimited()).unwrap();
        let mut states = Vec::new();
        while stream.next(&mut record).unwrap() {
            let mut sets: Vec<String> = record.take().sets.map(|(name, value)| format!("{name}={value}")).collect();
            sets.sort();
            states.push(sets.join(" "));
        }
        assert_eq!(states[0], "clk=0 cpu.clk=0 top.count=\"x\"");
        assert_eq!(states[1], "clk=1 cpu.clk=1 top.count=1");
        for (name, seen) in [("clk", true), ("cpu.clk", true), ("top.temp", true), ("nothing", false)] {
            assert_eq!(record.has_seen(name), seen, "{name}");
        }
    }

    #[test]
    fn a_name_that_means_nothing_is_told_at_once() {
        for (name, message) in [("cnt", "no input assigns or declares the variable `cnt`"), ("top.count", "")] {
            let told = followed(Format::Vcd, WAVES, RecordBuffer::of([name], None));
            let mistakes: Vec<&String> = told.iter().filter(|line| line.contains("assigns or declares")).collect();
            assert_eq!(mistakes.len(), usize::from(!message.is_empty()), "{told:?}");
            assert!(message.is_empty() || told.len() == 1 && told[0].ends_with(message), "{told:?}");
        }
    }

    #[test]
    fn a_stream_goes_on_after_a_mistake() {
        let told = followed(Format::Csv, b"x,y\n1,2\n3\n4,5\n", RecordBuffer::all(None));
        assert_eq!(told, ["x=1 y=2", "3:2: one cell where the first line has 2", "x=4 y=5"]);
        let told = followed(Format::Csv, b"x,x\n1,2\n", RecordBuffer::all(None));
        assert_eq!(told, ["1:3: two columns are called `x`"]);
        let dump = b"$var wire 1 ! a $end $enddefinitions $end\n#0 0!\n1?\n#1 1!\n";
        let told = followed(Format::Vcd, dump, RecordBuffer::all(None));
        assert_eq!(told, ["3:2: no signal has the code `?`", "a=0", "a=1"]);
    }

    #[test]
    fn scalars() {
        let number = |text: &str| Value::Number(text.parse().unwrap());
        for (text, value) in [
            ("0", number("0")),
            ("-1.50e+3", number("-1500")),
            ("0.1", number("0.1")),
            ("TRUE", number("1")),
            ("False", number("0")),
            ("123456789012345678901234567890", number("123456789012345678901234567890")),
        ] {
            assert_eq!(scalar(text), Ok(value), "{text}");
        }
        for text in ["", "007", "+1", ".5", "1.", "1e", "1,5", "0x1f", "nan", "-", "1 2", "yes", "12:00"] {
            assert_eq!(scalar(text), Ok(Value::Text(text.to_owned())), "{text}");
        }
        assert_eq!(scalar("1e20000"), Err(TooLong));
    }

    #[test]
    fn lists_end() {
        assert_eq!(some_of(&[]), "");
        assert_eq!(some_of(&["a"]), "`a`");
        assert_eq!(some_of(&["a", "b"]), "`a` and `b`");
        assert_eq!(some_of(&["a", "b", "c", "d", "e", "f", "g"]), "`a`, `b`, `c`, `d`, `e` and 2 more");
    }
}
