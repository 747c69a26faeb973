//! Asks the C compiler and rustc for the number of each fact.
//!
//! `read_fact_numbers` finds the numbers in an object file. The function neither links nor runs this file, so the
//! target may differ from the host. The target must be little-endian.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::facts::{FactKind, LayoutFact, functions_declared_in_wrapper_h};
use super::header::ParsedHeader;
use crate::{directories, this_process};

/// The first two numbers of the array of facts. `read_fact_numbers` searches the object file for them.
const MAGIC: [u64; 2] = [0x6375_6461_5f65_7874, 0x5f6c_6179_6f75_7421];

/// Returns a command that starts CC with CFLAGS. Both may be several words.
pub fn c_compiler_command() -> Command {
    let mut command = crate::compiler_command();
    command.args(env::var("CFLAGS").unwrap_or_default().split_whitespace());
    command
}

/// Returns the target that CUDA_EXTERNAL_SYS_TEST_TARGET names, or `None` for the host.
pub fn cross_target() -> Option<String> {
    env::var("CUDA_EXTERNAL_SYS_TEST_TARGET").ok()
}

/// Returns the value of one of cargo's environment variables for the cross target. `what` is LINKER or RUNNER:
/// `CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER`. Returns `None` if the variable is not set, or if there is no cross
/// target.
fn cargo_target_setting(what: &str) -> Option<String> {
    let target = cross_target()?.to_uppercase().replace(['-', '.'], "_");
    env::var(format!("CARGO_TARGET_{target}_{what}")).ok()
}

/// Returns a command that starts a program of the target, by the target's runner if one is set.
pub fn command_of_target_program(path: &Path) -> Command {
    this_process::command_of_runner(&cargo_target_setting("RUNNER").unwrap_or_default(), path)
}

pub fn rustc_command() -> Command {
    let mut command = Command::new(env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    command.args(["--edition=2024", "--cap-lints=allow", "-Cpanic=abort"]);
    command.args(cross_target().map(|target| format!("--target={target}")));
    command.args(cargo_target_setting("LINKER").map(|linker| format!("-Clinker={linker}")));
    command
}

/// Reads cuda.h and the headers of `headers_beside`. Files in build/include replace the headers of the C library.
pub fn parse_release_header(include: &Path) -> ParsedHeader {
    let standard = directories::repository().join("build/include");
    let read = |options: &[&str]| {
        let mut command = c_compiler_command();
        command.args(["-E", "-P", "-dD", "-nostdinc", "-x", "c", "-I"]).arg(include).arg("-I").arg(&standard);
        command.arg("-I").arg(graphics_types_directory()).args(options);
        command.args(headers_beside(include).flat_map(|name| ["-include", name]));
        ParsedHeader::parse_preprocessed(&run_compiler(command.arg(include.join("cuda.h"))))
    };
    let mut header = read(&[]);
    header.add_functions_from(read(&[INTERNAL]), functions_declared_in_wrapper_h());
    header
}

/// With this macro, cuda.h also declares functions that are hidden from programs by default: older versions of
/// functions, and functions with the suffix `_ptsz`.
const INTERNAL: &str = "-D__CUDA_API_VERSION_INTERNAL";

/// Returns the names of the other headers to compare that are in the directory of cuda.h.
fn headers_beside(include: &Path) -> impl Iterator<Item = &'static str> {
    // cudaD3D11Typedefs.h includes headers of Windows.
    let names =
        ["cudaTypedefs.h", "cudaGL.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaD3D11Typedefs.h"];
    names.into_iter().filter(|name| include.join(name).is_file())
}

/// Returns a directory with the types of OpenGL, EGL and Windows that the toolkit's headers use.
fn graphics_types_directory() -> PathBuf {
    directories::repository().join("tests/support/src/layout/include")
}

