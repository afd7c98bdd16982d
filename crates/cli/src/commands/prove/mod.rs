//! `heddle prove`: all inputs and all orders by the symbolic engine. What it finds is told only after the program has done it.

mod confirm;
mod read;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_checking::Conclusion;
use heddle_checking::internal::guard;
use heddle_checking::proved::{End, Proved};
use heddle_model::verdict::Unwound;
use heddle_model::{FindingKind, Location, RunReport, Verdict};
use heddle_report::text::counted;
use heddle_search::Algorithm;
use heddle_symbolic::ir::{Module, Site};
use heddle_symbolic::portfolio::{self, Turns};
use heddle_symbolic::prove::{self, Answer, Conjecture, Encoding, Engine, Event, Question, deepen_by, with_stack};
use heddle_symbolic::trace::{self, Way};

use self::confirm::Confirmer;
pub use self::read::intercept;
use self::read::{Unread, file, has_sources, place, said};
use super::check::{conclude, deliver};
use crate::arguments::{Check, EncodingWish, LoopBound, ProofWish, Prove, TraceWish};
use crate::console::Console;
use crate::progress::Progress;
use crate::running::{ExitWish, RaceWish};
use crate::{interrupt, store};

/// How much memory a proof may use, if the user sets no limit.
const MEMORY: u64 = 4 << 30;

/// What is to be proved, besides what the options of a check say.
#[derive(Clone, Debug, Default)]
struct Wish {
    unwind: Option<u32>,
    loops: Vec<LoopBound>,
    memory: Option<u64>,
    engine: ProofWish,
    algorithm: Option<TraceWish>,
    max_switches: Option<u32>,
    encoding: EncodingWish,
    certify: bool,
    stats: bool,
    show_loops: bool,
}

/// What came of it.
enum Proven {
    /// A verdict about the program.
    Concluded(Box<Conclusion>),
    /// The loops, as the user asked for them.
    Loops(String),
    /// The engine does not follow something.
    Unsupported(String),
    /// There is no verdict.
    Failed(String),
}

/// Proves a program. Returns the exit code.
pub fn run(options: &Prove, console: &Console) -> u8 {
    let wish = Wish {
        unwind: options.unwind,
        loops: options.unwind_loop.clone(),
        memory: options.memory_limit,
        engine: options.engine,
        algorithm: options.algorithm,
        max_switches: options.max_switches,
        encoding: options.encoding,
        certify: options.certify,
        stats: options.stats,
        show_loops: options.show_loops,
    };
    if let Err(why) = wish.fits() {
        return console.fail(&why);
    }
    tell(&wish, &options.check(), console)
}

impl Wish {
    /// Which engine is asked, if it is one alone.
    fn engine(&self) -> Option<Engine> {
        match self.engine {
            ProofWish::Order => Some(Engine::Order),
            ProofWish::Trace => Some(Engine::Trace),
            ProofWish::Auto if self.algorithm.is_some() || self.max_switches.is_some() => Some(Engine::Trace),
            // Only the formula is expressed in another way, and only it has proofs.
            ProofWish::Auto if self.encoding != EncodingWish::Order || self.certify => Some(Engine::Order),
            ProofWish::Auto => None,
        }
    }

    /// Whether everything that was asked for is known to the engine.
    fn fits(&self) -> Result<(), String> {
        let engine = self.engine();
        if engine == Some(Engine::Order) && (self.algorithm.is_some() || self.max_switches.is_some()) {
            return Err("--algorithm and --max-switches are for --engine trace".to_string());
        }
        if engine == Some(Engine::Trace) && (self.certify || self.encoding != EncodingWish::Order) {
            return Err("--encoding and --certify are for --engine order".to_string());
        }
        Ok(())
    }

    fn way(&self) -> Way {
        let algorithm = match self.algorithm.unwrap_or_default() {
            TraceWish::Optimal => Algorithm::Optimal,
            TraceWish::Source => Algorithm::Source,
            TraceWish::Dpor => Algorithm::Dpor,
            TraceWish::Dfs => Algorithm::Dfs,
        };
        Way { algorithm, max_switches: self.max_switches, ..Way::default() }
    }

