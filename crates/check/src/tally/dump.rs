//! `--dump-executions`: every execution that was run, in one line each, and how often each outcome came.
//!
//! Executions are kept as events while the search runs, and told at its end, when names can be looked up. It is for
//! small programs and for people: of a large search only the first executions are kept, the rest is counted.

use std::collections::BTreeMap;

use heddle_model::{Execution, ObjectId};
use heddle_report::{Recording, outcome, recording, text};

use crate::engine::Names;

/// So many executions are kept.
const KEPT: usize = 10_000;

/// Executions that were run, to be told.
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

    /// All of them in words.
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
