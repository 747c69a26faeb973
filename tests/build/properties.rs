//! Arbitrary headers, variables and names: the search ends, without a panic, with an answer.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use test_support as support;

use crate::fake_tree::FakeTree;
use crate::policy::Policy;
use crate::toolkit::environment::{INCLUDE_DIR, VARIABLES};
use crate::toolkit::header::version_in;

pub fn all() -> Vec<Trial> {
    support::tests! {
        [] => a_definition_is_read_however_it_is_spaced, what_only_looks_like_a_definition_is_not_read,
            arbitrary_headers, long_headers_take_linear_time, arbitrary_variables_and_names;
    }
}

/// A xorshift generator: the same sequence in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

fn version(header: &[u8]) -> Option<String> {
    version_in(header).map(|version| version.to_string())
}

fn a_definition_is_read_however_it_is_spaced() {
    let cases: [(&[u8], &str); 12] = [
        (b"#define CUDA_VERSION 13050\n", "13.5"),
        (b"#define CUDA_VERSION 13050", "13.5"),
        (b"#define CUDA_VERSION 12100\r\n", "12.10"),
        (b"#define\tCUDA_VERSION\t\t12090\t\n", "12.9"),
        (b"  #  define   CUDA_VERSION   11070   \n", "11.7"),
        (b"\xEF\xBB\xBF\n#define CUDA_VERSION 12040 /* 12.4 */\n", "12.4"),
        (b"/* a */ #define /* b */ CUDA_VERSION /* c\n */ 12000// d\n", "12.0"),
        (b"/* a */ /* b\n*/ /**/\n#define CUDA_VERSION 12020\n", "12.2"),
        (b"\xFF\xFE\x00\n#define CUDA_VERSION 13000\n\xFF", "13.0"),
        (b"#define X \"/*\"\n#define CUDA_VERSION 13010\n", "13.1"),
        (b"#define X '\"'\n#define CUDA_VERSION 13020\n", "13.2"),
        (b"#define CUDA_VERSION 14000u\n", "14.0"),
    ];
    for (header, expected) in cases {
        assert_eq!(version(header).as_deref(), Some(expected), "{}", header.escape_ascii());
    }
    // Spaces and comments anywhere between the words.
    let mut random = Random(1);
    for round in 0..5_000 {
        let mut gap = |least: &str| {
            let gaps = [
                " ",
                "\t",
                "  ",
                "/* x */",
                "/**/",
                "/* CUDA_VERSION\n#define CUDA_VERSION 1000 */",
                "/***/ ",
            ];
            let count = random.below(3);
            let more: String = (0..count).map(|_| random.of(&gaps)).collect();
            format!("{least}{more}")
        };
        let number = 11000 + round;
        let line =
            format!("{}#{}define{}CUDA_VERSION{}{number}{}", gap(""), gap(""), gap(" "), gap("\t"), gap(""));
        let expected = format!("{}.{}", number / 1000, number % 1000 / 10);
        let header = format!(
            "// CUDA_VERSION\n{line}{}",
            random.of(&["\n", "\r\n", "", "// x", "\n#define CUDA_VERSION 1\n"])
        );
        assert_eq!(version(header.as_bytes()), Some(expected), "{header}");
    }
}

fn what_only_looks_like_a_definition_is_not_read() {
    let cases: [&[u8]; 14] = [
        b"",
        b"// #define CUDA_VERSION 13050\n",
        b"/*\n#define CUDA_VERSION 13050\n*/\n",
        b"/* #define CUDA_VERSION 13050\n",
        b" * \\defgroup CUDA_VERSION 13050\n",
        b"\" #define CUDA_VERSION 13050\n",
        b"#define CUDA_VERSION\n",
        b"#define CUDA_VERSION __CUDA_API_VERSION\n",
        b"#define CUDA_VERSIONS 13050\n",
        b"#define CUDA_VERSION13050\n",
        b"#defineCUDA_VERSION 13050\n",
        b"#define CUDA_VERSION 99999999999999999999\n",
        b"#define CUDA_VERSION -13050\n",
        b"#define CUDA_VERSION u\n",
    ];
    for header in cases {
        assert_eq!(version(header), None, "{}", header.escape_ascii());
    }
}

