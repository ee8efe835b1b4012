//! The reports of a command: one on standard output, others in files, and what a workflow of GitHub is told.
//!
//! Files are drafts from the beginning, so that a place that cannot be written is known before the work and not after it. A report
//! that cannot be written makes the exit status 2, as one on standard output does; nothing else here changes it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use posetta_base::{Budget, Diagnostic, Kind, OverBudget};
use posetta_tell::report::{Remark, Report};
use posetta_tell::svg::Drawing;
use posetta_tell::{github, html, junit, markdown, png, sarif, svg};

use crate::args::{FileReport, Form, ReportArgs};
use crate::files::{self, Output};
use crate::limited::locked;
use crate::paint::{self, Paint};
use crate::problem::{Problem, system_error};
use crate::{carets, deny, output};

/// The most that GitHub shows of the summary of a step.
const SUMMARY: u64 = 1 << 20;

/// So many characters are named that the fonts of a PNG do not have.
const UNKNOWN: usize = 10;

/// Where reports go.
#[derive(Debug)]
pub struct Reports {
    stdout: Form,
    files: Mutex<Vec<InFile>>,
    /// What the workflow is told, if there is one.
    workflow: Option<Workflow>,
}

/// A report in a file.
#[derive(Debug)]
struct InFile {
    form: Form,
    path: PathBuf,
    /// What is at its place when it is complete; `None` for a device or a pipe, which is opened when there is something to write.
    draft: Option<Output>,
}

/// A step of a workflow of GitHub.
#[derive(Debug)]
struct Workflow {
    /// Its report is one that was asked for.
    is_asked: bool,
    summary: Option<PathBuf>,
}

/// What is reported: for all forms but two the same data.
pub struct Told<'a> {
    pub report: Report<'a>,
    /// As text on a page.
    pub human: &'a dyn Fn(&Report<'a>, Paint) -> String,
    pub json: &'a dyn Fn() -> String,
}

impl Reports {
    /// Takes what the arguments say; `other` is a file that the command writes besides. What is wrong with them is told, and answered
    /// with the exit status.
    pub fn begin(args: &ReportArgs, other: Option<&Path>) -> Result<Self, u8> {
        let mut problems = Vec::new();
        let mut mistake = |path: &Path, why: &str| {
            problems.push(unwritten(path, why));
        };
        let is_said = args.json || args.format.is_some();
        for report in args.report.iter().filter(|report| report.is_stdout()).skip(usize::from(!is_said)) {
            mistake(&report.path, "standard output has another one");
        }
        let asked: Vec<&FileReport> = args.report.iter().filter(|report| !report.is_stdout()).collect();
        let mut drafts: Vec<InFile> = Vec::new();
        for (i, report) in asked.iter().enumerate() {
            let others = asked[..i].iter().map(|report| &*report.path).chain(other);
            let twice = others.into_iter().find_map(|other| files::refuse_twice(&report.path, other).err());
            match twice.map_or_else(|| Output::begin(&report.path), Err) {
                Ok(draft) => drafts.push(InFile { form: report.form, path: report.path.clone(), draft }),
                Err(error) => mistake(&report.path, &system_error(&error)),
            }
        }
        if !problems.is_empty() {
            output::note(&problems.iter().map(|p| carets::error(p, paint::stderr())).collect::<String>());
            return Err(2);
        }
        let stdout = args.stdout();
        let is_asked = stdout == Form::Github || drafts.iter().any(|file| file.form == Form::Github);
        let workflow = (output::is_workflow() && !args.no_annotations).then(|| {
            let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
            Workflow { is_asked, summary: summary.map(PathBuf::from) }
        });
        Ok(Self { stdout, files: Mutex::new(drafts), workflow })
    }

