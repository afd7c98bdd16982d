//! What a trace file may ask for on its own word.
//!
//! A trace says how its program is built and run, and it may come from somebody else. Its sources are read by whoever replays it, like any
//! program that is downloaded. A compiler's command line is not read so easily: a command, a plugin or an output path in it does what it
//! wants before any program runs. So a trace may name the compilers that everybody has, flags that only change what they make, and a
//! finished program whose bytes are those that were checked. Everything else is listed here, and nothing runs until the user agrees.
//!
//! This is a list of what is harmless, not of what is dangerous: a flag that nobody thought of is asked about.

use std::path::{Component, Path};

use heddle_checking::sources;
use heddle_model::trace;

use crate::build::compile::Choice;

/// Directories whose programs belong to the system, not to the user's work.
const SYSTEM: [&str; 5] = ["/bin", "/sbin", "/lib", "/usr", "/opt"];

/// Directories in which a compiler may be named by its path.
const COMPILERS: [&str; 3] = ["/usr/bin/", "/usr/local/bin/", "/usr/lib/llvm-"];

/// Flags that may stand alone.
const ALONE: [&str; 16] = [
    "-w",
    "-pthread",
    "-ansi",
    "-pedantic",
    "-pedantic-errors",
    "-pie",
    "-no-pie",
    "-rdynamic",
    "-static-libgcc",
    "-static-libstdc++",
    "-shared-libgcc",
    "-nostdinc++",
    "-stdlib=libc++",
    "-stdlib=libstdc++",
    "-x",
    "-",
];

/// Flags whose value, in the same word or the next one, only changes what is compiled.
const WITH_VALUE: [&str; 9] = ["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-L", "-std=", "--std="];

/// Words for the linker that change nothing but how libraries are found and bound.
const LINKER: [&str; 13] = [
    "-z",
    "now",
    "lazy",
    "relro",
    "norelro",
    "noexecstack",
    "defs",
    "--as-needed",
    "--no-as-needed",
    "--export-dynamic",
    "-E",
    "--gc-sections",
    "--start-group",
];

/// What `-f` flags that read or write files, or load code, begin with.
const FILES: [&str; 14] = [
    "plugin",
    "pass-plugin",
    "dump",
    "save",
    "stack-usage",
    "callgraph-info",
    "time-trace",
    "profile",
    "auto-profile",
    "opt-info",
    "module",
    "crash-diagnostics",
    "prebuilt",
    "integrated-cc1",
];

/// `-f` flags whose value after `=` is no file.
const F_VALUES: [&str; 15] = [
    "sanitize",
    "no-sanitize",
    "visibility",
    "fp-contract",
    "fp-model",
    "cf-protection",
    "max-errors",
    "template-depth",
    "constexpr-depth",
    "constexpr-steps",
    "tls-model",
    "lto",
    "openmp",
    "abi-version",
    "diagnostics-color",
];

/// Lists what the trace of `program` asks for that the user should see first. Empty if there is nothing.
///
/// `own` are the compilers that the user's environment names: a trace may name these, too.
pub fn questions(program: &trace::Program, own: &Choice) -> Vec<String> {
    let mut questions = Vec::new();
    for used in &program.compilers {
        let named = used.command.join(" ");
        let is_own = [&own.cc, &own.cxx].into_iter().flatten().any(|own| *own == named);
        if !is_own && !is_compiler(&used.command) {
            questions.push(format!("the command `{named}` as the {} compiler", used.language));
        }
    }
    questions.extend(flags(&program.build).into_iter().map(|flag| format!("the flag `{flag}` for the compiler")));
    if let Some(binary) = &program.binary {
        let path = Path::new(&binary.path);
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if SYSTEM.iter().any(|directory| whole.starts_with(directory)) {
            questions.push(format!("`{}`, a program of the system", binary.path));
        } else if sources::fingerprint(path).is_ok_and(|hash| hash != binary.hash) {
            questions.push(format!("`{}`, which is not the program that was checked: its bytes differ", binary.path));
        }
    }
    questions
}

/// Whether a command is one of the compilers that are found by their names, with harmless flags.
fn is_compiler(command: &[String]) -> bool {
    let Some((name, flags)) = command.split_first() else { return true };
    let name = match name.rsplit_once('/') {
        None => name,
        Some((_, last)) if COMPILERS.iter().any(|known| name.starts_with(known)) && is_plain(name) => last,
        Some(_) => return false,
    };
    let name = name.strip_prefix("x86_64-linux-gnu-").unwrap_or(name);
    let version = |rest: &str| rest.strip_prefix('-').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let is_named = |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || version(rest));
    ["gcc", "g++", "cc", "c++", "clang", "clang++"].into_iter().any(is_named)
        && flags.iter().all(|flag| flag.starts_with('-'))
        && self::flags(flags).is_empty()
}

/// The flags among the words for a compiler that are not known to be harmless.
fn flags(words: &[String]) -> Vec<String> {
    let mut refused = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            // A compiler reads its command line from a file that is named like this.
            if word.starts_with('@') {
                refused.push(word.clone());
            }
            continue;
        }
        if word == "-x" || WITH_VALUE.contains(&word.as_str()) {
            words.next();
            continue;
        }
        if ["-include", "-imacros"].contains(&word.as_str()) {
            match words.next() {
                Some(file) if is_plain(file) && Path::new(file).is_relative() => {}
                file => refused.push(format!("{word} {}", file.map_or("", String::as_str))),
            }
            continue;
        }
        if !is_harmless(word) {
            refused.push(word.clone());
        }
    }
    refused
}