    /// What gave an answer, in a word or two.
    fn method(&self, answer: &Answer) -> String {
        match answer.engine {
            Engine::Order => name(self.encoding).to_string(),
            Engine::Trace => format!("trace, {}", self.way().algorithm.name()),
        }
    }
}

/// `heddle check --engine symbolic`. Returns the exit code.
pub fn run_check(options: &Check, console: &Console) -> u8 {
    tell(&Wish::default(), options, console)
}

fn tell(wish: &Wish, options: &Check, console: &Console) -> u8 {
    let interrupted = match interrupt::catch() {
        Ok(interrupted) => interrupted,
        Err(error) => return console.fail(&format!("cannot catch signals: {error}")),
    };
    match proven(wish, options, options.timeout, console, &interrupted, false) {
        Proven::Concluded(conclusion) => match deliver(*conclusion, options, console) {
            Ok(report) => report.verdict.exit_code(),
            Err(failure) => console.fail(&failure.to_string()),
        },
        Proven::Loops(list) => {
            console.result(&list);
            Verdict::Safe.exit_code()
        }
        Proven::Unsupported(why) => conclude(Verdict::Unsupported, &why, options, console),
        Proven::Failed(why) => console.fail(&why),
    }
}

/// Tries to prove for all inputs what a check has found for some. Returns what is known then.
pub fn attempt(
    checked: Conclusion,
    options: &Check,
    limit: Duration,
    console: &Console,
    interrupted: &Arc<AtomicBool>,
) -> Conclusion {
    if !has_sources(&options.words) || limit.is_zero() {
        return checked;
    }
    let mut checked = checked;
    let why = match proven(&Wish::default(), options, Some(limit), console, interrupted, true) {
        Proven::Concluded(conclusion) if conclusion.report.verdict == Verdict::Found => return *conclusion,
        Proven::Concluded(mut conclusion) if conclusion.report.verdict == Verdict::Safe => {
            conclusion.report.executions = checked.report.executions;
            conclusion.report.samples = checked.report.samples;
            return *conclusion;
        }
        Proven::Concluded(conclusion) => conclusion.report.reason.unwrap_or_default(),
        Proven::Unsupported(why) | Proven::Failed(why) => why,
        Proven::Loops(_) => String::new(),
    };
    let first = why.lines().next().unwrap_or_default();
    if let Some(reason) = &mut checked.report.reason {
        reason.push_str(&format!(" (a proof for all inputs was tried: {first})"));
    }
    checked
}

fn proven(
    wish: &Wish,
    options: &Check,
    timeout: Option<Duration>,
    console: &Console,
    interrupted: &Arc<AtomicBool>,
    instead: bool,
) -> Proven {
    with_stack(|| {
        let mut panics = Vec::new();
        let proof = Proof { wish, options, timeout, console, interrupted, instead, began: Instant::now() };
        guard("prove", &mut panics, || proof.run()).unwrap_or_else(|| {
            let what = panics.first().map_or("", |panic| &panic.message);
            Proven::Failed(format!("this is a bug in heddle: {what}"))
        })
    })
}

struct Proof<'a> {
    wish: &'a Wish,
    options: &'a Check,
    timeout: Option<Duration>,
    console: &'a Console,
    interrupted: &'a Arc<AtomicBool>,
    /// Whether the verdict stands for that of a check, which looks for misuse too.
    instead: bool,
    began: Instant,
}

