//! Functions of verification tasks: inputs, assumptions, errors.

use super::{Answer, Call};
use crate::ir::Type;
use crate::machine::{Action, Input, Kind, Machine, Refusal, State};
use crate::memory::Value;
use crate::term::{Sort, Terms};

impl Machine<'_> {
    pub(super) fn verifier(&mut self, state: &mut State, call: &Call<'_>) -> Result<Answer, Refusal> {
        if let Some(what) = call.name.strip_prefix("__VERIFIER_nondet_") {
            return self.input(state, call, what);
        }
        match call.name {
            // Numbers that the program may choose: inputs within bounds.
            "heddle_choose" => {
                let bound = self.arg_bits(call, 0)?;
                let Answer::Returns(Some(Value::Term(chosen))) = self.input(state, call, "uint")? else {
                    return self.refuse("a choice of something that is no number");
                };
                let below = self.terms.ult(chosen, bound);
                self.assume(state, below);
                return Ok(Answer::Returns(Some(Value::Term(chosen))));
            }
            "heddle_range" => {
                let (low, high) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?);
                let Answer::Returns(Some(Value::Term(chosen))) = self.input(state, call, "int")? else {
                    return self.refuse("a choice of something that is no number");
                };
                let (from, to) = (self.terms.sle(low, chosen), self.terms.sle(chosen, high));
                let between = self.terms.and(from, to);
                self.assume(state, between);
                return Ok(Answer::Returns(Some(Value::Term(chosen))));
            }
            "__VERIFIER_assume" | "assume_abort_if_not" | "heddle_assume" => {
                let bits = self.arg_bits(call, 0)?;
                let holds = self.terms.nonzero(bits);
                self.assume(state, holds);
            }
            "__VERIFIER_assert" => {
                let bits = self.arg_bits(call, 0)?;
                let holds = self.terms.nonzero(bits);
                self.check(state, Kind::Assertion, holds, "an assertion does not hold");
            }
            "__VERIFIER_error" | "reach_error" => {
                self.check(state, Kind::Error, Terms::FALSE, format!("{} is reached", call.name));
            }
            "__assert_fail" => {
                let text = self.arg_pointer(call, 0)?;
                let words = self.literal(state, &text)?.unwrap_or_default();
                let words = String::from_utf8_lossy(&words).into_owned();
                self.check(state, Kind::Assertion, Terms::FALSE, format!("assertion failed: {words}"));
            }
            "heddle_failed" => {
                let text = self.arg_pointer(call, 0)?;
                let words = self.literal(state, &text)?.unwrap_or_default();
                let words = String::from_utf8_lossy(&words).into_owned();
                self.check(state, Kind::Assertion, Terms::FALSE, format!("assertion failed: {words}"));
            }
            // Only executions that go on for ever ask for these.
            "heddle_progress" | "heddle_prop" => {}
            _ => return Ok(Answer::Unknown),
        }
        Ok(Answer::Returns(None))
    }

    /// Goes on only where `holds`.
    pub(crate) fn assume(&mut self, state: &mut State, holds: crate::term::TermId) {
        self.event(state.guard, Action::Assume(holds));
        state.guard = self.terms.and(state.guard, holds);
    }

    fn input(&mut self, state: &mut State, call: &Call<'_>, what: &str) -> Result<Answer, Refusal> {
        let ty = self.module.types[call.result as usize].clone();
        let sort = match ty {
            Type::Int(1) => Sort::Bool,
            Type::Int(bits) => Sort::Bits(bits as u8),
            _ => return self.refuse(format!("an input of type {what}")),
        };
        let given = self.options.inputs.get(self.inputs.len()).copied();
        let value = match (given, sort) {
            (Some(value), Sort::Bool) => self.terms.bool(value & 1 != 0),
            (Some(value), Sort::Bits(width)) => self.terms.constant(width, value),
            (None, sort) => match self.kept_input(sort) {
                Some(kept) => kept,
                None => self.terms.variable(sort, format!("input {}", self.inputs.len())),
            },
        };
        // A bool that clang passes as a byte is 0 or 1.
        let value = if what == "bool" && sort == Sort::Bits(8) {
            let one = self.terms.constant(8, 1);
            self.terms.bit_and(value, one)
        } else {
            value
        };
        self.inputs.push(Input {
            thread: self.current(),
            guard: state.guard,
            value,
            site: self.site(),
            function: call.name.to_owned(),
        });
        Ok(Answer::Returns(Some(Value::Term(value))))
    }
}
