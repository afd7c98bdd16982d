//! From words on a command line to a program that can be run, and to its description in a trace file.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use heddle_model::trace;
use heddle_native::compile::{self, Choice, CompileError, Compiled, CompilerKind};
use heddle_native::{Program, ProgramError};

use crate::sources;

/// A program that can be run.
pub struct Prepared {
    /// The program.
    pub program: Program,
    /// How to get it again.
    pub description: trace::Program,
    /// What the compiler had to say.
    pub warnings: String,
    /// Keeps the compiled program on the disk.
    _compiled: Option<Compiled>,
}

/// Why there is no program to run.
pub enum Failure {
    /// In words.
    Error(String),
    /// It is a program, of a kind that Heddle does not control.
    Unsupported(String),
    /// The user asked to stop.
    Interrupted,
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Failure {
        match error {
            ProgramError::Static(_)
            | ProgramError::Privileged(_)
            | ProgramError::Bits32(_)
            | ProgramError::OtherProcessor(_) => Failure::Unsupported(error.to_string()),
            error => Failure::Error(error.to_string()),
        }
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        match error {
            CompileError::Interrupted => Failure::Interrupted,
            CompileError::Program(error) => error.into(),
            error => Failure::Error(error.to_string()),
        }
    }
}

/// What the words mean.
#[derive(PartialEq, Eq, Debug)]
enum Meaning {
    /// Files to compile and link.
    Build,
    /// A finished program.
    Program(PathBuf),
}

/// Compiles what `words` say, or looks at the program that they name.
pub fn prepare(
    words: &[String],
    arguments: &[String],
    stdin: Option<&Path>,
    choice: &Choice,
    interrupted: &AtomicBool,
) -> Result<Prepared, Failure> {
    let directory = std::env::current_dir()
        .map_err(|error| Failure::Error(format!("the current directory is not accessible: {error}")))?;
    let mut description = trace::Program {
        directory: directory.display().to_string(),
        arguments: arguments.to_vec(),
        stdin: stdin.map(input).transpose()?,
        ..trace::Program::default()
    };
    match meaning(words).map_err(Failure::Error)? {
        Meaning::Program(path) => {
            let program = Program::open(&path)?;
            description.binary = Some(source(&path)?);
            Ok(Prepared { program, description, warnings: String::new(), _compiled: None })
        }
        Meaning::Build => {
            let compiled = compile::compile(words, choice, interrupted)?;
            description.build = words.to_vec();
            for word in words {
                let path = Path::new(word);
                if !word.starts_with('-') && compile::is_compiler_input(path) && path.is_file() {
                    description.sources.push(source(path)?);
                }
            }
            description.compilers = compiled.compilers.iter().map(used).collect();
            let warnings = compiled.warnings.clone();
            Ok(Prepared { program: compiled.program.clone(), description, warnings, _compiled: Some(compiled) })
        }
    }
}

/// The compilers that a trace names, to build the same program again.
pub fn choice_of(program: &trace::Program) -> Choice {
    let command = |language: &str| {
        let used = program.compilers.iter().find(|used| used.language == language)?;
        Some(used.command.join(" "))
    };
    Choice { cc: command("C"), cxx: command("C++"), ..Choice::from_environment(None) }
}

fn used(compiler: &compile::Compiler) -> trace::CompilerUsed {
    let kind = match compiler.kind {
        CompilerKind::Clang => "clang",
        CompilerKind::Gcc => "gcc",
    };
    trace::CompilerUsed {
        language: compiler.language.to_string(),
        command: compiler.command.clone(),
        version: format!("{kind} {}", compiler.version),
    }
}

fn source(path: &Path) -> Result<trace::SourceFile, Failure> {
    let hash = sources::fingerprint(path)
        .map_err(|error| Failure::Error(format!("{}: cannot be read: {error}", path.display())))?;
    Ok(trace::SourceFile { path: path.display().to_string(), hash })
}

/// What is to be read as standard input. It is read from its beginning again and again, so it must be a file.
fn input(path: &Path) -> Result<trace::SourceFile, Failure> {
    let whole = path.canonicalize().map_err(|error| Failure::Error(format!("--stdin {}: {error}", path.display())))?;
    if !whole.is_file() {
        return Err(Failure::Error(format!("--stdin {}: is no regular file", path.display())));
    }
    source(&whole)
}

fn meaning(words: &[String]) -> Result<Meaning, String> {
    let is_flag = |word: &str| word.starts_with('-') && word != "-";
    let names_input = |word: &String| !is_flag(word) && compile::is_compiler_input(Path::new(word));
    // With `-x c++` any file is a source file.
    if words.iter().any(names_input) || words.iter().any(|word| word.starts_with("-x")) {
        return Ok(Meaning::Build);
    }
    let files: Vec<&String> = words.iter().filter(|word| !is_flag(word)).collect();
    let flags: Vec<&String> = words.iter().filter(|word| is_flag(word)).collect();
    match (files[..].as_ref(), flags.first()) {
        ([], None) => {
            Err("nothing to check: give C or C++ files, or a program (see `heddle check --help`)".to_string())
        }
        ([], Some(flag)) => {
            Err(format!("nothing to check: `{flag}` is a compiler flag, and there is no file to compile"))
        }
        ([file], _) if file.as_str() == "-" => {
            Err("a program cannot be read from standard input: give the name of a file".to_string())
        }
        ([file], _) if Path::new(file).extension().is_some_and(|suffix| suffix == "h" || suffix == "hpp") => {
            Err(format!("{file} is a header: give the C or C++ files that include it"))
        }
        ([file], _) if !Path::new(file).exists() => Err(format!("{file}: no such file")),
        ([file], None) => Ok(Meaning::Program(PathBuf::from(file))),
        ([file], Some(flag)) => Err(format!(
            "{file} is not a C or C++ file, so that the compiler flag `{flag}` means nothing; a program's own arguments \
             stand after `--`"
        )),
        ([first, second, ..], _) => {
            let missing = files.iter().find(|file| !Path::new(file).exists());
            match missing {
                Some(file) => Err(format!("{file}: no such file")),
                None => Err(format!(
                    "{first} and {second} are not C or C++ files; give one program, and its arguments after `--`"
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(line: &str) -> Result<Meaning, String> {
        meaning(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn files_are_built_and_programs_are_run() {
        assert_eq!(means("a.c -O2 -lm"), Ok(Meaning::Build));
        assert_eq!(means("-I inc b.cpp"), Ok(Meaning::Build));
        assert_eq!(means("a.o b.a"), Ok(Meaning::Build));
        assert_eq!(means("-x c++ whatever"), Ok(Meaning::Build));
        assert_eq!(means("/bin/true"), Ok(Meaning::Program("/bin/true".into())));
    }

    #[test]
    fn everything_else_says_what_to_do() {
        for (line, says) in [
            ("", "nothing to check"),
            ("-O2", "`-O2` is a compiler flag"),
            ("-", "standard input"),
            ("a.h", "is a header"),
            ("nowhere", "nowhere: no such file"),
            ("/bin/true -O2", "means nothing"),
            ("/bin/true /bin/false", "give one program"),
            ("/bin/true nowhere", "nowhere: no such file"),
        ] {
            let error = means(line).unwrap_err();
            assert!(error.contains(says), "{line}: {error}");
        }
    }
}
