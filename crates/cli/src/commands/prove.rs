//! `heddle prove`: all inputs and all orders by the symbolic engine. What it finds is told only after the program has done it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use heddle_model::{RunReport, Values, Verdict};
use heddle_report::json;
use heddle_symbolic::ir::{Module, Places, ReadError, Reader, Site, serve};
use heddle_symbolic::prove::{Answer, Conclusion, Conjecture, Given, Question, deepen, with_stack};

use super::check;
use crate::arguments::Check;
use crate::console::Console;
use crate::running::RaceWish;

/// The word that makes this program the process that reads bitcode.
const READ: &str = "__read-ir";
/// How long the program is given to do what was found, if the user sets no limit.
const CONFIRM: Duration = Duration::from_secs(60);
/// How much memory the solver may use.
const MEMORY: u64 = 4 << 30;

/// Reads bitcode if the line asks for it. Only `heddle` itself does.
pub fn intercept(line: &[OsString]) -> Option<ExitCode> {
    if line.get(1).is_none_or(|word| word != READ) {
        return None;
    }
    Some(match serve(&line[2..], &mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            eprintln!("{words}");
            ExitCode::from(2)
        }
    })
}

/// Proves a program. Returns the exit code.
pub fn run(options: Check, console: &Console) -> u8 {
    let began = Instant::now();
    let module = match read(&options) {
        Ok(module) => module,
        Err(error) if error.is_unsupported() => return tell(Verdict::Unsupported, &error.to_string(), None, console),
        Err(error) => return console.fail(&error.to_string()),
    };
    let question = Question {
        undefined: options.ub,
        leaks: options.running.leaks,
        races: options.running.races == Some(RaceWish::Report),
        deadline: options.timeout.map(|limit| began + limit),
        memory: Some(MEMORY),
        ..Question::default()
    };
    let mut report = None;
    let unwind = options.unwind;
    let concluded = with_stack(|| {
        deepen(&module, &question, unwind, &mut |conjecture| {
            report = confirm(&options, conjecture, console);
            report.as_ref().is_some_and(|report: &RunReport| report.verdict == Verdict::Found)
        })
    });
    let (conclusion, answer) = match concluded {
        Ok(concluded) => concluded,
        Err(refusal) => {
            let words = format!(
                "{}: {} (the symbolic engine does not follow it; `heddle check` does)",
                place(&module, refusal.site),
                refusal.what
            );
            return tell(Verdict::Unsupported, &words, None, console);
        }
    };
    let (verdict, words) = match &conclusion {
        Conclusion::Found(conjecture) => {
            console.note(&inputs(&module, &conjecture.inputs));
            return Verdict::Found.exit_code();
        }
        Conclusion::Safe(bound) => (Verdict::Safe, format!("all inputs, all orders, sequential consistency; every loop to its end{}", within(*bound))),
        Conclusion::Within(bound) => (Verdict::Safe, format!("all inputs, all orders; at most {bound} iterations of each loop")),
        Conclusion::Incomplete { iterations, cut, why } => (Verdict::Incomplete, incomplete(&module, *iterations, cut, why)),
        Conclusion::Unconfirmed(conjecture) => (
            Verdict::Incomplete,
            format!(
                "the symbolic engine has an execution that does not happen natively ({}): {}; {}",
                place(&module, conjecture.site),
                conjecture.message,
                inputs(&module, &conjecture.inputs)
            ),
        ),
    };
    let cost = format!(
        "{words}; {} events, {} {}, {:.2} s",
        answer.events,
        answer.queries,
        if answer.queries == 1 { "question" } else { "questions" },
        began.elapsed().as_secs_f64()
    );
    tell(verdict, &cost, Some((&answer, began.elapsed())), console)
}

fn within(bound: u32) -> String {
    if bound > 1 { format!(" (at most {bound} iterations)") } else { String::new() }
}

fn incomplete(module: &Module, iterations: Option<u32>, cut: &[Site], why: &str) -> String {
    let Some(iterations) = iterations else { return why.to_owned() };
    let cut: Vec<String> = cut.iter().map(|site| place(module, *site)).collect();
    format!(
        "nothing found for all inputs and all orders with at most {iterations} iterations; cut: {}; {why}",
        cut.join(", ")
    )
}

/// File and line.
fn place(module: &Module, site: Site) -> String {
    let file = module.files.get(site.file as usize).map_or("", String::as_str);
    let here = std::env::current_dir().unwrap_or_default();
    let file = Path::new(file).strip_prefix(&here).unwrap_or(Path::new(file)).display().to_string();
    format!("{file}:{}", site.line)
}

fn inputs(module: &Module, given: &[Given]) -> String {
    if given.is_empty() {
        return "no inputs".to_owned();
    }
    let each = given.iter().map(|input| {
        let name = input.function.trim_start_matches("__VERIFIER_nondet_");
        format!("{name} at {} = {}", place(module, input.site), number(input))
    });
    format!("inputs: {}", each.collect::<Vec<_>>().join(", "))
}

/// An input as the program sees it, if its type is signed.
fn number(input: &Given) -> i64 {
    let shift = 128 - u32::from(input.bits.max(1));
    let unsigned = ["u", "size", "bool", "_Bool"].iter().any(|prefix| {
        input.function.trim_start_matches("__VERIFIER_nondet_").starts_with(prefix)
    });
    if unsigned { input.value as i64 } else { (((input.value << shift) as i128) >> shift) as i64 }
}

/// Runs the program with the inputs of a conjecture, and tells what it does if that is wrong.
fn confirm(options: &Check, conjecture: &Conjecture, console: &Console) -> Option<RunReport> {
    let mut values: Vec<i64> = conjecture.inputs.iter().map(number).collect();
    values.sort_unstable();
    values.dedup();
    let mut options = options.clone();
    options.timeout = Some(options.timeout.unwrap_or(CONFIRM));
    if !values.is_empty() {
        options.running.nondet = Some(Values::given(&values)?);
    }
    check::confirm(&options, console)
}

fn read(options: &Check) -> Result<Module, ReadError> {
    let own = std::env::current_exe()
        .map_err(|error| ReadError::System { what: "the path of heddle".to_owned(), error })?;
    let reader = Reader::new(&Places::from_environment(), vec![own.into(), READ.into()])?;
    let is_source = |word: &&String| {
        let ending = Path::new(word.as_str()).extension().and_then(|e| e.to_str());
        !word.starts_with('-') && matches!(ending, Some("c" | "cc" | "cpp" | "cxx" | "C" | "i" | "ii"))
    };
    let (files, flags): (Vec<&String>, Vec<&String>) = options.words.iter().partition(is_source);
    let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
    let flags: Vec<String> = flags.into_iter().cloned().collect();
    let folder = std::env::temp_dir().join(format!("heddle-prove-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|error| ReadError::System { what: folder.display().to_string(), error })?;
    let module = reader.read(&files, &flags, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    module
}

fn tell(verdict: Verdict, words: &str, cost: Option<(&Answer, Duration)>, console: &Console) -> u8 {
    if console.wishes().json {
        let mut report = RunReport { verdict, ..RunReport::error(words.to_owned()) };
        if let Some((answer, time)) = cost {
            report.algorithm = Some("order".to_owned());
            report.events = answer.events as u64;
            report.threads = answer.threads as u32;
            report.seconds = time.as_secs_f64();
        }
        console.result(&String::from_utf8_lossy(&json::render(&report)));
    } else {
        console.result(&format!("{}: {words}\n", verdict.name()));
    }
    verdict.exit_code()
}
