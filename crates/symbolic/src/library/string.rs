//! Bytes and strings.
//!
//! A string ends where its first zero byte is, which may depend on unknowns: its bytes are read one after the other, each under
//! the condition that none before it was zero.

use super::{Answer, Call};
use crate::machine::{Machine, Refusal, State};
use crate::memory::{Pointer, Value};
use crate::term::{TermId, Terms};

/// The longest string whose end is not known.
const LONGEST: u64 = 4096;

impl Machine<'_> {
    pub(super) fn string(&mut self, state: &mut State, call: &Call<'_>) -> Result<Answer, Refusal> {
        let value = match call.name {
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
                let size = self.arg_constant(call, 2)?;
                let (to, from) = (self.arg_pointer(call, 0)?, self.arg_pointer(call, 1)?);
                self.copy(state, &to, &from, size)?;
                call.args[0].clone()
            }
            "memset" | "__memset_chk" => {
                let size = self.arg_constant(call, 2)?;
                let (to, byte) = (self.arg_pointer(call, 0)?, self.arg_bits(call, 1)?);
                self.set_bytes(state, &to, byte, size)?;
                call.args[0].clone()
            }
            "strlen" => {
                let text = self.arg_pointer(call, 0)?;
                let bytes = self.string_bytes(state, &text, LONGEST)?;
                let mut length = self.terms.constant(64, 0);
                for ((_, reached), index) in bytes.iter().zip(0u32..) {
                    let here = self.terms.constant(64, u128::from(index));
                    length = self.terms.ite(*reached, here, length);
                }
                Value::Term(length)
            }
            "strcmp" | "strncmp" | "memcmp" => {
                let (a, b) = (self.arg_pointer(call, 0)?, self.arg_pointer(call, 1)?);
                let limit = if call.name == "strcmp" { LONGEST } else { self.arg_constant(call, 2)? };
                Value::Term(self.compare_bytes(state, &a, &b, limit, call.name != "memcmp")?)
            }
            "strcpy" | "strncpy" | "strcat" => {
                let (to, from) = (self.arg_pointer(call, 0)?, self.arg_pointer(call, 1)?);
                let limit = if call.name == "strncpy" { self.arg_constant(call, 2)? } else { LONGEST };
                let mut at = self.terms.constant(64, 0);
                if call.name == "strcat" {
                    let old = self.string_bytes(state, &to, LONGEST)?;
                    for ((_, reached), index) in old.iter().zip(0u32..) {
                        let here = self.terms.constant(64, u128::from(index));
                        at = self.terms.ite(*reached, here, at);
                    }
                }
                let bytes = self.string_bytes(state, &from, limit)?;
                let to = to.add(&mut self.terms, at);
                let mut count = 0;
                for (byte, reached) in bytes {
                    self.put_byte(state, &to, count, byte, reached, call.name == "strncpy")?;
                    count += 1;
                }
                if call.name == "strncpy" {
                    let zero = self.terms.constant(8, 0);
                    while count < limit {
                        self.put_byte(state, &to, count, zero, Terms::TRUE, false)?;
                        count += 1;
                    }
                }
                call.args[0].clone()
            }
            _ => return Ok(Answer::Unknown),
        };
        Ok(Answer::Returns(Some(value)))
    }

    /// Writes one byte of a string; behind its end a zero if `fill`, else nothing.
    fn put_byte(
        &mut self,
        state: &mut State,
        to: &Pointer,
        index: u64,
        byte: TermId,
        reached: TermId,
        fill: bool,
    ) -> Result<(), Refusal> {
        let offset = self.terms.constant(64, u128::from(index));
        let place = to.add(&mut self.terms, offset);
        let one = self.terms.constant(64, 1);
        let zero = self.terms.constant(8, 0);
        let (byte, when) = if fill { (self.terms.ite(reached, byte, zero), Terms::TRUE) } else { (byte, reached) };
        self.choose(
            state,
            when,
            |machine, state| {
                let alternatives = machine.checked(state, &place, one, true)?;
                machine.store_bytes(state, &alternatives, 1, &Value::Term(byte), true)
            },
            |_, _| Ok(()),
        )?;
        Ok(())
    }

    /// Sets so many bytes.
    pub(crate) fn set_bytes(
        &mut self,
        state: &mut State,
        to: &Pointer,
        byte: TermId,
        size: u64,
    ) -> Result<(), Refusal> {
        if size == 0 {
            return Ok(());
        }
        let byte = self.resize(byte, 8, false);
        let bytes = self.terms.constant(64, u128::from(size));
        let targets = self.checked(state, to, bytes, true)?;
        let mut at = 0;
        while at < size {
            let length = [8u64, 4, 2].into_iter().find(|l| at + l <= size).unwrap_or(1);
            let mut whole = byte;
            for _ in 1..length {
                whole = self.terms.concat(byte, whole);
            }
            let moved = self.moved_alternatives(&targets, at);
            self.store_bytes(state, &moved, length as u32, &Value::Term(whole), true)?;
            at += length;
        }
        Ok(())
    }

    /// The bytes of a string, with its final zero: each with the condition that it is part of the string.
    fn string_bytes(
        &mut self,
        state: &mut State,
        text: &Pointer,
        limit: u64,
    ) -> Result<Vec<(TermId, TermId)>, Refusal> {
        let mut bytes = Vec::new();
        let mut reached = Terms::TRUE;
        let zero = self.terms.constant(8, 0);
        for index in 0..limit {
            let here = self.terms.and(state.guard, reached);
            if here == Terms::FALSE {
                return Ok(bytes);
            }
            let byte = self.byte(state, text, index, reached)?;
            bytes.push((byte, reached));
            let more = self.terms.ne(byte, zero);
            reached = self.terms.and(reached, more);
        }
        if limit == LONGEST && self.terms.and(state.guard, reached) != Terms::FALSE {
            return self.refuse(format!("a string of more than {LONGEST} bytes"));
        }
        Ok(bytes)
    }

    /// One byte, read where `when` holds.
    fn byte(&mut self, state: &mut State, text: &Pointer, index: u64, when: TermId) -> Result<TermId, Refusal> {
        let offset = self.terms.constant(64, u128::from(index));
        let place = text.add(&mut self.terms, offset);
        let one = self.terms.constant(64, 1);
        let (read, _) = self.choose(
            state,
            when,
            |machine, state| {
                let alternatives = machine.checked(state, &place, one, false)?;
                machine.load_bytes(state, &alternatives, 1, false, true)
            },
            |machine, _| Ok(Value::Term(machine.terms.constant(8, 0))),
        )?;
        match read {
            Some(value) => self.value_bits(&value),
            None => Ok(self.terms.constant(8, 0)),
        }
    }

    /// The sign of the first difference, as an int.
    fn compare_bytes(
        &mut self,
        state: &mut State,
        a: &Pointer,
        b: &Pointer,
        limit: u64,
        strings: bool,
    ) -> Result<TermId, Refusal> {
        let mut steps = Vec::new();
        let mut reached = Terms::TRUE;
        let zero = self.terms.constant(8, 0);
        for index in 0..limit {
            if self.terms.and(state.guard, reached) == Terms::FALSE {
                break;
            }
            let (x, y) = (self.byte(state, a, index, reached)?, self.byte(state, b, index, reached)?);
            steps.push((x, y));
            let same = self.terms.eq(x, y);
            reached = self.terms.and(reached, same);
            if strings {
                let more = self.terms.ne(x, zero);
                reached = self.terms.and(reached, more);
            }
        }
        let mut result = self.terms.constant(32, 0);
        for (x, y) in steps.into_iter().rev() {
            let same = self.terms.eq(x, y);
            let end = if strings { self.terms.eq(x, zero) } else { Terms::FALSE };
            let less = self.terms.ult(x, y);
            let (minus, plus) = (self.terms.constant(32, u128::MAX), self.terms.constant(32, 1));
            let sign = self.terms.ite(less, minus, plus);
            let nothing = self.terms.constant(32, 0);
            let rest = self.terms.ite(end, nothing, result);
            result = self.terms.ite(same, rest, sign);
        }
        Ok(result)
    }

    /// A string all of whose bytes are known.
    pub(crate) fn literal(&mut self, state: &mut State, text: &Pointer) -> Result<Option<Vec<u8>>, Refusal> {
        let mut bytes = Vec::new();
        for (byte, _) in self.string_bytes(state, text, LONGEST)? {
            match self.terms.as_constant(byte) {
                Some(0) => return Ok(Some(bytes)),
                Some(byte) => bytes.push(byte as u8),
                None => return Ok(None),
            }
        }
        Ok(Some(bytes))
    }
}