fn arbitrary_headers() {
    let parts: [&[u8]; 16] = [
        b"#",
        b"define",
        b"CUDA_VERSION",
        b"13050",
        b" ",
        b"\n",
        b"/*",
        b"*/",
        b"//",
        b"\"",
        b"'",
        b"\\",
        b"\r",
        b"\0",
        b"\xFF",
        b"999999999999",
    ];
    let mut random = Random(2);
    let mut found = 0;
    for _ in 0..50_000 {
        // The words of a definition, with a few of them replaced, and others between them.
        let mut words: Vec<&[u8]> = vec![b"#", b"define", b" ", b"CUDA_VERSION", b" ", b"13050", b"\n"];
        for _ in 0..random.below(4) {
            let (at, part) = (random.below(words.len()), random.of(&parts));
            if random.below(2) == 0 { words[at] = part } else { words.insert(at, part) }
        }
        let header = words.concat();
        if let Some(version) = version_in(&header) {
            found += 1;
            assert!(header.windows(12).any(|bytes| bytes == b"CUDA_VERSION"), "{version}");
        }
    }
    assert!((10_000..40_000).contains(&found), "{found}");
}

fn long_headers_take_linear_time() {
    for part in
        ["/**/", "/*", "*/", "//", "\"", "\"\n", "'", "#define ", "#define CUDA_VERSION ", "/", "\n", "\0"]
    {
        let header = part.repeat((1 << 20) / part.len());
        let start = Instant::now();
        assert_eq!(version(header.as_bytes()), None);
        // A pass takes about 0.1 s without optimization; a quadratic one takes hours.
        assert!(start.elapsed() < Duration::from_secs(20), "{part:?} takes {:?}", start.elapsed());
    }
}

fn arbitrary_variables_and_names() {
    let parts: [&[u8]; 19] = [
        b"/",
        b";",
        b":",
        b"..",
        b"cuda",
        b"include",
        b"usr",
        b"\xFF",
        b"\xE9",
        b"\n",
        b" ",
        b"~",
        b"$HOME",
        b"\"",
        b"\\",
        b"%",
        b"C:\\",
        b"\xF0\x9F\x8C\x8B",
        b"nvcc",
    ];
    let mut random = Random(3);
    let mut arbitrary = |limit: usize| -> OsString {
        let count = random.below(limit);
        OsString::from_vec((0..count).flat_map(|_| random.of(&parts).to_vec()).collect())
    };
    let mut tree = FakeTree::new(["/usr/include/cuda.h = 12.0", "/usr/local/"]);
    for prefix in ["cuda-", "cuda-12.", ""] {
        for _ in 0..20 {
            let name = arbitrary(4).to_string_lossy().replace('/', "x");
            let _ = fs::create_dir(tree.at("/usr/local").join(format!("{prefix}{name}")));
        }
    }
    for round in 0..400 {
        tree.variables.clear();
        for (name, _) in VARIABLES.iter().filter(|(name, _)| *name != INCLUDE_DIR) {
            for name in [
                (*name).to_owned(),
                format!("X86_64_UNKNOWN_LINUX_GNU_{name}"),
                format!("CUDA_PATH_V{round}"),
            ] {
                let mut value = if round % 3 == 0 { tree.at("/").into_os_string() } else { OsString::new() };
                value.push(arbitrary(8));
                tree.variables.insert(name, value);
            }
        }
        let chosen = tree.auto();
        assert_eq!(chosen.toolkit.map(|toolkit| toolkit.version.to_string()).as_deref(), Some("12.0"));
        assert!(!chosen.warnings.iter().any(String::is_empty));
        match tree.choose(Policy::Generate, &tree.at("/gone")) {
            Ok(chosen) => assert!(chosen.toolkit.is_some()),
            Err(message) => assert!(message.lines().count() > 10),
        }
        tree.variables.insert(INCLUDE_DIR.to_owned(), arbitrary(6));
        if !tree.variables[INCLUDE_DIR].is_empty() {
            assert!(tree.failure(Policy::Auto).contains(INCLUDE_DIR));
        }
    }
}
