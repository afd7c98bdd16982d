//! Memory as a thread sees it: objects, pointers into them, and their contents.
//!
//! Every object has an address of its own that depends only on its id, far from all others, so a number that is an address plus
//! an offset says which object it means.

mod contents;
mod pointer;

use std::collections::HashMap;
use std::rc::Rc;

pub use contents::{Contents, Rest};
pub use pointer::{Alternative, Pointer, Value, bits_of, merge_values};

use crate::ir::{FuncId, GlobalId, Site};
use crate::term::{TermId, Terms};

/// An object of a program: the same in every execution of its symbolic threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjId(pub u32);

/// The first object's address, and how far objects are from each other.
const FIRST: u64 = 0x10_0000_0000;
const APART: u64 = 1 << 28;

impl ObjId {
    /// The address of its first byte.
    pub fn address(self) -> u64 {
        FIRST + u64::from(self.0) * APART
    }

    /// The object that an address lies in or near.
    pub fn near(address: u64) -> Option<ObjId> {
        let shifted = address.wrapping_add(APART / 2).wrapping_sub(FIRST) / APART;
        (address >= FIRST - APART / 2 && shifted < u64::from(u32::MAX)).then_some(ObjId(shifted as u32))
    }
}

/// What an object is, and which one: equal in all rounds of execution.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A global variable.
    Global(GlobalId),
    /// A thread's own copy of a global variable.
    ThreadLocal(u32, GlobalId),
    /// A function.
    Function(FuncId),
    /// The n-th object that a thread made at an instruction of a function: on its stack or in the heap.
    Made(u32, FuncId, u32, u32, u32, bool),
    /// Something that a model of the library made, by thread and number.
    Library(u32, u32),
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Which one.
    pub key: Key,
    /// Its size in bytes: 64 bits.
    pub size: TermId,
    /// Whether the program cannot write to it.
    pub constant: bool,
    /// Where it was made.
    pub site: Site,
}

impl Object {
    /// Whether it lies in the heap.
    pub fn is_heap(&self) -> bool {
        matches!(self.key, Key::Made(.., true) | Key::Library(..))
    }
}

/// All objects, each with a number.
#[derive(Default)]
pub struct Objects {
    all: Vec<Object>,
    ids: HashMap<Key, ObjId>,
}

impl Objects {
    /// The object of a key, made if it is new. Its size is that of the last time.
    pub fn intern(&mut self, key: Key, size: TermId, constant: bool, site: Site) -> ObjId {
        if let Some(id) = self.ids.get(&key) {
            self.all[id.0 as usize].size = size;
            return *id;
        }
        let id = ObjId(self.all.len() as u32);
        self.ids.insert(key.clone(), id);
        self.all.push(Object { key, size, constant, site });
        id
    }

    /// The object of a key.
    pub fn find(&self, key: &Key) -> Option<ObjId> {
        self.ids.get(key).copied()
    }

    /// An object, if there is one of this number.
    pub fn get(&self, id: ObjId) -> Option<&Object> {
        self.all.get(id.0 as usize)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl std::ops::Index<ObjId> for Objects {
    type Output = Object;

    fn index(&self, id: ObjId) -> &Object {
        &self.all[id.0 as usize]
    }
}

/// The contents of all objects as one thread sees them. Copies are cheap: whatever is not changed is shared.
#[derive(Clone, Default)]
pub struct Memory {
    objects: Rc<Vec<Option<Rc<Contents>>>>,
}

impl Memory {
    /// The contents of an object, if the thread has seen it made.
    pub fn get(&self, id: ObjId) -> Option<&Contents> {
        self.objects.get(id.0 as usize)?.as_deref()
    }

    /// The contents of an object, to be changed.
    pub fn get_mut(&mut self, id: ObjId) -> Option<&mut Contents> {
        self.get(id)?;
        let objects = Rc::make_mut(&mut self.objects);
        objects[id.0 as usize].as_mut().map(Rc::make_mut)
    }

    /// Gives an object new contents.
    pub fn set(&mut self, id: ObjId, contents: Contents) {
        let objects = Rc::make_mut(&mut self.objects);
        if objects.len() <= id.0 as usize {
            objects.resize(id.0 as usize + 1, None);
        }
        objects[id.0 as usize] = Some(Rc::new(contents));
    }

    /// The objects that one of two memories has and the other has not.
    pub fn missing(&self, other: &Memory) -> Vec<ObjId> {
        if Rc::ptr_eq(&self.objects, &other.objects) {
            return Vec::new();
        }
        let count = self.objects.len().max(other.objects.len());
        let ids = (0..count as u32).map(ObjId);
        ids.filter(|id| self.get(*id).is_some() != other.get(*id).is_some()).collect()
    }

    /// This memory where `condition` holds, and `other` where it does not. An object that only one of them has was made on that side,
    /// and is not in reach on the other.
    pub fn merge(&mut self, terms: &mut Terms, condition: TermId, other: &Memory) {
        if Rc::ptr_eq(&self.objects, &other.objects) {
            return;
        }
        let objects = Rc::make_mut(&mut self.objects);
        if objects.len() < other.objects.len() {
            objects.resize(other.objects.len(), None);
        }
        for (mine, theirs) in objects.iter_mut().zip(other.objects.iter()) {
            match (mine.as_mut(), theirs) {
                (_, None) => {}
                (None, Some(theirs)) => *mine = Some(Rc::clone(theirs)),
                (Some(mine), Some(theirs)) if Rc::ptr_eq(mine, theirs) => {}
                (Some(mine), Some(theirs)) => Rc::make_mut(mine).merge(terms, condition, theirs),
            }
        }
    }

    /// The objects that the thread has seen made.
    pub fn ids(&self) -> impl Iterator<Item = ObjId> + '_ {
        (0..self.objects.len()).filter(|&i| self.objects[i].is_some()).map(|i| ObjId(i as u32))
    }
}
