//! Builds the mock driver, which exports a C function for each function of the bindings. If cuda.h or wrapper.h
//! declares a function, the C function has the bindings' parameter types. Otherwise, the C function has no parameters
//! and returns `CUDA_ERROR_NOT_SUPPORTED`.
//!
//! The C code includes cuda.h, so the C compiler refuses a function whose types differ from those in cuda.h.

use std::fs;
use std::path::{Path, PathBuf};

use build_script::surface::model::{BindingsModel, CFunction, CType, StructOrUnion};
use build_script::type_exceptions;
use libtest_mimic::Trial;
use test_support::layout::facts::{c_spelling, functions_declared_in_wrapper_h};
use test_support::layout::header::ParsedHeader;
use test_support::layout::{comparison, compilers, releases};
use test_support::{self as support, Need};

/// Returns the directory of the mock driver's cuda.h: for generated bindings their header, otherwise the newest.
pub fn include_of_this_build() -> Result<PathBuf, String> {
    let include = env!("CUDA_EXTERNAL_SYS_INCLUDE");
    releases::header_of_a_build((!include.is_empty()).then(|| include.into()))
}

/// Builds the mock driver. Returns the names of its functions that cuda.h or wrapper.h declares.
pub fn build_for_this_build() -> Vec<String> {
    let include = include_of_this_build().expect("the test needs it");
    let driver = MockDriverBuilder::new(include_str!(concat!(env!("OUT_DIR"), "/bindings.rs")), &include);
    let built = driver.build_driver(&include, &support::mock_driver_output_directory());
    built.unwrap_or_else(|error| panic!("{error}"));
    driver.declared_functions().map(|function| function.name.clone()).collect()
}

type BindingsEdits = &'static [(&'static str, &'static str)];

/// A test's name, the header's release, edits of the embedded bindings, and the error that the edits cause, if any.
fn linked_cases() -> [(&'static str, &'static str, BindingsEdits, &'static str); 5] {
    let newest = releases::newest_release();
    [
        ("every_function_linked_11.7", "11.7", &[], ""),
        ("every_function_linked_12.2", "12.2", &[], ""),
        ("every_function_linked_newest", newest, &[], ""),
        (
            "a_call_sees_two_fields_in_the_wrong_order",
            newest,
            &[(
                "pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub offset: c_ulonglong,\npub size: c_ulonglong,",
                "pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub size: c_ulonglong,\npub offset: c_ulonglong,",
            )],
            "cuExternalMemoryGetMappedBuffer: Rust and C differ",
        ),
        (
            "a_call_sees_an_argument_that_is_too_wide",
            newest,
            &[("numExtSems: c_uint,\nstream: CUstream,", "numExtSems: c_ulonglong,\nstream: CUstream,")],
            "conflicting types for",
        ),
    ]
}

pub fn linked_trials(compiler: &Need) -> Vec<Trial> {
    Vec::from(linked_cases().map(|(name, release, edits, error)| {
        let header = Need::new("headers", &support::fetched_headers(release));
        support::trial_if(name, [compiler, &header], move || {
            let bindings = releases::replace_in_bindings(releases::embedded_bindings(), edits);
            let include = support::fetched_headers(release).expect("the test needs it");
            match run_linked_program(&bindings, &include, &releases::test_directory("calls", name)) {
                Ok(()) => assert!(error.is_empty(), "all calls arrived"),
                Err(text) => assert!(!error.is_empty() && text.contains(error), "{text}"),
            }
        })
    }))
}

/// Builds the mock driver, links the program tests/calls/linked.rs with the mock driver, and runs the program. If the C
/// compiler or the program fails, returns an error with the output of the one that failed. Panics if rustc fails.
fn run_linked_program(bindings: &str, include: &Path, directory: &Path) -> Result<(), String> {
    let driver = MockDriverBuilder::new(bindings, include);
    let library = driver.build_driver(include, directory)?;
    let rlib = compilers::compile_crate(bindings, directory);
    fs::write(directory.join("fields.rs"), driver.rust_source_of_fields())
        .expect("the directory can be written");
    let program = directory.join("linked.exe");
    let mut command = compilers::rustc_command();
    command.env("OUT_DIR", directory).arg("--extern").arg(format!("cuda_external_sys={}", rlib.display()));
    command.arg(format!("-Clink-arg={}", library.display())).arg("-o").arg(&program);
    compilers::run_compiler(command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("calls/linked.rs")));
    compilers::try_output(compilers::command_of_target_program(&program).env("LD_LIBRARY_PATH", directory))
        .map(drop)
}

/// The bindings, and the mock driver's cuda.h, which may be of an older release than the bindings.
struct MockDriverBuilder {
    bindings: BindingsModel,
    header: ParsedHeader,
}

impl MockDriverBuilder {
    fn new(bindings: &str, include: &Path) -> Self {
        Self {
            bindings: comparison::parse_bindings_text(bindings),
            header: compilers::parse_release_header(include),
        }
    }

