//! The files and flags that the user gave for the compiler, in any order, as on a compiler's own command line.
//!
//! Words are interpreted only as far as compiling and linking in two steps requires: which words are files, which flags
//! take the next word as their value, and which flags belong to one of the two steps only. Everything else is passed on
//! in its order, because the order matters to a linker.

use std::path::{Path, PathBuf};

use super::CompileError;

/// The language of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Language::C { "C" } else { "C++" })
    }
}

impl Language {
    /// The language that compilers take a file for by its suffix.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Language::C),
            "cc" | "cpp" | "cxx" | "c++" | "C" | "cp" | "CPP" | "ii" => Some(Language::Cxx),
            _ => None,
        }
    }

    pub(super) fn option(self) -> &'static str {
        if self == Language::C { "c" } else { "c++" }
    }
}

/// Whether a word on the command line names something to compile or link, rather than a program to run.
pub fn is_compiler_input(path: &Path) -> bool {
    Language::of(path).is_some() || is_linker_input(path)
}

/// Whether a file goes to the linker unchanged: object files and libraries (`x.o`, `x.a`, `libx.so.1`).
fn is_linker_input(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    matches!(path.extension().and_then(|e| e.to_str()), Some("o" | "a" | "so" | "lo")) || name.contains(".so.")
}

/// One word of the command line, or a flag with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A file to compile.
    Source {
        /// The file.
        path: PathBuf,
        /// The language of the source file.
        language: Language,
    },
    /// A file for the linker.
    Linkable(PathBuf),
    /// A flag for the compiler only.
    CompileFlag(Vec<String>),
    /// A flag for the linker only.
    LinkFlag(Vec<String>),
    /// A flag for both.
    Flag(Vec<String>),
}

/// Compiler flags whose value is the next word, unless it is part of the same word.
pub(crate) const COMPILE_WITH_VALUE: [&str; 17] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-mllvm",
    "--param",
    "-Wa",
];
pub(crate) const LINK_WITH_VALUE: [&str; 8] = ["-l", "-L", "-Xlinker", "-T", "-u", "-z", "-rpath", "-e"];
pub(crate) const BOTH_WITH_VALUE: [&str; 5] = ["-target", "--sysroot", "-isysroot", "-B", "-arch"];

/// Flags with which the compiler would not make a program, and the reason to give for each.
const REFUSED: [(&str, &str); 8] = [
    ("-c", "Heddle links the program itself"),
    ("-S", "Heddle links the program itself"),
    ("-E", "Heddle links the program itself"),
    ("-o", "Heddle keeps the program in a place of its own"),
    ("-static", "a static program cannot carry Heddle's runtime"),
    ("-static-pie", "a static program cannot carry Heddle's runtime"),
    ("-shared", "a library cannot be run"),
    ("-r", "Heddle links the program itself"),
];

/// Sanitizers that need a runtime library of their own, which contradicts Heddle's.
pub(crate) const CONTRADICTS: [&str; 9] =
    ["address", "hwaddress", "leak", "memory", "kernel-address", "cfi", "safe-stack", "dataflow", "realtime"];

/// Classifies the words of a command line.
pub fn parse(words: &[String]) -> Result<Vec<Argument>, CompileError> {
    let mut arguments = Vec::new();
    let mut forced = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            arguments.push(file(Path::new(word), forced)?);
            continue;
        }
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| word == refused) {
            return Err(CompileError::RefusedFlag { flag: word.clone(), why });
        }
        if let Some(names) = word.strip_prefix("-fsanitize=")
            && let Some(name) = names.split(',').find(|name| CONTRADICTS.contains(name))
        {
            return Err(CompileError::RefusedFlag {
                flag: format!("-fsanitize={name}"),
                why: "its runtime conflicts with Heddle's; Heddle detects memory errors itself",
            });
        }
        if word == "-fsanitize=thread" {
            continue; // That is what happens anyway; at the link it would bring the compiler's own library.
        }
        if let Some(name) = word.strip_prefix("-x") {
            let value = if name.is_empty() { words.next().map(String::as_str).unwrap_or("") } else { name };
            forced = match value {
                "c" => Some(Language::C),
                "c++" => Some(Language::Cxx),
                "none" => None,
                _ => {
                    return Err(CompileError::RefusedFlag {
                        flag: format!("-x {value}"),
                        why: "only C and C++ are supported",
                    });
                }
            };
            continue;
        }
        let takes_value = |list: &[&str]| list.contains(&word.as_str());
        let mut flag = vec![word.clone()];
        if takes_value(&COMPILE_WITH_VALUE) || takes_value(&LINK_WITH_VALUE) || takes_value(&BOTH_WITH_VALUE) {
            let value = words.next().ok_or_else(|| CompileError::MissingValue { flag: word.clone() })?;
            flag.push(value.clone());
        }
        arguments.push(if is_for_compiling(word) {
            Argument::CompileFlag(flag)
        } else if is_for_linking(word) {
            Argument::LinkFlag(flag)
        } else {
            Argument::Flag(flag)
        });
    }
    Ok(arguments)
}

