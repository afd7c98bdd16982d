//! Response files: `@file` on a compiler's command line stands for the words in the file.
//!
//! The syntax is that of gcc and clang. White space separates words, single and double quotes protect it, and a backslash
//! protects the next character. A response file may name others. `@name` is an ordinary word if there is no such file.

use std::path::PathBuf;

use super::WrapperError;

/// How deep response files may be nested. A deeper one includes itself.
const DEEPEST: usize = 64;

/// Replaces each response file in `words` by its words.
pub fn expand(words: &[String]) -> Result<Vec<String>, WrapperError> {
    let mut expanded = Vec::new();
    add(words, 0, &mut expanded)?;
    Ok(expanded)
}

fn add(words: &[String], depth: usize, into: &mut Vec<String>) -> Result<(), WrapperError> {
    for word in words {
        let Some(name) = word.strip_prefix('@').filter(|name| std::path::Path::new(name).is_file()) else {
            into.push(word.clone());
            continue;
        };
        let wrong = |what: String| WrapperError::Response(PathBuf::from(name), what);
        if depth == DEEPEST {
            return Err(wrong("response files include each other in a cycle".to_owned()));
        }
        let text = std::fs::read_to_string(name).map_err(|error| wrong(error.to_string()))?;
        add(&split(&text), depth + 1, into)?;
    }
    Ok(())
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_ascii_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryDirectory;

    #[test]
    fn words_quotes_and_backslashes() {
        assert_eq!(
            split("-c  a.c\n-DX=\"a b\" '-DY=\"q\"' a\\ b \"\""),
            ["-c", "a.c", "-DX=a b", "-DY=\"q\"", "a b", ""]
        );
        assert_eq!(split(""), Vec::<String>::new());
    }

    #[test]
    fn files_in_files_and_names_of_none() {
        let folder = TemporaryDirectory::new().unwrap();
        let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
        std::fs::write(&inner, "-O2 @nowhere").unwrap();
        std::fs::write(&outer, format!("-c @{} x.c", inner.display())).unwrap();
        let words = expand(&["first".to_owned(), format!("@{}", outer.display())]).unwrap();
        assert_eq!(words, ["first", "-c", "-O2", "@nowhere", "x.c"]);
        std::fs::write(&inner, format!("@{}", inner.display())).unwrap();
        assert!(matches!(expand(&[format!("@{}", inner.display())]), Err(WrapperError::Response(..))));
    }

    #[test]
    fn foreign_bytes_as_a_response_file() {
        let right = b"-c a.c\n-DX=\"a b\" '-DY=\"q\"' a\\ b \"\" @other -o \xc3\xa4.o\n".to_vec();
        let folder = TemporaryDirectory::new().unwrap();
        let file = folder.path().join("words");
        let words = [format!("@{}", file.display())];
        heddle_testkit::bytes::damage(&[right], |bytes| {
            std::fs::write(&file, bytes).unwrap();
            let _ = expand(&words);
        });
    }
}
