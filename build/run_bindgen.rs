//! Runs bindgen on a cuda.h.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::surface::merge_header::merged_text;
use crate::surface::model::BindingsModel;
use crate::toolkit::{HeaderRefusal, UsableToolkit};
use crate::type_exceptions;
use bindgen::callbacks::{
    DeriveTrait, EnumVariantCustomBehavior, EnumVariantValue, ImplementsTrait, ItemInfo, ItemKind,
    ParseCallbacks,
};

/// Generates the bindings from one cuda.h. `included` receives the files outside of this crate that cuda.h includes.
pub fn generate_bindings(
    [crate_root, out]: &[PathBuf; 2],
    toolkit: &UsableToolkit,
    target: &str,
    surface: &BindingsModel,
    included: &mut Vec<PathBuf>,
) -> Result<String, HeaderRefusal> {
    let code = bindgen_code_of_header(crate_root, &toolkit.include, target, surface, included)?;
    // Writes bindgen's output to a file, for debugging.
    let _ = fs::write(out.join("bindgen.rs"), &code);
    merged_text(surface, &code, toolkit.version).map_err(header_refusal)
}

/// Returns bindgen's code for the cuda.h in `include`. After this code, the text has a constant for each enumerator of
/// the header, and for each constant of `surface` that the header defines as a macro. `files` receives the files
/// outside of this crate that cuda.h includes.
pub fn bindgen_code_of_header(
    crate_root: &Path,
    include: &Path,
    target: &str,
    surface: &BindingsModel,
    files: &mut Vec<PathBuf>,
) -> Result<String, HeaderRefusal> {
    let seen = Rc::new(RefCell::new(SeenHeaderItems::default()));
    let builder = bindgen_builder(crate_root, include, target, surface);
    let mut code =
        run_bindgen(builder.parse_callbacks(Box::new(BindgenCallbacks(Rc::clone(&seen)))), target)?;
    let seen = seen.take();
    // bindgen leaves out a function whose types it cannot write.
    let has: BTreeSet<&str> = code.split("fn ").filter_map(|text| text.split(' ').next()).collect();
    let bound = |name: &&String| surface.functions.iter().any(|function| function.name == **name);
    if let Some(lost) = seen.functions.iter().filter(bound).find(|name| !has.contains(name.as_str())) {
        return Err(header_refusal(format!("{lost} is declared in a way that bindgen has no form for")));
    }
    for (name, value) in &seen.constants {
        let _ = writeln!(code, "pub const {name}: i64 = {value};");
    }
    let (own, located) = (crate_root.join("build/include"), include.join("cuda.h"));
    files.extend(seen.files.into_iter().filter(|file| !file.starts_with(&own) && *file != located));
    Ok(code)
}

/// The prefix of the enumerators with which [`c_source_asking_values`] asks clang for the values of macros.
const VALUE_OF: &str = "cuda_external_sys_";

fn c_source_asking_values(surface: &BindingsModel) -> String {
    let names: BTreeSet<&String> = surface.constants_with_values().map(|(name, _)| name).collect();
    let mut text = String::new();
    for name in names {
        let _ = writeln!(text, "#ifdef {name}\nenum {{ {VALUE_OF}{name} = {name} }};\n#endif");
    }
    text
}

fn bindgen_builder(
    crate_root: &Path,
    include: &Path,
    target: &str,
    surface: &BindingsModel,
) -> bindgen::Builder {
    let mut builder = bindgen::Builder::default()
        .header_contents("constants.h", &c_source_asking_values(surface))
        .clang_args(["-include", &path_text(&crate_root.join("wrapper.h"))])
        .clang_arg(format!("--target={target}"))
        // build/include has the C headers that cuda.h needs: a cross build or libclang's PyPI wheel may lack C headers.
        .clang_arg("-nostdinc")
        // clang searches the directories of `-I` before those of the variable CPATH and of `-isystem`.
        .clang_args(["-I", &path_text(&crate_root.join("build/include"))])
        .clang_args(["-I", &path_text(include)])
        // Makes clang drop cuda.h's comments, in which bindgen would search for annotations that change the bindings.
        .clang_arg("--system-header-prefix=cuda.h")
        .detect_include_paths(false)
        .allowlist_recursively(true)
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: true })
        .prepend_enum_name(false)
        .generate_comments(false)
        // The bindings need no layout tests. If a type's layout with `repr(C)` alone would differ from the layout in C,
        // bindgen gives the type a `repr` with `packed` or `align`, and `parse_bindings` refuses such a `repr`.
        .layout_tests(false)
        // `BindingsModel::rust_text` adds the derived Debug.
        .derive_debug(false)
        // Otherwise bindgen warns of each pattern of the allowlists that matches no item of the header.
        .record_matches(false)
        .use_core()
        .rust_target(bindgen::RustTarget::stable(85, 0).expect("bindgen knows Rust 1.85"))
        .rust_edition(bindgen::RustEdition::Edition2024)
        .disable_header_comment()
        .formatter(bindgen::Formatter::None);
    for (name, ..) in type_exceptions::HAND_WRITTEN {
        builder = builder.blocklist_type(format!("{name}(_v1|_st.*)?"));
    }
    let functions: Vec<&str> = surface.functions.iter().map(|function| &*function.name).collect();
    // The names that the crate's types may have in a header.
    let types = surface.type_names().chain(surface.versions.values());
    let types: BTreeSet<&str> = types.map(String::as_str).collect();
    builder.allowlist_function(functions.join("|")).allowlist_type(Vec::from_iter(types).join("|"))
}

