//! From the events of a machine to the program that formulas are made of.
//!
//! Bytes become variables: a group of accesses to the same bytes with one width is a variable, and accesses with an open offset
//! make arrays, one for each field of an element. Bytes that are accessed with several widths are refused.

use std::collections::{BTreeMap, BTreeSet};

use super::Wrong;
use crate::ir::Site;
use crate::machine::{Action, Machine, Primitive, Refusal, Where};
use crate::memory::{Contents, ObjId, Rest};
use crate::order::event::{Event, Kind, Place, Program, Thread, Variable};
use crate::term::{Sort, TermId, Terms};

/// The checks of a program.
pub const CHECKS: u32 = 0;
/// The places where execution was given up.
pub const CUTS: u32 = 1;

/// More cells than this are not one array.
const CELLS: u64 = 4096;

/// A program, and what its parts were.
pub struct Translated {
    /// The program.
    pub program: Program,
    /// The machine's number of each thread.
    pub threads: Vec<u32>,
}

/// How the bytes of an object are cut into variables.
enum Shape {
    /// Variables at constant offsets: offset and size to the variable.
    Scalars(BTreeMap<u64, (u32, usize)>),
    /// Arrays of elements of so many bytes: offset in the element to size and variable.
    Arrays(u64, BTreeMap<u64, (u32, usize)>),
}

struct Translator<'a, 'm> {
    machine: &'a mut Machine<'m>,
    program: Program,
    shapes: BTreeMap<ObjId, Shape>,
    primitives: BTreeMap<(u8, Primitive), usize>,
    numbers: BTreeMap<u32, usize>,
    known: &'a [Wrong],
}

/// Makes a program of what a machine has executed. Conditions that are `known` to fail are not asked for again.
///
/// # Errors
///
/// What cannot be expressed.
pub fn translate(machine: &mut Machine<'_>, known: &[Wrong]) -> Result<Translated, Refusal> {
    let threads: Vec<u32> = (0..machine.threads.len() as u32)
        .filter(|&t| t == 0 || machine.threads[t as usize].creator.is_some())
        .collect();
    let numbers = threads.iter().enumerate().map(|(index, t)| (*t, index)).collect();
    let mut translator = Translator {
        machine,
        program: Program::default(),
        shapes: BTreeMap::new(),
        primitives: BTreeMap::new(),
        numbers,
        known,
    };
    translator.variables(&threads)?;
    for thread in &threads {
        translator.thread(*thread)?;
    }
    Ok(Translated { program: translator.program, threads })
}

impl Translator<'_, '_> {
    fn refuse<T>(site: Site, what: &str) -> Result<T, Refusal> {
        Err(Refusal { site, what: what.to_owned() })
    }

    /// All accesses, by object.
    fn variables(&mut self, threads: &[u32]) -> Result<(), Refusal> {
        let mut by_object: BTreeMap<ObjId, Vec<(Where, Site)>> = BTreeMap::new();
        for thread in threads {
            for event in &self.machine.threads[*thread as usize].events {
                let (Action::Load { place, .. } | Action::Store { place, .. } | Action::Update { place, .. }) =
                    &event.action
                else {
                    continue;
                };
                by_object.entry(place.object).or_default().push((*place, event.site));
            }
        }
        for (object, places) in by_object {
            let shape = self.shape(object, &places)?;
            self.shapes.insert(object, shape);
        }
        Ok(())
    }

    fn shape(&mut self, object: ObjId, places: &[(Where, Site)]) -> Result<Shape, Refusal> {
        let terms = &self.machine.terms;
        let mut step = 0u64;
        for (place, _) in places {
            if terms.as_constant(place.offset).is_none() {
                step = gcd(step, self.machine.stride(place.offset).1);
            }
        }
        let mut fields: BTreeSet<(u64, u32)> = BTreeSet::new();
        for (place, _) in places {
            let offset = match terms.as_constant(place.offset) {
                Some(offset) => offset as u64,
                None => self.machine.stride(place.offset).0,
            };
            let ended = offset >= crate::machine::ENDED;
            fields.insert((if step > 0 && !ended { offset % step } else { offset }, place.size));
        }
        let site = places[0].1;
        let mut end = 0;
        for (offset, size) in &fields {
            if *offset < end {
                return Self::refuse(site, "bytes that threads access with several widths");
            }
            end = offset + u64::from(*size);
        }
        let mut variables = BTreeMap::new();
        let (size, initial) = self.initial(object);
        if step == 0 {
            for (offset, width) in fields {
                let value = self.cell(&initial, offset, width);
                variables.insert(offset, (width, self.variable(vec![value])));
            }
            return Ok(Shape::Scalars(variables));
        }
        if fields.iter().any(|(offset, width)| *offset < crate::machine::ENDED && offset + u64::from(*width) > step) {
            return Self::refuse(site, "bytes that threads access with several widths");
        }
        if size / step > CELLS {
            return Self::refuse(site, "an array of more than 4096 elements that threads share");
        }
        for (offset, width) in fields {
            let ended = offset >= crate::machine::ENDED;
            let count = if ended { 1 } else { (size.saturating_sub(offset + u64::from(width))) / step + 1 };
            let values = (0..count).map(|index| self.cell(&initial, offset + index * step, width)).collect();
            variables.insert(offset, (width, self.variable(values)));
        }
        Ok(Shape::Arrays(step, variables))
    }

