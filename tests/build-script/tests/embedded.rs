//! The embedded bindings and the list of what is bound agree, and the model reads and writes them unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use build_script::model::{Model, Type};
use build_script::surface::{self, Surface};
use build_script::toolkit::Version;
use build_script::{allowlist, embedded};

fn model() -> Model {
    Model::read(embedded::text()).expect("the embedded bindings can be read")
}

#[track_caller]
fn assert_same<T: Ord + Debug>(one: impl IntoIterator<Item = T>, other: impl IntoIterator<Item = T>) {
    assert_eq!(one.into_iter().collect::<BTreeSet<_>>(), other.into_iter().collect());
}

#[test]
fn text_is_read_and_written_unchanged() {
    let (_, text) = embedded::text().split_once("\n\n").expect("the first line is a comment");
    let written = model().text(allowlist::DEBUG_BY_HAND);
    for (written, text) in written.lines().zip(text.lines()) {
        assert_eq!(written, text);
    }
    assert_eq!(written.len(), text.len());
}

/// The surface of the newest header, as which the embedded bindings are read; it has all that is listed.
#[test]
fn surface_of_the_newest_header() {
    let mut documentation = BTreeMap::new();
    for record in model().records {
        for ((field, _), text) in record.fields.iter().zip(record.documentation) {
            documentation.insert(format!("{}.{field}", record.name), text);
        }
    }
    let release = embedded::text()
        .split_once("the cuda.h of CUDA ")
        .and_then(|(_, rest)| rest.split_once(';'))
        .expect("a release")
        .0;
    let (major, minor) = release.split_once('.').expect("two numbers");
    let version =
        Version { major: major.parse().expect("a number"), minor: minor.parse().expect("a number") };
    let surface = |text: &str| surface::from_newest(text, version, &documentation);
    assert!(surface(embedded::text()).as_deref() == Ok(embedded::text()));
    // bindgen's form of them, which has C's tags and typedefs.
    let mut code = embedded::text().to_owned();
    for (find, put) in [
        (
            "#[doc(alias = \"CUdeviceptr_v2\")]\npub type CUdeviceptr = c_ulonglong;",
            "pub type CUdeviceptr_v2 = c_ulonglong; pub type CUdeviceptr = CUdeviceptr_v2;",
        ),
        (
            "#[doc(alias = \"CUstreamBatchMemOpParams_v1\")]\n#[repr(C)]\n#[derive(Copy, Clone)]\npub union CUstreamBatchMemOpParams {",
            "pub type CUstreamBatchMemOpParams_v1 = CUstreamBatchMemOpParams_union; \
             pub type CUstreamBatchMemOpParams = CUstreamBatchMemOpParams_v1; pub union CUstreamBatchMemOpParams_union {",
        ),
        ("pub struct CUuuid {", "pub type CUuuid = CUuuid_st; #[repr(C)] pub struct CUuuid_st {"),
        (
            "c_enum! {\n    pub enum CUipcMem_flags: CUipcMem_flags_values {\n        CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,\n    }\n}",
            "pub struct CUipcMem_flags_enum(pub c_uint); pub use self::CUipcMem_flags_enum as CUipcMem_flags; \
             pub const CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: CUipcMem_flags_enum = CUipcMem_flags_enum(1);",
        ),
    ] {
        assert!(code.contains(find), "{find}");
        code = code.replacen(find, put, 1);
    }
    assert!(surface(&code).as_deref() == Ok(embedded::text()));
    for (name, put) in [
        ("CUDA_ARRAY3D_CUBEMAP", "CUDA_ARRAY3D_CUBE"),
        ("cuMemUnmap", "cuMemUnmapped"),
        ("CUipcMem_flags", "CUipcMem_bits"),
    ] {
        assert_eq!(surface(&embedded::text().replace(name, put)), Err(format!("the header has no {name}")));
    }
    for (find, put, why) in [
        (
            "SRGB: u32 = 16",
            "SRGB: u32 = -16",
            "CU_TRSF_SRGB is -16, which is not a number of 32 bits without a sign",
        ),
        (
            "(Flags: c_uint) -> CUresult",
            "(Flags: c_uint) -> c_int",
            "cuInit returns c_int, and not a CUresult",
        ),
        ("(Flags: c_uint)", "(Flags: CUunheard_of)", "cuInit: the type CUunheard_of is unknown"),
    ] {
        assert_eq!(surface(&embedded::text().replacen(find, put, 1)), Err(why.to_owned()));
    }
}

