//! From what the page asks to the arguments of a child.
//!
//! A request has a few fields, none of which is a flag. Files are named as [`Location`]s; a text that somebody is editing goes into a file of
//! the child's own directory, and the child reads it wherever it would read the file that is being edited (`--unsaved`). So mistakes have
//! the name and the place that they have in the editor, and imports are found beside the file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::scratch::Drops;
use crate::{Config, Premises, Refused, path};

/// What properties are called that have no file.
const UNNAMED: &str = "new.props";

/// What the page asks for.
#[derive(Clone, Debug)]
pub struct Ask {
    pub what: What,
    /// The run, the stream or the model.
    subject: Location,
    /// Which run of a file with several.
    label: Option<String>,
    /// The model as it is in the editor.
    model: Option<String>,
    properties: Option<Text>,
    /// A stream for each value of this field.
    key: Option<String>,
    pub time: Option<Duration>,
}

/// What is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A picture of a run, and of what became of its properties.
    Check,
    /// The properties on every run of a file.
    All,
    /// Which runs a file has.
    Runs,
    /// A picture of a model, and of what became of its properties.
    Verify,
    /// A stream, while it grows.
    Monitor,
}

/// Where a file is.
#[derive(Clone, Debug)]
enum Location {
    /// In the folder.
    Folder(String),
    /// It was dropped on the page.
    Dropped { beside: PathBuf, name: String },
}

/// Properties as they are in the editor.
#[derive(Clone, Debug)]
struct Text {
    /// The file in the folder that they belong to.
    path: Option<String>,
    text: String,
}

/// How a child is started.
#[derive(Debug)]
pub struct Order {
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
}

/// The form of what a child makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For the page.
    Json,
    /// A page of its own, to keep and to send.
    Html,
}

impl Form {
    /// The file of a child's directory that has it. What `show` draws it says by its end.
    pub fn file_in(self, own: &Path) -> PathBuf {
        own.join(match self {
            Self::Json => "output.json",
            Self::Html => "output.html",
        })
    }
}

fn refused<T>(why: &str) -> Result<T, Refused> {
    Err(Refused(why.to_owned()))
}

/// A field that is a text, if it is there.
fn text<'a>(value: &'a Value, field: &str) -> Result<Option<&'a str>, Refused> {
    match &value[field] {
        Value::Null => Ok(None),
        Value::String(text) if text.contains('\0') => {
            Err(Refused(format!("`{field}` has a character that no file has")))
        }
        Value::String(text) => Ok(Some(text)),
        _ => Err(Refused(format!("`{field}` is no text"))),
    }
}

/// A path of the folder that leads to a file.
fn existing(path: &str, premises: &dyn Premises) -> Result<String, Refused> {
    // A child would take the name for its standard input.
    if !path::is_plain(path) || path == "-" {
        return refused("a path is relative, no name in it begins with a dot, and it is not `-`");
    }
    premises.open(path).map(|_| path.to_owned())
}

impl Location {
    fn read(value: &Value, drops: &Drops, premises: &dyn Premises) -> Result<Self, Refused> {
        match (text(value, "path")?, value["dropped"].as_u64()) {
            (Some(path), None) => existing(path, premises).map(Self::Folder),
            (None, Some(number)) => match drops.find(number) {
                Some(dropped) => Ok(Self::Dropped { beside: dropped.beside, name: dropped.name }),
                None => refused("the dropped file is not there any more: drop it again"),
            },
            _ => refused("a file is named by `path` or by `dropped`"),
        }
    }

    /// The directory that a child works in, and what the file is called there.
    fn seen(&self, config: &Config) -> (PathBuf, String) {
        match self {
            Self::Folder(path) => (config.folder.clone(), path.clone()),
            Self::Dropped { beside, name } => (beside.clone(), name.clone()),
        }
    }
}

