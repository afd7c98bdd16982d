//! Turns the words of a command line into a program that can be run, and into its description for trace files.

use std::path::{Path, PathBuf};

use heddle_model::trace;

pub use crate::failure::Failure;
use crate::sources;

/// Makes programs that an engine can run.
pub trait Toolchain {
    /// A program that an engine can run.
    type Program;

    /// Whether a file is compiled or linked, judged by its name.
    fn is_input(&self, path: &Path) -> bool;

    /// Opens an existing executable.
    ///
    /// # Errors
    ///
    /// When the engine cannot run it.
    fn open(&self, path: &Path) -> Result<Self::Program, Failure>;

    /// Compiles and links files, with compiler flags among them.
    ///
    /// # Errors
    ///
    /// When the files do not compile or link.
    fn compile(&self, words: &[String]) -> Result<Compiled<Self::Program>, Failure>;
}

/// A program that a toolchain has compiled.
#[derive(Debug)]
pub struct Compiled<P> {
    /// The program.
    pub program: P,
    /// The warnings of the compilers.
    pub warnings: String,
    /// The compilers that were used.
    pub compilers: Vec<trace::CompilerUsed>,
}

/// A program that can be run, and how to build it again.
#[derive(Debug)]
pub struct Prepared<P> {
    /// The program.
    pub program: P,
    /// How to build or find the program again, for trace files.
    pub description: trace::Program,
    /// The warnings of the compilers.
    pub warnings: String,
}

/// What the words of a command line mean.
#[derive(PartialEq, Eq, Debug)]
enum Meaning {
    /// Files to compile and link.
    Build,
    /// An existing executable.
    Program(PathBuf),
}

/// Compiles the files in `words`, or opens the executable that they name.
///
/// # Errors
///
/// When the words make no sense, or the program cannot be built or run.
pub fn prepare<T: Toolchain>(
    toolchain: &T,
    words: &[String],
    arguments: &[String],
    stdin: Option<&Path>,
) -> Result<Prepared<T::Program>, Failure> {
    let directory = std::env::current_dir()
        .map_err(|error| Failure::Usage(format!("the current directory is not accessible: {error}")))?;
    let mut description = trace::Program {
        directory: directory.display().to_string(),
        arguments: arguments.to_vec(),
        stdin: stdin.map(input).transpose()?,
        ..trace::Program::default()
    };
    match meaning(words, &|path| toolchain.is_input(path)).map_err(Failure::Usage)? {
        Meaning::Program(path) => {
            let program = toolchain.open(&path)?;
            description.binary = Some(source(&path)?);
            Ok(Prepared { program, description, warnings: String::new() })
        }
        Meaning::Build => {
            let Compiled { program, warnings, compilers } = toolchain.compile(words)?;
            description.build = words.to_vec();
            for word in words {
                let path = Path::new(word);
                if !word.starts_with('-') && toolchain.is_input(path) && path.is_file() {
                    description.sources.push(source(path)?);
                }
            }
            description.compilers = compilers;
            Ok(Prepared { program, description, warnings })
        }
    }
}

fn source(path: &Path) -> Result<trace::SourceFile, Failure> {
    let hash = sources::fingerprint(path).map_err(|source| Failure::Unreadable { path: path.to_path_buf(), source })?;
    Ok(trace::SourceFile { path: path.display().to_string(), hash })
}

/// The description of the file that `--stdin` names. Every execution reads it from the start, so it must be a regular file.
fn input(path: &Path) -> Result<trace::SourceFile, Failure> {
    let whole = path.canonicalize().map_err(|error| Failure::Usage(format!("--stdin {}: {error}", path.display())))?;
    if !whole.is_file() {
        return Err(Failure::Usage(format!("--stdin {}: is not a regular file", path.display())));
    }
    source(&whole)
}

fn meaning(words: &[String], is_input: &dyn Fn(&Path) -> bool) -> Result<Meaning, String> {
    let is_flag = |word: &str| word.starts_with('-') && word != "-";
    let names_input = |word: &String| !is_flag(word) && is_input(Path::new(word));
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
            "{file} is not a C or C++ file, so the compiler flag `{flag}` means nothing; put arguments for the program \
             after `--`"
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
        let is_input =
            |path: &Path| path.extension().is_some_and(|e| ["c", "cpp", "o", "a"].iter().any(|known| e == *known));
        meaning(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>(), &is_input)
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