    fn variable(&mut self, initial: Vec<TermId>) -> usize {
        let name = format!("v{}", self.program.variables.len());
        self.program.variables.push(Variable { name, initial });
        self.program.variables.len() - 1
    }

    /// The size of an object and what it begins with.
    fn initial(&mut self, object: ObjId) -> (u64, Contents) {
        let size = self.machine.terms.interval(self.machine.objects[object].size).1.min(1 << 40) as u64;
        let contents = self.machine.initial_contents(object);
        (size, contents)
    }

    fn cell(&mut self, initial: &Contents, offset: u64, size: u32) -> TermId {
        let terms = &mut self.machine.terms;
        if offset >= crate::machine::ENDED {
            return terms.constant((size * 8) as u8, 0);
        }
        let (value, _) = initial.clone().read(terms, offset, size);
        crate::memory::bits_of(terms, &value).unwrap_or_else(|| terms.variable(Sort::Bits((size * 8) as u8), "initial"))
    }

    fn place(&mut self, place: &Where, site: Site) -> Result<Place, Refusal> {
        let terms = &mut self.machine.terms;
        let constant = terms.as_constant(place.offset).map(|offset| offset as u64);
        match (self.shapes.get(&place.object), constant) {
            (Some(Shape::Scalars(variables)), Some(offset)) => {
                let Some((_, variable)) = variables.get(&offset) else {
                    return Self::refuse(site, "bytes that threads access with several widths");
                };
                Ok(Place { variable: *variable, index: None })
            }
            (Some(Shape::Arrays(_, variables)), Some(offset)) if offset >= crate::machine::ENDED => {
                let variable = variables.get(&offset).map_or(0, |(_, variable)| *variable);
                Ok(Place { variable, index: None })
            }
            (Some(Shape::Arrays(step, variables)), _) => {
                let step = *step;
                let field = match constant {
                    Some(offset) => offset % step,
                    None => self.machine.stride(place.offset).0 % step,
                };
                let Some((_, variable)) = variables.get(&field) else {
                    return Self::refuse(site, "bytes that threads access with several widths");
                };
                let variable = *variable;
                let cells = self.program.variables[variable].initial.len() as u64;
                if cells <= 1 {
                    return Ok(Place { variable, index: None });
                }
                Ok(Place { variable, index: Some(self.index(place.offset, field, step, cells)) })
            }
            _ => Self::refuse(site, "memory that threads share in ways that are not understood"),
        }
    }

    /// `(offset - field) / step`, with as many bits as the array needs.
    fn index(&mut self, offset: TermId, field: u64, step: u64, cells: u64) -> TermId {
        let terms = &mut self.machine.terms;
        let field = terms.constant(64, u128::from(field));
        let moved = terms.sub(offset, field);
        let bits = 64 - (cells * step).leading_zeros();
        let narrow = terms.trunc(moved, bits as u8);
        let index = if step.is_power_of_two() {
            let shift = terms.constant(bits as u8, u128::from(step.trailing_zeros()));
            terms.lshr(narrow, shift)
        } else {
            let step = terms.constant(bits as u8, u128::from(step));
            terms.udiv(narrow, step)
        };
        let width = 64 - cells.leading_zeros();
        terms.trunc(index, (width as u8).min(bits as u8))
    }

    fn primitive(&mut self, kind: u8, primitive: Primitive) -> usize {
        let next = self.primitives.keys().filter(|(other, _)| *other == kind).count();
        *self.primitives.entry((kind, primitive)).or_insert(next)
    }

    fn mutex(&mut self, primitive: Primitive) -> usize {
        let index = self.primitive(0, primitive);
        self.program.mutexes = self.program.mutexes.max(index + 1);
        index
    }

    fn rwlock(&mut self, primitive: Primitive) -> usize {
        let index = self.primitive(1, primitive);
        self.program.rwlocks = self.program.rwlocks.max(index + 1);
        index
    }

    fn condition(&mut self, primitive: Primitive) -> usize {
        let index = self.primitive(2, primitive);
        self.program.conditions = self.program.conditions.max(index + 1);
        index
    }

    /// The count that a semaphore or a barrier begins with.
    fn count(&mut self, primitive: Primitive, site: Site) -> Result<u32, Refusal> {
        let count = self.machine.count_of(primitive).and_then(|count| self.machine.terms.as_constant(count));
        match count {
            Some(count) => Ok(count as u32),
            None => Self::refuse(site, "a semaphore or barrier whose initial count is not a number"),
        }
    }

