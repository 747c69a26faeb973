//! The exported macros, compiled by themselves: what the compiler says of a mistake, and the instructions of a call. And the
//! crate, compiled where there is no std.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::layout::compilers::{run, rustc};

use crate::layout::releases;
use crate::support;

pub fn all() -> Vec<Trial> {
    support::tests! {
        [] => a_wrong_layout_is_an_error_with_both_numbers, a_right_declaration_has_no_warning,
            extern_driver_says_that_it_needs_load,
            a_call_is_one_load_and_one_jump_and_the_slot_orders_memory, without_load_the_crate_needs_no_std;
    }
}

/// Compiles a library that has one of the crate's files of macros, and returns what the compiler wrote of this kind.
fn compile(file: &str, text: &str, arguments: &[&str]) -> Result<String, String> {
    let directory = tempdir().expect("a temporary directory");
    let (source, made) = (directory.path().join("lib.rs"), directory.path().join("made"));
    let path = support::repository().join("src/macros").join(file);
    let head = format!("#![no_std]\n#[macro_use]\n#[path = {path:?}]\nmod macros;\n");
    fs::write(&source, head + text).expect("a file");
    let mut command = rustc();
    if arguments.contains(&"-Dwarnings") {
        let lints = command.get_args().filter(|argument| *argument != "--cap-lints=allow");
        let lints = Vec::from_iter(lints.map(OsStr::to_owned));
        command = Command::new(command.get_program());
        command.args(lints);
    }
    run(command.args(["--crate-type=lib"]).args(arguments).arg(&source).arg("-o").arg(&made))?;
    Ok(String::from_utf8_lossy(&fs::read(made).expect("the compiler wrote it")).into_owned())
}

/// A declaration, the fields that are compared, and the errors' types: C's number, and the declaration's.
type Wrong = (&'static str, &'static str, &'static [&'static str]);

const CUDA: &str = "
    #[repr(C)] #[derive(Clone, Copy)] pub struct Win32 { pub handle: u64, pub name: u64 }
    #[repr(C)] pub union Handle { pub fd: i32, pub win32: Win32 }
    #[repr(C)] pub struct Cuda { pub type_: u32, pub handle: Handle, pub size: u64, pub flags: u32 }
";

const WRONG: &[Wrong] = &[
    (
        "#[repr(C)] pub struct Mine { ty: u32, handle: [u64; 2], size: u64, flags: u32 }",
        "ty: type_, flags: flags",
        &[],
    ),
    (
        "#[repr(C)] pub struct Mine { ty: u32, fd: i32, name: u64, size: u64, flags: u32, r#type: u8 }",
        "fd: handle.fd, name: handle.win32.name, size: size, flags: flags, r#type: type_",
        &[
            "SizeOf<40>",
            "SizeOf<32>",
            "fd<8>",
            "fd<4>",
            "name<16>",
            "name<8>",
            "size<24>",
            "size<16>",
            "flags<32>",
            "flags<24>",
            "r#type<0>",
            "r#type<28>",
        ],
    ),
    (
        "#[repr(C)] pub struct Mine { ty: u32, inner: Inner, size: [u32; 2], flags: [u32; 2] }
         #[repr(C)] pub struct Inner { pad: u32, handle: [u32; 4] }",
        "inner.handle: handle, size: size",
        &["AlignOf<8>", "AlignOf<4>"],
    ),
];

fn a_wrong_layout_is_an_error_with_both_numbers() {
    for (mine, fields, numbers) in WRONG {
        let text = format!("{CUDA}{mine}\nassert_layout!(Mine as Cuda {{ {fields} }});\n");
        let error = compile("layout.rs", &text, &["--emit=metadata"]).err().unwrap_or_default();
        let found = error.lines().filter_map(|line| line.trim().split_once("struct `")?.1.split_once('`'));
        let found: Vec<&str> = found.map(|(name, _)| name.trim_start_matches("_::")).collect();
        assert_eq!(found, *numbers, "{mine}: {error}");
    }
}

/// In a crate that denies them.
fn a_right_declaration_has_no_warning() {
    let mine =
        "#[repr(C)] pub struct Mine { pub ty: u32, pub handle: [u64; 2], pub size: u64, pub flags: u32 }
        assert_layout!(Mine as Cuda { ty: type_, handle: handle, size: size, flags: flags });";
    let driver = "pub struct Driver;
        impl Driver {
            pub fn resolve(_: &core::ffi::CStr) -> Result<core::ptr::NonNull<core::ffi::c_void>, u64> { Err(7) }
        }
        extern_driver! { pub fn cuProfilerStart() -> u64; fn cuProfilerStop(first: u32) -> u64; }
        pub fn stop() -> u64 { unsafe { cuProfilerStop(1) } }";
    for (file, text) in [("layout.rs", format!("{CUDA}{mine}")), ("slot.rs", driver.to_owned())] {
        let denied = [
            "--emit=metadata",
            "-Dwarnings",
            "--cfg=feature=\"load\"",
            "--check-cfg=cfg(feature, values(any()))",
        ];
        compile(file, &text, &denied).unwrap_or_else(|error| panic!("{error}"));
    }
}