pub fn ask_c_compiler(
    facts: &[&LayoutFact],
    is_internal: bool,
    header: &ParsedHeader,
    include: &Path,
    directory: &Path,
) -> Vec<u64> {
    let mut head =
        String::from("#include <cuda.h>\n#define TEXT(name) #name\n#define SPELLED(name) TEXT(name)\n");
    head.extend(headers_beside(include).map(|name| format!("#include <{name}>\n")));
    for function in
        facts.iter().filter(|fact| fact.kind == FactKind::Pointer).map(|fact| fact.about.to_string())
    {
        let is_one = |theirs| format!("__builtin_types_compatible_p({theirs}, ours)");
        let any: Vec<String> = header.pointer_typedefs_of(&function).into_iter().map(is_one).collect();
        head += &format!("#define POINTER_{function}(ours) {}\n", any.join(" || "));
    }
    head += "const unsigned long long facts[] = {\n";
    let mut command = c_compiler_command();
    command.args(["-std=gnu11", "-c", "-I"]).arg(include).arg("-I").arg(graphics_types_directory());
    command.args(is_internal.then_some(INTERNAL));
    let source = directory.join(if is_internal { "internal.c" } else { "plain.c" });
    let number = |fact: &LayoutFact| format!("(unsigned long long)({})", fact.c);
    read_fact_numbers(&mut command, &source, &head, facts, number, "};\n")
}

/// Compiles the crate's source with these bindings to an rlib. The feature is `link`, since `load` needs libloading.
pub fn compile_crate(bindings: &str, directory: &Path) -> PathBuf {
    fs::write(directory.join("bindings.rs"), bindings).expect("the directory can be written");
    let rlib = directory.join("libcuda_external_sys.rlib");
    let source = directories::repository().join("src/lib.rs");
    let mut command = rustc_command();
    command.env("OUT_DIR", directory).env("CUDA_EXTERNAL_SYS_SOURCE", "a test");
    command.args(["--crate-name=cuda_external_sys", "--crate-type=rlib"]);
    run_compiler(command.args(["--cfg", "feature=\"link\""]).arg(source).arg("-o").arg(&rlib));
    rlib
}

/// Compiles the crate with these bindings, and returns rustc's numbers for the facts about the crate's public items.
pub fn ask_rustc(facts: &[LayoutFact], bindings: &str, directory: &Path) -> Vec<u64> {
    let rlib = compile_crate(bindings, directory);
    let asked: Vec<&LayoutFact> = facts.iter().collect();
    let head = format!(
        "#![no_std]\nuse core::ffi::*;\nuse core::mem::{{offset_of, zeroed}};\nuse cuda_external_sys::*;\n\
         #[unsafe(no_mangle)]\npub static FACTS: [u64; {}] = [\n",
        facts.len() + MAGIC.len()
    );
    let mut command = rustc_command();
    command.args(["--crate-type=lib", "--emit=obj", "--extern"]);
    command.arg(format!("cuda_external_sys={}", rlib.display()));
    let number = |fact: &LayoutFact| format!("({}) as u64", fact.rust);
    read_fact_numbers(&mut command, &directory.join("rust.rs"), &head, &asked, number, "];\n")
}

/// Compiles an array of the facts' numbers, and reads it from the object file.
fn read_fact_numbers(
    command: &mut Command,
    source: &Path,
    head: &str,
    facts: &[&LayoutFact],
    number: impl Fn(&LayoutFact) -> String,
    end: &str,
) -> Vec<u64> {
    let mut text = format!("{head}{}, {},\n", MAGIC[0], MAGIC[1]);
    for fact in facts {
        text += &format!("/* {} of {} */ {},\n", fact.kind, fact.about, number(fact));
    }
    fs::write(source, text + end).expect("the directory can be written");
    let object = source.with_extension("o");
    run_compiler(command.arg(source).arg("-o").arg(&object));
    let bytes = fs::read(object).expect("the compiler wrote it");
    let magic = MAGIC.map(u64::to_le_bytes).concat();
    let start = bytes.windows(magic.len()).position(|window| window == magic).expect("the array begins so");
    let words = bytes[start + magic.len()..].chunks_exact(8).take(facts.len());
    words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()
}

/// Runs a compiler, and returns its standard output. Panics if it fails.
pub fn run_compiler(command: &mut Command) -> String {
    try_output(command).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a program's standard output. If the program fails, the error has its exit status and all its output.
pub fn try_output(command: &mut Command) -> Result<String, String> {
    let output = command.output().expect("the program starts");
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(crate::describe_exit(&output))
}
