//! The heap, the end of the process, and output.

use super::{Answer, Call};
use crate::machine::{Kind, Machine, Printed, Refusal, State};
use crate::memory::{Contents, Key, Pointer, Rest, Value};
use crate::term::{Sort, TermId, Terms};

/// The largest block.
const LARGEST: u64 = 1 << 26;

impl Machine<'_> {
    pub(super) fn stdlib(&mut self, state: &mut State, call: &Call<'_>) -> Result<Answer, Refusal> {
        let value = match call.name {
            "malloc" | "_Znwm" | "_Znam" => {
                let size = self.arg_bits(call, 0)?;
                Some(self.allocate(state, size, Rest::Unwritten)?)
            }
            "calloc" => {
                let (count, size) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?);
                let size = self.terms.mul(count, size);
                Some(self.allocate(state, size, Rest::Zero)?)
            }
            "realloc" => Some(self.reallocate(state, call)?),
            "aligned_alloc" | "memalign" => {
                let size = self.arg_bits(call, 1)?;
                Some(self.allocate(state, size, Rest::Unwritten)?)
            }
            "free" | "cfree" | "_ZdlPv" | "_ZdlPvm" | "_ZdaPv" | "_ZdaPvm" => {
                let pointer = self.arg_pointer(call, 0)?;
                self.free(state, &pointer)?;
                None
            }
            "exit" | "_exit" | "_Exit" | "quick_exit" => {
                let code = self.arg_bits(call, 0)?;
                self.exits.push((state.guard, code));
                state.guard = Terms::FALSE;
                None
            }
            "abort" | "_ZSt9terminatev" => {
                self.check(state, Kind::Abort, Terms::FALSE, "abort is called");
                None
            }
            "abs" | "labs" | "llabs" => {
                let a = self.arg_bits(call, 0)?;
                Some(Value::Term(self.absolute(a)))
            }
            "__errno_location" => Some(Value::Pointer(self.errno(state))),
            "printf" | "puts" | "putchar" | "perror" => self.print(state, call, 0)?,
            "fprintf" => self.print(state, call, 1)?,
            "fputs" | "fflush" | "setvbuf" | "setbuf" | "fputc" => self.any_number(call),
            "sched_yield" | "usleep" | "sleep" | "nanosleep" | "thrd_sleep" | "thrd_yield" | "pause"
            | "pthread_yield" => self.returned(call, 0),
            _ => return Ok(Answer::Unknown),
        };
        Ok(Answer::Returns(value))
    }

    /// Where the thread's error number is.
    pub(crate) fn errno(&mut self, state: &mut State) -> Pointer {
        let size = self.terms.constant(64, 4);
        let key = Key::Library(self.current(), u32::MAX);
        let object = self.objects.intern(key, size, false, self.site());
        if state.memory.get(object).is_none() {
            state.memory.set(object, Contents::new(Rest::Zero));
        }
        let zero = self.terms.constant(64, 0);
        Pointer::new(object, zero)
    }

    fn any_number(&mut self, call: &Call<'_>) -> Option<Value> {
        let width = self.module.bits(call.result)? as u8;
        Some(Value::Term(self.terms.variable(Sort::Bits(width), "indeterminate")))
    }

    fn print(&mut self, state: &mut State, call: &Call<'_>, format: usize) -> Result<Option<Value>, Refusal> {
        let text = if call.name == "putchar" {
            let bits = self.arg_bits(call, 0)?;
            self.terms.as_constant(bits).map(|byte| vec![byte as u8]).unwrap_or_default()
        } else {
            let pointer = self.arg_pointer(call, format)?;
            let mut text = self.literal(state, &pointer)?.unwrap_or_default();
            if call.name == "puts" {
                text = text.iter().flat_map(|&byte| if byte == b'%' { vec![b'%', b'%'] } else { vec![byte] }).collect();
                text.push(b'\n');
            }
            if text.windows(2).any(|two| two == b"%n") {
                return self.refuse("%n");
            }
            text
        };
        let arguments = call.args[format + 1..].to_vec();
        self.printed.push(Printed { format: text, arguments, guard: state.guard });
        Ok(self.any_number(call))
    }

    pub(crate) fn allocate(&mut self, state: &mut State, size: TermId, rest: Rest) -> Result<Value, Refusal> {
        let (_, high) = self.terms.interval(size);
        if high > u128::from(LARGEST) {
            let limit = self.terms.constant(64, u128::from(LARGEST));
            let small = self.terms.ule(size, limit);
            if self.decided(state, small) != Some(true) {
                return self.refuse("a block whose size is not bounded");
            }
        }
        let object = self.make(state, size, true, rest);
        let zero = self.terms.constant(64, 0);
        Ok(Value::Pointer(Pointer::new(object, zero)))
    }

    fn reallocate(&mut self, state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
        let old = self.arg_pointer(call, 0)?;
        let size = self.arg_constant(call, 1)?;
        let bytes = self.terms.constant(64, u128::from(size));
        let new = self.allocate(state, bytes, Rest::Unwritten)?;
        let to = self.value_pointer(&new)?;
        for alternative in old.alternatives().to_vec() {
            let Some(base) = alternative.base else { continue };
            let Some(had) = self.terms.as_constant(self.objects[base].size) else {
                return self.refuse("realloc of a block whose size depends on an input");
            };
            let count = size.min(had as u64);
            let from = Pointer::new(base, alternative.offset);
            self.choose(
                state,
                alternative.guard,
                |machine, state| machine.copy(state, &to, &from, count),
                |_, _| Ok(()),
            )?;
        }
        self.free(state, &old)?;
        Ok(new)
    }

    pub(crate) fn free(&mut self, state: &mut State, pointer: &Pointer) -> Result<(), Refusal> {
        for alternative in pointer.alternatives() {
            let here = self.terms.and(state.guard, alternative.guard);
            if here == Terms::FALSE {
                continue;
            }
            let not = self.terms.not(alternative.guard);
            let Some(base) = alternative.base else {
                let zero = self.terms.constant(64, 0);
                let null = self.terms.eq(alternative.offset, zero);
                let fine = self.terms.or(not, null);
                self.check(state, Kind::InvalidFree, fine, "an address of no block is freed");
                continue;
            };
            let zero = self.terms.constant(64, 0);
            let first = self.terms.eq(alternative.offset, zero);
            let block = self.terms.bool(self.objects[base].is_heap());
            let whole = self.terms.and(first, block);
            let fine = self.terms.or(not, whole);
            self.check(state, Kind::InvalidFree, fine, "something else than a block is freed");
            if state.guard == Terms::FALSE || block == Terms::FALSE {
                continue;
            }
            let was = self.end_object(state, base, alternative.guard)?;
            let fine = self.terms.or(not, was);
            self.check(state, Kind::DoubleFree, fine, "a block is freed twice");
        }
        Ok(())
    }
}
