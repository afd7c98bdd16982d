//! The memory mappings of a process, as the kernel reports them.

use std::io;
use std::path::{Path, PathBuf};

/// A range of addresses, usually a part of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// The first address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
    /// The offset in the file.
    pub offset: u64,
    /// The file, or a name in brackets: `[stack]`. Empty for memory without a name.
    pub path: PathBuf,
}

/// The mappings of a process, by address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mappings {
    list: Vec<Mapping>,
}

impl Mappings {
    /// Reads the mappings of a running process.
    pub fn of_process(process: u32) -> io::Result<Mappings> {
        Ok(Mappings::parse(&std::fs::read_to_string(format!("/proc/{process}/maps"))?))
    }

    /// Parses the text of `/proc/PID/maps`.
    pub fn parse(text: &str) -> Mappings {
        Mappings { list: text.lines().filter_map(line).collect() }
    }

    /// Whether there are no mappings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The mappings, by address.
    pub fn iter(&self) -> impl Iterator<Item = &Mapping> {
        self.list.iter()
    }

    /// The mapping that contains `address`.
    pub fn find(&self, address: u64) -> Option<&Mapping> {
        let after = self.list.partition_point(|mapping| mapping.start <= address);
        self.list[..after].last().filter(|mapping| address < mapping.end)
    }

    /// The first mapping of each file.
    pub fn files(&self) -> Vec<&Mapping> {
        let mut files: Vec<&Mapping> = Vec::new();
        for mapping in self.list.iter().filter(|mapping| mapping.path.is_absolute()) {
            if !files.iter().any(|known| known.path == mapping.path) {
                files.push(mapping);
            }
        }
        files
    }

    /// Whether the same files begin at the same addresses in both.
    pub fn is_same_layout(&self, other: &Mappings) -> bool {
        let starts = |mappings: &Mappings| {
            mappings.files().iter().map(|file| (file.start, file.path.clone())).collect::<Vec<_>>()
        };
        starts(self) == starts(other)
    }
}

/// Parses a line `start-end permissions offset device inode   path`.
fn line(text: &str) -> Option<Mapping> {
    let mut rest = text;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
        rest = after;
        word
    };
    let (start, end) = word().split_once('-')?;
    let _permissions = word();
    let offset = word();
    let (_device, _inode) = (word(), word());
    let number = |text| u64::from_str_radix(text, 16).ok();
    let path = Path::new(rest.trim_start()).to_owned();
    Some(Mapping { start: number(start)?, end: number(end)?, offset: number(offset)?, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel() {
        let maps = Mappings::parse(
            "555555554000-555555555000 r--p 00000000 fe:00 123                        /home/a b/prog\n\
             555555555000-555555556000 r-xp 00001000 fe:00 123                        /home/a b/prog\n\
             7ffff7fc1000-7ffff7fc5000 r--p 00000000 00:00 0 \n\
             7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]\n",
        );
        assert_eq!(maps.find(0x5555_5555_5010).unwrap().offset, 0x1000);
        assert_eq!(maps.find(0x5555_5555_6000), None);
        assert_eq!(maps.find(0x7fff_ffff_0000).unwrap().path, Path::new("[stack]"));
        assert_eq!(maps.files().len(), 1);
        assert_eq!(maps.files()[0].path, Path::new("/home/a b/prog"));
        assert!(!Mappings::of_process(std::process::id()).unwrap().is_empty());
    }
}