impl Ask {
    /// Reads what the page asks. Files that it names are there, and inside.
    pub fn read(value: &Value, drops: &Drops, premises: &dyn Premises) -> Result<Self, Refused> {
        let what = match text(value, "do")? {
            Some("check") => What::Check,
            Some("all") => What::All,
            Some("runs") => What::Runs,
            Some("verify") => What::Verify,
            Some("monitor") => What::Monitor,
            _ => return refused("`do` is check, all, runs, verify or monitor"),
        };
        let subject = Location::read(&value["subject"], drops, premises)?;
        let label = text(&value["subject"], "label")?.map(str::to_owned);
        let properties = match &value["properties"] {
            Value::Null => None,
            given => {
                let path = match text(given, "path")? {
                    Some(path) => Some(existing(path, premises)?),
                    None => None,
                };
                let text = text(given, "text")?.unwrap_or_default();
                // Nothing but space asks nothing.
                (!text.trim().is_empty()).then(|| Text { path, text: text.to_owned() })
            }
        };
        let model = text(value, "text")?.filter(|_| what == What::Verify).map(str::to_owned);
        let key = text(value, "key")?.filter(|key| !key.is_empty()).map(str::to_owned);
        if matches!(what, What::Monitor | What::All) && properties.is_none() {
            return refused("there is no property to check");
        }
        let time = match &value["seconds"] {
            Value::Null => None,
            seconds => match seconds.as_u64() {
                Some(seconds) if seconds > 0 => Some(Duration::from_secs(seconds)),
                _ => return refused("`seconds` is a number, at least 1"),
            },
        };
        Ok(Self { what, subject, label, model, properties, key, time })
    }

    /// How the child is started. `own` is a directory of its own.
    pub fn order(&self, config: &Config, own: &Path, form: Form) -> std::io::Result<Order> {
        let (directory, subject) = self.subject.seen(config);
        let mut arguments: Vec<OsString> = Vec::new();
        let mut flag = |name: &str, value: OsString| {
            let mut argument = OsString::from(name);
            argument.push("=");
            argument.push(value);
            arguments.push(argument);
        };
        let limits = &config.limits;
        let time = self.time.unwrap_or(limits.time).min(limits.time);
        if self.what != What::Monitor {
            flag("--timeout", format!("{}ms", time.as_millis()).into());
        }
        flag("--memory", format!("{}B", limits.memory).into());
        flag("--root", config.folder.clone().into());
        // What was looked at when it was asked for may be another file by now.
        for inside in [&config.folder, &directory, &own.to_owned()] {
            flag("--confine", inside.clone().into());
        }
        if let Some(text) = &self.model {
            flag("--unsaved", unsaved(Path::new(&subject), own, "model", text)?);
        }
        if let Some(properties) = self.properties.as_ref().filter(|_| self.what != What::Runs) {
            let place = match (&properties.path, &self.subject) {
                (Some(path), Location::Folder(_)) => PathBuf::from(path),
                (Some(path), Location::Dropped { .. }) => config.folder.join(path),
                (None, _) => PathBuf::from(UNNAMED),
            };
            flag("--unsaved", unsaved(&place, own, "properties", &properties.text)?);
            flag("--spec", place.into());
        }
        if let Some(key) = self.key.as_ref().filter(|_| self.what == What::Monitor) {
            flag("--key", key.into());
        }
        if let (What::Check | What::Verify, Form::Html) = (self.what, form) {
            flag("--output", form.file_in(own).into());
        }
        let command: &[&str] = match self.what {
            What::Check | What::Verify if form == Form::Json => &["show", "--to=json"],
            What::Check | What::Verify => &["show"],
            What::All => &["check", "--json"],
            What::Runs => &["info", "--json"],
            What::Monitor => &["monitor", "--follow", "--json"],
        };
        let all = command.iter().copied().chain(["--tied", "--progress=json", "--color=never"]);
        let named = match &self.label {
            Some(label) if self.what == What::Check => format!("{subject}#{label}"),
            _ => subject,
        };
        let all = all.map(OsString::from).chain(arguments).chain(["--".into(), named.into()]).collect();
        Ok(Order { arguments: all, directory })
    }
}

/// Keeps a text that is not saved, and says instead of which file it is to be read.
fn unsaved(file: &Path, own: &Path, name: &str, text: &str) -> std::io::Result<OsString> {
    let copy = own.join(name);
    fs::write(&copy, text)?;
    let mut argument = OsString::from(copy);
    argument.push("=");
    argument.push(file);
    Ok(argument)
}
