# Rules, and the tests that notice when one is left out. `./x mutants` reads this.
#
# mutant NAME FILE TEXT REPLACEMENT "PACKAGE TARGET" TEST: the last two are for `cargo test`

fingerprint=crates/runtime/src/state/fingerprint.rs
apart=states::everything_that_matters
state() { mutant "state-without-$1" "$fingerprint" "$2" "${3:-}" "-p heddle --test main" "$apart"; }

# Rows of a state: what decides what can follow.
state world '    add(&mut digest, world.fingerprint().0);'
state heaps '    add_heaps(&mut digest);'
state stacks '        add(digest, unsafe { HASHER.get().memory(address, length) });' '        let _ = (address, length);'
state registers '    counted.into_iter().for_each(|word| digest.add(word));' '    let _ = counted;'
state arguments '        call.arguments.into_iter().for_each(|word| digest.add(word));'
state globals '        sum = sum.wrapping_add(fingerprint);'
state values '        digest.add(fiber::of(thread).value.get() as u64);'
state births '        fiber::start_of(thread).into_iter().for_each(|word| digest.add(word as u64));'
state kernel '    fiber::words_of(thread, state.steps).into_iter().for_each(|word| digest.add(word));'
state rounding '    digest.add(environment);' '    let _ = environment;'
state handlers '    exit_handlers::words().flatten().for_each(|word| digest.add(word));'
mutant state-without-races "$fingerprint" '        Some(races) if is_whole => add(&mut digest, races),' '        Some(_) if is_whole => {}' "-p heddle --test main" "random_sections::"
mutant state-without-history "$fingerprint" '    add(&mut digest, passing.history.get());' '' "-p heddle --test main" "states::what_is_not_understood"

# What a search over states must not leave out.
mutant vain-is-not-told crates/check/src/verdict.rs 'self.states.is_some_and(|of| of.in_vain > 0)' 'false' "-p heddle --test main" "states::waiting_in_vain"

# What tells no states apart: dead values, and what the kernel draws for a process.
same() { mutant "same-$1" "$2" "$3" "$4" "-p heddle --test main" "state_identity::"; }
dead=crates/runtime/src/state/dead.rs
same dead-bytes-count "$dead" '.take_while(|&(_, past)| past <= middle);' '.take(0);'
same dead-registers-count "$dead" '            self.registers[NUMBERS[register]] = 0;' '            {}'
same saved-registers-count "$dead" '            self.slots[self.count] = home;' '            self.slots[self.count] = home * 0;'
same pointers-are-guarded crates/runtime/src/entry/main_thread.rs '        arch::set_pointer_guard(POINTER_GUARD);' ''
same frames-are-guarded crates/runtime/src/entry/main_thread.rs '    unsafe { arch::set_stack_guard(STACK_GUARD) };' ''
same bytes-are-drawn crates/runtime/src/entry/main_thread.rs '            drawn.write(DRAWN);' ''
same kernel-ids-count "$fingerprint" 'unsafe { HASHER.get().difference(page, image, PAGE) };' 'unsafe { let _ = image; HASHER.get().memory(page, PAGE) };'
same control-blocks-count "$fingerprint" 'else { fiber::control_page(thread) };' 'else { low + fiber::stack_of(thread).1 };'
mutant waits-with-dead-bytes "$dead" '                word &= !bytes(first.max(at) - at, past.min(at + WORD) - at);' '' "-p heddle --test main" "counts::waiting_loops_optimal"
mutant waits-with-dead-registers crates/runtime/src/schedule/spin_loop.rs 'live.registers.iter()' 'registers.iter()' "-p heddle --test main" "counts::dead_registers"
mutant table-for-waits crates/native/src/run/setup.rs ' || Vain::new(places).wipes()' '' "-p heddle --test main" "counts::waiting_loops_optimal"
mutant table-for-states crates/native/src/run/setup.rs 'plan.states.are_computed() || ' 'plan.states.are_computed() && false || ' "-p heddle --test main" "state_identity::"

# Two ways to one state go on in the same way.
probe=crates/search/src/wrap/probe.rs
mutant probe-with-one-way "$probe" 'ways: [known.clone(), way()]' 'ways: [known.clone(), known.clone()]' "-p heddle-testkit --test main" "probe::"

# An address does not tell what an object is.
mutant objects-by-address crates/model/src/world/table.rs ' || slot.family != u32::from(family)' '' "-p heddle-model --lib" "world"
mutant controls-are-not-renewed crates/runtime/src/calls/pthread/once.rs '        visible(Operation::new(RENEW, control), pc, |_| {});' '        let _ = (control, pc); break;' "-p heddle --test main" "small::"