    fn semaphore(&mut self, primitive: Primitive, site: Site) -> Result<usize, Refusal> {
        let count = self.count(primitive, site)?;
        let index = self.primitive(3, primitive);
        if index == self.program.semaphores.len() {
            self.program.semaphores.push(count);
        }
        Ok(index)
    }

    fn barrier(&mut self, primitive: Primitive, site: Site) -> Result<usize, Refusal> {
        let count = self.count(primitive, site)?;
        let index = self.primitive(4, primitive);
        if index == self.program.barriers.len() {
            self.program.barriers.push(count);
        }
        Ok(index)
    }

    fn thread(&mut self, number: u32) -> Result<(), Refusal> {
        let source = std::mem::take(&mut self.machine.threads[number as usize].events);
        let function = self.machine.threads[number as usize].function;
        let name = self.machine.module.functions.get(function as usize).map_or(String::new(), |f| f.name.clone());
        let mut events = Vec::with_capacity(source.len());
        for (index, event) in source.iter().enumerate() {
            let kind = match event.action {
                Action::Cut => Kind::Check { violated: event.guard, property: CUTS },
                _ => self.kind(&event.action, event.site)?,
            };
            // What is violated says itself when.
            let guard = if let Kind::Check { .. } = kind { Terms::TRUE } else { event.guard };
            events.push(Event { guard, kind, site: index as u32 });
        }
        self.machine.threads[number as usize].events = source;
        self.program.threads.push(Thread { name, events });
        Ok(())
    }

    fn kind(&mut self, action: &Action, site: Site) -> Result<Kind, Refusal> {
        Ok(match action {
            Action::Load { place, value, plain } => {
                Kind::Load { place: self.place(place, site)?, value: *value, plain: *plain }
            }
            Action::Store { place, value, plain } => {
                Kind::Store { place: self.place(place, site)?, value: *value, plain: *plain }
            }
            Action::Update { place, old, new, writes } => {
                Kind::Update { place: self.place(place, site)?, old: *old, new: *new, writes: *writes }
            }
            Action::Create(thread) => Kind::Create { child: self.numbers[thread] },
            Action::Join(thread) => Kind::Join { child: self.numbers[thread] },
            Action::Lock(mutex) => Kind::Lock { mutex: self.mutex(*mutex) },
            Action::TryLock(mutex, success) => Kind::TryLock { mutex: self.mutex(*mutex), success: *success },
            Action::Unlock(mutex) => Kind::Unlock { mutex: self.mutex(*mutex) },
            Action::ReadLock(lock) => Kind::ReadLock { lock: self.rwlock(*lock) },
            Action::WriteLock(lock) => Kind::WriteLock { lock: self.rwlock(*lock) },
            Action::RwUnlock(lock) => Kind::RwUnlock { lock: self.rwlock(*lock) },
            Action::Sleep(condition, mutex) => {
                Kind::Sleep { condition: self.condition(*condition), mutex: self.mutex(*mutex) }
            }
            Action::Wake(condition, mutex) => {
                Kind::Wake { condition: self.condition(*condition), mutex: self.mutex(*mutex) }
            }
            Action::Signal(condition) => Kind::Signal { condition: self.condition(*condition) },
            Action::Broadcast(condition) => Kind::Broadcast { condition: self.condition(*condition) },
            Action::Post(semaphore) => Kind::Post { semaphore: self.semaphore(*semaphore, site)? },
            Action::Take(semaphore) => Kind::Take { semaphore: self.semaphore(*semaphore, site)? },
            Action::TryTake(semaphore, success) => {
                Kind::TryTake { semaphore: self.semaphore(*semaphore, site)?, success: *success }
            }
            Action::Arrive(barrier) => Kind::Arrive { barrier: self.barrier(*barrier, site)? },
            Action::Depart(barrier) => Kind::Depart { barrier: self.barrier(*barrier, site)? },
            Action::Assume(condition) => Kind::Assume { condition: *condition },
            Action::Check(index) => {
                let condition = &self.machine.conditions[*index];
                let known = self.known.contains(&Wrong::Condition(condition.kind, condition.site));
                let violated = if known { Terms::FALSE } else { condition.violated };
                Kind::Check { violated, property: CHECKS }
            }
            // Only its guard says when: see above.
            Action::Cut => Kind::Check { violated: Terms::FALSE, property: CUTS },
        })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Machine<'_> {
    /// What an object begins with: a variable of the program its initialiser, a block zeros or anything.
    fn initial_contents(&mut self, object: ObjId) -> Contents {
        match self.initial(object) {
            Some(contents) => contents,
            None => Contents::new(self.fresh_of(object).unwrap_or(Rest::Zero)),
        }
    }
}
