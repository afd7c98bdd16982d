//! Parses the command line that a build gives to its compiler: which step is asked for, and which files.
//!
//! Every word is kept in its place. An unknown word is a flag. A flag that is known to take a value keeps the next word, so
//! that the value is not mistaken for a file.

use std::path::{Path, PathBuf};

use crate::build::compile::{BOTH_WITH_VALUE, COMPILE_WITH_VALUE, CONTRADICTS, LINK_WITH_VALUE, Language};

/// The last step that a command line asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// The compiler prints information; nothing is compiled.
    Query,
    /// Compile the sources and link.
    Link,
    /// Compile or assemble (`-c`, `-S`, `-fsyntax-only`).
    Compile,
    /// Preprocess (`-E`, `-M`, `-MM`).
    Preprocess,
}

/// A file on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The file's path.
    pub path: PathBuf,
    /// The language it is compiled as, as in `-x`. `None` if it goes to the linker unchanged.
    pub language: Option<String>,
    /// Whether `-x` sets the language, instead of the file's name.
    forced: bool,
}

/// One word of the command line, or a flag with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// A file.
    Input(Input),
    /// A flag.
    Flag(Vec<String>),
    /// `-x`, which sets the language of the inputs that follow.
    Language(Vec<String>),
}

/// A parsed command line.
#[derive(Debug)]
pub struct Line {
    words: Vec<Word>,
    /// The last step that is asked for.
    pub step: Step,
}

/// Flags that take the next word as their value, besides those that `heddle check` knows.
const WITH_VALUE: [&str; 13] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-wrapper",
    "-A",
    "-G",
    "-h",
    "-R",
];

/// Flags that make a compiler print information.
const QUERIES: [&str; 7] =
    ["--version", "-###", "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs", "--help"];

/// The languages, as in `-x`, that are instrumented.
const INSTRUMENTED: [&str; 6] = ["c", "c++", "cpp-output", "c++-cpp-output", "c-header", "c++-header"];

/// Parses the command line of a compiler for `driver`.
pub fn understand(words: &[String], driver: Language) -> Line {
    let mut line = Line { words: Vec::new(), step: Step::Link };
    let mut forced: Option<String> = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') || word == "-" {
            let path = PathBuf::from(word);
            let language = forced.clone().or_else(|| by_name(&path, driver).map(str::to_owned));
            line.words.push(Word::Input(Input { path, language, forced: forced.is_some() }));
            continue;
        }
        if let Some(value) = word.strip_prefix("-x") {
            let value = if value.is_empty() { rest.next().cloned().unwrap_or_default() } else { value.to_owned() };
            forced = Some(value.clone()).filter(|value| value != "none");
            line.words.push(Word::Language(vec!["-x".to_owned(), value]));
            continue;
        }
        let mut flag = vec![word.clone()];
        let lists: [&[&str]; 4] = [&COMPILE_WITH_VALUE, &LINK_WITH_VALUE, &BOTH_WITH_VALUE, &WITH_VALUE];
        if lists.iter().any(|list| list.contains(&word.as_str())) {
            flag.extend(rest.next().cloned());
        }
        line.words.push(Word::Flag(flag));
    }
    let has = |names: &[&str]| line.flags().any(|flag| names.contains(&flag[0].as_str()));
    let asks = |flag: &[String]| {
        let name = flag[0].as_str();
        QUERIES.contains(&name) || name.starts_with("--help=") || name.trim_start_matches('-').starts_with("print-")
    };
    line.step = if line.flags().any(asks) || line.inputs().next().is_none() {
        Step::Query
    } else if has(&["-E", "-M", "-MM"]) {
        Step::Preprocess
    } else if has(&["-c", "-S", "-fsyntax-only"]) || line.inputs().all(Input::is_header) {
        Step::Compile
    } else {
        Step::Link
    };
    line
}

