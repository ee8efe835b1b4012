//! How a command reports: what it prints, and which files it writes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What every command with answers takes; it is flattened into the arguments of each.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// How to report on standard output [default: human]
    #[arg(long, value_enum, value_name = "FORMAT", hide_short_help = true, help_heading = "Output")]
    pub format: Option<Form>,

    /// Short for --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,

    /// Write the report to a file as well, such as junit=FILE or sarif=FILE (may be repeated). The formats are those of
    /// --format. A file called - is standard output
    #[arg(long, value_name = "FORMAT=FILE", value_parser = file_report, help_heading = "Output")]
    pub report: Vec<FileReport>,

    /// Under GitHub Actions, print no annotations and write no summary of the step
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub no_annotations: bool,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// for people
    #[default]
    Human,
    /// one JSON object
    Json,
    /// JUnit XML, for the test pages of build servers
    Junit,
    /// SARIF 2.1.0, for findings beside lines of files
    Sarif,
    /// annotations of GitHub Actions
    Github,
    /// a page in Markdown
    Markdown,
    /// a page with pictures, in one file
    Html,
    /// a picture of what does not hold
    Svg,
    /// the same in pixels
    Png,
}

/// A report in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    pub form: Form,
    pub path: PathBuf,
}

impl FileReport {
    /// Whether it goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

impl ReportArgs {
    /// What standard output has.
    pub fn stdout(&self) -> Form {
        let said = self.report.iter().find(|report| report.is_stdout()).map(|report| report.form);
        if self.json { Form::Json } else { self.format.or(said).unwrap_or_default() }
    }
}

fn file_report(text: &str) -> Result<FileReport, String> {
    let Some((form, file)) = text.split_once('=') else {
        return Err("a report is a format and a file, such as junit=report.xml".to_owned());
    };
    let Ok(form) = Form::from_str(form, false) else {
        let known: Vec<String> = Form::value_variants()
            .iter()
            .filter_map(|form| Some(form.to_possible_value()?.get_name().to_owned()))
            .collect();
        return Err(format!("there is no format `{form}`; there are {}", known.join(", ")));
    };
    if file.is_empty() {
        return Err("it names no file".to_owned());
    }
    Ok(FileReport { form, path: file.into() })
}
