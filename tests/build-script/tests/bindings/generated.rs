//! The bindings that the build script makes.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use build_script::toolkit::header::version_in;
use test_support::build_script::BuildScript;

use crate::layout::releases;
use crate::support;

/// From a release's header.
pub fn from_release(release: &str, target: &str) -> String {
    let include = support::headers(release).expect("the test needs it");
    test_support::build_script!(target).generate_from(&include).run().expect_bindings()
}

/// The surface, made of the newest header alone: of the code that bindgen makes of it, which the build script leaves in
/// OUT_DIR. The script itself starts from the embedded bindings.
pub fn surface(target: &str) -> String {
    let include = support::headers(releases::newest()).expect("the test needs it");
    let run = test_support::build_script!(target).generate_from(&include).run();
    let code = fs::read_to_string(run.out.path().join("bindgen.rs"));
    let code = code.unwrap_or_else(|_| panic!("{}", support::exit_report(&run.output)));
    let version = version_in(&fs::read(include.join("cuda.h")).expect("a file")).expect("it has a version");
    build_script::surface::from_newest(&code, version, &field_documentation())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The documentation of fields, by `type.field`, from the `fields!` of src/.
pub fn field_documentation() -> BTreeMap<String, String> {
    let mut documentation = BTreeMap::new();
    for source in sources() {
        for block in source.split("\nfields! {\n").skip(1) {
            let (block, _) = block.split_once("\n}\n").expect("a block ends");
            let (types, fields) = block.split_once(":\n").expect("a block begins with its types");
            let mut text = String::new();
            for line in fields.lines().map(str::trim) {
                let Some(more) = line.strip_prefix("///") else {
                    let field = line.trim_end_matches(',');
                    for name in types.split_whitespace() {
                        let other = documentation.insert(format!("{name}.{field}"), text.trim().to_owned());
                        assert!(other.is_none(), "{name}.{field} is documented twice");
                    }
                    text.clear();
                    continue;
                };
                text += more;
            }
        }
    }
    documentation
}

/// The texts of the crate's own files.
fn sources() -> Vec<String> {
    let (mut texts, mut directories) = (Vec::new(), vec![support::repository().join("src")]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            match entry.path() {
                path if path.is_dir() => directories.push(path),
                path => texts.push(fs::read_to_string(path).expect("a text")),
            }
        }
    }
    texts
}

/// What a build makes with this environment.
pub struct ThisBuild {
    pub bindings: String,
    /// The directory of the cuda.h to compare them with.
    pub header: Result<PathBuf, String>,
}

pub static THIS_BUILD: LazyLock<ThisBuild> = LazyLock::new(|| {
    let script = BuildScript::of_this_build(env!("CARGO_BIN_EXE_build-script"), &releases::target());
    let run = script.run();
    let lines = run.lines();
    let include = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE="));
    let header = releases::header_of_a_build(include.map(PathBuf::from));
    ThisBuild { bindings: run.expect_bindings(), header }
});
