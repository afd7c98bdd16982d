//! One file that is mapped into the program: the program itself or a library.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use heddle_model::finding::Location;
use object::{Object, ObjectSegment};

use heddle_model::trace::Scalar;

use super::allocation::Claim;
use super::blocks::Part;
use super::locals::Local;
use super::mappings::Mapping;
use super::variables::Variables;

/// A file that is mapped into the program. It is opened at the first query.
pub struct Module {
    path: PathBuf,
    start: u64,
    offset: u64,
    code: OnceCell<Option<Loader>>,
    layout: OnceCell<Layout>,
    variables: OnceCell<Option<Variables>>,
}

/// The relation of the file's addresses to those in memory.
#[derive(Clone, Copy, Default)]
struct Layout {
    /// The difference from the file's addresses to those in memory.
    bias: u64,
    /// One past the last address in memory.
    end: u64,
}

impl Module {
    /// The file with the first mapping `first`.
    pub fn new(first: &Mapping) -> Module {
        Module {
            path: first.path.clone(),
            start: first.start,
            offset: first.offset,
            code: OnceCell::new(),
            layout: OnceCell::new(),
            variables: OnceCell::new(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's first address in memory.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Whether `address` belongs to the file, including zero-initialised data.
    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.layout().end).contains(&address)
    }

    /// The functions that `address` lies in, innermost first.
    pub fn frames(&self, address: u64) -> Vec<Location> {
        let Some(loader) = self.code.get_or_init(|| Loader::new(&self.path).ok()) else { return Vec::new() };
        let probe = address.wrapping_sub(self.layout().bias);
        let mut frames = Vec::new();
        if let Ok(mut iterator) = loader.find_frames(probe) {
            while let Ok(Some(frame)) = iterator.next() {
                let function = frame.function.and_then(|name| name.demangle().ok().map(|name| name.into_owned()));
                let (file, line, column) =
                    frame.location.map_or((None, None, None), |at| (at.file, at.line, at.column));
                frames.push(Location {
                    file: file.map(clean).unwrap_or_default(),
                    line: line.unwrap_or(0),
                    column: column.unwrap_or(0),
                    function: function.unwrap_or_default(),
                });
            }
        }
        // gcc gives the functions of local classes and lambdas a full name only in the symbol table.
        if let Some(whole) = frames.last_mut().filter(|frame| frame.function == "operator()")
            && let Some(symbol) = loader.find_symbol(probe)
        {
            whole.function = addr2line::demangle_auto(symbol.into(), None).into_owned();
        }
        // Code without debug information still has a name.
        let unnamed = frames.iter().all(|frame| frame.function.is_empty());
        if let Some(symbol) = unnamed.then(|| loader.find_symbol(probe)).flatten() {
            let function = addr2line::demangle_auto(symbol.into(), None).into_owned();
            match frames.last_mut() {
                Some(frame) => frame.function = function,
                None => frames.push(Location { function, ..Location::default() }),
            }
        }
        frames
    }

    /// The variable, or part of a variable, at `address`.
    pub fn variable(&self, address: u64) -> Option<String> {
        let variables = self.variables.get_or_init(|| Variables::open(&self.path)).as_ref()?;
        variables.name(address.wrapping_sub(self.layout().bias))
    }

    /// The local variable, or part of one, `offset` bytes from the end of the frame of the function around `code`.
    pub fn local(&self, code: u64, offset: i64) -> Option<Local> {
        let variables = self.variables.get_or_init(|| Variables::open(&self.path)).as_ref()?;
        variables.local(code.wrapping_sub(self.layout().bias), offset)
    }

    /// What lies at `address`, if it is a variable.
    pub fn scalar(&self, address: u64) -> Option<Scalar> {
        let variables = self.variables.get_or_init(|| Variables::open(&self.path)).as_ref()?;
        variables.scalar(address.wrapping_sub(self.layout().bias))
    }

    /// What lies `offset` bytes into a block of `size` bytes that was allocated at `code` and whose type is one of `claims`.
    pub fn part(&self, code: u64, claims: &[Claim], size: u64, offset: u64) -> Option<Part> {
        let variables = self.variables.get_or_init(|| Variables::open(&self.path)).as_ref()?;
        variables.part(code.wrapping_sub(self.layout().bias), claims, size, offset)
    }

    fn layout(&self) -> Layout {
        *self.layout.get_or_init(|| read_layout(&self.path, self.start, self.offset).unwrap_or_default())
    }
}

fn read_layout(path: &Path, start: u64, offset: u64) -> Option<Layout> {
    let file = std::fs::File::open(path).ok()?;
    // SAFETY: a file that the program is running from; see `Program::open`.
    let bytes = unsafe { memmap2::Mmap::map(&file) }.ok()?;
    let elf = object::File::parse(&*bytes).ok()?;
    const PAGE: u64 = 4096;
    let first = elf.segments().find(|segment| {
        let (at, size) = segment.file_range();
        at - at % PAGE <= offset && offset < at.saturating_add(size.max(1))
    })?;
    let (at, _) = first.file_range();
    // The stretch begins at the page that the segment begins in.
    let bias = start.wrapping_sub(first.address().wrapping_sub(at % PAGE).wrapping_add(offset - (at - at % PAGE)));
    let last = elf.segments().map(|segment| segment.address().saturating_add(segment.size())).max()?;
    Some(Layout { bias, end: bias.wrapping_add(last) })
}

/// Removes `.` and `..` from a path such as `/a/b/../c.c`, which builds in other directories produce.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn paths_without_detours() {
        assert_eq!(clean("/a/b/../c.c"), "/a/c.c");
        assert_eq!(clean("./x.c"), "x.c");
        assert_eq!(clean("/a/./b.c"), "/a/b.c");
        assert_eq!(clean("../x.c"), "../x.c");
    }
}
