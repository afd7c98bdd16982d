//! The end-to-end tests: one binary, a module for each subject. `cargo test --release -p heddle --test main small::` runs one of
//! them.

mod common;

mod annotations; // `heddle.h`.
mod architecture; // The arrows between crates.
mod bad_input; // What people get wrong, and what happens to Heddle.
mod boundary; // Programs that try to get out, and what others have planted.
mod bounds; // Bounds that stop threads, and panics of our own.
mod browser; // The HTML page in a browser.
mod bugs; // The bug patterns of `benches/bugs`.
mod cache; // Programs that were compiled before.
mod checkpoint; // `--checkpoint` and `--resume`.
mod compiler; // `heddle cc` and `heddle c++`.
mod counts; // Programs whose number of executions is known.
mod crowded_races; // Data races of many threads in a few bytes.
mod default_states; // The default turns to states by itself.
mod examples; // `examples/`.
mod failing_tests; // Exit statuses.
mod files; // Files and standard input.
mod foreign_bytes; // Damaged traces, checkpoints and programs.
mod formats; // SARIF, JUnit, witnesses, graphs.
mod gdb; // `heddle replay --gdb`.
mod golden; // Reports, word for word.
mod interface; // Flags, text, JSON, exit codes.
mod jobs; // `--jobs`.
mod libcpp; // LLVM's C++ library.
mod library_waits; // What C++ libraries wait with.
mod limitations; // Each line of `docs/limitations.md`.
mod liveness; // Programs that go on for ever.
mod log; // `HEDDLE_LOG`.
mod machine; // The same on every machine.
mod openmp; // Parallel regions of OpenMP.
mod outcomes; // Programs with all the outcomes that they can have.
mod packages; // `./x install` and `./x package`.
mod papers; // The programs of the papers about states.
mod pool; // A thread pool with mistakes to choose from.
mod programs; // `tests/programs`.
mod prove; // `heddle prove` and `check --engine`.
mod random_outside; // Random programs with exits, signals, state of the process, clocks and mappings that go.
mod random_programs; // Random programs, native against scripted.
mod random_proofs; // Random programs with inputs, by native search and by proof.
mod random_races; // Random programs with data races, against brute force.
mod random_sections; // Critical sections as steps, and data races by lock discipline, of random programs against brute force.
mod random_states; // States of random programs, native against scripted.
mod random_waits; // Random programs with loops that wait, by every algorithm.
mod real; // Programs with the structure of real ones.
mod restart; // Snapshot, fork, exec.
mod resumed; // What a resumed check reports, by algorithm and place of the cut.
mod rust; // Rust programs.
mod sampling; // Random schedules.
mod sections; // Critical sections as steps, and data races by lock discipline.
mod seeded_races; // Every data race of the test programs, by compiler and level.
mod settings; // Settings in traces, `--from` and `--resume`.
mod small; // `tests/small`.
mod smallest; // Minimisation.
mod sources; // Rules about the sources.
mod stacks; // Variables on stacks that other threads use.
mod state_identity; // When two states are the same.
mod states; // `--algorithm stateful`.
mod test_frameworks; // `heddle test`.
mod trust; // Traces that come from somebody else.
mod verdict_matrix; // `tests/matrix`, by every compiler, level and algorithm.
mod walking; // `heddle replay --step` and `check --from`.
