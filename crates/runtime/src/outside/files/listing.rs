//! Directories as an execution sees them: first the entries on disk that it has not changed, then the entries that it
//! has created.

use super::path::{Path, of_descriptor};
use super::{Fails, Kind, descriptors, entries, system};

const OPEN: usize = 2;
const CLOSE: usize = 3;
const LSTAT: usize = 6;
const GETDENTS64: usize = 217;
const DIRECTORY: usize = 0o200_000;
const EINVAL: isize = -22;

/// The size of what comes before the name in a record: inode, offset, length, kind.
const HEAD: usize = 19;

/// The kind of a record, by the kind of the file.
fn record_kind(kind: Kind) -> u8 {
    match kind {
        Kind::Directory => 4,
        Kind::Regular => 8,
        Kind::Link => 10,
        Kind::Other => 0,
    }
}

/// `getdents64`. None if the kernel's answer is right.
pub fn read(file: i32, buffer: usize, size: usize) -> Option<Fails<isize>> {
    if entries::is_untouched() {
        return None;
    }
    let directory = of_descriptor(file).ok()?;
    if !entries::changes(&directory) {
        return None;
    }
    Some(merged(file, &directory, buffer, size))
}

fn merged(file: i32, directory: &Path, buffer: usize, size: usize) -> Fails<isize> {
    loop {
        let length = system(GETDENTS64, [file as usize, buffer, size, 0, 0])? as usize;
        if length == 0 {
            return made(file, directory, buffer, size);
        }
        // SAFETY: the kernel has just filled in so much of the program's buffer.
        let records = unsafe { core::slice::from_raw_parts_mut(buffer as *mut u8, length) };
        let left = without_changed(directory, records);
        if left > 0 {
            return Ok(left as isize);
        }
    }
}

/// Removes the records of names that were changed. Returns how many bytes are left.
fn without_changed(directory: &Path, records: &mut [u8]) -> usize {
    let (mut from, mut to) = (0, 0);
    while from < records.len() {
        let length = usize::from(u16::from_le_bytes([records[from + 16], records[from + 17]]));
        let name = records[from + HEAD..from + length].split(|&byte| byte == 0).next().unwrap_or(b"");
        if !entries::is_changed(directory, name) {
            records.copy_within(from..from + length, to);
            to += length;
        }
        from += length;
    }
    to
}

/// Writes records of the names that the execution has made, which come after those on disk.
fn made(file: i32, directory: &Path, buffer: usize, size: usize) -> Fails<isize> {
    let mut listed = descriptors::known(file).listed;
    let mut used = 0;
    while let Some((at, name, place)) = entries::next_in(directory, listed as usize) {
        let length = (HEAD + name.len() + 1).next_multiple_of(8);
        if used + length > size {
            return if used == 0 { Err(EINVAL) } else { Ok(used as isize) };
        }
        let mut status = super::Status([0; 18]);
        system(LSTAT, [place.address(), &raw mut status as usize, 0, 0, 0])?;
        // SAFETY: within the program's buffer, as was just looked at.
        unsafe {
            let record = core::slice::from_raw_parts_mut((buffer + used) as *mut u8, length);
            record.fill(0);
            record[..8].copy_from_slice(&status.inode().to_le_bytes());
            record[8..16].copy_from_slice(&(i64::MAX as u64).to_le_bytes());
            record[16..18].copy_from_slice(&(length as u16).to_le_bytes());
            record[18] = record_kind(status.kind());
            record[HEAD..HEAD + name.len()].copy_from_slice(name);
        }
        used += length;
        listed = at as u64 + 1;
        descriptors::set_listed(file, listed);
    }
    Ok(used as isize)
}

/// Whether there is nothing in `directory`.
pub fn is_empty(directory: &Path) -> Fails<bool> {
    if entries::next_in(directory, 0).is_some() {
        return Ok(false);
    }
    let file = system(OPEN, [entries::place(directory)?.address(), DIRECTORY, 0, 0, 0])? as usize;
    let mut buffer = [0u8; 4096];
    let mut empty = true;
    while empty {
        let length = system(GETDENTS64, [file, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0])? as usize;
        if length == 0 {
            break;
        }
        let left = without_changed(directory, &mut buffer[..length]);
        let mut at = 0;
        while at < left {
            let name = buffer[at + HEAD..left].split(|&byte| byte == 0).next().unwrap_or(b"");
            empty &= name == b"." || name == b"..";
            at += usize::from(u16::from_le_bytes([buffer[at + 16], buffer[at + 17]]));
        }
    }
    system(CLOSE, [file, 0, 0, 0, 0])?;
    Ok(empty)
}