fn file(path: &Path, forced: Option<Language>) -> Result<Argument, CompileError> {
    if !path.exists() {
        return Err(CompileError::NoSuchFile { path: path.to_owned() });
    }
    if let Some(language) = forced.or_else(|| Language::of(path)) {
        return Ok(Argument::Source { path: path.to_owned(), language });
    }
    if is_linker_input(path) {
        return Ok(Argument::Linkable(path.to_owned()));
    }
    Err(CompileError::UnknownInput { path: path.to_owned() })
}

fn is_for_compiling(word: &str) -> bool {
    // At the link these would bring the compiler's own libraries.
    let sanitizers = ["-fsanitize=", "-fno-sanitize=", "-fsanitize-"];
    let glued = ["-I", "-D", "-U", "-std=", "-Wa,", "-Wp,", "--std="];
    COMPILE_WITH_VALUE.contains(&word) || glued.iter().chain(&sanitizers).any(|prefix| word.starts_with(prefix))
}

fn is_for_linking(word: &str) -> bool {
    let glued =
        ["-l", "-L", "-Wl,", "-fuse-ld", "-static-lib", "-rdynamic", "-nostdlib", "-nodefaultlibs", "-pie", "-no-pie"];
    LINK_WITH_VALUE.contains(&word) || glued.iter().any(|prefix| word.starts_with(prefix))
}

/// The directories of headers that the user names.
pub fn searched(arguments: &[Argument]) -> Vec<PathBuf> {
    const FLAGS: [&str; 4] = ["-I", "-isystem", "-iquote", "-idirafter"];
    let named = |flag: &Vec<String>| {
        let name = FLAGS.iter().find(|name| flag[0].starts_with(**name))?;
        Some(PathBuf::from(flag.get(1).map_or(&flag[0][name.len()..], |value| value)))
    };
    let flags = arguments.iter().filter_map(|argument| match argument {
        Argument::CompileFlag(flag) | Argument::Flag(flag) => Some(flag),
        _ => None,
    });
    flags.filter_map(named).collect()
}

/// Whether the user chose an optimisation level.
pub fn has_optimisation(arguments: &[Argument]) -> bool {
    arguments.iter().any(|argument| matches!(argument, Argument::Flag(flag) if flag[0].starts_with("-O")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Vec<Argument>, CompileError> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_sorted_and_keep_their_order() {
        let words = |words: &[&str]| words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>();
        let arguments = parsed("-I inc -DN=3 -lm -L /lib -O2 -Wall -pthread -std=c11 -m64 -Wl,-z,now").unwrap();
        assert_eq!(
            arguments,
            [
                Argument::CompileFlag(words(&["-I", "inc"])),
                Argument::CompileFlag(words(&["-DN=3"])),
                Argument::LinkFlag(words(&["-lm"])),
                Argument::LinkFlag(words(&["-L", "/lib"])),
                Argument::Flag(words(&["-O2"])),
                Argument::Flag(words(&["-Wall"])),
                Argument::Flag(words(&["-pthread"])),
                Argument::CompileFlag(words(&["-std=c11"])),
                Argument::Flag(words(&["-m64"])),
                Argument::LinkFlag(words(&["-Wl,-z,now"])),
            ]
        );
        assert!(has_optimisation(&arguments));
        assert!(!has_optimisation(&parsed("-DO=2 -fsanitize=thread").unwrap()));
    }

    #[test]
    fn files_by_suffix() {
        assert_eq!(Language::of(Path::new("a.c")), Some(Language::C));
        for name in ["a.cc", "a.cpp", "a.cxx", "a.C", "a.c++"] {
            assert_eq!(Language::of(Path::new(name)), Some(Language::Cxx), "{name}");
        }
        for name in ["a.o", "liba.a", "liba.so", "liba.so.1.2"] {
            assert!(is_compiler_input(Path::new(name)), "{name}");
        }
        for name in ["a.out", "prog", "./dir.so/prog", "a.h"] {
            assert!(!is_compiler_input(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn what_cannot_be() {
        assert!(matches!(parsed("nowhere.c"), Err(CompileError::NoSuchFile { .. })));
        assert!(matches!(parsed("/dev/null"), Err(CompileError::UnknownInput { .. })));
        assert!(matches!(parsed("-o"), Err(CompileError::RefusedFlag { .. })));
        assert!(matches!(parsed("-static"), Err(CompileError::RefusedFlag { .. })));
        assert!(matches!(parsed("-I"), Err(CompileError::MissingValue { .. })));
        assert!(matches!(parsed("-x c++ /dev/null").unwrap()[..], [Argument::Source { language: Language::Cxx, .. }]));
    }
}
