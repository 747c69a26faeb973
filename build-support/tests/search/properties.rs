//! Arbitrary headers, variables and names: the search ends, without a panic, with an answer.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::time::{Duration, Instant};

use cuda_external_sys_build::toolkit::environment::{INCLUDE_DIR, VARIABLES};
use cuda_external_sys_build::toolkit::header::version_in;

use crate::fake_tree::FakeTree;
use crate::policy::Policy;

/// A xorshift generator: the same sequence in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    /// One of the parts that stand between bars.
    fn part<'a>(&mut self, parts: &'a [u8]) -> &'a [u8] {
        let count = parts.iter().filter(|byte| **byte == b'|').count() + 1;
        parts.split(|byte| *byte == b'|').nth(self.below(count)).expect("there are so many")
    }
}

fn version(header: &[u8]) -> Option<String> {
    version_in(header).map(|version| version.to_string())
}

/// A definition is read however it is spaced, and what only looks like one is not.
#[test]
fn definitions() {
    let cases: [(&[u8], &str); 23] = [
        (b"#define CUDA_VERSION 13050", "13.5"),
        (b"#define CUDA_VERSION 12100\r\n", "12.10"),
        (b"#define\tCUDA_VERSION\t\t12090\t\n", "12.9"),
        (b"  #  define   CUDA_VERSION   11070   \n", "11.7"),
        (b"\xEF\xBB\xBF\n#define CUDA_VERSION 12040 /* 12.4 */\n", "12.4"),
        (b"/* a */ #define /* b */ CUDA_VERSION /* c\n */ 12000// d\n", "12.0"),
        (b"\xFF\xFE\x00\n#define CUDA_VERSION 13000\n\xFF", "13.0"),
        (b"#define X \"/*\"\n#define CUDA_VERSION 13010\n", "13.1"),
        (b"#define X '\"'\n#define CUDA_VERSION 13020\n", "13.2"),
        (b"#define CUDA_VERSION 14000u\n", "14.0"),
        (b"// #define CUDA_VERSION 13050\n", "none"),
        (b"/*\n#define CUDA_VERSION 13050\n*/\n", "none"),
        (b"/* #define CUDA_VERSION 13050\n", "none"),
        (b" * \\defgroup CUDA_VERSION 13050\n", "none"),
        (b"\" #define CUDA_VERSION 13050\n", "none"),
        (b"#define CUDA_VERSION\n", "none"),
        (b"#define CUDA_VERSION __CUDA_API_VERSION\n", "none"),
        (b"#define CUDA_VERSIONS 13050\n", "none"),
        (b"#define CUDA_VERSION13050\n", "none"),
        (b"#defineCUDA_VERSION 13050\n", "none"),
        (b"#define CUDA_VERSION 99999999999999999999\n", "none"),
        (b"#define CUDA_VERSION -13050\n", "none"),
        (b"#define CUDA_VERSION u\n", "none"),
    ];
    for (header, expected) in cases {
        assert_eq!(version(header).as_deref().unwrap_or("none"), expected, "{}", header.escape_ascii());
    }
}

/// Spaces and comments between the words of a definition change nothing. Other words are read without a panic.
#[test]
fn arbitrary_headers() {
    let mut random = Random(2);
    let mut found = 0;
    for _ in 0..50_000 {
        let mut words: Vec<&[u8]> =
            b"#|define| |CUDA_VERSION|\t|13050|\n".split(|byte| *byte == b'|').collect();
        for _ in 0..random.below(6) {
            let gap =
                random.part(b" |\t|  |/* x */|/**/|/* CUDA_VERSION\n#define CUDA_VERSION 1000 */|/***/ ");
            words.insert(random.below(words.len()), gap);
        }
        let header = words.concat();
        assert_eq!(version(&header).as_deref(), Some("13.5"), "{}", header.escape_ascii());
        for _ in 0..=random.below(3) {
            let at = random.below(words.len());
            let part =
                random.part(b"#|define|CUDA_VERSION|13050| |\n|/*|*/|//|\"|'|\\|\r|\0|\xFF|999999999999");
            if random.below(2) == 0 { words[at] = part } else { words.insert(at, part) }
        }
        found += u32::from(version(&words.concat()).is_some());
    }
    assert!((1_000..20_000).contains(&found), "{found}");
}

#[test]
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

#[test]
fn arbitrary_variables_and_names() {
    let mut random = Random(3);
    let mut arbitrary = |limit: usize| -> OsString {
        let parts = b"/|;|:|..|cuda|include|usr|\xFF|\xE9|\n| |~|$HOME|\"|\\|%|C:\\|\xF0\x9F\x8C\x8B|nvcc";
        let count = random.below(limit);
        OsString::from_vec((0..count).flat_map(|_| random.part(parts)).copied().collect())
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
            for name in [*name, &format!("X86_64_UNKNOWN_LINUX_GNU_{name}"), &format!("CUDA_PATH_V{round}")] {
                let mut value = if round % 3 == 0 { tree.at("/").into_os_string() } else { OsString::new() };
                value.push(arbitrary(8));
                if round % 5 == 0 {
                    value.push("/longer than the system allows".repeat(200));
                }
                tree.set(name, value);
            }
        }
        let chosen = tree.auto();
        assert_eq!(chosen.toolkit.map(|toolkit| toolkit.version.to_string()).as_deref(), Some("12.0"));
        assert!(!chosen.warnings.iter().any(String::is_empty));
        if let Err(message) = tree.choose(Policy::Generate) {
            assert!(message.lines().count() > 10, "{message}");
        }
        let value = arbitrary(6);
        if !value.is_empty() {
            tree.set(INCLUDE_DIR, value);
            assert!(tree.failure(Policy::Auto).contains(INCLUDE_DIR));
        }
    }
}
