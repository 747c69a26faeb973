//! What pkg-config is asked, and what becomes of its answers.

use crate::fake_tree::{ARM, FakeTree, LINUX};

/// The programs that were run, with the variables that every one of them has left out.
fn asked(tree: &FakeTree) -> String {
    let commands = tree.commands.take();
    let command = |line: &String| {
        let rest = line.strip_prefix("PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 ");
        rest.expect("/usr/include is shown too").to_owned()
    };
    commands.iter().map(command).collect::<Vec<_>>().join(", ")
}

/// Why it led to nothing.
fn reason(tree: &FakeTree) -> String {
    let places = tree.auto().looked_at;
    places.into_iter().find(|(what, _)| what == "pkg-config").expect("its turn came").1
}

/// The versioned packages are asked for only where there is no other, the newest first.
#[test]
fn packages() {
    let mixed = "cudart-12.10 cuda-12.6 cuda-12.10 cuda-samples cudart-static zlib-13.0";
    for (packages, used, questions) in [
        ("cuda cudart cuda-12.6", "cuda", "cuda cudart"),
        ("cudart cuda-12.6", "cudart", "cuda cudart"),
        (mixed, "cuda-12.10", "cuda cudart --list-all cuda-12.10 cudart-12.10 cuda-12.6"),
    ] {
        let mut tree = FakeTree::new([]);
        for package in packages.split(' ') {
            tree.add(&format!("/{package}/include/cuda.h = 12.0"));
            tree.add(&format!("pkg-config {package} = /{package}/include"));
        }
        let expected = format!("12.0 from /{used}/include, found by pkg-config ({used})");
        assert_eq!(tree.outcome(), expected);
        let asked =
            asked(&tree).replace("pkg-config ", "").replace("--cflags-only-I ", "").replace(", ", " ");
        assert_eq!(asked, questions);
    }
}

/// Each variable reaches each question, in its first form that is set; and the program is the one that is named.
#[test]
fn variables_in_every_form() {
    for (target, kind) in [(LINUX, "HOST"), (ARM, "TARGET")] {
        let underscored = target.replace('-', "_");
        for name in ["PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
            let mut tree = FakeTree::new(["PKG_CONFIG_ALLOW_CROSS == 1"]);
            target.clone_into(&mut tree.target);
            let [general, last, middle, first] = [
                name.to_owned(),
                format!("{kind}_{name}"),
                format!("{name}_{underscored}"),
                format!("{name}_{target}"),
            ];
            // Each comes before those that are set already. An empty one is not set.
            for form in [&general, &last, &middle, &first] {
                for later in [&last, &middle, &first] {
                    tree.variables.entry(later.clone()).or_default();
                }
                let value = format!("/{form}");
                tree.set(form, &value);
                tree.programs.push(Box::leak(value.clone().into_boxed_str()));
                let (before, program) = if name == "PKG_CONFIG" {
                    (String::new(), value)
                } else {
                    (format!("{name}={value} "), "pkg-config".into())
                };
                assert_eq!(reason(&tree), "it has no package cuda or cudart");
                let question = |words| format!("{before}{program} {words}");
                let questions =
                    ["--cflags-only-I cuda", "--cflags-only-I cudart", "--list-all"].map(question);
                assert_eq!(asked(&tree), questions.join(", "));
            }
        }
    }
}

/// Its packages are the host's, unless a variable says that it knows the target's.
#[test]
fn another_target() {
    let refused = "not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)";
    let allowed = "it has no package cuda or cudart";
    for (variables, expected) in [
        (&[][..], refused),
        (&["PKG_CONFIG_PATH == /its/path", "HOST_PKG_CONFIG == pkg-config"], refused),
        (&["PKG_CONFIG_ALLOW_CROSS == 0", "PKG_CONFIG == pkg-config"], refused),
        (&["PKG_CONFIG_ALLOW_CROSS == 1"], allowed),
        (&["PKG_CONFIG_ALLOW_CROSS_aarch64_unknown_linux_gnu == 1"], allowed),
        (&["PKG_CONFIG == pkg-config"], allowed),
        (&["TARGET_PKG_CONFIG_SYSROOT_DIR == /arm"], allowed),
    ] {
        let mut tree = FakeTree::new(variables.iter().copied());
        ARM.clone_into(&mut tree.target);
        assert_eq!(reason(&tree), expected, "{variables:?}");
        assert_eq!(tree.commands.take().is_empty(), expected == refused);
    }
}

#[test]
fn a_program_that_cannot_be_asked() {
    let mut tree = FakeTree::new([]);
    tree.programs = vec!["pkgconf"];
    assert_eq!(reason(&tree), "it has no package cuda or cudart");
    tree.programs.clear();
    assert_eq!(reason(&tree), "pkg-config cannot be run: entity not found");
    tree.commands.take();
    tree.set("HOST_PKG_CONFIG", "/nope");
    assert_eq!(reason(&tree), "/nope cannot be run: entity not found");
    assert_eq!(asked(&tree), "/nope --cflags-only-I cuda");
    tree.set("CUDA_NO_PKG_CONFIG", "1");
    assert_eq!(reason(&tree), "not asked: CUDA_NO_PKG_CONFIG is set");
    assert!(tree.commands.take().is_empty());
}

/// A package without a directory of its own is in the compiler's.
#[test]
fn a_package_without_directories() {
    let tree = FakeTree::new(["pkg-config cuda = "]);
    let places = tree.auto().looked_at;
    let row = ("pkg-config cuda".to_owned(), "names no include directory".to_owned());
    assert!(places.contains(&row), "{places:?}");
}
