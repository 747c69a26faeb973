//! The questions to pkg-config, and the use of its answers. The program `build` runs pkg-config itself.

use crate::fake_tree::FakeTree;

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
        assert_eq!(tree.asked.take().join(", "), questions);
    }
}
