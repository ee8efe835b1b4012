//! What a checkpoint is held to: the question, as far as it decides what is told.

use posetta_monitor::{Difference, Options};

use crate::args::MonitorArgs;
use crate::paint;
use crate::sampling::SamplingArgs;

/// What a checkpoint calls the format of the stream.
pub const FORMAT: &str = "format";
const SOURCE: &str = "source";
const SAMPLING: &str = "sampling";

/// The flags behind the names of what was asked. The first three are options of the library.
const FLAGS: [(&str, &str); 8] = [
    ("completions", "--completions"),
    ("every", "--every"),
    ("key", "--key"),
    ("json", "--json"),
    ("out", "--out"),
    ("quiet", "--quiet"),
    ("strict", "--strict"),
    ("map", "--map"),
];

/// What the arguments ask of a stream that is called this and has this format. A waveform is sampled so.
pub fn options(args: &MonitorArgs, sampling: &SamplingArgs, source: &str, format: &str) -> Options {
    let options = Options::default().completions(args.completions.into()).every(args.every);
    let mut options = options.asked(SOURCE, source).asked(FORMAT, format);
    if let Some(key) = &args.key {
        options = options.key(key);
    }
    if sampling.asked().is_some() {
        options = options.asked(SAMPLING, format!("{:?}", sampling.sampling()));
    }
    if !args.map.is_empty() {
        options = options.asked("map", args.map.join(" "));
    }
    if let Some(path) = &args.out {
        options = options.asked("out", path.display().to_string());
    }
    // Programs are told everything.
    let quiet = paint::is_quiet() && !args.is_json();
    for (name, is_asked) in [("json", args.is_json()), ("quiet", quiet), ("strict", args.strict)] {
        if is_asked {
            options = options.asked(name, "");
        }
    }
    options
}

/// What differs, in words.
pub fn difference(difference: &Difference) -> String {
    let Difference::Asked { name, then, now } = difference else {
        return "it was made with other properties".to_owned();
    };
    let flag = FLAGS.iter().find(|(known, _)| known == name).map(|(_, flag)| *flag);
    let what = match (flag, name.as_str()) {
        (Some(flag), _) => flag.to_owned(),
        (None, SOURCE | FORMAT) => format!("its {name}"),
        (None, name) => format!("the {name}"),
    };
    match (then.as_deref(), now.as_deref()) {
        (None, None | Some("")) => format!("it was made without {what}"),
        (Some(""), _) => format!("it was made with {what}"),
        (None, Some(now)) => format!("it was made without {what}, and now it is {}", shown(now)),
        (Some(then), None) => format!("it was made with {what} {}", shown(then)),
        (Some(then), Some(now)) => format!("{what} was {}, and now it is {}", shown(then), shown(now)),
    }
}

fn shown(value: &str) -> String {
    if value == "-" { "standard input".to_owned() } else { format!("`{value}`") }
}
