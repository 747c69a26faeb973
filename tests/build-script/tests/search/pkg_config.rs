//! What pkg-config is asked, and what becomes of its answers.

use std::io::ErrorKind;

use build_script::toolkit::environment::Unanswered;

use crate::fake_tree::{FakeTree, Reason};

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
}

/// The headers of a package without a directory are in one that the compiler searches anyway.
#[test]
fn a_package_without_directories() {
    let tree = FakeTree::new(["pkg-config cuda = "]);
    let places = tree.auto().looked_at;
    let row = ("pkg-config cuda".to_owned(), "names no include directory".to_owned());
    assert!(places.contains(&row), "{places:?}");
}
