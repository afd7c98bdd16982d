//! Advice: which commands may end what a run has left open, chosen from what the search saw.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use heddle_model::Advice;
use heddle_search::Stop;

use crate::verdict::{End, Judgement};
use crate::words;

/// The most commands that are told: one to finish, one to find.
const MOST: usize = 2;

/// The longest search that is proposed.
const LONGEST: Duration = Duration::from_secs(3600);

/// The values of a macro that make a program larger or smaller. A year or a size of a buffer is no number of threads.
const SMALL: RangeInclusive<u64> = 3..=64;

/// A macro with a small number, which makes the program larger or smaller, and its value: `-DN=4` among the words, or what a source among them
/// defines where no flag does.
fn parameter(words: &[String]) -> Option<(String, u64)> {
    let small = |value: &str| value.parse().ok().filter(|value| SMALL.contains(value));
    let of_flag = |word: &String| {
        let (name, value) = word.strip_prefix("-D")?.split_once('=')?;
        Some((name.to_string(), small(value)?))
    };
    let is_source = |word: &&String| {
        let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["c", "cc", "cpp", "cxx"].contains(&ending))
    };
    let of_source = |word: &String| {
        let text = std::fs::read_to_string(word).ok()?;
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        lines.windows(2).find_map(|pair| match (&pair[0][..], &pair[1][..]) {
            (["#ifndef", guard], ["#define", name, value]) if guard == name => Some((name.to_string(), small(value)?)),
            _ => None,
        })
    };
    words.iter().find_map(of_flag).or_else(|| words.iter().filter(is_source).find_map(of_source))
}

impl Judgement<'_> {
    /// The commands that may finish this search or find what it has not, the best first. Empty if the command line is not known.
    pub(crate) fn advice(&self) -> Vec<Advice> {
        let mut advice = Vec::new();
        if self.options.line.is_empty() {
            return advice;
        }
        let cut = self.own_bound.is_some() || self.tally.bounded > 0;
        let limited = matches!(
            self.end,
            End::Interrupted | End::Search(Stop::Time | Stop::Executions | Stop::States | Stop::Outcome(_))
        );
        if self.method.samples() {
            self.smaller(&mut advice);
            self.bounded(&mut advice);
        } else if limited && !cut {
            self.longer(&mut advice);
            self.by_default(&mut advice);
            self.smaller(&mut advice);
            self.bounded(&mut advice);
            self.sampled(&mut advice);
        } else if cut {
            self.by_states(&mut advice);
            self.smaller(&mut advice);
            self.sampled(&mut advice);
        }
        advice.truncate(MOST);
        advice
    }

    /// The command line without the limits that ended the search.
    fn line(&self) -> Vec<String> {
        without(without(&self.options.line, "--max-executions"), "--max-states")
    }

    /// Proposes more time, if the search will end within an hour by the estimate.
    fn longer(&self, advice: &mut Vec<Advice>) {
        let Some((_, Some(all))) = self.estimate else { return };
        let rate = self.counts.executions as f64 / self.elapsed.as_secs_f64().max(1e-9);
        // Half as much again, because it is an estimate.
        let needed = Duration::from_secs_f64((all as f64 / rate.max(1e-9) * 1.5).clamp(10.0, 1e9).ceil());
        if needed <= LONGEST && rate > 0.0 {
            let because = format!("about {} in all: the search ends within that time", words::duration(needed));
            let line = without(self.line(), "--timeout");
            push(advice, line, &["--timeout", &format!("{}s", needed.as_secs())], because);
        }
    }

    /// Proposes a smaller program, by a macro.
    fn smaller(&self, advice: &mut Vec<Advice>) {
        let Some((name, value)) = parameter(own(&self.options.line)) else { return };
        let line = without(self.line(), &format!("-D{name}"));
        let because = "a smaller program: most bugs show with two threads and a few operations".to_string();
        let smaller = if value > 4 { value / 2 } else { value - 1 };
        push(advice, line, &[&format!("-D{name}={smaller}")], because);
    }

    /// Proposes to bound preemptions.
    fn bounded(&self, advice: &mut Vec<Advice>) {
        let search = &self.options.search;
        let bound = match (search.max_preemptions, self.left_out.completed) {
            (Some(0), _) => return,
            (Some(asked), _) => asked - 1,
            (None, Some(completed)) => completed,
            (None, None) => 2,
        };
        let because = match bound {
            0 => "every execution without preemptions".to_string(),
            1 => "every execution with at most 1 preemption".to_string(),
            n => format!("every execution with at most {n} preemptions: most bugs need no more"),
        };
        let line = ["--max-preemptions", "--algorithm"].iter().fold(self.line(), |line, name| without(&line, name));
        push(advice, line, &["--max-preemptions", &bound.to_string()], because);
    }

    /// Proposes samples.
    fn sampled(&self, advice: &mut Vec<Advice>) {
        let line = ["--algorithm", "--timeout"].iter().fold(self.line(), |line, name| without(&line, name));
        let because = "random orders: finds what many orders show, proves nothing".to_string();
        push(advice, line, &["--algorithm", "pos", "--timeout", "5m"], because);
    }

    /// Proposes the default search, where another exhaustive one was asked for that knows no states.
    fn by_default(&self, advice: &mut Vec<Advice>) {
        let bounded = self.left_out.bounded || self.options.search.max_preemptions.is_some();
        let named = self.options.line.iter().any(|word| word.starts_with("--algorithm"));
        if named && !bounded && self.states.is_none() {
            let because = "the default search turns to states where executions meet again".to_string();
            push(advice, without(self.line(), "--algorithm"), &[], because);
        }
    }

    /// Proposes to search states, for executions that go round.
    fn by_states(&self, advice: &mut Vec<Advice>) {
        if self.states.is_some() {
            return;
        }
        let line = without(without(self.line(), "--algorithm"), "--max-steps");
        let because = "remembers states, so that executions that go round end".to_string();
        push(advice, line, &["--algorithm", "stateful"], because);
    }
}

