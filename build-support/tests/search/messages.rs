//! What a build says, word for word.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::fake_tree::FakeTree;
use crate::policy::Policy;

/// Whether a text is as expected; there, a line of dots stands for any lines.
fn matches(text: &str, expected: &str) -> bool {
    let mut parts = expected.split("...\n");
    let rest = text.strip_prefix(parts.next().unwrap_or_default());
    let rest = parts.fold(rest, |rest, part| Some(rest?.split_once(part)?.1));
    rest.is_some_and(|rest| rest.is_empty() || expected.ends_with("...\n"))
}

#[test]
fn word_for_word() {
    let machines: Vec<_> = include_str!("messages.txt").split("\n=== ").skip(1).collect();
    assert!(machines.len() >= 13);
    for machine in machines {
        let (items, ends) = machine.split_once("\n--- ").expect("a machine has an end");
        let tree = FakeTree::new(items.lines().skip(1).map(str::trim_start));
        for end in ends.split("\n--- ") {
            let (policies, expected) = end.split_once('\n').expect("an end has a text");
            for policy in policies.split(", ") {
                let policy = Policy::parse(Some(policy.as_ref())).expect("a policy");
                let text =
                    tree.choose(policy).map_or_else(|error| error, |chosen| chosen.warnings.join("\n"));
                let (text, expected) = (text + "\n", format!("{}\n", expected.trim_end()));
                assert!(matches(&text, &expected), "{items}\n{text}\nis not\n{expected}");
            }
        }
    }
}

/// A path is never broken, however long it is.
#[test]
fn long_paths() {
    let long = format!("/nowhere/{}/{}", "a b".repeat(60), "c d".repeat(60));
    let path = format!("PATH == /usr/bin:{long}:/bin");
    let tree = FakeTree::new([&*path, &format!("CONDA_PREFIX == {long}"), "fixed places below /nowhere"]);
    let text = tree.failure(Policy::Generate);
    assert_eq!(text.lines().filter(|line| line.contains(&long)).count(), 4, "{text}");
}

/// A directory that cannot be read is not one without toolkits.
#[test]
fn unreadable_directory() {
    let places = FakeTree::new(["/opt/nvidia/hpc_sdk -> hpc_sdk"]).auto().looked_at;
    let (_, why) =
        places.iter().find(|(what, _)| what.ends_with("/Linux_x86_64/*")).expect("it is looked at");
    assert_eq!(why, "Too many levels of symbolic links (os error 40)");
}

#[test]
fn policies() {
    use Policy::{Auto, Embedded, Generate};
    assert_eq!(Policy::parse(None), Ok(Auto));
    for (value, policy) in [("", Auto), ("auto", Auto), ("generate", Generate), ("embedded", Embedded)] {
        assert_eq!(Policy::parse(Some(value.as_ref())), Ok(policy));
    }
    for value in [&b"never"[..], b"Auto", b" auto", b"\xFF"] {
        let value = OsStr::from_bytes(value);
        let expected = format!(
            "\
CUDA_EXTERNAL_SYS_BINDINGS is {value:?}. It must be one of:

  auto      generate where a cuda.h and libclang are found, else embedded (the default)
  generate  generate, or fail
  embedded  use the bindings that come with the crate"
        );
        assert_eq!(Policy::parse(Some(value)), Err(expected));
    }
}
