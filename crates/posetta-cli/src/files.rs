//! The files that commands write.
//!
//! An [`Output`] is a draft beside its place that is moved there when it is complete, so that whoever looks sees what was there before
//! or all of the new, and no input is overwritten while it is read. A draft is created anew, under a name that nobody can guess, and the
//! move replaces a link instead of following it: a link that somebody has put in the way leads nowhere. What is no regular file (a
//! device, a pipe) cannot be replaced and is written directly.
//!
//! Drafts are removed when the work does not end well. Invariant: every draft that exists is on one list for the whole process, so that
//! whoever ends it, a limit or an interruption, removes them with [`abandon`]. Only a process that is killed outright leaves one behind:
//! `NAME.PID-DIGITS.part`. A later one does not remove it, because it cannot know whether that process is one of another machine or
//! container that still writes.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use crate::limited::locked;
use crate::output;

/// All drafts of this process.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The files that this process reads, as the system knows them.
static INPUTS: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// So much of a file's name is in the name of its draft; a system takes about 255 bytes.
const NAME: usize = 200;

/// A file that is being written.
#[derive(Debug)]
pub struct Output {
    file: File,
    path: PathBuf,
    /// Where it is written; `None` if that is its place.
    draft: Option<PathBuf>,
}

/// How a path is written.
#[derive(Debug)]
enum Way {
    Directly,
    /// Beside it; a regular file that is replaced has these permissions.
    Beside(Option<Permissions>),
}

/// What a file is, whatever it is called: two links to one file are one file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg(unix)]
struct Identity(u64, u64);
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg(not(unix))]
struct Identity(PathBuf);

/// `None` for what can be read and written at once, such as a device.
fn identity(
    #[cfg_attr(unix, expect(unused, reason = "the system has numbers for files"))] path: &Path,
    found: &fs::Metadata,
) -> Option<Identity> {
    if !found.is_file() {
        return None;
    }
    #[cfg(unix)]
    return Some(Identity(found.dev(), found.ino()));
    #[cfg(not(unix))]
    return fs::canonicalize(path).ok().map(Identity);
}

/// Opens a file that is read: nothing that this process writes may replace it.
pub fn open(path: &Path) -> io::Result<File> {
    open_known(path).map(|(file, _)| file)
}

/// The same, with what the system knows about it.
pub fn open_known(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if let Some(directories) = CONFINED.get() {
        stays_in(directories, path, &found)?;
    }
    if let Some(identity) = identity(path, &found) {
        locked(&INPUTS).insert(identity);
    }
    Ok((file, found))
}

/// The directories that this process may read files of, if it was told any.
static CONFINED: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// From now on only files in these directories are read that are not hidden there, whatever they are called and wherever links lead.
pub fn confine(directories: &[PathBuf]) -> io::Result<()> {
    if !directories.is_empty() {
        let real: io::Result<Vec<PathBuf>> = directories.iter().map(fs::canonicalize).collect();
        let _ = CONFINED.set(real?);
    }
    Ok(())
}

/// What was opened is what the path leads to, and lies in one of the directories. Others may change them meanwhile.
fn stays_in(directories: &[PathBuf], path: &Path, found: &fs::Metadata) -> io::Result<()> {
    let real = fs::canonicalize(path)?;
    let is_inside = directories.iter().any(|directory| real.strip_prefix(directory).is_ok_and(is_seen));
    let now = fs::symlink_metadata(&real)?;
    match is_inside && identity(path, found).is_some() && identity(path, found) == identity(&real, &now) {
        true => Ok(()),
        false => Err(io::Error::other("it is not a file of the folder that may be read")),
    }
}

/// Whether no name of a path begins with a dot: what is hidden from those who look into a folder stays so.
pub fn is_seen(path: &Path) -> bool {
    path.iter().all(|name| !name.as_encoded_bytes().starts_with(b"."))
}

/// Opens a regular file that is read and may be taken away meanwhile. A link is refused.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Opening a pipe waits for a writer.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    without_following(OpenOptions::new().read(true)).open(path)
}