/// Whether a flag that is one word only changes what the compiler makes of the sources.
fn is_harmless(word: &str) -> bool {
    if ALONE.contains(&word) || WITH_VALUE.iter().any(|flag| word.starts_with(flag)) {
        return true;
    }
    if let Some(words) = word.strip_prefix("-Wl,") {
        let mut words = words.split(',');
        while let Some(word) = words.next() {
            match word {
                "-rpath" | "--rpath" => drop(words.next()),
                word if LINKER.contains(&word) || word == "--end-group" || word.starts_with("-rpath=") => {}
                _ => return false,
            }
        }
        return true;
    }
    if word.starts_with("-Wa,") || word.starts_with("-Wp,") {
        return false;
    }
    if let Some(name) = word.strip_prefix("-l") {
        return !name.is_empty() && !name.contains(['/', ':']);
    }
    if let Some(linker) = word.strip_prefix("-fuse-ld=") {
        return ["bfd", "gold", "lld", "mold"].contains(&linker);
    }
    if let Some(flag) = word.strip_prefix("-f") {
        let name = flag.strip_prefix("no-").unwrap_or(flag);
        return match flag.split_once('=') {
            Some((name, value)) => F_VALUES.contains(&name) && !value.contains('/'),
            None => !FILES.iter().any(|file| name.starts_with(file)),
        };
    }
    // `-mllvm` hands a word to the optimiser, which can be told to load code.
    let is_machine = word.starts_with("-m") && !word.starts_with("-mllvm") && !word.contains('/');
    let is_level = ["-O", "-W"].iter().any(|flag| word.starts_with(flag)) && !word.contains('/');
    let is_debug = word.strip_prefix("-g").is_some_and(|kind| {
        let digits = kind.bytes().all(|byte| byte.is_ascii_digit());
        digits
            || ["gdb", "dwarf", "line-tables-only", "z"].iter().any(|known| kind.starts_with(known))
                && !kind.contains('/')
    });
    is_machine || is_level || is_debug
}

/// Whether a path has no part that leads out of where it begins.
fn is_plain(path: &str) -> bool {
    !Path::new(path).components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn usual_flags_are_not_asked_about() {
        for line in [
            "a.c b.cpp -Iinc -I /opt/inc -DN=3 -D M -O2 -Og -g3 -Wall -Wno-error=x -std=c++20 -pthread -lm -L lib -m64 -march=native",
            "-x c++ a -fno-exceptions -fopenmp -fsanitize=undefined -fvisibility=hidden -fuse-ld=lld -stdlib=libc++",
            "-Wl,-z,now -Wl,-rpath,/home/me/lib -Wl,--as-needed -include config.h -isystem /usr/include/x liba.a",
        ] {
            assert_eq!(flags(&words(line)), [] as [String; 0], "{line}");
        }
    }

    #[test]
    fn what_runs_or_writes_something_is_asked_about() {
        for flag in [
            "-fplugin=./evil.so",
            "-fplugin-arg-x-y=z",
            "-fpass-plugin=evil.so",
            "-Xclang -load",
            "-mllvm -load=evil.so",
            "-B.",
            "-B .",
            "-specs=evil",
            "--specs=evil",
            "-wrapper sh,-c",
            "-fuse-ld=/tmp/evil",
            "-Wl,-plugin,evil.so",
            "-Wl,--dynamic-linker,/tmp/evil",
            "-Wl,-Map=/home/me/.profile",
            "-Wl,-rpath,/lib,-o,/home/me/.profile",
            "-Wa,-a=/home/me/.profile",
            "-Wp,-MD,/home/me/.profile",
            "-MF /home/me/.profile",
            "-MD",
            "-o x",
            "-save-temps",
            "-dumpdir /home",
            "-fdump-tree-all=/home/me/.profile",
            "-ftime-trace=/home/me",
            "-fprofile-generate=/home/me",
            "-fstack-usage",
            "-fdiagnostics-add-output=sarif:file=/home/me/.profile",
            "-include /etc/passwd",
            "-include ../../x",
            "-imacros /etc/passwd",
            "-include",
            "-l:../evil.so",
            "-T script",
            "--sysroot=/tmp/evil",
            "--config=/tmp/evil",
            "-gcc-toolchain=evil",
            "-gsplit-dwarf",
            "@file",
            "@file.c",
            "-Xlinker -o",
            "-ggdb=/x",
        ] {
            assert!(!flags(&words(flag)).is_empty(), "{flag}");
        }
    }

    #[test]
    fn compilers_by_their_names() {
        for known in
            ["gcc", "g++-12", "clang-19", "clang++", "cc", "x86_64-linux-gnu-gcc-12", "/usr/bin/gcc", "gcc -m64"]
        {
            assert!(is_compiler(&words(known)), "{known}");
        }
        for other in [
            "/tmp/gcc",
            "./gcc",
            "../gcc",
            "/usr/bin/../../tmp/gcc",
            "sh",
            "gcc-evil",
            "/usr/bin/env",
            "/usr/bin/env gcc",
            "sh -c evil",
            "gcc -fplugin=x.so",
            "gcc evil.c",
        ] {
            assert!(!is_compiler(&words(other)), "{other}");
        }
    }

    #[test]
    fn the_users_own_compiler_may_be_named() {
        let mut program = trace::Program::default();
        program.compilers.push(trace::CompilerUsed {
            language: "C".to_owned(),
            command: words("ccache /home/me/gcc"),
            version: "gcc 12".to_owned(),
        });
        assert_eq!(questions(&program, &Choice::default()).len(), 1);
        let own = Choice { cc: Some("ccache /home/me/gcc".to_owned()), ..Choice::default() };
        assert_eq!(questions(&program, &own), [] as [String; 0]);
    }
}