/// The language that a compiler takes a file for by its name. A C++ compiler takes C for C++.
fn by_name(path: &Path, driver: Language) -> Option<&'static str> {
    let cxx = driver == Language::Cxx;
    Some(match path.extension()?.to_str()? {
        "c" if cxx => "c++",
        "c" => "c",
        "i" if !cxx => "cpp-output",
        "i" | "ii" => "c++-cpp-output",
        "cc" | "cpp" | "cxx" | "c++" | "C" | "cp" | "CPP" => "c++",
        "h" if !cxx => "c-header",
        "h" | "hh" | "H" | "hp" | "hxx" | "hpp" | "HPP" | "h++" | "tcc" => "c++-header",
        "S" | "sx" => "assembler-with-cpp",
        "s" => "assembler",
        _ => return None,
    })
}

impl Input {
    fn is_instrumented(&self) -> bool {
        self.language.as_deref().is_some_and(|language| INSTRUMENTED.contains(&language))
    }

    fn is_header(&self) -> bool {
        self.language.as_deref().is_some_and(|language| language.ends_with("-header"))
    }
}

impl Line {
    /// All words, in their order.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The files, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.words.iter().filter_map(|word| if let Word::Input(input) = word { Some(input) } else { None })
    }

    fn flags(&self) -> impl Iterator<Item = &[String]> {
        self.words.iter().filter_map(|word| if let Word::Flag(flag) = word { Some(flag.as_slice()) } else { None })
    }

    /// Whether anything is compiled that can be instrumented.
    pub fn compiles(&self) -> bool {
        self.inputs().any(Input::is_instrumented)
    }

    /// All words, as they were written.
    pub fn all(&self) -> Vec<String> {
        let mut words = Vec::new();
        for word in &self.words {
            match word {
                Word::Input(input) => words.push(input.path.display().to_string()),
                Word::Flag(flag) | Word::Language(flag) => words.extend(flag.iter().cloned()),
            }
        }
        words
    }

    /// The flags to compile a single file with.
    pub fn flags_to_compile(&self) -> Vec<String> {
        let links = |flag: &[String]| {
            let name = flag[0].as_str();
            name == "-o"
                || name == "-shared"
                || ["-l", "-L", "-Wl,", "-Xlinker"].iter().any(|start| name.starts_with(start))
        };
        self.flags().filter(|flag| !links(flag) && !is_dependency(flag)).flatten().cloned().collect()
    }

    /// The flags that write the dependencies of one file, if the command line asks for dependencies.
    pub fn dependencies_of(&self, input: &Input) -> Vec<String> {
        let mut words: Vec<String> = self.flags().filter(|flag| is_dependency(flag)).flatten().cloned().collect();
        let has = |names: [&str; 2]| words.iter().any(|word| names.contains(&word.as_str()));
        if !has(["-MD", "-MMD"]) {
            return words;
        }
        let output = self.output();
        if !words.iter().any(|word| word == "-MF") {
            let stem = input.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let name = output.as_ref().map_or(format!("{stem}.d"), |output| format!("{output}-{stem}.d"));
            words.extend(["-MF".to_owned(), name]);
        }
        if !words.iter().any(|word| word == "-MT" || word == "-MQ") {
            words.extend(["-MT".to_owned(), output.unwrap_or_else(|| "a.out".to_owned())]);
        }
        words
    }

    fn output(&self) -> Option<String> {
        self.flags().filter(|flag| flag[0].starts_with("-o")).last().map(|flag| match flag {
            [_, value] => value.clone(),
            _ => flag[0][2..].to_owned(),
        })
    }

    /// Whether the link makes an object file again (`-r`).
    pub fn is_partial(&self) -> bool {
        self.flags().any(|flag| matches!(flag[0].as_str(), "-r" | "-Wl,-r" | "-Wl,--relocatable" | "-Wl,-i"))
    }

    /// Whether what comes of preprocessing `input` is likely to be compiled: it has the name of a source file, and its
    /// text stays one.
    pub fn is_for_a_compiler(&self, input: Option<&Input>) -> bool {
        let reduces = |flag: &[String]| flag[0] == "-P" || flag[0].starts_with("-d");
        input.is_some_and(|input| input.is_instrumented() && !input.forced) && !self.flags().any(reduces)
    }

    /// A flag that contradicts the flags that the wrapper adds, with the reason.
    pub fn refused(&self) -> Option<(String, &'static str)> {
        for flag in self.flags() {
            if self.step == Step::Link && matches!(flag[0].as_str(), "-static" | "-static-pie") {
                return Some((flag[0].clone(), "a static program cannot carry Heddle's runtime"));
            }
            let names = flag[0].strip_prefix("-fsanitize=").unwrap_or("");
            if let Some(name) = names.split(',').find(|name| CONTRADICTS.contains(name)) {
                return Some((
                    format!("-fsanitize={name}"),
                    "its runtime conflicts with Heddle's; Heddle detects memory errors itself",
                ));
            }
        }
        None
    }
}

