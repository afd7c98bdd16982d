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
                // The product is exact: one that does not fit is no small block.
                let (wide_count, wide_size) = (self.terms.zext(count, 128), self.terms.zext(size, 128));
                let whole = self.terms.mul(wide_count, wide_size);
                let limit = self.terms.constant(128, u128::from(LARGEST));
                let small = self.terms.ule(whole, limit);
                if self.decided(state, small) != Some(true) {
                    return self.refuse("a block whose size is not bounded");
                }
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
                self.exit(state, code);
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
            "fputs" => {
                let text = self.arg_pointer(call, 0)?;
                self.read_text(state, &text)?;
                self.any_number(call)
            }
            "fflush" | "setvbuf" | "setbuf" | "fputc" => self.any_number(call),
            "sched_yield" | "usleep" | "sleep" | "nanosleep" | "thrd_sleep" | "thrd_yield" | "pthread_yield" => {
                self.returned(call, 0)
            }
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
            let known = self.literal(state, &pointer)?;
            if known.is_none() && call.name.ends_with("printf") {
                return self.refuse("a format that is not known");
            }
            let mut text = known.unwrap_or_default();
            if call.name == "puts" {
                text = text.iter().flat_map(|&byte| if byte == b'%' { vec![b'%', b'%'] } else { vec![byte] }).collect();
                text.push(b'\n');
            }
            if call.name.ends_with("printf") {
                self.read_arguments(state, call, format, &text)?;
            }
            text
        };
        let arguments = call.args[format + 1..].to_vec();
        self.printed.push(Printed { format: text, arguments, guard: state.guard });
        Ok(self.any_number(call))
    }

    /// A string that the library reads to its end.
    fn read_text(&mut self, state: &mut State, text: &Pointer) -> Result<(), Refusal> {
        self.literal(state, text).map(drop)
    }

    /// What the library reads for a format: strings to their ends.
    fn read_arguments(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        before: usize,
        format: &[u8],
    ) -> Result<(), Refusal> {
        let mut argument = before + 1;
        let mut rest = format.iter().copied().peekable();
        while let Some(byte) = rest.next() {
            if byte != b'%' {
                continue;
            }
            let (mut precise, mut long) = (false, false);
            for byte in rest.by_ref() {
                match byte {
                    b'*' => argument += 1,
                    b'.' => precise = true,
                    b'l' => long = true,
                    b'%' => break,
                    b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'h' | b'j' | b'z' | b't' | b'q' | b'L' => {}
                    b's' if precise || long => return self.refuse("a format of part of a string"),
                    b's' => {
                        let text = self.arg_pointer(call, argument)?;
                        self.read_text(state, &text)?;
                        argument += 1;
                        break;
                    }
                    b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'p' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G'
                    | b'a' | b'A' => {
                        argument += 1;
                        break;
                    }
                    other => return self.refuse(format!("%{} in a format", char::from(other))),
                }
            }
        }
        if argument > call.args.len() {
            return self.refuse(format!("a call of {} with too few arguments", call.name));
        }
        Ok(())
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
