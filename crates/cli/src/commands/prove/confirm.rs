//! Runs the program with what a proof has found: only what it does then is a finding.
//!
//! At first in the order of the conjecture, if that fits the program. Otherwise the inputs alone are given, and an ordinary search looks for
//! an order of its own, first with as many preemptions as the conjecture has.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_checking::fit::{Wanted, fit};
use heddle_checking::prepare::{self, Prepared};
use heddle_checking::{Conclusion, Failure, Observer};
use heddle_model::follow::Step;
use heddle_model::wire::ThreadName;
use heddle_model::{Executor, Facts, MOST_INPUTS, Settings, ThreadId, Verdict};
use heddle_native::{Built, NativeExecutor, Toolchain};
use heddle_search::Algorithm;
use heddle_symbolic::machine::Kind;
use heddle_symbolic::prove::{Conjecture, Wrong};

use crate::arguments::Check;
use crate::commands::check::UNDEFINED;

/// How long an order is fitted, and how long each search for another one takes.
const EACH: Duration = Duration::from_secs(10);

/// Runs conjectures.
pub struct Confirmer<'a> {
    options: &'a Check,
    interrupted: Arc<AtomicBool>,
    /// The program, or why it cannot be built: as it is, and with the compiler's checks of undefined behaviour.
    prepared: [Option<Result<Prepared<Built>, String>>; 2],
    /// Which of them is run.
    checked: usize,
    /// How the last conjecture was confirmed, for --stats.
    pub how: &'static str,
}

/// Nobody looks at the progress of a confirmation.
struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &heddle_search::Progress, _: usize) {}

    fn searched(&mut self) {}
}

impl<'a> Confirmer<'a> {
    /// One for the program of these options, which is compiled when it is needed.
    pub fn new(options: &'a Check, interrupted: &Arc<AtomicBool>) -> Confirmer<'a> {
        Confirmer { options, interrupted: Arc::clone(interrupted), prepared: [None, None], checked: 0, how: "" }
    }

    /// Runs the program with a conjecture. Returns what was found, if anything was.
    ///
    /// # Errors
    ///
    /// Why it cannot be run.
    pub fn confirm(&mut self, conjecture: &Conjecture) -> Result<Option<Conclusion>, String> {
        if conjecture.inputs.len() > MOST_INPUTS {
            return Err(format!(
                "it takes {} inputs, more than the {MOST_INPUTS} that can be given",
                conjecture.inputs.len()
            ));
        }
        // What the compiler has to look for: nothing else notices it.
        let needs_checks = |kind| matches!(kind, Kind::Bounds | Kind::Overflow | Kind::Shift);
        let checked =
            matches!(conjecture.wrong, Wrong::Condition(kind, _) if needs_checks(kind)) || self.options.building.ub;
        self.checked = usize::from(checked);
        self.prepare();
        let until = Instant::now() + EACH;
        let mut engine = self.launch(conjecture)?;
        let wanted: Vec<Wanted> = conjecture
            .order
            .iter()
            .map(|step| Wanted { thread: step.thread, families: step.families, line: step.site.line })
            .collect();
        let fitted = fit(&mut engine, &wanted, conjecture.last, until).map_err(|error| error.to_string())?;
        let places = engine.places().to_vec();
        drop(engine);
        if let Some(schedule) = fitted
            && let Some(found) = self.check(conjecture, Some((schedule, places)), Algorithm::Optimal, None)?
        {
            self.how = "in the order of the proof";
            return Ok(Some(found));
        }
        self.how = "with its inputs, in another order";
        let preemptions = u32::try_from(conjecture.switches()).unwrap_or(u32::MAX).min(3);
        let tries = [(Algorithm::Optimal, Some(preemptions)), (Algorithm::Portfolio, None)];
        for (algorithm, bound) in tries {
            if let Some(found) = self.check(conjecture, None, algorithm, bound)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn prepare(&mut self) {
        if self.prepared[self.checked].is_some() {
            return;
        }
        let toolchain = Toolchain::new(self.options.building.cc.clone(), &self.interrupted);
        let mut words = self.options.words.clone();
        if self.checked == 1 {
            words.extend(UNDEFINED.map(str::to_owned));
        }
        let prepared = prepare::prepare(&toolchain, &words, &self.options.arguments, None);
        self.prepared[self.checked] =
            Some(prepared.map_err(|failure| format!("the program cannot be built to be run: {failure}")));
    }

    fn program(&self) -> Result<&Prepared<Built>, String> {
        match &self.prepared[self.checked] {
            Some(Ok(prepared)) => Ok(prepared),
            Some(Err(why)) => Err(why.clone()),
            None => Err("the program was not built".to_string()),
        }
    }

    fn launch(&self, conjecture: &Conjecture) -> Result<NativeExecutor, String> {
        let prepared = self.program()?;
        let options = heddle_native::Options {
            settings: self.options.running.over(Settings::default(), self.options.searching.findings.all, false),
            inputs: conjecture.inputs(),
            arguments: self.options.arguments.iter().map(Into::into).collect(),
            threads: (conjecture.threads.len() as u32 + 1).max(heddle_native::Options::default().threads),
            interrupted: Arc::clone(&self.interrupted),
            ..heddle_native::Options::default()
        };
        let mut engine =
            NativeExecutor::launch(&prepared.program.program, options).map_err(|error| error.to_string())?;
        // If `main` creates all threads, their numbers are as here anyway.
        let names: Vec<ThreadName> = conjecture.threads.clone();
        if names.iter().any(|name| name.parent != ThreadId::MAIN) {
            let facts = Facts { threads: names, ..Facts::default() };
            engine.learn(&facts).map_err(|error| error.to_string())?;
        }
        Ok(engine)
    }

    /// An ordinary check with the inputs of the conjecture.
    fn check(
        &self,
        conjecture: &Conjecture,
        fitted: Option<(Vec<Step>, Vec<u64>)>,
        algorithm: Algorithm,
        preemptions: Option<u32>,
    ) -> Result<Option<Conclusion>, String> {
        let (prefix, places) = fitted.map_or((None, Vec::new()), |(steps, places)| (Some(steps), places));
        let options = heddle_checking::Options {
            search: heddle_search::Options {
                algorithm,
                max_preemptions: preemptions,
                timeout: Some(EACH),
                ..heddle_search::Options::default()
            },
            prefix,
            places,
            minimise: self.options.searching.findings.minimise,
            interrupted: Arc::clone(&self.interrupted),
            ..heddle_checking::Options::default()
        };
        let mut engine = self.launch(conjecture)?;
        let concluded =
            heddle_checking::Check::new(options, &mut Silent).run(&mut engine, &self.program()?.description);
        match concluded {
            Ok(conclusion) if conclusion.report.verdict == Verdict::Found => Ok(Some(conclusion)),
            // What happens only sometimes is not confirmed.
            Ok(_) | Err(Failure::Unrepeatable(_)) => Ok(None),
            Err(failure) => Err(failure.to_string()),
        }
    }
}
