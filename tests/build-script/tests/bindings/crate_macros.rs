//! Compiles `assert_layout!` and `extern_driver!` without the rest of the crate. Checks the compiler's errors for
//! wrong declarations, the absence of warnings for right declarations, and the LLVM IR of a declared function.

use std::env;
use std::fs;
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::layout::compilers::try_output;

use crate::support;

pub fn trials() -> Vec<Trial> {
    support::tests! {
        [] => a_wrong_layout_is_an_error_that_says_what_differs, a_right_declaration_has_no_warning,
            extern_driver_refuses_what_is_not_a_c_function,
            a_call_is_one_load_and_one_jump_and_the_slot_orders_memory;
    }
}

/// The file of src/macros that defines `assert_layout!`.
const LAYOUT: &[&str] = &["assert_layout"];
/// The files of src/macros that define `extern_driver!`, except for symbols.rs, which `SYMBOLS` replaces.
const DRIVER: &[&str] = &["extern_driver", "slot"];

/// Compiles these files of src/macros and `text` as a library. Returns the compiler's output file, or its messages.
fn compile_with_macros(files: &[&str], text: &str, arguments: &[&str]) -> Result<String, String> {
    let directory = tempdir().expect("a temporary directory");
    let (source, made) = (directory.path().join("lib.rs"), directory.path().join("made"));
    let mut head = "#![no_std]\n".to_owned();
    for file in files {
        let path = support::repository().join("src/macros").join(file).with_extension("rs");
        head += &format!("#[macro_use]\n#[path = {path:?}]\npub mod {file};\n");
    }
    head += if files == LAYOUT { "pub use assert_layout as __layout;\n" } else { SYMBOLS };
    fs::write(&source, head + text).expect("a file");
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition=2024", "-Cpanic=abort", "--crate-type=lib"]).args(arguments);
    try_output(rustc.arg(&source).arg("-o").arg(&made))?;
    Ok(String::from_utf8_lossy(&fs::read(made).expect("the compiler wrote it")).into_owned())
}

const SYMBOLS: &str = "
    #[doc(hidden)]
    pub mod __symbols {
        pub const fn of_name(name: &'static str) -> &'static core::ffi::CStr {
            match core::ffi::CStr::from_bytes_with_nul(name.as_bytes()) { Ok(name) => name, Err(_) => panic!() }
        }
        pub use of_name as exact;
    }
";

/// A declaration, the field list for `assert_layout!`, and a text from each error that the compiler must report.
type WrongDeclaration = (&'static str, &'static str, &'static [&'static str]);

const CUDA: &str = "
    #[repr(C)] #[derive(Clone, Copy)] pub struct Win32 { pub handle: u64, pub name: u64 }
    #[repr(C)] pub union Handle { pub fd: i32, pub win32: Win32 }
    #[repr(C)] pub struct Cuda { pub type_: u32, pub handle: Handle, pub size: u64, pub flags: u32 }
";

const WRONG: &[WrongDeclaration] = &[
    (
        "#[repr(C)] pub struct Mine { ty: u32, fd: i32, name: u64, size: u64, r#type: u8 }",
        "fd: handle.fd, name: handle.win32.name, r#type: type_",
        &[
            "Mine has another size than Cuda",
            "another offset than in Cuda: fd",
            "another offset than in Cuda: name",
            "another offset than in Cuda: r#type",
            "another size than in Cuda: r#type",
        ],
    ),
    (
        "#[repr(C)] pub struct Mine { ty: u32, inner: Inner, size: [u32; 2], flags: [u32; 2] }
         #[repr(C)] pub struct Inner { pad: u32, handle: [u32; 4] }",
        "inner.handle: handle, size",
        &["Mine has another alignment than Cuda"],
    ),
];

fn a_wrong_layout_is_an_error_that_says_what_differs() {
    for (mine, fields, texts) in WRONG {
        let text = format!("{CUDA}{mine}\nassert_layout!(Mine as Cuda {{ {fields} }});\n");
        let error = compile_with_macros(LAYOUT, &text, &["--emit=metadata"]).err().unwrap_or_default();
        let found: Vec<&str> = texts.iter().filter(|text| error.contains(**text)).copied().collect();
        assert_eq!(found, *texts, "{mine}: {error}");
        assert_eq!(error.matches("error[E0080]").count(), texts.len(), "{error}");
    }
}