/// The words of a line that are not for the program: those before `--`.
fn own(line: &[String]) -> &[String] {
    line.split(|word| word == "--").next().unwrap_or_default()
}

/// A command line without the option `name`, and without its value if that is a word of its own.
fn without(line: impl AsRef<[String]>, name: &str) -> Vec<String> {
    let (own, others) = line.as_ref().split_at(own(line.as_ref()).len());
    let mut words = own.iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word.strip_prefix(name) {
            Some("") => drop(words.next()),
            Some(rest) if rest.starts_with('=') => {}
            _ => kept.push(word.clone()),
        }
    }
    [&kept, others].concat()
}

fn push(advice: &mut Vec<Advice>, mut line: Vec<String>, options: &[&str], because: String) {
    let end = own(&line).len();
    let options = options.iter().map(|option| (*option).to_string());
    line.splice(end..end, options);
    let command = line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    advice.push(Advice { command: format!("heddle check {command}"), because });
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn options_are_replaced() {
        assert_eq!(without(line("a.c -- --timeout 3s"), "--timeout"), line("a.c -- --timeout 3s"));
        assert_eq!(without(line("a.c -DN=3 -DNN=3"), "-DN"), line("a.c -DNN=3"));
        assert_eq!(without(line("a.c --timeout 3s --all --timeout=4s -DN=3"), "--timeout"), line("a.c --all -DN=3"));
        let mut advice = Vec::new();
        push(&mut advice, line("a.c --all -- -x"), &["--max-preemptions", "2"], String::new());
        assert_eq!(advice[0].command, "heddle check a.c --all --max-preemptions 2 -- -x");
    }

    #[test]
    fn words_are_as_a_shell_takes_them() {
        assert_eq!(quoted("-DN=3"), "-DN=3");
        assert_eq!(quoted("it's a.c"), r"'it'\''s a.c'");
        assert_eq!(quoted(""), "''");
    }
}
