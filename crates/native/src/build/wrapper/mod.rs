//! `heddle cc` and `heddle c++`: a compiler that instruments, in the place of the one that a build would use.
//!
//! The build's own words go to the compiler as they are, in their order. What is added depends on what the words ask for
//! (`words`): instrumentation when C or C++ is compiled, the runtime when a program or a library is linked, nothing
//! for questions. A line that compiles and links at once is done in two steps, as [`crate::build::compile`] does it: at the link the flag
//! that instruments would bring the compiler's own library. The runtime and the headers lie in a directory that stays
//! (`place`), because what is linked runs later, also without Heddle: configure scripts run what they build.
//!
//! What is linked carries the names of the object files that were not instrumented ([`uninstrumented`]), so that a verdict can say
//! what it did not see.

mod place;
mod response;
mod words;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::binary::{annotations, uninstrumented};
use crate::build::compile::{Choice, CompileError, Compiler, CompilerKind, Language};
use crate::build::{instrument, library};
use crate::temporary::TemporaryDirectory;
use words::{Input, Line, Step, Word};

/// Why nothing was compiled.
#[derive(Debug, thiserror::Error)]
pub enum WrapperError {
    /// No compiler behind the wrapper, or the like.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A file of further words.
    #[error("{}: {}", .0.display(), .1)]
    Response(PathBuf, String),
    /// A flag that contradicts what is added.
    #[error("{flag}: {why}")]
    Refused {
        /// Which.
        flag: String,
        /// Why.
        why: &'static str,
    },
    /// The directory for runtime and headers.
    #[error("{}: {} ($HEDDLE_CACHE names another directory for Heddle's runtime and headers)", .0.display(), .1)]
    Place(PathBuf, std::io::Error),
    /// The machine failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// What to run behind the wrapper: `$HEDDLE_CC` and `$HEDDLE_CXX`, else clang, else gcc. Not `$CC`, which is the wrapper
/// itself more often than not.
pub fn choice() -> Choice {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let plain = Choice::from_environment(None);
    Choice { cc: variable("HEDDLE_CC"), cxx: variable("HEDDLE_CXX"), ..plain }
}

/// Does what `words` ask for, as the compiler for `language`. The compilers write to the terminal themselves. Returns the
/// status to exit with.
pub fn run(language: Language, words: &[String]) -> Result<i32, WrapperError> {
    let compiler = choice().find(language)?;
    let words = response::expand(words)?;
    let line = words::understand(&words, language);
    if line.step == Step::Query || !(line.compiles() || line.step == Step::Link) {
        let mut command = compiler.start();
        command.args(&words);
        return Ok(status(command.status()?));
    }
    if let Some((flag, why)) = line.refused() {
        return Err(WrapperError::Refused { flag, why });
    }
    let place = place::find()?;
    match line.step {
        Step::Link => link(&compiler, &line, &place),
        _ => {
            let mut command = compiler.start();
            let first = line.inputs().find(|input| input.language.is_some());
            command.args(before(&line, &place, first)).args(line.all());
            command.args(after(&compiler, first.map(|input| input.path.as_path())));
            Ok(status(command.status()?))
        }
    }
}

/// What the shell would say of it.
fn status(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// What stands before the build's own words: Heddle's header is to come before whatever they include.
fn before(line: &Line, place: &Path, input: Option<&Input>) -> Vec<String> {
    let mut words = vec!["-g".to_owned()];
    // Text that is preprocessed for others than the compiler is not to have declarations in front of it.
    if line.step != Step::Preprocess || line.is_for_a_compiler(input) {
        let headers = place.join(place::INCLUDE);
        words.extend(instrument::search(&headers));
        words.extend(["-include".to_owned(), headers.join(instrument::FIRST).display().to_string()]);
    }
    words
}

/// What stands behind them, so that it holds whatever they say.
fn after(compiler: &Compiler, source: Option<&Path>) -> Vec<String> {
    let flags = instrument::flags(compiler.kind, compiler.version, compiler.language);
    let mut words: Vec<String> = Vec::new();
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        // It stands in front already.
        if flag == "-include" { flags.next().map_or((), drop) } else { words.push(flag) }
    }
    if source.is_some_and(annotations::are_in) {
        words.extend(["-fno-inline", "-fno-optimize-sibling-calls"].map(str::to_owned));
    }
    words.extend(["-fno-omit-frame-pointer", "-fno-lto"].map(str::to_owned));
    words.extend(quiet(compiler));
    words
}

/// Flags that mean nothing in this step are no news, least of all to a build that takes warnings for errors.
fn quiet(compiler: &Compiler) -> Option<String> {
    (compiler.kind == CompilerKind::Clang).then(|| "-Qunused-arguments".to_owned())
}

/// Compiles what there is to compile, each file to an object of its own, and links.
fn link(compiler: &Compiler, line: &Line, place: &Path) -> Result<i32, WrapperError> {
    let directory = TemporaryDirectory::new()?;
    let mut objects: Vec<PathBuf> = Vec::new();
    for (number, input) in line.inputs().enumerate() {
        let Some(compiled) = input.language.as_ref() else {
            objects.push(input.path.clone());
            continue;
        };
        let object = directory.path().join(format!("{number}.o"));
        let mut command = compiler.start();
        command.args(before(line, place, Some(input))).args(line.flags_to_compile());
        command.args(after(compiler, Some(&input.path))).args(line.dependencies_of(input));
        command.arg("-c").arg("-x").arg(compiled).arg(&input.path).arg("-o").arg(&object);
        let code = status(command.status()?);
        if code != 0 {
            return Ok(code);
        }
        objects.push(object);
    }
    let mut command = compiler.start();
    command.args(link_words(compiler, line, &objects, place, directory.path())?);
    Ok(status(command.status()?))
}

fn link_words(
    compiler: &Compiler,
    line: &Line,
    objects: &[PathBuf],
    place: &Path,
    directory: &Path,
) -> Result<Vec<String>, WrapperError> {
    let mut words: Vec<String> = Vec::new();
    let whole = !line.is_partial();
    let mut runtime = whole.then(|| runtime_words(place));
    if whole {
        words.push("-pthread".to_owned());
        let own: HashSet<String> =
            objects.iter().flat_map(|path| uninstrumented::defined(path, instrument::RENAMED)).collect();
        words.extend(instrument::wrap_flags(&own));
        let unseen: Vec<String> = objects.iter().filter_map(|path| uninstrumented::unseen(path)).collect();
        if !unseen.is_empty() {
            words.push(uninstrumented::write(&unseen, directory)?.display().to_string());
        }
    }
    let mut objects = objects.iter();
    for word in line.words() {
        match word {
            Word::Input(input) => {
                let object = objects.next().expect("one for each input");
                // Before the first library that is loaded, libc may be among them, and after what is linked in: a
                // function of the program's own comes first.
                let extension = input.path.extension().and_then(|extension| extension.to_str());
                let linked_in = input.language.is_some() || matches!(extension, Some("o" | "lo" | "a" | "rlib"));
                words.extend(runtime.take_if(|_| !linked_in).into_iter().flatten());
                words.push(object.display().to_string());
            }
            Word::Flag(flag) if words::is_for_linking(flag) => {
                words.extend(runtime.take_if(|_| flag[0].starts_with("-l")).into_iter().flatten());
                words.extend(flag.iter().cloned());
            }
            Word::Flag(_) | Word::Language(_) => {}
        }
    }
    words.extend(runtime.into_iter().flatten());
    words.push("-fno-lto".to_owned());
    words.extend(quiet(compiler));
    Ok(words)
}

/// The runtime, for the linker and for the loader: it is to be asked for though nobody seems to need it, and whatever kind of
/// libraries is wanted where it stands.
fn runtime_words(place: &Path) -> Vec<String> {
    vec![
        "-Wl,--push-state,--no-as-needed,-Bdynamic".to_owned(),
        place.join(library::NAME).display().to_string(),
        "-Wl,--pop-state".to_owned(),
        format!("-Wl,-rpath,{}", place.display()),
    ]
}

impl Compiler {
    /// As for a build: its words, its input, its terminal.
    fn start(&self) -> Command {
        let mut command = self.command();
        command.stdin(Stdio::inherit());
        command
    }
}
