//! Reading the release from the bytes of cuda.h.

use crate::drawn::{Drawn, LINUX, cuda_h};

#[track_caller]
fn read(bytes: &[u8]) -> Option<String> {
    let mut machine = Drawn::up(LINUX);
    machine.file("include/cuda.h", bytes);
    machine.set_to("CUDA_HOME", "");
    machine.find().ok().map(|toolkit| toolkit.version.to_string())
}

#[test]
fn the_number_is_read_however_it_is_spaced() {
    let versions: [(&[u8], &str); 9] = [
        (b"#define CUDA_VERSION 13050\n", "13.5"),
        (b"#define CUDA_VERSION 13050", "13.5"),
        (b"#define CUDA_VERSION 12100\r\n", "12.10"),
        (b"#define\tCUDA_VERSION\t\t12090\t\n", "12.9"),
        (b"  #  define   CUDA_VERSION   11070   \n", "11.7"),
        (b"\xEF\xBB\xBF\n#define CUDA_VERSION 12040 /* 12.4 */\n", "12.4"),
        (b"#define CUDA_VERSION 12040// 12.4\n", "12.4"),
        (b"/* a */ #define /* b */ CUDA_VERSION /* c */ 12000\n", "12.0"),
        (b"\xFF\xFE\x00\n#define CUDA_VERSION 13000\n\xFF", "13.0"),
    ];
    for (bytes, version) in versions {
        assert_eq!(read(bytes).as_deref(), Some(version), "{}", bytes.escape_ascii());
    }
}

#[test]
fn what_only_looks_like_the_number_is_not_read() {
    let others: [&[u8]; 11] = [
        b"",
        b"// #define CUDA_VERSION 13050\n",
        b"/*\n#define CUDA_VERSION 13050\n*/\n",
        b" * \\defgroup CUDA_VERSION 13050\n",
        b"#define CUDA_VERSION\n",
        b"#define CUDA_VERSION __CUDA_API_VERSION\n",
        b"#define CUDA_VERSIONS 13050\n",
        b"#define CUDA_VERSION13050\n",
        b"#defineCUDA_VERSION 13050\n",
        b"#define CUDA_VERSION 99999999999999999999\n",
        b"#define CUDA_VERSION -13050\n",
    ];
    for bytes in others {
        assert_eq!(read(bytes), None, "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_comment_that_names_the_macro_does_not_hide_it() {
    assert_eq!(read(&cuda_h("13.5", "\n")).as_deref(), Some("13.5"));
    assert_eq!(read(&cuda_h("13.5", "\r\n")).as_deref(), Some("13.5"));
    assert_eq!(read(b"/* a */ /* b\n*/ /**/\n#define CUDA_VERSION 12020\n").as_deref(), Some("12.2"));
}

#[test]
fn every_release_is_told_from_its_neighbours() {
    for version in ["11.7", "11.8", "12.0", "12.9", "12.10", "13.0", "13.5", "20.1"] {
        assert_eq!(read(&cuda_h(version, "\n")).as_deref(), Some(version));
    }
}