fn extern_driver_says_that_it_needs_load() {
    let text = "extern_driver! { pub fn cuProfilerStart() -> u32; }";
    let error = compile("slot.rs", text, &["--emit=metadata"]).expect_err("there is no driver to look in");
    assert!(
        error.contains("error: extern_driver! needs the feature `load` of the crate cuda-external-sys:"),
        "{error}"
    );
}

/// The library's pages are written before the slot is. Without Acquire and Release another thread may see them late; on
/// x86-64 no test can, and Miri is not everywhere.
fn a_call_is_one_load_and_one_jump_and_the_slot_orders_memory() {
    const DECLARED: &str = "
        pub struct Driver;
        impl Driver {
            #[inline(never)]
            pub fn resolve(name: &core::ffi::CStr) -> Result<core::ptr::NonNull<core::ffi::c_void>, u64> {
                core::ptr::NonNull::new(name.as_ptr().cast_mut().cast()).ok_or(7)
            }
        }
        extern_driver! { #[unsafe(no_mangle)] pub fn cuCall(first: u32, second: *mut u64,) -> u64; }
        pub mod inner { use super::Driver; extern_driver! { fn cuPrivate() -> u64; } }
    ";
    let load = ["--cfg=feature=\"load\"", "-O", "-Ccodegen-units=1"];
    let code = compile("slot.rs", DECLARED, &[&load[..], &["--emit=llvm-ir"]].concat())
        .unwrap_or_else(|e| panic!("{e}"));
    let outside = format!("{DECLARED}\npub use inner::cuPrivate;\n");
    let error = compile("slot.rs", &outside, &[&load[..], &["--emit=metadata"]].concat()).err();
    assert!(error.as_ref().is_some_and(|error| error.contains("`cuPrivate` is private")), "{error:?}");
    let atomic: Vec<_> = code.lines().filter(|line| line.contains(" atomic ")).map(str::trim).collect();
    let has = |what: &str, order: &str| atomic.iter().any(|line| line.contains(what) && line.contains(order));
    assert!(
        atomic.len() == 2 && has("load atomic ptr", " acquire,") && has("store atomic ptr", " release,"),
        "{atomic:#?}"
    );
    // The function's lines between its braces.
    let (_, body) =
        code.split_once("@cuCall(").and_then(|(_, rest)| rest.split_once("{\n")).expect("it is there");
    let body: Vec<_> =
        body.lines().take_while(|line| *line != "}").filter(|line| !line.ends_with(':')).collect();
    assert!(body.len() == 3 && body[1].contains("tail call"), "a load, a call and a return: {body:#?}");
}

/// rustc is given a directory of its libraries that has `core` alone.
fn without_load_the_crate_needs_no_std() {
    let sysroot = tempdir().expect("a temporary directory");
    let print = |what: &str| run(rustc().args(["--print", what])).unwrap_or_else(|error| panic!("{error}"));
    let libraries = PathBuf::from(print("target-libdir").trim());
    let below = libraries.strip_prefix(print("sysroot").trim()).expect("it is a part of the sysroot");
    let to = sysroot.path().join(below);
    fs::create_dir_all(&to).expect("a directory");
    for file in fs::read_dir(&libraries).expect("rustc's libraries").flatten() {
        let name = file.file_name().into_string().expect("a name");
        if ["libcore-", "libcompiler_builtins-"].iter().any(|library| name.starts_with(library)) {
            fs::copy(file.path(), to.join(name)).expect("a file");
        }
    }
    let compile = |features: &[&str]| {
        let mut rustc = rustc();
        rustc.args(["--crate-name=cuda_external_sys", "--crate-type=lib", "--emit=metadata"]);
        rustc.args(features).arg(support::repository().join("src/lib.rs"));
        rustc.arg("--sysroot").arg(sysroot.path()).arg("-o").arg(sysroot.path().join("made"));
        // What the build script would say.
        rustc.env("CUDA_EXTERNAL_SYS_SOURCE", "embedded");
        fs::write(sysroot.path().join("bindings.rs"), releases::embedded()).expect("a file");
        run(rustc.env("OUT_DIR", sysroot.path()))
    };
    for features in [&[][..], &["--cfg=feature=\"link\""]] {
        compile(features).unwrap_or_else(|error| panic!("{features:?}: {error}"));
    }
    let error = compile(&["--cfg=feature=\"load\""]).expect_err("there is no std");
    assert!(error.contains("can't find crate for `std`"), "{error}");
}
