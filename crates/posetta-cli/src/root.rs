//! Where files may lead: what a file imports or includes, and what a link in a searched directory means, lies in one directory, the root.
//!
//! Files may come from strangers, and mistakes are shown with a line of the file they are in. So a path is walked step by step from a
//! directory that is known, links are resolved by hand, and the first step that leaves the root is refused ([`Walk`]). Nothing outside
//! of the root is looked at, so a refusal cannot tell whether something is there. Start at [`Root::load`].

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use posetta_logic::NoFile;

use crate::files::{self, has_devices};
use crate::problem::system_error;
use crate::{read, unsaved};

/// More links in one path than this lead in circles.
const MOST_LINKS: usize = 40;

/// More text than this, of all files that one asks for, is refused. A file counts as often as it is asked for, for as often it is read.
const MOST_BYTES: usize = 1 << 30;

/// Why something hidden is not read.
const HIDDEN: &str = "what begins with a dot is not read here";

/// How files are confined.
#[derive(Clone, Debug, Default, Args)]
pub struct RootArgs {
    /// Files may import, include and link to only what is in this directory [default: the directory of the file, or the one
    /// that is searched]
    #[arg(long, value_name = "DIR", value_parser = directory(), hide_short_help = true, help_heading = "Input")]
    root: Option<Directory>,
}

/// A directory.
#[derive(Clone, Debug)]
struct Directory {
    /// As it was named, made absolute.
    named: PathBuf,
    /// Without links.
    real: PathBuf,
    /// As messages call it.
    called: String,
}

impl Directory {
    fn new(named: &Path, called: String) -> io::Result<Self> {
        let named = if named.as_os_str().is_empty() { Path::new(".") } else { named };
        Ok(Self { named: std::path::absolute(named)?, real: named.canonicalize()?, called })
    }
}

fn directory() -> impl TypedValueParser<Value = Directory> {
    PathBufValueParser::new().try_map(|path: PathBuf| {
        let found = Directory::new(&path, format!("`{}`", path.display())).map_err(|e| system_error(&e))?;
        if found.real.is_dir() { Ok(found) } else { Err("it is not a directory".to_owned()) }
    })
}

/// Why a path leads to nothing that is read.
#[derive(Debug)]
pub enum Refused {
    /// It leaves the root.
    Outside,
    /// What it leads to, or something on the way, is not to be had.
    Missing(io::Error),
    /// It leads to something else than a file.
    Unfit(&'static str),
}

/// The directory that a file named on the command line, and all that it asks for, must not leave.
pub struct Root {
    /// `None`: it is not to be had.
    directory: Option<Directory>,
    /// Whether somebody asked for this one.
    given: bool,
    /// What each file is called, by its path without links: a file has one name, however it is reached.
    names: HashMap<PathBuf, String>,
    /// Where each name was found.
    homes: HashMap<String, Home>,
    /// How much text was asked for.
    bytes: usize,
    /// What is hidden is not read.
    hides: bool,
}

/// What the paths in a file start from.
#[derive(Clone)]
struct Home {
    /// The directory without links.
    real: PathBuf,
    /// As messages call it.
    called: PathBuf,
}

impl Root {
    /// The root of a file on the command line: what `--root` says, else its directory, which is the one that its name leads to even if it
    /// is a link itself. For standard input, pipes and devices it is the current directory.
    pub fn of(args: &RootArgs, file: &Path) -> Self {
        let name = file.display().to_string();
        let beside = file.parent().unwrap_or(Path::new(""));
        let is_stream = name == "-"
            || fs::metadata(file).is_ok_and(|m| !m.is_file())
            || (beside.is_absolute() && has_devices(beside));
        let (beside, called) = match is_stream {
            true => (Path::new(""), "the current directory".to_owned()),
            false => (beside, format!("the directory of `{name}`")),
        };
        let own = Directory::new(beside, called).ok();
        let mut root = Self {
            directory: args.root.clone().or_else(|| own.clone()),
            given: args.root.is_some(),
            names: HashMap::new(),
            homes: HashMap::new(),
            bytes: 0,
            hides: false,
        };
        if let Some(own) = own {
            if let (false, Ok(real)) = (is_stream, file.canonicalize()) {
                root.names.insert(real, name.clone());
            }
            root.homes.insert(name, Home { real: own.real, called: beside.to_owned() });
        }
        root
    }

    /// The root of a file that is open in an editor: what `--root` says, else the folder that is open, else its directory.
    pub fn in_folder(args: &RootArgs, folder: Option<&Path>, file: &Path) -> Self {
        let mut root = Self::of(args, file);
        let called = |folder: &Path| format!("the open folder `{}`", folder.display());
        let folder = folder.filter(|_| !root.given).and_then(|folder| Directory::new(folder, called(folder)).ok());
        root.directory = folder.or(root.directory);
        root
    }

