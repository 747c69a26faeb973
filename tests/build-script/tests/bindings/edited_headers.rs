//! Real headers, edited. The bindings are right, or the build says why the header cannot be used.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::build_script::host_triple;

use crate::layout::{comparison, compilers, facts, releases};
use crate::support::{self, Need};

/// The result of an edited header.
pub enum ExpectedResult {
    /// The same bindings as without the change.
    Same,
    /// The surface of the embedded bindings with these texts in it. rustc accepts it.
    Has(Vec<&'static str>),
    /// The build stops, and this is the reason.
    Refused(&'static str),
}

/// The newest release's header with a number that is yet to come.
const NEWER: &str = "newer";
pub const OLDER: &str = "12.9";

/// An edit of a header; edits.txt has the form.
struct HeaderEdit {
    name: &'static str,
    release: &'static str,
    replacements: Vec<(String, String)>,
    answer: ExpectedResult,
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
        let answer = match refused {
            Some(reason) => ExpectedResult::Refused(reason),
            None if texts.is_empty() => ExpectedResult::Same,
            None => ExpectedResult::Has(texts),
        };
        HeaderEdit { name, release, replacements, answer }
    };
    blocks.map(parse).collect()
}

pub fn trials() -> Vec<Trial> {
    let needs = generation_needs();
    let trial = |HeaderEdit { name, release, replacements, answer }| {
        support::trial_if(&format!("edited_headers::{name}"), &needs, move || {
            let edited = replacements
                .iter()
                .fold(release_header(release), |header, (find, put)| replace_once(&header, find, put));
            let made = generate_bindings(&edited, &[]);
            if let (ExpectedResult::Has(_), Ok(bindings)) = (&answer, &made) {
                compilers::compile_crate(bindings, &releases::test_directory("edits", name));
            }
            answer.assert_answers(made, release);
        })
    };
    header_edits().into_iter().map(trial).collect()
}

/// What a generation from these headers needs.
pub fn generation_needs() -> [Need; 4] {
    let [libclang, bindgen] = crate::generation_needs();
    let header = |release| Need::new("headers", &support::headers(release));
    [header(releases::newest_release()), header(OLDER), libclang, bindgen]
}

pub fn release_header(release: &str) -> String {
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
pub fn generate_bindings(header: &str, variables: &[(&str, &str)]) -> Result<String, String> {
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

impl ExpectedResult {
    /// Compares what was generated from a changed header.
    #[track_caller]
    pub fn assert_answers(&self, generated: Result<String, String>, release: &str) {
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
