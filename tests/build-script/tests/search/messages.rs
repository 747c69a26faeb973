//! Two whole messages, word for word, and the values of the policy.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::fake_tree::FakeTree;
use build_script::policy::Policy;

/// Whether a text is as expected; there, a line of dots stands for any lines.
fn matches(text: &str, expected: &str) -> bool {
    let mut parts = expected.split("...\n");
    let rest = text.strip_prefix(parts.next().unwrap_or_default());
    let rest = parts.fold(rest, |rest, part| Some(rest?.split_once(part)?.1));
    rest.is_some_and(|rest| rest.is_empty() || expected.ends_with("...\n"))
}

#[test]
fn word_for_word() {
    let machines = include_str!("messages.txt").split("\n=== ").skip(1);
    for machine in machines {
        let (items, ends) = machine.split_once("\n--- ").expect("a machine has an end");
        let tree = FakeTree::new(items.lines().skip(1).map(str::trim_start));
        for end in ends.split("\n--- ") {
            let (policy, expected) = end.split_once('\n').expect("an end has a text");
            let policy = Policy::parse(Some(policy.as_ref())).expect("a policy");
            let text = tree.choose(policy).map_or_else(|error| error, |chosen| chosen.warnings.join("\n"));
            let (text, expected) = (text + "\n", format!("{}\n", expected.trim_end()));
            assert!(matches(&text, &expected), "{items}\n{text}\nis not\n{expected}");
        }
    }
}

#[test]
fn policies() {
    use Policy::{Auto, Embedded, Generate};
    assert_eq!(Policy::parse(None), Ok(Auto));
    for (value, policy) in [("", Auto), ("auto", Auto), ("generate", Generate), ("embedded", Embedded)] {
        assert_eq!(Policy::parse(Some(value.as_ref())), Ok(policy));
    }
    for value in [&b"never"[..], b"Auto", b" auto", b"\xFF"] {
        let error = Policy::parse(Some(OsStr::from_bytes(value))).expect_err("not a policy");
        assert!(error.starts_with("CUDA_EXTERNAL_SYS_BINDINGS is "), "{error}");
    }
}
