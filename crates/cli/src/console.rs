//! Prints results and messages.
//!
//! Results go to standard output, everything else (progress, warnings, errors) to standard error. A closed pipe is not an error:
//! `heddle check x.c | head` ends with the exit code of its verdict. A full disk is one.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use anstream::ColorChoice;
use clap::builder::styling::{AnsiColor, Color, Style};
use heddle_model::RunReport;
use heddle_report::{shown, text};

use crate::progress::Where;

/// The options that say what is printed and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// `--color`.
    pub color: When,
    /// `--quiet`.
    pub quiet: bool,
    /// `--verbose`.
    pub verbose: bool,
    /// `--json`: only the JSON document goes to standard output.
    pub json: bool,
    /// `--no-progress`.
    pub no_progress: bool,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum When {
    /// On terminals, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Prints results and messages, as the options ask for.
pub struct Console {
    wishes: Wishes,
    out_color: bool,
    err_color: bool,
    /// Why a result could not be written, if one could not.
    lost: OnceLock<std::io::Error>,
}

impl Console {
    /// Makes a console with these options.
    pub fn new(wishes: Wishes) -> Console {
        let choose = |detected: ColorChoice| match wishes.color {
            When::Always => true,
            When::Never => false,
            // NO_COLOR, CLICOLOR, TERM=dumb, pipes: as everywhere.
            When::Auto => detected != ColorChoice::Never,
        };
        Console {
            wishes,
            out_color: choose(anstream::AutoStream::choice(&std::io::stdout())),
            err_color: choose(anstream::AutoStream::choice(&std::io::stderr())),
            lost: OnceLock::new(),
        }
    }

    /// The options of this console.
    pub fn wishes(&self) -> &Wishes {
        &self.wishes
    }

    /// The options for text reports on standard output: colours, width, Unicode.
    pub fn report_options(&self) -> text::Options {
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| width.0 as usize);
        text::Options {
            color: self.out_color,
            unicode: self.out_color && speaks_unicode(),
            width: width.clamp(40, 200),
            verbose: self.wishes.verbose,
        }
    }

    /// Prints a result to standard output, where nothing else goes.
    pub fn result(&self, text: &str) {
        // A terminal that has only ASCII would show something else for the bytes of a source's other characters.
        let plain = (!self.wishes.json && std::io::stdout().is_terminal() && !speaks_unicode())
            .then(|| text.replace(|c: char| !c.is_ascii(), "?"));
        let mut out = std::io::stdout().lock();
        let written = out.write_all(plain.as_deref().unwrap_or(text).as_bytes()).and_then(|()| out.flush());
        if let Err(error) =
            written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
        {
            let _ = self.lost.set(error);
        }
    }

    /// Prints a note, unless `--quiet` is given.
    pub fn note(&self, text: &str) {
        if !self.wishes.quiet {
            self.to_stderr("note", label(AnsiColor::Cyan), text);
        }
    }

    /// Prints a warning.
    pub fn warning(&self, text: &str) {
        self.to_stderr("warning", label(AnsiColor::Yellow), text);
    }

    /// Prints an error.
    pub fn error(&self, text: &str) {
        self.to_stderr("error", label(AnsiColor::Red), text);
    }

    /// Reports an error that ends the command: on standard error and, with `--json`, in the document. Returns the exit code.
    pub fn fail(&self, reason: &str) -> u8 {
        let report = RunReport::error(reason.to_string());
        if self.wishes.json {
            self.result(&String::from_utf8_lossy(&heddle_report::json::render(&report)));
        }
        self.error(reason);
        report.verdict.exit_code()
    }

    /// Prints the output of another program, such as a compiler, unchanged.
    pub fn pass_on(&self, text: &str) {
        if !self.wishes.quiet {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }

    /// Where progress is shown.
    pub fn progress(&self) -> Where {
        match self.wishes.no_progress || self.wishes.quiet {
            true => Where::Nowhere,
            false if std::io::stderr().is_terminal() => Where::Terminal,
            false => Where::Log,
        }
    }

    /// Whether something that was to go to standard output is lost. Says so; the exit code is then that of an error.
    pub fn has_lost_results(&self) -> bool {
        let lost = self.lost.get();
        if let Some(error) = lost {
            self.error(&format!("standard output cannot be written to: {error}"));
        }
        lost.is_some()
    }

    fn to_stderr(&self, label: &str, style: Style, text: &str) {
        // What it says may name files and flags that somebody else chose.
        let text = shown::lines(text);
        let label = if self.err_color { format!("{style}{label}{style:#}") } else { label.to_string() };
        let _ = writeln!(std::io::stderr().lock(), "{label}: {text}");
    }
}

const fn label(color: AnsiColor) -> Style {
    Style::new().bold().fg_color(Some(Color::Ansi(color)))
}

/// Whether the locale of the terminal is a Unicode one.
fn speaks_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| std::env::var(name).ok());
    let mut set = set.filter(|value| !value.is_empty());
    set.next().is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
