//! What is kept beside a program: what it was made of, and what its compilers said.

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_128;

use super::Inputs;

/// What is kept beside a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// The digest of the program's file.
    pub program: u128,
    /// What the program was made of.
    pub inputs: Inputs,
    /// What the compilers said.
    pub warnings: String,
}

const FIRST: &str = "heddle program 1\n";

impl Manifest {
    /// The manifest as the bytes of a file: a line for each value, and a digest of all of them at the end.
    pub fn write(&self) -> Vec<u8> {
        let mut text = format!("{FIRST}{:032x}\n", self.program);
        self.inputs.write(&mut text);
        let _ = write!(text, "warnings {}\n{}", self.warnings.len(), self.warnings);
        let digest = xxh3_128(text.as_bytes());
        let _ = write!(text, "\n{digest:032x}");
        text.into_bytes()
    }

    /// The manifest in a file. None if it is not complete.
    pub fn read(bytes: &[u8]) -> Option<Manifest> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (text, digest) = text.rsplit_once('\n')?;
        if u128::from_str_radix(digest, 16).ok()? != xxh3_128(text.as_bytes()) {
            return None;
        }
        let (program, rest) = text.strip_prefix(FIRST)?.split_once('\n')?;
        let (inputs, rest) = Inputs::read(rest)?;
        let (length, warnings) = rest.strip_prefix("warnings ")?.split_once('\n')?;
        let is_whole = length.parse::<usize>().ok()? == warnings.len();
        let program = u128::from_str_radix(program, 16).ok()?;
        is_whole.then(|| Manifest { program, inputs, warnings: warnings.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest is computed again, so that what it protects is read.
    #[test]
    fn foreign_bytes_as_a_manifest() {
        let mut right = format!("{FIRST}{:032x}\n", 7);
        Inputs::default().write(&mut right);
        right.push_str("file 00000000000000000000000000000001 /a b.c\nwarnings 4\na: b");
        heddle_testkit::bytes::damage(&[right.into_bytes()], |bytes| {
            let mut whole = String::from_utf8_lossy(bytes).into_owned();
            let digest = xxh3_128(whole.as_bytes());
            let _ = write!(whole, "\n{digest:032x}");
            if let Some(manifest) = Manifest::read(whole.as_bytes()) {
                assert_eq!(Manifest::read(&manifest.write()), Some(manifest));
            }
        });
    }

    #[test]
    fn a_manifest_that_was_cut_off_or_changed_is_none() {
        let manifest = Manifest { program: 7, inputs: Inputs::default(), warnings: "a: b\n\nc".to_owned() };
        let bytes = manifest.write();
        assert_eq!(Manifest::read(&bytes), Some(manifest));
        for length in 0..bytes.len() {
            assert_eq!(Manifest::read(&bytes[..length]), None, "{length}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(Manifest::read(&changed), None, "{at}");
        }
    }
}
