//! Loads and stores, with the checks that belong to them.
//!
//! An access goes to each object that its pointer can point to, under that alternative's guard. Bytes that several threads use are
//! events ([`threads`](super::threads)); all others are read and written in the thread's own view of memory.

use super::run::{Frame, State};
use super::threads::{Action, Where};
use super::{Kind, Machine, Refusal};
use crate::ir::{Type, TypeId};
use crate::memory::{Alternative, Contents, Key, ObjId, Pointer, Rest, Value, merge_values};
use crate::term::{Node, Sort, TermId, Terms};

/// The most cells that an access with an open offset can go to.
const CELLS: u64 = 4096;

/// The place of the byte that says whether an object has ended: behind everything that can be accessed.
pub(crate) const ENDED: u64 = 1 << 27;

/// How an access is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Load,
    Store,
}

impl Machine<'_> {
    /// Checks an access and leaves the alternatives that can be meant.
    pub(crate) fn checked(
        &mut self,
        state: &mut State,
        pointer: &Pointer,
        size: TermId,
        write: bool,
    ) -> Result<Vec<Alternative>, Refusal> {
        let mut kept = Vec::new();
        for alternative in pointer.alternatives() {
            let here = self.terms.and(state.guard, alternative.guard);
            if here == Terms::FALSE {
                continue;
            }
            let not = self.terms.not(alternative.guard);
            let Some(base) = alternative.base else {
                let (kind, words) = match self.terms.as_constant(alternative.offset) {
                    Some(0..4096) => (Kind::Null, "a null pointer is used"),
                    _ => (Kind::Bounds, "an address of no object is used"),
                };
                self.check(state, kind, not, words);
                continue;
            };
            let object = &self.objects[base];
            let (object_size, constant, heap) = (object.size, object.constant, object.is_heap());
            let mortal = matches!(object.key, Key::Made(..));
            let alive = if mortal { self.alive(state, base, alternative.guard) } else { Terms::TRUE };
            let there = self.terms.or(not, alive);
            let words =
                if heap { "a block is used after it was freed" } else { "a local variable is used after its end" };
            self.check(state, Kind::Dangling, there, words);
            // offset <= object size - size, and size <= object size: no sum that could wrap.
            let fits = self.terms.ule(size, object_size);
            let last = self.terms.sub(object_size, size);
            let inside = self.terms.ule(alternative.offset, last);
            let both = self.terms.and(fits, inside);
            let fine = self.terms.or(not, both);
            self.check(state, Kind::Bounds, fine, "an access outside of its object");
            if write && constant {
                self.check(state, Kind::Constant, not, "a write to a constant");
                continue;
            }
            if self.terms.and(state.guard, alternative.guard) != Terms::FALSE {
                kept.push(*alternative);
            }
        }
        Ok(kept)
    }

    /// Loads a value of a type.
    pub(crate) fn load(
        &mut self,
        state: &mut State,
        pointer: &Pointer,
        ty: TypeId,
        atomic: bool,
    ) -> Result<Value, Refusal> {
        let module = self.module;
        match &module.types[ty as usize] {
            Type::Struct(fields, _) => {
                let parts: Result<Vec<Value>, Refusal> = fields
                    .iter()
                    .map(|(offset, ty)| {
                        let moved = self.moved(pointer, *offset);
                        self.load(state, &moved, *ty, atomic)
                    })
                    .collect();
                return Ok(Value::Parts(parts?.into()));
            }
            Type::Array(element, count, stride) => {
                let parts: Result<Vec<Value>, Refusal> = (0..*count)
                    .map(|index| {
                        let moved = self.moved(pointer, index * stride);
                        self.load(state, &moved, *element, atomic)
                    })
                    .collect();
                return Ok(Value::Parts(parts?.into()));
            }
            Type::Refused(what) => return self.refuse(format!("a value of type {what}")),
            _ => {}
        }
        let size = module.size(ty) as u32;
        let is_pointer = module.types[ty as usize] == Type::Pointer;
        let bytes = self.terms.constant(64, u128::from(size));
        let alternatives = self.checked(state, pointer, bytes, false)?;
        let value = self.load_bytes(state, &alternatives, size, is_pointer, !atomic)?;
        self.typed(value, ty)
    }

    /// Loads so many bytes; the access is checked.
    pub(crate) fn load_bytes(
        &mut self,
        state: &mut State,
        alternatives: &[Alternative],
        size: u32,
        is_pointer: bool,
        plain: bool,
    ) -> Result<Value, Refusal> {
        let mut result: Option<Value> = None;
        for alternative in alternatives.iter().rev() {
            let Some(base) = alternative.base else { continue };
            let place = Where { object: base, offset: alternative.offset, size };
            let value = if self.contested_read(&place) {
                let guard = self.terms.and(state.guard, alternative.guard);
                let value = self.terms.variable(Sort::Bits((size * 8) as u8), "read");
                self.note_access(&place, false, false);
                self.event(guard, Action::Load { place, value, plain });
                if is_pointer { self.shared_pointer(base, value)? } else { Value::Term(value) }
            } else {
                self.note_access(&place, false, true);
                self.tell(state, alternative.guard, &place, (false, plain));
                self.view(state, Use::Load, &place, None, Terms::TRUE)?.unwrap_or(Value::Term(Terms::FALSE))
            };
            result = Some(match result {
                None => value,
                Some(other) => merge_values(&mut self.terms, alternative.guard, &value, &other),
            });
        }
        Ok(match result {
            Some(value) => value,
            None => Value::Term(self.terms.constant((size * 8) as u8, 0)),
        })
    }

    /// Stores a value of a type.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        pointer: &Pointer,
        ty: TypeId,
        value: Value,
        atomic: bool,
    ) -> Result<(), Refusal> {
        let module = self.module;
        if let Value::Parts(parts) = &value {
            let places: Vec<(u64, TypeId)> = match &module.types[ty as usize] {
                Type::Struct(fields, _) => fields.clone(),
                Type::Array(element, count, stride) => (0..*count).map(|i| (i * stride, *element)).collect(),
                _ => return self.refuse("an aggregate as a number"),
            };
            for ((offset, ty), part) in places.into_iter().zip(parts.iter()) {
                let moved = self.moved(pointer, offset);
                self.store(state, &moved, ty, part.clone(), atomic)?;
            }
            return Ok(());
        }
        let size = module.size(ty) as u32;
        let value = self.whole_bytes(value, size)?;
        let bytes = self.terms.constant(64, u128::from(size));
        let alternatives = self.checked(state, pointer, bytes, true)?;
        self.store_bytes(state, &alternatives, size, &value, !atomic)
    }

    /// Stores so many bytes; the access is checked.
    pub(crate) fn store_bytes(
        &mut self,
        state: &mut State,
        alternatives: &[Alternative],
        size: u32,
        value: &Value,
        plain: bool,
    ) -> Result<(), Refusal> {
        for alternative in alternatives {
            let Some(base) = alternative.base else { continue };
            let place = Where { object: base, offset: alternative.offset, size };
            let contested = self.contested(&place);
            self.note_access(&place, true, !contested);
            self.tell(state, alternative.guard, &place, (true, plain));
            self.note_pointer(base, value);
            if contested {
                let guard = self.terms.and(state.guard, alternative.guard);
                let bits = self.value_bits(value)?;
                self.event(guard, Action::Store { place, value: bits, plain });
            }
            self.view(state, Use::Store, &place, Some(value), alternative.guard)?;
        }
        Ok(())
    }

    /// Reads and writes in one step. `change` makes the new value, and whether it is written, of the old one. Returns the old one.
    pub(crate) fn update(
        &mut self,
        state: &mut State,
        pointer: &Pointer,
        ty: TypeId,
        mut change: impl FnMut(&mut Self, TermId) -> (TermId, TermId),
    ) -> Result<Value, Refusal> {
        let size = self.module.size(ty) as u32;
        let is_pointer = self.module.types[ty as usize] == Type::Pointer;
        let bytes = self.terms.constant(64, u128::from(size));
        let alternatives = self.checked(state, pointer, bytes, true)?;
        let mut result: Option<Value> = None;
        for alternative in alternatives.iter().rev() {
            let Some(base) = alternative.base else { continue };
            let place = Where { object: base, offset: alternative.offset, size };
            let contested = self.contested(&place);
            self.note_access(&place, true, !contested);
            self.tell(state, alternative.guard, &place, (true, false));
            let old = if contested && self.is_started() {
                let guard = self.terms.and(state.guard, alternative.guard);
                let old = self.terms.variable(Sort::Bits((size * 8) as u8), "read");
                let (new, writes) = change(self, old);
                self.event(guard, Action::Update { place, old, new, writes });
                if is_pointer { self.shared_pointer(base, old)? } else { Value::Term(old) }
            } else {
                let old = self.view(state, Use::Load, &place, None, Terms::TRUE)?.unwrap_or(Value::Term(Terms::FALSE));
                let bits = self.value_bits(&old)?;
                let (new, writes) = change(self, bits);
                let when = self.terms.and(writes, alternative.guard);
                let new = if is_pointer {
                    Pointer::from_bits(&mut self.terms, &self.objects, new).map_or(Value::Term(new), Value::Pointer)
                } else {
                    Value::Term(new)
                };
                if contested {
                    let guard = self.terms.and(state.guard, when);
                    let bits = self.value_bits(&new)?;
                    self.event(guard, Action::Store { place, value: bits, plain: false });
                }
                self.view(state, Use::Store, &place, Some(&new), when)?;
                old
            };
            result = Some(match result {
                None => old,
                Some(other) => merge_values(&mut self.terms, alternative.guard, &old, &other),
            });
        }
        let value = result.unwrap_or_else(|| Value::Term(self.terms.constant((size * 8) as u8, 0)));
        self.typed(value, ty)
    }

    /// A value that fills so many bytes: truth values and odd widths get zeros in front.
    fn whole_bytes(&mut self, value: Value, size: u32) -> Result<Value, Refusal> {
        if let Value::Pointer(_) = value {
            return Ok(value);
        }
        let bits = self.value_bits(&value)?;
        Ok(Value::Term(self.resize(bits, (size * 8) as u8, false)))
    }

    /// Bytes as a value of a scalar type.
    fn typed(&mut self, value: Value, ty: TypeId) -> Result<Value, Refusal> {
        let width = self.module.bits(ty).unwrap_or(8) as u8;
        if matches!(value, Value::Pointer(_)) && width == 64 {
            return Ok(value);
        }
        let bits = self.value_bits(&value)?;
        let term = self.resize(bits, width, false);
        Ok(Value::Term(if width == 1 { self.terms.nonzero(term) } else { term }))
    }

    fn moved(&mut self, pointer: &Pointer, bytes: u64) -> Pointer {
        let bytes = self.terms.constant(64, u128::from(bytes));
        pointer.add(&mut self.terms, bytes)
    }

    /// The contents of an object in the thread's view; those of a global variable are there from its first use on.
    pub(crate) fn contents<'s>(&mut self, state: &'s mut State, object: ObjId) -> Result<&'s mut Contents, Refusal> {
        if state.memory.get(object).is_none() {
            // An object that another thread made after this one began.
            let rest = self.fresh_of(object).unwrap_or(Rest::Unwritten);
            let contents = self.initial(object).unwrap_or_else(|| Contents::new(rest));
            state.memory.set(object, contents);
        }
        match state.memory.get_mut(object) {
            Some(contents) => Ok(contents),
            None => self.refuse("an object without contents"),
        }
    }

    /// Reads or writes the thread's own view of an object, at an offset that may be open.
    fn view(
        &mut self,
        state: &mut State,
        how: Use,
        place: &Where,
        value: Option<&Value>,
        when: TermId,
    ) -> Result<Option<Value>, Refusal> {
        let Where { object, offset, size } = *place;
        let offsets = self.offsets(object, offset, size)?;
        let open = self.terms.as_constant(offset).is_none();
        self.contents(state, object)?;
        let mut result: Option<Value> = None;
        for at in offsets {
            let here = if open {
                let constant = self.terms.constant(64, u128::from(at));
                self.terms.eq(offset, constant)
            } else {
                Terms::TRUE
            };
            if here == Terms::FALSE {
                continue;
            }
            let Some(contents) = state.memory.get_mut(object) else { continue };
            match (how, value) {
                (Use::Store, Some(value)) => {
                    let when = self.terms.and(here, when);
                    let value = if when == Terms::TRUE {
                        value.clone()
                    } else {
                        let (old, _) = contents.read(&mut self.terms, at, size);
                        merge_values(&mut self.terms, when, value, &old)
                    };
                    contents.write(&mut self.terms, at, size, value);
                }
                _ => {
                    let (found, _) = contents.read(&mut self.terms, at, size);
                    result = Some(match result {
                        None => found,
                        Some(other) => merge_values(&mut self.terms, here, &found, &other),
                    });
                }
            }
        }
        if how == Use::Load && result.is_none() {
            result = Some(Value::Term(self.terms.constant((size * 8) as u8, 0)));
        }
        Ok(result)
    }

    /// The offsets that an access can have, in the bounds of its object.
    pub(crate) fn offsets(&mut self, object: ObjId, offset: TermId, size: u32) -> Result<Vec<u64>, Refusal> {
        if let Some(constant) = self.terms.as_constant(offset) {
            return Ok(vec![constant as u64]);
        }
        let object_size = self.objects[object].size;
        let (_, limit) = self.terms.interval(object_size);
        let (low, high) = self.terms.interval(offset);
        let last = limit.saturating_sub(u128::from(size)).min(high);
        let (first, step) = self.stride(offset);
        let mut at = first % step;
        if u128::from(at) < low {
            at += (low as u64 - at).div_ceil(step) * step;
        }
        if last >= u128::from(at) && (last - u128::from(at)) / u128::from(step) >= u128::from(CELLS) {
            return self.refuse(format!("an access to one of more than {CELLS} places"));
        }
        let mut all = Vec::new();
        while u128::from(at) <= last {
            all.push(at);
            at += step;
        }
        Ok(all)
    }

    /// A number and a step: the term is the number plus a multiple of the step.
    pub(crate) fn stride(&self, offset: TermId) -> (u64, u64) {
        let Node::Linear(parts, constant) = self.terms.node(offset) else { return (0, 1) };
        let mut step = 0u64;
        for (part, factor) in parts {
            // A part of few bits does not wrap, so every factor counts; of others only the power of two does.
            let narrow = match self.terms.node(*part) {
                Node::Sext(inner) | Node::Zext(inner) => self.terms.width(*inner) <= 32,
                _ => self.terms.interval(*part).1 < 1 << 32,
            };
            let factor = *factor as u64 as i64;
            let factor = if narrow && factor.unsigned_abs() < 1 << 24 {
                factor.unsigned_abs()
            } else {
                1 << factor.trailing_zeros().min(62)
            };
            step = gcd(step, factor);
        }
        let step = step.max(1);
        ((*constant as u64 as i64).rem_euclid(step as i64) as u64, step)
    }

    /// Whether a write of a thread to these bytes is an event.
    fn contested(&mut self, place: &Where) -> bool {
        !self.options.sequential && self.sharing.is_contested(&self.terms, &self.objects, place)
    }

    /// Whether a read of these bytes is an event. Before the first thread is created, `main` reads what it wrote.
    fn contested_read(&mut self, place: &Where) -> bool {
        self.contested(place) && self.is_started()
    }

    /// Whether an object is there, as far as the thread can know: other threads may end it.
    fn alive(&mut self, state: &mut State, object: ObjId, guard: TermId) -> TermId {
        let offset = self.terms.constant(64, u128::from(ENDED));
        let place = Where { object, offset, size: 1 };
        let shared = self.contested_read(&place);
        self.note_access(&place, false, !shared);
        self.tell(state, guard, &place, (false, true));
        if !shared {
            return state.memory.get(object).map_or(Terms::TRUE, |contents| contents.alive);
        }
        let guard = self.terms.and(state.guard, guard);
        let ended = self.terms.variable(Sort::Bits(8), "ended");
        self.event(guard, Action::Load { place, value: ended, plain: false });
        let zero = self.terms.constant(8, 0);
        self.terms.eq(ended, zero)
    }

    /// Ends an object where `when` holds. Returns whether it was there before.
    pub(crate) fn end_object(&mut self, state: &mut State, object: ObjId, when: TermId) -> Result<TermId, Refusal> {
        let offset = self.terms.constant(64, u128::from(ENDED));
        let place = Where { object, offset, size: 1 };
        let contested = self.contested(&place);
        self.note_access(&place, true, !contested);
        self.tell(state, when, &place, (true, true));
        let guard = self.terms.and(state.guard, when);
        let before = state.memory.get(object).map_or(Terms::TRUE, |contents| contents.alive);
        let mut was = before;
        if contested {
            let one = self.terms.constant(8, 1);
            if self.is_started() {
                let old = self.terms.variable(Sort::Bits(8), "ended");
                self.event(guard, Action::Update { place, old, new: one, writes: Terms::TRUE });
                let zero = self.terms.constant(8, 0);
                was = self.terms.eq(old, zero);
            } else {
                self.event(guard, Action::Store { place, value: one, plain: false });
            }
        }
        let not = self.terms.not(when);
        let after = self.terms.and(before, not);
        self.contents(state, object)?.alive = after;
        Ok(was)
    }

    /// A copy of an object that a caller passes by value.
    pub(super) fn copy_argument(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        arg: Value,
        size: u64,
    ) -> Result<Value, Refusal> {
        let bytes = self.terms.constant(64, u128::from(size));
        let object = self.make(state, bytes, false, Rest::Unwritten);
        frame.locals.push(object);
        let zero = self.terms.constant(64, 0);
        let to = Pointer::new(object, zero);
        let from = self.value_pointer(&arg)?;
        self.copy(state, &to, &from, size)?;
        Ok(Value::Pointer(to))
    }

    /// Copies so many bytes, as `memmove` does.
    pub(crate) fn copy(&mut self, state: &mut State, to: &Pointer, from: &Pointer, size: u64) -> Result<(), Refusal> {
        if size == 0 {
            return Ok(());
        }
        let bytes = self.terms.constant(64, u128::from(size));
        let sources = self.checked(state, from, bytes, false)?;
        let targets = self.checked(state, to, bytes, true)?;
        let mut pieces = Vec::new();
        for (at, length) in self.pieces(state, &sources, size)? {
            let moved = self.moved_alternatives(&sources, at);
            pieces.push((at, length, self.load_bytes(state, &moved, length, length == 8, true)?));
        }
        for (at, length, value) in pieces {
            let moved = self.moved_alternatives(&targets, at);
            self.store_bytes(state, &moved, length, &value, true)?;
        }
        Ok(())
    }

    pub(crate) fn moved_alternatives(&mut self, list: &[Alternative], bytes: u64) -> Vec<Alternative> {
        let bytes = self.terms.constant(64, u128::from(bytes));
        list.iter().map(|a| Alternative { offset: self.terms.add(a.offset, bytes), ..*a }).collect()
    }

    /// How a range of bytes is best read: by the cells that are there.
    fn pieces(&mut self, state: &mut State, from: &[Alternative], size: u64) -> Result<Vec<(u64, u32)>, Refusal> {
        let mut cuts: Vec<(u64, u32)> = Vec::new();
        if let [Alternative { base: Some(base), offset, .. }] = from
            && let Some(start) = self.terms.as_constant(*offset)
        {
            let start = start as u64;
            let contents = self.contents(state, *base)?;
            for (at, length, _) in contents.cells() {
                if at >= start && at + u64::from(length) <= start + size {
                    cuts.push((at - start, length));
                }
            }
        }
        let mut pieces = Vec::new();
        let mut at = 0;
        let mut cells = cuts.into_iter().peekable();
        while at < size {
            match cells.peek() {
                Some(&(next, length)) if next == at => {
                    pieces.push((at, length));
                    at += u64::from(length);
                    cells.next();
                }
                next => {
                    let end = next.map_or(size, |(next, _)| *next);
                    let length = [8, 4, 2].into_iter().find(|l| at % l == 0 && at + l <= end).unwrap_or(1);
                    pieces.push((at, length as u32));
                    at += length;
                }
            }
        }
        Ok(pieces)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
