//! The states of scripted programs, exactly: a structure that is compared, beside its fingerprint.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use heddle_model::{Digest, Fingerprint, Phase, ThreadId, World};

use crate::interpret::Position;
use crate::outside::Process;
use crate::program::Program;
use crate::variables::Variables;

/// What a thread knows at an operation: the instruction that it stands at, its registers, and what it has begun.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LocalState(pub(crate) Position);

/// The state of a scripted program at a decision. Equal states have equal futures.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The content of the variables.
    variables: Vec<u64>,
    /// What each thread knows. Threads that have ended, or do not exist yet, know nothing.
    threads: Vec<Position>,
    /// The state of threads and objects in the model.
    world: Vec<u64>,
    /// State of the process.
    process: Process,
}

/// Adds what is told apart by its hash to a digest. Different values with equal hashes would be noticed: see [`Exact`].
pub(crate) fn add_hash(digest: &mut Digest, value: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    digest.add(hasher.finish());
}

impl State {
    /// The state of a program with this world and these positions.
    pub(crate) fn of(world: &World, variables: &Variables, positions: &[Position], process: &Process) -> State {
        let alive = |id: usize| id < world.extent() && world.thread(ThreadId(id as u16)).phase == Phase::Alive;
        let threads = positions.iter().enumerate();
        State {
            variables: variables.cells.iter().map(std::cell::Cell::get).collect(),
            threads: threads.map(|(id, position)| if alive(id) { *position } else { Position::default() }).collect(),
            world: world.canonical(),
            process: process.clone(),
        }
    }

    /// The fingerprint of this state. Its part about the model is computed as the runtime computes it, without the
    /// words that [`State`] compares.
    pub(crate) fn fingerprint(&self, world: &World) -> Fingerprint {
        let mut digest = Digest::default();
        self.variables.iter().for_each(|&word| digest.add(word));
        for position in &self.threads {
            position.words(&mut digest);
        }
        add_hash(&mut digest, &self.process);
        let world = world.fingerprint().0;
        digest.add(world as u64);
        digest.add((world >> 64) as u64);
        digest.finish()
    }

    /// This state without the registers of threads that have come to the end of their instructions: their function has returned. A native
    /// program does not have them any more.
    pub fn without_returned(&self, program: &Program) -> State {
        let mut state = self.clone();
        for (position, code) in state.threads.iter_mut().zip(&program.threads) {
            if position.next >= code.len() {
                position.registers = Default::default();
            }
        }
        state
    }

    /// What each thread knows that has a next operation, in order of their ids. The ids of others are left out.
    pub fn locals(&self) -> impl Iterator<Item = (ThreadId, LocalState)> {
        let known = self.threads.iter().enumerate();
        known.map(|(id, position)| (ThreadId(id as u16), LocalState(*position)))
    }
}

/// All states that were met, by their fingerprints. It fails if two different states have one fingerprint, or one state
/// two: then every search over states is worthless.
#[derive(Debug, Default)]
pub struct Exact(HashMap<Fingerprint, State>);

impl Exact {
    /// Holds `fingerprint` against the state that it stands for.
    pub(crate) fn hold(&mut self, fingerprint: Fingerprint, state: &State) {
        match self.0.get(&fingerprint) {
            Some(known) => assert_eq!(known, state, "two states have the fingerprint {fingerprint}"),
            None => {
                self.0.insert(fingerprint, state.clone());
            }
        }
    }

    /// The state with this fingerprint, if it was met.
    pub fn get(&self, fingerprint: Fingerprint) -> Option<&State> {
        self.0.get(&fingerprint)
    }

    /// All states that were met, in no particular order.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.0.values()
    }

    /// How many states were met.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no state was met.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
