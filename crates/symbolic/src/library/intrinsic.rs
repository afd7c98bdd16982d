//! LLVM's intrinsic functions, as clang emits them without optimisation.

use super::{Answer, Call};
use crate::ir::FloatOp;
use crate::machine::{Kind, Machine, Refusal, State};
use crate::memory::Value;
use crate::term::{Sort, TermId, Terms};

impl Machine<'_> {
    pub(super) fn intrinsic(&mut self, state: &mut State, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Some(name) = call.name.strip_prefix("llvm.") else { return Ok(Answer::Unknown) };
        let base = name.split('.').next().unwrap_or_default();
        let overflow = name.contains(".with.overflow");
        let value = match base {
            "lifetime" | "assume" | "donothing" | "stackrestore" | "prefetch" | "invariant" | "annotation" | "dbg"
            | "experimental" => return Ok(Answer::Returns(None)),
            "stacksave" => Value::Pointer(crate::memory::Pointer::null(&mut self.terms)),
            "expect" | "launder" | "strip" | "ssa" | "threadlocal" => call.args[0].clone(),
            "trap" | "debugtrap" | "ubsantrap" => {
                self.check(state, Kind::Abort, Terms::FALSE, "a trap is reached");
                return Ok(Answer::Returns(None));
            }
            "memcpy" | "memmove" => {
                let size = self.arg_constant(call, 2)?;
                let (to, from) = (self.arg_pointer(call, 0)?, self.arg_pointer(call, 1)?);
                self.copy(state, &to, &from, size)?;
                return Ok(Answer::Returns(None));
            }
            "memset" => {
                let size = self.arg_constant(call, 2)?;
                let (to, byte) = (self.arg_pointer(call, 0)?, self.arg_bits(call, 1)?);
                self.set_bytes(state, &to, byte, size)?;
                return Ok(Answer::Returns(None));
            }
            "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" if overflow => {
                let (a, b) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?);
                let (result, flag) = self.overflowing(base, a, b)?;
                Value::Parts([Value::Term(result), Value::Term(flag)].into())
            }
            "abs" => {
                let a = self.arg_bits(call, 0)?;
                Value::Term(self.absolute(a))
            }
            "smax" | "smin" | "umax" | "umin" => {
                let (a, b) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?);
                let less = if base.starts_with('s') { self.terms.slt(a, b) } else { self.terms.ult(a, b) };
                Value::Term(if base.ends_with("max") { self.terms.ite(less, b, a) } else { self.terms.ite(less, a, b) })
            }
            // Without an instruction for both at once, which nobody asked the compiler for, it is two operations.
            "fmuladd" => {
                let (a, b, c) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?, self.arg_bits(call, 2)?);
                let product = self.float_binary(FloatOp::Mul, a, b)?;
                Value::Term(self.float_binary(FloatOp::Add, product, c)?)
            }
            "fabs" => {
                let a = self.arg_bits(call, 0)?;
                let width = self.terms.width(a);
                let rest = self.terms.constant(width, !(1 << (width - 1)));
                Value::Term(self.terms.bit_and(a, rest))
            }
            "bswap" => {
                let a = self.arg_bits(call, 0)?;
                let mut result: Option<TermId> = None;
                for byte in 0..self.terms.width(a) / 8 {
                    let part = self.terms.extract(a, byte * 8 + 7, byte * 8);
                    result = Some(match result {
                        None => part,
                        Some(high) => self.terms.concat(high, part),
                    });
                }
                Value::Term(result.unwrap_or(a))
            }
            "ctpop" | "ctlz" | "cttz" => {
                let a = self.arg_bits(call, 0)?;
                let counted = self.count_bits(base, a);
                // Of zero bits it may be anything, if the second argument says so.
                let poison = match call.args.get(1) {
                    Some(_) if base != "ctpop" => self.arg_constant(call, 1)? != 0,
                    _ => false,
                };
                if poison {
                    let width = self.terms.width(a);
                    let some = self.terms.nonzero(a);
                    let anything = self.terms.variable(Sort::Bits(width), "indeterminate");
                    Value::Term(self.terms.ite(some, counted, anything))
                } else {
                    Value::Term(counted)
                }
            }
            "fshl" | "fshr" => {
                let (a, b, c) = (self.arg_bits(call, 0)?, self.arg_bits(call, 1)?, self.arg_bits(call, 2)?);
                Value::Term(self.funnel(base == "fshl", a, b, c))
            }
            _ => return self.refuse(format!("LLVM's {}", call.name)),
        };
        Ok(Answer::Returns(Some(value)))
    }

    pub(super) fn absolute(&mut self, a: TermId) -> TermId {
        let width = self.terms.width(a);
        let zero = self.terms.constant(width, 0);
        let negative = self.terms.slt(a, zero);
        let minus = self.terms.neg(a);
        self.terms.ite(negative, minus, a)
    }

    fn overflowing(&mut self, base: &str, a: TermId, b: TermId) -> Result<(TermId, TermId), Refusal> {
        let width = self.terms.width(a);
        let multiplied = base.ends_with("mul");
        if multiplied && width > 64 {
            return self.refuse("a multiplication of more than 64 bits with overflow");
        }
        let wide = if multiplied { width * 2 } else { width + 1 };
        let signed = base.starts_with('s');
        let (x, y) = (self.resize(a, wide, signed), self.resize(b, wide, signed));
        let exact = match &base[1..] {
            "add" => self.terms.add(x, y),
            "sub" => self.terms.sub(x, y),
            _ => self.terms.mul(x, y),
        };
        let result = self.terms.trunc(exact, width);
        let back = self.resize(result, wide, signed);
        Ok((result, self.terms.ne(exact, back)))
    }

    fn count_bits(&mut self, base: &str, a: TermId) -> TermId {
        let width = self.terms.width(a);
        let mut result = self.terms.constant(width, if base == "ctpop" { 0 } else { u128::from(width) });
        let order: Vec<u8> = if base == "cttz" { (0..width).rev().collect() } else { (0..width).collect() };
        for bit in order {
            let one = self.terms.extract(a, bit, bit);
            let set = self.terms.nonzero(one);
            result = match base {
                "ctpop" => {
                    let wide = self.terms.zext(one, width);
                    self.terms.add(result, wide)
                }
                _ => {
                    let at = if base == "cttz" { bit } else { width - 1 - bit };
                    let count = self.terms.constant(width, u128::from(at));
                    self.terms.ite(set, count, result)
                }
            };
        }
        result
    }

    fn funnel(&mut self, left: bool, a: TermId, b: TermId, by: TermId) -> TermId {
        let width = self.terms.width(a);
        let modulus = self.terms.constant(width, u128::from(width));
        let by = self.terms.urem(by, modulus);
        let rest = self.terms.sub(modulus, by);
        let zero = self.terms.constant(width, 0);
        let none = self.terms.eq(by, zero);
        let (high, low) = if left {
            (self.terms.shl(a, by), self.terms.lshr(b, rest))
        } else {
            (self.terms.shl(a, rest), self.terms.lshr(b, by))
        };
        let both = self.terms.bit_or(high, low);
        let same = if left { a } else { b };
        self.terms.ite(none, same, both)
    }
}