/// What bindgen is asked for: values and types by every name that a header may have for them.
#[test]
fn names_that_are_asked_for() {
    let surface = Surface::read(embedded::text(), Version { major: 13, minor: 5 })
        .expect("the embedded bindings can be read");
    let constants = surface.constants();
    assert_eq!(constants.len(), model().constants().count());
    assert!(
        ["CUDA_VERSION", "CUDA_SUCCESS", "CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS"]
            .iter()
            .all(|name| constants.contains(name))
    );
    let types = surface.types();
    assert_eq!(types.len(), model().type_names().count() + model().versions.len());
    assert!(
        ["CUdeviceptr", "CUdeviceptr_v2", "CUuuid", "CUipcMem_flags", "CUctx_st"]
            .iter()
            .all(|name| types.contains(name))
    );
}

#[test]
fn c_source_defines_each_function() {
    let source = allowlist::c_source(34);
    let lines = source
        .lines()
        .map(|line| line.strip_prefix("int ").and_then(|line| line.strip_suffix("(void) { return 34; }")));
    assert!(lines.eq(allowlist::FUNCTIONS.iter().map(|(symbol, _)| Some(*symbol))));
}

#[test]
fn what_is_listed_is_bound() {
    let model = model();
    let functions = model.functions.iter().map(|function| (&*function.name, function.macro_name.as_deref()));
    assert_same(functions, allowlist::FUNCTIONS.iter().copied());
    let macros: Vec<&str> = model.macros.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(macros, allowlist::MACROS);
    let names = [allowlist::TYPES, allowlist::MAY_GROW, allowlist::DEBUG_BY_HAND].concat();
    for name in names.iter().chain([&allowlist::MAY_GROW_IN]) {
        assert!(model.has_type(name), "{name}");
    }
    let wrapper = include_str!("../../../wrapper.h");
    for (name, ..) in allowlist::HAND_WRITTEN {
        assert!(!model.has_type(name) && wrapper.contains(&format!("sizeof({name})")), "{name}");
    }
    let declared = wrapper.split('(').filter_map(|text| text.rsplit([' ', '\n']).next());
    assert_same(declared.filter(|word| word.starts_with("cu")), allowlist::IN_WRAPPER.iter().copied());
}

/// The type of a member without a name in C is named by its owner and by the name that the member has here.
#[test]
fn members_without_a_name() {
    let model = model();
    let members =
        model.records.iter().flat_map(|owner| owner.fields.iter().map(move |field| (&*owner.name, field)));
    let is_ours = |(owner, (name, ty)): &(&str, &(String, Type))| {
        // In C the parameters of semaphores have a field that is called so.
        !owner.starts_with("CUDA_EXTERNAL_SEMAPHORE_")
            && ["context", "operand", "params"].contains(&name.as_str())
            && *ty == Type::Named(format!("{owner}_{name}"))
    };
    let members = members.filter(is_ours).map(|(owner, (name, _))| (owner, name.as_str()));
    assert_same(members, allowlist::ANONYMOUS_MEMBER_NAMES.iter().copied());
}

/// A type that C has no name for is its owner's.
#[test]
fn owners() {
    let model = model();
    let owner = |name| model.owner(name).map(|(record, field)| (&*record.name, field));
    let handle = "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle";
    assert_eq!(owner(handle), Some(("CUDA_EXTERNAL_MEMORY_HANDLE_DESC", "handle")));
    assert_eq!(owner("CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32"), Some((handle, "win32")));
    for other in ["CUDA_EXTERNAL_MEMORY_HANDLE_DESC", "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_other", "CUuuid"] {
        assert_eq!(owner(other), None);
    }
}
