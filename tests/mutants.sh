# Rules, and the tests that notice when one is left out. `./x mutants` reads this.
#
# mutant NAME FILE TEXT REPLACEMENT "PACKAGE TARGET" TEST: the last two are for `cargo test`

fingerprint=crates/runtime/src/state/fingerprint.rs
apart=states::everything_that_matters
state() { mutant "state-without-$1" "$fingerprint" "$2" "${3:-}" "-p heddle --test main" "$apart"; }

# Rows of a state: what decides what can follow.
state world '    add(&mut digest, world.fingerprint().0);'
state heaps '    add_heaps(&mut digest);'
state stacks '    add_memory(digest, stack, top - stack);' '    let _ = (stack, top);'
state registers '    registers.into_iter().for_each(|word| digest.add(word));'
state arguments '        call.arguments.into_iter().for_each(|word| digest.add(word));'
state globals '            sum = sum.wrapping_add(of_page(page, now)).wrapping_sub(of_page(page, before));'
state values '        digest.add(fiber::of(thread).value.get() as u64);'
state births '        fiber::start_of(thread).into_iter().for_each(|word| digest.add(word as u64));'
state kernel '    fiber::words_of(thread, state.steps).into_iter().for_each(|word| digest.add(word));'
state rounding '    digest.add(environment);' '    let _ = environment;'
state handlers '    exit_handlers::words().flatten().for_each(|word| digest.add(word));'
mutant state-without-races "$fingerprint" '        Some(races) if is_whole => add(&mut digest, races),' '        Some(_) if is_whole => {}' "-p heddle --test main" "states::"
mutant state-without-history "$fingerprint" '    add(&mut digest, passing.history.get());' '' "-p heddle --test main" "states::what_is_not_understood"

# What a search over states must not leave out.
mutant vain-is-not-told crates/check/src/verdict.rs 'self.states.is_some_and(|of| of.in_vain > 0)' 'false' "-p heddle --test main" "states::waiting_in_vain"

# An address does not tell what an object is.
mutant objects-by-address crates/model/src/world/table.rs ' || slot.family != u32::from(family)' '' "-p heddle-model --lib" "world"
mutant controls-are-not-renewed crates/runtime/src/calls/pthread/once.rs '        visible(Operation::new(RENEW, control), pc, |_| {});' '        let _ = (control, pc); break;' "-p heddle --test main" "small::"

# A wait is a wait only if nothing moves.
wait() { mutant "wait-$1" "$2" "$3" "$4" "-p heddle --test main" "random_waits::"; }
wait unwiped crates/runtime/src/schedule/visible.rs '    if !wiping::is_on() && !in_section() {' '    if false {'
wait loads-show-nothing crates/model/src/retrace/content.rs '        && place(Mode::Write).conflicts_with(&touched)' '        && place(Mode::Read).conflicts_with(&touched)'
wait writes-always-change crates/runtime/src/schedule/rewritten.rs '        !self.open.get() || !self.is_noted(address, size)' '        !self.open.get() || !self.is_noted(address, size) || true'
wait plain-reads-are-nothing crates/runtime/src/schedule/spin_loop.rs '.filter(|_| !*reads_plain)' ''
mutant polls-may-be-tried crates/runtime/src/schedule/visible.rs '        && !schedule().vain.get().tries()' '' "-p heddle --test main" "small::with_clang"