fn is_dependency(flag: &[String]) -> bool {
    matches!(flag[0].as_str(), "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" | "-MP" | "-MG" | "-MV")
        || flag[0].starts_with("-MF")
        || flag[0].starts_with("-MT")
        || flag[0].starts_with("-MQ")
}

/// Whether a flag is passed on when objects are linked. Sanitizer flags are not: they would bring their libraries.
pub fn is_for_linking(flag: &[String]) -> bool {
    let name = flag[0].as_str();
    let compiles = matches!(name, "-include" | "-imacros");
    !compiles && !is_dependency(flag) && !["-fsanitize", "-fno-sanitize"].iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        understand(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), Language::C)
    }

    #[test]
    fn steps() {
        for (text, step) in [
            ("--version", Step::Query),
            ("-v", Step::Query),
            ("-print-search-dirs", Step::Query),
            ("--print-file-name=libc.so a.c", Step::Query),
            ("-Wl,--version", Step::Query),
            ("-c a.c -o a.o", Step::Compile),
            ("-S a.c -o -", Step::Compile),
            ("-E a.c", Step::Preprocess),
            ("-dM -E -x c -", Step::Preprocess),
            ("-MM a.c", Step::Preprocess),
            ("-MD -MF a.d -c a.c", Step::Compile),
            ("a.c -o a", Step::Link),
            ("-v a.o", Step::Link),
            ("-shared -o liba.so a.o", Step::Link),
            ("x.h", Step::Compile),
        ] {
            assert_eq!(line(text).step, step, "{text}");
        }
    }

    #[test]
    fn values_are_no_files() {
        for text in ["-o a.c b.o", "-MF x.c b.o", "-include y.c b.o", "-Xlinker z.c b.o", "-T script.c b.o"] {
            assert_eq!(line(text).inputs().count(), 1, "{text}");
            assert!(!line(text).compiles(), "{text}");
        }
    }

    #[test]
    fn languages() {
        let of = |text: &str| line(text).inputs().map(|input| input.language.clone()).collect::<Vec<_>>();
        let named = |names: &[&str]| names.iter().map(|name| Some(name.to_string())).collect::<Vec<_>>();
        assert_eq!(of("a.c b.cc c.S d.i"), named(&["c", "c++", "assembler-with-cpp", "cpp-output"]));
        assert_eq!(of("-x c++ a -x none b.c"), named(&["c++", "c"]));
        assert_eq!(of("a.o liba.a libb.so.1 script"), [None, None, None, None]);
        let cxx = understand(&["a.c".to_owned()], Language::Cxx);
        assert_eq!(cxx.inputs().next().unwrap().language.as_deref(), Some("c++"));
    }

    #[test]
    fn what_goes_where() {
        let line = line("-MMD -O2 a.c -o out/a -lm -fsanitize=thread -L lib -Iinc");
        assert_eq!(line.flags_to_compile(), ["-O2", "-fsanitize=thread", "-Iinc"]);
        let input = line.inputs().next().unwrap();
        assert_eq!(line.dependencies_of(input), ["-MMD", "-MF", "out/a-a.d", "-MT", "out/a"]);
        assert!(!is_for_linking(&["-fsanitize=thread".to_owned()]));
        assert!(is_for_linking(&["-lm".to_owned()]));
    }

    #[test]
    fn what_cannot_be() {
        assert!(line("-static a.c").refused().is_some());
        assert!(line("-static -c a.c").refused().is_none());
        assert!(line("-fsanitize=undefined,address -c a.c").refused().is_some());
        assert!(line("-fsanitize=thread -c a.c").refused().is_none());
    }
}
