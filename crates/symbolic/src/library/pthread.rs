//! Threads, mutexes, condition variables, semaphores, barriers: POSIX and C11.
//!
//! Calls become events; what the events mean is said where formulas are made. Calls succeed: their results are 0.

use super::{Answer, Call};
use crate::machine::{Action, Kind, Life, Machine, Primitive, Refusal, State};
use crate::memory::{Key, Pointer, Value};
use crate::term::{Sort, TermId, Terms};

/// What is added to a thread's number to make its handle, so that no handle is 0.
const HANDLE: u64 = 1;
/// `EAGAIN`.
const AGAIN: u128 = 11;

impl Machine<'_> {
    pub(super) fn pthread(&mut self, state: &mut State, call: &Call<'_>) -> Result<Answer, Refusal> {
        let own = ["pthread_self", "thrd_current", "pthread_equal", "thrd_equal", "pthread_setconcurrency"];
        let threads =
            ["pthread_", "thrd_", "mtx_", "cnd_", "sem_", "call_once", "__VERIFIER_atomic_", "heddle_atomic_"];
        if self.watch.is_some()
            && threads.iter().any(|prefix| call.name.starts_with(prefix))
            && !own.contains(&call.name)
            && !call.name.contains("attr_")
            && !call.name.ends_with("yield")
            && !call.name.ends_with("sleep")
        {
            // Others can tell: it is an operation, or not followed.
            return self.visible(&format!("the function {}", call.name));
        }
        let value = match call.name {
            "pthread_create" => {
                self.create(state, call, 2, 3)?;
                self.returned(call, 0)
            }
            "thrd_create" => {
                self.create(state, call, 1, 2)?;
                self.returned(call, 0)
            }
            "pthread_join" | "thrd_join" => {
                self.join(state, call)?;
                self.returned(call, 0)
            }
            "pthread_exit" | "thrd_exit" => {
                let value = call.args[0].clone();
                self.end_thread(state, value);
                None
            }
            "pthread_self" | "thrd_current" => self.returned(call, u128::from(u64::from(self.current()) + HANDLE)),
            "pthread_equal" | "thrd_equal" => {
                let (a, b) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?);
                let same = self.terms.eq(a, b);
                let bit = self.terms.bit(same);
                Some(Value::Term(self.resize(bit, 32, false)))
            }
            "pthread_detach"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_condattr_init"
            | "pthread_condattr_destroy"
            | "pthread_setconcurrency" => self.returned(call, 0),
            "pthread_attr_setdetachstate" => {
                if self.watch.is_some() && self.arg_constant(call, 1)? != 0 {
                    return self.refuse("a thread that is created detached");
                }
                self.returned(call, 0)
            }
            "pthread_mutexattr_settype" => {
                let kind = self.arg_constant(call, 1)?;
                if kind != 0 {
                    return self.refuse("a mutex that is recursive or checks errors");
                }
                self.returned(call, 0)
            }
            "mtx_init" => {
                if self.arg_constant(call, 1)? != 0 {
                    return self.refuse("a mutex that is recursive or timed");
                }
                self.life(state, call, Life::Begins)?;
                self.returned(call, 0)
            }
            "pthread_mutex_init" | "pthread_cond_init" | "cnd_init" | "pthread_rwlock_init" | "pthread_spin_init" => {
                self.life(state, call, Life::Begins)?;
                self.returned(call, 0)
            }
            "pthread_mutex_destroy"
            | "mtx_destroy"
            | "pthread_cond_destroy"
            | "cnd_destroy"
            | "sem_destroy"
            | "pthread_barrier_destroy"
            | "pthread_rwlock_destroy"
            | "pthread_spin_destroy" => {
                self.life(state, call, Life::Ends)?;
                self.returned(call, 0)
            }
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => self.primitive(state, call, Action::Lock)?,
            "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => {
                self.primitive(state, call, Action::Unlock)?
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" | "mtx_trylock" => {
                // EBUSY, thrd_busy
                let busy = if call.name == "mtx_trylock" { 1 } else { 16 };
                self.attempt(state, call, busy, Action::TryLock)?
            }
            "pthread_rwlock_rdlock" => self.primitive(state, call, Action::ReadLock)?,
            "pthread_rwlock_wrlock" => self.primitive(state, call, Action::WriteLock)?,
            "pthread_rwlock_unlock" => self.primitive(state, call, Action::RwUnlock)?,
            "pthread_cond_wait" | "cnd_wait" => {
                self.wait(state, call)?;
                self.returned(call, 0)
            }
            "pthread_cond_signal" | "cnd_signal" => self.primitive(state, call, Action::Signal)?,
            "pthread_cond_broadcast" | "cnd_broadcast" => self.primitive(state, call, Action::Broadcast)?,
            "sem_init" => self.count(state, call, 2)?,
            "pthread_barrier_init" => self.count(state, call, 2)?,
            "sem_wait" => self.primitive(state, call, Action::Take)?,
            "sem_trywait" => {
                let result = self.attempt(state, call, u128::from(u32::MAX), Action::TryTake)?;
                if let Some(Value::Term(result)) = result {
                    self.set_errno(state, result, AGAIN)?;
                }
                result
            }
            "sem_post" => self.primitive(state, call, Action::Post)?,
            "pthread_barrier_wait" => {
                let pointer = self.arg_pointer(call, 0)?;
                for (guard, primitive) in self.primitives(state, &pointer)? {
                    self.event(guard, Action::Arrive(primitive));
                    self.event(guard, Action::Depart(primitive));
                }
                // One of the threads is told that it is the one: which is open.
                let serial = self.terms.variable(Sort::Bool, "serial thread");
                let (yes, no) = (self.terms.constant(32, u128::MAX), self.terms.constant(32, 0));
                Some(Value::Term(self.terms.ite(serial, yes, no)))
            }
            _ => return Ok(Answer::Unknown),
        };
        Ok(Answer::Returns(value))
    }

    /// An action on the primitive that the first argument points to.
    fn primitive(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        action: impl Fn(Primitive) -> Action,
    ) -> Result<Option<Value>, Refusal> {
        let pointer = self.arg_pointer(call, 0)?;
        for (guard, primitive) in self.primitives(state, &pointer)? {
            self.event(guard, action(primitive));
        }
        Ok(self.returned(call, 0))
    }

    fn attempt(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        busy: u128,
        action: impl Fn(Primitive, TermId) -> Action,
    ) -> Result<Option<Value>, Refusal> {
        let pointer = self.arg_pointer(call, 0)?;
        let found = self.primitives(state, &pointer)?;
        let [(guard, primitive)] = found[..] else {
            return self.refuse(format!("{} of one of several objects", call.name));
        };
        let success = if self.options.sequential { Terms::TRUE } else { self.terms.variable(Sort::Bool, "taken") };
        self.event(guard, action(primitive, success));
        let (zero, busy) = (self.terms.constant(32, 0), self.terms.constant(32, busy));
        Ok(Some(Value::Term(self.terms.ite(success, zero, busy))))
    }

    fn wait(&mut self, state: &mut State, call: &Call<'_>) -> Result<(), Refusal> {
        let (condition, mutex) = (self.arg_pointer(call, 0)?, self.arg_pointer(call, 1)?);
        if self.options.sequential {
            return self.refuse("waiting in a thread that runs alone");
        }
        let (conditions, mutexes) = (self.primitives(state, &condition)?, self.primitives(state, &mutex)?);
        let ([(guard, condition)], [(_, mutex)]) = (&conditions[..], &mutexes[..]) else {
            return self.refuse("waiting for one of several condition variables");
        };
        self.event(*guard, Action::Sleep(*condition, *mutex));
        self.event(*guard, Action::Wake(*condition, *mutex));
        Ok(())
    }

    /// The error number of a call that failed, if its result is not 0.
    fn set_errno(&mut self, state: &mut State, result: TermId, number: u128) -> Result<(), Refusal> {
        let place = self.errno(state);
        let zero = self.terms.constant(32, 0);
        let failed = self.terms.ne(result, zero);
        let number = self.terms.constant(32, number);
        let four = self.terms.constant(64, 4);
        self.choose(
            state,
            failed,
            |machine, state| {
                let alternatives = machine.checked(state, &place, four, true)?;
                machine.store_bytes(state, &alternatives, 4, &Value::Term(number), true)
            },
            |_, _| Ok(()),
        )?;
        Ok(())
    }

    /// A primitive is initialised or destroyed: no event, but whether others use it before or after is asked in the end.
    fn life(&mut self, state: &mut State, call: &Call<'_>, life: Life) -> Result<(), Refusal> {
        let pointer = self.arg_pointer(call, 0)?;
        let (thread, at) = (self.current(), self.threads.get(self.current() as usize).map_or(0, |t| t.events.len()));
        for (guard, primitive) in self.primitives(state, &pointer)? {
            self.sharing.lives.push((life, primitive, guard, thread, at));
        }
        Ok(())
    }

    /// The initial count of a semaphore or a barrier.
    fn count(&mut self, state: &mut State, call: &Call<'_>, index: usize) -> Result<Option<Value>, Refusal> {
        let pointer = self.arg_pointer(call, 0)?;
        let count = self.arg_bits(call, index)?;
        self.life(state, call, Life::Begins)?;
        if call.name == "pthread_barrier_init" {
            let some = self.terms.nonzero(count);
            self.check(state, Kind::Misuse, some, "a barrier of nobody");
        } else if self.terms.interval(count).1 > i32::MAX as u128 {
            return self.refuse("a semaphore with a count that it cannot have");
        }
        for (_, primitive) in self.primitives(state, &pointer)? {
            if self.sharing.counts.insert(primitive, count).is_some() {
                return self.refuse(format!("{} of an object that is in use", call.name));
            }
        }
        Ok(self.returned(call, 0))
    }

    /// The primitives that a pointer can point to, each with its guard.
    fn primitives(&mut self, state: &mut State, pointer: &Pointer) -> Result<Vec<(TermId, Primitive)>, Refusal> {
        let one = self.terms.constant(64, 1);
        let mut all = Vec::new();
        for alternative in self.checked(state, pointer, one, true)? {
            let Some(base) = alternative.base else { continue };
            for offset in self.offsets(base, alternative.offset, 1)? {
                let constant = self.terms.constant(64, u128::from(offset));
                let here = self.terms.eq(alternative.offset, constant);
                let guard = self.terms.and_all(&[state.guard, alternative.guard, here]);
                if guard != Terms::FALSE {
                    all.push((guard, (base, offset)));
                }
            }
        }
        Ok(all)
    }

    fn create(&mut self, state: &mut State, call: &Call<'_>, function: usize, arg: usize) -> Result<(), Refusal> {
        let (handle, function) = (self.arg_pointer(call, 0)?, self.arg_pointer(call, function)?);
        let [alternative] = function.alternatives() else {
            return self.refuse("a thread that runs one of several functions");
        };
        let code = alternative.base.and_then(|base| match self.objects[base].key {
            Key::Function(function) => Some(function),
            _ => None,
        });
        let Some(code) = code else {
            self.check(state, Kind::Null, Terms::FALSE, "a thread that runs no function");
            return Ok(());
        };
        if self.module.functions[code as usize].blocks.is_empty() {
            return self.refuse(format!("a thread that runs {}", self.module.functions[code as usize].name));
        }
        // The handle is there before the thread runs.
        let number = self.next_thread();
        let bits = self.terms.constant(64, u128::from(u64::from(number) + HANDLE));
        let eight = self.terms.constant(64, 8);
        let alternatives = self.checked(state, &handle, eight, true)?;
        self.store_bytes(state, &alternatives, 8, &Value::Term(bits), true)?;
        if state.guard == Terms::FALSE {
            return Ok(());
        }
        let argument = call.args[arg].clone();
        self.create_thread(state, code, argument)?;
        Ok(())
    }

    fn join(&mut self, state: &mut State, call: &Call<'_>) -> Result<(), Refusal> {
        let handle = self.arg_bits(call, 0)?;
        let mut known = Vec::new();
        let mut result: Option<Value> = None;
        let mut others = Terms::TRUE;
        for number in 0..self.threads.len() as u32 {
            let own = self.terms.constant(64, u128::from(u64::from(number) + HANDLE));
            let same = self.terms.eq(handle, own);
            let guard = self.terms.and(state.guard, same);
            if guard == Terms::FALSE {
                continue;
            }
            let thread = &self.threads[number as usize];
            let Some(ends) = thread.ends else {
                return self.refuse("a thread that waits for the end of one that has not been executed");
            };
            let returned = thread.result.clone();
            known.push((guard, number));
            let not = self.terms.not(same);
            others = self.terms.and(others, not);
            self.event(guard, Action::Join(number));
            let comes = self.terms.or(not, ends);
            state.guard = self.terms.and(state.guard, comes);
            let returned = match returned {
                Some(value) => value,
                None => Value::Term(self.terms.constant(64, 0)),
            };
            result = Some(match result {
                None => returned,
                Some(other) => crate::memory::merge_values(&mut self.terms, same, &returned, &other),
            });
        }
        let found = self.terms.not(others);
        self.check(state, Kind::Misuse, found, "a join of something that is no thread");
        let target = self.arg_pointer(call, 1)?;
        let null = matches!(target.alternatives(), [only] if only.base.is_none());
        if let (false, Some(result)) = (null, result) {
            let size = if call.name == "thrd_join" { 4 } else { 8 };
            let value = match result {
                Value::Pointer(pointer) if size == 8 => Value::Pointer(pointer),
                other => {
                    let bits = self.value_bits(&other)?;
                    Value::Term(self.resize(bits, size * 8, false))
                }
            };
            let bytes = self.terms.constant(64, u128::from(size));
            let alternatives = self.checked(state, &target, bytes, true)?;
            self.store_bytes(state, &alternatives, u32::from(size), &value, true)?;
        }
        Ok(())
    }
}
