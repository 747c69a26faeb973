//! The bindings' text: from the user's cuda.h by bindgen, or the embedded one. Both are Rust source
//! for the same `include!` in src/bindings.rs, byte for byte the same where the header is.

/// The release that the embedded bindings were generated from: the newest.
pub const EMBEDDED_VERSION: (u32, u32) = (13, 5);

/// The embedded bindings for the target's C ABI. The two differ in the sign of enums alone.
pub fn embedded(target_env: &str) -> &'static str {
    match target_env {
        "msvc" => include_str!("../src/bindings/msvc.rs"),
        _ => include_str!("../src/bindings/gnu.rs"),
    }
}

#[cfg(feature = "bindgen")]
pub use generate::{Failure, generated};

#[cfg(feature = "bindgen")]
mod generate {
    use std::fmt::Write as _;
    use std::panic;
    use std::path::Path;

    use bindgen::callbacks::{FieldAttributeInfo, ImplementsTrait, ItemInfo, ItemKind, ParseCallbacks};

    use crate::{fields, surface};

    /// Why there are no bindings.
    pub enum Failure {
        /// libclang is not on this machine, in clang-sys's words.
        NoLibclang(String),
        /// libclang or bindgen could not make sense of the header, in its words.
        Header(String),
    }

    /// Runs bindgen on `include`/cuda.h for `target`, a Rust target triple.
    pub fn generated(crate_root: &Path, include: &Path, target: &str) -> Result<String, Failure> {
        let mut builder = bindgen::Builder::default()
            .header(utf8(&crate_root.join("wrapper.h"))?)
            .clang_arg(format!("--target={target}"))
            // cuda.h asks for two standard headers and wants six typedefs of them. Ours make the
            // result the same for every C library, need no C library for a cross target, and no
            // compiler builtin headers, which libclang's PyPI wheel lacks.
            .clang_arg("-nostdinc")
            .clang_args(["-isystem", utf8(&crate_root.join("build/include"))?])
            .clang_args(["-isystem", utf8(include)?])
            .detect_include_paths(false)
            .allowlist_recursively(true)
            .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: true })
            .prepend_enum_name(false)
            .derive_default(true)
            .must_use_type("CUresult")
            .generate_comments(false)
            // tests/layout asks the C compiler instead.
            .layout_tests(false)
            .merge_extern_blocks(true)
            .sort_semantically(true)
            .use_core()
            .rust_target(bindgen::RustTarget::stable(85, 0).expect("bindgen knows Rust 1.85"))
            .rust_edition(bindgen::RustEdition::Edition2024)
            .disable_header_comment()
            .formatter(bindgen::Formatter::Prettyplease)
            // Written by hand in src/companion.rs, which says why.
            .blocklist_type("CUmemLocation(_v1|_st.*)?")
            .parse_callbacks(Box::new(Names));
        for name in surface::FAMILY.iter().chain(surface::COMPANIONS) {
            builder = builder.allowlist_function(name);
        }
        for name in surface::TYPES {
            builder = builder.allowlist_type(name);
        }
        for name in surface::MACROS {
            builder = builder.allowlist_var(name);
        }
        Ok(neutral(&run(builder)?))
    }

    /// bindgen panics where libclang is missing: that is an answer, and its words are the user's.
    fn run(builder: bindgen::Builder) -> Result<String, Failure> {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let result = panic::catch_unwind(panic::AssertUnwindSafe(|| builder.generate()));
        panic::set_hook(hook);
        let words = match result {
            Ok(Ok(bindings)) => return Ok(bindings.to_string()),
            Ok(Err(error)) => return Err(Failure::Header(error.to_string())),
            Err(payload) => match payload.downcast::<String>() {
                Ok(words) => *words,
                Err(_) => "bindgen panicked".to_owned(),
            },
        };
        match words.strip_prefix("Unable to find libclang: ") {
            Some(words) => Err(Failure::NoLibclang(words.trim_matches('"').to_owned())),
            None => Err(Failure::Header(words)),
        }
    }

    /// Makes the text neutral: what a function is (a slot, a foreign item, nothing) and how an enum
    /// prints is decided by the macros of src/bindings.rs, by mode.
    fn neutral(bindgen_text: &str) -> String {
        // A plain name that stood for a versioned one, which is now called the same.
        let is_no_loop =
            |line: &&str| match line.strip_prefix("pub type ").and_then(|rest| rest.split_once(" = ")) {
                Some((name, of)) => of.strip_suffix(';') != Some(name),
                None => true,
            };
        let mut text: String =
            bindgen_text.lines().filter(is_no_loop).flat_map(|line| [line, "\n"]).collect();
        text = text
            // The one unnamed member, of the v2 node parameters: either kind of context.
            .replace("__bindgen_anon_1", "context")
            .replace("unsafe extern \"C\" {\n", "driver_functions! {\n")
            // A C enum prints its value's name; the derived Debug is left out where Hash and Eq,
            // which bindgen derives for enums alone, stand with it.
            .replace(
                "#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]",
                "#[derive(Copy, Clone, Hash, PartialEq, Eq)]",
            );
        for name in surface::FAMILY.iter().chain(surface::COMPANIONS) {
            text = text.replace(&format!("    pub fn {name}("), &format!("    pub fn {name}: PFN_{name}("));
        }
        let words: Vec<&str> = bindgen_text.split_whitespace().collect();
        for name in enums(&text) {
            let _ = write!(text, "c_enum! {{\n    {name}, {name}_values:\n");
            for word in words.windows(4) {
                match word {
                    ["pub", "const", constant, of] if *of == name => {
                        let _ = writeln!(text, "    {},", constant.trim_end_matches(':'));
                    }
                    _ => {}
                }
            }
            text.push_str("}\n");
        }
        text
    }

    /// The newtypes that bindgen made of C's enums, in their order.
    fn enums(text: &str) -> Vec<String> {
        text.lines()
            .filter_map(|line| line.strip_prefix("pub struct ")?.split_once("(pub ::core::ffi::c_"))
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    fn utf8(path: &Path) -> Result<&str, Failure> {
        path.to_str().ok_or_else(|| {
            Failure::Header(format!(
                "libclang takes paths in UTF-8 only, and this one is not: {}",
                path.display()
            ))
        })
    }

    /// C's names for Rust's: the typedef's, not the tag's; and names for what has none.
    #[derive(Debug)]
    struct Names;

    impl ParseCallbacks for Names {
        fn item_name(&self, item: ItemInfo<'_>) -> Option<String> {
            let name = item.name;
            if !matches!(item.kind, ItemKind::Type) {
                return None;
            }
            if let Some((_, given)) = surface::ANONYMOUS.iter().find(|(made, _)| *made == name) {
                return Some((*given).to_owned());
            }
            match name {
                "cudaError_enum" => return Some("CUresult".to_owned()),
                // The versions that the plain name stands for; elsewhere it is the first.
                "CUdeviceptr_v2" | "CUDA_ARRAY3D_DESCRIPTOR_v2" | "CUDA_MEMCPY3D_v2" => {
                    return name.strip_suffix("_v2").map(str::to_owned);
                }
                _ => {}
            }
            // The tags of handles keep their _st: the plain name is the pointer's.
            let is_struct =
                name.starts_with("CUDA_") || name.starts_with("CUmem") || name.starts_with("CUuuid");
            name.strip_suffix("_enum")
                .or_else(|| name.strip_suffix("_v1"))
                .or_else(|| name.strip_suffix("_st").filter(|_| is_struct))
                .map(str::to_owned)
        }

        /// Our text on its page: cuda.h's own is NVIDIA's.
        fn field_attributes(&self, info: &FieldAttributeInfo<'_>) -> Vec<String> {
            let text = fields::text(info.type_name, info.field_name);
            text.map(|text| format!("doc = {:?}", format!(" {text}"))).into_iter().collect()
        }

        fn blocklisted_type_implements_trait(
            &self,
            _name: &str,
            _trait: bindgen::callbacks::DeriveTrait,
        ) -> Option<ImplementsTrait> {
            Some(ImplementsTrait::Yes)
        }
    }
}