    /// Where a file that another one asks for is, without links, if it is a file in the root.
    pub fn find(&self, from: &str, wanted: &str) -> Result<PathBuf, NoFile> {
        let (Some(directory), Some(home)) = (&self.directory, self.homes.get(from)) else {
            return Err("the directory of this file cannot be read".into());
        };
        let found = Walk { root: directory }.file(&home.real, Path::new(wanted));
        let opened = found.and_then(|(_, real)| open(directory, &real).map(|_| real));
        opened.map_err(|refused| match refused {
            Refused::Outside => self.outside(&directory.called),
            Refused::Missing(error) => system_error(&error).into(),
            Refused::Unfit(why) => why.into(),
        })
    }

    /// The name and the text of what a file asks for. It is looked for beside that file, and called by the path that leads to it.
    pub fn load(&mut self, from: &str, wanted: &str) -> Result<(String, String), NoFile> {
        let (Some(directory), Some(home)) = (&self.directory, self.homes.get(from).cloned()) else {
            return Err("the directory of this file cannot be read".into());
        };
        let called = home.called.join(wanted);
        let walk = Walk { root: directory };
        let found = match self.hides {
            true => walk.seen_file(&home.real, Path::new(wanted)),
            false => walk.file(&home.real, Path::new(wanted)),
        };
        let opened = found.and_then(|(beside, real)| Ok((open(directory, &real)?, beside, real)));
        let (opened, beside, real) = opened.map_err(|refused| match refused {
            Refused::Outside => self.outside(&directory.called),
            Refused::Missing(error) => format!("cannot read `{}`: {}", called.display(), system_error(&error)).into(),
            Refused::Unfit(why) => NoFile::from(why),
        })?;
        let text = read::text_of(&called.display().to_string(), opened).map_err(|d| match d.place {
            Some(place) => format!("{} (line {})", d.message, place.line),
            None => d.message,
        })?;
        let name = self.names.entry(real.clone()).or_insert_with(|| {
            let tidy = tidy(&called);
            let shown = if tidy.canonicalize().is_ok_and(|tidy| tidy == real) { &tidy } else { &called };
            shown.display().to_string()
        });
        if !self.homes.contains_key(name) {
            let called = Path::new(name).parent().unwrap_or(Path::new("")).to_owned();
            self.homes.insert(name.clone(), Home { real: beside, called });
        }
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > MOST_BYTES {
            return Err(format!("with it, more than {} GiB of text are asked for", MOST_BYTES >> 30).into());
        }
        Ok((name.clone(), text))
    }

    fn outside(&self, called: &str) -> NoFile {
        let (why, help) = match self.given {
            true => (format!("it leads outside of {called}, which --root names"), "--root can name another directory"),
            false => {
                (format!("it leads outside of {called}"), "to allow it, name a directory that it is in with --root")
            }
        };
        NoFile { why, help: Some(help.to_owned()) }
    }
}

/// Where links in a directory that is searched may lead.
pub struct Links {
    searched: Directory,
    root: Directory,
}

impl Links {
    /// Those of a directory on the command line.
    pub fn of(args: &RootArgs, directory: &Path) -> io::Result<Self> {
        let called = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let searched = Directory::new(directory, format!("`{}`", called.display()))?;
        Ok(Self { root: args.root.clone().unwrap_or_else(|| searched.clone()), searched })
    }

    /// Whether a path that was found in the directory stays in the root.
    pub fn check(&self, found: &Path) -> Result<(), Refused> {
        let found = std::path::absolute(found).map_err(Refused::Missing)?;
        let below = found.strip_prefix(&self.searched.named).map_err(|_| Refused::Outside)?;
        Walk { root: &self.root }.file(&self.searched.real, below).map(drop)
    }

    /// As messages call the root.
    pub fn called(&self) -> &str {
        &self.root.called
    }
}

/// A directory whose files are read by whoever does not know the others. What is hidden in it is not read.
pub struct Folder(Directory);

impl Folder {
    /// A directory on the command line.
    pub fn new(directory: &Path) -> io::Result<Self> {
        Directory::new(directory, format!("`{}`", directory.display())).map(Self)
    }

    /// Where it is, without links.
    pub fn real(&self) -> &Path {
        &self.0.real
    }

    /// It is the root of a file, which may not be there.
    pub fn root_of(&self, file: &Path) -> Root {
        Root { hides: true, ..Root::of(&RootArgs { root: Some(self.0.clone()) }, file) }
    }

