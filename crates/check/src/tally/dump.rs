//! `--dump-executions`: one line for each execution, and how often each outcome occurred.
//!
//! Executions are kept as events while the search runs, and become text at its end, when names can be looked up. The list is meant
//! for small programs: of a large search only the first executions are kept, and the rest is counted.

use std::collections::BTreeMap;

use heddle_model::{Execution, ObjectId};
use heddle_report::{Recording, outcome, recording, text};

use crate::engine::Names;

/// The most executions that are kept.
const KEPT: usize = 10_000;

/// The executions of a search, to be listed at its end.
#[derive(Default)]
pub struct Dump {
    kept: Vec<(u64, Recording)>,
    more: u64,
}

impl Dump {
    /// Keeps an execution.
    pub fn add(&mut self, number: u64, execution: &Execution<'_>) {
        match self.kept.len() < KEPT {
            true => self.kept.push((number, Recording::new(execution))),
            false => self.more += 1,
        }
    }

    /// Formats all executions, one in a line.
    pub fn tell(mut self, symbols: &dyn Names) -> String {
        let mut told = String::new();
        let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
        for (number, recording) in &mut self.kept {
            recording.objects = names(recording, symbols);
            let end = outcome::in_words(recording);
            told.push_str(&format!("{number:>5}  {}  => {end}\n", text::compact(recording)));
            *outcomes.entry(end).or_default() += 1;
        }
        if self.more > 0 {
            told.push_str(&format!("and {} that were not kept\n", text::counted(self.more, "execution")));
        }
        let mut outcomes: Vec<(String, u64)> = outcomes.into_iter().collect();
        outcomes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        told.push_str("outcomes:\n");
        for (end, count) in outcomes {
            told.push_str(&format!("{count:>5}  {end}\n"));
        }
        told.push('\n');
        told
    }
}

fn names(recording: &Recording, symbols: &dyn Names) -> std::collections::HashMap<ObjectId, String> {
    let mut names = std::collections::HashMap::new();
    for object in recording::objects(recording) {
        if let Some(name) = symbols.object(object) {
            names.insert(object, name);
        }
    }
    names
}
