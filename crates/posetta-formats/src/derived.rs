//! Variables that nobody recorded, worked out of those that are: bits of a vector, how many of them are 1, whether some are unknown, and
//! what a value was several records ago.
//!
//! A property that asks for `data[3]`, `$"data[7:4]"`, `countones(data)`, `isunknown(data)`, `~data`, `&data`, `^data` or `prev(data, 3)` names a variable that is
//! called so. Where a format has none, it is worked out record by record, so that no engine has to know of vectors.

use std::collections::VecDeque;

use super::states::{States, resolve};
use super::waves::{complement, ones, slice};
use posetta_base::{Number, Value};

/// Further back nothing is kept: every record between is.
const LONGEST: usize = 1 << 20;

/// How deep names may stand in each other.
const DEEPEST: usize = 16;

/// One step from a value to another.
#[derive(Debug)]
enum Step {
    /// The bits between these two, counted from the lowest.
    Bits { low: u32, high: u32 },
    /// How many bits are 1.
    Ones,
    /// Whether some bit is neither 0 nor 1.
    Unknown,
    /// Each bit the other way round.
    Complement,
    /// Whether all bits are 1.
    All,
    /// Whether the number of bits that are 1 is odd.
    Odd,
    /// The value of so many records ago, or the first one; and those since, the oldest first.
    Back(usize, VecDeque<Value>),
}

/// A variable that is worked out.
#[derive(Debug)]
pub(super) struct Derived {
    /// What it is called.
    pub(super) name: String,
    /// The variable that it comes from.
    pub(super) of: u32,
    /// The width of what it comes from.
    width: u32,
    /// From the inside out.
    steps: Vec<Step>,
    /// What its variable was last.
    now: Option<Value>,
    /// What it was last itself.
    told: Option<Value>,
}

impl Derived {
    /// The variable of this name, if it can be worked out. Otherwise what the variable inside could be.
    pub(super) fn find<'a>(states: &'a impl States, name: &str) -> Option<Result<Self, Vec<&'a str>>> {
        let (mut inside, mut outer) = (name, Vec::new());
        // A name that is written for a part of itself counts as it is, so names are tried from the outside in.
        loop {
            let (rest, part) = split(inside)?;
            // Where unknown bits are read as others, the answer would always be no.
            if matches!(part, Function::Unknown) && !states.tells_unknown() {
                return None;
            }
            outer.push(part);
            match resolve(states.names(), states.aliases(), states.shortens(), rest) {
                Ok(of) => {
                    let (left, right) = states.bits(of)?;
                    let width = u32::try_from(left.abs_diff(right)).ok()?.checked_add(1)?;
                    let mut range = Some((left, right));
                    let steps = outer.into_iter().rev().map(|part| step(part, &mut range)).collect::<Option<_>>()?;
                    return Some(Ok(Self { name: name.to_owned(), of, width, steps, now: None, told: None }));
                }
                Err(could_be) if could_be.len() > 1 => return Some(Err(could_be)),
                Err(_) if outer.len() < DEEPEST => inside = rest,
                Err(_) => return None,
            }
        }
    }

    /// The variable that it comes from has this value now.
    pub(super) fn hear(&mut self, value: &Value) {
        self.now = Some(value.clone());
    }

    /// What it is in the record whose values were heard, if that is something new.
    pub(super) fn tell(&mut self) -> Option<Value> {
        let mut value = self.now.clone()?;
        let mut width = self.width;
        for step in &mut self.steps {
            value = match step {
                Step::Bits { low, high } => {
                    let part = slice(&value, width, *low, *high);
                    width = *high - *low + 1;
                    part
                }
                Step::Ones => Value::Number(Number::from(ones(&value, width).0)),
                Step::Unknown => Value::Number(Number::from(i64::from(ones(&value, width).1))),
                Step::Complement => complement(&value, width),
                Step::All => match ones(&value, width) {
                    (_, true) => Value::Text("x".to_owned()),
                    (count, false) => Value::Number(Number::from(i64::from(count == i64::from(width)))),
                },
                Step::Odd => match ones(&value, width) {
                    (_, true) => Value::Text("x".to_owned()),
                    (count, false) => Value::Number(Number::from(count & 1)),
                },
                Step::Back(records, since) => {
                    since.push_back(value);
                    if since.len() > *records + 1 {
                        since.pop_front();
                    }
                    since.front().cloned()?
                }
            };
        }
        if self.told.as_ref() == Some(&value) {
            return None;
        }
        self.told = Some(value.clone());
        Some(value)
    }
}