    /// Opens a file in it.
    pub fn open(&self, path: &Path) -> Result<File, Refused> {
        let (_, real) = Walk { root: &self.0 }.seen_file(&self.0.real, path)?;
        open(&self.0, &real)
    }
}

/// Opens what a walk has found, if it is a file. Others may change the directories meanwhile, so what was opened must still be what the path
/// leads to, and that still in the root.
fn open(root: &Directory, real: &Path) -> Result<File, Refused> {
    let meta = fs::symlink_metadata(real).map_err(Refused::Missing)?;
    if meta.is_dir() {
        return Err(Refused::Unfit("it is a directory"));
    }
    // A pipe would be waited for, and a device may never end.
    if !meta.is_file() {
        return Err(Refused::Unfit("it is neither a file nor a link to one"));
    }
    if let Some(copy) = unsaved::copy_of(real) {
        return files::open(copy).map_err(Refused::Missing);
    }
    let file = files::open(real).map_err(Refused::Missing)?;
    let opened = file.metadata().map_err(Refused::Missing)?;
    let now = real.canonicalize().map_err(Refused::Missing)?;
    if now != real || !now.starts_with(&root.real) {
        return Err(Refused::Outside);
    }
    let now = fs::symlink_metadata(&now).map_err(Refused::Missing)?;
    if is_same(&opened, &now) { Ok(file) } else { Err(Refused::Unfit("it was changed while it was opened")) }
}

#[cfg(unix)]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.is_file() && b.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.is_file() && b.is_file()
}

/// Follows paths within a root.
struct Walk<'a> {
    root: &'a Directory,
}

impl Walk<'_> {
    /// The directory that a path's last name is in, and what the path leads to: both without links. `from` is without links.
    fn file(&self, from: &Path, path: &Path) -> Result<(PathBuf, PathBuf), Refused> {
        let (beside, last) = match (path.parent(), path.file_name()) {
            (Some(parent), Some(last)) if path.components().next_back() == Some(Component::Normal(last)) => {
                (self.follow(from, parent)?, Path::new(last))
            }
            _ => (from.to_owned(), path),
        };
        let real = self.follow(&beside, last)?;
        // The way may lead through directories above the root; the end is in it.
        if real.starts_with(&self.root.real) { Ok((beside, real)) } else { Err(Refused::Outside) }
    }

    /// The same, if nothing on the way that the path names, nor what it leads to, is hidden. Whether it is there is not told.
    fn seen_file(&self, from: &Path, path: &Path) -> Result<(PathBuf, PathBuf), Refused> {
        let names: PathBuf = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        if !files::is_seen(&names) {
            return Err(Refused::Unfit(HIDDEN));
        }
        let found = self.file(from, path)?;
        let is_seen = found.1.strip_prefix(&self.root.real).is_ok_and(files::is_seen);
        if is_seen { Ok(found) } else { Err(Refused::Unfit(HIDDEN)) }
    }

    /// Where a path leads from a directory. Outside of the root it can only go up, or down towards the root: these directories are known.
    fn follow(&self, from: &Path, path: &Path) -> Result<PathBuf, Refused> {
        let mut here = from.to_owned();
        // What is to be done, the next step last.
        let mut steps: Vec<Step> = Vec::new();
        self.push(&mut steps, &mut here, path)?;
        let mut links = 0;
        while let Some(step) = steps.pop() {
            let name = match step {
                Step::Up => {
                    here.pop();
                    continue;
                }
                Step::Down(name) => name,
            };
            let next = here.join(name);
            if self.root.real.starts_with(&next) {
                here = next;
                continue;
            }
            if !next.starts_with(&self.root.real) {
                return Err(Refused::Outside);
            }
            if !fs::symlink_metadata(&next).map_err(Refused::Missing)?.is_symlink() {
                here = next;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(Refused::Missing(io::Error::other("Too many levels of symbolic links")));
            }
            let target = fs::read_link(&next).map_err(Refused::Missing)?;
            self.push(&mut steps, &mut here, &target)?;
        }
        Ok(here)
    }

    /// Puts the steps of a path before those that are left. An absolute one must begin with the root, as it was named or without links.
    fn push(&self, steps: &mut Vec<Step>, here: &mut PathBuf, path: &Path) -> Result<(), Refused> {
        let mut rest = path;
        if path.has_root() || path.is_absolute() {
            let below = path.strip_prefix(&self.root.real).or_else(|_| path.strip_prefix(&self.root.named));
            rest = below.map_err(|_| Refused::Outside)?;
            here.clone_from(&self.root.real);
        }
        for component in rest.components().rev() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => steps.push(Step::Up),
                Component::Normal(name) => steps.push(Step::Down(name.to_owned())),
                Component::RootDir | Component::Prefix(_) => return Err(Refused::Outside),
            }
        }
        Ok(())
    }
}

enum Step {
    Up,
    Down(OsString),
}

/// The path without detours.
fn tidy(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.iter().collect()
}
