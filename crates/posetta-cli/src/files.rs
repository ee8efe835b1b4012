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

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use posetta_files::opened::identity;
pub use posetta_files::opened::{confine, has_devices, open, open_known, refuse_input};

use crate::limited::locked;
use crate::output;

/// All drafts of this process.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

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

/// Opens a regular file that is read and may be taken away meanwhile. A link is refused.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Opening a pipe waits for a writer.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    without_following(OpenOptions::new().read(true)).open(path)
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