impl Proof<'_> {
    fn run(&self) -> Proven {
        let progress = Progress::new(self.console.progress());
        if !self.options.arguments.is_empty() {
            let what =
                "arguments for the program: a proof is about a program without arguments; `heddle check` gives them";
            return Proven::Unsupported(what.to_string());
        }
        progress.say("reading");
        let read = read::read(&self.options.words);
        progress.finish();
        let module = match read {
            Ok(module) => module,
            Err(Unread::Unsupported(why)) => return Proven::Unsupported(why),
            Err(Unread::Failed(why)) => return Proven::Failed(why),
        };
        if self.wish.show_loops {
            return Proven::Loops(loops(&module));
        }
        let question = match self.question(&module) {
            Ok(question) => question,
            Err(why) => return Proven::Failed(why),
        };
        self.ask(&module, &question)
    }

    fn question(&self, module: &Module) -> Result<Question, String> {
        let running = &self.options.running;
        let mut unwind_loops = Vec::new();
        for bound in &self.wish.loops {
            let is = |site: &Site| {
                let name = file(module, *site);
                site.line == bound.line && (name == bound.file || Path::new(&name).ends_with(&bound.file))
            };
            let Some(site) = sites(module).into_iter().map(|(site, _)| site).find(is) else {
                return Err(format!(
                    "--unwind-loop {}:{}: there is no loop; --show-loops lists them",
                    bound.file, bound.line
                ));
            };
            unwind_loops.push((site.file, site.line, bound.iterations));
        }
        // It is set by a signal, until the end of this process.
        let stop: &'static AtomicBool = Box::leak(Box::new(Arc::clone(self.interrupted)));
        Ok(Question {
            unwind_loops,
            undefined: self.options.building.ub,
            leaks: running.leaks,
            races: matches!(running.races, None | Some(RaceWish::Report)),
            exits: matches!(running.exit_status, None | Some(ExitWish::Report)),
            encoding: encoding(self.wish.encoding),
            certify: self.wish.certify,
            deadline: self.timeout.map(|limit| self.began + limit),
            memory: Some(self.wish.memory.or(running.memory_limit).unwrap_or(MEMORY)),
            stop: Some(stop),
            ..Question::default()
        })
    }

    fn ask(&self, module: &Module, question: &Question) -> Proven {
        let progress = Progress::new(self.console.progress());
        let mut confirmer = Confirmer::new(self.options, self.interrupted);
        let mut found: Vec<Conclusion> = Vec::new();
        let mut trouble: Option<String> = None;
        let mut at = Instant::now();
        let way = self.wish.way();
        let turns = Turns { way: way.clone(), complete: self.instead };
        let mut ask = |question: &Question| match self.wish.engine() {
            Some(Engine::Order) => prove::ask(module, question),
            Some(Engine::Trace) => trace::ask(module, question, &way),
            None => portfolio::ask(module, question, &turns),
        };
        let concluded = deepen_by(
            &mut ask,
            question,
            self.wish.unwind,
            self.options.searching.findings.all,
            &mut |conjecture| match confirmer.confirm(conjecture) {
                Ok(Some(conclusion)) => {
                    if self.wish.stats {
                        self.console.note(&format!("confirmed {}", confirmer.how));
                    }
                    found.push(conclusion);
                    true
                }
                Ok(None) => false,
                Err(why) => {
                    trouble.get_or_insert(why);
                    false
                }
            },
            &mut |event| match event {
                Event::Begin(bound) => {
                    progress.say(&format!(
                        "loops up to {}, {:.0?}",
                        counted(bound.into(), "iteration"),
                        self.began.elapsed()
                    ));
                }
                Event::Tried(bound, answer) => {
                    if self.wish.stats {
                        self.console.note(&stats(bound, answer, at.elapsed()));
                    }
                    progress.say(&format!(
                        "loops up to {}, {}, {}, {:.0?}",
                        counted(bound.into(), "iteration"),
                        counted(answer.formulas.into(), "formula"),
                        counted(answer.conflicts, "conflict"),
                        self.began.elapsed()
                    ));
                    at = Instant::now();
                }
            },
        );
        progress.finish();
        let (conclusion, answer) = match concluded {
            Ok(concluded) => concluded,
            Err(refusal) => {
                return Proven::Unsupported(format!(
                    "{} (the symbolic engine does not follow it; `heddle check` does)",
                    said(module, refusal.site, &refusal.what)
                ));
            }
        };
        let (end, cut) = match conclusion {
            prove::Conclusion::Found(_) => return Proven::Concluded(Box::new(self.found(found, &answer))),
            prove::Conclusion::Safe(_) => (End::Safe, Vec::new()),
            prove::Conclusion::Within(bound, cut) => (End::Within(self.wish.unwind.map(|_| bound)), cut),
            prove::Conclusion::Incomplete { iterations, cut, why } => {
                (End::Incomplete(incomplete(module, iterations, &cut, &why)), cut)
            }
            prove::Conclusion::Unconfirmed(conjectures) => {
                let why = self.unconfirmed(module, &conjectures, trouble.as_deref());
                (End::Incomplete(why), Vec::new())
            }
        };
        let mut proved = self.proved(module, question, &answer, end, &cut);
        if self.instead
            && matches!(proved.end, End::Safe | End::Within(_))
            && let Some(what) = answer.misuse
        {
            let why = format!(
                "nothing was found for all inputs, but misuse of primitives was not looked for: there are {what}"
            );
            proved.end = End::Incomplete(why);
        }
        let report = proved.report();
        Proven::Concluded(Box::new(Conclusion { report, traces: Vec::new(), listing: None, warnings: Vec::new() }))
    }

    fn proved(&self, module: &Module, question: &Question, answer: &Answer, end: End, cut: &[Site]) -> Proved {
        let unwound = answer.unwound.iter().map(|(site, iterations)| Unwound {
            at: Location { file: file(module, *site), line: site.line, ..Location::default() },
            iterations: *iterations,
            cut: cut.contains(site),
        });
        Proved {
            end,
            unwound: unwound.collect(),
            races: question.races,
            relaxed: module.relaxed,
            undefined: question.undefined,
            exits: question.exits,
            certified: question.certify && answer.certified > 0,
            modelled: answer.modelled.iter().filter(|name| !prove::is_understood(name)).cloned().collect(),
            method: self.wish.method(answer),
            misuse: answer.misuse.map(str::to_string),
            switches: self.wish.max_switches.filter(|_| answer.bounded),
            timeouts: answer.timeouts,
            executions: answer.executions,
            timeout: self.timeout,
            events: answer.events as u64,
            threads: answer.threads as u32,
            formulas: answer.formulas.into(),
            elapsed: self.began.elapsed(),
        }
    }

    /// Puts together what was confirmed.
    fn found(&self, found: Vec<Conclusion>, answer: &Answer) -> Conclusion {
        let mut all: Option<Conclusion> = None;
        let mut numbers: HashMap<FindingKind, u32> = HashMap::new();
        for mut one in found {
            let known = |known: &Conclusion, of: &heddle_model::Finding| {
                known
                    .report
                    .findings
                    .iter()
                    .any(|f| (f.kind, &f.message, &f.location) == (of.kind, &of.message, &of.location))
            };
            if let (Some(all), Some(first)) = (&all, one.report.findings.first())
                && known(all, first)
            {
                continue;
            }
            for (finding, trace) in one.report.findings.iter_mut().zip(&mut one.traces) {
                let number = numbers.entry(finding.kind).or_insert(0);
                *number += 1;
                finding.id = format!("{}-{number}", finding.kind);
                trace.finding.id.clone_from(&finding.id);
            }
            match &mut all {
                None => all = Some(one),
                Some(all) => {
                    all.report.executions += one.report.executions;
                    all.report.findings.append(&mut one.report.findings);
                    all.traces.append(&mut one.traces);
                    all.warnings.append(&mut one.warnings);
                }
            }
        }
        let mut all = all.unwrap_or_else(|| Conclusion {
            report: RunReport::error("a conjecture was confirmed, and nothing is known of it".to_string()),
            traces: Vec::new(),
            listing: None,
            warnings: Vec::new(),
        });
        if let Some(coverage) = &mut all.report.coverage {
            coverage.engine = Some("symbolic".to_string());
            coverage.checked_by = Some("native".to_string());
            coverage.bounds = heddle_model::verdict::Bounds::default();
        }
        all.report.reason = None;
        all.report.algorithm = Some(self.wish.method(answer));
        all.report.formulas = answer.formulas.into();
        all.report.events = answer.events as u64;
        all.report.seconds = self.began.elapsed().as_secs_f64();
        all
    }

    /// Stores conjectures that the program did not do. Returns the words about them.
    fn unconfirmed(&self, module: &Module, conjectures: &[Conjecture], trouble: Option<&str>) -> String {
        let path = self.options.output.out.join("conjecture-1.json");
        let list: Vec<_> = conjectures.iter().map(|conjecture| document(module, conjecture)).collect();
        let text = serde_json::to_vec_pretty(&list).unwrap_or_default();
        let stored = match store::write_file(&path, &text) {
            Ok(()) => format!("; stored in {}", path.display()),
            Err(why) => format!("; {why}"),
        };
        let Some(first) = conjectures.first() else { return "a counterexample was lost".to_string() };
        let inputs: Vec<String> = first
            .inputs
            .iter()
            .take(16)
            .map(|given| format!("{} = {}", place(module, given.site), given.shown()))
            .collect();
        let inputs = if inputs.is_empty() { "no inputs".to_string() } else { format!("inputs {}", inputs.join(", ")) };
        let not_so = match trouble {
            Some(why) => format!("could not be run natively ({why})"),
            None => "does not happen natively".to_string(),
        };
        format!(
            "the symbolic engine has an execution that {not_so}, at {}: {}; {inputs}{stored}",
            place(module, first.site),
            first.message
        )
    }
}

