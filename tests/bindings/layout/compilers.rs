//! Asks both compilers for their numbers.
//!
//! Each side is a constant array in an object file, read from the file's bytes: nothing is linked
//! and nothing is run, so it works for every target that both compilers know.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::facts::{About, Fact};
use super::header::Header;

/// What the array begins with.
const MAGIC: [u64; 2] = [0x6375_6461_5f65_7874, 0x5f6c_6179_6f75_7421];

/// The bindings' text, and what the build script tells rustc about them.
#[derive(Clone)]
pub struct Bindings {
    pub text: String,
    pub cfgs: Vec<String>,
}

impl Bindings {
    /// From the lines that the build script prints for cargo.
    pub fn new(text: String, lines: &str) -> Self {
        let cfgs = lines.lines().filter_map(|line| line.strip_prefix("cargo::rustc-cfg=")).map(str::to_owned);
        Self { text, cfgs: cfgs.collect() }
    }
}

/// CC, which may be several words, with CFLAGS.
pub fn cc() -> Command {
    let mut command = test_support::compiler().expect("the test needs it").command();
    command.args(env::var("CFLAGS").unwrap_or_default().split_whitespace());
    command
}

/// The target, where it is not the host's own: judged without being run.
pub fn target() -> Option<String> {
    env::var("CUDA_EXTERNAL_SYS_TEST_TARGET").ok()
}

/// What cargo is told about the target: `CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER`, `..._RUNNER`.
fn setting(what: &str) -> Option<String> {
    let target = target()?.to_uppercase().replace(['-', '.'], "_");
    env::var(format!("CARGO_TARGET_{target}_{what}")).ok()
}

/// A program of the target, by the target's runner where it has one.
pub fn program(path: &Path) -> Command {
    let Some(runner) = setting("RUNNER") else { return Command::new(path) };
    let mut words = runner.split_whitespace();
    let mut command = Command::new(words.next().expect("a runner is a program"));
    command.args(words).arg(path);
    command
}