/// What a name is made of, outermost.
#[derive(Clone, Copy)]
enum Function {
    Bits(i64, i64),
    Ones,
    Unknown,
    Complement,
    All,
    Odd,
    Back(usize),
}

/// What stands outermost, and the name inside it.
fn split(name: &str) -> Option<(&str, Function)> {
    if let Some(inside) = name.strip_suffix(']') {
        let (rest, index) = inside.rsplit_once('[')?;
        let (left, right) = index.split_once(':').unwrap_or((index, index));
        let part = Function::Bits(left.trim().parse().ok()?, right.trim().parse().ok()?);
        return (!rest.is_empty()).then_some((rest, part));
    }
    let (function, inside) = name.strip_suffix(')')?.split_once('(')?;
    match function {
        "countones" => Some((inside, Function::Ones)),
        "isunknown" => Some((inside, Function::Unknown)),
        "~" => Some((inside, Function::Complement)),
        "&" => Some((inside, Function::All)),
        "^" => Some((inside, Function::Odd)),
        "prev" => {
            let (inside, records) = inside.rsplit_once(", ")?;
            let records = records.parse().ok().filter(|records| *records <= LONGEST)?;
            Some((inside, Function::Back(records)))
        }
        _ => None,
    }
}

/// The same as a step from a value whose bits have these numbers.
fn step(part: Function, range: &mut Option<(i64, i64)>) -> Option<Step> {
    match part {
        Function::Bits(left, right) => {
            let (first, last) = (*range)?;
            // The bit on the right is the lowest, whichever way they are numbered.
            let place = |index: i64| match first >= last {
                true if (last..=first).contains(&index) => Some(index.abs_diff(last)),
                false if (first..=last).contains(&index) => Some(index.abs_diff(last)),
                _ => None,
            };
            let (high, low) = (u32::try_from(place(left)?).ok()?, u32::try_from(place(right)?).ok()?);
            *range = Some((left, right));
            (low <= high).then_some(Step::Bits { low, high })
        }
        Function::Complement => Some(Step::Complement),
        Function::Ones | Function::Unknown | Function::All | Function::Odd => {
            *range = None;
            Some(match part {
                Function::Ones => Step::Ones,
                Function::Unknown => Step::Unknown,
                Function::All => Step::All,
                _ => Step::Odd,
            })
        }
        Function::Back(records) => Some(Step::Back(records, VecDeque::new())),
    }
}

#[cfg(test)]
mod tests {
    use crate::records::RecordBuffer;
    use crate::states::tests::states_of;
    use crate::waves::Sampling;
    use crate::{Format, ReadOptions, records, vcd};
    use posetta_base::Budget;

    const WAVES: &str = "\
$timescale 1 ns $end
$scope module t $end
$var wire 1 ! clk $end
$var wire 8 d data [7:0] $end
$var wire 4 u up [0:3] $end
$var wire 4 o off [11:8] $end
$var wire 70 w wide [69:0] $end
$upscope $end
$enddefinitions $end
#0 0! b10100101 d b0001 u b1010 o b0 w
#5 1!
#10 0! b1x d b1000 u b11 o
#15 1!
#20 0! bx d bz u b1111 o b1000000000000000000000000000000000000000000000000000000000000000000001 w
#25 1!
";

