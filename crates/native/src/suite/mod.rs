//! The tests that people already have: in programs of test frameworks, and in what CMake and meson have built.
//!
//! A program of a framework is asked for its tests ([`framework`]). A build directory is asked for its programs ([`ctest`], [`meson`]);
//! those that are of a framework and run all their tests at once are asked in turn.

mod ctest;
mod framework;
mod meson;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::{Framework, helper};

/// How long a program or a build tool may take to list tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// One test: a program with the arguments that make it run this test alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Test {
    /// Its name, as its framework or build has it.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The directory in which it is run; where Heddle runs, if none is given.
    pub directory: Option<PathBuf>,
    /// Variables for its environment.
    pub environment: Vec<(String, String)>,
    /// Every exit status is accepted: the build judges the test in another way.
    pub any_status: bool,
    /// Why it is not checked, as the program or the build wants it.
    pub ignored: Option<String>,
    /// Why it cannot be checked: an error.
    pub broken: Option<String>,
}

/// Finds tests.
pub struct Finder<'i> {
    /// The framework, if it was named.
    pub framework: Option<Framework>,
    /// Set when the user interrupts.
    pub interrupted: &'i AtomicBool,
}

impl Finder<'_> {
    /// The tests of `path`: a program, or a build directory.
    pub fn tests(&self, path: &Path) -> Result<Vec<Test>, String> {
        let shown = path.display();
        if !path.exists() {
            return Err(format!("{shown}: no such file or directory"));
        }
        let whole = std::path::absolute(path).map_err(|error| format!("{shown}: {error}"))?;
        if path.is_dir() {
            return self.of_build(&whole);
        }
        let Some(known) = Framework::of(&whole) else {
            return Err(format!(
                "{shown} is not a program: give a test program, or a build directory of CMake or meson. For a source file: heddle check \
                 {shown}"
            ));
        };
        let test = Test { name: file_name(&whole), program: whole, ..Test::default() };
        self.inside(&test, &known)
    }

    fn of_build(&self, directory: &Path) -> Result<Vec<Test>, String> {
        let tests = if directory.join("CTestTestfile.cmake").is_file() {
            let mut command = Command::new("ctest");
            command.arg("--show-only=json-v1").current_dir(directory);
            ctest::tests(&self.ask(command)?)?
        } else if let Ok(listed) = std::fs::read(directory.join("meson-info/intro-tests.json")) {
            meson::tests(&listed)?
        } else {
            return Err(format!(
                "{}: has no tests of CMake (CTestTestfile.cmake; enable_testing() makes it) or meson (meson-info)",
                directory.display()
            ));
        };
        let mut found = Vec::new();
        for test in tests {
            found.extend(self.expanded(test)?);
        }
        Ok(found)
    }

    /// The tests that one test of a build is made of.
    fn expanded(&self, test: Test) -> Result<Vec<Test>, String> {
        if test.ignored.is_some() || test.broken.is_some() {
            return Ok(vec![test]);
        }
        if !test.program.is_file() {
            let why = format!("{} is not built", test.program.display());
            return Ok(vec![Test { broken: Some(why), ..test }]);
        }
        let Some(known) = Framework::of(&test.program) else {
            let why = format!("{} is not a program that heddle can check", file_name(&test.program));
            return Ok(vec![Test { ignored: Some(why), ..test }]);
        };
        // With arguments, it is a part already.
        if !test.arguments.is_empty() || test.any_status {
            return Ok(vec![test]);
        }
        let name = test.name.clone();
        let mut inside = self.inside(&test, &known)?;
        if inside.len() > 1 || inside.first().is_some_and(|first| first.name != name) {
            inside.iter_mut().for_each(|part| part.name = format!("{name}::{}", part.name));
        }
        Ok(inside)
    }

    /// The tests in a program, or the program itself if it is of no framework.
    fn inside(&self, test: &Test, known: &[Framework]) -> Result<Vec<Test>, String> {
        let candidates = self.framework.as_ref().map_or(known, std::slice::from_ref);
        let mut wrong = None;
        for framework in candidates {
            for question in framework::questions(*framework) {
                let mut command = Command::new(&test.program);
                command.args(question.words).envs(test.environment.iter().map(|(name, value)| (name, value)));
                command.current_dir(test.directory.as_deref().unwrap_or(Path::new(".")));
                // Programs that were built for Heddle find it where they are linked to it.
                let listed = self.ask(command).map(|said| (question.read)(&said));
                match listed {
                    Ok(Some(listed)) => return Ok(listed.into_iter().map(|found| found.of(test)).collect()),
                    Ok(None) => {}
                    Err(message) => wrong = Some(message),
                }
            }
        }
        match wrong {
            Some(message) => Err(message),
            None if self.framework.is_some() => Err(format!("{} does not list its tests", test.program.display())),
            None => Ok(vec![test.clone()]),
        }
    }

    /// What a program says on its standard output and, if that is empty, on its standard error.
    fn ask(&self, command: Command) -> Result<Vec<u8>, String> {
        let name: OsString = command.get_program().to_owned();
        let name = name.display().to_string();
        let ran = helper::run(command, Some(PATIENCE), self.interrupted).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("{name} is not installed"),
            _ => format!("{name} cannot be run: {error}"),
        })?;
        match ran.status {
            Some(_) if ran.stdout.is_empty() => Ok(ran.stderr),
            Some(_) => Ok(ran.stdout),
            None => Err(format!("{name} did not list its tests within a minute")),
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
