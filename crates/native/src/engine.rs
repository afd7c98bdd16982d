//! Native processes as the engine of a check.

use heddle_checking::{Engine, Local, Names, Part, Recorded};
use heddle_model::trace::Scalar;
use heddle_model::{ExecutorError, Input, Location, ObjectId, Plan, Restart, Settings, ThreadId};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::binary::symbols::{Mapping, Place, Symbols};
use crate::build::library;
use crate::run::NativeExecutor;

impl Engine for NativeExecutor {
    fn settings(&self) -> Settings {
        self.options().settings
    }

    fn inputs(&self) -> Vec<Input> {
        self.options().inputs.clone()
    }

    fn restart(&self) -> Restart {
        NativeExecutor::restart(self)
    }

    fn places(&self) -> Vec<u64> {
        NativeExecutor::places(self).to_vec()
    }

    fn replay(&mut self, plan: &Plan) -> Result<Recorded, ExecutorError> {
        self.record_plan(plan)
    }

    fn names(&self) -> Box<dyn Names> {
        Box::new(Symbols::new(self.mappings()))
    }

    fn identity(&self) -> Result<Vec<(&'static str, String)>, ExecutorError> {
        let program = self.program();
        let unreadable =
            |error: std::io::Error| ExecutorError::CannotRun(format!("{}: {error}", program.path.display()));
        let contents = program.contents().map_err(unreadable)?;
        let input = self.options().input.as_ref().and_then(|path| std::fs::read(path).ok());
        let arguments: Vec<_> = self.options().arguments.iter().map(|word| word.to_string_lossy()).collect();
        let place = |file: &&Mapping| {
            let own = file.path.parent() == program.path.parent();
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // What Heddle has made itself lies in a directory that has another name each time.
            let name = if own || name == library::NAME { name } else { file.path.display().to_string() };
            format!("{:x} {name}", file.start)
        };
        let places: Vec<String> = self.mappings().files().iter().map(place).collect();
        Ok(vec![
            ("heddle's runtime", format!("{:016x}", xxh3_64(library::BYTES))),
            ("the program", format!("{:032x}", xxh3_128(&contents))),
            ("the program's arguments", format!("{arguments:?}")),
            ("--stdin", input.map_or_else(String::new, |bytes| format!("{:032x}", xxh3_128(&bytes)))),
            ("the places of its libraries", places.join(", ")),
        ])
    }

    fn discard(&mut self) -> Result<(), ExecutorError> {
        NativeExecutor::discard(self)
    }

    fn settle(&mut self) -> Result<(), ExecutorError> {
        self.dismiss_helpers()
    }

    fn is_repeatable(&self) -> bool {
        NativeExecutor::addresses_are_fixed()
    }
}

impl Names for Symbols {
    fn frames(&self, address: u64) -> Vec<Location> {
        Symbols::frames(self, address)
    }

    fn location(&self, addresses: &[u64]) -> Option<Location> {
        Symbols::location(self, addresses)
    }

    fn object(&self, object: ObjectId) -> Option<String> {
        Symbols::object(self, object)
    }

    fn local(&self, address: u64, code: u64, end: u64) -> Option<Local> {
        let local = Symbols::local(self, address, code, end)?;
        Some(Local { function: local.function, name: local.name, scalar: local.scalar })
    }

    fn scalar(&self, object: ObjectId) -> Option<Scalar> {
        Symbols::scalar(self, object)
    }

    fn part(&self, site: &[u64], size: u64, offset: u64) -> Option<Part> {
        let part = Symbols::part(self, site, size, offset)?;
        Some(Part { kind: part.kind, path: part.path, scalar: part.scalar })
    }

    fn stack_owner(&self, address: u64) -> Option<ThreadId> {
        match self.place(address) {
            Place::Stack(thread) => Some(thread),
            Place::Heap(_) | Place::Variable(_) | Place::Unknown => None,
        }
    }
}