    fn clocked() -> Sampling {
        Sampling::default().clock(Some("clk".to_owned()))
    }

    /// What a variable is in each state.
    fn values(name: &str) -> Vec<String> {
        let wanted = [name.to_owned()];
        let run = vcd::read(WAVES.as_bytes(), &clocked(), Some(&wanted), &Budget::unlimited()).unwrap();
        let mut last = String::new();
        let value = |state: &String| {
            let found = state.split(' ').find_map(|set| set.strip_prefix(&format!("{}=", name.replace(", ", ",_"))));
            if let Some(value) = found {
                last = value.to_owned();
            }
            last.clone()
        };
        // A name with a blank in it would be taken apart.
        let states: Vec<String> = states_of(&run.trace).iter().map(|s| s.replace(", ", ",_")).collect();
        states.iter().map(value).collect()
    }

    #[test]
    fn bits_and_functions_of_vectors() {
        for (name, expected) in [
            ("data[0]", ["1", "x", "x"]),
            ("data[1]", ["0", "1", "x"]),
            ("t.data[7]", ["1", "0", "x"]),
            ("data[7:4]", ["10", "0", "x"]),
            ("data[2:0]", ["5", "1x", "x"]),
            // The bit on the left is the highest, whatever it is called.
            ("up[0]", ["0", "1", "z"]),
            ("up[3]", ["1", "0", "z"]),
            ("up[2:3]", ["1", "0", "z"]),
            ("off[8]", ["0", "1", "1"]),
            ("off[11:10]", ["2", "0", "3"]),
            ("wide[69]", ["0", "0", "1"]),
            ("wide[69:60]", ["0", "0", "512"]),
            ("countones(data)", ["4", "1", "0"]),
            ("countones(wide)", ["0", "0", "2"]),
            ("countones(data[3:0])", ["2", "1", "0"]),
            ("isunknown(data)", ["0", "1", "1"]),
            ("isunknown(off)", ["0", "0", "0"]),
            ("~(off)", ["5", "12", "0"]),
            ("~(data)", ["90", "1111110x", "x"]),
            ("&(off)", ["0", "0", "1"]),
            ("&(up)", ["0", "0", "x"]),
            ("^(up)", ["1", "1", "x"]),
            ("prev(off, 1)", ["10", "10", "3"]),
            ("prev(off, 2)", ["10", "10", "10"]),
            ("countones(prev(off, 1))", ["2", "2", "2"]),
            ("prev(off[9], 1)", ["1", "1", "1"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|v| v.to_string()).collect();
            let found: Vec<String> = values(name).iter().map(|v| v.trim_matches('"').to_owned()).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn what_cannot_be_worked_out_is_no_variable() {
        for name in
            ["data[8]", "data[4:7]", "up[3:2]", "gone[3]", "countones(gone)", "prev(data, x)", "countones(data)[0]"]
        {
            let wanted = [name.to_owned()];
            let run = vcd::read(WAVES.as_bytes(), &clocked(), Some(&wanted), &Budget::unlimited()).unwrap();
            assert!(run.trace.variables().all(|v| run.trace.variable_name(v) != name), "{name}");
        }
    }

    /// A stream has the same.
    #[test]
    fn streams_work_them_out_as_well() {
        let options = ReadOptions::default().sampling(clocked());
        let mut stream =
            records::open(Format::Vcd, Box::new(WAVES.as_bytes()), &options, &Budget::unlimited()).unwrap();
        let mut record = RecordBuffer::of(["data[1]", "countones(off)"], None);
        let mut seen = Vec::new();
        while stream.next(&mut record).unwrap() {
            let mut sets: Vec<String> = record.take().sets.map(|(name, value)| format!("{name}={value}")).collect();
            sets.sort();
            seen.push(sets.join(" "));
        }
        assert_eq!(seen, ["countones(off)=2 data[1]=0", "data[1]=1", "countones(off)=4 data[1]=\"x\""]);
    }
}
