//! What pkg-config is asked, and what becomes of its answers.

use std::io::ErrorKind;

use cuda_external_sys_build::toolkit::environment::Unanswered;

use crate::fake_tree::{ARM, FakeTree, LINUX, Reason};

/// The packages that were asked for, and the commands that were run.
fn asked(tree: &FakeTree) -> String {
    tree.asked.take().join(", ")
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
        ("cuda cudart cuda-12.6", "cuda", "cuda, cudart"),
        ("cudart cuda-12.6", "cudart", "cuda, cudart"),
        (mixed, "cuda-12.10", "cuda, cudart, pkg-config --list-all, cuda-12.10, cudart-12.10, cuda-12.6"),
    ] {
        let mut tree = FakeTree::new([]);
        for package in packages.split(' ') {
            tree.add(&format!("/{package}/include/cuda.h = 12.0"));
            tree.add(&format!("pkg-config {package} = /{package}/include"));
        }
        let expected = format!("12.0 from /{used}/include, found by pkg-config ({used})");
        assert_eq!(tree.outcome(), expected);
        assert_eq!(asked(&tree), questions);
    }
}

/// The list is of the packages that the crate pkg-config finds: each variable reaches the program in its first form that
/// is set, also an empty one; and the program is the one that is named.
#[test]
fn variables_in_every_form() {
    for (target, kind) in [(LINUX, "HOST"), (ARM, "TARGET")] {
        let underscored = target.replace('-', "_");
        for name in ["PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
            let mut tree = FakeTree::new([]);
            target.clone_into(&mut tree.target);
            tree.serves_target = true;
            // Each comes before those that are set already.
            for form in [
                name.to_owned(),
                format!("{kind}_{name}"),
                format!("{name}_{underscored}"),
                format!("{name}_{target}"),
            ] {
                for value in [format!("/{form}"), String::new()] {
                    tree.set(&form, &value);
                    tree.programs.push(Box::leak(value.clone().into_boxed_str()));
                    assert_eq!(reason(&tree), "it has no package cuda or cudart");
                    let command = if name == "PKG_CONFIG" {
                        format!("{value} --list-all")
                    } else {
                        format!("{name}={value} pkg-config --list-all")
                    };
                    assert_eq!(asked(&tree), format!("cuda, cudart, {command}"));
                }
            }
        }
    }
}

/// Its reasons, in words. It is asked for nothing else then.
#[test]
fn no_answer() {
    let reasons: [(Reason, &str); 4] = [
        (|| Unanswered::OtherTarget, "not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)"),
        (|| Unanswered::SwitchedOff("CUDA_NO_PKG_CONFIG".to_owned()), "not asked: CUDA_NO_PKG_CONFIG is set"),
        (|| Unanswered::NotRun(ErrorKind::NotFound.into()), "pkg-config cannot be run: entity not found"),
        (|| Unanswered::Other("it is on strike".to_owned()), "it is on strike"),
    ];
    let mut tree = FakeTree::new(["pkg-config cudart = /usr/include"]);
    for (unanswered, words) in reasons {
        tree.unanswered.insert("cuda", unanswered);
        assert_eq!(reason(&tree), words);
        assert_eq!(asked(&tree), "cuda");
    }
    tree.set("HOST_PKG_CONFIG", "/nope");
    tree.unanswered.insert("cuda", || Unanswered::NotRun(ErrorKind::NotFound.into()));
    assert_eq!(reason(&tree), "/nope cannot be run: entity not found");
}

/// What it answered for another package counts.
#[test]
fn no_answer_for_one_package() {
    let mut tree = FakeTree::new(["/pc/cuda.h = 12.0", "pkg-config cuda = /pc"]);
    tree.unanswered.insert("cudart", || Unanswered::SwitchedOff("CUDART_NO_PKG_CONFIG".to_owned()));
    assert_eq!(tree.outcome(), "12.0 from /pc, found by pkg-config (cuda)");
}

/// The list is from the program that the crate runs, and an empty one where it cannot be run.
#[test]
fn the_program_of_the_list() {
    let mut tree = FakeTree::new(["/pc/cuda.h = 12.0", "pkg-config cuda-12.6 = /pc"]);
    tree.programs = vec!["pkgconf"];
    assert_eq!(tree.outcome(), "12.0 from /pc, found by pkg-config (cuda-12.6)");
    assert_eq!(asked(&tree), "cuda, cudart, pkg-config --list-all, pkgconf --list-all, cuda-12.6");
    tree.programs.clear();
    assert_eq!(reason(&tree), "it has no package cuda or cudart");
    tree.programs = vec!["pkgconf"];
    tree.set("PKG_CONFIG", "/nope");
    tree.asked.take();
    assert_eq!(reason(&tree), "it has no package cuda or cudart");
    assert_eq!(asked(&tree), "cuda, cudart, /nope --list-all");
}

/// A package without a directory of its own is in the compiler's.
#[test]
fn a_package_without_directories() {
    let tree = FakeTree::new(["pkg-config cuda = "]);
    let places = tree.auto().looked_at;
    let row = ("pkg-config cuda".to_owned(), "names no include directory".to_owned());
    assert!(places.contains(&row), "{places:?}");
}
