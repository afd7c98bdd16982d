//! Links without the compiler's driver. Clang's takes longer to start than the linker to link.
//!
//! Asked once (`-###`), the driver says how it would call the linker. The answer is kept, with a mark in place of the private
//! directory, which has another name each time. If the linker fails, the driver is asked to link: then its messages are the
//! user's, and an answer that is out of date does no harm.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{Compiler, CompilerKind};
use crate::build::cache;

/// Stands for the private directory in answers.
const MARK: &str = "@heddle-private@";

/// The command that links what `words` say to `compiler`, without it. None if it does not say how.
pub fn direct(compiler: &Compiler, words: &[String], directory: &Path) -> Option<Command> {
    if compiler.kind != CompilerKind::Clang {
        return None; // gcc's driver is quick, and tells its linker more than words.
    }
    let directory = directory.to_str()?;
    let marked: Vec<String> = words.iter().map(|word| word.replace(directory, MARK)).collect();
    let question = cache::question(&compiler.command, &marked)?;
    let line = cache::answer(question).or_else(|| {
        let asked = compiler.command().arg("-###").args(words).stdout(Stdio::null()).output().ok()?;
        let said = String::from_utf8(asked.stderr).ok()?;
        let line = said.lines().last()?.replace(directory, MARK);
        cache::keep_answer(question, &line);
        Some(line)
    })?;
    let words = quoted(&line)?;
    let (program, arguments) = words.split_first()?;
    // What it says is not understood unless it is a program that links into the private directory.
    let output = arguments.iter().position(|word| word == "-o").and_then(|at| arguments.get(at + 1))?;
    if !Path::new(program).is_file() || !output.starts_with(MARK) {
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments.iter().map(|word| word.replace(MARK, directory))).stdin(Stdio::null());
    Some(command)
}

/// The words of a line in which each is in quotes.
fn quoted(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut letters = line.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => continue,
            '"' => {}
            _ => return None,
        }
        let mut word = String::new();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => word.push(letters.next()?),
                letter => word.push(letter),
            }
        }
        words.push(word);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_quotes() {
        let words = |line| quoted(line);
        assert_eq!(words(r#" "/usr/bin/ld" "-o" "a b" "c\"d\\e""#).unwrap(), ["/usr/bin/ld", "-o", "a b", "c\"d\\e"]);
        assert_eq!(words("error: something"), None);
        assert_eq!(words(r#""cut off"#), None);
    }
}