# A wait is a wait only if nothing moves.
wait() { mutant "wait-$1" "$2" "$3" "$4" "-p heddle --test main" "random_waits::"; }
wait unwiped crates/runtime/src/schedule/visible.rs '    if !wiping::is_on() && !in_section() {' '    if false {'
wait loads-show-nothing crates/model/src/retrace/content.rs '        && place(Mode::Write).conflicts_with(&touched)' '        && place(Mode::Read).conflicts_with(&touched)'
wait writes-always-change crates/runtime/src/schedule/rewritten.rs '        !self.open.get() || !self.is_noted(address, size)' '        !self.open.get() || !self.is_noted(address, size) || true'
wait plain-reads-are-nothing crates/runtime/src/schedule/spin_loop.rs '.filter(|_| !*reads_plain)' ''
# Whoever tries a mutex can tell that a round holds it, and nobody waits for ever because of a mutex that is free. Who passes does not wait.
mutant polls-are-not-noticed crates/model/src/world/awaits.rs 'condvar::REACQUIRE => event.failed(),' 'condvar::REACQUIRE => false,' "-p heddle-testkit --test main" "awaits::no_condition"
mutant waits-are-never-needless crates/model/src/world/awaits.rs '                found = Some(Needless::InTurn);' '                found = None;' "-p heddle-testkit --test main" "awaits::locking_in_opposite"
mutant who-passes-waits crates/model/src/world/looks.rs '            && gets_nothing_through(&seen[first..])' '' "-p heddle-testkit --test main" "rounds::who_passes"

# What is no decision, and what only excludes.
section() { mutant "section-$1" "$2" "$3" "$4" "-p heddle-testkit --test main" "$5"; }
discipline=crates/search/src/algorithm/stateful/discipline.rs
immediate=crates/model/src/world/immediate.rs
section ends-are-never-seen "$immediate" '!waits_or_is_its_own && footprint' 'false && !waits_or_is_its_own && footprint' "states::"
section is-never-left "$immediate" 'mutex::UNLOCK => operation.object == mutex,' 'mutex::UNLOCK => false,' "sections::"
section needs-no-unlock "$discipline" 'end.is_none() && self.rules.closed' 'false' "sections::mutexes_that_do_more"
section touches-what-it-likes "$discipline" '|| !entry.conflicts_with(other)' '|| true' "sections::mutexes_that_do_more"
section may-be-tried "$discipline" 'if is_mutex && !is_plain && self.rules.tried {' 'if false {' "sections::mutexes_that_do_more"
section has-no-item crates/search/src/algorithm/stateful/summary.rs '(section && self.rules.section_items).then' 'false.then' "sections::"
section order-of-lives-is-guessed "$discipline" 'of(other, one.thread) > of(one, one.thread)' 'of(other, one.thread) >= of(one, one.thread)' "sections::mutexes_that_do_more"
native() { mutant "section-$1" "$2" "$3" "$4" "-p heddle --test main" "$5"; }
native has-no-body "$discipline" '&& self.rules.bodies' '&& false' "random_sections::"
native hides-what-it-changes "$discipline" 'self.rules.unseen && touches' 'false && touches' "sections::sections_of_libraries"
native watches-nothing "$discipline" '&& self.rules.watched' '&& false' "random_sections::"
native touches-others-stacks crates/runtime/src/detect/stacks.rs '    touches::everything();' '' "sections::stacks_of_others"
# What can go on for ever: fairness, and what a cycle owes to each thread and to the automaton. And a cycle is one only if it closes.
live() { mutant "live-$1" "crates/search/src/liveness/$2" "$3" "$4" "-p heddle-testkit --test main" "$5"; }
live strong-is-none fair.rs '        Fairness::Strong => part.iter().flat_map(ready).find(|thread| !acts.contains(thread)),' '        Fairness::Strong => None,' liveness::
live weak-is-none fair.rs '!acts.contains(thread) && always(thread)' 'false && always(thread)' liveness::
live threads-are-owed-nothing lasso.rs 'let threads = if fairness == Fairness::None { BTreeSet::new() } else { ready.collect() };' 'let threads = if fairness == Fairness::None { BTreeSet::new() } else { ready.skip(1).collect() };' liveness::
live promises-are-put-off ltl/automaton.rs 'marks: marks & !postponed' 'marks: { let _ = postponed; marks }' ltl::
live ends-do-not-count mod.rs '|node| could_end[node as usize]' '|node| could_end[node as usize] || true' liveness::
live looks-get-on mod.rs 'edge.thread == thread && edge.marks & (LOOKS | PAUSES) == 0' 'edge.thread == thread' liveness::
mutant cycle-is-not-compared crates/runtime/src/state/cycle.rs 'let same = watch.same.get() && watch.before.get() == Some(state);' 'let same = watch.before.get().is_some();' "-p heddle --test main" random_states::

# What a program that writes over its reports must not pass for.
boundary() { mutant "boundary-$1" "$2" "$3" "$4" "-p heddle-native --test main" "boundary::"; }
wire=crates/native/src/run/wire.rs
boundary seal "$wire" '            || self.key.seal(&result) != result.seal' ''
boundary sum "$wire" '        if into.sum(&self.key, head.notes) != head.sum {' '        if false {'
