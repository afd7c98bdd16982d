//! From the start of a program to the end of its threads: the rounds.

use super::run::State;
use super::{Kind, Machine, Refusal};
use crate::ir::FuncId;
use crate::memory::{Contents, Memory, Pointer, Rest, Value};
use crate::term::Terms;

/// More rounds than this are not tried: every round makes bytes contested or adds pointers, so the program is an odd one.
const ROUNDS: u32 = 200;

/// How many instructions a thread may have in a round that is not the last.
const FIRST: u64 = 20_000;

impl Machine<'_> {
    /// Executes the program: constructors, `main` and all threads. Returns how many rounds it took.
    ///
    /// # Errors
    ///
    /// What is not followed, and where.
    pub fn execute(&mut self) -> Result<u32, Refusal> {
        // A thread that waits for a variable which is not known to be contested yet would wait for ever: rounds are short at first.
        let steps = self.options.steps;
        self.options.steps = if self.options.sequential { steps } else { steps.min(FIRST) };
        for round in 1..=ROUNDS {
            self.begin_round();
            let ended = self.round();
            if ended.is_err() || self.options.sequential || !self.end_round() {
                if ended.is_err() || self.options.steps == steps || !self.exhausted {
                    self.options.steps = steps;
                    return ended.map(|()| round);
                }
                self.options.steps = steps;
            }
        }
        self.options.steps = steps;
        self.refuse("memory that threads share in ways that are not understood")
    }

    fn round(&mut self) -> Result<(), Refusal> {
        let module = self.module;
        let Some(main) = module.function("main").filter(|f| !module.functions[*f as usize].blocks.is_empty()) else {
            return self.refuse("a program without main");
        };
        self.refuse_what_is_aside()?;
        let mut state = State { guard: Terms::TRUE, memory: Memory::default() };
        for constructor in &module.constructors {
            self.call(*constructor, Vec::new(), &mut state)?;
        }
        let args = self.main_arguments(&mut state, main);
        let result = self.call(main, args, &mut state)?;
        if let Some(Value::Term(code)) = result {
            self.exit(&mut state, code);
        }
        self.threads[0].ends = Some(state.guard);
        if self.options.leaks && !self.options.sequential && self.threads.len() > 1 {
            return self.refuse("leaks of a program with several threads");
        }
        if self.options.leaks {
            self.leaks(&mut state);
        }
        Ok(())
    }

    /// Refuses a program that is more than its functions.
    pub(crate) fn refuse_what_is_aside(&self) -> Result<(), Refusal> {
        match &self.module.aside {
            Some(what) => self.refuse(what.clone()),
            None => Ok(()),
        }
    }

    /// The arguments of `main`: one string.
    pub(crate) fn main_arguments(&mut self, state: &mut State, main: FuncId) -> Vec<Value> {
        let module = self.module;
        let mut args = Vec::new();
        if module.functions[main as usize].params >= 2 {
            args.push(Value::Term(self.terms.constant(32, 1)));
            let size = self.terms.constant(64, 16);
            let list = self.library_object(state, size);
            let size = self.terms.constant(64, 8);
            let name = self.library_object(state, size);
            let mut contents = Contents::new(Rest::Zero);
            let letter = self.terms.constant(8, u128::from(b'p'));
            contents.write(&mut self.terms, 0, 1, Value::Term(letter));
            state.memory.set(name, contents);
            let zero = self.terms.constant(64, 0);
            let mut contents = Contents::new(Rest::Zero);
            contents.write(&mut self.terms, 0, 8, Value::Pointer(Pointer::new(name, zero)));
            state.memory.set(list, contents);
            args.push(Value::Pointer(Pointer::new(list, zero)));
            while args.len() < module.functions[main as usize].params as usize {
                args.push(Value::Pointer(Pointer::null(&mut self.terms)));
            }
        }
        args
    }

    /// Blocks that are alive at the end, though nobody can reach them. Only told of programs with one thread.
    pub(crate) fn leaks(&mut self, state: &mut State) {
        let reached = self.reachable(state);
        let lost: Vec<_> =
            state.memory.ids().filter(|id| self.objects[*id].is_heap() && !reached.contains(id)).collect();
        for id in lost {
            let key = &self.objects[id].key;
            if matches!(key, crate::memory::Key::Library(..)) {
                continue;
            }
            let alive = state.memory.get(id).map_or(Terms::FALSE, |contents| contents.alive);
            let freed = self.terms.not(alive);
            let outer = self.site;
            self.site = self.objects[id].site;
            let guard = state.guard;
            self.check(state, Kind::Leak, freed, "a block is never freed");
            state.guard = guard;
            self.site = outer;
        }
    }

    fn reachable(&mut self, state: &State) -> std::collections::BTreeSet<crate::memory::ObjId> {
        use crate::memory::Key;
        let mut reached = std::collections::BTreeSet::new();
        let mut stack: Vec<_> = state
            .memory
            .ids()
            .filter(|id| matches!(self.objects[*id].key, Key::Global(_) | Key::ThreadLocal(..)))
            .collect();
        while let Some(id) = stack.pop() {
            if !reached.insert(id) {
                continue;
            }
            let Some(contents) = state.memory.get(id) else { continue };
            let values: Vec<Value> = contents.cells().map(|(_, _, value)| value.clone()).collect();
            for value in values {
                if let Ok(pointer) = self.value_pointer(&value) {
                    stack.extend(pointer.alternatives().iter().filter_map(|alternative| alternative.base));
                }
            }
        }
        reached
    }
}
