//! The names of files that an execution has changed: made, replaced or removed.
//!
//! A name that is not in the table stands for the file on disk, unless a directory above it is in the table. A directory in the table
//! was made by the execution, and contains only names in the table. The files themselves are kept elsewhere, under numbers.

use heddle_model::wire::label;

use crate::lend::{Full, Lender, Zero};
use crate::path::{Fails, Path};

/// A name that was changed.
#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    /// The model's identity of the file: the hash of the name that it was made under.
    identity: u64,
    /// The offset of the name in the text of all names. Its length follows.
    at: u32,
    length: u32,
    /// The number of the file. Meaningless if the name was removed.
    number: u32,
    is_here: bool,
}

// SAFETY: numbers, and a truth value of which zero is one.
unsafe impl Zero for Entry {}

/// Where the file of a name is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// On disk under that name, if it exists at all.
    OnDisk,
    /// In the execution's own files, under this number.
    Numbered(u32),
    /// Nowhere: there is no such file.
    Missing,
}

/// The names of files that the execution has changed.
pub struct Names<'m> {
    list: &'m mut [Entry],
    count: usize,
    /// The names, one after the other.
    text: &'m mut [u8],
    used: usize,
}

impl<'m> Names<'m> {
    /// No names, and no room for any.
    pub const fn empty() -> Names<'m> {
        Names { list: &mut [], count: 0, text: &mut [], used: 0 }
    }

    /// Room for `most` names of `room` bytes together.
    pub fn new(lender: &mut impl Lender<'m>, most: usize, room: usize) -> Names<'m> {
        Names { list: lender.lend(most), text: lender.lend(room), ..Names::empty() }
    }

    /// Forgets all changes.
    pub fn reset(&mut self) {
        (self.count, self.used) = (0, 0);
    }

    /// Whether the execution has changed no name.
    pub fn is_untouched(&self) -> bool {
        self.count == 0
    }

    fn name(&self, entry: &Entry) -> &[u8] {
        &self.text[entry.at as usize..][..entry.length as usize]
    }

    fn find(&self, name: &[u8]) -> Option<usize> {
        let hash = label(name);
        self.list[..self.count].iter().position(|entry| entry.hash == hash && self.name(entry) == name)
    }

    fn find_or_add(&mut self, name: &[u8]) -> Result<&mut Entry, Full> {
        let at = match self.find(name) {
            Some(at) => at,
            None => {
                if self.count == self.list.len() || self.used + name.len() > self.text.len() {
                    return Err(Full);
                }
                self.text[self.used..][..name.len()].copy_from_slice(name);
                let (hash, at, length) = (label(name), self.used as u32, name.len() as u32);
                self.list[self.count] = Entry { hash, identity: hash, at, length, number: 0, is_here: false };
                self.used += name.len();
                self.count += 1;
                self.count - 1
            }
        };
        Ok(&mut self.list[at])
    }

    /// Makes `path` the name of file `number`. To the model it is the file with this `identity`; without one, the file that the name stands for.
    pub fn put(&mut self, path: &Path, number: u32, identity: Option<u64>) -> Result<(), Full> {
        let entry = self.find_or_add(path.bytes())?;
        (entry.is_here, entry.number) = (true, number);
        entry.identity = identity.unwrap_or(entry.hash);
        Ok(())
    }

    /// Removes the name `path`.
    pub fn remove(&mut self, path: &Path) -> Result<(), Full> {
        self.find_or_add(path.bytes())?.is_here = false;
        Ok(())
    }

    /// Whether `path` was changed.
    pub fn contains(&self, path: &Path) -> bool {
        self.find(path.bytes()).is_some()
    }

    /// The number of the file behind `path`, if it has one.
    pub fn number(&self, path: &Path) -> Option<u32> {
        self.find(path.bytes()).map(|at| self.list[at]).filter(|entry| entry.is_here).map(|entry| entry.number)
    }

    /// The model's identity of the file behind `path`. It does not depend on numbers of the kernel, which differ between executions.
    pub fn identity(&self, path: &Path) -> u64 {
        self.find(path.bytes()).map_or_else(|| label(path.bytes()), |at| self.list[at].identity)
    }

    /// Where the file behind `path` is.
    pub fn place(&self, path: &Path) -> Place {
        if self.is_untouched() {
            return Place::OnDisk;
        }
        match self.find(path.bytes()).map(|at| self.list[at]) {
            Some(entry) if entry.is_here => return Place::Numbered(entry.number),
            Some(_) => return Place::Missing,
            None => {}
        }
        let mut above = path.parent();
        loop {
            if self.contains(&above) {
                return Place::Missing;
            }
            if above.bytes().len() <= 1 {
                return Place::OnDisk;
            }
            above.pop();
        }
    }

    /// The name of file `number`.
    pub fn name_of(&self, number: u32) -> Option<&[u8]> {
        let entry = self.list[..self.count].iter().find(|entry| entry.is_here && entry.number == number)?;
        Some(self.name(entry))
    }

    fn is_in(&self, at: usize, directory: &Path) -> bool {
        let name = self.name(&self.list[at]);
        let end = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0).max(1);
        &name[..end] == directory.bytes()
    }

    /// Whether a name directly in `directory` was changed.
    pub fn changes(&self, directory: &Path) -> bool {
        (0..self.count).any(|at| self.is_in(at, directory))
    }

    /// The first entry from number `at` on that is a name directly in `directory` and has a file: its own number, the last component of
    /// the name, and the file's number.
    pub fn next_in(&self, directory: &Path, at: usize) -> Option<(usize, &[u8], u32)> {
        let at = (at..self.count).find(|&at| self.list[at].is_here && self.is_in(at, directory))?;
        let name = self.name(&self.list[at]);
        let begin = name.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        Some((at, &name[begin..], self.list[at].number))
    }

    /// Renames all that is below `from`, a directory of this execution's, to lie below `to`. The inner result says whether there was room.
    pub fn move_below(&mut self, from: &Path, to: &Path) -> Fails<Result<(), Full>> {
        for at in 0..self.count {
            let entry = self.list[at];
            let name = Path::from_bytes(self.name(&entry))?;
            if !name.is_below(from.bytes()) || !entry.is_here {
                continue;
            }
            let mut moved = *to;
            moved.push(&name.bytes()[from.bytes().len() + 1..])?;
            let moved = self.put(&moved, entry.number, Some(entry.identity)).and_then(|()| self.remove(&name));
            if moved.is_err() {
                return Ok(moved);
            }
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Owner, cases};

    fn path(text: &str) -> Path {
        Path::from_bytes(text.as_bytes()).expect("short")
    }

    const NAMES: [&str; 9] = ["/a", "/b", "/a/x", "/a/y", "/a/x/p", "/ab", "/ab/x", "/b/x", "/b/y"];

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Put(usize, u32),
        Remove(usize),
        Move(usize, usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let name = 0..NAMES.len();
        let step = prop_oneof![
            3 => (name.clone(), 1u32..1000).prop_map(|(name, number)| Step::Put(name, number)),
            2 => name.clone().prop_map(Step::Remove),
            1 => (name.clone(), name).prop_map(|(from, to)| Step::Move(from, to)),
        ];
        prop::collection::vec(step, 0..20)
    }

    #[test]
    fn what_has_no_room_is_refused() {
        let owner = Owner::default();
        let mut names = Names::new(&mut &owner, 2, 8);
        assert_eq!(names.put(&path("/a"), 1, None), Ok(()));
        assert_eq!(names.put(&path("/long-name"), 2, None), Err(Full));
        assert_eq!(names.remove(&path("/b")), Ok(()));
        assert_eq!(names.remove(&path("/c")), Err(Full));
        assert_eq!(names.put(&path("/a"), 3, None), Ok(()), "it is there already");
        names.reset();
        assert!(names.is_untouched() && names.place(&path("/a")) == Place::OnDisk);
    }

    #[test]
    fn a_file_keeps_its_identity_when_its_directory_moves() {
        let owner = Owner::default();
        let mut names = Names::new(&mut &owner, 16, 256);
        names.put(&path("/a"), 1, None).expect("room");
        names.put(&path("/a/x"), 2, None).expect("room");
        let identity = names.identity(&path("/a/x"));
        assert_eq!(identity, label(b"/a/x"));
        assert_eq!(names.move_below(&path("/a"), &path("/b")), Ok(Ok(())));
        assert_eq!(names.identity(&path("/b/x")), identity);
        assert_eq!((names.number(&path("/b/x")), names.number(&path("/a/x"))), (Some(2), None));
        assert_eq!(names.name_of(2), Some(&b"/b/x"[..]));
    }

    proptest! {
        #![proptest_config(cases(512))]

        /// Against a map from names to numbers; none for a name that was removed.
        #[test]
        fn agrees_with_a_map(steps in steps()) {
            let owner = Owner::default();
            let mut names = Names::new(&mut &owner, 64, 1024);
            let mut map: BTreeMap<String, Option<u32>> = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Put(name, number) => {
                        names.put(&path(NAMES[name]), number, None).expect("room");
                        map.insert(NAMES[name].to_string(), Some(number));
                    }
                    Step::Remove(name) => {
                        names.remove(&path(NAMES[name])).expect("room");
                        map.insert(NAMES[name].to_string(), None);
                    }
                    Step::Move(from, to) => {
                        let (from, to) = (NAMES[from], NAMES[to]);
                        // The kernel refuses to move a directory into itself.
                        if from == to || to.starts_with(&std::format!("{from}/")) || from.starts_with(&std::format!("{to}/")) {
                            continue;
                        }
                        names.move_below(&path(from), &path(to)).expect("short").expect("room");
                        let below: Vec<(String, u32)> = map
                            .iter()
                            .filter_map(|(name, number)| Some((name.strip_prefix(from)?.to_string(), (*number)?)))
                            .filter(|(rest, _)| rest.starts_with('/'))
                            .collect();
                        for (rest, number) in below {
                            map.insert(std::format!("{to}{rest}"), Some(number));
                            map.insert(std::format!("{from}{rest}"), None);
                        }
                    }
                }
                prop_assert_eq!(names.is_untouched(), map.is_empty());
                for name in NAMES.iter().copied().chain(["/", "/a/x/p/q", "/c", "/c/d"]) {
                    let number = map.get(name).copied();
                    prop_assert_eq!(names.contains(&path(name)), number.is_some());
                    prop_assert_eq!(names.number(&path(name)), number.flatten());
                    let is_below = |above: &str| above == "/" && name != "/" || name.starts_with(&std::format!("{above}/"));
                    let expected = match number {
                        Some(Some(number)) => Place::Numbered(number),
                        Some(None) => Place::Missing,
                        None if map.keys().any(|above| is_below(above)) => Place::Missing,
                        None => Place::OnDisk,
                    };
                    prop_assert_eq!(names.place(&path(name)), expected, "{}", name);
                    let inside = |other: &str| other.rsplit_once('/').is_some_and(|(before, last)| {
                        (if before.is_empty() { "/" } else { before }) == name && !last.is_empty()
                    });
                    prop_assert_eq!(names.changes(&path(name)), map.keys().any(|other| inside(other)));
                    let mut listed = Vec::new();
                    let mut at = 0;
                    while let Some((found, last, number)) = names.next_in(&path(name), at) {
                        listed.push((std::str::from_utf8(last).expect("text").to_string(), number));
                        at = found + 1;
                    }
                    listed.sort();
                    let mut expected: Vec<(String, u32)> = map
                        .iter()
                        .filter(|(other, _)| inside(other))
                        .filter_map(|(other, number)| Some((other.rsplit_once('/')?.1.to_string(), (*number)?)))
                        .collect();
                    expected.sort();
                    prop_assert_eq!(listed, expected);
                }
            }
        }
    }
}
