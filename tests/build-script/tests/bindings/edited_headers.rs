//! Tests bindings generated from an edited cuda.h, or with an environment variable that clang or bindgen reads.

use std::collections::BTreeSet;
use std::fs;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::build_script::host_triple;

use crate::layout::{comparison, compilers, facts, releases};
use crate::support::{self, Need};
use ExpectedBindings::{Has, Refused, Same};

const ARGUMENTS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// An environment variable, its value and the result. `NEWEST` is the directory of the newest release's cuda.h.
const CLANG_VARIABLES: &[(&str, &str, ExpectedBindings)] = &[
    (ARGUMENTS, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", Same),
    (ARGUMENTS, "-DCUDA_FORCE_API_VERSION=3020", Same),
    (ARGUMENTS, "-D__CUDA_API_VERSION_INTERNAL", Same),
    (ARGUMENTS, "-DCUDA_VERSION=13000", Same),
    // The build reads the header that its search found, not the header that clang finds by one of these variables.
    (ARGUMENTS, "-INEWEST", Same),
    ("CPATH", "NEWEST", Same),
    (ARGUMENTS, "-include NEWEST/cuda.h", Same),
    (ARGUMENTS, "-fshort-enums", Refused("the clang arguments make enums short, as CUDA's ABI does not\n")),
    (ARGUMENTS, "-fpack-struct=1", Refused("the clang arguments pack structs, as CUDA's ABI does not\n")),
    (ARGUMENTS, "-m32", Refused("the clang arguments change the size of pointers")),
    ("TARGET", "i686-unknown-linux-gnu", Refused("CUDA has 64-bit targets only\n")),
];

/// An edit of the header, in the format that header_edits.txt describes.
struct HeaderEdit {
    name: &'static str,
    replacements: Vec<(String, String)>,
    expected: ExpectedBindings,
}

fn header_edits() -> Vec<HeaderEdit> {
    let unescaped = |text: &str| text.replace("\\n", "\n").replace("\\s", " ");
    let blocks = include_str!("header_edits.txt").split("\n\n").filter(|block| !block.starts_with('#'));
    let parse = |block: &'static str| {
        let (name, rest) = block.split_once('\n').expect("a block has a name");
        let lines = |mark| rest.lines().filter_map(move |line| line.strip_prefix(mark));
        let replacements = lines("- ").map(unescaped).zip(lines("+ ").map(unescaped)).collect();
        let texts: Vec<&str> = lines("has ").collect();
        let expected = match lines("refused ").next() {
            Some(reason) => Refused(reason),
            None if texts.is_empty() => Same,
            None => Has(texts),
        };
        HeaderEdit { name, replacements, expected }
    };
    blocks.map(parse).collect()
}

pub fn trials() -> Vec<Trial> {
    let [libclang, bindgen] = crate::bindings_generation_needs();
    let needs =
        [Need::new("headers", &support::fetched_headers(releases::newest_release())), libclang, bindgen];
    let edited = |HeaderEdit { name, replacements, expected }| {
        support::trial_if(&format!("edited_headers::{name}"), &needs, move || {
            let replacements = replacements.iter();
            let header = replacements
                .fold(header_of_future_release(), |header, (find, put)| replace_existing(&header, find, put));
            let generated = generate_bindings(&header, None);
            if let (Has(_), Ok(bindings)) = (&expected, &generated) {
                compilers::compile_crate(bindings, &releases::test_directory("edits", name));
            }
            expected.assert_bindings(generated);
        })
    };
    let read_otherwise = |(variable, value, expected): &'static (&str, &str, ExpectedBindings)| {
        support::trial_if(&format!("clang_variables::{variable}={value}"), &needs, move || {
            let newest = support::fetched_headers(releases::newest_release()).expect("the test needs it");
            let value = value.replace("NEWEST", &newest.display().to_string());
            expected
                .assert_bindings(generate_bindings(&header_of_future_release(), Some((variable, &value))));
        })
    };
    let edited = header_edits().into_iter().map(edited);
    edited.chain(CLANG_VARIABLES.iter().map(read_otherwise)).collect()
}

fn header_of_future_release() -> String {
    let include = support::fetched_headers(releases::newest_release()).expect("the test needs it");
    let header = fs::read_to_string(include.join("cuda.h")).expect("a header is text");
    let number = format!("#define CUDA_VERSION {}", releases::newest_cuda_version_number());
    replace_existing(&header, &number, "#define CUDA_VERSION 14000")
}

fn replace_existing(text: &str, find: &str, put: &str) -> String {
    assert!(text.contains(find), "the header has no {find}");
    text.replace(find, put)
}

fn generate_bindings(header: &str, variable: Option<(&str, &str)>) -> Result<String, String> {
    let include = tempdir().expect("a temporary directory");
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    let script = test_support::build_script!(host_triple()).generate_from(include.path());
    let run = variable
        .into_iter()
        .fold(script, |script, (name, value)| script.with_variable(name, value))
        .run_script();
    match run.bindings {
        Some(text) if run.output.status.success() => Ok(text),
        _ => Err(support::describe_exit(&run.output)),
    }
}

/// The expected result of a build with the edited header.
enum ExpectedBindings {
    /// The embedded bindings with the header's CUDA_VERSION.
    Same,
    /// Bindings that have these texts and every public name of the embedded bindings, and that rustc compiles.
    Has(Vec<&'static str>),
    /// The build fails for this reason.
    Refused(&'static str),
}

impl ExpectedBindings {
    #[track_caller]
    fn assert_bindings(&self, generated: Result<String, String>) {
        match (self, generated) {
            (Same, generated) => {
                let embedded = releases::embedded_bindings()
                    .replace(&format!("CUDA {};", releases::newest_release()), "CUDA 14.0;")
                    .replace(&format!("= {};", releases::newest_cuda_version_number()), "= 14000;");
                assert_eq!(generated, Ok(embedded));
            }
            (Has(texts), generated) => {
                let text = generated.unwrap_or_else(|error| panic!("{error}"));
                assert!(texts.iter().all(|part| text.contains(part)), "{text}");
                let (ours, theirs) = (public_names(releases::embedded_bindings()), public_names(&text));
                let missing: Vec<_> = ours.difference(&theirs).collect();
                assert!(missing.is_empty(), "missing: {missing:?}");
            }
            (Refused(reason), Ok(text)) => panic!("not refused for {reason}: {text}"),
            (Refused(reason), Err(error)) => {
                // clang's diagnostic has the reason after the crate's name. The script's own message must repeat it.
                let message = error.replace(&format!("cuda-external-sys: {reason}"), "");
                assert!(message.contains(reason) && !message.contains("panicked"), "{error}");
            }
        }
    }
}

fn public_names(text: &str) -> BTreeSet<String> {
    facts::all_facts(&comparison::parse_bindings_text(text))
        .into_iter()
        .map(|fact| fact.about.to_string())
        .collect()
}
