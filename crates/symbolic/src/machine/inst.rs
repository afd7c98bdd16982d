//! Single instructions.

use super::run::{Frame, State};
use super::{Kind, Machine, Refusal};
use crate::ir::{BinOp, CastOp, Inst, Operand, Predicate, RmwOp, TypeId};
use crate::memory::{Alternative, Key, Pointer, Rest, Value, bits_of, merge_values};
use crate::term::{Sort, TermId, Terms};

/// The most bytes of local variables of a thread: half of the stack that the system gives it.
const STACK: u64 = 4 << 20;

impl Machine<'_> {
    /// Executes one instruction.
    pub(crate) fn instruction(&mut self, frame: &mut Frame, state: &mut State, inst: &Inst) -> Result<(), Refusal> {
        let atomic = matches!(
            inst,
            Inst::Load { atomic: true, .. }
                | Inst::Store { atomic: true, .. }
                | Inst::Rmw { .. }
                | Inst::CompareExchange { .. }
                | Inst::Fence
        );
        if atomic && self.is_quiet() {
            return self.visible("an atomic access");
        }
        match inst {
            Inst::Bin { op, dst, a, b, signed_wrap } => {
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                let value = self.binary(state, *op, &a, &b, *signed_wrap)?;
                frame.registers[*dst as usize] = Some(value);
            }
            Inst::Compare { predicate, dst, a, b } => {
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                let truth = self.compare(*predicate, &a, &b)?;
                frame.registers[*dst as usize] = Some(Value::Term(truth));
            }
            Inst::Float { op, dst, a, b } => {
                let (a, b) = (self.bits(frame, a)?, self.bits(frame, b)?);
                let value = self.float_binary(*op, a, b)?;
                frame.registers[*dst as usize] = Some(Value::Term(value));
            }
            Inst::FloatNegate { dst, a } => {
                let a = self.bits(frame, a)?;
                let width = self.terms.width(a);
                let sign = self.terms.constant(width, 1 << (width - 1));
                frame.registers[*dst as usize] = Some(Value::Term(self.terms.bit_xor(a, sign)));
            }
            Inst::FloatCompare { predicate, dst, a, b } => {
                let (a, b) = (self.bits(frame, a)?, self.bits(frame, b)?);
                let truth = self.float_compare(*predicate, a, b)?;
                frame.registers[*dst as usize] = Some(Value::Term(truth));
            }
            Inst::Cast { op, dst, a, to, .. } => {
                let a = self.operand(frame, a)?;
                let value = self.cast(*op, a, *to)?;
                frame.registers[*dst as usize] = Some(value);
            }
            Inst::Select { dst, condition, a, b } => {
                let condition = self.truth(frame, condition)?;
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                frame.registers[*dst as usize] = Some(merge_values(&mut self.terms, condition, &a, &b));
            }
            Inst::Address { dst, base, constant, terms, .. } => {
                let mut sum = self.terms.constant(64, *constant as u128);
                for (index, scale) in terms {
                    let index = self.bits(frame, index)?;
                    let index = self.resize(index, 64, true);
                    let scaled = self.terms.scale(index, *scale as u128);
                    sum = self.terms.add(sum, scaled);
                }
                let base = self.operand(frame, base)?;
                let value = match base {
                    Value::Pointer(pointer) => Value::Pointer(pointer.add(&mut self.terms, sum)),
                    other => {
                        let bits = self.value_bits(&other)?;
                        Value::Term(self.terms.add(bits, sum))
                    }
                };
                frame.registers[*dst as usize] = Some(value);
            }
            Inst::Load { dst, ptr, ty, atomic, .. } => {
                let pointer = self.pointer(frame, ptr)?;
                let value = self.load(state, &pointer, *ty, *atomic)?;
                frame.registers[*dst as usize] = Some(value);
            }
            Inst::Store { value, ptr, ty, atomic, .. } => {
                let pointer = self.pointer(frame, ptr)?;
                let value = self.operand(frame, value)?;
                self.store(state, &pointer, *ty, value, *atomic)?;
            }
            Inst::Rmw { op, dst, ptr, value, ty } => {
                let pointer = self.pointer(frame, ptr)?;
                let value = self.operand(frame, value)?;
                self.note_pointers(&pointer, &value);
                let value = self.value_bits(&value)?;
                let op = *op;
                let old =
                    self.update(state, &pointer, *ty, |machine, old| (machine.modify(op, old, value), Terms::TRUE))?;
                frame.registers[*dst as usize] = Some(old);
            }
            Inst::CompareExchange { dst, ptr, expected, new, ty } => {
                let pointer = self.pointer(frame, ptr)?;
                let (expected, new) = (self.bits(frame, expected)?, self.operand(frame, new)?);
                self.note_pointers(&pointer, &new);
                let new = self.value_bits(&new)?;
                let mut success = Terms::FALSE;
                let old = self.update(state, &pointer, *ty, |machine, old| {
                    success = machine.terms.eq(old, expected);
                    (new, success)
                })?;
                // With several places, the old value decides.
                let bits = self.value_bits(&old)?;
                let success = if pointer.alternatives().len() == 1 { success } else { self.terms.eq(bits, expected) };
                frame.registers[*dst as usize] = Some(Value::Parts([old, Value::Term(success)].into()));
            }
            Inst::Fence => {}
            Inst::Alloca { dst, size, count, .. } => {
                let count = self.bits(frame, count)?;
                let count = self.resize(count, 64, false);
                let size = self.terms.scale(count, u128::from(*size));
                self.take_stack(size)?;
                let object = self.make(state, size, false, Rest::Unwritten);
                frame.locals.push(object);
                let zero = self.terms.constant(64, 0);
                frame.registers[*dst as usize] = Some(Value::Pointer(Pointer::new(object, zero)));
            }
            Inst::Copy { dst, value } => {
                let value = self.operand(frame, value)?;
                frame.registers[*dst as usize] = Some(value);
            }
            // Done on the way into the block.
            Inst::Phi { .. } => {}
            Inst::Call { dst, callee, args, result } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(match arg {
                        // Metadata and the like: arguments of intrinsics that nobody looks at.
                        Operand::Const(crate::ir::Constant::Refused(_)) => Value::Term(Terms::FALSE),
                        arg => self.operand(frame, arg)?,
                    });
                }
                let callee = self.pointer(frame, callee)?;
                let value = self.call_pointer(frame, state, &callee, values, *result)?;
                if let (Some(dst), Some(value)) = (dst, value) {
                    frame.registers[*dst as usize] = Some(value);
                }
            }
            Inst::Extract { dst, aggregate, path } => {
                let mut value = self.operand(frame, aggregate)?;
                for index in path {
                    let Value::Parts(parts) = &value else { return self.refuse("a part of something whole") };
                    value = parts[*index as usize].clone();
                }
                frame.registers[*dst as usize] = Some(value);
            }
            Inst::Insert { dst, aggregate, value, path } => {
                let aggregate = self.operand(frame, aggregate)?;
                let value = self.operand(frame, value)?;
                let Some(changed) = insert(&aggregate, path, value) else {
                    return self.refuse("a part of something whole");
                };
                frame.registers[*dst as usize] = Some(changed);
            }
            Inst::Refused { what, .. } => return self.refuse(what.clone()),
        }
        Ok(())
    }

    /// Calls what a pointer can point to.
    fn call_pointer(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        callee: &Pointer,
        args: Vec<Value>,
        result: TypeId,
    ) -> Result<Option<Value>, Refusal> {
        let Some((Alternative { guard, base, .. }, rest)) = callee.alternatives().split_first() else {
            return Ok(None);
        };
        let (guard, base) = (*guard, *base);
        if rest.is_empty() {
            return self.call_one(frame, state, base, args, result);
        }
        let rest = Pointer::of(&mut self.terms, rest.iter().copied());
        let mut second = frame.clone();
        let (a, b) = {
            let other_args = args.clone();
            self.choose(
                state,
                guard,
                |machine, state| machine.call_one(frame, state, base, args, result),
                |machine, state| machine.call_pointer(&mut second, state, &rest, other_args, result),
            )?
        };
        Ok(match (a.flatten(), b.flatten()) {
            (Some(a), Some(b)) => Some(merge_values(&mut self.terms, guard, &a, &b)),
            (a, b) => a.or(b),
        })
    }

    fn call_one(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        base: Option<crate::memory::ObjId>,
        args: Vec<Value>,
        result: TypeId,
    ) -> Result<Option<Value>, Refusal> {
        let function = base.and_then(|base| match self.objects[base].key {
            Key::Function(function) => Some(function),
            _ => None,
        });
        let Some(function) = function else {
            self.check(state, Kind::Null, Terms::FALSE, "a call of something that is no function");
            return Ok(None);
        };
        self.call_function(frame, state, function, args, result)
    }

    /// Arithmetic on integers. Addresses that are moved by numbers stay addresses.
    fn binary(
        &mut self,
        state: &mut State,
        op: BinOp,
        a: &Value,
        b: &Value,
        signed_wrap: bool,
    ) -> Result<Value, Refusal> {
        match (op, a, b) {
            (BinOp::Add, Value::Pointer(pointer), Value::Term(bytes))
            | (BinOp::Add, Value::Term(bytes), Value::Pointer(pointer)) => {
                return Ok(Value::Pointer(pointer.add(&mut self.terms, *bytes)));
            }
            (BinOp::Sub, Value::Pointer(pointer), Value::Term(bytes)) => {
                let minus = self.terms.neg(*bytes);
                return Ok(Value::Pointer(pointer.add(&mut self.terms, minus)));
            }
            _ => {}
        }
        let truth = matches!(a, Value::Term(term) if self.terms.sort(*term) == Sort::Bool);
        let (a, b) = (self.value_bits(a)?, self.value_bits(b)?);
        let width = self.terms.width(a);
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            let not_zero = self.terms.nonzero(b);
            self.check(state, Kind::Division, not_zero, "division by zero");
            if matches!(op, BinOp::SDiv | BinOp::SRem) && width > 1 {
                let smallest = self.terms.constant(width, 1 << (width - 1));
                let minus_one = self.terms.constant(width, u128::MAX);
                let (x, y) = (self.terms.ne(a, smallest), self.terms.ne(b, minus_one));
                let fits = self.terms.or(x, y);
                self.check(state, Kind::Division, fits, "the smallest number is divided by -1");
            }
        }
        if self.options.undefined {
            self.check_undefined(state, op, a, b, signed_wrap);
        }
        if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            let term = self.shift(op, a, b);
            return Ok(Value::Term(if truth { self.terms.nonzero(term) } else { term }));
        }
        let terms = &mut self.terms;
        let term = match op {
            BinOp::Add => terms.add(a, b),
            BinOp::Sub => terms.sub(a, b),
            BinOp::Mul => terms.mul(a, b),
            BinOp::UDiv => terms.udiv(a, b),
            BinOp::SDiv => terms.sdiv(a, b),
            BinOp::URem => terms.urem(a, b),
            BinOp::SRem => terms.srem(a, b),
            BinOp::Shl => terms.shl(a, b),
            BinOp::LShr => terms.lshr(a, b),
            BinOp::AShr => terms.ashr(a, b),
            BinOp::And => terms.bit_and(a, b),
            BinOp::Or => terms.bit_or(a, b),
            BinOp::Xor => terms.bit_xor(a, b),
        };
        Ok(Value::Term(if truth { terms.nonzero(term) } else { term }))
    }

    /// A shift. By the width or more it gives anything: processors and optimisers differ.
    fn shift(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.terms;
        let shifted = match op {
            BinOp::Shl => terms.shl(a, b),
            BinOp::LShr => terms.lshr(a, b),
            _ => terms.ashr(a, b),
        };
        let width = terms.width(a);
        if terms.interval(b).1 < u128::from(width) {
            return shifted;
        }
        let limit = terms.constant(width, u128::from(width));
        let small = terms.ult(b, limit);
        if small == Terms::TRUE {
            return shifted;
        }
        let anything = terms.variable(Sort::Bits(width), "indeterminate");
        terms.ite(small, shifted, anything)
    }

    /// Overflow of signed arithmetic: carried out with twice the width. Shifts: by less than the width.
    fn check_undefined(&mut self, state: &mut State, op: BinOp, a: TermId, b: TermId, signed_wrap: bool) {
        let width = self.terms.width(a);
        if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            let limit = self.terms.constant(width, u128::from(width));
            let small = self.terms.ult(b, limit);
            self.check(state, Kind::Shift, small, "a shift by the width or more");
            return;
        }
        if !signed_wrap || !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
            return;
        }
        let wide = if op == BinOp::Mul { (2 * u32::from(width)).min(128) as u8 } else { (width + 1).min(128) };
        let (x, y) = (self.terms.sext(a, wide), self.terms.sext(b, wide));
        let (exact, short) = match op {
            BinOp::Add => (self.terms.add(x, y), self.terms.add(a, b)),
            BinOp::Sub => (self.terms.sub(x, y), self.terms.sub(a, b)),
            _ => (self.terms.mul(x, y), self.terms.mul(a, b)),
        };
        let back = self.terms.sext(short, wide);
        let fits = self.terms.eq(exact, back);
        self.check(state, Kind::Overflow, fits, "signed arithmetic overflows");
    }

    /// Refuses local variables for which the stack may be too small.
    fn take_stack(&mut self, size: TermId) -> Result<(), Refusal> {
        let bytes = self.terms.interval(size).1.min(u128::from(u64::MAX)) as u64;
        self.stack = self.stack.saturating_add(bytes);
        if self.stack > STACK {
            return self.refuse("local variables of more than 4 MiB: the stack may be too small");
        }
        Ok(())
    }

    pub(crate) fn compare(&mut self, predicate: Predicate, a: &Value, b: &Value) -> Result<TermId, Refusal> {
        let (a, b) = (self.value_bits(a)?, self.value_bits(b)?);
        let terms = &mut self.terms;
        Ok(match predicate {
            Predicate::Eq => terms.eq(a, b),
            Predicate::Ne => terms.ne(a, b),
            Predicate::Ugt => terms.ult(b, a),
            Predicate::Uge => terms.ule(b, a),
            Predicate::Ult => terms.ult(a, b),
            Predicate::Ule => terms.ule(a, b),
            Predicate::Sgt => terms.slt(b, a),
            Predicate::Sge => terms.sle(b, a),
            Predicate::Slt => terms.slt(a, b),
            Predicate::Sle => terms.sle(a, b),
        })
    }

    /// A number with another width.
    pub(crate) fn resize(&mut self, bits: TermId, width: u8, signed: bool) -> TermId {
        let old = self.terms.width(bits);
        match old.cmp(&width) {
            std::cmp::Ordering::Equal => bits,
            std::cmp::Ordering::Greater => self.terms.trunc(bits, width),
            std::cmp::Ordering::Less if signed => self.terms.sext(bits, width),
            std::cmp::Ordering::Less => self.terms.zext(bits, width),
        }
    }

    fn cast(&mut self, op: CastOp, a: Value, to: TypeId) -> Result<Value, Refusal> {
        let width = self.module.bits(to).unwrap_or(0) as u8;
        match op {
            // Both are numbers and addresses at once.
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bits if width == 64 => {
                if let Value::Term(term) = a
                    && self.terms.width(term) < 64
                {
                    return Ok(Value::Term(self.resize(term, 64, false)));
                }
                return Ok(a);
            }
            CastOp::Bits => return Ok(a),
            _ => {}
        }
        let Some(bits) = bits_of(&mut self.terms, &a) else { return self.refuse("a conversion of an aggregate") };
        let term = match op {
            CastOp::Trunc | CastOp::PtrToInt | CastOp::ZExt | CastOp::IntToPtr => self.resize(bits, width, false),
            CastOp::SExt => self.resize(bits, width, true),
            _ => self.float_cast(op, bits, to)?,
        };
        Ok(Value::Term(if width == 1 { self.terms.nonzero(term) } else { term }))
    }

    fn modify(&mut self, op: RmwOp, old: TermId, value: TermId) -> TermId {
        let terms = &mut self.terms;
        match op {
            RmwOp::Exchange => value,
            RmwOp::Add => terms.add(old, value),
            RmwOp::Sub => terms.sub(old, value),
            RmwOp::And => terms.bit_and(old, value),
            RmwOp::Nand => {
                let and = terms.bit_and(old, value);
                terms.bit_not(and)
            }
            RmwOp::Or => terms.bit_or(old, value),
            RmwOp::Xor => terms.bit_xor(old, value),
            RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => {
                let less =
                    if matches!(op, RmwOp::Max | RmwOp::Min) { terms.slt(old, value) } else { terms.ult(old, value) };
                if matches!(op, RmwOp::Max | RmwOp::UMax) {
                    terms.ite(less, value, old)
                } else {
                    terms.ite(less, old, value)
                }
            }
        }
    }
}

/// An aggregate with one part changed.
fn insert(aggregate: &Value, path: &[u32], value: Value) -> Option<Value> {
    let Some((first, rest)) = path.split_first() else { return Some(value) };
    let Value::Parts(parts) = aggregate else { return None };
    let mut parts: Vec<Value> = parts.to_vec();
    let part = parts.get_mut(*first as usize)?;
    *part = insert(part, rest, value)?;
    Some(Value::Parts(parts.into()))
}
