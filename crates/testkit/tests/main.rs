//! The tests of the search against scripted programs: one binary, a module for each subject.

mod agreement; // Every algorithm against brute force.
mod awaits; // Loops that wait.
mod beside; // Samples beside an exhaustive search.
mod bounds; // Bounded searches.
mod bugs_first; // Bugs that need one preemption are found early.
mod checkpoint; // Searches that are cut off and continued.
mod counts; // Known numbers of traces.
mod liveness; // What can go on for ever.
mod ltl; // Formulas about what can go on for ever.
mod outside; // Exits, signals, state of the process, clocks, retries, waits that ends cut off.
mod progress; // Estimates of what is left.
mod repeat; // Executions that are run twice.
mod resume; // Every algorithm, cut off after every execution.
mod rounds; // Rounds that lock, try and give back mutexes.
mod sampling; // Random schedules.
mod sections; // Critical sections as one step.
mod smallest; // Minimisation.
mod split; // Searches in parts that are explored alone.
mod states; // Searches over states.
mod steps; // Bounds on operations stop threads, not searches.
mod switches; // The fewest switches first.
mod too_large; // Executions for which there is no room.
