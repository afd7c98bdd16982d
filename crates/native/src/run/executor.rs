//! The native [`Executor`]: runs plans in processes of one program.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use heddle_model::facts::Needs;
use heddle_model::finding::Location;
use heddle_model::wire::{Restart, ThreadName};
use heddle_model::{Execution, Executor, ExecutorError, Facts, Fingerprint, Overlooked, Plan, libraries};

use tracing::{debug, trace};

use super::crew::Crew;
use super::options::Options;
use super::process;
use super::session::StartError;
use super::setup::Setup;
use super::wire::Taken;
use super::worker::Worker;
use crate::binary::program::Program;
use crate::binary::symbols::Mappings;
use crate::binary::{assembly, overlooked, sources, uninstrumented, untold};
use crate::build::library;

/// Runs plans in processes of one program.
///
/// The processes die with the thread of Heddle that started them, so that none is left behind whatever happens to
/// Heddle. An executor is used on the thread that made it.
pub struct NativeExecutor {
    setup: Setup,
    crew: Crew,
    /// What workers that are gone and earlier executors of the same program have learnt.
    learnt: Facts,
    /// What was read off the files that the program consists of. Each file is read once.
    examined: BTreeMap<PathBuf, Examined>,
}

/// What matters of a file that is mapped into the program.
#[derive(Default)]
struct Examined {
    /// The file's name, if it is a library that was not instrumented.
    unseen: Option<String>,
    assembly: Vec<Location>,
    overlooked: BTreeSet<Overlooked>,
    /// Whether it is such a library and keeps something between calls, or orders threads. Looked for when it matters.
    keeps: Option<bool>,
    calls: untold::Calls,
}

impl NativeExecutor {
    /// Starts the program and brings it to the beginning of `main`.
    pub fn launch(program: &Program, options: Options) -> Result<NativeExecutor, StartError> {
        let setup = Setup::new(program, options)?;
        let crew = Crew::new(Worker::first(&setup)?);
        let labels = program.annotations.labels.iter().cloned().collect();
        let unseen = program.unseen.iter().cloned().collect();
        let mut learnt = Facts { instrumentation: program.instrumentation, labels, unseen, ..Facts::default() };
        learnt.outside.threads = program.unseen.iter().any(|name| uninstrumented::creates_threads(name));
        learnt.outside.calls = program.unseen.iter().any(|name| uninstrumented::orders_threads(name));
        Ok(NativeExecutor { setup, crew, learnt, examined: BTreeMap::new() })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.setup.program
    }

    /// How the program is run.
    pub fn options(&self) -> &Options {
        &self.setup.options
    }

    /// The table of dead stack bytes of the program.
    pub(crate) fn frames(&self) -> &[u8] {
        self.setup.frames()
    }

    /// The path of the runtime library that is loaded into the program.
    pub(crate) fn runtime_path(&self) -> PathBuf {
        self.setup.runtime()
    }

    /// What executions were found to need.
    pub(crate) fn needs(&self) -> Needs {
        self.crew.first().needs()
    }

    /// The result that was last received.
    pub(crate) fn taken(&self) -> &Taken {
        self.crew.last().taken()
    }

    /// How executions start over now.
    pub fn restart(&self) -> Restart {
        self.crew.facts().restart
    }

    /// Where the program and its libraries lie in memory.
    pub fn mappings(&self) -> &Mappings {
        self.crew.first().mappings()
    }

    /// Whose n-th child each thread is, as far as threads have been seen.
    pub fn thread_names(&self) -> &[ThreadName] {
        self.crew.threads()
    }

    /// The process that runs executions now, if there is one. With several, the first.
    pub fn process_id(&self) -> Option<u32> {
        self.crew.first().process_id()
    }

    /// A return address in the code that ran when the last execution ended, for outcomes that are no event; 0 if it is
    /// not known.
    pub fn last_pc(&self) -> u64 {
        self.taken().result.pc
    }

    /// The granules of plain memory that are visible now.
    pub fn places(&self) -> &[u64] {
        self.crew.first().places()
    }

    /// Whether addresses are the same in all processes. Some containers forbid that.
    pub fn addresses_are_fixed() -> bool {
        process::can_fix_addresses()
    }

    /// Finishes the plans under way and drops their results.
    pub fn discard(&mut self) -> Result<(), ExecutorError> {
        while self.crew.is_at_work() {
            self.receive()?;
        }
        Ok(())
    }