/// Compiles tuples, packed structs, and fields with names that the macros use, in a crate that denies warnings.
fn a_right_declaration_has_no_warning() {
    let mine = "#[repr(C)] pub struct SizeOf(pub u32, pub [u64; 2], pub u64, pub u32);
        #[allow(non_camel_case_types)]
        #[repr(C)] pub struct size { pub type_: u32, pub handle: [u64; 2], pub size: u64, pub flags: u32 }
        #[repr(C, packed(8))] pub struct Packed { pub outer: SizeOf }
        assert_layout!(SizeOf as Cuda { 0: type_, 1: handle, 2: size, 3: flags });
        assert_layout!(size as Cuda { type_, handle, size, flags });
        assert_layout!(Packed as Cuda { outer.0: type_, outer.2: size, });";
    let driver = "pub struct Driver;
        impl Driver {
            pub fn resolve_exact(_: &core::ffi::CStr) -> Result<core::ptr::NonNull<core::ffi::c_void>, u32> { Err(7) }
        }
        #[repr(transparent)] #[derive(Clone, Copy)] pub struct Code(u64);
        impl From<u32> for Code { fn from(code: u32) -> Self { Self(code.into()) } }
        pub mod inner {
            #![no_implicit_prelude]
            #[allow(dead_code)] pub enum Result { Ok, Err }
            #[allow(unused_imports)] use self::Result::{Err, Ok};
            extern_driver! {
                /// Documented.
                #[must_use] pub fn cuProfilerStart() -> u64;
                pub fn cuProfilerStop(SLOT: u32, resolve: u64, function: u8,) -> super::Code;
                #[link_name = \"cuOther_v2\"] pub fn r#match() -> u64;
                #[link_name = concat!(\"cu\", \"Other\")] pub fn other() -> u64;
            }
        }
        pub fn stop() -> (Code, u64) {
            unsafe { (inner::cuProfilerStop(1, 2, 3), inner::r#match() + inner::other()) }
        }";
    for (files, text) in [(LAYOUT, format!("{CUDA}{mine}")), (DRIVER, driver.to_owned())] {
        let denied = [
            "--emit=metadata",
            "-Dwarnings",
            "--cfg=feature=\"load\"",
            "--check-cfg=cfg(feature, values(any()))",
        ];
        compile_with_macros(files, &text, &denied).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The error must contain this crate's own message, and not rustc's "no rules expected".
fn extern_driver_refuses_what_is_not_a_c_function() {
    const LOAD: &[&str] = &["--emit=metadata", "--cfg=feature=\"load\""];
    // For a name that cuda.h defines as a macro, `of_name` must panic with a message that has the versioned name.
    let macro_name = "mod versioned_symbols {
            pub const fn versioned_symbol(_: &[u8]) -> Option<&'static str> { Some(\"cuMemAlloc_v2\\0\") }
        }
        const _: &core::ffi::CStr = symbols::of_name(\"cuMemAlloc\\0\");";
    let extern_driver = |declaration| format!("extern_driver! {{ fn cuGood() -> u64; {declaration} }}");
    let in_attribute = "#[cfg_attr(unix, link_name = \"cu\")] fn cuInit() -> u32;";
    let form = "takes declarations as in an extern block";
    let no_feature = "extern_driver! needs the feature `load` or `link` of the crate";
    let versioned = "a macro of cuMemAlloc, which stands for cuMemAlloc_v2: ";
    for (files, text, arguments, words) in [
        (DRIVER, extern_driver("pub unsafe fn cuInit() -> u32;"), LOAD, form),
        (DRIVER, extern_driver("fn cuInit();"), LOAD, form),
        (DRIVER, extern_driver(in_attribute), LOAD, "a `link_name` in `cfg_attr` is not seen"),
        (DRIVER, extern_driver(""), &LOAD[..1], no_feature),
        (&["symbols"], macro_name.to_owned(), LOAD, versioned),
    ] {
        let error = compile_with_macros(files, &text, arguments).expect_err(words);
        assert!(error.contains(words) && !error.contains("no rules expected"), "{text}: {error}");
    }
}

/// The test reads the LLVM IR: on x86-64, the machine code is the same without the slot's Acquire and Release.
fn a_call_is_one_load_and_one_jump_and_the_slot_orders_memory() {
    const DECLARED: &str = "
        pub struct Driver;
        impl Driver {
            #[inline(never)]
            pub fn resolve_exact(name: &core::ffi::CStr) -> Result<core::ptr::NonNull<core::ffi::c_void>, u64> {
                core::ptr::NonNull::new(name.as_ptr().cast_mut().cast()).ok_or(7)
            }
        }
        extern_driver! { #[unsafe(no_mangle)] pub fn cuCall(first: u32, second: *mut u64,) -> u64; }
    ";
    let load = ["--cfg=feature=\"load\"", "-O", "-Ccodegen-units=1"];
    let code = compile_with_macros(DRIVER, DECLARED, &[&load[..], &["--emit=llvm-ir"]].concat())
        .unwrap_or_else(|e| panic!("{e}"));
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