/// Runs bindgen. If bindgen panics, for example because libclang is missing, the panic becomes an error.
fn run_bindgen(builder: bindgen::Builder, target: &str) -> Result<String, HeaderRefusal> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| builder.generate()));
    panic::set_hook(hook);
    let message = match result {
        Ok(Ok(bindings)) => return Ok(bindings.to_string()),
        Ok(Err(error)) => return Err(refusal_from_diagnostics(&error.to_string())),
        Err(payload) => match payload.downcast::<String>() {
            Ok(message) => *message,
            Err(_) => "bindgen panicked".to_owned(),
        },
    };
    if let Some(output) = message.strip_prefix("Unable to find libclang: ") {
        let is_there = output.contains("could not be opened") || !output.contains("(invalid: [])");
        let why = match is_there {
            true => "the libclang that bindgen found cannot be opened",
            false => "bindgen found no libclang to read it with",
        };
        return Err(libclang_refusal(why.to_owned(), output.trim_matches('"').to_owned()));
    }
    if message.contains("is not supported by the loaded `libclang` instance") {
        let why = "the libclang that bindgen found is too old, or is another library";
        return Err(libclang_refusal(why.to_owned(), message.trim().to_owned()));
    }
    // This message means that libclang read no file. clang has printed the reason.
    if message.contains("libclang error; possible causes") {
        let why = format!("libclang refuses the target {target}, or an argument in BINDGEN_EXTRA_CLANG_ARGS");
        return Err(libclang_refusal(why, String::new()));
    }
    // bindgen asserts that pointers have the target's size.
    if message.starts_with("assertion `left == right` failed") {
        return Err(header_refusal("the clang arguments change the size of pointers".to_owned()));
    }
    let first = message.split(" (").next().unwrap_or_default();
    Err(header_refusal(format!("bindgen cannot read it: bindgen has no form for it: {first}")))
}

fn header_refusal(why: String) -> HeaderRefusal {
    HeaderRefusal { why, output: String::new(), is_libclang_fault: false }
}

fn libclang_refusal(why: String, output: String) -> HeaderRefusal {
    HeaderRefusal { why, output, is_libclang_fault: true }
}

/// The prefix of the messages of wrapper.h's assertions.
const ASSERTION: &str = "cuda-external-sys: ";

fn refusal_from_diagnostics(diagnostics: &str) -> HeaderRefusal {
    // If the first error is a failed assertion of wrapper.h, the assertion's message is the reason.
    let mut errors = diagnostics.lines().filter(|line| line.contains("error:"));
    if let Some((_, reason)) = errors.next().and_then(|first| first.split_once(ASSERTION)) {
        return header_refusal(reason.trim_end_matches('"').to_owned());
    }
    let mut lines = diagnostics.trim_start_matches("clang diagnosed error: ").lines();
    let why = format!("bindgen cannot read it: {}", lines.next().unwrap_or("no reason given"));
    HeaderRefusal { why, output: lines.take(4).collect::<Vec<_>>().join("\n"), is_libclang_fault: false }
}

/// Returns a path as text for libclang. No character is lost: cargo's variables are UTF-8, and the search passes over a
/// path that is not UTF-8.
fn path_text(path: &Path) -> String {
    path.display().to_string()
}

/// The constants, functions and included files that bindgen meets in a header.
#[derive(Debug, Default)]
struct SeenHeaderItems {
    constants: BTreeMap<String, i64>,
    functions: Vec<String>,
    files: BTreeSet<PathBuf>,
}

#[derive(Debug)]
struct BindgenCallbacks(Rc<RefCell<SeenHeaderItems>>);

impl ParseCallbacks for BindgenCallbacks {
    /// Returns `Yes`: the blocklist has the hand-written types, which implement every trait that bindgen derives.
    fn blocklisted_type_implements_trait(&self, _name: &str, _trait: DeriveTrait) -> Option<ImplementsTrait> {
        Some(ImplementsTrait::Yes)
    }

    fn enum_variant_behavior(
        &self,
        _enum: Option<&str>,
        name: &str,
        value: EnumVariantValue,
    ) -> Option<EnumVariantCustomBehavior> {
        let value = match value {
            EnumVariantValue::Boolean(value) => i64::from(value),
            EnumVariantValue::Signed(value) => value,
            // The values of CUDA's enums have 32 bits and fit an i64.
            EnumVariantValue::Unsigned(value) => i64::try_from(value).unwrap_or(i64::MAX),
        };
        let name = name.strip_prefix(VALUE_OF).unwrap_or(name);
        self.0.borrow_mut().constants.insert(name.to_owned(), value);
        None
    }

    fn generated_name_override(&self, item: ItemInfo<'_>) -> Option<String> {
        if matches!(item.kind, ItemKind::Function) {
            self.0.borrow_mut().functions.push(item.name.to_owned());
        }
        None
    }

    fn include_file(&self, file: &str) {
        self.0.borrow_mut().files.insert(file.into());
    }
}
