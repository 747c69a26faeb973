//! Real headers, edited, and real headers with arguments and variables that change what clang reads. The bindings are
//! right, or the build says why the header cannot be used.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::build_script::host_triple;

use crate::layout::{comparison, compilers, facts, releases};
use crate::support::{self, Need};
use ExpectedBindings::{Has, Refused, Same};

/// What a build makes of an edited header, or with a clang argument.
enum ExpectedBindings {
    /// The same bindings as without the change.
    Same,
    /// The surface of the embedded bindings with these texts in it. rustc accepts it.
    Has(Vec<&'static str>),
    /// The build stops, and this is the reason.
    Refused(&'static str),
}

/// The newest release's header with a number that is yet to come.
const NEWER: &str = "newer";
const OLDER: &str = "12.9";

const ARGUMENTS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// A variable, its value, in which `NEWEST` is the directory of the newest header, and the bindings of an older header.
const CLANG_VARIABLES: &[(&str, &str, ExpectedBindings)] = &[
    (ARGUMENTS, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", Same),
    (ARGUMENTS, "-DCUDA_FORCE_API_VERSION=3020", Same),
    (ARGUMENTS, "-D__CUDA_API_VERSION_INTERNAL", Same),
    (ARGUMENTS, "-DCUDA_VERSION=13000", Same),
    // The located header is the one that is read.
    (ARGUMENTS, "-INEWEST", Same),
    ("CPATH", "NEWEST", Same),
    (ARGUMENTS, "-include NEWEST/cuda.h", Same),
    (ARGUMENTS, "-fshort-enums", Refused("the clang arguments make enums short, as CUDA's ABI does not\n")),
    (ARGUMENTS, "-fpack-struct=1", Refused("the clang arguments pack structs, as CUDA's ABI does not\n")),
    (ARGUMENTS, "-m32", Refused("the clang arguments change the size of pointers")),
    ("TARGET", "i686-unknown-linux-gnu", Refused("CUDA has 64-bit targets only\n")),
];

/// An edit of a header; edits.txt has the form.
struct HeaderEdit {
    name: &'static str,
    release: &'static str,
    replacements: Vec<(String, String)>,
    expected: ExpectedBindings,
}

fn header_edits() -> Vec<HeaderEdit> {
    let unescaped = |text: &str| text.replace("\\n", "\n").replace("\\s", " ");
    let blocks = include_str!("edits.txt").split("\n\n").filter(|block| !block.starts_with('#'));
    let parse = |block: &'static str| {
        let (title, rest) = block.split_once('\n').expect("a block has a title");
        let (name, release) = title.split_once(", ").expect("a title has a release");
        let lines = |mark| rest.lines().filter_map(move |line| line.strip_prefix(mark));
        let replacements = lines("- ").map(unescaped).zip(lines("+ ").map(unescaped)).collect();
        let refused = lines("refused ").next();
        let texts: Vec<&str> = lines("has ").collect();
        let expected = match refused {
            Some(reason) => Refused(reason),
            None if texts.is_empty() => Same,
            None => Has(texts),
        };
        HeaderEdit { name, release, replacements, expected }
    };
    blocks.map(parse).collect()
}

pub fn trials() -> Vec<Trial> {
    let [libclang, bindgen] = crate::generation_needs();
    let header = |release| Need::new("headers", &support::headers(release));
    let needs = [header(releases::newest_release()), header(OLDER), libclang, bindgen];
    let edited = |HeaderEdit { name, release, replacements, expected }| {
        support::trial_if(&format!("edited_headers::{name}"), &needs, move || {
            let edited = replacements
                .iter()
                .fold(release_header(release), |header, (find, put)| replace_once(&header, find, put));
            let made = generate_bindings(&edited, &[]);
            if let (Has(_), Ok(bindings)) = (&expected, &made) {
                compilers::compile_crate(bindings, &releases::test_directory("edits", name));
            }
            expected.assert_bindings(made, release);
        })
    };
    let with_variable = |(variable, value, expected): &'static (&str, &str, ExpectedBindings)| {
        support::trial_if(&format!("clang_variables::{variable}={value}"), &needs, move || {
            let newest = support::headers(releases::newest_release()).expect("the test needs it");
            let value = value.replace("NEWEST", &newest.display().to_string());
            let made = generate_bindings(&release_header(OLDER), &[(variable, &value)]);
            expected.assert_bindings(made, OLDER);
        })
    };
    let edited = header_edits().into_iter().map(edited);
    edited.chain(CLANG_VARIABLES.iter().map(with_variable)).collect()
}

fn release_header(release: &str) -> String {
    if release == NEWER {
        return replace_once(
            &release_header(releases::newest_release()),
            &format!("#define CUDA_VERSION {}", releases::newest_number()),
            "#define CUDA_VERSION 14000",
        );
    }
    let path = support::headers(release).expect("the test needs it").join("cuda.h");
    fs::read_to_string(path).expect("a header is text")
}

fn replace_once(text: &str, find: &str, put: &str) -> String {
    assert!(text.contains(find), "the header has no {find}");
    text.replace(find, put)
}

/// The text of the bindings, or what the build script prints.
fn generate_bindings(header: &str, variables: &[(&str, &str)]) -> Result<String, String> {
    let include = tempdir().expect("a temporary directory");
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    let script = test_support::build_script!(&host_triple()).generate_from(include.path());
    let run =
        variables.iter().fold(script, |script, (name, value)| script.with_variable(name, value)).run_script();
    match run.bindings {
        Some(text) if run.output.status.success() => Ok(text),
        _ => Err(support::describe_exit(&run.output)),
    }
}

/// The bindings of an unchanged header. Those of the newest header are the embedded ones. A changed number changes that
/// number only.
fn unchanged_bindings(release: &str) -> String {
    static OF_OLDER: OnceLock<String> = OnceLock::new();
    let newest = format!("CUDA {};", releases::newest_release());
    match release {
        OLDER => OF_OLDER
            .get_or_init(|| generate_bindings(&release_header(OLDER), &[]).expect("it is generated"))
            .clone(),
        NEWER => releases::embedded_bindings()
            .replace(&newest, "CUDA 14.0;")
            .replace(&format!("= {};", releases::newest_number()), "= 14000;"),
        _ => releases::embedded_bindings().to_owned(),
    }
}

impl ExpectedBindings {
    /// Compares what was generated from a changed header.
    #[track_caller]
    fn assert_bindings(&self, generated: Result<String, String>, release: &str) {
        match (self, generated) {
            (Self::Same, generated) => assert_eq!(generated, Ok(unchanged_bindings(release))),
            (Self::Has(texts), generated) => {
                let text = generated.unwrap_or_else(|error| panic!("{error}"));
                assert!(texts.iter().all(|part| text.contains(part)), "{text}");
                let (ours, theirs) = (public_names(releases::embedded_bindings()), public_names(&text));
                let missing: Vec<_> = ours.difference(&theirs).collect();
                assert!(missing.is_empty(), "missing: {missing:?}");
            }
            (Self::Refused(reason), Ok(text)) => panic!("not refused for {reason}: {text}"),
            (Self::Refused(reason), Err(error)) => {
                // Its own message has the reason, and not only clang's diagnostics, which come before it.
                let message = error.replace(&format!("cuda-external-sys: {reason}"), "");
                assert!(message.contains(reason) && !message.contains("panicked"), "{error}");
            }
        }
    }
}

fn public_names(text: &str) -> BTreeSet<String> {
    facts::all_facts(&comparison::read(text)).into_iter().map(|fact| fact.about.to_string()).collect()
}