    /// Writes the sources to the directory, and builds the library there: libcuda.so.1, or nvcuda.dll for Windows.
    fn build_driver(&self, include: &Path, directory: &Path) -> Result<PathBuf, String> {
        fs::create_dir_all(directory).expect("cargo's directory can be written");
        let exports: String =
            self.bindings.functions.iter().map(|function| self.c_source_of_export(function)).collect();
        let sources = [
            ("mock.h", include_str!("mock.h")),
            ("wrapper.h", include_str!("../../../wrapper.h")),
            ("record.c", include_str!("record.c")),
            ("exports.c", &format!("#include \"mock.h\"\n\n{exports}")),
        ];
        let is_windows = compilers::cross_target().is_some_and(|target| target.contains("windows"));
        let (name, option) =
            if is_windows { ("nvcuda.dll", "-static") } else { ("libcuda.so.1", "-Wl,-soname,libcuda.so.1") };
        let library = directory.join(name);
        let mut command = compilers::c_compiler_command();
        command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", option]);
        command.args(["-Wno-deprecated-declarations", "-shared", "-fPIC", "-I"]);
        command.arg(include).arg("-o").arg(&library);
        for (name, text) in sources {
            fs::write(directory.join(name), text).expect("the directory can be written");
            command.args(name.ends_with(".c").then(|| directory.join(name)));
        }
        compilers::try_output(&mut command).map(|_| library)
    }

    fn declared_functions(&self) -> impl Iterator<Item = &CFunction> {
        self.bindings.functions.iter().filter(|function| self.declares_function(function))
    }

    fn declares_function(&self, function: &CFunction) -> bool {
        let name = function.name.as_str();
        self.header.parameters_of(name).is_some() || functions_declared_in_wrapper_h().contains(&name)
    }

    fn c_source_of_export(&self, function: &CFunction) -> String {
        let CFunction { name, arguments, .. } = function;
        if !self.declares_function(function) {
            // linked.rs refers to every function of the bindings, so its linker needs this symbol too.
            return format!("int {name}(void) {{ return CUDA_ERROR_NOT_SUPPORTED; }}\n\n");
        }
        let parameter = |(name, ty): &(String, CType)| format!("{} {name}", c_spelling(&self.bindings, ty));
        let parameters: Vec<String> = arguments.iter().map(parameter).collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let seen: String = arguments.iter().map(|(name, ty)| self.c_source_recording(name, ty)).collect();
        format!(
            "CUresult CUDAAPI {name}({parameters}) {{
    int code = mock_begin(\"{name}\");
{seen}    return (CUresult)code;
}}

"
        )
    }

    /// Returns C code that records an argument's bytes and the bytes that the argument points to.
    ///
    /// A const pointer points to two elements, of which the second checks the stride.
    fn c_source_recording(&self, name: &str, ty: &CType) -> String {
        let mut text = format!("    SAW({name});\n");
        let CType::Pointer { to, mutable } = ty else { return text };
        // Neither side reads the target of a pointer to void or to an opaque type.
        if matches!(&**to, CType::Named(name) if name == "c_void" || self.bindings.opaque.contains(name)) {
            return text;
        }
        let fields = self.record_of_type(to).map(|record| self.innermost_fields(record)).unwrap_or_default();
        for at in 0..if *mutable { 1 } else { 2 } {
            text += &format!("    SAW({name}[{at}]);\n");
            text.extend(fields.iter().map(|(c, _)| format!("    SAW({name}[{at}]{c});\n")));
        }
        if *mutable {
            text += &format!("    GIVE({name}[0]);\n");
        }
        text
    }

    fn record_of_type(&self, ty: &CType) -> Option<&StructOrUnion> {
        let is_of = |record: &&StructOrUnion| matches!(ty, CType::Named(name) if *name == record.name);
        self.bindings.records.iter().find(is_of)
    }

    /// Returns the paths (`.handle.win32.name`), in C and in Rust, of the fields that are neither structs nor unions.
    fn innermost_fields(&self, of: &StructOrUnion) -> Vec<(String, String)> {
        if !self.bindings.functions.iter().all(|function| self.declares_function(function)) {
            // An older header has reserved bytes in place of newer fields.
            return Vec::new();
        }
        let mut found = Vec::new();
        for (field, ty) in &of.fields {
            let is_unnamed = type_exceptions::ANONYMOUS_MEMBER_NAMES.contains(&(&of.name, field));
            let in_c = if is_unnamed { String::new() } else { format!(".{}", field.trim_end_matches('_')) };
            let inner = self.record_of_type(ty).map(|inner| self.innermost_fields(inner));
            for (c, rust) in inner.unwrap_or_else(|| vec![Default::default()]) {
                found.push((format!("{in_c}{c}"), format!(".{field}{rust}")));
            }
        }
        found
    }

    /// Returns the text of fields.rs: the names of the declared functions, and the fields' paths in C and in Rust.
    pub fn rust_source_of_fields(&self) -> String {
        let functions: String =
            self.declared_functions().map(|function| format!("{:?}, ", function.name)).collect();
        let record = |record: &StructOrUnion| {
            let pairs =
                self.innermost_fields(record).into_iter().map(|(c, rust)| format!("{c:?} => {rust}, "));
            format!("    {} {{ {}}}\n", record.name, pairs.collect::<String>())
        };
        let records: String = self.bindings.records.iter().map(record).collect();
        format!("const DECLARED: &[&str] = &[{functions}];\nrecords! {{\n{records}}}\n")
    }
}