fn encoding(wish: EncodingWish) -> Encoding {
    match wish {
        EncodingWish::Order => Encoding::Order,
        EncodingWish::Schedule => Encoding::Schedule,
        EncodingWish::Uw => Encoding::Uw,
        EncodingWish::UwOrder => Encoding::UwOrder,
    }
}

fn name(wish: EncodingWish) -> &'static str {
    match wish {
        EncodingWish::Order => "order",
        EncodingWish::Schedule => "schedule",
        EncodingWish::Uw => "uw",
        EncodingWish::UwOrder => "uw-order",
    }
}

/// The loops of a program, each with its function.
fn sites(module: &Module) -> Vec<(Site, &str)> {
    let of = |function: &'_ heddle_symbolic::ir::Function| function.loops.iter().map(|l| l.site).collect::<Vec<_>>();
    let mut all: Vec<(Site, &str)> =
        module.functions.iter().flat_map(|f| of(f).into_iter().map(|site| (site, f.name.as_str()))).collect();
    all.sort();
    all
}

fn loops(module: &Module) -> String {
    let lines = sites(module).into_iter().map(|(site, function)| format!("{} in {function}\n", place(module, site)));
    let list: String = lines.collect();
    if list.is_empty() { "no loops\n".to_string() } else { list }
}