    /// Ends all processes but one, and keeps what they have learnt. From now on there is one process.
    ///
    /// # Errors
    ///
    /// When plans are under way that cannot be finished.
    pub fn dismiss_helpers(&mut self) -> Result<(), ExecutorError> {
        self.discard()?;
        let facts = self.crew.dismiss();
        self.crew.adopt(&self.setup, &facts);
        self.learnt.merge(&facts);
        Ok(())
    }

    /// The program and its libraries, including those that it has loaded itself.
    fn files(&self, facts: &Facts) -> Vec<PathBuf> {
        let mapped = self.mappings().files();
        let mut files: Vec<PathBuf> = mapped.into_iter().map(|mapping| mapping.path.clone()).collect();
        for path in &facts.libraries {
            // The runtime reports libraries by the names that they are loaded by, which may be links.
            let is_same = |known: &PathBuf| known == path || known.canonicalize().ok() == path.canonicalize().ok();
            if !files.iter().any(is_same) {
                files.push(path.clone());
            }
        }
        files
    }
}

fn examine(path: &Path, program: &Program) -> Examined {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_library = name.ends_with(".so") || name.contains(".so.");
    let is_own = name == library::NAME;
    let is_instrumented = !is_own && uninstrumented::is_instrumented(path);
    // That these are not instrumented is not worth a note.
    let is_system = libraries::is_of_system(name.as_bytes());
    let is_program = path == program.path;
    let whole = !is_program || program.unseen.is_empty();
    let unseen = (is_library && !is_system && !is_instrumented).then_some(name);
    if !is_program && !is_instrumented {
        return Examined { unseen, ..Examined::default() };
    }
    let sources = sources::of(path);
    let (assembly, overlooked) = (assembly::lines(path, whole, &sources), overlooked::find(path, &sources));
    Examined { unseen, assembly, overlooked, keeps: None, calls: untold::calls(path) }
}

impl Executor for NativeExecutor {
    fn facts(&mut self) -> Facts {
        let mut facts = self.learnt.clone();
        facts.merge(&self.crew.facts());
        for path in self.files(&facts) {
            let examined = self.examined.entry(path).or_insert_with_key(|path| examine(path, &self.setup.program));
            facts.unseen.extend(examined.unseen.clone());
            facts.assembly.extend(examined.assembly.iter().cloned());
            facts.overlooked.extend(examined.overlooked.iter().cloned());
            facts.untold.extend(examined.calls.untold.iter().cloned());
        }
        // Who comes first shows only in libraries that keep something.
        if facts.outside.calls && !self.learnt.outside.calls {
            facts.outside.calls = self.files(&facts).iter().any(|path| {
                let examined = self.examined.get_mut(path);
                examined.is_some_and(|examined| {
                    *examined
                        .keeps
                        .get_or_insert_with(|| examined.unseen.is_some() && uninstrumented::keeps_state(path))
                })
            });
        }
        // What another instrumented file defines tells for itself.
        let defined = |name: &String| self.examined.values().any(|file| file.calls.defined.contains(name));
        facts.untold.retain(|name| !defined(name));
        facts
    }

    fn learn(&mut self, facts: &Facts) -> Result<(), ExecutorError> {
        let most = self.options().layout.threads as usize;
        let created_in_order = |(index, name): (usize, &ThreadName)| name.parent.index() < index.max(1);
        if facts.threads.len() > most || !facts.threads.iter().enumerate().all(created_in_order) {
            return Err(ExecutorError::CannotRun("what is known of the program's threads makes no sense".to_owned()));
        }
        self.crew.adopt(&self.setup, facts);
        // How executions start over is this executor's own affair. The crew has adopted what it could use of it.
        let Facts { restart, fallback, .. } = self.crew.facts();
        self.learnt.merge(&Facts { restart, fallback, ..facts.clone() });
        Ok(())
    }

    fn depth(&self) -> usize {
        self.crew.depth(self.options())
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.crew.submit(&self.setup, plan)
    }

    fn wait_until(&mut self, deadline: Option<Instant>) {
        self.setup.options.deadline = deadline;
    }

    fn abandon(&mut self) {
        self.crew.abandon();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        debug!(places = places.len(), "accesses to plain memory become visible");
        self.learnt.places.extend(places);
        self.crew.reveal(places)
    }

    fn remember(&mut self, states: &[Fingerprint]) {
        self.crew.remember(states);
    }

    fn forget_states(&mut self) {
        self.crew.forget_states();
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        if !self.crew.is_at_work() {
            return Err(io::Error::other("no plan is under way").into());
        }
        let outcome = self.crew.receive(&self.setup)?;
        trace!(?outcome, events = self.taken().events.len(), "execution");
        Ok(self.crew.last().execution(outcome))
    }
}