/// An error if the path is a file that this process reads.
pub fn refuse_input(path: &Path) -> io::Result<()> {
    let input = fs::metadata(path).ok().and_then(|found| identity(path, &found));
    match input {
        Some(input) if locked(&INPUTS).contains(&input) => {
            Err(io::Error::other("it is an input of this command, and would be overwritten"))
        }
        _ => Ok(()),
    }
}

/// An error if two paths that are to be written are one file, which may not be there yet. What can be written twice at once, such as a
/// device, is none.
pub fn refuse_twice(path: &Path, other: &Path) -> io::Result<()> {
    let is_one = match (fs::metadata(path), fs::metadata(other)) {
        (Ok(found), Ok(others)) => {
            let found = identity(path, &found);
            found.is_some() && found == identity(other, &others)
        }
        (Err(_), Err(_)) => {
            let place = |path: &Path| (directory_of(path).canonicalize().ok(), path.file_name().map(ToOwned::to_owned));
            place(path) == place(other)
        }
        _ => false,
    };
    if is_one {
        return Err(io::Error::other("it is another output of this command, and would be overwritten"));
    }
    Ok(())
}

impl Output {
    /// Begins a file that replaces what is at `path`.
    ///
    /// # Errors
    /// When nothing can be written there: it is an input, a directory or read-only, or the system says so.
    pub fn create(path: &Path) -> io::Result<Self> {
        refuse_input(path)?;
        match way(path)? {
            Way::Directly => Ok(Self { file: open_directly(path)?, path: path.to_owned(), draft: None }),
            Way::Beside(permissions) => {
                let (file, draft) = create_draft(path, permissions.is_some())?;
                let output = Self { file, path: path.to_owned(), draft: Some(draft) };
                if let Some(permissions) = permissions {
                    output.file.set_permissions(permissions)?;
                }
                Ok(output)
            }
        }
    }

    /// Begins a file that is gone when this is dropped, in the directory of the system for such files. Nobody else can look into it.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn temporary() -> io::Result<Self> {
        let path = std::env::temp_dir().join("posetta");
        let (file, draft) = create_draft(&path, true)?;
        Ok(Self { file, path, draft: Some(draft) })
    }

    /// Where it is now.
    pub fn place(&self) -> &Path {
        self.draft.as_deref().unwrap_or(&self.path)
    }

    /// The same, where that can be done before there is something to write: `None` for what is no regular file, which may wait for
    /// a reader.
    pub fn begin(path: &Path) -> io::Result<Option<Self>> {
        match way(path)? {
            Way::Directly => Ok(None),
            Way::Beside(_) => Self::create(path).map(Some),
        }
    }

    /// Something that writes to it, for whoever wants to own that.
    pub fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// It is complete: puts it in its place.
    pub fn finish(mut self) -> io::Result<()> {
        // Whoever ends the process meanwhile finds it on the list, or in its place.
        let mut drafts = locked(&DRAFTS);
        let Some(draft) = &self.draft else { return Ok(()) };
        fs::rename(draft, &self.path)?;
        drafts.retain(|listed| listed != draft);
        self.draft = None;
        Ok(())
    }

    /// The same, and it is still there if the machine stops.
    pub fn finish_on_disk(self) -> io::Result<()> {
        if self.draft.is_some() {
            self.file.sync_all()?;
        }
        let directory = directory_of(&self.path).to_owned();
        self.finish()?;
        // The rename is in the directory. Not every system lets a directory be brought to the disk.
        if let Ok(directory) = File::open(directory) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        output::Watched(&mut self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(draft) = &self.draft {
            let _ = fs::remove_file(draft);
            locked(&DRAFTS).retain(|listed| listed != draft);
        }
    }
}

/// Writes a whole file.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes())?;
    output.finish()
}

/// Adds to a file, which may not be there yet. A link is not followed.
pub fn append(path: &Path, text: &str) -> io::Result<()> {
    refuse_input(path)?;
    let mut options = OpenOptions::new();
    let file = without_following(options.append(true).create(true)).open(path)?;
    output::Watched(file).write_all(text.as_bytes())
}

/// Removes the drafts of a process that is about to end. While the answer is kept nobody begins or finishes a file.
pub fn abandon() -> impl Sized {
    let mut drafts = locked(&DRAFTS);
    for draft in drafts.drain(..) {
        let _ = fs::remove_file(draft);
    }
    drafts
}