fn stats(bound: u32, answer: &Answer, time: Duration) -> String {
    format!(
        "{}: {}, {}, {}, {}, {}, {}, {}, {}, {:.2} s",
        counted(bound.into(), "iteration"),
        counted(answer.threads as u64, "thread"),
        counted(answer.events as u64, "event"),
        counted(answer.rounds.into(), "round"),
        counted(answer.formulas.into(), "formula"),
        counted(answer.queries.into(), "question"),
        counted(answer.conflicts, "conflict"),
        counted(answer.executions, "execution"),
        counted(answer.iterations, "widening"),
        time.as_secs_f64()
    )
}

fn incomplete(module: &Module, iterations: Option<u32>, cut: &[Site], why: &str) -> String {
    let Some(iterations) = iterations else { return why.to_owned() };
    let cut: Vec<String> = cut.iter().map(|site| place(module, *site)).collect();
    format!(
        "nothing found for all inputs and all orders with at most {} of each loop; cut: {}; {why}",
        counted(iterations.into(), "iteration"),
        cut.join(", ")
    )
}

/// A conjecture as a document.
fn document(module: &Module, conjecture: &Conjecture) -> serde_json::Value {
    let inputs = conjecture.inputs.iter().map(|given| {
        serde_json::json!({
            "thread": given.input.thread, "index": given.input.index, "value": given.shown(),
            "function": given.function, "at": place(module, given.site),
        })
    });
    let order = conjecture
        .order
        .iter()
        .map(|step| serde_json::json!({ "thread": step.thread, "at": place(module, step.site) }));
    serde_json::json!({
        "message": conjecture.message, "at": place(module, conjecture.site),
        "inputs": inputs.collect::<Vec<_>>(), "order": order.collect::<Vec<_>>(),
    })
}