    /// The same for a command that tells line by line what comes (`what`), on standard output or in `other`: as text, or as JSON.
    pub fn begin_lines(args: &ReportArgs, what: &str, other: Option<&Path>) -> Result<Self, u8> {
        let is_lines = matches!(args.stdout(), Form::Human | Form::Json);
        if !is_lines || args.report.iter().any(|report| report.form == Form::Json) {
            let message = format!("{what} is told line by line, on standard output: as text, or with --json");
            let help = "--report writes what is known at the end in other formats";
            let diagnostic = Diagnostic::new(Kind::Unsupported, message).help(help);
            output::note(&carets::error(&Problem::in_text("--format", diagnostic), paint::stderr()));
            return Err(2);
        }
        Self::begin(args, other)
    }

    /// What standard output has.
    pub fn stdout(&self) -> Form {
        self.stdout
    }

    /// Whether there is more than what is printed on standard output run by run.
    pub fn needs_all(&self) -> bool {
        self.workflow.is_some() || !matches!(self.stdout, Form::Human | Form::Json) || !locked(&self.files).is_empty()
    }

    /// Whether somebody asks for this form.
    fn has(&self, form: Form) -> bool {
        self.stdout == form || locked(&self.files).iter().any(|file| file.form == form)
    }

    /// Whether what programs read has to be kept.
    pub fn for_programs(&self) -> bool {
        self.has(Form::Json)
    }

    /// Whether something is drawn; then, whether there is a page in which one can look around.
    pub fn draws(&self) -> Option<bool> {
        let explores = self.has(Form::Html);
        (explores || self.has(Form::Svg) || self.has(Form::Png)).then_some(explores)
    }

    /// Whether what people read has to be kept, and how many columns there are for lanes: every form but JSON has them.
    pub fn for_people(&self) -> Option<usize> {
        let in_documents = self.workflow.is_some()
            || !matches!(self.stdout, Form::Human | Form::Json)
            || locked(&self.files).iter().any(|file| file.form != Form::Json);
        let on_a_page = (self.stdout == Form::Human).then(|| paint::stdout().room_for_lanes());
        let in_documents = in_documents.then(|| paint::document().room_for_lanes());
        on_a_page.into_iter().chain(in_documents).min()
    }

    /// Writes all of them. `false` if one could not be written.
    pub fn deliver(&self, told: &Told<'_>) -> bool {
        self.deliver_beside(told, false)
    }

    /// The same; `aside` if standard output is for something else, and standard error has the report for people.
    pub fn deliver_beside(&self, told: &Told<'_>, aside: bool) -> bool {
        let written = self.deliver_to_files(told);
        if aside {
            let paint = paint::stderr();
            output::note(&output::whole((told.human)(&told.report, paint), paint));
            return written;
        }
        let paint = if self.stdout == Form::Human { paint::stdout() } else { paint::document() };
        let printed = match self.stdout {
            Form::Human => output::print(&output::whole((told.human)(&told.report, paint), paint)),
            form => written_as(form, told, paint).is_ok_and(|bytes| output::print_bytes(&bytes)),
        };
        printed && written
    }

    /// Writes those that do not go to standard output, and tells a workflow.
    pub fn deliver_to_files(&self, told: &Told<'_>) -> bool {
        let mut written = true;
        for file in locked(&self.files).drain(..) {
            let path = file.path.clone();
            let done = written_as(file.form, told, paint::document()).and_then(|mut bytes| {
                if file.form == Form::Human {
                    // What standard error has beside standard output.
                    let remarks = told.report.remarks.iter().flat_map(|remark| remark.drawn.bytes());
                    bytes = remarks.chain(bytes).collect();
                }
                file.write(&bytes).map_err(|error| system_error(&error))
            });
            if let Err(why) = done {
                output::note(&carets::error(&unwritten(&path, &why), paint::stderr()));
                written = false;
            }
        }
        if let Some(workflow) = &self.workflow {
            workflow.tell(&told.report);
        }
        written
    }
}

