//! Against a tree of nodes, walked by recursion.

use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::testing::cases;

/// Files by their paths; links by what they say. What is not here does not exist.
#[derive(Clone, Debug)]
struct Files {
    nodes: BTreeMap<String, (Node, &'static str)>,
    current: &'static str,
}

fn text(path: &Path) -> String {
    std::str::from_utf8(path.bytes()).expect("text").to_string()
}

fn path(text: &str) -> Path {
    Path::from_bytes(text.as_bytes()).expect("short")
}

impl Tree for Files {
    fn start(&self) -> Fails<Path> {
        Path::from_bytes(self.current.as_bytes())
    }

    fn node(&self, path: &Path) -> Fails<Node> {
        self.nodes.get(&text(path)).map(|(node, _)| *node).ok_or(ENOENT)
    }

    fn link(&self, path: &Path) -> Fails<Path> {
        Path::from_bytes(self.nodes[&text(path)].1.as_bytes())
    }

    fn way_out(&self, path: &Path) -> Option<Path> {
        (path.bytes() == b"/proc/self/cwd").then(|| self.start().expect("short"))
    }
}

fn files() -> Files {
    let nodes = [
        ("/", Node::Directory, ""),
        ("/a", Node::Directory, ""),
        ("/a/b", Node::Directory, ""),
        ("/a/f", Node::Other, ""),
        ("/a/b/f", Node::Other, ""),
        ("/a/up", Node::Link, ".."),
        ("/a/l", Node::Link, "b"),
        ("/a/b/l", Node::Link, "/a/f"),
        ("/l", Node::Link, "a/b/"),
        ("/loop", Node::Link, "loop"),
        ("/gone", Node::Link, "a/missing"),
        ("/a/far", Node::Link, "/gone/x"),
    ];
    let nodes = nodes.iter().map(|&(path, node, link)| (path.to_string(), (node, link))).collect();
    Files { nodes, current: "/a" }
}

/// What POSIX says (Base Definitions 4.16, Pathname Resolution): the components one after the other, links replaced by what they say.
fn reference(files: &Files, at: Vec<String>, path: &str, follow: bool, budget: &mut u32) -> Result<Vec<String>, isize> {
    if path.is_empty() {
        return Err(ENOENT);
    }
    let mut at = if path.starts_with('/') { Vec::new() } else { at };
    let components: Vec<&str> = path.split('/').filter(|component| !component.is_empty()).collect();
    for (number, component) in components.iter().enumerate() {
        let is_last = number + 1 == components.len();
        let with_slash = is_last && path.ends_with('/');
        match *component {
            "." => {}
            ".." => {
                at.pop();
            }
            name => at.push(name.to_string()),
        }
        let name = std::format!("/{}", at.join("/"));
        let node = files.nodes.get(&name);
        if let Some((Node::Link, target)) = node
            && (!is_last || follow || with_slash)
        {
            *budget = budget.checked_sub(1).ok_or(ELOOP)?;
            at.pop();
            let slash = if with_slash || !is_last { "/" } else { "" };
            let rest = components[number + 1..].join("/");
            let tail = if is_last { String::new() } else { rest };
            let end = if !is_last && path.ends_with('/') { "/" } else { "" };
            let whole = std::format!("{target}{slash}{tail}{end}");
            return reference(files, at, &whole, follow, budget);
        }
        match node.map(|(node, _)| *node) {
            None if !is_last => return Err(ENOENT),
            Some(Node::Directory) | None => {}
            Some(_) if !is_last || with_slash => return Err(ENOTDIR),
            Some(_) => {}
        }
    }
    Ok(at)
}

fn components() -> impl Strategy<Value = String> {
    let names = std::vec!["a", "b", "f", "l", "up", ".", "..", "", "missing", "loop", "gone", "far"];
    (any::<bool>(), prop::collection::vec(prop::sample::select(names), 0..8), any::<bool>()).prop_map(
        |(absolute, names, slash)| {
            let (begin, end) = (if absolute { "/" } else { "" }, if slash { "/" } else { "" });
            std::format!("{begin}{}{end}", names.join("/"))
        },
    )
}

#[test]
fn components_come_and_go() {
    let mut path = path("/");
    path.pop();
    assert_eq!(path.bytes(), b"/");
    path.push(b"a").expect("short");
    path.push(b"bc").expect("short");
    assert_eq!(text(&path), "/a/bc");
    assert_eq!(text(&path.parent()), "/a");
    assert!(path.is_below(b"/a") && path.is_below(b"/") && !path.is_below(b"/a/b") && !path.is_below(b"/a/bc"));
    // SAFETY: it ends in zero.
    assert_eq!(unsafe { Path::of(path.address()) }.map(|copy| text(&copy)), Ok("/a/bc".to_string()));
    // SAFETY: null.
    assert_eq!(unsafe { Path::of(0) }.err(), Some(EFAULT));
}

#[test]
fn long_paths_are_refused_and_leave_the_path_alone() {
    let mut path = path("/short");
    assert_eq!(path.push(&[b'x'; MOST]).err(), Some(ENAMETOOLONG));
    assert_eq!(text(&path), "/short");
    let long = [b'x'; MOST];
    assert_eq!(Path::from_bytes(&long).err(), Some(ENAMETOOLONG));
    assert_eq!(Path::from_bytes(&long[..MOST - 1]).map(|path| path.bytes().len()), Ok(MOST - 1));
}

/// As many links as the kernel follows, and one more.
#[test]
fn links_are_followed_forty_times() {
    struct Chain;
    impl Tree for Chain {
        fn start(&self) -> Fails<Path> {
            Path::from_bytes(b"/")
        }
        fn node(&self, path: &Path) -> Fails<Node> {
            Ok(if path.bytes() == b"/0" { Node::Directory } else { Node::Link })
        }
        fn link(&self, path: &Path) -> Fails<Path> {
            let number: u32 = text(path)[1..].parse().expect("a number");
            Path::numbered(b"", number - 1)
        }
        fn way_out(&self, _: &Path) -> Option<Path> {
            None
        }
    }
    assert_eq!(resolve(&Chain, &path("/40"), true).map(|path| text(&path)), Ok("/0".to_string()));
    assert_eq!(resolve(&Chain, &path("/41"), true).err(), Some(ELOOP));
}

#[test]
fn numbers_are_names() {
    for number in [0, 7, 10, 4_294_967_295] {
        assert_eq!(text(&Path::numbered(b"/s", number).expect("short")), std::format!("/s/{number}"));
    }
}

#[test]
fn the_kernels_own_paths_are_direct() {
    for (name, direct) in [
        ("/proc", true),
        ("/proc/self/fd/3", true),
        ("/processes", false),
        ("/dev/null", true),
        ("/dev/shm", false),
        ("/dev/shm/x", false),
        ("/dev/shmem", true),
        ("/sys/kernel", true),
        ("/home/proc", false),
    ] {
        assert_eq!(path(name).is_direct(), direct, "{name}");
    }
    let resolved = |name: &str| resolve(&files(), &path(name), true).map(|path| text(&path));
    assert_eq!(resolved("/proc/self/cwd/f"), Ok("/a/f".to_string()));
    assert_eq!(resolved("/proc/self/maps"), Ok("/proc/self/maps".to_string()));
}

proptest! {
    #![proptest_config(cases(2048))]

    /// In a tree where every directory exists, a path without links is what a stack of components makes of it.
    #[test]
    fn normalises_as_a_stack_does(names in prop::collection::vec(prop::sample::select(std::vec!["x", "yy", ".", "..", ""]), 1..10)) {
        struct Everything;
        impl Tree for Everything {
            fn start(&self) -> Fails<Path> {
                Path::from_bytes(b"/")
            }
            fn node(&self, _: &Path) -> Fails<Node> {
                Ok(Node::Directory)
            }
            fn link(&self, _: &Path) -> Fails<Path> {
                Err(ENOENT)
            }
            fn way_out(&self, _: &Path) -> Option<Path> {
                None
            }
        }
        let mut stack: Vec<&str> = Vec::new();
        for name in &names {
            match *name {
                "" | "." => {}
                ".." => drop(stack.pop()),
                name => stack.push(name),
            }
        }
        let written = names.join("/");
        prop_assume!(!written.is_empty());
        let resolved = resolve(&Everything, &path(&written), true).map(|path| text(&path));
        prop_assert_eq!(resolved, Ok(std::format!("/{}", stack.join("/"))));
    }

    #[test]
    fn resolves_as_posix_says(written in components(), follow in any::<bool>()) {
        let files = files();
        let expected = reference(&files, std::vec!["a".to_string()], &written, follow, &mut 40);
        let resolved = resolve(&files, &path(&written), follow).map(|path| text(&path));
        prop_assert_eq!(resolved, expected.map(|at| std::format!("/{}", at.join("/"))));
    }

    #[test]
    fn a_resolved_path_means_itself(written in components()) {
        let files = files();
        if let Ok(resolved) = resolve(&files, &path(&written), true)
            && files.node(&resolved) != Ok(Node::Link)
        {
            prop_assert_eq!(resolve(&files, &resolved, true).map(|path| text(&path)), Ok(text(&resolved)));
        }
    }
}
