//! `heddle cc` and `heddle c++`: a compiler that instruments. All arguments go to the compiler, `--help` and `--version` included, so
//! these lines are taken before Heddle's own options are parsed.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use heddle_native::compile::Language;
use heddle_native::wrapper;

/// Runs the compiler if the line asks for it: `heddle cc ...`, or a link to heddle with the name `heddle-cc`.
pub fn intercept(line: &[OsString]) -> Option<ExitCode> {
    let name = line.first().and_then(|name| Path::new(name).file_name()).unwrap_or_default();
    let (language, words) = match (name.to_str(), line.get(1).and_then(|word| word.to_str())) {
        (Some("heddle-cc"), _) => (Language::C, &line[1..]),
        (Some("heddle-c++"), _) => (Language::Cxx, &line[1..]),
        (_, Some("cc")) => (Language::C, &line[2..]),
        (_, Some("c++")) => (Language::Cxx, &line[2..]),
        _ => return None,
    };
    Some(run(language, words))
}

fn run(language: Language, words: &[OsString]) -> ExitCode {
    let name = if language == Language::C { "heddle cc" } else { "heddle c++" };
    let mut texts = Vec::new();
    for word in words {
        match word.to_str() {
            Some(text) => texts.push(text.to_owned()),
            None => {
                eprintln!("{name}: {} is not UTF-8, which is not supported", word.display());
                return ExitCode::from(1);
            }
        }
    }
    match wrapper::run(language, &texts) {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => {
            // As compilers say it, so that builds and editors recognise it.
            eprintln!("{name}: error: {error}");
            ExitCode::from(1)
        }
    }
}