impl InFile {
    fn write(self, bytes: &[u8]) -> std::io::Result<()> {
        // What is read is known only now.
        files::refuse_input(&self.path)?;
        let mut output = match self.draft {
            Some(draft) => draft,
            None => Output::create(&self.path)?,
        };
        output.write_all(bytes)?;
        output.finish()
    }
}

impl Workflow {
    /// Prints annotations, and adds to the summary of the step. A summary that cannot be written is no report that anybody asked for.
    fn tell(&self, report: &Report<'_>) {
        if !self.is_asked {
            output::command(&github::annotations(report, &folder()));
        }
        let Some(path) = &self.summary else { return };
        let has = std::fs::metadata(path).map_or(0, |found| found.len());
        let room = usize::try_from(SUMMARY.saturating_sub(has)).unwrap_or(0);
        let page = markdown::document(report, paint::document(), Some(room));
        let appended = match page.len() <= room {
            true => files::append(path, &page),
            false => Err(std::io::Error::other("it is full")),
        };
        if let Err(error) = appended {
            let name = path.display();
            output::remark(&format!("note: cannot write the summary of the step `{name}`: {}\n", system_error(&error)));
        }
    }
}

/// A report in one of its forms, or why there is none.
fn written_as(form: Form, told: &Told<'_>, paint: Paint) -> Result<Vec<u8>, String> {
    let text = match form {
        Form::Human => (told.human)(&told.report, paint),
        Form::Json => (told.json)(),
        Form::Junit => junit::document(&told.report, paint),
        Form::Sarif => sarif::document(&told.report, paint),
        Form::Github => github::annotations(&told.report, &folder()),
        Form::Markdown => markdown::document(&told.report, paint, None),
        Form::Html => html::of_report(&told.report),
        Form::Svg => svg::drawing(&told.report, None).to_svg(),
        Form::Png => {
            // All answers are known: what they took is given back.
            let painted = painted(&svg::drawing(&told.report, None), &Budget::unlimited());
            return painted.map_err(|_| "it would have too many pixels; an SVG has none".to_owned());
        }
    };
    Ok(text.into_bytes())
}

/// A drawing in pixels. What no font has is told.
pub fn painted(drawing: &Drawing, budget: &Budget) -> Result<Vec<u8>, OverBudget> {
    let png = png::paint(drawing, budget)?;
    if !png.unknown.is_empty() {
        let some: String = png.unknown.iter().take(UNKNOWN).collect();
        let more = if png.unknown.len() > UNKNOWN { " and others" } else { "" };
        output::remark(&format!(
            "note: the fonts of a PNG do not have {some}{more}: there are boxes in their place; an SVG has all characters\n"
        ));
    }
    Ok(png.bytes)
}

/// Where paths begin, seen from the repository that a workflow works on: annotations name files from there.
fn folder() -> String {
    let inside = || {
        let root = PathBuf::from(std::env::var_os("GITHUB_WORKSPACE")?).canonicalize().ok()?;
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        let inside = here.strip_prefix(root).ok()?.to_str()?.to_owned();
        Some(inside).filter(|inside| !inside.is_empty())
    };
    inside().map_or(String::new(), |inside| format!("{inside}/"))
}

fn unwritten(path: &Path, why: &str) -> Problem {
    let message = format!("cannot write the report `{}`: {why}", path.display());
    Problem::in_text("--report", Diagnostic::new(Kind::Input, message))
}

/// A mistake, as reports have it.
pub fn mistake(problem: &Problem) -> Remark {
    let drawn = carets::error(problem, paint::document());
    Remark { problem: problem.clone(), is_error: true, drawn }
}

/// A warning, as reports have it; `on` is what it is about, if that is more than its run.
pub fn warning(problem: Problem, on: Option<&str>) -> Remark {
    let on = on.or(problem.trace.as_deref()).filter(|on| *on != problem.file);
    let drawn = carets::drawn_warning(&problem.file, on, &problem.diagnostic, paint::document());
    Remark { is_error: deny::see(problem.diagnostic.kind), problem, drawn }
}