pub fn rustc() -> Command {
    let mut command = Command::new(env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    command.args(["--edition=2024", "--cap-lints=allow", "-Cpanic=abort"]);
    command.args(target().map(|target| format!("--target={target}")));
    command.args(setting("LINKER").map(|linker| format!("-Clinker={linker}")));
    command
}

/// Reads the release's header, and cudaTypedefs.h where it lies beside it.
pub fn header(include: &Path) -> Result<Header, String> {
    let preprocess = |arguments: &[&str], file: &str| {
        let path = include.join(file);
        let mut command = cc();
        run(command.args(arguments).arg("-I").arg(include).args(["-x", "c"]).arg(path))
    };
    let file = if has_typedefs(include) { "cudaTypedefs.h" } else { "cuda.h" };
    Ok(Header::read(&preprocess(&["-E", "-P"], file)?, &preprocess(&["-E", "-dM"], "cuda.h")?))
}

fn has_typedefs(include: &Path) -> bool {
    include.join("cudaTypedefs.h").is_file()
}

/// The C compiler's numbers for these facts.
pub fn c_numbers(facts: &[&Fact], include: &Path, directory: &Path) -> Result<Vec<u64>, String> {
    // The header declares the _ptsz functions only to a program that does without the plain ones.
    let is_per_thread = |fact: &Fact| matches!(&fact.about, About::Function(name) if name.ends_with("_ptsz"));
    let (per_thread, plain): (Vec<_>, Vec<_>) = facts.iter().partition(|fact| is_per_thread(fact));
    let mut plain = c_array(&plain, include, directory, "plain", &[])?.into_iter();
    let define = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM";
    let mut per_thread = c_array(&per_thread, include, directory, "per_thread", &[define])?.into_iter();
    let in_order =
        facts.iter().map(|fact| if is_per_thread(fact) { per_thread.next() } else { plain.next() });
    in_order.map(|number| number.ok_or_else(|| "the C array is short".to_owned())).collect()
}

fn c_array(
    facts: &[&Fact],
    include: &Path,
    directory: &Path,
    name: &str,
    defines: &[&str],
) -> Result<Vec<u64>, String> {
    let mut text =
        String::from("#include <cuda.h>\n#define TEXT(name) #name\n#define SPELLED(name) TEXT(name)\n");
    if has_typedefs(include) {
        text.push_str("#include <cudaTypedefs.h>\n");
    }
    text.push_str(&format!("const unsigned long long facts[] = {{\n{}ull, {}ull,\n", MAGIC[0], MAGIC[1]));
    for fact in facts {
        text.push_str(&format!("/* {} of {} */ (unsigned long long)({}),\n", fact.kind, fact.item, fact.c));
    }
    text.push_str("};\n");
    let source = directory.join(format!("{name}.c"));
    let object = directory.join(format!("{name}.o"));
    write(&source, &text)?;
    run(cc()
        .args(["-std=gnu11", "-c", "-I"])
        .arg(include)
        .args(defines)
        .arg(&source)
        .arg("-o")
        .arg(&object))?;
    read_array(&object, facts.len())
}

/// Compiles the crate, from its own source, with these bindings. It is in `link` mode, which has
/// the functions and needs no other crate; nothing is linked yet.
pub fn compile_crate(bindings: &Bindings, directory: &Path) -> Result<PathBuf, String> {
    write(&directory.join("bindings.rs"), &bindings.text)?;
    let rlib = directory.join("libcuda_external_sys.rlib");
    let mut command = rustc();
    command.env("OUT_DIR", directory).args(["--crate-name=cuda_external_sys", "--crate-type=rlib"]);
    for cfg in &bindings.cfgs {
        command.args(["--cfg", cfg]);
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    run(command.args(["--cfg", "feature=\"link\""]).arg(source).arg("-o").arg(&rlib))?;
    Ok(rlib)
}

/// rustc's numbers for these facts, by the crate's public items.
pub fn rust_numbers(facts: &[&Fact], rlib: &Path, directory: &Path) -> Result<Vec<u64>, String> {
    let mut text = String::from(include_str!("probe.rs"));
    text.push_str(&format!("#[unsafe(no_mangle)]\npub static FACTS: [u64; {}] = [\n", facts.len() + 2));
    text.push_str(&format!("{}, {},\n", MAGIC[0], MAGIC[1]));
    for fact in facts {
        text.push_str(&format!("/* {} of {} */ {},\n", fact.kind, fact.item, fact.rust));
    }
    text.push_str("];\n");
    let source = directory.join("rust.rs");
    let object = directory.join("rust.o");
    write(&source, &text)?;
    let mut command = rustc();
    command.args(["--crate-type=lib", "--emit=obj", "--extern"]);
    run(command.arg(format!("cuda_external_sys={}", rlib.display())).arg(&source).arg("-o").arg(&object))?;
    read_array(&object, facts.len())
}

fn read_array(object: &Path, length: usize) -> Result<Vec<u64>, String> {
    let bytes = fs::read(object).map_err(|error| format!("{}: {error}", object.display()))?;
    let magic: Vec<u8> = MAGIC.iter().flat_map(|word| word.to_le_bytes()).collect();
    let start = bytes.windows(magic.len()).position(|window| window == magic);
    let start = start.ok_or_else(|| format!("{}: no array", object.display()))? + magic.len();
    let array = bytes.get(start..start + length * 8).ok_or("the object file is short")?;
    Ok(array.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect())
}

pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Its output; the error is what the program said, from the first error on.
pub fn run(command: &mut Command) -> Result<String, String> {
    let name =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let from = errors.find("error").unwrap_or(0);
    let shown: Vec<&str> = errors[from..].lines().take(12).collect();
    Err(format!("{name}: {}", shown.join("\n")))
}