/// A file that is written where it is.
#[derive(Debug)]
pub struct InPlace {
    pub file: File,
    /// Whether it keeps what is written, and can be cut. A device or a pipe cannot.
    pub is_regular: bool,
}

/// Opens a file to write to, made empty or created if `anew`; a regular file can be read too. A link is refused, because it may lead
/// anywhere.
pub fn open_in_place(path: &Path, anew: bool) -> io::Result<InPlace> {
    refuse_input(path)?;
    let found = fs::symlink_metadata(path);
    let is_link = found.as_ref().is_ok_and(fs::Metadata::is_symlink);
    if is_link && is_of_the_system(path) {
        return Ok(InPlace { file: open_directly(path)?, is_regular: false });
    }
    if is_link {
        return Err(io::Error::other("it is a symbolic link, and links are not followed"));
    }
    let mut options = OpenOptions::new();
    // Whoever reads a pipe of their own never sees that nobody else does.
    let is_file = found.is_ok_and(|found| found.is_file());
    options.write(true).read(is_file && !anew).create(anew).truncate(false);
    let file = without_following(&mut options).open(path)?;
    let is_regular = file.metadata()?.is_file();
    if anew && is_regular {
        file.set_len(0)?;
    }
    Ok(InPlace { file, is_regular })
}

fn way(path: &Path) -> io::Result<Way> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Way::Beside(None)),
        Err(error) => return Err(error),
    };
    if found.is_symlink() {
        if is_of_the_system(path) {
            return Ok(Way::Directly);
        }
        // Nobody means to replace a link to a directory by a file.
        return match fs::metadata(path).is_ok_and(|target| target.is_dir()) {
            true => Err(ErrorKind::IsADirectory.into()),
            false => Ok(Way::Beside(None)),
        };
    }
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Ok(Way::Directly);
    }
    if found.permissions().readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    Ok(Way::Beside(Some(found.permissions())))
}

/// Whether a link is one of the system's own, such as `/dev/stdout`: it stands for an open file and is not a file itself.
fn is_of_the_system(link: &Path) -> bool {
    has_devices(directory_of(link))
}

/// Whether a directory is one in which names such as `/dev/stdin` and `/dev/fd/3` stand for streams.
pub fn has_devices(directory: &Path) -> bool {
    directory.canonicalize().is_ok_and(|real| real == Path::new("/dev") || real.starts_with("/proc"))
}

fn open_directly(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    if is_of_the_system(path) {
        // Standard output may be a regular file, which has what was written before.
        return options.append(true).open(path);
    }
    // A pipe is open when somebody reads from it.
    output::watched(|| without_following(&mut options).open(path))
}

/// Links are not followed, where the system can say so.
#[cfg(unix)]
fn without_following(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NOFOLLOW)
}

#[cfg(not(unix))]
fn without_following(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Nobody else can look into a draft whose permissions are to be set.
#[cfg(unix)]
fn create_privately(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn create_privately(_: &mut OpenOptions) {}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a draft beside a path, and puts it on the list.
fn create_draft(path: &Path, privately: bool) -> io::Result<(File, PathBuf)> {
    let Some(name) = path.file_name() else { return Err(ErrorKind::IsADirectory.into()) };
    let mut name = name.to_string_lossy().into_owned();
    if let Some((end, _)) = name.char_indices().find(|(at, c)| at + c.len_utf8() > NAME) {
        name.truncate(end);
    }
    let mut options = OpenOptions::new();
    // A link is not followed, and a file that is there is not touched.
    options.write(true).create_new(true);
    if privately {
        create_privately(&mut options);
    }
    let mut drafts = locked(&DRAFTS);
    for _ in 0..8 {
        let draft = path.with_file_name(format!("{name}.{}-{:016x}.part", std::process::id(), unguessable()));
        match options.open(&draft) {
            Ok(file) => {
                drafts.push(draft.clone());
                return Ok((file, draft));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Hash tables of the standard library have keys that the system's dice give.
pub fn unguessable() -> u64 {
    RandomState::new().build_hasher().finish()
}
